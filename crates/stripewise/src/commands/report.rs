//! `stripewise report`: stored runs as one HTML file.

use std::path::{Path, PathBuf};

use stripewise_answer::Answer;
use stripewise_catalogue::{Argument, Message};
use stripewise_report::document::RunSettings;
use stripewise_report::html;
use stripewise_report::page::{Input, Page, RUNS_MAX};
use stripewise_results::{Run, RunId, Store};
use stripewise_sim::world::Model;

use super::stored;
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::output_file::{Existing, OutputFile, Replaces};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  The latest run, as stripewise-NUMBER.html:
    stripewise report

  Before and after an upgrade in one report:
    stripewise report 1 2 -o before-and-after.html

  A report that opens in German:
    stripewise report 2 --language de -o bericht.html
";

/// Write runs as one HTML file
///
/// Writes a self-contained HTML file and prints its name: the answer in words, charts with
/// intervals, heat maps, tables, facts about the machine, warnings, the commands to repeat it,
/// and the data itself. It loads nothing from a network, so it can be mailed or attached to a
/// ticket. It is in English and German.
///
/// Several runs of the same cells share the charts: a prediction and its measurement, or the same
/// study before and after an upgrade. The first run supplies the question.
///
/// With `--json` or `--format`, no file is written: the runs go to standard output in that medium,
/// with all cells.
///
/// For a page that follows a run as it is measured, use `stripewise serve`; for single figures
/// and tables, `stripewise export`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The runs: numbers, names, or `latest`; the first one supplies the question
    #[arg(default_value = "latest", value_name = "RUN", num_args = 1..)]
    runs: Vec<RunName>,

    /// The file to write; `-` is standard output [default: stripewise-RUN.html]
    ///
    /// An earlier report is replaced. Any other existing file is an error and stays as it is.
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["json", "format"])]
    output: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let store = args.store.open_existing()?;
    let ids = RunName::resolve_all(&args.runs, &store)?;
    if ids.len() > RUNS_MAX {
        let message = format!("{} runs are too many for one report", ids.len());
        return Err(Failure::new(message).hint(format!("name at most {RUNS_MAX}")));
    }
    let runs = ids
        .iter()
        .map(|id| Ok(store.run(*id)?))
        .collect::<Result<Vec<Run>>>()?;
    let runs = with_predictions(runs, &store);
    let page = page(
        &runs,
        |run| stored::asked_in(run, &store),
        &args.store.again(),
    )?;
    if args.format.is_given() {
        let blocks = runs
            .iter()
            .flat_map(|run| stored::answer(run, &store, true, &args.store).1);
        let title = Message::new("report-title")
            .count("count", ids.len())
            .with("runs", Argument::names(&ids));
        let answer = Answer::new(title, page, blocks.collect());
        return answers::print("report", &answer, args.format, printer);
    }
    args.format.refuse_verbose("a page folds the details")?;
    let text = html::report(&page, printer.language())
        .map_err(|error| Failure::new(format!("failed to write the report as JSON: {error}")))?;
    let default = || PathBuf::from(default_name(&ids));
    let path = args.output.clone().unwrap_or_else(default);
    let is_report = |old: &Existing<'_>| html::is_page("report", &old.head);
    write(
        &OutputFile::new(&path, Replaces::marked(&is_report)),
        &text,
        printer,
    )?;
    Ok(Exit::Done)
}

/// Writes a page to a file, whose name it prints, or to standard output: `-`.
pub(super) fn write(to: &OutputFile, html: &str, printer: &mut Printer) -> Result<()> {
    if to.path() == Path::new("-") {
        return printer.file(html.as_bytes());
    }
    to.write_bytes(html.as_bytes())?;
    printer.data(&format!("{}\n", to.path().display()))
}

/// Puts the model's predictions before power cuts, unless they are among the runs.
fn with_predictions(runs: Vec<Run>, store: &Store) -> Vec<Run> {
    let has = |found: &[Run], id: RunId| found.iter().any(|run| run.summary.id == id);
    let mut all: Vec<Run> = Vec::new();
    for run in &runs {
        let predicted = stored::predicted(run, store);
        let missing = predicted.filter(|model| {
            let id = model.summary.id;
            !has(&runs, id) && !has(&all, id) && runs.len() + all.len() < RUNS_MAX
        });
        all.extend(missing);
    }
    all.extend(runs);
    all
}

/// Returns a page of stored runs.
pub(crate) fn page(
    runs: &[Run],
    asked: impl Fn(&Run) -> RunSettings,
    store_option: &str,
) -> Result<Page> {
    let asked: Vec<RunSettings> = runs.iter().map(asked).collect();
    let models: Vec<Option<Model>> = runs.iter().map(stored::model).collect::<Result<_>>()?;
    let inputs: Vec<Input> = runs
        .iter()
        .zip(&asked)
        .zip(&models)
        .map(|((run, asked), model)| Input {
            run,
            asked,
            model: model.as_ref(),
            fresh: None,
            store_option,
        })
        .collect();
    Page::new(&inputs).ok_or_else(|| Failure::new("a report needs a run"))
}

fn default_name(ids: &[RunId]) -> String {
    let ids: Vec<String> = ids.iter().map(RunId::to_string).collect();
    format!("stripewise-{}.html", ids.join("-"))
}
