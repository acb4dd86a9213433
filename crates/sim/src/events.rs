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
}

/// Bits of an index in a slab; there are never more objects in flight.
const PLACE_BITS: u32 = 24;
/// Bits of the kind of an event.
const KIND_BITS: u32 = 4;

impl Event {
    #[inline]
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
        };
        debug_assert!(place < 1 << PLACE_BITS, "too many objects are in flight");
        kind << PLACE_BITS | u64::from(place)
    }

    #[inline]
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
            _ => Event::Reported(place),
        }
    }
}

/// Time, sequence and event in one number, so that comparison is cheap: 64 bits of time, 36 of
/// sequence, 4 of kind, 24 of place.
type Key = u128;

/// Pending events. Events of one instant happen in the order they were added.
///
/// An event that is added as the earliest of all is kept outside of the heap, which many events
/// then never enter.
#[derive(Debug)]
pub(crate) struct EventQueue {
    /// [`Key::MAX`] if the earliest event is in the heap.
    front: Key,
    rest: BinaryHeap<Reverse<Key>>,
    sequence: u64,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self {
            front: Key::MAX,
            rest: BinaryHeap::with_capacity(64),
            sequence: 0,
        }
    }
}

impl EventQueue {
    /// Adds an event. Cost: O(log n).
    ///
    /// The sequence has room for 6 * 10^10 events, more than a simulation may have.
    #[inline]
    pub(crate) fn add(&mut self, at: Instant, event: Event) {
        self.sequence += 1;
        let low = self.sequence << (PLACE_BITS + KIND_BITS) | event.pack();
        let key = Key::from(at.as_nanos()) << 64 | Key::from(low);
        if key > self.earliest() {
            self.rest.push(Reverse(key));
            return;
        }
        let later = std::mem::replace(&mut self.front, key);
        if is_some(later) {
            self.rest.push(Reverse(later));
        }
    }

    /// Takes the earliest event.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(Instant, Event)> {
        let next = match is_some(self.front) {
            true => std::mem::replace(&mut self.front, Key::MAX),
            false => self.rest.pop()?.0,
        };
        let event = Event::unpack(low_u64(next));
        Some((Instant::from_nanos(low_u64(next >> 64)), event))
    }

    #[inline]
    fn earliest(&self) -> Key {
        match is_some(self.front) {
            true => self.front,
            false => self.rest.peek().map_or(Key::MAX, |next| next.0),
        }
    }

    /// Returns when the earliest event happens; [`Instant::NEVER`] without any.
    #[inline]
    pub(crate) fn next_at(&self) -> Instant {
        Instant::from_nanos(low_u64(self.earliest() >> 64))
    }
}

/// Returns whether a key is that of an event. Its time tells: no event is that late.
#[inline]
fn is_some(key: Key) -> bool {
    low_u64(key >> 64) != u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_out_by_time_then_in_the_order_they_were_added(
            steps in prop::collection::vec(prop::option::of(0_u64..20), 1..200),
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
