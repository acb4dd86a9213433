//! Why a world cannot run a study, before anything is opened, or go on with a run.

use std::path::Path;

use stripewise_catalogue::{Argument, Message};
use stripewise_lab::Cache;
use stripewise_results::Run;
use stripewise_results::world::ModelSpec;
use stripewise_study::facts::Facts;
use stripewise_study::plan::Study;
use stripewise_study::world::{WorldError, WorldName};

use crate::error::OpeningError;
use crate::open::{Opened, on_this_machine, open};
use crate::{lab, model};

/// What a study would be run with.
#[derive(Debug)]
pub struct Means<'a> {
    /// The kernel and the profiles; in the error's words, why there are none.
    pub model: Result<ModelSpec, String>,
    /// The cache of prepared guests; `None` if there is no place for it.
    pub cache: Option<Cache>,
    /// The kernel that a guest must have.
    pub kernel: Option<&'a str>,
    /// The directory of this machine that would be measured.
    pub target: &'a Path,
}

/// Returns why a world cannot run a study; `None` if nothing is known to stand in its way. This machine is
/// checked as a run checks it before it asks for a confirmation: devices are locked, examined and released.
pub fn obstacle(world: WorldName, study: &Study, means: &Means) -> Option<Argument> {
    match world {
        WorldName::Metal => of_metal(study, means.target),
        WorldName::Model => of_model(study, means),
        WorldName::Lab => of_lab(study, means),
    }
}

/// Returns what changed since the latest session of a run: samples from before and after cannot be
/// compared. `None` if nothing that matters did.
pub fn machine_changes(run: &Run, now: &Facts) -> Option<Message> {
    let changes = run.facts.last()?.facts.changes(now);
    let said = changes.iter().map(|change| {
        Message::new("resume-fact-changed")
            .with("fact", change.name())
            .name("before", &change.before)
            .name("now", &change.now)
    });
    let said = Argument::list(said);
    (!changes.is_empty()).then(|| Message::new("resume-machine-changed").with("changes", said))
}

fn of_metal(study: &Study, target: &Path) -> Option<Argument> {
    let is_covered = |(profile, count): (&str, u64)| {
        let named = study.may_destroy.get(profile).map_or(0, Vec::len);
        usize::try_from(count).is_ok_and(|count| count <= named)
    };
    let mut stacks = study.cells.iter().map(|cell| &cell.stack);
    if let Some(stack) = stacks.find(|stack| !stack.counts_by_profile().into_iter().all(is_covered))
    {
        let why = Message::new("plan-why-not-listed").name("stack", &stack.name);
        return Some(why.into());
    }
    if let Err(error) = stripewise_metal::check_study(&study.cells) {
        return Some(Argument::Name(error.to_string()));
    }
    let checked = of_this_machine(study, target);
    checked.err().map(|error| Argument::Name(error.message()))
}

/// Checks what a run checks before it changes anything.
fn of_this_machine(study: &Study, target: &Path) -> Result<(), OpeningError> {
    let spec = on_this_machine(study, target)
        .map_err(|error| WorldError::failed("failed to find the current directory", error))?;
    let mut opened = open(&spec, study)?;
    if let Opened::Devices(stacks) = &mut opened {
        stacks.claim()?;
    }
    opened.world().check(&study.cells)?;
    Ok(())
}

fn of_model(study: &Study, means: &Means) -> Option<Argument> {
    if let Some(why) = model::nothing_to_simulate(study) {
        return Some(why.into());
    }
    let spec = match &means.model {
        Ok(spec) => spec,
        Err(why) => return Some(Argument::Name(why.clone())),
    };
    let check = || -> Result<(), OpeningError> {
        let world = model::open(spec)?;
        for cell in &study.cells {
            world.build(cell, 0)?;
        }
        Ok(())
    };
    check().err().map(|error| Argument::Name(error.message()))
}

fn of_lab(study: &Study, means: &Means) -> Option<Argument> {
    let profiles = match &means.model {
        Ok(spec) => spec.profiles.parse().map_err(OpeningError::from),
        Err(why) => return Some(Argument::Name(why.clone())),
    };
    match profiles {
        Ok(profiles) => lab::obstacle(study, &profiles, means.cache.as_ref(), means.kernel),
        Err(error) => Some(Argument::Name(error.message())),
    }
}
