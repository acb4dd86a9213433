//! Series from Parquet and CSV files instead of the store: sketches, or tables of other programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use stripewise_answer::{Block, Tone};
use stripewise_catalogue::Message;
use stripewise_export::columns::Column;
use stripewise_history::Detector;
use stripewise_history::answer::{FactPart, Point, SeriesPart};
use stripewise_stats::median;
use stripewise_study::metric::Metric;

use super::copied;
use crate::failure::{Failure, Result};
use crate::foreign_tables::{COUNTED, Copies, Texts, each_batch, failed, first};
use crate::parquet_files::{of_folders, parquet_files};

/// The option that names the files.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct FromFiles {
    /// Parquet or CSV files, or folders of Parquet files, instead of the store
    ///
    /// Columns: the metric, as `bandwidth_bytes_per_s_median` or `bandwidth_bytes_per_s` or `value`; the time,
    /// as `started_unix_ns`, `time`, `timestamp` or `date`; and, if there are any, `study`, `host` and
    /// `cell_key` or `cell`, which tell series apart, `run`, `counted` and `class`. A folder
    /// `date=2026-11-30` stands for the column. `stripewise export --rows sketches` writes such files.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["store", "tag"])]
    pub(in crate::commands) from: Vec<PathBuf>,
}

/// What is found in files.
pub(in crate::commands) struct Found {
    pub(in crate::commands) series: Vec<FileSeries>,
    /// How many rows have no time, or no value that can be used.
    pub(in crate::commands) dropped: usize,
    /// How many rows have the series and time of another one.
    pub(in crate::commands) merged: usize,
    /// The files whose content is that of another one.
    pub(in crate::commands) copies: Vec<String>,
}

impl Found {
    /// Says what became of rows and files.
    pub(in crate::commands) fn blocks(&self) -> Vec<Block> {
        let counts = [
            ("history-dropped-rows", self.dropped),
            ("history-merged-rows", self.merged),
        ];
        let counts = counts.into_iter().filter(|(_, rows)| *rows > 0);
        let counts =
            counts.map(|(id, rows)| Block::toned(Tone::Dim, Message::new(id).count("rows", rows)));
        let copies = copied("history-copied-sources", &self.copies);
        counts.chain(copies).collect()
    }
}

/// A series of files: its runs, in the order of time.
pub(in crate::commands) struct FileSeries {
    /// What people call it: the study and host, and the cell.
    names: [String; 2],
    points: Vec<FilePoint>,
}

struct FilePoint {
    unix_ns: i128,
    run: String,
    label: String,
    class: String,
    value: f64,
}

impl FileSeries {
    /// Judges the series.
    pub(in crate::commands) fn part(
        self,
        detector: &mut Detector,
        metric: Metric,
        level: f64,
    ) -> SeriesPart {
        let values: Vec<f64> = self.points.iter().map(|point| point.value).collect();
        let found = detector.trend(&values);
        let [of, cell] = &self.names;
        let title = Message::new("history-series").name("study", of);
        let names = (format!("{of}: {cell}"), title.name("cell", cell));
        let points = self.points.iter().map(|point| Point {
            run: point.run.clone(),
            label: point.label.clone(),
            started_unix_ns: u64::try_from(point.unix_ns).unwrap_or(0),
            value: point.value,
        });
        let trend = found.as_ref().map_err(|why| *why);
        let mut part = SeriesPart::new(names, points.collect(), trend, level, metric);
        for change in &mut part.changes {
            let [first, last] = change.places;
            let before = first
                .checked_sub(1)
                .and_then(|place| self.points.get(place));
            let classes = before.zip(self.points.get(last));
            let classes = classes.map(|(before, after)| [&before.class, &after.class]);
            let differ = classes.filter(|[before, after]| before != after);
            change.facts.extend(differ.map(|[before, after]| FactPart {
                key: "class".to_owned(),
                name: Message::new("history-column-class"),
                before: before.clone(),
                after: after.clone(),
            }));
        }
        part
    }
}

/// The columns that are read, in this order; behind them those of the time, and of the value.
const NAMED: [&str; 7] = ["study", "host", "class", "cell_key", "cell", "run", COUNTED];
/// The columns that may have the time, the best first.
const TIMES: [&str; 4] = ["started_unix_ns", "time", "timestamp", "date"];
/// The columns that a folder may stand for.
const OF_FOLDERS: [&str; 4] = ["study", "host", "class", "date"];

/// A time, and the day for people.
#[derive(Clone, Copy)]
struct Time {
    unix_ns: i128,
    day: Date,
}

/// A row of a file: texts by their numbers.
struct Row {
    time: Time,
    /// The file and its run, where files name runs.
    run: Option<[u32; 2]>,
    class: u32,
    value: f64,
}

#[derive(Default)]
struct All {
    texts: Texts,
    /// The rows of each study, host and cell.
    rows: BTreeMap<[u32; 3], Vec<Row>>,
    dropped: usize,
    column: String,
}

/// Returns the series of files. Rows of one run, or without runs of one time, are one point: their median.
///
/// # Errors
/// If a file cannot be read, lacks a column or has a time that is none, or no row counts.
pub(in crate::commands) fn series(paths: &[PathBuf], metric: Metric) -> Result<Found> {
    let mut all = All::default();
    let mut copies = Copies::default();
    let mut number = 0;
    for path in paths {
        for file in parquet_files(path)? {
            if !copies.is_copy(&file)? {
                read(&file, number, metric, &mut all)?;
                number += 1;
            }
        }
    }
    if all.rows.is_empty() {
        let (dropped, column) = (all.dropped, &all.column);
        return Err(Failure::new(match dropped {
            0 => "the files have no row that counts".to_owned(),
            _ => format!(
                "no row has a time and a value: all {dropped} are null, not finite or negative in `{column}`"
            ),
        }));
    }
    let mut merged = 0;
    let texts = &all.texts;
    let fallback = paths.first().map_or_else(String::new, |path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    });
    let column = all.column;
    let series = all.rows.into_iter().map(|([study, host, cell], rows)| {
        let of = match [study, host].map(|text| texts.text(text)) {
            ["", ""] => fallback.clone(),
            ["", host] => host.to_owned(),
            [study, ""] => study.to_owned(),
            [study, host] => format!("{study} ({host})"),
        };
        let cell = match texts.text(cell) {
            "" => column.clone(),
            cell => cell.to_owned(),
        };
        FileSeries {
            names: [of, cell],
            points: points(rows, texts, &mut merged),
        }
    });
    let mut series: Vec<FileSeries> = series.collect();
    series.sort_by(|one, other| one.names.cmp(&other.names));
    Ok(Found {
        series,
        dropped: all.dropped,
        merged,
        copies: copies.found,
    })
}

/// Returns the points of a series in the order of time, and counts rows that share one without a run.
fn points(mut rows: Vec<Row>, texts: &Texts, merged: &mut usize) -> Vec<FilePoint> {
    // A run may have rows of several times, its samples; rows without a run are of one if their time is.
    rows.sort_by_key(|row| (row.run, row.time.unix_ns));
    let is_one = |one: &Row, next: &Row| match (one.run, next.run) {
        (None, None) => one.time.unix_ns == next.time.unix_ns,
        (one, next) => one == next,
    };
    let mut points: Vec<FilePoint> = Vec::new();
    for of_point in rows.chunk_by(is_one) {
        let [first, rest @ ..] = of_point else {
            continue;
        };
        let values = of_point.iter().map(|row| row.value).collect();
        let Ok(values) = stripewise_stats::Series::new(values) else {
            continue;
        };
        let day = first.time.day;
        let (run, label) = match first.run {
            Some([_, run]) => {
                let run = texts.text(run);
                (run.to_owned(), format!("{run} ({day})"))
            }
            None => {
                *merged += rest.len();
                (time_words(first.time), time_words(first.time))
            }
        };
        points.push(FilePoint {
            unix_ns: first.time.unix_ns,
            run,
            label,
            class: texts.text(first.class).to_owned(),
            value: median(&values),
        });
    }
    // Of two runs of one day, of which only the day is known, the one with the lower number was first.
    let number = |point: &FilePoint| point.run.parse::<u64>().unwrap_or(0);
    points.sort_by_key(|point| (point.unix_ns, number(point)));
    points
}

/// Returns a time for people: its day, and the time of day where it has one.
fn time_words(time: Time) -> String {
    let at = Timestamp::from_nanosecond(time.unix_ns).unwrap_or_default();
    let at = at.to_zoned(TimeZone::UTC).datetime();
    match at == at.date().to_datetime(jiff::civil::Time::midnight()) {
        true => time.day.to_string(),
        false => format!("{} UTC", at.strftime("%F %T")),
    }
}

struct Reader<'a> {
    file: u32,
    of_folders: [Option<String>; OF_FOLDERS.len()],
    /// The columns that may have the values, the best first.
    numbers: [String; 3],
    all: &'a mut All,
    refused: Option<String>,
}

fn read(path: &Path, file: u32, metric: Metric, all: &mut All) -> Result<()> {
    let numbers = [
        format!("{}_median", metric.key()),
        metric.key().to_owned(),
        "value".to_owned(),
    ];
    let columns: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let wanted = [&NAMED[..], &TIMES, &columns].concat();
    let mut reader = Reader {
        file,
        of_folders: OF_FOLDERS.map(|column| of_folders(path, column)),
        numbers: numbers.clone(),
        all,
        refused: None,
    };
    each_batch(path, &wanted, &columns, |rows, columns| {
        if reader.refused.is_none() {
            reader.refused = reader.take(rows, columns).err();
        }
    })?;
    match reader.refused {
        Some(why) => Err(failed(path, &why)),
        None => Ok(()),
    }
}

impl Reader<'_> {
    /// Takes some rows; returns why the file is refused.
    fn take(&mut self, rows: usize, columns: &[Option<Column>]) -> std::result::Result<(), String> {
        let (named, rest) = columns.split_at(NAMED.len());
        let (times, numbers) = rest.split_at(TIMES.len());
        let [studies, hosts, classes, keys, cells, runs, counted] = named else {
            return Ok(());
        };
        let (place, numbers) = first(numbers)
            .ok_or_else(|| format!("it lacks a column `{}` or `value`", self.numbers[1]))?;
        let name = self.numbers[place].clone();
        if !matches!(numbers, Column::Numbers(_)) {
            return Err(format!(
                "its column `{name}` has {}, not numbers",
                numbers.kind()
            ));
        }
        self.all.column = name;
        let times = first(times);
        let of_folder = match &self.of_folders[3] {
            Some(day) if times.is_none() => Some(
                time_of_text(day)
                    .ok_or_else(|| format!("`{day}` in the name of its folder is no date"))?,
            ),
            _ => None,
        };
        if times.is_none() && of_folder.is_none() {
            return Err(
                "it lacks a column `time`, `timestamp`, `date` or `started_unix_ns`: without it the order of runs is not known"
                    .to_owned(),
            );
        }
        for row in 0..rows {
            let is_counted = counted.as_ref().and_then(|column| column.flag(row)) != Some(false);
            if !is_counted {
                continue;
            }
            let time = match times {
                Some((place, column)) => time_of(column, TIMES[place], row)?,
                None => of_folder,
            };
            let value = numbers.number(row);
            let value = value.filter(|value| value.is_finite() && *value >= 0.0);
            let Some((time, value)) = time.zip(value) else {
                self.all.dropped += 1;
                continue;
            };
            let text = |column: &Option<Column>, folder: Option<&Option<String>>| {
                let own = column.as_ref().and_then(|column| column.text(row));
                own.or_else(|| folder.cloned().flatten())
                    .unwrap_or_default()
            };
            let [study, host, class, _] = self.of_folders.each_ref();
            let cells = if keys.is_some() { keys } else { cells };
            let of_series = [
                text(studies, Some(study)),
                text(hosts, Some(host)),
                text(cells, None),
            ];
            let (class, run) = (text(classes, Some(class)), text(runs, None));
            let texts = &mut self.all.texts;
            let key = of_series.map(|text| texts.number(text));
            let row = Row {
                time,
                run: (!run.is_empty()).then(|| [self.file, texts.number(run)]),
                class: texts.number(class),
                value,
            };
            self.all.rows.entry(key).or_default().push(row);
        }
        Ok(())
    }
}

/// Returns the time of a row; `None` without one.
fn time_of(column: &Column, name: &str, row: usize) -> std::result::Result<Option<Time>, String> {
    let no_time = |what: String| format!("`{what}` in its column `{name}` is no time");
    if let Column::Times { unix_us, is_utc } = column {
        let time = unix_us.get(row).copied().flatten();
        return Ok(time.and_then(|us| time_at(i128::from(us) * 1000, *is_utc)));
    }
    let Some(text) = column.text(row) else {
        return match column {
            Column::Flags(_) => Err(format!("its column `{name}` has flags, not times")),
            _ => Ok(None),
        };
    };
    match text.parse::<f64>() {
        Ok(number) if number.is_nan() => Ok(None),
        Ok(number) => of_number(number, name)
            .map(Some)
            .ok_or_else(|| no_time(text)),
        Err(_) => time_of_text(&text).map(Some).ok_or_else(|| no_time(text)),
    }
}

/// Returns the time of a number: seconds, ms, µs or ns since 1970, of which only one gives a year from
/// 1973 to 5138.
fn of_number(number: f64, name: &str) -> Option<Time> {
    let per_second = match number.abs() {
        _ if name == TIMES[0] => 1e9,
        of if of < 1e11 => 1.0,
        of if of < 1e14 => 1e3,
        of if of < 1e17 => 1e6,
        _ => 1e9,
    };
    let since = SignedDuration::try_from_secs_f64(number / per_second).ok()?;
    time_at(since.as_nanos(), true)
}

/// Returns the time of a text: with a zone, or of a calendar.
fn time_of_text(text: &str) -> Option<Time> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return time_at(at.as_nanosecond(), true);
    }
    let at: DateTime = match text.parse::<DateTime>() {
        Ok(at) => at,
        Err(_) => text
            .parse::<Date>()
            .ok()?
            .to_datetime(jiff::civil::Time::midnight()),
    };
    let at = at.to_zoned(TimeZone::UTC).ok()?;
    time_at(at.timestamp().as_nanosecond(), false)
}

/// Returns a time with its day: where the user is if the time is in UTC, else its own.
fn time_at(unix_ns: i128, is_utc: bool) -> Option<Time> {
    let at = Timestamp::from_nanosecond(unix_ns).ok()?;
    let zone = if is_utc {
        TimeZone::system()
    } else {
        TimeZone::UTC
    };
    Some(Time {
        unix_ns,
        day: at.to_zoned(zone).date(),
    })
}
