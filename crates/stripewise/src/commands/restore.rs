//! `stripewise restore`: undo what a crashed run left behind.

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
/// and was not undone, of runs whose process is gone: directories with test files, what was made on
/// devices, and settings of the kernel. What somebody else has changed since is left alone.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut store = args.store.open_existing()?;
    if undo_outstanding(&mut store, printer)? == 0 {
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
            Ok(Undone::Done) => printer.remark(&format!("run {run}: {}", in_words(change))),
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

/// Returns what undoing a change did, in words.
fn in_words(change: &Change) -> String {
    match change {
        Change::CreatedDirectory { path } => format!("removed `{}`", path.display()),
        Change::ClaimedDevice { path, .. } => format!("emptied `{}`", path.display()),
        Change::WroteSetting { path, before, .. } => {
            format!("put `{}` back to `{before}`", path.display())
        }
    }
}
