//! Removes our directories, now or after a crash: through descriptors, and only those with the name
//! and identity in the journal.
//!
//! The journal first gets the random name of a directory. Then it gets the identities (inode and
//! birth time) of the directory, of each file, and of the parent directory with its filesystem.
//! While that filesystem is not mounted, or another directory has the parent's path, the entry
//! stays in the journal and `restore` names the filesystem to mount. A filesystem mounted elsewhere
//! is found there.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;
use stripewise_machine::{Root, is_in_memory, mounted_filesystem, places_of};
use stripewise_message::{Argument, Message};
use stripewise_study::world::{CreatedFile, Inode, ParentDirectory, WorldError};

use crate::inode::{Entry, open_directory_in};
use crate::undone::Undone;

/// How many file names to print.
const NAMES_SHOWN: usize = 5;

/// The result of removing a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    Removed,
    NotThere,
    /// Another directory has its name.
    Another,
}

/// The journal's entry for a directory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noted<'a> {
    pub(crate) path: &'a Path,
    pub(crate) parent: &'a ParentDirectory,
    pub(crate) inode: Option<&'a Inode>,
    pub(crate) files: &'a [CreatedFile],
}

/// Removes a directory of a run with the files that the run made in it.
///
/// # Errors
/// If the system refuses.
pub(crate) fn undo(root: &Root, noted: &Noted) -> Result<Undone, WorldError> {
    let shown = noted.path.display();
    let Some(name) = noted.path.file_name().filter(|_| is_ours(noted.path)) else {
        return Ok(Undone::Untouched {
            why: Message::new("restore-why-never-directory").name("path", shown),
        });
    };
    if let Some(odd) = noted.files.iter().find(|file| !is_plain(&file.name)) {
        return Ok(Undone::Untouched {
            why: Message::new("restore-why-never-file").name("file", &odd.name),
        });
    }
    undo_named(root, noted, Path::new(name)).map_err(|errno| {
        let source = std::io::Error::from(errno);
        WorldError::failed(format!("failed to remove `{shown}`"), source)
            .or_hint("fix the cause, then run `stripewise restore`")
    })
}

fn undo_named(root: &Root, noted: &Noted, name: &Path) -> Result<Undone, Errno> {
    let parent = match find_parent(root, noted) {
        ParentState::Here(parent) => parent,
        ParentState::GoneForGood => return Ok(Undone::Already),
        ParentState::OutOfReach { why } => return Ok(Undone::Kept { why }),
    };
    let Some((name, directory)) = open_noted(&parent, name, noted.inode)? else {
        return Ok(match Entry::at(&parent, name) {
            Ok(_) => Undone::Untouched {
                why: Message::new("restore-why-other-directory").name("path", noted.path.display()),
            },
            Err(_) => Undone::Already,
        });
    };
    let identity = Entry::of(&directory)?.inode;
    remove_files(&directory, noted.files)?;
    let foreign = names_in(&directory)?;
    if foreign.is_empty() {
        let removed = remove_directory(&parent, &name, &identity)?;
        return Ok(Undone::done_if(removed == Removal::Removed));
    }
    Ok(Undone::Kept {
        why: Message::new("restore-why-foreign-files").with("files", in_words(&foreign)),
    })
}

/// The parent directory of one of our directories.
enum ParentState {
    Here(OwnedFd),
    /// Its filesystem was in memory and is not mounted any more.
    GoneForGood,
    OutOfReach {
        why: Message,
    },
}

/// Finds the parent directory of one of our directories: at its old path, or wherever its
/// filesystem is mounted now.
fn find_parent(root: &Root, noted: &Noted) -> ParentState {
    let place = noted.path.parent().unwrap_or(Path::new("/"));
    let known = noted.parent;
    let places = known.filesystem.as_ref();
    let places = match places.map(|filesystem| places_of(root, filesystem)) {
        None => Vec::new(),
        Some(Ok(places)) => places,
        Some(Err(missing)) => {
            let why = Message::new("restore-why-mounts-unread").name("missing", missing);
            return ParentState::OutOfReach { why };
        }
    };
    let here = std::fs::canonicalize(place).ok();
    let is_mounted_here = |place: &PathBuf| match (
        &known.filesystem,
        mounted_filesystem(root, place).ok().flatten(),
    ) {
        (Some(wanted), Some(found)) => match (&wanted.uuid, &found.uuid) {
            (Some(wanted), Some(found)) => wanted == found,
            _ => wanted.kind == found.kind,
        },
        _ => true,
    };
    for candidate in here
        .iter()
        .filter(|place| is_mounted_here(place))
        .chain(&places)
    {
        let opened = open_path(candidate);
        let is_it =
            |parent: &OwnedFd| Entry::of(parent).is_ok_and(|entry| entry.inode == known.inode);
        if let Some(parent) = opened.ok().filter(is_it) {
            return ParentState::Here(parent);
        }
    }
    let place = place.display();
    match &known.filesystem {
        Some(filesystem) if places.is_empty() && is_in_memory(&filesystem.kind) => {
            ParentState::GoneForGood
        }
        Some(filesystem) if places.is_empty() => {
            let why = match &filesystem.uuid {
                Some(uuid) => Message::new("restore-why-not-mounted-uuid").name("uuid", uuid),
                None => Message::new("restore-why-not-mounted"),
            };
            ParentState::OutOfReach {
                why: why
                    .name("kind", &filesystem.kind)
                    .name("source", &filesystem.source)
                    .name("place", filesystem.mount_point.display()),
            }
        }
        _ => ParentState::OutOfReach {
            why: Message::new("restore-why-parent-replaced").name("path", place),
        },
    }
}

/// Opens a directory for lookups only.
fn open_path(place: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(rustix::fs::CWD, place, flags, Mode::empty())
}

/// Opens the directory `name`, or a directory beside it that has its identity and another name.
pub(crate) fn open_noted(
    parent: &OwnedFd,
    name: &Path,
    inode: Option<&Inode>,
) -> Result<Option<(PathBuf, OwnedFd)>, Errno> {
    let opened = match open_directory_in(parent, name) {
        Ok(directory) => Some((name.to_owned(), directory)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => None,
        Err(errno) => return Err(errno),
    };
    let Some(inode) = inode else {
        return Ok(opened);
    };
    let is_it = |directory: &OwnedFd| Entry::of(directory).map(|entry| entry.inode == *inode);
    if let Some((name, directory)) = opened
        && is_it(&directory)?
    {
        return Ok(Some((name, directory)));
    }
    let listed = open_directory_in(parent, Path::new("."))?;
    for entry in Dir::read_from(&listed)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.ino() != inode.number || matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let name = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
        if let Ok(directory) = open_directory_in(parent, &name)
            && is_it(&directory)?
        {
            return Ok(Some((name, directory)));
        }
    }
    Ok(None)
}

/// Removes those of `files` that exist with their identity. A file without a recorded identity is
/// removed only if it is empty.
pub(crate) fn remove_files(directory: impl AsFd, files: &[CreatedFile]) -> Result<(), Errno> {
    for file in files {
        let found = match Entry::at(&directory, &file.name) {
            Ok(found) => found,
            Err(Errno::NOENT) => continue,
            Err(errno) => return Err(errno),
        };
        let is_ours = match (&file.inode, found.kind) {
            (Some(inode), FileType::RegularFile | FileType::Symlink) => *inode == found.inode,
            (None, FileType::RegularFile) => found.bytes == 0,
            (None, FileType::Symlink) => true,
            _ => false,
        };
        if is_ours {
            unlinkat(&directory, &file.name, AtFlags::empty())?;
        }
    }
    Ok(())
}

/// Removes the empty directory `name`, if it is the one with this identity.
pub(crate) fn remove_directory(
    parent: impl AsFd,
    name: &Path,
    inode: &Inode,
) -> Result<Removal, Errno> {
    match Entry::at(&parent, name) {
        Ok(found) if found.inode == *inode => {}
        Ok(_) => return Ok(Removal::Another),
        Err(Errno::NOENT) => return Ok(Removal::NotThere),
        Err(errno) => return Err(errno),
    }
    // If another directory takes its place meanwhile, it is removed only if it is empty.
    match unlinkat(&parent, name, AtFlags::REMOVEDIR) {
        Ok(()) => Ok(Removal::Removed),
        Err(Errno::NOENT) => Ok(Removal::NotThere),
        Err(errno) => Err(errno),
    }
}

/// Returns the names in a directory, as text for messages.
pub(crate) fn names_in(directory: impl AsFd) -> Result<Vec<String>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the names to show in quotes, and how many more there are.
fn shown(names: &[String]) -> (Vec<String>, usize) {
    let shown = names.iter().take(NAMES_SHOWN);
    let shown = shown.map(|name| format!("`{name}`")).collect();
    (shown, names.len().saturating_sub(NAMES_SHOWN))
}

/// Returns names as a list for messages.
fn in_words(names: &[String]) -> Argument {
    let (shown, more) = shown(names);
    let shown = shown.into_iter().map(Argument::Name);
    match more {
        0 => Argument::list(shown),
        more => {
            let more = Message::new("some-more").digits("count", more);
            Argument::list_and(shown.chain([more.into()]))
        }
    }
}

/// Returns names as a list for errors.
pub(crate) fn listed(names: &[String]) -> String {
    let (shown, more) = shown(names);
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns whether a name is a single path component.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\0']) && name != "." && name != ".."
}

/// The prefix of a workspace's name.
pub const PREFIX: &str = ".stripewise-";

/// The hint for foreign files in one of our directories.
pub(crate) const MOVE_AWAY: &str =
    "move them elsewhere, then run `stripewise restore`; the run's own files are removed already";

/// Returns whether a path has the form of our names.
pub(crate) fn is_ours(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with(PREFIX))
}
