//! Values of fio's options, read as fio reads them (`parse.c` and `HOWTO.rst` of fio).
//!
//! The trap: with the default `kb_base=1024`, `k` and `kb` are 1024 and `kib` is 1000; with
//! `kb_base=1000` it is the other way round, but `k` and `kb` are 1000.

use crate::{Bytes, Nanos};

/// The meaning of `k` in sizes (fio's `kb_base`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KbBase {
    /// `k` is 1024, `kib` is 1000: fio's default, for compatibility with itself.
    #[default]
    Binary,
    /// `k` is 1000, `kib` is 1024: as in the standards.
    Decimal,
}

/// Parses a size such as `4k`, `1m`, `8192` or `0x1000`.
pub fn parse_size(text: &str, base: KbBase) -> Option<Bytes> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(Bytes::new);
    }
    let (number, suffix) = split_suffix(&text);
    let (letter, is_opposite) = match suffix.strip_suffix("ib") {
        Some(letter) => (letter, true),
        None => (suffix.strip_suffix('b').unwrap_or(suffix), false),
    };
    let power = match letter {
        "" if !is_opposite => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    let unit: u64 = match (base, is_opposite) {
        (KbBase::Binary, false) | (KbBase::Decimal, true) => 1024,
        (KbBase::Binary, true) | (KbBase::Decimal, false) => 1000,
    };
    number
        .parse::<u64>()
        .ok()?
        .checked_mul(unit.pow(power))
        .map(Bytes::new)
}

/// Parses a whole number such as `16` or `0x10`.
pub fn parse_whole_number(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Reads a time such as `30`, `30s`, `250us`, `2m`; a number without suffix has the unit `bare`.
pub fn parse_time(text: &str, bare: Nanos) -> Option<Nanos> {
    let text = text.trim().to_ascii_lowercase();
    let (number, suffix) = split_suffix(&text);
    let scale_ns = match suffix {
        "" => bare.as_u64(),
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    };
    number
        .parse::<u64>()
        .ok()?
        .checked_mul(scale_ns)
        .map(Nanos::new)
}

/// Parses a flag: `direct=1`, `direct=0`, or `direct` alone, which is true.
pub fn parse_flag(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" | "1" | "true" | "yes" => Some(true),
        "0" | "false" | "no" => Some(false),
        _ => None,
    }
}

/// The values of an option for reads and for writes: `bs=4k,8k`; one value applies to both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerDirection<'a> {
    /// For reads; `None` if omitted, as in `,8k`.
    pub read: Option<&'a str>,
    /// For writes; `None` if omitted, as in `4k,,`.
    pub write: Option<&'a str>,
}

impl<'a> PerDirection<'a> {
    /// Splits the value at its commas. The third part, for trims, is ignored.
    ///
    /// As in fio, the last part of the list applies to all later directions: `4k,8k` has trims of
    /// 8k, and `4k` writes of 4k; but `4k,` leaves writes at their default.
    pub fn parse(text: &'a str) -> Self {
        let some = |part: &'a str| Some(part.trim()).filter(|part| !part.is_empty());
        let mut parts = text.split(',');
        let read = parts.next().and_then(some);
        let write = match parts.next() {
            Some(part) => some(part),
            None => read,
        };
        Self { read, write }
    }
}

/// Splits `30ms` into `30` and `ms`.
fn split_suffix(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    (number, suffix.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_as_in_fio() {
        for (text, binary, decimal) in [
            ("8192", Some(8192), Some(8192)),
            ("4k", Some(4096), Some(4000)),
            ("4K", Some(4096), Some(4000)),
            ("4kb", Some(4096), Some(4000)),
            ("4kib", Some(4000), Some(4096)),
            ("1m", Some(1 << 20), Some(1_000_000)),
            ("2g", Some(2 << 30), Some(2_000_000_000)),
            ("512b", Some(512), Some(512)),
            ("0x1000", Some(4096), Some(4096)),
            ("100%", None, None),
            ("-4k", None, None),
            ("4x", None, None),
            ("ib", None, None),
            ("", None, None),
            ("99999999999p", None, None),
        ] {
            assert_eq!(
                parse_size(text, KbBase::Binary),
                binary.map(Bytes::new),
                "{text}"
            );
            assert_eq!(
                parse_size(text, KbBase::Decimal),
                decimal.map(Bytes::new),
                "{text}"
            );
        }
    }

    #[test]
    fn times_without_suffix_have_the_unit_of_their_option() {
        let second = Nanos::new(1_000_000_000);
        for (text, ns) in [
            ("30", Some(30_000_000_000)),
            ("30s", Some(30_000_000_000)),
            ("200000us", Some(200_000_000)),
            ("5m", Some(300_000_000_000)),
            ("1d", Some(86_400_000_000_000)),
            ("x", None),
            ("5 parsec", None),
        ] {
            assert_eq!(parse_time(text, second), ns.map(Nanos::new), "{text}");
        }
        assert_eq!(
            parse_time("250", Nanos::new(1000)),
            Some(Nanos::new(250_000))
        );
    }

    #[test]
    fn flags_without_value_are_set() {
        for (text, flag) in [
            ("", Some(true)),
            ("1", Some(true)),
            ("0", Some(false)),
            ("2", None),
        ] {
            assert_eq!(parse_flag(text), flag, "{text}");
        }
    }

    #[test]
    fn values_by_direction_are_split() {
        let parts = |text| {
            let parts = PerDirection::parse(text);
            (parts.read, parts.write)
        };
        assert_eq!(parts("4k"), (Some("4k"), Some("4k")));
        assert_eq!(parts("4k,8k"), (Some("4k"), Some("8k")));
        assert_eq!(parts("4k,8k,1m"), (Some("4k"), Some("8k")));
        assert_eq!(parts(",8k"), (None, Some("8k")));
        assert_eq!(parts("4k,"), (Some("4k"), None));
    }
}
