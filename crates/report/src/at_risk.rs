//! The data at risk of each cell: which acknowledged writes a power cut would lose.

use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_study::metric::Metric;
use stripewise_study::risk::{Risk, Volatile};
use stripewise_study::sample::as_f64;
use stripewise_units::{Bytes, Nanos};

use crate::document::{CellPart, Document};
use crate::names::Names;

/// Returns the cells whose data at risk is known, as a table; nothing if there are none.
pub(crate) fn at_risk(document: &Document, names: &Names) -> Vec<Block> {
    let cells = names.order.iter().map(|index| &document.cells[*index]);
    let known = cells.filter_map(|cell| Some((cell, cell.risk?)));
    let known: Vec<(&CellPart, Risk)> = known.collect();
    if known.is_empty() {
        return Vec::new();
    }
    let mut columns = names.columns();
    let writes = Message::new("risk-column-writes");
    columns.push(Column::group("writes", writes));
    // Where there is no room, the highest values stay.
    for (key, head, name, rank) in [
        (
            "bytes_p50",
            "risk-head-bytes-p50",
            "risk-column-bytes-p50",
            4,
        ),
        (
            "bytes_p99",
            "risk-head-bytes-p99",
            "risk-column-bytes-p99",
            2,
        ),
        (
            "bytes_max",
            "risk-head-bytes-max",
            "risk-column-bytes-max",
            0,
        ),
        ("age_ns_p50", "risk-head-age-p50", "risk-column-age-p50", 3),
        ("age_ns_p99", "risk-head-age-p99", "risk-column-age-p99", 1),
        ("age_ns_max", "risk-head-age-max", "risk-column-age-max", 0),
    ] {
        let column = Column::number(key, Message::new(head)).named(Message::new(name));
        columns.push(column.optional(rank));
    }
    let mut table = Table::new("data_at_risk", columns);
    for (cell, risk) in known {
        add_rows(&mut table, cell, &risk, names);
    }
    vec![
        Block::Gap,
        Block::heading(Message::new("risk-heading")),
        table.into(),
        Block::toned(Tone::Dim, Message::new("risk-meaning")),
    ]
}

/// Adds a row for acknowledged writes, and one for promised ones.
fn add_rows(table: &mut Table, cell: &CellPart, risk: &Risk, names: &Names) {
    let sets = [
        ("risk-acknowledged", &risk.acknowledged, false),
        ("risk-promised", &risk.promised, true),
    ];
    for (set, volatile, is_promised) in sets {
        let mut row = names.values(&cell.cell());
        row.push(Cell::of(Message::new(set)));
        row.extend(numbers(volatile, is_promised));
        table.row(row);
    }
}

/// Returns the six numbers; what is promised and volatile is a broken promise.
fn numbers(volatile: &Volatile, is_promised: bool) -> [Cell; 6] {
    let shown = |words: Argument, number: u64| {
        if volatile.is_unbounded {
            let unbounded = Cell::of(Message::new("risk-unbounded"));
            return unbounded.tone(Tone::Warn).exact(f64::INFINITY);
        }
        let tone = match (number, is_promised) {
            (0, _) => Tone::Dim,
            (_, true) => Tone::Warn,
            (_, false) => Tone::Plain,
        };
        Cell::of(words).exact(as_f64(number)).tone(tone)
    };
    let size = |bytes: Bytes| shown(size(bytes.as_u64()), bytes.as_u64());
    let age = |age: Nanos| shown(time(age.as_u64()), age.as_u64());
    [
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
