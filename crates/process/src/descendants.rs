//! Finds and kills the descendants of a child, even outside its process group.
//!
//! A process that leaves the group (`setsid`, a daemon that forks twice) is found by two means:
//!
//! - While such a child runs we are a *child subreaper* (prctl(2)): when the parent of one of its
//!   descendants exits, the kernel makes us the parent.
//! - The child has a resource limit that no other process has, and its descendants inherit it: a
//!   hard `RLIMIT_RTTIME` of about 2^62 us. It limits nothing, because a real-time process would
//!   reach it after 146 000 years. An environment variable would be weaker: `env -i` clears it, and
//!   a zombie, which we must reap, has no environment any more. Its limits remain in
//!   `/proc/PID/limits`.
//!
//! A descendant that changes this limit and leaves the group is not found. It becomes our child and
//! continues to run; when we exit, the next subreaper or process 1 adopts it.
//!
//! Only fio is started like this. The daemons of other programs, such as mdmon, must survive.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, child_subreaper, getpid, getrlimit,
    kill_process, set_child_subreaper, setrlimit, waitid,
};

/// The limit that marks descendants, if there was none before.
const MARK_MAX: u64 = 1 << 62;

/// How long killed processes may take to exit; one that waits for a dead device takes longer.
const KILL_LIMIT: Duration = Duration::from_secs(10);

/// How long to wait between two checks for killed processes.
const KILL_INTERVAL: Duration = Duration::from_millis(1);

/// The descendants of one child.
#[derive(Debug)]
pub(crate) struct Descendants {
    mark: u64,
    _subreaper: Subreaper,
}

impl Descendants {
    /// Prepares `command` before its start, so that its descendants can be found.
    pub(crate) fn of(command: &mut Command) -> io::Result<Self> {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let subreaper = Subreaper::enter()?;
        let limit = getrlimit(Resource::Rttime);
        let serial = u64::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let mark = limit.maximum.unwrap_or(MARK_MAX).saturating_sub(serial + 1);
        let marked = Rlimit {
            current: Some(limit.current.map_or(mark, |current| current.min(mark))),
            maximum: Some(mark),
        };
        set_limit(command, marked);
        Ok(Self {
            mark,
            _subreaper: subreaper,
        })
    }

    /// Kills and reaps all descendants, and returns when none is left. The child itself must have
    /// been reaped before.
    ///
    /// # Errors
    /// If a descendant does not exit, or `/proc` cannot be read.
    pub(crate) fn kill(&self) -> io::Result<()> {
        let began = Instant::now();
        loop {
            let left = self.left()?;
            if left.is_empty() {
                return Ok(());
            }
            for pid in &left {
                // The pid of a zombie of ours is not reused before we reap it, and only this code
                // reaps these.
                let _gone = kill_process(*pid, Signal::KILL);
                let _running = waitid(
                    WaitId::Pid(*pid),
                    WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
                );
            }
            if began.elapsed() > KILL_LIMIT {
                let left: Vec<String> = left.iter().map(Pid::to_string).collect();
                let left = left.join(", ");
                return Err(io::Error::other(format!(
                    "processes that it started do not exit: {left}"
                )));
            }
            std::thread::sleep(KILL_INTERVAL);
        }
    }

    /// Returns those descendants that are our children. Others become so when their parents exit.
    fn left(&self) -> io::Result<Vec<Pid>> {
        let any = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // The common case, at the cost of one system call.
        if waitid(WaitId::All, any).is_err_and(|errno| errno == Errno::CHILD) {
            return Ok(Vec::new());
        }
        let us = getpid();
        let mut left = Vec::new();
        for entry in std::fs::read_dir("/proc")? {
            let name = entry?.file_name();
            let pid = name.to_str().and_then(|name| name.parse().ok());
            let Some(pid) = pid.and_then(Pid::from_raw) else {
                continue;
            };
            if parent_of(pid) == Some(us) && mark_of(pid) == Some(self.mark) {
                left.push(pid);
            }
        }
        Ok(left)
    }
}

/// Makes the child of `command` set its own limit, which its descendants inherit.
#[expect(
    unsafe_code,
    reason = "only the forked child itself can set its limits before it executes, and so before it has descendants"
)]
fn set_limit(command: &mut Command, limit: Rlimit) {
    let set = move || setrlimit(Resource::Rttime, limit).map_err(io::Error::from);
    // SAFETY: between fork and exec only async-signal-safe work is allowed, because another thread
    // may have held any lock at the fork, the allocator's included. `set` makes one system call
    // (prlimit64), copies two plain numbers, allocates nothing (an `io::Error` from an errno is a
    // plain number) and takes no lock.
    unsafe {
        command.pre_exec(set);
    }
}

/// Returns the parent of a process; `None` if the process is gone.
fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The program's name may contain any character, and ends at the last parenthesis.
    let (_, rest) = stat.rsplit_once(')')?;
    Pid::from_raw(rest.split_ascii_whitespace().nth(1)?.parse().ok()?)
}

/// Returns the hard limit that marks a process; `None` if the process is gone or has no limit.
fn mark_of(pid: Pid) -> Option<u64> {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// As long as one of these exists, orphaned descendants become our children.
#[derive(Debug)]
struct Subreaper;

/// The number of [`Subreaper`]s, and whether we were a subreaper before the first.
#[derive(Debug)]
struct Subreapers {
    count: u32,
    before: Option<Pid>,
}

static SUBREAPERS: Mutex<Subreapers> = Mutex::new(Subreapers {
    count: 0,
    before: None,
});

impl Subreaper {
    fn enter() -> io::Result<Self> {
        let mut all = Self::all();
        if all.count == 0 {
            all.before = child_subreaper()?;
            set_child_subreaper(Some(getpid()))?;
        }
        all.count += 1;
        Ok(Self)
    }

    fn all() -> MutexGuard<'static, Subreapers> {
        SUBREAPERS.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Subreaper {
    fn drop(&mut self) {
        let mut all = Self::all();
        all.count -= 1;
        if all.count == 0 {
            // Cannot fail if setting it did not.
            let _unchanged = set_child_subreaper(all.before);
        }
    }
}
