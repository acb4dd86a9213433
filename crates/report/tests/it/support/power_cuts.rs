//! Two handmade runs of one study: power cuts in the lab, and the model's predictions.

use stripewise_fixtures::{latency, record};
use stripewise_fixtures_runs::{asked_of, run_of};
use stripewise_report::document::{ModelPart, RunSettings};
use stripewise_results::Run;
use stripewise_study::cut::{Cut, Loss, Outcome, RecoveryFailure, RecoveryStep};
use stripewise_study::risk::{Risk, Volatile};
use stripewise_study::sample::Sample;
use stripewise_study::world::WorldName;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

use super::Made;

/// The cells, in order: honoured and ignored flushes on hard disks (fdatasync each write), on drives
/// with power-loss protection, and on a log device; then a relaxed database on hard disks, with
/// flushes honoured and ignored, and the same with a `sync` each 5 s.
pub(crate) const STUDY: &str = r#"
question = "What does switching cache flushes off risk, and is there a better way?"
kernel   = "6.1"
[stack.raid5]
devices  = { hdd-7200 = 3 }
array    = { level = "raid5", chunk = "512K" }
[stack.raid5-protected]
devices  = { intel-p4500 = 3 }
array    = { level = "raid5", chunk = "512K" }
[stack.log-device]
devices  = { intel-p4500 = 1 }
[workload.durable]
pattern    = "randwrite"
block_size = "16K"
size       = "1G"
fdatasync  = 1
[workload.relaxed]
pattern    = "randwrite"
block_size = "16K"
size       = "1G"
[conditions]
flush = ["honoured", "ignored"]
[compare]
baseline = { flush = "honoured" }
metric   = "iops"
"#;

const IMAGES: u64 = 3;

fn kept() -> Outcome {
    Outcome::CameBack(Loss::default())
}

fn lost(records: u64, age_ms: u64) -> Outcome {
    Outcome::CameBack(Loss {
        records,
        bytes: Bytes::new(records * 16_384),
        age_ns: Nanos::from_millis(age_ms),
        corrupt: 0,
        values: None,
    })
}

fn unusable(step: RecoveryStep) -> Outcome {
    Outcome::Unusable(RecoveryFailure {
        step,
        reason: "mount: wrong fs type, bad option, bad superblock".to_owned(),
    })
}

/// Returns what came back after cut number `at` of 20 in a cell of this stack, load and condition.
fn outcome(stack: &str, workload: &str, flush: &str, at: u64) -> Outcome {
    let protected = stack != "raid5";
    match (protected, workload, flush, at) {
        (false, "durable", "honoured", 19) => Outcome::Unknown {
            reason: "the guest died".to_owned(),
        },
        (true, "durable", ..) | (false, "durable", "honoured", _) => kept(),
        (false, "durable", _, 0..=11) => unusable(RecoveryStep::Assemble),
        (false, "durable", _, 12..=16) => unusable(RecoveryStep::Mount),
        (false, "durable", ..) => lost(900, 4_200),
        (true, _, _, 0..=9) => kept(),
        (true, _, _, at) => lost(at * 40, at * 11),
        (false, _, "honoured", 0..=3) => kept(),
        (false, _, "honoured", at) => lost(at * 12, at * 52),
        (false, _, _, 7) => Outcome::CameBack(Loss {
            corrupt: 2,
            ..Loss::default()
        }),
        (false, _, _, 0..=6) => unusable(RecoveryStep::Start),
        (false, ..) => lost(at * 70, at * 400),
    }
}

fn cut_of(recording: u64, outcome: Outcome) -> Sample {
    let mut sample = Sample {
        // What an emulated guest reached in real time: it must appear nowhere.
        elapsed_ns: Nanos::from_millis(12_000),
        cut: Some(Cut {
            recording,
            at_ns: Nanos::from_millis(12_000 - recording),
            acknowledged: 1_000,
            acknowledged_bytes: Bytes::new(16_384_000),
            outcome,
            state: None,
            smallest: None,
        }),
        ..Sample::default()
    };
    sample.write.ios = 777_777;
    sample.write.bytes = Bytes::new(777_777 * 16_384);
    sample.write.latency = latency(777_777, 5_555_555, 5_555_555.0);
    sample
}

/// Returns the run with power cuts: 20 in each cell, those of the relaxed load several images of
/// each recording.
pub(crate) fn measured(id: i64) -> Made {
    let mut run = run_of(id, "pull-plug", STUDY, Vec::new());
    run.summary.origin = WorldName::Lab.into();
    run.summary.question = Some("What does switching cache flushes off risk?".into());
    for (index, cell) in run.cells.iter().enumerate() {
        let workload = cell.workload.name.clone().unwrap_or_default();
        let flush = cell.value(stripewise_study::cell::Axis::Flush);
        let images = if workload == "relaxed" { IMAGES } else { 1 };
        for at in 0..20 {
            for _ in 0..images {
                let outcome = outcome(&cell.stack.name, &workload, &flush, at);
                let block = u32::try_from(at).unwrap();
                run.samples.push(record(index, block, cut_of(at, outcome)));
            }
        }
    }
    made(run)
}

/// Returns the run of the model, with the throughput and the data at risk of each cell.
pub(crate) fn simulated(id: i64) -> Made {
    let mut run = run_of(id, "pull-plug", STUDY, Vec::new());
    run.summary.origin = WorldName::Model.into();
    for (index, cell) in run.cells.iter_mut().enumerate() {
        cell.workload.load.risk = true;
        let is_durable = cell.workload.name.as_deref() == Some("durable");
        let is_honoured = cell.value(stripewise_study::cell::Axis::Flush) == "honoured";
        let ios = match (cell.stack.name.as_str(), is_durable, is_honoured) {
            ("raid5", true, true) => 38,
            ("raid5", true, false) => 1_900,
            ("raid5", false, true) => 2_010,
            ("raid5", false, false) => 2_040,
            ("raid5-protected", true, _) => 14_200,
            ("raid5-protected", false, _) => 15_900,
            (_, true, _) => 21_000,
            (_, false, _) => 44_000,
        };
        for block in 0..6_u32 {
            let mut sample = Sample {
                elapsed_ns: Nanos::from_millis(10_000),
                risk: Some(risk(&cell.stack.name, is_durable, is_honoured)),
                ..Sample::default()
            };
            sample.write.ios = ios * 10 + u64::from(block) * ios / 50;
            sample.write.bytes = Bytes::new(sample.write.ios * 16_384);
            sample.write.latency = latency(ios, 1_000_000_000 / ios, 1e9 / 38.0);
            run.samples.push(record(index, block, sample));
        }
    }
    let mut made = made(run);
    let kernel = KernelVersion::parse("6.1").unwrap();
    let devices = vec!["hdd-7200".to_owned(), "intel-p4500".to_owned()];
    made.asked.model = Some(ModelPart::new(kernel, "default".to_owned(), devices));
    made
}

fn risk(stack: &str, is_durable: bool, is_honoured: bool) -> Risk {
    let at_most = |bytes: u64, age_ms: u64, share: u32| Volatile {
        bytes_p50: Bytes::new(bytes / 2),
        bytes_p99: Bytes::new(bytes),
        bytes_max: Bytes::new(bytes),
        age_p50_ns: Nanos::from_millis(age_ms / 2),
        age_p99_ns: Nanos::from_millis(age_ms),
        age_max_ns: Nanos::from_millis(age_ms),
        is_unbounded: false,
        share_ppm: Some(share),
    };
    let protected = stack != "raid5";
    let acknowledged = match (protected, is_durable) {
        (true, true) => at_most(16_384, 1, 900_000),
        (true, false) => at_most(3 << 20, 210, 480_000),
        (false, true) if is_honoured => at_most(16_384, 26, 990_000),
        (false, false) if is_honoured => at_most(9 << 20, 1_020, 930_000),
        _ => Volatile {
            is_unbounded: true,
            ..at_most(120 << 20, 10_000, 1_000_000)
        },
    };
    let promised = match protected || is_honoured {
        true => at_most(0, 0, 0),
        false => acknowledged,
    };
    Risk {
        acknowledged,
        promised,
    }
}

fn made(run: Run) -> Made {
    let asked: RunSettings = asked_of(&run);
    Made { run, asked }
}
