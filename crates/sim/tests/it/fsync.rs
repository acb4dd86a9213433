//! Jobs that `fsync` each write: what the filesystem's log, md and the devices' queues make of it.
//!
//! The golden table is written to be held against the real driver; `studies/fsync.toml` asks the
//! same of the lab.

use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_profiles::device::DeviceProfile;
use stripewise_study::sample::Sample;
use stripewise_study::stack::{Filesystem, Level, Volume};
use stripewise_study::workload::{Engine, Pattern};
use stripewise_units::Nanos;
use stripewise_units::kernel::KernelVersion;

use crate::support::*;

const JOBS: [u32; 4] = [1, 4, 16, 64];
const STACKS: [(&str, Option<Level>, u32); 3] = [
    ("one disk", None, 1),
    ("raid1", Some(Level::Raid1), 2),
    ("raid5", Some(Level::Raid5), 3),
];

/// Returns a disk with FUA: 4K take 50 us to write, a flush takes 1 ms.
fn nvme() -> DeviceProfile {
    changed(ssd(), |profile| profile.link.full_duplex = true)
}

/// Returns jobs that write 4K at random places of their files and `fsync` each.
fn case(level: Option<Level>, members: u32, filesystem: &str, jobs: u32) -> Case {
    let case = match level {
        Some(level) => Case::array(level, None, members).chunk(64 * KIB),
        None => Case::single(),
    };
    let mut case = case
        .on(members, &nvme())
        .pattern(Pattern::RandWrite, 4 * KIB)
        .size(64 * MIB);
    if level == Some(Level::Raid1)
        && let Some(array) = &mut case.stack.array
    {
        array.chunk_bytes = None;
    }
    case.stack.filesystem = match filesystem {
        "none" => Filesystem::None,
        kind => Filesystem::Made {
            kind: kind.to_owned(),
            mkfs: Vec::new(),
            options: Vec::new(),
            group: None,
            log: None,
        },
    };
    case.workload.load.jobs = jobs;
    case.workload.load.engine = Engine::Psync;
    case.workload.load.fsync_every = Some(1.try_into().unwrap());
    case
}

/// Simulates 100 writes and `fsync`s of each job.
fn run(case: &Case) -> Sample {
    case.run(200 * u64::from(case.workload.load.jobs))
}

fn flushes(sample: &Sample) -> Vec<u64> {
    each(sample, |device| device.flushes.unwrap())
}

/// Returns one number for each member, per write of the load.
fn per_write(sample: &Sample, counts: &[u64]) -> String {
    let writes = as_f64(sample.write.ios);
    let each = counts
        .iter()
        .map(|count| format!("{:.2}", as_f64(*count) / writes));
    each.collect::<Vec<_>>().join(" ")
}

fn row(table: &mut String, name: &str, jobs: u32, sample: &Sample) {
    let flushes = per_write(sample, &flushes(sample));
    let writes = per_write(sample, &each(sample, |device| device.writes));
    writeln!(
        table,
        "{name:<16} {jobs:>4} {:>7.0}   {flushes:<16} {writes}",
        iops(sample)
    )
    .unwrap();
}

#[test]
fn group_commit_by_filesystem_array_and_jobs() {
    let mut table = String::from(
        "Jobs that write 4K at random places of their files, and fsync each write.\n\
         Disks that take 50 us for 4K and 1 ms for a flush, and that have FUA; chunks of 64K.\n\
         Flushes and writes of each member, divided by the writes of the load. A flush without data\n\
         is a write, too, as in /sys/block/*/stat.\n\n\
         Linux 6.1.192    jobs    IOPS   flushes          writes\n",
    );
    for filesystem in ["none", "ext4", "xfs"] {
        for (name, level, members) in STACKS {
            for jobs in JOBS {
                let sample = run(&case(level, members, filesystem, jobs));
                row(&mut table, &format!("{filesystem} {name}"), jobs, &sample);
            }
        }
    }
    table.push_str("\nraid1 on Linux   jobs    IOPS   flushes          writes\n");
    for kernel in ["3.10", "4.18", "5.2", "6.12"] {
        for filesystem in ["none", "ext4"] {
            let mut case = case(Some(Level::Raid1), 2, filesystem, 16);
            case.kernel = KernelVersion::parse(kernel).unwrap();
            row(
                &mut table,
                &format!("{filesystem} {kernel}"),
                16,
                &run(&case),
            );
        }
    }
    expect_file!["../fsync.txt"].assert_eq(&table);
}

#[test]
fn flushes_for_each_write_fall_with_jobs_and_iops_rise() {
    for filesystem in ["none", "ext4", "xfs"] {
        for (name, level, members) in STACKS {
            let of = |jobs| {
                let sample = run(&case(level, members, filesystem, jobs));
                let most = flushes(&sample).into_iter().max().unwrap();
                (as_f64(most) / as_f64(sample.write.ios), iops(&sample))
            };
            let cells = JOBS.map(of);
            for pair in cells.windows(2) {
                // In the lab, too, four jobs on XFS share few flushes.
                assert!(pair[1].0 < pair[0].0, "{filesystem} {name}: {cells:?}");
                assert!(
                    pair[1].1 > 1.1 * pair[0].1,
                    "{filesystem} {name}: {cells:?}"
                );
            }
        }
    }
}

#[test]
fn members_get_every_flush_of_the_array_once() {
    for filesystem in ["none", "ext4", "xfs"] {
        for kernel in ["3.10", "4.18", "6.1.192", "6.12"] {
            for (level, members) in [(Level::Raid0, 3), (Level::Raid1, 2), (Level::Raid10, 4)] {
                let mut case = case(Some(level), members, filesystem, 16);
                case.kernel = KernelVersion::parse(kernel).unwrap();
                let sample = run(&case);
                let flushes = flushes(&sample);
                // Queues merge flushes, and those of members need not merge alike.
                let (least, most) = (flushes.iter().min().unwrap(), flushes.iter().max().unwrap());
                assert!(
                    most - least <= most / 4,
                    "{filesystem} {kernel} {level}: {flushes:?}"
                );
                // No more than one for each fsync, and two for those that commit.
                assert!(
                    *most <= 2 * sample.sync.count,
                    "{filesystem} {kernel} {level}"
                );
            }
        }
    }
}

#[test]
fn each_job_waits_for_at_most_the_commit_under_way_and_its_own() {
    let mut alone = case(None, 1, "ext4", 1);
    // The clock ticks between its writes, so that every `fsync` commits.
    alone.workload.load.think_time_ns = Nanos::from_millis(10);
    let alone = alone.run(200).sync.mean_ns.unwrap();
    let of_many = run(&case(None, 1, "ext4", 64)).sync.mean_ns.unwrap();
    assert!(of_many < 2.25 * alone, "{of_many} ns, alone {alone} ns");
}

#[test]
fn a_request_that_waits_for_a_flush_keeps_its_tag_unless_a_scheduler_sorts() {
    let jobs_of_a_flush = |scheduler: &str| {
        let mut case = case(None, 1, "none", 64);
        case.devices[0].queue_depth = 8;
        case.conditions.scheduler = Some(scheduler.to_owned());
        let sample = run(&case);
        as_f64(sample.write.ios) / as_f64(flushes(&sample)[0])
    };
    let (none, sorted) = (jobs_of_a_flush("none"), jobs_of_a_flush("mq-deadline"));
    assert!(none < 8.0 && sorted > 2.0 * none, "{none}, {sorted}");
}

#[test]
fn without_a_volatile_cache_no_member_is_flushed() {
    for filesystem in ["none", "ext4", "xfs"] {
        let mut case = case(Some(Level::Raid1), 2, filesystem, 4);
        for device in &mut case.devices {
            *device = changed(device.clone(), |profile| profile.cache.is_volatile = false);
        }
        assert_eq!(flushes(&run(&case)), [0, 0]);
    }
}

/// Returns the flushes and writes of one job that pauses between its writes, so that the clock ticks
/// and every `fsync` commits.
fn commits(level: Option<Level>, members: u32, kind: &str, has_fua: bool) -> Vec<(u64, u64)> {
    let mut case = case(level, members, kind, 1);
    for device in &mut case.devices {
        *device = changed(device.clone(), |profile| profile.link.full_duplex = has_fua);
    }
    case.workload.load.think_time_ns = Nanos::from_millis(10);
    let sample = case.run(200);
    each(&sample, |device| (device.flushes.unwrap(), device.writes))
}

#[test]
fn a_commit_is_flushed_after_its_block_only_where_fua_is_missing() {
    // Data, journal blocks, and the commit block with the flush before it.
    assert_eq!(commits(None, 1, "ext4", true), [(100, 300)]);
    assert_eq!(commits(None, 1, "ext4", false), [(200, 300)]);
    // md flushes all members with bios of their own.
    assert_eq!(
        commits(Some(Level::Raid1), 2, "ext4", true),
        [(100, 400); 2]
    );
    assert_eq!(
        commits(Some(Level::Raid1), 2, "ext4", false),
        [(200, 400); 2]
    );
    // The flush after it goes only to the member that holds it.
    let striped = commits(Some(Level::Raid0), 2, "ext4", false);
    let after: u64 = striped.iter().map(|(flushes, _)| flushes - 100).sum();
    assert_eq!(after, 100, "{striped:?}");
    // One write of the log.
    assert_eq!(commits(None, 1, "xfs", true), [(100, 200)]);
    assert_eq!(commits(None, 1, "xfs", false), [(200, 200)]);
}

#[test]
fn the_blocks_of_the_disks_decide_how_long_a_log_write_of_xfs_is() {
    let per_write = |physical| {
        let mut case = case(Some(Level::Raid5), 3, "xfs", 1);
        for device in &mut case.devices {
            device.physical_block_bytes = physical;
        }
        case.workload.load.think_time_ns = Nanos::from_millis(10);
        let sample = case.run(200);
        let bytes: u64 = each(&sample, |device| device.write_bytes.as_u64())
            .iter()
            .sum();
        bytes / sample.write.ios
    };
    // Data and parity, and the same of a log write: a block of 4K, or a chunk of 64K.
    assert_eq!(per_write(4096), 4 * 4096);
    assert_eq!(per_write(512), 2 * 4096 + 2 * 64 * 1024);
}

#[test]
fn a_volume_flushes_before_it_passes_a_commit_on() {
    let mut case = case(None, 1, "ext4", 1).volume(Volume::Linear);
    case.workload.load.think_time_ns = Nanos::from_millis(10);
    let sample = case.run(200);
    let counts = each(&sample, |device| (device.flushes.unwrap(), device.writes));
    assert_eq!(counts, [(100, 400)]);
}

#[test]
fn between_two_ticks_of_the_clock_an_fsync_only_flushes() {
    let sample = run(&case(None, 1, "ext4", 1));
    assert_eq!(flushes(&sample), [100], "one for each fsync");
    // A commit is two writes, and a flush without data one.
    let commits = sample.devices[0].writes - 200;
    let ticks = sample.elapsed_ns.as_u64() / 4_000_000;
    assert!(
        commits.abs_diff(ticks) <= 2,
        "{commits} commits in {ticks} ticks"
    );
}
