//! Which requests may enter a device around a cache flush.
//!
//! ATA's FLUSH CACHE EXT is not a queued command: libata holds it back until every queued command
//! has returned, and every later command until the flush has returned (`ata_std_qc_defer`, read in
//! 4.6). NVMe and SAS flushes are commands like any other.

use std::collections::VecDeque;

/// Admission to a device. A request is its index in the device's slab.
#[derive(Debug)]
pub(super) struct Gate {
    flush_is_exclusive: bool,
    flush_is_inside: bool,
    inside: u32,
    held: VecDeque<WaitingRequest>,
}

#[derive(Debug, Clone, Copy)]
struct WaitingRequest {
    request: u32,
    is_flush: bool,
}

impl Gate {
    /// Returns the gate of an empty device that takes `queue_depth` requests.
    pub(super) fn new(flush_is_exclusive: bool, queue_depth: usize) -> Self {
        Self {
            flush_is_exclusive,
            flush_is_inside: false,
            inside: 0,
            held: VecDeque::with_capacity(queue_depth),
        }
    }

    /// Admits a request that is no flush at once, if nothing holds it back; returns whether it did.
    #[inline]
    pub(super) fn pass(&mut self) -> bool {
        let passes = self.held.is_empty() && !self.flush_is_inside;
        self.inside += u32::from(passes);
        passes
    }

    /// Appends a request to the queue.
    pub(super) fn arrive(&mut self, request: u32, is_flush: bool) {
        self.held.push_back(WaitingRequest { request, is_flush });
    }

    /// Removes a request that has left the device.
    pub(super) fn leave(&mut self, is_flush: bool) {
        self.inside -= 1;
        if is_flush {
            self.flush_is_inside = false;
        }
    }

    /// Admits and returns the next request, if it may enter now.
    pub(super) fn enter(&mut self) -> Option<u32> {
        let first = *self.held.front()?;
        let alone = first.is_flush && self.inside > 0;
        if self.flush_is_exclusive && (self.flush_is_inside || alone) {
            return None;
        }
        self.held.pop_front();
        self.inside += 1;
        self.flush_is_inside |= first.is_flush;
        Some(first.request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclusive_flush_waits_for_earlier_requests_and_holds_later_ones() {
        let mut gate = Gate::new(true, 4);
        gate.arrive(0, false);
        assert_eq!(gate.enter(), Some(0));
        gate.arrive(1, true);
        gate.arrive(2, false);
        assert_eq!(gate.enter(), None, "the flush waits for request 0");
        gate.leave(false);
        assert_eq!(gate.enter(), Some(1));
        assert_eq!(gate.enter(), None, "request 2 waits for the flush");
        gate.leave(true);
        assert_eq!(gate.enter(), Some(2));
    }

    #[test]
    fn a_queued_flush_enters_like_any_other() {
        let mut gate = Gate::new(false, 4);
        gate.arrive(0, false);
        gate.arrive(1, true);
        gate.arrive(2, false);
        assert_eq!(
            [gate.enter(), gate.enter(), gate.enter()],
            [Some(0), Some(1), Some(2)]
        );
    }
}
