//! Writing a run: begin or claim it, add to it, finish it.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, Statement, Transaction, params};
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::sample::{Sample, SampleRecord};
use stripewise_study::warning::Warning;

use crate::error::{Attempt, StoreError};
use crate::journal::StoreJournal;
use crate::liveness::Owner;
use crate::owners;
use crate::reading;
use crate::run::{NewRun, RunEnd, RunId, RunState};
use crate::schema;
use crate::sealed::{self, checksum_of_values, insert_document, seal_inserted};
use crate::store::{Store, unix_now_ns};
use crate::stored::{Document, from_integer, role_to_text, to_cell_index, to_integer};
use crate::world::{take_world, with_world};

impl Store {
    /// Begins a run: its number, cells and first facts are durable when this returns. The run
    /// belongs to this handle until it is finished or the handle is dropped.
    ///
    /// # Errors
    /// If a cell cannot be stored without loss, or the file cannot be written.
    pub fn begin_run(
        &mut self,
        new: &NewRun,
        cells: &[Cell],
        facts: &Facts,
    ) -> Result<RunId, StoreError> {
        let owner = Owner::this_process()?;
        let facts = Document::of("the machine's facts", facts)?;
        let cells: Vec<Document> = cells
            .iter()
            .map(|cell| Document::of("a cell", cell))
            .collect::<Result<_, _>>()?;
        let run = self.write("begin a run", |transaction, attempt| {
            let run = insert_run(transaction, attempt, new, &owner)?;
            insert_cells(transaction, attempt, run, 0, &cells)?;
            insert_facts(transaction, attempt, run, new.started_unix_ns, &facts)?;
            Ok(run)
        })?;
        self.held.insert(run);
        Ok(run)
    }

    /// Adds cells to a run, after those that it has: an import finds them one by one. Returns the
    /// index of the first.
    ///
    /// # Errors
    /// As [`Store::begin_run`], or [`StoreError::NotClaimed`].
    pub fn add_cells(&mut self, run: RunId, cells: &[Cell]) -> Result<usize, StoreError> {
        self.require_held(run)?;
        let cells: Vec<Document> = cells
            .iter()
            .map(|cell| Document::of("a cell", cell))
            .collect::<Result<_, _>>()?;
        self.write("add cells", |transaction, attempt| {
            let count = reading::cell_count(transaction, attempt, run)?;
            let first = usize::try_from(count).unwrap_or(usize::MAX);
            insert_cells(transaction, attempt, run, first, &cells)?;
            Ok(first)
        })
    }

    /// Changes the study's name and the options of a run: an import knows them at its end.
    ///
    /// # Errors
    /// As [`Store::add_sample`].
    pub fn describe_run(
        &mut self,
        run: RunId,
        study_name: &str,
        options: &serde_json::Value,
    ) -> Result<(), StoreError> {
        const UPDATE: &str = "UPDATE run SET study_name = ?2, options = ?3 WHERE id = ?1";
        self.require_held(run)?;
        self.write("describe a run", |transaction, attempt| {
            let parameters = params![run.0, study_name, options.to_string()];
            sealed::update(transaction, attempt, ("run", run.0), (UPDATE, parameters))
        })
    }

    /// Takes over a run that no process executes any more, in order to continue it: it becomes
    /// `running` and belongs to this handle. Does nothing if it already belongs to this handle.
    ///
    /// # Errors
    /// [`StoreError::RunAlive`] if a living process executes it, [`StoreError::NoSuchRun`].
    pub fn claim_run(&mut self, run: RunId) -> Result<(), StoreError> {
        if self.held.contains(&run) {
            return Ok(());
        }
        let owner = Owner::this_process()?;
        self.write("claim a run", |transaction, attempt| {
            if let Some(other) = owners::owner(transaction, attempt, run)?
                && other.is_alive()
            {
                let pid = other.pid;
                return Err(StoreError::RunAlive { run, pid });
            }
            set_state(
                transaction,
                attempt,
                run,
                RunState::Running,
                None,
                Some(&owner),
            )
        })?;
        self.held.insert(run);
        Ok(())
    }

    /// Adds a sample and returns its index in the run.
    ///
    /// The sample is on the medium when this returns: it survives a killed process and a power
    /// loss.
    ///
    /// # Errors
    /// [`StoreError::NoSuchCell`], [`StoreError::NotStorable`] if a number in it is not finite,
    /// [`StoreError::NotClaimed`], or if the file cannot be written.
    pub fn add_sample(&mut self, run: RunId, record: &SampleRecord) -> Result<u64, StoreError> {
        self.add_samples(run, std::slice::from_ref(record))
    }

    /// Adds samples in this order, all or none, and returns the index of the first in the run.
    ///
    /// For samples that are cheap to take again: a killed process loses those it has not added yet.
    ///
    /// # Errors
    /// As [`Store::add_sample`].
    pub fn add_samples(&mut self, run: RunId, records: &[SampleRecord]) -> Result<u64, StoreError> {
        self.require_held(run)?;
        let documents: Vec<Document> = records
            .iter()
            .map(|record| Document::of::<Sample>("a sample", &record.sample))
            .collect::<Result<_, _>>()?;
        self.write("add a sample", |transaction, attempt| {
            let cells: BTreeSet<usize> = records.iter().map(|record| record.cell).collect();
            for cell in cells {
                require_cell(transaction, attempt, run, cell)?;
            }
            let first = next_number(transaction, attempt, run)?;
            let mut samples = SampleInserter::new(transaction, attempt, run)?;
            for ((record, document), number) in records.iter().zip(&documents).zip(first..) {
                samples.insert(number, record, document)?;
            }
            Ok(from_integer(first))
        })
    }

    /// Adds a warning about the whole run or one of its cells; those about a sample are part of it.
    ///
    /// # Errors
    /// As [`Store::add_sample`].
    pub fn add_warning(
        &mut self,
        run: RunId,
        cell: Option<usize>,
        warning: &Warning,
    ) -> Result<(), StoreError> {
        self.require_held(run)?;
        let document = Document::of("a warning", warning)?;
        self.write("add a warning", |transaction, attempt| {
            if let Some(cell) = cell {
                require_cell(transaction, attempt, run, cell)?;
            }
            insert_warning(transaction, attempt, run, cell, &document)
        })
    }

    /// Adds facts taken now: at a resume, or after they changed.
    ///
    /// # Errors
    /// As [`Store::add_sample`].
    pub fn add_facts(&mut self, run: RunId, facts: &Facts) -> Result<(), StoreError> {
        self.require_held(run)?;
        let document = Document::of("the machine's facts", facts)?;
        self.write("add facts", |transaction, attempt| {
            insert_facts(transaction, attempt, run, unix_now_ns(), &document)
        })
    }

    /// Ends a run. It no longer belongs to this handle.
    ///
    /// # Errors
    /// [`StoreError::NotClaimed`], or if the file cannot be written.
    pub fn finish_run(&mut self, run: RunId, end: RunEnd) -> Result<(), StoreError> {
        self.require_held(run)?;
        self.write("finish a run", |transaction, attempt| {
            let ended = Some(unix_now_ns());
            set_state(transaction, attempt, run, end.into(), ended, None)
        })?;
        self.held.remove(&run);
        Ok(())
    }

    /// Returns the journal of a run, in which a world announces each change before making it.
    ///
    /// The run must belong to this handle to announce a change, but not to record an undone one.
    pub fn journal(&mut self, run: RunId) -> StoreJournal<'_> {
        StoreJournal::new(self, run)
    }

    /// Ends every run of this handle as interrupted. Errors are ignored: a run with a dead owner
    /// also reads as interrupted.
    pub(crate) fn release_held(&mut self) {
        for run in self.held.clone() {
            // No caller is left to report to, and no data is lost.
            drop(self.finish_run(run, RunEnd::Interrupted));
        }
    }

    pub(crate) fn require_held(&self, run: RunId) -> Result<(), StoreError> {
        self.refuse_if_poisoned()?;
        if self.held.contains(&run) {
            Ok(())
        } else {
            Err(StoreError::NotClaimed { run })
        }
    }
}

pub(crate) fn insert_run(
    transaction: &Transaction,
    attempt: Attempt,
    new: &NewRun,
    owner: &Owner,
) -> Result<RunId, StoreError> {
    let what = "the world of a run";
    let not_storable = |source| StoreError::NotStorable { what, source };
    let options = with_world(new.world.as_ref(), &new.options);
    let mut options = options.map_err(|error| not_storable(Some(error)))?;
    let text = options.to_string();
    // What would not read back as it was is refused, as everywhere in the store.
    let back = take_world(&new.origin, &mut options).ok().flatten();
    if back != new.world {
        return Err(not_storable(None));
    }
    if new.world.is_some() {
        schema::upgrade(transaction, attempt)?;
    }
    transaction
        .execute(
            "INSERT INTO run (world, study_name, question, study_text, seed, options, tool_version,
                 started_unix_ns, state, owner_pid, owner_pid_namespace, owner_boot_id,
                 owner_started_ticks, row_checksum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'running', ?9, ?10, ?11, ?12, 0)",
            params![
                new.origin.as_str(),
                new.study_name,
                new.question,
                new.study_text,
                new.seed.to_string(),
                text,
                new.tool_version,
                to_integer(new.started_unix_ns),
                owner.pid,
                owner.pid_namespace,
                owner.boot_id,
                to_integer(owner.started_ticks)
            ],
        )
        .map_err(|source| attempt.failed(source))?;
    let run = RunId(transaction.last_insert_rowid());
    seal_inserted(transaction, attempt, "run")?;
    Ok(run)
}

/// Returns the number of the next sample of a run.
fn next_number(transaction: &Transaction, attempt: Attempt, run: RunId) -> Result<i64, StoreError> {
    transaction
        .query_row(
            "SELECT coalesce(max(number) + 1, 0) FROM sample WHERE run = ?1",
            [run.0],
            |row| row.get(0),
        )
        .map_err(|source| attempt.failed(source))
}

/// Adds samples with their numbers in the run.
pub(crate) struct SampleInserter<'t> {
    attempt: Attempt<'t>,
    run: RunId,
    insert: Statement<'t>,
    /// Selects the values of a row for its checksum.
    values: Statement<'t>,
}

impl<'t> SampleInserter<'t> {
    pub(crate) fn new(
        transaction: &'t Transaction<'t>,
        attempt: Attempt<'t>,
        run: RunId,
    ) -> Result<Self, StoreError> {
        let prepare = |query| {
            let prepared = transaction.prepare(query);
            prepared.map_err(|source| attempt.failed(source))
        };
        Ok(Self {
            attempt,
            run,
            insert: prepare(
                "INSERT INTO sample (run, number, cell_index, block, role, seed, valid,
                     document_version, document, row_checksum)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
            values: prepare(
                "SELECT ?1 AS run, ?2 AS number, ?3 AS cell_index, ?4 AS block, ?5 AS role,
                     ?6 AS seed, ?7 AS valid, ?8 AS document_version, ?9 AS document",
            )?,
        })
    }

    pub(crate) fn insert(
        &mut self,
        number: i64,
        record: &SampleRecord,
        document: &Document,
    ) -> Result<(), StoreError> {
        // Destructured, so that the compiler reports a new field here.
        let SampleRecord {
            cell,
            block,
            role,
            seed,
            sample,
        } = record;
        let (cell, role) = (to_cell_index(*cell), role_to_text(*role));
        let (seed, is_valid) = (seed.map(|seed| seed.to_string()), sample.is_valid());
        let (version, text) = (document.version, document.text.as_str());
        let values = params![
            self.run.0, number, cell, block, role, seed, is_valid, version, text
        ];
        let inserted = checksum_of_values("sample", &mut self.values, values).and_then(|sum| {
            self.insert.execute(params![
                self.run.0, number, cell, block, role, seed, is_valid, version, text, sum
            ])
        });
        inserted
            .map(|_| ())
            .map_err(|source| self.attempt.failed(source))
    }
}

/// Sets a run's state, end time and owner.
pub(crate) fn set_state(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    state: RunState,
    ended_unix_ns: Option<u64>,
    owner: Option<&Owner>,
) -> Result<(), StoreError> {
    const UPDATE: &str = "UPDATE run SET state = ?2, ended_unix_ns = ?3, owner_pid = ?4,
             owner_pid_namespace = ?5, owner_boot_id = ?6, owner_started_ticks = ?7
         WHERE id = ?1";
    let parameters = params![
        run.0,
        state.as_str(),
        ended_unix_ns.map(to_integer),
        owner.map(|owner| owner.pid),
        owner.map(|owner| owner.pid_namespace.as_str()),
        owner.map(|owner| owner.boot_id.as_str()),
        owner.map(|owner| to_integer(owner.started_ticks))
    ];
    sealed::update(transaction, attempt, ("run", run.0), (UPDATE, parameters))
}

pub(crate) fn insert_cells(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    first: usize,
    cells: &[Document],
) -> Result<(), StoreError> {
    for (index, cell) in (first..).zip(cells) {
        let place = ("cell_index", Some(to_cell_index(index)));
        insert_document(transaction, attempt, "cell", run, place, cell)?;
    }
    Ok(())
}

pub(crate) fn insert_warning(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    cell: Option<usize>,
    document: &Document,
) -> Result<(), StoreError> {
    let place = ("cell_index", cell.map(to_cell_index));
    insert_document(transaction, attempt, "warning", run, place, document)
}

pub(crate) fn insert_facts(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    taken_unix_ns: u64,
    document: &Document,
) -> Result<(), StoreError> {
    let time = ("taken_unix_ns", Some(to_integer(taken_unix_ns)));
    insert_document(transaction, attempt, "facts", run, time, document)
}

/// Refuses a cell that the run does not have; SQLite's own error would not name the cell.
fn require_cell(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    cell: usize,
) -> Result<(), StoreError> {
    let found = transaction
        .query_row(
            "SELECT 1 FROM cell WHERE run = ?1 AND cell_index = ?2",
            params![run.0, to_cell_index(cell)],
            |_| Ok(()),
        )
        .optional()
        .map_err(|source| attempt.failed(source))?;
    match found {
        Some(()) => Ok(()),
        None => Err(StoreError::NoSuchCell {
            run,
            cell,
            count: reading::cell_count(transaction, attempt, run)?,
        }),
    }
}
