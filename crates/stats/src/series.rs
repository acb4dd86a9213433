//! A checked series of samples: the input of every statistic in this crate.
//!
//! Values are checked once, here, so that no other function has to handle empty input or `NaN`.

use thiserror::Error;

/// Samples of one quantity in the order in which they were taken: at least one, all finite.
///
/// The unit is the caller's (bytes per second, nanoseconds, ...), and every result in that unit
/// keeps it. The order matters: [`crate::dependence`] and [`crate::drift`] read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    values: Vec<f64>,
}

impl Series {
    /// Checks `values` and wraps them; index 0 is the sample taken first.
    ///
    /// # Errors
    ///
    /// [`SeriesError::Empty`] without samples, [`SeriesError::NotFinite`] at the first infinity or
    /// `NaN`.
    ///
    /// # Examples
    ///
    /// ```
    /// use stripewise_stats::{Series, median};
    ///
    /// let series = Series::new(vec![3.0, 1.0, 2.0])?;
    /// assert_eq!(median(&series), 2.0);
    /// # Ok::<(), stripewise_stats::SeriesError>(())
    /// ```
    pub fn new(values: Vec<f64>) -> Result<Self, SeriesError> {
        if values.is_empty() {
            return Err(SeriesError::Empty);
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(SeriesError::NotFinite {
                index,
                value: values[index],
            }),
            None => Ok(Self { values }),
        }
    }

    /// Returns the samples in the order in which they were taken.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the number of samples, at least 1.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the samples from the smallest to the largest; O(n log n).
    #[must_use]
    pub(crate) fn sorted(&self) -> Vec<f64> {
        sorted(&self.values)
    }
}

/// Returns `values` from the smallest to the largest.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Why a list of numbers is not a series.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum SeriesError {
    /// There is no sample at all.
    #[error("a series needs at least 1 sample, got none")]
    Empty,
    /// A sample is infinite or not a number.
    #[error("sample {index} of the series is `{value}`, not a finite number")]
    NotFinite {
        /// Its index, counted from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
}
