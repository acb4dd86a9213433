//! The versions of the tables on a server.
//!
//! A version is reached in two steps, each a transaction that takes its locks briefly or gives up.
//! First **expand**: new tables, beside the old ones; programs of the version before go on. Later, when
//! all programs are new, **contract**: `oldest` rises, and older programs are refused by name.

use std::time::{Duration, Instant};

use crate::managing::MigrationStep;
use crate::schema::VERSION;
use crate::server::libpq::{Fault, Session};
use crate::sql::{FromValue, Row, SqlError};

/// The tables of the first version on a server.
const TABLES: &str = include_str!("schema.sql");

/// The steps after the first version, in order.
pub(crate) const STEPS: &[MigrationStep] = &[];

/// How long to try again while readers hold a lock.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serializes those who make or change tables.
const ALONE: &str = "SELECT pg_advisory_xact_lock(hashtext('stripewise.store_version'))";

/// Returns the version of the tables, if there are any.
pub(crate) fn version(session: &Session) -> Result<Option<u32>, Fault> {
    let exists = "SELECT to_regclass('stripewise.store_version') IS NOT NULL AS is_there";
    if first::<i64>(&session.run(exists)?) != Some(1) {
        return Ok(None);
    }
    Ok(first(
        &session.run("SELECT version FROM stripewise.store_version")?,
    ))
}

/// Makes the tables, unless another process has just made them.
pub(crate) fn make_tables(session: &Session) -> Result<(), Fault> {
    session.run(&format!("BEGIN; {ALONE}"))?;
    let made = match version(session) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => session.run(TABLES).map(drop),
        Err(fault) => Err(fault),
    };
    let made = made.and_then(|()| session.commit());
    if made.is_err() {
        drop(session.run("ROLLBACK"));
    }
    made
}

/// Brings the tables to the newest version that `steps` reach, and returns the versions before and
/// after. Readers and writers of the version before go on meanwhile: a step that cannot have its lock
/// within a second lets them pass and tries again.
pub(crate) fn migrate(session: &Session, steps: &[MigrationStep]) -> Result<(u32, u32), Fault> {
    let before = version(session)?.unwrap_or(VERSION);
    let mut reached = before;
    let began = Instant::now();
    for step in steps.iter().filter(|step| step.version > before) {
        while let Err(fault) = take(session, *step) {
            drop(session.run("ROLLBACK"));
            if !fault.is("55P03") || began.elapsed() > PATIENCE {
                return Err(fault);
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        reached = step.version;
    }
    Ok((before, reached))
}

fn take(session: &Session, step: MigrationStep) -> Result<(), Fault> {
    session.run(&format!("BEGIN; SET LOCAL lock_timeout = '1s'; {ALONE}"))?;
    if version(session)?.is_some_and(|version| version < step.version) {
        // New tables belong to the owner of the old ones, whoever of its members runs this.
        session.run(
            "SELECT set_config('role', (SELECT tableowner FROM pg_tables
                 WHERE schemaname = 'stripewise' AND tablename = 'store_version'), true)",
        )?;
        session.run(step.sql)?;
        let (version, oldest) = (step.version, step.oldest);
        session.run(&format!(
            "UPDATE store_version SET version = {version}, oldest = {oldest}"
        ))?;
    }
    session.commit()
}

fn first<T: FromValue>(rows: &[Row]) -> Option<T> {
    let value: Result<T, SqlError> = rows.first()?.at(0);
    value.ok()
}
