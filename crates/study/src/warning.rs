//! "Is it real?": what was noticed about a measurement, with the evidence and what to do.
//!
//! Each warning is a type of its own, so that programs can act on it; people read [`Warning::message`]
//! and [`Warning::hint`]. Some only colour a result; those for which [`Warning::invalidates`] is
//! true make a sample worthless: it is kept, marked, and not counted.

use serde::{Deserialize, Serialize};

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

impl std::fmt::Display for AlignmentUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            AlignmentUnit::PhysicalBlock => "the physical block",
            AlignmentUnit::OptimalIo => "the I/O size that the disk likes best",
            AlignmentUnit::Chunk => "the chunk",
        })
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

impl std::fmt::Display for Changing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Changing::Throughput => "the throughput",
            Changing::WriteCache => "what the devices' write caches hold",
            Changing::FastArea => "what the devices' fast areas hold",
            Changing::FlashBlocks => "how full the blocks of the flash are",
            Changing::PageCache => "the number of dirty pages",
            Changing::Bitmap => "the number of bits set in the bitmap",
        })
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

impl std::fmt::Display for FailureStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            FailureStep::Fail => "had not failed",
            FailureStep::TakeOut => "had failed, but the kernel had not let go of it",
            FailureStep::PutBack => "had not been put back",
        })
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
    pub fn message(&self) -> String {
        match self {
            Warning::CompressibleData { compression, data } => format!(
                "the data is {data} and the filesystem compresses ({compression}): the result depends on the data, not on the disk"
            ),
            Warning::FileFitsInMemory {
                files_bytes,
                memory_bytes,
            } => format!(
                "buffered I/O on {} of files with {} of memory: the page cache is measured, not the disk",
                mib(*files_bytes),
                mib(*memory_bytes)
            ),
            Warning::DepthIgnored { engine, depth, why } => {
                format!("engine `{engine}` does not keep {depth} I/Os under way: {why}")
            }
            Warning::BudgetTooSmall {
                budget_ns,
                needed_ns,
            } => format!(
                "the budget of {:.0} s is too small: the fewest samples for an interval take about {:.0} s",
                budget_ns.as_secs_f64(),
                needed_ns.as_secs_f64()
            ),
            Warning::BudgetEnded {
                cells,
                cells_empty,
                cells_short,
                at_least,
            } => {
                let cells = match (cells_empty, cells_short) {
                    (0, short) => {
                        format!("{short} of {cells} cells have fewer than {at_least} samples")
                    }
                    (empty, 0) => format!("{empty} of {cells} cells have no sample"),
                    (empty, short) => format!(
                        "{empty} of {cells} cells have no sample, and {short} more have fewer than {at_least}"
                    ),
                };
                format!("the budget ended early: {cells}")
            }
            Warning::ArrayBusy { array, action } => {
                format!("array `{array}` was busy with `{action}`")
            }
            Warning::ArrayDegraded {
                array,
                missing_count,
            } => {
                format!("array `{array}` lacks {missing_count} member(s)")
            }
            Warning::ArrayLostMembers {
                array,
                missing_count,
            } => {
                format!(
                    "array `{array}` lost a member since the measurement began, and lacks {missing_count} now"
                )
            }
            Warning::FailureUnfinished {
                array,
                device,
                step,
            } => {
                format!("when the load ended, `{device}` of array `{array}` {step}")
            }
            Warning::FewerBytesAtDevice {
                direction,
                asked_bytes,
                device_bytes,
                ..
            } => format!(
                "the devices {direction} {} where {} were asked for: a cache or compression answered",
                mib(*device_bytes),
                mib(*asked_bytes)
            ),
            Warning::MoreBytesAtDevice {
                direction,
                asked_bytes,
                device_bytes,
                process,
            } => {
                let who = process.as_ref().map_or(String::new(), |name| {
                    format!("; busiest other process: {name}")
                });
                format!(
                    "the devices {direction} {} where {} were asked for{who}",
                    mib(*device_bytes),
                    mib(*asked_bytes)
                )
            }
            Warning::DisksUnknown { filesystem } => format!(
                "the disks below `{filesystem}` cannot be told: cache hits, compression and other processes' I/O go unnoticed"
            ),
            Warning::PartitionMisaligned {
                device,
                start_bytes,
                unit,
                unit_bytes,
            } => format!(
                "`{device}` begins at byte {} of its disk, which is no multiple of {unit} ({} bytes)",
                start_bytes.as_u64(),
                unit_bytes.as_u64()
            ),
            Warning::ShortRun {
                asked_ns,
                elapsed_ns,
            } => format!(
                "the load ran {:.2} s of {:.2} s",
                elapsed_ns.as_secs_f64(),
                asked_ns.as_secs_f64()
            ),
            Warning::FrequencyFell {
                before_khz,
                after_khz,
            } => format!(
                "the highest clock a CPU is allowed fell from {} to {} MHz",
                before_khz / 1000,
                after_khz / 1000
            ),
            Warning::Throttled { count } => {
                format!("the CPU was throttled for heat {count} time(s)")
            }
            Warning::FirstSampleUnlike {
                metric,
                first,
                median_of_rest,
            } => format!(
                "the first counted sample is unlike the rest ({metric} {} against {})",
                metric.quantity(*first),
                metric.quantity(*median_of_rest)
            ),
            Warning::Drift {
                metric,
                relative_change,
                p_value,
            } => format!(
                "{metric} {} by {:.0} % over the run (p = {p_value:.3})",
                if *relative_change < 0.0 {
                    "falls"
                } else {
                    "rises"
                },
                relative_change.abs() * 100.0
            ),
            Warning::Autocorrelated {
                metric,
                lag1,
                samples,
                effective_samples,
            } => format!(
                "{metric}: each sample resembles the one before (lag-1 correlation {lag1:.2}), so {samples} samples count as {effective_samples:.1}"
            ),
            Warning::NotSteady { rounds } => {
                format!("no steady state within {rounds} rounds")
            }
            Warning::JobFailed { job, errno } => {
                format!(
                    "fio's job `{job}` reports error {errno} ({})",
                    std::io::Error::from_raw_os_error(i32::try_from(*errno).unwrap_or(i32::MAX))
                )
            }
            Warning::DiskWithoutRoom {
                device,
                failed_count,
                waits_count,
            } => format!(
                "modelled disk `{device}` had no room for what was written: {waits_count} times a write waited for memory, and {failed_count} requests failed"
            ),
            Warning::DiskHeardLate {
                device,
                service_ns,
                late_ns,
            } => format!(
                "modelled disk `{device}` was heard late: requests took {} ns as its profile says, and the guest noticed {} ns later",
                service_ns.as_u64(),
                late_ns.as_u64()
            ),
            Warning::DataDiffers { how } => {
                format!("data was lost or changed: {how}")
            }
            Warning::NotVerified { world } => {
                format!("nothing is verified: the {world} world has no data to compare")
            }
            Warning::SimulationCutShort { ios } => format!(
                "the simulation reached the bound of its effort and rests on {ios} I/O(s): the estimate is less certain than usual"
            ),
            Warning::NotStationary { changing, ios } => format!(
                "after {ios} simulated I/O(s) {changing} still changed: this is a phase, not the long run"
            ),
            Warning::Imported { note } => note.clone(),
            Warning::NoHistogram => {
                "the source kept no latency histogram: percentiles are fio's own per job or unknown"
                    .to_owned()
            }
        }
    }

    /// Returns what to do about it, where we know.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Warning::CompressibleData { .. } => {
                "set `data = \"incompressible\"`, or compare several ratios"
            }
            Warning::FileFitsInMemory { .. } => {
                "set `direct = true`, or a `size` of at least twice the memory"
            }
            Warning::DepthIgnored { .. } => {
                "use `engine = \"io_uring\"`, or `libaio` with `direct = true`, or more `jobs`"
            }
            Warning::BudgetTooSmall { .. } | Warning::BudgetEnded { .. } => {
                "give a larger `--budget`, fewer cells or a shorter `sample`"
            }
            Warning::ArrayBusy { .. }
            | Warning::ArrayDegraded { .. }
            | Warning::ArrayLostMembers { .. } => return self.array_hint(),
            Warning::FailureUnfinished { .. } => {
                "let it fail or come back earlier, or set a longer `sample` in `[repeat]`"
            }
            Warning::FewerBytesAtDevice { .. } => {
                "set `direct = true` and `data = \"incompressible\"`; a larger `size` defeats a cache below the filesystem"
            }
            Warning::MoreBytesAtDevice { .. } => {
                "stop what else uses the disk; where nothing does, the filesystem or array amplifies (small writes on large blocks, `fsync` journals)"
            }
            Warning::DisksUnknown { .. } => {
                "trust absolute numbers less, and compare with a `size` well above all caches"
            }
            Warning::PartitionMisaligned { .. } => {
                "let partitions begin at multiples of 1 MiB, as `parted --align optimal` does; or mean it, and compare"
            }
            Warning::ShortRun { .. } => {
                "look at fio's messages in the record; a full disk or a signal ends it early"
            }
            Warning::FrequencyFell { .. } => {
                "set the `performance` governor and look at temperatures"
            }
            Warning::Throttled { .. } => "cool the machine; a throttled CPU measures the fan",
            Warning::FirstSampleUnlike { .. } => {
                "a longer `sample` or `steady_state = \"snia\"` warms up further"
            }
            Warning::Drift { .. } => "`steady_state = \"snia\"` waits until the device is steady",
            Warning::Autocorrelated { .. } => {
                "longer samples or more of them; the interval allows for it already"
            }
            Warning::NotSteady { .. } => {
                "precondition longer, or take the result as a phase, not as a state"
            }
            Warning::DiskWithoutRoom { .. } => {
                "give the guest more memory with `--memory`, or the study a smaller `size`"
            }
            Warning::DiskHeardLate { .. } => {
                "the guest's one core was busy, mostly with copying: let the stack have no filesystem and verify nothing, or compare lab with lab only"
            }
            Warning::DataDiffers { .. } => {
                "trust nothing on these devices: look at the kernel's log (`dmesg`), at cables and memory, and at the rebuild"
            }
            Warning::NotVerified { .. } => "`--world lab` or `--world metal` reads it back",
            Warning::SimulationCutShort { .. } => "ask about smaller I/Os, or fewer at once",
            Warning::NotStationary { .. } => {
                "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device"
            }
            Warning::JobFailed { .. } | Warning::Imported { .. } => return None,
            Warning::NoHistogram => "run fio with `--output-format=json+`",
        })
    }

    /// Returns what to do about the state of an array.
    fn array_hint(&self) -> Option<&'static str> {
        Some(match self {
            Warning::ArrayBusy { .. } => {
                "wait until /proc/mdstat shows no resync, recovery or check"
            }
            Warning::ArrayDegraded { .. } => {
                "a degraded array is another array: repair it first, or mean it"
            }
            Warning::ArrayLostMembers { .. } => {
                "a disk failed or was taken out: `dmesg` and `cat /proc/mdstat` say which and why; replace it"
            }
            _ => return None,
        })
    }
}

/// Writes bytes in MiB with a precision that suits a sentence.
fn mib(bytes: Bytes) -> String {
    let tenths = u128::from(bytes.as_u64()) * 10 / (1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}
