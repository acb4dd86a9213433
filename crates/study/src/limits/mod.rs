//! Limits on JSON text from outside, checked before anything is built from it.
//!
//! A short text can require much memory: serde collects the fields of a flattened or tagged type
//! before it interprets them, at 32 bytes a number. So [`JsonMeter::check`] first reads the tokens
//! of a text, without allocating, and compares each list with the limit of its name:
//!
//! ```text
//! {"runs":[{"samples":[{"read":{"latency":{"histogram":[[1000,1],[1001,1], ...
//!   runs    0  samples  0  read    latency    histogram: entry 3777 of at most 3776
//! ```
//!
//! A list or object without a limit of its own may have few entries, so a new list needs a line in
//! a table. The tables also give the memory of an entry; all entries together must fit into a
//! multiple of the length of the text. A text that is not JSON passes here, and serde refuses it.

mod list;
mod vocabulary;

use std::fmt;

use serde::de::{DeserializeOwned, Error};

pub use list::{ListLimit, TREE_ENTRY_BYTES};
pub use vocabulary::{CELLS_MAX, DEVICES_MAX, PERCENTILES_MAX, STATED_MAX, VOCABULARY};

/// The limits of one kind of document.
#[derive(Debug, Clone, Copy)]
pub struct JsonLimits {
    /// The limits of lists by name; the first match applies.
    pub lists: &'static [&'static [ListLimit]],
    /// The most entries of a list or object without a limit of its own.
    pub other_entries: usize,
    /// The memory of such an entry.
    pub other_entry_bytes: usize,
    /// The extra memory of each object: none if it becomes a type, much if it becomes a map.
    pub object_bytes: usize,
    /// The most bytes of one text, number or key.
    pub text_bytes: usize,
    /// The maximum nesting of lists and objects.
    pub depth: usize,
}

/// The limits of every format that this program writes itself; each adds its own tables of lists.
pub const OURS: JsonLimits = JsonLimits {
    lists: &[VOCABULARY],
    // The type with the most fields has 22.
    other_entries: 64,
    // A field that serde buffers: a key and a value.
    other_entry_bytes: 16,
    object_bytes: 0,
    // A study or a device profile, of 1 MiB each at most, is the longest text in any of them.
    text_bytes: 1 << 20,
    // An export nests ten deep, and the options of a profile in it a few more.
    depth: 32,
};

/// The memory that any text may need, however short it is.
const MEMORY_BYTES_MIN: u64 = 64 << 20;

/// The memory that a longer text may need per byte: the program's own output needs two to four.
pub const MEMORY_BYTES_PER_BYTE: u64 = 6;

/// A text exceeds the limits of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} {excess}")]
pub struct OverLimit {
    /// The place, for people: "`runs[0].samples[2].read.latency.histogram`".
    pub place: String,
    /// The exceeded limit.
    pub excess: Excess,
}

/// The limit that a text exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// Entries of a list or object: counted to one more than allowed.
    Entries {
        /// The number found so far.
        at_least: usize,
        /// The number allowed.
        limit: usize,
    },
    /// Bytes of a text, number or key.
    TextBytes {
        /// The number found.
        found: usize,
        /// The number allowed.
        limit: usize,
    },
    /// Nesting of lists and objects.
    Depth {
        /// The number of levels allowed.
        limit: usize,
    },
    /// Memory for its values.
    Memory {
        /// The memory allowed.
        limit_bytes: u64,
    },
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Excess::Entries { at_least, limit } => {
                write!(f, "has at least {at_least} entries, the limit is {limit}")
            }
            Excess::TextBytes { found, limit } => {
                write!(f, "has a text of {found} bytes, the limit is {limit}")
            }
            Excess::Depth { limit } => write!(f, "is nested more than {limit} levels deep"),
            Excess::Memory { limit_bytes } => write!(
                f,
                "and the values before it need more memory than the {} MiB that a document of this length may take",
                limit_bytes >> 20
            ),
        }
    }
}

impl JsonLimits {
    /// Checks a text that is a document of its own.
    ///
    /// # Errors
    /// [`OverLimit`] at the first place that exceeds a limit.
    pub fn check(&self, json: &[u8]) -> Result<(), OverLimit> {
        JsonMeter::new(self).check(json)
    }

    /// Reads a value from a text that is a document of its own, after [`JsonLimits::check`].
    ///
    /// # Errors
    /// The error of serde, or [`OverLimit`] as one of its errors.
    pub fn parse<T: DeserializeOwned>(&self, json: &[u8]) -> serde_json::Result<T> {
        self.check(json).map_err(serde_json::Error::custom)?;
        serde_json::from_slice(json)
    }
}

/// Counts the memory of all texts of one document together.
#[derive(Debug)]
pub struct JsonMeter<'a> {
    limits: &'a JsonLimits,
    allowed_bytes: u64,
    needed_bytes: u64,
}

impl<'a> JsonMeter<'a> {
    /// Returns a meter with all counts at zero.
    pub fn new(limits: &'a JsonLimits) -> Self {
        Self {
            limits,
            allowed_bytes: MEMORY_BYTES_MIN,
            needed_bytes: 0,
        }
    }

    /// Checks the next text. Cost: one pass over its bytes, and memory for its nesting only.
    ///
    /// # Errors
    /// [`OverLimit`] at the first place that exceeds a limit.
    pub fn check(&mut self, json: &[u8]) -> Result<(), OverLimit> {
        let length = u64::try_from(json.len()).unwrap_or(u64::MAX);
        let more = length.saturating_mul(MEMORY_BYTES_PER_BYTE);
        self.allowed_bytes = self.allowed_bytes.saturating_add(more);
        Scan {
            meter: self,
            json,
            at: 0,
            frames: Vec::new(),
            key: None,
        }
        .run()
    }
}

/// An open list or object.
struct Frame<'a> {
    key: Option<&'a [u8]>,
    is_object: bool,
    /// Whether the next text is a key.
    wants_key: bool,
    count: usize,
    limit: usize,
    entry_bytes: usize,
    /// The limits of lists directly in it, if its name has limits of its own.
    inner: Option<(usize, usize)>,
    is_tree: bool,
}

struct Scan<'a, 'm, 'l> {
    meter: &'m mut JsonMeter<'l>,
    json: &'a [u8],
    at: usize,
    frames: Vec<Frame<'a>>,
    /// The key of the next value.
    key: Option<&'a [u8]>,
}

impl<'a> Scan<'a, '_, '_> {
    fn run(&mut self) -> Result<(), OverLimit> {
        while let Some(byte) = self.json.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'{' | b'[' => {
                    self.begin_value()?;
                    self.open(*byte == b'{')?;
                }
                b'}' | b']' => {
                    self.at += 1;
                    // Closing more than was opened is not JSON.
                    if self.frames.pop().is_none() {
                        return Ok(());
                    }
                    self.key = None;
                }
                b',' => {
                    self.at += 1;
                    self.key = None;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.wants_key = frame.is_object;
                    }
                }
                b':' => {
                    self.at += 1;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.wants_key = false;
                    }
                }
                b'"' => {
                    if !self.text()? {
                        return Ok(());
                    }
                }
                _ => self.word()?,
            }
        }
        Ok(())
    }

    /// Counts a value in its list; the values of an object are counted by their keys.
    fn begin_value(&mut self) -> Result<(), OverLimit> {
        match self.frames.last() {
            Some(frame) if !frame.is_object => self.count_entry(),
            _ => Ok(()),
        }
    }

    fn count_entry(&mut self) -> Result<(), OverLimit> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(());
        };
        frame.count += 1;
        let (count, limit, bytes) = (frame.count, frame.limit, frame.entry_bytes);
        if count > limit {
            self.key = None;
            return Err(self.over(Excess::Entries {
                at_least: count,
                limit,
            }));
        }
        self.need(bytes)
    }

    fn need(&mut self, bytes: usize) -> Result<(), OverLimit> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.meter.needed_bytes = self.meter.needed_bytes.saturating_add(bytes);
        let limit_bytes = self.meter.allowed_bytes;
        match self.meter.needed_bytes > limit_bytes {
            true => Err(self.over(Excess::Memory { limit_bytes })),
            false => Ok(()),
        }
    }

    /// Begins a list or object.
    fn open(&mut self, is_object: bool) -> Result<(), OverLimit> {
        let limits = self.meter.limits;
        if self.frames.len() >= limits.depth {
            let limit = limits.depth;
            return Err(self.over(Excess::Depth { limit }));
        }
        let mut frame = Frame {
            key: self.key.take(),
            is_object,
            wants_key: is_object,
            count: 0,
            limit: limits.other_entries,
            entry_bytes: limits.other_entry_bytes,
            inner: None,
            is_tree: false,
        };
        let parent = self.frames.last();
        if let Some(tree) = parent.filter(|parent| parent.is_tree) {
            (frame.limit, frame.entry_bytes) = (tree.limit, tree.entry_bytes);
            frame.is_tree = true;
        } else if let Some(named) = frame.key.and_then(|key| self.limit_of(key)) {
            (frame.limit, frame.entry_bytes) = (named.entries, named.entry_bytes);
            (frame.inner, frame.is_tree) = (Some(named.inner), named.is_tree);
        } else if let Some(parent) = parent.filter(|parent| !is_object && !parent.is_object)
            && let Some(inner) = parent.inner
        {
            (frame.limit, frame.entry_bytes) = inner;
        }
        self.frames.push(frame);
        self.at += 1;
        self.need(if is_object { limits.object_bytes } else { 0 })
    }

    fn limit_of(&self, key: &[u8]) -> Option<ListLimit> {
        let around = self.frames.iter().rev().find_map(|frame| frame.key);
        let fits = |limit: &&ListLimit| {
            let is_within = |within: &str| around == Some(within.as_bytes());
            limit.list.as_bytes() == key && limit.within.is_none_or(is_within)
        };
        let mut lists = self.meter.limits.lists.iter().copied().flatten();
        lists.find(fits).copied()
    }

    /// Skips a text; returns whether it ends.
    fn text(&mut self) -> Result<bool, OverLimit> {
        let start = self.at + 1;
        let (mut at, mut escapes) = (start, 0);
        let length = loop {
            let rest = self.json.get(at..).unwrap_or_default();
            let Some(next) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                return Ok(false);
            };
            at += next;
            if self.json[at] == b'"' {
                // A truncated escape is not JSON, and shorter than it claims.
                break (at - start).saturating_sub(escapes);
            }
            let is_code = self.json.get(at + 1) == Some(&b'u');
            (at, escapes) = (at + 2, escapes + if is_code { 3 } else { 1 });
        };
        let text = &self.json[start..at];
        self.at = at + 1;
        let is_key = self.frames.last().is_some_and(|frame| frame.wants_key);
        if is_key {
            self.count_entry()?;
            self.key = Some(text);
        } else {
            self.begin_value()?;
        }
        self.bounded(length)?;
        self.need(length)?;
        Ok(true)
    }

    /// Skips a number or a word.
    fn word(&mut self) -> Result<(), OverLimit> {
        self.begin_value()?;
        let rest = &self.json[self.at..];
        let is_end = |byte: &u8| {
            matches!(
                byte,
                b',' | b']' | b'}' | b'[' | b'{' | b':' | b'"' | b' ' | b'\t' | b'\n' | b'\r'
            )
        };
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        self.bounded(length)?;
        self.at += length;
        Ok(())
    }

    fn bounded(&self, found: usize) -> Result<(), OverLimit> {
        let limit = self.meter.limits.text_bytes;
        match found > limit {
            true => Err(self.over(Excess::TextBytes { found, limit })),
            false => Ok(()),
        }
    }

    fn over(&self, excess: Excess) -> OverLimit {
        OverLimit {
            place: self.place(),
            excess,
        }
    }

    /// Returns the path of the current value, from the whole document down.
    fn place(&self) -> String {
        const KEY_CHARS_MAX: usize = 40;
        let mut path = String::new();
        let push_key = |path: &mut String, key: &[u8]| {
            let key = String::from_utf8_lossy(&key[..key.len().min(4 * KEY_CHARS_MAX)]);
            let plain = key.chars().filter(|c| !c.is_control() && *c != '`');
            if !path.is_empty() {
                path.push('.');
            }
            path.extend(plain.take(KEY_CHARS_MAX));
        };
        for (frame, inner) in self.frames.iter().zip(self.frames.iter().skip(1)) {
            match inner.key {
                Some(key) => push_key(&mut path, key),
                None => path.push_str(&format!("[{}]", frame.count.saturating_sub(1))),
            }
        }
        if let Some(key) = self.key {
            push_key(&mut path, key);
        }
        match path.is_empty() {
            true => "the document".to_owned(),
            false => format!("`{path}`"),
        }
    }
}

#[cfg(test)]
mod tests;
