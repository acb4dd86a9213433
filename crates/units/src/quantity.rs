//! Quantities with their unit in the type: bytes, nanoseconds, percent.
//!
//! A study writes them as fio users do: `8K`, `256M` (powers of 1024), `3s`, `500ms`, `5%`. Where a
//! number leaves the program its key carries the unit, so the types serialise as plain numbers.
//!
//! What only wraps a number is inlined: the simulation's inner loop asks for it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A quantity could not be read from its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct ParseQuantityError {
    /// The text.
    pub text: String,
    /// The expected notation, with examples.
    pub expected: &'static str,
}

impl ParseQuantityError {
    fn new(text: &str, expected: &'static str) -> Self {
        Self {
            text: text.to_owned(),
            expected,
        }
    }
}

/// A number of bytes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// One KiB.
    pub const KIB: Bytes = Bytes(1 << 10);
    /// One MiB.
    pub const MIB: Bytes = Bytes(1 << 20);
    /// One GiB.
    pub const GIB: Bytes = Bytes(1 << 30);

    /// Returns a quantity of `count` bytes.
    #[inline]
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// Returns the number of bytes.
    #[inline]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// Reads `4096`, `8K`, `256M`, `1G`, `2T` or `1.5M`; suffixes are powers of 1024 as in fio,
    /// and `KiB`, `kb` and the like mean the same.
    ///
    /// # Errors
    /// [`ParseQuantityError`] if the text is not a number with such a suffix, is not a whole number
    /// of bytes, or does not fit into 64 bits.
    pub fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        const EXPECTED: &str = "a size such as `512`, `8K`, `256M` or `1G` (powers of 1024)";
        let error = || ParseQuantityError::new(text, EXPECTED);
        let (number, unit) = split_number(text);
        let shift = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(error()),
        };
        scaled(number, 1 << shift).map(Self).ok_or_else(error)
    }
}

impl fmt::Display for Bytes {
    /// Writes the shortest exact form: `8K`, `20000K`, `1M`, `513`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(40, "T"), (30, "G"), (20, "M"), (10, "K")];
        for (shift, suffix) in units {
            if self.0 != 0 && self.0.is_multiple_of(1 << shift) {
                return f.pad(&format!("{}{suffix}", self.0 >> shift));
            }
        }
        f.pad(&self.0.to_string())
    }
}

/// A duration in nanoseconds, at most about 584 years.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct Nanos(u64);

impl Nanos {
    /// Returns a duration of `count` nanoseconds.
    #[inline]
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// Returns a duration of `count` milliseconds; saturates.
    #[inline]
    pub const fn from_millis(count: u64) -> Self {
        Self(count.saturating_mul(1_000_000))
    }

    /// Returns the number of nanoseconds.
    #[inline]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// Returns the duration in seconds.
    pub fn as_secs_f64(self) -> f64 {
        Duration::from(self).as_secs_f64()
    }

    /// Reads `3s`, `500ms`, `250us`, `2.5s`, `10m`, `1h`.
    ///
    /// # Errors
    /// [`ParseQuantityError`] if the text is not a number with such a suffix or does not fit.
    pub fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        const EXPECTED: &str = "a time such as `500ms`, `3s`, `10m` or `1h`";
        let error = || ParseQuantityError::new(text, EXPECTED);
        let (number, unit) = split_number(text);
        let scale = match unit {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return Err(error()),
        };
        scaled(number, scale).map(Self).ok_or_else(error)
    }
}

impl From<Nanos> for Duration {
    fn from(nanos: Nanos) -> Self {
        Duration::from_nanos(nanos.0)
    }
}

impl From<Duration> for Nanos {
    /// Converts a duration; durations above 584 years saturate.
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Nanos {
    /// Writes the shortest exact form in one unit: `3s`, `500ms`, `10m`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            (3_600_000_000_000, "h"),
            (60_000_000_000, "m"),
            (1_000_000_000, "s"),
            (1_000_000, "ms"),
            (1_000, "us"),
        ];
        for (scale, suffix) in units {
            if self.0 != 0 && self.0.is_multiple_of(scale) {
                return f.pad(&format!("{}{suffix}", self.0 / scale));
            }
        }
        f.pad(&format!("{}ns", self.0))
    }
}

/// A share in percent, at least 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Percent(f64);

impl Percent {
    /// Returns a share of `percent` per cent, or `None` if it is negative or not finite.
    pub fn new(percent: f64) -> Option<Self> {
        (percent.is_finite() && percent >= 0.0).then_some(Self(percent))
    }

    /// Returns the share as a fraction: 5 % is 0.05.
    pub fn as_fraction(self) -> f64 {
        self.0 / 100.0
    }

    /// Reads `5%` or `2.5 %`.
    ///
    /// # Errors
    /// [`ParseQuantityError`] if the text is not a number followed by `%`.
    pub fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        let error = || ParseQuantityError::new(text, "a share such as `5%`");
        let number = text.trim().strip_suffix('%').ok_or_else(error)?;
        let percent: f64 = number.trim().parse().map_err(|_| error())?;
        Self::new(percent).ok_or_else(error)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.0))
    }
}

/// Splits `1.5M` into `1.5` and `M`.
fn split_number(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

/// Returns `number` times `scale` if that is a whole number that fits, without rounding.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || (number.contains('.') && fraction.is_empty()) || fraction.len() > 18 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let whole = whole.checked_mul(scale)?;
    if fraction.is_empty() {
        return Some(whole);
    }
    let digits: u128 = fraction.parse().ok()?;
    let denominator = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let product = digits.checked_mul(u128::from(scale))?;
    if !product.is_multiple_of(denominator) {
        return None;
    }
    whole.checked_add(u64::try_from(product / denominator).ok()?)
}

/// Returns a count as a float; above 2^53 the nearest one.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts above 2^53 may round: they only make means, rates and shares"
)]
#[inline]
pub fn as_f64(count: u64) -> f64 {
    count as f64
}

/// Returns the sum of counts; saturates, as counts of a file from outside may be anything.
pub fn total(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_fio_reads_them() {
        for (text, bytes) in [
            ("0", 0),
            ("512", 512),
            ("8K", 8192),
            ("8k", 8192),
            ("8 KiB", 8192),
            ("1.5M", 1_572_864),
            ("20000K", 20_480_000),
            ("1G", 1 << 30),
        ] {
            assert_eq!(Bytes::parse(text), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn a_total_of_any_counts_exists() {
        assert_eq!(total([1, 2, 3]), 6);
        assert_eq!(total([u64::MAX, 1, u64::MAX]), u64::MAX);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for text in [
            "",
            "K",
            "8X",
            "-8K",
            "1.",
            ".5K",
            "1.2.3K",
            "0.3",
            "99999999999T",
            "8K8",
        ] {
            assert!(Bytes::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_read_and_written() {
        for (text, nanos) in [
            ("3s", 3_000_000_000),
            ("500ms", 500_000_000),
            ("2.5s", 2_500_000_000),
            ("10m", 600_000_000_000),
        ] {
            assert_eq!(Nanos::parse(text), Ok(Nanos(nanos)), "{text}");
        }
        assert_eq!(Nanos::from_millis(2500).to_string(), "2500ms");
        assert!(Nanos::parse("3").is_err(), "a bare number has no unit");
    }

    proptest::proptest! {
        #[test]
        fn written_quantities_read_back(count: u64) {
            proptest::prop_assert_eq!(Bytes::parse(&Bytes(count).to_string()), Ok(Bytes(count)));
            proptest::prop_assert_eq!(Nanos::parse(&Nanos(count).to_string()), Ok(Nanos(count)));
        }
    }
}
