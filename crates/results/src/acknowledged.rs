//! Acknowledged changes: what changed at a run, who says so, and until when it holds.
//!
//! The table is made with the first acknowledgement, so a store without one is as older programs
//! made it. They ignore the table. Its rows name runs without a reference: the number of a
//! deleted run is never used again.

use crate::error::{Attempt, StoreError};
use crate::labels::require_run;
use crate::run::RunId;
use crate::sealed;
use crate::sql::{Param, Row, SqlResult, Transaction};
use crate::store::Store;
use crate::stored::from_integer;

/// The longest text of an acknowledgement, in bytes.
pub const ACK_BYTES_MAX: usize = 1000;

const TABLE: &str = "\
CREATE TABLE IF NOT EXISTS acknowledgement (
    id            INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL,
    text          TEXT    NOT NULL,
    by_whom       TEXT    NOT NULL,
    until_unix_ns INTEGER,
    made_unix_ns  INTEGER NOT NULL,
    row_checksum  INTEGER NOT NULL
) STRICT";

/// An acknowledgement of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The run at which something changed.
    pub run: RunId,
    /// What changed.
    pub text: String,
    /// Who acknowledges it.
    pub by: String,
    /// Until when it holds, in ns since 1970-01-01 UTC; `None` for ever.
    pub until_unix_ns: Option<u64>,
    /// When it was made, in ns since 1970-01-01 UTC.
    pub made_unix_ns: u64,
}

impl Store {
    /// Adds an acknowledgement.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be written.
    pub fn acknowledge(&mut self, one: &Acknowledgement) -> Result<(), StoreError> {
        self.write("acknowledge a change", |transaction, attempt| {
            require_run(transaction, attempt, one.run)?;
            make_table(transaction, attempt)?;
            insert(transaction, attempt, one)
        })
    }

    /// Returns all acknowledgements, the oldest first, expired ones, too.
    ///
    /// # Errors
    /// If the file cannot be read, or a row does not match its checksum.
    pub fn acknowledgements(&self) -> Result<Vec<Acknowledgement>, StoreError> {
        self.read("read acknowledgements", |transaction, attempt| {
            if !exists(transaction, attempt)? {
                return Ok(Vec::new());
            }
            let mut all = Vec::new();
            let query = "SELECT * FROM acknowledgement ORDER BY id";
            transaction.each(attempt, query, &[], |row| {
                sealed::verify(attempt, "acknowledgement", row, || {
                    "an acknowledgement".to_owned()
                })?;
                all.push(read(row).map_err(|source| attempt.failed(source))?);
                Ok(())
            })?;
            Ok(all)
        })
    }

    /// Removes the acknowledgements of a run; does nothing if it has none.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be written.
    pub fn remove_acknowledgements(&mut self, run: RunId) -> Result<(), StoreError> {
        self.write("remove acknowledgements", |transaction, attempt| {
            require_run(transaction, attempt, run)?;
            delete(transaction, attempt, run)
        })
    }
}

/// Makes the table in a file that has none; a server always has it.
pub(crate) fn make_table(transaction: &Transaction, attempt: Attempt) -> Result<(), StoreError> {
    match transaction.file() {
        Some(file) => file
            .execute_batch(TABLE)
            .map_err(|source| attempt.failed(source)),
        None => Ok(()),
    }
}

/// Inserts an acknowledgement; the table is there.
pub(crate) fn insert(
    transaction: &Transaction,
    attempt: Attempt,
    one: &Acknowledgement,
) -> Result<(), StoreError> {
    let columns = [
        ("run", Param::from(one.run.0)),
        ("text", Param::from(&one.text)),
        ("by_whom", Param::from(&one.by)),
        (
            "until_unix_ns",
            Param::from(one.until_unix_ns.map(u64::cast_signed)),
        ),
        ("made_unix_ns", Param::from(one.made_unix_ns.cast_signed())),
    ];
    sealed::insert_numbered(transaction, attempt, "acknowledgement", &columns).map(drop)
}

fn read(row: &Row) -> SqlResult<Acknowledgement> {
    let until: Option<i64> = row.get("until_unix_ns")?;
    Ok(Acknowledgement {
        run: RunId(row.get("run")?),
        text: row.get("text")?,
        by: row.get("by_whom")?,
        until_unix_ns: until.map(from_integer),
        made_unix_ns: from_integer(row.get("made_unix_ns")?),
    })
}

/// Removes the acknowledgements of a run, if there are any.
pub(crate) fn delete(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<(), StoreError> {
    if exists(transaction, attempt)? {
        transaction
            .execute(
                "DELETE FROM acknowledgement WHERE run = ?1",
                &[run.0.into()],
            )
            .map_err(|source| attempt.failed(source))?;
    }
    Ok(())
}

/// Returns whether the table is there: a server always has it.
fn exists(transaction: &Transaction, attempt: Attempt) -> Result<bool, StoreError> {
    let Some(file) = transaction.file() else {
        return Ok(true);
    };
    let query =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'acknowledgement'";
    let count: i64 = file
        .query_row(query, [], |row| row.get(0))
        .map_err(|source| attempt.failed(source))?;
    Ok(count > 0)
}
