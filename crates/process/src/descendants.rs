//! The descendants of a child: found and killed, wherever they went.
//!
//! A process group holds only those that stay in it. One that leaves (`setsid`, a daemon that forks
//! twice) is found by two things:
//!
//! - While such a child runs we are a *child subreaper* (prctl(2)): where the parent of one of its
//!   descendants ends, the kernel makes us the parent.
//! - The child has a limit that no other has, and all its descendants inherit it: a hard
//!   `RLIMIT_RTTIME` of about 2^62 us. It limits nothing, as a real-time process reaches it after
//!   146 000 years. A variable in the environment would do less: `env -i` clears it, and a process
//!   that has ended, which we must reap, has no environment any more. Its limits remain in
//!   `/proc/PID/limits`.
//!
//! A descendant that changes this limit of its own and leaves the group is not found. It becomes our
//! child all the same and runs on; when we end, the next subreaper or process 1 gets it.
//!
//! Only fio is started like this. The daemons of other programs, such as mdmon, are to stay.

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

/// The limit that marks descendants where there was none before.
const MARK_MAX: u64 = 1 << 62;

/// How long killed processes may take to end. One that waits for a device that does not answer
/// takes longer.
const KILL_LIMIT: Duration = Duration::from_secs(10);

/// How long we wait between two looks for processes that we have killed.
const KILL_INTERVAL: Duration = Duration::from_millis(1);

/// The descendants of one child.
#[derive(Debug)]
pub(crate) struct Descendants {
    mark: u64,
    _subreaper: Subreaper,
}

impl Descendants {
    /// Prepares `command`, which is not started yet, so that its descendants can be found.
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

    /// Kills and reaps all of them, and returns when none is left. The child itself must have been
    /// reaped before.
    ///
    /// # Errors
    /// If one of them does not end, or `/proc` cannot be read.
    pub(crate) fn kill(&self) -> io::Result<()> {
        let began = Instant::now();
        loop {
            let left = self.left()?;
            if left.is_empty() {
                return Ok(());
            }
            for pid in &left {
                // The number of a child of ours is given to no other process before we reap it,
                // and nothing but this reaps these.
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
                    "processes that it started do not end: {left}"
                )));
            }
            std::thread::sleep(KILL_INTERVAL);
        }
    }

    /// Returns those of them that are our children. The others become so when their parents end.
    fn left(&self) -> io::Result<Vec<Pid>> {
        let any = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // The usual case, at the cost of one system call.
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

/// Makes the child of `command` limit itself, and with it its descendants.
#[expect(
    unsafe_code,
    reason = "only the forked child itself can set its limits before it executes, and so before it has descendants"
)]
fn set_limit(command: &mut Command, limit: Rlimit) {
    let set = move || setrlimit(Resource::Rttime, limit).map_err(io::Error::from);
    // SAFETY: between fork and exec only async-signal-safe work is allowed, as another thread may
    // have held any lock, the allocator's included, at the fork. `set` makes one system call
    // (prlimit64), copies two plain numbers, allocates nothing (an `io::Error` from an errno is a
    // plain number) and takes no lock.
    unsafe {
        command.pre_exec(set);
    }
}

/// Reads who the parent of a process is; nothing if it is gone.
fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name of the program may hold anything, and ends at the last parenthesis.
    let (_, rest) = stat.rsplit_once(')')?;
    Pid::from_raw(rest.split_ascii_whitespace().nth(1)?.parse().ok()?)
}

/// Reads the hard limit that marks a process; nothing if it is gone or has none.
fn mark_of(pid: Pid) -> Option<u64> {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// As long as one of these exists, orphans below us become our children.
#[derive(Debug)]
struct Subreaper;

/// How many [`Subreaper`]s there are, and whether we were one before the first.
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
            // It cannot fail where setting it did not.
            let _unchanged = set_child_subreaper(all.before);
        }
    }
}
