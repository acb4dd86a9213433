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

use super::notation::{Mix, OneOrMany, Written};
use crate::conditions::{Flush, State, WriteCache};
use crate::kernel::KernelVersion;
use crate::metric::Metric;
use crate::stack::{Level, Metadata};
use crate::units::{Bytes, Nanos, Percent};
use crate::workload::{BlockSize, Data, Distribution, Engine, Pattern, SyncMode};

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
#[derive(Debug)]
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

/// A load in fio's words. Every key but `verify` and `neighbours` takes one value or a list; lists expand to a matrix.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkloadTable {
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
    /// A pause of each job after each I/O. Default: none.
    pub(crate) think_time: Option<OneOrMany<Written<Nanos>>>,
    /// Whether to read back and compare every written block after the sample (fio's `verify`). A difference invalidates the sample. The model holds no data and ignores this key. Default: `false`.
    pub(crate) verify: Option<bool>,
    /// The background loads that run beside this one: names of tables `[neighbour.NAME]`.
    #[schemars(example = serde_json::json!(["backup"]))]
    pub(crate) neighbours: Option<Vec<String>>,
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
    /// Whether to trim free space before each sample (`fstrim`, or `blkdiscard` on a raw device).
    pub(crate) trim_before: Option<OneOrMany<bool>>,
    /// Whether to write back dirty pages and drop the page cache before each sample. The model predicts the first pass over the files then; without it, buffered reads of files that fit into memory find them there.
    pub(crate) drop_caches: Option<OneOrMany<bool>>,
    /// The state that the model answers for. `"steady"` is the long run, when caches, bitmaps, drive buffers and fast areas have settled; `"fresh"` is the beginning, after trim and fill. Other worlds refuse this key, because they cannot set the state of a real device. Default: `"steady"` in the model.
    pub(crate) state: Option<OneOrMany<State>>,
    /// Whether to write the tested part of a block device once before measuring it, if it has no filesystem. Many SSDs answer reads of unwritten or trimmed blocks without reading flash. One value for the whole study. Default: `true`.
    pub(crate) fill: Option<bool>,
    /// The failure during a sample: names of tables `[failure.NAME]`, or `none`. Default: `none`.
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
    /// The metric to compare. Default: `bandwidth`.
    pub(crate) metric: Option<Metric>,
    /// Differences within ± this share count as no difference. Default: `5%`.
    pub(crate) margin: Option<Written<Percent>>,
}
