//! `stripewise push` and `stripewise pull`: copies of runs between stores.

use std::path::PathBuf;

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_report::document::SCHEMA;
use stripewise_results::{Copied, RunId, Store};

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs, note};

/// Examples at the end of the long help of `push`.
const PUSH_EXAMPLES: &str = "\
Examples:
  Share the last run with the team; the server's password is in ~/.pgpass:
    stripewise push latest --to postgres://runs.example/stripewise

  Copy two runs into another file:
    stripewise push 1 2 --to shared.db
";

/// Examples at the end of the long help of `pull`.
const PULL_EXAMPLES: &str = "\
Examples:
  Work on a run of the team without the server:
    stripewise pull 12 --from postgres://runs.example/stripewise

  Keep a run of a server that a service file describes:
    stripewise pull latest --from service=runs --store archive.db
";

/// Copy runs into another store
///
/// A store is a SQLite file or a PostgreSQL server (docs/store.md). Every row is copied as it is, under
/// the run's number in the other store, with names, tags and acknowledgements. A run that the other
/// store has already is recognized by its content: copying again adds nothing, or what is new since.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PUSH_EXAMPLES)]
pub(crate) struct PushArgs {
    /// The runs: numbers, names, or `latest`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<RunName>,

    /// The store to copy them into; it is made if there is none
    #[arg(long, value_name = "STORE")]
    to: PathBuf,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// Copy runs from another store
///
/// As `stripewise push`, the other way: a SQLite file or a PostgreSQL server (docs/store.md) is read,
/// and the runs go into the store of this machine, or of `--store`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PULL_EXAMPLES)]
pub(crate) struct PullArgs {
    /// The runs: numbers or names in the other store, or `latest`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<RunName>,

    /// The store to copy them from
    #[arg(long, value_name = "STORE")]
    from: PathBuf,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// What was copied, for programs.
#[derive(Serialize)]
struct Copies {
    schema: u32,
    copies: Vec<CopiedRun>,
}

/// A run and its copy.
#[derive(Serialize)]
struct CopiedRun {
    run: RunId,
    copy: RunId,
    /// `added`, `continued` or `already_there`.
    what: &'static str,
    samples_added: u64,
}

pub(crate) fn push(args: &PushArgs, printer: &mut Printer) -> Result<Exit> {
    let from = args.store.open_existing()?;
    let ids = RunName::resolve_all(&args.runs, &from)?;
    let mut to = Store::open(&args.to)?;
    note(&args.to);
    copy("push", &ids, (&from, &mut to), args.format, printer)
}

pub(crate) fn pull(args: &PullArgs, printer: &mut Printer) -> Result<Exit> {
    let from = Store::open_existing(&args.from)?;
    note(&args.from);
    let ids = RunName::resolve_all(&args.runs, &from)?;
    let mut to = args.store.open()?;
    copy("pull", &ids, (&from, &mut to), args.format, printer)
}

/// Copies the runs one by one: one that cannot be copied does not keep the others.
fn copy(
    command: &'static str,
    ids: &[RunId],
    (from, to): (&Store, &mut Store),
    format: FormatArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    let mut copies = Vec::new();
    let mut blocks = Vec::new();
    let mut failed = None;
    for run in ids {
        match from.copy_run(*run, to) {
            Ok(copied) => {
                let (what, id, samples_added) = match copied {
                    Copied::Added { samples, .. } => ("added", "copy-added", samples),
                    Copied::Continued { samples, .. } => ("continued", "copy-continued", samples),
                    Copied::Already { .. } => ("already_there", "copy-already-there", 0),
                };
                let message = Message::new(id).name("run", run).name("copy", copied.run());
                blocks.push(Block::say(message.count("samples", samples_added)));
                copies.push(CopiedRun {
                    run: *run,
                    copy: copied.run(),
                    what,
                    samples_added,
                });
            }
            Err(error) => {
                let failure = Failure::from(error).context(format!("run {run} was not copied"));
                failed = failed.or(Some(failure));
            }
        }
    }
    let schema = SCHEMA;
    let answer = Answer::new(
        Message::new("copy-title"),
        Copies { schema, copies },
        blocks,
    );
    let exit = answers::print_aside(command, &answer, format, printer)?;
    failed.map_or(Ok(exit), Err)
}
