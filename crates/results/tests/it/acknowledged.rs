//! Acknowledged changes. The failure: the note that a change is known was lost with the run before it,
//! or stayed when its own run was deleted.

use crate::common::begin_with_samples;
use stripewise_results::{Acknowledgement, RunEnd, RunId, Store, StoreError};

fn acknowledgement(run: RunId, text: &str) -> Acknowledgement {
    Acknowledgement {
        run,
        text: text.to_owned(),
        by: "ops".to_owned(),
        until_unix_ns: Some(1_900_000_000_000_000_000),
        made_unix_ns: 1_790_000_000_000_000_000,
    }
}

/// Returns an acknowledgement of a run.
#[cfg(feature = "postgres")]
pub fn known(run: RunId) -> Acknowledgement {
    acknowledgement(run, "a new firmware")
}

#[test]
fn acknowledgements_are_read_back_and_go_with_their_run() {
    let mut store = Store::in_memory().unwrap();
    assert_eq!(store.acknowledgements().unwrap(), []);
    let mut runs = Vec::new();
    for _ in 0..3 {
        let run = begin_with_samples(&mut store, 1, 1);
        store.finish_run(run, RunEnd::Done).unwrap();
        // Without an acknowledgement there is nothing to remove.
        store.remove_acknowledgements(run).unwrap();
        runs.push(run);
    }
    let all: Vec<Acknowledgement> = runs
        .iter()
        .map(|run| acknowledgement(*run, &format!("change {run}")))
        .collect();
    for one in &all {
        store.acknowledge(one).unwrap();
    }
    assert_eq!(store.acknowledgements().unwrap(), all);
    store.delete_runs(&runs[..1]).unwrap();
    assert_eq!(store.acknowledgements().unwrap(), all[1..]);
    store.remove_acknowledgements(runs[1]).unwrap();
    assert_eq!(store.acknowledgements().unwrap(), all[2..]);
}

#[test]
fn a_run_that_does_not_exist_is_refused() {
    let mut store = Store::in_memory().unwrap();
    let refused = store.acknowledge(&acknowledgement(RunId(7), "nothing"));
    assert!(
        matches!(refused, Err(StoreError::NoSuchRun { .. })),
        "{refused:?}"
    );
}
