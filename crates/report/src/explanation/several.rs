//! Several predictions: one per row, and notes for which a row has no room.

use stripewise_catalogue::{Argument, Message};
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::metric::Metric;

use super::ExplainedCell;
use super::answer::{load_in_words, short_stack, still_changing};
use crate::bar::Bar;
use crate::numbers::{Reading, rate};
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN, painted};
use crate::view::View;

/// Returns several predictions, one per row.
pub(super) fn table(cells: &[ExplainedCell], view: View) -> String {
    let mut table = head(view);
    let bandwidth = |cell: &ExplainedCell| cell.value(Metric::Bandwidth).unwrap_or(0.0);
    let most = cells.iter().map(bandwidth).fold(0.0, f64::max);
    let digits = |digits: String| view.show(&Argument::Digits(digits));
    let mut before = None;
    for cell in cells {
        let stack = view.show(&short_stack(&cell.cell.stack));
        let value = |metric: Metric| {
            cell.value(metric)
                .map_or_else(String::new, |value| view.show(&metric.quantity(value)))
        };
        let mut row = vec![
            Field::plain(&stack).repeated(before.as_ref() == Some(&stack)),
            Field::plain(workload(&cell.cell, view)),
        ];
        row.extend(match cell.prediction.estimate(Metric::Bandwidth) {
            Some(estimate) => {
                let reading = Reading::new(Metric::Bandwidth, estimate);
                [
                    Field::styled(BOLD, digits(reading.value)),
                    Field::styled(DIM, digits(reading.half)),
                    Field::bar(Bar::of_estimate(estimate, most)),
                ]
            }
            None => ["-", "", ""].map(Field::plain),
        });
        let iops = cell.value(Metric::Iops);
        row.extend([
            Field::plain(iops.map_or_else(String::new, |iops| digits(rate(iops)))),
            Field::plain(value(Metric::LatencyMean)),
            Field::plain(value(Metric::LatencyP99)),
            Field::plain(view.say(&cell.why.bottleneck.short())),
        ]);
        table.row(row);
        before = Some(stack);
    }
    table.finish(view)
}

fn head(view: View) -> Table {
    let say = |message: Message| view.say(&message);
    let mean = say(Message::new("predict-time-mean"));
    Table::new([
        Column::group(&say(Axis::Stack.message())),
        Column::group(&say(Axis::Workload.message())),
        Column::number("MiB/s")
            .named(&say(Metric::Bandwidth.message()))
            .unit("MiB/s"),
        Column::interval(),
        Column::bar(),
        Column::number("IOPS")
            .named(&say(Metric::Iops.message()))
            .optional(1),
        Column::number(&mean)
            .named(&say(Metric::LatencyMean.message()))
            .optional(2),
        Column::number("p99")
            .named(&say(Metric::LatencyP99.message()))
            .optional(3),
        Column::words(&say(Message::new("predict-limit"))),
    ])
}

/// Returns the load of a row: `randread 4K depth 16`.
fn workload(cell: &Cell, view: View) -> String {
    let load = &cell.workload.load;
    let mut words = vec![view.show(&load_in_words(cell))];
    for (axis, is_shown) in [(Axis::Depth, load.depth > 1), (Axis::Jobs, load.jobs > 1)] {
        let value = cell.named_value(axis).filter(|_| is_shown);
        words.extend(value.map(|value| view.show(&value)));
    }
    words.join(" ")
}

/// Returns notes for which a row has no room: the beginning of a load, and values still changing.
pub(super) fn notes(cells: &[ExplainedCell], view: View) -> String {
    let mut text = String::new();
    for cell in cells {
        let changing = cell.prediction.changing.map(still_changing);
        for note in cell.onset().into_iter().chain(changing) {
            let note = Message::new("predict-note")
                .with("cell", cell.name())
                .with("note", note);
            text.push_str(&painted(WARN, &view.say(&note), view));
        }
    }
    text
}
