//! Tests of the crate through its public interface, one module per subject.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

#[path = "../support/mod.rs"]
mod support;

mod comparison;
mod coverage;
mod dependence;
mod drift;
mod estimate;
mod first_sample;
mod grouped;
mod median;
mod planning;
mod steady_state;

use proptest::test_runner::{Config, RngSeed};
use stripewise_stats::Series;

/// Returns a checked series.
fn series(values: &[f64]) -> Series {
    Series::new(values.to_vec()).unwrap()
}

/// Returns whether two numbers agree to `digits` decimal places.
fn agree(one: f64, other: f64, digits: i32) -> bool {
    (one - other).abs() <= 0.5 * 10_f64.powi(-digits)
}

/// The same cases in every run, unless `PROPTEST_RNG_SEED` sets others.
fn reproducible() -> Config {
    let config = Config::default();
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    // No regression file: every run repeats the same cases.
    Config {
        rng_seed,
        failure_persistence: None,
        ..config
    }
}
