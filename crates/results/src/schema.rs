//! The tables, and how a file of an older version becomes one of this version.
//!
//! Each migration is one transaction, and the version in the header changes with it. Afterwards the
//! write-ahead log is copied into the file, so that the header alone tells the version to a program
//! that looks before it opens (see `header.rs`).

mod version_1_rows;

use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::StoreError;
use crate::header::APPLICATION_ID;
use crate::owners;
use crate::store::Attempt;

/// A step from one version to the next.
#[derive(Clone, Copy)]
pub(crate) struct Migration {
    /// What it does to the tables.
    script: &'static str,
    /// What it does to their rows then.
    rows: fn(&Transaction, Attempt) -> Result<(), StoreError>,
}

/// The steps in order: the first makes version 1 of an empty file, the next version 2 of that.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        script: include_str!("schema/version_1.sql"),
        rows: |_, _| Ok(()),
    },
    Migration {
        script: include_str!("schema/version_2.sql"),
        rows: version_1_rows::seal_all,
    },
    Migration {
        script: include_str!("schema/version_3.sql"),
        rows: |_, _| Ok(()),
    },
];

/// The version that this program writes, and the highest that it reads.
pub(crate) const VERSION: u32 = 3;
const _: () = assert!(MIGRATIONS.len() == VERSION as usize);

/// Returns the version of the file as SQLite sees it, log included.
pub(crate) fn version(connection: &Connection, attempt: Attempt) -> Result<u32, StoreError> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|source| attempt.failed(source))
}

/// Refuses a file that a newer program made newer since we looked at its header.
pub(crate) fn refuse_newer(connection: &Connection, attempt: Attempt) -> Result<u32, StoreError> {
    refuse_names_that_are_no_text(connection, attempt)?;
    let found = version(connection, attempt)?;
    if found > VERSION {
        return Err(StoreError::NewerVersion {
            path: attempt.path.to_owned(),
            found,
            supported: VERSION,
        });
    }
    Ok(found)
}

/// Brings a file to the version of the last of `migrations`; harmless when it is there already.
///
/// # Errors
/// [`StoreError::RunAlive`] if an older program is executing a run in it, [`StoreError::NotAStore`]
/// if a file without version has tables, and what SQLite reports.
pub(crate) fn bring_up_to_date(
    connection: &mut Connection,
    attempt: Attempt,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    let failed = |source| attempt.failed(source);
    if usize_version(version(connection, attempt)?) >= migrations.len() {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have been faster.
    let found = usize_version(version(&transaction, attempt)?);
    if found >= migrations.len() {
        return Ok(());
    }
    if found == 0 {
        let objects: i64 = transaction
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(failed)?;
        if objects != 0 {
            return Err(StoreError::NotAStore {
                path: attempt.path.to_owned(),
                found: "the SQLite file of another program",
            });
        }
    } else {
        owners::refuse_living_runs(&transaction, attempt)?;
    }
    for (migration, version) in migrations.iter().zip(1_u32..).skip(found) {
        transaction
            .execute_batch(migration.script)
            .map_err(failed)?;
        (migration.rows)(&transaction, attempt)?;
        transaction
            .pragma_update(None, "user_version", version)
            .map_err(failed)?;
    }
    transaction
        .pragma_update(None, "application_id", APPLICATION_ID)
        .map_err(failed)?;
    transaction.commit().map_err(failed)?;
    if found > 0 {
        // A reader may be in the way; then the version is told only after opening.
        connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(failed)?;
    }
    Ok(())
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

fn usize_version(version: u32) -> usize {
    usize::try_from(version).unwrap_or(usize::MAX)
}

/// Refuses a file whose tables have damaged names, which the library cannot read as text.
fn refuse_names_that_are_no_text(
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
    use crate::{NewRun, RunEnd, Store};
    use std::path::{Path, PathBuf};
    use stripewise_study::facts::Facts;

    /// A version 4 that is to come one day.
    const FOUR: &[Migration] = &[
        MIGRATIONS[0],
        MIGRATIONS[1],
        MIGRATIONS[2],
        Migration {
            script: "CREATE TABLE later (id INTEGER) STRICT;",
            rows: |_, _| Ok(()),
        },
    ];

    fn store_file() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        drop(Store::open(&path).unwrap());
        (folder, path)
    }

    fn attempt(path: &Path) -> Attempt<'_> {
        Attempt {
            path,
            what: "migrate",
        }
    }

    fn tables(connection: &Connection) -> Vec<String> {
        let mut statement = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            .unwrap();
        let names = statement.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    }

    #[test]
    fn an_older_file_is_brought_up_to_date_and_its_header_says_so() {
        let (_folder, path) = store_file();
        let mut connection = Connection::open(&path).unwrap();
        bring_up_to_date(&mut connection, attempt(&path), FOUR).unwrap();
        bring_up_to_date(&mut connection, attempt(&path), FOUR).unwrap();
        assert!(tables(&connection).contains(&"later".to_owned()));
        // The connection is still open: nothing but the migration wrote the header.
        let header = std::fs::read(&path).unwrap();
        assert_eq!(header[60..64], [0, 0, 0, 4]);
        assert_eq!(header[68..72], *b"STRW");
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::NewerVersion { found: 4, .. }));
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let (_folder, path) = store_file();
        let mut connection = Connection::open(&path).unwrap();
        let before = tables(&connection);
        let breaks_tables = Migration {
            script: "CREATE TABLE later (id INTEGER); CREATE TABLE run (id);",
            ..FOUR[3]
        };
        let breaks_rows = Migration {
            rows: |_, attempt| Err(attempt.corrupt("a row".to_owned(), None)),
            ..FOUR[3]
        };
        for broken in [breaks_tables, breaks_rows] {
            let broken = [FOUR[0], FOUR[1], FOUR[2], broken];
            assert!(bring_up_to_date(&mut connection, attempt(&path), &broken).is_err());
            assert_eq!(tables(&connection), before);
            assert_eq!(version(&connection, attempt(&path)).unwrap(), 3);
        }
    }

    #[test]
    fn tables_are_not_changed_under_a_run_that_is_being_executed() {
        let (_folder, path) = store_file();
        let mut store = Store::open(&path).unwrap();
        let new = NewRun {
            world: "metal".into(),
            study_name: "long".into(),
            question: None,
            study_text: String::new(),
            seed: 0,
            options: serde_json::Value::Null,
            tool_version: "0".into(),
            started_unix_ns: 0,
        };
        let run = store.begin_run(&new, &[], &Facts::default()).unwrap();
        let mut connection = Connection::open(&path).unwrap();
        let error = bring_up_to_date(&mut connection, attempt(&path), FOUR).unwrap_err();
        assert!(matches!(error, StoreError::RunAlive { .. }), "{error}");
        store.finish_run(run, RunEnd::Done).unwrap();
        bring_up_to_date(&mut connection, attempt(&path), FOUR).unwrap();
    }

    #[test]
    fn a_file_without_version_that_has_tables_is_not_ours() {
        let path = Path::new("other.db");
        let mut connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE theirs (id)")
            .unwrap();
        let error = bring_up_to_date(&mut connection, attempt(path), MIGRATIONS).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore { .. }));
        assert_eq!(tables(&connection), ["theirs"]);
    }
}
