//! Starts a child, waits for it without load of our own, and ends it for certain.
//!
//! The child leads its own process group, so that Ctrl-C in the terminal reaches us and not it: we
//! decide. We sleep in `poll` on its pidfd and wake four times a second to ask whether to go on.
//! When we end it, by limit, request, error or panic, no process of the group is left. A child that
//! is started contained (`start_contained`) leaves no descendant at all, even when it
//! ends by itself.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};
use stripewise_study::world::{LOOK_INTERVAL, Watch};

use crate::death::end_with_parent;
use crate::descendants::Descendants;

/// How often we look where the kernel has no pidfd (before 5.3): it delays our noticing the end.
const BLIND_INTERVAL: Duration = Duration::from_millis(50);

/// How long a child may take to end itself when asked to.
const GRACE: Duration = Duration::from_secs(2);

/// How waiting ended.
#[derive(Debug)]
pub enum Ended {
    /// The child ended by itself, or somebody else ended it.
    Exited(ExitStatus),
    /// We ended it, because we were told to.
    Stopped,
    /// We ended it, because its time was over.
    TimedOut,
}

/// A child that is running. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: Pid,
    pidfd: Option<OwnedFd>,
    started: Instant,
    reaped: bool,
    /// Those that must end with it; nothing if they may stay.
    descendants: Option<Descendants>,
}

impl Running {
    /// Starts `command` in a process group of its own; it dies with us.
    ///
    /// # Errors
    /// Whatever stands in the way of starting it.
    pub fn start(command: Command) -> io::Result<Self> {
        Self::start_with(command, None)
    }

    /// Starts `command` likewise, and kills and reaps everything that it started when it ends,
    /// however it ends: its group, and descendants that left the group. For those we adopt the
    /// orphans of our descendants meanwhile ([`crate::descendants`]).
    ///
    /// # Errors
    /// Whatever stands in the way of starting it.
    pub(crate) fn start_contained(mut command: Command) -> io::Result<Self> {
        let descendants = Descendants::of(&mut command)?;
        Self::start_with(command, Some(descendants))
    }

    fn start_with(mut command: Command, descendants: Option<Descendants>) -> io::Result<Self> {
        command.process_group(0);
        end_with_parent(&mut command);
        let child = command.spawn()?;
        let group = Pid::from_child(&child);
        Ok(Self {
            child,
            group,
            pidfd: pidfd_open(group, PidfdFlags::empty()).ok(),
            started: Instant::now(),
            reaped: false,
            descendants,
        })
    }

    /// Returns the child itself, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until the child ends, `limit` has passed, or `keep_going` says no; asks it about four
    /// times a second, and at once when a signal wakes us.
    ///
    /// # Errors
    /// If the kernel does not let us wait; the child is killed then.
    pub fn wait(
        &mut self,
        limit: Duration,
        keep_going: &mut dyn FnMut(Duration) -> bool,
    ) -> io::Result<Ended> {
        self.wait_asking(limit, LOOK_INTERVAL, &mut |elapsed| {
            keep_going(elapsed).then_some(LOOK_INTERVAL)
        })
    }

    /// The same, asked as often as `watch` wants.
    ///
    /// # Errors
    /// If the kernel does not let us wait; the child is killed then.
    pub(crate) fn wait_watched(
        &mut self,
        limit: Duration,
        watch: &mut dyn Watch,
    ) -> io::Result<Ended> {
        let first = watch.next_look(Duration::ZERO);
        self.wait_asking(limit, first, &mut |elapsed| {
            let goes_on = watch.keep_going(elapsed);
            goes_on.then(|| watch.next_look(elapsed))
        })
    }

    /// Waits; `ask` says after which time it is to be asked again, or nothing to end the child.
    fn wait_asking(
        &mut self,
        limit: Duration,
        first: Duration,
        ask: &mut dyn FnMut(Duration) -> Option<Duration>,
    ) -> io::Result<Ended> {
        let mut interval = first;
        loop {
            let left = limit.saturating_sub(self.started.elapsed());
            if let Some(status) = self.wait_briefly(interval.min(left))? {
                return Ok(Ended::Exited(status));
            }
            match ask(self.started.elapsed()) {
                Some(next) => interval = next.min(LOOK_INTERVAL),
                None => {
                    self.end()?;
                    return Ok(Ended::Stopped);
                }
            }
            if self.started.elapsed() >= limit {
                self.end()?;
                return Ok(Ended::TimedOut);
            }
        }
    }

    /// Sleeps until the child ends, `timeout` passes or a signal comes; returns the status if it
    /// has ended.
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

    /// Returns the status of the child if it has ended, with those that must end with it.
    fn reap_if_ended(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.descendants.is_some() {
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if waitid(WaitId::Pid(self.group), look)?.is_none() {
                return Ok(None);
            }
            // Until the child is reaped the number of the group is certain to be ours.
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

    /// Asks the group to end, kills it if it does not within [`GRACE`], and reaps the child.
    fn end(&mut self) -> io::Result<()> {
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

    /// Kills the group, reaps the child, and ends those that must end with it. The kernel kills even
    /// a process that sleeps in a system call, once the device answers; until then this waits.
    fn kill(&mut self) -> io::Result<()> {
        self.signal(Signal::KILL);
        if self.child.wait().is_ok() {
            self.reaped = true;
        }
        self.end_descendants()
    }

    /// Sends `signal` to the group, as long as its number is certain to be ours.
    fn signal(&self, signal: Signal) {
        if !self.reaped {
            // It can only fail because the group is gone, which is what we want.
            let _gone = kill_process_group(self.group, signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            // There is nobody left to report to.
            let _survivors = self.kill();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::test_kill_process_group;
    use std::process::Stdio;

    fn sleeping() -> Running {
        let mut command = Command::new("sleep");
        command.arg("60").stdin(Stdio::null());
        Running::start(command).unwrap()
    }

    #[test]
    fn the_end_of_a_child_is_noticed_at_once() {
        let mut command = Command::new("sleep");
        command.arg("0.3");
        let mut running = Running::start(command).unwrap();
        let ended = running
            .wait(Duration::from_secs(20), &mut |_| true)
            .unwrap();
        assert!(matches!(ended, Ended::Exited(status) if status.success()));
        assert!(running.started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_kernel_without_pidfd_is_no_hindrance() {
        let mut command = Command::new("true");
        command.stdin(Stdio::null());
        let mut running = Running::start(command).unwrap();
        running.pidfd = None;
        let ended = running
            .wait(Duration::from_secs(20), &mut |_| true)
            .unwrap();
        assert!(matches!(ended, Ended::Exited(status) if status.success()));
    }

    #[test]
    fn the_watch_is_asked_several_times_and_no_more() {
        let mut asked = 0;
        let ended = sleeping()
            .wait(Duration::from_secs(20), &mut |_| {
                asked += 1;
                asked < 4
            })
            .unwrap();
        assert!(matches!(ended, Ended::Stopped));
        assert_eq!(asked, 4);
    }

    #[test]
    fn a_child_that_hangs_is_ended() {
        let mut running = sleeping();
        let group = running.group;
        let ended = running
            .wait(Duration::from_millis(100), &mut |_| true)
            .unwrap();
        assert!(matches!(ended, Ended::TimedOut));
        assert!(test_kill_process_group(group).is_err());
    }

    #[test]
    fn a_child_that_ignores_the_request_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let deaf = folder.path().join("deaf");
        let mut command = Command::new("sh");
        command
            .args(["-c", "trap '' TERM; : > \"$0\"; while :; do sleep 1; done"])
            .arg(&deaf);
        let mut running = Running::start(command).unwrap();
        let group = running.group;
        let started = Instant::now();
        let ended = running
            .wait(Duration::from_secs(20), &mut |_| !deaf.exists())
            .unwrap();
        assert!(matches!(ended, Ended::Stopped));
        assert!(started.elapsed() >= GRACE);
        // The shell is reaped by us; its own child by whoever inherits it, a moment later.
        while test_kill_process_group(group).is_ok() {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "the group outlives us"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_panic_leaves_no_child() {
        let mut running = sleeping();
        let group = running.group;
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _ = running.wait(Duration::from_secs(20), &mut |_| panic!("planted"));
        }));
        assert!(panic.is_err());
        assert!(test_kill_process_group(group).is_err());
    }
}
