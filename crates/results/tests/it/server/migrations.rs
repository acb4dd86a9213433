//! The tables change while programs of the version before read and write.

use std::sync::atomic::{AtomicBool, Ordering};

use stripewise_results::{MigrationStep, RunEnd, Store, StoreError, migrate, migrate_by};

use super::Place;
use crate::common::{begin_with_samples, record};

pub(super) fn readers_of_the_old_version_go_on(place: &Place) {
    let address = place.database("migrations");
    let mut writer = Store::open(&address).unwrap();
    let run = begin_with_samples(&mut writer, 2, 5);
    let migrated = migrate(&address).unwrap();
    assert_eq!(
        (migrated.before, migrated.after),
        (2, 2),
        "this version needs nothing"
    );

    let expand = MigrationStep {
        version: 3,
        oldest: 2,
        // It needs every lock there is on a table that is read all the time.
        sql:
            "CREATE TABLE verdict (run bigint PRIMARY KEY REFERENCES run (id), text text NOT NULL);
              ALTER TABLE facts ALTER COLUMN document SET STATISTICS 0;
              LOCK TABLE sample IN ACCESS EXCLUSIVE MODE",
    };
    let broken = MigrationStep {
        version: 4,
        oldest: 2,
        sql: "CREATE TABLE half (id bigint); SELECT 1 / 0",
    };
    let contract = MigrationStep {
        version: 4,
        oldest: 4,
        sql: "DROP TABLE verdict",
    };
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reads = scope.spawn(|| {
            let reader = Store::open_existing(&address).unwrap();
            let mut reads = 0;
            while !stop.load(Ordering::Relaxed) {
                assert!(reader.run(run).unwrap().samples.len() >= 5);
                reads += 1;
            }
            reads
        });
        let writes = scope.spawn(|| {
            let mut number = 5;
            while !stop.load(Ordering::Relaxed) {
                writer.add_sample(run, &record(number, 2)).unwrap();
                number += 1;
            }
            (writer, number)
        });
        // A reader in the middle of a long transaction.
        let mut slow = std::process::Command::new("psql")
            .args([
                "-XAtqc",
                "BEGIN; SELECT count(*) FROM stripewise.sample; SELECT pg_sleep(2); COMMIT",
            ])
            .arg(&address)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(2)%' AND wait_event = 'PgSleep'";
        while place.psql("migrations", waits) == "0" {
            std::thread::yield_now();
        }
        let migrated = migrate_by(&address, &[expand]);
        stop.store(true, Ordering::Relaxed);
        let migrated = migrated.unwrap();
        assert_eq!((migrated.before, migrated.after), (2, 3));
        assert!(
            slow.wait().unwrap().success(),
            "nobody waits for the migration"
        );
        let (mut writer, number) = writes.join().unwrap();
        assert!(reads.join().unwrap() > 0 && number > 5);
        writer.finish_run(run, RunEnd::Done).unwrap();
        assert_eq!(writer.run(run).unwrap().samples.len() as u64, number);
    });
    assert_eq!(
        migrate_by(&address, &[expand]).unwrap().before,
        3,
        "again changes nothing"
    );
    migrate_by(&address, &[expand, broken]).unwrap_err();
    assert_eq!(
        place.psql(
            "migrations",
            "SELECT version, to_regclass('stripewise.half') IS NULL FROM stripewise.store_version"
        ),
        "3|t"
    );
    let old = Store::open_existing(&address).unwrap();
    migrate_by(&address, &[expand, contract]).unwrap();
    for refused in [old.runs().unwrap_err(), Store::open(&address).unwrap_err()] {
        assert!(
            matches!(refused, StoreError::NewerVersion { found: 4, .. }),
            "{refused}"
        );
    }
}
