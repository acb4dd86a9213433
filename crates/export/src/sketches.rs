//! One row for each cell of a host on a day: how many samples count, the median and the median absolute
//! deviation of each metric, and a histogram of latencies. A thousand hosts are some ten thousand rows,
//! from which `stripewise outliers` names the slow ones.

use std::collections::BTreeMap;

use stripewise_report::document::{CellPart, Document};
use stripewise_stats::{Series, median};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Sample;

use crate::axes;
use crate::rows;
use crate::table::Table;

/// A run with what its rows say beside its cells.
#[derive(Debug, Clone)]
pub struct SketchOf<'a> {
    /// The run.
    pub document: &'a Document,
    /// Its host.
    pub host: Option<String>,
    /// What hosts share that are compared with it.
    pub class: String,
    /// The day on which it began, `2026-11-30`.
    pub day: String,
}

/// A row.
struct Row<'a> {
    of: &'a SketchOf<'a>,
    part: &'a CellPart,
    cell: Cell,
}

/// Returns the sketches of runs as a table. `host` and `date` are left out where folders name them.
pub fn sketches(runs: &[SketchOf<'_>], left_out: &[&str]) -> Table {
    let all = runs.iter().flat_map(|of| {
        let cells = of.document.cells.iter();
        cells.map(move |part| Row {
            of,
            part,
            cell: part.cell(),
        })
    });
    let all: Vec<Row<'_>> = all.collect();
    let mut table = Table::default();
    rows::runs(&mut table, all.iter().map(|row| row.of.document));
    if !left_out.contains(&"host") {
        table.texts("host", all.iter().map(|row| row.of.host.clone()));
    }
    if !left_out.contains(&"date") {
        table.texts("date", all.iter().map(|row| Some(row.of.day.clone())));
    }
    table.texts("class", all.iter().map(|row| Some(row.of.class.clone())));
    table.texts("cell_key", all.iter().map(|row| cell_key(&row.cell)));
    axes::columns(
        &mut table,
        &all.iter().map(|row| &row.cell).collect::<Vec<_>>(),
    );
    table.counts(
        "samples",
        all.iter().map(|row| rows::count(row.part.counted())),
    );
    for metric in Metric::ALL {
        let values: Vec<Vec<f64>> = all.iter().map(|row| values(row.part, metric)).collect();
        if values.iter().all(Vec::is_empty) {
            continue;
        }
        let key = metric.key();
        table.numbers(format!("{key}_median"), values.iter().map(|of| middle(of)));
        table.numbers(format!("{key}_mad"), values.iter().map(|of| deviation(of)));
    }
    table.texts(
        "latency_ns_histogram",
        all.iter().map(|row| histogram(row.part)),
    );
    table
}

/// Returns what identifies a cell on any host.
pub fn cell_key(cell: &Cell) -> Option<String> {
    serde_json::to_string(cell).ok()
}

fn values(part: &CellPart, metric: Metric) -> Vec<f64> {
    let counted = part.samples.iter().filter(|sample| sample.counted);
    counted
        .filter_map(|sample| sample.metrics.get(metric.key()).copied())
        .collect()
}

/// Returns the median; `None` without values.
fn middle(values: &[f64]) -> Option<f64> {
    Some(median(&Series::new(values.to_vec()).ok()?))
}

/// Returns the median distance from the median.
fn deviation(values: &[f64]) -> Option<f64> {
    let centre = middle(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    middle(&distances)
}

/// Returns how many I/Os took less than each power of two, in ns, and at least half of it:
/// `65536:12 131072:7`.
fn histogram(part: &CellPart) -> Option<String> {
    let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
    let samples = part.samples.iter().filter(|sample| sample.counted);
    for sample in samples {
        let Sample { read, write, .. } = &sample.sample;
        let both = [read, write].map(|transfer| transfer.latency.histogram.bins());
        for (latency, count) in both.concat() {
            let end = (latency.as_u64() + 1).checked_next_power_of_two();
            *bins.entry(end.unwrap_or(u64::MAX)).or_default() += count;
        }
    }
    let words: Vec<String> = bins
        .iter()
        .map(|(end, count)| format!("{end}:{count}"))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}
