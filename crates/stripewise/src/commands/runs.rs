//! `stripewise runs`: the runs in the store.

use jiff::tz::TimeZone;
use serde::Serialize;
use stripewise_answer::Answer;
use stripewise_catalogue::{Argument, Message};
use stripewise_report::document::SCHEMA;
use stripewise_report::list::list;
use stripewise_results::ListedRun;

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  List all runs, or those with two tags:
    stripewise runs
    stripewise runs --tag nightly --tag nvme

  Print the number of each finished run:
    stripewise runs --json | jq '.runs[] | select(.state == \"done\") | .id'
";

/// List the runs in the store
///
/// Prints one line for each run: its number, when it began, its state, its world, how many cells
/// and samples it has, and its name or question. The other commands name a run by its number, or
/// by `latest`, the run started last. An interrupted run can be continued with `stripewise resume`.
/// Reads only.
///
/// `stripewise rename` gives runs names and tags, and `stripewise delete` removes runs.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// List only runs with this tag; repeat for runs that have all of several tags
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
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
    if runs.is_empty() && all > 0 {
        let tags = args.tag.iter().map(|tag| format!("`{tag}`"));
        let none = Message::new("list-none-tagged").count("count", args.tag.len());
        printer.remark(&none.with("tags", Argument::names(tags)));
    } else if runs.is_empty() {
        printer.remark(&Message::new("list-no-runs"));
    }
    let table = list(&runs, &TimeZone::system());
    let schema = SCHEMA;
    let answer = Answer::new(
        Message::new("list-title"),
        List { schema, runs },
        vec![table.into()],
    );
    answers::print("runs", &answer, args.format, printer)
}
