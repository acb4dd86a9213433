//! Runs with the real fio and disk of this machine.
//!
//! The failure: all tests used a fake fio and passed, and the first user's fio refused the job
//! file.
//!
//! A test machine has other load, and any kind of disk, so samples may be marked as invalid. So the
//! tests do not judge results: they check that samples were taken, stored complete and cleaned up
//! after.

use std::process::Command;

use serde_json::Value;
use stripewise_results::{Run, RunState};
use stripewise_study::sample::Role;

use crate::support::{Bench, at, say, skip, skip_unless_all, until, with};

const STUDY: &str = r#"
question = "What does this disk give?"
[stack.here]
filesystem = "existing"
[workload]
pattern = ["randread", "write"]
block_size = "64K"
size = "8M"
fsync = 16
[repeat]
sample = "150ms"
at_least = 6
at_most = 8
"#;

/// Returns a bench, if this machine has a disk for us and a fio that can be used.
fn bench() -> Option<Bench> {
    let bench = Bench::new()?;
    if let Err(error) = stripewise_fio::Fio::find() {
        skip_unless_all("everything with a real fio", &error.to_string());
        return None;
    }
    Some(bench)
}

/// Gives a command the fio of this machine instead of the fake one.
fn real(mut command: Command) -> Command {
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// Waits until a run has `count` samples in the store.
fn until_samples(bench: &Bench, count: u64) {
    until("samples", || {
        let is_there = std::fs::metadata(bench.store_path()).is_ok_and(|file| file.len() > 0);
        let runs = if is_there {
            bench.store().runs().unwrap()
        } else {
            Vec::new()
        };
        (runs.first()?.samples.all >= count).then_some(())
    });
}

/// Resumes run 1 to its end and returns it; all its samples are kept.
fn resumed(bench: &Bench, before: &Run) -> Run {
    let done = bench.finish(real(bench.stored("resume")));
    // Whether samples count depends on the machine.
    let is_usual = done.code == Some(0) || done.stderr.contains("no sample counts");
    assert!(is_usual, "{}", done.transcript());
    let after = bench.stored_run(1);
    assert_eq!(after.summary.state, RunState::Done);
    assert!(after.samples.starts_with(&before.samples));
    bench.assert_clean();
    after
}

/// Asserts that every sample of a run has the numbers of fio and the kernel.
fn assert_samples(run: &Run) {
    let disks = &run.facts[0].facts.target.as_ref().unwrap().disks;
    for record in &run.samples {
        let sample = &record.sample;
        let is_read = record.cell == 0;
        let (active, idle) = if is_read {
            (&sample.read, &sample.write)
        } else {
            (&sample.write, &sample.read)
        };
        assert!(active.ios > 0 && active.bytes.as_u64() == active.ios * 65_536);
        assert_eq!(idle.ios, 0);
        assert_eq!(active.latency.histogram.count(), active.ios);
        // A disk with other load may not reach the first sync.
        if is_read || active.ios > 16 {
            assert_eq!(sample.sync.count > 0, !is_read, "writes are synced");
        }
        let devices: Vec<&String> = sample.devices.iter().map(|device| &device.device).collect();
        assert_eq!(
            devices,
            disks.iter().collect::<Vec<_>>(),
            "counters of each disk"
        );
        assert!(sample.started_unix_ns.is_some() && record.seed.is_some());
    }
    if disks.is_empty() {
        skip("device counters", "the disk under the target is not known");
    }
}

#[test]
fn a_study_is_measured_kept_and_cleaned_up_after() {
    let Some(bench) = bench() else { return };
    let done = bench.finish(real(with(bench.run(STUDY), ["--json"])));
    let is_usual = done.code == Some(0) || done.stderr.contains("no sample counts");
    assert!(is_usual, "{}", done.transcript());
    bench.assert_clean();

    let run = bench.stored_run(1);
    assert_eq!(run.summary.state, RunState::Done);
    assert_samples(&run);
    for cell in 0..2 {
        let of_cell = run.samples.iter().filter(|record| record.cell == cell);
        let roles: Vec<Role> = of_cell.map(|record| record.role).collect();
        assert_eq!(roles[0], Role::WarmUp);
        assert!(roles.len() >= 7, "{}", roles.len());
    }
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(at(&document, "/cells").as_array().unwrap().len(), 2);
    let counted = at(&document, "/run/samples_counted").as_u64().unwrap();
    say(&format!(
        "real fio: {counted} of {} samples count",
        run.samples.len()
    ));
    for cell in at(&document, "/cells").as_array().unwrap() {
        let has_counted = at(cell, "/samples")
            .as_array()
            .unwrap()
            .iter()
            .any(|sample| at(sample, "/counted") == true);
        let is_estimated = cell.pointer("/estimates/latency_ns_p99/value").is_some();
        assert_eq!(is_estimated, has_counted);
    }
}

#[test]
fn a_killed_run_leaves_no_fio_and_can_be_resumed() {
    let Some(bench) = bench() else { return };
    let mut child = bench.start(real(bench.run(STUDY)));
    until_samples(&bench, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    bench.assert_no_process();
    assert_eq!(bench.left_in_target().len(), 1, "the test files");
    let before = bench.stored_run(1);
    assert_eq!(before.summary.state, RunState::Interrupted);
    assert_samples(&before);
    assert_samples(&resumed(&bench, &before));
}
