//! In which way latencies and the course of a load differ: all requests took longer, only the slowest did,
//! some take another path, or the rate changed at one moment. Each points at other kinds of causes.

use serde::Serialize;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{SampleRecord, as_f64};
use stripewise_units::histogram::Histogram;

/// A smaller difference of the median is none, as a logarithm.
const SHIFT_MIN: f64 = 0.1;
/// The same of a median that stayed.
const STAYED_MAX: f64 = 0.05;
/// How much longer the slowest hundredth must take for a longer tail, as a logarithm.
const TAIL_MIN: f64 = 0.25;
/// The least share of all requests that make a mode of their own.
const MODE_MIN: f64 = 0.05;
/// How many bins a doubling has when modes are looked for.
const BINS_OF_DOUBLING: f64 = 4.0;
/// The fewest steps of a course in which a change is looked for.
const STEPS_MIN: usize = 8;
/// How many times the rate must change at a step.
const STEP_MIN: f64 = 1.2;
/// How many times the difference at a step must be the spread on its sides.
const STEP_OVER_SPREAD: f64 = 4.0;

/// How the latencies of two sides differ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Shape {
    /// The median and the slowest hundredth moved alike: each request takes longer, or shorter.
    Shift {
        /// After over before, of the median.
        times: f64,
    },
    /// The median stayed, and the slowest hundredth takes longer: some requests wait for something rare.
    LongerTail {
        /// After over before, of the slowest hundredth.
        times: f64,
    },
    /// After, a part of the requests takes another time than the others, and did not before.
    SecondMode {
        /// Their share.
        share: f64,
        /// Their time over that of the others.
        times: f64,
    },
}

impl Shape {
    /// Returns how latencies differ; `None` if they do not, or are not known.
    pub fn of(before: &[&SampleRecord], after: &[&SampleRecord]) -> Option<Self> {
        if let (None, Some((share, times))) = (second_mode(before), second_mode(after)) {
            return Some(Self::SecondMode { share, times });
        }
        let ratio = |metric| Some((median(after, metric)? / median(before, metric)?).ln());
        let (middle, tail) = (ratio(Metric::LatencyP50)?, ratio(Metric::LatencyP99)?);
        let is_alike = (0.5..=2.0).contains(&(tail / middle));
        if middle.abs() >= SHIFT_MIN && is_alike {
            return Some(Self::Shift {
                times: middle.exp(),
            });
        }
        let is_longer = middle.abs() <= STAYED_MAX && tail >= TAIL_MIN;
        is_longer.then(|| Self::LongerTail { times: tail.exp() })
    }
}

/// A moment at which the rate of a load changed for good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// The side: 0 is before.
    pub side: usize,
    /// When, in s from the beginning of the sample.
    pub at_s: f64,
    /// The bandwidth until then, in bytes per second.
    pub from: f64,
    /// The bandwidth from then on.
    pub to: f64,
}

impl Step {
    /// Returns the step in the course of the first sample that has one; `None` without.
    pub fn of(side: usize, samples: &[&SampleRecord]) -> Option<Self> {
        samples.iter().find_map(|record| {
            let series = record.sample.series.as_ref()?;
            let seconds = as_f64(series.step_ns.as_u64()) / 1e9;
            let mut rates: Vec<f64> = series
                .bytes()
                .into_iter()
                .map(|bytes| as_f64(bytes) / seconds)
                .collect();
            // The last step may be shorter.
            rates.pop();
            let (at, from, to) = step(&rates)?;
            Some(Self {
                side,
                at_s: as_f64(at as u64) * seconds,
                from,
                to,
            })
        })
    }
}

fn median(samples: &[&SampleRecord], metric: Metric) -> Option<f64> {
    let values: Option<Vec<f64>> = samples
        .iter()
        .map(|record| metric.of(&record.sample).filter(|value| *value > 0.0))
        .collect();
    middle(values?)
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Returns the share and the distance of a second mode of all latencies; `None` if there is none.
fn second_mode(samples: &[&SampleRecord]) -> Option<(f64, f64)> {
    let mut all = Histogram::new();
    for record in samples {
        all.merge(&record.sample.read.latency.histogram);
        all.merge(&record.sample.write.latency.histogram);
    }
    let mut counts: Vec<f64> = Vec::new();
    for (latency, count) in all.bins() {
        let place = BINS_OF_DOUBLING * as_f64(latency.as_u64().max(1)).log2();
        let place = (0..=256_usize).find(|at| as_f64(*at as u64) > place)?;
        if counts.len() <= place {
            counts.resize(place + 1, 0.0);
        }
        counts[place] += as_f64(*count);
    }
    let total: f64 = counts.iter().sum();
    let highest = |range: std::ops::Range<usize>| {
        range.max_by(|one, other| counts[*one].total_cmp(&counts[*other]))
    };
    let first = highest(0..counts.len())?;
    // A mode is apart from the first by a valley half as high as itself, and holds a share of all.
    let mut found: Option<(f64, f64)> = None;
    for is_above in [true, false] {
        let side = match is_above {
            true => first + 1..counts.len(),
            false => 0..first,
        };
        let Some(second) = highest(side) else {
            continue;
        };
        let between = second.min(first) + 1..second.max(first);
        let lowest = between
            .clone()
            .min_by(|one, other| counts[*one].total_cmp(&counts[*other]));
        let Some(valley) = lowest.filter(|valley| counts[*valley] < counts[second] / 2.0) else {
            continue;
        };
        let of_mode = match is_above {
            true => valley..counts.len(),
            false => 0..valley + 1,
        };
        let share = counts[of_mode].iter().sum::<f64>() / total;
        let distance = as_f64(second as u64) - as_f64(first as u64);
        let times = (distance / BINS_OF_DOUBLING).exp2();
        if share >= MODE_MIN && found.is_none_or(|(largest, _)| share > largest) {
            found = Some((share, times));
        }
    }
    found
}

/// Returns where rates change for good, and their medians until then and from then on.
fn step(rates: &[f64]) -> Option<(usize, f64, f64)> {
    let ends = STEPS_MIN / 2;
    let split = |at: usize| {
        let sides = [&rates[..at], &rates[at..]];
        let [from, to] = sides.map(|side| middle(side.to_vec()).unwrap_or_default());
        let off = |side: &[f64], of: f64| side.iter().map(|rate| (rate - of).abs()).sum::<f64>();
        (off(sides[0], from) + off(sides[1], to), from, to)
    };
    let places = ends..=rates.len().checked_sub(ends)?;
    let splits = places.map(|at| (at, split(at)));
    let (at, (off, from, to)) = splits.min_by(|(_, one), (_, other)| one.0.total_cmp(&other.0))?;
    let spread = off / as_f64(rates.len() as u64);
    let is_large = from.max(to) >= STEP_MIN * from.min(to);
    let is_clear = (from - to).abs() >= STEP_OVER_SPREAD * spread;
    (is_large && is_clear).then_some((at, from, to))
}

#[cfg(test)]
mod tests {
    use stripewise_study::sample::{Latency, Role, Sample, Transfer};
    use stripewise_units::Nanos;

    use super::*;

    fn with(latencies: &[(u64, u64)]) -> SampleRecord {
        let mut histogram = Histogram::new();
        for (us, count) in latencies {
            histogram.add(Nanos::new(us * 1000), *count);
        }
        let ios = histogram.count();
        SampleRecord {
            cell: 0,
            block: 0,
            role: Role::Counted,
            seed: None,
            sample: Sample {
                elapsed_ns: Nanos::new(1_000_000_000),
                read: Transfer {
                    ios,
                    latency: Latency {
                        count: ios,
                        histogram,
                        ..Latency::default()
                    },
                    ..Transfer::default()
                },
                ..Sample::default()
            },
        }
    }

    fn shape(before: &[(u64, u64)], after: &[(u64, u64)]) -> Option<Shape> {
        Shape::of(&[&with(before)], &[&with(after)])
    }

    #[test]
    fn each_way_in_which_latencies_differ_has_a_name() {
        let plain = [(90, 300), (100, 500), (110, 200)];
        assert_eq!(shape(&plain, &plain), None);
        let slower = [(135, 300), (150, 500), (165, 200)];
        assert!(matches!(shape(&plain, &slower), Some(Shape::Shift { times }) if times > 1.4));
        let stalls = [(90, 300), (100, 500), (110, 180), (9000, 20)];
        assert!(matches!(shape(&plain, &stalls), Some(Shape::LongerTail { times }) if times > 2.0));
        let two = [(90, 200), (100, 400), (110, 100), (800, 300)];
        let found = shape(&plain, &two);
        assert!(
            matches!(found, Some(Shape::SecondMode { share, times }) if share > 0.2 && times > 4.0),
            "{found:?}"
        );
        // What has two modes on both sides has no new one.
        assert_eq!(shape(&two, &two), None);
    }

    #[test]
    fn a_rate_that_drops_at_one_moment_is_a_step_and_noise_is_none() {
        let drop: Vec<f64> = (0..20)
            .map(|at| if at < 12 { 500.0 } else { 80.0 })
            .collect();
        let (at, from, to) = step(&drop).unwrap();
        assert_eq!(at, 12);
        assert!(from > 499.0 && to < 81.0);
        let noise: Vec<f64> = (0..20).map(|at| 100.0 + f64::from(at * 7 % 13)).collect();
        assert_eq!(step(&noise), None);
        assert_eq!(step(&[1.0, 2.0]), None);
    }
}
