//! How much one sample tells about the next: lag-1 autocorrelation, and what the samples are worth.

use crate::Series;
use crate::number::count_as_f64;

/// How the samples of a series depend on their neighbours.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Dependence {
    /// Correlation of each sample with the next, corrected for the bias of short series; -1 to 1.
    pub lag1_autocorrelation: f64,
    /// How many independent samples the series is worth; 1 to the number of samples.
    pub effective_samples: f64,
}

impl Dependence {
    pub(crate) fn is_present(&self, count: usize) -> bool {
        self.effective_samples < count_as_f64(count)
    }
}

/// Returns the dependence between neighbouring samples.
#[must_use]
pub fn dependence(series: &Series) -> Dependence {
    Dependence {
        lag1_autocorrelation: corrected_autocorrelation(series.values()),
        effective_samples: effective_samples(series.values()),
    }
}

/// Returns how many independent samples `values` are worth.
pub(crate) fn effective_samples(values: &[f64]) -> f64 {
    let count = count_as_f64(values.len());
    let correlation = corrected_autocorrelation(values).clamp(0.0, 0.99);
    (count * (1.0 - correlation) / (1.0 + correlation)).clamp(1.0, count)
}

fn corrected_autocorrelation(values: &[f64]) -> f64 {
    let count = count_as_f64(values.len());
    if values.len() < 4 {
        return 0.0;
    }
    let raw = lag1(values);
    (raw + 1.0 / count).clamp(-1.0, 1.0)
}

fn lag1(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / count_as_f64(values.len());
    let total: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    if total <= 0.0 {
        return 0.0;
    }
    values
        .windows(2)
        .map(|p| (p[0] - mean) * (p[1] - mean))
        .sum::<f64>()
        / total
}
