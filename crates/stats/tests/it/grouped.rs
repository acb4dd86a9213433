//! Twenty crash images of one recording must not pass for twenty power cuts: their interval would be
//! far too narrow. The intervals must cover however alike the images of a recording are.

use std::collections::BTreeMap;

use expect_test::expect_file;
use rand::RngExt;
use stripewise_stats::{
    Level, grouped_median_places, grouped_proportion_interval, independent_groups,
    proportion_interval,
};

use crate::support::{Generator, generator, real};

const SEED: u64 = 19_980_101;
const REPETITIONS: usize = 1_000;

/// The images of each of the recordings.
const SIZES: [(&str, &[usize]); 4] = [
    ("20 of 1", &[1; 20]),
    ("20 of 8", &[8; 20]),
    (
        "20 of 1 to 8",
        &[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 2, 4, 6, 8],
    ),
    ("6 of 10", &[10; 6]),
];

/// Returns events in groups of these sizes: a group is alike with the probability `alike`, else its
/// events are independent.
fn draw(sizes: &[usize], alike: f64, generator: &mut Generator) -> Vec<Vec<f64>> {
    let group = |size: &usize| match generator.random::<f64>() < alike {
        true => vec![generator.random(); *size],
        false => (0..*size).map(|_| generator.random()).collect(),
    };
    sizes.iter().map(group).collect()
}

/// Returns the coverage of our interval, and of one that takes all events for independent.
fn proportion_coverage(sizes: &[usize], alike: f64, truth: f64) -> (f64, f64) {
    let mut generator = generator(SEED);
    let (mut grouped, mut plain) = (0, 0);
    // Many repetitions see as many, and an interval depends on nothing else that they draw.
    let mut intervals = BTreeMap::new();
    for _ in 0..REPETITIONS {
        let events = draw(sizes, alike, &mut generator).concat();
        let seen = events.iter().filter(|event| **event < truth).count();
        let (own, other) = intervals.entry(seen).or_insert_with(|| {
            let own = grouped_proportion_interval(seen, sizes, Level::P95);
            (own, proportion_interval(seen, events.len(), Level::P95))
        });
        grouped += usize::from(own.contains(truth));
        plain += usize::from(other.contains(truth));
    }
    let share = |count| real(count) / real(REPETITIONS);
    (share(grouped), share(plain))
}

/// Returns the coverage of the interval of a median.
fn median_coverage(sizes: &[usize], alike: f64) -> f64 {
    let mut generator = generator(SEED);
    let worth = independent_groups(sizes);
    let is_covered = |generator: &mut Generator| {
        let mut events = draw(sizes, alike, generator).concat();
        events.sort_by(f64::total_cmp);
        let places = grouped_median_places(events.len(), worth, Level::P95);
        let (low, high) = places.unwrap();
        events[low] <= 0.5 && 0.5 <= events[high]
    };
    let covered = (0..REPETITIONS).filter(|_| is_covered(&mut generator));
    real(covered.count()) / real(REPETITIONS)
}

/// The table is that of docs/analysis/power-cuts.md.
#[test]
fn what_is_known_of_grouped_events_is_covered_however_alike_they_are() {
    let mut table = "\
| recordings of images | alike | 2 % | 10 % | 50 % | 90 % | median |
|---|---|---|---|---|---|---|
"
    .to_owned();
    for (name, sizes) in SIZES {
        // Groups of one event cannot be more or less alike.
        let is_alike = |alike: &f64| *alike == 0.0 || sizes.iter().any(|size| *size > 1);
        for alike in [0.0, 0.5, 1.0].into_iter().filter(is_alike) {
            table += &format!("| {name} | {alike} |");
            for truth in [0.02, 0.1, 0.5, 0.9] {
                let (grouped, plain) = proportion_coverage(sizes, alike, truth);
                assert!(grouped >= 0.94, "{name} {alike} {truth}: {grouped}");
                table += &format!(" {:.1} ({:.1}) |", 100.0 * grouped, 100.0 * plain);
            }
            let median = median_coverage(sizes, alike);
            assert!(median >= 0.94, "{name} {alike}: {median}");
            table += &format!(" {:.1} |\n", 100.0 * median);
        }
    }
    expect_file!["../grouped.txt"].assert_eq(&table);
    // The alarm works: all images as independent cover a half far too rarely.
    assert!(proportion_coverage(SIZES[1].1, 1.0, 0.5).1 < 0.7);
}
