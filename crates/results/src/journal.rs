//! The journal of changes to the machine: announced before they are made, crossed out when undone.

use rusqlite::{Transaction, params};
use stripewise_study::world::{Change, Journal, JournalError};

use crate::error::StoreError;
use crate::owners;
use crate::run::RunId;
use crate::store::{Attempt, Store, unix_now_ns};
use crate::stored::{DOCUMENT_COLUMNS, Document, RowKey, StoredDocument, to_integer};

/// The journal of one run; see [`Store::journal`].
#[derive(Debug)]
pub struct StoreJournal<'a> {
    store: &'a mut Store,
    run: RunId,
}

/// A row of a change that is not undone.
struct OutstandingRow {
    id: i64,
    run: RunId,
    change: Change,
}

impl<'a> StoreJournal<'a> {
    pub(crate) fn new(store: &'a mut Store, run: RunId) -> StoreJournal<'a> {
        StoreJournal { store, run }
    }
}

impl Journal for StoreJournal<'_> {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        Ok(self.store.announce(self.run, change)?)
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        Ok(self.store.record_undone(self.run, change)?)
    }
}

impl Store {
    /// Returns the changes of the machine that were announced and not undone, of runs that nobody
    /// executes: what a crash left behind. The latest is first, which is the order to undo them in.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn outstanding_changes(&self) -> Result<Vec<(RunId, Change)>, StoreError> {
        self.read("read the journal", |transaction, attempt| {
            let living = owners::living_runs(transaction, attempt)?;
            let rows = outstanding(transaction, attempt)?;
            Ok(rows
                .into_iter()
                .filter(|row| !living.iter().any(|owned| owned.run == row.run))
                .map(|row| (row.run, row.change))
                .collect())
        })
    }

    fn announce(&mut self, run: RunId, change: &Change) -> Result<(), StoreError> {
        self.require_held(run)?;
        let document =
            Document::of("a change of the machine", change)?.in_row(&RowKey::change(run));
        self.write("write the journal", |transaction, attempt| {
            transaction
                .execute(
                    "INSERT INTO change (run, announced_unix_ns, document_version,
                         document_checksum, document)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![
                        run.0,
                        to_integer(unix_now_ns()),
                        document.version,
                        document.checksum,
                        document.text
                    ],
                )
                .map_err(|source| attempt.failed(source))?;
            Ok(())
        })
    }

    fn record_undone(&mut self, run: RunId, change: &Change) -> Result<(), StoreError> {
        self.write("write the journal", |transaction, attempt| {
            // Values are compared, not their text: another version may have written it otherwise.
            let rows = outstanding(transaction, attempt)?;
            for row in rows
                .iter()
                .filter(|row| row.run == run && row.change == *change)
            {
                transaction
                    .execute(
                        "UPDATE change SET undone_unix_ns = ?2 WHERE id = ?1",
                        params![row.id, to_integer(unix_now_ns())],
                    )
                    .map_err(|source| attempt.failed(source))?;
            }
            Ok(())
        })
    }
}

/// Reads the changes that are not undone, the latest first.
fn outstanding(
    transaction: &Transaction,
    attempt: Attempt,
) -> Result<Vec<OutstandingRow>, StoreError> {
    let failed = |source| attempt.failed(source);
    let mut statement = transaction
        .prepare(&format!(
            "SELECT {DOCUMENT_COLUMNS}, id, run FROM change
             WHERE undone_unix_ns IS NULL ORDER BY id DESC"
        ))
        .map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut changes = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let document = StoredDocument::from_row(row).map_err(failed)?;
        let id = row.get(3).map_err(failed)?;
        let run = RunId(row.get(4).map_err(failed)?);
        let place = || format!("change {id} of run {run}");
        document.verify(attempt, &RowKey::change(run), place)?;
        let change = document.parse(attempt, place)?;
        changes.push(OutstandingRow { id, run, change });
    }
    Ok(changes)
}
