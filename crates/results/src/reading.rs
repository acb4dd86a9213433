//! Reading runs: lists, the latest, one with everything.

use rusqlite::{Row, Transaction, params};
use stripewise_study::cell::Cell;
use stripewise_study::sample::SampleRecord;

use crate::error::StoreError;
use crate::liveness::Owner;
use crate::owners::{OWNER_COLUMNS, owner_from_row};
use crate::run::{FactsRecord, Run, RunId, RunState, RunSummary, SampleCounts, WarningRecord};
use crate::store::{Attempt, Store};
use crate::stored::{
    DOCUMENT_COLUMNS, RowKey, StoredDocument, from_integer, role_from_text, state_from_text,
    to_cell_index, to_integer,
};

impl Store {
    /// Returns all runs, the oldest first, without their samples.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        self.read("list the runs", |transaction, attempt| {
            summaries(transaction, attempt, None)
        })
    }

    /// Returns a run's line in a list: how it stands, without reading its samples.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be read.
    pub fn summary(&self, run: RunId) -> Result<RunSummary, StoreError> {
        self.read("look at a run", |transaction, attempt| {
            summaries(transaction, attempt, Some(run))?
                .pop()
                .ok_or_else(|| no_such_run(attempt, run))
        })
    }

    /// Returns a run with everything that is known about it.
    ///
    /// Cost: 12 cells of 30 samples take some milliseconds.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be read.
    pub fn run(&self, run: RunId) -> Result<Run, StoreError> {
        self.read("read a run", |transaction, attempt| {
            let summary = summaries(transaction, attempt, Some(run))?
                .pop()
                .ok_or_else(|| no_such_run(attempt, run))?;
            let heading = heading(transaction, attempt, run)?;
            let found = Run {
                summary,
                study_text: heading.study_text,
                seed: heading.seed,
                options: heading.options,
                facts: facts(transaction, attempt, run)?,
                cells: cells(transaction, attempt, run)?,
                samples: samples(transaction, attempt, run)?,
                warnings: warnings(transaction, attempt, run)?,
            };
            consistent(attempt, found)
        })
    }

    /// Returns the run that was begun last.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn latest_run(&self) -> Result<Option<RunId>, StoreError> {
        self.read("look for the latest run", |transaction, attempt| {
            let latest: Option<i64> = transaction
                .query_row("SELECT max(id) FROM run", [], |row| row.get(0))
                .map_err(|source| attempt.failed(source))?;
            Ok(latest.map(RunId))
        })
    }

    /// Returns the run to resume: the latest that was interrupted or failed. If there is none, the
    /// latest that is being executed, which [`Store::claim_run`] then refuses by name.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn latest_unfinished_run(&self) -> Result<Option<RunId>, StoreError> {
        self.read("look for a run to resume", |transaction, attempt| {
            let runs = summaries(transaction, attempt, None)?;
            let latest = |wanted: fn(RunState) -> bool| {
                let mut newest_first = runs.iter().rev();
                newest_first.find(|run| wanted(run.state)).map(|run| run.id)
            };
            Ok(
                latest(|state| matches!(state, RunState::Interrupted | RunState::Failed))
                    .or_else(|| latest(|state| state == RunState::Running)),
            )
        })
    }
}

/// Returns how many cells a run has.
pub(crate) fn cell_count(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<u64, StoreError> {
    transaction
        .query_row("SELECT count(*) FROM cell WHERE run = ?1", [run.0], |row| {
            row.get(0).map(from_integer)
        })
        .map_err(|source| attempt.failed(source))
}

/// Returns the error that names the run.
pub(crate) fn no_such_run(attempt: Attempt, run: RunId) -> StoreError {
    StoreError::NoSuchRun {
        path: attempt.path.to_owned(),
        run,
    }
}

/// Reads the summary of one run or all, the oldest first.
fn summaries(
    transaction: &Transaction,
    attempt: Attempt,
    only: Option<RunId>,
) -> Result<Vec<RunSummary>, StoreError> {
    let failed = |source| attempt.failed(source);
    let mut statement = transaction
        .prepare(&format!(
            "SELECT {OWNER_COLUMNS}, id, world, study_name, question, state, tool_version,
                 started_unix_ns, ended_unix_ns,
                 (SELECT count(*) FROM cell WHERE cell.run = run.id),
                 (SELECT count(*) FROM sample INDEXED BY sample_count
                     WHERE sample.run = run.id),
                 (SELECT count(*) FROM sample INDEXED BY sample_count
                     WHERE sample.run = run.id AND role = 'counted' AND valid = 1)
             FROM run WHERE ?1 IS NULL OR id = ?1 ORDER BY id"
        ))
        .map_err(failed)?;
    let mut rows = statement.query([only.map(|run| run.0)]).map_err(failed)?;
    let mut summaries = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        summaries.push(summary_from_row(row, attempt)?);
    }
    Ok(summaries)
}

fn summary_from_row(row: &Row, attempt: Attempt) -> Result<RunSummary, StoreError> {
    let read = || -> rusqlite::Result<(RunSummary, String, Option<Owner>)> {
        let owner = owner_from_row(row)?;
        let summary = RunSummary {
            id: RunId(row.get(4)?),
            world: row.get(5)?,
            study_name: row.get(6)?,
            question: row.get(7)?,
            state: RunState::Running,
            tool_version: row.get(9)?,
            started_unix_ns: from_integer(row.get(10)?),
            ended_unix_ns: row.get::<_, Option<i64>>(11)?.map(from_integer),
            cell_count: from_integer(row.get(12)?),
            samples: SampleCounts {
                all: from_integer(row.get(13)?),
                counted: from_integer(row.get(14)?),
            },
        };
        Ok((summary, row.get(8)?, owner))
    };
    let (mut summary, state, owner) = read().map_err(|source| attempt.failed(source))?;
    let stored = state_from_text(&state).ok_or_else(|| {
        attempt.corrupt(format!("run {} has the state `{state}`", summary.id), None)
    })?;
    summary.state = match stored {
        RunState::Running if !owner.is_some_and(|owner| owner.is_alive()) => RunState::Interrupted,
        state => state,
    };
    Ok(summary)
}

/// Makes sure that a run has all its rows, and that callers can index its cells with what samples
/// and warnings say.
fn consistent(attempt: Attempt, run: Run) -> Result<Run, StoreError> {
    let id = run.summary.id;
    let of_samples = run.samples.iter().map(|record| record.cell);
    let of_warnings = run.warnings.iter().filter_map(|record| record.cell);
    let mut indices = of_samples.chain(of_warnings);
    if let Some(cell) = indices.find(|&cell| cell >= run.cells.len()) {
        return Err(attempt.corrupt(format!("cell {cell} of run {id} is missing"), None));
    }
    // The summary counts in another index than the one that samples are read by.
    if u64::try_from(run.samples.len()) != Ok(run.summary.samples.all) {
        return Err(attempt.corrupt(format!("a sample of run {id} is missing"), None));
    }
    Ok(run)
}

/// What a run has and its summary has not.
struct Heading {
    study_text: String,
    seed: u64,
    options: serde_json::Value,
}

fn heading(transaction: &Transaction, attempt: Attempt, run: RunId) -> Result<Heading, StoreError> {
    let (study_text, seed, options): (String, String, String) = transaction
        .query_row(
            "SELECT study_text, seed, options FROM run WHERE id = ?1",
            [run.0],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .map_err(|source| attempt.failed(source))?;
    let seed = parse_seed(attempt, &seed, || format!("run {run}"))?;
    let options = serde_json::from_str(&options).map_err(|error| {
        let what = format!("the options of run {run} cannot be read");
        attempt.corrupt(what, Some(Box::new(error)))
    })?;
    Ok(Heading {
        study_text,
        seed,
        options,
    })
}

fn parse_seed(
    attempt: Attempt,
    text: &str,
    place: impl FnOnce() -> String,
) -> Result<u64, StoreError> {
    text.parse()
        .map_err(|_| attempt.corrupt(format!("{} has the seed `{text}`", place()), None))
}

fn facts(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Vec<FactsRecord>, StoreError> {
    const QUERY: &str = "taken_unix_ns FROM facts WHERE run = ?1 ORDER BY id";
    each_row(transaction, attempt, QUERY, run, |row, document| {
        let place = || format!("a record of facts of run {run}");
        let taken: i64 = row.get(3).map_err(|source| attempt.failed(source))?;
        let taken_unix_ns = from_integer(taken);
        document.verify(attempt, &RowKey::facts(run, taken_unix_ns), place)?;
        Ok(FactsRecord {
            taken_unix_ns,
            facts: document.parse(attempt, place)?,
        })
    })
}

fn cells(transaction: &Transaction, attempt: Attempt, run: RunId) -> Result<Vec<Cell>, StoreError> {
    const QUERY: &str = "cell_index FROM cell WHERE run = ?1 ORDER BY cell_index";
    let mut expected = 0;
    each_row(transaction, attempt, QUERY, run, |row, document| {
        let place = || format!("cell {expected} of run {run}");
        let index: i64 = row.get(3).map_err(|source| attempt.failed(source))?;
        if index != to_cell_index(expected) {
            return Err(attempt.corrupt(format!("{} is missing", place()), None));
        }
        document.verify(attempt, &RowKey::cell(run, expected), place)?;
        let cell = document.parse(attempt, place)?;
        expected += 1;
        Ok(cell)
    })
}

fn samples(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Vec<SampleRecord>, StoreError> {
    const QUERY: &str = "number, cell_index, block, role, seed FROM sample
         WHERE run = ?1 ORDER BY number";
    let failed = |source| attempt.failed(source);
    let mut expected = 0;
    each_row(transaction, attempt, QUERY, run, |row, document| {
        let place = || format!("sample {expected} of run {run}");
        let number: i64 = row.get(3).map_err(failed)?;
        if number != to_integer(expected) {
            return Err(attempt.corrupt(format!("{} is missing", place()), None));
        }
        let cell: i64 = row.get(4).map_err(failed)?;
        let role: String = row.get(6).map_err(failed)?;
        let seed: Option<String> = row.get(7).map_err(failed)?;
        let record = SampleRecord {
            cell: usize::try_from(cell)
                .map_err(|_| attempt.corrupt(format!("{} has cell {cell}", place()), None))?,
            block: row.get(5).map_err(failed)?,
            role: role_from_text(&role).ok_or_else(|| {
                attempt.corrupt(format!("{} has the role `{role}`", place()), None)
            })?,
            seed: match seed {
                Some(seed) => Some(parse_seed(attempt, &seed, place)?),
                None => None,
            },
            sample: document.parse(attempt, place)?,
        };
        document.verify(attempt, &RowKey::sample(run, expected, &record), place)?;
        expected += 1;
        Ok(record)
    })
}

fn warnings(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Vec<WarningRecord>, StoreError> {
    const QUERY: &str = "cell_index FROM warning WHERE run = ?1 ORDER BY id";
    each_row(transaction, attempt, QUERY, run, |row, document| {
        let place = || format!("a warning of run {run}");
        let cell: Option<i64> = row.get(3).map_err(|source| attempt.failed(source))?;
        let cell = cell
            .map(usize::try_from)
            .transpose()
            .map_err(|error| attempt.corrupt(place(), Some(Box::new(error))))?;
        document.verify(attempt, &RowKey::warning(run, cell), place)?;
        Ok(WarningRecord {
            cell,
            warning: document.parse(attempt, place)?,
        })
    })
}

/// Converts each row of a query about a run. `columns_and_source` follows the columns of the
/// document, and has `?1` for the run.
fn each_row<T>(
    transaction: &Transaction,
    attempt: Attempt,
    columns_and_source: &str,
    run: RunId,
    mut convert: impl FnMut(&Row, StoredDocument) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let failed = |source| attempt.failed(source);
    let mut statement = transaction
        .prepare(&format!("SELECT {DOCUMENT_COLUMNS}, {columns_and_source}"))
        .map_err(failed)?;
    let mut rows = statement.query(params![run.0]).map_err(failed)?;
    let mut values = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let document = StoredDocument::from_row(row).map_err(failed)?;
        values.push(convert(row, document)?);
    }
    Ok(values)
}
