//! Layers of quoting: how a text stands in another one, byte for byte.
//!
//! Each layer is a list of *units*: an escape, or one byte without. A unit stands for a few bytes of
//! the decoded text, whatever is around it, so a text can be decoded part by part, an edit of the
//! decoded text is one of the quoted text ([`Cursor`](crate::cursor::Cursor)), and a length that
//! counts decoded bytes is right again. What no escape is stands for itself, also a `\` or a `%`
//! before something else.

use std::io::{self, Write as _};
use std::ops::Range;

use crate::entities;
use crate::source::{DecodedText, Source};

/// How much is looked at at once.
pub(crate) const STEP_BYTES: usize = 64 << 10;
/// The longest decoded text that is kept in memory.
const KEPT_BYTES_MAX: usize = 1 << 20;
/// The longest escape, and the longest token.
pub(crate) const UNIT_BYTES_MAX: usize = 24;
/// How far another escape mostly is from the last one.
const NEAR_BYTES: usize = 32;
/// What of a CDATA section stands for nothing: where one ends and the next begins.
pub(crate) const SEAM: &[u8] = b"]]><![CDATA[";
/// How PHP's `var_export` writes a NUL: between two strings, in one of double quotes.
pub(crate) const NUL: &[u8] = b"' . \"\\0\" . '";

/// How a text is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Not at all.
    None,
    /// As a literal of SQL, or a field of CSV: a doubled quote is one, and maybe MySQL's `\` escapes.
    Quote { quote: u8, backslash: bool },
    /// As a field for MySQL's `LOAD DATA`: `\t`, `\n`, `\\`.
    Field,
    /// As a field of PostgreSQL's `COPY`: the same, and `\v`, `\134`, `\x5c`.
    Copy,
    /// As an `E'...'` of PostgreSQL.
    Extended,
    /// As the argument of `unistr`, in which SQLite dumps since 3.50
    /// (<https://www.sqlite.org/releaselog/3_50_0.html>), or a `U&'...'` of PostgreSQL: `\000a`,
    /// `\u000a`.
    Unistr,
    /// As the argument of SQLite's `replace`: a token stands for a byte.
    Token(Token),
    /// As a CDATA section: the seam of two stands for nothing.
    Cdata,
    /// As a string of JSON or JavaScript.
    Json,
    /// As a string of PHP in single quotes: `\\`, `\'`, and a NUL as `var_export` writes it.
    Single,
    /// As a part of an address: `%2F`, and `+` for a blank.
    Percent,
    /// As text of XML or HTML: `&quot;`, `&#34;`, `&#x22;`.
    Entity,
    /// As the content of PHP's `S`: `\2f`.
    Php,
    /// As hexadecimal digits, those of a `bytea` after `\x`.
    Hex,
}

/// A text that stands for a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    text: [u8; UNIT_BYTES_MAX],
    length: u8,
    byte: u8,
}

impl Token {
    /// Returns the token; `None` if it is empty or too long.
    pub(crate) fn new(token: &[u8], byte: u8) -> Option<Self> {
        let mut text = [0; UNIT_BYTES_MAX];
        text.get_mut(..token.len())?.copy_from_slice(token);
        (!token.is_empty()).then_some(Self {
            text,
            length: u8::try_from(token.len()).ok()?,
            byte,
        })
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text[..usize::from(self.length)]
    }

    pub(crate) fn byte(&self) -> u8 {
        self.byte
    }
}

/// What one escape, or one byte without, stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) raw: usize,
    bytes: [u8; 4],
    pub(crate) count: usize,
}

impl Unit {
    fn one(raw: usize, byte: u8) -> Self {
        Self {
            raw,
            bytes: [byte, 0, 0, 0],
            count: 1,
        }
    }

    fn of_character(raw: usize, character: char) -> Self {
        let mut bytes = [0; 4];
        let count = character.encode_utf8(&mut bytes).len();
        Self { raw, bytes, count }
    }

    fn none(raw: usize) -> Self {
        Self {
            raw,
            bytes: [0; 4],
            count: 0,
        }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}

impl Escape {
    /// Returns where the next byte is that may stand for something else.
    #[inline]
    pub(crate) fn plain(self, window: &[u8]) -> usize {
        // Most values are literals of MySQL.
        let special = match self {
            Escape::Quote {
                quote,
                backslash: true,
            } => find_either(window, quote, b'\\'),
            _ => self.special(window),
        };
        special.unwrap_or(window.len())
    }

    fn special(self, window: &[u8]) -> Option<usize> {
        match self {
            Escape::None => None,
            Escape::Quote { quote, .. } => memchr::memchr(quote, window),
            Escape::Extended | Escape::Single => find_either(window, b'\'', b'\\'),
            Escape::Field | Escape::Copy | Escape::Json | Escape::Php | Escape::Unistr => {
                find_near(window, b'\\', b'\\')
            }
            Escape::Percent => find_near(window, b'%', b'+'),
            Escape::Entity => find_near(window, b'&', b'&'),
            Escape::Token(token) => memchr::memchr(token.text[0], window),
            Escape::Cdata => memchr::memchr(SEAM[0], window),
            Escape::Hex => Some(0),
        }
    }

    /// Reads the escape at the beginning of a window.
    pub(crate) fn unit(self, window: &[u8]) -> Unit {
        let (first, second) = match *window {
            [first, second, ..] => (first, second),
            [first] => {
                let is_blank = self == Escape::Percent && first == b'+';
                return Unit::one(1, if is_blank { b' ' } else { first });
            }
            [] => return Unit::one(0, 0),
        };
        let special = match self {
            Escape::None => None,
            Escape::Quote { backslash, .. } if backslash && first == b'\\' => Some(of_sql(second)),
            Escape::Quote { .. } => Some(Unit::one(2, first)),
            Escape::Field => Some(of_sql(second)),
            Escape::Copy => Some(of_postgres(window)),
            Escape::Extended if first == b'\'' => Some(Unit::one(2, first)),
            Escape::Extended => Some(of_postgres(window)),
            Escape::Unistr => of_unistr(window),
            Escape::Token(token) => window
                .starts_with(token.text())
                .then(|| Unit::one(token.text().len(), token.byte)),
            Escape::Cdata => window.starts_with(SEAM).then(|| Unit::none(SEAM.len())),
            Escape::Json => of_json(window),
            Escape::Single if window.starts_with(NUL) => Some(Unit::one(NUL.len(), 0)),
            Escape::Single => {
                let is_escape = first == b'\\' && matches!(second, b'\\' | b'\'');
                is_escape.then(|| Unit::one(2, second))
            }
            Escape::Percent if first == b'+' => Some(Unit::one(1, b' ')),
            Escape::Percent | Escape::Php => hex(&window[1..], 2).map(|byte| Unit::one(3, byte)),
            Escape::Entity => {
                entities::read(window).map(|(raw, character)| Unit::of_character(raw, character))
            }
            Escape::Hex if first == b'\\' && second == b'x' => Some(Unit::none(2)),
            Escape::Hex => hex(window, 2).map(|byte| Unit::one(2, byte)),
        };
        special.unwrap_or_else(|| Unit::one(1, first))
    }

    /// Appends decoded text.
    pub(crate) fn decode(self, quoted: &[u8], out: &mut Vec<u8>) {
        if let Escape::Quote {
            quote,
            backslash: true,
        } = self
        {
            return decode_sql(quoted, quote, out);
        }
        let mut rest = quoted;
        while !rest.is_empty() {
            let plain = self.plain(rest);
            out.extend_from_slice(&rest[..plain]);
            rest = &rest[plain..];
            if !rest.is_empty() {
                let unit = self.unit(rest);
                out.extend_from_slice(unit.as_slice());
                rest = &rest[unit.raw..];
            }
        }
    }

    /// Decodes a part of a text; into a file without a name if it is long.
    pub(crate) fn keep<S: Source>(
        self,
        source: &mut S,
        part: Range<usize>,
    ) -> io::Result<DecodedText> {
        if part.len() <= STEP_BYTES {
            let mut text = Vec::with_capacity(part.len());
            self.decode(&source.at(part.start, part.len())?[..part.len()], &mut text);
            return Ok(DecodedText::Memory(text));
        }
        let mut kept = tempfile::SpooledTempFile::new(KEPT_BYTES_MAX);
        let (mut position, mut text, mut length) = (part.start, Vec::new(), 0);
        while position < part.end {
            let size = STEP_BYTES.min(part.end - position);
            let window = &source.at(position, size)?[..size];
            let cut = match position + size == part.end {
                true => size,
                false => self.whole(window),
            };
            text.clear();
            self.decode(&window[..cut], &mut text);
            kept.write_all(&text)?;
            length += text.len();
            position += cut;
        }
        Ok(DecodedText::new(kept, length))
    }

    /// Returns how much of a part can be decoded without the rest: up to the last escape, which may
    /// go on.
    fn whole(self, part: &[u8]) -> usize {
        let mut position = 0;
        loop {
            let plain = self.plain(&part[position..]);
            position += plain;
            let rest = &part[position..];
            if rest.len() < UNIT_BYTES_MAX {
                return position;
            }
            position += self.unit(rest).raw.min(rest.len());
        }
    }

    /// Returns whether decoding changes nothing.
    pub(crate) fn is_plain(self, quoted: &[u8]) -> bool {
        self.plain(quoted) == quoted.len()
    }

    /// Returns whether every text can be written so that it is read again, whatever is around it.
    pub(crate) fn is_closed(self) -> bool {
        matches!(
            self,
            Escape::None | Escape::Quote { .. } | Escape::Field | Escape::Copy | Escape::Extended
        )
    }
}

/// Eight times the same byte.
fn spread(byte: u8) -> u64 {
    u64::from(byte) * 0x0101_0101_0101_0101
}

/// Marks the bytes of a word that are zero; exact up to and with the first one.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080
}

/// Returns how many bytes of a word come before the first of two bytes.
#[inline]
fn before_either(word: u64, one: u64, other: u64) -> Option<usize> {
    let marks = zeros(word ^ one) | zeros(word ^ other);
    (marks != 0).then(|| (marks.trailing_zeros() / 8) as usize)
}

/// Returns where the first of two bytes is. Escapes are close to each other, and the call of a
/// vectorised search takes longer than the search.
#[inline]
fn find_either(text: &[u8], one: u8, other: u8) -> Option<usize> {
    let (ones, others) = (spread(one), spread(other));
    let (words, rest) = text.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        if let Some(before) = before_either(u64::from_le_bytes(*word), ones, others) {
            return Some(index * 8 + before);
        }
    }
    let found = rest.iter().position(|byte| *byte == one || *byte == other);
    found.map(|at| words.len() * 8 + at)
}

/// Returns where the first of two bytes is, which may be near or far away.
#[inline]
fn find_near(text: &[u8], one: u8, other: u8) -> Option<usize> {
    let (near, far) = text.split_at(text.len().min(NEAR_BYTES));
    if let Some(at) = find_either(near, one, other) {
        return Some(at);
    }
    if far.is_empty() {
        return None;
    }
    memchr::memchr2(one, other, far).map(|at| near.len() + at)
}

/// Appends a decoded literal, eight bytes at a time: no escape is shorter than what it stands for.
fn decode_sql(quoted: &[u8], quote: u8, out: &mut Vec<u8>) {
    let first = out.len();
    out.resize(first + quoted.len() + 8, 0);
    let target = &mut out[first..];
    let (ones, others) = (spread(quote), spread(b'\\'));
    let (mut from, mut to) = (0, 0);
    while let Some(word) = quoted[from..].first_chunk::<8>() {
        target[to..to + 8].copy_from_slice(word);
        let Some(before) = before_either(u64::from_le_bytes(*word), ones, others) else {
            from += 8;
            to += 8;
            continue;
        };
        from += before;
        to += before;
        let Some(&[first, second]) = quoted[from..].first_chunk::<2>() else {
            break;
        };
        let byte = match (first == b'\\', SQL[usize::from(second)]) {
            (true, 0) if second == b'%' || second == b'_' => {
                target[to] = b'\\';
                to += 1;
                second
            }
            (true, byte) => byte,
            (false, _) => first,
        };
        target[to] = byte;
        from += 2;
        to += 1;
    }
    let escape = Escape::Quote {
        quote,
        backslash: true,
    };
    while from < quoted.len() {
        let rest = &quoted[from..];
        let is_special = rest[0] == quote || rest[0] == b'\\';
        let unit = match is_special {
            true => escape.unit(rest),
            false => Unit::one(1, rest[0]),
        };
        for byte in unit.as_slice() {
            target[to] = *byte;
            to += 1;
        }
        from += unit.raw;
    }
    out.truncate(first + to);
}

/// What the byte after a `\` stands for; 0 where the `\` stays, and for `0`.
const SQL: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b'0' | b'%' | b'_' | 0 => 0,
            b'b' => 8,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'Z' => 0x1a,
            other => other,
        };
        if byte == 255 {
            break;
        }
        byte += 1;
    }
    table
};

/// Returns what `\` and a byte stand for in MySQL's literals; `\%` and `\_` stay as they are.
fn of_sql(byte: u8) -> Unit {
    match byte {
        b'%' | b'_' => Unit {
            raw: 2,
            bytes: [b'\\', byte, 0, 0],
            count: 2,
        },
        _ => Unit::one(2, SQL[usize::from(byte)]),
    }
}

/// Returns the control character that `\` and a letter stand for in PostgreSQL and in JSON.
fn control(letter: u8) -> Option<u8> {
    Some(match letter {
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    })
}

/// Reads an escape of PostgreSQL, of `COPY` or of `E'...'`
/// (<https://www.postgresql.org/docs/current/sql-copy.html>, "Text Format").
fn of_postgres(window: &[u8]) -> Unit {
    let byte = match window[1] {
        b'v' => 11,
        first @ b'0'..=b'7' => {
            let digits = window[1..].iter().take(3);
            let digits = digits.take_while(|digit| (b'0'..=b'7').contains(digit));
            let (count, value) = digits.fold((0, 0_u32), |(count, sum), digit| {
                (count + 1, sum * 8 + u32::from(digit - b'0'))
            });
            // Three digits may be more than a byte, of which it takes the lower bits.
            let value = u8::try_from(value & 255).unwrap_or(first);
            return Unit::one(1 + count, value);
        }
        b'x' => {
            let digits = window[2..].iter().take(2);
            let count = digits.take_while(|digit| digit.is_ascii_hexdigit()).count();
            return match hex(&window[2..], count) {
                Some(byte) if count > 0 => Unit::one(2 + count, byte),
                _ => Unit::one(2, b'x'),
            };
        }
        // Only of E'...'; what follows in `COPY` is no letter of a program's output.
        b'u' | b'U' => {
            let count = if window[1] == b'u' { 4 } else { 8 };
            let found = number(&window[2..], count).and_then(char::from_u32);
            return found.map_or(Unit::one(2, window[1]), |character| {
                Unit::of_character(2 + count, character)
            });
        }
        other => control(other).unwrap_or(other),
    };
    Unit::one(2, byte)
}

/// Reads an escape of JSON or JavaScript; `None` if it is none.
fn of_json(window: &[u8]) -> Option<Unit> {
    let byte = match window[1] {
        byte @ (b'"' | b'\'' | b'\\' | b'/') => byte,
        b'u' => return of_unicode(window),
        b'x' => {
            let code = number(&window[2..], 2)?;
            return Some(Unit::of_character(4, char::from_u32(code)?));
        }
        // As PHP's `addslashes` writes it.
        b'0' if !window.get(2).is_some_and(u8::is_ascii_digit) => 0,
        letter => control(letter)?,
    };
    Some(Unit::one(2, byte))
}

fn of_unicode(window: &[u8]) -> Option<Unit> {
    let unit = |from: usize| {
        let digits = number(window.get(from..)?, 4)?;
        u16::try_from(digits).ok()
    };
    let first = unit(2)?;
    let (raw, units) = match char::from_u32(u32::from(first)) {
        Some(_) => (6, [first, 0]),
        None if window.get(6..8) == Some(b"\\u") => (12, [first, unit(8)?]),
        None => return None,
    };
    let character = char::decode_utf16(units).next()?.ok()?;
    Some(Unit::of_character(raw, character))
}

/// Reads `\\`, `\000a`, `\+00000a`, `\u000a` or `\U0000000a`.
fn of_unistr(window: &[u8]) -> Option<Unit> {
    let (skip, count) = match window[1] {
        b'\\' => return Some(Unit::one(2, b'\\')),
        b'+' => (2, 6),
        b'u' => (2, 4),
        b'U' => (2, 8),
        _ => (1, 4),
    };
    let code = number(window.get(skip..)?, count)?;
    Some(Unit::of_character(skip + count, char::from_u32(code)?))
}

/// Reads so many hexadecimal digits.
fn number(window: &[u8], count: usize) -> Option<u32> {
    let digits = window.get(..count)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u32::from_str_radix(text, 16).ok()
}

fn hex(window: &[u8], count: usize) -> Option<u8> {
    number(window, count).and_then(|value| u8::try_from(value).ok())
}
