//! The result of one repetition of a cell, from any world.

use serde::{Deserialize, Serialize};
use stripewise_message::Message;

use crate::cut::Cut;
use crate::host_during::HostDuring;
use crate::hosts::HostShare;
use crate::metric::Metric;
use crate::risk::Risk;
use crate::series::{SampleEvent, Series};
use crate::warning::{Direction, Warning};
pub use stripewise_units::as_f64;
use stripewise_units::histogram::Histogram;
use stripewise_units::{Bytes, Nanos};

/// Latencies of one kind of operation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Latency {
    /// The number of timed operations.
    pub count: u64,
    /// The exact mean; `None` if no operation was timed.
    pub mean_ns: Option<f64>,
    /// The shortest; `None` if no operation was timed.
    pub min_ns: Option<Nanos>,
    /// The longest; `None` if no operation was timed.
    pub max_ns: Option<Nanos>,
    /// Counts by bin; empty if the source kept none.
    pub histogram: Histogram,
    /// The percentiles that the source reports, if it kept no histogram: percent and latency, in
    /// ascending order. They belong to these operations alone and are never merged or averaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percentiles: Vec<(f64, Nanos)>,
}

impl Latency {
    /// Returns the latency that the share `numerator / denominator` of the operations do not
    /// exceed: from the histogram, else from the percentiles of the source, else `None`.
    pub fn quantile_in(&self, numerator: u64, denominator: u64) -> Option<Nanos> {
        if !self.histogram.is_empty() {
            return self.histogram.quantile_in(numerator, denominator);
        }
        let percent = 100.0 * as_f64(numerator) / as_f64(denominator);
        self.percentiles
            .iter()
            .find(|(stated, _)| (stated - percent).abs() < 1e-6)
            .map(|(_, latency)| *latency)
    }

    /// Adds the operations of `other`: counts add, the mean is weighted, bins are merged exactly.
    ///
    /// If operations of either have no bins, the sum has none: bins of a part would look like bins
    /// of all. Percentiles of the source stay only if one of the two has no operations.
    pub fn merge(&mut self, other: &Latency) {
        if other.count == 0 && other.histogram.is_empty() {
            return;
        }
        if self.count == 0 && self.histogram.is_empty() {
            *self = other.clone();
            return;
        }
        self.percentiles.clear();
        let has_all_bins = !self.histogram.is_empty() && !other.histogram.is_empty();
        self.mean_ns = match (self.mean_ns, other.mean_ns) {
            (Some(left), Some(right)) => {
                let (left_count, right_count) = (as_f64(self.count), as_f64(other.count));
                Some((left * left_count + right * right_count) / (left_count + right_count))
            }
            (left, right) => left.or(right),
        };
        self.count = self.count.saturating_add(other.count);
        self.min_ns = self.min_ns.into_iter().chain(other.min_ns).min();
        self.max_ns = self.max_ns.max(other.max_ns);
        match has_all_bins {
            true => self.histogram.merge(&other.histogram),
            false => self.histogram = Histogram::new(),
        }
    }
}

/// The I/O done in one direction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Transfer {
    /// The number of completed I/Os.
    pub ios: u64,
    /// The number of bytes they moved.
    pub bytes: Bytes,
    /// Their latencies, from submission to completion.
    pub latency: Latency,
}

impl Transfer {
    /// Adds the I/O of `other`.
    pub fn merge(&mut self, other: &Transfer) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = Bytes::new(self.bytes.as_u64().saturating_add(other.bytes.as_u64()));
        self.latency.merge(&other.latency);
    }
}

/// The kernel's counters for one block device during the sample (`/sys/block/NAME/stat`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceDelta {
    /// The kernel's name of the device.
    pub device: String,
    /// Reads completed.
    pub reads: u64,
    /// Reads merged into others before they were issued.
    pub read_merges: u64,
    /// Bytes read.
    pub read_bytes: Bytes,
    /// Writes completed.
    pub writes: u64,
    /// Writes merged into others before they were issued.
    pub write_merges: u64,
    /// Bytes written.
    pub write_bytes: Bytes,
    /// Flushes completed; `None` before kernel 5.5, which does not count them.
    pub flushes: Option<u64>,
    /// How long the device was busy.
    pub busy_ns: Nanos,
    /// Which sectors a replay read and wrote, on a modelled disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors_sums: Option<SectorsSums>,
}

/// The sums of the numbers of all sectors that were read and written: the same however requests were
/// merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SectorsSums {
    /// Of reads.
    pub read: u64,
    /// Of writes.
    pub write: u64,
}

/// CPU time of the load generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CpuTime {
    /// In user mode.
    pub user_ns: Nanos,
    /// In the kernel.
    pub system_ns: Nanos,
}

/// A part of the time that an I/O takes on its critical path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Waiting in the program: glibc does the requests of `posixaio` on a file one after the other.
    AioQueue,
    /// CPU: system call, filesystem, pinning pages.
    Submit,
    /// CPU: the volume layer.
    VolumeCpu,
    /// CPU: the array layer.
    ArrayCpu,
    /// CPU: the members' queues.
    BlockCpu,
    /// Waiting in the block layer because the device accepts no more.
    BlockQueue,
    /// Waiting in the device.
    DeviceQueue,
    /// The device at work.
    DeviceService,
    /// The link between host and device.
    Link,
    /// The uplink that all devices share.
    Uplink,
    /// Waiting for the adapter's interrupt.
    Adapter,
    /// The time from the mean member's completion to the slowest one's.
    SlowestMember,
    /// Reading the blocks that new parity depends on.
    ReadModifyWrite,
    /// The thread of a parity array: waiting for it, and its work.
    ParityThread,
    /// Writing the write-intent bitmap or the superblock first.
    Bitmap,
    /// Held back while a mirror is rebuilt.
    Rebuild,
    /// Waiting for caches to be flushed.
    Flush,
    /// Writing the filesystem's journal.
    Journal,
    /// CPU: the page cache, and waiting until it accepts more.
    PageCache,
    /// CPU: interrupt, completion, waking the task.
    Completion,
}

impl Part {
    /// All parts, from the top of the stack down and back up.
    pub const ALL: [Part; 20] = [
        Part::AioQueue,
        Part::Submit,
        Part::VolumeCpu,
        Part::ArrayCpu,
        Part::BlockCpu,
        Part::BlockQueue,
        Part::DeviceQueue,
        Part::DeviceService,
        Part::Link,
        Part::Uplink,
        Part::Adapter,
        Part::SlowestMember,
        Part::ReadModifyWrite,
        Part::ParityThread,
        Part::Bitmap,
        Part::Rebuild,
        Part::Flush,
        Part::Journal,
        Part::PageCache,
        Part::Completion,
    ];

    /// The parts that are CPU time; those of the thread of a parity array are not apart.
    pub const CPU: [Part; 6] = [
        Part::Submit,
        Part::VolumeCpu,
        Part::ArrayCpu,
        Part::BlockCpu,
        Part::PageCache,
        Part::Completion,
    ];

    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Part::AioQueue => "aio_queue",
            Part::Submit => "submit",
            Part::VolumeCpu => "volume_cpu",
            Part::ArrayCpu => "array_cpu",
            Part::BlockCpu => "block_cpu",
            Part::BlockQueue => "block_queue",
            Part::DeviceQueue => "device_queue",
            Part::DeviceService => "device_service",
            Part::Link => "link",
            Part::Uplink => "uplink",
            Part::Adapter => "adapter",
            Part::SlowestMember => "slowest_member",
            Part::ReadModifyWrite => "read_modify_write",
            Part::ParityThread => "parity_thread",
            Part::Bitmap => "bitmap",
            Part::Rebuild => "rebuild",
            Part::Flush => "flush",
            Part::Journal => "journal",
            Part::PageCache => "page_cache",
            Part::Completion => "completion",
        }
    }

    /// Returns a short name of the part.
    pub fn message(self) -> Message {
        Message::new(format!("part-{}", self.key()))
    }
}

/// The time of one part of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PartTime {
    /// The part.
    pub part: Part,
    /// Its mean time.
    pub time_ns: f64,
}

/// How busy a component was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Utilisation {
    /// The component: `sd0`, `uplink`, `cpu of job 0`, `parity thread`.
    pub component: String,
    /// The share of the time in which it was busy, 0 to 1.
    pub busy_share: f64,
}

/// How sequential the I/O of one member was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequentiality {
    /// The member, as in the devices of the sample.
    pub device: String,
    /// The number of reads that continued where an earlier one ended.
    pub sequential_reads: u64,
    /// The number of writes that did.
    pub sequential_writes: u64,
}

/// The beginning of a steady simulation, before its long-run behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Onset {
    /// The bandwidth at the beginning.
    pub bytes_per_s: f64,
    /// The rate of I/Os at the beginning.
    pub ios_per_s: f64,
    /// The bytes of the load until the beginning ended.
    pub bytes: Bytes,
    /// The time until the beginning ended.
    pub time_ns: Nanos,
    /// Whether only caches filled that empty by themselves within seconds, as the memory of a hard disk, or
    /// the host's memory took the writes: then fresh devices are not in another state than steady ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub is_of_caches: bool,
}

/// How much of a load fills what makes fresh devices fast, with the neighbours, copies and parity that come
/// with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// The bytes of the load after which the first device's fast area is full; 0 without one.
    pub first: Bytes,
    /// The bytes of the load after which the last one's is.
    pub last: Bytes,
    /// The bytes of the load that the buffers behind them hold, which empty meanwhile.
    pub buffer: Bytes,
}

/// Where the time went; only the model world provides it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Breakdown {
    /// The mean I/O; the parts add up to its latency.
    pub mean: Vec<PartTime>,
    /// The mean of the slowest 1 %.
    pub slowest: Vec<PartTime>,
    /// How busy each component was.
    pub utilisation: Vec<Utilisation>,
    /// How sequential the I/O of the members was.
    pub sequentiality: Vec<Sequentiality>,
    /// The speed of the rebuild beside the load, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuild_bytes_per_s: Option<f64>,
    /// The beginning, if it differs from the rest by more than the estimate's interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onset: Option<Onset>,
    /// How much of the load the devices take faster than for ever while they are fresh; `None` if they have no
    /// such room, or it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
    /// The same load on fresh devices, without latencies; `None` if they are no other state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh: Option<Box<Sample>>,
    /// How far the rates and times may be from measured ones; `None` if a device's profile does not
    /// come from measurements of this kind of load, so that nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<Uncertainty>,
    /// How the load itself holds its rate back; `None` if it asks for as much as the stack gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_rate: Option<OwnRate>,
}

impl Breakdown {
    /// Returns the time of the mean I/O.
    pub fn mean_ns(&self) -> f64 {
        self.mean.iter().map(|part| part.time_ns).sum()
    }

    /// Returns the share of `parts` in the mean I/O.
    pub fn share(&self, parts: &[Part]) -> f64 {
        let times = self.mean.iter();
        let time: f64 = times
            .filter(|time| parts.contains(&time.part))
            .map(|time| time.time_ns)
            .sum();
        time / self.mean_ns().max(f64::MIN_POSITIVE)
    }
}

/// How a load holds its own rate back, whatever it runs on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum OwnRate {
    /// It reaches its limit (fio's `rate` and `rate_iops`).
    Limit {
        /// How many times as much the stack could give, at least.
        times_more: f64,
    },
    /// It pauses between its I/Os (fio's `thinktime`).
    Pauses {
        /// The share of the time in which it pauses.
        share: f64,
    },
}

impl OwnRate {
    /// Returns by how much the logarithm of the rate falls if everything below the load takes `slower`
    /// longer, a logarithm, too: a limit hides what the stack could give beyond it, and pauses take as
    /// long as before. A negative `slower` is faster.
    pub fn moved(self, slower: f64) -> f64 {
        match self {
            OwnRate::Limit { times_more } => (slower - times_more.ln()).max(0.0),
            OwnRate::Pauses { share } => (share + (1.0 - share) * slower.exp()).ln(),
        }
    }
}

/// How far a simulated rate or time may be from a measured one, besides the noise of the simulation.
///
/// Widths are of logarithms: half of the 95 % interval, so that 0.1 is about ±10 %.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Uncertainty {
    /// How much faster it may be: no faster than the links of the devices.
    pub faster: f64,
    /// How much slower.
    pub slower: f64,
    /// How much of that because a delay measured on one disk alone may be the adapter's.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub by_adapter: f64,
    /// How much slower it may be because the path that all disks share is not known.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub by_uplink: f64,
    /// The sources, the largest first.
    pub sources: Vec<UncertainPart>,
    /// Where the drives of a class lie; `None` if each device is one that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ClassSpread>,
    /// The measurement of one device that would narrow it most; `None` if none would by much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<NextMeasurement>,
    /// How much slower it may be with that measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then_slower: Option<f64>,
}

impl Uncertainty {
    /// Returns how much slower and how much faster the rate may be: what is uncertain about the stack
    /// moves the rate of a load with a limit or pauses of its own by less than its times.
    pub fn of_rate(&self, own_rate: Option<OwnRate>) -> (f64, f64) {
        match own_rate {
            None => (self.slower, self.faster),
            Some(own) => (own.moved(self.slower), -own.moved(-self.faster)),
        }
    }
}

/// Where published drives of a class lie around what is simulated for the class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClassSpread {
    /// How many drives were published under such a load.
    pub drives: u32,
    /// The logarithm of the rate with the middle one over the simulated rate.
    pub middle: f64,
}

/// A measurement of one device alone that would narrow a prediction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NextMeasurement {
    /// The device's profile.
    pub profile: String,
    /// The pattern in fio's words.
    pub pattern: String,
    /// The size of each I/O.
    pub block_size_bytes: u64,
    /// The I/Os in flight.
    pub depth: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_nothing(width: &f64) -> bool {
    *width <= 0.0
}

/// One source of uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UncertainPart {
    /// The source.
    pub source: UncertaintySource,
    /// Half of the 95 % interval of the logarithm.
    pub half_width: f64,
}

/// A source of uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum UncertaintySource {
    /// The profile does not repeat its own points exactly.
    Points,
    /// The load lies between the measured points, or beyond them.
    Between,
    /// The profile is one of a class, and the drives of a class differ.
    Class,
    /// A measurement repeated on another day gives another result.
    Repeat,
    /// The CPU times of the host were not measured.
    Cpu,
    /// The measurements leave the adapter's delay open.
    Adapter,
}

impl UncertaintySource {
    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            UncertaintySource::Points => "points",
            UncertaintySource::Between => "between",
            UncertaintySource::Class => "class",
            UncertaintySource::Repeat => "repeat",
            UncertaintySource::Cpu => "cpu",
            UncertaintySource::Adapter => "adapter",
        }
    }
}

/// The values that another program reported about an imported sample, unchanged.
///
/// Numbers have the names and units of that program. They are kept so that no reported value is
/// lost; no estimate uses them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Stated {
    /// The file that they were read from.
    pub source: String,
    /// The options of the job, without those that the whole file shares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// The options that the whole file shares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub global_options: Vec<(String, String)>,
    /// The counters of the disks, of all jobs of the file together; only the first sample of a file
    /// has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<VerbatimJob>,
    /// The values of each job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<VerbatimJob>,
}

/// The values that another program reported about one of its jobs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VerbatimJob {
    /// The numbers, by their path in the file: `read.clat_ns.percentile.99.000000`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<(String, f64)>,
    /// The texts, by their path likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<(String, String)>,
}

/// One repetition of a cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// When it began, in ns since 1970-01-01 UTC; `None` if the source does not say.
    pub started_unix_ns: Option<u64>,
    /// How long the load ran: the longest of its jobs.
    pub elapsed_ns: Nanos,
    /// How long this machine took for it; `None` if that is how long the load ran. A guest has a clock
    /// of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real_ns: Option<Nanos>,
    /// The reads.
    pub read: Transfer,
    /// The writes.
    pub write: Transfer,
    /// The bytes that the neighbours wrote meanwhile; `None` if there are none, or the source does not
    /// say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours_write_bytes: Option<Bytes>,
    /// `fsync` and `fdatasync` calls, which are not part of the write latency.
    pub sync: Latency,
    /// CPU time; `None` if the source does not say.
    pub cpu: Option<CpuTime>,
    /// The devices under the cell; empty if they are unknown.
    pub devices: Vec<DeviceDelta>,
    /// The state of the host; `None` if the world does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostDuring>,
    /// Where the time went; `None` if the world does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<Breakdown>,
    /// The data at risk; `None` unless the study asks and the world knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The power cut that ended the load; `None` unless the sample is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// The load step by step; kept if events happen on the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// The events of the array during the sample, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<SampleEvent>,
    /// The values that the measuring program reported, if the sample was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<Stated>,
    /// The share of each host, if several ran the load at the same time; the values above are of all
    /// hosts that ran it to the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostShare>,
    /// The warnings about this sample.
    pub warnings: Vec<Warning>,
}

impl DeviceDelta {
    /// Returns the bytes read or written.
    pub fn bytes(&self, direction: Direction) -> Bytes {
        match direction {
            Direction::Read => self.read_bytes,
            Direction::Write => self.write_bytes,
        }
    }
}

impl Sample {
    /// Returns the reads or the writes.
    pub fn transfer(&self, direction: Direction) -> &Transfer {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
        }
    }

    /// Returns whether a simulation spent all of its effort and did not know the rate by then.
    pub fn is_cut_short(&self) -> bool {
        let mut warnings = self.warnings.iter();
        warnings.any(|warning| matches!(warning, Warning::SimulationCutShort { .. }))
    }

    /// Returns whether no warning invalidates the sample.
    pub fn is_valid(&self) -> bool {
        !self.warnings.iter().any(Warning::invalidates)
    }

    /// Returns the bytes moved in both directions.
    pub fn bytes(&self) -> Bytes {
        Bytes::new(
            self.read
                .bytes
                .as_u64()
                .saturating_add(self.write.bytes.as_u64()),
        )
    }
}

/// Why a sample was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The first sample of a cell: kept, not counted.
    WarmUp,
    /// A sample that counts, if it is valid.
    Counted,
}

/// A sample and its place in the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleRecord {
    /// The index of its cell.
    pub cell: usize,
    /// The block in which it was taken: cells of one block were measured close in time.
    pub block: u32,
    /// Why it was taken.
    pub role: Role,
    /// The random seed of the measurement; `None` if the source does not say.
    pub seed: Option<u64>,
    /// The sample itself.
    #[serde(flatten)]
    pub sample: Sample,
}

impl Metric {
    /// Returns the metric's value of `sample`, or `None` if it has none.
    ///
    /// A power cut has none: its load ran in the real time of an emulated guest.
    pub fn of(self, sample: &Sample) -> Option<f64> {
        if sample.cut.is_some() {
            return None;
        }
        let seconds = sample.elapsed_ns.as_secs_f64();
        let per_second = |count: u64| (seconds > 0.0).then(|| as_f64(count) / seconds);
        let merged = || {
            let mut both = sample.read.clone();
            both.merge(&sample.write);
            both
        };
        let quantile =
            |transfer: Transfer, per_mille| nanos(transfer.latency.quantile_in(per_mille, 1000));
        match self {
            Metric::Bandwidth => per_second(sample.bytes().as_u64()),
            Metric::Iops => per_second(sample.read.ios.saturating_add(sample.write.ios)),
            Metric::LatencyMean => merged().latency.mean_ns,
            Metric::LatencyP50 => quantile(merged(), 500),
            Metric::LatencyP99 => tail(&merged().latency, 990),
            Metric::LatencyP999 => tail(&merged().latency, 999),
            Metric::SyncLatencyMean => sample.sync.mean_ns,
            Metric::SyncLatencyP99 => tail(&sample.sync, 990),
        }
    }
}

/// The middle of a bin is within this share of the latencies in it: bins are a 64th of a power of two wide.
const BIN_HALF: f64 = 1.0 / 128.0;

/// Returns a quantile of the slowest operations. The middle of its bin may lie below the exact mean of
/// latencies that are all in that bin: the mean then is as good a value of the bin, and not above the
/// quantile.
fn tail(latency: &Latency, per_mille: u64) -> Option<f64> {
    let value = nanos(latency.quantile_in(per_mille, 1000))?;
    let mean = latency.mean_ns.filter(|_| !latency.histogram.is_empty());
    let is_in_bin = |mean: &f64| (value..=value * (1.0 + BIN_HALF)).contains(mean);
    Some(mean.filter(is_in_bin).unwrap_or(value))
}

fn nanos(latency: Option<Nanos>) -> Option<f64> {
    latency.map(|latency| as_f64(latency.as_u64()))
}
