//! The settings of the host that matter for a measurement. Unset ones stay unchanged.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cpus::LoadCpus;
use crate::failure::Failure;
use crate::kernel::{self, KernelVersion};
use crate::tunable::{self, Setting};
use crate::units::{Bytes, Nanos};

/// Whether the device's volatile write cache is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WriteCache {
    /// The device may acknowledge writes from its cache.
    On,
    /// The device acknowledges writes when they are on the medium.
    Off,
}

impl fmt::Display for WriteCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            WriteCache::On => "on",
            WriteCache::Off => "off",
        })
    }
}

/// Whether cache flushes reach the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Flush {
    /// A flush makes acknowledged writes durable.
    Honoured,
    /// A flush is acknowledged and does nothing: fast, and not safe.
    Ignored,
}

impl fmt::Display for Flush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Flush::Honoured => "honoured",
            Flush::Ignored => "ignored",
        })
    }
}

/// Which part of a long load is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The long run: caches, bitmaps, drive buffers, fast areas and garbage collection have
    /// settled.
    Steady,
    /// The beginning: after trim and fill, from the first I/O until caches and fast areas are full.
    Fresh,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            State::Steady => "steady",
            State::Fresh => "fresh",
        })
    }
}

/// The stated conditions of a cell; `None` means "as found".
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// The kernel.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "kernel::text"
    )]
    pub kernel: Option<KernelVersion>,
    /// The CPU frequency governor.
    pub governor: Option<String>,
    /// The CPU's energy/performance preference.
    pub energy_preference: Option<String>,
    /// The I/O scheduler of the devices.
    pub scheduler: Option<String>,
    /// The devices' volatile write cache.
    pub write_cache: Option<WriteCache>,
    /// Whether flushes are honoured.
    pub flush: Option<Flush>,
    /// How far the page cache reads ahead on the device under test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead_bytes: Option<Bytes>,
    /// The requests of each disk that wait or are under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nr_requests: Option<u32>,
    /// The longest request of each disk, in KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_sectors_kib: Option<u32>,
    /// The latency of reads at which the kernel throttles write-back, in microseconds; zero turns
    /// that off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wbt_lat_us: Option<u32>,
    /// Whether the CPUs may run above their base frequency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turbo: Option<bool>,
    /// The longest time in which an idle CPU must be able to wake up, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_dma_latency_us: Option<u32>,
    /// Parameters of the kernel by name, with their values as in `/proc/sys`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctl: BTreeMap<String, String>,
    /// The CPUs on which the load generator runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<LoadCpus>,
    /// The interval of `sync` calls beside the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_every_ns: Option<Nanos>,
    /// The interval of cache flushes of the device under test beside the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_every_ns: Option<Nanos>,
    /// Whether free space is trimmed before each sample.
    pub trim_before: Option<bool>,
    /// Whether the page cache is dropped before each sample.
    pub drop_caches: Option<bool>,
    /// Whether the tested part of a block device is written once before it is measured; unset means
    /// yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<bool>,
    /// The state to measure or predict. If unset, the model predicts [`State::Steady`]; a real
    /// device stays in the state that it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// The failure during the sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl Conditions {
    /// Returns the settings of queues that are numbers, in the order in which the kernel takes them.
    pub fn queue_settings(&self) -> Vec<Setting> {
        let count = |tunable, value: Option<u32>| value.map(|it| Setting::count(tunable, it));
        let window = self.read_ahead_bytes;
        let all = [
            window.map(|size| Setting::size(&tunable::READ_AHEAD, size)),
            count(&tunable::NR_REQUESTS, self.nr_requests),
            count(&tunable::MAX_SECTORS_KB, self.max_sectors_kib),
            count(&tunable::WBT_LAT_USEC, self.wbt_lat_us),
        ];
        all.into_iter().flatten().collect()
    }

    /// Returns the parameters of the kernel as words: `vm.dirty_ratio=10 vm.swappiness=1`; `None` if
    /// there are none.
    pub fn sysctl_words(&self) -> Option<String> {
        let words = self.sysctl.iter();
        let words: Vec<String> = words
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}
