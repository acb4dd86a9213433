//! Rows from Parquet files: sketches or samples of many hosts, in folders that may name the host and date.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use stripewise_export::columns::Column;
use stripewise_study::metric::Metric;

use super::{Row, middle};
use crate::failure::{Failure, Result};
use crate::foreign_tables::{COUNTED, Copies, Texts, each_batch, failed, first};
use crate::parquet_files::{of_folders, parquet_files};

/// What is found in files.
pub(super) struct Found {
    pub(super) rows: Vec<Row>,
    /// How many rows have no value that can be used: none, not a finite one, or a negative one.
    pub(super) dropped: usize,
    /// The files whose content is that of another one.
    pub(super) copies: Vec<String>,
}

/// What identifies a row: host, class, cell and day, as numbers of their texts.
type Key = [u32; 4];

/// The values of a cell of a host on a day, and the load at which they were measured.
#[derive(Default)]
struct Values {
    values: Vec<f64>,
    loads: Vec<f64>,
}

#[derive(Default)]
struct All {
    texts: Texts,
    values: HashMap<Key, Values>,
    dropped: usize,
    /// The column of the values.
    column: String,
}

/// Returns the rows of files, each with the median of its values. A file counts once, whatever its names.
pub(super) fn rows(paths: &[PathBuf], metric: Metric) -> Result<Found> {
    let mut all = All::default();
    let mut copies = Copies::default();
    for path in paths {
        for file in parquet_files(path)? {
            if !copies.is_copy(&file)? {
                read(&file, metric, &mut all)?;
            }
        }
    }
    if all.values.is_empty() {
        let (dropped, column) = (all.dropped, &all.column);
        return Err(Failure::new(match dropped {
            0 => "the files have no row that counts".to_owned(),
            _ => format!(
                "no row has a value: all {dropped} are null, not finite or negative in `{column}`"
            ),
        }));
    }
    let texts = all.texts;
    let rows = all.values.into_iter().map(|(key, of)| {
        let [host, class, cell, day] = key.map(|number| texts.text(number).to_owned());
        Row {
            host,
            class,
            cell,
            day,
            value: middle(of.values).unwrap_or_default(),
            load: middle(of.loads),
        }
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.sort_by(|a, b| a.key().cmp(&b.key()));
    Ok(Found {
        rows,
        dropped: all.dropped,
        copies: copies.found,
    })
}

/// Returns the day of a date that may have a time: `2026-11-01` of `2026-11-01T03:00`.
fn day_of(date: String) -> String {
    let day = date.get(..10).map(str::to_owned);
    day.filter(|day| day.parse::<Date>().is_ok())
        .unwrap_or(date)
}

/// Returns the day of a time, in µs since 1970: where the user is, if it is in UTC.
fn day_of_time(unix_us: i64, is_utc: bool) -> Option<String> {
    let time = Timestamp::from_microsecond(unix_us).ok()?;
    let zone = if is_utc {
        TimeZone::system()
    } else {
        TimeZone::UTC
    };
    Some(time.to_zoned(zone).date().to_string())
}

/// The columns that are read, in this order, and behind them those of the value and of the load.
const NAMED: [&str; 6] = ["host", "class", "date", "cell_key", "cell", COUNTED];
/// The columns that may have the load, the best first.
const LOADS: [&str; 3] = ["iops_median", "iops", "load"];

/// The values of a file by their keys.
struct Reader<'a> {
    /// What folders say of host, class and date.
    of_folders: [Option<String>; 3],
    /// The columns that may have the values, the best first.
    numbers: [String; 3],
    all: &'a mut All,
    missing: Option<String>,
}

fn read(path: &Path, metric: Metric, all: &mut All) -> Result<()> {
    let numbers = [
        format!("{}_median", metric.key()),
        metric.key().to_owned(),
        "value".to_owned(),
    ];
    let mut wanted: Vec<&str> = NAMED.to_vec();
    wanted.extend(numbers.iter().map(String::as_str));
    // A rate is what a closed load asks; only latency needs an equal one.
    if !metric.higher_is_better() {
        wanted.extend(LOADS);
    }
    let mut reader = Reader {
        of_folders: ["host", "class", "date"].map(|column| of_folders(path, column)),
        numbers: numbers.clone(),
        all,
        missing: None,
    };
    let columns: Vec<&str> = numbers.iter().map(String::as_str).chain(LOADS).collect();
    each_batch(path, &wanted, &columns, |rows, columns| {
        reader.take(rows, columns);
    })?;
    match reader.missing {
        Some(what) => Err(failed(path, &format!("it lacks {what}"))),
        None => Ok(()),
    }
}

impl Reader<'_> {
    /// Takes some rows.
    fn take(&mut self, rows: usize, columns: &[Option<Column>]) {
        let (named, rest) = columns.split_at(NAMED.len());
        let (numbers, loads) = rest.split_at(self.numbers.len());
        let [hosts, classes, days, keys, cells, counted] = named else {
            return;
        };
        let cells = keys.as_ref().or(cells.as_ref());
        let (Some(cells), Some((place, numbers))) = (cells, first(numbers)) else {
            let what = "a column `cell_key` or `cell`, or one of the metric or `value`";
            self.missing = Some(what.to_owned());
            return;
        };
        let name = self.numbers[place].clone();
        if !matches!(numbers, Column::Numbers(_)) {
            let kind = numbers.kind();
            self.missing = Some(format!("numbers: its column `{name}` has {kind}"));
            return;
        }
        self.all.column = name;
        if hosts.is_none() && self.of_folders[0].is_none() {
            let what = "a column `host`, and no folder is called `host=NAME`";
            self.missing = Some(what.to_owned());
            return;
        }
        let loads = first(loads).map(|(_, column)| column);
        let named = [hosts, classes, days];
        // Rows of one host and cell often follow each other, so their key is made once.
        let mut last: Option<Key> = None;
        for row in 0..rows {
            let is_same = |column: &Column| column.is_same(row);
            if !(named.into_iter().flatten().all(is_same) && is_same(cells)) {
                last = None;
            }
            let is_counted = counted.as_ref().and_then(|column| column.flag(row)) != Some(false);
            let value = numbers.number(row).filter(|_| is_counted);
            let Some(value) = value.filter(|value| value.is_finite() && *value >= 0.0) else {
                self.all.dropped += usize::from(is_counted);
                continue;
            };
            let key = *last.get_or_insert_with(|| self.key(named, cells, row));
            let values = self.all.values.entry(key).or_default();
            values.values.push(value);
            let load = loads.and_then(|loads| loads.number(row));
            values.loads.extend(load.filter(|load| load.is_finite()));
        }
    }

    fn key(&mut self, named: [&Option<Column>; 3], cells: &Column, row: usize) -> Key {
        let of = |index: usize| {
            let own = named[index].as_ref().and_then(|column| match column {
                Column::Times { unix_us, is_utc } => day_of_time((*unix_us.get(row)?)?, *is_utc),
                _ => column.text(row),
            });
            own.or_else(|| self.of_folders[index].clone())
                .unwrap_or_else(|| "-".to_owned())
        };
        let cell = cells.text(row).unwrap_or_else(|| "-".to_owned());
        [of(0), of(1), cell, day_of(of(2))].map(|text| self.all.texts.number(text))
    }
}
