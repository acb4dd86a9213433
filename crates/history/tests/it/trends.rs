//! A detector that reports a change in every fourth series of noise is switched off by its users. So
//! the rate of false alarms is judged on drawn series, beside whether real steps are found.

use stripewise_history::{CannotTell, Detector, LEVEL_MAX, Size};

use crate::support::draws::{Draws, Kind};
use crate::support::{CORRELATIONS, POINTS, Share, false_alarms, kinds, published, step};

/// Returns how many series to draw: a share in CI, all with `STRIPEWISE_TEST_SHARE=all`.
fn series() -> u32 {
    match std::env::var("STRIPEWISE_TEST_SHARE").as_deref() {
        Ok("all") => 2000,
        _ => 300,
    }
}

fn draws() -> Draws {
    let seed = std::env::var("STRIPEWISE_TEST_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok()).unwrap_or(1_u64);
    println!("seed {seed}");
    // The table of critical scores is of seed 1 itself.
    Draws::new(seed.wrapping_add(1000))
}

#[test]
fn series_of_noise_have_a_change_with_at_most_five_percent() {
    let mut draws = draws();
    for correlation in CORRELATIONS {
        for (kind, word) in kinds() {
            let [changed, unknown] = false_alarms(&mut draws, POINTS, correlation, kind, series());
            println!("{correlation} {word}: {changed}, no answer {unknown}");
            // The promise may not lie below the interval of what was seen.
            assert!(
                changed.interval()[0] <= 100.0 * LEVEL_MAX,
                "{correlation} {word} {changed}"
            );
            assert_eq!(unknown.count, 0, "{correlation} {word}");
        }
    }
}

#[test]
fn a_step_of_ten_percent_is_found_and_placed() {
    let mut draws = draws();
    for (correlation, placed_min) in CORRELATIONS.into_iter().zip([95.0, 90.0, 80.0]) {
        let found = step(
            &mut draws,
            POINTS,
            (correlation, Kind::Normal),
            0.9,
            series(),
        );
        let [claimed, placed] = [found.claimed, found.placed];
        println!("{correlation}: {claimed} claimed, {placed} placed");
        let reaches = |share: Share, least: f64| share.interval()[1] >= least;
        assert!(reaches(claimed, 95.0), "{correlation} {claimed}");
        assert!(reaches(placed, placed_min), "{correlation} {placed}");
        for held in [found.place_held, found.size_held] {
            assert!(reaches(held, 95.0), "{correlation} {held}");
        }
    }
}

#[test]
fn stricter_levels_find_a_part_of_what_looser_ones_find() {
    let mut draws = draws();
    let mut values = Vec::new();
    let mut detector = Detector::default();
    for _ in 0..50 {
        draws.series(300, 0.5, Kind::Normal, &mut values);
        for (from, ratio) in [(60, 0.95), (130, 1.1), (200, 0.9), (260, 1.2)] {
            for value in &mut values[from..] {
                *value *= ratio;
            }
        }
        let trend = detector.trend(&values).unwrap();
        let places = |level: f64| -> Vec<usize> { trend.at(level).map(|of| of.place).collect() };
        for (strict, loose) in [(1e-6, 1e-3), (1e-3, 0.01), (0.01, 0.05)] {
            let loose = places(loose);
            assert!(places(strict).iter().all(|place| loose.contains(place)));
        }
        assert!(trend.changes.is_sorted_by_key(|change| change.place));
    }
}

#[test]
fn steps_of_the_published_series_are_where_the_eye_sees_them() {
    let values = published(include_str!("../data/tigerbeetle.csv"));
    assert_eq!(values.len(), 365);
    let trend = Detector::default().trend(&values).unwrap();
    let places: Vec<usize> = trend.changes.iter().map(|change| change.place).collect();
    // The drop and the rise that nobody disputes.
    assert!(places.contains(&71), "{places:?}");
    assert!(
        places.iter().any(|place| place.abs_diff(15) <= 1),
        "{places:?}"
    );
    assert!(places.len() <= 8, "{places:?}");
}

#[test]
fn what_cannot_be_told_is_said() {
    let mut detector = Detector::default();
    let tell = |detector: &mut Detector, values: &[f64]| detector.trend(values).err();
    assert_eq!(
        tell(&mut detector, &[1.0; 15]),
        Some(CannotTell::TooFewPoints { found: 15 })
    );
    // Twenty that wander may hide any step: it is not said that they have none.
    let mut draws = draws();
    let mut values = Vec::new();
    let mut unseen = 0;
    for _ in 0..50 {
        draws.series(20, 0.9, Kind::Normal, &mut values);
        unseen += usize::from(matches!(
            tell(&mut detector, &values),
            Some(CannotTell::StepsUnseen { found: 20, .. })
        ));
    }
    assert!(unseen >= 25, "{unseen}");
    let mut values = vec![1.0; 40];
    values[3] = f64::NAN;
    assert_eq!(
        tell(&mut detector, &values),
        Some(CannotTell::NotFinite { place: 3 })
    );
    // A steady climb is no change of level; its neighbours are too alike.
    let climb: Vec<f64> = (0..60).map(|day| 100.0 + f64::from(day)).collect();
    let found = detector.trend(&climb);
    assert!(
        matches!(found, Err(CannotTell::StepsUnseen { .. }))
            || found.is_ok_and(|trend| !trend.changes.is_empty())
    );
}

/// Until noise was estimated around the best step, every quiet series of fewer than 60 runs was one of which
/// nothing could be said, as a step passed for correlation.
#[test]
fn short_series_are_judged_and_what_is_said_to_be_seen_is_seen() {
    let mut draws = draws();
    for points in [30, 40, 60] {
        for (kind, word) in kinds() {
            let [changed, _] = false_alarms(&mut draws, points, 0.5, kind, series());
            println!("{points} {word}: {changed}");
            assert!(
                changed.interval()[0] <= 100.0 * LEVEL_MAX,
                "{points} {word} {changed}"
            );
        }
        let mut detector = Detector::default();
        let (mut values, mut quiet, mut seen) = (Vec::new(), Share::default(), Share::default());
        for _ in 0..series() {
            draws.series(points, 0.0, Kind::Normal, &mut values);
            let trend = detector.trend(&values);
            quiet.add(trend.as_ref().is_ok_and(|trend| trend.changes.is_empty()));
            let Some(seen_from) = trend.ok().and_then(|trend| trend.seen_from) else {
                continue;
            };
            for value in &mut values[points / 2..] {
                *value *= seen_from;
            }
            let stepped = detector.trend(&values);
            seen.add(stepped.is_ok_and(|trend| !trend.changes.is_empty()));
        }
        println!("{points}: {quiet} quiet, {seen} of the steps said to be seen");
        assert!(quiet.percent() >= 50.0, "{points} {quiet}");
        // Four of five, and what an estimate of the noise from so few points adds.
        assert!(seen.percent() >= 65.0, "{points} {seen}");
    }
}

#[test]
fn equal_values_have_no_change_and_a_step_between_equal_values_is_found() {
    let mut detector = Detector::default();
    let mut values = vec![5.0; 60];
    assert!(detector.trend(&values).unwrap().changes.is_empty());
    for value in &mut values[30..] {
        *value = 4.0;
    }
    let trend = detector.trend(&values).unwrap();
    let [only] = trend.changes.as_slice() else {
        panic!("{trend:?}");
    };
    assert_eq!(only.place, 30);
    assert!((only.size - 0.8).abs() < 1e-9, "{only:?}");
}

#[test]
fn values_of_zero_have_differences_instead_of_ratios() {
    let mut draws = draws();
    let values: Vec<f64> = (0..100)
        .map(|day| draws.normal() + if day < 50 { 0.0 } else { 5.0 })
        .collect();
    let trend = Detector::default().trend(&values).unwrap();
    assert_eq!(trend.sizes_are, Size::Difference);
    let [only] = trend.changes.as_slice() else {
        panic!("{trend:?}");
    };
    assert!(only.place.abs_diff(50) <= 2, "{only:?}");
    assert!(only.sizes[0] < 5.0 && 5.0 < only.sizes[1], "{only:?}");
}
