//! The result of undoing a change.

use stripewise_message::Message;

/// The result of undoing a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    /// It has been undone.
    Done,
    /// There was nothing to undo: it was undone before, was lost at a reboot, or was announced and
    /// never made.
    Already,
    /// It is no longer ours to undo: another program has changed the same thing since.
    Untouched {
        /// Why, as a sentence fragment with names.
        why: Message,
    },
    /// It cannot be undone now, and was kept as it is for a later attempt: a device is absent, or a
    /// layer on it is not undone.
    Kept {
        /// Why, as a sentence fragment with names.
        why: Message,
    },
}

impl Undone {
    pub(crate) fn done_if(is_changed: bool) -> Self {
        match is_changed {
            true => Undone::Done,
            false => Undone::Already,
        }
    }
}
