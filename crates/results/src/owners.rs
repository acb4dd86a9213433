//! The owners of running runs: each such run names its process.

use rusqlite::{Row, Transaction};

use crate::error::{Attempt, StoreError, no_such_run};
use crate::liveness::Owner;
use crate::run::{RunId, RunState};
use crate::sealed;
use crate::stored::{from_integer, state_from_text};

/// A run with an owner: the process that executes it, or did until it died.
pub(crate) struct OwnedRun {
    pub(crate) run: RunId,
    pub(crate) owner: Owner,
}

/// Returns the runs whose owner is alive.
///
/// Verifies the checksums of all rows: a damaged state could hide a running run.
pub(crate) fn living_runs(
    transaction: &Transaction,
    attempt: Attempt,
) -> Result<Vec<OwnedRun>, StoreError> {
    let failed = |source| attempt.failed(source);
    let mut statement = transaction.prepare("SELECT * FROM run").map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut living = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let run = RunId(row.get("id").map_err(failed)?);
        sealed::verify(attempt, "run", row, || format!("run {run}"))?;
        let state: String = row.get("state").map_err(failed)?;
        if state_from_text(&state) == Some(RunState::Running)
            && let Some(owner) = owner_from_row(row).map_err(failed)?
            && owner.is_alive()
        {
            living.push(OwnedRun { run, owner });
        }
    }
    Ok(living)
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
    let failed = |source| attempt.failed(source);
    let mut statement = transaction
        .prepare("SELECT * FROM run WHERE id = ?1")
        .map_err(failed)?;
    let mut rows = statement.query([run.0]).map_err(failed)?;
    let Some(row) = rows.next().map_err(failed)? else {
        return Err(no_such_run(attempt, run));
    };
    sealed::verify(attempt, "run", row, || format!("run {run}"))?;
    owner_from_row(row).map_err(failed)
}

/// Reads the owner from a row of `run`; only running runs have one.
pub(crate) fn owner_from_row(row: &Row) -> rusqlite::Result<Option<Owner>> {
    let Some(pid) = row.get("owner_pid")? else {
        return Ok(None);
    };
    Ok(Some(Owner {
        pid,
        pid_namespace: row.get("owner_pid_namespace")?,
        boot_id: row.get("owner_boot_id")?,
        started_ticks: from_integer(row.get("owner_started_ticks")?),
    }))
}
