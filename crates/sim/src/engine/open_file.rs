//! The pages of a job's file in memory, and its reads of them (`filemap_read`).
//!
//! A read goes through its pages in order. A page that is not in memory is read, with others by
//! read-ahead; a marked page starts the next window; a page on its way is waited for; all others
//! are copied.

use std::collections::VecDeque;
use std::ops::Range;

use super::read_ahead::{ReadAhead, Window};
use crate::units::Sectors;

/// The sectors of a page.
pub(super) const PAGE: u64 = 8;

/// What a read does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadStep {
    /// The kernel reads these pages of the file.
    Read(Range<u64>),
    /// The page is on its way.
    Wait,
    /// The pages up to this one are copied.
    Copy(u64),
}

/// Pages on their way.
#[derive(Debug)]
struct Arriving {
    io: u32,
    pages: Range<u64>,
}

/// A file that a job reads through the page cache.
#[derive(Debug)]
pub(super) struct OpenFile {
    base: Sectors,
    size: Sectors,
    read_ahead: ReadAhead,
    /// Runs of pages in memory or on their way, as the latest reads made them; the newest is last.
    cached: VecDeque<Range<u64>>,
    runs_max: usize,
    /// The longest run: memory keeps what was read last.
    cached_max: u64,
    marked: Option<u64>,
    /// A page that was missed, and that the window read for it does not hold.
    alone: Option<u64>,
    arriving: Vec<Arriving>,
    /// What the filesystem reads at least, and whole: a page, or a record of ZFS.
    unit: u64,
    /// The I/Os that wait for pages.
    pub(super) waiting: VecDeque<u32>,
}

impl OpenFile {
    /// Returns a file on the sectors of `place`, of which memory holds `cached_max` pages at most,
    /// for a job that has up to `depth` reads under way.
    pub(super) fn new(
        place: Range<Sectors>,
        read_ahead: ReadAhead,
        cached_max: u64,
        depth: u32,
    ) -> Self {
        Self {
            base: place.start,
            size: place.end - place.start,
            read_ahead,
            cached: VecDeque::new(),
            runs_max: 2 * depth as usize + 2,
            cached_max,
            marked: None,
            alone: None,
            arriving: Vec::new(),
            unit: 1,
            waiting: VecDeque::new(),
        }
    }

    /// Puts the sectors of `place` into memory.
    pub(super) fn warm(&mut self, place: &Range<Sectors>) {
        let pages = self.pages(place.start, place.end - place.start);
        self.cached_max = self.cached_max.max(pages.end - pages.start);
        self.cached.push_back(pages);
    }

    /// Reads only whole units of `pages` pages.
    pub(super) fn read_whole(&mut self, pages: u64) {
        self.unit = pages;
    }

    /// Returns the run in memory that holds `page`.
    fn run_of(&self, page: u64) -> Option<&Range<u64>> {
        self.cached.iter().rev().find(|run| run.contains(&page))
    }

    /// Returns the pages of an I/O.
    pub(super) fn pages(&self, start: Sectors, length: Sectors) -> Range<u64> {
        let first = (start - self.base).get();
        first / PAGE..(first + length.get()).div_ceil(PAGE)
    }

    /// Returns the sectors of pages, up to the file's end.
    pub(super) fn sectors(&self, pages: &Range<u64>) -> Range<Sectors> {
        let at = |page: u64| self.base + Sectors::new((page * PAGE).min(self.size.get()));
        at(pages.start)..at(pages.end)
    }

    /// Returns what a read does that still needs the pages `left`.
    pub(super) fn next_step(&mut self, left: &Range<u64>) -> ReadStep {
        let first = left.start;
        let count = left.end - first;
        let Some(run) = self.run_of(first) else {
            if self.alone.take() == Some(first) {
                // `filemap_create_folio`.
                return ReadStep::Read(self.add_run(first..first + 1));
            }
            let before = self.run_of(first.wrapping_sub(1));
            let history = before.map_or(0, |run| first - run.start);
            let window = self.read_ahead.miss(first, count, history);
            self.alone = (!window.pages.contains(&first)).then_some(first);
            return match self.add(window) {
                Some(pages) => ReadStep::Read(pages),
                None => self.next_step(left),
            };
        };
        let in_memory = run.end;
        if self.marked == Some(first) {
            self.marked = None;
            let window = self.read_ahead.reach_mark(count);
            if let Some(pages) = self.add(window) {
                return ReadStep::Read(pages);
            }
        }
        let arriving = self.arriving.iter();
        let overlapping = arriving.filter(|read| read.pages.end > first);
        let awaited = overlapping.map(|read| read.pages.start.max(first)).min();
        if awaited == Some(first) {
            return ReadStep::Wait;
        }
        let marked = self.marked.filter(|mark| *mark > first);
        let ends = [awaited, marked, Some(in_memory)];
        ReadStep::Copy(ends.into_iter().flatten().fold(left.end, u64::min))
    }

    /// Adds a window; returns its pages, or `None` if it lies behind the file's end.
    fn add(&mut self, window: Window) -> Option<Range<u64>> {
        let window = window.within(self.size.get().div_ceil(PAGE))?;
        self.marked = window.marked;
        if self.unit == 1 {
            return Some(self.add_run(window.pages));
        }
        let Range { start, end } = window.pages;
        let start = start / self.unit * self.unit;
        let end = end.next_multiple_of(self.unit);
        let end = end.min(self.size.get().div_ceil(PAGE));
        // A unit that an earlier window has brought is not read again.
        let before = self.run_of(start).map_or(start, |run| run.end);
        let start = if before < end { before } else { start };
        Some(self.add_run(start..end))
    }

    /// Adds pages to the run that they continue, or as a new run.
    fn add_run(&mut self, pages: Range<u64>) -> Range<u64> {
        match self
            .cached
            .iter_mut()
            .rev()
            .find(|run| run.end == pages.start)
        {
            Some(run) => {
                let longest = self.cached_max.max(pages.end - pages.start);
                run.end = pages.end;
                run.start = run.start.max(pages.end.saturating_sub(longest));
            }
            None => {
                if self.cached.len() == self.runs_max {
                    self.cached.pop_front();
                }
                self.cached.push_back(pages.clone());
            }
        }
        pages
    }

    /// Notes that `io` reads `pages`.
    pub(super) fn expect(&mut self, io: u32, pages: Range<u64>) {
        self.arriving.push(Arriving { io, pages });
    }

    /// Notes that the pages that `io` read are in memory.
    pub(super) fn arrived(&mut self, io: u32) {
        self.arriving.retain(|read| read.io != io);
    }

    /// Notes the end of a read at `end`.
    pub(super) fn read_ended(&mut self, end: Sectors) {
        self.read_ahead.read_ended((end - self.base).get() / PAGE);
    }
}

#[cfg(test)]
#[path = "open_file_tests.rs"]
mod tests;
