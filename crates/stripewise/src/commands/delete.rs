//! `stripewise delete`: removes runs from the store.

use jiff::tz::TimeZone;
use serde::Serialize;
use stripewise_answer::{Answer, Block, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_report::document::SCHEMA;
use stripewise_report::render::terminal;
use stripewise_results::{Deleted, ListedRun, RunId};

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Keep a copy, then delete:
    stripewise export 1 -o run-1.parquet
    stripewise delete 1

  Delete two runs in a script:
    stripewise delete 3 4 --yes
";

/// Delete runs from the store
///
/// Deletes the named runs with all their samples; this cannot be undone. If one of them is still
/// being measured, none is deleted. On a terminal it asks first; elsewhere it needs `--yes`.
///
/// The record of what a run changed on the machine stays in the store until `stripewise restore`
/// has undone it. The file of the store does not shrink; later runs reuse the space. To keep a
/// copy of a run, export it first: `stripewise import export` reads it back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The runs: numbers, names, or `latest`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<RunName>,

    /// Delete without asking; required if there is no terminal
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// The deleted runs, for programs.
#[derive(Serialize)]
struct DeletedRuns {
    schema: u32,
    deleted: Vec<DeletedRun>,
}

#[derive(Serialize)]
struct DeletedRun {
    run: RunId,
    /// How many changes of the machine `restore` still has to undo.
    leftovers: u64,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut store = args.store.open_existing()?;
    let runs = RunName::resolve_all(&args.runs, &store)?;
    let listed: Vec<ListedRun> = runs
        .iter()
        .map(|run| store.listed_run(*run))
        .collect::<std::result::Result<_, _>>()?;
    if !args.yes {
        confirm(&listed, printer)?;
    }
    let deleted = store.delete_runs(&runs)?;
    report(&deleted, args, printer)
}

/// Asks whether to delete the runs; fails unless the answer is yes.
fn confirm(runs: &[ListedRun], printer: &mut Printer) -> Result<()> {
    let table = stripewise_report::list::list(runs, &TimeZone::system());
    let list = terminal(&[table.into()], printer.view());
    if !printer.can_ask() {
        let them = match runs {
            [_] => "this run",
            _ => "these runs",
        };
        printer.list(&list);
        return Err(Failure::new(format!("{them} would be deleted permanently"))
            .hint("add `--yes` if you are sure"));
    }
    printer.show(&list);
    let answer = printer.ask(&Message::new("delete-type-yes").count("count", runs.len()))?;
    match answer.as_str() {
        "yes" => Ok(()),
        _ => Err(Failure::new("nothing was deleted")),
    }
}

fn report(deleted: &[Deleted], args: &Args, printer: &mut Printer) -> Result<Exit> {
    let part = |deleted: &Deleted| DeletedRun {
        run: deleted.run,
        leftovers: deleted.leftovers,
    };
    let document = DeletedRuns {
        schema: SCHEMA,
        deleted: deleted.iter().map(part).collect(),
    };
    let runs = deleted
        .iter()
        .map(|one| Argument::Name(one.run.to_string()));
    let done = Message::new("delete-done")
        .count("count", deleted.len())
        .with("runs", Argument::list(runs));
    let left = deleted.iter().filter(|one| one.leftovers > 0).map(|one| {
        let command = format!("stripewise restore{}", args.store.again());
        let message = Message::new("delete-leftovers")
            .name("run", one.run)
            .count("count", one.leftovers);
        Block::toned(Tone::Warn, message.name("command", command))
    });
    let blocks = std::iter::once(Block::say(done)).chain(left).collect();
    let answer = Answer::new(Message::new("delete-title"), document, blocks);
    answers::print_aside("delete", &answer, args.format, printer)
}
