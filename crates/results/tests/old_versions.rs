//! Files of every version that was ever released stay readable.
//!
//! The failure: a field of a sample was renamed, all tests passed because they wrote and read with
//! the same program, and every run that users had was unreadable.
//!
//! A file is made once per version and never again: a change that needs it made again is a change
//! that needs a new version. Version 1 was written by its program: a finished run, and one whose
//! process died with a change that is not undone. Versions 2 and 3 are that file, brought up to date by
//! the programs of their time, now with
//! `STRIPEWISE_WRITE_SAMPLE_FILE=1 cargo test -p stripewise-results --test old_versions`.

#![expect(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Numbers, cells, change, facts, new_run, record_with_bins, seed};
use rusqlite::{Connection, params};
use stripewise_results::{RunEnd, RunId, RunState, Store, StoreError};
use stripewise_study::warning::Warning;

const WRITE: &str = "STRIPEWISE_WRITE_SAMPLE_FILE";
const STORE_OF_THE_CHILD: &str = "STRIPEWISE_TEST_OLD_STORE";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Returns a copy of a kept file.
fn copy(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    std::fs::copy(data(name), &path).unwrap();
    (folder, path)
}

/// Returns the version in the header of a file.
fn version(path: &Path) -> u8 {
    std::fs::read(path).unwrap()[63]
}

#[test]
fn version_1_stays_readable() {
    let (_folder, path) = copy("version_1.db");
    assert_eq!(version(&path), 1);
    drop(Store::open_existing(&path).unwrap());
    assert_eq!(version(&path), 3);
    if std::env::var_os(WRITE).is_some() {
        std::fs::copy(&path, data("version_3.db")).unwrap();
    }
    stays_readable(&path);
}

#[test]
fn version_2_stays_readable() {
    let (_folder, path) = copy("version_2.db");
    stays_readable(&path);
}

#[test]
fn version_3_stays_readable() {
    let (_folder, path) = copy("version_3.db");
    stays_readable(&path);
}

fn stays_readable(path: &Path) {
    let mut store = Store::open_existing(path).unwrap();
    let done = store.run(RunId(1)).unwrap();
    let new = new_run();
    assert_eq!(done.summary.state, RunState::Done);
    assert_eq!(done.summary.question, new.question);
    assert_eq!(
        done.summary.ended_unix_ns,
        Some(new.started_unix_ns + 60_000_000_000)
    );
    assert_eq!(done.study_text, new.study_text);
    assert_eq!((done.seed, done.options), (new.seed, new.options));
    assert_eq!(done.cells, cells(3));
    assert_eq!(done.facts[0].facts, facts());
    assert_eq!(done.warnings[0].cell, Some(1));
    assert_eq!(done.warnings[0].warning, Warning::NoHistogram);
    let expected: Vec<_> = (0..9)
        .map(|number| record_with_bins(number, 3, 40))
        .collect();
    assert_eq!(done.samples, expected);

    let died = RunId(2);
    assert_eq!(store.latest_unfinished_run().unwrap(), Some(died));
    assert_eq!(store.outstanding_changes().unwrap(), [(died, change(0))]);
    store.claim_run(died).unwrap();
    assert_eq!(
        store.add_sample(died, &record_with_bins(1, 1, 0)).unwrap(),
        1
    );
    store.finish_run(died, RunEnd::Done).unwrap();
    store.check().unwrap();
}

#[test]
fn a_row_that_was_damaged_before_stays_damaged() {
    for (damage, message) in [
        (
            "UPDATE sample SET document = replace(document, '1', '2') WHERE run = 1 AND number = 3",
            "sample 3 of run 1 is not what was written",
        ),
        (
            "UPDATE sample SET seed = '7' WHERE run = 1 AND number = 4",
            "sample 4 of run 1 is not what was written",
        ),
        (
            "UPDATE facts SET taken_unix_ns = 7 WHERE run = 1",
            "a record of facts of run 1 is not what was written",
        ),
        (
            "UPDATE cell SET document_checksum = document_checksum + 1 WHERE run = 1 AND cell_index = 2",
            "cell 2 of run 1 is not what was written",
        ),
    ] {
        let (_folder, path) = copy("version_1.db");
        let other = Connection::open(&path).unwrap();
        assert_eq!(other.execute(damage, []).unwrap(), 1);
        drop(other);
        let store = Store::open(&path).unwrap();
        let error = store.run(RunId(1)).unwrap_err();
        let expected = format!("`{}` is damaged: {message}", path.display());
        assert_eq!(error.to_string(), expected);
        // The rest can be read.
        store.run(RunId(2)).unwrap();
    }
}

#[test]
fn a_file_of_version_1_that_cannot_be_written_is_not_brought_up_to_date() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = copy("version_1.db");
    let before = std::fs::read(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o500)).unwrap();
    let opened = Store::open_existing(&path);
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    // Root may write all the same.
    if let Err(error) = opened {
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
        assert!(std::fs::read(&path).unwrap() == before);
    }
}

/// The hash of version 1: FNV-1a of a key and the document.
fn checksum(key: &str, document: &str) -> i64 {
    let bytes = key.bytes().chain(document.bytes());
    bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
        .cast_signed()
}

/// Adds samples to run 1 of a file of version 1, so that bringing it up to date takes a while.
fn add_samples(path: &Path, count: u64) {
    let mut connection = Connection::open(path).unwrap();
    let transaction = connection.transaction().unwrap();
    for number in 9..9 + count {
        let record = record_with_bins(number, 3, 40);
        let document = serde_json::to_string(&record.sample).unwrap();
        let (cell, block, seed) = (record.cell, record.block, record.seed.unwrap());
        let key = format!("sample/1/{number}/{cell}/{block}/counted/{seed}/");
        transaction
            .execute(
                "INSERT INTO sample VALUES (1, ?1, ?2, ?3, 'counted', ?4, ?5, 1, ?6, ?7)",
                params![
                    number.cast_signed(),
                    i64::try_from(cell).unwrap(),
                    block,
                    seed.to_string(),
                    record.sample.is_valid(),
                    checksum(&key, &document),
                    document
                ],
            )
            .unwrap();
    }
    transaction.commit().unwrap();
}

/// The process that is killed: opens a store, and says so.
#[test]
fn opener() {
    let Some(path) = std::env::var_os(STORE_OF_THE_CHILD) else {
        return;
    };
    let store = Store::open(Path::new(&path)).unwrap();
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "\nopened").unwrap();
    stdout.flush().unwrap();
    drop(store);
}

/// Kill -9 at any instant of the way from version 1 to 2 must leave one of them, whole.
///
/// The failure it guards against: half of the rows had new checksums, and the others were damaged.
#[test]
fn bringing_a_file_up_to_date_survives_a_kill() {
    const SAMPLES: u64 = 400;
    let rounds: u32 =
        std::env::var("STRIPEWISE_MIGRATION_KILLS").map_or(12, |rounds| rounds.parse().unwrap());
    let (_kept_folder, kept) = copy("version_1.db");
    add_samples(&kept, SAMPLES);
    let open = |path: &Path, life: Option<Duration>| {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "opener", "--nocapture"])
            .env(STORE_OF_THE_CHILD, path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        if let Some(life) = life {
            std::thread::sleep(life);
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        String::from_utf8_lossy(&output.stdout).contains("\nopened\n")
    };
    let mut numbers = Numbers(seed());
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    std::fs::copy(&kept, &whole).unwrap();
    let started = Instant::now();
    assert!(open(&whole, None));
    let life = u64::try_from(started.elapsed().as_micros()).unwrap();
    let (mut old, mut new) = (0, 0);
    for round in 0..rounds {
        let path = folder.path().join(format!("{round}.db"));
        std::fs::copy(&kept, &path).unwrap();
        let life = Duration::from_micros(numbers.below(life * 5 / 4));
        let was_opened = open(&path, Some(life));
        // As the next program sees it, log included, without bringing it up to date.
        let connection = Connection::open(&path).unwrap();
        let found: u32 = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        drop(connection);
        assert!(found == 3 || !was_opened);
        (old, new) = (old + u32::from(found == 1), new + u32::from(found == 3));
        let store = Store::open(&path).unwrap();
        let samples = store.run(RunId(1)).unwrap().samples;
        let expected = (0..9 + SAMPLES).map(|number| record_with_bins(number, 3, 40));
        assert!(samples.into_iter().eq(expected), "round {round}");
        store.run(RunId(2)).unwrap();
        assert_eq!(store.outstanding_changes().unwrap().len(), 1);
        store.check().unwrap();
    }
    println!("{rounds} kills: {old} files of version 1, {new} of version 2");
}
