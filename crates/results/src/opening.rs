//! Opens a connection to a path: directories, modes, and settings that SQLite does not keep in the
//! file.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::StoreError;

/// The operation, for errors.
pub(crate) const OPEN: &str = "open the store";

/// How long to wait for another writer; writes take milliseconds.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The largest row that we read or write; SQLite's own limit is a gigabyte. A sample with the
/// longest series, of 100,000 steps in seven columns, takes a fifth of it.
const VALUE_BYTES_MAX: i32 = 64 << 20;

/// How to open a file in a directory where SQLite cannot create its shared memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOnlyPlace {
    /// Fail with [`StoreError::ReadOnly`].
    Refused,
    /// Read it if no process is writing it.
    Allowed,
}

/// Returns the absolute path, so that SQLite does not interpret special names (`:memory:`, an empty
/// one), and a later change of directory has no effect.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    std::path::absolute(path).map_err(|source| StoreError::Open {
        path: path.to_owned(),
        source,
    })
}

/// Creates the missing parent directories durably, for their owner only.
pub(crate) fn create_folders(path: &Path) -> Result<(), StoreError> {
    let missing: Vec<&Path> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| !folder.exists())
        .collect();
    for folder in missing.into_iter().rev() {
        let created = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            // SQLite makes the name of its file durable, but not those of its parent directories.
            .and_then(|()| match folder.parent() {
                Some(parent) => fs::File::open(parent)?.sync_all(),
                None => Ok(()),
            });
        created.map_err(|source| StoreError::CreateDirectory {
            path: folder.to_owned(),
            source,
        })?;
    }
    Ok(())
}

/// Connects to the file and applies the settings that are not kept in it.
pub(crate) fn connect(
    path: &Path,
    read_only_place: ReadOnlyPlace,
) -> Result<Connection, StoreError> {
    let failed = |source| StoreError::from_sqlite(path, OPEN, source);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    let Err(error) = set_up(&connection) else {
        return Ok(connection);
    };
    let lacks_shared_memory = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    );
    if !lacks_shared_memory {
        return Err(failed(error));
    }
    let read_only = connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(false);
    if !read_only || has_log(path) || read_only_place == ReadOnlyPlace::Refused {
        return Err(StoreError::ReadOnly {
            path: path.to_owned(),
            attempted: OPEN,
        });
    }
    // Without a log no process is writing it, so we can open it as immutable.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(immutable_uri(path), flags).map_err(failed)?;
    set_up(&connection).map_err(failed)?;
    Ok(connection)
}

/// Applies the settings that SQLite does not keep in the file, and reads from it once, which makes
/// SQLite map its shared memory.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)?;
    // The file may be untrusted: restrict its views and triggers.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON;",
    )?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// Returns whether the write-ahead log may have content.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    match fs::metadata(log) {
        Ok(metadata) => metadata.len() > 0,
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Returns the path as a URI that opens the file as immutable.
fn immutable_uri(path: &Path) -> String {
    use std::fmt::Write;
    use std::os::unix::ffi::OsStrExt;

    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").expect("writing to a String cannot fail");
        }
    }
    uri.push_str("?immutable=1");
    uri
}
