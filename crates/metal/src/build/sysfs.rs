//! The kernel's view of layers: `/sys/class/block/NAME/{holders,slaves}`, by the reader that also
//! judges devices ([`Node`]).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use stripewise_machine::Root;

use crate::device::Node;

fn node(name: &str) -> Option<Node> {
    Node::of_name(&Root::live(), name)
}

/// Returns the kernel's name of a device: `sda` for `/dev/disk/by-id/...`; `None` if it is absent.
pub(crate) fn kernel_name(device: &Path) -> Option<String> {
    let stat = rustix::fs::stat(device).ok()?;
    let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
    let node = || Node::of_number(&Root::live(), stat.st_rdev);
    Some(kind.is_block_device().then(node)??.name)
}

/// Returns a device's driver by its major number, as `/proc/devices` names it: `nullb`, `sd`, `md`.
pub(crate) fn driver(device: &Path) -> Option<String> {
    let major = rustix::fs::major(rustix::fs::stat(device).ok()?.st_rdev);
    let devices = fs::read_to_string("/proc/devices").ok()?;
    let (_, block_devices) = devices.split_once("Block devices:")?;
    block_devices.lines().find_map(|line| {
        let (number, name) = line.trim().split_once(' ')?;
        (number.parse() == Ok(major)).then(|| name.to_owned())
    })
}

/// Returns the trimmed text of a small file of a block device; `None` if it does not exist.
pub(crate) fn word(name: &str, file: &str) -> Option<String> {
    node(name)?.word(&Root::live(), file)
}

/// Returns a device's size in bytes; the kernel counts in sectors of 512.
pub(crate) fn size_bytes(name: &str) -> Option<u64> {
    Some(node(name)?.sectors(&Root::live(), "size")?.as_u64())
}

/// Returns the layers built on a device.
pub(crate) fn holders(name: &str) -> BTreeSet<String> {
    let holders = node(name).map(|node| node.holders(&Root::live()));
    let names = holders.into_iter().flatten().map(|holder| holder.name);
    names.filter(|name| exists(name)).collect()
}

/// Returns the devices that a layer is built of, without removed ones.
pub(crate) fn slaves(name: &str) -> BTreeSet<String> {
    let slaves = node(name).map(|node| node.slaves(&Root::live()));
    slaves
        .into_iter()
        .flatten()
        .map(|slave| slave.name)
        .collect()
}

/// Returns all block devices.
pub(crate) fn all() -> Vec<String> {
    Root::live().list("/sys/class/block")
}

/// Returns whether the kernel knows a block device of this name.
pub(crate) fn exists(name: &str) -> bool {
    node(name).is_some()
}

/// Returns a free numbered md device: such arrays have the same name in the kernel, in `/dev` and
/// in the output of tools, with and without udev.
pub(crate) fn free_md() -> PathBuf {
    const FIRST: u32 = 100;
    let is_free = |number: &u32| {
        !exists(&format!("md{number}")) && !Path::new(&format!("/dev/md{number}")).exists()
    };
    let number = (FIRST..).find(is_free).unwrap_or(FIRST);
    PathBuf::from(format!("/dev/md{number}"))
}
