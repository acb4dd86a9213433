//! Estimates, intervals, steady state and comparison: from samples in the order of time to reliable
//! claims.
//!
//! This crate does no I/O, reads no clock, prints nothing, and depends on no other crate of the
//! workspace. Nothing in it is random: on one machine, equal samples give equal results, bit for
//! bit.
//!
//! `ANALYSIS.md` explains each statistic and gives its error rate; the numbers there come from
//! `cargo run --release -p stripewise-stats --example coverage`.

mod clustered;
mod comparison;
mod dependence;
mod description;
mod distribution;
mod drift;
mod estimate;
mod first_sample;
mod median;
mod number;
mod planning;
mod proportion;
mod series;
mod signed_rank;
mod steady_state;
mod words;

pub use clustered::{grouped_median_places, grouped_proportion_interval, independent_groups};
pub use comparison::{
    Comparison, ComparisonError, ComparisonParams, Pair, Verdict, compare, compare_unpaired,
};
pub use dependence::{Dependence, dependence};
pub use description::{Description, describe};
pub use drift::{Drift, drift};
pub use estimate::{Estimate, Interval, Level, LevelError};
pub use first_sample::{UnlikeFirst, first_unlike_rest};
pub use median::{RankInterval, median, median_interval, median_ranks};
pub use planning::{Forecast, is_settled, samples_needed};
pub use proportion::proportion_interval;
pub use series::{Series, SeriesError};
pub use steady_state::{ROUNDS_MAX, SteadyState, SteadyWindow, WINDOW_ROUNDS, steady_state};
pub use words::{Better, direction, message};
