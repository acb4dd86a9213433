//! `stripewise import export`: runs that `stripewise export` wrote, back into a store.

use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use serde::Serialize;
use stripewise_export::read::{FILE_BYTES_MAX, Imported, read_owned};
use stripewise_report::document::SCHEMA;
use stripewise_results::{ListedRun, RunId, Store, unix_now_ns};

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// What the long help ends with.
const EXAMPLES: &str = "\
Examples:
  Move a run to another machine:
    stripewise export 1 -o runs.parquet
    stripewise import export runs.parquet

  Into a store of its own:
    stripewise import export runs.parquet --store other.db
    stripewise show --store other.db
";

/// Import runs that `stripewise export` wrote
///
/// JSON and Parquet give the runs back as they were, under new numbers. CSV gives back the
/// samples that count, without histograms and therefore without percentiles. The content of a
/// file decides its format, not its name.
///
/// Adds to the store; the files stay as they are. Importing a file twice makes two runs. A file
/// that cannot be read is named, the others are imported, and the exit code is 2.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Args {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What was imported, for programs.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    runs: &'a [Taken],
}

/// A run that is in the store now.
#[derive(Serialize)]
struct Taken {
    /// The file it came from.
    file: String,
    /// Its number there.
    exported_run: RunId,
    /// Whether it is the run as it was, or what columns tell of it.
    is_whole: bool,
    /// What it is here.
    #[serde(flatten)]
    summary: ListedRun,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut taken = Vec::new();
    let mut exit = Exit::Done;
    let mut store = None;
    for path in &args.files {
        let result = read_file(path).and_then(|imported| {
            // A store is not made for a file that cannot be read.
            let store = match &mut store {
                Some(store) => store,
                None => store.insert(args.store.open()?),
            };
            save(path, imported, store, &mut taken)
        });
        // One bad file does not stop the others, but it changes how we end.
        if let Err(failure) = result {
            printer.failure(&failure);
            exit = Exit::CouldNot;
        }
    }
    if taken.is_empty() {
        return Err(Failure::new("nothing was imported"));
    }
    if args.json {
        printer.json(&Report {
            schema: SCHEMA,
            runs: &taken,
        })?;
        return Ok(exit);
    }
    let summaries: Vec<ListedRun> = taken.iter().map(|run| run.summary.clone()).collect();
    let list = stripewise_report::list::list(&summaries, &TimeZone::system(), printer.view());
    printer.data(&list)?;
    if let Some(run) = taken.iter().find(|run| !run.is_whole) {
        printer.remark(&format!(
            "`{}` is CSV: its runs have no histograms, so their percentiles are not known",
            run.file
        ));
    }
    Ok(exit)
}

fn read_file(path: &Path) -> Result<Imported> {
    let failed =
        |failure: Failure| failure.context(format!("failed to import `{}`", path.display()));
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(|error| failed(error.into()))?;
    read_owned(bytes).map_err(|error| failed(error.into()))
}

/// Adds each run of a file to the store.
fn save(path: &Path, imported: Imported, store: &mut Store, taken: &mut Vec<Taken>) -> Result<()> {
    for mut run in imported.runs {
        // Columns may not say when anything was measured: then it is known since now.
        if !imported.is_whole && run.summary.started_unix_ns == 0 {
            let now = unix_now_ns();
            run.summary.started_unix_ns = now;
            run.summary.ended_unix_ns = Some(now);
        }
        let id = store.import_run(&run)?;
        taken.push(Taken {
            file: path.display().to_string(),
            exported_run: run.summary.id,
            is_whole: imported.is_whole,
            summary: store.listed_run(id)?,
        });
    }
    Ok(())
}
