//! Complete runs of a study and its samples; tests remove the parts that they do not need.

#![expect(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

use stripewise_fixtures::study;
use stripewise_report::document::{Document, RunSettings};
use stripewise_report::lifetime::AskedLifetime;
use stripewise_results::{Run, RunHead, RunId, RunState, RunSummary, SampleCounts};
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::world::WorldName;
use stripewise_units::Bytes;

/// The start of each run.
pub const BEGAN_UNIX_NS: u64 = 1_790_000_000_000_000_000;

/// Returns a measured run that ended after 41 s.
pub fn run_of(id: i64, study_name: &str, text: &str, samples: Vec<SampleRecord>) -> Run {
    let study = study(text);
    let counted = samples.iter().filter(|one| one.role == Role::Counted);
    Run {
        summary: RunSummary {
            head: RunHead {
                id: RunId(id),
                origin: WorldName::Metal.into(),
                study_name: study_name.into(),
                question: study.question,
                name: None,
                tags: Vec::new(),
                state: RunState::Done,
                tool_version: "0.1.0".into(),
                started_unix_ns: BEGAN_UNIX_NS,
                ended_unix_ns: Some(BEGAN_UNIX_NS + 41_000_000_000),
            },
            cell_count: u64::try_from(study.cells.len()).unwrap(),
            samples: SampleCounts {
                counted: u64::try_from(counted.count()).unwrap(),
                all: u64::try_from(samples.len()).unwrap(),
            },
        },
        study_text: text.to_owned(),
        seed: 42,
        world: None,
        options: serde_json::Value::Null,
        facts: Vec::new(),
        cells: study.cells,
        samples,
        warnings: Vec::new(),
    }
}

/// Returns the settings in the study of a measured run.
pub fn asked_of(run: &Run) -> RunSettings {
    let study = study(&run.study_text);
    RunSettings {
        repeat: study.repeat,
        compare: study.compare,
        lifetime: study.lifetime.map(|asked| AskedLifetime::new(asked, [])),
        ..RunSettings::default()
    }
}

/// Returns the document of a measured run.
pub fn document_of(run: &Run) -> Document {
    Document::new(run, &asked_of(run))
}

/// Another program wrote to the disk meanwhile.
pub fn more_bytes_at_device() -> Warning {
    Warning::MoreBytesAtDevice {
        direction: Direction::Write,
        asked_bytes: Bytes::new(500 << 20),
        device_bytes: Bytes::new(700 << 20),
        process: Some("dd (pid 123)".into()),
    }
}
