//! What a trace is like: its streams, what a cache would serve, the workload of each
//! phase, what that loses, and how much like the trace it behaves.

mod drawings;
mod fidelity;

use std::collections::BTreeMap;

use stripewise_answer::{Bar, Block, Cell, Column, Sentence, Table, Tone};
use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::fidelity::Fidelity;
use stripewise_study::sample::as_f64;
use stripewise_study::workload::{Distribution, Load};
use stripewise_trace::loss::Loss;
use stripewise_trace::summary::{OTHERS, PhaseSummary, StreamSummary, Summary};
use stripewise_units::{Bytes, Nanos};

use crate::at_risk::{size, time};
use crate::numbers::{mib_per_s, rate};
use crate::text::strip_control;

/// The most sizes of caches that are listed.
const CACHES_SHOWN: usize = 4;
/// The most sizes that are shown, and the least share of one.
const SIZES_SHOWN: usize = 12;
const SHARE_MIN: f64 = 0.005;

/// Returns the description of a trace; `fidelities` belong to the phases, in order.
pub fn trace(summary: &Summary, fidelities: &[Option<Fidelity>]) -> Vec<Block> {
    let mut blocks = vec![Block::heading(heading(summary))];
    blocks.extend(skipped(summary).map(|message| Block::toned(Tone::Warn, message)));
    blocks.push(Block::Drawing(drawings::over_time(summary)));
    for (number, phase) in (1..).zip(&summary.phases) {
        let heading = phase_heading(number, summary.phases.len(), phase);
        blocks.extend([Block::Gap, Block::heading(heading), streams(phase).into()]);
        blocks.extend(workload(phase));
        let fidelity = fidelities.get(number - 1).and_then(Option::as_ref);
        blocks.extend(fidelity.map(|fidelity| fidelity::table(fidelity).into()));
    }
    blocks.push(Block::Gap);
    blocks.extend(whole(summary));
    let details = [
        ("trace-page-sizes", Some(size_table(summary).into())),
        (
            "trace-page-cache",
            drawings::cache(summary).map(Block::Drawing),
        ),
    ];
    blocks.extend(details.into_iter().filter_map(|(title, block)| {
        Some(Block::closed(
            Sentence::new(Message::new(title)),
            vec![block?],
        ))
    }));
    blocks
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

fn streams(phase: &PhaseSummary) -> Table {
    let words = |key: &'static str, id: &'static str| Column::words(key, Message::new(id));
    let number = |key: &'static str, head: &'static str, name: &'static str| {
        Column::number(key, Message::new(head)).named(Message::new(name))
    };
    let columns = [
        Column::group("group", Message::new("trace-who")),
        words("kind", "trace-what"),
        number("ios_per_s", "trace-ios-head", "trace-ios"),
        number("bytes_per_s", "trace-mib-head", "trace-mib").unit("MiB/s"),
        words("sizes", "trace-sizes"),
        number("depth_mean", "trace-depth-head", "trace-depth").optional(1),
        number("latency_ns_p50", "trace-p50-head", "trace-p50").optional(2),
        number("latency_ns_p99", "trace-p99-head", "trace-p99").optional(2),
        words("distribution", "trace-places").optional(3),
        Column::chart("gaps", Message::new("trace-page-gaps"))
            .named(Message::new("trace-page-foot")),
    ];
    let mut table = Table::new("streams", columns);
    let digits = |value: Option<f64>, show: fn(f64) -> String| {
        let cell = value.map(|value| Cell::digits(show(value)).exact(value));
        cell.unwrap_or_else(Cell::none)
    };
    let latency = |ns: Option<Nanos>| {
        let cell = ns.map(|ns| Cell::of(time(ns.as_u64())).exact(as_f64(ns.as_u64())));
        cell.unwrap_or_else(Cell::none)
    };
    for stream in &phase.streams {
        table.row([
            Cell::of(who(stream)),
            Cell::of(kind(stream)),
            digits(stream.ios_per_s, rate),
            digits(stream.bytes_per_s, mib_per_s),
            Cell::of(sizes(stream)),
            digits(stream.depth_mean, three_digits),
            latency(stream.latency_ns_p50),
            latency(stream.latency_ns_p99),
            stream
                .distribution
                .as_ref()
                .map_or_else(Cell::none, |found| Cell::name(found).tone(Tone::Dim)),
            gaps(stream),
        ]);
    }
    table
}

/// Returns how often which time lies between two I/Os of a stream, from 1 µs to 10 s.
fn gaps(stream: &StreamSummary) -> Cell {
    const BINS: usize = 24;
    const FIRST: u32 = 10;
    let mut bins = [0_u64; BINS];
    for (gap, count) in &stream.gaps {
        let octave = gap.as_u64().max(1).ilog2().saturating_sub(FIRST);
        bins[(octave as usize).min(BINS - 1)] += count;
    }
    match bins.iter().all(|count| *count == 0) {
        true => Cell::none(),
        false => Cell::chart(bins.iter().map(|count| as_f64(*count)).collect()),
    }
}

/// Returns the most frequent sizes with the share of reads and writes.
fn size_table(summary: &Summary) -> Table {
    let mut found = BTreeMap::<Bytes, [f64; 2]>::new();
    for stream in summary.phases.iter().flat_map(|phase| &phase.streams) {
        for (size, share) in &stream.sizes {
            found.entry(*size).or_default()[usize::from(stream.writes)] +=
                as_f64(stream.ios) * share;
        }
    }
    let all: f64 = found.values().flatten().sum::<f64>().max(1.0);
    let mut rows: Vec<(Bytes, [f64; 2])> = found.into_iter().collect();
    rows.sort_by(|one, other| (other.1[0] + other.1[1]).total_cmp(&(one.1[0] + one.1[1])));
    rows.retain(|(_, kinds)| kinds[0] + kinds[1] >= all * SHARE_MIN);
    rows.truncate(SIZES_SHOWN);
    let most = rows.first().map_or(1.0, |(_, kinds)| kinds[0] + kinds[1]);
    rows.sort_by_key(|(size, _)| *size);
    let columns = [
        Column::number("size_bytes", Message::new("label-size")),
        Column::number("reads", Message::new("trace-page-reads")),
        Column::number("writes", Message::new("trace-page-writes")),
        Column::bar(),
    ];
    let caption = Message::new("trace-page-sizes-caption");
    let mut table = Table::new("sizes", columns).caption(caption);
    for (size, [reads, writes]) in rows {
        let share = |ios: f64| Cell::of(Argument::percent(ios / all)).exact(ios / all);
        table.row([
            Cell::name(size).exact(as_f64(size.as_u64())),
            share(reads),
            share(writes),
            Cell::bar(Bar::of_range(reads, reads + writes, most)),
        ]);
    }
    table
}

fn who(stream: &StreamSummary) -> Argument {
    let name = match stream.group.as_str() {
        OTHERS => Message::new("trace-others").into(),
        group => Argument::Name(strip_control(group)),
    };
    match stream.processes {
        1 => name,
        many => Argument::spaced([name, Argument::Name(format!("×{many}"))]),
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
fn workload(phase: &PhaseSummary) -> Vec<Block> {
    let lines = workload_lines(phase).into_iter().map(|(is_loss, message)| {
        let tone = if is_loss { Tone::Warn } else { Tone::Strong };
        Sentence::new(message).tone(tone).by_head().into()
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
        words.push(rate_limit(load, limit.get()));
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

/// Returns the limit of the rate. fio's is one for each job and direction: of a mix, the more frequent
/// direction reaches it, and the other follows.
fn rate_limit(load: &Load, limit: u32) -> Argument {
    let message = match (load.jobs, load.read_percent) {
        (1, None) => Message::new("trace-load-rate"),
        (jobs, percent) => {
            let reads = f64::from(percent.unwrap_or(100)) / 100.0;
            let all = f64::from(limit) * f64::from(jobs) / reads.max(1.0 - reads);
            Message::new("trace-load-rate-each").digits("all", rate(all))
        }
    };
    message.digits("rate", limit).into()
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
fn whole(summary: &Summary) -> Vec<Block> {
    let mut blocks = Vec::new();
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
        blocks.push(Block::toned(Tone::Dim, message));
    }
    if summary.other_devices > 0 {
        let message = Message::new("trace-other-devices").count("count", summary.other_devices);
        blocks.push(Block::toned(Tone::Dim, message));
    }
    blocks
}
