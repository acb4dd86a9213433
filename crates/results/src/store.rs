//! The handle of a store: opens the file and runs all its transactions.
//!
//! Every write is one transaction. It takes the write lock at its start, checks that no newer
//! program has changed the tables, and is on the medium when it returns.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::{Attempt, StoreError};
use crate::header::{self, FileKind};
use crate::opening::{BUSY_TIMEOUT, OPEN, ReadOnlyPlace, absolute, connect, create_folders};
use crate::run::RunId;
use crate::schema::{self, VERSION};

/// The store of runs.
///
/// A run that was begun or claimed belongs to its handle. It becomes interrupted when the handle is
/// dropped or the process ends in any way.
///
/// While a store is open, do not open its file by other means in the same process: closing it there
/// would drop SQLite's locks.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// The runs that were begun or claimed but not finished.
    pub(crate) held: BTreeSet<RunId>,
    /// The failed write, if any.
    poisoned: Option<&'static str>,
}

impl Store {
    /// Opens the store at `path`; creates it and its directories if they do not exist.
    ///
    /// Only the owner can read new files.
    ///
    /// # Errors
    /// If the file is not a store or is newer (it is then not changed), or cannot be opened.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let path = absolute(path)?;
        if header::identify(&path, VERSION)? == FileKind::Nothing {
            create_folders(&path)?;
            header::create_empty(&path).map_err(|source| StoreError::Open {
                path: path.clone(),
                source,
            })?;
        }
        let connection = connect(&path, ReadOnlyPlace::Refused)?;
        Store::ready(connection, path)
    }

    /// Opens an existing store at `path`. A read-only one can still be read.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is none, [`StoreError::Empty`] if it is empty, else as
    /// [`Store::open`].
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        let path = absolute(path)?;
        match header::identify(&path, VERSION)? {
            FileKind::Nothing => return Err(StoreError::Missing { path }),
            FileKind::Empty => return Err(StoreError::Empty { path }),
            FileKind::Store => {}
        }
        let connection = connect(&path, ReadOnlyPlace::Allowed)?;
        Store::ready(connection, path)
    }

    /// Opens an in-memory store, for tests.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn in_memory() -> Result<Store, StoreError> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory()
            .map_err(|source| StoreError::from_sqlite(&path, OPEN, source))?;
        Store::ready(connection, path)
    }

    /// Sets how long to wait for another writer, instead of 5 s.
    ///
    /// # Errors
    /// If SQLite refuses it; no such case is known.
    pub fn set_busy_timeout(&mut self, timeout: Duration) -> Result<(), StoreError> {
        self.connection
            .busy_timeout(timeout)
            .map_err(|source| StoreError::from_sqlite(&self.path, OPEN, source))
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks every page, index and reference of the file. Cost: reads the whole file.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with SQLite's finding.
    pub fn check(&self) -> Result<(), StoreError> {
        self.refuse_if_poisoned()?;
        let attempt = self.attempt("check the file");
        let failed = |source| attempt.failed(source);
        let found: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(failed)?;
        if found != "ok" {
            return Err(attempt.corrupt(found, None));
        }
        let dangling: i64 = self
            .connection
            .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
                row.get(0)
            })
            .map_err(failed)?;
        if dangling != 0 {
            let what = format!("{dangling} row(s) refer to rows that do not exist");
            return Err(attempt.corrupt(what, None));
        }
        Ok(())
    }

    /// Sets up a new connection, and creates the tables of an empty file.
    fn ready(mut connection: Connection, path: PathBuf) -> Result<Store, StoreError> {
        let attempt = Attempt {
            path: &path,
            what: OPEN,
        };
        schema::refuse_invalid_utf8_names(&connection, attempt)?;
        schema::refuse_newer(&connection, attempt)?;
        let read_only = connection
            .is_readonly(rusqlite::MAIN_DB)
            .map_err(|source| attempt.failed(source))?;
        if !read_only {
            schema::make_tables(&mut connection, attempt)?;
            schema::use_write_ahead_log(&connection, attempt, BUSY_TIMEOUT)?;
        }
        Ok(Store {
            connection,
            path,
            held: BTreeSet::new(),
            poisoned: None,
        })
    }

    pub(crate) fn attempt(&self, what: &'static str) -> Attempt<'_> {
        Attempt {
            path: &self.path,
            what,
        }
    }

    pub(crate) fn refuse_if_poisoned(&self) -> Result<(), StoreError> {
        match self.poisoned {
            None => Ok(()),
            Some(attempted) => Err(StoreError::Poisoned {
                path: self.path.clone(),
                attempted,
            }),
        }
    }

    /// Runs `work` in one transaction that is durable when this returns.
    ///
    /// If `work` fails, nothing is written. If the write itself fails, the handle refuses further
    /// work, because the state of the file is then unknown until it is opened again.
    pub(crate) fn write<T>(
        &mut self,
        what: &'static str,
        work: impl FnOnce(&Transaction, Attempt) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.refuse_if_poisoned()?;
        let attempt = Attempt {
            path: &self.path,
            what,
        };
        let result = write(&mut self.connection, attempt, work);
        if result.as_ref().is_err_and(StoreError::poisons) {
            self.poisoned = Some(what);
        }
        result
    }

    /// Runs `work` on one snapshot of the file, regardless of concurrent writes.
    pub(crate) fn read<T>(
        &self,
        what: &'static str,
        work: impl FnOnce(&Transaction, Attempt) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.refuse_if_poisoned()?;
        let attempt = self.attempt(what);
        let transaction = self
            .connection
            .unchecked_transaction()
            .map_err(|source| attempt.failed(source))?;
        schema::refuse_newer(&transaction, attempt)?;
        work(&transaction, attempt)
    }
}

impl Drop for Store {
    /// Ends the remaining runs as interrupted, ignoring errors.
    fn drop(&mut self) {
        if self.poisoned.is_none() {
            self.release_held();
        }
    }
}

/// Returns the time in ns since 1970-01-01 UTC; 0 on a machine whose clock is before that.
pub fn unix_now_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| {
            u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
        })
}

fn write<T>(
    connection: &mut Connection,
    attempt: Attempt,
    work: impl FnOnce(&Transaction, Attempt) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let failed = |source| attempt.failed(source);
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    schema::refuse_newer(&transaction, attempt)?;
    let value = work(&transaction, attempt)?;
    transaction.commit().map_err(failed)?;
    Ok(value)
}
