//! The possible ranges of a profile's numbers.

/// A number in a device profile that no device has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is {value}; allowed: {min} to {max}")]
pub struct OutOfRange {
    /// The key in the profile.
    pub key: &'static str,
    /// Its value.
    pub value: u64,
    /// The lowest possible value.
    pub min: u64,
    /// The highest possible value.
    pub max: u64,
}

/// Checks one number.
pub(crate) fn in_range(
    key: &'static str,
    value: u64,
    min: u64,
    max: u64,
) -> Result<(), OutOfRange> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(OutOfRange {
        key,
        value,
        min,
        max,
    })
}
