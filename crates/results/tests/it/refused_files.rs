//! A file that is not a store, or is newer, locked or read-only, must be reported and left
//! unchanged.
//!
//! The failures: a mistyped `--store` pointed at the database of another program, and we created
//! our tables in it. An older Stripewise "repaired" a file of a newer one.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::{begin_with_samples, record};
use crate::store_file;
use rusqlite::Connection;
use stripewise_results::{RunId, Store, StoreError};

/// Returns every file of a directory with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(&path).unwrap_or_default()))
        .collect()
}

/// Asserts that both ways of opening refuse the file with `message` and leave the directory
/// unchanged.
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
        assert_eq!(contents(folder), before, "the directory was changed");
    }
    Store::open(path).unwrap_err()
}

#[test]
fn other_files_are_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(&path, "SQLite format 3 is a nice format\n".repeat(10)).unwrap();
    assert_refused(
        &path,
        "`FILE` is not a Stripewise store: it is not an SQLite file",
    );
    fs::write(&path, "short").unwrap();
    assert_refused(
        &path,
        "`FILE` is not a Stripewise store: it is not an SQLite file",
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
fn the_database_of_another_program_is_refused_and_unchanged() {
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
        assert!(error.hint().unwrap().contains("not changed"));
    }
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_unchanged() {
    let (_folder, path) = store_file();
    let newer = Connection::open(&path).unwrap();
    newer
        .pragma_update(None, "user_version", 4_000_000)
        .unwrap();
    drop(newer);
    assert_refused(
        &path,
        "`FILE` has store version 4000000, this program reads up to version 2",
    );
}

#[test]
fn a_draft_from_before_the_first_release_is_refused_and_unchanged() {
    let (_folder, path) = store_file();
    // Drafts had versions 1 to 3, and another mark.
    let draft = Connection::open(&path).unwrap();
    let mark = u32::from_be_bytes(*b"STRW");
    draft.pragma_update(None, "application_id", mark).unwrap();
    drop(draft);
    assert_refused(
        &path,
        "`FILE` is not a Stripewise store: it is a draft format from before the first release",
    );
}

#[test]
fn a_newer_version_only_in_the_log_is_refused_too() {
    let (_folder, path) = store_file();
    let mut older = Store::open(&path).unwrap();
    let run = begin_with_samples(&mut older, 1, 1);
    // Another program upgrades the file while this one has it open: the header still has the old
    // version.
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 3).unwrap();
    let header = fs::read(&path).unwrap();
    assert_eq!(header[60..64], [0, 0, 0, 2]);

    for error in [
        Store::open(&path).unwrap_err(),
        Store::open_existing(&path).unwrap_err(),
        older.add_sample(run, &record(1, 1)).unwrap_err(),
        older.runs().unwrap_err(),
    ] {
        assert!(
            matches!(error, StoreError::NewerVersion { found: 3, .. }),
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
fn reading_does_not_create_a_missing_store() {
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
fn only_the_owner_can_read_a_new_store() {
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
fn an_empty_file_becomes_a_store_only_if_creation_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    fs::write(&path, "").unwrap();
    let error = Store::open_existing(&path).unwrap_err();
    assert!(matches!(error, StoreError::Empty { .. }), "{error}");
    assert_eq!(Store::open(&path).unwrap().runs().unwrap(), []);
    Store::open_existing(&path).unwrap();
}

#[test]
fn special_names_of_sqlite_are_plain_file_names() {
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
fn a_locked_store_is_reported_and_usable_afterwards() {
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
    // Reads still work, and writes work again once the lock is released.
    assert_eq!(store.runs().unwrap().len(), 2);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.add_sample(run, &record(0, 1)).unwrap(), 0);
}

#[test]
fn concurrent_creation_of_a_store_succeeds_for_all() {
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

#[test]
fn a_directory_that_cannot_be_created_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = Store::open(&folder.path().join("file/runs.db")).unwrap_err();
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
    // Even root cannot create directories in /proc.
    let error = Store::open(Path::new("/proc/stripewise/runs.db")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to create directory `/proc/stripewise`"
    );
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
        // Root may write anything, so run the test as another user.
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "refused_files::a_store_that_may_not_be_written_can_be_read",
            ])
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
