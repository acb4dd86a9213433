//! `stripewise compare`: two runs, or the cells within one.

use std::collections::BTreeMap;

use stripewise_analysis::cell::{CellAnalysis, analyse};
use stripewise_analysis::comparison::{CellComparison, compare_cells, compare_medians};
use stripewise_report::comparison::{Comparison, Row, comparison};
use stripewise_report::document::{Asked, SCHEMA, VerdictPart};
use stripewise_report::run::cell_name;
use stripewise_results::Run;
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::metric::Metric;
use stripewise_study::plan::pairs;
use stripewise_study::sample::SampleRecord;
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
        printer.data(&comparison(&compared, printer.view()))?;
    }
    let Some(limit) = args.fail_on_regression else {
        return Ok(Exit::Done);
    };
    if compared.has_regression(limit.as_fraction()) {
        return Ok(Exit::No);
    }
    if compared.without_answer.is_empty() {
        Ok(Exit::Done)
    } else {
        Err(Failure::new("not every cell could be compared, so no regression cannot be promised")
            .hint("look at the cells above, or at `stripewise show` for why their samples do not count"))
    }
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

/// Analyses each cell as its own study asked: which samples count does not depend on what is compared.
fn analyses(run: &Run) -> Vec<CellAnalysis<'_>> {
    let asked = stored::asked(run);
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
    let found = pairs(&run.cells, &asked.compare.baseline);
    if found.is_empty() {
        let axes = varying_axes(&run.cells);
        let keys: Vec<&str> = axes.iter().map(|axis| axis.key()).collect();
        return Err(Failure::new("no cell has such a baseline").hint(format!(
            "the cells of this run differ by: {}",
            keys.join(", ")
        )));
    }
    let matches: Vec<(usize, usize)> = found
        .iter()
        .map(|pair| (pair.baseline, pair.other))
        .collect();
    Ok(Sides {
        baseline: run,
        other: run,
    }
    .compare(&matches, asked, compare_cells))
}

fn between_runs(baseline: &Run, other: &Run, asked: &Asked) -> Result<Comparison> {
    let matches = matching_cells(&baseline.cells, &other.cells);
    if matches.is_empty() {
        return Err(Failure::new("the two runs have no cell in common")
            .hint("cells are equal if stack, workload and conditions are; look at both with `stripewise show`"));
    }
    let sides = Sides { baseline, other };
    Ok(Comparison {
        changed_facts: changed_facts(baseline, other),
        unmatched: unmatched(baseline, other, &matches),
        ..sides.compare(&matches, asked, compare_medians)
    })
}

/// How the samples of two cells are compared.
type Compare = fn(&[&SampleRecord], &[&SampleRecord], Metric, Percent) -> Option<CellComparison>;

/// The runs of the two sides; the same one twice where cells of one run are compared.
struct Sides<'a> {
    baseline: &'a Run,
    other: &'a Run,
}

impl Sides<'_> {
    fn compare(&self, matches: &[(usize, usize)], asked: &Asked, compare: Compare) -> Comparison {
        let (before, after) = (analyses(self.baseline), analyses(self.other));
        let axes = varying_axes(&self.other.cells);
        let metric = asked.compare.metric;
        let mut rows = Vec::new();
        let mut without_answer = Vec::new();
        for &(first, second) in matches {
            let cell = cell_name(&self.other.cells[second], &axes);
            let row = row(
                &cell,
                first,
                (&before[first], &after[second]),
                asked,
                compare,
            );
            match row {
                Some(row) => rows.push(row),
                None => without_answer.push(format!(
                    "{cell}: {} and {} samples that tell its {metric} count",
                    telling(&before[first], metric),
                    telling(&after[second], metric)
                )),
            }
        }
        Comparison {
            schema: SCHEMA,
            baseline_run: self.baseline.summary.id,
            other_run: self.other.summary.id,
            metric,
            changed_facts: Vec::new(),
            rows,
            without_answer,
            unmatched: Vec::new(),
        }
    }
}

/// Returns how many of the samples that count tell `metric`.
fn telling(analysis: &CellAnalysis, metric: Metric) -> usize {
    let samples = &analysis.counted.samples;
    samples
        .iter()
        .filter(|record| metric.of(&record.sample).is_some())
        .count()
}

fn row(
    cell: &str,
    baseline: usize,
    (before, after): (&CellAnalysis, &CellAnalysis),
    asked: &Asked,
    compare: Compare,
) -> Option<Row> {
    let metric = asked.compare.metric;
    let compared = compare(
        &before.counted.samples,
        &after.counted.samples,
        metric,
        asked.compare.margin_percent,
    )?;
    Some(Row {
        cell: cell.to_owned(),
        baseline: *before.estimate(metric)?,
        other: *after.estimate(metric)?,
        verdict: VerdictPart::new(baseline, &compared),
    })
}

/// Returns the indices of equal cells; where none are, of cells that differ in names only.
fn matching_cells(baseline: &[Cell], other: &[Cell]) -> Vec<(usize, usize)> {
    let matches = |same: fn(&Cell, &Cell) -> bool| -> Vec<(usize, usize)> {
        let partner = |cell: &Cell| {
            let mut found = (0..baseline.len()).filter(|index| same(&baseline[*index], cell));
            // Two that fit equally well are none.
            found.next().filter(|_| found.next().is_none())
        };
        (0..other.len())
            .filter_map(|index| Some((partner(&other[index])?, index)))
            .collect()
    };
    let equal = matches(|left, right| left == right);
    if equal.is_empty() {
        matches(|left, right| {
            left.workload.load == right.workload.load
                && left.workload.neighbours == right.workload.neighbours
                && left.conditions == right.conditions
        })
    } else {
        equal
    }
}

fn changed_facts(baseline: &Run, other: &Run) -> Vec<String> {
    let (Some(before), Some(after)) = (baseline.facts.last(), other.facts.first()) else {
        return Vec::new();
    };
    let worlds = [&baseline.summary.world, &other.summary.world];
    if let [before, after] = worlds
        && before != after
    {
        // Another world is another machine: nothing of it was what it was before.
        return vec![format!("world: {before} -> {after}")];
    }
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
