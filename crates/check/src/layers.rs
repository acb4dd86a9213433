//! What a mounted device stands on: partitions, volumes, encryption, arrays, down to the disks.
//!
//! ```text
//! /dev/mapper/vg-home   dm-3   md0   sda1, sdb1   sda, sdb
//!       mount           volume array partitions   disks
//! ```
//!
//! A rule reads all of it once: a host with hundreds of volumes has as many mounts.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{block_name, blocks, name_at};
use crate::snapshot::{Missing, Snapshot};

/// The block devices of a host, and which stands on which.
#[derive(Debug)]
pub(crate) struct Layers<'a> {
    /// Devices that are no partitions.
    whole: BTreeSet<&'a str>,
    /// The disk of each partition.
    parts: BTreeMap<&'a str, &'a str>,
    /// The names below each device.
    slaves: BTreeMap<&'a str, Vec<&'a str>>,
    /// The names of device-mapper.
    mapped: BTreeMap<&'a str, &'a str>,
}

impl<'a> Layers<'a> {
    /// Reads the devices.
    pub(crate) fn read(facts: &'a Snapshot) -> Result<Self, Missing> {
        let mut slaves: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for path in facts.glob("/sys/block/*/slaves/*")? {
            slaves
                .entry(name_at(path, 2))
                .or_default()
                .push(name_at(path, 4));
        }
        let starts = facts.glob("/sys/block/*/*/start")?.into_iter();
        let mut mapped = BTreeMap::new();
        for path in facts.glob("/sys/block/dm-*/dm/name")? {
            mapped.extend(facts.word(path)?.map(|name| (name, name_at(path, 2))));
        }
        Ok(Self {
            whole: blocks(facts)?.into_iter().collect(),
            parts: starts
                .map(|path| (name_at(path, 3), name_at(path, 2)))
                .collect(),
            slaves,
            mapped,
        })
    }

    /// Returns the name in `/sys` of a device by its path in `/dev`.
    pub(crate) fn name(&self, device: &'a str) -> Result<&'a str, Missing> {
        block_name(device, |mapped| Ok(self.mapped.get(mapped).copied()))
    }

    /// Returns the disk of a partition, or the device itself.
    pub(crate) fn whole(&self, name: &'a str) -> Result<&'a str, Missing> {
        if let Some(name) = self.whole.get(name) {
            return Ok(name);
        }
        let missing = || {
            let fact = format!("/sys/block/*/{name}/start");
            Missing::new(fact, "no disk has this partition")
        };
        self.parts.get(name).copied().ok_or_else(missing)
    }

    /// Returns the devices directly below one, partitions as their disks.
    pub(crate) fn below(&self, device: &str) -> Result<Vec<&'a str>, Missing> {
        let slaves = self.slaves.get(device).into_iter().flatten();
        slaves.map(|name| self.whole(name)).collect()
    }

    /// Returns a device and all that it stands on, without partitions, the topmost first.
    pub(crate) fn of(&self, name: &'a str) -> Result<Vec<&'a str>, Missing> {
        let mut layers = vec![self.whole(name)?];
        let mut seen: BTreeSet<&str> = layers.iter().copied().collect();
        let mut at = 0;
        while let Some(layer) = layers.get(at).copied() {
            let below = self.below(layer)?;
            if below.is_empty() && (layer.starts_with("md") || layer.starts_with("dm-")) {
                let path = format!("/sys/block/{layer}/slaves");
                return Err(Missing::new(path, "it names no device"));
            }
            layers.extend(below.into_iter().filter(|device| seen.insert(device)));
            at += 1;
        }
        Ok(layers)
    }

    /// Returns the disks below a device.
    pub(crate) fn disks(&self, name: &'a str) -> Result<Vec<&'a str>, Missing> {
        let mut disks = self.of(name)?;
        disks.retain(|layer| !self.slaves.contains_key(layer));
        disks.sort_unstable();
        Ok(disks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Stat;

    fn host(files: &[(&str, &str)], links: &[&str]) -> Snapshot {
        let mut facts = Snapshot::of_files(files.iter().copied());
        let stat = Stat {
            mode: 0o755,
            uid: 0,
            gid: 0,
            size_bytes: 0,
            modified_unix_s: 0,
        };
        for path in links {
            facts.stats.insert((*path).to_owned(), stat);
        }
        facts
    }

    #[test]
    fn a_volume_stands_on_disks_and_a_damaged_tree_ends() {
        let files = [
            ("/sys/block/sda/size", "1"),
            ("/sys/block/sdb/size", "1"),
            ("/sys/block/sda/sda1/start", "1"),
            ("/sys/block/md0/size", "1"),
            ("/sys/block/dm-0/size", "1"),
            ("/sys/block/dm-0/dm/name", "vg-home"),
            // Each of these names the other.
            ("/sys/block/dm-1/size", "1"),
            ("/sys/block/dm-2/size", "1"),
            ("/sys/block/md1/size", "1"),
        ];
        let links = [
            "/sys/block/dm-0/slaves/md0",
            "/sys/block/md0/slaves/sda1",
            "/sys/block/md0/slaves/sdb",
            "/sys/block/dm-1/slaves/dm-2",
            "/sys/block/dm-2/slaves/dm-1",
        ];
        let facts = host(&files, &links);
        let layers = Layers::read(&facts).unwrap();
        let name = layers.name("/dev/mapper/vg-home").unwrap();
        assert_eq!(layers.of(name).unwrap(), ["dm-0", "md0", "sda", "sdb"]);
        assert_eq!(layers.disks(name).unwrap(), ["sda", "sdb"]);
        assert_eq!(layers.disks("sda1").unwrap(), ["sda"]);
        assert_eq!(layers.of("dm-1").unwrap(), ["dm-1", "dm-2"]);
        assert!(layers.disks("md1").is_err(), "an array stands on something");
        assert!(layers.name("/dev/mapper/other").is_err());
        assert!(layers.name("tank/data").is_err());
        assert!(layers.whole("sdc1").is_err());
    }
}
