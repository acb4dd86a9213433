//! Selects the cells that matter from very many.

use std::collections::BTreeSet;

use stripewise_stats::Verdict;
use stripewise_study::metric::Metric;

use crate::document::{CellPart, Document, VerdictPart};
use crate::names::Names;

/// Up to this many cells, all are listed by default.
pub const LISTED_MAX: usize = 48;
/// The number of cells listed for each reason.
const EACH: usize = 5;

/// A cell to select from.
pub(crate) struct Candidate<'a> {
    /// The cell.
    pub(crate) part: &'a CellPart,
    /// Its verdict against a baseline, if there is one.
    pub(crate) verdict: Option<&'a VerdictPart>,
}

/// Returns the cells that matter, in natural order: the largest differences in both directions and
/// those with warnings. `None` if all of them are few enough to list.
pub(crate) fn chosen(document: &Document, names: &Names) -> Option<Vec<usize>> {
    let cells = names.order.iter().map(|index| &document.cells[*index]);
    let candidates = cells.map(|part| Candidate {
        part,
        verdict: part.verdicts.first(),
    });
    let candidates: Vec<Candidate> = candidates.collect();
    let places = places(&candidates, document.run.compare.metric)?;
    Some(places.into_iter().map(|place| names.order[place]).collect())
}

/// Returns the places of the candidates that matter; `None` if there are few.
pub(crate) fn places(candidates: &[Candidate], metric: Metric) -> Option<BTreeSet<usize>> {
    if candidates.len() <= LISTED_MAX {
        return None;
    }
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let different = |one: &Candidate| {
        let verdict = one.verdict?;
        matches!(verdict.verdict, Verdict::Different { .. }).then_some(verdict.ratio.value)
    };
    let falling = sorted(candidates, |one| {
        different(one).filter(|ratio| *ratio < 1.0)
    });
    let rising = sorted(candidates, |one| {
        different(one).filter(|ratio| *ratio >= 1.0)
    });
    found.extend(falling.iter().take(EACH));
    found.extend(rising.iter().rev().take(EACH));
    if found.is_empty() {
        let by_value = sorted(candidates, |one| Some(one.part.estimate(metric)?.value));
        found.extend(by_value.iter().take(EACH));
        found.extend(by_value.iter().rev().take(EACH));
    }
    let gravity_at = |place: &usize| gravity(candidates[*place].part);
    let mut noticed: Vec<usize> = (0..candidates.len()).collect();
    noticed.retain(|place| gravity_at(place) > (false, false, 0));
    noticed.sort_by_key(|place| std::cmp::Reverse(gravity_at(place)));
    found.extend(noticed.iter().take(EACH));
    Some(found)
}

/// Ranks a cell's problems: no sample counts, samples were lost, the number of warnings.
fn gravity(cell: &CellPart) -> (bool, bool, usize) {
    let is_lost = cell.warnings.iter().any(|noticed| noticed.invalidates);
    (cell.counted() == 0, is_lost, cell.warnings.len())
}

/// Returns the places of the candidates that have a value, the lowest first.
fn sorted(candidates: &[Candidate], value: impl Fn(&Candidate) -> Option<f64>) -> Vec<usize> {
    let mut values: Vec<(f64, usize)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(place, one)| Some((value(one)?, place)))
        .collect();
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    values.into_iter().map(|value| value.1).collect()
}
