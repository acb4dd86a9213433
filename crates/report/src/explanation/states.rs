//! Fresh devices beside steady ones: two answers, how long the first one holds, and which of them
//! applies at the daily volume.
//!
//! A prediction is for the long run. A device that has just been trimmed, or whose fast area has room,
//! is faster, and a host that writes little in a day may never see the long run.

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::prediction::Prediction;
use stripewise_study::cell::{self, Axis};
use stripewise_study::metric::Metric;
use stripewise_study::sample::as_f64;
use stripewise_units::{Bytes, Nanos};

use super::ExplainedCell;
use super::answer::{load_in_words, short_stack};
use crate::numbers::{mib_per_s, size_argument, span};

/// States that differ by more than this share are both shown.
const DIFFERENCE: f64 = 0.10;
/// Two stacks that differ by more than this share have an order.
const ORDER: f64 = 0.05;
const DAY_NS: f64 = 86_400.0 * 1e9;

/// What fresh devices give, and when they are steady.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FreshState {
    /// Their bandwidth.
    pub bytes_per_s: f64,
    /// Their rate of I/Os.
    pub ios_per_s: f64,
    /// The bytes of the load until they are steady; `None` if that is unknown.
    pub until_bytes: Option<Bytes>,
    /// The time until then at full speed.
    pub until_ns: Option<Nanos>,
    /// How many of these bytes are written.
    pub until_written_bytes: Option<Bytes>,
}

impl FreshState {
    /// Returns the fresh state of a cell, from the prediction of it beside that of the steady one.
    pub fn of(cell: &cell::Cell, fresh: &Prediction, steady: &Prediction) -> Option<Self> {
        let bytes_per_s = fresh.estimate(Metric::Bandwidth)?.value;
        let ios_per_s = fresh.estimate(Metric::Iops).map_or(0.0, |iops| iops.value);
        let until = steady.breakdown.onset.map(|onset| onset.bytes);
        let load = &cell.workload.load;
        let written = match (load.pattern.writes(), load.read_percent) {
            (false, _) => 0,
            (true, reads) => 100 - u64::from(reads.unwrap_or(0)),
        };
        let of_written = |bytes: Bytes| Bytes::new(bytes.as_u64() / 100 * written);
        let time = |bytes: Bytes| whole_ns(bytes, bytes_per_s);
        Some(Self {
            bytes_per_s,
            ios_per_s,
            until_bytes: until,
            until_ns: until.and_then(time),
            until_written_bytes: until.map(of_written).filter(|bytes| bytes.as_u64() > 0),
        })
    }
}

/// Returns how long bytes take at a rate.
fn whole_ns(bytes: Bytes, bytes_per_s: f64) -> Option<Nanos> {
    let seconds = as_f64(bytes.as_u64()) / bytes_per_s;
    let time = std::time::Duration::try_from_secs_f64(seconds).ok()?;
    u64::try_from(time.as_nanos()).ok().map(Nanos::new)
}

/// A cell with both states.
struct Both<'a> {
    cell: &'a ExplainedCell,
    fresh: FreshState,
    steady: f64,
}

/// Returns both states of cells where they differ, or rank differently; `volume` is what is written in
/// a day.
pub(super) fn blocks(cells: &[ExplainedCell], volume: Option<Bytes>) -> Vec<Block> {
    let both = |cell: &'_ ExplainedCell| {
        let steady = cell.value(Metric::Bandwidth)?;
        Some((cell.fresh?, steady))
    };
    let rows = cells.iter().filter_map(|cell| {
        let (fresh, steady) = both(cell)?;
        Some(Both {
            cell,
            fresh,
            steady,
        })
    });
    let rows: Vec<Both> = rows.collect();
    let differs = |row: &Both| (row.fresh.bytes_per_s / row.steady - 1.0).abs() > DIFFERENCE;
    if !rows.iter().any(differs) && !ranks_differ(&rows) {
        return Vec::new();
    }
    let mut blocks = vec![
        Block::Gap,
        Block::toned(Tone::Strong, Message::new("states-title")),
        table(&rows, volume).into(),
        Block::toned(Tone::Dim, Message::new("states-what")),
    ];
    blocks.extend(applies(&rows, volume).into_iter().map(Block::say));
    blocks
}

/// Returns whether two stacks have another order in one state than in the other, at the same load.
fn ranks_differ(rows: &[Both]) -> bool {
    let is_more = |one: f64, other: f64| one > other * (1.0 + ORDER);
    rows.iter().any(|one| {
        rows.iter().any(|other| {
            is_more(one.fresh.bytes_per_s, other.fresh.bytes_per_s)
                && is_more(other.steady, one.steady)
                && one.cell.cell.workload == other.cell.cell.workload
        })
    })
}

fn table(rows: &[Both], volume: Option<Bytes>) -> Table {
    let name = |id: &'static str| Message::new(id);
    let load = |row: &Both| load_in_words(&row.cell.cell);
    let several = rows.iter().any(|row| load(row) != load(&rows[0]));
    let mut columns = vec![Column::group("stack", Axis::Stack.message())];
    columns.extend(several.then(|| Column::group("workload", Axis::Workload.message())));
    columns.extend([
        Column::number("fresh", name("states-fresh")).unit("MiB/s"),
        Column::number("steady", name("states-steady")).unit("MiB/s"),
        Column::number("until", name("states-after")),
        Column::number("until_time", name("states-full-speed")),
    ]);
    columns.extend(volume.map(|volume| {
        let head = Message::new("states-a-day").with("volume", size_argument(volume.as_u64()));
        Column::number("until_days", head)
    }));
    let mut table = Table::new("states", columns);
    for row in rows {
        let stack = short_stack(&row.cell.cell.stack);
        let rate = |value: f64| Cell::digits(mib_per_s(value)).exact(value);
        let time = |ns: Option<Nanos>| {
            ns.map_or_else(Cell::none, |ns| {
                let seconds = ns.as_secs_f64();
                let shown = std::time::Duration::from_nanos(ns.as_u64());
                Cell::of(Argument::Name(days(shown))).exact(seconds)
            })
        };
        let mut fields = vec![Cell::of(stack)];
        fields.extend(several.then(|| Cell::of(load(row))));
        fields.extend([
            rate(row.fresh.bytes_per_s),
            rate(row.steady),
            row.fresh
                .until_bytes
                .map_or_else(Cell::none, |bytes| Cell::of(size_argument(bytes.as_u64()))),
            time(row.fresh.until_ns),
        ]);
        let at_volume = |volume: Bytes| {
            let written = row.fresh.until_written_bytes?;
            let a_day = as_f64(volume.as_u64());
            whole_ns(written, a_day / DAY_NS * 1e9)
        };
        fields.extend(volume.map(|volume| time(at_volume(volume))));
        table.row(fields);
    }
    table
}

/// Returns a time for people, in days from two days on.
fn days(time: std::time::Duration) -> String {
    match time.as_secs() / 86_400 {
        0..2 => span(time),
        days => format!("{days} d"),
    }
}

/// Returns whether cells with so much to write until they are steady are of a kind, at a daily volume.
type IsOfKind = fn(Option<Bytes>, Bytes) -> bool;

/// Returns which state applies at the daily volume, or how to learn it.
fn applies(rows: &[Both], volume: Option<Bytes>) -> Vec<Message> {
    let Some(volume) = volume else {
        return vec![Message::new("states-ask")];
    };
    let mut sentences = Vec::new();
    let kinds: [(&'static str, IsOfKind); 3] = [
        ("states-applies-fresh", |until, volume| {
            until.is_some_and(|until| until > volume)
        }),
        ("states-applies-steady", |until, volume| {
            until.is_some_and(|until| until <= volume)
        }),
        ("states-applies-unknown", |until, _| until.is_none()),
    ];
    for (id, is_of_kind) in kinds {
        let of_kind = rows
            .iter()
            .filter(|row| is_of_kind(row.fresh.until_written_bytes, volume));
        let names: Vec<Message> = of_kind.map(|row| row.cell.name()).collect();
        if names.is_empty() {
            continue;
        }
        let which = match names.len() == rows.len() {
            true => Message::new("states-all").into(),
            false => Argument::list(names),
        };
        let message = Message::new(id).with("volume", size_argument(volume.as_u64()));
        sentences.push(message.with("which", which).as_sentence());
    }
    sentences
}
