//! A string of JSON within a text, decoded once however many values begin in it.

use std::io;
use std::ops::Range;

use crate::escape::{Cursor, Escape};
use crate::pairs::Pairs;
use crate::source::{Kept, Source};
use crate::walk::Walker;

/// How much is searched at once.
const WINDOW_BYTES: usize = 256 << 10;

/// A string of JSON, from the first value that was looked for in it.
#[derive(Debug)]
pub(crate) struct JsonString<'p> {
    /// Where it lies in the text around it, up to its quote.
    raw: Range<usize>,
    /// The end of the part in which it was looked for.
    end: usize,
    pub(crate) escape: Escape,
    pub(crate) decoded: Kept,
    /// The last value that began in it.
    pub(crate) cursor: Cursor,
    /// Makes the edits of its values.
    pub(crate) walker: Walker<'p>,
}

impl<'p> JsonString<'p> {
    /// Decodes the rest of the string around `start`.
    pub(crate) fn new<S: Source>(
        (pairs, depth): (&'p Pairs, usize),
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<Self> {
        let (stop, slash) = quote_after(source, start, end)?;
        let escape = Escape::Json { slash };
        let decoded = escape.keep(source, start..stop)?;
        let mut walker = Walker::at_depth(pairs, depth);
        walker.begin(decoded.length());
        Ok(Self {
            raw: start..stop,
            end,
            escape,
            decoded,
            cursor: Cursor::at(start),
            walker,
        })
    }

    /// Returns whether a place of a part that ends at `end` lies in it.
    pub(crate) fn holds(&self, start: usize, end: usize) -> bool {
        self.end == end && self.raw.contains(&start)
    }

    /// Goes to a place, and returns it in the decoded text; `None` inside an escape.
    pub(crate) fn go<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
    ) -> io::Result<Option<usize>> {
        self.cursor.decoded_of(source, self.escape, start)
    }
}

/// Returns where the quote of a string of JSON is, or the end, and whether a `/` is written `\/`.
fn quote_after<S: Source>(source: &mut S, start: usize, end: usize) -> io::Result<(usize, bool)> {
    let (mut position, mut slash) = (start, false);
    while position < end {
        let window = source.at(position, WINDOW_BYTES.min(end - position))?;
        let window = &window[..window.len().min(end - position)];
        let mut at = 0;
        while let Some(found) = memchr::memchr2(b'"', b'\\', window.get(at..).unwrap_or_default()) {
            at += found;
            if window[at] == b'"' {
                return Ok((position + at, slash));
            }
            if at + 1 == window.len() {
                break;
            }
            slash |= window[at + 1] == b'/';
            at += 2;
        }
        // A `\` that ends the window is looked at again, with what it escapes.
        let is_cut = at < window.len() && window[at] == b'\\' && at + 1 == window.len();
        match is_cut && position + window.len() < end {
            true => position += at,
            false => position += window.len(),
        }
    }
    Ok((end, slash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    #[test]
    fn a_string_ends_at_its_quote() {
        let end = |text: &[u8]| quote_after(&mut Memory(text), 0, text.len()).unwrap();
        assert_eq!(end(br#"a\"b" c"#), (4, false));
        assert_eq!(end(br#"a\/b" c"#), (4, true));
        assert_eq!(end(br#"a\\" c"#), (3, false));
        assert_eq!(end(br#"a\\/b"#), (5, false));
        assert_eq!(end(br"a\"), (2, false));
    }
}
