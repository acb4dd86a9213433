//! Narrowing casts for values that are known to fit: one function for each pair of types.

/// Returns the low 64 bits.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the function returns the low bits"
)]
pub(crate) const fn low_u64(wide: u128) -> u64 {
    wide as u64
}

/// Returns the low 32 bits.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the function returns the low bits"
)]
pub(crate) const fn low_u32(wide: u64) -> u32 {
    wide as u32
}

/// Returns the low 16 bits.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the function returns the low bits"
)]
pub(crate) const fn low_u16(wide: u32) -> u16 {
    wide as u16
}

/// Returns the whole part of a number; 0 for negative numbers and NaN, saturating above `u64::MAX`.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates, as this function documents"
)]
pub(crate) const fn truncated(number: f64) -> u64 {
    number as u64
}

/// Returns a number as an index; callers pass numbers below 2^32.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "an index here is far below 2^32"
)]
pub(crate) const fn index(number: u64) -> usize {
    number as usize
}
