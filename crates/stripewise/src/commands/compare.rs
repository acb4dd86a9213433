//! `stripewise compare`: two runs, or the cells within one.

pub(super) mod unlike;
mod within;

use std::collections::BTreeMap;

use stripewise_analysis::cell::{CellAnalysis, analyse};
use stripewise_analysis::comparison::{CellComparison, compare_cells, compare_medians};
use stripewise_analysis::counted::Counted;
use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_report::before_after::BeforeAfter;
use stripewise_report::comparison::{CHANGED_WORLD, ComparedCells, Comparison, Uncompared};
use stripewise_report::document::{RunSettings, SCHEMA, VerdictPart};
use stripewise_report::matching::{matched_by, matching_cells};
use stripewise_report::names::Names;
use stripewise_report::states::leaves_out_fresh;
use stripewise_results::Run;
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::plan::pairs;
use stripewise_study::sample::Sample;
use stripewise_units::Percent;

use super::stored;
use crate::answers::{self, Format, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Run 2 against run 1:
    stripewise compare 1 2

  The same in a script; exit code 1 if a cell is over 5 % slower:
    stripewise compare 1 2 --fail-on-regression 5%

  The 99th percentile of latency instead of bandwidth:
    stripewise compare 1 2 --metric latency_p99

  Within one run: every stack against the stack `near`:
    stripewise compare 1 --baseline stack=near
";

/// Compare two runs, or the cells within one
///
/// With two runs, compares the cells that both have; the first run is the baseline. With one run,
/// compares each cell with the one that differs from it only in the keys of `--baseline`, as the
/// study's `[compare]` does.
///
/// Prints each ratio with its 95 % interval and a verdict. "no difference" means that the cells
/// differ by no more than `--margin`. "cannot tell" means that the interval is too wide to say:
/// more samples narrow it. Reads only.
///
/// Exit code 0 whatever the verdicts are, unless `--fail-on-regression` is given. Then it is 1 if
/// a cell became worse by more than that share, even at the better end of its interval, and 2 if
/// a cell could not be compared. Cells that may have become worse by so much, but whose interval is
/// too wide to tell, and cells that only one run has, are counted; with `--fail-on-unknown` the exit
/// code is 2 for them, too. As JUnit, the cells that make the exit code 1 fail, and those that could not
/// be compared are skipped.
#[derive(Debug, clap::Args)]
#[command(mut_arg("format", |arg| arg.value_parser(answers::with_verdicts())))]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The baseline run, or the only one: a number, a name, or `latest`
    run: RunName,

    /// The run to compare with the baseline
    other: Option<RunName>,

    #[command(flatten)]
    store: StoreArgs,

    /// The baseline within one run, such as `block_size=8K` or `stack=a,jobs=1` [default: the
    /// study's]
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = parse_baseline, conflicts_with = "other")]
    baseline: Option<BTreeMap<Axis, String>>,

    /// Compare cells of two runs even if they differ in these keys, such as `size,jobs`
    #[arg(long, value_name = "KEY,...", value_delimiter = ',', value_parser = parse_key, requires = "other")]
    ignore: Vec<Axis>,

    /// The metric to compare: bandwidth, iops, latency_mean, latency_p50, latency_p99, latency_p999,
    /// sync_latency_mean, sync_latency_p99 [default: the study's, else bandwidth]
    #[arg(long, value_parser = parse_metric)]
    metric: Option<Metric>,

    /// Differences up to this share count as none [default: the study's, else 5%]
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    margin: Option<Percent>,

    /// Exit with 1 if a cell is worse than its baseline by more than this share, even at the better
    /// end of its interval
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    fail_on_regression: Option<Percent>,

    /// Exit with 2 if it cannot be told of a cell whether it is worse by more than that share
    #[arg(long, requires = "fail_on_regression")]
    fail_on_unknown: bool,

    /// List every cell, even of large runs
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    format: FormatArgs,
}

fn parse_baseline(text: &str) -> std::result::Result<BTreeMap<Axis, String>, String> {
    let mut baseline = BTreeMap::new();
    for part in text.split(',') {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("`{part}` is not KEY=VALUE"))?;
        let axis = parse_key(key)?;
        baseline.insert(axis, stripewise_format::normal_text(value.trim()));
    }
    Ok(baseline)
}

fn parse_key(key: &str) -> std::result::Result<Axis, String> {
    Axis::from_key(key.trim()).ok_or_else(|| {
        let keys: Vec<&str> = Axis::all().map(Axis::key).collect();
        format!("cells do not differ by `{key}`; keys: {}", keys.join(", "))
    })
}

pub(super) fn parse_metric(text: &str) -> std::result::Result<Metric, String> {
    let quoted = serde_json::Value::String(text.to_owned());
    serde_json::from_value(quoted).map_err(|error| error.to_string())
}

pub(super) fn parse_share(text: &str) -> std::result::Result<Percent, String> {
    match Percent::parse(text) {
        Ok(share) if share.as_fraction() > 0.0 => Ok(share),
        Ok(_) => Err("it must be more than 0 %".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let store = args.store.open_existing()?;
    let baseline = store.run(args.run.resolve(&store)?)?;
    let asked = asked(args, &baseline);
    let compared = match &args.other {
        Some(other) => {
            let other = store.run(other.resolve(&store)?)?;
            refuse_itself(&baseline, &other)?;
            between_runs(&baseline, &other, &args.ignore, &asked)?
        }
        None => within_run(&baseline, &asked)?,
    };
    let all = args.all || args.format.format() != Format::Text;
    let limit = args.fail_on_regression.map(Percent::as_fraction);
    let blocks = compared.blocks(&args.store.again(), all, limit);
    let answer = Answer::new(Message::new("compare-answer-title"), compared, blocks);
    let exit = answers::print("compare", &answer, args.format, printer)?;
    match args.fail_on_regression {
        None => Ok(exit),
        Some(limit) => judged(&answer.document, limit, args.fail_on_unknown, printer),
    }
}

/// Says whether a cell is worse by more than `limit`, and of how many that cannot be told.
fn judged(
    compared: &Comparison,
    limit: Percent,
    fail_on_unknown: bool,
    printer: &mut Printer,
) -> Result<Exit> {
    let undecided = compared.undecided(limit.as_fraction());
    if undecided > 0 {
        let message = Message::new("compare-undecided").count("count", undecided);
        printer.remark(&message.name("limit", limit));
    }
    if compared.has_regression(limit.as_fraction()) {
        return Ok(Exit::No);
    }
    if !compared.without_answer.is_empty() {
        return Err(Failure::new(
            "not every cell could be compared, so a regression cannot be ruled out",
        )
        .hint("see the cells above; `stripewise show` says why their samples do not count"));
    }
    Ok(match undecided > 0 && fail_on_unknown {
        true => Exit::CouldNot,
        false => Exit::Done,
    })
}

/// Refuses to compare a run with itself: every cell would be as fast as itself.
fn refuse_itself(baseline: &Run, other: &Run) -> Result<()> {
    let id = baseline.summary.id;
    if id != other.summary.id {
        return Ok(());
    }
    Err(
        Failure::new(format!("run {id} cannot be compared with itself")).hint(format!(
            "name another run, or compare its cells: `stripewise compare {id}`"
        )),
    )
}

/// Returns the study's settings, overridden by the command line.
fn asked(args: &Args, run: &Run) -> RunSettings {
    let mut asked = stored::asked(run);
    let compare = &mut asked.compare;
    compare.metric = args.metric.unwrap_or(compare.metric);
    compare.margin_percent = args.margin.unwrap_or(compare.margin_percent);
    if let Some(baseline) = &args.baseline {
        compare.baseline = baseline.clone();
    }
    asked
}

/// Analyses each cell with its own study's settings: the comparison does not decide which samples
/// count.
fn analyses(run: &Run) -> Vec<CellAnalysis<'_>> {
    let asked = stored::asked(run);
    (0..run.cells.len())
        .map(|index| {
            let samples = run.samples.iter().filter(|record| record.cell == index);
            analyse(samples, asked.repeat.steady_state, asked.compare.metric)
        })
        .collect()
}

fn within_run(run: &Run, asked: &RunSettings) -> Result<Comparison> {
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
        return Err(
            Failure::new("no cell has a matching baseline").hint(format!(
                "the cells of this run differ by: {}",
                keys.join(", ")
            )),
        );
    }
    let matches: Vec<(usize, usize)> = found
        .iter()
        .map(|pair| (pair.baseline, pair.other))
        .collect();
    Ok(Sides {
        baseline: run,
        other: run,
    }
    .compare(&matches, asked, |before, after, metric, margin| {
        compare_cells(&before.paired, &after.paired, metric, margin)
    }))
}

fn between_runs(
    baseline: &Run,
    other: &Run,
    ignored: &[Axis],
    asked: &RunSettings,
) -> Result<Comparison> {
    let matches = match ignored {
        [] => matching_cells(&baseline.cells, &other.cells),
        ignored => unlike::matching_but(ignored, &baseline.cells, &other.cells),
    };
    if matches.is_empty() {
        return Err(unlike::nothing_in_common(ignored, baseline, other));
    }
    let names = names(other);
    let name = |cell: usize| names.argument(&other.cells[cell]);
    let known = within::known(asked.compare.metric, [baseline, other], &matches, name);
    let sides = Sides { baseline, other };
    let compared = sides.compare(&matches, asked, |before, after, metric, margin| {
        compare_medians(&before.samples, &after.samples, metric, margin)
    });
    let metric = asked.compare.metric;
    let mut by = matches.iter().filter(|_| ignored.is_empty());
    let matched = by.find_map(|(one, two)| matched_by(&baseline.cells[*one], &other.cells[*two]));
    Ok(Comparison {
        matched,
        changed_facts: changed_facts(baseline, other),
        unmatched: unmatched(baseline, other, &matches, &compared.axes, metric),
        known,
        ..compared
    })
}

/// How the samples of two cells are compared.
type Compare = fn(&Counted, &Counted, Metric, Percent) -> Option<CellComparison>;

/// The runs of the two sides; the same run twice if its cells are compared.
struct Sides<'a> {
    baseline: &'a Run,
    other: &'a Run,
}

impl Sides<'_> {
    fn compare(
        &self,
        matches: &[(usize, usize)],
        asked: &RunSettings,
        compare: Compare,
    ) -> Comparison {
        let (before, after) = (analyses(self.baseline), analyses(self.other));
        let names = names_of(
            self.other,
            unmatched_of(self.baseline, matches, |pair| pair.0),
        );
        let shared = self.other.cells.first().map(|cell| names.shared(cell));
        let metric = asked.compare.metric;
        let mut rows = Vec::new();
        let mut without_answer = Vec::new();
        let matched = names.order.iter().flat_map(|place| {
            let at = move |pair: &&(usize, usize)| pair.1 == *place;
            matches.iter().filter(at)
        });
        for &(first, second) in matched {
            let cell = &self.other.cells[second];
            let row = row(
                cell,
                &names,
                first,
                (&before[first], &after[second]),
                asked,
                compare,
            );
            match row {
                Some(row) => rows.push(row),
                None => {
                    let sides = [&before[first], &after[second]];
                    let why = self.why_not(sides, metric);
                    let words = Message::new("compare-uncompared");
                    without_answer.push(Uncompared {
                        words: words
                            .with("cell", names.argument(cell))
                            .with("why", why.clone()),
                        why: Message::new("compare-no-answer").with("cell", why),
                        values: values(&names.axes, cell),
                        estimates: sides.map(|side| side.estimate(metric).copied()),
                    });
                }
            }
        }
        let verdicts = rows
            .iter()
            .enumerate()
            .map(|(index, row)| (index, &row.verdict));
        Comparison {
            schema: SCHEMA,
            baseline_run: self.baseline.summary.id,
            other_run: self.other.summary.id,
            metric,
            matched: None,
            state: self
                .leaves_out_fresh(matches, [&before, &after])
                .then_some(State::Steady),
            changed_facts: Vec::new(),
            counts: BeforeAfter::of(verdicts, metric),
            shared: shared.unwrap_or_default(),
            axes: names.axes,
            rows,
            without_answer,
            unmatched: Vec::new(),
            known: Vec::new(),
        }
    }
}

impl Sides<'_> {
    /// Returns whether the compared devices are steady where fresh ones differ.
    fn leaves_out_fresh(&self, matches: &[(usize, usize)], of: [&[CellAnalysis]; 2]) -> bool {
        let does = |run: &Run, index: usize, analyses: &[CellAnalysis]| {
            let records = analyses[index].counted.samples.iter();
            let samples: Vec<Sample> = records.map(|record| record.sample.clone()).collect();
            leaves_out_fresh(&run.cells[index], &samples)
        };
        let mut matches = matches.iter();
        matches.any(|(first, second)| {
            does(self.baseline, *first, of[0]) || does(self.other, *second, of[1])
        })
    }

    /// Returns why two cells cannot be compared.
    fn why_not(&self, sides: [&CellAnalysis; 2], metric: Metric) -> Message {
        let is_zero = |side: &CellAnalysis| {
            let samples = side.counted.samples.iter();
            let mut values = samples.filter_map(|record| metric.of(&record.sample));
            values.any(|value| value <= 0.0)
        };
        let is_within = self.baseline.summary.id == self.other.summary.id;
        let in_run = |run: &Run| Message::new("compare-in-run").name("run", run.summary.id);
        let place = match (sides.map(is_zero), is_within) {
            ([false, false], _) => {
                let [before, after] = sides.map(|side| with_metric(side, metric));
                return Message::new("compare-samples")
                    .digits("before", before)
                    .digits("after", after)
                    .with("metric", metric.message());
            }
            ([true, true], _) => Message::new("compare-in-both"),
            ([true, false], true) => Message::new("compare-in-baseline"),
            ([false, true], true) => Message::new("compare-in-cell"),
            ([true, false], false) => in_run(self.baseline),
            ([false, true], false) => in_run(self.other),
        };
        Message::new("compare-zero")
            .with("metric", metric.message())
            .with("where", place)
    }
}

/// Returns the names of a run's cells.
fn names(run: &Run) -> Names {
    names_of(run, Vec::new())
}

/// Returns the names of a run's cells beside those that it lacks.
fn names_of(run: &Run, lacking: Vec<&Cell>) -> Names {
    let cells: Vec<&Cell> = run.cells.iter().chain(lacking).collect();
    Names::of(&cells, &run.summary.origin)
}

fn values(axes: &[Axis], cell: &Cell) -> BTreeMap<Axis, String> {
    let values = axes.iter().map(|axis| (*axis, cell.value(*axis)));
    values.collect()
}

/// Returns the cells of a run that no pair has.
fn unmatched_of<'a>(
    run: &'a Run,
    matches: &[(usize, usize)],
    side: fn(&(usize, usize)) -> usize,
) -> Vec<&'a Cell> {
    let is_alone = |index: &usize| matches.iter().all(|pair| side(pair) != *index);
    let alone = (0..run.cells.len()).filter(is_alone);
    alone.map(|index| &run.cells[index]).collect()
}

/// Returns how many of the samples that count have `metric`.
fn with_metric(analysis: &CellAnalysis, metric: Metric) -> usize {
    let samples = &analysis.counted.samples;
    samples
        .iter()
        .filter(|record| metric.of(&record.sample).is_some())
        .count()
}

fn row(
    cell: &Cell,
    names: &Names,
    baseline: usize,
    (before, after): (&CellAnalysis, &CellAnalysis),
    asked: &RunSettings,
    compare: Compare,
) -> Option<ComparedCells> {
    let metric = asked.compare.metric;
    let compared = compare(
        &before.counted,
        &after.counted,
        metric,
        asked.compare.margin_percent,
    )?;
    Some(ComparedCells {
        cell: names.argument(cell),
        values: values(&names.axes, cell),
        baseline: *before.estimate(metric)?,
        other: *after.estimate(metric)?,
        verdict: VerdictPart::new(baseline, &compared),
    })
}

fn changed_facts(baseline: &Run, other: &Run) -> Vec<Message> {
    let (Some(before), Some(after)) = (baseline.facts.last(), other.facts.first()) else {
        return Vec::new();
    };
    let worlds = [&baseline.summary.origin, &other.summary.origin];
    if let [before, after] = worlds
        && before != after
    {
        // Another world is another machine: all of its facts differ.
        let worlds = Message::new(CHANGED_WORLD);
        return vec![worlds.name("before", before).name("now", after)];
    }
    let changes = before.facts.changes(&after.facts);
    let words = changes.iter().map(|change| {
        Message::new("changed-fact")
            .with("fact", change.name())
            .name("before", &change.before)
            .name("now", &change.now)
    });
    words.collect()
}

/// Returns the cells that only one of the runs has; `metric` is what is known of them.
fn unmatched(
    baseline: &Run,
    other: &Run,
    matches: &[(usize, usize)],
    axes: &[Axis],
    metric: Metric,
) -> Vec<Uncompared> {
    let of = |run: &Run, is_baseline: bool| -> Vec<Uncompared> {
        let side: fn(&(usize, usize)) -> usize = match is_baseline {
            true => |pair: &(usize, usize)| pair.0,
            false => |pair: &(usize, usize)| pair.1,
        };
        let names = names(run);
        let (id, analyses) = (run.summary.id, analyses(run));
        let is_alone = |index: &usize| matches.iter().all(|pair| side(pair) != *index);
        let alone = (0..run.cells.len()).filter(is_alone);
        let alone = alone.map(|index| {
            let cell = &run.cells[index];
            let estimate = analyses[index].estimate(metric).copied();
            Uncompared {
                words: Message::new("cell-of-run")
                    .with("cell", names.argument(cell))
                    .with("run", Message::new("run-number").name("id", id)),
                why: Message::new("compare-only-in-run").name("run", id),
                values: values(axes, cell),
                estimates: match is_baseline {
                    true => [estimate, None],
                    false => [None, estimate],
                },
            }
        });
        alone.collect()
    };
    let mut unmatched = of(baseline, true);
    unmatched.extend(of(other, false));
    unmatched
}
