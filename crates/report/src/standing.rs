//! The one rule by which choices are ranked: in `predict`, in the answer of a run, and in its report.
//!
//! 1. All whose medians lie within the margin of the best one share the first place. They are "the same",
//!    for certain if the intervals of their ratios lie within it, too, and none of them "gives the most".
//! 2. The first place leads the others as surely as the least sure of these orders ([`Order`]).
//! 3. Nothing is sure of a simulation that ended before the long run.

use stripewise_stats::{Estimate, Interval};

use crate::apart::{geometric_mean, is_certain, is_same, is_within, ratio_of};
use crate::common_error::ErrorBasis;

/// A choice, and what it gives of a load, or of several loads on average.
#[derive(Debug, Clone)]
pub(crate) struct Standing<'a> {
    pub(crate) estimate: Estimate,
    /// Whether the interval contains the error of the profiles, too; so it does for measurements.
    pub(crate) knows_its_error: bool,
    /// How an error of the profile moves it; `None` for what is no predicted rate.
    pub(crate) basis: Option<&'a ErrorBasis>,
    /// What it is the mean of, load by load; empty for one load.
    parts: Vec<Standing<'a>>,
}

impl<'a> Standing<'a> {
    /// Returns that of one load.
    pub(crate) fn new(
        estimate: Estimate,
        knows_its_error: bool,
        basis: Option<&'a ErrorBasis>,
    ) -> Self {
        Self {
            estimate,
            knows_its_error,
            basis,
            parts: Vec::new(),
        }
    }

    /// Returns the geometric mean of what a choice gives of several loads, as sure as if all errors went
    /// the same way; `None` of no load.
    pub(crate) fn mean(parts: Vec<Self>) -> Option<Self> {
        let first = parts.first()?.estimate;
        let mean = |of: &dyn Fn(&Estimate) -> Option<f64>| {
            let all: Option<Vec<f64>> = parts.iter().map(|one| of(&one.estimate)).collect();
            Some(geometric_mean(all?.into_iter()))
        };
        let bounds = |of: fn(&Estimate) -> Option<Interval>| {
            let low = mean(&|one| Some(of(one)?.low))?;
            let high = mean(&|one| Some(of(one)?.high))?;
            Some(Interval { low, high })
        };
        let estimate = Estimate {
            value: mean(&|one| Some(one.value))?,
            interval: bounds(|one| one.interval),
            of_samples: bounds(Estimate::interval_of_samples),
            ..first
        };
        Some(Self {
            estimate,
            knows_its_error: parts.iter().all(|one| one.knows_its_error),
            basis: None,
            parts,
        })
    }

    /// Returns whether a simulation of it ended before the long run.
    pub(crate) fn is_changing(&self) -> bool {
        let is_own = self.basis.is_some_and(ErrorBasis::is_changing);
        is_own || self.parts.iter().any(Self::is_changing)
    }
}

/// How sure it is that one choice is better than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// Their intervals touch, and what they have in common does not decide; or one may still change.
    Open,
    /// Their intervals are apart, but do not contain the error of a profile.
    Apart,
    /// Their order is sure, though not each value: an error of the profile moves both.
    InCommon,
    /// Their intervals are apart, with the error of the profiles.
    Certain,
}

impl Order {
    /// Returns how sure it is that `better` is better than `worse`.
    pub(crate) fn of(better: &Standing, worse: &Standing) -> Self {
        if better.is_changing() || worse.is_changing() {
            return Order::Open;
        }
        let is_apart = is_certain(&better.estimate, &worse.estimate);
        if is_apart && better.knows_its_error && worse.knows_its_error {
            return Order::Certain;
        }
        match (has_error_in_common(better, worse), is_apart) {
            (true, _) => Order::InCommon,
            (false, true) => Order::Apart,
            (false, false) => Order::Open,
        }
    }

    /// Returns whether it is beyond doubt.
    pub(crate) fn is_certain(self) -> bool {
        self >= Order::InCommon
    }
}

/// Returns whether the order of two rates is sure although each is not; on average, if it is in each load.
fn has_error_in_common(more: &Standing, less: &Standing) -> bool {
    if !more.parts.is_empty() && more.parts.len() == less.parts.len() {
        let mut parts = more.parts.iter().zip(&less.parts);
        return parts.all(|(more, less)| has_error_in_common(more, less));
    }
    let lowest = ratio_of(&more.estimate, &less.estimate).interval;
    let known = more.basis.zip(less.basis).zip(lowest);
    known.is_some_and(|((more, less), ratio)| more.is_surely_more(less, ratio.low))
}

/// Who shares the first place, and how surely it leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lead {
    /// How many of the first share it; they are within the margin of the best.
    pub(crate) tied: usize,
    /// Whether these are the same for certain.
    pub(crate) is_surely_same: bool,
    /// The least sure of its orders against the others; certain without others.
    pub(crate) order: Order,
}

impl Lead {
    /// Returns that of choices in a load, the best first; `None` of none.
    pub(crate) fn of(ranked: &[Standing], margin: f64) -> Option<Self> {
        let best = &ranked.first()?.estimate;
        let is_tied = |one: &&Standing| is_within(best, &one.estimate, margin);
        let tied = ranked.iter().take_while(is_tied).count();
        let (first, behind) = ranked.split_at(tied);
        let pairs = first
            .iter()
            .flat_map(|one| behind.iter().map(move |other| Order::of(one, other)));
        Some(Self {
            tied,
            is_surely_same: (first.iter())
                .all(|one| !one.is_changing() && is_same(best, &one.estimate, margin)),
            order: pairs.min().unwrap_or(Order::Certain),
        })
    }

    /// Returns whether one choice is alone in the first place.
    pub(crate) const fn has_one(&self) -> bool {
        self.tied == 1
    }
}
