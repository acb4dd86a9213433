//! What the undoing of every layer shares: emptying the devices below it, and why one is still there.

use std::path::Path;

use stripewise_process::CallError;

use crate::device::{Erased, OwnDevices, Present, Refusal, Signature, in_words};
use crate::undone::Undone;

/// Removes all signatures from devices on which nothing is but what the run made; `is_changed` says
/// whether something was undone before that.
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

/// Refuses to take down a layer on which another program has made something: that would be lost.
///
/// What fio wrote there itself is zeroes, random bytes, or headers of fio's own, and looks like
/// nothing that is known.
pub(super) fn check_only_ours(own: &OwnDevices, layer: &Path) -> Result<(), UndoError> {
    let foreign = own.foreign(layer)?;
    match foreign.is_empty() {
        true => Ok(()),
        false => Err(UndoError::Foreign {
            why: carries(layer, &foreign),
            how_to_empty: format!("empty it (`wipefs --all {}`)", layer.display()),
        }),
    }
}

/// Returns what became of a change, from what is not there, what is not ours, and whether anything
/// had to be undone.
pub(crate) fn outcome(present: &Present, foreign: Vec<String>, is_changed: bool) -> Undone {
    let mut why = present.absent.clone();
    why.extend(foreign);
    let text = why.join("; ");
    match (present.absent.is_empty(), why.is_empty()) {
        (_, true) => Undone::done_if(is_changed),
        (true, false) => Undone::LeftAlone { why: text },
        (false, false) => Undone::Kept { why: text },
    }
}

/// Says that something on a device is not the run's.
pub(crate) fn carries(path: &Path, found: &[Signature]) -> String {
    let found = in_words(found);
    format!(
        "`{}` carries {found}, which the run did not make",
        path.display()
    )
}

/// Why a layer is still there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UndoError {
    #[error("`{0}` is mounted there, which is not ours")]
    NotOurs(String),
    #[error("{why}")]
    Foreign {
        why: String,
        /// What to do if it is not wanted any more.
        how_to_empty: String,
    },
    #[error(transparent)]
    Tool(#[from] CallError),
    #[error(transparent)]
    Device(#[from] Refusal),
}

impl UndoError {
    /// Says what has to be done first.
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
