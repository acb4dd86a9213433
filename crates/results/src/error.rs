//! Errors of the store, with hints.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::place::is_on_server;
use crate::run::RunId;
use crate::sql::SqlError;

/// The extended code for "the shared memory file could not be made larger": a full disk.
const IOERR_SHMSIZE: i32 = 10 | (19 << 8);
/// The extended code for "the file ends before the page does": a truncated file.
const IOERR_SHORT_READ: i32 = 10 | (2 << 8);
/// The extended code for "the filesystem reports corruption".
const IOERR_CORRUPTFS: i32 = 10 | (33 << 8);

/// An error of a store operation.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no file.
    #[error("no store at `{}`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is empty: no run was ever recorded in it.
    #[error("`{}` is empty: no run was recorded in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The directory of the file could not be created.
    #[error("failed to create directory `{}`", path.display())]
    CreateDirectory {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file could not be created or examined.
    #[error("failed to open `{}`", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file is not a store. It was not changed.
    #[error("`{}` is not a Stripewise store: it is {found}", path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// Its actual type.
        found: &'static str,
    },
    /// A newer program wrote the file. It was not changed.
    #[error("`{}` has store version {found}, this program reads up to version {supported}", path.display())]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        found: u32,
        /// The highest supported version.
        supported: u32,
    },
    /// Another process has locked the file.
    #[error("failed to {attempted}: `{}` is locked by another process", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// The attempted operation.
        attempted: &'static str,
    },
    /// The disk is full.
    #[error("failed to {attempted}: no space left for `{}`", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// The attempted operation.
        attempted: &'static str,
    },
    /// The file may not be written.
    #[error("failed to {attempted}: `{}` is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The attempted operation.
        attempted: &'static str,
    },
    /// The file is damaged.
    #[error("`{}` is damaged: {what}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The problem, with the table and row if they are known.
        what: String,
        /// The underlying error, if any.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// SQLite failed in another way.
    #[error("failed to {attempted} in `{}`", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The attempted operation.
        attempted: &'static str,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
    /// The store has no such run.
    #[error("no run {run} in `{}`", path.display())]
    NoSuchRun {
        /// The file.
        path: PathBuf,
        /// The run.
        run: RunId,
    },
    /// The run has no such cell.
    #[error("run {run} has no cell {cell}: it has {count}, counted from 0")]
    NoSuchCell {
        /// The run.
        run: RunId,
        /// The requested index.
        cell: usize,
        /// How many cells it has.
        count: u64,
    },
    /// The run is being executed.
    #[error("run {run} is still being executed by process {pid}")]
    RunAlive {
        /// The run.
        run: RunId,
        /// The process.
        pid: u32,
    },
    /// The run is being executed, perhaps on another machine.
    #[error("run {run} is still being executed by process {pid} on `{host}`")]
    RunAliveOn {
        /// The run.
        run: RunId,
        /// The process.
        pid: u32,
        /// The name of its machine.
        host: String,
    },
    /// Another process has taken the run over, because this one was cut off from the server.
    #[error("run {run} was taken over by another process{}", on(by.as_deref()))]
    TakenOver {
        /// The run.
        run: RunId,
        /// The name of its machine, if it still executes the run.
        by: Option<String>,
    },
    /// The run does not belong to this handle: begin or claim it before writing to it.
    #[error("run {run} cannot be written to: this program neither started nor resumed it")]
    NotClaimed {
        /// The run.
        run: RunId,
    },
    /// A value would not read back unchanged.
    #[error("{what} cannot be stored: it would not read back as the same value")]
    NotStorable {
        /// The value.
        what: &'static str,
        /// Why, if known; otherwise a number is not finite.
        #[source]
        source: Option<serde_json::Error>,
    },
    /// The identity of this process could not be read.
    #[error("failed to read `{}`", path.display())]
    ReadProcess {
        /// The file below `/proc`.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// An address has a password.
    #[error("--store: a password cannot be part of it: other users of this machine see it (`ps`)")]
    Password,
    /// The program was built without PostgreSQL.
    #[error("`{}` is a PostgreSQL server, and this program was built without PostgreSQL", path.display())]
    WithoutPostgres {
        /// The address.
        path: PathBuf,
    },
    /// The server cannot be reached, or does not let us in.
    #[error("failed to connect to `{}`", path.display())]
    Connect {
        /// The address.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The role may not do that.
    #[error("failed to {attempted} in `{}`: the role of this connection may not", path.display())]
    Denied {
        /// The address.
        path: PathBuf,
        /// The attempted operation.
        attempted: &'static str,
        /// What it may not do.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The server failed, or the connection was lost.
    #[error("failed to {attempted} in `{}`", path.display())]
    Server {
        /// The address.
        path: PathBuf,
        /// The attempted operation.
        attempted: &'static str,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database has an encoding in which not every text can be kept.
    #[error("the database of `{}` has the encoding {encoding}, a store needs UTF8", path.display())]
    Encoding {
        /// The address.
        path: PathBuf,
        /// The encoding.
        encoding: String,
    },
    /// The server does not make commits durable.
    #[error("`{}` runs with `fsync = off`: a power cut would lose acknowledged samples", path.display())]
    NotDurable {
        /// The address.
        path: PathBuf,
    },
    /// The tables are older than the program needs.
    #[error("`{}` has store version {found}, this program needs version {needed}", path.display())]
    OlderVersion {
        /// The address.
        path: PathBuf,
        /// The version of the tables.
        found: u32,
        /// The needed version.
        needed: u32,
    },
    /// The store is a file.
    #[error("failed to {attempted}: `{}` is a file, not a PostgreSQL server", path.display())]
    NotOnServer {
        /// The file.
        path: PathBuf,
        /// The attempted operation.
        attempted: &'static str,
    },
    /// The machine still has a change that the run made.
    #[error("run {run} cannot be copied: a change that it made to this machine is not undone")]
    NotRestored {
        /// The run.
        run: RunId,
    },
    /// The samples of the run were dropped with all others of their month.
    #[error("the samples of run {run} were dropped from `{}` with the month {month}", path.display())]
    SamplesDropped {
        /// The address.
        path: PathBuf,
        /// The run.
        run: RunId,
        /// Its month: `202611`.
        month: i64,
    },
    /// The month of a new run was dropped.
    #[error("`{}` takes no run of this month: its samples were dropped", path.display())]
    MonthDropped {
        /// The address.
        path: PathBuf,
    },
    /// An earlier write failed, and the state of the file is unknown until the store is opened
    /// again.
    #[error("the store `{}` is closed after it failed to {attempted}; open it again", path.display())]
    Poisoned {
        /// The file.
        path: PathBuf,
        /// The write that failed.
        attempted: &'static str,
    },
}

impl StoreError {
    /// Returns a remedy, if one is known.
    pub fn hint(&self) -> Option<String> {
        if let Some(hint) = self.hint_on_server() {
            return Some(hint.to_owned());
        }
        Some(match self {
            StoreError::Missing { .. } => {
                "a store is created by the first `stripewise run`".to_owned()
            }
            StoreError::Empty { .. } => {
                "a program that is ended while it creates a store leaves such a file: nothing is lost, and the next `stripewise run` with this store fills it; it can be removed, too".to_owned()
            }
            StoreError::CreateDirectory { .. } | StoreError::Open { .. } => {
                "check its owner and mode, or choose another file with `--store`".to_owned()
            }
            StoreError::NotAStore { .. } => {
                "it was not changed; choose another file with `--store`".to_owned()
            }
            StoreError::NewerVersion { .. } => {
                "it was not changed; use the version of Stripewise that wrote it, or a newer one"
                    .to_owned()
            }
            StoreError::Locked { path, .. } => {
                format!(
                    "`fuser -v {}` shows the process that holds it",
                    path.display()
                )
            }
            StoreError::DiskFull { path, .. } => format!(
                "free some space (`df -h {}`), then `stripewise resume`: the samples before this one are safe",
                folder(path).display()
            ),
            StoreError::ReadOnly { path, .. } => format!(
                "check the owner and mode of the file and of `{}`, and whether the filesystem is mounted read-only",
                folder(path).display()
            ),
            StoreError::Corrupt { path, .. } => format!(
                "keep a copy; `sqlite3 {} .recover` recovers the readable part",
                path.display()
            ),
            StoreError::NoSuchRun { .. } => "`stripewise runs` shows the runs".to_owned(),
            StoreError::RunAlive { pid, .. } => format!(
                "wait for it, or interrupt it with `kill -INT {pid}`; it may run in another container"
            ),
            StoreError::ReadProcess { .. } => "`/proc` must be mounted".to_owned(),
            StoreError::Poisoned { .. } => {
                "see the first error; everything acknowledged before it is safe".to_owned()
            }
            StoreError::Sqlite { source, .. } if is_io_failure(source) => {
                "check the kernel's log (`dmesg`), free space, and `ulimit -f`".to_owned()
            }
            _ => return None,
        })
    }

    /// Returns a remedy for what happens with stores on servers and copies alone.
    fn hint_on_server(&self) -> Option<&'static str> {
        Some(match self {
            StoreError::Corrupt { path, .. } if is_on_server(path) => {
                "keep a copy (`pg_dump`), and look into the server's log"
            }
            StoreError::Locked { path, .. } if is_on_server(path) => {
                "`SELECT * FROM pg_stat_activity` shows who holds it"
            }
            StoreError::DiskFull { path, .. } if is_on_server(path) => {
                "free some space on the server, then `stripewise resume`: the samples before this one are safe"
            }
            StoreError::ReadOnly { path, .. } if is_on_server(path) => {
                "the server is a standby or read-only: write to its primary"
            }
            StoreError::RunAliveOn { .. } => {
                "wait for it, or interrupt it there with `kill -INT`; if its machine is gone, the run can be taken over a minute after its last sign of life"
            }
            StoreError::TakenOver { .. } => {
                "this process was cut off from the server for too long; what it had added is in the run, and the other one continues it"
            }
            StoreError::Password => {
                "keep it in the password file (`PGPASSFILE`, else ~/.pgpass), in a service file (`service=NAME`), or use the server's socket or a certificate"
            }
            StoreError::WithoutPostgres { .. } => {
                "build it with `cargo build --release --features postgres`, which needs libpq (Debian: `libpq-dev`)"
            }
            StoreError::Connect { .. } => {
                "`psql` with the same address shows the same; the environment (`PGHOST`, `PGUSER`, `PGSSLMODE`), service and password files count as there"
            }
            StoreError::Denied { .. } => {
                "readers read, writers also add, owners also delete and migrate: `stripewise store roles` shows their rights"
            }
            StoreError::Server { .. } => {
                "everything acknowledged before it is safe; once the server answers, `stripewise resume` continues a run"
            }
            StoreError::Encoding { .. } => {
                "make one for it: `createdb --encoding UTF8 --template template0 NAME`"
            }
            StoreError::NotDurable { .. } => "set `fsync = on` on the server; reading is allowed",
            StoreError::OlderVersion { .. } => {
                "its owner brings it up to date with `stripewise store migrate`; older programs go on meanwhile"
            }
            StoreError::SamplesDropped { .. } => {
                "its study, cells, facts and warnings are still there: `stripewise runs` lists it"
            }
            StoreError::NotRestored { .. } => "undo it first: `stripewise restore`",
            StoreError::NotOnServer { .. } => "name one: `--store postgres://HOST/DATABASE`",
            StoreError::MonthDropped { .. } => "keep the run in a file: `--store FILE`",
            _ => return None,
        })
    }

    /// Returns whether a write with this error may leave its handle in an unknown state.
    pub(crate) fn poisons(&self) -> bool {
        matches!(
            self,
            StoreError::DiskFull { .. }
                | StoreError::ReadOnly { .. }
                | StoreError::Corrupt { .. }
                | StoreError::Sqlite { .. }
                | StoreError::Server { .. }
                | StoreError::TakenOver { .. }
        )
    }

    /// Classifies what a server reported during `attempted`.
    #[cfg(feature = "postgres")]
    fn from_server(
        path: &Path,
        attempted: &'static str,
        fault: crate::server::libpq::Fault,
    ) -> StoreError {
        let path = path.to_owned();
        if fault.is_nul {
            let what = "a text with a NUL character";
            return StoreError::NotStorable { what, source: None };
        }
        // https://www.postgresql.org/docs/current/errcodes-appendix.html
        match fault.state.as_deref().unwrap_or_default() {
            "55P03" | "40P01" | "40001" => StoreError::Locked { path, attempted },
            "53100" => StoreError::DiskFull { path, attempted },
            "25006" => StoreError::ReadOnly { path, attempted },
            "SW001" => StoreError::MonthDropped { path },
            "42501" => StoreError::Denied {
                path,
                attempted,
                source: Box::new(fault),
            },
            "XX001" | "XX002" => StoreError::Corrupt {
                path,
                what: format!("failed to {attempted}"),
                source: Some(Box::new(fault)),
            },
            _ => StoreError::Server {
                path,
                attempted,
                source: Box::new(fault),
            },
        }
    }

    /// Classifies an error of SQLite during `attempted` (an infinitive: `add a sample`).
    pub(crate) fn from_sqlite(
        path: &Path,
        attempted: &'static str,
        source: rusqlite::Error,
    ) -> StoreError {
        let path = path.to_owned();
        let rusqlite::Error::SqliteFailure(failure, message) = &source else {
            return StoreError::unreadable(path, attempted, source);
        };
        match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                StoreError::Locked { path, attempted }
            }
            ErrorCode::DiskFull => StoreError::DiskFull { path, attempted },
            ErrorCode::SystemIoFailure if failure.extended_code == IOERR_SHMSIZE => {
                StoreError::DiskFull { path, attempted }
            }
            ErrorCode::ReadOnly => StoreError::ReadOnly { path, attempted },
            _ if is_damage(failure, message.as_deref()) => StoreError::Corrupt {
                path,
                what: format!("failed to {attempted}"),
                source: Some(Box::new(source)),
            },
            _ => StoreError::Sqlite {
                path,
                attempted,
                source,
            },
        }
    }

    /// Classifies an error about a value rather than about the file.
    fn unreadable(path: PathBuf, attempted: &'static str, source: rusqlite::Error) -> StoreError {
        use rusqlite::Error::{
            FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, SqlInputError,
            Utf8Error,
        };
        match source {
            FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            | SqlInputError { .. }
            | Utf8Error(..) => StoreError::Corrupt {
                path,
                what: format!("failed to {attempted}"),
                source: Some(Box::new(source)),
            },
            _ => StoreError::Sqlite {
                path,
                attempted,
                source,
            },
        }
    }
}

/// Returns whether a failure means that the file is damaged.
fn is_damage(failure: &rusqlite::ffi::Error, message: Option<&str>) -> bool {
    match failure.code {
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => true,
        ErrorCode::SystemIoFailure => {
            [IOERR_SHORT_READ, IOERR_CORRUPTFS].contains(&failure.extended_code)
        }
        // A table or column of this version is missing.
        ErrorCode::Unknown => message.is_some_and(|text| text.starts_with("no such")),
        _ => false,
    }
}

fn on(host: Option<&str>) -> String {
    host.map_or_else(String::new, |host| format!(" on `{host}`"))
}

/// Returns the directory of a file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Returns whether the system refused to read or write the file.
fn is_io_failure(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure)
}

/// The current operation and its file, for errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) path: &'a Path,
    /// An infinitive: `add a sample`.
    pub(crate) what: &'static str,
}

impl Attempt<'_> {
    pub(crate) fn failed(self, source: impl Into<SqlError>) -> StoreError {
        match source.into() {
            SqlError::Sqlite(source) => StoreError::from_sqlite(self.path, self.what, source),
            #[cfg(feature = "postgres")]
            SqlError::Server(fault) => StoreError::from_server(self.path, self.what, fault),
        }
    }

    pub(crate) fn corrupt(
        self,
        what: String,
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    ) -> StoreError {
        StoreError::Corrupt {
            path: self.path.to_owned(),
            what,
            source,
        }
    }
}

/// Returns the error for a missing run.
pub(crate) fn no_such_run(attempt: Attempt, run: RunId) -> StoreError {
    StoreError::NoSuchRun {
        path: attempt.path.to_owned(),
        run,
    }
}
