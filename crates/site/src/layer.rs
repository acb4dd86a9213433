//! Layers within a text, which nothing announces: JSON in a text, a part of an address, an attribute
//! of HTML, a field of CSV, a string of PHP or a literal of SQL (`quoted`).
//!
//! Around a place, a layer reaches as far as nothing stands there that it would have escaped: JSON
//! from quote to quote, HTML from `<` or `>` to the next. Whether text in between is really written in
//! that layer, the walker sees by decoding it.

use std::io;

use crate::escape::Escape;
use crate::source::Source;

/// How much is searched at once.
const WINDOW_BYTES: usize = 64 << 10;
/// The longest run of `\` or of quotes that is counted.
const RUN_BYTES: usize = 64;

/// How far behind its digits the escape of a length may begin.
const LENGTH_BYTES: usize = 16;

/// A layer within a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    Percent,
    Entity,
    Json,
    Csv,
    Hex,
    /// A string of PHP in single quotes.
    Single,
    /// A literal of SQL in which `\` escapes, too.
    Literal,
    /// A literal of SQL in which only a quote is escaped: it is doubled.
    Doubled,
}

/// All of them, those first that escape what the others use.
pub(crate) const LAYERS: [Layer; 8] = [
    Layer::Percent,
    Layer::Entity,
    Layer::Json,
    Layer::Csv,
    Layer::Hex,
    Layer::Single,
    Layer::Literal,
    Layer::Doubled,
];

/// Those between single quotes, which the length of a value inside need not show: its own quotes are
/// written as they are.
pub(crate) const QUOTED: [Layer; 3] = [Layer::Single, Layer::Literal, Layer::Doubled];

impl Layer {
    /// Returns how it quotes.
    pub(crate) fn escape(self) -> Escape {
        match self {
            Layer::Percent => Escape::Percent,
            Layer::Entity => Escape::Entity,
            Layer::Json => Escape::Json,
            Layer::Csv => Escape::Quote {
                quote: b'"',
                backslash: false,
            },
            Layer::Hex => Escape::Hex,
            Layer::Single => Escape::Single,
            Layer::Literal | Layer::Doubled => Escape::Quote {
                quote: b'\'',
                backslash: self == Layer::Literal,
            },
        }
    }

    /// Returns whether it reaches from one single quote to the next.
    pub(crate) fn is_quoted(self) -> bool {
        QUOTED.contains(&self)
    }

    /// Returns the bytes that its escapes begin with; none if there is nothing but escapes.
    fn leads(self) -> Option<(u8, u8)> {
        match self {
            Layer::Percent => Some((b'%', b'+')),
            Layer::Entity => Some((b'&', b'&')),
            Layer::Json => Some((b'\\', b'\\')),
            Layer::Csv => Some((b'"', b'"')),
            Layer::Hex | Layer::Single | Layer::Literal | Layer::Doubled => None,
        }
    }

    /// Returns where the last thing in a window ends that cannot be in it, not looking at the first
    /// bytes.
    fn after_last(self, window: &[u8], skip: usize, is_cut: bool) -> Option<usize> {
        let found = match self {
            Layer::Percent => window[skip..].iter().rposition(|byte| !is_uri(*byte)),
            Layer::Hex => {
                let mut bytes = window[skip..].iter();
                bytes.rposition(|byte| !byte.is_ascii_hexdigit())
            }
            Layer::Entity => memchr::memrchr2(b'<', b'>', &window[skip..]),
            // `quoted` looks for these.
            Layer::Single | Layer::Literal | Layer::Doubled => None,
            Layer::Json => {
                let mut end = window.len();
                loop {
                    let at = memchr::memrchr(b'"', &window[skip..end])?;
                    let before = &window[..skip + at];
                    if run(before.iter().rev(), b'\\') % 2 == 0 {
                        break Some(at);
                    }
                    end = skip + at;
                }
            }
            Layer::Csv => {
                let mut end = window.len();
                loop {
                    let at = memchr::memrchr(b'"', &window[skip..end])? + skip;
                    let length = run(window[..=at].iter().rev(), b'"');
                    let is_open = is_cut && at + 1 == window.len();
                    let first = at + 1 - length;
                    if length % 2 == 1 && !is_open {
                        // The first one of them begins the field.
                        return Some(first + 1);
                    }
                    if first <= skip {
                        return None;
                    }
                    end = first;
                }
            }
        };
        found.map(|at| skip + at + 1)
    }

    /// Returns where the first thing in a window is that cannot be in it.
    fn first(self, window: &[u8]) -> First {
        let found = match self {
            Layer::Percent => window.iter().position(|byte| !is_uri(*byte)),
            Layer::Hex => window.iter().position(|byte| !byte.is_ascii_hexdigit()),
            Layer::Entity => memchr::memchr2(b'<', b'>', window),
            Layer::Single | Layer::Literal | Layer::Doubled => None,
            Layer::Json => {
                let mut at = 0;
                loop {
                    let Some(next) = memchr::memchr2(b'"', b'\\', &window[at..]) else {
                        break None;
                    };
                    at += next;
                    match (window[at], at + 1 == window.len()) {
                        (b'"', _) => break Some(at),
                        (_, true) => return First::After(at),
                        (_, false) => at += 2,
                    }
                    if at >= window.len() {
                        break None;
                    }
                }
            }
            Layer::Csv => {
                let mut at = 0;
                loop {
                    let Some(next) = memchr::memchr(b'"', &window[at..]) else {
                        break None;
                    };
                    at += next;
                    let length = run(window[at..].iter(), b'"');
                    if at + length == window.len() && length < RUN_BYTES {
                        return First::After(at);
                    }
                    if length % 2 == 1 {
                        break Some(at + length - 1);
                    }
                    at += length;
                }
            }
        };
        found.map_or(First::After(window.len()), First::At)
    }

    /// Returns where the part around `place` begins that may be in this layer, not before `low`.
    pub(crate) fn begin<S: Source>(
        self,
        source: &mut S,
        low: usize,
        place: usize,
    ) -> io::Result<usize> {
        let mut to = place;
        while to > low {
            let from = to.saturating_sub(WINDOW_BYTES).max(low);
            let skip = RUN_BYTES.min(from - low);
            let size = to - from + skip;
            let window = &source.at(from - skip, size)?[..size];
            if let Some(at) = self.after_last(window, skip, to != place) {
                return Ok(from - skip + at);
            }
            to = from;
        }
        Ok(low)
    }

    /// Returns where the part around `place` ends, not behind `end`.
    pub(crate) fn end<S: Source>(
        self,
        source: &mut S,
        place: usize,
        end: usize,
    ) -> io::Result<usize> {
        let mut position = place;
        while position < end {
            let size = WINDOW_BYTES.min(end - position);
            let window = &source.at(position, size)?[..size];
            match self.first(window) {
                First::At(at) => return Ok(position + at),
                First::After(at) if position + size == end => {
                    // Quotes at the end: the last of an odd number ends the field.
                    let rest = run(window[at..].iter(), b'"');
                    return Ok(end - usize::from(self == Layer::Csv && rest % 2 == 1));
                }
                First::After(at) => position += at.max(1),
            }
        }
        Ok(end)
    }

    /// Returns whether a part has an escape of it.
    pub(crate) fn is_in<S: Source>(
        self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<bool> {
        let mut position = start;
        while position < end {
            let size = WINDOW_BYTES.min(end - position);
            let window = &source.at(position, size)?[..size];
            let Some((lead, other)) = self.leads() else {
                return Ok(true);
            };
            if memchr::memchr2(lead, other, window).is_some() {
                return Ok(true);
            }
            position += size;
        }
        Ok(false)
    }
}

/// Returns where the last thing of a part is that may belong to a length in any layer: an escape behind
/// digits, with nothing between but what other layers write there.
pub(crate) fn last_length<S: Source>(
    source: &mut S,
    start: usize,
    end: usize,
) -> io::Result<Option<usize>> {
    let mut to = end;
    while to > start {
        let from = to.saturating_sub(WINDOW_BYTES).max(start);
        let skip = LENGTH_BYTES.min(from - start);
        let size = to - from + skip;
        let window = &source.at(from - skip, size)?[..size];
        let is_length = |at: &usize| {
            let mut before = window[..*at].iter().rev().take(LENGTH_BYTES);
            let last = before.find(|byte| byte.is_ascii_alphanumeric());
            last.is_some_and(u8::is_ascii_digit)
        };
        let found = memchr::memrchr3_iter(b'\\', b'%', b'&', window).find(is_length);
        // Two quotes are one in CSV; one of them is no escape.
        let doubled = match memchr::memmem::find(window, b"\"\"") {
            None => None,
            Some(_) => memchr::memrchr_iter(b'"', window)
                .filter(|at| window.get(at + 1) == Some(&b'"'))
                .find(is_length),
        };
        let found = found.max(doubled);
        if let Some(at) = found {
            return Ok(Some(from - skip + at));
        }
        to = from;
    }
    Ok(None)
}

/// Where the first thing is that ends a part.
enum First {
    At(usize),
    /// Not before this place.
    After(usize),
}

fn run<'a>(bytes: impl Iterator<Item = &'a u8>, byte: u8) -> usize {
    bytes.take_while(|one| **one == byte).count()
}

/// Returns whether a byte may stand in an address (RFC 3986, 2), or in what is percent-encoded.
fn is_uri(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"%-._~:/?#[]@!$&'()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    fn part(layer: Layer, text: &str) -> &str {
        let place = text.find('@').unwrap();
        let mut source = Memory(text.as_bytes());
        let start = layer.begin(&mut source, 0, place).unwrap();
        let end = layer.end(&mut source, place, text.len()).unwrap();
        &text[start..end]
    }

    #[test]
    fn a_layer_ends_where_it_would_have_escaped() {
        for (layer, text, wanted) in [
            (Layer::Json, r#"{"a":"b\"@\\","c"}"#, r#"b\"@\\"#),
            (Layer::Json, r#"\\"a\\\"@\"#, r#"a\\\"@\"#),
            (Layer::Percent, "x a%20@&b=c y", "a%20@&b=c"),
            (Layer::Entity, "<a b=\"&quot;@\" c>d", "a b=\"&quot;@\" c"),
            (Layer::Csv, r#""a","b ""@"" c","d""#, r#"b ""@"" c"#),
            (Layer::Csv, "\"\"\"@\"\"\"", "\"\"@\"\""),
            (Layer::Csv, "a,\"@\"\"", "@\"\""),
        ] {
            assert_eq!(part(layer, text), wanted, "{text}");
        }
    }
}
