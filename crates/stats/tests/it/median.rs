//! An interval one rank too narrow looks plausible and misses the truth twice as often.

use proptest::prelude::*;
use stripewise_stats::{
    Level, Series, SeriesError, dependence, median, median_interval, median_ranks,
};

use crate::support::real;
use crate::{agree, reproducible, series};

#[test]
fn the_median_is_the_middle_or_halfway_between_the_two_middles() {
    let cases: [(&[f64], f64); 5] = [
        (&[7.0], 7.0),
        (&[1.0, 2.0], 1.5),
        (&[3.0, 1.0, 2.0], 2.0),
        (&[4.0, 1.0, 3.0, 2.0], 2.5),
        (&[5.0; 4], 5.0),
    ];
    for (values, expected) in cases {
        assert_eq!(median(&series(values)), expected, "{values:?}");
    }
}

#[test]
fn ranks_at_95_per_cent_are_those_of_the_published_tables() {
    // For instance Conover 1999, table A3, and Hahn and Meeker 1991, table A.16.
    let table = [
        (6, 1),
        (7, 1),
        (8, 1),
        (9, 2),
        (10, 2),
        (11, 2),
        (12, 3),
        (13, 3),
        (14, 3),
        (15, 4),
        (16, 4),
        (17, 5),
        (18, 5),
        (19, 5),
        (20, 6),
        (21, 6),
        (22, 6),
        (23, 7),
        (24, 7),
        (25, 8),
        (26, 8),
        (27, 8),
        (28, 9),
        (29, 9),
        (30, 10),
        (50, 18),
        (100, 40),
    ];
    for (count, low) in table {
        let ranks = median_ranks(count, Level::P95).unwrap();
        assert_eq!(
            (ranks.low, ranks.high),
            (low, count + 1 - low),
            "n = {count}"
        );
    }
    let six = median_ranks(6, Level::P95).unwrap();
    assert!(agree(six.coverage, 0.96875, 12));
}

#[test]
fn too_few_samples_have_no_interval() {
    for count in 0..6 {
        assert_eq!(median_ranks(count, Level::P95), None, "n = {count}");
    }
    assert_eq!(median_ranks(7, Level::P99), None);
    assert!(median_ranks(8, Level::P99).is_some());
    for values in [&[1.0][..], &[1.0, 2.0], &[1.0, 3.0, 2.0, 5.0, 4.0]] {
        let estimate = median_interval(&series(values), Level::P95);
        assert_eq!(estimate.interval, None);
        assert_eq!(estimate.samples, values.len());
    }
}

#[test]
fn many_samples_neither_underflow_nor_overflow() {
    // Normal approximation: 5000.5 - 1.959964 * 100 / 2 is 4902.5.
    let ranks = median_ranks(10_000, Level::P95).unwrap();
    assert!((4902..=4903).contains(&ranks.low), "{ranks:?}");
    assert!(ranks.coverage >= 0.95 && ranks.coverage < 0.952);
}

#[test]
fn independent_samples_get_exactly_the_tabulated_order_statistics() {
    // Alternating around the middle: negative autocorrelation, which is worth no less than independence.
    let values = [10.0, 1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 4.0, 6.0, 5.0];
    let estimate = median_interval(&series(&values), Level::P95);
    assert_eq!(estimate.effective_samples, 10.0);
    let interval = estimate.interval.unwrap();
    assert_eq!(
        (interval.low, estimate.value, interval.high),
        (2.0, 5.5, 9.0)
    );
}

#[test]
fn dependent_samples_get_a_wider_interval_but_never_beyond_the_range() {
    let rising: Vec<f64> = (1..=20).map(f64::from).collect();
    let estimate = median_interval(&series(&rising), Level::P95);
    assert!(estimate.effective_samples < 2.0);
    let interval = estimate.interval.unwrap();
    assert_eq!((interval.low, interval.high), (1.0, 20.0));
}

#[test]
fn ranks_move_out_by_the_square_root_of_the_loss() {
    let values = [
        13.0, 5.0, 14.0, 15.0, 20.0, 17.0, 19.0, 12.0, 7.0, 1.0, 6.0, 2.0, 9.0, 18.0, 3.0, 16.0,
        8.0, 10.0, 4.0, 11.0,
    ];
    let effective = dependence(&series(&values)).effective_samples;
    assert!(effective > 6.0 && effective < 19.0, "{effective}");
    let mut sorted = values;
    sorted.sort_by(f64::total_cmp);
    let position = 10.5 - 4.5 * (20.0 / effective).sqrt(); // Rank 6 of 20 is 4.5 from the middle.
    let (rank, fraction) = (position.floor(), position.fract());
    let index = (1..=20)
        .find(|&rank_from_one| real(rank_from_one) == rank)
        .unwrap()
        - 1;
    let expected = sorted[index] + fraction * (sorted[index + 1] - sorted[index]);
    let interval = median_interval(&series(&values), Level::P95)
        .interval
        .unwrap();
    assert!(agree(interval.low, expected, 9), "{interval:?} {expected}");
}

#[test]
fn equal_samples_give_an_interval_of_no_width() {
    let interval = median_interval(&series(&[5.0; 8]), Level::P95)
        .interval
        .unwrap();
    assert_eq!((interval.low, interval.high), (5.0, 5.0));
}

#[test]
fn a_series_is_checked_once() {
    assert_eq!(Series::new(vec![]), Err(SeriesError::Empty));
    let error = Series::new(vec![1.0, f64::INFINITY]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sample 1 of the series is `inf`, not a finite number"
    );
    assert!(Series::new(vec![f64::NAN]).is_err());
}

/// The probability of fewer than `rank` heads in `tosses`, by Pascal's triangle; exact, as all numbers are below 2^53.
fn brute_force_below(tosses: usize, rank: usize) -> f64 {
    let mut row = vec![1.0_f64];
    for _ in 0..tosses {
        let mut next = vec![1.0_f64; row.len() + 1];
        for index in 1..row.len() {
            next[index] = row[index - 1] + row[index];
        }
        row = next;
    }
    row[..rank].iter().sum::<f64>() / row.iter().sum::<f64>()
}

proptest! {
    #![proptest_config(reproducible())]

    #[test]
    fn ranks_are_the_narrowest_that_reach_the_level(count in 1_usize..60, level in 0.5_f64..0.999) {
        let level = Level::new(level).unwrap();
        let outside = |rank: usize| 2.0 * brute_force_below(count, rank);
        match median_ranks(count, level) {
            None => prop_assert!(1.0 - outside(1) < level.as_fraction() + 1e-12),
            Some(ranks) => {
                prop_assert!(agree(ranks.coverage, 1.0 - outside(ranks.low), 9));
                prop_assert!(ranks.coverage >= level.as_fraction() - 1e-12);
                // One rank further in is not enough, or crosses the middle.
                let next = ranks.low + 1;
                prop_assert!(2 * next > count + 1 || 1.0 - outside(next) < level.as_fraction() + 1e-12);
            }
        }
    }

    #[test]
    fn the_interval_holds_the_median_and_stays_within_the_samples(
        values in prop::collection::vec(-1e6_f64..1e6, 1..50),
    ) {
        let estimate = median_interval(&series(&values), Level::P95);
        prop_assert!((1.0..=real(values.len())).contains(&estimate.effective_samples));
        prop_assert_eq!(estimate.interval.is_some(), values.len() >= 6);
        if let Some(interval) = estimate.interval {
            prop_assert!(interval.contains(estimate.value));
            prop_assert!(values.contains(&interval.low) || values.iter().any(|value| *value < interval.low));
            prop_assert!(values.iter().any(|value| *value >= interval.high));
        }
    }

    #[test]
    fn doubling_every_sample_doubles_the_estimate(values in prop::collection::vec(0.1_f64..1e6, 6..40)) {
        let doubled: Vec<f64> = values.iter().map(|value| 2.0 * value).collect();
        let [once, twice] = [values, doubled].map(|values| median_interval(&series(&values), Level::P95));
        prop_assert_eq!(2.0 * once.value, twice.value);
        prop_assert_eq!(2.0 * once.interval.unwrap().low, twice.interval.unwrap().low);
        prop_assert_eq!(once.relative_half_width(), twice.relative_half_width());
    }
}
