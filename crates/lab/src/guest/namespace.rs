//! The agent without a guest: stacks in a mount namespace of its own.
//!
//! Standard input is the connection to the program that started us, and standard output is
//! `/dev/fuse`. We mount it and close it: once that program is gone, every request to the disks ends
//! with an error, and nothing waits for an answer.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use stripewise_metal::power_cut;
use stripewise_metal::private_disks::{LoopDisk, mount_disks};
use stripewise_powercut::built_stack::{BuiltStack, Recovery};
use stripewise_study::cell::Cell;
use stripewise_study::world::{Change, Watch, WorldError};

use super::stacks::{StackCuts, open};
use super::{AgentError, DiskSeed, PowerCuts, Serving, serve};
use crate::durability_load::DurabilityLoad;
use crate::wire::{HeldDisk, LoadOnStack, News};

/// Serves stacks whose power is cut until the program that started us closes the connection; `disk_seed` is that of
/// [`Serving`].
///
/// # Errors
/// If that program did not start us as it does, or violates the protocol.
pub fn serve_namespace(disk_seed: DiskSeed) -> Result<(), AgentError> {
    let port = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    let directory = mount_disks(rustix::stdio::raw_stdout())?;
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing).map_err(std::io::Error::from)?;
    rustix::stdio::dup2_stdout(&nothing).map_err(std::io::Error::from)?;
    let serving = Serving {
        factory: &mut open,
        disk_seed,
        power_cuts: &mut NamespaceCuts {
            directory,
            loops: Vec::new(),
        },
    };
    Ok(serve(port, serving)?)
}

/// Power cuts on loop devices of this machine.
struct NamespaceCuts {
    /// The directory with the disks.
    directory: PathBuf,
    loops: Vec<LoopDisk>,
}

impl NamespaceCuts {
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

impl PowerCuts for NamespaceCuts {
    fn find(&mut self, held: &[HeldDisk]) -> Result<BTreeMap<String, Vec<PathBuf>>, WorldError> {
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
    ) -> Result<BuiltStack, WorldError> {
        StackCuts.build(devices, cell, work, watch)
    }

    /// Also stops the stack: nothing cuts the power of this machine.
    fn load(
        &mut self,
        on: &LoadOnStack,
        stop: &AtomicBool,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Option<Recovery>, WorldError> {
        let on = &self.renamed(on);
        let look = StackCuts.load(on, stop, report)?;
        if look.is_none() {
            power_cut::stop(&on.standing)?;
        }
        Ok(look)
    }

    fn look(&mut self, on: &LoadOnStack) -> Result<Recovery, WorldError> {
        StackCuts.look(&self.renamed(on))
    }
}
