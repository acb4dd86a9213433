//! What a trace is like for eyes: where the I/Os go and when, and what a cache would serve.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use stripewise_answer::{Drawing, Ink, Shape};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::sample::as_f64;
use stripewise_trace::summary::Summary;
use stripewise_units::{Bytes, Nanos};

use crate::at_risk::{size, time};
use crate::numbers::rate;

/// A drawing over time: its left edge, its width, and the height of the map and of the course.
const LEFT: f64 = 76.0;
const WIDTH: f64 = 870.0;
const MAP: f64 = 288.0;
const COURSE: f64 = 90.0;
/// The curve of caches.
const CURVE: f64 = 200.0;
/// The steps in which the map shows how many I/Os there are.
const LEVELS: u32 = 5;
/// How strong the areas of each step are.
const STRENGTHS: [f64; LEVELS as usize] = [0.3, 0.5, 0.7, 0.85, 1.0];

/// Returns both axes of a drawing from `top` to `bottom`.
fn axes(top: f64, bottom: f64) -> Shape {
    Shape::Line(
        Ink::Axis,
        format!("M{LEFT} {top}V{bottom}H{}", LEFT + WIDTH),
    )
}

/// Draws where the I/Os go, and below it how many there are.
pub(super) fn over_time(summary: &Summary) -> Drawing {
    let bottom = 18.0 + MAP;
    let course_top = bottom + 16.0;
    let mut shapes = vec![axes(18.0, bottom)];
    shapes.extend(map(summary, bottom));
    // A trace without times is drawn at one time, and has no rate.
    let has_times = summary.duration_ns > Nanos::default();
    if has_times {
        shapes.extend(course(summary, course_top));
    }
    let duration = summary.duration_ns.as_u64();
    let all = as_f64(duration).max(1.0);
    for (number, phase) in (1..).zip(&summary.phases) {
        for (from, _) in &phase.spans_ns {
            let x = LEFT + as_f64(from.as_u64()) / all * WIDTH;
            let border = format!("M{x:.1} 18V{:.0}", course_top + COURSE);
            let number = Argument::Digits(u32::to_string(&number));
            shapes.extend([
                Shape::Line(Ink::Border, border),
                Shape::Words([x + 3.0, 13.0], 1, number),
            ]);
        }
    }
    let span = summary.span_bytes.as_u64();
    let places = [(span, 30.0), (span / 2, 18.0 + MAP / 2.0), (0, bottom)];
    shapes.extend(places.map(|(part, at)| Shape::Words([LEFT - 6.0, at], -1, size(part))));
    let below = course_top + COURSE + 17.0;
    let times = [
        (0, LEFT, 1),
        (duration / 2, LEFT + WIDTH / 2.0, 0),
        (duration, LEFT + WIDTH, -1),
    ];
    let times = times.into_iter().filter(|_| has_times);
    shapes.extend(times.map(|(part, x, side)| Shape::Words([x, below], side, time(part))));
    let say = |id: &'static str| Argument::from(Message::new(id));
    Drawing {
        caption: say("trace-page-places-caption"),
        legend: vec![
            (Ink::First, say("trace-page-reads")),
            (Ink::Second, say("trace-page-writes")),
        ],
        width: 960.0,
        height: course_top + COURSE + 24.0,
        shapes,
    }
}

/// Returns one area for each kind and number of I/Os: the more, the stronger.
fn map(summary: &Summary, bottom: f64) -> Vec<Shape> {
    let places = &summary.places;
    let (columns, rows) = (as_f64(places.columns.max(1)), as_f64(places.rows.max(1)));
    let (width, height) = (WIDTH / columns, MAP / rows);
    let most = places
        .cells
        .iter()
        .map(|[_, _, reads, writes]| reads + writes)
        .max()
        .unwrap_or(1);
    let mut paths = BTreeMap::<(Ink, u32), String>::new();
    for [column, row, reads, writes] in &places.cells {
        let ink = if reads >= writes {
            Ink::First
        } else {
            Ink::Second
        };
        let x = LEFT + f64::from(*column) * width;
        let y = bottom - f64::from(row + 1) * height;
        let path = paths.entry((ink, level(reads + writes, most))).or_default();
        // Writing to a string does not fail.
        let _ = write!(path, "M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z");
    }
    let areas = paths.into_iter().map(|((ink, level), path)| {
        let strength = STRENGTHS[(level as usize).clamp(1, STRENGTHS.len()) - 1];
        Shape::Area(ink, path, strength)
    });
    areas.collect()
}

/// Returns the step of a number of I/Os, on a logarithmic scale up to the largest.
fn level(count: u32, most: u32) -> u32 {
    let share = f64::from(count).ln_1p() / f64::from(most).ln_1p().max(f64::MIN_POSITIVE);
    (1..LEVELS)
        .find(|step| share <= f64::from(*step) / f64::from(LEVELS))
        .unwrap_or(LEVELS)
}

/// Draws reads and writes per second.
fn course(summary: &Summary, top: f64) -> Vec<Shape> {
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
    let mut shapes = vec![axes(top, bottom)];
    for (index, ink) in [(0, Ink::First), (1, Ink::Second)] {
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
        shapes.push(Shape::Line(ink, path));
    }
    let most = Message::new("trace-page-per-second").digits("rate", rate(as_f64(most) / seconds));
    let none = Argument::Digits("0".to_owned());
    shapes.extend([
        Shape::Words([LEFT - 6.0, top + 12.0], -1, most.into()),
        Shape::Words([LEFT - 6.0, bottom], -1, none),
    ]);
    shapes
}

/// Draws what an LRU cache would serve, by its size.
pub(super) fn cache(summary: &Summary) -> Option<Drawing> {
    let octave = |bytes: Bytes| as_f64(bytes.as_u64().max(1)).log2();
    let (first, last) = (summary.cache.first()?, summary.cache.last()?);
    let (low, high) = (octave(first.cache_bytes), octave(last.cache_bytes));
    let across = (high - low).max(1.0);
    let bottom = 10.0 + CURVE;
    let x = |bytes: Bytes| LEFT + (octave(bytes) - low) / across * WIDTH;
    let mut shapes = vec![axes(10.0, bottom)];
    let mut path = String::new();
    let step = summary.cache.len().div_ceil(9);
    for (number, hits) in summary.cache.iter().enumerate() {
        let (x, y) = (x(hits.cache_bytes), bottom - hits.share * CURVE);
        let begin = if path.is_empty() { 'M' } else { 'L' };
        // Writing to a string does not fail.
        let _ = write!(path, "{begin}{x:.1} {y:.1}");
        if number % step == 0 {
            let side = match number {
                0 => 1,
                _ if number + 1 == summary.cache.len() => -1,
                _ => 0,
            };
            let words = size(hits.cache_bytes.as_u64());
            shapes.push(Shape::Words([x, bottom + 17.0], side, words));
        }
    }
    shapes.push(Shape::Line(Ink::First, path));
    for part in [0.0, 0.5, 1.0] {
        let y = bottom - part * CURVE;
        let line = format!("M{LEFT} {y:.1}H{}", LEFT + WIDTH);
        shapes.extend([
            Shape::Line(Ink::Axis, line),
            Shape::Words([LEFT - 6.0, y + 4.0], -1, Argument::percent(part)),
        ]);
    }
    Some(Drawing {
        caption: Message::new("trace-page-cache-caption").into(),
        legend: Vec::new(),
        width: 960.0,
        height: bottom + 24.0,
        shapes,
    })
}
