//! Estimates: a value, its interval, and the number of samples behind it.

use serde::ser::{Serialize, Serializer};
use thiserror::Error;

/// The confidence level of an interval, strictly between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Level(f64);

impl Level {
    /// 95 %: the default of this project.
    pub const P95: Self = Self(0.95);
    /// 99 %: for the second, stricter test in a comparison of two runs.
    pub const P99: Self = Self(0.99);
    /// 99.5 %: for the second, stricter test in a comparison in pairs.
    pub const P995: Self = Self(0.995);

    /// Checks `level`, a fraction such as 0.95.
    ///
    /// # Errors
    ///
    /// [`LevelError`] unless `level` lies strictly between 0 and 1.
    pub fn new(level: f64) -> Result<Self, LevelError> {
        if level > 0.0 && level < 1.0 {
            Ok(Self(level))
        } else {
            Err(LevelError { level })
        }
    }

    /// Returns the level as a fraction, for instance 0.95.
    #[must_use]
    pub fn as_fraction(self) -> f64 {
        self.0
    }

    /// Returns the probability left outside on each side, for instance 0.025.
    #[must_use]
    pub(crate) fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

/// A confidence level outside of (0, 1).
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("confidence level `{level}` is not between 0 and 1")]
pub struct LevelError {
    /// The requested level.
    pub level: f64,
}

/// A closed interval, `low <= high`, in the unit of the samples.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Interval {
    /// Returns whether `value` lies within the interval, bounds included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// A value with its confidence interval; never a bare number.
///
/// `interval` is `None` if there are too few samples for one at the level. `effective_samples`
/// shows how reliable an interval is: below 6, a "95 %" interval covers the truth less often
/// (`ANALYSIS.md`). Serialized flat, with the keys `value`, `low`, `high`, `level`, `samples` and
/// `effective_samples`; `low` and `high` are null without an interval. `of_samples` is an object with
/// `low` and `high`, and left out where it would repeat these.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(into = "Flat")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(as = "Flat"))]
pub struct Estimate {
    /// The estimate, in the unit of the samples.
    pub value: f64,
    /// The confidence interval around it, in the same unit.
    pub interval: Option<Interval>,
    /// The interval of the samples alone, if `interval` also contains what else is uncertain.
    pub of_samples: Option<Interval>,
    /// The confidence level of the interval, or the requested one if there is none.
    pub level: Level,
    /// The number of samples.
    pub samples: usize,
    /// The number of independent samples they are worth; 1 to `samples`. See [`crate::dependence`].
    pub effective_samples: f64,
}

impl Estimate {
    /// Returns the interval of the samples alone: whether two estimates differ is up to what their
    /// samples show, as what else is uncertain moves both.
    #[must_use]
    pub fn interval_of_samples(&self) -> Option<Interval> {
        self.of_samples.or(self.interval)
    }

    /// Returns the estimate with an interval that also contains an error by a factor: the value may be
    /// `exp(down)` times too high or `exp(up)` times too low, at the same confidence level.
    ///
    /// The distances add like the legs of a right triangle, as those of independent errors do.
    /// Without an interval of its own, or around a value that is not positive, nothing changes.
    #[must_use]
    pub fn or_off_by(self, down: f64, up: f64) -> Self {
        let Some(own) = self
            .interval
            .filter(|own| own.low > 0.0 && self.value > 0.0)
        else {
            return self;
        };
        let reach = |own: f64, other: f64| own.ln().hypot(other).exp();
        Self {
            interval: Some(Interval {
                low: self.value / reach(self.value / own.low, down),
                high: self.value * reach(own.high / self.value, up),
            }),
            of_samples: Some(own),
            ..self
        }
    }

    /// Returns the larger distance from the value to a bound of the samples' interval, as a fraction
    /// of the value: 0.05 for "within 5 %". More samples make it smaller.
    ///
    /// `None` without an interval, or if the value is 0.
    #[must_use]
    pub fn relative_half_width(&self) -> Option<f64> {
        let interval = self.interval_of_samples()?;
        let half_width = (interval.high - self.value).max(self.value - interval.low);
        (self.value != 0.0).then(|| half_width / self.value.abs())
    }
}

/// The serialized form of an [`Estimate`].
#[derive(serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Flat {
    /// The estimate, in the unit of the samples.
    value: f64,
    /// The lower end of the interval; null if there is none.
    low: Option<f64>,
    /// The upper end.
    high: Option<f64>,
    /// The interval of the samples alone, if `low` and `high` also contain what else is uncertain.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    of_samples: Option<Interval>,
    /// The confidence level, for instance 0.95.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    level: Level,
    /// The number of samples.
    samples: usize,
    /// The number of independent samples they are worth.
    effective_samples: f64,
}

impl From<Estimate> for Flat {
    fn from(estimate: Estimate) -> Self {
        Self {
            value: estimate.value,
            low: estimate.interval.map(|interval| interval.low),
            high: estimate.interval.map(|interval| interval.high),
            of_samples: estimate.of_samples,
            level: estimate.level,
            samples: estimate.samples,
            effective_samples: estimate.effective_samples,
        }
    }
}
