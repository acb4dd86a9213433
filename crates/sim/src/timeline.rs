//! The time series of a sample and its events.
//!
//! All steps are allocated at the start. A sample that lasts longer than its steps halves its
//! resolution, so memory does not grow with time and the hot loop does not allocate.

use stripewise_study::series::{Happened, SampleEvent, Series, SeriesColumns};
use stripewise_units::Nanos;

use crate::narrow::index;
use crate::units::Instant;

/// The maximum number of steps.
const STEPS_MAX: usize = 256;
/// The number of steps in a sample of the requested length.
const STEPS: u64 = 100;
/// The shortest step.
const STEP_MIN: Nanos = Nanos::from_millis(1);
/// The maximum events kept: a failure has five.
const EVENTS_MAX: usize = 16;

/// One direction, step by step.
#[derive(Debug)]
struct Column {
    bytes: Vec<u64>,
    ios: Vec<u64>,
    latency_ns: Vec<u64>,
}

impl Column {
    fn new() -> Self {
        let zeroes = || vec![0; STEPS_MAX];
        Self {
            bytes: zeroes(),
            ios: zeroes(),
            latency_ns: zeroes(),
        }
    }

    fn columns(&self, steps: usize) -> SeriesColumns {
        let latencies = self.ios.iter().zip(&self.latency_ns);
        let mean = |(ios, sum): (&u64, &u64)| sum.checked_div(*ios).unwrap_or(0);
        SeriesColumns {
            bytes: self.bytes[..steps].to_vec(),
            ios: self.ios[..steps].to_vec(),
            mean_latency_ns: latencies.take(steps).map(mean).collect(),
        }
    }
}

/// The steps and events of a sample.
#[derive(Debug)]
pub(crate) struct Timeline {
    began: Instant,
    step: Nanos,
    read: Column,
    write: Column,
    rebuilt_bytes: Vec<u64>,
    events: Vec<SampleEvent>,
}

impl Timeline {
    /// Returns an empty timeline for a sample of about `duration`.
    pub(crate) fn new(duration: Nanos) -> Self {
        let mut timeline = Self {
            began: Instant::START,
            step: STEP_MIN,
            read: Column::new(),
            write: Column::new(),
            rebuilt_bytes: vec![0; STEPS_MAX],
            events: Vec::with_capacity(EVENTS_MAX),
        };
        timeline.set_duration(duration);
        timeline
    }

    /// Chooses steps for a sample of about `duration`: whole milliseconds.
    pub(crate) fn set_duration(&mut self, duration: Nanos) {
        let millis = (duration.as_u64() / STEPS).div_ceil(STEP_MIN.as_u64());
        self.step = Nanos::from_millis(millis.max(1));
    }

    /// Begins the sample.
    pub(crate) fn begin(&mut self, at: Instant) {
        self.began = at;
    }

    /// Returns when the sample began.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// Records an I/O that completed at `at`.
    #[inline]
    pub(crate) fn record(&mut self, at: Instant, is_write: bool, bytes: u64, latency_ns: u64) {
        let step = self.step_of(at);
        let column = match is_write {
            true => &mut self.write,
            false => &mut self.read,
        };
        column.bytes[step] += bytes;
        column.ios[step] += 1;
        column.latency_ns[step] += latency_ns;
    }

    /// Records rebuilt bytes.
    pub(crate) fn rebuilt(&mut self, at: Instant, bytes: u64) {
        let step = self.step_of(at);
        self.rebuilt_bytes[step] += bytes;
    }

    /// Records an event.
    pub(crate) fn happened(&mut self, at: Instant, what: Happened) {
        if self.events.len() < EVENTS_MAX {
            let at_ns = at.since(self.began);
            self.events.push(SampleEvent { at_ns, what });
        }
    }

    #[inline]
    fn step_of(&mut self, at: Instant) -> usize {
        loop {
            let step = at.since(self.began).as_u64() / self.step.as_u64();
            if step < STEPS_MAX as u64 {
                return index(step);
            }
            self.fold();
        }
    }

    /// Merges each pair of steps into one.
    fn fold(&mut self) {
        self.step = Nanos::new(self.step.as_u64() * 2);
        let columns = [&mut self.read, &mut self.write];
        let columns = columns
            .into_iter()
            .flat_map(|column| [&mut column.bytes, &mut column.ios, &mut column.latency_ns]);
        for column in columns.chain([&mut self.rebuilt_bytes]) {
            for step in 0..STEPS_MAX {
                column[step] = match step < STEPS_MAX / 2 {
                    true => column[2 * step] + column[2 * step + 1],
                    false => 0,
                };
            }
        }
    }

    /// Returns the steps up to `now`.
    pub(crate) fn series(&self, now: Instant) -> Series {
        let steps = now.since(self.began).as_u64().div_ceil(self.step.as_u64());
        let steps = index(steps.min(STEPS_MAX as u64));
        let rebuilds = self.rebuilt_bytes.iter().any(|bytes| *bytes > 0);
        let rebuilt = match rebuilds {
            true => &self.rebuilt_bytes[..steps],
            false => &[],
        };
        Series {
            step_ns: self.step,
            read: self.read.columns(steps),
            write: self.write.columns(steps),
            rebuilt_bytes: rebuilt.to_vec(),
        }
    }

    /// Returns the events in order.
    pub(crate) fn events(&self) -> &[SampleEvent] {
        &self.events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_lost_however_long_it_takes(
            duration_ms in 1_u64..100_000,
            ios in prop::collection::vec((0_u64..10_000_000_000, any::<bool>(), 1_u64..1 << 20), 0..200),
        ) {
            let mut timeline = Timeline::new(Nanos::from_millis(duration_ms));
            let began = Instant::from_nanos(12_345);
            timeline.begin(began);
            let (mut read, mut write, mut end) = (0, 0, began);
            for (gap, is_write, bytes) in &ios {
                end += Nanos::new(*gap);
                timeline.record(end, *is_write, *bytes, 7);
                match is_write {
                    true => write += bytes,
                    false => read += bytes,
                }
            }
            let series = timeline.series(end + Nanos::new(1));
            prop_assert_eq!(series.read.bytes.iter().sum::<u64>(), read);
            prop_assert_eq!(series.write.bytes.iter().sum::<u64>(), write);
            let done = series.read.ios.iter().chain(&series.write.ios).sum::<u64>();
            prop_assert_eq!(done, ios.len() as u64);
            prop_assert!(series.len() <= STEPS_MAX);
            let means = series.write.mean_latency_ns.iter().chain(&series.read.mean_latency_ns);
            prop_assert!(means.copied().all(|mean| mean == 0 || mean == 7));
        }
    }

    #[test]
    fn a_sample_of_the_requested_length_has_a_hundred_steps() {
        let timeline = Timeline::new(Nanos::from_millis(20_000));
        let series = timeline.series(Instant::START + Nanos::from_millis(20_000));
        assert_eq!(
            (series.len(), series.step_ns),
            (100, Nanos::from_millis(200))
        );
    }
}
