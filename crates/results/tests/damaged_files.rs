//! A damaged store must be told from a whole one, and never give a number that was not measured.
//!
//! The failure: a disk under test flipped a bit in a digit of the store on it, which was still a
//! number, and a bandwidth that nobody ever measured went into a report.

#![expect(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

mod common;

use std::fs;
use std::path::Path;

use common::{Numbers, record, seed, store_file};
use rusqlite::Connection;
use stripewise_results::{RunEnd, RunId, Store, StoreError};

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
