//! Why a database cannot be used.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stripewise_process::CallError;

/// Why a server was not created, started, read or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A program is missing or failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A file could not be used.
    #[error("failed to {attempted} `{}`", path.display())]
    File {
        /// A verb.
        attempted: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The server ended by itself.
    #[error("{name} did not start: {why}")]
    NotStarted {
        /// The database.
        name: &'static str,
        /// The errors in its log, or its last lines.
        why: String,
    },
    /// The server did not do it in time.
    #[error("{name} did not {attempted} within {} s: {why}", limit.as_secs())]
    TimedOut {
        /// The database.
        name: &'static str,
        /// A verb.
        attempted: &'static str,
        /// The time limit.
        limit: Duration,
        /// The errors in its log, or its last lines.
        why: String,
    },
    /// The server ended with an error when it was stopped.
    #[error("{name} did not shut down cleanly: {why}")]
    NotStopped {
        /// The database.
        name: &'static str,
        /// The errors in its log, or its last lines.
        why: String,
    },
    /// The watch cancelled it.
    #[error("interrupted")]
    Interrupted,
}

impl ServerError {
    pub(crate) fn file(attempted: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File {
            attempted,
            path,
            source,
        }
    }
}

/// Why a transaction was not acknowledged.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The client is missing or could not be started.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The client ended, because the server refused a statement or is gone.
    #[error("the session ended: {why}")]
    Ended {
        /// The client's last words.
        why: String,
    },
    /// The client printed something else than the acknowledgement.
    #[error("the client printed `{line}` instead of an acknowledgement")]
    Garbage {
        /// What it printed.
        line: String,
    },
    /// The server did not answer in time.
    #[error("the server did not acknowledge a transaction within {} s", limit.as_secs())]
    TimedOut {
        /// The time limit.
        limit: Duration,
    },
    /// The pipe to the client broke.
    #[error("failed to talk to the client")]
    Pipe(#[from] io::Error),
}

/// Why a setting is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The setting is not one of those that we pass on.
    #[error("{name} has no setting `{setting}` here; allowed are {allowed}")]
    Unknown {
        /// The database.
        name: &'static str,
        /// The setting.
        setting: String,
        /// The allowed settings.
        allowed: String,
    },
    /// The value is not allowed.
    #[error("`{setting} = {value}`: allowed are {allowed}")]
    Value {
        /// The setting.
        setting: &'static str,
        /// The value.
        value: String,
        /// The allowed values.
        allowed: String,
    },
}
