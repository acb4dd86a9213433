//! The effect of a failure on the load: throughput before it, during it and after it, and the
//! duration of the rebuild.
//!
//! Each sample has its own times of events; only whole steps of the sample's series within a phase
//! count. The values of the samples make an estimate, as for any metric.

use serde::Serialize;
use stripewise_message::Message;
use stripewise_stats::{Estimate, Level, Series as Values, median_interval};
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::series::Happened;
use stripewise_units::Nanos;

/// The end of a rebuild is this part of its steps.
const LATE_PART: usize = 4;

/// A part of a sample with one state of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Before the failure.
    Whole,
    /// A member is missing.
    Degraded,
    /// md is rebuilding the replacement.
    Rebuilding,
    /// The array has full redundancy again.
    WholeAgain,
}

impl Phase {
    /// All phases in the order of time.
    pub const ALL: [Phase; 4] = [
        Phase::Whole,
        Phase::Degraded,
        Phase::Rebuilding,
        Phase::WholeAgain,
    ];

    /// Returns a short name of the phase.
    pub fn message(self) -> Message {
        Message::new(match self {
            Phase::Whole => "phase-whole",
            Phase::Degraded => "phase-degraded",
            Phase::Rebuilding => "phase-rebuilding",
            Phase::WholeAgain => "phase-whole-again",
        })
    }
}

/// The throughput of one phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PhaseLoad {
    /// The phase.
    pub phase: Phase,
    /// Bytes per second in both directions.
    pub bandwidth_bytes_per_s: Estimate,
}

/// The duration of a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RebuildTime {
    /// Whether it finished in every sample.
    pub is_done: bool,
    /// Its duration. If it did not finish, the rest is extrapolated from its speed at the end of the
    /// sample, which a new disk or a full memory may have slowed down, where the source counts steps;
    /// else from its mean speed.
    pub time_ns: Estimate,
    /// Its speed on the member, per second: that at the end of the sample if it did not finish.
    pub speed_bytes_per_s: Option<Estimate>,
}

/// The timeline of a cell's failure, from its samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timeline {
    /// The phases that occurred, in the order of time.
    pub phases: Vec<PhaseLoad>,
    /// The rebuild, if there was one.
    pub rebuild: Option<RebuildTime>,
}

/// The times of events in one sample.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    failed: Option<Nanos>,
    back: Option<Nanos>,
    done: Option<Nanos>,
}

impl Moments {
    fn of(sample: &Sample) -> Self {
        let mut moments = Moments::default();
        for event in &sample.events {
            let moment = match event.what {
                Happened::Failed { .. } => &mut moments.failed,
                Happened::Replaced { .. } | Happened::ReAdded { .. } => &mut moments.back,
                Happened::RebuildDone { .. } => &mut moments.done,
                _ => continue,
            };
            moment.get_or_insert(event.at_ns);
        }
        moments
    }

    /// Returns the beginning and the end of a phase, in a sample of `elapsed`.
    fn span(&self, phase: Phase, elapsed: Nanos) -> Option<(Nanos, Nanos)> {
        let failed = self.failed?;
        let back = self.back.unwrap_or(elapsed);
        let done = self.done.unwrap_or(elapsed);
        let (from, to) = match phase {
            Phase::Whole => (Nanos::default(), failed),
            Phase::Degraded => (failed, back),
            Phase::Rebuilding => (self.back?, done),
            Phase::WholeAgain => (self.done?, elapsed),
        };
        (from < to).then_some((from, to))
    }
}

/// Returns the timeline of a cell's failure; `None` if nothing failed.
pub fn timeline<'a>(samples: impl Iterator<Item = &'a Sample> + Clone) -> Option<Timeline> {
    let fails = |sample: &Sample| Moments::of(sample).failed.is_some();
    if !samples.clone().any(fails) {
        return None;
    }
    let load = |phase: Phase| {
        let values = samples.clone().map(|sample| {
            let (from, to) = Moments::of(sample).span(phase, sample.elapsed_ns)?;
            sample.series.as_ref()?.bytes_per_s(from, to)
        });
        let bandwidth_bytes_per_s = estimate(values)?;
        Some(PhaseLoad {
            phase,
            bandwidth_bytes_per_s,
        })
    };
    Some(Timeline {
        phases: Phase::ALL.into_iter().filter_map(load).collect(),
        rebuild: rebuild(samples.clone()),
    })
}

fn rebuild<'a>(samples: impl Iterator<Item = &'a Sample> + Clone) -> Option<RebuildTime> {
    let is_done = |sample: &Sample| Moments::of(sample).done.is_some();
    let progress = samples.clone().map(progress);
    Some(RebuildTime {
        is_done: samples.clone().all(is_done),
        time_ns: estimate(progress.clone().map(|one| one.map(|one| one.time_ns)))?,
        speed_bytes_per_s: estimate(progress.map(|one| one?.speed_bytes_per_s)),
    })
}

/// The rebuild of one sample.
#[derive(Debug, Clone, Copy)]
struct Progress {
    time_ns: f64,
    speed_bytes_per_s: Option<f64>,
}

fn progress(sample: &Sample) -> Option<Progress> {
    let began = sample.events.iter().find_map(|event| match event.what {
        Happened::RebuildBegan { .. } => Some(event.at_ns),
        _ => None,
    })?;
    sample.events.iter().find_map(|event| {
        let span = event.at_ns.as_u64().checked_sub(began.as_u64())?;
        let span_ns = as_f64(span);
        match event.what {
            Happened::RebuildDone { rebuilt_bytes } => Some(Progress {
                time_ns: span_ns,
                speed_bytes_per_s: rebuilt_bytes
                    .filter(|_| span > 0)
                    .map(|bytes| as_f64(bytes.as_u64()) / (span_ns / 1e9)),
            }),
            Happened::RebuildUnfinished {
                reached_bytes,
                size_bytes,
            } if reached_bytes.as_u64() > 0 && span > 0 => {
                let reached = as_f64(reached_bytes.as_u64());
                let left = size_bytes.as_u64().saturating_sub(reached_bytes.as_u64());
                let mean = reached / (span_ns / 1e9);
                let speed = mean * late_share(sample, began, event.at_ns).unwrap_or(1.0);
                (speed > 0.0).then(|| Progress {
                    time_ns: span_ns + as_f64(left) / speed * 1e9,
                    speed_bytes_per_s: Some(speed),
                })
            }
            _ => None,
        }
    })
}

/// Returns the speed of a rebuild in its last steps over its mean speed: at first, the memory of a disk
/// takes what its flash takes more slowly later. `None` if its steps are too few, or not counted.
fn late_share(sample: &Sample, began: Nanos, ended: Nanos) -> Option<f64> {
    let series = sample.series.as_ref()?;
    let step = series.step_ns.as_u64().max(1);
    let first = usize::try_from(began.as_u64().div_ceil(step)).ok()?;
    // The last step may be partial.
    let end = usize::try_from(ended.as_u64() / step).ok()?;
    let steps = series.rebuilt_bytes.get(first..end)?;
    let late = &steps[steps.len() - steps.len() / LATE_PART..];
    let mean = |steps: &[u64]| {
        let sum = steps.iter().map(|bytes| as_f64(*bytes)).sum::<f64>();
        (!steps.is_empty()).then(|| sum / as_f64(steps.len() as u64))
    };
    let (late, mean) = (mean(late)?, mean(steps)?);
    (mean > 0.0).then(|| late / mean)
}

/// Returns the estimate of values, if every sample has one.
fn estimate(values: impl Iterator<Item = Option<f64>>) -> Option<Estimate> {
    let values: Option<Vec<f64>> = values.collect();
    let values = Values::new(values?).ok()?;
    Some(median_interval(&values, Level::P95))
}

#[cfg(test)]
#[path = "timeline_tests.rs"]
mod tests;
