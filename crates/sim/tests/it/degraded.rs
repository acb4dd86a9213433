//! Guards against degraded arrays that read from a missing member.

use stripewise_study::stack::Level;
use stripewise_study::workload::Pattern;

use crate::support::*;

#[test]
fn mirrors_do_not_read_from_a_failed_member() {
    for (level, layout, members) in [
        (Level::Raid1, None, 2),
        (Level::Raid1, None, 3),
        (Level::Raid10, Some("n2"), 4),
        (Level::Raid10, Some("f2"), 4),
        (Level::Raid10, Some("o2"), 5),
    ] {
        let case = Case::array(level, layout, members).fail(0).depth(2, 4);
        let sample = case.clone().pattern(Pattern::RandRead, 64 * KIB).run(600);
        let (read, _) = member_bytes(&sample);
        assert_eq!(read, sample.read.bytes.as_u64(), "{level} {layout:?}");
        assert_eq!((sample.devices[0].reads, sample.devices[0].writes), (0, 0));
        let sample = case.pattern(Pattern::RandWrite, 64 * KIB).run(600);
        assert_eq!((sample.devices[0].reads, sample.devices[0].writes), (0, 0));
        assert!(sample.devices[1].writes > 0);
    }
}

#[test]
fn a_near_pair_with_one_member_reads_everything_from_the_other() {
    let sample = Case::array(Level::Raid10, Some("n2"), 4).fail(0).run(2000);
    let reads = each(&sample, |device| device.reads);
    assert_eq!((reads[0], reads[3]), (0, 0));
    assert_eq!(reads[1] + reads[2], 2000);
}

#[test]
fn raid5_reads_of_a_missing_block_need_all_other_members() {
    let members = 5;
    let case = Case::array(Level::Raid5, None, members)
        .fail(1)
        .size(64 * MIB);
    let sample = case.run(4000);
    let reads = each(&sample, |device| device.reads);
    assert_eq!(reads[1], 0);
    // A fifth of the data was on the missing member, and each such block takes four reads. Blocks
    // that the cache still holds are not read again.
    let healthy = 4000 * 4 / 5;
    let rebuilt = 4000 - healthy;
    let expected = healthy + rebuilt * 4;
    let total: u64 = reads.iter().sum();
    assert!(
        total.abs_diff(expected) * 100 <= expected * 5,
        "{total} of {expected}"
    );
}

#[test]
fn raid6_survives_two_failures() {
    let case = Case::array(Level::Raid6, None, 6)
        .fail(1)
        .fail(4)
        .size(64 * MIB);
    for pattern in [Pattern::RandRead, Pattern::RandWrite, Pattern::Write] {
        let sample = case.clone().pattern(pattern, 16 * KIB).depth(1, 4).run(400);
        for failed in [1, 4] {
            let device = &sample.devices[failed];
            assert_eq!((device.reads, device.writes), (0, 0), "{pattern}");
        }
    }
}

#[test]
fn a_stack_that_lost_data_is_refused() {
    let lost = [
        Case::single().fail(0),
        Case::array(Level::Linear, None, 2).fail(1),
        Case::array(Level::Raid0, None, 3).fail(1),
        Case::array(Level::Raid1, None, 2).fail(0).fail(1),
        Case::array(Level::Raid10, Some("n2"), 4).fail(2).fail(3),
        Case::array(Level::Raid10, Some("f2"), 4).fail(3).fail(0),
        Case::array(Level::Raid5, None, 4).fail(0).fail(1),
    ];
    for case in lost {
        let name = case.stack.summary();
        let failed = &case.failed;
        assert!(case.try_build().is_err(), "{name} without {failed:?}");
    }
    // One of each pair is enough.
    let half = Case::array(Level::Raid10, Some("n2"), 4).fail(1).fail(2);
    assert_eq!(half.run(100).read.ios, 100);
}
