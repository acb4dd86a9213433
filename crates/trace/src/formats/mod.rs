//! The formats of the field, each read bit by bit into [`Record`]s.
//!
//! Each format has a module, with its documentation cited at the top. All decode one record at a
//! time, from bytes that the reader has in its buffer, and allocate nothing for it.

pub(crate) mod alibaba;
pub(crate) mod blkparse;
pub(crate) mod blktrace;
pub(crate) mod columns;
pub(crate) mod detect;
pub(crate) mod fiu;
pub(crate) mod iolog;
pub(crate) mod msr;
pub(crate) mod numbers;
pub(crate) mod perf_trace;
pub(crate) mod rwbs;
pub(crate) mod snoop;
pub(crate) mod spc;
pub(crate) mod systor;
pub(crate) mod table;
pub(crate) mod tencent;
pub(crate) mod tracepoints;

use crate::event::{Action, DeviceId, Marks, ProcessId};
use crate::name_table::NameTable;

/// The name of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FormatName {
    /// The binary files of `blktrace`.
    Blktrace,
    /// The text of `blkparse`.
    Blkparse,
    /// fio's iolog, versions 1 to 3.
    FioIolog,
    /// `perf script` of block events.
    PerfScript,
    /// `perf trace` of block events.
    PerfTrace,
    /// ftrace's `trace` and `trace_pipe`, and `trace-cmd report`, of block events.
    Ftrace,
    /// The table of `biosnoop`.
    Biosnoop,
    /// The table of `iosnoop`.
    Iosnoop,
    /// CSV of the traces from MSR Cambridge.
    Msr,
    /// Text of the traces from Florida International University.
    Fiu,
    /// CSV of the traces of SYSTOR '17.
    Systor,
    /// CSV as the Storage Performance Council specified it.
    Spc,
    /// CSV of the traces from Alibaba Cloud.
    Alibaba,
    /// CSV of the traces from Tencent Cloud.
    Tencent,
    /// CSV whose first line names the columns.
    Csv,
}

impl FormatName {
    /// All formats.
    pub const ALL: [FormatName; 15] = [
        FormatName::Blktrace,
        FormatName::Blkparse,
        FormatName::FioIolog,
        FormatName::PerfScript,
        FormatName::PerfTrace,
        FormatName::Ftrace,
        FormatName::Biosnoop,
        FormatName::Iosnoop,
        FormatName::Msr,
        FormatName::Fiu,
        FormatName::Systor,
        FormatName::Spc,
        FormatName::Alibaba,
        FormatName::Tencent,
        FormatName::Csv,
    ];

    /// Returns the name that an option takes.
    pub fn as_str(self) -> &'static str {
        match self {
            FormatName::Blktrace => "blktrace",
            FormatName::Blkparse => "blkparse",
            FormatName::FioIolog => "fio-iolog",
            FormatName::PerfScript => "perf-script",
            FormatName::PerfTrace => "perf-trace",
            FormatName::Biosnoop => "biosnoop",
            FormatName::Iosnoop => "iosnoop",
            FormatName::Ftrace => "ftrace",
            FormatName::Msr => "msr",
            FormatName::Fiu => "fiu",
            FormatName::Systor => "systor",
            FormatName::Spc => "spc",
            FormatName::Alibaba => "alibaba",
            FormatName::Tencent => "tencent",
            FormatName::Csv => "csv",
        }
    }

    /// Returns the format of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Returns the resolution of the format's clock in ns, for a trace as its documentation has it;
    /// nothing if that differs from trace to trace.
    pub fn resolution_ns(self) -> Option<u64> {
        match self {
            FormatName::Blktrace | FormatName::Blkparse | FormatName::Fiu => Some(1),
            FormatName::Msr => Some(100),
            FormatName::FioIolog
            | FormatName::PerfTrace
            | FormatName::Ftrace
            | FormatName::Systor
            | FormatName::Spc
            | FormatName::Alibaba => Some(1_000),
            FormatName::Tencent => Some(1_000_000_000),
            FormatName::PerfScript
            | FormatName::Biosnoop
            | FormatName::Iosnoop
            | FormatName::Csv => None,
        }
    }
}

impl std::fmt::Display for FormatName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A step on an I/O's way through the block layer (blktrace's letters).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A bio reached the device (`Q`, `block_bio_queue`).
    Queue,
    /// A bio, or a part of one, got a request (`G`, `block_getrq`).
    Enter,
    /// A bio joined a request (`M` and `F`, `block_bio_backmerge` and `block_bio_frontmerge`).
    Merge,
    /// A request is accounted for, from here on (`block_io_start`).
    Account,
    /// A request was inserted into the scheduler (`I`, `block_rq_insert`).
    Insert,
    /// A request was handed to the driver (`D`, `block_rq_issue`).
    Issue,
    /// The driver gave a request back, to be issued again (`R`, `block_rq_requeue`).
    Requeue,
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
    /// The CPU that wrote it, whose records are in order; 0 if the trace does not say.
    pub cpu: u32,
    /// The step.
    pub step: Step,
    /// What the I/O does.
    pub action: Action,
    /// What else is known of it.
    pub marks: Marks,
    /// Whether it is a request that the block layer made to flush the device's cache
    /// (`REQ_OP_FLUSH`), for one or more bios that asked for it.
    pub is_flush_request: bool,
    /// Where it begins, in bytes.
    pub offset_bytes: u64,
    /// How long it is, in bytes.
    pub length_bytes: u64,
    /// The device.
    pub device: DeviceId,
    /// The process that asked for it; a completion has none.
    pub process: ProcessId,
}

/// The clock of a record, in ns, and the CPU that wrote it; 0 if the trace does not say.
pub(crate) type Clock = (u64, u32);

/// What a line or a binary record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// A record.
    Record(Record),
    /// Nothing that matters: a comment, a header, a step that begins or ends no I/O.
    Nothing,
    /// It cannot be read.
    Malformed(&'static str),
    /// The tracer lost so many records here.
    Lost(u64),
    /// It is of one device too many.
    TooManyNames,
}

impl Record {
    /// Returns the record of an I/O.
    #[inline]
    pub(crate) fn new(
        (clock_ns, cpu): Clock,
        step: Step,
        io: rwbs::Io,
        device: DeviceId,
        process: ProcessId,
    ) -> Self {
        Self {
            clock_ns,
            cpu,
            step,
            action: io.action,
            marks: io.marks,
            is_flush_request: io.is_flush_request,
            offset_bytes: io.offset_bytes,
            length_bytes: io.length_bytes,
            device,
            process,
        }
    }
}

/// Sectors are of 512 bytes, whatever the device's blocks are.
pub(crate) const SECTOR_BYTES: u64 = 512;

/// Decodes the lines of one format.
pub(crate) enum LineDecoder {
    /// `blkparse`.
    Blkparse(blkparse::Blkparse),
    /// fio's iolog.
    Iolog(iolog::Iolog),
    /// Block events as text.
    Tracepoints(Box<tracepoints::Tracepoints>),
    /// Block events as `perf trace` prints them.
    PerfTrace(perf_trace::PerfTrace),
    /// The table of `biosnoop` or `iosnoop`.
    Snoop(snoop::Snoop),
    /// A table.
    Columns(Box<columns::Columns>),
}

impl LineDecoder {
    /// Returns the decoder of a format; nothing for the binary format, which has no lines.
    pub(crate) fn new(format: FormatName) -> Option<Self> {
        let columns = |layout| Some(LineDecoder::Columns(Box::new(layout)));
        match format {
            FormatName::Blktrace => None,
            FormatName::Blkparse => Some(LineDecoder::Blkparse(blkparse::Blkparse::default())),
            FormatName::FioIolog => Some(LineDecoder::Iolog(iolog::Iolog::default())),
            FormatName::PerfScript | FormatName::Ftrace => {
                let decoder = tracepoints::Tracepoints::new();
                Some(LineDecoder::Tracepoints(Box::new(decoder)))
            }
            FormatName::PerfTrace => Some(LineDecoder::PerfTrace(perf_trace::PerfTrace)),
            FormatName::Biosnoop | FormatName::Iosnoop => {
                Some(LineDecoder::Snoop(snoop::Snoop::default()))
            }
            FormatName::Msr => columns(msr::layout()),
            FormatName::Fiu => columns(fiu::layout()),
            FormatName::Systor => columns(systor::layout()),
            FormatName::Spc => columns(spc::layout()),
            FormatName::Alibaba => columns(alibaba::layout()),
            FormatName::Tencent => columns(tencent::layout()),
            FormatName::Csv => columns(table::layout()),
        }
    }

    /// Decodes a line.
    #[inline]
    pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
        match self {
            LineDecoder::Blkparse(decoder) => decoder.decode(line, names),
            LineDecoder::Iolog(decoder) => decoder.decode(line, names),
            LineDecoder::Tracepoints(decoder) => decoder.decode(line, names),
            LineDecoder::PerfTrace(decoder) => decoder.decode(line, names),
            LineDecoder::Snoop(decoder) => decoder.decode(line, names),
            LineDecoder::Columns(decoder) => decoder.decode(line, names),
        }
    }
}
