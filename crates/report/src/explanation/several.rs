//! Several predictions: one per row, and notes for which a row has no room.

use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::requirement::Quantity;
use stripewise_study::cell::{self, Axis};
use stripewise_study::load::{LOAD_KEYS, Load};
use stripewise_study::metric::Metric;
use stripewise_units::Bytes;

use super::ExplainedCell;
use super::advice_words::in_words;
use super::answer::{is_shipped, load_in_words, short_stack, still_changing};
use crate::names::has_two_values;
use crate::numbers::{estimate_cells, is_small, rate};

/// Returns several predictions, one per row, and notes for which a row has no room: the beginning
/// of a load, and values still changing.
pub(super) fn blocks(cells: &[ExplainedCell]) -> Vec<Block> {
    let mut blocks = vec![table(cells).into()];
    for cell in cells {
        let notes = onset(cell).into_iter().chain(changing(cell));
        blocks.extend(notes.map(|note| noted(cell, note)));
    }
    blocks
}

/// Returns the same of designs for the same loads, the one that counts first: each note once, for the first
/// row that has it, and how many others have it.
pub(super) fn blocks_once(cells: &[ExplainedCell]) -> Vec<Block> {
    let mut blocks = vec![table(cells).into()];
    for note in [onset, changing] {
        let mut all = cells.iter().filter_map(|cell| Some((cell, note(cell)?)));
        let Some((cell, first)) = all.next() else {
            continue;
        };
        blocks.push(noted(cell, first));
        let others = all.count();
        blocks.extend((others > 0).then(|| {
            let message = Message::new("predict-note-others").count("count", others);
            Block::toned(Tone::Warn, message)
        }));
    }
    blocks
}

/// Returns the beginning of a load, where no state of its own shows it.
fn onset(cell: &ExplainedCell) -> Option<Message> {
    cell.onset().filter(|_| cell.fresh.is_none())
}

fn changing(cell: &ExplainedCell) -> Option<Message> {
    cell.prediction.changing.map(still_changing)
}

fn noted(cell: &ExplainedCell, note: Message) -> Block {
    let message = Message::new("predict-note").with("cell", cell.name());
    Block::toned(Tone::Warn, message.with("note", note))
}

/// Returns the columns that name cells.
pub(super) fn names_of_cells() -> Vec<Column> {
    let axes = [Axis::Stack, Axis::Workload].into_iter();
    axes.map(|axis| Column::group(axis.key(), axis.message()))
        .collect()
}

/// Returns what names a cell in them.
pub(super) fn names(cell: &ExplainedCell) -> Vec<Cell> {
    let stack = short_stack(&cell.cell.stack);
    let stack = match &cell.label {
        Some(label) => Message::new("advise-own-row")
            .with("stack", stack)
            .name("array", label)
            .into(),
        None => stack,
    };
    vec![Cell::of(stack), Cell::of(workload(cell))]
}

/// Returns the table of predictions.
pub(super) fn table(cells: &[ExplainedCell]) -> Table {
    let is_small = cells.iter().any(|cell| is_small(&cell.cell.workload.load));
    let times = times(cells);
    let has_rebuild = cells.iter().any(|cell| cell.rebuild_ns.is_some());
    let mut table = Table::new("predictions", columns(is_small, &times, has_rebuild));
    let bandwidth = |cell: &ExplainedCell| cell.value(Metric::Bandwidth).unwrap_or(0.0);
    let most = cells.iter().map(bandwidth).fold(0.0, f64::max);
    for cell in cells {
        let value = |metric: Metric| {
            cell.value(metric).map_or_else(Cell::empty, |value| {
                Cell::of(metric.quantity(value)).exact(value)
            })
        };
        let mut row = names(cell);
        let iops = cell.value(Metric::Iops);
        let iops = iops.map_or_else(Cell::empty, |iops| Cell::digits(rate(iops)).exact(iops));
        let [bandwidth, half, bar] = match cell.prediction.estimate(Metric::Bandwidth) {
            Some(estimate) => estimate_cells(Metric::Bandwidth, estimate, most),
            None => [Cell::none(), Cell::empty(), Cell::empty()],
        };
        row.extend([bandwidth, half, iops, bar]);
        row.extend(times.iter().map(|(metric, _)| value(*metric)));
        if has_rebuild {
            row.push(cell.rebuild_ns.map_or_else(Cell::none, |time| {
                Cell::of(in_words(Quantity::Rebuild, time)).exact(time)
            }));
        }
        row.push(Cell::of(cell.why.bottleneck.brief()));
        table.row(row);
    }
    table
}

/// Returns the times that are shown, with the order in which a narrow medium leaves them out. Of loads
/// that commit, the time of the commit counts, not that of the write before it.
fn times(cells: &[ExplainedCell]) -> Vec<(Metric, u8)> {
    let commits = |cell: &ExplainedCell| cell.value(Metric::SyncLatencyMean).is_some();
    let io = [(Metric::LatencyMean, 2), (Metric::LatencyP99, 3)];
    let commit = [(Metric::SyncLatencyMean, 0), (Metric::SyncLatencyP99, 3)];
    let is_shown = [!cells.iter().all(commits), cells.iter().any(commits)];
    let shown = [io, commit].into_iter().zip(is_shown);
    shown
        .filter(|(_, is_shown)| *is_shown)
        .flat_map(|(times, _)| times)
        .collect()
}

fn columns(is_small: bool, times: &[(Metric, u8)], has_rebuild: bool) -> Vec<Column> {
    let name = |name: &str| Argument::Name(name.to_owned());
    let number =
        |metric: Metric, head: Argument| Column::number(metric.key(), head).named(metric.message());
    let iops = number(Metric::Iops, name("IOPS"));
    let iops = match is_small {
        true => iops,
        false => iops.optional(1),
    };
    let mut columns = names_of_cells();
    columns.extend([
        number(Metric::Bandwidth, name("MiB/s")).unit("MiB/s"),
        Column::interval(Metric::Bandwidth.key()),
        iops,
        Column::bar(),
    ]);
    columns.extend(times.iter().map(|&(metric, rank)| {
        let head: Argument = match metric {
            Metric::LatencyMean => Message::new("predict-time-mean").into(),
            Metric::SyncLatencyMean => Message::new("predict-time-commit").into(),
            Metric::SyncLatencyP99 => Message::new("predict-time-commit-p99").into(),
            _ => name("p99"),
        };
        number(metric, head).optional(rank)
    }));
    columns.extend(has_rebuild.then(|| {
        let head = Message::new("lifetime-column-rebuild");
        let column = Column::number("rebuild_ns", head);
        column.named(Message::new("lifetime-name-rebuild"))
    }));
    columns.push(Column::words("limit", Message::new("predict-limit")));
    columns
}

/// Keys of a load that each name has already, or that go without saying where they do not vary.
const SAID: [Axis; 6] = [
    Axis::Pattern,
    Axis::BlockSize,
    Axis::Depth,
    Axis::Jobs,
    Axis::Size,
    Axis::Engine,
];

/// The share of reads of a mix that states none.
const READ_PERCENT_USUAL: u8 = 50;

/// Returns the load of a row: `randread 4K depth 16`, with what else sets it apart.
pub(super) fn workload(cell: &ExplainedCell) -> Argument {
    let load = &cell.cell.workload.load;
    let words = std::iter::once(load_in_words(&cell.cell));
    if is_shipped(&cell.cell) {
        return Argument::spaced(words);
    }
    let more = [(Axis::Depth, load.depth > 1), (Axis::Jobs, load.jobs > 1)];
    let more = more.into_iter().filter(|(_, is_shown)| *is_shown);
    let axes = more.map(|(axis, _)| axis);
    let axes = axes.chain(own_axes(&cell.cell));
    let axes = axes.chain(cell.varying.iter().copied());
    let values = axes.filter_map(|axis| cell.cell.named_value(axis));
    Argument::spaced(words.chain(values))
}

/// Returns the keys that a load states beside those that each name has: `fsync`, `think_time`.
pub(super) fn own_axes(cell: &cell::Cell) -> Vec<Axis> {
    let load = &cell.workload.load;
    let mut usual = cell.clone();
    usual.workload.load = Load::new(load.pattern, load.size_bytes, Bytes::default());
    usual.workload.load.read_percent = load.read_percent.map(|_| READ_PERCENT_USUAL);
    let keys = LOAD_KEYS.iter().map(|key| key.axis);
    let own = keys.filter(|axis| !SAID.contains(axis) && cell.at(*axis) != usual.at(*axis));
    own.collect()
}

/// Returns what else the loads of an answer differ in: the size of the file, and the engine where the
/// depth does not decide it.
pub(super) fn varying(cells: &[ExplainedCell]) -> Vec<Axis> {
    let differ = |axis: &Axis, other: Option<Axis>| {
        let cells = cells.iter().map(|cell| &cell.cell);
        has_two_values(cells.map(|cell| (other.map(|other| cell.value(other)), cell.value(*axis))))
    };
    let axes = [(Axis::Size, None), (Axis::Engine, Some(Axis::Depth))];
    let axes = axes.into_iter().filter(|(axis, by)| differ(axis, *by));
    axes.map(|(axis, _)| axis).collect()
}
