//! Stored runs: lists, pages, and the cells of one that match a question.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use stripewise_report::document::RunSettings;
use stripewise_report::page::{Input, Page};
use stripewise_report::strip_control;
use stripewise_results::{Run, RunHead, RunId, RunState, RunSummary, Store, StoreError};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::workload::Load;

use crate::error::{ApiError, Result};

/// How long to wait for a process that writes; a page can ask again.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);
/// The most characters of a name or question in a list.
const TEXT_CHARS_MAX: usize = 10_000;

/// The settings of a stored run, and its model.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its settings, besides the cells.
    pub asked: RunSettings,
    /// Its model; `None` in other worlds.
    pub model: Option<Model>,
}

/// Reads [`Run::options`], whose format belongs to the program that stores runs.
pub type Reader = fn(&Run, &Store) -> Reading;

/// A stored run, read.
#[derive(Debug)]
pub(crate) struct Stored {
    run: Run,
    reading: Reading,
    store_option: String,
}

/// The store of runs.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(crate) store: std::path::PathBuf,
    pub(crate) store_option: String,
    pub(crate) reader: Reader,
}

/// GET /api/runs: one line for each run, the latest first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct RunLine {
    /// Its head; the name, if there is one, is the question.
    #[serde(flatten)]
    head: RunHead,
    /// How many cells it has.
    cells: u64,
    /// How many samples there are.
    samples_all: u64,
    /// How many samples count.
    samples_counted: u64,
}

/// GET /api/watch?run=3: a line at once, then one whenever a sample was added or the state changed.
/// The state of the last line is not `running`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct WatchLine {
    /// Its state.
    pub(crate) state: RunState,
    /// How many samples there are.
    samples_all: u64,
    /// How many samples count.
    samples_counted: u64,
}

impl Runs {
    /// Returns a line for each run, the latest first; none if there is no store yet.
    pub(crate) fn list(&self) -> Result<Vec<RunLine>> {
        match open(&self.store) {
            Ok(store) => Ok(store.runs()?.into_iter().rev().map(RunLine::from).collect()),
            Err(StoreError::Missing { .. } | StoreError::Empty { .. }) => Ok(Vec::new()),
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

    /// Returns the state of a run, without its samples.
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
            reading: (self.reader)(&run, store),
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
            fresh: None,
            store_option: &self.store_option,
        }
    }

    /// Returns the run with only the cells whose stack and load match `asked`, except for the block
    /// size; `None` if there are none.
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

/// Returns whether the points of a measured cell belong beside the answer to `asked`. Parts that
/// the cell does not state, such as the devices below an existing filesystem, match anything.
fn is_like(cell: &Cell, asked: &Cell) -> bool {
    let (load, other) = (&cell.workload.load, &asked.workload.load);
    let load = Load {
        // The curve is over block sizes, and the size of the files is ignored.
        block_size: other.block_size.clone(),
        size_bytes: other.size_bytes,
        // So is the engine: other system calls can keep the same depth in flight.
        engine: other.engine,
        ..load.clone()
    };
    if cell.workload.trace.is_some()
        || load != *other
        || cell.workload.neighbours != asked.workload.neighbours
    {
        return false;
    }
    if cell.stack.devices.is_empty() {
        return true;
    }
    let array = |cell: &Cell| {
        let array = cell.stack.array.as_ref()?;
        Some((array.level, array.layout.clone(), array.chunk_bytes))
    };
    cell.stack.devices == asked.stack.devices && array(cell) == array(asked)
}

impl From<RunSummary> for RunLine {
    fn from(run: RunSummary) -> Self {
        Self {
            head: run.head.shown(shown),
            cells: run.cell_count,
            samples_all: run.samples.all,
            samples_counted: run.samples.counted,
        }
    }
}

/// Returns text from a store for a list: escaped, and with at most [`TEXT_CHARS_MAX`] characters.
fn shown(text: &str) -> String {
    let text: String = text.chars().take(TEXT_CHARS_MAX).collect();
    strip_control(&text)
}

#[cfg(test)]
mod tests {
    use stripewise_fixtures::cell;

    use super::*;

    const STACK: &str = r#"
[stack.array]
devices = { "samsung-850-evo-500" = 4 }
array = { level = "raid10", layout = "n2", chunk = "64K" }
"#;
    const EXISTING: &str = r#"
[stack.here]
filesystem = "existing"
"#;
    const LOAD: &str = r#"
[workload]
pattern = "randread"
block_size = "64K"
size = "4G"
depth = 8
"#;

    /// Returns the asked cell, with `line` replaced by `with`.
    fn changed(line: &str, with: &str) -> Cell {
        let text = format!("{STACK}{LOAD}");
        assert!(text.contains(line), "{line}");
        cell(&text.replace(line, with))
    }

    #[test]
    fn cells_that_differ_only_in_sizes_and_engine_match() {
        let asked = cell(&format!("{STACK}{LOAD}"));
        assert!(is_like(&asked, &asked));
        for (line, with) in [
            (r#"block_size = "64K""#, r#"block_size = "4K""#),
            (r#"size = "4G""#, r#"size = "1G""#),
            ("depth = 8", "depth = 8\nengine = \"io_uring\""),
            ("depth = 8", "depth = 8\nengine = \"libaio\""),
        ] {
            assert!(is_like(&changed(line, with), &asked), "{with}");
        }
        let existing = cell(&format!("{EXISTING}{LOAD}"));
        assert!(existing.stack.devices.is_empty());
        assert!(
            is_like(&existing, &asked),
            "the devices below it are unknown"
        );
    }

    #[test]
    fn cells_with_other_devices_arrays_or_loads_do_not_match() {
        let asked = cell(&format!("{STACK}{LOAD}"));
        let evo = r#""samsung-850-evo-500" = 4"#;
        for (line, with) in [
            (evo, r#""hdd-5400" = 4"#),
            (evo, r#""samsung-850-evo-500" = 6"#),
            (evo, r#""samsung-850-evo-500" = 2, "hdd-5400" = 2"#),
            (r#"chunk = "64K""#, r#"chunk = "512K""#),
            (r#"layout = "n2""#, r#"layout = "f2""#),
            ("randread", "randwrite"),
            ("depth = 8", "depth = 4"),
            ("depth = 8", "depth = 8\njobs = 2"),
            ("depth = 8", "depth = 8\nrate = \"1M\""),
            ("depth = 8", "depth = 8\nrate_iops = 100"),
            ("depth = 8", "depth = 8\ndirect = false"),
            ("depth = 8", "depth = 8\nthink_time = \"1ms\""),
            ("depth = 8", "depth = 8\ndistribution = \"zipf:1.2\""),
            (
                "depth = 8",
                "depth = 8\nneighbours = [\"other\"]\n[neighbour.other]\npattern = \"write\"\nsize = \"1G\"",
            ),
        ] {
            assert!(!is_like(&changed(line, with), &asked), "{with}");
        }
        // Unknown devices do not excuse another load.
        let existing = cell(&format!("{EXISTING}{LOAD}rate = \"1M\"\n"));
        assert!(!is_like(&existing, &asked));
    }
}
