//! Host I/O that waits for the rebuild of a mirror, and a rebuild that waits for host I/O; see
//! [`crate::array::barrier`].
//!
//! A host I/O passes or waits as a whole: once one piece is pending the others pass too
//! (`stop_waiting_barrier`). The submitting task sleeps meanwhile (`wait_barrier`), so it issues
//! nothing else.

use stripewise_study::sample::Part;

use super::Simulation;
use super::host_io::Kind;
use super::members::NONE;
use crate::array::barrier::Raise;
use crate::io::Operation;
use crate::units::Sectors;

/// An I/O that waits at the barrier, or for the superblocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldBack {
    io: u32,
    barrier: u32,
    operation: Operation,
    start: Sectors,
    length: Sectors,
}

impl HeldBack {
    /// Returns an I/O that waits for something else than a barrier.
    pub(super) const fn new(
        io: u32,
        operation: Operation,
        start: Sectors,
        length: Sectors,
    ) -> Self {
        Self {
            io,
            barrier: NONE,
            operation,
            start,
            length,
        }
    }
}

impl Simulation {
    /// Lets an I/O pass the barrier, or holds back both the I/O and the job that submits it;
    /// returns whether it is held back.
    pub(super) fn is_held_back(
        &mut self,
        io: u32,
        operation: Operation,
        start: Sectors,
        length: Sectors,
    ) -> bool {
        let Some(barriers) = &mut self.barriers else {
            return false;
        };
        let barrier = barriers.bucket(start);
        if barriers.enter(barrier, operation) {
            self.ios[io].pass_barrier(barrier);
            return false;
        }
        let job = self.ios[io].job;
        self.jobs[job as usize].is_blocked = true;
        self.held_back.push(HeldBack {
            io,
            barrier,
            operation,
            start,
            length,
        });
        true
    }

    /// Ends an I/O that passed the barrier, and wakes the rebuild if it waited for this.
    pub(super) fn leave_barrier(&mut self, barrier: u32) {
        if let Some(barriers) = &mut self.barriers {
            barriers.leave(barrier);
            if barriers.is_due(barrier) {
                self.wake_rebuild();
            }
        }
    }

    /// Raises the barrier for the rebuild's next request; returns whether the request may be sent.
    pub(super) fn raise_barrier(&mut self, at: Sectors) -> bool {
        let Some(barriers) = &mut self.barriers else {
            return true;
        };
        match barriers.raise(barriers.bucket(at)) {
            Raise::Go => true,
            Raise::Wait => false,
            Raise::Sleep => {
                self.sleep_for_barrier();
                false
            }
        }
    }

    /// Lowers the barrier of a completed rebuild request, and resumes the I/Os that waited for it.
    pub(super) fn lower_barrier(&mut self, at: Sectors) {
        let Some(barriers) = &mut self.barriers else {
            return;
        };
        let barrier = barriers.bucket(at);
        if !barriers.lower(barrier) {
            return;
        }
        let mut held_back = std::mem::take(&mut self.held_back);
        held_back.retain(|held| {
            let goes = held.barrier == barrier;
            if goes {
                self.resume_held_back(*held, Part::Rebuild);
            }
            !goes
        });
        // No I/O was held back meanwhile: the barrier is down.
        self.held_back = held_back;
        self.wake_rebuild();
    }

    /// Submits an I/O that was held back; `part` is what it waited for.
    pub(super) fn resume_held_back(&mut self, held: HeldBack, part: Part) {
        let io = &mut self.ios[held.io];
        let job = io.job;
        let at = io.resume_at(self.now) + self.costs.wake;
        io.add_wait(part, at);
        io.wait_since(at);
        let is_sync = io.kind == Kind::Sync;
        self.submit_bios(held.io, held.operation, held.start, held.length, at);
        if !is_sync {
            self.unblock(job);
        }
    }
}
