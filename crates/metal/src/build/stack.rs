//! Builds one stack from the devices up.

use std::path::{Path, PathBuf};

use stripewise_study::stack::{Filesystem, Stack};
use stripewise_study::world::{WorldError, WorldName};

use super::builder::{Base, Builder};
use super::{filesystem, lvm, md, sysfs};
use crate::device::Claimed;
use crate::workspace::Workspace;

/// The top of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Top {
    /// The block device under test.
    Device(PathBuf),
    /// The directory at which our filesystem is mounted.
    Directory(PathBuf),
}

/// A stack that has been built.
#[derive(Debug, Clone)]
pub(crate) struct Built {
    pub(crate) top: Top,
    /// The md arrays in it, by the kernel's names.
    pub(crate) arrays: Vec<String>,
}

/// Builds `stack` on `devices`, which may be destroyed, and mounts its filesystem below
/// `run_directory`.
pub(crate) fn build(
    mut builder: Builder,
    stack: &Stack,
    devices: &[Claimed],
    run_directory: &Path,
) -> Result<Built, WorldError> {
    let base = |device: &Claimed| Base {
        named: device.named.clone(),
        path: device.path.clone(),
    };
    let mut devices: Vec<Base> = devices.iter().map(base).collect();
    let mut arrays = Vec::new();
    if let Some(array) = &stack.array {
        let built = md::build(&mut builder, array, &devices)?;
        arrays = built.names;
        devices = vec![Base::layer(built.device)];
    }
    if let Some(volume) = &stack.volume {
        devices = vec![Base::layer(lvm::build(&mut builder, volume, &devices)?)];
    }
    let top = match &stack.filesystem {
        Filesystem::None => Top::Device(single(&devices)?),
        Filesystem::Existing => {
            return Err(existing_on_devices());
        }
        Filesystem::Made {
            kind,
            mkfs,
            options,
            group,
            ..
        } => {
            let is_pool = kind == "zfs";
            if !is_pool {
                filesystem::make(&mut builder, kind, mkfs, &devices)?;
            }
            let workspace = Workspace::create(run_directory, &mut builder)?;
            let directory = workspace.path().to_owned();
            if is_pool {
                let pool = filesystem::PoolDevices {
                    all: &devices,
                    log: stack.log_devices(),
                    group: *group,
                };
                filesystem::make_pool(&mut builder, mkfs, &pool, &directory)?;
            } else {
                filesystem::mount(&mut builder, kind, options, &devices, &directory)?;
            }
            Top::Directory(directory)
        }
    };
    Ok(Built { top, arrays })
}

/// Returns the only device, which is under test itself and exists in the kernel.
fn single(devices: &[Base]) -> Result<PathBuf, WorldError> {
    match devices {
        [device] if sysfs::kernel_name(&device.path).is_some() => Ok(device.path.clone()),
        devices => Err(WorldError::plain(format!(
            "the stack ends in {} block devices, and needs one to test",
            devices.len()
        ))
        .or_hint("combine them with an `array` or a `volume`")),
    }
}

/// Returns the error for a stack that would overwrite an existing filesystem.
pub(crate) fn existing_on_devices() -> WorldError {
    WorldError::Unsupported {
        world: WorldName::Metal,
        what: "measure an existing filesystem on devices that may be destroyed".to_owned(),
        hint: Some("leave `devices` out of the stack, and name it with `--target`".to_owned()),
    }
}
