//! The tables of an answer as gauges in the text form of OpenMetrics 1.0, for a scraper.
//!
//! A table counts if columns of it are labels: they identify a row. Each of its columns of numbers is a
//! family, `stripewise_COMMAND_TABLE_COLUMN`, and so are the ends of intervals, `_low` and `_high`. A
//! verdict is a label, with the value 1. As in [`crate::openmetrics`], all are gauges without times.

use std::collections::BTreeSet;

use stripewise_answer::{Block, Cell, Kind, Table, Verdict};

use crate::text::{as_data, label};

/// Returns the tables of blocks whose rows have labels; `None` if there are none. `command` is the command
/// that answers.
pub fn openmetrics(command: &str, blocks: &[Block]) -> Option<String> {
    let tables = Block::tables(blocks).into_iter();
    let tables: Vec<&Table> = tables
        .filter(|table| table.columns.iter().any(|column| column.is_label))
        .collect();
    (!tables.is_empty()).then(|| {
        let families: String = tables
            .iter()
            .map(|table| families(command, table))
            .collect();
        families + "# EOF\n"
    })
}

fn families(command: &str, table: &Table) -> String {
    let name = |key: &str| {
        let name = format!("stripewise_{command}_{}_{key}", table.key);
        name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
    };
    let mut text = String::new();
    for (at, column) in table.columns.iter().enumerate() {
        let cell = |row: usize| table.rows[row].cells.get(at);
        let head = as_data(&column.head);
        let mut put = |key: String, help: String, of: &dyn Fn(&Cell) -> Option<f64>| {
            let values = (0..table.rows.len()).filter_map(|row| Some((row, of(cell(row)?)?)));
            text.push_str(&family(table, &name(&key), &help, values));
        };
        match column.kind {
            Kind::Number => {
                put(column.key.to_string(), head.clone(), &|cell| cell.exact);
                for (end, at) in [("low", 0), ("high", 1)] {
                    let help = format!("{head}, the {end} end of its interval");
                    put(format!("{}_{end}", column.key), help, &|cell| {
                        Some(cell.ends?[at])
                    });
                }
            }
            Kind::Verdict => {
                let rows = 0..table.rows.len();
                let values = rows.filter_map(|row| {
                    cell(row)?.verdict?;
                    Some((row, 1.0))
                });
                text.push_str(&family(table, &name(&column.key), &head, values));
            }
            _ => {}
        }
    }
    text
}

/// Returns a family, unless it has no line.
fn family(
    table: &Table,
    name: &str,
    help: &str,
    values: impl Iterator<Item = (usize, f64)>,
) -> String {
    let mut known = BTreeSet::new();
    let lines = values.map(|(row, value)| {
        let mut labels = labels(table, row);
        // Rows that words do not tell apart are told apart by their place.
        if !known.insert(labels.clone()) {
            labels.push_str(&format!(",row=\"{row}\""));
        }
        let value = match value {
            f64::INFINITY => "+Inf".to_owned(),
            value => value.to_string(),
        };
        format!("{name}{{{labels}}} {value}\n")
    });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => format!(
            "# HELP {name} {}.\n# TYPE {name} gauge\n{lines}",
            label(help)
        ),
    }
}

fn labels(table: &Table, row: usize) -> String {
    let cells = table.columns.iter().zip(&table.rows[row].cells);
    let labels = cells.filter_map(|(column, cell)| {
        let value = match cell.verdict {
            Some(Verdict::Pass) => "pass".to_owned(),
            Some(Verdict::Fail) => "fail".to_owned(),
            Some(Verdict::NotJudged) => "not_judged".to_owned(),
            None if column.is_label => cell.shown.as_ref().map(as_data).unwrap_or_default(),
            None => return None,
        };
        Some(format!("{}=\"{}\"", column.key, label(&value)))
    });
    labels.collect::<Vec<_>>().join(",")
}
