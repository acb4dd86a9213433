//! How much like its trace a workload behaves, as a table.

use stripewise_answer::{Cell, Column, Table};
use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::fidelity::{Behaviour, Fidelity, Pace, Traffic};
use stripewise_study::sample::as_f64;

use crate::change::signed;
use crate::numbers::{mib_per_s, rate};

/// One quantity of trace and workload in the model.
struct Row {
    name: Cell,
    trace: Cell,
    workload: Cell,
    /// Of the workload, as a part of the trace's; `None` if that has none.
    difference: Option<f64>,
}

impl Row {
    fn new(name: Cell, (trace, workload): (f64, f64), show: impl Fn(f64) -> Argument) -> Self {
        let cell = |value: f64| Cell::of(show(value)).exact(value);
        Self {
            name,
            trace: cell(trace),
            workload: cell(workload),
            difference: (trace > 0.0).then(|| workload / trace - 1.0),
        }
    }

    fn difference(&self) -> Cell {
        self.difference.map_or_else(Cell::none, |difference| {
            let shown = Argument::quantity(signed(difference * 100.0, 1), "%");
            Cell::of(shown).exact(difference)
        })
    }
}

fn title(fidelity: &Fidelity) -> &'static str {
    match fidelity.pace {
        Pace::FlatOut => "trace-fit",
        Pace::AtTimes => "trace-fit-timed",
        Pace::Beside => "trace-fit-beside",
    }
}

fn rows(fidelity: &Fidelity) -> Vec<Row> {
    type Of = fn(&Behaviour) -> Option<f64>;
    type Show = fn(f64) -> Argument;
    let latency: Show = |ns| Argument::quantity(three_digits(ns / 1e3), "µs");
    let quantities: [([&'static str; 2], Of, Show); 7] = [
        (
            ["trace-fit-ios", "ios_per_s"],
            |one| Some(one.ios_per_s),
            |value| Argument::Digits(rate(value)),
        ),
        (
            ["trace-fit-mib", "bytes_per_s"],
            |one| Some(one.bytes_per_s),
            |value| Argument::Digits(mib_per_s(value)),
        ),
        (
            ["trace-fit-p50", "latency_ns_p50"],
            |one| one.latency_ns_p50.map(|time| as_f64(time.as_u64())),
            latency,
        ),
        (
            ["trace-fit-p99", "latency_ns_p99"],
            |one| one.latency_ns_p99.map(|time| as_f64(time.as_u64())),
            latency,
        ),
        (
            ["trace-fit-flush", "flush_ns_p50"],
            |one| one.flush_ns_p50.map(|time| as_f64(time.as_u64())),
            latency,
        ),
        (
            ["trace-fit-traffic", "device_bytes_per_byte"],
            |one| Some(one.device_bytes_per_byte),
            |value| Argument::Digits(three_digits(value)),
        ),
        (
            ["trace-fit-cache", "cache_share"],
            |one| one.cache_share,
            Argument::percent,
        ),
    ];
    let rows = quantities
        .into_iter()
        .filter_map(|([name, key], of, show)| {
            let both = (of(&fidelity.trace)?, of(&fidelity.workload)?);
            let name = Cell::of(Message::new(name)).key(key);
            Some(Row::new(name, both, show))
        });
    rows.chain(device_rows(fidelity)).collect()
}

/// Returns what each device of several moves.
fn device_rows(fidelity: &Fidelity) -> Vec<Row> {
    let both = fidelity
        .trace
        .devices
        .iter()
        .zip(&fidelity.workload.devices);
    if both.len() < 2 {
        return Vec::new();
    }
    type Of = fn(&Traffic) -> f64;
    let directions: [([&'static str; 2], Of); 2] = [
        (["trace-fit-device-reads", "read_bytes_per_s"], |device| {
            device.read_bytes_per_s
        }),
        (["trace-fit-device-writes", "write_bytes_per_s"], |device| {
            device.write_bytes_per_s
        }),
    ];
    let rows = both.flat_map(|(trace, workload)| {
        directions.map(|([name, key], of)| {
            let name = Cell::of(Message::new(name).name("device", &trace.name));
            let name = name.key(format!("{key} of {}", trace.name));
            let show = |value| Argument::Digits(mib_per_s(value));
            let is_used = of(trace) > 0.0 || of(workload) > 0.0;
            is_used.then(|| Row::new(name, (of(trace), of(workload)), show))
        })
    });
    rows.flatten().collect()
}

/// Returns the comparison as a table.
pub(super) fn table(fidelity: &Fidelity) -> Table {
    let number = |key: &'static str, id: &'static str| Column::number(key, Message::new(id));
    let columns = [
        Column::words("quantity", Message::new(title(fidelity))),
        number("trace", "trace-fit-trace"),
        number("workload", "trace-fit-workload"),
        number("difference", "trace-fit-difference"),
    ];
    let mut table = Table::new("fit", columns);
    for row in rows(fidelity) {
        let difference = row.difference();
        table.row([row.name, row.trace, row.workload, difference]);
    }
    table
}
