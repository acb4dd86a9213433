//! Which other process used the disks meanwhile: `/proc/PID/io`.
//!
//! Documentation/filesystems/proc.rst, section 3.3: `read_bytes` were fetched from storage,
//! `write_bytes` were sent towards it, `cancelled_write_bytes` were not written after all. Kernel
//! threads are counted too, so a resync shows as `md0_resync`. The file of another user's process
//! is for root alone; what cannot be read is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use stripewise_study::units::Bytes;

use crate::root::Root;

/// How far up a process's ancestors are looked at.
const ANCESTORS_MAX: usize = 64;

/// What every process had moved at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessIo(BTreeMap<u32, Moved>);

/// What one process has moved since it began.
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

/// The process that moved most between two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyProcess {
    /// Its number.
    pub pid: u32,
    /// Its name (`comm`, at most 15 bytes); `?` if it could not be read.
    pub name: String,
    /// What it read from storage.
    pub read_bytes: Bytes,
    /// What it wrote towards storage.
    pub write_bytes: Bytes,
}

impl fmt::Display for BusyProcess {
    /// Writes `dd (pid 123)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} (pid {})", self.name, self.pid))
    }
}

impl ProcessIo {
    /// Reads what every process has moved so far; those that we may not look at are left out.
    ///
    /// Cost: one small file a process, measured in a small busy guest at 8 to 13 microseconds: 8 to 13 ms for
    /// 1000 processes, nearly all in the kernel. Not for the middle of a sample.
    pub fn read(root: &Root) -> Self {
        let read_one = |name: &String| {
            let pid: u32 = name.parse().ok()?;
            Some((pid, parse_io(&root.bytes(format!("/proc/{pid}/io"))?)))
        };
        Self(root.list("/proc").iter().filter_map(read_one).collect())
    }
}

/// Reads the lines `read_bytes: 4096` and the like; what is missing counts as 0.
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

/// Returns the process that moved most between `before` and `after`, both directions together;
/// nothing if none that we can look at moved anything.
///
/// Left out are `ours` and everything started by them. One that began in between counts with all
/// it moved; one that ended in between is not seen. Call it at the time of `after`: names and
/// ancestors are read now.
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

/// Returns the parent from `/proc/PID/stat`: the second field after the name, which stands in
/// parentheses and may hold any character, a closing parenthesis among them (`proc_pid_stat(5)`).
fn parent(root: &Root, pid: u32) -> Option<u32> {
    let text = root.text(format!("/proc/{pid}/stat"))?;
    let (_, after_name) = text.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}
