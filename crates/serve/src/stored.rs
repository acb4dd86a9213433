//! Stored runs: lists, pages, and the cells of one that are like a question.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use stripewise_report::document::Asked;
use stripewise_report::harmless;
use stripewise_report::page::{Input, Page};
use stripewise_results::{Run, RunId, RunState, RunSummary, Store, StoreError};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;

use crate::error::{ApiError, Result};

/// How long to wait for a process that writes; a page can ask again.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);
/// The most runs of a page.
pub(crate) const RUNS_MAX: usize = 8;
/// The most characters of a name or question in a list.
const TEXT_CHARS_MAX: usize = 10_000;

/// What a stored run was asked, and what simulated it.
#[derive(Debug)]
pub struct Reading {
    /// What it was asked beside its cells.
    pub asked: Asked,
    /// What simulated it; nothing in other worlds.
    pub model: Option<Model>,
}

/// How whoever keeps runs reads what it put into [`Run::options`].
pub type Reader = fn(&Run) -> Reading;

/// A stored run, read.
#[derive(Debug)]
pub(crate) struct Stored {
    run: Run,
    reading: Reading,
    store_option: String,
}

/// Where runs are.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(crate) store: std::path::PathBuf,
    pub(crate) store_option: String,
    pub(crate) reader: Reader,
}

/// One line a run (`web/src/api.ts`).
#[derive(Debug, Serialize)]
pub(crate) struct RunLine {
    id: RunId,
    study: String,
    question: Option<String>,
    world: String,
    state: RunState,
    stripewise_version: String,
    started_unix_ns: u64,
    ended_unix_ns: Option<u64>,
    cells: u64,
    samples_all: u64,
    samples_counted: u64,
}

/// How a run stands (`web/src/api.ts`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct WatchLine {
    pub(crate) state: RunState,
    samples_all: u64,
    samples_counted: u64,
}

impl Runs {
    /// Returns a line a run, the latest first; none where there is no store yet.
    pub(crate) fn list(&self) -> Result<Vec<RunLine>> {
        match open(&self.store) {
            Ok(store) => Ok(store.runs()?.into_iter().rev().map(RunLine::from).collect()),
            Err(StoreError::Missing { .. }) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the page of `runs`.
    pub(crate) fn page(&self, runs: &[RunId]) -> Result<Page> {
        let store = open(&self.store)?;
        let runs = runs.iter().map(|run| self.read(&store, *run));
        let runs = runs.collect::<Result<Vec<_>>>()?;
        let inputs: Vec<Input> = runs.iter().map(Stored::input).collect();
        Page::new(&inputs).ok_or_else(|| ApiError::bad_request("runs: no run is named"))
    }

    /// Returns a run.
    pub(crate) fn one(&self, run: RunId) -> Result<Stored> {
        self.read(&open(&self.store)?, run)
    }

    /// Returns how a run stands, without its samples.
    pub(crate) fn watch(&self, run: RunId) -> Result<WatchLine> {
        let summary = open(&self.store)?.summary(run)?;
        Ok(WatchLine {
            state: summary.state,
            samples_all: summary.samples.all,
            samples_counted: summary.samples.counted,
        })
    }

    fn read(&self, store: &Store, run: RunId) -> Result<Stored> {
        let run = store.run(run)?;
        Ok(Stored {
            reading: (self.reader)(&run),
            run,
            store_option: self.store_option.clone(),
        })
    }
}

fn open(path: &Path) -> std::result::Result<Store, StoreError> {
    let mut store = Store::open_existing(path)?;
    store.set_busy_timeout(BUSY_TIMEOUT)?;
    Ok(store)
}

impl Stored {
    pub(crate) fn input(&self) -> Input<'_> {
        Input {
            run: &self.run,
            asked: &self.reading.asked,
            model: self.reading.model.as_ref(),
            store_option: &self.store_option,
        }
    }

    /// Returns the run with only the cells whose stack and load are like those of `asked` but for
    /// the block size; nothing if there are none.
    pub(crate) fn like(mut self, asked: &Cell) -> Option<Stored> {
        let kept: Vec<usize> = (0..self.run.cells.len())
            .filter(|index| is_like(&self.run.cells[*index], asked))
            .collect();
        let place = |cell: usize| kept.binary_search(&cell).ok();
        let run = &mut self.run;
        run.samples.retain_mut(|record| match place(record.cell) {
            Some(cell) => {
                record.cell = cell;
                true
            }
            None => false,
        });
        run.warnings
            .retain_mut(|record| match record.cell.map(place) {
                None => true,
                Some(cell) => {
                    record.cell = cell;
                    cell.is_some()
                }
            });
        run.cells = kept.iter().map(|index| run.cells[*index].clone()).collect();
        (!kept.is_empty()).then_some(self)
    }
}

/// Returns whether the points of a measured cell belong beside the answer to `asked`: what a cell
/// does not say (a filesystem that was there already) may be anything.
fn is_like(cell: &Cell, asked: &Cell) -> bool {
    let (load, other) = (&cell.workload.load, &asked.workload.load);
    if (load.pattern, load.jobs, load.depth) != (other.pattern, other.jobs, other.depth) {
        return false;
    }
    if cell.stack.devices.is_empty() {
        return true;
    }
    let array = |cell: &Cell| {
        let array = cell.stack.array.as_ref()?;
        Some((array.level, array.layout.clone(), array.chunk_bytes))
    };
    cell.stack.device_count() == asked.stack.device_count() && array(cell) == array(asked)
}

impl From<RunSummary> for RunLine {
    fn from(run: RunSummary) -> Self {
        Self {
            id: run.id,
            study: shown(&run.study_name),
            question: run.question.as_deref().map(shown),
            world: shown(&run.world),
            state: run.state,
            stripewise_version: shown(&run.tool_version),
            started_unix_ns: run.started_unix_ns,
            ended_unix_ns: run.ended_unix_ns,
            cells: run.cell_count,
            samples_all: run.samples.all,
            samples_counted: run.samples.counted,
        }
    }
}

/// Returns text from a store as a list shows it: harmless, and not longer than anybody reads.
fn shown(text: &str) -> String {
    let text: String = text.chars().take(TEXT_CHARS_MAX).collect();
    harmless(&text)
}
