//! Measured points as CSV: one row is one measurement of one stack under one load.
//!
//! ```text
//! stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s
//! ssd,randread,8192,1,1,67108864
//! ```
//!
//! Columns come in any order. The file is foreign input: its size is bounded, and every problem
//! names file, line, column, value and the expected value.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::rc::Rc;

use csv::{ByteRecord, ReaderBuilder};
use serde::Serialize;
use stripewise_study::sample::as_f64;
use stripewise_study::workload::Pattern;
use stripewise_units::visible::visible_line;

/// The largest file that we read.
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// The most rows that we read.
pub const ROWS_MAX: usize = 100_000;

/// The longest row that we read: the CSV reader stores the end of each field, at eight bytes per
/// field.
const ROW_BYTES_MAX: usize = 64 << 10;

/// The most I/Os in flight.
const IN_FLIGHT_MAX: u32 = 65_536;

/// The numbers with a fraction: times in ns, and rates. The time of an I/O and all that follows from it
/// is finite for these.
const NUMBERS: RangeInclusive<f64> = 0.001..=1e13;

/// The most problems that an error lists.
const PROBLEMS_MAX: usize = 20;

/// The required columns; for the bandwidth, `iops` will do.
const REQUIRED: [&str; 6] = [
    "stack",
    "pattern",
    "block_size_bytes",
    "jobs",
    "depth",
    BANDWIDTH,
];
const BANDWIDTH: &str = "bandwidth_bytes_per_s";
const IOPS: &str = "iops";

/// The optional columns.
const OPTIONAL: [&str; 8] = [
    IOPS,
    "latency_ns_mean",
    "latency_ns_p50",
    "latency_ns_p99",
    "mix",
    "side",
    "fsync",
    FILE_SIZE,
];
const FILE_SIZE: &str = "file_size_bytes";

/// The direction of the I/Os that a point of a mixed load measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The reads.
    Read,
    /// The writes.
    Write,
}

impl Side {
    /// Both.
    pub const ALL: [Side; 2] = [Side::Read, Side::Write];

    /// Returns its word in a file of points.
    pub const fn as_str(self) -> &'static str {
        match self {
            Side::Read => "read",
            Side::Write => "write",
        }
    }
}

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its line in the file, from 1.
    pub line: u64,
    /// The stack of the study.
    pub stack: String,
    /// The order and direction of I/O.
    pub pattern: Pattern,
    /// The size of each I/O, a multiple of 512.
    pub block_size_bytes: u64,
    /// How many jobs ran at once.
    pub jobs: u32,
    /// The queue depth of each job.
    pub depth: u32,
    /// The bandwidth of all jobs; on one side only, if the point measures one.
    pub bandwidth_bytes_per_s: f64,
    /// Latencies, if measured.
    pub latency: PointLatency,
    /// The share of reads in percent; only for mixed patterns.
    pub read_percent: Option<u8>,
    /// The side of a mixed load that it measures; `None` for both, and for other loads.
    pub side: Option<Side>,
    /// On a side of a mix: the mean time from the end of a request to the submission of the next one
    /// in its place, by Little's law from both sides; 0 if it is not known.
    pub between_ns: f64,
    /// The number of writes per `fsync`.
    pub fsync_every: Option<NonZeroU32>,
    /// The size of each job's file, if it is not the study's.
    pub file_size_bytes: Option<u64>,
}

/// Measured latencies in ns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PointLatency {
    /// The mean.
    pub mean_ns: Option<f64>,
    /// The median.
    pub p50_ns: Option<f64>,
    /// The 99th percentile.
    pub p99_ns: Option<f64>,
}

impl Point {
    /// Returns whether one I/O is in flight at a time.
    pub fn is_alone(&self) -> bool {
        self.jobs == 1 && self.depth == 1
    }

    /// Returns whether it is a plain load in one direction, without `fsync`.
    pub fn is_plain(&self) -> bool {
        !self.pattern.is_mixed() && self.fsync_every.is_none()
    }

    /// Returns whether it shows how fast one direction is.
    pub fn shows_device(&self) -> bool {
        self.fsync_every.is_none() && self.direction().is_some()
    }

    /// Returns whether it shows how long a lone request of one direction takes.
    pub fn shows_lone_request(&self) -> bool {
        self.is_alone() && self.shows_device()
    }

    /// Returns the direction of its I/Os; `None` if they go both ways.
    pub fn direction(&self) -> Option<Side> {
        match (self.pattern.is_mixed(), self.pattern.writes()) {
            (true, _) => self.side,
            (false, false) => Some(Side::Read),
            (false, true) => Some(Side::Write),
        }
    }

    /// Returns the number of I/Os in flight.
    pub fn in_flight(&self) -> u32 {
        self.jobs.saturating_mul(self.depth)
    }

    /// Returns the time per I/O: size over bandwidth, or on one side of a mix the mean
    /// latency and the time to the next submission.
    pub fn time_ns(&self) -> f64 {
        let of_side = self.side.and(self.latency.mean_ns);
        let of_side = of_side.map(|latency| latency + self.between_ns);
        of_side.unwrap_or(as_f64(self.block_size_bytes) * 1e9 / self.bandwidth_bytes_per_s)
    }
}

/// A problem in a file of points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointProblem {
    /// The line, from 1.
    pub line: u64,
    /// The name of the column, if the problem is in one.
    pub column: Option<String>,
    /// The problem: the value, and the expected one.
    pub problem: String,
}

/// An invalid file of points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointsError {
    /// The file's name from the caller.
    pub file: String,
    /// The first problems, in the order of the file; there is at least one.
    pub problems: Vec<PointProblem>,
}

impl fmt::Display for PointsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}{}:{}: ", self.file, problem.line)?;
            if let Some(column) = &problem.column {
                write!(f, "column `{column}`: ")?;
            }
            f.write_str(&problem.problem)?;
        }
        Ok(())
    }
}

impl std::error::Error for PointsError {}

/// Parses the points of a CSV text; messages name it `file`.
///
/// Memory is proportional to the rows. At a given size the bandwidth follows from `iops`, which is
/// not kept.
///
/// # Errors
/// [`PointsError`] with the first problems. Never panics on any input.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Vec<Point>, PointsError> {
    read(bytes).map_err(|problems| PointsError {
        file: file.to_owned(),
        problems,
    })
}

fn read(bytes: &[u8]) -> Result<Vec<Point>, Vec<PointProblem>> {
    if bytes.len() > TEXT_BYTES_MAX {
        let problem = format!(
            "a file of points may have at most {TEXT_BYTES_MAX} bytes, this one has {}",
            bytes.len()
        );
        return Err(vec![at_line(1, problem)]);
    }
    let row_bytes = Rc::new(Cell::new(0));
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(RowBytes {
        rest: bytes,
        since_row: Rc::clone(&row_bytes),
    });
    let header = reader.byte_headers().cloned();
    let header = header.map_err(|error| vec![at_line(1, problem_of(&error))])?;
    let columns = Columns::new(&header)?;
    let (mut points, mut problems) = (Vec::new(), Vec::new());
    let mut lines = Lines::new(bytes);
    let mut record = ByteRecord::new();
    loop {
        row_bytes.set(0);
        let is_row = reader.read_byte_record(&mut record);
        if !is_row.map_err(|error| vec![at_line(lines.line + 1, problem_of(&error))])? {
            break;
        }
        let line = lines.of(&record);
        if points.len() == ROWS_MAX {
            let problem = format!("a file of points may have at most {ROWS_MAX} rows");
            return Err(vec![at_line(line, problem)]);
        }
        match columns.point(&record, line) {
            Ok(point) => points.push(point),
            Err(problem) => problems.push(problem),
        }
        if problems.len() == PROBLEMS_MAX {
            break;
        }
    }
    match (problems.is_empty(), points.is_empty()) {
        (false, _) => Err(problems),
        (true, true) => Err(vec![at_line(
            1,
            "there are no rows below the header".to_owned(),
        )]),
        (true, false) => {
            set_between(&mut points);
            Ok(points)
        }
    }
}

/// Returns the mean time from the end of a request to the submission of the next one in its place, by
/// Little's law: from the IOPS and the mean latencies in ns of both sides of a mix.
pub(crate) fn between_ns(in_flight: u32, iops: [f64; 2], latencies_ns: [f64; 2]) -> f64 {
    let busy = iops[0] * latencies_ns[0] + iops[1] * latencies_ns[1];
    let all = (iops[0] + iops[1]).max(1e-9);
    ((f64::from(in_flight) * 1e9 - busy) / all).max(0.0)
}

/// Sets the time between requests of each mixed load of which both sides were measured.
fn set_between(points: &mut [Point]) {
    let mut loads: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, point) in points.iter().enumerate() {
        if point.side.is_some() && point.latency.mean_ns.is_some() {
            let mix = (point.pattern.as_str(), point.read_percent);
            let size = point.block_size_bytes;
            let load = (point.stack.clone(), mix, size, point.jobs, point.depth);
            loads.entry(load).or_default().push(place);
        }
    }
    for places in loads.values() {
        let [one, other] = places.as_slice() else {
            continue;
        };
        let sides = [&points[*one], &points[*other]];
        if sides[0].side == sides[1].side {
            continue;
        }
        let rates = sides.map(|point| point.bandwidth_bytes_per_s / as_f64(point.block_size_bytes));
        let latencies = sides.map(|point| point.latency.mean_ns.unwrap_or_default());
        let between_ns = between_ns(sides[0].in_flight(), rates, latencies);
        for place in places {
            points[*place].between_ns = between_ns;
        }
    }
}

/// Reads a file and counts the bytes since the end of the last row.
struct RowBytes<'a> {
    rest: &'a [u8],
    since_row: Rc<Cell<usize>>,
}

impl Read for RowBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let since_row = self.since_row.get();
        if since_row > ROW_BYTES_MAX {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        let count = self.rest.read(buffer)?;
        self.since_row.set(since_row + count);
        Ok(count)
    }
}

/// Returns the message for an error of the CSV reader.
fn problem_of(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Io(_) => format!("a row may have at most {ROW_BYTES_MAX} bytes"),
        _ => error.to_string(),
    }
}

/// Counts lines; the CSV reader counts a line end before a record as part of the record.
struct Lines<'a> {
    bytes: &'a [u8],
    counted: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            counted: 0,
            line: 1,
        }
    }

    /// Returns the line on which `record` begins; records come in the order of the file.
    fn of(&mut self, record: &ByteRecord) -> u64 {
        let start = record.position().map_or(0, csv::Position::byte);
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        while let Some(byte) = self.bytes.get(self.counted) {
            let is_end = matches!(byte, b'\r' | b'\n');
            if self.counted >= start && !is_end {
                break;
            }
            self.counted += 1;
            let is_first_of_two = *byte == b'\r' && self.bytes.get(self.counted) == Some(&b'\n');
            self.line += u64::from(is_end && !is_first_of_two);
        }
        self.line
    }
}

fn at_line(line: u64, problem: String) -> PointProblem {
    PointProblem {
        line,
        column: None,
        problem,
    }
}

/// The order of the columns.
struct Columns {
    names: Vec<&'static str>,
}

impl Columns {
    fn new(header: &ByteRecord) -> Result<Self, Vec<PointProblem>> {
        let known: Vec<&'static str> = REQUIRED.into_iter().chain(OPTIONAL).collect();
        let mut names: Vec<&'static str> = Vec::new();
        let mut problems = Vec::new();
        for field in header.iter().take(64) {
            let name = String::from_utf8_lossy(field.trim_ascii());
            let name = name.trim_start_matches('\u{feff}');
            match known.iter().find(|known| **known == name) {
                None => problems.push(at_line(
                    1,
                    format!(
                        "unknown column `{}`; known columns are {}",
                        shown(name),
                        known.join(", ")
                    ),
                )),
                Some(twice) if names.contains(twice) => {
                    problems.push(at_line(1, format!("column `{twice}` is given twice")));
                }
                Some(name) => names.push(name),
            }
        }
        let has_rate = names.contains(&IOPS);
        let is_missing = |name: &&&str| !(names.contains(name) || **name == BANDWIDTH && has_rate);
        let missing = REQUIRED.iter().filter(is_missing);
        problems.extend(missing.map(|name| {
            let or = if *name == BANDWIDTH {
                ", and `iops`, too"
            } else {
                ""
            };
            at_line(1, format!("column `{name}` is missing in the header{or}"))
        }));
        problems.truncate(PROBLEMS_MAX);
        match problems.is_empty() {
            true => Ok(Self { names }),
            false => Err(problems),
        }
    }

    fn point(&self, record: &ByteRecord, line: u64) -> Result<Point, PointProblem> {
        if record.len() != self.names.len() {
            let (has, wants) = (record.len(), self.names.len());
            let problem = format!("this row has {has} values, but the header has {wants} columns");
            return Err(at_line(line, problem));
        }
        let row = CsvRow {
            columns: self,
            record,
            line,
        };
        row.point()
    }
}

/// A row being read.
struct CsvRow<'a> {
    columns: &'a Columns,
    record: &'a ByteRecord,
    line: u64,
}

impl CsvRow<'_> {
    fn point(&self) -> Result<Point, PointProblem> {
        let pattern = self.pattern()?;
        let block_size_bytes = self.whole("block_size_bytes", 512, 1 << 30)?;
        if !block_size_bytes.is_multiple_of(512) {
            return Err(self.wrong("block_size_bytes", "a multiple of 512"));
        }
        let (jobs, depth) = (
            self.small("jobs", 1024)?,
            self.small("depth", IN_FLIGHT_MAX)?,
        );
        if jobs * depth > IN_FLIGHT_MAX {
            let expected = format!("possible with {jobs} jobs: {IN_FLIGHT_MAX} I/Os at most");
            return Err(self.wrong("depth", &expected));
        }
        let latency = PointLatency {
            mean_ns: self.number("latency_ns_mean")?,
            p50_ns: self.number("latency_ns_p50")?,
            p99_ns: self.number("latency_ns_p99")?,
        };
        if matches!((latency.p50_ns, latency.p99_ns), (Some(p50), Some(p99)) if p99 < p50) {
            return Err(self.wrong("latency_ns_p99", "at least latency_ns_p50"));
        }
        Ok(Point {
            line: self.line,
            stack: self.stack()?,
            pattern,
            block_size_bytes,
            jobs,
            depth,
            bandwidth_bytes_per_s: self.bandwidth(block_size_bytes)?,
            latency,
            read_percent: self.read_percent(pattern)?,
            side: self.side(pattern)?,
            between_ns: 0.0,
            fsync_every: self.fsync_every(pattern)?,
            file_size_bytes: self.file_size()?,
        })
    }

    /// Returns the text of a column; `None` without such a column or value.
    fn text(&self, column: &str) -> Option<&str> {
        let index = self.columns.names.iter().position(|name| *name == column)?;
        let text = std::str::from_utf8(self.record.get(index)?).unwrap_or("\u{fffd}");
        Some(text.trim()).filter(|text| !text.is_empty())
    }

    fn wrong(&self, column: &str, expected: &str) -> PointProblem {
        let value = self.text(column).map(shown);
        let problem = match value {
            Some(value) => format!("`{value}` is not {expected}"),
            None => format!("the value is missing; expected {expected}"),
        };
        PointProblem {
            line: self.line,
            column: Some(column.to_owned()),
            problem,
        }
    }

    fn stack(&self) -> Result<String, PointProblem> {
        let name = self.text("stack").filter(|name| name.len() <= 64);
        let name = name.ok_or_else(|| self.wrong("stack", "the name of a stack of the study"))?;
        Ok(name.to_owned())
    }

    fn pattern(&self) -> Result<Pattern, PointProblem> {
        let text = self.text("pattern").unwrap_or_default();
        let found = Pattern::ALL
            .into_iter()
            .find(|pattern| pattern.as_str() == text);
        let expected = "one of read, write, randread, randwrite, rw, randrw";
        found.ok_or_else(|| self.wrong("pattern", expected))
    }

    fn whole(&self, column: &str, least: u64, most: u64) -> Result<u64, PointProblem> {
        let value = self.text(column).and_then(|text| text.parse().ok());
        value
            .filter(|value| (least..=most).contains(value))
            .ok_or_else(|| self.wrong(column, &format!("a whole number, {least} to {most}")))
    }

    fn small(&self, column: &str, most: u32) -> Result<u32, PointProblem> {
        let value = self.whole(column, 1, most.into())?;
        u32::try_from(value).map_err(|_| self.wrong(column, "a small number"))
    }

    /// Returns a number above 0; `None` if the value is missing.
    fn number(&self, column: &str) -> Result<Option<f64>, PointProblem> {
        let Some(text) = self.text(column) else {
            return Ok(None);
        };
        let value: Option<f64> = text.parse().ok();
        value
            .filter(|value| NUMBERS.contains(value))
            .map(Some)
            .ok_or_else(|| self.wrong(column, "a number from 0.001 to 1e13"))
    }

    /// Returns the bandwidth, if need be from the IOPS.
    fn bandwidth(&self, block_size_bytes: u64) -> Result<f64, PointProblem> {
        let (bandwidth, iops) = (self.number(BANDWIDTH)?, self.number(IOPS)?);
        let of_iops = iops.map(|iops| iops * as_f64(block_size_bytes));
        if of_iops.is_some_and(|bandwidth| !NUMBERS.contains(&bandwidth)) {
            return Err(self.wrong(IOPS, "a rate of at most 1e13 bytes a second at this size"));
        }
        bandwidth
            .or(of_iops)
            .ok_or_else(|| self.wrong(BANDWIDTH, "a number above 0"))
    }

    fn side(&self, pattern: Pattern) -> Result<Option<Side>, PointProblem> {
        let Some(text) = self.text("side") else {
            return Ok(None);
        };
        let found = Side::ALL.into_iter().find(|side| side.as_str() == text);
        match (found, pattern.is_mixed()) {
            (Some(side), true) => Ok(Some(side)),
            (None, true) => Err(self.wrong("side", "`read`, `write` or nothing, which is both")),
            (_, false) => Err(self.wrong("side", "allowed for a pattern that does not mix")),
        }
    }

    fn read_percent(&self, pattern: Pattern) -> Result<Option<u8>, PointProblem> {
        match (self.text("mix"), pattern.is_mixed()) {
            (None, true) => Err(self.wrong("mix", "the share of reads in percent, 0 to 100")),
            (None, false) => Ok(None),
            (Some(_), false) => Err(self.wrong("mix", "allowed for a pattern that does not mix")),
            (Some(text), true) => match text.parse() {
                Ok(percent @ 0..=100_u8) => Ok(Some(percent)),
                _ => Err(self.wrong("mix", "the share of reads in percent, 0 to 100")),
            },
        }
    }

    fn file_size(&self) -> Result<Option<u64>, PointProblem> {
        let given = self.text(FILE_SIZE);
        given
            .map(|_| self.whole(FILE_SIZE, 512, 1 << 60))
            .transpose()
    }

    fn fsync_every(&self, pattern: Pattern) -> Result<Option<NonZeroU32>, PointProblem> {
        match self.text("fsync") {
            None | Some("0") => Ok(None),
            Some(_) if !pattern.writes() => {
                Err(self.wrong("fsync", "allowed for a pattern that does not write"))
            }
            Some(text) => match text.parse() {
                Ok(count) => Ok(Some(count)),
                Err(_) => Err(self.wrong("fsync", "the number of writes per fsync")),
            },
        }
    }
}

/// Returns the beginning of a text, with its hidden characters visible.
fn shown(text: &str) -> String {
    visible_line(text).chars().take(40).collect()
}

#[cfg(test)]
#[path = "points_tests.rs"]
mod tests;
