//! What stacks cost over their life, on a terminal: numbers, and the reason of each missing one.

use expect_test::expect_file;
use stripewise_catalogue::Language;
use stripewise_fixtures::{event, study, transfer, wrote};
use stripewise_fixtures_runs::{asked_of, run_of};
use stripewise_profiles::Profiles;
use stripewise_report::document::{Document, RunSettings};
use stripewise_report::lifetime::AskedLifetime;
use stripewise_report::render::terminal;
use stripewise_report::run::blocks;
use stripewise_report::style::without_styles;
use stripewise_report::view::View;
use stripewise_study::sample::{Sample, SampleRecord};
use stripewise_study::series::Happened;
use stripewise_units::{Bytes, Nanos};

use crate::golden::check_width;

/// The second kind of disk has no rate of unreadable sectors.
const STUDY: &str = r#"
question = "What does a level cost?"
[stack.raid0]
devices = { micron-1100-m2 = 2 }
array = { level = "raid0" }
[stack.raid5]
devices = { micron-1100-m2 = 3 }
array = { level = "raid5" }
[stack.raid1]
devices = { samsung-850-evo-500 = 2 }
array = { level = "raid1" }
[workload]
pattern = "randwrite"
size = "256M"
[conditions]
failure = ["none", "replaced"]
[failure.replaced]
fail_device = { at = "0s", device = 1 }
replace = { at = "1s" }
[lifetime]
writes_per_day = "50G"
afr_percent = 1.5
[compare]
baseline = {}
"#;

fn record(cell: usize, devices: usize, is_rebuilt: bool) -> SampleRecord {
    let size_bytes = Bytes::new(200_000_000);
    let rebuilt_bytes = Some(size_bytes);
    let story = [
        (0, Happened::Failed { device: 1 }),
        (1000, Happened::Replaced { device: 1 }),
        (1000, Happened::RebuildBegan { size_bytes }),
        (2000, Happened::RebuildDone { rebuilt_bytes }),
    ];
    let events = story.into_iter().map(|(at_ms, what)| event(at_ms, what));
    let sample = Sample {
        elapsed_ns: Nanos::from_millis(2000),
        write: transfer(1000, 4_096_000),
        devices: vec![wrote(3_000_000); devices],
        events: events.filter(|_| is_rebuilt).collect(),
        ..Sample::default()
    };
    stripewise_fixtures::record(cell, 0, sample)
}

#[test]
fn lives_are_shown_with_the_reason_of_each_missing_number() {
    let study = study(STUDY);
    let cells = study.cells.iter().enumerate();
    let samples = cells.map(|(index, cell)| {
        let devices = usize::try_from(cell.stack.device_count()).unwrap();
        record(index, devices, cell.conditions.failure.is_some())
    });
    let run = run_of(1, "levels", STUDY, samples.collect());
    let profiles = Profiles::shipped();
    let asked = study.lifetime.unwrap();
    let asked = RunSettings {
        lifetime: Some(AskedLifetime::new(asked, profiles.devices.values())),
        ..asked_of(&run)
    };
    let document = Document::new(&run, &asked);
    let mut text = String::new();
    for (columns, language) in [(100, Language::English), (60, Language::German)] {
        let view = View::drawn(columns).in_language(language);
        let report = without_styles(&terminal(&blocks(&document, "", true), view));
        check_width(view, &report);
        let lives = report.split("\n\n").find(|part| part.contains("50 GiB"));
        text.push_str(lives.unwrap());
        text.push_str("\n\n");
    }
    expect_file!["../golden/lifetime.txt"].assert_eq(&text);
}
