//! What a load does on a stack, the stack stopped before it, and what came back after a cut.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stripewise_study::cut::Step;
use stripewise_study::world::Change;

use crate::load::{Changed, Load, Target};

/// A stack that was built, laid out and stopped cleanly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The changes that built it, in order, as in a journal: they name its devices, arrays and
    /// filesystems.
    pub changes: Vec<Change>,
    /// Where its load writes.
    pub target: Target,
}

impl Standing {
    /// Returns the same stack of devices that have other names now. Only for a stack without array,
    /// volume group and pool.
    #[must_use]
    pub fn renamed(&self, name_now: impl Fn(&Path) -> PathBuf) -> Self {
        let mut standing = self.clone();
        for change in &mut standing.changes {
            match change {
                Change::ClaimedDevice { path, .. } => *path = name_now(path),
                Change::MadeFilesystem { devices, .. } | Change::Mounted { devices, .. } => {
                    devices.iter_mut().for_each(|path| *path = name_now(path));
                }
                _ => {}
            }
        }
        if let Target::Device(path) = &mut standing.target {
            *path = name_now(path);
        }
        standing
    }
}

/// The stack did not come back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotBack {
    /// The first step that failed.
    pub step: Step,
    /// What it said.
    pub reason: String,
}

/// The load on a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    /// Records in files, or on a block device.
    Records(Load),
}

/// What was found after a cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Look {
    /// The stack did not come back.
    NotBack(NotBack),
    /// Every record was looked for.
    Records {
        /// The places that do not hold the record from before the load.
        changed: Vec<Changed>,
        /// What a full check of the filesystem found wrong.
        damage: Option<String>,
    },
}
