//! `stripewise import`: results of fio runs outside Stripewise, and exported runs.

mod export;
mod gathered;
mod logs;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use jiff::tz::TimeZone;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_results::{Run, RunId, Store};

use self::gathered::Gathered;
use self::logs::{Logs, read_bytes};
use super::rename::{run_name, tag};
use super::stored;
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Six fio runs of the same jobs as one run, then show it:
    stripewise import fio old-results/*.json --name \"old disks\"
    stripewise show latest

  A run from another machine:
    stripewise import export runs.parquet
";

/// Import results of fio, and exports of Stripewise
///
/// Puts results that were measured elsewhere into the store, where `stripewise show`, `compare`,
/// `report` and `export` treat them like any other run. `import fio` reads the JSON output of
/// fio, and `import export` reads what `stripewise export` wrote.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    source: Source,
}

/// The program that wrote the results.
#[derive(Debug, Subcommand)]
enum Source {
    Fio(FioArgs),
    Export(export::Args),
}

/// Examples at the end of the long help.
const FIO_EXAMPLES: &str = "\
Examples:
  Run a job file six times, and import the results:
    for i in 1 2 3 4 5 6; do
        fio job.fio --output-format=json+ --output=old-results/$i.json
    done
    stripewise import fio old-results/*.json --name \"old disks\"

  Tag them, to find them again:
    stripewise import fio old-results/*.json --tag old --tag sata
    stripewise runs --tag old
";

/// Import what fio wrote with `--output-format=json` or `json+`
///
/// Combines all files into one run. Each file may hold several runs of fio, one after the other or as
/// a list; of the reports of `--status-interval`, the last counts. Repeats of a job are the samples
/// of one cell. To get intervals, run the same job file at least six times. Use `json+`: its
/// histograms give percentiles over all files.
///
/// Only what fio reports to be the same is a repeat: the name of the job, its host, its files or
/// devices, the disks below them, and every option that can change a measurement. All else is
/// another cell. A run that two files hold counts once.
///
/// Logs that fio wrote beside a JSON file (`NAME_bw.1.log`, `iops`, `lat`, `clat`, `clat_hist`)
/// can be named too; each is matched to its job in the JSON file of the same directory.
///
/// Reads the output of fio 2.0 to 3.42. Adds to the store and does not change the files. If a file
/// cannot be read, an error names it, the others are imported, and the exit code is 2.
#[derive(Debug, clap::Args)]
#[command(after_long_help = FIO_EXAMPLES)]
struct FioArgs {
    /// JSON files of fio, and logs beside them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The name of the run [default: from its files]
    #[arg(long, value_parser = run_name)]
    name: Option<String>,

    /// Tag the run; repeat for several tags
    #[arg(long, value_name = "TAG", value_parser = tag)]
    tag: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    match &args.source {
        Source::Fio(args) => import_fio(args, printer),
        Source::Export(args) => export::run(args, printer),
    }
}

fn import_fio(args: &FioArgs, printer: &mut Printer) -> Result<Exit> {
    let mut logs = Logs::of(&args.files);
    let mut gathered = Gathered::default();
    // One bad file does not stop the others, but it changes the exit code.
    let mut bad = 0_usize;
    for path in logs.documents.clone() {
        let read = read(&path, &mut logs);
        let failures = logs.failures();
        bad += failures.len();
        for failure in &failures {
            printer.failure(failure);
        }
        match read.and_then(|runs| gathered.check(&path, runs)) {
            Ok(runs) => gathered.add(&path, runs, || args.store.open())?,
            Err(failure) => {
                printer.failure(&failure);
                bad += 1;
            }
        }
    }
    for failure in logs.unmatched() {
        printer.failure(&failure);
        bad += 1;
    }
    let Some((mut store, id)) = gathered.finish()? else {
        return Err(match bad {
            0 => Failure::new("no job in these files can be imported"),
            _ => Failure::new("nothing was imported"),
        });
    };
    if let Some(name) = &args.name {
        store.rename_run(id, name)?;
    }
    store.tag_run(id, &args.tag)?;
    print(&gathered, &store, id, args, printer)?;
    Ok(match bad {
        0 => Exit::Done,
        _ => Exit::CouldNot,
    })
}

/// Reads files as one run of a store that `open` makes, for a command that compares them.
///
/// # Errors
/// The first file that cannot be read.
pub(super) fn as_run(files: &[PathBuf], open: impl Fn() -> Result<Store>) -> Result<Run> {
    let mut logs = Logs::of(files);
    let mut gathered = Gathered::default();
    for path in logs.documents.clone() {
        let runs = gathered.check(&path, read(&path, &mut logs)?)?;
        gathered.add(&path, runs, &open)?;
    }
    match gathered.finish()? {
        Some((store, id)) => Ok(store.run(id)?),
        None => Err(Failure::new("no job in these files can be imported")),
    }
}

/// Prints the run as `show` does. The samples of a large run may not fit into memory: it is printed
/// without them.
fn print(
    gathered: &Gathered,
    store: &Store,
    id: RunId,
    args: &FioArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    if gathered.is_small() {
        let run = store.run(id)?;
        return stored::print(&run, store, args.format, false, &args.store, printer);
    }
    let listed = [store.listed_run(id)?];
    let table = stripewise_report::list::list(&listed, &TimeZone::system());
    let counts = Message::new("import-many")
        .count("count", listed[0].summary.samples.all)
        .name("run", id);
    let document = stored::without_samples(&store.run_without_samples(id)?);
    let title = Message::new("show-answer-title").name("id", id);
    let answer = Answer::new(title, document, vec![table.into(), Block::say(counts)]);
    answers::print("import", &answer, args.format, printer)
}

/// Names the file that cannot be imported in the reason for that.
fn not_imported(path: &Path, reason: Failure) -> Failure {
    reason.context(format!("failed to import `{}`", path.display()))
}

/// Reads a JSON file with the logs that may belong to it; puts the unused logs back.
fn read(path: &Path, logs: &mut Logs) -> Result<Vec<stripewise_fio::Import>> {
    let failed = |failure| not_imported(path, failure);
    let bytes = read_bytes(path, FILE_BYTES_MAX).map_err(failed)?;
    let mut own = logs.beside(path);
    let import = stripewise_fio::import_with_logs(&bytes, &mut own);
    logs.put_back(own);
    import.map_err(|error| {
        let hint = error.hint();
        let failure = failed(Failure::new(error));
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}
