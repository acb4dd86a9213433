//! From version 1 to 2: rows get the checksum of all their columns.
//!
//! Version 1 had a checksum of the document and of some columns, named in a key: `sample/1/4/...`.
//! A row that does not fit it was damaged before. It gets a checksum that does not fit either, so
//! that it stays damaged and the rest of the file can be read.

use rusqlite::types::ValueRef;
use rusqlite::{Row, Transaction};

use crate::error::StoreError;
use crate::sealed::{Fnv1a, Sealer, checksum_of};
use crate::store::Attempt;

/// The columns in the keys of version 1, after the name of the table. Rows of `run` had no key.
const TABLES: [(&str, &[&str]); 6] = [
    ("run", &[]),
    ("facts", &["run", "taken_unix_ns"]),
    ("cell", &["run", "cell_index"]),
    (
        "sample",
        &["run", "number", "cell_index", "block", "role", "seed"],
    ),
    ("warning", &["run", "cell_index"]),
    ("change", &["run"]),
];

/// Seals every row of a file whose tables are those of version 2, with the checksums of version 1.
pub(super) fn seal_all(transaction: &Transaction, attempt: Attempt) -> Result<(), StoreError> {
    for (table, key) in TABLES {
        seal_table(transaction, table, key).map_err(|source| attempt.failed(source))?;
    }
    Ok(())
}

fn seal_table(
    transaction: &Transaction,
    table: &'static str,
    key: &[&str],
) -> rusqlite::Result<()> {
    let mut rows = transaction.prepare(&format!("SELECT rowid FROM {table}"))?;
    let rows: Vec<i64> = rows
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut select = transaction.prepare(&format!("SELECT * FROM {table} WHERE rowid = ?1"))?;
    let mut sealer = Sealer::new(transaction, table)?;
    for rowid in rows {
        let sum = select.query_row([rowid], |row| {
            let sum = checksum_of(table, row)?;
            Ok(match key.is_empty() || was_whole(table, key, row)? {
                true => sum,
                false => !sum,
            })
        })?;
        sealer.set(rowid, sum)?;
    }
    Ok(())
}

/// Returns whether the row fits its checksum of version 1.
fn was_whole(table: &str, key: &[&str], row: &Row) -> rusqlite::Result<bool> {
    let mut hash = Fnv1a::new();
    hash.add(table.as_bytes());
    hash.add(b"/");
    for column in key {
        match row.get_ref(*column)? {
            ValueRef::Integer(value) => hash.add(value.to_string().as_bytes()),
            ValueRef::Text(text) => hash.add(text),
            _ => hash.add(b"-"),
        }
        hash.add(b"/");
    }
    let document: String = row.get("document")?;
    hash.add(document.as_bytes());
    Ok(row.get::<_, i64>("row_checksum")? == hash.sum())
}
