//! The course of a sample: throughput step by step, and events.

use serde::{Deserialize, Serialize};

use stripewise_units::{Bytes, Nanos, as_f64};

/// The most steps of a series: a day in steps of a second has 86,400.
pub const STEPS_MAX: usize = 100_000;

/// The load of a sample, step by step.
///
/// The columns are equally long; the last step may be shorter than the others. Throughput in a step
/// is bytes over `step_ns`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Series {
    /// The length of each step.
    pub step_ns: Nanos,
    /// The reads.
    pub read: SeriesColumns,
    /// The writes.
    pub write: SeriesColumns,
    /// Bytes of the failed member rebuilt in each step; empty if the source does not count them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rebuilt_bytes: Vec<u64>,
}

/// One direction of a series: one value per step.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeriesColumns {
    /// Bytes moved.
    pub bytes: Vec<u64>,
    /// I/Os completed.
    pub ios: Vec<u64>,
    /// The mean latency; 0 if no I/O completed, empty if the source keeps none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mean_latency_ns: Vec<u64>,
}

impl Series {
    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        self.read.bytes.len().max(self.write.bytes.len())
    }

    /// Returns whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes moved in each step in both directions.
    pub fn bytes(&self) -> Vec<u64> {
        let at = |column: &[u64], step: usize| column.get(step).copied().unwrap_or(0);
        let both = |step| at(&self.read.bytes, step).saturating_add(at(&self.write.bytes, step));
        (0..self.len()).map(both).collect()
    }

    /// Returns the bytes per second between `from` and `to`, over the whole steps in that range;
    /// `None` if there is none.
    pub fn bytes_per_s(&self, from: Nanos, to: Nanos) -> Option<f64> {
        let step = self.step_ns.as_u64().max(1);
        let first = usize::try_from(from.as_u64().div_ceil(step)).ok()?;
        let end = usize::try_from(to.as_u64() / step).ok()?.min(self.len());
        let steps = end.checked_sub(first).filter(|steps| *steps > 0)?;
        let bytes = self.bytes()[first..end]
            .iter()
            .fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        let seconds = Nanos::new(step).as_secs_f64() * as_f64(steps as u64);
        Some(as_f64(bytes) / seconds)
    }
}

/// An event of the array during a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SampleEvent {
    /// The time, from the beginning of the sample.
    pub at_ns: Nanos,
    /// The event.
    #[serde(flatten)]
    pub what: Happened,
}

/// The events of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happened {
    /// A member failed.
    Failed {
        /// The member, counted from 0.
        device: u32,
    },
    /// A new device took its place.
    Replaced {
        /// The member that it replaces.
        device: u32,
    },
    /// The same device was re-added.
    ReAdded {
        /// The member that it is again.
        device: u32,
    },
    /// The rebuild began.
    RebuildBegan {
        /// How much of the member the array uses.
        size_bytes: Bytes,
    },
    /// The rebuild is done.
    RebuildDone {
        /// How much was written to the member; `None` if the source does not count it.
        rebuilt_bytes: Option<Bytes>,
    },
    /// The sample ended before the rebuild did.
    RebuildUnfinished {
        /// How far the rebuild got on the member.
        reached_bytes: Bytes,
        /// The end of the rebuild.
        size_bytes: Bytes,
    },
    /// After the sample, the written data was read back and compared: no difference.
    ReadBack {
        /// How much was read.
        read_bytes: Bytes,
    },
    /// After the sample, md checked the array: every copy, all parity.
    Checked {
        /// The size of the mismatches that md counted (`mismatch_cnt`, in bytes).
        mismatch_bytes: Bytes,
    },
}
