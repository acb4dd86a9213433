//! A run from elsewhere, put into the store as it was: its times, state and warnings with it.

use rusqlite::params;
use stripewise_study::sample::Sample;

use crate::error::StoreError;
use crate::executing::{
    INSERT_SAMPLE, insert_cells, insert_facts, insert_run, insert_sample, insert_warning,
};
use crate::liveness::Owner;
use crate::run::{NewRun, Run, RunEnd, RunId, RunState};
use crate::store::Store;
use crate::stored::{Document, RowKey, end_to_text, from_integer, to_integer};

impl Store {
    /// Adds a run that another store held, under a new number, all of it or nothing.
    ///
    /// It reads back as it is given, but for its number and the counts of its summary, which are
    /// counted again. One that was being executed is interrupted here: nobody executes this copy.
    /// To add a run twice makes two runs.
    ///
    /// # Errors
    /// [`StoreError::NoSuchCell`] if a sample or warning names a cell that the run has not,
    /// [`StoreError::NotStorable`], or if the file cannot be written.
    pub fn import_run(&mut self, run: &Run) -> Result<RunId, StoreError> {
        let indices = run.samples.iter().map(|record| record.cell);
        let mut indices = indices.chain(run.warnings.iter().filter_map(|warning| warning.cell));
        if let Some(cell) = indices.find(|&cell| cell >= run.cells.len()) {
            return Err(StoreError::NoSuchCell {
                run: run.summary.id,
                cell,
                count: u64::try_from(run.cells.len()).unwrap_or(u64::MAX),
            });
        }
        let documents = Documents::of(run)?;
        self.write("import a run", |transaction, attempt| {
            let failed = |source| attempt.failed(source);
            let id = insert_run(transaction, attempt, &header(run), &Owner::nobody())?;
            for (record, document) in run.facts.iter().zip(&documents.facts) {
                insert_facts(transaction, attempt, id, record.taken_unix_ns, document)?;
            }
            insert_cells(transaction, attempt, id, &documents.cells)?;
            let mut insert = transaction.prepare(INSERT_SAMPLE).map_err(failed)?;
            for ((record, document), number) in run.samples.iter().zip(&documents.samples).zip(0..)
            {
                let key = RowKey::sample(id, from_integer(number), record);
                insert_sample(&mut insert, id, number, record, document.in_row(&key))
                    .map_err(failed)?;
            }
            for (record, document) in run.warnings.iter().zip(&documents.warnings) {
                insert_warning(transaction, attempt, id, record.cell, document)?;
            }
            // Without an end it stays with nobody, and so reads as interrupted, as it did before.
            if let Some(ended) = run.summary.ended_unix_ns {
                transaction
                    .execute(
                        "UPDATE run SET state = ?2, ended_unix_ns = ?3, owner_pid = NULL,
                             owner_pid_namespace = NULL, owner_boot_id = NULL,
                             owner_started_ticks = NULL
                         WHERE id = ?1",
                        params![id.0, end_to_text(end(run.summary.state)), to_integer(ended)],
                    )
                    .map_err(failed)?;
            }
            Ok(id)
        })
    }
}

/// The documents of a run, each made sure to read back.
struct Documents {
    facts: Vec<Document>,
    cells: Vec<Document>,
    samples: Vec<Document>,
    warnings: Vec<Document>,
}

impl Documents {
    fn of(run: &Run) -> Result<Self, StoreError> {
        let facts = run.facts.iter();
        let samples = run.samples.iter();
        let warnings = run.warnings.iter();
        Ok(Self {
            facts: facts
                .map(|record| Document::of("the machine's facts", &record.facts))
                .collect::<Result<_, _>>()?,
            cells: run
                .cells
                .iter()
                .map(|cell| Document::of("a cell", cell))
                .collect::<Result<_, _>>()?,
            samples: samples
                .map(|record| Document::of::<Sample>("a sample", &record.sample))
                .collect::<Result<_, _>>()?,
            warnings: warnings
                .map(|record| Document::of("a warning", &record.warning))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn header(run: &Run) -> NewRun {
    let summary = &run.summary;
    NewRun {
        world: summary.world.clone(),
        study_name: summary.study_name.clone(),
        question: summary.question.clone(),
        study_text: run.study_text.clone(),
        seed: run.seed,
        options: run.options.clone(),
        tool_version: summary.tool_version.clone(),
        started_unix_ns: summary.started_unix_ns,
    }
}

fn end(state: RunState) -> RunEnd {
    match state {
        RunState::Done => RunEnd::Done,
        RunState::Interrupted | RunState::Running => RunEnd::Interrupted,
        RunState::Failed => RunEnd::Failed,
    }
}
