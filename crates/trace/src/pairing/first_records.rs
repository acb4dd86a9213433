//! What the first records say of each device: which bios are done twice, and whether requests are issued
//! again without a record that they came back.

use std::collections::{HashMap, HashSet};

use super::kind;
use crate::event::{Action, DeviceId, Marks};
use crate::formats::{IoStep, Record};

/// The longest time after which a request is issued again: a second.
pub(super) const ISSUED_AGAIN_NS_MAX: u64 = 1_000_000_000;
/// After so many more completions of its device, what is not done is never done.
const SETTLED: u64 = 16;

/// Returns which sequence of flushes and data a bio is.
pub(super) fn sequence_of(marks: Marks) -> usize {
    usize::from(marks.flushes_first) * 2 + usize::from(marks.is_fua)
}

/// Returns which sequences of flushes and data each device does twice: a write is queued with such
/// marks, and done without data at its place.
pub(super) fn done_twice<'a>(
    records: impl Iterator<Item = &'a Record>,
) -> HashSet<(DeviceId, usize)> {
    let mut queued = HashMap::new();
    let mut found = HashSet::new();
    for record in records {
        let place = (record.device, record.offset_bytes);
        let sequence = sequence_of(record.marks);
        match (record.step, record.action) {
            (IoStep::Queue | IoStep::Enter | IoStep::Account, Action::Write) if sequence > 0 => {
                queued.insert(place, sequence);
            }
            (IoStep::Complete, Action::Flush)
                if !record.is_flush_request && record.offset_bytes > 0 =>
            {
                let sequence = queued.get(&place);
                found.extend(sequence.map(|sequence| (record.device, *sequence)));
            }
            _ => {}
        }
    }
    found
}

/// How often a request was issued and done.
#[derive(Default)]
struct Issued {
    issued_at_ns: u64,
    issued: u32,
    done: u32,
    /// How many requests of its device were done when it was.
    done_of_device: u64,
}

impl Issued {
    /// Returns 1 if it was issued twice and done once, and -1 if it was done twice.
    fn weight(&self, done_of_device: u64) -> i64 {
        let is_settled = done_of_device >= self.done_of_device + SETTLED;
        match self.done {
            1 => i64::from(self.issued > 1 && is_settled),
            2.. => -1,
            0 => 0,
        }
    }
}

/// Returns the devices whose requests are issued again without a record that they came back.
pub(super) fn issued_again<'a>(records: impl Iterator<Item = &'a Record>) -> HashSet<DeviceId> {
    let mut records: Vec<_> = records.collect();
    records.sort_by_key(|record| record.clock_ns);
    let mut requests: HashMap<_, Issued> = HashMap::new();
    // Of each device, how many requests are done, and the sum of weights.
    let mut devices: HashMap<DeviceId, (u64, i64)> = HashMap::new();
    for record in records {
        let place = (record.offset_bytes, record.length_bytes);
        let key = (record.device, kind(record), place);
        let device = devices.entry(record.device).or_default();
        match record.step {
            IoStep::Issue => {
                let request = requests.entry(key).or_default();
                let age_ns = record.clock_ns.saturating_sub(request.issued_at_ns);
                if request.done > 0 || age_ns > ISSUED_AGAIN_NS_MAX {
                    device.1 += request.weight(device.0);
                    *request = Issued::default();
                }
                request.issued_at_ns = record.clock_ns;
                request.issued += 1;
            }
            IoStep::Requeue => {
                requests.remove(&key);
            }
            IoStep::Complete => {
                device.0 += 1;
                let request = requests.entry(key).or_default();
                request.done += 1;
                request.done_of_device = device.0;
            }
            _ => {}
        }
    }
    for ((device, ..), request) in &requests {
        let device = devices.entry(*device).or_default();
        device.1 += request.weight(device.0);
    }
    let most = devices.into_iter().filter(|(_, (_, weights))| *weights > 0);
    most.map(|(device, _)| device).collect()
}
