//! Compares the counts of two worlds, as far as they are determined.

use serde::{Deserialize, Serialize};
use stripewise_sim::engine::SuperblockUpdate;

use crate::addresses::{self, Sums};
use crate::case::Case;
use crate::check::Counted;
use crate::counts::MemberCounts;
use crate::determined::{Determined, Extent, determined, groups};
use crate::spread::{Distance, distances};

/// The most superblock updates that we try: a slow load makes an array dirty and clean repeatedly.
const UPDATES_MAX: u64 = 8;
/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// All determined counts are equal.
    Agrees {
        /// How often the driver also updated its superblocks.
        superblock_updates: u64,
    },
    /// Some determined counts differ, or others are beyond their limit.
    Differs {
        /// The first differing member; `None` if only totals differ.
        member: Option<usize>,
    },
}

impl Verdict {
    /// Returns whether all determined counts are equal.
    pub const fn agrees(&self) -> bool {
        matches!(self, Verdict::Agrees { .. })
    }
}

/// A case that was compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The verdict.
    pub verdict: Verdict,
    /// How far the counts are that are not determined; empty if others differ.
    pub distances: Vec<Distance>,
}

/// Compares the model's and the driver's counts of each member.
///
/// `update` is the extra write of the driver when the array becomes dirty or clean: any number of
/// times, but equally often on every working member.
pub fn compare(
    case: &Case,
    model: &Counted,
    real: &Counted,
    update: Option<SuperblockUpdate>,
) -> Compared {
    let differs = |member| Compared {
        verdict: Verdict::Differs { member },
        distances: Vec::new(),
    };
    if model.counts.len() != real.counts.len() {
        return differs(None);
    }
    let sums = model
        .sectors_sums
        .as_deref()
        .zip(real.sectors_sums.as_deref());
    let sums = sums.map(|(model, real)| Sums { model, real });
    let real = &real.counts;
    let extent = determined(case);
    let updates_max = match (update, case.writes()) {
        (Some(_), true) => UPDATES_MAX,
        _ => 0,
    };
    let mut first = None;
    let mut nearest: Option<((bool, f64), Compared)> = None;
    for superblock_updates in 0..=updates_max {
        let mut expected = model.counts.clone();
        if let Some(update) = update {
            add_updates(case, &mut expected, update, superblock_updates);
        }
        let moved = || {
            let updates = (update, superblock_updates);
            sums.and_then(|sums| addresses::difference(case, extent, sums, &expected, updates))
        };
        match difference(case, extent, &expected, real).or_else(|| moved().map(Some)) {
            None => {
                let distances = distances(case, &expected, real);
                let sum = distances.iter().map(|one| one.per_root).sum();
                let away = (distances.iter().any(Distance::is_beyond), sum);
                if nearest.as_ref().is_none_or(|(least, _)| away < *least) {
                    let verdict = verdict_of(&distances, superblock_updates);
                    nearest = Some((away, Compared { verdict, distances }));
                }
            }
            Some(member) if superblock_updates == updates_max.min(2) => first = member,
            Some(_) => {}
        }
    }
    nearest.map_or_else(|| differs(first), |(_, compared)| compared)
}

/// Returns the verdict of a case whose determined counts are equal.
fn verdict_of(distances: &[Distance], superblock_updates: u64) -> Verdict {
    match distances.iter().find(|distance| distance.is_beyond()) {
        Some(beyond) => Verdict::Differs {
            member: Some(beyond.member),
        },
        None => Verdict::Agrees { superblock_updates },
    }
}

/// Adds superblock updates to the counts of the working members.
pub fn add_updates(
    case: &Case,
    counts: &mut [MemberCounts],
    update: SuperblockUpdate,
    updates: u64,
) {
    for (place, counts) in (0_u16..).zip(counts) {
        if !case.failed.contains(&place) {
            counts.writes += updates * update.writes;
            counts.write_sectors += updates * update.sectors.get();
        }
    }
}

/// Returns the member with differing determined counts: `Some(None)` if only totals differ.
fn difference(
    case: &Case,
    extent: Determined,
    expected: &[MemberCounts],
    real: &[MemberCounts],
) -> Option<Option<usize>> {
    let reads = |counts: &MemberCounts| [counts.reads, counts.read_merges, counts.read_sectors];
    let writes = |counts: &MemberCounts| [counts.writes, counts.write_merges, counts.write_sectors];
    difference_of(case, extent.reads, expected, real, reads)
        .or_else(|| difference_of(case, extent.writes, expected, real, writes))
}

fn difference_of(
    case: &Case,
    extent: Extent,
    expected: &[MemberCounts],
    real: &[MemberCounts],
    direction: impl Fn(&MemberCounts) -> [u64; 3],
) -> Option<Option<usize>> {
    let differs = |same: &dyn Fn([u64; 3], [u64; 3]) -> bool| {
        let mut pairs = expected.iter().zip(real);
        let place = pairs.position(|(one, other)| !same(direction(one), direction(other)));
        place.map(Some)
    };
    match extent {
        Extent::Requests => differs(&|one, other| one == other),
        Extent::Blocks => {
            differs(&|one, other| (one[0] + one[1], one[2]) == (other[0] + other[1], other[2]))
        }
        Extent::Sectors => differs(&|one, other| one[2] == other[2]),
        Extent::Pages => {
            let mut working = (0_u16..).zip(expected.iter().zip(real));
            let first = working.find(|(place, _)| !case.failed.contains(place));
            let apart = |one: [u64; 3], other: [u64; 3]| i128::from(other[2]) - i128::from(one[2]);
            let pages = first.map_or(0, |(_, (one, other))| {
                apart(direction(one), direction(other))
            });
            differs(&|one, other| apart(one, other) == pages || (one, other) == ([0; 3], [0; 3]))
        }
        Extent::Total => {
            let total = |counts: &[MemberCounts]| -> u64 {
                counts.iter().map(|counts| direction(counts)[2]).sum()
            };
            let mut groups = groups(case).into_iter();
            let apart = groups.any(|group| total(&expected[group.clone()]) != total(&real[group]));
            apart.then_some(None)
        }
        Extent::Roughly => None,
    }
}
