//! The runs of a store for a terminal, newest last.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use stripewise_results::{ListedRun, RunState};

use crate::numbers::span;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN};
use crate::view::View;

/// Returns one line per run; times are in `zone`.
pub fn list(runs: &[ListedRun], zone: &TimeZone, view: View) -> String {
    let has_tags = runs.iter().any(|run| !run.summary.tags.is_empty());
    let mut columns = vec![
        Column::number("run"),
        Column::words("begun"),
        Column::number("took").optional(3),
        Column::words("world"),
        Column::words("state"),
        Column::number("cells").optional(3),
        Column::number("samples").optional(3),
    ];
    if has_tags {
        columns.push(Column::words("tags").optional(4).in_one_line());
    }
    columns.push(Column::words("question").in_one_line());
    let mut table = Table::new(columns).bare();
    for listed in runs {
        let run = &listed.summary;
        let took = listed.executed_ns.map_or_else(
            || "-".to_owned(),
            |executed| span(Duration::from_nanos(executed)),
        );
        let state = match (run.state, listed.cells_without_samples) {
            (RunState::Done, 0) => Field::plain(run.state.as_str()),
            (RunState::Done, empty) => Field::styled(WARN, format!("done ({empty} empty)")),
            _ => Field::styled(WARN, run.state.as_str()),
        };
        let mut fields = vec![
            Field::styled(BOLD, run.id.to_string()),
            Field::styled(DIM, local(run.started_unix_ns, zone)),
            Field::styled(DIM, took),
            Field::plain(&run.world),
            state,
            Field::plain(run.cell_count.to_string()),
            Field::plain(run.samples.counted.to_string()),
        ];
        if has_tags {
            fields.push(Field::styled(DIM, run.tags.join(" ")));
        }
        fields.push(Field::plain(run.title()));
        table.row(fields);
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
