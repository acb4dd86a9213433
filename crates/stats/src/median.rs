//! The median and its confidence interval by order statistics.
//!
//! The interval runs from one sorted sample to another, at ranks from the distribution of a fair
//! coin: each sample lies below the true median with probability one half, whatever the shape of
//! the distribution. Dependent samples are worth fewer tosses ([`crate::dependence`]); the ranks
//! then move away from the middle by the square root of that loss, but never beyond the smallest
//! and the largest sample.
//!
//! ```text
//! sorted samples   o  o  o  o  o  o  o  o  o  o      n = 10, worth 10: ranks 2 and 9
//!                     [--------- 95 % -------]
//!                  [------------ 95 % ----------]    n = 10, worth 6 or fewer: ranks 1 and 10
//! ```

use crate::distribution::fair_coin_lower_rank;
use crate::number::{count_as_f64, floor_to_count};
use crate::{Estimate, Interval, Level, Series, dependence};

/// Returns the median: the middle sample, or the mean of the two in the middle. In the unit of the
/// samples.
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
    /// The probability that the true median lies between them; at least the requested level.
    pub coverage: f64,
}

/// Returns the ranks that hold the median of `count` independent samples with at least the given
/// confidence.
///
/// The narrowest symmetric pair of ranks (Conover 1999, "Practical Nonparametric Statistics", 3.2;
/// Hahn and Meeker 1991, 5.2), conservative because ranks are whole numbers. `None` if even the
/// smallest and the largest sample do not reach the level: below 6 samples at 95 %, below 8 at 99
/// %. Cost: O(count).
#[must_use]
pub fn median_ranks(count: usize, level: Level) -> Option<RankInterval> {
    let (low, outside) = fair_coin_lower_rank(count, level.tail());
    (low >= 1 && low <= count + 1 - low).then(|| RankInterval {
        low,
        high: count + 1 - low,
        coverage: 1.0 - 2.0 * outside,
    })
}

/// Returns the median with its confidence interval, allowing for dependence between neighbouring
/// samples.
///
/// The interval is that of the median *over the measured time*: if the samples drift, it covers the
/// middle of the drift and makes no claim about later; see [`crate::describe`]. It is `None` if
/// there are fewer samples than the level needs (6 at 95 %). If they are *worth* fewer
/// (`effective_samples`), it is the whole range of the samples: that is the widest claim the
/// samples support, and it covers less often than the level. `ANALYSIS.md` has the measured
/// coverage. Cost: O(n log n).
#[must_use]
pub fn median_interval(series: &Series, level: Level) -> Estimate {
    let sorted = series.sorted();
    let effective_samples = dependence(series).effective_samples;
    Estimate {
        value: median_of_sorted(&sorted),
        interval: interval_of_sorted(&sorted, effective_samples, level),
        of_samples: None,
        level,
        samples: sorted.len(),
        effective_samples,
    }
}

/// Returns the interval of the median of `sorted` when its samples are worth `effective_samples`
/// independent ones.
fn interval_of_sorted(sorted: &[f64], effective_samples: f64, level: Level) -> Option<Interval> {
    let ranks = median_ranks(sorted.len(), level)?;
    let stretch = (count_as_f64(sorted.len()) / effective_samples).sqrt();
    Some(between_ranks(sorted, ranks.low, stretch))
}

/// Returns the interval from the `low_rank`-th smallest of `sorted` to its mirror image, `stretch`
/// times as far from the middle as that and no further than the ends.
pub(crate) fn between_ranks(sorted: &[f64], low_rank: usize, stretch: f64) -> Interval {
    let count = sorted.len();
    let middle = count_as_f64(count + 1) / 2.0;
    // Counted from 0, as `sorted` is; the upper bound is the mirror image of the lower.
    let low = (middle - (middle - count_as_f64(low_rank)) * stretch - 1.0).max(0.0);
    let high = count_as_f64(count - 1) - low;
    let interval = Interval {
        low: at_position(sorted, low),
        high: at_position(sorted, high),
    };
    let (first, last) = (sorted[0], sorted[count - 1]);
    // Only samples that are all equal have an interval of no width.
    match interval.low.total_cmp(&interval.high).is_eq() && first.total_cmp(&last).is_ne() {
        true => Interval {
            low: first,
            high: last,
        },
        false => interval,
    }
}

/// Returns the value at a position from 0 to `sorted.len() - 1`, linearly between two neighbours.
fn at_position(sorted: &[f64], position: f64) -> f64 {
    let index = floor_to_count(position).min(sorted.len() - 1);
    let next = (index + 1).min(sorted.len() - 1);
    let fraction = position - count_as_f64(index);
    let (here, there) = (sorted[index], sorted[next]);
    // Neither overflows between two huge values nor leaves the range of two equal ones by a
    // rounding error.
    (here * (1.0 - fraction) + there * fraction).clamp(here, there)
}
