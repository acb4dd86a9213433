//! The model world on the command line: its profiles and kernel rules, stored with the run.

use std::path::{Path, PathBuf};

use stripewise_analysis::simulations::{HALF_WIDTH, SIMULATIONS_MAX, SIMULATIONS_MIN};
use stripewise_catalogue::{Argument, Message, Words};
use stripewise_machine::Root;
use stripewise_profiles::HOST_DEFAULT;
use stripewise_results::world::ModelSpec;
use stripewise_sim::engine::Limits;
use stripewise_sim::world::Model;
use stripewise_study::kernel::KernelVersion;
use stripewise_study::plan::{Repeat, Study};

use crate::failure::{Failure, Result};
use crate::profiles::places;

/// The kernel whose rules apply if neither option nor study nor machine names one.
pub(crate) const KERNEL_DEFAULT: KernelVersion = KernelVersion::new(6, 12, 0);

/// The default seed of the first simulation of each cell, in every command.
pub(crate) const SEED_DEFAULT: u64 = 0;

/// The options that every command with a model has.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ModelArgs {
    /// Search DIR for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    ///
    /// The directory of the study file comes second, with the same layout, and the profiles shipped
    /// with the program last. `stripewise profiles` lists them.
    #[arg(long, value_name = "DIR")]
    pub(crate) profiles: Option<PathBuf>,

    /// The kernel whose rules the model follows, or that the lab boots [default: the study's, else
    /// this machine's; in the lab the prepared one]
    #[arg(long, value_name = "VERSION", value_parser = AskedKernel::parse)]
    pub(crate) kernel: Option<AskedKernel>,
}

/// The options of a command that asks the model, without a study file.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SimulationArgs {
    /// Search DIR for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    #[arg(long, value_name = "DIR")]
    pub(crate) profiles: Option<PathBuf>,

    /// The kernel whose rules the model follows [default: this machine's]
    #[arg(long, value_name = "VERSION", value_parser = AskedKernel::parse)]
    pub(crate) kernel: Option<AskedKernel>,

    /// Seed of the simulation; the same seed gives the same answer, bit for bit
    #[arg(long, value_name = "N", default_value_t = SEED_DEFAULT)]
    pub(crate) seed: u64,
}

impl SimulationArgs {
    /// Finds the kernel and the profiles for `study`.
    pub(crate) fn find(&self, study: &Study) -> Result<ModelSpec> {
        let Self {
            profiles, kernel, ..
        } = self.clone();
        ModelArgs { profiles, kernel }.find(study, None)
    }
}

/// A kernel version on the command line: the model uses the numbers, the lab searches for the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedKernel {
    pub(crate) text: String,
    pub(crate) version: KernelVersion,
}

impl AskedKernel {
    /// Reads it from the command line.
    pub(crate) fn parse(text: &str) -> std::result::Result<Self, String> {
        Ok(Self {
            text: text.to_owned(),
            version: KernelVersion::parse_possible(text)?,
        })
    }
}

impl ModelArgs {
    /// Finds the kernel and the profiles for `study`, which was read from the file `path`.
    pub(crate) fn find(&self, study: &Study, path: Option<&Path>) -> Result<ModelSpec> {
        let places = places(self.profiles.as_deref(), path)?;
        let here = || stripewise_machine::kernel_version(&Root::live());
        let asked = self.kernel.as_ref().map(|kernel| kernel.version);
        check_kernel(asked, study)?;
        let kernel = asked.or(study.kernel).or_else(|| listed(study).max());
        let kernel = kernel.or_else(here);
        let host = study.host.as_deref().unwrap_or(HOST_DEFAULT);
        Ok(ModelSpec {
            kernel: kernel.unwrap_or(KERNEL_DEFAULT),
            host: host.to_owned(),
            profiles: places.read(study, Some(host))?,
        })
    }
}

/// Returns the model world.
pub(crate) fn open(model: &ModelSpec) -> Result<Model> {
    Ok(Model {
        profiles: model.profiles.parse()?,
        host: Some(model.host.clone()),
        kernel: model.kernel,
        failed: Vec::new(),
        rebuilding: false,
        limits: Limits::default(),
    })
}

/// Returns the kernels under `[conditions]`.
fn listed(study: &Study) -> impl Iterator<Item = KernelVersion> {
    study.cells.iter().filter_map(|cell| cell.conditions.kernel)
}

/// Refuses `--kernel` for a study that names other kernels itself.
fn check_kernel(asked: Option<KernelVersion>, study: &Study) -> Result<()> {
    let Some(asked) = asked else {
        return Ok(());
    };
    match listed(study).find(|kernel| kernel.series() != asked.series()) {
        None => Ok(()),
        Some(other) => Err(Failure::new(format!(
            "--kernel: the study names Linux {other} under `[conditions]`, not {asked}"
        ))
        .hint("leave out the option, or `kernel` under `[conditions]`")),
    }
}

/// Names the `[repeat]` keys of a study that simulations ignore; `None` if all have their defaults.
pub(crate) fn repeat_unused(asked: &Repeat) -> Option<Message> {
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
pub(crate) fn require_devices(study: &Study) -> Result<()> {
    match nothing_to_simulate(study) {
        None => Ok(()),
        Some(why) => Err(Failure::new(why.in_english()).hint(
            "name them: `devices = { \"PROFILE\" = 4 }`; `--world metal` measures this machine's disks",
        )),
    }
}

/// Says that a stack of the study names no devices.
pub(crate) fn nothing_to_simulate(study: &Study) -> Option<Message> {
    let mut stacks = study.cells.iter().map(|cell| &cell.stack);
    let bare = stacks.find(|stack| stack.devices.is_empty())?;
    Some(Message::new("plan-why-no-devices").name("stack", &bare.name))
}
