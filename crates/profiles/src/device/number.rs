//! The one conversion from a real number to an integer, for making and checking profiles and for
//! building devices, never during a simulation.

/// Returns the nearest integer; negative numbers and NaN become 0, large ones saturate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates, as this function documents"
)]
pub fn rounded(value: f64) -> u64 {
    libm::round(value) as u64
}
