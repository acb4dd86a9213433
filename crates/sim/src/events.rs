//! The event queue, ordered by (time, sequence).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::narrow::{low_u16, low_u32, low_u64};
use crate::units::Instant;

/// A scheduled event. Numbers are indices in the engine's slabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A job may issue its next I/O.
    JobReady(u32),
    /// A chain of requests leaves a plug.
    Dispatch(u32),
    /// A request is served.
    RequestDone(u32),
    /// An event-driven device has an event.
    DeviceReady(u16),
    /// A host I/O returns to its job.
    IoDone(u32),
    /// The thread of a parity array runs.
    ThreadRuns,
    /// A rebuild continues.
    Rebuild,
    /// A step of the failure script.
    Script(u32),
    /// The adapter reports the completions that it held back.
    Interrupt,
    /// The host sees a completion that the adapter reported.
    Reported(u32),
    /// An array may be marked clean.
    SafeMode,
    /// A stage of a host I/O ends without a request of its own.
    StageEnds(u32),
    /// A task goes on with a host I/O that slept within the kernel.
    Resumes(u32),
    /// A kernel worker runs, by its number among the tasks.
    WorkerRuns(u32),
    /// A flush reaches a device that has no volatile write cache.
    NothingToFlush(u32),
    /// A task has ended its work on a core, for which others wait.
    CoreFree,
    /// A job looks at its next completed I/O.
    JobReaps(u32),
    /// A transaction group is old enough to be written.
    TxgTimeout,
    /// A commit has waited long enough for others in its log block.
    LogTimeout(u32),
}

/// Bits of an index in a slab; there are never more objects in flight.
const PLACE_BITS: u32 = 24;
/// Bits of the kind of an event.
const KIND_BITS: u32 = 5;

impl Event {
    #[inline(always)]
    fn pack(self) -> u64 {
        let (kind, place) = match self {
            Event::JobReady(job) => (0, job),
            Event::Dispatch(request) => (1, request),
            Event::RequestDone(request) => (2, request),
            Event::DeviceReady(member) => (3, u32::from(member)),
            Event::IoDone(io) => (4, io),
            Event::ThreadRuns => (5, 0),
            Event::Rebuild => (6, 0),
            Event::Script(step) => (7, step),
            Event::Interrupt => (8, 0),
            Event::Reported(request) => (9, request),
            Event::SafeMode => (10, 0),
            Event::StageEnds(io) => (11, io),
            Event::NothingToFlush(request) => (12, request),
            Event::CoreFree => (13, 0),
            Event::Resumes(io) => (14, io),
            Event::WorkerRuns(task) => (15, task),
            Event::JobReaps(job) => (16, job),
            Event::TxgTimeout => (17, 0),
            Event::LogTimeout(io) => (18, io),
        };
        debug_assert!(place < 1 << PLACE_BITS, "too many objects are in flight");
        kind << PLACE_BITS | u64::from(place)
    }

    #[inline(always)]
    fn unpack(bits: u64) -> Self {
        let place = low_u32(bits & ((1 << PLACE_BITS) - 1));
        match (bits >> PLACE_BITS) & ((1 << KIND_BITS) - 1) {
            0 => Event::JobReady(place),
            1 => Event::Dispatch(place),
            2 => Event::RequestDone(place),
            3 => Event::DeviceReady(low_u16(place)),
            4 => Event::IoDone(place),
            5 => Event::ThreadRuns,
            6 => Event::Rebuild,
            7 => Event::Script(place),
            8 => Event::Interrupt,
            9 => Event::Reported(place),
            10 => Event::SafeMode,
            11 => Event::StageEnds(place),
            12 => Event::NothingToFlush(place),
            13 => Event::CoreFree,
            14 => Event::Resumes(place),
            15 => Event::WorkerRuns(place),
            16 => Event::JobReaps(place),
            17 => Event::TxgTimeout,
            _ => Event::LogTimeout(place),
        }
    }
}

/// Time, sequence and event in one number, so that comparison is cheap: 64 bits of time, 35 of
/// sequence, 5 of kind, 24 of place.
type Key = u128;

/// The events that are kept in order; more wait in a heap.
const NEAR: usize = 64;
/// The places for them: with room on either side, so that few events move when one is added.
const PLACES: usize = 2 * NEAR;

/// Pending events. Events of one instant happen in the order they were added.
///
/// The next events lie in order in a part of an array: most are added near one of its ends, where a
/// heap would compare and move an event at each of its levels.
#[derive(Debug)]
pub(crate) struct EventQueue {
    /// The next events, from `first` to `last`; then [`Key::MAX`].
    near: [Key; PLACES + 1],
    first: usize,
    last: usize,
    /// Events after all of these; none if these are none.
    far: BinaryHeap<Reverse<Key>>,
    sequence: u64,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self {
            near: [Key::MAX; PLACES + 1],
            first: PLACES / 2,
            last: PLACES / 2,
            far: BinaryHeap::with_capacity(NEAR),
            sequence: 0,
        }
    }
}

impl EventQueue {
    /// Adds an event. Cost: O(log n).
    ///
    /// The sequence has room for 3 * 10^10 events, more than a simulation may have.
    #[inline(always)]
    pub(crate) fn add(&mut self, at: Instant, event: Event) {
        self.sequence += 1;
        let low = self.sequence << (PLACE_BITS + KIND_BITS) | event.pack();
        self.add_key(Key::from(at.as_nanos()) << 64 | Key::from(low));
    }

    fn add_key(&mut self, key: Key) {
        if key < self.earliest() && self.first > 0 {
            self.first -= 1;
            self.near[self.first] = key;
            return;
        }
        let count = self.last - self.first;
        if count >= NEAR || !self.far.is_empty() {
            if key > self.near[self.last - 1] {
                self.far.push(Reverse(key));
                return;
            }
            if count >= NEAR {
                self.last -= 1;
                self.far.push(Reverse(self.near[self.last]));
                self.near[self.last] = Key::MAX;
            }
        }
        match key < self.near[self.first + count / 2] && self.first > 0 {
            true => self.insert_from_first(key),
            false => self.insert_from_last(key),
        }
    }

    /// Inserts an event, and moves those before it.
    #[inline]
    fn insert_from_first(&mut self, key: Key) {
        self.first -= 1;
        let mut at = self.first;
        while self.near[at + 1] < key {
            self.near[at] = self.near[at + 1];
            at += 1;
        }
        self.near[at] = key;
    }

    /// Inserts an event, and moves those after it.
    #[inline]
    fn insert_from_last(&mut self, key: Key) {
        if self.last == PLACES {
            self.centre();
        }
        self.last += 1;
        let mut at = self.last;
        self.near[at] = Key::MAX;
        while at - 1 > self.first && self.near[at - 2] > key {
            self.near[at - 1] = self.near[at - 2];
            at -= 1;
        }
        self.near[at - 1] = key;
    }

    /// Moves all near events to the middle.
    #[cold]
    fn centre(&mut self) {
        let first = (PLACES - (self.last - self.first)) / 2;
        self.near.copy_within(self.first..=self.last, first);
        self.last = first + (self.last - self.first);
        self.first = first;
    }

    /// Takes the earliest event.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<(Instant, Event)> {
        let next = self.earliest();
        if next == Key::MAX {
            return None;
        }
        self.first += 1;
        if self.first == self.last && !self.far.is_empty() {
            self.refill();
        }
        let event = Event::unpack(low_u64(next));
        Some((Instant::from_nanos(low_u64(next >> 64)), event))
    }

    /// Moves the next events from the heap to the array, which is empty.
    #[cold]
    fn refill(&mut self) {
        (self.first, self.last) = (NEAR / 2, NEAR / 2);
        while self.last < NEAR
            && let Some(Reverse(key)) = self.far.pop()
        {
            self.near[self.last] = key;
            self.last += 1;
        }
        self.near[self.last] = Key::MAX;
    }

    #[inline(always)]
    fn earliest(&self) -> Key {
        self.near[self.first]
    }

    /// Returns when the earliest event happens; [`Instant::NEVER`] without any.
    #[inline(always)]
    pub(crate) fn next_at(&self) -> Instant {
        Instant::from_nanos(low_u64(self.earliest() >> 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_out_by_time_then_in_the_order_they_were_added(
            steps in prop::collection::vec(prop::option::weighted(0.7, 0_u64..20), 1..1000),
        ) {
            let mut queue = EventQueue::default();
            let mut oracle: Vec<(u64, u32)> = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                let number = u32::try_from(number).expect("small");
                if let Some(at) = step {
                    queue.add(Instant::from_nanos(at), Event::JobReady(number));
                    oracle.push((at, number));
                    continue;
                }
                let soonest = oracle.iter().copied().min();
                oracle.retain(|entry| Some(*entry) != soonest);
                let expected = soonest
                    .map(|(at, number)| (Instant::from_nanos(at), Event::JobReady(number)));
                prop_assert_eq!(queue.take(), expected);
            }
        }
    }
}
