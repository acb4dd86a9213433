//! Matches the cells of two runs that measure the same thing.

use stripewise_study::cell::Cell;

/// Returns the indices of equal cells, baseline first; if no two are equal, of cells that differ
/// only in the names of stacks and workloads.
pub fn matching_cells(baseline: &[Cell], other: &[Cell]) -> Vec<(usize, usize)> {
    let matches = |same: fn(&Cell, &Cell) -> bool| -> Vec<(usize, usize)> {
        let partner = |cell: &Cell| {
            let mut found = (0..baseline.len()).filter(|index| same(&baseline[*index], cell));
            // Two equally good matches count as none.
            found.next().filter(|_| found.next().is_none())
        };
        (0..other.len())
            .filter_map(|index| Some((partner(&other[index])?, index)))
            .collect()
    };
    let equal = matches(|left, right| left == right);
    if equal.is_empty() {
        matches(|left, right| {
            left.workload.load == right.workload.load
                && left.workload.neighbours == right.workload.neighbours
                && left.workload.trace == right.workload.trace
                && left.workload.options == right.workload.options
                && left.conditions == right.conditions
        })
    } else {
        equal
    }
}
