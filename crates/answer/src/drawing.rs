//! Drawings: what only eyes can use, as lines and areas.

use serde::Serialize;
use stripewise_message::Argument;

/// Lines, areas and words in a plane.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Drawing {
    /// What it shows.
    pub caption: Argument,
    /// What the inks mean.
    pub legend: Vec<(Ink, Argument)>,
    /// The width of the plane.
    pub width: f64,
    /// The height of the plane.
    pub height: f64,
    /// What is in it, from back to front.
    pub shapes: Vec<Shape>,
}

/// What a shape stands for; a medium shows it by a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Ink {
    /// An axis.
    Axis,
    /// The border of a part.
    Border,
    /// The first kind of thing.
    First,
    /// The second kind of thing.
    Second,
}

/// A part of a drawing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A line: a path of SVG.
    Line(Ink, String),
    /// Areas: a path of SVG, and how strong they are, from 0 to 1.
    Area(Ink, String, f64),
    /// Words at a place: before it (-1), around it (0) or after it (1).
    Words([f64; 2], i8, Argument),
}
