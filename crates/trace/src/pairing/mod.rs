//! Beginnings and ends of I/Os, matched, in order of time, in bounded memory.
//!
//! # Where an I/O begins
//!
//! At the earliest record that it has, each I/O by itself. Which records an I/O has differs within a
//! trace (block/blk-core.c, block/blk-mq.c, Linux 6.18):
//!
//! | step | record | who has it |
//! |---|---|---|
//! | queued | `Q`, `block_bio_queue` in `submit_bio_noacct_nocheck` | each bio, once: not again when it is split, or when a driver such as RAID 0 or NVMe multipath sends it on to another device (`BIO_TRACE_COMPLETION`) |
//! | entered | `G`, `block_getrq` in `blk_mq_submit_bio` | each bio, or each part of a split one, for which a request is made |
//! | merged | `M`, `F`, `block_bio_backmerge`, `block_bio_frontmerge` | each other one: it joins a request |
//! | accounted | `block_io_start` in `blk_account_io_start` | as entered |
//! | inserted | `I`, `block_rq_insert` in `blk_mq_insert_request` and the schedulers | a request that is not issued directly (`blk_mq_try_issue_directly`, `blk_mq_plug_issue_direct`) and flushes nothing |
//! | issued | `D`, `block_rq_issue` in `blk_mq_start_request` | each request |
//!
//! So each record behind the first one is looked for among the I/Os under way that lie in its range and
//! have not passed its step. A part of the range that is in none of them is an I/O of its own, and
//! begins here: its earlier records are missing, or there never were any. A request that grew in the
//! scheduler by a bio whose records are missing begins a second I/O for that part.
//!
//! Two requests of discards that are merged need not lie side by side (`blk_attempt_discard_merge`): a
//! record of them says only where the first one begins.
//!
//! A bio on a partition carries the number and the place of the whole disk in every kernel (the
//! `bio_dev` of include/linux/bio.h; `blk_partition_remap` runs first), so it needs no translation. A
//! remap (`A`) begins nothing, as its place may count from the partition's beginning. With native NVMe
//! multipath, bios are queued on one device, and their requests are on another.
//!
//! # Where it ends
//!
//! A completion is of a request, which may hold several bios (merged), or a part of one (split). It ends
//! every I/O on the device, of the same kind, that lies inside it. Of one that lies partly inside it,
//! that part is done, and the I/O ends with its last part. Of several I/Os at the same place, one that
//! was issued ends first, and of these the one that began last: if a completion was lost, only that one
//! I/O is wrong.
//!
//! Flushes have no place. A bio that only flushes is queued as `FWS`, and done as `WS` without data;
//! in between, the block layer issues a flush of its own (`FF`) for one or more of them (block/blk-flush.c).
//! An `FF` is a flush if no bio under way asks for one. Such a bio may carry
//! the place where its partition begins, or the place of the write that a device mapper took it from.
//! `blkparse` prints that where the bio is done, but not where it is queued.
//!
//! A write that flushes first (`FWS`), or one with FUA (`WFS`) on a device without it, is done twice:
//! its data, and then, without data, the whole sequence of flushes and data. If the
//! device does so among the first records, such a bio ends the second time.
//!
//! # Issued again
//!
//! A driver that is busy gives a request back (`R`, `block_rq_requeue` in `__blk_mq_requeue_request`), and
//! it is inserted or issued again. The record of that is
//! missing where only `block_rq_issue` and `block_rq_complete` were recorded, or with
//! `blktrace -a issue -a complete`. If most requests of a device that are issued twice are done once,
//! the second issue begins no I/O.
//!
//! # Bounds
//!
//! At most 65,536 I/Os are under way; one more, and the oldest is given up ([`SkipReason::NeverEnded`]). So is
//! one that is not done after five minutes: the kernel's own time limits for a request are shorter, and its
//! end is lost. Neither is counted for a device of which the trace has no ends at all. The same number of
//! I/Os whose latency is known are followed; the end of one more is left out ([`SkipReason::TooManyUnderWay`]).

mod first_records;
mod under_way;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use stripewise_units::Nanos;

use self::first_records::{ISSUED_AGAIN_NS_MAX, done_twice, issued_again, sequence_of};
use self::under_way::{Key, TrackId, Tracks, UnderWay};
use crate::event::{Action, DeviceId, Event, ProcessId, TracedIo};
use crate::formats::{FormatName, IoStep, Record};
use crate::skipped::{SkipReason, Skipped};

/// The most I/Os that are under way.
pub(crate) const UNDER_WAY_MAX: usize = 1 << 16;
/// The longest time that an I/O is under way: five minutes.
pub(crate) const UNDER_WAY_NS_MAX: u64 = 300 * 1_000_000_000;

/// How many steps an I/O takes before it is done, each with records of its own.
const STEPS: usize = 5;
/// The first of them: a bio is queued.
const QUEUE: usize = 0;
/// It enters a request.
const ENTER: usize = 1;
/// The request is accounted for.
const ACCOUNT: usize = 2;
/// It is inserted into the scheduler.
const INSERT: usize = 3;
/// It is handed to the driver.
const ISSUE: usize = 4;

/// The kind of a write.
const WRITE: usize = 1;
/// The kind of a flush that the block layer makes.
const FLUSH_REQUEST: usize = 3;
/// The kind of a bio that flushes.
const FLUSH_BIO: usize = 4;
/// How many kinds there are.
const KINDS: usize = 5;

/// Returns the kind of an I/O. A flush of the block layer's is a kind of its own.
#[inline]
fn kind(record: &Record) -> usize {
    match record.action {
        Action::Read => 0,
        Action::Write => WRITE,
        Action::Discard => 2,
        Action::Flush if record.is_flush_request => FLUSH_REQUEST,
        Action::Flush => FLUSH_BIO,
    }
}

#[inline]
fn track_of(device: DeviceId, kind: usize) -> TrackId {
    crate::numbers::index(u64::from(device.0)) * KINDS + kind
}

/// How many I/Os began at each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BeginCounts {
    /// When a bio reached the device.
    pub queued: u64,
    /// When a bio entered a request, or joined one.
    pub entered: u64,
    /// When a request was inserted into the scheduler.
    pub inserted: u64,
    /// When a request was handed to the driver.
    pub issued: u64,
    /// The trace has one record for the whole I/O.
    pub whole: u64,
}

/// What is known of a device.
#[derive(Debug, Clone, Copy, Default)]
struct Device {
    /// Whether bios are done twice, by [`sequence_of`].
    done_twice: [bool; 4],
    /// Requests are issued again without a record that they came back.
    is_issued_again: bool,
    /// The trace says when its I/Os are done.
    has_ends: bool,
    /// The trace says when its requests are issued.
    has_issues: bool,
    /// How many bios under way make the block layer flush.
    flushing: u32,
    /// A flush of the block layer's stood for the bios that asked for it.
    has_flush_requests: bool,
}

/// The end of an I/O whose latency is known: when, and what else [`Event::End`] has.
type KnownEnd = (u64, u64, Action, u64, DeviceId, ProcessId);

/// Matches records.
pub(crate) struct Pairing {
    device_bytes: Option<u64>,
    /// Flushes have a place where they are done, but none where they begin.
    flushes_begin_without_place: bool,
    devices: Vec<Device>,
    has_ends: bool,
    begins: BeginCounts,
    under_way: Tracks,
    known_ends: BinaryHeap<Reverse<KnownEnd>>,
    sequence: u64,
    now_ns: u64,
    out: VecDeque<Event>,
    /// Parts of a record's range that are in no I/O under way.
    gaps: Vec<(u64, u64)>,
    /// I/Os that end with a record.
    ended: Vec<Key>,
}

impl Pairing {
    /// Returns a pairing of a format's records, for a device of so many bytes, if that is known.
    pub(crate) fn new(format: FormatName, device_bytes: Option<u64>) -> Self {
        Self {
            device_bytes,
            flushes_begin_without_place: format.row().flushes_begin_without_place,
            devices: Vec::new(),
            has_ends: false,
            begins: BeginCounts::default(),
            under_way: Tracks::default(),
            known_ends: BinaryHeap::new(),
            sequence: 0,
            now_ns: 0,
            out: VecDeque::new(),
            gaps: Vec::new(),
            ended: Vec::new(),
        }
    }

    /// Learns the properties of each device from the first records.
    pub(crate) fn learn<'a>(&mut self, records: impl Iterator<Item = &'a Record> + Clone) {
        for record in records.clone() {
            match record.step {
                IoStep::Complete => {
                    self.has_ends = true;
                    self.device_mut(record.device).has_ends = true;
                }
                IoStep::Whole { latency_ns } => self.has_ends |= latency_ns.is_some(),
                _ => {}
            }
        }
        for (device, sequence) in done_twice(records.clone()) {
            self.device_mut(device).done_twice[sequence] = true;
        }
        for device in issued_again(records) {
            self.device_mut(device).is_issued_again = true;
        }
    }

    #[inline]
    fn device_mut(&mut self, device: DeviceId) -> &mut Device {
        let index = crate::numbers::index(u64::from(device.0));
        if self.devices.len() <= index {
            self.devices.resize(index + 1, Device::default());
        }
        &mut self.devices[index]
    }

    /// Returns how many I/Os began at each step.
    pub(crate) fn begins(&self) -> BeginCounts {
        self.begins
    }

    /// Returns whether the trace says when I/Os are done.
    pub(crate) fn has_ends(&self) -> bool {
        self.has_ends
    }

    /// Takes the next event.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Event> {
        self.out.pop_front()
    }

    /// Hands out the events so far.
    #[inline]
    pub(crate) fn hand_out_all(&mut self, each: &mut dyn FnMut(&Event)) {
        for event in &self.out {
            each(event);
        }
        self.out.clear();
    }

    /// Takes the next record.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record, skipped: &mut Skipped) {
        self.now_ns = record.clock_ns;
        self.end_known(record.clock_ns);
        let is_flush = record.action == Action::Flush;
        match record.step {
            IoStep::Whole { latency_ns } => self.whole(record, latency_ns, skipped),
            IoStep::Complete if is_flush => self.complete_flush(record, skipped),
            IoStep::Complete => self.complete(record, skipped),
            IoStep::Requeue => self.requeue(record),
            IoStep::Queue if is_flush => self.begin_all(record, QUEUE, skipped),
            IoStep::Issue if record.is_flush_request => self.issue_flush(record, skipped),
            _ if record.is_flush_request => {}
            // A bio that only flushes is no request, but for those that the block layer makes for it.
            IoStep::Enter | IoStep::Account if is_flush && !record.marks.flushes_first => {}
            IoStep::Merge | IoStep::Insert | IoStep::Issue if is_flush => {}
            IoStep::Queue => self.queue(record, skipped),
            IoStep::Enter => self.step(record, ENTER, skipped),
            IoStep::Merge => self.merge(record, skipped),
            IoStep::Account => self.step(record, ACCOUNT, skipped),
            IoStep::Insert => self.step(record, INSERT, skipped),
            IoStep::Issue => {
                self.device_mut(record.device).has_issues = true;
                self.step(record, ISSUE, skipped);
            }
        }
    }

    /// Returns whether a range is inside its device.
    #[inline]
    fn is_inside(&self, record: &Record, end: Option<u64>, skipped: &mut Skipped) -> bool {
        let is_inside = end.is_some_and(|end| self.device_bytes.is_none_or(|bytes| end <= bytes));
        if !is_inside {
            skipped.add_of(SkipReason::BeyondDevice, record.device);
        }
        is_inside
    }

    #[inline]
    fn hand_out(&mut self, record: &Record) {
        self.out.push_back(Event::Begin(TracedIo {
            at: Nanos::new(record.clock_ns),
            action: record.action,
            marks: record.marks,
            offset_bytes: record.offset_bytes,
            length_bytes: record.length_bytes,
            device: record.device,
            process: record.process,
        }));
    }

    #[inline]
    fn whole(&mut self, record: &Record, latency_ns: Option<u64>, skipped: &mut Skipped) {
        if !self.is_inside(record, end_of(record), skipped) {
            return;
        }
        self.begins.whole += 1;
        self.hand_out(record);
        let Some(latency_ns) = latency_ns else {
            return;
        };
        if self.known_ends.len() >= UNDER_WAY_MAX {
            skipped.add_of(SkipReason::TooManyUnderWay, record.device);
            return;
        }
        self.sequence += 1;
        self.known_ends.push(Reverse((
            record.clock_ns.saturating_add(latency_ns),
            self.sequence,
            record.action,
            record.clock_ns,
            record.device,
            record.process,
        )));
    }

    /// Hands out the known ends up to a time.
    #[inline]
    fn end_known(&mut self, until_ns: u64) {
        while let Some(Reverse(end)) = self.known_ends.peek()
            && end.0 <= until_ns
        {
            let (at, _, action, began, device, process) = *end;
            self.out.push_back(Event::End {
                at: Nanos::new(at),
                action,
                began: Nanos::new(began),
                device,
                process,
            });
            self.known_ends.pop();
        }
    }

    /// A bio is queued: it begins, unless the clock does not tell this from a later step of it.
    #[inline]
    fn queue(&mut self, record: &Record, skipped: &mut Skipped) {
        let Some(end) = end_of(record) else {
            return skipped.add_of(SkipReason::BeyondDevice, record.device);
        };
        let (now_ns, track) = (self.now_ns, track_of(record.device, kind(record)));
        let range = (record.offset_bytes, end);
        let track = self.under_way.track(track);
        // Nearly always, the clock tells.
        let began_now = track.last_began_ns() == now_ns
            && track
                .exact(range, |io| {
                    io.began_ns == now_ns && io.awaits(QUEUE, now_ns)
                })
                .is_some();
        if !began_now {
            self.begin_all(record, QUEUE, skipped);
        }
    }

    /// A bio joins a request: it passes a step as others do. In `blktrace`, `M` may be of two requests
    /// that become one (`attempt_merge` in block/blk-merge.c), whose bios have entered before.
    fn merge(&mut self, record: &Record, skipped: &mut Skipped) {
        let Some(end) = end_of(record) else {
            return;
        };
        let track = track_of(record.device, kind(record));
        let track = self.under_way.track(track);
        let is_unissued = |io: &UnderWay| io.passed_bytes[ISSUE] == 0;
        let in_request = track.exact((record.offset_bytes, end), is_unissued);
        if in_request.is_none_or(|(_, io)| io.passed_bytes[ENTER] < io.length_bytes) {
            self.step(record, ENTER, skipped);
        }
    }

    /// Takes a record of a bio or request behind its first step: what is not under way begins.
    #[inline]
    fn step(&mut self, record: &Record, step: usize, skipped: &mut Skipped) {
        let Some(end) = end_of(record) else {
            return skipped.add_of(SkipReason::BeyondDevice, record.device);
        };
        let range = (record.offset_bytes, end);
        let (now_ns, track_id) = (self.now_ns, track_of(record.device, kind(record)));
        let track = self.under_way.track(track_id);
        let bytes = record.length_bytes;
        if let Some((_, io)) = track.exact(range, |io| io.awaits(step, now_ns)) {
            return io.pass(step, bytes, now_ns);
        }
        if step >= INSERT && self.is_issued_again(record, range, step) {
            return;
        }
        if record.length_bytes == 0 {
            return self.begin(record, range, step, skipped);
        }
        let mut gaps = std::mem::take(&mut self.gaps);
        let track = self.under_way.track(track_id);
        track.cover(
            range,
            &mut gaps,
            |io| io.awaits(step, now_ns),
            |_, io, bytes| io.pass(step, bytes, now_ns),
        );
        // Of merged discards, the record only says where the first one begins.
        let is_known = gaps.first().is_none_or(|(from, _)| *from > range.0);
        if !(record.action == Action::Discard && is_known) {
            for (from, to) in &gaps {
                self.begin(record, (*from, *to), step, skipped);
            }
        }
        gaps.clear();
        self.gaps = gaps;
    }

    /// Returns whether a request came back unrecorded: it is inserted or issued, and has been issued.
    fn is_issued_again(&mut self, record: &Record, range: (u64, u64), step: usize) -> bool {
        if !self.device_mut(record.device).is_issued_again {
            return false;
        }
        let (now_ns, track) = (self.now_ns, track_of(record.device, kind(record)));
        let is_recent = |io: &UnderWay| now_ns - io.stepped_ns <= ISSUED_AGAIN_NS_MAX;
        let Some((_, io)) = self.under_way.track(track).exact(range, is_recent) else {
            return false;
        };
        io.come_back(step..STEPS, io.length_bytes);
        io.pass(step, io.length_bytes, now_ns);
        true
    }

    /// A driver gives a request back.
    fn requeue(&mut self, record: &Record) {
        let has_issues = self.device_mut(record.device).has_issues;
        let track = self.under_way.track(track_of(record.device, kind(record)));
        let Some(end) = end_of(record) else {
            return;
        };
        let range = (record.offset_bytes, end);
        if record.action == Action::Flush {
            if let Some((_, io)) = track.exact(range, |_| true) {
                io.is_requeued = true;
            }
            return;
        }
        let is_issued = |io: &UnderWay| !has_issues || io.passed_bytes[ISSUE] > 0;
        if let Some((_, io)) = track.exact(range, is_issued) {
            return io.come_back(INSERT..STEPS, record.length_bytes);
        }
        let mut gaps = std::mem::take(&mut self.gaps);
        track.cover(range, &mut gaps, is_issued, |_, io, bytes| {
            io.come_back(INSERT..STEPS, bytes);
        });
        gaps.clear();
        self.gaps = gaps;
    }

    /// The block layer flushes: for the bios under way that asked for it, or it is an I/O of its own.
    fn issue_flush(&mut self, record: &Record, skipped: &mut Skipped) {
        let device = *self.device_mut(record.device);
        if device.flushing > 0 {
            return;
        }
        let now_ns = self.now_ns;
        let track = self.under_way.track(track_of(record.device, FLUSH_REQUEST));
        let is_again = |io: &UnderWay| {
            let is_recent = now_ns - io.stepped_ns <= ISSUED_AGAIN_NS_MAX;
            io.is_requeued || (device.is_issued_again && is_recent)
        };
        if let Some((_, io)) = track.exact((0, 0), is_again) {
            (io.is_requeued, io.stepped_ns) = (false, now_ns);
            return;
        }
        self.device_mut(record.device).has_flush_requests = true;
        self.begin_all(record, ISSUE, skipped);
    }

    /// Begins the whole I/O of a record.
    #[inline]
    fn begin_all(&mut self, record: &Record, step: usize, skipped: &mut Skipped) {
        match end_of(record) {
            Some(end) => self.begin(record, (record.offset_bytes, end), step, skipped),
            None => skipped.add_of(SkipReason::BeyondDevice, record.device),
        }
    }

    /// Begins an I/O: the part of a record that lies in a range.
    #[inline]
    fn begin(&mut self, record: &Record, range: (u64, u64), step: usize, skipped: &mut Skipped) {
        if !self.is_inside(record, Some(range.1), skipped) {
            return;
        }
        let length_bytes = range.1 - range.0;
        let record = &Record {
            offset_bytes: range.0,
            length_bytes,
            ..*record
        };
        match step {
            QUEUE => self.begins.queued += 1,
            ENTER | ACCOUNT => self.begins.entered += 1,
            INSERT => self.begins.inserted += 1,
            _ => self.begins.issued += 1,
        }
        self.hand_out(record);
        self.give_up(skipped);
        let kind = kind(record);
        let marks = record.marks;
        let makes_flushes = step < INSERT
            && (kind == FLUSH_BIO || (kind == WRITE && (marks.flushes_first || marks.is_fua)));
        let device = self.device_mut(record.device);
        device.flushing += u32::from(makes_flushes);
        let is_done_twice = step < INSERT && device.done_twice[sequence_of(marks)];
        let mut passed_bytes = [0; STEPS];
        passed_bytes[..=step].fill(length_bytes.max(1));
        let io = UnderWay {
            length_bytes,
            remaining_bytes: length_bytes,
            began_ns: self.now_ns,
            stepped_ns: self.now_ns,
            passed_bytes,
            last_step: step,
            process: record.process,
            device: record.device,
            action: record.action,
            is_requeued: false,
            is_done_twice,
            makes_flushes,
        };
        let track = track_of(record.device, kind);
        self.under_way.insert(track, range.0, io);
    }

    /// Gives up I/Os that are too old or too many.
    #[inline]
    fn give_up(&mut self, skipped: &mut Skipped) {
        let now_ns = self.now_ns;
        loop {
            let is_full = self.under_way.count() >= UNDER_WAY_MAX;
            let is_due = |began_ns: u64| is_full || now_ns - began_ns > UNDER_WAY_NS_MAX;
            let Some(io) = self.under_way.remove_oldest(is_due) else {
                break;
            };
            self.note_removed(&io);
            if self.device_mut(io.device).has_ends {
                skipped.add_of(SkipReason::NeverEnded, io.device);
            }
        }
    }

    #[inline]
    fn note_removed(&mut self, io: &UnderWay) {
        if io.makes_flushes {
            self.device_mut(io.device).flushing -= 1;
        }
    }

    fn complete(&mut self, record: &Record, skipped: &mut Skipped) {
        self.has_ends = true;
        let device = self.device_mut(record.device);
        device.has_ends = true;
        let has_issues = device.has_issues;
        let Some(end) = end_of(record) else {
            skipped.add_of(SkipReason::BeyondDevice, record.device);
            return;
        };
        let range = (record.offset_bytes, end);
        let track_id = track_of(record.device, kind(record));
        let track = self.under_way.track(track_id);
        let is_open = |io: &UnderWay| io.remaining_bytes > 0;
        let is_issued = |io: &UnderWay| is_open(io) && io.passed_bytes[ISSUE] > 0;
        let key = match has_issues {
            true => track.exact(range, is_issued),
            false => track.exact(range, is_open),
        };
        if let Some((key, io)) = key {
            if io.is_done_with(record.length_bytes) {
                self.end(track_id, key);
            }
            return;
        }
        let (mut gaps, mut ended) = (
            std::mem::take(&mut self.gaps),
            std::mem::take(&mut self.ended),
        );
        let mut take = |key: Key, io: &mut UnderWay, bytes: u64| {
            if io.is_done_with(bytes) {
                ended.push(key);
            }
        };
        gaps.push(range);
        if has_issues {
            gaps.clear();
            track.cover(range, &mut gaps, is_issued, &mut take);
        }
        let mut unknown = Vec::new();
        for gap in gaps.drain(..) {
            track.cover(gap, &mut unknown, is_open, &mut take);
        }
        let is_unknown = unknown == [range];
        if is_unknown {
            skipped.add_of(SkipReason::NeverBegan, record.device);
        }
        for key in ended.drain(..) {
            self.end(track_id, key);
        }
        (self.gaps, self.ended) = (gaps, ended);
    }

    fn complete_flush(&mut self, record: &Record, skipped: &mut Skipped) {
        self.has_ends = true;
        self.device_mut(record.device).has_ends = true;
        let (place, kind) = (record.offset_bytes, kind(record));
        let track = track_of(record.device, kind);
        if let Some(key) = self.flush_at(track, place) {
            return self.end(track, key);
        }
        if kind == FLUSH_BIO {
            if self.end_done_twice(record) {
                return;
            }
            if self.flushes_begin_without_place
                && let Some(key) = self.flush_at(track, 0)
            {
                return self.end(track, key);
            }
        }
        let device = *self.device_mut(record.device);
        // A flush that the block layer made is of a bio under way, and a bio without a record of its
        // own is done behind the flush that stood for it. One with a place is of a write whose end was
        // its data's.
        let is_of_another = match kind {
            FLUSH_REQUEST => device.flushing > 0,
            _ => device.has_flush_requests || place > 0,
        };
        if !is_of_another {
            skipped.add_of(SkipReason::NeverBegan, record.device);
        }
    }

    /// Returns a flush under way at a place.
    fn flush_at(&mut self, track: TrackId, place: u64) -> Option<Key> {
        let found = self.under_way.track(track).exact((place, place), |_| true);
        found.map(|(key, _)| key)
    }

    /// Ends a write whose data is done already; returns whether there is one.
    fn end_done_twice(&mut self, record: &Record) -> bool {
        let track_id = track_of(record.device, WRITE);
        let track = self.under_way.track(track_id);
        let found = track.at(record.offset_bytes, |io| {
            io.is_done_twice && io.remaining_bytes == 0
        });
        let Some(key) = found else {
            return false;
        };
        self.end(track_id, key);
        true
    }

    #[inline]
    fn end(&mut self, track: TrackId, key: Key) {
        if let Some(io) = self.under_way.remove(track, key) {
            self.note_removed(&io);
            self.out.push_back(io.ended(self.now_ns));
        }
    }

    /// Ends a section, or the trace: what is still under way never ends.
    pub(crate) fn finish(&mut self, skipped: &mut Skipped) {
        self.end_known(u64::MAX);
        for device in &mut self.devices {
            device.flushing = 0;
        }
        for io in self.under_way.drain() {
            let device = crate::numbers::index(u64::from(io.device.0));
            if self.devices[device].has_ends {
                skipped.add_of(SkipReason::NeverEnded, io.device);
            }
        }
    }
}

/// Returns where an I/O ends; `None` if that does not fit into 64 bits.
#[inline]
fn end_of(record: &Record) -> Option<u64> {
    record.offset_bytes.checked_add(record.length_bytes)
}
