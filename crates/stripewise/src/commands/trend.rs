//! `stripewise trend`: when cells of a study changed.

use serde::Serialize;
use stripewise_answer::{Answer, Block, Tone};
use stripewise_catalogue::Message;
use stripewise_history::Detector;
use stripewise_history::answer::{SeriesPart, TrendAnswer};
use stripewise_results::split_cell;

use super::explain::selected;
use super::over_time::files::{self, FromFiles};
use super::over_time::{Beside, Copies, HistoryArgs, collect, copied, is_same_host, none_found};
use crate::answers;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::RunName;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  When the cells of the latest run's study changed:
    stripewise trend

  One cell, latency, with pictures:
    stripewise trend latest:1 --metric latency_p99 --page trend.html

  In CI; exit code 1 if there is a change that nobody acknowledged:
    stripewise trend --tag nightly --fail-on-change

  Series of another program, from CSV with the columns `time` and `value`:
    stripewise trend --from nightly.csv
";

/// Show when the cells of a study changed
///
/// Each cell of RUN is a series: its median in all finished runs of the same study, in the order of time.
/// A series is cut where its level changed. Each change has the interval of its place and of its size,
/// and the facts that differ before and after it, as `explain` compares them.
///
/// Neighbours may be correlated, as they are on real machines: a series of noise is reported with at most
/// 5 %. "cannot tell" is an answer: with fewer than 16 runs, or where runs are so few or neighbours so
/// alike that even a large step would often be missed. docs/history.md says how it is done and how often it is right.
///
/// `stripewise ack` marks a change as known. With `--fail-on-change` the exit code is 1 if there is
/// another one. Reads only.
#[derive(Debug, clap::Args)]
#[command(mut_arg("format", |arg| arg.value_parser(answers::with_gauges())))]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run whose cells are meant: a number, a name, or `latest`; or some of its cells, `RUN:CELL`
    #[arg(
        default_value = "latest",
        value_name = "RUN[:CELL]",
        conflicts_with = "from"
    )]
    run: String,

    /// Exit with 1 if a series has a change that is not acknowledged
    #[arg(long)]
    fail_on_change: bool,

    #[command(flatten)]
    files: FromFiles,

    #[command(flatten)]
    history: HistoryArgs,
}

/// The answer for programs.
#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    answer: TrendAnswer,
    /// How many runs of the study are left out, as they are of other hosts.
    other_hosts: usize,
    /// How many rows of files have no time, or no value that can be used.
    dropped_rows: usize,
    /// How many rows of files have the series and time of another one.
    merged_rows: usize,
    /// The runs or files that are copies of others and do not count.
    copies: Vec<String>,
}

/// Series, and what is in none of them.
struct Found {
    series: Vec<SeriesPart>,
    /// How many runs of the study are left out, as they are of other hosts.
    other_hosts: usize,
    /// How many rows of files are dropped, and how many share a point.
    rows: [usize; 2],
    copies: Vec<String>,
    /// What is said of what is left out.
    blocks: Vec<Block>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let history = &args.history;
    answers::check_page("trend", history.page.as_deref())?;
    let found = match args.files.from.is_empty() {
        true => of_store(args)?,
        false => of_files(args)?,
    };
    let document = TrendAnswer::new(history.metric, history.level(), found.series);
    let (mut blocks, summary) = (document.blocks(), document.summary());
    blocks.extend(found.blocks);
    let is_no = args.fail_on_change && document.is_open();
    let [dropped_rows, merged_rows] = found.rows;
    let document = Document {
        answer: document,
        other_hosts: found.other_hosts,
        dropped_rows,
        merged_rows,
        copies: found.copies,
    };
    let answer = Answer::new(Message::new("trend-title"), document, blocks)
        .summary(summary)
        .no_if(is_no);
    answers::give(
        "trend",
        &answer,
        history.page.as_deref(),
        history.format,
        printer,
    )
}

/// Returns the series of the run that is meant, from the store.
fn of_store(args: &Args) -> Result<Found> {
    let history = &args.history;
    let (name, selector) = split_cell(&args.run);
    let name: RunName = name
        .parse()
        .map_err(|error: String| Failure::new(format!("`{}`: {error}", args.run)))?;
    let store = history.store.open_existing()?;
    let of = store.run(name.resolve(&store)?)?;
    let cells = match selector {
        Some(selector) => selected(&of, selector)?,
        None => (0..of.cells.len()).collect(),
    };
    let mut runs = history.runs(&store)?;
    if runs.is_empty() {
        return Err(none_found(&store));
    }
    runs.retain(|run| run.study_name == of.summary.study_name);
    let of_study = runs.len();
    runs.retain(|run| is_same_host(run, &of.summary));
    let other_hosts = of_study - runs.len();
    let acknowledged = store.acknowledgements()?;
    let mut detector = Detector::default();
    let (mut copies, mut beside) = (Copies::default(), Beside::new(&store));
    let series = collect(&store, &runs, &of, &cells, history.metric, &mut copies)?
        .series
        .into_iter()
        .map(|series| {
            let found = series.trend(&mut detector);
            let (metric, level) = (history.metric, history.level());
            series.part(&found, metric, level, &mut beside, &acknowledged)
        })
        .collect::<Result<Vec<SeriesPart>>>()?;
    let mut blocks = Vec::new();
    if other_hosts > 0 {
        let message = Message::new("history-other-hosts").count("runs", other_hosts);
        blocks.push(Block::toned(Tone::Dim, message));
    }
    let copies = copies.found();
    blocks.extend(copied("history-copied-runs", &copies));
    Ok(Found {
        series,
        other_hosts,
        rows: [0, 0],
        copies,
        blocks,
    })
}

/// Returns the series of files.
fn of_files(args: &Args) -> Result<Found> {
    let history = &args.history;
    let found = files::series(&args.files.from, history.metric)?;
    let blocks = found.blocks();
    let mut detector = Detector::default();
    let series = found.series.into_iter();
    let series = series.map(|one| one.part(&mut detector, history.metric, history.level()));
    Ok(Found {
        series: series.collect(),
        other_hosts: 0,
        rows: [found.dropped, found.merged],
        copies: found.copies,
        blocks,
    })
}
