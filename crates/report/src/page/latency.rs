//! The latency of a cell's I/Os: its cumulative distribution, and percentiles with intervals.

use serde::Serialize;
use stripewise_stats::{Estimate, Level, Series, median_interval};
use stripewise_study::sample::Sample;
use stripewise_study::sample::as_f64;
use stripewise_units::Nanos;
use stripewise_units::histogram::Histogram;

/// The percentiles shown, as I/Os out of ten thousand that took no longer.
const PER_TEN_THOUSAND: [u16; 6] = [5_000, 9_000, 9_500, 9_900, 9_990, 9_999];
/// The most points of a distribution in a chart; straight lines connect them.
const POINTS_MAX: usize = 60;

/// The latency of all counted I/Os of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Distribution {
    /// The number of I/Os.
    pub ios: u64,
    /// Latency in ns and the share of I/Os that took no longer, ascending.
    pub cumulative: Vec<(u64, f64)>,
    /// Percentiles for which each sample has enough I/Os.
    pub percentiles: Vec<Percentile>,
}

/// A percentile of the latency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Percentile {
    /// The percent: 99.9 for the latency that 99.9 % of the I/Os do not exceed.
    pub percent: f64,
    /// The median over the samples.
    pub latency_ns: Estimate,
}

/// Returns the latency of the I/Os of `samples`; `None` if no histogram was kept.
pub(crate) fn of<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<Distribution> {
    let histograms: Vec<Histogram> = samples
        .map(|sample| {
            let mut both = sample.read.latency.histogram.clone();
            both.merge(&sample.write.latency.histogram);
            both
        })
        .collect();
    let mut all = Histogram::new();
    for histogram in &histograms {
        all.merge(histogram);
    }
    (!all.is_empty()).then(|| Distribution {
        ios: all.count(),
        cumulative: cumulative(&all),
        percentiles: percentiles(&histograms),
    })
}

/// Returns points of the distribution: evenly spread over the ranks, and finer towards the tail.
fn cumulative(histogram: &Histogram) -> Vec<(u64, f64)> {
    let count = histogram.count();
    let mut seen = 0_u64;
    let all: Vec<(Nanos, u64)> = histogram
        .bins()
        .iter()
        .map(|&(latency, entries)| {
            seen = seen.saturating_add(entries);
            (latency, seen)
        })
        .collect();
    let mut kept: Vec<(u64, f64)> = Vec::new();
    for (index, &(latency, seen)) in all.iter().enumerate() {
        let share = share(seen, count);
        let is_end = index == 0 || index + 1 == all.len();
        let next = all
            .get(index + 1)
            .map_or(1.0, |next| self::share(next.1, count));
        let last = kept.last().map_or(0.0, |last| last.1);
        if is_end || all.len() <= POINTS_MAX || place(next) - place(last) > 1.0 {
            kept.push((latency.as_u64(), share));
        }
    }
    kept
}

/// Returns the place of a share on an axis that stretches both ends: about 50 steps from 0 to 1,
/// some ten of them beyond each of 99 %, 99.9 % and 99.99 %.
fn place(share: f64) -> f64 {
    let tail = (1.0 - share).max(1e-6);
    20.0 * share - 6.0 * libm::log10(tail)
}

fn percentiles(histograms: &[Histogram]) -> Vec<Percentile> {
    let percentile = |&per_ten_thousand: &u16| {
        let behind = 10_000 / u64::from(10_000 - per_ten_thousand);
        let values: Option<Vec<f64>> = histograms
            .iter()
            .map(|histogram| {
                let latency = histogram.quantile_in(u64::from(per_ten_thousand), 10_000)?;
                (histogram.count() >= behind).then_some(as_f64(latency.as_u64()))
            })
            .collect();
        let series = Series::new(values?).ok()?;
        Some(Percentile {
            percent: f64::from(per_ten_thousand) / 100.0,
            latency_ns: median_interval(&series, Level::P95),
        })
    };
    PER_TEN_THOUSAND.iter().filter_map(percentile).collect()
}

fn share(part: u64, all: u64) -> f64 {
    as_f64(part) / as_f64(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(bins: impl IntoIterator<Item = (u64, u64)>) -> Histogram {
        bins.into_iter()
            .map(|(latency, count)| (Nanos::new(latency), count))
            .collect()
    }

    #[test]
    fn a_percentile_needs_an_io_beyond_it_in_every_sample() {
        let few = histogram([(100, 99)]);
        let enough = histogram([(100, 100)]);
        let percents = |histograms: &[Histogram]| -> Vec<f64> {
            percentiles(histograms)
                .iter()
                .map(|one| one.percent)
                .collect()
        };
        assert_eq!(percents(&[few, enough.clone()]), [50.0, 90.0, 95.0]);
        assert_eq!(percents(&[enough]), [50.0, 90.0, 95.0, 99.0]);
    }

    #[test]
    fn the_distribution_is_thinned_but_keeps_its_ends_and_its_tail() {
        let histogram = histogram((1..100_001).map(|latency| (latency, 1)));
        let points = cumulative(&histogram);
        assert!(points.len() <= POINTS_MAX + 2, "{}", points.len());
        assert_eq!(points.first(), Some(&(1, 0.00001)));
        assert_eq!(points.last(), Some(&(100_000, 1.0)));
        assert!(
            points
                .windows(2)
                .all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1)
        );
        for (low, high) in [(0.99, 0.999), (0.999, 0.9999)] {
            let within = points
                .iter()
                .filter(|point| point.1 > low && point.1 <= high);
            assert!(within.count() >= 5, "between {low} and {high}");
        }
    }
}
