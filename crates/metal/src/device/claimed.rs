//! Devices that a study gives us: locked and examined together, marked, and given back empty.
//!
//! 1. [`claim`] locks and examines them all, and takes each for us alone. Nothing is written.
//! 2. The user confirms each by its name; that is not done here.
//! 3. [`Claimed::mark`] looks once more, tells the journal, and writes the marker.
//! 4. [`Claimed::release`] wipes what was made, the marker last, and tells the journal.
//!
//! All of it is done by open descriptors of the node that was examined (see `grip`), not by the name
//! in the study: that is a link, and can be turned.

use std::io;
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use stripewise_machine::Root;
use stripewise_study::world::{Change, Journal, WorldError};

use super::examined::{Examined, Found, check_unchanged, check_usable, look};
use super::grip::{Grip, Locks};
use super::marker::Marker;
use super::others::overlap;
use super::refusal::{Refusal, unreadable};
use super::signatures::{self, Erased, Signature, is_made_with};
use super::token::Token;

/// In how many places a device is looked at for data without a name.
const PLACES: u64 = 256;
/// How much is read there.
const PLACE_BYTES: u64 = 4096;
/// How much is read at either end.
const END_BYTES: u64 = 1 << 20;

/// A device that is ours for as long as this lives.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The device profile in the study that it stands for.
    pub profile: String,
    /// Whose it is: every UUID of what is made on it should come from [`Token::uuid`].
    pub token: Token,
    examined: Examined,
    /// Closed with the last copy.
    grip: Arc<Grip>,
}

impl Deref for Claimed {
    type Target = Examined;

    fn deref(&self) -> &Examined {
        &self.examined
    }
}

/// Where a device holds something, of the places that were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataFound {
    /// In how many places something other than zeroes (or ones, as erased flash has) was found.
    pub with_data: u64,
    /// In how many it was looked for.
    pub looked_at: u64,
}

/// Locks and examines all devices of a study, given as pairs of profile and path, and takes them for
/// us alone. Nothing is written.
///
/// # Errors
/// The first reason not to touch one of them; then none is claimed.
pub fn claim(root: &Root, wanted: &[(String, PathBuf)]) -> Result<Vec<Claimed>, Refusal> {
    let token = Token::draw().map_err(|error| Refusal::NoRandomness {
        why: error.to_string(),
    })?;
    let mut locks = Locks::default();
    let mut claimed: Vec<Claimed> = Vec::new();
    for (profile, named) in wanted {
        let found = Found::find(root, named)?;
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
        // Before it is looked at, as a look disturbs the run that has it.
        let lock = locks.lock(root, named, &found)?;
        check_usable(root, named, &found)?;
        let grip = Grip::take(named, &found, lock)?;
        let examined = look(root, named, &found, grip.pin())?;
        if let Some(other) = claimed.iter().find(|other| is_same_disk(other, &examined)) {
            return Err(two_ways(other, &examined));
        }
        claimed.push(Claimed {
            profile: profile.clone(),
            token,
            examined,
            grip: Arc::new(grip),
        });
    }
    Ok(claimed)
}

/// Returns whether two devices are two ways to one disk, and have blocks of it in common.
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
    /// Makes sure that the name in the study still means this device.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_unchanged(&self, root: &Root) -> Result<(), Refusal> {
        check_unchanged(root, &self.named, self.identity()).map(|_found| ())
    }

    /// Looks once more: it is the same device, nobody uses it, and nothing is on it but our marker.
    ///
    /// # Errors
    /// The first reason not to touch it.
    pub fn verify(&self, root: &Root) -> Result<(), Refusal> {
        let found = check_unchanged(root, &self.named, self.identity())?;
        check_usable(root, &self.named, &found)?;
        self.grip.take_back()?;
        look(root, &self.named, &found, self.grip.pin())?;
        Ok(())
    }

    /// Lets tools have the device, and what they build on it.
    pub fn let_go(&self) {
        self.grip.let_go();
    }

    /// Takes the device back for us alone, unless something has it, as what is built on it does;
    /// that stands in the way of the next use of the device, which says so.
    pub fn take_back(&self) {
        // See above: this is no error yet.
        let _ = self.grip.take_back_now();
    }

    /// Looks for data without a name, in some hundred places.
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
            self.grip
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

    /// Verifies the device, announces that it is ours, and writes the marker: from here on what is
    /// on it is lost.
    ///
    /// # Errors
    /// If it is not what it was, or the journal or the device cannot be written.
    pub fn mark(&self, root: &Root, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.announce(root, journal)?;
        self.write_marker()
    }

    /// Verifies the device and announces that it is ours.
    pub(crate) fn announce(
        &self,
        root: &Root,
        journal: &mut dyn Journal,
    ) -> Result<(), WorldError> {
        self.verify(root)?;
        journal.announce(&self.change()).map_err(|source| {
            let attempted = "failed to note in the journal which device is overwritten";
            WorldError::failed(attempted, source)
        })
    }

    /// Writes the marker on a device that is announced.
    pub(crate) fn write_marker(&self) -> Result<(), WorldError> {
        let device = self.grip.writable()?;
        let written = Marker::new(self.token).write(&device);
        written.map_err(|source| self.unwritable(source).into())
    }

    /// Removes all signatures, so that the next stack can be built; the marker stays if it is there
    /// still. Only what this run made is removed.
    ///
    /// Where the device was held alone all the time, something without a UUID and a label is taken
    /// for blocks of a load that happen to look like a signature. Holding it alone keeps tools away
    /// that ask to be alone, and no plain writer (`dd`): what has an identity that is not ours was
    /// put there by somebody.
    ///
    /// # Errors
    /// If somebody uses the device, or has made something on it.
    pub fn wipe(&self) -> Result<(), WorldError> {
        let device = self.grip.writable()?;
        let is_unbroken = self.grip.is_unbroken();
        let is_ours = |found: &Signature| {
            // A load writes one of our table's magic numbers less than once in 100 million runs:
            // where one is, somebody put it there.
            let is_known = found.by_magic.is_none();
            let is_nameless = is_known && found.uuid.is_none() && found.label.is_none();
            is_made_with(self.token, found) || (is_unbroken && is_nameless)
        };
        match signatures::erase(&device, &self.named, &self.path, &is_ours)? {
            Erased::All { .. } => Ok(()),
            Erased::Foreign(found) => Err(Refusal::Foreign {
                named: self.named.clone(),
                found: signatures::in_words(&found),
            }
            .into()),
        }
    }

    /// Removes all signatures and the marker, and tells the journal that the device is as empty as
    /// it was found.
    ///
    /// # Errors
    /// As [`Claimed::wipe`]; or if the device or the journal cannot be written.
    pub fn release(&self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.wipe()?;
        let device = self.grip.writable()?;
        Marker::erase(&device).map_err(|source| self.unwritable(source))?;
        journal.undone(&self.change()).map_err(|source| {
            let attempted = "failed to note in the journal which device was given back";
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
        WorldError::failed("a device of the study must not be touched", refusal).or_hint(hint)
    }
}

/// Returns where to look for data on a device: both ends, and evenly between them.
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
