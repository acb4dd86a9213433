//! Which runs are being executed, and by whom: a run that is executed names its process.

use rusqlite::{OptionalExtension, Row, Transaction};

use crate::error::StoreError;
use crate::liveness::Owner;
use crate::reading::no_such_run;
use crate::run::RunId;
use crate::store::Attempt;
use crate::stored::from_integer;

/// A run that somebody executes, or executed when the process ended.
pub(crate) struct OwnedRun {
    pub(crate) run: RunId,
    pub(crate) owner: Owner,
}

/// Returns the runs whose owner still lives.
pub(crate) fn living_runs(
    transaction: &Transaction,
    attempt: Attempt,
) -> Result<Vec<OwnedRun>, StoreError> {
    let failed = |source| attempt.failed(source);
    let mut statement = transaction
        .prepare(&format!(
            "SELECT {OWNER_COLUMNS}, id FROM run WHERE state = 'running'"
        ))
        .map_err(failed)?;
    let owned = statement
        .query_map([], |row| Ok((RunId(row.get(4)?), owner_from_row(row)?)))
        .map_err(failed)?;
    let mut living = Vec::new();
    for row in owned {
        if let (run, Some(owner)) = row.map_err(failed)?
            && owner.is_alive()
        {
            living.push(OwnedRun { run, owner });
        }
    }
    Ok(living)
}

/// Refuses to change tables under a program that is using them.
///
/// # Errors
/// [`StoreError::RunAlive`].
pub(crate) fn refuse_living_runs(
    transaction: &Transaction,
    attempt: Attempt,
) -> Result<(), StoreError> {
    match living_runs(transaction, attempt)?.first() {
        None => Ok(()),
        Some(living) => Err(StoreError::RunAlive {
            run: living.run,
            pid: living.owner.pid,
        }),
    }
}

/// Returns the owner of a run, if it has one.
///
/// # Errors
/// [`StoreError::NoSuchRun`], or if the file cannot be read.
pub(crate) fn owner(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Option<Owner>, StoreError> {
    transaction
        .query_row(
            &format!("SELECT {OWNER_COLUMNS} FROM run WHERE id = ?1"),
            [run.0],
            owner_from_row,
        )
        .optional()
        .map_err(|source| attempt.failed(source))?
        .ok_or_else(|| no_such_run(attempt, run))
}

/// The columns of an owner, in the order of [`owner_from_row`].
pub(crate) const OWNER_COLUMNS: &str =
    "owner_pid, owner_pid_namespace, owner_boot_id, owner_started_ticks";

/// Takes the owner from the first four columns; a run that is not executed has none.
pub(crate) fn owner_from_row(row: &Row) -> rusqlite::Result<Option<Owner>> {
    let Some(pid) = row.get(0)? else {
        return Ok(None);
    };
    Ok(Some(Owner {
        pid,
        pid_namespace: row.get(1)?,
        boot_id: row.get(2)?,
        started_ticks: from_integer(row.get(3)?),
    }))
}
