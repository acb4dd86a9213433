//! Two runs, or two groups of cells within one, side by side.

use anstyle::Style;
use serde::Serialize;
use stripewise_results::RunId;
use stripewise_stats::{Estimate, Verdict};
use stripewise_study::metric::Metric;

use crate::document::VerdictPart;
use crate::numbers::Reading;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN, dimmed, harmless, paint, painted, wrapped};
use crate::view::View;

/// Cells compared two by two.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The version of this form.
    pub schema: u32,
    /// The run of the baseline.
    pub baseline_run: RunId,
    /// The run that is compared with it; the same one where cells of one run are compared.
    pub other_run: RunId,
    /// What is compared.
    #[serde(serialize_with = "key_of")]
    pub metric: Metric,
    /// Facts that differ between the two runs, as `fact: before -> now`.
    pub changed_facts: Vec<String>,
    /// What was compared.
    pub rows: Vec<Row>,
    /// Cells that both sides have and that could not be compared, with why.
    pub without_answer: Vec<String>,
    /// Cells that only one of the runs has.
    pub unmatched: Vec<String>,
}

fn key_of<S: serde::Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.key())
}

/// Two cells compared.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The cell in the words in which cells differ.
    pub cell: String,
    /// The estimate of the baseline; `baseline` is its index, which comes with the verdict.
    #[serde(rename = "baseline_estimate")]
    pub baseline: Estimate,
    /// The estimate of the other.
    #[serde(rename = "other_estimate")]
    pub other: Estimate,
    /// What may be said of the other.
    #[serde(flatten)]
    pub verdict: VerdictPart,
}

impl Comparison {
    /// Returns whether any cell is different from its baseline, and worse by more than `limit`, a
    /// fraction, even at the end of its interval that is nearest to no change.
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

/// Returns the comparison as text.
pub fn comparison(comparison: &Comparison, view: View) -> String {
    let metric = comparison.metric;
    let title = if comparison.baseline_run == comparison.other_run {
        format!("{metric} within run {}", comparison.other_run)
    } else {
        format!(
            "{metric}: run {} against run {}",
            comparison.other_run, comparison.baseline_run
        )
    };
    let mut text = painted(BOLD, &title, view) + "\n";
    text.push_str(&rows(comparison, view));
    if let Some(apart) = apart(comparison) {
        text.push('\n');
        text.push_str(&wrapped(&harmless(&apart), "", view));
    }
    let remarks = comparison.changed_facts.iter();
    let remarks = remarks.map(|fact| ("the machine changed:", fact));
    let without_answer = comparison.without_answer.iter();
    let without_answer = without_answer.map(|cell| ("no answer:", cell));
    for (head, remark) in remarks.chain(without_answer) {
        let remark = wrapped(&harmless(&format!("{head} {remark}")), "  ", view);
        text.push('\n');
        text.push_str(&remark.replacen(head, &paint(WARN, head), 1));
    }
    if !comparison.unmatched.is_empty() {
        let unmatched = comparison.unmatched.join("; ");
        let unmatched = format!("Only in one of the runs: {unmatched}");
        text.push('\n');
        text.push_str(&wrapped(&harmless(&unmatched), "", view));
    }
    let paired = comparison.rows.iter().any(|row| row.verdict.paired);
    let how = if paired {
        "Samples that were taken in turn are compared pair by pair."
    } else {
        "These samples were not taken in turn: what else changed between them is in the difference, too."
    };
    text.push('\n');
    text.push_str(&dimmed(
        "± is the wider side of the interval that holds the median in 95 of 100 such runs.",
        view,
    ));
    text.push_str(&dimmed(how, view));
    text
}

/// Returns how far two runs are from each other over all cells; nothing within one run, or of a
/// single cell, whose verdict says it.
fn apart(comparison: &Comparison) -> Option<String> {
    if comparison.baseline_run == comparison.other_run || comparison.rows.len() < 2 {
        return None;
    }
    let off = |row: &Row| row.other.value / row.baseline.value - 1.0;
    let offs = comparison.rows.iter().map(|row| (off(row), row));
    let offs: Vec<(f64, &Row)> = offs.filter(|(off, _)| off.is_finite()).collect();
    let (worst, row) = offs
        .iter()
        .max_by(|one, other| one.0.abs().total_cmp(&other.0.abs()))?;
    let count = u32::try_from(offs.len()).ok()?;
    let mean = offs.iter().map(|(off, _)| off.abs()).sum::<f64>() / f64::from(count);
    Some(format!(
        "Over {count} cells they are {:.1} % apart on average, without sign; the most is {:+.1} %, {}.",
        mean * 100.0,
        worst * 100.0,
        row.cell
    ))
}

fn rows(comparison: &Comparison, view: View) -> String {
    let metric = comparison.metric;
    let unit = match metric {
        Metric::Bandwidth => "MiB/s",
        Metric::Iops => "IOPS",
        // Each time has the unit that suits it.
        _ => "",
    };
    let number = |name: &str| {
        let head = format!("{name} {unit}");
        Column::number(head.trim_end()).named(name).unit(unit)
    };
    let mut table = Table::new([
        Column::words("cell"),
        number("baseline"),
        Column::interval(),
        number("other"),
        Column::interval(),
        Column::words("verdict"),
    ]);
    for row in &comparison.rows {
        let mut fields = vec![Field::plain(&row.cell)];
        for (style, estimate) in [(Style::new(), &row.baseline), (BOLD, &row.other)] {
            let reading = Reading::new(metric, estimate);
            let half = match unit {
                "" => format!("{} {}", reading.half, reading.unit),
                _ => reading.half,
            };
            fields.push(Field::styled(style, reading.value));
            fields.push(Field::styled(DIM, half));
        }
        let style = crate::run::style(&row.verdict, metric);
        fields.push(Field::styled(style, &row.verdict.words));
        table.row(fields);
    }
    table.finish(view)
}
