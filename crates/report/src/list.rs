//! The runs of a store for a terminal, newest last.

use std::time::Duration;

use anstyle::Style;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use stripewise_catalogue::Message;
use stripewise_results::{ListedRun, RunState};

use crate::numbers::span;
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN};
use crate::view::View;

/// Returns one line per run; times are in `zone`.
pub fn list(runs: &[ListedRun], zone: &TimeZone, view: View) -> String {
    let has_tags = runs.iter().any(|run| !run.summary.tags.is_empty());
    let say = |id: &'static str| view.say(&Message::new(id));
    let mut columns = vec![
        Column::number(&say("list-column-run")),
        Column::words(&say("list-column-begun")),
        Column::number(&say("list-column-took")).optional(3),
        Column::words(&say("list-column-world")),
        Column::words(&say("list-column-state")),
        Column::number(&say("list-column-cells")).optional(3),
        Column::number(&say("list-column-samples")).optional(3),
    ];
    if has_tags {
        let tags = Column::words(&say("list-column-tags"));
        columns.push(tags.optional(4).in_one_line());
    }
    columns.push(Column::words(&say("list-column-question")).in_one_line());
    let mut table = Table::new(columns).bare();
    for listed in runs {
        let run = &listed.summary;
        let took = listed.executed_ns.map_or_else(
            || "-".to_owned(),
            |executed| span(Duration::from_nanos(executed)),
        );
        let mut fields = vec![
            Field::styled(BOLD, run.id.to_string()),
            Field::styled(DIM, begun(run.started_unix_ns, zone, view)),
            Field::styled(DIM, took),
            Field::plain(run.origin.as_str()),
            state(listed, view),
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

/// Returns the state of a run; a state that needs attention is coloured.
fn state(listed: &ListedRun, view: View) -> Field {
    let (style, message) = match (listed.summary.state, listed.cells_without_samples) {
        (RunState::Done, 0) => (Style::new(), Message::new("state-done")),
        (RunState::Done, empty) => (WARN, Message::new("list-done-empty").digits("count", empty)),
        (RunState::Running, _) => (WARN, Message::new("list-running")),
        (RunState::Interrupted, _) => (WARN, Message::new("state-interrupted")),
        (RunState::Failed, _) => (WARN, Message::new("state-failed")),
    };
    Field::styled(style, view.say(&message))
}

/// Returns a moment as date and time of day in `zone`.
fn begun(unix_ns: u64, zone: &TimeZone, view: View) -> String {
    match Timestamp::from_nanosecond(i128::from(unix_ns)) {
        Ok(moment) => moment
            .to_zoned(zone.clone())
            .strftime("%Y-%m-%d %H:%M")
            .to_string(),
        Err(_) => view.say(&Message::new("list-time-unknown")),
    }
}
