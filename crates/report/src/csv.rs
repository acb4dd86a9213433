//! A run as CSV: one line a cell, the axes first, then each metric with its interval.
//!
//! RFC 4180: fields with a comma, a quote or a line break are quoted. Numbers are plain.

use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;

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
    head.extend(Axis::ALL.iter().map(|axis| axis.key().to_owned()));
    head.push("samples".to_owned());
    for metric in &metrics {
        let key = metric.key();
        head.extend([key.to_owned(), format!("{key}_low"), format!("{key}_high")]);
    }
    let mut text = record(&head);
    for cell in &document.cells {
        let mut fields = vec![document.run.id.to_string(), cell.index.to_string()];
        fields.extend(Axis::ALL.iter().map(|axis| cell.cell().value(*axis)));
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
