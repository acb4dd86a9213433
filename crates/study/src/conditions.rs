//! The settings of the host that matter for a measurement. Unset ones stay unchanged.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cell::Axis;
use crate::cpus::LoadCpus;
use crate::failure::Failure;
use crate::keys::{self, Backend, Key, Value, Words, key_table};
use crate::notation::{Notated, Window};
use crate::tunable::{self, Setting};
use stripewise_units::kernel::KernelName;
use stripewise_units::{Bytes, Nanos};

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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelName>,
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
    /// Returns the first key with a value that `backend` refuses, and the value.
    pub fn refused_by(&self, backend: Backend) -> Option<(&'static Key<Conditions>, Value)> {
        keys::refused(CONDITION_KEYS, self, &Conditions::default(), backend)
    }

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

/// Calls `$apply` with what it is given and with the scalar keys of `[conditions]`, as
/// [`load_keys`](crate::load_keys) does: first those that the host keeps, then those of a sample.
#[macro_export]
macro_rules! condition_keys {
    ($apply:ident $($given:tt)*) => {
        $apply! { $($given)* {
            /// The kernel, instead of `kernel` at the top level: `["5.7", "6.12"]`. The model simulates the rules of any version. The lab measures each in a guest of its own, which `stripewise lab prepare --kernel` makes, and takes the names of guests that `stripewise lab doctor` lists: `["7.3.4@sid", "7.3.4@tree-1a2b3c4d"]`. Of such a name the model takes the version, and a real machine refuses it: there only the running kernel can be named.
            #[schemars(example = &"6.12")]
            Kernel kernel: Notated<KernelName> {
                set: |conditions, kernel| conditions.kernel = Some(kernel.0.clone()),
                get: |conditions| conditions.kernel.clone().map(Words),
                row: .refused_by(&[Backend::PowerCut])
            }
            /// The CPU frequency governor: `performance`, `schedutil`, `powersave`, ...
            #[schemars(example = &"performance")]
            Governor governor: String {
                set: |conditions, governor| conditions.governor = Some(governor.clone()),
                get: |conditions| conditions.governor.clone().map(Words),
                row: .refused_by(&[Backend::Lab, Backend::PowerCut])
            }
            /// The CPU's energy/performance preference: `performance`, `balance_power`, ...
            #[schemars(example = &"performance")]
            EnergyPreference energy_preference: String {
                set: |conditions, preference| conditions.energy_preference = Some(preference.clone()),
                get: |conditions| conditions.energy_preference.clone().map(Words),
                row: .refused_by(&[Backend::Lab, Backend::PowerCut])
            }
            /// The I/O scheduler of the devices: `none`, `mq-deadline`, `bfq`, `kyber`, ...
            #[schemars(example = &"none")]
            Scheduler scheduler: String {
                set: |conditions, scheduler| conditions.scheduler = Some(scheduler.clone()),
                get: |conditions| conditions.scheduler.clone().map(Words),
                row: .refused_by(&[Backend::PowerCut])
            }
            /// The volatile write cache of the devices. The kernel can switch it on SATA, SCSI and virtio; an NVMe drive must already have the wanted setting.
            WriteCache write_cache: WriteCache {
                set: |conditions, cache| conditions.write_cache = Some(*cache),
                get: |conditions| conditions.write_cache.map(Words),
                row: .refused_by(&[Backend::PowerCut])
            }
            /// Whether the kernel sends cache flushes to the devices. With `"ignored"`, a power cut loses acknowledged writes in the drives' caches; it works only on whole disks under `[may_destroy]`, or on a filesystem mounted without barriers. If this key or `write_cache` changes, a `volume` on disks is rebuilt, because device mapper reads the setting once. A sample with `"honoured"` is refused if a layer still withholds flushes from a disk.
            Flush flush: Flush {
                set: |conditions, flush| conditions.flush = Some(*flush),
                get: |conditions| conditions.flush.map(Words),
            }
            /// How far the page cache reads ahead on the device under test (`read_ahead_kb`): a multiple of 4K, or `0` for single pages. fio doubles it for sequential loads. Only buffered loads read ahead. Default: the kernel's, 128K or two rows of an array's chunks.
            ReadAhead read_ahead: Notated<Window> {
                set: |conditions, window| conditions.read_ahead_bytes = Some(window.0.0),
                get: |conditions| conditions.read_ahead_bytes,
                row: .refused_by(&[Backend::PowerCut])
            }
            /// How many requests of each disk may wait or be under way, from 4. With the scheduler `none` it is at most the depth of the drive's queue. Default: the kernel's.
            #[schemars(example = &64)]
            NrRequests nr_requests: u32 {
                set: |conditions, count| conditions.nr_requests = Some(*count),
                get: |conditions| conditions.nr_requests,
                row: .refused_by(&[Backend::PowerCut])
            }
            /// The longest request of each disk in KiB, at most its `max_hw_sectors_kb`. An `array` or `volume` takes it from its disks when it is created, so it is built again for each value. Default: the kernel's, 1280 or what the disk takes.
            #[schemars(example = &128)]
            MaxSectorsKb max_sectors_kb: u32 {
                set: |conditions, kib| conditions.max_sectors_kib = Some(*kib),
                get: |conditions| conditions.max_sectors_kib,
                row: .refused_by(&[Backend::PowerCut])
            }
            /// The latency of reads, in microseconds, above which the kernel throttles write-back of a disk; `0` turns that off. The model refuses it. Default: the kernel's, 75000 on a disk with heads, else 2000.
            #[schemars(example = &2000)]
            WbtLatUsec wbt_lat_usec: u32 {
                set: |conditions, us| conditions.wbt_lat_us = Some(*us),
                get: |conditions| conditions.wbt_lat_us,
                row: .refused_by(&[Backend::PowerCut])
            }
            /// Whether the CPUs may run above their base frequency (`intel_pstate/no_turbo`, else `cpufreq/boost`). The model and the lab refuse it. Default: the kernel's.
            Turbo turbo: bool {
                set: |conditions, turbo| conditions.turbo = Some(*turbo),
                get: |conditions| conditions.turbo,
                row: .refused_by(&[Backend::Model, Backend::Lab, Backend::PowerCut])
            }
            /// The longest time, in microseconds, that an idle CPU may need to wake up: the CPUs enter no C-state with a longer exit latency. With `0` they stay in the lightest one. The program holds `/dev/cpu_dma_latency` open, so the limit ends with it. The model limits the idle states of a host profile that lists them, and else refuses it, as the lab does. Default: no limit.
            #[schemars(example = &0)]
            CpuDmaLatencyUs cpu_dma_latency_us: u32 {
                set: |conditions, us| conditions.cpu_dma_latency_us = Some(*us),
                get: |conditions| conditions.cpu_dma_latency_us,
                row: .refused_by(&[Backend::PowerCut])
            }
        } {
            /// The CPUs on which the load and its neighbours run (fio's `cpus_allowed`): `"0-3,8"`; `"one-per-core"` for one CPU of each core, so that no two share a core (SMT); or `"cores-of:0-1"` for all CPUs of the cores of CPUs 0 and 1, their siblings included. Which CPUs share a core is in `/sys/devices/system/cpu/cpu0/topology/thread_siblings_list`. Threads of the kernel run anywhere. The model refuses it. Default: all.
            Cpus cpus: Notated<LoadCpus> {
                set: |conditions, cpus| conditions.cpus = Some(cpus.0.clone()),
                get: |conditions| conditions.cpus.clone().map(Words),
                row: .refused_by(&[Backend::Model, Backend::PowerCut])
            }
            /// How often to call `sync` beside the load, at least 10ms apart. Shorter than a sample. It writes back the dirty pages of *all* filesystems and commits or flushes each; a block device without a filesystem gets no flush. Default: never.
            #[schemars(example = &"5s")]
            SyncEvery sync_every: Notated<Nanos> {
                set: |conditions, every| conditions.sync_every_ns = Some(every.0),
                get: |conditions| conditions.sync_every_ns,
            }
            /// How often to flush the cache of the device under test beside the load, at least 10ms apart (`fsync` of the block device). Shorter than a sample. With `flush = "ignored"` it reaches no drive. Default: never.
            #[schemars(example = &"1s")]
            FlushEvery flush_every: Notated<Nanos> {
                set: |conditions, every| conditions.flush_every_ns = Some(every.0),
                get: |conditions| conditions.flush_every_ns,
            }
            /// Whether to trim free space before each sample (`fstrim`, or `blkdiscard` on a raw device).
            TrimBefore trim_before: bool {
                set: |conditions, trim| conditions.trim_before = Some(*trim),
                get: |conditions| conditions.trim_before,
                row: .refused_by(&[Backend::PowerCut])
            }
            /// Whether to write back dirty pages and drop the page cache before each sample. The model predicts the first pass over the files then; without it, buffered reads of files that fit into memory find them there.
            DropCaches drop_caches: bool {
                set: |conditions, drop| conditions.drop_caches = Some(*drop),
                get: |conditions| conditions.drop_caches,
            }
            /// The state that the model answers for. `"steady"` is the long run, when caches, bitmaps, drive buffers and fast areas have settled; `"fresh"` is the beginning, after trim and fill, of an array in use: the bits of its bitmap are set. Other worlds refuse this key, because they cannot set the state of a real device. Default: `"steady"` in the model.
            State state: State {
                set: |conditions, state| conditions.state = Some(*state),
                get: |conditions| conditions.state.map(Words),
            }
        } }
    };
}
condition_keys! { key_table CONDITION_KEYS Conditions }
