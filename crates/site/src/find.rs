//! Finds the next place that may be an address in any form, or text in base64 with one, and remembers
//! what was searched: it is asked again before each token of a value.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::pairs::{Hit, Pairs};
use crate::source::Source;
use crate::steps::Steps;

/// How much is searched at once.
const WINDOW_BYTES: usize = 256 << 10;
/// The longest text in base64 that is decoded in memory.
pub(crate) const INNER_BYTES_MAX: usize = 16 << 20;
/// The most bytes before a position that decide whether an address begins there.
pub(crate) const BEHIND_BYTES: usize = 128;
/// Decoding takes so many times longer than a search.
const DECODE_COST: usize = 4;

/// A search that was made: nothing lies between `from` and the found place.
#[derive(Debug, Clone, Copy)]
struct Searched<T> {
    from: usize,
    found: Option<T>,
}

impl<T: Copy> Searched<T> {
    /// Returns whether it answers for `from`; `start` returns where a found one begins.
    fn holds(&self, from: usize, start: impl Fn(T) -> usize) -> bool {
        self.from <= from && self.found.is_none_or(|found| start(found) >= from)
    }
}

/// Returns the first of something in a window that begins at a place or later.
type Next = fn(&Pairs, &[u8], usize) -> Option<Hit>;

/// Searches of one kind.
#[derive(Debug, Default)]
struct Memo {
    whole: Option<Searched<Hit>>,
    /// The same in a part that ends here, where a hit reaches over its end.
    in_part: Option<(usize, Searched<Hit>)>,
}

impl Memo {
    fn find<S: Source>(
        &mut self,
        source: &mut S,
        (pairs, next): (&Pairs, Next),
        (from, end): (usize, usize),
        steps: &mut Steps,
    ) -> io::Result<Option<Hit>> {
        let found = match self.whole {
            Some(known) if known.holds(from, |hit| hit.start) => known.found,
            _ => {
                let length = source.length();
                let found = search(source, (pairs, next), (from, length), steps)?;
                self.whole = Some(Searched { from, found });
                found
            }
        };
        match found {
            Some(hit) if hit.start >= end => Ok(None),
            // It reaches over the end of this part; another one may not.
            Some(hit) if hit.end > end => match self.in_part {
                Some((part, known)) if part == end && known.holds(from, |hit| hit.start) => {
                    Ok(known.found)
                }
                _ => {
                    let found = search(source, (pairs, next), (from, end), steps)?;
                    self.in_part = Some((end, Searched { from, found }));
                    Ok(found)
                }
            },
            found => Ok(found),
        }
    }
}

/// A text in base64 that was looked into.
#[derive(Debug, Clone, Copy)]
struct Packed {
    start: usize,
    stop: usize,
    has_address: bool,
    /// Whether it ends by itself on both sides, and not with the part that was asked for.
    is_whole: bool,
}

/// What was searched in a text so far.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    plain: Memo,
    core: Memo,
    base64: Option<Searched<usize>>,
    packed: Option<Packed>,
}

/// A place that may be an address, or text in base64 with one in it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AddressCandidate {
    Core(Hit),
    Base64(usize, usize),
}

impl AddressCandidate {
    /// Returns where it lies.
    pub(crate) fn range(&self) -> (usize, usize) {
        match self {
            AddressCandidate::Core(hit) => (hit.start, hit.end),
            AddressCandidate::Base64(start, end) => (*start, *end),
        }
    }
}

impl Finder {
    /// Returns the first place that may be an address, or text in base64 with one, within a part.
    pub(crate) fn find<S: Source>(
        &mut self,
        source: &mut S,
        pairs: &Pairs,
        (from, end): (usize, usize),
        steps: &mut Steps,
    ) -> io::Result<Option<AddressCandidate>> {
        let core = self
            .core
            .find(source, (pairs, Pairs::next_core), (from, end), steps)?;
        let until = core.map_or(end, |hit| hit.start);
        let packed = self.base64(source, pairs, (from, until, end), steps)?;
        Ok(match packed {
            Some((start, stop)) => Some(AddressCandidate::Base64(start, stop)),
            None => core.map(AddressCandidate::Core),
        })
    }

    /// Returns the first address within a part that is written as it is.
    pub(crate) fn plain<S: Source>(
        &mut self,
        source: &mut S,
        pairs: &Pairs,
        (from, end): (usize, usize),
        steps: &mut Steps,
    ) -> io::Result<Option<Hit>> {
        self.plain
            .find(source, (pairs, Pairs::find), (from, end), steps)
    }

    /// Returns the range of the first text in base64 with an address that begins before `until`.
    fn base64<S: Source>(
        &mut self,
        source: &mut S,
        pairs: &Pairs,
        (from, until, end): (usize, usize, usize),
        steps: &mut Steps,
    ) -> io::Result<Option<(usize, usize)>> {
        let mut position = from;
        loop {
            let known = match self.base64 {
                Some(known) if known.holds(position, |at| at) => known,
                _ => Searched {
                    from: position,
                    found: search_base64(source, pairs, position, steps)?,
                },
            };
            self.base64 = Some(known);
            let Some(at) = known.found.filter(|at| *at < until) else {
                return Ok(None);
            };
            let packed = self.packed(source, pairs, (position, at, end), steps)?;
            if packed.has_address {
                return Ok(Some((packed.start, packed.stop)));
            }
            position = packed.stop.max(at + 1);
            if packed.is_whole {
                // A search from further left goes past it, too.
                let found = search_base64(source, pairs, position, steps)?;
                self.base64 = Some(Searched { found, ..known });
            }
        }
    }

    /// Looks into the text in base64 around a place.
    fn packed<S: Source>(
        &mut self,
        source: &mut S,
        pairs: &Pairs,
        (from, at, end): (usize, usize, usize),
        steps: &mut Steps,
    ) -> io::Result<Packed> {
        let is_it = |known: &Packed| {
            (known.start..known.stop).contains(&at) && known.start >= from && known.stop <= end
        };
        if let Some(known) = self.packed.filter(is_it) {
            return Ok(known);
        }
        let (start, stop) = base64_around(source, from, at, end)?;
        steps.bytes(stop - start);
        let before = source.at(start.saturating_sub(1), 1)?.first().copied();
        let begins = start == 0 || !before.is_some_and(|byte| is_letter(&byte) || byte == b'=');
        let after = source.at(stop, 1)?.first().copied();
        let ends = !after.is_some_and(|byte| is_letter(&byte) || byte == b'=');
        // Only a part of it, which is written in another layer: `\/` is a `/` in JSON.
        let is_cut = |byte: Option<u8>| byte.is_some_and(|byte| matches!(byte, b'\\' | b'%'));
        let is_cut = is_cut(after.filter(|_| stop < end)) || (start > from && is_cut(before));
        let mut has_address = true;
        if stop - start <= INNER_BYTES_MAX && !is_cut {
            steps.bytes((stop - start) * DECODE_COST);
            let window = source.at(start, stop - start)?;
            has_address = holds_address(&window[..stop - start], pairs);
        }
        let packed = Packed {
            start,
            stop,
            has_address,
            is_whole: begins && ends,
        };
        self.packed = Some(packed).filter(|packed| packed.is_whole);
        Ok(packed)
    }
}

/// Returns whether text in base64 holds an address, in whatever form.
fn holds_address(packed: &[u8], pairs: &Pairs) -> bool {
    let Ok(text) = STANDARD.decode(packed) else {
        return false;
    };
    let mut position = 0;
    while let Some(core) = pairs.next_core(&text, position) {
        if pairs.may_be_escaped(&text, &core) || pairs.find(&text, position).is_some() {
            return true;
        }
        position = core.start + 1;
    }
    pairs.next_base64(&text, 0).is_some()
}

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Returns the first hit from a position on.
fn search<S: Source>(
    source: &mut S,
    (pairs, next): (&Pairs, Next),
    (from, end): (usize, usize),
    steps: &mut Steps,
) -> io::Result<Option<Hit>> {
    let mut position = from;
    while position < end {
        let behind = position.min(BEHIND_BYTES);
        let start = position - behind;
        let want = (WINDOW_BYTES + pairs.context()).min(end - start);
        let window = source.at(start, want)?;
        let window = &window[..window.len().min(end - start)];
        let is_last = start + window.len() >= end;
        let hit = next(pairs, window, behind);
        steps.bytes(hit.map_or(window.len(), |hit| hit.end) - behind);
        let safe = window.len().saturating_sub(pairs.context());
        match hit {
            Some(hit) if is_last || hit.start < safe => {
                return Ok(Some(Hit {
                    start: hit.start + start,
                    end: hit.end + start,
                    ..hit
                }));
            }
            _ if is_last => return Ok(None),
            _ => position = start + safe.max(behind + 1),
        }
    }
    Ok(None)
}

/// Returns the first place from a position on that may be an address in base64.
fn search_base64<S: Source>(
    source: &mut S,
    pairs: &Pairs,
    from: usize,
    steps: &mut Steps,
) -> io::Result<Option<usize>> {
    let length = source.length();
    let mut position = from;
    while position < length {
        let want = (WINDOW_BYTES + 2 * pairs.context()).min(length - position);
        let window = source.at(position, want)?;
        let found = pairs.next_base64(window, 0);
        steps.bytes(found.unwrap_or(window.len()));
        if let Some(at) = found {
            return Ok(Some(position + at));
        }
        if position + window.len() >= length {
            return Ok(None);
        }
        position += (window.len().saturating_sub(2 * pairs.context())).max(1);
    }
    Ok(None)
}

/// Returns the range of the text in base64 around a place, with whole groups of four.
fn base64_around<S: Source>(
    source: &mut S,
    from: usize,
    at: usize,
    end: usize,
) -> io::Result<(usize, usize)> {
    let mut start = at;
    while start > from {
        let before = start.saturating_sub(WINDOW_BYTES).max(from);
        let window = &source.at(before, start - before)?[..start - before];
        let letters = window.iter().rev().take_while(|byte| is_letter(byte));
        let letters = letters.count();
        start -= letters;
        if letters < window.len() {
            break;
        }
    }
    let mut stop = at;
    while stop < end {
        let size = WINDOW_BYTES.min(end - stop);
        let window = &source.at(stop, size)?[..size];
        let letters = window.iter().take_while(|byte| is_letter(byte)).count();
        stop += letters;
        if letters < size {
            break;
        }
    }
    let size = 2.min(end - stop);
    let padding = source.at(stop, size)?[..size].iter();
    let padding = padding.take_while(|byte| **byte == b'=').count();
    Ok((start, stop + padding))
}
