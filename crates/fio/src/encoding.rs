//! The text of a file in any encoding that a shell may have written it in.
//!
//! `fio ... > results.json` in Windows PowerShell 5 writes UTF-16 with a byte order mark, and other
//! editors put a mark before UTF-8. fio copies the bytes of names and options: they need not be
//! UTF-8 at all.

use std::borrow::Cow;
use std::fmt::Write;

/// The byte order mark as a character.
const MARK: char = '\u{feff}';

/// Returns the text of `bytes`, without a byte order mark.
///
/// A byte that is not UTF-8 becomes U+FFFD and the byte in hexadecimal, so that different names stay
/// different.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        // JSON and fio's messages begin with ASCII: a zero byte tells the width and the order.
        [first, 0, ..] if *first != 0 => Cow::Owned(utf16(bytes, u16::from_le_bytes)),
        [0, second, ..] if *second != 0 => Cow::Owned(utf16(bytes, u16::from_be_bytes)),
        _ => utf8(bytes),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let characters = char::decode_utf16(units);
    let characters = characters.map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER));
    characters.filter(|character| *character != MARK).collect()
}

fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text.trim_start_matches(MARK)),
        Err(_) => Cow::Owned(visible(bytes).trim_start_matches(MARK).to_owned()),
    }
}

/// Returns UTF-8 with other bytes in hexadecimal.
fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _written = write!(text, "{}{byte:02x}", char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_of_a_text_gives_the_text() {
        let text_of = |units: &mut dyn Iterator<Item = [u8; 2]>, mark: &[u8]| {
            let bytes: Vec<u8> = mark.iter().copied().chain(units.flatten()).collect();
            text(&bytes).into_owned()
        };
        let words = "{\"x\": \"Gerät 💾\"}\r\n";
        let units: Vec<u16> = words.encode_utf16().collect();
        for (little, big) in [(&[0xff, 0xfe][..], &[0xfe, 0xff][..]), (&[], &[])] {
            let mut le = units.iter().map(|unit| unit.to_le_bytes());
            assert_eq!(text_of(&mut le, little), words);
            let mut be = units.iter().map(|unit| unit.to_be_bytes());
            assert_eq!(text_of(&mut be, big), words);
        }
        assert_eq!(text(format!("\u{feff}{words}").as_bytes()), words);
        assert!(matches!(text(words.as_bytes()), Cow::Borrowed(_)));
    }

    #[test]
    fn names_in_other_encodings_stay_different() {
        assert_eq!(text(b"caf\xe9"), "caf\u{fffd}e9");
        assert_ne!(text(b"caf\xe9"), text(b"caf\xe8"));
        assert_eq!(text(b""), "");
        assert_eq!(text(b"\xff\xfe\x00"), "");
    }
}
