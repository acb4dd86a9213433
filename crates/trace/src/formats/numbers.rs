//! Numbers and words in lines of bytes.

/// Seconds in ns.
pub(crate) const SECOND: u64 = 1_000_000_000;
/// Milliseconds in ns.
pub(crate) const MILLISECOND: u64 = 1_000_000;
/// Microseconds in ns.
pub(crate) const MICROSECOND: u64 = 1_000;

/// Reads a whole number; `None` if it is none or does not fit.
#[inline]
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    let mut value = 0_u64;
    if text.len() < 20 {
        // 19 digits always fit.
        for byte in text {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value * 10 + u64::from(digit);
        }
        return Some(value);
    }
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// Reads a whole number of 32 bits.
#[inline]
pub(crate) fn number_u32(text: &[u8]) -> Option<u32> {
    u32::try_from(number(text)?).ok()
}

/// Reads a number with or without a fraction, in units of which `scale` make one: with a scale of
/// 1,000,000,000, seconds become nanoseconds. Digits below the unit are cut off.
#[inline]
pub(crate) fn decimal(text: &[u8], scale: u64) -> Option<u64> {
    let Some(point) = text.iter().position(|byte| *byte == b'.') else {
        return number(text)?.checked_mul(scale);
    };
    let whole = if point == 0 {
        0
    } else {
        number(&text[..point])?
    };
    let mut digits = &text[point + 1..];
    if digits.is_empty() {
        return if point == 0 {
            None
        } else {
            whole.checked_mul(scale)
        };
    }
    if digits.len() > 9 {
        if !digits[9..].iter().all(u8::is_ascii_digit) {
            return None;
        }
        digits = &digits[..9];
    }
    let mut fraction = number(digits)?;
    for _ in digits.len()..9 {
        fraction *= 10;
    }
    // The fraction has nine digits, and so has the largest scale: the product fits.
    let part = fraction.checked_mul(scale)? / 1_000_000_000;
    whole.checked_mul(scale)?.checked_add(part)
}

/// Reads a time, in units of which `scale` make one; `None` if it has no point.
#[inline]
pub(crate) fn time(text: &[u8], scale: u64) -> Option<u64> {
    match text.contains(&b'.') {
        true => decimal(text, scale),
        false => None,
    }
}

/// Returns the first line, without its end.
pub(crate) fn first_line(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| *byte == b'\n');
    text[..end.unwrap_or(text.len())].trim_ascii_end()
}

/// Words between spaces and tabs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'a>(pub(crate) &'a [u8]);

impl<'a> Words<'a> {
    /// Returns what is left, without the space before it.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        trim_start(self.0)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let text = trim_start(self.0);
        if text.is_empty() {
            self.0 = text;
            return None;
        }
        let end = text
            .iter()
            .position(|byte| is_space(*byte))
            .unwrap_or(text.len());
        self.0 = &text[end..];
        Some(&text[..end])
    }
}

#[inline]
fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Returns a text without the space before it.
#[inline]
pub(crate) fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_space(*byte));
    start.map_or(&[], |start| &text[start..])
}

/// Returns a text without the space behind it.
#[inline]
pub(crate) fn trim_end(text: &[u8]) -> &[u8] {
    let last = text.iter().rposition(|byte| !is_space(*byte));
    last.map_or(&[], |last| &text[..=last])
}

/// Returns what is between the first `[` and the last `]`: the name of a process, which may have
/// spaces and brackets itself.
#[inline]
pub(crate) fn in_brackets(text: &[u8]) -> &[u8] {
    let open = text.iter().position(|byte| *byte == b'[');
    let close = text.iter().rposition(|byte| *byte == b']');
    match (open, close) {
        (Some(open), Some(close)) if open < close => &text[open + 1..close],
        _ => &[],
    }
}

/// Returns the bytes of so many sectors; `None` if they do not fit.
#[inline]
pub(crate) fn sectors(count: u64) -> Option<u64> {
    count.checked_mul(super::SECTOR_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_bounded() {
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(number(b"18446744073709551616"), None);
        assert_eq!(
            number(b"9999999999999999999"),
            Some(9_999_999_999_999_999_999)
        );
        assert_eq!(number(b"000000000000000000001"), None, "21 digits");
        for bad in [&b""[..], b"-1", b"1 ", b"0x1", b"1e3", b"+1"] {
            assert_eq!(number(bad), None, "{bad:?}");
        }
        assert_eq!(number_u32(b"4294967296"), None);
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(
            decimal(b"1456135200.013118000", 1_000_000_000),
            Some(1_456_135_200_013_118_000)
        );
        assert_eq!(decimal(b"0.1", 1_000_000_000), Some(100_000_000));
        assert_eq!(decimal(b".5", 1_000), Some(500));
        assert_eq!(decimal(b"7.", 1_000), Some(7_000));
        assert_eq!(decimal(b"1.0000000019", 1_000_000_000), Some(1_000_000_001));
        assert_eq!(decimal(b"12", 100), Some(1_200));
        assert_eq!(decimal(b"12.345", 100), Some(1_234));
        for bad in [&b"."[..], b"1.x", b"1.2.3", b"1.-2", b"", b"1.0000000000x"] {
            assert_eq!(decimal(bad, 10), None, "{bad:?}");
        }
        assert_eq!(decimal(b"99999999999999999", 1_000_000_000), None);
    }

    #[test]
    fn words_and_brackets() {
        let mut words = Words(b"  a \tbc  ");
        assert_eq!(words.next(), Some(&b"a"[..]));
        assert_eq!(words.rest(), b"bc  ");
        assert_eq!(words.next(), Some(&b"bc"[..]));
        assert_eq!(words.next(), None);
        assert_eq!(in_brackets(b"8 + 8 [my [odd] name] 3"), b"my [odd] name");
        assert_eq!(in_brackets(b"]["), b"");
    }
}
