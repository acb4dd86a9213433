//! What each role can do, tried, and what it cannot.

use stripewise_results::{RunEnd, Store, StoreError, make_roles};
use stripewise_study::world::Journal;

use super::Place;
use crate::common::{begin_with_samples, cells, change, facts, new_run};

pub(super) fn each_role_can_do_its_work_alone(place: &Place) {
    let address = place.database("roles");
    let mut store = Store::open(&address).unwrap();
    let run = begin_with_samples(&mut store, 2, 5);
    store.finish_run(run, RunEnd::Done).unwrap();
    make_roles(&address).unwrap();
    make_roles(&address).unwrap();
    for (user, role) in [
        ("rita", "reader"),
        ("wim", "writer"),
        ("olga", "owner"),
        ("nemo", ""),
    ] {
        place.psql("roles", &format!("CREATE USER {user}"));
        if !role.is_empty() {
            place.psql("roles", &format!("GRANT stripewise_{role} TO {user}"));
        }
    }
    let open = |user| Store::open_existing(&place.address("roles", user));
    let denied = |error: StoreError| {
        assert!(matches!(error, StoreError::Denied { .. }), "{error}");
    };

    // A reader reads everything and changes nothing.
    let mut reader = open("rita").unwrap();
    assert_eq!(reader.run(run).unwrap().samples.len(), 5);
    assert_eq!(reader.listed_runs().unwrap().len(), 1);
    reader.check().unwrap();
    denied(
        reader
            .begin_run(&new_run(), &cells(1), &facts())
            .unwrap_err(),
    );
    denied(reader.rename_run(run, "mine").unwrap_err());
    denied(reader.claim_run(run).unwrap_err());
    denied(
        reader
            .acknowledge(&crate::acknowledged::known(run))
            .unwrap_err(),
    );
    denied(reader.delete_runs(&[run]).unwrap_err());

    // A writer adds, also in a month that has no partition yet.
    let mut writer = open("wim").unwrap();
    let mut new = new_run();
    new.started_unix_ns = stripewise_results::unix_now_ns();
    let mine = writer.begin_run(&new, &cells(1), &facts()).unwrap();
    writer
        .add_sample(mine, &crate::common::record(0, 1))
        .unwrap();
    writer.journal(mine).announce(&change(1)).unwrap();
    writer.journal(mine).undone(&change(1)).unwrap();
    writer.finish_run(mine, RunEnd::Interrupted).unwrap();
    writer.claim_run(mine).unwrap();
    writer.finish_run(mine, RunEnd::Done).unwrap();
    writer.rename_run(mine, "mine").unwrap();
    writer.rename_run(mine, "still mine").unwrap();
    writer
        .acknowledge(&crate::acknowledged::known(mine))
        .unwrap();
    writer.remove_acknowledgements(mine).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut file = Store::open(&folder.path().join("runs.db")).unwrap();
    let local = begin_with_samples(&mut file, 1, 3);
    file.finish_run(local, RunEnd::Done).unwrap();
    file.copy_run(local, &mut writer).unwrap();
    denied(writer.delete_runs(&[mine]).unwrap_err());

    // By hand, too.
    for (user, statement) in [
        (
            "rita",
            "INSERT INTO stripewise.label (run, kind, text, row_checksum) VALUES (1, 'tag', 'x', 0)",
        ),
        ("rita", "SELECT stripewise.make_month(1)"),
        ("rita", "SELECT nextval('stripewise.run_id_seq')"),
        ("wim", "UPDATE stripewise.sample SET document = ''"),
        ("wim", "DELETE FROM stripewise.sample"),
        ("wim", "UPDATE stripewise.run SET study_text = ''"),
        ("wim", "DELETE FROM stripewise.run"),
        ("wim", "TRUNCATE stripewise.sample"),
        ("wim", "DROP TABLE stripewise.sample"),
        ("wim", "CREATE TABLE stripewise.mine (id int)"),
        ("wim", "UPDATE stripewise.store_version SET version = 9"),
        ("nemo", "SELECT * FROM stripewise.run"),
    ] {
        let tried = place.try_psql("roles", &format!("SET ROLE {user}; {statement}"));
        let why = String::from_utf8_lossy(&tried.stderr).into_owned();
        let is_denied = why.contains("permission denied") || why.contains("must be owner");
        assert!(
            !tried.status.success() && is_denied,
            "{user}: {statement}: {why}"
        );
    }
    denied(open("nemo").unwrap_err());
    denied(make_roles(&place.address("roles", "wim")).unwrap_err());

    let mut owner = open("olga").unwrap();
    owner.delete_runs(&[mine]).unwrap();
    assert_eq!(owner.runs().unwrap().len(), 2);
}
