//! Writes text into a layer, each character in the way in which the layer has it already.

use crate::escape::{Escape, NUL, SEAM, Token, UNIT_BYTES_MAX};

/// How many bytes of a layer are looked at for its ways of writing.
pub(crate) const LEARNT_BYTES: usize = 64 << 10;

/// How a layer writes characters of ASCII, from what stands in it: first what an edit replaces, then
/// the rest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Style {
    seen: Vec<(u8, [u8; UNIT_BYTES_MAX], usize)>,
    /// Whether digits above 9 are capital letters.
    upper: Option<bool>,
    /// Whether other characters are escaped.
    unicode: Option<bool>,
}

impl Style {
    /// Learns from quoted text; what is known already stays.
    pub(crate) fn learn(&mut self, escape: Escape, quoted: &[u8]) {
        let mut rest = quoted;
        while !rest.is_empty() {
            let plain = escape.plain(rest).min(rest.len());
            for byte in rest[..plain].iter().filter(|byte| is_sign(**byte)) {
                self.see(*byte, &[*byte]);
            }
            if !rest[..plain].is_ascii() {
                self.unicode.get_or_insert(false);
            }
            rest = &rest[plain..];
            if rest.is_empty() {
                break;
            }
            let unit = escape.unit(rest);
            let raw = &rest[..unit.raw.min(rest.len())];
            if raw.len() > 1 {
                let letter = raw.iter().rev().find(|byte| {
                    matches!(byte, b'a'..=b'f' | b'A'..=b'F') && raw.len() > 2
                        || matches!(escape, Escape::Hex) && byte.is_ascii_alphabetic()
                });
                if let Some(letter) = letter {
                    self.upper.get_or_insert(letter.is_ascii_uppercase());
                }
            }
            match *unit.as_slice() {
                [byte] if byte.is_ascii() => self.see(byte, raw),
                [] | [_] => {}
                _ => {
                    self.unicode.get_or_insert(true);
                }
            }
            rest = &rest[raw.len().max(1)..];
        }
    }

    fn see(&mut self, byte: u8, raw: &[u8]) {
        if self.way(byte).is_none() && raw.len() <= UNIT_BYTES_MAX {
            let mut way = [0; UNIT_BYTES_MAX];
            way[..raw.len()].copy_from_slice(raw);
            self.seen.push((byte, way, raw.len()));
        }
    }

    fn way(&self, byte: u8) -> Option<&[u8]> {
        let found = self.seen.iter().find(|(known, ..)| *known == byte);
        found.map(|(_, way, length)| &way[..*length])
    }

    /// Takes what another one knows beyond this. A `&` between two parts of an address says nothing of
    /// one within a part.
    pub(crate) fn take(&mut self, escape: Escape, other: &Self) {
        let is_told = |length: usize| length > 1 || escape != Escape::Percent;
        for (byte, way, length) in other.seen.iter().filter(|(.., length)| is_told(*length)) {
            self.see(*byte, &way[..*length]);
        }
        self.upper = self.upper.or(other.upper);
        self.unicode = self.unicode.or(other.unicode);
    }

    /// Returns whether a way to write each sign of a text is known.
    pub(crate) fn knows(&self, text: &[u8]) -> bool {
        let signs = text.iter().filter(|byte| is_sign(**byte));
        text.is_ascii() && signs.clone().all(|byte| self.way(*byte).is_some())
    }
}

/// Returns whether a layer may write a byte in several ways; those that none escapes are none.
fn is_sign(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"-._~".contains(&byte)
}

impl Escape {
    /// Appends quoted text.
    pub(crate) fn encode(self, text: &[u8], style: &Style, out: &mut Vec<u8>) {
        match self {
            Escape::None => out.extend_from_slice(text),
            Escape::Quote { quote, backslash } => {
                for &byte in text {
                    encode_sql(byte, quote, backslash, out);
                }
            }
            Escape::Cdata => encode_cdata(text, out),
            Escape::Json if style.unicode == Some(true) && !text.is_ascii() => {
                encode_unicode(text, style, out);
            }
            _ => {
                for &byte in text {
                    self.encode_byte(byte, style, out);
                }
            }
        }
    }

    fn encode_byte(self, byte: u8, style: &Style, out: &mut Vec<u8>) {
        // An escape that was seen is right anywhere; a byte that stood for itself is not if what
        // follows can make it an escape.
        let is_right = |way: &&[u8]| way != &[byte] || self.is_free(byte);
        if let Some(way) = style.way(byte).filter(is_right) {
            out.extend_from_slice(way);
            return;
        }
        let upper = style.upper;
        match (self, byte) {
            (Escape::Hex, _) => out.extend(digits(byte, upper.unwrap_or(false))),
            (Escape::Field, b'\t') => out.extend(b"\\t"),
            (Escape::Field, b'\n') => out.extend(b"\\n"),
            (Escape::Field, 0) => out.extend(b"\\0"),
            (Escape::Copy | Escape::Extended, _) => encode_postgres(self, byte, out),
            (Escape::Field | Escape::Unistr, b'\\') => out.extend(b"\\\\"),
            (Escape::Token(token), _) => encode_token(&token, byte, out),
            (Escape::Json, b'"' | b'\\') | (Escape::Single, b'\'' | b'\\') => {
                out.extend([b'\\', byte]);
            }
            (Escape::Single, 0) => out.extend(NUL),
            (Escape::Unistr | Escape::Json, 0..32) => out.extend(format!("\\u{byte:04x}").bytes()),
            (Escape::Percent, _) if !self.is_free(byte) || self.is_packed(byte, style) => {
                out.push(b'%');
                out.extend(digits(byte, upper.unwrap_or(true)));
            }
            (Escape::Entity, b'&') => out.extend(b"&amp;"),
            (Escape::Entity, b'<') => out.extend(b"&lt;"),
            (Escape::Entity, b'>') => out.extend(b"&gt;"),
            (Escape::Entity, b'"') => out.extend(b"&quot;"),
            (Escape::Entity, b'\'') => out.extend(b"&#039;"),
            (Escape::Php, b'\\' | 128..) => {
                out.push(b'\\');
                out.extend(digits(byte, upper.unwrap_or(false)));
            }
            _ => out.push(byte),
        }
    }

    /// Returns whether a byte can stand for itself.
    fn is_free(self, byte: u8) -> bool {
        match self {
            Escape::Percent => {
                byte.is_ascii_alphanumeric() || b"-_.~:/?#[]@!$&'()*,;=".contains(&byte)
            }
            Escape::Entity => byte != b'&' && byte != b'<',
            Escape::Json => byte != b'\\' && byte != b'"',
            Escape::Single => !matches!(byte, b'\'' | b'\\' | 0),
            Escape::Php | Escape::Unistr | Escape::Field => byte != b'\\',
            Escape::Copy | Escape::Extended | Escape::Hex | Escape::Token(_) => false,
            _ => true,
        }
    }

    /// Returns whether a sign that was not seen is percent-encoded: unless another sign of
    /// addresses stands there as it is.
    fn is_packed(self, byte: u8, style: &Style) -> bool {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            return false;
        }
        let is_open = |sign: &u8| style.way(*sign).is_some_and(|way| way.len() == 1);
        !b"/:".iter().any(is_open)
    }
}

/// Returns a byte in hexadecimal digits.
pub(crate) fn digits(byte: u8, upper: bool) -> [u8; 2] {
    let digits: &[u8; 16] = match upper {
        true => b"0123456789ABCDEF",
        false => b"0123456789abcdef",
    };
    [
        digits[usize::from(byte >> 4)],
        digits[usize::from(byte & 15)],
    ]
}

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

fn encode_postgres(escape: Escape, byte: u8, out: &mut Vec<u8>) {
    match byte {
        8 => out.extend(b"\\b"),
        9 => out.extend(b"\\t"),
        10 => out.extend(b"\\n"),
        11 if escape == Escape::Copy => out.extend(b"\\v"),
        12 => out.extend(b"\\f"),
        13 => out.extend(b"\\r"),
        b'\\' => out.extend(b"\\\\"),
        b'\'' if escape == Escape::Extended => out.extend(b"''"),
        _ => out.push(byte),
    }
}

fn encode_token(token: &Token, byte: u8, out: &mut Vec<u8>) {
    match byte == token.byte() {
        true => out.extend_from_slice(token.text()),
        false => out.push(byte),
    }
}

/// A section ends at `]]>`, so one that holds it is two.
fn encode_cdata(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"]]>") {
        out.extend_from_slice(&rest[..at + 2]);
        out.extend_from_slice(SEAM);
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
}

/// Writes characters beyond ASCII as `\u` escapes, as PHP does by default.
fn encode_unicode(text: &[u8], style: &Style, out: &mut Vec<u8>) {
    for part in text.utf8_chunks() {
        for character in part.valid().chars() {
            if let Some(byte) = u8::try_from(character).ok().filter(u8::is_ascii) {
                Escape::Json.encode_byte(byte, style, out);
                continue;
            }
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out.extend(match style.upper {
                    Some(true) => format!("\\u{unit:04X}").into_bytes(),
                    _ => format!("\\u{unit:04x}").into_bytes(),
                });
            }
        }
        out.extend_from_slice(part.invalid());
    }
}
