//! The bitmap on the way of a write: its pages are written before the data.

use std::collections::VecDeque;

use stripewise_study::sample::Part;
use stripewise_units::Nanos;

use super::Simulation;
use super::host_io::{DURABLE, Stage};
use super::layers::LOGICAL_BLOCK;
use super::members::Owner;
use crate::io::{MemberBio, Operation};
use crate::units::{Instant, Sectors};

/// The place of the bitmap: before the data, so a disk's arm moves to the disk's start.
const BITMAP: Sectors = Sectors::new(16);

/// The tasks that write the bitmap themselves: one at a time.
#[derive(Debug, Default)]
pub(super) struct IntentWrites {
    is_writing: bool,
    /// What the next ones write, each with its I/O.
    waiting: VecDeque<(u32, MemberBio)>,
}

impl Simulation {
    /// Marks a write in the bitmap, as far as it can without waiting for a page, and begins its data
    /// once all of it is marked.
    ///
    /// The data of a piece is sent with the last piece here, not before the next one is marked: its
    /// task waits for each page anyway.
    pub(super) fn begin_marked(&mut self, io: u32, at: Instant) {
        let (job, length) = (self.ios[io].job, self.ios[io].length);
        let is_plugged = self.is_plugged(job, Operation::Write, length);
        let by_thread = self.layers.goes_to_thread(Operation::Write) && !is_plugged;
        let by_pieces = self.layers.marks_pieces(is_plugged);
        while self.layers.mark(at, &mut self.ios[io], by_pieces) {
            // If there is no page to write, another I/O is writing it already.
            if !by_thread && self.fill_bitmap_bios() > 0 {
                self.begin_bitmap(io, at);
                return;
            }
        }
        self.begin_data(io, at);
    }

    /// Writes the bitmap's pages in the task of a write, which sleeps until that is done; first until
    /// those of other tasks are written (`md_bitmap_unplug`, `md_bitmap_wait_writes`).
    fn begin_bitmap(&mut self, io: u32, at: Instant) {
        let job = self.ios[io].job;
        let sleeps = !self.is_kernel_task(job);
        self.jobs[job as usize].is_blocked |= sleeps;
        if self.intent.is_writing {
            self.ios[io].wait_since(at);
            let bios = self.bios.drain(..).map(|bio| (io, bio));
            self.intent.waiting.extend(bios);
            return;
        }
        self.intent.is_writing = true;
        self.send_bitmap(io, at);
    }

    /// Goes on with a write whose pages of the bitmap are written, and lets the next task write its
    /// own.
    pub(super) fn bitmap_is_written(&mut self, io: u32, at: Instant) {
        self.unblock(self.ios[io].job);
        self.begin_marked(io, at);
        let next = self.intent.waiting.front().map(|(io, _)| *io);
        self.intent.is_writing = next.is_some();
        let Some(next) = next else {
            return;
        };
        self.bios.clear();
        while let Some((_, bio)) = self.intent.waiting.pop_front_if(|(io, _)| *io == next) {
            self.bios.push(bio);
        }
        let woken = self.ios[next].resume_at(at) + self.costs.wake;
        self.ios[next].add_wait(Part::Bitmap, woken);
        self.send_bitmap(next, woken);
    }

    /// Sends the bios that write the bitmap's pages.
    fn send_bitmap(&mut self, io: u32, at: Instant) {
        self.ios[io].begin(Stage::Bitmap, at);
        let operation = Operation::Flush;
        let cpu = Nanos::new(self.bios.len() as u64 * self.costs.bio.as_u64());
        let end = self.cores.work(self.ios[io].job, at, cpu);
        self.send_through_plug(Owner::Io(io), at, end, operation);
    }

    /// Prepares bios that write the bitmap's dirty pages to every member; returns how many.
    pub(super) fn fill_bitmap_bios(&mut self) -> u32 {
        self.bios.clear();
        let mut pages = std::mem::take(&mut self.layers.bitmap_pages);
        if let Some(bitmap) = &mut self.layers.bitmap {
            bitmap.unplug(&mut pages);
        }
        for page in pages.drain(..) {
            self.add_bitmap_page(page);
        }
        self.layers.bitmap_pages = pages;
        u32::try_from(self.bios.len()).expect("members are few")
    }

    /// Adds bios that write a page of the bitmap to every member.
    fn add_bitmap_page(&mut self, page: u32) {
        let Some(bitmap) = &self.layers.bitmap else {
            return;
        };
        let (start, length) = bitmap.page_extent(page, LOGICAL_BLOCK);
        let start = BITMAP + Sectors::from_bytes(start);
        self.add_everywhere(
            Operation::Write,
            start,
            Sectors::from_bytes(length),
            DURABLE,
        );
    }

    /// Prepares bios that write the bitmap's first page to every member, if there is a bitmap;
    /// returns whether there is.
    pub(super) fn fill_first_bitmap_page(&mut self) -> bool {
        self.bios.clear();
        self.add_bitmap_page(0);
        !self.bios.is_empty()
    }
}
