//! Finds which of the keys that differ between two stacks makes one of them faster.
//!
//! If two stacks differ in one key, that is the cause. If they differ in several, a third stack
//! that shares some of them is a witness: if it performs like one of the two in every cell, the
//! keys in which it differs from that one have no effect, and the others are the cause. This is
//! measured, not modelled; without a witness nothing is claimed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use stripewise_stats::Verdict;
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::difference::{Difference, differences};
use stripewise_study::plan::{Compare, Pair, pairs};
use stripewise_study::stack::Stack;

use crate::cell::CellAnalysis;
use crate::comparison::compare_cells;

/// A stack that performs unlike its baseline, and the differences between the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackDifference {
    /// The name of the stack.
    pub stack: String,
    /// The name of the stack that it is compared with.
    pub baseline: String,
    /// Its differences from the baseline.
    pub differences: Vec<Difference>,
    /// The differences that matter; `None` if the run does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub cause: Option<Cause>,
}

/// The cause of a difference between two stacks, and the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Cause {
    /// The keys that make the difference.
    pub keys: Vec<&'static str>,
    /// The keys without effect.
    pub idle: Vec<&'static str>,
    /// The stack that shows it; `None` if there is only one difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub witness: Option<Witness>,
}

/// A stack that differs from one of two in some of the keys in which they differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Witness {
    /// Its name.
    pub stack: String,
    /// The one of the two that performs like it.
    pub same_as: String,
    /// The number of cells in which it does.
    pub cells: usize,
}

/// Returns the stacks of a run that perform unlike their baseline, in the order of the study.
pub fn stack_differences(
    cells: &[Cell],
    analyses: &[CellAnalysis],
    compare: &Compare,
) -> Vec<StackDifference> {
    let run = Run {
        cells,
        analyses,
        compare,
    };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for pair in pairs(cells, &compare.baseline) {
        let (stack, baseline) = (&cells[pair.other].stack, &cells[pair.baseline].stack);
        let mut is_new = || seen.insert((&stack.name, &baseline.name));
        if !run.differs(pair) || !is_new() {
            continue;
        }
        let differences = differences(stack, baseline);
        if differences.is_empty() {
            continue;
        }
        found.push(StackDifference {
            stack: stack.name.clone(),
            baseline: baseline.name.clone(),
            cause: run.cause(stack, baseline, &differences),
            differences,
        });
    }
    found
}

struct Run<'a> {
    cells: &'a [Cell],
    analyses: &'a [CellAnalysis<'a>],
    compare: &'a Compare,
}

impl Run<'_> {
    fn verdict(&self, pair: Pair) -> Option<Verdict> {
        let compared = compare_cells(
            &self.analyses[pair.baseline].counted.paired,
            &self.analyses[pair.other].counted.paired,
            self.compare.metric,
            self.compare.margin_percent,
        )?;
        Some(compared.comparison.verdict)
    }

    fn differs(&self, pair: Pair) -> bool {
        matches!(self.verdict(pair), Some(Verdict::Different { .. }))
    }

    fn cause(&self, stack: &Stack, baseline: &Stack, all: &[Difference]) -> Option<Cause> {
        if let [only] = all {
            return Some(Cause {
                keys: vec![only.key],
                idle: Vec::new(),
                witness: None,
            });
        }
        let mut seen = BTreeSet::new();
        let others = self.cells.iter().map(|cell| &cell.stack);
        others
            .filter(|other| seen.insert(&other.name))
            .find_map(|other| self.shown_by(other, (stack, baseline), all))
    }

    /// Returns the cause that `other` shows, if it shares some of the differences.
    fn shown_by(
        &self,
        other: &Stack,
        (stack, baseline): (&Stack, &Stack),
        all: &[Difference],
    ) -> Option<Cause> {
        let shared = differences(other, baseline);
        let is_part = shared.iter().all(|difference| all.contains(difference));
        if shared.is_empty() || !is_part || shared.len() == all.len() {
            return None;
        }
        let (shared, rest): (Vec<_>, Vec<_>) = all.iter().partition(|one| shared.contains(one));
        let keys = |of: &[&Difference]| of.iter().map(|difference| difference.key).collect();
        let cause = |same: &Stack, causes: &[&Difference], idle: &[&Difference]| {
            let cells = self.cells_alike(&other.name, &same.name)?;
            Some(Cause {
                keys: keys(causes),
                idle: keys(idle),
                witness: Some(Witness {
                    stack: other.name.clone(),
                    same_as: same.name.clone(),
                    cells,
                }),
            })
        };
        cause(stack, &shared, &rest).or_else(|| cause(baseline, &rest, &shared))
    }

    /// Returns the number of cells in which two stacks perform alike; `None` if they differ in one,
    /// or if one is uncertain.
    fn cells_alike(&self, first: &str, second: &str) -> Option<usize> {
        let baseline = BTreeMap::from([(Axis::Stack, first.to_owned())]);
        let pairs = pairs(self.cells, &baseline);
        let of_both = pairs
            .into_iter()
            .filter(|pair| self.cells[pair.other].stack.name == second);
        let verdicts: Vec<_> = of_both.map(|pair| self.verdict(pair)).collect();
        let is_alike =
            |verdict: &Option<Verdict>| matches!(verdict, Some(Verdict::NoDifference { .. }));
        (!verdicts.is_empty() && verdicts.iter().all(is_alike)).then_some(verdicts.len())
    }
}

#[cfg(test)]
#[path = "cause_tests.rs"]
mod tests;
