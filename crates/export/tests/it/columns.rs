//! Parquet of pandas, polars, DuckDB and Arrow as they write it unasked: three packings, dates, times,
//! decimals, dictionaries and both kinds of pages. A reader that took a decimal for a whole number was wrong
//! by a hundredfold without a word. `data/columns/make.py` made the files.

use std::fs::File;
use std::path::Path;

use stripewise_export::columns::{Column, each_batch};
use stripewise_export::read::ReadError;

fn columns(name: &str, wanted: &[&str]) -> Result<Vec<Option<Column>>, ReadError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/columns");
    let file = File::open(folder.join(name)).unwrap();
    let mut all = Vec::new();
    each_batch(file, wanted, |rows, columns| {
        assert_eq!(rows, 6, "{name}");
        all = columns.to_vec();
    })?;
    Ok(all)
}

const MINUTE_US: i64 = 60_000_000;
/// 2026-11-01 in UTC.
const DAY_US: i64 = 20_758 * 24 * 60 * MINUTE_US;

#[test]
fn files_of_other_programs_are_read_as_they_mean_them() {
    for (name, is_utc) in [
        ("pandas.parquet", false),
        ("polars.parquet", false),
        ("duckdb.parquet", false),
        ("arrow-gzip.parquet", true),
        ("arrow-zstd.parquet", true),
        ("arrow-none.parquet", true),
    ] {
        let columns = columns(name, &["host", "date", "time", "value", "absent"]).unwrap();
        let [Some(host), Some(date), Some(time), Some(value), None] = columns.as_slice() else {
            panic!("{name}: {columns:?}");
        };
        let hosts: Vec<_> = (0..6).map(|row| host.text(row).unwrap()).collect();
        let expected = ["web0", "web1", "web2", "web0", "web1", "web2"];
        assert_eq!(hosts, expected, "{name}");
        let values: Vec<_> = (0..6).map(|row| value.number(row)).collect();
        let expected = [
            Some(100.5),
            None,
            Some(102.5),
            Some(103.5),
            Some(104.5),
            Some(105.5),
        ];
        assert_eq!(values, expected, "{name}");
        let Column::Times { unix_us, .. } = date else {
            panic!("{name}: {date:?}");
        };
        assert_eq!(unix_us[2], Some(DAY_US), "{name}");
        assert_eq!(unix_us[3], Some(DAY_US + 24 * 60 * MINUTE_US), "{name}");
        let Column::Times {
            unix_us,
            is_utc: found,
        } = time
        else {
            panic!("{name}: {time:?}");
        };
        assert_eq!(unix_us[2], Some(DAY_US + 182 * MINUTE_US), "{name}");
        assert_eq!(*found, is_utc, "{name}");
    }
}

#[test]
fn numbers_without_a_sign_and_decimals_of_few_digits_keep_their_value() {
    let columns = columns("polars.parquet", &["count"]).unwrap();
    let count = columns[0].as_ref().unwrap();
    assert_eq!(count.number(5), Some(9_223_372_036_854_775_808.0));
    let columns = self::columns("duckdb.parquet", &["small"]).unwrap();
    assert_eq!(columns[0].as_ref().unwrap().number(0), Some(1005.0));
}

#[test]
fn old_times_are_read_and_what_is_not_read_is_named() {
    let columns = self::columns("arrow-odd.parquet", &["time"]).unwrap();
    let Some(Column::Times { unix_us, .. }) = &columns[0] else {
        panic!("{columns:?}");
    };
    assert_eq!(unix_us[2], Some(DAY_US + 182 * MINUTE_US));
    for (name, column, says) in [
        ("arrow-lz4.parquet", "value", "`value` is packed with LZ4"),
        (
            "duckdb-brotli.parquet",
            "host",
            "`host` is packed with Brotli",
        ),
    ] {
        let error = self::columns(name, &[column]).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert!(error.hint().contains("zstd"), "{}", error.hint());
    }
    // A list has the name of its elements: there is no column `value`.
    let columns = self::columns("arrow-odd.parquet", &["value"]).unwrap();
    assert!(columns[0].is_none());
    let error = self::columns("arrow-odd.parquet", &["value.list.element"]).unwrap_err();
    assert!(error.to_string().contains("has lists"), "{error}");
}

/// A packed page says nothing of its size: one that unpacks without end would fill the memory.
#[test]
fn damaged_files_fail_and_do_not_end_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/columns");
    for name in ["arrow-zstd.parquet", "arrow-gzip.parquet", "duckdb.parquet"] {
        let whole = std::fs::read(folder.join(name)).unwrap();
        let one = tempfile(&whole);
        assert!(each_batch(one, &["host", "value", "time"], |_, _| ()).is_ok());
        let mut failed = 0;
        for place in (4..whole.len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x55;
            let read = each_batch(tempfile(&damaged), &["host", "value", "time"], |_, _| ());
            failed += usize::from(read.is_err());
        }
        assert!(failed > 0, "{name}");
    }
}

/// Returns an open file with these bytes that has no name.
fn tempfile(bytes: &[u8]) -> File {
    use std::io::{Seek as _, Write as _};
    let name = format!("columns-{}-{:p}", std::process::id(), bytes);
    let path = std::env::temp_dir().join(name);
    let mut file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}
