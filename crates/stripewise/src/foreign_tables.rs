//! Rows of Parquet and CSV files that any program wrote.

use std::collections::{BTreeMap, HashMap};
use std::error::Error as _;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use stripewise_export::columns::{self, Column};
use stripewise_export::csv_columns::{self, Wanted};
use stripewise_export::read::ReadError;

use crate::failure::{Failure, Result};
use crate::input_file;
use crate::parquet_files::is_csv;

/// The column that says whether a row counts.
pub(crate) const COUNTED: &str = "counted";

/// Gives `take` the columns `wanted` of some rows of a file, with the count of these rows; `None` for a column
/// that the file lacks. A file is CSV if its name ends with `.csv`. `numbers` are the columns of numbers.
///
/// # Errors
/// If the file cannot be read, with its path.
pub(crate) fn each_batch(
    path: &Path,
    wanted: &[&str],
    numbers: &[&str],
    take: impl FnMut(usize, &[Option<Column>]),
) -> Result<()> {
    let file = opened(path)?;
    let flags: &[&str] = &[COUNTED];
    let wanted_of_csv = Wanted {
        all: wanted,
        numbers,
        flags,
    };
    let read = match is_csv(path) {
        true => csv_columns::each_batch(file, wanted_of_csv, take),
        false => columns::each_batch(file, wanted, take),
    };
    read.map_err(|error| {
        let source = error.source().map(|source| format!(": {source}"));
        let failure = failed(path, &format!("{error}{}", source.unwrap_or_default()));
        match error {
            ReadError::Packing { .. } | ReadError::ColumnType { .. } | ReadError::Csv { .. } => {
                failure.hint(error.hint())
            }
            _ => failure,
        }
    })
}

/// Returns the failure to read a file.
pub(crate) fn failed(path: &Path, why: &str) -> Failure {
    Failure::new(format!("failed to read `{}`: {why}", path.display()))
}

/// Returns the first column that the file has.
pub(crate) fn first(columns: &[Option<Column>]) -> Option<(usize, &Column)> {
    let mut columns = columns.iter().enumerate();
    columns.find_map(|(place, column)| Some((place, column.as_ref()?)))
}

/// The texts that rows share, each once.
#[derive(Default)]
pub(crate) struct Texts {
    numbers: HashMap<String, u32>,
    all: Vec<String>,
}

impl Texts {
    /// Returns the number of a text.
    pub(crate) fn number(&mut self, text: String) -> u32 {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).expect("fewer texts than rows of memory");
        self.all.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    /// Returns the text of a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        let index = usize::try_from(number).ok();
        index
            .and_then(|index| self.all.get(index))
            .map_or("", String::as_str)
    }
}

/// Files by size and content: a folder that was copied, or a run that was exported twice.
#[derive(Default)]
pub(crate) struct Copies {
    /// The first file of each size, and then a hash of all files of that size.
    by_size: BTreeMap<u64, (PathBuf, Vec<u64>)>,
    /// The copies.
    pub(crate) found: Vec<String>,
}

impl Copies {
    /// Returns whether an earlier file has the same content.
    pub(crate) fn is_copy(&mut self, path: &Path) -> Result<bool> {
        let file = opened(path)?;
        let size = file.metadata().map_or(0, |of| of.len());
        let Some((first, hashes)) = self.by_size.get_mut(&size) else {
            self.by_size.insert(size, (path.to_owned(), Vec::new()));
            return Ok(false);
        };
        if hashes.is_empty() {
            hashes.push(hash(opened(first)?, first)?);
        }
        let own = hash(file, path)?;
        let is_copy = hashes.contains(&own);
        match is_copy {
            true => self.found.push(path.display().to_string()),
            false => hashes.push(own),
        }
        Ok(is_copy)
    }
}

fn opened(path: &Path) -> Result<File> {
    input_file::open(path)
        .map_err(|failure| failure.context(format!("failed to read `{}`", path.display())))
}

fn hash(mut file: File, path: &Path) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let count = file
            .read(&mut buffer)
            .map_err(|error| failed(path, &error.to_string()))?;
        match count {
            0 => return Ok(hasher.finish()),
            _ => hasher.write(&buffer[..count]),
        }
    }
}
