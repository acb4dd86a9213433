//! Runs as gauges in the text form of OpenMetrics 1.0, for a scraper.
//!
//! One family for each metric and for each end of its interval, one line for each cell. Names end
//! in the unit, which is a base unit: seconds, bytes. There are no timestamps: node_exporter's
//! textfile collector refuses them, and the standard advises against them. The start and end of a
//! run are gauges of their own. All families are gauges, and no name has the suffix of another
//! type, so that readers of the older Prometheus format accept it too.
//!
//! <https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>

use std::fmt::Write as _;
use stripewise_catalogue::Words;

use stripewise_report::document::{CellPart, Document, ShownWarning};
use stripewise_stats::Estimate;
use stripewise_study::metric::Metric;

use crate::axes;
use crate::cuts;
use crate::text::label;

/// The family of a metric: `stripewise_NAME_UNIT`.
struct Family {
    metric: Metric,
    name: &'static str,
    unit: &'static str,
    /// How many of our units make one of the family's.
    scale: f64,
}

const FAMILIES: [Family; 8] = [
    family(Metric::Bandwidth, "bandwidth", "bytes_per_second", 1.0),
    family(Metric::Iops, "rate", "ios_per_second", 1.0),
    family(Metric::LatencyMean, "latency_mean", "seconds", 1e9),
    family(Metric::LatencyP50, "latency_p50", "seconds", 1e9),
    family(Metric::LatencyP99, "latency_p99", "seconds", 1e9),
    family(Metric::LatencyP999, "latency_p999", "seconds", 1e9),
    family(Metric::SyncLatencyMean, "sync_latency_mean", "seconds", 1e9),
    family(Metric::SyncLatencyP99, "sync_latency_p99", "seconds", 1e9),
];

const fn family(metric: Metric, name: &'static str, unit: &'static str, scale: f64) -> Family {
    Family {
        metric,
        name,
        unit,
        scale,
    }
}

/// A cell and the labels of its lines.
struct LabelledCell<'a> {
    cell: &'a CellPart,
    /// `run="3",cell="0",...`
    labels: String,
}

/// The first lines of every exposition of ours.
pub const MARK: &str = "# HELP stripewise_run_started_timestamp_seconds When the run began, in seconds since 1970-01-01 UTC.\n# TYPE stripewise_run_started_timestamp_seconds gauge\n# UNIT stripewise_run_started_timestamp_seconds seconds\n";

/// Returns runs as one exposition, `# EOF` at its end.
pub fn write(documents: &[&Document]) -> String {
    let rows: Vec<LabelledCell<'_>> = documents
        .iter()
        .flat_map(|document| {
            let cells = document.cells.iter();
            cells.map(move |cell| LabelledCell {
                cell,
                labels: labels(document, cell),
            })
        })
        .collect();
    let mut text = String::new();
    runs(&mut text, documents);
    for family in &FAMILIES {
        estimates(&mut text, family, &rows);
    }
    ratios(&mut text, &rows);
    power_cuts(&mut text, &rows);
    let counted = rows.iter().map(|row| {
        let count = row.cell.counted().to_string();
        (row.labels.clone(), count)
    });
    let help = "Samples that count";
    put(
        &mut text,
        "stripewise_cell_samples",
        "samples",
        help,
        counted,
    );
    warnings(&mut text, documents, &rows);
    text.push_str("# EOF\n");
    text
}

/// Writes a family, unless it has no line. `lines` are labels and values.
fn put(
    text: &mut String,
    name: &str,
    unit: &str,
    help: &str,
    lines: impl Iterator<Item = (String, String)>,
) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    text.push_str(&format!(
        "# HELP {name} {help}.\n# TYPE {name} gauge\n# UNIT {name} {unit}\n"
    ));
    for (labels, value) in lines {
        text.push_str(&format!("{name}{{{labels}}} {value}\n"));
    }
}

fn run_label(document: &Document) -> String {
    format!(
        "run=\"{}\",study=\"{}\",world=\"{}\"",
        document.run.id,
        label(&document.run.study_name),
        label(document.run.origin.as_str())
    )
}

fn labels(document: &Document, cell: &CellPart) -> String {
    let mut labels = format!("{},cell=\"{}\"", run_label(document), cell.index);
    for (name, value) in axes::labels(&cell.cell()) {
        // Writing to text cannot fail.
        let _ = write!(labels, ",{name}=\"{}\"", label(&value));
    }
    labels
}

/// Writes when runs began and ended.
fn runs(text: &mut String, documents: &[&Document]) {
    let began = documents.iter().map(|document| {
        let line = format!(
            "{},state=\"{}\",version=\"{}\"",
            run_label(document),
            document.run.state,
            label(&document.run.tool_version)
        );
        (line, seconds(document.run.started_unix_ns))
    });
    let name = "stripewise_run_started_timestamp_seconds";
    let help = "When the run began, in seconds since 1970-01-01 UTC";
    put(text, name, "seconds", help, began);
    let ended = documents.iter().filter_map(|document| {
        let ended = document.run.ended_unix_ns?;
        Some((run_label(document), seconds(ended)))
    });
    let name = "stripewise_run_ended_timestamp_seconds";
    let help = "When the run ended, in seconds since 1970-01-01 UTC";
    put(text, name, "seconds", help, ended);
}

/// Returns a time in seconds, to the last nanosecond: more digits than a float has.
fn seconds(unix_ns: u64) -> String {
    format!("{}.{:09}", unix_ns / 1_000_000_000, unix_ns % 1_000_000_000)
}

fn estimates(text: &mut String, family: &Family, rows: &[LabelledCell<'_>]) {
    let Family {
        metric,
        name,
        unit,
        scale,
    } = *family;
    let words = metric.message().in_english();
    for end in End::ALL {
        let lines = rows.iter().filter_map(|row| {
            let value = end.of(row.cell.estimate(metric)?)? / scale;
            Some((row.labels.clone(), number(value)?))
        });
        let help = end.help(&words);
        let name = format!("stripewise_{name}{}_{unit}", end.infix());
        put(text, &name, unit, &help, lines);
    }
}

/// Writes what power cuts destroyed.
fn power_cuts(text: &mut String, rows: &[LabelledCell<'_>]) {
    let cells: Vec<&CellPart> = rows.iter().map(|row| row.cell).collect();
    for gauge in cuts::gauges(&cells) {
        let lines = rows.iter().zip(&gauge.values);
        let lines = lines.filter_map(|(row, value)| Some((row.labels.clone(), number((*value)?)?)));
        put(text, &gauge.name, gauge.unit, &gauge.help, lines);
    }
}

/// Writes the ratios of cells to their baselines.
fn ratios(text: &mut String, rows: &[LabelledCell<'_>]) {
    for end in End::ALL {
        let lines = rows.iter().flat_map(|row| {
            row.cell.verdicts.iter().filter_map(move |verdict| {
                let labels = format!(
                    "{},baseline=\"{}\",metric=\"{}\"",
                    row.labels,
                    verdict.baseline,
                    verdict.metric.0.key()
                );
                Some((labels, number(end.of(&verdict.ratio)?)?))
            })
        });
        let what = "ratio to the baseline cell";
        let help = match end {
            End::Value => format!("The {what}"),
            End::Low | End::High => end.help(what),
        };
        let name = format!("stripewise_comparison{}_ratio", end.infix());
        put(text, &name, "ratio", &help, lines);
    }
}

/// Writes how often each kind of warning occurred.
fn warnings(text: &mut String, documents: &[&Document], rows: &[LabelledCell<'_>]) {
    let count = |labels: &str, noticed: &[ShownWarning]| {
        let mut counts: std::collections::BTreeMap<String, usize> = Default::default();
        for noticed in noticed {
            // A warning that is not about single samples counts once.
            *counts.entry(kind(noticed)).or_default() += noticed.samples.max(1);
        }
        let lines = counts.into_iter().map(|(kind, count)| {
            let labels = format!("{labels},kind=\"{}\"", label(&kind));
            (labels, count.to_string())
        });
        lines.collect::<Vec<_>>()
    };
    let of_runs = documents
        .iter()
        .flat_map(|document| count(&run_label(document), &document.warnings));
    let of_cells = rows
        .iter()
        .flat_map(|row| count(&row.labels, &row.cell.warnings));
    let help = "How often a warning occurred that casts doubt on the result";
    let lines = of_runs.chain(of_cells);
    put(text, "stripewise_noticed_warnings", "warnings", help, lines);
}

/// Returns the kind of a warning as in JSON.
fn kind(noticed: &ShownWarning) -> String {
    let value = serde_json::to_value(&noticed.warning).unwrap_or_default();
    let kind = value.get("kind").and_then(serde_json::Value::as_str);
    kind.unwrap_or("unknown").to_owned()
}

/// The value of an estimate, or an end of its interval.
#[derive(Debug, Clone, Copy)]
enum End {
    Value,
    Low,
    High,
}

impl End {
    const ALL: [End; 3] = [End::Value, End::Low, End::High];

    /// Returns the number; `None` if there is no interval.
    fn of(self, estimate: &Estimate) -> Option<f64> {
        match self {
            End::Value => Some(estimate.value),
            End::Low => Some(estimate.interval?.low),
            End::High => Some(estimate.interval?.high),
        }
    }

    const fn infix(self) -> &'static str {
        match self {
            End::Value => "",
            End::Low => "_low",
            End::High => "_high",
        }
    }

    fn help(self, what: &str) -> String {
        match self {
            End::Value => format!("The {what}, median of the samples"),
            End::Low => format!("The lower end of the 95 % interval of the {what}"),
            End::High => format!("The upper end of the 95 % interval of the {what}"),
        }
    }
}

/// Returns a number as text; `None` if it is not finite.
fn number(value: f64) -> Option<String> {
    value.is_finite().then(|| value.to_string())
}
