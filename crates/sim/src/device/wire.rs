//! The link of an event-driven device: it carries one transfer after the other.

use crate::units::Instant;
use stripewise_profiles::device::calibrated::LinkProfile;
use stripewise_units::Nanos;

const NS_PER_S: u128 = 1_000_000_000;

/// A transfer over the link: when it ends, and how long it takes without the wait before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passage {
    /// When the last byte has arrived.
    pub(super) end: Instant,
    /// How long the link is busy.
    pub(super) busy: Nanos,
}

/// The state of a link.
#[derive(Debug)]
pub(super) struct Wire {
    profile: LinkProfile,
    in_free: Instant,
    out_free: Instant,
    /// The latest transfer in each direction, as bytes and their time: most are alike, and a division of
    /// 128 bits takes long.
    latest: [(u64, u64); 2],
}

impl Wire {
    /// Returns an idle link.
    pub(super) fn new(profile: &LinkProfile) -> Self {
        Self {
            profile: profile.clone(),
            in_free: Instant::START,
            out_free: Instant::START,
            latest: [(0, 0); 2],
        }
    }

    /// Returns how long `bytes` take to the device.
    fn span_in(&mut self, bytes: u64) -> u64 {
        if self.latest[0].0 != bytes {
            self.latest[0] = (bytes, span_ns(bytes, self.profile.write_bytes_per_s));
        }
        self.latest[0].1
    }

    /// Returns how long `bytes` take to the host.
    fn span_out(&mut self, bytes: u64) -> u64 {
        if self.latest[1].0 != bytes {
            self.latest[1] = (bytes, span_ns(bytes, self.profile.read_bytes_per_s));
        }
        self.latest[1].1
    }

    /// Sends a command and the `bytes` it writes to the device.
    pub(super) fn command(&mut self, now: Instant, bytes: u64) -> Passage {
        let data = self.span_in(bytes);
        let busy = Nanos::new(self.profile.command_ns + data);
        let end = now.max(self.in_free) + busy;
        self.in_free = end;
        if !self.profile.full_duplex {
            self.out_free = end;
        }
        Passage { end, busy }
    }

    /// Sends `bytes` of read data to the host.
    pub(super) fn data_out(&mut self, now: Instant, bytes: u64) -> Passage {
        let busy = Nanos::new(self.span_out(bytes));
        self.send(now, busy)
    }

    /// Sends `bytes` of read data to the host, of which the last came from the media at `now`: the rest
    /// can have left before, while the media was read.
    pub(super) fn data_streamed(&mut self, now: Instant, bytes: u64) -> Passage {
        let busy = Nanos::new(self.span_out(bytes));
        let begin = now.as_nanos().saturating_sub(busy.as_u64());
        self.send(Instant::from_nanos(begin), busy)
    }

    fn send(&mut self, begin: Instant, busy: Nanos) -> Passage {
        let end = begin.max(self.out_free) + busy;
        self.out_free = end;
        if !self.profile.full_duplex {
            self.in_free = end;
        }
        Passage { end, busy }
    }
}

/// Returns how long `bytes` take at a rate, rounded up.
pub(super) fn span_ns(bytes: u64, bytes_per_s: u64) -> u64 {
    let ns = (u128::from(bytes) * NS_PER_S).div_ceil(u128::from(bytes_per_s.max(1)));
    u64::try_from(ns).unwrap_or(u64::MAX)
}
