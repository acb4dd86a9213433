//! Reasons to refuse a block device: one variant for each, with a hint.
//!
//! The only way around a refusal is to remove its reason; there is no `--force`.

use std::io;
use std::path::{Path, PathBuf};

use stripewise_machine::Missing;
use stripewise_units::Bytes;

/// The smallest device: room for superblocks, a bitmap and a filesystem's journal.
pub const DEVICE_BYTES_MIN: Bytes = Bytes::new(16 << 20);

/// Why a block device, named as in the study, will not be overwritten.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Nothing exists at this path.
    #[error("`{}` does not exist", .0.display())]
    Missing(PathBuf),
    /// It could not be read.
    #[error("failed to examine `{}`", .named.display())]
    Unreadable {
        /// The name in the study.
        named: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The path is not below `/dev`, or leads elsewhere.
    #[error("`{}` leads to `{}`, which is not below `/dev`", .named.display(), .path.display())]
    NotBelowDev {
        /// The name in the study.
        named: PathBuf,
        /// Where it leads.
        path: PathBuf,
    },
    /// It is a file, a directory, a character device.
    #[error("`{}` is not a block device", .0.display())]
    NotABlockDevice(PathBuf),
    /// The kernel does not list it.
    #[error("`{}` is not among the kernel's block devices in `/sys`", .0.display())]
    Unknown(PathBuf),
    /// What would show that it is in use cannot be read.
    #[error("cannot tell whether `{}` is in use: `{}`: {}", .named.display(), .missing.fact, .missing.why)]
    UseUnknown {
        /// The name in the study.
        named: PathBuf,
        /// The file, and why it cannot be read.
        missing: Missing,
    },
    /// The name has come to mean another device.
    #[error("`{}` was {before} and is now {now}: it changed during the check", .named.display())]
    Changed {
        /// The name in the study.
        named: PathBuf,
        /// The device before.
        before: String,
        /// The device now.
        now: String,
    },
    /// It holds the running system.
    #[error("`{}` holds the running system: `{part}` is mounted on `{mount_point}`", .named.display())]
    SystemDisk {
        /// The name in the study.
        named: PathBuf,
        /// The device, partition or volume on it.
        part: String,
        /// Its mount point.
        mount_point: String,
    },
    /// A filesystem on it is mounted.
    #[error("`{}` is in use: `{part}` is mounted on `{mount_point}`", .named.display())]
    Mounted {
        /// The name in the study.
        named: PathBuf,
        /// The device, partition or volume on it.
        part: String,
        /// Its mount point.
        mount_point: String,
    },
    /// The kernel swaps to it.
    #[error("`{}` is in use: `{part}` is swap space", .named.display())]
    Swap {
        /// The name in the study.
        named: PathBuf,
        /// The device, partition or volume on it.
        part: String,
    },
    /// Another block device is built on it.
    #[error("`{}` is in use: `{part}` is held by {holder}", .named.display())]
    Held {
        /// The name in the study.
        named: PathBuf,
        /// The device or partition that is held.
        part: String,
        /// What holds it, in words: "md array `md0`".
        holder: String,
    },
    /// The disk has partitions.
    #[error("`{}` has partitions: {}", .named.display(), .partitions.join(", "))]
    Partitioned {
        /// The name in the study.
        named: PathBuf,
        /// Their names.
        partitions: Vec<String>,
    },
    /// It carries a partition table, but the kernel shows no partition.
    #[error("`{}` carries a partition table (`{table}`)", .named.display())]
    PartitionTable {
        /// The name in the study.
        named: PathBuf,
        /// The kind: `gpt`, `dos`.
        table: String,
    },
    /// It is read-only.
    #[error("`{}` is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// It is too small for a stack.
    #[error("`{}` is too small: it has {size} and needs at least {DEVICE_BYTES_MIN}", .named.display())]
    TooSmall {
        /// The name in the study.
        named: PathBuf,
        /// Its size.
        size: Bytes,
    },
    /// `wipefs` or `blkid` found a signature on it.
    #[error("`{}` is not empty: it carries {found}", .named.display())]
    Signature {
        /// The name in the study.
        named: PathBuf,
        /// The signatures, in words.
        found: String,
    },
    /// It carries magic numbers of damaged superblocks, or of copies left behind.
    #[error("`{}` is not empty: it carries {found}", .named.display())]
    MagicNumber {
        /// The name in the study.
        named: PathBuf,
        /// The magic numbers and their offsets, in words.
        found: String,
        /// The commands that overwrite them.
        overwrite: String,
    },
    /// An earlier run left its signatures.
    #[error("`{}` carries {found}, beside the marker of a run that did not clean up", .named.display())]
    LeftBehind {
        /// The name in the study.
        named: PathBuf,
        /// The signatures, in words.
        found: String,
    },
    /// The kernel or a program holds it exclusively.
    #[error("`{}` is in use: the kernel refuses to open it exclusively", .0.display())]
    Busy(PathBuf),
    /// Another run has locked it.
    #[error("`{}` is in use by another run, or locked by another program", .0.display())]
    Locked(PathBuf),
    /// Another process has it open for writing.
    #[error("`{}` is in use: {process} has `{part}` open for writing", .named.display())]
    Written {
        /// The name in the study.
        named: PathBuf,
        /// The device, disk or partition that is open.
        part: String,
        /// The process, in words: "`qemu-system-x86` (process 12)".
        process: String,
    },
    /// Another process uses its backing file.
    #[error("`{}` is in use: {process} has its backing file `{file}` {how}", .named.display())]
    BackingFile {
        /// The name in the study.
        named: PathBuf,
        /// The file behind the loop device.
        file: String,
        /// The process, in words: "`qemu-system-x86` (process 12)".
        process: String,
        /// How the process uses it: "open for writing", "mapped".
        how: &'static str,
    },
    /// The kernel exports it, or its backing file.
    #[error("`{}` is in use: {exporter} of this machine exports `{path}`", .named.display())]
    Exported {
        /// The name in the study.
        named: PathBuf,
        /// The path of the export.
        path: String,
        /// The kind of export: "an NVMe target".
        exporter: &'static str,
    },
    /// It is a loop device backed by another block device.
    #[error("`{}` is a loop device on the block device `{below}`", .named.display())]
    LoopOnDevice {
        /// The name in the study.
        named: PathBuf,
        /// The device behind it.
        below: String,
    },
    /// It shares blocks with another partition.
    #[error("`{}` overlaps with the partition `{other}`", .named.display())]
    Overlaps {
        /// The name in the study.
        named: PathBuf,
        /// The other partition.
        other: String,
    },
    /// It is not the device that the run confirmed.
    #[error("`{}` was {before} when it was confirmed for this run, and is now {now}", .named.display())]
    NotConfirmed {
        /// The name in the study.
        named: PathBuf,
        /// Serial number and size before.
        before: String,
        /// Serial number and size now.
        now: String,
    },
    /// It carries a signature that the run did not make.
    #[error("`{}` carries {found}, which this run did not make", .named.display())]
    Foreign {
        /// The name in the study.
        named: PathBuf,
        /// The signatures, in words.
        found: String,
    },
    /// It could not be written.
    #[error("failed to write to `{}`", .named.display())]
    Unwritable {
        /// The name in the study.
        named: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Two names mean one device.
    #[error("`{}` and `{}` are the same device{}", .first.display(), .second.display(), .why)]
    SameDevice {
        /// The first name.
        first: PathBuf,
        /// The second.
        second: PathBuf,
        /// How we know, if that is not obvious; begins with a comma.
        why: String,
    },
    /// The system gave no random numbers for the marker.
    #[error("failed to draw a random number: {why}")]
    NoRandomness {
        /// The system's error.
        why: String,
    },
    /// `wipefs` or `blkid` is missing or failed, so we do not know what the device carries.
    #[error("failed to look for signatures on `{}` with `{tool}`: {why}", .named.display())]
    Tool {
        /// The name in the study.
        named: PathBuf,
        /// `wipefs` or `blkid`.
        tool: &'static str,
        /// The error.
        why: String,
    },
}

/// Returns whether this is a mount point of one of our runs.
fn is_of_a_run(mount_point: &str) -> bool {
    let mut directories = Path::new(mount_point).ancestors();
    directories.any(crate::removal::is_ours)
}

impl Refusal {
    /// Returns how to solve it.
    pub fn hint(&self) -> String {
        match self {
            Refusal::Mounted { mount_point, .. } if is_of_a_run(mount_point) => {
                "a run mounted it: if it was killed, `stripewise restore` cleans up".to_owned()
            }
            Refusal::Mounted { mount_point, .. } => format!(
                "if you no longer need its data: `umount {mount_point}`, then run `wipefs --all` on it"
            ),
            Refusal::MagicNumber { overwrite, .. } => format!(
                "`wipefs` does not list it: the superblock is damaged or a leftover copy, and the data may be recoverable; only if you do not need it: {overwrite}"
            ),
            Refusal::BackingFile { file, .. } => format!(
                "stop that process; or detach the loop device and attach a copy: `cp --sparse=always {file} COPY`, `losetup --find --show COPY`"
            ),
            Refusal::UseUnknown { .. } => "mount `/proc` and `/sys`, and run as root".to_owned(),
            refusal => refusal.plain_hint().to_owned(),
        }
    }

    /// Returns the hint, if it contains no name; [`Self::hint`] has the others.
    fn plain_hint(&self) -> &'static str {
        match self {
            Refusal::Mounted { .. }
            | Refusal::MagicNumber { .. }
            | Refusal::BackingFile { .. }
            | Refusal::UseUnknown { .. } => "",
            Refusal::Missing { .. } => "`ls -l /dev/disk/by-id` lists the device names",
            Refusal::Unreadable { .. } => "run as root: this opens block devices",
            Refusal::NotBelowDev { .. } | Refusal::NotABlockDevice { .. } => {
                "name a block device below `/dev/disk/by-id`; to measure a filesystem, use `filesystem = \"existing\"` and `--target DIR`"
            }
            Refusal::Unknown { .. } => "mount `/sys`, and use a device that the kernel lists",
            Refusal::Changed { .. } => "wait until no device is plugged in or out, then try again",
            Refusal::SystemDisk { .. } => {
                "use another disk, or name an unused partition of this one, below `/dev/disk/by-partuuid`"
            }
            Refusal::Swap { .. } => {
                "if you do not need it as swap: run `swapoff`, then `wipefs --all` on it"
            }
            Refusal::Held { .. } => {
                "if you no longer need its data, stop the holder (`lsblk` shows it)"
            }
            Refusal::Partitioned { .. } | Refusal::PartitionTable { .. } => {
                "name one partition, below `/dev/disk/by-partuuid`; or, if you no longer need any data on the disk, run `wipefs --all` on the partitions, then on the disk"
            }
            Refusal::ReadOnly { .. } => {
                "`blockdev --setrw` makes it writable, if the device itself allows that"
            }
            Refusal::TooSmall { .. } => "name a larger device",
            Refusal::Signature { .. } => {
                "inspect it (`wipefs`, `blkid -p`, `lsblk -f`): if the data is yours, name another device; if a run left it, `stripewise restore` removes it; only if you do not need it, empty the device yourself"
            }
            Refusal::LeftBehind { .. } => {
                "`stripewise restore` removes what a run left; if its store is lost and you do not need the data, `wipefs --all` empties the device"
            }
            Refusal::Busy { .. } => {
                "a filesystem in a container, ZFS or bcache may use it: check with `lsof` and `lsblk`"
            }
            Refusal::Locked { .. } => {
                "wait for the other run (`stripewise runs`), or stop the program: `lslocks` names it"
            }
            Refusal::Written { .. } => "if you no longer need its data, stop that process",
            Refusal::Exported { .. } => {
                "disable the export in `/sys/kernel/config`, if no machine needs it"
            }
            Refusal::LoopOnDevice { .. } => {
                "name the block device itself, or a loop device on a file"
            }
            Refusal::Overlaps { .. } => {
                "the partition table is damaged: repair it, or use another disk"
            }
            Refusal::NotConfirmed { .. } => {
                "plug in the run's own device, or start a new run with this one"
            }
            Refusal::Foreign { .. } => {
                "another program made that since the run began, so it was kept; if you do not need it, remove it with `wipefs`, then run `stripewise restore`"
            }
            Refusal::Unwritable { .. } => {
                "the device itself fails: see `dmesg`; `stripewise restore` tries again"
            }
            Refusal::SameDevice { .. } => "name each device once",
            Refusal::NoRandomness { .. } => "try again once the system has booted",
            Refusal::Tool { why, .. } if why.contains("not installed") => {
                "`wipefs` and `blkid` are in the package `util-linux`"
            }
            Refusal::Tool { .. } => {
                "a device that cannot be read is not overwritten: check `dmesg` for device errors"
            }
        }
    }
}

pub(super) fn unreadable(named: &Path, source: io::Error) -> Refusal {
    let named = named.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        return Refusal::Missing(named);
    }
    Refusal::Unreadable { named, source }
}
