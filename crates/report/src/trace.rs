//! What a trace is like, for a terminal: its streams, what a cache would serve, the workload of each
//! phase, what that loses, and how much like the trace it behaves.

mod fidelity;
mod page;

use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::fidelity::Fidelity;
use stripewise_study::workload::{Distribution, Load};
use stripewise_trace::loss::Loss;
use stripewise_trace::summary::{PhaseSummary, StreamSummary, Summary};
use stripewise_units::Nanos;

use crate::at_risk::{size, time};
use crate::numbers::{mib_per_s, rate};
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN, dimmed, painted, strip_control, with_head};
use crate::view::View;

pub use page::page;

/// The most sizes of caches that are listed.
const CACHES_SHOWN: usize = 4;

/// Returns the description of a trace; `fidelities` belong to the phases, in order.
pub fn trace(summary: &Summary, fidelities: &[Option<Fidelity>], view: View) -> String {
    let mut text = painted(BOLD, &view.say(&heading(summary)), view);
    for message in skipped(summary) {
        text.push_str(&painted(WARN, &view.say(&message), view));
    }
    for (number, phase) in (1..).zip(&summary.phases) {
        text.push('\n');
        let heading = phase_heading(number, summary.phases.len(), phase);
        text.push_str(&painted(BOLD, &view.say(&heading), view));
        text.push_str(&streams(phase, view));
        text.push_str(&workload(phase, view));
        if let Some(fidelity) = fidelities.get(number - 1).and_then(Option::as_ref) {
            text.push_str(&fidelity::table(fidelity, view));
        }
    }
    text.push('\n');
    text.push_str(&whole(summary, view));
    text
}

/// Returns what was left out, and whether the clock jumps.
fn skipped(summary: &Summary) -> impl Iterator<Item = Message> {
    let skipped = summary.skipped.iter().map(|(reason, count)| {
        let message = Message::new("trace-skipped").name("count", count);
        message.with("reason", Message::new(format!("trace-skipped-{reason}")))
    });
    let jumps = (summary.sections > 1).then(|| {
        let parts = Message::new("trace-sections");
        parts.digits("count", summary.sections)
    });
    skipped.chain(jumps)
}

fn heading(summary: &Summary) -> Message {
    // Without times, there is none to name.
    let heading = match summary.duration_ns > Nanos::default() {
        true => "trace-heading",
        false => "trace-heading-no-times",
    };
    Message::new(heading)
        .name("format", strip_control(&summary.format))
        .name(
            "device",
            strip_control(summary.device.as_deref().unwrap_or("-")),
        )
        .count("ios", summary.ios)
        .with("time", time(summary.duration_ns.as_u64()))
        .with("bytes", size(summary.bytes.as_u64()))
        .with("span", size(summary.span_bytes.as_u64()))
}

fn phase_heading(number: usize, of: usize, phase: &PhaseSummary) -> Message {
    let spans = phase.spans_ns.iter().map(|(from, to)| {
        Argument::from(
            Message::new("trace-span")
                .with("from", time(from.as_u64()))
                .with("to", time(to.as_u64())),
        )
    });
    // Without times, there is one phase at one time.
    let heading = match phase.duration_ns > Nanos::default() {
        true => Message::new("trace-phase").with("spans", Argument::list(spans.take(6))),
        false => Message::new("trace-phase-no-times"),
    };
    heading.digits("number", number).digits("of", of)
}

fn streams(phase: &PhaseSummary, view: View) -> String {
    let word = |id: &'static str| view.say(&Message::new(id));
    let number =
        |head: &'static str, name: &'static str| Column::number(&word(head)).named(&word(name));
    let mut table = Table::new([
        Column::group(&word("trace-who")),
        Column::words(&word("trace-what")),
        number("trace-ios-head", "trace-ios"),
        number("trace-mib-head", "trace-mib").unit("MiB/s"),
        Column::words(&word("trace-sizes")),
        number("trace-depth-head", "trace-depth").optional(1),
        number("trace-p50-head", "trace-p50").optional(2),
        number("trace-p99-head", "trace-p99").optional(2),
        Column::words(&word("trace-places")).optional(3),
    ]);
    let per_second = |value: Option<f64>, show: fn(f64) -> String| {
        Field::plain(value.map_or("-".to_owned(), |value| view.digits(show(value))))
    };
    for stream in &phase.streams {
        let latency = |ns: Option<Nanos>| {
            Field::plain(ns.map_or("-".to_owned(), |ns| view.show(&time(ns.as_u64()))))
        };
        table.row(vec![
            Field::plain(who(stream)),
            Field::plain(view.say(&kind(stream))),
            per_second(stream.ios_per_s, rate),
            per_second(stream.bytes_per_s, mib_per_s),
            Field::plain(view.show(&sizes(stream))),
            Field::plain(
                stream
                    .depth_mean
                    .map_or("-".to_owned(), |depth| view.digits(three_digits(depth))),
            ),
            latency(stream.latency_ns_p50),
            latency(stream.latency_ns_p99),
            Field::styled(
                DIM,
                stream
                    .distribution
                    .clone()
                    .unwrap_or_else(|| "-".to_owned()),
            ),
        ]);
    }
    table.finish(view)
}

fn who(stream: &StreamSummary) -> String {
    let name = strip_control(&stream.group);
    match stream.processes {
        1 => name,
        many => format!("{name} ×{many}"),
    }
}

fn kind(stream: &StreamSummary) -> Message {
    Message::new(
        match (stream.is_sequential, stream.writes, stream.fua_share >= 0.5) {
            (false, false, _) => "trace-random-reads",
            (true, false, _) => "trace-sequential-reads",
            (false, true, false) => "trace-random-writes",
            (true, true, false) => "trace-sequential-writes",
            (false, true, true) => "trace-durable-random-writes",
            (true, true, true) => "trace-durable-sequential-writes",
        },
    )
}

fn sizes(stream: &StreamSummary) -> Argument {
    let sizes = stream
        .sizes
        .iter()
        .filter(|(_, share)| *share >= 0.05)
        .take(3);
    let is_only = stream
        .sizes
        .first()
        .is_some_and(|(_, share)| *share >= 0.95);
    let named = sizes.map(|(bytes, share)| {
        let message = Message::new(if is_only {
            "trace-size"
        } else {
            "trace-size-share"
        });
        let message = message.name("size", bytes);
        Argument::from(if is_only {
            message
        } else {
            message.percent("share", *share)
        })
    });
    Argument::list(named)
}

/// Returns the workload in words, and what it loses.
fn workload(phase: &PhaseSummary, view: View) -> String {
    let lines = workload_lines(phase).into_iter().map(|(is_loss, message)| {
        let style = if is_loss { WARN } else { BOLD };
        with_head(style, "", &view.say(&message), "  ", view)
    });
    lines.collect()
}

/// Returns the workload in words, and then what it loses: those lines are marked.
fn workload_lines(phase: &PhaseSummary) -> Vec<(bool, Message)> {
    let workload = &phase.workload;
    let head =
        Message::new("trace-workload").with("load", load(&workload.load, phase.is_closed_loop));
    let mut lines = vec![(false, head)];
    lines.extend(workload.neighbours.iter().map(|neighbour| {
        let message = Message::new("trace-beside").with("load", load(&neighbour.load, false));
        (false, message)
    }));
    lines.extend(phase.losses.iter().map(|loss| {
        let message = Message::new("trace-loses").with("loss", loss_message(loss));
        (true, message)
    }));
    lines
}

fn load(load: &Load, is_closed: bool) -> Argument {
    let mut words = vec![
        Argument::from(
            Message::new("trace-load-pattern")
                .name("pattern", load.pattern)
                .name("block", &load.block_size),
        ),
        Message::new("trace-load-jobs")
            .count("jobs", load.jobs)
            .digits("depth", load.depth)
            .into(),
        Message::new("trace-load-size")
            .name("size", load.size_bytes)
            .into(),
    ];
    if load.distribution != Distribution::Uniform {
        words.push(
            Message::new("trace-load-distribution")
                .name("distribution", load.distribution)
                .into(),
        );
    }
    if let Some(limit) = load.rate_iops {
        words.push(Message::new("trace-load-rate").digits("rate", limit).into());
    }
    if load.think_time_ns > Nanos::default() {
        let message = match load.think_blocks {
            Some(blocks) => Message::new("trace-load-bursts").digits("count", blocks),
            None => Message::new("trace-load-pause"),
        };
        let pause = time(load.think_time_ns.as_u64());
        words.push(message.with("time", pause).into());
    }
    if let Some(every) = load.fsync_every {
        words.push(
            Message::new("trace-load-fsync")
                .count("every", every.get())
                .into(),
        );
    }
    if is_closed {
        words.push(Message::new("trace-load-closed").into());
    }
    Argument::list(words)
}

fn loss_message(loss: &Loss) -> Message {
    match loss {
        Loss::LeftOut { ios, bytes } => Message::new("trace-loss-left-out")
            .percent("ios", *ios)
            .percent("bytes", *bytes),
        Loss::Folded {
            writes,
            is_sequential,
            share,
        } => Message::new(match (writes, is_sequential) {
            (false, true) => "trace-loss-sequential-reads",
            (false, false) => "trace-loss-random-reads",
            (true, true) => "trace-loss-sequential-writes",
            (true, false) => "trace-loss-random-writes",
        })
        .percent("share", *share),
        Loss::MeanSize { trace, fitted } => Message::new("trace-loss-mean-size")
            .digits("trace", three_digits(*trace))
            .digits("fitted", three_digits(*fitted)),
        Loss::Bursts {
            times,
            period: None,
        } => Message::new("trace-loss-bursts").digits("times", three_digits(*times)),
        Loss::Bursts {
            times,
            period: Some(period),
        } => Message::new("trace-loss-periods")
            .digits("times", three_digits(*times))
            .with("period", time(period.as_u64())),
        Loss::Stride { stride, share } => Message::new("trace-loss-stride")
            .name("stride", stride)
            .percent("share", *share),
        Loss::NoTimes => Message::new("trace-loss-no-times"),
        Loss::NoEnds => Message::new("trace-loss-no-ends"),
        Loss::Discards { count } => Message::new("trace-loss-discards").count("count", *count),
        Loss::Flushes { count } => Message::new("trace-loss-flushes").count("count", *count),
        Loss::RatesAreApart => Message::new("trace-loss-rates"),
        Loss::Footprint { span, fitted } => Message::new("trace-loss-footprint")
            .with("span", size(span.as_u64()))
            .with("fitted", size(fitted.as_u64())),
    }
}

/// Returns what is told of the whole trace.
fn whole(summary: &Summary, view: View) -> String {
    let mut text = String::new();
    // Caches that make a difference to the next smaller one.
    let mut shown = Vec::new();
    let mut before = 0.0;
    for hits in &summary.cache {
        if hits.share >= before + 0.05 {
            before = hits.share;
            shown.push(hits);
        }
    }
    let skip = shown.len().saturating_sub(CACHES_SHOWN);
    for hits in shown.into_iter().skip(skip) {
        let message = Message::new("trace-cache")
            .with("size", size(hits.cache_bytes.as_u64()))
            .percent("share", hits.share);
        text.push_str(&dimmed(&view.say(&message), view));
    }
    if summary.other_devices > 0 {
        let message = Message::new("trace-other-devices").count("count", summary.other_devices);
        text.push_str(&dimmed(&view.say(&message), view));
    }
    text
}
