//! A child that cannot outlive us.
//!
//! If we are killed, nobody is left to stop the load; the kernel does it then
//! (`PR_SET_PDEATHSIG` in prctl(2)). The signal is sent when the *thread* that started the child
//! ends, so the thread that starts a child also waits for it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

/// Makes the kernel kill the child of `command` when the calling thread ends.
///
/// The child asks for the signal itself, after the fork. If we died before it asked, no signal
/// comes any more; it has another parent by then, notices, and does not start.
#[expect(
    unsafe_code,
    reason = "only the forked child itself can ask for its parent-death signal, and only before it executes"
)]
pub(crate) fn end_with_parent(command: &mut Command) {
    let parent = getpid();
    let ask = move || -> io::Result<()> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if getppid() == Some(parent) {
            Ok(())
        } else {
            Err(Errno::CHILD.into())
        }
    };
    // SAFETY: between fork and exec only async-signal-safe work is allowed, as another thread may
    // have held any lock, the allocator's included, at the fork. `ask` makes two system calls
    // (prctl, getppid), allocates nothing (an `io::Error` from an errno is a plain number), takes
    // no lock, and touches no memory but the copied process id that it owns.
    unsafe {
        command.pre_exec(ask);
    }
}
