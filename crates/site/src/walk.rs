//! Finds serialized values anywhere in a text, and makes the edits that replace the addresses.
//!
//! Nothing is copied: the result is a list of edits of the decoded text, in order. The length of a
//! string is an edit before those of its content, which is filled in once the content is known.

use std::collections::BTreeMap;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::escape::Edits;
use crate::find::{Finder, Found, INNER_BYTES_MAX};
use crate::grammar::{Fault, Grammar, Token, token};
use crate::json::JsonString;
use crate::pairs::{Form, Hit, Pairs};
use crate::source::{Kept, Memory, Source};
use crate::steps::Steps;

/// How deep strings in strings are followed.
const TEXT_DEPTH_MAX: usize = 64;
/// How much is searched at once.
const WINDOW_BYTES: usize = 256 << 10;
/// More blanks than follow a value.
const BLANKS_MAX: usize = 16;

/// What was done with a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Replaced addresses by form.
    pub(crate) replaced: BTreeMap<Form, u64>,
    /// Addresses in base64 that stay.
    pub(crate) left_base64: u64,
    /// Addresses in keys that stay.
    pub(crate) left_keys: u64,
    /// Serialized values with a new length somewhere in them.
    pub(crate) recounted: u64,
    /// Broken serialized values.
    pub(crate) broken: Vec<Fault>,
}

impl Counts {
    pub(crate) fn clear(&mut self) {
        self.replaced.clear();
        self.broken.clear();
        (self.left_base64, self.left_keys, self.recounted) = (0, 0, 0);
    }

    pub(crate) fn total(&self) -> u64 {
        self.replaced.values().sum()
    }

    fn add(&mut self, other: &Counts) {
        for (form, count) in &other.replaced {
            *self.replaced.entry(*form).or_default() += count;
        }
        self.left_base64 += other.left_base64;
        self.left_keys += other.left_keys;
        self.recounted += other.recounted;
        // The text around one that is tangled is, too, and says so itself.
        let broken = other.broken.iter();
        self.broken
            .extend(broken.filter(|fault| **fault != Fault::Tangled));
    }
}

/// Makes the edits of one value after the other; keeps its buffers.
#[derive(Debug)]
pub(crate) struct Walker<'p> {
    pairs: &'p Pairs,
    grammar: Grammar,
    /// The edits so far.
    pub(crate) edits: Edits,
    /// What was done so far.
    pub(crate) counts: Counts,
    /// By how many bytes the text grew.
    delta: i64,
    finder: Finder,
    missing: Vec<u64>,
    /// The value that was last found valid, so that none is checked twice.
    valid: Option<(usize, usize)>,
    /// The string of JSON that was last looked into.
    string: Option<Box<JsonString<'p>>>,
    depth: usize,
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
            string: None,
            depth,
            is_reported: false,
        }
    }

    /// Begins a new text of this length.
    pub(crate) fn begin(&mut self, length: usize) {
        self.edits.clear();
        self.counts.clear();
        self.grammar.begin(length);
        self.is_reported = false;
        self.delta = 0;
        self.finder = Finder::default();
        self.missing.clear();
        self.valid = None;
        self.string = None;
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

    /// Returns whether the text is not looked at further; reports that once.
    fn is_tangled(&mut self) -> bool {
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
        let window = source.at(start, 24)?;
        let window = &window[..window.len().min(end - start)];
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
            return Ok(false);
        }
        let tail = source.at(end.saturating_sub(16).max(start), 16)?;
        let tail = &tail[..tail.len().min(end - end.saturating_sub(16).max(start))];
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
    fn text<S: Source>(&mut self, source: &mut S, start: usize, end: usize) -> io::Result<()> {
        if self.is_broken(source, start, end)? && !self.pairs.policy().broken {
            return Ok(());
        }
        let mut position = start;
        while let Some(next) = self.unit(source, position, end)? {
            position = next;
        }
        Ok(())
    }

    /// Makes the edits up to and with the next address, or the serialized value around it. Returns
    /// where to go on; `None` if no address is left.
    pub(crate) fn unit<S: Source>(
        &mut self,
        source: &mut S,
        position: usize,
        end: usize,
    ) -> io::Result<Option<usize>> {
        let Some(found) = self.find(source, position, end)? else {
            return Ok(None);
        };
        let (start, stop) = found.range();
        if let Some(next) = self.run_around(source, position, start, end)? {
            return Ok(Some(next));
        }
        if self.is_tangled() && !self.pairs.policy().broken {
            return Ok(None);
        }
        match found {
            Found::Address(hit) => self.replace(&hit),
            Found::Base64(..) => self.unpack(source, start, stop)?,
        }
        Ok(Some(stop))
    }

    fn replace(&mut self, hit: &Hit) {
        let to = self.pairs.replacement(hit);
        self.edits.push(hit.start, hit.end, to);
        self.delta += length(to.len()) - length(hit.end - hit.start);
        *self
            .counts
            .replaced
            .entry(self.pairs.form(hit))
            .or_default() += 1;
    }

    /// Makes the edits of the serialized value that begins after `position` and contains `place`.
    /// Returns its end; `None` if there is none.
    fn run_around<S: Source>(
        &mut self,
        source: &mut S,
        position: usize,
        place: usize,
        end: usize,
    ) -> io::Result<Option<usize>> {
        let mut from = position;
        while from + 1 < place {
            let window = source.at(from, (place - from).min(WINDOW_BYTES))?;
            let window = &window[..window.len().min(place - from)];
            let colon = memchr::memchr(b':', &window[1..]);
            self.grammar.steps.bytes(colon.unwrap_or(window.len()));
            let Some(colon) = colon else {
                // The last byte may be the letter before a colon.
                from += (window.len() - 1).max(1);
                continue;
            };
            let start = from + colon;
            from = start + 1;
            let is_value = matches!(window[colon], b'a' | b'O' | b'C' | b's' | b'S');
            if !is_value
                || !source
                    .at(start + 2, 1)?
                    .first()
                    .is_some_and(u8::is_ascii_digit)
            {
                continue;
            }
            match self.value_end(source, start, end)? {
                Ok(stop) if stop > place => {
                    self.value(source, start, stop)?;
                    return Ok(Some(stop));
                }
                Ok(stop) => from = stop,
                Err((Fault::Tangled, _)) => return Ok(None),
                Err((_, at)) => {
                    let is_start = start == 0 || source.at(start - 1, 1)?.starts_with(b"\"");
                    if let Some(stop) = self.escaped(source, start, at, (end, is_start))? {
                        match stop > place {
                            true => return Ok(Some(stop)),
                            false => from = stop,
                        }
                    }
                }
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
        if is_key && !self.pairs.policy().keys {
            self.counts.left_keys += 1;
            return Ok(());
        }
        if self.depth >= TEXT_DEPTH_MAX {
            self.counts.broken.push(Fault::Depth);
            return Ok(());
        }
        let written = source.at(digits.0, digits.1 - digits.0)?;
        let count = written[..digits.1 - digits.0]
            .iter()
            .fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        let (index, before) = (self.edits.list.len(), self.delta);
        self.edits.push(digits.0, digits.1, b"");
        self.depth += 1;
        let done = self.text(source, start, end);
        self.depth -= 1;
        done?;
        let is_unchanged = self.edits.list.len() == index + 1;
        // A backslash in an `S` begins an escape.
        let has_backslash = |edits: &Edits| {
            let mut new = edits.list[index + 1..].iter();
            new.any(|edit| edits.text(edit).contains(&b'\\'))
        };
        if is_unchanged || (kind == b'S' && has_backslash(&self.edits)) {
            self.edits.list.truncate(index);
            self.delta = before;
            return Ok(());
        }
        let text = (count + self.delta - before).to_string();
        self.delta += length(text.len()) - length(digits.1 - digits.0);
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

    /// Makes the edits of a serialized value in a string of JSON, whose quotes are `\"`; if JSON is
    /// in a string of JSON, `\\\"`. A broken value that is a whole string stays as it is. Returns
    /// where it ends.
    fn escaped<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        at: usize,
        (end, is_start): (usize, bool),
    ) -> io::Result<Option<usize>> {
        if self.depth >= TEXT_DEPTH_MAX || !is_escaped_token(source, at, end)? {
            return Ok(None);
        }
        let mut string = match self.string.take() {
            Some(known) if known.holds(start, end) => known,
            _ => {
                let around = (self.pairs, self.depth + 1);
                Box::new(JsonString::new(around, source, start, end)?)
            }
        };
        let before = string.walker.steps();
        let stop = self.in_string(source, &mut string, start, is_start);
        self.within(&string.walker, before);
        self.string = Some(string);
        stop
    }

    /// Takes over the steps of a text within. If that was not looked at to its end, neither is this.
    fn within(&mut self, inner: &Walker, before: u64) {
        self.grammar.steps.inside(inner.steps() - before);
        if inner.grammar.steps.is_spent() {
            self.grammar.steps.spend();
            self.is_tangled();
        }
    }

    fn in_string<S: Source>(
        &mut self,
        source: &mut S,
        string: &mut JsonString<'p>,
        start: usize,
        is_start: bool,
    ) -> io::Result<Option<usize>> {
        let Some(inner) = string.go(source, start)? else {
            return Ok(None);
        };
        let JsonString {
            escape,
            decoded,
            cursor,
            walker,
            ..
        } = string;
        walker.edits.clear();
        walker.counts.clear();
        let Some(stop) = walker.decoded(decoded, inner, is_start)? else {
            return Ok(None);
        };
        let first = self.edits.list.len();
        cursor.translate(source, *escape, &walker.edits, &mut self.edits)?;
        let stop = cursor.raw_of(source, *escape, stop)?;
        let grown = self.edits.list[first..]
            .iter()
            .map(|edit| length(self.edits.text(edit).len()) - length(edit.end - edit.start));
        self.delta += grown.sum::<i64>();
        self.counts.add(&walker.counts);
        Ok(Some(stop))
    }

    /// Makes the edits of the value that begins at `start` of decoded text.
    fn decoded(
        &mut self,
        text: &mut Kept,
        start: usize,
        is_start: bool,
    ) -> io::Result<Option<usize>> {
        let end = text.length();
        if is_start && self.is_broken(text, start, end)? && !self.pairs.policy().broken {
            return Ok(Some(end));
        }
        match self.value_end(text, start, end)? {
            Ok(stop) => {
                self.value(text, start, stop)?;
                Ok(Some(stop))
            }
            Err((_, at)) => self.escaped(text, start, at, (end, is_start)),
        }
    }

    /// Makes the edits of a decoded part.
    fn inside(&self, decoded: &[u8]) -> io::Result<Walker<'p>> {
        let mut inner = Walker::at_depth(self.pairs, self.depth + 1);
        inner.whole(&mut Memory(decoded))?;
        Ok(inner)
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
        let inner = self.inside(&decoded)?;
        self.within(&inner, 0);
        if !self.pairs.policy().base64 {
            // It has one, even if that is behind what was looked at.
            let left = inner.counts.total() + inner.counts.left_base64;
            self.counts.left_base64 += left.max(1);
            return Ok(());
        }
        if inner.edits.list.is_empty() {
            return Ok(());
        }
        let text = STANDARD.encode(inner.edits.apply(&decoded));
        self.edits.push(start, end, text.as_bytes());
        self.delta += length(text.len()) - length(end - start);
        *self.counts.replaced.entry(Form::Base64).or_default() += inner.counts.total();
        self.counts.left_base64 += inner.counts.left_base64;
        Ok(())
    }

    fn find<S: Source>(
        &mut self,
        source: &mut S,
        from: usize,
        end: usize,
    ) -> io::Result<Option<Found>> {
        let steps = &mut self.grammar.steps;
        self.finder.find(source, self.pairs, (from, end), steps)
    }
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Returns whether a text begins like a serialized container or string.
pub(crate) fn looks_serialized(text: &[u8]) -> bool {
    let &[
        kind @ (b'a' | b'O' | b'C' | b's' | b'S'),
        b':',
        ref rest @ ..,
    ] = text
    else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = if kind == b'a' { b":{" } else { b":\"" };
    digits > 0 && rest[digits..].starts_with(after)
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
        let window = source.at(position, WINDOW_BYTES.min(end - position))?;
        let window = &window[..window.len().min(end - position)];
        let found = memchr::memmem::find(window, b"\";");
        steps.bytes(found.unwrap_or(window.len()));
        if let Some(at) = found {
            let rest = source.at(position + at + 2, BLANKS_MAX)?;
            let rest = &rest[..rest.len().min(end - (position + at + 2))];
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
    let window = source.at(at, 24)?;
    let window = &window[..window.len().min(end - at)];
    let &[b's' | b'S' | b'O' | b'C' | b'E', b':', ref rest @ ..] = window else {
        return Ok(false);
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = rest[digits..].strip_prefix(b":\\");
    Ok(digits > 0 && after.is_some_and(|after| matches!(after.first(), Some(b'"' | b'\\'))))
}
