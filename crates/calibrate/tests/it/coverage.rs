//! Whether the 95 % interval of a prediction holds 95 % of what was measured: every published array
//! whose members were also published alone.
//!
//! Guards against intervals that are too narrow, which make people believe what is not known, and
//! against intervals that are so wide that they say nothing. No width is fitted to these tables: the
//! sources of uncertainty are those of the profiles (`stripewise_sim::uncertainty`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_calibrate::Calibration;
use stripewise_calibrate::points::{self, Point};
use stripewise_profiles::Profiles;
use stripewise_sim::world::Model;
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::sample::as_f64;
use stripewise_study::workload::{BlockSize, Engine};
use stripewise_study::world::NeverCancel;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::published_study;

/// How many of the measured rates lie in the interval of their prediction.
#[derive(Debug, Default)]
pub(crate) struct Score {
    /// Each that lies outside, a line each.
    outside: String,
    held: usize,
    /// The half widths, in percent of the prediction.
    widths: Vec<f64>,
}

impl Score {
    /// Adds other ones.
    pub(crate) fn add(&mut self, other: Self) {
        self.outside += &other.outside;
        self.held += other.held;
        self.widths.extend(other.widths);
    }

    /// Returns the numbers in words.
    pub(crate) fn line(&mut self) -> String {
        self.widths.sort_by(f64::total_cmp);
        let count = self.widths.len();
        format!(
            "{} of {count} within, median ±{:.1} %, {:.1} to {:.1} %\n",
            self.held,
            self.widths[count / 2],
            self.widths[0],
            self.widths[count - 1]
        )
    }

    /// Returns whether nine of ten lie inside.
    pub(crate) fn is_good(&self) -> bool {
        self.held * 10 >= self.widths.len() * 9
    }
}

/// Returns how many of the measured arrays lie in the interval of their prediction, the widths of the
/// intervals, and each that lies outside.
pub(crate) fn coverage(study: &Study, made: &Calibration, arrays: &[Point]) -> String {
    let mut score = score(study, made, arrays);
    assert!(score.is_good(), "{}", score.outside);
    std::mem::take(&mut score.outside) + &score.line()
}

/// Predicts each load of `arrays`.
pub(crate) fn score(study: &Study, made: &Calibration, arrays: &[Point]) -> Score {
    let mut profiles = Profiles::shipped();
    profiles.devices.extend(made.devices.clone());
    profiles
        .hosts
        .insert(made.host.name.clone(), made.host.clone());
    let kernel = study.kernel.unwrap_or(KernelVersion::new(5, 4, 0));
    let mut model = Model::new(profiles, kernel);
    model.host = Some(made.host.name.clone());
    let (mut text, mut held, mut widths) = (String::new(), 0, Vec::new());
    for (point, measured) in loads(arrays) {
        let [value, low, high] = predicted(&model, study, &point);
        widths.push(100.0 * (high - low) / 2.0 / value);
        if (low..=high).contains(&measured) {
            held += 1;
            continue;
        }
        writeln!(
            text,
            "outside: {} {} {}K jobs {} depth {}: measured {:+.1} %, interval {:+.1} to {:+.1} %",
            point.stack,
            point.pattern,
            point.block_size_bytes / 1024,
            point.jobs,
            point.depth,
            100.0 * (measured / value - 1.0),
            100.0 * (low / value - 1.0),
            100.0 * (high / value - 1.0),
        )
        .expect("a string");
    }
    Score {
        outside: text,
        held,
        widths,
    }
}

/// Returns the simulated bandwidth of a point's load, and the bounds of what may be measured. One
/// simulation is enough: its own noise is within 1 %.
fn predicted(model: &Model, study: &Study, point: &Point) -> [f64; 3] {
    let mut cells = study.cells.iter();
    let found = cells.find(|cell| cell.stack.name == point.stack);
    let mut cell = found.expect("a stack of the study").clone();
    let load = &mut cell.workload.load;
    load.pattern = point.pattern;
    load.read_percent = point.read_percent;
    load.block_size = BlockSize::Fixed(Bytes::new(point.block_size_bytes));
    (load.jobs, load.depth) = (point.jobs, point.depth);
    if point.depth > 1 {
        load.engine = Engine::Libaio;
    }
    if point.jobs > 1 {
        // Each job has a file of its own, and the disks have the least size for one.
        load.size_bytes = Bytes::new(1 << 30);
    }
    let sample = model.simulate(&cell, 0, &mut NeverCancel);
    let sample = sample.expect("a stack that can be");
    let bandwidth = Metric::Bandwidth.of(&sample).expect("a rate");
    let breakdown = sample.breakdown.expect("the model explains itself");
    let off = breakdown.uncertainty.expect("the members were measured");
    [
        bandwidth,
        bandwidth / off.slower.exp(),
        bandwidth * off.faster.exp(),
    ]
}

/// Returns the measured bandwidth of each load, both sides of a mix together.
fn loads(arrays: &[Point]) -> Vec<(Point, f64)> {
    let is_same = |one: &Point, other: &Point| {
        one.stack == other.stack
            && one.pattern == other.pattern
            && one.block_size_bytes == other.block_size_bytes
            && (one.jobs, one.depth) == (other.jobs, other.depth)
    };
    let mut loads: Vec<(Point, f64)> = Vec::new();
    for point in arrays {
        match loads.iter_mut().find(|(one, _)| is_same(one, point)) {
            Some((_, bandwidth)) => *bandwidth += point.bandwidth_bytes_per_s,
            None => loads.push((point.clone(), point.bandwidth_bytes_per_s)),
        }
    }
    loads
}

#[test]
fn intervals_of_arrays_of_four_ssds_hold_what_was_measured() {
    let points = published_study::all_points();
    let (single, arrays): (Vec<Point>, Vec<Point>) =
        points.into_iter().partition(|point| point.stack == "ssd");
    let made = published_study::made_from(&single);
    let text = coverage(&published_study::study(), &made, &arrays);
    expect_file!["../golden/coverage-four-ssds.txt"].assert_eq(&text);
}

/// The spread that is assumed where a profile has no repeated points.
#[test]
fn measurements_that_should_be_equal_differ_by_six_percent() {
    let mut curves: BTreeMap<(String, &str), BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
    let bytes = include_bytes!("../data/depth-curves.csv");
    for point in points::parse("depth-curves.csv", bytes).expect("good points") {
        let in_flight = point.jobs * point.depth;
        if in_flight <= 64 {
            let curve = curves
                .entry((point.stack, point.pattern.as_str()))
                .or_default();
            curve
                .entry(in_flight)
                .or_default()
                .push(point.bandwidth_bytes_per_s.ln());
        }
    }
    let spread = |curve: &BTreeMap<u32, Vec<f64>>| {
        let squares = |equal: &Vec<f64>| {
            let mean = equal.iter().sum::<f64>() / as_f64(equal.len() as u64);
            equal.iter().map(|one| (one - mean).powi(2)).sum::<f64>()
        };
        let more: usize = curve.values().map(|equal| equal.len() - 1).sum();
        (curve.values().map(squares).sum::<f64>() / as_f64(more as u64)).sqrt()
    };
    let mut spreads: Vec<f64> = curves.values().map(spread).collect();
    spreads.sort_by(f64::total_cmp);
    let median = spreads[spreads.len() / 2];
    assert_eq!(spreads.len(), 22);
    assert!((median - 0.058).abs() < 0.0005, "{spreads:?}");
}
