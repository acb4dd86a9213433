//! `stripewise import export`: runs that `stripewise export` wrote, back into a store.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use serde::Serialize;
use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_export::read::{FILE_BYTES_MAX, read_owned};
use stripewise_report::document::SCHEMA;
use stripewise_results::world::WorldSpec;
use stripewise_results::{ListedRun, Run, RunId, Store};

use crate::answers::{self, FormatArgs};
use crate::commands::check_settings;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::parquet_files::parquet_files;
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Move a run to another machine:
    stripewise export 1 -o runs.parquet
    stripewise import export runs.parquet

  Into a store of its own:
    stripewise import export runs.parquet --store other.db
    stripewise show --store other.db
";

/// Import runs that `stripewise export` wrote as JSON or Parquet
///
/// The imported runs are equal to the exported ones, but get new numbers. The format is
/// recognised by the file's content, not by its name. CSV does not hold whole runs and is refused.
///
/// Adds to the store and does not change the files. Importing a file twice makes two runs. If a
/// file cannot be read, an error names it, the others are imported, and the exit code is 2.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Args {
    /// The files, or folders of Parquet files that `stripewise export --partition-by` wrote
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// The imported runs, for programs.
#[derive(Serialize)]
struct ImportedRuns<'a> {
    schema: u32,
    runs: &'a [ImportedRun],
}

/// An imported run.
#[derive(Serialize)]
struct ImportedRun {
    /// The file it came from.
    file: String,
    /// Its number in that file.
    exported_run: RunId,
    /// Its summary in this store.
    #[serde(flatten)]
    summary: ListedRun,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut taken = Vec::new();
    let mut exit = Exit::Done;
    let mut store = None;
    let mut files = Vec::new();
    for path in &args.files {
        files.extend(parquet_files(path)?);
    }
    for path in &files {
        let result = read_file(path).and_then(|runs| {
            // Do not create a store for a file that cannot be read.
            let store = match &mut store {
                Some(store) => store,
                None => store.insert(args.store.open()?),
            };
            save(path, &runs, store, &mut taken)
        });
        // One bad file does not stop the others, but it changes the exit code.
        if let Err(failure) = result {
            printer.failure(&failure);
            exit = Exit::CouldNot;
        }
    }
    if taken.is_empty() {
        return Err(Failure::new("nothing was imported"));
    }
    let summaries: Vec<ListedRun> = taken.iter().map(|run| run.summary.clone()).collect();
    let table = stripewise_report::list::list(&summaries, &TimeZone::system());
    let runs = ImportedRuns {
        schema: SCHEMA,
        runs: &taken,
    };
    let answer = Answer::new(Message::new("list-title"), runs, vec![table.into()]);
    answers::print("import", &answer, args.format, printer)?;
    Ok(exit)
}

fn read_file(path: &Path) -> Result<Vec<Run>> {
    let failed = |failure| super::not_imported(path, failure);
    let bytes = super::logs::read_bytes(path, FILE_BYTES_MAX).map_err(failed)?;
    let runs = read_owned(bytes).map_err(|error| failed(error.into()))?;
    for run in &runs {
        // What no other command could read later is refused now.
        let damaged = |failure: Failure| {
            failed(failure).hint(
                "export it again; a file that another program has saved is no longer an export",
            )
        };
        check_settings(run).map_err(damaged)?;
    }
    Ok(runs)
}

/// Adds each run of a file to the store. Power cuts keep their prediction if the file holds it: numbers
/// of another store mean nothing here.
fn save(path: &Path, runs: &[Run], store: &mut Store, taken: &mut Vec<ImportedRun>) -> Result<()> {
    let prediction = |run: &Run| run.world.as_ref()?.cuts()?.model_run;
    let (alone, predicted): (Vec<&Run>, Vec<&Run>) =
        runs.iter().partition(|run| prediction(run).is_none());
    let mut numbers = BTreeMap::new();
    for run in alone.into_iter().chain(predicted) {
        let mut copy = Cow::Borrowed(run);
        if let Some(number) = prediction(run) {
            let world = copy.to_mut().world.as_mut();
            let cuts = world.and_then(WorldSpec::cuts_mut);
            cuts.expect("power cuts").model_run = numbers.get(&number).copied();
        }
        let id = store.import_run(&copy)?;
        numbers.insert(run.summary.id, id);
        taken.push(ImportedRun {
            file: path.display().to_string(),
            exported_run: run.summary.id,
            summary: store.listed_run(id)?,
        });
    }
    Ok(())
}
