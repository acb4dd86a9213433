//! Power cuts on the command line: the cuts, and the lab that makes them, stored with the run.

use clap::ValueEnum;
use stripewise_lab::Cache;
use stripewise_lab::power_cut::{CutLab, CutLabInputs, DISK_BYTES_DEFAULT, HeldShape, shapes};
use stripewise_lab::recipe::recipe_sha256;
use stripewise_metal::private_disks::require_loop_device;
use stripewise_profiles::lookup::Texts;
use stripewise_results::world::{CutPlace, CutsSpec, LabSpec, ServedDisks};
use stripewise_study::cell::Cell;
use stripewise_study::cut::{CutOptions, Survival};
use stripewise_study::plan::Study;
use stripewise_study::units::Bytes;

use crate::failure::{Failure, Result};
use crate::lab_world::{LabArgs, Purpose, prepared};
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

/// Returns the disks that the options ask for, for stacks on this machine.
pub(crate) fn served_disks(args: &LabArgs, profiles: Texts) -> ServedDisks {
    ServedDisks {
        disk_size_bytes: args.disk_size.unwrap_or(Bytes::new(DISK_BYTES_DEFAULT)),
        profiles,
    }
}

/// Returns the world of power cuts for the cells of a study.
///
/// # Errors
/// If this machine cannot do it, or a profile is missing.
pub(crate) fn open(cuts: &CutsSpec, cells: &[Cell]) -> Result<CutLab> {
    match &cuts.place {
        CutPlace::Guests(lab) => open_guests(lab, cuts.how, cells),
        CutPlace::ThisMachine(disks) => open_here(disks, cuts.how, cells),
    }
}

fn open_here(disks: &ServedDisks, cuts: CutOptions, cells: &[Cell]) -> Result<CutLab> {
    let shapes = shapes_of(cells, &disks.profiles, disks.disk_size_bytes.as_u64())?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(format!("failed to find this program: {error}")))?;
    require_loop_device()?;
    Ok(CutLab::without_guests(program, shapes, cuts)?)
}

/// Lets every cell have its number of cuts, and the run as long as it takes.
pub(crate) fn apply(cuts: &CutsSpec, study: &mut Study, is_budget_given: bool) {
    study.repeat.at_least = cuts.count;
    study.repeat.at_most = cuts.count;
    study.repeat.steady_state = None;
    if !is_budget_given {
        study.repeat.budget_ns = stripewise_study::format::BUDGET_NS_MAX;
    }
}

/// Finds the guest for power cuts.
///
/// # Errors
/// If none is prepared, or an option does not fit.
pub(crate) fn find(args: &LabArgs, kernel: Option<&AskedKernel>, texts: Texts) -> Result<LabSpec> {
    let cache = args.cache.locate()?;
    let asked = kernel.map(|kernel| kernel.text.as_str());
    let prepared = cache.find(asked, &recipe_sha256())?;
    Ok(LabSpec {
        cache: cache.path().to_owned(),
        kernel: prepared.manifest.kernel,
        // A load beside idle disks needs real time; drivers and filesystems work the same.
        clock: args.clock(Purpose::Function)?,
        memory_mib: args.memory_mib(MEMORY_MIB)?,
        disk_size_bytes: args.disk_size,
        profiles: texts,
    })
}

fn open_guests(lab: &LabSpec, cuts: CutOptions, cells: &[Cell]) -> Result<CutLab> {
    let cache = Cache::at(&lab.cache)?;
    let prepared = prepared(lab, &cache)?;
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
