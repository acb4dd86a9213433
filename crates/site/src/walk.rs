//! Finds serialized values anywhere in a text, and makes the edits that replace the addresses.
//!
//! Nothing is copied: the result is a list of edits of the decoded text, in order. The length of a
//! string is an edit before those of its content, which is filled in once the content is known.
//!
//! What lies in another layer (`layer`) is decoded and walked as a text of its own, whose edits become
//! those of this text. So a length is read in the same form as the address that it counts.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::edits::{Edits, bytes_of};
use crate::escape::Escape;
use crate::find::{AddressCandidate, Finder, INNER_BYTES_MAX};
use crate::grammar::{Fault, Grammar, Token, before, token};
use crate::layered::Rejected;
use crate::pairs::{Form, Hit, Pairs};
use crate::source::{Memory, Source};
use crate::steps::Steps;

/// How deep strings in strings are followed.
const TEXT_DEPTH_MAX: usize = 64;
/// How much is searched at once.
const WINDOW_BYTES: usize = 256 << 10;
/// How much of a text tells whether it begins like a serialized value.
const BEGIN_BYTES: usize = 24;
/// More blanks than follow a value.
const BLANKS_MAX: usize = 16;

/// What was done with a value, beside the edits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Addresses in base64 that stay.
    pub(crate) left_base64: u64,
    /// Addresses in keys that stay.
    pub(crate) left_keys: u64,
    /// Serialized values with a new length somewhere in them.
    pub(crate) recounted: u64,
    /// Broken serialized values.
    pub(crate) broken: Vec<Fault>,
    /// Whether an address stays that could not be replaced.
    pub(crate) is_stuck: bool,
}

impl Counts {
    pub(crate) fn clear(&mut self) {
        self.broken.clear();
        (self.left_base64, self.left_keys, self.recounted) = (0, 0, 0);
        self.is_stuck = false;
    }

    /// Returns whether anything was found that stays.
    pub(crate) fn has_left(&self) -> bool {
        self.left_base64 + self.left_keys > 0 || !self.broken.is_empty() || self.is_stuck
    }

    /// Returns how much is wrong.
    pub(crate) fn wrong(&self) -> usize {
        self.broken.len() + usize::from(self.is_stuck)
    }

    pub(crate) fn add(&mut self, other: &Counts) {
        self.left_base64 += other.left_base64;
        self.left_keys += other.left_keys;
        self.recounted += other.recounted;
        self.is_stuck |= other.is_stuck;
        // The text around one that is tangled is, too, and says so itself.
        let broken = other.broken.iter();
        self.broken
            .extend(broken.filter(|fault| **fault != Fault::Tangled));
    }

    /// Takes an address that cannot be replaced.
    pub(crate) fn stick(&mut self, fault: Fault) {
        self.broken.push(fault);
        self.is_stuck = true;
    }
}

/// What was done up to a place.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    edits: usize,
    delta: i64,
    broken: usize,
    /// All but the broken values.
    counts: Counts,
}

/// Makes the edits of one value after the other; keeps its buffers.
#[derive(Debug)]
pub(crate) struct Walker<'p> {
    pub(crate) pairs: &'p Pairs,
    pub(crate) grammar: Grammar,
    /// The edits so far.
    pub(crate) edits: Edits,
    /// What was done so far.
    pub(crate) counts: Counts,
    /// By how many bytes the text grew.
    pub(crate) delta: i64,
    finder: Finder,
    missing: Vec<u64>,
    /// The value that was last found valid, so that none is checked twice.
    valid: Option<(usize, usize)>,
    /// Walks what lies in a layer.
    pub(crate) inner: Option<Box<Walker<'p>>>,
    /// Layers that are none.
    pub(crate) rejected: Rejected,
    /// Where the text or the string begins.
    pub(crate) start: usize,
    /// Why the text, which begins like a serialized value, is none as it stands here. It must be one
    /// in a layer.
    suspect: Option<Fault>,
    pub(crate) depth: usize,
    /// In how many layers it lies.
    pub(crate) layers: usize,
    /// Whether it is the content of a string that is right: what looks like a length in it is text.
    pub(crate) is_content: bool,
    /// Up to where a string reaches whose length is not right in any form.
    pub(crate) claimed: usize,
    /// Where the last layer ended, and from where on quotes may open around what follows.
    pub(crate) unopened: (usize, usize),
    /// Whether nothing is looked for between single quotes.
    pub(crate) is_unquoted: bool,
    /// Whether all of the text is a broken value, which stays as it is.
    pub(crate) is_kept: bool,
    /// Whether it was reported that no steps are left.
    is_reported: bool,
}

impl<'p> Walker<'p> {
    pub(crate) fn new(pairs: &'p Pairs) -> Self {
        Self::at_depth(pairs, 0)
    }

    /// Walks a text within a text within...
    pub(crate) fn at_depth(pairs: &'p Pairs, depth: usize) -> Self {
        Self {
            pairs,
            grammar: Grammar::default(),
            edits: Edits::default(),
            counts: Counts::default(),
            delta: 0,
            finder: Finder::default(),
            missing: Vec::new(),
            valid: None,
            inner: None,
            rejected: Rejected::default(),
            start: 0,
            suspect: None,
            depth,
            layers: 0,
            is_content: false,
            claimed: 0,
            unopened: (0, 0),
            is_unquoted: false,
            is_kept: false,
            is_reported: false,
        }
    }

    /// Begins a new text of this length.
    pub(crate) fn begin(&mut self, length: usize) {
        self.begin_with(Steps::of(length));
    }

    /// Begins a new text, which may take so many steps.
    pub(crate) fn begin_with(&mut self, steps: Steps) {
        self.edits.clear();
        self.counts.clear();
        self.grammar.begin(steps);
        self.is_reported = false;
        self.delta = 0;
        self.finder = Finder::default();
        self.missing.clear();
        self.valid = None;
        self.rejected = Rejected::default();
        (self.start, self.suspect) = (0, None);
        (self.is_content, self.claimed, self.unopened) = (false, 0, (0, 0));
    }

    /// Makes all edits of a text.
    pub(crate) fn whole<S: Source>(&mut self, source: &mut S) -> io::Result<()> {
        let length = source.length();
        self.begin(length);
        self.text(source, 0, length)
    }

    /// Returns how many steps were taken since the beginning of the text.
    pub(crate) fn steps(&self) -> u64 {
        self.grammar.steps.total()
    }

    /// Returns how many addresses were replaced.
    pub(crate) fn replaced(&self) -> u64 {
        let found = self.edits.list.iter().filter_map(|edit| edit.found);
        found.map(|(_, count)| u64::from(count)).sum()
    }

    /// Returns whether the text is not looked at further; reports that once.
    pub(crate) fn is_tangled(&mut self) -> bool {
        if !self.grammar.steps.is_spent() {
            return false;
        }
        if !std::mem::replace(&mut self.is_reported, true) {
            self.counts.broken.push(Fault::Tangled);
        }
        true
    }

    /// Returns whether a text is a broken serialized value, which stays as it is.
    pub(crate) fn is_broken<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<bool> {
        if self.is_tangled() {
            return Ok(true);
        }
        let window = before(source, start, BEGIN_BYTES, end)?;
        if !looks_serialized(window) {
            return Ok(false);
        }
        let kind = window[0];
        let (fault, at) = match self.grammar.value_end(source, start, end)? {
            Ok(stop) => {
                self.valid = Some((start, stop));
                return Ok(false);
            }
            Err(fault) => fault,
        };
        if self.is_tangled() {
            return Ok(true);
        }
        if is_escaped_token(source, at, end)? {
            self.suspect = Some(fault);
            return Ok(false);
        }
        let tail = before(source, end.saturating_sub(16).max(start), 16, end)?;
        let ends = matches!(tail.trim_ascii_end().last(), Some(b'}' | b';'));
        let is_broken = match kind {
            b's' | b'S' => ends && is_one_string(source, start, end, &mut self.grammar.steps)?,
            _ => ends || fault == Fault::End,
        };
        if is_broken {
            self.counts.broken.push(fault);
            return Ok(true);
        }
        Ok(false)
    }

    /// Makes the edits of a text, which may be the content of a string.
    pub(crate) fn text<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<()> {
        let outer = (self.start, self.suspect);
        if !self.enter(source, start, end)? {
            self.units(source, start, end)?;
        }
        (self.start, self.suspect) = outer;
        Ok(())
    }

    /// Begins a text, and returns whether it stays as it is.
    pub(crate) fn enter<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<bool> {
        (self.start, self.suspect) = (start, None);
        if !self.is_broken(source, start, end)? || self.pairs.policy().broken {
            return Ok(false);
        }
        self.counts.is_stuck |= self.holds_address(source, start, end)?;
        Ok(true)
    }

    /// Makes the edits of all of a text.
    pub(crate) fn units<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<()> {
        let mut position = start;
        while let Some(next) = self.unit(source, position, end)? {
            position = next;
        }
        Ok(())
    }

    /// Returns whether an address is in a text, in any form.
    fn holds_address<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<bool> {
        let mut from = start;
        while let Some(found) = self.find(source, from, end)? {
            let AddressCandidate::Core(core) = found else {
                return Ok(true);
            };
            if self.plain(source, start, end)?.is_some() || self.is_escaped(source, &core, end)? {
                return Ok(true);
            }
            from = core.start + 1;
        }
        Ok(false)
    }

    /// Makes the edits up to and with the next address, or the serialized value or the layer around
    /// it. Returns where to go on; `None` if no address is left.
    pub(crate) fn unit<S: Source>(
        &mut self,
        source: &mut S,
        position: usize,
        end: usize,
    ) -> io::Result<Option<usize>> {
        let (mut from, mut scan) = (position, position);
        loop {
            let Some(found) = self.find(source, from, end)? else {
                return Ok(None);
            };
            let (start, stop) = found.range();
            let (hit, is_hidden) = match found {
                AddressCandidate::Core(core) => {
                    // One that is written as it is has the core in it.
                    let low = position.max(start.saturating_sub(self.pairs.before()));
                    let hit = self.plain(source, low, end)?;
                    let hit = hit.filter(|hit| hit.start < stop);
                    (hit, self.is_escaped(source, &core, end)?)
                }
                AddressCandidate::Base64(..) => {
                    (None, is_cut(source, (position, end), (start, stop))?)
                }
            };
            let is_packed = matches!(found, AddressCandidate::Base64(..));
            if hit.is_none() && !is_hidden && !is_packed {
                from = start + 1;
                continue;
            }
            let place = hit.map_or(start, |hit| hit.start.min(start));
            let (before, known) = (self.mark(), scan);
            if let Some((begin, next)) = self.run_around(source, &mut scan, place, end)? {
                let (low, around) = ((position, end), (begin, next));
                if let Some(next) = self.requoted(source, low, around, &before)? {
                    return Ok(Some(next));
                }
                let is_broken = self.counts.broken.len() > before.broken;
                if is_broken || is_doubled(source, begin, next)? {
                    // In a layer, all of it may be right.
                    let range = (position, known, place, end);
                    return self.again(source, range, (before, begin, next));
                }
                return Ok(Some(next));
            }
            if self.is_tangled() && !self.pairs.policy().broken {
                self.counts.is_stuck = true;
                return Ok(None);
            }
            if let Some((_, next)) = self.layered(source, (position, place, end), is_hidden)? {
                return Ok(Some(next));
            }
            if (hit.is_some() || is_packed) && self.is_suspect() {
                return Ok(None);
            }
            if let Some(hit) = hit
                && self.is_claimed(source, (position, hit.start), end)?
            {
                return Ok(Some(hit.end));
            }
            match hit {
                Some(hit) => self.replace(&hit),
                None if is_packed => self.unpack(source, start, stop)?,
                None => {
                    from = start + 1;
                    continue;
                }
            }
            return Ok(Some(hit.map_or(stop, |hit| hit.end)));
        }
    }

    /// Looks again at a value around a place in which something is broken: in a layer around all of
    /// it, it may not be. Returns where to go on.
    fn again<S: Source>(
        &mut self,
        source: &mut S,
        (position, known, place, end): (usize, usize, usize, usize),
        (before, begin, next): (Mark, usize, usize),
    ) -> io::Result<Option<usize>> {
        let here = self.sense();
        self.reset(before.clone());
        let layered = self.layered(source, (position, place, end), true)?;
        let is_better = |part: &(usize, usize)| part.0 <= begin && here < self.sense();
        if let Some((_, stop)) = layered.filter(is_better) {
            return Ok(Some(stop));
        }
        self.reset(before);
        let mut scan = known;
        self.run_around(source, &mut scan, place, end)?;
        Ok(Some(next))
    }

    fn mark(&self) -> Mark {
        Mark {
            edits: self.edits.list.len(),
            delta: self.delta,
            broken: self.counts.broken.len(),
            counts: Counts {
                broken: Vec::new(),
                ..self.counts
            },
        }
    }

    pub(crate) fn reset(&mut self, mark: Mark) {
        self.edits.list.truncate(mark.edits);
        self.delta = mark.delta;
        let mut broken = std::mem::take(&mut self.counts.broken);
        broken.truncate(mark.broken);
        self.counts = Counts {
            broken,
            ..mark.counts
        };
    }

    /// Returns whether an address may not be replaced here, because the text begins like a serialized
    /// value that was read in no layer; reports that.
    fn is_suspect(&mut self) -> bool {
        match self.suspect {
            Some(fault) if !self.pairs.policy().broken => {
                self.counts.stick(fault);
                true
            }
            _ => false,
        }
    }

    fn replace(&mut self, hit: &Hit) {
        let to = self.pairs.replacement(hit);
        let found = Some((Form::Plain, 1));
        self.edits.push(hit.start, hit.end, to, found);
        self.delta += bytes_of(to.len()) - bytes_of(hit.end - hit.start);
    }

    /// Makes the edits of the serialized value that begins at `from` or later and contains `place`.
    /// Returns where it lies; `None` if there is none. `from` goes to where none is left before the
    /// place.
    fn run_around<S: Source>(
        &mut self,
        source: &mut S,
        from: &mut usize,
        place: usize,
        end: usize,
    ) -> io::Result<Option<(usize, usize)>> {
        while *from + 1 < place {
            let left = place - *from;
            let window = before(source, *from, left.min(WINDOW_BYTES), place)?;
            let colon = memchr::memchr(b':', &window[1..]);
            self.grammar.steps.bytes(colon.unwrap_or(window.len()));
            let Some(colon) = colon else {
                // The last byte may be the letter before a colon.
                *from += (window.len() - 1).max(1);
                continue;
            };
            let start = *from + colon;
            let is_value = matches!(window[colon], b'a' | b'O' | b'C' | b's' | b'S');
            let is_number = source
                .at(start + 2, 1)?
                .first()
                .is_some_and(u8::is_ascii_digit);
            *from = start + 1;
            if !is_value || !is_number {
                continue;
            }
            match self.value_end(source, start, end)? {
                Ok(stop) if stop > place => {
                    self.value(source, start, stop)?;
                    return Ok(Some((start, stop)));
                }
                Ok(stop) => *from = stop,
                Err((Fault::Tangled, _)) => return Ok(None),
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Makes the edits of a valid serialized value.
    fn value<S: Source>(&mut self, source: &mut S, start: usize, end: usize) -> io::Result<()> {
        let before = (self.delta, self.edits.list.len());
        let base = self.missing.len();
        let mut position = start;
        while position < end {
            if self.find(source, position, end)?.is_none() {
                break;
            }
            let is_key = self.missing.len() > base
                && self
                    .missing
                    .last()
                    .is_some_and(|missing| missing.is_multiple_of(2));
            let found = match token(source, position, end, &mut self.grammar.steps)? {
                Ok(found) => found,
                // The only thing between values is the end of a container.
                Err(_) => {
                    position += 1;
                    self.missing.truncate((self.missing.len() - 1).max(base));
                    continue;
                }
            };
            if self.missing.len() > base
                && let Some(missing) = self.missing.last_mut()
            {
                *missing = missing.saturating_sub(1);
            }
            position = match found {
                Token::Scalar { end, .. } => end,
                Token::Open { pairs, end } => {
                    self.missing.push(pairs.saturating_mul(2));
                    end
                }
                Token::Content {
                    digits,
                    content,
                    end,
                    kind,
                } => {
                    self.content(source, digits, content, (kind, is_key))?;
                    end
                }
            };
        }
        self.missing.truncate(base);
        if self.edits.list.len() > before.1 {
            self.counts.recounted += 1;
        }
        Ok(())
    }

    /// Makes the edits of a string and of its length.
    fn content<S: Source>(
        &mut self,
        source: &mut S,
        digits: (usize, usize),
        (start, end): (usize, usize),
        (kind, is_key): (u8, bool),
    ) -> io::Result<()> {
        if self.find(source, start, end)?.is_none() {
            return Ok(());
        }
        if self.depth >= TEXT_DEPTH_MAX {
            self.counts.stick(Fault::Depth);
            return Ok(());
        }
        let written = source.at(digits.0, digits.1 - digits.0)?;
        let count = written[..digits.1 - digits.0]
            .iter()
            .fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        let (index, before, kept) = (self.edits.list.len(), self.delta, self.counts.left_base64);
        self.edits.push(digits.0, digits.1, b"", None);
        self.depth += 1;
        let grown = match kind {
            b'S' => self.through(source, Escape::Php, (start, end)),
            _ => {
                let outer = std::mem::replace(&mut self.is_content, true);
                let done = self.text(source, start, end);
                self.is_content = outer;
                done.map(|()| self.delta - before)
            }
        };
        self.depth -= 1;
        let grown = grown?;
        let is_unchanged = self.edits.list.len() == index + 1;
        let is_kept = is_key && !self.pairs.policy().keys && !is_unchanged;
        if is_kept {
            self.counts.left_keys += 1;
            self.counts.left_base64 = kept;
        }
        if is_unchanged || is_kept {
            self.edits.list.truncate(index);
            self.delta = before;
            return Ok(());
        }
        let text = (count + grown).to_string();
        self.delta += bytes_of(text.len()) - bytes_of(digits.1 - digits.0);
        self.edits.set(index, text.as_bytes());
        Ok(())
    }

    /// Returns the end of the value that begins at `start`, or why there is none, and where.
    fn value_end<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<Result<usize, (Fault, usize)>> {
        match self.valid {
            Some((known, stop)) if known == start => Ok(Ok(stop)),
            _ => self.grammar.value_end(source, start, end),
        }
    }

    /// Makes the edit of text in base64. One that is too long for the memory stays.
    fn unpack<S: Source>(&mut self, source: &mut S, start: usize, end: usize) -> io::Result<()> {
        if end - start > INNER_BYTES_MAX {
            self.counts.left_base64 += 1;
            return Ok(());
        }
        let window = source.at(start, end - start)?;
        let Ok(decoded) = STANDARD.decode(&window[..end - start]) else {
            return Ok(());
        };
        let mut inner = Walker::at_depth(self.pairs, self.depth + 1);
        inner.begin_with(self.grammar.steps.inner(decoded.len()));
        inner.text(&mut Memory(&decoded), 0, decoded.len())?;
        self.within(&inner);
        let replaced = inner.replaced();
        if !self.pairs.policy().base64 {
            // It has one, even if that is behind what was looked at.
            let left = replaced + inner.counts.left_base64;
            self.counts.left_base64 += left.max(1);
            return Ok(());
        }
        self.counts.add(&inner.counts);
        if inner.edits.list.is_empty() {
            return Ok(());
        }
        let text = STANDARD.encode(inner.edits.applied(&decoded));
        let count = u32::try_from(replaced).unwrap_or(u32::MAX);
        let found = Some((Form::Base64, count));
        self.edits.push(start, end, text.as_bytes(), found);
        self.delta += bytes_of(text.len()) - bytes_of(end - start);
        Ok(())
    }

    /// Returns whether an address may lie around a core in another layer.
    fn is_escaped<S: Source>(&self, source: &mut S, core: &Hit, end: usize) -> io::Result<bool> {
        let before = core.start.min(self.pairs.before());
        let from = core.start - before;
        let size = (before + self.pairs.context()).min(end - from);
        let window = source.at(from, size)?;
        let here = Hit {
            start: before,
            end: before + (core.end - core.start),
            ..*core
        };
        Ok(self
            .pairs
            .may_be_escaped(&window[..window.len().min(size)], &here))
    }

    fn plain<S: Source>(
        &mut self,
        source: &mut S,
        from: usize,
        end: usize,
    ) -> io::Result<Option<Hit>> {
        let steps = &mut self.grammar.steps;
        self.finder.plain(source, self.pairs, (from, end), steps)
    }

    fn find<S: Source>(
        &mut self,
        source: &mut S,
        from: usize,
        end: usize,
    ) -> io::Result<Option<AddressCandidate>> {
        let steps = &mut self.grammar.steps;
        self.finder.find(source, self.pairs, (from, end), steps)
    }
}

/// Returns whether text in base64 ends where another layer escaped one of its letters.
fn is_cut<S: Source>(
    source: &mut S,
    (low, end): (usize, usize),
    (start, stop): (usize, usize),
) -> io::Result<bool> {
    let is_lead = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b'\\' | b'%' | b'&'));
    if stop < end && is_lead(source.at(stop, 1)?.first()) {
        return Ok(true);
    }
    let near = start.saturating_sub(6).max(low);
    let before = &source.at(near, start - near)?[..start - near];
    Ok(before.iter().any(|byte| is_lead(Some(byte))))
}

/// Returns whether a value is a string that begins with a quote, as every string does in CSV.
fn is_doubled<S: Source>(source: &mut S, start: usize, end: usize) -> io::Result<bool> {
    let after = after_count(before(source, start, BEGIN_BYTES, end)?);
    Ok(after.is_some_and(|(kind, rest)| b"sS".contains(&kind) && rest.starts_with(b":\"\"")))
}

/// Returns whether a text begins like a serialized container or string.
pub(crate) fn looks_serialized(text: &[u8]) -> bool {
    after_count(text).is_some_and(|(kind, rest)| match kind {
        b'a' => rest.starts_with(b":{"),
        b'O' | b'C' | b's' | b'S' => rest.starts_with(b":\""),
        _ => false,
    })
}

/// Returns the letter of a token that begins with a letter, a colon and digits (`s:22`), and what
/// follows the digits.
fn after_count(text: &[u8]) -> Option<(u8, &[u8])> {
    let &[kind, b':', ref rest @ ..] = text else {
        return None;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then(|| (kind, &rest[digits..]))
}

/// Returns whether a text is one string with a wrong length, and not prose that begins like one.
fn is_one_string<S: Source>(
    source: &mut S,
    start: usize,
    end: usize,
    steps: &mut Steps,
) -> io::Result<bool> {
    let mut position = start;
    while position + 1 < end {
        let window = before(source, position, WINDOW_BYTES.min(end - position), end)?;
        let found = memchr::memmem::find(window, b"\";");
        steps.bytes(found.unwrap_or(window.len()));
        if let Some(at) = found {
            let rest = before(source, position + at + 2, BLANKS_MAX, end)?;
            return Ok(rest.len() < BLANKS_MAX && rest.trim_ascii().is_empty());
        }
        position += (window.len() - 1).max(1);
    }
    Ok(false)
}

/// Returns whether a token with a quote is there whose quote is escaped: `s:22:\"`.
fn is_escaped_token<S: Source>(source: &mut S, at: usize, end: usize) -> io::Result<bool> {
    if at >= end {
        return Ok(false);
    }
    let Some((b's' | b'S' | b'O' | b'C' | b'E', after)) =
        after_count(before(source, at, BEGIN_BYTES, end)?)
    else {
        return Ok(false);
    };
    // The colon behind the digits may be escaped, too.
    let escaped = after.strip_prefix(b":").unwrap_or(after);
    let is_escaped = matches!(escaped, [b'\\' | b'%' | b'&', ..]);
    Ok(is_escaped || after.starts_with(b":\"\""))
}
