//! `stripewise show`: a stored run.

use stripewise_export::{cells, csv};
use stripewise_report::document::Document;

use super::stored;
use crate::exit::Exit;
use crate::failure::Result;
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
";

/// Show the results of a run
///
/// Prints what `stripewise run` printed: estimates with their 95 % intervals, verdicts, and
/// warnings, for a finished, interrupted or imported run, and for one that is still being
/// measured. Estimates are computed from the stored samples each time, so a newer version of the
/// program may improve them. Reads only.
///
/// A run of more than 48 cells is shown as its answer and the cells that matter; `--all` lists
/// every cell. For figures, use `stripewise report`; for other programs, `--json`, `--csv` or
/// `stripewise export`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run: a number, or `latest`
    #[arg(default_value = "latest")]
    run: RunName,

    #[command(flatten)]
    store: StoreArgs,

    /// List every cell, even of a large run
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    all: bool,

    /// Print one JSON document, with every sample
    #[arg(long)]
    json: bool,

    /// Print one CSV line for each cell
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let store = args.store.open_existing()?;
    let run = store.run(args.run.resolve(&store)?)?;
    if args.csv {
        let document = Document::new(&run, &stored::asked(&run));
        printer.file(&csv::write(&cells::cells(&[&document])))?;
    } else {
        stored::print(&run, &store, args.json, args.all, &args.store, printer)?;
    }
    Ok(Exit::Done)
}
