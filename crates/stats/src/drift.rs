//! Drift: whether the quantity rises or falls over the series, by how much, and whether by chance.
//!
//! Theil-Sen gives the slope (the median of the slopes between all pairs), Mann-Kendall the test
//! (the number of rising and of falling pairs). Both use order more than size, so that one outlier
//! does not make a drift. The test assumes independent samples: noise that is slow relative to the
//! series looks like drift, and one short series cannot separate the two. `ANALYSIS.md` gives the
//! rate.

use std::collections::BTreeMap;

use crate::distribution::normal_two_sided_tail;
use crate::median::median_of_sorted;
use crate::number::count_as_f64;
use crate::series::sorted;
use crate::{Series, median};

/// Up to this many samples without ties the test is exact; beyond, the normal approximation is as
/// good (Kendall 1975).
const EXACT_COUNT_MAX: usize = 30;

/// The change of a series from its beginning to its end.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Drift {
    /// Theil-Sen slope, in the unit of the samples per sample.
    pub slope_per_sample: f64,
    /// The change by the slope from the first sample to the last, as a fraction of the median;
    /// negative if falling.
    ///
    /// `None` if the median is 0.
    pub relative_change: Option<f64>,
    /// Two-sided p-value of the Mann-Kendall test: how often independent samples would look as
    /// ordered as these.
    pub p_value: f64,
}

/// Returns the drift of a series; a slope of 0 with a p-value of 1 for a single sample.
///
/// Cost: O(n^2 log n) time and O(n^2) memory: meant for the samples of a run, up to a few thousand,
/// and not for the seconds of a day.
///
/// Sen (1968), J. Am. Stat. Assoc. 63, 1379; Mann (1945), Econometrica 13, 245; Kendall (1975),
/// "Rank Correlation Methods". Variant: exact distribution without ties up to 30 samples, else
/// normal with correction for ties and for continuity.
#[must_use]
pub fn drift(series: &Series) -> Drift {
    let slope_per_sample = theil_sen_slope(series.values());
    let middle = median(series);
    let change = slope_per_sample * count_as_f64(series.count() - 1);
    Drift {
        slope_per_sample,
        relative_change: (middle != 0.0).then(|| change / middle.abs()),
        p_value: mann_kendall_p_value(series.values()),
    }
}

/// Returns the median of the slopes between all pairs of samples; 0 for a single sample.
fn theil_sen_slope(values: &[f64]) -> f64 {
    let slopes: Vec<f64> = values
        .iter()
        .enumerate()
        .flat_map(|(early, first)| {
            let later = values[early + 1..].iter().enumerate();
            later.map(move |(gap, second)| (second - first) / count_as_f64(gap + 1))
        })
        .collect();
    if slopes.is_empty() {
        0.0
    } else {
        median_of_sorted(&sorted(&slopes))
    }
}

/// The number of rising and of falling pairs in time order; equal pairs count in neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PairOrder {
    rising: usize,
    falling: usize,
}

fn pair_order(values: &[f64]) -> PairOrder {
    let mut order = PairOrder {
        rising: 0,
        falling: 0,
    };
    for (early, first) in values.iter().enumerate() {
        for second in &values[early + 1..] {
            order.rising += usize::from(second > first);
            order.falling += usize::from(second < first);
        }
    }
    order
}

fn mann_kendall_p_value(values: &[f64]) -> f64 {
    let count = values.len();
    let order = pair_order(values);
    let has_ties = order.rising + order.falling < count * (count - 1) / 2;
    if !has_ties && count <= EXACT_COUNT_MAX {
        return exact_p_value(count, order.rising.min(order.falling));
    }
    let variance = score_variance(values);
    let score = count_as_f64(order.rising.abs_diff(order.falling));
    if score <= 1.0 || variance <= 0.0 {
        return 1.0;
    }
    normal_two_sided_tail((score - 1.0) / variance.sqrt())
}

/// Returns the variance of the score under independence, reduced for ties (Kendall 1975, eq. 4.3).
fn score_variance(values: &[f64]) -> f64 {
    let term = |count: usize| {
        let count = count_as_f64(count);
        count * (count - 1.0) * (2.0 * count + 5.0)
    };
    let mut ties: BTreeMap<u64, usize> = BTreeMap::new();
    for value in values {
        // Adding zero turns -0.0 into 0.0, which compares equal but has other bits.
        *ties.entry((value + 0.0).to_bits()).or_default() += 1;
    }
    let lost: f64 = ties.values().map(|&count| term(count)).sum();
    (term(values.len()) - lost) / 18.0
}

/// Returns the probability that `count` samples in random order have at most `rarer` pairs of one
/// direction, doubled.
///
/// Counts the permutations by their inversions: an additional sample adds 0, 1, ... inversions with
/// the others.
fn exact_p_value(count: usize, rarer: usize) -> f64 {
    let mut probabilities = vec![0.0; rarer + 1];
    probabilities[0] = 1.0;
    for size in 2..=count {
        let previous = probabilities.clone();
        let mut window = 0.0;
        for inversions in 0..=rarer {
            window += previous[inversions];
            if inversions >= size {
                window -= previous[inversions - size];
            }
            probabilities[inversions] = window / count_as_f64(size);
        }
    }
    (2.0 * probabilities.iter().sum::<f64>()).min(1.0)
}
