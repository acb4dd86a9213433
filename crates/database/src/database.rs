//! A database on the filesystem under test: its data directory, settings and records.

use std::fs::File;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stripewise_process::{Call, CallError, Program};
use stripewise_study::world::Watch;
use tempfile::TempDir;

use crate::error::ServerError;
use crate::kind::{Kind, SETPRIV, path_of};
use crate::record::Load;
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::{mariadb, postgresql};

/// The user and group that servers run as if we are root: `nobody`.
pub const UNPRIVILEGED: u32 = 65534;

/// How long making a data directory may take, on an emulated CPU and slow disks.
const CREATE_LIMIT: Duration = Duration::from_secs(900);

/// A database on the filesystem under test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    settings: Settings,
    load: Load,
    data: PathBuf,
}

impl Database {
    /// Returns the database below `directory`, which need not exist yet.
    pub fn new(settings: Settings, load: Load, directory: &Path) -> Self {
        let data = directory.join(settings.kind().key());
        Self {
            settings,
            load,
            data,
        }
    }

    /// Returns which database it is.
    pub fn kind(&self) -> Kind {
        self.settings.kind()
    }

    /// Returns the content of its records.
    pub fn load(&self) -> Load {
        self.load
    }

    /// Returns its data directory.
    pub fn data_directory(&self) -> &Path {
        &self.data
    }

    /// Makes a data directory with one empty table, shuts the server down and syncs the filesystem.
    ///
    /// # Errors
    /// [`ServerError`], also if the data directory exists.
    pub fn create(&self, watch: &mut dyn Watch) -> Result<(), ServerError> {
        std::fs::create_dir(&self.data).map_err(ServerError::file("create", &self.data))?;
        give_away(&self.data)?;
        let run = run_directory()?;
        let call = match self.kind() {
            Kind::MariaDb => mariadb::create(&self.settings, &self.data, run.path())?,
            Kind::PostgreSql => postgresql::create(&self.settings, &self.data, run.path())?,
        };
        let ran = call.limit(CREATE_LIMIT).contained().run(watch);
        ran.map_err(server::interrupted)?;
        if self.kind() == Kind::PostgreSql {
            let mut server = self.start(CREATE_LIMIT, watch)?;
            server.execute(postgresql::TABLE, watch)?;
            server.stop(CREATE_LIMIT, watch)?;
        }
        let data = File::open(&self.data).map_err(ServerError::file("open", &self.data))?;
        let synced = rustix::fs::syncfs(data).map_err(std::io::Error::from);
        synced.map_err(ServerError::file("sync", &self.data))
    }

    /// Starts the server, which recovers what a power cut left, and waits until it answers.
    ///
    /// The kernel kills the server when the calling thread ends, so that thread must live as long
    /// as the server.
    ///
    /// # Errors
    /// [`ServerError::NotStarted`] with the server's own words, [`ServerError::TimedOut`] after
    /// `limit`, and others if it cannot even be tried.
    pub fn start(&self, limit: Duration, watch: &mut dyn Watch) -> Result<Server, ServerError> {
        let run = run_directory()?;
        let call = match self.kind() {
            Kind::MariaDb => mariadb::serve(&self.settings, &self.data, run.path())?,
            Kind::PostgreSql => postgresql::serve(&self.settings, &self.data, run.path())?,
        };
        Server::start(call, self.kind(), self.load, run, limit, watch)
    }
}

/// Returns a call of a server's program as a user without rights, if we are root. The kernel
/// forgets that it must kill a child which changes its user, so `setpriv` asks for it again.
pub(crate) fn as_user(program: Program, directory: &Path) -> Result<Call, CallError> {
    let path = path_of(program)?;
    let call = match rustix::process::geteuid().is_root() {
        true => SETPRIV
            .call([format!("--reuid={UNPRIVILEGED}")])
            .arg(format!("--regid={UNPRIVILEGED}"))
            .args(["--clear-groups", "--no-new-privs", "--pdeathsig=KILL", "--"])
            .arg(path),
        false => Call::new(&path),
    };
    Ok(call.current_dir(directory))
}

/// Makes a private directory for the socket, the process id and temporary files of a server.
fn run_directory() -> Result<TempDir, ServerError> {
    let above = std::env::temp_dir();
    let made = tempfile::Builder::new().prefix("stripewise-").tempdir();
    let directory = made.map_err(ServerError::file("create a directory in", &above))?;
    give_away(directory.path())?;
    Ok(directory)
}

/// Makes the servers' user the owner of a directory, if we are root.
fn give_away(directory: &Path) -> Result<(), ServerError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let given = chown(directory, Some(UNPRIVILEGED), Some(UNPRIVILEGED));
    given.map_err(ServerError::file("change the owner of", directory))
}
