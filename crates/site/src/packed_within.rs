//! Signs that bytes hold something packed: a dump in a backup, an archive behind a script, a cache.
//!
//! A search finds no text that is packed, so bytes without a hit may still hold an address. A
//! sign is the beginning that a format demands, with as much of its header as is fixed, so that it
//! hardly ever stands in pictures by chance: of gzip 37 bits, of the others at least 32.
//!
//! A sign counts as it is, in base64 at each of three offsets, and in hexadecimal digits: dumps and
//! caches keep packed bytes in all three. Streams of zlib have a sign of two bytes, which pictures hold
//! too, so they count where a text begins, and a test unpacks what only may be one.

use std::collections::BTreeSet;
use std::io;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use flate2::{Decompress, FlushDecompress, Status};

use crate::encode::digits;
use crate::source::Source;

/// How much is searched at once.
const WINDOW_BYTES: usize = 1 << 20;
/// The most bytes of a sign, with the fixed part of its header.
const SIGN_BYTES: usize = 10;
/// The most bytes of a sign as text, with a few that another layer escaped.
const TEXT_BYTES: usize = 2 * SIGN_BYTES + 8;
/// How much stands before what a sign makes sure: three letters of base64, each of them escaped.
const LEAD_BYTES: usize = 6;
/// How much of a stream is unpacked to see that it is one.
const STREAM_BYTES: usize = 64 << 10;
/// So many bytes come out of nothing but a stream.
const UNPACKED_BYTES: u64 = 1 << 10;

/// Names and first bytes.
const SIGNS: [(&str, &[u8]); 7] = [
    ("gzip", b"\x1f\x8b\x08"),
    ("Zstandard", b"\x28\xb5\x2f\xfd"),
    ("xz", b"\xfd7zXZ\0"),
    ("bzip2", b"BZh"),
    ("7-Zip", b"7z\xbc\xaf\x27\x1c"),
    ("ZIP", b"PK\x03\x04"),
    ("RAR", b"Rar!\x1a\x07"),
];
/// The first bytes of a stream of zlib (RFC 1950): the method, and both as a number are a multiple of
/// 31. The fourth level, `x^`, may begin a text.
const ZLIB: [[u8; 2]; 3] = [[0x78, 0x01], [0x78, 0x9c], [0x78, 0xda]];

/// How other layers write a plus or a slash.
const ESCAPED: [&[u8]; 6] = [b"%2B", b"%2b", b"%2F", b"%2f", b"&#4", b"&#x2"];

/// How bytes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    /// So many bytes of a group of three stand before.
    Base64(usize),
    Hex,
}

/// What a pattern is a sign of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// The name of a format, whose header follows.
    Header(&'static str),
    /// A stream of zlib, if it begins here.
    Stream,
}

static FINDER: LazyLock<(AhoCorasick, Vec<(Sign, Form)>)> = LazyLock::new(|| {
    let mut patterns = Vec::new();
    let mut meanings = Vec::new();
    let mut add = |pattern: Vec<u8>, sign, form| {
        patterns.push(pattern);
        meanings.push((sign, form));
    };
    for (name, bytes) in SIGNS {
        let sign = Sign::Header(name);
        add(bytes.to_vec(), sign, Form::Plain);
        for upper in [false, true] {
            add(in_hex(bytes, upper), sign, Form::Hex);
        }
        for offset in 0..3 {
            for letters in alphabets(&in_base64(bytes, offset)) {
                add(letters, sign, Form::Base64(offset));
            }
        }
    }
    for bytes in ZLIB {
        // A string in a serialized value, in JSON or in SQL.
        add([b"\"", &bytes[..]].concat(), Sign::Stream, Form::Plain);
        // All digits are small or none: `78DA`.
        for upper in [false, true] {
            add(in_hex(&bytes, upper), Sign::Stream, Form::Hex);
        }
        add(in_base64(&bytes, 0), Sign::Stream, Form::Base64(0));
    }
    #[expect(clippy::expect_used, reason = "the signs are few and short")]
    let finder = AhoCorasick::new(&patterns).expect("a finder of short signs");
    (finder, meanings)
});

fn in_hex(bytes: &[u8], upper: bool) -> Vec<u8> {
    bytes.iter().flat_map(|byte| digits(*byte, upper)).collect()
}

/// Returns the letters of base64 that bytes make sure, behind `offset` bytes of their group of three.
fn in_base64(bytes: &[u8], offset: usize) -> Vec<u8> {
    let mut padded = vec![0; offset];
    padded.extend(bytes);
    let sure = padded.len() * 8 / 6;
    STANDARD_NO_PAD.encode(&padded).into_bytes()[lead(offset)..sure].to_vec()
}

/// Returns letters in both alphabets (RFC 4648, 4 and 5), and as JSON may escape them.
fn alphabets(letters: &[u8]) -> BTreeSet<Vec<u8>> {
    let safe = letters.iter().map(|letter| match letter {
        b'+' => b'-',
        b'/' => b'_',
        letter => *letter,
    });
    let escaped = letters.iter().flat_map(|letter| match letter {
        b'/' => &b"\\/"[..],
        letter => std::slice::from_ref(letter),
    });
    BTreeSet::from([letters.to_vec(), safe.collect(), escaped.copied().collect()])
}

/// Returns how many letters of a group of four are not sure, if so many bytes are before.
const fn lead(offset: usize) -> usize {
    match offset {
        0 => 0,
        offset => offset + 1,
    }
}

/// Returns the name of a packing of something in these bytes, if there is a sign of one.
///
/// # Errors
/// If the bytes cannot be read.
pub(crate) fn packed_within<S: Source>(source: &mut S) -> io::Result<Option<&'static str>> {
    match source.at(0, 2)? {
        // Of compress(1).
        [0x1f, 0x9d, ..] => return Ok(Some("compress")),
        [first, second, ..] if ZLIB.contains(&[*first, *second]) => return Ok(Some("zlib")),
        _ => {}
    }
    let (finder, meanings) = &*FINDER;
    let mut streams = Vec::new();
    let mut start = 0;
    while start < source.length() {
        let low = start.saturating_sub(LEAD_BYTES);
        let size = start - low + WINDOW_BYTES + TEXT_BYTES;
        let bytes = source.at(low, size)?;
        let bytes = &bytes[..bytes.len().min(size)];
        for found in finder.find_overlapping_iter(bytes) {
            let place = found.start();
            match meanings[found.pattern().as_usize()] {
                (Sign::Header(name), form) if has_header(name, form, bytes, place) => {
                    return Ok(Some(name));
                }
                (Sign::Header(_), _) => {}
                (Sign::Stream, form) if begins(form, bytes, place) => {
                    streams.push((form, low + place));
                }
                (Sign::Stream, _) => {}
            }
        }
        for (form, place) in streams.drain(..) {
            if is_stream(source, form, place)? {
                return Ok(Some("zlib"));
            }
        }
        start += WINDOW_BYTES;
    }
    Ok(None)
}

/// Returns whether the header of a format is at a sign.
fn has_header(name: &str, form: Form, bytes: &[u8], place: usize) -> bool {
    match form {
        Form::Plain => is_header(name, &bytes[place..]),
        Form::Hex => is_header(name, &unhex(&bytes[place..], SIGN_BYTES)),
        Form::Base64(offset) => {
            let Some(from) = start_of_group(bytes, place, lead(offset)) else {
                return false;
            };
            let letters = letters(&bytes[from..], (offset + SIGN_BYTES).div_ceil(3) * 4);
            // Another layer escaped a plus or a slash: the header cannot be read further.
            let behind = &bytes[bytes.len().min(from + letters.len())..];
            if offset == 0 && ESCAPED.iter().any(|escaped| behind.starts_with(escaped)) {
                return true;
            }
            let decoded = unbase64(&letters);
            let (_, magic) = SIGNS
                .iter()
                .find(|(of, _)| *of == name)
                .unwrap_or(&SIGNS[0]);
            decoded
                .get(offset..)
                .is_some_and(|header| header.starts_with(magic) && is_header(name, header))
        }
    }
}

/// Returns where a group begins of which so many letters stand before a place.
fn start_of_group(bytes: &[u8], place: usize, letters: usize) -> Option<usize> {
    let mut from = place;
    for _ in 0..letters {
        from = from.checked_sub(1)?;
        if from > 0 && bytes[from - 1] == b'\\' {
            from -= 1;
        }
    }
    Some(from)
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
        // The level, and the first block.
        ("bzip2", [_, _, _, b'1'..=b'9', rest @ ..]) => rest.starts_with(b"1AY&SY"),
        // APPNOTE.TXT, 4.4.3: the version needed is at most 6.3, of a system that is 0 to 19.
        ("ZIP", [_, _, _, _, version, system, ..]) => *version <= 63 && *system <= 19,
        ("gzip" | "Zstandard" | "bzip2" | "ZIP", _) => false,
        _ => true,
    }
}

/// Returns whether a text begins at a place, as far as its form tells.
fn begins(form: Form, bytes: &[u8], place: usize) -> bool {
    let before = place.checked_sub(1).map(|place| bytes[place]);
    match form {
        Form::Plain => true,
        Form::Hex => before.is_none_or(|byte| !byte.is_ascii_hexdigit()),
        Form::Base64(_) => before.is_none_or(|byte| base64_letter(byte).is_none()),
    }
}

/// Returns whether a stream of zlib begins at a sign: it unpacks to its end, or far enough.
fn is_stream<S: Source>(source: &mut S, form: Form, place: usize) -> io::Result<bool> {
    let bytes = source.at(place, STREAM_BYTES)?;
    let bytes = &bytes[..bytes.len().min(STREAM_BYTES)];
    let packed = match form {
        // Without the quote.
        Form::Plain => bytes.get(1..).unwrap_or_default().to_vec(),
        Form::Hex => unhex(bytes, STREAM_BYTES),
        Form::Base64(_) => unbase64(&letters(bytes, STREAM_BYTES)),
    };
    let mut stream = Decompress::new(true);
    let mut unpacked = [0; 4096];
    loop {
        let (read, made) = (stream.total_in(), stream.total_out());
        let rest = usize::try_from(read)
            .ok()
            .and_then(|read| packed.get(read..));
        let status = stream.decompress(
            rest.unwrap_or_default(),
            &mut unpacked,
            FlushDecompress::None,
        );
        match status {
            Ok(Status::StreamEnd) => return Ok(true),
            Ok(_) if stream.total_out() >= UNPACKED_BYTES => return Ok(true),
            Ok(_) if (read, made) != (stream.total_in(), stream.total_out()) => {}
            Ok(_) | Err(_) => return Ok(false),
        }
    }
}

/// Returns the bytes of pairs of digits, at most so many.
fn unhex(text: &[u8], most: usize) -> Vec<u8> {
    let pairs = text.chunks_exact(2).take(most);
    pairs
        .map_while(|pair| Some((nibble(pair[0])? << 4) | nibble(pair[1])?))
        .collect()
}

fn nibble(digit: u8) -> Option<u8> {
    u8::try_from(char::from(digit).to_digit(16)?).ok()
}

/// Returns letters of base64, at most so many, in the standard alphabet. JSON may escape their slashes.
fn letters(text: &[u8], most: usize) -> Vec<u8> {
    let letters = text.iter().filter(|byte| **byte != b'\\');
    letters
        .map_while(|byte| base64_letter(*byte))
        .take(most)
        .collect()
}

fn base64_letter(byte: u8) -> Option<u8> {
    match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b'+' | b'/' => Some(byte),
        byte => byte.is_ascii_alphanumeric().then_some(byte),
    }
}

/// Returns the bytes of whole letters.
fn unbase64(letters: &[u8]) -> Vec<u8> {
    // A group of one letter holds no byte, and the bits behind the last whole byte may be any.
    let whole = letters.len() / 4 * 4;
    let mut bytes = STANDARD_NO_PAD
        .decode(&letters[..whole])
        .unwrap_or_default();
    let mut rest = letters[whole..].to_vec();
    let count = rest.len().saturating_sub(1);
    rest.resize(4, b'A');
    let rest = STANDARD_NO_PAD.decode(&rest).unwrap_or_default();
    bytes.extend(rest.iter().take(count));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    fn within(bytes: &[u8]) -> Option<&'static str> {
        packed_within(&mut Memory(bytes)).unwrap()
    }

    const GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";

    /// What zlib makes of this much text.
    fn stream(text: &[u8]) -> Vec<u8> {
        let mut packed = Vec::with_capacity(text.len() + 64);
        let mut zlib = flate2::Compress::new(flate2::Compression::default(), true);
        zlib.compress_vec(text, &mut packed, flate2::FlushCompress::Finish)
            .unwrap();
        packed
    }

    #[test]
    fn signs_are_found_in_base64_and_in_digits() {
        use base64::engine::general_purpose::URL_SAFE;
        let headers: [(&[u8], &str); 7] = [
            (b"\x1f\x8b\x08\0\xff\xfe\xfb\x65\x02\x03", "gzip"),
            (b"\x28\xb5\x2f\xfd\x24", "Zstandard"),
            (b"\xfd7zXZ\0\0", "xz"),
            (b"BZh9\x31\x41\x59\x26\x53\x59", "bzip2"),
            (b"7z\xbc\xaf\x27\x1c\0", "7-Zip"),
            (b"PK\x03\x04\x14\0", "ZIP"),
            (b"Rar!\x1a\x07\x01\0", "RAR"),
        ];
        for (sign, name) in headers {
            let long = WINDOW_BYTES / 4 * 3 - 1;
            let befores = [0, 1, 2, 3, 301, long];
            for before in &befores[..befores.len() - usize::from(name != "gzip")] {
                let bytes = [&vec![b'a'; *before], sign, b" of more"].concat();
                let standard = base64::engine::general_purpose::STANDARD.encode(&bytes);
                for text in [
                    URL_SAFE.encode(&bytes),
                    format!("{{\"a\":\"{}\"}}", standard.replace('/', "\\/")),
                    standard,
                    String::from_utf8(in_hex(&bytes, false)).unwrap(),
                    format!("x'{}'", String::from_utf8(in_hex(&bytes, true)).unwrap()),
                ] {
                    assert_eq!(within(text.as_bytes()), Some(name), "{name} at {before}");
                }
            }
        }
        let gzip = STANDARD_NO_PAD.encode(headers[0].0);
        let percent = gzip.replace('/', "%2F").replace('+', "%2B");
        assert_ne!(percent, gzip);
        assert_eq!(within(percent.as_bytes()), Some("gzip"));
    }

    #[test]
    fn streams_of_zlib_are_found_where_a_text_begins() {
        let packed = stream(b"http://old.example/, http://old.example/a");
        let base64 = STANDARD_NO_PAD.encode(&packed);
        let digits = String::from_utf8(in_hex(&packed, false)).unwrap();
        for text in [
            base64.clone(),
            digits.clone(),
            format!("0x{}", digits.to_uppercase()),
        ] {
            for text in [format!("{text}=="), format!("a:1:{{i:0;s:9:\"{text}\";}}")] {
                assert_eq!(within(text.as_bytes()), Some("zlib"), "{text}");
            }
            // As in the middle of a picture.
            let text = text.trim_start_matches("0x");
            assert_eq!(within(format!("ab{text}").as_bytes()), None, "{text}");
        }
        let string = [b"s:40:\"", &packed[..], b"\";"].concat();
        assert_eq!(within(&string), Some("zlib"));
        assert_eq!(within(&[b"IDAT", &packed[..]].concat()), None);
        let long: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(
            within(STANDARD_NO_PAD.encode(stream(&long)).as_bytes()),
            Some("zlib")
        );
    }

    #[test]
    fn drawn_words_and_digests_are_no_signs() {
        let mut state = 1_u64;
        let mut text = Vec::new();
        while text.len() < 1 << 20 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let word = (state >> 11).to_le_bytes();
            text.extend(STANDARD_NO_PAD.encode(word).bytes());
            text.push(b' ');
            text.extend(in_hex(&word, state & 1 == 0));
            text.push(b'"');
        }
        assert_eq!(within(&text), None);
        for word in [
            "eJxsome+words",
            "eNothing",
            "789c",
            "#78da01",
            "\"x\u{9c}later",
        ] {
            assert_eq!(within(word.as_bytes()), None, "{word}");
        }
    }

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
            b"H4sI is how base64 of gzip begins, and H4sIAAAA does, too",
            b"H4sI&amp; H4sI%20",
            b"1f8b08 is how its digits begin, and 3.14159265359 has some",
            b"if (substr($head, 0, 2) == \"\\x1f\\x8b\") { // gzip",
        ] {
            assert_eq!(within(text), None, "{text:?}");
        }
    }
}
