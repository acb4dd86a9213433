//! The failure: thirty samples of slow noise counted as thirty independent ones, and every interval
//! was too narrow.

use proptest::prelude::*;
use stripewise_stats::{dependence, describe};

use crate::support::real;
use crate::{agree, reproducible, series};

#[test]
fn a_rising_series_matches_the_hand_computed_value() {
    // Deviations -2.5 ... 2.5: products 8.75, squares 17.5, so 1/2; plus 1/6 for the bias: 2/3.
    // Worth 6 * (1/3) / (5/3).
    let found = dependence(&series(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]));
    assert!(agree(found.lag1_autocorrelation, 2.0 / 3.0, 12));
    assert!(agree(found.effective_samples, 1.2, 12));
}

#[test]
fn ties_share_their_ranks() {
    // Ranks 0.5 0.5 2.5 2.5, deviations -1 -1 1 1: products 1 - 1 + 1, squares 4, so 1/4; plus 1/4.
    let found = dependence(&series(&[1.0, 1.0, 9.0, 9.0]));
    assert!(agree(found.lag1_autocorrelation, 0.5, 12));
}

#[test]
fn alternation_is_worth_no_more_than_independence() {
    let found = dependence(&series(&[1.0, 9.0, 1.0, 9.0, 1.0, 9.0]));
    assert!(found.lag1_autocorrelation < 0.0);
    assert_eq!(found.effective_samples, 6.0);
    assert!(!found.is_present());
}

#[test]
fn too_few_or_equal_samples_show_no_dependence() {
    for values in [&[1.0][..], &[1.0, 2.0], &[3.0; 10]] {
        let found = dependence(&series(values));
        assert_eq!(found.lag1_autocorrelation, 0.0, "{values:?}");
        assert_eq!(found.effective_samples, real(values.len()));
        assert!(!found.is_present());
    }
}

#[test]
fn a_slow_wave_is_detected() {
    let wave: Vec<f64> = (0..24)
        .map(|index| 100.0 + 5.0 * (f64::from(index) / 4.0).sin())
        .collect();
    let found = describe(&series(&wave));
    assert!(
        found
            .dependence
            .is_some_and(|dependence| dependence.effective_samples < 6.0),
        "{found:?}"
    );
}

proptest! {
    #![proptest_config(reproducible())]

    #[test]
    fn only_the_order_counts_not_the_scale(values in prop::collection::vec(0.0_f64..100.0, 1..40)) {
        let stretched: Vec<f64> = values.iter().map(|value| value.exp()).collect();
        prop_assert_eq!(dependence(&series(&values)), dependence(&series(&stretched)));
    }

    #[test]
    fn the_correlation_is_one_at_most(values in prop::collection::vec(-1e9_f64..1e9, 1..40)) {
        let found = dependence(&series(&values));
        prop_assert!(found.lag1_autocorrelation.abs() <= 1.0);
        prop_assert!((1.0..=real(values.len())).contains(&found.effective_samples));
    }
}
