//! Reasons why a directory cannot be measured, found before the run starts.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD};

use crate::mounts::{Mount, mount_of, mounts};
use crate::root::{Root, shown};
use crate::source::Missing;
use crate::trust::{OpenDirectoryError, Untrusted, open_directory};

/// A reason why a path cannot be the target of a measurement.
///
/// `Display` gives the reason, [`TargetProblem::hint`] the solution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetProblem {
    /// Nothing exists at the path.
    #[error("`{path}` does not exist")]
    Missing {
        /// The path.
        path: String,
    },
    /// A directory on the way cannot be searched, or the lookup fails for another reason.
    #[error("`{path}` cannot be looked up: {why}")]
    OutOfReach {
        /// The path.
        path: String,
        /// The system's error.
        why: String,
    },
    /// It is a block or character device.
    #[error("`{path}` is a device node, not a directory")]
    DeviceNode {
        /// The path.
        path: String,
    },
    /// It is a file, a pipe or a socket.
    #[error("`{path}` is not a directory")]
    NotADirectory {
        /// The path.
        path: String,
    },
    /// The mount or the filesystem is read-only.
    #[error("`{path}` is on a read-only filesystem (`{mount_point}`)")]
    ReadOnly {
        /// The path.
        path: String,
        /// Where the filesystem is mounted.
        mount_point: String,
    },
    /// The filesystem stores its files in memory or has none.
    #[error("`{path}` is on `{filesystem}`, which is not stored on a disk")]
    NotOnDisk {
        /// The path.
        path: String,
        /// The filesystem's type.
        filesystem: String,
    },
    /// An overlay: a write copies the file from a lower layer to the upper one.
    #[error("`{path}` is on an overlay filesystem, which does not show the disk below it")]
    Overlay {
        /// The path.
        path: String,
    },
    /// Another user could replace files that root creates there.
    #[error("{0}")]
    Untrusted(#[from] Untrusted),
    /// Nothing is known of its filesystem, which may be read-only or in memory.
    #[error("the filesystem of `{path}` is unknown: {missing}")]
    MountsUnknown {
        /// The path.
        path: String,
        /// What could not be read.
        missing: Missing,
    },
    /// This user may not create files in it.
    #[error("no permission to write to `{path}`")]
    NotWritable {
        /// The path.
        path: String,
    },
}

impl TargetProblem {
    /// Returns how to solve it.
    pub fn hint(&self) -> &'static str {
        match self {
            TargetProblem::Missing { .. } => {
                "create the directory, or mount the filesystem it should be on"
            }
            TargetProblem::OutOfReach { .. } => {
                "check the permissions of its parent directories: this user must be able to search each of them"
            }
            TargetProblem::DeviceNode { .. } => {
                "name a directory on the filesystem to measure; this version measures files only"
            }
            TargetProblem::NotADirectory { .. } => {
                "name a directory: test files are created in it and removed afterwards"
            }
            TargetProblem::ReadOnly { .. } => {
                "remount it read-write, or check the kernel log: filesystems become read-only after errors"
            }
            TargetProblem::NotOnDisk { .. } => "name a directory on the disk to measure",
            TargetProblem::Overlay { .. } => {
                "in a container, bind-mount a directory of the host and name that"
            }
            TargetProblem::Untrusted(_) => Untrusted::HINT,
            TargetProblem::MountsUnknown { .. } => {
                "mount /proc, and see that this user may read /proc/self/mountinfo"
            }
            TargetProblem::NotWritable { .. } => {
                "run as a user who may write there, or name one of your own directories"
            }
        }
    }
}

/// Returns why `path` is unsuitable as a target; `None` if files can be measured in it.
///
/// A network filesystem is suitable but worth a note: [`crate::is_network_filesystem`]. Free space
/// is in the target's facts; only the caller knows how much it needs.
pub fn target_problem(root: &Root, path: &Path) -> Option<TargetProblem> {
    let name = shown(path);
    let inside = match root.canonical(path) {
        Ok(inside) => inside,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Some(TargetProblem::Missing { path: name });
        }
        Err(error) => return Some(out_of_reach(name, &error)),
    };
    let real = root.real(&inside);
    let kind = match fs::metadata(&real) {
        Ok(metadata) => metadata.file_type(),
        Err(error) => return Some(out_of_reach(name, &error)),
    };
    if kind.is_block_device() || kind.is_char_device() {
        return Some(TargetProblem::DeviceNode { path: name });
    }
    if !kind.is_dir() {
        return Some(TargetProblem::NotADirectory { path: name });
    }
    // Triggers an automount; until then mountinfo shows `autofs` (statfs(2)).
    let _ = rustix::fs::statvfs(&real);
    let mounts = match mounts(root) {
        Ok(mounts) => mounts,
        Err(missing) => {
            return Some(TargetProblem::MountsUnknown {
                path: name,
                missing,
            });
        }
    };
    if let Some(problem) = mount_of(&mounts, &inside).and_then(|mount| mount_problem(&name, mount))
    {
        return Some(problem);
    }
    let access = Access::WRITE_OK | Access::EXEC_OK;
    if rustix::fs::accessat(CWD, &real, access, AtFlags::EACCESS).is_err() {
        return Some(TargetProblem::NotWritable { path: name });
    }
    match open_directory(&real) {
        Err(OpenDirectoryError::Untrusted(why)) => Some(why.into()),
        Err(OpenDirectoryError::Open { source, .. }) => Some(out_of_reach(name, &source)),
        Ok(_) => None,
    }
}

fn out_of_reach(path: String, error: &std::io::Error) -> TargetProblem {
    TargetProblem::OutOfReach {
        path,
        why: error.kind().to_string(),
    }
}

fn mount_problem(name: &str, mount: &Mount) -> Option<TargetProblem> {
    const NOT_ON_DISK: [&str; 18] = [
        "autofs",
        "binfmt_misc",
        "bpf",
        "cgroup",
        "cgroup2",
        "configfs",
        "debugfs",
        "devpts",
        "devtmpfs",
        "efivarfs",
        "hugetlbfs",
        "mqueue",
        "proc",
        "ramfs",
        "securityfs",
        "sysfs",
        "tmpfs",
        "tracefs",
    ];
    let path = name.to_owned();
    let filesystem = mount.filesystem.as_str();
    if NOT_ON_DISK.contains(&filesystem) {
        return Some(TargetProblem::NotOnDisk {
            path,
            filesystem: filesystem.to_owned(),
        });
    }
    if matches!(filesystem, "overlay" | "aufs" | "fuse.fuse-overlayfs") {
        return Some(TargetProblem::Overlay { path });
    }
    mount.is_read_only().then(|| TargetProblem::ReadOnly {
        path,
        mount_point: shown(&mount.mount_point),
    })
}
