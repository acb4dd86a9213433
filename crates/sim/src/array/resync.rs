//! The pace of a resync or rebuild, and when it yields to other I/O.
//!
//! `md_do_sync` makes its level send one request after another. After each window it checks the
//! speed: above the upper limit it sleeps half a second; above the lower one, if the members serve
//! other I/O, it waits until its own requests are done. Below the lower limit it never waits.
//!
//! Sources: `md_do_sync`, `is_mddev_idle` in md.c of Linux 4.x, 6.1 and 6.17; raid1.c, raid10.c,
//! raid5.c for the requests. The speeds are those of sysctl `dev.raid`, in KiB a second and member.

use stripewise_profiles::kernel::ResyncPolicy;
use stripewise_study::stack::Level;
use stripewise_units::Nanos;

use crate::units::{Instant, Sectors};

/// Sectors between two checks of the speed: 32 pages.
const WINDOW_SECTORS: u64 = 256;
/// Number of marks from which md measures the speed (`SYNC_MARKS`).
const MARKS: usize = 10;
/// Time between two marks (`SYNC_MARK_STEP`).
const MARK_STEP: Nanos = Nanos::from_millis(3000);
/// How long it sleeps above the upper limit.
const SLEEP: Nanos = Nanos::from_millis(500);
/// Until 6.15 a member with at most this much other I/O counts as idle.
const IDLE_SECTORS: i64 = 64;
const SECOND: u64 = 1_000_000_000;
/// A tick of the kernel's clock with `CONFIG_HZ=250`, which most distributions set.
pub(crate) const TICK: Nanos = Nanos::from_millis(4);
/// How long it sleeps when I/O waits at a barrier, before 4.1.
const BARRIER_SLEEP: Nanos = Nanos::from_millis(1000);

/// The requests that a level sends for a resync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResyncRequests {
    /// The length of each.
    pub length: Sectors,
    /// How many may be in flight; nothing: as many as there are stripes.
    pub depth: Option<u32>,
}

/// Returns the requests of a level; `None` if it has no redundancy.
///
/// RAID 1: 64 KiB, 32 at once (`RESYNC_BLOCK_SIZE`, `RESYNC_DEPTH`). RAID 10: 64 KiB, 512 at once
/// (its `RESYNC_DEPTH` is 32 MiB). RAID 4, 5, 6: stripe by stripe, as many as the stripe cache has.
pub const fn requests(level: Level) -> Option<ResyncRequests> {
    let (sectors, depth) = match level {
        Level::Raid1 => (128, Some(32)),
        Level::Raid10 => (128, Some(512)),
        Level::Raid4 | Level::Raid5 | Level::Raid6 => (8, None),
        Level::Linear | Level::Raid0 => return None,
    };
    let length = Sectors::new(sectors);
    Some(ResyncRequests { length, depth })
}

/// Whether the next request may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Now.
    Go,
    /// Not before this instant; then check again.
    Sleep(Instant),
    /// When all resync requests in flight are done; then without another check.
    Drain,
}

/// `speed_limit_min` and `speed_limit_max`, in KiB a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeedLimits {
    /// Below this speed it never waits.
    pub min_kib: u64,
    /// The maximum speed.
    pub max_kib: u64,
}

impl SpeedLimits {
    /// The kernel's defaults.
    pub const DEFAULT: Self = Self {
        min_kib: 1000,
        max_kib: 200_000,
    };
}

#[derive(Debug, Clone, Copy)]
struct Mark {
    at: Instant,
    done_sectors: u64,
}

/// The pace of one resync.
#[derive(Debug, Clone)]
pub struct Pacing {
    policy: ResyncPolicy,
    limits: SpeedLimits,
    level: Level,
    marks: [Mark; MARKS],
    last_mark: usize,
    /// The mark that the speed is measured from.
    base: Mark,
    issued_sectors: u64,
    done_sectors: u64,
    checked_sectors: u64,
}

impl Pacing {
    /// Returns the pace of a resync that begins `now`.
    pub fn new(level: Level, policy: ResyncPolicy, limits: SpeedLimits, now: Instant) -> Self {
        let mark = Mark {
            at: now,
            done_sectors: 0,
        };
        Self {
            policy,
            limits,
            level,
            marks: [mark; MARKS],
            last_mark: 0,
            base: mark,
            issued_sectors: 0,
            done_sectors: 0,
            checked_sectors: 0,
        }
    }

    /// Counts a request that was sent.
    pub fn issued(&mut self, length: Sectors) {
        self.issued_sectors += length.get();
    }

    /// Counts a completed request (`md_done_sync`).
    pub fn done(&mut self, length: Sectors) {
        self.done_sectors += length.get();
    }

    /// Returns whether the next request may be sent. It calls `is_idle` only if the answer matters,
    /// because a call resets it: see [`Idleness::is_idle`].
    pub fn next(&mut self, now: Instant, is_idle: impl FnOnce() -> bool) -> Pace {
        if self.checked_sectors + WINDOW_SECTORS > self.issued_sectors {
            return Pace::Go;
        }
        self.step_mark(now);
        let speed_kib = self.speed_kib(now);
        let mut pace = Pace::Go;
        if speed_kib > self.limits.max_kib {
            pace = Pace::Sleep(now + SLEEP);
        } else if speed_kib > self.limits.min_kib && !self.is_within_depth() && !is_idle() {
            pace = if self.policy.waits_for_own {
                Pace::Drain
            } else {
                Pace::Sleep(now + SLEEP)
            };
        }
        if !matches!(pace, Pace::Sleep(_)) {
            self.checked_sectors = self.issued_sectors;
        }
        pace
    }

    /// Returns when a task that sleeps for one tick wakes: at the next tick or, where timers never
    /// fire early, at the one after (`schedule_timeout`; `calc_index` in kernel/time/timer.c).
    pub fn after_tick(&self, now: Instant) -> Instant {
        let tick = TICK.as_u64();
        let ticks = now.as_nanos() / tick + 1 + u64::from(self.policy.timers_round_up);
        Instant::from_nanos(ticks * tick)
    }

    /// Returns until when a mirror's resync sleeps if I/O waits at its barrier: one tick; before
    /// 4.1 one second, or not at all while it is slower than the lower limit (`go_faster` of
    /// `sync_request`).
    pub fn barrier_sleep_end(&self, now: Instant) -> Instant {
        match (
            self.policy.waits_for_own,
            self.speed_kib(now) < self.limits.min_kib,
        ) {
            (true, _) => self.after_tick(now),
            (false, true) => now,
            (false, false) => now + BARRIER_SLEEP,
        }
    }

    /// Returns the speed in KiB/s as md computes it: over the last 27 to 30 seconds, in whole
    /// seconds.
    fn speed_kib(&self, now: Instant) -> u64 {
        let seconds = now.since(self.base.at).as_u64() / SECOND + 1;
        self.done_sectors.saturating_sub(self.base.done_sectors) / 2 / seconds + 1
    }

    fn step_mark(&mut self, now: Instant) {
        if now < self.marks[self.last_mark].at + MARK_STEP {
            return;
        }
        let next = (self.last_mark + 1) % MARKS;
        self.base = self.marks[next];
        self.marks[next] = Mark {
            at: now,
            done_sectors: self.done_sectors,
        };
        self.last_mark = next;
    }

    /// Returns whether so little is in flight that the resync need not yield
    /// (`sync_io_within_limit`): 32 requests, counted as 8 sectors each for RAID 4, 5 and 6, and
    /// 128 for the others.
    fn is_within_depth(&self) -> bool {
        const DEPTH: u64 = 32;
        let request = match self.level {
            Level::Raid4 | Level::Raid5 | Level::Raid6 => 8,
            _ => 128,
        };
        let in_flight = self.issued_sectors - self.done_sectors;
        self.policy.counts_array && in_flight < request * DEPTH
    }
}

/// The I/O of a member since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemberActivity {
    /// Completed sectors, read and written, including the resync's.
    pub done_sectors: u64,
    /// Sectors that the resync has requested.
    pub resync_sectors: u64,
}

/// The I/O of the array itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArrayActivity {
    /// Sectors of completed bios from above.
    pub done_sectors: u64,
    /// Bios from above in flight.
    pub in_flight: u64,
}

/// Detects other I/O on the members (`is_mddev_idle`).
#[derive(Debug, Clone)]
pub struct Idleness {
    policy: ResyncPolicy,
    members: Vec<i64>,
    array_sectors: u64,
}

impl Idleness {
    /// Returns the state for `members` members without any I/O yet.
    pub fn new(policy: ResyncPolicy, members: usize) -> Self {
        Self {
            policy,
            members: vec![0; members],
            array_sectors: 0,
        }
    }

    /// Returns whether there was no I/O but the resync since the last time the answer was no.
    ///
    /// Until 6.15 md compares each member's other I/O with its last value. Resync I/O counts when
    /// it is issued, the rest when it completes, so resync I/O in flight lowers the difference; a
    /// rise of more than 64 sectors means busy. From 6.16 the array's I/O counts: any that
    /// completed since the last call, or is in flight.
    pub fn is_idle(&mut self, members: &[MemberActivity], array: ArrayActivity) -> bool {
        if self.policy.counts_array {
            let before = std::mem::replace(&mut self.array_sectors, array.done_sectors);
            return array.done_sectors <= before && array.in_flight == 0;
        }
        let mut idle = true;
        for (last, member) in self.members.iter_mut().zip(members) {
            let other = member
                .done_sectors
                .wrapping_sub(member.resync_sectors)
                .cast_signed();
            if other - *last > IDLE_SECTORS {
                *last = other;
                idle = false;
            }
        }
        idle
    }
}

#[cfg(test)]
#[path = "resync_tests.rs"]
mod tests;
