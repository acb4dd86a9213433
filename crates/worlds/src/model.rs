//! The model: the kernel whose rules it follows, and the studies that it can simulate.

use std::collections::BTreeSet;

use stripewise_analysis::simulations::{HALF_WIDTH, SIMULATIONS_MAX, SIMULATIONS_MIN};
use stripewise_catalogue::{Argument, Message, Words};
use stripewise_results::world::ModelSpec;
use stripewise_sim::world::Model;
use stripewise_study::plan::{Repeat, Study};
use stripewise_study::world::World;
use stripewise_units::kernel::{KernelName, KernelVersion};

use crate::error::OpeningError;

/// The kernel whose rules apply if neither option nor study nor machine names one.
pub const KERNEL_DEFAULT: KernelVersion = KernelVersion::new(6, 12, 0);

/// The default seed of the first simulation of each cell, in every command.
pub const SEED_DEFAULT: u64 = 0;

/// Returns the model world.
///
/// # Errors
/// If a profile cannot be read.
pub fn open(model: &ModelSpec) -> Result<Model, OpeningError> {
    let mut profiles = model.profiles.parse()?;
    if let (Some(cores), Some(host)) = (model.cores, profiles.hosts.get_mut(&model.host)) {
        host.cpu.cores = cores.get();
    }
    Ok(Model {
        host: Some(model.host.clone()),
        ..Model::new(profiles, model.kernel)
    })
}

/// Returns the kernel whose rules the model follows for `study`: the one that is `asked` for, else the
/// study's, else the newest under `[conditions]`, else that of this machine.
///
/// # Errors
/// If the study names other kernels itself.
pub fn kernel(
    asked: Option<KernelVersion>,
    study: &Study,
    here: impl FnOnce() -> Option<KernelVersion>,
) -> Result<KernelVersion, OpeningError> {
    check_kernel(asked, study)?;
    let named = asked
        .or(study.kernel)
        .or_else(|| listed(study).map(KernelName::version).max());
    Ok(named.or_else(here).unwrap_or(KERNEL_DEFAULT))
}

/// Returns the cells whose power cuts the model predicts, `None` for all, and a remark on the first
/// other one.
///
/// # Errors
/// If it simulates none.
pub fn simulated(
    model: &mut Model,
    study: &Study,
) -> Result<(Option<Vec<usize>>, Option<Message>), OpeningError> {
    let mut known = Vec::new();
    let mut refused = None;
    for (place, cell) in study.cells.iter().enumerate() {
        match model.check(std::slice::from_ref(cell)) {
            Ok(_) => known.push(place),
            Err(error) => refused = refused.or(Some((cell, error))),
        }
    }
    match refused {
        None => Ok((None, None)),
        Some((_, error)) if known.is_empty() => Err(error.into()),
        Some((cell, error)) => {
            let remark = Message::new("cuts-not-simulated")
                .digits("known", known.len())
                .digits("cells", study.cells.len())
                .name("stack", &cell.stack.name)
                .name("why", OpeningError::from(error).message());
            Ok((Some(known), Some(remark)))
        }
    }
}

/// Returns the kernels under `[conditions]`.
fn listed(study: &Study) -> impl Iterator<Item = &KernelName> {
    let cells = study.cells.iter();
    cells.filter_map(|cell| cell.conditions.kernel.as_ref())
}

/// Refuses `--kernel` for a study that names several kernels, or another one, itself.
fn check_kernel(asked: Option<KernelVersion>, study: &Study) -> Result<(), OpeningError> {
    let Some(asked) = asked else {
        return Ok(());
    };
    let named: BTreeSet<&KernelName> = listed(study).collect();
    let is_other = |kernel: &&KernelName| kernel.version().series() != asked.series();
    if named.len() < 2 && !named.iter().any(is_other) {
        return Ok(());
    }
    let named: Vec<String> = named.iter().map(ToString::to_string).collect();
    let named = named.join(", ");
    let message =
        format!("--kernel {asked}: the study names its kernels under `[conditions]`: {named}");
    Err(OpeningError::new(
        message,
        "leave out the option, or `kernel` under `[conditions]`",
    ))
}

/// Names the `[repeat]` keys of a study that simulations ignore; `None` if all have their defaults.
pub fn repeat_unused(asked: &Repeat) -> Option<Message> {
    let default = Repeat::default();
    let set = [
        (
            "interval",
            asked.interval_percent != default.interval_percent,
        ),
        ("at_least", asked.at_least != default.at_least),
        ("at_most", asked.at_most != default.at_most),
        ("steady_state", asked.steady_state != default.steady_state),
    ];
    let set: Vec<String> = set
        .into_iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    (!set.is_empty()).then(|| {
        Message::new("run-repeat-unused")
            .count("count", set.len())
            .with("keys", Argument::names(&set))
            .digits("least", SIMULATIONS_MIN)
            .digits("most", SIMULATIONS_MAX)
            .percent("half_width", HALF_WIDTH)
    })
}

/// Refuses a study that names no devices.
///
/// # Errors
/// The first stack without any.
pub fn require_devices(study: &Study) -> Result<(), OpeningError> {
    match nothing_to_simulate(study) {
        None => Ok(()),
        Some(why) => Err(OpeningError::new(
            why.in_english(),
            "name them: `devices = { \"PROFILE\" = 4 }`, or `--device` and `--array` beside a job file of fio; `--world metal` measures this machine's disks",
        )),
    }
}

/// Says that a stack of the study names no devices.
pub fn nothing_to_simulate(study: &Study) -> Option<Message> {
    let mut stacks = study.cells.iter().map(|cell| &cell.stack);
    let bare = stacks.find(|stack| stack.devices.is_empty())?;
    Some(Message::new("plan-why-no-devices").name("stack", &bare.name))
}
