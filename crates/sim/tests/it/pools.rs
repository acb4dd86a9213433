//! btrfs and ZFS: what reaches each device for what a load asks.

use std::num::NonZeroU32;

use stripewise_sim::engine::Limits;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::stack::{DeviceGroup, Filesystem};
use stripewise_study::workload::{Data, Engine, Pattern};
use stripewise_study::world::NeverCancel;

use crate::support::*;

fn made(kind: &str, mkfs: &[&str], options: &[&str]) -> Filesystem {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Filesystem::Made {
        kind: kind.to_owned(),
        mkfs: owned(mkfs),
        options: owned(options),
        group: None,
        log: None,
    }
}

fn pool(devices: u32, filesystem: Filesystem) -> Case {
    let mut case = Case::single().on(devices, &ssd());
    case.stack.filesystem = filesystem;
    case
}

/// Runs a load until its rate is known.
fn steady(case: &Case) -> Sample {
    let mut simulation = case.build();
    let limits = Limits {
        ios_max: 40_000,
        ..Limits::DEFAULT
    };
    let _ending = simulation.run(&limits, &mut NeverCancel);
    simulation.check_bounds().unwrap();
    simulation.sample()
}

/// Returns the bytes that the devices write, and read, for each byte of the load.
fn amplification(sample: &Sample) -> [f64; 2] {
    let (read, written) = member_bytes(sample);
    let asked = as_f64(sample.bytes().as_u64());
    [as_f64(written) / asked, as_f64(read) / asked]
}

#[test]
fn a_process_reads_one_copy_of_a_btrfs_and_two_processes_both() {
    let raid1 = made("btrfs", &["-d", "raid1"], &[]);
    let case = pool(2, raid1)
        .pattern(Pattern::RandRead, 4 * KIB)
        .size(64 * MIB);
    assert_eq!(each(&case.run(100), |device| device.reads), [100, 0]);
    let case = case.depth(2, 1);
    let reads = each(&case.run(100), |device| device.reads);
    assert!(
        reads.iter().all(|reads| (40..=60).contains(reads)),
        "{reads:?}"
    );
}

#[test]
fn a_btrfs_writes_every_copy_of_a_profile_and_nothing_twice_in_its_place() {
    for (profile, copies) in [("single", 1), ("raid0", 1), ("raid10", 2), ("raid1c3", 3)] {
        let filesystem = made("btrfs", &["-d", profile], &[]);
        let case = pool(4, filesystem).pattern(Pattern::RandWrite, 64 * KIB);
        let sample = case.size(64 * MIB).run(400);
        let (_, written) = member_bytes(&sample);
        assert_eq!(written, copies * 400 * 64 * KIB, "{profile}");
    }
    // New data lies behind the old, in its order: random writes are one stream on the disk.
    let random = |options: &[&str]| {
        let case = pool(1, made("btrfs", &[], options)).on(1, &disk());
        let case = case.pattern(Pattern::RandWrite, 4 * KIB).size(256 * MIB);
        iops(&case.run(300))
    };
    assert!(random(&[]) > 3.0 * random(&["nodatacow"]));
}

#[test]
fn an_fsync_of_a_btrfs_writes_its_log_and_a_superblock_on_each_device() {
    let filesystem = made("btrfs", &["-d", "raid1"], &[]);
    let mut case = pool(2, filesystem).pattern(Pattern::RandWrite, 4 * KIB);
    case.workload.load.fsync_every = NonZeroU32::new(1);
    case.workload.load.engine = Engine::Psync;
    let sample = case.size(64 * MIB).run(200);
    let (_, written) = member_bytes(&sample);
    // Data, two nodes of 16 KiB, and a superblock, on both.
    assert_eq!(written, 2 * 100 * (4 + 2 * 16 + 4) * KIB);
    // Before the superblock; behind it, where the disk has no FUA.
    assert_eq!(
        each(&sample, |device| device.flushes),
        [Some(200), Some(200)]
    );
}

#[test]
fn compression_leaves_the_devices_a_share_of_what_the_load_counts() {
    let zstd = made("btrfs", &[], &["compress=zstd"]);
    let lz4 = made("zfs", &["-o", "ashift=12"], &[]);
    for filesystem in [zstd, lz4] {
        let written = |data: Data| {
            let case = pool(1, filesystem.clone()).pattern(Pattern::Write, 128 * KIB);
            let mut case = case.size(GIB);
            case.host.memory.dirty_bytes_max = 64 * MIB;
            case.workload.load.direct = false;
            case.workload.load.data = data;
            amplification(&steady(&case))[0]
        };
        let (honest, half) = (written(Data::Incompressible), written(Data::Ratio(2.0)));
        assert!(is_near(honest, 1.0, 10.0), "{filesystem} {honest}");
        assert!(is_near(half, 0.5, 10.0), "{filesystem} {half}");
    }
}

#[test]
fn random_data_takes_the_program_time_where_its_content_matters() {
    const RATE: u64 = 100_000_000;
    // The time of 100 writes, one after the other, that a rate of making data adds.
    let added = |filesystem: Filesystem, data: Data| {
        let elapsed = |fill: Option<u64>| {
            let mut case = pool(1, filesystem.clone()).pattern(Pattern::Write, 64 * KIB);
            case.workload.load.data = data;
            case.host.cpu.fill_bytes_per_s = fill;
            case.size(64 * MIB).run(100).elapsed_ns.as_u64()
        };
        as_f64(elapsed(Some(RATE)) - elapsed(None))
    };
    let all = as_f64(100 * 64 * KIB) / as_f64(RATE) * 1e9;
    let btrfs = || made("btrfs", &[], &[]);
    for (filesystem, data, share) in [
        (btrfs(), Data::Incompressible, 1.0),
        (btrfs(), Data::Ratio(4.0), 0.25),
    ] {
        let added = added(filesystem, data);
        assert!(is_near(added, share * all, 2.0), "{added} {share} {all}");
    }
    for (filesystem, data) in [
        (btrfs(), Data::Zeroes),
        (Filesystem::None, Data::Incompressible),
    ] {
        assert!(added(filesystem, data) < 1.0);
    }
}

#[test]
fn a_slow_checksum_of_zfs_takes_its_time() {
    let words = ["-O", "recordsize=128K", "-O", "primarycache=metadata"];
    let elapsed = |words: &[&str], rate: Option<u64>| {
        let mut case = zfs(1, words, Pattern::RandRead, 128 * KIB);
        case.host.cpu.fletcher4_bytes_per_s = rate;
        case.run(100).elapsed_ns.as_u64()
    };
    let slow = Some(100_000_000);
    let added = as_f64(elapsed(&words, slow) - elapsed(&words, Some(u64::MAX / 2)));
    let expected = as_f64(100 * 128 * KIB) / 1e8 * 1e9;
    assert!(is_near(added, expected, 5.0), "{added} {expected}");
    let without = [&words[..], &["-O", "checksum=off"]].concat();
    assert_eq!(elapsed(&without, slow), elapsed(&without, None));
}

/// Returns a pool whose files do not fit into memory.
fn zfs(devices: u32, words: &[&str], pattern: Pattern, block: u64) -> Case {
    let mut case = pool(devices, made("zfs", words, &[])).pattern(pattern, block);
    case.host.memory.dirty_bytes_max = 64 * MIB;
    case.size(16 * GIB)
}

#[test]
fn zfs_reads_and_writes_whole_records() {
    let words = [
        "-o",
        "ashift=12",
        "-O",
        "recordsize=16K",
        "-O",
        "primarycache=metadata",
    ];
    let sample = steady(&zfs(1, &words, Pattern::RandRead, 4 * KIB));
    let [_, read] = amplification(&sample);
    assert!(is_near(read, 4.0, 1.0), "{read}");
    let sample = steady(&zfs(1, &words, Pattern::RandWrite, 4 * KIB));
    let [written, read] = amplification(&sample);
    assert!(is_near(read, 4.0, 20.0), "it reads the rest: {read}");
    assert!(written > 3.0, "{written}");
    let sample = steady(&zfs(1, &words, Pattern::RandWrite, 16 * KIB));
    let [_, read] = amplification(&sample);
    assert!(read < 0.01, "a whole record needs no read: {read}");
}

#[test]
fn zfs_writes_copies_and_parity() {
    for (devices, vdev, times) in [(2, "mirror", 2.0), (5, "raidz", 1.25), (6, "raidz2", 1.5)] {
        let words = ["-o", "ashift=12", vdev];
        let sample = steady(&zfs(devices, &words, Pattern::Write, 128 * KIB));
        let [written, _] = amplification(&sample);
        assert!(is_near(written, times, 8.0), "{vdev} {written}");
    }
}

#[test]
fn a_synchronous_write_goes_to_the_log_which_may_have_its_own_device() {
    let words = ["-o", "ashift=12"];
    // No transaction group is due.
    let case = zfs(1, &words, Pattern::RandWrite, 4 * KIB).size(16 * MIB);
    let mut case = case.host(host());
    case.workload.load.fsync_every = NonZeroU32::new(1);
    case.workload.load.engine = Engine::Psync;
    let sample = case.run(200);
    let (_, written) = member_bytes(&sample);
    assert_eq!(
        written,
        100 * 8 * KIB,
        "data, and headers in a block of their own"
    );
    assert_eq!(each(&sample, |device| device.flushes), [Some(100)]);
    let mut beside = case.on(2, &ssd());
    beside.stack.devices = ["data", "fast"]
        .map(|name| DeviceGroup {
            profile: name.to_owned(),
            count: NonZeroU32::MIN,
        })
        .to_vec();
    let Filesystem::Made { log, .. } = &mut beside.stack.filesystem else {
        panic!("it is made");
    };
    *log = Some("fast".to_owned());
    let sample = beside.run(200);
    let flushes = each(&sample, |device| device.flushes);
    assert_eq!(flushes, [Some(0), Some(100)]);
    let disabled = zfs(1, &["-O", "sync=disabled"], Pattern::RandWrite, 4 * KIB);
    let mut disabled = disabled.size(16 * MIB).host(host());
    disabled.workload.load.fsync_every = NonZeroU32::new(1);
    disabled.workload.load.engine = Engine::Psync;
    assert_eq!(member_bytes(&disabled.run(200)), (0, 0));
}

#[test]
fn tasks_share_the_blocks_of_the_log() {
    let flushes_per_write = |jobs: u32| {
        let case = zfs(1, &["-o", "ashift=12"], Pattern::RandWrite, 4 * KIB).size(MIB);
        let mut case = case.host(host());
        case.workload.load.jobs = jobs;
        case.workload.load.fsync_every = NonZeroU32::new(1);
        case.workload.load.engine = Engine::Psync;
        let sample = case.run(200 * u64::from(jobs));
        let flushes: u64 = each(&sample, |device| device.flushes.unwrap()).iter().sum();
        as_f64(flushes) / as_f64(sample.write.ios)
    };
    assert!(is_near(flushes_per_write(1), 1.0, 1.0));
    assert!(flushes_per_write(16) < 0.8, "{}", flushes_per_write(16));
}

#[test]
fn what_the_model_cannot_follow_is_refused_by_name() {
    let refused = |case: &Case| case.try_build().unwrap_err().to_string();
    let raid5 = pool(3, made("btrfs", &["-d", "raid5"], &[]));
    assert!(refused(&raid5).contains("`-d raid5` of btrfs"));
    let dedup = pool(1, made("zfs", &["-O", "dedup=on"], &[]));
    assert!(refused(&dedup).contains("dedup=on"));
    let mut zeroes = pool(1, made("zfs", &[], &[]));
    zeroes.workload.load.data = Data::Zeroes;
    assert!(refused(&zeroes).contains("zeroes"));
    let mut direct = pool(1, made("btrfs", &[], &["compress=zstd"]));
    direct.workload.load.data = Data::Ratio(2.0);
    assert!(refused(&direct).contains("direct I/O"));
}
