//! Acknowledged changes: what changed at a run, who says so, and until when it holds.
//!
//! The table is made with the first acknowledgement, so a store without one is as older programs
//! made it. They ignore the table. Its rows name runs without a reference: the number of a
//! deleted run is never used again.

use rusqlite::{Row, Transaction, params};

use crate::error::{Attempt, StoreError};
use crate::labels::require_run;
use crate::run::RunId;
use crate::sealed::{self, seal_inserted};
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
            let failed = |source| attempt.failed(source);
            require_run(transaction, attempt, one.run)?;
            transaction.execute_batch(TABLE).map_err(failed)?;
            let until = one.until_unix_ns.map(u64::cast_signed);
            transaction
                .execute(
                    "INSERT INTO acknowledgement
                         (run, text, by_whom, until_unix_ns, made_unix_ns, row_checksum)
                     VALUES (?1, ?2, ?3, ?4, ?5, 0)",
                    params![
                        one.run.0,
                        one.text,
                        one.by,
                        until,
                        one.made_unix_ns.cast_signed()
                    ],
                )
                .map_err(failed)?;
            seal_inserted(transaction, attempt, "acknowledgement")
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
            let failed = |source| attempt.failed(source);
            let mut statement = transaction
                .prepare("SELECT * FROM acknowledgement ORDER BY id")
                .map_err(failed)?;
            let mut rows = statement.query([]).map_err(failed)?;
            let mut all = Vec::new();
            while let Some(row) = rows.next().map_err(failed)? {
                sealed::verify(attempt, "acknowledgement", row, || {
                    "an acknowledgement".to_owned()
                })?;
                all.push(read(row).map_err(failed)?);
            }
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

fn read(row: &Row) -> rusqlite::Result<Acknowledgement> {
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
            .execute("DELETE FROM acknowledgement WHERE run = ?1", [run.0])
            .map_err(|source| attempt.failed(source))?;
    }
    Ok(())
}

fn exists(transaction: &Transaction, attempt: Attempt) -> Result<bool, StoreError> {
    let query =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'acknowledgement'";
    let count: i64 = transaction
        .query_row(query, [], |row| row.get(0))
        .map_err(|source| attempt.failed(source))?;
    Ok(count > 0)
}
