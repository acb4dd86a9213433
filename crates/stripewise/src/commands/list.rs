//! `stripewise list`: the runs in the store.

use jiff::tz::TimeZone;
use serde::Serialize;
use stripewise_report::document::SCHEMA;
use stripewise_results::RunSummary;

use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// List the runs in the store
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct List {
    schema: u32,
    runs: Vec<RunSummary>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let runs = args.store.open_existing()?.runs()?;
    if args.json {
        printer.json(&List {
            schema: SCHEMA,
            runs,
        })?;
    } else if runs.is_empty() {
        printer.remark("the store holds no run yet: `stripewise run STUDY` makes one");
    } else {
        let list = stripewise_report::list::list(&runs, &TimeZone::system(), printer.view());
        printer.data(&list)?;
    }
    Ok(Exit::Done)
}
