//! The analysis of one cell's samples.

use stripewise_stats::{Estimate, Level, Series, describe, median_interval};
use stripewise_study::metric::Metric;
use stripewise_study::plan::SteadyState;
use stripewise_study::sample::SampleRecord;
use stripewise_study::warning::Warning;

use crate::counted::{Counted, Steadiness, counted, series};
use crate::simulations::as_sure_as_its_samples;

/// The analysis of one cell's samples.
#[derive(Debug, Clone)]
pub struct CellAnalysis<'a> {
    /// The samples that count, and the progress of the search for steady state.
    pub counted: Counted<'a>,
    /// One estimate per metric; a metric that any sample lacks is left out.
    pub estimates: Vec<(Metric, Estimate)>,
    /// Warnings about the series: drift, dependence, an odd first sample, no steady state.
    pub warnings: Vec<Warning>,
}

impl CellAnalysis<'_> {
    /// Returns the estimate of `metric`, if the samples provide it.
    pub fn estimate(&self, metric: Metric) -> Option<&Estimate> {
        self.estimates
            .iter()
            .find(|(other, _)| *other == metric)
            .map(|(_, estimate)| estimate)
    }
}

/// Analyses the samples of a cell; `metric` decides about steady state and warnings.
pub fn analyse<'a>(
    samples: impl IntoIterator<Item = &'a SampleRecord>,
    steady: Option<SteadyState>,
    metric: Metric,
) -> CellAnalysis<'a> {
    let counted = counted(samples, steady, metric);
    let estimates = Metric::ALL
        .into_iter()
        .filter_map(|metric| {
            let series = series(&counted.samples, metric)?;
            let samples = counted.samples.iter().map(|record| &record.sample);
            let estimate = median_interval(&series, Level::P95);
            Some((metric, as_sure_as_its_samples(metric, estimate, samples)))
        })
        .collect();
    let mut warnings = Vec::new();
    if let Some(Steadiness::NotAttained { rounds }) = counted.steadiness {
        warnings.push(Warning::NotSteady { rounds });
    }
    if let Some(series) = series(&counted.samples, metric) {
        warnings.extend(peculiarities(&series, metric));
    }
    CellAnalysis {
        counted,
        estimates,
        warnings,
    }
}

fn peculiarities(series: &Series, metric: Metric) -> Vec<Warning> {
    let described = describe(series);
    let mut warnings = Vec::new();
    if let Some(first) = described.unlike_first {
        warnings.push(Warning::FirstSampleUnlike {
            metric,
            first: first.value,
            median_of_rest: first.rest_median,
        });
    }
    if let Some(drift) = described.drift {
        warnings.push(Warning::Drift {
            metric,
            relative_change: drift.relative_change.unwrap_or_default(),
            p_value: drift.p_value,
        });
    }
    if let Some(dependence) = described.dependence {
        warnings.push(Warning::Autocorrelated {
            metric,
            lag1: dependence.lag1_autocorrelation,
            samples: dependence.samples,
            effective_samples: dependence.effective_samples,
        });
    }
    warnings
}
