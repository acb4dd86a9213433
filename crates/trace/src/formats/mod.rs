//! The formats of the field, each read bit by bit into [`Record`]s.

pub(crate) mod blktrace;
pub(crate) mod text;

use crate::event::{Action, DeviceId, Marks, ProcessId};

/// A step on an I/O's way through the block layer (blktrace's letters).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A bio reached the device (`Q`, `block_bio_queue`).
    Queue,
    /// A request was inserted into the scheduler (`I`, `block_rq_insert`).
    Insert,
    /// A request was handed to the driver (`D`, `block_rq_issue`).
    Issue,
    /// A request or bio is done (`C`, `block_rq_complete`, `block_bio_complete`).
    Complete,
    /// The whole I/O: the trace has one record for it, perhaps with its latency.
    Whole {
        /// How long it took, in ns, if the trace says so.
        latency_ns: Option<u64>,
    },
}

/// One record of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The clock of the trace, in ns.
    pub clock_ns: u64,
    /// The step.
    pub step: Step,
    /// What the I/O does.
    pub action: Action,
    /// What else is known of it.
    pub marks: Marks,
    /// Where it begins, in bytes.
    pub offset_bytes: u64,
    /// How long it is, in bytes.
    pub length_bytes: u64,
    /// The device.
    pub device: DeviceId,
    /// Who asked for it; of a completion nobody knows.
    pub process: ProcessId,
}
