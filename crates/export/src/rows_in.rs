//! Samples back from CSV: what the columns tell, and a remark on what they do not.
//!
//! Heads are found by name, so a file whose columns were sorted or added to is read; a line that
//! cannot be read refuses the file. Only samples that count are taken, because the columns do not
//! say enough about why others do not. Histograms are not in the columns and are not made up.

use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;

use ::csv::Position;
use stripewise_results::{Run, RunId, RunState, RunSummary, SampleCounts, WarningRecord};
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::sample::{CpuTime, Latency, Role, Sample, SampleRecord, Transfer};
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::warning::Warning;

use crate::cell_in;
use crate::json::UNIX_NS_MAX;
use crate::limits::{CSV_CELLS_MAX, CSV_COLUMNS_MAX, CSV_ROW_BYTES_MAX, CSV_ROWS_MAX};
use crate::line::{Head, Line, line_of};
use crate::read::{ReadError, note};
use crate::samples::{PERCENTILES, role_word};

/// Where a run that was read from columns comes from, in place of its world.
const WORLD: &str = "csv-import";
/// What only a file of cells has.
const HEAD_OF_CELLS: &str = "samples";

/// A run that is being put together.
struct Gathered {
    study: String,
    world: String,
    /// By their index in the file, with the line on which each was first seen.
    cells: BTreeMap<u64, (u64, Cell)>,
    /// With the index of the cell in the file.
    samples: Vec<(u64, SampleRecord)>,
    left_out: usize,
    has_neighbours: bool,
}

/// Reads the samples of a CSV file that `stripewise export` wrote.
///
/// # Errors
/// [`ReadError::Foreign`], [`ReadError::OfCells`], or [`ReadError::Line`] at the first mistake.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Run>, ReadError> {
    let row_bytes = Rc::new(std::cell::Cell::new(0));
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(true)
        .from_reader(RowBytes {
            rest: bytes,
            since_row: Rc::clone(&row_bytes),
        });
    let head = reader.headers().map_err(|error| match error.kind() {
        ::csv::ErrorKind::Io(_) => of_csv(&error, bytes, &Position::new()),
        _ => ReadError::Foreign,
    })?;
    if head.len() > CSV_COLUMNS_MAX {
        let found = head.len();
        return Err(ReadError::invalid(format!(
            "it has {found} columns, the limit is {CSV_COLUMNS_MAX}"
        )));
    }
    let head = Head::new(head);
    if !head.has("run") || !head.has("cell") {
        return Err(ReadError::Foreign);
    }
    if head.has(HEAD_OF_CELLS) && !head.has("elapsed_ns") {
        return Err(ReadError::OfCells);
    }
    let mut runs: BTreeMap<u64, Gathered> = BTreeMap::new();
    let mut record = ::csv::StringRecord::new();
    let (mut rows, mut cells) = (0, 0);
    loop {
        row_bytes.set(0);
        let start = reader.position().clone();
        let is_row = reader.read_record(&mut record);
        if !is_row.map_err(|error| of_csv(&error, bytes, &start))? {
            break;
        }
        let line = Line::new(&head, &record, bytes);
        rows += 1;
        if rows > CSV_ROWS_MAX || cells > CSV_CELLS_MAX {
            return Err(line.problem(format!(
                "more than {CSV_ROWS_MAX} rows or {CSV_CELLS_MAX} cells, which are the limits"
            )));
        }
        let run = line.count("run")?;
        let run = match runs.entry(run) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => entry.insert(Gathered {
                study: line.text("study").unwrap_or_default(),
                world: line.text("world").unwrap_or_default(),
                cells: BTreeMap::new(),
                samples: Vec::new(),
                left_out: 0,
                has_neighbours: false,
            }),
        };
        let cells_before = run.cells.len();
        run.add(&line)?;
        cells += run.cells.len() - cells_before;
    }
    if runs.values().all(|run| run.samples.is_empty()) {
        return Err(ReadError::invalid("it holds no sample that counts"));
    }
    let with_samples = runs.into_iter().filter(|run| !run.1.samples.is_empty());
    Ok(with_samples.map(|(id, run)| run.finish(id)).collect())
}

/// Hands out a file, and counts how much since the last row ended: a row may have millions of
/// fields, and the reader keeps the end of each.
struct RowBytes<'a> {
    rest: &'a [u8],
    since_row: Rc<std::cell::Cell<usize>>,
}

impl Read for RowBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let since_row = self.since_row.get();
        if since_row > CSV_ROW_BYTES_MAX {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        let count = self.rest.read(buffer)?;
        self.since_row.set(since_row + count);
        Ok(count)
    }
}

/// Says where the reader of CSV stopped, in a row that begins at `start`.
fn of_csv(error: &::csv::Error, file: &[u8], start: &Position) -> ReadError {
    let line = line_of(file, error.position().unwrap_or(start));
    let problem = match error.kind() {
        ::csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} fields, where the head has {expected_len}"),
        ::csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
        ::csv::ErrorKind::Io(_) => {
            format!("a row has more than {CSV_ROW_BYTES_MAX} bytes, which is the limit")
        }
        kind => format!("{kind:?}"),
    };
    ReadError::Line { line, problem }
}

impl Gathered {
    fn add(&mut self, line: &Line<'_>) -> Result<(), ReadError> {
        let index = line.count("cell")?;
        let cell = cell_in::cell(line)?;
        match self.cells.get(&index) {
            Some((first, known)) if *known != cell => {
                return Err(line.problem(format!("cell {index} is another than on line {first}")));
            }
            Some(_) => {}
            None => {
                self.cells.insert(index, (line.number(), cell));
            }
        }
        self.has_neighbours |= line.text(Axis::Neighbours.key()).is_some();
        let counted = line
            .flag("counted")?
            .ok_or_else(|| line.missing("counted"))?;
        let role = line.required("role")?;
        if !counted || role != role_word(Role::Counted) {
            self.left_out += 1;
            return Ok(());
        }
        let sample = sample(line)?;
        let block = line.count("block")?;
        self.samples.push((
            index,
            SampleRecord {
                cell: 0,
                block: u32::try_from(block)
                    .map_err(|_| line.problem(format!("block {block} is too large")))?,
                role: Role::Counted,
                seed: line.optional_count("seed")?,
                sample,
            },
        ));
        Ok(())
    }

    fn finish(self, id: u64) -> Run {
        let warnings = self.notes(id).into_iter();
        let places: BTreeMap<u64, usize> = self.cells.keys().copied().zip(0..).collect();
        let samples: Vec<SampleRecord> = self
            .samples
            .into_iter()
            .map(|(index, record)| SampleRecord {
                cell: places[&index],
                ..record
            })
            .collect();
        let count = u64::try_from(samples.len()).unwrap_or(u64::MAX);
        let times = samples
            .iter()
            .filter_map(|record| record.sample.started_unix_ns);
        let ends = samples.iter().filter_map(|record| {
            let started = record.sample.started_unix_ns?;
            let ended = started.saturating_add(record.sample.elapsed_ns.as_u64());
            Some(ended.min(UNIX_NS_MAX))
        });
        let started_unix_ns = times.min().unwrap_or(0);
        let ended_unix_ns = ends.max().unwrap_or(started_unix_ns);
        Run {
            summary: RunSummary {
                id: RunId(i64::try_from(id).unwrap_or(i64::MAX)),
                world: WORLD.to_owned(),
                study_name: self.study,
                question: None,
                name: None,
                tags: Vec::new(),
                state: RunState::Done,
                tool_version: env!("CARGO_PKG_VERSION").to_owned(),
                started_unix_ns,
                ended_unix_ns: Some(ended_unix_ns),
                cell_count: u64::try_from(places.len()).unwrap_or(u64::MAX),
                samples: SampleCounts {
                    counted: count,
                    all: count,
                },
            },
            study_text: String::new(),
            seed: 0,
            options: serde_json::json!({}),
            facts: Vec::new(),
            cells: self.cells.into_values().map(|(_, cell)| cell).collect(),
            samples,
            warnings: warnings
                .map(|warning| WarningRecord {
                    cell: None,
                    warning,
                })
                .collect(),
        }
    }

    /// Returns what must be said of a run that was read from columns.
    fn notes(&self, id: u64) -> Vec<Warning> {
        let mut notes = vec![note(format!(
            "read from CSV: run {id} of world `{}` without its study, facts, histograms and the layers below the filesystem; percentiles are not known",
            self.world
        ))];
        if self.left_out > 0 {
            notes.push(note(format!(
                "{} samples that do not count were left out",
                self.left_out
            )));
        }
        if self.has_neighbours {
            notes.push(note(
                "neighbours ran beside the load; the columns tell their names only".to_owned(),
            ));
        }
        notes
    }
}

/// Returns the sample on a line.
fn sample(line: &Line<'_>) -> Result<Sample, ReadError> {
    let elapsed_ns = Nanos::new(line.count("elapsed_ns")?);
    let transfer = |direction: &str| {
        let ios = line.count(&format!("{direction}_ios"))?;
        Ok(Transfer {
            ios,
            bytes: Bytes::new(line.count(&format!("{direction}_bytes"))?),
            latency: latency(line, direction, ios)?,
        })
    };
    let (read, write) = (transfer("read")?, transfer("write")?);
    let sync_count = line.optional_count("sync_count")?.unwrap_or(0);
    let sync = latency(line, "sync", sync_count)?;
    let nanos = |head: &str| Ok(line.optional_count(head)?.map(Nanos::new));
    let cpu = match (nanos("cpu_user_ns")?, nanos("cpu_system_ns")?) {
        (Some(user_ns), Some(system_ns)) => Some(CpuTime { user_ns, system_ns }),
        _ => None,
    };
    let had_percentiles = ["read", "write", "sync"].iter().any(|kind| {
        let mut ends = PERCENTILES.iter();
        ends.any(|(end, _)| line.text(&format!("{kind}_latency_ns_{end}")).is_some())
    });
    let started_unix_ns = line.optional_count("started_unix_ns")?;
    if started_unix_ns.is_some_and(|time| time > UNIX_NS_MAX) {
        return Err(line.problem("`started_unix_ns` is after the year 2262"));
    }
    Ok(Sample {
        started_unix_ns,
        elapsed_ns,
        read,
        write,
        sync,
        cpu,
        // The columns have their sum only.
        devices: Vec::new(),
        breakdown: None,
        series: None,
        events: Vec::new(),
        stated: None,
        warnings: had_percentiles
            .then_some(Warning::NoHistogram)
            .into_iter()
            .collect(),
    })
}

/// Returns what the columns tell of one kind of latency; `count` operations if they were timed.
fn latency(line: &Line<'_>, kind: &str, count: u64) -> Result<Latency, ReadError> {
    let head = |end: &str| format!("{kind}_latency_ns_{end}");
    let nanos = |end: &str| Ok(line.optional_count(&head(end))?.map(Nanos::new));
    let mean_ns = line.number_or_none(&head("mean"))?;
    Ok(Latency {
        count: if mean_ns.is_some() { count } else { 0 },
        mean_ns,
        min_ns: nanos("min")?,
        max_ns: nanos("max")?,
        histogram: Default::default(),
        percentiles: Vec::new(),
    })
}
