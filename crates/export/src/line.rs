//! A line of CSV whose fields are asked for by the head of their column.

use std::collections::HashMap;

use ::csv::{Position, StringRecord};

use crate::read::ReadError;
use crate::text::{from_field, plain};

/// Where each column is.
pub(crate) struct Head(HashMap<String, usize>);

impl Head {
    /// Takes the first line. Where two columns have one head, the first is meant.
    pub(crate) fn new(record: &StringRecord) -> Self {
        let mut places = HashMap::new();
        for (place, head) in record.iter().enumerate() {
            // Spreadsheets begin a file with a mark of the byte order.
            let head = head.trim_start_matches('\u{feff}').trim().to_owned();
            places.entry(head).or_insert(place);
        }
        Self(places)
    }

    /// Returns whether there is such a column.
    pub(crate) fn has(&self, head: &str) -> bool {
        self.0.contains_key(head)
    }
}

/// A line below the head.
pub(crate) struct Line<'a> {
    head: &'a Head,
    record: &'a StringRecord,
    number: u64,
}

/// Returns the line, from 1, on which a position in a file is.
pub(crate) fn line_of(file: &[u8], position: &Position) -> u64 {
    let byte = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    // Before a line that follows CR LF the reader still stands on the LF.
    position.line() + u64::from(file.get(byte) == Some(&b'\n'))
}

impl<'a> Line<'a> {
    /// Takes a record of `file`.
    pub(crate) fn new(head: &'a Head, record: &'a StringRecord, file: &[u8]) -> Self {
        let position = record.position();
        Self {
            head,
            record,
            number: position.map_or(0, |position| line_of(file, position)),
        }
    }

    /// Returns its number in the file, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns an error about this line.
    pub(crate) fn problem(&self, problem: impl Into<String>) -> ReadError {
        ReadError::Line {
            line: self.number(),
            problem: problem.into(),
        }
    }

    /// Returns an error about a field that must not be empty.
    pub(crate) fn missing(&self, head: &str) -> ReadError {
        self.problem(match self.head.has(head) {
            true => format!("`{head}` is empty"),
            false => format!("there is no column `{head}`"),
        })
    }

    /// Returns an error about a field that is not what it must be.
    pub(crate) fn unexpected(&self, head: &str, value: &str, expected: &str) -> ReadError {
        let value = plain(value);
        self.problem(format!("`{head}` is `{value}`, expected {expected}"))
    }

    /// Returns the text of a field as it was exported; nothing where it is empty.
    pub(crate) fn text(&self, head: &str) -> Option<String> {
        let field = self.field(head)?;
        Some(from_field(field).to_owned())
    }

    /// Returns the text of a field that must not be empty.
    pub(crate) fn required(&self, head: &str) -> Result<String, ReadError> {
        self.text(head).ok_or_else(|| self.missing(head))
    }

    /// Returns a count that must be there.
    pub(crate) fn count(&self, head: &str) -> Result<u64, ReadError> {
        self.optional_count(head)?.ok_or_else(|| self.missing(head))
    }

    /// Returns a count; nothing where the field is empty.
    pub(crate) fn optional_count(&self, head: &str) -> Result<Option<u64>, ReadError> {
        let expected = "a whole number";
        let parse = |field: &str| {
            let digits = field.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| field.parse().ok()).flatten()
        };
        self.parsed(head, expected, parse)
    }

    /// Returns a finite number that is not negative; nothing where the field is empty.
    pub(crate) fn number_or_none(&self, head: &str) -> Result<Option<f64>, ReadError> {
        self.parsed(head, "a number", |field| {
            let number: f64 = field.parse().ok()?;
            (number.is_finite() && number >= 0.0).then_some(number)
        })
    }

    /// Returns yes or no; nothing where the field is empty. Spreadsheets write them in capitals.
    pub(crate) fn flag(&self, head: &str) -> Result<Option<bool>, ReadError> {
        self.parsed(head, "`true` or `false`", |field| {
            match field.to_ascii_lowercase().as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            }
        })
    }

    /// Returns what `parse` makes of a field; nothing where the field is empty.
    pub(crate) fn parsed<T>(
        &self,
        head: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ReadError> {
        let Some(field) = self.field(head) else {
            return Ok(None);
        };
        match parse(field) {
            Some(value) => Ok(Some(value)),
            None => Err(self.unexpected(head, field, expected)),
        }
    }

    fn field(&self, head: &str) -> Option<&'a str> {
        let field = self.record.get(*self.head.0.get(head)?)?;
        Some(field).filter(|field| !field.is_empty())
    }
}
