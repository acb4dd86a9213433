//! The I/O between the layers: bios above and below an array, requests at a device.

use crate::units::Sectors;

/// An operation on sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A read.
    Read,
    /// A write.
    Write,
    /// No data; makes all acknowledged writes durable (an empty `REQ_PREFLUSH` bio).
    Flush,
}

/// The ordering and durability flags of a bio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags {
    /// A task waits for it (`REQ_SYNC`): md does not delay it.
    pub sync: bool,
    /// All writes acknowledged earlier are durable before it starts (`REQ_PREFLUSH`).
    pub preflush: bool,
    /// It is durable itself when it completes (`REQ_FUA`).
    pub fua: bool,
}

/// The longest bio that a queue takes whole, and where the block layer cuts a longer one.
///
/// Source: `get_max_io_size`, `bio_may_exceed_limits` and `blk_queue_split` in `block/blk-merge.c`
/// (4.3, 5.4, 6.1, 6.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BioLimit {
    /// The longest (`max_sectors`).
    pub max: Sectors,
    /// Cuts are at a multiple of this, counted from the start of the device
    /// (`physical_block_size`); one sector if they may be anywhere.
    pub block: Sectors,
    /// No bio crosses a multiple of this (`chunk_sectors`).
    pub border: Option<Sectors>,
}

impl BioLimit {
    /// The length that every queue without a border takes whole: a bio of one page is not checked
    /// (`bio_may_exceed_limits`).
    pub const PAGE: Sectors = Sectors::new(8);

    /// Returns how much of a bio of `length` at `start` becomes the first piece.
    #[inline(always)]
    pub fn first_length(self, start: Sectors, length: Sectors) -> Sectors {
        let mut max = self.max.get();
        match self.border {
            None if length <= Self::PAGE => return length,
            None => {}
            Some(border) => max = max.min(border.get() - start.get() % border.get()),
        }
        let block = self.block.get();
        if length.get() + block <= max + 1 {
            // Wherever the blocks lie, it reaches none that the limit cuts off: nothing to divide.
            return length;
        }
        let before = start.get() % block;
        let end = (before + max) / block * block;
        // The limit is less than a block: the cut may be anywhere.
        let most = if end > before { end - before } else { max };
        length.min(Sectors::new(most))
    }

    /// Returns into how many pieces a bio of `length` at `start` is cut.
    #[inline(never)]
    pub fn pieces(self, start: Sectors, length: Sectors) -> u64 {
        let (mut at, mut left, mut pieces) = (start, length, 1);
        loop {
            let first = self.first_length(at, left);
            if first == left {
                return pieces;
            }
            at += first;
            left = left - first;
            pieces += 1;
        }
    }
}

/// The place of a device in an array, from 0, as in `mdadm --detail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Member(pub u16);

impl Member {
    /// Returns the place as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place on a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// The device.
    pub member: Member,
    /// The position on its data area.
    pub sector: Sectors,
}

/// One bio for one member, made by an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberBio {
    /// The device it goes to.
    pub member: Member,
    /// What it does.
    pub operation: Operation,
    /// Its first sector on the member's data area.
    pub start: Sectors,
    /// Its length; 0 for a flush.
    pub length: Sectors,
    /// Its durability.
    pub flags: Flags,
    /// The array's identifier for its completion.
    pub tag: u32,
}

impl MemberBio {
    /// Returns a bio without flags and with tag 0.
    #[inline]
    pub fn new(operation: Operation, place: Place, length: Sectors) -> Self {
        Self {
            member: place.member,
            operation,
            start: place.sector,
            length,
            flags: Flags::default(),
            tag: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards against wrong RAID 0 counts for I/Os that do not begin at a physical block: they were
    /// cut a whole limit after their start.
    #[test]
    fn a_bio_that_is_too_long_ends_at_a_physical_block() {
        let first = |max, block, start, length| {
            let limit = BioLimit {
                max: Sectors::new(max),
                block: Sectors::new(block),
                border: None,
            };
            let first = limit.first_length(Sectors::new(start), Sectors::new(length));
            first.get()
        };
        assert_eq!(first(16, 8, 8, 63), 16);
        assert_eq!(first(16, 8, 9, 63), 15);
        // Even a bio within the limit is cut if it ends inside of a block.
        assert_eq!(first(16, 8, 9, 16), 15);
        assert_eq!(first(16, 8, 9, 15), 15);
        // A page is never cut; with a limit below a block nothing is aligned.
        assert_eq!(first(8, 8, 1, 8), 8);
        assert_eq!(first(4, 16, 3, 9), 4);
        let pieces = |start, length| {
            let limit = BioLimit {
                max: Sectors::new(16),
                block: Sectors::new(8),
                border: None,
            };
            limit.pieces(Sectors::new(start), Sectors::new(length))
        };
        assert_eq!((pieces(8, 16), pieces(9, 16), pieces(9, 32)), (1, 2, 3));
        // Before 5.4 the cut is one limit after the start.
        assert_eq!(first(16, 1, 9, 63), 16);
    }

    #[test]
    fn a_bio_ends_at_a_border_even_if_it_is_one_page() {
        let limit = BioLimit {
            max: Sectors::new(100),
            block: Sectors::new(8),
            border: Some(Sectors::new(128)),
        };
        let first = |start, length| limit.first_length(Sectors::new(start), Sectors::new(length));
        assert_eq!(first(64, 256), Sectors::new(64));
        assert_eq!(first(0, 256), Sectors::new(96));
        assert_eq!(first(126, 8), Sectors::new(2));
        assert_eq!(limit.pieces(Sectors::new(64), Sectors::new(256)), 4);
    }
}
