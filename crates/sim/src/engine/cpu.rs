//! The CPU of a task: until when it is busy, and how long it worked.

use stripewise_study::units::Nanos;

use crate::units::Instant;

/// The CPU time of a job, or of the thread of a parity array.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cpu {
    /// When it has nothing left to do.
    pub(super) free: Instant,
    /// How long it worked since counting began, and what it is to do until it is free.
    pub(super) used: Nanos,
}

impl Cpu {
    /// Returns how long it worked up to `now`: what it is still to do then is counted already.
    pub(super) fn busy(&self, now: Instant) -> Nanos {
        let ahead = self.free.max(now).since(now);
        Nanos::new(self.used.as_u64().saturating_sub(ahead.as_u64()))
    }

    /// Begins to count anew at `now`.
    pub(super) fn reset(&mut self, now: Instant) {
        self.used = self.free.max(now).since(now);
    }

    /// Counts `span` as work.
    #[inline]
    pub(super) fn count(&mut self, span: Nanos) {
        self.used = Nanos::new(self.used.as_u64() + span.as_u64());
    }

    /// Works for `span` as soon as it is free after `at`; returns when that is done.
    #[inline]
    pub(super) fn work(&mut self, at: Instant, span: Nanos) -> Instant {
        self.free = self.free.max(at) + span;
        self.count(span);
        self.free
    }
}
