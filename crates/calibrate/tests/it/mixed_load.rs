//! A published RAID 0 of three unlike SSDs under random reads and writes, 50/50, predicted from the
//! members alone.
//!
//! fio results published with fio-plot (<https://github.com/louwrentius/fio-plot>,
//! `benchmark_data`): a Samsung 860 Pro, a Samsung PM883 and an Intel S4610 behind one HP HBA, and
//! their RAID 0. Its chunk and kernel are not published; neither matters to 4K I/Os.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_calibrate::points::{self, Point, Side};
use stripewise_calibrate::{Calibration, Input, calibrate, residuals};
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_study::plan::Study;

use crate::coverage::coverage;
use crate::mean_and_most;

const STUDY: &str = r#"
kernel = "5.4"
[stack.860-pro]
devices = { "860-pro" = 1 }
filesystem = "none"
[stack.pm883]
devices = { pm883 = 1 }
filesystem = "none"
[stack.s4610]
devices = { s4610 = 1 }
filesystem = "none"
[stack.raid0-of-the-three]
devices = { "860-pro" = 1, pm883 = 1, s4610 = 1 }
array = { level = "raid0", chunk = "64K" }
filesystem = "none"
[workload]
pattern = "randrw"
mix = "50/50"
block_size = "4K"
size = "10G"
direct = true
engine = "libaio"
"#;
const ARRAY: &str = "raid0-of-the-three";

fn study() -> Study {
    stripewise_fixtures::study(STUDY)
}

/// The points with one job, of the array or of its members.
fn points_of(array: bool) -> Vec<Point> {
    let bytes = include_bytes!("../data/mixed-load-raid0.csv");
    let points = points::parse("mixed-load-raid0.csv", bytes).expect("good points");
    let wanted = |point: &Point| point.jobs == 1 && (point.stack == ARRAY) == array;
    points.into_iter().filter(wanted).collect()
}

fn calibrated(points: &[Point]) -> Calibration {
    let input = Input {
        study: &study(),
        points,
        source: "mixed-load-raid0.csv",
        devices: &BTreeMap::new(),
        host: &Profiles::shipped().hosts[HOST_DEFAULT],
        seed: 1,
    };
    calibrate(&input, &mut |_| ()).expect("these points can be simulated")
}

/// What one would guess without a model: three times the slowest member's rate at a third of the
/// depth, on straight lines between its points.
fn naive(members: &[Point], point: &Point) -> f64 {
    let depth = f64::from(point.depth) / 3.0;
    let rate = |stack: &str| {
        let of_member = members.iter();
        let of_member = of_member.filter(|one| one.stack == stack && one.side == point.side);
        let known = of_member.map(|one| (f64::from(one.depth), one.bandwidth_bytes_per_s));
        let (mut below, mut rate) = ((0.0, 0.0), None);
        for (at, of_depth) in known {
            if depth <= at && rate.is_none() {
                rate = Some(below.1 + (of_depth - below.1) * (depth - below.0) / (at - below.0));
            }
            below = (at, of_depth);
        }
        rate.expect("a member's points go up to the array's depth")
    };
    let rates = ["860-pro", "pm883", "s4610"].map(rate);
    3.0 * rates.into_iter().fold(f64::INFINITY, f64::min)
}

pub(super) fn a_raid0_of_unlike_disks_under_a_mixed_load_is_predicted_from_its_members() {
    let (members, array) = (points_of(false), points_of(true));
    let made = calibrated(&members);
    let mut table = format!("adapters: {:?}\n", made.report.adapters);
    for row in &made.report.residuals {
        assert!(
            row.error.abs() < 0.05,
            "a member does not repeat its point: {row:?}"
        );
    }
    let (own, _) = mean_and_most(made.report.residuals.iter().map(|row| row.error));
    writeln!(table, "members, over their own points: {own:.1} %").expect("a string");
    let (devices, host) = (&made.devices, &made.host);
    let predicted = residuals(&study(), &array, devices, host, 2).expect("an array");
    let mut errors: BTreeMap<(Side, bool), Vec<[f64; 2]>> = BTreeMap::new();
    for (row, point) in predicted.iter().zip(&array) {
        let naive = naive(&members, point) / point.bandwidth_bytes_per_s - 1.0;
        let side = point.side.expect("a side");
        let error = [row.error, naive];
        writeln!(
            table,
            "{side:?} at depth {:2}: {:+6.1} %, naive {:+6.1} %",
            point.depth,
            100.0 * error[0],
            100.0 * error[1]
        )
        .expect("a string");
        errors
            .entry((side, point.depth > 8))
            .or_default()
            .push(error);
    }
    for ((side, is_deep), errors) in &errors {
        let [model, naive] =
            [0, 1].map(|which| mean_and_most(errors.iter().map(|error| error[which])).0);
        let depth = if *is_deep { "above 8" } else { "up to 8" };
        writeln!(
            table,
            "{side:?}, depth {depth}: mean {model:.1} %, naive {naive:.1} %"
        )
        .expect("a string");
        assert!(model < naive, "{table}");
    }
    let all = errors.values().flatten().map(|error| error[0]);
    let (mean, most) = mean_and_most(all);
    writeln!(table, "mean {mean:.1} %, largest {most:.1} %").expect("a string");
    let all_jobs = include_bytes!("../data/mixed-load-raid0.csv");
    let mut all_jobs = points::parse("mixed-load-raid0.csv", all_jobs).expect("good points");
    all_jobs.retain(|point| point.stack == ARRAY);
    table.push_str(&coverage(&study(), &made, &all_jobs));
    expect_file!["../golden/mixed-load.txt"].assert_eq(&table);
    // At depth 1 the array's reads take 91 us, fewer than those of any member alone (111 to 147 us):
    // nothing measured on the members says so.
    assert!(mean < 9.0 && most < 21.5, "{table}");
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    let mut members = points_of(false);
    members.retain(|point| point.stack != "pm883" && point.depth <= 4);
    let reversed: Vec<Point> = members.iter().rev().cloned().collect();
    let (made, other) = (calibrated(&members), calibrated(&reversed));
    assert_eq!(made.devices, other.devices);
    assert_eq!(made.host, other.host);
}
