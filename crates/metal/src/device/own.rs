//! The devices of a run as its undoing sees them: where they are now, and by what is known that
//! something on them was made by the run.
//!
//! One rule for everything that is removed, by a run that ends and for one that died: it is on a
//! device that the run announced and that is still the one that was announced (size and serial
//! number), and it carries a UUID that begins with the run's token, or where there is no place for a
//! UUID a name that only we draw. If anything else is on the device, nothing is removed.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use stripewise_machine::Root;
use stripewise_study::units::Bytes;
use stripewise_study::world::Change;

use super::claimed::Claimed;
use super::examined::Found;
use super::grip::{Locks, patiently};
use super::marker::Marker;
use super::node::Node;
use super::refusal::Refusal;
use super::signatures::{self, Erased, Signature, is_made_with};
use super::token::{Token, is_drawn_name};
use super::usage::check_unused;

/// When a change was announced, as seen from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announced {
    /// Since this machine started.
    SinceStart,
    /// Before it started, the last time or earlier.
    BeforeStart,
}

/// Where a device of the run is.
#[derive(Debug, Clone)]
enum Presence {
    Here {
        path: PathBuf,
        rdev: u64,
    },
    /// Not now.
    Absent(String),
}

#[derive(Debug)]
struct OwnDevice {
    named: PathBuf,
    token: Option<Token>,
    place: Presence,
}

/// The devices of a run.
#[derive(Debug)]
pub(crate) struct OwnDevices {
    root: Root,
    devices: Vec<OwnDevice>,
    pub(crate) announced: Announced,
    /// Held while what the run left is removed.
    _locks: Locks,
}

/// What a list of devices in the journal has come to.
#[derive(Debug, Default)]
pub(crate) struct Present {
    /// The nodes of those that are here.
    pub(crate) paths: Vec<PathBuf>,
    /// Why others are not, one sentence fragment each.
    pub(crate) absent: Vec<String>,
}

impl OwnDevices {
    /// Returns the devices of the run that is going on.
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

    /// Finds and locks the devices that a dead run announced and did not give back.
    ///
    /// # Errors
    /// If another run has one.
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

    /// Returns the names of all.
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

    /// Returns where these devices of the journal are. One that is made of others (`/dev/md100`) and
    /// is not there any more has nothing on it; one that the run gave back is not looked at.
    pub(crate) fn present(&self, named: &[PathBuf]) -> Present {
        let mut present = Present::default();
        for named in named {
            match self.get(named).map(|device| &device.place) {
                Some(Presence::Here { path, .. }) => present.paths.push(path.clone()),
                Some(Presence::Absent(why)) => present.absent.push(why.clone()),
                // The node alone says nothing: it stays where no udev runs.
                None if is_layer(named) && Found::find(&self.root, named).is_ok() => {
                    present.paths.push(named.clone());
                }
                None => {}
            }
        }
        present
    }

    /// Returns what is on a device, and whether the run made all of it.
    pub(crate) fn signatures(&self, path: &Path) -> Result<(Vec<Signature>, bool), Refusal> {
        let found = signatures::read(path, path)?;
        let are_ours = found.iter().all(|one| self.made(one));
        Ok((found, are_ours))
    }

    /// Returns what is on a device that the run did not make.
    pub(crate) fn foreign(&self, path: &Path) -> Result<Vec<Signature>, Refusal> {
        let mut found = signatures::read(path, path)?;
        found.retain(|one| !self.made(one));
        Ok(found)
    }

    /// Returns whether a device of the run still has its marker.
    pub(crate) fn is_marked(&self, path: &Path) -> bool {
        let marker = File::open(path).and_then(|device| Marker::read(&device));
        let marker = marker.ok().flatten();
        marker.is_some_and(|marker| {
            let mut tokens = self.devices.iter().filter_map(|device| device.token);
            tokens.any(|token| token == marker.token)
        })
    }

    /// Removes all signatures from the device at `path`, if the run made all of them, or they are
    /// ours in another way.
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

    /// Opens a device of the run, or what is built of some, for us alone.
    fn open(&self, path: &Path) -> Result<File, Refusal> {
        let found = Found::find(&self.root, path)?;
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

    /// Gives back a device: nothing may be on it that the run did not make, and the marker goes.
    ///
    /// # Errors
    /// If another program uses the device, or it cannot be read or written.
    pub(crate) fn give_back(&self, path: &Path) -> Result<Erased, Refusal> {
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

/// Removes what earlier uses of the devices have left where a layer now begins that was just built of
/// them: later on it would be taken for what another program made on the layer.
///
/// # Errors
/// If another program uses the layer, or it cannot be read or written.
pub(crate) fn clear_new_layer(path: &Path) -> Result<(), Refusal> {
    let found = Found::find(&Root::live(), path)?;
    let device = patiently(|| found.open_exclusively(path, OFlags::RDWR))?;
    signatures::erase(&device, path, path, &|_| true).map(|_all| ())
}

/// Returns whether a path is of a device that we build of others, by the form of its name.
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
    let shown = named.display();
    let found = match Found::find(root, named) {
        Ok(found) => found,
        Err(Refusal::Missing { .. } | Refusal::Unknown { .. }) => {
            return Ok(Presence::Absent(format!("`{shown}` is not there")));
        }
        // Something else has its name.
        Err(refusal @ (Refusal::NotBelowDev { .. } | Refusal::NotABlockDevice { .. })) => {
            return Ok(Presence::Absent(refusal.to_string()));
        }
        Err(refusal) => return Err(refusal),
    };
    let disk = found.node.disk(root);
    let now = disk.and_then(|disk| fingerprint_of(root, &disk));
    let size_now = found.node.sectors(root, "size");
    if size_now != Some(size_bytes) || now.as_deref() != fingerprint {
        return Ok(Presence::Absent(format!(
            "`{shown}` is another device now than the run had"
        )));
    }
    locks.lock(root, named, &found)?;
    Ok(Presence::Here {
        path: found.path,
        rdev: found.identity.rdev,
    })
}

/// Returns what tells a disk from another of its size: the serial number or world-wide name, or the
/// file behind a loop device.
pub(crate) fn fingerprint_of(root: &Root, disk: &Node) -> Option<String> {
    let facts = stripewise_machine::facts(root, None);
    let serial = facts
        .device(&disk.name)
        .and_then(|device| device.serial.clone());
    serial.or_else(|| disk.word(root, "loop/backing_file"))
}

/// Returns the disks with this fingerprint, by the kernel's names: several only where two ways lead
/// to one disk, or its maker gave the number twice.
pub(crate) fn disks_with_fingerprint(root: &Root, fingerprint: &str) -> Vec<String> {
    let facts = stripewise_machine::facts(root, None);
    let devices = facts.devices.iter();
    devices
        .filter(|device| device.serial.as_deref() == Some(fingerprint))
        .map(|device| device.name.clone())
        .collect()
}
