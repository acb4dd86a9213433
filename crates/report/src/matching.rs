//! Which cells of two runs are the same question.

use stripewise_study::cell::Cell;

/// Returns the indices of equal cells, baseline first; where no two are equal, of cells that differ in
/// the names of stacks and workloads only.
pub fn matching_cells(baseline: &[Cell], other: &[Cell]) -> Vec<(usize, usize)> {
    let matches = |same: fn(&Cell, &Cell) -> bool| -> Vec<(usize, usize)> {
        let partner = |cell: &Cell| {
            let mut found = (0..baseline.len()).filter(|index| same(&baseline[*index], cell));
            // Two that fit equally well are none.
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
                && left.conditions == right.conditions
        })
    } else {
        equal
    }
}
