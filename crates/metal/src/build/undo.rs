//! Takes down one layer of a stack.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use stripewise_machine::Root;
use stripewise_message::Message;
use stripewise_study::world::{Change, WorldError};

use super::emptied::UndoError;
use super::{filesystem, lvm, md};
use crate::device::{OwnDevices, is_drawn_name, is_layer};
use crate::removal::{self, Noted};
use crate::undone::Undone;

/// Undoes one build step, now or after a crash. Has no effect on a step that is undone already, or
/// was announced and never made. Steps are undone in reverse order. A layer without an identifier
/// of the run is not touched.
///
/// # Errors
/// If it is in use, or a tool is missing or fails.
pub(crate) fn undo(root: &Root, own: &OwnDevices, change: &Change) -> Result<Undone, WorldError> {
    if let Some(why) = implausible(own, change) {
        return Ok(Undone::Untouched { why });
    }
    match change {
        Change::CreatedDirectory {
            path,
            parent,
            inode,
            files,
        } => {
            let noted = Noted {
                path,
                parent,
                inode: inode.as_ref(),
                files,
            };
            removal::undo(root, &noted)
        }
        // Other code undoes these.
        Change::ClaimedDevice { .. }
        | Change::WroteSetting { .. }
        | Change::OnHost { .. }
        | Change::SetModes { .. } => Ok(Undone::Done),
        Change::BuiltArray {
            device,
            uuid,
            members,
        } => md::undo_array(own, device, uuid, members)
            .map_err(|error| failed(error, format!("stop `{}`", device.display()))),
        Change::BuiltContainer {
            device,
            volumes,
            members,
        } => md::undo_container(own, device, volumes, members)
            .map_err(|error| failed(error, format!("stop `{}`", device.display()))),
        Change::MadeVolumeGroup { name, physical } => lvm::undo(own, name, physical)
            .map_err(|error| failed(error, format!("remove volume group `{name}`"))),
        Change::MadeFilesystem { identity, devices } => filesystem::undo_filesystem(own, devices)
            .map_err(|error| failed(error, format!("wipe filesystem {identity}"))),
        Change::MadePool { name, devices } => filesystem::undo_pool(own, name, devices)
            .map_err(|error| failed(error, format!("destroy pool `{name}`"))),
        Change::Mounted { directory, devices } => filesystem::undo_mount(own, directory, devices)
            .map_err(|error| failed(error, format!("unmount `{}`", directory.display()))),
    }
}

/// Returns the devices below a step, by their names in the journal.
pub(crate) fn devices(change: &Change) -> Vec<PathBuf> {
    match change {
        Change::CreatedDirectory { .. }
        | Change::WroteSetting { .. }
        | Change::OnHost { .. }
        | Change::SetModes { .. } => Vec::new(),
        Change::ClaimedDevice { path, .. } => vec![path.clone()],
        Change::BuiltArray { members, .. } | Change::BuiltContainer { members, .. } => {
            members.clone()
        }
        Change::MadeVolumeGroup { physical, .. } => {
            let devices = physical.iter().map(|volume| volume.device.clone());
            devices.collect()
        }
        Change::MadeFilesystem { devices, .. }
        | Change::MadePool { devices, .. }
        | Change::Mounted { devices, .. } => devices.clone(),
    }
}

/// Returns why a run cannot have announced this step. A journal may come from anywhere, and undoing
/// destroys what it names.
fn implausible(own: &OwnDevices, change: &Change) -> Option<Message> {
    let is_array = |device: &Path| is_layer(device) && !device.starts_with("/dev/mapper");
    match change {
        Change::BuiltArray { device, uuid, .. } => {
            if !is_array(device) {
                return Some(never("array", device.display()));
            }
            if !own.drew(uuid) {
                return Some(never("array-uuid", uuid));
            }
        }
        Change::BuiltContainer {
            device, volumes, ..
        } => {
            if !is_array(device) {
                return Some(never("array", device.display()));
            }
            if let Some(name) = volumes.iter().find(|name| !is_drawn_name(name)) {
                return Some(never("volume", name));
            }
        }
        Change::MadeVolumeGroup { name, .. } | Change::MadePool { name, .. }
            if !is_drawn_name(name) =>
        {
            return Some(never("group", name));
        }
        Change::MadeFilesystem { identity, .. }
            if !own.drew(identity) && !is_drawn_name(identity) =>
        {
            return Some(never("filesystem", identity));
        }
        Change::Mounted { directory, .. } if !removal::is_ours(directory) => {
            return Some(never("mount", directory.display()));
        }
        _ => {}
    }
    let devices = devices(change);
    let is_foreign = |device: &&PathBuf| !own.contains(device) && !is_layer(device);
    // A released device no longer belongs to the run; one of several may have been released.
    let are_all_foreign = !devices.is_empty() && devices.iter().all(|one| is_foreign(&one));
    are_all_foreign
        .then(|| Message::new("restore-why-not-held").name("device", devices[0].display()))
}

/// Says that no run makes what the journal names.
fn never(kind: &str, name: impl Display) -> Message {
    Message::new(format!("restore-why-never-{kind}")).name("name", name)
}

/// The hint for a layer that is in use.
const AGAIN: &str =
    "find its users (`lsblk`, `fuser -vm`), stop them, then run `stripewise restore`";

fn failed(error: UndoError, what: String) -> WorldError {
    let attempted = format!("failed to {what}");
    if let UndoError::Foreign { how_to_empty, .. } = &error {
        let hint = format!(
            "it is untouched; if you do not need it, {how_to_empty}, then run `stripewise restore`; to keep it, run `stripewise restore --forget RUN`"
        );
        return WorldError::failed(attempted, error).or_hint(hint);
    }
    let error = match error {
        UndoError::Tool(error) => error.while_trying(attempted),
        error => WorldError::failed(attempted, error),
    };
    error.or_hint(AGAIN)
}
