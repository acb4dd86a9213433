//! The model world on the command line: its profiles and kernel rules.

use std::path::{Path, PathBuf};

use stripewise_machine::Root;
use stripewise_results::world::ModelSpec;
use stripewise_study::plan::Study;
use stripewise_units::kernel::KernelVersion;
use stripewise_worlds::model::{self, SEED_DEFAULT};

use crate::failure::Result;
use crate::profiles::places;
use crate::question::OtherWords;

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
    /// Returns what it says of a question.
    pub(crate) fn words(&self) -> OtherWords {
        let kernel = self.kernel.as_ref();
        OtherWords {
            kernel: kernel.map(|kernel| kernel.version.to_string()),
            sample: None,
        }
    }

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
        let text = text.trim();
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
        let kernel = model::kernel(asked, study, here)?;
        let host = places.host_for(study)?;
        Ok(ModelSpec {
            kernel,
            profiles: places.read(study, Some(&host))?,
            host,
            cores: study.cores,
        })
    }
}
