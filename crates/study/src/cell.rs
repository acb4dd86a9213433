//! Cells: one stack, one workload, one set of conditions; and the axes along which they differ.

use serde::{Deserialize, Serialize};

use crate::conditions::{Conditions, Flush, WriteCache};
use crate::failure;
use crate::stack::Stack;
use crate::units::Nanos;
use crate::workload::Workload;

/// One stack, one workload, one set of conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The stack under test.
    pub stack: Stack,
    /// The load on it.
    pub workload: Workload,
    /// The requested state of the host.
    pub conditions: Conditions,
}

impl Cell {
    /// Returns how long a sample of the cell takes if one of any other load takes `sample`: a replay
    /// that keeps the times of its trace takes what it takes.
    pub fn sample_time(&self, sample: Nanos) -> Nanos {
        match &self.workload.trace {
            Some(trace) if trace.is_timed() => trace.last_at_ns,
            _ => sample,
        }
    }

    /// Returns the parts of a cell that a built stack depends on. Cells with equal build keys share
    /// one build.
    ///
    /// The device mapper checks whether the devices below have a cache to flush when it loads its
    /// table, and never again (`dm_table_set_restrictions` in Linux 6.1, `BLK_FEAT_INHERIT_MASK`
    /// since 6.11). If it sends no flushes then, no later setting of a disk changes that. md always
    /// accepts flushes (`md_alloc` calls `blk_queue_write_cache(..., true, true)`, or sets
    /// `BLK_FEAT_WRITE_CACHE` since 6.11), and checks each member when a flush arrives.
    ///
    /// Both take the longest request of the devices below at the same moment (`blk_stack_limits`).
    pub fn build_key(&self) -> BuildKey<'_> {
        let is_mapped = self.stack.volume.is_some() && self.stack.array.is_none();
        let has_layers = self.stack.volume.is_some() || self.stack.array.is_some();
        let conditions = &self.conditions;
        BuildKey {
            stack: &self.stack,
            cache: is_mapped.then_some((conditions.flush, conditions.write_cache)),
            max_sectors_kib: conditions.max_sectors_kib.filter(|_| has_layers),
        }
    }
}

/// The parts of a cell that a built stack depends on: see [`Cell::build_key`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BuildKey<'a> {
    stack: &'a Stack,
    /// The cache settings that the stack read from its devices when it was built.
    cache: Option<(Option<Flush>, Option<WriteCache>)>,
    /// The longest request of the devices when it was built.
    max_sectors_kib: Option<u32>,
}

/// A key of a study along which cells may differ, named as in the file.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The name of the stack.
    Stack,
    /// The name of the workload.
    Workload,
    /// `pattern`.
    Pattern,
    /// `mix`.
    Mix,
    /// `block_size`.
    BlockSize,
    /// `size`.
    Size,
    /// `direct`.
    Direct,
    /// `engine`.
    Engine,
    /// `jobs`.
    Jobs,
    /// `depth`.
    Depth,
    /// `data`.
    Data,
    /// `sync`.
    Sync,
    /// `fsync`.
    Fsync,
    /// `fdatasync`.
    Fdatasync,
    /// `rate`.
    Rate,
    /// `rate_iops`.
    RateIops,
    /// `distribution`.
    Distribution,
    /// `think_time`.
    ThinkTime,
    /// `think_blocks`.
    ThinkBlocks,
    /// `neighbours`.
    Neighbours,
    /// The options of another program that no other key expresses.
    Options,
    /// `kernel`.
    Kernel,
    /// `governor`.
    Governor,
    /// `energy_preference`.
    EnergyPreference,
    /// `scheduler`.
    Scheduler,
    /// `write_cache`.
    WriteCache,
    /// `flush`.
    Flush,
    /// `read_ahead`.
    ReadAhead,
    /// `nr_requests`.
    NrRequests,
    /// `max_sectors_kb`.
    MaxSectorsKb,
    /// `wbt_lat_usec`.
    WbtLatUsec,
    /// `turbo`.
    Turbo,
    /// `cpu_dma_latency_us`.
    CpuDmaLatencyUs,
    /// `sysctl`.
    Sysctl,
    /// `cpus`.
    Cpus,
    /// `sync_every`.
    SyncEvery,
    /// `flush_every`.
    FlushEvery,
    /// `trim_before`.
    TrimBefore,
    /// `drop_caches`.
    DropCaches,
    /// `state`.
    State,
    /// `failure`.
    Failure,
}

impl Axis {
    /// All axes, in the order in which tables show them.
    pub const ALL: [Axis; 41] = [
        Axis::Stack,
        Axis::Workload,
        Axis::Pattern,
        Axis::Mix,
        Axis::BlockSize,
        Axis::Size,
        Axis::Direct,
        Axis::Engine,
        Axis::Jobs,
        Axis::Depth,
        Axis::Data,
        Axis::Sync,
        Axis::Fsync,
        Axis::Fdatasync,
        Axis::Rate,
        Axis::RateIops,
        Axis::Distribution,
        Axis::ThinkTime,
        Axis::ThinkBlocks,
        Axis::Neighbours,
        Axis::Options,
        Axis::Kernel,
        Axis::Governor,
        Axis::EnergyPreference,
        Axis::Scheduler,
        Axis::WriteCache,
        Axis::Flush,
        Axis::ReadAhead,
        Axis::NrRequests,
        Axis::MaxSectorsKb,
        Axis::WbtLatUsec,
        Axis::Turbo,
        Axis::CpuDmaLatencyUs,
        Axis::Sysctl,
        Axis::Cpus,
        Axis::SyncEvery,
        Axis::FlushEvery,
        Axis::TrimBefore,
        Axis::DropCaches,
        Axis::State,
        Axis::Failure,
    ];

    /// Returns the key as it is written in a study.
    pub const fn key(self) -> &'static str {
        match self {
            Axis::Stack => "stack",
            Axis::Workload => "workload",
            Axis::Pattern => "pattern",
            Axis::Mix => "mix",
            Axis::BlockSize => "block_size",
            Axis::Size => "size",
            Axis::Direct => "direct",
            Axis::Engine => "engine",
            Axis::Jobs => "jobs",
            Axis::Depth => "depth",
            Axis::Data => "data",
            Axis::Sync => "sync",
            Axis::Fsync => "fsync",
            Axis::Fdatasync => "fdatasync",
            Axis::Rate => "rate",
            Axis::RateIops => "rate_iops",
            Axis::Distribution => "distribution",
            Axis::ThinkTime => "think_time",
            Axis::ThinkBlocks => "think_blocks",
            Axis::Neighbours => "neighbours",
            Axis::Options => "options",
            Axis::Kernel => "kernel",
            Axis::Governor => "governor",
            Axis::EnergyPreference => "energy_preference",
            Axis::Scheduler => "scheduler",
            Axis::WriteCache => "write_cache",
            Axis::Flush => "flush",
            Axis::ReadAhead => "read_ahead",
            Axis::NrRequests => "nr_requests",
            Axis::MaxSectorsKb => "max_sectors_kb",
            Axis::WbtLatUsec => "wbt_lat_usec",
            Axis::Turbo => "turbo",
            Axis::CpuDmaLatencyUs => "cpu_dma_latency_us",
            Axis::Sysctl => "sysctl",
            Axis::Cpus => "cpus",
            Axis::SyncEvery => "sync_every",
            Axis::FlushEvery => "flush_every",
            Axis::TrimBefore => "trim_before",
            Axis::DropCaches => "drop_caches",
            Axis::State => "state",
            Axis::Failure => "failure",
        }
    }

    /// Returns the axis with the key `key`.
    pub fn from_key(key: &str) -> Option<Axis> {
        Axis::ALL.into_iter().find(|axis| axis.key() == key)
    }
}

impl Cell {
    /// Returns the cell's value along `axis` as it is written in a study, or `-` where it has none.
    pub fn value(&self, axis: Axis) -> String {
        let load = &self.workload.load;
        let conditions = &self.conditions;
        match axis {
            Axis::Stack => self.stack.name.clone(),
            Axis::Workload => shown(self.workload.name.as_ref()),
            Axis::Pattern => load.pattern.to_string(),
            Axis::Mix => shown(
                load.read_percent
                    .map(|read| format!("{read}/{}", 100 - read)),
            ),
            Axis::BlockSize => load.block_size.to_string(),
            Axis::Size => load.size_bytes.to_string(),
            Axis::Direct => load.direct.to_string(),
            Axis::Engine => load.engine.to_string(),
            Axis::Jobs => load.jobs.to_string(),
            Axis::Depth => load.depth.to_string(),
            Axis::Data => load.data.to_string(),
            Axis::Sync => load.sync.to_string(),
            Axis::Fsync => shown(load.fsync_every),
            Axis::Fdatasync => shown(load.fdatasync_every),
            Axis::Rate => shown(load.rate_bytes_per_s),
            Axis::RateIops => shown(load.rate_iops),
            Axis::Distribution => load.distribution.to_string(),
            Axis::ThinkTime => load.think_time_ns.to_string(),
            Axis::ThinkBlocks => shown(load.think_blocks),
            Axis::Neighbours => {
                let names: Vec<&str> = self
                    .workload
                    .neighbours
                    .iter()
                    .map(|neighbour| neighbour.name.as_str())
                    .collect();
                shown((!names.is_empty()).then(|| names.join("+")))
            }
            Axis::Options => {
                let options = self.workload.options.iter();
                let options: Vec<String> = options.map(option_words).collect();
                shown((!options.is_empty()).then(|| options.join(" ")))
            }
            Axis::Kernel => shown(conditions.kernel),
            Axis::Governor => shown(conditions.governor.as_ref()),
            Axis::EnergyPreference => shown(conditions.energy_preference.as_ref()),
            Axis::Scheduler => shown(conditions.scheduler.as_ref()),
            Axis::WriteCache => shown(conditions.write_cache),
            Axis::Flush => shown(conditions.flush),
            Axis::ReadAhead => shown(conditions.read_ahead_bytes),
            Axis::NrRequests => shown(conditions.nr_requests),
            Axis::MaxSectorsKb => shown(conditions.max_sectors_kib),
            Axis::WbtLatUsec => shown(conditions.wbt_lat_us),
            Axis::Turbo => shown(conditions.turbo),
            Axis::CpuDmaLatencyUs => shown(conditions.cpu_dma_latency_us),
            Axis::Sysctl => shown(conditions.sysctl_words()),
            Axis::Cpus => shown(conditions.cpus.as_ref()),
            Axis::SyncEvery => shown(conditions.sync_every_ns),
            Axis::FlushEvery => shown(conditions.flush_every_ns),
            Axis::TrimBefore => shown(conditions.trim_before),
            Axis::DropCaches => shown(conditions.drop_caches),
            Axis::State => shown(conditions.state),
            Axis::Failure => conditions
                .failure
                .as_ref()
                .map_or(failure::NONE, |failure| failure.name.as_str())
                .to_owned(),
        }
    }
}

/// Returns the axes along which `cells` differ, in the order in which tables show them.
///
/// A single cell and equal cells have none.
pub fn varying_axes<'a>(cells: impl IntoIterator<Item = &'a Cell> + Clone) -> Vec<Axis> {
    let differs = |axis: &Axis| {
        let mut values = cells.clone().into_iter().map(|cell| cell.value(*axis));
        values
            .next()
            .is_some_and(|first| values.any(|value| value != first))
    };
    Axis::ALL.into_iter().filter(differs).collect()
}

/// Writes an option as in a command: `runtime=60`, or `time_based` without a value.
fn option_words((name, value): (&String, &String)) -> String {
    match value.is_empty() {
        true => name.clone(),
        false => format!("{name}={value}"),
    }
}

/// Writes a value, or `-` where there is none.
fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}
