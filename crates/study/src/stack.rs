//! The storage under a cell: device(s) -> array -> volume -> filesystem. Any layer may be missing.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use stripewise_message::{Argument, Message};

use crate::tunable::{self, Setting};
use stripewise_units::{Bytes, Nanos};

/// Devices of one profile that stand side by side.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DeviceGroup {
    /// The name of the device profile.
    pub profile: String,
    /// How many devices.
    pub count: NonZeroU32,
}

/// An md RAID level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Devices one after the other.
    Linear,
    /// Chunks over all devices, no redundancy.
    Raid0,
    /// Every device a full copy.
    Raid1,
    /// Block parity on one device.
    Raid4,
    /// Block parity over all devices.
    Raid5,
    /// Two parities over all devices.
    Raid6,
    /// Copies of chunks over all devices.
    Raid10,
}

impl Level {
    /// All levels, in the order in which they are listed.
    pub const ALL: [Level; 7] = [
        Level::Linear,
        Level::Raid0,
        Level::Raid1,
        Level::Raid4,
        Level::Raid5,
        Level::Raid6,
        Level::Raid10,
    ];

    /// Returns the level that md calls `name`.
    pub fn of_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.as_str() == name)
    }

    /// Returns md's name of the level.
    pub const fn as_str(self) -> &'static str {
        match self {
            Level::Linear => "linear",
            Level::Raid0 => "raid0",
            Level::Raid1 => "raid1",
            Level::Raid4 => "raid4",
            Level::Raid5 => "raid5",
            Level::Raid6 => "raid6",
            Level::Raid10 => "raid10",
        }
    }

    /// Returns the fewest members mdadm creates such an array with (mdadm(8), `--raid-devices`).
    pub const fn devices_min(self) -> u32 {
        match self {
            Level::Linear | Level::Raid0 | Level::Raid1 => 1,
            Level::Raid4 | Level::Raid5 | Level::Raid10 => 2,
            Level::Raid6 => 4,
        }
    }

    /// Returns whether data is laid out in chunks.
    pub const fn has_chunk(self) -> bool {
        !matches!(self, Level::Linear | Level::Raid1)
    }

    /// Returns whether the level keeps a write-intent bitmap.
    pub const fn has_bitmap(self) -> bool {
        !matches!(self, Level::Linear | Level::Raid0)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The write-intent bitmap of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bitmap {
    /// No bitmap: after a crash the whole array is resynchronised.
    None,
    /// A bitmap beside the superblock; the chunk of each bit, or mdadm's default.
    Internal {
        /// The bytes that each bit covers.
        chunk_bytes: Option<Bytes>,
    },
}

impl fmt::Display for Bitmap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bitmap::None => f.pad("none"),
            Bitmap::Internal { chunk_bytes: None } => f.pad("internal"),
            Bitmap::Internal {
                chunk_bytes: Some(chunk),
            } => f.pad(&format!("internal:{chunk}")),
        }
    }
}

/// The superblock format of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Metadata {
    /// md's oldest format, at the end of each member.
    #[serde(rename = "0.90")]
    V0_90,
    /// md's format at the end of each member.
    #[serde(rename = "1.0")]
    V1_0,
    /// md's format at the start of each member.
    #[serde(rename = "1.1")]
    V1_1,
    /// md's format 4 KiB from the start of each member; mdadm's default.
    #[serde(rename = "1.2")]
    V1_2,
    /// Intel Matrix Storage Manager: the board's "fake RAID", driven by md.
    #[serde(rename = "imsm")]
    Imsm,
    /// SNIA's Disk Data Format, driven by md.
    #[serde(rename = "ddf")]
    Ddf,
}

impl Metadata {
    /// Returns mdadm's name of the format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Metadata::V0_90 => "0.90",
            Metadata::V1_0 => "1.0",
            Metadata::V1_1 => "1.1",
            Metadata::V1_2 => "1.2",
            Metadata::Imsm => "imsm",
            Metadata::Ddf => "ddf",
        }
    }

    /// Returns whether the format belongs to a mainboard's firmware: volumes in a container.
    pub const fn is_firmware(self) -> bool {
        matches!(self, Metadata::Imsm | Metadata::Ddf)
    }
}

impl fmt::Display for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// md RAID over the devices.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Array {
    /// The RAID level.
    pub level: Level,
    /// The layout in md's words (`n2`, `f2`, `left-symmetric`); `None` if the level has none.
    pub layout: Option<String>,
    /// The chunk; `None` if the level has none.
    pub chunk_bytes: Option<Bytes>,
    /// The write-intent bitmap.
    pub bitmap: Bitmap,
    /// The superblock format.
    pub metadata: Metadata,
    /// Whether to skip the first sync when the array is created (mdadm's `--assume-clean`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assume_clean: bool,
    /// How much of each member the array uses; `None` means all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<Bytes>,
    /// Further volumes in the same firmware container, created after this one and not measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Beside>,
    /// The settings of the running array.
    #[serde(default, skip_serializing_if = "ArraySettings::is_empty")]
    pub settings: ArraySettings,
}

/// The settings of a running array in sysfs; unset ones keep the kernel's defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ArraySettings {
    /// The stripes of the cache of RAID 4, 5 and 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stripe_cache_size: Option<u32>,
    /// The threads of each NUMA node that handle stripes beside the array's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_thread_cnt: Option<u32>,
    /// Whether a write may read old data and parity: 0, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmw_level: Option<u32>,
    /// The guaranteed speed of a resync or rebuild, per second and member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_speed_min_bytes_per_s: Option<Bytes>,
    /// Its maximum speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_speed_max_bytes_per_s: Option<Bytes>,
    /// How long after its last write the array turns clean; zero means never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe_mode_delay_ns: Option<Nanos>,
    /// The members that are read only if no other one can be, counted from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_mostly: Vec<u32>,
    /// How many writes these members may be behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_behind: Option<u32>,
    /// What makes the members agree after a crash, if it is neither a resync nor a bitmap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consistency_policy: Option<ConsistencyPolicy>,
}

/// What makes the members of an array agree after a crash (mdadm's `--consistency-policy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConsistencyPolicy {
    /// The partial parity log of raid5: the parity of what a write leaves alone, on each member.
    Ppl,
}

impl fmt::Display for ConsistencyPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ConsistencyPolicy::Ppl => "ppl",
        })
    }
}

impl ArraySettings {
    /// Returns whether none is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns each with its value: `rmw_level 0`.
    fn in_words(&self) -> Vec<String> {
        let numbers = self.numbers();
        let numbers = numbers
            .iter()
            .map(|setting| format!("{} {setting}", setting.tunable.key));
        let members: Vec<String> = self.write_mostly.iter().map(u32::to_string).collect();
        let flags = (!members.is_empty()).then(|| format!("write_mostly {}", members.join("+")));
        let policy = self.consistency_policy;
        let policy = policy.map(|policy| format!("consistency_policy {policy}"));
        numbers.chain(flags).chain(policy).collect()
    }

    /// Returns those that are numbers, in the order in which the kernel takes them.
    pub fn numbers(&self) -> Vec<Setting> {
        let count = |tunable, value: Option<u32>| value.map(|it| Setting::count(tunable, it));
        let speed = |tunable, value: Option<Bytes>| value.map(|it| Setting::size(tunable, it));
        let all = [
            count(&tunable::STRIPE_CACHE_SIZE, self.stripe_cache_size),
            count(&tunable::GROUP_THREAD_CNT, self.group_thread_cnt),
            count(&tunable::RMW_LEVEL, self.rmw_level),
            speed(&tunable::SYNC_SPEED_MIN, self.sync_speed_min_bytes_per_s),
            speed(&tunable::SYNC_SPEED_MAX, self.sync_speed_max_bytes_per_s),
            self.safe_mode_delay_ns
                .map(|delay| Setting::time(&tunable::SAFE_MODE_DELAY, delay)),
            count(&tunable::WRITE_BEHIND, self.write_behind),
        ];
        all.into_iter().flatten().collect()
    }
}

/// A volume that shares its container with the one under test.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Beside {
    /// The RAID level.
    pub level: Level,
    /// The chunk; `None` if the level has none.
    pub chunk_bytes: Option<Bytes>,
    /// How much of each member it uses; `None` means the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<Bytes>,
}

/// An LVM logical volume.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Volume {
    /// Extents one after the other.
    Linear,
    /// Stripes over the physical volumes.
    Striped {
        /// How many stripes.
        stripes: NonZeroU32,
        /// The bytes of one stripe on one physical volume.
        stripe_bytes: Bytes,
    },
}

impl fmt::Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Volume::Linear => f.pad("linear"),
            Volume::Striped {
                stripes,
                stripe_bytes,
            } => f.pad(&format!("striped:{stripes}x{stripe_bytes}")),
        }
    }
}

/// The filesystem that holds the file under test.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Filesystem {
    /// The filesystem already mounted at the target.
    Existing,
    /// None: the block device itself is under test.
    None,
    /// A filesystem created for the study.
    Made {
        /// The type as `mkfs` names it.
        kind: String,
        /// Arguments for `mkfs`, or for `zpool create`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mkfs: Vec<String>,
        /// Mount options.
        options: Vec<String>,
        /// How many devices each mirror or raidz of a ZFS pool has; `None` for all in one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<NonZeroU32>,
        /// The profile of the devices that hold a ZFS pool's intent log; `None` for none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        log: Option<String>,
    },
}

impl fmt::Display for Filesystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Filesystem::Existing => f.pad("existing"),
            Filesystem::None => f.pad("none"),
            Filesystem::Made {
                kind,
                mkfs,
                options,
                group,
                log,
            } => {
                let mut words = mkfs.clone();
                words.extend(group.map(|group| format!("x{group}")));
                words.extend(log.as_ref().map(|log| format!("log {log}")));
                words.extend((!options.is_empty()).then(|| options.join(",")));
                match words.is_empty() {
                    true => f.pad(kind),
                    false => f.pad(&format!("{kind} ({})", words.join(" "))),
                }
            }
        }
    }
}

/// One named stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stack {
    /// Its name in the study: `[stack.NAME]`.
    pub name: String,
    /// The devices, which are the members of the array in this order; an empty list means existing
    /// storage. A profile can be in several places.
    pub devices: Vec<DeviceGroup>,
    /// The adapter (HBA, controller) of the host that the devices share; `None` for the one of all
    /// disks whose stack names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// RAID over the devices.
    pub array: Option<Array>,
    /// LVM over the array or device.
    pub volume: Option<Volume>,
    /// The filesystem.
    pub filesystem: Filesystem,
}

impl Stack {
    /// Returns how many devices the stack has.
    pub fn device_count(&self) -> u64 {
        self.devices
            .iter()
            .map(|group| u64::from(group.count.get()))
            .sum()
    }

    /// Returns how many devices of each profile the stack has.
    pub fn counts_by_profile(&self) -> BTreeMap<&str, u64> {
        let mut counts = BTreeMap::new();
        for group in &self.devices {
            *counts.entry(group.profile.as_str()).or_default() += u64::from(group.count.get());
        }
        counts
    }

    /// Returns the places of the devices that hold the intent log of a ZFS pool, counted over all
    /// devices in their order; empty if none do.
    pub fn log_devices(&self) -> Range<usize> {
        let Filesystem::Made { log: Some(log), .. } = &self.filesystem else {
            return 0..0;
        };
        let count = |group: &DeviceGroup| usize::try_from(group.count.get()).unwrap_or(usize::MAX);
        let before = self
            .devices
            .iter()
            .take_while(|group| group.profile != *log);
        let first = before.map(count).fold(0, usize::saturating_add);
        let own = self.devices.iter().find(|group| group.profile == *log);
        first..first.saturating_add(own.map_or(0, count))
    }

    /// Returns the layers as one line, bottom first, for errors: `4 x ssd > raid10 n2 16K > linear >
    /// ext4`.
    pub fn summary(&self) -> String {
        let filesystem = match &self.filesystem {
            Filesystem::Existing => "existing filesystem".to_owned(),
            Filesystem::None => "no filesystem".to_owned(),
            made @ Filesystem::Made { .. } => made.to_string(),
        };
        let devices = self.device_groups();
        let array = self.array.as_ref().map(Array::summary);
        let volume = self.volume.as_ref().map(|volume| format!("LVM {volume}"));
        let layers = [devices, array, volume, Some(filesystem)];
        layers.into_iter().flatten().collect::<Vec<_>>().join(" > ")
    }

    /// Returns the devices in their order: `4 x ssd + 2 x hdd`; `None` without devices.
    fn device_groups(&self) -> Option<String> {
        let groups = self.devices.iter();
        let groups = groups.map(|group| format!("{} x {}", group.count, group.profile));
        let groups: Vec<String> = groups.collect();
        (!groups.is_empty()).then(|| groups.join(" + "))
    }

    /// Returns the layers as one line, bottom first, in no language yet.
    pub fn in_words(&self) -> Argument {
        let mut layers: Vec<Argument> = Vec::new();
        layers.extend(self.device_groups().map(Argument::Name));
        layers.extend(self.array.as_ref().map(|array| array.in_words().into()));
        let volume = self.volume.as_ref();
        layers.extend(volume.map(|volume| Argument::Name(format!("LVM {volume}"))));
        let filesystem = match &self.filesystem {
            Filesystem::Existing => Message::new("stack-existing-filesystem").into(),
            Filesystem::None => Message::new("stack-no-filesystem").into(),
            made @ Filesystem::Made { .. } => Argument::Name(made.to_string()),
        };
        let on = |below, above| {
            let message = Message::new("stack-on").with("below", below);
            message.with("above", above).into()
        };
        layers.push(filesystem);
        let whole: Option<Argument> = layers.into_iter().reduce(on);
        whole.unwrap_or(Argument::Name(String::new()))
    }
}

impl Array {
    /// Returns its settings in one line, for errors: `raid10 n2 16K bitmap none`,
    /// `raid5 left-symmetric 512K rmw_level 0 bitmap none`.
    fn summary(&self) -> String {
        let bitmap = format!("{} bitmap {}", self.keys(), self.bitmap);
        match self.metadata.is_firmware() {
            true => format!("{bitmap} {}", self.metadata),
            false => bitmap,
        }
    }

    /// Returns the settings that are keys and numbers in each language.
    fn keys(&self) -> String {
        let mut words = vec![self.level.to_string()];
        words.extend(self.layout.clone());
        words.extend(self.chunk_bytes.map(|chunk| chunk.to_string()));
        words.extend(self.settings.in_words());
        words.join(" ")
    }

    /// Returns its settings in a few words, in no language yet.
    fn in_words(&self) -> Message {
        let message = match self.metadata.is_firmware() {
            true => Message::new("stack-array-firmware").name("metadata", self.metadata),
            false => Message::new("stack-array"),
        };
        message
            .name("array", self.keys())
            .name("bitmap", self.bitmap)
    }
}
