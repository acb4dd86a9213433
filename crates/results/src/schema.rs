//! The tables, and the version of a file that has them.

use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Attempt, StoreError};
use crate::header::APPLICATION_ID;

/// The version that this program writes, and the only one that it reads. A change that older
/// programs would misread makes a new one.
pub(crate) const VERSION: u32 = 1;

const TABLES: &str = include_str!("schema.sql");

/// Returns the version of the file as SQLite sees it, log included.
fn version(connection: &Connection, attempt: Attempt) -> Result<u32, StoreError> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|source| attempt.failed(source))
}

/// Refuses a file that a newer program made newer since we looked at its header.
pub(crate) fn refuse_newer(connection: &Connection, attempt: Attempt) -> Result<(), StoreError> {
    let found = version(connection, attempt)?;
    match found > VERSION {
        true => Err(StoreError::NewerVersion {
            path: attempt.path.to_owned(),
            found,
            supported: VERSION,
        }),
        false => Ok(()),
    }
}

/// Makes the tables of an empty file; harmless when they are there already.
///
/// # Errors
/// [`StoreError::NotAStore`] if a file without version has tables, and what SQLite reports.
pub(crate) fn make_tables(connection: &mut Connection, attempt: Attempt) -> Result<(), StoreError> {
    let failed = |source| attempt.failed(source);
    if version(connection, attempt)? == VERSION {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have been faster.
    if version(&transaction, attempt)? == VERSION {
        return Ok(());
    }
    let objects: i64 = transaction
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    if objects != 0 {
        return Err(StoreError::NotAStore {
            path: attempt.path.to_owned(),
            found: "the SQLite file of another program",
        });
    }
    transaction
        .execute_batch(TABLES)
        .and_then(|()| transaction.pragma_update(None, "user_version", VERSION))
        .and_then(|()| transaction.pragma_update(None, "application_id", APPLICATION_ID))
        .and_then(|()| transaction.commit())
        .map_err(failed)
}

/// Switches to the write-ahead log, which lets others read while a run goes on; it stays in the file.
///
/// # Errors
/// [`StoreError::Locked`] after `patience`, and what SQLite reports.
pub(crate) fn use_write_ahead_log(
    connection: &Connection,
    attempt: Attempt,
    patience: Duration,
) -> Result<(), StoreError> {
    let deadline = Instant::now() + patience;
    loop {
        let mode: Result<String, _> =
            connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0));
        match mode.map_err(|source| attempt.failed(source)) {
            // A database in memory has nothing to keep.
            Ok(mode) if mode == "wal" || mode == "memory" => return Ok(()),
            Ok(_) => {
                return Err(StoreError::Open {
                    path: attempt.path.to_owned(),
                    source: std::io::Error::other(
                        "the filesystem cannot share memory between processes, which the write-ahead log needs",
                    ),
                });
            }
            // SQLite does not wait by itself here: two processes that create a store meet at this.
            Err(StoreError::Locked { .. }) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Refuses a file whose tables have damaged names, which the library cannot read as text.
pub(crate) fn refuse_names_that_are_no_text(
    connection: &Connection,
    attempt: Attempt,
) -> Result<(), StoreError> {
    let damaged = connection
        .prepare("SELECT CAST(sql AS BLOB) FROM sqlite_schema WHERE sql IS NOT NULL")
        .and_then(|mut statement| {
            let texts = statement.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
            texts.collect::<rusqlite::Result<Vec<_>>>()
        })
        .map_err(|source| attempt.failed(source))?
        .iter()
        .any(|text| std::str::from_utf8(text).is_err());
    match damaged {
        true => Err(attempt.corrupt("the names of its tables are damaged".to_owned(), None)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_file_without_version_that_has_tables_is_not_ours() {
        let attempt = Attempt {
            path: Path::new("other.db"),
            what: "open the store",
        };
        let mut connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE theirs (id)")
            .unwrap();
        let error = make_tables(&mut connection, attempt).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore { .. }));
        let names: Vec<String> = connection
            .prepare("SELECT name FROM sqlite_schema")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(names, ["theirs"]);
    }
}
