//! The I/O scheduler of a member: which waiting request the device gets next.
//!
//! `none` dispatches in order. `mq-deadline` (`__dd_dispatch_request`, 6.1) serves batches of up to
//! 16 requests (`fifo_batch`) by rising address, reads before writes, but writes after two batches
//! of reads (`writes_starved`). A batch ends before that where no higher address waits. The next
//! one of a direction continues behind its last request, or begins with the request that has waited
//! longest if there is none, or if that one has waited too long (0.5 s for reads, 5 s for writes).
//! Merging with waiting requests and I/O priorities are not modelled.

use std::collections::{BTreeMap, VecDeque};

use stripewise_profiles::kernel::DeadlineNext;
use stripewise_units::Nanos;

use crate::io::Operation;
use crate::units::{Instant, Sectors};

/// Requests of one batch (`fifo_batch`).
const BATCH: u32 = 16;
/// Batches of reads before writes are served (`writes_starved`).
const READ_BATCHES_MAX: u32 = 2;
/// How long a read waits at most before it begins the next batch of reads (`read_expire`).
const READ_EXPIRE: Nanos = Nanos::from_millis(500);
/// The same for writes (`write_expire`).
const WRITE_EXPIRE: Nanos = Nanos::from_millis(5000);

/// A scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `none`, `noop`: first come, first served.
    InOrder,
    /// `mq-deadline`, `deadline`.
    Deadline(DeadlineNext),
}

impl Kind {
    /// Returns the scheduler that sysfs calls `name`, if the model supports it; `next` is the
    /// kernel's rule.
    pub(super) fn named(name: &str, next: DeadlineNext) -> Option<Self> {
        match name {
            "none" | "noop" => Some(Kind::InOrder),
            "mq-deadline" | "deadline" => Some(Kind::Deadline(next)),
            _ => None,
        }
    }
}

/// A waiting request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) request: u32,
    pub(super) operation: Operation,
    pub(super) start: Sectors,
    /// When it began to wait.
    pub(super) since: Instant,
}

/// The place of a request among those of its direction: address, then order of arrival.
type Key = (Sectors, u64);

/// The waiting requests of one direction. A large I/O leaves thousands, so no step scans or moves all
/// of them.
#[derive(Debug, Default)]
struct Direction {
    /// By rising address (`sort_list`).
    sorted: BTreeMap<Key, u32>,
    /// In the order of arrival (`fifo_list`), with those that were served meanwhile.
    fifo: VecDeque<(Key, Instant)>,
    arrived: u64,
    /// Where the last request began (`latest_pos`).
    position: Sectors,
    /// The request that followed the last one by address (`next_rq`).
    successor: Option<Key>,
}

impl Direction {
    fn add(&mut self, waiting: Waiting, expires: Nanos) {
        let key = (waiting.start, self.arrived);
        self.arrived += 1;
        self.sorted.insert(key, waiting.request);
        self.fifo.push_back((key, waiting.since + expires));
    }

    fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Returns the first request at or behind `key`.
    fn from(&self, key: Key) -> Option<Key> {
        self.sorted.range(key..).next().map(|(key, _)| *key)
    }

    /// Returns the request that continues the direction (`deadline_next_request`).
    fn next(&self, rule: DeadlineNext) -> Option<Key> {
        match rule {
            DeadlineNext::AfterLast | DeadlineNext::AfterLastOfDirection => self.successor,
            DeadlineNext::FromPosition => self.from((self.position, 0)),
        }
    }

    /// Returns the request that has waited longest, and when it has waited too long.
    fn oldest(&mut self) -> Option<(Key, Instant)> {
        while let Some(first) = self.fifo.front().copied() {
            if self.sorted.contains_key(&first.0) {
                return Some(first);
            }
            self.fifo.pop_front();
        }
        None
    }

    /// Removes a request, and remembers where to continue (`deadline_move_request`).
    fn take(&mut self, key: Key) -> Option<u32> {
        self.position = key.0;
        let request = self.sorted.remove(&key);
        self.successor = self.from(key);
        request
    }
}

/// Requests that wait for the device.
#[derive(Debug)]
pub(super) struct Scheduler {
    kind: Kind,
    /// Requests served in the order of arrival: all, or flushes only.
    in_order: VecDeque<u32>,
    reads: Direction,
    writes: Direction,
    direction: Operation,
    in_batch: u32,
    read_batches: u32,
    /// The most requests that wait here or are at the device (`nr_requests`).
    requests_max: u32,
    /// Those that came when there were as many: the scheduler does not see them yet.
    outside: VecDeque<Waiting>,
}

impl Scheduler {
    pub(super) fn new(kind: Kind, requests_max: u32) -> Self {
        Self {
            requests_max,
            outside: VecDeque::new(),
            kind,
            in_order: VecDeque::with_capacity(64),
            reads: Direction::default(),
            writes: Direction::default(),
            direction: Operation::Read,
            in_batch: BATCH,
            read_batches: 0,
        }
    }

    /// Returns whether it sorts requests, and so gives out tags of its own; `none` does not.
    #[inline(always)]
    pub(super) const fn sorts(&self) -> bool {
        matches!(self.kind, Kind::Deadline(_))
    }

    /// Returns whether no request waits.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.in_order.is_empty()
            && self.outside.is_empty()
            && (!self.sorts() || (self.reads.is_empty() && self.writes.is_empty()))
    }

    /// Takes a request that has to wait, while `under_way` are at the device.
    pub(super) fn add(&mut self, waiting: Waiting, under_way: u32) {
        match (self.kind, waiting.operation) {
            (Kind::InOrder, _) | (Kind::Deadline(_), Operation::Flush) => {
                self.in_order.push_back(waiting.request);
            }
            _ if self.has_room(under_way) => self.sort(waiting),
            _ => self.outside.push_back(waiting),
        }
    }

    /// Returns whether the scheduler may hold one more request.
    fn has_room(&self, under_way: u32) -> bool {
        let held = self.reads.sorted.len() + self.writes.sorted.len();
        u32::try_from(held).is_ok_and(|held| held.saturating_add(under_way) < self.requests_max)
    }

    fn sort(&mut self, waiting: Waiting) {
        match waiting.operation {
            Operation::Read => self.reads.add(waiting, READ_EXPIRE),
            _ => self.writes.add(waiting, WRITE_EXPIRE),
        }
    }

    /// Lets in requests from outside, in the order in which they came.
    fn let_in(&mut self, under_way: u32, now: Instant) {
        while self.has_room(under_way)
            && let Some(waiting) = self.outside.pop_front()
        {
            self.sort(Waiting {
                since: now,
                ..waiting
            });
        }
    }

    /// Takes a request that goes before all others (`blk_mq_request_bypass_insert` at the head).
    pub(super) fn add_first(&mut self, request: u32) {
        self.in_order.push_front(request);
    }

    /// Notes a request that the device gets at once, because none waits: it counts towards a batch.
    #[inline(always)]
    pub(super) fn pass(&mut self, operation: Operation, start: Sectors) {
        let Kind::Deadline(rule) = self.kind else {
            return;
        };
        if operation == Operation::Flush {
            return;
        }
        let (reads, writes) = (&mut self.reads, &mut self.writes);
        let (own, other) = match operation {
            Operation::Read => (reads, writes),
            _ => (writes, reads),
        };
        let continues = rule == DeadlineNext::FromPosition
            && self.direction == operation
            && start >= own.position
            && self.in_batch < BATCH;
        own.position = start;
        own.successor = None;
        if rule == DeadlineNext::AfterLast {
            other.successor = None;
        }
        if continues {
            self.in_batch += 1;
            return;
        }
        self.direction = operation;
        self.in_batch = 1;
        if operation == Operation::Write {
            self.read_batches = 0;
        }
    }

    /// Returns the request that the device gets next at `now`, if one waits, while `under_way` are
    /// at the device.
    #[inline]
    pub(super) fn take(&mut self, now: Instant, under_way: u32) -> Option<u32> {
        if !self.outside.is_empty() {
            self.let_in(under_way, now);
        }
        // Flushes do not wait for anything.
        if let Some(first) = self.in_order.pop_front() {
            return Some(first);
        }
        match self.kind {
            Kind::InOrder => None,
            Kind::Deadline(rule) => self.choose(rule, now),
        }
    }

    fn choose(&mut self, rule: DeadlineNext, now: Instant) -> Option<u32> {
        let mut next = self.of_direction().next(rule);
        if next.is_none() || self.in_batch >= BATCH {
            self.direction = self.next_direction()?;
            let direction = self.of_direction();
            let oldest = direction.oldest();
            let has_expired = oldest.is_some_and(|(_, expires)| expires <= now);
            next = direction.next(rule).filter(|_| !has_expired);
            next = next.or(oldest.map(|(key, _)| key));
            self.in_batch = 0;
        }
        self.in_batch += 1;
        let request = self.of_direction().take(next?);
        if rule == DeadlineNext::AfterLast {
            self.other_direction().successor = None;
        }
        request
    }

    /// Chooses reads or writes for the next batch.
    fn next_direction(&mut self) -> Option<Operation> {
        let (reads, writes) = (!self.reads.is_empty(), !self.writes.is_empty());
        if !reads && !writes {
            return None;
        }
        let is_starved = writes && self.read_batches >= READ_BATCHES_MAX;
        if reads && !is_starved {
            self.read_batches += u32::from(writes);
            return Some(Operation::Read);
        }
        self.read_batches = 0;
        Some(Operation::Write)
    }

    fn of_direction(&mut self) -> &mut Direction {
        match self.direction {
            Operation::Read => &mut self.reads,
            _ => &mut self.writes,
        }
    }

    fn other_direction(&mut self) -> &mut Direction {
        match self.direction {
            Operation::Read => &mut self.writes,
            _ => &mut self.reads,
        }
    }
}

#[cfg(test)]
#[path = "scheduler_tests.rs"]
mod tests;
