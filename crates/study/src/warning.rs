//! Warnings: doubts about a measurement, each with its evidence and what to do.
//!
//! Each warning is a type of its own, so that programs can act on it; people read
//! [`Warning::message`] and [`Warning::hint`]. If [`Warning::invalidates`] is true, the sample is
//! kept and marked, but does not count. All others only qualify a result.

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

/// The unit that the start of a partition should be a multiple of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AlignmentUnit {
    /// The disk's internal unit. A request that crosses a boundary costs two, and a small write
    /// also costs a read before it.
    PhysicalBlock,
    /// The request size that the disk reports as optimal.
    OptimalIo,
    /// The chunk of the array on the partition.
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

/// The state that may still change when a simulation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Changing {
    /// The throughput, but no state that the model tracks.
    Throughput,
    /// The fill of the devices' write caches.
    WriteCache,
    /// The fill of the devices' fast areas.
    FastArea,
    /// The state of the flash blocks.
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
    /// The kernel releases the member, so that it can be removed.
    TakeOut,
    /// The member is re-added or replaced.
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

/// A doubt about a measurement, raised before, during or after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Warning {
    /// Both the data and the filesystem compress: the result depends on the data.
    CompressibleData {
        /// The filesystem's compression.
        compression: String,
        /// The content of the buffers.
        data: String,
    },
    /// Buffered I/O on a file that fits into memory: this measures the page cache.
    FileFitsInMemory {
        /// The total size of the files of all jobs.
        files_bytes: Bytes,
        /// The machine's memory.
        memory_bytes: Bytes,
    },
    /// The engine cannot keep that many I/Os in flight.
    DepthIgnored {
        /// The engine.
        engine: String,
        /// The requested depth.
        depth: u32,
        /// The reason.
        why: String,
    },
    /// The budget is too small for the samples that an interval needs in every cell.
    BudgetTooSmall {
        /// The budget.
        budget_ns: Nanos,
        /// The time for the minimum number of samples.
        needed_ns: Nanos,
    },
    /// The budget ended before every cell had its minimum number of samples. Not stored: the user
    /// can continue a run with a larger budget.
    BudgetEnded {
        /// How many cells there are.
        cells: usize,
        /// How many of them have no sample besides the warm-up.
        cells_empty: usize,
        /// How many others have fewer samples than the minimum.
        cells_short: usize,
        /// The minimum number of samples.
        at_least: usize,
    },
    /// An array under the target was not idle.
    ArrayBusy {
        /// The array.
        array: String,
        /// Its sync action: `resync`, `recover`, `check`, ...
        action: String,
    },
    /// An array under the target lacked members before the measurement began.
    ArrayDegraded {
        /// The array.
        array: String,
        /// How many members are missing.
        missing_count: u32,
    },
    /// An array has lost members since the measurement began, besides those that the study fails.
    ArrayLostMembers {
        /// The array.
        array: String,
        /// How many members are missing now, including those missing before.
        missing_count: u32,
    },
    /// The load ended before a failure of the study happened, or before its repair began.
    FailureUnfinished {
        /// The array.
        array: String,
        /// The member.
        device: String,
        /// The step that did not happen.
        step: FailureStep,
    },
    /// The device moved fewer bytes than fio: a cache or compression absorbed the I/O.
    FewerBytesAtDevice {
        /// Reads or writes.
        direction: Direction,
        /// The bytes that fio moved.
        asked_bytes: Bytes,
        /// The bytes that the devices moved.
        device_bytes: Bytes,
        /// Whether the study causes it: buffered I/O, or data that a filesystem compresses.
        asked_for: bool,
    },
    /// The device moved more bytes than fio: another process used it, or the stack amplifies I/O.
    MoreBytesAtDevice {
        /// Reads or writes.
        direction: Direction,
        /// The bytes that fio moved.
        asked_bytes: Bytes,
        /// The bytes that the devices moved.
        device_bytes: Bytes,
        /// The process that moved the most bytes meanwhile, if known.
        process: Option<String>,
    },
    /// The disks under the target are unknown, so their counters cannot be checked.
    DisksUnknown {
        /// The filesystem.
        filesystem: String,
    },
    /// The start of a partition is not aligned for the disk or the array.
    PartitionMisaligned {
        /// The partition.
        device: String,
        /// Its start on the disk.
        start_bytes: Bytes,
        /// The unit that the start should be a multiple of.
        unit: AlignmentUnit,
        /// The size of that unit.
        unit_bytes: Bytes,
    },
    /// The load ended early.
    ShortRun {
        /// How long it should have run.
        asked_ns: Nanos,
        /// How long it ran.
        elapsed_ns: Nanos,
    },
    /// The maximum allowed frequency of a CPU fell during the sample.
    FrequencyFell {
        /// The maximum before the sample.
        before_khz: u64,
        /// The maximum after the sample.
        after_khz: u64,
    },
    /// A CPU was throttled because of heat during the sample.
    Throttled {
        /// How many times.
        count: u64,
    },
    /// The first counted sample differs from the others of its cell.
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
        /// The change from the first to the last, as a fraction of the median.
        relative_change: f64,
        /// The probability of such a trend by chance.
        p_value: f64,
    },
    /// Each sample of a cell resembles the one before it, so they are worth fewer.
    Autocorrelated {
        /// The metric.
        metric: Metric,
        /// The correlation of each sample with the one before.
        lag1: f64,
        /// The number of samples.
        samples: usize,
        /// The number of independent samples they are worth.
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
    /// A modelled disk had no memory for written data.
    DiskWithoutRoom {
        /// The disk.
        device: String,
        /// How many requests failed.
        failed_count: u64,
        /// How often a write waited for memory.
        waits_count: u64,
    },
    /// The guest noticed the completions of a modelled disk late.
    DiskHeardLate {
        /// The disk.
        device: String,
        /// The mean time of a request by the disk's profile.
        service_ns: Nanos,
        /// The mean delay until the guest noticed a completion.
        late_ns: Nanos,
    },
    /// Read data differs from the written data, or copies differ from each other.
    DataDiffers {
        /// How the difference was found, as a sentence fragment.
        how: String,
    },
    /// The study requests verification, but the world has no data to compare.
    NotVerified {
        /// The world.
        world: String,
    },
    /// A simulation reached its effort limit before its estimate was steady.
    SimulationCutShort {
        /// The number of simulated I/Os after the warm-up.
        ios: u64,
    },
    /// A simulation reached its effort limit while some state still changed.
    NotStationary {
        /// The state that still changed.
        changing: Changing,
        /// The number of simulated I/Os, including the warm-up.
        ios: u64,
    },
    /// The source kept no latency histogram: percentiles are unknown.
    NoHistogram,
    /// An import guessed, approximated or left out a value.
    Imported {
        /// The value and the reason, as a sentence fragment.
        note: String,
    },
}

impl Warning {
    /// Returns whether a sample with this warning does not count.
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

    /// Returns whether two warnings differ only in numbers, so that one of them can represent both.
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

    /// Returns the warning with its evidence, as a sentence fragment.
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

    /// Returns what to do about it, if known.
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

    /// Fills the message of a warning about the bytes that the devices moved.
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

    /// Fills the message of a warning about the series of a cell's samples.
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

/// Returns which of the two cell counts a message names.
const fn short_or_empty(short: usize, empty: usize) -> &'static str {
    match (short, empty) {
        (_, 0) => "short",
        (0, _) => "empty",
        _ => "both",
    }
}

/// Returns the operating system's text for an error number.
fn os_error(errno: i64) -> String {
    std::io::Error::from_raw_os_error(i32::try_from(errno).unwrap_or(i32::MAX)).to_string()
}

fn seconds(time: Nanos, decimals: usize) -> Argument {
    Argument::quantity(format!("{:.decimals$}", time.as_secs_f64()), "s")
}

/// Returns bytes in MiB, with a precision suitable for a sentence.
fn mib(bytes: Bytes) -> Argument {
    let tenths = u128::from(bytes.as_u64()) * 10 / (1 << 20);
    Argument::quantity(format!("{}.{}", tenths / 10, tenths % 10), "MiB")
}
