//! Whatever bytes claim to be exported runs, as JSON or Parquet: read, or refused with a reason, never a
//! panic; what is read is the same when it is written and read again, and everything that is derived
//! from it can be shown: every number is finite and in order.

#![no_main]

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use stripewise_export::table::{Table, Values};
use stripewise_export::{Source, cells, csv, json, markdown, openmetrics, parquet, read, samples};
use stripewise_report::document::{Document, RunSettings};
use stripewise_report::page::{Input, Page};
use stripewise_report::render::terminal;
use stripewise_report::view::View;
use stripewise_results::Run;
use stripewise_study::metric::Metric;

fuzz_target!(|bytes: &[u8]| {
    match read::read(bytes) {
        Ok(imported) => {
            for run in &imported {
                let cells = run.cells.len();
                assert!(run.samples.iter().all(|record| record.cell < cells));
                let of_cells = run.warnings.iter().filter_map(|warning| warning.cell);
                assert!(of_cells.max().is_none_or(|cell| cell < cells));
                can_be_shown(run);
            }
            let runs: Vec<_> = imported.iter().collect();
            let text = json::write(&runs).expect("what was read can be written");
            let again = json::read(&text).expect("what was written can be read");
            assert!(again == imported, "it is another run");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

/// Shows a run in every form.
fn can_be_shown(run: &Run) {
    let asked = RunSettings::default();
    let document = Document::new(run, &asked);
    for cell in &document.cells {
        for estimate in cell.estimates.values() {
            let bounds = estimate.interval.map(|own| [own.low, own.high]);
            let [low, high] = bounds.unwrap_or([estimate.value; 2]);
            let is_in_order = 0.0 <= low && low <= estimate.value && estimate.value <= high;
            assert!(is_in_order && high.is_finite(), "{estimate:?}");
        }
        for sample in &cell.samples {
            let of = |metric: Metric| sample.metrics.get(metric.key()).copied();
            let [p50, p99, p999] =
                [Metric::LatencyP50, Metric::LatencyP99, Metric::LatencyP999].map(of);
            // fio states some percentiles and not others.
            let stated: Vec<f64> = [p50, p99, p999].into_iter().flatten().collect();
            assert!(stated.is_sorted(), "{stated:?}");
            let is_measured = |value: &f64| value.is_finite() && *value >= 0.0;
            assert!(
                sample.metrics.values().all(is_measured),
                "{:?}",
                sample.metrics
            );
        }
    }
    let source = Source {
        run,
        document: &document,
    };
    let tables = [samples::samples(&[source]), cells::cells(&[&document])];
    for table in &tables {
        assert!(is_finite(table), "{table:?}");
        let _ = csv::write(table);
    }
    let whole = parquet::samples(&[source]).expect("a run can be written");
    let again = read::read(&whole).expect("a run that was written can be read");
    assert!(again == [run.clone()], "Parquet holds another run");
    let page = Page::new(&[Input {
        run,
        asked: &asked,
        model: None,
        fresh: None,
        store_option: "",
    }]);
    assert!(page.is_some(), "a report has no page");
    let blocks = stripewise_report::run::blocks(&document, "", true);
    let [report, plain] = [View::drawn(80), View::PLAIN].map(|view| terminal(&blocks, view));
    let shown = [
        report,
        plain,
        markdown::write(&[&document]),
        openmetrics::write(&[&document]),
    ];
    for text in shown {
        let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let is_no_number = |word: &str| matches!(word, "NaN" | "inf" | "-inf" | "Inf");
        assert!(!words.any(is_no_number), "{text}");
    }
}

/// Returns whether every number of a table is one.
fn is_finite(table: &Table) -> bool {
    table.columns.iter().all(|column| match &column.values {
        Values::Numbers(values) => values.iter().flatten().all(|value| value.is_finite()),
        _ => true,
    })
}
