//! Warnings: signs that a number is not what the study asked for, with evidence and a hint.
//!
//! Each warning is a type of its own, so that programs can act on it; people read [`Warning::message`]
//! and [`Warning::hint`]. Some only colour a result; those for which [`Warning::invalidates`] is
//! true make a sample worthless: it is kept, marked, and not counted.

use serde::{Deserialize, Serialize};
use stripewise_message::{Argument, Message};

use crate::hosts::HostFinding;
use crate::import_note::ImportNote;
use crate::metric::Metric;
use stripewise_units::{Bytes, Nanos};

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

/// The unit to which a partition should be aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AlignmentUnit {
    /// The physical block of the disk: a request across a boundary touches two, and a partial write
    /// reads the block first.
    PhysicalBlock,
    /// The disk's optimal I/O size.
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

/// A quantity that still changed when a simulation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Changing {
    /// The throughput, and no state that the model tracks.
    Throughput,
    /// The data in the devices' write caches.
    WriteCache,
    /// The data in the devices' fast areas.
    FastArea,
    /// The occupancy of the flash blocks.
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
    /// The kernel releases it, so that it can be removed.
    #[serde(rename = "take_out")]
    Remove,
    /// It is re-added, or replaced by a new one.
    #[serde(rename = "put_back")]
    ReAdd,
}

impl FailureStep {
    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            FailureStep::Fail => "fail",
            FailureStep::Remove => "take_out",
            FailureStep::ReAdd => "put_back",
        }
    }
}

/// The points of a device's profile that the model misses by more than 10 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MissedPoints {
    /// The device profile.
    pub profile: String,
    /// The host of the simulation.
    pub host: String,
    /// The host with which the profile was fitted, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted_host: Option<String>,
    /// How many points are missed by more than 10 %.
    pub missed: u32,
    /// How many were looked at.
    pub points: u32,
    /// The pattern of the point that is missed most.
    pub pattern: String,
    /// Its size of an I/O.
    pub block_size_bytes: Bytes,
    /// Its I/Os in flight.
    pub in_flight: u32,
    /// The model's rate there over the measured one.
    pub ratio: f64,
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
    /// The kernel throttles the writes of a disk, because even its fastest reads take long, which the
    /// model does not simulate.
    WritesThrottled {
        /// The disk.
        device: String,
        /// The fastest read of any 100 ms in which that was so.
        read_ns: Nanos,
        /// The kernel's limit (`wbt_lat_usec`).
        limit_ns: Nanos,
    },
    /// The engine cannot keep so many I/Os in flight: libaio without direct I/O completes each one
    /// before `io_submit` returns.
    DepthIgnored {
        /// The engine.
        engine: String,
        /// The depth in the study.
        depth: u32,
    },
    /// The budget cannot give every cell the samples an interval needs.
    BudgetTooSmall {
        /// The budget.
        budget_ns: Nanos,
        /// The time of the fewest samples.
        needed_ns: Nanos,
    },
    /// The budget ended before every cell had its samples. Not stored: a resumed run can get more
    /// time.
    BudgetEnded {
        /// The number of cells.
        cells: usize,
        /// The number of cells without a sample, beside the warm-up.
        cells_empty: usize,
        /// The number of other cells with fewer than `at_least` samples.
        cells_short: usize,
        /// The fewest samples that the study wants.
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
        /// The number of missing members.
        missing_count: u32,
    },
    /// An array lost members after the measurement began, which the study did not ask for.
    ArrayLostMembers {
        /// The array.
        array: String,
        /// The number of missing members now, including those missing before.
        missing_count: u32,
    },
    /// The load ended before the study's failure had happened, or before its repair had begun.
    FailureUnfinished {
        /// The array.
        array: String,
        /// The member.
        device: String,
        /// The step that had not happened.
        step: FailureStep,
    },
    /// The device moved fewer bytes than fio: a cache or compression absorbed some.
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
    /// The devices moved less for each byte than with data that does not compress.
    DataShrunk {
        /// Reads or writes.
        direction: Direction,
        /// The share of the data that the devices did not move.
        share: f64,
        /// The rate that the measuring program saw.
        asked_bytes_per_s: f64,
        /// The rate of the data that the filesystem moved.
        moved_bytes_per_s: f64,
    },
    /// The device moved more bytes than fio requested: another program used it, or a layer amplifies.
    MoreBytesAtDevice {
        /// Reads or writes.
        direction: Direction,
        /// The bytes that fio moved.
        asked_bytes: Bytes,
        /// The bytes that the devices moved.
        device_bytes: Bytes,
        /// The other process that moved most bytes meanwhile, if known.
        process: Option<String>,
    },
    /// The disks that back the target are unknown, so their counters cannot be read.
    DisksUnknown {
        /// The filesystem.
        filesystem: String,
    },
    /// A partition is not aligned to its disk or array.
    PartitionMisaligned {
        /// The partition.
        device: String,
        /// Its offset on the disk.
        start_bytes: Bytes,
        /// The unit to which it should be aligned.
        unit: AlignmentUnit,
        /// The size of that unit.
        unit_bytes: Bytes,
    },
    /// The load ended before its time.
    ShortRun {
        /// The requested duration.
        asked_ns: Nanos,
        /// The actual duration.
        elapsed_ns: Nanos,
    },
    /// The maximum frequency of a CPU fell during the sample.
    FrequencyFell {
        /// Before the sample.
        before_khz: u64,
        /// After the sample.
        after_khz: u64,
    },
    /// A CPU was throttled because of heat during the sample.
    Throttled {
        /// The number of events.
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
        /// The change from the first to the last sample, as a fraction of the median.
        relative_change: f64,
        /// The probability of such a trend by chance.
        p_value: f64,
    },
    /// Each sample of a cell resembles the previous one, so they count as fewer.
    Autocorrelated {
        /// The metric.
        metric: Metric,
        /// The lag-1 correlation.
        lag1: f64,
        /// The number of samples.
        samples: usize,
        /// The number of independent samples with the same information.
        effective_samples: f64,
    },
    /// A cell did not become steady within the rounds that SNIA allows.
    NotSteady {
        /// The number of rounds.
        rounds: usize,
    },
    /// fio reported an error number for a job.
    JobFailed {
        /// The job.
        job: String,
        /// The error number.
        errno: i64,
        /// Its meaning on the system that fio ran on, if that is another one than ours; empty if it
        /// is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        text: Option<String>,
    },
    /// A modelled disk had no memory for the data written to it.
    #[serde(rename = "disk_without_room")]
    DiskStoreFull {
        /// The disk.
        device: String,
        /// The number of failed requests.
        failed_count: u64,
        /// The number of writes that waited for memory.
        waits_count: u64,
    },
    /// A guest saw the completions of a modelled disk late.
    #[serde(rename = "disk_heard_late")]
    LateCompletion {
        /// The disk.
        device: String,
        /// The mean service time, from the disk's profile.
        service_ns: Nanos,
        /// The mean delay until the guest saw the completion.
        late_ns: Nanos,
    },
    /// The only core of a guest was busy all the time, so that it decided the result.
    GuestCoreFull {
        /// The share of the load's time in which the core was busy, 0 to 1.
        busy_share: f64,
        /// The share that the load generator took, if known.
        generator_share: Option<f64>,
    },
    /// The data read back is not the data written, or the copies of an array differ.
    DataDiffers {
        /// The array whose members differ; `None` if fio read back other data than it had written.
        array: Option<String>,
    },
    /// The study asks to verify the data, but the world has none to compare.
    NotVerified {
        /// The world.
        world: String,
    },
    /// The study asks for the data at risk, which the world does not know.
    RiskNotMeasured,
    /// A simulation reached its effort limit before its estimate was steady.
    SimulationCutShort {
        /// The number of I/Os after the warm-up.
        ios: u64,
    },
    /// A simulation reached its effort limit while its state still changed.
    NotStationary {
        /// The changing quantity.
        changing: Changing,
        /// The number of simulated I/Os, including the warm-up.
        ios: u64,
    },
    /// The model misses points that a device's profile was calibrated from.
    PointsMissed(Box<MissedPoints>),
    /// The source has no latency histogram, so percentiles are unknown.
    NoHistogram,
    /// A value was guessed, approximated or left out when a result was imported.
    Imported {
        /// The value and what became of it.
        note: ImportNote,
    },
    /// Something about one of several hosts that ran the load.
    Host(Box<HostFinding>),
    /// The data of a warning cannot be read, for example a number that is not finite.
    Unreadable,
}

impl MissedPoints {
    /// Fills the message of the warning.
    fn fill(&self, message: Message) -> Message {
        let fitted = self.fitted_host.as_ref();
        let fitted = fitted.filter(|fitted| **fitted != self.host);
        message
            .name("profile", &self.profile)
            .name("host", &self.host)
            .name("is_other", if fitted.is_some() { "yes" } else { "no" })
            .name("fitted_host", fitted.map_or("", String::as_str))
            .count("missed", self.missed)
            .count("points", self.points)
            .name("pattern", &self.pattern)
            .name("block_size", self.block_size_bytes)
            .count("in_flight", self.in_flight)
            .name("is_faster", if self.ratio > 1.0 { "yes" } else { "no" })
            .percent("off", (self.ratio - 1.0).abs())
    }
}

impl Warning {
    /// Returns whether a sample with this warning must not be counted.
    pub fn invalidates(&self) -> bool {
        if let Warning::Host(finding) = self {
            return finding.invalidates();
        }
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
                | Warning::DiskStoreFull { .. }
        )
    }

    /// Returns what kind of warning it is: one can stand before others of its kind, which say the same of
    /// other numbers. An error number is no amount: another one is another error. Which other program was
    /// busy makes no other kind: each sample has its own.
    pub fn kind(&self) -> String {
        let mut one = self.clone();
        if let Warning::MoreBytesAtDevice { process, .. } = &mut one {
            *process = None;
        }
        let errno = match self {
            Warning::JobFailed { errno, .. } => Some(errno),
            _ => None,
        };
        format!("{errno:?} {}", one.message().without_numbers())
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
            Warning::WritesThrottled {
                device,
                read_ns,
                limit_ns,
            } => message
                .name("device", device)
                .with("read", nanoseconds(*read_ns))
                .with("limit", nanoseconds(*limit_ns)),
            Warning::DepthIgnored { engine, depth } => {
                message.name("engine", engine).digits("depth", depth)
            }
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
                .count("empty", *cells_empty)
                .count("short", *cells_short)
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
            Warning::DataShrunk {
                direction,
                share,
                asked_bytes_per_s,
                moved_bytes_per_s,
            } => message
                .name("direction", direction)
                .percent("percent", *share)
                .with("asked", Metric::Bandwidth.quantity(*asked_bytes_per_s))
                .with("moved", Metric::Bandwidth.quantity(*moved_bytes_per_s)),
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
            Warning::NotSteady { rounds } => message.count("rounds", *rounds),
            Warning::JobFailed { job, errno, text } => {
                let reason = text.clone().unwrap_or_else(|| os_error(*errno));
                message
                    .name("job", job)
                    .digits("errno", errno)
                    .name("has_reason", !reason.is_empty())
                    .name("reason", reason)
            }
            Warning::DiskStoreFull {
                device,
                failed_count,
                waits_count,
            } => message
                .name("device", device)
                .count("waits", *waits_count)
                .count("failed", *failed_count),
            Warning::GuestCoreFull {
                busy_share,
                generator_share,
            } => message
                .percent("busy", *busy_share)
                .name("is_known", generator_share.is_some())
                .percent("generator", generator_share.unwrap_or_default()),
            Warning::LateCompletion {
                device,
                service_ns,
                late_ns,
            } => message
                .name("device", device)
                .with("service", nanoseconds(*service_ns))
                .with("late", nanoseconds(*late_ns)),
            Warning::DisksUnknown { filesystem } => message.name("filesystem", filesystem),
            Warning::DataDiffers { array } => message
                .name("found_by", if array.is_some() { "md" } else { "fio" })
                .name("array", array.as_deref().unwrap_or_default()),
            Warning::NotVerified { world } => message.name("world", world),
            Warning::SimulationCutShort { ios } => message.count("ios", *ios),
            Warning::NotStationary { changing, ios } => {
                message.count("ios", *ios).name("changing", changing.key())
            }
            Warning::PointsMissed(missed) => missed.fill(message),
            Warning::Imported { note } => note.message(),
            Warning::Host(finding) => finding.fill(message),
            Warning::RiskNotMeasured | Warning::NoHistogram | Warning::Unreadable => message,
        }
    }

    /// Returns what to do about it, where that is known.
    pub fn hint(&self) -> Option<Message> {
        if let Warning::Host(finding) = self {
            return finding.hint();
        }
        let has_hint = !matches!(
            self,
            Warning::JobFailed { .. } | Warning::Imported { .. } | Warning::Unreadable
        );
        has_hint.then(|| Message::new(format!("hint-{}", self.id())))
    }

    /// Returns the name of the kind in the catalogue.
    pub const fn id(&self) -> &'static str {
        match self {
            Warning::Host(finding) => finding.id(),
            Warning::CompressibleData { .. } => "compressible-data",
            Warning::FileFitsInMemory { .. } => "file-fits-in-memory",
            Warning::WritesThrottled { .. } => "writes-throttled",
            Warning::DepthIgnored { .. } => "depth-ignored",
            Warning::BudgetTooSmall { .. } => "budget-too-small",
            Warning::BudgetEnded { .. } => "budget-ended",
            Warning::ArrayBusy { .. } => "array-busy",
            Warning::ArrayDegraded { .. } => "array-degraded",
            Warning::ArrayLostMembers { .. } => "array-lost-members",
            Warning::FailureUnfinished { .. } => "failure-unfinished",
            Warning::FewerBytesAtDevice { .. } => "fewer-bytes-at-device",
            Warning::DataShrunk { .. } => "data-shrunk",
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
            Warning::DiskStoreFull { .. } => "disk-store-full",
            Warning::LateCompletion { .. } => "late-completion",
            Warning::GuestCoreFull { .. } => "guest-core-full",
            Warning::DataDiffers { .. } => "data-differs",
            Warning::NotVerified { .. } => "not-verified",
            Warning::RiskNotMeasured => "risk-not-measured",
            Warning::SimulationCutShort { .. } => "simulation-cut-short",
            Warning::NotStationary { .. } => "not-stationary",
            Warning::PointsMissed(_) => "points-missed",
            Warning::NoHistogram => "no-histogram",
            Warning::Imported { .. } => "imported",
            Warning::Unreadable => "unreadable",
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

/// Returns the text of an error number, from the operating system, without the number.
pub fn os_error(errno: i64) -> String {
    let number = i32::try_from(errno).unwrap_or(i32::MAX);
    let text = std::io::Error::from_raw_os_error(number).to_string();
    match text.rsplit_once(" (os error ") {
        Some((text, _)) => text.to_owned(),
        None => text,
    }
}

/// Returns a time in seconds with a fixed number of decimals.
pub(crate) fn seconds(time: Nanos, decimals: usize) -> Argument {
    Argument::quantity(format!("{:.decimals$}", time.as_secs_f64()), "s")
}

/// Returns a time that its reader rounds.
fn nanoseconds(time: Nanos) -> Argument {
    Argument::quantity(time.as_u64().to_string(), "ns")
}

/// Returns bytes with a precision that suits a sentence: in MiB, and fewer in a smaller unit.
fn mib(bytes: Bytes) -> Argument {
    let bytes = bytes.as_u64();
    let (scale, unit) = match bytes {
        1..1024 => return Argument::quantity(bytes.to_string(), "B"),
        1024..1_048_576 => (1 << 10, "KiB"),
        _ => (1 << 20, "MiB"),
    };
    let tenths = u128::from(bytes) * 10 / scale;
    Argument::quantity(format!("{}.{}", tenths / 10, tenths % 10), unit)
}
