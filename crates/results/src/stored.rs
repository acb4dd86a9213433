//! All conversions between values and their form in the file.
//!
//! A value of the vocabulary is stored as the JSON of its type, with the version of that format.
//! Unsigned 64-bit numbers do not fit SQLite's integers, so seeds are text; times until the year
//! 2262 and counts of rows fit.

use serde::Serialize;
use serde::de::DeserializeOwned;
use stripewise_study::limits::{JsonLimits, OURS, TREE_ENTRY_BYTES};
use stripewise_study::sample::Role;

use crate::error::{Attempt, StoreError};
use crate::run::RunState;
use crate::sql::{Row, SqlResult};

/// The current document version. Increment it for a change that older programs would misread.
const DOCUMENT_VERSION: u32 = 1;

/// The limits of a document: a store may come from elsewhere and be hostile.
const LIMITS: &JsonLimits = &OURS;

/// The limits of a run's options, which are kept unchanged.
pub(crate) const OPTIONS: &JsonLimits = &JsonLimits {
    lists: &[],
    other_entries: 10_000,
    other_entry_bytes: TREE_ENTRY_BYTES,
    ..OURS
};

/// The JSON of a value to store.
pub(crate) struct Document {
    pub(crate) version: u32,
    pub(crate) text: String,
}

impl Document {
    /// Returns the document of a value, after checking that it reads back as the same value.
    ///
    /// JSON has no infinity and no NaN, and paths need not be UTF-8: refusing such a value now is
    /// better than storing an unreadable run. `what` names it in the error.
    ///
    /// # Errors
    /// [`StoreError::NotStorable`].
    pub(crate) fn of<T>(what: &'static str, value: &T) -> Result<Document, StoreError>
    where
        T: Serialize + DeserializeOwned + PartialEq,
    {
        let not_storable = |source| StoreError::NotStorable { what, source };
        let text = serde_json::to_string(value).map_err(|error| not_storable(Some(error)))?;
        let back: T = LIMITS
            .parse(text.as_bytes())
            .map_err(|error| not_storable(Some(error)))?;
        if back == *value {
            Ok(Document {
                version: DOCUMENT_VERSION,
                text,
            })
        } else {
            Err(not_storable(None))
        }
    }
}

/// A document from a row.
pub(crate) struct StoredDocument {
    version: u32,
    text: String,
}

impl StoredDocument {
    /// Reads the columns of a document.
    pub(crate) fn from_row(row: &Row) -> SqlResult<StoredDocument> {
        Ok(StoredDocument {
            version: row.get("document_version")?,
            text: row.get("document")?,
        })
    }

    /// Returns the value. `place` names the row in errors.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`].
    pub(crate) fn parse<T: DeserializeOwned>(
        &self,
        attempt: Attempt,
        place: impl FnOnce() -> String,
    ) -> Result<T, StoreError> {
        if self.version != DOCUMENT_VERSION {
            let what = format!("{} has document version {}", place(), self.version);
            return Err(attempt.corrupt(what, None));
        }
        LIMITS.parse(self.text.as_bytes()).map_err(|error| {
            attempt.corrupt(format!("{} cannot be read", place()), Some(Box::new(error)))
        })
    }
}

/// Returns a time or count as SQLite stores it; a larger one becomes the largest integer.
pub(crate) fn to_integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns a time or count from the file; a negative one, which we never write, as 0.
pub(crate) fn from_integer(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Returns the index of a cell as SQLite stores it.
pub(crate) fn to_cell_index(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}

/// Returns the word for a role in the file.
pub(crate) fn role_to_text(role: Role) -> &'static str {
    match role {
        Role::WarmUp => "warm_up",
        Role::Counted => "counted",
    }
}

/// Returns the role for a word in the file.
pub(crate) fn role_from_text(text: &str) -> Option<Role> {
    match text {
        "warm_up" => Some(Role::WarmUp),
        "counted" => Some(Role::Counted),
        _ => None,
    }
}

/// Returns the state for a word in the file.
pub(crate) fn state_from_text(text: &str) -> Option<RunState> {
    match text {
        "running" => Some(RunState::Running),
        "done" => Some(RunState::Done),
        "interrupted" => Some(RunState::Interrupted),
        "failed" => Some(RunState::Failed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_would_not_read_back_is_refused() {
        assert!(Document::of("a number", &1.5_f64).is_ok());
        for number in [f64::NAN, f64::INFINITY] {
            let refused = Document::of("a number", &number);
            assert!(matches!(refused, Err(StoreError::NotStorable { .. })));
        }
    }
}
