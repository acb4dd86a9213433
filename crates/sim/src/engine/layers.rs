//! The layers between a job and the members: volume and array.
//!
//! A bio from above is cut to the size limit of the kernel's bios, passes the volume, and the array
//! maps it to bios for the members. This module keeps md's state of its members (pending, head
//! position) and updates it when the kernel does.

use stripewise_profiles::kernel::{Raid0Split, Raid1ReadBalance};
use stripewise_units::{Bytes, Nanos};

use super::SuperblockUpdate;
use super::btrfs_layer::BtrfsLayer;
use super::flush::Preflush;
use super::host_io::HostIo;
use super::members::{NONE, Request};
use super::parity_thread::ParityArray;
use super::zfs_layer::ZfsLayer;
use crate::array::balance::{Head, Raid1Read, Raid10Read, choose_raid1, choose_raid10};
use crate::array::bitmap::Bitmap;
use crate::array::flush::MdFlush;
use crate::array::linear::Linear;
use crate::array::raid0::{Piece, Raid0};
use crate::array::raid1::Raid1;
use crate::array::raid10::{COPIES_MAX, Raid10};
use crate::filesystem::jbd2::BLOCK;
use crate::io::{BioLimit, Flags, Member, MemberBio, Operation, Place};
use crate::units::{Instant, Sectors};

/// The tag of bios without data: flushes, the superblock, pages of the bitmap.
pub(super) const METADATA_TAG: u32 = NONE - 1;

/// The logical block of members, in which md rounds its writes; few devices have 4096.
pub(super) const LOGICAL_BLOCK: Bytes = Bytes::new(512);

/// The mapping from sectors to members.
#[derive(Debug)]
pub(super) enum Mapping {
    /// One device.
    Single,
    /// md linear.
    Linear(Linear),
    /// RAID 0 or a striped volume, with the limit at which the block layer cuts its bios.
    Striped(Raid0, Raid0Split, BioLimit),
    /// md raid1.
    Raid1(Raid1, Raid1ReadBalance),
    /// md raid10.
    Raid10(Raid10, Raid10Read),
    /// md raid4, raid5, raid6.
    Parity(Box<ParityArray>),
    /// btrfs on its devices.
    Btrfs(Box<BtrfsLayer>),
    /// A ZFS pool.
    Zfs(Box<ZfsLayer>),
}

/// The volume above the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VolumeLayer {
    /// None.
    None,
    /// Every bio passes it.
    Linear,
    /// It stripes the devices; there is no array.
    Striped,
}

/// Volume and array.
#[derive(Debug)]
pub(super) struct Layers {
    pub(super) mapping: Mapping,
    pub(super) volume: VolumeLayer,
    pub(super) heads: Vec<Head>,
    /// Whether each member is written: working members and those being rebuilt.
    pub(super) written: Vec<bool>,
    pub(super) bitmap: Option<Bitmap>,
    /// Pages of the bitmap that are being written.
    pub(super) bitmap_pages: Vec<u32>,
    /// The longest bio.
    pub(super) bio_max: Sectors,
    /// The border at which bios end before they enter the array, in kernels without late splitting.
    pub(super) bio_border: Option<Sectors>,
    /// The limit at which bios are cut before they enter the array, unless it is a RAID 0.
    pub(super) array_limit: Option<BioLimit>,
    /// Whether mirrors hold writes back until the plug is flushed.
    pub(super) writes_wait_for_unplug: bool,
    /// The number of the array's thread among the tasks.
    pub(super) thread: u32,
    /// Whether the array's thread sends them if their task has no plug.
    pub(super) thread_sends: bool,
    /// How many bios per copy they hold back at most.
    pub(super) held_bios_max: Option<u32>,
    /// The size under test.
    pub(super) size: Sectors,
    /// How md passes on flushes; `None` if there is no array.
    pub(super) md_flush: Option<MdFlush>,
    /// How a write with a flush before it reaches the members.
    pub(super) preflush: Preflush,
    /// Whether what is submitted is durable when it completes (`REQ_FUA`).
    pub(super) is_fua: bool,
    /// The journal and its next write position.
    pub(super) journal: Journal,
    /// Pieces of one raid0 bio.
    pub(super) pieces: Vec<Piece>,
}

/// The filesystem's journal: a ring after the files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Journal {
    pub(super) start: Sectors,
    pub(super) length: Sectors,
    pub(super) next: Sectors,
}

/// One submission from above.
#[derive(Debug, Clone, Copy)]
pub(super) struct SubmittedIo {
    pub(super) io: u32,
    pub(super) operation: Operation,
    pub(super) start: Sectors,
    pub(super) length: Sectors,
    /// Whether its bios are `REQ_SYNC`.
    pub(super) is_sync: bool,
    /// The longest bio that its memory allows.
    pub(super) bio_max: Sectors,
    /// The task, which btrfs chooses a copy by.
    pub(super) job: u32,
    /// Whether it is metadata of a transaction group.
    pub(super) is_metadata: bool,
    /// Whether a task waits for a read.
    pub(super) is_awaited: bool,
}

/// The result of mapping one submission.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MappedBios {
    pub(super) volume_bios: u64,
    pub(super) array_bios: u64,
    /// Bios that went to the stripe cache, which completes them.
    pub(super) cached_bios: u32,
    /// Parts of them that bypass it.
    pub(super) bypassing_bios: u64,
    /// The submitting task sleeps until the stripe cache has room.
    pub(super) waits: bool,
    /// The CPU time of checksums and compression.
    pub(super) passes: Nanos,
}

impl Layers {
    /// Returns whether md sends such bios only when the task has finished its submission
    /// (`raid1_add_bio_to_plug`).
    pub(super) fn waits_for_unplug(&self, operation: Operation) -> bool {
        operation == Operation::Write
            && matches!(self.mapping, Mapping::Raid1(..) | Mapping::Raid10(..))
            && (self.writes_wait_for_unplug || self.bitmap.is_some())
    }

    /// Returns whether a mirror's thread sends such bios of a task without a plug.
    pub(super) fn goes_to_thread(&self, operation: Operation) -> bool {
        self.thread_sends && self.waits_for_unplug(operation)
    }

    /// Returns after how many bios md sends those that it holds back until the unplug
    /// (`MAX_PLUG_BIO`); `None` if it holds none back.
    pub(super) fn bios_held_until_unplug(&self, operation: Operation) -> Option<u64> {
        if !self.waits_for_unplug(operation) {
            return None;
        }
        let copies = match &self.mapping {
            Mapping::Raid10(map, _) => map.copies(),
            _ => self.heads.len() as u64,
        };
        let most = self.held_bios_max.map_or(u64::MAX, u64::from);
        Some(most.saturating_mul(copies))
    }

    /// Returns the writes of `md_update_sb` to a member: the superblock, whose 256 bytes and two
    /// per possible member fill one logical block, and before it the bitmap's first page
    /// (`md_bitmap_update_sb`). Levels without redundancy have no dirty state (`md_write_start`).
    pub(super) fn superblock_update(&self) -> Option<SuperblockUpdate> {
        let block = Sectors::from_bytes(LOGICAL_BLOCK);
        match &self.mapping {
            Mapping::Single
            | Mapping::Linear(_)
            | Mapping::Striped(..)
            | Mapping::Btrfs(_)
            | Mapping::Zfs(_) => None,
            Mapping::Raid1(..) | Mapping::Raid10(..) | Mapping::Parity(_) => {
                let page = self
                    .bitmap
                    .as_ref()
                    .map(|bitmap| bitmap.page_extent(0, LOGICAL_BLOCK));
                let page = page.map(|(_, length)| Sectors::from_bytes(length));
                Some(SuperblockUpdate {
                    writes: 1 + u64::from(page.is_some()),
                    sectors: block + page.unwrap_or_default(),
                })
            }
        }
    }

    /// Returns how much of a member of `size` the array uses.
    pub(super) fn used_of_member(&self, size: Sectors) -> Sectors {
        match &self.mapping {
            Mapping::Raid10(map, _) => map.used(),
            _ => Sectors::new(size.get() / 8 * 8),
        }
    }

    /// Returns whether a member is written.
    pub(super) fn is_working(&self, member: usize) -> bool {
        self.written[member]
    }

    pub(super) fn is_parity(&self) -> bool {
        matches!(self.mapping, Mapping::Parity(_))
    }

    /// Returns whether the array's thread has work.
    pub(super) fn has_thread(&self) -> bool {
        self.is_parity() || self.goes_to_thread(Operation::Write)
    }

    /// Returns whether each piece of a mirror's write has a plug of its own, and so writes the bitmap
    /// for itself: md submits the rest behind a piece again (`submit_bio_noacct` in
    /// `raid10_write_request`), and since 6.10 each submission of a task without a plug has one
    /// (`__submit_bio`).
    ///
    /// In a plug of its task all pieces are marked at once. Really, md writes the bitmap for each
    /// `MAX_PLUG_BIO` bios per copy.
    pub(super) fn marks_pieces(&self, is_plugged: bool) -> bool {
        !is_plugged && !self.thread_sends
    }

    /// Marks a write in the bitmap, or its next pieces up to the first that has to wait for a page;
    /// returns whether one does. The last piece starts the write.
    ///
    /// On parity arrays the array's thread writes the bitmap, not the submitting task.
    pub(super) fn mark(&mut self, at: Instant, io: &mut HostIo, by_pieces: bool) -> bool {
        let Some(bitmap) = &mut self.bitmap else {
            return false;
        };
        if let Mapping::Parity(array) = &mut self.mapping {
            for (start, length) in array.parity.bitmap_ranges(io.start, io.length) {
                array.bitmap_dirty |= bitmap.start_write(at, start, length);
            }
            return false;
        }
        while io.marked < io.length {
            let (start, left) = (io.start + io.marked, io.length - io.marked);
            let length = match &self.mapping {
                Mapping::Raid10(map, _) if by_pieces => map.first_length(start, left),
                Mapping::Raid1(map, _) if by_pieces => map.first_length(start, left),
                _ => left,
            };
            io.marked += length;
            let waits = match io.marked == io.length {
                true => {
                    let is_dirty = bitmap.mark(at, start, length);
                    bitmap.start_write(at, io.start, io.length) || is_dirty
                }
                false => bitmap.mark(at, start, length),
            };
            if waits {
                return true;
            }
        }
        false
    }

    /// Ends a write in the bitmap, so that its bits may be cleared later.
    pub(super) fn write_ended(&mut self, at: Instant, io: &HostIo) {
        if let Some(bitmap) = &mut self.bitmap {
            match &self.mapping {
                Mapping::Parity(array) => {
                    for (start, length) in array.parity.bitmap_ranges(io.start, io.length) {
                        bitmap.end_write(at, start, length);
                    }
                }
                _ => bitmap.end_write(at, io.start, io.length),
            }
            // The daemon's writes in the background are not simulated.
            bitmap.daemon_writes(at, &mut self.bitmap_pages);
            self.bitmap_pages.clear();
        }
    }

    /// Adds the ranges of resync space that a write covers.
    pub(super) fn add_bitmap_ranges(
        &self,
        start: Sectors,
        length: Sectors,
        ranges: &mut Vec<(Sectors, Sectors)>,
    ) {
        match &self.mapping {
            Mapping::Parity(array) => ranges.extend(array.parity.bitmap_ranges(start, length)),
            _ => ranges.push((start, length)),
        }
    }

    /// Adds the member bios of a write, as if no other I/O were in flight; on parity arrays, whole
    /// rows of chunks.
    pub(super) fn write_places(
        &mut self,
        start: Sectors,
        length: Sectors,
        bios: &mut Vec<MemberBio>,
    ) {
        if let Mapping::Parity(array) = &self.mapping {
            for (sector, length) in array.parity.bitmap_ranges(start, length) {
                let members = (0_u16..).zip(&self.heads);
                bios.extend(members.map(|(member, _)| {
                    MemberBio::new(Operation::Write, Place::at(member, sector), length)
                }));
            }
            return;
        }
        let above = SubmittedIo {
            io: NONE,
            operation: Operation::Write,
            start,
            length,
            is_sync: true,
            bio_max: self.bio_max,
            job: 0,
            is_metadata: false,
            is_awaited: true,
        };
        self.route(above, bios);
        if let Mapping::Zfs(layer) = &mut self.mapping {
            for bio in bios.iter() {
                layer.done(bio.member, 1);
            }
        }
        if matches!(self.mapping, Mapping::Raid1(..) | Mapping::Raid10(..)) {
            for bio in bios {
                self.heads[bio.member.index()].pending -= 1;
            }
        }
    }

    /// Returns the number of md's worker among the tasks.
    pub(super) const fn flush_worker(&self) -> u32 {
        self.thread + 1
    }

    /// Returns the number of the worker that pushes the log of XFS among the tasks.
    pub(super) const fn log_worker(&self) -> u32 {
        self.thread + 2
    }

    /// Returns the next place in the journal.
    pub(super) fn next_journal_place(&mut self, length: Sectors) -> Sectors {
        let journal = &mut self.journal;
        if journal.next + length > journal.start + journal.length {
            journal.next = journal.start;
        }
        let place = journal.next;
        journal.next += length;
        place
    }

    /// Maps an I/O to bios for the members.
    #[inline(always)]
    pub(super) fn route(&mut self, above: SubmittedIo, bios: &mut Vec<MemberBio>) -> MappedBios {
        let bio_max = self.bio_max.min(above.bio_max);
        let is_cut = match &self.mapping {
            Mapping::Btrfs(_) | Mapping::Zfs(_) => {
                return self.route_to_pool(SubmittedIo { bio_max, ..above }, bios);
            }
            // Bios through the stripe cache need not end at chunks (`raid5_mergeable_bvec`), and
            // the cache itself takes a long one part by part, as its task does.
            Mapping::Parity(array) => {
                above.operation == Operation::Read && array.parity.may_bypass()
            }
            _ => true,
        };
        let is_in_limit =
            |limit: BioLimit| limit.first_length(above.start, above.length) == above.length;
        let is_whole =
            !is_cut || (self.bio_border.is_none() && self.array_limit.is_none_or(is_in_limit));
        if !is_whole || above.length > bio_max || above.length == Sectors::default() {
            return self.route_parts(SubmittedIo { bio_max, ..above }, is_cut, bios);
        }
        let mut routed = MappedBios {
            volume_bios: u64::from(self.volume != VolumeLayer::None),
            ..MappedBios::default()
        };
        self.map_bio(above, bios, &mut routed);
        routed
    }

    /// Maps an I/O that is more than one bio, or may be if it `is_cut`.
    #[inline(never)]
    fn route_parts(
        &mut self,
        above: SubmittedIo,
        is_cut: bool,
        bios: &mut Vec<MemberBio>,
    ) -> MappedBios {
        let mut routed = MappedBios::default();
        let (mut at, mut left) = (above.start, above.length);
        let bio_max = above.bio_max;
        let limit = self.array_limit.filter(|_| is_cut);
        while left > Sectors::default() {
            let mut taken = left.min(bio_max);
            if let Some(border) = self.bio_border.filter(|_| is_cut) {
                let to_border = border.get() - at.get() % border.get();
                taken = taken.min(Sectors::new(to_border));
            }
            let end = at + taken;
            routed.volume_bios += 1;
            while at < end {
                let whole = end - at;
                let piece = limit.map_or(whole, |limit| limit.first_length(at, whole));
                let bio = SubmittedIo {
                    start: at,
                    length: piece,
                    ..above
                };
                self.map_bio(bio, bios, &mut routed);
                at += piece;
            }
            left = left - taken;
        }
        if self.volume == VolumeLayer::None {
            routed.volume_bios = 0;
        }
        routed
    }

    /// Maps blocks of a filesystem, each of which is a bio (`submit_bh`).
    pub(super) fn route_blocks(
        &mut self,
        above: SubmittedIo,
        bios: &mut Vec<MemberBio>,
    ) -> MappedBios {
        let mut routed = MappedBios::default();
        if let Mapping::Btrfs(layer) = &mut self.mapping {
            layer.write_nodes(above.length, bios);
            routed.array_bios = bios.len() as u64;
            return routed;
        }
        let mut at = above.start;
        while at < above.start + above.length {
            let block = SubmittedIo {
                start: at,
                length: BLOCK,
                ..above
            };
            let block = self.route(block, bios);
            routed.volume_bios += block.volume_bios;
            routed.array_bios += block.array_bios;
            routed.cached_bios += block.cached_bios;
            routed.waits |= block.waits;
            at += BLOCK;
        }
        routed
    }

    /// Maps a write that makes a commit durable.
    pub(super) fn route_commit(
        &mut self,
        above: SubmittedIo,
        bios: &mut Vec<MemberBio>,
    ) -> MappedBios {
        if let Mapping::Btrfs(_) | Mapping::Zfs(_) = &self.mapping {
            return self.route_pool_commit(above, bios);
        }
        let routed = self.route_durable(above, bios);
        for bio in bios {
            bio.flags = Flags {
                sync: true,
                preflush: self.preflush == Preflush::InBio,
                fua: true,
            };
        }
        routed
    }

    /// Maps a write that is durable when it completes.
    pub(super) fn route_durable(
        &mut self,
        above: SubmittedIo,
        bios: &mut Vec<MemberBio>,
    ) -> MappedBios {
        self.is_fua = true;
        let routed = self.route(above, bios);
        self.is_fua = false;
        for bio in bios {
            bio.flags.fua = true;
        }
        routed
    }

    /// Maps an I/O on the files of a pool.
    #[inline(never)]
    fn route_to_pool(&mut self, above: SubmittedIo, bios: &mut Vec<MemberBio>) -> MappedBios {
        let SubmittedIo {
            start,
            length,
            bio_max,
            ..
        } = above;
        let passes = match (&mut self.mapping, above.operation) {
            (Mapping::Btrfs(layer), Operation::Read) => {
                layer.read(above.job, start, length, bio_max, bios)
            }
            (Mapping::Btrfs(layer), _) => layer.write(start, length, bio_max, bios),
            (Mapping::Zfs(layer), Operation::Read) => {
                layer.read(start, length, above.is_awaited, bios)
            }
            (Mapping::Zfs(layer), _) if above.is_metadata => {
                layer.write_metadata(length, bios);
                Nanos::default()
            }
            (Mapping::Zfs(layer), _) => layer.write_records(length, bios),
            _ => Nanos::default(),
        };
        MappedBios {
            array_bios: bios.len() as u64,
            passes,
            ..MappedBios::default()
        }
    }

    /// Maps what makes a pool's commit durable: superblocks, or a block of the intent log.
    fn route_pool_commit(&mut self, above: SubmittedIo, bios: &mut Vec<MemberBio>) -> MappedBios {
        match &mut self.mapping {
            Mapping::Zfs(layer) => layer.write_log(above.length, bios),
            _ => BtrfsLayer::write_superblocks(self.heads.len(), bios),
        }
        MappedBios {
            array_bios: bios.len() as u64,
            ..MappedBios::default()
        }
    }

    #[inline(always)]
    fn map_bio(&mut self, bio: SubmittedIo, bios: &mut Vec<MemberBio>, routed: &mut MappedBios) {
        let SubmittedIo {
            io,
            operation,
            start,
            length,
            is_sync,
            ..
        } = bio;
        match &mut self.mapping {
            Mapping::Single => bios.push(MemberBio::new(operation, Place::at(0, start), length)),
            Mapping::Linear(map) => {
                let (mut at, mut left) = (start, length);
                while left > Sectors::default() {
                    let part = map.first_length(at, left);
                    bios.push(MemberBio::new(operation, map.find(at), part));
                    routed.array_bios += 1;
                    at += part;
                    left = left - part;
                }
            }
            Mapping::Striped(map, rule, limit) => {
                let bio = Piece { start, length };
                map.split(*rule, *limit, bio, &mut self.pieces);
                for piece in &self.pieces {
                    bios.push(MemberBio::new(
                        operation,
                        map.find(piece.start),
                        piece.length,
                    ));
                }
                match self.volume {
                    VolumeLayer::Striped => routed.volume_bios += self.pieces.len() as u64 - 1,
                    _ => routed.array_bios += self.pieces.len() as u64,
                }
            }
            // They do not come here: `route_to_pool` maps their I/Os.
            Mapping::Btrfs(_) | Mapping::Zfs(_) => {}
            Mapping::Raid1(..) => self.map_raid1(operation, start, length, bios, routed),
            Mapping::Raid10(..) => self.map_raid10(operation, start, length, bios, routed),
            Mapping::Parity(array) => {
                let flags = Flags {
                    sync: is_sync,
                    preflush: false,
                    fua: self.is_fua,
                };
                array.out.bios.clear();
                let submission =
                    array
                        .parity
                        .submit(io, operation, start, length, flags, &mut array.out);
                bios.extend_from_slice(&array.out.bios);
                routed.array_bios += match array.out.bios.len() as u64 {
                    0 => array.parity.stripes_joined(start, length),
                    chunks => chunks,
                };
                routed.cached_bios += 1;
                routed.bypassing_bios += array.out.bios.len() as u64;
                routed.waits |= submission == crate::array::parity::Submission::Waits;
            }
        }
    }

    fn map_raid1(
        &mut self,
        operation: Operation,
        start: Sectors,
        length: Sectors,
        bios: &mut Vec<MemberBio>,
        routed: &mut MappedBios,
    ) {
        let Mapping::Raid1(map, rule) = &self.mapping else {
            return;
        };
        let (mut at, mut left) = (start, length);
        while left > Sectors::default() {
            let part = map.first_length(at, left);
            routed.array_bios += 1;
            if operation == Operation::Read {
                let read = Raid1Read {
                    rule: *rule,
                    start: at,
                    is_unsynced: false,
                };
                if let Some(member) = choose_raid1(read, &self.heads) {
                    self.heads[member.index()].begin_read(at, part);
                    bios.push(MemberBio::new(
                        operation,
                        Place { member, sector: at },
                        part,
                    ));
                }
            } else {
                for place in map.find(at) {
                    if self.written[place.member.index()] {
                        self.heads[place.member.index()].begin();
                        bios.push(MemberBio::new(operation, place, part));
                    }
                }
            }
            at += part;
            left = left - part;
        }
    }

    #[inline]
    fn map_raid10(
        &mut self,
        operation: Operation,
        start: Sectors,
        length: Sectors,
        bios: &mut Vec<MemberBio>,
        routed: &mut MappedBios,
    ) {
        let Mapping::Raid10(map, read) = &self.mapping else {
            return;
        };
        let mut places = [Place::default(); COPIES_MAX];
        let (mut at, mut left) = (start, length);
        while left > Sectors::default() {
            let part = map.first_length(at, left);
            let copies = map.find(at, &mut places);
            let places = &places[..copies];
            routed.array_bios += 1;
            if operation == Operation::Read {
                if let Some(slot) = choose_raid10(*read, &self.heads, places) {
                    self.heads[places[slot].member.index()].begin();
                    bios.push(MemberBio::new(operation, places[slot], part));
                }
            } else {
                for place in places {
                    if self.written[place.member.index()] {
                        self.heads[place.member.index()].begin();
                        bios.push(MemberBio::new(operation, *place, part));
                    }
                }
            }
            at += part;
            left = left - part;
        }
    }

    /// Updates md's state for a completed request.
    #[inline(always)]
    pub(super) fn request_done(&mut self, request: &Request) {
        match &mut self.mapping {
            Mapping::Zfs(layer) => return layer.done(request.member, request.parts),
            Mapping::Raid1(..) | Mapping::Raid10(..) => {}
            _ => return,
        }
        let head = &mut self.heads[request.member.index()];
        head.pending -= request.parts;
        if request.first_tag != METADATA_TAG {
            head.position = request.start + request.length;
        }
    }

    /// Updates md's state for a write or flush without data.
    pub(super) fn begin_metadata(&mut self, member: usize) {
        if let Mapping::Zfs(layer) = &mut self.mapping {
            layer.begin(Member(u16::try_from(member).unwrap_or(u16::MAX)));
            return;
        }
        if matches!(self.mapping, Mapping::Raid1(..) | Mapping::Raid10(..)) {
            self.heads[member].begin();
        }
    }

    /// Links two tags of one request, and returns whether that was possible: parts of a read that
    /// bypasses the cache share one tag, which has one successor, but can lie in several requests.
    #[inline]
    pub(super) fn link_tags(&mut self, earlier: u32, later: u32) -> bool {
        let Mapping::Parity(array) = &mut self.mapping else {
            return true;
        };
        match earlier == later {
            // Two parts that merge again.
            true => {
                array.parity.parts_joined(earlier);
                true
            }
            false => array.link(earlier, later),
        }
    }
}

impl Place {
    const fn at(member: u16, sector: Sectors) -> Self {
        Self {
            member: Member(member),
            sector,
        }
    }
}

/// Returns the largest bio of a kernel whose bios hold `parts` pages.
pub(super) fn bio_max(parts: u32, spans_pages: bool) -> Sectors {
    match spans_pages {
        // A benchmark's memory is contiguous in large pages: one part holds many pages.
        true => Sectors::from_bytes(Bytes::GIB),
        false => Sectors::from_bytes(Bytes::new(u64::from(parts) * 4096)),
    }
}
