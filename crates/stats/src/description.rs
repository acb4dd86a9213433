//! Checks of a series that qualify its median.

use crate::{Dependence, Drift, Series, UnlikeFirst, dependence, drift, first_unlike_rest};

/// Drift is reported below this p-value; strict, because every cell of every study is tested.
const DRIFT_P_VALUE_MAX: f64 = 0.01;
/// Drift is reported from this relative change on; a smaller one does not matter in practice.
const DRIFT_CHANGE_MIN: f64 = 0.02;

/// The peculiarities of a series; each is `None` if absent.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Description {
    /// A drift with p < 0.01 and of at least 2 % from the first sample to the last.
    pub drift: Option<Drift>,
    /// Neighbouring samples more alike than chance explains; see [`Dependence::is_present`].
    pub dependence: Option<Dependence>,
    /// A first sample unlike the rest.
    pub unlike_first: Option<UnlikeFirst>,
}

/// Returns drift, dependence and an odd first sample, if present.
#[must_use]
pub fn describe(series: &Series) -> Description {
    let drift = drift(series);
    let dependence = dependence(series);
    let large = drift
        .relative_change
        .is_some_and(|change| change.abs() >= DRIFT_CHANGE_MIN);
    Description {
        drift: (large && drift.p_value < DRIFT_P_VALUE_MAX).then_some(drift),
        dependence: dependence.is_present().then_some(dependence),
        unlike_first: first_unlike_rest(series),
    }
}
