//! Guards against layers with side effects.
//!
//! An array of one member behaves as its device, a volume that does nothing costs only its CPU
//! time, and two names for the same layout behave alike.

use proptest::prelude::*;
use stripewise_study::sample::{Breakdown, Sample};
use stripewise_study::stack::{Level, Volume};
use stripewise_study::workload::Pattern;
use stripewise_units::Bytes;

use crate::support::*;

const PATTERNS: [Pattern; 6] = [
    Pattern::Read,
    Pattern::Write,
    Pattern::RandRead,
    Pattern::RandWrite,
    Pattern::Rw,
    Pattern::RandRw,
];

/// Returns a sample without its breakdown of the latency, in which the layers' names differ.
fn without_parts(sample: Sample) -> Sample {
    let breakdown = sample.breakdown.map(|breakdown| Breakdown {
        mean: Vec::new(),
        slowest: Vec::new(),
        ..breakdown
    });
    Sample {
        breakdown,
        ..sample
    }
}

/// The same load on two stacks.
#[derive(Debug, Clone)]
struct Loads {
    pattern: Pattern,
    block: u64,
    jobs: u32,
    depth: u32,
}

fn loads() -> impl Strategy<Value = Loads> {
    (
        prop::sample::select(PATTERNS.to_vec()),
        prop::sample::select(vec![4 * KIB, 20 * KIB, 64 * KIB, 192 * KIB]),
        1_u32..3,
        prop::sample::select(vec![1_u32, 3, 16]),
    )
        .prop_map(|(pattern, block, jobs, depth)| Loads {
            pattern,
            block,
            jobs,
            depth,
        })
}

impl Loads {
    fn on(&self, case: Case) -> Case {
        let members = u32::try_from(case.devices.len()).unwrap();
        case.on(members, &uneven_ssd())
            .pattern(self.pattern, self.block)
            .depth(self.jobs, self.depth)
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_array_of_one_member_is_its_device(loads in loads()) {
        let device = loads.on(Case::single()).host(free_host()).run(200);
        for level in [Level::Linear, Level::Raid0, Level::Raid1] {
            // Chunks as large as the file: another test covers the merging of pieces.
            let array = Case::array(level, None, 1).chunk(GIB);
            let array = loads.on(array).host(free_host()).run(200);
            prop_assert_eq!(without_parts(device.clone()), without_parts(array), "{}", level);
        }
    }

    #[test]
    fn pieces_of_one_member_merge_again(loads in loads()) {
        // One chunk after the other on the same disk: each I/O becomes one request again, up to
        // 1280 KiB, where a plug holds the pieces back. That is so for files, and before 4.10 for
        // all targets.
        let mut array = Case::array(Level::Raid0, None, 1);
        array.kernel = PUBLISHED;
        let device = loads.on(Case::single()).host(free_host()).run(200);
        let array = loads.on(array).host(free_host()).run(200);
        let requests = |sample: &Sample| each(sample, |device| (device.reads, device.writes));
        prop_assert_eq!(requests(&device), requests(&array));
        prop_assert_eq!(device.elapsed_ns, array.elapsed_ns);
    }

    #[test]
    fn a_striped_volume_is_a_raid0(loads in loads()) {
        let striped = Volume::Striped {
            stripes: 4.try_into().unwrap(),
            stripe_bytes: Bytes::new(32 * KIB),
        };
        let volume = loads.on(Case::single().on(4, &ssd()).volume(striped));
        let mut array = loads.on(Case::array(Level::Raid0, None, 4));
        // Before 6.1.53 md sends the pieces of a bio in order, as the device mapper does.
        array.kernel = stripewise_units::kernel::KernelVersion::new(5, 15, 0);
        let volume = Case { kernel: array.kernel, ..volume };
        let (volume, array) = (volume.host(free_host()).run(200), array.host(free_host()).run(200));
        prop_assert_eq!(without_parts(volume), without_parts(array));
    }

    #[test]
    fn near_copies_on_two_members_write_like_raid1(
        block in prop::sample::select(vec![4 * KIB, 32 * KIB]),
        depth in prop::sample::select(vec![1_u32, 8]),
    ) {
        let load = |case: Case| {
            let case = case.on(2, &uneven_ssd()).host(free_host());
            case.pattern(Pattern::RandWrite, block).depth(1, depth).run(200)
        };
        let raid10 = load(Case::array(Level::Raid10, Some("n2"), 2));
        let raid1 = load(Case::array(Level::Raid1, None, 2));
        prop_assert_eq!(without_parts(raid10), without_parts(raid1));
    }
}

#[test]
fn an_idle_volume_costs_its_cpu_time_and_nothing_else() {
    for pattern in PATTERNS {
        let case = Case::single().pattern(pattern, 64 * KIB);
        let without = case.run(300);
        let with = case.clone().volume(Volume::Linear).run(300);
        let added = mean_ns(&with) - mean_ns(&without);
        assert!((added - 500.0).abs() < 0.01, "{pattern}: {added} ns");
        let members = |sample: &Sample| each(sample, |device| (device.reads, device.writes));
        assert_eq!(members(&with), members(&without));
    }
}

#[test]
fn an_array_of_one_member_costs_its_cpu_time_and_nothing_else() {
    for pattern in PATTERNS {
        let device = Case::single().pattern(pattern, 32 * KIB).run(300);
        for level in [Level::Linear, Level::Raid0, Level::Raid1] {
            let array = Case::array(level, None, 1)
                .pattern(pattern, 32 * KIB)
                .run(300);
            let added = mean_ns(&array) - mean_ns(&device);
            assert!(
                (added - 500.0).abs() < 0.01,
                "{level} {pattern}: {added} ns"
            );
        }
    }
}

#[test]
fn a_mirror_whose_members_finish_together_is_no_faster_than_one_of_them() {
    let write = |case: Case| mean_ns(&case.pattern(Pattern::RandWrite, 4 * KIB).run(300));
    let one = write(Case::array(Level::Raid1, None, 1));
    let two = write(Case::array(Level::Raid1, None, 2));
    // One more bio and one more completion; the waiting task sleeps in both cases.
    assert!((two - one - 1500.0).abs() < 1.0, "{one} and {two}");
}
