//! `stripewise cut-agent`: runs stacks of `pull-plug --world metal` in a mount namespace of its own.
//! Not for users.
//!
//! Standard input is the connection to the program that started us, and standard output is
//! `/dev/fuse`. We mount it and close it: once that program is gone, every request to the disks ends
//! with an error, and nothing waits for an answer.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use stripewise_lab::durability_load::DurabilityLoad;
use stripewise_lab::guest::{PowerCuts, Serving, serve};
use stripewise_lab::power_cut::AGENT;
use stripewise_lab::wire::{HeldDisk, LoadOnStack};
use stripewise_metal::power_cut;
use stripewise_metal::private_disks::{LoopDisk, mount_disks};
use stripewise_powercut::built_stack::{BuiltStack, Recovery};
use stripewise_powercut::load::Acknowledged;
use stripewise_study::cell::Cell;
use stripewise_study::world::{Change, Watch, WorldError};

use super::lab_guest::{GuestCuts, open, seed};
use crate::exit::Exit;
use crate::failure::{Failure, Result};

/// Run stacks in a mount namespace of its own
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<Exit> {
    let failed = |error: std::io::Error| agent_failed(error);
    let port = rustix::stdio::stdin().try_clone_to_owned();
    let port = UnixStream::from(port.map_err(failed)?);
    let directory = mount_disks(rustix::stdio::raw_stdout()).map_err(agent_failed)?;
    let nothing = File::options().read(true).write(true).open("/dev/null");
    let nothing = nothing.map_err(failed)?;
    rustix::stdio::dup2_stdin(&nothing).map_err(agent_failed)?;
    rustix::stdio::dup2_stdout(&nothing).map_err(agent_failed)?;
    let serving = Serving {
        factory: &mut open,
        disk_seed: seed,
        power_cuts: &mut AloneCuts {
            directory,
            loops: Vec::new(),
        },
    };
    serve(port, serving).map_err(agent_failed)?;
    Ok(Exit::Done)
}

fn agent_failed(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::from_error(error.into(), None).hint(format!(
        "`stripewise pull-plug --world metal` starts `{AGENT}` itself"
    ))
}

/// Power cuts on loop devices of this machine.
struct AloneCuts {
    /// The directory with the disks.
    directory: PathBuf,
    loops: Vec<LoopDisk>,
}

impl AloneCuts {
    /// Returns the stack with the names that its devices have now: each process finds other loop
    /// devices free. The kernel's name of the file, which the build noted, tells which disk it is.
    fn renamed(&self, on: &LoadOnStack) -> LoadOnStack {
        let mut names: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for change in &on.standing.changes {
            if let Change::ClaimedDevice { path, serial, .. } = change {
                let name = serial
                    .as_deref()
                    .and_then(|file| Path::new(file).file_name());
                let now = self
                    .loops
                    .iter()
                    .find(|disk| disk.file().file_name() == name);
                let now = now.map(|disk| disk.path().to_owned());
                names.extend(now.map(|now| (path.clone(), now)));
            }
        }
        let name_now = |path: &Path| names.get(path).map_or(path, PathBuf::as_path).to_owned();
        LoadOnStack {
            standing: on.standing.renamed(name_now),
            ..on.clone()
        }
    }
}

impl PowerCuts for AloneCuts {
    fn find(
        &mut self,
        held: &[HeldDisk],
    ) -> std::result::Result<BTreeMap<String, Vec<PathBuf>>, WorldError> {
        let mut devices: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for disk in held {
            let attached = LoopDisk::attach(&self.directory.join(&disk.serial))?;
            let of_profile = devices.entry(disk.profile.clone()).or_default();
            of_profile.push(attached.path().to_owned());
            self.loops.push(attached);
        }
        Ok(devices)
    }

    fn build(
        &mut self,
        devices: &BTreeMap<String, Vec<PathBuf>>,
        cell: &Cell,
        work: &DurabilityLoad,
        watch: &mut dyn Watch,
    ) -> std::result::Result<BuiltStack, WorldError> {
        GuestCuts.build(devices, cell, work, watch)
    }

    /// Also stops the stack: nothing cuts the power of this machine.
    fn load(
        &mut self,
        on: &LoadOnStack,
        stop: &AtomicBool,
        acknowledge: &(dyn Fn(Acknowledged) + Sync),
    ) -> std::result::Result<Option<Recovery>, WorldError> {
        let on = &self.renamed(on);
        let look = GuestCuts.load(on, stop, acknowledge)?;
        if look.is_none() {
            power_cut::stop(&on.standing)?;
        }
        Ok(look)
    }

    fn look(&mut self, on: &LoadOnStack) -> std::result::Result<Recovery, WorldError> {
        GuestCuts.look(&self.renamed(on))
    }
}
