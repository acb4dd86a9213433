//! Beginnings and ends of I/Os, matched, in order of time, in bounded memory.
//!
//! Records come nearly in order: each processor has a buffer of its own. So a window of them is kept
//! sorted, and what comes later than the window is left out and counted. Which step is the beginning
//! of an I/O is decided when the window is full for the first time: where bios are queued, if the
//! trace has that, else where requests are inserted, else where they are issued.
//!
//! A request carries bios that were merged into it, and a bio may be split over several requests. So
//! an end is matched by place: whatever began there, on that device in that direction, and is covered
//! now, is done.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;
use stripewise_study::units::Nanos;

use crate::event::{Action, DeviceId, Event, ProcessId, TracedIo};
use crate::formats::{Record, Step};
use crate::skipped::{Skipped, Why};

/// The records that are kept sorted.
const WINDOW: usize = 1 << 16;
/// The most I/Os under way.
const UNDER_WAY_MAX: usize = 1 << 20;
/// The longest I/O, in bytes: none that began further before an end is looked for.
const IO_BYTES_MAX: u64 = 1 << 32;
/// The most I/Os that an end is compared with: thousands at one place are no real trace.
const LOOKED_AT_MAX: usize = 4096;
/// After this time an I/O that has not ended will not.
const ENDS_WITHIN_NS: u64 = 300_000_000_000;

/// Puts records in order and makes events of them.
#[derive(Debug, Default)]
pub(crate) struct Pairing {
    window: BinaryHeap<Reverse<(u64, u64, Waiting)>>,
    arrivals: u64,
    begins: Option<Step>,
    start_ns: Option<u64>,
    now_ns: u64,
    under_way: FxHashMap<(DeviceId, Action), BTreeMap<(u64, u64), Pending>>,
    pending: usize,
    /// Ends of I/Os whose latency was known at once.
    later: BinaryHeap<Reverse<(u64, u64, Done)>>,
    ready: VecDeque<Event>,
}

/// A record in the window; the order of equal times is that of arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Waiting(Record);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Done {
    began: u64,
    action: Action,
    device: DeviceId,
    process: ProcessId,
}

macro_rules! all_alike {
    ($kind:ty) => {
        // Time and arrival are compared before, and arrivals differ.
        impl PartialOrd for $kind {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
        impl Ord for $kind {
            fn cmp(&self, _other: &Self) -> std::cmp::Ordering {
                std::cmp::Ordering::Equal
            }
        }
    };
}
all_alike!(Waiting);
all_alike!(Done);

/// An I/O under way.
#[derive(Debug, Clone, Copy)]
struct Pending {
    began: u64,
    process: ProcessId,
    /// Its bytes that are not done.
    left: u64,
    length: u64,
}

impl Pairing {
    /// Takes a record.
    pub(crate) fn add(&mut self, record: Record, skipped: &mut Skipped) {
        self.arrivals += 1;
        let key = (record.clock_ns, self.arrivals, Waiting(record));
        self.window.push(Reverse(key));
        if self.window.len() > WINDOW {
            self.advance(skipped);
        }
    }

    /// Takes that there are no more records.
    pub(crate) fn finish(&mut self, skipped: &mut Skipped) {
        while !self.window.is_empty() {
            self.advance(skipped);
        }
        self.release(u64::MAX);
        skipped.add_many(Why::NeverEnded, self.pending as u64);
        self.pending = 0;
        self.under_way.clear();
    }

    /// Returns the next event.
    pub(crate) fn next(&mut self) -> Option<Event> {
        self.ready.pop_front()
    }

    /// Takes the earliest record out of the window.
    fn advance(&mut self, skipped: &mut Skipped) {
        let steps = || {
            self.window
                .iter()
                .map(|Reverse((_, _, waiting))| waiting.0.step)
        };
        if self.begins.is_none() {
            let known = [Step::Queue, Step::Insert, Step::Issue];
            let first = known
                .into_iter()
                .find(|step| steps().any(|other| other == *step));
            self.begins = Some(first.unwrap_or(Step::Queue));
        }
        let Some(Reverse((clock, _, Waiting(record)))) = self.window.pop() else {
            return;
        };
        let start = *self.start_ns.get_or_insert(clock);
        let Some(at) = clock.checked_sub(start).filter(|at| *at >= self.now_ns) else {
            skipped.add(Why::OutOfOrder);
            return;
        };
        self.now_ns = at;
        self.release(at);
        match record.step {
            Step::Whole { latency_ns } => self.whole(record, at, latency_ns),
            Step::Complete => self.end(&record, at, skipped),
            step if Some(step) == self.begins => self.begin(&record, at, skipped),
            Step::Queue | Step::Insert | Step::Issue => {}
        }
    }

    /// Hands out the ends that are due.
    fn release(&mut self, now: u64) {
        while let Some(Reverse((at, ..))) = self.later.peek()
            && *at <= now
            && let Some(Reverse((at, _, done))) = self.later.pop()
        {
            self.ready.push_back(done.event(at));
        }
    }

    fn whole(&mut self, record: Record, at: u64, latency_ns: Option<u64>) {
        self.ready.push_back(begin(&record, at));
        let Some(took) = latency_ns else { return };
        let done = Done {
            began: at,
            action: record.action,
            device: record.device,
            process: record.process,
        };
        self.later
            .push(Reverse((at.saturating_add(took), self.arrivals, done)));
        if self.later.len() > UNDER_WAY_MAX
            && let Some(Reverse((at, _, done))) = self.later.pop()
        {
            // The earliest is handed out before its time, rather than not at all.
            self.ready.push_back(done.event(at));
        }
    }

    fn begin(&mut self, record: &Record, at: u64, skipped: &mut Skipped) {
        self.ready.push_back(begin(record, at));
        if self.pending >= UNDER_WAY_MAX {
            self.forget_old(at, skipped);
        }
        if self.pending >= UNDER_WAY_MAX {
            skipped.add(Why::TooManyUnderWay);
            return;
        }
        let pending = Pending {
            began: at,
            process: record.process,
            left: record.length_bytes,
            length: record.length_bytes,
        };
        let places = self
            .under_way
            .entry((record.device, record.action))
            .or_default();
        self.arrivals += 1;
        places.insert((record.offset_bytes, self.arrivals), pending);
        self.pending += 1;
    }

    /// Forgets what has been under way for too long to end.
    fn forget_old(&mut self, now: u64, skipped: &mut Skipped) {
        let before: usize = self.under_way.values().map(BTreeMap::len).sum();
        for places in self.under_way.values_mut() {
            places.retain(|_, pending| now - pending.began <= ENDS_WITHIN_NS);
        }
        let after: usize = self.under_way.values().map(BTreeMap::len).sum();
        skipped.add_many(Why::NeverEnded, (before - after) as u64);
        self.pending = after;
    }

    fn end(&mut self, record: &Record, at: u64, skipped: &mut Skipped) {
        let (from, to) = (
            record.offset_bytes,
            record.offset_bytes.saturating_add(record.length_bytes),
        );
        let mut matched = false;
        if let Some(places) = self.under_way.get_mut(&(record.device, record.action)) {
            let first = (from.saturating_sub(IO_BYTES_MAX), 0);
            // An I/O without a length, such as a flush, is done by the next end at its place.
            let is_flush = record.length_bytes == 0;
            let last = (if is_flush { from } else { to - 1 }, u64::MAX);
            let mut done = Vec::new();
            for (place, pending) in places.range_mut(first..=last).rev().take(LOOKED_AT_MAX) {
                let end = place.0.saturating_add(pending.length);
                let covered = end.min(to).saturating_sub(place.0.max(from));
                if is_flush && pending.length == 0 {
                    done = vec![*place];
                } else if covered > 0 {
                    pending.left = pending.left.saturating_sub(covered);
                    matched = true;
                    if pending.left == 0 {
                        done.push(*place);
                    }
                } else if place.0.saturating_add(1 << 26) < from {
                    // Far before: nothing in a real trace is that long.
                    break;
                }
            }
            for place in done.into_iter().rev() {
                if let Some(pending) = places.remove(&place) {
                    self.pending -= 1;
                    matched = true;
                    let done = Done {
                        began: pending.began,
                        action: record.action,
                        device: record.device,
                        process: pending.process,
                    };
                    self.ready.push_back(done.event(at));
                }
            }
        }
        if !matched {
            skipped.add(Why::NeverBegan);
        }
    }
}

fn begin(record: &Record, at: u64) -> Event {
    Event::Begin(TracedIo {
        at: Nanos::new(at),
        action: record.action,
        marks: record.marks,
        offset_bytes: record.offset_bytes,
        length_bytes: record.length_bytes,
        device: record.device,
        process: record.process,
    })
}

impl Done {
    fn event(&self, at: u64) -> Event {
        Event::End {
            at: Nanos::new(at),
            action: self.action,
            began: Nanos::new(self.began),
            device: self.device,
            process: self.process,
        }
    }
}
