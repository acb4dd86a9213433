//! What of a case's counts does not depend on who was faster: decided from the case, never from a result.
//!
//! md decides some things by what it finds at that moment: which requests are under way, which stripes
//! its thread has in hand. What follows from the I/Os alone must be equal in every world; the rest is a
//! race between disks and CPU, and is only looked at roughly.
//!
//! - **raid0** asks nobody: everything is determined. So are reads of a healthy parity array, which
//!   bypass the stripe cache chunk by chunk (`chunk_aligned_read`).
//! - **Reads of mirrors** choose by pending requests and head positions (`read_balance`): determined if
//!   there is no choice, or if one I/O is under way and its pieces are all submitted before the first of
//!   them is done.
//! - **Writes of mirrors** go to all copies: determined. With a bitmap, what dirties its pages first
//!   writes them for all that wait (`md_bitmap_unplug`): determined with one I/O under way, unless its
//!   pieces set several bits: between two of them the page may be written already.
//! - **An I/O of many pages** enters md as one bio or several, depending on how its memory lies: a bio
//!   has so many segments at most (`bio_split_rw`), and pages side by side are one.
//! - **The stripe cache** is worked on by a thread: with one write under way and disks far slower than
//!   the thread, which blocks are read and written is determined. How many of them travel in one
//!   request is not, as soon as several stripes wait for members that end one after the other, or
//!   were used just before: then their requests and merges are counted together.

use std::fmt;

use serde::{Deserialize, Serialize};
use stripewise_study::stack::Level;
use stripewise_study::world::ReplayedIo;

use crate::case::Case;
use crate::io_list::SECTOR_BYTES;

/// The CPU time of one piece of an I/O, generously: raid10 takes 20.7 us for one on the slowest host,
/// a guest's core (docs/four-ssd-in-the-lab.md).
const PIECE_NS: u64 = 25_000;
/// How many bytes of an I/O the CPU moves in a nanosecond, carefully: a guest's copies eight with an
/// instruction, which is one, and a modelled disk copies what is read when it gets the request.
const BYTES_PER_NS: u64 = 4;
/// The latency from which a disk is far slower than the thread of a parity array.
pub(crate) const SLOW_DISK_NS: u64 = 1_000_000;
/// The pages of an I/O that are surely one bio: one less than the segments of the plainest device
/// (`BLK_MAX_SEGMENTS`), as it may begin inside of a page.
const PAGES_MAX: u64 = 127;
/// The sectors of a page, which is a block of the stripe cache.
const BLOCK_SECTORS: u64 = 8;

/// How much of the counts of one direction is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// Nothing: only that reads and writes of all members together are about as much.
    Roughly,
    /// The sectors of all members together.
    Total,
    /// The sectors of each member, and its requests and merges together.
    Blocks,
    /// Requests, merges and sectors of each member.
    Requests,
}

/// What of a case is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Determined {
    /// Of its reads.
    pub reads: Extent,
    /// Of its writes.
    pub writes: Extent,
    /// Why the lesser of both is not everything.
    pub because: Option<Reason>,
}

/// Why not everything of a case is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// `read_balance` looks at what is under way when several are.
    ReadsChoose,
    /// `read_balance` looks at what of the same I/O is under way, on disks as fast as the CPU.
    PiecesRace,
    /// A page of the bitmap is written for all that wait for it.
    PagesShared,
    /// The stripe cache has several I/Os in hand.
    StripesShared,
    /// The stripe cache's thread works while disks as fast as itself do.
    StripesRace,
    /// The stripe cache's requests for the same member meet in a queue, or do not.
    StripesMeet,
    /// The place of an I/O's pages in memory decides how many bios it becomes.
    MemoryDecides,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::ReadsChoose => {
                "several I/Os are under way, and a mirror reads the copy that has fewest"
            }
            Reason::PiecesRace => {
                "a piece of an I/O may be done before the next is submitted to the emptier mirror"
            }
            Reason::PagesShared => {
                "several writes, or pieces of one, may wait for one write of the bitmap's page"
            }
            Reason::StripesShared => "several I/Os meet in the stripe cache",
            Reason::StripesRace => "the stripe cache's thread and the disks are about as fast",
            Reason::StripesMeet => {
                "blocks are equal; how many stripes meet in one request is a race of members"
            }
            Reason::MemoryDecides => {
                "an I/O of many pages is one bio or several, by where its memory lies"
            }
        })
    }
}

const ALL: Determined = Determined {
    reads: Extent::Requests,
    writes: Extent::Requests,
    because: None,
};

impl Determined {
    /// Returns the lesser of both.
    pub fn least(self) -> Extent {
        self.reads.min(self.writes)
    }
}

/// Returns what of `case` is determined.
pub fn determined(case: &Case) -> Determined {
    let by_rules = by_rules(case);
    if has_large_ios(case) {
        let is_more = by_rules.least() > Extent::Total;
        return Determined {
            reads: by_rules.reads.min(Extent::Total),
            writes: by_rules.writes.min(Extent::Total),
            because: match is_more {
                true => Some(Reason::MemoryDecides),
                false => by_rules.because,
            },
        };
    }
    by_rules
}

/// Returns whether an I/O has so many pages that their place in memory matters.
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
    let alone = case.under_way_max() == 1;
    let is_settled = |sectors: u64, start: u64| {
        let pieces = pieces(case, start, sectors);
        let submitted_ns = pieces * PIECE_NS + sectors * SECTOR_BYTES / BYTES_PER_NS;
        pieces == 1 || submitted_ns < case.disk.latency_ns
    };
    let mut reads = case.ios().filter(|io| !io.write);
    let settled = reads.all(|io| {
        is_settled(
            io.length_bytes.as_u64() / SECTOR_BYTES,
            io.offset_bytes.as_u64() / SECTOR_BYTES,
        )
    });
    let has_choice = case.level == Level::Raid10 || case.members.get() > 1 + failed(case);
    let reads_are = !case.reads() || !has_choice || (alone && settled);
    let writes_are = !case.writes() || pages_are_settled(case);
    Determined {
        reads: match reads_are {
            true => Extent::Requests,
            false => Extent::Total,
        },
        writes: match writes_are {
            true => Extent::Requests,
            false => Extent::Roughly,
        },
        because: match (reads_are, writes_are) {
            (true, true) => None,
            (_, false) => Some(Reason::PagesShared),
            (false, true) if alone => Some(Reason::PiecesRace),
            (false, true) => Some(Reason::ReadsChoose),
        },
    }
}

/// Returns whether it is settled how often the pages of a mirror's bitmap are written.
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
    case.under_way_max() == 1 && !case.ios().any(|io| io.write && sets_bits_one_by_one(io))
}

fn of_parity(case: &Case) -> Determined {
    if !case.writes() && case.failed.is_empty() {
        return ALL;
    }
    let (cached, because) = if case.under_way_max() > 1 {
        (Extent::Roughly, Some(Reason::StripesShared))
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
    }
}

/// Returns whether each I/O that the stripe cache sees lies in one block, so that there is nothing to merge.
fn touches_single_stripes(case: &Case) -> bool {
    let mut cached = case.ios().filter(|io| io.write || !case.failed.is_empty());
    cached.all(|io| {
        let start = io.offset_bytes.as_u64() / SECTOR_BYTES;
        let end = start + io.length_bytes.as_u64() / SECTOR_BYTES;
        start / BLOCK_SECTORS == (end - 1) / BLOCK_SECTORS
    })
}

fn failed(case: &Case) -> u32 {
    u32::try_from(case.failed.len()).unwrap_or(u32::MAX)
}

/// Returns how many pieces md makes of an I/O, at most.
fn pieces(case: &Case, start: u64, sectors: u64) -> u64 {
    // raid1 splits at its 64 MiB barrier units.
    let chunk = case.chunk_bytes.map_or(64 << 20, |chunk| chunk.as_u64()) / SECTOR_BYTES;
    (start + sectors).div_ceil(chunk) - start / chunk
}
