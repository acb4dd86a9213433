//! Which samples of a cell count.
//!
//! The warm-up does not, nor does a sample that something made worthless. Where a study asks for
//! steady state, samples count from the first steady window on. Of simulations those count that are
//! enough ([`crate::simulations`]), whatever the study asks.

use stripewise_stats::{ROUNDS_MAX, Series, WINDOW_ROUNDS, steady_state};
use stripewise_study::metric::Metric;
use stripewise_study::plan::SteadyState;
use stripewise_study::sample::{Role, SampleRecord};

use crate::simulations::{enough, is_simulated};

/// The samples of a cell that count, in the order in which they were taken.
#[derive(Debug, Clone)]
pub struct Counted<'a> {
    /// The samples.
    pub samples: Vec<&'a SampleRecord>,
    /// The samples that comparisons pair: the same, and further simulations that were taken for them.
    pub paired: Vec<&'a SampleRecord>,
    /// How the search for steady state stands; nothing where none was asked for.
    pub steadiness: Option<Steadiness>,
}

/// How the search for steady state stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steadiness {
    /// No window was steady yet, and rounds are left.
    Searching,
    /// A window was steady; samples count from it on.
    Steady,
    /// No window was steady within the rounds that SNIA allows; the last window counts, with a warning.
    NotAttained {
        /// How many rounds were run.
        rounds: usize,
    },
}

/// Returns which of the samples of a cell count, judging steadiness by `metric`.
pub fn counted<'a>(
    samples: impl IntoIterator<Item = &'a SampleRecord>,
    steady: Option<SteadyState>,
    metric: Metric,
) -> Counted<'a> {
    let mut samples: Vec<&SampleRecord> = samples
        .into_iter()
        .filter(|record| record.role == Role::Counted && record.sample.is_valid())
        .collect();
    if is_simulated(&samples) {
        let paired = samples.clone();
        let enough = enough(paired.iter().map(|record| &record.sample));
        samples.truncate(enough.unwrap_or(samples.len()));
        return Counted {
            samples,
            paired,
            steadiness: None,
        };
    }
    let Some(SteadyState::Snia) = steady else {
        return Counted {
            paired: samples.clone(),
            samples,
            steadiness: None,
        };
    };
    let (skipped, steadiness) = search(&samples, metric);
    samples.drain(..skipped);
    Counted {
        paired: samples.clone(),
        samples,
        steadiness: Some(steadiness),
    }
}

/// Returns the values of `metric` in the order of time, if every sample tells it.
pub fn series(samples: &[&SampleRecord], metric: Metric) -> Option<Series> {
    let values: Option<Vec<f64>> = samples
        .iter()
        .map(|record| metric.of(&record.sample))
        .collect();
    Series::new(values?).ok()
}

/// Returns the values of `metric`, or of the bandwidth where the samples do not tell it (the sync
/// latency of reads): what decides about a cell must not depend on what it lacks.
pub fn deciding_series(samples: &[&SampleRecord], metric: Metric) -> Option<Series> {
    series(samples, metric).or_else(|| series(samples, Metric::Bandwidth))
}

/// Returns how many rounds do not count, and why.
fn search(samples: &[&SampleRecord], metric: Metric) -> (usize, Steadiness) {
    let Some(rounds) = deciding_series(samples, metric) else {
        return (samples.len(), Steadiness::Searching);
    };
    match steady_state(&rounds) {
        stripewise_stats::SteadyState::Steady(window) => {
            (window.first_round - 1, Steadiness::Steady)
        }
        stripewise_stats::SteadyState::NotYet { .. } => (samples.len(), Steadiness::Searching),
        stripewise_stats::SteadyState::NotAttained { .. } => {
            let rounds = samples.len().min(ROUNDS_MAX);
            (rounds - WINDOW_ROUNDS, Steadiness::NotAttained { rounds })
        }
    }
}
