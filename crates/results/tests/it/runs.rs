//! A run must read back unchanged, report whether a process executes it, and accept writes from one
//! process at a time.
//!
//! The failures: a run whose process was killed stayed "running" forever and could not be resumed.
//! A second process resumed a run while the first still measured, and each disturbed the other.

use std::os::unix::fs::MetadataExt;

use crate::common::{begin_with_samples, cells, change, facts, new_run, record};
use crate::scratch;
use stripewise_results::world::RunOrigin;
use stripewise_results::{NewRun, RunEnd, RunId, RunState, SampleCounts, Store, StoreError};
use stripewise_study::facts::Facts;
use stripewise_study::warning::Warning;
use stripewise_study::world::{Change, CreatedFile, Inode, Journal, ParentDirectory};
use stripewise_units::Nanos;

fn state(store: &Store, run: RunId) -> RunState {
    store.run(run).unwrap().summary.state
}

#[test]
fn a_run_reads_back_as_it_was_written() {
    let (_folder, path) = scratch();
    let mut store = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut store, 3, 10);
    let drift = Warning::Drift {
        metric: stripewise_study::metric::Metric::Iops,
        relative_change: 0.1,
        p_value: 1.0 / 3.0,
    };
    store.add_warning(run, None, &Warning::NoHistogram).unwrap();
    store.add_warning(run, Some(2), &drift).unwrap();
    store.add_facts(run, &Facts::default()).unwrap();
    store.finish_run(run, RunEnd::Done).unwrap();
    drop(store);

    let store = Store::open_existing(&path).unwrap();
    let found = store.run(run).unwrap();
    let new = new_run();
    assert_eq!(found.study_text, new.study_text);
    assert_eq!(found.seed, new.seed);
    assert_eq!(found.options, new.options);
    assert_eq!(found.cells, cells(3));
    let expected: Vec<_> = (0..10).map(|number| record(number, 3)).collect();
    assert_eq!(found.samples, expected);
    let warnings: Vec<_> = found
        .warnings
        .iter()
        .map(|record| (record.cell, record.warning.clone()))
        .collect();
    assert_eq!(warnings, [(None, Warning::NoHistogram), (Some(2), drift)]);
    let facts_found: Vec<_> = found.facts.iter().map(|record| &record.facts).collect();
    assert_eq!(facts_found, [&facts(), &Facts::default()]);
    assert_eq!(found.facts[0].taken_unix_ns, new.started_unix_ns);

    let summary = found.summary;
    assert_eq!(summary.state, RunState::Done);
    assert_eq!(summary.started_unix_ns, new.started_unix_ns);
    assert!(summary.ended_unix_ns > Some(new.started_unix_ns));
    assert_eq!(summary.cell_count, 3);
    // Ten samples, three of them warm-up, one of the others (number 6) invalid.
    assert_eq!(
        summary.samples,
        SampleCounts {
            counted: 6,
            all: 10
        }
    );
    assert_eq!(store.runs().unwrap(), [summary]);
    store.check().unwrap();
}

#[test]
fn a_run_that_does_not_exist_is_named() {
    let store = Store::in_memory().unwrap();
    let error = store.run(RunId(7)).unwrap_err();
    assert_eq!(error.to_string(), "no run 7 in `:memory:`");
    assert!(error.hint().unwrap().contains("stripewise runs"));
}

#[test]
fn run_numbers_are_parsed_strictly() {
    assert_eq!("12".parse(), Ok(RunId(12)));
    assert_eq!(RunId(12).to_string(), "12");
    for text in ["", "0", "-1", "+1", "1.0", " 1", "x", "9223372036854775808"] {
        assert!(text.parse::<RunId>().is_err(), "{text}");
    }
}

#[test]
fn a_run_of_a_dropped_handle_is_interrupted_and_can_be_resumed() {
    let (_folder, path) = scratch();
    let mut store = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut store, 2, 3);
    assert_eq!(state(&store, run), RunState::Running);
    drop(store);

    let mut store = Store::open(&path).unwrap();
    assert_eq!(state(&store, run), RunState::Interrupted);
    assert_eq!(store.latest_unfinished_run().unwrap(), Some(run));
    store.claim_run(run).unwrap();
    store.claim_run(run).unwrap();
    assert_eq!(state(&store, run), RunState::Running);
    assert_eq!(store.run(run).unwrap().summary.ended_unix_ns, None);
    assert_eq!(store.add_sample(run, &record(3, 2)).unwrap(), 3);
    store.finish_run(run, RunEnd::Done).unwrap();
    assert_eq!(state(&store, run), RunState::Done);
    assert_eq!(store.latest_unfinished_run().unwrap(), None);
}

#[test]
fn a_run_that_is_being_executed_cannot_be_claimed() {
    let (_folder, path) = scratch();
    let mut executing = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut executing, 1, 1);
    let mut other = Store::open(&path).unwrap();
    assert_eq!(state(&other, run), RunState::Running);
    let error = other.claim_run(run).unwrap_err();
    let expected = format!(
        "run 1 is still being executed by process {}",
        std::process::id()
    );
    assert_eq!(error.to_string(), expected);
    // It is still returned, so that the user gets this message.
    assert_eq!(other.latest_unfinished_run().unwrap(), Some(run));
    // An older run that can be resumed goes first.
    executing.finish_run(run, RunEnd::Failed).unwrap();
    let newer = begin_with_samples(&mut executing, 1, 1);
    assert_eq!(other.latest_unfinished_run().unwrap(), Some(run));
    assert_eq!(other.latest_run().unwrap(), Some(newer));
    other.claim_run(run).unwrap();
}

#[test]
fn only_the_handle_that_executes_a_run_writes_to_it() {
    let (_folder, path) = scratch();
    let mut executing = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut executing, 1, 1);
    let mut other = Store::open(&path).unwrap();
    let refused = other.add_sample(run, &record(1, 1));
    assert!(matches!(refused, Err(StoreError::NotClaimed { .. })));
    executing.finish_run(run, RunEnd::Done).unwrap();
    for refused in [
        executing.add_sample(run, &record(1, 1)).err(),
        executing.add_facts(run, &facts()).err(),
        executing
            .add_warning(run, None, &Warning::NoHistogram)
            .err(),
        executing.finish_run(run, RunEnd::Done).err(),
    ] {
        assert!(matches!(refused, Some(StoreError::NotClaimed { .. })));
    }
    let nowhere = executing.claim_run(RunId(99));
    assert!(matches!(nowhere, Err(StoreError::NoSuchRun { .. })));
}

#[test]
fn a_value_that_would_not_read_back_is_refused_and_the_run_continues() {
    let mut store = Store::in_memory().unwrap();
    let run = begin_with_samples(&mut store, 2, 1);
    let mut infinite = record(1, 2);
    infinite.sample.read.latency.mean_ns = Some(f64::INFINITY);
    let error = store.add_sample(run, &infinite).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a sample cannot be stored: it would not read back as the same value"
    );

    let mut elsewhere = record(1, 2);
    elsewhere.cell = 2;
    let error = store.add_sample(run, &elsewhere).unwrap_err();
    assert_eq!(
        error.to_string(),
        "run 1 has no cell 2: it has 2, counted from 0"
    );
    assert!(
        store
            .add_warning(run, Some(2), &Warning::NoHistogram)
            .is_err()
    );
    store.add_sample(run, &record(1, 2)).unwrap();
    assert_eq!(store.run(run).unwrap().samples.len(), 2);
}

#[test]
fn other_handles_read_during_a_run() {
    let (_folder, path) = scratch();
    let mut executing = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut executing, 2, 0);
    let reader = Store::open_existing(&path).unwrap();
    for number in 0..20 {
        executing.add_sample(run, &record(number, 2)).unwrap();
        assert_eq!(reader.runs().unwrap()[0].samples.all, number + 1);
    }
}

/// A process loses its POSIX locks on a file when it closes any descriptor of it. The failure: the
/// store was opened twice in one process. `sqlite3` (3.40) then assumed that no other process had
/// it open and removed the log; all data acknowledged after that went into an unlinked file.
#[test]
fn opening_twice_does_not_lose_the_locks() {
    let (_folder, path) = scratch();
    drop(Store::open(&path).unwrap());
    let mut executing = Store::open(&path).unwrap();
    begin_with_samples(&mut executing, 1, 1);
    drop(Store::open_existing(&path).unwrap());
    // `1: POSIX ADVISORY READ PID MAJOR:MINOR:INODE FIRST LAST`
    let inode = format!(":{}", std::fs::metadata(&path).unwrap().ino());
    let is_ours = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        fields.contains(&"POSIX") && fields.iter().any(|field| field.ends_with(&inode))
    };
    // A reading of the list may miss a lock while other processes change theirs; a lost one stays lost.
    let mut locks = String::new();
    let is_held = (0..20).any(|_| {
        locks = std::fs::read_to_string("/proc/locks").unwrap();
        locks.lines().any(is_ours)
    });
    assert!(is_held, "{locks}");
}

#[test]
fn changes_stay_in_the_journal_until_they_are_undone() {
    let (_folder, path) = scratch();
    let mut store = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut store, 1, 0);
    let mut journal = store.journal(run);
    for number in 0..3 {
        journal.announce(&change(number)).unwrap();
    }
    journal.undone(&change(1)).unwrap();
    journal.undone(&change(1)).unwrap();
    // No other process may undo the changes of a running run.
    assert_eq!(store.outstanding_changes().unwrap(), []);
    drop(store);

    let mut store = Store::open(&path).unwrap();
    assert_eq!(
        store.outstanding_changes().unwrap(),
        [(run, change(2)), (run, change(0))]
    );
    assert!(store.journal(run).announce(&change(4)).is_err());
    store.journal(run).undone(&change(2)).unwrap();
    store.journal(run).undone(&change(0)).unwrap();
    assert_eq!(store.outstanding_changes().unwrap(), []);
}

#[test]
fn a_more_detailed_change_replaces_the_announced_one() {
    let (_folder, path) = scratch();
    let mut store = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut store, 1, 0);
    let announced = change(0);
    // As many files as a workspace of 1024 jobs of four sizes has.
    let made = Change::CreatedDirectory {
        path: "/srv/.stripewise-1".into(),
        parent: ParentDirectory {
            inode: Inode {
                number: 2,
                born_unix_ns: None,
            },
            filesystem: None,
        },
        inode: None,
        files: (0..4096)
            .map(|number| CreatedFile {
                name: format!("{number}.dat"),
                inode: Some(Inode {
                    number,
                    born_unix_ns: Some(number),
                }),
            })
            .collect(),
    };
    let mut journal = store.journal(run);
    journal.announce(&announced).unwrap();
    journal.announce(&change(1)).unwrap();
    journal.replaced(&announced, &made).unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    let left = store.outstanding_changes().unwrap();
    assert_eq!(left, [(run, made), (run, change(1))]);
}

#[test]
fn a_change_that_cannot_be_stored_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let mut store = Store::in_memory().unwrap();
    let run = begin_with_samples(&mut store, 1, 0);
    let path = std::ffi::OsString::from_vec(vec![b'/', 0xff]);
    let error = store.journal(run).announce(&Change::directory(path));
    assert_eq!(
        error.unwrap_err().to_string(),
        "a change of the machine cannot be stored: it would not read back as the same value"
    );
}

#[test]
fn the_overview_shows_the_numbers_of_each_sample() {
    let (_folder, path) = scratch();
    let mut store = Store::open(&path).unwrap();
    let mut sample = record(0, 1);
    sample.sample.elapsed_ns = Nanos::from_millis(2000);
    let run = store.begin_run(&new_run(), &cells(1), &facts()).unwrap();
    store.add_sample(run, &sample).unwrap();
    store.finish_run(run, RunEnd::Done).unwrap();
    drop(store);

    let connection = rusqlite::Connection::open(&path).unwrap();
    let (stack, pattern, block_size, elapsed_ns, iops, bytes_per_s): (
        String,
        String,
        u64,
        u64,
        f64,
        f64,
    ) = connection
        .query_row(
            "SELECT stack, pattern, block_size_bytes, elapsed_ns, read_iops, write_bytes_per_s
             FROM sample_overview",
            [],
            |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get::<_, i64>(2)?.cast_unsigned(),
                    row.get::<_, i64>(3)?.cast_unsigned(),
                    row.get(4)?,
                    row.get(5)?,
                ))
            },
        )
        .unwrap();
    assert_eq!((stack.as_str(), pattern.as_str()), ("stack-0", "randrw"));
    assert_eq!((block_size, elapsed_ns), (4096, 2_000_000_000));
    let half = |count: u64| f64::from(u32::try_from(count).unwrap()) / 2.0;
    assert_eq!(iops, half(sample.sample.read.ios));
    assert_eq!(bytes_per_s, half(sample.sample.write.ios) * 4096.0);
}

#[test]
fn samples_that_are_added_together_are_added_all_or_none() {
    let mut store = Store::in_memory().unwrap();
    let run = begin_with_samples(&mut store, 3, 2);
    let more: Vec<_> = (2..6).map(|number| record(number, 3)).collect();
    assert_eq!(store.add_samples(run, &more).unwrap(), 2);
    let expected: Vec<_> = (0..6).map(|number| record(number, 3)).collect();
    assert_eq!(store.run(run).unwrap().samples, expected);
    let mut bad = more.clone();
    bad[3].cell = 99;
    let refused = store.add_samples(run, &bad);
    assert!(matches!(
        refused,
        Err(StoreError::NoSuchCell { cell: 99, .. })
    ));
    assert_eq!(store.run(run).unwrap().samples, expected);
    assert_eq!(store.add_samples(run, &[]).unwrap(), 6);
}

/// `check --fix` writes settings in a run without cells, which ends before `restore` undoes them.
#[test]
fn a_run_without_cells_keeps_its_changes_for_restore() {
    let (_folder, path) = scratch();
    let mut store = Store::open(&path).unwrap();
    let new = NewRun::of(RunOrigin::Check, "cpu.governor");
    let run = store.begin_run(&new, &[], &Facts::default()).unwrap();
    let change = Change::WroteSetting {
        path: "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor".into(),
        before: "powersave".to_owned(),
        after: "performance".to_owned(),
        disk: None,
        resets: Vec::new(),
    };
    store.journal(run).announce(&change).unwrap();
    store.finish_run(run, RunEnd::Done).unwrap();
    drop(store);
    let mut store = Store::open_existing(&path).unwrap();
    let left = store.leftovers().unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].run, &left[0].change), (run, &change));
    assert!(!left[0].is_measurement);
    // It is no run to show or to resume, also if its process was killed.
    assert_eq!(store.latest_run().unwrap(), None);
    assert_eq!(store.latest_unfinished_run().unwrap(), None);
    let killed = store.begin_run(&new, &[], &Facts::default()).unwrap();
    assert_eq!(store.latest_unfinished_run().unwrap(), None, "{killed}");
    store.journal(run).undone(&change).unwrap();
    assert!(store.leftovers().unwrap().is_empty());
}
