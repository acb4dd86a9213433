//! A disk that fills up during a run must cost only the sample that did not fit.
//!
//! The failure: a store continued after a failed write, and acknowledged a later sample that was
//! not in the file.

use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::sample::{Role, Sample, SampleRecord};
use stripewise_study::world::WorldName;
use stripewise_units::Nanos;

use crate::{NewRun, RunEnd, Store};

fn record(elapsed_ns: u64) -> SampleRecord {
    SampleRecord {
        cell: 0,
        block: 0,
        role: Role::Counted,
        seed: None,
        sample: Sample {
            elapsed_ns: Nanos::new(elapsed_ns),
            ..Sample::default()
        },
    }
}

fn new_run() -> NewRun {
    NewRun::of(WorldName::Metal.into(), "full")
}

fn cell() -> Cell {
    let text = include_str!("../tests/data/cell.json");
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_full_disk_is_named_and_the_handle_refuses_further_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut store = Store::open(&path).unwrap();
    let run = store
        .begin_run(&new_run(), &[cell()], &Facts::default())
        .unwrap();
    let pages: i64 = store
        .file()
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    let limit = format!("PRAGMA max_page_count = {}", pages + 3);
    store.file().query_row(&limit, [], |_| Ok(())).unwrap();

    let mut acknowledged = 0;
    let error = loop {
        match store.add_sample(run, &record(acknowledged)) {
            Ok(number) => assert_eq!(number, acknowledged),
            Err(error) => break error,
        }
        acknowledged += 1;
    };
    let shown = path.display();
    assert_eq!(
        error.to_string(),
        format!("failed to add a sample: no space left for `{shown}`")
    );
    let hint = error.hint().unwrap();
    assert!(
        hint.contains(&folder.path().display().to_string()),
        "{hint}"
    );
    for refused in [
        store.add_sample(run, &record(0)).err(),
        store.finish_run(run, RunEnd::Failed).err(),
        store.runs().err(),
        store.check().err(),
    ] {
        assert_eq!(
            refused.unwrap().to_string(),
            format!("the store `{shown}` is closed after it failed to add a sample; open it again")
        );
    }
    drop(store);
    // The file has exactly the acknowledged samples.
    let store = Store::open(&path).unwrap();
    let elapsed: Vec<u64> = store
        .run(run)
        .unwrap()
        .samples
        .iter()
        .map(|record| record.sample.elapsed_ns.as_u64())
        .collect();
    assert_eq!(elapsed, (0..acknowledged).collect::<Vec<_>>());
    store.check().unwrap();
}
