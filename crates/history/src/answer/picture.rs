//! A series as lines and areas: its points, the level between changes, and where each change may be.

use std::fmt::Write as _;

use stripewise_answer::{Drawing, Ink, Shape};
use stripewise_message::{Argument, Message};
use stripewise_study::metric::Metric;

use super::series::SeriesPart;
use crate::number::real;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
/// The room for words at the left, below and above.
const LEFT: f64 = 90.0;
const BELOW: f64 = 22.0;
const ABOVE: f64 = 18.0;

struct Plane {
    count: f64,
    low: f64,
    high: f64,
}

impl Plane {
    fn of(values: &[f64]) -> Self {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // A flat series is a line in the middle.
        let room = if high > low {
            0.0
        } else {
            0.05 * high.abs().max(1.0)
        };
        Self {
            count: real(values.len().max(2)),
            low: low - room,
            high: high + room,
        }
    }

    fn x(&self, place: f64) -> f64 {
        LEFT + (WIDTH - LEFT) * (place + 0.5) / self.count
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        HEIGHT - BELOW - share * (HEIGHT - BELOW - ABOVE)
    }
}

fn line(points: impl Iterator<Item = [f64; 2]>) -> String {
    let mut path = String::new();
    for (index, [x, y]) in points.enumerate() {
        let letter = if index == 0 { 'M' } else { 'L' };
        // Writing into a text cannot fail.
        let _ = write!(path, "{letter}{x:.1} {y:.1}");
    }
    path
}

/// Draws a series; `None` without points.
pub(super) fn series(part: &SeriesPart, metric: Metric) -> Option<Drawing> {
    let values: Vec<f64> = part.points.iter().map(|point| point.value).collect();
    let (first, last) = (part.points.first()?, part.points.last()?);
    let plane = Plane::of(&values);
    let bottom = HEIGHT - BELOW;
    let mut shapes = vec![Shape::Line(
        Ink::Axis,
        line([[LEFT, ABOVE], [LEFT, bottom], [WIDTH, bottom]].into_iter()),
    )];
    for change in &part.changes {
        let [from, to] = change.places.map(real);
        let (from, to) = (plane.x(from - 1.0), plane.x(to));
        let area = format!("M{from:.1} {ABOVE}H{to:.1}V{bottom:.1}H{from:.1}Z");
        shapes.push(Shape::Area(Ink::Second, area, 0.25));
        let at = plane.x(real(change.place) - 0.5);
        shapes.push(Shape::Words([at, ABOVE - 4.0], 0, change.short(metric)));
        if !change.facts.is_empty() {
            let mark = [[at, bottom], [at, bottom + 6.0]];
            shapes.push(Shape::Line(Ink::Border, line(mark.into_iter())));
        }
    }
    let points = values.iter().enumerate();
    let points = points.map(|(place, value)| [plane.x(real(place)), plane.y(*value)]);
    shapes.push(Shape::Line(Ink::First, line(points)));
    for (range, level) in part.levels() {
        let y = plane.y(level);
        let [from, to] = [range.start, range.end].map(|place| plane.x(real(place) - 0.5));
        shapes.push(Shape::Line(
            Ink::Second,
            line([[from, y], [to, y]].into_iter()),
        ));
    }
    let words = |value: f64| metric.quantity(value);
    for value in [plane.low, plane.high] {
        shapes.push(Shape::Words([LEFT - 6.0, plane.y(value)], -1, words(value)));
    }
    let name = |run: &str| Argument::Name(run.to_owned());
    shapes.push(Shape::Words([LEFT, HEIGHT - 4.0], 1, name(&first.label)));
    shapes.push(Shape::Words([WIDTH, HEIGHT - 4.0], -1, name(&last.label)));
    Some(Drawing {
        caption: Message::new("history-picture")
            .with("series", part.title.clone())
            .into(),
        legend: vec![
            (Ink::First, metric.message().into()),
            (Ink::Second, Message::new("history-picture-change").into()),
        ],
        width: WIDTH,
        height: HEIGHT,
        shapes,
    })
}

/// Draws hosts in the order of their ratios: those that are named in the second ink.
pub(super) fn strip(hosts: &[(f64, Option<&str>)]) -> Option<Drawing> {
    let mut hosts: Vec<_> = hosts.to_vec();
    hosts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let values: Vec<f64> = hosts.iter().map(|(ratio, _)| *ratio).chain([1.0]).collect();
    hosts.first()?;
    let plane = Plane::of(&values);
    let level = plane.y(1.0);
    let mut shapes = vec![Shape::Line(
        Ink::Axis,
        line([[LEFT, level], [WIDTH, level]].into_iter()),
    )];
    let mut words_end = f64::NEG_INFINITY;
    for (ink, is_named) in [(Ink::First, false), (Ink::Second, true)] {
        let mut path = String::new();
        for (place, (ratio, name)) in hosts.iter().enumerate() {
            if name.is_some() != is_named {
                continue;
            }
            let (x, y) = (plane.x(real(place)), plane.y(*ratio));
            let _ = write!(path, "M{x:.1} {level:.1}V{y:.1}");
            // Names that would cover each other are in the table alone.
            if let Some(name) = name
                && x >= words_end
            {
                let name = Argument::Name((*name).to_owned());
                shapes.push(Shape::Words([x, (y + 12.0).min(HEIGHT - 4.0)], 1, name));
                words_end = x + 90.0;
            }
        }
        if !path.is_empty() {
            shapes.push(Shape::Line(ink, path));
        }
    }
    for value in [plane.low, plane.high] {
        let words = Argument::Digits(super::signed_percent(value));
        shapes.push(Shape::Words([LEFT - 6.0, plane.y(value)], -1, words));
    }
    Some(Drawing {
        caption: Message::new("history-strip").into(),
        legend: vec![
            (Ink::First, Message::new("history-strip-like").into()),
            (Ink::Second, Message::new("history-strip-slow").into()),
        ],
        width: WIDTH,
        height: HEIGHT,
        shapes,
    })
}
