//! From a file to a server and back nothing is lost, and copying again changes nothing.

use stripewise_results::{Copied, Run, RunEnd, RunId, Store, StoreError};
use stripewise_study::world::Journal;

use super::Place;
use crate::common::{begin_with_samples, change, facts, record};

/// Returns a run without its number.
fn content(store: &Store, run: RunId) -> Run {
    let mut run = store.run(run).unwrap();
    run.summary.head.id = RunId(0);
    run
}

/// Returns every column of every row of a file but the numbers of runs, rows and checksums.
fn rows(path: &std::path::Path) -> Vec<String> {
    let file = rusqlite::Connection::open(path).unwrap();
    let mut all = Vec::new();
    for query in [
        "SELECT * FROM run ORDER BY id",
        "SELECT * FROM facts ORDER BY id",
        "SELECT * FROM cell ORDER BY run, cell_index",
        "SELECT * FROM sample ORDER BY run, number",
        "SELECT * FROM warning ORDER BY id",
        "SELECT * FROM change ORDER BY id",
        "SELECT * FROM label ORDER BY id",
        "SELECT * FROM acknowledgement ORDER BY id",
    ] {
        let mut statement = file.prepare(query).unwrap();
        let count = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let values = (0..count).map(|column| format!("{:?}", row.get_ref(column).unwrap()));
            all.push(values.collect::<Vec<_>>().join("|"));
        }
    }
    all
}

pub(super) fn there_and_back(place: &Place) {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.db");
    let mut file = Store::open(&first).unwrap();
    let run = begin_with_samples(&mut file, 4, 50);
    file.journal(run).announce(&change(1)).unwrap();
    file.finish_run(run, RunEnd::Interrupted).unwrap();
    let mut server = Store::open(&place.database("copies")).unwrap();
    let refused = file.copy_run(run, &mut server).unwrap_err();
    assert!(
        matches!(refused, StoreError::NotRestored { .. }),
        "{refused}"
    );
    assert_eq!(
        server.runs().unwrap().len(),
        0,
        "a refused run leaves nothing"
    );
    file.journal(run).undone(&change(1)).unwrap();
    file.rename_run(run, "there and back").unwrap();
    file.tag_run(run, &["team".into()]).unwrap();
    file.acknowledge(&crate::acknowledged::known(run)).unwrap();

    let there = match file.copy_run(run, &mut server).unwrap() {
        Copied::Added { run, samples: 50 } => run,
        other => panic!("{other:?}"),
    };
    assert_eq!(content(&server, there), content(&file, run));
    for _ in 0..2 {
        let again = file.copy_run(run, &mut server).unwrap();
        assert_eq!(again, Copied::Already { run: there });
    }
    // Into an empty file, where the numbers are the same: every byte but the pages' order.
    let second = folder.path().join("second.db");
    let mut back = Store::open(&second).unwrap();
    let copied = server.copy_run(there, &mut back).unwrap();
    assert_eq!(
        copied,
        Copied::Added {
            run: RunId(1),
            samples: 50
        }
    );
    assert_eq!(
        server.copy_run(there, &mut back).unwrap(),
        Copied::Already { run: RunId(1) }
    );
    drop(back);
    assert_eq!(
        rows(&second),
        rows(&first),
        "checksums are part of the rows"
    );

    // Resumed here, it is continued there; the server's copy came from elsewhere than its digest says.
    file.claim_run(run).unwrap();
    assert!(matches!(
        file.copy_run(run, &mut server),
        Err(StoreError::RunAlive { .. })
    ));
    file.add_facts(run, &facts()).unwrap();
    for number in 50..60 {
        file.add_sample(run, &record(number, 4)).unwrap();
    }
    file.finish_run(run, RunEnd::Done).unwrap();
    let continued = file.copy_run(run, &mut server).unwrap();
    assert_eq!(
        continued,
        Copied::Continued {
            run: there,
            samples: 10
        }
    );
    assert_eq!(content(&server, there), content(&file, run));
    // The older copy has nothing that the server lacks.
    let back = Store::open(&second).unwrap();
    assert_eq!(
        back.copy_run(RunId(1), &mut server).unwrap(),
        Copied::Already { run: there }
    );
    // A run that began on the server is found by its rows.
    let mine = begin_with_samples(&mut server, 2, 7);
    server.finish_run(mine, RunEnd::Failed).unwrap();
    let here = server.copy_run(mine, &mut file).unwrap().run();
    assert_eq!(
        file.copy_run(here, &mut server).unwrap(),
        Copied::Already { run: mine }
    );
    server.check().unwrap();
    file.check().unwrap();
}
