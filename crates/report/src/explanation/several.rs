//! Several predictions: one per row, and notes for which a row has no room.

use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::cell::{self, Axis};
use stripewise_study::metric::Metric;

use super::ExplainedCell;
use super::answer::{load_in_words, short_stack, still_changing};
use crate::numbers::{estimate_cells, rate};

/// Returns several predictions, one per row, and notes for which a row has no room: the beginning
/// of a load, and values still changing.
pub(super) fn blocks(cells: &[ExplainedCell]) -> Vec<Block> {
    let mut blocks = vec![table(cells).into()];
    for cell in cells {
        let changing = cell.prediction.changing.map(still_changing);
        let notes = cell.onset().into_iter().chain(changing);
        blocks.extend(notes.map(|note| {
            let message = Message::new("predict-note").with("cell", cell.name());
            Block::toned(Tone::Warn, message.with("note", note))
        }));
    }
    blocks
}

fn table(cells: &[ExplainedCell]) -> Table {
    let mut table = Table::new("predictions", columns());
    let bandwidth = |cell: &ExplainedCell| cell.value(Metric::Bandwidth).unwrap_or(0.0);
    let most = cells.iter().map(bandwidth).fold(0.0, f64::max);
    let mut before = None;
    for cell in cells {
        let stack = short_stack(&cell.cell.stack);
        let value = |metric: Metric| {
            cell.value(metric).map_or_else(Cell::empty, |value| {
                Cell::of(metric.quantity(value)).exact(value)
            })
        };
        let is_repeated = before.as_ref() == Some(&stack);
        let mut row = vec![
            Cell::of(stack.clone()).repeated(is_repeated),
            Cell::of(workload(&cell.cell)),
        ];
        row.extend(match cell.prediction.estimate(Metric::Bandwidth) {
            Some(estimate) => estimate_cells(Metric::Bandwidth, estimate, most),
            None => [Cell::name("-"), Cell::empty(), Cell::empty()],
        });
        let iops = cell.value(Metric::Iops);
        row.extend([
            iops.map_or_else(Cell::empty, |iops| Cell::digits(rate(iops)).exact(iops)),
            value(Metric::LatencyMean),
            value(Metric::LatencyP99),
            Cell::of(cell.why.bottleneck.short()),
        ]);
        table.row(row);
        before = Some(stack);
    }
    table
}

fn columns() -> [Column; 9] {
    let name = |name: &str| Argument::Name(name.to_owned());
    let number =
        |metric: Metric, head: Argument| Column::number(metric.key(), head).named(metric.message());
    [
        Column::group("stack", Axis::Stack.message()),
        Column::group("workload", Axis::Workload.message()),
        number(Metric::Bandwidth, name("MiB/s")).unit("MiB/s"),
        Column::interval("bandwidth_half_width"),
        Column::bar(),
        number(Metric::Iops, name("IOPS")).optional(1),
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
