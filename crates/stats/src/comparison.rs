//! Is the other one faster, the same, or can the samples not tell?
//!
//! Everything happens on logarithms, where "twice" and "half" are equally far from "the same". The steps:
//!
//! 1. the interval of the median log ratio, by order statistics (paired) or from the two medians (unpaired);
//! 2. a second, stricter lock: Student's t-interval of the mean log ratio at 99 %;
//! 3. the verdict: no difference if the first interval lies within the margin, different if *both* exclude 1 on the
//!    same side, else "cannot tell" with a forecast.
//!
//! Both steps count dependent samples for what they are worth. Two samples of one thing must not come out different:
//! `ANALYSIS.md` gives the rate at which they do.

use serde::Serialize;
use thiserror::Error;

use crate::dependence::effective_samples;
use crate::distribution::student_quantile;
use crate::number::{count_as_f64, floor_to_count};
use crate::planning::scale;
use crate::{
    Estimate, Forecast, Interval, Level, Series, SeriesError, median_interval, median_ranks,
};

/// The level of the second lock.
const STRICT_LEVEL: Level = Level::P99;

/// Two samples taken one right after the other, or under conditions as equal as can be had; same unit, both positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// What is compared against.
    pub baseline: f64,
    /// What is compared.
    pub other: f64,
}

/// What to hold a comparison to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparisonParams {
    /// The level of the reported interval.
    pub level: Level,
    /// The difference that nobody minds, as a fraction: with 0.05, ratios from 1 / 1.05 to 1.05 are "no difference".
    pub margin: f64,
}

impl ComparisonParams {
    /// 95 %, and differences up to 5 % do not matter.
    pub const STANDARD: Self = Self {
        level: Level::P95,
        margin: 0.05,
    };
}

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// The ratio other / baseline. `samples` counts pairs; unpaired, the samples of the smaller run.
    ///
    /// When the samples depend on one another so much that no order-statistic interval is left, the interval is that
    /// of the second lock, and `level` says 99 %.
    pub ratio: Estimate,
    /// What may be claimed.
    pub verdict: Verdict,
}

/// What may be claimed of two things compared. Serialized with the tag `verdict`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// They differ; the ratio other / baseline lies between `low` and `high`.
    Different {
        /// Lower bound of the ratio.
        low: f64,
        /// Upper bound of the ratio.
        high: f64,
    },
    /// They differ by no more than the margin. Also when a smaller difference is certain.
    NoDifference {
        /// The margin, as a fraction.
        margin: f64,
    },
    /// The samples support neither claim.
    CannotTell {
        /// How many more (pairs of) samples would probably settle it.
        more_samples: Forecast,
    },
}

/// Why two lists of samples cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ComparisonError {
    /// The list of pairs is empty, or a ratio is beyond what a float holds.
    #[error("failed to form the ratios of the pairs")]
    Ratios(#[source] SeriesError),
    /// A ratio of a value that is not positive says nothing.
    #[error(
        "sample {index} of the {side} is `{value}`; only positive values can be compared as ratios"
    )]
    NotPositive {
        /// `baseline` or `other`.
        side: &'static str,
        /// Where it stands, counted from 0.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// A margin must be a positive, finite fraction.
    #[error("margin `{margin}` is not a positive fraction")]
    Margin {
        /// What was asked for.
        margin: f64,
    },
}

/// Compares two things sampled in turn, pair by pair, in the order of time.
///
/// Noise that both samples of a pair share cancels. Needs 6 pairs for any claim at 95 %. Cost: O(n log n).
///
/// # Errors
///
/// [`ComparisonError`] without pairs, with a value that is not positive and finite, or with a margin that is not.
///
/// # Examples
///
/// ```
/// use stripewise_stats::{Better, ComparisonParams, Pair, compare, words};
///
/// let mbps = [(500.0, 552.0), (510.0, 566.0), (495.0, 544.0), (505.0, 560.0), (498.0, 557.0), (507.0, 559.0)];
/// let pairs: Vec<Pair> = mbps.iter().map(|&(baseline, other)| Pair { baseline, other }).collect();
/// let comparison = compare(&pairs, ComparisonParams::STANDARD)?;
/// assert_eq!(words(&comparison.verdict, Better::Higher), "10 to 12 % faster");
/// # Ok::<(), stripewise_stats::ComparisonError>(())
/// ```
pub fn compare(pairs: &[Pair], params: ComparisonParams) -> Result<Comparison, ComparisonError> {
    check_margin(params.margin)?;
    let baseline = logarithms("baseline", pairs.iter().map(|pair| pair.baseline))?;
    let other = logarithms("other", pairs.iter().map(|pair| pair.other))?;
    let ratios = other
        .iter()
        .zip(&baseline)
        .map(|(other, baseline)| other - baseline)
        .collect();
    let ratios = Series::new(ratios).map_err(ComparisonError::Ratios)?;
    let log_ratio = median_interval(&ratios, params.level);
    let strict = enough(ratios.count(), params.level)
        .then(|| mean_interval(&MeanOf::samples(ratios.values())));
    Ok(judge(log_ratio, strict, params.margin))
}

/// Compares two runs that were not taken in turn, for instance a saved one with today's.
///
/// The interval of the ratio of medians is put together from the intervals of the two medians (the method of variance
/// estimates recovery; Zou and Donner 2008, Stat. Med. 27, 1693). What changed *between* the runs - the machine, the
/// kernel, the temperature - is in the difference too, and no statistic can take it out: prefer [`compare`].
///
/// # Errors
///
/// [`ComparisonError`] with a value that is not positive, or with a margin that is not.
pub fn compare_unpaired(
    baseline: &Series,
    other: &Series,
    params: ComparisonParams,
) -> Result<Comparison, ComparisonError> {
    check_margin(params.margin)?;
    let baseline = logarithms("baseline", baseline.values().iter().copied())?;
    let other = logarithms("other", other.values().iter().copied())?;
    let strict_means = [MeanOf::samples(&baseline), MeanOf::samples(&other)];
    let baseline = median_interval(
        &Series::new(baseline).map_err(ComparisonError::Ratios)?,
        params.level,
    );
    let other = median_interval(
        &Series::new(other).map_err(ComparisonError::Ratios)?,
        params.level,
    );
    let samples = baseline.samples.min(other.samples);
    let log_ratio = Estimate {
        value: other.value - baseline.value,
        interval: difference_interval(&baseline, &other),
        level: params.level,
        samples,
        effective_samples: baseline.effective_samples.min(other.effective_samples),
    };
    let [baseline_mean, other_mean] = strict_means;
    let strict =
        enough(samples, params.level).then(|| mean_interval(&other_mean.less(&baseline_mean)));
    Ok(judge(log_ratio, strict, params.margin))
}

fn check_margin(margin: f64) -> Result<(), ComparisonError> {
    if margin > 0.0 && margin.is_finite() {
        Ok(())
    } else {
        Err(ComparisonError::Margin { margin })
    }
}

fn logarithms(
    side: &'static str,
    values: impl Iterator<Item = f64>,
) -> Result<Vec<f64>, ComparisonError> {
    let log = |(index, value): (usize, f64)| {
        if value > 0.0 && value.is_finite() {
            Ok(value.ln())
        } else {
            Err(ComparisonError::NotPositive { side, index, value })
        }
    };
    values.enumerate().map(log).collect()
}

/// Tells whether `samples` could carry an interval of the median if they were independent.
fn enough(samples: usize, level: Level) -> bool {
    median_ranks(samples, level).is_some()
}

/// Returns the interval of `other - baseline` from the intervals of both, if both have one.
fn difference_interval(baseline: &Estimate, other: &Estimate) -> Option<Interval> {
    let (below, above) = (baseline.interval?, other.interval?);
    let value = other.value - baseline.value;
    let down = (other.value - above.low).hypot(below.high - baseline.value);
    let up = (above.high - other.value).hypot(baseline.value - below.low);
    Some(Interval {
        low: value - down,
        high: value + up,
    })
}

/// A mean, the variance of that mean, and the degrees of freedom behind the variance.
struct MeanOf {
    mean: f64,
    variance: f64,
    freedom: f64,
}

impl MeanOf {
    /// The mean of `values`, counted for what they are worth, but never for fewer than two.
    fn samples(values: &[f64]) -> Self {
        let count = count_as_f64(values.len());
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values
            .iter()
            .map(|value| (value - mean) * (value - mean))
            .sum();
        let worth = effective_samples(values).max(2.0);
        Self {
            mean,
            variance: squares / (count - 1.0).max(1.0) / worth,
            freedom: worth - 1.0,
        }
    }

    /// The difference of two means, with the degrees of freedom of Welch (1947), Biometrika 34, 28.
    fn less(&self, baseline: &Self) -> Self {
        let variance = self.variance + baseline.variance;
        let parts = self.variance * self.variance / self.freedom
            + baseline.variance * baseline.variance / baseline.freedom;
        let freedom = if parts > 0.0 {
            variance * variance / parts
        } else {
            self.freedom.min(baseline.freedom)
        };
        Self {
            mean: self.mean - baseline.mean,
            variance,
            freedom,
        }
    }
}

/// Returns Student's t-interval of a mean at the level of the second lock.
fn mean_interval(mean: &MeanOf) -> Interval {
    let freedom = floor_to_count(mean.freedom).max(1);
    let half_width = student_quantile(STRICT_LEVEL.as_fraction(), freedom) * mean.variance.sqrt();
    Interval {
        low: mean.mean - half_width,
        high: mean.mean + half_width,
    }
}

/// Turns the estimate of a log ratio and the interval of the second lock into the outcome.
fn judge(log_ratio: Estimate, strict: Option<Interval>, margin: f64) -> Comparison {
    let log_ratio = match (log_ratio.interval, strict) {
        (None, Some(_)) => Estimate {
            interval: strict,
            level: STRICT_LEVEL,
            ..log_ratio
        },
        _ => log_ratio,
    };
    let exponential = |interval: Interval| Interval {
        low: interval.low.exp(),
        high: interval.high.exp(),
    };
    let ratio = Estimate {
        value: log_ratio.value.exp(),
        interval: log_ratio.interval.map(exponential),
        ..log_ratio
    };
    Comparison {
        ratio,
        verdict: verdict(&log_ratio, strict, margin),
    }
}

fn verdict(log_ratio: &Estimate, strict: Option<Interval>, margin: f64) -> Verdict {
    let margin_log = margin.ln_1p();
    let (Some(interval), Some(strict)) = (log_ratio.interval, strict) else {
        return Verdict::CannotTell {
            more_samples: samples_missing(log_ratio),
        };
    };
    if interval.low >= -margin_log && interval.high <= margin_log {
        return Verdict::NoDifference { margin };
    }
    let above = interval.low > 0.0 && strict.low > 0.0;
    let below = interval.high < 0.0 && strict.high < 0.0;
    if above || below {
        return Verdict::Different {
            low: interval.low.exp(),
            high: interval.high.exp(),
        };
    }
    Verdict::CannotTell {
        more_samples: samples_to_settle(log_ratio, interval, strict, margin_log),
    }
}

/// Forecasts how many more samples make an interval possible at all.
fn samples_missing(log_ratio: &Estimate) -> Forecast {
    let needed = (1..)
        .find(|&count| enough(count, log_ratio.level))
        .unwrap_or(usize::MAX);
    Forecast::About(needed.saturating_sub(log_ratio.samples).max(1))
}

/// Forecasts how many more samples bring the nearer of the two claims within reach.
fn samples_to_settle(
    log_ratio: &Estimate,
    interval: Interval,
    strict: Interval,
    margin_log: f64,
) -> Forecast {
    let samples = log_ratio.samples;
    let size = log_ratio.value.abs();
    let half_width = (interval.high - log_ratio.value).max(log_ratio.value - interval.low);
    let strict_half_width = (strict.high - strict.low) / 2.0;
    let no_difference = scale(samples, half_width, margin_log - size);
    let different = scale(samples, half_width.max(strict_half_width), size);
    match (no_difference, different) {
        (Forecast::About(one), Forecast::About(two)) => Forecast::About(one.min(two)),
        (Forecast::About(one), _) | (_, Forecast::About(one)) => Forecast::About(one),
        (one, _) => one,
    }
    .beyond(samples)
}
