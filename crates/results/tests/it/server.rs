//! A store on a PostgreSQL server must keep every promise of a file, and tell its users apart.
//!
//! The failure: a team moved its runs to a server. A killed controller's run could not be taken over,
//! a reader's role could delete, and a copy lost the last digits of a mean.
//!
//! Every test starts a server of the distribution, or says that it cannot.

mod copies;
mod kills;
mod leases;
mod migrations;
mod roles;
mod tls;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use stripewise_database::{Database, Kind, Load, Server, Settings};
use stripewise_fixtures::skip_unless_all;
use stripewise_results::{RunEnd, RunState, Store, StoreError};
use stripewise_study::world::{Journal, NeverCancel};
use tempfile::TempDir;

use crate::common::{begin_with_samples, cells, change, facts, new_run, record};

const LIMIT: Duration = Duration::from_secs(60);

/// A server with a database for each part of a test.
pub(super) struct Place {
    // Before its files, so that it ends first.
    server: Option<Server>,
    database: Database,
    _folder: TempDir,
}

impl Place {
    /// Starts a server; `None` if it cannot be had, which is said.
    pub(super) fn new(what: &str) -> Option<Self> {
        if let Some(missing) = Kind::PostgreSql.missing_programs().first() {
            skip_unless_all(
                what,
                &format!("`{}` of `{}` is missing", missing.name, missing.package),
            );
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), everybody).unwrap();
        let load = Load {
            seed: 1,
            payload_bytes: 10,
        };
        let settings = Settings::new(Kind::PostgreSql, [] as [(&str, &str); 0]).unwrap();
        let database = Database::new(settings, load, folder.path());
        database.create(&mut NeverCancel).unwrap();
        let mut place = Self {
            server: None,
            database,
            _folder: folder,
        };
        place.start();
        Some(place)
    }

    pub(super) fn start(&mut self) {
        self.server = Some(self.database.start(LIMIT, &mut NeverCancel).unwrap());
    }

    /// Kills the server.
    pub(super) fn kill(&mut self) {
        self.server = None;
    }

    /// Makes an empty database.
    pub(super) fn database(&self, name: &str) -> PathBuf {
        self.psql(
            "postgres",
            &format!("CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0"),
        );
        self.address(name, "stripewise")
    }

    /// Returns the address of a database for a user.
    pub(super) fn address(&self, database: &str, user: &str) -> PathBuf {
        let socket = self.server.as_ref().unwrap().socket_directory().display();
        PathBuf::from(format!(
            "postgresql:///{database}?host={socket}&user={user}"
        ))
    }

    /// Asks from outside; returns what `psql` prints.
    pub(super) fn psql(&self, database: &str, sql: &str) -> String {
        let answer = self.try_psql(database, sql);
        assert!(
            answer.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&answer.stderr)
        );
        String::from_utf8(answer.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    pub(super) fn try_psql(&self, database: &str, sql: &str) -> std::process::Output {
        let psql = Command::new("psql")
            .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql])
            .arg(self.address(database, "stripewise"))
            .output();
        psql.unwrap()
    }
}

/// One server for most of what a file promises: each part has a database of its own.
#[test]
fn a_server_keeps_the_promises_of_a_file() {
    let Some(place) = Place::new("stores on a PostgreSQL server") else {
        return;
    };
    reads_back(&place.database("reads_back"));
    refusals(&place);
    copies::there_and_back(&place);
    leases::a_run_is_taken_over(&place);
    roles::each_role_can_do_its_work_alone(&place);
    migrations::readers_of_the_old_version_go_on(&place);
    months_can_be_dropped(&place);
}

/// Runs, labels, the journal and acknowledgements read back as written, as from a file.
fn reads_back(address: &Path) {
    assert!(matches!(
        Store::open_existing(address),
        Err(StoreError::Missing { .. })
    ));
    let folder = tempfile::tempdir().unwrap();
    let mut file = Store::open(&folder.path().join("runs.db")).unwrap();
    let mut server = Store::open(address).unwrap();
    for store in [&mut file, &mut server] {
        let run = begin_with_samples(store, 3, 12);
        let batch: Vec<_> = (12..40).map(|number| record(number, 3)).collect();
        assert_eq!(store.add_samples(run, &batch).unwrap(), 12);
        store.add_facts(run, &facts()).unwrap();
        store.journal(run).announce(&change(1)).unwrap();
        store.journal(run).undone(&change(1)).unwrap();
        store.journal(run).announce(&change(2)).unwrap();
        assert_eq!(
            store.leftovers().unwrap(),
            [],
            "a living run has no leftovers"
        );
        store.rename_run(run, "the first").unwrap();
        store.tag_run(run, &["a".into(), "b".into()]).unwrap();
        store.untag_run(run, &["a".into()]).unwrap();
        store.finish_run(run, RunEnd::Done).unwrap();
        let other = begin_with_samples(store, 1, 2);
        store.finish_run(other, RunEnd::Interrupted).unwrap();
        store.acknowledge(&super::acknowledged::known(run)).unwrap();
    }
    drop(server);
    let mut server = Store::open_existing(address).unwrap();
    let same = |mut run: stripewise_results::Run| {
        // When a run ended and facts were taken are now's.
        run.summary.ended_unix_ns = run.summary.ended_unix_ns.map(|_| 0);
        run.facts
            .iter_mut()
            .skip(1)
            .for_each(|facts| facts.taken_unix_ns = 0);
        run
    };
    let runs = file.runs().unwrap();
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert_eq!(
            same(server.run(run.id).unwrap()),
            same(file.run(run.id).unwrap())
        );
        assert_eq!(server.counts(run.id).unwrap(), file.counts(run.id).unwrap());
        let (ours, theirs) = (
            server.listed_run(run.id).unwrap(),
            file.listed_run(run.id).unwrap(),
        );
        assert_eq!(ours.cells_without_samples, theirs.cells_without_samples);
    }
    assert_eq!(server.latest_run().unwrap(), file.latest_run().unwrap());
    assert_eq!(
        server.unfinished_runs().unwrap(),
        file.unfinished_runs().unwrap()
    );
    assert_eq!(
        server.runs_named("the first").unwrap(),
        file.runs_named("the first").unwrap()
    );
    assert_eq!(
        server.acknowledgements().unwrap(),
        file.acknowledgements().unwrap()
    );
    let left = server.leftovers().unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].change, change(2));
    server.check().unwrap();
    let run = left[0].run;
    server.delete_runs(&[run]).unwrap();
    assert!(matches!(server.run(run), Err(StoreError::NoSuchRun { .. })));
    server.journal(run).undone(&change(2)).unwrap();
    assert_eq!(server.leftovers().unwrap(), []);
}

/// What a server cannot keep is refused by name, and a damaged row is noticed.
fn refusals(place: &Place) {
    let address = place.database("refusals");
    let mut store = Store::open(&address).unwrap();
    let mut nul = new_run();
    nul.question = Some("with\0nul".into());
    let refused = store.begin_run(&nul, &cells(1), &facts()).unwrap_err();
    assert!(
        matches!(refused, StoreError::NotStorable { .. }),
        "{refused}"
    );
    let run = begin_with_samples(&mut store, 1, 3);
    store.finish_run(run, RunEnd::Done).unwrap();

    place.psql(
        "refusals",
        "UPDATE stripewise.sample SET block = 9 WHERE number = 1",
    );
    let damaged = store.run(run).unwrap_err().to_string();
    let expected = format!("sample 1 of run {run} does not match its checksum");
    assert!(damaged.contains(&expected), "{damaged}");

    place.psql(
        "refusals",
        "UPDATE stripewise.store_version SET version = 9, oldest = 9",
    );
    for refused in [
        store.runs().unwrap_err(),
        Store::open(&address).unwrap_err(),
    ] {
        assert!(
            matches!(
                refused,
                StoreError::NewerVersion {
                    found: 9,
                    supported: 2,
                    ..
                }
            ),
            "{refused}"
        );
    }
    place.psql(
        "refusals",
        "UPDATE stripewise.store_version SET version = 1, oldest = 1",
    );
    let refused = Store::open(&address).unwrap_err();
    assert!(
        matches!(refused, StoreError::OlderVersion { found: 1, .. }),
        "{refused}"
    );

    place.psql(
        "postgres",
        "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0",
    );
    let refused = Store::open(&place.address("ascii", "stripewise")).unwrap_err();
    assert!(matches!(refused, StoreError::Encoding { .. }), "{refused}");

    // A role that does not wait for the medium: our sessions do.
    let durable = place.database("durable");
    place.psql(
        "durable",
        "ALTER DATABASE durable SET synchronous_commit = off",
    );
    drop(Store::open(&durable).unwrap());
    let password = "postgresql://stripewise:secret@localhost/runs";
    let refused = Store::open(Path::new(password)).unwrap_err();
    assert!(matches!(refused, StoreError::Password), "{refused}");
    assert!(!refused.to_string().contains("secret"));
    let nobody = Store::open(&place.address("nothing_here", "stripewise")).unwrap_err();
    assert!(matches!(nobody, StoreError::Connect { .. }), "{nobody}");
}

/// A run whose month was dropped says so, and other runs are untouched.
fn months_can_be_dropped(place: &Place) {
    let address = place.database("months");
    let mut store = Store::open(&address).unwrap();
    let old = begin_with_samples(&mut store, 1, 3);
    store.finish_run(old, RunEnd::Done).unwrap();
    let mut newer = new_run();
    newer.started_unix_ns = stripewise_results::unix_now_ns();
    let new = store.begin_run(&newer, &cells(1), &facts()).unwrap();
    store.add_sample(new, &record(0, 1)).unwrap();
    place.psql(
        "months",
        "ALTER TABLE stripewise.sample DETACH PARTITION stripewise.sample_202311 CONCURRENTLY",
    );
    place.psql("months", "DROP TABLE stripewise.sample_202311");
    let dropped = store.run(old).unwrap_err();
    assert!(
        matches!(dropped, StoreError::SamplesDropped { month: 202_311, .. }),
        "{dropped}"
    );
    assert_eq!(store.run_without_samples(old).unwrap().cells.len(), 1);
    assert_eq!(store.runs().unwrap().len(), 2);
    assert_eq!(store.run(new).unwrap().samples.len(), 1);
    let refused = store
        .begin_run(&new_run(), &cells(1), &facts())
        .unwrap_err();
    assert!(
        matches!(refused, StoreError::MonthDropped { .. }),
        "{refused}"
    );
    assert_eq!(store.run(new).unwrap().summary.state, RunState::Running);
}
