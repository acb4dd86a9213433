//! Calibrates from points that known profiles produce, and compares the result.
//!
//! Guards against a wrong value of a parameter that the points show, a made-up value of one that
//! they do not show, and the use of an unsuitable row.

use std::collections::BTreeMap;

use expect_test::expect;
use stripewise_calibrate::points::{self, Point};
use stripewise_calibrate::report::UsedFor;
use stripewise_calibrate::{
    CalibrateError, Calibration, Input, calibrate, calibrate_host, residuals,
};
use stripewise_profiles::device::calibrated::{
    CacheProfile, CalibratedProfile, DirectionProfile, LinkProfile,
};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::{DeviceProfile, Model, PHYSICAL_BLOCK_BYTES_DEFAULT, Ratings};
use stripewise_profiles::host::{HostProfile, UplinkProfile};
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_study::plan::Study;

const HEADER: &str = "stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s,mix,fsync";

fn study(extra: &str) -> Study {
    let text = format!(
        r#"
kernel = "6.1"
[stack.one]
devices = {{ disk = 1 }}
filesystem = "none"
[stack.stripes]
devices = {{ disk = 4 }}
array = {{ level = "raid0", chunk = "64K" }}
filesystem = "none"
{extra}
[workload]
pattern = "randread"
block_size = "8K"
size = "4G"
engine = "libaio"
direct = true
"#
    );
    stripewise_fixtures::study(&text)
}

fn default_host() -> HostProfile {
    Profiles::shipped().hosts[HOST_DEFAULT].clone()
}

fn curve(points: &[(u64, u64)]) -> Vec<CurvePoint> {
    let points = points.iter().map(|&(kib, time_us)| CurvePoint {
        size_bytes: kib * 1024,
        time_ns: time_us * 1000,
    });
    points.collect()
}

fn truth() -> CalibratedProfile {
    CalibratedProfile {
        link: LinkProfile {
            read_bytes_per_s: 540_000_000,
            write_bytes_per_s: 520_000_000,
            command_ns: 4000,
            full_duplex: false,
        },
        read: DirectionProfile {
            servers: 6,
            p99_over_p50: 1.29,
            p50_over_mean: None,
            random: curve(&[(4, 90), (16, 130), (128, 400), (512, 1128)]),
            sequential: curve(&[(4, 30), (16, 60), (128, 280), (512, 1008)]),
            under_load: Vec::new(),
            under_mix: Vec::new(),
        },
        write: DirectionProfile {
            servers: 3,
            p99_over_p50: 1.29,
            p50_over_mean: None,
            random: curve(&[(4, 42), (16, 64), (128, 280), (512, 1036)]),
            sequential: Vec::new(),
            under_load: Vec::new(),
            under_mix: Vec::new(),
        },
        cache: CacheProfile {
            is_volatile: true,
            flush_ns: 1_700_000,
        },
        drain: None,
    }
}

fn device(model: CalibratedProfile) -> DeviceProfile {
    DeviceProfile {
        schema: 1,
        name: "disk".to_owned(),
        description: String::new(),
        source: String::new(),
        basis: None,
        host: None,
        models: Vec::new(),
        capacity_bytes: 500_000_000_000,
        rotational: false,
        queue_depth: 32,
        request_bytes_max: None,
        optimal_io_bytes: None,
        physical_block_bytes: PHYSICAL_BLOCK_BYTES_DEFAULT,
        ratings: Ratings::default(),
        assumed: Vec::new(),
        model: Model::Calibrated(model),
        perhaps_adapter: None,
        points: Vec::new(),
    }
}

/// Returns the points of `rows` (without bandwidth) with the bandwidths of the model with the known
/// profiles.
fn measured(
    study: &Study,
    rows: &[&str],
    model: CalibratedProfile,
    host: &HostProfile,
) -> Vec<Point> {
    let devices = BTreeMap::from([("disk".to_owned(), device(model))]);
    measured_on(study, rows, &devices, host)
}

/// As [`measured`], with devices by name.
fn measured_on(
    study: &Study,
    rows: &[&str],
    devices: &BTreeMap<String, DeviceProfile>,
    host: &HostProfile,
) -> Vec<Point> {
    let rows: Vec<String> = rows
        .iter()
        .map(|row| {
            let mut fields: Vec<&str> = row.split(',').collect();
            fields.resize(7, "");
            fields.insert(5, "1");
            fields.join(",")
        })
        .collect();
    let text = format!("{HEADER}\n{}\n", rows.join("\n"));
    let mut points = points::parse("rows", text.as_bytes()).expect("good rows");
    let given = residuals(study, &points, devices, host, 99).expect("can be simulated");
    for (point, row) in points.iter_mut().zip(given) {
        point.bandwidth_bytes_per_s = row.simulated_bytes_per_s;
    }
    points
}

fn made(study: &Study, points: &[Point]) -> Result<Calibration, CalibrateError> {
    let input = Input {
        study,
        points,
        source: "points.csv",
        devices: &BTreeMap::new(),
        host: &default_host(),
        seed: 1,
    };
    calibrate(&input, &mut |_| ())
}

fn calibrated(calibration: &Calibration) -> &CalibratedProfile {
    match &calibration.devices["disk"].model {
        Model::Calibrated(profile) => profile,
        other => panic!("not calibrated: {other:?}"),
    }
}

#[track_caller]
fn near(value: u64, truth: u64, percent: u64) {
    let off = value.abs_diff(truth);
    assert!(
        off * 100 <= truth * percent,
        "{value} is not {truth} within {percent} %"
    );
}

const ALONE: [&str; 12] = [
    "one,randread,4096,1,1",
    "one,randread,16384,1,1",
    "one,randread,131072,1,1",
    "one,randread,524288,1,1",
    "one,read,4096,1,1",
    "one,read,16384,1,1",
    "one,read,131072,1,1",
    "one,read,524288,1,1",
    "one,randwrite,4096,1,1",
    "one,randwrite,16384,1,1",
    "one,randwrite,131072,1,1",
    "one,randwrite,524288,1,1",
];

#[test]
fn a_device_profile_is_recovered_from_its_points() {
    let study = study("");
    let more = [
        "one,randread,4096,1,8",
        "one,randread,4096,1,32",
        "one,randread,4096,64,1",
        "one,randread,131072,1,32",
        "one,randwrite,4096,1,8",
        "one,randwrite,4096,1,32",
        "one,randwrite,4096,1,1,,1",
        "one,randwrite,16384,1,1,,4",
        "one,randrw,4096,1,4,70",
    ];
    let rows: Vec<&str> = ALONE.into_iter().chain(more).collect();
    let points = measured(&study, &rows, truth(), &default_host());
    let made = made(&study, &points).expect("good points");
    let (found, truth) = (calibrated(&made), truth());
    for (found, truth) in [
        (&found.read.random, &truth.read.random),
        (&found.read.sequential, &truth.read.sequential),
        (&found.write.random, &truth.write.random),
    ] {
        assert_eq!(found.len(), truth.len());
        for (found, truth) in found.iter().zip(truth) {
            assert_eq!(found.size_bytes, truth.size_bytes);
            // A large I/O is several requests, which the device gains from.
            near(found.time_ns, truth.time_ns, 7);
        }
    }
    near(found.link.read_bytes_per_s, truth.link.read_bytes_per_s, 10);
    near(
        found.link.write_bytes_per_s,
        truth.link.write_bytes_per_s,
        10,
    );
    // Six servers and the link, and three and the link.
    for (found, most, in_flight) in [(&found.read, 6.85, [8, 32]), (&found.write, 3.65, [8, 32])] {
        let loads: Vec<u32> = found.under_load.iter().map(|one| one.in_flight).collect();
        assert_eq!(loads, in_flight);
        assert!((found.gain_max() / most - 1.0).abs() < 0.05, "{found:?}");
    }
    near(found.cache.flush_ns, truth.cache.flush_ns, 5);
    assert!(made.report.mean_absolute_error(UsedFor::Device) < Some(0.02));
    assert!(made.report.mean_absolute_error(UsedFor::Check) < Some(0.05));
    let checks = made
        .report
        .residuals
        .iter()
        .filter(|row| row.used_for == UsedFor::Check);
    assert_eq!(
        checks.map(|row| row.pattern).collect::<Vec<_>>(),
        ["randrw"]
    );
    assert_eq!(made.host, default_host());
}

/// Returns a host three times as slow as the default one, and a disk so fast that host time
/// dominates.
fn slow_host_and_quick_disk() -> (HostProfile, DeviceProfile) {
    let mut host = default_host();
    for ns in [
        &mut host.cpu.submit_ns,
        &mut host.cpu.wake_ns,
        &mut host.cpu.bio_ns,
        &mut host.cpu.completion_ns,
    ] {
        *ns *= 3;
    }
    host.cpu.page_ns = 300;
    let mut quick = truth();
    for direction in [&mut quick.read, &mut quick.write] {
        direction.random = curve(&[(4, 1)]);
        direction.sequential.clear();
        direction.servers = 64;
    }
    quick.link.read_bytes_per_s = 1_000_000_000_000;
    quick.link.write_bytes_per_s = 1_000_000_000_000;
    quick.link.command_ns = 0;
    let disk = DeviceProfile {
        request_bytes_max: Some(32_768),
        optimal_io_bytes: None,
        ..device(quick)
    };
    (host, disk)
}

fn host_of_known_disks(rows: &[&str]) -> Calibration {
    let study = study("");
    let (host, disk) = slow_host_and_quick_disk();
    let devices = BTreeMap::from([("disk".to_owned(), disk)]);
    let points = measured_on(&study, rows, &devices, &host);
    let input = Input {
        study: &study,
        points: &points,
        source: "run 1",
        devices: &devices,
        host: &default_host(),
        seed: 1,
    };
    calibrate_host(&input, &mut |_| ()).expect("good points")
}

#[test]
fn a_host_profile_is_recovered_from_known_single_disks() {
    let made = host_of_known_disks(&[
        "one,randread,4096,1,1",
        "one,randread,32768,1,1",
        "one,randread,131072,1,1",
        "one,randread,1048576,1,1",
        "stripes,randread,262144,1,1",
    ]);
    let (truth, _) = slow_host_and_quick_disk();
    let (found, truth) = (&made.host.cpu, &truth.cpu);
    near(found.submit_ns, truth.submit_ns, 5);
    near(found.wake_ns, truth.wake_ns, 5);
    // Pages and requests grow together if I/Os are larger than a request.
    near(found.page_ns, truth.page_ns, 15);
    near(found.bio_ns, truth.bio_ns, 5);
    near(found.completion_ns, truth.completion_ns, 5);
    assert!(made.devices.is_empty(), "they are known");
    let parameters = &made.report.host_parameters;
    assert!(parameters.iter().all(|one| one.is_identified));
    let used = made.report.residuals.iter().map(|row| row.used_for);
    let used: Vec<UsedFor> = used.collect();
    assert_eq!(used[..4], [UsedFor::Host; 4]);
    assert_eq!(used[4], UsedFor::Check, "an array row only checks the host");
    assert!(made.report.mean_absolute_error(UsedFor::Check) < Some(0.05));
}

#[test]
fn the_time_of_a_stripe_is_recovered_from_single_writes_on_one_core() {
    let study = study(
        "[stack.parity]\ndevices = { disk = 4 }\nfilesystem = \"none\"\n\
         array = { level = \"raid5\", chunk = \"64K\", bitmap = \"none\" }\n",
    );
    let (mut truth, disk) = slow_host_and_quick_disk();
    truth.cpu.cores = 1;
    truth.cpu.stripe_ns *= 4;
    let devices = BTreeMap::from([("disk".to_owned(), disk)]);
    let rows = [
        "one,randread,4096,1,1",
        "one,randread,32768,1,1",
        "one,randread,131072,1,1",
        "parity,randwrite,4096,1,1",
        "parity,randwrite,4096,1,8",
    ];
    let points = measured_on(&study, &rows, &devices, &truth);
    let mut host = default_host();
    host.cpu.cores = 1;
    let input = Input {
        study: &study,
        points: &points,
        source: "run 1",
        devices: &devices,
        host: &host,
        seed: 1,
    };
    let made = calibrate_host(&input, &mut |_| ()).expect("good points");
    near(made.host.cpu.stripe_ns, truth.cpu.stripe_ns, 10);
    let used = made.report.residuals.iter().map(|row| row.used_for);
    let used: Vec<UsedFor> = used.collect();
    assert_eq!(used[3..], [UsedFor::Host, UsedFor::Check]);
    assert!(made.report.mean_absolute_error(UsedFor::Check) < Some(0.05));
}

#[test]
fn without_large_ios_request_time_stays_in_proportion_to_io_time() {
    let made = host_of_known_disks(&[
        "one,randread,4096,1,1",
        "one,randread,16384,1,1",
        "one,randread,32768,1,1",
    ]);
    let (found, base) = (&made.host.cpu, default_host().cpu);
    let is_in_proportion = found.completion_ns * base.submit_ns;
    near(is_in_proportion, base.completion_ns * found.submit_ns, 1);
    let last = &made.report.host_parameters[2];
    assert_eq!((last.key, last.is_identified), ("cpu.completion_ns", false));
}

#[test]
fn a_host_profile_is_recovered_from_arrays() {
    let study = study("");
    let mut host = default_host();
    host.cpu.bio_ns = 1500;
    host.cpu.completion_ns = 6000;
    host.uplink = Some(UplinkProfile {
        bytes_per_s: 1_200_000_000,
    });
    let rows: Vec<&str> = ALONE
        .into_iter()
        .chain([
            "stripes,randread,65536,1,1",
            "stripes,randread,524288,1,4",
            "stripes,randread,4096,1,32",
            "stripes,randwrite,524288,1,1",
            "stripes,randwrite,4096,1,16",
        ])
        .collect();
    let points = measured(&study, &rows, truth(), &host);
    let made = made(&study, &points).expect("good points");
    assert!(made.report.mean_absolute_error(UsedFor::Host) < Some(0.03));
    near(
        made.host.uplink.map_or(0, |uplink| uplink.bytes_per_s),
        1_200_000_000,
        5,
    );
    assert_eq!(made.report.left_out_of_host.len(), 5);
}

#[test]
fn parameters_that_array_rows_do_not_show_are_reported_and_kept() {
    let study = study("");
    let rows = ["one,randread,4096,1,1", "stripes,randread,4096,1,1"];
    let points = measured(&study, &rows, truth(), &default_host());
    let made = made(&study, &points).expect("good points");
    assert_eq!(made.host.uplink, None);
    let again = self::made(&study, &points).expect("good points");
    assert_eq!(made.report, again.report, "calibration is deterministic");
    let last = made
        .report
        .not_identified
        .last()
        .expect("one row cannot show three numbers");
    expect!["uplink.bytes_per_s: no limit is seen in these points; none is set"].assert_eq(last);
}

#[test]
fn values_that_single_rows_do_not_show_are_listed_as_assumed() {
    let study = study("");
    let rows = ["one,randread,4096,1,1"];
    let slow = CalibratedProfile {
        read: DirectionProfile {
            random: curve(&[(4, 8000)]),
            ..truth().read
        },
        ..truth()
    };
    let points = measured(&study, &rows, slow, &default_host());
    let made = made(&study, &points).expect("good points");
    assert!(made.devices["disk"].rotational, "8 ms means a hard disk");
    let lines: Vec<String> = made
        .report
        .assumptions
        .iter()
        .map(|message| format!("{message:?}"))
        .collect();
    expect![[r#"
        assumed-device(assumed: link.read_bytes_per_s: no row is large enough to show it; 250 MB/s is usual for a hard disk, name: disk)
        assumed-device(assumed: link.write_bytes_per_s: no row is large enough to show it; 250 MB/s is usual for a hard disk, name: disk)
        assumed-device(assumed: link.full_duplex: by class (a hard disk), name: disk)
        assumed-device(assumed: read.p99_over_p50: no row has latencies; 1.29 as of a Samsung 850 EVO, name: disk)
        assumed-device(assumed: write.p99_over_p50: no row has latencies; 1.29 as of a Samsung 850 EVO, name: disk)
        assumed-device(assumed: capacity_bytes: the least usual capacity that the study fits, name: disk)
        assumed-device(assumed: rotational, queue_depth, cache.is_volatile: by class (a hard disk), name: disk)
        assumed-device(assumed: read.servers: no row has more than one I/O in flight; 1 by class, name: disk)
        assumed-device(assumed: write.servers: no row has more than one I/O in flight; 1 by class, name: disk)
        assumed-device(assumed: cache.flush_ns: no row has `fsync`; 30.0 ms by class, name: disk)
        assumed-device(assumed: write: no row alone shows it; the times of reads, name: disk)
        assumed-host(assumed: all of `cpu` but the locks: typical times of a desktop CPU at full clock, with 8 cores, name: default)
        assumed-host(assumed: cpu.mirror_lock_ns, cpu.parity_lock_ns: published arrays of RAM disks on servers of 64 and more cores show 807 ns (raid1, Linux 5.10) and 500 ns (raid6 before 5.14), and 1.1 us for a bitmap's; cores of one desktop may hand a lock over faster, name: default)
        assumed-host(assumed: cpu.cache_page_ns: a program read 3.0 GB/s through a full page cache on each of 32 drives, in blocks of 64 KiB (Jens Axboe, mm/filemap: add read support for RWF_UNCACHED, 2024: 96 GB/s); that is 1.37 us a page, less `copy_bytes_per_s` and `page_ns`; other cores took part in the work, name: default)
        assumed-host(assumed: no uplink: that nothing limits all disks together, name: default)
        assumed-host(assumed: `memory`: 16 GiB of page cache, 20 % of which may be dirty (the default of vm.dirty_ratio), name: default)
        assumed-host(assumed: all of `governor`: what each leaves of the clock while the load mostly waits for disks, and how much later a task wakes, name: default)"#]].assert_eq(&lines.join("\n"));
}

fn refused(study: &Study, rows: &str, expected: &expect_test::Expect) {
    let text = format!("{HEADER}\n{rows}\n");
    let points = points::parse("points.csv", text.as_bytes()).expect("good rows");
    let error = made(study, &points).expect_err("must be refused");
    expected.assert_eq(&error.to_string());
}

#[test]
fn rows_that_do_not_fit_the_study_are_refused() {
    let study = study("[stack.here]\nfilesystem = \"existing\"\n");
    refused(
        &study,
        "strips,randread,4096,1,1,1e6,,",
        &expect!["line 2: the study has no stack `strips`; did you mean `stripes`?"],
    );
    refused(
        &study,
        "nothing-like-it,randread,4096,1,1,1e6,,",
        &expect![
            "line 2: the study has no stack `nothing-like-it`; it has `here`, `one`, `stripes`"
        ],
    );
    refused(
        &study,
        "here,randread,4096,1,1,1e6,,",
        &expect!["line 2: stack `here` names no devices (`devices = {...}`)"],
    );
    refused(
        &study,
        "stripes,randread,4096,1,1,1e6,,",
        &expect![
            "stack `stripes` uses device `disk`, which has neither a profile nor a row on one such device alone, without `fsync` and in one direction"
        ],
    );
    refused(
        &study,
        "one,randrw,4096,1,1,1e6,50,",
        &expect![
            "stack `one` uses device `disk`, which has neither a profile nor a row on one such device alone, without `fsync` and in one direction"
        ],
    );
    let text = "[stack.one]\ndevices = { disk = 1 }\nfilesystem = \"ext4\"\n\
                [workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\ndirect = false\n";
    let buffered = stripewise_fixtures::study(text);
    refused(
        &buffered,
        "one,randread,4096,1,1,1e6,,",
        &expect![
            "line 2: stack `one` is measured through the page cache; set `direct = true` to measure the device"
        ],
    );
    refused(
        &buffered,
        "one,randread,2097152,1,1,1e6,,",
        &expect!["line 2: `block_size_bytes` is 2M, larger than the file `size` of 1M"],
    );
}
