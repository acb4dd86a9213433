//! Runs of sectors by address, in blocks so short that adding or removing one moves few of them.

use super::cache::Run;

/// The most runs of a block; a full one becomes two.
const BLOCK_MAX: usize = 64;

/// The place of a run: its block, and its place there. Changes make it invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunPlace {
    block: usize,
    within: usize,
}

/// Runs that do not touch, by address.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// None of them is empty.
    blocks: Vec<Vec<Run>>,
    /// Where the first run of each block starts.
    firsts: Vec<u64>,
    /// Emptied blocks, to be used again.
    spare: Vec<Vec<Run>>,
    count: usize,
}

impl Runs {
    /// Returns how many there are.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Returns all of them, by address.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.blocks.iter().flatten()
    }

    /// Returns a run.
    pub(super) fn get(&self, place: RunPlace) -> Run {
        self.blocks[place.block][place.within]
    }

    /// Replaces a run by another one at about the same address.
    pub(super) fn set(&mut self, place: RunPlace, run: Run) {
        self.blocks[place.block][place.within] = run;
        self.firsts[place.block] = self.blocks[place.block][0].start;
    }

    /// Returns the last run that starts at `sector` or before it.
    pub(super) fn last_until(&self, sector: u64) -> Option<(RunPlace, Run)> {
        let after = self.firsts.partition_point(|first| *first <= sector);
        let block = after.checked_sub(1)?;
        let runs = &self.blocks[block];
        let within = runs.partition_point(|run| run.start <= sector) - 1;
        Some((RunPlace { block, within }, runs[within]))
    }

    /// Returns the run before another one.
    pub(super) fn before(&self, place: RunPlace) -> Option<(RunPlace, Run)> {
        let place = match (place.block, place.within.checked_sub(1)) {
            (block, Some(within)) => RunPlace { block, within },
            (0, None) => return None,
            (block, None) => RunPlace {
                block: block - 1,
                within: self.blocks[block - 1].len() - 1,
            },
        };
        Some((place, self.get(place)))
    }

    /// Returns the first run that starts at `sector` or after it, or the first of all.
    pub(super) fn next_from(&self, sector: u64) -> Option<(RunPlace, Run)> {
        let before = sector
            .checked_sub(1)
            .and_then(|sector| self.last_until(sector));
        let next = before.map(|(place, _)| RunPlace {
            within: place.within + 1,
            ..place
        });
        let next = next.map(
            |place| match place.within < self.blocks[place.block].len() {
                true => place,
                false => RunPlace {
                    block: (place.block + 1) % self.blocks.len(),
                    within: 0,
                },
            },
        );
        let first = RunPlace {
            block: 0,
            within: 0,
        };
        let place = next.unwrap_or(first);
        let run = self.blocks.get(place.block)?.get(place.within)?;
        Some((place, *run))
    }

    /// Adds a run right after another one; before all if there is none.
    pub(super) fn insert_after(&mut self, place: Option<RunPlace>, run: Run) {
        self.count += 1;
        if self.blocks.is_empty() {
            let mut block = self.spare();
            block.push(run);
            self.blocks.push(block);
            self.firsts.push(run.start);
            return;
        }
        let (block, within) = place.map_or((0, 0), |place| (place.block, place.within + 1));
        self.blocks[block].insert(within, run);
        self.firsts[block] = self.blocks[block][0].start;
        if self.blocks[block].len() == BLOCK_MAX {
            let mut half = self.spare();
            half.extend(self.blocks[block].drain(BLOCK_MAX / 2..));
            self.firsts.insert(block + 1, half[0].start);
            self.blocks.insert(block + 1, half);
        }
    }

    /// Removes a run.
    pub(super) fn remove(&mut self, place: RunPlace) {
        self.count -= 1;
        let runs = &mut self.blocks[place.block];
        runs.remove(place.within);
        match runs.first() {
            Some(first) => self.firsts[place.block] = first.start,
            None => {
                self.firsts.remove(place.block);
                let empty = self.blocks.remove(place.block);
                self.spare.push(empty);
            }
        }
    }

    fn spare(&mut self) -> Vec<Run> {
        let spare = self.spare.pop();
        spare.unwrap_or_else(|| Vec::with_capacity(BLOCK_MAX))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_are_found_as_in_an_ordered_map(
            steps in prop::collection::vec((0_u64..400, prop::bool::weighted(0.7)), 1..600),
        ) {
            let mut runs = Runs::default();
            let mut oracle: BTreeMap<u64, u64> = BTreeMap::new();
            for (sector, adds) in steps {
                // Runs of one sector with a gap behind each.
                let (start, end) = (4 * sector, 4 * sector + 1);
                let last = runs.last_until(start);
                let expected = oracle.range(..=start).next_back();
                prop_assert_eq!(last.map(|(_, run)| run.start), expected.map(|(start, _)| *start));
                let next = oracle.range(start..).next().or_else(|| oracle.iter().next());
                let found = runs.next_from(start).map(|(_, run)| run.start);
                prop_assert_eq!(found, next.map(|(start, _)| *start));
                match (last, oracle.contains_key(&start)) {
                    (last, false) if adds => {
                        runs.insert_after(last.map(|(place, _)| place), Run { start, end });
                        oracle.insert(start, end);
                    }
                    (Some((place, run)), _) if !adds => {
                        runs.remove(place);
                        oracle.remove(&run.start);
                    }
                    _ => {}
                }
                prop_assert_eq!(runs.count(), oracle.len());
            }
            let all: Vec<u64> = runs.iter().map(|run| run.start).collect();
            prop_assert_eq!(all, oracle.keys().copied().collect::<Vec<_>>());
        }
    }
}
