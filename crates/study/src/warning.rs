//! "Is it real?": what was noticed about a measurement, with the evidence and what to do.
//!
//! Each warning is a type of its own, so that programs can act on it; people read [`Warning::message`]
//! and [`Warning::hint`]. Some only colour a result; those for which [`Warning::invalidates`] is
//! true make a sample worthless: it is kept, marked, and not counted.

use serde::{Deserialize, Serialize};
use stripewise_catalogue::{Argument, Message};

use crate::metric::Metric;
use crate::units::{Bytes, Nanos};

/// The direction of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl std::fmt::Display for Direction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Direction::Read => "read",
            Direction::Write => "write",
        })
    }
}

/// What the begin of a partition should be a multiple of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AlignmentUnit {
    /// The unit in which the disk works itself: a request across two costs two, a small write even
    /// a read before it.
    PhysicalBlock,
    /// The size of request that the disk likes best.
    OptimalIo,
    /// The chunk of the array on it.
    Chunk,
}

impl AlignmentUnit {
    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            AlignmentUnit::PhysicalBlock => "physical_block",
            AlignmentUnit::OptimalIo => "optimal_io",
            AlignmentUnit::Chunk => "chunk",
        }
    }
}

/// What a simulation can find still changing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Changing {
    /// The throughput, and nothing that the model keeps account of.
    Throughput,
    /// What the write caches of the devices hold.
    WriteCache,
    /// What the fast areas of the devices hold.
    FastArea,
    /// How the blocks of the flash are used.
    FlashBlocks,
    /// The dirty pages in the page cache.
    PageCache,
    /// The bits of the write-intent bitmap.
    Bitmap,
}

impl Changing {
    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Changing::Throughput => "throughput",
            Changing::WriteCache => "write_cache",
            Changing::FastArea => "fast_area",
            Changing::FlashBlocks => "flash_blocks",
            Changing::PageCache => "page_cache",
            Changing::Bitmap => "bitmap",
        }
    }
}

/// A step of a failure that is part of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FailureStep {
    /// The member fails.
    Fail,
    /// The kernel lets go of it, so that it can be taken out.
    TakeOut,
    /// It, or a new one in its place, is put back.
    PutBack,
}

impl FailureStep {
    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            FailureStep::Fail => "fail",
            FailureStep::TakeOut => "take_out",
            FailureStep::PutBack => "put_back",
        }
    }
}

/// Something noticed before, during or after a measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Warning {
    /// The data compresses and so does the filesystem: the result is about the data.
    CompressibleData {
        /// The filesystem's compression.
        compression: String,
        /// What the buffers hold.
        data: String,
    },
    /// Buffered I/O on a file that fits into memory: the result is about the page cache.
    FileFitsInMemory {
        /// The files of all jobs together.
        files_bytes: Bytes,
        /// The machine's memory.
        memory_bytes: Bytes,
    },
    /// The engine cannot keep so many I/Os under way.
    DepthIgnored {
        /// The engine.
        engine: String,
        /// The depth that was asked for.
        depth: u32,
        /// Why it cannot.
        why: String,
    },
    /// The budget cannot give every cell the samples an interval needs.
    BudgetTooSmall {
        /// What there is.
        budget_ns: Nanos,
        /// What the fewest samples take.
        needed_ns: Nanos,
    },
    /// The budget ended before every cell had the samples that it was to have. Not stored: a run can be
    /// given more.
    BudgetEnded {
        /// How many cells there are.
        cells: usize,
        /// How many of them have no sample beside the warm-up.
        cells_empty: usize,
        /// How many more have fewer than they were to have.
        cells_short: usize,
        /// How many that is.
        at_least: usize,
    },
    /// An array under the target was not idle.
    ArrayBusy {
        /// The array.
        array: String,
        /// What it was doing: `resync`, `recover`, `check`, ...
        action: String,
    },
    /// An array under the target lacked members before the measurement began.
    ArrayDegraded {
        /// The array.
        array: String,
        /// How many members are missing.
        missing_count: u32,
    },
    /// An array has lost members since the measurement began that were not to fail.
    ArrayLostMembers {
        /// The array.
        array: String,
        /// How many members it lacks now, those included that it lacked before.
        missing_count: u32,
    },
    /// The load ended before a failure had happened that the study asks for, or its repair had begun.
    FailureUnfinished {
        /// The array.
        array: String,
        /// The member.
        device: String,
        /// What had not happened.
        step: FailureStep,
    },
    /// The device moved fewer bytes than fio: something answered from memory or compressed.
    FewerBytesAtDevice {
        /// Reads or writes.
        direction: Direction,
        /// What fio moved.
        asked_bytes: Bytes,
        /// What the devices moved.
        device_bytes: Bytes,
        /// Whether the study asked for it: buffered I/O, or data that a filesystem compresses.
        asked_for: bool,
    },
    /// The device moved more bytes than fio asked for: something else used it, or it amplifies.
    MoreBytesAtDevice {
        /// Reads or writes.
        direction: Direction,
        /// What fio moved.
        asked_bytes: Bytes,
        /// What the devices moved.
        device_bytes: Bytes,
        /// The process that moved most meanwhile, where it can be told.
        process: Option<String>,
    },
    /// The disks under the target cannot be told, so their counters cannot be looked at.
    DisksUnknown {
        /// The filesystem.
        filesystem: String,
    },
    /// A partition does not begin where the disk or the array would like it to.
    PartitionMisaligned {
        /// The partition.
        device: String,
        /// Where on its disk it begins.
        start_bytes: Bytes,
        /// What that should be a multiple of.
        unit: AlignmentUnit,
        /// How large that is.
        unit_bytes: Bytes,
    },
    /// The load ended before its time.
    ShortRun {
        /// How long it should have run.
        asked_ns: Nanos,
        /// How long it ran.
        elapsed_ns: Nanos,
    },
    /// The highest clock that a CPU is allowed fell during the sample.
    FrequencyFell {
        /// What it was before.
        before_khz: u64,
        /// What it was after.
        after_khz: u64,
    },
    /// A CPU was throttled because of heat during the sample.
    Throttled {
        /// How many times.
        count: u64,
    },
    /// The first counted sample is unlike the others of its cell.
    FirstSampleUnlike {
        /// The metric.
        metric: Metric,
        /// The first sample's value.
        first: f64,
        /// The median of the others.
        median_of_rest: f64,
    },
    /// The samples of a cell rise or fall over the run.
    Drift {
        /// The metric.
        metric: Metric,
        /// By how much from the first to the last, as a fraction of the median.
        relative_change: f64,
        /// How probable such a trend is by chance.
        p_value: f64,
    },
    /// Each sample of a cell resembles the one before it: they count for fewer.
    Autocorrelated {
        /// The metric.
        metric: Metric,
        /// The correlation of each sample with the one before.
        lag1: f64,
        /// How many samples there are.
        samples: usize,
        /// How many independent ones they are worth.
        effective_samples: f64,
    },
    /// A cell did not become steady within the rounds that SNIA allows.
    NotSteady {
        /// How many rounds were run.
        rounds: usize,
    },
    /// fio reported an error number for a job.
    JobFailed {
        /// The job.
        job: String,
        /// The error number.
        errno: i64,
    },
    /// A modelled disk had no room for what was written to it.
    DiskWithoutRoom {
        /// The disk.
        device: String,
        /// How many requests failed.
        failed_count: u64,
        /// How often a write waited for memory.
        waits_count: u64,
    },
    /// A guest heard late of what a modelled disk had done.
    DiskHeardLate {
        /// The disk.
        device: String,
        /// How long a request took, as the disk's profile says: the mean.
        service_ns: Nanos,
        /// How long after its end the guest heard of it: the mean.
        late_ns: Nanos,
    },
    /// What was read back is not what was written, or copies of it do not agree.
    DataDiffers {
        /// How that was found, as a sentence fragment.
        how: String,
    },
    /// The load was to be verified, and the world has no data to compare.
    NotVerified {
        /// The world.
        world: String,
    },
    /// A simulation ended at the bound of its effort, before its estimate was steady.
    SimulationCutShort {
        /// How many I/Os it rests on, after its warm-up.
        ios: u64,
    },
    /// A simulation reached the bound of its effort while something still changed.
    NotStationary {
        /// What.
        changing: Changing,
        /// How many I/Os were simulated, the warm-up among them.
        ios: u64,
    },
    /// The source kept no latency histogram: percentiles are not known.
    NoHistogram,
    /// Something was guessed, bent or left out when a result was imported.
    Imported {
        /// What, as a sentence fragment.
        note: String,
    },
}

impl Warning {
    /// Returns whether a sample with this warning must not be counted.
    pub fn invalidates(&self) -> bool {
        matches!(
            self,
            Warning::FewerBytesAtDevice {
                asked_for: false,
                ..
            } | Warning::MoreBytesAtDevice { .. }
                | Warning::ShortRun { .. }
                | Warning::Throttled { .. }
                | Warning::FrequencyFell { .. }
                | Warning::ArrayBusy { .. }
                | Warning::ArrayLostMembers { .. }
                | Warning::FailureUnfinished { .. }
                | Warning::JobFailed { .. }
                | Warning::DataDiffers { .. }
                | Warning::DiskWithoutRoom { .. }
        )
    }

    /// Returns whether both say the same but for numbers, so that one of them can stand for both.
    pub fn is_same_kind(&self, other: &Warning) -> bool {
        match (self, other) {
            (Warning::Imported { note }, Warning::Imported { note: other }) => {
                let words = |note: &str| -> String {
                    note.chars().filter(|c| !c.is_ascii_digit()).collect()
                };
                words(note) == words(other)
            }
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// Returns what was noticed, with the evidence, as a sentence fragment.
    pub fn message(&self) -> Message {
        let message = Message::new(format!("warning-{}", self.id()));
        match self {
            Warning::CompressibleData { compression, data } => {
                message.name("compression", compression).name("data", data)
            }
            Warning::FileFitsInMemory {
                files_bytes,
                memory_bytes,
            } => message
                .with("files", mib(*files_bytes))
                .with("memory", mib(*memory_bytes)),
            Warning::DepthIgnored { engine, depth, why } => message
                .name("engine", engine)
                .digits("depth", depth)
                .name("why", why),
            Warning::BudgetTooSmall {
                budget_ns,
                needed_ns,
            } => message
                .with("budget", seconds(*budget_ns, 0))
                .with("needed", seconds(*needed_ns, 0)),
            Warning::BudgetEnded {
                cells,
                cells_empty,
                cells_short,
                at_least,
            } => message
                .digits("cells", cells)
                .digits("empty", cells_empty)
                .digits("short", cells_short)
                .digits("least", at_least)
                .name("what", short_or_empty(*cells_short, *cells_empty)),
            Warning::ArrayBusy { array, action } => {
                message.name("array", array).name("action", action)
            }
            Warning::ArrayDegraded {
                array,
                missing_count,
            }
            | Warning::ArrayLostMembers {
                array,
                missing_count,
            } => message
                .name("array", array)
                .count("missing", *missing_count),
            Warning::FailureUnfinished {
                array,
                device,
                step,
            } => message
                .name("array", array)
                .name("device", device)
                .name("step", step.key()),
            Warning::FewerBytesAtDevice { .. } | Warning::MoreBytesAtDevice { .. } => {
                self.bytes_at_device(message)
            }
            Warning::PartitionMisaligned {
                device,
                start_bytes,
                unit,
                unit_bytes,
            } => message
                .name("device", device)
                .digits("start", start_bytes.as_u64())
                .name("unit", unit.key())
                .digits("bytes", unit_bytes.as_u64()),
            Warning::ShortRun {
                asked_ns,
                elapsed_ns,
            } => message
                .with("elapsed", seconds(*elapsed_ns, 2))
                .with("asked", seconds(*asked_ns, 2)),
            Warning::FrequencyFell {
                before_khz,
                after_khz,
            } => message
                .digits("before", before_khz / 1000)
                .digits("after", after_khz / 1000),
            Warning::Throttled { count } => message.count("count", *count),
            Warning::FirstSampleUnlike { .. }
            | Warning::Drift { .. }
            | Warning::Autocorrelated { .. } => self.of_series(message),
            Warning::NotSteady { rounds } => message.digits("rounds", rounds),
            Warning::JobFailed { job, errno } => message
                .name("job", job)
                .digits("errno", errno)
                .name("reason", os_error(*errno)),
            Warning::DiskWithoutRoom {
                device,
                failed_count,
                waits_count,
            } => message
                .name("device", device)
                .count("waits", *waits_count)
                .count("failed", *failed_count),
            Warning::DiskHeardLate {
                device,
                service_ns,
                late_ns,
            } => message
                .name("device", device)
                .with(
                    "service",
                    Argument::quantity(service_ns.as_u64().to_string(), "ns"),
                )
                .with(
                    "late",
                    Argument::quantity(late_ns.as_u64().to_string(), "ns"),
                ),
            Warning::DisksUnknown { filesystem } => message.name("filesystem", filesystem),
            Warning::DataDiffers { how } => message.name("how", how),
            Warning::NotVerified { world } => message.name("world", world),
            Warning::SimulationCutShort { ios } => message.count("ios", *ios),
            Warning::NotStationary { changing, ios } => {
                message.count("ios", *ios).name("changing", changing.key())
            }
            Warning::Imported { note } => message.name("note", note),
            Warning::NoHistogram => message,
        }
    }

    /// Returns what to do about it, where that is known.
    pub fn hint(&self) -> Option<Message> {
        let has_hint = !matches!(self, Warning::JobFailed { .. } | Warning::Imported { .. });
        has_hint.then(|| Message::new(format!("hint-{}", self.id())))
    }

    /// Returns the name of the kind in the catalogue.
    const fn id(&self) -> &'static str {
        match self {
            Warning::CompressibleData { .. } => "compressible-data",
            Warning::FileFitsInMemory { .. } => "file-fits-in-memory",
            Warning::DepthIgnored { .. } => "depth-ignored",
            Warning::BudgetTooSmall { .. } => "budget-too-small",
            Warning::BudgetEnded { .. } => "budget-ended",
            Warning::ArrayBusy { .. } => "array-busy",
            Warning::ArrayDegraded { .. } => "array-degraded",
            Warning::ArrayLostMembers { .. } => "array-lost-members",
            Warning::FailureUnfinished { .. } => "failure-unfinished",
            Warning::FewerBytesAtDevice { .. } => "fewer-bytes-at-device",
            Warning::MoreBytesAtDevice { .. } => "more-bytes-at-device",
            Warning::DisksUnknown { .. } => "disks-unknown",
            Warning::PartitionMisaligned { .. } => "partition-misaligned",
            Warning::ShortRun { .. } => "short-run",
            Warning::FrequencyFell { .. } => "frequency-fell",
            Warning::Throttled { .. } => "throttled",
            Warning::FirstSampleUnlike { .. } => "first-sample-unlike",
            Warning::Drift { .. } => "drift",
            Warning::Autocorrelated { .. } => "autocorrelated",
            Warning::NotSteady { .. } => "not-steady",
            Warning::JobFailed { .. } => "job-failed",
            Warning::DiskWithoutRoom { .. } => "disk-without-room",
            Warning::DiskHeardLate { .. } => "disk-heard-late",
            Warning::DataDiffers { .. } => "data-differs",
            Warning::NotVerified { .. } => "not-verified",
            Warning::SimulationCutShort { .. } => "simulation-cut-short",
            Warning::NotStationary { .. } => "not-stationary",
            Warning::NoHistogram => "no-histogram",
            Warning::Imported { .. } => "imported",
        }
    }

    /// Fills the message of a warning that the devices moved more or fewer bytes.
    fn bytes_at_device(&self, message: Message) -> Message {
        match self {
            Warning::FewerBytesAtDevice {
                direction,
                asked_bytes,
                device_bytes,
                ..
            } => message
                .name("direction", direction)
                .with("device", mib(*device_bytes))
                .with("asked", mib(*asked_bytes)),
            Warning::MoreBytesAtDevice {
                direction,
                asked_bytes,
                device_bytes,
                process,
            } => message
                .name("direction", direction)
                .with("device", mib(*device_bytes))
                .with("asked", mib(*asked_bytes))
                .name("is_known", process.is_some())
                .name("process", process.as_deref().unwrap_or_default()),
            _ => message,
        }
    }

    /// Fills the message of a warning about the samples of a cell, one after the other.
    fn of_series(&self, message: Message) -> Message {
        match self {
            Warning::FirstSampleUnlike {
                metric,
                first,
                median_of_rest,
            } => message
                .with("metric", metric.message())
                .with("first", metric.quantity(*first))
                .with("rest", metric.quantity(*median_of_rest)),
            Warning::Drift {
                metric,
                relative_change,
                p_value,
            } => message
                .with("metric", metric.message())
                .name(
                    "direction",
                    if *relative_change < 0.0 {
                        "falls"
                    } else {
                        "rises"
                    },
                )
                .percent("percent", relative_change.abs())
                .digits("p", format!("{p_value:.3}")),
            Warning::Autocorrelated {
                metric,
                lag1,
                samples,
                effective_samples,
            } => message
                .with("metric", metric.message())
                .digits("lag", format!("{lag1:.2}"))
                .digits("samples", samples)
                .digits("effective", format!("{effective_samples:.1}")),
            _ => message,
        }
    }
}

/// Returns which of the two counts of cells a message names.
const fn short_or_empty(short: usize, empty: usize) -> &'static str {
    match (short, empty) {
        (_, 0) => "short",
        (0, _) => "empty",
        _ => "both",
    }
}

/// Returns the text of an error number, from the operating system.
fn os_error(errno: i64) -> String {
    std::io::Error::from_raw_os_error(i32::try_from(errno).unwrap_or(i32::MAX)).to_string()
}

fn seconds(time: Nanos, decimals: usize) -> Argument {
    Argument::quantity(format!("{:.decimals$}", time.as_secs_f64()), "s")
}

/// Returns bytes in MiB with a precision that suits a sentence.
fn mib(bytes: Bytes) -> Argument {
    let tenths = u128::from(bytes.as_u64()) * 10 / (1 << 20);
    Argument::quantity(format!("{}.{}", tenths / 10, tenths % 10), "MiB")
}
