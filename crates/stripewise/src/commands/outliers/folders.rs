//! Rows from Parquet files: sketches or samples of many hosts, in folders that may name the host and date.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use stripewise_export::columns::{Column, each_group};
use stripewise_study::metric::Metric;

use super::Row;
use crate::failure::{Failure, Result};
use crate::inputs;

/// How deep folders may lie in each other.
const DEPTH_MAX: usize = 16;

/// Returns the Parquet files below a folder, in order.
pub(crate) fn parquet_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = pending.pop() {
        let failed = |error: std::io::Error| {
            Failure::new(format!("failed to read `{}`: {error}", folder.display()))
        };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
            let is_parquet = path
                .extension()
                .is_some_and(|of| of == "parquet" || of == "pq");
            // Links are not followed: a folder may lie in itself.
            if kind.is_dir() && depth < DEPTH_MAX {
                pending.push((path, depth + 1));
            } else if kind.is_file() && is_parquet {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        return Err(Failure::new(format!(
            "`{}` has no Parquet file",
            folder.display()
        )));
    }
    found.sort_unstable();
    Ok(found)
}

/// What identifies a row: host, class, cell and day.
type Key = [String; 4];

/// What was found in files.
#[derive(Default)]
struct Found {
    values: BTreeMap<Key, Vec<f64>>,
    /// How many rows have no value that can be used: none, not a finite one, or a negative one.
    dropped: usize,
    /// The column of the values.
    column: String,
}

/// Returns the rows of files, each with the median of its values, and how many were dropped.
pub(super) fn rows(paths: &[PathBuf], metric: Metric) -> Result<(Vec<Row>, usize)> {
    let mut found = Found::default();
    for path in paths {
        inputs::note_path(path);
        let files = match path.is_dir() {
            true => parquet_files(path)?,
            false => vec![path.clone()],
        };
        for file in files {
            read(&file, metric, &mut found)?;
        }
    }
    if found.values.is_empty() {
        let (dropped, column) = (found.dropped, &found.column);
        return Err(Failure::new(match dropped {
            0 => "the files have no row that counts".to_owned(),
            _ => format!(
                "no row has a value: all {dropped} are null, not finite or negative in `{column}`"
            ),
        }));
    }
    let rows = found
        .values
        .into_iter()
        .map(|([host, class, cell, day], of)| Row {
            host,
            class,
            cell,
            day,
            value: super::middle(of).unwrap_or_default(),
            load: None,
        });
    Ok((rows.collect(), found.dropped))
}

/// Returns the day of a date that may have a time: `2026-11-01` of `2026-11-01T03:00`.
fn day_of(date: String) -> String {
    let day = date.get(..10).map(str::to_owned);
    day.filter(|day| day.parse::<Date>().is_ok())
        .unwrap_or(date)
}

/// Returns why a file that may be whole is not read, from the words of the library.
fn not_read(words: &str) -> Option<String> {
    let words = words.strip_prefix("Parquet error: ").unwrap_or(words);
    match words.strip_prefix("Disabled feature at compile time: ") {
        Some("flate2") => Some("it is packed with gzip, which is not read".to_owned()),
        Some(packing) => Some(format!("it is packed with {packing}, which is not read")),
        None => words
            .starts_with("a column has a type")
            .then(|| words.to_owned()),
    }
}

/// Returns the value that the folders of a file name for a column: `web17` of `host=web17`.
fn of_folders(path: &Path, column: &str) -> Option<String> {
    let mut parts = path.iter().filter_map(|part| part.to_str());
    let value = |part: &str| Some(part.strip_prefix(column)?.strip_prefix('=')?.to_owned());
    parts.find_map(value)
}

/// The values of a file by their keys.
struct Reader<'a> {
    /// What folders say of host, class and date.
    of_folders: [Option<String>; 3],
    /// The columns that may have the values, the best first.
    numbers: [String; 3],
    found: &'a mut Found,
    /// The rows of the last host and cell: they follow each other, so their key is made once.
    last: Option<(Key, Vec<f64>)>,
    missing: Option<String>,
}

fn read(path: &Path, metric: Metric, found: &mut Found) -> Result<()> {
    let failed =
        |error: String| Failure::new(format!("failed to read `{}`: {error}", path.display()));
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let median = format!("{}_median", metric.key());
    let wanted = [
        "host",
        "class",
        "date",
        "cell_key",
        "cell",
        "counted",
        &median,
        metric.key(),
        "value",
    ];
    let mut reader = Reader {
        of_folders: ["host", "class", "date"].map(|column| of_folders(path, column)),
        numbers: [median.clone(), metric.key().to_owned(), "value".to_owned()],
        found,
        last: None,
        missing: None,
    };
    each_group(file, &wanted, |rows, columns| reader.take(rows, columns)).map_err(|error| {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        let why = source.as_deref().and_then(not_read);
        let source = source.map(|source| format!(": {source}"));
        let damaged = || format!("{error}{}", source.unwrap_or_default());
        failed(why.unwrap_or_else(damaged)).hint(
            "Parquet that is packed with Snappy or not at all is read: `compression=\"snappy\"` \
             where it is written",
        )
    })?;
    reader.keep();
    match reader.missing {
        Some(what) => Err(failed(format!("it lacks {what}"))),
        None => Ok(()),
    }
}

impl Reader<'_> {
    /// Takes the rows of a group.
    fn take(&mut self, rows: usize, columns: &[Option<Column>]) {
        let [
            hosts,
            classes,
            days,
            keys,
            cells,
            counted,
            medians,
            own,
            other,
        ] = columns
        else {
            return;
        };
        let cells = keys.as_ref().or(cells.as_ref());
        let numbers = [medians, own, other]
            .into_iter()
            .zip(&self.numbers)
            .find_map(|(column, name)| Some((column.as_ref()?, name)));
        let (Some(cells), Some((numbers, name))) = (cells, numbers) else {
            let what = "a column `cell_key` or `cell`, or one of the metric or `value`";
            self.missing = Some(what.to_owned());
            return;
        };
        self.found.column.clone_from(name);
        let other_type = match numbers {
            Column::Numbers(_) => None,
            Column::Texts(_) => Some("text"),
            Column::Flags(_) => Some("flags"),
        };
        if let Some(other_type) = other_type {
            self.missing = Some(format!("numbers: its column `{name}` has {other_type}"));
            return;
        }
        if hosts.is_none() && self.of_folders[0].is_none() {
            let what = "a column `host`, and no folder is called `host=NAME`";
            self.missing = Some(what.to_owned());
            return;
        }
        let named = [hosts, classes, days];
        for row in 0..rows {
            let is_counted = counted.as_ref().and_then(|column| column.flag(row)) != Some(false);
            let value = numbers.number(row).filter(|_| is_counted);
            let Some(value) = value.filter(|value| value.is_finite() && *value >= 0.0) else {
                self.found.dropped += usize::from(is_counted);
                // The next row may have the host and cell of this one, and not those of the last.
                self.keep();
                continue;
            };
            let is_same = |column: &Column| column.is_same(row);
            let is_last = row > 0 && named.into_iter().flatten().all(is_same) && is_same(cells);
            match &mut self.last {
                Some((_, of)) if is_last => of.push(value),
                _ => {
                    self.keep();
                    let key = self.key(named, cells, row);
                    self.last = Some((key, vec![value]));
                }
            }
        }
    }

    fn key(&self, named: [&Option<Column>; 3], cells: &Column, row: usize) -> Key {
        let unknown = || "-".to_owned();
        let of = |index: usize| {
            let own = named[index].as_ref().and_then(|column| column.text(row));
            own.or_else(|| self.of_folders[index].clone())
                .unwrap_or_else(unknown)
        };
        let cell = cells.text(row).unwrap_or_else(unknown);
        [of(0), of(1), cell, day_of(of(2))]
    }

    /// Keeps the rows of the last host and cell.
    fn keep(&mut self) {
        if let Some((key, of)) = self.last.take() {
            self.found.values.entry(key).or_default().extend(of);
        }
    }
}
