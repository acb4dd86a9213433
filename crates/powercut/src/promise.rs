//! What a program under test promises, and whether the promises hold after a power cut.
//!
//! A program prints lines, and nothing but whole lines count:
//!
//! ```text
//! put ID BYTES HASH     it is about to write this value; needed where values are replaced
//! ack ID BYTES HASH     from here on it relies on this value
//! gone ID               from here on it relies on nothing under this name, as before a deletion
//! error ID              a check could not read this one
//! quiet                 it writes nothing more by itself: a moment for a cut
//! event NAME            maintenance begins or ends: a moment for cuts near it
//! ```
//!
//! `BYTES` is the size of the value and `HASH` any word that differs between values. A value that was
//! replaced is *old*; one that was announced but never acknowledged is on its way, and neither lost nor
//! wrong. A value that nobody announced is *wrong*, unless the program replaces values without `put`:
//! then nothing is known about it, and it is not accused.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stripewise_study::cut::{Loss, LostValues};
use stripewise_units::{Bytes, Nanos};

/// The longest name of a record, and the longest hash.
pub const WORD_BYTES_MAX: usize = 200;

/// A value: its size and a word that identifies its content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Value {
    /// Its size.
    pub bytes: u64,
    /// What tells it from others.
    pub hash: String,
}

/// A line of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// `put ID BYTES HASH`.
    Put {
        /// The record.
        id: String,
        /// Its value.
        value: Value,
    },
    /// `ack ID BYTES HASH`.
    Ack {
        /// The record.
        id: String,
        /// Its value.
        value: Value,
    },
    /// `gone ID`.
    Gone {
        /// The record.
        id: String,
    },
    /// `error ID`.
    Error {
        /// The record.
        id: String,
    },
    /// `quiet`.
    Quiet,
    /// `event NAME`.
    Event {
        /// Its name.
        name: String,
    },
    /// The program has ended with exit code 0; nothing prints this.
    Ended,
}

/// A line that looks like one of the protocol and is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It has other words than it should.
    #[error("`{line}` is no `{form}`")]
    Form {
        /// The line.
        line: String,
        /// What it should look like.
        form: &'static str,
    },
    /// A word is too long.
    #[error("`{beginning}` is longer than {WORD_BYTES_MAX} bytes")]
    Long {
        /// The beginning of the word.
        beginning: String,
    },
}

/// How a program's own line acknowledges a record: literal text around `{id}`, `{bytes}` and `{hash}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Text before each field.
    parts: Vec<(String, Field)>,
    /// Text behind the last.
    end: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Id,
    Bytes,
    Hash,
}

/// A pattern cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It has no `{id}`, or has a field twice.
    #[error("it has `{{id}}` once, and `{{bytes}}` and `{{hash}}` once at most")]
    Fields,
    /// Two fields have nothing between them.
    #[error("a space or other text stands between two fields")]
    Adjacent,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`PatternError`].
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let fields = [
            ("{id}", Field::Id),
            ("{bytes}", Field::Bytes),
            ("{hash}", Field::Hash),
        ];
        let (mut rest, mut parts) = (text, Vec::new());
        loop {
            let next = fields
                .iter()
                .filter_map(|(word, field)| rest.find(word).map(|at| (at, word.len(), *field)));
            let Some((at, length, field)) = next.min_by_key(|(at, ..)| *at) else {
                break;
            };
            if at == 0 && !parts.is_empty() {
                return Err(PatternError::Adjacent);
            }
            parts.push((rest[..at].to_owned(), field));
            rest = &rest[at + length..];
        }
        let count = |field| parts.iter().filter(|(_, of)| *of == field).count();
        if count(Field::Id) != 1 || count(Field::Bytes) > 1 || count(Field::Hash) > 1 {
            return Err(PatternError::Fields);
        }
        let end = rest.to_owned();
        Ok(Self { parts, end })
    }

    /// Returns what a line acknowledges; `None` if it does not match. A field is a word.
    fn read(&self, line: &str) -> Option<(String, Value)> {
        let mut rest = line;
        let mut id = None;
        let mut value = Value {
            bytes: 0,
            hash: String::new(),
        };
        for (index, (before, field)) in self.parts.iter().enumerate() {
            rest = rest.strip_prefix(before.as_str())?;
            let until = self.parts.get(index + 1).map_or(&self.end, |next| &next.0);
            let word_end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let end = match until.is_empty() {
                true => word_end,
                false => rest.find(until.as_str())?,
            };
            let word = rest.get(..end).filter(|_| end <= word_end)?;
            if word.is_empty() || word.len() > WORD_BYTES_MAX {
                return None;
            }
            match field {
                Field::Id => id = Some(word.to_owned()),
                Field::Bytes => value.bytes = word.parse().ok()?,
                Field::Hash => value.hash = word.to_owned(),
            }
            rest = &rest[end..];
        }
        (rest == self.end).then_some((id?, value))
    }
}

impl Line {
    /// Reads a line; `None` if it is no line of the protocol, and no acknowledgement by `pattern`.
    ///
    /// # Errors
    /// [`LineError`] if it begins as one and is none: a promise would be overlooked.
    pub fn parse(line: &str, pattern: Option<&Pattern>) -> Result<Option<Self>, LineError> {
        if let Some((id, value)) = pattern.and_then(|pattern| pattern.read(line)) {
            return Ok(Some(Line::Ack { id, value }));
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let form = match words.first() {
            Some(&"put") => "put ID BYTES HASH",
            Some(&"ack") => "ack ID BYTES HASH",
            Some(&"gone") => "gone ID",
            Some(&"error") => "error ID",
            Some(&"event") => "event NAME",
            Some(&"quiet") if words.len() == 1 => return Ok(Some(Line::Quiet)),
            _ => return Ok(None),
        };
        if let Some(long) = words.iter().find(|word| word.len() > WORD_BYTES_MAX) {
            let beginning = long.chars().take(40).collect();
            return Err(LineError::Long { beginning });
        }
        let id = || words[1].to_owned();
        let read = match words[..] {
            ["put", _, bytes, hash] => bytes.parse().ok().map(|bytes| Line::Put {
                id: id(),
                value: Value::new(bytes, hash),
            }),
            ["ack", _, bytes, hash] => bytes.parse().ok().map(|bytes| Line::Ack {
                id: id(),
                value: Value::new(bytes, hash),
            }),
            ["gone", _] => Some(Line::Gone { id: id() }),
            // A check may say why behind the name.
            ["error", _, ..] => Some(Line::Error { id: id() }),
            ["event", _] => Some(Line::Event { name: id() }),
            _ => None,
        };
        let line = || line.chars().take(100).collect();
        read.map(Some)
            .ok_or_else(|| LineError::Form { line: line(), form })
    }

    /// Returns whether it makes a promise from which the power may go.
    pub fn is_promise(&self) -> bool {
        matches!(self, Line::Ack { .. })
    }
}

impl Value {
    /// Returns a value.
    pub fn new(bytes: u64, hash: &str) -> Self {
        let hash = hash.to_owned();
        Self { bytes, hash }
    }
}

/// What a check found under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FoundFields", into = "FoundFields")]
pub struct Found {
    /// The record.
    pub id: String,
    /// Its value; `None` if it cannot be read.
    pub value: Option<Value>,
}

/// In JSON a list: there may be many.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum FoundFields {
    Value(String, u64, String),
    Error((String,)),
}

impl From<FoundFields> for Found {
    fn from(fields: FoundFields) -> Self {
        match fields {
            FoundFields::Value(id, bytes, hash) => Self {
                id,
                value: Some(Value { bytes, hash }),
            },
            FoundFields::Error((id,)) => Self { id, value: None },
        }
    }
}

impl From<Found> for FoundFields {
    fn from(found: Found) -> Self {
        match found.value {
            Some(Value { bytes, hash }) => FoundFields::Value(found.id, bytes, hash),
            None => FoundFields::Error((found.id,)),
        }
    }
}

/// The lines of a program's load, in the order of time.
#[derive(Debug, Clone, Default)]
pub struct Promises {
    noted: Vec<(Duration, Line)>,
}

/// The promises about one record.
#[derive(Debug, Default)]
struct OfRecord<'a> {
    /// Everything that was ever announced or acknowledged, before the cut or later.
    known: Vec<&'a Value>,
    /// What was acknowledged until the cut, in order.
    until: Vec<(Duration, &'a Value)>,
    /// What was announced or acknowledged after the latest acknowledgement before the cut.
    newer: Vec<&'a Value>,
    is_gone: bool,
}

impl Promises {
    /// Notes a line that arrived `at` this time since the recording began; later ones must not come
    /// before.
    pub fn note(&mut self, at: Duration, line: Line) {
        self.noted.push((at, line));
    }

    /// Returns all lines.
    pub fn all(&self) -> &[(Duration, Line)] {
        &self.noted
    }

    /// Returns how many values were acknowledged until `at`, and their bytes.
    pub fn acknowledged_until(&self, at: Duration) -> (u64, u64) {
        let until = self.noted.iter().take_while(|(noted, _)| *noted <= at);
        let sizes = until.filter_map(|(_, line)| match line {
            Line::Ack { value, .. } => Some(value.bytes),
            _ => None,
        });
        sizes.fold((0, 0), |(count, sum), bytes| {
            (count + 1, u64::saturating_add(sum, bytes))
        })
    }

    /// Returns what each record was promised to be at `at`.
    fn by_record(&self, at: Duration) -> BTreeMap<&str, OfRecord<'_>> {
        let mut records: BTreeMap<&str, OfRecord<'_>> = BTreeMap::new();
        for (noted, line) in &self.noted {
            match line {
                Line::Put { id, value } => {
                    let record = records.entry(id).or_default();
                    record.known.push(value);
                    record.newer.push(value);
                }
                Line::Ack { id, value } => {
                    let record = records.entry(id).or_default();
                    record.known.push(value);
                    match *noted <= at {
                        true => {
                            record.until.push((*noted, value));
                            record.newer.clear();
                            record.is_gone = false;
                        }
                        false => record.newer.push(value),
                    }
                }
                // A deletion on its way: both are right.
                Line::Gone { id } => records.entry(id).or_default().is_gone = true,
                _ => {}
            }
        }
        records
    }

    /// Returns what the promises became that a cut `at` this time left on the stack.
    ///
    /// `found` is what a check printed. `None` if a value is there of which nothing is known, because
    /// the program replaces values without announcing them.
    pub fn judge(&self, found: &[Found], at: Duration) -> Option<Loss> {
        let there: BTreeMap<&str, Option<&Value>> = found
            .iter()
            .map(|one| (one.id.as_str(), one.value.as_ref()))
            .collect();
        let records = self.by_record(at);
        let has_puts = self
            .noted
            .iter()
            .any(|(_, line)| matches!(line, Line::Put { .. }));
        let replaces = records.values().any(|record| {
            let mut acknowledged = record.until.iter().map(|(_, value)| value);
            let first = acknowledged.next();
            acknowledged.any(|value| Some(value) != first)
        });
        let (mut values, mut bytes, mut oldest) = (LostValues::default(), 0_u64, None);
        for (id, record) in &records {
            let Some((_, latest)) = record.until.last() else {
                continue;
            };
            if record.is_gone {
                continue;
            }
            let count = match there.get(id) {
                None => &mut values.missing,
                Some(None) => &mut values.unreadable,
                Some(Some(value)) if value == latest || record.newer.contains(value) => continue,
                Some(Some(value)) if record.until.iter().any(|(_, earlier)| earlier == value) => {
                    &mut values.old
                }
                Some(Some(value)) if record.known.contains(value) => &mut values.old,
                Some(Some(_)) if has_puts || !replaces => &mut values.wrong,
                Some(Some(_)) => return None,
            };
            *count += 1;
            bytes = bytes.saturating_add(latest.bytes);
            let since = record.lost_since(there.get(id).copied().flatten());
            oldest = [oldest, since].into_iter().flatten().min();
        }
        let LostValues {
            missing,
            old,
            unreadable,
            wrong,
        } = values;
        let age = oldest.map_or(Duration::ZERO, |oldest| at.saturating_sub(oldest));
        Some(Loss {
            records: missing + old + unreadable + wrong,
            bytes: Bytes::new(bytes),
            age_ns: Nanos::new(u64::try_from(age.as_nanos()).unwrap_or(u64::MAX)),
            corrupt: wrong,
            values: Some(values),
        })
    }
}

impl OfRecord<'_> {
    /// Returns when the first acknowledgement was given that `found` does not honour.
    fn lost_since(&self, found: Option<&Value>) -> Option<Duration> {
        let honoured = found.and_then(|found| {
            let mut acknowledged = self.until.iter();
            acknowledged.rposition(|(_, value)| *value == found)
        });
        let first = honoured.map_or(0, |place| place + 1);
        self.until.get(first).map(|(time, _)| *time)
    }
}

#[cfg(test)]
#[path = "promise_tests.rs"]
mod tests;
