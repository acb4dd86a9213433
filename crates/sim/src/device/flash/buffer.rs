//! The fill of the write buffer. Flushes divide it into generations.

use std::collections::VecDeque;

/// Units accepted between two flushes, and the flush that waits for them and all earlier ones.
#[derive(Debug, Clone, Copy)]
struct Generation {
    units: u32,
    waiter: Option<u32>,
}

/// The fill of the write buffer. A flush is the index of its request in the device's slab.
#[derive(Debug)]
pub(super) struct WriteBuffer {
    units_max: u32,
    units: u32,
    first: u64,
    generations: VecDeque<Generation>,
}

impl WriteBuffer {
    /// Returns an empty buffer.
    pub(super) fn new(units_max: u32, queue_depth: usize) -> Self {
        let mut generations = VecDeque::with_capacity(queue_depth + 1);
        generations.push_back(Generation {
            units: 0,
            waiter: None,
        });
        Self {
            units_max,
            units: 0,
            first: 0,
            generations,
        }
    }

    /// Returns whether there is room for another unit.
    pub(super) const fn has_room(&self) -> bool {
        self.units < self.units_max
    }

    /// Returns how many units it holds.
    pub(super) const fn units(&self) -> u32 {
        self.units
    }

    /// Returns whether a flush waits for the buffer to be programmed.
    pub(super) fn is_draining(&self) -> bool {
        self.generations.len() > 1
    }

    /// Takes a unit and returns its generation.
    pub(super) fn add(&mut self) -> u64 {
        self.units += 1;
        if let Some(last) = self.generations.back_mut() {
            last.units += 1;
        }
        self.first + u64::try_from(self.generations.len() - 1).unwrap_or(u64::MAX)
    }

    /// Removes a unit of a generation that is on the flash.
    pub(super) fn remove(&mut self, generation: u64) {
        self.units -= 1;
        let index = usize::try_from(generation - self.first).unwrap_or(usize::MAX);
        self.generations[index].units -= 1;
    }

    /// Makes `waiter` wait for all units accepted so far.
    pub(super) fn wait_for_all(&mut self, waiter: u32) {
        if let Some(last) = self.generations.back_mut() {
            last.waiter = Some(waiter);
        }
        self.generations.push_back(Generation {
            units: 0,
            waiter: None,
        });
    }

    /// Takes the next waiter whose units are all programmed, in the order they began to wait.
    pub(super) fn take_satisfied(&mut self) -> Option<u32> {
        let first = *self.generations.front()?;
        if !self.is_draining() || first.units > 0 {
            return None;
        }
        self.generations.pop_front();
        self.first += 1;
        first.waiter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_waits_for_earlier_units_and_not_for_later_ones() {
        let mut buffer = WriteBuffer::new(3, 2);
        let early = buffer.add();
        buffer.wait_for_all(7);
        let late = buffer.add();
        buffer.wait_for_all(8);
        assert!(buffer.is_draining() && buffer.has_room());
        buffer.remove(late);
        assert_eq!(buffer.take_satisfied(), None, "7 waits, and 8 behind it");
        buffer.remove(early);
        assert_eq!(buffer.take_satisfied(), Some(7));
        assert_eq!(buffer.take_satisfied(), Some(8));
        assert_eq!(buffer.take_satisfied(), None);
        assert!(!buffer.is_draining());
    }
}
