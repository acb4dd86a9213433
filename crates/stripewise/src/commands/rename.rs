//! `stripewise rename`: the name and tags of a run.

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::{Argument, Message};
use stripewise_report::document::SCHEMA;
use stripewise_results::RunSummary;

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Name a run:
    stripewise rename 1 \"before the upgrade\"

  Tag a run, and find it again:
    stripewise rename latest --tag nightly --tag nvme
    stripewise runs --tag nightly

  Remove a tag:
    stripewise rename latest --untag nightly
";

/// Name a run, and tag it
///
/// The name replaces the study's question wherever the run is listed, shown or reported. Tags
/// group runs: `stripewise runs --tag` finds them. The number of the run does not change.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run: a number, a name, or `latest`
    run: RunName,

    /// The new name
    #[arg(required_unless_present_any = ["tag", "untag"], value_parser = run_name)]
    name: Option<String>,

    /// Add a tag, without spaces or commas; `runs --tag` finds it
    #[arg(long, value_name = "TAG", value_parser = tag)]
    tag: Vec<String>,

    /// Remove a tag
    #[arg(long, value_name = "TAG", value_parser = tag)]
    untag: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// The renamed run, for programs.
#[derive(Serialize)]
struct Renamed {
    schema: u32,
    run: RunSummary,
}

/// Reads a name from the command line.
pub(super) fn run_name(text: &str) -> std::result::Result<String, String> {
    stripewise_results::run_name(text).map_err(|error| error.to_string())
}

/// Reads a tag from the command line.
pub(super) fn tag(text: &str) -> std::result::Result<String, String> {
    stripewise_results::tag(text).map_err(|error| error.to_string())
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut store = args.store.open_existing()?;
    let id = args.run.resolve(&store)?;
    if let Some(name) = &args.name {
        store.rename_run(id, name)?;
    }
    store.untag_run(id, &args.untag)?;
    store.tag_run(id, &args.tag)?;
    let run = store.summary(id)?;
    let done = match run.tags.is_empty() {
        true => Message::new("rename-done"),
        false => {
            let tags = run.tags.iter().cloned().map(Argument::Name);
            Message::new("rename-done-tags").with("tags", Argument::list(tags))
        }
    };
    let done = done.name("run", id).name("name", run.title());
    let schema = SCHEMA;
    let title = Message::new("rename-title");
    let answer = Answer::new(title, Renamed { schema, run }, vec![Block::say(done)]);
    answers::print_aside("rename", &answer, args.format, printer)
}
