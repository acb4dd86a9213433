//! The tables of an answer as CSV.
//!
//! One header, with the keys of the columns, then the rows. Of several tables, each row begins with
//! the key of its table, and a field of another table is empty. A value is its exact number, if it
//! has one; else its English words, without the signs that mark code. An unknown value is empty. An
//! interval is two fields, its ends; a count of several things has their number beside it, `KEY_of`.
//! Words that state a number, such as a verdict, have it in fields of their own.

use csv::{Terminator, WriterBuilder};
use stripewise_answer::{Block, Cell, Kind, Table};

use crate::text::{as_data, to_field};

/// Returns the tables of blocks as CSV; `None` if there are none.
pub fn csv(blocks: &[Block]) -> Option<Vec<u8>> {
    let tables = Block::tables(blocks);
    if tables.is_empty() {
        return None;
    }
    let mut heads: Vec<String> = Vec::new();
    let shared = tables.iter().flat_map(|table| &table.shared);
    let shared = shared.map(|(key, _)| (*key).to_owned());
    let fields_of_all = tables.iter().flat_map(|table| fields(table));
    for key in shared.chain(fields_of_all.map(|(key, ..)| key)) {
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
                let mut shared = table.shared.iter();
                if let Some((_, value)) = shared.find(|(key, _)| key == head) {
                    return to_field(value);
                }
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
    /// Of how many things its number is the count.
    OfAll,
}

impl Part {
    fn of(self, cell: &Cell) -> String {
        let number =
            |number: Option<f64>| number.map_or_else(String::new, |exact| exact.to_string());
        let words = || {
            let known = cell.shown.as_ref().filter(|_| !cell.is_unknown);
            known.map(|words| to_field(&as_data(words)))
        };
        match self {
            Self::Value if cell.exact.is_some() => number(cell.exact),
            Self::Value if !cell.key.is_empty() => to_field(&cell.key),
            Self::Value | Self::Words => words().unwrap_or_default(),
            Self::Exact => number(cell.exact),
            Self::Low => number(cell.ends.map(|[low, _]| low)),
            Self::High => number(cell.ends.map(|[_, high]| high)),
            Self::OfAll => number(cell.of_all),
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
        } else if column.kind == Kind::Interval {
            fields.extend(ends(&key, at));
        } else {
            let of = cells.any(|cell| cell.of_all.is_some());
            let of = of.then(|| (format!("{key}_of"), at, Part::OfAll));
            fields.push((key, at, Part::Value));
            fields.extend(of);
        }
    }
    fields
}
