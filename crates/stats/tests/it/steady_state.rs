//! A fresh drive is fast for an hour; only the rate after that counts.

use stripewise_stats::{SteadyState, SteadyWindow, steady_state};

use crate::{agree, series};

/// Five rounds with the mean, fit and range of the worked example.
const EXAMPLE: [f64; 5] = [11_798.0, 11_577.0, 11_877.0, 11_655.0, 11_727.0];

fn steady(rounds: &[f64]) -> SteadyWindow {
    match steady_state(&series(rounds)) {
        SteadyState::Steady(window) => window,
        other => panic!("not steady: {other:?}"),
    }
}

#[test]
fn the_worked_example_is_reproduced_to_the_last_digit() {
    let window = steady(&EXAMPLE);
    let expected = [
        (window.mean, 11_726.8),
        (window.slope_per_round, -6.4),
        (window.intercept, 11_746.0),
        (window.range, 300.0),
        (window.range_allowed, 2_345.36),
        (window.slope_excursion, 25.6),
        (window.slope_excursion_allowed, 1_172.68),
    ];
    for (found, expected) in expected {
        assert!(agree(found, expected, 8), "{found} is not {expected}");
    }
    assert_eq!(window.first_round, 1);
}

#[test]
fn the_first_steady_window_counts_and_the_line_is_of_the_whole_series() {
    let rounds: Vec<f64> = [40_000.0, 20_000.0]
        .into_iter()
        .chain(EXAMPLE)
        .chain([1.0])
        .collect();
    let window = steady(&rounds);
    assert_eq!(window.first_round, 3);
    // Two rounds later the same line has its origin two slopes higher.
    assert!(agree(window.intercept, 11_746.0 + 2.0 * 6.4, 8));
}

#[test]
fn both_criteria_have_to_hold() {
    // A range of 0.21 of the mean, and a level line.
    assert!(!matches!(
        steady_state(&series(&[100.0, 89.5, 100.0, 110.5, 100.0])),
        SteadyState::Steady(_)
    ));
    // A range of 0.12 and a slope of 0.03 a round: the line moves by 0.12.
    assert!(!matches!(
        steady_state(&series(&[94.0, 97.0, 100.0, 103.0, 106.0])),
        SteadyState::Steady(_)
    ));
    // Exactly on both limits of what is allowed: a slope excursion of 0.1.
    let window = steady(&[95.0, 97.5, 100.0, 102.5, 105.0]);
    assert_eq!(
        (window.slope_excursion, window.slope_excursion_allowed),
        (10.0, 10.0)
    );
}

#[test]
fn an_idle_drive_is_not_steady() {
    let SteadyState::NotYet {
        rounds_left,
        latest,
    } = steady_state(&series(&[0.0; 5]))
    else {
        panic!()
    };
    assert_eq!(rounds_left, 20);
    assert!(latest.is_some_and(|window| window.range == 0.0 && !window.is_steady()));
}

#[test]
fn four_rounds_are_too_few_and_twenty_five_are_enough() {
    assert_eq!(
        steady_state(&series(&EXAMPLE[..4])),
        SteadyState::NotYet {
            rounds_left: 21,
            latest: None
        }
    );
    let wild: Vec<f64> = (0..30)
        .map(|round| if round % 2 == 0 { 100.0 } else { 200.0 })
        .collect();
    assert!(matches!(
        steady_state(&series(&wild[..24])),
        SteadyState::NotYet {
            rounds_left: 1,
            latest: Some(_)
        }
    ));
    let SteadyState::NotAttained { latest } = steady_state(&series(&wild[..25])) else {
        panic!()
    };
    assert_eq!(latest.first_round, 21);
    // Rounds after the last allowed one do not help.
    let calm_late: Vec<f64> = wild[..25].iter().copied().chain([100.0; 5]).collect();
    assert!(matches!(
        steady_state(&series(&calm_late)),
        SteadyState::NotAttained { .. }
    ));
}
