//! Data at risk: which acknowledged writes a power cut would lose, and what `sync` and flushes beside
//! the load change.

use stripewise_sim::engine::{Ending, Limits};
use stripewise_study::conditions::{Flush, WriteCache};
use stripewise_study::risk::{Risk, Volatile};
use stripewise_study::sample::Sample;
use stripewise_study::stack::{Filesystem, Level};
use stripewise_study::workload::{Pattern, SyncMode};
use stripewise_study::world::NeverCancel;
use stripewise_units::{Bytes, Nanos};

use crate::support::*;

const SECOND: u64 = 1_000_000_000;

/// Returns a RAID 5 of three under 16K random writes whose data at risk is followed.
fn raid5() -> Case {
    let case = Case::array(Level::Raid5, None, 3);
    watched(case.chunk(64 * KIB).pattern(Pattern::RandWrite, 16 * KIB))
}

fn watched(mut case: Case) -> Case {
    case.workload.load.risk = true;
    case
}

fn simulate(case: &Case) -> Sample {
    let limits = Limits {
        ios_max: 100_000,
        ..Limits::default()
    };
    let mut simulation = case.build();
    let ending = simulation.run(&limits, &mut NeverCancel);
    assert_ne!(ending, Ending::TooLarge);
    assert_eq!(simulation.check_bounds(), Ok(()), "within physical limits");
    simulation.sample()
}

fn risk(sample: &Sample) -> Risk {
    sample.risk.expect("the case asks for it")
}

/// Returns a case for each way in which a program makes its writes durable.
fn durable(case: &Case) -> Vec<Case> {
    let mut cases = Vec::new();
    for filesystem in ["none", "ext4", "xfs"] {
        for sync in [SyncMode::None, SyncMode::Sync, SyncMode::Dsync] {
            let mut case = case.clone();
            if filesystem != "none" {
                case.stack.filesystem = made(filesystem);
            }
            case.workload.load.sync = sync;
            if sync == SyncMode::None {
                case.workload.load.fsync_every = 4.try_into().ok();
            }
            cases.push(case);
        }
    }
    cases
}

fn made(kind: &str) -> Filesystem {
    Filesystem::Made {
        kind: kind.to_owned(),
        mkfs: Vec::new(),
        options: Vec::new(),
        group: None,
        log: None,
    }
}

#[test]
fn where_flushes_are_honoured_nothing_that_was_promised_is_volatile() {
    let raid1 = watched(Case::array(Level::Raid1, None, 2).pattern(Pattern::RandWrite, 4 * KIB));
    let stacks = [
        raid5(),
        raid1,
        raid5().on(3, &disk()),
        raid5().on(3, &flash()),
    ];
    for stack in stacks {
        for case in durable(&stack.size(8 * MIB).depth(2, 1)) {
            let found = risk(&case.run(300));
            let name = format!("{:?} {:?}", case.stack, case.workload.load.sync);
            assert_eq!(found.promised.bytes_max, Bytes::new(0), "{name}");
            // Four writes of each of two jobs wait for their fsync.
            let block = case.workload.load.block_size.largest().as_u64();
            let most = match case.workload.load.sync {
                SyncMode::None => 8 * block,
                SyncMode::Sync | SyncMode::Dsync => 0,
            };
            let found = found.acknowledged.bytes_max.as_u64();
            assert!(found <= most, "{name}: {found}");
        }
    }
}

#[test]
fn without_flushes_what_a_drive_has_promised_is_lost_however_old() {
    let mut case = raid5();
    case.workload.load.fsync_every = 1.try_into().ok();
    case.conditions.flush = Some(Flush::Ignored);
    let sample = case.run(2000);
    let found = risk(&sample);
    assert!(found.promised.is_unbounded && found.acknowledged.is_unbounded);
    // From the first promise on.
    assert!(found.promised.share_ppm > Some(990_000), "{found:?}");
    // All writes of the run, but the last one, which was promised as it ended.
    let all = sample.write.bytes.as_u64();
    assert_eq!(found.promised.bytes_max.as_u64(), all - 16 * KIB);
    assert!(is_near(
        as_f64(found.promised.age_max_ns.as_u64()),
        as_f64(sample.elapsed_ns.as_u64()),
        2.0
    ));

    // A disk writes back by itself: what is at risk fits into its cache.
    let sample = case.clone().on(3, &disk()).run(2000);
    let found = risk(&sample);
    assert!(!found.promised.is_unbounded);
    assert!(found.promised.bytes_max > Bytes::new(0));
    assert!(found.promised.bytes_max < sample.write.bytes);

    // Without a volatile cache there is nothing to lose.
    let safe = changed(ssd(), |profile| profile.cache.is_volatile = false);
    let mut off = case.clone();
    off.conditions.write_cache = Some(WriteCache::Off);
    for case in [case.clone().on(3, &safe), off] {
        let never = Volatile {
            share_ppm: Some(0),
            ..Volatile::default()
        };
        let nothing = Risk {
            acknowledged: never,
            promised: never,
        };
        assert_eq!(risk(&case.run(500)), nothing);
    }
}

#[test]
fn a_flush_each_interval_bounds_the_age_and_costs_little() {
    let mut case = raid5();
    case.conditions.flush_every_ns = Some(Nanos::from_millis(100));
    let flushed = simulate(&case);
    let found = risk(&flushed).acknowledged;
    assert!(!found.is_unbounded);
    let age = found.age_max_ns.as_u64();
    // The interval, and the flush itself.
    assert!(
        (SECOND / 10..SECOND / 10 + 10_000_000).contains(&age),
        "{age}"
    );
    let median = found.age_p50_ns.as_u64();
    assert!((SECOND / 25..SECOND / 15).contains(&median), "{median}");
    let per_s = each(&flushed, |device| {
        as_f64(device.flushes.unwrap()) / flushed.elapsed_ns.as_secs_f64()
    });
    assert!(
        per_s.iter().all(|rate| is_near(*rate, 10.0, 30.0)),
        "{per_s:?}"
    );

    case.conditions.flush_every_ns = None;
    let free = simulate(&case);
    assert!(risk(&free).acknowledged.is_unbounded);
    assert!(is_near(iops(&flushed), iops(&free), 3.0));
}

#[test]
fn sync_flushes_filesystems_and_not_block_devices() {
    let every = Nanos::from_millis(100);
    let flushes = |case: &Case| -> u64 {
        let sample = simulate(case);
        each(&sample, |device| device.flushes.unwrap()).iter().sum()
    };
    let mut direct = raid5();
    direct.conditions.sync_every_ns = Some(every);
    assert_eq!(
        flushes(&direct),
        0,
        "nothing is dirty, and nothing is flushed"
    );
    let mut buffered = direct.clone().size(64 * MIB);
    buffered.workload.load.direct = false;
    // Slow enough that the effort lasts for several intervals.
    buffered.workload.load.rate_iops = 1000.try_into().ok();
    let sample = simulate(&buffered);
    assert!(
        each(&sample, |device| device.writes)
            .iter()
            .all(|writes| *writes > 0)
    );
    assert_eq!(each(&sample, |device| device.flushes.unwrap()), [0; 3]);
    assert!(risk(&sample).acknowledged.is_unbounded);

    for kind in ["ext4", "xfs"] {
        for case in [&direct, &buffered] {
            let mut case = case.clone();
            case.stack.filesystem = made(kind);
            let sample = simulate(&case);
            let age = risk(&sample).acknowledged.age_max_ns.as_u64();
            assert!((SECOND / 10..SECOND / 4).contains(&age), "{kind}: {age}");
        }
    }
}

#[test]
fn the_account_changes_no_other_number() {
    for mut case in [raid5(), raid5().on(3, &disk())] {
        case.workload.load.fsync_every = 3.try_into().ok();
        let mut with = case.run(1000);
        assert!(with.risk.take().is_some());
        case.workload.load.risk = false;
        assert_eq!(case.run(1000), with);
    }
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let mut pool = watched(Case::single().pattern(Pattern::RandWrite, 4 * KIB));
    pool.stack.filesystem = made("zfs");
    let problem = pool.try_build().unwrap_err().to_string();
    assert!(problem.contains("`risk` on btrfs or ZFS"), "{problem}");
    let problem = raid5().fail(1).try_build().unwrap_err().to_string();
    assert!(problem.contains("`risk` with a failed device"), "{problem}");
    pool.workload.load.risk = false;
    pool.conditions.sync_every_ns = Some(Nanos::from_millis(1000));
    let problem = pool.try_build().unwrap_err().to_string();
    assert!(
        problem.contains("`sync_every = \"1s\"` on btrfs or ZFS"),
        "{problem}"
    );
}
