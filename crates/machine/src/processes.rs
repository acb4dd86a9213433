//! The busiest other process during a sample: `/proc/PID/io`.
//!
//! Documentation/filesystems/proc.rst, section 3.3: `read_bytes` were fetched from storage,
//! `write_bytes` were sent towards it, `cancelled_write_bytes` were dropped before writeback.
//! Only root can read the file of another user's process; unreadable files are skipped.
//!
//! What a worker of the kernel moves is no load of its own. A filesystem's or array's own workers
//! write its metadata, journal and parity (btrfs's `kworker/u8:0-btrfs-endio` dirties the pages of
//! its trees), and `md0_raid5` writes what a process gave it, which the kernel counts for that
//! process, too (`task_io_account_write` at the time of dirtying, mm/page-writeback.c). So kernel
//! threads are not other processes, except servers of files and blocks, whose clients are other
//! machines, and md's resync, which no process asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use stripewise_study::warning::Direction;
use stripewise_units::Bytes;

use crate::root::Root;

/// How many ancestors of a process to check.
const ANCESTORS_MAX: usize = 64;
/// The flag of kernel threads in `/proc/PID/stat`: `PF_KTHREAD` of include/linux/sched.h.
const KERNEL_THREAD: u64 = 0x0020_0000;
/// How the names of kernel threads begin that serve other machines: fs/nfsd/nfssvc.c,
/// fs/smb/server/transport_tcp.c and connection.c, drivers/target/iscsi/iscsi_target_login.c,
/// drivers/block/drbd, drivers/nvme/target (work queues `nvmet-wq`, `nvmet_tcp_wq`).
const SERVERS: [&str; 6] = ["nfsd", "ksmbd", "iscsi_t", "drbd", "nvmet", "lio"];
/// How the names of md's threads end that move data by themselves: `md_do_sync` runs in
/// `md0_resync` or `md0_reshape` (drivers/md/md.c, raid5.c, raid10.c).
const SYNCS: [&str; 2] = ["_resync", "_reshape"];

/// The bytes that every process had moved at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessIo(BTreeMap<u32, ProcessBytes>);

/// The bytes that one process has moved since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ProcessBytes {
    read_bytes: u64,
    write_bytes: u64,
}

impl ProcessBytes {
    fn of(self, direction: Direction) -> u64 {
        match direction {
            Direction::Read => self.read_bytes,
            Direction::Write => self.write_bytes,
        }
    }
}

/// The process that read or wrote the most bytes between two times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyProcess {
    /// Its process id.
    pub pid: u32,
    /// Its name (`comm`, at most 15 bytes); `?` if it could not be read.
    pub name: String,
    /// The bytes that it read from storage, or wrote towards it.
    pub bytes: Bytes,
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
fn parse_io(bytes: &[u8]) -> ProcessBytes {
    let text = String::from_utf8_lossy(bytes);
    let value = |key: &str| -> u64 {
        text.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| *name == key)
            .and_then(|(_, number)| number.trim().parse().ok())
            .unwrap_or(0)
    };
    ProcessBytes {
        read_bytes: value("read_bytes"),
        write_bytes: value("write_bytes").saturating_sub(value("cancelled_write_bytes")),
    }
}

/// Returns the process that read or wrote the most bytes between `before` and `after`; `None` if no
/// readable process moved any.
///
/// `ours` and their descendants are excluded, and kernel threads that serve no other machine and are
/// no resync: they work for the filesystem or array under test. A process that started in between
/// counts with all its bytes; one that exited in between is not seen. Call this at the time of
/// `after`: it reads names and ancestors now.
pub fn busiest_other_process(
    root: &Root,
    before: &ProcessIo,
    after: &ProcessIo,
    ours: &BTreeSet<u32>,
    direction: Direction,
) -> Option<BusyProcess> {
    let mut busy: Vec<(u32, u64)> = after
        .0
        .iter()
        .map(|(pid, now)| {
            let then = before.0.get(pid).copied().unwrap_or_default();
            let moved = now.of(direction).saturating_sub(then.of(direction));
            (*pid, moved)
        })
        .filter(|(_, moved)| *moved > 0)
        .collect();
    busy.sort_by_key(|(pid, moved)| (std::cmp::Reverse(*moved), *pid));
    let other = |(pid, moved): (u32, u64)| {
        let name = root.word(format!("/proc/{pid}/comm"));
        let name = name.unwrap_or_else(|| "?".to_owned());
        let is_ours = is_or_descends_from(root, pid, ours);
        (!is_ours && !works_for_the_stack(root, pid, &name)).then_some((pid, moved, name))
    };
    let (pid, moved, name) = busy.into_iter().find_map(other)?;
    Some(BusyProcess {
        pid,
        name,
        bytes: Bytes::new(moved),
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

/// Returns whether `pid` is a worker of the kernel that moves the data of others. What cannot be read
/// is a process like any other.
fn works_for_the_stack(root: &Root, pid: u32, name: &str) -> bool {
    let flags = stat_field(root, pid, Stat::Flags).and_then(|flags| flags.parse::<u64>().ok());
    let is_kernel_thread = flags.is_some_and(|flags| flags & KERNEL_THREAD != 0);
    // The work queue of a kernel worker stands in `comm` only (`wq_worker_comm`, kernel/workqueue.c).
    let work = name.split_once(['-', '+']);
    let work = work.filter(|_| name.starts_with("kworker/"));
    let name = work.map_or(name, |(_, queue)| queue);
    let serves = SERVERS.iter().any(|server| name.starts_with(server));
    let syncs = SYNCS.iter().any(|sync| name.ends_with(sync));
    is_kernel_thread && !serves && !syncs
}

/// Returns the parent of a process.
fn parent(root: &Root, pid: u32) -> Option<u32> {
    stat_field(root, pid, Stat::Parent)?.parse().ok()
}

/// A field of `/proc/PID/stat` by its place behind the name (`proc_pid_stat(5)`).
#[derive(Debug, Clone, Copy)]
enum Stat {
    Parent = 1,
    Flags = 6,
}

/// Returns a field. The name is in parentheses and may contain any character, even a closing
/// parenthesis.
fn stat_field(root: &Root, pid: u32, field: Stat) -> Option<String> {
    let text = root.text(format!("/proc/{pid}/stat"))?;
    let (_, after_name) = text.rsplit_once(')')?;
    let value = after_name.split_whitespace().nth(field as usize)?;
    Some(value.to_owned())
}
