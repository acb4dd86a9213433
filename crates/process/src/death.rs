//! Makes the kernel kill a child when we die.
//!
//! If we are killed, no process of ours is left to stop the load, so the kernel does it
//! (`PR_SET_PDEATHSIG` in prctl(2)). It sends the signal when the *thread* that started the child
//! exits, so the thread that starts a child also waits for it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

/// Makes the kernel kill the child of `command` when the calling thread exits.
///
/// The child itself requests the signal after the fork. If we died before that, no signal will
/// come; the child then sees that its parent has changed, and does not start the program.
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
    // SAFETY: between fork and exec only async-signal-safe work is allowed, because another thread
    // may have held any lock at the fork, the allocator's included. `ask` makes two system calls
    // (prctl, getppid), allocates nothing (an `io::Error` from an errno is a plain number), takes
    // no lock, and touches no memory but the copied process id that it owns.
    unsafe {
        command.pre_exec(ask);
    }
}
