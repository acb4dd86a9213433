//! Settings from outside the study, as they are stored with the run.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stripewise_analysis::simulations;
use stripewise_catalogue::Message;
use stripewise_report::plan::LabTime;
use stripewise_results::Run;
use stripewise_results::world::WorldSpec;
use stripewise_runner::execute::time_range;
use stripewise_study::plan::Study;
use stripewise_study::units::Nanos;

use super::study::FIO_OVERHEAD;
use crate::cut_world;
use crate::failure::{Failure, Result};
use crate::lab_world;

/// Settings from outside the study, stored with the run beside its world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Options {
    /// Overrides the study's budget.
    pub(crate) budget_ns: Option<Nanos>,
    /// Whether the data at risk of every load is followed, whatever the study says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) risk: bool,
    /// The cells that are measured, by their place in the study; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) only: Option<Vec<usize>>,
    /// The directory of the study's traces; `None` if it replays none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) traces: Option<PathBuf>,
}

impl Options {
    /// Checks that the settings that are stored with a run, if any, can be read.
    ///
    /// # Errors
    /// If they are not settings of this program, or a profile in them cannot be read: later commands
    /// would fail, or leave them out.
    pub(crate) fn check(run: &Run) -> Result<()> {
        let failed =
            |failure: Failure| failure.context(format!("run {}: its options", run.summary.id));
        if !run.options.is_null() {
            Self::deserialize(&run.options).map_err(|error| failed(Failure::new(error)))?;
        }
        if let Some(profiles) = run.world.as_ref().and_then(WorldSpec::profiles) {
            profiles.parse().map_err(|error| failed(error.into()))?;
        }
        Ok(())
    }

    /// Returns the time that the fewest samples of all cells take.
    pub(crate) fn least_time(world: &WorldSpec, study: &Study) -> Result<Duration> {
        Ok(match real_time(world, study)? {
            Some(real) => Duration::try_from_secs_f64(real.time_s_min).unwrap_or(Duration::MAX),
            None => time_range(study, FIO_OVERHEAD, study.repeat.sample_ns).0,
        })
    }

    /// Returns a remark about how long a study takes in a guest with virtual time.
    pub(crate) fn real_time_remark(
        &self,
        world: &WorldSpec,
        study: &Study,
    ) -> Result<Option<Message>> {
        let budget = Duration::from(self.budget_ns.unwrap_or(study.repeat.budget_ns));
        let real = real_time(world, study)?;
        Ok(real.map(|real| Message::new("lab-real-time").with("time", real.in_words(budget))))
    }

    /// Returns the study with these settings. In the model world, the model's own rule decides how
    /// often a cell is simulated.
    pub(crate) fn apply(&self, world: Option<&WorldSpec>, mut study: Study) -> Study {
        if let Some(budget) = self.budget_ns {
            study.repeat.budget_ns = budget;
        }
        if world.is_some_and(|world| world.model().is_some()) {
            study.repeat = simulations::repeat(&study.repeat);
        }
        if let Some(only) = &self.only {
            let cells = std::mem::take(&mut study.cells).into_iter().enumerate();
            let kept = cells.filter(|(place, _)| only.contains(place));
            study.cells = kept.map(|(_, cell)| cell).collect();
        }
        if self.risk {
            // The model does not follow writes through filesystems that move them.
            let cells = study.cells.iter_mut();
            let followed = cells.filter(|cell| matches!(cell.stack.pool(), Ok(None)));
            followed.for_each(|cell| cell.workload.load.risk = true);
        }
        if let Some(cuts) = world.and_then(WorldSpec::cuts) {
            cut_world::apply(cuts, &mut study, self.budget_ns.is_some());
        }
        study
    }
}

/// Returns how long a study takes in a guest with virtual time; `None` elsewhere.
fn real_time(world: &WorldSpec, study: &Study) -> Result<Option<LabTime>> {
    match world.guest() {
        Some(lab) => lab_world::real_time_of(lab, study),
        None => Ok(None),
    }
}
