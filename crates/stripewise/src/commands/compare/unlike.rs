//! Runs without a common cell: the keys that differ, and how to compare the cells anyway.

use std::collections::BTreeSet;

use stripewise_results::Run;
use stripewise_study::cell::{Axis, Cell};

use crate::failure::Failure;

/// How many values of a key are listed.
const VALUES_LISTED: usize = 6;

/// A key by which two runs differ, with its values in each.
pub(in crate::commands) struct DifferingKey {
    pub(in crate::commands) axis: Axis,
    baseline: BTreeSet<String>,
    other: BTreeSet<String>,
}

/// Returns the indices of cells that are equal in all keys but the ignored ones. Skips cells with
/// several equal partners.
pub(in crate::commands) fn matching_but(
    ignored: &[Axis],
    baseline: &[Cell],
    other: &[Cell],
) -> Vec<(usize, usize)> {
    let keys = |cell: &Cell| -> Vec<String> {
        let axes = Axis::all();
        let axes = axes.filter(|axis| !ignored.contains(axis));
        axes.map(|axis| cell.value(axis)).collect()
    };
    let (before, after): (Vec<_>, Vec<_>) = (
        baseline.iter().map(keys).collect(),
        other.iter().map(keys).collect(),
    );
    let only = |cells: &[Vec<String>], keys: &Vec<String>| {
        let mut found = (0..cells.len()).filter(|index| cells[*index] == *keys);
        found.next().filter(|_| found.next().is_none())
    };
    (0..other.len())
        .filter_map(|index| {
            let partner = only(&before, &after[index])?;
            only(&after, &before[partner])?;
            Some((partner, index))
        })
        .collect()
}

/// Explains why two runs have no common cell.
pub(super) fn nothing_in_common(baseline: &Run, other: &Run) -> Failure {
    let apart = match disjoint(&baseline.cells, &other.cells) {
        keys if keys.is_empty() => nearest(&baseline.cells, &other.cells),
        keys => keys,
    };
    let (first, second) = (baseline.summary.id, other.summary.id);
    let key = |apart: &DifferingKey| {
        let (key, before, after) = (apart.axis.key(), list(&apart.baseline), list(&apart.other));
        format!("{key} is {before} in run {first} and {after} in run {second}")
    };
    let differ: Vec<String> = apart.iter().map(key).collect();
    let failure = Failure::new(match differ.is_empty() {
        true if follows_risk(&baseline.cells) != follows_risk(&other.cells) => {
            let of = if follows_risk(&other.cells) {
                second
            } else {
                first
            };
            format!(
                "the two runs have no cell in common: run {of} predicts what power cuts destroy"
            )
        }
        true => "the two runs have no cell in common: several cells of one match each of the other"
            .to_owned(),
        false => format!("the two runs have no cell in common: {}", differ.join("; ")),
    });
    let keys: BTreeSet<&str> = apart.iter().map(|apart| apart.axis.key()).collect();
    let keys: Vec<&str> = keys.into_iter().collect();
    match keys.is_empty() {
        true => failure.hint("compare both with `stripewise show`"),
        false => failure.hint(format!(
            "`--ignore {}` compares them anyway; the difference then includes the effect of the ignored keys",
            keys.join(",")
        )),
    }
}

/// Returns whether cells follow the data at risk of a load, which is no key that compares.
fn follows_risk(cells: &[Cell]) -> bool {
    let mut loads = cells.iter().flat_map(|cell| cell.workload.loads());
    loads.any(|load| load.risk)
}

/// Returns the keys that have no value in common on both sides.
pub(in crate::commands) fn disjoint(baseline: &[Cell], other: &[Cell]) -> Vec<DifferingKey> {
    let values = |cells: &[Cell], axis| cells.iter().map(|cell| cell.value(axis)).collect();
    let apart = Axis::all().map(|axis| DifferingKey {
        axis,
        baseline: values(baseline, axis),
        other: values(other, axis),
    });
    apart
        .filter(|apart| apart.baseline.is_disjoint(&apart.other) && !is_name(apart.axis))
        .collect()
}

/// Returns the keys that differ in the most similar pair of cells.
fn nearest(baseline: &[Cell], other: &[Cell]) -> Vec<DifferingKey> {
    /// The most pairs to compare.
    const PAIRS_MAX: usize = 10_000;
    let pairs = baseline
        .iter()
        .flat_map(|one| other.iter().map(move |two| (one, two)));
    let apart = |(one, two): (&Cell, &Cell)| -> Vec<DifferingKey> {
        disjoint(std::slice::from_ref(one), std::slice::from_ref(two))
    };
    let nearest = pairs.take(PAIRS_MAX).map(apart).min_by_key(Vec::len);
    nearest.unwrap_or_default()
}

/// Returns whether a key is a name: if no cells are equal, names are ignored anyway.
fn is_name(axis: Axis) -> bool {
    matches!(axis, Axis::Stack | Axis::Workload)
}

/// Returns values as a list: `4K, 8K and 3 more`.
fn list(values: &BTreeSet<String>) -> String {
    let named = values.iter().map(|value| match value.is_empty() {
        true => "none",
        false => value.as_str(),
    });
    let listed: Vec<&str> = named.take(VALUES_LISTED).collect();
    let more = values.len().saturating_sub(listed.len());
    match more {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}
