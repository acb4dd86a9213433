//! Users of the file behind a loop device, and kernel targets that export a device to other
//! machines.
//!
//! Another process may have the backing file open or mapped: a running virtual machine with the
//! disk image, a download, a backup. It does not use the loop device, and no lock on the device
//! keeps it out. The kernel knows the backing file by its device and inode numbers
//! (`LOOP_GET_STATUS64`), so we find a file that was renamed, deleted or hard linked.
//!
//! A process that only reads the file counts too. A file, unlike a device, is rarely read, and a
//! reader needs its content: a copy of the image, or the backing file of a virtual machine's
//! `qcow2`.
//!
//! A lease (`F_SETLEASE` in fcntl(2)) would tell whether another process has the file open. The
//! kernel never grants one here, because the loop device itself has the file open for writing
//! (`check_conflicting_open` in linux, `fs/locks.c`).
//!
//! Not detected: processes outside our PID namespace; processes of other users unless we are root;
//! a file open under the other numbers that an overlay or network filesystem gives it; and the
//! server of a network block device.

use std::fs;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use stripewise_machine::{Root, clean_word, swaps};

use super::Node;
use super::refusal::Refusal;

/// How much of a process's mappings to read: it can have 65530 (`max_map_count`).
const MAPS_BYTES_MAX: u64 = 16 << 20;
/// The maximum depth of stacked devices to follow.
const DEPTH_MAX: usize = 16;

/// The file or device behind a loop device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Behind {
    /// A block device, by its number.
    Device(String),
    /// A file, by the numbers of its filesystem and inode.
    File(u64, u64),
    /// A file that we cannot see, by its path.
    Path(String),
}

impl Behind {
    /// Returns the backing of a loop device; `None` if the node is no loop device or has no
    /// backing.
    pub(super) fn of(root: &Root, node: &Node) -> Option<Self> {
        let path = node.word(root, "loop/backing_file")?;
        if let Some(status) = status(root, node) {
            return Some(status);
        }
        let seen = root.canonical(Path::new(&path)).ok();
        let seen = seen.and_then(|path| fs::metadata(root.real(&path)).ok());
        Some(match seen {
            Some(file) => Self::of_file(&file),
            None => Self::Path(path),
        })
    }

    fn of_file(file: &fs::Metadata) -> Self {
        match number_of(file) {
            Some(number) => Self::Device(number),
            None => Self::File(file.dev(), file.ino()),
        }
    }
}

/// Returns a block device's number as `/sys` writes it.
pub(super) fn number_of(file: &fs::Metadata) -> Option<String> {
    file.file_type()
        .is_block_device()
        .then(|| number(file.rdev()))
}

fn number(rdev: u64) -> String {
    let (major, minor) = (rustix::fs::major(rdev), rustix::fs::minor(rdev));
    format!("{major}:{minor}")
}

/// `struct loop_info64` in linux, `include/uapi/linux/loop.h`.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset_and_size: [u64; 2],
    number_to_flags: [u32; 4],
    names_and_key: [u8; 64 + 64 + 32],
    init: [u64; 2],
}

const LOOP_GET_STATUS64: rustix::ioctl::Opcode = 0x4c05;

/// Returns what the kernel reports as the backing of a loop device of this machine.
#[expect(unsafe_code, reason = "rustix has no call of its own for this ioctl")]
fn status(root: &Root, node: &Node) -> Option<Behind> {
    // A machine faked in a directory has no devices.
    if root.0 != Path::new("/") {
        return None;
    }
    let device = fs::File::open(Path::new("/dev").join(&node.name)).ok()?;
    if number_of(&device.metadata().ok()?) != node.number(root) {
        return None;
    }
    // SAFETY: LOOP_GET_STATUS64 (loop(4)) writes one `struct loop_info64`. `LoopInfo` has the same
    // fields in 232 bytes, and any bytes are valid for it. `/sys` shows that the device is a loop
    // device, so no other driver gets this ioctl.
    let info = unsafe {
        rustix::ioctl::ioctl(
            device.as_fd(),
            rustix::ioctl::Getter::<LOOP_GET_STATUS64, LoopInfo>::new(),
        )
    };
    let info = info.ok()?;
    Some(match info.rdevice {
        0 => Behind::File(decode(info.device), info.inode),
        rdevice => Behind::Device(number(decode(rdevice))),
    })
}

/// Converts a device number of the kernel to that of stat(2) (`huge_encode_dev` in linux,
/// `include/linux/kdev_t.h`: the low 8 bits of the minor number, 12 of the major, the other 12).
fn decode(kernel: u64) -> u64 {
    let low = |bits: u64| u32::try_from(bits).unwrap_or_default();
    let major = low((kernel >> 8) & 0xfff);
    let minor = low((kernel & 0xff) | ((kernel >> 12) & 0xf_ff00));
    rustix::fs::makedev(major, minor)
}

/// Refuses a device if another process uses the backing file of a loop device that it is, or is
/// made of.
pub(super) fn check_backing_file(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    for device in below(root, node) {
        let Some(behind @ Behind::File(..)) = Behind::of(root, &device) else {
            continue;
        };
        let shown = device.word(root, "loop/backing_file").unwrap_or_default();
        let swaps = swaps(root).map_err(|missing| Refusal::UseUnknown {
            named: named.to_owned(),
            missing,
        })?;
        if swaps
            .iter()
            .any(|swap| is_at(root, Path::new(&swap.path), &behind))
        {
            return Err(Refusal::Swap {
                named: named.to_owned(),
                part: shown,
            });
        }
        again(|| match find_user(root, &behind) {
            None => Ok(()),
            Some((process, how)) => Err(Refusal::BackingFile {
                named: named.to_owned(),
                file: shown.clone(),
                process,
                how,
            }),
        })?;
    }
    Ok(())
}

/// Returns the disks that a device is, is on, or is made of.
fn below(root: &Root, node: &Node) -> Vec<Node> {
    let mut all: Vec<Node> = Vec::new();
    let mut latest = vec![node.clone()];
    for _ in 0..DEPTH_MAX {
        let disks = latest.iter().filter_map(|node| node.disk(root));
        let new: Vec<Node> = disks.filter(|disk| !all.contains(disk)).collect();
        latest = latest.iter().flat_map(|node| node.slaves(root)).collect();
        all.extend(new);
        if latest.is_empty() {
            break;
        }
    }
    all
}

/// Returns whether a path leads to this file or device.
fn is_at(root: &Root, path: &Path, behind: &Behind) -> bool {
    let real = root.canonical(path).map(|path| root.real(&path));
    let file = real.and_then(fs::metadata);
    file.is_ok_and(|file| Behind::of_file(&file) == *behind)
}

/// Returns the first process that has a file open or mapped, in words, and how.
fn find_user(root: &Root, file: &Behind) -> Option<(String, &'static str)> {
    let us = std::process::id().to_string();
    let processes = root.list("/proc").into_iter();
    let mut others = processes
        .filter(|process| *process != us && process.bytes().all(|byte| byte.is_ascii_digit()));
    others.find_map(|process| {
        let folder = Path::new("/proc").join(&process);
        let how = open_in(root, &folder, file).or_else(|| mapped_in(root, &folder, file))?;
        let name = root.word(folder.join("comm")).unwrap_or_default();
        Some((format!("`{name}` (process {process})"), how))
    })
}

/// Returns how a process has a file open; `None` if it has not.
fn open_in(root: &Root, process: &Path, file: &Behind) -> Option<&'static str> {
    // An O_PATH descriptor can neither read nor write the file (open(2)).
    const PATH_ONLY: u32 = 0o10_000_000;
    let descriptors = root.list(process.join("fd")).into_iter();
    let mut flags = descriptors.filter_map(|descriptor| {
        let open = fs::metadata(root.real(&process.join("fd").join(&descriptor))).ok()?;
        if Behind::of_file(&open) != *file {
            return None;
        }
        descriptor_flags(root, process, &descriptor)
    });
    flags.find_map(|flags| match flags {
        _ if flags & PATH_ONLY != 0 => None,
        _ if flags & 3 != 0 => Some("open for writing"),
        _ => Some("open for reading"),
    })
}

/// Returns the flags of an open descriptor: O_WRONLY is 1, O_RDWR is 2.
pub(super) fn descriptor_flags(root: &Root, process: &Path, descriptor: &str) -> Option<u32> {
    let text = root.text(process.join("fdinfo").join(descriptor))?;
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"))?;
    u32::from_str_radix(flags.trim(), 8).ok()
}

/// Returns how a process has mapped a file, even if it has closed it since.
fn mapped_in(root: &Root, process: &Path, file: &Behind) -> Option<&'static str> {
    let Behind::File(device, inode) = file else {
        return None;
    };
    let maps = fs::File::open(root.real(&process.join("maps"))).ok()?;
    let mut text = Vec::new();
    maps.take(MAPS_BYTES_MAX).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    // proc_pid_maps(5): range, permissions, offset, device, inode, path.
    text.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (range, permissions) = (words.next()?, words.next()?);
        let numbers = (words.nth(1)?, words.next()?);
        if numbers.1 != inode.to_string() {
            return None;
        }
        // The device may differ from that of stat(2): btrfs has one for each subvolume.
        let mapped = fs::metadata(root.real(&process.join("map_files").join(range)));
        let is_it = match mapped {
            Ok(mapped) => Behind::of_file(&mapped) == *file,
            Err(_) => is_device(numbers.0, *device),
        };
        let is_written = permissions.contains('w') && permissions.contains('s');
        is_it.then_some(match is_written {
            true => "mapped for writing",
            false => "mapped",
        })
    })
}

/// Returns whether `fe:00` in a list of mappings is this device.
fn is_device(text: &str, device: u64) -> bool {
    let hexadecimal = |text| u32::from_str_radix(text, 16).ok();
    let numbers = text.split_once(':').and_then(|(major, minor)| {
        Some(rustix::fs::makedev(
            hexadecimal(major)?,
            hexadecimal(minor)?,
        ))
    });
    numbers == Some(device)
}

/// Refuses a device that the kernel exports to other machines, directly or through its backing
/// file: as a target of iSCSI or Fibre Channel (LIO), NVMe over fabrics, or USB mass storage. A
/// target has it open without a process, and not exclusively.
pub(super) fn check_exports(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    let mut targets: Vec<Behind> = below(root, node)
        .iter()
        .filter_map(|device| Behind::of(root, device))
        .collect();
    let mut parts = vec![node.clone()];
    parts.extend(node.disk(root));
    parts.extend(node.partitions(root));
    let numbers = parts.iter().filter_map(|part| part.number(root));
    targets.extend(numbers.map(Behind::Device));
    for (pattern, exporter) in EXPORTS {
        for setting in expand(root, pattern) {
            let Some(path) = root.word(&setting) else {
                continue;
            };
            if targets
                .iter()
                .any(|target| is_at(root, Path::new(&path), target))
            {
                return Err(Refusal::Exported {
                    named: named.to_owned(),
                    path: clean_word(path.as_bytes()).unwrap_or_default(),
                    exporter,
                });
            }
        }
    }
    Ok(())
}

/// The files in configfs that hold the paths of exports; `*` is any name.
const EXPORTS: [(&str, &str); 3] = [
    (
        "/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path",
        "an NVMe target",
    ),
    (
        "/sys/kernel/config/target/core/*/*/udev_path",
        "a SCSI target",
    ),
    (
        "/sys/kernel/config/usb_gadget/*/functions/*/*/file",
        "a USB gadget",
    ),
];

/// Returns the paths that match a pattern, in which `*` is any name.
fn expand(root: &Root, pattern: &str) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        paths = paths
            .into_iter()
            .flat_map(|path| match part {
                "*" => root
                    .list(&path)
                    .iter()
                    .map(|name| path.join(name))
                    .collect(),
                part => vec![path.join(part)],
            })
            .collect();
    }
    paths
}

/// How often to check for processes that may be about to exit, and at which interval.
const CHECKS: u32 = 5;

const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Repeats a check, because a process that fails it may be about to exit.
pub(super) fn again(mut check: impl FnMut() -> Result<(), Refusal>) -> Result<(), Refusal> {
    for _ in 1..CHECKS {
        if check().is_ok() {
            return Ok(());
        }
        std::thread::sleep(CHECK_INTERVAL);
    }
    check()
}

#[cfg(test)]
#[path = "backing_tests.rs"]
mod tests;
