//! A drive that heats up slows down with every sample; the mean over all of them describes no
//! moment.

use proptest::prelude::*;
use stripewise_stats::{describe, drift};

use crate::{agree, reproducible, series};

#[test]
fn theil_sen_takes_the_middle_of_all_slopes() {
    // Slopes of 1 3 2 5: 2, 0.5, 4/3, -1, 1, 3; the two in the middle are 1 and 4/3.
    let found = drift(&series(&[1.0, 3.0, 2.0, 5.0]));
    assert!(agree(found.slope_per_sample, 7.0 / 6.0, 12));
    // 7/6 times three steps over the median of 2.5.
    assert!(agree(found.relative_change.unwrap(), 1.4, 12));
}

/// Returns a series of `count` distinct values with a Mann-Kendall score of `score`.
fn with_score(count: usize, score: usize) -> Vec<f64> {
    let pairs = count * (count - 1) / 2;
    let mut falling = (pairs - score) / 2;
    let mut left: Vec<usize> = (0..count).collect();
    let mut values = Vec::new();
    while !left.is_empty() {
        let skip = falling.min(left.len() - 1);
        falling -= skip;
        values.push(f64::from(u32::try_from(left.remove(skip)).unwrap()));
    }
    values
}

#[test]
fn exact_p_values_are_those_of_the_published_table() {
    // One-sided probabilities of Kendall 1975, as in Gilbert 1987, table A18.
    let table = [
        (4, 4, 0.167),
        (4, 6, 0.042),
        (5, 8, 0.042),
        (8, 10, 0.138),
        (8, 16, 0.031),
        (8, 20, 0.0071),
        (10, 11, 0.190),
        (10, 19, 0.054),
        (10, 23, 0.023),
        (10, 27, 0.0083),
    ];
    for (count, score, one_sided) in table {
        let found = drift(&series(&with_score(count, score)));
        let digits = if one_sided < 0.01 { 4 } else { 3 };
        assert!(
            agree(found.p_value / 2.0, one_sided, digits),
            "n {count}, S {score}: {}",
            found.p_value
        );
    }
}

#[test]
fn ties_take_the_normal_approximation_with_their_variance() {
    // S = 45 - 5 = 40; variance (10 * 9 * 25 - 5 * 2 * 1 * 9) / 18 = 120; z = 39 / sqrt(120) = 3.5602.
    let found = drift(&series(&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0]));
    assert!(agree(found.p_value, 0.000371, 6), "{}", found.p_value);
}

#[test]
fn degenerate_series_do_not_drift() {
    for values in [&[1.0][..], &[2.0; 7], &[0.0, 0.0], &[-0.0, 0.0, -0.0]] {
        let found = drift(&series(values));
        assert_eq!(
            (found.slope_per_sample, found.p_value),
            (0.0, 1.0),
            "{values:?}"
        );
    }
    assert_eq!(drift(&series(&[1.0, 2.0])).p_value, 1.0);
    assert_eq!(drift(&series(&[-1.0, 0.0, 1.0])).relative_change, None);
}

#[test]
fn a_drift_is_reported_with_its_size_and_a_tiny_one_is_not() {
    let falling: Vec<f64> = (0..12)
        .map(|index| 500.0 - 5.0 * f64::from(index))
        .collect();
    let found = describe(&series(&falling)).drift.unwrap();
    assert!(agree(found.relative_change.unwrap(), -55.0 / 472.5, 9));
    let tiny: Vec<f64> = (0..12)
        .map(|index| 500.0 - 0.05 * f64::from(index))
        .collect();
    assert_eq!(describe(&series(&tiny)).drift, None);
}

/// Calls `visit` with every order of `values`.
fn permutations(values: &mut Vec<f64>, fixed: usize, visit: &mut impl FnMut(&[f64])) {
    if fixed == values.len() {
        return visit(values);
    }
    for index in fixed..values.len() {
        values.swap(fixed, index);
        permutations(values, fixed + 1, visit);
        values.swap(fixed, index);
    }
}

fn score(values: &[f64]) -> i32 {
    let pairs = (0..values.len())
        .flat_map(|early| (early + 1..values.len()).map(move |late| (early, late)));
    pairs
        .map(|(early, late)| if values[late] > values[early] { 1 } else { -1 })
        .sum()
}

proptest! {
    #![proptest_config(reproducible())]

    #[test]
    fn exact_p_values_agree_with_all_permutations(order in Just(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).prop_shuffle()) {
        let observed = score(&order).abs();
        let (mut all, mut as_extreme) = (0_u32, 0_u32);
        permutations(&mut order.clone(), 0, &mut |values| {
            all += 1;
            as_extreme += u32::from(score(values).abs() >= observed);
        });
        let expected = f64::from(as_extreme) / f64::from(all);
        prop_assert!(agree(drift(&series(&order)).p_value, expected, 9), "{order:?}");
    }

    #[test]
    fn backwards_in_time_the_slope_turns_around(values in prop::collection::vec(1.0_f64..100.0, 1..45)) {
        let backwards: Vec<f64> = values.iter().rev().copied().collect();
        let (there, back) = (drift(&series(&values)), drift(&series(&backwards)));
        prop_assert!(agree(there.slope_per_sample, -back.slope_per_sample, 9));
        prop_assert_eq!(there.p_value, back.p_value);
        prop_assert!((0.0..=1.0).contains(&there.p_value));
    }
}
