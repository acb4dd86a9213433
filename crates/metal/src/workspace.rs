//! The directories that this world makes, and how they are removed: one below the target for test
//! files, or below `run_directory` for mounts and what fio reads and writes.
//!
//! Its name says whose it is. It is removed file by file, and only files whose names are ours, so
//! that a wrong path in a journal can never cost anybody a file.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, unlinkat};
use stripewise_study::world::{Change, Journal, WorldError};

/// How the name of a workspace begins.
pub const PREFIX: &str = ".stripewise-";

/// How the names of our files end: data files, and what fio reads and writes.
const OUR_SUFFIXES: [&str; 4] = [".dat", ".fio", ".json", ".log"];

/// A directory of our own below the target.
#[derive(Debug)]
pub(crate) struct Workspace {
    change: Change,
    path: PathBuf,
}

impl Workspace {
    /// Announces and creates a new directory below `target`, for this user alone.
    pub(crate) fn create(target: &Path, journal: &mut dyn Journal) -> Result<Self, WorldError> {
        let path = new_path(target);
        let change = Change::CreatedDirectory { path: path.clone() };
        journal.announce(&change).map_err(|source| {
            WorldError::failed("failed to note in the journal what will be created", source)
        })?;
        if let Err(error) = make_directory(&path) {
            // Nothing was made: whether the journal can forget it matters less than the reason.
            let _ = journal.undone(&change);
            return Err(error);
        }
        Ok(Self { change, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the directory and tells the journal.
    pub(crate) fn remove(&self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        let _ = remove(&self.path)?;
        journal.undone(&self.change).map_err(|source| {
            WorldError::failed("failed to note in the journal what was removed", source)
        })
    }
}

fn unix_nanos() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_nanos())
}

/// Returns a new name of ours below `parent`.
pub(crate) fn new_path(parent: &Path) -> PathBuf {
    parent.join(format!("{PREFIX}{}-{}", std::process::id(), unix_nanos()))
}

/// Makes a directory for this user alone.
pub(crate) fn make_directory(path: &Path) -> Result<(), WorldError> {
    std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700)
        .create(path)
        .map_err(|source| {
            WorldError::failed(format!("failed to create `{}`", path.display()), source)
        })
}

/// Returns where directories go that are not below a target: in memory, and gone at a reboot.
pub(crate) fn run_directory() -> PathBuf {
    let of_user = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    [Some(PathBuf::from("/run")), of_user]
        .into_iter()
        .flatten()
        .find(|folder| {
            folder.is_absolute()
                && rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
        })
        .unwrap_or_else(std::env::temp_dir)
}

/// Removes a directory of ours with everything in it. Returns whether there was one.
pub(crate) fn remove(path: &Path) -> Result<bool, WorldError> {
    match remove_ours(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(WorldError::Failed {
            attempted: format!("failed to remove `{}`", path.display()),
            hint: Some(
                "look at what is in it, remove it by hand, then run `stripewise restore`".into(),
            ),
            source: Some(error.into()),
        }),
    }
}

/// Returns whether a path has a name of the form that we give.
pub(crate) fn is_ours(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with(PREFIX))
}

fn remove_ours(path: &Path) -> io::Result<()> {
    if !is_ours(path) {
        return Err(io::Error::other(
            "its name is not one that Stripewise gives",
        ));
    }
    // By descriptor: whoever swaps the path for a link meanwhile does not lead us elsewhere.
    let directory = openat(
        CWD,
        path,
        OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let mut files = Vec::new();
    for entry in Dir::read_from(&directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let is_ours = name
            .to_str()
            .is_ok_and(|name| OUR_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)));
        if !is_ours || entry.file_type() == FileType::Directory {
            let name = name.to_string_lossy().into_owned();
            return Err(io::Error::other(format!("`{name}` in it is not ours")));
        }
        files.push(name.to_owned());
    }
    for file in files {
        unlinkat(&directory, file, AtFlags::empty())?;
    }
    std::fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_removed_and_removing_it_twice_is_harmless() {
        let target = tempfile::tempdir().unwrap();
        let path = target.path().join(".stripewise-1-1");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("256M-incompressible-0.dat"), "x").unwrap();
        assert!(remove(&path).unwrap());
        assert!(!path.exists());
        assert!(!remove(&path).unwrap());
    }

    #[test]
    fn nothing_else_is_ever_removed() {
        let target = tempfile::tempdir().unwrap();
        let precious = target.path().join("precious");
        std::fs::create_dir(&precious).unwrap();
        std::fs::write(precious.join("a.dat"), "x").unwrap();
        assert!(remove(&precious).is_err(), "a name that is not ours");

        let link = target.path().join(".stripewise-link");
        std::os::unix::fs::symlink(&precious, &link).unwrap();
        assert!(remove(&link).is_err(), "a link");

        let mixed = target.path().join(".stripewise-mixed");
        std::fs::create_dir(&mixed).unwrap();
        std::fs::write(mixed.join("thesis.tex"), "x").unwrap();
        std::fs::write(mixed.join("a.dat"), "x").unwrap();
        let error = remove(&mixed).unwrap_err();
        assert!(error.hint().is_some());
        assert!(mixed.join("thesis.tex").exists() && mixed.join("a.dat").exists());
        assert!(precious.join("a.dat").exists());
    }
}
