//! Questions over history: whether a series changed, which of many series did, which of many like hosts
//! is slow.
//!
//! [`Detector::trend`] finds changes of level in a series whose neighbours may be correlated, with the
//! interval of place and size of each. A series of noise has one with at most 5 %.
//! [`outliers`] finds slow hosts among like ones, and [`false_shares`] bounds the share of false
//! ones among those named.
//!
//! No I/O, no clock, nothing random. `cargo run --release -p stripewise-history --example judge SEED`
//! draws series and fleets, and prints how often it is right.

pub mod answer;

mod critical;
mod critical_table;
mod discoveries;
mod noise;
mod number;
mod outliers;
mod place;
mod robust;
mod scan;
mod trend;

pub use discoveries::{Dependence, false_shares};
pub use noise::Noise;
pub use outliers::{
    CELLS_LISTED, HOSTS_MIN, Judged, LOAD_SHARE_MAX, Measured, SlowCell, Unjudged, Verdict,
    outliers,
};
pub use trend::{
    CannotTell, Change, Detector, LEVEL_MAX, POINTS_MAX, POINTS_MIN, Size, Trend, UNSEEN_SDS_MAX,
};

/// For the simulation of [critical scores](crate): the highest score of a series, whatever its
/// probability, and the correlation of neighbours that it is found with. `None` if nothing can be said
/// about it.
#[doc(hidden)]
pub fn highest_score(detector: &mut Detector, values: &[f64]) -> Option<(f64, f64)> {
    let (score, noise) = detector.highest_score(values)?;
    Some((score, noise.correlation))
}
