//! The directories that this world creates: one below the target for test files, or below
//! `run_directory` for mounts and links to block devices.
//!
//! We hold a directory and its files open from creation to removal, and reach everything in it
//! through those descriptors. Its path is only printed and recorded in the journal. So renaming it,
//! unmounting its filesystem or putting a link in its place redirects neither fio nor us. fio
//! starts in the directory itself, and before each start we compare device, inode and birth time of
//! everything in it.
//!
//! ```text
//! announce the random name -> create it exclusively -> record inode and birth time -> use it
//! ```
//!
//! We remove only files and directories with the name and the identity in the journal; see
//! `removal`.

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, Mode, OFlags, ftruncate, mkdirat, openat, symlinkat};
use rustix::io::Errno;
use stripewise_fio::LayoutItem;
use stripewise_machine::{OpenDirectoryError, Root, Untrusted, mounted_filesystem, open_directory};
use stripewise_study::world::{
    Change, CreatedFile, Journal, JournalError, ParentDirectory, WorldError,
};

use crate::inode::{Entry, open_directory_in};
pub use crate::removal::PREFIX;
use crate::removal::{
    MOVE_AWAY, Removal, listed, names_in, open_noted, remove_directory, remove_files,
};

/// A directory of the run.
#[derive(Debug)]
pub(crate) struct Workspace {
    path: PathBuf,
    name: PathBuf,
    made_in: ParentDirectory,
    parent: OwnedFd,
    directory: OwnedFd,
    identity: Entry,
    files: BTreeMap<String, OpenEntry>,
}

/// A file or link in a workspace.
#[derive(Debug)]
struct OpenEntry {
    /// As long as this is open, no other file gets the inode number.
    descriptor: OwnedFd,
    identity: Entry,
}

/// A file or link to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewFile {
    pub(crate) name: String,
    pub(crate) kind: NewKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NewKind {
    /// A regular file of this size, without data.
    File { bytes: u64 },
    /// A symbolic link.
    Link { target: PathBuf },
}

impl NewFile {
    /// Returns an empty file.
    pub(crate) fn empty(name: String) -> Self {
        Self {
            name,
            kind: NewKind::File { bytes: 0 },
        }
    }

    /// Returns the file in which fio lays out `item`. It has its full size from the start: fio
    /// deletes a shorter file and creates another (`extend_file` in filesetup.c).
    pub(crate) fn of(item: &LayoutItem) -> Self {
        Self {
            name: item.file.clone(),
            kind: NewKind::File {
                bytes: item.file_bytes().as_u64(),
            },
        }
    }
}

impl Workspace {
    /// Announces and creates a new directory below `target`, closed to other users.
    ///
    /// # Errors
    /// If it cannot be created, or if we are root and another user could rename it.
    pub(crate) fn create(target: &Path, journal: &mut dyn Journal) -> Result<Self, WorldError> {
        let parent = open_directory(target).map_err(|error| not_opened(target, error))?;
        let name = random_name()?;
        let path = target.join(&name);
        let failed = |source: Errno| failed_to("create", &path, source);
        let made_in = ParentDirectory {
            inode: Entry::of(&parent).map_err(failed)?.inode,
            // A directory whose filesystem is unknown is found again by its path and inode only.
            filesystem: std::fs::canonicalize(target)
                .ok()
                .and_then(|real| mounted_filesystem(&Root::live(), &real).ok()?),
        };
        let announced = Change::CreatedDirectory {
            path: path.clone(),
            parent: made_in.clone(),
            inode: None,
            files: Vec::new(),
        };
        journal.announce(&announced).map_err(not_noted)?;
        if let Err(errno) = mkdirat(&parent, &name, Mode::RWXU) {
            // Nothing was created: the cause matters more than a stale journal entry.
            let _ = journal.undone(&announced);
            return Err(failed(errno));
        }
        let directory = open_directory_in(&parent, &name).map_err(failed)?;
        let identity = Entry::of(&directory).map_err(failed)?;
        check_is_private(&path, &directory, &identity)?;
        let workspace = Self {
            path,
            name,
            made_in,
            parent,
            directory,
            identity,
            files: BTreeMap::new(),
        };
        journal
            .replaced(&announced, &workspace.change())
            .map_err(not_noted)?;
        Ok(workspace)
    }

    /// Returns its path, for messages and for tools that need one.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a path to the directory itself, even if it was moved. It is valid in this process,
    /// and in a child until exec: fio starts there.
    pub(crate) fn held_path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.directory.as_raw_fd()))
    }

    /// Returns its journal entry.
    fn change(&self) -> Change {
        self.change_with(self.noted_files())
    }

    /// Returns its files as in the journal.
    fn noted_files(&self) -> Vec<CreatedFile> {
        let files = self.files.iter().map(|(name, held)| CreatedFile {
            name: name.clone(),
            inode: Some(held.identity.inode),
        });
        files.collect()
    }

    fn change_with(&self, files: Vec<CreatedFile>) -> Change {
        Change::CreatedDirectory {
            path: self.path.clone(),
            parent: self.made_in.clone(),
            inode: Some(self.identity.inode),
            files,
        }
    }

    /// Creates those of `wanted` that do not exist yet, and records them in the journal: first the
    /// names, then the identities.
    ///
    /// # Errors
    /// If a foreign file has the name, or one cannot be created.
    pub(crate) fn make(
        &mut self,
        wanted: &[NewFile],
        journal: &mut dyn Journal,
    ) -> Result<(), WorldError> {
        let new: Vec<&NewFile> = wanted
            .iter()
            .filter(|file| !self.files.contains_key(&file.name))
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        let before = self.change();
        let mut files = self.noted_files();
        files.extend(new.iter().map(|file| CreatedFile {
            name: file.name.clone(),
            inode: None,
        }));
        let named = self.change_with(files);
        journal.replaced(&before, &named).map_err(not_noted)?;
        allow_open_files(self.files.len() + new.len());
        for file in &new {
            let held = self.make_one(file)?;
            self.files.insert(file.name.clone(), held);
        }
        journal
            .replaced(&named, &self.change())
            .map_err(not_noted)?;
        // Only now: after a crash, a file without a recorded identity is removed only if it is
        // empty.
        new.iter().try_for_each(|file| self.grow(file))
    }

    fn make_one(&self, file: &NewFile) -> Result<OpenEntry, WorldError> {
        let failed = |errno| failed_to("create", &self.path.join(&file.name), errno);
        let opened = match &file.kind {
            NewKind::File { .. } => openat(
                &self.directory,
                &file.name,
                OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC,
                Mode::RUSR | Mode::WUSR,
            ),
            NewKind::Link { target } => symlinkat(target, &self.directory, &file.name)
                .and_then(|()| self.open_itself(&file.name)),
        };
        let descriptor = opened.map_err(failed)?;
        let identity = Entry::of(&descriptor).map_err(failed)?;
        Ok(OpenEntry {
            descriptor,
            identity,
        })
    }

    /// Opens a name with `O_PATH`, to hold it; does not follow a symbolic link.
    fn open_itself(&self, name: &str) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&self.directory, name, flags, Mode::empty())
    }

    /// Extends a new file to its size.
    fn grow(&self, file: &NewFile) -> Result<(), WorldError> {
        match (&file.kind, self.files.get(&file.name)) {
            (NewKind::File { bytes }, Some(held)) => ftruncate(&held.descriptor, *bytes)
                .map_err(|errno| failed_to("extend", &self.path.join(&file.name), errno)),
            _ => Ok(()),
        }
    }

    /// Checks, before a program is started in it, that the directory is where it was created and
    /// that its files are ours.
    ///
    /// # Errors
    /// If one was moved, unmounted or replaced, with a hint.
    pub(crate) fn verify(&self) -> Result<(), WorldError> {
        let at_path = rustix::fs::openat(
            rustix::fs::CWD,
            &self.path,
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        );
        let is_there = at_path
            .and_then(Entry::of)
            .is_ok_and(|found| found.is_same_file(&self.identity));
        if !is_there {
            return Err(WorldError::plain(format!(
                "`{}` was renamed or replaced, or its filesystem was unmounted, during the run",
                self.path.display()
            ))
            .or_hint(UNDISTURBED));
        }
        for (name, held) in &self.files {
            let found = Entry::at(&self.directory, name);
            if !found.is_ok_and(|found| found.is_same_file(&held.identity)) {
                let file = self.path.join(name);
                return Err(WorldError::plain(format!(
                    "`{}` was removed or replaced during the run",
                    file.display()
                ))
                .or_hint(UNDISTURBED));
            }
        }
        Ok(())
    }

    /// Removes some of its files and updates the journal.
    ///
    /// # Errors
    /// If one cannot be removed, or the journal cannot be written.
    pub(crate) fn remove_files(
        &mut self,
        names: &[String],
        journal: &mut dyn Journal,
    ) -> Result<(), WorldError> {
        let before = self.change();
        let mut gone = Vec::new();
        for name in names {
            if let Some(held) = self.files.remove(name) {
                gone.push(CreatedFile {
                    name: name.clone(),
                    inode: Some(held.identity.inode),
                });
            }
        }
        if gone.is_empty() {
            return Ok(());
        }
        remove_files(&self.directory, &gone)
            .map_err(|errno| failed_to("empty", &self.path, errno))?;
        journal.replaced(&before, &self.change()).map_err(not_noted)
    }

    /// Removes its files and the directory itself, and updates the journal. Foreign files stay, and
    /// the directory with them.
    ///
    /// # Errors
    /// With the names that stay. The journal then keeps the directory for `stripewise restore`.
    pub(crate) fn remove(&self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        let failed = |errno| failed_to("remove", &self.path, errno);
        let foreign = remove_files(&self.directory, &self.noted_files())
            .and_then(|()| names_in(&self.directory))
            .map_err(failed)?;
        if !foreign.is_empty() {
            return Err(WorldError::plain(format!(
                "`{}` was kept: it holds {}, which the run did not make",
                self.path.display(),
                listed(&foreign)
            ))
            .or_hint(MOVE_AWAY));
        }
        if self.remove_itself().map_err(failed)? {
            return journal.undone(&self.change()).map_err(not_noted);
        }
        Err(WorldError::plain(format!(
            "`{}` was moved elsewhere during the run; it is empty now",
            self.path.display()
        ))
        .or_hint("find and remove the empty directory, then run `stripewise restore`"))
    }

    /// Removes the directory, which is empty, even if it was renamed within its parent. Returns
    /// whether it is removed.
    fn remove_itself(&self) -> Result<bool, Errno> {
        let inode = &self.identity.inode;
        let name = match open_noted(&self.parent, &self.name, Some(inode))? {
            Some((name, _)) => name,
            None => return Ok(Entry::of(&self.directory)?.names == 0),
        };
        let removed = remove_directory(&self.parent, &name, inode)?;
        Ok(removed == Removal::Removed)
    }
}

/// The hint for a workspace that changed during the run.
const UNDISTURBED: &str =
    "do not move the run's directory or unmount its filesystem until the run ends";

/// Returns the parent of directories that do not lie below a target: in memory, and lost at a
/// reboot.
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

/// Returns an unguessable name: 128 random bits.
fn random_name() -> Result<PathBuf, WorldError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|source| WorldError::failed("failed to draw a random number", source))?;
    let digits = u128::from_ne_bytes(bytes);
    Ok(PathBuf::from(format!("{PREFIX}{digits:032x}")))
}

/// Checks that the directory we opened is the one that we created: ours, closed to others, empty.
/// Otherwise another process replaced it in between, or the filesystem stores no owners.
fn check_is_private(path: &Path, directory: &OwnedFd, identity: &Entry) -> Result<(), WorldError> {
    let is_closed = !identity.mode.intersects(Mode::WGRP | Mode::WOTH);
    let is_ours = identity.owner == rustix::process::geteuid().as_raw();
    let found = names_in(directory).map_err(|errno| failed_to("read", path, errno))?;
    if is_closed && is_ours && found.is_empty() {
        return Ok(());
    }
    let shown = path.display();
    Err(WorldError::plain(match found.is_empty() {
        true => format!(
            "other users can write to `{shown}`, although it was created for this user alone"
        ),
        false => format!("`{shown}` was replaced as soon as it was created"),
    })
    .or_hint("use a target that no other user can write to, on a filesystem with owners and modes"))
}

/// Raises this process's limit of open files as far as allowed, if it needs that many.
fn allow_open_files(count: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    const OTHERS: u64 = 256;
    let limit = getrlimit(Resource::Nofile);
    let needed = u64::try_from(count)
        .unwrap_or(u64::MAX)
        .saturating_add(OTHERS);
    if limit.current.is_some_and(|current| current < needed) {
        // If this fails, opening the files reports it.
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: limit.maximum,
                maximum: limit.maximum,
            },
        );
    }
}

fn not_opened(target: &Path, error: OpenDirectoryError) -> WorldError {
    let attempted = format!("failed to use `{}`", target.display());
    let is_untrusted = matches!(error, OpenDirectoryError::Untrusted(_));
    let failed = WorldError::failed(attempted, error);
    match is_untrusted {
        true => failed.or_hint(Untrusted::HINT),
        false => failed,
    }
}

fn failed_to(what: &str, path: &Path, errno: Errno) -> WorldError {
    let source = std::io::Error::from(errno);
    WorldError::failed(format!("failed to {what} `{}`", path.display()), source)
}

fn not_noted(source: JournalError) -> WorldError {
    WorldError::failed("failed to record a directory in the journal", source)
}

#[cfg(test)]
#[path = "workspace_tests.rs"]
mod tests;
