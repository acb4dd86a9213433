//! From a filesystem down to the disks that hold its data.
//!
//! ```text
//! mount 253:0 -> /sys/dev/block/253:0 -> dm-0 -> slaves/md0 -> slaves/sda2 (a partition) -> sda
//!                                                           -> slaves/sdb2               -> sdb
//! loop0 -> loop/backing_file -> the mount of that file -> ...
//! btrfs -> /sys/fs/btrfs/UUID/devices/* -> ...
//! ```
//!
//! Documentation/ABI/testing/sysfs-block (`slaves`, `partition`) and sysfs-block-loop.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use stripewise_study::facts::MountFacts;

use crate::mounts::{Mount, mount_of, mounts};
use crate::node::Node;
use crate::order::order_key;
use crate::root::{Root, shown};
use crate::source::Missing;

/// Where the kernel shows the btrfs filesystems that are mounted.
const BTRFS: &str = "/sys/fs/btrfs";
/// The most layers to follow; real stacks have fewer than ten.
const DEPTH_MAX: u32 = 32;
/// The most devices to visit, so that a hostile tree cannot make us walk forever.
const VISITED_MAX: usize = 4096;

/// Returns the kernel names of the disks below the block device `device` (`/dev/mapper/data`,
/// `/dev/md0`), in natural order; a disk is below itself. Empty if they cannot be determined.
///
/// For filesystems whose own tools list their devices (`zpool list -vPH`).
///
/// # Errors
/// If the mounts could not be read.
pub fn leaf_disks(root: &Root, device: &Path) -> Result<Vec<String>, Missing> {
    let mounts = mounts(root)?;
    let mut walk = Walk::new(root, &mounts);
    if let Some(node) = Node::of_path(root, device) {
        walk.node(&node, 0);
    }
    Ok(walk.finish())
}

/// Returns the disks below a mount; empty if they cannot be determined (ZFS, network, memory).
pub(crate) fn disks_of_mount(root: &Root, mounts: &[Mount], mount: &Mount) -> Vec<String> {
    let mut walk = Walk::new(root, mounts);
    walk.mount(mount, 0);
    walk.finish()
}

/// Returns the devices and partitions directly below a filesystem, in natural order.
pub(crate) fn devices_of_mount(root: &Root, mount: &Mount) -> Vec<String> {
    let nodes = nodes_of_mount(root, mount).into_iter();
    let mut devices: Vec<String> = nodes.map(|node| node.name).collect();
    devices.sort_by_key(|name| order_key(name));
    devices
}

/// Returns the profile of a btrfs's data as `btrfs filesystem df` names it: `single`, `dup`, `raid1`.
/// `None` for other filesystems, if unknown, and if a conversion has left several.
///
/// `/sys/fs/btrfs/UUID/allocation/data/PROFILE/` (Documentation of btrfs(5), "allocation";
/// `btrfs_sysfs_add_block_group_type` in fs/btrfs/sysfs.c).
pub(crate) fn profile(root: &Root, mount: &Mount) -> Option<String> {
    if mount.filesystem != "btrfs" {
        return None;
    }
    let device = Node::of_path(root, Path::new(&mount.source))?;
    let (folder, _) = btrfs_of(root, &device)?;
    let data = format!("{folder}/allocation/data");
    let mut profiles = root.list(&data);
    profiles.retain(|name| root.exists(format!("{data}/{name}/total_bytes")));
    match profiles.as_slice() {
        [profile] => Some(profile.clone()),
        _ => None,
    }
}

/// The most filesystems to return: a container host mounts the same few again and again.
const FILESYSTEMS_MAX: usize = 256;

/// Returns the filesystems on block devices, in the kernel's order, each at its first mount point.
pub(crate) fn filesystems(root: &Root, mounts: &[Mount]) -> Vec<MountFacts> {
    let mut found: Vec<MountFacts> = Vec::new();
    for mount in mounts {
        let devices = devices_of_mount(root, mount);
        if found.len() < FILESYSTEMS_MAX
            && !devices.is_empty()
            && found.iter().all(|known| known.devices != devices)
        {
            found.push(MountFacts {
                mount_point: shown(&mount.mount_point),
                filesystem: mount.filesystem.clone(),
                devices,
            });
        }
    }
    found
}

/// Returns the disks below the file behind a loop device; empty if they cannot be determined.
pub(crate) fn disks_of_loop(root: &Root, mounts: &[Mount], name: &str) -> Vec<String> {
    let mut walk = Walk::new(root, mounts);
    if let Some(node) = Node::at(root, &Path::new("/sys/block").join(name)) {
        walk.node(&node, 0);
    }
    let mut disks = walk.finish();
    disks.retain(|disk| disk != name);
    disks
}

/// A walk down the layers.
struct Walk<'a> {
    root: &'a Root,
    mounts: &'a [Mount],
    visited: BTreeSet<PathBuf>,
    disks: BTreeSet<String>,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Root, mounts: &'a [Mount]) -> Self {
        Self {
            root,
            mounts,
            visited: BTreeSet::new(),
            disks: BTreeSet::new(),
        }
    }

    fn finish(self) -> Vec<String> {
        let mut disks: Vec<String> = self.disks.into_iter().collect();
        disks.sort_by_key(|name| order_key(name));
        disks
    }

    fn mount(&mut self, mount: &Mount, depth: u32) -> bool {
        let nodes = nodes_of_mount(self.root, mount);
        nodes
            .iter()
            .fold(false, |found, node| found | self.node(node, depth))
    }

    /// Follows a device down: a partition, a stacked device or a disk.
    ///
    /// Returns whether the lower devices were found, so that the caller itself is not a disk.
    fn node(&mut self, node: &Node, depth: u32) -> bool {
        if depth > DEPTH_MAX || self.visited.len() >= VISITED_MAX {
            return false;
        }
        if !self.visited.insert(node.folder.clone()) {
            return true;
        }
        if node.is_partition(self.root) {
            return node
                .disk(self.root)
                .is_some_and(|disk| self.node(&disk, depth + 1));
        }
        let slaves = node.folder.join("slaves");
        let members = self.root.list(&slaves);
        let mut is_stacked = !members.is_empty();
        for member in members {
            if let Some(member) = Node::at(self.root, &slaves.join(member)) {
                self.node(&member, depth + 1);
            }
        }
        if let Some(file) = node.word(self.root, "loop/backing_file") {
            is_stacked |= self.backing_file(&file, depth + 1);
        }
        if !is_stacked {
            self.disks.insert(node.name.clone());
        }
        true
    }

    /// Follows the file or device behind a loop device down.
    fn backing_file(&mut self, file: &str, depth: u32) -> bool {
        if depth > DEPTH_MAX {
            return false;
        }
        let path = Path::new(file.strip_suffix(" (deleted)").unwrap_or(file));
        if path.starts_with("/dev")
            && let Some(node) = Node::of_path(self.root, path)
        {
            return self.node(&node, depth);
        }
        let mounts = self.mounts;
        mount_of(mounts, path).is_some_and(|mount| self.mount(mount, depth))
    }
}

/// Returns the devices directly below a filesystem.
fn nodes_of_mount(root: &Root, mount: &Mount) -> Vec<Node> {
    let of_path = |path: &str| Node::of_path(root, Path::new(path));
    // XFS may have its log or its realtime data on separate devices.
    let extra = ["logdev", "rtdev"].iter();
    let extra = extra.filter_map(|key| of_path(mount.option(key)?));
    let mut nodes: Vec<Node> = extra.collect();
    if mount.major != 0 {
        let number = rustix::fs::makedev(mount.major, mount.minor);
        let own = Node::of_number(root, number);
        nodes.extend(own.or_else(|| of_path(&mount.source)));
    } else if mount.filesystem == "btrfs" {
        // It shows one of its devices as its source; sysfs lists the others.
        let source = of_path(&mount.source);
        let all = source.as_ref().and_then(|source| btrfs_of(root, source));
        nodes.extend(all.map_or_else(|| source.into_iter().collect(), |(_, all)| all));
    } else {
        // A bcachefs of several devices lists all of them: `/dev/sda:/dev/sdb`.
        nodes.extend(mount.source.split(':').filter_map(of_path));
    }
    nodes
}

/// Returns the folder in `/sys/fs/btrfs` of the filesystem on a device, and its devices.
fn btrfs_of(root: &Root, device: &Node) -> Option<(String, Vec<Node>)> {
    let filesystems = root.list(BTRFS).into_iter();
    let mut with_devices = filesystems.map(|name| {
        let devices = format!("{BTRFS}/{name}/devices");
        let links = root.list(&devices).into_iter();
        let links = links.map(|name| format!("{devices}/{name}"));
        let nodes = links.filter_map(|link| Node::at(root, link.as_ref()));
        (format!("{BTRFS}/{name}"), nodes.collect::<Vec<_>>())
    });
    with_devices.find(|(_, nodes)| nodes.contains(device))
}
