//! Detects whether the simulation has reached its long-run rate.
//!
//! ```text
//!  I/Os:  | queues fill | window | window, twice as long | ... | recorded | more if it still changes
//!                            ^ phases that only fill a memory are skipped (`fast_forward`)
//! ```
//!
//! An array in use has set bits in its bitmap: before all this they are found (`aging`).
//!
//! Every window is recorded. The first one that is stationary is the beginning of the recording, and
//! what was recorded before it is dropped.
//!
//! A load has one rate while a write cache fills and another when it is full. So a plateau of the
//! rate proves nothing. In a stationary window as much leaves each memory as enters it, and the
//! rate equals that of the previous window within their noise. The recording must pass the same
//! test at its end. If the effort ends before that, a warning in the sample names the state that
//! still changed.

use serde::{Deserialize, Serialize};
use stripewise_study::sample::Onset;
use stripewise_study::warning::{Changing, Warning};
use stripewise_units::{Bytes, Nanos};

use super::aging::Aging;
use super::host_io::Kind;
use super::totals::Totals;
use super::{Ending, Limits, Simulation};
use crate::array::bitmap::Traffic;
use crate::device::fill_level::{FillLevel, FillLevels};
use crate::narrow::truncated;
use crate::steady::Rate;
use crate::units::Instant;
use stripewise_study::sample::as_f64;

/// The minimum bios at the members in a recording: a large I/O is many bios.
const BIOS_MIN: u64 = 2048;
/// The I/Os of the first window if they are so large that they become [`WINDOW_BIOS`] bios: one for each
/// of its batches.
const LARGE_IOS_MIN: u64 = 16;
/// As many bios at the members are a window, however few I/Os they belong to.
const WINDOW_BIOS: u64 = 1024;
/// A memory is steady if its gain or loss is less than this fraction (1 / 100) of its inflow.
pub(super) const MOVED_SHARE: u64 = 100;
/// A bitmap whose bits are set less often than once in this many writes does not matter.
const WRITES_PER_BIT: u64 = 1000;
/// The bits that the daemon leaves vary by chance more than a cache does: they are steady within
/// this fraction (1 / 20).
const BITS_SHARE: u64 = 20;
/// The minimum runs of the bitmap's daemon in a recording where bits are set and cleared.
const RUNS_MIN: u64 = 4;
/// The relative difference that two windows may always have.
const ALIKE: f64 = 0.005;
/// The number of standard errors by which they may differ.
const ERRORS: f64 = 3.0;
/// The maximum jumps; a memory that still changes after that many does not settle by jumps.
const JUMPS_MAX: u32 = 24;
/// The assumed relative error of a first phase of a few I/Os.
const ERROR_OF_FEW: f64 = 0.1;
/// The maximum relative error of a first phase: bursts that reach an array in turn say more about its batches
/// than about its rate.
const ERROR_MOST: f64 = 0.2;
/// The minimum relative difference at which the first phase is reported.
const ONSET_MIN: f64 = 0.02;

/// The phase that a simulation measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MeasuredPhase {
    /// The long run.
    Steady,
    /// The first phase.
    Fresh,
    /// A stated time.
    Timed,
}

/// The state of the windows.
#[derive(Debug)]
pub(super) struct Stationarity {
    pub(super) phase: MeasuredPhase,
    /// The minimum measured I/Os of the current window.
    pub(super) window_ios: u64,
    /// Whether the measured load has one I/O in flight at a time.
    is_one_by_one: bool,
    /// Whether the queues have filled.
    has_begun: bool,
    /// Whether a window was stationary: what follows it is recorded with it.
    is_recorded: bool,
    pub(super) window_began: Instant,
    pub(super) levels_before: FillLevels,
    pub(super) traffic_before: Traffic,
    rate_before: Option<Rate>,
    /// The fill of each member's fast area when the window began.
    pub(super) fast_before: Vec<u64>,
    /// The fill of each member's buffer behind it.
    pub(super) buffers_before: Vec<u64>,
    pub(super) jumps_left: u32,
    /// The rate of writes, per second, for which the bitmap was aged.
    pub(super) aged_at_per_s: Option<f64>,
    /// While the bitmap of an array in use is found: before anything else is judged.
    pub(super) aging: Option<Aging>,
    /// The memory that still changed when the effort ended.
    pub(super) still_changing: Option<Changing>,
    beginning: Beginning,
    /// The bytes and the time skipped by jumps.
    pub(super) skipped_bytes: f64,
    pub(super) skipped_ns: f64,
    pub(super) same_for: SameFor,
}

/// The half widths ([`Limits::half_width`]) for which a simulation is the same, bit for bit: each time it
/// compared that of the question with another one, these give the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SameFor {
    /// The widest of those that were found to be no wider.
    at_least: f64,
    /// The narrowest of those that were found to be wider.
    below: f64,
}

impl Default for SameFor {
    /// Of a simulation that compared nothing.
    fn default() -> Self {
        Self {
            at_least: 0.0,
            // JSON has no infinity.
            below: f64::MAX,
        }
    }
}

impl SameFor {
    /// Returns whether the half width that is asked for is `width` or more, and notes that this was asked.
    pub(super) fn is_wide_enough(&mut self, asked: f64, width: f64) -> bool {
        let is_wide_enough = width <= asked;
        match is_wide_enough {
            true => self.at_least = self.at_least.max(width),
            false => self.below = self.below.min(width),
        }
        is_wide_enough
    }

    /// Returns whether the simulation is the same for `half_width`.
    pub fn holds(&self, half_width: f64) -> bool {
        self.at_least <= half_width && half_width < self.below
    }
}

/// A page cache that holds less than this fraction (1 / 50) of what was moved took nothing: the log of a
/// database is there until its next sync.
pub(super) const HELD_SHARE: u64 = 50;

/// The first phase of the load.
#[derive(Debug, Clone, Copy, Default)]
struct Beginning {
    /// When it began, and the bytes done before.
    began: (Instant, u64),
    /// Whether most of what was written in it was in memory at its end.
    is_of_page_cache: bool,
    /// When it ended and the bytes done by then; `None` while it lasts.
    ended: Option<(Instant, u64)>,
    /// Its standard error over its rate.
    error: Option<f64>,
}

impl Stationarity {
    pub(super) fn new(phase: MeasuredPhase, measured_places: u64, members: usize) -> Self {
        Self {
            phase,
            window_ios: 2 * measured_places + 8,
            is_one_by_one: measured_places == 1,
            has_begun: false,
            is_recorded: phase == MeasuredPhase::Fresh,
            window_began: Instant::START,
            levels_before: FillLevels::default(),
            traffic_before: Traffic::default(),
            rate_before: None,
            fast_before: vec![0; members],
            buffers_before: vec![0; members],
            jumps_left: JUMPS_MAX,
            aged_at_per_s: None,
            aging: None,
            still_changing: None,
            beginning: Beginning::default(),
            skipped_bytes: 0.0,
            skipped_ns: 0.0,
            same_for: SameFor::default(),
        }
    }

    /// Returns whether the simulation must check if the first memory is full.
    #[inline]
    pub(super) fn checks_fill(&self) -> bool {
        match self.phase {
            MeasuredPhase::Steady => self.beginning.ended.is_none(),
            MeasuredPhase::Fresh => true,
            MeasuredPhase::Timed => false,
        }
    }

    /// Returns whether each event may end the current phase, not only a full batch of I/Os.
    pub(super) fn judges_each_event(&self) -> bool {
        self.phase == MeasuredPhase::Timed || self.checks_fill()
    }

    /// Returns the warning of a sample that is not proved to be stationary.
    pub(super) fn warning(&self, ios: u64) -> Option<Warning> {
        self.still_changing
            .map(|changing| Warning::NotStationary { changing, ios })
    }
}

impl Totals {
    /// Returns the effort: host I/Os, bios at the members, and pages of flash.
    #[inline]
    pub(super) fn ios(&self) -> u64 {
        self.host_ios + self.bios + self.flash_effort
    }
}

impl Simulation {
    /// Checks whether the current phase is over; returns how the simulation ends, if it does.
    #[inline]
    pub(super) fn judge(&mut self, limits: &Limits) -> Option<Ending> {
        if self.stationarity.phase == MeasuredPhase::Timed {
            return self.judge_timed(limits);
        }
        if self.stationarity.checks_fill()
            && self.totals.transfers >= self.totals.measured_places
            && self.has_filled()
            && self.has_recorded_enough()
        {
            if self.stationarity.phase == MeasuredPhase::Fresh {
                return Some(Ending::Complete);
            }
            self.end_beginning();
        }
        if !self.totals.batch_is_full {
            return None;
        }
        self.totals.batch_is_full = false;
        if self.stationarity.phase == MeasuredPhase::Steady {
            let level = self.levels().first();
            self.totals.batches.follow(level);
        }
        if self.stationarity.aging.is_some() {
            self.judge_aging(limits);
            return None;
        }
        if !self.stationarity.is_recorded {
            self.judge_window(limits);
        }
        match self.stationarity.phase {
            MeasuredPhase::Fresh => self.judge_fresh(limits),
            _ if self.stationarity.is_recorded => self.judge_recording(limits),
            _ => None,
        }
    }

    /// Returns whether a memory has been full.
    fn has_filled(&self) -> bool {
        self.page_cache.has_filled() || self.members.iter().any(|member| member.device.has_filled())
    }

    /// Returns whether a first phase can end here: not right after the bitmap was aged, when nothing is
    /// recorded yet.
    fn has_recorded_enough(&self) -> bool {
        let totals = &self.totals;
        let ios = || totals.read.latencies.count() + totals.write.latencies.count();
        self.stationarity.phase != MeasuredPhase::Fresh
            || self.stationarity.aging.is_none()
            || ios() >= totals.measured_places
    }

    /// Returns whether the effort `ios_max` is spent and each queue slot had an I/O.
    pub(super) fn is_spent(&self, ios_max: u64) -> bool {
        self.totals.ios() >= ios_max && self.totals.transfers >= self.totals.measured_places
    }

    /// Ends the first phase of the load here.
    fn end_beginning(&mut self) {
        let beginning = &mut self.stationarity.beginning;
        if beginning.ended.is_none() {
            let level = self.page_cache.level();
            let moved = self.totals.bytes - beginning.began.1;
            beginning.is_of_page_cache =
                2 * level.holds > level.received && level.holds * HELD_SHARE > moved;
            beginning.ended = Some((self.now, self.totals.bytes));
            beginning.error = self.totals.batches.rate().map(|rate| rate.error);
        }
    }

    /// Begins the first phase of the load here, unless it is over.
    pub(super) fn begin_beginning(&mut self) {
        let beginning = &mut self.stationarity.beginning;
        if beginning.ended.is_none() {
            beginning.began = (self.now, self.totals.bytes);
        }
    }

    fn judge_fresh(&mut self, limits: &Limits) -> Option<Ending> {
        if self.is_known(limits) {
            return Some(Ending::Complete);
        }
        if self.is_spent(limits.ios_max) {
            self.totals.is_bounded = true;
            return Some(Ending::Bounded);
        }
        None
    }

    /// Returns whether the rate is known well enough.
    fn is_known(&mut self, limits: &Limits) -> bool {
        let totals = &self.totals;
        if totals.bios - totals.bios_before < BIOS_MIN {
            return false;
        }
        let Some(width) = totals.batches.relative_half_width() else {
            return false;
        };
        let same_for = &mut self.stationarity.same_for;
        same_for.is_wide_enough(limits.half_width, width) && !self.starves()
    }

    /// Returns the half widths for which this simulation would have been the same.
    pub fn same_for(&self) -> SameFor {
        self.stationarity.same_for
    }

    /// Returns whether an I/O of the load in flight has waited for more than half of the recording: streams
    /// that take turns at a disk's arm have steady rates until the next one's turn comes.
    fn starves(&self) -> bool {
        let began = self.totals.recording.unwrap_or_default();
        let of_load = self.ios.in_use().filter(|io| {
            let job = self.jobs.get(io.job as usize);
            io.kind != Kind::ReadAhead && job.is_some_and(|job| job.is_measured)
        });
        let first = of_load.map(|io| io.submitted).min();
        let waited = first.map_or(0, |first| self.now.since(first).as_u64());
        2 * waited > self.now.since(began).as_u64()
    }

    /// Evaluates a window of the warm-up.
    fn judge_window(&mut self, limits: &Limits) {
        let is_spent = self.is_spent(limits.ios_max / 2);
        self.shorten_first_window();
        if self.totals.batches.ios() < self.stationarity.window_ios && !is_spent {
            return;
        }
        let rate = self.totals.batches.rate();
        let changing = self.changing(2);
        let had_begun = std::mem::replace(&mut self.stationarity.has_begun, true);
        if had_begun {
            self.end_beginning();
        }
        if is_spent {
            self.stationarity.still_changing = changing.or(Some(Changing::Throughput));
            self.begin_window();
            self.stationarity.is_recorded = true;
            return;
        }
        if had_begun && changing.is_some_and(|what| self.jump(what, limits)) {
            self.stationarity.rate_before = None;
            self.begin_window();
            return;
        }
        let before = std::mem::replace(
            &mut self.stationarity.rate_before,
            rate.filter(|_| had_begun),
        );
        let is_alike = before
            .zip(rate)
            .is_some_and(|(before, rate)| before.is_like(rate));
        let is_settled = self.now >= Instant::START + self.cores.settle_after();
        if changing.is_none() && is_alike && is_settled {
            if self.age_again() {
                self.stationarity.rate_before = None;
                self.begin_window();
            } else {
                self.stationarity.is_recorded = true;
            }
            return;
        }
        if had_begun {
            self.stationarity.window_ios *= 2;
        }
        self.begin_window();
    }

    /// Ends the first window here if its few I/Os are large and come one by one: each meets most of the
    /// members. Several at a time also have to settle among themselves.
    fn shorten_first_window(&mut self) {
        let (ios, stationarity) = (self.totals.batches.ios(), &mut self.stationarity);
        let bios = self.totals.bios - self.totals.bios_before;
        let is_long = ios >= LARGE_IOS_MIN && bios >= WINDOW_BIOS;
        if is_long && stationarity.is_one_by_one && !stationarity.has_begun {
            stationarity.window_ios = stationarity.window_ios.min(ios);
        }
    }

    /// Evaluates the recording.
    fn judge_recording(&mut self, limits: &Limits) -> Option<Ending> {
        let is_spent = self.is_spent(limits.ios_max)
            && self.totals.batches.ios() >= self.totals.measured_places;
        let is_long =
            self.totals.batches.ios() >= self.stationarity.window_ios && self.is_recorded_long();
        let is_enough = is_long && self.is_known(limits);
        if !is_spent && !is_enough {
            return None;
        }
        let halves_agree = self
            .totals
            .batches
            .halves()
            .is_some_and(|(first, second)| first.is_like(second));
        let changing = self
            .changing(RUNS_MIN)
            .or((!halves_agree).then_some(Changing::Throughput));
        match (changing, is_spent) {
            (None, _) => self.stationarity.still_changing = None,
            (Some(_), true) => self.stationarity.still_changing = changing,
            (Some(_), false) => {
                // The recording is not stationary: back to windows.
                self.stationarity.window_ios = 2 * self.totals.batches.ios();
                self.stationarity.rate_before = None;
                self.stationarity.is_recorded = false;
                self.begin_window();
                return None;
            }
        }
        self.totals.is_bounded = is_spent && !self.is_known(limits);
        Some(match is_spent {
            true => Ending::Bounded,
            false => Ending::Complete,
        })
    }

    /// Begins a window here.
    pub(super) fn begin_window(&mut self) {
        self.begin_recording();
        self.stationarity.window_began = self.now;
        self.stationarity.levels_before = self.levels();
        if self.stationarity.phase == MeasuredPhase::Steady {
            let level = self.stationarity.levels_before.first();
            self.totals.batches.follow(level);
        }
        self.stationarity.traffic_before = self.traffic();
        let areas = self.members.iter().map(|member| member.device.fast_area());
        for (before, area) in self.stationarity.fast_before.iter_mut().zip(areas) {
            *before = area.map_or(0, |(used, _)| used);
        }
        let now = self.now;
        let buffers = self.members.iter().map(|member| member.device.buffer(now));
        for (before, buffer) in self.stationarity.buffers_before.iter_mut().zip(buffers) {
            *before = buffer.map_or(0, |(used, _)| used);
        }
    }

    pub(super) fn traffic(&self) -> Traffic {
        let bitmap = self.layers.bitmap.as_ref();
        bitmap.map_or(Traffic::default(), |bitmap| bitmap.traffic())
    }

    pub(super) fn levels(&self) -> FillLevels {
        let mut levels = FillLevels::default();
        for member in &self.members {
            member.device.add_levels(self.now, &mut levels);
        }
        levels.page_cache = self.page_cache.level();
        let traffic = self.traffic();
        levels.bitmap = FillLevel {
            holds: traffic.left_set,
            received: traffic.bits_set,
        };
        levels
    }

    /// Returns the memory whose fill changed in this window; at least `runs` of the bitmap's daemon
    /// are needed to tell whether its bits did.
    fn changing(&self, runs: u64) -> Option<Changing> {
        let levels = self.levels().named();
        let before = self.stationarity.levels_before.named();
        let mut changed = levels.iter().zip(&before);
        let is_limited = self.totals.batches.is_limited();
        let found = changed.find(|((what, now), (_, before))| match what {
            Changing::Bitmap => self.bits_change(runs),
            // The rate allows for what the first one gained.
            Changing::PageCache if is_limited => false,
            Changing::WriteCache if is_limited && self.page_cache.level().received == 0 => false,
            _ => now.moved(before) * MOVED_SHARE > now.flow(before),
        });
        found.map(|((what, _), _)| *what)
    }

    /// Returns how long the recording would have taken in the long run, where no memory gains anything:
    /// the rate of the sample is the estimate of [`Batches::rate`](crate::steady::Batches::rate).
    pub(super) fn long_run_time(&self, elapsed: Nanos) -> Nanos {
        Nanos::new(whole(
            as_f64(elapsed.as_u64()) / self.totals.batches.long_run(),
        ))
    }

    fn bits_change(&self, runs: u64) -> bool {
        let (now, before) = (self.traffic(), self.stationarity.traffic_before);
        let bits = now.bits_set - before.bits_set;
        if bits * WRITES_PER_BIT <= now.writes - before.writes {
            return false;
        }
        let moved = now.left_set.abs_diff(before.left_set);
        now.runs - before.runs < runs || moved * BITS_SHARE > bits
    }

    /// Returns the rate of the long run, in bytes per nanosecond, and by how many bytes the load was ahead of
    /// it by now; `None` if that is not known or not asked, or if there is nothing that could fill.
    fn long_run(&self) -> Option<(f64, f64)> {
        let stationarity = &self.stationarity;
        let began = self.totals.recording?;
        let has_memory = self
            .levels()
            .named()
            .iter()
            .any(|(_, level)| level.received > 0);
        if stationarity.phase != MeasuredPhase::Steady
            || stationarity.still_changing.is_some()
            || !has_memory
        {
            return None;
        }
        let recorded = as_f64(self.totals.read.bytes + self.totals.write.bytes);
        let elapsed = self.long_run_time(self.now.since(began));
        let rate = recorded / as_f64(elapsed.as_u64().max(1));
        let (start, before) = stationarity.beginning.began;
        let time_ns = as_f64(self.now.since(start).as_u64()) + stationarity.skipped_ns;
        let all = as_f64(self.totals.bytes - before) + stationarity.skipped_bytes;
        Some((rate, all - rate * time_ns))
    }

    /// Returns the first phase of the load, if its rate differs from the long run's.
    pub(super) fn onset(&self) -> Option<Onset> {
        let stationarity = &self.stationarity;
        let (ended, bytes) = stationarity.beginning.ended?;
        let (rest, surplus) = self.long_run()?;
        let (start, before) = stationarity.beginning.began;
        let ended_ns = ended.since(start).as_u64();
        let first = as_f64(bytes - before) / as_f64(ended_ns.max(1));
        let recorded = as_f64(self.totals.read.bytes + self.totals.write.bytes);
        let half_width = self.totals.batches.relative_half_width().unwrap_or(1.0);
        let error = stationarity.beginning.error.unwrap_or(ERROR_OF_FEW);
        let noise = ERRORS * (half_width * rest).max(error.min(ERROR_MOST) * first);
        if (first - rest).abs() <= noise.max(ONSET_MIN * rest) {
            return None;
        }
        // The point where the line of the first rate meets that of the long-run rate.
        let meets_ns = surplus / (first - rest);
        if meets_ns < as_f64(ended_ns) / 2.0 {
            return None;
        }
        let transfers =
            as_f64(self.totals.read.latencies.count() + self.totals.write.latencies.count());
        Some(Onset {
            is_of_caches: stationarity.beginning.is_of_page_cache,
            bytes_per_s: first * 1e9,
            ios_per_s: first * 1e9 * transfers / recorded.max(1.0),
            bytes: Bytes::new(whole(first * meets_ns)),
            time_ns: Nanos::new(whole(meets_ns)),
        })
    }
}

impl Rate {
    /// Returns whether two rates are equal within their noise.
    fn is_like(self, other: Rate) -> bool {
        let difference = (self.mean - other.mean).abs();
        let noise = libm::hypot(self.error * self.mean, other.error * other.mean);
        difference <= (ERRORS * noise).max(ALIKE * self.mean.max(other.mean))
    }
}

/// Returns a float as a count of bytes or nanoseconds.
pub(super) fn whole(value: f64) -> u64 {
    truncated(value.clamp(0.0, 1e18))
}
