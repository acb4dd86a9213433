//! All acknowledged data must survive `kill -9` at any instant.
//!
//! The failure: the OOM killer killed an overnight run. The file held half a sample, or lacked the
//! last one although the next had already started.
//!
//! The test starts itself as another process that writes samples and announces changes, and prints
//! each number once the store has acknowledged it. It kills that process at a random moment, also
//! while the store is being created, and checks the remaining file.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{begin_with_samples, cells, change, facts, new_run, record_with_bins};
use stripewise_fixtures::{Numbers, seed};
use stripewise_results::{RunId, RunState, Store};
use stripewise_study::sample::SampleRecord;
use stripewise_study::world::Journal;

const ROUNDS: u64 = 30;
const STORE_OF_THE_CHILD: &str = "STRIPEWISE_TEST_KILLED_STORE";
const CELLS: u64 = 4;

/// Returns the sample with a number; some are large, so that they need many pages.
fn expected(run: RunId, number: u64) -> SampleRecord {
    let bins = if number % 5 == 4 { 3_000 } else { 100 };
    record_with_bins(run.0.cast_unsigned() * 1_000_000 + number, CELLS, bins)
}

/// The process to be killed: continues the latest run or begins one, and writes forever.
#[test]
fn writer() {
    let Some(path) = std::env::var_os(STORE_OF_THE_CHILD) else {
        return;
    };
    let print_line = |text: String| {
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "\n{text}").unwrap();
        stdout.flush().unwrap();
    };
    let mut store = Store::open(Path::new(&path)).unwrap();
    let resumed = store
        .latest_unfinished_run()
        .unwrap()
        .filter(|run| run.0 % 3 != 0);
    let run = match resumed {
        Some(run) => {
            store.claim_run(run).unwrap();
            run
        }
        None => store
            .begin_run(&new_run(), &cells(CELLS), &facts())
            .unwrap(),
    };
    print_line(format!("run {run}"));
    let first = store.run(run).unwrap().samples.len() as u64;
    for number in first.. {
        if number % 3 == 0 {
            store.journal(run).announce(&change(number)).unwrap();
            print_line(format!("change {run} {number}"));
        }
        assert_eq!(
            store.add_sample(run, &expected(run, number)).unwrap(),
            number
        );
        print_line(format!("sample {run} {number}"));
    }
}

/// The data that the store acknowledged, or that a check found after a kill.
#[derive(Default)]
struct Acknowledged {
    runs: Vec<RunId>,
    /// How many samples of each run.
    counts: BTreeMap<RunId, u64>,
    changes: Vec<(RunId, u64)>,
    /// How many acknowledgements of samples were printed.
    samples: usize,
}

/// Starts the writer, kills it after `life`, and returns what it printed.
fn write_and_kill(path: &Path, life: Duration, acknowledged: &mut Acknowledged) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::writer", "--nocapture"])
        .env(STORE_OF_THE_CHILD, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(life);
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    let lines: Vec<String> = BufReader::new(&output.stdout[..])
        .lines()
        .map(Result::unwrap)
        .collect();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["run", run] => acknowledged.runs.push(run.parse().unwrap()),
            ["sample", run, number] => {
                let number: u64 = number.parse().unwrap();
                acknowledged.counts.insert(run.parse().unwrap(), number + 1);
                acknowledged.samples += 1;
            }
            ["change", run, number] => acknowledged
                .changes
                .push((run.parse().unwrap(), number.parse().unwrap())),
            _ => {}
        }
    }
}

/// Checks that the store has all acknowledged data, and nothing that was never written.
fn check_remaining_store(path: &Path, acknowledged: &mut Acknowledged) {
    let store = Store::open(path).unwrap();
    store.check().unwrap();
    let outstanding = store.outstanding_changes().unwrap();
    for &(run, number) in &acknowledged.changes {
        assert!(
            outstanding.contains(&(run, change(number))),
            "change {number} of run {run}"
        );
    }
    let summaries = store.runs().unwrap();
    for run in &acknowledged.runs {
        assert!(
            summaries.iter().any(|summary| summary.id == *run),
            "run {run}"
        );
    }
    for summary in summaries {
        assert_eq!(
            summary.state,
            RunState::Interrupted,
            "its process was killed"
        );
        let run = store.run(summary.id).unwrap();
        assert_eq!(run.cells, cells(CELLS), "a run without all its cells");
        assert_eq!(run.facts.len(), 1);
        for (number, found) in (0..).zip(&run.samples) {
            assert_eq!(*found, expected(summary.id, number), "sample {number}");
        }
        let acknowledged_count = acknowledged.counts.get(&summary.id).copied().unwrap_or(0);
        let found_count = run.samples.len() as u64;
        assert!(
            (acknowledged_count..=acknowledged_count + 1).contains(&found_count),
            "run {}: {acknowledged_count} acknowledged, {found_count} found",
            summary.id
        );
        // A sample may be durable but not yet acknowledged; from now on it must stay.
        acknowledged.counts.insert(summary.id, found_count);
    }
}

#[test]
fn no_acknowledged_data_is_lost() {
    let mut numbers = Numbers::of(seed());
    let folder = tempfile::tempdir().unwrap();
    let (mut samples, mut created) = (0, 0);
    let mut path = PathBuf::new();
    let mut acknowledged = Acknowledged::default();
    let mut long_ms = 150;
    for round in 0..ROUNDS {
        // Every third round starts a new store with a short life, to kill its creation, too.
        let life_ms = if round % 3 == 0 {
            path = folder.path().join(format!("{round}/runs.db"));
            acknowledged = Acknowledged::default();
            numbers.below(25)
        } else {
            numbers.below(long_ms)
        };
        let before = acknowledged.samples;
        write_and_kill(&path, Duration::from_millis(life_ms), &mut acknowledged);
        samples += acknowledged.samples - before;
        if samples == 0 {
            // No process lived long enough to write: the machine is busy.
            long_ms = (long_ms * 3 / 2).min(20_000);
        }
        created += u32::from(path.exists());
        check_remaining_store(&path, &mut acknowledged);
    }
    println!("{ROUNDS} kills, {samples} acknowledged samples, {created} stores begun");
    assert!(samples > 0, "no process lived long enough to write");
}

#[test]
fn a_run_of_a_killed_process_can_be_claimed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut acknowledged = Acknowledged::default();
    // Longer and longer: how soon a process writes depends on the machine's load.
    for life_ms in (0..8).map(|round| 100 << round) {
        write_and_kill(&path, Duration::from_millis(life_ms), &mut acknowledged);
        if acknowledged.samples > 0 {
            break;
        }
    }
    let mut store = Store::open(&path).unwrap();
    let run = store.latest_unfinished_run().unwrap().unwrap();
    store.claim_run(run).unwrap();
    assert_eq!(begin_with_samples(&mut store, 1, 1).0, run.0 + 1);
}
