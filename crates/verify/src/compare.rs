//! Compares the counts of two worlds, as far as they are determined.

use serde::{Deserialize, Serialize};
use stripewise_sim::engine::SuperblockUpdate;

use crate::case::Case;
use crate::counts::MemberCounts;
use crate::determined::{Determined, Extent, determined};

/// The most superblock updates that we try: a slow load makes an array dirty and clean repeatedly.
const UPDATES_MAX: u64 = 8;
/// The tolerance of totals that are not determined, in percent: they depend on how many stripes or
/// waiting writes meet.
const ROUGHLY_PERCENT: u64 = 30;
/// Smaller differences are ignored if nothing is determined.
const ROUGHLY_SECTORS: u64 = 512;

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// All determined counts are equal.
    Agrees {
        /// How often the driver also updated its superblocks.
        superblock_updates: u64,
    },
    /// Some determined counts differ.
    Differs {
        /// The first differing member; `None` if only the totals differ.
        member: Option<usize>,
    },
}

impl Verdict {
    /// Returns whether all determined counts are equal.
    pub const fn agrees(&self) -> bool {
        matches!(self, Verdict::Agrees { .. })
    }
}

/// Compares the model's and the driver's counts of each member.
///
/// `update` is the extra write of the driver when the array becomes dirty or clean: any number of
/// times, but equally often on every working member.
pub fn compare(
    case: &Case,
    model: &[MemberCounts],
    real: &[MemberCounts],
    update: Option<SuperblockUpdate>,
) -> Verdict {
    if model.len() != real.len() {
        return Verdict::Differs { member: None };
    }
    let extent = determined(case);
    let updates_max = match (update, case.writes()) {
        (Some(_), true) => UPDATES_MAX,
        _ => 0,
    };
    let mut first = None;
    for superblock_updates in 0..=updates_max {
        let mut expected = model.to_vec();
        if let Some(update) = update {
            add_updates(case, &mut expected, update, superblock_updates);
        }
        match difference(extent, &expected, real) {
            None => return Verdict::Agrees { superblock_updates },
            Some(member) if superblock_updates == updates_max.min(2) => first = member,
            Some(_) => {}
        }
    }
    Verdict::Differs { member: first }
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

/// Returns the member with differing determined counts: `Some(None)` if only the totals differ.
fn difference(
    extent: Determined,
    expected: &[MemberCounts],
    real: &[MemberCounts],
) -> Option<Option<usize>> {
    if extent.least() == Extent::Roughly && !are_near(expected, real) {
        return Some(None);
    }
    let reads = |counts: &MemberCounts| [counts.reads, counts.read_merges, counts.read_sectors];
    let writes = |counts: &MemberCounts| [counts.writes, counts.write_merges, counts.write_sectors];
    difference_of(extent.reads, expected, real, reads)
        .or_else(|| difference_of(extent.writes, expected, real, writes))
}

fn difference_of(
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
    let total = |counts: &[MemberCounts]| -> u64 {
        let sectors = counts.iter().map(|counts| direction(counts)[2]);
        sectors.sum()
    };
    let (model, driver) = (total(expected), total(real));
    match extent {
        Extent::Requests => differs(&|one, other| one == other),
        Extent::Blocks => {
            differs(&|one, other| (one[0] + one[1], one[2]) == (other[0] + other[1], other[2]))
        }
        Extent::Total => (model != driver).then_some(None),
        Extent::Roughly => None,
    }
}

/// Returns whether the totals of all members are within tolerance.
fn are_near(expected: &[MemberCounts], real: &[MemberCounts]) -> bool {
    let moved = |counts: &[MemberCounts]| -> u64 {
        let sectors = counts
            .iter()
            .map(|counts| counts.read_sectors + counts.write_sectors);
        sectors.sum()
    };
    let (model, driver) = (moved(expected), moved(real));
    let apart = model.abs_diff(driver);
    apart <= ROUGHLY_SECTORS || apart * 100 <= driver * ROUGHLY_PERCENT
}
