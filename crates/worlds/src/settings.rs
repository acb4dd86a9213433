//! Settings from outside the study, as they are stored with the run beside its world.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stripewise_analysis::simulations;
use stripewise_results::Run;
use stripewise_results::world::WorldSpec;
use stripewise_runner::execute::time_range;
use stripewise_study::plan::Study;
use stripewise_units::Nanos;

use crate::error::OpeningError;
use crate::{cuts, lab};

/// The time that starting and ending fio adds to each sample: fio calibrates its clock and waits
/// 0.1 s for its jobs to start (`calibrate_cpu_clock`, `run_threads`).
pub const FIO_OVERHEAD: Duration = Duration::from_millis(210);

/// Settings from outside the study, stored with the run beside its world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Overrides the study's budget.
    pub budget_ns: Option<Nanos>,
    /// Whether the data at risk of every load is followed, whatever the study says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub risk: bool,
    /// The cells that are measured, by their place in the study; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<usize>>,
    /// The directory of the study's traces; `None` if it replays none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traces: Option<PathBuf>,
}

impl Settings {
    /// Returns the settings that are stored with a run.
    ///
    /// # Errors
    /// If they are not settings of this program.
    pub fn of(run: &Run) -> Result<Self, serde_json::Error> {
        Self::deserialize(&run.options)
    }

    /// Returns the study with these settings in a world; `None` for a run of none. In the model world,
    /// the model's own rule decides how often a cell is simulated.
    #[must_use]
    pub fn apply(&self, world: Option<&WorldSpec>, mut study: Study) -> Study {
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
            cuts::apply(cuts, &mut study, self.budget_ns.is_some());
        }
        study
    }
}

/// Returns the time that the fewest samples of all cells of a study take in a world.
///
/// # Errors
/// If the cache of its guest cannot be used.
pub fn least_time(world: &WorldSpec, study: &Study) -> Result<Duration, OpeningError> {
    let in_guest = match world.guest() {
        Some(guest) => lab::real_time_in(guest, study)?,
        None => None,
    };
    Ok(match in_guest {
        Some(time) => time.least,
        None => time_range(study, FIO_OVERHEAD, study.repeat.sample_ns).0,
    })
}
