//! Undoing what a run changed, also after it died: one function for every kind of change.

use stripewise_machine::Root;
use stripewise_study::world::{Change, WorldError};

use crate::device::undo_claim;
use crate::{build, conditions, workspace};

/// What became of a change that was to be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    /// It is undone, or was already.
    Done,
    /// It is not ours to undo any more: somebody else has changed the same thing since.
    LeftAlone {
        /// Why, as a sentence fragment with names.
        why: String,
    },
}

/// Undoes a change that this world made, now or in a run that crashed. Harmless if it is undone.
///
/// # Errors
/// If it is ours and cannot be undone; trying again later is harmless.
pub fn undo(change: &Change) -> Result<Undone, WorldError> {
    let root = Root::live();
    match change {
        Change::CreatedDirectory { path } => workspace::remove(path).map(|()| Undone::Done),
        Change::ClaimedDevice {
            path,
            size_bytes,
            serial,
            token,
        } => undo_claim(&root, path, *size_bytes, serial.as_deref(), token),
        Change::WroteSetting {
            path,
            before,
            after,
        } => conditions::undo_setting(&root, path, before, after),
        Change::BuiltArray { .. }
        | Change::BuiltContainer { .. }
        | Change::MadeVolumeGroup { .. }
        | Change::MadeFilesystem { .. }
        | Change::MadePool { .. }
        | Change::Mounted { .. } => build::undo(change).map(|()| Undone::Done),
    }
}
