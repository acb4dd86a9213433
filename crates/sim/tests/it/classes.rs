//! Classes: what their points say of the model, and whether a drive lies in the interval that the
//! others give.
//!
//! Each drive is scored by the spread of the others alone: it is left out before the model is asked.
//! `STRIPEWISE_TEST_CLASSES=print` prints what the model gives at each point.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_profiles::device::{DeviceProfile, MeasuredPoint};
use stripewise_profiles::{Basis, Profiles};
use stripewise_sim::world::Model;
use stripewise_study::sample::{Sample, Uncertainty};
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

/// The allowed difference between what a profile says of the model and what the model gives.
const TOLERANCE: f64 = 0.03;

fn classes() -> Vec<DeviceProfile> {
    let devices = Profiles::shipped().devices.into_values();
    let is_class = |device: &DeviceProfile| device.basis == Some(Basis::Class);
    devices
        .filter(|device| is_class(device) && !device.points.is_empty())
        .collect()
}

/// Simulates the load of a point on a device: random I/O over all of a disk.
fn simulated(device: &DeviceProfile, point: &MeasuredPoint) -> Sample {
    let size = match device.rotational {
        true if point.pattern.starts_with("rand") => device.capacity_bytes / 10 * 9,
        _ => 1 << 30,
    };
    let size = size / u64::from(point.jobs) / (1 << 20);
    let state = if point.steady { "steady" } else { "fresh" };
    let text = format!(
        "[stack.s]\ndevices = {{ {} = 1 }}\n[conditions]\nstate = \"{state}\"\n\
         [workload]\npattern = \"{}\"\nblock_size = {}\njobs = {}\ndepth = {}\nsize = \"{size}M\"\n\
         engine = \"libaio\"\n",
        device.name, point.pattern, point.block_size_bytes, point.jobs, point.depth
    );
    let cell = stripewise_fixtures::cell(&text);
    let mut profiles = Profiles::shipped();
    profiles.devices.insert(device.name.clone(), device.clone());
    let model = Model::new(profiles, KernelVersion::new(6, 1, 0));
    let sample = model.simulate(&cell, 1, &mut NeverCancel);
    sample.unwrap_or_else(|error| panic!("{} {}: {error}", device.name, point.pattern))
}

fn bytes_per_s(sample: &Sample) -> f64 {
    crate::support::as_f64(sample.bytes().as_u64()) / sample.elapsed_ns.as_secs_f64()
}

#[test]
fn the_points_of_a_class_say_what_the_model_gives() {
    let prints = std::env::var("STRIPEWISE_TEST_CLASSES").is_ok();
    for class in classes() {
        let mut seen = BTreeSet::new();
        for point in &class.points {
            let load = format!(
                "{} {} {} {} {}",
                point.pattern, point.block_size_bytes, point.jobs, point.depth, point.steady
            );
            if !seen.insert(load.clone()) {
                continue;
            }
            let given = bytes_per_s(&simulated(&class, point));
            if prints {
                eprintln!("MODEL {} {load} {given:.0}", class.name);
                continue;
            }
            let said = point.model_bandwidth_bytes_per_s.expect("what it gives");
            let off = given / said - 1.0;
            assert!(
                off.abs() < TOLERANCE,
                "{} {load}: {said} but {given}",
                class.name
            );
        }
    }
}

/// Returns whether the interval around a rate holds another one.
fn holds(off: &Uncertainty, rate: f64, published: f64) -> bool {
    (rate / off.slower.exp()..=rate * off.faster.exp()).contains(&published)
}

#[test]
fn a_drive_lies_in_the_interval_that_the_other_drives_give() {
    let mut text = String::new();
    let (mut held, mut all) = (0_u32, 0_u32);
    for class in classes() {
        let (mut of_class, mut points, mut unknown) = (0_u32, 0_u32, 0_u32);
        let mut widths = Vec::new();
        let mut whole = BTreeSet::new();
        let mut outside = BTreeSet::new();
        for point in &class.points {
            let drive = point.drive.clone().expect("a class has points of drives");
            whole.insert(drive.clone());
            let mut others = class.clone();
            others.points.retain(|other| other.drive != point.drive);
            let sample = simulated(&others, point);
            let rate = bytes_per_s(&sample);
            let off = sample.breakdown.expect("explained").uncertainty;
            let Some(off) = off else {
                unknown += 1;
                continue;
            };
            points += 1;
            widths.push((off.slower + off.faster) / 2.0);
            if holds(&off, rate, point.bandwidth_bytes_per_s) {
                of_class += 1;
                continue;
            }
            outside.insert(drive.clone());
            writeln!(
                text,
                "outside: {drive}, {} {}K, {} in flight{}: {:.3e} B/s, interval {:.3e} to {:.3e}",
                point.pattern,
                point.block_size_bytes / 1024,
                point.jobs * point.depth,
                if point.steady { ", steady" } else { "" },
                point.bandwidth_bytes_per_s,
                rate / off.slower.exp(),
                rate * off.faster.exp()
            )
            .expect("a string");
        }
        widths.sort_by(f64::total_cmp);
        writeln!(
            text,
            "{}: {of_class} of {points} points within, {} of {} drives in all of theirs, median width x/ {:.2}; {unknown} unknown",
            class.name,
            whole.len() - outside.len(),
            whole.len(),
            widths[widths.len() / 2].exp()
        )
        .expect("a string");
        held += of_class;
        all += points;
    }
    writeln!(text, "all: {held} of {all} points within").expect("a string");
    assert!(held * 10 >= all * 9, "{text}");
    expect_file!["../classes.txt"].assert_eq(&text);
}
