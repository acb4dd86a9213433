//! How long guests with virtual time take on this machine.
//!
//! The time in such a guest counts instructions, which the machine executes more slowly; idle time
//! costs nothing. So the real time of a sample depends on the load, and we only learn it from
//! samples. Each session adds its own to a file in the cache.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use stripewise_study::limits::{JsonLimits, ListLimit, OURS};
use stripewise_units::Nanos;

use crate::cache::Cache;

/// The file in the cache.
const FILE: &str = "pace.json";
/// The most bytes of the file that are read.
const BYTES_MAX: u64 = 64 << 10;
/// How many of the latest samples and builds are kept: enough for a median over several studies.
const KEPT_MAX: usize = 64;

/// The guest time that starting and ending fio adds to each sample.
pub const SAMPLE_OVERHEAD: Duration = Duration::from_millis(300);

/// The limits of the file.
const LIMITS: JsonLimits = JsonLimits {
    lists: &[&[
        ListLimit::of::<f64>("seconds", KEPT_MAX),
        ListLimit::of::<f64>("build_s", KEPT_MAX),
    ]],
    ..OURS
};

/// What was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Measured {
    /// The real seconds of each guest second of a sample, the latest last.
    seconds: Vec<f64>,
    /// The real seconds of building a stack and writing its test files, the latest last.
    build_s: Vec<f64>,
}

/// How long guests with virtual time take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// The real seconds of each guest second of a sample.
    pub seconds: f64,
    /// The real time of building a stack and writing its test files.
    pub build: Duration,
    /// The number of samples from which it is known; 0 if it is assumed.
    pub samples: usize,
}

impl Pace {
    /// What is assumed if nothing was measured.
    pub const ASSUMED: Self = Self {
        seconds: 6.0,
        build: Duration::from_secs(4),
        samples: 0,
    };

    /// Returns the pace of earlier samples with the guests of `cache`, else what is assumed.
    pub fn of(cache: &Cache) -> Self {
        let measured = read(cache);
        let build = median(&measured.build_s).map(Duration::try_from_secs_f64);
        Self {
            seconds: median(&measured.seconds).unwrap_or(Self::ASSUMED.seconds),
            build: build.and_then(Result::ok).unwrap_or(Self::ASSUMED.build),
            samples: measured.seconds.len(),
        }
    }

    /// Returns the real time of samples that take `guest` of the guest's time, and of so many
    /// builds.
    pub fn real_time(&self, guest: Duration, builds: u32) -> Duration {
        let samples = Duration::try_from_secs_f64(guest.as_secs_f64() * self.seconds);
        samples
            .unwrap_or(Duration::MAX)
            .saturating_add(self.build.saturating_mul(builds))
    }
}

/// The least time of a warm-up.
const WARM_UP_MIN: Nanos = Nanos::from_millis(500);

/// Returns the guest time of a warm-up of samples that take `sample`: a tenth of it, but not less
/// than `WARM_UP_MIN` or the sample.
pub fn warm_up(sample: Nanos) -> Nanos {
    Nanos::new(sample.as_u64() / 10)
        .max(WARM_UP_MIN)
        .min(sample)
}

/// The times of one session.
#[derive(Debug, Default)]
pub(crate) struct Session(Measured);

impl Session {
    /// Records that a sample of `duration` took `real` time.
    pub(crate) fn sampled(&mut self, duration: Nanos, real: Duration) {
        let guest = Duration::from(duration) + SAMPLE_OVERHEAD;
        self.0
            .seconds
            .push(real.as_secs_f64() / guest.as_secs_f64());
    }

    /// Records that building a stack took `real` time.
    pub(crate) fn built(&mut self, real: Duration) {
        self.0.build_s.push(real.as_secs_f64());
    }

    /// Adds the times to those in the cache, once.
    pub(crate) fn save(&mut self, cache: &Cache) {
        let ours = std::mem::take(&mut self.0);
        if ours.seconds.is_empty() {
            return;
        }
        let mut all = read(cache);
        for (all, ours) in [
            (&mut all.seconds, ours.seconds),
            (&mut all.build_s, ours.build_s),
        ] {
            all.extend(ours);
            let excess = all.len().saturating_sub(KEPT_MAX);
            all.drain(..excess);
        }
        // A cache of another user stays as it is: the next estimate is then older.
        let _lost = write(cache, &all);
    }
}

fn read(cache: &Cache) -> Measured {
    let read = || {
        use std::io::Read;
        let file = std::fs::File::open(cache.path().join(FILE)).ok()?;
        let mut text = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut text).ok()?;
        LIMITS.parse::<Measured>(&text).ok()
    };
    let mut measured = read().unwrap_or_default();
    for times in [&mut measured.seconds, &mut measured.build_s] {
        times.retain(|time| time.is_finite() && *time >= 0.0);
    }
    measured
}

/// Replaces the file. One that is cut off counts as none, so nothing has to be renamed, and a killed
/// session leaves no other file.
fn write(cache: &Cache, measured: &Measured) -> std::io::Result<()> {
    std::fs::write(cache.path().join(FILE), serde_json::to_vec(measured)?)
}

fn median(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_is_a_tenth_of_a_long_sample() {
        let of = |millis| warm_up(Nanos::from_millis(millis));
        assert_eq!(of(12_000), Nanos::from_millis(1200));
        assert_eq!(of(3_000), Nanos::from_millis(500));
        assert_eq!(of(200), Nanos::from_millis(200));
    }

    #[test]
    fn the_latest_sessions_decide_and_an_unreadable_file_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        assert_eq!(Pace::of(&cache), Pace::ASSUMED);
        let take = |seconds: u64, count: usize| {
            let mut session = Session::default();
            for _ in 0..count {
                let real = Duration::from_millis(1000 * seconds);
                session.sampled(Nanos::from_millis(700), real);
            }
            session.built(Duration::from_secs(2));
            session.save(&cache);
            // A second call adds nothing.
            session.save(&cache);
        };
        take(3, 10);
        let pace = Pace::of(&cache);
        assert_eq!((pace.seconds, pace.samples), (3.0, 10));
        let guest = Duration::from_secs(20);
        assert_eq!(pace.real_time(guest, 5), Duration::from_secs(70));
        take(8, KEPT_MAX - 1);
        let pace = Pace::of(&cache);
        assert_eq!((pace.seconds, pace.samples), (8.0, KEPT_MAX));
        std::fs::write(folder.path().join(FILE), "{\"seconds\": [").unwrap();
        assert_eq!(Pace::of(&cache), Pace::ASSUMED);
    }
}
