//! Power cuts: the guests or disks of the stacks, and what a run of them asks for.

use std::path::Path;

use stripewise_lab::Cache;
use stripewise_lab::power_cut::{
    CutLab, CutLabInputs, DISK_BYTES_DEFAULT, HeldShape, examine, shapes,
};
use stripewise_lab::recipe::recipe_sha256;
use stripewise_metal::private_disks::require_loop_device;
use stripewise_profiles::lookup::Texts;
use stripewise_results::world::{CutPlace, CutsSpec, LabSpec, ServedDisks};
use stripewise_study::cell::Cell;
use stripewise_study::cut::CutOptions;
use stripewise_study::plan::Study;
use stripewise_study::program::ConfirmedFile;
use stripewise_units::Bytes;

use crate::error::OpeningError;
use crate::lab::{AskedGuest, prepared};
use crate::open::this_program;

/// The memory of a guest: its disks are on the host.
const MEMORY_MIB: u64 = 768;

/// Returns the disks for stacks on this machine.
pub fn served_disks(size: Option<Bytes>, profiles: Texts) -> ServedDisks {
    ServedDisks {
        disk_size_bytes: size.unwrap_or(Bytes::new(DISK_BYTES_DEFAULT)),
        profiles,
    }
}

/// Returns the world of power cuts for the cells of a study.
///
/// # Errors
/// If this machine cannot do it, or a profile is missing.
pub fn open(cuts: &CutsSpec, cells: &[Cell]) -> Result<CutLab, OpeningError> {
    match &cuts.place {
        CutPlace::Guests(lab) => open_guests(lab, cuts.how, cells),
        CutPlace::ThisMachine(disks) => {
            open_here(disks, cuts.how, cells, cuts.program_files.clone())
        }
    }
}

fn open_here(
    disks: &ServedDisks,
    cuts: CutOptions,
    cells: &[Cell],
    files: Vec<ConfirmedFile>,
) -> Result<CutLab, OpeningError> {
    let shapes = shapes_of(cells, &disks.profiles, disks.disk_size_bytes.as_u64())?;
    let program = this_program()?;
    require_loop_device()?;
    Ok(CutLab::without_guests(program, shapes, cuts, files)?)
}

/// Returns the files of the programs of a study, each once, with their checksums; none if it names no
/// program.
///
/// # Errors
/// If one is missing or cannot be used.
pub fn program_files(cells: &[Cell]) -> Result<Vec<ConfirmedFile>, OpeningError> {
    let mut files: Vec<ConfirmedFile> = Vec::new();
    let mut seen: Vec<Vec<&Path>> = Vec::new();
    for program in cells
        .iter()
        .filter_map(|cell| cell.workload.program.as_ref())
    {
        // Settings of one program differ in the size of its records alone.
        let needed = program.needed();
        if seen.contains(&needed) {
            continue;
        }
        seen.push(needed);
        for file in examine(program)? {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// Lets every cell have its number of cuts, and the run as long as it takes.
pub fn apply(cuts: &CutsSpec, study: &mut Study, is_budget_given: bool) {
    study.repeat.at_least = cuts.count;
    study.repeat.at_most = cuts.count;
    study.repeat.steady_state = None;
    if !is_budget_given {
        study.repeat.budget_ns = stripewise_study::plan::BUDGET_NS_MAX;
    }
}

/// Finds the guest for power cuts.
///
/// # Errors
/// If none is prepared, or an option does not fit.
pub fn find(asked: &AskedGuest, texts: Texts) -> Result<LabSpec, OpeningError> {
    let prepared = asked.cache.find(asked.kernel, &recipe_sha256())?;
    let memory_mib = asked.memory_mib(MEMORY_MIB, 1)?;
    // A load beside idle disks needs real time; drivers and filesystems work the same.
    asked.settings(prepared.name(), memory_mib, texts)
}

fn open_guests(lab: &LabSpec, cuts: CutOptions, cells: &[Cell]) -> Result<CutLab, OpeningError> {
    let cache = Cache::at(&lab.cache)?;
    let prepared = prepared(lab, &cache)?;
    let program = this_program()?;
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
    Ok(CutLab::new(inputs)?)
}

fn shapes_of(
    cells: &[Cell],
    profiles: &Texts,
    size_bytes: u64,
) -> Result<Vec<HeldShape>, OpeningError> {
    Ok(shapes(cells, &profiles.parse()?, size_bytes)?)
}
