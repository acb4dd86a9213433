//! Records in order of time.
//!
//! Tracers write one buffer for each CPU, so records come a little out of order. They are held back
//! until one is [`WINDOW_NS`] younger than the oldest, or [`HELD_MAX`] are held. Records of the same time
//! come by the number of their CPU, and those of one CPU as it wrote them, so that the order of the
//! buffers in the file changes nothing. A record older than
//! what was already handed out is counted ([`SkipReason::OutOfOrder`]).
//!
//! A clock that jumps is damage in one record, or another trace in the same file (a second boot, files
//! of several CPUs one behind the other). So a record that is older than the youngest by more than the
//! window, or younger by more than [`FORWARD_NS_MAX`], is a suspect:
//!
//! - If [`SUSPECTS`] records in a row agree with each other, a new section begins with them. It
//!   continues at the time where the one before ended, and nothing of the one before is under way.
//! - If a record comes that fits the section, the suspects were damage, and are counted.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use crate::formats::Record;
use crate::skipped::{SkipReason, Skipped};

/// For how long records are held back.
pub(crate) const WINDOW_NS: u64 = 1_000_000_000;
/// How many records are held back at most.
pub(crate) const HELD_MAX: usize = 1 << 16;
/// The longest gap in a section: a day.
pub(crate) const FORWARD_NS_MAX: u64 = 86_400 * 1_000_000_000;
/// How many records in a row begin a new section.
const SUSPECTS: usize = 8;

/// A record, and the place it came at.
struct BufferedRecord {
    sequence: u64,
    record: Record,
}

impl BufferedRecord {
    fn key(&self) -> (u64, u32, u64) {
        (self.record.clock_ns, self.record.cpu, self.sequence)
    }
}

impl PartialEq for BufferedRecord {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for BufferedRecord {}

impl PartialOrd for BufferedRecord {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BufferedRecord {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// A record; its clock counts from the first one of the trace.
    Record(Record),
    /// A new section begins.
    Section,
}

/// Records that are held back.
#[derive(Default)]
pub(crate) struct Order {
    /// Records that came in order.
    queue: VecDeque<BufferedRecord>,
    /// Records that came late.
    late: BinaryHeap<Reverse<BufferedRecord>>,
    suspects: Vec<Record>,
    sequence: u64,
    /// The youngest clock of the section.
    newest: Option<u64>,
    /// The clock that was handed out last.
    handed_out: Option<u64>,
    /// The clock at which the section began, and the time that stands for.
    origin: Option<u64>,
    base_ns: u64,
    last_ns: u64,
    /// Records are handed out as the window says; before, everything is held.
    is_open: bool,
    /// All that is held is handed out.
    is_draining: bool,
    is_at_end: bool,
}

impl Order {
    /// Takes a record.
    #[inline]
    pub(crate) fn push(&mut self, record: Record, skipped: &mut Skipped) {
        let clock = record.clock_ns;
        let Some(newest) = self.newest else {
            return self.hold(record, skipped);
        };
        if fits(clock, newest) {
            if !self.suspects.is_empty() {
                self.drop_suspects(skipped);
            }
            return self.hold(record, skipped);
        }
        if self
            .suspects
            .last()
            .is_some_and(|last| !fits(clock, last.clock_ns))
        {
            self.drop_suspects(skipped);
        }
        self.suspects.push(record);
        if self.suspects.len() >= SUSPECTS {
            self.is_draining = true;
        }
    }

    fn drop_suspects(&mut self, skipped: &mut Skipped) {
        skipped.add_many(SkipReason::OutOfOrder, self.suspects.len() as u64);
        self.suspects.clear();
    }

    #[inline]
    fn hold(&mut self, record: Record, skipped: &mut Skipped) {
        let clock = record.clock_ns;
        if self.handed_out.is_some_and(|last| clock < last) {
            skipped.add(SkipReason::OutOfOrder);
            return;
        }
        self.newest = Some(self.newest.map_or(clock, |newest| newest.max(clock)));
        let held = BufferedRecord {
            sequence: self.sequence,
            record,
        };
        self.sequence += 1;
        match self.queue.back() {
            Some(last) if held < *last => self.late.push(Reverse(held)),
            _ => self.queue.push_back(held),
        }
    }

    /// Says that there are no more records.
    pub(crate) fn end(&mut self, skipped: &mut Skipped) {
        self.is_at_end = true;
        if !self.is_draining {
            self.drop_suspects(skipped);
        }
    }

    /// Returns whether enough is held to look at it before anything is handed out.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.is_at_end || self.is_draining || self.len() >= HELD_MAX
    }

    fn len(&self) -> usize {
        self.queue.len() + self.late.len()
    }

    /// Returns what is held, in no particular order.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Record> + Clone {
        let late = self.late.iter().map(|held| &held.0.record);
        self.queue.iter().map(|held| &held.record).chain(late)
    }

    /// Begins to hand out.
    pub(crate) fn open(&mut self) {
        self.is_open = true;
    }

    /// Returns what comes next; `None` if it may still change.
    #[inline]
    pub(crate) fn pop(&mut self, skipped: &mut Skipped) -> Option<Next> {
        if !self.is_open {
            return None;
        }
        let Some(oldest) = self.oldest() else {
            return self.next_section(skipped);
        };
        let newest = self.newest.unwrap_or(oldest);
        let is_due = newest - oldest > WINDOW_NS || self.len() >= HELD_MAX;
        if !(is_due || self.is_draining || self.is_at_end) {
            return None;
        }
        let mut record = self.take()?.record;
        let clock = record.clock_ns;
        self.handed_out = Some(clock);
        let origin = *self.origin.get_or_insert(clock);
        self.last_ns = self.base_ns.saturating_add(clock - origin);
        record.clock_ns = self.last_ns;
        Some(Next::Record(record))
    }

    #[inline]
    fn oldest(&self) -> Option<u64> {
        let queued = self.queue.front().map(|held| held.record.clock_ns);
        let late = self.late.peek().map(|held| held.0.record.clock_ns);
        match (queued, late) {
            (Some(queued), Some(late)) => Some(queued.min(late)),
            (queued, late) => queued.or(late),
        }
    }

    #[inline]
    fn take(&mut self) -> Option<BufferedRecord> {
        let is_late = match (self.queue.front(), self.late.peek()) {
            (Some(queued), Some(late)) => late.0 < *queued,
            (None, Some(_)) => true,
            _ => false,
        };
        if is_late {
            self.late.pop().map(|held| held.0)
        } else {
            self.queue.pop_front()
        }
    }

    /// Begins the next section with the suspects, if the section was to end.
    fn next_section(&mut self, skipped: &mut Skipped) -> Option<Next> {
        if !self.is_draining {
            return None;
        }
        self.is_draining = false;
        self.newest = None;
        self.handed_out = None;
        self.origin = None;
        self.base_ns = self.last_ns;
        for record in std::mem::take(&mut self.suspects) {
            self.hold(record, skipped);
        }
        Some(Next::Section)
    }
}

/// Returns whether a clock may follow another one in a section.
#[inline]
fn fits(clock: u64, newest: u64) -> bool {
    clock.saturating_add(WINDOW_NS) >= newest && clock.saturating_sub(newest) <= FORWARD_NS_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Action, DeviceId, Marks, ProcessId};
    use crate::formats::IoStep;

    fn record(clock_ns: u64) -> Record {
        Record {
            clock_ns,
            cpu: 0,
            step: IoStep::Whole { latency_ns: None },
            action: Action::Read,
            marks: Marks::default(),
            is_flush_request: false,
            offset_bytes: clock_ns,
            length_bytes: 512,
            device: DeviceId(0),
            process: ProcessId(0),
        }
    }

    /// Returns times and clocks as they come out, with a 0 before each new section.
    fn ordered(clocks: &[u64]) -> (Vec<(u64, u64)>, u64) {
        let mut order = Order::default();
        let mut skipped = Skipped::default();
        let mut out = Vec::new();
        let mut pop = |order: &mut Order, skipped: &mut Skipped| {
            while let Some(next) = order.pop(skipped) {
                out.push(match next {
                    Next::Record(record) => (record.clock_ns, record.offset_bytes),
                    Next::Section => (0, 0),
                });
            }
        };
        order.open();
        for clock in clocks {
            order.push(record(*clock), &mut skipped);
            pop(&mut order, &mut skipped);
        }
        order.end(&mut skipped);
        pop(&mut order, &mut skipped);
        (out, skipped.count(SkipReason::OutOfOrder))
    }

    const S: u64 = 1_000_000_000;

    #[test]
    fn late_records_are_put_in_order() {
        let (out, lost) = ordered(&[
            10 * S,
            10 * S + 5,
            10 * S + 2,
            10 * S + 2,
            12 * S,
            11 * S + 5,
        ]);
        let clocks: Vec<u64> = out.iter().map(|(_, clock)| *clock).collect();
        let expected = [
            10 * S,
            10 * S + 2,
            10 * S + 2,
            10 * S + 5,
            11 * S + 5,
            12 * S,
        ];
        assert_eq!((clocks, lost), (expected.to_vec(), 0));
        assert_eq!(out[0].0, 0);
        assert_eq!(out[5].0, 2 * S);
    }

    #[test]
    fn one_damaged_clock_is_counted() {
        let (out, lost) = ordered(&[10 * S, 11 * S, u64::MAX, 12 * S, 1, 13 * S]);
        assert_eq!((out.len(), lost), (4, 2));
        assert_eq!(out[3], (3 * S, 13 * S));
    }

    #[test]
    fn a_new_boot_begins_a_new_section() {
        let mut clocks: Vec<u64> = (100..120).map(|s| s * S).collect();
        clocks.extend((0..20).map(|s| s * S));
        let (out, lost) = ordered(&clocks);
        assert_eq!((out.len(), lost), (41, 0));
        assert_eq!(out[19].0, 19 * S);
        assert_eq!(out[21], (19 * S, 0), "it continues where the first ended");
        assert_eq!(out[40], (38 * S, 19 * S));
    }
}
