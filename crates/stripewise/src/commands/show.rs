//! `stripewise show`: a stored run.

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_export::{cells, csv};
use stripewise_report::document::{Document, SCHEMA};
use stripewise_results::{Run, RunCounts};

use super::stored;
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Show the latest run, or run 2 with every cell:
    stripewise show
    stripewise show 2 --all

  Print the median bandwidth of each cell:
    stripewise show 1 --json \\
        | jq '.cells[].estimates.bandwidth_bytes_per_s.value'

  Count the samples that are safe in the store, while run 3 is measured:
    stripewise show 3 --count
";

/// Show the results of a run
///
/// Prints what `stripewise run` printed: estimates with their 95 % intervals, verdicts, and
/// warnings, for a finished, interrupted or imported run, and for one that is still being
/// measured. Estimates are computed from the stored samples each time, so a newer version of the
/// program may improve them. Reads only.
///
/// A run of more than 48 cells is shown as its answer and the cells that matter; `--all` lists
/// every cell. `--count` only counts: cells and samples, for checks from outside. For figures, use
/// `stripewise report`; for other programs, `--json`, `--csv` or `stripewise export`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run: a number, a name, or `latest`
    #[arg(default_value = "latest")]
    run: RunName,

    #[command(flatten)]
    store: StoreArgs,

    /// List every cell, even of a large run
    #[arg(long, conflicts_with_all = ["json", "csv", "format"])]
    all: bool,

    /// Print only how many cells and samples the store holds of the run
    ///
    /// For checks from outside, such as after a crash: a line each for `run`, `state`, `cells`,
    /// `samples` and its parts `warm_up`, `counted` and `distorted`, as NAME VALUE; with `--json` one
    /// object with these keys. A sample that is counted once is never lost. The names stay the same
    /// in later versions and in every language.
    #[arg(long, conflicts_with_all = ["all", "csv", "format"])]
    count: bool,

    /// Print only the run's study, to be saved: it was a file, words or a job file when it ran
    #[arg(long, conflicts_with_all = ["all", "csv", "format", "json", "count"])]
    study: bool,

    #[command(flatten)]
    format: FormatArgs,

    /// Print one CSV line for each cell, with all metrics
    #[arg(long, conflicts_with_all = ["json", "format"])]
    csv: bool,
}

/// What `--count --json` prints.
#[derive(Debug, Serialize)]
struct Count {
    schema: u32,
    #[serde(flatten)]
    counts: RunCounts,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let store = args.store.open_existing()?;
    let id = args.run.resolve(&store)?;
    if args.count {
        return count(store.counts(id)?, args.format, printer);
    }
    let run = store.run(id)?;
    if args.study {
        return study(&run, printer);
    }
    if args.csv {
        let document = Document::new(&run, &stored::asked(&run));
        printer.file(&csv::write(&cells::cells(&[&document])))?;
        return Ok(Exit::Done);
    }
    stored::print(&run, &store, args.format, args.all, &args.store, printer)
}

/// Prints the text of a run's study.
fn study(run: &Run, printer: &mut Printer) -> Result<Exit> {
    if run.study_text.is_empty() {
        let message = format!("run {} has no study: it was imported", run.summary.id);
        return Err(Failure::new(message).hint("write a study of what you want to measure"));
    }
    printer.file(run.study_text.as_bytes())?;
    Ok(Exit::Done)
}

/// Prints the counts of a run. The names are an interface, so they are the same in every language.
fn count(counts: RunCounts, format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
    let RunCounts {
        run,
        state,
        cells,
        samples,
        warm_up,
        counted,
        distorted,
    } = &counts;
    let lines = format!(
        "run {run}\nstate {state}\ncells {cells}\nsamples {samples}\nwarm_up {warm_up}\ncounted {counted}\ndistorted {distorted}\n"
    );
    let title = Message::new("show-answer-title").name("id", run);
    let schema = SCHEMA;
    let answer = Answer::new(title, Count { schema, counts }, vec![Block::Code(lines)]);
    answers::print("show", &answer, format, printer)
}
