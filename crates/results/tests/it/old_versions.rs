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
use stripewise_results::world::{CutPlace, WorldSpec};
use stripewise_results::{RunEnd, RunId, RunState, Store};
use stripewise_study::warning::Warning;

#[test]
fn version_1_stays_readable() {
    stays_readable("version_1.db");
}

#[test]
fn version_2_stays_readable() {
    stays_readable("version_2.db");
}

fn stays_readable(name: &str) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let kept = data.join(name);
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
    assert_eq!(
        (done.summary.head.origin, done.world),
        (new.origin, new.world)
    );
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

/// A store of version 1 says by four keys of the options what a run was measured in. The kept file
/// has a run of each world, of power cuts in and without guests, and an import of fio.
#[test]
fn every_world_of_version_1_is_read_and_copied_as_it_was() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/version_1_worlds.db");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    std::fs::copy(kept, &path).unwrap();
    let raw = rusqlite::Connection::open(&path).unwrap();
    let mut store = Store::open_existing(&path).unwrap();
    let mut copies = Store::in_memory().unwrap();
    let mut worlds = Vec::new();
    for summary in store.runs().unwrap() {
        let run = store.run(summary.id).unwrap();
        let query = "SELECT world, options FROM run WHERE id = ?1";
        let row: (String, String) = raw
            .query_row(query, [summary.id.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        let options: serde_json::Value = serde_json::from_str(&row.1).unwrap();
        assert_eq!(run.summary.origin.as_str(), row.0);
        assert_eq!(run.shown_options(), options, "run {}", summary.id);
        let copy = copies.import_run(&run).unwrap();
        let copy = copies.run(copy).unwrap();
        assert_eq!((&copy.world, &copy.options), (&run.world, &run.options));
        assert_eq!(copy.shown_options(), options, "run {}", summary.id);
        worlds.push(match &run.world {
            None => "none",
            Some(WorldSpec::Files { .. }) => "files",
            Some(WorldSpec::Devices) => "devices",
            Some(WorldSpec::Hosts(_)) => "hosts",
            Some(WorldSpec::Model(_)) => "model",
            Some(WorldSpec::Lab(_)) => "lab",
            Some(WorldSpec::Cuts(cuts)) => match cuts.place {
                CutPlace::Guests(_) => "cuts in guests",
                CutPlace::ThisMachine(_) => "cuts here",
            },
        });
    }
    let expected = [
        "model",
        "files",
        "none",
        "model",
        "cuts here",
        "devices",
        "lab",
        "cuts in guests",
    ];
    assert_eq!(worlds, expected);

    // Reading changes nothing; the first run of this version does.
    let version = || -> u32 {
        let read = raw.pragma_query_value(None, "user_version", |row| row.get(0));
        read.unwrap()
    };
    assert_eq!(version(), 1);
    let cuts = store.run(RunId(8)).unwrap();
    store.begin_run(&new_run(), &cells(1), &facts()).unwrap();
    assert_eq!(version(), 2);
    assert_eq!(store.run(RunId(8)).unwrap(), cuts);
    let stored: String = raw
        .query_row("SELECT options FROM run WHERE id = 9", [], |row| row.get(0))
        .unwrap();
    let expected = r#"{"sample_ns":3000000000,"world":{"kind":"files","target":"/srv/test"}}"#;
    assert_eq!(stored, expected);
}
