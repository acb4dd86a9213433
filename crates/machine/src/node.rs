//! The kernel's description of a block device: its place in `/sys`, its partitions and holders.
//!
//! Documentation/ABI/stable/sysfs-block. We look up a device by its number, never by its name:
//!
//! ```text
//! /sys/dev/block/8:2 -> ../../devices/.../block/sda/sda2      a partition: has a file `partition`
//! /sys/dev/block/8:0 -> ../../devices/.../block/sda           its disk: the folder above
//! ```

use std::path::{Path, PathBuf};

use stripewise_units::Bytes;

use crate::arrays::Md;
use crate::root::{Root, is_plain_name};

/// The kernel's sector in `/sys`, whatever the device's own sectors are.
pub(crate) const SECTOR_BYTES: u64 = 512;
/// The maximum depth of stacked devices to follow; md on LVM on LUKS has three.
const DEPTH_MAX: usize = 16;

/// A block device in `/sys`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The kernel's name.
    pub name: String,
    /// Its folder, without symbolic links.
    pub folder: PathBuf,
}

impl Node {
    /// Returns the device with this number.
    pub fn of_number(root: &Root, rdev: u64) -> Option<Self> {
        let (major, minor) = (rustix::fs::major(rdev), rustix::fs::minor(rdev));
        Self::at(root, Path::new(&format!("/sys/dev/block/{major}:{minor}")))
    }

    /// Returns the device or partition with the kernel's name `name`.
    pub fn of_name(root: &Root, name: &str) -> Option<Self> {
        Self::at(root, &Path::new("/sys/class/block").join(name))
    }

    /// Returns the device of a path in `/dev`, by the kernel's name in it, or by the number of the
    /// node if it has another name (`/dev/mapper/data` without udev).
    pub(crate) fn of_path(root: &Root, path: &Path) -> Option<Self> {
        if !path.is_absolute() {
            return None;
        }
        let path = root.canonical(path).ok()?;
        // The kernel writes `cciss/c0d0` as `cciss!c0d0` if a name must be one path component.
        let name = path.strip_prefix("/dev").ok()?.to_str()?.replace('/', "!");
        if !is_plain_name(&name) {
            return None;
        }
        let in_block = || Self::at(root, &Path::new("/sys/block").join(&name));
        let by_number = || {
            let stat = rustix::fs::stat(root.real(&path)).ok()?;
            let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
            Self::of_number(root, kind.is_block_device().then_some(stat.st_rdev)?)
        };
        Self::of_name(root, &name)
            .or_else(in_block)
            .or_else(by_number)
    }

    /// Returns the device whose folder in `/sys` a link leads to.
    pub(crate) fn at(root: &Root, link: &Path) -> Option<Self> {
        let folder = root.canonical(link).ok()?;
        let name = folder.file_name()?.to_str()?.to_owned();
        let is_plain = |c: char| c.is_ascii_graphic();
        name.chars().all(is_plain).then_some(Self { name, folder })
    }

    /// Returns its number as `/sys` writes it: `8:2`.
    pub fn number(&self, root: &Root) -> Option<String> {
        self.word(root, "dev")
    }

    /// Returns the text of a file in its folder.
    pub fn word(&self, root: &Root, file: &str) -> Option<String> {
        root.word(self.folder.join(file))
    }

    /// Returns the first number of a file in its folder.
    pub fn count(&self, root: &Root, file: &str) -> Option<u64> {
        root.number(self.folder.join(file))
    }

    /// Returns the sectors in `file`, in bytes.
    pub fn sectors(&self, root: &Root, file: &str) -> Option<Bytes> {
        let sectors = self.count(root, file)?;
        sectors.checked_mul(SECTOR_BYTES).map(Bytes::new)
    }

    /// Returns whether it is a partition of a disk.
    pub fn is_partition(&self, root: &Root) -> bool {
        root.exists(self.folder.join("partition"))
    }

    /// Returns the disk that a partition is on; for a disk, itself.
    pub fn disk(&self, root: &Root) -> Option<Node> {
        if self.is_partition(root) {
            Self::at(root, self.folder.parent()?)
        } else {
            Some(self.clone())
        }
    }

    /// Returns the partitions of a disk; a partition has none.
    pub fn partitions(&self, root: &Root) -> Vec<Node> {
        let entries = root.list(&self.folder).into_iter();
        entries
            .filter(|entry| root.exists(self.folder.join(entry).join("partition")))
            .filter_map(|entry| Self::at(root, &self.folder.join(entry)))
            .collect()
    }

    /// Returns the block devices that it is built of. When a disk is pulled, its link stays and
    /// dangles until the layer is taken down; it is left out.
    pub fn slaves(&self, root: &Root) -> Vec<Node> {
        let names = root.list(self.folder.join("slaves")).into_iter();
        names
            .filter_map(|name| Self::of_name(root, &name))
            .collect()
    }

    /// Returns the block devices built on it.
    pub fn holders(&self, root: &Root) -> Vec<Node> {
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
    pub fn family(&self, root: &Root) -> Vec<Node> {
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
    pub fn in_words(&self, root: &Root) -> String {
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
            return match Md::new(root, name).level() {
                Ok(level) => format!("md array `{name}` ({level})"),
                Err(_) => format!("md array `{name}`"),
            };
        }
        if root.exists(self.folder.join("bcache")) || name.starts_with("bcache") {
            return format!("bcache device `{name}`");
        }
        format!("`{name}`")
    }
}
