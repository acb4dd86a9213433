//! `stripewise pages`: a store as static pages, for any web server.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_report::document::SCHEMA;
use stripewise_report::html;
use stripewise_report::list::list;
use stripewise_report::render::index;
use stripewise_results::{RunId, Store};

use super::{report, stored};
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::output_file::{Existing, OutputFile, Replaces};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Pages for a web server, made again every night:
    stripewise pages --out pages
    rsync --archive --delete pages/ web.example:/srv/www/runs/
";

/// Write a store as static pages
///
/// The directory gets index.html, a list of all runs, and a report of each run: run-1.html and so on.
/// They need no server of ours: any web server can serve them, and a browser opens them as files. A
/// page that has not changed is not written again. The pages of runs that are gone are removed; other
/// files in the directory stay, and a file of the same name that is not such a page is an error.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of the pages, one for each store; it is made if there is none
    #[arg(long, value_name = "DIRECTORY")]
    out: PathBuf,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// What was written, for programs.
#[derive(Serialize)]
struct Pages {
    schema: u32,
    directory: PathBuf,
    /// How many pages there are, with the list.
    pages: usize,
    written: usize,
    removed: usize,
}

/// The command that a page names as its maker.
const MAKER: &str = "pages";

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let store = args.store.open_existing()?;
    let runs = store.listed_runs()?;
    std::fs::create_dir_all(&args.out).map_err(|error| {
        Failure::new(format!("failed to make `{}`: {error}", args.out.display()))
    })?;
    let mut written = 0;
    let mut failed = None;
    let mut there = BTreeSet::new();
    for listed in runs.iter().filter(|run| run.summary.cell_count > 0) {
        let id = listed.summary.id;
        match one(id, &store, args, printer) {
            Ok(changed) => {
                there.insert(name_of(id));
                written += usize::from(changed);
            }
            Err(failure) => {
                let failure = failure.context(format!("run {id} has no page"));
                failed = failed.or(Some(failure));
            }
        }
    }
    let links: Vec<Option<String>> = runs
        .iter()
        .map(|run| Some(name_of(run.summary.id)).filter(|name| there.contains(name)))
        .collect();
    let mut table = list(&runs, &TimeZone::UTC);
    table.rows.reverse();
    let links: Vec<Option<String>> = links.into_iter().rev().collect();
    let title = Message::new("list-title");
    let index = index(MAKER, printer.view().language(), &title, &table, &links);
    written += usize::from(write(&args.out.join("index.html"), &index)?);
    let removed = remove_others(&args.out, &there)?;

    let done = Message::new("pages-done")
        .count("pages", there.len() + 1)
        .count("written", written)
        .count("removed", removed)
        .name("directory", args.out.display());
    let document = Pages {
        schema: SCHEMA,
        directory: args.out.clone(),
        pages: there.len() + 1,
        written,
        removed,
    };
    let answer = Answer::new(
        Message::new("pages-title"),
        document,
        vec![Block::say(done)],
    );
    let exit = answers::print_aside("pages", &answer, args.format, printer)?;
    failed.map_or(Ok(exit), Err)
}

/// Writes the page of a run; returns whether it has changed.
fn one(id: RunId, store: &Store, args: &Args, printer: &Printer) -> Result<bool> {
    let run = store.run(id)?;
    let page = report::page(
        std::slice::from_ref(&run),
        |run| stored::asked_in(run, store),
        &args.store.again(),
    )?;
    let text = html::report_by(MAKER, &page, printer.language())
        .map_err(|error| Failure::new(format!("failed to write the page as JSON: {error}")))?;
    write(&args.out.join(name_of(id)), &text)
}

fn name_of(run: RunId) -> String {
    format!("run-{run}.html")
}

/// Returns whether a name is that of a run's page.
fn is_name(name: &str) -> bool {
    let number = name
        .strip_prefix("run-")
        .and_then(|rest| rest.strip_suffix(".html"));
    number.is_some_and(|number| number.parse::<RunId>().is_ok())
}

/// Writes a page unless it is there as it is; returns whether it was written.
fn write(path: &Path, text: &str) -> Result<bool> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(false);
    }
    let is_page = |old: &Existing<'_>| html::is_page(MAKER, &old.head);
    OutputFile::new(path, Replaces::marked(&is_page)).write_bytes(text.as_bytes())?;
    Ok(true)
}

/// Removes the pages of runs that are gone; returns how many.
fn remove_others(directory: &Path, there: &BTreeSet<String>) -> Result<usize> {
    let failed = |error: std::io::Error| {
        Failure::new(format!(
            "failed to look into `{}`: {error}",
            directory.display()
        ))
    };
    let mut removed = 0;
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let is_gone = name
            .to_str()
            .is_some_and(|name| is_name(name) && !there.contains(name));
        if !is_gone || !entry.file_type().map_err(failed)?.is_file() {
            continue;
        }
        // A file that cannot be read is not known to be ours.
        if let Ok(bytes) = std::fs::read(entry.path())
            && html::is_page(MAKER, &bytes)
        {
            std::fs::remove_file(entry.path()).map_err(failed)?;
            removed += 1;
        }
    }
    Ok(removed)
}
