//! Whether what is seen is the long run.
//!
//! ```text
//!  I/Os:  | queues fill | window | window, twice as long | ... | recorded | more if it still changes
//!                            ^ what a memory only fills is skipped (`skip`)
//! ```
//!
//! A load sees one rate while a write cache fills and another when it is full. A plateau of the rate
//! proves nothing, therefore: in a stationary window as much leaves each memory as comes into it, and
//! the rate is that of the window before, as far as their noise can tell. The same is asked of what is
//! recorded, at its end. Where the effort ends before all of that holds, the sample says what changed.

use stripewise_study::sample::Onset;
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::warning::{Changing, Warning};

use super::books::Books;
use super::{Ending, Limits, Simulation};
use crate::array::bitmap::Traffic;
use crate::device::level::{Level, Levels};
use crate::narrow::truncated;
use crate::steady::Rate;
use crate::units::Instant;
use stripewise_study::sample::as_f64;

/// The fewest I/Os of a window, so that its batches have an interval.
const WINDOW_IOS_MIN: u64 = 64;
/// The fewest bios at the members of a recording: large I/Os are many.
const BIOS_MIN: u64 = 2048;
/// A memory is steady if what it gained or lost is less than this share of what came in.
pub(super) const MOVED_SHARE: u64 = 100;
/// Bits of a bitmap that are set less often than once in so many writes do not matter.
const WRITES_PER_BIT: u64 = 1000;
/// The bits that the daemon leaves move by chance more than a cache does: by less than this share.
const BITS_SHARE: u64 = 20;
/// How many runs of the bitmap's daemon a recording holds where bits come and go.
const RUNS_MIN: u64 = 4;
/// By how much two windows may differ in any case.
const ALIKE: f64 = 0.005;
/// By how many standard errors they may differ.
const ERRORS: f64 = 3.0;
/// The most jumps; a memory that still moves after as many is one that no jump brings to rest.
const JUMPS_MAX: u32 = 24;
/// The error of a beginning of a few I/Os.
const ERROR_OF_FEW: f64 = 0.1;
/// How much the beginning differs from the rest, at least, to be told.
const ONSET_MIN: f64 = 0.02;

/// What a simulation is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// The long run.
    Steady,
    /// What comes first.
    Fresh,
    /// What happens in a stated time.
    Timed,
}

/// Where the windows stand.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) course: Course,
    /// How many measured I/Os the window under way has, at least.
    window_ios: u64,
    /// Whether the queues have filled.
    has_begun: bool,
    pub(super) window_began: Instant,
    pub(super) levels_before: Levels,
    pub(super) traffic_before: Traffic,
    rate_before: Option<Rate>,
    /// What each member's fast area held when the window began.
    pub(super) fast_before: Vec<u64>,
    pub(super) jumps_left: u32,
    /// The rate of writes, per second, for which the bits of the bitmap were made.
    pub(super) relived_per_s: Option<f64>,
    /// What still changed when there was no effort left to wait for it.
    unproved: Option<Changing>,
    beginning: Beginning,
    /// What was jumped over.
    pub(super) skipped_bytes: f64,
    pub(super) skipped_ns: f64,
}

/// What the load saw first.
#[derive(Debug, Clone, Copy, Default)]
struct Beginning {
    /// When that ended and how much had been done; nothing while it goes on.
    ended: Option<(Instant, u64)>,
    /// Its standard error over its rate.
    error: Option<f64>,
}

impl Proof {
    pub(super) fn new(course: Course, measured_places: u64, members: usize) -> Self {
        Self {
            course,
            window_ios: (2 * measured_places + 8).max(WINDOW_IOS_MIN),
            has_begun: false,
            window_began: Instant::START,
            levels_before: Levels::default(),
            traffic_before: Traffic::default(),
            rate_before: None,
            fast_before: vec![0; members],
            jumps_left: JUMPS_MAX,
            relived_per_s: None,
            unproved: None,
            beginning: Beginning::default(),
            skipped_bytes: 0.0,
            skipped_ns: 0.0,
        }
    }

    /// Returns whether the simulation must check if the first memory is full.
    #[inline]
    pub(super) fn watches(&self) -> bool {
        match self.course {
            Course::Steady => self.beginning.ended.is_none(),
            Course::Fresh => true,
            Course::Timed => false,
        }
    }

    /// Returns the warning of a sample that is not proved to show the long run.
    pub(super) fn warning(&self, ios: u64) -> Option<Warning> {
        self.unproved
            .map(|changing| Warning::NotStationary { changing, ios })
    }
}

impl Books {
    /// Returns what was simulated: host I/Os, bios at the members, and the pages of flash.
    #[inline]
    pub(super) fn ios(&self) -> u64 {
        self.host_ios + self.bios + self.flash_effort
    }
}

impl Simulation {
    /// Looks whether there is something to decide; returns how the simulation ends, if it does.
    #[inline]
    pub(super) fn judge(&mut self, limits: &Limits) -> Option<Ending> {
        if self.proof.course == Course::Timed {
            return self.judge_timed(limits);
        }
        if self.proof.watches()
            && self.books.transfers >= self.books.measured_places
            && self.has_filled()
        {
            if self.proof.course == Course::Fresh {
                return Some(Ending::Complete);
            }
            self.end_beginning();
        }
        if !self.books.batch_is_full {
            return None;
        }
        self.books.batch_is_full = false;
        match (self.books.recording, self.proof.course) {
            (None, _) => {
                self.judge_window(limits);
                None
            }
            (Some(_), Course::Fresh) => self.judge_fresh(limits),
            (Some(_), _) => self.judge_recording(limits),
        }
    }

    /// Returns whether a memory has been full.
    fn has_filled(&self) -> bool {
        self.page_cache.has_filled() || self.members.iter().any(|member| member.device.has_filled())
    }

    /// Returns whether more effort than that is spent, and each place of the queues had an I/O.
    fn is_spent(&self, ios_max: u64) -> bool {
        self.books.ios() >= ios_max && self.books.transfers >= self.books.measured_places
    }

    /// What was seen so far is how the load began.
    fn end_beginning(&mut self) {
        let beginning = &mut self.proof.beginning;
        if beginning.ended.is_none() {
            beginning.ended = Some((self.now, self.books.bytes));
            beginning.error = self.books.batches.rate().map(|rate| rate.error);
        }
    }

    fn judge_fresh(&mut self, limits: &Limits) -> Option<Ending> {
        if self.is_known(limits) || self.bits_are_set() {
            return Some(Ending::Complete);
        }
        if self.is_spent(limits.ios_max) {
            self.books.is_bounded = true;
            return Some(Ending::Bounded);
        }
        None
    }

    /// Returns whether the writes find clearly fewer clear bits in the bitmap than the first ones did.
    fn bits_are_set(&self) -> bool {
        let Some(bitmap) = &self.layers.bitmap else {
            return false;
        };
        let traffic = bitmap.traffic();
        // A quarter of all that a clear bitmap would have had set: then half of them are set at the end.
        self.books.transfers >= self.books.measured_places.max(WINDOW_IOS_MIN)
            && 4 * traffic.bits_set < 3 * traffic.writes
            && 4 * traffic.bits_set > traffic.writes
    }

    fn is_known(&self, limits: &Limits) -> bool {
        let books = &self.books;
        books.bios - books.bios_before >= BIOS_MIN
            && books
                .batches
                .relative_half_width()
                .is_some_and(|width| width <= limits.half_width)
    }

    /// Decides about a window of the warm-up.
    fn judge_window(&mut self, limits: &Limits) {
        let is_spent = self.is_spent(limits.ios_max / 2);
        if self.books.batches.ios() < self.proof.window_ios && !is_spent {
            return;
        }
        let rate = self.books.batches.rate();
        let changing = self.changing(2);
        let had_begun = std::mem::replace(&mut self.proof.has_begun, true);
        if had_begun {
            self.end_beginning();
        }
        if is_spent {
            self.proof.unproved = changing.or(Some(Changing::Throughput));
            self.begin_recording();
            return;
        }
        if had_begun && changing.is_some_and(|what| self.jump(what, limits)) {
            self.proof.rate_before = None;
            self.begin_window();
            return;
        }
        let before = std::mem::replace(&mut self.proof.rate_before, rate.filter(|_| had_begun));
        let is_alike = before
            .zip(rate)
            .is_some_and(|(before, rate)| before.is_like(rate));
        if changing.is_none() && is_alike {
            self.begin_recording();
        } else if had_begun {
            self.proof.window_ios *= 2;
        }
        self.begin_window();
    }

    /// Decides about what is recorded.
    fn judge_recording(&mut self, limits: &Limits) -> Option<Ending> {
        let is_spent =
            self.is_spent(limits.ios_max) && self.books.batches.ios() >= self.books.measured_places;
        let is_long = self.books.batches.ios() >= self.proof.window_ios;
        let is_enough = is_long && self.is_known(limits);
        if !is_spent && !is_enough {
            return None;
        }
        let halves_agree = self
            .books
            .batches
            .halves()
            .is_some_and(|(first, second)| first.is_like(second));
        let changing = self
            .changing(RUNS_MIN)
            .or((!halves_agree).then_some(Changing::Throughput));
        match (changing, is_spent) {
            (None, _) => self.proof.unproved = None,
            (Some(_), true) => self.proof.unproved = changing,
            (Some(_), false) => {
                // It was not the long run: back to windows.
                self.proof.window_ios = 2 * self.books.batches.ios();
                self.proof.rate_before = None;
                self.books.recording = None;
                self.begin_window();
                return None;
            }
        }
        self.books.is_bounded = is_spent && !self.is_known(limits);
        Some(match is_spent {
            true => Ending::Bounded,
            false => Ending::Complete,
        })
    }

    /// Begins a window here.
    pub(super) fn begin_window(&mut self) {
        self.books.batches.clear(self.now.as_nanos());
        self.proof.window_began = self.now;
        self.proof.levels_before = self.levels();
        self.proof.traffic_before = self.traffic();
        let areas = self.members.iter().map(|member| member.device.fast_area());
        for (before, area) in self.proof.fast_before.iter_mut().zip(areas) {
            *before = area.map_or(0, |(used, _)| used);
        }
    }

    fn traffic(&self) -> Traffic {
        let bitmap = self.layers.bitmap.as_ref();
        bitmap.map_or(Traffic::default(), |bitmap| bitmap.traffic())
    }

    pub(super) fn levels(&self) -> Levels {
        let mut levels = Levels::default();
        for member in &self.members {
            member.device.add_levels(self.now, &mut levels);
        }
        levels.page_cache = self.page_cache.level();
        let traffic = self.traffic();
        levels.bitmap = Level {
            holds: traffic.left_set,
            came: traffic.bits_set,
        };
        levels
    }

    /// Returns what gained or lost something in this window; `runs` of the bitmap's daemon at least tell
    /// whether its bits do.
    fn changing(&self, runs: u64) -> Option<Changing> {
        let levels = self.levels().named();
        let before = self.proof.levels_before.named();
        let mut changed = levels.iter().zip(&before);
        let found = changed.find(|((what, now), (_, before))| match what {
            Changing::Bitmap => self.bits_change(runs),
            _ => now.moved(before) * MOVED_SHARE > now.flow(before),
        });
        found.map(|((what, _), _)| *what)
    }

    fn bits_change(&self, runs: u64) -> bool {
        let (now, before) = (self.traffic(), self.proof.traffic_before);
        let bits = now.bits_set - before.bits_set;
        if bits * WRITES_PER_BIT <= now.writes - before.writes {
            return false;
        }
        let moved = now.left_set.abs_diff(before.left_set);
        now.runs - before.runs < runs || moved * BITS_SHARE > bits
    }

    /// Returns what the load saw first, if that is another rate than the long run's.
    pub(super) fn onset(&self) -> Option<Onset> {
        let proof = &self.proof;
        let (ended, bytes) = proof.beginning.ended?;
        let began = self.books.recording?;
        let has_memory = self
            .levels()
            .named()
            .iter()
            .any(|(_, level)| level.came > 0);
        if proof.course != Course::Steady || proof.unproved.is_some() || !has_memory {
            return None;
        }
        let first = as_f64(bytes) / as_f64(ended.as_nanos().max(1));
        let recorded = as_f64(self.books.read.bytes + self.books.write.bytes);
        let rest = recorded / as_f64(self.now.since(began).as_u64().max(1));
        let half_width = self.books.batches.relative_half_width().unwrap_or(1.0);
        let noise =
            ERRORS * (half_width * rest).max(proof.beginning.error.unwrap_or(ERROR_OF_FEW) * first);
        if (first - rest).abs() <= noise.max(ONSET_MIN * rest) {
            return None;
        }
        // Where the line of the first rate meets that of the last one.
        let time_ns = as_f64(self.now.as_nanos()) + proof.skipped_ns;
        let all = as_f64(self.books.bytes) + proof.skipped_bytes;
        let meets_ns = (all - rest * time_ns) / (first - rest);
        if meets_ns < as_f64(ended.as_nanos()) / 2.0 {
            return None;
        }
        let transfers =
            as_f64(self.books.read.latencies.count() + self.books.write.latencies.count());
        Some(Onset {
            bytes_per_s: first * 1e9,
            ios_per_s: first * 1e9 * transfers / recorded.max(1.0),
            bytes: Bytes::new(whole(first * meets_ns)),
            time_ns: Nanos::new(whole(meets_ns)),
        })
    }
}

impl Rate {
    /// Returns whether two rates are the same, as far as their noise can tell.
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
