//! Selects the samples of a cell that count.
//!
//! The warm-up and invalid samples do not count, nor those of more hosts than took part in the last one. If a study requires steady state, samples count
//! from the first steady window on. Of simulations, the first ones that are enough count
//! ([`crate::simulations`]), whatever the study requires.

use stripewise_stats::{ROUNDS_MAX, Series, WINDOW_ROUNDS, steady_state};
use stripewise_study::metric::Metric;
use stripewise_study::plan::SteadyState;
use stripewise_study::sample::{Role, SampleRecord};

use crate::simulations::{enough, is_simulated};

/// The samples of a cell that count, in the order of time.
#[derive(Debug, Clone)]
pub struct Counted<'a> {
    /// The samples.
    pub samples: Vec<&'a SampleRecord>,
    /// The samples for paired comparisons: the same, and further simulations taken for them.
    pub paired: Vec<&'a SampleRecord>,
    /// The progress of the search for steady state; `None` if none was required.
    pub steadiness: Option<Steadiness>,
}

/// The progress of the search for steady state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steadiness {
    /// No window was steady yet, and rounds are left.
    Searching,
    /// A window was steady; samples count from it on.
    Steady,
    /// No window was steady within the rounds that SNIA allows; the last window counts, with a
    /// warning.
    NotAttained {
        /// The number of rounds that were run.
        rounds: usize,
    },
}

/// Returns the samples of a cell that count, with steady state judged by `metric`.
pub fn counted<'a>(
    samples: impl IntoIterator<Item = &'a SampleRecord>,
    steady: Option<SteadyState>,
    metric: Metric,
) -> Counted<'a> {
    let mut samples: Vec<&SampleRecord> = samples
        .into_iter()
        .filter(|record| record.role == Role::Counted && record.sample.is_valid())
        .collect();
    keep_last_hosts(&mut samples);
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

/// Keeps the samples of the hosts that took part in the last one: figures of eight hosts and of seven are
/// not figures of the same thing.
fn keep_last_hosts(samples: &mut Vec<&SampleRecord>) {
    if let Some(last) = samples.last().map(|record| record.sample.measured_hosts()) {
        samples.retain(|record| record.sample.measured_hosts() == last);
    }
}

/// Returns the values of `metric` in the order of time, if every sample has it.
pub fn series(samples: &[&SampleRecord], metric: Metric) -> Option<Series> {
    let values: Option<Vec<f64>> = samples
        .iter()
        .map(|record| metric.of(&record.sample))
        .collect();
    Series::new(values?).ok()
}

/// Returns the values of `metric`, or of the bandwidth if the samples lack it (the sync latency of
/// reads): a missing metric must not decide about a cell.
pub fn deciding_series(samples: &[&SampleRecord], metric: Metric) -> Option<Series> {
    series(samples, metric).or_else(|| series(samples, Metric::Bandwidth))
}

/// Returns the number of rounds that do not count, and the progress.
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
