//! The filesystem's log: `fsync`s wait for it, and it writes to the stack.
//!
//! The decisions are those of [`crate::filesystem`]; here they become I/Os. ext4's journal thread
//! (`kjournald2`) writes a commit for all; on XFS, a worker fills the log buffer, and the `fsync` that
//! writes it does so itself. Thread and worker need a core, as all that they wake do.

use std::collections::VecDeque;

use stripewise_study::sample::Part;
use stripewise_study::stack::{Filesystem, Level, Volume};
use stripewise_units::Bytes;

use super::flush::Preflush;
use super::host_io::{Durable, Kind, Stage};
use super::job::SyncCosts;
use super::{Setup, SetupError, Simulation};
use crate::array::resync::TICK;
use crate::events::Event;
use crate::filesystem::jbd2::{self, BLOCK, Jbd2};
use crate::filesystem::tree_log::{self, TreeLog};
use crate::filesystem::xfs::{self, XfsLog};
use crate::filesystem::zfs::zil::Zil;
use crate::io::Operation;
use crate::units::{Instant, Sectors};

/// The largest log stripe unit of XFS (`XLOG_MAX_RECORD_BSIZE`), and what mkfs.xfs takes instead.
const LOG_STRIPE_MAX: Bytes = Bytes::new(256 * 1024);
const LOG_STRIPE_INSTEAD: Bytes = Bytes::new(32 * 1024);
/// Below this size mkfs.xfs ignores the stripes of a device (5.19 and later).
const LOG_STRIPE_VOLUME_MIN: Bytes = Bytes::GIB;

/// How a filesystem makes an `fsync` durable.
#[derive(Debug)]
pub(super) enum Log {
    /// A flush is all that it needs.
    None,
    /// ext3 and ext4.
    Jbd2(Jbd2),
    /// XFS.
    Xfs(XfsLog),
    /// btrfs.
    Tree(TreeLog),
    /// ZFS.
    Zil(Zil),
}

/// An `fsync` that waits for a transaction, or for a log buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) io: u32,
    /// The transaction or the buffer.
    pub(super) number: u64,
    pub(super) then_flushes: bool,
    /// When ZFS stops waiting for others in an open block.
    pub(super) until: Instant,
}

/// The filesystem's log and those who wait for it.
#[derive(Debug)]
pub(super) struct FilesystemLog {
    pub(super) log: Log,
    /// The number of the job that writes it.
    pub(super) thread: u32,
    /// The clock of each file's time stamps, in ticks from 1; 0 if it was never written.
    stamps: Vec<u64>,
    pub(super) waiting: VecDeque<Waiting>,
    /// The blocks of ZFS's log on their way: who writes each, its number, and when that began.
    pub(super) blocks: Vec<(u32, u64, Instant)>,
    /// `fsync`s that sleep before they write their log buffer.
    sleeping: VecDeque<u32>,
    /// `fsync`s that wait until their changes are in a log buffer.
    pushing: VecDeque<u32>,
    /// Writes whose time stamps cannot change now.
    shadowed: VecDeque<u32>,
}

impl FilesystemLog {
    /// Returns the log of a filesystem whose files belong to the jobs before `thread` - 1, one each.
    pub(super) fn new(log: Log, thread: u32) -> Self {
        let files = thread as usize;
        Self {
            log,
            thread,
            stamps: vec![0; files],
            waiting: VecDeque::with_capacity(files),
            blocks: Vec::with_capacity(files),
            sleeping: VecDeque::with_capacity(files),
            pushing: VecDeque::with_capacity(files),
            shadowed: VecDeque::with_capacity(files),
        }
    }

    /// Returns whether a task of its own writes the log (`kjournald2`).
    pub(super) fn has_thread(&self) -> bool {
        matches!(self.log, Log::Jbd2(_))
    }

    /// Returns whether a worker puts changes into the log (`xlog_cil_push_work`).
    pub(super) fn has_worker(&self) -> bool {
        matches!(self.log, Log::Xfs(_))
    }

    fn change(&mut self, file: usize) {
        match &mut self.log {
            Log::None | Log::Zil(_) => {}
            Log::Jbd2(log) => log.change(file),
            Log::Xfs(log) => log.change(file),
            Log::Tree(log) => log.change(file),
        }
    }

    /// Makes the next `fsync` of a file cover the changes of all files.
    fn change_with_all(&mut self, file: usize) {
        match &mut self.log {
            Log::None | Log::Zil(_) | Log::Tree(_) => {}
            Log::Jbd2(log) => log.change_with_all(file),
            Log::Xfs(log) => log.change_with_all(file),
        }
    }
}

impl Setup<'_> {
    /// Returns the log of the stack's filesystem of `size`, for the files of `jobs`.
    pub(super) fn log(&self, jobs: usize, size: Sectors) -> Log {
        if let Some(log) = self.pool_log(jobs) {
            return log;
        }
        match &self.stack.filesystem {
            Filesystem::None => Log::None,
            Filesystem::Existing => Log::Jbd2(Jbd2::new(jobs)),
            Filesystem::Made { kind, .. } => match kind.as_str() {
                "ext3" | "ext4" => Log::Jbd2(Jbd2::new(jobs)),
                "xfs" => Log::Xfs(XfsLog::new(jobs, self.log_unit(size))),
                _ => Log::None,
            },
        }
    }

    /// Returns how the stack's filesystem makes data durable.
    ///
    /// ext4 commits its journal on `fsync` when the inode changed, which a write does through its
    /// time stamps; `fdatasync` and `O_DSYNC` of blocks that exist only flush (`ext4_sync_file`).
    pub(super) fn syncs(&self) -> Result<SyncCosts, SetupError> {
        if let Some(syncs) = self.pool_syncs() {
            return Ok(syncs);
        }
        let flush = SyncCosts {
            full: Durable::Flush,
            data: Durable::Flush,
            none: Durable::No,
        };
        let journal = SyncCosts {
            full: Durable::Commit,
            data: Durable::Flush,
            none: Durable::No,
        };
        match &self.stack.filesystem {
            Filesystem::None => Ok(flush),
            Filesystem::Existing => Ok(journal),
            Filesystem::Made { kind, .. } => match kind.as_str() {
                "ext2" => Ok(flush),
                "ext3" | "ext4" | "xfs" => Ok(journal),
                other => Err(SetupError::Unsupported {
                    what: format!(
                        "the filesystem `{other}`; it supports raw devices, ext2, ext3, ext4, xfs, btrfs and zfs"
                    ),
                }),
            },
        }
    }

    /// Returns what the length of a write to the log of XFS is a multiple of (`l_iclog_roundoff`,
    /// `xlog_alloc_log`), for a filesystem of `size`.
    ///
    /// mkfs.xfs decides it (`calc_stripe_factors` of xfsprogs 6.1.0; the first rule since 2003): a
    /// block of the filesystem if a physical block is longer than a log header, whatever the stripes
    /// are; else a chunk or stripe, or 32 KiB instead of one over 256 KiB; else a sector.
    pub(super) fn log_unit(&self, size: Sectors) -> Bytes {
        let blocks = self.devices.iter().map(|one| one.physical_block_bytes);
        if blocks.max().unwrap_or(Sectors::BYTES) > Sectors::BYTES {
            return BLOCK.bytes();
        }
        let of_volume = match &self.stack.volume {
            Some(Volume::Striped { stripe_bytes, .. }) => Some(*stripe_bytes),
            _ => None,
        };
        let of_array = self
            .stack
            .array
            .as_ref()
            .filter(|array| array.level != Level::Linear);
        let stripe = of_volume.or(of_array.and_then(|array| array.chunk_bytes));
        match stripe.filter(|_| size.bytes() >= LOG_STRIPE_VOLUME_MIN) {
            Some(stripe) if stripe > LOG_STRIPE_MAX => LOG_STRIPE_INSTEAD,
            Some(stripe) => stripe,
            None => Bytes::new(Sectors::BYTES),
        }
    }
}

impl Simulation {
    /// Returns whether a job is a task of the kernel, which draws no I/Os.
    pub(super) fn is_kernel_task(&self, job: u32) -> bool {
        job >= self.page_cache.flusher
    }

    /// Changes the time stamps of a file for a write that begins at `at`; returns whether the write
    /// has to wait, because the inode is being copied to the journal.
    pub(super) fn waits_for_journal(&mut self, io: u32, at: Instant) -> bool {
        let job = self.ios[io].job;
        if matches!(self.log.log, Log::None) || self.is_kernel_task(job) {
            return false;
        }
        let file = job as usize;
        if let Log::Tree(_) | Log::Zil(_) = self.log.log {
            // The file gets a new extent; ZFS's log has a record of each write.
            self.log.change(file);
            return false;
        }
        let stamp = 1 + at.as_nanos() / TICK.as_u64();
        if std::mem::replace(&mut self.log.stamps[file], stamp) == stamp {
            return false;
        }
        if let Log::Jbd2(log) = &self.log.log
            && log.is_shadowed(file)
        {
            self.ios[io].begin(Stage::Data, at);
            self.jobs[file].is_blocked = true;
            self.log.shadowed.push_back(io);
            return true;
        }
        self.log.change(file);
        false
    }

    /// Begins what an `fsync` waits for after the data.
    pub(super) fn begin_sync(&mut self, io: u32, at: Instant) {
        self.ios[io].wait_since(at);
        let file = self.ios[io].job as usize;
        if self.jobs[file].syncs_all {
            self.log.change_with_all(file);
        }
        match &mut self.log.log {
            Log::None => self.begin_flush(io, Stage::Flush, at),
            Log::Jbd2(log) => match log.sync(file) {
                jbd2::Sync::Flush => self.begin_flush(io, Stage::Flush, at),
                jbd2::Sync::Waits {
                    transaction,
                    then_flushes,
                } => {
                    self.log.waiting.push_back(Waiting {
                        io,
                        number: transaction,
                        then_flushes,
                        until: Instant::NEVER,
                    });
                    self.begin_commit(at);
                }
            },
            Log::Xfs(log) => {
                let sync = log.sync(file);
                self.force_log(io, sync, at);
            }
            Log::Tree(log) => {
                let sync = log.sync(file);
                self.write_tree_log(io, sync, at);
            }
            Log::Zil(log) => {
                let commit = log.commit(file, at);
                self.write_intent_log(io, commit, at);
            }
        }
    }

    /// Does what btrfs has decided for an `fsync`.
    fn write_tree_log(&mut self, io: u32, sync: tree_log::Sync, at: Instant) {
        match sync {
            tree_log::Sync::Nothing => self.events.add(at, Event::IoDone(io)),
            tree_log::Sync::Writes { nodes } => {
                let node = match &self.log.log {
                    Log::Tree(log) => log.node().get(),
                    _ => return,
                };
                self.ios[io].add_wait(Part::Journal, at);
                self.ios[io].begin(Stage::Journal, at);
                let length = Sectors::new(nodes * node);
                self.submit_bios(io, Operation::Write, Sectors::default(), length, at);
            }
            tree_log::Sync::Sleeps => self.log.sleeping.push_back(io),
            tree_log::Sync::Waits { transaction } => self.log.waiting.push_back(Waiting {
                io,
                number: transaction,
                then_flushes: false,
                until: Instant::NEVER,
            }),
        }
    }

    /// Wakes ext4's journal thread, if there is a transaction that it may commit.
    fn begin_commit(&mut self, at: Instant) {
        if let Log::Jbd2(log) = &self.log.log
            && log.may_commit()
        {
            let at = self
                .cores
                .wakes_at(self.log.thread, at + self.wake_of(self.log.thread));
            self.events.add(at, Event::JobReady(self.log.thread));
        }
    }

    /// Begins a commit in ext4's journal thread, as soon as it has a core: with all changes up to
    /// then.
    pub(super) fn commit_runs(&mut self) {
        let thread = self.log.thread;
        let Log::Jbd2(log) = &self.log.log else {
            return;
        };
        if !log.may_commit() || !self.runs_or_waits(thread, Event::JobReady(thread)) {
            return;
        }
        let at = self.cores.free(thread).max(self.now);
        let Log::Jbd2(log) = &mut self.log.log else {
            return;
        };
        let Some(length) = log.begin_commit() else {
            return;
        };
        let (io, _) = self.claim_io(thread, Kind::Sync, Durable::Commit, at);
        self.ios[io].begin(Stage::Journal, at);
        let start = self.layers.next_journal_place(length);
        self.submit_bios(io, Operation::Write, start, length, at);
    }

    /// Goes on with ext4's commit when its thread has a core again: writes the commit block, or ends
    /// the commit and begins the next one.
    pub(super) fn commit_continues(&mut self, io: u32) {
        let at = self.ios[io].resume_at(self.now);
        if self.ios[io].is_writing_blocks() {
            self.begin_commit_write(io, BLOCK, at);
            return;
        }
        if let Log::Jbd2(log) = &mut self.log.log {
            log.commit_ended();
        }
        self.ios.remove(io);
        self.wake_waiting(at);
        self.commit_runs();
    }

    /// Wakes the task that writes the log when all but the block that makes it durable is written:
    /// an `fsync` of btrfs (`btrfs_wait_tree_log_extents`), or ext4's journal thread, with the writes
    /// that waited for a copied block (`journal_end_buffer_io_sync`).
    pub(super) fn journal_written(&mut self, io: u32, at: Instant) {
        let Log::Jbd2(log) = &mut self.log.log else {
            let woken = self.ios[io].woken(at, self.wake_of(self.ios[io].job));
            self.begin_commit_write(io, BLOCK, woken);
            return;
        };
        log.blocks_written();
        for _ in 0..self.log.shadowed.len() {
            if let Some(write) = self.log.shadowed.pop_front() {
                self.resume(write, at);
            }
        }
        let woken = self.ios[io].woken(at, self.wake_of(self.ios[io].job));
        self.events.add(woken, Event::IoDone(io));
    }

    /// Goes on with a write whose inode was being copied to the journal.
    fn resume_shadowed(&mut self, write: u32, at: Instant) {
        let job = self.ios[write].job;
        self.log.change(job as usize);
        self.unblock(job);
        self.begin_write(write, at);
    }

    /// Begins a write that makes a commit durable: what came before it is flushed, and it is durable
    /// itself.
    fn begin_commit_write(&mut self, io: u32, length: Sectors, at: Instant) {
        self.ios[io].set_commit(length);
        match self.layers.preflush {
            Preflush::First => self.begin_flush(io, Stage::Preflush, at),
            Preflush::InBio | Preflush::Beside => self.write_commit(io, at),
        }
    }

    /// Writes a commit. A flush beside it comes second: the queues of the members leave flushes to a
    /// worker (`blk_flush_queue_rq`, `kblockd`), which runs once this task sleeps.
    pub(super) fn write_commit(&mut self, io: u32, at: Instant) {
        self.ios[io].begin(Stage::Commit, at);
        let length = self.ios[io].commit();
        let start = self.layers.next_journal_place(length);
        self.submit_bios(io, Operation::Write, start, length, at);
        if self.layers.preflush == Preflush::Beside {
            self.send_flushes(io, self.cores.free(self.ios[io].job).max(at));
        }
    }

    /// Does what XFS has decided for an `fsync`.
    fn force_log(&mut self, io: u32, sync: xfs::Sync, at: Instant) {
        match sync {
            xfs::Sync::Flush => self.begin_flush(io, Stage::Flush, at),
            xfs::Sync::Pushes => {
                if self.log.pushing.is_empty() {
                    self.wake_worker(self.layers.log_worker(), at);
                }
                self.log.pushing.push_back(io);
            }
            xfs::Sync::Writes { length } => self.begin_commit_write(io, length, at),
            xfs::Sync::Sleeps { .. } => self.log.sleeping.push_back(io),
            xfs::Sync::Waits { buffer } => self.log.waiting.push_back(Waiting {
                io,
                number: buffer,
                then_flushes: true,
                until: Instant::NEVER,
            }),
        }
    }

    /// Runs the worker of XFS, which moves all changes to a log buffer, and wakes those that wait
    /// for it (`xc_commit_wait`).
    pub(super) fn log_worker_runs(&mut self) {
        if let Log::Xfs(log) = &mut self.log.log {
            log.push();
        }
        for _ in 0..self.log.pushing.len() {
            if let Some(io) = self.log.pushing.pop_front() {
                self.resume(io, self.now);
            }
        }
    }

    /// Wakes the task of an I/O that waits for the log.
    fn resume(&mut self, io: u32, at: Instant) {
        let woken = self.ios[io].resume_at(at) + self.wake_of(self.ios[io].job);
        self.ios[io].add_wait(Part::Journal, woken);
        self.ios[io].wait_since(woken);
        self.events.add(woken, Event::Resumes(io));
    }

    /// Goes on with an I/O whose task was woken, as soon as it has a core.
    pub(super) fn resumes(&mut self, io: u32) {
        let job = self.ios[io].job;
        if !self.runs_or_waits(job, Event::Resumes(io)) {
            return;
        }
        let at = self.cores.free(job).max(self.now);
        if self.is_flushed_by_worker(io) {
            self.wake_worker(self.layers.flush_worker(), at);
            return;
        }
        self.ios[io].add_wait(Part::Journal, at);
        self.ios[io].wait_since(at);
        match &mut self.log.log {
            Log::Jbd2(_) if self.ios[io].is_new_write() => self.resume_shadowed(io, at),
            Log::Xfs(log) => {
                let sync = log.sync(job as usize);
                self.force_log(io, sync, at);
            }
            Log::Tree(log) => {
                let sync = log.sync(job as usize);
                self.write_tree_log(io, sync, at);
            }
            Log::None | Log::Jbd2(_) | Log::Zil(_) => self.begin_flush(io, Stage::Flush, at),
        }
    }

    /// Ends a commit at `at`: wakes those who waited for it, and begins the next.
    pub(super) fn commit_ended(&mut self, io: u32, at: Instant) {
        match &mut self.log.log {
            Log::None => {}
            Log::Zil(_) => self.flush_log_devices(io, at),
            Log::Jbd2(_) => {
                let woken = self.ios[io].woken(at, self.wake_of(self.ios[io].job));
                self.events.add(woken, Event::IoDone(io));
            }
            Log::Tree(log) => {
                log.ended();
                self.log_written(io, at);
            }
            Log::Xfs(log) => {
                log.write_ended();
                self.log_written(io, at);
            }
        }
    }

    /// Wakes the `fsync` that wrote the log, those that slept while it did, and those whose changes
    /// are in it.
    fn log_written(&mut self, io: u32, at: Instant) {
        for _ in 0..self.log.sleeping.len() {
            if let Some(io) = self.log.sleeping.pop_front() {
                self.resume(io, at);
            }
        }
        let woken = self.ios[io].woken(at, self.wake_of(self.ios[io].job));
        self.ios[io].wait_since(at);
        self.ios[io].add_wait(Part::Completion, woken);
        self.events.add(woken, Event::IoDone(io));
        self.wake_waiting(at);
    }

    /// Wakes the `fsync`s whose transaction is committed, or whose log buffer is written.
    pub(super) fn wake_waiting(&mut self, at: Instant) {
        for _ in 0..self.log.waiting.len() {
            let Some(waiting) = self.log.waiting.pop_front() else {
                return;
            };
            let is_done = match &self.log.log {
                Log::None => true,
                Log::Jbd2(log) => log.is_committed(waiting.number),
                Log::Xfs(log) => log.is_written(waiting.number),
                Log::Tree(log) => log.is_durable(waiting.number),
                Log::Zil(log) => log.is_durable(waiting.number),
            };
            if !is_done {
                self.log.waiting.push_back(waiting);
                continue;
            }
            match waiting.then_flushes {
                true => self.resume(waiting.io, at),
                false => {
                    let woken =
                        self.ios[waiting.io].resume_at(at) + self.wake_of(self.ios[waiting.io].job);
                    self.ios[waiting.io].add_wait(Part::Journal, woken);
                    self.events.add(woken, Event::IoDone(waiting.io));
                }
            }
        }
    }
}
