//! Lets a child keep descriptors of ours besides its three standard ones.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};

/// Lets the child of `command` keep `descriptors`, under the same numbers. No other child gets them:
/// only this one clears their close-on-exec flag, after the fork.
#[expect(
    unsafe_code,
    reason = "a descriptor that is kept open before the fork would reach every child that another thread starts"
)]
pub(crate) fn keep_open(command: &mut Command, descriptors: Vec<OwnedFd>) {
    let keep = move || -> io::Result<()> {
        for descriptor in &descriptors {
            fcntl_setfd(descriptor.as_fd(), FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only async-signal-safe work is allowed. `keep` makes one system
    // call (fcntl) for each descriptor, allocates nothing (an `io::Error` from an errno is a plain
    // number), takes no lock, and only reads the list that it owns.
    unsafe {
        command.pre_exec(keep);
    }
}
