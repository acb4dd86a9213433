//! Beginnings and ends of I/Os, matched, in order of time, in bounded memory.
//!
//! # Where an I/O begins
//!
//! At the first step that its device has records of among the first 65,536: when its bio is
//! queued, else when its request is inserted, else when it is issued. The steps behind that one are not
//! read. A bio on a partition carries the number and the place of the whole disk in every kernel (the
//! `bio_dev` of include/linux/bio.h; `blk_partition_remap` runs first), so it needs no translation. With
//! native NVMe multipath, bios are queued on one device and done on another; they are not matched.
//!
//! # Where it ends
//!
//! A completion is of a request, which may hold several bios (merged), or a part of one (split). It ends
//! every I/O on the device, of the same kind, that lies inside it. Of one that lies partly inside it,
//! that part is done, and the I/O ends with its last part. Of several I/Os at the same place, the one
//! that began last ends first: if a completion was lost, only that one I/O is wrong.
//!
//! Flushes have no place. A bio that only flushes is queued as `FWS`, and done as `WS` without data;
//! in between, the block layer issues a flush of its own (`FF`) for one or more of them. If I/Os begin
//! where bios are queued, flushes are those bios; else they are those requests. Such a bio may carry
//! the place where its partition begins, or the place of the write that a device mapper took it from.
//! `blkparse` prints that where the bio is done, but not where it is queued.
//!
//! A write that flushes first (`FWS`), or one with FUA (`WFS`) on a device without it, is done twice:
//! its data, and then, without data, the whole sequence of flushes and data (block/blk-flush.c). If the
//! device does so among the first records, such a bio ends the second time.
//!
//! # Issued again
//!
//! A driver that is busy gives a request back, and it is issued again. The record of that (`R`) is
//! missing where only `block_rq_issue` and `block_rq_complete` were recorded, or with
//! `blktrace -a issue -a complete`. If most requests of a device that are issued twice are done once,
//! the second issue begins no I/O.
//!
//! # Bounds
//!
//! At most 65,536 I/Os are under way; one more, and the oldest is given up
//! ([`Why::TooManyUnderWay`]). One that is not done after five minutes is given up, too
//! ([`Why::NeverEnded`]): the kernel's own time limits for a request are shorter, and its end is lost.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet, VecDeque};

use stripewise_study::units::Nanos;

use crate::event::{Action, DeviceId, Event, Marks, ProcessId, TracedIo};
use crate::formats::{FormatName, Record, Step};
use crate::skipped::{Skipped, Why};

/// The most I/Os that are under way.
pub(crate) const UNDER_WAY_MAX: usize = 1 << 16;
/// The longest time that an I/O is under way: five minutes.
pub(crate) const UNDER_WAY_NS_MAX: u64 = 300 * 1_000_000_000;
/// The longest time after which a request is issued again: a second.
const ISSUED_AGAIN_NS_MAX: u64 = 1_000_000_000;
/// After so many more completions of its device, what is not done is never done.
const SETTLED: u64 = 16;
/// How many I/Os that begin before a completion are looked at.
const BEFORE_MAX: usize = 64;

/// The step at which I/Os begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Begins {
    /// When a bio reaches the device.
    Queue,
    /// When a request is inserted into the scheduler.
    Insert,
    /// When a request is handed to the driver.
    Issue,
    /// The trace has one record for each I/O.
    Whole,
}

/// Where an I/O under way is found: its device, its kind, its place, and the lower, the later it began.
type Key = (u32, u8, u64, u64);

struct UnderWay {
    length_bytes: u64,
    /// How much of it is not done.
    remaining_bytes: u64,
    began_ns: u64,
    process: ProcessId,
    action: Action,
    is_requeued: bool,
    /// It is done a second time, behind its data.
    is_done_twice: bool,
}

impl UnderWay {
    /// Takes what is done from it; returns whether it ends.
    #[inline]
    fn is_done_with(&mut self, bytes: u64) -> bool {
        self.remaining_bytes = self.remaining_bytes.saturating_sub(bytes);
        self.remaining_bytes == 0 && !self.is_done_twice
    }

    /// Returns its end.
    #[inline]
    fn ended(&self, now_ns: u64, key: Key) -> Event {
        Event::End {
            at: Nanos::new(now_ns),
            action: self.action,
            began: Nanos::new(self.began_ns),
            device: DeviceId(key.0),
            process: self.process,
        }
    }
}

/// What the first records say of a device.
#[derive(Debug, Clone, Copy, Default)]
struct Device {
    begins: Option<Begins>,
    /// Whether bios are done twice, by [`sequence_of`].
    done_twice: [bool; 4],
    /// Requests are issued again without a record that they came back.
    is_issued_again: bool,
}

/// Returns which sequence of flushes and data a bio is.
fn sequence_of(marks: Marks) -> usize {
    usize::from(marks.flushes_first) * 2 + usize::from(marks.is_fua)
}

/// The end of an I/O whose latency is known: when, and what else [`Event::End`] has.
type KnownEnd = (u64, u64, Action, u64, DeviceId, ProcessId);

/// Matches records.
pub(crate) struct Pairing {
    device_bytes: Option<u64>,
    /// Flushes have a place where they are done, but none where they begin.
    flushes_begin_without_place: bool,
    /// The devices of the first records, by their numbers.
    devices: Vec<Device>,
    /// The step of a device that comes later.
    begins_later: Begins,
    has_ends: bool,
    under_way: BTreeMap<Key, UnderWay>,
    /// Those under way, the oldest first, and some that are done.
    oldest: VecDeque<(u64, Key)>,
    /// No I/O that began is longer.
    longest_bytes: u64,
    /// Whether a driver gave any request back.
    has_requeued: bool,
    known_ends: BinaryHeap<Reverse<KnownEnd>>,
    sequence: u64,
    now_ns: u64,
    out: VecDeque<Event>,
}

/// The kind of a write.
const WRITE: u8 = 1;

/// Returns the kind of an I/O, as a part of its key. A flush of the block layer's is a kind of its own.
#[inline]
fn kind(record: &Record) -> u8 {
    match record.action {
        Action::Read => 0,
        Action::Write => WRITE,
        Action::Discard => 2,
        Action::Flush if record.is_flush_request => 3,
        Action::Flush => 4,
    }
}

fn begins_of(step: Step) -> Option<Begins> {
    match step {
        Step::Queue => Some(Begins::Queue),
        Step::Insert => Some(Begins::Insert),
        Step::Issue => Some(Begins::Issue),
        Step::Whole { .. } => Some(Begins::Whole),
        Step::Requeue | Step::Complete => None,
    }
}

/// Returns which sequences of flushes and data each device does twice: a write is queued with such
/// marks, and done without data at its place.
fn done_twice<'a>(records: impl Iterator<Item = &'a Record>) -> HashSet<(DeviceId, usize)> {
    let mut queued = HashMap::new();
    let mut found = HashSet::new();
    for record in records {
        let place = (record.device, record.offset_bytes);
        let sequence = sequence_of(record.marks);
        match (record.step, record.action) {
            (Step::Queue, Action::Write) if sequence > 0 => {
                queued.insert(place, sequence);
            }
            (Step::Complete, Action::Flush)
                if !record.is_flush_request && record.offset_bytes > 0 =>
            {
                let sequence = queued.get(&place);
                found.extend(sequence.map(|sequence| (record.device, *sequence)));
            }
            _ => {}
        }
    }
    found
}

/// How often a request was issued and done.
#[derive(Default)]
struct Issued {
    issued_at_ns: u64,
    issued: u32,
    done: u32,
    /// How many requests of its device were done when it was.
    done_of_device: u64,
}

impl Issued {
    /// Returns 1 if it was issued twice and done once, and -1 if it was done twice.
    fn weight(&self, done_of_device: u64) -> i64 {
        let is_settled = done_of_device >= self.done_of_device + SETTLED;
        match self.done {
            1 => i64::from(self.issued > 1 && is_settled),
            2.. => -1,
            0 => 0,
        }
    }
}

/// Returns the devices whose requests are issued again without a record that they came back.
fn issued_again<'a>(records: impl Iterator<Item = &'a Record>) -> HashSet<DeviceId> {
    let mut records: Vec<_> = records.collect();
    records.sort_by_key(|record| record.clock_ns);
    let mut requests: HashMap<_, Issued> = HashMap::new();
    // Of each device, how many requests are done, and the sum of weights.
    let mut devices: HashMap<DeviceId, (u64, i64)> = HashMap::new();
    for record in records {
        let place = (record.offset_bytes, record.length_bytes);
        let key = (record.device, kind(record), place);
        let device = devices.entry(record.device).or_default();
        match record.step {
            Step::Issue => {
                let request = requests.entry(key).or_default();
                let age_ns = record.clock_ns.saturating_sub(request.issued_at_ns);
                if request.done > 0 || age_ns > ISSUED_AGAIN_NS_MAX {
                    device.1 += request.weight(device.0);
                    *request = Issued::default();
                }
                request.issued_at_ns = record.clock_ns;
                request.issued += 1;
            }
            Step::Requeue => {
                requests.remove(&key);
            }
            Step::Complete => {
                device.0 += 1;
                let request = requests.entry(key).or_default();
                request.done += 1;
                request.done_of_device = device.0;
            }
            _ => {}
        }
    }
    for ((device, ..), request) in &requests {
        let device = devices.entry(*device).or_default();
        device.1 += request.weight(device.0);
    }
    let most = devices.into_iter().filter(|(_, (_, weights))| *weights > 0);
    most.map(|(device, _)| device).collect()
}

impl Pairing {
    /// Returns a pairing of a format's records, for a device of so many bytes, if that is known.
    pub(crate) fn new(format: FormatName, device_bytes: Option<u64>) -> Self {
        Self {
            device_bytes,
            flushes_begin_without_place: format == FormatName::Blkparse,
            devices: Vec::new(),
            begins_later: Begins::Issue,
            has_ends: false,
            under_way: BTreeMap::new(),
            oldest: VecDeque::new(),
            longest_bytes: 0,
            has_requeued: false,
            known_ends: BinaryHeap::new(),
            sequence: 0,
            now_ns: 0,
            out: VecDeque::new(),
        }
    }

    /// Decides from the first records where I/Os begin.
    pub(crate) fn decide<'a>(&mut self, records: impl Iterator<Item = &'a Record> + Clone) {
        let mut earliest = None;
        for record in records.clone() {
            let ends = match record.step {
                Step::Complete => true,
                Step::Whole { latency_ns } => latency_ns.is_some(),
                _ => false,
            };
            self.has_ends |= ends;
            let Some(begins) = begins_of(record.step) else {
                continue;
            };
            let at = &mut self.device_mut(record.device).begins;
            *at = Some(at.map_or(begins, |at| begins.min(at)));
            earliest = Some(earliest.map_or(begins, |earliest: Begins| earliest.min(begins)));
        }
        self.begins_later = earliest.unwrap_or(Begins::Issue);
        for (device, sequence) in done_twice(records.clone()) {
            self.device_mut(device).done_twice[sequence] = true;
        }
        for device in issued_again(records) {
            self.device_mut(device).is_issued_again = true;
        }
    }

    fn device_mut(&mut self, device: DeviceId) -> &mut Device {
        let index = usize::try_from(device.0).unwrap_or(usize::MAX);
        if self.devices.len() <= index {
            self.devices.resize(index + 1, Device::default());
        }
        &mut self.devices[index]
    }

    #[inline]
    fn device(&self, device: DeviceId) -> Device {
        let index = usize::try_from(device.0).unwrap_or(usize::MAX);
        self.devices.get(index).copied().unwrap_or_default()
    }

    /// Returns the step at which most I/Os begin.
    pub(crate) fn begins(&self) -> Begins {
        self.begins_later
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

    /// Takes the next record.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record, skipped: &mut Skipped) {
        self.now_ns = record.clock_ns;
        self.end_known(record.clock_ns);
        let begins = self.device(record.device).begins;
        let begins = begins.unwrap_or(self.begins_later);
        match record.step {
            Step::Whole { latency_ns } => self.whole(record, latency_ns, skipped),
            Step::Complete => self.complete(record, begins, skipped),
            Step::Requeue => {
                if let Some(under_way) = self.exact(record) {
                    under_way.is_requeued = true;
                    self.has_requeued = true;
                }
            }
            step => {
                // Requests that flush are never inserted.
                let begins = match begins {
                    Begins::Insert if record.is_flush_request => Begins::Issue,
                    begins => begins,
                };
                let is_other_flush = record.is_flush_request && begins == Begins::Queue;
                if begins_of(step) == Some(begins) && !is_other_flush {
                    self.begin(record, skipped);
                }
            }
        }
    }

    /// Returns whether a record is inside its device.
    #[inline]
    fn is_inside(&self, record: &Record, skipped: &mut Skipped) -> bool {
        let end = record.offset_bytes.checked_add(record.length_bytes);
        let is_inside = end.is_some_and(|end| self.device_bytes.is_none_or(|bytes| end <= bytes));
        if !is_inside {
            skipped.add(Why::BeyondDevice);
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
        if !self.is_inside(record, skipped) {
            return;
        }
        self.hand_out(record);
        let Some(latency_ns) = latency_ns else {
            return;
        };
        if self.known_ends.len() >= UNDER_WAY_MAX {
            skipped.add(Why::TooManyUnderWay);
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

    /// Returns the I/O under way that a record is of.
    fn exact(&mut self, record: &Record) -> Option<&mut UnderWay> {
        let (device, kind) = (record.device.0, kind(record));
        let low = (device, kind, record.offset_bytes, 0);
        let high = (device, kind, record.offset_bytes, u64::MAX);
        let found = self.under_way.range_mut(low..=high);
        found
            .map(|(_, under_way)| under_way)
            .find(|under_way| under_way.length_bytes == record.length_bytes)
    }

    #[inline]
    fn begin(&mut self, record: &Record, skipped: &mut Skipped) {
        if record.step == Step::Issue {
            let is_issued_again = self.device(record.device).is_issued_again;
            if (is_issued_again || self.has_requeued)
                && let Some(under_way) = self.exact(record)
            {
                let age_ns = record.clock_ns - under_way.began_ns;
                let is_again = is_issued_again && age_ns <= ISSUED_AGAIN_NS_MAX;
                if under_way.is_requeued || is_again {
                    under_way.is_requeued = false;
                    return;
                }
            }
        }
        if !self.is_inside(record, skipped) {
            return;
        }
        self.hand_out(record);
        if !self.has_ends {
            return;
        }
        self.give_up(record.clock_ns, skipped);
        self.sequence += 1;
        let later_first = u64::MAX - self.sequence;
        let key = (
            record.device.0,
            kind(record),
            record.offset_bytes,
            later_first,
        );
        let under_way = UnderWay {
            length_bytes: record.length_bytes,
            remaining_bytes: record.length_bytes,
            began_ns: record.clock_ns,
            process: record.process,
            action: record.action,
            is_requeued: false,
            is_done_twice: record.step == Step::Queue
                && self.device(record.device).done_twice[sequence_of(record.marks)],
        };
        self.longest_bytes = self.longest_bytes.max(record.length_bytes);
        self.under_way.insert(key, under_way);
        self.oldest.push_back((record.clock_ns, key));
    }

    /// Gives up I/Os that are too old or too many.
    #[inline]
    fn give_up(&mut self, now_ns: u64, skipped: &mut Skipped) {
        while let Some((began_ns, key)) = self.oldest.front() {
            let is_old = now_ns - *began_ns > UNDER_WAY_NS_MAX;
            if !is_old && self.under_way.len() < UNDER_WAY_MAX {
                break;
            }
            if self.under_way.remove(key).is_some() {
                skipped.add(if is_old {
                    Why::NeverEnded
                } else {
                    Why::TooManyUnderWay
                });
            }
            self.oldest.pop_front();
        }
        // Those that are done are looked for now and then: a look for each I/O takes longer.
        if self.oldest.len() > 2 * self.under_way.len() + 1024 {
            let under_way = &self.under_way;
            self.oldest.retain(|(_, key)| under_way.contains_key(key));
        }
    }

    #[inline]
    fn complete(&mut self, record: &Record, begins: Begins, skipped: &mut Skipped) {
        self.has_ends = true;
        if record.action == Action::Flush {
            return self.complete_flush(record, begins, skipped);
        }
        let Some(end) = record.offset_bytes.checked_add(record.length_bytes) else {
            skipped.add(Why::BeyondDevice);
            return;
        };
        let covered = self.end_before(record, end);
        let found = self.end_inside(record, covered, end);
        if !found && covered == record.offset_bytes {
            skipped.add(Why::NeverBegan);
        }
    }

    /// Takes what a completion did from an I/O that begins before it: the completion is of a part of
    /// that. Returns the end of this part.
    #[inline]
    fn end_before(&mut self, record: &Record, end: u64) -> u64 {
        let (device, kind, start) = (record.device.0, kind(record), record.offset_bytes);
        let first = start.saturating_sub(self.longest_bytes);
        let before = self
            .under_way
            .range_mut((device, kind, first, 0)..(device, kind, start, 0))
            .rev()
            .take(BEFORE_MAX)
            .find(|(key, under_way)| key.2 + under_way.length_bytes > start);
        let Some((key, under_way)) = before else {
            return start;
        };
        let covered = end.min(key.2 + under_way.length_bytes);
        if under_way.is_done_with(covered - start) {
            let key = *key;
            self.end(key);
        }
        covered
    }

    /// Takes what a completion did from the I/Os that begin inside it, from `covered` on; returns
    /// whether there are any.
    #[inline]
    fn end_inside(&mut self, record: &Record, mut covered: u64, end: u64) -> bool {
        let (device, kind, start) = (record.device.0, kind(record), record.offset_bytes);
        let mut found = false;
        let done = self.under_way.extract_if(
            (device, kind, start, 0)..(device, kind, end, 0),
            |key, under_way| {
                if key.2 < covered {
                    return false;
                }
                found = true;
                let from = key.2;
                covered = end.min(from + under_way.length_bytes);
                under_way.is_done_with(covered - from)
            },
        );
        for (key, under_way) in done {
            self.out.push_back(under_way.ended(self.now_ns, key));
        }
        found
    }

    fn complete_flush(&mut self, record: &Record, begins: Begins, skipped: &mut Skipped) {
        let start = record.offset_bytes;
        if let Some(key) = self.flush_at(record, start) {
            return self.end(key);
        }
        if !record.is_flush_request {
            if self.end_done_twice(record) {
                return;
            }
            if self.flushes_begin_without_place
                && let Some(key) = self.flush_at(record, 0)
            {
                return self.end(key);
            }
        }
        // Of the two kinds of flushes, only one is begun. One with a place is of a write whose end was
        // its data's.
        let is_ours = record.is_flush_request != (begins == Begins::Queue);
        if is_ours && start == 0 {
            skipped.add(Why::NeverBegan);
        }
    }

    /// Returns a flush under way at a place, of the kind of a record.
    fn flush_at(&self, record: &Record, place: u64) -> Option<Key> {
        let (device, kind) = (record.device.0, kind(record));
        let mut range = self
            .under_way
            .range((device, kind, place, 0)..=(device, kind, place, u64::MAX));
        range.next().map(|(key, _)| *key)
    }

    /// Ends a write whose data is done already; returns whether there is one.
    fn end_done_twice(&mut self, record: &Record) -> bool {
        let place = (record.device.0, WRITE, record.offset_bytes);
        let low = (place.0, place.1, place.2, 0);
        let high = (place.0, place.1, place.2, u64::MAX);
        let mut range = self.under_way.range(low..=high);
        let found = range.find(|(_, io)| io.is_done_twice && io.remaining_bytes == 0);
        let Some(key) = found.map(|(key, _)| *key) else {
            return false;
        };
        self.end(key);
        true
    }

    #[inline]
    fn end(&mut self, key: Key) {
        if let Some(under_way) = self.under_way.remove(&key) {
            self.out.push_back(under_way.ended(self.now_ns, key));
        }
    }

    /// Ends a section, or the trace: what is still under way never ends.
    pub(crate) fn finish(&mut self, skipped: &mut Skipped) {
        self.end_known(u64::MAX);
        skipped.add_many(Why::NeverEnded, self.under_way.len() as u64);
        self.under_way.clear();
        self.oldest.clear();
    }
}
