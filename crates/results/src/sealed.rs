//! The checksum of a row: it covers every column, so that media corruption does not pass as data.
//!
//! SQLite keeps no checksums, and a flipped bit in a digit is still a number. Each row of each
//! table has one in its column `row_checksum`, the 64-bit FNV-1a hash of:
//!
//! ```text
//! TABLE   and for each other column, in the order of the table:
//!         00 NAME 00 VALUE    `-` NULL    `i` integer, decimal    `t` text, UTF-8
//! ```
//!
//! The columns come from the table itself, so a new one is covered automatically. Every write
//! computes the checksums of its rows in its transaction; every read verifies them.

use crate::error::{Attempt, StoreError};
use crate::run::RunId;
use crate::sql::{Param, Row, SqlResult, Transaction, Value};
use crate::stored::Document;

/// The column of the checksum.
pub(crate) const CHECKSUM: &str = "row_checksum";

/// Inserts a row into a table that numbers its rows, and returns its number. `columns` are the others
/// in the order of the table.
pub(crate) fn insert_numbered(
    transaction: &Transaction,
    attempt: Attempt,
    table: &'static str,
    columns: &[(&'static str, Param)],
) -> Result<i64, StoreError> {
    let inserted = match transaction.next_number(table) {
        Ok(Some(id)) => {
            let all = numbered(id, columns);
            insert_row(transaction, table, &all, checksum_of_params(table, &all)).map(|()| id)
        }
        Ok(None) => insert_and_seal(transaction, table, columns),
        Err(error) => Err(error),
    };
    inserted.map_err(|source| attempt.failed(source))
}

/// Inserts a row into a table whose rows have no number of their own.
pub(crate) fn insert(
    transaction: &Transaction,
    attempt: Attempt,
    table: &'static str,
    columns: &[(&'static str, Param)],
) -> Result<(), StoreError> {
    let inserted = match transaction.file() {
        Some(_) => insert_and_seal(transaction, table, columns).map(drop),
        None => insert_row(
            transaction,
            table,
            columns,
            checksum_of_params(table, columns),
        ),
    };
    inserted.map_err(|source| attempt.failed(source))
}

/// Inserts a row into a file, reads it back and writes its checksum: a newer version may have given
/// the table a column that we do not know.
fn insert_and_seal(
    transaction: &Transaction,
    table: &str,
    columns: &[(&'static str, Param)],
) -> SqlResult<i64> {
    insert_row(transaction, table, columns, 0)?;
    let rowid = transaction.last_number();
    let select = format!("SELECT * FROM {table} WHERE rowid = ?1");
    let row = transaction.first(&select, &[rowid.into()])?;
    let sum = row.map_or(0, |row| checksum_of(table, &row));
    let update = format!("UPDATE {table} SET {CHECKSUM} = ?2 WHERE rowid = ?1");
    transaction.execute(&update, &[rowid.into(), sum.into()])?;
    Ok(rowid)
}

fn insert_row(
    transaction: &Transaction,
    table: &str,
    columns: &[(&'static str, Param)],
    sum: i64,
) -> SqlResult<()> {
    let names: Vec<&str> = columns.iter().map(|column| column.0).collect();
    let places: Vec<String> = (1..=columns.len())
        .map(|number| format!("?{number}"))
        .collect();
    let (names, places) = (names.join(", "), places.join(", "));
    let last = columns.len() + 1;
    let insert = format!("INSERT INTO {table} ({names}, {CHECKSUM}) VALUES ({places}, ?{last})");
    let mut values: Vec<Param> = columns.iter().map(|column| column.1).collect();
    values.push(sum.into());
    transaction.execute(&insert, &values).map(drop)
}

fn numbered<'a>(id: i64, columns: &[(&'static str, Param<'a>)]) -> Vec<(&'static str, Param<'a>)> {
    let first = std::iter::once(("id", Param::Integer(id)));
    first.chain(columns.iter().copied()).collect()
}

/// Inserts a document of a run into a table that numbers its rows, with the column that identifies it
/// within the run.
pub(crate) fn insert_document(
    transaction: &Transaction,
    attempt: Attempt,
    table: &'static str,
    run: RunId,
    place: (&'static str, Option<i64>),
    document: &Document,
) -> Result<(), StoreError> {
    let mut columns = vec![("run", run.0.into()), (place.0, place.1.into())];
    // A change is announced before it is undone.
    if table == "change" {
        columns.push(("undone_unix_ns", Param::Null));
    }
    columns.push(("document_version", document.version.into()));
    columns.push(("document", Param::Text(&document.text)));
    insert_numbered(transaction, attempt, table, &columns).map(drop)
}

/// Changes columns of a row after verifying it: a damaged row must not get a valid checksum.
///
/// # Errors
/// [`StoreError::Corrupt`], and what the database reports.
pub(crate) fn update(
    transaction: &Transaction,
    attempt: Attempt,
    (table, id): (&'static str, i64),
    columns: &[(&'static str, Param)],
) -> Result<(), StoreError> {
    let failed = |source| attempt.failed(source);
    let select = format!(
        "SELECT * FROM {table} WHERE id = ?1{}",
        transaction.for_update()
    );
    let row = transaction.first(&select, &[id.into()]).map_err(failed)?;
    let row = row.ok_or_else(|| attempt.failed(rusqlite::Error::QueryReturnedNoRows))?;
    if !matches_checksum(table, &row).map_err(failed)? {
        return Err(damaged(attempt, &format!("{table} {id}")));
    }
    let sum = checksum(
        table,
        row.columns().map(|(name, value)| {
            match columns.iter().find(|(changed, _)| *changed == name) {
                Some((_, param)) => (name, Part::from(*param)),
                None => (name, Part::from(value)),
            }
        }),
    );
    let changes = columns.iter().zip(2..);
    let changes: Vec<String> = changes
        .map(|((name, _), place)| format!("{name} = ?{place}"))
        .collect();
    let (changes, last) = (changes.join(", "), columns.len() + 2);
    let statement = format!("UPDATE {table} SET {changes}, {CHECKSUM} = ?{last} WHERE id = ?1");
    let mut values = vec![Param::Integer(id)];
    values.extend(columns.iter().map(|column| column.1));
    values.push(sum.into());
    transaction
        .execute(&statement, &values)
        .map(drop)
        .map_err(failed)
}

/// Verifies the checksum of a row with all its columns.
///
/// # Errors
/// [`StoreError::Corrupt`] with the `place`.
pub(crate) fn verify(
    attempt: Attempt,
    table: &str,
    row: &Row,
    place: impl FnOnce() -> String,
) -> Result<(), StoreError> {
    match matches_checksum(table, row).map_err(|source| attempt.failed(source))? {
        true => Ok(()),
        false => Err(damaged(attempt, &place())),
    }
}

fn damaged(attempt: Attempt, place: &str) -> StoreError {
    attempt.corrupt(format!("{place} does not match its checksum"), None)
}

fn matches_checksum(table: &str, row: &Row) -> SqlResult<bool> {
    let stored: i64 = row.get(CHECKSUM)?;
    Ok(stored == checksum_of(table, row))
}

/// Returns the checksum of a row with all its columns.
fn checksum_of(table: &str, row: &Row) -> i64 {
    checksum(
        table,
        row.columns().map(|(name, value)| (name, Part::from(value))),
    )
}

/// Returns the checksum of a row before it is inserted.
pub(crate) fn checksum_of_params(table: &str, columns: &[(&'static str, Param)]) -> i64 {
    checksum(
        table,
        columns
            .iter()
            .map(|(name, value)| (*name, Part::from(*value))),
    )
}

/// A value as the checksum takes it.
enum Part<'a> {
    Null,
    Integer(i64),
    Text(&'a [u8]),
    Real(f64),
    Blob(&'a [u8]),
}

impl<'a> From<Param<'a>> for Part<'a> {
    fn from(param: Param<'a>) -> Self {
        match param {
            Param::Null => Part::Null,
            Param::Integer(value) => Part::Integer(value),
            Param::Text(text) => Part::Text(text.as_bytes()),
        }
    }
}

impl<'a> From<&'a Value> for Part<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Part::Null,
            Value::Integer(value) => Part::Integer(*value),
            Value::Text(text) => Part::Text(text),
            Value::Real(value) => Part::Real(*value),
            Value::Blob(bytes) => Part::Blob(bytes),
        }
    }
}

fn checksum<'a>(table: &str, columns: impl Iterator<Item = (&'a str, Part<'a>)>) -> i64 {
    let mut hash = Fnv1a::new();
    hash.add(table.as_bytes());
    for (name, value) in columns {
        if name == CHECKSUM {
            continue;
        }
        hash.add(&[0]);
        hash.add(name.as_bytes());
        hash.add(&[0]);
        match value {
            Part::Null => hash.add(b"-"),
            Part::Integer(value) => {
                hash.add(b"i");
                hash.add(value.to_string().as_bytes());
            }
            Part::Text(text) => {
                hash.add(b"t");
                hash.add(text);
            }
            // The tables are strict and have no columns of these types.
            Part::Real(value) => {
                hash.add(b"r");
                hash.add(&value.to_be_bytes());
            }
            Part::Blob(bytes) => {
                hash.add(b"b");
                hash.add(bytes);
            }
        }
    }
    hash.sum()
}

/// The 64-bit FNV-1a hash of bytes in several parts.
///
/// Each step is invertible, so a change of any one byte changes the hash
/// (Fowler, Noll, Vo: <https://www.rfc-editor.org/rfc/rfc9923>).
struct Fnv1a(u64);

impl Fnv1a {
    const fn new() -> Fnv1a {
        Fnv1a(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    }

    /// Returns the hash, its bits taken as a signed integer.
    const fn sum(&self) -> i64 {
        self.0.cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // Test vectors of the reference implementation.
        for (parts, expected) in [
            (["", ""], 0xcbf2_9ce4_8422_2325),
            (["a", ""], 0xaf63_dc4c_8601_ec8c),
            (["foo", "bar"], 0x8594_4171_f739_67e8),
        ] {
            let mut hash = Fnv1a::new();
            parts.iter().for_each(|part| hash.add(part.as_bytes()));
            assert_eq!(hash.sum().cast_unsigned(), expected);
        }
    }

    #[test]
    fn a_value_that_changes_its_type_or_column_changes_the_checksum() {
        let mut connection = rusqlite::Connection::open_in_memory().unwrap();
        let transaction = Transaction::File(connection.transaction().unwrap());
        let sum = |columns: &str| {
            let query = format!("SELECT {columns}, 7 AS row_checksum");
            let row = transaction.first(&query, &[]).unwrap().unwrap();
            checksum_of("sample", &row)
        };
        let sums = [
            sum("1 AS a, 2 AS b"),
            sum("2 AS a, 1 AS b"),
            sum("'1' AS a, 2 AS b"),
            sum("NULL AS a, 2 AS b"),
            sum("1 AS a, NULL AS b"),
            sum("1 AS b, 2 AS a"),
            sum("1 AS a, 2 AS b, NULL AS c"),
        ];
        let mut distinct = sums.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), sums.len());
    }
}
