//! Rewrites one value of the input: finds its end, takes off its layers, and writes it with its edits.

use std::fs::File;
use std::io::{Read, Write};

use crate::coat::{COATS_MAX, Coat, is_bytea};
use crate::cursor::Cursor;
use crate::edits::Edits;
use crate::ends::{End, EndSearch};
use crate::escape::{Escape, Token, UNIT_BYTES_MAX};
use crate::grammar::Fault;
use crate::packed_within::packed_within;
use crate::rewrite::{Result, RewriteError, Rewriter, VALUE_BYTES_MAX, ValuePlace};
use crate::source::{DecodedText, Memory, Paged, Source as _};

/// The most bytes behind a value that tell what SQLite's `replace` replaces in it.
const CALL_BYTES: usize = (UNIT_BYTES_MAX + 20) * COATS_MAX;
/// How much of a long value is looked at to see whether it is a `bytea`.
const BYTEA_BYTES: usize = 66;

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    /// Rewrites the value that begins at `start`, and returns where it ends.
    pub(crate) fn value(
        &mut self,
        start: usize,
        end: End,
        coat: impl Into<Coat>,
        spot: ValuePlace,
    ) -> Result<usize> {
        let coat = coat.into();
        let (mut start, mut from) = (start, start);
        loop {
            self.value_start = start;
            let is_last = self.window.is_last;
            match end.look(self.window.bytes(), from, is_last) {
                EndSearch::At(stop) if spot.replaces > 0 => {
                    let moved = self.keep(start, stop)?;
                    let (start, stop) = (start - moved, stop - moved);
                    let coat = self.replaced(coat, stop, spot);
                    self.inside(start, stop, &coat, spot)?;
                    return Ok(stop);
                }
                EndSearch::At(stop) => {
                    self.inside(start, stop, &coat, spot)?;
                    return Ok(stop);
                }
                EndSearch::After(_) if is_last => {
                    if let Some(what) = end.name() {
                        return Err(self.cut_off(what));
                    }
                    let stop = self.window.bytes().len();
                    self.inside(start, stop, &coat, spot)?;
                    return Ok(stop);
                }
                EndSearch::After(_) if self.window.bytes().len() - start >= VALUE_BYTES_MAX => {
                    return self.spill(start, end, coat, spot);
                }
                EndSearch::After(next) => {
                    from = next - start;
                    self.more(start)?;
                    start = 0;
                }
            }
        }
    }

    /// Returns whether an address may be in a part of the window.
    fn has_anchor(&mut self, start: usize, stop: usize) -> bool {
        let bytes = self.window.bytes();
        let (next, searched) = self.anchor;
        if next < start || (next >= searched && searched < stop) {
            let found = self.pairs.next_anchor(bytes, start);
            self.anchor = (found, bytes.len());
        }
        self.anchor.0 < stop
    }

    /// Reads what follows a value, too. Returns by how much the window moved.
    fn keep(&mut self, start: usize, stop: usize) -> Result<usize> {
        let mut moved = 0;
        while self.window.bytes().len() < stop - moved + CALL_BYTES && !self.window.is_last {
            self.more(start - moved)?;
            moved = start;
            self.value_start = 0;
        }
        Ok(moved)
    }

    /// Returns the layers of a value that is the argument of calls of `replace`, whose other arguments
    /// follow it: the innermost call replaces first.
    fn replaced(&self, coat: Coat, stop: usize, spot: ValuePlace) -> Coat {
        let mut rest = &self.window.bytes()[stop..];
        let mut coat = coat;
        for _ in 0..spot.replaces.min(COATS_MAX - 2) {
            let Some((token, after)) = replaced_token(rest) else {
                break;
            };
            coat = coat.with(Escape::Token(token));
            rest = after;
        }
        coat
    }

    /// Rewrites a value that lies in the window.
    fn inside(&mut self, start: usize, stop: usize, coat: &Coat, spot: ValuePlace) -> Result<()> {
        if spot.is_left || start == stop {
            return Ok(());
        }
        self.report.looked_at += 1;
        let has_anchor = self.has_anchor(start, stop);
        let quoted = &self.window.bytes()[start..stop];
        let looks = quoted.len() > 4 && quoted[1] == b':' && quoted[2].is_ascii_digit();
        if !has_anchor && !looks && !self.report.is_scan {
            return Ok(());
        }
        let coat = coat.decode(quoted, &mut self.levels, spot.is_postgres);
        let text = coat.text(quoted, &self.levels);
        let mut source = Memory(text);
        let walked = match has_anchor {
            true => self.walker.whole(&mut source),
            false => {
                self.walker.begin(text.len());
                self.walker.is_broken(&mut source, 0, text.len()).map(drop)
            }
        };
        walked.map_err(RewriteError::Spill)?;
        self.report.steps += self.walker.steps();
        if looks {
            self.report.serialized += 1;
        }
        let raised = raise(&coat, quoted, &self.levels, &self.walker.edits)?;
        let edits = match &raised {
            Some(Raised::Same) => &self.walker.edits,
            Some(Raised::Other(edits)) => edits,
            None => {
                self.walker.counts.stick(Fault::Form);
                self.edits.clear();
                &self.edits
            }
        };
        let counts = &self.walker.counts;
        if !edits.list.is_empty() || counts.has_left() {
            let is_found = self.report.found(spot.table, spot.column, edits);
            self.report.note(spot.table, spot.column, is_found, counts);
        }
        if self.report.is_scan {
            if let Some(packing) = packed_within(&mut Memory(text)).map_err(RewriteError::Spill)? {
                self.report.packed(spot.table, spot.column, packing);
            }
            self.report.look(text);
            let is_text = |edit: &&crate::edits::Edit| edit.found.is_some();
            if let Some(edit) = self.walker.edits.list.iter().find(is_text) {
                let place = (edit.start, edit.end);
                self.report.sample(spot.table, spot.column, text, place);
            }
        }
        for edit in &edits.list {
            self.window.write_to(start + edit.start, &mut self.out)?;
            let written = self.out.write_all(edits.text(edit));
            written.map_err(RewriteError::Write)?;
            self.window.skip_to(start + edit.end);
        }
        Ok(())
    }

    /// Rewrites a value that is too long for the memory: quoted and decoded, it lies in files without
    /// names.
    fn spill(&mut self, start: usize, end: End, coat: Coat, spot: ValuePlace) -> Result<usize> {
        self.window.write_to(start, &mut self.out)?;
        let mut quoted = tempfile::tempfile().map_err(RewriteError::Spill)?;
        let mut size = 0;
        let mut start = start;
        let stop = loop {
            let is_last = self.window.is_last;
            let looked = end.look(self.window.bytes(), start, is_last);
            let (until, is_end) = match looked {
                EndSearch::At(stop) => (stop, true),
                EndSearch::After(next) if is_last => match end.name() {
                    Some(what) => return Err(self.cut_off(what)),
                    None => (next.max(self.window.bytes().len()), true),
                },
                EndSearch::After(next) => (next, false),
            };
            let part = &self.window.bytes()[start..until];
            quoted.write_all(part).map_err(RewriteError::Spill)?;
            size += part.len();
            self.window.skip_to(until);
            if is_end {
                break until;
            }
            self.more(until)?;
            start = 0;
        };
        let mut stop = stop;
        let mut coat = coat;
        if spot.replaces > 0 {
            stop = self.ensure(stop, CALL_BYTES)?;
            coat = self.replaced(coat, stop, spot);
        }
        self.value_start = stop;
        self.spilled(quoted, size, coat, spot)?;
        Ok(stop)
    }

    fn spilled(&mut self, quoted: File, size: usize, coat: Coat, spot: ValuePlace) -> Result<()> {
        let failed = RewriteError::Spill;
        let copy_of = quoted.try_clone().map_err(failed)?;
        let mut raw = Paged::new(quoted, size);
        let mut levels = vec![DecodedText::File(Paged::new(copy_of, size))];
        let mut layers = Vec::new();
        for escape in coat.layers() {
            peel(&mut levels, &mut layers, *escape).map_err(failed)?;
        }
        let last = levels.len() - 1;
        let head = levels[last].at(0, BYTEA_BYTES).map_err(failed)?;
        if spot.is_postgres && is_bytea(&head[..head.len().min(BYTEA_BYTES)]) {
            peel(&mut levels, &mut layers, Escape::Hex).map_err(failed)?;
        }
        let mut cursors = vec![Cursor::default(); layers.len()];
        let Some((text, below)) = levels.split_last_mut() else {
            return Ok(());
        };
        let length = text.length();
        let (mut written, mut is_found) = (0, false);
        self.report.looked_at += u64::from(!spot.is_left);
        self.walker.begin(length);
        let is_left = spot.is_left || self.walker.enter(text, 0, length).map_err(failed)?;
        let mut next = (!is_left).then_some(0);
        while let Some(position) = next {
            next = self.walker.unit(text, position, length).map_err(failed)?;
            let mut edits = std::mem::take(&mut self.walker.edits);
            for (index, escape) in layers.iter().enumerate().rev() {
                let mut outer = Edits::default();
                let cursor = &mut cursors[index];
                let is_exact = cursor.translate(&mut below[index], *escape, &edits, &mut outer);
                edits = outer;
                if !is_exact.map_err(failed)? {
                    self.walker.counts.stick(Fault::Form);
                    edits.clear();
                }
            }
            for edit in &edits.list {
                copy(&mut raw, written, edit.start, &mut self.out)?;
                let done = self.out.write_all(edits.text(edit));
                done.map_err(RewriteError::Write)?;
                written = edit.end;
            }
            is_found |= self.report.found(spot.table, spot.column, &edits);
        }
        self.report.steps += self.walker.steps();
        self.report
            .note(spot.table, spot.column, is_found, &self.walker.counts);
        if self.report.is_scan
            && !spot.is_left
            && let Some(packing) = packed_within(text).map_err(failed)?
        {
            self.report.packed(spot.table, spot.column, packing);
        }
        copy(&mut raw, written, size, &mut self.out)
    }
}

/// Takes another layer off.
fn peel(
    levels: &mut Vec<DecodedText>,
    layers: &mut Vec<Escape>,
    escape: Escape,
) -> std::io::Result<()> {
    if let Some(last) = levels.last_mut() {
        let length = last.length();
        let next = escape.keep(last, 0..length)?;
        levels.push(next);
        layers.push(escape);
    }
    Ok(())
}

/// Edits of the decoded text as edits of the quoted one.
enum Raised {
    /// There is no layer.
    Same,
    Other(Edits),
}

/// Turns edits of the decoded text into edits of the quoted one; `None` if one cannot be written.
fn raise(coat: &Coat, quoted: &[u8], levels: &[Vec<u8>], edits: &Edits) -> Result<Option<Raised>> {
    let mut raised = Raised::Same;
    for (index, escape) in coat.layers().iter().enumerate().rev() {
        let mut raw = Memory(if index == 0 {
            quoted
        } else {
            &levels[index - 1]
        });
        let inner = match &raised {
            Raised::Same => edits,
            Raised::Other(edits) => edits,
        };
        let mut outer = Edits::default();
        let is_exact = Cursor::default()
            .translate(&mut raw, *escape, inner, &mut outer)
            .map_err(RewriteError::Spill)?;
        if !is_exact {
            return Ok(None);
        }
        raised = Raised::Other(outer);
    }
    Ok(Some(raised))
}

/// Reads `','TOKEN',char(10))` behind a value: what `replace` puts in the place of the token.
fn replaced_token(text: &[u8]) -> Option<(Token, &[u8])> {
    let rest = text.strip_prefix(b"'").unwrap_or(text);
    let rest = rest.strip_prefix(b",'")?;
    let end = memchr::memchr(b'\'', rest)?;
    let (token, rest) = rest.split_at(end);
    let rest = rest.strip_prefix(b"',char(")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let code = std::str::from_utf8(&rest[..digits]).ok()?;
    let byte: u8 = code.parse().ok().filter(u8::is_ascii)?;
    let rest = rest[digits..].strip_prefix(b"))")?;
    Some((Token::new(token, byte)?, rest))
}

/// Writes a part of a file to the output.
fn copy(raw: &mut Paged, from: usize, to: usize, out: &mut impl Write) -> Result<()> {
    let mut position = from;
    while position < to {
        let window = raw.at(position, 1).map_err(RewriteError::Spill)?;
        let window = &window[..window.len().min(to - position)];
        out.write_all(window).map_err(RewriteError::Write)?;
        position += window.len();
    }
    Ok(())
}
