//! Devices that the study allows us to destroy: locked and examined together, marked, and returned
//! empty.
//!
//! 1. [`claim`] locks and examines all devices and opens each exclusively. Nothing is written.
//! 2. The user confirms each by its name; not in this module.
//! 3. [`Claimed::mark`] examines the device again, writes the journal entry, then the marker.
//! 4. [`Claimed::release`] erases our signatures, the marker last, and updates the journal.
//!
//! All I/O goes through open descriptors of the examined node (see `hold`), not through the name in
//! the study: that is a link, and can change.

use std::io;
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use stripewise_machine::Root;
use stripewise_study::world::{Change, Journal, WorldError};

use super::examined::{Examined, ResolvedDevice, check_held, check_unchanged, check_usable};
use super::hold::{DeviceHold, Locks};
use super::marker::Marker;
use super::other_users::overlap;
use super::refusal::{Refusal, unreadable};
use super::signatures::{self, Erased, Signature, is_made_with};
use super::token::Token;

/// In how many places to look for data without a signature.
const PLACES: u64 = 256;
/// How much to read in each place.
const PLACE_BYTES: u64 = 4096;
/// How much to read at either end.
const END_BYTES: u64 = 1 << 20;

/// A device that is held until this is dropped.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The device profile in the study that it stands for.
    pub profile: String,
    /// The owner: every UUID of a layer made on it should come from [`Token::uuid`].
    pub token: Token,
    examined: Examined,
    /// Closed with the last copy.
    hold: Arc<DeviceHold>,
}

impl Deref for Claimed {
    type Target = Examined;

    fn deref(&self) -> &Examined {
        &self.examined
    }
}

/// In how many of the sampled places a device holds data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataFound {
    /// Places that hold anything but zeroes (or ones, as erased flash does).
    pub with_data: u64,
    /// Places sampled.
    pub looked_at: u64,
}

/// Locks and examines all devices of a study, given as pairs of profile and path, and opens them
/// exclusively. Nothing is written.
///
/// # Errors
/// The first reason to refuse one of them; then none is claimed.
pub fn claim(root: &Root, wanted: &[(String, PathBuf)]) -> Result<Vec<Claimed>, Refusal> {
    let token = Token::draw().map_err(|error| Refusal::NoRandomness {
        why: error.to_string(),
    })?;
    let mut locks = Locks::default();
    let mut claimed: Vec<Claimed> = Vec::new();
    for (profile, named) in wanted {
        let found = ResolvedDevice::find(root, named)?;
        if let Some(other) = claimed
            .iter()
            .find(|other| other.rdev == found.identity.rdev)
        {
            return Err(Refusal::SameDevice {
                first: other.named.clone(),
                second: named.clone(),
                why: String::new(),
            });
        }
        // Lock first: probing a device disturbs a run that uses it.
        let lock = locks.lock(root, named, &found)?;
        check_usable(root, named, &found)?;
        let hold = DeviceHold::take(named, &found, lock)?;
        let examined = check_held(root, named, &found, hold.pin())?;
        if let Some(other) = claimed.iter().find(|other| is_same_disk(other, &examined)) {
            return Err(two_ways(other, &examined));
        }
        claimed.push(Claimed {
            profile: profile.clone(),
            token,
            examined,
            hold: Arc::new(hold),
        });
    }
    Ok(claimed)
}

/// Returns whether two devices are two paths to one disk and share blocks of it.
fn is_same_disk(a: &Examined, b: &Examined) -> bool {
    a.wwid.is_some() && a.wwid == b.wwid && overlap(&a.extent(), &b.extent())
}

fn two_ways(a: &Examined, b: &Examined) -> Refusal {
    let wwid = a.wwid.as_deref().unwrap_or_default();
    Refusal::SameDevice {
        first: a.named.clone(),
        second: b.named.clone(),
        why: format!(", on two paths: both have the world-wide name `{wwid}`"),
    }
}

impl Claimed {
    /// Checks that the name in the study still means this device.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_unchanged(&self, root: &Root) -> Result<(), Refusal> {
        check_unchanged(root, &self.named, self.identity()).map(|_found| ())
    }

    /// Checks again that it is the same device, unused, and empty but for our marker.
    ///
    /// # Errors
    /// The first reason to refuse it.
    pub fn verify(&self, root: &Root) -> Result<(), Refusal> {
        let found = check_unchanged(root, &self.named, self.identity())?;
        check_usable(root, &self.named, &found)?;
        self.hold.reopen_exclusive()?;
        check_held(root, &self.named, &found, self.hold.pin())?;
        Ok(())
    }

    /// Closes the exclusive descriptor, so that tools can use the device and build on it.
    pub fn drop_exclusive(&self) {
        self.hold.drop_exclusive();
    }

    /// Opens the device exclusively again, unless a stack on it or another program has it. That is
    /// no error here: the next use of the device reports it.
    pub fn reopen_exclusive(&self) {
        let _ = self.hold.try_reopen_exclusive();
    }

    /// Looks for data without a signature, in some hundred places.
    ///
    /// # Errors
    /// If the device cannot be read.
    pub fn data_found(&self) -> Result<DataFound, Refusal> {
        let mut found = DataFound {
            with_data: 0,
            looked_at: 0,
        };
        for (offset, length) in places(self.size_bytes.as_u64()) {
            let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
            self.hold
                .pin()
                .read_exact_at(&mut bytes, offset)
                .map_err(|source| unreadable(&self.named, source))?;
            if offset == 0 && self.marker.is_some() {
                Marker::blank(&mut bytes);
            }
            let is_filled_with = |byte: u8| bytes.iter().all(|other| *other == byte);
            found.looked_at += 1;
            found.with_data += u64::from(!is_filled_with(0) && !is_filled_with(0xff));
        }
        Ok(found)
    }

    /// Verifies the device, announces it in the journal, and writes the marker: from here on its
    /// old data is lost.
    ///
    /// # Errors
    /// If it has changed, or the journal or the device cannot be written.
    pub fn mark(&self, root: &Root, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.announce(root, journal)?;
        self.write_marker()
    }

    /// Verifies the device and announces it in the journal.
    pub(crate) fn announce(
        &self,
        root: &Root,
        journal: &mut dyn Journal,
    ) -> Result<(), WorldError> {
        self.verify(root)?;
        journal.announce(&self.change()).map_err(|source| {
            let attempted = "failed to record the claimed device in the journal";
            WorldError::failed(attempted, source)
        })
    }

    /// Writes the marker on a device that the journal knows.
    pub(crate) fn write_marker(&self) -> Result<(), WorldError> {
        let device = self.hold.writable()?;
        let written = Marker::new(self.token).write(&device);
        written.map_err(|source| self.unwritable(source).into())
    }

    /// Removes all signatures that this run made, so that the next stack can be built; keeps the
    /// marker if it is still there.
    ///
    /// If the device was held exclusively without a break, a signature without a UUID and a label
    /// counts as fio data that looks like a signature. `O_EXCL` keeps out tools that ask for it,
    /// but no plain writer (`dd`). So a signature with a foreign identity was made by another
    /// program.
    ///
    /// # Errors
    /// If another program uses the device, or has made something on it.
    pub fn wipe(&self) -> Result<(), WorldError> {
        let device = self.hold.writable()?;
        let is_unbroken = self.hold.is_unbroken();
        let is_ours = |found: &Signature| {
            // fio data holds one of our table's magic numbers less than once in 100 million runs:
            // another program wrote it.
            let is_known = found.by_magic.is_none();
            let is_nameless = is_known && found.uuid.is_none() && found.label.is_none();
            is_made_with(self.token, found) || (is_unbroken && is_nameless)
        };
        match signatures::erase(&device, &self.named, &self.path, &is_ours)? {
            Erased::All { .. } => Ok(()),
            Erased::Foreign(found) => Err(Refusal::Foreign {
                named: self.named.clone(),
                found: signatures::listed(&found),
            }
            .into()),
        }
    }

    /// Removes all signatures and the marker, and records in the journal that the device is as
    /// empty as we found it.
    ///
    /// # Errors
    /// As [`Claimed::wipe`]; or if the device or the journal cannot be written.
    pub fn release(&self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.wipe()?;
        let device = self.hold.writable()?;
        Marker::erase(&device).map_err(|source| self.unwritable(source))?;
        journal.undone(&self.change()).map_err(|source| {
            let attempted = "failed to record the released device in the journal";
            WorldError::failed(attempted, source)
        })
    }

    fn change(&self) -> Change {
        Change::ClaimedDevice {
            path: self.named.clone(),
            size_bytes: self.size_bytes,
            serial: self.fingerprint(),
            token: self.token.to_string(),
        }
    }

    fn unwritable(&self, source: io::Error) -> Refusal {
        Refusal::Unwritable {
            named: self.named.clone(),
            source,
        }
    }
}

impl From<Refusal> for WorldError {
    fn from(refusal: Refusal) -> Self {
        let hint = refusal.hint();
        WorldError::failed("refused to use a device of the study", refusal).or_hint(hint)
    }
}

/// Returns where to look for data on a device: both ends, and places at equal distances between.
fn places(size_bytes: u64) -> Vec<(u64, u64)> {
    let end = END_BYTES.min(size_bytes);
    let mut places = vec![(0, end), (size_bytes - end, end)];
    let step = size_bytes / PLACES;
    let between = (1..PLACES).map(|index| index * step / PLACE_BYTES * PLACE_BYTES);
    places.extend(
        between
            .filter(|at| *at >= end && *at + PLACE_BYTES <= size_bytes - end)
            .map(|at| (at, PLACE_BYTES)),
    );
    places
}
