//! Reopens a held node through its descriptor, not by its name.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::refusal::{Refusal, unreadable};

/// Opens exactly the node of `file`, even if its name has changed.
pub(super) fn open_again(file: &impl AsRawFd, flags: OFlags) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Opens it with `O_EXCL`; the kernel refuses that for a device in use.
pub(super) fn open_exclusive(
    file: &impl AsRawFd,
    named: &Path,
    flags: OFlags,
) -> Result<File, Refusal> {
    open_again(file, flags | OFlags::EXCL).map_err(|source| {
        if source.raw_os_error() == Some(Errno::BUSY.raw_os_error()) {
            Refusal::Busy(named.to_owned())
        } else {
            unreadable(named, source)
        }
    })
}
