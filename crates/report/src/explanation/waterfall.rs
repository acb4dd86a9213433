//! Where the time of an I/O goes.

use stripewise_catalogue::{Argument, Message};
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Part, PartTime};

use super::ExplainedCell;
use crate::bar::Bar;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM};
use crate::view::View;

/// A smaller share of an I/O is not worth a row.
const SHARE_MIN: f64 = 0.005;

impl ExplainedCell {
    /// Returns where the time of the mean I/O and of the slowest went: each part begins where the
    /// one before it ended.
    pub(super) fn waterfall(&self, view: View) -> String {
        let breakdown = &self.prediction.breakdown;
        let totals = (total(&breakdown.mean), total(&breakdown.slowest));
        let time = |value: f64| view.show(&Metric::LatencyMean.quantity(value));
        let percent = |share: f64| view.show(&Argument::percent(share));
        let mut table = head(view);
        let mut begin = 0.0;
        for part in Part::ALL {
            let mean = time_of(&breakdown.mean, part);
            let slowest = time_of(&breakdown.slowest, part);
            let end = begin + mean;
            let bar = Bar::of_part(begin, end, totals.0);
            begin = end;
            let (share, slowest_share) = (mean / totals.0, slowest / totals.1);
            if share < SHARE_MIN && slowest_share < SHARE_MIN {
                continue;
            }
            table.row(vec![
                Field::plain(view.say(&part.message())),
                Field::plain(time(mean)),
                Field::styled(DIM, percent(share)),
                Field::bar(bar),
                Field::plain(time(slowest)),
                Field::styled(DIM, percent(slowest_share)),
            ]);
        }
        table.row(vec![
            Field::styled(BOLD, view.say(&Message::new("predict-time-all"))),
            Field::styled(BOLD, time(totals.0)),
            Field::plain(""),
            Field::plain(""),
            Field::styled(BOLD, time(totals.1)),
            Field::plain(""),
        ]);
        let table = table.finish(view);
        match view.is_plain() {
            true => format!(
                "{}\n{table}",
                view.say(&Message::new("predict-time-heading"))
            ),
            false => table,
        }
    }
}

fn head(view: View) -> Table {
    let say = |id: &'static str| view.say(&Message::new(id));
    Table::new([
        Column::words(&say("predict-time-part")).named(""),
        Column::number(&say("predict-time-mean")).named(&say("predict-time-mean-name")),
        Column::number("").named(&say("predict-time-share")),
        Column::bar(),
        Column::number(&say("predict-time-slowest")).named(&say("predict-time-slowest-name")),
        Column::number("").named(&say("predict-time-slowest-share")),
    ])
}

fn total(parts: &[PartTime]) -> f64 {
    parts.iter().map(|part| part.time_ns).sum()
}

fn time_of(parts: &[PartTime], part: Part) -> f64 {
    let found = parts.iter().find(|other| other.part == part);
    found.map_or(0.0, |found| found.time_ns)
}
