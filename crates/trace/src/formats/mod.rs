//! The formats of the field, each read one record at a time into [`Record`]s.
//!
//! Each format has a module, with its documentation cited at the top and a row that says all else
//! ([`Format`]). A new one is a module, and two lines here. All decode one record at a time, from
//! bytes that the reader has in its buffer, and allocate nothing for it.

pub(crate) mod alibaba;
pub(crate) mod blkparse;
pub(crate) mod blktrace;
pub(crate) mod columns;
pub(crate) mod detect;
pub(crate) mod etw;
pub(crate) mod fiu;
pub(crate) mod iolog;
pub(crate) mod msr;
pub(crate) mod numbers;
pub(crate) mod perf_trace;
pub(crate) mod rwbs;
pub(crate) mod simulators;
pub(crate) mod snoop;
pub(crate) mod spc;
pub(crate) mod systor;
pub(crate) mod table;
pub(crate) mod tencent;
pub(crate) mod tracepoints;

use crate::event::{Action, DeviceId, Marks, ProcessId};
use crate::name_table::NameTable;

/// A format: what every part of the program has to know about it, in one row beside its decoder.
///
/// Options, errors, detection, the table in docs/traces.md, the tests over all formats and the
/// fuzzer's seeds are loops over the rows.
#[derive(Debug)]
pub struct Format {
    /// The name that an option takes.
    pub name: &'static str,
    /// How it is made.
    pub made_by: &'static str,
    /// What says how it looks.
    pub source: &'static str,
    /// The resolution of its clock in ns, for a trace as its documentation has it; `None` if that
    /// differs from trace to trace.
    pub resolution_ns: Option<u64>,
    /// The name of a device, with `{device}` for its number.
    pub device: &'static str,
    /// What comes before the first record.
    pub header: &'static str,
    /// A line, where each I/O is one; `None` where beginnings and ends have records.
    ///
    /// In braces stands what differs from line to line: the times `began`, `ended` and `latency`, and
    /// `offset`, `length`, `sector`, `sectors`, `device` and `pid`, each perhaps with a unit and digits
    /// behind the point (`{began:s.6}`), or as hexadecimal (`{offset:x}`); and the words for a
    /// read, a write, a flush and a discard (`{R/W}`: it has no others).
    pub line: Option<&'static str>,
    /// Beginnings of such traces, by which the format is found.
    pub examples: &'static [&'static str],
    /// Whether a record of a flush has no place where it begins, and one where it ends.
    pub(crate) flushes_begin_without_place: bool,
    /// Returns whether a trace that begins with these bytes has the format.
    pub(crate) begins: fn(&[u8]) -> bool,
    /// Returns whether a line, of the first ones, shows the format.
    pub(crate) looks_like: fn(&[u8]) -> bool,
    /// Returns the decoder; `None` for the binary format, which has no lines.
    pub(crate) decoder: fn() -> Option<LineDecoder>,
}

impl Format {
    /// What a format has that says nothing of itself.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        made_by: "",
        source: "",
        resolution_ns: None,
        device: "{device}",
        header: "",
        line: None,
        examples: &[],
        flushes_begin_without_place: false,
        begins: |_| false,
        looks_like: |_| false,
        decoder: || None,
    };

    /// Returns whether it says when an I/O is done.
    pub fn has_ends(&self) -> bool {
        let says = |line: &str| line.contains("{latency") || line.contains("{ended");
        self.line.is_none_or(says)
    }

    /// Returns whether it says which process asked.
    pub fn has_processes(&self) -> bool {
        self.line.is_none_or(|line| line.contains("{pid}"))
    }

    /// Returns whether it has flushes and discards.
    pub fn has_all_actions(&self) -> bool {
        let parts = self.line.unwrap_or_default().split(['{', '}']);
        let mut fields = parts.skip(1).step_by(2);
        self.line.is_none() || fields.any(|field| field.matches('/').count() == 3)
    }
}

/// Makes the names of formats from their rows.
macro_rules! formats {
    ($($name:ident = $row:path),+ $(,)?) => {
        /// The name of a format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FormatName {
            $(
                #[doc = concat!("The format of `", stringify!($row), "`.")]
                $name,
            )+
        }

        impl FormatName {
            /// All formats. Where two may be meant, the first is.
            pub const ALL: [FormatName; [$(stringify!($name)),+].len()] = [$(FormatName::$name),+];

            /// Returns the row of a format.
            pub fn row(self) -> &'static Format {
                match self {
                    $(FormatName::$name => &$row,)+
                }
            }
        }
    };
}

formats! {
    Blktrace = blktrace::FORMAT,
    Blkparse = blkparse::FORMAT,
    FioIolog = iolog::FORMAT,
    PerfScript = tracepoints::PERF_SCRIPT,
    PerfTrace = perf_trace::FORMAT,
    Ftrace = tracepoints::FTRACE,
    Biosnoop = snoop::BIOSNOOP,
    Iosnoop = snoop::IOSNOOP,
    Msr = msr::FORMAT,
    Fiu = fiu::FORMAT,
    Systor = systor::FORMAT,
    Spc = spc::FORMAT,
    Alibaba = alibaba::FORMAT,
    Tencent = tencent::FORMAT,
    Etw = etw::FORMAT,
    SsdSim = simulators::SSDSIM,
    DiskSim = simulators::DISKSIM,
    Csv = table::FORMAT,
}

impl FormatName {
    /// Returns the name that an option takes.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Returns the format of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

impl std::fmt::Display for FormatName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A step on an I/O's way through the block layer (blktrace's letters).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IoStep {
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
    pub step: IoStep,
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
        step: IoStep,
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

/// Makes the decoders of lines one type, without a call through a pointer for each line.
macro_rules! line_decoders {
    ($($name:ident($decoder:ty)),+ $(,)?) => {
        /// Decodes the lines of one format.
        #[derive(Debug)]
        pub(crate) enum LineDecoder {
            $($name($decoder),)+
        }

        impl LineDecoder {
            /// Decodes a line.
            #[inline]
            pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
                match self {
                    $(LineDecoder::$name(decoder) => decoder.decode(line, names),)+
                }
            }
        }
    };
}

line_decoders! {
    Blkparse(blkparse::Blkparse),
    Iolog(iolog::Iolog),
    Tracepoints(Box<tracepoints::Tracepoints>),
    PerfTrace(perf_trace::PerfTrace),
    Snoop(snoop::Snoop),
    Etw(etw::Etw),
    Columns(Box<columns::Columns>),
}
