//! A damaged store must be detected, and never give a number that was not measured.
//!
//! The failure: a disk under test flipped a bit in a digit of the store on it. The result was still
//! a number, and a bandwidth that was never measured went into a report.

use std::fs;
use std::path::Path;
use std::process::Command;

use stripewise_fixtures::{Numbers, seed};

use crate::common::{begin_with_samples, change, record};
use crate::store_file;
use rusqlite::Connection;
use rusqlite::types::Value;
use stripewise_results::{Acknowledgement, RunEnd, RunId, Store, StoreError};
use stripewise_study::warning::Warning;
use stripewise_study::world::Journal;

const STORE_OF_THE_CHILD: &str = "STRIPEWISE_TEST_DAMAGED_STORE";

/// Runs every operation on a file that may be damaged; none may panic.
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
fn a_truncated_store_is_detected() {
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
fn a_missing_table_or_row_is_reported_as_damage() {
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
            "sample 3 of run 1 does not match its checksum",
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
fn a_flipped_bit_never_changes_a_sample_undetected() {
    let (folder, path) = store_file();
    let whole = fs::read(&path).unwrap();
    let expected = Store::open_existing(&path).unwrap().run(RunId(1)).unwrap();
    let mut numbers = Numbers::of(seed());
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
                // The counts come from an index, which has no checksum.
                let mut summary = found.summary.clone();
                summary.samples = expected.summary.samples;
                let heading = (summary, found.study_text, found.seed, found.options);
                let expected_heading = (
                    expected.summary.clone(),
                    expected.study_text.clone(),
                    expected.seed,
                    expected.options.clone(),
                );
                assert!(heading == expected_heading, "bit {bit} at {offset}");
                // A record of facts may be lost with its index entry, but not changed.
                let known = |facts| expected.facts.contains(facts);
                assert!(found.facts.iter().all(known), "bit {bit} at {offset}");
            }
        }
        // Writing to it must not panic either.
        let _ = use_everything(&damaged);
        fs::remove_file(&damaged).unwrap();
    }
    println!("{noticed} flips were detected, {harmless} had no effect");
    assert!(noticed > 0, "no flip was detected");
}

/// Changes one byte of a value; NULL becomes a value.
fn flip(connection: &Connection, table: &str, column: &str, rowid: i64) -> bool {
    let old: Value = connection
        .query_row(
            &format!("SELECT {column} FROM {table} WHERE rowid = ?1"),
            [rowid],
            |row| row.get(0),
        )
        .unwrap();
    let kind: String = connection
        .query_row(
            "SELECT type FROM pragma_table_info(?1) WHERE name = ?2",
            [table, column],
            |row| row.get(0),
        )
        .unwrap();
    let new = match (old, kind.as_str()) {
        (Value::Integer(value), _) => Value::Integer(value ^ 1),
        (Value::Text(mut text), _) => {
            let last = text.pop().map_or('0', |c| if c == '1' { '2' } else { '1' });
            text.push(last);
            Value::Text(text)
        }
        (Value::Null, "INTEGER") => Value::Integer(1),
        (Value::Null, "TEXT") => Value::Text("1".to_owned()),
        (other, kind) => panic!("{table}.{column} is {other:?} and a {kind}"),
    };
    let statement = format!("UPDATE {table} SET {column} = ?2 WHERE rowid = ?1");
    let changed = connection.execute(&statement, rusqlite::params![rowid, new]);
    // The update fails if another row has the new key: such a flip would be detected as a
    // duplicate.
    changed.is_ok()
}

/// Reads all runs and the journal.
fn read_everything(path: &Path) -> Result<(), StoreError> {
    let store = Store::open_existing(path)?;
    store.leftovers()?;
    store.acknowledgements()?;
    for summary in store.runs()? {
        store.run(summary.id)?;
        store.announced_changes(summary.id)?;
    }
    // The runs from before the damage.
    [1, 2]
        .iter()
        .try_for_each(|run| store.run(RunId(*run)).map(drop))
}

/// A child that begins a run, announces two changes, undoes one, and dies.
#[test]
fn dying_writer() {
    let Some(path) = std::env::var_os(STORE_OF_THE_CHILD) else {
        return;
    };
    let mut store = Store::open(Path::new(&path)).unwrap();
    let run = begin_with_samples(&mut store, 2, 3);
    for number in 0..2 {
        store.journal(run).announce(&change(number)).unwrap();
    }
    store.journal(run).undone(&change(0)).unwrap();
    store
        .add_warning(run, Some(1), &Warning::NoHistogram)
        .unwrap();
    store.add_warning(run, None, &Warning::NoHistogram).unwrap();
    store.rename_run(RunId(1), "first").unwrap();
    store
        .tag_run(run, &["a".to_owned(), "b".to_owned()])
        .unwrap();
    for (run, until_unix_ns) in [(RunId(1), None), (run, Some(3))] {
        let (text, by, made_unix_ns) = ("meant".to_owned(), "ops".to_owned(), 2);
        store
            .acknowledge(&Acknowledgement {
                run,
                text,
                by,
                until_unix_ns,
                made_unix_ns,
            })
            .unwrap();
    }
    std::process::abort();
}

#[test]
fn a_changed_byte_in_any_column_of_any_table_is_detected() {
    let (folder, path) = store_file();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "damaged_files::dying_writer", "--nocapture"])
        .env(STORE_OF_THE_CHILD, &path)
        .output()
        .unwrap();
    read_everything(&path).unwrap();
    let connection = Connection::open(&path).unwrap();
    let strings = |query: &str| -> Vec<String> {
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let tables =
        strings("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    let mut flipped = 0;
    for table in &tables {
        let rows = strings(&format!("SELECT CAST(rowid AS TEXT) FROM {table}"));
        assert!(!rows.is_empty(), "`{table}` has no row to damage");
        for column in strings(&format!("SELECT name FROM pragma_table_info('{table}')")) {
            // The first and the last row, which belong to different runs.
            for row in [rows.first(), rows.last()].into_iter().flatten() {
                let damaged = folder.path().join(format!("{table}-{column}-{row}.db"));
                connection
                    .execute("VACUUM INTO ?1", [damaged.to_str().unwrap()])
                    .unwrap();
                let other = Connection::open(&damaged).unwrap();
                other
                    .execute_batch(
                        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;",
                    )
                    .unwrap();
                if !flip(&other, table, &column, row.parse().unwrap()) {
                    continue;
                }
                drop(other);
                let place = format!("{table}.{column} of row {row}");
                assert!(read_everything(&damaged).is_err(), "{place}");
                if table == "run" {
                    // Separately: a list, one run, and the data for `restore`.
                    let store = Store::open_existing(&damaged).unwrap();
                    let id = RunId(row.parse().unwrap());
                    assert!(store.runs().is_err(), "{place}");
                    assert!(store.run(id).is_err(), "{place}");
                    assert!(store.leftovers().is_err(), "{place}");
                    assert!(store.changing_runs().is_err(), "{place}");
                }
                flipped += 1;
                std::fs::remove_file(&damaged).unwrap();
            }
        }
    }
    assert_eq!(tables.len(), 8, "{tables:?}");
    println!("{flipped} changes were detected");
}
