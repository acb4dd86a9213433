//! Lenient numbers, for fio's output and hostile files.
//!
//! fio prints counters as signed (`%lld`), so a huge one is negative, and averages as `%f`, so an
//! undefined one is `nan`. An invalid number is distinct from a missing one.

use std::fmt;
use stripewise_study::sample::as_f64;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A number in a file, or the lack of a valid one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Number {
    /// The field is absent or null.
    #[default]
    Missing,
    /// Not a valid number: negative, not finite, a list, ...
    Bad,
    /// A whole number, at least 0.
    Whole(u64),
    /// A finite number, at least 0.
    Real(f64),
}

impl Number {
    /// Returns it as a count; a float is rounded.
    pub(crate) fn count(self) -> Option<u64> {
        match self {
            Number::Missing | Number::Bad => None,
            Number::Whole(count) => Some(count),
            Number::Real(real) => to_u64(real),
        }
    }

    /// Returns it as a float.
    pub(crate) fn real(self) -> Option<f64> {
        match self {
            Number::Missing | Number::Bad => None,
            Number::Whole(count) => Some(as_f64(count)),
            Number::Real(real) => Some(real),
        }
    }

    /// Converts microseconds to nanoseconds.
    pub(crate) fn times_thousand(self) -> Self {
        match self {
            Number::Whole(count) => count.checked_mul(1000).map_or(Number::Bad, Number::Whole),
            Number::Real(real) => Number::from_f64(real * 1000.0),
            other => other,
        }
    }

    fn from_f64(real: f64) -> Self {
        if real.is_finite() && real >= 0.0 {
            Number::Real(real)
        } else {
            Number::Bad
        }
    }
}

/// Returns a float as a rounded count; `None` if it does not fit.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked before, and the value rounded"
)]
pub(crate) fn to_u64(real: f64) -> Option<u64> {
    let rounded = real.round();
    // 2^64 is the first float that does not fit; NaN is in no range.
    (0.0..18_446_744_073_709_551_616.0)
        .contains(&rounded)
        .then_some(rounded as u64)
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
        Ok(Number::Whole(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
        Ok(u64::try_from(value).map_or(Number::Bad, Number::Whole))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
        Ok(Number::from_f64(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Number, E> {
        if let Ok(whole) = value.parse() {
            return Ok(Number::Whole(whole));
        }
        Ok(value.parse().map_or(Number::Bad, Number::from_f64))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Number, E> {
        Ok(Number::Whole(u64::from(value)))
    }

    fn visit_unit<E>(self) -> Result<Number, E> {
        Ok(Number::Missing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Number, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Number::Bad)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Number, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Number::Bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_json_value_parses_as_a_number() {
        for (json, count, real) in [
            ("7", Some(7), Some(7.0)),
            ("7.6", Some(8), Some(7.6)),
            ("\"7\"", Some(7), Some(7.0)),
            (
                "18446744073709551615",
                Some(u64::MAX),
                Some(18_446_744_073_709_551_615.0),
            ),
            ("1e30", None, Some(1e30)),
            ("-1", None, None),
            ("-0.5", None, None),
            ("\"nan\"", None, None),
            ("\"-inf\"", None, None),
            ("null", None, None),
            ("[1, [2]]", None, None),
            ("{\"a\": 1}", None, None),
        ] {
            let number: Number = serde_json::from_str(json).unwrap();
            assert_eq!(number.count(), count, "{json}");
            assert_eq!(number.real(), real, "{json}");
        }
    }

    #[test]
    fn floats_become_counts_only_within_their_range() {
        assert_eq!(to_u64(18_446_744_073_709_551_616.0), None);
        assert_eq!(to_u64(f64::NAN), None);
        assert_eq!(to_u64(-0.4), Some(0));
        assert_eq!(to_u64(-0.6), None);
        assert_eq!(to_u64(2.5), Some(3));
    }
}
