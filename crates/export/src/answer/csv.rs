//! The tables of an answer as CSV.
//!
//! One header, with the keys of the columns, then the rows. Of several tables, each row begins with
//! the key of its table, and a field of another table is empty. A value is its exact number, if it
//! has one; else its English words.

use csv::{Terminator, WriterBuilder};
use stripewise_answer::{Block, Cell, Table};
use stripewise_catalogue::Words;

use crate::text::to_field;

/// Returns the tables of blocks as CSV; `None` if there are none.
pub fn csv(blocks: &[Block]) -> Option<Vec<u8>> {
    let tables = Block::tables(blocks);
    if tables.is_empty() {
        return None;
    }
    let mut heads: Vec<&str> = Vec::new();
    for key in tables
        .iter()
        .flat_map(|table| keys(table))
        .map(|(_, key)| key)
    {
        if !heads.contains(&key) {
            heads.push(key);
        }
    }
    let is_several = tables.len() > 1;
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    let first = is_several.then_some("table");
    let mut written = writer.write_record(first.iter().chain(&heads));
    for table in tables {
        let keys = keys(table);
        for row in &table.rows {
            let field = |head: &&str| {
                let found = keys.iter().find(|(_, key)| key == head);
                let cell = found.and_then(|(at, _)| row.cells.get(*at));
                cell.map_or_else(String::new, field)
            };
            let first = is_several.then(|| table.key.to_string());
            let fields = first.into_iter().chain(heads.iter().map(field));
            written = written.and_then(|()| writer.write_record(fields));
        }
    }
    written.ok().and_then(|()| writer.into_inner().ok())
}

/// Returns the columns that have values, with their places.
fn keys(table: &Table) -> Vec<(usize, &str)> {
    let columns = table.columns.iter().enumerate();
    let columns = columns.filter(|(_, column)| !column.kind.is_drawn());
    columns
        .map(|(at, column)| (at, column.key.as_ref()))
        .collect()
}

fn field(cell: &Cell) -> String {
    match (cell.exact, &cell.shown) {
        (Some(exact), _) => exact.to_string(),
        (None, Some(words)) => to_field(&words.in_english()),
        (None, None) => String::new(),
    }
}
