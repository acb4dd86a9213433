//! The owners of running runs: each such run names its process.

use crate::error::{Attempt, StoreError, no_such_run};
use crate::liveness::Owner;
use crate::run::{RunId, RunState};
use crate::sealed;
use crate::sql::{Row, SqlResult, Transaction};
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
    let mut owned = Vec::new();
    transaction.each(attempt, "SELECT * FROM run ORDER BY id", &[], |row| {
        let run = RunId(row.get("id").map_err(failed)?);
        sealed::verify(attempt, "run", row, || format!("run {run}"))?;
        let state: String = row.get("state").map_err(failed)?;
        if state_from_text(&state) == Some(RunState::Running)
            && let Some(owner) = owner_from_row(row).map_err(failed)?
        {
            owned.push(OwnedRun { run, owner });
        }
        Ok(())
    })?;
    let mut living = Vec::new();
    for one in owned {
        if is_executed(transaction, attempt, one.run, &one.owner)? {
            living.push(one);
        }
    }
    Ok(living)
}

/// Returns the owner of a run, if it has one, and keeps other writers off the run.
///
/// # Errors
/// [`StoreError::NoSuchRun`], or if the file cannot be read.
pub(crate) fn owner(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Option<Owner>, StoreError> {
    let failed = |source| attempt.failed(source);
    let select = format!(
        "SELECT * FROM run WHERE id = ?1{}",
        transaction.for_update()
    );
    let row = transaction
        .first(&select, &[run.0.into()])
        .map_err(failed)?;
    let row = row.ok_or_else(|| no_such_run(attempt, run))?;
    sealed::verify(attempt, "run", &row, || format!("run {run}"))?;
    owner_from_row(&row).map_err(failed)
}

/// Returns whether the owner of a run still executes it: its process is alive; on a server, it also
/// has the lease, by the server's clock. A process of this machine that is gone has lost it at once.
pub(crate) fn is_executed(
    transaction: &Transaction,
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "a file has no leases")
    )]
    attempt: Attempt,
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "a file has no leases")
    )]
    run: RunId,
    owner: &Owner,
) -> Result<bool, StoreError> {
    match transaction {
        Transaction::File(_) => Ok(owner.is_alive()),
        #[cfg(feature = "postgres")]
        Transaction::Server(_) => {
            Ok(owner.may_be_alive() && crate::server::lease::is_held(transaction, attempt, run)?)
        }
    }
}

/// Returns the error for a run that is executed.
pub(crate) fn alive(
    transaction: &Transaction,
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "a file has no leases")
    )]
    attempt: Attempt,
    run: RunId,
    owner: &Owner,
) -> StoreError {
    let pid = owner.pid;
    match transaction {
        Transaction::File(_) => StoreError::RunAlive { run, pid },
        #[cfg(feature = "postgres")]
        Transaction::Server(_) => match crate::server::lease::host_of(transaction, attempt, run) {
            Ok(Some(host)) => StoreError::RunAliveOn { run, pid, host },
            _ => StoreError::RunAlive { run, pid },
        },
    }
}

/// Reads the owner from a row of `run`; only running runs have one.
pub(crate) fn owner_from_row(row: &Row) -> SqlResult<Option<Owner>> {
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
