//! The effect of a failure on the load, for a terminal: a chart of each affected cell, the
//! throughput of each phase, and the duration of the rebuild.

use std::time::Duration;

use stripewise_analysis::timeline::Timeline;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::series::{Happened, Series};
use stripewise_study::units::Nanos;

use crate::bar::sparkline;
use crate::document::{CellPart, Document};
use crate::names::Names;
use crate::numbers::{Reading, mib_per_s, size, span};
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
    let mut text = painted(BOLD, &names.name(&cell.cell()), view);
    if let Some(series) = first.sample.series.as_ref().filter(|_| !view.is_plain()) {
        text.push_str(&drawn(series, &first.sample, view));
    }
    let phases = timeline.phases.iter().map(|one| {
        let reading = Reading::new(Metric::Bandwidth, &one.bandwidth_bytes_per_s);
        format!("{} {reading}", view.say(&one.phase.message()))
    });
    let phases: Vec<String> = phases.collect();
    text.push_str(&wrapped_from(
        INDENT,
        &phases.join(view.separator()),
        INDENT,
        view,
    ));
    let mut story = events(&first.sample, view);
    story.extend(rebuild_words(timeline, &first.sample));
    let story = wrapped_from(
        INDENT,
        &strip_control(&story.join(view.separator())),
        INDENT,
        view,
    );
    text.extend(story.lines().map(|line| paint(DIM, line) + "\n"));
    // The state of the data is too important for the middle of a line.
    let data = data_words(&first.sample).join(view.separator());
    if !data.is_empty() {
        text.push_str(&wrapped_from(INDENT, &data, INDENT, view));
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
    format!(
        "{INDENT}{}  most {} MiB/s\n{INDENT}{}\n",
        sparkline(&heights, most),
        mib_per_s(most),
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
    // The signs below the line; a screen reader should not read them.
    let sign = |sign: &'static str| if view.is_plain() { "" } else { sign };
    let words = sample.events.iter().filter_map(|event| {
        let at = format!("at {}", short(event.at_ns.as_secs_f64()));
        match event.what {
            Happened::Failed { device } => {
                Some(format!("{}device {device} fails {at}", sign("✗ ")))
            }
            Happened::Replaced { device } => {
                Some(format!("{}device {device} is replaced {at}", sign("+ ")))
            }
            Happened::ReAdded { device } => {
                Some(format!("{}device {device} is back {at}", sign("+ ")))
            }
            Happened::RebuildDone { .. } => Some(format!("{}rebuilt {at}", sign("✓ "))),
            Happened::RebuildBegan { .. }
            | Happened::RebuildUnfinished { .. }
            | Happened::ReadBack { .. }
            | Happened::Checked { .. } => None,
        }
    });
    words.collect()
}

/// Returns the state of the data: the result of reading it back, and of md's own check.
fn data_words(sample: &Sample) -> Vec<String> {
    let words = sample.events.iter().filter_map(|event| match event.what {
        Happened::ReadBack { read_bytes } => Some(format!(
            "data read back: all {} as written",
            size(read_bytes.as_u64())
        )),
        Happened::Checked { mismatch_bytes } => Some(match mismatch_bytes.as_u64() {
            0 => "checked by md: all copies agree".to_owned(),
            bytes => format!("checked by md: {} do not agree", size(bytes)),
        }),
        _ => None,
    });
    words.collect()
}

fn rebuild_words(timeline: &Timeline, sample: &Sample) -> Vec<String> {
    let Some(rebuild) = &timeline.rebuild else {
        return Vec::new();
    };
    let took = short(rebuild.time_ns.value / 1e9);
    let speed = rebuild.speed_bytes_per_s.as_ref();
    let speed = speed.map(|speed| format!(" at {}", Reading::new(Metric::Bandwidth, speed)));
    let speed = speed.unwrap_or_default();
    if rebuild.is_done {
        return vec![format!("the rebuild takes {took}{speed}")];
    }
    let reached = sample.events.iter().find_map(|event| match event.what {
        Happened::RebuildUnfinished {
            reached_bytes,
            size_bytes,
        } => Some(format!(
            "{} of {} rebuilt",
            size(reached_bytes.as_u64()),
            size(size_bytes.as_u64())
        )),
        _ => None,
    });
    let mut words: Vec<String> = reached.into_iter().collect();
    words.push(format!("the rebuild would take {took}{speed}"));
    words
}

/// Returns a short form of a time in seconds: `2.4 s`, `1 min 30 s`.
fn short(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    span(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}
