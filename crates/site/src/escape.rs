//! Quoting: decodes quoted text, and turns edits of the decoded text into edits of the quoted one.
//!
//! Only what is replaced is encoded again, so all other bytes stay as they were written, also
//! escapes that nobody needs (`\q`).

use std::io::{self, Write as _};
use std::ops::Range;

use crate::source::{Kept, Source};

/// How much is looked at at once.
const STEP_BYTES: usize = 64 << 10;
/// The longest decoded text that is kept in memory.
const KEPT_BYTES_MAX: usize = 1 << 20;

/// How a value is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Not at all.
    None,
    /// As a literal of SQL: a doubled quote is one, and maybe `\` escapes.
    Quote { quote: u8, backslash: bool },
    /// As a field for `LOAD DATA`: `\t`, `\n`, `\\`.
    Field,
    /// As a string of JSON; `/` may be written `\/`.
    Json { slash: bool },
    /// As hexadecimal digits.
    Hex { upper: bool },
}

/// A place of the text and what replaces it: a range of the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    text: (usize, usize),
}

/// Edits in the order of their places.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    pub(crate) list: Vec<Edit>,
    arena: Vec<u8>,
}

impl Edits {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.arena.clear();
    }

    pub(crate) fn push(&mut self, start: usize, end: usize, text: &[u8]) {
        let text = self.kept(self.list.len(), text);
        self.list.push(Edit { start, end, text });
    }

    pub(crate) fn text(&self, edit: &Edit) -> &[u8] {
        &self.arena[edit.text.0..edit.text.1]
    }

    /// Replaces the text of an edit.
    pub(crate) fn set(&mut self, index: usize, text: &[u8]) {
        self.list[index].text = self.kept(index, text);
    }

    /// Keeps the text of an edit. Most write the same length and the same address again and again,
    /// which are kept once.
    fn kept(&mut self, index: usize, text: &[u8]) -> (usize, usize) {
        let mut last = self.list[..index].iter().rev().take(2);
        if let Some(same) = last.find(|last| self.text(last) == text) {
            return same.text;
        }
        let from = self.arena.len();
        self.arena.extend_from_slice(text);
        (from, self.arena.len())
    }

    /// Returns a text with the edits made.
    pub(crate) fn apply(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len() + self.arena.len());
        let mut position = 0;
        for edit in &self.list {
            out.extend_from_slice(&text[position..edit.start]);
            out.extend_from_slice(self.text(edit));
            position = edit.end;
        }
        out.extend_from_slice(&text[position..]);
        out
    }
}

/// What one escape, or one byte without, stands for.
struct Unit {
    raw: usize,
    bytes: [u8; 4],
    count: usize,
}

impl Unit {
    fn one(raw: usize, byte: u8) -> Self {
        Self {
            raw,
            bytes: [byte, 0, 0, 0],
            count: 1,
        }
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}

impl Escape {
    /// Returns where the next byte is that may stand for something else.
    #[inline]
    fn plain(self, window: &[u8]) -> usize {
        let special = match self {
            Escape::None => None,
            Escape::Quote {
                quote,
                backslash: true,
            } => find_either(window, quote, b'\\'),
            Escape::Quote { quote, .. } => memchr::memchr(quote, window),
            Escape::Field | Escape::Json { .. } => memchr::memchr(b'\\', window),
            Escape::Hex { .. } => Some(0),
        };
        special.unwrap_or(window.len())
    }

    /// Reads the escape at the beginning of a window.
    fn unit(self, window: &[u8]) -> Unit {
        let (first, second) = match *window {
            [first, second, ..] => (first, second),
            [first] => return Unit::one(1, first),
            [] => return Unit::one(0, 0),
        };
        match self {
            Escape::None => Unit::one(1, first),
            Escape::Quote { backslash, .. } if backslash && first == b'\\' => of_sql(second),
            Escape::Quote { .. } => Unit::one(2, first),
            Escape::Field => of_sql(second),
            Escape::Json { .. } => of_json(window),
            Escape::Hex { .. } => {
                let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0);
                let byte = digit(first) * 16 + digit(second);
                Unit::one(2, u8::try_from(byte).unwrap_or(0))
            }
        }
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
    pub(crate) fn keep<S: Source>(self, source: &mut S, part: Range<usize>) -> io::Result<Kept> {
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
        Ok(Kept::new(kept, length))
    }

    /// Returns how much of a part can be decoded without the rest: up to the last escape, which may
    /// go on.
    fn whole(self, part: &[u8]) -> usize {
        // The longest one of JSON is a pair of surrogates, `\ud83d\ude00`.
        let longest = if matches!(self, Escape::Json { .. }) {
            12
        } else {
            2
        };
        let mut position = 0;
        loop {
            let plain = self.plain(&part[position..]);
            position += plain;
            let rest = &part[position..];
            if rest.len() < longest {
                return position;
            }
            position += self.unit(rest).raw.min(rest.len());
        }
    }

    /// Returns whether decoding changes nothing.
    pub(crate) fn is_plain(self, quoted: &[u8]) -> bool {
        self.plain(quoted) == quoted.len()
    }

    /// Appends quoted text.
    fn encode(self, text: &[u8], out: &mut Vec<u8>) {
        for &byte in text {
            match (self, byte) {
                (Escape::Hex { upper }, _) => {
                    let digits: &[u8; 16] = match upper {
                        true => b"0123456789ABCDEF",
                        false => b"0123456789abcdef",
                    };
                    out.push(digits[usize::from(byte >> 4)]);
                    out.push(digits[usize::from(byte & 15)]);
                }
                (Escape::Quote { quote, backslash }, _) => encode_sql(byte, quote, backslash, out),
                (Escape::Field, b'\t') => out.extend(b"\\t"),
                (Escape::Field, b'\n') => out.extend(b"\\n"),
                (Escape::Field, b'\\') => out.extend(b"\\\\"),
                (Escape::Field, 0) => out.extend(b"\\0"),
                (Escape::Json { slash: true }, b'/') => out.extend(b"\\/"),
                (Escape::Json { .. }, b'"' | b'\\') => out.extend([b'\\', byte]),
                (Escape::Json { .. }, 0..32) => {
                    out.extend(format!("\\u{byte:04x}").as_bytes());
                }
                _ => out.push(byte),
            }
        }
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

fn encode_sql(byte: u8, quote: u8, backslash: bool, out: &mut Vec<u8>) {
    match byte {
        _ if !backslash => {
            if byte == quote {
                out.push(byte);
            }
            out.push(byte);
        }
        0 => out.extend(b"\\0"),
        b'\n' => out.extend(b"\\n"),
        b'\r' => out.extend(b"\\r"),
        0x1a => out.extend(b"\\Z"),
        b'\\' | b'"' | b'\'' => out.extend([b'\\', byte]),
        _ => out.push(byte),
    }
}

/// Returns what `\` and a byte stand for in MySQL's literals; `\%` and `\_` stay as they are.
fn of_sql(byte: u8) -> Unit {
    let byte = match byte {
        b'0' => 0,
        b'b' => 8,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'Z' => 0x1a,
        b'%' | b'_' => {
            return Unit {
                raw: 2,
                bytes: [b'\\', byte, 0, 0],
                count: 2,
            };
        }
        other => other,
    };
    Unit::one(2, byte)
}

fn of_json(window: &[u8]) -> Unit {
    let byte = match window[1] {
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => return of_unicode(window).unwrap_or(Unit::one(1, b'\\')),
        other => other,
    };
    Unit::one(2, byte)
}

fn of_unicode(window: &[u8]) -> Option<Unit> {
    let unit = |from: usize| {
        let digits = window.get(from..from + 4)?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = unit(2)?;
    let (raw, units) = match char::from_u32(u32::from(first)) {
        Some(_) => (6, [first, 0]),
        None if window.get(6..8) == Some(b"\\u") => (12, [first, unit(8)?]),
        None => return None,
    };
    let character = char::decode_utf16(units).next()?.ok()?;
    let mut bytes = [0; 4];
    let count = character.encode_utf8(&mut bytes).len();
    Some(Unit { raw, bytes, count })
}

/// Follows decoded positions through quoted text.
#[derive(Debug, Default, Clone)]
pub(crate) struct Cursor {
    raw: usize,
    decoded: usize,
}

/// Where a decoded position is: before a byte of the quoted text, or inside an escape.
struct Spot {
    /// Where the escape begins, or the position itself.
    raw: usize,
    /// What of the escape comes before the position, and after it.
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Cursor {
    /// Goes over bytes that stand for themselves, at most `most`, or over one escape, which it
    /// returns.
    #[inline]
    fn step<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        most: usize,
    ) -> io::Result<Option<Unit>> {
        let window = source.at(self.raw, STEP_BYTES)?;
        let plain = escape.plain(&window[..window.len().min(most)]);
        if plain > 0 {
            self.raw += plain;
            self.decoded += plain;
            return Ok(None);
        }
        let unit = escape.unit(window);
        self.raw += unit.raw.max(1);
        self.decoded += unit.count;
        Ok(Some(unit))
    }

    /// Goes to a decoded position.
    fn go<S: Source>(&mut self, source: &mut S, escape: Escape, target: usize) -> io::Result<Spot> {
        while self.decoded < target {
            let start = self.raw;
            let unit = self.step(source, escape, target - self.decoded)?;
            if let Some(unit) = unit.filter(|_| self.decoded > target) {
                let (before, after) = unit
                    .as_slice()
                    .split_at(unit.count - (self.decoded - target));
                return Ok(Spot {
                    raw: start,
                    before: before.to_vec(),
                    after: after.to_vec(),
                });
            }
        }
        Ok(Spot {
            raw: self.raw,
            before: Vec::new(),
            after: Vec::new(),
        })
    }

    /// Begins at a place of the quoted text.
    pub(crate) fn at(raw: usize) -> Self {
        Self { raw, decoded: 0 }
    }

    /// Goes to a place of the quoted text, and returns the decoded position; `None` inside an
    /// escape.
    pub(crate) fn decoded_of<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        target: usize,
    ) -> io::Result<Option<usize>> {
        while self.raw < target {
            self.step(source, escape, target - self.raw)?;
        }
        Ok((self.raw == target).then_some(self.decoded))
    }

    /// Returns the quoted position of a decoded one that is inside no escape.
    pub(crate) fn raw_of<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        target: usize,
    ) -> io::Result<usize> {
        self.go(source, escape, target)?;
        Ok(self.raw)
    }

    /// Turns edits of the decoded text into edits of the quoted text.
    pub(crate) fn translate<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        edits: &Edits,
        out: &mut Edits,
    ) -> io::Result<()> {
        let mut quoted = Vec::new();
        for edit in &edits.list {
            quoted.clear();
            let place = self.quote(source, escape, edits, edit, &mut quoted)?;
            out.push(place.start, place.end, &quoted);
        }
        Ok(())
    }

    /// Returns what an edit of the decoded text replaces in the quoted text; appends the text that
    /// takes its place, quoted. Edits come in the order of their places.
    pub(crate) fn quote<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        edits: &Edits,
        edit: &Edit,
        quoted: &mut Vec<u8>,
    ) -> io::Result<Range<usize>> {
        let begin = match edit.start < self.decoded {
            // Two edits touch the same escape: the first one has written what lies between.
            true => self.raw,
            false => {
                let spot = self.go(source, escape, edit.start)?;
                escape.encode(&spot.before, quoted);
                spot.raw
            }
        };
        escape.encode(edits.text(edit), quoted);
        let spot = self.go(source, escape, edit.end)?;
        escape.encode(&spot.after, quoted);
        Ok(begin..self.raw)
    }
}
