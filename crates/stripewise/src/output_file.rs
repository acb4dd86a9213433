//! Files that commands write: whole or not at all, and never over something that is not ours.
//!
//! A file is written beside the one it replaces and renamed over it, so nobody ever sees half of
//! it. A rename replaces whatever has the name; so what is there is looked at first, a link is
//! followed to the file that is meant, and where nothing was the rename refuses to replace
//! (`renameat2(2)`, `RENAME_NOREPLACE`).

use std::fs::{File, Metadata, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::{Failure, Result};

/// How much of a file is looked at to see what it is.
const HEAD_BYTES: u64 = 4096;

/// The bits of a mode that say who may read, write and execute.
const PERMISSION_BITS: u32 = 0o777;

/// Writes a file by a temporary one and a rename; a file that is there is replaced if `is_ours`
/// says so of its first bytes, and keeps its permissions.
///
/// A symbolic link stays, and the file that it leads to is written.
///
/// # Errors
/// If something else is there, or it cannot be written; what was there is untouched then.
pub(crate) fn replace(path: &Path, content: &[u8], is_ours: impl Fn(&[u8]) -> bool) -> Result<()> {
    let found = found(path)?;
    if found.is_some() && !is_ours(&head(path)?) {
        return Err(Failure::new(format!(
            "`{}` is there already and is not a file of this kind",
            path.display()
        ))
        .hint("choose another name, or remove it first"));
    }
    let written = match found {
        Some(found) => write_over(&found, content),
        None => write_new(path, content),
    };
    written.map_err(|error| {
        let failure = Failure::new(&error).context(format!("failed to write `{}`", path.display()));
        match error.kind() {
            ErrorKind::AlreadyExists => {
                failure.hint("somebody made it just now: look at it, then try again")
            }
            _ => failure,
        }
    })
}

/// A regular file that is there, by its own name, and its permissions.
struct Found {
    path: PathBuf,
    permissions: Permissions,
}

/// Returns the regular file that a path leads to; nothing if nothing has that name.
///
/// It is not opened: to open a pipe waits for its other end, to open a device may do something.
fn found(path: &Path) -> Result<Option<Found>> {
    let failed =
        |error| Failure::new(error).context(format!("failed to look at `{}`", path.display()));
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match path.read_link() {
                Ok(target) => Err(Failure::new(format!(
                    "`{}` is a symbolic link that leads nowhere (to `{}`)",
                    path.display(),
                    target.display()
                ))
                .hint("name the file itself, or remove the link first")),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(failed(error)),
    };
    if !metadata.is_file() {
        let message = format!("`{}` is not a regular file", path.display());
        return Err(Failure::new(message).hint("`-o -` writes to standard output"));
    }
    Ok(Some(Found {
        path: path.canonicalize().map_err(failed)?,
        permissions: permissions(&metadata),
    }))
}

/// Returns who may do what, without what makes a program run as somebody else.
fn permissions(metadata: &Metadata) -> Permissions {
    Permissions::from_mode(metadata.permissions().mode() & PERMISSION_BITS)
}

/// Returns the first bytes of a file.
fn head(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(|error| {
        Failure::new(error).context(format!("failed to open `{}`", path.display()))
    })?;
    let mut head = Vec::new();
    file.take(HEAD_BYTES)
        .read_to_end(&mut head)
        .map_err(|error| {
            Failure::new(error).context(format!("failed to read `{}`", path.display()))
        })?;
    Ok(head)
}

/// Writes a file in the place of another one.
fn write_over(found: &Found, content: &[u8]) -> std::io::Result<()> {
    // Until it is whole only we may read it: its permissions may be narrower than the umask.
    let file = temporary(&found.path, 0o600, content)?;
    file.as_file().set_permissions(found.permissions.clone())?;
    file.persist(&found.path)?;
    Ok(())
}

/// Writes a file where nothing is.
fn write_new(path: &Path, content: &[u8]) -> std::io::Result<()> {
    // The umask takes from it what the user wants taken.
    match temporary(path, 0o666, content)?.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Err(refused.error),
        // Some filesystems (shared folders of virtual machines) know neither a rename that does not
        // replace nor a second name for a file.
        Err(refused) => {
            refused.file.persist(path)?;
            Ok(())
        }
    }
}

/// Returns a file beside another one that holds the content, on the disk.
fn temporary(path: &Path, mode: u32, content: &[u8]) -> std::io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new()
        .prefix(".stripewise-")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use rustix::fs::{CWD, Mode, mkfifoat};

    fn is_ours(head: &[u8]) -> bool {
        head.starts_with(b"ours")
    }

    fn mode(path: &Path) -> u32 {
        std::fs::symlink_metadata(path)
            .unwrap()
            .permissions()
            .mode()
            & 0o7777
    }

    /// Returns how many names a folder has: a temporary file that stayed would be one more.
    fn name_count(folder: &tempfile::TempDir) -> usize {
        std::fs::read_dir(folder.path()).unwrap().count()
    }

    #[test]
    fn our_own_file_is_replaced_and_another_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace(&path, b"ours 1", is_ours).unwrap();
        replace(&path, b"ours 2", is_ours).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ours 2");
        std::fs::write(&path, b"theirs").unwrap();
        let failure = replace(&path, b"ours 3", is_ours).unwrap_err();
        assert!(failure.message().contains("is there already"));
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        assert_eq!(name_count(&folder), 1);
    }

    #[test]
    fn nothing_is_left_where_writing_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("file");
        let failure = replace(&path, b"ours", is_ours).unwrap_err();
        assert!(failure.message().contains("failed to write"));
        assert_eq!(name_count(&folder), 0);
    }

    #[test]
    fn a_replaced_file_keeps_who_may_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (before, after) in [
            (0o600, 0o600),
            (0o640, 0o640),
            (0o666, 0o666),
            (0o4755, 0o755),
        ] {
            std::fs::write(&path, b"ours").unwrap();
            std::fs::set_permissions(&path, Permissions::from_mode(before)).unwrap();
            replace(&path, b"ours 2", is_ours).unwrap();
            assert_eq!(mode(&path), after);
        }
    }

    #[test]
    fn what_is_not_a_file_is_neither_waited_for_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, link] = ["pipe", "link"].map(|name| folder.path().join(name));
        mkfifoat(CWD, &pipe, Mode::RUSR).unwrap();
        symlink(&pipe, &link).unwrap();
        for path in [&pipe, &link, folder.path()] {
            let failure = replace(path, b"ours", |_| true).unwrap_err();
            let message = format!("`{}` is not a regular file", path.display());
            assert_eq!(failure.message(), message);
        }
        assert_eq!(name_count(&folder), 2);
    }

    #[test]
    fn a_link_stays_and_its_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("file"), b"ours").unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        symlink("inner/file", &second).unwrap();
        symlink("second", &first).unwrap();
        replace(&first, b"ours 2", is_ours).unwrap();
        assert!(first.is_symlink() && second.is_symlink());
        assert!(!inner.join("file").is_symlink());
        assert_eq!(std::fs::read(inner.join("file")).unwrap(), b"ours 2");
        // Nothing of ours is left in either folder.
        assert_eq!(
            (name_count(&folder), inner.read_dir().unwrap().count()),
            (3, 1)
        );
    }

    #[test]
    fn a_link_to_nothing_is_an_error_that_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("gone", &link).unwrap();
        let failure = replace(&link, b"ours", |_| true).unwrap_err();
        let message = format!(
            "`{}` is a symbolic link that leads nowhere (to `gone`)",
            link.display()
        );
        assert_eq!(failure.message(), message);
        assert_eq!(name_count(&folder), 1);
    }

    #[test]
    fn a_file_that_was_made_in_between_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"theirs").unwrap();
        let error = write_new(&path, b"ours").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        assert_eq!(name_count(&folder), 1);
    }
}
