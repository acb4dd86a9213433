//! Simulated disks and flash fitted to points.
//!
//! Guards against numbers that are not those of the device, against made-up values of numbers that
//! the points do not show, and against a fit that looks better than it is.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::{expect, expect_file};
use stripewise_calibrate::points::{self, Point};
use stripewise_calibrate::report::{FittedDevice, FittedParameter, UsedFor};
use stripewise_calibrate::{CalibrateError, Calibration, Input, calibrate_like, residuals};
use stripewise_profiles::device::{DeviceProfile, Model};
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_study::plan::Study;

use crate::mean_and_most;

const HEADER: &str =
    "stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s,fsync,file_size_bytes";

/// A study of one disk; its files are as large as the size.
fn study(stack: &str, size: &str) -> Study {
    let text = format!(
        "kernel = \"6.1\"\n\
         [stack.{stack}]\ndevices = {{ disk = 1 }}\nfilesystem = \"none\"\n\
         [stack.stripes]\ndevices = {{ disk = 2 }}\narray = {{ level = \"raid0\", chunk = \"64K\" }}\n\
         filesystem = \"none\"\n\
         [workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"{size}\"\n\
         engine = \"libaio\"\ndirect = true\n"
    );
    stripewise_fixtures::study(&text)
}

fn shipped(name: &str) -> DeviceProfile {
    Profiles::shipped().devices[name].clone()
}

fn fitted(
    study: &Study,
    points: &[Point],
    like: &DeviceProfile,
) -> Result<Calibration, CalibrateError> {
    let input = Input {
        study,
        points,
        source: "points.csv",
        devices: &BTreeMap::new(),
        host: &Profiles::shipped().hosts[HOST_DEFAULT],
        seed: 1,
    };
    calibrate_like(&input, like, &mut |progress| {
        assert!(
            progress
                .total
                .is_some_and(|total| progress.evaluations <= total)
        );
    })
}

fn parsed(rows: &[String]) -> Vec<Point> {
    let text = format!("{HEADER}\n{}\n", rows.join("\n"));
    points::parse("points.csv", text.as_bytes()).expect("good points")
}

/// Returns points with the results of a known device; rows are pattern, size, depth, `fsync`, file.
fn measured(study: &Study, rows: &[&str], truth: &DeviceProfile) -> Vec<Point> {
    let rows = rows.iter().map(|row| {
        let fields: Vec<&str> = row.split(',').collect();
        let [pattern, size, depth, fsync, file] = fields[..] else {
            panic!("five fields");
        };
        format!("one,{pattern},{size},1,{depth},1,{fsync},{file}")
    });
    let mut points = parsed(&rows.collect::<Vec<_>>());
    let devices = BTreeMap::from([("disk".to_owned(), truth.clone())]);
    let host = &Profiles::shipped().hosts[HOST_DEFAULT];
    let found = residuals(study, &points, &devices, host, 77).expect("good points");
    for (point, found) in points.iter_mut().zip(found) {
        point.bandwidth_bytes_per_s = found.simulated_bytes_per_s;
    }
    points
}

fn parameter<'f>(fit: &'f FittedDevice, key: &str) -> &'f FittedParameter {
    let mut parameters = fit.parameters.iter();
    parameters.find(|one| one.key == key).expect("a parameter")
}

/// Asserts that a number was found again, within `tolerance`.
fn assert_found(fit: &FittedDevice, key: &str, truth: f64, tolerance: f64) {
    let parameter = parameter(fit, key);
    let error = parameter.after / truth - 1.0;
    let covers = |[least, most]: [f64; 2]| least < truth && truth < most;
    assert!(parameter.interval.is_some_and(covers), "{parameter:?}");
    assert!(error.abs() < tolerance, "{error}: {parameter:?}");
}

/// Asserts that a number stayed and is not said to be known.
fn assert_unknown(fit: &FittedDevice, key: &str) {
    let parameter = parameter(fit, key);
    assert_eq!(parameter.interval, None, "{parameter:?}");
    assert!(
        parameter.before.total_cmp(&parameter.after).is_eq(),
        "{parameter:?}"
    );
}

pub(super) fn arm_queue_and_cache_of_a_known_disk_are_found_again() {
    let study = study("one", "1800G");
    let mut truth = shipped("hdd-7200");
    truth.queue_depth = 12;
    let Model::Disk(disk) = &mut truth.model else {
        panic!("a simulated disk");
    };
    disk.seek_average_ns = 11_500_000;
    disk.seek_full_stroke_ns = 24_400_000;
    disk.seek_track_to_track_ns = 1_300_000;
    disk.seek_write_track_to_track_ns = Some(1_400_000);
    disk.seek_write_average_ns = Some(12_500_000);
    disk.sustained_outer_bytes_per_s = 190_000_000;
    disk.sustained_inner_bytes_per_s = 95_000_000;
    disk.write_cache_runs_count = 48;
    let rows = [
        "randread,4096,1,,",
        "randread,4096,4,,",
        "randread,4096,16,,",
        "randread,4096,32,,",
        "randread,4096,1,,2000000000",
        "randread,4096,32,,2000000000",
        "randread,4096,1,,50000000000",
        "read,1048576,1,,",
        "randwrite,4096,1,,",
        "randwrite,4096,32,,",
        "randwrite,4096,1,,50000000000",
        "write,1048576,1,,",
    ];
    let points = measured(&study, &rows, &truth);
    let made = fitted(&study, &points, &shipped("hdd-7200")).expect("points of a disk");
    let fit = &made.report.fits[0];
    assert_found(fit, "disk.seek_average_ns", 11.5e6, 0.05);
    assert_found(fit, "disk.seek_track_to_track_ns", 1.3e6, 0.2);
    assert_found(fit, "disk.sustained_outer_bytes_per_s", 190e6, 0.05);
    assert_found(fit, "queue_depth", 12.0, 0.1);
    // Writes that settle longer nearly make up for a larger cache.
    assert_found(fit, "disk.write_cache_runs_count", 48.0, 0.6);
    for key in [
        "disk.link.read_bytes_per_s",
        "disk.write_cache_bytes",
        "disk.queue_wait_max_ns",
    ] {
        assert_unknown(fit, key);
    }
    let (before, _) = mean_and_most(fit.rows.iter().map(|row| row.before));
    let (after, most) = mean_and_most(made.report.residuals.iter().map(|row| row.error));
    assert!(
        before > 10.0 && after < 2.0 && most < 5.0,
        "{before} {after} {most}"
    );
    let profile = &made.devices["disk"];
    assert_eq!(profile.points.len(), rows.len());
    assert!(profile.assumed[0].ends_with("as device profile `hdd-7200` has it"));
    assert!(profile.assumed[0].contains("disk.seek_average_ns"));
    let text = stripewise_profiles::profile_file::device_to_toml(profile).expect("a profile");
    let read = stripewise_profiles::profile_file::device_from_toml("disk", &text);
    assert_eq!(read.as_ref(), Ok(profile));
}

pub(super) fn flash_of_a_known_drive_is_found_again() {
    let study = study("one", "10G");
    // A quarter of the class's, which takes less time to fill.
    let mut like = shipped("flash-sata");
    let Model::Flash(flash) = &mut like.model else {
        panic!("simulated flash");
    };
    flash.simulated_bytes /= 4;
    let mut truth = flash.clone();
    truth.read_ns = 120_000;
    truth.program_ns = 2_500_000;
    truth.erase_ns = 6_700_000;
    let truth = DeviceProfile {
        model: Model::Flash(truth),
        ..like.clone()
    };
    let rows = [
        "randread,4096,1,,",
        "randread,4096,8,,",
        "randread,4096,32,,",
        "randwrite,4096,1,,",
        "randwrite,4096,32,,",
        "randwrite,4096,1,1,",
    ];
    let points = measured(&study, &rows, &truth);
    let made = fitted(&study, &points, &like).expect("points of flash");
    let fit = &made.report.fits[0];
    assert_found(fit, "flash.read_ns", 120e3, 0.05);
    assert_found(fit, "flash.program_ns", 2.5e6, 0.25);
    assert_unknown(fit, "flash.channel_bytes_per_s");
    assert_unknown(fit, "flash.over_provisioning_percent");
    let (before, _) = mean_and_most(fit.rows.iter().map(|row| row.before));
    let (after, _) = mean_and_most(made.report.residuals.iter().map(|row| row.error));
    assert!(before > 20.0 && after < 3.0, "{before} {after}");
}

#[test]
fn the_order_of_the_rows_does_not_matter_and_arrays_only_check() {
    let study = study("one", "1000G");
    let row = |stack, depth, rate| format!("{stack},randread,4096,1,{depth},{rate},,");
    let mut rows = vec![
        row("one", 1, 300_000),
        row("one", 8, 500_000),
        row("stripes", 8, 800_000),
    ];
    let like = shipped("hdd-7200");
    let one = fitted(&study, &parsed(&rows), &like).expect("points of a disk");
    rows.reverse();
    let other = fitted(&study, &parsed(&rows), &like).expect("points of a disk");
    for made in [&one, &other] {
        let of_array = made
            .report
            .residuals
            .iter()
            .find(|row| row.stack == "stripes");
        assert_eq!(of_array.map(|row| row.used_for), Some(UsedFor::Check));
        assert_eq!(made.report.fits[0].rows.len(), 2, "only those of the disk");
    }
    assert_eq!(one.devices, other.devices);
}

#[test]
fn profiles_of_another_kind_are_refused() {
    let study = study("one", "10G");
    let refused = |rate: u32, like: &str| {
        let rows = [format!("one,randread,4096,1,1,{rate},,")];
        let made = fitted(&study, &parsed(&rows), &shipped(like));
        made.expect_err("a profile that cannot be fitted")
            .to_string()
    };
    expect!["the points of `disk` are those of flash, but device profile `hdd-7200` simulates a hard disk"]
        .assert_eq(&refused(40_000_000, "hdd-7200"));
    expect!["the points of `disk` are those of a hard disk, but device profile `flash-sata` simulates flash"]
        .assert_eq(&refused(400_000, "flash-sata"));
    expect!["device profile `sata-ssd` is calibrated, not simulated: only the numbers of a `[disk]` or `[flash]` can be fitted"]
        .assert_eq(&refused(40_000_000, "sata-ssd"));
}

/// One job over a whole 2.5-inch disk of 1 TB and 7200 rpm behind a P420i, as published with fio-plot;
/// the place and size of the file are not published.
pub(super) fn a_published_disk() {
    const STACK: &str = "p420i-hgst-hts72101-100gb7k";
    let bytes = include_bytes!("../data/depth-curves.csv");
    let mut points = points::parse("depth-curves.csv", bytes).expect("good points");
    points.retain(|point| point.stack == STACK && point.jobs == 1);
    let study = study(STACK, "900G");
    let mut like = shipped("hdd-7200");
    like.capacity_bytes = 1_000_204_886_016;
    if let Model::Disk(disk) = &mut like.model {
        disk.capacity_bytes = like.capacity_bytes;
    }
    let mut text = String::new();
    for (title, keep) in [
        ("random reads and writes", None),
        ("random reads alone", Some("randread")),
    ] {
        let mut points = points.clone();
        points.retain(|point| keep.is_none_or(|keep| point.pattern.as_str() == keep));
        let made = fitted(&study, &points, &like).expect("points of a disk");
        writeln!(text, "{title}").expect("a string");
        write_fit(&mut text, &made);
    }
    expect_file!["../golden/hard-disks-fitted.txt"].assert_eq(&text);
}

fn write_fit(text: &mut String, made: &Calibration) {
    let fit = &made.report.fits[0];
    for one in &fit.parameters {
        let known = match one.interval {
            None => "not identified".to_owned(),
            Some([least, most]) => format!("{least:.0} to {most:.0}"),
        };
        let (before, after) = (one.before, one.after);
        writeln!(text, "{:34} {before:>11.0} {after:>11.0}  {known}", one.key).expect("a string");
    }
    writeln!(
        text,
        "{:9} {:>5} {:>9} {:>9} {:>9} {:>9}",
        "errors, %", "depth", "IOPS", "hdd-7200", "fitted", "left out"
    )
    .expect("a string");
    for (row, of_fit) in made.report.residuals.iter().zip(&fit.rows) {
        let iops = row.measured_bytes_per_s / 4096.0;
        let [before, after, left_out] =
            [of_fit.before, row.error, of_fit.left_out.expect("others")].map(|one| one * 100.0);
        let (pattern, depth) = (row.pattern, row.depth);
        writeln!(
            text,
            "{pattern:9} {depth:>5} {iops:>9.1} {before:>+9.1} {after:>+9.1} {left_out:>+9.1}"
        )
        .expect("a string");
    }
    let (before, _) = mean_and_most(fit.rows.iter().map(|row| row.before));
    let (after, _) = mean_and_most(made.report.residuals.iter().map(|row| row.error));
    let (left_out, _) = mean_and_most(fit.rows.iter().filter_map(|row| row.left_out));
    writeln!(
        text,
        "{:25} {before:>9.1} {after:>9.1} {left_out:>9.1}\n",
        "mean"
    )
    .expect("a string");
}
