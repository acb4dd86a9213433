//! btrfs between a file and its devices: where data is read, and the new place of what is written.
//!
//! Files are laid out in order, from the first address of the data chunks on. What is written later
//! gets the next free address behind them, in a ring; a read finds every block where it was laid
//! out. So a file that was overwritten at random is read as if it were still in order.

use stripewise_units::{Bytes, Nanos};

use crate::filesystem::btrfs::{COPIES_MAX, ChunkMap};
use crate::filesystem::checksum_cpu::Passes;
use crate::io::{Flags, Member, MemberBio, Operation, Place};
use crate::units::Sectors;

/// The place of the first superblock (`BTRFS_SUPER_INFO_OFFSET`), and its length.
const SUPERBLOCK: Sectors = Sectors::new(128);
const SUPERBLOCK_LENGTH: Sectors = Sectors::new(8);
/// The most data that is compressed at once (`BTRFS_MAX_UNCOMPRESSED`).
pub(super) const EXTENT: Sectors = Sectors::new(256);

/// The layer.
#[derive(Debug)]
pub(super) struct BtrfsLayer {
    pub(super) data: ChunkMap,
    pub(super) metadata: ChunkMap,
    /// A block of metadata.
    pub(super) node: Sectors,
    /// What [`EXTENT`] takes on disk.
    pub(super) stored: Sectors,
    pub(super) in_place: bool,
    /// The space of the files, and the next free address behind it.
    pub(super) files: Sectors,
    pub(super) free: Sectors,
    pub(super) free_node: Sectors,
    pub(super) passes: Passes,
}

/// Returns what an extent of 128 KiB takes if data shrinks by `ratio`: whole blocks, and all of it
/// unless that saves at least one (`btrfs_compress_pages` and its caller `compress_file_range`).
pub(super) fn stored_extent(ratio: f64) -> Sectors {
    const BLOCK: u64 = 8;
    let all = EXTENT.get();
    let blocks = (stripewise_study::sample::as_f64(all / BLOCK) / ratio.max(1.0)).ceil();
    let stored = crate::narrow::truncated(blocks).max(1) * BLOCK;
    Sectors::new(if stored + BLOCK <= all { stored } else { all })
}

impl BtrfsLayer {
    /// Returns how much of the disk `length` sectors of a file take.
    fn on_disk(&self, length: Sectors) -> Sectors {
        if self.stored == EXTENT {
            return length;
        }
        let (whole, rest) = (length.get() / EXTENT.get(), length.get() % EXTENT.get());
        let of_rest = (rest * self.stored.get()).div_ceil(EXTENT.get());
        Sectors::new(whole * self.stored.get() + of_rest.next_multiple_of(8))
    }

    /// Adds the bios of a read of a file by `task`: all of each compressed extent that it touches.
    /// Returns the CPU time.
    pub(super) fn read(
        &self,
        task: u32,
        start: Sectors,
        length: Sectors,
        bio_max: Sectors,
        bios: &mut Vec<MemberBio>,
    ) -> Nanos {
        let (mut at, mut end, mut touched) = (start, start + length, length);
        if self.stored != EXTENT {
            let first = start.get() / EXTENT.get();
            let last = end.get().div_ceil(EXTENT.get());
            at = Sectors::new(first * self.stored.get());
            end = Sectors::new(last * self.stored.get());
            touched = Sectors::new((last - first) * EXTENT.get());
        }
        let copy = self.data.copy_read_by(task);
        let mut places = [Place::default(); COPIES_MAX];
        while at < end {
            let Some((_, most)) = self.data.find(at, &mut places) else {
                break;
            };
            let part = most.min(end - at).min(bio_max);
            bios.push(MemberBio::new(Operation::Read, places[copy], part));
            at += part;
        }
        self.passes.read(touched.bytes().as_u64())
    }

    /// Adds the bios of a write to a file. Returns the CPU time.
    pub(super) fn write(
        &mut self,
        start: Sectors,
        length: Sectors,
        bio_max: Sectors,
        bios: &mut Vec<MemberBio>,
    ) -> Nanos {
        let stored = self.on_disk(length);
        let at = match self.in_place {
            true => start,
            false => next(&mut self.free, self.files, self.data.size(), stored),
        };
        add_copies(&self.data, at, stored, bio_max, bios);
        self.passes.write(length.bytes().as_u64())
    }

    /// Adds the bios that write `length` of new blocks of metadata.
    pub(super) fn write_nodes(&mut self, length: Sectors, bios: &mut Vec<MemberBio>) {
        let mut left = length;
        while left > Sectors::default() {
            let node = self.node.min(left);
            let end = self.metadata.size();
            let at = next(&mut self.free_node, Sectors::default(), end, node);
            add_copies(&self.metadata, at, node, node, bios);
            left = left - node;
        }
    }

    /// Adds the bios that write the first superblock of each of `members` devices durably.
    pub(super) fn write_superblocks(members: usize, bios: &mut Vec<MemberBio>) {
        for member in 0..members {
            let member = Member(u16::try_from(member).unwrap_or(u16::MAX));
            let sector = SUPERBLOCK;
            bios.push(MemberBio {
                flags: Flags {
                    sync: true,
                    preflush: false,
                    fua: true,
                },
                ..MemberBio::new(
                    Operation::Write,
                    Place { member, sector },
                    SUPERBLOCK_LENGTH,
                )
            });
        }
    }

    /// Returns how many bytes of the disks' one copy hold `bytes` of a file.
    pub(super) fn stored_bytes(&self, bytes: Bytes) -> Bytes {
        self.on_disk(Sectors::from_bytes(bytes)).bytes()
    }
}

/// Takes `length` from the ring between `begin` and `end`; returns where it begins.
fn next(free: &mut Sectors, begin: Sectors, end: Sectors, length: Sectors) -> Sectors {
    if *free + length > end {
        *free = begin;
    }
    let at = *free;
    *free += length;
    at
}

/// Adds bios that write all copies of an address.
fn add_copies(
    map: &ChunkMap,
    start: Sectors,
    length: Sectors,
    bio_max: Sectors,
    bios: &mut Vec<MemberBio>,
) {
    let mut places = [Place::default(); COPIES_MAX];
    let (mut at, end) = (start, start + length);
    while at < end {
        let Some((copies, most)) = map.find(at, &mut places) else {
            break;
        };
        let part = most.min(end - at).min(bio_max);
        for place in &places[..copies] {
            bios.push(MemberBio::new(Operation::Write, *place, part));
        }
        at += part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_is_stored_smaller_if_that_saves_a_block() {
        let stored = [1.0, 1.02, 1.05, 2.0, 3.0, 100.0].map(|ratio| stored_extent(ratio).get());
        assert_eq!(stored, [256, 256, 248, 128, 88, 8]);
    }
}
