//! `stripewise show`: a stored run.

use stripewise_export::{cells, csv};
use stripewise_report::document::Document;

use super::stored;
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Show a run: estimates, intervals, verdicts, warnings
///
/// Estimates are derived from the raw samples each time, so old runs profit from better statistics.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run: a number, or `latest`
    #[arg(default_value = "latest")]
    run: RunName,

    #[command(flatten)]
    store: StoreArgs,

    /// List every cell, also of very many
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    all: bool,

    /// Print one JSON document, with every sample
    #[arg(long)]
    json: bool,

    /// Print one line a cell as CSV
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
        stored::print(&run, args.json, args.all, &args.store, printer)?;
    }
    Ok(Exit::Done)
}
