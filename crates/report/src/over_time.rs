//! The effect of a failure on the load, for a terminal: a chart of each affected cell, the
//! throughput of each phase, and the duration of the rebuild.

use std::fmt::Display;
use std::time::Duration;

use stripewise_analysis::timeline::Timeline;
use stripewise_catalogue::{Argument, Message};
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::series::{Happened, Series};
use stripewise_units::Nanos;

use crate::bar::sparkline;
use crate::document::{CellPart, Document};
use crate::names::Names;
use crate::numbers::{Reading, mib_per_s, size_argument, span};
use crate::text::{BOLD, DIM, paint, painted, strip_control, wrapped_from};
use crate::view::View;

/// The width of a series in characters.
const COLUMNS: usize = 50;
/// The width of the indent and the highest value beside it.
const BESIDE: usize = 24;
const INDENT: &str = "  ";

/// Returns the block of the cells with a failure; empty if there are none.
pub(crate) fn over_time(document: &Document, names: &Names, view: View) -> String {
    let failing = document.cells.iter();
    let mut failing = failing.filter(|cell| cell.timeline.is_some()).peekable();
    let mut text = String::new();
    if failing.peek().is_none() {
        return text;
    }
    text.push('\n');
    for cell in failing {
        text.push_str(&lines(cell, names, view));
    }
    text
}

fn lines(cell: &CellPart, names: &Names, view: View) -> String {
    let counted = cell.samples.iter().find(|sample| sample.counted);
    let (Some(timeline), Some(first)) = (&cell.timeline, counted) else {
        return String::new();
    };
    let mut text = painted(BOLD, &view.show(&names.argument(&cell.cell())), view);
    if let Some(series) = first.sample.series.as_ref().filter(|_| !view.is_plain()) {
        text.push_str(&drawn(series, &first.sample, view));
    }
    let phases = timeline.phases.iter().map(|one| {
        let reading = Reading::new(Metric::Bandwidth, &one.bandwidth_bytes_per_s);
        view.say(
            &Message::new("failure-phase")
                .with("phase", one.phase.message())
                .with("throughput", reading.argument()),
        )
    });
    let phases: Vec<String> = phases.collect();
    text.push_str(&wrapped_from(
        INDENT,
        &phases.join(view.separator()),
        INDENT,
        view,
    ));
    let mut story = events(&first.sample, view);
    let rebuild = rebuild(timeline, &first.sample);
    story.extend(rebuild.iter().map(|message| view.say(message)));
    let story = wrapped_from(
        INDENT,
        &strip_control(&story.join(view.separator())),
        INDENT,
        view,
    );
    text.extend(story.lines().map(|line| paint(DIM, line) + "\n"));
    // The state of the data gets a line of its own, so that it is not overlooked.
    let data = data(&first.sample);
    let data: Vec<String> = data.map(|message| view.say(&message)).collect();
    if !data.is_empty() {
        text.push_str(&wrapped_from(INDENT, &data.join(" "), INDENT, view));
    }
    text
}

/// Draws the first counted sample, with its events below the line at their times.
fn drawn(series: &Series, sample: &Sample, view: View) -> String {
    let room = view.prose_columns().saturating_sub(BESIDE);
    let heights = columns(series, sample.elapsed_ns, room.clamp(1, COLUMNS));
    let most = heights.iter().copied().fold(0.0, f64::max);
    let mut marks = vec![' '; heights.len()];
    let all = sample.elapsed_ns.as_u64().max(1);
    for event in &sample.events {
        let mark = match event.what {
            Happened::Failed { .. } => '✗',
            Happened::Replaced { .. } | Happened::ReAdded { .. } => '+',
            Happened::RebuildDone { .. } => '✓',
            _ => continue,
        };
        let column = u128::from(event.at_ns.as_u64()) * heights.len() as u128 / u128::from(all);
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if let Some(place) = marks.get_mut(column) {
            *place = mark;
        }
    }
    let marks: String = marks.into_iter().collect();
    let peak = Message::new("failure-peak").digits("value", mib_per_s(most));
    format!(
        "{INDENT}{}  {}\n{INDENT}{}\n",
        sparkline(&heights, most),
        view.say(&peak),
        paint(DIM, marks.trim_end())
    )
}

/// Returns the bytes per second of each column; steps are spread evenly over columns, a partial
/// last step is left out.
fn columns(series: &Series, elapsed: Nanos, most: usize) -> Vec<f64> {
    let bytes = series.bytes();
    let whole = elapsed.as_u64() / series.step_ns.as_u64().max(1);
    let whole = usize::try_from(whole)
        .unwrap_or(usize::MAX)
        .min(bytes.len());
    let whole = &bytes[..whole];
    let count = whole.len().min(most);
    let seconds = series.step_ns.as_secs_f64().max(1e-9);
    let column = |number: usize| {
        let from = number * whole.len() / count;
        let to = (number + 1) * whole.len() / count;
        let sum = whole[from..to]
            .iter()
            .fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        as_f64(sum) / (as_f64((to - from) as u64) * seconds)
    };
    (0..count).map(column).collect()
}

/// Returns the events, in a few words each.
fn events(sample: &Sample, view: View) -> Vec<String> {
    let words = sample.events.iter().filter_map(|event| {
        let (sign, message) = match event.what {
            Happened::Failed { device } => ("✗ ", at_device("failure-failed", device)),
            Happened::Replaced { device } => ("+ ", at_device("failure-replaced", device)),
            Happened::ReAdded { device } => ("+ ", at_device("failure-re-added", device)),
            Happened::RebuildDone { .. } => ("✓ ", Message::new("failure-rebuilt")),
            Happened::RebuildBegan { .. }
            | Happened::RebuildUnfinished { .. }
            | Happened::ReadBack { .. }
            | Happened::Checked { .. } => return None,
        };
        // The signs below the line; a screen reader should not read them.
        let sign = if view.is_plain() { "" } else { sign };
        let message = message.with("time", short(event.at_ns.as_secs_f64()));
        Some(format!("{sign}{}", view.say(&message)))
    });
    words.collect()
}

fn at_device(id: &'static str, device: impl Display) -> Message {
    Message::new(id).name("device", device)
}

/// Returns the state of the data: the result of reading it back, and of md's own check.
fn data(sample: &Sample) -> impl Iterator<Item = Message> {
    sample.events.iter().filter_map(|event| match event.what {
        Happened::ReadBack { read_bytes } => Some(
            Message::new("timeline-read-back").with("size", size_argument(read_bytes.as_u64())),
        ),
        Happened::Checked { mismatch_bytes } => Some(match mismatch_bytes.as_u64() {
            0 => Message::new("timeline-checked"),
            bytes => Message::new("timeline-mismatch").with("size", size_argument(bytes)),
        }),
        _ => None,
    })
}

/// Returns how long the rebuild takes, and how far it came.
fn rebuild(timeline: &Timeline, sample: &Sample) -> Vec<Message> {
    let Some(rebuild) = &timeline.rebuild else {
        return Vec::new();
    };
    let speed = rebuild.speed_bytes_per_s.as_ref();
    let speed = speed.map(|speed| Reading::new(Metric::Bandwidth, speed).argument());
    let takes = |alone: &'static str, at: &'static str| {
        let message = match speed {
            Some(speed) => Message::new(at).with("speed", speed),
            None => Message::new(alone),
        };
        message.with("time", short(rebuild.time_ns.value / 1e9))
    };
    if rebuild.is_done {
        return vec![takes("failure-rebuild", "failure-rebuild-at")];
    }
    let reached = sample.events.iter().find_map(|event| match event.what {
        Happened::RebuildUnfinished {
            reached_bytes,
            size_bytes,
        } => Some(
            Message::new("failure-rebuild-reached")
                .with("reached", size_argument(reached_bytes.as_u64()))
                .with("size", size_argument(size_bytes.as_u64())),
        ),
        _ => None,
    });
    let would = takes("failure-rebuild-would", "failure-rebuild-would-at");
    reached.into_iter().chain([would]).collect()
}

/// Returns a short form of a time in seconds: `2.4 s`, `1 min 30 s`.
fn short(seconds: f64) -> Argument {
    if seconds < 9.95 {
        return Argument::quantity(format!("{seconds:.1}"), "s");
    }
    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Argument::Name(span(time))
}
