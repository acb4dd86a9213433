//! Handmade runs: a study and the MiB that each sample of each cell moved in a second.

pub(crate) mod power_cuts;

use serde_json::Value;
use stripewise_fixtures::{record, second, transfer};
use stripewise_fixtures_runs::{asked_of, run_of};
use stripewise_report::document::{Document, RunSettings};
use stripewise_report::page::{Input, Page};
use stripewise_results::Run;
use stripewise_study::sample::{Latency, Sample, SampleRecord, Transfer};
use stripewise_study::warning::{MissedPoints, Warning};
use stripewise_units::Bytes;

/// A run and its settings.
pub(crate) struct Made {
    pub(crate) run: Run,
    pub(crate) asked: RunSettings,
}

impl Made {
    /// Makes run number `id` of a study; the samples of its cells are in MiB.
    pub(crate) fn of(
        id: i64,
        text: &str,
        cells: &[&[u64]],
        change: impl Fn(&mut SampleRecord),
    ) -> Self {
        let mut samples = Vec::new();
        for (cell, values) in cells.iter().enumerate() {
            for (block, mib) in (0..).zip(*values) {
                let mut record = record(cell, block, sample(*mib));
                change(&mut record);
                samples.push(record);
            }
        }
        let mut run = run_of(id, "by-hand", text, samples);
        assert_eq!(run.cells.len(), cells.len());
        run.summary.ended_unix_ns = None;
        run.seed = 1;
        let asked = asked_of(&run);
        Self { run, asked }
    }

    pub(crate) fn document(&self) -> Document {
        Document::new(&self.run, &self.asked)
    }
}

/// Returns the page of runs as JSON.
pub(crate) fn page_of(runs: &[Made]) -> Value {
    let inputs: Vec<Input> = runs
        .iter()
        .map(|made| Input {
            run: &made.run,
            asked: &made.asked,
            model: None,
            fresh: None,
            store_option: "",
        })
        .collect();
    serde_json::to_value(Page::new(&inputs).unwrap()).unwrap()
}

/// A sample whose mean latency in ns is its number of MiB.
fn sample(mib: u64) -> Sample {
    Sample {
        read: Transfer {
            latency: Latency {
                count: mib,
                mean_ns: Some(f64::from(u32::try_from(mib).unwrap())),
                ..Latency::default()
            },
            ..transfer(mib, mib << 20)
        },
        ..second()
    }
}

/// Returns the warning that a profile's points are missed.
pub fn points_missed(fitted_host: Option<String>, ratio: f64) -> Warning {
    Warning::PointsMissed(Box::new(MissedPoints {
        profile: "ssd".into(),
        host: "default".into(),
        missed: if fitted_host.is_some() { 3 } else { 1 },
        fitted_host,
        points: 8,
        pattern: "randread".into(),
        block_size_bytes: Bytes::new(4096),
        in_flight: 4,
        ratio,
    }))
}
