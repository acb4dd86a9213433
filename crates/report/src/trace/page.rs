//! The description of a trace as a page: where and when, how large, how far apart, what a cache would
//! serve, and the workload of each phase.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Language, Message};
use stripewise_diagnose::fidelity::Fidelity;
use stripewise_study::sample::as_f64;
use stripewise_trace::summary::{PhaseSummary, StreamSummary, Summary};
use stripewise_units::{Bytes, Nanos};

use super::{fidelity, heading, kind, phase_heading, sizes, skipped, who, workload_lines};
use crate::at_risk::{size, time};
use crate::html::escaped;
use crate::numbers::{mib_per_s, rate};
use crate::static_page::{self, bilingual, in_each};

const STYLE: &str = include_str!("page.css");
/// A drawing over time: its left edge, its width, and the height of the map and of the course.
const LEFT: f64 = 76.0;
const WIDTH: f64 = 870.0;
const MAP: f64 = 288.0;
const COURSE: f64 = 90.0;
/// The curve of caches.
const CURVE: f64 = 200.0;
/// The steps in which the map shows how many I/Os there are.
const LEVELS: u32 = 5;
/// The most sizes that are shown, and the least share of one.
const SIZES_SHOWN: usize = 12;
const SHARE_MIN: f64 = 0.005;

/// Returns the page; `fidelities` belong to the phases, in order.
pub fn page(summary: &Summary, fidelities: &[Option<Fidelity>], language: Language) -> String {
    let mut body = "<main>\n".to_owned();
    for message in skipped(summary) {
        body += &format!("<p class=\"skipped\">{}</p>\n", bilingual(&message));
    }
    body += &section("trace-page-places", &over_time(summary));
    for (number, phase) in (1..).zip(&summary.phases) {
        let title = bilingual(&phase_heading(number, summary.phases.len(), phase));
        let fidelity = fidelities.get(number - 1).and_then(Option::as_ref);
        body += &format!(
            "<section>\n<h2>{title}</h2>\n{}{}{}</section>\n",
            streams(phase),
            workload(phase),
            fidelity.map_or_else(String::new, fidelity::html),
        );
    }
    body += &section("trace-page-sizes", &size_table(summary));
    body += &section("trace-page-cache", &cache(summary));
    body += &format!(
        "</main>\n<footer>{}</footer>\n",
        bilingual(&Message::new("trace-page-foot"))
    );
    let title = Message::new("trace-page-title");
    static_page::page(
        "characterize",
        language,
        (&title, Some(&heading(summary))),
        STYLE,
        &body,
    )
}

fn section(title: &'static str, content: &str) -> String {
    let title = bilingual(&Message::new(title));
    format!("<section>\n<h2>{title}</h2>\n{content}</section>\n")
}

/// Returns a value in every language.
pub(super) fn value(value: impl Into<Argument>) -> String {
    bilingual(&Message::new("trace-page-value").with("value", value))
}

fn digits(digits: String) -> String {
    value(Argument::Digits(digits))
}

/// Returns a label of a drawing.
fn label((x, y): (f64, f64), anchor: &str, message: &Message) -> String {
    let attributes = format!(" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"");
    in_each("text", &attributes, message)
}

fn labelled(place: (f64, f64), anchor: &str, what: Argument) -> String {
    label(
        place,
        anchor,
        &Message::new("trace-page-value").with("value", what),
    )
}

fn legend() -> String {
    let one = |class: &str, id: &'static str| {
        format!("<b class=\"{class}\"></b>{}", bilingual(&Message::new(id)))
    };
    one("reads", "trace-page-reads") + &one("writes", "trace-page-writes")
}

/// Draws where the I/Os go, and below it how many there are.
fn over_time(summary: &Summary) -> String {
    let bottom = 18.0 + MAP;
    let course_top = bottom + 16.0;
    let height = course_top + COURSE + 24.0;
    let mut svg = format!(
        "<svg viewBox=\"0 0 960 {height:.0}\" role=\"img\">\n<path class=\"axis\" d=\"M{LEFT} 18V{bottom}H{}\"/>\n",
        LEFT + WIDTH
    );
    svg += &map(summary, bottom);
    // A trace without times is drawn at one time, and has no rate.
    let has_times = summary.duration_ns > Nanos::default();
    if has_times {
        svg += &course(summary, course_top);
    }
    let all = as_f64(summary.duration_ns.as_u64()).max(1.0);
    let begins = (1..).zip(&summary.phases);
    for (number, phase) in begins {
        for (from, _) in &phase.spans_ns {
            let x = LEFT + as_f64(from.as_u64()) / all * WIDTH;
            // Writing to a string does not fail.
            let _ = writeln!(
                svg,
                "<path class=\"phase\" d=\"M{x:.1} 18V{:.0}\"/><text x=\"{:.1}\" y=\"13\">{number}</text>",
                course_top + COURSE,
                x + 3.0
            );
        }
    }
    let span = summary.span_bytes.as_u64();
    for (part, at) in [(span, 30.0), (span / 2, 18.0 + MAP / 2.0), (0, bottom)] {
        svg += &labelled((LEFT - 6.0, at), "end", size(part));
    }
    let duration = summary.duration_ns.as_u64();
    let below = course_top + COURSE + 17.0;
    let labels = [
        (0, LEFT, "start"),
        (duration / 2, LEFT + WIDTH / 2.0, "middle"),
        (duration, LEFT + WIDTH, "end"),
    ];
    for (part, x, anchor) in labels.into_iter().filter(|_| has_times) {
        svg += &labelled((x, below), anchor, time(part));
    }
    format!(
        "<figure><figcaption>{}{}</figcaption>\n{svg}</svg></figure>\n",
        bilingual(&Message::new("trace-page-places-caption")),
        legend()
    )
}

/// Returns one path for each kind and number of I/Os: the more, the stronger.
fn map(summary: &Summary, bottom: f64) -> String {
    let places = &summary.places;
    let (columns, rows) = (as_f64(places.columns.max(1)), as_f64(places.rows.max(1)));
    let (width, height) = (WIDTH / columns, MAP / rows);
    let most = places
        .cells
        .iter()
        .map(|[_, _, reads, writes]| reads + writes)
        .max()
        .unwrap_or(1);
    let mut paths = BTreeMap::<(&str, u32), String>::new();
    for [column, row, reads, writes] in &places.cells {
        let class = if reads >= writes { "reads" } else { "writes" };
        let x = LEFT + f64::from(*column) * width;
        let y = bottom - f64::from(row + 1) * height;
        let path = paths
            .entry((class, level(reads + writes, most)))
            .or_default();
        // Writing to a string does not fail.
        let _ = write!(path, "M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z");
    }
    let paths = paths
        .into_iter()
        .map(|((class, level), path)| format!("<path class=\"{class} l{level}\" d=\"{path}\"/>\n"));
    paths.collect()
}

/// Returns the step of a number of I/Os, on a logarithmic scale up to the largest.
fn level(count: u32, most: u32) -> u32 {
    let share = f64::from(count).ln_1p() / f64::from(most).ln_1p().max(f64::MIN_POSITIVE);
    (1..LEVELS)
        .find(|step| share <= f64::from(*step) / f64::from(LEVELS))
        .unwrap_or(LEVELS)
}

/// Draws reads and writes per second.
fn course(summary: &Summary, top: f64) -> String {
    let course = &summary.course;
    let seconds = as_f64(course.width_ns.as_u64().max(1)) / 1e9;
    let most = course
        .points
        .iter()
        .map(|point| point[0].max(point[1]))
        .max()
        .unwrap_or(0)
        .max(1);
    let all = as_f64(summary.duration_ns.as_u64()).max(1.0) / 1e9;
    let bottom = top + COURSE;
    let mut svg = format!(
        "<path class=\"axis\" d=\"M{LEFT} {top}V{bottom}H{}\"/>\n",
        LEFT + WIDTH
    );
    for (index, class) in [(0, "reads"), (1, "writes")] {
        let mut path = String::new();
        for (number, point) in course.points.iter().enumerate() {
            let at = |steps: f64| (LEFT + steps * seconds / all * WIDTH).min(LEFT + WIDTH);
            let number = as_f64(number as u64);
            let y = bottom - as_f64(point[index]) / as_f64(most) * COURSE;
            let begin = if path.is_empty() { 'M' } else { 'L' };
            // Writing to a string does not fail.
            let _ = write!(
                path,
                "{begin}{:.1} {y:.1}H{:.1}",
                at(number),
                at(number + 1.0)
            );
        }
        svg += &format!("<path class=\"line {class}\" d=\"{path}\"/>\n");
    }
    let most = Message::new("trace-page-per-second").digits("rate", rate(as_f64(most) / seconds));
    svg += &label((LEFT - 6.0, top + 12.0), "end", &most);
    svg + &labelled(
        (LEFT - 6.0, bottom),
        "end",
        Argument::Digits("0".to_owned()),
    )
}

/// Returns the streams of a phase as a table.
fn streams(phase: &PhaseSummary) -> String {
    let heads = [
        ("trace-who", ""),
        ("trace-what", ""),
        ("trace-ios-head", "number"),
        ("trace-mib-head", "number"),
        ("trace-sizes", ""),
        ("trace-depth-head", "number"),
        ("trace-p50-head", "number"),
        ("trace-p99-head", "number"),
        ("trace-places", ""),
        ("trace-page-gaps", ""),
    ];
    let heads = heads.map(|(id, class)| {
        format!(
            "<th scope=\"col\" class=\"{class}\">{}</th>",
            bilingual(&Message::new(id))
        )
    });
    let rows: String = phase.streams.iter().map(stream).collect();
    format!(
        "<div class=\"wide\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
        heads.concat()
    )
}

fn stream(stream: &StreamSummary) -> String {
    let unknown = || "–".to_owned();
    let latency = |ns: Option<Nanos>| ns.map_or_else(unknown, |ns| value(time(ns.as_u64())));
    let number = |text: String| format!("<td class=\"number\">{text}</td>");
    let depth = stream.depth_mean;
    let cells = [
        format!("<td>{}</td>", escaped(&who(stream))),
        format!("<td>{}</td>", bilingual(&kind(stream))),
        number(
            stream
                .ios_per_s
                .map_or_else(unknown, |ios| digits(rate(ios))),
        ),
        number(
            stream
                .bytes_per_s
                .map_or_else(unknown, |bytes| digits(mib_per_s(bytes))),
        ),
        format!("<td>{}</td>", value(sizes(stream))),
        number(depth.map_or_else(unknown, |depth| digits(three_digits(depth)))),
        number(latency(stream.latency_ns_p50)),
        number(latency(stream.latency_ns_p99)),
        format!(
            "<td>{}</td>",
            escaped(stream.distribution.as_deref().unwrap_or("–"))
        ),
        format!("<td>{}</td>", gaps(stream)),
    ];
    format!("<tr>{}</tr>\n", cells.concat())
}

/// Draws how often which time lies between two I/Os, from 1 µs to 10 s.
fn gaps(stream: &StreamSummary) -> String {
    const BINS: usize = 24;
    const FIRST: u32 = 10;
    let mut bins = [0_u64; BINS];
    for (gap, count) in &stream.gaps {
        let octave = gap.as_u64().max(1).ilog2().saturating_sub(FIRST);
        bins[(octave as usize).min(BINS - 1)] += count;
    }
    let most = bins.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return "–".to_owned();
    }
    let class = if stream.writes { "writes" } else { "reads" };
    let mut svg = String::from(
        "<svg viewBox=\"0 0 120 24\" role=\"img\"><path class=\"axis\" d=\"M0 23.5H120\"/>",
    );
    for (bin, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = (as_f64(*count) / as_f64(most) * 22.0).max(1.0);
        // Writing to a string does not fail.
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{}\" y=\"{:.1}\" width=\"4\" height=\"{height:.1}\"/>",
            bin * 5,
            23.0 - height
        );
    }
    svg + "</svg>"
}

/// Returns the workload of a phase in words, and what it loses.
fn workload(phase: &PhaseSummary) -> String {
    let lines = workload_lines(phase).into_iter().map(|(is_loss, message)| {
        let class = if is_loss { " class=\"loss\"" } else { "" };
        format!("<li{class}>{}</li>\n", bilingual(&message))
    });
    format!("<ul>\n{}</ul>\n", lines.collect::<String>())
}

/// Returns the most frequent sizes with the share of reads and writes.
fn size_table(summary: &Summary) -> String {
    let mut found = BTreeMap::<Bytes, [f64; 2]>::new();
    for phase in &summary.phases {
        for stream in &phase.streams {
            for (size, share) in &stream.sizes {
                found.entry(*size).or_default()[usize::from(stream.writes)] +=
                    as_f64(stream.ios) * share;
            }
        }
    }
    let all: f64 = found.values().flatten().sum::<f64>().max(1.0);
    let mut rows: Vec<(Bytes, [f64; 2])> = found.into_iter().collect();
    rows.sort_by(|one, other| (other.1[0] + other.1[1]).total_cmp(&(one.1[0] + one.1[1])));
    rows.retain(|(_, kinds)| kinds[0] + kinds[1] >= all * SHARE_MIN);
    rows.truncate(SIZES_SHOWN);
    let most = rows.first().map_or(1.0, |(_, kinds)| kinds[0] + kinds[1]);
    rows.sort_by_key(|(size, _)| *size);
    let rows = rows.into_iter().map(|(size, [reads, writes])| {
        let bar = |class: &str, ios: f64| {
            format!("<i class=\"{class}\" style=\"width:{:.1}%\"></i>", 99.0 * ios / most)
        };
        format!(
            "<tr><td class=\"number\">{}</td><td class=\"share\" style=\"width:70%\">{}{}</td><td class=\"number\">{}</td></tr>\n",
            value(Argument::Name(size.to_string())),
            bar("reads", reads),
            bar("writes", writes),
            value(Argument::percent((reads + writes) / all))
        )
    });
    format!(
        "<figure><figcaption>{}{}</figcaption>\n<table>\n{}</table></figure>\n",
        bilingual(&Message::new("trace-page-sizes-caption")),
        legend(),
        rows.collect::<String>()
    )
}

/// Draws what an LRU cache would serve, by its size.
fn cache(summary: &Summary) -> String {
    let octave = |bytes: Bytes| as_f64(bytes.as_u64().max(1)).log2();
    let (Some(first), Some(last)) = (summary.cache.first(), summary.cache.last()) else {
        return String::new();
    };
    let (low, high) = (octave(first.cache_bytes), octave(last.cache_bytes));
    let across = (high - low).max(1.0);
    let bottom = 10.0 + CURVE;
    let x = |bytes: Bytes| LEFT + (octave(bytes) - low) / across * WIDTH;
    let mut svg = format!(
        "<svg viewBox=\"0 0 960 {:.0}\" role=\"img\">\n<path class=\"axis\" d=\"M{LEFT} 10V{bottom}H{}\"/>\n",
        bottom + 24.0,
        LEFT + WIDTH
    );
    let mut path = String::new();
    let step = summary.cache.len().div_ceil(9);
    for (number, hits) in summary.cache.iter().enumerate() {
        let (x, y) = (x(hits.cache_bytes), bottom - hits.share * CURVE);
        let begin = if path.is_empty() { 'M' } else { 'L' };
        // Writing to a string does not fail.
        let _ = write!(path, "{begin}{x:.1} {y:.1}");
        if number % step == 0 {
            let anchor = match number {
                0 => "start",
                _ if number + 1 == summary.cache.len() => "end",
                _ => "middle",
            };
            svg += &labelled((x, bottom + 17.0), anchor, size(hits.cache_bytes.as_u64()));
        }
    }
    svg += &format!("<path class=\"line reads\" d=\"{path}\"/>\n");
    for part in [0.0, 0.5, 1.0] {
        let y = bottom - part * CURVE;
        svg += &format!(
            "<path class=\"axis\" d=\"M{LEFT} {y:.1}H{}\"/>",
            LEFT + WIDTH
        );
        svg += &labelled((LEFT - 6.0, y + 4.0), "end", Argument::percent(part));
    }
    format!(
        "<figure><figcaption>{}</figcaption>\n{svg}</svg></figure>\n",
        bilingual(&Message::new("trace-page-cache-caption"))
    )
}
