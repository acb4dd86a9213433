//! Replays: their I/Os begin when their times say so, or as soon as the depth allows.

use std::sync::Arc;

use proptest::prelude::*;
use stripewise_profiles::Profiles;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::WriteCache;
use stripewise_study::sample::Sample;
use stripewise_study::workload::{Engine, SyncMode};
use stripewise_study::world::{NeverCancel, Replay, ReplayedAction, ReplayedIo};
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

use ReplayedAction::{DurableWrite, Read, Write};

/// More than an I/O of 4 KiB takes on an idle flash drive, and its submission with it.
const IO_NS_MAX: u64 = 400_000;

/// Returns the only cell of a study; semicolons separate its lines.
fn cell(load: &str) -> Cell {
    let text = format!(
        "[stack.a]; {load}; [workload]; pattern = 'randrw'; block_size = '4K'; size = '1G'; \
         engine = 'libaio'; depth = 16"
    );
    let text = text.replace("; ", "\n");
    stripewise_fixtures::cell(&text)
}

fn on_flash() -> Cell {
    cell("devices = { nvme-ssd = 1 }")
}

/// Replays a list on a cell.
fn replayed(cell: &Cell, ios: Vec<ReplayedIo>) -> Sample {
    replayed_by(cell, vec![ios])
}

/// Replays a list for each job on a cell.
fn replayed_by(cell: &Cell, jobs: Vec<Vec<ReplayedIo>>) -> Sample {
    let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 12, 0));
    let replay = Replay {
        jobs,
        ..Replay::default()
    };
    let replayed = model.replay(cell, 1, Arc::new(replay), &mut NeverCancel);
    replayed.unwrap().sample
}

fn io(action: ReplayedAction, place: u64) -> ReplayedIo {
    ReplayedIo::new(action, Bytes::new(place << 12), Bytes::new(4096))
}

/// Returns reads with these gaps before them, in ns.
fn reads(gaps: &[u64]) -> Vec<ReplayedIo> {
    let mut at = 0;
    let timed = (0..).zip(gaps).map(|(place, gap)| {
        at += gap;
        io(Read, place * 7 % 1000).at(Nanos::new(at))
    });
    timed.collect()
}

fn elapsed(sample: &Sample) -> u64 {
    sample.elapsed_ns.as_u64()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The end of each prefix shows when its last I/O began.
    #[test]
    fn on_an_idle_drive_ios_begin_at_their_times(
        gaps in prop::collection::vec(500_000_u64..5_000_000, 1..20),
    ) {
        let ios = reads(&gaps);
        for end in 1..=ios.len() {
            let at = ios[end - 1].at_ns.unwrap_or_default().as_u64();
            let took = elapsed(&replayed(&on_flash(), ios[..end].to_vec()));
            prop_assert!((at..at + IO_NS_MAX).contains(&took), "{} {} {}", end, at, took);
        }
    }

    #[test]
    fn at_twice_the_speed_a_replay_takes_half_the_time(
        gaps in prop::collection::vec(1_000_000_u64..9_000_000, 1..60),
    ) {
        let halves: Vec<u64> = gaps.iter().map(|gap| gap / 2).collect();
        let (once, twice) = (reads(&gaps), reads(&halves));
        let (once, twice) = (replayed(&on_flash(), once), replayed(&on_flash(), twice));
        let half = elapsed(&once) / 2;
        prop_assert!(half.abs_diff(elapsed(&twice)) < IO_NS_MAX, "{} {}", half, elapsed(&twice));
    }

    /// Without times, and with all times at the beginning, I/Os go as fast as the depth allows.
    #[test]
    fn times_that_are_over_change_nothing(
        places in prop::collection::vec((any::<bool>(), 0_u64..10_000), 1..200),
    ) {
        let action = |writes| if writes { Write } else { Read };
        let none: Vec<ReplayedIo> =
            places.iter().map(|(writes, place)| io(action(*writes), *place)).collect();
        let zero = none.iter().map(|io| io.at(Nanos::default())).collect();
        prop_assert_eq!(replayed(&on_flash(), none), replayed(&on_flash(), zero));
    }
}

/// A list with times keeps one without company, and ends with it, however long it is.
#[test]
fn a_list_without_times_ends_those_with_times() {
    let mut two = on_flash();
    two.workload.load.jobs = 2;
    two.workload.load.depth = 1;
    let flat_out: Vec<ReplayedIo> = (0..500)
        .map(|place| io(Read, place * 7919 % 10_000))
        .collect();
    let every_ms = |count: u64| -> Vec<ReplayedIo> {
        let writes = (0..count).map(|n| io(Write, 20_000 + n).at(Nanos::from_millis(n)));
        writes.collect()
    };
    let alone = replayed_by(&two, vec![flat_out.clone(), Vec::new()]);
    let ms = elapsed(&alone) / 1_000_000;
    assert!((10..60_000).contains(&ms), "{ms}");
    let both = replayed_by(&two, vec![flat_out.clone(), every_ms(60_000)]);
    assert_eq!(both.read.ios, 500);
    let took = elapsed(&both) / 1_000_000;
    assert!((ms..ms * 3 / 2).contains(&took), "{took} {ms}");
    assert!(
        both.write.ios.abs_diff(took) < 5,
        "{} {took}",
        both.write.ios
    );
    // A short one ends by itself.
    let both = replayed_by(&two, vec![flat_out, every_ms(3)]);
    assert_eq!((both.read.ios, both.write.ios), (500, 3));
}

/// As in fio, the gap counts from the I/O before, however late that was.
#[test]
fn a_full_queue_delays_all_later_ios() {
    let mut alone = cell("devices = { hdd-7200 = 1 }");
    alone.workload.load.depth = 1;
    let far = |place: u64| io(Read, place * 7919 % 200_000);
    let crowd: Vec<ReplayedIo> = (0..50)
        .map(|place| far(place).at(Nanos::default()))
        .collect();
    let crowd_took = elapsed(&replayed(&alone, crowd.clone()));
    assert!(crowd_took > 100_000_000, "{crowd_took}");
    let gap = Nanos::from_millis(500);
    let mut with_one_after = crowd;
    with_one_after.push(far(50).at(gap));
    let took = elapsed(&replayed(&alone, with_one_after));
    // The last of the crowd begins about one I/O before the crowd is done.
    let expected = crowd_took + gap.as_u64();
    assert!(took.abs_diff(expected) < 30_000_000, "{took} {expected}");
}

/// The first disk writes and flushes while the second one reads, unless the flush holds up its job.
#[test]
fn a_flush_holds_up_only_a_replay_without_times() {
    let pair = cell(
        "devices = { hdd-7200 = 2 }; array = { level = 'raid0', chunk = '64K', assume_clean = true }",
    );
    let (on_first, on_second) = (
        |n: u64| n * 7919 % 8000 * 32,
        |n: u64| n * 7919 % 8000 * 32 + 16,
    );
    let writes = (0..8).map(|n| io(Write, on_first(n)));
    let reads = (0..12).map(|n| io(Read, on_second(n)));
    let ios: Vec<ReplayedIo> = writes.chain([ReplayedIo::flush()]).chain(reads).collect();
    let timed = |io: &ReplayedIo| io.at(Nanos::default());
    let held = replayed(&pair, ios.clone());
    let at_once = replayed(&pair, ios.iter().map(timed).collect());
    for sample in [&held, &at_once] {
        let counts = (sample.read.ios, sample.write.ios, sample.sync.count);
        assert_eq!(counts, (12, 8, 1));
    }
    let (held, at_once) = (elapsed(&held), elapsed(&at_once));
    assert!(at_once * 10 < held * 8, "{at_once} {held}");
}

/// Returns reads, and writes of one kind.
fn mixed(places: &[(bool, u64)], write: ReplayedAction) -> Vec<ReplayedIo> {
    let action = |writes: bool| if writes { write } else { Read };
    let ios = places.iter();
    ios.map(|(writes, place)| io(action(*writes), *place))
        .collect()
}

/// Returns the flushes of all devices.
fn flushes(sample: &Sample) -> u64 {
    let devices = sample.devices.iter();
    devices.map(|device| device.flushes.unwrap_or(0)).sum()
}

const DURABLE_STACKS: [&str; 10] = [
    "devices = { nvme-ssd = 1 }",
    "devices = { sata-ssd = 1 }",
    "devices = { hdd-7200 = 1 }",
    "devices = { sata-ssd = 2 }; array = { level = 'raid1', assume_clean = true }",
    "devices = { hdd-7200 = 4 }; array = { level = 'raid10', chunk = '64K', assume_clean = true }",
    "devices = { sata-ssd = 3 }; array = { level = 'raid5', chunk = '64K', assume_clean = true }",
    "devices = { sata-ssd = 1 }; filesystem = 'ext4'",
    "devices = { sata-ssd = 1 }; filesystem = 'xfs'",
    "devices = { sata-ssd = 1 }; filesystem = 'btrfs'",
    "devices = { sata-ssd = 1 }; filesystem = 'zfs'",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// The oracle: a load that asks for durability of all its writes (`O_DSYNC`), by the same rules.
    #[test]
    fn durable_writes_are_those_of_a_load_with_dsync(
        places in prop::collection::vec((any::<bool>(), 0_u64..10_000), 1..100),
        depth in 1_u32..16,
        direct in any::<bool>(),
    ) {
        for stack in DURABLE_STACKS {
            let mut case = cell(stack);
            case.workload.load.depth = depth;
            case.workload.load.direct = direct;
            let durable = replayed(&case, mixed(&places, DurableWrite));
            case.workload.load.sync = SyncMode::Dsync;
            let dsync = replayed(&case, mixed(&places, Write));
            prop_assert_eq!(&durable, &dsync, "{}", stack);
            // It asks for no more where all writes are durable.
            let both = replayed(&case, mixed(&places, DurableWrite));
            prop_assert_eq!(&both, &dsync, "{}", stack);
        }
    }
}

/// Only the volatile cache of a device without FUA is flushed, once for each write.
#[test]
fn a_durable_write_is_flushed_where_fua_is_missing() {
    let places: Vec<(bool, u64)> = (0..50).map(|n| (true, n * 7919 % 200_000)).collect();
    let run = |device: &str, cache, engine, write| {
        let mut case = cell(&format!("devices = {{ {device} = 1 }}"));
        case.conditions.write_cache = cache;
        case.workload.load.engine = engine;
        case.workload.load.depth = 1;
        let sample = replayed(&case, mixed(&places, write));
        assert_eq!((sample.write.ios, sample.sync.count), (50, 0));
        (flushes(&sample), elapsed(&sample))
    };
    let missing = ["sata-ssd", "hdd-7200"].map(|device| (device, 50));
    for (device, flushes) in missing.into_iter().chain([("nvme-ssd", 0)]) {
        for engine in [Engine::Libaio, Engine::Psync] {
            let plain = run(device, None, engine, Write);
            let durable = run(device, None, engine, DurableWrite);
            assert_eq!((plain.0, durable.0), (0, flushes), "{device}");
            assert!(durable.1 > plain.1, "{device}: {durable:?} {plain:?}");
        }
        let off = Some(WriteCache::Off);
        let [plain, durable] =
            [Write, DurableWrite].map(|write| run(device, off, Engine::Libaio, write));
        assert_eq!((plain, plain.0), (durable, 0), "{device}");
    }
}

#[test]
fn an_io_without_data_and_a_flush_with_data_are_refused() {
    let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 12, 0));
    let with_data = ReplayedIo {
        length_bytes: Bytes::new(4096),
        ..ReplayedIo::flush()
    };
    let without = ReplayedIo::new(Read, Bytes::new(0), Bytes::new(0));
    for wrong in [with_data, without] {
        let replay = Replay {
            jobs: vec![vec![wrong]],
            ..Replay::default()
        };
        let refused = model.replay(&on_flash(), 1, Arc::new(replay), &mut NeverCancel);
        let problem = refused.unwrap_err().to_string();
        assert!(
            problem.contains("not a whole number of sectors"),
            "{problem}"
        );
    }
}
