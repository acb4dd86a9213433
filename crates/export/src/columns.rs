//! Reads single columns of a flat Parquet file that any program wrote, one group of rows at a time.
//!
//! Columns may be optional, and are text, numbers or flags. Pages are plain or packed with Snappy;
//! other packings are refused by the library, by name.

use std::fs::File;

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::FileReader;
use ::parquet::file::serialized_reader::SerializedFileReader;

use crate::error::ReadError;

/// The values of a column in one group of rows; `None` if a row has none.
#[derive(Debug, Clone)]
pub enum Column {
    /// Text.
    Texts(Vec<Option<ByteArray>>),
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Yes or no.
    Flags(Vec<Option<bool>>),
}

impl Column {
    /// Returns the text of a row: also that of a whole number. `None` without one.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Column::Texts(texts) => {
                let text = texts.get(row)?.as_ref()?;
                Some(String::from_utf8_lossy(text.data()).into_owned())
            }
            Column::Numbers(numbers) => Some((*numbers.get(row)?)?.to_string()),
            Column::Flags(_) => None,
        }
    }

    /// Returns the number of a row.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Column::Numbers(numbers) => *numbers.get(row)?,
            Column::Texts(_) | Column::Flags(_) => None,
        }
    }

    /// Returns whether a row has the value of the row before it.
    pub fn is_same(&self, row: usize) -> bool {
        fn same<T: PartialEq>(values: &[T], row: usize) -> bool {
            let before = row.checked_sub(1).and_then(|before| values.get(before));
            before.is_some() && before == values.get(row)
        }
        match self {
            Column::Texts(texts) => same(texts, row),
            Column::Numbers(numbers) => same(numbers, row),
            Column::Flags(flags) => same(flags, row),
        }
    }

    /// Returns the flag of a row.
    pub fn flag(&self, row: usize) -> Option<bool> {
        match self {
            Column::Flags(flags) => *flags.get(row)?,
            Column::Texts(_) | Column::Numbers(_) => None,
        }
    }
}

/// Gives `take` the columns `wanted` of each group of rows of a file, with the count of its rows;
/// `None` for a column that the file lacks.
///
/// # Errors
/// [`ReadError::Parquet`] if it is no Parquet file, is damaged, is packed in a way that is not read, or a
/// wanted column has a type that is not read.
pub fn each_group(
    file: File,
    wanted: &[&str],
    mut take: impl FnMut(usize, &[Option<Column>]),
) -> Result<(), ReadError> {
    let damaged = |source| ReadError::Parquet { source };
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let place = |name: &&str| {
        let mut columns = schema.columns().iter();
        columns.position(|column| column.path().string() == **name)
    };
    let places: Vec<Option<usize>> = wanted.iter().map(place).collect();
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(damaged)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let mut columns = Vec::new();
        for place in &places {
            let column = match place {
                Some(place) => {
                    let reader = group.get_column_reader(*place).map_err(damaged)?;
                    Some(read(reader, rows).map_err(damaged)?)
                }
                None => None,
            };
            columns.push(column);
        }
        take(rows, &columns);
    }
    Ok(())
}

fn read(reader: ColumnReader, rows: usize) -> Result<Column, ParquetError> {
    Ok(match reader {
        ColumnReader::ByteArrayColumnReader(reader) => Column::Texts(values(reader, rows, |v| v)?),
        ColumnReader::DoubleColumnReader(reader) => Column::Numbers(values(reader, rows, |v| v)?),
        ColumnReader::FloatColumnReader(reader) => {
            Column::Numbers(values(reader, rows, f64::from)?)
        }
        ColumnReader::Int32ColumnReader(reader) => {
            Column::Numbers(values(reader, rows, f64::from)?)
        }
        ColumnReader::Int64ColumnReader(reader) => Column::Numbers(values(reader, rows, real)?),
        ColumnReader::BoolColumnReader(reader) => Column::Flags(values(reader, rows, |v| v)?),
        _ => {
            let message = "a column has a type that is not read: text, numbers and flags are";
            return Err(ParquetError::General(message.to_owned()));
        }
    })
}

/// Returns a whole number as a real one.
#[expect(
    clippy::cast_precision_loss,
    reason = "a measured number has fewer digits"
)]
fn real(value: i64) -> f64 {
    value as f64
}

fn values<D: DataType, V>(
    mut reader: ColumnReaderImpl<D>,
    rows: usize,
    convert: impl Fn(D::T) -> V,
) -> Result<Vec<Option<V>>, ParquetError> {
    let (mut levels, mut known) = (Vec::new(), Vec::new());
    let mut count = 0;
    while count < rows {
        let (records, _, _) =
            reader.read_records(rows - count, Some(&mut levels), None, &mut known)?;
        if records == 0 {
            let message = format!("a column ends after {count} of {rows} rows");
            return Err(ParquetError::General(message));
        }
        count += records;
    }
    let mut known = known.into_iter().map(convert);
    // A column that cannot be null has no levels.
    if levels.is_empty() {
        return Ok(known.map(Some).collect());
    }
    let values = levels.iter().map(|level| match level {
        0 => None,
        _ => known.next(),
    });
    Ok(values.collect())
}
