//! The bitmap of an array in use: the bits that a load has set before its simulation begins.
//!
//! A write that finds its bit clear waits for a page on every member, so an array that was just made is
//! slow whatever its devices do. That is no state of devices: an array in use has most bits set where its
//! load writes. How many depends on the rate of the writes, and the rate on the bits. So a simulation
//! begins with the bits of many writes, and replays their history at the rate that it then has, until
//! that rate stays. A load of rare writes finds its bits clear, as `md_bitmap_daemon_work` leaves them.

use stripewise_study::sample::as_f64;
use stripewise_units::Nanos;

use super::fast_forward::{DRAWN_MAX, Draws};
use super::stationarity::{MeasuredPhase, whole};
use super::{Limits, Simulation};
use crate::array::bitmap::DAEMON_SLEEP;

/// Periods of the bitmap's daemon in the replayed history: after two without writes a bit is clear.
const PERIODS: u64 = 3;
/// Windows with fewer I/Os are too short for a jump: the bits settle within the windows.
const AGING_IOS_MIN: u64 = 1 << 14;
/// The relative change in the rate of writes after which the bitmap is aged again.
const SAME_RATE: f64 = 0.1;
/// So many writes for each bit set nearly all of them, where they are spread evenly.
const WRITES_PER_BIT: u64 = 8;
/// The maximum writes with which a simulation begins.
const FIRST_MAX: u64 = 1 << 18;
/// So many writes for each bit leave few clear that a write meets, however they are spread.
const HISTORY_PER_BIT: u64 = 256;
/// The minimum I/Os of a window in which the rate is found.
const WINDOW_IOS_MIN: u64 = 32;
/// The maximum rounds; noise may keep a rate from staying.
const ROUNDS_MAX: u32 = 6;

/// The search for the bits of an array in use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aging {
    /// The minimum I/Os of the current window; each has twice as many as the one before.
    window_ios: u64,
    rounds_left: u32,
}

impl Simulation {
    /// Sets the bits of many writes before the load begins, if it writes to an array with a bitmap.
    pub(super) fn begin_aging(&mut self) {
        let loads = &self.jobs[..self.page_cache.flusher as usize];
        let writes = loads.iter().any(|job| job.generator.writes());
        let is_timed = self.stationarity.phase == MeasuredPhase::Timed;
        if is_timed || !writes || self.layers.bitmap.is_none() {
            return;
        }
        let count = self.bits_of_loads().saturating_mul(WRITES_PER_BIT);
        self.replay_writes(count.clamp(1, FIRST_MAX), Nanos::new(1));
        self.stationarity.aging = Some(Aging {
            window_ios: (2 * self.totals.measured_places + 8).max(WINDOW_IOS_MIN),
            rounds_left: ROUNDS_MAX,
        });
    }

    /// Evaluates a window of the aging: the bits are those of an array in use once the rate of writes is
    /// the one at which they were set.
    pub(super) fn judge_aging(&mut self, limits: &Limits) {
        let Some(aging) = self.stationarity.aging else {
            return;
        };
        let is_spent = aging.rounds_left == 0 || self.is_spent(limits.ios_max / 4);
        if self.totals.batches.ios() < aging.window_ios && !is_spent {
            return;
        }
        let per_s = self.writes_per_s();
        if per_s <= 0.0 {
            // What the load writes stays in memory for now.
            if let Some(bitmap) = &mut self.layers.bitmap {
                bitmap.clear();
            }
        } else if !is_spent && !self.is_aged_at(per_s) {
            self.age_at(per_s);
            self.stationarity.aging = Some(Aging {
                window_ios: 2 * aging.window_ios,
                rounds_left: aging.rounds_left - 1,
            });
            self.begin_window();
            return;
        }
        self.stationarity.aging = None;
        self.begin_beginning();
        if self.stationarity.phase == MeasuredPhase::Steady {
            self.begin_window();
        }
    }

    /// Ages a bitmap again that was aged for another rate; returns whether it did.
    pub(super) fn age_again(&mut self) -> bool {
        let per_s = self.writes_per_s();
        let was_aged = self.stationarity.aged_at_per_s.is_some();
        let is_due = was_aged && per_s > 0.0 && !self.is_aged_at(per_s);
        if !is_due || self.stationarity.jumps_left == 0 {
            return false;
        }
        self.stationarity.jumps_left -= 1;
        self.age_at(per_s);
        true
    }

    /// Sets the bits of the bitmap as after a long time at the present rate of writes; once for
    /// each rate.
    pub(super) fn age_bitmap(&mut self) -> bool {
        let writes = self.traffic().writes - self.stationarity.traffic_before.writes;
        let per_s = self.writes_per_s();
        let is_short = self.totals.batches.ios() < AGING_IOS_MIN;
        let Some(bitmap) = &self.layers.bitmap else {
            return false;
        };
        if is_short || writes == 0 || self.is_aged_at(per_s) {
            return false;
        }
        let (set_before, gained) = (
            bitmap.set_bits(),
            bitmap.traffic().bits_set - self.stationarity.traffic_before.bits_set,
        );
        let count = self.age_at(per_s);
        let bits = self.layers.bitmap.as_ref();
        let set = bits.map_or(0, |bitmap| bitmap.set_bits().abs_diff(set_before) as u64);
        let longest = as_f64(count) / as_f64(writes);
        self.skip_windows((as_f64(set) / as_f64(gained.max(1))).min(longest));
        true
    }

    /// Returns the rate of the writes in the window that the bitmap sees.
    fn writes_per_s(&self) -> f64 {
        let ns = self.now.since(self.stationarity.window_began).as_u64();
        let writes = self.traffic().writes - self.stationarity.traffic_before.writes;
        as_f64(writes) * 1e9 / as_f64(ns.max(1))
    }

    fn is_aged_at(&self, per_s: f64) -> bool {
        let before = self.stationarity.aged_at_per_s;
        before.is_some_and(|before| (before - per_s).abs() <= SAME_RATE * before)
    }

    /// Sets the bits of a long time at a rate of writes; returns of how many writes.
    fn age_at(&mut self, per_s: f64) -> u64 {
        self.stationarity.aged_at_per_s = Some(per_s);
        let gap = Nanos::new(whole(1e9 / per_s).max(1));
        let most = self.bits_of_loads().saturating_mul(HISTORY_PER_BIT);
        let most = most.clamp(FIRST_MAX, DRAWN_MAX);
        let count = (PERIODS * DAEMON_SLEEP.as_u64() / gap.as_u64()).clamp(1, most);
        self.replay_writes(count, gap);
        count
    }

    /// Sets the bits of the load's next writes, as if they had been written before now.
    fn replay_writes(&mut self, count: u64, gap: Nanos) {
        let mut draws = Draws::new(self);
        let Some(mut bitmap) = self.layers.bitmap.take() else {
            return;
        };
        bitmap.replay_history(self.now, count, gap, |ranges| {
            if let Some((start, length)) = draws.next_write(self) {
                self.layers.add_bitmap_ranges(start, length, ranges);
            }
        });
        self.layers.bitmap = Some(bitmap);
    }

    /// Returns about how many bits stand for the places that the loads write.
    fn bits_of_loads(&self) -> u64 {
        let bitmap = self.layers.bitmap.as_ref();
        let chunk = bitmap.map_or(1, |bitmap| bitmap.chunk().get());
        let loads = &self.jobs[..self.page_cache.flusher as usize];
        let bits = loads.iter().map(|job| {
            let place = job.generator.place();
            (place.end.get() - place.start.get()) / chunk + 2
        });
        bits.sum()
    }
}
