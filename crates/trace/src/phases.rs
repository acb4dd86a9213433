//! Phases: times in which a load stays the same.

use stripewise_units::{Nanos, as_f64};

use crate::numbers::{index, rounded};
use crate::survey::{Window, Windows};

/// The most points in which the course is looked at.
const POINTS_MAX: usize = 256;
/// The fewest points of a part.
const POINTS_MIN: usize = 4;
/// The most parts.
const PARTS_MAX: usize = 24;
/// A part begins where some rate changes by at least this factor.
const CHANGE_MIN: f64 = 1.3;
/// Parts are one phase if no rate differs by more than this factor.
const SAME_MAX: f64 = 1.4;
/// What is looked at: reads, writes and flushes per second, bytes read and written per second.
const FEATURES: usize = 5;
/// A rate counts from here on: less, per point, is nothing.
const FLOOR: [f64; FEATURES] = [1.0, 1.0, 1.0, 65_536.0, 65_536.0];

type Point = [f64; FEATURES];

/// A load that stays the same, in one or more spans of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// When, each from its beginning up to its end, in order.
    pub spans: Vec<(Nanos, Nanos)>,
}

impl Phase {
    /// Returns whether the phase lasts at a time.
    pub fn contains(&self, at: Nanos) -> bool {
        self.spans.iter().any(|(from, to)| *from <= at && at < *to)
    }

    /// Returns how long the phase has lasted at a time, without what lies between its spans.
    pub fn time_in(&self, at: Nanos) -> Nanos {
        let before = self.spans.iter().map(|(from, to)| {
            let until = at.as_u64().clamp(from.as_u64(), to.as_u64());
            until - from.as_u64()
        });
        Nanos::new(before.sum())
    }

    /// Returns how long it lasts in all.
    pub fn duration(&self) -> Nanos {
        let spans = self
            .spans
            .iter()
            .map(|(from, to)| to.as_u64() - from.as_u64());
        Nanos::new(spans.sum())
    }
}

/// Returns the phases of a course, in the order in which they first begin.
///
/// The course is cut in two where that lowers the sum of squares around the means of the parts' most
/// (binary segmentation), as long as the gain is more than chance would give: with the Bayesian
/// information criterion, and with the noise of each rate from the differences between neighbouring
/// points, so that bursts do not become phases. Parts that are alike are one phase.
pub fn phases(windows: &Windows) -> Vec<Phase> {
    let per_point = windows.list.len().div_ceil(POINTS_MAX).max(1);
    let points: Vec<Point> = windows.list.chunks(per_point).map(point).collect();
    let mut cuts = vec![0, points.len()];
    let noise = noise(&points);
    while cuts.len() <= PARTS_MAX {
        let parts = cuts
            .windows(2)
            .filter_map(|part| best_cut(&points, part[0], part[1], &noise));
        let best = parts.max_by(|one, two| one.1.total_cmp(&two.1));
        let Some((cut, _)) = best else { break };
        cuts.push(cut);
        cuts.sort_unstable();
    }
    let parts: Vec<(usize, usize)> = cuts.windows(2).map(|part| (part[0], part[1])).collect();
    let last = windows
        .width
        .as_u64()
        .saturating_mul(windows.list.len() as u64);
    let at = |point: usize| {
        let ns = windows
            .width
            .as_u64()
            .saturating_mul((point * per_point) as u64);
        Nanos::new(ns.min(last))
    };
    let mut phases: Vec<(Point, Phase)> = Vec::new();
    for (from, to) in parts {
        let (mean, span) = (mean(&points[from..to]), (at(from), at(to)));
        match phases.iter_mut().find(|(other, _)| are_alike(other, &mean)) {
            Some((_, phase)) => match phase.spans.last_mut() {
                Some(last) if last.1 == span.0 => last.1 = span.1,
                _ => phase.spans.push(span),
            },
            None => phases.push((mean, Phase { spans: vec![span] })),
        }
    }
    if let Some(end) = phases
        .iter_mut()
        .flat_map(|(_, phase)| &mut phase.spans)
        .max_by_key(|span| span.1)
    {
        // The last window is not full, and what happens in it belongs to the trace.
        end.1 = Nanos::new(u64::MAX);
    }
    phases.into_iter().map(|(_, phase)| phase).collect()
}

/// Returns the logarithms of the rates in a few windows.
fn point(windows: &[Window]) -> Point {
    let sum = windows
        .iter()
        .copied()
        .fold(Window::default(), Window::merged);
    let counts = [
        sum.reads,
        sum.writes,
        sum.flushes,
        sum.read_bytes,
        sum.write_bytes,
    ];
    std::array::from_fn(|feature| {
        let count = as_f64(counts[feature]) / as_f64(windows.len().max(1) as u64);
        (count / FLOOR[feature] + 1.0).ln()
    })
}

fn mean(points: &[Point]) -> Point {
    let count = as_f64(points.len().max(1) as u64);
    std::array::from_fn(|feature| points.iter().map(|point| point[feature]).sum::<f64>() / count)
}

fn are_alike(one: &Point, two: &Point) -> bool {
    one.iter()
        .zip(two)
        .all(|(one, two)| (one - two).abs() <= SAME_MAX.ln())
}

/// Returns the variance of the noise of each rate: from the median of the squared differences between
/// neighbours, which a few changes do not move, and from their mean, as bursts have a median of zero.
fn noise(points: &[Point]) -> Point {
    std::array::from_fn(|feature| {
        let mut squares: Vec<f64> = points
            .windows(2)
            .map(|pair| (pair[1][feature] - pair[0][feature]).powi(2) / 2.0)
            .collect();
        squares.sort_by(f64::total_cmp);
        let middle = squares.get(squares.len() / 2).copied().unwrap_or_default() / 0.455;
        // Nine tenths: up to one change in ten points is a change, and more of them are bursts.
        let most = squares
            .get(squares.len() * 9 / 10)
            .copied()
            .unwrap_or_default()
            / 2.7;
        middle.max(most).max(0.05_f64.powi(2))
    })
}

/// Returns where to cut `from..to`, and how much that gains.
fn best_cut(points: &[Point], from: usize, to: usize, noise: &Point) -> Option<(usize, f64)> {
    let part = &points[from..to];
    if part.len() < POINTS_MIN * 2 {
        return None;
    }
    let total: Point = std::array::from_fn(|feature| part.iter().map(|point| point[feature]).sum());
    let mut left = [0.0; FEATURES];
    let mut best = None;
    for (place, point) in part.iter().enumerate().take(part.len() - POINTS_MIN) {
        for (sum, value) in left.iter_mut().zip(point) {
            *sum += value;
        }
        let count = place + 1;
        if count < POINTS_MIN {
            continue;
        }
        let (here, there) = (as_f64(count as u64), as_f64((part.len() - count) as u64));
        let (mut gain, mut change) = (0.0_f64, 0.0_f64);
        for feature in 0..FEATURES {
            let difference = left[feature] / here - (total[feature] - left[feature]) / there;
            gain += difference.powi(2) * here * there / (here + there) / noise[feature];
            change = change.max(difference.abs());
        }
        if change >= CHANGE_MIN.ln() && best.is_none_or(|(_, most)| gain > most) {
            best = Some((from + count, gain));
        }
    }
    let penalty = 3.0 * as_f64(FEATURES as u64) * as_f64(points.len() as u64).ln();
    best.filter(|(_, gain)| *gain > penalty)
}

/// Returns the period in which a load comes and goes, if it does: the lag at which the number of I/Os
/// is most like itself, if the correlation is at least a half and the dip before it is deep.
pub fn period(windows: &Windows) -> Option<Nanos> {
    let counts: Vec<f64> = windows
        .list
        .iter()
        .map(|window| as_f64(window.ios()))
        .collect();
    let count = as_f64(counts.len() as u64);
    let mean = counts.iter().sum::<f64>() / count;
    let centred: Vec<f64> = counts.iter().map(|value| value - mean).collect();
    let variance = centred.iter().map(|value| value * value).sum::<f64>() / count;
    if counts.len() < 16 || variance < mean * 2.0 || variance < mean * mean * 0.05 {
        // Not more than what a Poisson process of this rate would do, or too little to matter.
        return None;
    }
    let lags = counts.len() / 3;
    let correlation: Vec<f64> = (0..lags)
        .map(|lag| correlation(&centred, lag) / variance)
        .collect();
    let dip = correlation.iter().position(|value| *value < 0.1)?;
    let after = correlation.iter().enumerate().skip(dip);
    let (_, most) = after.clone().max_by(|one, two| one.1.total_cmp(two.1))?;
    if *most < 0.5 {
        return None;
    }
    // Multiples of a period are as good: the first peak that comes close is the period.
    let first = after.clone().find(|(_, value)| **value >= most * 0.9)?.0;
    let from = &correlation[first..];
    let top = from
        .windows(2)
        .position(|pair| pair[1] < pair[0])
        .unwrap_or(0);
    Some(Nanos::new(
        windows.width.as_u64().saturating_mul((first + top) as u64),
    ))
}

fn correlation(centred: &[f64], lag: usize) -> f64 {
    let pairs = centred.iter().zip(&centred[lag..]);
    pairs.map(|(one, two)| one * two).sum::<f64>() / as_f64((centred.len() - lag) as u64)
}

/// Returns how much more the number of I/Os in windows of at least `width` varies than with
/// independent ones, where variance and mean are equal (the index of dispersion of counts); `None`
/// for too short a course.
pub fn dispersion(windows: &Windows, width: Nanos) -> Option<f64> {
    let per = index((width.as_u64() / windows.width.as_u64()).clamp(1, 1 << 20));
    let whole = windows.list.chunks_exact(per);
    let counts: Vec<f64> = whole
        .map(|part| as_f64(part.iter().map(Window::ios).sum()))
        .collect();
    if counts.len() < 8 {
        return None;
    }
    let count = as_f64(counts.len() as u64);
    let mean = counts.iter().sum::<f64>() / count;
    let variance = counts
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (count - 1.0);
    (rounded(mean * count) > 0).then(|| variance / mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_units::splitmix::mixed;

    /// A course of one window for each rate of reads, with noise.
    fn course(rates: &[u64]) -> Windows {
        let noise = |at: usize| mixed(at as u64) % 100;
        let window = |(at, rate): (usize, &u64)| Window {
            reads: rate * (950 + noise(at)) / 1000,
            read_bytes: rate * 4096,
            ..Window::default()
        };
        Windows {
            width: Nanos::from_millis(100),
            list: rates.iter().enumerate().map(window).collect(),
        }
    }

    #[test]
    fn a_steady_load_is_one_phase() {
        assert_eq!(phases(&course(&[1000; 300])).len(), 1);
        assert_eq!(phases(&course(&[7])).len(), 1);
    }

    #[test]
    fn bursts_are_no_phases() {
        let bursts: Vec<u64> = (0..600)
            .map(|at| if at % 10 < 3 { 2000 } else { 0 })
            .collect();
        assert_eq!(phases(&course(&bursts)).len(), 1);
        let period = period(&course(&bursts)).unwrap();
        assert_eq!(period, Nanos::from_millis(1000));
        assert!(dispersion(&course(&bursts), Nanos::from_millis(100)).unwrap() > 100.0);
    }

    #[test]
    fn a_load_that_comes_again_is_the_same_phase() {
        let rates = [[1000; 100], [4000; 100], [1000; 100]].concat();
        let phases = phases(&course(&rates));
        assert_eq!(phases.len(), 2);
        assert_eq!(phases[0].spans.len(), 2);
        let (from, to) = phases[1].spans[0];
        assert!(
            from.as_u64().abs_diff(10_000_000_000) < 500_000_000,
            "{from:?}"
        );
        assert!(to.as_u64().abs_diff(20_000_000_000) < 500_000_000, "{to:?}");
    }

    #[test]
    fn a_steady_load_has_no_period() {
        assert_eq!(period(&course(&[1000; 500])), None);
        let random: Vec<u64> = (0..500).map(|at| mixed(at + 7000) % 2000).collect();
        assert_eq!(period(&course(&random)), None);
    }
}
