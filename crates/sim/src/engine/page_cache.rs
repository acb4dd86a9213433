//! The page cache: buffered writes, written back later, and buffered reads with read-ahead.
//!
//! A buffered write completes when it is copied. Write-back takes dirty runs in the order of
//! writing, merges adjacent ones, and sends 32 bios at a time, once half of the limit is dirty
//! (`vm.dirty_background_ratio` is half of `vm.dirty_ratio` by default); beyond the limit writers
//! wait (`balance_dirty_pages`). An `fsync` waits until everything is written. Only what it writes
//! is `REQ_SYNC` (`wbc_to_write_flags`).
//!
//! A read goes through its pages as `open_file` says; the windows of read-ahead are I/Os of their
//! own, on the CPU of the job that reads, which also finds memory for their pages. A window is in memory
//! when all of it is: the program does not see the first of several bios earlier.

use std::collections::VecDeque;
use std::ops::Range;

use stripewise_study::sample::Part;
use stripewise_study::warning::Warning;
use stripewise_units::{Bytes, Nanos};

use super::Simulation;
use super::host_io::{HostIo, Stage};
use super::job::Job;
use super::open_file::{OpenFile, PAGE, ReadStep};
use super::pool::Records;
use crate::device::fill_level::FillLevel;
use crate::durability::Writes;
use crate::events::Event;
use crate::units::{Instant, Sectors};

/// Bios of the write-back in flight at once.
const DEPTH: u32 = 32;
/// The longest bio of pages of the page cache, which are scattered in memory (`BIO_MAX_VECS`).
pub(super) const BIO_MAX: Sectors = Sectors::new(2048);

/// A run of sectors.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    start: Sectors,
    length: Sectors,
    /// The tracked writes that it holds.
    writes: Writes,
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
    /// Tracked writes to pages that are being written back: the next run has them.
    early: Writes,
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
    pub(super) writers: VecDeque<u32>,
    /// Syncs, in order, that wait until the pages dirty at their start are written.
    syncs: VecDeque<Sync>,
    /// The file of each job.
    pub(super) files: Vec<OpenFile>,
    /// Whether a writer ever had to wait.
    pub(super) has_filled: bool,
    /// ZFS's records, which take the place of dirty pages.
    pub(super) records: Option<Box<Records>>,
    /// The warning of a load that reads files from memory.
    pub(super) warning: Option<Warning>,
}

impl PageCache {
    /// Returns a cache without dirty pages of files that hold `files_bytes`; the job behind theirs
    /// writes back.
    pub(super) fn new(dirty_max: Bytes, files_bytes: Bytes, files: Vec<OpenFile>) -> Self {
        Self {
            dirty: VecDeque::new(),
            early: Writes::NONE,
            dirty_bytes: 0,
            dirtied_bytes: 0,
            cleaned_bytes: 0,
            dirty_max: dirty_max.as_u64(),
            files_bytes: files_bytes.as_u64(),
            flusher: u32::try_from(files.len()).expect("jobs are few"),
            under_way: 0,
            writers: VecDeque::new(),
            syncs: VecDeque::new(),
            files,
            has_filled: false,
            records: None,
            warning: None,
        }
    }

    /// Adds a written run; merges it into the latest one if it continues that.
    fn mark_dirty(&mut self, run: Run) {
        let bytes = run.length.bytes().as_u64();
        if self.dirty_bytes + bytes > self.files_bytes {
            // All pages are dirty, so this one was already.
            match self.dirty.back_mut() {
                Some(last) => last.writes = last.writes.joined(run.writes),
                None => self.early = self.early.joined(run.writes),
            }
            return;
        }
        self.dirty_bytes += bytes;
        self.dirtied_bytes += bytes;
        let run = Run {
            writes: std::mem::take(&mut self.early).joined(run.writes),
            ..run
        };
        match self.dirty.back_mut() {
            Some(last) if last.end() == run.start && last.length + run.length <= BIO_MAX => {
                last.length += run.length;
                last.writes = last.writes.joined(run.writes);
            }
            _ => self.dirty.push_back(run),
        }
    }

    /// Adds a write that no job waits for.
    pub(super) fn mark_dirty_at(&mut self, start: Sectors, length: Sectors) {
        if let Some(records) = &mut self.records {
            records.mark_dirty(start, length, Instant::START);
            return;
        }
        self.mark_dirty(Run {
            start,
            length,
            writes: Writes::NONE,
        });
    }

    /// Returns how much is dirty, and how much was ever dirtied.
    pub(super) fn level(&self) -> FillLevel {
        if let Some(records) = &self.records {
            return records.level();
        }
        FillLevel {
            holds: self.dirty_bytes,
            received: self.dirtied_bytes,
        }
    }

    /// Returns the next amount of dirty pages at which the behaviour changes: half of the limit,
    /// the limit, or the size of the files.
    pub(super) fn next_bound(&self) -> Option<u64> {
        if let Some(records) = &self.records {
            let bound = records.txg.delay_from().min(self.files_bytes);
            return Some(bound).filter(|bound| *bound > records.txg.dirty());
        }
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
    /// Begins a buffered write at `at`.
    pub(super) fn begin_buffered_write(&mut self, io: u32, at: Instant) {
        if self.page_cache.records.is_some() {
            self.begin_record_write(io, at);
            return;
        }
        let writes = self.note_dirty(io);
        let host_io = &self.ios[io];
        let run = Run {
            start: host_io.start,
            length: host_io.length,
            writes,
        };
        let pages = run.length.get().div_ceil(PAGE);
        let at = self.enter_kernel(io, at);
        let end = self.copy_pages(io, pages, at);
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

    /// Begins a buffered read at `at`.
    pub(super) fn begin_buffered_read(&mut self, io: u32, at: Instant) {
        let host_io = &self.ios[io];
        let file = &self.page_cache.files[host_io.job as usize];
        let first_page = file.pages(host_io.start, host_io.length).start;
        self.ios[io].page = first_page;
        let at = self.enter_kernel(io, at);
        if self.is_in_memory(io) {
            let pages = self.ios[io].length.get().div_ceil(PAGE);
            let end = self.copy_pages(io, pages, at);
            self.events.add(end, Event::IoDone(io));
            return;
        }
        self.continue_read(io, at);
    }

    /// Continues a buffered read until it has to wait or is done.
    fn continue_read(&mut self, io: u32, at: Instant) {
        let mut at = at;
        loop {
            let host_io = &self.ios[io];
            let (job, page) = (host_io.job, host_io.page);
            let file = &mut self.page_cache.files[job as usize];
            let end = file.pages(host_io.start, host_io.length).end;
            if page >= end {
                file.read_ended(host_io.start + host_io.length);
                self.events.add(at, Event::IoDone(io));
                return;
            }
            match file.next_step(&(page..end)) {
                ReadStep::Read(pages) => at = self.read_pages(io, &pages, at),
                ReadStep::Wait => {
                    file.waiting.push_back(io);
                    self.ios[io].wait_since(at);
                    return;
                }
                ReadStep::Copy(to) => {
                    at = self.copy_pages(io, to - page, at);
                    self.ios[io].page = to;
                }
            }
        }
    }

    /// Reads pages for `io` from disk, at the expense of its job; returns when they are submitted.
    fn read_pages(&mut self, io: u32, pages: &Range<u64>, at: Instant) -> Instant {
        let job = self.ios[io].job;
        let begin = self.cores.free(job).max(at);
        let count = pages.end - pages.start;
        let begin = match self.costs.cache_page.as_u64() {
            0 => begin,
            each => self.cores.work(job, begin, Nanos::new(count * each)),
        };
        let window = self.claim_read_ahead(job, begin);
        let file = &mut self.page_cache.files[job as usize];
        file.expect(window, pages.clone());
        let Range { start, end } = file.sectors(pages);
        self.ios[window].start = start;
        self.ios[window].length = end - start;
        self.begin_data(window, begin);
        let end = self.cores.free(job).max(begin);
        self.ios[io].parts.add(Part::PageCache, end.since(at));
        end
    }

    /// Ends the read of a window, and resumes the reads that waited for it.
    pub(super) fn read_ahead_done(&mut self, window: u32) {
        let job = self.ios[window].job;
        let file = &mut self.page_cache.files[job as usize];
        file.arrived(window);
        let (parts, wakes) = (self.ios[window].parts, self.ios[window].wakes());
        let lasted = self.now.since(self.ios[window].submitted);
        for _ in 0..self.page_cache.files[job as usize].waiting.len() {
            let waiting = &mut self.page_cache.files[job as usize].waiting;
            let Some(io) = waiting.pop_front() else {
                break;
            };
            let at = self.ios[io].resume_at(self.now);
            let waited = self.ios[io].waited(at);
            self.ios[io].parts.add_share(&parts, waited, lasted);
            let wake = if wakes {
                self.wake_of(job)
            } else {
                Nanos::default()
            };
            self.ios[io].parts.add(Part::Completion, wake);
            self.continue_read(io, at + wake);
        }
        self.ios.remove(window);
    }

    /// Charges a job for the system call of an I/O; returns when it is in the kernel.
    pub(super) fn enter_kernel(&mut self, io: u32, at: Instant) -> Instant {
        let submit = self.costs.submit;
        self.work_for(io, Part::Submit, submit, at)
    }

    /// Returns the CPU time of sending `pages` of an I/O of `job`, without its bios. Only a program's direct I/O
    /// asks the filesystem for each: windows and write-back know their blocks.
    #[inline(always)]
    pub(super) fn submit_time(&self, job: u32, stage: Stage, pages: u64) -> Nanos {
        let job = &self.jobs[job as usize];
        let asks = stage == Stage::Data && job.is_measured && !job.is_buffered;
        let filesystem = self.costs.filesystem.as_u64() * u64::from(asks);
        Nanos::new(self.costs.submit.as_u64() + filesystem + pages * self.costs.page.as_u64())
    }

    /// Copies pages between the cache and a job; returns when that is done.
    pub(super) fn copy_pages(&mut self, io: u32, pages: u64, at: Instant) -> Instant {
        let copy = Nanos::new(pages * self.costs.copy_page.as_u64());
        self.work_for(io, Part::PageCache, copy, at)
    }

    /// Works for an I/O on its job's CPU as soon as that is free; returns when it is done.
    fn work_for(&mut self, io: u32, part: Part, span: Nanos, at: Instant) -> Instant {
        let job = self.ios[io].job;
        let end = self.cores.work(job, at, span);
        self.ios[io].parts.add(part, end.since(at));
        end
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
            self.ios[io].is_sync = !self.page_cache.syncs.is_empty();
            self.note_write_back(io, run.writes);
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
    pub(super) fn is_durable(&self) -> bool {
        self.durable != super::host_io::Durable::No
    }
}
