//! A member fails while the load runs: no I/O may get lost, the remaining members serve the load,
//! and the rebuild writes exactly the missing data.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use stripewise_profiles::device::DeviceProfile;
use stripewise_sim::array::raid10::{Layout, Raid10};
use stripewise_sim::engine::{Ending, Limits, Setup};
use stripewise_sim::io::{Member, Place};
use stripewise_sim::units::Sectors;
use stripewise_study::failure::{Failure, Repair, Replacement};
use stripewise_study::sample::Sample;
use stripewise_study::series::Happened;
use stripewise_study::stack::{Bitmap, Level};
use stripewise_study::workload::Pattern;
use stripewise_study::world::NeverCancel;
use stripewise_study::world::{Replay, ReplayedAction, ReplayedIo};
use stripewise_units::{Bytes, Nanos};

use crate::support::*;

/// The data area of a small device of 64 MiB: the first MiB is for superblock and bitmap.
const MEMBER: u64 = 63 * MIB;

fn small(profile: DeviceProfile) -> DeviceProfile {
    DeviceProfile {
        capacity_bytes: 64 * MIB,
        ..profile
    }
}

/// A gigabyte, of which the array uses 64 MiB.
fn larger(profile: DeviceProfile) -> DeviceProfile {
    DeviceProfile {
        capacity_bytes: GIB,
        ..profile
    }
}

fn small_array(level: Level, layout: Option<&str>, members: u32) -> Case {
    let mut case = Case::array(level, layout, members).on(members, &small(ssd()));
    case.workload.load.size_bytes = Bytes::new(8 * MIB);
    case
}

fn failure(at_us: u64, device: u32) -> Failure {
    Failure {
        name: "pulled".to_owned(),
        at_ns: Nanos::new(at_us * 1000),
        device,
        repair: None,
        sync_speed_min_bytes_per_s: None,
        sync_speed_max_bytes_per_s: None,
        until_rebuilt: false,
    }
}

fn repaired(failure: Failure, at_us: u64, with: Replacement) -> Failure {
    Failure {
        repair: Some(Repair {
            at_ns: Nanos::new(at_us * 1000),
            with,
        }),
        ..failure
    }
}

impl Case {
    fn failing(mut self, failure: Failure) -> Self {
        self.conditions.failure = Some(failure);
        self
    }

    fn bitmap(mut self, chunk: u64) -> Self {
        if let Some(array) = &mut self.stack.array {
            array.bitmap = Bitmap::Internal {
                chunk_bytes: Some(Bytes::new(chunk)),
            };
        }
        self
    }

    /// Simulates for `millis`, even if the rate is steady earlier.
    fn run_for(&self, millis: u64) -> Sample {
        let mut simulation = self.build();
        let ending = simulation.run(
            &Limits {
                duration: Nanos::from_millis(millis),
                half_width: 0.0,
                ..Limits::default()
            },
            &mut NeverCancel,
        );
        assert_eq!(ending, Ending::Complete);
        simulation.sample()
    }
}

fn happened(sample: &Sample) -> Vec<Happened> {
    sample.events.iter().map(|event| event.what).collect()
}

/// Returns the rebuilt bytes.
fn rebuilt(sample: &Sample) -> u64 {
    let done = sample.events.iter().find_map(|event| match event.what {
        Happened::RebuildDone { rebuilt_bytes } => rebuilt_bytes,
        _ => None,
    });
    done.expect("a rebuild that is done").as_u64()
}

/// Returns how long the rebuild took.
fn rebuild_seconds(sample: &Sample) -> f64 {
    let at = |index: usize| sample.events[index].at_ns.as_secs_f64();
    at(3) - at(2)
}

const REDUNDANT: [(Level, Option<&str>, u32); 8] = [
    (Level::Raid1, None, 2),
    (Level::Raid1, None, 3),
    (Level::Raid10, Some("n2"), 4),
    (Level::Raid10, Some("f2"), 4),
    (Level::Raid10, Some("o2"), 5),
    (Level::Raid4, None, 4),
    (Level::Raid5, None, 4),
    (Level::Raid6, None, 6),
];

#[test]
fn a_member_works_as_usual_until_it_fails_and_not_at_all_after() {
    for (level, layout, members) in REDUNDANT {
        for pattern in [Pattern::RandRead, Pattern::RandWrite, Pattern::Read] {
            let case = Case::array(level, layout, members)
                .pattern(pattern, 16 * KIB)
                .depth(1, 8)
                .size(64 * MIB);
            // Long after the sample.
            let before = case.clone().failing(failure(3_600_000_000, 1)).run_for(100);
            let mut failure = failure(0, 1);
            failure.at_ns = before.elapsed_ns;
            let sample = case.clone().failing(failure).run_for(200);
            let name = format!("{level} {layout:?} {pattern}");
            let of = |sample: &Sample| (sample.devices[1].reads, sample.devices[1].writes);
            let ((reads, writes), (reads_before, writes_before)) = (of(&sample), of(&before));
            // Requests in flight complete with an error, and count. Blocks of 16K are many bios on
            // parity arrays.
            let in_flight = 8 * 8;
            assert!(
                reads_before <= reads && reads <= reads_before + in_flight,
                "{name}"
            );
            assert!(
                writes_before <= writes && writes <= writes_before + in_flight,
                "{name}"
            );
            assert_eq!(
                happened(&sample),
                [Happened::Failed { device: 1 }],
                "{name}"
            );
            assert_eq!(sample.events[0].at_ns, before.elapsed_ns);
            let series = sample.series.as_ref().unwrap();
            let first = series.bytes_per_s(Nanos::default(), before.elapsed_ns);
            let healthy = bandwidth(&before);
            assert!(
                is_near(first.unwrap(), healthy, 5.0),
                "{name}: {first:?} and {healthy}"
            );
        }
    }
}

#[test]
fn a_failure_at_the_start_equals_a_member_failed_before() {
    for (level, layout, members) in REDUNDANT {
        let case = small_array(level, layout, members).depth(2, 4);
        for pattern in [Pattern::RandRead, Pattern::RandWrite] {
            let case = case.clone().pattern(pattern, 16 * KIB);
            let sample = case.clone().failing(failure(0, 1)).run(300);
            assert_eq!(
                sample.devices,
                case.fail(1).run(300).devices,
                "{level} {pattern}"
            );
        }
    }
}

#[test]
fn reads_outstanding_at_a_failing_member_are_read_from_another() {
    for (level, layout, members) in [
        (Level::Raid1, None, 2),
        (Level::Raid10, Some("n2"), 4),
        (Level::Raid10, Some("f2"), 3),
    ] {
        let case = small_array(level, layout, members)
            .depth(1, 16)
            .pattern(Pattern::RandRead, 64 * KIB);
        // In the middle of the first reads.
        let sample = case.failing(failure(60, 0)).run(16);
        let (read, _) = member_bytes(&sample);
        let asked = sample.devices[0].read_bytes.as_u64();
        assert!(asked > 0, "{level}: requests were in flight");
        assert_eq!(
            read,
            sample.read.bytes.as_u64() + asked,
            "{level} {layout:?}"
        );
    }
}

#[test]
fn reads_that_bypass_the_stripe_cache_are_reconstructed_when_their_member_fails() {
    let members = 5;
    let case = small_array(Level::Raid5, None, members)
        .depth(1, 16)
        .pattern(Pattern::RandRead, 4 * KIB);
    let sample = case.failing(failure(60, 2)).run(16);
    let asked = sample.devices[2].reads;
    assert!(asked > 0, "requests were in flight");
    let all: u64 = each(&sample, |device| device.reads).iter().sum();
    assert_eq!(all, 16 + asked * u64::from(members - 1));
}

#[test]
fn a_new_device_is_written_from_end_to_end() {
    for (level, layout, members) in REDUNDANT {
        let failure = repaired(failure(1000, 1), 2000, Replacement::New);
        let sample = small_array(level, layout, members).failing(failure).run(64);
        let size = match (level, layout) {
            // Whole chunks, as many in each half.
            (Level::Raid10, _) => MEMBER / (32 * KIB) * (32 * KIB),
            _ => MEMBER,
        };
        assert_eq!(rebuilt(&sample), size, "{level} {layout:?}");
        let writes = &sample.devices[1].write_bytes;
        assert_eq!(writes.as_u64(), size, "{level} {layout:?}");
        let series = sample.series.as_ref().unwrap();
        assert_eq!(series.rebuilt_bytes.iter().sum::<u64>(), size);
        let words = happened(&sample);
        assert_eq!(
            words[..2],
            [
                Happened::Failed { device: 1 },
                Happened::Replaced { device: 1 },
            ]
        );
        assert!(
            matches!(words[2], Happened::RebuildBegan { size_bytes } if size_bytes.as_u64() == size)
        );
        assert_eq!(words.len(), 4);
    }
}

#[test]
fn an_idle_array_rebuilds_at_its_speed_limit() {
    for level in [Level::Raid1, Level::Raid10, Level::Raid5] {
        let members = if level == Level::Raid1 { 2 } else { 4 };
        let mut failure = repaired(failure(1000, 1), 2000, Replacement::New);
        failure.sync_speed_max_bytes_per_s = Some(Bytes::new(10 * MIB));
        let case = small_array(level, None, members).on(members, &larger(ssd()));
        let sample = case.failing(failure).run(16);
        // md computes the speed in whole seconds, and raid10 sends 32 MiB of requests at once.
        let seconds = rebuild_seconds(&sample);
        assert!(is_near(seconds, 102.3, 5.0), "{level}: {seconds} s");
    }
}

#[test]
fn under_load_a_parity_array_is_rebuilt_within_its_limits_too() {
    for level in [Level::Raid5, Level::Raid6] {
        let members = 4;
        let mut failure = repaired(failure(100_000, 1), 200_000, Replacement::New);
        failure.sync_speed_max_bytes_per_s = Some(Bytes::new(100 * MIB));
        failure.until_rebuilt = true;
        let case = small_array(level, None, members).on(members, &larger(ssd()));
        let case = case
            .depth(1, 4)
            .pattern(Pattern::RandWrite, 64 * KIB)
            .failing(failure);
        let sample = case.run_for(500);
        let seconds = rebuild_seconds(&sample);
        assert!((9.0..20.0).contains(&seconds), "{level}: {seconds} s");
        // The sample lasted until then.
        let elapsed = sample.elapsed_ns.as_secs_f64();
        assert!(
            elapsed > seconds && elapsed < seconds + 1.0,
            "{level}: {elapsed} s"
        );
        let series = sample.series.as_ref().unwrap();
        let healthy = series
            .bytes_per_s(Nanos::default(), Nanos::from_millis(100))
            .unwrap();
        let middle = series
            .bytes_per_s(Nanos::from_millis(1000), Nanos::from_millis(9000))
            .unwrap();
        assert!(
            middle < healthy,
            "{level}: {healthy} before, {middle} meanwhile"
        );
    }
}

/// Returns a mirror with a load on the part that is rebuilt first.
fn mirror_under_load(level: Level, pattern: Pattern) -> Case {
    let members = if level == Level::Raid1 { 2 } else { 4 };
    let mut failure = repaired(failure(100_000, 1), 200_000, Replacement::New);
    failure.sync_speed_min_bytes_per_s = Some(Bytes::new(100 * MIB));
    let case = small_array(level, None, members).depth(1, 4);
    case.pattern(pattern, 16 * KIB).failing(failure)
}

#[test]
fn under_load_a_mirror_is_rebuilt_a_request_every_two_ticks_whatever_its_limits() {
    // raid10's requests end with its chunks of 32 KiB.
    for (level, request) in [(Level::Raid1, 64 * KIB), (Level::Raid10, 32 * KIB)] {
        let sample = mirror_under_load(level, Pattern::RandWrite).run_for(20_000);
        let seconds = rebuild_seconds(&sample);
        let ticks = 2 * MEMBER / request;
        let expected = std::time::Duration::from_millis(4 * ticks).as_secs_f64();
        assert!(
            is_near(seconds, expected, 5.0),
            "{level}: {seconds} s, not {expected} s"
        );
    }
}

#[test]
fn reads_stall_the_rebuild_of_a_raid1_in_their_barrier_unit() {
    // Linux 6.1 did the same under fio: nothing was rebuilt in 4 s.
    let sample = mirror_under_load(Level::Raid1, Pattern::RandRead).run_for(3000);
    let reached = sample.events.iter().find_map(|event| match event.what {
        Happened::RebuildUnfinished { reached_bytes, .. } => Some(reached_bytes),
        _ => None,
    });
    assert_eq!(reached, Some(Bytes::new(0)));
}

/// Simulates `case` with one I/O after the other at these blocks, while member 1 is missing.
fn missed(case: &Case, blocks: &[u64]) -> Sample {
    let case = case
        .clone()
        .failing(repaired(failure(0, 1), 3_000_000, Replacement::Same));
    let ios = blocks.iter().map(|block| {
        let (offset, length) = (Bytes::new(block * 16 * KIB), Bytes::new(16 * KIB));
        ReplayedIo::new(ReplayedAction::Write, offset, length)
    });
    let replay = Replay {
        jobs: vec![ios.collect()],
        ..Replay::default()
    };
    let setup = Setup {
        stack: &case.stack,
        workload: &case.workload,
        conditions: &case.conditions,
        devices: case.devices.iter().collect(),
        host: &case.host,
        kernel: case.kernel,
        failed: Vec::new(),
        rebuilding: false,
        seed: 1,
        replay: Some(Arc::new(replay)),
    };
    let mut simulation = setup.build().unwrap();
    simulation.run_ios(blocks.len() as u64);
    simulation.sample()
}

/// Returns how many bytes of member 1 the bits cover that these writes set.
fn missed_bytes(level: Level, layout: Option<&str>, bit: u64, blocks: &[u64]) -> u64 {
    let (members, row) = (4, 3 * 32 * KIB);
    let in_bits = |from: u64, end: u64| (from / bit..end.div_ceil(bit)).collect::<Vec<u64>>();
    let bits: BTreeSet<u64> = blocks
        .iter()
        .flat_map(|block| {
            let (from, end) = (block * 16 * KIB, (block + 1) * 16 * KIB);
            match level {
                // The block itself, on its member: only 6.14 and later mark whole rows.
                Level::Raid5 => {
                    let place = from / row * 32 * KIB + from % (32 * KIB);
                    in_bits(place, place + 16 * KIB)
                }
                _ => in_bits(from, end),
            }
        })
        .collect();
    let Level::Raid10 = level else {
        return bits
            .iter()
            .map(|number| bit.min(MEMBER - number * bit))
            .sum();
    };
    let layout = Layout::parse(layout.unwrap()).unwrap();
    let size = Sectors::from_bytes(Bytes::new(MEMBER));
    let map = Raid10::new(layout, members, Bytes::new(32 * KIB), size).unwrap();
    let blocks_of_member = (0..map.used().get()).step_by(8).filter(|sector| {
        let place = Place {
            member: Member(1),
            sector: Sectors::new(*sector),
        };
        let sector = map.find_virtual(place);
        sector.is_some_and(|sector| bits.contains(&(sector.bytes().as_u64() / bit)))
    });
    blocks_of_member.count() as u64 * 4 * KIB
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_re_added_device_gets_the_ranges_marked_in_the_bitmap(
        blocks in prop::collection::btree_set(0_u64..512, 1..20),
        bit_shift in 14_u32..21,
        which in 0_usize..5,
    ) {
        let (level, layout) = [
            (Level::Raid1, None),
            (Level::Raid10, Some("n2")),
            (Level::Raid10, Some("f2")),
            (Level::Raid10, Some("o2")),
            (Level::Raid5, None),
        ][which];
        let members = if level == Level::Raid1 { 2 } else { 4 };
        let blocks: Vec<u64> = blocks.into_iter().collect();
        let bit = 1 << bit_shift;
        let case = small_array(level, layout, members).pattern(Pattern::RandWrite, 16 * KIB).bitmap(bit);
        let sample = missed(&case, &blocks);
        prop_assert_eq!(sample.write.ios, blocks.len() as u64);
        prop_assert_eq!(rebuilt(&sample), missed_bytes(level, layout, bit, &blocks));
    }

    /// Whichever member fails and when: every I/O returns to its job, and the rebuild ends.
    #[test]
    fn no_io_is_lost_when_a_member_fails(
        which in 0_usize..8,
        pattern in 0_usize..5,
        block_kib in prop::sample::select(vec![4_u64, 16, 60, 256]),
        (jobs, depth) in (1_u32..4, 1_u32..24),
        device in 0_u32..2,
        (at_us, gap_us) in (0_u64..6000, 500_u64..4000),
        same in any::<bool>(),
        kind in 0_usize..3,
        seed in any::<u64>(),
    ) {
        let (level, layout, members) = REDUNDANT[which];
        let pattern = [Pattern::Read, Pattern::Write, Pattern::RandRead, Pattern::RandWrite, Pattern::RandRw][pattern];
        let profile = small([ssd(), uneven_ssd(), flash()][kind].clone());
        let with = if same { Replacement::Same } else { Replacement::New };
        let mut case = small_array(level, layout, members)
            .on(members, &profile)
            .pattern(pattern, block_kib * KIB)
            .depth(jobs, depth)
            .seed(seed);
        if same {
            case = case.bitmap(64 * KIB);
        }
        let failure = repaired(failure(at_us, device), at_us + gap_us, with);
        let sample = case.failing(failure).run(300);
        prop_assert_eq!(sample.read.ios + sample.write.ios, 300);
        let words = happened(&sample);
        prop_assert!(matches!(words.last(), Some(Happened::RebuildDone { .. })), "{:?}", words);
        let series = sample.series.as_ref().unwrap();
        prop_assert_eq!(series.bytes().iter().sum::<u64>(), sample.bytes().as_u64());
    }
}

#[test]
fn a_failure_has_the_same_bits_each_time() {
    let failure = repaired(failure(30_000, 2), 60_000, Replacement::New);
    let case = Case::array(Level::Raid5, None, 4)
        .depth(2, 8)
        .pattern(Pattern::RandWrite, 16 * KIB)
        .failing(failure);
    assert_eq!(case.run_for(200), case.run_for(200));
}

#[test]
fn a_failure_that_loses_data_is_refused() {
    let first = failure(1000, 1);
    let mut same = repaired(first.clone(), 2000, Replacement::Same);
    for case in [
        Case::array(Level::Raid0, None, 3).failing(first.clone()),
        Case::single().failing(first.clone()),
        Case::array(Level::Raid1, None, 2).failing(failure(1000, 2)),
        Case::array(Level::Raid1, None, 2)
            .fail(0)
            .failing(first.clone()),
        Case::array(Level::Raid5, None, 4)
            .fail(0)
            .failing(first.clone()),
        Case::array(Level::Raid10, Some("n2"), 4)
            .fail(0)
            .failing(first.clone()),
        Case::array(Level::Raid10, Some("n2"), 4)
            .fail(1)
            .failing(first.clone()),
        Case::array(Level::Raid1, None, 2).failing(same.clone()),
    ] {
        let name = case.stack.summary();
        assert!(
            case.try_build().is_err(),
            "{name} without {:?}",
            case.failed
        );
    }
    same.at_ns = Nanos::default();
    let fine = Case::array(Level::Raid10, Some("n2"), 4)
        .fail(2)
        .failing(first);
    assert!(fine.try_build().is_ok());
}
