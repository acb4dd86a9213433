//! The published four-SSD study: one disk and one chunk size are measured, all else is predicted.
//!
//! Guards against a change of the model or the calibration that silently makes predictions of real
//! measurements worse. The golden table has every point, and two common estimates without a model:
//!
//! - `N x single`: four times the single disk's reads and twice its writes, at the same block size;
//! - `calculator`: the formula of RAID calculators on the web, disks x rate / (reads + RAID factor x
//!   writes) with a factor of 2 for RAID 10 (for instance
//!   <https://www.noah.org/mediawiki-1.34.2/index.php?title=IOPS_or_TPS&diff=next&oldid=7110>), with
//!   the best rate of a single disk.
//!
//! The measured numbers are fio 2's "MB/s", which are MiB/s.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_calibrate::points::{self, Point};
use stripewise_calibrate::report::Residual;
use stripewise_calibrate::{Calibration, Input, calibrate, residuals};
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_study::plan::Study;

const POINTS: &str = "four-ssd-random.csv";

pub(crate) fn study() -> Study {
    let text = include_str!("../../../../studies/four-ssd-random.toml");
    stripewise_fixtures::study(text)
}

pub(crate) fn all_points() -> Vec<Point> {
    points::parse(POINTS, include_bytes!("../data/four-ssd-random.csv")).expect("good points")
}

fn default_host() -> HostProfile {
    Profiles::shipped().hosts[HOST_DEFAULT].clone()
}

pub(crate) fn made_from(points: &[Point]) -> Calibration {
    let input = Input {
        study: &study(),
        points,
        source: POINTS,
        devices: &BTreeMap::new(),
        host: &default_host(),
        seed: 1,
    };
    calibrate(&input, &mut |_| ()).expect("these points can be simulated")
}

/// Estimates without a model, from the rows of the single disk.
struct Single<'a> {
    points: &'a [Point],
}

impl Single<'_> {
    fn factor(row: &Residual) -> f64 {
        if row.pattern == "randread" { 4.0 } else { 2.0 }
    }

    fn rates<'s>(&'s self, row: &'s Residual) -> impl Iterator<Item = &'s Point> {
        let of_pattern = move |point: &&Point| point.pattern.as_str() == row.pattern;
        let single = self.points.iter().filter(|point| point.stack == "ssd");
        single.filter(of_pattern)
    }

    fn times_disks(&self, row: &Residual) -> f64 {
        let same = |point: &&Point| point.block_size_bytes == row.block_size_bytes;
        let point = self.rates(row).find(same).expect("every size is measured");
        Self::factor(row) * point.bandwidth_bytes_per_s
    }

    fn calculator(&self, row: &Residual) -> f64 {
        let best = self.rates(row).map(|point| point.bandwidth_bytes_per_s);
        Self::factor(row) * best.fold(0.0, f64::max)
    }
}

fn mean(errors: impl IntoIterator<Item = f64>) -> f64 {
    let errors: Vec<f64> = errors.into_iter().map(f64::abs).collect();
    let count = u32::try_from(errors.len()).expect("few");
    errors.iter().sum::<f64>() / f64::from(count)
}

fn table(arrays: &[&Residual], single: &Single) -> String {
    let mib = |rate: f64| rate / 1_048_576.0;
    let mut text = format!(
        "{:9} {:9} {:>7} {:>9} {:>9} {:>7} {:>10} {:>10}\n",
        "stack", "pattern", "size", "measured", "predicted", "error", "N x single", "calculator"
    );
    for row in arrays {
        writeln!(
            text,
            "{:9} {:9} {:>6}K {:>9.0} {:>9.0} {:>+6.1}% {:>10.0} {:>10.0}",
            row.stack,
            row.pattern,
            row.block_size_bytes / 1024,
            mib(row.measured_bytes_per_s),
            mib(row.simulated_bytes_per_s),
            row.error * 100.0,
            mib(single.times_disks(row)),
            mib(single.calculator(row)),
        )
        .expect("writing to a string cannot fail");
    }
    text.push_str("\nmean |error|     model  N x single  calculator\n");
    for pattern in ["randread", "randwrite", "all"] {
        let rows = || {
            arrays
                .iter()
                .filter(|row| pattern == "all" || row.pattern == pattern)
        };
        let naive = |rate: &dyn Fn(&Residual) -> f64| {
            mean(rows().map(|row| rate(row) / row.measured_bytes_per_s - 1.0)) * 100.0
        };
        writeln!(
            text,
            "{pattern:14} {:>6.1}% {:>10.0}% {:>10.0}%",
            mean(rows().map(|row| row.error)) * 100.0,
            naive(&|row| single.times_disks(row)),
            naive(&|row| single.calculator(row)),
        )
        .expect("writing to a string cannot fail");
    }
    text
}

pub(super) fn one_disk_and_one_chunk_size_predict_all_arrays() {
    let points = all_points();
    let known: Vec<Point> = points
        .iter()
        .filter(|point| ["ssd", "chunk32"].contains(&point.stack.as_str()))
        .cloned()
        .collect();
    let made = made_from(&known);
    let all = residuals(&study(), &points, &made.devices, &made.host, 2).expect("as before");
    let arrays: Vec<&Residual> = all.iter().filter(|row| row.stack != "ssd").collect();
    assert_eq!(arrays.len(), 48);
    let table = table(&arrays, &Single { points: &points });
    let error = |pattern: &str| {
        let rows = arrays.iter().filter(|row| row.pattern.starts_with(pattern));
        mean(rows.map(|row| row.error))
    };
    assert!(error("rand") <= 0.05, "{table}");
    assert!(error("randread") <= 0.035, "{table}");
    expect_file!["../golden/published-study.txt"].assert_eq(&table);
}
