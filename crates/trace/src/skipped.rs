//! What was left out of a trace, counted by reason.

use std::collections::BTreeMap;

use crate::event::DeviceId;

/// Why a record was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SkipReason {
    /// It cannot be read.
    Malformed,
    /// It ends too early: the file is cut off.
    Truncated,
    /// Its time lies before that of earlier records by more than the order is kept for.
    OutOfOrder,
    /// It lies beyond the end of the device.
    BeyondDevice,
    /// It is done, and its beginning is not in the trace.
    NeverBegan,
    /// It began, and its end is not in the trace, or comes behind too many others.
    NeverEnded,
    /// Too many I/Os are under way to hand out the end of each, which is known.
    TooManyUnderWay,
    /// It is of a device or process beyond those that are distinguished.
    TooManyNames,
    /// The kernel or the tracer dropped it, by its own count.
    Lost,
}

impl SkipReason {
    /// Returns its key in documents.
    pub const fn key(self) -> &'static str {
        match self {
            SkipReason::Malformed => "malformed",
            SkipReason::Truncated => "truncated",
            SkipReason::OutOfOrder => "out-of-order",
            SkipReason::BeyondDevice => "beyond-device",
            SkipReason::NeverBegan => "never-began",
            SkipReason::NeverEnded => "never-ended",
            SkipReason::TooManyUnderWay => "too-many-under-way",
            SkipReason::TooManyNames => "too-many-names",
            SkipReason::Lost => "lost",
        }
    }
}

/// Counts of what was left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skipped {
    counts: BTreeMap<SkipReason, u64>,
    /// Those of a device, as far as that is known.
    of_devices: BTreeMap<(DeviceId, SkipReason), u64>,
    /// The first malformed record: its line or byte, and what is wrong with it.
    pub first_malformed: Option<(u64, String)>,
}

impl Skipped {
    /// Counts one record.
    pub fn add(&mut self, why: SkipReason) {
        self.add_many(why, 1);
    }

    /// Counts `count` records.
    pub fn add_many(&mut self, why: SkipReason, count: u64) {
        if count > 0 {
            let sum = self.counts.entry(why).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// Counts one record of a device.
    pub fn add_of(&mut self, why: SkipReason, device: DeviceId) {
        self.add(why);
        *self.of_devices.entry((device, why)).or_default() += 1;
    }

    /// Counts a malformed record; the first one is kept, to be shown.
    pub fn add_malformed(&mut self, place: u64, problem: impl FnOnce() -> String) {
        self.add(SkipReason::Malformed);
        self.first_malformed
            .get_or_insert_with(|| (place, problem()));
    }

    /// Returns how many records were left out for a reason.
    pub fn count(&self, why: SkipReason) -> u64 {
        self.counts.get(&why).copied().unwrap_or_default()
    }

    /// Returns how many records of a device were left out for a reason; those of which the device is not
    /// known are counted for none.
    pub fn count_of(&self, why: SkipReason, device: DeviceId) -> u64 {
        let count = self.of_devices.get(&(device, why));
        count.copied().unwrap_or_default()
    }

    /// Returns the reasons with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (SkipReason, u64)> {
        self.counts.iter().map(|(why, count)| (*why, *count))
    }
}
