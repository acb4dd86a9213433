//! What of a text lies in another layer, and what is found there.

use std::io;

use crate::cursor::Cursor;
use crate::escape::Escape;
use crate::grammar::Fault;
use crate::layer::{LAYERS, Layer, QUOTED, last_length};
use crate::quoted::{Quoted, around};
use crate::source::{DecodedText, Source};
use crate::walk::{Mark, Walker};

/// How many layers lie in each other at most.
const LAYERS_MAX: usize = 8;
/// The fewest hexadecimal digits that may be text.
const HEX_BYTES_MIN: usize = 8;
/// How much is looked at to see which of two layers is the outer one.
const NEAR_BYTES: usize = 64 << 10;

/// Parts that were decoded as a layer, and held nothing: for each layer, for addresses that are
/// hidden in it and for lengths, where the last one ends, and the end of the text around it.
#[derive(Debug, Default)]
pub(crate) struct Rejected([[(usize, usize); 2]; LAYERS.len()]);

/// A part of a text that may be in a layer.
#[derive(Debug, Clone, Copy)]
struct Part {
    layer: Layer,
    start: usize,
    stop: usize,
}

impl<'p> Walker<'p> {
    /// Makes the edits of the part around a place that lies in another layer, if one does: in which
    /// an address is hidden, or lengths count an address that is not. Returns where it lies.
    pub(crate) fn layered<S: Source>(
        &mut self,
        source: &mut S,
        (low, place, end): (usize, usize, usize),
        is_hidden: bool,
    ) -> io::Result<Option<(usize, usize)>> {
        let parts = self.parts(source, (low, place, end), is_hidden)?;
        if !parts.is_empty() && self.layers >= LAYERS_MAX {
            if is_hidden {
                self.counts.stick(Fault::Depth);
                return Ok(Some((parts[0].start, parts[0].stop)));
            }
            return Ok(None);
        }
        let Some((part, inner)) = self.best(source, parts, (end, is_hidden))? else {
            return Ok(None);
        };
        self.take(source, part.layer.escape(), part.start, &inner)?;
        self.inner = Some(inner);
        // It may end within quotes that open behind its last edit.
        let last = self.edits.list.last().map_or(0, |edit| edit.end);
        self.unopened = (part.stop, part.start.max(last));
        Ok(Some((part.start, part.stop)))
    }

    /// Looks again at a valid value whose edits were made: between single quotes, it may be a part of
    /// one whose text is escaped. Returns where that ends.
    pub(crate) fn requoted<S: Source>(
        &mut self,
        source: &mut S,
        (low, end): (usize, usize),
        (begin, stop): (usize, usize),
        before: &Mark,
    ) -> io::Result<Option<usize>> {
        if self.layers >= LAYERS_MAX {
            return Ok(None);
        }
        let mut parts = self.quoted(source, (low, begin, end), false)?;
        parts.retain(|part| part.stop >= stop);
        let Some((part, inner)) = self.best(source, parts, (end, false))? else {
            return Ok(None);
        };
        self.reset(before.clone());
        self.take(source, part.layer.escape(), part.start, &inner)?;
        self.inner = Some(inner);
        Ok(Some(part.stop))
    }

    /// Returns the reading that makes the most sense of several parts.
    fn best<S: Source>(
        &mut self,
        source: &mut S,
        parts: Vec<Part>,
        (end, is_hidden): (usize, bool),
    ) -> io::Result<Option<(Part, Box<Walker<'p>>)>> {
        let mut best: Option<(Part, Box<Walker<'p>>)> = None;
        let mut kept = None;
        for part in parts {
            let looked = self.look(source, part.layer.escape(), (part.start, part.stop))?;
            let accepted = match looked {
                Some(inner) if part.layer.is_quoted() => {
                    let is_it = self.is_quoted(source, part, &inner, is_hidden)?;
                    is_it.then_some(inner)
                }
                looked => looked.filter(|inner| inner.has_sense(is_hidden)),
            };
            let Some(inner) = accepted else {
                let rejected = &mut self.rejected.0[part.layer as usize];
                rejected[usize::from(is_hidden)] = (part.stop, end);
                continue;
            };
            if part.layer.is_quoted() && inner.is_kept {
                kept.get_or_insert((part, inner));
                continue;
            }
            if best
                .as_ref()
                .is_none_or(|best| best.1.sense() < inner.sense())
            {
                best = Some((part, inner));
            }
        }
        // A reading that sees no length is not taken where a value is right in no form.
        let is_right = |inner: &Walker| inner.counts.wrong() == 0 && inner.counts.recounted > 0;
        let best = best.filter(|(_, inner)| kept.is_none() || is_right(inner));
        Ok(best.or(kept))
    }

    /// Returns whether a part was found to be in a layer: an address is hidden in it, or a length
    /// counts one.
    fn has_sense(&self, is_hidden: bool) -> bool {
        match is_hidden {
            true => !self.edits.list.is_empty() || self.counts.has_left(),
            false => self.counts.recounted > 0 || !self.counts.broken.is_empty(),
        }
    }

    /// Returns whether text between single quotes makes more sense in a layer than as it is, or none
    /// in either.
    fn is_quoted<S: Source>(
        &mut self,
        source: &mut S,
        part: Part,
        inner: &Walker,
        is_hidden: bool,
    ) -> io::Result<bool> {
        if !inner.has_sense(is_hidden) {
            return Ok(false);
        }
        let plain = self.walk(source, part, Escape::None, false)?;
        if plain.counts.wrong() == 0 && plain.sense() >= inner.sense() {
            return Ok(false);
        }
        if !is_hidden || !inner.edits.list.is_empty() {
            return Ok(true);
        }
        // Anything may lie between two quotes: only an address that can be read makes it a value.
        let within = self.walk(source, part, part.layer.escape(), true)?;
        Ok(inner.counts.is_stuck && !within.edits.list.is_empty())
    }

    /// Walks a part in which nothing is looked for between single quotes; as prose, even if it is a
    /// broken value.
    fn walk<S: Source>(
        &mut self,
        source: &mut S,
        part: Part,
        escape: Escape,
        is_prose: bool,
    ) -> io::Result<Walker<'p>> {
        let mut walker = Walker::at_depth(self.pairs, self.depth + 1);
        let mut text = escape.keep(source, part.start..part.stop)?;
        let length = text.length();
        self.grammar.steps.bytes(part.stop - part.start);
        walker.layers = self.layers;
        walker.begin_with(self.grammar.steps.inner(length));
        walker.is_unquoted = true;
        match is_prose {
            true => walker.units(&mut text, 0, length)?,
            false => walker.text(&mut text, 0, length)?,
        }
        self.within(&walker);
        Ok(walker)
    }

    /// Returns how much sense was found in a text: nothing broken, and many lengths that are right.
    pub(crate) fn sense(&self) -> (std::cmp::Reverse<usize>, u64, u64) {
        (
            std::cmp::Reverse(self.counts.wrong()),
            self.counts.recounted,
            self.replaced(),
        )
    }

    /// Returns the parts around a place that may be in a layer, the largest first.
    fn parts<S: Source>(
        &mut self,
        source: &mut S,
        (low, place, end): (usize, usize, usize),
        is_hidden: bool,
    ) -> io::Result<Vec<Part>> {
        let mut parts = self.quoted(source, (low, place, end), is_hidden)?;
        let length = match is_hidden {
            true => Some(place),
            false => last_length(source, low, place)?,
        };
        self.grammar.steps.bytes(place - length.unwrap_or(low));
        let Some(length) = length else {
            return Ok(parts);
        };
        for layer in LAYERS {
            let (known, of) = self.rejected.0[layer as usize][usize::from(is_hidden)];
            if of == end && known > place {
                continue;
            }
            if layer.is_quoted() || (layer == Layer::Hex && !is_hidden) {
                continue;
            }
            let mut start = layer.begin(source, low, place)?;
            self.grammar.steps.bytes(place - start);
            let near = (place + self.pairs.context()).min(end);
            if length >= start && layer.is_in(source, start, near)? {
                let mut stop = layer.end(source, place, end)?;
                if layer == Layer::Hex {
                    // Two digits are a byte, counted from the place.
                    start += (place - start) % 2;
                    stop -= (stop - place) % 2;
                    if stop < place + HEX_BYTES_MIN {
                        continue;
                    }
                }
                self.grammar.steps.bytes(stop - place);
                parts.push(Part { layer, start, stop });
            }
        }
        parts.sort_by_key(|part| std::cmp::Reverse(part.stop - part.start));
        // A layer that escapes quotes with `\` is around one that escapes them otherwise.
        if let Some(at) = parts.iter().position(|part| part.layer == Layer::Json) {
            let size = |part: &Part| part.stop - part.start;
            let first = parts.iter().position(|part| size(part) == size(&parts[at]));
            let json = parts[at];
            let window = source.at(json.start, size(&json).min(NEAR_BYTES))?;
            let window = &window[..window.len().min(size(&json))];
            if memchr::memmem::find(window, b"\\\"").is_some()
                && let Some(first) = first
            {
                parts.swap(first, at);
            }
        }
        Ok(parts)
    }

    /// Returns the parts around a place between single quotes.
    fn quoted<S: Source>(
        &mut self,
        source: &mut S,
        (position, place, end): (usize, usize, usize),
        is_hidden: bool,
    ) -> io::Result<Vec<Part>> {
        let mut parts = Vec::new();
        let low = match self.unopened {
            (stop, low) if stop == position => low,
            _ => position,
        };
        for layer in QUOTED {
            let (known, of) = self.rejected.0[layer as usize][usize::from(is_hidden)];
            if self.is_unquoted || (of == end && known > place) {
                continue;
            }
            let found = around(layer, source, (low, place, end))?;
            let (start, stop) = match found {
                Quoted::Part(start, stop) => (start, stop),
                Quoted::None(stop) => (low, stop),
                Quoted::Open(low) => (low, place),
            };
            self.grammar.steps.bytes(stop - start);
            match found {
                Quoted::Part(..) => parts.push(Part { layer, start, stop }),
                _ => self.rejected.0[layer as usize][usize::from(is_hidden)] = (stop, end),
            }
        }
        Ok(parts)
    }

    /// Makes the edits of a part that is in a layer. Returns by how many bytes the decoded text grew.
    pub(crate) fn through<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        range: (usize, usize),
    ) -> io::Result<i64> {
        let Some(inner) = self.look(source, escape, range)? else {
            return Ok(0);
        };
        let grown = self.take(source, escape, range.0, &inner);
        self.inner = Some(inner);
        grown
    }

    /// Decodes a part, and walks it; `None` if it has no escape.
    fn look<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        (start, stop): (usize, usize),
    ) -> io::Result<Option<Box<Walker<'p>>>> {
        let mut decoded = escape.keep(source, start..stop)?;
        let length = decoded.length();
        self.grammar.steps.bytes(stop - start);
        if escape != Escape::Php && length == stop - start && is_same(source, start, &decoded)? {
            return Ok(None);
        }
        let mut inner = match self.inner.take() {
            Some(inner) => inner,
            None => Box::new(Walker::at_depth(self.pairs, 0)),
        };
        (inner.is_unquoted, inner.is_kept) = (false, false);
        inner.depth = self.depth + 1;
        inner.layers = self.layers + 1;
        inner.begin_with(self.grammar.steps.inner(length));
        match start > self.start && self.is_inside(source, escape, start)? {
            true => inner.units(&mut decoded, 0, length)?,
            false => {
                inner.is_kept = inner.enter(&mut decoded, 0, length)?;
                if !inner.is_kept {
                    inner.units(&mut decoded, 0, length)?;
                }
            }
        }
        self.within(&inner);
        Ok(Some(inner))
    }

    /// Takes over the edits of a decoded part. Returns by how many bytes it grew.
    fn take<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        start: usize,
        inner: &Walker,
    ) -> io::Result<i64> {
        let first = self.edits.list.len();
        let mut cursor = Cursor::at(start);
        if !cursor.translate(source, escape, &inner.edits, &mut self.edits)? {
            self.edits.list.truncate(first);
            self.counts.stick(Fault::Form);
            return Ok(0);
        }
        self.delta += self.edits.growth(first);
        self.counts.add(&inner.counts);
        Ok(inner.delta)
    }

    /// Returns whether a part begins in the middle of a text, and not behind what ends a layer.
    fn is_inside<S: Source>(
        &self,
        source: &mut S,
        escape: Escape,
        start: usize,
    ) -> io::Result<bool> {
        let before = source.at(start - 1, 1)?.first().copied();
        Ok(match escape {
            Escape::Quote { quote, .. } => before != Some(quote),
            Escape::Single => before != Some(b'\''),
            Escape::Json => before != Some(b'"'),
            Escape::Entity => !matches!(before, Some(b'<' | b'>')),
            _ => before.is_some_and(|byte| byte.is_ascii_alphanumeric()),
        })
    }

    /// Takes over the steps of a text within. If that was not looked at to its end, neither is this.
    pub(crate) fn within(&mut self, inner: &Walker) {
        self.grammar.steps.inside(inner.steps());
        if inner.grammar.steps.is_spent() {
            self.grammar.steps.spend();
            self.is_tangled();
        }
    }
}

/// Returns whether a decoded part is what it was. A long one of the same length is.
fn is_same<S: Source>(source: &mut S, start: usize, decoded: &DecodedText) -> io::Result<bool> {
    let DecodedText::Memory(decoded) = decoded else {
        return Ok(true);
    };
    Ok(source.at(start, decoded.len())?.starts_with(decoded))
}
