//! Shared by the undo code of every layer: emptying the devices below it, and errors.

use std::path::Path;

use stripewise_machine::Missing;
use stripewise_message::Message;
use stripewise_process::CallError;

use crate::device::{Erased, OwnDevices, Present, Refusal, Signature, in_words, listed};
use crate::undone::Undone;

/// Removes all signatures from devices that carry only signatures of the run. `is_changed` is
/// whether the caller has undone something already.
pub(super) fn empty(
    own: &OwnDevices,
    present: &Present,
    mut is_changed: bool,
    is_also_ours: &dyn Fn(&Path, &Signature) -> bool,
) -> Result<Undone, UndoError> {
    let mut foreign = Vec::new();
    for path in &present.paths {
        match own.erase(path, &|found| is_also_ours(path, found))? {
            Erased::All { was_any } => is_changed |= was_any,
            Erased::Foreign(found) => foreign.push(carries(path, &found)),
        }
    }
    Ok(outcome(present, foreign, is_changed))
}

/// Refuses to take down a layer on which another program has made something: its data would be
/// lost.
///
/// fio writes only zeroes, random bytes and headers of its own there, none of which match a
/// signature.
pub(super) fn check_only_ours(own: &OwnDevices, layer: &Path) -> Result<(), UndoError> {
    let foreign = own.foreign(layer)?;
    match foreign.is_empty() {
        true => Ok(()),
        false => Err(UndoError::Foreign {
            why: format!(
                "`{}` carries {}, which the run did not make",
                layer.display(),
                listed(&foreign)
            ),
            how_to_empty: format!("empty it (`wipefs --all {}`)", layer.display()),
        }),
    }
}

/// Returns the outcome of an undo from the absent devices, the foreign signatures, and whether
/// anything was changed.
pub(crate) fn outcome(present: &Present, foreign: Vec<Message>, is_changed: bool) -> Undone {
    let mut why = present.absent.clone();
    why.extend(foreign);
    match (present.absent.is_empty(), reasons(why)) {
        (_, None) => Undone::done_if(is_changed),
        (true, Some(why)) => Undone::Untouched { why },
        (false, Some(why)) => Undone::Kept { why },
    }
}

/// Returns several reasons as one; `None` if there is none.
fn reasons(all: Vec<Message>) -> Option<Message> {
    all.into_iter().reduce(|first, next| {
        Message::new("restore-why-both")
            .with("first", first)
            .with("next", next)
    })
}

/// Describes foreign signatures on a device.
pub(crate) fn carries(path: &Path, found: &[Signature]) -> Message {
    Message::new("restore-why-carries")
        .name("device", path.display())
        .with("found", in_words(found))
}

/// Why a layer could not be removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UndoError {
    #[error("`{0}` is mounted there, but not by this run")]
    NotOurs(String),
    #[error("{why}")]
    Foreign {
        why: String,
        /// How to remove it.
        how_to_empty: String,
    },
    #[error("`{}`: {}", .0.fact, .0.why)]
    NotRead(Missing),
    #[error(transparent)]
    Tool(#[from] CallError),
    #[error(transparent)]
    Device(#[from] Refusal),
}

impl From<Missing> for UndoError {
    fn from(missing: Missing) -> Self {
        Self::NotRead(missing)
    }
}

impl UndoError {
    /// Adds a step that must come first.
    pub(super) fn after(self, first: &str) -> Self {
        match self {
            Self::Foreign { why, how_to_empty } => Self::Foreign {
                why,
                how_to_empty: format!("{first}, {how_to_empty}"),
            },
            error => error,
        }
    }
}
