//! The devices of a run, for the undo code: where they are now, and which signatures on them the
//! run made.
//!
//! A finished run and `restore` after a crash remove signatures by the same rule:
//!
//! - the run announced the device, and size and serial number are still the announced ones;
//! - the signature carries a UUID that begins with the run's token or, if its format has no UUID, a
//!   name that only we draw;
//! - the device carries no other signature. If it does, nothing is removed from it.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use stripewise_machine::Root;
use stripewise_message::Message;
use stripewise_study::world::Change;
use stripewise_units::Bytes;

use super::Node;
use super::claimed::Claimed;
use super::examined::ResolvedDevice;
use super::hold::{Locks, retry_while_busy};
use super::marker::Marker;
use super::refusal::Refusal;
use super::signatures::{self, Erased, Signature, is_made_with};
use super::token::{Token, is_drawn_name};
use super::usage::check_unused;

/// When a change was announced, relative to the last boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announced {
    /// Since the machine booted.
    SinceStart,
    /// Before the machine booted.
    BeforeStart,
}

/// Whether a device of the run is present.
#[derive(Debug, Clone)]
enum Presence {
    Here {
        path: PathBuf,
        rdev: u64,
    },
    /// Not present, and why.
    Absent(Message),
}

#[derive(Debug)]
struct OwnDevice {
    named: PathBuf,
    token: Option<Token>,
    place: Presence,
}

/// The devices of one run.
#[derive(Debug)]
pub(crate) struct OwnDevices {
    root: Root,
    devices: Vec<OwnDevice>,
    pub(crate) announced: Announced,
    /// Held while signatures of the run are removed.
    _locks: Locks,
}

/// Which devices of a list in the journal are present.
#[derive(Debug, Default)]
pub(crate) struct Present {
    /// The nodes of those present.
    pub(crate) paths: Vec<PathBuf>,
    /// Why others are absent, one sentence fragment each.
    pub(crate) absent: Vec<Message>,
}

impl OwnDevices {
    /// Returns the devices of the current run.
    pub(crate) fn of_claims(root: &Root, claimed: &[Claimed]) -> Self {
        let devices = claimed.iter().map(|device| OwnDevice {
            named: device.named.clone(),
            token: Some(device.token),
            place: Presence::Here {
                path: device.path.clone(),
                rdev: device.rdev,
            },
        });
        Self {
            root: root.clone(),
            devices: devices.collect(),
            announced: Announced::SinceStart,
            _locks: Locks::default(),
        }
    }

    /// Finds and locks the devices that a killed run announced and did not release.
    ///
    /// # Errors
    /// If another run has locked one.
    pub(crate) fn of_dead_run(
        root: &Root,
        changes: &[Change],
        announced: Announced,
    ) -> Result<Self, Refusal> {
        let mut locks = Locks::default();
        let mut devices = Vec::new();
        for change in changes {
            if let Change::ClaimedDevice {
                path,
                size_bytes,
                serial,
                token,
            } = change
            {
                devices.push(OwnDevice {
                    named: path.clone(),
                    token: token.parse().ok(),
                    place: find(root, path, *size_bytes, serial.as_deref(), &mut locks)?,
                });
            }
        }
        Ok(Self {
            root: root.clone(),
            devices,
            announced,
            _locks: locks,
        })
    }

    fn get(&self, named: &Path) -> Option<&OwnDevice> {
        self.devices.iter().find(|device| device.named == named)
    }

    /// Returns whether the run announced this device.
    pub(crate) fn contains(&self, named: &Path) -> bool {
        self.get(named).is_some()
    }

    /// Returns the names of all devices.
    pub(crate) fn all(&self) -> BTreeSet<PathBuf> {
        self.devices
            .iter()
            .map(|device| device.named.clone())
            .collect()
    }

    /// Returns whether the run drew this UUID.
    pub(crate) fn drew(&self, uuid: &str) -> bool {
        let mut tokens = self.devices.iter().filter_map(|device| device.token);
        tokens.any(|token| token.owns(uuid))
    }

    fn made(&self, found: &Signature) -> bool {
        let mut tokens = self.devices.iter().filter_map(|device| device.token);
        tokens.any(|token| is_made_with(token, found))
    }

    /// Returns where these devices of the journal are. A layer (`/dev/md100`) that is gone has
    /// nothing on it; a device that the run released is not examined.
    pub(crate) fn present(&self, named: &[PathBuf]) -> Present {
        let mut present = Present::default();
        for named in named {
            match self.get(named).map(|device| &device.place) {
                Some(Presence::Here { path, .. }) => present.paths.push(path.clone()),
                Some(Presence::Absent(why)) => present.absent.push(why.clone()),
                // The node alone proves nothing: without udev it stays.
                None if is_layer(named) && ResolvedDevice::find(&self.root, named).is_ok() => {
                    present.paths.push(named.clone());
                }
                None => {}
            }
        }
        present
    }

    /// Returns the signatures on a device, and whether the run made all of them.
    pub(crate) fn signatures(&self, path: &Path) -> Result<(Vec<Signature>, bool), Refusal> {
        let found = signatures::read(path, path)?;
        let are_ours = found.iter().all(|one| self.made(one));
        Ok((found, are_ours))
    }

    /// Returns the signatures on a device that the run did not make.
    pub(crate) fn foreign(&self, path: &Path) -> Result<Vec<Signature>, Refusal> {
        let mut found = signatures::read(path, path)?;
        found.retain(|one| !self.made(one));
        Ok(found)
    }

    /// Returns whether a device still carries the run's marker.
    pub(crate) fn is_marked(&self, path: &Path) -> bool {
        let marker = File::open(path).and_then(|device| Marker::read(&device));
        let marker = marker.ok().flatten();
        marker.is_some_and(|marker| {
            let mut tokens = self.devices.iter().filter_map(|device| device.token);
            tokens.any(|token| token == marker.token)
        })
    }

    /// Removes all signatures from the device at `path`, if for each the run made it or
    /// `is_also_ours` holds.
    ///
    /// # Errors
    /// If another program uses the device, or it cannot be read or written.
    pub(crate) fn erase(
        &self,
        path: &Path,
        is_also_ours: &dyn Fn(&Signature) -> bool,
    ) -> Result<Erased, Refusal> {
        let device = self.open(path)?;
        let is_ours = |found: &Signature| self.made(found) || is_also_ours(found);
        signatures::erase(&device, path, path, &is_ours)
    }

    /// Opens a device of the run, or a layer on it, exclusively.
    fn open(&self, path: &Path) -> Result<File, Refusal> {
        let found = ResolvedDevice::find(&self.root, path)?;
        let is_it = |device: &OwnDevice| match &device.place {
            Presence::Here { path: own, rdev } => own == path && *rdev == found.identity.rdev,
            Presence::Absent(_) => false,
        };
        if !is_layer(path) && !self.devices.iter().any(is_it) {
            return Err(Refusal::Changed {
                named: path.to_owned(),
                before: "a device of the run".to_owned(),
                now: found.identity.to_string(),
            });
        }
        check_unused(&self.root, path, &found.node)?;
        found.open_exclusively(path, OFlags::RDWR)
    }

    /// Releases a device: removes the marker, unless the device carries a signature that the run
    /// did not make.
    ///
    /// # Errors
    /// If another program uses the device, or it cannot be read or written.
    pub(crate) fn release(&self, path: &Path) -> Result<Erased, Refusal> {
        let erased = self.erase(path, &|_| false)?;
        if matches!(erased, Erased::Foreign(_)) || !self.is_marked(path) {
            return Ok(erased);
        }
        let device = self.open(path)?;
        Marker::erase(&device).map_err(|source| Refusal::Unwritable {
            named: path.to_owned(),
            source,
        })?;
        Ok(Erased::All { was_any: true })
    }
}

/// Removes signatures that earlier uses of the devices left where a new layer begins: later they
/// would look like another program's.
///
/// # Errors
/// If another program uses the layer, or it cannot be read or written.
pub(crate) fn clear_new_layer(path: &Path) -> Result<(), Refusal> {
    let found = ResolvedDevice::find(&Root::live(), path)?;
    let device = retry_while_busy(|| found.open_exclusively(path, OFlags::RDWR))?;
    signatures::erase(&device, path, path, &|_| true).map(|_all| ())
}

/// Returns whether a path has the form of the layers that we build.
pub(crate) fn is_layer(path: &Path) -> bool {
    let Some(name) = path.to_str().and_then(|path| path.strip_prefix("/dev/")) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_volume = |name: &str| name.strip_suffix("-data").is_some_and(is_drawn_name);
    name.strip_prefix("md").is_some_and(is_number)
        || name.strip_prefix("mapper/").is_some_and(is_volume)
}

fn find(
    root: &Root,
    named: &Path,
    size_bytes: Bytes,
    fingerprint: Option<&str>,
    locks: &mut Locks,
) -> Result<Presence, Refusal> {
    let absent = |id: &'static str| {
        let why = Message::new(id).name("device", named.display());
        Ok(Presence::Absent(why))
    };
    let found = match ResolvedDevice::find(root, named) {
        Ok(found) => found,
        Err(Refusal::Missing { .. } | Refusal::Unknown { .. }) => {
            return absent("restore-why-absent");
        }
        // The name now means something that is no block device.
        Err(Refusal::NotBelowDev { .. } | Refusal::NotABlockDevice { .. }) => {
            return absent("restore-why-no-block-device");
        }
        Err(refusal) => return Err(refusal),
    };
    let disk = found.node.disk(root);
    let now = disk.and_then(|disk| fingerprint_of(root, &disk));
    let size_now = found.node.sectors(root, "size");
    if size_now != Some(size_bytes) || now.as_deref() != fingerprint {
        return absent("restore-why-other-device");
    }
    locks.lock(root, named, &found)?;
    Ok(Presence::Here {
        path: found.path,
        rdev: found.identity.rdev,
    })
}

/// Returns an identifier of a disk: its serial number or world-wide name, or the file behind a loop
/// device.
pub(crate) fn fingerprint_of(root: &Root, disk: &Node) -> Option<String> {
    let facts = stripewise_machine::facts(root, None);
    let serial = facts
        .device(&disk.name)
        .and_then(|device| device.serial.clone());
    serial.or_else(|| disk.word(root, "loop/backing_file"))
}

/// Returns the kernel names of the disks with this identifier: several if multipath leads to one
/// disk, or if the vendor used a number twice.
pub(crate) fn disks_with_fingerprint(root: &Root, fingerprint: &str) -> Vec<String> {
    let facts = stripewise_machine::facts(root, None);
    let devices = facts.devices.iter();
    devices
        .filter(|device| device.serial.as_deref() == Some(fingerprint))
        .map(|device| device.name.clone())
        .collect()
}
