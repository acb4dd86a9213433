//! Compares what a restarted stack returns with what was acknowledged before the cut.

use std::collections::BTreeMap;
use std::time::Duration;

use stripewise_study::cut::Loss;
use stripewise_units::{Bytes, Nanos};

use crate::built_stack::Rows;
use crate::load::{Acknowledged, Changed, Load};
use crate::record::PlaceContent;

/// What writers had acknowledged, in the order of time.
#[derive(Debug, Clone, Default)]
pub struct Acknowledgements {
    noted: Vec<(Duration, Acknowledged)>,
}

impl Acknowledgements {
    /// Notes an acknowledgement that arrived `at` this time since the recording began; later ones
    /// must not come before.
    pub fn note(&mut self, at: Duration, acknowledged: Acknowledged) {
        self.noted.push((at, acknowledged));
    }

    /// Returns those that arrived until `at`.
    pub fn until(&self, at: Duration) -> &[(Duration, Acknowledged)] {
        let end = self.noted.partition_point(|(noted, _)| *noted <= at);
        &self.noted[..end]
    }

    /// Returns how many records of all writers were acknowledged until `at`.
    pub fn records_until(&self, at: Duration) -> u64 {
        self.latest(at).values().sum()
    }

    /// Returns the latest acknowledged sequence of each writer.
    fn latest(&self, at: Duration) -> BTreeMap<u32, u64> {
        let noted = self.until(at).iter();
        noted.map(|(_, one)| (one.writer, one.sequence)).collect()
    }

    /// Returns when a writer's record was acknowledged, until `at`.
    fn time_of(&self, writer: u32, sequence: u64, at: Duration) -> Option<Duration> {
        let mut noted = self.until(at).iter();
        let first = noted.find(|(_, one)| one.writer == writer && one.sequence >= sequence);
        first.map(|(time, _)| *time)
    }
}

/// Returns which acknowledged records a cut `at` this time lost or corrupted. `changed`
/// are the places that hold something else than before the recording, each once.
pub fn loss(
    load: &Load,
    acknowledged: &Acknowledgements,
    changed: &[Changed],
    at: Duration,
) -> Loss {
    let found: BTreeMap<(u32, u64), PlaceContent> = changed
        .iter()
        .map(|one| ((one.writer, one.place), one.found))
        .collect();
    let is_lost = |writer, sequence| {
        let place = load.place_of(writer, sequence);
        let found = found.get(&(writer, place)).copied().unwrap_or_default();
        found.blank > 0 || found.lowest < sequence
    };
    let corrupt = corrupt(load, changed);
    lost(acknowledged, at, load.record_bytes, corrupt, is_lost)
}

/// Returns what acknowledged transactions of a database became that a cut `at` this time left on the
/// stack.
pub fn loss_of_rows(
    rows: &Rows,
    record_bytes: u32,
    acknowledged: &Acknowledgements,
    at: Duration,
) -> Loss {
    let is_lost = |writer, sequence| !rows.has(writer, sequence);
    lost(acknowledged, at, record_bytes, rows.broken, is_lost)
}

/// Adds up the records acknowledged until `at` that are lost. A writer's first lost record is its
/// oldest.
fn lost(
    acknowledged: &Acknowledgements,
    at: Duration,
    record_bytes: u32,
    corrupt: u64,
    is_lost: impl Fn(u32, u64) -> bool,
) -> Loss {
    let mut records: u64 = 0;
    let mut oldest: Option<Duration> = None;
    for (writer, latest) in acknowledged.latest(at) {
        let mut lost = (1..=latest).filter(|sequence| is_lost(writer, *sequence));
        if let Some(first) = lost.next() {
            records += 1 + lost.count() as u64;
            let time = acknowledged.time_of(writer, first, at);
            oldest = oldest.into_iter().chain(time).min();
        }
    }
    let age = oldest.map(|oldest| at.saturating_sub(oldest));
    let age_ns = age.map_or(0, |age| u64::try_from(age.as_nanos()).unwrap_or(u64::MAX));
    Loss {
        records,
        bytes: Bytes::new(records.saturating_mul(u64::from(record_bytes))),
        age_ns: Nanos::new(age_ns),
        corrupt,
        values: None,
    }
}

/// Returns how many places hold what was never written there. A place of zeroes lost its record,
/// and does not count.
fn corrupt(load: &Load, changed: &[Changed]) -> u64 {
    let is_corrupt = |one: &&Changed| {
        let was_written_there =
            |sequence: u64| sequence == 0 || load.place_of(one.writer, sequence) == one.place;
        let PlaceContent {
            lowest,
            highest,
            foreign,
            ..
        } = one.found;
        foreign > 0 || !was_written_there(lowest) || !was_written_there(highest)
    };
    changed.iter().filter(is_corrupt).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::DurableBy;

    const LOAD: Load = Load {
        seed: 1,
        order_seed: 2,
        writers: 1,
        record_bytes: 4096,
        places: 4,
        is_random: false,
        is_filled: true,
        durable_by: DurableBy::Fsync(1),
        is_direct: true,
    };

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Record n of writer 0 is acknowledged at n x 10 ms.
    fn acknowledged(count: u64) -> Acknowledgements {
        let mut all = Acknowledgements::default();
        for sequence in 1..=count {
            all.note(
                ms(10 * sequence),
                Acknowledged {
                    writer: 0,
                    sequence,
                },
            );
        }
        all
    }

    fn holds(place: u64, lowest: u64, highest: u64) -> Changed {
        Changed {
            writer: 0,
            place,
            found: PlaceContent {
                lowest,
                highest,
                ..PlaceContent::default()
            },
        }
    }

    fn judged(count: u64, changed: &[Changed], at: u64) -> (u64, u64, u64) {
        let loss = loss(&LOAD, &acknowledged(count), changed, ms(at));
        assert_eq!(loss.bytes.as_u64(), loss.records * 4096);
        (loss.records, loss.age_ns.as_u64() / 1_000_000, loss.corrupt)
    }

    #[test]
    fn nothing_is_lost_if_every_place_holds_its_latest_record_or_a_newer_one() {
        let all = [
            holds(0, 5, 5),
            holds(1, 2, 2),
            holds(2, 3, 3),
            holds(3, 4, 4),
        ];
        assert_eq!(judged(5, &all, 55), (0, 0, 0));
        // 6 was written but not acknowledged: there, not there or torn.
        for second in [holds(1, 6, 6), holds(1, 2, 6)] {
            let all = [all[0], second, all[2], all[3]];
            assert_eq!(judged(5, &all, 55), (0, 0, 0));
        }
        // What is acknowledged after the cut does not count.
        assert_eq!(judged(5, &[], 9), (0, 0, 0));
    }

    #[test]
    fn an_earlier_record_a_torn_one_and_zeroes_are_losses() {
        let all = [holds(0, 5, 5), holds(2, 3, 3), holds(3, 4, 4)];
        // Place 1 holds the record from before: 2 is lost, acknowledged 35 ms before the cut.
        assert_eq!(judged(5, &all, 55), (1, 35, 0));
        let torn = [all[0], all[1], all[2], holds(1, 0, 2)];
        assert_eq!(judged(5, &torn, 55), (1, 35, 0));
        let mut blank = holds(1, 2, 2);
        blank.found.blank = 3;
        assert_eq!(judged(5, &[all[0], all[1], all[2], blank], 55), (1, 35, 0));
        // 5 replaced 1: what 5 overwrote is lost only if 5 is, too.
        let old = [holds(0, 1, 1), holds(1, 2, 2), all[1], all[2]];
        assert_eq!(judged(5, &old, 55), (1, 5, 0));
        assert_eq!(judged(5, &[], 55), (5, 45, 0));
    }

    #[test]
    fn a_transaction_is_lost_if_its_row_is_missing_or_broken() {
        let judged = |rows: &[(u32, u64, bool)]| {
            let rows = Rows::of(rows.iter().copied());
            let loss = loss_of_rows(&rows, 100, &acknowledged(3), ms(35));
            (loss.records, loss.age_ns.as_u64() / 1_000_000, loss.corrupt)
        };
        assert_eq!(
            judged(&[(0, 1, true), (0, 2, true), (0, 3, true), (0, 4, true)]),
            (0, 0, 0)
        );
        assert_eq!(judged(&[(0, 1, true), (0, 3, true)]), (1, 15, 0));
        assert_eq!(
            judged(&[(0, 1, true), (0, 2, false), (0, 3, true)]),
            (1, 15, 1)
        );
        assert_eq!(judged(&[]), (3, 25, 0));
    }

    #[test]
    fn what_was_never_written_there_is_corrupt() {
        let mut foreign = holds(1, 2, 2);
        foreign.found.foreign = 1;
        let all = [holds(0, 5, 5), holds(2, 3, 3), holds(3, 4, 4)];
        assert_eq!(judged(5, &[all[0], foreign, all[1], all[2]], 55), (0, 0, 1));
        // Record 3 belongs to place 2.
        let misplaced = [all[0], holds(1, 3, 3), all[1], all[2]];
        assert_eq!(judged(5, &misplaced, 55), (0, 0, 1));
    }
}
