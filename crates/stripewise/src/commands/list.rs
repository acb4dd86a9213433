//! `stripewise list`: the runs in the store.

use jiff::tz::TimeZone;
use serde::Serialize;
use stripewise_report::document::SCHEMA;
use stripewise_results::ListedRun;

use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// List the runs in the store
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List only runs with this tag; once for each tag that they must have
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct List {
    schema: u32,
    runs: Vec<ListedRun>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut runs = args.store.open_existing()?.listed_runs()?;
    let all = runs.len();
    runs.retain(|run| args.tag.iter().all(|tag| run.summary.tags.contains(tag)));
    if args.json {
        printer.json(&List {
            schema: SCHEMA,
            runs,
        })?;
    } else if runs.is_empty() && all > 0 {
        printer.remark(&format!(
            "no run has the tag `{}`",
            args.tag.join("` and `")
        ));
    } else if runs.is_empty() {
        printer.remark("the store holds no run yet: `stripewise run STUDY` makes one");
    } else {
        let list = stripewise_report::list::list(&runs, &TimeZone::system(), printer.view());
        printer.data(&list)?;
    }
    Ok(Exit::Done)
}
