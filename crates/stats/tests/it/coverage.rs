//! An interval called "95 %" must cover the truth nearly that often, and equals must not come out
//! different.
//!
//! The `coverage` example prints the full tables, with every limit. These tests guard a few of
//! their numbers.

use stripewise_stats::{
    ComparisonParams, Level, Pair, Series, Verdict, compare, compare_unpaired, is_settled,
    median_interval,
};

use crate::support::{Generator, Process, SILENT, Session, Shape, draw_session, generator, real};

const SEED: u64 = 20_240_607;
const REPETITIONS: usize = 2_000;

const STEADY: Process = Process {
    shape: Shape::Normal,
    spread: 0.05,
    autocorrelation: 0.0,
    drift_per_sample: 0.0,
};

const NOISY: Session = Session {
    own_spread: 0.05,
    ..SILENT
};

/// Returns how often `holds` is true, as a fraction.
fn share(name: &str, mut holds: impl FnMut(&mut Generator) -> bool) -> f64 {
    let mut generator = generator(SEED);
    let count = (0..REPETITIONS).filter(|_| holds(&mut generator)).count();
    let share = real(count) / real(REPETITIONS);
    println!("seed {SEED}, {REPETITIONS} repetitions, {name}: {share}");
    share
}

fn coverage(process: Process, count: usize) -> f64 {
    share(&format!("{process:?}, n = {count}"), |generator| {
        let series = Series::new(process.draw(count, generator)).unwrap();
        median_interval(&series, Level::P95)
            .interval
            .unwrap()
            .contains(process.truth(count))
    })
}

#[test]
fn intervals_of_independent_samples_cover_the_median_at_least_at_their_level() {
    for shape in [Shape::Normal, Shape::Skewed, Shape::Bimodal] {
        for count in [6, 12, 30] {
            let coverage = coverage(Process { shape, ..STEADY }, count);
            assert!((0.94..=0.99).contains(&coverage), "{coverage}");
        }
    }
}

#[test]
fn intervals_of_dependent_samples_cover_less_but_above_known_floors() {
    // Below the nominal 0.95 where six samples cannot show their dependence: known, and documented
    // in ANALYSIS.md.
    let floors = [
        (0.3, 6, 0.88),
        (0.3, 12, 0.93),
        (0.3, 30, 0.94),
        (0.7, 6, 0.68),
        (0.7, 12, 0.83),
        (0.7, 30, 0.90),
    ];
    for (autocorrelation, count, floor) in floors {
        let coverage = coverage(
            Process {
                autocorrelation,
                ..STEADY
            },
            count,
        );
        assert!(coverage >= floor, "{coverage}");
    }
}

#[test]
fn intervals_of_drifting_samples_cover_the_middle_of_the_drift() {
    for count in [6, 12, 30] {
        assert!(
            coverage(
                Process {
                    drift_per_sample: 0.01,
                    ..STEADY
                },
                count
            ) >= 0.95
        );
    }
}

#[test]
fn stopping_when_settled_keeps_the_coverage_of_independent_samples() {
    let coverage = share("stopping when settled", |generator| {
        let values = STEADY.draw(30, generator);
        let look = |count: usize| {
            median_interval(&Series::new(values[..count].to_vec()).unwrap(), Level::P95)
        };
        let stop = (6..30)
            .find(|&count| is_settled(&look(count), 0.05))
            .unwrap_or(30);
        look(stop).interval.unwrap().contains(STEADY.truth(stop))
    });
    assert!(coverage >= 0.94, "{coverage}");
}

fn is_different(session: &Session, count: usize, generator: &mut Generator) -> bool {
    matches!(
        verdict(session, count, generator),
        Verdict::Different { .. }
    )
}

fn verdict(session: &Session, count: usize, generator: &mut Generator) -> Verdict {
    let samples = draw_session(session, count, generator);
    let pairs: Vec<Pair> = samples
        .iter()
        .map(|&(baseline, other)| Pair { baseline, other })
        .collect();
    compare(&pairs, ComparisonParams::STANDARD).unwrap().verdict
}

#[test]
fn equals_measured_in_turn_hardly_ever_come_out_different() {
    let shared = Session {
        own_spread: 0.02,
        shared_spread: 0.05,
        ..NOISY
    };
    let drifting = Session {
        drift: 0.2,
        ..NOISY
    };
    for session in [NOISY, shared, drifting] {
        for count in [6, 12, 30] {
            let false_claims = share(&format!("{session:?}"), |generator| {
                is_different(&session, count, generator)
            });
            assert!(false_claims <= 0.008, "{false_claims}");
        }
    }
}

#[test]
fn ten_per_cent_are_not_called_no_difference() {
    let slow = Session {
        own_autocorrelation: 0.7,
        ..NOISY
    };
    for (session, ceiling) in [(NOISY, 0.001), (slow, 0.02)] {
        for count in [6, 12, 30] {
            let session = Session {
                ratio: 1.1,
                ..session
            };
            let false_claims = share(&format!("{session:?}, n = {count}"), |generator| {
                matches!(
                    verdict(&session, count, generator),
                    Verdict::NoDifference { .. }
                )
            });
            assert!(false_claims <= ceiling, "{false_claims}");
        }
    }
}

#[test]
fn slow_noise_of_each_cell_makes_false_claims_at_a_known_rate() {
    let session = Session {
        own_autocorrelation: 0.7,
        ..NOISY
    };
    for (count, ceiling) in [(6, 0.09), (12, 0.07), (30, 0.05)] {
        let false_claims = share("own noise, rho 0.7", |generator| {
            is_different(&session, count, generator)
        });
        assert!(false_claims <= ceiling, "{false_claims}");
    }
}

#[test]
fn true_differences_are_found() {
    // ANALYSIS.md has the rates of the previous rule: 0.81, 0.73, 0.70 and 0.65 for all but the
    // first.
    let floors = [
        (20.0, 0.05, 6, 0.999),
        (7.0, 0.3, 6, 0.93),
        (1.3, 0.05, 6, 0.84),
        (1.1, 0.05, 12, 0.7),
        (1.1, 0.1, 30, 0.65),
    ];
    for (ratio, own_spread, count, floor) in floors {
        let session = Session {
            ratio,
            own_spread,
            ..NOISY
        };
        let power = share(&format!("{session:?}"), |generator| {
            is_different(&session, count, generator)
        });
        assert!(power >= floor, "{power}");
    }
}

#[test]
fn two_equal_runs_hardly_ever_come_out_different_with_independent_noise() {
    for count in [6, 12, 30] {
        let false_claims = share("unpaired", |generator| {
            let (baseline, other): (Vec<f64>, Vec<f64>) =
                draw_session(&NOISY, count, generator).into_iter().unzip();
            let (baseline, other) = (Series::new(baseline).unwrap(), Series::new(other).unwrap());
            let comparison =
                compare_unpaired(&baseline, &other, ComparisonParams::STANDARD).unwrap();
            matches!(comparison.verdict, Verdict::Different { .. })
        });
        assert!(false_claims <= 0.01, "{false_claims}");
    }
}
