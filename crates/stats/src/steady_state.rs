//! Steady state of a solid-state device, as the SNIA Solid State Storage Performance Test
//! Specification defines it.
//!
//! Rounds of one minute are measured one after another. The state is steady in the first window of
//! five consecutive rounds in which
//!
//! - the range, largest less smallest, is at most 20 % of the mean, and
//! - the least-squares line through the five rises or falls by at most 10 % of the mean from the
//!   first to the last.
//!
//! The procedure gives up after 25 rounds. Only the criterion is implemented: this is no claim of
//! conformance with the whole specification.

use crate::Series;
use crate::number::count_as_f64;

/// Rounds in a window.
pub const WINDOW_ROUNDS: usize = 5;
/// Rounds after which the procedure gives up.
pub const ROUNDS_MAX: usize = 25;
/// Largest allowed range within a window, as a fraction of its mean.
const RANGE_FRACTION_MAX: f64 = 0.20;
/// Largest allowed excursion of the fitted line over a window, as a fraction of its mean.
const SLOPE_FRACTION_MAX: f64 = 0.10;

const _: () = assert!(WINDOW_ROUNDS >= 2 && WINDOW_ROUNDS <= ROUNDS_MAX);

/// One window of rounds with both criteria. All fields except `first_round` are in the unit of the
/// rounds.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SteadyWindow {
    /// Number of the window's first round, counted from 1 as the specification does.
    pub first_round: usize,
    /// Mean of the rounds.
    pub mean: f64,
    /// Slope of the least-squares line, per round.
    pub slope_per_round: f64,
    /// Value of that line at round 0 of the whole series, so that the line is `slope * round + intercept`.
    pub intercept: f64,
    /// Largest round less smallest.
    pub range: f64,
    /// The range allowed: 20 % of the mean.
    pub range_allowed: f64,
    /// The rise or fall of the line from the window's first round to its last, without sign.
    pub slope_excursion: f64,
    /// The excursion allowed: 10 % of the mean.
    pub slope_excursion_allowed: f64,
}

impl SteadyWindow {
    /// Returns whether both criteria hold and the mean is positive: an idle device is not steady.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        self.mean > 0.0
            && self.range <= self.range_allowed
            && self.slope_excursion <= self.slope_excursion_allowed
    }
}

/// The steady state after the rounds so far.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SteadyState {
    /// Attained: the first window that met both criteria.
    Steady(SteadyWindow),
    /// Not yet, with rounds left.
    NotYet {
        /// Rounds still allowed.
        rounds_left: usize,
        /// The latest window, from five rounds on.
        latest: Option<SteadyWindow>,
    },
    /// Not attained within the allowed rounds.
    NotAttained {
        /// The last window.
        latest: SteadyWindow,
    },
}

/// Returns whether the rounds reached steady state, with the numbers of the window.
///
/// One value per round, in any unit (operations per second, bytes per second, latency). Rounds
/// after the 25th are ignored. SNIA SSS PTS 2.0.2, "Steady State"; the tests reproduce its worked
/// example.
#[must_use]
pub fn steady_state(rounds: &Series) -> SteadyState {
    let rounds = &rounds.values()[..rounds.count().min(ROUNDS_MAX)];
    let mut latest = None;
    for (index, values) in rounds.windows(WINDOW_ROUNDS).enumerate() {
        let window = fit(index + 1, values);
        if window.is_steady() {
            return SteadyState::Steady(window);
        }
        latest = Some(window);
    }
    match latest {
        Some(latest) if rounds.len() == ROUNDS_MAX => SteadyState::NotAttained { latest },
        latest => SteadyState::NotYet {
            rounds_left: ROUNDS_MAX - rounds.len(),
            latest,
        },
    }
}

/// Fits the least-squares line through `values`, the rounds from `first_round` on.
fn fit(first_round: usize, values: &[f64]) -> SteadyWindow {
    let count = count_as_f64(values.len());
    let mean = values.iter().sum::<f64>() / count;
    let middle = (count - 1.0) / 2.0;
    let mut products = 0.0;
    let mut squares = 0.0;
    for (index, value) in values.iter().enumerate() {
        let offset = count_as_f64(index) - middle;
        products += offset * (value - mean);
        squares += offset * offset;
    }
    let slope_per_round = products / squares;
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    SteadyWindow {
        first_round,
        mean,
        slope_per_round,
        intercept: mean - slope_per_round * (count_as_f64(first_round) + middle),
        range: largest - smallest,
        range_allowed: RANGE_FRACTION_MAX * mean,
        slope_excursion: slope_per_round.abs() * (count - 1.0),
        slope_excursion_allowed: SLOPE_FRACTION_MAX * mean,
    }
}
