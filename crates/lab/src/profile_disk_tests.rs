//! The failure: the module's times differ slightly from those of the profile's device, and every
//! comparison of lab and model attributes the difference to md.
//!
//! The module's model (`module/model.h`, C) is compiled as a user program, gets the same command as
//! a guest's kernel, and serves the same arrivals as the simulator's device. Every completion time
//! must be equal.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use stripewise_profiles::device::calibrated::{CalibratedProfile, DrainProfile};
use stripewise_profiles::profile_file::device_from_toml;
use stripewise_profiles::shipped;
use stripewise_sim::device::calibrated::CalibratedDevice;
use stripewise_sim::io::Operation;
use stripewise_sim::random::{Component, Stream};
use stripewise_sim::units::{Instant, Sectors};

use super::*;
use crate::disk::{Blank, DiskName};
use crate::module;

const SEED: u64 = 5;
const CACHE_ON: CacheSetting = CacheSetting {
    is_on: true,
    flushes: true,
};

/// Compiles the module's model for a user program.
fn compile(directory: &Path) -> PathBuf {
    for file in module::CHECK {
        std::fs::write(directory.join(file.name), file.text).unwrap();
    }
    let program = directory.join("check");
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"])
        .arg("-o")
        .arg(&program)
        .arg(directory.join("check.c"))
        .output()
        .expect("this test needs a C compiler, `cc`: install gcc and libc6-dev");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    program
}

/// Runs the program on a text and returns what it writes.
fn run(program: &Path, input: &str) -> std::process::Output {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A refused command ends the program before it has read all input.
            let _ = stdin.write_all(input.as_bytes());
        });
        child.wait_with_output().unwrap()
    })
}

#[derive(Debug, Clone, Copy)]
struct Arrival {
    at: Instant,
    operation: Operation,
    start: Sectors,
    length: Sectors,
    fua: bool,
}

/// Returns arrivals of all kinds: bursts and pauses, streams and random places, flushes.
fn arrivals(stream: &mut Stream, count: usize) -> Vec<Arrival> {
    let mut now = 0;
    let mut ends = [0_u64; 8];
    (0..count)
        .map(|_| {
            now += match stream.below(1000) {
                // From short idle times to ones that empty the fast area.
                0 => stream.below(1 << 34),
                1..=4 => 100_000_000 + stream.below(1 << 26),
                5..=400 => 0,
                401..=900 => stream.below(1 << 15),
                _ => stream.below(1 << 22),
            };
            let length = match stream.below(4) {
                0 => 1 + stream.below(8192),
                1 => 8,
                2 => 64,
                _ => 8 << stream.below(10),
            };
            let place = usize::try_from(stream.below(8)).unwrap();
            let start = match stream.below(2) {
                0 => ends[place],
                _ => stream.below(1 << 28),
            };
            ends[place] = start + length;
            let (operation, fua) = match stream.below(40) {
                0 => (Operation::Flush, false),
                1 => (Operation::Write, true),
                2..=20 => (Operation::Write, false),
                _ => (Operation::Read, false),
            };
            Arrival {
                at: Instant::from_nanos(now),
                operation,
                start: Sectors::new(start),
                length: Sectors::new(length),
                fua,
            }
        })
        .collect()
}

/// Returns the arrivals as the program reads them.
fn lines(arrivals: &[Arrival]) -> String {
    arrivals.iter().fold(String::new(), |mut text, arrival| {
        let what = match (arrival.operation, arrival.fua) {
            (Operation::Read, _) => 'r',
            (Operation::Write, false) => 'w',
            (Operation::Write, true) => 'W',
            (Operation::Flush, _) => 'f',
        };
        let (at, start) = (arrival.at.as_nanos(), arrival.start.get());
        writeln!(text, "{at} {what} {start} {}", arrival.length.get()).unwrap();
        text
    })
}

fn placed(device: u32) -> DiskInstance {
    DiskInstance {
        size_bytes: 1 << 40,
        cache: CACHE_ON,
        store: DiskStore::Edges {
            bytes: 1 << 20,
            blank: Blank::Zeroes,
        },
        seed: Seed::new(Stream::child_state(SEED, Component::Device(device))),
    }
}

fn shipped_profiles() -> Vec<DeviceProfile> {
    let profiles = shipped::DEVICES.iter();
    profiles
        .map(|file| device_from_toml(file.file, file.text).unwrap())
        .collect()
}

/// Returns the profile, and variants of it with further parts of the model enabled.
fn variants(profile: &CalibratedProfile) -> Vec<CalibratedProfile> {
    let mut drained = profile.clone();
    drained.drain = Some(DrainProfile {
        fast_bytes: 40 << 20,
        random_bytes_per_s: 26_600_001,
        sequential_bytes_per_s: 300_000_007,
        buffer_bytes: 4 << 20,
    });
    drained.cache.is_volatile = true;
    drained.cache.flush_ns = 1_234_567;
    drained.link.full_duplex = !profile.link.full_duplex;
    let mut falling = profile.clone();
    falling.read.sequential.reverse();
    falling.write.p99_over_p50 = 1.0;
    falling.read.p99_over_p50 = 12.5;
    for (point, time_ns) in falling.write.random.iter_mut().zip([900_000_u64, 100_000]) {
        point.time_ns = time_ns;
    }
    vec![profile.clone(), drained, falling]
}

/// Serves the arrivals with both and compares; returns the number of compared completions.
fn compare(program: &Path, profile: &DeviceProfile, device: u32, count: usize) -> usize {
    let Model::Calibrated(calibrated) = &profile.model else {
        unreachable!("only calibrated profiles are compared")
    };
    let component = Component::Device(device);
    let arrivals = arrivals(&mut Stream::child(SEED, Component::Job(device)), count);
    let mut simulated = CalibratedDevice::new(calibrated, Stream::child(SEED, component)).unwrap();
    let expected: Vec<u64> = arrivals
        .iter()
        .map(|a| {
            let service = simulated.submit(a.at, a.operation, a.start, a.length, a.fua);
            service.done.as_nanos()
        })
        .collect();
    let disk = disk_model(profile, placed(device)).unwrap();
    let command = disk.command(DiskName::new(0)).unwrap();
    let output = run(program, &format!("{command}\n{}", lines(&arrivals)));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {messages}", profile.name);
    let answer = String::from_utf8(output.stdout).unwrap();
    let answer: Vec<u64> = answer.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(answer.len(), arrivals.len(), "{}", profile.name);
    for (index, (answer, expected)) in answer.iter().zip(&expected).enumerate() {
        let arrival = arrivals[index];
        assert_eq!(
            answer, expected,
            "{}: arrival {index}: {arrival:?}",
            profile.name
        );
    }
    expected.len()
}

#[test]
fn completion_times_equal_the_simulators_for_every_shipped_profile() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(directory.path());
    let mut compared = 0;
    let mut device = 0;
    for profile in shipped_profiles() {
        let Model::Calibrated(calibrated) = &profile.model else {
            continue;
        };
        for variant in variants(calibrated) {
            let profile = DeviceProfile {
                model: Model::Calibrated(variant),
                ..profile.clone()
            };
            compared += compare(&program, &profile, device, 20_000);
            device += 1;
        }
    }
    assert_eq!(
        compared,
        18 * 20_000,
        "six shipped profiles, three variants"
    );
}

#[test]
fn completion_times_equal_the_simulators_for_extreme_numbers() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(directory.path());
    let mut profile = shipped_profiles()
        .into_iter()
        .find(|profile| profile.name == "nvme-ssd")
        .unwrap();
    let Model::Calibrated(calibrated) = &mut profile.model else {
        panic!("the profile is calibrated")
    };
    let point = |size_bytes, time_ns| CurvePoint {
        size_bytes,
        time_ns,
    };
    calibrated.link.read_bytes_per_s = 1;
    calibrated.link.write_bytes_per_s = 10_000_000_000_000;
    calibrated.read.random = vec![point(1, 1), point(1 << 30, 1_000_000_000_000)];
    calibrated.read.p99_over_p50 = 1.0;
    calibrated.write.random = vec![point(511, 1), point(512, 1_000_000_000)];
    calibrated.write.p99_over_p50 = 20.0;
    calibrated.write.servers = 1024;
    calibrated.drain = Some(DrainProfile {
        fast_bytes: 1 << 60,
        random_bytes_per_s: 10_000_000_000_000,
        sequential_bytes_per_s: 10_000_000_000_000,
        buffer_bytes: 1 << 60,
    });
    compare(&program, &profile, 99, 5_000);
}

#[test]
fn a_profile_from_a_data_sheet_is_refused() {
    let refused: Vec<String> = shipped_profiles()
        .iter()
        .filter_map(|profile| disk_model(profile, placed(0)).err())
        .map(|error| error.to_string())
        .collect();
    assert_eq!(
        refused.len(),
        4,
        "three hard disks and one flash device: {refused:?}"
    );
    assert!(
        refused.iter().all(|text| text.contains("data sheet")),
        "{refused:?}"
    );
}

#[test]
fn the_module_refuses_a_bad_command_and_names_the_word() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(directory.path());
    let profile = &shipped_profiles()[1];
    let disk = disk_model(profile, placed(0)).unwrap();
    let command = disk.command(DiskName::new(255)).unwrap();
    assert!(run(&program, &command).status.success());
    let change = |from: &str, to: &str| {
        let changed = command.replacen(from, to, 1);
        assert_ne!(changed, command, "`{from}` is in the command");
        let output = run(&program, &changed);
        assert_eq!(output.status.code(), Some(1), "{to}");
        String::from_utf8(output.stderr).unwrap().trim().to_owned()
    };
    let refusals = [
        change("add ", ""),
        change("name=swd255", "name=swd256"),
        change("name=swd255", "name=swd01"),
        change("name=swd255", "name=../../etc"),
        change(" rotational=0", ""),
        change(" rotational=0", " rotational=2"),
        change(" rotational=0", " rotational=0 rotational=0"),
        change(" rotational=0", " rotational=0  "),
        change(" rotational=0", " rotational=0 \u{1b}[31m=1"),
        change("queue_depth=32", "queue_depth=-1"),
        change("queue_depth=32", "queue_depth=99999999999999999999"),
        change("queue_depth=32", "queue_depth="),
        change("seed=", "seed=0"),
        change("read_random=", "read_random=0:0,0:0,"),
        change("read_spread=", "read_spread=70000,"),
        change("store=edges", "store=none"),
        change("size_bytes=1099511627776", "size_bytes=1099511627777"),
        change("physical_block_bytes=4096", "physical_block_bytes=1000"),
    ];
    expect_test::expect![[r#"
        `add` must be the first word, and words must follow
        `name` is not swd0 to swd255
        `name` is not swd0 to swd255
        `name` is not swd0 to swd255
        `rotational` is missing
        `rotational` is too large
        `rotational` is given twice
        `` is not `key=value`
        `?[31m` is an unknown key
        `queue_depth` is not a whole number
        `queue_depth` is not a whole number
        `queue_depth` is not a whole number
        `seed` is not 32 hexadecimal digits
        `read_random` is not `bytes:ns,...` with rising sizes up to 1 GiB, times up to 1000 s
        `read_spread` is not 257 rising factors
        `store` is not all or edges
        `size_bytes` is not a multiple of 4096
        `physical_block_bytes` is not a power of two, or less than logical_block_bytes"#]]
    .assert_eq(&refusals.join("\n"));
}
