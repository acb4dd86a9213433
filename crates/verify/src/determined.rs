//! Which counts of a case do not depend on timing: decided from the case, never from a result.
//!
//! md bases some decisions on its current state: the requests in flight, the stripes that its
//! thread is handling. Counts that follow from the I/Os alone must be equal in every world. The
//! rest is a race between disks and CPU: there, each member may be as far from the driver's as
//! recorded cases of the same class ([`crate::spread`]).
//!
//! - **raid0** decides nothing by state: everything is determined. So are reads of a healthy parity
//!   array, which bypass the stripe cache chunk by chunk (`chunk_aligned_read`).
//! - **Reads of mirrors** choose by pending requests and head positions (`read_balance`):
//!   determined if there is no choice, or if one I/O is in flight and all its pieces are submitted
//!   before the first is done.
//!   Between near copies on the same members the sum of these members is always determined.
//! - **Writes of mirrors** go to all copies: determined. With a bitmap, the first write that
//!   dirties a page writes it for all waiting writes (`md_bitmap_unplug`): determined with one I/O
//!   in flight, unless its pieces set several bits: the page may be written between two of them.
//!   But a page is always written to every member, so all are off by the same number of sectors.
//! - **An I/O of many pages** enters md as one bio or several, depending on its memory: a bio has a
//!   limited number of segments (`bio_split_rw`), and adjacent pages form one segment. Where no
//!   state decides, a sector's member follows from its address, so the sectors of each member are
//!   determined. It may come on top of any other reason.
//! - **The stripe cache** is handled by a thread. With one write in flight and disks far slower
//!   than the thread, the read and written blocks are determined. The number of blocks per request
//!   is not, once several stripes wait for members that finish one after the other, or were used
//!   just before: then we compare the sum of requests and merges. If a write sets several bits of a
//!   bitmap, the thread may write the page for the stripes that it has and again for those that come
//!   later (`raid5d`, `seq_flush`), and handle a stripe in between.

use serde::{Deserialize, Serialize};
use stripewise_study::stack::Level;
use stripewise_study::world::ReplayedIo;

use crate::case::Case;
use crate::io_list::SECTOR_BYTES;

/// An upper bound of the CPU time of one piece of an I/O: raid10 takes 20.7 us on the slowest host,
/// a guest's core (docs/four-ssd-in-the-lab.md).
const PIECE_NS: u64 = 25_000;
/// A lower bound of the bytes that the CPU copies per nanosecond: a guest copies eight per
/// instruction, which takes one, and a modelled disk copies read data on submission.
const BYTES_PER_NS: u64 = 4;
/// The latency from which a disk is far slower than the thread of a parity array.
pub(crate) const SLOW_DISK_NS: u64 = 1_000_000;
/// The most pages of an I/O that always form one bio: one less than the default segment limit
/// (`BLK_MAX_SEGMENTS`), because the I/O may start inside a page.
const PAGES_MAX: u64 = 127;
/// The sectors of a page, the block of the stripe cache.
const BLOCK_SECTORS: u64 = 8;

/// Which counts of one direction are determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// None.
    Roughly,
    /// The sectors of members that share copies, together.
    Total,
    /// The sectors of each member, but for writes of bitmap pages, as many to each.
    Pages,
    /// The sectors of each member.
    Sectors,
    /// The sectors of each member, and the sum of its requests and merges.
    Blocks,
    /// Requests, merges and sectors of each member.
    Requests,
}

/// Which counts of a case are determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Determined {
    /// For its reads.
    pub reads: Extent,
    /// For its writes.
    pub writes: Extent,
    /// Why not all counts are determined.
    pub because: Option<Reason>,
    /// Whether [`Reason::MemoryDecides`] is a further reason: independent of `because`, so a case
    /// may be as far off as both allow.
    pub and_memory: bool,
}

/// Why not all counts of a case are determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// `read_balance` considers requests in flight, and several I/Os are.
    ReadsChoose,
    /// `read_balance` considers pieces of the same I/O in flight, on disks as fast as the CPU.
    PiecesRace,
    /// One write of a bitmap page serves all waiting writes.
    PagesShared,
    /// The stripe cache handles several I/Os at once.
    StripesShared,
    /// The stripe cache's thread and the disks are about as fast.
    StripesRace,
    /// Which member is faster decides how many stripes share a request.
    StripesMeet,
    /// The memory layout of an I/O's pages determines its number of bios.
    MemoryDecides,
}

const ALL: Determined = Determined {
    reads: Extent::Requests,
    writes: Extent::Requests,
    because: None,
    and_memory: false,
};

impl Determined {
    /// Returns the lesser of both extents.
    pub fn least(self) -> Extent {
        self.reads.min(self.writes)
    }
}

/// Returns which counts of `case` are determined.
pub fn determined(case: &Case) -> Determined {
    let by_rules = by_rules(case);
    if has_large_ios(case) {
        let (reads, writes) = most_of_large_ios(case);
        return Determined {
            reads: by_rules.reads.min(reads),
            writes: by_rules.writes.min(writes),
            because: by_rules.because.or(Some(Reason::MemoryDecides)),
            and_memory: by_rules.because.is_some(),
        };
    }
    by_rules
}

/// Returns the most that is determined of reads and writes of many pages.
fn most_of_large_ios(case: &Case) -> (Extent, Extent) {
    match case.level {
        Level::Raid1 | Level::Raid10 if has_choice(case) => (Extent::Total, Extent::Sectors),
        Level::Raid4 | Level::Raid5 | Level::Raid6 if uses_cache(case) => {
            (Extent::Total, Extent::Total)
        }
        _ => (Extent::Sectors, Extent::Sectors),
    }
}

/// Returns whether a mirror has more than one copy to read.
fn has_choice(case: &Case) -> bool {
    case.level == Level::Raid10 || case.members.get() > 1 + failed(case)
}

/// Returns whether a parity array's I/Os enter its stripe cache.
fn uses_cache(case: &Case) -> bool {
    case.writes() || !case.failed.is_empty()
}

/// Returns groups of members: whatever the state, a group gets the same sectors. The near copies of
/// a chunk lie on the same members if the copies divide the members; else all are one group.
pub fn groups(case: &Case) -> Vec<std::ops::Range<usize>> {
    let members = case.members.get() as usize;
    let layout = case.layout.as_deref().unwrap_or_default();
    let near = layout
        .strip_prefix('n')
        .and_then(|copies| copies.parse().ok());
    let size = near.filter(|copies: &usize| *copies > 0 && members.is_multiple_of(*copies));
    let size = size.unwrap_or(members);
    (0..members)
        .step_by(size)
        .map(|first| first..first + size)
        .collect()
}

/// Returns whether an I/O has so many pages that their memory layout matters.
fn has_large_ios(case: &Case) -> bool {
    let sectors = |io: &ReplayedIo| io.length_bytes.as_u64() / SECTOR_BYTES;
    case.ios().any(|io| sectors(io) > PAGES_MAX * BLOCK_SECTORS)
}

fn by_rules(case: &Case) -> Determined {
    match case.level {
        Level::Linear | Level::Raid0 => ALL,
        Level::Raid1 | Level::Raid10 => of_mirrors(case),
        Level::Raid4 | Level::Raid5 | Level::Raid6 => of_parity(case),
    }
}

fn of_mirrors(case: &Case) -> Determined {
    let alone = case.in_flight_max() == 1;
    let is_settled = |sectors: u64, start: u64| {
        let pieces = pieces(case, start, sectors);
        let submitted_ns = pieces * PIECE_NS + sectors * SECTOR_BYTES / BYTES_PER_NS;
        pieces == 1 || submitted_ns < case.disk.latency_ns
    };
    let mut reads = case.ios().filter(|io| !io.writes());
    let settled = reads.all(|io| {
        is_settled(
            io.length_bytes.as_u64() / SECTOR_BYTES,
            io.offset_bytes.as_u64() / SECTOR_BYTES,
        )
    });
    let reads_are = !case.reads() || !has_choice(case) || (alone && settled);
    let writes_are = !case.writes() || pages_are_settled(case);
    Determined {
        reads: match reads_are {
            true => Extent::Requests,
            false => Extent::Total,
        },
        writes: match writes_are {
            true => Extent::Requests,
            false => Extent::Pages,
        },
        because: match (reads_are, writes_are) {
            (true, true) => None,
            (_, false) => Some(Reason::PagesShared),
            (false, true) if alone => Some(Reason::PiecesRace),
            (false, true) => Some(Reason::ReadsChoose),
        },
        and_memory: false,
    }
}

/// Returns whether the number of writes of a mirror's bitmap pages is determined.
fn pages_are_settled(case: &Case) -> bool {
    let Some(bit) = case.bitmap_chunk_bytes else {
        return true;
    };
    let bit = bit.as_u64() / SECTOR_BYTES;
    let sets_bits_one_by_one = |io: &ReplayedIo| {
        let start = io.offset_bytes.as_u64() / SECTOR_BYTES;
        let sectors = io.length_bytes.as_u64() / SECTOR_BYTES;
        pieces(case, start, sectors) > 1 && start / bit != (start + sectors - 1) / bit
    };
    case.in_flight_max() == 1 && !case.ios().any(|io| io.writes() && sets_bits_one_by_one(io))
}

fn of_parity(case: &Case) -> Determined {
    if !uses_cache(case) {
        return ALL;
    }
    let (cached, because) = if case.in_flight_max() > 1 {
        (Extent::Roughly, Some(Reason::StripesShared))
    } else if case.ios().any(|io| io.writes() && spans_bits(case, io)) {
        (Extent::Roughly, Some(Reason::PagesShared))
    } else if case.disk.latency_ns < SLOW_DISK_NS {
        (Extent::Roughly, Some(Reason::StripesRace))
    } else if !touches_single_stripes(case) {
        (Extent::Blocks, Some(Reason::StripesMeet))
    } else {
        (Extent::Requests, None)
    };
    Determined {
        reads: cached,
        writes: match case.writes() {
            true => cached,
            false => Extent::Requests,
        },
        because,
        and_memory: false,
    }
}

/// Returns whether an I/O sets several bits of a parity array's bitmap.
fn spans_bits(case: &Case, io: &ReplayedIo) -> bool {
    let (Some(bit), Some(chunk)) = (case.bitmap_chunk_bytes, case.chunk_bytes) else {
        return false;
    };
    let (bit, chunk) = (bit.as_u64(), chunk.as_u64());
    let parities = if case.level == Level::Raid6 { 2 } else { 1 };
    let row = chunk * u64::from(case.members.get().saturating_sub(parities)).max(1);
    let (start, end) = (
        io.offset_bytes.as_u64(),
        io.offset_bytes.as_u64() + io.length_bytes.as_u64(),
    );
    // The places on the members: from the first row's to the last row's.
    let first = start / row * chunk;
    let last = (end - 1) / row * chunk + chunk - 1;
    first / bit != last / bit
}

/// Returns whether each I/O in the stripe cache lies in one block, so that nothing can merge.
fn touches_single_stripes(case: &Case) -> bool {
    let mut cached = case
        .ios()
        .filter(|io| io.writes() || !case.failed.is_empty());
    cached.all(|io| {
        let start = io.offset_bytes.as_u64() / SECTOR_BYTES;
        let end = start + io.length_bytes.as_u64() / SECTOR_BYTES;
        start / BLOCK_SECTORS == (end - 1) / BLOCK_SECTORS
    })
}

fn failed(case: &Case) -> u32 {
    u32::try_from(case.failed.len()).unwrap_or(u32::MAX)
}

/// Returns the most pieces into which md splits an I/O.
fn pieces(case: &Case, start: u64, sectors: u64) -> u64 {
    // raid1 splits at its 64 MiB barrier units.
    let chunk = case.chunk_bytes.map_or(64 << 20, |chunk| chunk.as_u64()) / SECTOR_BYTES;
    (start + sectors).div_ceil(chunk) - start / chunk
}
