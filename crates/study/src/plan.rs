//! A checked study, ready to run: its cells, their repetition, and the comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::cell::{Axis, Cell, varying_axes};
use crate::hosts::LostHosts;
use crate::lifetime::Lifetime;
use crate::metric::Metric;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Nanos, Percent};

/// The shortest sample.
pub const SAMPLE_NS_MIN: Nanos = Nanos::from_millis(50);
/// The longest sample: a week.
pub const SAMPLE_NS_MAX: Nanos = Nanos::from_millis(7 * 24 * 3_600_000);
/// The longest budget of a run: a year.
pub const BUDGET_NS_MAX: Nanos = Nanos::from_millis(365 * 24 * 3_600_000);

/// A parsed and checked study.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The question that it answers.
    pub question: Option<String>,
    /// The kernel whose rules apply in the model world.
    pub kernel: Option<KernelVersion>,
    /// The host profile of the model world.
    pub host: Option<String>,
    /// The cores of that host, if they are not those of the profile.
    pub cores: Option<NonZeroU32>,
    /// The hosts that run the load at the same time, as `ssh` knows them; empty for this machine.
    pub hosts: Vec<String>,
    /// What becomes of a run that loses one of them.
    pub lost_hosts: LostHosts,
    /// The block devices whose content may be destroyed, by the device profile they stand for.
    pub may_destroy: BTreeMap<String, Vec<PathBuf>>,
    /// The cells, in the order of the file.
    pub cells: Vec<Cell>,
    /// How often cells are measured, and when to stop.
    pub repeat: Repeat,
    /// Which cells are compared, and how.
    pub compare: Compare,
    /// What is asked about the years of the stacks.
    pub lifetime: Option<Lifetime>,
}

/// The rule that decides whether a cell is steady.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SteadyState {
    /// SNIA SSS PTS: a window of 5 rounds within 20 % and 10 % slope, at most 25 rounds.
    Snia,
}

/// How often each cell is measured, and when to stop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// The length of one sample.
    pub sample_ns: Nanos,
    /// A cell is done when the 95 % interval of its median lies within this share on both sides.
    pub interval_percent: Percent,
    /// The minimum number of samples of a cell, not counting its warm-up.
    pub at_least: u32,
    /// The maximum number of samples of a cell, not counting its warm-up.
    pub at_most: u32,
    /// The time limit of the whole run.
    pub budget_ns: Nanos,
    /// Whether samples count only from the first steady window on.
    pub steady_state: Option<SteadyState>,
}

impl Default for Repeat {
    /// 3 s samples, +-5 %, 6 to 30 of them, 10 minutes.
    fn default() -> Self {
        Self {
            sample_ns: Nanos::from_millis(3_000),
            interval_percent: five_percent(),
            at_least: 6,
            at_most: 30,
            budget_ns: Nanos::from_millis(600_000),
            steady_state: None,
        }
    }
}

impl Repeat {
    /// Returns a budget that leaves time after this one: twice as much.
    pub const fn longer_budget(&self) -> Nanos {
        Nanos::new(self.budget_ns.as_u64().saturating_mul(2))
    }
}

/// Which cells are compared, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compare {
    /// The values that mark the baseline cells, by axis; if empty, nothing is compared.
    pub baseline: BTreeMap<Axis, String>,
    /// The compared metric.
    pub metric: Metric,
    /// Differences within ± this share count as no difference.
    pub margin_percent: Percent,
}

impl Default for Compare {
    /// No comparison; the metric is bandwidth, with a margin of 5 %.
    fn default() -> Self {
        Self {
            baseline: BTreeMap::new(),
            metric: Metric::Bandwidth,
            margin_percent: five_percent(),
        }
    }
}

fn five_percent() -> Percent {
    Percent::new(5.0).expect("5 is a share")
}

/// Two cells to be compared, by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The cell to compare with.
    pub baseline: usize,
    /// The compared cell.
    pub other: usize,
}

/// Returns the compared pairs: each cell with the baseline cell that differs from it in the keys of
/// the baseline only.
///
/// If the baseline names a workload, keys in which two workloads differ by definition do not count;
/// keys over which each of them varies do. Cost: O(cells log cells).
pub fn pairs(cells: &[Cell], baseline: &BTreeMap<Axis, String>) -> Vec<Pair> {
    if baseline.is_empty() {
        return Vec::new();
    }
    let is_baseline = |cell: &Cell| {
        baseline
            .iter()
            .all(|(axis, value)| cell.value(*axis) == *value)
    };
    let axes = MatchingAxes::new(cells, baseline);
    let key = |cell: &Cell| axes.key(cell);
    let mut by_key: BTreeMap<Vec<(Axis, String)>, usize> = BTreeMap::new();
    for (index, cell) in cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| is_baseline(cell))
    {
        by_key.entry(key(cell)).or_insert(index);
    }
    cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| !is_baseline(cell))
        .filter_map(|(other, cell)| {
            let baseline = *by_key.get(&key(cell))?;
            Some(Pair { baseline, other })
        })
        .collect()
}

/// The axes along which a cell and its baseline must be equal.
struct MatchingAxes {
    /// By the name of the workload if the baseline names one; otherwise the same for all.
    by_workload: BTreeMap<Option<String>, Vec<Axis>>,
    others: Vec<Axis>,
}

impl MatchingAxes {
    fn new(cells: &[Cell], baseline: &BTreeMap<Axis, String>) -> Self {
        let free = |axis: &Axis| !baseline.contains_key(axis);
        let mut by_workload = BTreeMap::new();
        if !free(&Axis::Workload) {
            let names: BTreeSet<&Option<String>> =
                cells.iter().map(|cell| &cell.workload.name).collect();
            for name in names {
                let same = cells.iter().filter(|cell| cell.workload.name == *name);
                let axes = varying_axes(same.collect::<Vec<_>>());
                by_workload.insert(name.clone(), axes.into_iter().filter(free).collect());
            }
        }
        Self {
            by_workload,
            others: Axis::all().filter(free).collect(),
        }
    }

    /// Returns the values that a cell and its baseline must share.
    fn key(&self, cell: &Cell) -> Vec<(Axis, String)> {
        let axes = self
            .by_workload
            .get(&cell.workload.name)
            .unwrap_or(&self.others);
        axes.iter().map(|axis| (*axis, cell.value(*axis))).collect()
    }
}
