//! The one way from a real number back to an integer, when a profile is made or checked or a device is built from it,
//! never while that runs.

/// Returns the nearest integer; negative numbers and NaN become 0, large ones saturate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates, and that is what this function promises"
)]
pub fn rounded(value: f64) -> u64 {
    libm::round(value) as u64
}
