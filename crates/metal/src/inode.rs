//! The identity of a file in a directory that is held open: its inode number and birth time.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, StatxFlags, StatxTimestamp, openat, statat, statx,
};
use rustix::io::Errno;
use stripewise_study::world::Inode;

/// The metadata of a file, read without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) inode: Inode,
    /// The device number of its filesystem: with the inode number, it identifies the file until the
    /// next reboot.
    device: (u32, u32),
    pub(crate) kind: FileType,
    pub(crate) owner: u32,
    pub(crate) mode: Mode,
    pub(crate) bytes: u64,
    /// Its hard links; none once it is deleted.
    pub(crate) names: u64,
}

impl Entry {
    /// Reads the entry `name` of a directory; does not follow a symbolic link.
    pub(crate) fn at(directory: impl AsFd, name: impl AsRef<Path>) -> Result<Self, Errno> {
        Self::read(directory.as_fd(), name.as_ref(), AtFlags::SYMLINK_NOFOLLOW)
    }

    /// Reads the file that a descriptor is open on.
    pub(crate) fn of(descriptor: impl AsFd) -> Result<Self, Errno> {
        Self::read(descriptor.as_fd(), Path::new(""), AtFlags::EMPTY_PATH)
    }

    fn read(
        directory: std::os::fd::BorrowedFd<'_>,
        name: &Path,
        flags: AtFlags,
    ) -> Result<Self, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        match statx(directory, name, flags, wanted) {
            Ok(found) => Ok(Self {
                inode: Inode {
                    number: found.stx_ino,
                    born_unix_ns: (found.stx_mask & StatxFlags::BTIME.bits() != 0)
                        .then(|| unix_ns(found.stx_btime))
                        .flatten(),
                },
                device: (found.stx_dev_major, found.stx_dev_minor),
                kind: FileType::from_raw_mode(found.stx_mode.into()),
                owner: found.stx_uid,
                mode: Mode::from_raw_mode(found.stx_mode.into()),
                bytes: found.stx_size,
                names: found.stx_nlink.into(),
            }),
            // Kernels before 4.11, and sandboxes that block statx.
            Err(Errno::NOSYS | Errno::PERM) => {
                let found = statat(directory, name, flags)?;
                let device = found.st_dev;
                Ok(Self {
                    inode: Inode {
                        number: found.st_ino,
                        born_unix_ns: None,
                    },
                    device: (rustix::fs::major(device), rustix::fs::minor(device)),
                    kind: FileType::from_raw_mode(found.st_mode),
                    owner: found.st_uid,
                    mode: Mode::from_raw_mode(found.st_mode),
                    bytes: u64::try_from(found.st_size).unwrap_or(0),
                    names: found.st_nlink,
                })
            }
            Err(errno) => Err(errno),
        }
    }

    /// Returns whether both are the same file, both read in this run.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.inode, self.device) == (other.inode, other.device)
    }
}

fn unix_ns(time: StatxTimestamp) -> Option<u64> {
    let seconds = u64::try_from(time.tv_sec).ok()?;
    seconds
        .checked_mul(1_000_000_000)?
        .checked_add(u64::from(time.tv_nsec))
}

/// Opens a directory inside another for reading; refuses a symbolic link.
pub(crate) fn open_directory_in(parent: impl AsFd, name: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}
