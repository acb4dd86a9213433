//! Reads runs: lists, the latest, one with all data.

use serde::de::DeserializeOwned;
use stripewise_study::cell::Cell;
use stripewise_study::sample::SampleRecord;

use crate::error::{Attempt, StoreError, no_such_run};
use crate::labels;
use crate::liveness::Owner;
use crate::owners::{is_executed, owner_from_row};
use crate::run::{
    FactsRecord, ListedRun, Run, RunCounts, RunHead, RunId, RunState, RunSummary, SampleCounts,
    WarningRecord, executed_for,
};
use crate::sealed;
use crate::sql::{FromValue, Row, SqlResult, Transaction};
use crate::store::Store;
use crate::stored::{
    OPTIONS, StoredDocument, from_integer, role_from_text, state_from_text, to_integer,
};
use crate::world::{RunOrigin, take_world};

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

    /// Returns all runs with the data for a list, the oldest first.
    ///
    /// Cost: reads samples only of resumed runs.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn listed_runs(&self) -> Result<Vec<ListedRun>, StoreError> {
        self.read("list the runs", |transaction, attempt| {
            let runs = summaries(transaction, attempt, None)?.into_iter();
            runs.map(|summary| listed(transaction, attempt, summary))
                .collect()
        })
    }

    /// Returns one run with the data for a list.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be read.
    pub fn listed_run(&self, run: RunId) -> Result<ListedRun, StoreError> {
        self.read("read the summary of a run", |transaction, attempt| {
            let summary = summaries(transaction, attempt, Some(run))?.pop();
            let summary = summary.ok_or_else(|| no_such_run(attempt, run))?;
            listed(transaction, attempt, summary)
        })
    }

    /// Returns a run's summary without reading its samples.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be read.
    pub fn summary(&self, run: RunId) -> Result<RunSummary, StoreError> {
        self.read("read the summary of a run", |transaction, attempt| {
            summaries(transaction, attempt, Some(run))?
                .pop()
                .ok_or_else(|| no_such_run(attempt, run))
        })
    }

    /// Counts what a run holds, without reading its samples.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be read.
    pub fn counts(&self, run: RunId) -> Result<RunCounts, StoreError> {
        self.read("count the samples of a run", |transaction, attempt| {
            let summary = summaries(transaction, attempt, Some(run))?.pop();
            let summary = summary.ok_or_else(|| no_such_run(attempt, run))?;
            let samples = samples_by_index(transaction);
            let query = format!("SELECT count(*) FROM {samples} AND role = 'warm_up'");
            let warm_up = transaction.one(&query, &[run.0.into()]).map(from_integer);
            let warm_up = warm_up.map_err(|source| attempt.failed(source))?;
            let SampleCounts { all, counted } = summary.samples;
            Ok(RunCounts {
                run,
                state: summary.state,
                cells: summary.cell_count,
                samples: all,
                warm_up,
                counted,
                distorted: all.saturating_sub(warm_up).saturating_sub(counted),
            })
        })
    }

    /// Returns a run with all its data.
    ///
    /// Cost: 12 cells of 30 samples take some milliseconds.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be read.
    pub fn run(&self, run: RunId) -> Result<Run, StoreError> {
        self.read("read a run", |transaction, attempt| {
            refuse_dropped(transaction, attempt, run)?;
            let samples = samples(transaction, attempt, run)?;
            let found = run_with(transaction, attempt, run, samples)?;
            // The summary's count comes from another index than the samples.
            if u64::try_from(found.samples.len()) != Ok(found.summary.samples.all) {
                return Err(attempt.corrupt(format!("a sample of run {run} is missing"), None));
            }
            Ok(found)
        })
    }

    /// Returns a run with all its data but the samples, which may need any amount of memory.
    ///
    /// # Errors
    /// As [`Store::run`].
    pub fn run_without_samples(&self, run: RunId) -> Result<Run, StoreError> {
        self.read("read a run", |transaction, attempt| {
            run_with(transaction, attempt, run, Vec::new())
        })
    }

    /// Returns the run that began last. A run without cells measured nothing: it only holds the
    /// changes of a command that `restore` undoes.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn latest_run(&self) -> Result<Option<RunId>, StoreError> {
        self.read("find the latest run", |transaction, attempt| {
            let failed = |source| attempt.failed(source);
            let query = "SELECT id FROM run
                 WHERE id NOT IN (SELECT run FROM label WHERE kind = 'deleted')
                 AND EXISTS (SELECT 1 FROM cell WHERE cell.run = run.id)
                 ORDER BY id DESC LIMIT 1";
            let latest = transaction.first(query, &[]).map_err(failed)?;
            latest
                .map(|row| row.at(0).map(RunId).map_err(failed))
                .transpose()
        })
    }

    /// Returns the run with cells to resume: the latest interrupted or failed one, else the latest
    /// running one, which [`Store::claim_run`] then refuses by name.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn latest_unfinished_run(&self) -> Result<Option<RunId>, StoreError> {
        Ok(self.unfinished_runs()?.first().copied())
    }

    /// Returns all runs with cells to resume, in the order in which [`Store::latest_unfinished_run`]
    /// prefers them.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn unfinished_runs(&self) -> Result<Vec<RunId>, StoreError> {
        self.read("find a run to resume", |transaction, attempt| {
            let runs = summaries(transaction, attempt, None)?;
            let newest_first = |wanted: fn(RunState) -> bool| {
                let runs = runs.iter().rev();
                let found = runs.filter(move |run| run.cell_count > 0 && wanted(run.state));
                found.map(|run| run.id)
            };
            let ended =
                newest_first(|state| matches!(state, RunState::Interrupted | RunState::Failed));
            Ok(ended
                .chain(newest_first(|state| state == RunState::Running))
                .collect())
        })
    }
}

/// Refuses a run whose samples were dropped from a server with their month.
fn refuse_dropped(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<(), StoreError> {
    let month = transaction.dropped_month(run.0);
    match month.map_err(|source| attempt.failed(source))? {
        None => Ok(()),
        Some(month) => Err(StoreError::SamplesDropped {
            path: attempt.path.to_owned(),
            run,
            month,
        }),
    }
}

/// Returns the table of samples and the condition that they are those of run `?1`, for a count that
/// an index answers.
fn samples_by_index(transaction: &Transaction) -> String {
    let of_run = transaction.sample_of_run();
    match transaction.file() {
        Some(_) => format!("sample INDEXED BY sample_count WHERE {of_run}"),
        None => format!("sample WHERE {of_run}"),
    }
}

/// Returns how many cells a run has.
pub(crate) fn cell_count(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<u64, StoreError> {
    transaction
        .one("SELECT count(*) FROM cell WHERE run = ?1", &[run.0.into()])
        .map(from_integer)
        .map_err(|source| attempt.failed(source))
}

/// Reads the summary of one run or all, the oldest first.
fn summaries(
    transaction: &Transaction,
    attempt: Attempt,
    only: Option<RunId>,
) -> Result<Vec<RunSummary>, StoreError> {
    let runs = summaries_with(transaction, attempt, only, |_, _, _| Ok(()))?;
    Ok(runs.into_iter().map(|(summary, ())| summary).collect())
}

/// Reads the summary of one run or all, the oldest first, each with the result of `more` on its
/// row.
fn summaries_with<T>(
    transaction: &Transaction,
    attempt: Attempt,
    only: Option<RunId>,
    more: impl Fn(&Row, Attempt, RunId) -> Result<T, StoreError>,
) -> Result<Vec<(RunSummary, T)>, StoreError> {
    let failed = |source| attempt.failed(source);
    labels::verify_deleted(transaction, attempt)?;
    let not_deleted = "id NOT IN (SELECT run FROM label WHERE kind = 'deleted')";
    let rows = match only {
        Some(run) => {
            let query = format!("SELECT * FROM run WHERE id = ?1 AND {not_deleted}");
            transaction.query(&query, &[run.0.into()])
        }
        None => {
            let query = format!("SELECT * FROM run WHERE {not_deleted} ORDER BY id");
            transaction.query(&query, &[])
        }
    };
    let samples = samples_by_index(transaction);
    let counts = format!(
        "SELECT (SELECT count(*) FROM cell WHERE cell.run = ?1),
             (SELECT count(*) FROM {samples}),
             (SELECT count(*) FROM {samples} AND role = 'counted' AND valid = 1)"
    );
    let mut runs = Vec::new();
    for row in rows.map_err(failed)? {
        let mut summary = summary_from_row(transaction, &row, attempt)?;
        let id = summary.id;
        let more = more(&row, attempt, id)?;
        sealed::verify(attempt, "run", &row, || format!("run {id}"))
            // An error of a column is more specific.
            .or_else(|error| heading_from_row(&row, attempt, id).and(Err(error)))?;
        let labels = labels::labels(transaction, attempt, id)?;
        (summary.name, summary.tags) = (labels.name, labels.tags);
        let row = transaction.first(&counts, &[id.0.into()]).map_err(failed)?;
        let row = row.ok_or_else(|| no_such_run(attempt, id))?;
        let count = |index| row.at(index).map(from_integer).map_err(failed);
        summary.cell_count = count(0)?;
        (summary.samples.all, summary.samples.counted) = (count(1)?, count(2)?);
        runs.push((summary, more));
    }
    Ok(runs)
}

/// Returns a run with the data for a list.
fn listed(
    transaction: &Transaction,
    attempt: Attempt,
    summary: RunSummary,
) -> Result<ListedRun, StoreError> {
    let id = summary.id;
    let failed = |source| attempt.failed(source);
    let of_run = transaction.sample_of_run();
    let query = format!(
        "SELECT count(DISTINCT cell_index) FROM sample WHERE {of_run} AND role = 'counted'"
    );
    let measured = transaction.one(&query, &[id.0.into()]).map_err(failed)?;
    let query = "SELECT taken_unix_ns FROM facts WHERE run = ?1 ORDER BY id";
    let taken = transaction.query(query, &[id.0.into()]).map_err(failed)?;
    let later = taken.iter().skip(1).map(|row| row.at(0).map(from_integer));
    let later = later.collect::<Result<Vec<u64>, _>>().map_err(failed)?;
    let samples = match later.as_slice() {
        [] => Vec::new(),
        _ => samples(transaction, attempt, id)?,
    };
    let (began, ended) = (summary.started_unix_ns, summary.ended_unix_ns);
    let executed = executed_for(began, later, ended, &samples);
    Ok(ListedRun {
        executed_ns: ended.map(|_| u64::try_from(executed.as_nanos()).unwrap_or(u64::MAX)),
        cells_without_samples: summary.cell_count.saturating_sub(from_integer(measured)),
        summary,
    })
}

/// Reads the summary from a row of `run`, without its counts.
fn summary_from_row(
    transaction: &Transaction,
    row: &Row,
    attempt: Attempt,
) -> Result<RunSummary, StoreError> {
    let read = || -> SqlResult<(RunSummary, String, Option<Owner>)> {
        let ended: Option<i64> = row.get("ended_unix_ns")?;
        let summary = RunSummary {
            head: RunHead {
                id: RunId(row.get("id")?),
                origin: RunOrigin::from(row.get::<String>("world")?.as_str()),
                study_name: row.get("study_name")?,
                question: row.get("question")?,
                name: None,
                tags: Vec::new(),
                state: RunState::Running,
                tool_version: row.get("tool_version")?,
                started_unix_ns: from_integer(row.get("started_unix_ns")?),
                ended_unix_ns: ended.map(from_integer),
            },
            cell_count: 0,
            samples: SampleCounts::default(),
        };
        Ok((summary, row.get("state")?, owner_from_row(row)?))
    };
    let (mut summary, state, owner) = read().map_err(|source| attempt.failed(source))?;
    let stored = state_from_text(&state).ok_or_else(|| {
        attempt.corrupt(format!("run {} has the state `{state}`", summary.id), None)
    })?;
    summary.state = stored;
    if stored == RunState::Running {
        let is_alive = match owner {
            Some(owner) => is_executed(transaction, attempt, summary.id, &owner)?,
            None => false,
        };
        if !is_alive {
            summary.state = RunState::Interrupted;
        }
    }
    Ok(summary)
}

/// Reads a run, with its samples read before.
fn run_with(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    samples: Vec<SampleRecord>,
) -> Result<Run, StoreError> {
    let (summary, heading) = summaries_with(transaction, attempt, Some(run), heading_from_row)?
        .pop()
        .ok_or_else(|| no_such_run(attempt, run))?;
    let mut options = heading.options;
    // A run whose world cannot be read is shown, and cannot be resumed.
    let world = take_world(&summary.origin, &mut options).unwrap_or_default();
    let found = Run {
        summary,
        study_text: heading.study_text,
        seed: heading.seed,
        world,
        options,
        facts: facts(transaction, attempt, run)?,
        cells: cells(transaction, attempt, run)?,
        samples,
        warnings: warnings(transaction, attempt, run)?,
    };
    refuse_orphan_rows(transaction, attempt)?;
    consistent(attempt, found)
}

/// Checks that the cell indices of the samples and warnings of a run are valid.
fn consistent(attempt: Attempt, run: Run) -> Result<Run, StoreError> {
    let id = run.summary.id;
    let of_samples = run.samples.iter().map(|record| record.cell);
    let of_warnings = run.warnings.iter().filter_map(|record| record.cell);
    let mut indices = of_samples.chain(of_warnings);
    if let Some(cell) = indices.find(|&cell| cell >= run.cells.len()) {
        return Err(attempt.corrupt(format!("cell {cell} of run {id} is missing"), None));
    }
    Ok(run)
}

/// Refuses a file with rows of a missing run: a damaged key may have taken them from another run.
///
/// Cost: two steps in an index for each run, however many rows it has.
fn refuse_orphan_rows(transaction: &Transaction, attempt: Attempt) -> Result<(), StoreError> {
    // A server keeps a key of another table from naming what is missing.
    if transaction.file().is_none() {
        return Ok(());
    }
    for table in ["facts", "cell", "sample", "warning", "label"] {
        let query = format!(
            "WITH RECURSIVE named (run) AS (
                 SELECT min(run) FROM {table}
                 UNION ALL
                 SELECT (SELECT min(run) FROM {table} WHERE run > named.run)
                     FROM named WHERE named.run IS NOT NULL
             )
             SELECT min(run) FROM named WHERE run NOT IN (SELECT id FROM run)"
        );
        let stray: Option<i64> = transaction
            .one(&query, &[])
            .map_err(|source| attempt.failed(source))?;
        if let Some(run) = stray {
            let what = format!("table `{table}` has rows of run {run}, which is missing");
            return Err(attempt.corrupt(what, None));
        }
    }
    Ok(())
}

/// The columns of `run` that are not in the summary.
struct Heading {
    study_text: String,
    seed: u64,
    options: serde_json::Value,
}

fn heading_from_row(row: &Row, attempt: Attempt, run: RunId) -> Result<Heading, StoreError> {
    let text = |column| row.get(column).map_err(|source| attempt.failed(source));
    let (study_text, seed, options): (String, String, String) =
        (text("study_text")?, text("seed")?, text("options")?);
    let seed = parse_seed(attempt, &seed, || format!("run {run}"))?;
    let options = OPTIONS.parse(options.as_bytes()).map_err(|error| {
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
    let table = Table {
        name: "facts",
        order: "id",
        place: &|_| format!("a record of facts of run {run}"),
    };
    table.read(transaction, attempt, run, |row, place| {
        let taken: i64 = place.value(row, "taken_unix_ns")?;
        Ok(FactsRecord {
            taken_unix_ns: from_integer(taken),
            facts: place.document(row)?,
        })
    })
}

fn cells(transaction: &Transaction, attempt: Attempt, run: RunId) -> Result<Vec<Cell>, StoreError> {
    let table = Table {
        name: "cell",
        order: "cell_index",
        place: &|index| format!("cell {index} of run {run}"),
    };
    table.read(transaction, attempt, run, |row, place| {
        place.require_number(row, "cell_index")?;
        place.document(row)
    })
}

fn samples(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Vec<SampleRecord>, StoreError> {
    let table = Table {
        name: "sample",
        order: "number",
        place: &|number| format!("sample {number} of run {run}"),
    };
    table.read(transaction, attempt, run, |row, place| {
        place.require_number(row, "number")?;
        let cell: i64 = place.value(row, "cell_index")?;
        let role: String = place.value(row, "role")?;
        let seed: Option<String> = place.value(row, "seed")?;
        let damaged = |what: &str| attempt.corrupt(format!("{} {what}", place.name()), None);
        Ok(SampleRecord {
            cell: usize::try_from(cell).map_err(|_| damaged(&format!("has cell {cell}")))?,
            block: place.value(row, "block")?,
            role: role_from_text(&role)
                .ok_or_else(|| damaged(&format!("has the role `{role}`")))?,
            seed: match seed {
                Some(seed) => Some(parse_seed(attempt, &seed, || place.name())?),
                None => None,
            },
            sample: place.document(row)?,
        })
    })
}

fn warnings(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Vec<WarningRecord>, StoreError> {
    let table = Table {
        name: "warning",
        order: "id",
        place: &|_| format!("a warning of run {run}"),
    };
    table.read(transaction, attempt, run, |row, place| {
        let cell: Option<i64> = place.value(row, "cell_index")?;
        let cell = cell.map(usize::try_from).transpose();
        Ok(WarningRecord {
            cell: cell.map_err(|error| attempt.corrupt(place.name(), Some(Box::new(error))))?,
            warning: place.document(row)?,
        })
    })
}

/// A table whose rows belong to runs.
struct Table<'a> {
    name: &'static str,
    /// The column for their order in the run.
    order: &'static str,
    /// Returns the name of the row with a number.
    place: &'a dyn Fn(u64) -> String,
}

/// A row of a run and its number, counted from 0.
struct RowAt<'a> {
    attempt: Attempt<'a>,
    table: &'a Table<'a>,
    number: u64,
}

impl Table<'_> {
    /// Reads the rows of a run and verifies their checksums. `convert` runs first, because its
    /// errors are more specific.
    fn read<T>(
        &self,
        transaction: &Transaction,
        attempt: Attempt,
        run: RunId,
        mut convert: impl FnMut(&Row, &RowAt) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let Table { name, order, .. } = self;
        let of_run = match *name {
            "sample" => transaction.sample_of_run(),
            _ => "run = ?1",
        };
        let query = format!("SELECT * FROM {name} WHERE {of_run} ORDER BY {order}");
        let mut values = Vec::new();
        let mut number = 0;
        transaction.each(attempt, &query, &[run.0.into()], |row| {
            let place = RowAt {
                attempt,
                table: self,
                number,
            };
            values.push(convert(row, &place)?);
            number += 1;
            sealed::verify(attempt, name, row, || place.name())
        })?;
        Ok(values)
    }
}

impl RowAt<'_> {
    fn name(&self) -> String {
        (self.table.place)(self.number)
    }

    /// Returns the value of a column.
    fn value<T: FromValue>(&self, row: &Row, column: &str) -> Result<T, StoreError> {
        row.get(column)
            .map_err(|source| self.attempt.failed(source))
    }

    /// Returns the value of the document.
    fn document<T: DeserializeOwned>(&self, row: &Row) -> Result<T, StoreError> {
        let document =
            StoredDocument::from_row(row).map_err(|source| self.attempt.failed(source))?;
        document.parse(self.attempt, || self.name())
    }

    /// Checks that no row before this one is missing.
    fn require_number(&self, row: &Row, column: &str) -> Result<(), StoreError> {
        let number: i64 = self.value(row, column)?;
        match number == to_integer(self.number) {
            true => Ok(()),
            false => Err(self
                .attempt
                .corrupt(format!("{} is missing", self.name()), None)),
        }
    }
}
