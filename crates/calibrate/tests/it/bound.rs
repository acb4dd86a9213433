//! A host can be no slower than single disks show.
//!
//! Guards against a host that hides the disk: one published NVMe drive (linux-raid, arrays of 12 to 24
//! drives, 2023-24) gives one job of io_uring 746k reads a second at depth 64, and the host `default`
//! let 191k pass, also with a profile made from that very point.

use std::collections::BTreeMap;

use stripewise_calibrate::{Calibration, Input, calibrate, points};
use stripewise_profiles::{HOST_DEFAULT, Profiles};

const STUDY: &str = r#"
kernel = "6.1"
host = "mine"
[stack.disk]
devices = { disk = 1 }
filesystem = "none"
[workload]
pattern = "randread"
block_size = "4K"
size = "10G"
direct = true
engine = "io_uring"
"#;

fn calibrated(rows: &[&str]) -> Calibration {
    let text = format!(
        "stack,pattern,block_size_bytes,jobs,depth,iops\n{}\n",
        rows.join("\n")
    );
    let input = Input {
        study: &stripewise_fixtures::study(STUDY),
        points: &points::parse("points.csv", text.as_bytes()).expect("good points"),
        source: "points.csv",
        devices: &BTreeMap::new(),
        host: &Profiles::shipped().hosts[HOST_DEFAULT],
        seed: 1,
    };
    calibrate(&input, &mut |_| ()).expect("these points can be simulated")
}

fn worst(made: &Calibration) -> f64 {
    let errors = made.report.residuals.iter().map(|row| row.error.abs());
    errors.fold(0.0, f64::max)
}

#[test]
fn a_point_that_the_host_cannot_pass_bounds_its_times() {
    let made = calibrated(&[
        "disk,randread,4096,1,1,12000",
        "disk,randread,4096,1,64,746000",
    ]);
    assert!(made.is_bounded);
    assert_eq!(made.host.name, "mine");
    assert_eq!(made.devices["disk"].host.as_deref(), Some("mine"));
    let cpu = &made.host.cpu;
    let among_many = cpu.submit_ns + cpu.bio_ns + cpu.page_ns + cpu.completion_ns;
    assert!((1100..1340).contains(&among_many), "{among_many} ns");
    let default = &Profiles::shipped().hosts[HOST_DEFAULT].cpu;
    let alone = default.submit_ns + default.bio_ns + default.page_ns + default.completion_ns;
    let alone = alone + default.wake_ns;
    assert!(
        (among_many + cpu.wake_ns).abs_diff(alone) <= 4,
        "one I/O takes as long as before"
    );
    assert!(worst(&made) < 0.1, "{:?}", made.report.residuals);
}

#[test]
fn many_jobs_bound_the_cores() {
    let made = calibrated(&[
        "disk,randread,4096,1,1,12000",
        "disk,randread,4096,16,32,1600000",
    ]);
    assert!(made.is_bounded);
    assert_eq!(
        made.host.cpu.submit_ns,
        Profiles::shipped().hosts[HOST_DEFAULT].cpu.submit_ns
    );
    assert_eq!(made.host.cpu.cores, 10);
    assert!(worst(&made) < 0.1, "{:?}", made.report.residuals);
}

#[test]
fn disks_that_the_host_can_pass_leave_it_alone() {
    let made = calibrated(&[
        "disk,randread,4096,1,1,9000",
        "disk,randread,4096,1,32,90000",
    ]);
    assert!(!made.is_bounded);
    assert_eq!(made.host, Profiles::shipped().hosts[HOST_DEFAULT]);
    assert_eq!(made.devices["disk"].host.as_deref(), Some("default"));
}
