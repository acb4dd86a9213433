//! Starts a child, waits for it without using CPU time, and ends it reliably.
//!
//! The child leads its own process group: Ctrl-C in the terminal reaches us and not the child. We
//! sleep in `poll` on its pidfd, and wake four times a second to check the watch. When we end the
//! child (time limit, watch, output limit, error or panic), no process of its group is left. A
//! contained child leaves no descendant at all, even when it exits normally.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};
use stripewise_study::world::{LOOK_INTERVAL, Watch};

use crate::call::{Call, CallError, OUTPUT_BYTES_MAX, Printed};
use crate::death::end_with_parent;
use crate::descendants::Descendants;
use crate::memory::MemoryFile;

/// How often to poll on a kernel without pidfd (before 5.3): the longest delay until we notice the
/// exit.
const BLIND_INTERVAL: Duration = Duration::from_millis(50);

/// How long a child may take to exit after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// The result of a wait.
#[derive(Debug)]
pub enum Ended {
    /// The child exited, or another process killed it.
    Exited(ExitStatus),
    /// We ended it, because the watch stopped it.
    Stopped,
    /// We ended it, because it exceeded its time limit.
    TimedOut,
}

/// A running child. Dropping it kills it.
#[derive(Debug)]
pub struct Child {
    child: std::process::Child,
    group: Pid,
    pidfd: Option<OwnedFd>,
    started: Instant,
    reaped: bool,
    /// The descendants to end with it; `None` if they may survive.
    descendants: Option<Descendants>,
    limit: Duration,
    /// The call as one line for messages.
    shown: String,
    path: PathBuf,
    /// Empty if the caller reads the standard output.
    stdout: MemoryFile,
    stderr: MemoryFile,
    /// Whether nothing but us keeps its output from growing: that of a program that appends.
    does_append: bool,
}

impl Child {
    pub(crate) fn start(call: Call) -> Result<Self, CallError> {
        if let Some(program) = call.missing {
            return Err(CallError::Missing { program });
        }
        let path = Path::new(call.command.get_program()).to_owned();
        Self::spawn(call).map_err(|source| CallError::Start { path, source })
    }

    fn spawn(call: Call) -> io::Result<Self> {
        let (shown, path) = (call.shown(), call.command.get_program().into());
        let mut command: Command = call.command;
        let output = match call.does_append {
            true => MemoryFile::for_appended_output,
            false => MemoryFile::for_output,
        };
        let stdout = output(call.stdout_bytes_max.unwrap_or_default())?;
        let stderr = output(OUTPUT_BYTES_MAX)?;
        if call.stdout_bytes_max.is_some() {
            command.stdout(stdout.handle()?);
        }
        command.stderr(stderr.handle()?).process_group(0);
        end_with_parent(&mut command);
        let descendants = match call.is_contained {
            true => Some(Descendants::of(&mut command)?),
            false => None,
        };
        let child = command.spawn()?;
        let group = Pid::from_child(&child);
        Ok(Self {
            child,
            group,
            pidfd: pidfd_open(group, PidfdFlags::empty()).ok(),
            started: Instant::now(),
            reaped: false,
            descendants,
            limit: call.limit,
            shown,
            path,
            stdout,
            stderr,
            does_append: call.does_append,
        })
    }

    /// Returns the first `bytes_max` bytes of its standard output so far.
    ///
    /// # Errors
    /// If memory cannot be read.
    pub fn read_stdout(&self, bytes_max: u64) -> io::Result<Vec<u8>> {
        self.stdout.read(bytes_max)
    }

    /// Returns the first `bytes_max` bytes of its standard error so far.
    ///
    /// # Errors
    /// If memory cannot be read.
    pub fn read_stderr(&self, bytes_max: u64) -> io::Result<Vec<u8>> {
        self.stderr.read(bytes_max)
    }

    /// Waits until the child exits, exceeds its time limit, or `watch` stops it. Checks the watch
    /// as often as the watch requires, at least four times a second, and at once after a signal.
    ///
    /// # Errors
    /// [`io::ErrorKind::FileTooLarge`] if it exceeded the limit of its standard output, and was
    /// ended. Another error if the wait fails, or a descendant of a contained child does not end.
    pub fn wait(&mut self, watch: &mut dyn Watch) -> io::Result<Ended> {
        loop {
            let elapsed = self.started.elapsed();
            let interval = watch.next_look(elapsed).min(LOOK_INTERVAL);
            let left = self.limit.saturating_sub(elapsed);
            let status = self.wait_briefly(interval.min(left))?;
            if let Some(error) = self.flood_error()? {
                self.end()?;
                return Err(error);
            }
            let elapsed = self.started.elapsed();
            let ended = match status {
                Some(status) => return Ok(Ended::Exited(status)),
                None if !watch.keep_going(elapsed) => Ended::Stopped,
                None if elapsed >= self.limit => Ended::TimedOut,
                None => continue,
            };
            self.end()?;
            return Ok(ended);
        }
    }

    /// Returns the error of output that exceeds its limit. What is written to standard error beyond it is
    /// lost, as only its beginning is shown; it counts where it would fill the memory.
    fn flood_error(&self) -> io::Result<Option<io::Error>> {
        let outputs = [(&self.stdout, true), (&self.stderr, self.does_append)];
        for (output, counts) in outputs {
            if counts && output.is_overfull()? {
                return Ok(Some(output.flood_error()));
            }
        }
        Ok(None)
    }

    /// Waits for its exit for at most `timeout`, and returns its status if it has exited. The time
    /// limit of the call does not count: this is for a server that runs as long as its caller.
    ///
    /// # Errors
    /// If the wait fails, or a descendant of a contained child does not end.
    pub fn wait_at_most(&mut self, timeout: Duration) -> io::Result<Option<ExitStatus>> {
        let began = Instant::now();
        loop {
            let left = timeout.saturating_sub(began.elapsed());
            match self.wait_briefly(left)? {
                None if began.elapsed() < timeout => continue,
                status => return Ok(status),
            }
        }
    }

    /// Sends SIGTERM to its process group, which asks most servers to shut down.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends SIGINT to its process group.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Stops its process group until [`Child::go_on`]; it can still be ended.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets its process group go on after [`Child::pause`].
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// Waits for its exit, and returns its output.
    ///
    /// # Errors
    /// As [`Call::run`].
    pub fn finish(mut self, watch: &mut dyn Watch) -> Result<Printed, CallError> {
        let (ended, printed) = match self.ended_and_printed(watch) {
            Ok(both) => both,
            Err(source) => {
                let path = std::mem::take(&mut self.path);
                return Err(CallError::Start { path, source });
            }
        };
        let command = std::mem::take(&mut self.shown);
        match ended {
            Ended::Exited(status) if status.success() => Ok(printed),
            Ended::Exited(status) => Err(CallError::Failed {
                command,
                status,
                printed,
            }),
            Ended::Stopped => Err(CallError::Interrupted),
            Ended::TimedOut => Err(CallError::TimedOut {
                command,
                limit: self.limit,
                printed,
            }),
        }
    }

    fn ended_and_printed(&mut self, watch: &mut dyn Watch) -> io::Result<(Ended, Printed)> {
        let ended = self.wait(watch)?;
        let (stdout, stderr) = (self.stdout.whole()?, self.stderr.whole()?);
        Ok((ended, Printed { stdout, stderr }))
    }

    /// Sleeps until the child exits, `timeout` passes or a signal arrives; returns the status if it
    /// has exited.
    fn wait_briefly(&mut self, timeout: Duration) -> io::Result<Option<ExitStatus>> {
        match &self.pidfd {
            Some(pidfd) => {
                let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
                let mut descriptors = [PollFd::new(pidfd, PollFlags::IN)];
                match poll(&mut descriptors, Some(&timeout)) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
            None => std::thread::sleep(timeout.min(BLIND_INTERVAL)),
        }
        self.reap_if_ended()
    }

    /// Returns the status of the child if it has exited, and kills the descendants of a contained
    /// child.
    fn reap_if_ended(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.descendants.is_some() {
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if waitid(WaitId::Pid(self.group), look)?.is_none() {
                return Ok(None);
            }
            // Until the child is reaped, the group id cannot be reused.
            self.signal(Signal::KILL);
        }
        let status = self.child.try_wait()?;
        self.reaped = status.is_some();
        if self.reaped {
            self.end_descendants()?;
        }
        Ok(status)
    }

    fn end_descendants(&self) -> io::Result<()> {
        self.descendants.as_ref().map_or(Ok(()), Descendants::kill)
    }

    /// Sends SIGTERM to the group, kills it after [`GRACE`], and reaps the child.
    fn end(&mut self) -> io::Result<()> {
        if self.reaped {
            return Ok(());
        }
        self.signal(Signal::TERM);
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            let left = GRACE.saturating_sub(asked.elapsed());
            if self.wait_briefly(left)?.is_some() {
                return Ok(());
            }
        }
        self.kill()
    }

    /// Kills the group, reaps the child, and kills the descendants of a contained child. A process
    /// in an uninterruptible system call dies only once the device answers; until then this waits.
    fn kill(&mut self) -> io::Result<()> {
        self.signal(Signal::KILL);
        if self.child.wait().is_ok() {
            self.reaped = true;
        }
        self.end_descendants()
    }

    /// Sends `signal` to the group, as long as its id cannot be reused.
    fn signal(&self, signal: Signal) {
        if !self.reaped {
            // Fails only if the group is gone, which is fine.
            let _gone = kill_process_group(self.group, signal);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.reaped {
            // There is no caller to report to.
            let _survivors = self.kill();
        }
    }
}

#[cfg(test)]
#[path = "child_tests.rs"]
mod tests;
