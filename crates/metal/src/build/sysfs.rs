//! The kernel's view of layers: `/sys/class/block/NAME/{holders,slaves}` and `md/`
//! (Documentation/admin-guide/md.rst, "MD devices in sysfs").

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The kernel's names of block devices, partitions included.
const CLASS: &str = "/sys/class/block";
/// How many entries of a folder to read.
const ENTRIES_MAX: usize = 4096;

/// Returns the kernel's name of a device: `sda` for `/dev/disk/by-id/...`; `None` if it is absent.
pub(crate) fn kernel_name(device: &Path) -> Option<String> {
    let stat = rustix::fs::stat(device).ok()?;
    if !rustix::fs::FileType::from_raw_mode(stat.st_mode).is_block_device() {
        return None;
    }
    let (major, minor) = (
        rustix::fs::major(stat.st_rdev),
        rustix::fs::minor(stat.st_rdev),
    );
    let folder = fs::read_link(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    Some(folder.file_name()?.to_str()?.to_owned())
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
    let text = fs::read_to_string(format!("{CLASS}/{name}/{file}")).ok()?;
    Some(text.trim().to_owned())
}

/// Returns a device's size in bytes; the kernel counts in sectors of 512.
pub(crate) fn size_bytes(name: &str) -> Option<u64> {
    word(name, "size")?.parse::<u64>().ok()?.checked_mul(512)
}

/// Returns the names in a folder of links, without those of removed devices. When a disk is pulled,
/// its link in a layer's folder stays and dangles until the layer is taken down.
fn list(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return BTreeSet::new();
    };
    let entries = entries.take(ENTRIES_MAX).filter_map(Result::ok);
    entries
        .filter(|entry| entry.path().exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// Returns the layers built on a device.
pub(crate) fn holders(name: &str) -> BTreeSet<String> {
    list(&Path::new(CLASS).join(name).join("holders"))
}

/// Returns the devices that a layer is built of, without removed ones.
pub(crate) fn slaves(name: &str) -> BTreeSet<String> {
    list(&Path::new(CLASS).join(name).join("slaves"))
}

/// Returns all block devices.
pub(crate) fn all() -> BTreeSet<String> {
    list(Path::new(CLASS))
}

/// Returns whether the kernel knows a block device of this name.
pub(crate) fn exists(name: &str) -> bool {
    Path::new(CLASS).join(name).exists()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pulled_disk_is_not_listed_as_a_slave() {
        let folder = tempfile::tempdir().unwrap();
        let slaves = folder.path().join("slaves");
        fs::create_dir_all(folder.path().join("sda")).unwrap();
        fs::create_dir(&slaves).unwrap();
        for disk in ["sda", "sdb"] {
            std::os::unix::fs::symlink(format!("../{disk}"), slaves.join(disk)).unwrap();
        }
        assert_eq!(list(&slaves), BTreeSet::from(["sda".to_owned()]));
        assert_eq!(list(&folder.path().join("none")), BTreeSet::new());
    }
}
