//! Write-back throttling (`blk-wbt.c`), which is not simulated but noticed where it would decide.
//!
//! Every 100 ms the kernel looks at the requests that a disk completed. If even the fastest read took
//! longer than `wbt_lat_usec`, it halves how many writes the disk gets at a time (`latency_exceeded`,
//! `wb_timer_fn`), down to one. It means writes of the page cache, and knows direct ones by `REQ_SYNC`
//! and `REQ_IDLE` together; raid5 sends `REQ_SYNC` alone (`ops_run_io`), and its thread sleeps meanwhile.
//! So do mirrors of most kernels.

use stripewise_profiles::kernel::Policy;
use stripewise_study::warning::Warning;
use stripewise_units::Nanos;

use super::layers::Mapping;
use super::members::{MemberState, Request};
use super::{Setup, Simulation};
use crate::io::Operation;
use crate::units::Instant;

/// How long the kernel looks (`RWB_WINDOW_NSEC`).
const WINDOW: Nanos = Nanos::from_millis(100);
/// The fewest writes from which it concludes anything (`RWB_MIN_WRITE_SAMPLES`).
const WRITES_MIN: u32 = 3;
/// `wbt_default_latency_nsec`.
const LIMIT_OF_FLASH: Nanos = Nanos::from_millis(2);
const LIMIT_OF_HEADS: Nanos = Nanos::from_millis(75);

/// No read.
const NONE: Nanos = Nanos::new(u64::MAX);

/// What a disk completed in the current window, and in those before.
#[derive(Debug)]
pub(super) struct ReadsWatched {
    limit: Nanos,
    window_ends: Instant,
    fastest_read: Nanos,
    writes: u32,
    windows: u32,
    /// Windows in which the fastest read took longer than the limit.
    exceeded: u32,
    /// The shortest of those reads.
    least: Nanos,
}

impl ReadsWatched {
    fn new(is_rotational: bool) -> Self {
        Self {
            limit: if is_rotational {
                LIMIT_OF_HEADS
            } else {
                LIMIT_OF_FLASH
            },
            window_ends: Instant::START,
            fastest_read: NONE,
            writes: 0,
            windows: 0,
            exceeded: 0,
            least: NONE,
        }
    }

    pub(super) fn note(&mut self, request: &Request, now: Instant) {
        if now >= self.window_ends {
            self.end_window();
            self.window_ends = now + WINDOW;
        }
        match request.operation {
            Operation::Read => self.fastest_read = self.fastest_read.min(now.since(request.sent)),
            Operation::Write => self.writes += 1,
            Operation::Flush => {}
        }
    }

    fn end_window(&mut self) {
        if self.fastest_read < NONE && self.writes >= WRITES_MIN {
            self.windows += 1;
            if self.fastest_read > self.limit {
                self.exceeded += 1;
                self.least = self.least.min(self.fastest_read);
            }
        }
        self.fastest_read = NONE;
        self.writes = 0;
    }
}

impl Setup<'_> {
    /// Lets the members of an array be watched, if the kernel could throttle their writes.
    pub(super) fn watch_reads(
        &self,
        policy: &Policy,
        mapping: &Mapping,
        members: &mut [MemberState],
    ) {
        let could = match mapping {
            Mapping::Parity(_) => policy.throttles_parity_writes,
            Mapping::Raid1(..) | Mapping::Raid10(..) => policy.throttles_mirror_writes,
            _ => false,
        };
        if !could || self.conditions.wbt_lat_us == Some(0) {
            return;
        }
        for (member, profile) in members.iter_mut().zip(&self.devices) {
            member.reads_watched = Some(Box::new(ReadsWatched::new(profile.rotational)));
        }
    }
}

impl Simulation {
    /// Returns the warning that the kernel throttles the writes of a member most of the time.
    pub(super) fn throttling_warning(&self) -> Option<Warning> {
        let watched = self.members.iter().filter_map(|member| {
            let reads = member.reads_watched.as_ref()?;
            let is_often = 2 * reads.exceeded > reads.windows;
            is_often.then_some((member, reads))
        });
        let (member, reads) = watched.min_by_key(|(_, reads)| reads.least)?;
        Some(Warning::WritesThrottled {
            device: member.name.clone(),
            read_ns: reads.least,
            limit_ns: reads.limit,
        })
    }
}
