//! Signs that bytes hold something packed: a dump in a backup, an archive behind a script, a cache.
//!
//! A search finds no text that is packed, so a file without a hit may still hold an address. A
//! sign is the beginning that a format demands, with as much of its header as is fixed, so that it
//! hardly ever stands in pictures by chance: of gzip 37 bits, of the others at least 32.

use std::io;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::source::Source;

/// How much is searched at once.
const WINDOW_BYTES: usize = 1 << 20;
/// The most bytes of a sign, with the fixed part of its header.
const SIGN_BYTES: usize = 10;

/// Names and first bytes. Signs of bzip2 begin behind `BZh9`, at the first block.
const SIGNS: [(&str, &[u8]); 7] = [
    ("gzip", b"\x1f\x8b\x08"),
    ("Zstandard", b"\x28\xb5\x2f\xfd"),
    ("xz", b"\xfd7zXZ\0"),
    ("bzip2", b"\x31\x41\x59\x26\x53\x59"),
    ("7-Zip", b"7z\xbc\xaf\x27\x1c"),
    ("ZIP", b"PK\x03\x04"),
    ("RAR", b"Rar!\x1a\x07"),
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let signs = SIGNS.iter().map(|(_, sign)| sign);
    #[expect(clippy::expect_used, reason = "the signs are few and short")]
    AhoCorasick::new(signs).expect("a finder of short signs")
});

/// Returns the name of a packing of something in these bytes, if there is a sign of one.
///
/// Streams of zlib and of compress(1) have short signs, so they count at the beginning only.
///
/// # Errors
/// If the bytes cannot be read.
pub(crate) fn packed_within<S: Source>(source: &mut S) -> io::Result<Option<&'static str>> {
    match source.at(0, 2)? {
        [0x1f, 0x9d, ..] => return Ok(Some("compress")),
        // RFC 1950: the method, and the two bytes as a number are a multiple of 31. The fourth level,
        // `x^`, may begin a text.
        [0x78, 0x01 | 0x9c | 0xda, ..] => return Ok(Some("zlib")),
        _ => {}
    }
    let mut start = 0;
    while start < source.length() {
        let bytes = source.at(start, WINDOW_BYTES + SIGN_BYTES)?;
        let bytes = &bytes[..bytes.len().min(WINDOW_BYTES + SIGN_BYTES)];
        let mut found = FINDER.find_overlapping_iter(bytes);
        if let Some(sign) = found.find(|found| {
            let behind = &bytes[found.start()..];
            is_header(SIGNS[found.pattern().as_usize()].0, behind)
        }) {
            return Ok(Some(SIGNS[sign.pattern().as_usize()].0));
        }
        start += WINDOW_BYTES;
    }
    Ok(None)
}

/// Returns whether what follows a sign can be the rest of its header.
fn is_header(name: &str, bytes: &[u8]) -> bool {
    match (name, bytes) {
        // RFC 1952: reserved flags are 0, the extra flags 0, 2 or 4, systems are numbered up to 13.
        ("gzip", [_, _, _, flags, _, _, _, _, extra, system, ..]) => {
            flags & 0xe0 == 0 && [0, 2, 4].contains(extra) && (*system <= 13 || *system == 255)
        }
        // RFC 8878, 3.1.1.1.1: the reserved bit is 0.
        ("Zstandard", [_, _, _, _, descriptor, ..]) => descriptor & 8 == 0,
        // APPNOTE.TXT, 4.4.3: the version needed is at most 6.3, of a system that is 0 to 19.
        ("ZIP", [_, _, _, _, version, system, ..]) => *version <= 63 && *system <= 19,
        ("gzip" | "Zstandard" | "ZIP", _) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    fn within(bytes: &[u8]) -> Option<&'static str> {
        packed_within(&mut Memory(bytes)).unwrap()
    }

    const GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";

    #[test]
    fn signs_are_found_anywhere() {
        for (sign, name) in [
            (GZIP, "gzip"),
            (b"\x28\xb5\x2f\xfd\x24", "Zstandard"),
            (b"\xfd7zXZ\0\0", "xz"),
            (b"BZh9\x31\x41\x59\x26\x53\x59", "bzip2"),
            (b"7z\xbc\xaf\x27\x1c\0", "7-Zip"),
            (b"PK\x03\x04\x14\0", "ZIP"),
            (b"Rar!\x1a\x07\x01\0", "RAR"),
        ] {
            for before in [0, 1, 512, WINDOW_BYTES - 3, 3 * WINDOW_BYTES + 5] {
                let mut bytes = vec![b'a'; before];
                bytes.extend(sign);
                assert_eq!(within(&bytes), Some(name), "{name} at {before}");
                bytes.extend(b"and more");
                assert_eq!(within(&bytes), Some(name), "{name} at {before}");
            }
        }
        assert_eq!(within(b"\x78\x9c\xed\x5d"), Some("zlib"));
        assert_eq!(within(b"\x1f\x9d\x90"), Some("compress"));
    }

    #[test]
    fn what_only_looks_like_a_sign_is_none() {
        for text in [
            &b""[..],
            b"x",
            b"x^2 + 1",
            b"a \x78\x9c later",
            b"PK\x03\x04",
            b"PK\x03\x04 in a text",
            b"\x1f\x8b\x08",
            b"\x1f\x8b\x08\xff\0\0\0\0\0\x03",
            b"\x1f\x8b\x08\0\0\0\0\0\x01\x03",
            b"\x28\xb5\x2f\xfd\x08",
            b"BZh9 is how bzip2 begins",
            b"if (substr($head, 0, 2) == \"\\x1f\\x8b\") { // gzip",
        ] {
            assert_eq!(within(text), None, "{text:?}");
        }
    }
}
