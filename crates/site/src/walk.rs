//! Finds serialized values anywhere in a text, and makes the edits that replace the addresses.
//!
//! Nothing is copied: the result is a list of edits of the decoded text, in order. The length of a
//! string is an edit before those of its content, which is filled in once the content is known.

use std::collections::BTreeMap;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::escape::Edits;
use crate::grammar::{Fault, Grammar, Token, token};
use crate::json::JsonString;
use crate::pairs::{Form, Hit, Pairs};
use crate::source::{Kept, Memory, Source};

/// How deep strings in strings are followed.
const TEXT_DEPTH_MAX: usize = 64;
/// How much is searched at once.
const WINDOW_BYTES: usize = 256 << 10;
/// The longest text in base64 that is decoded in memory.
const INNER_BYTES_MAX: usize = 16 << 20;
/// More blanks than follow a value.
const BLANKS_MAX: usize = 16;
/// The most bytes before a position that decide whether an address begins there.
const BEHIND_BYTES: usize = 128;

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
        self.broken.extend(&other.broken);
    }
}

/// A search that was made: nothing lies between `from` and the found place.
#[derive(Debug, Clone, Copy)]
struct Searched<T> {
    from: usize,
    found: Option<T>,
}

/// An address, or text in base64 with one in it.
#[derive(Debug, Clone, Copy)]
enum Found {
    Address(Hit),
    Base64(usize, usize),
}

impl Found {
    fn range(&self) -> (usize, usize) {
        match self {
            Found::Address(hit) => (hit.start, hit.end),
            Found::Base64(start, end) => (*start, *end),
        }
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
    address: Option<Searched<Hit>>,
    base64: Option<Searched<usize>>,
    missing: Vec<u64>,
    /// The value that was last found valid, so that none is checked twice.
    valid: Option<(usize, usize)>,
    /// The string of JSON that was last looked into.
    string: Option<Box<JsonString<'p>>>,
    depth: usize,
}

impl<'p> Walker<'p> {
    pub(crate) fn new(pairs: &'p Pairs) -> Self {
        Self::within(pairs, 0)
    }

    /// Walks a text within a text within...
    pub(crate) fn within(pairs: &'p Pairs, depth: usize) -> Self {
        Self {
            pairs,
            grammar: Grammar::default(),
            edits: Edits::default(),
            counts: Counts::default(),
            delta: 0,
            address: None,
            base64: None,
            missing: Vec::new(),
            valid: None,
            string: None,
            depth,
        }
    }

    /// Begins a new text.
    pub(crate) fn begin(&mut self) {
        self.edits.clear();
        self.counts.clear();
        self.grammar.clear();
        self.delta = 0;
        self.address = None;
        self.base64 = None;
        self.missing.clear();
        self.valid = None;
        self.string = None;
    }

    /// Makes all edits of a text.
    pub(crate) fn whole<S: Source>(&mut self, source: &mut S) -> io::Result<()> {
        let length = source.length();
        self.begin();
        self.text(source, 0, length)
    }

    /// Returns whether a text is a broken serialized value, which stays as it is.
    pub(crate) fn is_broken<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<bool> {
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
        if is_escaped_token(source, at, end)? {
            return Ok(false);
        }
        let tail = source.at(end.saturating_sub(16).max(start), 16)?;
        let tail = &tail[..tail.len().min(end - end.saturating_sub(16).max(start))];
        let ends = matches!(tail.trim_ascii_end().last(), Some(b'}' | b';'));
        let is_broken = match kind {
            b's' | b'S' => ends && is_one_string(source, start, end)?,
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
            let Some(colon) = memchr::memchr(b':', &window[1..]) else {
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
            let found = match token(source, position, end)? {
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
        let stop = self.in_string(source, &mut string, start, is_start);
        self.string = Some(string);
        stop
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
        let mut inner = Walker::within(self.pairs, self.depth + 1);
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
        if !self.pairs.policy().base64 {
            self.counts.left_base64 += inner.counts.total() + inner.counts.left_base64;
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

    /// Returns the first address, or text in base64 with one, that lies within a part.
    fn find<S: Source>(
        &mut self,
        source: &mut S,
        from: usize,
        end: usize,
    ) -> io::Result<Option<Found>> {
        let address = self.find_address(source, from, end)?;
        let until = address.map_or(end, |hit| hit.start);
        let packed = self.find_base64(source, from, until, end)?;
        Ok(match packed {
            Some((start, stop)) => Some(Found::Base64(start, stop)),
            None => address.map(Found::Address),
        })
    }

    fn find_address<S: Source>(
        &mut self,
        source: &mut S,
        from: usize,
        end: usize,
    ) -> io::Result<Option<Hit>> {
        let is_known = |known: &Searched<Hit>| {
            known.from <= from && known.found.is_none_or(|hit| hit.start >= from)
        };
        let found = match self.address {
            Some(known) if is_known(&known) => known.found,
            _ => {
                let length = source.length();
                let found = search(source, self.pairs, from, length)?;
                self.address = Some(Searched { from, found });
                found
            }
        };
        match found {
            Some(hit) if hit.start >= end => Ok(None),
            // It reaches over the end of this part; another one may not.
            Some(hit) if hit.end > end => search(source, self.pairs, from, end),
            found => Ok(found),
        }
    }

    /// Returns the range of the first text in base64 with an address that begins before `until`.
    fn find_base64<S: Source>(
        &mut self,
        source: &mut S,
        from: usize,
        until: usize,
        end: usize,
    ) -> io::Result<Option<(usize, usize)>> {
        let mut position = from;
        loop {
            let known = self.base64.filter(|known| {
                known.from <= position && known.found.is_none_or(|at| at >= position)
            });
            let found = match known {
                Some(known) => known.found,
                None => {
                    let found = search_base64(source, self.pairs, position)?;
                    self.base64 = Some(Searched {
                        from: position,
                        found,
                    });
                    found
                }
            };
            let Some(at) = found.filter(|at| *at < until) else {
                return Ok(None);
            };
            let (start, stop) = base64_around(source, position, at, end)?;
            if stop - start > INNER_BYTES_MAX {
                return Ok(Some((start, stop)));
            }
            let window = source.at(start, stop - start)?;
            let decoded = STANDARD.decode(&window[..stop - start]);
            if decoded.is_ok_and(|text| self.pairs.find(&text, 0).is_some()) {
                return Ok(Some((start, stop)));
            }
            position = stop.max(at + 1);
        }
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
fn is_one_string<S: Source>(source: &mut S, start: usize, end: usize) -> io::Result<bool> {
    let mut position = start;
    while position + 1 < end {
        let window = source.at(position, WINDOW_BYTES.min(end - position))?;
        let window = &window[..window.len().min(end - position)];
        if let Some(at) = memchr::memmem::find(window, b"\";") {
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

/// Returns the first address from a position on.
fn search<S: Source>(
    source: &mut S,
    pairs: &Pairs,
    from: usize,
    end: usize,
) -> io::Result<Option<Hit>> {
    let mut position = from;
    while position < end {
        let behind = position.min(BEHIND_BYTES);
        let start = position - behind;
        let want = (WINDOW_BYTES + pairs.context()).min(end - start);
        let window = source.at(start, want)?;
        let window = &window[..window.len().min(end - start)];
        let is_last = start + window.len() >= end;
        let hit = pairs.find(window, behind);
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
) -> io::Result<Option<usize>> {
    let length = source.length();
    let mut position = from;
    while position < length {
        let want = (WINDOW_BYTES + 2 * pairs.context()).min(length - position);
        let window = source.at(position, want)?;
        if let Some(at) = pairs.next_base64(window, 0) {
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
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
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
