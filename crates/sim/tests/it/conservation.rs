//! Guards against I/O that appears, disappears or moves faster than its link.
//!
//! Stacks and loads are random. Every I/O runs to its end, so that the requested bytes can be
//! compared with those of the members.

use proptest::prelude::*;
use stripewise_sim::engine::{Ending, Limits};
use stripewise_study::sample::Sample;
use stripewise_study::stack::{Level, Volume};
use stripewise_study::workload::Pattern;
use stripewise_study::world::NeverCancel;
use stripewise_units::{Bytes, Nanos};

use crate::support::*;

/// The stack under the load.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Single,
    Linear,
    Striped,
    Array(Level, Option<&'static str>, u32),
}

impl Shape {
    fn case(self, chunk: u64) -> Case {
        let volume = |volume| Case::single().on(3, &ssd()).volume(volume);
        match self {
            Shape::Single => Case::single(),
            Shape::Linear => volume(Volume::Linear),
            Shape::Striped => volume(Volume::Striped {
                stripes: 3.try_into().unwrap(),
                stripe_bytes: Bytes::new(chunk),
            }),
            Shape::Array(level, layout, members) => {
                Case::array(level, layout, members).chunk(chunk)
            }
        }
    }

    fn copies(self) -> Option<u64> {
        match self {
            Shape::Array(Level::Raid1, _, members) => Some(members.into()),
            Shape::Array(Level::Raid10, Some("n3"), _) => Some(3),
            Shape::Array(Level::Raid10, ..) => Some(2),
            Shape::Array(Level::Raid4 | Level::Raid5 | Level::Raid6, ..) => None,
            _ => Some(1),
        }
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let raid10 = |layout, members| Shape::Array(Level::Raid10, Some(layout), members);
    prop::sample::select(vec![
        Shape::Single,
        Shape::Linear,
        Shape::Striped,
        Shape::Array(Level::Linear, None, 2),
        Shape::Array(Level::Raid0, None, 3),
        Shape::Array(Level::Raid0, None, 4),
        Shape::Array(Level::Raid1, None, 2),
        Shape::Array(Level::Raid1, None, 4),
        raid10("n2", 4),
        raid10("n2", 5),
        raid10("n3", 5),
        raid10("f2", 3),
        raid10("o2", 4),
        raid10("o2", 5),
        Shape::Array(Level::Raid5, None, 3),
        Shape::Array(Level::Raid5, None, 5),
        Shape::Array(Level::Raid6, None, 5),
    ])
}

/// A load on a stack, small enough to run to its end.
#[derive(Debug, Clone)]
struct Drawn {
    shape: Shape,
    case: Case,
    ios: u64,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let patterns = [
        Pattern::Read,
        Pattern::Write,
        Pattern::RandRead,
        Pattern::RandWrite,
        Pattern::Rw,
        Pattern::RandRw,
    ];
    let load = (
        prop::sample::select(patterns.to_vec()),
        prop::sample::select(vec![1_u64, 4, 8, 12, 64, 100, 256, 1024]),
        1_u32..4,
        prop::sample::select(vec![1_u32, 2, 7, 32]),
    );
    let stack = (
        shapes(),
        prop::sample::select(vec![4_u64, 16, 64, 512]),
        prop::sample::select(vec![PUBLISHED, LAB]),
        any::<bool>(),
    );
    (stack, load, any::<u64>()).prop_map(|((shape, chunk, kernel, uneven), load, seed)| {
        let (pattern, block, jobs, depth) = load;
        let members = u32::try_from(shape.case(4 * KIB).devices.len()).unwrap();
        let profile = if uneven { uneven_ssd() } else { ssd() };
        let mut case = shape.case(chunk * KIB).on(members, &profile);
        case.kernel = kernel;
        let case = case
            .pattern(pattern, block * KIB)
            .size(64 * MIB)
            .depth(jobs, depth)
            .seed(seed);
        let ios = (8 * MIB / (block * KIB)).clamp(24, 300);
        Drawn { shape, case, ios }
    })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 160,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Checks the properties of every sample.
fn check_sample(sample: &Sample) -> Result<(), TestCaseError> {
    for transfer in [&sample.read, &sample.write] {
        prop_assert_eq!(transfer.latency.histogram.count(), transfer.ios);
        prop_assert_eq!(transfer.latency.count, transfer.ios);
    }
    let elapsed = sample.elapsed_ns.as_u64();
    for device in &sample.devices {
        prop_assert!(
            device.busy_ns.as_u64() <= elapsed,
            "{} is too busy",
            device.device
        );
        let bytes = as_f64(device.read_bytes.as_u64() + device.write_bytes.as_u64());
        let rate = bytes / sample.elapsed_ns.as_secs_f64();
        prop_assert!(
            rate <= 500_000_001.0,
            "{} carries {rate} B/s",
            device.device
        );
    }
    let breakdown = sample.breakdown.as_ref().unwrap();
    let parts: f64 = breakdown.mean.iter().map(|part| part.time_ns).sum();
    let mean = mean_ns(sample);
    // Shares of several requests are rounded down to nanoseconds, part by part.
    prop_assert!(
        (parts - mean).abs() <= 8.0,
        "the parts are {parts} ns of {mean}"
    );
    for (device, sequential) in sample.devices.iter().zip(&breakdown.sequentiality) {
        prop_assert!(sequential.sequential_reads <= device.reads);
        prop_assert!(sequential.sequential_writes <= device.writes);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn members_move_the_requested_bytes_times_the_copies_within_their_links(drawn in drawn()) {
        let sample = drawn.case.run(drawn.ios);
        check_sample(&sample)?;
        prop_assert_eq!(sample.read.ios + sample.write.ios, drawn.ios);
        let (read, written) = member_bytes(&sample);
        let (asked_read, asked_written) = (sample.read.bytes.as_u64(), sample.write.bytes.as_u64());
        match drawn.shape.copies() {
            Some(copies) => {
                prop_assert_eq!(read, asked_read);
                prop_assert_eq!(written, asked_written * copies);
            }
            None => {
                prop_assert!(read >= asked_read, "{read} < {asked_read}");
                // Writes that wait in the same stripe at once are combined.
                let jobs_and_depth = drawn.case.workload.load.jobs * drawn.case.workload.load.depth;
                if jobs_and_depth == 1 && asked_read == 0 {
                    prop_assert!(written >= asked_written, "{written} < {asked_written}");
                }
            }
        }
    }
}

#[test]
fn full_stripes_write_parity_once_and_read_nothing() {
    for (level, members, parities) in [
        (Level::Raid4, 4, 1),
        (Level::Raid5, 3, 1),
        (Level::Raid5, 5, 1),
        (Level::Raid6, 6, 2),
    ] {
        let data = u64::from(members) - parities;
        let row = data * 32 * KIB;
        let case = Case::array(level, None, members)
            .pattern(Pattern::Write, row)
            .size(64 * row);
        let sample = case.run(64);
        let (read, written) = member_bytes(&sample);
        assert_eq!(read, 0, "{level} of {members}");
        assert_eq!(
            written,
            64 * row / data * u64::from(members),
            "{level} of {members}"
        );
        let requests = each(&sample, |device| device.writes + device.write_merges);
        let blocks = each(&sample, |device| device.write_bytes.as_u64() / (4 * KIB));
        assert_eq!(requests, blocks, "each block is a request or was merged");
    }
}

#[test]
fn servers_bound_the_rate_of_small_requests() {
    let profile = changed(ssd(), |profile| profile.read.servers = 2);
    let sample = Case::single().on(1, &profile).depth(1, 32).run(4000);
    // 112288 ns each, of which 8192 ns on the link: two at a time.
    let bound = 2.0 / (112_288.0 - 8_192.0) * 1e9;
    assert!(iops(&sample) <= bound, "{} above {bound}", iops(&sample));
    assert!(
        is_near(iops(&sample), bound, 1.0),
        "{} far below {bound}",
        iops(&sample)
    );
}

#[test]
fn the_link_bounds_large_requests_and_is_busy_for_its_bytes() {
    let sample = Case::single()
        .pattern(Pattern::Read, 128 * KIB)
        .depth(1, 32)
        .run(2000);
    assert!(
        is_near(bandwidth(&sample), 500e6, 2.0),
        "{}",
        bandwidth(&sample)
    );
    let half = Case::single()
        .on(1, &uneven_ssd())
        .pattern(Pattern::RandRead, 64 * KIB)
        .depth(1, 2)
        .run(2000);
    let carried = bandwidth(&half) / 500e6;
    let busy = busy_share(&half, "link of disk0");
    assert!(
        is_near(busy, carried, 1.0),
        "busy {busy}, carried {carried}"
    );
}

#[test]
fn the_uplink_bounds_all_members_together() {
    for (block, depth, megabytes) in [
        (4, 32, 100),
        (128, 4, 800),
        (1024, 32, 800),
        (1024, 32, 200),
    ] {
        let case = Case::array(Level::Raid0, None, 4)
            .chunk(MIB)
            .host(host_with_uplink(megabytes * 1_000_000));
        let case = case
            .pattern(Pattern::RandRead, block * KIB)
            .depth(4, depth)
            .size(8 * GIB);
        let ios = (400 * MIB / (block * KIB)).min(20_000);
        let sample = case.run(ios);
        let cap = as_f64(megabytes * 1_000_000);
        let rate = bandwidth(&sample);
        assert!(
            rate <= cap * 1.01,
            "{block}K at depth {depth}: {rate} above {cap}"
        );
        assert!(
            rate >= cap * 0.9,
            "{block}K at depth {depth}: {rate} far below {cap}"
        );
    }
}

#[test]
fn closed_loops_obey_littles_law() {
    let levels = [
        Case::single(),
        Case::array(Level::Raid0, None, 3),
        Case::array(Level::Raid1, None, 2),
        Case::array(Level::Raid10, Some("f2"), 4),
        Case::array(Level::Raid5, None, 4),
    ];
    for case in levels {
        let members = u32::try_from(case.devices.len()).unwrap();
        for (jobs, depth) in [(1, 1), (3, 1), (1, 8), (2, 16)] {
            for pattern in [Pattern::RandRead, Pattern::RandWrite, Pattern::Read] {
                let case = case.clone().on(members, &uneven_ssd());
                let case = case.pattern(pattern, 8 * KIB).depth(jobs, depth);
                let sample = case.run(3000);
                let under_way = mean_ns(&sample) * iops(&sample) / 1e9;
                let depth = f64::from(jobs * depth);
                // Between completion and the next submission an I/O is only at the CPU, and not in
                // flight.
                assert!(
                    under_way <= depth * 1.0001,
                    "{} {pattern}: {under_way} of {depth}",
                    case.stack.summary()
                );
                assert!(
                    under_way >= depth * 0.97,
                    "{} {pattern}: {under_way} of {depth}",
                    case.stack.summary()
                );
            }
        }
    }
}

#[test]
fn a_steady_simulation_gives_the_rate_of_a_long_one() {
    let case = Case::array(Level::Raid10, Some("n2"), 4)
        .on(4, &uneven_ssd())
        .depth(1, 8);
    let mut simulation = case.build();
    let ending = simulation.run(
        &Limits {
            duration: Nanos::from_millis(60_000),
            ..Limits::default()
        },
        &mut NeverCancel,
    );
    assert_eq!(ending, Ending::Complete);
    let sample = simulation.sample();
    check_sample(&sample).unwrap();
    let long = case.run(60_000);
    assert!(
        is_near(iops(&sample), iops(&long), 2.0),
        "{} against {}",
        iops(&sample),
        iops(&long)
    );
}

#[test]
fn healthy_reads_take_one_request_for_each_chunk_and_none_is_lost() {
    for (members, block_size) in [
        (3, 4 * KIB),
        (3, 64 * KIB),
        (3, 512 * KIB),
        (4, MIB),
        (5, 3 * MIB),
    ] {
        let case = Case::array(Level::Raid5, None, members).pattern(Pattern::Read, block_size);
        let sample = case.size(96 * MIB).run(32);
        let (read, written) = member_bytes(&sample);
        assert_eq!(
            (read, written),
            (32 * block_size, 0),
            "{members} members, {block_size}"
        );
    }
}

#[test]
fn reads_that_are_too_long_for_a_member_are_done_when_their_last_part_is() {
    let mut profile = ssd();
    profile.request_bytes_max = Some(64 * KIB);
    let case = Case::array(Level::Raid5, None, 4)
        .on(4, &profile)
        .chunk(512 * KIB);
    let sample = case
        .pattern(Pattern::Read, 512 * KIB)
        .size(96 * MIB)
        .depth(1, 4)
        .run(64);
    let (read, _) = member_bytes(&sample);
    assert_eq!(read, 64 * 512 * KIB);
    // 512 KiB take 1048 us on the link alone.
    let shortest = sample.read.latency.min_ns.unwrap().as_u64();
    assert!(shortest >= 1_048_576, "{shortest} ns");
}
