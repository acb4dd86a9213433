//! Takes down one layer of a stack.

use stripewise_study::world::{Change, WorldError};

use super::{filesystem, lvm, md};
use crate::tool::ToolError;

/// Undoes one step of building, now or after a crash. Harmless if it is undone, or was announced
/// and never made. Steps are undone in the reverse of the order they were made in. What does not
/// carry the identity that was announced is not touched.
///
/// # Errors
/// If it is in use, a tool is missing or fails.
pub(crate) fn undo(change: &Change) -> Result<(), WorldError> {
    match change {
        // Not of ours to take down.
        Change::CreatedDirectory { .. }
        | Change::ClaimedDevice { .. }
        | Change::WroteSetting { .. } => Ok(()),
        Change::BuiltArray {
            device,
            uuid,
            members,
        } => md::undo_array(device, uuid, members)
            .map_err(|error| failed(error, format!("stop `{}`", device.display()))),
        Change::BuiltContainer {
            device,
            volumes,
            members,
        } => md::undo_container(device, volumes, members)
            .map_err(|error| failed(error, format!("stop `{}`", device.display()))),
        Change::MadeVolumeGroup { name, physical } => lvm::undo(name, physical)
            .map_err(|error| failed(error, format!("remove volume group `{name}`"))),
        Change::MadeFilesystem { identity, devices } => {
            filesystem::undo_filesystem(identity, devices)
                .map_err(|error| failed(error, format!("wipe filesystem {identity}")))
        }
        Change::MadePool { name, devices } => filesystem::undo_pool(name, devices)
            .map_err(|error| failed(error, format!("destroy pool `{name}`"))),
        Change::Mounted { directory, devices } => {
            let attempted = || format!("unmount `{}`", directory.display());
            filesystem::undo_mount(directory, devices).map_err(|error| match error {
                filesystem::UndoMountError::Tool(error) => failed(error, attempted()),
                error => WorldError::Failed {
                    attempted: format!("failed to {}", attempted()),
                    hint: Some(AGAIN.to_owned()),
                    source: Some(error.into()),
                },
            })
        }
    }
}

/// What to do where something stands in the way.
const AGAIN: &str =
    "see what uses it (`lsblk`, `fuser -vm`), end that, then run `stripewise restore`";

fn failed(error: ToolError, what: String) -> WorldError {
    error
        .while_trying(format!("failed to {what}"))
        .or_hint(AGAIN)
}
