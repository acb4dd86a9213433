//! The thread of a mirror (`raid1d`, `raid10d`): sends the writes of tasks without a plug if there
//! is a bitmap.
//!
//! That is so from 6.5, where direct writes to a raw device have no plug, to 6.9; then every bio has
//! a plug of its own (`__submit_bio`). Such a write goes to `pending_bio_list` (`raid1_write_request`, `raid10_write_one_disk`). The
//! thread takes the whole list, writes the bitmap's dirty pages, waits for them, and sends the
//! writes under one plug (`flush_pending_writes`). Meanwhile others come onto the list.

use stripewise_study::sample::Part;
use stripewise_units::Nanos;

use super::Simulation;
use super::members::Owner;
use crate::events::Event;
use crate::io::{MemberBio, Operation};
use crate::units::Instant;

/// The thread of a mirror.
#[derive(Debug, Default)]
pub(super) struct MirrorThread {
    is_scheduled: bool,
    /// Writes, each with its I/O, that it has not taken yet.
    pending: Vec<(u32, MemberBio)>,
    /// Those it has taken.
    taken: Vec<(u32, MemberBio)>,
    /// Writes of the bitmap that it waits for.
    bitmap_writes: u32,
}

impl Simulation {
    /// Gives `self.bios` of an I/O to the thread at `at`.
    pub(super) fn give_to_thread(&mut self, io: u32, at: Instant) {
        self.steps += self.bios.len() as u64;
        self.totals.bios_sent += self.bios.len() as u64;
        let thread = &mut self.mirror_thread;
        thread
            .pending
            .extend(self.bios.iter().map(|bio| (io, *bio)));
        if thread.bitmap_writes == 0 {
            self.schedule_mirror_thread(at + self.wake_of(self.layers.thread));
        }
    }

    fn schedule_mirror_thread(&mut self, at: Instant) {
        let thread = &mut self.mirror_thread;
        if !thread.is_scheduled {
            thread.is_scheduled = true;
            let at = self.cores.wakes_at(self.layers.thread, at);
            self.events.add(at, Event::ThreadRuns);
        }
    }

    /// Takes all writes; sends them, or the bitmap's pages first.
    pub(super) fn mirror_thread_runs(&mut self) {
        let now = self.now;
        let thread = &mut self.mirror_thread;
        thread.is_scheduled = false;
        if thread.taken.is_empty() {
            std::mem::swap(&mut thread.pending, &mut thread.taken);
            if thread.taken.is_empty() {
                return;
            }
            let pages = self.fill_bitmap_bios();
            if pages > 0 {
                let cpu = Nanos::new(u64::from(pages) * self.costs.bio.as_u64());
                let end = self.cores.work(self.layers.thread, now, cpu);
                self.mirror_thread.bitmap_writes = pages;
                self.send_through_plug(Owner::Bitmap, now, end, Operation::Flush);
                return;
            }
        }
        let end = self.send_taken(now);
        if !self.mirror_thread.pending.is_empty() {
            self.schedule_mirror_thread(end);
        }
    }

    /// Completes a write of the bitmap; the thread continues after the last one.
    pub(super) fn bitmap_written(&mut self) {
        let (now, span) = (self.now, self.costs.completion);
        self.cores.interrupt(self.layers.thread, now, span);
        let thread = &mut self.mirror_thread;
        thread.bitmap_writes -= 1;
        if thread.bitmap_writes == 0 {
            self.schedule_mirror_thread(self.now + self.wake_of(self.layers.thread));
        }
    }

    /// Sends the writes that it has taken under one plug; returns when that is done.
    fn send_taken(&mut self, now: Instant) -> Instant {
        let mut taken = std::mem::take(&mut self.mirror_thread.taken);
        let count = taken.len() as u64;
        let span = count * self.costs.bio.as_u64();
        let end = self.cores.work(self.layers.thread, now, Nanos::new(span));
        let mut before = None;
        for (index, (io, bio)) in (1_u64..).zip(&taken) {
            if before != Some(*io) {
                self.ios[*io].waited_for_thread(Part::Bitmap, now);
                before = Some(*io);
            }
            let at = now + Nanos::new(span * index / count);
            self.plug_bio(Owner::Io(*io), bio, at);
        }
        self.end_plug(end);
        taken.clear();
        self.mirror_thread.taken = taken;
        end
    }
}
