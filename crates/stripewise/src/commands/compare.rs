//! `stripewise compare`: two runs, or the cells within one.

use std::collections::BTreeMap;

use stripewise_analysis::cell::{CellAnalysis, analyse};
use stripewise_analysis::comparison::{compare_cells, compare_medians};
use stripewise_report::comparison::{Comparison, Row, comparison};
use stripewise_report::document::{Asked, SCHEMA, VerdictPart};
use stripewise_report::run::cell_name;
use stripewise_results::Run;
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::metric::Metric;
use stripewise_study::plan::pairs;
use stripewise_study::units::Percent;

use super::stored;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Compare two runs, or the cells within one
///
/// With two runs, equal cells are compared: the first run is the baseline. With one run, each cell is
/// compared with the one that differs from it in the keys of `--baseline` only.
///
/// Verdicts come with the 95 % interval of the ratio. "no difference" means: not more than `--margin`.
/// "cannot tell" means what it says.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The baseline run, or the only one: a number, or `latest`
    run: RunName,

    /// The run that is compared with it
    other: Option<RunName>,

    #[command(flatten)]
    store: StoreArgs,

    /// The cells that others in the same run are compared with, such as `block_size=8K` or
    /// `stack=a,jobs=1` [default: the study's]
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = parse_baseline, conflicts_with = "other")]
    baseline: Option<BTreeMap<Axis, String>>,

    /// What is compared: bandwidth, iops, latency_mean, latency_p50, latency_p99, latency_p999,
    /// sync_latency_mean, sync_latency_p99 [default: the study's, else bandwidth]
    #[arg(long, value_parser = parse_metric)]
    metric: Option<Metric>,

    /// Differences within this share are called none [default: the study's, else 5%]
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    margin: Option<Percent>,

    /// End with code 1 if any cell is worse than its baseline by more than this, even at the better
    /// end of the interval
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    fail_on_regression: Option<Percent>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

fn parse_baseline(text: &str) -> std::result::Result<BTreeMap<Axis, String>, String> {
    let mut baseline = BTreeMap::new();
    for part in text.split(',') {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("`{part}` is not KEY=VALUE"))?;
        let axis = Axis::from_key(key.trim()).ok_or_else(|| {
            let keys: Vec<&str> = Axis::ALL.into_iter().map(Axis::key).collect();
            format!("cells do not differ by `{key}`; keys: {}", keys.join(", "))
        })?;
        baseline.insert(axis, stripewise_study::format::normal_text(value.trim()));
    }
    Ok(baseline)
}

fn parse_metric(text: &str) -> std::result::Result<Metric, String> {
    let quoted = serde_json::Value::String(text.to_owned());
    serde_json::from_value(quoted).map_err(|error| error.to_string())
}

fn parse_share(text: &str) -> std::result::Result<Percent, String> {
    match Percent::parse(text) {
        Ok(share) if share.as_fraction() > 0.0 => Ok(share),
        Ok(_) => Err("it must be more than nothing".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let store = args.store.open_existing()?;
    let baseline = store.run(args.run.resolve(&store)?)?;
    let asked = asked(args, &baseline);
    let compared = match args.other {
        Some(other) => between_runs(&baseline, &store.run(other.resolve(&store)?)?, &asked)?,
        None => within_run(&baseline, &asked)?,
    };
    if args.json {
        printer.json(&compared)?;
    } else {
        printer.data(&comparison(&compared))?;
    }
    let is_worse = args
        .fail_on_regression
        .is_some_and(|limit| compared.has_regression(limit.as_fraction()));
    Ok(if is_worse { Exit::No } else { Exit::Done })
}

/// Returns what the study asked, with what the command line says instead.
fn asked(args: &Args, run: &Run) -> Asked {
    let mut asked = stored::asked(run);
    let compare = &mut asked.compare;
    compare.metric = args.metric.unwrap_or(compare.metric);
    compare.margin_percent = args.margin.unwrap_or(compare.margin_percent);
    if let Some(baseline) = &args.baseline {
        compare.baseline = baseline.clone();
    }
    asked
}

fn analyses<'a>(run: &'a Run, asked: &Asked) -> Vec<CellAnalysis<'a>> {
    (0..run.cells.len())
        .map(|index| {
            let samples = run.samples.iter().filter(|record| record.cell == index);
            analyse(samples, asked.repeat.steady_state, asked.compare.metric)
        })
        .collect()
}

fn within_run(run: &Run, asked: &Asked) -> Result<Comparison> {
    if asked.compare.baseline.is_empty() {
        return Err(Failure::new(format!(
            "run {} has no baseline to compare with",
            run.summary.id
        ))
        .hint("name one: `--baseline block_size=8K`, or name a second run"));
    }
    let analyses = analyses(run, asked);
    let axes = varying_axes(&run.cells);
    let found = pairs(&run.cells, &asked.compare.baseline);
    if found.is_empty() {
        let keys: Vec<&str> = axes.iter().map(|axis| axis.key()).collect();
        return Err(Failure::new("no cell has such a baseline").hint(format!(
            "the cells of this run differ by: {}",
            keys.join(", ")
        )));
    }
    let rows = found
        .iter()
        .filter_map(|pair| {
            let (baseline, other) = (&analyses[pair.baseline], &analyses[pair.other]);
            let compared = compare_cells(
                &baseline.counted.samples,
                &other.counted.samples,
                asked.compare.metric,
                asked.compare.margin_percent,
            )?;
            Some(Row {
                cell: cell_name(&run.cells[pair.other], &axes),
                baseline: *baseline.estimate(asked.compare.metric)?,
                other: *other.estimate(asked.compare.metric)?,
                verdict: VerdictPart::new(pair.baseline, &compared),
            })
        })
        .collect();
    Ok(Comparison {
        schema: SCHEMA,
        baseline_run: run.summary.id,
        other_run: run.summary.id,
        metric: asked.compare.metric,
        changed_facts: Vec::new(),
        rows,
        unmatched: Vec::new(),
    })
}

fn between_runs(baseline: &Run, other: &Run, asked: &Asked) -> Result<Comparison> {
    let matches = matching_cells(&baseline.cells, &other.cells);
    if matches.is_empty() {
        return Err(Failure::new("the two runs have no cell in common")
            .hint("cells are equal if stack, workload and conditions are; look at both with `stripewise show`"));
    }
    let (before, after) = (analyses(baseline, asked), analyses(other, asked));
    let axes = varying_axes(&other.cells);
    let rows: Vec<Row> = matches
        .iter()
        .filter_map(|&(first, second)| {
            let (first_cell, second_cell) = (&before[first], &after[second]);
            let compared = compare_medians(
                &first_cell.counted.samples,
                &second_cell.counted.samples,
                asked.compare.metric,
                asked.compare.margin_percent,
            )?;
            Some(Row {
                cell: cell_name(&other.cells[second], &axes),
                baseline: *first_cell.estimate(asked.compare.metric)?,
                other: *second_cell.estimate(asked.compare.metric)?,
                verdict: VerdictPart::new(first, &compared),
            })
        })
        .collect();
    if rows.is_empty() {
        return Err(
            Failure::new(format!("no common cell tells its {}", asked.compare.metric))
                .hint("choose another `--metric`"),
        );
    }
    Ok(Comparison {
        schema: SCHEMA,
        baseline_run: baseline.summary.id,
        other_run: other.summary.id,
        metric: asked.compare.metric,
        changed_facts: changed_facts(baseline, other),
        rows,
        unmatched: unmatched(baseline, other, &matches),
    })
}

/// Returns the indices of equal cells; where each run has a single cell, those two.
fn matching_cells(baseline: &[Cell], other: &[Cell]) -> Vec<(usize, usize)> {
    if baseline.len() == 1 && other.len() == 1 {
        return vec![(0, 0)];
    }
    let equal = |cell: &Cell| baseline.iter().position(|candidate| candidate == cell);
    (0..other.len())
        .filter_map(|index| Some((equal(&other[index])?, index)))
        .collect()
}

fn changed_facts(baseline: &Run, other: &Run) -> Vec<String> {
    let (Some(before), Some(after)) = (baseline.facts.last(), other.facts.first()) else {
        return Vec::new();
    };
    before
        .facts
        .changes(&after.facts)
        .iter()
        .map(|change| format!("{}: {} -> {}", change.fact, change.before, change.now))
        .collect()
}

fn unmatched(baseline: &Run, other: &Run, matches: &[(usize, usize)]) -> Vec<String> {
    let name = |run: &Run, index: usize| {
        let axes = varying_axes(&run.cells);
        format!(
            "{} (run {})",
            cell_name(&run.cells[index], &axes),
            run.summary.id
        )
    };
    let first = (0..baseline.cells.len())
        .filter(|index| matches.iter().all(|pair| pair.0 != *index))
        .map(|index| name(baseline, index));
    let second = (0..other.cells.len())
        .filter(|index| matches.iter().all(|pair| pair.1 != *index))
        .map(|index| name(other, index));
    first.chain(second).collect()
}
