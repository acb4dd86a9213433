//! What a device stands on: partitions, volumes, encryption, arrays, down to the disks.
//!
//! ```text
//! /dev/mapper/vg-home   dm-3   md0   sda1, sdb1   sda, sdb
//!       mount           volume array partitions   disks
//! ```
//!
//! Each kind of link is read once, when it is needed: a host with hundreds of volumes has as many
//! mounts.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Missing, Source, Text, name_at};

/// Returns the block devices without partitions.
///
/// # Errors
/// If they could not be listed.
pub fn block_names<S: Source>(source: S) -> Result<Vec<S::Text>, Missing> {
    let found = source.names("/sys/block/*/size");
    // A sosreport has the queue of each, and no size.
    let queues = || source.names("/sys/block/*/queue/rotational").ok();
    found.or_else(|missing| queues().ok_or(missing))
}

/// Returns whether a name is that of a disk, real or virtual. `nvme0c1n1` is a path to a drive with
/// several ports, and has no file in `/dev` (`nvme_mpath_set_disk_name` in
/// drivers/nvme/host/multipath.c).
pub fn is_disk_name(name: &str) -> bool {
    let starts = ["sd", "nvme", "vd", "xvd", "mmcblk"];
    let rest = name.strip_prefix("nvme").unwrap_or_default();
    starts.iter().any(|start| name.starts_with(start)) && !rest.contains('c')
}

/// What is read once.
type Known<T> = OnceCell<Result<T, Missing>>;

fn known<T>(known: &Known<T>, read: impl FnOnce() -> Result<T, Missing>) -> Result<&T, Missing> {
    known.get_or_init(read).as_ref().map_err(Clone::clone)
}

/// The block devices of a source, and which stands on which.
#[derive(Debug)]
pub struct Layers<S: Source> {
    source: S,
    /// Devices that are no partitions.
    whole: Known<BTreeSet<S::Text>>,
    /// The disk of each partition.
    parts: Known<BTreeMap<S::Text, S::Text>>,
    /// The names below each device.
    slaves: Known<BTreeMap<S::Text, Vec<S::Text>>>,
    /// The names of device-mapper.
    mapped: Known<BTreeMap<S::Text, S::Text>>,
}

impl<S: Source> Layers<S> {
    /// Returns the devices of a source, of which nothing is read yet.
    pub fn new(source: S) -> Self {
        Self {
            source,
            whole: OnceCell::new(),
            parts: OnceCell::new(),
            slaves: OnceCell::new(),
            mapped: OnceCell::new(),
        }
    }

    /// Reads the devices.
    ///
    /// # Errors
    /// If one of the links could not be read.
    pub fn read(source: S) -> Result<Self, Missing> {
        let layers = Self::new(source);
        layers.slaves()?;
        layers.parts()?;
        layers.mapped()?;
        layers.wholes()?;
        Ok(layers)
    }

    fn wholes(&self) -> Result<&BTreeSet<S::Text>, Missing> {
        known(&self.whole, || {
            Ok(block_names(self.source)?.into_iter().collect())
        })
    }

    fn parts(&self) -> Result<&BTreeMap<S::Text, S::Text>, Missing> {
        known(&self.parts, || {
            let starts = self.source.paths("/sys/block/*/*/start")?;
            let part = |path| Some((name_at(path, 4)?, name_at(path, 3)?));
            Ok(starts.iter().filter_map(part).collect())
        })
    }

    fn slaves(&self) -> Result<&BTreeMap<S::Text, Vec<S::Text>>, Missing> {
        known(&self.slaves, || {
            let mut slaves: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for path in self.source.paths("/sys/block/*/slaves/*")? {
                if let (Some(above), Some(below)) = (name_at(&path, 3), name_at(&path, 5)) {
                    slaves.entry(above).or_default().push(below);
                }
            }
            Ok(slaves)
        })
    }

    fn mapped(&self) -> Result<&BTreeMap<S::Text, S::Text>, Missing> {
        known(&self.mapped, || {
            let mut mapped = BTreeMap::new();
            for path in self.source.paths("/sys/block/dm-*/dm/name")? {
                mapped.extend(self.source.word(&path)?.zip(name_at(&path, 3)));
            }
            Ok(mapped)
        })
    }

    /// Returns the name in `/sys` of a device by its path in `/dev`: `dm-0` of
    /// `/dev/mapper/vg-root`.
    ///
    /// # Errors
    /// If no device has this path, or the names of device-mapper could not be read.
    pub fn name(&self, device: S::Text) -> Result<S::Text, Missing> {
        let name = device.part(|device| device.strip_prefix("/dev/"));
        let named = |name: S::Text| match name.strip_prefix("mapper/") {
            Some(name) => Ok(self.mapped()?.get(name).cloned()),
            None => Ok(Some(name).filter(|name| !name.contains('/'))),
        };
        let unknown = || Missing::new(&*device, "which block device this is");
        name.map_or(Ok(None), named)?.ok_or_else(unknown)
    }

    /// Returns the disk of a partition, or the device itself.
    ///
    /// # Errors
    /// If there is no such device, or the devices could not be listed.
    pub fn whole(&self, name: &str) -> Result<S::Text, Missing> {
        if let Some(name) = self.wholes()?.get(name) {
            return Ok(name.clone());
        }
        let missing = || {
            let fact = format!("/sys/block/*/{name}/start");
            Missing::new(fact, "no disk has this partition")
        };
        self.parts()?.get(name).cloned().ok_or_else(missing)
    }

    /// Returns the devices directly below one, partitions as their disks.
    ///
    /// # Errors
    /// As [`Layers::whole`].
    pub fn below(&self, device: &str) -> Result<Vec<S::Text>, Missing> {
        let slaves = self.slaves()?.get(device).into_iter().flatten();
        slaves.map(|name| self.whole(name)).collect()
    }

    /// Returns a device and all that it stands on, without partitions, the topmost first.
    ///
    /// # Errors
    /// As [`Layers::whole`], and if a device that stands on others names none.
    pub fn of(&self, name: &str) -> Result<Vec<S::Text>, Missing> {
        let mut layers = vec![self.whole(name)?];
        let mut seen: BTreeSet<S::Text> = layers.iter().cloned().collect();
        let mut at = 0;
        while let Some(layer) = layers.get(at).cloned() {
            let below = self.below(&layer)?;
            if below.is_empty() && (layer.starts_with("md") || layer.starts_with("dm-")) {
                let path = format!("/sys/block/{layer}/slaves");
                return Err(Missing::new(path, "it names no device"));
            }
            layers.extend(
                below
                    .into_iter()
                    .filter(|device| seen.insert(device.clone())),
            );
            at += 1;
        }
        Ok(layers)
    }

    /// Returns the disks below a device.
    ///
    /// # Errors
    /// As [`Layers::of`].
    pub fn disks(&self, name: &str) -> Result<Vec<S::Text>, Missing> {
        let slaves = self.slaves()?;
        let mut disks = self.of(name)?;
        disks.retain(|layer| !slaves.contains_key(&**layer));
        disks.sort_unstable();
        Ok(disks)
    }
}
