//! Layers between single quotes: strings of PHP as `var_export` writes them, and literals of SQL.
//!
//! Their values show no escape near a length, as `"` is written as it is, so only both quotes and an
//! escape between them say that a layer may be there. Prose has that, too, so the text between
//! the quotes is read as it is as well: the layer is one if more lengths are right in it.

use std::io;

use crate::escape::NUL;
use crate::layer::Layer;
use crate::source::Source;

/// How much is searched at once.
const WINDOW_BYTES: usize = 64 << 10;
/// The longest run of `\` or of quotes that is counted: eight levels of `\\` have 255.
const RUN_BYTES: usize = 256;

/// Returns the part around `place` from quote to quote, if it has both, and an escape of the layer.
pub(crate) fn around<S: Source>(
    layer: Layer,
    source: &mut S,
    (low, place, end): (usize, usize, usize),
) -> io::Result<Quoted> {
    let Some(start) = begin(layer, source, low, place)? else {
        return Ok(Quoted::Open(low));
    };
    let Some(stop) = finish(layer, source, place, end)? else {
        return Ok(Quoted::None(end));
    };
    Ok(match has_escape(layer, source, start, stop)? {
        true => Quoted::Part(start, stop),
        false => Quoted::None(stop),
    })
}

/// What is around a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoted {
    Part(usize, usize),
    /// No part, up to here.
    None(usize),
    /// Nothing opens one, from here on.
    Open(usize),
}

/// Returns where the part begins, behind its quote.
fn begin<S: Source>(
    layer: Layer,
    source: &mut S,
    low: usize,
    place: usize,
) -> io::Result<Option<usize>> {
    let mut to = place;
    while to > low {
        let from = to.saturating_sub(WINDOW_BYTES).max(low);
        let window = &source.at(from, to - from)?[..to - from];
        let Some(at) = memchr::memrchr(b'\'', window).map(|at| from + at) else {
            to = from;
            continue;
        };
        if layer == Layer::Doubled {
            let length = run_before(source, low, at + 1, b'\'')?;
            to = at + 1 - length;
            if length % 2 == 1 {
                // The first one of them opens it.
                return Ok(Some(to + 1));
            }
            continue;
        }
        let nul = (at + 1).saturating_sub(NUL.len());
        if layer == Layer::Single && nul >= low && source.at(nul, NUL.len())?.starts_with(NUL) {
            to = nul;
        } else if run_before(source, low, at, b'\\')? % 2 == 0 {
            return Ok(Some(at + 1));
        } else {
            to = at;
        }
    }
    Ok(None)
}

/// Returns where the part ends, before its quote.
fn finish<S: Source>(
    layer: Layer,
    source: &mut S,
    place: usize,
    end: usize,
) -> io::Result<Option<usize>> {
    let mut position = place;
    while position < end {
        let Some((at, mark)) = next_mark(layer, source, position, end)? else {
            break;
        };
        position = at;
        let rest = source.at(position, RUN_BYTES)?;
        let rest = &rest[..rest.len().min(RUN_BYTES).min(end - position)];
        if layer == Layer::Doubled {
            let length = rest.iter().take_while(|byte| **byte == b'\'').count();
            position += length;
            if length % 2 == 1 {
                return Ok(Some(position - 1));
            }
        } else if mark == b'\\' {
            position += 2;
        } else if layer == Layer::Single && rest.starts_with(NUL) {
            position += NUL.len();
        } else {
            return Ok(Some(position));
        }
    }
    Ok(None)
}

/// Returns the next quote, or `\` in layers that escape with it: where it is, and which.
fn next_mark<S: Source>(
    layer: Layer,
    source: &mut S,
    mut from: usize,
    end: usize,
) -> io::Result<Option<(usize, u8)>> {
    while from < end {
        let size = WINDOW_BYTES.min(end - from);
        let window = &source.at(from, size)?[..size];
        let found = match layer {
            Layer::Doubled => memchr::memchr(b'\'', window),
            _ => memchr::memchr2(b'\'', b'\\', window),
        };
        if let Some(at) = found {
            return Ok(Some((from + at, window[at])));
        }
        from += size;
    }
    Ok(None)
}

/// Returns how often a byte stands before a place.
fn run_before<S: Source>(source: &mut S, low: usize, place: usize, byte: u8) -> io::Result<usize> {
    let size = RUN_BYTES.min(place - low);
    let before = &source.at(place - size, size)?[..size];
    Ok(before.iter().rev().take_while(|one| **one == byte).count())
}

/// Returns whether a part has an escape of the layer. What MySQL's literals share with PHP's strings
/// is read as PHP's.
fn has_escape<S: Source>(
    layer: Layer,
    source: &mut S,
    start: usize,
    stop: usize,
) -> io::Result<bool> {
    let mut position = start;
    while position < stop {
        let Some((at, mark)) = next_mark(layer, source, position, stop)? else {
            break;
        };
        if mark == b'\'' {
            return Ok(layer != Layer::Literal);
        }
        position = at;
        let next = source.at(position, 2)?.get(1).copied();
        let is_common = matches!(next, Some(b'\\' | b'\''));
        if is_common == (layer == Layer::Single) {
            return Ok(true);
        }
        position += 2;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    #[test]
    fn a_part_reaches_from_quote_to_quote() {
        for (layer, text, wanted) in [
            (Layer::Single, r"x 'a\'@\\' y", Some(r"a\'@\\")),
            (Layer::Single, r"\\'a@\\\'b'", Some(r"a@\\\'b")),
            (
                Layer::Single,
                r#"'' . "\0" . 'a@' . "\0" . '' . "\0" . 'b', 'c'"#,
                Some(r#"' . "\0" . 'a@' . "\0" . '' . "\0" . 'b"#),
            ),
            (Layer::Literal, r"'a\n@\'', ''", Some(r"a\n@\'")),
            (Layer::Doubled, r"'x','a''@''b','y'", Some("a''@''b")),
            (Layer::Doubled, r"'x','''@''','y'", Some("''@''")),
            // What a layer does not escape, and what has one quote only.
            (Layer::Single, r"'a@\n'", None),
            (Layer::Literal, r"'a@\''", None),
            (Layer::Doubled, r"'a@\n'", None),
            (Layer::Single, r"'a\'@", None),
            (Layer::Doubled, "a''@'", None),
        ] {
            let place = text.find('@').unwrap();
            let mut source = Memory(text.as_bytes());
            let found = around(layer, &mut source, (0, place, text.len())).unwrap();
            let found = match found {
                Quoted::Part(start, stop) => Some(&text[start..stop]),
                _ => None,
            };
            assert_eq!(found, wanted, "{layer:?} {text}");
        }
    }
}
