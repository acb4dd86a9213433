//! Where the time of an I/O goes.

use stripewise_answer::{Bar, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Part, PartTime};

use super::ExplainedCell;

/// A smaller share of an I/O is not worth a row.
const SHARE_MIN: f64 = 0.005;

impl ExplainedCell {
    /// Returns where the time of the mean I/O and of the slowest went: each part begins where the
    /// one before it ended.
    pub(super) fn waterfall(&self) -> Table {
        let breakdown = &self.prediction.breakdown;
        let totals = (total(&breakdown.mean), total(&breakdown.slowest));
        let time = |value: f64| Cell::of(Metric::LatencyMean.quantity(value)).exact(value);
        let percent = |share: f64| {
            Cell::of(Argument::percent(share))
                .exact(share)
                .tone(Tone::Dim)
        };
        let mut table = Table::new("parts", columns());
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
            table.row([
                Cell::of(part.message()),
                time(mean),
                percent(share),
                Cell::bar(bar),
                time(slowest),
                percent(slowest_share),
            ]);
        }
        table.row([
            Cell::of(Message::new("predict-time-all")).tone(Tone::Strong),
            time(totals.0).tone(Tone::Strong),
            Cell::empty(),
            Cell::empty(),
            time(totals.1).tone(Tone::Strong),
            Cell::empty(),
        ]);
        table.caption(Message::new("predict-time-heading"))
    }
}

fn columns() -> [Column; 6] {
    let say = |id: &'static str| Message::new(id);
    let blank = || Argument::Name(String::new());
    [
        Column::words("part", say("predict-time-part")).named(blank()),
        Column::number("mean_ns", say("predict-time-mean")).named(say("predict-time-mean-name")),
        Column::number("mean_share", blank()).named(say("predict-time-share")),
        Column::bar(),
        Column::number("slowest_ns", say("predict-time-slowest"))
            .named(say("predict-time-slowest-name")),
        Column::number("slowest_share", blank()).named(say("predict-time-slowest-share")),
    ]
}

fn total(parts: &[PartTime]) -> f64 {
    parts.iter().map(|part| part.time_ns).sum()
}

fn time_of(parts: &[PartTime], part: Part) -> f64 {
    let found = parts.iter().find(|other| other.part == part);
    found.map_or(0.0, |found| found.time_ns)
}
