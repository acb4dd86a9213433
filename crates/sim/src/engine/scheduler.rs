//! The I/O scheduler of a member: which waiting request the device gets next.
//!
//! `none` dispatches in order. `mq-deadline` (`dd_dispatch_request`, 6.1) serves batches of up to
//! 16 requests (`fifo_batch`) by rising address, reads before writes, but writes after two batches
//! of reads (`writes_starved`). Its deadlines (0.5 s for reads, 5 s for writes) are not modelled:
//! in a closed loop of jobs no request waits that long.

use std::collections::VecDeque;

use crate::io::Operation;
use crate::units::Sectors;

/// Requests of one batch (`fifo_batch`).
const BATCH: u32 = 16;
/// Batches of reads before writes are served (`writes_starved`).
const READ_BATCHES_MAX: u32 = 2;

/// A scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `none`, `noop`: first come, first served.
    InOrder,
    /// `mq-deadline`, `deadline`.
    Deadline,
}

impl Kind {
    /// Returns the scheduler that sysfs calls `name`, if the model supports it.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "none" | "noop" => Some(Kind::InOrder),
            "mq-deadline" | "deadline" => Some(Kind::Deadline),
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
}

/// Requests that wait for the device. A large I/O leaves thousands, so no step scans all of them.
#[derive(Debug)]
pub(super) struct Scheduler {
    kind: Kind,
    /// Requests served in the order of arrival: all, or flushes only.
    in_order: VecDeque<Waiting>,
    reads: ByAddress,
    writes: ByAddress,
    direction: Operation,
    position: Sectors,
    in_batch: u32,
    read_batches: u32,
}

/// Waiting requests by rising address; equal ones in the order of arrival.
#[derive(Debug, Default)]
struct ByAddress(VecDeque<Waiting>);

impl ByAddress {
    /// Cost: O(log n) to find the place, and the shorter side of the queue moves; a sequential load
    /// has nothing there.
    fn add(&mut self, waiting: Waiting) {
        let place = self.0.partition_point(|one| one.start <= waiting.start);
        self.0.insert(place, waiting);
    }

    /// Takes the first at or after `position`, else the first of all.
    fn take(&mut self, position: Sectors) -> Option<Waiting> {
        let place = self.0.partition_point(|one| one.start < position);
        let place = if place < self.0.len() { place } else { 0 };
        self.0.remove(place)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Scheduler {
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            kind,
            in_order: VecDeque::with_capacity(64),
            reads: ByAddress::default(),
            writes: ByAddress::default(),
            direction: Operation::Read,
            position: Sectors::default(),
            in_batch: BATCH,
            read_batches: 0,
        }
    }

    /// Takes a request that has to wait.
    pub(super) fn add(&mut self, waiting: Waiting) {
        match (self.kind, waiting.operation) {
            (Kind::InOrder, _) | (Kind::Deadline, Operation::Flush) => {
                self.in_order.push_back(waiting);
            }
            (Kind::Deadline, Operation::Read) => self.reads.add(waiting),
            (Kind::Deadline, Operation::Write) => self.writes.add(waiting),
        }
    }

    /// Takes a request that goes before all others (`blk_mq_request_bypass_insert` at the head).
    pub(super) fn add_first(&mut self, waiting: Waiting) {
        self.in_order.push_front(waiting);
    }

    /// Returns the request that the device gets next, if one waits.
    #[inline]
    pub(super) fn take(&mut self) -> Option<u32> {
        // Flushes do not wait for anything.
        let chosen = match self.in_order.pop_front() {
            Some(first) => first,
            None => self.choose()?,
        };
        self.position = chosen.start;
        Some(chosen.request)
    }

    fn choose(&mut self) -> Option<Waiting> {
        let (reads, writes) = (!self.reads.is_empty(), !self.writes.is_empty());
        if !reads && !writes {
            return None;
        }
        let has_direction = match self.direction {
            Operation::Read => reads,
            _ => writes,
        };
        if self.in_batch >= BATCH || !has_direction {
            let starved = self.read_batches >= READ_BATCHES_MAX;
            self.direction = match (reads, writes) {
                (true, true) if starved => Operation::Write,
                (true, _) => Operation::Read,
                (false, _) => Operation::Write,
            };
            self.read_batches = match self.direction {
                Operation::Read if writes => self.read_batches + 1,
                _ => 0,
            };
            self.in_batch = 0;
        }
        self.in_batch += 1;
        match self.direction {
            Operation::Read => self.reads.take(self.position),
            _ => self.writes.take(self.position),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn served(kind: Kind, requests: &[(Operation, u64)]) -> Vec<u32> {
        let mut scheduler = Scheduler::new(kind);
        for (request, &(operation, start)) in (0_u32..).zip(requests) {
            scheduler.add(Waiting {
                request,
                operation,
                start: Sectors::new(start),
            });
        }
        std::iter::from_fn(|| scheduler.take()).collect()
    }

    #[test]
    fn without_a_scheduler_requests_keep_their_order() {
        let requests = [
            (Operation::Read, 9),
            (Operation::Write, 1),
            (Operation::Read, 5),
        ];
        assert_eq!(served(Kind::InOrder, &requests), [0, 1, 2]);
    }

    #[test]
    fn deadline_goes_up_and_serves_reads_first() {
        let requests = [
            (Operation::Write, 1),
            (Operation::Read, 9),
            (Operation::Read, 5),
            (Operation::Write, 0),
        ];
        assert_eq!(served(Kind::Deadline, &requests), [2, 1, 3, 0]);
    }

    #[test]
    fn writes_are_served_after_two_batches_of_reads() {
        let mut requests = vec![(Operation::Write, 3)];
        requests.extend((0..48).map(|start| (Operation::Read, start)));
        let served = served(Kind::Deadline, &requests);
        assert_eq!(served.iter().position(|&request| request == 0), Some(32));
    }

    /// The same rules in an obvious form: each step scans all waiting requests.
    #[derive(Default)]
    struct Oracle {
        waiting: Vec<Waiting>,
        position: Sectors,
        in_batch: Option<(Operation, u32)>,
        read_batches: u32,
    }

    impl Oracle {
        fn take(&mut self) -> Option<u32> {
            let index = self.choose()?;
            let chosen = self.waiting.remove(index);
            self.position = chosen.start;
            Some(chosen.request)
        }

        fn choose(&mut self) -> Option<usize> {
            let waiting = &self.waiting;
            let first = |operation| waiting.iter().position(|one| one.operation == operation);
            if let Some(flush) = first(Operation::Flush) {
                return Some(flush);
            }
            let reads = first(Operation::Read).is_some();
            let writes = first(Operation::Write).is_some();
            if !reads && !writes {
                return None;
            }
            let current_batch = self
                .in_batch
                .filter(|(direction, served)| *served < BATCH && first(*direction).is_some());
            let (direction, served) = current_batch.unwrap_or_else(|| {
                let starved = self.read_batches >= READ_BATCHES_MAX;
                let reads_now = reads && !(writes && starved);
                self.read_batches = if reads_now && writes {
                    self.read_batches + 1
                } else {
                    0
                };
                (
                    if reads_now {
                        Operation::Read
                    } else {
                        Operation::Write
                    },
                    0,
                )
            });
            self.in_batch = Some((direction, served + 1));
            let position = self.position;
            let candidates = self.waiting.iter().enumerate();
            candidates
                .filter(|(_, one)| one.operation == direction)
                .min_by_key(|(_, one)| (one.start < position, one.start))
                .map(|(index, _)| index)
        }
    }

    proptest! {
        #[test]
        fn deadline_serves_as_a_full_scan_does(
            steps in prop::collection::vec(prop::option::of((0_u8..9, 0_u64..40)), 1..400),
        ) {
            let (mut scheduler, mut oracle) = (Scheduler::new(Kind::Deadline), Oracle::default());
            for (request, step) in (0_u32..).zip(steps) {
                let Some((kind, start)) = step else {
                    prop_assert_eq!(scheduler.take(), oracle.take());
                    continue;
                };
                let operation = match kind {
                    0 => Operation::Flush,
                    1..=4 => Operation::Read,
                    _ => Operation::Write,
                };
                let waiting = Waiting { request, operation, start: Sectors::new(start) };
                scheduler.add(waiting);
                oracle.waiting.push(waiting);
            }
            while let Some(request) = oracle.take() {
                prop_assert_eq!(scheduler.take(), Some(request));
            }
            prop_assert_eq!(scheduler.take(), None);
        }
    }

    #[test]
    fn names_are_those_of_sysfs() {
        assert_eq!(Kind::named("mq-deadline"), Some(Kind::Deadline));
        assert_eq!(Kind::named("none"), Some(Kind::InOrder));
        assert_eq!(Kind::named("bfq"), None);
    }
}
