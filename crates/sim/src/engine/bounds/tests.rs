//! Guards against a check that never fires: each test breaks a limit on purpose, and just meets it
//! once.

use super::super::Limits;
use super::floor::floor;
use super::*;
use crate::world::Model as World;
use stripewise_profiles::Profiles;
use stripewise_profiles::device::calibrated::DrainProfile;
use stripewise_study::world::NeverCancel;

const SECOND: Nanos = Nanos::new(1_000_000_000);

fn model_of(name: &str) -> Model {
    Profiles::shipped().devices[name].model.clone()
}

/// Returns 4K requests of one direction, none of them sequential.
fn random(direction: usize, requests: u64) -> Received {
    let mut received = Received::default();
    received.requests[direction] = requests;
    received.sectors[direction] = requests * 8;
    received
}

/// Returns one stream of 1M requests.
fn stream(direction: usize, requests: u64) -> Received {
    let mut received = Received::default();
    received.requests[direction] = requests;
    received.sectors[direction] = requests * 2048;
    received.sequential[direction] = requests;
    received
}

/// Asserts that `most` requests fit in a second, and that twice as many do not, because of `part`.
fn fits(
    model: &Model,
    received: fn(usize, u64) -> Received,
    direction: usize,
    most: u64,
    part: &str,
) {
    let spread = Some(Bytes::new(100 << 30));
    let check = |requests| {
        check_device(
            "disk0",
            model,
            &received(direction, requests),
            spread,
            SECOND,
        )
    };
    assert_eq!(check(most), Ok(()));
    match check(2 * most) {
        Err(Violation::TooFast { part: found, .. }) => assert_eq!(found, part),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_device_is_no_faster_than_its_fastest_state() {
    let (ssd, disk) = (model_of("sata-ssd"), model_of("hdd-7200"));
    fits(&ssd, random, 0, 90_000, "link");
    fits(&ssd, random, 1, 90_000, "link");
    let slower = match ssd.clone() {
        Model::Calibrated(mut profile) => {
            profile.read.servers = 1;
            profile.drain = Some(DrainProfile {
                fast_bytes: 0,
                random_bytes_per_s: 40 << 20,
                sequential_bytes_per_s: 80 << 20,
                buffer_bytes: 0,
            });
            Model::Calibrated(profile)
        }
        _ => panic!("a calibrated profile"),
    };
    fits(&slower, random, 0, 12_000, "servers");
    fits(&slower, stream, 1, 80, "drain");
    fits(&ssd, stream, 0, 500, "link");
    fits(&ssd, stream, 1, 480, "link");
    fits(&disk, stream, 0, 500, "link");
    // An arm that moves for each request.
    fits(&disk, random, 0, 1000, "arm");
    let cached = match &disk {
        Model::Disk(disk) => u64::from(disk.write_cache_runs_count),
        _ => panic!("a disk"),
    };
    fits(&disk, random, 1, 1000 + cached, "arm");
}

#[test]
fn cached_io_is_no_violation() {
    let disk = model_of("hdd-7200");
    let received = random(0, 50_000);
    let spread = |bytes| floor(&disk, &received, bytes).0;
    assert_eq!(spread(Some(Bytes::new(100 << 30))), "arm");
    assert_eq!(
        spread(Some(Bytes::new(16 << 20))),
        "link",
        "all of it in the buffer"
    );
    assert_eq!(spread(None), "link", "the same blocks repeatedly");
}

#[test]
fn nothing_is_busy_for_longer_than_the_elapsed_time() {
    let check = |busy, slack| check_busy("uplink", Nanos::new(busy), SECOND, Nanos::new(slack));
    assert_eq!(check(1_000_000_000, 0), Ok(()));
    assert_eq!(check(1_000_900_000, 0), Ok(()), "rounding");
    assert_eq!(check(1_001_030_000, 32_768), Ok(()));
    let error = check(1_002_000_000, 0).unwrap_err();
    assert_eq!(error.to_string(), "`uplink` was busy for 1002ms in 1s");
}

#[test]
fn members_move_the_bytes_that_the_array_needs() {
    let mirror = Multiple {
        least: (2, 1),
        most: Some(2),
    };
    let moved = |members| MeasuredIo {
        done: 1000,
        before: 16,
        behind: 8,
        members,
    };
    let check = |members| check_bytes("wrote", mirror, moved(members));
    // I/O in flight at either end may have moved before, or not yet.
    for members in [2 * (1000 - 16), 2000, 2 * (1000 + 8)] {
        assert_eq!(check(members), Ok(()), "{members}");
    }
    for members in [1000, 2 * (1000 - 16) - 1, 2 * (1000 + 8) + 1, 3000] {
        assert!(
            matches!(check(members), Err(Violation::Bytes { .. })),
            "{members}"
        );
    }
    let raid5_of_four = Multiple {
        least: (4, 3),
        most: None,
    };
    assert!(check_bytes("wrote", raid5_of_four, moved(1000)).is_err());
    assert_eq!(check_bytes("wrote", raid5_of_four, moved(4000)), Ok(()));
}

#[test]
fn a_simulation_that_breaks_a_limit_is_reported_by_name() {
    let text = "[stack.s]\ndevices = { sata-ssd = 2 }\narray = { level = \"raid1\", bitmap = \"none\" }\n\
                [workload]\npattern = \"randwrite\"\nblock_size = \"4K\"\nsize = \"1G\"\n";
    let study = stripewise_fixtures::study(text);
    let kernel = stripewise_units::kernel::KernelVersion::new(6, 1, 0);
    let model = World::new(Profiles::shipped(), kernel);
    let run = || {
        let mut simulation = model.build(&study.cells[0], 0).expect("a stack");
        let _ = simulation.run(&Limits::default(), &mut NeverCancel);
        assert_eq!(simulation.check_bounds(), Ok(()));
        simulation
    };
    let mut slower = run();
    slower.bounds.models[1] = model_of("hdd-7200");
    let error = slower.check_bounds().unwrap_err().to_string();
    assert!(error.starts_with("`disk1` served"), "{error}");
    let mut lost = run();
    lost.bounds.done[1] *= 2;
    let error = lost.check_bounds().unwrap_err().to_string();
    assert!(error.starts_with("members wrote"), "{error}");
    let mut overworked = run();
    overworked.cores.overwork(0, 1000);
    let error = overworked.check_bounds().unwrap_err().to_string();
    assert!(error.starts_with("`cpu of job 0` was busy"), "{error}");
}
