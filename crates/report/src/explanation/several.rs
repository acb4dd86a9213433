//! Several predictions: one per row, and notes for which a row has no room.

use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::cell::{self, Axis};
use stripewise_study::metric::Metric;
use stripewise_units::Bytes;

use super::ExplainedCell;
use super::answer::{load_in_words, short_stack, still_changing};
use crate::numbers::{estimate_cells, rate};

/// Returns several predictions, one per row, and notes for which a row has no room: the beginning
/// of a load, and values still changing.
pub(super) fn blocks(cells: &[ExplainedCell]) -> Vec<Block> {
    let mut blocks = vec![table(cells).into()];
    for cell in cells {
        let changing = cell.prediction.changing.map(still_changing);
        let onset = cell.onset().filter(|_| cell.fresh.is_none());
        let notes = onset.into_iter().chain(changing);
        blocks.extend(notes.map(|note| {
            let message = Message::new("predict-note").with("cell", cell.name());
            Block::toned(Tone::Warn, message.with("note", note))
        }));
    }
    blocks
}

fn table(cells: &[ExplainedCell]) -> Table {
    let is_small = cells.iter().any(|cell| {
        let largest = cell.cell.workload.load.block_size.largest();
        largest <= IOPS_BLOCK_MAX
    });
    let mut table = Table::new("predictions", columns(is_small));
    let bandwidth = |cell: &ExplainedCell| cell.value(Metric::Bandwidth).unwrap_or(0.0);
    let most = cells.iter().map(bandwidth).fold(0.0, f64::max);
    for cell in cells {
        let stack = short_stack(&cell.cell.stack);
        let value = |metric: Metric| {
            cell.value(metric).map_or_else(Cell::empty, |value| {
                Cell::of(metric.quantity(value)).exact(value)
            })
        };
        let mut row = vec![Cell::of(stack), Cell::of(workload(&cell.cell))];
        let iops = cell.value(Metric::Iops);
        let iops = iops.map_or_else(Cell::empty, |iops| Cell::digits(rate(iops)).exact(iops));
        let [bandwidth, half, bar] = match cell.prediction.estimate(Metric::Bandwidth) {
            Some(estimate) => estimate_cells(Metric::Bandwidth, estimate, most),
            None => [Cell::name("-"), Cell::empty(), Cell::empty()],
        };
        row.extend([
            bandwidth,
            half,
            iops,
            bar,
            value(Metric::LatencyMean),
            value(Metric::LatencyP99),
            Cell::of(cell.why.bottleneck.short()),
        ]);
        table.row(row);
    }
    table
}

/// Up to this block size, the rate of I/Os is always shown.
const IOPS_BLOCK_MAX: Bytes = Bytes::new(64 << 10);

fn columns(is_small: bool) -> [Column; 9] {
    let name = |name: &str| Argument::Name(name.to_owned());
    let number =
        |metric: Metric, head: Argument| Column::number(metric.key(), head).named(metric.message());
    let iops = number(Metric::Iops, name("IOPS"));
    let iops = match is_small {
        true => iops,
        false => iops.optional(1),
    };
    [
        Column::group("stack", Axis::Stack.message()),
        Column::group("workload", Axis::Workload.message()),
        number(Metric::Bandwidth, name("MiB/s")).unit("MiB/s"),
        Column::interval("bandwidth_half_width"),
        iops,
        Column::bar(),
        number(
            Metric::LatencyMean,
            Message::new("predict-time-mean").into(),
        )
        .optional(2),
        number(Metric::LatencyP99, name("p99")).optional(3),
        Column::words("limit", Message::new("predict-limit")),
    ]
}

/// Returns the load of a row: `randread 4K depth 16`.
fn workload(cell: &cell::Cell) -> Argument {
    let load = &cell.workload.load;
    let more = [(Axis::Depth, load.depth > 1), (Axis::Jobs, load.jobs > 1)];
    let more = more.into_iter().filter(|(_, is_shown)| *is_shown);
    let more = more.filter_map(|(axis, _)| cell.named_value(axis));
    Argument::spaced(std::iter::once(load_in_words(cell)).chain(more))
}
