//! Lengths that no form of a value explains: `s:23:` before a text in which an address lies, where the
//! string does not end after 23 bytes in any layer that is read here.
//!
//! A shell, a template or a mail may have written it. If the address in it were replaced, the length
//! would be wrong in that form, too, and nobody would know: so it stays, and is named.

use std::io;

use crate::grammar::Fault;
use crate::source::Source;
use crate::walk::Walker;

/// How far before an address its length is looked for: beyond that, only the address before it.
const BEFORE_BYTES: usize = 64 << 10;
/// The most digits of a length.
const DIGITS_MAX: usize = 10;
/// How many bytes of a layer stand for one byte at most: `%25252F`.
const UNIT_BYTES: usize = 16;
/// The longest way in which a quote is written: `\\\\u0022`, `&amp;quot;`.
const QUOTE_BYTES_MAX: usize = 12;

/// A length: where its string begins, how many bytes it has, and how its quote is written.
struct Claim {
    content: usize,
    bytes: usize,
    quote: Vec<u8>,
}

impl Walker<'_> {
    /// Returns whether an address at `place` lies in a string whose length is right in no form; it
    /// is reported once for each string.
    pub(crate) fn is_claimed<S: Source>(
        &mut self,
        source: &mut S,
        (position, place): (usize, usize),
        end: usize,
    ) -> io::Result<bool> {
        if self.is_content || self.pairs.policy().broken {
            return Ok(false);
        }
        if place < self.claimed {
            return Ok(true);
        }
        let low = position.max(place.saturating_sub(BEFORE_BYTES));
        self.grammar.steps.bytes(place - low);
        let window = source.at(low, place - low)?;
        let Some(claim) = last_claim(&window[..place - low]) else {
            return Ok(false);
        };
        let text = &window[claim.content..place - low];
        let is_inside = text.len() < claim.bytes
            || (text.len() < claim.bytes.saturating_mul(UNIT_BYTES)
                && text.iter().any(|byte| b"\\%&".contains(byte))
                && memchr::memmem::find(text, &claim.quote).is_none());
        if !is_inside {
            return Ok(false);
        }
        let content = low + claim.content;
        let longest = claim.bytes.saturating_mul(UNIT_BYTES).min(BEFORE_BYTES);
        let size = longest.min(end - content);
        self.grammar.steps.bytes(size);
        let window = source.at(content, size)?;
        let stop = [&claim.quote[..], b";"].concat();
        let stop = memchr::memmem::find(&window[..window.len().min(size)], &stop);
        self.claimed = content + stop.unwrap_or(0).max(claim.bytes);
        self.counts.stick(Fault::Length);
        Ok(true)
    }
}

/// Returns the last length in a text with a quote behind it.
fn last_claim(text: &[u8]) -> Option<Claim> {
    memchr::memrchr_iter(b':', text).find_map(|colon| {
        let rest = &text[colon + 1..];
        let digits = text[..colon].iter().rev().take(DIGITS_MAX + 1);
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        let before = text[..colon - digits].strip_suffix(b":")?;
        let is_string = matches!(before.last(), Some(b's' | b'S'))
            && !before
                .iter()
                .rev()
                .nth(1)
                .is_some_and(u8::is_ascii_alphanumeric);
        if !is_string || digits == 0 || digits > DIGITS_MAX {
            return None;
        }
        let quote = quote_of(rest)?;
        let count = std::str::from_utf8(&text[colon - digits..colon]).ok()?;
        Some(Claim {
            content: colon + 1 + quote,
            bytes: count.parse().ok()?,
            quote: rest[..quote].to_vec(),
        })
    })
}

/// Returns how many bytes the quote takes that a text begins with, as any layer may write it.
fn quote_of(text: &[u8]) -> Option<usize> {
    let text = &text[..text.len().min(QUOTE_BYTES_MAX)];
    let lead = text.iter().take_while(|byte| **byte == b'\\').count();
    let quotes = text[lead..]
        .iter()
        .take_while(|byte| **byte == b'"')
        .count();
    if quotes > 0 {
        return Some(lead + quotes);
    }
    let written: [&[u8]; 5] = [b"u0022", b"x22", b"%22", b"%2522", b"&quot;"];
    let written = written
        .iter()
        .find(|written| text[lead..].starts_with(written))?;
    Some(lead + written.len())
}

#[cfg(test)]
mod tests {
    use super::last_claim;

    #[test]
    fn a_length_is_found_however_its_quote_is_written() {
        for (text, wanted) in [
            (r#"a:1:{s:3:"url";s:23:"x"#, Some((23, 21))),
            (r#"s:23:\"x"#, Some((23, 7))),
            (r#"s:23:""x"#, Some((23, 7))),
            ("s:23:&quot;x", Some((23, 11))),
            (r"s:23:\\u0022x", Some((23, 12))),
            ("s:23:%22x", Some((23, 8))),
            // No length: no digits, no quote, or a longer word.
            ("s:23:x", None),
            ("s::\"x", None),
            ("https:23:\"x", None),
            ("i:23:\"x", None),
        ] {
            let found = last_claim(text.as_bytes());
            let found = found.map(|claim| (claim.bytes, claim.content));
            assert_eq!(found, wanted, "{text}");
        }
    }
}
