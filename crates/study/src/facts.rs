//! The facts of the machine when a sample was taken. Any fact may be unknown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stripewise_message::Message;

use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

/// The processor and how it is driven.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CpuFacts {
    /// The model as `/proc/cpuinfo` names it.
    pub model: Option<String>,
    /// How many logical CPUs are online.
    pub logical_count: Option<u32>,
    /// The frequency driver (`intel_pstate`, `acpi-cpufreq`, ...).
    pub frequency_driver: Option<String>,
    /// The frequency governor; several, comma-separated, where the CPUs differ.
    pub governor: Option<String>,
    /// The energy/performance preference; several where the CPUs differ.
    pub energy_preference: Option<String>,
    /// The highest frequency of any CPU.
    pub frequency_max_khz: Option<u64>,
}

/// One block device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceFacts {
    /// The kernel's name: `sda`, `nvme0n1`, `md0`.
    pub name: String,
    /// The model it reports.
    pub model: Option<String>,
    /// The serial number or world-wide name it reports.
    pub serial: Option<String>,
    /// The version of its firmware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Its size.
    pub size_bytes: Option<Bytes>,
    /// Whether the kernel treats it as a rotating disk.
    pub rotational: Option<bool>,
    /// The I/O scheduler in use.
    pub scheduler: Option<String>,
    /// `write back` (a volatile cache that is flushed) or `write through`.
    pub write_cache: Option<String>,
    /// The smallest unit that it can address.
    pub logical_block_bytes: Option<Bytes>,
    /// The largest request the block layer sends it.
    pub request_bytes_max: Option<Bytes>,
    /// The number of requests that may be queued for it.
    pub queue_depth: Option<u32>,
    /// The devices below it, by the kernel's names; empty for a disk.
    pub members: Vec<String>,
    /// The kind of device mapper target: `lvm`, `crypt`, `mpath`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapper: Option<String>,
    /// Its device mapper name: `vg-data`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapper_name: Option<String>,
    /// Its partitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<PartitionFacts>,
}

/// A partition of a block device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PartitionFacts {
    /// The kernel's name: `sda1`, `nvme0n1p2`.
    pub name: String,
    /// Its size.
    pub size_bytes: Option<Bytes>,
}

/// A filesystem on block devices of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MountFacts {
    /// Its mount point; the first of several.
    pub mount_point: String,
    /// Its type: `ext4`, `btrfs`, ...
    pub filesystem: String,
    /// The devices or partitions it lies on, by the kernel's names.
    pub devices: Vec<String>,
}

/// The state of an md array.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ArrayFacts {
    /// The kernel's name: `md0`.
    pub name: String,
    /// The level as md names it.
    pub level: Option<String>,
    /// The layout in mdadm's words; `None` where the level has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// The chunk; `None` where the level has none.
    pub chunk_bytes: Option<Bytes>,
    /// The superblock format as the kernel names it: `1.2`, `external:/md127/0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// Where the write-intent bitmap is: `none`, or its offset from the superblock (`+8`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bitmap: Option<String>,
    /// How many members it should have.
    pub member_count: Option<u32>,
    /// How many members are missing.
    pub degraded_count: Option<u32>,
    /// What it is doing: `idle`, `resync`, `recover`, `check`, ...
    pub sync_action: Option<String>,
}

/// The path of a target that is a study's devices, before a stack is built on them.
pub const TARGET_DEVICES: &str = "devices that may be destroyed";

/// The filesystem under test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetFacts {
    /// The directory.
    pub path: String,
    /// Where the filesystem is mounted.
    pub mount_point: Option<String>,
    /// Its type: `ext4`, `btrfs`, `zfs`, ...
    pub filesystem: Option<String>,
    /// The mounted device, dataset or share.
    pub source: Option<String>,
    /// Its mount options, per mount and per filesystem.
    pub options: Vec<String>,
    /// Its compression of written data, as far as its options show it.
    pub compression: Option<String>,
    /// How a btrfs of one or several devices keeps its data: `single`, `dup`, `raid1`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Its size.
    pub size_bytes: Option<Bytes>,
    /// The space that an unprivileged user may still fill.
    pub free_bytes: Option<Bytes>,
    /// The disks below it, by the kernel's names; empty if they cannot be determined.
    pub disks: Vec<String>,
    /// The devices or partitions directly below it, by the kernel's names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
}

/// How the fact of a disk's firmware ends.
const FIRMWARE: &str = " firmware";

/// What stands for a hypervisor that does not say its name.
pub const HYPERVISOR_UNNAMED: &str = "unnamed hypervisor";

/// The facts of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The kernel release: `6.1.0-18-amd64`.
    pub kernel: Option<String>,
    /// The version of the kernel's source, if the release does not give it: `6.1.76`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_source: Option<String>,
    /// The distribution's name for itself.
    pub os: Option<String>,
    /// The hypervisor, if one is detected.
    pub hypervisor: Option<String>,
    /// The mainboard or machine as its firmware names it.
    pub board: Option<String>,
    /// The processor.
    pub cpu: CpuFacts,
    /// The memory that the kernel can use.
    pub memory_bytes: Option<Bytes>,
    /// The block devices, disks first.
    pub devices: Vec<DeviceFacts>,
    /// The md arrays.
    pub arrays: Vec<ArrayFacts>,
    /// The filesystems on its block devices; empty if they were not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<MountFacts>,
    /// Why the mounts could not be read; the filesystems are unknown then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mounts_unread: Option<String>,
    /// The filesystem under test, if one was named.
    pub target: Option<TargetFacts>,
    /// The clock that fio reads its times from.
    pub fio_clock: Option<String>,
    /// The versions of the tools used, by name.
    pub tools: BTreeMap<String, String>,
}

/// One fact that has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FactChange {
    /// Which fact.
    pub fact: String,
    /// The earlier value.
    pub before: String,
    /// The present value.
    pub now: String,
}

impl FactChange {
    /// Returns the name of the fact for a reader of any language.
    pub fn name(&self) -> Message {
        let fact = self.fact.as_str();
        let of_disk = |disk: &str| {
            // The kernel's names of disks have no spaces.
            let (disk, part) = disk.split_once(' ')?;
            let message = Message::new(match part {
                "model" => "changed-disk-model",
                "serial" => "changed-disk-serial",
                "firmware" => "changed-disk-firmware",
                "size in bytes" => "changed-disk-size",
                "scheduler" => "changed-disk-scheduler",
                "write cache" => "changed-disk-write-cache",
                _ => return None,
            });
            Some(message.name("disk", disk))
        };
        let named = match fact {
            "kernel" => Some(Message::new("changed-kernel")),
            "kernel source" => Some(Message::new("changed-kernel-source")),
            "CPU model" => Some(Message::new("changed-cpu-model")),
            "CPU governor" => Some(Message::new("changed-cpu-governor")),
            "CPU count" => Some(Message::new("changed-cpu-count")),
            "memory" => Some(Message::new("changed-memory")),
            "target filesystem" => Some(Message::new("changed-target-filesystem")),
            "target mount point" => Some(Message::new("changed-target-mount-point")),
            "target source" => Some(Message::new("changed-target-source")),
            fact => match (fact.strip_prefix("disk "), fact.strip_suffix(" version")) {
                (Some(disk), _) => of_disk(disk),
                (None, Some(tool)) => Some(Message::new("changed-tool").name("tool", tool)),
                (None, None) => None,
            },
        };
        named.unwrap_or_else(|| Message::new("changed-other").name("fact", fact))
    }
}

impl Facts {
    /// Returns the device with the kernel's name `name`.
    pub fn device(&self, name: &str) -> Option<&DeviceFacts> {
        self.devices.iter().find(|device| device.name == name)
    }

    /// Returns the version of the kernel's source, whose rules apply. Distributions update the
    /// source under the same release. `None` if it is unknown.
    pub fn kernel_version(&self) -> Option<KernelVersion> {
        let text = self.kernel_source.as_ref().or(self.kernel.as_ref())?;
        KernelVersion::parse(text)
    }

    /// Returns which facts differ between `self` and `now` that make samples incomparable: kernel,
    /// processor, governor, memory, the target's filesystem and disks with their firmware, the tools' versions.
    ///
    /// Facts that change by themselves (free space, frequency, other disks) are left out.
    pub fn changes(&self, now: &Facts) -> Vec<FactChange> {
        let (before, after) = (self.identity(), now.identity());
        let keys: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let text = |facts: &BTreeMap<String, String>, key: &String| {
            facts
                .get(key)
                .cloned()
                .unwrap_or_else(|| "unknown".to_owned())
        };
        // Older programs did not read it: what was not read has not changed.
        let is_unread = |key: &str| {
            key.ends_with(FIRMWARE) && !(before.contains_key(key) && after.contains_key(key))
        };
        keys.into_iter()
            .filter(|key| before.get(*key) != after.get(*key) && !is_unread(key))
            .map(|key| FactChange {
                fact: key.clone(),
                before: text(&before, key),
                now: text(&after, key),
            })
            .collect()
    }

    /// Returns the facts that a series of samples must share.
    fn identity(&self) -> BTreeMap<String, String> {
        let mut identity = BTreeMap::new();
        let mut put = |key: String, value: Option<String>| {
            if let Some(value) = value {
                identity.insert(key, value);
            }
        };
        put("kernel".into(), self.kernel.clone());
        put("kernel source".into(), self.kernel_source.clone());
        put("CPU model".into(), self.cpu.model.clone());
        put("CPU governor".into(), self.cpu.governor.clone());
        put(
            "CPU count".into(),
            self.cpu.logical_count.map(|count| count.to_string()),
        );
        put(
            "memory".into(),
            self.memory_bytes
                .map(|bytes| format!("{} MiB", bytes.as_u64() >> 20)),
        );
        for (tool, version) in &self.tools {
            put(format!("{tool} version"), Some(version.clone()));
        }
        let Some(target) = &self.target else {
            return identity;
        };
        put("target filesystem".into(), target.filesystem.clone());
        put("target mount point".into(), target.mount_point.clone());
        put("target source".into(), target.source.clone());
        for disk in target.disks.iter().filter_map(|name| self.device(name)) {
            put(format!("disk {} model", disk.name), disk.model.clone());
            put(format!("disk {} serial", disk.name), disk.serial.clone());
            put(
                format!("disk {}{FIRMWARE}", disk.name),
                disk.firmware.clone(),
            );
            put(
                format!("disk {} size in bytes", disk.name),
                disk.size_bytes.map(|bytes| bytes.as_u64().to_string()),
            );
            put(
                format!("disk {} scheduler", disk.name),
                disk.scheduler.clone(),
            );
            put(
                format!("disk {} write cache", disk.name),
                disk.write_cache.clone(),
            );
        }
        identity
    }
}
