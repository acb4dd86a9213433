//! The CPU of a task: until when it is busy, and its busy time.

use stripewise_study::units::Nanos;

use crate::units::Instant;

/// The CPU time of a job, or of the thread of a parity array.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cpu {
    /// When it becomes idle.
    pub(super) free: Instant,
    /// Its busy time since counting began, including scheduled work.
    pub(super) used: Nanos,
}

impl Cpu {
    /// Returns its busy time up to `now`, without work scheduled after that.
    pub(super) fn busy(&self, now: Instant) -> Nanos {
        let ahead = self.free.max(now).since(now);
        Nanos::new(self.used.as_u64().saturating_sub(ahead.as_u64()))
    }

    /// Restarts the count at `now`.
    pub(super) fn reset(&mut self, now: Instant) {
        self.used = self.free.max(now).since(now);
    }

    /// Counts `span` as busy.
    #[inline]
    pub(super) fn count(&mut self, span: Nanos) {
        self.used = Nanos::new(self.used.as_u64() + span.as_u64());
    }

    /// Schedules `span` of work as soon as it is free after `at`; returns when that is done.
    #[inline]
    pub(super) fn work(&mut self, at: Instant, span: Nanos) -> Instant {
        self.free = self.free.max(at) + span;
        self.count(span);
        self.free
    }
}
