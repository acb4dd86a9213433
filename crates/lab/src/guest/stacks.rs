//! What the agent opens on its disks: the metal world, and stacks whose power is cut.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use stripewise_metal::power_cut::{self, BringUp};
use stripewise_metal::{FilesWorld, StacksWorld};
use stripewise_powercut::built_stack::{BuiltStack, Recovery};
use stripewise_process::Program;
use stripewise_study::cell::Cell;
use stripewise_study::cut::RecoveryFailure;
use stripewise_study::world::{NeverCancel, Watch, World, WorldError};

use super::{Opening, PowerCuts, load};
use crate::durability_load::DurabilityLoad;
use crate::needed_disks::EXISTING_PROFILE;
use crate::wire::{LoadOnStack, News};

const MKFS: Program = Program::new("mkfs.ext4", "e2fsprogs");
const MOUNT: Program = Program::new("mount", "mount");
const FIO: Program = Program::new("fio", "fio");

/// The mount point of the filesystem that studies call `existing`.
const EXISTING: &str = "/mnt";

/// How long making the filesystem may take; the guest is slow.
const LIMIT: Duration = Duration::from_secs(3600);

/// Loads fio and its libraries into memory, however long that takes.
///
/// Virtual time skips the guest's idle time. While its root disk is slow, seconds pass at once, and
/// a fio that is still being loaded would look like one that hangs.
fn load_fio() {
    let call = FIO.call(["--version"]).limit(Duration::MAX);
    // Opening the world reports any problem with fio.
    let _failed = call.run(&mut NeverCancel);
}

/// Opens a metal world on the guest's disks, or on its existing filesystem.
pub(super) fn open(opening: &Opening) -> Result<Box<dyn World>, WorldError> {
    if opening.is_virtual_time {
        load_fio();
    }
    let existing = opening.disks.get(EXISTING_PROFILE);
    let failed = |error| WorldError::failed("failed to open the world", error);
    if let Some(disk) = existing.and_then(|disks| disks.first()) {
        make_existing(disk)?;
        let files = FilesWorld::open(Path::new(EXISTING)).map_err(failed)?;
        return Ok(Box::new(files.in_guest(opening.is_virtual_time)));
    }
    // A modelled disk reads zeroes after a discard.
    let stacks = StacksWorld::on_devices(opening.disks.clone()).map_err(failed)?;
    let stacks = stacks.on_zeroes();
    Ok(Box::new(stacks.in_guest(opening.is_virtual_time)))
}

/// Makes the filesystem that studies call `existing`.
fn make_existing(disk: &Path) -> Result<(), WorldError> {
    let options = "lazy_itable_init=0,lazy_journal_init=0";
    let make = MKFS.call(["-q", "-F", "-E", options]).arg(disk);
    let mount = MOUNT.call([disk, Path::new(EXISTING)]);
    for (call, attempted) in [
        (make, "failed to make a filesystem"),
        (mount, "failed to mount it"),
    ] {
        call.limit(LIMIT)
            .run(&mut NeverCancel)
            .map_err(|error| error.while_trying(attempted))?;
    }
    Ok(())
}

/// Power cuts on the guest's disks.
pub(super) struct StackCuts;

impl PowerCuts for StackCuts {
    fn build(
        &mut self,
        devices: &BTreeMap<String, Vec<PathBuf>>,
        cell: &Cell,
        work: &DurabilityLoad,
        watch: &mut dyn Watch,
    ) -> Result<BuiltStack, WorldError> {
        let lay_out = &mut |target: &_| load::lay_out(work, target);
        power_cut::build(devices.clone(), cell, lay_out, watch)
    }

    fn load(
        &mut self,
        on: &LoadOnStack,
        stop: &AtomicBool,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Option<Recovery>, WorldError> {
        if let Err(not_back) = bring_up(on) {
            return Ok(Some(Recovery::Failed(not_back)));
        }
        power_cut::beside(&on.standing, &on.cell.conditions, || {
            load::run(&on.work, &on.standing.target, stop, report)
        })??;
        Ok(None)
    }

    fn look(&mut self, on: &LoadOnStack) -> Result<Recovery, WorldError> {
        if let Err(not_back) = bring_up(on) {
            return Ok(Recovery::Failed(not_back));
        }
        let mut look = load::look(&on.work, &on.standing.target)?;
        if let Recovery::Records { damage, .. }
        | Recovery::Rows { damage, .. }
        | Recovery::Values { damage, .. } = &mut look
        {
            let found = power_cut::damage(&on.standing, &on.cell.stack)?;
            *damage = damage.take().or(found);
        }
        Ok(look)
    }
}

fn bring_up(on: &LoadOnStack) -> Result<(), RecoveryFailure> {
    let how = BringUp {
        stack: &on.cell.stack,
        conditions: &on.cell.conditions,
        without_member: on.without_member,
        force: on.force,
    };
    power_cut::bring_up(&on.standing, how)
}
