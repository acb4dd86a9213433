//! A run as CSV: one line a cell, the axes first, then each metric with its interval.
//!
//! RFC 4180: fields with a comma, a quote or a line break are quoted. Numbers are plain, and what
//! has a unit says so in its head.

use stripewise_study::cell::{Axis, Cell};
use stripewise_study::metric::Metric;
use stripewise_study::workload::BlockSize;

use crate::document::Document;

/// Returns the cells of a run as CSV with a head line.
pub fn csv(document: &Document) -> String {
    let metrics: Vec<Metric> = Metric::ALL
        .into_iter()
        .filter(|metric| {
            document
                .cells
                .iter()
                .any(|cell| cell.estimate(*metric).is_some())
        })
        .collect();
    let mut head: Vec<String> = vec!["run".to_owned(), "cell".to_owned()];
    head.extend(Axis::ALL.iter().map(|axis| head_of(*axis).to_owned()));
    head.push("samples".to_owned());
    for metric in &metrics {
        let key = metric.key();
        head.extend([key.to_owned(), format!("{key}_low"), format!("{key}_high")]);
    }
    let mut text = record(&head);
    for cell in &document.cells {
        let mut fields = vec![document.run.id.to_string(), cell.index.to_string()];
        fields.extend(Axis::ALL.iter().map(|axis| value(&cell.cell(), *axis)));
        fields.push(cell.counted().to_string());
        for metric in &metrics {
            let estimate = cell.estimate(*metric);
            let interval = estimate.and_then(|estimate| estimate.interval);
            fields.extend([
                number(estimate.map(|estimate| estimate.value)),
                number(interval.map(|interval| interval.low)),
                number(interval.map(|interval| interval.high)),
            ]);
        }
        text.push_str(&record(&fields));
    }
    text
}

/// Returns the head of an axis; with its unit, where [`value`] writes a number.
const fn head_of(axis: Axis) -> &'static str {
    match axis {
        Axis::BlockSize => "block_size_bytes",
        Axis::Size => "size_bytes",
        Axis::Rate => "rate_bytes_per_s",
        Axis::ThinkTime => "think_time_ns",
        axis => axis.key(),
    }
}

/// Returns a value along an axis: a number in the unit of its head, a word, or nothing.
///
/// A block size that is a split stays as it is written in a study.
fn value(cell: &Cell, axis: Axis) -> String {
    let load = &cell.workload.load;
    match axis {
        Axis::BlockSize => match &load.block_size {
            BlockSize::Fixed(size) => size.as_u64().to_string(),
            split @ BlockSize::Split(_) => split.to_string(),
        },
        Axis::Size => load.size_bytes.as_u64().to_string(),
        Axis::Rate => load
            .rate_bytes_per_s
            .map_or_else(String::new, |rate| rate.as_u64().to_string()),
        Axis::ThinkTime => load.think_time_ns.as_u64().to_string(),
        axis => match cell.value(axis) {
            none if none == "-" => String::new(),
            value => value,
        },
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn record(fields: &[String]) -> String {
    let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
    fields.join(",") + "\r\n"
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
