//! The tables, and the version of a file that has them.

use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::{Attempt, StoreError};
use crate::header::APPLICATION_ID;

/// The version that this program writes; it reads all versions from 1 on. Increment it for a change
/// that older programs would misread.
///
/// Version 2 has the world of a run in its options as one value. A row of version 1 stays as it is: a
/// file gets version 2 with the first run that needs it.
pub(crate) const VERSION: u32 = 2;

const TABLES: &str = include_str!("schema.sql");

/// Returns the version of the file as SQLite sees it, including the log.
fn version(connection: &Connection, attempt: Attempt) -> Result<u32, StoreError> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|source| attempt.failed(source))
}

/// Refuses a file that a newer program has upgraded since we read its header.
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

/// Creates the tables of an empty file; does nothing if they exist.
///
/// # Errors
/// [`StoreError::NotAStore`] if a file without version has tables, and what SQLite reports.
pub(crate) fn make_tables(connection: &mut Connection, attempt: Attempt) -> Result<(), StoreError> {
    let failed = |source| attempt.failed(source);
    if version(connection, attempt)? > 0 {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have created them meanwhile.
    if version(&transaction, attempt)? > 0 {
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

/// Gives a file of an older version the version of this program: its next row needs it.
pub(crate) fn upgrade(transaction: &Transaction, attempt: Attempt) -> Result<(), StoreError> {
    if version(transaction, attempt)? == VERSION {
        return Ok(());
    }
    transaction
        .pragma_update(None, "user_version", VERSION)
        .map_err(|source| attempt.failed(source))
}

/// Switches to the write-ahead log, so that other processes can read during a run; the file keeps
/// this mode.
///
/// # Errors
/// [`StoreError::Locked`] after `timeout`, and what SQLite reports.
pub(crate) fn use_write_ahead_log(
    connection: &Connection,
    attempt: Attempt,
    timeout: Duration,
) -> Result<(), StoreError> {
    let deadline = Instant::now() + timeout;
    loop {
        let mode: Result<String, _> =
            connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0));
        match mode.map_err(|source| attempt.failed(source)) {
            // An in-memory database needs no log.
            Ok(mode) if mode == "wal" || mode == "memory" => return Ok(()),
            Ok(_) => {
                return Err(StoreError::Open {
                    path: attempt.path.to_owned(),
                    source: std::io::Error::other(
                        "the filesystem cannot share memory between processes, which the write-ahead log needs",
                    ),
                });
            }
            // SQLite's busy timeout does not apply here, where two processes that create a store
            // collide.
            Err(StoreError::Locked { .. }) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Refuses a file whose table definitions are not UTF-8, which the library cannot read.
pub(crate) fn refuse_invalid_utf8_names(
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
    fn a_file_with_tables_but_without_version_is_refused() {
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
