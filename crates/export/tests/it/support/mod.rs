//! A run with everything that an export must keep or escape.

use stripewise_export::table::{Table, Values};
use stripewise_fixtures::{record, second, transfer};
pub(crate) use stripewise_fixtures_runs::document_of as document;
use stripewise_fixtures_runs::{BEGAN_UNIX_NS, more_bytes_at_device, run_of};
use stripewise_report::document::{Document, ModelPart};
use stripewise_results::world::{RunOrigin, WorldSpec};
use stripewise_results::{FactsRecord, Run, RunId, WarningRecord};
use stripewise_study::facts::{CpuFacts, Facts, TargetFacts};
use stripewise_study::import_note::ImportNote;
use stripewise_study::sample::{
    CpuTime, DeviceDelta, Latency, Role, Sample, SampleRecord, Transfer,
};
use stripewise_study::warning::Warning;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

const STUDY: &str = r#"
question = "What does it cost to make each write durable?"
[stack.here]
filesystem = "existing"
[workload]
size = "256M"
pattern = "randwrite"
[workload.lazy]
block_size = ["8K", "4K/60:64K/40"]
[workload.fsync]
block_size = ["8K", "4K/60:64K/40"]
fsync = 1
[compare]
baseline = { workload = "lazy" }
"#;

fn latency(count: u64, at: u64) -> Latency {
    let mean_ns = f64::from(u32::try_from(at).unwrap()) * 11.0 / 7.0;
    stripewise_fixtures::latency(count, at, mean_ns)
}

fn sample(ios: u64, syncs: u64, started_s: u64, warnings: Vec<Warning>) -> Sample {
    let service = 1_000_000_000 / ios;
    Sample {
        started_unix_ns: Some(BEGAN_UNIX_NS + started_s * 1_000_000_000),
        write: Transfer {
            latency: latency(ios, service / 2),
            ..transfer(ios, ios * 8192)
        },
        sync: match syncs {
            0 => Latency::default(),
            _ => latency(syncs, service * 9 / 10),
        },
        cpu: Some(CpuTime {
            user_ns: Nanos::from_millis(30),
            system_ns: Nanos::from_millis(120),
        }),
        devices: ["sda", "sdb"]
            .map(|name| DeviceDelta {
                device: name.into(),
                writes: ios,
                write_bytes: Bytes::new(ios * 8192),
                flushes: (name == "sda").then_some(syncs),
                ..DeviceDelta::default()
            })
            .into(),
        warnings,
        ..second()
    }
}

fn samples() -> Vec<SampleRecord> {
    let cells = [(20_000, 0), (9_000, 0), (300, 300), (290, 290)];
    let mut records = Vec::new();
    for (block, wobble) in (0_u32..).zip([0, 12, 5, 9, 3, 14, 7]) {
        for (cell, (ios, syncs)) in cells.into_iter().enumerate() {
            let mut warnings = Vec::new();
            if cell == 1 && block == 3 {
                warnings.push(more_bytes_at_device());
            }
            let ios = ios + ios * wobble / 1000;
            let number = u64::try_from(records.len()).unwrap();
            records.push(SampleRecord {
                role: match block {
                    0 => Role::WarmUp,
                    _ => Role::Counted,
                },
                seed: Some(u64::MAX - number),
                ..record(cell, block, sample(ios, syncs, number, warnings))
            });
        }
    }
    records
}

pub fn run() -> Run {
    let mut run = Run {
        world: Some(WorldSpec::Files {
            target: "/srv/test".into(),
        }),
        options: serde_json::json!({ "budget_ns": null }),
        facts: vec![FactsRecord {
            taken_unix_ns: BEGAN_UNIX_NS,
            facts: Facts {
                kernel: Some("6.1.0-18-amd64".into()),
                cpu: CpuFacts {
                    model: Some("Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz".into()),
                    logical_count: Some(8),
                    ..CpuFacts::default()
                },
                memory_bytes: Some(Bytes::new(32 << 30)),
                target: Some(TargetFacts {
                    path: "/srv/my test".into(),
                    filesystem: Some("ext4".into()),
                    source: Some("/dev/sda2".into()),
                    ..TargetFacts::default()
                }),
                tools: [("fio".to_owned(), "fio-3.33".to_owned())].into(),
                ..Facts::default()
            },
        }],
        warnings: vec![WarningRecord {
            cell: None,
            warning: Warning::ArrayDegraded {
                array: "md0".into(),
                missing_count: 1,
            },
        }],
        ..run_of(7, "sync", STUDY, samples())
    };
    // A time that a floating-point number cannot hold, and a sample that does not count.
    run.summary.ended_unix_ns = Some(BEGAN_UNIX_NS + 41_000_000_001);
    run.summary.samples.counted -= 1;
    run
}

/// A name that tries to be a formula, markup, a mention and an escape sequence.
pub const HOSTILE: &str = "=cmd|'/c calc'!A1\r\n<script>alert(1)</script> \"q\" \\ `x` @root #1 \u{202e}txt.exe | {} \u{1b}[31m";

/// Returns the run with a hostile text as every name, in another world.
pub fn hostile() -> Run {
    let mut run = run();
    run.summary.id = RunId(8);
    run.summary.study_name = HOSTILE.to_owned();
    run.summary.question = Some(HOSTILE.to_owned());
    run.summary.origin = RunOrigin::Other(HOSTILE.to_owned());
    run.options = run.shown_options();
    run.world = None;
    for (index, cell) in run.cells.iter_mut().enumerate() {
        cell.stack.name = format!("{HOSTILE}{index}");
        cell.workload.name = Some(format!("-{}", "x".repeat(10_000)));
        cell.conditions.governor = Some("@SUM(1)".to_owned());
    }
    let target = run.facts[0].facts.target.as_mut().unwrap();
    target.path = HOSTILE.to_owned();
    target.source = Some(HOSTILE.to_owned());
    run.facts[0].facts.cpu.model = Some(HOSTILE.to_owned());
    run.warnings.push(WarningRecord {
        cell: Some(0),
        warning: Warning::Imported {
            note: ImportNote::BadBin {
                job: HOSTILE.to_owned(),
            },
        },
    });
    run
}

/// Returns the document of a run of the model.
pub fn model_document(run: &Run) -> Document {
    let mut document = document(run);
    let kernel = KernelVersion::new(6, 12, 0);
    let devices = vec!["samsung-850-evo-500".into()];
    document.run.model = Some(ModelPart::new(kernel, HOSTILE.into(), devices));
    document
}

/// Returns a table without the columns in which no row has a value, so that a new key of studies changes no
/// golden file.
pub fn without_empty(mut table: Table) -> Table {
    table.columns.retain(|column| match &column.values {
        Values::Flags(values) => values.iter().any(Option::is_some),
        Values::Counts(values) | Values::Words(values) => values.iter().any(Option::is_some),
        Values::Numbers(values) => values.iter().any(Option::is_some),
        Values::Texts(values) => values.iter().any(Option::is_some),
    });
    table
}
