//! Compares where on the members the sectors lie.
//!
//! Counts do not show addresses: a far copy one chunk too low moves as many sectors. A modelled disk
//! of the lab adds up the numbers of all sectors that it reads and writes. The sum does not depend
//! on merging or order, so it is determined wherever the sectors of a member are. Copies on mirrors
//! and on near layouts lie at one address, so there the sum of the members that share them is
//! determined, too.
//!
//! The driver's sum also has the data area's offset for each sector, and the superblock's sector for
//! each update. With a bitmap, the number of its page writes is unknown: such writes are not
//! compared.

use std::ops::Range;

use stripewise_sim::engine::SuperblockUpdate;
use stripewise_study::stack::Level;

use crate::case::Case;
use crate::counts::MemberCounts;
use crate::determined::{Determined, Extent, groups};

/// The unit of the first sector of the data area, which is the same on all members
/// (`add_to_super1` of mdadm 4.2: room for a reshape, which depends on the chunk, rounded up to
/// 1 MiB).
const DATA_UNIT_SECTORS: u64 = 2048;
/// The most units before the data area: a chunk of 512 KiB has two.
const DATA_UNITS_MAX: u64 = 4;
/// The sector of the superblock of format 1.2.
const SUPERBLOCK_SECTOR: u64 = 8;

/// Both worlds' sums of the numbers of sectors read and written by each member.
#[derive(Debug, Clone, Copy)]
pub struct Sums<'a> {
    /// The model's, from the start of the data area.
    pub model: &'a [[u64; 2]],
    /// The driver's, from the start of the disk.
    pub real: &'a [[u64; 2]],
}

/// Returns the first member with other addresses. `expected` are the model's counts with `updates`
/// superblock updates.
pub fn difference(
    case: &Case,
    extents: Determined,
    sums: Sums<'_>,
    expected: &[MemberCounts],
    (update, updates): (Option<SuperblockUpdate>, u64),
) -> Option<usize> {
    let updates = update.map_or(0, |_| updates);
    let has_bitmap = case.bitmap_chunk_bytes.is_some();
    let reads = groups_of(case, extents.reads).into_iter();
    let writes = groups_of(case, extents.writes).into_iter();
    let reads = reads.map(|group| (0, group));
    let writes = writes.filter(|_| !has_bitmap).map(|group| (1, group));
    let groups: Vec<(usize, Range<usize>)> = reads.chain(writes).collect();
    let moved = |first: u64, direction: usize, member: usize| {
        let counts = expected[member];
        let is_written = !case
            .failed
            .iter()
            .any(|failed| usize::from(*failed) == member);
        let (sectors, superblocks) = match direction {
            0 => (counts.read_sectors, 0),
            _ => (counts.write_sectors, u64::from(is_written) * updates),
        };
        first * sectors.saturating_sub(superblocks) + SUPERBLOCK_SECTOR * superblocks
    };
    let differs = |first: u64| {
        let mut groups = groups.iter();
        groups.find(|(direction, group)| {
            let sum = |of: &dyn Fn(usize) -> u64| group.clone().map(of).fold(0, u64::wrapping_add);
            let model = sum(&|member| sums.model[member][*direction]);
            let moved = sum(&|member| moved(first, *direction, member));
            let real = sum(&|member| sums.real[member][*direction]);
            model.wrapping_add(moved) != real
        })
    };
    let mut found = None;
    for units in 1..=DATA_UNITS_MAX {
        found = Some(differs(units * DATA_UNIT_SECTORS)?.1.start);
    }
    found
}

/// Returns the members whose sums are determined together.
fn groups_of(case: &Case, extent: Extent) -> Vec<Range<usize>> {
    let members = case.members.get() as usize;
    let is_near = case.level == Level::Raid1 || groups(case).len() > 1;
    match extent {
        Extent::Sectors | Extent::Blocks | Extent::Requests => {
            (0..members).map(|member| member..member + 1).collect()
        }
        Extent::Total if is_near => groups(case),
        _ => Vec::new(),
    }
}
