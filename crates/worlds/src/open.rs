//! Opens the world of a run.

use std::io;
use std::path::{Path, PathBuf};

use stripewise_catalogue::Words as _;
use stripewise_hosts::HostsWorld;
use stripewise_lab::Lab;
use stripewise_lab::power_cut::CutLab;
use stripewise_metal::{FilesWorld, StacksWorld};
use stripewise_results::world::WorldSpec;
use stripewise_sim::world::Model;
use stripewise_study::plan::Study;
use stripewise_study::world::{Change, World, WorldError};
use stripewise_units::Bytes;

use crate::error::OpeningError;
use crate::{cuts, lab, model};

/// An open world.
#[derive(Debug)]
pub enum Opened {
    /// An existing filesystem.
    Files(Box<FilesWorld>),
    /// Existing filesystems of several hosts, which are not connected yet.
    Hosts(Box<HostsWorld>),
    /// Stacks on devices, which are neither claimed nor confirmed yet.
    Devices(Box<StacksWorld>),
    /// The simulation.
    Model(Box<Model>),
    /// A guest, which is not started yet.
    Lab(Box<Lab>),
    /// Power cuts.
    Cuts(Box<CutLab>),
}

impl Opened {
    /// Returns the world.
    pub fn world(&mut self) -> &mut dyn World {
        match self {
            Opened::Files(files) => &mut **files,
            Opened::Hosts(hosts) => &mut **hosts,
            Opened::Devices(stacks) => &mut **stacks,
            Opened::Model(model) => &mut **model,
            Opened::Lab(lab) => &mut **lab,
            Opened::Cuts(cuts) => &mut **cuts,
        }
    }
}

/// Opens a world for a study.
///
/// # Errors
/// If this machine lacks something, or what is stored can no longer be found.
pub fn open(spec: &WorldSpec, study: &Study) -> Result<Opened, OpeningError> {
    Ok(match spec {
        WorldSpec::Files { target } => Opened::Files(Box::new(FilesWorld::open(target)?)),
        WorldSpec::Hosts(spec) => Opened::Hosts(Box::new(HostsWorld::new(spec.clone(), |why| {
            why.in_english()
        })?)),
        WorldSpec::Devices => {
            let stacks = StacksWorld::on_devices(study.may_destroy.clone())?;
            Opened::Devices(Box::new(stacks))
        }
        WorldSpec::Model(spec) => Opened::Model(Box::new(model::open(spec)?)),
        WorldSpec::Lab(spec) => Opened::Lab(Box::new(lab::open(spec, study)?)),
        WorldSpec::Cuts(spec) => Opened::Cuts(Box::new(cuts::open(spec, &study.cells)?)),
    })
}

/// Returns where `--world metal` runs a study: on the devices that it may destroy, else on files in a new
/// directory below `target`.
///
/// # Errors
/// If the current directory, below which `target` is, is unknown.
pub fn on_this_machine(study: &Study, target: &Path) -> io::Result<WorldSpec> {
    match builds_stacks(study) {
        true => Ok(WorldSpec::Devices),
        false => Ok(WorldSpec::Files {
            target: std::path::absolute(target)?,
        }),
    }
}

/// Returns whether a study builds stacks on the devices of its `[may_destroy]`.
pub fn builds_stacks(study: &Study) -> bool {
    let mut stacks = study.cells.iter().map(|cell| &cell.stack);
    !study.may_destroy.is_empty() && stacks.any(|stack| !stack.devices.is_empty())
}

/// Name, serial number and size of a device.
pub type ClaimedDevice = (PathBuf, Option<String>, Bytes);

/// Returns the devices that a run claimed, by the changes that it announced, as of its last claim.
pub fn claimed_devices(changes: impl IntoIterator<Item = Change>) -> Vec<ClaimedDevice> {
    let mut devices: Vec<ClaimedDevice> = Vec::new();
    for change in changes {
        if let Change::ClaimedDevice {
            path,
            size_bytes,
            serial,
            ..
        } = change
            && devices.iter().all(|(known, ..)| *known != path)
        {
            devices.push((path, serial, size_bytes));
        }
    }
    devices
}

/// Returns the file of this program, which guests and processes of its own run, too.
pub(crate) fn this_program() -> Result<PathBuf, WorldError> {
    std::env::current_exe()
        .map_err(|error| WorldError::failed("failed to find this program", error))
}
