//! Users of a block device that mounts and holders do not show: processes that have it open for
//! writing, loop devices, other paths to the same disk, and overlapping partitions.
//!
//! QEMU, for one, opens a disk for writing without `O_EXCL`, so the kernel lets us open it too.

use std::fs;
use std::ops::Range;
use std::path::Path;

use stripewise_machine::{Root, clean_word};

use super::Node;
use super::backing::{Behind, again, descriptor_flags, number_of};
use super::refusal::Refusal;

/// Refuses a device if another process has it, its disk or a partition of it open for writing.
pub(super) fn check_writers(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    again(|| find_writer(root, named, node))
}

fn find_writer(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    let mut parts = vec![node.clone()];
    parts.extend(node.disk(root).filter(|disk| disk != node));
    parts.extend(node.partitions(root));
    let us = std::process::id().to_string();
    for process in root.list("/proc") {
        if process == us || !process.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let folder = Path::new("/proc").join(&process);
        for descriptor in root.list(folder.join("fd")) {
            let Some(part) = parts
                .iter()
                .find(|part| is_open(root, &folder, &descriptor, part))
            else {
                continue;
            };
            let name = root.word(folder.join("comm")).unwrap_or_default();
            return Err(Refusal::Written {
                named: named.to_owned(),
                part: part.name.clone(),
                process: format!("`{name}` (process {process})"),
            });
        }
    }
    Ok(())
}

/// Returns whether a descriptor of a process is this block device, open for writing.
fn is_open(root: &Root, process: &Path, descriptor: &str, part: &Node) -> bool {
    let is_it = || {
        let file = fs::metadata(root.real(&process.join("fd").join(descriptor))).ok()?;
        let number = number_of(&file)?;
        Some(part.number(root)? == number)
    };
    let writes = || Some(descriptor_flags(root, process, descriptor)? & 3 != 0);
    is_it().unwrap_or(false) && writes().unwrap_or(false)
}

struct LoopDevice {
    node: Node,
    behind: Behind,
    extent: Range<u64>,
}

impl LoopDevice {
    fn of(root: &Root, node: Node) -> Option<Self> {
        let behind = Behind::of(root, &node)?;
        let start = node.count(root, "loop/offset").unwrap_or(0);
        let size = node.sectors(root, "size").unwrap_or_default().as_u64();
        Some(Self {
            node,
            behind,
            extent: start..start.saturating_add(size),
        })
    }
}

/// Refuses a device that backs a loop device, a loop device backed by a block device, and a loop
/// device that shares a part of a file with another.
pub(super) fn check_loops(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    let names = root.list("/sys/class/block");
    let loops: Vec<LoopDevice> = names
        .iter()
        .filter(|name| name.starts_with("loop"))
        .filter_map(|name| LoopDevice::of(root, Node::of_name(root, name)?))
        .collect();
    let disk = node.disk(root);
    let own = loops
        .iter()
        .find(|other| Some(&other.node) == disk.as_ref());
    if let Some(LoopDevice {
        behind: Behind::Device(number),
        ..
    }) = own
    {
        return Err(Refusal::LoopOnDevice {
            named: named.to_owned(),
            below: clean_word(number.as_bytes()).unwrap_or_default(),
        });
    }
    let mut parts = vec![node.clone()];
    parts.extend(disk.clone().filter(|disk| disk != node));
    parts.extend(node.partitions(root));
    for other in loops
        .iter()
        .filter(|other| Some(&other.node) != disk.as_ref())
    {
        let is_below = |part: &&Node| match &other.behind {
            Behind::Device(number) => part.number(root).as_ref() == Some(number),
            _ => false,
        };
        let shares =
            |own: &&LoopDevice| own.behind == other.behind && overlap(&own.extent, &other.extent);
        let part = parts.iter().find(is_below).map(|part| &part.name);
        if let Some(part) = part.or(own.filter(shares).map(|own| &own.node.name)) {
            return Err(Refusal::Held {
                named: named.to_owned(),
                part: part.clone(),
                holder: format!("loop device `{}`", other.node.name),
            });
        }
    }
    Ok(())
}

/// Returns the other paths to the same disk, or to the same partition of it: devices with its
/// world-wide name and size.
pub(super) fn twins(root: &Root, node: &Node) -> Vec<Node> {
    let Some(disk) = node.disk(root) else {
        return Vec::new();
    };
    let Some(wwid) = wwid(root, &disk) else {
        return Vec::new();
    };
    let size = disk.sectors(root, "size");
    let names = root.list("/sys/class/block");
    let others = names
        .iter()
        .filter_map(|name| Node::of_name(root, name))
        .filter(|other| *other != disk && !other.is_partition(root));
    let twins = others.filter(|other| {
        self::wwid(root, other).as_ref() == Some(&wwid) && other.sectors(root, "size") == size
    });
    if *node == disk {
        return twins.collect();
    }
    let start = node.count(root, "start");
    let parts = twins.flat_map(|twin| {
        // The disk as a whole may be in use, too.
        let mut parts = twin.partitions(root);
        parts.retain(|part| part.count(root, "start") == start);
        if parts.is_empty() && !twin.holders(root).is_empty() {
            parts.push(twin);
        }
        parts
    });
    parts.collect()
}

/// Returns the world-wide name of a disk.
pub(super) fn wwid(root: &Root, disk: &Node) -> Option<String> {
    disk.word(root, "wwid")
        .or_else(|| disk.word(root, "device/wwid"))
}

/// Refuses a partition that shares blocks with another.
pub(super) fn check_overlap(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    if !node.is_partition(root) {
        return Ok(());
    }
    let extent = |node: &Node| {
        let start = node.count(root, "start")?;
        Some(start..start.saturating_add(node.count(root, "size")?))
    };
    let (Some(disk), Some(own)) = (node.disk(root), extent(node)) else {
        return Err(Refusal::Unknown(named.to_owned()));
    };
    for sister in disk
        .partitions(root)
        .iter()
        .filter(|sister| *sister != node)
    {
        // An extended partition (type 5) contains others; the kernel shows 1 KiB of it.
        if extent(sister).is_some_and(|other| overlap(&own, &other)) {
            return Err(Refusal::Overlaps {
                named: named.to_owned(),
                other: sister.name.clone(),
            });
        }
    }
    Ok(())
}

pub(super) fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
#[path = "other_users_tests.rs"]
mod tests;
