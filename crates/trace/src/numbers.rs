//! Conversions of numbers, each for values that are known to fit.

/// Returns a number rounded to the nearest whole one; 0 for negative numbers and NaN, saturating.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates, as this function documents"
)]
pub(crate) fn rounded(number: f64) -> u64 {
    number.round() as u64
}

/// Returns a number as an index; callers pass numbers below 2^32.
#[expect(
    clippy::cast_possible_truncation,
    reason = "an index here is far below 2^32"
)]
pub(crate) const fn index(number: u64) -> usize {
    number as usize
}

/// Returns a number in 32 bits, saturating.
pub(crate) fn saturated_u32(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns a part of a whole, 0 of nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    use stripewise_units::as_f64;
    match whole {
        0 => 0.0,
        whole => as_f64(part) / as_f64(whole),
    }
}
