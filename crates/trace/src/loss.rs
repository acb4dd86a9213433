//! What a fitted workload loses of its trace.

use serde::{Deserialize, Serialize};
use stripewise_units::{Bytes, Nanos};

/// Something that a trace has and its workload has not, or not exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Loss {
    /// Small streams are left out, with these shares of I/Os and bytes.
    LeftOut {
        /// The share of I/Os.
        ios: f64,
        /// The share of bytes.
        bytes: f64,
    },
    /// Some I/Os of one direction are counted with the other kind of it.
    Folded {
        /// Whether they write.
        writes: bool,
        /// Whether these are sequential ones among random ones.
        is_sequential: bool,
        /// Their share.
        share: f64,
    },
    /// The mean size differs, as a split has eight sizes at most and whole percents.
    MeanSize {
        /// In the trace, in bytes.
        trace: f64,
        /// In the workload, in bytes.
        fitted: f64,
    },
    /// I/Os come in bursts, and the workload's come evenly.
    Bursts {
        /// How many times as much the number in 100 ms varies as with independent I/Os.
        times: f64,
        /// The period of the bursts, if they have one.
        period: Option<Nanos>,
    },
    /// The I/Os of a process keep a distance, and the workload's are random.
    Stride {
        /// The distance in bytes.
        stride: i64,
        /// The share of I/Os that keep it.
        share: f64,
    },
    /// The trace does not say when I/Os begin, so no rate and no number under way is known.
    NoTimes,
    /// The trace does not say when I/Os end, so the number under way is unknown.
    NoEnds,
    /// Discards have no place in a workload.
    Discards {
        /// How many.
        count: u64,
    },
    /// There are flushes and no writes.
    Flushes {
        /// How many.
        count: u64,
    },
    /// The neighbours keep their rates, however fast the load is.
    RatesAreApart,
    /// I/Os go to few places of a larger span, which the workload's do not leave out.
    Footprint {
        /// From the first to the last place.
        span: Bytes,
        /// The size of the workload's file.
        fitted: Bytes,
    },
}
