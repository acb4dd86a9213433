//! When to stop sampling, and the number of samples needed.

use crate::number::{count_as_f64, floor_to_count};
use crate::{Estimate, Level, median_ranks};

/// The limit of a forecast, as a multiple of the present samples: a few samples do not predict
/// hundreds.
const EXTRAPOLATION_MAX: usize = 10;

/// A forecast number of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "forecast", content = "samples", rename_all = "snake_case")]
pub enum Forecast {
    /// About this many.
    About(usize),
    /// More than this many; the present samples support no closer forecast.
    MoreThan(usize),
}

impl Forecast {
    /// Converts a total number of samples into the number beyond the present `samples`, at least 1.
    pub(crate) fn beyond(self, samples: usize) -> Self {
        match self {
            Self::About(all) => Self::About(all.saturating_sub(samples).max(1)),
            Self::MoreThan(all) => Self::MoreThan(all.saturating_sub(samples).max(1)),
        }
    }
}

/// Returns whether an estimate is precise enough to stop sampling: its interval lies within
/// `relative_target` of the value, and its samples are worth at least as many independent ones as
/// the level needs (6 at 95 %).
///
/// The second condition matters: a few samples of slow noise are close together by chance, and the
/// first condition alone would stop there. `ANALYSIS.md` shows the cost and the benefit of each.
#[must_use]
pub fn is_settled(estimate: &Estimate, relative_target: f64) -> bool {
    let narrow = estimate
        .relative_half_width()
        .is_some_and(|half_width| half_width <= relative_target);
    narrow && estimate.effective_samples >= count_as_f64(samples_for_interval(estimate.level))
}

/// Returns the *total* number of samples that would probably settle the estimate in the sense of
/// [`is_settled`].
///
/// `relative_target` is a fraction, 0.05 for 5 %. The width of an interval falls with the square
/// root of the number of samples, and future samples are assumed to be as dependent as the present
/// ones. The forecast is uncertain itself, and more so the fewer samples it rests on. A settled
/// estimate needs exactly the samples it has.
#[must_use]
pub fn samples_needed(estimate: &Estimate, relative_target: f64) -> Forecast {
    let samples = estimate.samples;
    let worth = estimate.effective_samples / count_as_f64(samples);
    let least = count_as_f64(samples_for_interval(estimate.level)) / worth;
    match (estimate.relative_half_width(), estimate.interval) {
        (Some(half_width), _) => {
            let wanted = samples_for_width(samples, half_width, relative_target);
            bounded(samples, wanted.max(least))
        }
        // The value is 0: no relative target can be met.
        (None, Some(_)) => bounded(samples, f64::INFINITY),
        (None, None) => bounded(samples, least),
    }
}

/// Returns the minimum number of samples of an interval: 6 at 95 %.
pub(crate) fn samples_for_interval(level: Level) -> usize {
    let needed = (1..).find(|&count| median_ranks(count, level).is_some());
    needed.unwrap_or(usize::MAX)
}

/// Returns the smallest sufficient number of samples above `samples`, within the limit of
/// forecasts.
///
/// If `is_enough` holds for a number, it must hold for every larger one. Cost: O(log n) calls of
/// it.
pub(crate) fn soonest(samples: usize, is_enough: impl Fn(usize) -> bool) -> Forecast {
    let most = samples.saturating_mul(EXTRAPOLATION_MAX);
    if !is_enough(most) {
        return Forecast::MoreThan(most);
    }
    let (mut too_few, mut enough) = (samples, most);
    while enough - too_few > 1 {
        let middle = usize::midpoint(too_few, enough);
        if is_enough(middle) {
            enough = middle
        } else {
            too_few = middle
        }
    }
    Forecast::About(enough)
}

/// Returns the number of samples that shrinks a half width to a target, if `samples` gave
/// `half_width`; infinity for a target of 0 or below.
fn samples_for_width(samples: usize, half_width: f64, target: f64) -> f64 {
    if half_width <= target {
        return count_as_f64(samples);
    }
    let ratio = half_width / target.max(0.0);
    count_as_f64(samples) * ratio * ratio
}

/// Rounds `wanted` up and limits it to the range of forecasts from `samples`.
fn bounded(samples: usize, wanted: f64) -> Forecast {
    let most = samples.saturating_mul(EXTRAPOLATION_MAX);
    if wanted <= count_as_f64(most) {
        Forecast::About(floor_to_count(wanted.ceil()))
    } else {
        Forecast::MoreThan(most)
    }
}
