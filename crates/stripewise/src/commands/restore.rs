//! `stripewise restore`: undo what a crashed run left behind.

use std::path::PathBuf;

use stripewise_lab::Cache;
use stripewise_metal::Undone;
use stripewise_results::Store;
use stripewise_study::world::{Change, Journal};

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// Undo what a crashed run left behind
///
/// Every change of the machine is noted in the store before it is made. This undoes what is noted
/// and was not undone, of runs whose process is gone, the latest change first: mounts, filesystems,
/// LVM volumes and md arrays that were built on devices that the study may destroy, settings of the
/// kernel, and directories with test files. What somebody else has changed since is left alone.
/// What was being made in the lab's cache is removed, too.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let half_made = Cache::locate(None).map_or_else(|_| Vec::new(), |cache| cache.tidy());
    for path in &half_made {
        printer.remark(&format!("removed half-made `{}`", path.display()));
    }
    let mut store = args.store.open_existing()?;
    if undo_outstanding(&mut store, printer)? == 0 && half_made.is_empty() {
        printer.remark("nothing was left behind");
    }
    Ok(Exit::Done)
}

/// Undoes what runs that are gone left behind; returns how much that was.
pub(crate) fn undo_outstanding(store: &mut Store, printer: &mut Printer) -> Result<usize> {
    let changes = store.outstanding_changes()?;
    let mut failures: Vec<Failure> = Vec::new();
    for (run, change) in &changes {
        let undone = stripewise_metal::undo(change)
            .map_err(Failure::from)
            .and_then(|undone| {
                let noted = store.journal(*run).undone(change).map_err(|error| {
                    Failure::new(format!("failed to note what was undone: {error}"))
                });
                noted.map(|()| undone)
            });
        match undone {
            Ok(Undone::Done) => printer.remark(&format!("run {run}: {}", sentence(change))),
            Ok(Undone::LeftAlone { why }) => {
                printer.remark(&format!("run {run}: left alone: {why}"));
            }
            Err(failure) => failures.push(failure),
        }
    }
    // One that cannot be undone does not keep the others from it.
    match failures.into_iter().next() {
        Some(failure) => Err(failure),
        None => Ok(changes.len()),
    }
}

/// Says what was undone.
fn sentence(change: &Change) -> String {
    let devices = |paths: &[PathBuf]| {
        let names: Vec<String> = paths
            .iter()
            .map(|path| format!("`{}`", path.display()))
            .collect();
        names.join(", ")
    };
    match change {
        Change::CreatedDirectory { path } => format!("removed `{}`", path.display()),
        Change::ClaimedDevice { path, .. } => format!("emptied `{}`", path.display()),
        Change::WroteSetting { path, before, .. } => {
            format!("put `{}` back to `{before}`", path.display())
        }
        Change::BuiltArray {
            device, members, ..
        } => format!(
            "stopped array `{}` and wiped it from {}",
            device.display(),
            devices(members)
        ),
        Change::BuiltContainer {
            device, members, ..
        } => format!(
            "stopped container `{}` with its volumes and wiped it from {}",
            device.display(),
            devices(members)
        ),
        Change::MadeVolumeGroup { name, physical } => {
            let paths: Vec<PathBuf> = physical
                .iter()
                .map(|volume| volume.device.clone())
                .collect();
            format!(
                "removed volume group `{name}` and wiped it from {}",
                devices(&paths)
            )
        }
        Change::MadeFilesystem {
            identity,
            devices: paths,
        } => format!("wiped filesystem {identity} from {}", devices(paths)),
        Change::MadePool {
            name,
            devices: paths,
        } => format!(
            "destroyed pool `{name}` and wiped it from {}",
            devices(paths)
        ),
        Change::Mounted { directory, .. } => format!("unmounted `{}`", directory.display()),
    }
}
