//! Why a world cannot be opened.

use stripewise_lab::LabError;
use stripewise_lab::power_cut::{PlanError, ProgramFileError};
use stripewise_lab::profile_disk::UnmodelledDisk;
use stripewise_metal::OpenError;
use stripewise_profiles::lookup::LookupError;
use stripewise_sim::world::ModelError;
use stripewise_study::world::WorldError;

/// A world cannot be opened, or cannot run a study.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// The world refuses.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The lab's guest or its cache.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// A profile of a disk or of the host.
    #[error(transparent)]
    Profile(#[from] LookupError),
    /// The model does not know a stack.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The target, or fio.
    #[error(transparent)]
    Target(#[from] OpenError),
    /// A load whose power cannot be cut.
    #[error(transparent)]
    Cuts(#[from] PlanError),
    /// A file of a program.
    #[error(transparent)]
    Program(#[from] ProgramFileError),
    /// A disk that the lab cannot model.
    #[error(transparent)]
    Disk(#[from] UnmodelledDisk),
}

impl OpeningError {
    /// Returns the error with a message and how to solve it.
    pub(crate) fn new(message: impl ToString, hint: impl Into<String>) -> Self {
        WorldError::plain(message.to_string()).or_hint(hint).into()
    }

    /// Returns how to solve it, if known.
    pub fn hint(&self) -> Option<String> {
        match self {
            OpeningError::World(error) => error.hint().map(str::to_owned),
            OpeningError::Lab(error) => error.hint(),
            OpeningError::Profile(error) => error.hint(),
            OpeningError::Model(error) => error.hint(),
            OpeningError::Target(error) => error.hint().map(str::to_owned),
            OpeningError::Cuts(error) => error.hint().map(Into::into),
            OpeningError::Program(error) => error.hint().map(Into::into),
            OpeningError::Disk(error) => error.hint(),
        }
    }

    /// Returns the message with its causes, on one line.
    pub fn message(&self) -> String {
        stripewise_units::causes::chain(self)
    }
}
