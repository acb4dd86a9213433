//! Runs without a common cell: the keys that differ, and how to compare the cells anyway.

use std::collections::BTreeSet;
use std::slice;

use stripewise_report::matching::{follows_risk, has_layers_of, has_load_of};
use stripewise_results::Run;
use stripewise_study::cell::{Axis, Cell};

use crate::failure::Failure;

/// How many values of a key are listed.
const VALUES_LISTED: usize = 6;
/// The most pairs of cells to compare.
const PAIRS_MAX: usize = 10_000;

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

/// Explains why two runs have no common cell but in the ignored keys.
pub(super) fn nothing_in_common(ignored: &[Axis], baseline: &Run, other: &Run) -> Failure {
    let apart = apart(ignored, &baseline.cells, &other.cells);
    let (first, second) = (baseline.summary.id, other.summary.id);
    if let Some(failure) = stacks_apart(baseline, other).filter(|_| apart.is_empty()) {
        return failure;
    }
    let key = |apart: &DifferingKey| {
        let (key, before, after) = (apart.axis.key(), list(&apart.baseline), list(&apart.other));
        format!("{key} is {before} in run {first} and {after} in run {second}")
    };
    let differ: Vec<String> = apart.iter().map(key).collect();
    let follow_risk = |run: &Run| run.cells.iter().any(|cell| follows_risk(&cell.workload));
    let failure = Failure::new(match differ.is_empty() {
        true if follow_risk(baseline) != follow_risk(other) => {
            let of = if follow_risk(other) { second } else { first };
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
        false => failure.hint(ignoring(ignored, &keys, &baseline.cells, &other.cells)),
    }
}

/// Returns the keys in which no cell of one side is as one of the other, but for the ignored ones: those
/// that have no value in common, else those of the most similar pair.
fn apart(ignored: &[Axis], baseline: &[Cell], other: &[Cell]) -> Vec<DifferingKey> {
    // Without `--ignore`, names are not compared.
    let counts = |apart: &DifferingKey| match ignored.is_empty() {
        true => !is_name(apart.axis),
        false => !ignored.contains(&apart.axis),
    };
    let differing = |baseline: &[Cell], other: &[Cell]| -> Vec<DifferingKey> {
        let all = differing(baseline, other).into_iter();
        all.filter(counts).collect()
    };
    let everywhere = differing(baseline, other);
    if !everywhere.is_empty() {
        return everywhere;
    }
    let pairs = baseline
        .iter()
        .flat_map(|one| other.iter().map(move |two| (one, two)));
    let of_pair =
        |(one, two): (&Cell, &Cell)| differing(slice::from_ref(one), slice::from_ref(two));
    let nearest = pairs.take(PAIRS_MAX).map(of_pair).min_by_key(Vec::len);
    nearest.unwrap_or_default()
}

/// Says which keys to ignore, if cells match then.
fn ignoring(ignored: &[Axis], keys: &[&str], baseline: &[Cell], other: &[Cell]) -> String {
    let is_asked = |axis: &Axis| ignored.contains(axis) || keys.contains(&axis.key());
    let mut tried: Vec<Axis> = Axis::all().filter(is_asked).collect();
    // Names are compared as soon as a key is ignored.
    let names = Axis::all().filter(|axis| is_name(*axis) && !is_asked(axis));
    let with_names: Vec<Axis> = tried.iter().copied().chain(names).collect();
    if matching_but(&tried, baseline, other).is_empty() {
        tried = with_names;
    }
    let listed: Vec<&str> = tried.iter().map(|axis| axis.key()).collect();
    let listed = listed.join(",");
    match matching_but(&tried, baseline, other).is_empty() {
        false => format!(
            "`--ignore {listed}` compares them anyway; the difference then includes the effect of the ignored keys"
        ),
        true => format!(
            "without {listed}, several cells of one run are as one of the other: compare both with `stripewise show`"
        ),
    }
}

/// Refuses to compare different stacks as if they were one, if they have a load in common.
fn stacks_apart(baseline: &Run, other: &Run) -> Option<Failure> {
    let mut pairs = baseline
        .cells
        .iter()
        .flat_map(|one| other.cells.iter().map(move |two| (one, two)));
    let (one, two) = pairs.find(|(one, two)| has_load_of(one, two))?;
    let stack = |cell: &Cell| format!("`{}` ({})", cell.stack.name, cell.stack.summary());
    let message = format!(
        "the stacks of the two runs differ: {} in run {}, {} in run {}",
        stack(one),
        baseline.summary.id,
        stack(two),
        other.summary.id
    );
    let hint = "`--ignore stack` compares them under the same load; the difference is then that of the stacks";
    (!has_layers_of(&one.stack, &two.stack)).then(|| Failure::new(message).hint(hint))
}

/// Returns the keys but names that have no value in common on both sides.
pub(in crate::commands) fn disjoint(baseline: &[Cell], other: &[Cell]) -> Vec<DifferingKey> {
    let mut apart = differing(baseline, other);
    apart.retain(|apart| !is_name(apart.axis));
    apart
}

fn differing(baseline: &[Cell], other: &[Cell]) -> Vec<DifferingKey> {
    let values = |cells: &[Cell], axis| cells.iter().map(|cell| cell.value(axis)).collect();
    let keys = Axis::all().map(|axis| DifferingKey {
        axis,
        baseline: values(baseline, axis),
        other: values(other, axis),
    });
    keys.filter(|apart| apart.baseline.is_disjoint(&apart.other))
        .collect()
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
