//! Imports a run of another store unchanged, with its times, state and warnings.

use stripewise_study::sample::Sample;

use crate::error::StoreError;
use crate::executing::{
    SampleInserter, insert_cells, insert_facts, insert_run, insert_warning, set_state,
};
use crate::labels::{insert_label, insert_tags};
use crate::liveness::Owner;
use crate::run::{NewRun, Run, RunEnd, RunId, RunState};
use crate::store::Store;
use crate::stored::Document;

impl Store {
    /// Adds a run of another store under a new number, all of it or nothing.
    ///
    /// It reads back unchanged, except for its number and the counts of its summary, which are
    /// counted again. A running one becomes interrupted, because no process executes the copy.
    /// Adding a run twice makes two runs.
    ///
    /// # Errors
    /// [`StoreError::NoSuchCell`] if a sample or warning names a cell that the run lacks,
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
        let facts = run.facts.iter();
        let facts: Vec<Document> = facts
            .map(|record| Document::of("the machine's facts", &record.facts))
            .collect::<Result<_, _>>()?;
        let cells = run.cells.iter();
        let cells: Vec<Document> = cells
            .map(|cell| Document::of("a cell", cell))
            .collect::<Result<_, _>>()?;
        self.write("import a run", |transaction, attempt| {
            let id = insert_run(transaction, attempt, &header(run), &Owner::nonexistent())?;
            for (record, document) in run.facts.iter().zip(&facts) {
                insert_facts(transaction, attempt, id, record.taken_unix_ns, document)?;
            }
            insert_cells(transaction, attempt, id, 0, &cells)?;
            if let Some(name) = &run.summary.name {
                insert_label(transaction, attempt, id, "name", name)?;
            }
            insert_tags(transaction, attempt, id, &run.summary.tags)?;
            // One by one: the text of all samples would take as much memory as the samples.
            let mut samples = SampleInserter::new(transaction, attempt, id)?;
            for (record, number) in run.samples.iter().zip(0..) {
                let document = Document::of::<Sample>("a sample", &record.sample)?;
                samples.insert(number, record, &document)?;
            }
            samples.finish()?;
            for record in &run.warnings {
                let document = Document::of("a warning", &record.warning)?;
                insert_warning(transaction, attempt, id, record.cell, &document)?;
            }
            // Without an end it has no living owner, and so still reads as interrupted.
            if let Some(ended) = run.summary.ended_unix_ns {
                let state = end(run.summary.state).into();
                set_state(transaction, attempt, id, state, Some(ended), None)?;
            }
            Ok(id)
        })
    }
}

fn header(run: &Run) -> NewRun {
    let summary = &run.summary;
    NewRun {
        origin: summary.origin.clone(),
        world: run.world.clone(),
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
