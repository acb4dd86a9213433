//! `stripewise restore`: undo what a crashed run left behind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use stripewise_metal::{Leftovers, Undone};
use stripewise_report::strip_control;
use stripewise_results::{Leftover, Origin, RunId, Store};
use stripewise_study::world::{Change, Journal, PhysicalVolume};

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::lab_world::CacheArgs;
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Clean up after a crash:
    stripewise restore

  Drop the record of run 3, whose disk is gone for good:
    stripewise restore --forget 3
";

/// Undo what a crashed run left behind
///
/// Every change to the machine is recorded in the store before it is made. `restore` undoes the
/// recorded changes of runs whose process is gone, the latest first: mounts, filesystems, LVM
/// volumes and md arrays on devices under `[may_destroy]`, kernel settings, and directories of
/// test files. It also removes unfinished files from the lab's cache. A run that is still being
/// measured is not touched. Stacks and settings need root.
///
/// Only files that the run made are removed; others stay and are named. Settings and devices that
/// another program has changed since are not touched.
///
/// A change that cannot be undone now stays recorded, and the exit code is 2: its device is
/// missing, its filesystem is not mounted, a layer above it is in use, or it was made on another
/// machine. Fix that and run `restore` again, or drop the record with `--forget`.
///
/// `stripewise resume` also does this before it continues a run.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    cache: CacheArgs,

    /// Drop the record of this run's changes without undoing them, for devices that no longer exist
    #[arg(long, value_name = "RUN", conflicts_with = "cache")]
    forget: Option<RunName>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    if let Some(name) = args.forget {
        return forget(&mut args.store.open_existing()?, name, printer);
    }
    // Before the store, which may be missing: a run may have been killed before it recorded
    // anything.
    let cache = args.cache.locate();
    let unfinished = cache.map_or_else(|_| Vec::new(), |cache| cache.tidy());
    for path in &unfinished {
        printer.remark(&format!("removed unfinished `{}`", path.display()));
    }
    let mut store = args.store.open_existing()?;
    let seen = undo_outstanding(&mut store, printer)?;
    let living = store.changing_runs()?;
    for (run, process, is_out_of_sight) in &living {
        let place = match is_out_of_sight {
            true => " of another container, which is not visible from here",
            false => "",
        };
        printer.remark(&format!(
            "run {run}: not touched, as it belongs to process {process}{place}"
        ));
    }
    if !seen.kept.is_empty() {
        let runs: Vec<String> = seen.kept.iter().map(RunId::to_string).collect();
        let runs = runs.join(", ");
        let message = format!("run {runs}: not all changes could be undone: see above");
        let hint = format!(
            "run `stripewise restore` again once the device or filesystem is back or the obstacle is removed; `stripewise restore --forget {}` drops the record of these changes",
            seen.kept.iter().next().map_or(runs, RunId::to_string)
        );
        return Err(Failure::new(message).hint(hint));
    }
    if seen.count == 0 && living.is_empty() && unfinished.is_empty() {
        printer.remark("nothing was left behind");
    }
    Ok(Exit::Done)
}

fn forget(store: &mut Store, name: RunName, printer: &mut Printer) -> Result<Exit> {
    let id = store.summary(name.resolve(store)?)?.id;
    let left = store.leftovers()?.into_iter();
    let left: Vec<Leftover> = left.filter(|left| left.run == id).collect();
    for Leftover { change, .. } in &left {
        record_undone(store, id, change)?;
        printer.remark(&format!("run {id}: forgotten: {}", made(change)));
    }
    if left.is_empty() {
        printer.remark(&format!("run {id} left nothing behind"));
    }
    Ok(Exit::Done)
}

/// The leftovers of dead runs that were found.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The number of changes.
    count: usize,
    /// The runs with changes that could not be undone now.
    kept: BTreeSet<RunId>,
}

/// Undoes the changes of runs whose process is gone.
///
/// # Errors
/// If one of our changes could not be undone; all others are.
pub(crate) fn undo_outstanding(store: &mut Store, printer: &mut Printer) -> Result<Seen> {
    let left = store.leftovers()?;
    let mut seen = Seen {
        count: left.len(),
        ..Seen::default()
    };
    let mut sessions: Vec<Vec<Leftover>> = Vec::new();
    for one in left {
        let is_same = |session: &&mut Vec<Leftover>| {
            session[0].run == one.run && session[0].origin == one.origin
        };
        match sessions.iter_mut().find(is_same) {
            Some(session) => session.push(one),
            None => sessions.push(vec![one]),
        }
    }
    let mut failures: Vec<Failure> = Vec::new();
    for session in &sessions {
        // A failure does not stop the others.
        if let Err(failure) = undo_session(store, session, &mut seen, &mut failures, printer) {
            failures.push(failure);
        }
    }
    if failures.len() > 1 {
        for failure in &failures {
            printer.remark(&format!("failed: {}", failure.message()));
        }
    }
    match failures.into_iter().next() {
        Some(failure) => Err(failure),
        None => Ok(seen),
    }
}

/// Undoes what one session of a run left behind, the latest change first.
fn undo_session(
    store: &mut Store,
    session: &[Leftover],
    seen: &mut Seen,
    failures: &mut Vec<Failure>,
    printer: &mut Printer,
) -> Result<()> {
    let run = session[0].run;
    let announced = match &session[0].origin {
        Origin::SinceStart => stripewise_metal::device::Announced::SinceStart,
        Origin::BeforeStart => stripewise_metal::device::Announced::BeforeStart,
        Origin::Elsewhere(name) => {
            let name = strip_control(name.as_deref().unwrap_or("without a name"));
            printer.remark(&format!(
                "run {run}: {} changes kept: they were made on another machine, `{name}`: run `stripewise restore` there",
                session.len()
            ));
            seen.kept.insert(run);
            return Ok(());
        }
    };
    let changes: Vec<Change> = session.iter().map(|left| left.change.clone()).collect();
    let mut leftovers = Leftovers::find(&changes, announced)?;
    for change in &changes {
        match leftovers.undo(change) {
            Ok(Undone::Done) => {
                record_undone(store, run, change)?;
                printer.remark(&format!("run {run}: {}", sentence(change)));
            }
            Ok(Undone::Already) => {
                record_undone(store, run, change)?;
                printer.remark(&format!("run {run}: nothing to undo: {}", made(change)));
            }
            Ok(Undone::Untouched { why }) => {
                record_undone(store, run, change)?;
                printer.remark(&format!("run {run}: not touched: {}", strip_control(&why)));
            }
            Ok(Undone::Kept { why }) => {
                seen.kept.insert(run);
                printer.remark(&format!(
                    "run {run}: kept: {}: {}",
                    made(change),
                    strip_control(&why)
                ));
            }
            Err(error) => failures.push(error.into()),
        }
    }
    Ok(())
}

fn record_undone(store: &mut Store, run: RunId, change: &Change) -> Result<()> {
    let noted = store.journal(run).undone(change);
    noted.map_err(|error| Failure::new(format!("failed to record an undone change: {error}")))
}

fn names(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths
        .iter()
        .map(|path| format!("`{}`", path.display()))
        .collect();
    names.join(", ")
}

/// Describes a change that a run made.
fn made(change: &Change) -> String {
    match change {
        Change::CreatedDirectory { path, .. } => format!("directory `{}`", path.display()),
        Change::ClaimedDevice { path, .. } => format!("marker on `{}`", path.display()),
        Change::WroteSetting {
            path, after, disk, ..
        } => format!("{} set to `{after}`", setting(path, disk.as_deref())),
        Change::BuiltArray {
            device, members, ..
        } => format!("array `{}` of {}", device.display(), names(members)),
        Change::BuiltContainer {
            device, members, ..
        } => format!("container `{}` of {}", device.display(), names(members)),
        Change::MadeVolumeGroup { name, physical } => {
            format!("volume group `{name}` of {}", names(&devices_of(physical)))
        }
        Change::MadeFilesystem { identity, devices } => {
            format!("filesystem {identity} on {}", names(devices))
        }
        Change::MadePool { name, devices } => format!("pool `{name}` on {}", names(devices)),
        Change::Mounted { directory, .. } => format!("mount `{}`", directory.display()),
    }
}

fn devices_of(physical: &[PhysicalVolume]) -> Vec<PathBuf> {
    let devices = physical.iter().map(|volume| volume.device.clone());
    devices.collect()
}

/// Names a setting; one of a drive with the drive's identity, as its kernel name may have changed.
fn setting(path: &Path, disk: Option<&str>) -> String {
    match disk {
        Some(disk) => format!("`{}` of disk `{}`", path.display(), strip_control(disk)),
        None => format!("`{}`", path.display()),
    }
}

/// Describes what was undone; some of the named parts may have been gone before.
fn sentence(change: &Change) -> String {
    let from = |paths: &[PathBuf]| format!("nothing of it is left on {}", names(paths));
    match change {
        Change::CreatedDirectory { path, .. } => format!("removed `{}`", path.display()),
        Change::ClaimedDevice { path, .. } => {
            format!("released `{}`, without any signature", path.display())
        }
        Change::WroteSetting {
            path, before, disk, ..
        } => format!("restored {} to `{before}`", setting(path, disk.as_deref())),
        Change::BuiltArray {
            device, members, ..
        } => format!("removed array `{}`: {}", device.display(), from(members)),
        Change::BuiltContainer {
            device, members, ..
        } => format!(
            "removed container `{}` with its volumes: {}",
            device.display(),
            from(members)
        ),
        Change::MadeVolumeGroup { name, physical } => {
            let devices = devices_of(physical);
            format!("removed volume group `{name}`: {}", from(&devices))
        }
        Change::MadeFilesystem { identity, devices } => {
            format!("wiped filesystem {identity}: {}", from(devices))
        }
        Change::MadePool { name, devices } => {
            format!("destroyed pool `{name}`: {}", from(devices))
        }
        Change::Mounted { directory, .. } => format!("unmounted `{}`", directory.display()),
    }
}
