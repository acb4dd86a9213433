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

/// A study: stacks x workloads x conditions, and the question asked of them.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Study")]
#[expect(dead_code, reason = "read table by table; the whole serves the schema")]
pub(crate) struct StudyFile {
    /// The question that the study answers; it heads every report.
    #[schemars(example = &"Which array is faster?")]
    question: Option<String>,
    /// The kernel whose rules apply in the model world, and which layouts exist. Default: the kernel of the machine.
    kernel: Option<Written<KernelVersion>>,
    /// The host profile of the model world. Worlds that run on a real host ignore it.
    #[schemars(example = &"default")]
    host: Option<String>,
    /// The block devices whose content may be destroyed, by the device profile they stand for: `"my-ssd" = ["/dev/disk/by-id/ata-..."]`. Paths are stable ones: below `/dev/disk/by-id/`, `/dev/disk/by-path/` or `/dev/disk/by-partuuid/`, or loop devices. Each must be unused and empty, and is confirmed before a run begins: by its name, or below `by-path` and on loop devices by its serial number or the file behind it. The metal world builds the stacks that name devices on these and on nothing else; other worlds ignore them.
    #[schemars(default)]
    #[schemars(example = serde_json::json!({ "my-ssd": ["/dev/disk/by-id/ata-X"] }))]
    may_destroy: BTreeMap<String, Vec<PathBuf>>,
    /// What is under test: one table per stack, `[stack.NAME]`.
    stack: BTreeMap<String, StackTable>,
    /// What load is put on it: one `[workload]`, or several `[workload.NAME]`, for which keys directly under `[workload]` are defaults.
    workload: WorkloadTables,
    /// Load that runs beside a workload and is not asked about: `[neighbour.NAME]`, named by a workload's `neighbours`.
    #[schemars(default)]
    neighbour: BTreeMap<String, NeighbourTable>,
    /// The state of the host that is asked for. What is not stated stays as it is found.
    #[schemars(default)]
    conditions: ConditionsTable,
    /// What fails during a sample, and how the array gets whole again: `[failure.NAME]`, named by `failure` under `[conditions]`.
    #[schemars(default)]
    failure: BTreeMap<String, FailureTable>,
    /// How often each cell is measured and when it is enough.
    #[schemars(default)]
    repeat: RepeatTable,
    /// What is compared with what.
    #[schemars(default)]
    compare: CompareTable,
}

/// One stack, from the devices up: devices, array, volume, filesystem. Any layer may be missing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StackTable {
    /// The devices: the name of a device profile and how many of it, 4096 at most. None named: the filesystem that is there already.
    #[serde(default)]
    #[schemars(example = serde_json::json!({ "sata-ssd": 4 }))]
    pub(crate) devices: BTreeMap<String, NonZeroU32>,
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
    /// The write-intent bitmap: `"none"` (default), `"internal"`, or a table with the chunk of a bit.
    #[schemars(example = &"internal")]
    pub(crate) bitmap: Option<BitmapValue>,
    /// The superblock format. Default: `1.2`.
    pub(crate) metadata: Option<Metadata>,
    /// Whether the members are taken to be in sync when the array is made (`--assume-clean`): no time for a first sync, and parity that is wrong until it is written. Default: `false`, which waits for the sync.
    pub(crate) assume_clean: Option<bool>,
    /// How much of each member the array uses (`--size`). Default: all there is. Needed where volumes stand beside it.
    pub(crate) size: Option<Written<Bytes>>,
    /// Further volumes in the same container, with metadata `imsm`: made after this one, not measured, as a board with two volumes on the same disks has them. The format knows two volumes a container.
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
    /// How much of each member it uses. Default: what is left.
    pub(crate) size: Option<Written<Bytes>>,
}

/// A write-intent bitmap with its chunk.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BitmapTable {
    /// The bytes that one bit stands for.
    pub(crate) chunk: Written<Bytes>,
}

/// A striped LVM volume.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VolumeTable {
    /// How many physical volumes the stripes go over: 128 at most.
    pub(crate) stripes: NonZeroU32,
    /// The bytes of one stripe on one physical volume. Default: 64K, as lvcreate's.
    pub(crate) stripe_size: Option<Written<Bytes>>,
}

/// A filesystem made for the study.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilesystemTable {
    /// The type as `mkfs` names it: `ext4`, `xfs`, `btrfs`, ...
    #[serde(rename = "type")]
    #[schemars(example = &"ext4")]
    pub(crate) kind: String,
    /// Arguments for `mkfs`, or for `zpool create`, such as `["-E", "stride=8"]`. They name no files or devices.
    #[serde(default)]
    #[schemars(example = serde_json::json!(["-E", "stride=8"]))]
    pub(crate) mkfs: Vec<String>,
    /// Mount options.
    #[serde(default)]
    #[schemars(example = serde_json::json!(["noatime"]))]
    pub(crate) options: Vec<String>,
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
    /// Whether the page cache is bypassed (`O_DIRECT`). Default: `true`, because a disk is asked about.
    pub(crate) direct: Option<OneOrMany<bool>>,
    /// The system calls used. Default: `psync`, or `io_uring` if any depth is above 1.
    pub(crate) engine: Option<OneOrMany<Engine>>,
    /// How many jobs run at once, each on a file of its own: 1024 at most. Default: 1.
    pub(crate) jobs: Option<OneOrMany<NonZeroU32>>,
    /// How many I/Os each job keeps under way (`iodepth`): 32768 at most, and buffers of 1T for all jobs together. Default: 1.
    pub(crate) depth: Option<OneOrMany<NonZeroU32>>,
    /// What the written buffers hold: `incompressible` (default), `zeroes`, or the ratio by which they compress, such as `2.0`.
    pub(crate) data: Option<OneOrMany<Written<Data>>>,
    /// Whether each write is durable before it returns (`O_SYNC`, `O_DSYNC`). Default: `false`.
    pub(crate) sync: Option<OneOrMany<Written<SyncMode>>>,
    /// An `fsync` after every so many writes.
    pub(crate) fsync: Option<OneOrMany<NonZeroU32>>,
    /// An `fdatasync` after every so many writes.
    pub(crate) fdatasync: Option<OneOrMany<NonZeroU32>>,
    /// The most bytes per second *of each job* in each direction.
    pub(crate) rate: Option<OneOrMany<Written<Bytes>>>,
    /// The most I/Os per second *of each job* in each direction.
    pub(crate) rate_iops: Option<OneOrMany<NonZeroU32>>,
    /// How random offsets are spread: `uniform` (default), `zipf:1.2`, `pareto:0.9`.
    pub(crate) distribution: Option<OneOrMany<Written<Distribution>>>,
    /// A pause of each job after each I/O. Default: none.
    pub(crate) think_time: Option<OneOrMany<Written<Nanos>>>,
    /// Whether every block that was written is read again after the sample and compared (fio's `verify`); what differs makes the sample worthless. The model has no data and does not look. Default: `false`.
    pub(crate) verify: Option<bool>,
    /// The names of the loads that run beside it: tables `[neighbour.NAME]`.
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

/// The state of the host. Every key but `fill` takes one value or a list; lists expand to a matrix.
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
    /// Whether the volatile cache in the devices is on: switched in the drive itself, where the kernel can (SATA, SCSI, virtio); for NVMe it must be as it is wanted.
    pub(crate) write_cache: Option<OneOrMany<WriteCache>>,
    /// Whether the kernel sends cache flushes to the devices. `"ignored"` leaves the drives' own caches as they are, so that a power cut loses what was acknowledged; only on whole disks under `[may_destroy]`, or a filesystem that is mounted without barriers. A `volume` on disks is built anew where this or `write_cache` changes, as the device mapper asks the disks only once; a sample with `"honoured"` is refused if a layer keeps flushes from a disk all the same.
    pub(crate) flush: Option<OneOrMany<Flush>>,
    /// Whether free space is trimmed before each sample (`fstrim`, on a raw device `blkdiscard`).
    pub(crate) trim_before: Option<OneOrMany<bool>>,
    /// Whether dirty pages are written back and the page cache is dropped before each sample.
    pub(crate) drop_caches: Option<OneOrMany<bool>>,
    /// How long the load has been going on, in the model: `"steady"` is the long run, when caches, bitmaps, drive buffers and fast areas behave as they always will; `"fresh"` is what comes first, after trim and fill. The other worlds refuse it: a real device is in the state that it is in. Default: `"steady"` in the model.
    pub(crate) state: Option<OneOrMany<State>>,
    /// Whether the tested part of a block device without a filesystem is written once before it is measured, one value for the whole study: what was never written, or was trimmed, many SSDs read without looking. Default: `true`.
    pub(crate) fill: Option<bool>,
    /// What fails during a sample: names of tables `[failure.NAME]`, and `none`. Default: `none`.
    #[schemars(example = &"disk-fails")]
    pub(crate) failure: Option<OneOrMany<String>>,
}

/// A member of the array that fails under load. Times count from the beginning of the sample. After the sample the array is made whole again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailureTable {
    /// The device that fails, counted from 0, and when: `{ at = "10s", device = 2 }`. At `"0s"` it is missing from the start.
    pub(crate) fail_device: FailDeviceTable,
    /// When a new, empty device takes its place: `{ at = "12s" }`. Everything is rebuilt.
    pub(crate) replace: Option<MomentTable>,
    /// When the same device comes back, instead: `{ at = "12s" }`. Needs a bitmap; what was written meanwhile is rebuilt.
    pub(crate) re_add: Option<MomentTable>,
    /// The speed that the rebuild takes in any case, in bytes per second and member (md's `sync_speed_min`). Default: the system's, 1000K in the model.
    pub(crate) sync_speed_min: Option<Written<Bytes>>,
    /// The speed that the rebuild does not exceed, in bytes per second and member (md's `sync_speed_max`). Default: the system's, 200000K in the model.
    pub(crate) sync_speed_max: Option<Written<Bytes>>,
    /// Whether the sample goes on until the rebuild is done, however long it takes. Default: `false`.
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

/// How often each cell is measured, and when it is enough. The model world has a rule of its own: it simulates each cell 6 to 30 times, until the 95 % interval of its median bandwidth lies within 1 % on both sides; of these keys only `budget` and `sample` hold there.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RepeatTable {
    /// How long one sample takes, from `50ms` to a week. In the model world it is how long a failure is followed; other simulations end when their rate is known. Default: `3s`.
    pub(crate) sample: Option<Written<Nanos>>,
    /// A cell is done when the 95 % interval of its median lies within this share on both sides. Default: `5%`.
    pub(crate) interval: Option<Written<Percent>>,
    /// The fewest samples of a cell, its warm-up not counted. At most 10000, and no more than the budget holds of the shortest. Default: 6, the fewest that have a 95 % interval.
    pub(crate) at_least: Option<NonZeroU32>,
    /// The most samples of a cell, its warm-up not counted; a baseline goes on while cells that are compared with it do. At most 10000. Default: 30.
    pub(crate) at_most: Option<NonZeroU32>,
    /// The most time for the whole run, at most a year. Default: `10m`.
    pub(crate) budget: Option<Written<Nanos>>,
    /// `"snia"`: samples count only from the first steady window on (SNIA SSS PTS). Default: off.
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

/// What is compared with what.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareTable {
    /// The cells that others are compared with, by the keys in which they differ: `{ block_size = "8K" }`. A cell is compared with the one that differs from it in these keys only. Default: the first stack, if there are several; `{}` compares nothing.
    #[schemars(example = serde_json::json!({ "block_size": "8K" }))]
    pub(crate) baseline: Option<BTreeMap<String, AxisValue>>,
    /// What is compared. Default: `bandwidth`.
    pub(crate) metric: Option<Metric>,
    /// Differences within this share on both sides are called none. Default: `5%`.
    pub(crate) margin: Option<Written<Percent>>,
}
