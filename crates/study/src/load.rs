//! The jobs of a load, and the keys of a study that describe them.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use stripewise_units::{Bytes, Nanos};

use crate::cell::Axis;
use crate::keys::{self, Acts, Backend, Key, Rate, Value, WithTrace, Words, key_table};
use crate::notation::{Mix, Notated};
use crate::workload::{BlockSize, Data, Distribution, Engine, Pattern, SyncMode};

/// More jobs than this are a mistake: each is a thread with a file of its own.
pub const JOBS_MAX: u32 = 1024;
/// The kernel's largest ring (`IORING_MAX_ENTRIES` in io_uring/io_uring.c).
pub const DEPTH_MAX: u32 = 32_768;
/// The longest I/O of a load: far more than most devices take at once. fio allocates it for each I/O.
pub const BLOCK_BYTES_MAX: Bytes = Bytes::new(1 << 30);
/// The largest file, device or part of one.
pub const SIZE_BYTES_MAX: Bytes = Bytes::new(1 << 50);
/// fio allocates a buffer for each I/O in flight: more than this is more memory than machines have.
pub const BUFFERS_BYTES_MAX: Bytes = Bytes::new(1 << 40);
/// fio takes pauses in whole microseconds.
const THINK_TIME_NS: u64 = 1_000;

/// How the I/Os of a load with a rate follow one another (fio's `rate_process`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RateProcess {
    /// At equal distances.
    #[default]
    Linear,
    /// At random ones, as the requests of many independent users.
    Poisson,
}

impl RateProcess {
    /// Returns whether I/Os follow one another at equal distances.
    pub fn is_linear(&self) -> bool {
        *self == RateProcess::Linear
    }
}

/// The jobs of one load, all alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// The order and direction of I/O.
    pub pattern: Pattern,
    /// The share of reads in percent; only for mixed patterns.
    pub read_percent: Option<u8>,
    /// The size of each I/O.
    #[serde(flatten)]
    pub block_size: BlockSize,
    /// The size of the file *of each job*.
    pub size_bytes: Bytes,
    /// Whether the page cache is bypassed (`O_DIRECT`).
    pub direct: bool,
    /// The system calls used.
    pub engine: Engine,
    /// How many jobs run at once.
    pub jobs: u32,
    /// The number of I/Os that each job keeps in flight.
    pub depth: u32,
    /// The content of write buffers.
    pub data: Data,
    /// Whether each write is durable before it returns.
    pub sync: SyncMode,
    /// An `fsync` after every so many writes.
    pub fsync_every: Option<NonZeroU32>,
    /// An `fdatasync` after every so many writes.
    pub fdatasync_every: Option<NonZeroU32>,
    /// The maximum bytes per second *of each job* and direction.
    pub rate_bytes_per_s: Option<Bytes>,
    /// The maximum I/Os per second *of each job* and direction.
    pub rate_iops: Option<NonZeroU32>,
    /// How I/Os with a rate follow one another.
    #[serde(default, skip_serializing_if = "RateProcess::is_linear")]
    pub rate_process: RateProcess,
    /// The distribution of random offsets.
    pub distribution: Distribution,
    /// Whether random blocks are drawn without regard to those before (fio's `norandommap`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub norandommap: bool,
    /// A pause after each I/O, or after [`Self::think_blocks`] of them.
    pub think_time_ns: Nanos,
    /// How many I/Os a job issues before it waits for those under way and pauses (fio's
    /// `thinktime_blocks`, with `thinktime_blocks_type=issue`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_blocks: Option<NonZeroU32>,
    /// How long a job issues I/Os before it waits for those under way and pauses (fio's
    /// `thinktime_iotime`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_iotime_ns: Option<Nanos>,
    /// Whether written data is read back after the sample and compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verify: bool,
    /// Whether to find out which acknowledged writes a power cut would lose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub risk: bool,
}

impl Load {
    /// Returns the simplest load: direct I/O of one size by one job, one I/O at a time, without
    /// limits or pauses.
    pub fn new(pattern: Pattern, block_size: Bytes, size_bytes: Bytes) -> Self {
        Self {
            pattern,
            read_percent: None,
            block_size: BlockSize::Fixed(block_size),
            size_bytes,
            direct: true,
            engine: Engine::Psync,
            jobs: 1,
            depth: 1,
            data: Data::Incompressible,
            sync: SyncMode::None,
            fsync_every: None,
            fdatasync_every: None,
            rate_bytes_per_s: None,
            rate_iops: None,
            rate_process: RateProcess::Linear,
            distribution: Distribution::Uniform,
            norandommap: false,
            think_time_ns: Nanos::default(),
            think_blocks: None,
            think_iotime_ns: None,
            verify: false,
            risk: false,
        }
    }

    /// Returns the lines of a `[workload]` table: the keys without those that have their default, or no
    /// effect on the pattern.
    ///
    /// `engine`, `jobs` and `depth` are always there: their defaults depend on one another.
    pub fn toml(&self) -> String {
        let default = Load::new(self.pattern, Bytes::default(), Bytes::default());
        let always = [Axis::Pattern, Axis::Engine, Axis::Jobs, Axis::Depth];
        let mut lines = String::new();
        for key in LOAD_KEYS {
            let value = (key.get)(self);
            let differs = value != (key.get)(&default);
            let is_needed = always.contains(&key.axis) || (differs && key.acts_on(self.pattern));
            let Some(value) = value.filter(|_| is_needed) else {
                continue;
            };
            lines.push_str(&key.line(&value));
            lines.push('\n');
        }
        lines
    }

    /// Returns the load without limits of its rate, and without pauses.
    #[must_use]
    pub fn without_own_rate(&self) -> Self {
        Self {
            rate_bytes_per_s: None,
            rate_iops: None,
            rate_process: RateProcess::Linear,
            think_time_ns: Nanos::default(),
            think_blocks: None,
            think_iotime_ns: None,
            ..self.clone()
        }
    }

    /// Returns how long a burst and its pause take at least, if the load has bursts.
    pub fn burst(&self) -> Option<Nanos> {
        let in_bursts = self.think_blocks.is_some() || self.think_iotime_ns.is_some();
        let issues = self.think_iotime_ns.unwrap_or_default().as_u64();
        let pauses = self.think_time_ns.as_u64();
        in_bursts.then(|| Nanos::new(issues.saturating_add(pauses)))
    }

    /// Returns whether fio keeps a map of the blocks that random I/O has visited, where `norandommap`
    /// does not forbid it.
    pub fn has_random_map(&self) -> bool {
        let has_one_size = matches!(self.block_size, BlockSize::Fixed(_));
        has_one_size && self.distribution == Distribution::Uniform
    }

    /// Returns whether random I/O visits each block once before any again: fio keeps a map of them.
    pub fn visits_each_block_once(&self) -> bool {
        self.has_random_map() && !self.norandommap
    }

    /// Returns the first key with a value that `backend` refuses, and the value.
    pub fn refused_by(&self, backend: Backend) -> Option<(&'static Key<Load>, Value)> {
        let default = Load::new(self.pattern, Bytes::default(), Bytes::default());
        keys::refused(LOAD_KEYS, self, &default, backend)
    }

    /// Returns the number of I/Os that all jobs together keep in flight.
    pub fn in_flight(&self) -> u64 {
        u64::from(self.jobs) * u64::from(self.depth)
    }
}

/// Calls `$apply` with what it is given and with the scalar keys of a load. Each has its text in the
/// reference, its axis, the type that reads it, where its value goes, and its row.
#[macro_export]
macro_rules! load_keys {
    ($apply:ident $($given:tt)*) => {
        $apply! { $($given)* {
            /// The order and direction of I/O.
            Pattern pattern: Pattern {
                set: |load, pattern| load.pattern = *pattern,
                get: |load| Some(Words(load.pattern)),
                row: .with_trace(WithTrace::Decided)
                    .fio_written("rw")
                    .panel(1)
            }
            /// Reads and writes of the mixed patterns `rw` and `randrw`, in percent. Default: `50/50`.
            Mix mix: Notated<Mix> {
                set: |load, mix| load.read_percent = Some(mix.0.0),
                get: |load| load.read_percent.map(Mix),
                row: .acts(Acts::ON_MIXES)
                    .with_trace(WithTrace::Decided)
                    .fio_written("rwmixread")
                    .panel(2)
            }
            /// The size of each I/O, or a split such as `4K/60:64K/40`. Default: `4K`.
            BlockSize block_size: Notated<BlockSize> {
                set: |load, size| load.block_size = size.0.clone(),
                get: |load| Some(load.block_size.clone()),
                row: .impossible(|load| above(load.block_size.largest(), BLOCK_BYTES_MAX, "an I/O"))
                    .with_trace(WithTrace::Decided)
                    .x(1)
            }
            /// The size of the file *of each job*.
            Size size: Notated<Bytes> {
                set: |load, size| load.size_bytes = size.0,
                get: |load| Some(load.size_bytes),
                row: .impossible(|load| above(load.size_bytes, SIZE_BYTES_MAX, "a file"))
                    .with_trace(WithTrace::Decided)
                    .fio_written("size")
                    .x(4)
            }
            /// Whether to bypass the page cache (`O_DIRECT`). Default: `true`, to measure the disk rather than memory.
            Direct direct: bool {
                set: |load, direct| load.direct = *direct,
                get: |load| Some(load.direct),
                row: .fio_written("direct")
            }
            /// The system calls used. Default: `psync`, or `io_uring` if any depth is above 1.
            Engine engine: Engine {
                set: |load, engine| load.engine = *engine,
                get: |load| Some(Words(load.engine)),
                row: .fio_written("ioengine")
            }
            /// The number of jobs in parallel, each with its own file, at most 1024. Default: 1.
            Jobs jobs: NonZeroU32 {
                set: |load, jobs| load.jobs = jobs.get(),
                get: |load| Some(load.jobs),
                row: .impossible(|load| (load.jobs > JOBS_MAX).then(|| format!("a load has at most {JOBS_MAX} jobs")))
                    .with_trace(WithTrace::Alone)
                    .x(3)
                    .demand()
            }
            /// The number of I/Os that each job keeps in flight (`iodepth`), at most 32768, and at most 1T of buffers for all jobs. Default: 1.
            Depth depth: NonZeroU32 {
                set: |load, depth| load.depth = depth.get(),
                get: |load| Some(load.depth),
                row: .impossible(|load| (load.depth > DEPTH_MAX).then(|| format!("a queue holds at most {DEPTH_MAX} I/Os")))
                    .fio("iodepth")
                    .x(2)
                    .demand()
            }
            /// The content of write buffers: `incompressible` (default), `zeroes`, or a compression ratio such as `2.0` or `"2:1"`.
            Data data: Notated<Data> {
                set: |load, data| load.data = data.0,
                get: |load| Some(Words(load.data)),
            }
            /// Whether each write is durable before it returns (`O_SYNC`, `O_DSYNC`). Default: `false`.
            Sync sync: Notated<SyncMode> {
                set: |load, sync| load.sync = sync.0,
                get: |load| Some(Words(load.sync)),
                row: .acts(Acts::ON_WRITES)
                    .fio_written("sync")
            }
            /// The number of writes between two `fsync` calls. Default: no `fsync`.
            Fsync fsync: NonZeroU32 {
                set: |load, every| load.fsync_every = Some(*every),
                get: |load| load.fsync_every,
                row: .acts(Acts::ON_WRITES)
                    .with_trace(WithTrace::Listed)
                    .fio("fsync")
                    .x(5)
            }
            /// The number of writes between two `fdatasync` calls. Default: no `fdatasync`.
            Fdatasync fdatasync: NonZeroU32 {
                set: |load, every| load.fdatasync_every = Some(*every),
                get: |load| load.fdatasync_every,
                row: .acts(Acts::ON_WRITES)
                    .with_trace(WithTrace::Listed)
                    .fio("fdatasync")
                    .x(6)
            }
            /// A limit in bytes per second for *each job* and direction. Default: none.
            Rate rate: Notated<Bytes> {
                set: |load, rate| load.rate_bytes_per_s = Some(rate.0),
                get: |load| load.rate_bytes_per_s.map(Rate),
                row: .with_trace(WithTrace::Paced)
                    .fio_written("rate")
                    .demand()
            }
            /// A limit in I/Os per second for *each job* and direction. Default: none.
            RateIops rate_iops: NonZeroU32 {
                set: |load, rate| load.rate_iops = Some(*rate),
                get: |load| load.rate_iops,
                row: .with_trace(WithTrace::Paced)
                    .fio_written("rate_iops")
                    .x(9)
                    .demand()
            }
            /// How I/Os with a `rate` or `rate_iops` follow one another (fio's `rate_process`): `linear` at equal distances, `poisson` at random ones, as the requests of many independent users. fio then counts distances in whole microseconds and takes each I/O for one of the smallest block. Default: `linear`.
            RateProcess rate_process: $crate::load::RateProcess {
                set: |load, process| load.rate_process = *process,
                get: |load| (!load.rate_process.is_linear()).then(|| Words("poisson")),
                row: .impossible(|load| {
                        let has_rate = load.rate_bytes_per_s.is_some() || load.rate_iops.is_some();
                        let why = "`rate_process` needs `rate` or `rate_iops`";
                        (!load.rate_process.is_linear() && !has_rate).then(|| why.to_owned())
                    })
                    .with_trace(WithTrace::Paced)
                    .fio("rate_process")
            }
            /// The distribution of random offsets: `uniform` (default), `zipf:1.2`, `pareto:0.9`.
            Distribution distribution: Notated<Distribution> {
                set: |load, distribution| load.distribution = distribution.0,
                get: |load| Some(Words(load.distribution)),
                row: .acts(Acts::ON_RANDOM)
                    .with_trace(WithTrace::Decided)
                    .refused_by(&[Backend::PowerCut])
            }
            /// Whether random I/O draws each block without regard to those before (fio's `norandommap`), as a database does: some come twice while others wait. Otherwise every block comes once before any comes again. Loads of several block sizes and skewed ones always draw so. Default: `false`.
            Norandommap norandommap: bool {
                set: |load, is_set| load.norandommap = *is_set,
                get: |load| (load.norandommap && load.has_random_map()).then(|| true),
                row: .acts(Acts::ON_RANDOM)
                    .with_trace(WithTrace::Decided)
                    .refused_by(&[Backend::PowerCut])
                    .fio("norandommap")
            }
            /// A pause of each job after each I/O, or after `think_blocks` of them. Default: none.
            ThinkTime think_time: Notated<Nanos> {
                set: |load, time| load.think_time_ns = time.0,
                get: |load| Some(load.think_time_ns),
                row: .impossible(|load| {
                        let is_whole = load.think_time_ns.as_u64().is_multiple_of(THINK_TIME_NS);
                        (!is_whole).then(|| "fio counts pauses in whole microseconds".to_owned())
                    })
                    .with_trace(WithTrace::Paced)
                    .fio_written("thinktime")
                    .x(7)
            }
            /// How many I/Os a job issues, as `depth` allows, before it waits for all of them and pauses for `think_time`: bursts (fio's `thinktime_blocks` with `thinktime_blocks_type=issue`). Default: a pause after each I/O, which in the model does not wait for the others.
            ThinkBlocks think_blocks: NonZeroU32 {
                set: |load, blocks| load.think_blocks = Some(*blocks),
                get: |load| load.think_blocks,
                row: .impossible(|load| {
                        let has_pause = load.think_time_ns > Nanos::default();
                        let why = "`think_blocks` needs `think_time`, the pause after each burst";
                        (load.think_blocks.is_some() && !has_pause).then(|| why.to_owned())
                    })
                    .with_trace(WithTrace::Paced)
                    .fio_written("thinktime_blocks")
                    .x(8)
            }
            /// How long a job issues I/Os, as `depth` allows, before it waits for all of them and pauses for `think_time` (fio's `thinktime_iotime`, from 3.28 on). With `think_blocks`, whichever is over first. Default: no such limit.
            ThinkIotime think_iotime: Notated<Nanos> {
                set: |load, time| load.think_iotime_ns = Some(time.0),
                get: |load| load.think_iotime_ns,
                row: .impossible(|load| {
                        let time = load.think_iotime_ns?.as_u64();
                        let has_pause = load.think_time_ns > Nanos::default();
                        let why = match time.is_multiple_of(THINK_TIME_NS) {
                            true => "`think_iotime` needs `think_time`, the pause after that time",
                            false => "fio counts the time before a pause in whole microseconds",
                        };
                        let is_whole = time.is_multiple_of(THINK_TIME_NS);
                        (!is_whole || !has_pause).then(|| why.to_owned())
                    })
                    .with_trace(WithTrace::Paced)
                    .fio_in_seconds("thinktime_iotime")
            }
        } }
    };
}
load_keys! { key_table LOAD_KEYS Load }

fn above(size: Bytes, most: Bytes, what: &str) -> Option<String> {
    (size > most).then(|| format!("{what} is at most {most}"))
}
