//! Signs that bytes hold something packed: a dump in a backup, an archive behind a script, a cache.
//!
//! A search finds no text that is packed, so bytes without a hit may still hold an address. A
//! sign is the beginning that a format demands, with as much of its header as is fixed, so that it
//! hardly ever stands in pictures by chance: at least 37 bits.
//!
//! A sign counts as it is, in base64 at each of three offsets, and in hexadecimal digits: dumps and
//! caches keep packed bytes in all three. Other layers may escape the plus and the slash of base64.
//! Streams of zlib and of compress(1) have a sign of two bytes, which pictures and drawn ids hold, too.
//! So they count where a text begins, and only if what follows can be unpacked.

use std::collections::BTreeSet;
use std::io;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use flate2::{Decompress, FlushDecompress, Status};

use crate::encode::digits;
use crate::source::Source;

/// How much is searched at once.
const WINDOW_BYTES: usize = 1 << 20;
/// The most bytes of a sign, with the fixed part of its header.
const SIGN_BYTES: usize = 21;
/// The most bytes of an escaped letter.
const LETTER_BYTES: usize = 6;
/// The most bytes of a sign as text: in base64, with each letter escaped.
const TEXT_BYTES: usize = (2 + SIGN_BYTES).div_ceil(3) * 4 * LETTER_BYTES;
/// How much stands before what a sign makes sure: three letters of base64, each of them escaped.
const LEAD_BYTES: usize = 3 * LETTER_BYTES;
/// How much of a stream is unpacked to see that it is one.
const STREAM_BYTES: usize = 64 << 10;
/// So many bytes come out of nothing but a stream.
const UNPACKED_BYTES: u64 = 1 << 10;

/// Names and first bytes.
const SIGNS: [(&str, &[u8]); 10] = [
    ("gzip", b"\x1f\x8b\x08"),
    ("Zstandard", b"\x28\xb5\x2f\xfd"),
    ("xz", b"\xfd7zXZ\0"),
    ("bzip2", b"BZh"),
    ("7-Zip", b"7z\xbc\xaf\x27\x1c"),
    ("ZIP", b"PK\x03\x04"),
    ("RAR", b"Rar!\x1a\x07"),
    ("LZ4", b"\x04\x22\x4d\x18"),
    ("lzip", b"LZIP\x01"),
    ("lzop", b"\x89LZO\0\r\n\x1a\n"),
];
/// The first bytes of a stream of zlib (RFC 1950): the method, and both as a number are a multiple of
/// 31.
const ZLIB: [[u8; 2]; 4] = [[0x78, 0x01], [0x78, 0x5e], [0x78, 0x9c], [0x78, 0xda]];
/// How many codes of compress(1) are checked, and how many bytes they take.
const CODES: usize = 16;
const CODES_BYTES: usize = CODES * 9 / 8;
/// The most bytes of a block of Zstandard (RFC 8878, 3.1.1.2.4).
const BLOCK_BYTES_MAX: u32 = 128 << 10;

/// How a plus and a slash of base64 are written: in both alphabets (RFC 4648, 4 and 5), and as JSON,
/// addresses and entities escape them.
const STYLES: [[&str; 2]; 11] = [
    ["+", "/"],
    ["-", "_"],
    ["+", "\\/"],
    ["%2B", "%2F"],
    ["%2b", "%2f"],
    ["&#43;", "&#47;"],
    ["&#x2B;", "&#x2F;"],
    ["&#x2b;", "&#x2f;"],
    ["&plus;", "&sol;"],
    ["\\u002B", "\\u002F"],
    ["\\u002b", "\\u002f"],
];

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
            for letters in styled(&in_base64(bytes, offset)) {
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
    let finder = AhoCorasick::builder()
        // Chosen for at most 100 patterns only; these are 125, and short.
        .kind(Some(AhoCorasickKind::DFA))
        .build(&patterns)
        .expect("a finder of short signs");
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

/// Returns letters as each style writes them.
fn styled(letters: &[u8]) -> BTreeSet<Vec<u8>> {
    let write = |[plus, slash]: [&str; 2]| {
        let written = letters.iter().flat_map(move |letter| match letter {
            b'+' => plus.as_bytes().to_vec(),
            b'/' => slash.as_bytes().to_vec(),
            letter => vec![*letter],
        });
        written.collect()
    };
    STYLES.into_iter().map(write).collect()
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
    if is_compress(source.at(0, 3 + CODES_BYTES)?) {
        return Ok(Some("compress"));
    }
    // MySQL's COMPRESS() writes the length before the stream, in four bytes.
    for place in [0, 4] {
        let start = source.at(place, 2)?;
        let is_sign = ZLIB.iter().any(|sign| start.starts_with(sign));
        if is_sign && is_stream(source, Form::Plain, place)? {
            return Ok(Some("zlib"));
        }
    }
    if is_utf16(source.at(0, STREAM_BYTES)?) {
        return Ok(Some("UTF-16"));
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
                    // The stream is behind the quote.
                    streams.push((form, low + place + usize::from(form == Form::Plain)));
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
        let escaped = STYLES.as_flattened().iter().map(|form| form.as_bytes());
        let longest = escaped.filter(|form| bytes[..from].ends_with(form));
        from = from.checked_sub(longest.map(<[u8]>::len).max().unwrap_or(1))?;
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
        ("Zstandard", [_, _, _, _, descriptor, rest @ ..]) => is_frame(*descriptor, rest),
        // lz4_Frame_format.md: version 1, the largest block has the number 4 to 7, reserved bits are 0.
        ("LZ4", [_, _, _, _, flags, block, ..]) => flags & 0xc2 == 0x40 && block & 0xcf == 0x40,
        // The level, and the first block.
        ("bzip2", [_, _, _, b'1'..=b'9', rest @ ..]) => rest.starts_with(b"1AY&SY"),
        // APPNOTE.TXT, 4.4.3 and 4.4.5: the version needed is at most 6.3, of a system that is 0 to 19;
        // methods are numbered up to 20 and from 93 to 99.
        ("ZIP", [_, _, _, _, version, system, _, _, method, 0, ..]) => {
            *version <= 63 && *system <= 19 && matches!(method, 0..=20 | 93..=99)
        }
        ("gzip" | "Zstandard" | "LZ4" | "bzip2" | "ZIP", _) => false,
        _ => true,
    }
}

/// Returns whether a frame of Zstandard goes on behind its sign (RFC 8878, 3.1.1.1 and 3.1.1.2): its
/// reserved bit is 0, and its first block has a type and a size that blocks have.
fn is_frame(descriptor: u8, rest: &[u8]) -> bool {
    let is_single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size = match descriptor >> 6 {
        0 => usize::from(is_single),
        power => 1 << power,
    };
    let block = rest.get(usize::from(!is_single) + dictionary + size..);
    let Some([first, second, third, ..]) = block else {
        return false;
    };
    let header = u32::from_le_bytes([*first, *second, *third, 0]);
    descriptor & 8 == 0 && (header >> 1) & 3 != 3 && header >> 3 <= BLOCK_BYTES_MAX
}

/// Returns whether bytes begin as a text in UTF-16 with a byte order mark, and hold what may be a part
/// of an address: no finder reads it, and drawn ids begin with such a mark, too.
fn is_utf16(bytes: &[u8]) -> bool {
    let unit = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return false,
    };
    let bytes = &bytes[2..bytes.len().min(STREAM_BYTES)];
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let letters: Vec<char> = char::decode_utf16(units).map_while(Result::ok).collect();
    letters
        .windows(4)
        .any(|part| part.iter().all(char::is_ascii_graphic))
}

/// Returns whether bytes begin as compress(1) begins: a code names a byte or an earlier text, and the
/// first codes have 9 bits, the lowest first.
fn is_compress(bytes: &[u8]) -> bool {
    let [0x1f, 0x9d, flags, codes @ ..] = bytes else {
        return false;
    };
    let code = |index: usize| {
        let (byte, shift) = (index * 9 / 8, index * 9 % 8);
        let pair = [*codes.get(byte)?, *codes.get(byte + 1)?];
        Some(usize::from((u16::from_le_bytes(pair) >> shift) & 0x1ff))
    };
    let mut known = (0..CODES).map_while(code).enumerate();
    flags & 0x60 == 0
        && (9..=16).contains(&(flags & 0x1f))
        && known.all(|(index, code)| code <= 256 + index - usize::from(index == 0))
}

/// Returns whether a text begins at a place, as far as its form tells.
fn begins(form: Form, bytes: &[u8], place: usize) -> bool {
    let before = last(&bytes[..place]);
    match form {
        Form::Plain => true,
        Form::Hex => before.is_none_or(|byte| !byte.is_ascii_hexdigit()),
        Form::Base64(_) => before.is_none_or(|byte| base64_letter(byte).is_none()),
    }
}

/// Returns the last byte before a text, which an address or JSON may escape.
fn last(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [.., b'%', high, low] | [.., b'\\', b'u', b'0', b'0', high, low] => {
            let byte = nibble(*high).zip(nibble(*low));
            Some(byte.map_or(*low, |(high, low)| (high << 4) | low))
        }
        [.., b'\\', b'n' | b'r' | b't'] => Some(b'\n'),
        _ => bytes.last().copied(),
    }
}

/// Returns whether a stream of zlib begins at a place: it unpacks to its end, or far enough.
fn is_stream<S: Source>(source: &mut S, form: Form, place: usize) -> io::Result<bool> {
    let bytes = source.at(place, STREAM_BYTES)?;
    let bytes = &bytes[..bytes.len().min(STREAM_BYTES)];
    let packed = match form {
        Form::Plain => bytes.to_vec(),
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

/// Returns letters of base64, at most so many, in the standard alphabet, also if they are escaped.
fn letters(text: &[u8], most: usize) -> Vec<u8> {
    let mut letters = Vec::new();
    let mut rest = text;
    while letters.len() < most
        && let Some((letter, size)) = first_letter(rest)
    {
        letters.push(letter);
        rest = &rest[size..];
    }
    letters
}

/// Returns the letter at the beginning of a text, and how many bytes it takes.
fn first_letter(text: &[u8]) -> Option<(u8, usize)> {
    let first = *text.first()?;
    if let Some(letter) = base64_letter(first) {
        return Some((letter, 1));
    }
    // JSON in JSON escapes the backslashes, too.
    let slashes = text.iter().take_while(|byte| **byte == b'\\').count();
    let more = slashes.saturating_sub(1);
    let find = |[plus, slash]: &[&str; 2]| {
        let found = |form: &str| text[more..].starts_with(form.as_bytes());
        match (found(plus), found(slash)) {
            (true, _) => Some((b'+', more + plus.len())),
            (_, true) => Some((b'/', more + slash.len())),
            _ => None,
        }
    };
    STYLES.iter().find_map(find)
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
    const HEADERS: [(&[u8], &str); 10] = [
        (b"\x1f\x8b\x08\0\xff\xfe\xfb\x65\x02\x03", "gzip"),
        (b"\x28\xb5\x2f\xfd\x24\x09\x49\0\0", "Zstandard"),
        (b"\xfd7zXZ\0\0", "xz"),
        (b"BZh9\x31\x41\x59\x26\x53\x59", "bzip2"),
        (b"7z\xbc\xaf\x27\x1c\0", "7-Zip"),
        (b"PK\x03\x04\x14\0\0\0\x08\0", "ZIP"),
        (b"Rar!\x1a\x07\x01\0", "RAR"),
        (b"\x04\x22\x4d\x18\x64\x40\xa7", "LZ4"),
        (b"LZIP\x01\x0c", "lzip"),
        (b"\x89LZO\0\r\n\x1a\n\x10", "lzop"),
    ];
    /// What compress(1) makes of `http://old.example/`.
    const COMPRESS: &[u8] = b"\x1f\x9d\x90\x68\xe8\xd0\x81\xa3\xe3\xc5\x8b\x37\x6c\xc8\xb8\x28\x83\x27\x4c\x1b\x38\x6c\xca\xbc\0";

    /// Draws bytes, the same each time.
    fn drawn(state: &mut u64) -> [u8; 8] {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // The low bits of the state are worse than the high ones.
        (*state ^ (*state >> 32))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .to_be_bytes()
    }

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
        for (sign, name) in HEADERS {
            let long = WINDOW_BYTES / 4 * 3 - 1;
            let befores = [0, 1, 2, 3, 301, long];
            for before in &befores[..befores.len() - usize::from(name != "gzip")] {
                let bytes = [&vec![b'a'; *before], sign, b" of more"].concat();
                let standard = base64::engine::general_purpose::STANDARD.encode(&bytes);
                let styles = STYLES.map(|[plus, slash]| {
                    let parts = standard.split('+').map(|part| part.replace('/', slash));
                    format!("{{\"a\":\"{}\"}}", parts.collect::<Vec<_>>().join(plus))
                });
                let others = [
                    URL_SAFE.encode(&bytes),
                    standard.replace('/', "\\\\\\/"),
                    String::from_utf8(in_hex(&bytes, false)).unwrap(),
                    format!("x'{}'", String::from_utf8(in_hex(&bytes, true)).unwrap()),
                ];
                // Three backslashes are no style, so what needs them in a sign is not found.
                let count = if *before == long { 0 } else { STYLES.len() };
                for text in others.iter().chain(&styles[..count]) {
                    if text.contains("\\\\\\/") && name != "gzip" {
                        continue;
                    }
                    assert_eq!(
                        within(text.as_bytes()),
                        Some(name),
                        "{name} at {before}: {text:.99}"
                    );
                }
            }
        }
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
            for text in [
                format!("{text}=="),
                format!("a:1:{{i:0;s:9:\"{text}\";}}"),
                format!("s%3A9%3A%22{text}%22%3B"),
                format!("\\u0022{text}\\u0022"),
                format!("a\\n{text}"),
            ] {
                assert_eq!(within(text.as_bytes()), Some("zlib"), "{text}");
            }
            // As in the middle of a picture.
            let text = text.trim_start_matches("0x");
            assert_eq!(within(format!("ab{text}").as_bytes()), None, "{text}");
        }
        assert_eq!(within(&packed), Some("zlib"));
        // MySQL's COMPRESS().
        let with_length = [&41_u32.to_le_bytes(), &packed[..]].concat();
        assert_eq!(within(&with_length), Some("zlib"));
        let string = [b"s:40:\"", &packed[..], b"\";"].concat();
        assert_eq!(within(&string), Some("zlib"));
        assert_eq!(within(&[b"\0\0\0\x32IDAT", &packed[..]].concat()), None);
        let long: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(
            within(STANDARD_NO_PAD.encode(stream(&long)).as_bytes()),
            Some("zlib")
        );
    }

    #[test]
    fn drawn_words_and_digests_are_no_signs() {
        let mut state = 1;
        let mut text = Vec::new();
        while text.len() < 1 << 20 {
            let word = drawn(&mut state);
            text.extend(STANDARD_NO_PAD.encode(word).bytes());
            text.push(b' ');
            text.extend(in_hex(&word, word[0] & 1 == 0));
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

    /// A value of two drawn bytes in 16,000 began as a stream of zlib or compress(1) does, so a table
    /// of ids was never right.
    #[test]
    fn drawn_ids_are_nothing_packed() {
        let mut state = 1;
        for sign in ZLIB.iter().chain(&[[0x1f, 0x9d]]) {
            for size in [16, 32, 2000] {
                for _ in 0..300 {
                    let mut id: Vec<u8> = sign.to_vec();
                    while id.len() < size {
                        id.extend(drawn(&mut state));
                    }
                    assert_eq!(within(&id), None, "{id:x?}");
                    id.splice(..0, [0; 4]);
                    assert_eq!(within(&id), None, "{id:x?}");
                }
            }
        }
        for (text, expected) in [
            (&b"\xff\xfeh\0t\0t\0p\0"[..], Some("UTF-16")),
            (b"\xfe\xff\0h\0t\0t\0p", Some("UTF-16")),
            (b"\xff\xfe\xd1\x9e\x5a\xf7\xc7\xa2\x0b\xd1", None),
            (b"\xff\xfe\0", None),
        ] {
            assert_eq!(within(text), expected, "{text:x?}");
        }
        for text in [&b"x\xda lives here"[..], b"x^2 + 1", b"x\x01field", b"x"] {
            assert_eq!(within(text), None, "{text:?}");
        }
        // Letters of a picture in an address: 24 bits and an escape were a sign.
        for text in [
            "H4sI%2Baaaaaaaaaaaaaaaa",
            "QlpoOT%2Faaaaaaaaaaaaaaaa",
            "QlpoOT&#43;aaaaaaa",
        ] {
            assert_eq!(within(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn signs_are_found_anywhere() {
        for (sign, name) in HEADERS.into_iter().chain([(GZIP, "gzip")]) {
            for before in [0, 1, 512, WINDOW_BYTES - 3, 3 * WINDOW_BYTES + 5] {
                let mut bytes = vec![b'a'; before];
                bytes.extend(sign);
                assert_eq!(within(&bytes), Some(name), "{name} at {before}");
                bytes.extend(b"and more");
                assert_eq!(within(&bytes), Some(name), "{name} at {before}");
            }
        }
        assert_eq!(within(COMPRESS), Some("compress"));
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
            b"\x28\xb5\x2f\xfd\x08\x09\x49\0\0",
            b"\x28\xb5\x2f\xfd\x24",
            b"\x28\xb5\x2f\xfd\x24\x09\x46\0\0",
            b"\x28\xb5\x2f\xfd\x24\x09\x49\0\xf0",
            b"PK\x03\x04\x14\0\0\0\x08\x01",
            b"\x04\x22\x4d\x18\x66\x40",
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
