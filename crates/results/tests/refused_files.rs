//! What is not a store of ours, or is damaged, locked or read-only, must be named and left alone.
//!
//! The failure: a mistyped `--store` pointed at the database of another program, which then had
//! tables of ours in it; a file of a newer Stripewise was "repaired" by an older one.

#![expect(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::{Numbers, begin_with_samples, record, seed};
use rusqlite::Connection;
use stripewise_results::{RunEnd, RunId, Store, StoreError};

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(&path).unwrap_or_default()))
        .collect()
}

/// Asserts that both ways of opening refuse the file with `message` and leave the folder as it is.
fn assert_refused(path: &Path, message: &str) -> StoreError {
    let folder = path.parent().unwrap();
    let before = contents(folder);
    for error in [
        Store::open(path).unwrap_err(),
        Store::open_existing(path).unwrap_err(),
    ] {
        assert_eq!(
            error
                .to_string()
                .replace(&path.display().to_string(), "FILE"),
            message
        );
        assert_eq!(contents(folder), before, "the folder was touched");
    }
    Store::open(path).unwrap_err()
}

/// A closed store with one finished run of 20 samples.
fn store_file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut store = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut store, 2, 20);
    store.finish_run(run, RunEnd::Done).unwrap();
    drop(store);
    assert_eq!(
        contents(folder.path()).len(),
        1,
        "the last to close leaves one file"
    );
    (folder, path)
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(&path, "SQLite format 3 is a nice format\n".repeat(10)).unwrap();
    assert_refused(
        &path,
        "`FILE` is not a Stripewise store: it is no SQLite file",
    );
    fs::write(&path, "short").unwrap();
    assert_refused(
        &path,
        "`FILE` is not a Stripewise store: it is no SQLite file",
    );

    let directory = folder.path().join("directory");
    fs::create_dir(&directory).unwrap();
    assert_refused(
        &directory,
        "`FILE` is not a Stripewise store: it is a directory",
    );
    let device = Store::open(Path::new("/dev/null")).unwrap_err();
    assert!(device.to_string().ends_with("it is not a regular file"));
}

#[test]
fn the_database_of_another_program_is_refused_and_left_alone() {
    for journal_mode in ["delete", "wal"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("browser.sqlite");
        let other = Connection::open(&path).unwrap();
        other
            .pragma_update(None, "journal_mode", journal_mode)
            .unwrap();
        other
            .execute_batch("PRAGMA user_version = 1; CREATE TABLE run (id INTEGER);")
            .unwrap();
        drop(other);
        let error = assert_refused(
            &path,
            "`FILE` is not a Stripewise store: it is the SQLite file of another program",
        );
        assert!(error.hint().unwrap().contains("not touched"));
    }
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let (_folder, path) = store_file();
    let newer = Connection::open(&path).unwrap();
    newer
        .pragma_update(None, "user_version", 4_000_000)
        .unwrap();
    drop(newer);
    assert_refused(
        &path,
        "`FILE` has store version 4000000, this program reads up to version 1",
    );
}

#[test]
fn a_newer_version_that_is_still_in_the_log_is_refused_too() {
    let (_folder, path) = store_file();
    let mut older = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut older, 1, 1);
    // Another program makes the file newer while this one has it open: the header lags behind.
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 2).unwrap();
    let header = fs::read(&path).unwrap();
    assert_eq!(header[60..64], [0, 0, 0, 1]);

    for error in [
        Store::open(&path).unwrap_err(),
        Store::open_existing(&path).unwrap_err(),
        older.add_sample(run, &record(1, 1)).unwrap_err(),
        older.runs().unwrap_err(),
    ] {
        assert!(
            matches!(error, StoreError::NewerVersion { found: 2, .. }),
            "{error}"
        );
    }
    let samples: i64 = newer
        .query_row(
            "SELECT count(*) FROM sample WHERE run = ?1",
            [run.0],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(samples, 1, "the older program wrote into a newer file");
}

#[test]
fn a_store_that_is_not_there_is_not_created_by_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none/runs.db");
    let error = Store::open_existing(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("no store at `{}`", path.display())
    );
    assert_eq!(contents(folder.path()).len(), 0);
}

#[test]
fn a_new_store_is_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/runs.db");
    let mut store = Store::open(&path).unwrap();
    begin_with_samples(&mut store, 1, 1);
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    for (path, expected) in [
        (folder.path().join("a"), 0o700),
        (folder.path().join("a/b"), 0o700),
        (path.clone(), 0o600),
        (folder.path().join("a/b/runs.db-wal"), 0o600),
        (folder.path().join("a/b/runs.db-shm"), 0o600),
    ] {
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

#[test]
fn an_empty_file_becomes_a_store_only_where_one_may_be_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    fs::write(&path, "").unwrap();
    let error = Store::open_existing(&path).unwrap_err();
    assert!(
        error.to_string().ends_with("it is an empty file"),
        "{error}"
    );
    assert_eq!(Store::open(&path).unwrap().runs().unwrap(), []);
    Store::open_existing(&path).unwrap();
}

#[test]
fn a_name_that_means_something_to_sqlite_is_only_a_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        ":memory:",
        "file:x?mode=memory",
        "a b%20c?immutable=1#d",
        "é.db",
    ] {
        let path = folder.path().join(name);
        drop(Store::open(&path).unwrap());
        assert!(fs::metadata(&path).unwrap().len() > 0, "{name}");
        Store::open_existing(&path).unwrap();
    }
}

#[test]
fn a_locked_store_is_named_and_usable_afterwards() {
    let (_folder, path) = store_file();
    let mut store = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut store, 1, 0);
    store.set_busy_timeout(Duration::from_millis(50)).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let started = Instant::now();
    let error = store.add_sample(run, &record(0, 1)).unwrap_err();
    assert!(started.elapsed() >= Duration::from_millis(50));
    assert_eq!(
        error.to_string(),
        format!(
            "failed to add a sample: `{}` is locked by another process",
            path.display()
        )
    );
    assert!(error.hint().unwrap().contains("fuser"));
    // Reading goes on, and so does writing as soon as the other is done.
    assert_eq!(store.runs().unwrap().len(), 2);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.add_sample(run, &record(0, 1)).unwrap(), 0);
}

#[test]
fn many_that_create_the_same_store_at_once_all_get_it() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/runs.db");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut store = Store::open(&path).unwrap();
                    begin_with_samples(&mut store, 1, 1);
                });
            }
        });
        let store = Store::open_existing(&path).unwrap();
        assert_eq!(store.runs().unwrap().len(), 8);
        store.check().unwrap();
    }
}

/// Does everything with a file that may be damaged; nothing may panic.
fn use_everything(path: &Path) -> Result<(), StoreError> {
    let mut store = Store::open(path)?;
    store.runs()?;
    store.run(RunId(1))?;
    store.latest_unfinished_run()?;
    store.outstanding_changes()?;
    store.claim_run(RunId(1))?;
    store.add_sample(RunId(1), &record(20, 2))?;
    store.finish_run(RunId(1), RunEnd::Done)?;
    store.check()
}

#[test]
fn a_truncated_store_is_told_from_a_whole_one() {
    let (folder, path) = store_file();
    let whole = fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged.db");
    for length in (1..whole.len()).step_by(2048 + 17) {
        fs::write(&damaged, &whole[..length]).unwrap();
        let error = use_everything(&damaged).unwrap_err();
        assert!(
            matches!(
                error,
                StoreError::Corrupt { .. } | StoreError::NotAStore { .. }
            ),
            "{length} bytes: {error:?}"
        );
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(folder.path().join(format!("damaged.db{suffix}")));
        }
    }
    fs::write(&damaged, &whole).unwrap();
    use_everything(&damaged).unwrap();
}

#[test]
fn a_store_that_lacks_a_table_or_a_row_is_damaged() {
    for (damage, message) in [
        ("DROP TABLE change", "failed to read the journal"),
        (
            "DELETE FROM sample WHERE number = 4",
            "sample 4 of run 1 is missing",
        ),
        (
            "DELETE FROM cell WHERE cell_index = 1",
            "cell 1 of run 1 is missing",
        ),
        (
            "UPDATE sample SET block = 77 WHERE number = 3",
            "sample 3 of run 1 is not what was written",
        ),
        (
            "UPDATE sample SET document_version = 9 WHERE number = 3",
            "sample 3 of run 1 has document version 9",
        ),
        (
            "UPDATE sample SET document = '[' WHERE number = 3",
            "sample 3 of run 1 cannot be read",
        ),
        ("UPDATE run SET seed = '-1'", "run 1 has the seed `-1`"),
        (
            "UPDATE run SET options = ''",
            "the options of run 1 cannot be read",
        ),
    ] {
        let (_folder, path) = store_file();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        other.execute_batch(damage).unwrap();
        drop(other);
        let error = use_everything(&path).unwrap_err();
        let expected = format!("`{}` is damaged: {message}", path.display());
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().unwrap().contains(".recover"));
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = Store::open(&folder.path().join("file/runs.db")).unwrap_err();
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
    // Nobody may make folders in /proc, not even root.
    let error = Store::open(Path::new("/proc/stripewise/runs.db")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to create directory `/proc/stripewise`"
    );
}

#[test]
fn a_flipped_bit_never_changes_a_sample_unnoticed() {
    let (folder, path) = store_file();
    let whole = fs::read(&path).unwrap();
    let expected = Store::open_existing(&path).unwrap().run(RunId(1)).unwrap();
    let mut numbers = Numbers(seed());
    let (mut noticed, mut harmless) = (0, 0);
    for round in 0..200 {
        let offset = usize::try_from(numbers.below(whole.len() as u64)).unwrap();
        let bit = 1_u8 << numbers.below(8);
        let damaged = folder.path().join(format!("damaged-{round}.db"));
        let mut bytes = whole.clone();
        bytes[offset] ^= bit;
        fs::write(&damaged, &bytes).unwrap();
        let found = Store::open_existing(&damaged).and_then(|store| store.run(RunId(1)));
        match found {
            Err(_) => noticed += 1,
            Ok(found) => {
                harmless += 1;
                assert!(found.samples == expected.samples, "bit {bit} at {offset}");
                assert!(found.cells == expected.cells, "bit {bit} at {offset}");
                // A record of facts may be lost with its place in an index, but not changed.
                let known = |facts| expected.facts.contains(facts);
                assert!(found.facts.iter().all(known), "bit {bit} at {offset}");
            }
        }
        // Writing to it must not panic either.
        let _ = use_everything(&damaged);
        fs::remove_file(&damaged).unwrap();
    }
    println!("{noticed} flips were noticed, {harmless} did not matter");
    assert!(noticed > 0, "the alarm never rang");
}

/// Set in the process that runs [`a_store_that_may_not_be_written_can_be_read`] for another user.
const AS_ANOTHER_USER: &str = "STRIPEWISE_TEST_READ_ONLY_STORE";

#[test]
fn a_store_that_may_not_be_written_can_be_read() {
    if let Some(path) = std::env::var_os(AS_ANOTHER_USER) {
        return read_but_not_write(Path::new(&path));
    }
    let (folder, path) = store_file();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&path, 0o444);
    mode(folder.path(), 0o555);
    if fs::metadata(folder.path()).unwrap().uid() == 0 {
        // Root may write anything, so somebody else has to look.
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_store_that_may_not_be_written_can_be_read"])
            .env(AS_ANOTHER_USER, &path)
            .uid(65_534)
            .gid(65_534)
            .output();
        match child {
            Ok(output) => assert!(output.status.success(), "{output:?}"),
            Err(error) => println!("SKIPPED: cannot become another user here: {error}"),
        }
    } else {
        read_but_not_write(&path);
    }
    mode(folder.path(), 0o755);
}

fn read_but_not_write(path: &Path) {
    let mut store = Store::open_existing(path).unwrap();
    assert_eq!(store.run(RunId(1)).unwrap().samples.len(), 20);
    store.check().unwrap();
    let error = store.claim_run(RunId(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("failed to claim a run: `{}` is read-only", path.display())
    );
    assert!(error.hint().unwrap().contains("mounted read-only"));
    let error = Store::open(path).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "failed to open the store: `{}` is read-only",
            path.display()
        )
    );
    let beside = path.with_file_name("new.db");
    let error = Store::open(&beside).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("failed to open `{}`", beside.display())
    );
}
