use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

const VOLATILE: WriteCache = WriteCache::Volatile { has_fua: false };
const WITH_FUA: WriteCache = WriteCache::Volatile { has_fua: true };

fn flags(preflush: bool, fua: bool) -> Flags {
    Flags {
        sync: true,
        preflush,
        fua,
    }
}

/// Returns the steps of a request in words.
fn steps(cache: WriteCache, flags: Flags, has_data: bool) -> String {
    let mut sequence = Sequence::new(cache, flags, has_data);
    let mut words = Vec::new();
    while sequence.next() != FlushStep::Done {
        words.push(format!("{:?}", sequence.next()));
        sequence.advance();
    }
    words.join(" ")
}

#[test]
fn a_commit_block_needs_a_flush_after_it_only_without_fua() {
    let commit = flags(true, true);
    assert_eq!(steps(VOLATILE, commit, true), "Flush Data Flush");
    assert_eq!(steps(WITH_FUA, commit, true), "Flush Data");
    assert_eq!(steps(WriteCache::Durable, commit, true), "");
    assert_eq!(steps(VOLATILE, flags(true, false), false), "Flush");
    assert_eq!(steps(VOLATILE, flags(false, true), true), "Data Flush");
    assert_eq!(steps(WITH_FUA, flags(false, true), true), "");
}

#[test]
fn flushes_that_come_during_one_share_the_next() {
    let mut queue = FlushQueue::default();
    let mut served = Vec::new();
    queue.wait(0, Instant::START);
    assert!(queue.kick(Instant::START));
    for request in 1..5 {
        queue.wait(request, Instant::START);
        assert!(!queue.kick(Instant::START), "one at a time");
    }
    queue.flush_ended(&mut served);
    assert_eq!(served, [0]);
    assert!(queue.kick(Instant::START));
    served.clear();
    queue.flush_ended(&mut served);
    assert_eq!(served, [1, 2, 3, 4]);
    assert!(!queue.kick(Instant::START));
}

#[test]
fn no_flush_begins_while_data_is_written_unless_one_has_waited_for_long() {
    let mut queue = FlushQueue::default();
    queue.data_begins();
    queue.wait(0, Instant::START);
    assert!(!queue.kick(Instant::START));
    assert!(queue.kick(Instant::START + PENDING_MAX));
    let mut served = Vec::new();
    queue.flush_ended(&mut served);
    queue.wait(1, Instant::START);
    queue.data_ended();
    assert!(queue.kick(Instant::START));
}

proptest! {
    /// Each request sees a flush that began after it came, and flushes never overlap.
    #[test]
    fn every_request_is_served_by_a_flush_that_began_after_it(arrivals in prop::collection::vec(0_u64..9, 1..60)) {
        let mut queue = FlushQueue::default();
        // When the flush in progress ends: after 5 steps.
        let mut ends: Option<(u64, u64)> = None;
        let (mut began, mut waiting) = (0, VecDeque::new());
        let mut arrivals: VecDeque<u64> = arrivals.into_iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
        for now in 0_u64..1000 {
            if let Some((start, end)) = ends && end == now {
                let mut served = Vec::new();
                queue.flush_ended(&mut served);
                ends = None;
                prop_assert!(!served.is_empty());
                for request in served {
                    let (number, came): (u32, u64) = waiting.pop_front().unwrap();
                    prop_assert_eq!(number, request);
                    prop_assert!(came <= start);
                }
            }
            while arrivals.front() == Some(&now) {
                arrivals.pop_front();
                waiting.push_back((began, now));
                queue.wait(began, Instant::START + Nanos::new(now));
                began += 1;
            }
            if queue.kick(Instant::START + Nanos::new(now)) {
                prop_assert!(ends.is_none());
                ends = Some((now, now + 5));
            }
        }
        prop_assert!(waiting.is_empty());
    }
}
