//! Two runs, or two groups of cells within one, side by side.

use std::collections::BTreeMap;

use anstyle::Style;
use serde::Serialize;
use stripewise_catalogue::{Argument, Message, in_english};
use stripewise_results::RunId;
use stripewise_stats::{Estimate, Verdict};
use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;

use crate::before_after::{BeforeAfter, run_names};
use crate::change;
use crate::choice::LISTED_MAX;
use crate::document::VerdictPart;
use crate::numbers::Reading;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN, dimmed, painted, strip_control, with_head, wrapped};
use crate::view::View;

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
    /// Facts that differ between the two runs, as `fact: before -> now`.
    pub changed_facts: Vec<String>,
    /// The number of cells in which the other is better or worse than the baseline; its cells are
    /// rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<BeforeAfter>,
    /// The keys by which cells are named, in the order of tables.
    pub axes: Vec<Axis>,
    /// The values that all cells share, in words.
    #[serde(serialize_with = "in_english")]
    pub shared: Vec<Argument>,
    /// The compared cells, in natural order.
    pub rows: Vec<ComparedCells>,
    /// Cells that both sides have and that could not be compared, with the reason.
    #[serde(serialize_with = "in_english")]
    pub without_answer: Vec<Message>,
    /// Cells that only one of the runs has.
    #[serde(serialize_with = "in_english")]
    pub unmatched: Vec<Message>,
    /// How bandwidth varied within single measurements that were imported, cell by cell.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "in_english")]
    pub known: Vec<Message>,
}

fn key_of<S: serde::Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.key())
}

/// Two cells compared.
#[derive(Debug, Serialize)]
pub struct ComparedCells {
    /// The cell's name, by the keys in which cells differ.
    pub cell: String,
    /// The same as an argument, for other languages.
    #[serde(skip)]
    pub name: Argument,
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

impl Comparison {
    /// Returns whether any cell differs from its baseline and is worse by more than `limit`, a
    /// fraction, even at the end of its interval nearest to no change.
    pub fn has_regression(&self, limit: f64) -> bool {
        self.rows.iter().any(|row| {
            let Verdict::Different { low, high } = row.verdict.verdict else {
                return false;
            };
            if self.metric.higher_is_better() {
                high < 1.0 - limit
            } else {
                low > 1.0 + limit
            }
        })
    }

    /// Returns the number of cells that may or may not be worse by more than
    /// `limit`: the verdict is "cannot tell", and the interval reaches as far. Cells that only one
    /// run has count, too; those without an answer do not.
    pub fn undecided(&self, limit: f64) -> usize {
        let may_be_worse = |row: &&ComparedCells| {
            let interval = row.verdict.ratio.interval;
            let is_excluded =
                interval.is_some_and(|interval| match self.metric.higher_is_better() {
                    true => interval.low >= 1.0 - limit,
                    false => interval.high <= 1.0 + limit,
                });
            matches!(row.verdict.verdict, Verdict::CannotTell { .. }) && !is_excluded
        };
        self.rows.iter().filter(may_be_worse).count() + self.unmatched.len()
    }
}

/// The most rows listed of many.
const LARGEST_MAX: usize = 20;

/// Returns the comparison as text; of many cells only those that matter, unless `all` is set.
///
/// `options` are the options that select the same store in a command: empty for the default store.
pub fn comparison(comparison: &Comparison, options: &str, all: bool, view: View) -> String {
    let mut text = painted(BOLD, &view.say(&title(comparison)), view);
    text.push_str(&wrapped(
        &strip_control(&view.say(&counts(comparison))),
        "",
        view,
    ));
    let listed = listed(comparison, all);
    if listed.len() < comparison.rows.len() {
        let more = more(comparison, listed.len(), options);
        text.push_str(&dimmed(&view.say(&more), view));
    }
    if !comparison.shared.is_empty() && comparison.rows.len() > 1 {
        let shared = Argument::list(comparison.shared.iter().cloned());
        let shared = Message::new("cells-share").with("values", shared);
        text.push_str(&dimmed(&view.say(&shared), view));
    }
    text.push('\n');
    text.push_str(&rows(comparison, &listed, view));
    text.push_str(&remarks(comparison, view));
    let paired = comparison.rows.iter().any(|row| row.verdict.paired);
    let how = match paired {
        true => Message::new("compare-paired"),
        false => Message::new("compare-unpaired"),
    };
    text.push('\n');
    text.push_str(&dimmed(&meaning(comparison, view), view));
    text.push_str(&dimmed(&view.say(&how), view));
    text
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

/// Returns what changed between the runs, and the cells without a row.
fn remarks(comparison: &Comparison, view: View) -> String {
    let changes = comparison.changed_facts.iter();
    let changes = changes.map(|fact| Message::new("compare-machine-changed").name("change", fact));
    let without_answer = comparison.without_answer.iter();
    let without_answer =
        without_answer.map(|cell| Message::new("compare-no-answer").with("cell", cell.clone()));
    let mut text = String::new();
    for remark in changes.chain(without_answer) {
        text.push('\n');
        text.push_str(&with_head(WARN, "", &view.say(&remark), "  ", view));
    }
    let lists = [
        ("compare-only-in-one", &comparison.unmatched),
        ("compare-within", &comparison.known),
    ];
    for (id, cells) in lists {
        if cells.is_empty() {
            continue;
        }
        let cells: Vec<String> = cells.iter().map(|cell| view.say(cell)).collect();
        let message = Message::new(id).name("cells", cells.join("; "));
        text.push('\n');
        text.push_str(&wrapped(&strip_control(&view.say(&message)), "", view));
    }
    text
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
fn meaning(comparison: &Comparison, view: View) -> String {
    let verdicts = || comparison.rows.iter().map(|row| &row.verdict);
    let meaning = match verdicts().any(|verdict| verdict.ratio.interval.is_some()) {
        true => Message::new("compare-interval"),
        false => Message::new("compare-intervals-none"),
    };
    let same = change::meaning_of_same(verdicts());
    let sentences = [Some(meaning), same].into_iter().flatten();
    let sentences = sentences.map(|sentence| view.say(&sentence));
    sentences.collect::<Vec<_>>().join(" ")
}

/// Returns the answer: in how many cells each side is better.
fn counts(comparison: &Comparison) -> Message {
    let Some(counts) = comparison.counts else {
        return Message::new("compare-none");
    };
    let name = |row: usize| comparison.rows[row].name.clone();
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

fn rows(comparison: &Comparison, listed: &[usize], view: View) -> String {
    let metric = comparison.metric;
    let unit = unit(metric);
    let listed = || listed.iter().map(|row| &comparison.rows[*row]);
    let has_intervals =
        listed().any(|row| row.baseline.interval.is_some() || row.other.interval.is_some());
    let heads = match comparison.baseline_run == comparison.other_run {
        true => ["show-baseline", "compare-column-cell"].map(Message::new),
        false => [comparison.baseline_run, comparison.other_run]
            .map(|run| Message::new("run-number").name("id", run)),
    };
    let mut columns: Vec<Column> = comparison
        .axes
        .iter()
        .map(|axis| Column::group(&view.say(&axis.message())))
        .collect();
    for head in &heads {
        columns.push(Column::number(&view.say(head)).unit(unit));
        columns.extend(has_intervals.then(Column::interval));
    }
    columns.push(Column::words(
        &view.say(&Message::new("compare-column-difference")),
    ));
    let mut table = Table::new(columns);
    let mut before: Vec<&str> = Vec::new();
    for row in listed() {
        let values: Vec<&str> = comparison
            .axes
            .iter()
            .map(|axis| row.values.get(axis).map_or("-", String::as_str))
            .collect();
        let same = values.iter().zip(&before);
        let same = same.take_while(|(one, other)| one == other).count();
        let mut fields: Vec<Field> = (0..)
            .zip(&values)
            .map(|(column, value)| Field::plain(*value).repeated(column < same))
            .collect();
        for (style, estimate) in [(Style::new(), &row.baseline), (BOLD, &row.other)] {
            let reading = Reading::new(metric, estimate);
            let (value, half) = (view.digits(reading.value), view.digits(reading.half));
            let (value, half) = match (unit, has_intervals) {
                ("", true) => (value, format!("{half} {}", reading.unit)),
                ("", false) => (format!("{value} {}", reading.unit), half),
                _ => (value, half),
            };
            fields.push(Field::styled(style, value));
            fields.extend(has_intervals.then(|| Field::styled(DIM, half)));
        }
        let style = crate::run::style(&row.verdict, metric);
        let verdict = view.say(&change::full(&row.verdict, metric));
        fields.push(Field::styled(style, verdict));
        table.row(fields);
        before = values;
    }
    table.finish(view)
}
