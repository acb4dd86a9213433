//! The runs of a store for a terminal, newest last.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use stripewise_results::{RunState, RunSummary};

use crate::numbers::span;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN};
use crate::view::View;

/// Returns one line a run; times are in `zone`.
pub fn list(runs: &[RunSummary], zone: &TimeZone, view: View) -> String {
    let mut table = Table::new([
        Column::number("run"),
        Column::words("begun"),
        Column::number("took").optional(3),
        Column::words("world"),
        Column::words("state"),
        Column::number("cells").optional(3),
        Column::number("samples").optional(3),
        Column::words("question").in_one_line(),
    ])
    .bare();
    for run in runs {
        let took = run.ended_unix_ns.map_or_else(
            || "-".to_owned(),
            |ended| {
                span(Duration::from_nanos(
                    ended.saturating_sub(run.started_unix_ns),
                ))
            },
        );
        let state = match run.state {
            RunState::Done => Field::plain(run.state.as_str()),
            _ => Field::styled(WARN, run.state.as_str()),
        };
        table.row(vec![
            Field::styled(BOLD, run.id.to_string()),
            Field::styled(DIM, local(run.started_unix_ns, zone)),
            Field::styled(DIM, took),
            Field::plain(&run.world),
            state,
            Field::plain(run.cell_count.to_string()),
            Field::plain(run.samples.counted.to_string()),
            Field::plain(run.question.as_ref().unwrap_or(&run.study_name)),
        ]);
    }
    table.finish(view)
}

/// Returns a moment as date and time of day in `zone`.
pub(crate) fn local(unix_ns: u64, zone: &TimeZone) -> String {
    match Timestamp::from_nanosecond(i128::from(unix_ns)) {
        Ok(moment) => moment
            .to_zoned(zone.clone())
            .strftime("%Y-%m-%d %H:%M")
            .to_string(),
        Err(_) => "unknown".to_owned(),
    }
}
