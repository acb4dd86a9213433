//! Why a block device is not touched: one variant a reason, each with what to do.
//!
//! There is no way around a refusal but to take its reason away; nothing here has a "force".

use std::io;
use std::path::{Path, PathBuf};

use stripewise_study::units::Bytes;

/// The smallest device: room for superblocks, a bitmap and a filesystem's journal.
pub const DEVICE_BYTES_MIN: Bytes = Bytes::new(16 << 20);

/// A block device that will not be overwritten, as the study names it, and why.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// There is nothing at this path.
    #[error("`{}` does not exist", .0.display())]
    Missing(PathBuf),
    /// It could not be looked at.
    #[error("failed to look at `{}`", .named.display())]
    Unreadable {
        /// As the study names it.
        named: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The path is not below `/dev`, or leads elsewhere.
    #[error("`{}` leads to `{}`, which is not below `/dev`", .named.display(), .path.display())]
    NotBelowDev {
        /// As the study names it.
        named: PathBuf,
        /// Where it leads.
        path: PathBuf,
    },
    /// It is a file, a directory, a character device.
    #[error("`{}` is not a block device", .0.display())]
    NotABlockDevice(PathBuf),
    /// The kernel does not describe it.
    #[error("`{}` is not among the kernel's block devices in `/sys`", .0.display())]
    Unknown(PathBuf),
    /// The name means another device than a moment ago.
    #[error("`{}` was {before} and is now {now}: it changed while it was looked at", .named.display())]
    Changed {
        /// As the study names it.
        named: PathBuf,
        /// What it was.
        before: String,
        /// What it is.
        now: String,
    },
    /// The running system lies on it.
    #[error("`{}` holds the running system: `{part}` is mounted on `{mount_point}`", .named.display())]
    SystemDisk {
        /// As the study names it.
        named: PathBuf,
        /// The device, partition or volume on it.
        part: String,
        /// Where that is mounted.
        mount_point: String,
    },
    /// A filesystem on it is mounted.
    #[error("`{}` is in use: `{part}` is mounted on `{mount_point}`", .named.display())]
    Mounted {
        /// As the study names it.
        named: PathBuf,
        /// The device, partition or volume on it.
        part: String,
        /// Where that is mounted.
        mount_point: String,
    },
    /// The kernel swaps to it.
    #[error("`{}` is in use: `{part}` is swap space", .named.display())]
    Swap {
        /// As the study names it.
        named: PathBuf,
        /// The device, partition or volume on it.
        part: String,
    },
    /// Another block device is made of it.
    #[error("`{}` is in use: `{part}` is held by {holder}", .named.display())]
    Held {
        /// As the study names it.
        named: PathBuf,
        /// The device or partition that is held.
        part: String,
        /// What holds it, in words: "md array `md0`".
        holder: String,
    },
    /// The disk has partitions.
    #[error("`{}` has partitions: {}", .named.display(), .partitions.join(", "))]
    Partitioned {
        /// As the study names it.
        named: PathBuf,
        /// Their names.
        partitions: Vec<String>,
    },
    /// It carries a partition table, though the kernel shows no partition.
    #[error("`{}` carries a partition table (`{table}`)", .named.display())]
    PartitionTable {
        /// As the study names it.
        named: PathBuf,
        /// The kind: `gpt`, `dos`.
        table: String,
    },
    /// Nothing can be written to it.
    #[error("`{}` is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// There is no room for a stack on it.
    #[error("`{}` is too small: it has {size}, at least {DEVICE_BYTES_MIN} are needed", .named.display())]
    TooSmall {
        /// As the study names it.
        named: PathBuf,
        /// How large it is.
        size: Bytes,
    },
    /// Something on it is known to `wipefs` or `blkid`.
    #[error("`{}` is not empty: it carries {found}", .named.display())]
    Signature {
        /// As the study names it.
        named: PathBuf,
        /// What was found, in words.
        found: String,
    },
    /// It carries magic numbers of superblocks that are damaged, or copies of what is gone.
    #[error("`{}` is not empty: it carries {found}", .named.display())]
    MagicNumber {
        /// As the study names it.
        named: PathBuf,
        /// What was found and where, in words.
        found: String,
        /// The commands that overwrite it.
        overwrite: String,
    },
    /// An earlier run left what it made.
    #[error("`{}` carries {found}, beside the marker of a run that did not clean up", .named.display())]
    LeftBehind {
        /// As the study names it.
        named: PathBuf,
        /// What was found, in words.
        found: String,
    },
    /// The kernel or a program has it for itself.
    #[error("`{}` is in use: the kernel does not give it to us alone", .0.display())]
    Busy(PathBuf),
    /// Another run has claimed it.
    #[error("`{}` is in use by another run, or locked by another program", .0.display())]
    Locked(PathBuf),
    /// Another process can write to it.
    #[error("`{}` is in use: {process} has `{part}` open for writing", .named.display())]
    Written {
        /// As the study names it.
        named: PathBuf,
        /// The device, its disk or partition that is open.
        part: String,
        /// The process, in words: "`qemu-system-x86` (process 12)".
        process: String,
    },
    /// Another process uses the file behind it.
    #[error("`{}` is in use: {process} has its backing file `{file}` {how}", .named.display())]
    BackingFile {
        /// As the study names it.
        named: PathBuf,
        /// The file behind the loop device.
        file: String,
        /// The process, in words: "`qemu-system-x86` (process 12)".
        process: String,
        /// How it uses it: "open for writing", "mapped".
        how: &'static str,
    },
    /// The kernel exports it, or the file behind it.
    #[error("`{}` is in use: {exporter} of this machine exports `{path}`", .named.display())]
    Exported {
        /// As the study names it.
        named: PathBuf,
        /// What is exported, by its path.
        path: String,
        /// The kind of export: "an NVMe target".
        exporter: &'static str,
    },
    /// It is a loop device that stands for another block device.
    #[error("`{}` stands for the block device `{below}`", .named.display())]
    StandsFor {
        /// As the study names it.
        named: PathBuf,
        /// The device behind it.
        below: String,
    },
    /// Another partition has blocks in common with it.
    #[error("`{}` overlaps with the partition `{other}`", .named.display())]
    Overlaps {
        /// As the study names it.
        named: PathBuf,
        /// The other partition.
        other: String,
    },
    /// It is not the device that the run had.
    #[error("`{}` was {before} when it was confirmed for this run, and is now {now}", .named.display())]
    NotTheOne {
        /// As the study names it.
        named: PathBuf,
        /// Serial number and size that it had.
        before: String,
        /// Serial number and size that it has.
        now: String,
    },
    /// Something is on it that the run did not make.
    #[error("`{}` carries {found}, which this run did not make", .named.display())]
    Foreign {
        /// As the study names it.
        named: PathBuf,
        /// What was found, in words.
        found: String,
    },
    /// It could not be written.
    #[error("failed to write to `{}`", .named.display())]
    Unwritable {
        /// As the study names it.
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
        /// How that was seen, where it is not plain; begins with a comma.
        why: String,
    },
    /// The system gave no random numbers to mark devices with.
    #[error("failed to draw a random number: {why}")]
    NoRandomness {
        /// What the system said.
        why: String,
    },
    /// A program is missing or failed, so that we cannot determine what is on the device.
    #[error("failed to look for signatures on `{}` with `{tool}`: {why}", .named.display())]
    Tool {
        /// As the study names it.
        named: PathBuf,
        /// `wipefs` or `blkid`.
        tool: &'static str,
        /// What went wrong.
        why: String,
    },
}

/// Returns whether a run of ours mounts filesystems there.
fn is_of_a_run(mount_point: &str) -> bool {
    let mut directories = Path::new(mount_point).ancestors();
    directories.any(crate::removal::is_ours)
}

impl Refusal {
    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match self {
            Refusal::Mounted { mount_point, .. } if is_of_a_run(mount_point) => {
                "a run mounted it: if it was killed, `stripewise restore` cleans up".to_owned()
            }
            Refusal::Mounted { mount_point, .. } => format!(
                "if nothing on it is needed any more: `umount {mount_point}`, then `wipefs --all` on it"
            ),
            Refusal::MagicNumber { overwrite, .. } => format!(
                "`wipefs` does not list it: the superblock is damaged, or a copy of one that is gone, and the data may be recoverable; only if it is not needed: {overwrite}"
            ),
            Refusal::BackingFile { file, .. } => format!(
                "end that process; or detach the loop device, and attach a copy: `cp --sparse=always {file} COPY`, `losetup --find --show COPY`"
            ),
            refusal => refusal.plain_hint().to_owned(),
        }
    }

    /// Returns what to do about it, where that names nothing.
    fn plain_hint(&self) -> &'static str {
        match self {
            // `hint` knows these.
            Refusal::Mounted { .. } | Refusal::MagicNumber { .. } | Refusal::BackingFile { .. } => {
                ""
            }
            Refusal::Missing { .. } => "`ls -l /dev/disk/by-id` shows the names there are",
            Refusal::Unreadable { .. } => "run as root: block devices are opened for this",
            Refusal::NotBelowDev { .. } | Refusal::NotABlockDevice { .. } => {
                "name a block device below `/dev/disk/by-id`; a filesystem is measured with `filesystem = \"existing\"` and `--target DIR`"
            }
            Refusal::Unknown { .. } => "mount `/sys`, and take a device that the kernel lists",
            Refusal::Changed { .. } => "wait until no device is plugged in or out, then try again",
            Refusal::SystemDisk { .. } => {
                "take another disk; an unused partition of this one can be named by itself, below `/dev/disk/by-partuuid`"
            }
            Refusal::Swap { .. } => {
                "if it is not needed as swap: `swapoff` it, then `wipefs --all` on it"
            }
            Refusal::Held { .. } => {
                "stop what holds it (`lsblk` shows what), if nothing on it is needed any more"
            }
            Refusal::Partitioned { .. } | Refusal::PartitionTable { .. } => {
                "name a partition by itself, below `/dev/disk/by-partuuid`; or, if nothing on the disk is needed any more, `wipefs --all` the partitions and then the disk"
            }
            Refusal::ReadOnly { .. } => {
                "`blockdev --setrw` allows writing, where the device itself does"
            }
            Refusal::TooSmall { .. } => "name a larger device",
            Refusal::Signature { .. } => {
                "look at what it is (`wipefs`, `blkid -p`, `lsblk -f`): if it is yours, name another device; if a run left it behind, `stripewise restore` removes it; only if it is not needed, empty the device yourself"
            }
            Refusal::LeftBehind { .. } => {
                "`stripewise restore` takes down what a run left; if its store is lost and nothing on the device is needed, `wipefs --all` empties it"
            }
            Refusal::Busy { .. } => {
                "a filesystem in a container, ZFS or bcache may use it: `lsof` and `lsblk` show what they know"
            }
            Refusal::Locked { .. } => {
                "wait for the other run (`stripewise list`), or end the program: `lslocks` names it"
            }
            Refusal::Written { .. } => "end that process, if nothing on it is needed any more",
            Refusal::Exported { .. } => {
                "disable the export in `/sys/kernel/config`, if no machine needs it any more"
            }
            Refusal::StandsFor { .. } => "name the block device itself, or a loop device on a file",
            Refusal::Overlaps { .. } => {
                "the table of partitions is damaged: repair it, or take another disk"
            }
            Refusal::NotTheOne { .. } => {
                "plug in the device that the run had, or begin a new run with this one"
            }
            Refusal::Foreign { .. } => {
                "another program made that since the run began, so it stays as it is; if it is not needed, remove it with `wipefs`, then the rest with `stripewise restore`"
            }
            Refusal::Unwritable { .. } => {
                "the device itself fails: `dmesg` says how; `stripewise restore` tries again"
            }
            Refusal::SameDevice { .. } => "name each device once",
            Refusal::NoRandomness { .. } => "try again when the system has started completely",
            Refusal::Tool { why, .. } if why.contains("not installed") => {
                "`wipefs` and `blkid` are in the package `util-linux`"
            }
            Refusal::Tool { .. } => {
                "what cannot be read is not overwritten: `dmesg` says whether the device fails"
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
