//! The I/O scheduler of a member: which waiting request the device gets next.
//!
//! `none` hands on in order. `mq-deadline` (`dd_dispatch_request`, 6.1) serves batches of up to 16
//! requests (`fifo_batch`) by rising address, reads before writes, but writes after two batches of
//! reads (`writes_starved`). Its deadlines (0.5 s for reads, 5 s for writes) are not modelled: a closed
//! loop of jobs does not keep a request waiting that long.

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
    /// Returns the scheduler that sysfs calls `name`, if the model knows it.
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

/// Requests that wait for the device.
#[derive(Debug)]
pub(super) struct Scheduler {
    kind: Kind,
    waiting: VecDeque<Waiting>,
    direction: Operation,
    position: Sectors,
    in_batch: u32,
    read_batches: u32,
}

impl Scheduler {
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            kind,
            waiting: VecDeque::with_capacity(64),
            direction: Operation::Read,
            position: Sectors::default(),
            in_batch: BATCH,
            read_batches: 0,
        }
    }

    /// Takes a request that has to wait.
    pub(super) fn add(&mut self, waiting: Waiting) {
        self.waiting.push_back(waiting);
    }

    /// Returns the request that the device gets next, if one waits. Cost: O(1) in order, else
    /// linear in those that wait, which are at most as many as jobs have under way.
    #[inline]
    pub(super) fn take(&mut self) -> Option<u32> {
        if self.waiting.is_empty() {
            return None;
        }
        let index = match self.kind {
            Kind::InOrder => 0,
            Kind::Deadline => self.choose(),
        };
        let chosen = self.waiting.remove(index)?;
        self.position = chosen.start;
        Some(chosen.request)
    }

    fn choose(&mut self) -> usize {
        // Flushes do not wait for anything.
        let flush = |waiting: &Waiting| waiting.operation == Operation::Flush;
        if let Some(index) = self.waiting.iter().position(flush) {
            return index;
        }
        let has = |operation| self.waiting.iter().any(|w| w.operation == operation);
        let (reads, writes) = (has(Operation::Read), has(Operation::Write));
        let ends = self.in_batch >= BATCH || !has(self.direction);
        if ends {
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
        let candidates = self.waiting.iter().enumerate();
        let next = candidates
            .filter(|(_, waiting)| waiting.operation == self.direction)
            .min_by_key(|(_, waiting)| (waiting.start < self.position, waiting.start));
        next.map_or(0, |(index, _)| index)
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn names_are_those_of_sysfs() {
        assert_eq!(Kind::named("mq-deadline"), Some(Kind::Deadline));
        assert_eq!(Kind::named("none"), Some(Kind::InOrder));
        assert_eq!(Kind::named("bfq"), None);
    }
}
