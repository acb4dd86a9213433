//! Whatever bytes claim to be measured points: read or refused with a line, never a panic, and what
//! is read can be calculated with.

#![no_main]

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use stripewise_calibrate::points;

fuzz_target!(|bytes: &[u8]| {
    match points::parse("fuzz.csv", bytes) {
        Ok(points) => {
            let mut line = 1;
            for point in points {
                assert!(point.line > line, "rows begin on lines of their own");
                line = point.line;
                assert!(point.time_ns().is_finite() && point.time_ns() > 0.0);
                assert!(point.pattern.is_mixed() == point.read_percent.is_some());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
