//! The tables of an answer as CSV.
//!
//! One header, with the keys of the columns, then the rows. Of several tables, each row begins with
//! the key of its table, and a field of another table is empty. A value is its exact number, if it
//! has one; else its English words. An interval is two fields, its ends. Words that state a number, such
//! as a verdict, have it in fields of their own.

use csv::{Terminator, WriterBuilder};
use stripewise_answer::{Block, Cell, Kind, Table};
use stripewise_catalogue::Words;

use crate::text::to_field;

/// Returns the tables of blocks as CSV; `None` if there are none.
pub fn csv(blocks: &[Block]) -> Option<Vec<u8>> {
    let tables = Block::tables(blocks);
    if tables.is_empty() {
        return None;
    }
    let mut heads: Vec<String> = Vec::new();
    for (key, ..) in tables.iter().flat_map(|table| fields(table)) {
        if !heads.contains(&key) {
            heads.push(key);
        }
    }
    let is_several = tables.len() > 1;
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    let first = is_several.then(|| "table".to_owned());
    let mut written = writer.write_record(first.iter().chain(&heads));
    for table in tables {
        let fields = fields(table);
        for row in &table.rows {
            let field = |head: &String| {
                let found = fields.iter().find(|(key, ..)| key == head);
                let cell = found.and_then(|(_, at, part)| Some((row.cells.get(*at)?, *part)));
                cell.map_or_else(String::new, |(cell, part)| part.of(cell))
            };
            let first = is_several.then(|| table.key.to_string());
            let fields = first.into_iter().chain(heads.iter().map(field));
            written = written.and_then(|()| writer.write_record(fields));
        }
    }
    written.ok().and_then(|()| writer.into_inner().ok())
}

/// What a field holds of a cell.
#[derive(Clone, Copy)]
enum Part {
    /// Its number, or its words.
    Value,
    /// Its words.
    Words,
    /// Its number.
    Exact,
    /// The low end of its interval.
    Low,
    /// The high end.
    High,
}

impl Part {
    fn of(self, cell: &Cell) -> String {
        let number =
            |number: Option<f64>| number.map_or_else(String::new, |exact| exact.to_string());
        let words = || {
            cell.shown
                .as_ref()
                .map(|words| to_field(&words.in_english()))
        };
        match self {
            Self::Value if cell.exact.is_some() => number(cell.exact),
            Self::Value | Self::Words => words().unwrap_or_default(),
            Self::Exact => number(cell.exact),
            Self::Low => number(cell.ends.map(|[low, _]| low)),
            Self::High => number(cell.ends.map(|[_, high]| high)),
        }
    }
}

/// Returns the fields of a table: their keys, their columns, and what they hold.
fn fields(table: &Table) -> Vec<(String, usize, Part)> {
    let columns = table.columns.iter().enumerate();
    let columns = columns.filter(|(_, column)| !column.kind.is_drawn());
    let ends = |key: &str, at| {
        let end = |name, part| (format!("{key}_{name}"), at, part);
        [end("low", Part::Low), end("high", Part::High)]
    };
    let mut fields = Vec::new();
    for (at, column) in columns {
        let key = column.key.to_string();
        let mut cells = table.rows.iter().filter_map(|row| row.cells.get(at));
        if !column.measure.is_empty() {
            fields.push((key, at, Part::Words));
            fields.push((column.measure.to_owned(), at, Part::Exact));
            fields.extend(ends(column.measure, at));
        } else if column.kind == Kind::Interval && cells.any(|cell| cell.ends.is_some()) {
            fields.extend(ends(&key, at));
        } else {
            fields.push((key, at, Part::Value));
        }
    }
    fields
}
