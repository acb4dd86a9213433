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

use crate::given::Given;
use crate::members::Members;
use crate::preset::Preset;
use stripewise_study::conditions::{CONDITION_KEYS, Conditions, Flush, State, WriteCache};
use stripewise_study::cpus::LoadCpus;
use stripewise_study::hosts::LostHosts;
use stripewise_study::load::{LOAD_KEYS, Load};
use stripewise_study::metric::Metric;
use stripewise_study::notation::{Mix, Notated, OneOrMany, Parameter, Window};
use stripewise_study::stack::{ConsistencyPolicy, Level, Metadata};
use stripewise_study::trace::Timing;
use stripewise_study::workload::{
    BlockSize, Data, DatabaseProgram, Distribution, Engine, Pattern, SyncMode,
};
use stripewise_study::{condition_keys, load_keys};
use stripewise_units::kernel::{KernelName, KernelVersion};
use stripewise_units::{Bytes, Nanos, Percent};

/// A study: stacks x workloads x conditions, and the question it answers.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Study")]
#[expect(dead_code, reason = "read table by table; the whole serves the schema")]
pub(crate) struct StudyFile {
    /// The question that the study answers, the headline of every report.
    #[schemars(example = &"Which array is faster?")]
    question: Option<String>,
    /// The kernel version. Its rules apply in the model world, and it decides which layouts exist. Default: this machine's kernel.
    kernel: Option<Notated<KernelVersion>>,
    /// The host profile for the model world. Worlds on a real host ignore it.
    #[schemars(example = &"default")]
    host: Option<String>,
    /// The cores of that host, at most 65536. Default: those of the host profile.
    #[schemars(example = 64)]
    cores: Option<NonZeroU32>,
    /// The hosts that run the load at the same time, at most 256, as `ssh` knows them: `"web1"`, `"root@web2"`, `"ssh://web3:2222"`. The metal world measures the directory `--target` of each; other worlds ignore them. Default: this machine. See docs/hosts.md.
    #[schemars(default)]
    #[schemars(example = serde_json::json!(["web1", "web2"]))]
    hosts: Vec<String>,
    /// What becomes of a run that cannot begin with a host, or loses one: `"refuse"` (default) ends it, `"continue"` goes on with the hosts that are left.
    lost_hosts: Option<LostHosts>,
    /// The block devices that a run may overwrite, listed under the device profile they stand for: `"my-ssd" = ["/dev/disk/by-id/ata-..."]`. Use stable paths: below `/dev/disk/by-id/`, `/dev/disk/by-path/` or `/dev/disk/by-partuuid/`, or loop devices. Each must be unused and empty. You confirm each before a run begins, by its name; for `by-path` and loop devices, by its serial number or backing file. The metal world builds stacks on these devices only; other worlds ignore them.
    #[schemars(default)]
    #[schemars(example = serde_json::json!({ "my-ssd": ["/dev/disk/by-id/ata-X"] }))]
    may_destroy: BTreeMap<String, Vec<PathBuf>>,
    /// The storage under test, one table per stack: `[stack.NAME]`.
    stack: BTreeMap<String, StackTable>,
    /// The load: one `[workload]`, or several `[workload.NAME]`. Keys directly under `[workload]` are their defaults.
    #[schemars(default)]
    workload: WorkloadTables,
    /// A program of yours that `pull-plug` runs in the place of workloads, and whose promises it checks after power cuts. A run begins only after you confirm the program.
    #[schemars(default)]
    program: Option<ProgramTable>,
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
    /// The devices: names of device profiles, each with a count (`{ "sata-ssd" = 4 }`), or one name for each device (`["nvme-ssd", "sata-ssd"]`), at most 4096 in all. They are the members of the array in the order in which they are written. Default: none, which means the existing filesystem.
    #[serde(default)]
    #[schemars(example = serde_json::json!({ "sata-ssd": 4 }), example = serde_json::json!(["nvme-ssd", "sata-ssd"]))]
    pub(crate) devices: Members,
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
    pub(crate) chunk: Option<Notated<Bytes>>,
    /// The write-intent bitmap: `"none"` (default), `"internal"`, or a table with its chunk. mdadm 4.2 and older adds one to arrays of members above 100 GiB if nobody says otherwise; `stripewise` says `--bitmap=none`.
    #[schemars(example = &"internal")]
    pub(crate) bitmap: Option<BitmapValue>,
    /// The superblock format. Default: `1.2`.
    pub(crate) metadata: Option<Metadata>,
    /// Whether to skip the first sync when the array is created (`--assume-clean`). Parity is then wrong until it is written. Default: `false`, which waits for the sync.
    pub(crate) assume_clean: Option<bool>,
    /// How much of each member the array uses (`--size`). Default: all of it. Required if `beside` lists volumes.
    pub(crate) size: Option<Notated<Bytes>>,
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
    pub(crate) sync_speed_min: Option<Notated<Bytes>>,
    /// The maximum speed of a resync or rebuild, in bytes per second and member. The first sync runs before it is set. Default: the system's, 200000K in the model.
    pub(crate) sync_speed_max: Option<Notated<Bytes>>,
    /// How long after its last write an array with redundancy is marked clean. The next write waits until the superblocks say otherwise. `"0ms"` means never. Default: the kernel's, about 200 ms.
    pub(crate) safe_mode_delay: Option<Notated<Nanos>>,
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
    pub(crate) chunk: Option<Notated<Bytes>>,
    /// How much of each member it uses. Default: the rest.
    pub(crate) size: Option<Notated<Bytes>>,
}

/// A write-intent bitmap with its chunk.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BitmapTable {
    /// The bytes that each bit covers.
    pub(crate) chunk: Notated<Bytes>,
}

/// A striped LVM volume.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VolumeTable {
    /// The number of physical volumes in each stripe, at most 128.
    pub(crate) stripes: NonZeroU32,
    /// The bytes of one stripe on one physical volume. Default: 64K, as lvcreate's.
    pub(crate) stripe_size: Option<Notated<Bytes>>,
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

/// Makes [`WorkloadTable`] from the scalar keys of a load, and the keys beside them.
macro_rules! workload_table {
    ({ $( $(#[$attribute:meta])* $axis:ident $name:ident: $written:ty {
        set: $set:expr,
        get: $get:expr,
        $(row: $($row:tt)*)?
    } )* }) => {
        /// A load in fio's words. Every key but `from`, `verify`, `risk`, `neighbours`, `database` and `trace` takes one value or a list; lists expand to a matrix.
        #[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct WorkloadTable {
            /// A shipped workload whose keys this one takes; keys beside it, or shared under `[workload]`, override those. `stripewise workloads` lists them, and `stripewise workloads NAME` prints one with its source.
            #[schemars(extend("enum" = Preset::names()), example = &"oltp")]
            pub(crate) from: Option<String>,
            $(
                $(#[$attribute])*
                pub(crate) $name: Option<OneOrMany<$written>>,
            )*
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

        impl WorkloadTable {
            /// Returns what the table gives for each scalar key, in their order.
            pub(crate) fn given(&self) -> Vec<Given<'_, Load>> {
                let mut keys = LOAD_KEYS.iter();
                let mut next = || keys.next().expect("the table has a row for each key");
                vec![$(Given::of(next(), &self.$name, $set)),*]
            }
        }
    };
}

load_keys! { workload_table }

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
    pub(crate) from: Option<Notated<Nanos>>,
    /// How much of the trace is replayed, by the trace's clock. Default: all that follows.
    #[schemars(example = &"30s")]
    pub(crate) length: Option<Notated<Nanos>>,
    /// The device whose I/Os are replayed, by its name in the trace. Required if the trace has several.
    #[schemars(example = &"8,0")]
    pub(crate) device: Option<String>,
    /// The size at which addresses wrap around, for a trace of a larger device: an I/O at 10G then goes to 2G with `"8G"`. Runs of sequential I/O stay whole, and parts of the device share addresses. Default: none; a replay that does not fit is refused.
    #[schemars(example = &"8G")]
    pub(crate) wrap: Option<Notated<Bytes>>,
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
    pub(crate) settings: BTreeMap<String, Notated<Parameter>>,
}

/// A program for `pull-plug`, in the place of `[workload]`. Each call is a list: an absolute path, then arguments; no shell reads it. In arguments, `{phase}` stands for `load`, `check` or `recover`, `{size}` for the record size and `{directory}` for the directory on the stack; the environment has the same as `STRIPEWISE_PHASE`, `STRIPEWISE_SIZE` and `STRIPEWISE_DIRECTORY`. docs/pull-plug-program.md has the lines that it prints.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramTable {
    /// The call of the load. It prints a line for each value that it relies on from then on.
    #[schemars(example = serde_json::json!(["/srv/my-test", "{phase}"]))]
    pub(crate) load: Vec<String>,
    /// The call that prints the values that it finds after a cut. Default: the one of `load`.
    #[schemars(example = serde_json::json!(["/srv/my-check"]))]
    pub(crate) check: Option<Vec<String>>,
    /// A call that must end with exit code 0 before the check, such as a repair. Default: none.
    #[schemars(example = serde_json::json!(["/srv/my-repair"]))]
    pub(crate) recover: Option<Vec<String>>,
    /// Absolute paths of files and directories that the calls read, such as a script. The program sees these, system directories and its stack, and nothing else.
    #[serde(default)]
    #[schemars(example = serde_json::json!(["/srv/my-test.py"]))]
    pub(crate) files: Vec<PathBuf>,
    /// The line by which the program itself acknowledges a record: text with `{id}`, and `{bytes}` and `{hash}` if it has them. Default: only `ack ID BYTES HASH`.
    #[schemars(example = &"INSERTED {id}")]
    pub(crate) acknowledgement: Option<String>,
    /// The size of a record, or several; each is a setting of its own. Default: the program decides.
    #[schemars(example = serde_json::json!(["100", "64K"]))]
    pub(crate) record_size: Option<OneOrMany<Notated<Bytes>>>,
    /// How long a check, or a recovery, may take. Default: `"60s"`.
    #[schemars(example = &"60s")]
    pub(crate) limit: Option<Notated<Nanos>>,
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
#[derive(Default)]
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

/// Makes [`ConditionsTable`] from the scalar keys of conditions, and the keys beside them.
macro_rules! conditions_table {
    ({ $( $(#[$host_attribute:meta])* $host_axis:ident $host:ident: $host_written:ty {
        set: $host_set:expr,
        get: $host_get:expr,
        $(row: $($host_row:tt)*)?
    } )* } { $( $(#[$attribute:meta])* $axis:ident $name:ident: $written:ty {
        set: $set:expr,
        get: $get:expr,
        $(row: $($row:tt)*)?
    } )* }) => {
        /// Settings of the host. Every key but `fill` takes one value or a list; lists expand to a matrix.
        #[derive(Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct ConditionsTable {
            $(
                $(#[$host_attribute])*
                pub(crate) $host: Option<OneOrMany<$host_written>>,
            )*
            /// Parameters of the kernel, by the names that `sysctl` has: `{ "vm.dirty_ratio" = [10, 20] }`. Lists expand to a matrix. Only parameters in `vm`, `dev.raid`, `dev.scsi`, `fs.aio-*`, `fs.xfs`, `kernel.sched_*` and `kernel.numa_balancing*` can be set, and none of these that protects the system. The model refuses them. Default: unchanged.
            pub(crate) sysctl: Option<BTreeMap<String, OneOrMany<Notated<Parameter>>>>,
            $(
                $(#[$attribute])*
                pub(crate) $name: Option<OneOrMany<$written>>,
            )*
            /// Whether to write the tested part of a block device once before measuring it, if it has no filesystem. Many SSDs answer reads of unwritten or trimmed blocks without reading flash. One value for the whole study. Default: `true`.
            pub(crate) fill: Option<bool>,
            /// The failure during a sample: names of tables `[failure.NAME]`, or `none`. If the list has `none`, stacks without redundancy have no other cells. Default: `none`.
            #[schemars(example = &"disk-fails")]
            pub(crate) failure: Option<OneOrMany<String>>,
        }

        impl ConditionsTable {
            /// Returns what the table gives for each scalar key, in their order.
            pub(crate) fn given(&self) -> Vec<Given<'_, Conditions>> {
                let mut keys = CONDITION_KEYS.iter();
                let mut next = || keys.next().expect("the table has a row for each key");
                vec![
                    $(Given::of(next(), &self.$host, $host_set),)*
                    $(Given::of(next(), &self.$name, $set),)*
                ]
            }
        }
    };
}

condition_keys! { conditions_table }

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
    pub(crate) sync_speed_min: Option<Notated<Bytes>>,
    /// The maximum speed of the rebuild, in bytes per second and member (md's `sync_speed_max`). Default: the system's, 200000K in the model.
    pub(crate) sync_speed_max: Option<Notated<Bytes>>,
    /// Whether the sample continues until the rebuild is done, however long that takes. Default: `false`.
    pub(crate) until_rebuilt: Option<bool>,
}

/// The device that fails.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailDeviceTable {
    /// When, from the beginning of the sample.
    pub(crate) at: Notated<Nanos>,
    /// Which member of the array, counted from 0.
    pub(crate) device: u32,
}

/// A moment in a sample.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MomentTable {
    /// When, from the beginning of the sample.
    pub(crate) at: Notated<Nanos>,
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
    pub(crate) sample: Option<Notated<Nanos>>,
    /// A cell is done when the 95 % interval of its median lies within ± this share. Default: `5%`.
    pub(crate) interval: Option<Notated<Percent>>,
    /// The minimum number of samples of a cell, not counting its warm-up. At most 10000, and they must fit into the budget. Default: 6, the fewest that have a 95 % interval.
    pub(crate) at_least: Option<NonZeroU32>,
    /// The maximum number of samples of a cell, not counting its warm-up. A baseline continues as long as the cells compared with it. At most 10000. Default: 30.
    pub(crate) at_most: Option<NonZeroU32>,
    /// The time limit for the whole run, at most a year. Default: `10m`.
    pub(crate) budget: Option<Notated<Nanos>>,
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
    pub(crate) margin: Option<Notated<Percent>>,
}

/// What the stacks cost over the years. Each run shows it beside its results. A rating that neither this table nor the device profile states is unknown, and so is what depends on it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LifetimeTable {
    /// The years in which data may be lost, up to 100. Default: 5.
    pub(crate) years: Option<u32>,
    /// The bytes that the load and its neighbours write to each stack in a day, on average over the years. A load at full speed wears out a drive in weeks, so this number decides how long drives last. It also decides which state the answer is about, where fresh and steady devices differ: fresh, if even a day's writes at once do not fill what makes them fast; steady, if they are more than the devices empty all day; else both, as it depends on how long the bursts are. Default: none; then only the days at full speed are shown, and both states.
    #[schemars(example = &"100G")]
    pub(crate) writes_per_day: Option<Notated<Bytes>>,
    /// The bytes that may be written to a device in its life (TBW). Default: that of the device profile.
    #[schemars(example = &"150T")]
    pub(crate) tbw_bytes: Option<Notated<Bytes>>,
    /// The share of devices that fail in a year, in percent. Default: that of the device profile.
    #[schemars(example = &1.0)]
    pub(crate) afr_percent: Option<f64>,
    /// The bits read for each sector that cannot be read: `100_000_000_000_000` for "1 in 10^14". Default: that of the device profile.
    #[schemars(example = &100_000_000_000_000_u64)]
    pub(crate) ure_bits: Option<u64>,
}
