//! Compares two series: one is faster, they are the same, or the samples do not decide.
//!
//! All computation is on logarithms, where "twice" and "half" are equally far from "the same". The
//! steps:
//!
//! 1. the interval of the ratio: by signed ranks of the log ratios (paired) or from the two medians
//!    (unpaired);
//! 2. a second, stricter test: Student's t-interval of the mean log ratio, at 99.5 % (paired) or 99
//!    % (unpaired);
//! 3. the verdict: no difference if the first interval lies within the margin, different if *both*
//!    exclude 1 on the same side, else "cannot tell" with a forecast.
//!
//! Signed ranks need no assumption about the noise of the machine, because the order within a pair
//! is random. They do need that neither of the two has slow noise of its own, so both steps count
//! pairs by their effective number ([`crate::dependence`]). Two samples of one thing must not come
//! out different: `ANALYSIS.md` gives the rate at which they do, and the rules that were tried
//! instead.

use std::cmp::Ordering;

use serde::Serialize;
use thiserror::Error;

use crate::dependence::worth_of_pairs;
use crate::distribution::student_two_sided;
use crate::number::{count_as_f64, floor_to_count};
use crate::planning::{samples_for_interval, soonest};
use crate::signed_rank::signed_rank_interval;
use crate::{
    Estimate, Forecast, Interval, Level, Series, SeriesError, dependence, median_interval,
};

/// The second, stricter test that a difference must pass.
#[derive(Debug, Clone, Copy)]
struct StrictTest {
    level: Level,
    /// The minimum effective count. Six samples look worth two by chance in one series of six, and
    /// a t-interval with one degree of freedom is so wide that it would miss even a factor of
    /// twenty.
    worth_min: f64,
}

const PAIRED: StrictTest = StrictTest {
    level: Level::P995,
    worth_min: 4.0,
};
const UNPAIRED: StrictTest = StrictTest {
    level: Level::P99,
    worth_min: 3.0,
};

/// Two samples taken one right after the other, or under conditions as equal as possible; same
/// unit, both positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The sample to compare with.
    pub baseline: f64,
    /// The compared sample.
    pub other: f64,
}

/// The requirements of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparisonParams {
    /// The level of the reported interval.
    pub level: Level,
    /// The negligible difference, as a fraction: with 0.05, ratios from 1 / 1.05 to 1.05 are "no
    /// difference".
    pub margin: f64,
}

impl ComparisonParams {
    /// 95 %, and differences up to 5 % are negligible.
    pub const STANDARD: Self = Self {
        level: Level::P95,
        margin: 0.05,
    };
}

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// The ratio other / baseline. `samples` counts pairs; unpaired, the samples of the smaller
    /// run.
    pub ratio: Estimate,
    /// The claim that the samples support.
    pub verdict: Verdict,
}

/// The claim about two compared things. Serialized with the tag `verdict`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// They differ; the ratio other / baseline lies between `low` and `high`.
    Different {
        /// Lower bound of the ratio.
        low: f64,
        /// Upper bound of the ratio.
        high: f64,
    },
    /// They differ by no more than the margin; also if a smaller difference is certain.
    NoDifference {
        /// The margin, as a fraction.
        margin: f64,
    },
    /// The samples support neither claim.
    CannotTell {
        /// How many more (pairs of) samples would probably decide.
        more_samples: Forecast,
    },
}

/// Why two lists of samples cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ComparisonError {
    /// There are no samples.
    #[error("these samples cannot be compared")]
    Samples(#[source] SeriesError),
    /// Only positive values have a meaningful ratio.
    #[error(
        "sample {index} of the {side} is `{value}`; only positive values can be compared as ratios"
    )]
    NotPositive {
        /// `baseline` or `other`.
        side: &'static str,
        /// Its index, counted from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A margin must be a positive, finite fraction.
    #[error("the margin is `{margin}`; it must be a number above 0, such as 0.05")]
    Margin {
        /// The requested margin.
        margin: f64,
    },
}

/// Compares two things sampled in turn, pair by pair, in the order of time.
///
/// Noise that both samples of a pair share cancels. Draw at random which side of each pair comes
/// first: then drift and slow noise of the machine give each log ratio either sign, and the
/// interval holds whatever their shape. Needs 6 pairs for any claim at 95 %; fewer give the ratio
/// without an interval. Compute it once, for a number of pairs chosen beforehand: computed after
/// every pair until it returns "different", it does so wrongly several times as often. Cost: O(n^2
/// log n) time and O(n^2) memory.
///
/// # Errors
///
/// [`ComparisonError`] without pairs, with a value that is not positive and finite, or with a
/// margin that is not.
///
/// # Examples
///
/// ```
/// use stripewise_stats::{Better, ComparisonParams, Pair, compare, message};
///
/// let mbps = [(500.0, 552.0), (510.0, 566.0), (495.0, 544.0), (505.0, 560.0), (498.0, 557.0), (507.0, 559.0)];
/// let pairs: Vec<Pair> = mbps.iter().map(|&(baseline, other)| Pair { baseline, other }).collect();
/// let comparison = compare(&pairs, ComparisonParams::STANDARD)?;
/// let sentence = message(&comparison.verdict, Better::Higher);
/// assert!(format!("{sentence:?}").starts_with("verdict-percent(range: verdict-range(high: 12, low: 10)"));
/// # Ok::<(), stripewise_stats::ComparisonError>(())
/// ```
pub fn compare(pairs: &[Pair], params: ComparisonParams) -> Result<Comparison, ComparisonError> {
    check_margin(params.margin)?;
    let baseline = logarithms("baseline", pairs.iter().map(|pair| pair.baseline))?;
    let other = logarithms("other", pairs.iter().map(|pair| pair.other))?;
    let of_both = |combine: fn(f64, f64) -> f64| {
        let both = other.values().iter().zip(baseline.values());
        let values = both.map(|(&other, &baseline)| combine(other, baseline));
        Series::new(values.collect()).map_err(ComparisonError::Samples)
    };
    let log_ratios = of_both(|other, baseline| other - baseline)?;
    let worth = worth_of_pairs(&log_ratios, &of_both(|other, baseline| other + baseline)?);
    let log_ratio = signed_rank_interval(&log_ratios, worth, params.level);
    let strict = MeanOf::samples(&log_ratios, worth, PAIRED);
    Ok(judge(&log_ratio, &strict, params.margin))
}

/// Compares two runs that were not taken in turn, for instance a saved one with today's.
///
/// The interval of the ratio of medians combines the intervals of the two medians (the method of
/// variance estimates recovery; Zou and Donner 2008, Stat. Med. 27, 1693). The difference includes
/// everything that changed *between* the runs - the machine, the kernel, the temperature - and no
/// statistic can remove it: prefer [`compare`].
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
    let mean = |series| MeanOf::samples(series, dependence(series).effective_samples, UNPAIRED);
    let strict = mean(&other).less(&mean(&baseline));
    let baseline = median_interval(&baseline, params.level);
    let other = median_interval(&other, params.level);
    let log_ratio = Estimate {
        value: other.value - baseline.value,
        interval: difference_interval(&baseline, &other),
        of_samples: None,
        level: params.level,
        samples: baseline.samples.min(other.samples),
        effective_samples: baseline.effective_samples.min(other.effective_samples),
    };
    Ok(judge(&log_ratio, &strict, params.margin))
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

/// A mean, the variance of that mean, the degrees of freedom behind the variance, and the level of
/// its interval.
#[derive(Debug, Clone, Copy)]
struct MeanOf {
    mean: f64,
    variance: f64,
    freedom: f64,
    level: Level,
}

impl MeanOf {
    /// The mean of a series whose samples are worth `worth` independent ones.
    fn samples(series: &Series, worth: f64, test: StrictTest) -> Self {
        let count = count_as_f64(series.count());
        let mean = series.values().iter().sum::<f64>() / count;
        let square = |value: &f64| (value - mean) * (value - mean);
        let squares: f64 = series.values().iter().map(square).sum();
        let worth = worth.max(test.worth_min);
        Self {
            mean,
            variance: squares / (count - 1.0).max(1.0) / worth,
            freedom: worth - 1.0,
            level: test.level,
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
            level: self.level,
        }
    }

    /// The same from `times` as many samples, each with the same effective weight.
    fn with_more(&self, times: f64) -> Self {
        Self {
            variance: self.variance / times,
            freedom: (self.freedom + 1.0) * times - 1.0,
            ..*self
        }
    }

    /// Returns the side of 0 on which Student's t-interval of the mean lies; `None` if it contains
    /// 0.
    fn side(&self) -> Option<Ordering> {
        let freedom = floor_to_count(self.freedom).max(1);
        // The interval ends at 0 where |T| stays below this with the probability of the level.
        let t = self.mean.abs() / self.variance.sqrt();
        (student_two_sided(t, freedom) > self.level.as_fraction())
            .then(|| self.mean.total_cmp(&0.0))
    }
}

/// Derives the outcome from the estimate of a log ratio and the mean of the second test.
fn judge(log_ratio: &Estimate, strict: &MeanOf, margin: f64) -> Comparison {
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

/// Returns the ratio with this logarithm, limited to the range of a float.
fn ratio_of(logarithm: f64) -> f64 {
    logarithm.clamp(-700.0, 700.0).exp()
}

fn ratios_of(logarithms: Interval) -> Interval {
    Interval {
        low: ratio_of(logarithms.low),
        high: ratio_of(logarithms.high),
    }
}

fn verdict(log_ratio: &Estimate, strict: &MeanOf, margin: f64) -> Verdict {
    let samples = log_ratio.samples;
    let Some(interval) = log_ratio.interval else {
        let missing = samples_for_interval(log_ratio.level).saturating_sub(samples);
        return Verdict::CannotTell {
            more_samples: Forecast::About(missing),
        };
    };
    if let Some(claim) = claim(interval, strict, margin) {
        return claim;
    }
    let foretold = |count: usize| {
        let times = count_as_f64(count) / count_as_f64(samples);
        let narrower = |bound: f64| log_ratio.value + (bound - log_ratio.value) / times.sqrt();
        let interval = Interval {
            low: narrower(interval.low),
            high: narrower(interval.high),
        };
        claim(interval, &strict.with_more(times), margin)
    };
    let all = soonest(samples, |count| foretold(count).is_some());
    Verdict::CannotTell {
        more_samples: all.beyond(samples),
    }
}

/// Returns the claim that the interval of a log ratio and the second test support together, if any.
fn claim(interval: Interval, strict: &MeanOf, margin: f64) -> Option<Verdict> {
    let margin_log = margin.ln_1p();
    if interval.low >= -margin_log && interval.high <= margin_log {
        return Some(Verdict::NoDifference { margin });
    }
    let side = strict.side()?;
    let above = interval.low > 0.0 && side == Ordering::Greater;
    let below = interval.high < 0.0 && side == Ordering::Less;
    let Interval { low, high } = ratios_of(interval);
    (above || below).then_some(Verdict::Different { low, high })
}
