//! The event queue: what happens next, by (time, sequence).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::units::Instant;

/// What is to happen. Numbers are places in the engine's slabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A job may issue its next I/O.
    JobReady(u32),
    /// A chain of requests leaves a plug.
    Dispatch(u32),
    /// A request is served.
    RequestDone(u32),
    /// A device that keeps its own time has something to say.
    DeviceReady(u16),
    /// A host I/O returns to its job.
    IoDone(u32),
    /// The thread of a parity array runs.
    ThreadRuns,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scheduled {
    at: Instant,
    sequence: u64,
    event: Event,
}

/// Events that have not happened yet. Events of one instant happen in the order they were added.
///
/// The soonest event is kept beside the heap: at depth 1 the heap is then never touched.
#[derive(Debug, Default)]
pub struct EventQueue {
    front: Option<Scheduled>,
    rest: BinaryHeap<Reverse<Scheduled>>,
    sequence: u64,
}

impl EventQueue {
    /// Adds an event. Cost: O(log n).
    #[inline]
    pub fn add(&mut self, at: Instant, event: Event) {
        self.sequence += 1;
        let new = Scheduled {
            at,
            sequence: self.sequence,
            event,
        };
        match self.front {
            None => self.front = Some(new),
            Some(front) if new < front => {
                self.rest.push(Reverse(front));
                self.front = Some(new);
            }
            Some(_) => self.rest.push(Reverse(new)),
        }
    }

    /// Takes the soonest event.
    #[inline]
    pub fn take(&mut self) -> Option<(Instant, Event)> {
        let front = self.front.take()?;
        self.front = self.rest.pop().map(|next| next.0);
        Some((front.at, front.event))
    }

    /// Returns when the soonest event happens; [`Instant::NEVER`] without any.
    #[inline]
    pub fn next_at(&self) -> Instant {
        self.front.map_or(Instant::NEVER, |front| front.at)
    }
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
