//! Files that commands write: whole or not at all, and never over something that is not ours.

use std::fs::{File, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::failure::{Failure, Result};

/// How much of a file is looked at to see what it is.
const HEAD_BYTES: u64 = 4096;

/// Writes a file by a temporary one and a rename; a file that is there is replaced if `is_ours`
/// says so of its first bytes.
///
/// # Errors
/// If something else is there, or it cannot be written; what was there is untouched then.
pub(crate) fn replace(path: &Path, content: &[u8], is_ours: impl Fn(&[u8]) -> bool) -> Result<()> {
    if let Some(head) = head(path)?
        && !is_ours(&head)
    {
        return Err(Failure::new(format!(
            "`{}` is there already and is not a file of this kind",
            path.display()
        ))
        .hint("choose another name, or remove it first"));
    }
    write(path, content).map_err(|error| {
        Failure::new(error).context(format!("failed to write `{}`", path.display()))
    })
}

/// Returns the first bytes of a file; nothing if there is none.
fn head(path: &Path) -> Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Failure::new(error).context(format!("failed to open `{}`", path.display())));
        }
    };
    let mut head = Vec::new();
    file.take(HEAD_BYTES)
        .read_to_end(&mut head)
        .map_err(|error| {
            Failure::new(error).context(format!("failed to read `{}`", path.display()))
        })?;
    Ok(Some(head))
}

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new()
        .prefix(".stripewise-")
        // The umask takes from it what the user wants taken.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours(head: &[u8]) -> bool {
        head.starts_with(b"ours")
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
    }

    #[test]
    fn nothing_is_left_where_writing_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("file");
        let failure = replace(&path, b"ours", is_ours).unwrap_err();
        assert!(failure.message().contains("failed to write"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
