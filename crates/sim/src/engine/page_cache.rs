//! The page cache: buffered writes that go to disk later, buffered reads that come in windows.
//!
//! A buffered write is done when it is copied. What is dirty is written back in the order in which
//! it was written, neighbours joined, 32 bios at a time, once half of the limit is dirty
//! (`vm.dirty_background_ratio` is half of `vm.dirty_ratio` by default); beyond the limit writers
//! wait (`balance_dirty_pages`). An `fsync` waits until everything is written. Reads begin with a
//! cold cache: a random read is a miss, a sequential one brings in a window of 128 KiB
//! (`read_ahead_kb`), from which the next ones are answered.

use std::collections::VecDeque;

use stripewise_study::sample::Part;
use stripewise_study::units::{Bytes, Nanos};

use super::Simulation;
use super::host_io::{HostIo, Kind};
use super::job::Job;
use crate::device::level::Level;
use crate::events::Event;
use crate::units::{Instant, Sectors};

/// Bios of the write-back under way at once.
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

/// An I/O that waits until so much has been written back, all in all.
#[derive(Debug, Clone, Copy)]
struct Sync {
    io: u32,
    until_bytes: u64,
}

/// What is dirty, and who waits for it.
#[derive(Debug)]
pub(super) struct PageCache {
    dirty: VecDeque<Run>,
    dirty_bytes: u64,
    /// All that was ever made dirty, and all that was ever written back.
    soiled_bytes: u64,
    cleaned_bytes: u64,
    dirty_max: u64,
    /// Files hold no more dirty bytes than they have.
    files_bytes: u64,
    /// The job that writes back.
    pub(super) flusher: u32,
    under_way: u32,
    /// Writers that wait until less is dirty.
    writers: VecDeque<u32>,
    /// Syncs that wait until what was dirty when they began is written, in their order.
    syncs: VecDeque<Sync>,
    /// What each job has read ahead.
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
            soiled_bytes: 0,
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

    /// Takes a run that was written; joins it to the latest one if it goes on there.
    fn soil(&mut self, run: Run) {
        let bytes = run.length.bytes().as_u64();
        if self.dirty_bytes + bytes > self.files_bytes {
            // Everything is dirty: the page was already.
            return;
        }
        self.dirty_bytes += bytes;
        self.soiled_bytes += bytes;
        match self.dirty.back_mut() {
            Some(last) if last.end() == run.start && last.length + run.length <= BIO_MAX => {
                last.length += run.length;
            }
            _ => self.dirty.push_back(run),
        }
    }

    /// Takes a write that no job waits for.
    pub(super) fn soil_at(&mut self, start: Sectors, length: Sectors) {
        self.soil(Run { start, length });
    }

    /// Returns how much is dirty, and how much ever became so.
    pub(super) const fn level(&self) -> Level {
        Level {
            holds: self.dirty_bytes,
            came: self.soiled_bytes,
        }
    }

    /// Returns where more dirty pages next change something: at half of the limit, at the limit, or
    /// where all of the files are dirty.
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
        self.page_cache.soil(run);
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

    /// Lets a sync wait until nothing is dirty; goes on at once if nothing is.
    pub(super) fn wait_for_write_back(&mut self, io: u32, at: Instant) {
        self.ios[io].wait_since(at);
        if self.page_cache.dirty_bytes == 0 {
            self.after_write_back(io, at);
            return;
        }
        let until_bytes = self.page_cache.soiled_bytes;
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
        let job = &mut self.jobs[host_io.job as usize];
        job.cpu
            .work(at, Nanos::new(costs.submit.as_u64() + copy.as_u64()))
    }

    fn is_read_ahead(&self, job: u32, run: Run) -> bool {
        let window = self.page_cache.windows[job as usize];
        window.start <= run.start && run.end() <= window.end()
    }

    /// Reads from disk: a whole window if the job reads on where its window ends.
    fn begin_read_ahead(&mut self, io: u32, run: Run, at: Instant) {
        let job = self.ios[io].job;
        let window = &mut self.page_cache.windows[job as usize];
        let goes_on = window.end() == run.start || run.start == Sectors::default();
        let room = self.layers.size - run.start;
        let length = match goes_on {
            true => run.length.max(READ_AHEAD).min(room),
            false => run.length,
        };
        *window = Run { length, ..run };
        self.begin_read(io, run.start, length, at);
    }

    /// Writes back as much as may be under way at once.
    fn write_back(&mut self, at: Instant) {
        while self.page_cache.wants_write_back() && self.page_cache.under_way < DEPTH {
            let Some(run) = self.page_cache.dirty.pop_front() else {
                return;
            };
            self.page_cache.under_way += 1;
            let flusher = self.page_cache.flusher;
            let at = self.jobs[flusher as usize].cpu.free.max(at);
            let io = self.claim_write_back(flusher, at);
            self.ios[io].start = run.start;
            self.ios[io].length = run.length;
            self.begin_io(io, at);
        }
    }

    /// A bio of the write-back is done: those who waited for it go on.
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
            let at = self.ios[io].goes_on(now);
            self.ios[io].add_wait(Part::PageCache, at);
            self.events.add(at, Event::IoDone(io));
        }
        while let Some(sync) = self.page_cache.syncs.front() {
            if sync.until_bytes > self.page_cache.cleaned_bytes {
                break;
            }
            let io = sync.io;
            self.page_cache.syncs.pop_front();
            let at = self.ios[io].goes_on(now);
            self.after_write_back(io, at);
        }
        self.write_back(now);
    }
}

/// Returns the job that writes back: it has a CPU of its own and is not asked about.
pub(super) fn flusher(template: &Job) -> Job {
    let mut job = template.clone();
    job.is_measured = false;
    job.is_buffered = false;
    job.is_plugged = [true; 2];
    job.depth = DEPTH;
    job
}

impl HostIo {
    /// Returns whether the I/O is only done when it is on the medium.
    fn is_durable(&self) -> bool {
        self.durable != super::host_io::Durable::No
    }
}
