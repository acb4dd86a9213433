//! Writing a run: begin or claim it, add to it, finish it.

use std::collections::BTreeSet;

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
use crate::sealed::{self, CHECKSUM, checksum_of_params, insert_document};
use crate::sql::{MONTH, Param, RowWriter, SqlResult, Transaction};
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
        let holder = self.holder()?;
        let run = self.write("begin a run", |transaction, attempt| {
            let run = insert_run(transaction, attempt, new, &owner)?;
            holder.take(transaction, attempt, run)?;
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
        self.write_held(run, "add cells", |transaction, attempt| {
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
        let options = options.to_string();
        self.write_held(run, "describe a run", |transaction, attempt| {
            let columns = [
                ("study_name", Param::from(study_name)),
                ("options", Param::from(&options)),
            ];
            sealed::update(transaction, attempt, ("run", run.0), &columns)
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
        let holder = self.holder()?;
        self.write("claim a run", |transaction, attempt| {
            if let Some(other) = owners::owner(transaction, attempt, run)?
                && owners::is_executed(transaction, attempt, run, &other)?
            {
                return Err(owners::alive(transaction, attempt, run, &other));
            }
            holder.take(transaction, attempt, run)?;
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
        self.write_held(run, "add a sample", |transaction, attempt| {
            let cells: BTreeSet<usize> = records.iter().map(|record| record.cell).collect();
            for cell in cells {
                require_cell(transaction, attempt, run, cell)?;
            }
            let first = next_number(transaction, attempt, run)?;
            let mut samples = SampleInserter::new(transaction, attempt, run)?;
            for ((record, document), number) in records.iter().zip(&documents).zip(first..) {
                samples.insert(number, record, document)?;
            }
            samples.finish()?;
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
        self.write_held(run, "add a warning", |transaction, attempt| {
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
        self.write_held(run, "add facts", |transaction, attempt| {
            insert_facts(transaction, attempt, run, unix_now_ns(), &document)
        })
    }

    /// Ends a run. It no longer belongs to this handle.
    ///
    /// # Errors
    /// [`StoreError::NotClaimed`], or if the file cannot be written.
    pub fn finish_run(&mut self, run: RunId, end: RunEnd) -> Result<(), StoreError> {
        let holder = self.holder()?;
        self.write_held(run, "finish a run", |transaction, attempt| {
            let ended = Some(unix_now_ns());
            set_state(transaction, attempt, run, end.into(), ended, None)?;
            holder.give_up(transaction, attempt, run)
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
    if let Some(file) = transaction.file().filter(|_| new.world.is_some()) {
        schema::upgrade(file, attempt)?;
    }
    let seed = new.seed.to_string();
    let columns = [
        ("world", Param::from(new.origin.as_str())),
        ("study_name", Param::from(&new.study_name)),
        ("question", Param::from(new.question.as_ref())),
        ("study_text", Param::from(&new.study_text)),
        ("seed", Param::from(&seed)),
        ("options", Param::from(&text)),
        ("tool_version", Param::from(&new.tool_version)),
        ("started_unix_ns", to_integer(new.started_unix_ns).into()),
        ("ended_unix_ns", Param::Null),
        ("state", Param::from(RunState::Running.as_str())),
        ("owner_pid", owner.pid.into()),
        ("owner_pid_namespace", Param::from(&owner.pid_namespace)),
        ("owner_boot_id", Param::from(&owner.boot_id)),
        (
            "owner_started_ticks",
            to_integer(owner.started_ticks).into(),
        ),
    ];
    let run = RunId(sealed::insert_numbered(
        transaction,
        attempt,
        "run",
        &columns,
    )?);
    transaction
        .prepare_month(run.0)
        .map_err(|source| attempt.failed(source))?;
    Ok(run)
}

/// Returns the number of the next sample of a run.
fn next_number(transaction: &Transaction, attempt: Attempt, run: RunId) -> Result<i64, StoreError> {
    let of_run = transaction.sample_of_run();
    let query = format!("SELECT coalesce(max(number) + 1, 0) FROM sample WHERE {of_run}");
    let number = transaction.one(&query, &[run.0.into()]);
    number.map_err(|source| attempt.failed(source))
}

/// Adds samples with their numbers in the run.
pub(crate) struct SampleInserter<'t> {
    attempt: Attempt<'t>,
    run: RunId,
    /// The partition on a server.
    month: Option<i64>,
    rows: RowWriter<'t>,
}

/// The columns of a sample that its checksum covers, in the order of the table.
pub(crate) const SAMPLE: [&str; 9] = [
    "run",
    "number",
    "cell_index",
    "block",
    "role",
    "seed",
    "valid",
    "document_version",
    "document",
];

impl<'t> SampleInserter<'t> {
    pub(crate) fn new(
        transaction: &'t Transaction<'t>,
        attempt: Attempt<'t>,
        run: RunId,
    ) -> Result<Self, StoreError> {
        let begin = || -> SqlResult<Self> {
            let month = transaction.month_of(run.0)?;
            let mut columns = SAMPLE.to_vec();
            columns.push(CHECKSUM);
            columns.extend(month.map(|_| MONTH));
            Ok(Self {
                attempt,
                run,
                month,
                rows: transaction.writer("sample", &columns)?,
            })
        };
        begin().map_err(|source| attempt.failed(source))
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
        let seed = seed.map(|seed| seed.to_string());
        self.insert_row(&[
            ("run", self.run.0.into()),
            ("number", number.into()),
            ("cell_index", to_cell_index(*cell).into()),
            ("block", (*block).into()),
            ("role", Param::from(role_to_text(*role))),
            ("seed", Param::from(seed.as_ref())),
            ("valid", sample.is_valid().into()),
            ("document_version", document.version.into()),
            ("document", Param::from(&document.text)),
        ])
    }

    /// Adds a row with the columns of [`SAMPLE`].
    pub(crate) fn insert_row(
        &mut self,
        columns: &[(&'static str, Param); 9],
    ) -> Result<(), StoreError> {
        debug_assert!(columns.iter().map(|column| column.0).eq(SAMPLE));
        let sum = checksum_of_params("sample", columns);
        let mut row: Vec<Param> = columns.iter().map(|column| column.1).collect();
        row.push(sum.into());
        row.extend(self.month.map(Param::from));
        let written = self.rows.write(&row);
        written.map_err(|source| self.attempt.failed(source))
    }

    /// Ends the adding: before it, samples may not have reached the server.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        let attempt = self.attempt;
        self.rows.finish().map_err(|source| attempt.failed(source))
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
    let columns = [
        ("state", Param::from(state.as_str())),
        ("ended_unix_ns", ended_unix_ns.map(to_integer).into()),
        ("owner_pid", owner.map(|owner| owner.pid).into()),
        (
            "owner_pid_namespace",
            owner.map(|owner| &owner.pid_namespace).into(),
        ),
        ("owner_boot_id", owner.map(|owner| &owner.boot_id).into()),
        (
            "owner_started_ticks",
            owner.map(|owner| to_integer(owner.started_ticks)).into(),
        ),
    ];
    sealed::update(transaction, attempt, ("run", run.0), &columns)
}

pub(crate) fn insert_cells(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    first: usize,
    cells: &[Document],
) -> Result<(), StoreError> {
    for (index, cell) in (first..).zip(cells) {
        let columns = [
            ("run", run.0.into()),
            ("cell_index", to_cell_index(index).into()),
            ("document_version", cell.version.into()),
            ("document", Param::from(&cell.text)),
        ];
        sealed::insert(transaction, attempt, "cell", &columns)?;
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
    let query = "SELECT 1 FROM cell WHERE run = ?1 AND cell_index = ?2";
    let found = transaction.first(query, &[run.0.into(), to_cell_index(cell).into()]);
    match found.map_err(|source| attempt.failed(source))? {
        Some(_) => Ok(()),
        None => Err(StoreError::NoSuchCell {
            run,
            cell,
            count: reading::cell_count(transaction, attempt, run)?,
        }),
    }
}
