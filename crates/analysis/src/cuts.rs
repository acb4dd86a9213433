//! What power cuts destroyed: the cuts of a cell counted, and the model's prediction of the same.
//!
//! Crash images of one recording are not independent, so that intervals count recordings
//! ([`stripewise_stats::grouped_proportion_interval`]). Unknown outcomes are in no proportion; they
//! are counted apart. How much a stack that did not come back has lost is unknown: seconds and bytes
//! are those of the others.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_stats::{
    Level, grouped_median_places, grouped_proportion_interval, independent_groups,
};
use stripewise_study::cell::Cell;
use stripewise_study::cut::{Cut, CutState, Loss, LostValues, Outcome, RecoveryStep, SmallestLoss};
use stripewise_study::risk::{Risk, WHOLE_PPM};
use stripewise_study::workload::SyncMode;

/// The power cuts of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CutSummary {
    /// The number of cuts.
    pub cuts: usize,
    /// The number of recordings that their crash images were built from.
    pub recordings: usize,
    /// The number of cuts with an unknown outcome; no proportion counts them.
    pub unknown: usize,
    /// The number of cuts before anything was acknowledged: they can lose nothing.
    pub empty: usize,
    /// How long the load had run at the latest cut: no loss can be older.
    pub at_ns_max: u64,
    /// Cuts that lost acknowledged data, or after which the stack did not come back.
    pub lost: CutShare,
    /// Cuts after which the stack did not come back.
    pub unusable: CutShare,
    /// The same by the first step that failed.
    pub unusable_at: Vec<FailedStep>,
    /// Why stacks did not come back, and why outcomes are unknown; the most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<CutReason>>"))]
    pub reasons: Vec<CutReason>,
    /// Stacks that came back with data that was never written there, without an error.
    pub corrupt: CutShare,
    /// The time from the first lost acknowledgement to the cut, in ns; `None` if no stack came back.
    pub age_ns: Option<CutLoss>,
    /// The bytes of lost acknowledged records; `None` if no stack came back.
    pub bytes: Option<CutLoss>,
    /// What the lost records of a program became, over all cuts; `None` for other loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub values: Option<LostValues>,
    /// How many states there were in the first recording, if they were enumerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub states: Option<CutState>,
    /// The smallest loss that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub smallest: Option<SmallestLoss>,
}

/// Some of the cuts, and the 95 % interval of their share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CutShare {
    /// The number of such cuts.
    pub count: usize,
    /// The number of cuts of which it is known.
    pub of: usize,
    /// The number of independent cuts that those are worth: their recordings, or less if some
    /// recordings have more cuts than others.
    pub independent: usize,
    /// The lower end of the interval of the share.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A step in which stacks did not come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FailedStep {
    /// The step.
    #[cfg_attr(
        feature = "typescript",
        ts(type = "\"assemble\" | \"check\" | \"mount\" | \"start\" | \"read\"")
    )]
    pub step: RecoveryStep,
    /// The number of stacks.
    pub count: usize,
}

/// Why stacks did not come back, or an outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CutReason {
    /// The step that failed; `None` if the outcome is unknown.
    #[cfg_attr(
        feature = "typescript",
        ts(type = "\"assemble\" | \"check\" | \"mount\" | \"start\" | \"read\" | null")
    )]
    pub step: Option<RecoveryStep>,
    /// What was said of it.
    pub reason: String,
    /// The number of cuts.
    pub count: usize,
}

impl CutReason {
    fn of(cuts: &[&Cut]) -> Vec<Self> {
        let mut counts: BTreeMap<(Option<RecoveryStep>, &str), usize> = BTreeMap::new();
        for cut in cuts {
            let reason = match &cut.outcome {
                Outcome::CameBack(_) => continue,
                Outcome::Unusable(failure) => (Some(failure.step), failure.reason.as_str()),
                Outcome::Unknown { reason } => (None, reason.as_str()),
            };
            *counts.entry(reason).or_default() += 1;
        }
        let reasons = counts.into_iter().map(|((step, reason), count)| Self {
            step,
            reason: reason.to_owned(),
            count,
        });
        let mut reasons: Vec<Self> = reasons.collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        reasons
    }
}

/// How much was lost, over the cuts after which the stack came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CutLoss {
    /// The median; the higher of two in the middle.
    pub median: u64,
    /// The lower end of the median's 95 % interval; `None` if the recordings are too few.
    pub low: Option<u64>,
    /// The upper end.
    pub high: Option<u64>,
    /// The highest.
    pub max: u64,
}

/// The model's prediction for power cuts at random instants.
///
/// Whether a stack comes back is not predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CutPrediction {
    /// Whether a record is acknowledged by a call that makes it durable; otherwise by its write.
    pub is_promised: bool,
    /// The share of cuts that lose something; `None` if the sample is of an older version.
    pub lost_share: Option<f64>,
    /// The median of the time lost, in ns.
    pub age_ns_p50: u64,
    /// The longest.
    pub age_ns_max: u64,
    /// The median of the bytes lost.
    pub bytes_p50: u64,
    /// The most.
    pub bytes_max: u64,
    /// Whether nothing became durable: the longer the load lasts, the more is lost.
    pub is_unbounded: bool,
}

impl CutSummary {
    /// Counts cuts; `None` if there are none.
    pub fn of<'a>(cuts: impl IntoIterator<Item = &'a Cut>) -> Option<Self> {
        let cuts: Vec<&Cut> = cuts.into_iter().collect();
        if cuts.is_empty() {
            return None;
        }
        let known: Vec<&Cut> = cuts
            .iter()
            .copied()
            .filter(|cut| cut.lost_data().is_some())
            .collect();
        let back: Vec<(&Cut, Loss)> = known
            .iter()
            .filter_map(|cut| Some((*cut, loss(cut)?)))
            .collect();
        let came_back: Vec<&Cut> = back.iter().map(|(cut, _)| *cut).collect();
        let step = |cut: &Cut| match &cut.outcome {
            Outcome::Unusable(failure) => Some(failure.step),
            _ => None,
        };
        let mut steps: BTreeMap<RecoveryStep, usize> = BTreeMap::new();
        for step in cuts.iter().filter_map(|cut| step(cut)) {
            *steps.entry(step).or_default() += 1;
        }
        let is_corrupt = |cut: &Cut| loss(cut).is_some_and(|loss| loss.corrupt > 0);
        let extent = |number: fn(&Loss) -> u64| {
            let numbers = back.iter().map(|(_, loss)| number(loss)).collect();
            CutLoss::of(numbers, independent(&came_back))
        };
        Some(Self {
            cuts: cuts.len(),
            recordings: sizes(&cuts).len(),
            unknown: cuts.len() - known.len(),
            empty: cuts.iter().filter(|cut| cut.acknowledged == 0).count(),
            at_ns_max: cuts.iter().map(|cut| cut.at_ns.as_u64()).max()?,
            lost: CutShare::of(&known, |cut| cut.lost_data() == Some(true)),
            unusable: CutShare::of(&known, |cut| step(cut).is_some()),
            unusable_at: steps
                .into_iter()
                .map(|(step, count)| FailedStep { step, count })
                .collect(),
            reasons: CutReason::of(&cuts),
            corrupt: CutShare::of(&came_back, is_corrupt),
            age_ns: extent(|loss| loss.age_ns.as_u64()),
            bytes: extent(|loss| loss.bytes.as_u64()),
            values: sum_of_values(&back),
            states: cuts.iter().find_map(|cut| cut.state),
            smallest: cuts
                .iter()
                .filter_map(|cut| cut.smallest.as_ref())
                .min_by_key(|smallest| (smallest.lost.len(), smallest.history))
                .cloned(),
        })
    }
}

impl CutShare {
    fn of(cuts: &[&Cut], is_such: impl Fn(&Cut) -> bool) -> Self {
        let count = cuts.iter().filter(|cut| is_such(cut)).count();
        let interval = grouped_proportion_interval(count, &sizes(cuts), Level::P95);
        Self {
            count,
            of: cuts.len(),
            independent: independent(cuts),
            low: interval.low,
            high: interval.high,
        }
    }
}

impl CutLoss {
    fn of(mut numbers: Vec<u64>, independent: usize) -> Option<Self> {
        numbers.sort_unstable();
        let median = *numbers.get(numbers.len() / 2)?;
        let places = grouped_median_places(numbers.len(), independent, Level::P95);
        Some(Self {
            median,
            low: places.map(|(low, _)| numbers[low]),
            high: places.map(|(_, high)| numbers[high]),
            max: *numbers.last()?,
        })
    }
}

impl CutPrediction {
    /// Returns what the model predicts for the cuts of a cell, from its data at risk.
    pub fn of(cell: &Cell, risk: &Risk) -> Self {
        let load = &cell.workload.load;
        let is_promised = load.fsync_every.is_some()
            || load.fdatasync_every.is_some()
            || load.sync != SyncMode::None;
        let volatile = match is_promised {
            true => &risk.promised,
            false => &risk.acknowledged,
        };
        let share = |ppm: u32| f64::from(ppm) / f64::from(WHOLE_PPM);
        Self {
            is_promised,
            lost_share: volatile.share_ppm.map(share),
            age_ns_p50: volatile.age_p50_ns.as_u64(),
            age_ns_max: volatile.age_max_ns.as_u64(),
            bytes_p50: volatile.bytes_p50.as_u64(),
            bytes_max: volatile.bytes_max.as_u64(),
            is_unbounded: volatile.is_unbounded,
        }
    }

    /// Returns whether nothing is ever lost.
    pub const fn is_lossless(&self) -> bool {
        self.bytes_max == 0 && !self.is_unbounded
    }
}

/// Adds up what the lost records of a program became.
fn sum_of_values(back: &[(&Cut, Loss)]) -> Option<LostValues> {
    let values = back.iter().filter_map(|(_, loss)| loss.values);
    values.reduce(|sum, one| LostValues {
        missing: sum.missing.saturating_add(one.missing),
        old: sum.old.saturating_add(one.old),
        unreadable: sum.unreadable.saturating_add(one.unreadable),
        wrong: sum.wrong.saturating_add(one.wrong),
    })
}

fn loss(cut: &Cut) -> Option<Loss> {
    match &cut.outcome {
        Outcome::CameBack(loss) => Some(*loss),
        _ => None,
    }
}

/// Returns the number of cuts of each recording.
fn sizes(cuts: &[&Cut]) -> Vec<usize> {
    let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
    for cut in cuts {
        *sizes.entry(cut.recording).or_default() += 1;
    }
    sizes.into_values().collect()
}

fn independent(cuts: &[&Cut]) -> usize {
    independent_groups(&sizes(cuts))
}

#[cfg(test)]
#[path = "cuts_tests.rs"]
mod tests;
