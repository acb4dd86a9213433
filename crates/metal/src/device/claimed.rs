//! Devices that a study gives us: examined together, locked, marked, and given back empty.
//!
//! 1. [`claim`] examines them all and takes a lock on each. Nothing is written.
//! 2. The user confirms each by its name; that is not done here.
//! 3. [`Claimed::mark`] looks once more, tells the journal, and writes the marker.
//! 4. [`Claimed::release`] wipes what was made, the marker last, and tells the journal.
//!
//! The lock (flock(2), `LOCK_EX`) keeps other runs away, and udev from looking at the device while
//! it is rebuilt, so that nothing assembles half an array
//! (<https://systemd.io/BLOCK_DEVICE_LOCKING>). It ends with the process, however that ends.

use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};
use stripewise_machine::Root;
use stripewise_study::world::{Change, Journal, WorldError};

use super::examined::{Examined, Found, check_unchanged, examine, unreadable};
use super::marker::Marker;
use super::refusal::Refusal;
use super::signatures;
use super::token::Token;
use super::usage::check_unused;
use crate::undo::Undone;

/// How long to wait for a lock: udev holds one while it looks at a device that has just appeared.
const LOCK_TIME_MAX: Duration = Duration::from_secs(3);

/// A device that is ours for as long as this lives.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The device profile in the study that it stands for.
    pub profile: String,
    /// Whose it is: every UUID of what is made on it should come from [`Token::uuid`].
    pub token: Token,
    examined: Examined,
    /// Locked; closed with the last copy.
    #[expect(
        dead_code,
        reason = "held, not read: the lock ends when the file is closed"
    )]
    lock: Arc<File>,
}

impl Deref for Claimed {
    type Target = Examined;

    fn deref(&self) -> &Examined {
        &self.examined
    }
}

/// Examines and locks all devices of a study, given as pairs of profile and path. Nothing is
/// written.
///
/// # Errors
/// The first reason not to touch one of them; then none is claimed.
pub fn claim(root: &Root, wanted: &[(String, PathBuf)]) -> Result<Vec<Claimed>, Refusal> {
    let token = Token::draw().map_err(|error| Refusal::NoRandomness {
        why: error.to_string(),
    })?;
    let mut examined: Vec<(&String, Examined)> = Vec::new();
    for (profile, path) in wanted {
        let device = examine(root, path)?;
        if let Some((_, other)) = examined.iter().find(|(_, other)| is_same(other, &device)) {
            return Err(same_device(other, &device));
        }
        examined.push((profile, device));
    }
    let claims = examined.into_iter().map(|(profile, examined)| {
        let found = check_unchanged(root, &examined.named, examined.identity())?;
        Ok(Claimed {
            profile: profile.clone(),
            token,
            lock: Arc::new(lock(&found, &examined.named)?),
            examined,
        })
    });
    claims.collect()
}

/// Returns whether two names mean one device, or two ways to one disk.
fn is_same(a: &Examined, b: &Examined) -> bool {
    let is_whole = |device: &Examined| device.partition_start_bytes.is_none();
    a.rdev == b.rdev || (is_whole(a) && is_whole(b) && a.wwid.is_some() && a.wwid == b.wwid)
}

fn same_device(a: &Examined, b: &Examined) -> Refusal {
    Refusal::SameDevice {
        first: a.named.clone(),
        second: b.named.clone(),
        why: match &a.wwid {
            Some(wwid) if a.rdev != b.rdev => {
                format!(", on two paths: both have the world-wide name `{wwid}`")
            }
            _ => String::new(),
        },
    }
}

fn lock(found: &Found, named: &Path) -> Result<File, Refusal> {
    let file = found
        .open(OFlags::RDONLY)
        .map_err(|source| unreadable(named, source))?;
    let began = Instant::now();
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if began.elapsed() < LOCK_TIME_MAX => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(Refusal::Locked {
                    named: named.to_owned(),
                });
            }
            Err(error) => return Err(unreadable(named, error.into())),
        }
    }
}

impl Claimed {
    /// Looks once more: it is the same device, nobody uses it, and nothing is on it but our marker.
    ///
    /// # Errors
    /// The first reason not to touch it.
    pub fn verify(&self, root: &Root) -> Result<(), Refusal> {
        check_unchanged(root, &self.named, self.identity())?;
        let now = examine(root, &self.named)?;
        if now.identity() == self.identity() {
            return Ok(());
        }
        Err(Refusal::Changed {
            named: self.named.clone(),
            before: self.identity().to_string(),
            now: now.identity().to_string(),
        })
    }

    /// Verifies the device, announces that it is ours, and writes the marker: from here on what is
    /// on it is lost.
    ///
    /// # Errors
    /// If it is not what it was, or the journal or the device cannot be written.
    pub fn mark(&self, root: &Root, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.verify(root)?;
        let change = self.change();
        journal.announce(&change).map_err(|source| {
            WorldError::failed(
                "failed to note in the journal which device is overwritten",
                source,
            )
        })?;
        let device = self.open_for_writing(root)?;
        Marker::new(self.token)
            .write(&device)
            .map_err(|source| self.failed("write a marker to", source))
    }

    /// Removes all signatures, so that the next stack can be built; the marker stays if it is there
    /// still.
    ///
    /// # Errors
    /// If somebody uses the device, or `wipefs` fails.
    pub fn wipe(&self, root: &Root) -> Result<(), WorldError> {
        // Whoever uses it keeps it from being opened like this.
        drop(self.open_for_writing(root)?);
        signatures::wipe(&self.path).map_err(|why| self.failed("wipe", why))
    }

    /// Removes all signatures and the marker, and tells the journal that the device is as empty as
    /// it was found.
    ///
    /// # Errors
    /// If somebody uses the device, `wipefs` fails, or the device or the journal cannot be written.
    pub fn release(&self, root: &Root, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.wipe(root)?;
        Marker::erase(&self.open_for_writing(root)?)
            .map_err(|source| self.failed("remove the marker from", source))?;
        journal.undone(&self.change()).map_err(|source| {
            WorldError::failed(
                "failed to note in the journal which device was given back",
                source,
            )
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

    fn open_for_writing(&self, root: &Root) -> Result<File, Refusal> {
        let found = check_unchanged(root, &self.named, self.identity())?;
        found.open_exclusively(&self.named, OFlags::RDWR)
    }

    fn failed(
        &self,
        attempted: &str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> WorldError {
        failed(attempted, &self.named, source)
    }
}

fn failed(
    attempted: &str,
    named: &Path,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> WorldError {
    WorldError::failed(
        format!("failed to {attempted} `{}`", named.display()),
        source,
    )
    .or_hint("see what uses it (`lsblk`, `lsof`), then run `stripewise restore`")
}

impl From<Refusal> for WorldError {
    fn from(refusal: Refusal) -> Self {
        let hint = refusal.hint();
        WorldError::failed("a device of the study must not be touched", refusal).or_hint(hint)
    }
}

/// Gives back a device that a dead run had claimed.
///
/// Signatures are removed only if each of them has a UUID that the run gave; a marker proves
/// nothing, as a `mkfs` of somebody else's may have left it standing.
pub(crate) fn undo_claim(
    root: &Root,
    named: &Path,
    size_bytes: stripewise_study::units::Bytes,
    fingerprint: Option<&str>,
    token: &str,
) -> Result<Undone, WorldError> {
    let left_alone = |why: String| Ok(Undone::LeftAlone { why });
    let shown = named.display();
    let Ok(token) = token.parse::<Token>() else {
        return left_alone(format!("the journal has no token for `{shown}`"));
    };
    let found = match Found::find(root, named) {
        Ok(found) => found,
        Err(Refusal::Missing { .. } | Refusal::Unknown { .. }) => {
            return left_alone(format!("`{shown}` is not there any more"));
        }
        Err(refusal) => return Err(refusal.into()),
    };
    let disk = found.node.disk(root);
    let now = disk.and_then(|disk| fingerprint_of(root, &disk));
    let size_now = found.node.sectors(root, "size");
    if size_now != Some(size_bytes) || now.as_deref() != fingerprint {
        return left_alone(format!("`{shown}` is another device now"));
    }
    check_unused(root, named, &found.node)?;
    let device = found.open_exclusively(named, OFlags::RDWR)?;
    let signatures = signatures::read(named, &found.path)?;
    let is_ours = |uuid: &Option<String>| uuid.as_ref().is_some_and(|uuid| token.owns(uuid));
    let foreign: Vec<_> = signatures
        .iter()
        .filter(|signature| !is_ours(&signature.uuid))
        .cloned()
        .collect();
    if !foreign.is_empty() {
        let found = signatures::in_words(&foreign);
        return left_alone(format!(
            "`{shown}` carries {found}, which the run did not make"
        ));
    }
    let marker =
        Marker::read(&device).map_err(|error| failed("read the marker of", named, error))?;
    if marker.is_some_and(|marker| marker.token == token) {
        Marker::erase(&device).map_err(|error| failed("remove the marker from", named, error))?;
    }
    drop(device);
    if !signatures.is_empty() {
        signatures::wipe(&found.path).map_err(|why| failed("wipe", named, why))?;
    }
    Ok(Undone::Done)
}

fn fingerprint_of(root: &Root, disk: &super::node::Node) -> Option<String> {
    let facts = stripewise_machine::facts(root, None);
    let serial = facts
        .device(&disk.name)
        .and_then(|device| device.serial.clone());
    serial.or_else(|| disk.word(root, "loop/backing_file"))
}
