//! The data at risk of each cell, for a terminal: which acknowledged writes a power cut would lose.

use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_study::metric::Metric;
use stripewise_study::risk::{Risk, Volatile};
use stripewise_study::sample::as_f64;
use stripewise_units::{Bytes, Nanos};

use crate::document::{CellPart, Document};
use crate::names::Names;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN, dimmed, painted};
use crate::view::View;

/// The numbers of a set of writes.
const NUMBERS: usize = 6;

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
        ("risk-head-bytes-p50", "risk-column-bytes-p50", 4),
        ("risk-head-bytes-p99", "risk-column-bytes-p99", 2),
        ("risk-head-bytes-max", "risk-column-bytes-max", 0),
        ("risk-head-age-p50", "risk-column-age-p50", 3),
        ("risk-head-age-p99", "risk-column-age-p99", 1),
        ("risk-head-age-max", "risk-column-age-max", 0),
    ] {
        columns.push(
            Column::number(&word(head))
                .named(&word(name))
                .optional(rank),
        );
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
    if volatile.is_unbounded {
        let unbounded = view.say(&Message::new("risk-unbounded"));
        return vec![Field::styled(WARN, unbounded); NUMBERS];
    }
    let shown = |quantity: Argument, number: u64| {
        let text = view.show(&quantity);
        match (number, is_promised) {
            (0, _) => Field::styled(DIM, text),
            (_, true) => Field::styled(WARN, text),
            (_, false) => Field::plain(text),
        }
    };
    let size = |bytes: Bytes| shown(size(bytes.as_u64()), bytes.as_u64());
    let age = |age: Nanos| shown(time(age.as_u64()), age.as_u64());
    vec![
        size(volatile.bytes_p50),
        size(volatile.bytes_p99),
        size(volatile.bytes_max),
        age(volatile.age_p50_ns),
        age(volatile.age_p99_ns),
        age(volatile.age_max_ns),
    ]
}

/// Returns bytes with three digits: `24.4 MiB`.
pub(crate) fn size(bytes: u64) -> Argument {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(shift, _)| bytes >> shift > 0);
    match unit {
        Some((shift, unit)) => {
            Argument::quantity(three_digits(as_f64(bytes) / as_f64(1 << shift)), unit)
        }
        None => Argument::quantity(bytes.to_string(), "B"),
    }
}

/// Returns a time with three digits: `1.50 s`.
pub(crate) fn time(ns: u64) -> Argument {
    match ns {
        0 => Argument::quantity("0", "s"),
        ns => Metric::LatencyP99.quantity(as_f64(ns)),
    }
}

#[cfg(test)]
mod tests {
    use stripewise_catalogue::Words;

    use super::*;

    #[test]
    fn sizes_have_three_digits_and_nothing_is_zero() {
        let shown = [0, 1000, 16 << 10, 25_555_555, 3 << 40].map(|bytes| size(bytes).in_english());
        assert_eq!(shown, ["0 B", "1000 B", "16.0 KiB", "24.4 MiB", "3.00 TiB"]);
        assert_eq!(
            [0, 1_500_000_000].map(|ns| time(ns).in_english()),
            ["0 s", "1.50 s"]
        );
    }
}
