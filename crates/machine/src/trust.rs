//! Directories in which no other user can replace our files.
//!
//! Root writes to a path that a user chose. If another user may rename a directory on that path,
//! that user can redirect it, even after our check. So for root, every directory from `/` down must
//! belong to root. It must also be writable by its owner alone, or be sticky like `/tmp`, where
//! other users can only rename their own files.
//!
//! That holds for the whole way: a link of another user may lead to a directory that is safe, and not
//! the one that root meant. So links are read one by one, and each must belong to root.
//!
//! This applies to root of the whole machine: root of a user namespace has no more power over files
//! than the user who created it. Access control lists need no check: the group bits of the mode
//! show what they grant beyond the owner (acl(5)).

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat};
use rustix::io::Errno;

/// The most symbolic links on the way to a directory, as in Linux (path_resolution(7)).
const LINKS_MAX: usize = 40;

/// Why a directory was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenDirectoryError {
    /// The system refuses to open it.
    #[error("failed to open `{}`", path.display())]
    Open {
        /// The directory on the way that could not be opened.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Another user may rename it, or files in it.
    #[error("{0}")]
    Untrusted(Untrusted),
}

/// Why root does not write below a directory: another user could replace its files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untrusted {
    /// It belongs to another user.
    #[error("`{path}` belongs to user {owner}, who could redirect root's writes")]
    Owner {
        /// The directory, or one above it.
        path: String,
        /// The owner's user id.
        owner: u32,
    },
    /// It is reached through a link of another user.
    #[error("`{path}` is a symbolic link of user {owner}, who could redirect root's writes")]
    Link {
        /// The link.
        path: String,
        /// The owner's user id.
        owner: u32,
    },
    /// Other users may write to it, and it is not sticky.
    #[error("other users can write to `{path}` (mode {mode:04o}) and could redirect root's writes")]
    Writable {
        /// The directory, or one above it.
        path: String,
        /// Its mode.
        mode: u32,
    },
}

impl Untrusted {
    /// How to solve it.
    pub const HINT: &'static str = "run as the owner of the directory, or name one that only root can change: `install -d -m 700 DIR` creates one inside a directory of root's";
}

/// Opens a directory for lookups only (`O_PATH`). Follows symbolic links.
///
/// If this process is root, no other user can rename the directory or a parent of it, and none has led
/// us to it: the links on the way belong to root, and so do the directories that hold them.
///
/// # Errors
/// [`OpenDirectoryError`].
pub fn open_directory(path: &Path) -> Result<OwnedFd, OpenDirectoryError> {
    open_directory_as(path, is_root_of_the_machine())
}

/// Returns whether this process may write the files of every user: it is root in the initial user
/// namespace, which maps every user to itself (user_namespaces(7)).
fn is_root_of_the_machine() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    let map = || std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    is_root && maps_every_user(&map())
}

fn maps_every_user(uid_map: &str) -> bool {
    let fields: Vec<&str> = uid_map.split_ascii_whitespace().collect();
    // Kernels without user namespaces lack the file.
    fields.is_empty() || fields == ["0", "0", "4294967295"]
}

fn open_directory_as(path: &Path, is_root: bool) -> Result<OwnedFd, OpenDirectoryError> {
    let failed = |path: &Path, source| OpenDirectoryError::Open {
        path: path.to_owned(),
        source,
    };
    let absolute = std::path::absolute(path).map_err(|source| failed(path, source))?;
    let open = |parent: BorrowedFd<'_>, name: &OsStr, so_far: &Path| {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let seen = openat(parent, name, flags, Mode::empty())
            .and_then(|opened| Ok((fstat(&opened)?, opened)));
        let (stat, opened) = seen.map_err(|errno| failed(so_far, errno.into()))?;
        match untrusted(&stat, so_far).filter(|_| is_root) {
            Some(why) => Err(OpenDirectoryError::Untrusted(why)),
            None => Ok((stat, opened)),
        }
    };
    let (mut so_far, mut links) = (PathBuf::from("/"), 0);
    // The directories from `/` on, each inside the one before.
    let mut open_ones = vec![open(CWD, OsStr::new("/"), &so_far)?.1];
    let mut ahead = vec![absolute];
    // No other user can swap a directory inside one that others cannot change.
    while let Some(next) = ahead.pop() {
        let mut components = next.components();
        let Some(component) = components.next() else {
            continue;
        };
        ahead.push(components.as_path().to_owned());
        let name = match component {
            Component::Normal(name) => name,
            Component::ParentDir => {
                open_ones.truncate(open_ones.len().saturating_sub(1).max(1));
                so_far.pop();
                continue;
            }
            Component::RootDir => {
                open_ones.truncate(1);
                so_far = PathBuf::from("/");
                continue;
            }
            Component::CurDir | Component::Prefix(_) => continue,
        };
        let place = so_far.join(name);
        let (stat, opened) = open(open_ones[open_ones.len() - 1].as_fd(), name, &place)?;
        let error = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                so_far = place;
                open_ones.push(opened);
                continue;
            }
            FileType::Symlink if links < LINKS_MAX => match readlinkat(&opened, "", Vec::new()) {
                Ok(target) => {
                    links += 1;
                    ahead.push(OsString::from_vec(target.into_bytes()).into());
                    continue;
                }
                Err(errno) => errno,
            },
            FileType::Symlink => Errno::LOOP,
            _ => Errno::NOTDIR,
        };
        return Err(failed(&place, error.into()));
    }
    open_ones
        .pop()
        .ok_or_else(|| failed(path, Errno::NOENT.into()))
}

/// Returns why root cannot trust a directory, or a link on the way to one.
fn untrusted(stat: &Stat, path: &Path) -> Option<Untrusted> {
    let mode = Mode::from_raw_mode(stat.st_mode);
    let path = || crate::root::shown(path);
    if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
        return (stat.st_uid != 0).then(|| Untrusted::Link {
            path: path(),
            owner: stat.st_uid,
        });
    }
    if stat.st_uid != 0 {
        return Some(Untrusted::Owner {
            path: path(),
            owner: stat.st_uid,
        });
    }
    let by_others = mode.intersects(Mode::WGRP | Mode::WOTH);
    (by_others && !mode.contains(Mode::SVTX)).then(|| Untrusted::Writable {
        path: path(),
        mode: mode.as_raw_mode() & 0o7777,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    /// A user who is not root: `nobody` on most systems.
    const ANOTHER: u32 = 65534;

    fn refusal(path: &Path, is_root: bool) -> Option<Untrusted> {
        match open_directory_as(path, is_root) {
            Ok(_) => None,
            Err(OpenDirectoryError::Untrusted(why)) => Some(why),
            Err(error) => panic!("{error}"),
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn root_refuses_a_directory_that_others_can_rename() {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: directories of other users: only root can create them");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let (middle, inner) = (
            folder.path().join("middle"),
            folder.path().join("middle/inner"),
        );
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(refusal(&inner, true), None, "root's own");
        for (path, mode) in [(&inner, 0o775), (&middle, 0o777), (&inner, 0o1777)] {
            set_mode(path, mode);
            let found = refusal(&inner, true);
            let is_sticky = mode & 0o1000 != 0;
            assert_eq!(found.is_none(), is_sticky, "{path:?} {mode:o}: {found:?}");
            assert_eq!(
                refusal(&inner, false),
                None,
                "a user may lose files of their own"
            );
            set_mode(path, 0o755);
        }
        for path in [&inner, &middle] {
            chown(path, Some(ANOTHER), None).unwrap();
            let expected = Some(Untrusted::Owner {
                path: path.display().to_string(),
                owner: ANOTHER,
            });
            assert_eq!(refusal(&inner, true), expected);
            // A link to it makes no difference.
            let link = folder.path().join("link");
            symlink(&inner, &link).unwrap();
            assert_eq!(refusal(&link, true), expected);
            fs::remove_file(&link).unwrap();
            chown(path, Some(0), None).unwrap();
        }
        assert_eq!(refusal(&inner, true), None);
    }

    #[test]
    fn root_follows_no_link_of_another_user() {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: links of other users: only root can create them");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["ours/inner", "theirs", "shared"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        set_mode(&at("shared"), 0o1777);
        chown(at("theirs"), Some(ANOTHER), None).unwrap();
        for (link, target) in [
            ("theirs/link", at("ours")),
            ("shared/link", at("ours")),
            ("link", at("theirs/link")),
            ("fine", PathBuf::from("shared/../ours")),
        ] {
            symlink(target, at(link)).unwrap();
        }
        std::os::unix::fs::lchown(at("shared/link"), Some(ANOTHER), None).unwrap();
        let path = |name: &str| at(name).display().to_string();
        let owner = ANOTHER;
        let through = Untrusted::Owner {
            path: path("theirs"),
            owner,
        };
        let link = Untrusted::Link {
            path: path("shared/link"),
            owner,
        };
        for (name, expected) in [
            ("theirs/link", Some(through.clone())),
            ("theirs/link/inner", Some(through.clone())),
            ("theirs/../ours", Some(through.clone())),
            ("link/inner", Some(through)),
            ("shared/link/inner", Some(link)),
            ("fine/inner", None),
            ("./fine/inner/../inner", None),
        ] {
            assert_eq!(refusal(&at(name), true), expected, "{name}");
            assert_eq!(refusal(&at(name), false), None, "{name}");
        }
        symlink("turn", at("turn")).unwrap();
        let error = open_directory_as(&at("turn"), true).unwrap_err();
        assert!(matches!(error, OpenDirectoryError::Open { .. }), "{error}");
    }

    #[test]
    fn root_of_a_user_namespace_is_not_root_of_the_machine() {
        assert!(maps_every_user("         0          0 4294967295\n"));
        assert!(!maps_every_user("         0       1000          1\n"));
        assert!(!maps_every_user("0 0 1\n1 100000 65536\n"));
        assert!(maps_every_user(""));
    }

    #[test]
    fn a_missing_directory_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let error = open_directory(&missing).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("failed to open `{}`", missing.display())
        );
    }
}
