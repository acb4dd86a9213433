//! The conversions between counts and real numbers, each in one place.

/// Returns `count` as a real number; exact below 2^53, far beyond any number of samples.
#[expect(
    clippy::cast_precision_loss,
    reason = "exact below 2^53, and no series has so many samples"
)]
pub(crate) fn count_as_f64(count: usize) -> f64 {
    count as f64
}

/// Returns the largest count not above `value`; 0 for negative values and `NaN`, saturating above
/// `usize::MAX`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates, as this function documents"
)]
pub(crate) fn floor_to_count(value: f64) -> usize {
    value as usize
}
