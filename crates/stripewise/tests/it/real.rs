//! Runs with the real fio and disk of this machine.
//!
//! The failure: all tests used a fake fio and passed, and the first user's fio refused the job
//! file.
//!
//! A test machine has other load, and any kind of disk, so samples may be marked as invalid. So the
//! tests do not judge results: they check that samples were taken, stored complete and cleaned up
//! after.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use stripewise_results::{Run, RunState};
use stripewise_study::sample::Role;

use crate::support::{Bench, Numbers, at, entries, say, seed, skip, skip_unless_all, until, with};

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

/// Resumes a run to its end and returns it; all its samples are kept.
fn resumed(bench: &Bench, before: &Run) -> Run {
    let number = before.summary.id;
    let done = bench.finish(real(bench.stored(&format!("resume {number}"))));
    // Whether samples count depends on the machine.
    let is_usual = done.code == Some(0) || done.stderr.contains("no sample counts");
    assert!(is_usual, "{}", done.transcript());
    let after = bench.stored_run(number.0);
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

/// Returns how many samples `show --count` counts in run `number`; `None` if there is no such run yet.
fn counted_outside(bench: &Bench, number: i64) -> Option<usize> {
    let done = bench.finish(bench.stored(&format!("show {number} --count --json")));
    match done.code {
        Some(0) => {
            let counts: Value = serde_json::from_str(&done.stdout).unwrap();
            Some(usize::try_from(at(&counts, "/samples").as_u64().unwrap()).unwrap())
        }
        _ => {
            assert_eq!(done.code, Some(2), "{}", done.transcript());
            None
        }
    }
}

/// Returns whether the store was created.
fn is_begun(bench: &Bench) -> bool {
    std::fs::metadata(bench.store_path()).is_ok_and(|file| file.len() > 0)
}

/// The results of all kills.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    /// Runs that were killed at least once and then ended.
    runs: usize,
    /// Kills before the run was in the store.
    before_begin: usize,
    /// Kills that left test files.
    left: usize,
    /// Samples that were counted before a kill, summed over the kills.
    seen: usize,
    /// Samples that were counted after a kill, summed over the kills.
    kept: usize,
}

/// Returns the number of kills.
fn kills() -> usize {
    std::env::var("STRIPEWISE_TEST_REAL_KILLS").map_or(1, |text| text.parse().unwrap())
}

/// Kills run `number`, which `command` begins or resumes, at a random moment: some time after as many
/// new samples as are drawn. Returns whether it still ran then.
fn kill_at_random(
    bench: &Bench,
    command: Command,
    number: i64,
    numbers: &mut Numbers,
    tally: &mut Tally,
) -> bool {
    let before = counted_outside(bench, number);
    let drawn = usize::try_from(numbers.below(5)).unwrap();
    // The last kill, in CI the only one, comes when there is something to lose.
    let is_last = tally.kills + 1 == kills();
    let wanted = before.unwrap_or(0) + drawn.max(usize::from(is_last));
    let mut command = real(command);
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().unwrap();
    until("the moment to kill", || {
        let has_ended = child.try_wait().unwrap().is_some();
        let counted = counted_outside(bench, number).unwrap_or(0);
        (has_ended || counted >= wanted).then_some(())
    });
    // A sample takes about as long, and so does what is done before the first one.
    std::thread::sleep(Duration::from_micros(numbers.below(400_000)));
    let seen = counted_outside(bench, number);
    child.kill().unwrap();
    if child.wait().unwrap().code().is_some() {
        return false;
    }
    bench.assert_no_process();
    let after = counted_outside(bench, number);
    assert!(after >= seen, "{after:?} of {seen:?} samples are left");
    let left = bench.left_in_target();
    assert!(left.len() <= 1, "more than the workspace: {left:?}");
    let beside: Vec<PathBuf> = entries(&bench.path("store"));
    assert!(beside.len() <= 3, "more than the store: {beside:?}");
    tally.kills += 1;
    tally.before_begin += usize::from(after.is_none());
    tally.left += left.len();
    tally.seen += seen.unwrap_or(0);
    tally.kept += after.unwrap_or(0);
    true
}

/// Kills a run and its resumed sessions until it has ended, or all kills are done. What was in the
/// store stays in it, in the same order.
fn kill_and_resume(bench: &Bench, number: i64, numbers: &mut Numbers, tally: &mut Tally) {
    let mut command = bench.run(STUDY);
    let mut kept: Option<Run> = None;
    while tally.kills < kills() && kill_at_random(bench, command, number, numbers, tally) {
        if let Some(counted) = counted_outside(bench, number) {
            let run = bench.stored_run(number);
            assert_ne!(run.summary.state, RunState::Running, "its process is gone");
            assert_eq!(run.samples.len(), counted, "`show --count`");
            let before = kept.map_or(Vec::new(), |run| run.samples);
            assert!(run.samples.starts_with(&before));
            assert_samples(&run);
            let is_done = run.summary.state == RunState::Done;
            kept = Some(run);
            // It was killed when it had only to say so.
            if is_done {
                break;
            }
        }
        if is_begun(bench) && numbers.below(2) == 0 {
            let restored = bench.finish(bench.stored("restore"));
            assert_eq!(restored.code, Some(0), "{}", restored.transcript());
            assert_eq!(bench.left_in_target(), Vec::<PathBuf>::new());
        }
        command = match &kept {
            Some(_) => bench.stored(&format!("resume {number}")),
            None => bench.run(STUDY),
        };
    }
    let Some(before) = kept else { return };
    let ended = bench.stored_run(number);
    let after = match ended.summary.state {
        RunState::Done => ended,
        _ => resumed(bench, &before),
    };
    assert!(after.samples.starts_with(&before.samples));
    assert_samples(&after);
    assert_eq!(bench.store().outstanding_changes().unwrap(), []);
    bench.assert_clean();
    tally.runs += 1;
}

/// `STRIPEWISE_TEST_REAL_KILLS=N` kills N times, 100 times in `make soak`: from outside, `show --count`
/// says what is stored before each kill and after it.
#[test]
fn a_killed_run_leaves_no_fio_and_can_be_resumed() {
    let seed = seed();
    say(&format!("kills, real fio: STRIPEWISE_TEST_SEED={seed}"));
    let mut numbers = Numbers::of(seed);
    let mut tally = Tally::default();
    let Some(bench) = bench() else { return };
    std::fs::create_dir(bench.path("store")).unwrap();
    while tally.kills < kills() {
        // A run that was killed before it was stored has no number.
        let runs = match is_begun(&bench) {
            true => bench.store().runs().unwrap().len(),
            false => 0,
        };
        let number = i64::try_from(runs).unwrap() + 1;
        kill_and_resume(&bench, number, &mut numbers, &mut tally);
    }
    say(&format!("kills, real fio: {tally:?}"));
    assert!(tally.kept >= tally.seen, "{tally:?}");
}
