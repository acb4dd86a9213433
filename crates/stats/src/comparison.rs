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

use crate::distribution::student_quantile;
use crate::number::{count_as_f64, floor_to_count};
use crate::planning::{samples_for_interval, scale};
use crate::{
    Estimate, Forecast, Interval, Level, Series, SeriesError, dependence, median_interval,
};

/// The level of the second lock.
const STRICT_LEVEL: Level = Level::P99;
/// The second lock never counts samples for fewer than this. Six samples look worth two by chance in one series of six,
/// and a t-interval with one degree of freedom is so wide that not even a factor of twenty would be told.
const STRICT_WORTH_MIN: f64 = 3.0;

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
    /// There are no samples.
    #[error("failed to read the samples to compare")]
    Samples(#[source] SeriesError),
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
/// Noise that both samples of a pair share cancels. Take the first of each pair from either side in turn
/// (AB BA AB ...), so that a drift cancels as well. Needs 6 pairs for any claim at 95 %. Meant to be asked once, of a
/// number of pairs settled beforehand: asked after every pair until it says "different", it says so wrongly several
/// times as often. Cost: O(n log n).
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
    let both = other.values().iter().zip(baseline.values());
    let ratios = both.map(|(other, baseline)| other - baseline).collect();
    let ratios = Series::new(ratios).map_err(ComparisonError::Samples)?;
    let log_ratio = median_interval(&ratios, params.level);
    let strict = strict_interval(&MeanOf::samples(&ratios));
    Ok(judge(&log_ratio, strict, params.margin))
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
    let strict = strict_interval(&MeanOf::samples(&other).less(&MeanOf::samples(&baseline)));
    let baseline = median_interval(&baseline, params.level);
    let other = median_interval(&other, params.level);
    let log_ratio = Estimate {
        value: other.value - baseline.value,
        interval: difference_interval(&baseline, &other),
        level: params.level,
        samples: baseline.samples.min(other.samples),
        effective_samples: baseline.effective_samples.min(other.effective_samples),
    };
    Ok(judge(&log_ratio, strict, params.margin))
}

fn check_margin(margin: f64) -> Result<(), ComparisonError> {
    if margin > 0.0 && margin.is_finite() {
        Ok(())
    } else {
        Err(ComparisonError::Margin { margin })
    }
}

/// Returns the natural logarithms of `values`.
fn logarithms(
    side: &'static str,
    values: impl Iterator<Item = f64>,
) -> Result<Series, ComparisonError> {
    let log = |(index, value): (usize, f64)| {
        if value > 0.0 && value.is_finite() {
            Ok(value.ln())
        } else {
            Err(ComparisonError::NotPositive { side, index, value })
        }
    };
    let logarithms = values
        .enumerate()
        .map(log)
        .collect::<Result<Vec<f64>, _>>()?;
    Series::new(logarithms).map_err(ComparisonError::Samples)
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
    /// The mean of a series, its samples counted for what they are worth.
    fn samples(series: &Series) -> Self {
        let count = count_as_f64(series.count());
        let mean = series.values().iter().sum::<f64>() / count;
        let square = |value: &f64| (value - mean) * (value - mean);
        let squares: f64 = series.values().iter().map(square).sum();
        let worth = dependence(series).effective_samples.max(STRICT_WORTH_MIN);
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
fn strict_interval(mean: &MeanOf) -> Interval {
    let freedom = floor_to_count(mean.freedom).max(1);
    let half_width = student_quantile(STRICT_LEVEL.as_fraction(), freedom) * mean.variance.sqrt();
    Interval {
        low: mean.mean - half_width,
        high: mean.mean + half_width,
    }
}

/// Turns the estimate of a log ratio and the interval of the second lock into the outcome.
fn judge(log_ratio: &Estimate, strict: Interval, margin: f64) -> Comparison {
    let ratio = Estimate {
        value: ratio_of(log_ratio.value),
        interval: log_ratio.interval.map(ratios_of),
        ..*log_ratio
    };
    Comparison {
        ratio,
        verdict: verdict(log_ratio, strict, margin),
    }
}

/// Returns the ratio that has this logarithm, kept within what a float holds.
fn ratio_of(logarithm: f64) -> f64 {
    logarithm.clamp(-700.0, 700.0).exp()
}

fn ratios_of(logarithms: Interval) -> Interval {
    Interval {
        low: ratio_of(logarithms.low),
        high: ratio_of(logarithms.high),
    }
}

fn verdict(log_ratio: &Estimate, strict: Interval, margin: f64) -> Verdict {
    let margin_log = margin.ln_1p();
    let Some(interval) = log_ratio.interval else {
        let missing = samples_for_interval(log_ratio.level).saturating_sub(log_ratio.samples);
        return Verdict::CannotTell {
            more_samples: Forecast::About(missing),
        };
    };
    if interval.low >= -margin_log && interval.high <= margin_log {
        return Verdict::NoDifference { margin };
    }
    let above = interval.low > 0.0 && strict.low > 0.0;
    let below = interval.high < 0.0 && strict.high < 0.0;
    if above || below {
        let Interval { low, high } = ratios_of(interval);
        return Verdict::Different { low, high };
    }
    Verdict::CannotTell {
        more_samples: samples_to_settle(log_ratio, interval, strict, margin_log),
    }
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
