//! The conversions between counts and real numbers, each in one place.

/// Returns `count` as a real number; exact below 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "exact below 2^53, and no series has so many points"
)]
pub(crate) fn real(count: usize) -> f64 {
    count as f64
}

/// Returns the largest count not above `value`; 0 for negative values and `NaN`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates, as this function documents"
)]
pub(crate) fn whole(value: f64) -> usize {
    value as usize
}
