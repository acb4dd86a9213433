//! Filesystems that combine devices and write data to a new place: what a study's words for
//! `mkfs.btrfs` and `zpool create`, and its mount options, mean.
//!
//! The words stay those of the tools, so that each world reads the same study; here they become
//! types. A word that would change the result and has no type here is an error.

use std::num::NonZeroU32;

use crate::stack::{Filesystem, Stack};
use stripewise_units::Bytes;

/// A filesystem on several devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pool {
    /// btrfs.
    Btrfs(Btrfs),
    /// ZFS.
    Zfs(Zfs),
}

/// How btrfs places blocks on devices (mkfs.btrfs(8), "PROFILES").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// One copy.
    Single,
    /// Two copies on one device.
    Dup,
    /// Stripes over all devices.
    Raid0,
    /// Two copies on two devices.
    Raid1,
    /// Three copies on three devices.
    Raid1c3,
    /// Four copies on four devices.
    Raid1c4,
    /// Stripes over pairs.
    Raid10,
}

impl Profile {
    /// Returns the profile that btrfs calls `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "single" => Profile::Single,
            "dup" => Profile::Dup,
            "raid0" => Profile::Raid0,
            "raid1" => Profile::Raid1,
            "raid1c3" => Profile::Raid1c3,
            "raid1c4" => Profile::Raid1c4,
            "raid10" => Profile::Raid10,
            _ => return None,
        })
    }

    /// Returns how many copies there are (`ncopies` of `btrfs_raid_array` in fs/btrfs/volumes.c).
    pub const fn copies(self) -> u32 {
        match self {
            Profile::Single | Profile::Raid0 => 1,
            Profile::Dup | Profile::Raid1 | Profile::Raid10 => 2,
            Profile::Raid1c3 => 3,
            Profile::Raid1c4 => 4,
        }
    }
}

/// How a filesystem compresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// LZ4, and what ZFS calls `on`.
    Lz4,
    /// LZO.
    Lzo,
    /// zlib or gzip, at any level.
    Zlib,
    /// Zstandard, at any level.
    Zstd,
}

/// A btrfs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Btrfs {
    /// How data is placed.
    pub data: Profile,
    /// How metadata is placed.
    pub metadata: Profile,
    /// How new data is compressed.
    pub compression: Option<Compression>,
    /// Whether data has checksums.
    pub has_checksums: bool,
    /// Whether data is overwritten in place.
    pub in_place: bool,
    /// The bytes of a block of metadata.
    pub node_bytes: Bytes,
}

/// How the devices of one group of a ZFS pool hold data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vdev {
    /// Each device stands alone.
    Alone,
    /// Every device holds a copy.
    Mirror,
    /// Stripes with one, two or three parities.
    Raidz(u32),
}

/// When ZFS makes writes durable (zfsprops(7), `sync`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncProperty {
    /// When a program asks for it.
    Standard,
    /// Always, before each write returns.
    Always,
    /// Only with the transaction group.
    Disabled,
}

/// What the cache keeps of files (zfsprops(7), `primarycache`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheProperty {
    /// Data and metadata.
    All,
    /// Metadata only.
    Metadata,
}

/// A ZFS pool with one dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zfs {
    /// What a group of devices is.
    pub vdev: Vdev,
    /// How many devices a group has; `None` for all that hold data.
    pub group: Option<NonZeroU32>,
    /// The power of two of the pool's sector; `None` for the devices' own.
    pub ashift: Option<u32>,
    /// The bytes of a record.
    pub record_bytes: Bytes,
    /// How data is compressed.
    pub compression: Option<Compression>,
    /// Whether data has checksums.
    pub has_checksums: bool,
    /// When writes are made durable.
    pub sync: SyncProperty,
    /// Whether large synchronous writes go to their place at once (`logbias=throughput`).
    pub logs_indirectly: bool,
    /// What the cache keeps.
    pub cache: CacheProperty,
}

/// A word of a study that the model cannot follow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` of {kind}")]
pub struct UnknownWord {
    /// The filesystem.
    pub kind: String,
    /// The word.
    pub word: String,
}

impl Stack {
    /// Returns the stack's filesystem if it combines devices itself.
    ///
    /// # Errors
    /// [`UnknownWord`] with the first argument or option that has no type here.
    pub fn pool(&self) -> Result<Option<Pool>, UnknownWord> {
        let Filesystem::Made {
            kind,
            mkfs,
            options,
            group,
            ..
        } = &self.filesystem
        else {
            return Ok(None);
        };
        match kind.as_str() {
            "btrfs" => btrfs(mkfs, options, self.device_count()).map(|it| Some(Pool::Btrfs(it))),
            "zfs" => zfs(mkfs, options, *group).map(|it| Some(Pool::Zfs(it))),
            _ => Ok(None),
        }
    }
}

fn unknown(kind: &str, word: &str) -> UnknownWord {
    UnknownWord {
        kind: kind.to_owned(),
        word: word.to_owned(),
    }
}

/// Returns the options of `mkfs` with their values: `-d raid1`, `-draid1` and `--data=raid1` are
/// the same.
fn pairs<'a>(words: &'a [String], bare: &[&str]) -> Vec<(&'a str, &'a str)> {
    let mut pairs = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if bare.contains(&word) || !word.starts_with('-') {
            pairs.push((word, ""));
        } else if let Some((key, value)) = word.split_once('=').filter(|_| word.starts_with("--")) {
            pairs.push((key, value));
        } else if !word.starts_with("--") && word.len() > 2 && word.is_char_boundary(2) {
            pairs.push(word.split_at(2));
        } else {
            pairs.push((word, words.next().unwrap_or_default()));
        }
    }
    pairs
}

/// Returns the filesystem of `mkfs.btrfs` with these arguments. Its defaults are one copy of data
/// (since 5.8; before, raid0 on several devices) and two of metadata: on one device (since 5.15 on
/// an SSD, too), or on two (mkfs.btrfs(8)).
fn btrfs(mkfs: &[String], options: &[String], devices: u64) -> Result<Btrfs, UnknownWord> {
    let mut made = Btrfs {
        data: Profile::Single,
        metadata: match devices {
            0 | 1 => Profile::Dup,
            _ => Profile::Raid1,
        },
        compression: None,
        has_checksums: true,
        in_place: false,
        node_bytes: Bytes::new(16 << 10),
    };
    for (key, value) in pairs(mkfs, &["-K", "--nodiscard", "-q"]) {
        let wrong = || unknown("btrfs", &format!("{key} {value}"));
        let profile = || Profile::of_name(&value.to_lowercase()).ok_or_else(wrong);
        match key {
            "-d" | "--data" => made.data = profile()?,
            "-m" | "--metadata" => made.metadata = profile()?,
            "-n" | "--nodesize" => made.node_bytes = bytes(value).ok_or_else(wrong)?,
            "-s" | "--sectorsize" if bytes(value) == Some(Bytes::new(4096)) => {}
            // One pass over the data, whatever it computes, is all that the model counts.
            "--csum" | "--checksum" | "-K" | "--nodiscard" | "-q" => {}
            _ => return Err(wrong()),
        }
    }
    for option in options {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        let kind = value.split(':').next().unwrap_or_default();
        match (key, kind) {
            ("compress" | "compress-force", "no" | "none") => made.compression = None,
            ("compress" | "compress-force", "" | "zlib") => {
                made.compression = Some(Compression::Zlib);
            }
            ("compress" | "compress-force", "lzo") => made.compression = Some(Compression::Lzo),
            ("compress" | "compress-force", "zstd") => made.compression = Some(Compression::Zstd),
            ("nodatacow", _) => {
                made.in_place = true;
                made.has_checksums = false;
            }
            ("nodatasum", _) => made.has_checksums = false,
            (
                "noatime" | "relatime" | "nodiratime" | "lazytime" | "ssd" | "space_cache"
                | "discard" | "nodiscard" | "datacow" | "datasum",
                _,
            ) => {}
            _ => return Err(unknown("btrfs", option)),
        }
    }
    Ok(Btrfs {
        // "nodatacow: ... turns off compression" (btrfs(5)).
        compression: made.compression.filter(|_| !made.in_place),
        ..made
    })
}

/// Returns the pool of `zpool create` with these arguments, and OpenZFS 2.2's defaults
/// (zfsprops(7)).
fn zfs(mkfs: &[String], options: &[String], group: Option<NonZeroU32>) -> Result<Zfs, UnknownWord> {
    if let Some(option) = options.first() {
        // `zfs mount` is not called with them.
        return Err(unknown("zfs", option));
    }
    let mut pool = Zfs {
        vdev: Vdev::Alone,
        group,
        ashift: None,
        record_bytes: Bytes::new(128 << 10),
        compression: Some(Compression::Lz4),
        has_checksums: true,
        sync: SyncProperty::Standard,
        logs_indirectly: false,
        cache: CacheProperty::All,
    };
    for (key, value) in pairs(mkfs, &[]) {
        let wrong = || unknown("zfs", format!("{key} {value}").trim());
        match key {
            "mirror" => pool.vdev = Vdev::Mirror,
            "raidz" | "raidz1" => pool.vdev = Vdev::Raidz(1),
            "raidz2" => pool.vdev = Vdev::Raidz(2),
            "raidz3" => pool.vdev = Vdev::Raidz(3),
            "-o" => match value.split_once('=') {
                Some(("ashift", "0")) => pool.ashift = None,
                Some(("ashift", shift)) => {
                    let shift = shift.parse().ok().filter(|shift| (9..=16).contains(shift));
                    pool.ashift = Some(shift.ok_or_else(wrong)?);
                }
                Some(("autotrim", "off")) => {}
                _ => return Err(wrong()),
            },
            "-O" => set_property(&mut pool, value).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        }
    }
    Ok(pool)
}

/// Sets a property of the pool's dataset; returns nothing if the model does not follow it.
fn set_property(pool: &mut Zfs, property: &str) -> Option<()> {
    let (key, value) = property.split_once('=')?;
    match (key, value) {
        ("recordsize", size) => {
            let fits = |size: &Bytes| {
                let size = size.as_u64();
                size.is_power_of_two() && (512..=16 << 20).contains(&size)
            };
            pool.record_bytes = bytes(size).filter(fits)?;
        }
        ("compression", "off") => pool.compression = None,
        ("compression", "on" | "lz4") => pool.compression = Some(Compression::Lz4),
        ("compression", kind) if kind.starts_with("zstd") => {
            pool.compression = Some(Compression::Zstd);
        }
        ("compression", kind) if kind.starts_with("gzip") => {
            pool.compression = Some(Compression::Zlib);
        }
        ("checksum", "off") => pool.has_checksums = false,
        ("checksum", _) => pool.has_checksums = true,
        ("sync", "standard") => pool.sync = SyncProperty::Standard,
        ("sync", "always") => pool.sync = SyncProperty::Always,
        ("sync", "disabled") => pool.sync = SyncProperty::Disabled,
        ("logbias", "latency") => pool.logs_indirectly = false,
        ("logbias", "throughput") => pool.logs_indirectly = true,
        ("primarycache", "all") => pool.cache = CacheProperty::All,
        ("primarycache", "metadata" | "none") => pool.cache = CacheProperty::Metadata,
        ("direct", "disabled") => {}
        ("atime" | "relatime" | "xattr" | "dnodesize" | "acltype", _) => {}
        _ => return None,
    }
    Some(())
}

/// Returns the bytes of a size as the tools write it: `16K`, `16k`, `4096`.
fn bytes(text: &str) -> Option<Bytes> {
    Bytes::parse(&text.to_uppercase()).ok()
}
