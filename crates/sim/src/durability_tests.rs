//! The ledger against its whole history, and its weighted numbers.

use proptest::prelude::*;

use super::*;

/// What may happen; numbers are taken modulo what is possible.
#[derive(Debug, Clone, Copy)]
enum DiskEvent {
    Issue,
    /// The oldest write that is not written, at this place.
    Write(u64),
    Acknowledge(usize, bool),
    Sync,
    FlushSent,
    FlushEnded,
    Destaged(u64, u64),
    Wait(u64),
}

/// Member 0 keeps data until it is flushed, member 1 until it is destaged.
const CACHES: [Cache; 3] = [Cache::UntilFlushed, Cache::UntilDestaged, Cache::Durable];
const BYTES: u64 = 4096;

/// A write with all that ever happened to it.
#[derive(Debug, Clone, Default)]
struct Past {
    /// The sector on each member, and when it was written there.
    written: Option<(u64, usize)>,
    acknowledged: Option<Instant>,
    promised: Option<Instant>,
}

/// The history: what happened when, by the number of the step.
#[derive(Debug, Default)]
struct History {
    writes: Vec<Past>,
    /// Sent and ended.
    flushes: Vec<(usize, Option<usize>)>,
    destaged: Vec<(usize, [u64; 2])>,
}

impl History {
    /// Searches all flushes and all destaged runs.
    fn is_durable(&self, write: &Past) -> bool {
        let Some((sector, at)) = write.written else {
            return false;
        };
        let mut flushes = self.flushes.iter();
        let is_flushed = flushes.any(|(sent, ended)| *sent > at && ended.is_some());
        let is_destaged = (sector..sector + 8).all(|sector| {
            let mut runs = self.destaged.iter();
            runs.any(|(step, [start, end])| *step > at && *start <= sector && sector < *end)
        });
        is_flushed && is_destaged
    }

    fn now(&self, now: Instant) -> [(u64, u64); 2] {
        let volatile: Vec<&Past> = self
            .writes
            .iter()
            .filter(|write| !self.is_durable(write))
            .collect();
        let of = |since: fn(&Past) -> Option<Instant>| {
            let ages: Vec<u64> = volatile
                .iter()
                .filter_map(|write| since(write).map(|since| now.since(since).as_u64()))
                .collect();
            let oldest = ages.iter().copied().max().unwrap_or_default();
            (ages.len() as u64 * BYTES, oldest)
        };
        [of(|write| write.acknowledged), of(|write| write.promised)]
    }
}

fn step() -> impl Strategy<Value = DiskEvent> {
    prop_oneof![
        Just(DiskEvent::Issue),
        (0_u64..4).prop_map(|place| DiskEvent::Write(place * 6)),
        (0_usize..8, any::<bool>()).prop_map(|(which, sync)| DiskEvent::Acknowledge(which, sync)),
        Just(DiskEvent::Sync),
        Just(DiskEvent::FlushSent),
        Just(DiskEvent::FlushEnded),
        (0_u64..30, 1_u64..20)
            .prop_map(|(start, length)| DiskEvent::Destaged(start, start + length)),
        (0_u64..1000).prop_map(DiskEvent::Wait),
    ]
}

/// Does a step in both.
fn apply(step: DiskEvent, number: usize, now: Instant, ledger: &mut Ledger, history: &mut History) {
    let unwritten = history.writes.iter().position(|one| one.written.is_none());
    let is_flushing = history
        .flushes
        .last()
        .is_some_and(|(_, ended)| ended.is_none());
    match step {
        DiskEvent::Issue => {
            let issued = ledger.issue(BYTES);
            assert_eq!(issued, history.writes.len() as u64);
            history.writes.push(Past::default());
        }
        DiskEvent::Write(sector) => {
            let Some(place) = unwritten else { return };
            history.writes[place].written = Some((sector, number));
            let extents = [0, 1, 2].map(|member| Extent {
                member,
                start: sector,
                end: sector + 8,
            });
            ledger.written(Writes::one(place as u64), &extents, now);
        }
        DiskEvent::Acknowledge(which, is_promised) => {
            let writes = (0..).zip(&mut history.writes);
            let mut open = writes.filter(|(_, write)| write.acknowledged.is_none());
            let Some((place, write)) = open.nth(which) else {
                return;
            };
            write.acknowledged = Some(now);
            write.promised = is_promised.then_some(now);
            ledger.acknowledge(place, 0, is_promised, now);
        }
        DiskEvent::Sync => {
            for write in &mut history.writes {
                let covered = write.acknowledged.is_some() && write.promised.is_none();
                write.promised = if covered { Some(now) } else { write.promised };
            }
            ledger.synced(0, now, now);
        }
        DiskEvent::FlushSent if !is_flushing => {
            history.flushes.push((number, None));
            ledger.flush_sent(0);
        }
        DiskEvent::FlushEnded if is_flushing => {
            if let Some(last) = history.flushes.last_mut() {
                last.1 = Some(number);
            }
            ledger.flush_ended(0, now);
        }
        DiskEvent::Destaged(start, end) => {
            history.destaged.push((number, [start, end]));
            ledger.destaged(1, [start, end], now);
        }
        DiskEvent::FlushSent | DiskEvent::FlushEnded | DiskEvent::Wait(_) => {}
    }
}

proptest! {
    // The oracle searches the whole history after each step.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_volatile_follows_from_the_whole_history(
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut ledger = Ledger::new(&CACHES, 1);
        let mut history = History::default();
        let mut now = Instant::START;
        let mut highest = [(0, 0); 2];
        ledger.begin(now);
        for (number, step) in steps.into_iter().enumerate() {
            if let DiskEvent::Wait(ns) = step {
                now += Nanos::new(ns);
                let at_end = history.now(now);
                for (highest, at_end) in highest.iter_mut().zip(at_end).filter(|_| ns > 0) {
                    *highest = (highest.0.max(at_end.0), highest.1.max(at_end.1));
                }
            }
            apply(step, number, now, &mut ledger, &mut history);
            prop_assert_eq!(ledger.now(now), history.now(now));
        }
        let risk = ledger.risk(now);
        let found = [risk.acknowledged, risk.promised]
            .map(|one| (one.bytes_max.as_u64(), one.age_max_ns.as_u64()));
        prop_assert_eq!(found, highest);
    }

    #[test]
    fn a_rising_number_has_each_of_its_values_for_one_ns(from in 0_u64..5000, ns in 1_u64..5000) {
        let mut at_once = Weighted::default();
        at_once.add_rising(from, ns);
        let mut one_by_one = Weighted::default();
        for value in from..from + ns {
            one_by_one.add(value, 1);
        }
        prop_assert_eq!(at_once.bins, one_by_one.bins);
        prop_assert_eq!(at_once.max, from + ns);
    }
}

/// What is known to be never volatile.
fn nothing() -> Volatile {
    Volatile {
        share_ppm: Some(0),
        ..Volatile::default()
    }
}

#[test]
fn every_instant_counts_alike() {
    let mut ledger = Ledger::new(&[Cache::UntilFlushed], 1);
    let at = Instant::from_nanos;
    ledger.begin(at(0));
    let place = [Extent {
        member: 0,
        start: 0,
        end: 8,
    }];
    // Nothing for 100 ns, one write for 290, two for 10, and nothing for 100.
    for begun in [100, 390] {
        let number = ledger.issue(BYTES);
        ledger.written(Writes::one(number), &place, at(begun));
        ledger.acknowledge(number, 0, false, at(begun));
    }
    ledger.flush_sent(0);
    ledger.flush_ended(0, at(400));
    let risk = ledger.risk(at(500));
    let found = risk.acknowledged;
    assert_eq!(found.bytes_max, Bytes::new(2 * BYTES));
    assert!(found.bytes_p50.as_u64().abs_diff(BYTES) * 128 <= BYTES);
    assert_eq!(
        (found.age_max_ns, found.is_unbounded),
        (Nanos::new(300), false)
    );
    assert_eq!(found.share_ppm, Some(600_000));
    assert_eq!(risk.promised, nothing());
}
