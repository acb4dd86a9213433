//! Undoes the changes of a run, also after a crash.
//!
//! The journal is untrusted input. Before any tool runs, we skip names, directories and UUIDs that
//! no run can have drawn. Each entry records its machine and boot: on another machine nothing is
//! undone, and after a reboot only settings stored in a drive are restored.

use std::collections::BTreeSet;
use std::path::PathBuf;

use stripewise_machine::Root;
use stripewise_message::Message;
use stripewise_study::world::{Change, WorldError};

use crate::device::{Announced, Erased, OwnDevices};
pub use crate::undone::Undone;
use crate::{build, conditions};

/// The changes that a killed run left behind, undone in the order of the journal: the latest first.
#[derive(Debug)]
pub struct Leftovers {
    root: Root,
    own: OwnDevices,
    /// Devices and directories below a change that could not be undone: nothing on them is touched.
    covered: BTreeSet<PathBuf>,
}

impl Leftovers {
    /// Finds and locks the devices of a run; `changes` are all that it announced and did not undo.
    ///
    /// # Errors
    /// If another run has locked a device.
    pub fn find(changes: &[Change], announced: Announced) -> Result<Self, WorldError> {
        let root = Root::live();
        Ok(Self {
            own: OwnDevices::of_dead_run(&root, changes, announced)?,
            root,
            covered: BTreeSet::new(),
        })
    }

    /// Undoes one change; has no effect on one that is undone already.
    ///
    /// # Errors
    /// If it is ours and cannot be undone; a later attempt is safe.
    pub fn undo(&mut self, change: &Change) -> Result<Undone, WorldError> {
        let below = self.below(change);
        if !below.is_disjoint(&self.covered) {
            self.covered.extend(below);
            return Ok(Undone::Kept {
                why: Message::new("restore-why-layer-above"),
            });
        }
        let undone = self.undo_uncovered(change);
        // Another undo on the same device of the run finds its foreign signature again. On a layer,
        // the signature hides the devices below, and would be destroyed with the layer.
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
            Change::ClaimedDevice { path, token, .. } => self.release(path, token),
            Change::WroteSetting {
                path,
                before,
                after,
                disk,
                resets,
            } => {
                let written = conditions::WrittenSetting {
                    path,
                    before,
                    after,
                    disk: disk.as_deref(),
                    resets,
                };
                conditions::undo_setting(&self.root, &written, self.own.announced)
            }
            change => build::undo(&self.root, &self.own, change),
        }
    }

    fn release(&self, named: &PathBuf, token: &str) -> Result<Undone, WorldError> {
        if token.parse::<crate::device::Token>().is_err() {
            return Ok(Undone::Untouched {
                why: Message::new("restore-why-no-token").name("device", named.display()),
            });
        }
        let present = self.own.present(std::slice::from_ref(named));
        let (mut foreign, mut is_changed) = (Vec::new(), false);
        for path in &present.paths {
            match self.own.release(path)? {
                Erased::All { was_any } => is_changed |= was_any,
                Erased::Foreign(found) => foreign.push(build::carries(named, &found)),
            }
        }
        Ok(build::outcome(&present, foreign, is_changed))
    }

    /// Returns the devices and directories below a change. A layer that is no device of the run may
    /// lie on any of them.
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
