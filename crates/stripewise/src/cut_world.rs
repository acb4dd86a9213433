//! Power cuts on the command line: the cuts, and the lab that makes them, stored with the run.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use stripewise_lab::Cache;
use stripewise_lab::power_cut::{
    CutLab, CutLabInputs, CutOptions, DISK_BYTES_DEFAULT, HeldShape, shapes,
};
use stripewise_lab::recipe::recipe_sha256;
use stripewise_metal::private_disks::require_loop_device;
use stripewise_powercut::crash::Survival;
use stripewise_profiles::lookup::Texts;
use stripewise_results::RunId;
use stripewise_study::cell::Cell;
use stripewise_study::plan::Study;
use stripewise_study::units::Bytes;

use crate::failure::{Failure, Result};
use crate::lab_world::{LabArgs, LabRun, Purpose};
use crate::model::AskedKernel;
use crate::stop::deferred;

/// The memory of a guest: its disks are on the host.
const MEMORY_MIB: u64 = 768;
/// The most cuts of a setting.
pub(crate) const CUTS_MAX: u32 = 10_000;

/// Which unflushed writes survive, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SurvivalName {
    /// Any part of them, in any order, torn at sectors: what a drive may do
    Reordered,
    /// The first of them: a cache that writes in order
    InOrder,
    /// None: a cache that has written nothing by itself
    Dropped,
    /// All: a crash of the kernel, with the drives still powered
    Kept,
}

impl From<SurvivalName> for Survival {
    fn from(name: SurvivalName) -> Self {
        match name {
            SurvivalName::Reordered => Survival::Reordered,
            SurvivalName::InOrder => Survival::InOrder,
            SurvivalName::Dropped => Survival::Dropped,
            SurvivalName::Kept => Survival::Kept,
        }
    }
}

/// The cuts of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CutRun {
    /// How they are made.
    pub(crate) how: CutOptions,
    /// How many crash images each cell gets.
    pub(crate) count: u32,
    /// The run of the model with the predictions and the throughput of the same cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model_run: Option<RunId>,
    /// The disks of stacks without a guest; `None` if they are in guests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) without_guests: Option<WithoutGuests>,
}

/// The disks of stacks on this machine: enough to serve them again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WithoutGuests {
    /// The size of each.
    pub(crate) disk_size_bytes: Bytes,
    /// Their profiles.
    pub(crate) profiles: Texts,
}

impl WithoutGuests {
    pub(crate) fn new(args: &LabArgs, profiles: Texts) -> Self {
        Self {
            disk_size_bytes: args.disk_size.unwrap_or(Bytes::new(DISK_BYTES_DEFAULT)),
            profiles,
        }
    }

    /// Returns the lab without guests for the cells of a study.
    ///
    /// # Errors
    /// If this machine cannot do it, or a profile is missing.
    pub(crate) fn open(&self, cuts: CutOptions, cells: &[Cell]) -> Result<CutLab> {
        let shapes = shapes_of(cells, &self.profiles, self.disk_size_bytes.as_u64())?;
        let program = std::env::current_exe()
            .map_err(|error| Failure::new(format!("failed to find this program: {error}")))?;
        require_loop_device()?;
        Ok(CutLab::without_guests(program, shapes, cuts)?)
    }
}

impl CutRun {
    /// Lets every cell have this many cuts, and the run as long as it takes.
    pub(crate) fn apply(&self, study: &mut Study, is_budget_given: bool) {
        study.repeat.at_least = self.count;
        study.repeat.at_most = self.count;
        study.repeat.steady_state = None;
        if !is_budget_given {
            study.repeat.budget_ns = stripewise_study::format::BUDGET_NS_MAX;
        }
    }
}

/// Finds the guest for power cuts.
///
/// # Errors
/// If none is prepared, or an option does not fit.
pub(crate) fn find(args: &LabArgs, kernel: Option<&AskedKernel>, texts: Texts) -> Result<LabRun> {
    let cache = args.cache.locate()?;
    let asked = kernel.map(|kernel| kernel.text.as_str());
    let prepared = cache.find(asked, &recipe_sha256())?;
    Ok(LabRun {
        cache: cache.path().to_owned(),
        kernel: prepared.manifest.kernel,
        // A load beside idle disks needs real time; drivers and filesystems work the same.
        clock: args.clock(Purpose::Function)?,
        memory_mib: args.memory_mib(MEMORY_MIB)?,
        disk_size_bytes: args.disk_size,
        profiles: texts,
    })
}

/// Returns the lab for the cells of a study.
pub(crate) fn open(lab: &LabRun, cuts: CutOptions, cells: &[Cell]) -> Result<CutLab> {
    let cache = Cache::at(&lab.cache)?;
    let prepared = lab.prepared(&cache)?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::from(error).context("failed to find this program"))?;
    let size_bytes = lab
        .disk_size_bytes
        .map_or(DISK_BYTES_DEFAULT, Bytes::as_u64);
    let shapes = shapes_of(cells, &lab.profiles, size_bytes)?;
    let inputs = CutLabInputs {
        cache,
        prepared,
        program,
        clock: lab.clock,
        memory_mib: lab.memory_mib,
        shapes,
        cuts,
    };
    // It may make a disk in the cache.
    deferred(|| CutLab::new(inputs))
}

fn shapes_of(cells: &[Cell], profiles: &Texts, size_bytes: u64) -> Result<Vec<HeldShape>> {
    Ok(shapes(cells, &profiles.parse()?, size_bytes)?)
}
