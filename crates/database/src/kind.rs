//! The databases and their programs.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stripewise_process::{CallError, Program, find_in};

pub(crate) const MARIADBD: Program = Program::new("mariadbd", "mariadb-server-core");
pub(crate) const MARIADB: Program = Program::new("mariadb", "mariadb-client-core");
pub(crate) const INITDB: Program = Program::new("initdb", "postgresql");
pub(crate) const POSTGRES: Program = Program::new("postgres", "postgresql");
pub(crate) const PSQL: Program = Program::new("psql", "postgresql-client");
/// Gives up the rights of root.
pub(crate) const SETPRIV: Program = Program::new("setpriv", "util-linux");

/// Where Debian keeps the programs of each version of PostgreSQL.
const POSTGRESQL_VERSIONS: &str = "/usr/lib/postgresql";

/// A database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// MariaDB with InnoDB.
    MariaDb,
    /// PostgreSQL.
    PostgreSql,
}

impl Kind {
    /// All databases.
    pub const ALL: [Self; 2] = [Self::MariaDb, Self::PostgreSql];

    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::MariaDb => "MariaDB",
            Self::PostgreSql => "PostgreSQL",
        }
    }

    /// Returns the name in a study, which is also that of its data directory.
    pub fn key(self) -> &'static str {
        match self {
            Self::MariaDb => "mariadb",
            Self::PostgreSql => "postgresql",
        }
    }

    /// Returns the programs that are not installed, with their packages.
    pub fn missing_programs(self) -> Vec<Program> {
        let programs: &[Program] = match self {
            Self::MariaDb => &[MARIADBD, MARIADB],
            Self::PostgreSql => &[INITDB, POSTGRES, PSQL],
        };
        let as_root = rustix::process::geteuid().is_root().then_some(SETPRIV);
        let needed = programs.iter().copied().chain(as_root);
        needed
            .filter(|program| path_of(*program).is_err())
            .collect()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the path of a program: that of the newest installed version of PostgreSQL, or in `PATH`.
pub(crate) fn path_of(program: Program) -> Result<PathBuf, CallError> {
    let versions = std::fs::read_dir(POSTGRESQL_VERSIONS).into_iter().flatten();
    let number = |path: &Path| -> Option<u32> { path.file_name()?.to_str()?.parse().ok() };
    let versions = versions.flatten().map(|entry| entry.path());
    let mut versions: Vec<PathBuf> = versions.filter(|path| number(path).is_some()).collect();
    versions.sort_by_key(|path| number(path));
    let mut programs = versions.iter().rev();
    let own = programs.find_map(|path| find_in(program.name, path.join("bin").as_os_str()));
    own.map_or_else(|| program.find(), Ok)
}
