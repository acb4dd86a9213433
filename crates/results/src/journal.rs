//! The journal of changes to the machine: each is announced before it is made, and marked when
//! undone.

use serde::{Deserialize, Serialize};
use stripewise_study::world::{Change, Journal, JournalError};

use crate::error::{Attempt, StoreError};
use crate::owners;
use crate::reading::cell_count;
use crate::run::RunId;
use crate::sealed::{self, insert_document};
use crate::sql::Transaction;
use crate::store::{Store, unix_now_ns};
use crate::stored::{Document, StoredDocument, to_integer};

/// The journal of one run; see [`Store::journal`].
#[derive(Debug)]
pub struct StoreJournal<'a> {
    store: &'a mut Store,
    run: RunId,
}

/// A change and the machine on which it was announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Announcement {
    #[serde(flatten)]
    change: Change,
    announced_on: AnnouncedOn,
}

/// The machine on which a change was announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnnouncedOn {
    /// The identity of its installation (machine-id(5)), if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) machine_id: Option<String>,
    /// Its host name at the time, for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) host_name: Option<String>,
    /// The identity of its boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) boot_id: Option<String>,
}

/// Where a change was announced, relative to this machine and boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// On this machine, since it booted.
    SinceStart,
    /// On this machine, before it booted.
    BeforeStart,
    /// On another machine, with its name if known.
    Elsewhere(Option<String>),
}

/// A change that was announced but not undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The run that made it.
    pub run: RunId,
    /// Whether that run has cells; the changes of one without were meant to stay.
    pub is_measurement: bool,
    /// The change.
    pub change: Change,
    /// Where and when it was announced.
    pub origin: Origin,
}

/// A row of a change.
struct ChangeRow {
    id: i64,
    run: RunId,
    change: Change,
    announced_on: AnnouncedOn,
    is_undone: bool,
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

    fn replaced(&mut self, before: &Change, after: &Change) -> Result<(), JournalError> {
        Ok(self.store.record_replaced(self.run, before, after)?)
    }
}

impl Store {
    /// Returns the leftovers of crashes: changes of runs that no process executes, which were
    /// announced but not undone. The latest is first, which is the order to undo them in.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn outstanding_changes(&self) -> Result<Vec<(RunId, Change)>, StoreError> {
        let leftovers = self.leftovers()?.into_iter();
        Ok(leftovers.map(|left| (left.run, left.change)).collect())
    }

    /// As [`Store::outstanding_changes`], with the machine on which each was announced.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn leftovers(&self) -> Result<Vec<Leftover>, StoreError> {
        let here = AnnouncedOn::here();
        self.read("read the journal", |transaction, attempt| {
            let living = owners::living_runs(transaction, attempt)?;
            let rows = outstanding(transaction, attempt)?;
            let left = rows
                .into_iter()
                .filter(|row| !living.iter().any(|owned| owned.run == row.run));
            left.map(|row| {
                Ok(Leftover {
                    run: row.run,
                    is_measurement: cell_count(transaction, attempt, row.run)? > 0,
                    change: row.change,
                    origin: here.origin_of(row.announced_on),
                })
            })
            .collect()
        })
    }

    /// Returns the running runs with changes that are not undone, each with its process ID and
    /// whether the process is in another container, where we cannot check whether it is alive.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn changing_runs(&self) -> Result<Vec<(RunId, u32, bool)>, StoreError> {
        self.read("read the journal", |transaction, attempt| {
            let living = owners::living_runs(transaction, attempt)?;
            let rows = outstanding(transaction, attempt)?;
            let changing = living
                .into_iter()
                .filter(|owned| rows.iter().any(|row| row.run == owned.run));
            Ok(changing
                .map(|owned| {
                    (
                        owned.run,
                        owned.owner.pid,
                        owned.owner.is_in_another_namespace(),
                    )
                })
                .collect())
        })
    }

    /// Returns all changes that a run announced, undone or not, the latest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn announced_changes(&self, run: RunId) -> Result<Vec<Change>, StoreError> {
        self.read("read the journal", |transaction, attempt| {
            let rows = changes(transaction, attempt)?;
            let of_run = rows.into_iter().filter(|row| row.run == run);
            Ok(of_run.map(|row| row.change).collect())
        })
    }

    fn announce(&mut self, run: RunId, change: &Change) -> Result<(), StoreError> {
        self.require_held(run)?;
        let document = announcement(change)?;
        self.write_held(run, "write the journal", |transaction, attempt| {
            insert(transaction, attempt, run, &document)
        })
    }

    fn record_undone(&mut self, run: RunId, change: &Change) -> Result<(), StoreError> {
        self.write("write the journal", |transaction, attempt| {
            mark_undone(transaction, attempt, run, change)
        })
    }

    fn record_replaced(
        &mut self,
        run: RunId,
        before: &Change,
        after: &Change,
    ) -> Result<(), StoreError> {
        self.require_held(run)?;
        let document = announcement(after)?;
        self.write_held(run, "write the journal", |transaction, attempt| {
            insert(transaction, attempt, run, &document)?;
            mark_undone(transaction, attempt, run, before)
        })
    }
}

fn announcement(change: &Change) -> Result<Document, StoreError> {
    let announcement = Announcement {
        change: change.clone(),
        announced_on: AnnouncedOn::here(),
    };
    Document::of("a change of the machine", &announcement)
}

fn insert(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    document: &Document,
) -> Result<(), StoreError> {
    let time = ("announced_unix_ns", Some(to_integer(unix_now_ns())));
    insert_document(transaction, attempt, "change", run, time, document)
}

/// Marks all outstanding announcements of a change as undone.
fn mark_undone(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    change: &Change,
) -> Result<(), StoreError> {
    // Compare values, not text: another version may have written the text differently.
    let rows = outstanding(transaction, attempt)?;
    for row in rows
        .iter()
        .filter(|row| row.run == run && row.change == *change)
    {
        let undone = [("undone_unix_ns", to_integer(unix_now_ns()).into())];
        sealed::update(transaction, attempt, ("change", row.id), &undone)?;
    }
    Ok(())
}

/// Reads the changes that are not undone, the latest first.
fn outstanding(transaction: &Transaction, attempt: Attempt) -> Result<Vec<ChangeRow>, StoreError> {
    // Undone ones are verified, too: a damaged row must not pass as undone.
    let mut rows = changes(transaction, attempt)?;
    rows.retain(|row| !row.is_undone);
    Ok(rows)
}

/// Reads all changes, the latest first.
fn changes(transaction: &Transaction, attempt: Attempt) -> Result<Vec<ChangeRow>, StoreError> {
    let failed = |source| attempt.failed(source);
    let mut changes = Vec::new();
    transaction.each(
        attempt,
        "SELECT * FROM change ORDER BY id DESC",
        &[],
        |row| {
            let document = StoredDocument::from_row(row).map_err(failed)?;
            let id = row.get("id").map_err(failed)?;
            let run = RunId(row.get("run").map_err(failed)?);
            let undone: Option<i64> = row.get("undone_unix_ns").map_err(failed)?;
            let place = || format!("change {id} of run {run}");
            sealed::verify(attempt, "change", row, place)?;
            let Announcement {
                change,
                announced_on,
            } = document.parse(attempt, place)?;
            changes.push(ChangeRow {
                id,
                run,
                change,
                announced_on,
                is_undone: undone.is_some(),
            });
            Ok(())
        },
    )?;
    Ok(changes)
}

impl AnnouncedOn {
    /// Returns this machine, now.
    fn here() -> Self {
        let word = |path| {
            let text = std::fs::read_to_string(path).ok()?;
            let word = text.trim().to_owned();
            (!word.is_empty() && word != "uninitialized").then_some(word)
        };
        Self {
            machine_id: word("/etc/machine-id"),
            host_name: word("/proc/sys/kernel/hostname"),
            boot_id: word("/proc/sys/kernel/random/boot_id"),
        }
    }

    /// Returns the origin of a change announced at `there`, relative to this machine.
    ///
    /// The boot ID counts more than the machine ID: containers have the machine ID of their image.
    fn origin_of(&self, there: Self) -> Origin {
        if there.boot_id.is_some() && there.boot_id == self.boot_id {
            return Origin::SinceStart;
        }
        match (&self.machine_id, &there.machine_id) {
            (Some(here), Some(other)) if here == other => Origin::BeforeStart,
            (None, None) if self.host_name == there.host_name => Origin::BeforeStart,
            _ => Origin::Elsewhere(there.host_name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(machine: &str, host: &str, boot: &str) -> AnnouncedOn {
        let word = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        AnnouncedOn {
            machine_id: word(machine),
            host_name: word(host),
            boot_id: word(boot),
        }
    }

    #[test]
    fn other_machines_and_earlier_boots_are_recognized() {
        let here = place("m1", "alpha", "b2");
        let origin_of = |there: AnnouncedOn| here.origin_of(there);
        assert_eq!(origin_of(here.clone()), Origin::SinceStart);
        assert_eq!(origin_of(place("m1", "renamed", "b1")), Origin::BeforeStart);
        for (machine, host) in [("m2", "beta"), ("", "beta"), ("m2", "alpha")] {
            let there = place(machine, host, "b1");
            assert_eq!(origin_of(there), Origin::Elsewhere(Some(host.to_owned())));
        }
        let bare = place("", "alpha", "b2");
        assert_eq!(
            bare.origin_of(place("", "alpha", "b1")),
            Origin::BeforeStart
        );
    }
}
