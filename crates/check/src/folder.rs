//! Writes the files of a tree to a new or empty directory.
//!
//! Every directory and file is made below an open descriptor and follows no link, so another user
//! cannot redirect what root writes. The directory itself lies where no other user can rename it,
//! as with the workspaces of runs (`stripewise_machine::open_directory`).
//!
//! ```text
//! open the parent -> make the directory (mode 0700) -> make each file below it (O_EXCL, mode 0600)
//! an error        -> remove what was made, in reverse
//! ```

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use stripewise_machine::{OpenDirectoryError, open_directory};

/// Why a tree could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file or directory of it.
    #[error("failed to write `{}`", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The directory that holds it.
    #[error(transparent)]
    Open(#[from] OpenDirectoryError),
    /// The directory holds something.
    #[error("`{}` exists and is not empty", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
}

/// Writes files, in this order: each a path below the directory, which may begin with `/`, and its
/// text. Those of one directory follow each other.
pub(crate) fn write<'a>(
    files: impl Iterator<Item = (&'a String, &'a String)>,
    to: &Path,
) -> Result<(), FolderError> {
    let mut folder = Folder::open(to)?;
    for (path, text) in files {
        if let Err((path, source)) = folder.add(Path::new(path), text.as_bytes()) {
            let path = to.join(path);
            folder.remove();
            return Err(FolderError::Write { path, source });
        }
    }
    Ok(())
}

/// The directory to fill and those above it, as far as we made them: where each is, and its name.
#[derive(Default)]
struct Made(Vec<(OwnedFd, PathBuf)>);

impl Made {
    /// Makes a directory, and opens it.
    fn make(&mut self, parent: OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
        mkdirat(&parent, name, Mode::RWXU)?;
        let made = openat(&parent, name, FLAGS, Mode::empty());
        self.0.push((parent, PathBuf::from(name)));
        made
    }

    /// Removes them again. What cannot be removed stays.
    fn remove(self) {
        for (parent, name) in self.0.iter().rev() {
            let _ = unlinkat(parent, name.as_path(), AtFlags::REMOVEDIR);
        }
    }
}

/// A directory to fill.
struct Folder {
    directory: OwnedFd,
    made: Made,
    /// What we made below it, in order, and whether it is a directory.
    entries: Vec<(PathBuf, bool)>,
    /// The directories that hold the last file, each with its name, from the top.
    open: Vec<(PathBuf, OwnedFd)>,
}

const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Folder {
    /// Opens an empty directory, or makes one and the directories above it.
    fn open(to: &Path) -> Result<Self, FolderError> {
        let mut made = Made::default();
        match open_empty(to, &mut made) {
            Ok(directory) => Ok(Self {
                directory,
                made,
                entries: Vec::new(),
                open: Vec::new(),
            }),
            Err(error) => {
                made.remove();
                Err(error)
            }
        }
    }

    /// Makes a file and the directories that hold it; an error names what could not be made.
    fn add(&mut self, path: &Path, text: &[u8]) -> Result<(), (PathBuf, io::Error)> {
        let path = path.strip_prefix("/").unwrap_or(path);
        let failed = |error: Errno| (path.to_owned(), io::Error::from(error));
        let names: Vec<&OsStr> = path.iter().collect();
        let is_plain = names.iter().all(|name| *name != "." && *name != "..");
        let Some((name, folders)) = names.split_last().filter(|_| is_plain) else {
            return Err(failed(Errno::INVAL));
        };
        let same = self.open.iter().zip(folders);
        let same = same.take_while(|((open, _), name)| open.as_os_str() == **name);
        let depth = same.count();
        self.open.truncate(depth);
        for (index, name) in folders.iter().enumerate().skip(depth) {
            let parent = self.innermost();
            mkdirat(parent, *name, Mode::RWXU).map_err(failed)?;
            let made = openat(parent, *name, FLAGS, Mode::empty());
            self.entries
                .push((folders[..=index].iter().collect(), true));
            let made = made.map_err(failed)?;
            self.open.push((PathBuf::from(name), made));
        }
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(self.innermost(), *name, flags, Mode::RUSR | Mode::WUSR);
        let mut file = File::from(file.map_err(failed)?);
        self.entries.push((path.to_owned(), false));
        file.write_all(text)
            .map_err(|error| (path.to_owned(), error))
    }

    fn innermost(&self) -> &OwnedFd {
        self.open.last().map_or(&self.directory, |(_, open)| open)
    }

    /// Removes what we made, and nothing else. What cannot be removed stays.
    fn remove(self) {
        for (path, is_directory) in self.entries.iter().rev() {
            let flags = match is_directory {
                true => AtFlags::REMOVEDIR,
                false => AtFlags::empty(),
            };
            if let (Some(parent), Some(name)) = (self.parent_of(path), path.file_name()) {
                let _ = unlinkat(&parent, name, flags);
            }
        }
        self.made.remove();
    }

    /// Opens the directory of an entry, without following a link.
    fn parent_of(&self, path: &Path) -> Option<OwnedFd> {
        let mut open = openat(&self.directory, ".", FLAGS, Mode::empty()).ok()?;
        for name in path.parent()? {
            open = openat(&open, name, FLAGS, Mode::empty()).ok()?;
        }
        Some(open)
    }
}

/// Opens an empty directory, or makes one.
fn open_empty(to: &Path, made: &mut Made) -> Result<OwnedFd, FolderError> {
    let failed = |source: Errno| FolderError::Write {
        path: to.to_owned(),
        source: source.into(),
    };
    let directory = match missing_name(to) {
        Some(name) => {
            let parent = open_parent(to, made)?;
            made.make(parent, name).map_err(failed)?
        }
        None => {
            let found = open_directory(to)?;
            openat(&found, ".", FLAGS, Mode::empty()).map_err(failed)?
        }
    };
    let mut names = Dir::read_from(&directory).map_err(failed)?;
    let is_used = names.any(|entry| {
        entry.is_ok_and(|entry| ![&b"."[..], b".."].contains(&entry.file_name().to_bytes()))
    });
    match is_used {
        false => Ok(directory),
        true => Err(FolderError::NotEmpty {
            path: to.to_owned(),
        }),
    }
}

/// Returns the last name of a path at which nothing is.
fn missing_name(path: &Path) -> Option<&OsStr> {
    let found = path.symlink_metadata();
    let is_missing = found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    path.file_name().filter(|_| is_missing)
}

/// Opens the directory above a path. Makes it, and those above it, if they are missing.
fn open_parent(path: &Path, made: &mut Made) -> Result<OwnedFd, FolderError> {
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let Some(name) = missing_name(parent) else {
        return Ok(open_directory(parent)?);
    };
    let above = open_parent(parent, made)?;
    match made.make(above, name) {
        Ok(made) => Ok(made),
        // Another program made it just now, which may be another user's.
        Err(Errno::EXIST) => Ok(open_directory(parent)?),
        Err(source) => Err(FolderError::Write {
            path: parent.to_owned(),
            source: source.into(),
        }),
    }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
