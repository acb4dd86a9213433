//! A first sample unlike the rest: the sign of a warm-up that was too short, or of a cache still empty or full.

use crate::Series;
use crate::median::median_of_sorted;
use crate::series::sorted;

/// Fewest other samples that the first is held against.
const REST_COUNT_MIN: usize = 5;
/// How many robust standard deviations off is unlike; wide, because the spread of a few samples is itself uncertain.
const DEVIATIONS_MIN: f64 = 5.0;
/// What the median absolute deviation is multiplied by to estimate a standard deviation of normal data.
const MAD_TO_DEVIATION: f64 = 1.4826;
/// How far outside of the range of the others, as a fraction of that range. Two modes alone do not raise an alarm.
const GAP_MIN: f64 = 0.5;
/// How far off, as a fraction of the rest's median, is worth telling at all.
const RELATIVE_MIN: f64 = 0.02;

/// A first sample that does not belong to the others.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct UnlikeFirst {
    /// The first sample, in the unit of the samples.
    pub value: f64,
    /// The median of the others, in the same unit.
    pub rest_median: f64,
    /// How far off the first is, as a fraction of that median; negative when it is lower.
    pub relative_difference: f64,
}

/// Returns what is odd about the first sample, if it is unlike the rest.
///
/// Unlike means all three: further from the median of the others than 5 robust standard deviations (1.4826 times the
/// median absolute deviation; Hampel 1974), outside of their range by half that range, and off by 2 % of their median,
/// so that a very quiet series does not raise an alarm over nothing. `None` below 6 samples, and when the others'
/// median is 0. `ANALYSIS.md` has the rate of false alarms.
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
