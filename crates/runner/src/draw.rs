//! Random draws of the runner: the order of a block and the seed of a sample.
//!
//! Each draw has its own random stream, identified by its purpose. So one more cell or block does
//! not change the other draws, and the run's seed reproduces a run.

use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use stripewise_units::splitmix::mixed;

/// Returns `cells` in the random order of block `block`.
pub(crate) fn order(run_seed: u64, block: u32, mut cells: Vec<usize>) -> Vec<usize> {
    cells.sort_unstable();
    cells.shuffle(&mut stream(run_seed, &[1, u64::from(block)]));
    cells
}

/// Groups `cells` with the same key: a stack takes longer to build than a sample, so a block builds
/// each stack only once.
///
/// Groups are ordered by the position of their lowest-numbered cell. So each of two groups comes
/// first equally often, whatever their sizes: comparisons rely on that.
pub(crate) fn grouped<K: PartialEq>(cells: Vec<usize>, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut groups: Vec<(K, Vec<(usize, usize)>)> = Vec::new();
    for (place, cell) in cells.into_iter().enumerate() {
        let key = key(cell);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push((cell, place)),
            None => groups.push((key, vec![(cell, place)])),
        }
    }
    let place_of_lowest = |members: &[(usize, usize)]| members.iter().min().map(|lowest| lowest.1);
    groups.sort_by_key(|(_, members)| place_of_lowest(members));
    let members = groups.into_iter().flat_map(|(_, members)| members);
    members.map(|(cell, _)| cell).collect()
}

/// Returns the seed of the sample of `cell` in `block`.
pub(crate) fn sample_seed(run_seed: u64, block: u32, cell: usize) -> u64 {
    let cell = u64::try_from(cell).unwrap_or(u64::MAX);
    // fio accepts 64-bit seeds but prints them as signed: stay below 2^63.
    stream(run_seed, &[2, u64::from(block), cell]).random::<u64>() >> 1
}

/// Returns the random stream with this name.
fn stream(run_seed: u64, name: &[u64]) -> Pcg64 {
    let seed = name
        .iter()
        .fold(run_seed, |state, part| mixed(state ^ mixed(*part)));
    Pcg64::seed_from_u64(seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_the_order_and_another_does_not() {
        let cells: Vec<usize> = (0..20).collect();
        assert_eq!(order(7, 3, cells.clone()), order(7, 3, cells.clone()));
        assert_ne!(order(7, 3, cells.clone()), order(8, 3, cells.clone()));
        assert_ne!(order(7, 3, cells.clone()), order(7, 4, cells));
    }

    #[test]
    fn cells_with_the_same_key_are_adjacent() {
        let cells = vec![4, 1, 2, 3, 0, 5];
        assert_eq!(grouped(cells.clone(), |cell| cell % 2), [1, 3, 5, 4, 2, 0]);
        assert_eq!(grouped(cells.clone(), |_| 0), cells);
        assert_eq!(grouped(cells.clone(), |cell| cell), cells);
        assert!(grouped(Vec::new(), |cell| cell).is_empty());
    }

    #[test]
    fn a_stack_with_more_cells_does_not_come_first_more_often() {
        // Five cells of one stack and one of another: ordering by the first cell drawn would give 5
        // in 6.
        let is_large_first = |block| {
            let cells = grouped(order(7, block, (0..6).collect()), |cell| cell < 5);
            cells[0] < 5
        };
        let share = (0..2000).filter(|&block| is_large_first(block)).count();
        assert!((900..=1100).contains(&share), "{share} of 2000");
    }

    #[test]
    fn every_sample_has_its_own_seed() {
        let seeds: std::collections::BTreeSet<u64> = (0..50)
            .flat_map(|block| (0..50).map(move |cell| sample_seed(1, block, cell)))
            .collect();
        assert_eq!(seeds.len(), 2500);
    }
}
