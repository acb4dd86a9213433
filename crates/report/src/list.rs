//! The runs of a store, newest last.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use stripewise_answer::{Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message, shipped};
use stripewise_results::world::RunOrigin;
use stripewise_results::{ListedRun, RunState};

use crate::numbers::span;

/// Returns one line per run; times are in `zone`.
pub fn list(runs: &[ListedRun], zone: &TimeZone) -> Table {
    let has_tags = runs.iter().any(|run| !run.summary.tags.is_empty());
    let words = |key: &'static str, id: &'static str| Column::words(key, Message::new(id));
    let number = |key: &'static str, id: &'static str| Column::number(key, Message::new(id));
    let mut columns = vec![
        number("id", "list-column-run"),
        words("started", "list-column-begun"),
        number("executed_s", "list-column-took").optional(3),
        words("world", "list-column-world"),
        words("state", "list-column-state"),
        number("cells", "list-column-cells").optional(3),
        number("samples", "list-column-samples").optional(3),
    ];
    if has_tags {
        let tags = words("tags", "list-column-tags");
        columns.push(tags.optional(4).in_one_line());
    }
    columns.push(words("title", "list-column-question").in_one_line());
    let mut table = Table::new("runs", columns);
    for listed in runs {
        let run = &listed.summary;
        let took = listed.executed_ns.map(Duration::from_nanos);
        let took = took.map_or_else(Cell::none, |took| {
            Cell::name(span(took))
                .exact(took.as_secs_f64())
                .tone(Tone::Dim)
        });
        let mut cells = vec![
            Cell::name(run.id).tone(Tone::Strong),
            Cell::of(begun(run.started_unix_ns, zone)).tone(Tone::Dim),
            took,
            Cell::of(origin(&run.origin)),
            state(listed),
            Cell::name(run.cell_count),
            Cell::name(run.samples.counted),
        ];
        if has_tags {
            cells.push(Cell::name(run.tags.join(" ")).tone(Tone::Dim));
        }
        cells.push(Cell::of(shipped(run.title())));
        table.row(cells);
    }
    table
}

/// Returns where a run comes from.
pub(crate) fn origin(origin: &RunOrigin) -> Argument {
    match origin {
        RunOrigin::World(world) => Message::new(format!("world-{world}")).into(),
        other => Argument::Name(other.as_str().to_owned()),
    }
}

/// Returns the state of a run; a state that needs attention is coloured.
fn state(listed: &ListedRun) -> Cell {
    let (tone, message) = match (listed.summary.state, listed.cells_without_samples) {
        (RunState::Done, 0) => (Tone::Plain, Message::new("state-done")),
        (RunState::Done, empty) => {
            let message = Message::new("list-done-empty");
            (Tone::Warn, message.digits("count", empty))
        }
        (RunState::Running, _) => (Tone::Warn, Message::new("list-running")),
        (RunState::Interrupted, _) => (Tone::Warn, Message::new("state-interrupted")),
        (RunState::Failed, _) => (Tone::Warn, Message::new("state-failed")),
    };
    Cell::of(message).tone(tone)
}

/// Returns a moment as date and time of day in `zone`.
fn begun(unix_ns: u64, zone: &TimeZone) -> Argument {
    match Timestamp::from_nanosecond(i128::from(unix_ns)) {
        Ok(moment) => {
            let moment = moment.to_zoned(zone.clone());
            Argument::Name(moment.strftime("%Y-%m-%d %H:%M").to_string())
        }
        Err(_) => Message::new("list-time-unknown").into(),
    }
}
