//! The queue of one device: how many I/Os of each class it has at once.
//!
//! First each class gets its minimum, in turns; then the classes in their order get more, up to
//! their maximum. Source: `vdev_queue_class_to_issue` and `vdev_queue_max_async_writes` in
//! `vdev_queue.c`, with the defaults of its parameters. The limit of all classes together,
//! `zfs_vdev_max_active`, is 1000 and never reached by these classes.

use std::collections::VecDeque;

use crate::units::Sectors;

/// A class of I/Os, in the order of `zio_priority_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A program waits for the read.
    SyncRead,
    /// A program waits for the write: the intent log.
    SyncWrite,
    /// A read ahead of a program.
    AsyncRead,
    /// A write of a transaction group.
    AsyncWrite,
}

const CLASSES: usize = 4;
const MIN_ACTIVE: [u64; CLASSES] = [10, 10, 1, 2];
const MAX_ACTIVE: [u64; CLASSES] = [10, 10, 3, ASYNC_WRITES_MAX];
const ASYNC_WRITES_MIN: u64 = 2;
const ASYNC_WRITES_MAX: u64 = 10;
/// Percent of the dirty limit up to which the fewest, and from which the most writes are active
/// (`zfs_vdev_async_write_active_min_dirty_percent` and its sibling).
const DIRTY_MIN: u64 = 30;
const DIRTY_MAX: u64 = 60;

/// Returns how many writes of transaction groups a device has at once while `dirty` of `most` bytes
/// are dirty.
pub(crate) fn async_writes(dirty: u64, most: u64) -> u64 {
    let (low, high) = (most / 100 * DIRTY_MIN, most / 100 * DIRTY_MAX);
    if dirty > high {
        return ASYNC_WRITES_MAX;
    }
    if dirty < low {
        return ASYNC_WRITES_MIN;
    }
    (dirty - low) * (ASYNC_WRITES_MAX - ASYNC_WRITES_MIN) / (high - low).max(1) + ASYNC_WRITES_MIN
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct VdevQueue {
    waiting: [VecDeque<(u32, Sectors)>; CLASSES],
    active: [u64; CLASSES],
    /// The class that issued last, for turns, and the place up to which it got.
    last: usize,
    position: Sectors,
}

impl VdevQueue {
    /// Adds a request.
    pub(crate) fn add(&mut self, class: Class, request: u32, start: Sectors) {
        self.waiting[class as usize].push_back((request, start));
    }

    /// Returns the next request that the device may have.
    pub(crate) fn next(&mut self, async_writes: u64) -> Option<u32> {
        let class = self.class(async_writes)?;
        let waiting = &mut self.waiting[class];
        // Programs are served in their order, the others by ascending address.
        let place = match class {
            0 | 1 => 0,
            _ => next_place(waiting, self.position),
        };
        let (request, start) = waiting.remove(place)?;
        self.position = start;
        self.active[class] += 1;
        self.last = class;
        Some(request)
    }

    fn class(&self, async_writes: u64) -> Option<usize> {
        let waits = |class: &usize| !self.waiting[*class].is_empty();
        let turns = (1..=CLASSES).map(|turn| (self.last + turn) % CLASSES);
        let mut below_least = turns.filter(|class| self.active[*class] < MIN_ACTIVE[*class]);
        let most = |class: usize| match class {
            3 => async_writes.min(MAX_ACTIVE[3]),
            class => MAX_ACTIVE[class],
        };
        below_least.find(waits).or_else(|| {
            (0..CLASSES).find(|class| waits(class) && self.active[*class] < most(*class))
        })
    }

    /// Ends a request.
    pub(crate) fn done(&mut self, class: Class) {
        self.active[class as usize] -= 1;
    }
}

/// Returns the place of the nearest request from `position` on, or else of the first of all.
fn next_place(waiting: &VecDeque<(u32, Sectors)>, position: Sectors) -> usize {
    let key = |(_, (_, start)): &(usize, &(u32, Sectors))| (*start < position, *start);
    let next = waiting.iter().enumerate().min_by_key(key);
    next.map_or(0, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_grow_with_the_dirty_data() {
        let writes = [0, 29, 30, 45, 60, 61, 100].map(|dirty| async_writes(dirty, 100));
        assert_eq!(writes, [2, 2, 2, 6, 10, 10, 10]);
    }

    #[test]
    fn a_device_never_has_more_of_a_class_than_allowed_and_none_is_starved() {
        let mut queue = VdevQueue::default();
        let classes = [
            Class::SyncRead,
            Class::SyncWrite,
            Class::AsyncRead,
            Class::AsyncWrite,
        ];
        for (number, class) in (0_u32..).zip(classes) {
            for n in 0..50 {
                queue.add(class, number * 100 + n, Sectors::new(u64::from(49 - n)));
            }
        }
        while queue.next(4).is_some() {}
        assert_eq!(queue.active, [10, 10, 3, 4]);
        for _ in 0..3 {
            queue.done(Class::AsyncWrite);
        }
        assert!(
            queue.next(2).is_some_and(|request| request >= 300),
            "below its minimum"
        );
        queue.done(Class::SyncRead);
        assert_eq!(queue.next(2), Some(10), "in its order");
        assert_eq!(queue.next(2), None);
    }

    #[test]
    fn writes_go_by_address_and_reads_in_their_order() {
        let mut queue = VdevQueue::default();
        for (request, start) in [(1, 30), (2, 10), (3, 20)] {
            queue.add(Class::AsyncWrite, request, Sectors::new(start));
        }
        let writes = [queue.next(10), queue.next(10), queue.next(10)];
        assert_eq!(writes, [Some(2), Some(3), Some(1)]);
        queue.add(Class::SyncRead, 4, Sectors::new(9));
        queue.add(Class::SyncRead, 5, Sectors::new(1));
        assert_eq!([queue.next(10), queue.next(10)], [Some(4), Some(5)]);
    }
}
