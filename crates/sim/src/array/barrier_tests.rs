use proptest::prelude::*;

use super::*;

const MIB: u64 = 2048;

fn of_array() -> Barriers {
    Barriers::new(Scope::Array)
}

fn of_units() -> Barriers {
    Barriers::new(Scope::Units)
}

#[test]
fn a_rebuild_request_is_sent_when_nothing_is_pending_and_io_waits_for_it() {
    let mut barriers = of_array();
    assert!(barriers.enter(0, Operation::Read));
    assert_eq!(barriers.raise(0), Raise::Wait, "a read is in flight");
    assert!(!barriers.enter(0, Operation::Write), "the barrier is up");
    assert!(!barriers.is_due(0));
    barriers.leave(0);
    assert!(barriers.is_due(0));
    assert_eq!(barriers.raise(0), Raise::Go);
    assert!(
        !barriers.enter(0, Operation::Read),
        "raid10 holds reads back"
    );
    assert!(barriers.lower(0));
    assert!(barriers.enter(0, Operation::Read));
}

#[test]
fn rebuild_requests_follow_each_other_until_io_waits() {
    let mut barriers = of_array();
    assert_eq!(barriers.raise(0), Raise::Go);
    assert_eq!(barriers.raise(0), Raise::Go, "no I/O waits");
    assert!(!barriers.enter(0, Operation::Write));
    // It sleeps once, and then until no I/O waits.
    assert_eq!(barriers.raise(0), Raise::Sleep);
    assert_eq!(barriers.raise(0), Raise::Wait);
    assert!(!barriers.lower(0), "another request is in flight");
    assert_eq!(barriers.raise(0), Raise::Wait);
    assert!(barriers.lower(0));
    assert!(barriers.is_due(0));
    assert!(
        barriers.enter(0, Operation::Write),
        "the waiting write goes first"
    );
    assert_eq!(barriers.raise(0), Raise::Wait);
    barriers.leave(0);
    assert_eq!(barriers.raise(0), Raise::Go);
}

#[test]
fn raid1_holds_back_writes_of_the_unit_and_waits_for_its_reads() {
    let mut barriers = of_units();
    let here = barriers.bucket(Sectors::new(0));
    let there = barriers.bucket(Sectors::new(64 * MIB));
    assert_eq!(here, barriers.bucket(Sectors::new(64 * MIB - 1)));
    assert_ne!(here, there);
    assert!(barriers.enter(here, Operation::Read));
    assert_eq!(barriers.raise(here), Raise::Wait);
    assert!(barriers.enter(here, Operation::Read), "reads never wait");
    assert!(!barriers.enter(here, Operation::Write));
    assert!(barriers.enter(there, Operation::Write), "another unit");
    barriers.leave(here);
    assert_eq!(barriers.raise(here), Raise::Wait, "the second read");
    barriers.leave(here);
    assert_eq!(barriers.raise(here), Raise::Go);
}

#[test]
fn requests_end_where_a_unit_does() {
    let (at, length) = (Sectors::new(64 * MIB - 64), Sectors::new(128));
    assert_eq!(of_units().in_unit(at, length), Sectors::new(64));
    assert_eq!(of_array().in_unit(at, length), length);
}

#[derive(Debug, Clone, Copy)]
enum BarrierCall {
    Enter(u64, bool),
    Leave(usize),
    Raise,
    Lower(usize),
}

fn steps() -> impl Strategy<Value = Vec<BarrierCall>> {
    let step = prop_oneof![
        (0_u64..4, any::<bool>()).prop_map(|(unit, reads)| BarrierCall::Enter(unit, reads)),
        any::<usize>().prop_map(BarrierCall::Leave),
        Just(BarrierCall::Raise),
        any::<usize>().prop_map(BarrierCall::Lower),
    ];
    proptest::collection::vec(step, 0..200)
}

proptest! {
    /// In any order: no write passes while a rebuild request is in flight in its unit (on raid10:
    /// no I/O at all), and waiting I/O passes once all rebuild requests are done.
    #[test]
    fn no_write_is_in_flight_in_the_unit_of_a_rebuild_request(
        is_raid10 in any::<bool>(),
        steps in steps(),
    ) {
        let scope = if is_raid10 { Scope::Array } else { Scope::Units };
        let mut barriers = Barriers::new(scope);
        let mut pending: Vec<(u32, bool)> = Vec::new();
        let mut waiting: Vec<(u32, bool)> = Vec::new();
        let mut requests: Vec<u32> = Vec::new();
        let mut next = 0;
        for step in steps {
            match step {
                BarrierCall::Enter(unit, reads) => {
                    let bucket = barriers.bucket(Sectors::new(unit * 64 * MIB));
                    let operation = if reads { Operation::Read } else { Operation::Write };
                    match barriers.enter(bucket, operation) {
                        true => pending.push((bucket, reads)),
                        false => waiting.push((bucket, reads)),
                    }
                }
                BarrierCall::Leave(which) if !pending.is_empty() => {
                    let (bucket, _) = pending.swap_remove(which % pending.len());
                    barriers.leave(bucket);
                }
                BarrierCall::Raise => {
                    let bucket = barriers.bucket(Sectors::new(next * 32 * MIB));
                    if barriers.raise(bucket) == Raise::Go {
                        requests.push(bucket);
                        next = (next + 1) % 8;
                        let here = pending.iter().filter(|(place, _)| *place == bucket).count();
                        prop_assert_eq!(here, 0, "a rebuild request is sent beside I/O");
                    }
                }
                BarrierCall::Lower(which) if !requests.is_empty() => {
                    let bucket = requests.swap_remove(which % requests.len());
                    if barriers.lower(bucket) {
                        let before = waiting.len();
                        for (place, reads) in std::mem::take(&mut waiting) {
                            match place == bucket {
                                true => {
                                    prop_assert!(barriers.enter(bucket, Operation::Write));
                                    pending.push((bucket, reads));
                                }
                                false => waiting.push((place, reads)),
                            }
                        }
                        prop_assert!(waiting.len() < before);
                    }
                }
                BarrierCall::Leave(_) | BarrierCall::Lower(_) => {}
            }
            for (bucket, reads) in &pending {
                let beside = requests.contains(bucket);
                prop_assert!(!beside || (*reads && !is_raid10));
            }
        }
    }
}

#[test]
fn a_rebuild_woken_with_waiting_io_sleeps_for_it() {
    let mut barriers = of_array();
    assert_eq!(barriers.raise(0), Raise::Go);
    assert!(!barriers.enter(0, Operation::Write));
    assert!(barriers.lower(0));
    assert!(barriers.enter(0, Operation::Write));
    assert_eq!(barriers.raise(0), Raise::Sleep);
    assert_eq!(barriers.raise(0), Raise::Wait, "the write is pending");
    barriers.leave(0);
    assert_eq!(barriers.raise(0), Raise::Go);
    // No I/O waited this time.
    assert!(!barriers.lower(0));
    assert_eq!(barriers.raise(0), Raise::Go);
}
