//! Names, tags and deleted runs.
//!
//! The failures: a run was deleted while a process still measured it, and its samples were lost. A
//! crashed run was deleted, and `restore` no longer knew the array that it had left behind. Half of
//! a list of runs was deleted although one of them could not be.

use crate::common::{begin_with_samples, change};
use stripewise_results::{
    Deleted, LabelError, NAME_BYTES_MAX, RunEnd, RunId, Store, StoreError, TAGS_MAX, run_name,
    split_cell, stored_run_name, tag,
};
use stripewise_study::world::Journal;

fn finished(store: &mut Store) -> RunId {
    let run = begin_with_samples(store, 2, 3);
    store.finish_run(run, RunEnd::Done).unwrap();
    run
}

fn ids(store: &Store) -> Vec<RunId> {
    store.runs().unwrap().iter().map(|run| run.id).collect()
}

fn tags(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_name_replaces_the_previous_one_and_tags_accumulate() {
    let mut store = Store::in_memory().unwrap();
    let run = finished(&mut store);
    let plain = store.summary(run).unwrap();
    assert_eq!((plain.name.clone(), plain.tags.clone()), (None, Vec::new()));
    assert_eq!(Some(plain.title()), plain.question.as_deref());

    store.rename_run(run, "first").unwrap();
    store.rename_run(run, "before the repair").unwrap();
    store.tag_run(run, &tags(&["nvme", "a"])).unwrap();
    store.tag_run(run, &tags(&["nvme", "b"])).unwrap();
    store.untag_run(run, &tags(&["a", "never"])).unwrap();
    let named = store.run(run).unwrap().summary;
    assert_eq!(named.title(), "before the repair");
    assert_eq!(named.tags, ["b", "nvme"]);
    assert_eq!(store.runs().unwrap()[0], named);

    let many: Vec<String> = (0..2 * TAGS_MAX).map(|n| format!("t{n}")).collect();
    store.tag_run(run, &many).unwrap();
    assert_eq!(store.summary(run).unwrap().tags.len(), TAGS_MAX);
    let absent = store.rename_run(RunId(9), "x").unwrap_err();
    assert!(matches!(
        absent,
        StoreError::NoSuchRun { run: RunId(9), .. }
    ));
}

#[test]
fn an_imported_run_keeps_its_name_and_tags() {
    let mut store = Store::in_memory().unwrap();
    let run = finished(&mut store);
    store.rename_run(run, "kept").unwrap();
    store.tag_run(run, &tags(&["one", "two"])).unwrap();
    let whole = store.run(run).unwrap();
    let mut other = Store::in_memory().unwrap();
    let id = other.import_run(&whole).unwrap();
    let mut back = other.run(id).unwrap();
    back.summary.id = run;
    assert_eq!(back, whole);
}

#[test]
fn names_and_tags_are_one_line() {
    assert_eq!(run_name("  a b  ").unwrap(), "a b");
    for reserved in [
        "7",
        "0012",
        "latest",
        "1:2",
        "before:3",
        "before:depth=4",
        "-x",
        "a:b:1",
    ] {
        let refused = run_name(reserved);
        assert!(
            matches!(refused, Err(LabelError::Reserved { .. })),
            "{reserved}"
        );
        assert_eq!(
            stored_run_name(reserved).unwrap(),
            reserved,
            "old stores have it"
        );
    }
    for name in [
        "7 disks",
        "after: 6.12",
        "a:b",
        "12:30 today",
        "x:",
        ":",
        ":1",
        "a=b",
    ] {
        assert_eq!(run_name(name).unwrap(), name);
        assert_eq!(split_cell(name), (name, None), "it can be named again");
    }
    assert_eq!(split_cell("a:b:1"), ("a:b", Some("1")));
    assert_eq!(split_cell("1:block_size=4K"), ("1", Some("block_size=4K")));
    assert_eq!(run_name(" \t"), Err(LabelError::Empty { what: "name" }));
    assert!(matches!(
        run_name("a\u{1b}[2J"),
        Err(LabelError::Character { .. })
    ));
    let long = "x".repeat(NAME_BYTES_MAX + 1);
    assert!(matches!(run_name(&long), Err(LabelError::TooLong { .. })));
    assert_eq!(tag("nvme"), Ok("nvme".to_owned()));
    for bad in ["a b", "a,b", "", "a\nb"] {
        assert!(tag(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn a_deleted_run_is_gone_and_its_number_is_not_used_again() {
    let mut store = Store::in_memory().unwrap();
    let runs: Vec<RunId> = (0..3).map(|_| finished(&mut store)).collect();
    store.tag_run(runs[2], &tags(&["x"])).unwrap();
    let deleted = store.delete_runs(&[runs[2], runs[0]]).unwrap();
    let gone = |run| Deleted { run, leftovers: 0 };
    assert_eq!(deleted, [gone(runs[2]), gone(runs[0])]);
    assert_eq!(ids(&store), [runs[1]]);
    assert_eq!(store.latest_run().unwrap(), Some(runs[1]));
    store.run(runs[1]).unwrap();
    store.check().unwrap();
    assert!(store.run(runs[2]).is_err());
    assert_eq!(finished(&mut store), RunId(runs[2].0 + 1));
}

#[test]
fn all_runs_are_deleted_or_none() {
    let mut store = Store::in_memory().unwrap();
    let done = finished(&mut store);
    let under_way = begin_with_samples(&mut store, 2, 3);
    let refused = store.delete_runs(&[done, under_way]).unwrap_err();
    assert!(matches!(refused, StoreError::RunAlive { run, .. } if run == under_way));
    let refused = store.delete_runs(&[done, RunId(77)]).unwrap_err();
    assert!(matches!(
        refused,
        StoreError::NoSuchRun { run: RunId(77), .. }
    ));
    assert_eq!(ids(&store), [done, under_way]);
    assert_eq!(store.run(done).unwrap().samples.len(), 3);
}

#[test]
fn changes_that_are_not_undone_outlive_a_deleted_run() {
    let mut store = Store::in_memory().unwrap();
    let run = begin_with_samples(&mut store, 2, 3);
    store.journal(run).announce(&change(0)).unwrap();
    store.journal(run).announce(&change(1)).unwrap();
    store.journal(run).undone(&change(1)).unwrap();
    store.finish_run(run, RunEnd::Failed).unwrap();

    assert_eq!(
        store.delete_runs(&[run]).unwrap(),
        [Deleted { run, leftovers: 1 }]
    );
    assert_eq!(ids(&store), []);
    assert_eq!(
        (
            store.latest_run().unwrap(),
            store.latest_unfinished_run().unwrap()
        ),
        (None, None)
    );
    assert!(store.run(run).is_err());
    assert!(store.delete_runs(&[run]).is_err(), "it is deleted already");
    assert_eq!(store.outstanding_changes().unwrap(), [(run, change(0))]);
    assert_eq!(
        store.announced_changes(run).unwrap(),
        [change(1), change(0)]
    );

    // After `restore` the next deletion removes the rest, too.
    store.journal(run).undone(&change(0)).unwrap();
    let next = finished(&mut store);
    store.delete_runs(&[next]).unwrap();
    assert_eq!(store.announced_changes(run).unwrap(), []);
    store.check().unwrap();
}
