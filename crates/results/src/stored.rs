//! What values look like in the file, in both directions. Nothing else converts.
//!
//! A value of the vocabulary is stored as the JSON that its type defines, with the version of that
//! definition beside it. Numbers of 64 bits without sign do not fit SQLite's integers, so seeds are
//! text; times until the year 2262 and counts of rows fit.

use serde::Serialize;
use serde::de::DeserializeOwned;
use stripewise_study::sample::{Role, SampleRecord};

use crate::error::StoreError;
use crate::run::{RunEnd, RunId, RunState};
use crate::store::Attempt;

/// How documents are written now. A change that older programs would misread makes a new one.
const DOCUMENT_VERSION: u32 = 1;

/// The columns of a document, in the order of [`Document::from_row`].
pub(crate) const DOCUMENT_COLUMNS: &str = "document_version, document_checksum, document";

/// The JSON of a value that is about to be stored.
pub(crate) struct Document(String);

impl Document {
    /// Returns the document of a value, having made sure that it reads back as the same value.
    ///
    /// JSON has no infinity and no "not a number", and paths need not be UTF-8: better to refuse
    /// such a value now than to have a run that nobody can read. `what` names it in the error.
    ///
    /// # Errors
    /// [`StoreError::NotStorable`].
    pub(crate) fn of<T>(what: &'static str, value: &T) -> Result<Document, StoreError>
    where
        T: Serialize + DeserializeOwned + PartialEq,
    {
        let not_storable = |source| StoreError::NotStorable { what, source };
        let text = serde_json::to_string(value).map_err(|error| not_storable(Some(error)))?;
        let back: T = serde_json::from_str(&text).map_err(|error| not_storable(Some(error)))?;
        if back == *value {
            Ok(Document(text))
        } else {
            Err(not_storable(None))
        }
    }

    /// Returns the document with the checksum that binds it to the rest of its row.
    pub(crate) fn in_row(&self, row: &RowKey) -> StoredDocument {
        StoredDocument {
            version: DOCUMENT_VERSION,
            checksum: checksum(&row.0, &self.0),
            text: self.0.clone(),
        }
    }
}

/// The other columns of a document's row that must be right for it to mean anything.
pub(crate) struct RowKey(String);

impl RowKey {
    /// The row of a sample.
    pub(crate) fn sample(run: RunId, number: u64, record: &SampleRecord) -> RowKey {
        // All fields by name: a new one must not be forgotten here.
        let SampleRecord {
            cell,
            block,
            role,
            seed,
            sample: _,
        } = record;
        let role = role_to_text(*role);
        let seed = seed.map_or("-".to_owned(), |seed| seed.to_string());
        RowKey(format!(
            "sample/{run}/{number}/{cell}/{block}/{role}/{seed}/"
        ))
    }

    /// The row of a cell.
    pub(crate) fn cell(run: RunId, index: usize) -> RowKey {
        RowKey(format!("cell/{run}/{index}/"))
    }

    /// A row of facts.
    pub(crate) fn facts(run: RunId, taken_unix_ns: u64) -> RowKey {
        RowKey(format!("facts/{run}/{taken_unix_ns}/"))
    }

    /// The row of a warning.
    pub(crate) fn warning(run: RunId, cell: Option<usize>) -> RowKey {
        let cell = cell.map_or("-".to_owned(), |cell| cell.to_string());
        RowKey(format!("warning/{run}/{cell}/"))
    }

    /// The row of a change.
    pub(crate) fn change(run: RunId) -> RowKey {
        RowKey(format!("change/{run}/"))
    }
}

/// A document as it is in a row: three columns.
pub(crate) struct StoredDocument {
    pub(crate) version: u32,
    pub(crate) checksum: i64,
    pub(crate) text: String,
}

impl StoredDocument {
    /// Takes the [`DOCUMENT_COLUMNS`], which are always a query's first three.
    pub(crate) fn from_row(row: &rusqlite::Row) -> rusqlite::Result<StoredDocument> {
        Ok(StoredDocument {
            version: row.get(0)?,
            checksum: row.get(1)?,
            text: row.get(2)?,
        })
    }

    /// Returns the value. `place` names the row where it cannot be read.
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
        serde_json::from_str(&self.text).map_err(|error| {
            attempt.corrupt(format!("{} cannot be read", place()), Some(Box::new(error)))
        })
    }

    /// Makes sure that the row is as it was written.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`].
    pub(crate) fn verify(
        &self,
        attempt: Attempt,
        row: &RowKey,
        place: impl FnOnce() -> String,
    ) -> Result<(), StoreError> {
        if self.checksum == checksum(&row.0, &self.text) {
            Ok(())
        } else {
            Err(attempt.corrupt(format!("{} is not what was written", place()), None))
        }
    }
}

/// Returns the 64-bit FNV-1a hash of a row's key and document, its bits taken as a signed integer.
///
/// SQLite keeps no checksums, and a flipped bit in a digit is still a number. Each step is
/// invertible, so a change of any one byte changes the hash
/// (Fowler, Noll, Vo: <https://www.rfc-editor.org/rfc/rfc9923>).
fn checksum(key: &str, document: &str) -> i64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    key.bytes()
        .chain(document.bytes())
        .fold(OFFSET_BASIS, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(PRIME)
        })
        .cast_signed()
}

/// Returns a time or count as SQLite stores it; what does not fit becomes the largest that does.
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

/// Returns the role that a word in the file stands for.
pub(crate) fn role_from_text(text: &str) -> Option<Role> {
    match text {
        "warm_up" => Some(Role::WarmUp),
        "counted" => Some(Role::Counted),
        _ => None,
    }
}

/// Returns the word for an end in the file.
pub(crate) fn end_to_text(end: RunEnd) -> &'static str {
    RunState::from(end).as_str()
}

/// Returns the state that a word in the file stands for.
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
    fn the_checksum_is_fnv_1a() {
        // Test vectors of the reference implementation.
        assert_eq!(checksum("", "").cast_unsigned(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum("a", "").cast_unsigned(), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(
            checksum("foo", "bar").cast_unsigned(),
            0x8594_4171_f739_67e8
        );
    }

    #[test]
    fn a_value_that_would_not_read_back_is_refused() {
        assert!(Document::of("a number", &1.5_f64).is_ok());
        for number in [f64::NAN, f64::INFINITY] {
            let refused = Document::of("a number", &number);
            assert!(matches!(refused, Err(StoreError::NotStorable { .. })));
        }
    }
}
