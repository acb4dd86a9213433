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

use rusqlite::types::ValueRef;
use rusqlite::{Params, Row, Statement, Transaction, params};

use crate::error::{Attempt, StoreError};
use crate::run::RunId;
use crate::stored::Document;

/// The column of the checksum.
const CHECKSUM: &str = "row_checksum";

/// Writes the checksums of rows of one table.
pub(crate) struct Sealer<'t> {
    table: &'static str,
    select: Statement<'t>,
    update: Statement<'t>,
}

impl<'t> Sealer<'t> {
    pub(crate) fn new(
        transaction: &'t Transaction,
        table: &'static str,
    ) -> rusqlite::Result<Sealer<'t>> {
        Ok(Sealer {
            table,
            select: transaction.prepare(&format!("SELECT * FROM {table} WHERE rowid = ?1"))?,
            update: transaction.prepare(&format!(
                "UPDATE {table} SET {CHECKSUM} = ?2 WHERE rowid = ?1"
            ))?,
        })
    }

    /// Writes the checksum of a row that was just written.
    pub(crate) fn seal(&mut self, rowid: i64) -> rusqlite::Result<()> {
        let table = self.table;
        let sum = self
            .select
            .query_row([rowid], |row| checksum_of(table, row))?;
        self.update.execute([rowid, sum])?;
        Ok(())
    }
}

/// Returns the checksum of a row of a table before it is inserted: of what a statement without a
/// table selects under the names of its columns, in their order.
///
/// Large rows are then written once, and neither read back nor written again.
pub(crate) fn checksum_of_values(
    table: &str,
    select: &mut Statement,
    values: impl Params,
) -> rusqlite::Result<i64> {
    select.query_row(values, |row| checksum_of(table, row))
}

/// Writes the checksum of the last inserted row.
pub(crate) fn seal_inserted(
    transaction: &Transaction,
    attempt: Attempt,
    table: &'static str,
) -> Result<(), StoreError> {
    let rowid = transaction.last_insert_rowid();
    Sealer::new(transaction, table)
        .and_then(|mut sealer| sealer.seal(rowid))
        .map_err(|source| attempt.failed(source))
}

/// Inserts a document of a run into a table, with the column that identifies it within the run.
pub(crate) fn insert_document(
    transaction: &Transaction,
    attempt: Attempt,
    table: &'static str,
    run: RunId,
    (column, value): (&str, Option<i64>),
    document: &Document,
) -> Result<(), StoreError> {
    let insert = format!(
        "INSERT INTO {table} (run, {column}, document_version, document, row_checksum)
         VALUES (?1, ?2, ?3, ?4, 0)"
    );
    let row = params![run.0, value, document.version, document.text];
    transaction
        .execute(&insert, row)
        .map_err(|source| attempt.failed(source))?;
    seal_inserted(transaction, attempt, table)
}

/// Changes a row with `statement` after verifying it: a damaged row must not get a valid checksum.
///
/// # Errors
/// [`StoreError::Corrupt`], and what SQLite reports.
pub(crate) fn update(
    transaction: &Transaction,
    attempt: Attempt,
    (table, rowid): (&'static str, i64),
    (statement, parameters): (&str, impl Params),
) -> Result<(), StoreError> {
    let failed = |source| attempt.failed(source);
    let mut sealer = Sealer::new(transaction, table).map_err(failed)?;
    let is_intact = sealer
        .select
        .query_row([rowid], |row| matches_checksum(table, row))
        .map_err(failed)?;
    if !is_intact {
        return Err(damaged(attempt, &format!("{table} {rowid}")));
    }
    transaction.execute(statement, parameters).map_err(failed)?;
    sealer.seal(rowid).map_err(failed)
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

fn matches_checksum(table: &str, row: &Row) -> rusqlite::Result<bool> {
    let stored: i64 = row.get(CHECKSUM)?;
    Ok(stored == checksum_of(table, row)?)
}

/// Returns the checksum of a row with all its columns.
fn checksum_of(table: &str, row: &Row) -> rusqlite::Result<i64> {
    let mut hash = Fnv1a::new();
    hash.add(table.as_bytes());
    for (index, name) in row.as_ref().column_names().enumerate() {
        if name == CHECKSUM {
            continue;
        }
        hash.add(&[0]);
        hash.add(name.as_bytes());
        hash.add(&[0]);
        match row.get_ref(index)? {
            ValueRef::Null => hash.add(b"-"),
            ValueRef::Integer(value) => {
                hash.add(b"i");
                hash.add(value.to_string().as_bytes());
            }
            ValueRef::Text(text) => {
                hash.add(b"t");
                hash.add(text);
            }
            // The tables are strict and have no columns of these types.
            ValueRef::Real(value) => {
                hash.add(b"r");
                hash.add(&value.to_be_bytes());
            }
            ValueRef::Blob(bytes) => {
                hash.add(b"b");
                hash.add(bytes);
            }
        }
    }
    Ok(hash.sum())
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
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let sum = |columns: &str| {
            let query = format!("SELECT {columns}, 7 AS row_checksum");
            connection
                .query_row(&query, [], |row| checksum_of("sample", row))
                .unwrap()
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
