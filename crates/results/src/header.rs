//! Identifies a file by its first 100 bytes, before SQLite opens it.
//!
//! Opening a file with SQLite may change it: SQLite rolls back a journal and creates `-wal` and
//! `-shm` files. A foreign or newer file must stay unchanged, so we read the header ourselves
//! (<https://www.sqlite.org/fileformat2.html>, 1.3):
//!
//! ```text
//! offset  0        16 ...        60              68               100
//!         | magic  |  ...        | user_version  | application_id |
//!         | SQLite format 3\0    | big-endian 32 | big-endian 32  |
//! ```

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::error::StoreError;

/// Marks a SQLite file as a Stripewise store: `STRI` in ASCII.
pub(crate) const APPLICATION_ID: u32 = u32::from_be_bytes(*b"STRI");

/// The mark of drafts of the format before the first release, whose versions have another meaning.
const DRAFT_APPLICATION_ID: u32 = u32::from_be_bytes(*b"STRW");

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The kind of file at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// No file.
    Nothing,
    /// An empty file: new, or its creation was interrupted.
    Empty,
    /// A store that we can open.
    Store,
}

/// Device and inode: the identity of a file, independent of its path.
type FileIdentity = (u64, u64);

/// Files whose header this process has read; they are never closed.
///
/// A process that closes any descriptor of a file loses all its POSIX locks on that file, and
/// SQLite's with them (<https://www.sqlite.org/howtocorrupt.html>, 2.2): another process could then
/// remove the `-wal` file of a store that is open here. The price is one descriptor per file.
static KEPT_OPEN: Mutex<Option<HashMap<FileIdentity, File>>> = Mutex::new(None);

/// Identifies the file without changing it.
///
/// # Errors
/// [`StoreError::NotAStore`], [`StoreError::NewerVersion`] above `supported`, and
/// [`StoreError::Open`] if it cannot be read.
pub(crate) fn identify(path: &Path, supported: u32) -> Result<FileKind, StoreError> {
    let open_error = |source| StoreError::Open {
        path: path.to_owned(),
        source,
    };
    let not_a_store = |found| StoreError::NotAStore {
        path: path.to_owned(),
        found,
    };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileKind::Nothing),
        Err(error) => return Err(open_error(error)),
    };
    if metadata.is_dir() {
        return Err(not_a_store("a directory"));
    }
    if !metadata.is_file() {
        return Err(not_a_store("not a regular file"));
    }
    if metadata.len() == 0 {
        return Ok(FileKind::Empty);
    }
    let mut guard = KEPT_OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = guard.get_or_insert_default();
    let key = identity(&metadata);
    if !kept.contains_key(&key) {
        let file = File::open(path).map_err(open_error)?;
        let key = identity(&file.metadata().map_err(open_error)?);
        keep(kept, key, file);
    }
    // It is missing only if another file has just replaced this one at the path.
    let header = match kept.get(&key) {
        Some(file) => read_header(file).map_err(open_error)?,
        None => return Err(open_error(io::ErrorKind::ResourceBusy.into())),
    };
    classify(path, header, supported)
}

/// Creates an empty file that only its owner may read; an existing file is fine.
///
/// # Errors
/// If the file cannot be created for another reason.
pub(crate) fn create_empty(path: &Path) -> io::Result<()> {
    let mut guard = KEPT_OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let created = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match created {
        Ok(file) => {
            let key = identity(&file.metadata()?);
            keep(guard.get_or_insert_default(), key, file);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Keeps a file open for as long as the process lives.
fn keep(kept: &mut HashMap<FileIdentity, File>, key: FileIdentity, file: File) {
    if let Some(other) = kept.insert(key, file) {
        // Forgetting a `File` keeps it open.
        std::mem::forget(other);
    }
}

fn identity(metadata: &fs::Metadata) -> FileIdentity {
    (metadata.dev(), metadata.ino())
}

/// Reads the first 100 bytes; `None` if there are fewer.
fn read_header(file: &File) -> io::Result<Option<[u8; 100]>> {
    let mut header = [0; 100];
    match file.read_exact_at(&mut header, 0) {
        Ok(()) => Ok(Some(header)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Classifies a file by its header.
fn classify(
    path: &Path,
    header: Option<[u8; 100]>,
    supported: u32,
) -> Result<FileKind, StoreError> {
    let not_a_store = |found| StoreError::NotAStore {
        path: path.to_owned(),
        found,
    };
    let Some(header) = header.filter(|header| header.starts_with(MAGIC)) else {
        return Err(not_a_store("not an SQLite file"));
    };
    match big_endian(&header, 68) {
        APPLICATION_ID => {}
        DRAFT_APPLICATION_ID => {
            return Err(not_a_store("a draft format from before the first release"));
        }
        _ => return Err(not_a_store("the SQLite file of another program")),
    }
    let version = big_endian(&header, 60);
    if version > supported {
        return Err(StoreError::NewerVersion {
            path: path.to_owned(),
            found: version,
            supported,
        });
    }
    Ok(FileKind::Store)
}

fn big_endian(header: &[u8; 100], offset: usize) -> u32 {
    let bytes = &header[offset..offset + 4];
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
