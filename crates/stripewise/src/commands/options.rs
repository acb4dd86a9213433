//! Settings from outside the study, as they are stored with the run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use stripewise_analysis::simulations;
use stripewise_study::plan::Study;
use stripewise_study::units::Nanos;

use crate::lab_world::LabRun;
use crate::model::ModelOptions;

/// Settings from outside the study, stored with the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Options {
    /// The directory on the filesystem to measure; `None` if the run measures no existing
    /// filesystem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<PathBuf>,
    /// Overrides the study's budget.
    pub(crate) budget_ns: Option<Nanos>,
    /// The settings of the model; `None` in other worlds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<ModelOptions>,
    /// The guest and its disks; `None` in other worlds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lab: Option<LabRun>,
}

impl Options {
    /// Returns the study with these settings. In the model world, the model's own rule decides how
    /// often a cell is simulated.
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
