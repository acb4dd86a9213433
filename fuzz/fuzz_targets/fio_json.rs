//! Whatever bytes claim to be fio's output: read or refused, never a panic, and what is read adds up:
//! what is imported has metrics that are finite and in order.

#![no_main]

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use stripewise_fio::{Counted, ParseError, import, parse_output};
use stripewise_study::import_note::ImportNote;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Sample;
use stripewise_units::Nanos;

fuzz_target!(|bytes: &[u8]| {
    let Ok(report) = parse_output(bytes) else {
        return;
    };
    let sample = report
        .to_sample(Counted::All, Some(Nanos::from_millis(60)))
        .expect("all jobs of a report are in it");
    let ios = report
        .jobs
        .iter()
        .fold(0_u64, |sum, job| sum.saturating_add(job.read.ios));
    assert_eq!(sample.read.ios, ios);
    for per_mille in [0, 500, 999, 1000] {
        let _ = sample.read.latency.histogram.quantile(per_mille);
    }
    let runs = match import(bytes) {
        Err(
            ParseError::MissingHosts { .. }
            | ParseError::Impossible { .. }
            | ParseError::Summed { .. }
            | ParseError::Ambiguous { .. },
        ) => return,
        runs => runs.expect("what can be parsed can be imported"),
    };
    let is_left_out = |note: &&ImportNote| {
        matches!(
            note,
            ImportNote::JobLeftOut { .. } | ImportNote::MixedLeftOut { .. }
        )
    };
    let last = runs.last().expect("a report is a run");
    let taken = last.cells.len() + last.notes.iter().filter(is_left_out).count();
    assert!((1..=report.jobs.len()).contains(&taken));
    for cell in runs.iter().flat_map(|run| &run.cells) {
        is_measured(&cell.sample);
    }
});

/// Asserts that every metric of a sample is one that can be measured.
fn is_measured(sample: &Sample) {
    let of = |metric: Metric| metric.of(sample);
    let values = Metric::ALL.into_iter().filter_map(of);
    for value in values {
        assert!(value.is_finite() && value >= 0.0, "{value}");
    }
    let percentiles = [Metric::LatencyP50, Metric::LatencyP99, Metric::LatencyP999];
    let percentiles: Vec<f64> = percentiles.into_iter().filter_map(of).collect();
    assert!(percentiles.is_sorted(), "{percentiles:?}");
}
