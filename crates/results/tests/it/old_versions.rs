//! Files of every released version stay readable.
//!
//! The failure: a field of a sample was renamed. All tests passed, because they wrote and read with
//! the same program, but every run of the users became unreadable.
//!
//! We create one file per version and never replace it: a change that would require that needs a
//! new version. The file holds a finished run, and one whose process died with a change that is not
//! undone.

use std::path::Path;

use crate::common::{cells, change, facts, new_run, record_with_bins};
use stripewise_results::{RunEnd, RunId, RunState, Store};
use stripewise_study::warning::Warning;

#[test]
fn version_1_stays_readable() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/version_1.db");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    std::fs::copy(kept, &path).unwrap();
    let mut store = Store::open_existing(&path).unwrap();
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
