//! Runs made by hand: a study and how many MiB each sample of each cell moved in a second.

use serde_json::Value;
use stripewise_report::document::{Asked, Document};
use stripewise_report::page::{Input, Page};
use stripewise_results::{Run, RunId, RunState, RunSummary, SampleCounts};
use stripewise_study::format::parse;
use stripewise_study::sample::{Latency, Role, Sample, SampleRecord, Transfer};
use stripewise_study::units::{Bytes, Nanos};

/// A run and what it was asked.
pub(crate) struct Made {
    pub(crate) run: Run,
    pub(crate) asked: Asked,
}

impl Made {
    /// Makes run number `id` of a study, with the samples of its cells in MiB.
    pub(crate) fn of(
        id: i64,
        text: &str,
        cells: &[&[u64]],
        change: impl Fn(&mut SampleRecord),
    ) -> Self {
        let study = parse("study.toml", text).unwrap();
        assert_eq!(study.cells.len(), cells.len());
        let mut samples = Vec::new();
        for (cell, values) in cells.iter().enumerate() {
            for (block, mib) in (0..).zip(*values) {
                let mut record = SampleRecord {
                    cell,
                    block,
                    role: Role::Counted,
                    seed: None,
                    sample: sample(*mib),
                };
                change(&mut record);
                samples.push(record);
            }
        }
        let run = Run {
            summary: RunSummary {
                id: RunId(id),
                world: "metal".into(),
                study_name: "by-hand".into(),
                question: None,
                name: None,
                tags: Vec::new(),
                state: RunState::Done,
                tool_version: "0.1.0".into(),
                started_unix_ns: 0,
                ended_unix_ns: None,
                cell_count: u64::try_from(cells.len()).unwrap(),
                samples: SampleCounts::default(),
            },
            study_text: text.to_owned(),
            seed: 1,
            options: Value::Null,
            facts: Vec::new(),
            cells: study.cells,
            samples,
            warnings: Vec::new(),
        };
        let asked = Asked {
            repeat: study.repeat,
            compare: study.compare,
            model: None,
        };
        Self { run, asked }
    }

    #[allow(dead_code, reason = "not every test reads documents")]
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
            store_option: "",
        })
        .collect();
    serde_json::to_value(Page::new(&inputs).unwrap()).unwrap()
}

/// A sample whose mean latency in ns is its number of MiB.
fn sample(mib: u64) -> Sample {
    Sample {
        elapsed_ns: Nanos::from_millis(1000),
        read: Transfer {
            ios: mib,
            bytes: Bytes::new(mib << 20),
            latency: Latency {
                count: mib,
                mean_ns: Some(f64::from(u32::try_from(mib).unwrap())),
                ..Latency::default()
            },
        },
        ..Sample::default()
    }
}
