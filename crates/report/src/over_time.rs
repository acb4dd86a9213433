//! The effect of a failure on the load: a chart of each affected cell, the
//! throughput of each phase, and the duration of the rebuild.

use std::fmt::Display;
use std::time::Duration;

use stripewise_analysis::timeline::Timeline;
use stripewise_answer::{Block, Chart, Mark, Sentence, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::series::{Happened, Series};
use stripewise_units::Nanos;

use crate::document::{CellPart, Document};
use crate::names::Names;
use crate::numbers::{Reading, mib_per_s, size_argument, span};

/// The most values of a chart.
const VALUES_MAX: usize = 50;

/// Returns the cells with a failure; nothing if there are none.
pub(crate) fn over_time(document: &Document, names: &Names) -> Vec<Block> {
    let cells = document.cells.iter();
    let blocks = cells.filter_map(|cell| of_cell(cell, names));
    let mut blocks: Vec<Block> = blocks.collect();
    if !blocks.is_empty() {
        blocks.insert(0, Block::Gap);
    }
    blocks
}

fn of_cell(cell: &CellPart, names: &Names) -> Option<Block> {
    let timeline = cell.timeline.as_ref()?;
    let first = &cell.samples.iter().find(|sample| sample.counted)?.sample;
    let phases = timeline.phases.iter().map(|one| {
        let reading = Reading::new(Metric::Bandwidth, &one.bandwidth_bytes_per_s);
        Message::new("failure-phase")
            .with("phase", one.phase.message())
            .with("throughput", reading.argument())
    });
    let phases = Block::from(Sentence::remarks(phases));
    // The signs below the line; a screen reader should not read them.
    let story = |has_signs: bool| {
        let rebuild = rebuild(timeline, first);
        let story = events(first, has_signs).chain(rebuild.into_iter().map(Argument::from));
        Block::from(Sentence::remarks(story).tone(Tone::Dim))
    };
    let chart = first.series.as_ref();
    let chart = chart.map(|series| Block::Chart(chart_of(series, first)));
    let drawn = chart.into_iter().chain([phases.clone(), story(true)]);
    let mut blocks = vec![Block::Forms {
        drawn: drawn.collect(),
        told: vec![phases, story(false)],
    }];
    // The state of the data gets a line of its own, so that it is not overlooked.
    let data = Sentence::of(data(first));
    blocks.extend((!data.parts.is_empty()).then(|| data.into()));
    let title = Sentence::new(names.argument(&cell.cell())).tone(Tone::Strong);
    Some(Block::open(title, blocks))
}

/// Returns the chart of a sample with its events.
fn chart_of(series: &Series, sample: &Sample) -> Chart {
    let values = columns(series, sample.elapsed_ns, VALUES_MAX);
    let most = values.iter().copied().fold(0.0, f64::max);
    let all = sample.elapsed_ns.as_secs_f64().max(1e-9);
    let marks = sample.events.iter().filter_map(|event| {
        let (sign, _) = told(&event.what)?;
        let at = event.at_ns.as_secs_f64() / all;
        Some(Mark { at, sign })
    });
    Chart {
        most: Message::new("failure-peak")
            .digits("value", mib_per_s(most))
            .into(),
        marks: marks.collect(),
        values,
    }
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
fn events(sample: &Sample, has_signs: bool) -> impl Iterator<Item = Argument> {
    sample.events.iter().filter_map(move |event| {
        let (sign, message) = told(&event.what)?;
        let message = message.with("time", short(event.at_ns.as_secs_f64()));
        let sign = has_signs.then(|| Argument::Name(sign.to_string()));
        Some(Argument::spaced(sign.into_iter().chain([message.into()])))
    })
}

/// Returns the sign and the words of an event that is in the story; they lack its time.
fn told(event: &Happened) -> Option<(char, Message)> {
    Some(match event {
        Happened::Failed { device } => ('✗', at_device("failure-failed", device)),
        Happened::Replaced { device } => ('+', at_device("failure-replaced", device)),
        Happened::ReAdded { device } => ('+', at_device("failure-re-added", device)),
        Happened::RebuildDone { .. } => ('✓', Message::new("failure-rebuilt")),
        Happened::RebuildBegan { .. }
        | Happened::RebuildUnfinished { .. }
        | Happened::ReadBack { .. }
        | Happened::Checked { .. } => return None,
    })
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
    let Some(rebuild) = &timeline.rebuild else {
        // Nothing was rebuilt at the end, so no time follows.
        let still = reached
            .is_some()
            .then(|| Message::new("failure-rebuild-still"));
        return reached.into_iter().chain(still).collect();
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
