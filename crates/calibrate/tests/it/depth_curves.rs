//! Published depth curves: a profile repeats the measurements that it was made from.
//!
//! Five SSDs and a hard disk on three controllers, 4K random reads and writes with one job at depths
//! 1 to 64: fio results published with fio-plot (<https://github.com/louwrentius/fio-plot>,
//! `benchmark_data`). `depth-curves.csv` has their points with more jobs as well, which contradict
//! each other on most of these devices; `contradictions` finds them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_calibrate::adapter;
use stripewise_calibrate::contradictions::contradictions;
use stripewise_calibrate::points::{self, Point, Side};
use stripewise_calibrate::{Calibration, Input, calibrate, residuals};
use stripewise_fixtures::{assert_golden, golden_share};
use stripewise_profiles::{HOST_DEFAULT, Profiles};

use crate::coverage::{Score, score};
use crate::mean_and_most;

const POINTS: &str = "depth-curves.csv";

const STUDY: &str = r#"
[stack.STACK]
devices = { device = 1 }
filesystem = "none"
[workload]
pattern = "randread"
block_size = "4K"
size = "10G"
direct = true
engine = "libaio"
"#;

fn by_stack() -> BTreeMap<String, Vec<Point>> {
    let bytes = include_bytes!("../data/depth-curves.csv");
    let mut stacks: BTreeMap<String, Vec<Point>> = BTreeMap::new();
    for point in points::parse(POINTS, bytes).expect("good points") {
        stacks.entry(point.stack.clone()).or_default().push(point);
    }
    stacks
}

/// Calibrates one disk from its points with one job that `keep` selects.
fn calibrated(stack: &str, points: &[Point], keep: fn(&Point) -> bool) -> Calibration {
    let points: Vec<Point> = points.iter().filter(|one| keep(one)).cloned().collect();
    let study = STUDY.replace("STACK", stack);
    let input = Input {
        study: &stripewise_fixtures::study(&study),
        points: &points,
        source: POINTS,
        devices: &BTreeMap::new(),
        host: &Profiles::shipped().hosts[HOST_DEFAULT],
        seed: 1,
    };
    calibrate(&input, &mut |_| ()).expect("these points can be simulated")
}

#[test]
fn a_profile_repeats_the_points_that_it_was_made_from() {
    let mut table = String::from(
        "errors over its own points, mean and largest, in %: of the rate, the median latency, the 99th\n\
         percentile; and of the rate at a number of I/Os in flight from those at the others\n",
    );
    let stacks = by_stack();
    let names: Vec<&String> = stacks.keys().collect();
    for stack in golden_share("disks that repeat their curves", &names, 3) {
        let points = &stacks[stack];
        let made = calibrated(stack, points, |one| one.jobs == 1);
        for (pattern, side) in [("randread", Side::Read), ("randwrite", Side::Write)] {
            let rows = || {
                let residuals = made.report.residuals.iter();
                residuals.filter(|row| row.pattern == pattern)
            };
            assert_eq!(rows().count(), 7);
            let (mean, most) = mean_and_most(rows().map(|row| row.error));
            assert!(mean < 2.0, "{stack} {pattern}: {mean}");
            write!(table, "{stack:52} {pattern:9} {mean:4.1} {most:4.1}").expect("a string");
            for which in 0..2 {
                let errors = rows().filter_map(|row| row.latency_errors[which]);
                let (mean, most) = mean_and_most(errors);
                write!(table, "  {mean:5.1} {most:5.1}").expect("a string");
            }
            let left_out = made.report.left_out_of_loads.iter();
            let left_out = left_out.filter(|point| point.side == side && !point.is_extrapolated);
            let (mean, most) = mean_and_most(left_out.map(|point| point.error));
            writeln!(table, "  {mean:5.1} {most:5.1}").expect("a string");
        }
    }
    assert_golden(&expect_file!["../golden/depth-curves.txt"], &table);
}

/// Guards against intervals that hold only what is like the points: those of up to 16 requests of one
/// job predict deeper loads and those of several jobs. The spread between one job and several is that of
/// these curves, so only the deeper loads of one job are new to the model.
pub(super) fn intervals_hold_deeper_loads_and_those_of_several_jobs() {
    let mut kinds: BTreeMap<&str, Score> = BTreeMap::new();
    for (stack, points) in by_stack() {
        let made = calibrated(&stack, &points, |one| one.jobs == 1 && one.depth <= 16);
        let study = stripewise_fixtures::study(&STUDY.replace("STACK", &stack));
        let of = |kind: fn(&Point) -> bool| -> Vec<Point> {
            let asked = points.iter().filter(|point| kind(point));
            asked.cloned().collect()
        };
        for (name, asked) in [
            ("one job, deeper", of(|one| one.jobs == 1 && one.depth > 16)),
            (
                "several jobs, as deep",
                of(|one| [4, 16].contains(&one.jobs) && one.jobs * one.depth == 16),
            ),
            (
                "several jobs, deeper",
                of(|one| [16, 64].contains(&one.jobs) && [4, 16].contains(&one.depth)),
            ),
        ] {
            kinds
                .entry(name)
                .or_default()
                .add(score(&study, &made, &asked));
        }
    }
    let mut table = String::new();
    for (name, kind) in &mut kinds {
        assert!(kind.is_good(), "{name}: {}", kind.line());
        write!(table, "{name}: {}", kind.line()).expect("a string");
    }
    expect_file!["../golden/coverage-depth-curves.txt"].assert_eq(&table);
}

#[test]
fn without_a_lone_request_the_deep_points_are_repeated_and_the_rest_is_a_guess() {
    let mut table =
        String::from("made from depths 8 to 64, in %: mean error there, error at depth 1\n");
    // One of each kind: the others say the same, and take as long.
    let kinds = ["hpdl380g8", "m1015-samsung", "hgst", "disabled"];
    let is_wanted = |stack: &str| kinds.iter().any(|kind| stack.contains(kind));
    for (stack, points) in by_stack().into_iter().filter(|one| is_wanted(&one.0)) {
        let made = calibrated(&stack, &points, |one| one.jobs == 1 && one.depth >= 8);
        let assumed = &made.devices["device"].assumed;
        let is_told = |key: &str| assumed.iter().any(|one| one.starts_with(key));
        assert!(
            is_told("read.random") && is_told("write.random"),
            "{assumed:?}"
        );
        let alone: Vec<Point> = points.into_iter().filter(Point::is_alone).collect();
        let study = STUDY.replace("STACK", &stack);
        let study = stripewise_fixtures::study(&study);
        let host = &Profiles::shipped().hosts[HOST_DEFAULT];
        let found = residuals(&study, &alone, &made.devices, host, 1).expect("points of the study");
        for row in found {
            let own = made.report.residuals.iter();
            let own = own.filter(|own| own.pattern == row.pattern);
            let (mean, _) = mean_and_most(own.map(|own| own.error));
            assert!(mean < 2.0, "{stack} {}: {mean}", row.pattern);
            let error = row.error * 100.0;
            writeln!(
                table,
                "{stack:52} {:9} {mean:4.1} {error:+7.1}",
                row.pattern
            )
            .expect("a string");
        }
    }
    expect_file!["../golden/deep-points.txt"].assert_eq(&table);
}

#[test]
fn points_of_other_numbers_of_jobs_contradict_each_other_on_most_devices() {
    let mut table = String::from("rates of equal I/Os in flight differ by up to\n");
    for (stack, points) in by_stack() {
        for found in contradictions(&points) {
            let pattern = found.pattern.as_str();
            let percent = found.apart * 100.0;
            writeln!(
                table,
                "{stack:55} {pattern:9} {percent:5.1} % at {:?}",
                found.in_flight
            )
            .expect("a string");
        }
    }
    expect_file!["../golden/contradictions.txt"].assert_eq(&table);
}

/// The adapter of a stack is in its name.
const ADAPTERS: [&str; 3] = ["hpdl380g8-hba", "ibm-m1015", "p420i"];

#[test]
fn adapters_that_hold_completions_back_are_found_from_their_disks() {
    let mut table = String::new();
    for name in ADAPTERS {
        // The hard disk takes milliseconds, and a disabled write cache is another disk.
        let is_of = |stack: &&String| {
            stack.starts_with(name) && !stack.contains("hgst") && !stack.contains("disabled")
        };
        let stacks = by_stack();
        let stacks: Vec<&String> = stacks.keys().filter(is_of).collect();
        let table_of = |stack: &&String| {
            format!(
                "[stack.{stack}]\ndevices = {{ {stack} = 1 }}\nadapter = \"{name}\"\nfilesystem = \"none\"\n"
            )
        };
        let tables: Vec<String> = stacks.iter().map(table_of).collect();
        let workload = STUDY.split_once("[workload]").expect("a workload").1;
        let study = format!("{}[workload]{workload}", tables.concat());
        let study = stripewise_fixtures::study(&study);
        let mut together = Vec::new();
        for stack in &stacks {
            let points = by_stack().remove(*stack).expect("its points");
            let alone = adapter::of_points(&study, &points).expect("points of the study");
            let said = match alone.as_slice() {
                [] => "no dip".to_owned(),
                [one] => {
                    assert!(!one.is_certain, "one disk cannot tell");
                    format!("a dip at {}, {:?} ns", one.in_flight, one.delay_ns)
                }
                _ => panic!("{alone:?}"),
            };
            writeln!(table, "{stack:55} alone: {said}").expect("a string");
            together.extend(points);
        }
        let found = adapter::of_points(&study, &together).expect("points of the study");
        let said = match found.as_slice() {
            [] => "none".to_owned(),
            [one] => format!("{:?}, {:?} ns", one.profile, one.delay_ns),
            _ => panic!("{found:?}"),
        };
        assert_eq!(found.is_empty(), name == "ibm-m1015", "{name}: {said}");
        writeln!(table, "{name}: {said}").expect("a string");
    }
    expect_file!["../golden/adapters.txt"].assert_eq(&table);
}
