//! The dependence between consecutive samples, and the number of independent samples a series is
//! worth.
//!
//! Storage under load changes slowly: a garbage collection, a thermal limit or a neighbour's job
//! lasts for several samples. Thirty samples from such a series are worth fewer than thirty. The
//! correlation is computed between the *ranks* of neighbours, so that one outlier does not hide it
//! and no distribution has to be assumed.

use crate::Series;
use crate::number::count_as_f64;
use crate::series::sorted;

/// Standard deviations above chance from which [`Dependence::is_present`]; about 3 % of independent
/// series exceed them.
const PRESENT_DEVIATIONS: f64 = 2.0;

/// The maximum correlation assumed of a series; it keeps the effective count above zero.
const CORRELATION_MAX: f64 = 0.99;

/// How the samples of a series depend on their neighbours.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Dependence {
    /// Correlation of the rank of each sample with that of the next, corrected for short series; -1
    /// to 1.
    pub lag1_autocorrelation: f64,
    /// The number of independent samples the series is worth; 1 to `samples`.
    pub effective_samples: f64,
    /// The number of its samples.
    pub samples: usize,
}

impl Dependence {
    /// Returns whether neighbours are more alike than chance explains: two standard deviations
    /// (Moran 1948).
    ///
    /// Six samples can hardly show it, even if it exists.
    #[must_use]
    pub fn is_present(&self) -> bool {
        let count = count_as_f64(self.samples);
        let deviation = (count - 2.0) / (count * (count - 1.0).sqrt());
        self.samples > 2 && self.lag1_autocorrelation > PRESENT_DEVIATIONS * deviation
    }
}

/// Returns the dependence between neighbouring samples; none for fewer than three samples or equal
/// ones.
///
/// The lag-1 autocorrelation of the midranks, plus 1/n: that is the bias of independent samples
/// (Moran 1948, Biometrika 35, 255). The effective count is n (1 - r) / (1 + r) with r at least 0,
/// the variance of the mean of a first-order autoregression (Bayley and Hammersley 1946, J. R.
/// Stat. Soc. Suppl. 8, 184). Corrections that also undo the shrinkage of large correlations
/// (Marriott and Pope 1954) were measured and left out: on fewer than 20 samples they add more
/// noise than truth. Cost: O(n log n).
#[must_use]
pub fn dependence(series: &Series) -> Dependence {
    let samples = series.count();
    let count = count_as_f64(samples);
    let lag1_autocorrelation = match lag1_autocorrelation(&midranks(series.values())) {
        Some(raw) => (raw + 1.0 / count).clamp(-1.0, 1.0),
        None => 0.0,
    };
    Dependence {
        lag1_autocorrelation,
        effective_samples: worth(samples, lag1_autocorrelation),
        samples,
    }
}

/// Returns how many independent pairs a list of pairs is worth, from the differences and the sums
/// of its values.
///
/// Noise of the machine does not make the differences dependent if the order within a pair is
/// random: it gives each difference either sign, whatever the sign before. Slow noise of only one
/// of the two does, and it makes the sums dependent as well. A correlation of the differences that
/// chance does not explain counts fully. One that chance explains is averaged with that of the sums
/// if theirs is smaller: otherwise, with few pairs, half of the penalty would be undeserved.
pub(crate) fn worth_of_pairs(differences: &Series, sums: &Series) -> f64 {
    let of_differences = dependence(differences);
    if of_differences.is_present() {
        return of_differences.effective_samples;
    }
    let own = of_differences.lag1_autocorrelation;
    let of_sums = dependence(sums).lag1_autocorrelation;
    worth(differences.count(), f64::midpoint(own, of_sums.min(own)))
}

/// Returns how many independent samples `samples` with this lag-1 autocorrelation are worth; 1 to
/// `samples`.
fn worth(samples: usize, lag1_autocorrelation: f64) -> f64 {
    let count = count_as_f64(samples);
    let correlation = lag1_autocorrelation.clamp(0.0, CORRELATION_MAX);
    (count * (1.0 - correlation) / (1.0 + correlation)).clamp(1.0, count)
}

/// Returns the rank of each value, counted from 0; equal values share the mean of their ranks.
fn midranks(values: &[f64]) -> Vec<f64> {
    let sorted = sorted(values);
    let rank = |value: &f64| {
        let below = sorted.partition_point(|other| other < value);
        let not_above = sorted.partition_point(|other| other <= value);
        (count_as_f64(below) + count_as_f64(not_above) - 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Returns the sum of products of neighbouring deviations over the sum of squares; `None` if all
/// values are equal.
fn lag1_autocorrelation(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / count_as_f64(values.len());
    let squares: f64 = values
        .iter()
        .map(|value| (value - mean) * (value - mean))
        .sum();
    let products: f64 = values
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean))
        .sum();
    (values.len() > 2 && squares > 0.0).then(|| products / squares)
}
