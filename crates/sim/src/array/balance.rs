//! Read balancing: which copy a read goes to, by the rules of each kernel generation.
//!
//! md decides from its own counters, not from the state of the disk:
//!
//! - **pending** (`rdev->nr_pending`) counts every bio that md has sent to a member or holds back
//!   for it: reads, writes, resync, superblock and bitmap pages, and until 6.11 flushes. A read
//!   adds one at the end of `read_balance`, so the pieces of one request see each other. A write
//!   adds one for each copy when md takes it, before it waits in the plug. Completion decrements it
//!   last (`rdev_dec_pending`), after it has ended the bio from above.
//! - **position** (`head_position`, `update_head_pos`) is where the latest *completed* bio ended.
//!   Completion sets it first, for reads and writes (`raid1_end_read_request`,
//!   `raid10_end_read_request`, `find_bio_disk` from the end of a write). So all pieces of one
//!   request see the head positions that earlier requests left.
//! - **next_sequential** and **sequential_start** (raid1 only) follow the reads *sent* to a member:
//!   set at the end of `read_balance`.
//!
//! The engine calls [`Head::begin`], [`Head::begin_read`] and [`Head::end`] at these moments.
//!
//! Source: `read_balance` in `drivers/md/raid1.c` and `raid10.c` of 3.10, 4.1, 4.4, 4.9, 4.10,
//! 4.14, 4.19, 5.2, 5.3, 5.4, 5.10, 6.1, 6.6 and 6.8, `choose_best_rdev` of 6.9, 6.10 and 6.12. Not
//! modelled: bad blocks, write-mostly members, clusters.

use stripewise_profiles::kernel::{Raid1ReadBalance, Raid10ReadBalance};

use super::raid10::Layout;
use crate::io::{Member, Place};
use crate::units::Sectors;

/// The end of an array's first page.
const FIRST_PAGE: Sectors = Sectors::new(8);

/// md's state of one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Bios in flight to it or held back for it.
    pub pending: u32,
    /// Where the latest completed bio ended.
    pub position: Sectors,
    /// Whether the kernel treats it as rotational (`queue/rotational`).
    pub rotational: bool,
    /// Whether it can be read: it has not failed and is not being rebuilt.
    pub readable: bool,
    /// A member that is being rebuilt can be read below this sector (`recovery_offset`).
    pub recovered: Sectors,
    /// Where the latest read that was sent to it ends.
    pub next_sequential: Sectors,
    /// Where the sequential run that ends there began, once a read has begun one. A first read at
    /// sector 0 counts as continuing a run, so it begins none (`seq_start` stays `MaxSector`).
    pub sequential_start: Option<Sectors>,
    /// Whether it is read only if no other member can be (`WriteMostly`; raid1 alone knows it).
    pub write_mostly: bool,
    /// Its optimal I/O size (`queue/optimal_io_size`); 0 if the device reports none.
    pub optimal_io: Sectors,
}

impl Head {
    /// Returns a member of a fresh array: idle, its head at the start.
    pub const fn new(rotational: bool, optimal_io: Sectors) -> Self {
        Self {
            pending: 0,
            position: Sectors::new(0),
            rotational,
            readable: true,
            write_mostly: false,
            recovered: Sectors::new(0),
            next_sequential: Sectors::new(0),
            sequential_start: None,
            optimal_io,
        }
    }

    /// Returns the member of a new array of raid1 whose first page was read once for each member.
    ///
    /// Reads of sector 0 go to each member that still stands there, one after the other, and then
    /// to the first idle one. mdadm, the search for signatures (blkid) and the kernel's scan for
    /// partitions all begin there, so no member does once an array is in use.
    #[must_use]
    pub const fn examined(self) -> Self {
        Self {
            position: FIRST_PAGE,
            next_sequential: FIRST_PAGE,
            ..self
        }
    }

    /// Returns whether `sector` holds valid data: the member is whole, or rebuilt beyond it. Unlike
    /// md, this also reads an I/O that begins below that point and ends above it from the member; a
    /// rebuild has 16 such points.
    #[inline]
    pub fn can_read(&self, sector: Sectors) -> bool {
        self.readable || sector < self.recovered
    }

    /// Counts a bio for the member: a copy of a write when md takes the write, a raid10 read when
    /// md chooses its slot.
    pub fn begin(&mut self) {
        self.pending += 1;
    }

    /// Counts a read for which raid1 chose the member (the end of `read_balance`, or
    /// `update_read_sectors` since 6.9).
    pub fn begin_read(&mut self, start: Sectors, length: Sectors) {
        self.begin();
        if self.next_sequential != start {
            self.sequential_start = Some(start);
        }
        self.next_sequential = start + length;
    }

    /// Counts the completion of a bio that ended at `end` on the member: the place of the copy plus
    /// the length of the whole piece that md handled at once.
    ///
    /// # Panics
    /// If none is pending.
    pub fn end(&mut self, end: Sectors) {
        self.position = end;
        self.end_other();
    }

    /// Counts the completion of a bio for which md records no head position: a flush, the
    /// superblock, a page of the bitmap.
    ///
    /// # Panics
    /// If none is pending.
    pub fn end_other(&mut self) {
        assert!(self.pending > 0, "a bio completes that was never begun");
        self.pending -= 1;
    }

    /// Returns whether the run of reads is longer than the optimal size, so that another member
    /// should continue it (`should_choose_next`).
    fn has_read_enough(&self) -> bool {
        let optimal = self.optimal_io;
        !self.rotational
            && optimal > Sectors::default()
            && self.sequential_start.is_some_and(|start| {
                self.next_sequential > optimal && self.next_sequential - optimal >= start
            })
    }
}

/// The inputs of raid10's decision besides the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raid10Read {
    /// The kernel's rule.
    pub rule: Raid10ReadBalance,
    /// The layout's near copies.
    pub near_copies: u8,
    /// The layout's far copies.
    pub far_copies: u8,
    /// Whether a resync runs and the read ends past its position (`next_resync`): then md does not
    /// balance.
    pub is_unsynced: bool,
}

impl Raid10Read {
    /// Returns the decision of an array of `layout` that is in sync.
    pub const fn new(rule: Raid10ReadBalance, layout: Layout) -> Self {
        Self {
            rule,
            near_copies: layout.near_copies(),
            far_copies: layout.far_copies(),
            is_unsynced: false,
        }
    }
}

/// Returns the slot to read: the index among `candidates`, the places of the copies in md's order.
/// Nothing if no copy is readable.
///
/// The choice changes no [`Head`]; call [`Head::begin`] for the member.
pub fn choose_raid10(read: Raid10Read, heads: &[Head], candidates: &[Place]) -> Option<usize> {
    let readable = candidates
        .iter()
        .map(|place| (place, &heads[place.member.index()]))
        .enumerate()
        .filter(|(_, (place, head))| head.can_read(place.sector));
    let mut nearest: Option<(u64, usize)> = None;
    let mut idlest: Option<(u32, usize)> = None;
    for (slot, (place, head)) in readable {
        if read.is_unsynced {
            return Some(slot);
        }
        let is_idle_near = read.near_copies > 1 && head.pending == 0;
        if is_idle_near && read.rule == Raid10ReadBalance::FirstIdle {
            return Some(slot);
        }
        let distance = if is_idle_near {
            0
        } else if read.far_copies > 1 {
            place.sector.get()
        } else {
            place.sector.distance(head.position).get()
        };
        if nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, slot));
        }
        if !head.rotational && idlest.is_none_or(|(least, _)| head.pending < least) {
            idlest = Some((head.pending, slot));
        }
    }
    let nearest = nearest.map(|(_, slot)| slot);
    match read.rule {
        Raid10ReadBalance::FewestPendingIfSsd => idlest.map(|(_, slot)| slot).or(nearest),
        Raid10ReadBalance::FirstIdle | Raid10ReadBalance::IdleIsZero => nearest,
    }
}

/// The inputs of raid1's decision besides the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raid1Read {
    /// The kernel's rule.
    pub rule: Raid1ReadBalance,
    /// Where the read begins.
    pub start: Sectors,
    /// Whether it ends past the resync's checkpoint (`recovery_cp`; 3.10 uses `next_resync`, as
    /// raid10 does): then md does not balance.
    pub is_unsynced: bool,
}

/// The best members that the loop has found so far.
#[derive(Debug, Default)]
struct BestMembers {
    fewest: Option<(u32, Member)>,
    nearest: Option<(u64, Member)>,
    /// A member whose sequential run has reached the optimal size.
    sequential: Option<Member>,
}

impl BestMembers {
    fn consider(&mut self, member: Member, pending: u32, distance: u64) {
        if self.fewest.is_none_or(|(least, _)| pending < least) {
            self.fewest = Some((pending, member));
        }
        if self.nearest.is_none_or(|(least, _)| distance < least) {
            self.nearest = Some((distance, member));
        }
    }

    /// Returns the member with the fewest pending bios if any is non-rotational or one is idle;
    /// else the nearest.
    fn best(&self, any_non_rotational: bool, idle_counts: bool) -> Option<Member> {
        let is_one_idle = idle_counts && self.fewest.is_some_and(|(pending, _)| pending == 0);
        if any_non_rotational || is_one_idle {
            self.fewest.map(|(_, member)| member)
        } else {
            self.nearest.map(|(_, member)| member)
        }
    }
}

/// Returns the member to read; `None` if none is readable.
///
/// The choice changes no [`Head`]; call [`Head::begin_read`] for the member.
pub fn choose_raid1(read: Raid1Read, heads: &[Head]) -> Option<Member> {
    // Since 6.9 `choose_first_rdev` takes the first member, write-mostly or not.
    let takes_any = read.rule == Raid1ReadBalance::SequentialGivesWay;
    let mut ordinary = readable(heads, read.start);
    if read.is_unsynced {
        let first = ordinary.find(|(_, head)| takes_any || !head.write_mostly);
        let first = first.map(|(member, _)| member);
        return first.or_else(|| slow(heads, read.start));
    }
    let chosen = match read.rule {
        Raid1ReadBalance::FirstIdle
        | Raid1ReadBalance::FirstIdleWriteMostlyLast
        | Raid1ReadBalance::FewestPending => choose_raid1_until_6_8(read, heads),
        Raid1ReadBalance::SequentialGivesWay => choose_raid1_since_6_9(read.start, heads),
    };
    chosen.or_else(|| slow(heads, read.start))
}

/// Returns the first write-mostly member that can be read: the last resort (`choose_slow_rdev`
/// since 6.9).
fn slow(heads: &[Head], start: Sectors) -> Option<Member> {
    let mut slow = readable(heads, start).filter(|(_, head)| head.write_mostly);
    slow.next().map(|(member, _)| member)
}

/// `read_balance` of raid1 until 6.8; until 4.9 the search ends at the first idle member.
fn choose_raid1_until_6_8(read: Raid1Read, heads: &[Head]) -> Option<Member> {
    let start = read.start;
    let takes_first_idle = read.rule != Raid1ReadBalance::FewestPending;
    let prefers_write_mostly = read.rule == Raid1ReadBalance::FirstIdle;
    let mut found = BestMembers::default();
    let mut any_non_rotational = false;
    // Before it was the last resort, only an idle member or a sequential read came before it.
    let mut preferred = None;
    for (member, head) in readable(heads, start) {
        if head.write_mostly {
            if prefers_write_mostly && found.sequential.is_none() {
                preferred = preferred.or(Some(member));
            }
            continue;
        }
        any_non_rotational |= !head.rotational;
        if is_sequential(head, start) {
            if !head.has_read_enough() {
                return Some(member);
            }
            found.sequential = Some(member);
            continue;
        }
        if takes_first_idle && head.pending == 0 {
            return Some(member);
        }
        if found.sequential.is_none() {
            found.consider(member, head.pending, start.distance(head.position).get());
        }
    }
    // Since 4.10 no later member replaces one at its optimal size, idle or not.
    found
        .sequential
        .or(preferred)
        .or_else(|| found.best(any_non_rotational, !takes_first_idle))
}

/// `choose_best_rdev` of raid1.
fn choose_raid1_since_6_9(start: Sectors, heads: &[Head]) -> Option<Member> {
    let mut found = BestMembers::default();
    for (member, head) in readable(heads, start).filter(|(_, head)| !head.write_mostly) {
        let mut pending = head.pending;
        if is_sequential(head, start) {
            if !head.has_read_enough() {
                return Some(member);
            }
            // Any idle member is better; without one, this member serves.
            pending += 1;
            found.sequential = Some(member);
        }
        found.consider(member, pending, start.distance(head.position).get());
    }
    let is_one_idle = found.fewest.is_some_and(|(pending, _)| pending == 0);
    if !is_one_idle && found.sequential.is_some() {
        return found.sequential;
    }
    // `nonrot_disks` counts all members, also those that cannot be read.
    found.best(heads.iter().any(|head| !head.rotational), true)
}

fn is_sequential(head: &Head, start: Sectors) -> bool {
    head.next_sequential == start || head.position == start
}

fn readable(heads: &[Head], start: Sectors) -> impl Iterator<Item = (Member, &Head)> {
    (0..)
        .map(Member)
        .zip(heads)
        .filter(move |(_, head)| head.can_read(start))
}

#[cfg(test)]
#[path = "balance_tests.rs"]
mod tests;
