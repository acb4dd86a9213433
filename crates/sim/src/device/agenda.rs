//! The pending events of one device, by (time, order of addition).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::units::Instant;

/// Events inside one device; the engine sees only the time of the next one.
#[derive(Debug)]
pub(super) struct Agenda<T> {
    heap: BinaryHeap<Reverse<(Instant, u64, T)>>,
    sequence: u64,
}

impl<T: Ord> Agenda<T> {
    /// Returns an empty agenda with room for `capacity` events.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            heap: BinaryHeap::with_capacity(capacity),
            sequence: 0,
        }
    }

    /// Adds an event; events of one instant happen in the order they were added.
    pub(super) fn add(&mut self, at: Instant, event: T) {
        self.sequence += 1;
        self.heap.push(Reverse((at, self.sequence, event)));
    }

    /// Takes the earliest event if it happens at `now` or before.
    pub(super) fn take_until(&mut self, now: Instant) -> Option<(Instant, T)> {
        if self.next_at() > now {
            return None;
        }
        self.heap.pop().map(|Reverse((at, _, event))| (at, event))
    }

    /// Returns when the earliest event happens; [`Instant::NEVER`] without any.
    pub(super) fn next_at(&self) -> Instant {
        self.heap
            .peek()
            .map_or(Instant::NEVER, |Reverse((at, _, _))| *at)
    }

    /// Returns how many events fit without allocation.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.heap.capacity()
    }
}
