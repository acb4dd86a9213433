//! Two runs, or two groups of cells within one, side by side.

use serde::Serialize;
use stripewise_results::RunId;
use stripewise_stats::{Estimate, Verdict};
use stripewise_study::metric::Metric;

use crate::document::VerdictPart;
use crate::numbers::{mib_per_s, plus_minus, rate};
use crate::table::{Field, Side, Table};
use crate::text::{BOLD, DIM, WARN, harmless, paint};

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
pub fn comparison(comparison: &Comparison) -> String {
    let mut text = String::new();
    let metric = comparison.metric;
    let title = if comparison.baseline_run == comparison.other_run {
        format!("{metric} within run {}", comparison.other_run)
    } else {
        format!(
            "{metric}: run {} against run {}",
            comparison.other_run, comparison.baseline_run
        )
    };
    text.push_str(&format!("{}\n\n", paint(BOLD, &title)));
    let unit = match metric {
        Metric::Bandwidth => " MiB/s",
        Metric::Iops => " IOPS",
        _ => "",
    };
    let (before, after) = (format!("baseline{unit}"), format!("other{unit}"));
    let mut table = Table::new(&[
        ("cell", Side::Left),
        (&before, Side::Right),
        ("95 %", Side::Right),
        (&after, Side::Right),
        ("95 %", Side::Right),
        ("verdict", Side::Left),
    ]);
    for row in &comparison.rows {
        table.row(vec![
            Field::plain(&row.cell),
            Field::plain(value(metric, &row.baseline)),
            Field::styled(DIM, plus_minus(&row.baseline)),
            Field::styled(BOLD, value(metric, &row.other)),
            Field::styled(DIM, plus_minus(&row.other)),
            Field::styled(crate::run::style(&row.verdict, metric), &row.verdict.words),
        ]);
    }
    text.push_str(&table.finish());
    for fact in &comparison.changed_facts {
        text.push_str(&format!(
            "\n{} {}\n",
            paint(WARN, "the machine changed:"),
            harmless(fact)
        ));
    }
    for cell in &comparison.without_answer {
        text.push_str(&format!(
            "\n{} {}\n",
            paint(WARN, "no answer:"),
            harmless(cell)
        ));
    }
    if !comparison.unmatched.is_empty() {
        text.push_str(&format!(
            "\nOnly in one of the runs: {}\n",
            harmless(&comparison.unmatched.join("; "))
        ));
    }
    let paired = comparison.rows.iter().any(|row| row.verdict.paired);
    let how = if paired {
        "Samples that were taken in turn are compared pair by pair."
    } else {
        "These samples were not taken in turn: what else changed between them is in the difference, too."
    };
    text.push_str(&format!("\n{}\n", paint(DIM, how)));
    text
}

fn value(metric: Metric, estimate: &Estimate) -> String {
    match metric {
        Metric::Bandwidth => mib_per_s(estimate.value),
        Metric::Iops => rate(estimate.value),
        metric => metric.quantity(estimate.value),
    }
}
