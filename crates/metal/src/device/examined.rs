//! Examines one block device: returns a reason to refuse it, or its description.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags};
use stripewise_machine::{Root, facts};
use stripewise_units::Bytes;

use super::Node;
use super::marker::Marker;
use super::open::{open_again, open_exclusive};
use super::other_users::wwid;
use super::refusal::{DEVICE_BYTES_MIN, Refusal, unreadable};
use super::signatures;
use super::usage::check_unused;

/// A block device that is not in use and carries no signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The name in the study.
    pub named: PathBuf,
    /// The device node, without symbolic links.
    pub path: PathBuf,
    /// The kernel's name: `sda`, `nvme0n1p2`, `loop7`.
    pub name: String,
    /// The kernel's name of the disk that it is, or is a partition of.
    pub disk: String,
    /// The device number.
    pub rdev: u64,
    /// The disk's sequence number since boot; differs for two disks that reuse one device number.
    pub diskseq: Option<u64>,
    /// Its size.
    pub size_bytes: Bytes,
    /// The model that the disk reports.
    pub model: Option<String>,
    /// The serial number or world-wide name that the disk reports.
    pub serial: Option<String>,
    /// The world-wide name exclusive.
    pub wwid: Option<String>,
    /// The file behind a loop device.
    pub backing_file: Option<String>,
    /// The smallest unit of a request.
    pub logical_block_bytes: Bytes,
    /// The unit in which the device works internally.
    pub physical_block_bytes: Bytes,
    /// The request size that the device reports as optimal, if it does.
    pub optimal_io_bytes: Option<Bytes>,
    /// The distance from the start of the device to the start of a physical block.
    pub alignment_offset_bytes: Bytes,
    /// Whether the kernel reports it as rotational.
    pub rotational: bool,
    /// The start of the partition on its disk; `None` for a whole disk.
    pub partition_start_bytes: Option<Bytes>,
    /// The number of the partition; `None` for a whole disk.
    pub partition_number: Option<u64>,
    /// The marker that an earlier run left on an otherwise empty device.
    pub marker: Option<Marker>,
}

/// Distinguishes a device from another that later gets its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) rdev: u64,
    pub(super) diskseq: Option<u64>,
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = (rustix::fs::major(self.rdev), rustix::fs::minor(self.rdev));
        write!(f, "device {major}:{minor}")?;
        match self.diskseq {
            Some(diskseq) => write!(f, " (the {diskseq}th since boot)"),
            None => Ok(()),
        }
    }
}

/// A block device node, resolved by name but not yet open for I/O.
pub(super) struct ResolvedDevice {
    pub(super) path: PathBuf,
    pub(super) node: Node,
    pub(super) identity: Identity,
    handle: rustix::fd::OwnedFd,
}

impl ResolvedDevice {
    /// Resolves a name. Opening with `O_PATH` has no effect on any device.
    pub(super) fn find(root: &Root, named: &Path) -> Result<Self, Refusal> {
        let path = root
            .canonical(named)
            .map_err(|source| unreadable(named, source))?;
        if !named.starts_with("/dev") || !path.starts_with("/dev") {
            return Err(Refusal::NotBelowDev {
                named: named.to_owned(),
                path,
            });
        }
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(CWD, root.real(&path), flags, Mode::empty())
            .map_err(|error| unreadable(named, error.into()))?;
        let stat = rustix::fs::fstat(&handle).map_err(|error| unreadable(named, error.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::BlockDevice {
            return Err(Refusal::NotABlockDevice(named.to_owned()));
        }
        let unknown = || Refusal::Unknown(named.to_owned());
        let node = Node::of_number(root, stat.st_rdev).ok_or_else(unknown)?;
        let disk = node.disk(root).ok_or_else(unknown)?;
        let identity = Identity {
            rdev: stat.st_rdev,
            diskseq: disk.count(root, "diskseq"),
        };
        Ok(Self {
            path,
            node,
            identity,
            handle,
        })
    }

    /// Opens exactly this node, even if its name has changed.
    pub(super) fn open(&self, flags: OFlags) -> io::Result<File> {
        open_again(&self.handle, flags)
    }

    /// Opens it with `O_EXCL`; the kernel refuses that for a device in use.
    pub(super) fn open_exclusively(&self, named: &Path, flags: OFlags) -> Result<File, Refusal> {
        open_exclusive(&self.handle, named, flags)
    }
}

/// Examines the device that `named` leads to. Nothing is written.
///
/// # Errors
/// The first reason to refuse it.
pub fn examine(root: &Root, named: &Path) -> Result<Examined, Refusal> {
    let found = ResolvedDevice::find(root, named)?;
    check_usable(root, named, &found)?;
    // Held open, so that no other program starts to use it meanwhile.
    let exclusive = found.open_exclusively(named, OFlags::RDONLY)?;
    check_held(root, named, &found, &exclusive)
}

/// Refuses a device that is in use, has partitions, is read-only, or is too small.
pub(super) fn check_usable(
    root: &Root,
    named: &Path,
    found: &ResolvedDevice,
) -> Result<(), Refusal> {
    check_unused(root, named, &found.node)?;
    check_fitness(root, named, &found.node)
}

/// Examines a device that we hold exclusively, through an open descriptor.
pub(super) fn check_held(
    root: &Root,
    named: &Path,
    found: &ResolvedDevice,
    device: &File,
) -> Result<Examined, Refusal> {
    let marker = Marker::read(device).map_err(|source| unreadable(named, source))?;
    check_empty(named, &found.path, marker.as_ref())?;
    check_unchanged(root, named, found.identity)?;
    let unknown = || Refusal::Unknown(named.to_owned());
    describe(root, named, found, marker).ok_or_else(unknown)
}

/// Refuses a name that no longer means the device `before`.
pub(super) fn check_unchanged(
    root: &Root,
    named: &Path,
    before: Identity,
) -> Result<ResolvedDevice, Refusal> {
    let found = ResolvedDevice::find(root, named)?;
    if found.identity == before {
        return Ok(found);
    }
    Err(Refusal::Changed {
        named: named.to_owned(),
        before: before.to_string(),
        now: found.identity.to_string(),
    })
}

/// Refuses a device that has partitions, is read-only, or is too small.
fn check_fitness(root: &Root, named: &Path, node: &Node) -> Result<(), Refusal> {
    let named = named.to_owned();
    let partitions = node.partitions(root);
    if !partitions.is_empty() {
        let partitions = partitions.into_iter().map(|node| node.name).collect();
        return Err(Refusal::Partitioned { named, partitions });
    }
    if node.count(root, "ro") == Some(1) {
        return Err(Refusal::ReadOnly(named));
    }
    let size = node.sectors(root, "size").unwrap_or_default();
    if size < DEVICE_BYTES_MIN {
        return Err(Refusal::TooSmall { named, size });
    }
    Ok(())
}

/// Refuses a device that carries any signature; our own marker does not count.
pub(super) fn check_empty(
    named: &Path,
    path: &Path,
    marker: Option<&Marker>,
) -> Result<(), Refusal> {
    let signatures = signatures::read_all(named, path)?;
    if signatures.is_empty() {
        return Ok(());
    }
    let named = named.to_owned();
    let found = signatures::listed(&signatures);
    if marker.is_some() {
        return Err(Refusal::LeftBehind { named, found });
    }
    if signatures.iter().all(|one| one.by_magic.is_some()) {
        let overwrite = signatures::how_to_overwrite(path, &signatures);
        return Err(Refusal::MagicNumber {
            named,
            found,
            overwrite,
        });
    }
    Err(match signatures.iter().find(|one| one.is_table()) {
        Some(table) => Refusal::PartitionTable {
            named,
            table: table.kind.clone(),
        },
        None => Refusal::Signature { named, found },
    })
}

fn describe(
    root: &Root,
    named: &Path,
    found: &ResolvedDevice,
    marker: Option<Marker>,
) -> Option<Examined> {
    let node = &found.node;
    let disk = node.disk(root)?;
    let facts = facts(root, None);
    let known = facts.device(&disk.name);
    let queue = |file: &str| disk.count(root, &format!("queue/{file}"));
    let logical = queue("logical_block_size").unwrap_or(512);
    Some(Examined {
        named: named.to_owned(),
        path: found.path.clone(),
        rdev: found.identity.rdev,
        diskseq: found.identity.diskseq,
        size_bytes: node.sectors(root, "size")?,
        model: known.and_then(|device| device.model.clone()),
        serial: known.and_then(|device| device.serial.clone()),
        wwid: wwid(root, &disk),
        backing_file: disk.word(root, "loop/backing_file"),
        logical_block_bytes: Bytes::new(logical),
        physical_block_bytes: Bytes::new(queue("physical_block_size").unwrap_or(logical)),
        optimal_io_bytes: queue("optimal_io_size")
            .filter(|bytes| *bytes > 0)
            .map(Bytes::new),
        // -1 if the kernel knows that it is misaligned but not by how much.
        alignment_offset_bytes: Bytes::new(node.count(root, "alignment_offset").unwrap_or(0)),
        rotational: queue("rotational") == Some(1),
        partition_start_bytes: node
            .is_partition(root)
            .then(|| node.sectors(root, "start"))
            .flatten(),
        partition_number: node.count(root, "partition"),
        marker,
        name: node.name.clone(),
        disk: disk.name,
    })
}

impl Examined {
    /// Returns the name shown in the confirmation: the last part of `/dev/disk/by-id/NAME`,
    /// otherwise the path in the study.
    pub fn asked_name(&self) -> String {
        let is_link = self.named.starts_with("/dev/disk");
        let last = self.named.file_name().filter(|_| is_link);
        last.map_or_else(
            || self.named.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        )
    }

    /// Returns the word that the user types to confirm that the device may be destroyed. A
    /// `by-path` name or a loop device number names a place, which can hold any device: there it is
    /// the serial number, or the file behind the loop device.
    pub fn confirming_word(&self) -> String {
        let is_place =
            !self.named.starts_with("/dev/disk") || self.named.starts_with("/dev/disk/by-path");
        let own = self.fingerprint().filter(|_| is_place);
        own.unwrap_or_else(|| self.asked_name())
    }

    /// Returns the range of the disk that it covers, in bytes.
    pub(super) fn extent(&self) -> std::ops::Range<u64> {
        let start = self.partition_start_bytes.unwrap_or_default().as_u64();
        start..start.saturating_add(self.size_bytes.as_u64())
    }

    pub(super) fn identity(&self) -> Identity {
        Identity {
            rdev: self.rdev,
            diskseq: self.diskseq,
        }
    }

    /// Returns an identifier of the device: the serial number, or the file behind a loop device.
    pub fn fingerprint(&self) -> Option<String> {
        self.serial.clone().or_else(|| self.backing_file.clone())
    }
}
