//! Guards against reads on the wrong mirror, the mistake with the largest effect on array results.

use super::*;
use crate::array::raid10::{COPIES_MAX, Layout, Raid10};
use stripewise_units::Bytes;

const NONE: Sectors = Sectors::new(0);

fn ssd() -> Head {
    Head::new(false, NONE)
}

fn disk(position: u64, pending: u32) -> Head {
    Head {
        position: Sectors::new(position),
        pending,
        ..Head::new(true, NONE)
    }
}

fn busy(pending: u32) -> Head {
    Head { pending, ..ssd() }
}

fn broken(head: Head) -> Head {
    Head {
        readable: false,
        ..head
    }
}

/// Returns the slot chosen among copies on members 0, 1, ... at these sectors.
fn slot(
    rule: Raid10ReadBalance,
    layout: (u8, u8),
    heads: &[Head],
    sectors: &[u64],
) -> Option<usize> {
    let candidates: Vec<Place> = (0..)
        .zip(sectors)
        .map(|(member, sector)| Place {
            member: Member(member),
            sector: Sectors::new(*sector),
        })
        .collect();
    let (near_copies, far_copies) = layout;
    let read = Raid10Read {
        rule,
        near_copies,
        far_copies,
        is_unsynced: false,
    };
    choose_raid10(read, heads, &candidates)
}

const NEAR: (u8, u8) = (2, 1);
const FAR: (u8, u8) = (1, 2);

#[test]
fn before_4_10_the_first_near_slot_with_nothing_pending_wins() {
    let near = |heads: &[Head]| slot(Raid10ReadBalance::FirstIdle, NEAR, heads, &[100, 100]);
    assert_eq!(near(&[ssd(), ssd()]), Some(0));
    assert_eq!(
        near(&[disk(500, 0), disk(100, 0)]),
        Some(0),
        "idle beats near"
    );
    assert_eq!(
        near(&[disk(100, 1), disk(900, 0)]),
        Some(1),
        "even a head in place"
    );
    assert_eq!(
        near(&[disk(400, 1), disk(90, 7)]),
        Some(1),
        "both busy: the nearest"
    );
    assert_eq!(
        near(&[busy(3), busy(1)]),
        Some(0),
        "the number pending does not matter"
    );
    assert_eq!(near(&[broken(ssd()), busy(9)]), Some(1));
    assert_eq!(near(&[broken(ssd()), broken(ssd())]), None);
}

#[test]
fn before_5_3_far_copies_are_read_at_the_lowest_address() {
    for rule in [Raid10ReadBalance::FirstIdle, Raid10ReadBalance::IdleIsZero] {
        let far = |heads: &[Head]| slot(rule, FAR, heads, &[100, 5000]);
        assert_eq!(far(&[busy(9), ssd()]), Some(0));
        assert_eq!(far(&[disk(5000, 9), disk(5000, 0)]), Some(0));
        assert_eq!(far(&[broken(ssd()), ssd()]), Some(1));
    }
}

#[test]
fn since_4_10_an_idle_near_copy_counts_as_distance_0() {
    let near = |heads: &[Head]| slot(Raid10ReadBalance::IdleIsZero, NEAR, heads, &[100, 100]);
    assert_eq!(near(&[ssd(), ssd()]), Some(0));
    assert_eq!(near(&[disk(500, 1), disk(100, 0)]), Some(1));
    assert_eq!(
        near(&[disk(100, 1), disk(900, 0)]),
        Some(0),
        "a head in place wins the tie"
    );
    assert_eq!(near(&[disk(400, 1), disk(90, 7)]), Some(1));
}

#[test]
fn since_5_3_the_fewest_pending_among_ssds_wins() {
    let rule = Raid10ReadBalance::FewestPendingIfSsd;
    let near = |heads: &[Head]| slot(rule, NEAR, heads, &[100, 100]);
    assert_eq!(near(&[ssd(), ssd()]), Some(0));
    assert_eq!(near(&[busy(2), busy(1)]), Some(1));
    assert_eq!(
        near(&[busy(1), busy(1)]),
        Some(0),
        "ties go to the lowest slot"
    );
    assert_eq!(
        near(&[disk(100, 0), busy(9)]),
        Some(1),
        "an idle disk does not count"
    );
    assert_eq!(near(&[disk(100, 0), broken(ssd())]), Some(0));
    assert_eq!(
        near(&[disk(400, 1), disk(90, 7)]),
        Some(1),
        "only disks: as before"
    );
    let far = |heads: &[Head]| slot(rule, FAR, heads, &[100, 5000]);
    assert_eq!(far(&[busy(2), busy(1)]), Some(1), "far layouts too");
    assert_eq!(far(&[disk(0, 2), disk(0, 1)]), Some(0));
}

#[test]
fn past_the_resync_position_the_first_readable_copy_is_read() {
    let read = |heads: &[Head]| {
        let candidates = [0, 1].map(|member| Place {
            member: Member(member),
            sector: NONE,
        });
        let read = Raid10Read {
            rule: Raid10ReadBalance::FewestPendingIfSsd,
            near_copies: 2,
            far_copies: 1,
            is_unsynced: true,
        };
        choose_raid10(read, heads, &candidates)
    };
    assert_eq!(read(&[busy(9), ssd()]), Some(0));
    assert_eq!(read(&[broken(ssd()), ssd()]), Some(1));
}

/// Reads 1024 requests of 64K one after the other from four SSDs with chunks of 32K, in a fixed
/// scattered order, and returns how many pieces each member got.
fn depth_1(layout: &str, rule: Raid10ReadBalance) -> [u32; 4] {
    let layout = Layout::parse(layout).unwrap();
    let array = Raid10::new(layout, 4, Bytes::new(32 << 10), Sectors::new(1 << 20)).unwrap();
    let read = Raid10Read {
        rule,
        near_copies: layout.near_copies(),
        far_copies: layout.far_copies(),
        is_unsynced: false,
    };
    let mut heads = [ssd(); 4];
    let mut counts = [0; 4];
    let mut places = [Place::default(); COPIES_MAX];
    for request in 0..1024_u64 {
        let start = request * 613 % 1024 * 128;
        let mut given = Vec::new();
        for chunk in [start, start + 64] {
            let copies = array.find(Sectors::new(chunk), &mut places);
            let slot = choose_raid10(read, &heads, &places[..copies]).unwrap();
            heads[places[slot].member.index()].begin();
            given.push(places[slot]);
        }
        for place in given {
            counts[place.member.index()] += 1;
            heads[place.member.index()].end(place.sector + Sectors::new(64));
        }
    }
    counts
}

#[test]
fn near_layouts_at_depth_1_read_only_the_first_copy_on_6_1() {
    // Counted on a real 6.1 kernel: n2 1024/0/1024/0, f2 and o2 512 each.
    let rule = Raid10ReadBalance::FewestPendingIfSsd;
    assert_eq!(depth_1("n2", rule), [1024, 0, 1024, 0]);
    assert_eq!(depth_1("f2", rule), [512; 4]);
    assert_eq!(depth_1("o2", rule), [512; 4]);
}

#[test]
fn a_request_of_four_chunks_uses_four_disks_on_4_1_and_a_longer_one_no_more() {
    // The published four-SSD study: 128K on chunks of 32K read 32K from each disk; then one mirror
    // of each pair takes all the rest.
    let array = Raid10::new(
        Layout::parse("n2").unwrap(),
        4,
        Bytes::new(32 << 10),
        Sectors::new(1 << 20),
    )
    .unwrap();
    let read = Raid10Read {
        rule: Raid10ReadBalance::FirstIdle,
        near_copies: 2,
        far_copies: 1,
        is_unsynced: false,
    };
    let mut heads = [ssd(); 4];
    heads[0].position = Sectors::new(4096);
    heads[1].position = Sectors::new(64);
    let mut places = [Place::default(); COPIES_MAX];
    let chosen: Vec<u16> = (0..8)
        .map(|chunk| {
            let copies = array.find(Sectors::new(chunk * 64), &mut places);
            let slot = choose_raid10(read, &heads, &places[..copies]).unwrap();
            heads[places[slot].member.index()].begin();
            places[slot].member.0
        })
        .collect();
    assert_eq!(chosen, [0, 2, 1, 3, 1, 2, 1, 2]);
}

fn member(rule: Raid1ReadBalance, heads: &[Head], start: u64) -> Option<u16> {
    let read = Raid1Read {
        rule,
        start: Sectors::new(start),
        is_unsynced: false,
    };
    choose_raid1(read, heads).map(|member| member.0)
}

const RAID1_RULES: [Raid1ReadBalance; 4] = [
    Raid1ReadBalance::FirstIdle,
    Raid1ReadBalance::FirstIdleWriteMostlyLast,
    Raid1ReadBalance::FewestPending,
    Raid1ReadBalance::SequentialGivesWay,
];

#[test]
fn sequential_reads_stay_on_their_member() {
    for rule in RAID1_RULES {
        let mut heads = [ssd(), ssd()];
        heads[1].begin_read(Sectors::new(1000), Sectors::new(8));
        assert_eq!(member(rule, &heads, 5000), Some(0), "{rule:?}");
        heads[0].pending = 3;
        assert_eq!(member(rule, &heads, 1008), Some(1), "{rule:?}");
        heads[0].position = Sectors::new(1008);
        assert_eq!(
            member(rule, &heads, 1008),
            Some(0),
            "{rule:?}: the first one that fits"
        );
        heads[0].readable = false;
        assert_eq!(member(rule, &heads, 1008), Some(1), "{rule:?}");
        heads[1].readable = false;
        assert_eq!(member(rule, &heads, 1008), None, "{rule:?}");
    }
}

#[test]
fn a_busy_ssd_array_reads_the_fewest_pending_and_a_disk_array_the_nearest() {
    for rule in RAID1_RULES {
        assert_eq!(member(rule, &[busy(2), busy(1)], 5000), Some(1), "{rule:?}");
        assert_eq!(member(rule, &[busy(1), busy(1)], 5000), Some(0), "{rule:?}");
        assert_eq!(
            member(rule, &[disk(5100, 9), disk(100, 1)], 5000),
            Some(0),
            "{rule:?}"
        );
        let mixed = [disk(5100, 9), busy(1)];
        assert_eq!(
            member(rule, &mixed, 5000),
            Some(1),
            "{rule:?}: one SSD is enough"
        );
    }
}

#[test]
fn an_idle_disk_wins_over_a_near_one() {
    for rule in RAID1_RULES {
        let heads = [disk(5100, 1), disk(100, 0)];
        assert_eq!(member(rule, &heads, 5000), Some(1), "{rule:?}");
    }
    let both_idle = [disk(100, 0), disk(4900, 0)];
    for rule in RAID1_RULES {
        assert_eq!(
            member(rule, &both_idle, 5000),
            Some(0),
            "{rule:?}: the first idle one"
        );
    }
    let busy_then_sequential = [disk(0, 0), disk(5000, 4)];
    let first_idle = member(Raid1ReadBalance::FirstIdle, &busy_then_sequential, 5000);
    assert_eq!(
        first_idle,
        Some(0),
        "until 4.9 the search ends at an idle disk"
    );
    let later = member(Raid1ReadBalance::FewestPending, &busy_then_sequential, 5000);
    assert_eq!(
        later,
        Some(1),
        "since 4.10 it continues to the sequential one"
    );
}

#[test]
fn an_idle_ssd_takes_over_from_one_that_has_read_its_optimal_size() {
    let optimal = Sectors::new(256);
    let mut reading = Head::new(false, optimal);
    reading.begin_read(Sectors::new(1000), Sectors::new(128));
    reading.begin_read(Sectors::new(1128), Sectors::new(127));
    let other = Head::new(false, optimal);
    for rule in RAID1_RULES {
        assert_eq!(
            member(rule, &[reading, other], 1255),
            Some(0),
            "{rule:?}: not yet"
        );
    }
    reading.begin_read(Sectors::new(1255), Sectors::new(1));
    let idle_behind = [reading, other];
    let idle_before = [other, reading];
    let busy_behind = [
        reading,
        Head {
            pending: 1,
            ..other
        },
    ];
    for (rule, behind, before) in [
        (Raid1ReadBalance::FirstIdle, 1, 0),
        (Raid1ReadBalance::FewestPending, 0, 1),
        (Raid1ReadBalance::SequentialGivesWay, 1, 0),
    ] {
        assert_eq!(member(rule, &idle_behind, 1256), Some(behind), "{rule:?}");
        assert_eq!(member(rule, &idle_before, 1256), Some(before), "{rule:?}");
        assert_eq!(
            member(rule, &busy_behind, 1256),
            Some(0),
            "{rule:?}: none is idle"
        );
    }
    let rotational = [
        Head {
            rotational: true,
            ..reading
        },
        other,
    ];
    for rule in RAID1_RULES {
        assert_eq!(
            member(rule, &rotational, 1256),
            Some(0),
            "{rule:?}: heads stay"
        );
    }
}

#[test]
fn a_run_from_sector_0_of_a_fresh_array_stays_on_its_member() {
    let mut fresh = Head::new(false, Sectors::new(8));
    fresh.begin_read(NONE, Sectors::new(64));
    assert_eq!(fresh.sequential_start, None);
    let heads = [fresh, Head::new(false, Sectors::new(8))];
    for rule in RAID1_RULES {
        assert_eq!(member(rule, &heads, 64), Some(0), "{rule:?}");
    }
}

#[test]
fn an_unsynced_mirror_reads_its_first_member() {
    for rule in RAID1_RULES {
        let read = Raid1Read {
            rule,
            start: Sectors::new(64),
            is_unsynced: true,
        };
        assert_eq!(choose_raid1(read, &[busy(9), ssd()]), Some(Member(0)));
        assert_eq!(choose_raid1(read, &[broken(ssd()), ssd()]), Some(Member(1)));
    }
}

#[test]
fn pending_and_position_follow_the_kernel() {
    let mut head = ssd();
    head.begin();
    head.begin();
    head.end(Sectors::new(96));
    assert_eq!((head.pending, head.position), (1, Sectors::new(96)));
    head.end_other();
    assert_eq!((head.pending, head.position), (0, Sectors::new(96)));
}

fn slow(head: Head) -> Head {
    Head {
        write_mostly: true,
        ..head
    }
}

#[test]
fn a_write_mostly_member_is_read_only_as_the_last_resort() {
    for rule in [
        Raid1ReadBalance::FirstIdleWriteMostlyLast,
        Raid1ReadBalance::FewestPending,
        Raid1ReadBalance::SequentialGivesWay,
    ] {
        let choose = |heads: &[Head]| member(rule, heads, 4096);
        assert_eq!(choose(&[slow(ssd()), busy(9)]), Some(1), "{rule:?}");
        assert_eq!(choose(&[busy(9), slow(ssd())]), Some(0), "{rule:?}");
        let disks = [disk(0, 3), slow(disk(4096, 0)), disk(8192, 2)];
        assert_ne!(choose(&disks), Some(1), "{rule:?}");
        let only_slow = [broken(ssd()), slow(busy(5)), slow(ssd())];
        assert_eq!(choose(&only_slow), Some(1), "the first, {rule:?}");
    }
}

#[test]
fn before_4_0_a_write_mostly_member_came_before_busy_ones() {
    let choose = |heads: &[Head]| member(Raid1ReadBalance::FirstIdle, heads, 4096);
    assert_eq!(choose(&[slow(ssd()), busy(9)]), Some(0));
    assert_eq!(choose(&[busy(9), slow(ssd())]), Some(1));
    assert_eq!(
        choose(&[slow(ssd()), busy(9), ssd()]),
        Some(2),
        "an idle one"
    );
    assert_eq!(
        choose(&[slow(ssd()), disk(4096, 9)]),
        Some(1),
        "a sequential one"
    );
}
