//! A Parquet file that another program wrote is refused, or holds runs that can be shown.
//!
//! The failure: a script read an export into a data frame, "repaired" a column, and saved it again. It
//! was imported, and its means were below the shortest latencies.
//!
//! Copies of our own file are written through the library, with other values, types, encodings, rows
//! and metadata. `STRIPEWISE_TEST_REWRITTEN=N` writes N of them: 20,000 in `make soak`.

use std::sync::Arc;

use crate::support::{document, run};
use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde_json::{Value, json};
use stripewise_export::parquet::{KEY, samples};
use stripewise_export::read::read;
use stripewise_export::{Source, json};
use stripewise_fixtures::{Numbers, seed};

/// The default number of files.
const FILES: usize = 300;

/// The parts of a file.
struct Parts {
    header: String,
    records: Vec<String>,
}

impl Parts {
    fn of_our_file() -> Self {
        let run = run();
        let document = document(&run);
        let source = Source {
            run: &run,
            document: &document,
        };
        let file = bytes::Bytes::from(samples(&[source]).unwrap());
        let reader = SerializedFileReader::new(file).unwrap();
        let pairs = reader.metadata().file_metadata().key_value_metadata();
        let mut pairs = pairs.unwrap().iter();
        let header = pairs.find(|pair| pair.key == KEY).unwrap();
        let text = json::write(&[&run]).unwrap();
        let whole: Value = serde_json::from_slice(&text).unwrap();
        let records = whole["runs"][0]["samples"].as_array().unwrap();
        Self {
            header: header.value.clone().unwrap(),
            records: records.iter().map(Value::to_string).collect(),
        }
    }
}

/// Returns a value that has no place in a sample, or hardly any.
fn absurd(numbers: &mut Numbers) -> Value {
    let values = [
        json!(null),
        json!(-1),
        json!(0),
        json!(-0.5),
        json!(1e15),
        json!(1e308),
        json!(u64::MAX),
        json!("NaN"),
        json!(""),
        json!([]),
        json!({}),
        json!(true),
    ];
    let index = usize::try_from(numbers.below(values.len() as u64)).unwrap();
    values[index].clone()
}

/// Replaces, removes or repeats a value of a document, at any depth.
fn change(value: &mut Value, numbers: &mut Numbers) {
    let below =
        |count: usize, numbers: &mut Numbers| usize::try_from(numbers.below(count as u64)).unwrap();
    let goes_on = numbers.below(5) > 0;
    match value {
        Value::Array(list) if goes_on && !list.is_empty() => {
            let place = below(list.len(), numbers);
            match numbers.below(12) {
                0 => drop(list.remove(place)),
                1 => list.insert(place, list[place].clone()),
                _ => change(&mut list[place], numbers),
            }
        }
        Value::Object(fields) if goes_on && !fields.is_empty() => {
            let place = below(fields.len(), numbers);
            let key = fields.keys().nth(place).unwrap().clone();
            match numbers.below(12) {
                0 => drop(fields.remove(&key)),
                _ => change(fields.get_mut(&key).unwrap(), numbers),
            }
        }
        // Mostly numbers become others, as most other values are refused at once.
        Value::Number(number) if numbers.below(3) == 0 => {
            *value = json!(-number.as_f64().unwrap_or(0.0));
        }
        _ => *value = absurd(numbers),
    }
}

/// Returns parts of which some values or rows are others.
fn changed(parts: &Parts, numbers: &mut Numbers) -> Parts {
    let mut records = parts.records.clone();
    let mut header = parts.header.clone();
    let change_text = |text: &mut String, numbers: &mut Numbers| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        change(&mut value, numbers);
        *text = value.to_string();
    };
    for _ in 0..numbers.below(4) {
        let place = usize::try_from(numbers.below(records.len() as u64)).unwrap();
        change_text(&mut records[place], numbers);
    }
    if numbers.below(3) == 0 {
        change_text(&mut header, numbers);
    }
    match numbers.below(20) {
        0 => drop(records.pop()),
        1 => records.push(records[0].clone()),
        2 => records.reverse(),
        3 => records.clear(),
        _ => {}
    }
    Parts { header, records }
}

/// Writes the column of samples: as texts, as texts of which the first is missing, or as numbers.
fn write_records(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, rows: &[String], odd: u64) {
    let mut column = group.next_column().unwrap().unwrap();
    let texts: Vec<ByteArray> = rows.iter().map(|row| row.as_str().into()).collect();
    let present: Vec<i16> = (0..rows.len()).map(|row| i16::from(row > 0)).collect();
    let written = match odd {
        4 => column
            .typed::<ByteArrayType>()
            .write_batch(&texts[1..], Some(&present), None),
        5 => column
            .typed::<Int64Type>()
            .write_batch(&vec![-1; rows.len()], None, None),
        _ => column
            .typed::<ByteArrayType>()
            .write_batch(&texts, None, None),
    };
    written.unwrap();
    column.close().unwrap();
}

/// Writes a file whose samples are changed in some places, or whose columns are not ours.
fn rewritten(parts: &Parts, numbers: &mut Numbers) -> Vec<u8> {
    let Parts { header, records } = changed(parts, numbers);
    let odd = numbers.below(16);
    let compression = match numbers.below(12) {
        0 => Compression::UNCOMPRESSED,
        _ => Compression::SNAPPY,
    };
    let pairs = match odd {
        0 => Vec::new(),
        1 => vec![KeyValue::new(KEY.to_owned(), None)],
        2 => vec![KeyValue::new(KEY.to_owned(), header.clone()); 2],
        _ => vec![KeyValue::new(KEY.to_owned(), header)],
    };
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(odd == 3)
        .set_key_value_metadata(Some(pairs))
        .build();
    let column = |name: &str, physical| {
        let repetition = match (odd, physical) {
            (4, Physical::BYTE_ARRAY) => Repetition::OPTIONAL,
            _ => Repetition::REQUIRED,
        };
        let column = Type::primitive_type_builder(name, physical);
        Arc::new(column.with_repetition(repetition).build().unwrap())
    };
    let kind = match odd {
        5 => Physical::INT64,
        _ => Physical::BYTE_ARRAY,
    };
    let name = if odd == 6 { "records" } else { "record" };
    let fields = vec![column("iops", Physical::DOUBLE), column(name, kind)];
    let schema = Type::group_type_builder("other").with_fields(fields);
    let schema = Arc::new(schema.build().unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let group_rows = if odd == 7 { 3 } else { 1000 };
    for rows in records.chunks(group_rows) {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let absurd = [f64::NAN, f64::INFINITY, -1.0, 1e308];
        let absurd: Vec<f64> = absurd.into_iter().cycle().take(rows.len()).collect();
        let typed = column.typed::<DoubleType>();
        typed.write_batch(&absurd, None, None).unwrap();
        column.close().unwrap();
        write_records(&mut group, rows, odd);
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn rewritten_columns_are_refused_or_hold_runs_that_can_be_shown() {
    let files = std::env::var("STRIPEWISE_TEST_REWRITTEN");
    let files = files.map_or(FILES, |text| text.parse().unwrap());
    let parts = Parts::of_our_file();
    let mut numbers = Numbers::of(seed());
    let mut accepted = 0;
    for number in 0..files {
        let file = rewritten(&parts, &mut numbers);
        let runs = match read(&file) {
            Ok(runs) => runs,
            Err(error) => {
                assert!(!error.to_string().is_empty(), "file {number}");
                continue;
            }
        };
        accepted += 1;
        for run in &runs {
            let are_possible = run
                .samples
                .iter()
                .all(|record| record.sample.check().is_ok());
            assert!(are_possible, "file {number}");
            let document = stripewise_report::document::Document::new(run, &Default::default());
            let source = Source {
                run,
                document: &document,
            };
            let again = read(&samples(&[source]).unwrap()).unwrap();
            assert!(again == [run.clone()], "file {number}");
        }
    }
    println!("{accepted} of {files} files were accepted");
    assert!(accepted > 0, "each was refused, even the unchanged ones");
}
