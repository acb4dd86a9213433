//! The kernel's description of a block device: its place in `/sys`, its partitions and holders.
//!
//! Documentation/ABI/stable/sysfs-block. We look up a device by its number, never by its name:
//!
//! ```text
//! /sys/dev/block/8:2 -> ../../devices/.../block/sda/sda2      a partition: has a file `partition`
//! /sys/dev/block/8:0 -> ../../devices/.../block/sda           its disk: the folder above
//! ```

use std::path::{Path, PathBuf};

use stripewise_machine::Root;
use stripewise_study::units::Bytes;

/// The kernel's sector in `/sys`, whatever the device's own sectors are.
const SECTOR_BYTES: u64 = 512;
/// The maximum depth of stacked devices to follow; md on LVM on LUKS has three.
const DEPTH_MAX: usize = 16;

/// A block device in `/sys`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// The kernel's name.
    pub(crate) name: String,
    /// Its folder, without symbolic links.
    pub(crate) folder: PathBuf,
}

impl Node {
    /// Returns the device with this number.
    pub(crate) fn of_number(root: &Root, rdev: u64) -> Option<Self> {
        let (major, minor) = (rustix::fs::major(rdev), rustix::fs::minor(rdev));
        Self::at(root, Path::new(&format!("/sys/dev/block/{major}:{minor}")))
    }

    /// Returns the device or partition with the kernel's name `name`.
    pub(crate) fn of_name(root: &Root, name: &str) -> Option<Self> {
        Self::at(root, &Path::new("/sys/class/block").join(name))
    }

    fn at(root: &Root, link: &Path) -> Option<Self> {
        let folder = root.canonical(link).ok()?;
        let name = folder.file_name()?.to_str()?.to_owned();
        let is_plain = |c: char| c.is_ascii_graphic();
        name.chars().all(is_plain).then_some(Self { name, folder })
    }

    /// Returns its number as `/sys` writes it: `8:2`.
    pub(crate) fn number(&self, root: &Root) -> Option<String> {
        self.word(root, "dev")
    }

    pub(crate) fn word(&self, root: &Root, file: &str) -> Option<String> {
        root.word(self.folder.join(file))
    }

    pub(crate) fn count(&self, root: &Root, file: &str) -> Option<u64> {
        root.number(self.folder.join(file))
    }

    /// Returns the sectors in `file`, in bytes.
    pub(crate) fn sectors(&self, root: &Root, file: &str) -> Option<Bytes> {
        let sectors = self.count(root, file)?;
        sectors.checked_mul(SECTOR_BYTES).map(Bytes::new)
    }

    pub(crate) fn is_partition(&self, root: &Root) -> bool {
        root.exists(self.folder.join("partition"))
    }

    /// Returns the disk that a partition is on; for a disk, itself.
    pub(crate) fn disk(&self, root: &Root) -> Option<Node> {
        if self.is_partition(root) {
            Self::at(root, self.folder.parent()?)
        } else {
            Some(self.clone())
        }
    }

    /// Returns the partitions of a disk; a partition has none.
    pub(crate) fn partitions(&self, root: &Root) -> Vec<Node> {
        let entries = root.list(&self.folder).into_iter();
        entries
            .filter(|entry| root.exists(self.folder.join(entry).join("partition")))
            .filter_map(|entry| Self::at(root, &self.folder.join(entry)))
            .collect()
    }

    /// Returns the block devices that it is built of.
    pub(crate) fn slaves(&self, root: &Root) -> Vec<Node> {
        let names = root.list(self.folder.join("slaves")).into_iter();
        names
            .filter_map(|name| Self::of_name(root, &name))
            .collect()
    }

    /// Returns the block devices built on it.
    pub(crate) fn holders(&self, root: &Root) -> Vec<Node> {
        let names = root.list(self.folder.join("holders")).into_iter();
        names
            .map(|name| {
                // A holder that sysfs does not describe counts too.
                Self::of_name(root, &name).unwrap_or_else(|| Node {
                    folder: Path::new("/sys/class/block").join(&name),
                    name,
                })
            })
            .collect()
    }

    /// Returns the node, its partitions, and all that is built on them, each once.
    pub(crate) fn family(&self, root: &Root) -> Vec<Node> {
        let mut family = vec![self.clone()];
        let mut latest = family.clone();
        for _ in 0..DEPTH_MAX {
            let above = latest.iter().flat_map(|node| {
                let mut above = node.partitions(root);
                above.extend(node.holders(root));
                above
            });
            let mut new: Vec<Node> = Vec::new();
            for node in above {
                if !family.contains(&node) && !new.contains(&node) {
                    new.push(node);
                }
            }
            if new.is_empty() {
                break;
            }
            family.extend(new.iter().cloned());
            latest = new;
        }
        family
    }

    /// Returns a description: "md array `md0`", "LVM volume `vg-data`".
    pub(crate) fn in_words(&self, root: &Root) -> String {
        let name = &self.name;
        if let Some(uuid) = self
            .word(root, "dm/uuid")
            .or_else(|| self.word(root, "dm/name"))
        {
            let mapped = self.word(root, "dm/name").unwrap_or_else(|| name.clone());
            let (owner, _) = uuid.split_once('-').unwrap_or((&uuid, ""));
            return match owner {
                "LVM" => format!("LVM volume `{mapped}`"),
                "mpath" => format!("multipath device `{mapped}`"),
                "CRYPT" => format!("encrypted volume `{mapped}`"),
                _ => format!("device-mapper device `{mapped}`"),
            };
        }
        if root.exists(self.folder.join("md")) {
            return match self.word(root, "md/level") {
                Some(level) => format!("md array `{name}` ({level})"),
                None => format!("md array `{name}`"),
            };
        }
        if root.exists(self.folder.join("bcache")) || name.starts_with("bcache") {
            return format!("bcache device `{name}`");
        }
        format!("`{name}`")
    }
}
