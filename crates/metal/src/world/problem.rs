//! Why a metal world cannot be opened, and texts for failed operations.

use stripewise_fio::{FindError, RunError};
use stripewise_machine::TargetProblem;
use stripewise_study::world::WorldError;

/// The error for a cell without a call of `prepare`.
pub(super) const NOT_PREPARED: &str = "the cell was not prepared";

pub(super) const WRITE_FILES: &str = "failed to write test files";
pub(super) const MEASURE: &str = "failed to measure with fio";
pub(super) const FAIL_MEMBER: &str = "failed to fail a member";
pub(super) const READ_BACK: &str = "failed to read back the written data";

/// The metal world cannot measure here.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The target is not a writable directory on a disk.
    #[error("failed to use `--target`: {0}")]
    Target(TargetProblem),
    /// fio is missing, too old or does not run.
    #[error("failed to find fio")]
    Fio(#[from] FindError),
}

impl OpenError {
    /// Returns how to solve it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            OpenError::Target(problem) => Some(problem.hint()),
            OpenError::Fio(error) => error.hint(),
        }
    }
}

/// Returns the error for a failed fio, with a hint.
pub(super) fn fio_failed(attempted: &str, error: RunError) -> WorldError {
    if matches!(error, RunError::Interrupted) {
        return WorldError::Interrupted;
    }
    let hint = error.hint();
    let failed = WorldError::failed(attempted, error);
    match hint {
        Some(hint) => failed.or_hint(hint),
        None => failed,
    }
}
