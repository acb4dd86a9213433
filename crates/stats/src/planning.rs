//! How many samples it would take.

use crate::number::{count_as_f64, floor_to_count};
use crate::{Estimate, median_ranks};

/// No forecast reaches beyond this many times the samples at hand: a few samples do not say what hundreds would.
const EXTRAPOLATION_MAX: usize = 10;

/// A number of samples as far as it can be foretold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "forecast", content = "samples", rename_all = "snake_case")]
pub enum Forecast {
    /// About so many.
    About(usize),
    /// More than so many; how many more is beyond what the samples at hand can tell.
    MoreThan(usize),
}

impl Forecast {
    /// Turns a number of samples in all into the number beyond the `samples` at hand, at least 1.
    pub(crate) fn beyond(self, samples: usize) -> Self {
        match self {
            Self::About(all) => Self::About(all.saturating_sub(samples).max(1)),
            Self::MoreThan(all) => Self::MoreThan(all.saturating_sub(samples).max(1)),
        }
    }
}

/// Returns how many samples *in all* would bring the interval within `relative_target` of the value (0.05: 5 %).
///
/// The width of an interval falls with the square root of the number of samples. Without an interval the answer is
/// what the level needs at least, given how much the samples are worth. The forecast is itself uncertain: half as
/// many or twice as many is common. Never less than the samples at hand, unless the target is met already: then it
/// is exactly those.
#[must_use]
pub fn samples_needed(estimate: &Estimate, relative_target: f64) -> Forecast {
    match estimate.relative_half_width() {
        Some(half_width) => scale(estimate.samples, half_width, relative_target),
        // Of a value of 0 nothing is a fraction.
        None if estimate.interval.is_some() => bounded(estimate.samples, f64::INFINITY),
        None => at_least_an_interval(estimate),
    }
}

/// Returns how many samples shrink a half width to a target, when `samples` gave `half_width`.
pub(crate) fn scale(samples: usize, half_width: f64, target: f64) -> Forecast {
    if half_width <= target {
        return Forecast::About(samples);
    }
    // A target of 0 or below is never reached; the maximum turns it into infinitely many samples.
    let ratio = half_width / target.max(0.0);
    bounded(samples, count_as_f64(samples) * ratio * ratio)
}

fn at_least_an_interval(estimate: &Estimate) -> Forecast {
    let independent = (1..).find(|&count| median_ranks(count, estimate.level).is_some());
    let worth = (estimate.effective_samples / count_as_f64(estimate.samples)).min(1.0);
    bounded(
        estimate.samples,
        count_as_f64(independent.unwrap_or(usize::MAX)) / worth,
    )
}

/// Rounds `wanted` up and keeps it to what can be foretold from `samples`.
fn bounded(samples: usize, wanted: f64) -> Forecast {
    let most = samples.saturating_mul(EXTRAPOLATION_MAX);
    if wanted <= count_as_f64(most) {
        Forecast::About(floor_to_count(wanted.ceil()))
    } else {
        Forecast::MoreThan(most)
    }
}
