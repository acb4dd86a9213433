//! Whether a block device is in use: mounts, swap, and layers built on it.
//!
//! Reads `/proc` and `/sys`, and calls `others`. They do not show everything (a mount in a
//! container, a ZFS pool); then the kernel refuses to open the device with `O_EXCL`.

use std::path::Path;

use stripewise_machine::{Missing, Mount, Root, mounts, swaps};

use super::Node;
use super::backing::{check_backing_file, check_exports};
use super::other_users::{check_loops, check_overlap, check_writers, twins};
use super::refusal::Refusal;

/// Where the running system is mounted (hier(7), and the Boot Loader Specification).
const SYSTEM: [&str; 8] = [
    "/",
    "/boot",
    "/boot/efi",
    "/boot/firmware",
    "/efi",
    "/usr",
    "/var",
    "/etc",
];

/// Refuses a device that is mounted, used as swap, open for writing, or a member of another layer,
/// in whole or in part, on any path to the same disk.
///
/// For a partition we also check the disk as a whole; its other partitions may be in use.
pub(super) fn check_unused(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    check_one(root, named, node)?;
    for twin in twins(root, node) {
        check_one(root, named, &twin)?;
    }
    check_overlap(root, named, node)?;
    check_loops(root, named, node)?;
    check_backing_file(root, named, node)?;
    check_exports(root, named, node)?;
    check_writers(root, named, node)
}

fn check_one(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    let family = node.family(root);
    let unknown = |missing| Refusal::UseUnknown {
        named: named.to_owned(),
        missing,
    };
    let mounted = mounted_on(root, &family).map_err(unknown)?;
    let swap = swap(root, &family).map_err(unknown)?;
    let named = named.to_owned();
    let system = mounted.iter().find(|(_, point)| is_system(point));
    if let Some((part, mount_point)) = system {
        return Err(Refusal::SystemDisk {
            named,
            part: part.clone(),
            mount_point: mount_point.clone(),
        });
    }
    if let Some((part, mount_point)) = mounted.into_iter().next() {
        return Err(Refusal::Mounted {
            named,
            part,
            mount_point,
        });
    }
    if let Some(part) = swap {
        return Err(Refusal::Swap { named, part });
    }
    let mut parts = vec![node.clone()];
    parts.extend(node.partitions(root));
    // A partition of a disk that is a member as a whole is a remnant.
    parts.extend(node.disk(root).filter(|disk| disk != node));
    for part in &parts {
        if let Some(holder) = part.holders(root).first() {
            return Err(Refusal::Held {
                named,
                part: part.name.clone(),
                holder: holder.in_words(root),
            });
        }
    }
    Ok(())
}

fn is_system(mount_point: &str) -> bool {
    SYSTEM.contains(&mount_point)
}

/// Returns which of these devices are mounted, and where.
fn mounted_on(root: &Root, family: &[Node]) -> Result<Vec<(String, String)>, Missing> {
    let numbers: Vec<(&Node, Option<String>)> = family
        .iter()
        .map(|node| (node, node.number(root)))
        .collect();
    let mut found = Vec::new();
    for mount in mounts(root)? {
        let number = format!("{}:{}", mount.major, mount.minor);
        let by_number = numbers
            .iter()
            .find(|(_, own)| own.as_ref() == Some(&number))
            .map(|(node, _)| node.name.clone());
        let Some(name) = by_number.or_else(|| by_source(root, &mount, family)) else {
            continue;
        };
        found.push((name, shown(&mount.mount_point)));
    }
    found.extend(btrfs_members(root, family));
    Ok(found)
}

/// Filesystems with a device number of their own (btrfs, overlays of one) name their source device.
fn by_source(root: &Root, mount: &Mount, family: &[Node]) -> Option<String> {
    if !mount.source.starts_with("/dev/") {
        return None;
    }
    let path = root.canonical(Path::new(&mount.source)).ok()?;
    let name = path.file_name()?.to_str()?;
    family
        .iter()
        .find(|node| node.name == name)
        .map(|node| node.name.clone())
}

/// A mounted btrfs names only one of its devices; `/sys/fs/btrfs/UUID/devices` lists all.
fn btrfs_members(root: &Root, family: &[Node]) -> Vec<(String, String)> {
    let folder = Path::new("/sys/fs/btrfs");
    let mut found = Vec::new();
    for uuid in root.list(folder) {
        for member in root.list(folder.join(&uuid).join("devices")) {
            if family.iter().any(|node| node.name == member) {
                found.push((member, format!("btrfs {uuid}")));
            }
        }
    }
    found
}

/// Returns which of these devices is swap space.
fn swap(root: &Root, family: &[Node]) -> Result<Option<String>, Missing> {
    let swaps = swaps(root)?;
    let paths = swaps.iter().map(|swap| Path::new(&swap.path));
    for path in paths.filter(|path| path.is_absolute()) {
        let path = root.canonical(path).unwrap_or_else(|_| path.to_owned());
        let name = path.file_name().and_then(|name| name.to_str());
        let named = |node: &&Node| Some(node.name.as_str()) == name;
        if path.starts_with("/dev")
            && let Some(node) = family.iter().find(named)
        {
            return Ok(Some(node.name.clone()));
        }
    }
    Ok(None)
}

/// Returns a path without control characters that could confuse a terminal.
fn shown(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    stripewise_machine::clean_word(path.as_os_str().as_bytes()).unwrap_or_default()
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
