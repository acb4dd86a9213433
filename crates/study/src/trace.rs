//! Traces of real I/O as workloads: which I/Os of a file to replay, and when.
//!
//! No file is opened here: a [`TraceSource`] reads traces. A cell keeps the I/Os in memory only; what
//! is stored is the question and a checksum.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::world::Replay;
use stripewise_units::{Bytes, Nanos};

/// The smallest unit of addresses and lengths in a replay.
pub const SECTOR_BYTES: u64 = 512;

/// When the I/Os of a trace begin.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// As in the trace: the gaps between I/Os are kept.
    #[default]
    Kept,
    /// As fast as the depth allows (fio's `replay_no_stall`).
    FlatOut,
}

/// Which I/Os of which trace are replayed, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceQuery {
    /// The file, as the study names it.
    pub file: String,
    /// When the I/Os begin.
    pub timing: Timing,
    /// How many times faster than in the trace.
    pub speed: f64,
    /// Where the replay begins, counted from the beginning of the trace.
    pub from_ns: Nanos,
    /// How much of the trace is replayed, by its own clock; `None` for all that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length_ns: Option<Nanos>,
    /// The device whose I/Os are replayed, by its name in the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The size at which addresses wrap around.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrap_bytes: Option<Bytes>,
}

impl TraceQuery {
    /// Returns the question for all of a file, with its timing kept.
    pub fn of(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            timing: Timing::Kept,
            speed: 1.0,
            from_ns: Nanos::default(),
            length_ns: None,
            device: None,
            wrap_bytes: None,
        }
    }
}

/// A trace that a workload replays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Which I/Os are replayed, and how.
    #[serde(flatten)]
    pub query: TraceQuery,
    /// The SHA-256 of the I/Os.
    pub sha256: String,
    /// The number of reads.
    pub reads: u64,
    /// The number of writes.
    pub writes: u64,
    /// The number of flushes.
    pub flushes: u64,
    /// The records of the trace that are not replayed, by the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// When the last I/O begins, if none is late; 0 without timing.
    pub last_at_ns: Nanos,
    /// The largest read or write.
    pub largest_bytes: Bytes,
    /// The space that the I/Os address, from 0.
    pub size_bytes: Bytes,
    /// The I/Os.
    #[serde(skip)]
    pub ios: TracedIos,
}

impl Trace {
    /// Returns the number of I/Os.
    pub fn count(&self) -> u64 {
        self.reads + self.writes + self.flushes
    }

    /// Returns the share of reads among reads and writes, in percent.
    pub fn read_percent(&self) -> u8 {
        let percent = self.reads * 100 / (self.reads + self.writes).max(1);
        u8::try_from(percent).unwrap_or(100)
    }

    /// Returns whether the gaps of the trace are kept, so that its throughput is given.
    pub fn is_timed(&self) -> bool {
        self.query.timing == Timing::Kept
    }
}

/// The I/Os of a trace, if they were read. They are not stored: the checksum beside them stands for
/// them, so two of these are always equal.
#[derive(Clone, Default)]
pub struct TracedIos(pub Option<Arc<Replay>>);

impl PartialEq for TracedIos {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl fmt::Debug for TracedIos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(replay) => write!(f, "{} I/Os", replay.ios()),
            None => f.write_str("not read"),
        }
    }
}

/// Why a trace cannot be replayed, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceProblem {
    /// The problem.
    pub message: String,
    /// The same in a few words, for the place in the study.
    pub label: String,
    /// How to solve it.
    pub hint: String,
}

/// Reads the traces that a study names.
pub trait TraceSource {
    /// Returns the trace that answers `query`, with its I/Os.
    ///
    /// # Errors
    /// [`TraceProblem`] if the file cannot be read, or has no such I/Os.
    fn read(&mut self, query: &TraceQuery) -> Result<Trace, TraceProblem>;
}

/// Refuses every trace: for studies that come from no file.
#[derive(Debug, Clone, Copy)]
pub struct NoTraces;

impl TraceSource for NoTraces {
    fn read(&mut self, _query: &TraceQuery) -> Result<Trace, TraceProblem> {
        Err(TraceProblem {
            message: "a trace cannot be replayed here".to_owned(),
            label: "names a file".to_owned(),
            hint: "`stripewise run`, `study`, `why` and `predict` replay traces".to_owned(),
        })
    }
}

/// Knows the traces of a stored run, without their I/Os.
#[derive(Debug, Clone, Default)]
pub struct StoredTraces(pub Vec<Trace>);

impl StoredTraces {
    /// Returns the traces of cells.
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a crate::cell::Cell>) -> Self {
        let traces = cells
            .into_iter()
            .filter_map(|cell| cell.workload.trace.clone());
        Self(traces.collect())
    }
}

impl TraceSource for StoredTraces {
    fn read(&mut self, query: &TraceQuery) -> Result<Trace, TraceProblem> {
        let found = self.0.iter().find(|trace| trace.query == *query);
        found.cloned().map_or_else(|| NoTraces.read(query), Ok)
    }
}
