//! A table as Parquet, and whole runs within it.
//!
//! Each column has its own type and may be null; nothing is nested. A file of samples has one more
//! column, `record`, with each sample as the JSON that the store holds. The rest of the runs is in
//! the file's key-value metadata under [`KEY`], as [`json`](crate::json) writes them. From both,
//! the runs read back unchanged, while other programs see columns.
//!
//! The reader does not trust the file. It accepts pages of `record` only as we write them (plain,
//! not null, Snappy), and checks their uncompressed size before it unpacks them.
//!
//! Format: <https://parquet.apache.org/docs/file-format/>.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use ::parquet::column::page::{Page, PageReader};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::reader::FileReader;
use ::parquet::file::serialized_reader::{SerializedFileReader, SerializedPageReader};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{ColumnPath, Type};
use bytes::Bytes;
use stripewise_study::limits::{JsonMeter, OverLimit};
use stripewise_units::mark::is_version;

use crate::Source;
use crate::error::ReadError;
use crate::json::{EXPORT, Export, ExportedRun};
use crate::limits::{FILE_BYTES_MAX, PARQUET_METADATA_BYTES_MAX, SAMPLES_MAX};
use crate::samples;
use crate::table::{Column, Table, Values};

/// The first and last bytes of every Parquet file.
pub const MAGIC: &[u8] = b"PAR1";
/// The key of the runs in the file's metadata.
pub const KEY: &str = "stripewise";

/// The start of the writer's name in our files, before its version.
const CREATED_BY: &str = "stripewise ";
/// The name of the schema of our files.
const SCHEMA: &str = "stripewise";
/// How many bytes follow the metadata: its length in four bytes, little-endian, and [`MAGIC`].
pub(crate) const END_BYTES: usize = 8;

/// The column with whole samples.
const RECORD: &str = "record";
/// The rows of a group, which a reader holds in memory together.
const GROUP_ROWS: usize = 10_000;

/// Returns a file of samples, from which [`read`] restores the runs.
///
/// # Errors
/// None known.
pub fn samples(sources: &[Source<'_>]) -> Result<Vec<u8>, ParquetError> {
    let external = |error: serde_json::Error| ParquetError::External(Box::new(error));
    let table = samples::samples(sources);
    let runs: Vec<_> = sources.iter().map(|source| source.run).collect();
    let mut header = Export::of(&runs, ExportedRun::without_samples);
    header.sample_counts = Some(runs.iter().map(|run| run.samples.len()).collect());
    let header = serde_json::to_string(&header).map_err(external)?;
    let records = runs.iter().flat_map(|run| &run.samples);
    let records: Vec<ByteArray> = records
        .map(|record| Ok(ByteArray::from(serde_json::to_vec(record)?)))
        .collect::<Result<_, _>>()
        .map_err(external)?;
    file(&table, Some((header, &records)))
}

/// Returns a table that cannot be read back as runs.
///
/// # Errors
/// None known.
pub fn table(table: &Table) -> Result<Vec<u8>, ParquetError> {
    file(table, None)
}

/// Writes a file of columns and, for samples, the runs beside them.
fn file(table: &Table, whole: Option<(String, &[ByteArray])>) -> Result<Vec<u8>, ParquetError> {
    let mut fields: Vec<Arc<Type>> = Vec::new();
    for column in &table.columns {
        fields.push(Arc::new(field(column)?));
    }
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // Readers read the whole file: an index of pages would be half of a small one.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_created_by(format!("{CREATED_BY}{}", env!("CARGO_PKG_VERSION")));
    let mut records: &[ByteArray] = &[];
    let has_records = whole.is_some();
    if let Some((header, of_samples)) = whole {
        let text = Type::primitive_type_builder(RECORD, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::Json));
        fields.push(Arc::new(text.build()?));
        let path = ColumnPath::from(RECORD);
        properties = properties
            .set_key_value_metadata(Some(vec![KeyValue::new(KEY.to_owned(), header)]))
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_statistics_enabled(path.clone(), EnabledStatistics::None)
            .set_column_encoding(path, Encoding::PLAIN);
        records = of_samples;
    }
    let schema = Type::group_type_builder(SCHEMA).with_fields(fields);
    let (schema, properties) = (Arc::new(schema.build()?), Arc::new(properties.build()));
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    let row_count = table.row_count();
    for start in (0..row_count).step_by(GROUP_ROWS) {
        let rows = start..row_count.min(start + GROUP_ROWS);
        let mut group = writer.next_row_group()?;
        for column in &table.columns {
            write_column(&mut group, &column.values, rows.clone())?;
        }
        if has_records {
            write::<ByteArrayType>(&mut group, &records[rows], None)?;
        }
        group.close()?;
    }
    writer.into_inner()
}

/// Returns the type of a column.
fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.values {
        Values::Flags(_) => (Physical::BOOLEAN, None),
        Values::Counts(_) => (Physical::INT64, None),
        Values::Words(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Values::Numbers(_) => (Physical::DOUBLE, None),
        Values::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

fn write_column(
    group: &mut Group<'_>,
    values: &Values,
    rows: std::ops::Range<usize>,
) -> Result<(), ParquetError> {
    match values {
        Values::Flags(values) => {
            optional::<BoolType, _>(group, &values[rows], |value| Some(*value))
        }
        // No real count exceeds 2^63; `record` keeps the exact value anyway.
        Values::Counts(values) => {
            optional::<Int64Type, _>(group, &values[rows], |value| i64::try_from(*value).ok())
        }
        Values::Words(values) => {
            optional::<Int64Type, _>(group, &values[rows], |value| Some(value.cast_signed()))
        }
        Values::Numbers(values) => {
            optional::<DoubleType, _>(group, &values[rows], |value| Some(*value))
        }
        Values::Texts(values) => optional::<ByteArrayType, _>(group, &values[rows], |value| {
            Some(ByteArray::from(value.as_str()))
        }),
    }
}

/// Writes values, of which some may be missing.
fn optional<D: DataType, V>(
    group: &mut Group<'_>,
    values: &[Option<V>],
    convert: impl Fn(&V) -> Option<D::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<D::T>> = values
        .iter()
        .map(|value| value.as_ref().and_then(&convert))
        .collect();
    let levels: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
    let known: Vec<D::T> = values.into_iter().flatten().collect();
    write::<D>(group, &known, Some(&levels))
}

fn write<D: DataType>(
    group: &mut Group<'_>,
    values: &[D::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let unexpected = || ParquetError::General("more columns than the schema has".to_owned());
    let mut column = group.next_column()?.ok_or_else(unexpected)?;
    column.typed::<D>().write_batch(values, levels, None)?;
    column.close()
}

/// Returns whether a file is ours: its metadata names this program as its writer, and its schema
/// has our name. A program that changes the file writes a name of its own.
///
/// # Errors
/// If the file cannot be read.
pub fn is_ours(file: &File) -> std::io::Result<bool> {
    let mut end = [0; END_BYTES];
    let Some(place) = file.metadata()?.len().checked_sub(END_BYTES as u64) else {
        return Ok(false);
    };
    file.read_exact_at(&mut end, place)?;
    // The metadata is at the end: what stands before the table may be another program's.
    let mut start = [0; MAGIC.len()];
    file.read_exact_at(&mut start, 0)?;
    if start != MAGIC
        || metadata_length(&end).is_none_or(|length| length > PARQUET_METADATA_BYTES_MAX)
    {
        return Ok(false);
    }
    let Ok(metadata) = ParquetMetaDataReader::new().parse_and_finish(file) else {
        return Ok(false);
    };
    let metadata = metadata.file_metadata();
    let version = metadata
        .created_by()
        .and_then(|by| by.strip_prefix(CREATED_BY));
    Ok(version.is_some_and(is_version) && metadata.schema().name() == SCHEMA)
}

/// Reads the runs of a file that [`samples()`] made.
///
/// # Errors
/// [`ReadError`] if it is not an export, newer, cut short, or inconsistent.
pub fn read(bytes: &Bytes) -> Result<Vec<stripewise_results::Run>, ReadError> {
    refuse_large_metadata(bytes, bytes.len())?;
    let damaged = |source| ReadError::Parquet { source };
    let file = SerializedFileReader::new(bytes.clone()).map_err(damaged)?;
    let metadata = file.metadata();
    let pairs = metadata.file_metadata().key_value_metadata();
    let mut pairs = pairs.into_iter().flatten();
    let header = pairs.find(|pair| pair.key == KEY);
    let Some(header) = header.and_then(|pair| pair.value.as_ref()) else {
        let ours = metadata.file_metadata().created_by();
        let is_ours = ours.is_some_and(|name| name.starts_with(CREATED_BY));
        return Err(if is_ours {
            ReadError::OfCells
        } else {
            ReadError::Foreign
        });
    };
    let mut export = Export::read(header.as_bytes())?;
    let counts = export.sample_counts.take().unwrap_or_default();
    let mut records = Records::new();
    for group in metadata.row_groups() {
        let column = group
            .columns()
            .iter()
            .find(|column| column.column_path().string() == RECORD)
            .ok_or_else(|| ReadError::invalid("it has no samples"))?;
        let is_sane = column.data_page_offset() >= 0
            && column.dictionary_page_offset().is_none()
            && column.compressed_size() >= 0;
        if !is_sane || column.compression() != Compression::SNAPPY {
            return Err(ReadError::invalid(
                "its samples are not encoded as we write them",
            ));
        }
        // Read the pages as compressed bytes: their size is checked before they are unpacked.
        let packed = column.clone().into_builder();
        let packed = packed.set_compression(Compression::UNCOMPRESSED).build();
        let packed = packed.map_err(damaged)?;
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        let pages = SerializedPageReader::new(Arc::new(bytes.clone()), &packed, rows, None);
        records.read(pages.map_err(damaged)?)?;
    }
    distribute(export, &counts, records.samples)
}

/// Returns how many bytes of metadata a file that ends with these bytes has.
fn metadata_length(bytes: &[u8]) -> Option<usize> {
    let (_, length) = bytes.strip_suffix(MAGIC)?.split_last_chunk()?;
    Some(usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX))
}

/// Refuses a file of so many bytes, which ends with `end`, whose metadata would take more memory than that of
/// any export.
pub(crate) fn refuse_large_metadata(end: &[u8], bytes: usize) -> Result<(), ReadError> {
    let length = metadata_length(end).filter(|_| bytes >= MAGIC.len() + END_BYTES);
    let length = length.ok_or(ReadError::Truncated)?;
    if (PARQUET_METADATA_BYTES_MAX + 1..bytes).contains(&length) {
        return Err(ReadError::invalid(format!(
            "its metadata has {length} bytes, the limit is {PARQUET_METADATA_BYTES_MAX}"
        )));
    }
    Ok(())
}

/// Gives each run its samples.
fn distribute(
    export: Export<'static>,
    counts: &[usize],
    samples: Vec<stripewise_study::sample::SampleRecord>,
) -> Result<Vec<stripewise_results::Run>, ReadError> {
    let wanted = counts
        .iter()
        .try_fold(0_usize, |sum, n| sum.checked_add(*n));
    if counts.len() != export.runs.len() || wanted != Some(samples.len()) {
        return Err(ReadError::invalid("it has too few or too many samples"));
    }
    let mut samples = samples.into_iter();
    let runs = export.runs.into_iter().zip(counts);
    runs.map(|(mut run, count)| {
        run.samples = samples.by_ref().take(*count).collect();
        run.check()
    })
    .collect()
}

/// Samples as they come out of pages.
struct Records {
    samples: Vec<stripewise_study::sample::SampleRecord>,
    /// How much text was unpacked.
    unpacked_bytes: u64,
    /// The limits over all samples together.
    meter: JsonMeter<'static>,
}

impl Records {
    fn new() -> Self {
        Self {
            samples: Vec::new(),
            unpacked_bytes: 0,
            meter: JsonMeter::new(&EXPORT),
        }
    }

    /// Reads every sample of a column's pages.
    fn read(&mut self, mut pages: impl PageReader) -> Result<(), ReadError> {
        let other = || ReadError::invalid("its samples are not encoded as we write them");
        while let Some(page) = pages
            .get_next_page()
            .map_err(|source| ReadError::Parquet { source })?
        {
            let Page::DataPage {
                buf,
                encoding: Encoding::PLAIN,
                ..
            } = page
            else {
                return Err(other());
            };
            let length = snap::raw::decompress_len(&buf).map_err(|_| other())?;
            // Snappy packs 64 bytes into 3 at best, so a higher ratio is forged.
            if length > buf.len().saturating_mul(32) {
                return Err(other());
            }
            let more = u64::try_from(length).unwrap_or(u64::MAX);
            self.unpacked_bytes = self.unpacked_bytes.saturating_add(more);
            if self.unpacked_bytes > FILE_BYTES_MAX {
                return Err(ReadError::invalid(format!(
                    "its samples unpack to at least {} MiB, the limit is {} MiB",
                    self.unpacked_bytes >> 20,
                    FILE_BYTES_MAX >> 20
                )));
            }
            let text = snap::raw::Decoder::new().decompress_vec(&buf);
            self.read_texts(&text.map_err(|_| other())?)?;
        }
        Ok(())
    }

    /// Reads the texts of a page: each after its length in four bytes, little-endian.
    fn read_texts(&mut self, mut page: &[u8]) -> Result<(), ReadError> {
        let other = || ReadError::invalid("a sample is cut short");
        while let Some((length, rest)) = page.split_first_chunk() {
            let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| other())?;
            let (text, rest) = rest.split_at_checked(length).ok_or_else(other)?;
            let number = self.samples.len();
            self.meter.check(text).map_err(|over| {
                let place = format!("{} of sample {number}", over.place);
                ReadError::OverLimit(OverLimit { place, ..over })
            })?;
            if self.samples.len() == SAMPLES_MAX {
                return Err(ReadError::invalid(format!(
                    "it has more than {SAMPLES_MAX} samples, which is the limit"
                )));
            }
            let sample = serde_json::from_slice(text);
            let sample = sample.map_err(|source| ReadError::Malformed { source })?;
            self.samples.push(sample);
            page = rest;
        }
        match page.is_empty() {
            true => Ok(()),
            false => Err(other()),
        }
    }
}
