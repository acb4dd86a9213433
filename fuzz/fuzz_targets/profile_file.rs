//! Whatever text claims to be a profile: read or refused with a place, never a panic; and what is
//! read is the same after it was written.

#![no_main]

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use stripewise_profiles::profile_file::{
    device_from_toml, device_to_toml, host_from_toml, host_to_toml,
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match device_from_toml("fuzz.toml", text) {
        Ok(profile) => {
            let written = device_to_toml(&profile).expect("what TOML held, it holds");
            assert_eq!(device_from_toml("written.toml", &written), Ok(profile));
        }
        Err(error) => assert!(error.line > 0 && error.column > 0),
    }
    match host_from_toml("fuzz.toml", text) {
        Ok(profile) => {
            let written = host_to_toml(&profile).expect("what TOML held, it holds");
            assert_eq!(host_from_toml("written.toml", &written), Ok(profile));
        }
        Err(error) => assert!(error.line > 0 && error.column > 0),
    }
});
