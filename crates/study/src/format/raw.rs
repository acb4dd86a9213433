//! The study file as it is written: one type per table. The doc comments here *are* the reference
//! page and the descriptions in the JSON Schema; both are generated from these types.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use super::notation::{Mix, OneOrMany, Parameter, Window, Written};
use crate::conditions::{Flush, State, WriteCache};
use crate::cpus::LoadCpus;
use crate::kernel::KernelVersion;
use crate::metric::Metric;
use crate::preset::Preset;
use crate::stack::{ConsistencyPolicy, Level, Metadata};
use crate::trace::Timing;
use crate::units::{Bytes, Nanos, Percent};
use crate::workload::{BlockSize, Data, DatabaseProgram, Distribution, Engine, Pattern, SyncMode};

/// A study: stacks x workloads x conditions, and the question it answers.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Study")]
#[expect(dead_code, reason = "read table by table; the whole serves the schema")]
pub(crate) struct StudyFile {
    /// The question that the study answers, the headline of every report.
    #[schemars(example = &"Which array is faster?")]
    question: Option<String>,
    /// The kernel version. Its rules apply in the model world, and it decides which layouts exist. Default: this machine's kernel.
    kernel: Option<Written<KernelVersion>>,
    /// The host profile for the model world. Worlds on a real host ignore it.
    #[schemars(example = &"default")]
    host: Option<String>,
    /// The block devices that a run may overwrite, listed under the device profile they stand for: `"my-ssd" = ["/dev/disk/by-id/ata-..."]`. Use stable paths: below `/dev/disk/by-id/`, `/dev/disk/by-path/` or `/dev/disk/by-partuuid/`, or loop devices. Each must be unused and empty. You confirm each before a run begins, by its name; for `by-path` and loop devices, by its serial number or backing file. The metal world builds stacks on these devices only; other worlds ignore them.
    #[schemars(default)]
    #[schemars(example = serde_json::json!({ "my-ssd": ["/dev/disk/by-id/ata-X"] }))]
    may_destroy: BTreeMap<String, Vec<PathBuf>>,
    /// The storage under test, one table per stack: `[stack.NAME]`.
    stack: BTreeMap<String, StackTable>,
    /// The load: one `[workload]`, or several `[workload.NAME]`. Keys directly under `[workload]` are their defaults.
    workload: WorkloadTables,
    /// Background load beside a workload, not measured: `[neighbour.NAME]`, named in a workload's `neighbours`.
    #[schemars(default)]
    neighbour: BTreeMap<String, NeighbourTable>,
    /// Settings of the host. Keys that you leave out stay unchanged.
    #[schemars(default)]
    conditions: ConditionsTable,
    /// A member that fails during a sample, and its repair: `[failure.NAME]`, named by `failure` under `[conditions]`.
    #[schemars(default)]
    failure: BTreeMap<String, FailureTable>,
    /// The number of samples of each cell, and when to stop.
    #[schemars(default)]
    repeat: RepeatTable,
    /// Which cells are compared, and by which metric.
    #[schemars(default)]
    compare: CompareTable,
    /// What the stacks cost over the years: wear, and the chance of losing data. Without this table no run shows it.
    #[schemars(default)]
    lifetime: LifetimeTable,
}

/// One stack, from the devices up: devices, array, volume, filesystem. Every layer is optional.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StackTable {
    /// The devices: names of device profiles, each with a count, at most 4096 in all. Default: none, which means the existing filesystem.
    #[serde(default)]
    #[schemars(example = serde_json::json!({ "sata-ssd": 4 }))]
    pub(crate) devices: BTreeMap<String, NonZeroU32>,
    /// The adapter (HBA, RAID controller) that the devices share, a name in the host profile. Default: all stacks without this key share one.
    #[schemars(example = &"hba")]
    pub(crate) adapter: Option<String>,
    /// md RAID over the devices.
    pub(crate) array: Option<ArrayTable>,
    /// LVM over the array or device: `"linear"`, or a table for stripes.
    #[schemars(example = &"linear")]
    pub(crate) volume: Option<VolumeValue>,
    /// The filesystem: `"existing"` (the one under `--target`), `"none"`, a type such as `"ext4"`, or a table with options. Default: `"existing"` without devices, `"none"` with.
    #[schemars(example = &"ext4")]
    pub(crate) filesystem: Option<FilesystemValue>,
}

/// md RAID, in mdadm's words.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrayTable {
    /// The RAID level.
    pub(crate) level: Level,
    /// The layout: `n2`, `f2`, `o2` and the like for raid10 (default `n2`); `left-symmetric` and the like for raid5 and raid6 (default `left-symmetric`); `original` or `alternate` for raid0.
    #[schemars(example = &"n2")]
    pub(crate) layout: Option<String>,
    /// The chunk. Default: 512K, as mdadm's, or 128K with metadata `imsm`; no chunk for linear and raid1.
    pub(crate) chunk: Option<Written<Bytes>>,
    /// The write-intent bitmap: `"none"` (default), `"internal"`, or a table with its chunk. mdadm 4.2 and older adds one to arrays of members above 100 GiB if nobody says otherwise; `stripewise` says `--bitmap=none`.
    #[schemars(example = &"internal")]
    pub(crate) bitmap: Option<BitmapValue>,
    /// The superblock format. Default: `1.2`.
    pub(crate) metadata: Option<Metadata>,
    /// Whether to skip the first sync when the array is created (`--assume-clean`). Parity is then wrong until it is written. Default: `false`, which waits for the sync.
    pub(crate) assume_clean: Option<bool>,
    /// How much of each member the array uses (`--size`). Default: all of it. Required if `beside` lists volumes.
    pub(crate) size: Option<Written<Bytes>>,
    /// Further volumes in the same container, with metadata `imsm`, as on boards with two volumes on the same disks. They are created after this one and not measured. The format allows two volumes per container.
    #[serde(default)]
    pub(crate) beside: Vec<BesideTable>,
    /// The stripes of the cache of raid4, raid5 and raid6, from 17 to 32768. Each takes 4 KiB of memory for each member. The cache of newer kernels grows beyond it when it is exhausted. Default: 256, as md's.
    #[schemars(example = &4096)]
    pub(crate) stripe_cache_size: Option<u32>,
    /// The threads of each NUMA node that handle stripes of raid4, raid5 and raid6 beside the array's own thread. The model simulates 0 only. Default: 0, as md's.
    #[schemars(example = &4)]
    pub(crate) group_thread_cnt: Option<u32>,
    /// Whether a write to raid4, raid5 or raid6 may read the old data and parity of its blocks instead of the rest of the row: `0` never, `1` if that reads less, `2` also if both read the same. Default: 1, as md's.
    #[schemars(example = &1)]
    pub(crate) rmw_level: Option<u32>,
    /// The guaranteed speed of a resync or rebuild, in bytes per second and member. The first sync runs before it is set. Default: the system's, 1000K in the model.
    pub(crate) sync_speed_min: Option<Written<Bytes>>,
    /// The maximum speed of a resync or rebuild, in bytes per second and member. The first sync runs before it is set. Default: the system's, 200000K in the model.
    pub(crate) sync_speed_max: Option<Written<Bytes>>,
    /// How long after its last write an array with redundancy is marked clean. The next write waits until the superblocks say otherwise. `"0ms"` means never. Default: the kernel's, about 200 ms.
    pub(crate) safe_mode_delay: Option<Written<Nanos>>,
    /// The members of a raid1, counted from 0, that are read only if no other member can be (`--write-mostly`). Default: none.
    #[serde(default)]
    #[schemars(example = serde_json::json!([1]))]
    pub(crate) write_mostly: Vec<u32>,
    /// How many writes the write-mostly members may be behind the others, from 1 to 16383 (`--write-behind`). Needs a bitmap. The model refuses it. Default: a write waits for all members.
    #[schemars(example = &256)]
    pub(crate) write_behind: Option<u32>,
    /// What makes the members of a raid5 agree after a crash (`--consistency-policy`): `"ppl"` logs partial parity on the members, which closes the write hole. The model refuses it. Default: a resync, or the bitmap.
    #[schemars(example = &"ppl")]
    pub(crate) consistency_policy: Option<ConsistencyPolicy>,
}

/// A volume that shares its container with the one under test.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BesideTable {
    /// The RAID level.
    pub(crate) level: Level,
    /// The chunk. Default: 128K, as mdadm's; no chunk for raid1.
    pub(crate) chunk: Option<Written<Bytes>>,
    /// How much of each member it uses. Default: the rest.
    pub(crate) size: Option<Written<Bytes>>,
}

/// A write-intent bitmap with its chunk.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BitmapTable {
    /// The bytes that each bit covers.
    pub(crate) chunk: Written<Bytes>,
}

/// A striped LVM volume.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VolumeTable {
    /// The number of physical volumes in each stripe, at most 128.
    pub(crate) stripes: NonZeroU32,
    /// The bytes of one stripe on one physical volume. Default: 64K, as lvcreate's.
    pub(crate) stripe_size: Option<Written<Bytes>>,
}

/// A filesystem created for the study.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilesystemTable {
    /// The type as `mkfs` names it: `ext4`, `xfs`, `btrfs`, ...
    #[serde(rename = "type")]
    #[schemars(example = &"ext4")]
    pub(crate) kind: String,
    /// Arguments for `mkfs`, or for `zpool create`, such as `["-E", "stride=8"]`. Arguments that name files or devices are refused.
    #[serde(default)]
    #[schemars(example = serde_json::json!(["-E", "stride=8"]))]
    pub(crate) mkfs: Vec<String>,
    /// Mount options.
    #[serde(default)]
    #[schemars(example = serde_json::json!(["noatime"]))]
    pub(crate) options: Vec<String>,
    /// ZFS: how many devices each mirror or raidz has; the pool stripes over them. Four devices with `mkfs = ["mirror"]` and `group = 2` are two mirrors. Default: all devices in one.
    pub(crate) group: Option<NonZeroU32>,
    /// ZFS: the device profile under `devices` whose devices hold the intent log instead of data. Default: the log lies on the data devices.
    #[schemars(example = &"nvme-ssd")]
    pub(crate) log: Option<String>,
}

/// A word, or a table that says more.
#[derive(Debug, Clone)]
pub(crate) enum WordOr<T> {
    Word(String),
    Table(T),
}

pub(crate) type VolumeValue = WordOr<VolumeTable>;
pub(crate) type FilesystemValue = WordOr<FilesystemTable>;
pub(crate) type BitmapValue = WordOr<BitmapTable>;

impl<'de, T: Deserialize<'de>> Deserialize<'de> for WordOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrVisitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for WordOrVisitor<T> {
            type Value = WordOr<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word or a table")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
                Ok(WordOr::Word(word.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(WordOr::Table)
            }
        }
        deserializer.deserialize_any(WordOrVisitor(std::marker::PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for WordOr<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("WordOr_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "string" }, table] })
    }
}

/// A load in fio's words. Every key but `from`, `verify`, `risk`, `neighbours`, `database` and `trace` takes one value or a list; lists expand to a matrix.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkloadTable {
    /// A shipped workload whose keys this one takes; keys beside it, or shared under `[workload]`, override those. `stripewise workloads` lists them, and `stripewise workloads NAME` prints one with its source.
    #[schemars(extend("enum" = Preset::names()), example = &"oltp")]
    pub(crate) from: Option<String>,
    /// The order and direction of I/O.
    pub(crate) pattern: Option<OneOrMany<Pattern>>,
    /// Reads and writes of the mixed patterns `rw` and `randrw`, in percent. Default: `50/50`.
    pub(crate) mix: Option<OneOrMany<Written<Mix>>>,
    /// The size of each I/O, or a split such as `4K/60:64K/40`. Default: `4K`.
    pub(crate) block_size: Option<OneOrMany<Written<BlockSize>>>,
    /// The size of the file *of each job*.
    pub(crate) size: Option<OneOrMany<Written<Bytes>>>,
    /// Whether to bypass the page cache (`O_DIRECT`). Default: `true`, to measure the disk rather than memory.
    pub(crate) direct: Option<OneOrMany<bool>>,
    /// The system calls used. Default: `psync`, or `io_uring` if any depth is above 1.
    pub(crate) engine: Option<OneOrMany<Engine>>,
    /// The number of jobs in parallel, each with its own file, at most 1024. Default: 1.
    pub(crate) jobs: Option<OneOrMany<NonZeroU32>>,
    /// The number of I/Os that each job keeps in flight (`iodepth`), at most 32768, and at most 1T of buffers for all jobs. Default: 1.
    pub(crate) depth: Option<OneOrMany<NonZeroU32>>,
    /// The content of write buffers: `incompressible` (default), `zeroes`, or a compression ratio such as `2.0`.
    pub(crate) data: Option<OneOrMany<Written<Data>>>,
    /// Whether each write is durable before it returns (`O_SYNC`, `O_DSYNC`). Default: `false`.
    pub(crate) sync: Option<OneOrMany<Written<SyncMode>>>,
    /// The number of writes between two `fsync` calls. Default: no `fsync`.
    pub(crate) fsync: Option<OneOrMany<NonZeroU32>>,
    /// The number of writes between two `fdatasync` calls. Default: no `fdatasync`.
    pub(crate) fdatasync: Option<OneOrMany<NonZeroU32>>,
    /// A limit in bytes per second for *each job* and direction. Default: none.
    pub(crate) rate: Option<OneOrMany<Written<Bytes>>>,
    /// A limit in I/Os per second for *each job* and direction. Default: none.
    pub(crate) rate_iops: Option<OneOrMany<NonZeroU32>>,
    /// The distribution of random offsets: `uniform` (default), `zipf:1.2`, `pareto:0.9`.
    pub(crate) distribution: Option<OneOrMany<Written<Distribution>>>,
    /// A pause of each job after each I/O, or after `think_blocks` of them. Default: none.
    pub(crate) think_time: Option<OneOrMany<Written<Nanos>>>,
    /// How many I/Os a job issues, as `depth` allows, before it waits for all of them and pauses for `think_time`: bursts (fio's `thinktime_blocks` with `thinktime_blocks_type=issue`). Default: a pause after each I/O, which in the model does not wait for the others.
    pub(crate) think_blocks: Option<OneOrMany<NonZeroU32>>,
    /// Whether to read back and compare every written block after the sample (fio's `verify`). A difference invalidates the sample. The model holds no data and ignores this key. Default: `false`.
    pub(crate) verify: Option<bool>,
    /// Whether to follow which acknowledged writes a power cut would lose: how many bytes, and how old the oldest is. Only the model knows; other worlds ignore this key and say so. Not with a failure, btrfs or ZFS. Default: `false`.
    pub(crate) risk: Option<bool>,
    /// The background loads that run beside this one: names of tables `[neighbour.NAME]`, or of shipped workloads.
    #[schemars(example = serde_json::json!(["backup"]))]
    pub(crate) neighbours: Option<Vec<String>>,
    /// The database that `pull-plug` runs in the place of this load, with a client for each job and a transaction of one record of the block size (4096 bytes at most): `{ program = "mariadb", settings = { innodb_flush_log_at_trx_commit = 2 } }`. Needs a filesystem. The model simulates the other keys. `run` refuses it in other worlds. Default: none.
    pub(crate) database: Option<DatabaseTable>,
    /// A trace of real I/O to replay, instead of `pattern`, `mix`, `block_size`, `size` and `jobs`: the name of its file, relative to the study, or a table. Formats: fio's iolog, `blkparse` text, blktrace, `perf script`, MSR and SNIA CSV. Up to 1048576 I/Os; discards are left out. Addresses are moved so that the replay begins near 0. `depth` bounds the I/Os in flight (default: 32, or 1 with `psync`); `direct`, `engine` (`libaio` or `psync`), `data` and `sync` still apply. A replay runs once per sample, however long it takes.
    #[schemars(example = &"oltp.blktrace")]
    pub(crate) trace: Option<WordOr<TraceTable>>,
}

/// A trace, and which part of it is replayed how.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceTable {
    /// The file, relative to the study.
    #[schemars(example = &"oltp.blktrace")]
    pub(crate) file: String,
    /// `"kept"`: I/Os begin as in the trace, and wait for one another only at the `depth`; as in fio, an I/O that begins late delays those after it. Needs fio 3.31 in the metal world; before 3.36 it runs a thread for each I/O of the depth, at most 512. `"flat-out"`: as fast as the depth allows (fio's `replay_no_stall`). Default: `"kept"`.
    pub(crate) timing: Option<Timing>,
    /// How many times faster than in the trace, from 0.001 to 1000; 2.0 halves all gaps (fio's `replay_time_scale`, in percent there). Default: 1.0.
    #[schemars(example = &2.0)]
    pub(crate) speed: Option<f64>,
    /// Where in the trace the replay begins, by the trace's clock. Default: at its beginning.
    #[schemars(example = &"60s")]
    pub(crate) from: Option<Written<Nanos>>,
    /// How much of the trace is replayed, by the trace's clock. Default: all that follows.
    #[schemars(example = &"30s")]
    pub(crate) length: Option<Written<Nanos>>,
    /// The device whose I/Os are replayed, by its name in the trace. Required if the trace has several.
    #[schemars(example = &"8,0")]
    pub(crate) device: Option<String>,
    /// The size at which addresses wrap around, for a trace of a larger device: an I/O at 10G then goes to 2G with `"8G"`. Runs of sequential I/O stay whole, and parts of the device share addresses. Default: none; a replay that does not fit is refused.
    #[schemars(example = &"8G")]
    pub(crate) wrap: Option<Written<Bytes>>,
}

/// A database, for `pull-plug`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DatabaseTable {
    /// The program of the database.
    pub(crate) program: DatabaseProgram,
    /// Settings that decide what a power cut loses, by the names in its manual.
    #[serde(default)]
    #[schemars(example = serde_json::json!({ "innodb_flush_log_at_trx_commit": 2 }))]
    pub(crate) settings: BTreeMap<String, Written<Parameter>>,
}

/// A load that runs beside a workload: the keys of a workload, one value each.
#[derive(Debug, Clone, Default)]
pub(crate) struct NeighbourTable;

impl JsonSchema for NeighbourTable {
    fn schema_name() -> Cow<'static, str> {
        "Neighbour".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<WorkloadTable>()
    }
}

/// `[workload]`, or several `[workload.NAME]` with shared defaults.
pub(crate) struct WorkloadTables;

impl JsonSchema for WorkloadTables {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Workloads".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<WorkloadTable>();
        let mut schema = WorkloadTable::json_schema(generator);
        schema.insert(
            "additionalProperties".to_owned(),
            serde_json::Value::from(one),
        );
        schema
    }
}

/// Settings of the host. Every key but `fill` takes one value or a list; lists expand to a matrix.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConditionsTable {
    /// The kernel, instead of `kernel` at the top level: `["5.7", "6.12"]`. The model simulates the rules of any version. The lab's guest runs one kernel, so a study with several needs a run for each; on a real machine only the running kernel can be named.
    #[schemars(example = &"6.12")]
    pub(crate) kernel: Option<OneOrMany<Written<KernelVersion>>>,
    /// The CPU frequency governor: `performance`, `schedutil`, `powersave`, ...
    #[schemars(example = &"performance")]
    pub(crate) governor: Option<OneOrMany<String>>,
    /// The CPU's energy/performance preference: `performance`, `balance_power`, ...
    #[schemars(example = &"performance")]
    pub(crate) energy_preference: Option<OneOrMany<String>>,
    /// The I/O scheduler of the devices: `none`, `mq-deadline`, `bfq`, `kyber`, ...
    #[schemars(example = &"none")]
    pub(crate) scheduler: Option<OneOrMany<String>>,
    /// The volatile write cache of the devices. The kernel can switch it on SATA, SCSI and virtio; an NVMe drive must already have the wanted setting.
    pub(crate) write_cache: Option<OneOrMany<WriteCache>>,
    /// Whether the kernel sends cache flushes to the devices. With `"ignored"`, a power cut loses acknowledged writes in the drives' caches; it works only on whole disks under `[may_destroy]`, or on a filesystem mounted without barriers. If this key or `write_cache` changes, a `volume` on disks is rebuilt, because device mapper reads the setting once. A sample with `"honoured"` is refused if a layer still withholds flushes from a disk.
    pub(crate) flush: Option<OneOrMany<Flush>>,
    /// How far the page cache reads ahead on the device under test (`read_ahead_kb`): a multiple of 4K, or `0` for single pages. fio doubles it for sequential loads. Only buffered loads read ahead. Default: the kernel's, 128K or two rows of an array's chunks.
    pub(crate) read_ahead: Option<OneOrMany<Written<Window>>>,
    /// How many requests of each disk may wait or be under way, from 4. With the scheduler `none` it is at most the depth of the drive's queue. Default: the kernel's.
    #[schemars(example = &64)]
    pub(crate) nr_requests: Option<OneOrMany<u32>>,
    /// The longest request of each disk in KiB, at most its `max_hw_sectors_kb`. An `array` or `volume` takes it from its disks when it is created, so it is built again for each value. Default: the kernel's, 1280 or what the disk takes.
    #[schemars(example = &128)]
    pub(crate) max_sectors_kb: Option<OneOrMany<u32>>,
    /// The latency of reads, in microseconds, above which the kernel throttles write-back of a disk; `0` turns that off. The model refuses it. Default: the kernel's, 75000 on a disk with heads, else 2000.
    #[schemars(example = &2000)]
    pub(crate) wbt_lat_usec: Option<OneOrMany<u32>>,
    /// Whether the CPUs may run above their base frequency (`intel_pstate/no_turbo`, else `cpufreq/boost`). The model and the lab refuse it. Default: the kernel's.
    pub(crate) turbo: Option<OneOrMany<bool>>,
    /// The longest time, in microseconds, that an idle CPU may need to wake up: the CPUs enter no C-state with a longer exit latency. With `0` they stay in the lightest one. The program holds `/dev/cpu_dma_latency` open, so the limit ends with it. The model limits the idle states of a host profile that lists them, and else refuses it, as the lab does. Default: no limit.
    #[schemars(example = &0)]
    pub(crate) cpu_dma_latency_us: Option<OneOrMany<u32>>,
    /// Parameters of the kernel, by the names that `sysctl` has: `{ "vm.dirty_ratio" = [10, 20] }`. Lists expand to a matrix. Only parameters in `vm`, `dev.raid`, `dev.scsi`, `fs.aio-*`, `fs.xfs`, `kernel.sched_*` and `kernel.numa_balancing*` can be set, and none of these that protects the system. The model refuses them. Default: unchanged.
    pub(crate) sysctl: Option<BTreeMap<String, OneOrMany<Written<Parameter>>>>,
    /// The CPUs on which the load and its neighbours run (fio's `cpus_allowed`): `"0-3,8"`; `"one-per-core"` for one CPU of each core, so that no two share a core (SMT); or `"cores-of:0-1"` for all CPUs of the cores of CPUs 0 and 1, their siblings included. Which CPUs share a core is in `/sys/devices/system/cpu/cpu0/topology/thread_siblings_list`. Threads of the kernel run anywhere. The model refuses it. Default: all.
    pub(crate) cpus: Option<OneOrMany<Written<LoadCpus>>>,
    /// How often to call `sync` beside the load, at least 10ms apart. Shorter than a sample. It writes back the dirty pages of *all* filesystems and commits or flushes each; a block device without a filesystem gets no flush. Default: never.
    #[schemars(example = &"5s")]
    pub(crate) sync_every: Option<OneOrMany<Written<Nanos>>>,
    /// How often to flush the cache of the device under test beside the load, at least 10ms apart (`fsync` of the block device). Shorter than a sample. With `flush = "ignored"` it reaches no drive. Default: never.
    #[schemars(example = &"1s")]
    pub(crate) flush_every: Option<OneOrMany<Written<Nanos>>>,
    /// Whether to trim free space before each sample (`fstrim`, or `blkdiscard` on a raw device).
    pub(crate) trim_before: Option<OneOrMany<bool>>,
    /// Whether to write back dirty pages and drop the page cache before each sample. The model predicts the first pass over the files then; without it, buffered reads of files that fit into memory find them there.
    pub(crate) drop_caches: Option<OneOrMany<bool>>,
    /// The state that the model answers for. `"steady"` is the long run, when caches, bitmaps, drive buffers and fast areas have settled; `"fresh"` is the beginning, after trim and fill. Other worlds refuse this key, because they cannot set the state of a real device. Default: `"steady"` in the model.
    pub(crate) state: Option<OneOrMany<State>>,
    /// Whether to write the tested part of a block device once before measuring it, if it has no filesystem. Many SSDs answer reads of unwritten or trimmed blocks without reading flash. One value for the whole study. Default: `true`.
    pub(crate) fill: Option<bool>,
    /// The failure during a sample: names of tables `[failure.NAME]`, or `none`. If the list has `none`, stacks without redundancy have no other cells. Default: `none`.
    #[schemars(example = &"disk-fails")]
    pub(crate) failure: Option<OneOrMany<String>>,
}

/// A member of the array that fails under load. Times count from the beginning of the sample. After the sample the array is repaired.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailureTable {
    /// The device that fails, counted from 0, and when: `{ at = "10s", device = 2 }`. At `"0s"` it is missing from the start.
    pub(crate) fail_device: FailDeviceTable,
    /// When a new, empty device replaces it: `{ at = "12s" }`. md rebuilds the whole member.
    pub(crate) replace: Option<MomentTable>,
    /// When the same device is re-added, instead of replaced: `{ at = "12s" }`. Needs a bitmap; md rebuilds only the regions written meanwhile.
    pub(crate) re_add: Option<MomentTable>,
    /// The guaranteed speed of the rebuild, in bytes per second and member (md's `sync_speed_min`). Default: the system's, 1000K in the model.
    pub(crate) sync_speed_min: Option<Written<Bytes>>,
    /// The maximum speed of the rebuild, in bytes per second and member (md's `sync_speed_max`). Default: the system's, 200000K in the model.
    pub(crate) sync_speed_max: Option<Written<Bytes>>,
    /// Whether the sample continues until the rebuild is done, however long that takes. Default: `false`.
    pub(crate) until_rebuilt: Option<bool>,
}

/// The device that fails.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailDeviceTable {
    /// When, from the beginning of the sample.
    pub(crate) at: Written<Nanos>,
    /// Which member of the array, counted from 0.
    pub(crate) device: u32,
}

/// A moment in a sample.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MomentTable {
    /// When, from the beginning of the sample.
    pub(crate) at: Written<Nanos>,
}

/// How a cell is found to be steady.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SteadyStateWord {
    /// SNIA SSS PTS: a window of 5 rounds within 20 % and 10 % slope, at most 25 rounds.
    Snia,
}

/// The number of samples of each cell, and when to stop. The model world uses only `budget` and `sample`: it simulates each cell 6 to 30 times, until the 95 % interval of its median bandwidth lies within ±1 %.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RepeatTable {
    /// The length of one sample, from `50ms` to a week. In the model world it sets how long a failure is simulated; other simulations end when their rate is known. Default: `3s`.
    pub(crate) sample: Option<Written<Nanos>>,
    /// A cell is done when the 95 % interval of its median lies within ± this share. Default: `5%`.
    pub(crate) interval: Option<Written<Percent>>,
    /// The minimum number of samples of a cell, not counting its warm-up. At most 10000, and they must fit into the budget. Default: 6, the fewest that have a 95 % interval.
    pub(crate) at_least: Option<NonZeroU32>,
    /// The maximum number of samples of a cell, not counting its warm-up. A baseline continues as long as the cells compared with it. At most 10000. Default: 30.
    pub(crate) at_most: Option<NonZeroU32>,
    /// The time limit for the whole run, at most a year. Default: `10m`.
    pub(crate) budget: Option<Written<Nanos>>,
    /// With `"snia"`, samples count only from the first steady window on (SNIA SSS PTS). Default: off.
    pub(crate) steady_state: Option<SteadyStateWord>,
}

/// A value of an axis as it may be written in `baseline`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AxisValue {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
}

/// Which cells are compared, and by which metric.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareTable {
    /// The cells to compare with, given by key and value: `{ block_size = "8K" }`. A cell is compared with the cell that differs from it in these keys only. Default: the first of several stacks; `{}` compares nothing.
    #[schemars(example = serde_json::json!({ "block_size": "8K" }))]
    pub(crate) baseline: Option<BTreeMap<String, AxisValue>>,
    /// The metric to compare. Default: `bandwidth`, or `latency_mean` if every workload keeps the times of a trace, which give its bandwidth.
    pub(crate) metric: Option<Metric>,
    /// Differences within ± this share count as no difference. Default: `5%`.
    pub(crate) margin: Option<Written<Percent>>,
}

/// What the stacks cost over the years. Each run shows it beside its results. A rating that neither this table nor the device profile states is unknown, and so is what depends on it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LifetimeTable {
    /// The years in which data may be lost, up to 100. Default: 5.
    pub(crate) years: Option<u32>,
    /// The bytes that the load writes to each stack in a day, on average over the years. A load at full speed wears out a drive in weeks, so this number decides how long drives last. Default: none; then only the days at full speed are shown.
    #[schemars(example = &"100G")]
    pub(crate) writes_per_day: Option<Written<Bytes>>,
    /// The bytes that may be written to a device in its life (TBW). Default: that of the device profile.
    #[schemars(example = &"150T")]
    pub(crate) tbw_bytes: Option<Written<Bytes>>,
    /// The share of devices that fail in a year, in percent. Default: that of the device profile.
    #[schemars(example = &1.0)]
    pub(crate) afr_percent: Option<f64>,
    /// The bits read for each sector that cannot be read: `100_000_000_000_000` for "1 in 10^14". Default: that of the device profile.
    #[schemars(example = &100_000_000_000_000_u64)]
    pub(crate) ure_bits: Option<u64>,
}
