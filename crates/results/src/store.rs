//! The handle of a store: opens the file, or connects to the server, and runs all its transactions.
//!
//! Every write is one transaction. It takes the write lock at its start, checks that no newer
//! program has changed the tables, and is on the medium when it returns.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::TransactionBehavior;

use crate::error::{Attempt, StoreError};
use crate::header::{self, FileKind};
use crate::opening::{BUSY_TIMEOUT, OPEN, ReadOnlyPlace, absolute, connect, create_folders};
use crate::place::Address;
use crate::run::RunId;
use crate::schema::{self, VERSION};
use crate::sql::Transaction;

/// The store of runs.
///
/// A run that was begun or claimed belongs to its handle. It becomes interrupted when the handle is
/// dropped or the process ends in any way.
///
/// While a store is open, do not open its file by other means in the same process: closing it there
/// would drop SQLite's locks.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    pub(crate) path: PathBuf,
    /// The runs that were begun or claimed but not finished.
    pub(crate) held: BTreeSet<RunId>,
    /// The failed write, if any.
    poisoned: Option<&'static str>,
}

/// The database behind a store.
#[derive(Debug)]
enum Connection {
    File(rusqlite::Connection),
    #[cfg(feature = "postgres")]
    Server(crate::server::connection::Connection),
}

/// Who writes to a running run: the process itself in a file, the holder of a lease on a server.
#[derive(Debug, Clone)]
pub(crate) enum Holder {
    Process,
    #[cfg(feature = "postgres")]
    Lease(String, Duration),
}

impl Store {
    /// Opens the store at `path`; creates it and its directories if they do not exist. On a server
    /// ([`is_on_server`](crate::is_on_server)) it makes the tables.
    ///
    /// Only the owner can read new files.
    ///
    /// # Errors
    /// If the file is not a store or is newer (it is then not changed), or cannot be opened.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if let Some(address) = Address::of(path)? {
            return Store::on_server(address, true);
        }
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
        if let Some(address) = Address::of(path)? {
            return Store::on_server(address, false);
        }
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
        let connection = rusqlite::Connection::open_in_memory()
            .map_err(|source| StoreError::from_sqlite(&path, OPEN, source))?;
        Store::ready(connection, path)
    }

    /// Sets how long to wait for another writer, instead of 5 s.
    ///
    /// # Errors
    /// If SQLite refuses it; no such case is known.
    pub fn set_busy_timeout(&mut self, timeout: Duration) -> Result<(), StoreError> {
        match &self.connection {
            Connection::File(file) => file
                .busy_timeout(timeout)
                .map_err(|source| StoreError::from_sqlite(&self.path, OPEN, source)),
            #[cfg(feature = "postgres")]
            Connection::Server(server) => server.set_lock_timeout(timeout),
        }
    }

    /// Sets how long a lease of this handle lasts on a server, instead of a minute. In a file a run
    /// belongs to its process.
    pub fn set_lease(&mut self, lasts: Duration) {
        match &mut self.connection {
            Connection::File(_) => _ = lasts,
            #[cfg(feature = "postgres")]
            Connection::Server(server) => server.set_lease(lasts),
        }
    }

    /// Returns the file, or the address of the server.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks every page, index and reference of a file; on a server, every row of every run. Cost:
    /// reads the whole store.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with SQLite's finding.
    pub fn check(&self) -> Result<(), StoreError> {
        self.refuse_if_poisoned()?;
        let attempt = self.attempt("check the file");
        let failed = |source: rusqlite::Error| attempt.failed(source);
        let file = match &self.connection {
            Connection::File(file) => file,
            #[cfg(feature = "postgres")]
            Connection::Server(_) => {
                return self
                    .runs()?
                    .iter()
                    .try_for_each(|run| self.run(run.id).map(drop));
            }
        };
        let found: String = file
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(failed)?;
        if found != "ok" {
            return Err(attempt.corrupt(found, None));
        }
        let dangling: i64 = file
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
    fn ready(mut connection: rusqlite::Connection, path: PathBuf) -> Result<Store, StoreError> {
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
        Ok(Store::of(Connection::File(connection), path))
    }

    fn of(connection: Connection, path: PathBuf) -> Store {
        Store {
            connection,
            path,
            held: BTreeSet::new(),
            poisoned: None,
        }
    }

    /// Opens the store on a server; with `create`, makes its tables if there are none.
    #[cfg(feature = "postgres")]
    fn on_server(address: Address, create: bool) -> Result<Store, StoreError> {
        let path = address.path().to_owned();
        let server = crate::server::connection::Connection::open(address, create)?;
        Ok(Store::of(Connection::Server(server), path))
    }

    #[cfg(not(feature = "postgres"))]
    fn on_server(address: Address, _: bool) -> Result<Store, StoreError> {
        Err(StoreError::WithoutPostgres {
            path: address.path().to_owned(),
        })
    }

    /// Returns the connection to the file of a test.
    #[cfg(test)]
    pub(crate) fn file(&self) -> &rusqlite::Connection {
        match &self.connection {
            Connection::File(file) => file,
            #[cfg(feature = "postgres")]
            Connection::Server(_) => panic!("the store is no file"),
        }
    }

    /// Returns who writes to the runs of this handle.
    pub(crate) fn holder(&mut self) -> Result<Holder, StoreError> {
        match &mut self.connection {
            Connection::File(_) => Ok(Holder::Process),
            #[cfg(feature = "postgres")]
            Connection::Server(server) => {
                let (holder, lasts) = server.holder()?;
                Ok(Holder::Lease(holder, lasts))
            }
        }
    }

    /// Writes to a run of this handle: as [`Store::write`], and only while no other process has taken
    /// it over.
    pub(crate) fn write_held<T>(
        &mut self,
        run: RunId,
        what: &'static str,
        work: impl FnOnce(&Transaction, Attempt) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.require_held(run)?;
        let holder = self.holder()?;
        self.write(what, |transaction, attempt| {
            holder.renew(transaction, attempt, run)?;
            work(transaction, attempt)
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
        let result = match &mut self.connection {
            Connection::File(file) => write(file, attempt, work),
            #[cfg(feature = "postgres")]
            Connection::Server(server) => write_on_server(server, attempt, work),
        };
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
        match &self.connection {
            Connection::File(file) => {
                let transaction = file.unchecked_transaction();
                let transaction = transaction.map_err(|source| attempt.failed(source))?;
                schema::refuse_newer(&transaction, attempt)?;
                work(&Transaction::File(transaction), attempt)
            }
            #[cfg(feature = "postgres")]
            Connection::Server(server) => {
                server.begin_read(attempt)?;
                let read = work(&Transaction::Server(&server.session), attempt);
                server.roll_back();
                read
            }
        }
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

impl Holder {
    /// Takes the lease of a run that nobody executes.
    pub(crate) fn take(
        &self,
        transaction: &Transaction,
        attempt: Attempt,
        run: RunId,
    ) -> Result<(), StoreError> {
        match self {
            Holder::Process => no_lease(transaction, attempt, run),
            #[cfg(feature = "postgres")]
            Holder::Lease(holder, lasts) => {
                crate::server::lease::take(transaction, attempt, run, (holder, *lasts))
            }
        }
    }

    /// Checks, in the transaction of a write, that no other process has taken the run over.
    fn renew(
        &self,
        transaction: &Transaction,
        attempt: Attempt,
        run: RunId,
    ) -> Result<(), StoreError> {
        match self {
            Holder::Process => no_lease(transaction, attempt, run),
            #[cfg(feature = "postgres")]
            Holder::Lease(holder, lasts) => {
                crate::server::lease::renew(transaction, attempt, run, (holder, *lasts))
            }
        }
    }

    /// Ends the lease of a run.
    pub(crate) fn give_up(
        &self,
        transaction: &Transaction,
        attempt: Attempt,
        run: RunId,
    ) -> Result<(), StoreError> {
        match self {
            Holder::Process => no_lease(transaction, attempt, run),
            #[cfg(feature = "postgres")]
            Holder::Lease(..) => crate::server::lease::give_up(transaction, attempt, run),
        }
    }
}

/// A file has no leases: its runs belong to processes.
fn no_lease(_: &Transaction, _: Attempt, _: RunId) -> Result<(), StoreError> {
    Ok(())
}

#[cfg(feature = "postgres")]
fn write_on_server<T>(
    server: &crate::server::connection::Connection,
    attempt: Attempt,
    work: impl FnOnce(&Transaction, Attempt) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    server.begin_write(attempt)?;
    let written = work(&Transaction::Server(&server.session), attempt);
    let written = written.and_then(|value| server.commit(attempt).map(|()| value));
    written.inspect_err(|_| server.roll_back())
}

fn write<T>(
    connection: &mut rusqlite::Connection,
    attempt: Attempt,
    work: impl FnOnce(&Transaction, Attempt) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let failed = |source: rusqlite::Error| attempt.failed(source);
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    schema::refuse_newer(&transaction, attempt)?;
    let transaction = Transaction::File(transaction);
    let value = work(&transaction, attempt)?;
    match transaction {
        Transaction::File(file) => file.commit().map_err(failed)?,
        #[cfg(feature = "postgres")]
        Transaction::Server(_) => {}
    }
    Ok(value)
}
