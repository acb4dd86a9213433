//! Whatever text claims to be a study: read or refused with a position, never a panic.

#![no_main]

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match stripewise_format::parse("fuzz.toml", text) {
        Ok(_) => {}
        // The message is drawn into the text; that must not panic either.
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
