//! `stripewise drift`: which of all series changed.

use serde::Serialize;
use stripewise_answer::{Answer, Block, Tone};
use stripewise_catalogue::Message;
use stripewise_history::answer::{DriftAnswer, SeriesPart};
use stripewise_history::{Dependence, Detector, LEVEL_MAX, false_shares};
use stripewise_results::RunSummary;

use super::over_time::files::{self, FromFiles};
use super::over_time::{Beside, Copies, HistoryArgs, collect, copied, is_same_host, none_found};
use crate::answers;
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Which cells of any study changed their bandwidth:
    stripewise drift

  The same for CI; exit code 1 if there is one:
    stripewise drift --fail-on-change

  Of all hosts that exported sketches into one folder:
    stripewise drift --from /srv/sketches
";

/// Show which of all series changed
///
/// Every cell of the newest run of each study is a series, as in `stripewise trend`. Where a hundred
/// series of noise are judged, five have a change by chance. So this names fewer: of the series
/// named, at most `--level` are expected to be false (Benjamini and Hochberg 1995).
///
/// Cells of one run share their machine, and so their noise. `--any-dependence` is for series that
/// depend on each other in any way (Benjamini and Yekutieli 2001), and names fewer still. Reads only.
#[derive(Debug, clap::Args)]
#[command(mut_arg("format", |arg| arg.value_parser(answers::with_gauges())))]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Exit with 1 if a series is named that has a change without an acknowledgement
    #[arg(long)]
    fail_on_change: bool,

    /// Assume nothing about how series depend on each other
    #[arg(long)]
    any_dependence: bool,

    #[command(flatten)]
    files: FromFiles,

    #[command(flatten)]
    history: HistoryArgs,
}

/// The answer for programs.
#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    answer: DriftAnswer,
    /// How many cells of earlier runs the newest run of their study and host does not have.
    gone_cells: usize,
    /// How many rows of files have no time, or no value that can be used.
    dropped_rows: usize,
    /// How many rows of files have the series and time of another one.
    merged_rows: usize,
    /// The runs or files that are copies of others and do not count.
    copies: Vec<String>,
}

/// Series with their changes, and what is in none of them.
struct Found {
    parts: Vec<SeriesPart>,
    /// How many cells of earlier runs the newest run of their study and host does not have.
    gone_cells: usize,
    /// How many rows of files are dropped, and how many share a point.
    rows: [usize; 2],
    copies: Vec<String>,
    /// What is said of what is left out.
    blocks: Vec<Block>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let history = &args.history;
    answers::check_page("drift", history.page.as_deref())?;
    let Found {
        mut parts,
        gone_cells,
        rows: [dropped_rows, merged_rows],
        copies,
        blocks: left_out,
    } = match args.files.from.is_empty() {
        true => of_store(history)?,
        false => of_files(args)?,
    };
    let judged: Vec<f64> = parts.iter().filter_map(|part| part.p_value).collect();
    let dependence = match args.any_dependence {
        true => Dependence::Any,
        false => Dependence::Positive,
    };
    let shares = false_shares(&judged, dependence);
    let judged = parts.iter_mut().filter(|part| part.p_value.is_some());
    for (part, share) in judged.zip(shares) {
        part.false_share = Some(share);
    }
    let document = DriftAnswer::new(history.metric, history.level(), parts);
    let (mut blocks, summary) = (document.blocks(), document.summary());
    blocks.extend(left_out);
    let is_no = args.fail_on_change && document.is_open();
    let document = Document {
        answer: document,
        gone_cells,
        dropped_rows,
        merged_rows,
        copies,
    };
    let answer = Answer::new(Message::new("drift-title"), document, blocks)
        .summary(summary)
        .no_if(is_no);
    answers::give(
        "drift",
        &answer,
        history.page.as_deref(),
        history.format,
        printer,
    )
}

/// Returns the series of all runs in the store that are meant.
fn of_store(history: &HistoryArgs) -> Result<Found> {
    let store = history.store.open_existing()?;
    let runs = history.runs(&store)?;
    if runs.is_empty() {
        return Err(none_found(&store));
    }
    let acknowledged = store.acknowledgements()?;
    let mut detector = Detector::default();
    let mut parts: Vec<SeriesPart> = Vec::new();
    let mut gone = 0;
    let (mut copies, mut beside) = (Copies::default(), Beside::new(&store));
    for of_study in by_study_and_host(&runs) {
        let Some(newest) = of_study.last() else {
            continue;
        };
        let of = store.run(newest.id)?;
        let cells: Vec<usize> = (0..of.cells.len()).collect();
        let metric = history.metric;
        let collected = collect(&store, &of_study, &of, &cells, metric, &mut copies)?;
        gone += collected.gone.len();
        for series in collected.series {
            let found = series.trend(&mut detector);
            // How many are named is decided by all series together, so their changes are those at the
            // loosest level.
            parts.push(series.part(&found, metric, LEVEL_MAX, &mut beside, &acknowledged)?);
        }
    }
    let mut blocks = Vec::new();
    if gone > 0 {
        let message = Message::new("history-gone-cells").count("cells", gone);
        blocks.push(Block::toned(Tone::Dim, message));
    }
    let copies = copies.found();
    blocks.extend(copied("history-copied-runs", &copies));
    Ok(Found {
        parts,
        gone_cells: gone,
        rows: [0, 0],
        copies,
        blocks,
    })
}

/// Returns the series of files.
fn of_files(args: &Args) -> Result<Found> {
    let metric = args.history.metric;
    let found = files::series(&args.files.from, metric)?;
    let blocks = found.blocks();
    let mut detector = Detector::default();
    let series = found.series.into_iter();
    Ok(Found {
        parts: series
            .map(|one| one.part(&mut detector, metric, LEVEL_MAX))
            .collect(),
        gone_cells: 0,
        rows: [found.dropped, found.merged],
        copies: found.copies,
        blocks,
    })
}

/// Returns the runs of each study on each host, in the order in which these were first run.
fn by_study_and_host(runs: &[RunSummary]) -> Vec<Vec<RunSummary>> {
    let mut studies: Vec<Vec<RunSummary>> = Vec::new();
    for run in runs {
        let same = |of: &&mut Vec<RunSummary>| {
            of.first()
                .is_some_and(|first| first.study_name == run.study_name && is_same_host(first, run))
        };
        match studies.iter_mut().find(same) {
            Some(of_study) => of_study.push(run.clone()),
            None => studies.push(vec![run.clone()]),
        }
    }
    studies
}
