//! The median and its confidence interval by order statistics.
//!
//! The interval runs from one sorted sample to another, at ranks that a fair coin decides: each sample lies below the
//! true median with probability one half, whatever the shape of the distribution. Samples that depend on one another
//! are worth fewer tosses, and [`crate::dependence`] says how many; the ranks then move outwards in proportion.
//!
//! ```text
//! sorted samples   o  o  o  o  o  o  o  o  o  o      n = 10, worth 10: ranks 2 and 9
//!                     [--------- 95 % -------]
//!                  [------------ 95 % ----------]    n = 10, worth 7: ranks 1 and 10
//! ```

use crate::dependence::effective_samples;
use crate::distribution::fair_coin_lower_rank;
use crate::number::{count_as_f64, floor_to_count};
use crate::{Estimate, Interval, Level, Series};

/// Returns the median: the middle sample, or the mean of the two in the middle. In the unit of the samples.
#[must_use]
pub fn median(series: &Series) -> f64 {
    median_of_sorted(&series.sorted())
}

/// Returns the median of `sorted`, which must not be empty.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    }
}

/// The ranks, counted from 1, of the sorted samples that bound an interval of the median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankInterval {
    /// Rank of the lower bound, from 1.
    pub low: usize,
    /// Rank of the upper bound, `count + 1 - low`.
    pub high: usize,
    /// The probability that the true median lies between them; at least the level asked for.
    pub coverage: f64,
}

/// Returns the ranks that hold the median of `count` independent samples with at least the given confidence.
///
/// The narrowest symmetric pair of ranks (Conover 1999, "Practical Nonparametric Statistics", 3.2; Hahn and Meeker
/// 1991, 5.2), conservative because ranks are whole numbers. `None` if even the smallest and the largest sample do
/// not reach the level: below 6 samples at 95 %, below 8 at 99 %. Cost: O(count).
#[must_use]
pub fn median_ranks(count: usize, level: Level) -> Option<RankInterval> {
    let (low, outside) = fair_coin_lower_rank(count, level.tail());
    (low >= 1 && low <= count + 1 - low).then(|| RankInterval {
        low,
        high: count + 1 - low,
        coverage: 1.0 - 2.0 * outside,
    })
}

/// Returns the median with its confidence interval, allowing for dependence between neighbouring samples.
///
/// The interval is that of the median *over the time measured*: if the samples drift it covers the middle of the
/// drift and says nothing about later; see [`crate::describe`]. It is `None` when the samples are worth fewer than
/// the level needs (6 at 95 %). Its coverage is measured in `ANALYSIS.md`. Cost: O(n log n).
#[must_use]
pub fn median_interval(series: &Series, level: Level) -> Estimate {
    let sorted = series.sorted();
    let effective_samples = effective_samples(series.values());
    Estimate {
        value: median_of_sorted(&sorted),
        interval: interval_of_sorted(&sorted, effective_samples, level),
        level,
        samples: sorted.len(),
        effective_samples,
    }
}

/// Returns the interval of the median of `sorted` when its samples are worth `effective_samples` independent ones.
fn interval_of_sorted(sorted: &[f64], effective_samples: f64, level: Level) -> Option<Interval> {
    let count = sorted.len();
    let effective_count = floor_to_count(effective_samples).clamp(1, count);
    let ranks = median_ranks(effective_count, level)?;
    // The same quantile in the longer series, rounded outwards: rank l of m lies at the fraction l / (m + 1).
    let position =
        count_as_f64(ranks.low) * count_as_f64(count + 1) / count_as_f64(effective_count + 1);
    let low = floor_to_count(position).clamp(1, count);
    Some(Interval {
        low: sorted[low - 1],
        high: sorted[count - low],
    })
}
