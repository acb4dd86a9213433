//! A parity array and its thread (`raid5d`), which handles the stripes of all tasks.

use stripewise_units::Nanos;

use super::Simulation;
use super::host_io::Kind;
use super::layers::{METADATA_TAG, Mapping};
use super::members::{NONE, Owner};
use crate::array::parity::{Output, Parity};
use crate::events::Event;
use crate::io::{MemberBio, Operation};
use crate::units::{Instant, Sectors};

/// A parity array and its thread.
#[derive(Debug)]
pub(super) struct ParityArray {
    pub(super) parity: Parity,
    pub(super) out: Output,
    /// The tags in flight, by index.
    tags: Vec<Tag>,
    thread_scheduled: bool,
    /// The bios in the plug of a thread that lets another task run.
    plugged: Vec<MemberBio>,
    /// Bitmap pages are dirty and not on the members yet.
    pub(super) bitmap_dirty: bool,
    /// Members that have not written the bitmap's pages yet.
    bitmap_writes: u32,
}

impl ParityArray {
    pub(super) fn new(parity: Parity) -> Self {
        Self {
            parity,
            out: Output::default(),
            tags: Vec::new(),
            thread_scheduled: false,
            plugged: Vec::new(),
            bitmap_dirty: false,
            bitmap_writes: 0,
        }
    }
}

impl ParityArray {
    /// Makes `later` the successor of `earlier`, and returns whether there was none before.
    #[inline]
    pub(super) fn link(&mut self, earlier: u32, later: u32) -> bool {
        let next = &mut self.tags[tag_index(earlier)].next;
        let is_last = *next == NONE;
        if is_last {
            *next = later;
        }
        is_last
    }

    /// Returns the I/O that a bio in flight belongs to; [`NONE`] for a resync.
    pub(super) fn io_of(&self, tag: u32) -> u32 {
        self.tags.get(tag_index(tag)).map_or(NONE, |tag| tag.io)
    }

    /// Records a bio sent to a member, and returns the I/O it belongs to. `before` is the bio noted
    /// just before, and its I/O: bios of one stripe belong to the same one.
    #[inline(always)]
    pub(super) fn note(&mut self, tag: u32, before: Option<(u32, u32)>) -> u32 {
        let place = tag_index(tag);
        if place >= self.tags.len() {
            self.tags.resize(
                place + 1,
                Tag {
                    next: NONE,
                    io: NONE,
                },
            );
        }
        let io = match before {
            Some((other, io)) if self.parity.is_same_stripe(tag, other) => io,
            _ => self.parity.bio_of(tag).unwrap_or(NONE),
        };
        self.tags[place] = Tag { next: NONE, io };
        io
    }
}

/// A member bio of a parity array in flight.
#[derive(Debug, Clone, Copy)]
struct Tag {
    /// The next bio of the same request.
    next: u32,
    /// The host I/O it belongs to; [`NONE`] for a resync.
    io: u32,
}

/// Returns the index of a tag. Tags with the top bit belong to reads that bypass the cache; they
/// interleave with the others.
#[inline]
fn tag_index(tag: u32) -> usize {
    (tag.rotate_left(1)) as usize
}

impl Simulation {
    /// Schedules the thread of a parity array as soon as possible after `at`, if it has work.
    #[inline(always)]
    pub(super) fn wake_thread(&mut self, at: Instant) {
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return;
        };
        if array.thread_scheduled || !array.parity.thread_has_work() {
            return;
        }
        array.thread_scheduled = true;
        let at = self.cores.wakes_at(self.layers.thread, at);
        self.events.add(at, Event::ThreadRuns);
    }

    /// Runs the thread of an array; that of a parity array until it sleeps, and then it flushes its
    /// plug.
    pub(super) fn thread_runs(&mut self) {
        let now = self.now;
        let thread = self.layers.thread;
        if !self.runs_or_waits(thread, Event::ThreadRuns) {
            return;
        }
        let free = self.cores.free(thread);
        if free > now {
            // Interrupts have used its CPU since it was woken.
            self.events.add(free, Event::ThreadRuns);
            return;
        }
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            self.mirror_thread_runs();
            return;
        };
        array.thread_scheduled = false;
        let (costs, out) = (&self.costs, &mut array.out);
        out.bios.clear();
        if !array.plugged.is_empty() {
            std::mem::swap(&mut out.bios, &mut array.plugged);
        }
        out.finished.clear();
        out.admitted.clear();
        let mut cpu = 0;
        let mut writes_bitmap = false;
        let mut yields = false;
        let mut batches = 0;
        loop {
            batches += 1;
            let work = array.parity.run_thread(out);
            if work.stripes > 0 {
                let pages = (work.xored_bytes + work.syndrome_bytes) / 4096;
                cpu += u64::from(work.stripes) * costs.stripe.as_u64()
                    + pages * costs.xor_page.as_u64()
                    + work.copied_bytes / 4096 * costs.copy_page.as_u64();
            }
            writes_bitmap |= work.writes_bitmap;
            yields |= work.yields;
            if work.sleeps || work.writes_bitmap || work.yields {
                break;
            }
        }
        if yields {
            std::mem::swap(&mut array.plugged, &mut out.bios);
            self.let_others_run(cpu, batches);
            return;
        }
        cpu += out.bios.len() as u64 * costs.bio.as_u64();
        cpu += self.locks.wait_of_thread(now, batches).as_u64();
        let end = self.cores.work(thread, now, Nanos::new(cpu));
        let has_ended = !out.finished.is_empty() || !out.admitted.is_empty();
        let synced = std::mem::take(&mut out.synced);
        if !out.bios.is_empty() {
            std::mem::swap(&mut self.bios, &mut out.bios);
            self.note_parity_bios(end);
            self.send_through_plug(Owner::Parity, now, end, Operation::Write);
        }
        if has_ended {
            self.end_bios(end);
        }
        if synced > Sectors::default() {
            self.rebuilt(synced);
        }
        if writes_bitmap {
            self.write_parity_bitmap(end);
        }
        self.wake_thread(end);
    }

    /// Ends the bios that the thread has finished, and lets tasks go on that waited for the cache.
    #[inline(always)]
    fn end_bios(&mut self, at: Instant) {
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return;
        };
        let finished = std::mem::take(&mut array.out.finished);
        let admitted = std::mem::take(&mut array.out.admitted);
        for &io in &finished {
            self.io_bio_done(io, at, None);
        }
        for &io in &admitted {
            self.admitted(io);
        }
        if let Mapping::Parity(array) = &mut self.layers.mapping {
            array.out.finished = finished;
            array.out.admitted = admitted;
        }
    }

    /// Ends the bios that the thread has finished, and lets their tasks run before it goes on. Its
    /// own bios stay in its plug.
    fn let_others_run(&mut self, cpu: u64, batches: u64) {
        let now = self.now;
        let cpu = cpu + self.locks.wait_of_thread(now, batches).as_u64();
        let thread = self.layers.thread;
        let end = self.cores.work(thread, now, Nanos::new(cpu));
        self.end_bios(end);
        // Behind the tasks that were woken.
        let at = self.cores.free(thread) + self.wake_of(thread);
        if let Mapping::Parity(array) = &mut self.layers.mapping {
            array.thread_scheduled = true;
        }
        self.events.add(at, Event::ThreadRuns);
    }

    /// Writes the bitmap's dirty pages to all members; the thread waits for that.
    fn write_parity_bitmap(&mut self, at: Instant) {
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return;
        };
        if !std::mem::take(&mut array.bitmap_dirty) {
            array.parity.bitmap_written();
            return;
        }
        let bios = self.fill_bitmap_bios();
        let cpu = Nanos::new(u64::from(bios) * self.costs.bio.as_u64());
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return;
        };
        array.bitmap_writes = bios;
        if bios == 0 {
            array.parity.bitmap_written();
            return;
        }
        let end = self.cores.work(self.layers.thread, at, cpu);
        self.send_through_plug(Owner::Parity, at, end, Operation::Flush);
    }

    /// Completes a request on the CPU that submitted it (`blk_mq_complete_request`). For a read
    /// that bypasses the cache that is the job's CPU, and the function returns when it is done;
    /// else it is the thread's.
    #[inline(always)]
    fn complete_parity_request(&mut self, first_tag: u32) -> Option<Instant> {
        let (now, span) = (self.now, self.costs.completion);
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return None;
        };
        let is_bypass = first_tag != METADATA_TAG && Parity::is_bypass(first_tag);
        match is_bypass.then(|| array.io_of(first_tag)) {
            None | Some(NONE) => {
                self.cores.interrupt(self.layers.thread, now, span);
                None
            }
            Some(io) => Some(self.complete_on_job(io, now)),
        }
    }

    /// Completes a request of a parity array.
    #[inline(always)]
    pub(super) fn parity_request_done(&mut self, number: u32) {
        let now = self.now;
        let request = &self.requests[number];
        let (first_tag, parts, joined) = (request.first_tag, request.parts, request.joined);
        let completed = self.complete_parity_request(first_tag);
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return;
        };
        if first_tag == METADATA_TAG {
            array.bitmap_writes -= 1;
            if array.bitmap_writes == 0 {
                array.parity.bitmap_written();
            }
            self.wake_thread(now);
            return;
        }
        if parts == 0 {
            // The bio is done when its last part is.
            return;
        }
        self.parity_bios_done(number, completed);
        let mut at = joined;
        while at != NONE {
            self.parity_bios_done(at, completed);
            at = self.requests[at].joined;
        }
        self.wake_thread(now);
    }

    /// Completes the bios in the chain of tags of a request; `completed` is when the job's processor
    /// has taken the request.
    #[inline(always)]
    fn parity_bios_done(&mut self, number: u32, completed: Option<Instant>) {
        let now = self.now;
        let request = &self.requests[number];
        let (operation, last_tag) = (request.operation, request.last_tag);
        let has_failed = self.members[request.member.index()].has_failed;
        let mut tag = request.first_tag;
        loop {
            let Mapping::Parity(array) = &mut self.layers.mapping else {
                return;
            };
            let Tag { next, io } = array.tags[tag_index(tag)];
            let finished = match has_failed && operation == Operation::Read {
                true => array.parity.complete_failed(tag),
                false => array.parity.complete(tag),
            };
            if io != NONE {
                self.note_parity_done(io, operation, now);
            }
            if let Some(io) = finished {
                self.io_bio_done(io, now, completed);
            }
            if tag == last_tag {
                break;
            }
            tag = next;
        }
    }

    /// Records the bios that the thread of a parity array sends, for the I/Os that they serve.
    #[inline(always)]
    pub(super) fn note_parity_bios(&mut self, at: Instant) {
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return;
        };
        let mut before = None;
        for bio in &self.bios {
            let io = array.note(bio.tag, before);
            before = Some((bio.tag, io));
            if io == NONE {
                if let Some(rebuild) = &mut self.rebuild {
                    rebuild.note_bio(bio);
                }
                continue;
            }
            let times = &mut self.ios[io].parity;
            match bio.operation {
                Operation::Read => times.read_began = times.read_began.min(at),
                _ => times.write_began = times.write_began.min(at),
            }
        }
    }

    /// Records a completed request for an I/O on a parity array.
    pub(super) fn note_parity_done(&mut self, io: u32, operation: Operation, at: Instant) {
        let times = &mut self.ios[io].parity;
        match operation {
            Operation::Read => times.read_ended = at,
            _ => times.write_ended = at,
        }
    }

    /// Resumes the job whose I/O waited for the stripe cache.
    pub(super) fn admitted(&mut self, io: u32) {
        if self.ios[io].kind != Kind::Sync {
            self.unblock(self.ios[io].job);
        }
    }
}
