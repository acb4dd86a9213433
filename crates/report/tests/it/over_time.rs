//! The effect of a failure on the load: a reader must see when it happened, the remaining
//! throughput, and whether the array was rebuilt.

use expect_test::expect_file;
use stripewise_catalogue::Language;
use stripewise_report::document::Document;
use stripewise_report::render::terminal;
use stripewise_report::run::blocks;
use stripewise_report::style::without_styles;
use stripewise_report::view::View;
use stripewise_study::sample::{Sample, SampleRecord};
use stripewise_study::series::{Happened, SampleEvent, SeriesColumns};
use stripewise_units::{Bytes, Nanos};

use crate::golden::check_width;
use stripewise_fixtures::{series, transfer};
use stripewise_fixtures_runs::{BEGAN_UNIX_NS, document_of, run_of};

const STUDY: &str = r#"
question = "What does a failed disk leave?"
[stack.safe]
devices = { ssd = 4 }
array = { level = "raid5", bitmap = "internal" }
[workload]
pattern = "randwrite"
size = "256M"
[conditions]
failure = ["none", "replaced", "pulled"]
[failure.replaced]
fail_device = { at = "2s", device = 1 }
replace = { at = "4s" }
[failure.pulled]
fail_device = { at = "2s", device = 1 }
re_add = { at = "4s" }
[repeat]
sample = "10s"
[compare]
baseline = { failure = "none" }
"#;

fn events(cell: usize) -> Vec<SampleEvent> {
    let size_bytes = Bytes::new(100 << 30);
    let story = match cell {
        0 => Vec::new(),
        1 => vec![
            (2.0, Happened::Failed { device: 1 }),
            (4.0, Happened::Replaced { device: 1 }),
            (4.0, Happened::RebuildBegan { size_bytes }),
            (
                10.0,
                Happened::RebuildUnfinished {
                    reached_bytes: Bytes::new(1 << 30),
                    size_bytes,
                },
            ),
        ],
        _ => vec![
            (2.0, Happened::Failed { device: 1 }),
            (4.0, Happened::ReAdded { device: 1 }),
            (4.0, Happened::RebuildBegan { size_bytes }),
            (
                6.5,
                Happened::RebuildDone {
                    rebuilt_bytes: Some(Bytes::new(512 << 20)),
                },
            ),
            (
                10.0,
                Happened::ReadBack {
                    read_bytes: Bytes::new(256 << 20),
                },
            ),
            (
                10.0,
                Happened::Checked {
                    mismatch_bytes: Bytes::new(0),
                },
            ),
        ],
    };
    let event = |(at, what): (f64, Happened)| SampleEvent {
        at_ns: std::time::Duration::from_secs_f64(at).into(),
        what,
    };
    story.into_iter().map(event).collect()
}

fn record(cell: usize, block: u32) -> SampleRecord {
    let mib = |step: u64| match (cell, step) {
        (0, _) => 400,
        (_, 0..20) => 400,
        (_, 20..40) => 200,
        (2, 65..) => 400,
        _ => 100,
    };
    let bytes: Vec<u64> = (0..100)
        .map(|step| (mib(step) + u64::from(block)) * (1 << 20) / 10)
        .collect();
    let events = events(cell);
    let sum = bytes.iter().sum();
    let written = SeriesColumns {
        ios: bytes.iter().map(|bytes| bytes / 4096).collect(),
        bytes,
        mean_latency_ns: Vec::new(),
    };
    let sample = Sample {
        started_unix_ns: Some(BEGAN_UNIX_NS),
        elapsed_ns: Nanos::from_millis(10_000),
        write: transfer(sum / 4096, sum),
        series: (!events.is_empty()).then(|| series(100, written)),
        events,
        ..Sample::default()
    };
    stripewise_fixtures::record(cell, block, sample)
}

fn document() -> Document {
    let records = (0..6).flat_map(|block| (0..3).map(move |cell| record(cell, block)));
    let mut run = run_of(3, "failed", STUDY, records.collect());
    run.summary.ended_unix_ns = Some(BEGAN_UNIX_NS + 241_000_000_000);
    document_of(&run)
}

#[test]
fn a_failure_is_drawn_and_described() {
    let document = document();
    for (view, expected) in [
        (View::drawn(80), expect_file!["../golden/over-time.txt"]),
        (View::PLAIN, expect_file!["../golden/over-time-plain.txt"]),
        (
            View::drawn(80).in_language(Language::German),
            expect_file!["../golden/over-time-de.txt"],
        ),
    ] {
        let text = terminal(&blocks(&document, "", true), view);
        expected.assert_eq(&without_styles(&text));
    }
    for columns in 40..=140 {
        for language in Language::ALL {
            let view = View::drawn(columns).in_language(language);
            let text = terminal(&blocks(&document, "", true), view);
            check_width(view, &text);
        }
    }
}

#[test]
fn a_rebuild_that_stands_still_is_said_to() {
    let records = (0..6).flat_map(|block| (0..3).map(move |cell| record(cell, block)));
    let mut records: Vec<SampleRecord> = records.collect();
    for event in records.iter_mut().flat_map(|one| &mut one.sample.events) {
        if let Happened::RebuildUnfinished { reached_bytes, .. } = &mut event.what {
            *reached_bytes = Bytes::new(0);
        }
    }
    let run = run_of(3, "failed", STUDY, records);
    let text = terminal(&blocks(&document_of(&run), "", true), View::PLAIN);
    assert!(
        text.contains("the rebuild stands still beside this load"),
        "{text}"
    );
    assert!(!text.contains("the rebuild would take"), "{text}");
}

#[test]
fn json_has_phases_events_and_steps() {
    let json = serde_json::to_value(document()).unwrap();
    let cells = json["cells"].as_array().unwrap();
    assert!(cells[0].get("timeline").is_none(), "nothing failed");
    let timeline = &cells[2]["timeline"];
    let phases: Vec<&str> = timeline["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["phase"].as_str().unwrap())
        .collect();
    assert_eq!(phases, ["whole", "degraded", "rebuilding", "whole_again"]);
    assert_eq!(timeline["rebuild"]["is_done"], true);
    assert_eq!(timeline["rebuild"]["time_ns"]["value"], 2.5e9);
    let sample = &cells[2]["samples"][0];
    assert_eq!(sample["events"][0]["event"], "failed");
    assert_eq!(
        sample["series"]["write"]["bytes"].as_array().unwrap().len(),
        100
    );
}
