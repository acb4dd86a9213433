//! The shape of latencies around their mean.

use crate::number::median;
use crate::points::{Point, Side};
use crate::prepare::SimulatedRow;

/// The widest spread: a lognormal one with a longer tail would hardly ever show its mean.
const SPREAD_MAX: f64 = 20.0;
/// The lowest median: all but rare times are that short.
const MEDIAN_MIN: f64 = 0.02;
/// A shape within this share of the measured one is close.
const CLOSE: f64 = 0.05;

/// A lognormal distribution with rare stalls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    /// The 99th percentile over the median.
    pub(crate) p99_over_p50: f64,
    /// The median over the mean, where the mean is known.
    pub(crate) p50_over_mean: Option<f64>,
}

impl Shape {
    /// Returns the shape of these latencies.
    pub(crate) fn new(p50: f64, p99: f64, mean: Option<f64>) -> Self {
        Self {
            p99_over_p50: (p99 / p50).clamp(1.0, SPREAD_MAX),
            p50_over_mean: mean.map(|mean| (p50 / mean).clamp(MEDIAN_MIN, 1.0)),
        }
    }

    /// Returns the measured shape of one side of these rows: the medians of what each one has.
    pub(super) fn measured(rows: &[SimulatedRow], side: Side) -> Option<Self> {
        let of_side = rows.iter().map(|row| row.point);
        Self::of_points(of_side.filter(|point| point.direction() == Some(side)))
    }

    /// Returns the shape of points: the medians of what each one has.
    pub(super) fn of_points<'p>(points: impl Iterator<Item = &'p Point>) -> Option<Self> {
        let shapes: Vec<Shape> = points.filter_map(of_point).collect();
        let medians = shapes.iter().filter_map(|shape| shape.p50_over_mean);
        Some(Self {
            p99_over_p50: median(shapes.iter().map(|shape| shape.p99_over_p50).collect())?,
            p50_over_mean: median(medians.collect()),
        })
    }

    /// Moves this shape of single times by what lies between the measured and the simulated shape of
    /// latencies; returns whether those are close.
    pub(super) fn adjust(&mut self, measured: &Shape, simulated: &Shape) -> bool {
        let sigma = |shape: &Shape| libm::log(shape.p99_over_p50).max(0.01);
        let wider = sigma(measured) / sigma(simulated);
        let own = sigma(self) * wider.clamp(0.5, 2.0);
        self.p99_over_p50 = libm::exp(own).clamp(1.0, SPREAD_MAX);
        let mut is_close = (wider - 1.0).abs() < CLOSE;
        if let (Some(measured), Some(simulated), Some(own)) = (
            measured.p50_over_mean,
            simulated.p50_over_mean,
            &mut self.p50_over_mean,
        ) {
            let higher = measured / simulated;
            *own = (*own * higher.clamp(0.5, 2.0)).clamp(MEDIAN_MIN, 1.0);
            is_close &= (higher - 1.0).abs() < CLOSE;
        }
        is_close
    }
}

/// Returns the shape of a point's latencies, if it has them.
fn of_point(point: &Point) -> Option<Shape> {
    let latency = point.latency;
    Some(Shape::new(
        latency.p50_ns?,
        latency.p99_ns?,
        latency.mean_ns,
    ))
}
