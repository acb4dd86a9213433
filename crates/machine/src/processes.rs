//! The busiest other process during a sample: `/proc/PID/io`.
//!
//! Documentation/filesystems/proc.rst, section 3.3: `read_bytes` were fetched from storage,
//! `write_bytes` were sent towards it, `cancelled_write_bytes` were dropped before writeback.
//! Kernel threads count too, so a resync appears as `md0_resync`. Only root can read the file of
//! another user's process; unreadable files are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use stripewise_study::units::Bytes;

use crate::root::Root;

/// How many ancestors of a process to check.
const ANCESTORS_MAX: usize = 64;

/// The bytes that every process had moved at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessIo(BTreeMap<u32, Moved>);

/// The bytes that one process has moved since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Moved {
    read_bytes: u64,
    write_bytes: u64,
}

impl Moved {
    fn total(self) -> u64 {
        self.read_bytes.saturating_add(self.write_bytes)
    }
}

/// The process that moved the most bytes between two times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyProcess {
    /// Its process id.
    pub pid: u32,
    /// Its name (`comm`, at most 15 bytes); `?` if it could not be read.
    pub name: String,
    /// The bytes read from storage.
    pub read_bytes: Bytes,
    /// The bytes written towards storage.
    pub write_bytes: Bytes,
}

impl fmt::Display for BusyProcess {
    /// Writes `dd (pid 123)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} (pid {})", self.name, self.pid))
    }
}

impl ProcessIo {
    /// Reads the bytes moved by every process so far; skips those that we may not read.
    ///
    /// Cost: one small file for each process, 8 to 13 microseconds in a small busy guest: 8 to 13
    /// ms for 1000 processes, nearly all in the kernel. Not for use during a sample.
    pub fn read(root: &Root) -> Self {
        let read_one = |name: &String| {
            let pid: u32 = name.parse().ok()?;
            Some((pid, parse_io(&root.bytes(format!("/proc/{pid}/io"))?)))
        };
        Self(root.list("/proc").iter().filter_map(read_one).collect())
    }
}

/// Parses lines such as `read_bytes: 4096`; missing values are 0.
fn parse_io(bytes: &[u8]) -> Moved {
    let text = String::from_utf8_lossy(bytes);
    let value = |key: &str| -> u64 {
        text.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| *name == key)
            .and_then(|(_, number)| number.trim().parse().ok())
            .unwrap_or(0)
    };
    Moved {
        read_bytes: value("read_bytes"),
        write_bytes: value("write_bytes").saturating_sub(value("cancelled_write_bytes")),
    }
}

/// Returns the process that moved the most bytes between `before` and `after`, reads and writes
/// together; `None` if no readable process moved any.
///
/// `ours` and their descendants are excluded. A process that started in between counts with all its
/// bytes; one that exited in between is not seen. Call this at the time of `after`: it reads names
/// and ancestors now.
pub fn busiest_other_process(
    root: &Root,
    before: &ProcessIo,
    after: &ProcessIo,
    ours: &BTreeSet<u32>,
) -> Option<BusyProcess> {
    let mut busy: Vec<(u32, Moved)> = after
        .0
        .iter()
        .map(|(pid, now)| {
            let then = before.0.get(pid).copied().unwrap_or_default();
            let moved = Moved {
                read_bytes: now.read_bytes.saturating_sub(then.read_bytes),
                write_bytes: now.write_bytes.saturating_sub(then.write_bytes),
            };
            (*pid, moved)
        })
        .filter(|(_, moved)| moved.total() > 0)
        .collect();
    busy.sort_by_key(|(pid, moved)| (std::cmp::Reverse(moved.total()), *pid));
    let (pid, moved) = busy
        .into_iter()
        .find(|(pid, _)| !is_or_descends_from(root, *pid, ours))?;
    Some(BusyProcess {
        pid,
        name: root
            .word(format!("/proc/{pid}/comm"))
            .unwrap_or_else(|| "?".to_owned()),
        read_bytes: Bytes::new(moved.read_bytes),
        write_bytes: Bytes::new(moved.write_bytes),
    })
}

/// Returns whether `pid` or one of its ancestors is in `ours`.
fn is_or_descends_from(root: &Root, pid: u32, ours: &BTreeSet<u32>) -> bool {
    let mut current = pid;
    for _ in 0..ANCESTORS_MAX {
        if ours.contains(&current) {
            return true;
        }
        match parent(root, current) {
            Some(parent) if parent > 0 => current = parent,
            _ => return false,
        }
    }
    false
}

/// Returns the parent from `/proc/PID/stat`: the second field after the name. The name is in
/// parentheses and may contain any character, even a closing parenthesis (`proc_pid_stat(5)`).
fn parent(root: &Root, pid: u32) -> Option<u32> {
    let text = root.text(format!("/proc/{pid}/stat"))?;
    let (_, after_name) = text.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}
