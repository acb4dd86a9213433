//! What became of a change that was to be undone.

/// What became of a change that was to be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    /// It is undone now.
    Done,
    /// There was nothing to undo: it was undone before, ended with the machine, or was announced and
    /// never made.
    Already,
    /// It is not ours to undo any more: another program has changed the same thing since.
    Untouched {
        /// Why, as a sentence fragment with names.
        why: String,
    },
    /// It could not be undone now, and nothing was touched that stands in the way of undoing it
    /// later: a device is not there, or what lies on it is not undone.
    Kept {
        /// Why, as a sentence fragment with names.
        why: String,
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
