//! Undoes what a run changed, also after it died.
//!
//! The journal is untrusted input. Before any tool runs, names, directories and UUIDs that no run of
//! ours can have drawn are skipped. Each entry says on which machine, and since which boot of it, it
//! was made: on another machine nothing is undone, and after a reboot only settings that a drive
//! itself keeps are put back.

use std::collections::BTreeSet;
use std::path::PathBuf;

use stripewise_machine::Root;
use stripewise_study::world::{Change, WorldError};

use crate::device::{Announced, Erased, OwnDevices};
pub use crate::undone::Undone;
use crate::{build, conditions};

/// What a run that died left behind, to be undone in the order in which the journal gives it: the
/// latest change first.
#[derive(Debug)]
pub struct Leftovers {
    root: Root,
    own: OwnDevices,
    /// Devices and directories under something that could not be undone: nothing below it is
    /// touched.
    covered: BTreeSet<PathBuf>,
}

impl Leftovers {
    /// Finds and locks the devices of a run; `changes` are all that it announced and that are not
    /// undone.
    ///
    /// # Errors
    /// If another run has one of the devices.
    pub fn find(changes: &[Change], announced: Announced) -> Result<Self, WorldError> {
        let root = Root::live();
        Ok(Self {
            own: OwnDevices::of_dead_run(&root, changes, announced)?,
            root,
            covered: BTreeSet::new(),
        })
    }

    /// Undoes one change. Harmless if it is undone.
    ///
    /// # Errors
    /// If it is ours and cannot be undone; trying again later is harmless.
    pub fn undo(&mut self, change: &Change) -> Result<Undone, WorldError> {
        let below = self.below(change);
        if !below.is_disjoint(&self.covered) {
            self.covered.extend(below);
            return Ok(Undone::Kept {
                why: "something above it is not undone".to_owned(),
            });
        }
        let undone = self.undo_uncovered(change);
        // What is somebody else's on a device of the run is seen again by whatever else is undone on
        // that device. On a layer it hides what is below, and would go with it.
        let stays = match &undone {
            Err(_) => true,
            Ok(Undone::Untouched { .. }) => below.iter().any(|one| !self.own.contains(one)),
            Ok(Undone::Done | Undone::Already | Undone::Kept { .. }) => false,
        };
        if stays {
            self.covered.extend(below);
        }
        undone
    }

    fn undo_uncovered(&self, change: &Change) -> Result<Undone, WorldError> {
        match change {
            Change::ClaimedDevice { path, token, .. } => self.give_back(path, token),
            Change::WroteSetting {
                path,
                before,
                after,
                disk,
            } => {
                let written = conditions::WrittenSetting {
                    path,
                    before,
                    after,
                    disk: disk.as_deref(),
                };
                conditions::undo_setting(&self.root, &written, self.own.announced)
            }
            change => build::undo(&self.root, &self.own, change),
        }
    }

    fn give_back(&self, named: &PathBuf, token: &str) -> Result<Undone, WorldError> {
        if token.parse::<crate::device::Token>().is_err() {
            return Ok(Undone::Untouched {
                why: format!("the journal has no token for `{}`", named.display()),
            });
        }
        let present = self.own.present(std::slice::from_ref(named));
        let (mut foreign, mut is_changed) = (Vec::new(), false);
        for path in &present.paths {
            match self.own.give_back(path)? {
                Erased::All { was_any } => is_changed |= was_any,
                Erased::Foreign(found) => foreign.push(build::carries(named, &found)),
            }
        }
        Ok(build::outcome(&present, foreign, is_changed))
    }

    /// Returns the devices and directories below a change. What was built of devices of the run, and
    /// is not among them itself, may lie on any of them.
    fn below(&self, change: &Change) -> BTreeSet<PathBuf> {
        let mut below = BTreeSet::new();
        for device in build::devices_of(change) {
            if !self.own.contains(&device) {
                below.extend(self.own.all());
            }
            below.insert(device);
        }
        if let Change::Mounted {
            directory: path, ..
        }
        | Change::CreatedDirectory { path, .. } = change
        {
            below.insert(path.clone());
        }
        below
    }
}
