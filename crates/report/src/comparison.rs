//! Two runs, or two groups of cells within one, side by side.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_answer::{self as answer, Block, Cell, Column, Sentence, Table, Tone};
use stripewise_catalogue::{Argument, Message, Words};
use stripewise_results::RunId;
use stripewise_stats::{Estimate, Verdict};
use stripewise_study::cell::Axis;
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;

use crate::before_after::{BeforeAfter, run_names};
use crate::change;
use crate::choice::LISTED_MAX;
use crate::document::VerdictPart;
use crate::names::values_of;
use crate::numbers::{Reading, estimate_cells};

/// Cells compared two by two.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The version of this document's format.
    pub schema: u32,
    /// The run of the baseline.
    pub baseline_run: RunId,
    /// The run compared with it; the same one if cells of one run are compared.
    pub other_run: RunId,
    /// The compared metric.
    #[serde(serialize_with = "key_of")]
    pub metric: Metric,
    /// By what cells are matched that are not equal in all keys; `None` if all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<Message>,
    /// The state of the devices, where fresh and steady ones differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Facts that differ between the two runs, as `fact: before -> now`; of two worlds, only these.
    #[serde(serialize_with = "in_english")]
    pub changed_facts: Vec<Message>,
    /// The number of cells in which the other is better or worse than the baseline; its cells are
    /// rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<BeforeAfter>,
    /// The keys by which cells are named, in the order of tables.
    pub axes: Vec<Axis>,
    /// The values that all cells share, in words.
    pub shared: Vec<Argument>,
    /// The compared cells, in natural order.
    pub rows: Vec<ComparedCells>,
    /// Cells that both sides have and that could not be compared, with the reason.
    pub without_answer: Vec<Uncompared>,
    /// Cells that only one of the runs has.
    pub unmatched: Vec<Uncompared>,
    /// How bandwidth varied within single measurements that were imported, cell by cell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Message>,
}

fn key_of<S: serde::Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.key())
}

/// Documents are English.
fn in_english<S: serde::Serializer>(changes: &[Message], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(changes.iter().map(Words::in_english))
}

/// What differs between runs of two worlds, with `before` and `now`.
pub const CHANGED_WORLD: &str = "changed-world";

/// Two cells compared.
#[derive(Debug, Serialize)]
pub struct ComparedCells {
    /// The cell's name, by the keys in which cells differ.
    pub cell: Argument,
    /// Its values along `axes`, by their keys.
    pub values: BTreeMap<Axis, String>,
    /// The estimate of the baseline; `baseline` is its index, which comes with the verdict.
    #[serde(rename = "baseline_estimate")]
    pub baseline: Estimate,
    /// The estimate of the other.
    #[serde(rename = "other_estimate")]
    pub other: Estimate,
    /// The verdict on the other.
    #[serde(flatten)]
    pub verdict: VerdictPart,
}

/// A cell that could not be compared.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Uncompared {
    /// The cell, and why.
    pub words: Message,
    /// Why, beside its name.
    #[serde(skip)]
    pub why: Message,
    /// Its values along the axes of the comparison, by their keys.
    #[serde(skip)]
    pub values: BTreeMap<Axis, String>,
    /// The estimates of the baseline and of the other, as far as they are known.
    #[serde(skip)]
    pub estimates: [Option<Estimate>; 2],
}

impl ComparedCells {
    /// Returns whether the cell differs from its baseline and is worse by more than `limit`, a fraction,
    /// even at the end of its interval nearest to no change.
    fn is_regression(&self, metric: Metric, limit: f64) -> bool {
        let Verdict::Different { low, high } = self.verdict.verdict else {
            return false;
        };
        match metric.higher_is_better() {
            true => high < 1.0 - limit,
            false => low > 1.0 + limit,
        }
    }

    /// Returns whether the cell may or may not be worse by more than `limit`: the verdict is "cannot
    /// tell", and the interval reaches as far.
    fn is_undecided(&self, metric: Metric, limit: f64) -> bool {
        let interval = self.verdict.ratio.interval;
        let is_excluded = interval.is_some_and(|interval| match metric.higher_is_better() {
            true => interval.low >= 1.0 - limit,
            false => interval.high <= 1.0 + limit,
        });
        matches!(self.verdict.verdict, Verdict::CannotTell { .. }) && !is_excluded
    }
}

impl Comparison {
    /// Returns whether any cell differs from its baseline and is worse by more than `limit`, a
    /// fraction, even at the end of its interval nearest to no change.
    pub fn has_regression(&self, limit: f64) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.is_regression(self.metric, limit))
    }

    /// Returns the number of cells that may or may not be worse by more than
    /// `limit`: the verdict is "cannot tell", and the interval reaches as far. Cells that only one
    /// run has count, too; those without an answer do not.
    pub fn undecided(&self, limit: f64) -> usize {
        let rows = self.rows.iter();
        let undecided = rows.filter(|row| row.is_undecided(self.metric, limit));
        undecided.count() + self.unmatched.len()
    }

    fn uncompared(&self) -> impl Iterator<Item = &Uncompared> {
        self.without_answer.iter().chain(&self.unmatched)
    }
}

/// The most rows listed of many.
const LARGEST_MAX: usize = 20;

impl Comparison {
    /// Returns the comparison; of many cells only those that matter, unless `all` is set.
    ///
    /// A cell that is worse by more than `limit`, a fraction, fails; without a limit nothing does, and
    /// what is worse is not judged. `options` are the options that select the same store in a command:
    /// empty for the default store.
    pub fn blocks(&self, options: &str, all: bool, limit: Option<f64>) -> Vec<Block> {
        let mut blocks = vec![Block::heading(title(self)), Block::say(counts(self))];
        blocks.extend(self.matched.clone().map(Block::say));
        let state = self.state.map(|_| Message::new("compare-steady"));
        blocks.extend(state.map(|state| Block::toned(Tone::Dim, state)));
        let listed = listed(self, all);
        if listed.len() < self.rows.len() {
            blocks.push(Block::toned(Tone::Dim, more(self, listed.len(), options)));
        }
        if !self.shared.is_empty() && self.rows.len() > 1 {
            let shared = Argument::list(self.shared.iter().cloned());
            let shared = Message::new("cells-share").with("values", shared);
            blocks.push(Block::toned(Tone::Dim, shared));
        }
        let is_all =
            listed.len() == self.rows.len() && (all || self.uncompared().count() <= LISTED_MAX);
        let mut table = rows(self, &listed, limit);
        if is_all {
            for cell in self.uncompared() {
                let cells = uncompared(self, &table, cell);
                table.row(cells);
            }
        }
        blocks.extend([Block::Gap, table.into()]);
        blocks.extend(remarks(self, !is_all));
        let how = match self.rows.iter().any(|row| row.verdict.paired) {
            true => Message::new("compare-paired"),
            false => Message::new("compare-unpaired"),
        };
        let meaning = Sentence::of(meaning(self)).tone(Tone::Dim);
        blocks.extend([Block::Gap, meaning.into(), Block::toned(Tone::Dim, how)]);
        blocks
    }
}

/// Returns how many of many cells are listed, and the command that lists all.
fn more(comparison: &Comparison, listed: usize, options: &str) -> Message {
    let (one, other) = (comparison.baseline_run, comparison.other_run);
    let runs = match one == other {
        true => one.to_string(),
        false => format!("{one} {other}"),
    };
    Message::new("compare-listed")
        .digits("listed", listed)
        .digits("all", comparison.rows.len())
        .name(
            "command",
            format!("stripewise compare {runs} --all{options}"),
        )
}

/// Returns what changed between the runs, and, if they have no rows, the cells that were not compared.
fn remarks(comparison: &Comparison, lacks_rows: bool) -> Vec<Block> {
    let changes = comparison.changed_facts.iter();
    let changes = changes.map(|change| {
        let message = Message::new(match change.id == CHANGED_WORLD {
            true => "compare-other-world",
            false => "compare-machine-changed",
        });
        message.with("change", change.clone())
    });
    let words = |cells: &[Uncompared]| -> Vec<Message> {
        let cells = cells.iter().filter(|_| lacks_rows);
        cells.map(|cell| cell.words.clone()).collect()
    };
    let without_answer = words(&comparison.without_answer).into_iter();
    let without_answer =
        without_answer.map(|cell| Message::new("compare-no-answer").with("cell", cell));
    let unmatched = words(&comparison.unmatched);
    let remarks = changes.chain(without_answer);
    let remarks = remarks.map(|remark| Sentence::new(remark).tone(Tone::Warn).by_head());
    let lists = [
        ("compare-only-in-one", &unmatched),
        ("compare-within", &comparison.known),
    ];
    let lists = lists.into_iter().filter(|(_, cells)| !cells.is_empty());
    let lists = lists.map(|(id, cells)| {
        Sentence::new(Message::new(id).with("cells", Argument::semicolons(cells.iter().cloned())))
    });
    let parts = remarks.chain(lists);
    parts.flat_map(|part| [Block::Gap, part.into()]).collect()
}

/// Returns the compared metric and its unit.
fn title(comparison: &Comparison) -> Message {
    let metric = comparison.metric;
    let what: Argument = match unit(metric) {
        "" => metric.message().into(),
        // A rate of I/Os is its own unit.
        "IOPS" => Argument::Name("IOPS".to_owned()),
        unit => Message::new("compare-metric-in")
            .with("metric", metric.message())
            .name("unit", unit)
            .into(),
    };
    let (one, other) = (comparison.baseline_run, comparison.other_run);
    let message = match one == other {
        true => Message::new("compare-title-within").name("run", other),
        false => Message::new("compare-title")
            .name("other", other)
            .name("baseline", one),
    };
    message.with("what", what)
}

/// Returns the meaning of the numbers and words in the table.
fn meaning(comparison: &Comparison) -> impl Iterator<Item = Message> {
    let verdicts = || comparison.rows.iter().map(|row| &row.verdict);
    let meaning = match verdicts().any(|verdict| verdict.ratio.interval.is_some()) {
        true => Message::new("compare-interval"),
        false => Message::new("compare-intervals-none"),
    };
    std::iter::once(meaning).chain(change::meaning_of_same(verdicts()))
}

/// Returns the answer: in how many cells each side is better.
fn counts(comparison: &Comparison) -> Message {
    let Some(counts) = comparison.counts else {
        return Message::new("compare-none");
    };
    let name = |row: usize| comparison.rows[row].cell.clone();
    let (one, other) = (comparison.baseline_run, comparison.other_run);
    if one == other {
        return counts.against_message(comparison.metric, name);
    }
    let (after, before) = run_names(other, one, one < other);
    counts.message(comparison.metric, after, &before, name)
}

/// Returns which rows are listed: all if few, otherwise the largest differences.
fn listed(comparison: &Comparison, all: bool) -> Vec<usize> {
    let mut listed: Vec<usize> = (0..comparison.rows.len()).collect();
    if !all && listed.len() > LISTED_MAX {
        let reach = |row: &usize| comparison.rows[*row].verdict.ratio.value.ln().abs();
        listed.sort_by(|one, other| reach(other).total_cmp(&reach(one)));
        listed.truncate(LARGEST_MAX);
        listed.sort_unstable();
    }
    listed
}

/// Returns the unit of all values in a table of a metric.
fn unit(metric: Metric) -> &'static str {
    match metric {
        Metric::Bandwidth => "MiB/s",
        Metric::Iops => "IOPS",
        // Each time has the unit that suits it.
        _ => "",
    }
}

fn rows(comparison: &Comparison, listed: &[usize], limit: Option<f64>) -> Table {
    let listed = || listed.iter().map(|row| &comparison.rows[*row]);
    let has_intervals =
        listed().any(|row| row.baseline.interval.is_some() || row.other.interval.is_some());
    let mut table = Table::new("cells", columns(comparison, has_intervals));
    for row in listed() {
        let mut cells = values_of(&comparison.axes, &row.values);
        for (tone, estimate) in [(Tone::Plain, &row.baseline), (Tone::Strong, &row.other)] {
            let [value, half] = estimated(comparison.metric, estimate, has_intervals);
            cells.push(value.tone(tone));
            cells.extend(has_intervals.then(|| half.tone(Tone::Dim)));
        }
        cells.push(verdict(row, comparison.metric, limit));
        table.row(cells);
    }
    table
}

/// Returns the row of a cell that was not compared: what is known of it, and why.
fn uncompared(comparison: &Comparison, table: &Table, cell: &Uncompared) -> Vec<Cell> {
    let has_intervals = table
        .columns
        .iter()
        .any(|column| column.kind == answer::Kind::Interval);
    let mut cells = values_of(&comparison.axes, &cell.values);
    for estimate in &cell.estimates {
        let [value, half] = match estimate {
            Some(estimate) => estimated(comparison.metric, estimate, has_intervals),
            None => [Cell::none(), Cell::empty()],
        };
        cells.push(value);
        cells.extend(has_intervals.then_some(half));
    }
    cells.push(Cell::verdict(answer::Verdict::NotJudged, cell.why.clone()));
    cells
}

fn columns(comparison: &Comparison, has_intervals: bool) -> Vec<Column> {
    let heads = match comparison.baseline_run == comparison.other_run {
        true => ["show-baseline", "compare-column-cell"].map(Message::new),
        false => [comparison.baseline_run, comparison.other_run]
            .map(|run| Message::new("run-number").name("id", run)),
    };
    let axes = comparison.axes.iter();
    let axes = axes.map(|axis| Column::group(axis.key(), axis.message()));
    let mut columns: Vec<Column> = axes.collect();
    for (key, head) in ["baseline", "other"].into_iter().zip(heads) {
        let of_metric = format!("{key}_{}", comparison.metric.key());
        columns.push(Column::number(of_metric.clone(), head).unit(unit(comparison.metric)));
        columns.extend(has_intervals.then(|| Column::interval(of_metric)));
    }
    let difference = Message::new("compare-column-difference");
    columns.push(Column::verdict("difference", difference).measured("ratio"));
    columns
}

/// Returns an estimate and its interval; a time has the unit that suits it.
fn estimated(metric: Metric, estimate: &Estimate, has_intervals: bool) -> [Cell; 2] {
    let [value, half, _] = estimate_cells(metric, estimate, estimate.value);
    let Reading { unit: of_value, .. } = Reading::new(metric, estimate);
    let with_unit = |cell: Cell| {
        let words = cell.shown.clone().into_iter();
        let unit = Argument::Name(of_value.to_owned());
        let shown = Some(Argument::spaced(words.chain([unit])));
        Cell { shown, ..cell }
    };
    match (unit(metric), has_intervals) {
        ("", true) => [value, with_unit(half)],
        ("", false) => [with_unit(value), half],
        _ => [value, half],
    }
}

/// Returns the difference. One for the worse fails beyond a limit; without a limit it is not judged.
fn verdict(row: &ComparedCells, metric: Metric, limit: Option<f64>) -> Cell {
    let tone = crate::run::tone(&row.verdict, metric);
    let verdict = match limit {
        Some(limit) if row.is_regression(metric, limit) => answer::Verdict::Fail,
        Some(limit) if row.is_undecided(metric, limit) => answer::Verdict::NotJudged,
        Some(_) => answer::Verdict::Pass,
        None if tone == Tone::Bad => answer::Verdict::NotJudged,
        None if matches!(row.verdict.verdict, Verdict::CannotTell { .. }) => {
            answer::Verdict::NotJudged
        }
        None => answer::Verdict::Pass,
    };
    let cell = Cell::verdict(verdict, change::full(&row.verdict, metric));
    crate::run::measured(cell, &row.verdict.ratio).tone(tone)
}
