//! Two runs, or two groups of cells within one, side by side.

use std::collections::BTreeMap;

use anstyle::Style;
use serde::Serialize;
use stripewise_catalogue::{Argument, Message};
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
use crate::text::{BOLD, DIM, WARN, dimmed, paint, painted, strip_control, wrapped};
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
    pub shared: Vec<String>,
    /// The compared cells, in natural order.
    pub rows: Vec<Row>,
    /// Cells that both sides have and that could not be compared, with the reason.
    pub without_answer: Vec<String>,
    /// Cells that only one of the runs has.
    pub unmatched: Vec<String>,
    /// How bandwidth varied within single measurements that were imported, cell by cell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
}

fn key_of<S: serde::Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.key())
}

/// Two cells compared.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The cell's name, by the keys in which cells differ.
    pub cell: String,
    /// The same for a reader of another language.
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
}

/// The most rows listed of many.
const LARGEST_MAX: usize = 20;

/// Returns the comparison as text; of many cells only those that matter, unless `all` is set.
///
/// `options` are the options that select the same store in a command: empty for the default store.
pub fn comparison(comparison: &Comparison, options: &str, all: bool, view: View) -> String {
    let title = title(comparison);
    let mut text = painted(BOLD, &title, view);
    text.push_str(&wrapped(
        &strip_control(&view.say(&counts(comparison))),
        "",
        view,
    ));
    let listed = listed(comparison, all);
    if listed.len() < comparison.rows.len() {
        let (one, other) = (comparison.baseline_run, comparison.other_run);
        let more = format!(
            "{} of {} cells, the largest differences; `--all` lists all: stripewise compare {one}{} --all{options}",
            listed.len(),
            comparison.rows.len(),
            if one == other {
                String::new()
            } else {
                format!(" {other}")
            }
        );
        text.push_str(&dimmed(&more, view));
    }
    if !comparison.shared.is_empty() && comparison.rows.len() > 1 {
        let shared = format!("All cells: {}.", comparison.shared.join(", "));
        text.push_str(&dimmed(&shared, view));
    }
    text.push('\n');
    text.push_str(&rows(comparison, &listed, view));
    let remarks = comparison.changed_facts.iter();
    let remarks = remarks.map(|fact| ("the machine changed:", fact));
    let without_answer = comparison.without_answer.iter();
    let without_answer = without_answer.map(|cell| ("no answer:", cell));
    for (head, remark) in remarks.chain(without_answer) {
        let remark = wrapped(&strip_control(&format!("{head} {remark}")), "  ", view);
        text.push('\n');
        text.push_str(&remark.replacen(head, &paint(WARN, head), 1));
    }
    if !comparison.unmatched.is_empty() {
        let unmatched = comparison.unmatched.join("; ");
        let unmatched = format!("Only in one of the runs: {unmatched}");
        text.push('\n');
        text.push_str(&wrapped(&strip_control(&unmatched), "", view));
    }
    if !comparison.known.is_empty() {
        let known = format!(
            "Within single measurements bandwidth varied (standard deviation): {}. That says how steady they were, not how far another measurement would be off.",
            comparison.known.join("; ")
        );
        text.push('\n');
        text.push_str(&wrapped(&strip_control(&known), "", view));
    }
    let paired = comparison.rows.iter().any(|row| row.verdict.paired);
    let how = if paired {
        "Samples that were taken in turn are compared pair by pair."
    } else {
        "These samples were not taken in turn: the difference includes any other change between them."
    };
    text.push('\n');
    text.push_str(&dimmed(&meaning(comparison, view), view));
    text.push_str(&dimmed(how, view));
    text
}

/// Returns the compared metric and its unit.
fn title(comparison: &Comparison) -> String {
    let metric = comparison.metric;
    let metric_words = match unit(metric) {
        "" => metric.to_string(),
        // A rate of I/Os is its own unit.
        "IOPS" => "IOPS".to_owned(),
        unit => format!("{metric} in {unit}"),
    };
    let (one, other) = (comparison.baseline_run, comparison.other_run);
    match one == other {
        true => format!("{metric_words} within run {other}"),
        false => format!("{metric_words}: run {other} against run {one}"),
    }
}

/// Returns the meaning of the numbers and words in the table.
fn meaning(comparison: &Comparison, view: View) -> String {
    let verdicts = || comparison.rows.iter().map(|row| &row.verdict);
    let meaning = match verdicts().any(|verdict| verdict.ratio.interval.is_some()) {
        true => {
            "± is the wider side of the interval that holds the median in 95 of 100 such runs; brackets are such an interval of the difference."
        }
        false => "Too few samples for intervals: a difference may be chance.",
    };
    let same = change::meaning_of_same(verdicts());
    let same = same.map_or_else(String::new, |same| format!(" {}", view.say(&same)));
    format!("{meaning}{same}")
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
        true => ["baseline".to_owned(), "cell".to_owned()],
        false => [comparison.baseline_run, comparison.other_run].map(|run| format!("run {run}")),
    };
    let mut columns: Vec<Column> = comparison
        .axes
        .iter()
        .map(|axis| Column::group(&view.say(&axis.message())))
        .collect();
    for head in &heads {
        columns.push(Column::number(head).unit(unit));
        columns.extend(has_intervals.then(Column::interval));
    }
    columns.push(Column::words("difference"));
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
            let (value, half) = match (unit, has_intervals) {
                ("", true) => (reading.value, format!("{} {}", reading.half, reading.unit)),
                ("", false) => (format!("{} {}", reading.value, reading.unit), String::new()),
                _ => (reading.value, reading.half),
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
