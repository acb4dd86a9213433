//! A first sample unlike the rest: the sign of a warm-up that was too short, or of a cache still
//! empty or full.

use crate::Series;
use crate::median::median_of_sorted;
use crate::series::sorted;

/// The minimum number of other samples to compare the first with.
const REST_COUNT_MIN: usize = 5;
/// The deviation, in robust standard deviations, that counts as unlike; wide, because the spread of
/// a few samples is itself uncertain.
const DEVIATIONS_MIN: f64 = 5.0;
/// The factor from the median absolute deviation to the standard deviation of normal data.
const MAD_TO_DEVIATION: f64 = 1.4826;
/// The distance outside the range of the others, as a fraction of that range. Two modes alone raise
/// no alarm.
const GAP_MIN: f64 = 0.5;
/// The minimum reported difference, as a fraction of the rest's median.
const RELATIVE_MIN: f64 = 0.02;

/// A first sample that is unlike the others.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct UnlikeFirst {
    /// The first sample, in the unit of the samples.
    pub value: f64,
    /// The median of the others, in the same unit.
    pub rest_median: f64,
    /// The difference of the first from that median, as a fraction of it; negative if it is lower.
    pub relative_difference: f64,
}

/// Returns the difference of the first sample, if it is unlike the rest.
///
/// Unlike means all three: further from the median of the others than 5 robust standard deviations
/// (1.4826 times the median absolute deviation; Hampel 1974), outside their range by half that
/// range, and off by 2 % of their median, so that a very quiet series raises no false alarm. `None`
/// below 6 samples, or if the others' median is 0. `ANALYSIS.md` gives the rate of false alarms.
#[must_use]
pub fn first_unlike_rest(series: &Series) -> Option<UnlikeFirst> {
    let (&value, rest) = series.values().split_first()?;
    if rest.len() < REST_COUNT_MIN {
        return None;
    }
    let rest = sorted(rest);
    let (smallest, largest) = (rest[0], rest[rest.len() - 1]);
    let rest_median = median_of_sorted(&rest);
    let deviations: Vec<f64> = rest
        .iter()
        .map(|other| (other - rest_median).abs())
        .collect();
    let spread = MAD_TO_DEVIATION * median_of_sorted(&sorted(&deviations));
    let difference = value - rest_median;
    let is_far = difference.abs() > DEVIATIONS_MIN * spread;
    let gap = (smallest - value).max(value - largest);
    let is_outside = gap > GAP_MIN * (largest - smallest);
    let is_large = rest_median != 0.0 && difference.abs() > RELATIVE_MIN * rest_median.abs();
    (is_far && is_outside && is_large).then(|| UnlikeFirst {
        value,
        rest_median,
        relative_difference: difference / rest_median.abs(),
    })
}
