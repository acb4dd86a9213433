//! The data at risk of each cell, for a terminal: which acknowledged writes a power cut would lose.

use stripewise_catalogue::Message;
use stripewise_study::metric::Metric;
use stripewise_study::risk::{Risk, Volatile};
use stripewise_study::sample::as_f64;
use stripewise_study::units::{Bytes, Nanos};

use crate::document::{CellPart, Document};
use crate::names::Names;
use crate::numbers::size_argument;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN, dimmed, painted};
use crate::view::View;

/// Returns the block of the cells whose data at risk is known; empty if there are none.
pub(crate) fn at_risk(document: &Document, names: &Names, view: View) -> String {
    let cells = names.order.iter().map(|index| &document.cells[*index]);
    let mut known = cells.filter_map(|cell| Some((cell, cell.risk?))).peekable();
    let mut text = String::new();
    if known.peek().is_none() {
        return text;
    }
    let word = |id: &'static str| view.say(&Message::new(id));
    let mut columns: Vec<Column> = names
        .axes
        .iter()
        .map(|axis| Column::group(&view.say(&axis.message())))
        .collect();
    columns.push(Column::group(&word("risk-column-writes")));
    // Where there is no room, the highest values stay.
    for (head, name, rank) in [
        ("p50", "risk-column-bytes-p50", 4),
        ("p99", "risk-column-bytes-p99", 2),
        ("max", "risk-column-bytes-max", 0),
        ("p50", "risk-column-age-p50", 3),
        ("p99", "risk-column-age-p99", 1),
        ("max", "risk-column-age-max", 0),
    ] {
        columns.push(Column::number(head).named(&word(name)).optional(rank));
    }
    let mut table = Table::new(columns);
    for (cell, risk) in known {
        add_rows(&mut table, cell, &risk, names, view);
    }
    text.push('\n');
    text.push_str(&painted(BOLD, &word("risk-heading"), view));
    text.push_str(&table.finish(view));
    text.push_str(&dimmed(&word("risk-meaning"), view));
    text
}

/// Adds a row for acknowledged writes, and one for promised ones.
fn add_rows(table: &mut Table, cell: &CellPart, risk: &Risk, names: &Names, view: View) {
    let sets = [
        ("risk-acknowledged", &risk.acknowledged, false),
        ("risk-promised", &risk.promised, true),
    ];
    for (set, volatile, is_repeated) in sets {
        let values = names.axes.iter().map(|axis| cell.cell().value(*axis));
        let values = values.map(|value| Field::plain(value).repeated(is_repeated));
        let mut row: Vec<Field> = values.collect();
        row.push(Field::plain(view.say(&Message::new(set))));
        row.extend(numbers(volatile, is_repeated, view));
        table.row(row);
    }
}

/// Returns the six numbers; what is promised and volatile is a broken promise.
fn numbers(volatile: &Volatile, is_promised: bool, view: View) -> Vec<Field> {
    let shown = |text: String, is_nothing: bool| match (is_nothing, is_promised) {
        (true, _) => Field::styled(DIM, text),
        (false, true) => Field::styled(WARN, text),
        (false, false) => Field::plain(text),
    };
    let size = |bytes: Bytes| {
        let bytes = bytes.as_u64();
        shown(view.show(&size_argument(bytes)), bytes == 0)
    };
    let age = |age: Nanos| {
        let ns = age.as_u64();
        let quantity = Metric::LatencyP99.quantity(as_f64(ns));
        shown(view.show(&quantity), ns == 0)
    };
    let unbounded = || Field::styled(WARN, view.say(&Message::new("risk-unbounded")));
    let mut fields = vec![size(volatile.bytes_p50), size(volatile.bytes_p99)];
    let is_bounded = !volatile.is_unbounded;
    fields.push(if is_bounded {
        size(volatile.bytes_max)
    } else {
        unbounded()
    });
    fields.extend([age(volatile.age_p50_ns), age(volatile.age_p99_ns)]);
    fields.push(if is_bounded {
        age(volatile.age_max_ns)
    } else {
        unbounded()
    });
    fields
}
