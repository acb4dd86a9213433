//! Reads single columns of a flat Parquet file that any program wrote, some thousand rows at a time.
//!
//! Columns may be optional, and are text, numbers, flags, dates or times. Pages are plain or packed with
//! Snappy, gzip or Zstandard. We unpack them within limits; the library sees plain pages.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use ::parquet::basic::{
    Compression, ConvertedType, Encoding, LogicalType, TimeUnit, Type as Physical,
};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::RowGroupMetaData;
use ::parquet::file::reader::FileReader;
use ::parquet::file::serialized_reader::{SerializedFileReader, SerializedPageReader};
use ::parquet::schema::types::ColumnDescriptor;
use bytes::Bytes;
use stripewise_packing::{Packing, unpack};

use crate::error::ReadError;
use crate::parquet::{END_BYTES, refuse_large_metadata};

/// How many rows are read at once.
const BATCH_ROWS: usize = 1 << 16;
/// The most bytes that a page unpacks to.
const PAGE_BYTES_MAX: usize = 256 << 20;

const DAY_US: i64 = 86_400_000_000;
/// The Julian day of 1970-01-01.
const JULIAN_DAY_OF_1970: i64 = 2_440_588;

/// The values of a column in some rows; `None` if a row has none.
#[derive(Debug, Clone)]
pub enum Column {
    /// Text.
    Texts(Vec<Option<ByteArray>>),
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Yes or no.
    Flags(Vec<Option<bool>>),
    /// Times, in µs since 1970-01-01.
    Times {
        /// The times.
        unix_us: Vec<Option<i64>>,
        /// Whether they are in UTC; those of a calendar have no zone, and dates are midnights.
        is_utc: bool,
    },
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
            Column::Flags(_) | Column::Times { .. } => None,
        }
    }

    /// Returns the number of a row.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Column::Numbers(numbers) => *numbers.get(row)?,
            _ => None,
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
            Column::Times { unix_us, .. } => same(unix_us, row),
        }
    }

    /// Returns the flag of a row.
    pub fn flag(&self, row: usize) -> Option<bool> {
        match self {
            Column::Flags(flags) => *flags.get(row)?,
            _ => None,
        }
    }

    /// Returns what its values are, for a message.
    pub const fn kind(&self) -> &'static str {
        match self {
            Column::Texts(_) => "text",
            Column::Numbers(_) => "numbers",
            Column::Flags(_) => "flags",
            Column::Times { .. } => "times",
        }
    }
}

/// Gives `take` the columns `wanted` of some rows of a file, with the count of these rows; `None` for a
/// column that the file lacks.
///
/// # Errors
/// [`ReadError::Parquet`] if it is no Parquet file or damaged, [`ReadError::Packing`] or
/// [`ReadError::ColumnType`] if a wanted column cannot be read.
pub fn each_batch(
    file: File,
    wanted: &[&str],
    mut take: impl FnMut(usize, &[Option<Column>]),
) -> Result<(), ReadError> {
    let damaged = |source| ReadError::Parquet { source };
    refuse_metadata(&file).map_err(|error| ReadError::Parquet {
        source: ParquetError::External(Box::new(error)),
    })??;
    let file = Arc::new(file);
    let copy = file
        .try_clone()
        .map_err(ParquetError::from)
        .map_err(damaged)?;
    let reader = SerializedFileReader::new(copy).map_err(damaged)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let place = |name: &&str| {
        let mut columns = schema.columns().iter();
        columns.position(|column| column.path().string() == **name)
    };
    let places: Vec<Option<usize>> = wanted.iter().map(place).collect();
    for group in reader.metadata().row_groups() {
        let mut readers = Vec::new();
        for place in &places {
            let open = |place| Typed::open(&file, group, place);
            readers.push(place.map(open).transpose()?);
        }
        let mut left = usize::try_from(group.num_rows()).unwrap_or(0);
        while left > 0 {
            let rows = left.min(BATCH_ROWS);
            let mut columns = Vec::new();
            for reader in &mut readers {
                let read = reader.as_mut().map(|reader| reader.read(rows));
                columns.push(read.transpose().map_err(damaged)?);
            }
            take(rows, &columns);
            left -= rows;
        }
    }
    Ok(())
}

/// Refuses a file whose metadata would take too much memory.
fn refuse_metadata(file: &File) -> std::io::Result<Result<(), ReadError>> {
    let length = file.metadata()?.len();
    let Some(place) = length.checked_sub(END_BYTES as u64) else {
        return Ok(Err(ReadError::Foreign));
    };
    let mut end = [0; END_BYTES];
    file.read_exact_at(&mut end, place)?;
    Ok(refuse_large_metadata(
        &end,
        usize::try_from(length).unwrap_or(usize::MAX),
    ))
}

/// How the values of a column are converted.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Flag,
    Signed,
    Unsigned,
    /// A number whose last so many digits follow the point.
    Decimal(i32),
    /// Days since 1970-01-01.
    Day,
    /// µs for each unit, or units for each µs, and whether it is UTC.
    Time(i64, i64, bool),
}

impl Kind {
    /// Returns the kind of a column, or what its values are if they are not read.
    fn of(column: &ColumnDescriptor) -> Result<Self, &'static str> {
        if column.max_rep_level() > 0 {
            return Err("lists");
        }
        let physical = column.physical_type();
        let times = |unit: &TimeUnit, is_utc| match unit {
            TimeUnit::MILLIS => Kind::Time(1000, 1, is_utc),
            TimeUnit::MICROS => Kind::Time(1, 1, is_utc),
            TimeUnit::NANOS => Kind::Time(1, 1000, is_utc),
        };
        let converted = column.converted_type();
        match column.logical_type_ref() {
            Some(LogicalType::Decimal(decimal)) => return Ok(Kind::Decimal(decimal.scale)),
            Some(LogicalType::Date) => return Ok(Kind::Day),
            Some(LogicalType::Timestamp(of)) => {
                return Ok(times(&of.unit, of.is_adjusted_to_u_t_c));
            }
            Some(LogicalType::Integer(of)) if !of.is_signed => return Ok(Kind::Unsigned),
            Some(LogicalType::Time(_)) => return Err("times of day"),
            Some(LogicalType::Uuid) => return Err("UUIDs"),
            Some(LogicalType::Float16) => return Err("numbers of 16 bits"),
            _ => {}
        }
        match (converted, physical) {
            (ConvertedType::DECIMAL, _) => Ok(Kind::Decimal(column.type_scale())),
            (ConvertedType::DATE, _) => Ok(Kind::Day),
            (ConvertedType::TIMESTAMP_MILLIS, _) => Ok(times(&TimeUnit::MILLIS, true)),
            (ConvertedType::TIMESTAMP_MICROS, _) => Ok(times(&TimeUnit::MICROS, true)),
            (ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS, _) => Err("times of day"),
            (
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64,
                _,
            ) => Ok(Kind::Unsigned),
            (_, Physical::BYTE_ARRAY) => Ok(Kind::Text),
            (_, Physical::BOOLEAN) => Ok(Kind::Flag),
            (_, Physical::INT96) => Ok(Kind::Time(1, 1, true)),
            (_, Physical::FIXED_LEN_BYTE_ARRAY) => Err("bytes of a fixed length"),
            _ => Ok(Kind::Signed),
        }
    }

    fn number(self, signed: i64, unsigned: u64) -> f64 {
        match self {
            Kind::Unsigned => unsigned_real(unsigned),
            Kind::Decimal(scale) => real(signed) / 10_f64.powi(scale),
            _ => real(signed),
        }
    }

    /// Returns a time in µs; `None` beyond what a number holds.
    fn unix_us(self, value: i64) -> Option<i64> {
        match self {
            Kind::Day => value.checked_mul(DAY_US),
            Kind::Time(multiply, divide, _) => {
                Some(value.checked_mul(multiply)?.div_euclid(divide))
            }
            _ => None,
        }
    }

    /// Returns whether its values are times, and if so whether they are in UTC.
    const fn time(self) -> Option<bool> {
        match self {
            Kind::Day => Some(false),
            Kind::Time(_, _, is_utc) => Some(is_utc),
            _ => None,
        }
    }
}

/// A column of a group of rows.
struct Typed {
    reader: ColumnReader,
    kind: Kind,
}

impl Typed {
    fn open(file: &Arc<File>, group: &RowGroupMetaData, place: usize) -> Result<Self, ReadError> {
        let damaged = |source| ReadError::Parquet { source };
        let chunk = group.column(place);
        let descriptor = chunk.column_descr_ptr();
        let column = || descriptor.path().string();
        let kind = Kind::of(&descriptor).map_err(|found| ReadError::ColumnType {
            column: column(),
            found,
        })?;
        let refused = |packing| {
            Err(ReadError::Packing {
                column: column(),
                packing,
            })
        };
        let codec = match chunk.compression() {
            Compression::UNCOMPRESSED => Codec::Packing(Packing::Plain),
            Compression::SNAPPY => Codec::Snappy,
            Compression::GZIP(_) => Codec::Packing(Packing::Gzip),
            Compression::ZSTD(_) => Codec::Packing(Packing::Zstd),
            Compression::BROTLI(_) => return refused("Brotli"),
            Compression::LZO => return refused("LZO"),
            Compression::LZ4 | Compression::LZ4_RAW => return refused("LZ4"),
        };
        // The library panics at places before the start of a file.
        let is_sane = chunk.data_page_offset() >= 0
            && chunk
                .dictionary_page_offset()
                .is_none_or(|place| place >= 0)
            && chunk.compressed_size() >= 0;
        if !is_sane {
            return Err(ReadError::invalid("its columns begin before the file"));
        }
        let packed = chunk.clone().into_builder();
        let packed = packed.set_compression(Compression::UNCOMPRESSED).build();
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        let pages = packed
            .and_then(|packed| SerializedPageReader::new(Arc::clone(file), &packed, rows, None));
        let pages = Unpacking {
            pages: pages.map_err(damaged)?,
            codec,
            has_dictionary: false,
        };
        Ok(Self {
            reader: get_column_reader(descriptor.clone(), Box::new(pages)),
            kind,
        })
    }

    fn read(&mut self, rows: usize) -> Result<Column, ParquetError> {
        let kind = self.kind;
        let unexpected = || {
            let message = "a column has another type than its description".to_owned();
            Err(ParquetError::General(message))
        };
        if let Some(is_utc) = kind.time() {
            let unix_us = match &mut self.reader {
                ColumnReader::Int32ColumnReader(reader) => {
                    values(reader, rows, |v| kind.unix_us(v.into()))
                }
                ColumnReader::Int64ColumnReader(reader) => {
                    values(reader, rows, |v| kind.unix_us(v))
                }
                ColumnReader::Int96ColumnReader(reader) => values(reader, rows, |v| {
                    let [low, high, day] = *v.data() else {
                        return None;
                    };
                    let of_day = (i64::from(high) << 32 | i64::from(low)) / 1000;
                    let days = i64::from(day) - JULIAN_DAY_OF_1970;
                    days.checked_mul(DAY_US)?.checked_add(of_day)
                }),
                _ => return unexpected(),
            };
            return Ok(Column::Times {
                unix_us: unix_us?.into_iter().map(Option::flatten).collect(),
                is_utc,
            });
        }
        Ok(match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) if matches!(kind, Kind::Text) => {
                Column::Texts(values(reader, rows, |v| v)?)
            }
            ColumnReader::DoubleColumnReader(reader) => {
                Column::Numbers(values(reader, rows, |v| v)?)
            }
            ColumnReader::FloatColumnReader(reader) => {
                Column::Numbers(values(reader, rows, f64::from)?)
            }
            ColumnReader::Int32ColumnReader(reader) => {
                Column::Numbers(values(reader, rows, |v| {
                    kind.number(v.into(), v.cast_unsigned().into())
                })?)
            }
            ColumnReader::Int64ColumnReader(reader) => {
                Column::Numbers(values(reader, rows, |v| kind.number(v, v.cast_unsigned()))?)
            }
            ColumnReader::BoolColumnReader(reader) => Column::Flags(values(reader, rows, |v| v)?),
            ColumnReader::ByteArrayColumnReader(reader) => {
                Column::Numbers(values(reader, rows, |v| big_endian(v.data(), kind))?)
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                Column::Numbers(values(reader, rows, |v| big_endian(v.data(), kind))?)
            }
            ColumnReader::Int96ColumnReader(_) => return unexpected(),
        })
    }
}

/// Returns a decimal number, whose digits are a whole number in two's complement, the highest byte first.
fn big_endian(bytes: &[u8], kind: Kind) -> f64 {
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let sign = if is_negative { -1.0 } else { 0.0 };
    let value = bytes
        .iter()
        .fold(sign, |value, byte| value * 256.0 + f64::from(*byte));
    match kind {
        Kind::Decimal(scale) => value / 10_f64.powi(scale),
        _ => value,
    }
}

/// Returns a whole number as a real one.
#[expect(
    clippy::cast_precision_loss,
    reason = "a measured number has fewer digits"
)]
fn real(value: i64) -> f64 {
    value as f64
}

/// Returns a whole number without a sign as a real one.
#[expect(
    clippy::cast_precision_loss,
    reason = "a measured number has fewer digits"
)]
fn unsigned_real(value: u64) -> f64 {
    value as f64
}

fn values<D: DataType, V>(
    reader: &mut ColumnReaderImpl<D>,
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

/// How pages are packed.
#[derive(Debug, Clone, Copy)]
enum Codec {
    Snappy,
    Packing(Packing),
}

impl Codec {
    fn unpack(self, bytes: &Bytes) -> Result<Bytes, ParquetError> {
        let damaged = |what: String| ParquetError::General(format!("a page is damaged: {what}"));
        match self {
            Codec::Packing(Packing::Plain) => Ok(bytes.clone()),
            // Nothing is packed into nothing.
            _ if bytes.is_empty() => Ok(Bytes::new()),
            Codec::Packing(packing) => unpack(bytes, packing, PAGE_BYTES_MAX)
                .map(Bytes::from)
                .map_err(|error| damaged(error.to_string())),
            Codec::Snappy => {
                let length = snap::raw::decompress_len(bytes);
                let length = length.map_err(|error| damaged(error.to_string()))?;
                if length > PAGE_BYTES_MAX {
                    return Err(damaged(format!("it unpacks to {length} bytes")));
                }
                let unpacked = snap::raw::Decoder::new().decompress_vec(bytes);
                unpacked
                    .map(Bytes::from)
                    .map_err(|error| damaged(error.to_string()))
            }
        }
    }
}

/// Unpacks the pages of a reader that takes them for plain ones.
struct Unpacking<R> {
    pages: R,
    codec: Codec,
    /// Whether a dictionary was read: the library panics at values of one that there is not.
    has_dictionary: bool,
}

impl<R: PageReader> PageReader for Unpacking<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let Some(mut page) = self.pages.get_next_page()? else {
            return Ok(None);
        };
        let is_of_dictionary = match &page {
            Page::DictionaryPage { .. } => {
                self.has_dictionary = true;
                false
            }
            Page::DataPage { encoding, .. } | Page::DataPageV2 { encoding, .. } => {
                matches!(
                    encoding,
                    Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY
                )
            }
        };
        if is_of_dictionary && !self.has_dictionary {
            let message = "the dictionary of a column is missing".to_owned();
            return Err(ParquetError::General(message));
        }
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
                *buf = self.codec.unpack(buf)?;
            }
            // Levels are before the values, and not packed with them.
            Page::DataPageV2 {
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                ..
            } => {
                let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                let levels = usize::try_from(levels).ok().filter(|of| *of <= buf.len());
                let Some(levels) = levels else {
                    let message = "the levels of a page are longer than the page".to_owned();
                    return Err(ParquetError::General(message));
                };
                if *is_compressed {
                    let values = self.codec.unpack(&buf.slice(levels..))?;
                    *buf = [&buf[..levels], &values].concat().into();
                    *is_compressed = false;
                }
            }
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.pages.skip_next_page()
    }
}

impl<R: PageReader> Iterator for Unpacking<R> {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
