use stripewise_profiles::Profiles;
use stripewise_study::workload::Pattern;

use super::*;

fn class(points: &[(&str, u32, f64)]) -> DeviceProfile {
    let point = |(drive, depth, ratio): &(&str, u32, f64)| MeasuredPoint {
        drive: Some((*drive).to_owned()),
        steady: false,
        pattern: "randread".to_owned(),
        side: None,
        block_size_bytes: 4096,
        jobs: 1,
        depth: *depth,
        bandwidth_bytes_per_s: ratio * 1e6,
        model_bandwidth_bytes_per_s: Some(1e6),
    };
    DeviceProfile {
        points: points.iter().map(point).collect(),
        ..Profiles::shipped().devices["sata-ssd"].clone()
    }
}

fn at(depth: f64) -> DeviceLoad {
    DeviceLoad {
        pattern: Pattern::RandRead,
        size_bytes: 4096.0,
        in_flight: depth,
        is_steady: true,
        in_array: depth,
        has_jobs: false,
    }
}

/// Values of a table of Student's t.
#[test]
fn the_quantile_of_few_drives_is_right() {
    for (freedom, table) in [(2.0, 4.303), (3.0, 3.182), (5.0, 2.571), (10.0, 2.228)] {
        let found = student_95(freedom);
        assert!((found / table - 1.0).abs() < 0.03, "{freedom}: {found}");
    }
}

#[test]
fn one_more_drive_lies_around_the_middle_one() {
    let found = drives(
        &class(&[("a", 1, 0.5), ("b", 1, 1.0), ("c", 1, 2.0)]),
        &at(1.0),
    )
    .unwrap();
    assert_eq!(found.count, 3);
    assert!(found.middle.abs() < 1e-9);
    // ln 2 is the standard deviation.
    let expected = 4.303 * std::f64::consts::LN_2 * (4.0_f64 / 3.0).sqrt();
    assert!(
        (found.half_width / expected - 1.0).abs() < 0.03,
        "{found:?}"
    );
}

#[test]
fn two_drives_say_nothing() {
    assert_eq!(
        drives(&class(&[("a", 1, 0.5), ("b", 1, 1.0)]), &at(1.0)),
        None
    );
}

#[test]
fn another_load_is_known_from_how_drives_change_between_loads() {
    let one_load = [("a", 1, 0.9), ("b", 1, 1.0), ("c", 1, 1.1)];
    assert_eq!(drives(&class(&one_load), &at(32.0)), None);
    let changing = [one_load.as_slice(), &[("a", 4, 1.8)]].concat();
    let there = drives(&class(&one_load), &at(1.0)).unwrap();
    let beyond = drives(&class(&changing), &at(32.0)).unwrap();
    assert!(beyond.half_width > there.half_width + 0.5, "{beyond:?}");
}

#[test]
fn a_drive_that_slows_down_has_points_of_each_state() {
    let mut device = class(&[("a", 1, 0.9), ("b", 1, 1.0), ("c", 1, 1.1)]);
    for point in &mut device.points {
        point.pattern = "randwrite".to_owned();
    }
    let load = DeviceLoad {
        pattern: Pattern::RandWrite,
        ..at(1.0)
    };
    assert!(drives(&device, &load).is_some());
    let drain = Profiles::shipped().devices["nvme-ssd"].clone();
    let (Model::Calibrated(own), Model::Calibrated(with)) = (&mut device.model, drain.model) else {
        panic!("calibrated");
    };
    own.drain = with.drain;
    assert_eq!(drives(&device, &load), None);
    let fresh = DeviceLoad {
        is_steady: false,
        ..load
    };
    assert!(drives(&device, &fresh).is_some());
}
