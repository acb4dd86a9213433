//! The alarm itself: a planted panic that only coverage guidance finds.
//!
//! Each byte is compared on its own, so that each step reached is new coverage. Blind guessing of
//! eight bytes would take about 2^64 runs; a fuzzer that sees coverage takes seconds. If this target
//! does *not* fail, the others' silence means nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let is = |index: usize, byte: u8| bytes.get(index) == Some(&byte);
    if is(0, b's')
        && is(1, b't')
        && is(2, b'r')
        && is(3, b'i')
        && is(4, b'p')
        && is(5, b'e')
        && is(6, 0xFE)
        && is(7, 0x01)
    {
        panic!("planted");
    }
});
