//! The page cache: buffered writes, written back later, and buffered reads with read-ahead windows.
//!
//! A buffered write completes when it is copied. Write-back takes dirty runs in the order of
//! writing, merges adjacent ones, and sends 32 bios at a time, once half of the limit is dirty
//! (`vm.dirty_background_ratio` is half of `vm.dirty_ratio` by default); beyond the limit writers
//! wait (`balance_dirty_pages`). An `fsync` waits until everything is written. Reads begin with a
//! cold cache: a random read is a miss; a sequential one reads a window of 128 KiB
//! (`read_ahead_kb`), which serves the next ones.

use std::collections::VecDeque;

use stripewise_study::sample::Part;
use stripewise_study::units::{Bytes, Nanos};

use super::Simulation;
use super::host_io::{HostIo, Kind};
use super::job::Job;
use crate::device::level::Level;
use crate::events::Event;
use crate::units::{Instant, Sectors};

/// Bios of the write-back in flight at once.
const DEPTH: u32 = 32;
/// The longest bio of the write-back.
const BIO_MAX: Sectors = Sectors::new(2048);
/// The window of sequential reads (`read_ahead_kb`).
const READ_AHEAD: Sectors = Sectors::new(256);

/// A run of sectors.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    start: Sectors,
    length: Sectors,
}

impl Run {
    fn end(&self) -> Sectors {
        self.start + self.length
    }
}

/// An I/O that waits until the total written back reaches `until_bytes`.
#[derive(Debug, Clone, Copy)]
struct Sync {
    io: u32,
    until_bytes: u64,
}

/// The dirty runs, and the I/Os that wait for write-back.
#[derive(Debug)]
pub(super) struct PageCache {
    dirty: VecDeque<Run>,
    dirty_bytes: u64,
    /// All bytes ever dirtied, and all ever written back.
    dirtied_bytes: u64,
    cleaned_bytes: u64,
    dirty_max: u64,
    /// The size of the files, which bounds the dirty bytes.
    files_bytes: u64,
    /// The job that writes back.
    pub(super) flusher: u32,
    under_way: u32,
    /// Writers that wait until less is dirty.
    writers: VecDeque<u32>,
    /// Syncs, in order, that wait until the pages dirty at their start are written.
    syncs: VecDeque<Sync>,
    /// The read-ahead window of each job.
    windows: Vec<Run>,
    /// Whether a writer ever had to wait.
    has_filled: bool,
}

impl PageCache {
    /// Returns an empty cache; `flusher` is the number of the job that writes back.
    pub(super) fn new(dirty_max: Bytes, files: Bytes, flusher: u32) -> Self {
        Self {
            dirty: VecDeque::new(),
            dirty_bytes: 0,
            dirtied_bytes: 0,
            cleaned_bytes: 0,
            dirty_max: dirty_max.as_u64(),
            files_bytes: files.as_u64(),
            flusher,
            under_way: 0,
            writers: VecDeque::new(),
            syncs: VecDeque::new(),
            windows: vec![Run::default(); flusher as usize],
            has_filled: false,
        }
    }

    /// Adds a written run; merges it into the latest one if it continues that.
    fn mark_dirty(&mut self, run: Run) {
        let bytes = run.length.bytes().as_u64();
        if self.dirty_bytes + bytes > self.files_bytes {
            // All pages are dirty, so this one was already.
            return;
        }
        self.dirty_bytes += bytes;
        self.dirtied_bytes += bytes;
        match self.dirty.back_mut() {
            Some(last) if last.end() == run.start && last.length + run.length <= BIO_MAX => {
                last.length += run.length;
            }
            _ => self.dirty.push_back(run),
        }
    }

    /// Adds a write that no job waits for.
    pub(super) fn mark_dirty_at(&mut self, start: Sectors, length: Sectors) {
        self.mark_dirty(Run { start, length });
    }

    /// Returns how much is dirty, and how much was ever dirtied.
    pub(super) const fn level(&self) -> Level {
        Level {
            holds: self.dirty_bytes,
            received: self.dirtied_bytes,
        }
    }

    /// Returns the next amount of dirty pages at which the behaviour changes: half of the limit,
    /// the limit, or the size of the files.
    pub(super) fn next_bound(&self) -> Option<u64> {
        let bounds = [self.dirty_max / 2, self.dirty_max];
        let bounds = bounds.into_iter().map(|bound| bound.min(self.files_bytes));
        bounds.filter(|bound| *bound > self.dirty_bytes).min()
    }

    /// Returns whether a writer ever had to wait.
    pub(super) const fn has_filled(&self) -> bool {
        self.has_filled
    }

    fn wants_write_back(&self) -> bool {
        !self.syncs.is_empty() || self.dirty_bytes > self.dirty_max / 2
    }
}

impl Simulation {
    /// Begins a buffered read or write at `at`.
    pub(super) fn begin_buffered(&mut self, io: u32, at: Instant) {
        let host_io = &self.ios[io];
        let (kind, job) = (host_io.kind, host_io.job);
        let run = Run {
            start: host_io.start,
            length: host_io.length,
        };
        if kind == Kind::Read && !self.is_read_ahead(job, run) {
            self.begin_read_ahead(io, run, at);
            return;
        }
        let end = self.copy_pages(io, at);
        if kind == Kind::Read {
            self.events.add(end, Event::IoDone(io));
            return;
        }
        self.page_cache.mark_dirty(run);
        if self.ios[io].is_durable() {
            self.wait_for_write_back(io, end);
        } else if self.page_cache.dirty_bytes > self.page_cache.dirty_max {
            self.ios[io].wait_since(end);
            self.page_cache.has_filled = true;
            self.page_cache.writers.push_back(io);
        } else {
            self.events.add(end, Event::IoDone(io));
        }
        self.write_back(end);
    }

    /// Makes a sync wait for write-back; continues at once if nothing is dirty.
    pub(super) fn wait_for_write_back(&mut self, io: u32, at: Instant) {
        self.ios[io].wait_since(at);
        if self.page_cache.dirty_bytes == 0 {
            self.after_write_back(io, at);
            return;
        }
        let until_bytes = self.page_cache.dirtied_bytes;
        self.page_cache.syncs.push_back(Sync { io, until_bytes });
        self.write_back(at);
    }

    /// Copies the pages of an I/O between the cache and its job; returns when that is done.
    fn copy_pages(&mut self, io: u32, at: Instant) -> Instant {
        let costs = self.costs;
        let host_io = &mut self.ios[io];
        let pages = host_io.length.get().div_ceil(8);
        let copy = Nanos::new(pages * costs.copy_page.as_u64());
        host_io.parts.add(Part::Submit, costs.submit);
        host_io.parts.add(Part::PageCache, copy);
        let span = Nanos::new(costs.submit.as_u64() + copy.as_u64());
        self.cores.work(host_io.job, at, span)
    }

    fn is_read_ahead(&self, job: u32, run: Run) -> bool {
        let window = self.page_cache.windows[job as usize];
        window.start <= run.start && run.end() <= window.end()
    }

    /// Reads from disk: a whole window if the job continues where its window ends.
    fn begin_read_ahead(&mut self, io: u32, run: Run, at: Instant) {
        let job = self.ios[io].job;
        let window = &mut self.page_cache.windows[job as usize];
        let is_sequential = window.end() == run.start || run.start == Sectors::default();
        let room = self.layers.size - run.start;
        let length = match is_sequential {
            true => run.length.max(READ_AHEAD).min(room),
            false => run.length,
        };
        *window = Run { length, ..run };
        self.begin_read(io, run.start, length, at);
    }

    /// Starts as much write-back as may be in flight at once.
    fn write_back(&mut self, at: Instant) {
        while self.page_cache.wants_write_back() && self.page_cache.under_way < DEPTH {
            let Some(run) = self.page_cache.dirty.pop_front() else {
                return;
            };
            self.page_cache.under_way += 1;
            let flusher = self.page_cache.flusher;
            let at = self.cores.free_after_move(flusher, at);
            let io = self.claim_write_back(flusher, at);
            self.ios[io].start = run.start;
            self.ios[io].length = run.length;
            self.begin_io(io, at);
        }
    }

    /// Ends a bio of the write-back and resumes the I/Os that waited for it.
    pub(super) fn write_back_done(&mut self, length: Sectors) {
        let now = self.now;
        let cache = &mut self.page_cache;
        cache.under_way -= 1;
        cache.dirty_bytes -= length.bytes().as_u64();
        cache.cleaned_bytes += length.bytes().as_u64();
        while self.page_cache.dirty_bytes <= self.page_cache.dirty_max {
            let Some(io) = self.page_cache.writers.pop_front() else {
                break;
            };
            let at = self.ios[io].resume_at(now);
            self.ios[io].add_wait(Part::PageCache, at);
            self.events.add(at, Event::IoDone(io));
        }
        while let Some(sync) = self.page_cache.syncs.front() {
            if sync.until_bytes > self.page_cache.cleaned_bytes {
                break;
            }
            let io = sync.io;
            self.page_cache.syncs.pop_front();
            let at = self.ios[io].resume_at(now);
            self.after_write_back(io, at);
        }
        self.write_back(now);
    }
}

/// Returns the write-back job: it has its own CPU and is not measured.
pub(super) fn flusher(template: &Job) -> Job {
    let mut job = template.clone();
    job.is_measured = false;
    job.is_buffered = false;
    job.is_plugged = [true; 2];
    job.depth = DEPTH;
    job
}

impl HostIo {
    /// Returns whether the I/O must be durable before it completes.
    fn is_durable(&self) -> bool {
        self.durable != super::host_io::Durable::No
    }
}
