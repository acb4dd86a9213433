//! Reads single columns of a CSV file that any program wrote, some thousand rows at a time.
//!
//! The first line names the columns. Fields are separated by commas, or by semicolons or tabs if the first line
//! has these and no comma. An empty field has no value.

use std::fs::File;
use std::io::{BufRead as _, BufReader};

use ::csv::{ReaderBuilder, StringRecord};
use ::parquet::data_type::ByteArray;

use crate::columns::Column;
use crate::error::ReadError;

/// How many rows are read at once.
const BATCH_ROWS: usize = 1 << 16;
/// The largest file that is read: a field without an end may be all of it.
const BYTES_MAX: u64 = 1 << 30;

/// Which columns are read, and what their values are. The others are text.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The names of all.
    pub all: &'a [&'a str],
    /// Those of numbers. One with another value is text.
    pub numbers: &'a [&'a str],
    /// Those of flags: `true` or `false`.
    pub flags: &'a [&'a str],
}

/// Gives `take` the columns `wanted` of some rows of a file, with the count of these rows; `None` for a
/// column that the file lacks.
///
/// # Errors
/// [`ReadError::Csv`] if its lines have different numbers of fields, it is no text, a column that is read is
/// there twice, or it is larger than 1 GiB.
pub fn each_batch(
    file: File,
    wanted: Wanted<'_>,
    mut take: impl FnMut(usize, &[Option<Column>]),
) -> Result<(), ReadError> {
    let failed = |error: ::csv::Error| refused(error.to_string());
    let length = file
        .metadata()
        .map_err(|error| refused(error.to_string()))?;
    if length.len() > BYTES_MAX {
        return Err(refused(format!(
            "it is larger than {} MiB",
            BYTES_MAX >> 20
        )));
    }
    let mut file = BufReader::new(file);
    let start = file
        .fill_buf()
        .map_err(|error| refused(error.to_string()))?;
    let delimiter = separator(start);
    let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(file);
    let places = places(reader.headers().map_err(failed)?, wanted.all)?;
    let mut record = StringRecord::new();
    loop {
        let mut texts: Vec<Vec<Option<String>>> = vec![Vec::new(); places.len()];
        let mut rows = 0;
        while rows < BATCH_ROWS && reader.read_record(&mut record).map_err(failed)? {
            for (texts, place) in texts.iter_mut().zip(&places) {
                let field = place.and_then(|place| record.get(place)).map(str::trim);
                texts.push(field.filter(|text| !text.is_empty()).map(str::to_owned));
            }
            rows += 1;
        }
        if rows == 0 {
            return Ok(());
        }
        let columns = texts.into_iter().zip(wanted.all).zip(&places);
        let columns: Vec<Option<Column>> = columns
            .map(|((texts, name), place)| place.is_some().then(|| column(texts, name, wanted)))
            .collect();
        take(rows, &columns);
    }
}

fn refused(what: String) -> ReadError {
    ReadError::Csv { what }
}

/// Returns what separates the fields of the first line.
fn separator(start: &[u8]) -> u8 {
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or(start);
    let has = |byte: &u8| line.contains(byte);
    let found = [b',', b';', b'\t'].into_iter().find(has);
    found.unwrap_or(b',')
}

/// Returns where the columns are.
fn places(header: &StringRecord, wanted: &[&str]) -> Result<Vec<Option<usize>>, ReadError> {
    let names: Vec<&str> = header
        .iter()
        .map(|name| name.trim_start_matches('\u{feff}').trim())
        .collect();
    let place = |wanted: &&str| {
        let mut found = (0..names.len()).filter(|place| names[*place] == *wanted);
        let first = found.next();
        match found.next() {
            Some(_) => Err(refused(format!("two of its columns are called `{wanted}`"))),
            None => Ok(first),
        }
    };
    wanted.iter().map(place).collect()
}

fn column(texts: Vec<Option<String>>, name: &str, wanted: Wanted<'_>) -> Column {
    if wanted.numbers.contains(&name)
        && let Some(numbers) = parsed(&texts)
    {
        return Column::Numbers(numbers);
    }
    if wanted.flags.contains(&name)
        && let Some(flags) = flags(&texts)
    {
        return Column::Flags(flags);
    }
    let bytes = texts.into_iter();
    Column::Texts(
        bytes
            .map(|text| Some(ByteArray::from(text?.into_bytes())))
            .collect(),
    )
}

/// Returns the numbers; `None` if a text is none.
fn parsed(texts: &[Option<String>]) -> Option<Vec<Option<f64>>> {
    let number = |text: &Option<String>| match text {
        Some(text) => text.parse().ok().map(Some),
        None => Some(None),
    };
    texts.iter().map(number).collect()
}

/// Returns the flags, however other programs write them; `None` if a text is none.
fn flags(texts: &[Option<String>]) -> Option<Vec<Option<bool>>> {
    let flag = |text: &Option<String>| match text.as_deref() {
        Some("true" | "True" | "TRUE" | "1") => Some(Some(true)),
        Some("false" | "False" | "FALSE" | "0") => Some(Some(false)),
        Some(_) => None,
        None => Some(None),
    };
    texts.iter().map(flag).collect()
}
