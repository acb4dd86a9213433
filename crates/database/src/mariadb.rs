//! How MariaDB is called: small, fast to start, without accounts, network or configuration files.
//!
//! Accounts need the system tables, which take 40 MB and most of the time of a first start. A
//! server that skips them answers only on a socket in a private directory, and needs no other
//! table than ours.

use std::path::Path;

use stripewise_process::{Call, CallError, MemoryFile};

use crate::database::as_user;
use crate::error::ServerError;
use crate::kind::{MARIADB, MARIADBD, path_of};
use crate::settings::Settings;

/// The line of the log after which it answers.
pub(crate) const IS_READY: &str = "mariadbd: ready for connections";

/// Reads every record.
pub(crate) const READ: &str = "SELECT writer, sequence, place, payload, checksum FROM records;\n";
/// Compares the indexes with the table, and every page with its checksum.
pub(crate) const CHECK: &str = "CHECK TABLE records EXTENDED;\n";

const SOCKET: &str = "socket";

/// `varbinary`, because a changed byte need not be a character.
const TABLE: &str = "\
CREATE DATABASE stripewise;
CREATE TABLE stripewise.records (writer INT UNSIGNED NOT NULL, sequence BIGINT UNSIGNED NOT NULL, \
place BIGINT UNSIGNED NOT NULL, payload VARBINARY(4096) NOT NULL, checksum INT UNSIGNED NOT NULL, \
PRIMARY KEY (writer, sequence), KEY (place)) ENGINE=InnoDB;
";

/// What makes it small. Settings of a study come after these, and the last one counts.
const SMALL: [&str; 22] = [
    "--skip-grant-tables",
    "--skip-networking",
    "--skip-log-bin",
    "--skip-stack-trace",
    "--performance-schema=off",
    "--max-connections=100",
    "--table-open-cache=64",
    "--table-definition-cache=400",
    "--query-cache-size=0",
    "--key-buffer-size=64K",
    "--aria-pagecache-buffer-size=128K",
    "--aria-log-file-size=8M",
    "--innodb-buffer-pool-size=16M",
    "--innodb-buffer-pool-dump-at-shutdown=off",
    "--innodb-buffer-pool-load-at-startup=off",
    "--innodb-log-file-size=16M",
    "--innodb-log-buffer-size=2M",
    "--innodb-data-file-path=ibdata1:5M:autoextend",
    "--innodb-temp-data-file-path=ibtmp1:5M:autoextend",
    "--innodb-read-io-threads=1",
    "--innodb-write-io-threads=2",
    "--innodb-purge-threads=1",
];

/// Makes the files of an empty data directory.
pub(crate) fn create(settings: &Settings, data: &Path, run: &Path) -> Result<Call, ServerError> {
    let text = MemoryFile::holding(TABLE).map_err(ServerError::file("read", data))?;
    Ok(call(settings, data, run)?.arg("--bootstrap").stdin(text))
}

/// Starts it on an existing data directory.
pub(crate) fn serve(settings: &Settings, data: &Path, run: &Path) -> Result<Call, CallError> {
    call(settings, data, run)
}

fn call(settings: &Settings, data: &Path, run: &Path) -> Result<Call, CallError> {
    let path = |option: &str, path: &Path| format!("--{option}={}", path.display());
    let settings = settings
        .iter()
        .flat_map(|(name, value)| match (name, value) {
            ("log_bin", "on") => vec!["--log-bin=binlog".to_owned(), "--server-id=1".to_owned()],
            ("log_bin", _) => Vec::new(),
            (name, value) => vec![format!("--{}={value}", name.replace('_', "-"))],
        });
    Ok(as_user(MARIADBD, run)?
        .arg("--no-defaults")
        .arg(path("datadir", data))
        .arg(path("socket", &run.join(SOCKET)))
        .arg(path("pid-file", &run.join("pid")))
        .arg(path("tmpdir", run))
        .args(SMALL)
        .args(settings))
}

/// Returns a client, which ends at the first error.
pub(crate) fn client(run: &Path) -> Result<Call, CallError> {
    Ok(Call::new(&path_of(MARIADB)?)
        .arg("--no-defaults")
        .arg(format!("--socket={}", run.join(SOCKET).display()))
        .args(["--user=root", "--batch", "--unbuffered", "--quick"])
        .args(["--skip-column-names", "stripewise"]))
}

/// Returns whether a line of [`CHECK`] names a problem.
pub(crate) fn is_problem(line: &str) -> bool {
    !line.ends_with("\tOK")
}
