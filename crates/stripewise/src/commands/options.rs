//! What was set beside a study, as it is kept with the run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use stripewise_analysis::simulations;
use stripewise_study::plan::Study;
use stripewise_study::units::Nanos;

use crate::lab_world::LabRun;
use crate::model::ModelOptions;

/// What was set beside the study; kept with the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Options {
    /// The directory on the filesystem to be measured; nothing in the model world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<PathBuf>,
    /// The budget instead of the study's.
    pub(crate) budget_ns: Option<Nanos>,
    /// What is simulated; nothing in other worlds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<ModelOptions>,
    /// The guest and its disks; nothing in other worlds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lab: Option<LabRun>,
}

impl Options {
    /// Returns the study with what was set beside it, and in the model world with the model's own rule
    /// for how often a cell is simulated.
    pub(crate) fn apply(&self, mut study: Study) -> Study {
        if let Some(budget) = self.budget_ns {
            study.repeat.budget_ns = budget;
        }
        if self.model.is_some() {
            study.repeat = simulations::repeat(&study.repeat);
        }
        study
    }
}
