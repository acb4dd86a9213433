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
use crate::order::order_key;
use crate::root::{Root, is_plain_name, shown};

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
pub fn leaf_disks(root: &Root, device: &Path) -> Vec<String> {
    let mounts = mounts(root);
    let mut walk = Walk::new(root, &mounts);
    walk.device_path(device, 0);
    walk.finish()
}

/// Returns the disks below a mount; empty if they cannot be determined (ZFS, network, memory).
pub(crate) fn disks_of_mount(root: &Root, mounts: &[Mount], mount: &Mount) -> Vec<String> {
    let mut walk = Walk::new(root, mounts);
    walk.mount(mount, 0);
    walk.finish()
}

/// Returns the devices and partitions directly below a filesystem, in natural order.
pub(crate) fn devices_of_mount(root: &Root, mounts: &[Mount], mount: &Mount) -> Vec<String> {
    let folders = Walk::new(root, mounts).folders_of_mount(mount);
    let name = |folder: &PathBuf| Some(folder.file_name()?.to_str()?.to_owned());
    let mut devices: Vec<String> = folders.iter().filter_map(name).collect();
    devices.sort_by_key(|name| order_key(name));
    devices
}

/// Returns the profile of a btrfs's data as `btrfs filesystem df` names it: `single`, `dup`, `raid1`.
/// `None` for other filesystems, if unknown, and if a conversion has left several.
///
/// `/sys/fs/btrfs/UUID/allocation/data/PROFILE/` (Documentation of btrfs(5), "allocation";
/// `btrfs_sysfs_add_block_group_type` in fs/btrfs/sysfs.c).
pub(crate) fn profile(root: &Root, mounts: &[Mount], mount: &Mount) -> Option<String> {
    if mount.filesystem != "btrfs" {
        return None;
    }
    let walk = Walk::new(root, mounts);
    let device = walk.folder_of_device_path(Path::new(&mount.source))?;
    let (folder, _) = walk.btrfs_of(&device)?;
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
        let devices = devices_of_mount(root, mounts, mount);
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
    let Ok(folder) = root.canonical(&Path::new("/sys/block").join(name)) else {
        return Vec::new();
    };
    let mut walk = Walk::new(root, mounts);
    walk.folder(&folder, 0);
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
        let folders = self.folders_of_mount(mount);
        folders
            .iter()
            .fold(false, |found, folder| found | self.folder(folder, depth))
    }

    /// Returns the folders in `/sys/devices` of the devices directly below a filesystem.
    fn folders_of_mount(&self, mount: &Mount) -> Vec<PathBuf> {
        let of_path = |path: &str| self.folder_of_device_path(Path::new(path));
        // XFS may have its log or its realtime data on separate devices.
        let extra = ["logdev", "rtdev"].iter();
        let extra = extra.filter_map(|key| of_path(mount.option(key)?));
        let mut folders: Vec<PathBuf> = extra.collect();
        if mount.major != 0 {
            let number = format!("/sys/dev/block/{}:{}", mount.major, mount.minor);
            let own = self.root.canonical(Path::new(&number)).ok();
            folders.extend(own.or_else(|| of_path(&mount.source)));
        } else if mount.filesystem == "btrfs" {
            folders.extend(self.btrfs(&mount.source));
        } else {
            // A bcachefs of several devices lists all of them: `/dev/sda:/dev/sdb`.
            folders.extend(mount.source.split(':').filter_map(of_path));
        }
        folders
    }

    /// btrfs shows one of its devices as its source; sysfs lists the others.
    fn btrfs(&self, source: &str) -> Vec<PathBuf> {
        let Some(source_folder) = self.folder_of_device_path(Path::new(source)) else {
            return Vec::new();
        };
        match self.btrfs_of(&source_folder) {
            Some((_, folders)) => folders,
            None => vec![source_folder],
        }
    }

    /// Returns the folder in `/sys/fs/btrfs` of the filesystem on a device, and its devices.
    fn btrfs_of(&self, device: &Path) -> Option<(String, Vec<PathBuf>)> {
        let filesystems = self.root.list(BTRFS).into_iter();
        let mut with_devices = filesystems.map(|name| {
            let devices = format!("{BTRFS}/{name}/devices");
            let links = self.root.list(&devices).into_iter();
            let links = links.map(|name| format!("{devices}/{name}"));
            let folders = links.filter_map(|link| self.root.canonical(Path::new(&link)).ok());
            (format!("{BTRFS}/{name}"), folders.collect::<Vec<_>>())
        });
        with_devices.find(|(_, folders)| folders.iter().any(|folder| folder == device))
    }

    fn device_path(&mut self, path: &Path, depth: u32) -> bool {
        self.folder_of_device_path(path)
            .is_some_and(|folder| self.folder(&folder, depth))
    }

    /// Returns the folder in `/sys/devices` of a device in `/dev`.
    fn folder_of_device_path(&self, path: &Path) -> Option<PathBuf> {
        if !path.is_absolute() {
            return None;
        }
        let node = self.root.canonical(path).ok()?;
        // The kernel writes `cciss/c0d0` as `cciss!c0d0` if a name must be one path component.
        let name = node.strip_prefix("/dev").ok()?.to_str()?.replace('/', "!");
        if !is_plain_name(&name) {
            return None;
        }
        ["/sys/class/block", "/sys/block"]
            .iter()
            .find_map(|folder| self.root.canonical(&Path::new(folder).join(&name)).ok())
            .or_else(|| self.folder_of_node(&node))
    }

    /// Returns the folder by device number, for nodes without the kernel's name (`/dev/mapper/data`
    /// without udev).
    fn folder_of_node(&self, node: &Path) -> Option<PathBuf> {
        let stat = rustix::fs::stat(self.root.real(node)).ok()?;
        if !rustix::fs::FileType::from_raw_mode(stat.st_mode).is_block_device() {
            return None;
        }
        let (major, minor) = (
            rustix::fs::major(stat.st_rdev),
            rustix::fs::minor(stat.st_rdev),
        );
        self.root
            .canonical(Path::new(&format!("/sys/dev/block/{major}:{minor}")))
            .ok()
    }

    /// Follows a device's folder in `/sys/devices` down: a partition, a stacked device or a disk.
    ///
    /// Returns whether the lower devices were found, so that the caller itself is not a disk.
    fn folder(&mut self, folder: &Path, depth: u32) -> bool {
        if depth > DEPTH_MAX || self.visited.len() >= VISITED_MAX {
            return false;
        }
        if !self.visited.insert(folder.to_owned()) {
            return true;
        }
        if self.root.exists(folder.join("partition")) {
            return folder
                .parent()
                .is_some_and(|disk| self.folder(disk, depth + 1));
        }
        let mut is_stacked = false;
        let slaves = folder.join("slaves");
        for member in self.root.list(&slaves) {
            is_stacked = true;
            if let Ok(member) = self.root.canonical(&slaves.join(member)) {
                self.folder(&member, depth + 1);
            }
        }
        if let Some(file) = self.root.word(folder.join("loop/backing_file")) {
            is_stacked |= self.backing_file(&file, depth + 1);
        }
        if !is_stacked && let Some(name) = folder.file_name().and_then(|name| name.to_str()) {
            self.disks.insert(name.to_owned());
        }
        true
    }

    /// Follows the file or device behind a loop device down.
    fn backing_file(&mut self, file: &str, depth: u32) -> bool {
        if depth > DEPTH_MAX {
            return false;
        }
        let path = Path::new(file.strip_suffix(" (deleted)").unwrap_or(file));
        if path.starts_with("/dev") && self.folder_of_device_path(path).is_some() {
            return self.device_path(path, depth);
        }
        let mounts = self.mounts;
        mount_of(mounts, path).is_some_and(|mount| self.mount(mount, depth))
    }
}
