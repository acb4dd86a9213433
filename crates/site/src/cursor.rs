//! Follows decoded positions through quoted text, and turns edits of the one into edits of the other.
//!
//! Only what is replaced is encoded again, so all other bytes stay as they were written, also
//! needless escapes (`\q`).

use std::io;
use std::ops::Range;

use crate::edits::{Edit, Edits};
use crate::encode::{LEARNT_BYTES, Style};
use crate::escape::{Escape, STEP_BYTES, UNIT_BYTES_MAX, Unit};
use crate::source::Source;

/// Follows decoded positions through quoted text.
#[derive(Debug, Default, Clone)]
pub(crate) struct Cursor {
    raw: usize,
    decoded: usize,
    /// Where the part begins.
    start: usize,
    /// Where its last byte is that begins an escape elsewhere and stands for itself here.
    stray: Option<usize>,
    /// How the part writes what an edit does not replace.
    style: Option<Style>,
}

/// Where a decoded position is: before a byte of the quoted text, or inside an escape.
struct RawPosition {
    /// Where the escape begins, or the position itself.
    raw: usize,
    /// What of the escape comes before the position, and after it.
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Cursor {
    /// Begins at a place of the quoted text.
    pub(crate) fn at(raw: usize) -> Self {
        Self {
            raw,
            start: raw,
            ..Self::default()
        }
    }

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
        if unit.raw == 1 {
            self.stray = Some(self.raw);
        }
        self.raw += unit.raw.max(1);
        self.decoded += unit.count;
        Ok(Some(unit))
    }

    /// Goes to a decoded position.
    fn go<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        target: usize,
    ) -> io::Result<RawPosition> {
        while self.decoded < target {
            let start = self.raw;
            let unit = self.step(source, escape, target - self.decoded)?;
            if let Some(unit) = unit.filter(|_| self.decoded > target) {
                let (before, after) = unit
                    .as_slice()
                    .split_at(unit.count - (self.decoded - target));
                return Ok(RawPosition {
                    raw: start,
                    before: before.to_vec(),
                    after: after.to_vec(),
                });
            }
        }
        Ok(RawPosition {
            raw: self.raw,
            before: Vec::new(),
            after: Vec::new(),
        })
    }

    /// Goes over escapes that stand for nothing, such as the `\x` before digits.
    fn pass_nothing<S: Source>(&mut self, source: &mut S, escape: Escape) -> io::Result<()> {
        if !matches!(escape, Escape::Hex | Escape::Cdata) {
            return Ok(());
        }
        loop {
            let window = source.at(self.raw, UNIT_BYTES_MAX)?;
            let unit = escape.unit(window);
            if window.is_empty() || unit.count > 0 {
                return Ok(());
            }
            self.raw += unit.raw.max(1);
        }
    }

    /// Turns edits of the decoded text into edits of the quoted text. Returns whether each can be
    /// written so that it is read as what it says.
    pub(crate) fn translate<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        edits: &Edits,
        out: &mut Edits,
    ) -> io::Result<bool> {
        let mut quoted = Vec::new();
        for edit in &edits.list {
            quoted.clear();
            let (place, is_exact) = self.quote(source, escape, edits, edit, &mut quoted)?;
            if !is_exact {
                return Ok(false);
            }
            let is_plain = matches!(escape, Escape::Quote { .. } | Escape::Single | Escape::None);
            let found = match edit.found {
                Some((form, count)) if !is_plain && place.len() != edit.end - edit.start => {
                    Some((form.within(escape), count))
                }
                found => found,
            };
            out.push(place.start, place.end, &quoted, found);
        }
        Ok(true)
    }

    /// Returns what an edit of the decoded text replaces in the quoted text, and whether that is
    /// exact; appends the text that takes its place, quoted. Edits come in the order of their places.
    fn quote<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        edits: &Edits,
        edit: &Edit,
        quoted: &mut Vec<u8>,
    ) -> io::Result<(Range<usize>, bool)> {
        let (begin, stray, before) = match edit.start < self.decoded {
            // Two edits touch the same escape: the first one has written what lies between.
            true => (self.raw, None, Vec::new()),
            false => {
                let mut spot = self.go(source, escape, edit.start)?;
                if spot.before.is_empty() {
                    self.pass_nothing(source, escape)?;
                    spot.raw = self.raw;
                }
                let stray = self.stray.filter(|at| *at < spot.raw);
                (spot.raw, stray, spot.before)
            }
        };
        let spot = self.go(source, escape, edit.end)?;
        let text = edits.text(edit);
        let is_number = text.iter().all(u8::is_ascii_digit) && escape != Escape::Hex;
        let style = match (escape.is_closed() || is_number, escape) {
            (true, _) => Style::default(),
            _ => self.style_of(source, escape, begin..self.raw, text)?,
        };
        escape.encode(&before, &style, quoted);
        escape.encode(text, &style, quoted);
        escape.encode(&spot.after, &style, quoted);
        let place = begin..self.raw;
        let stray = stray.filter(|at| place.start - at <= UNIT_BYTES_MAX);
        let is_open = matches!(escape, Escape::Token(_) | Escape::Cdata);
        if escape.is_closed() || (stray.is_none() && !is_open) {
            return Ok((place, true));
        }
        let wanted = [&before, text, &spot.after].concat();
        let from = stray.unwrap_or(place.start);
        let is_exact = is_exact(source, escape, from, &place, (quoted, &wanted))?;
        Ok((place, is_exact))
    }

    /// Returns how what is replaced is written, and the rest of the part if that does not tell.
    fn style_of<S: Source>(
        &mut self,
        source: &mut S,
        escape: Escape,
        place: Range<usize>,
        text: &[u8],
    ) -> io::Result<Style> {
        let mut style = Style::default();
        let own = source.at(place.start, place.len())?;
        style.learn(escape, &own[..place.len().min(own.len())]);
        if style.knows(text) {
            return Ok(style);
        }
        if self.style.is_none() {
            let mut all = Style::default();
            let window = source.at(self.start, LEARNT_BYTES)?;
            all.learn(escape, &window[..window.len().min(LEARNT_BYTES)]);
            self.style = Some(all);
        }
        if let Some(all) = &self.style {
            style.take(escape, all);
        }
        Ok(style)
    }
}

/// Returns whether what was written is read again, between what stands around it: a `%` before may
/// become an escape with it.
fn is_exact<S: Source>(
    source: &mut S,
    escape: Escape,
    from: usize,
    place: &Range<usize>,
    (quoted, wanted): (&[u8], &[u8]),
) -> io::Result<bool> {
    let mut text = source.at(from, place.start - from)?[..place.start - from].to_vec();
    let after = source.at(place.end, UNIT_BYTES_MAX)?;
    let after = &after[..after.len().min(UNIT_BYTES_MAX)];
    let mut expected = Vec::new();
    escape.decode(&text, &mut expected);
    expected.extend_from_slice(wanted);
    escape.decode(after, &mut expected);
    text.extend_from_slice(quoted);
    text.extend_from_slice(after);
    let mut found = Vec::new();
    escape.decode(&text, &mut found);
    Ok(found == expected)
}
