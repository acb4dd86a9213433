//! The flush machinery of a device's queue: which flushes a device gets, and in which order.
//!
//! A request that flushes (`REQ_PREFLUSH`, `REQ_FUA`) becomes up to three steps: a flush before its
//! data, the data, and a flush after it. Requests that need a flush wait together for one:
//!
//! - a device has one flush in progress at a time; requests that come meanwhile share the next one;
//! - no flush begins while such a request writes its data, so that requests share the flush after
//!   it, too, unless one has waited for 5 s.
//!
//! A device without a volatile write cache gets no flush at all, and one that has FUA none after the
//! data.
//!
//! Source: `block/blk-flush.c` and `submit_bio_noacct` in `block/blk-core.c` (6.1.192, 6.12.117;
//! blk-flush.c has worked like this since ae1b1539622f, 2.6.39, which was not read here). blk-mq has
//! such a machinery for each hardware queue; here a device has one.

use crate::io::Flags;
use crate::units::Instant;
use stripewise_units::Nanos;

/// `FLUSH_PENDING_TIMEOUT`.
const PENDING_MAX: Nanos = Nanos::from_millis(5_000);
/// Room for this many requests without allocation.
const ROOM: usize = 64;

/// The write cache of a device, as the kernel sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteCache {
    /// None that a flush could empty.
    Durable,
    /// It loses data with the power.
    Volatile {
        /// Whether the device can write past it (`REQ_FUA`).
        has_fua: bool,
    },
}

impl WriteCache {
    /// Returns whether a write with `REQ_FUA` reaches the device as one.
    pub(crate) const fn has_fua(self) -> bool {
        matches!(self, WriteCache::Volatile { has_fua: true })
    }
}

/// The next step of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlushStep {
    /// Waits for a flush.
    Flush,
    /// Writes its data.
    Data,
    /// Is done.
    Done,
}

/// The steps that a request still needs (`blk_flush_policy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sequence {
    before: bool,
    data: bool,
    after: bool,
}

impl Sequence {
    /// Nothing that the machinery does.
    pub(crate) const NONE: Self = Self {
        before: false,
        data: false,
        after: false,
    };

    /// Returns the steps of a request; [`Sequence::NONE`] if it needs no flush.
    pub(crate) fn new(cache: WriteCache, flags: Flags, has_data: bool) -> Self {
        let WriteCache::Volatile { has_fua } = cache else {
            return Self::NONE;
        };
        let after = has_data && flags.fua && !has_fua;
        if !flags.preflush && !after {
            return Self::NONE;
        }
        Self {
            before: flags.preflush,
            data: has_data,
            after,
        }
    }

    /// Returns the next step.
    pub(crate) const fn next(self) -> FlushStep {
        match (self.before, self.data, self.after) {
            (true, _, _) | (false, false, true) => FlushStep::Flush,
            (false, true, _) => FlushStep::Data,
            (false, false, false) => FlushStep::Done,
        }
    }

    /// Ends the current step.
    pub(crate) fn advance(&mut self) {
        if self.before {
            self.before = false;
        } else if self.data {
            self.data = false;
        } else {
            self.after = false;
        }
    }
}

/// The requests of one device that need flushes.
#[derive(Debug)]
pub(crate) struct FlushQueue {
    /// Requests that wait for the next flush.
    pending: Vec<u32>,
    pending_since: Instant,
    /// Requests that wait for the flush in progress.
    running: Vec<u32>,
    is_flushing: bool,
    /// Requests that write their data.
    data_in_flight: u32,
}

impl Default for FlushQueue {
    fn default() -> Self {
        Self {
            pending: Vec::with_capacity(ROOM),
            pending_since: Instant::START,
            running: Vec::with_capacity(ROOM),
            is_flushing: false,
            data_in_flight: 0,
        }
    }
}

impl FlushQueue {
    /// Makes a request wait for the next flush.
    pub(crate) fn wait(&mut self, request: u32, now: Instant) {
        if self.pending.is_empty() {
            self.pending_since = now;
        }
        self.pending.push(request);
    }

    /// Notes that a request writes its data.
    pub(crate) fn data_begins(&mut self) {
        self.data_in_flight += 1;
    }

    /// Notes that a request has written its data.
    pub(crate) fn data_ended(&mut self) {
        self.data_in_flight -= 1;
    }

    /// Begins a flush if one is due; returns whether it did (`blk_kick_flush`).
    pub(crate) fn kick(&mut self, now: Instant) -> bool {
        if self.is_flushing || self.pending.is_empty() {
            return false;
        }
        if self.data_in_flight > 0 && now < self.pending_since + PENDING_MAX {
            return false;
        }
        self.is_flushing = true;
        std::mem::swap(&mut self.pending, &mut self.running);
        true
    }

    /// Ends the flush in progress and moves the requests that waited for it to `served`.
    pub(crate) fn flush_ended(&mut self, served: &mut Vec<u32>) {
        self.is_flushing = false;
        served.append(&mut self.running);
    }
}

#[cfg(test)]
#[path = "flush_queue_tests.rs"]
mod tests;
