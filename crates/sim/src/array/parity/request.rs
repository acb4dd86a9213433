//! From a bio to its stripes: reads that bypass the cache, blocks added to a stripe, batches of
//! full stripes.

use stripewise_profiles::kernel::ParityRequestMax;

use super::cache::StripeLookup;
use super::geometry::BLOCK_SECTORS;
use super::stripe::{BlockState, NONE, Piece, StripeState};
use super::{BYPASS_TAG, Output, Parity};
use crate::io::{Flags, MemberBio, Operation};
use crate::units::Sectors;

/// The maximum blocks of one request (`RAID5_MAX_REQ_STRIPES`); longer bios are handled part by
/// part.
const WINDOW_BLOCKS: u64 = 256;
/// The same of kernels whose requests hold a row of chunks: the simulation takes longer rows part by
/// part.
const ROW_BLOCKS_MAX: u64 = 1024;
/// Words of the bit set of missing blocks: with room for one more block, as a bio may start inside
/// of a block.
const WINDOW_WORDS: usize = 17;

/// Why a bio waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// For a stripe in a part of the cache.
    Stripe(u8),
    /// For the end of another bio at the same place.
    Overlap,
}

/// A bio from above.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bio {
    /// The engine's number for it.
    pub number: u32,
    pub operation: Operation,
    pub flags: Flags,
    start: u64,
    end: u64,
    /// References that keep it unfinished: its pieces, and the submission itself.
    references: u32,
    /// Start of the part being added, on a block boundary.
    window_start: u64,
    /// End of that part.
    window_end: u64,
    /// Blocks of that part that are not added yet, and how many these are.
    missing: [u64; WINDOW_WORDS],
    missing_count: u64,
    /// The current block of that part.
    at: u32,
    /// The stripe added last, kept for the next one's batch.
    batch_last: u32,
    pub wait: Wait,
    /// It repeats a failed read, and no task sleeps until it is accepted.
    pub is_retry: bool,
}

impl Bio {
    #[inline(always)]
    pub(super) fn new(
        number: u32,
        operation: Operation,
        start: u64,
        length: u64,
        flags: Flags,
    ) -> Self {
        Self {
            number,
            operation,
            flags,
            start,
            end: start + length,
            references: 1,
            window_start: start / BLOCK_SECTORS * BLOCK_SECTORS,
            window_end: start,
            missing: [0; WINDOW_WORDS],
            missing_count: 0,
            at: 0,
            batch_last: NONE,
            wait: Wait::Overlap,
            is_retry: false,
        }
    }

    /// Takes over another bio, but not its missing blocks, of which there are none before a part of it
    /// is opened: to copy them takes longer than all else.
    #[inline(always)]
    fn renew(&mut self, other: Self) {
        let Self {
            number,
            operation,
            flags,
            start,
            end,
            references,
            window_start,
            window_end,
            missing: _,
            missing_count,
            at,
            batch_last,
            wait,
            is_retry,
        } = other;
        (self.number, self.operation, self.flags) = (number, operation, flags);
        (self.start, self.end, self.references) = (start, end, references);
        (self.window_start, self.window_end) = (window_start, window_end);
        (self.missing_count, self.at) = (missing_count, at);
        (self.batch_last, self.wait, self.is_retry) = (batch_last, wait, is_retry);
    }

    pub(super) fn retried(self) -> Self {
        Self {
            is_retry: true,
            ..self
        }
    }

    /// Returns the next missing block at or after `self.at`, or else from the start.
    fn next_missing(&self) -> Option<u32> {
        if self.missing_count == 0 {
            return None;
        }
        let from = self.at as usize;
        let word = from / 64;
        let rest = self.missing[word] >> (from % 64);
        if rest != 0 {
            return Some(self.at + rest.trailing_zeros());
        }
        let words = (word + 1..self.words()).chain(0..=word);
        for (word, bits) in words.map(|word| (word, self.missing[word])) {
            if bits != 0 {
                let base = u32::try_from(word * 64).expect("a window is small");
                return Some(base + bits.trailing_zeros());
            }
        }
        None
    }

    /// Returns how many words of the bit set this part has.
    fn words(&self) -> usize {
        let blocks = (self.window_end - self.window_start).div_ceil(BLOCK_SECTORS);
        usize::try_from(blocks.div_ceil(64)).expect("a window is small")
    }

    /// Marks the block at `sector` as added.
    fn mark_added(&mut self, sector: u64) {
        let block = (sector - self.window_start) / BLOCK_SECTORS;
        let word = usize::try_from(block / 64).expect("a window is small");
        debug_assert!(self.missing[word] & 1 << (block % 64) != 0, "added once");
        self.missing[word] &= !(1 << (block % 64));
        self.missing_count -= 1;
    }

    /// Returns the part of the bio that falls on the block at `sector`.
    fn piece(&self, slot: u32, sector: u64) -> Piece {
        let within = |at: u64| u8::try_from(at - sector).expect("a block has 8 sectors");
        Piece {
            bio: slot,
            next: NONE,
            first: within(self.start.max(sector)),
            end: within(self.end.min(sector + BLOCK_SECTORS)),
        }
    }
}

/// The data indices of a row that a request touches.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: u16,
    end: u16,
}

impl Parity {
    #[inline(always)]
    pub(super) fn add_bio(&mut self, bio: Bio) -> u32 {
        if let Some(slot) = self.free_bios.pop() {
            self.bios[slot as usize].renew(bio);
            return slot;
        }
        let slot = u32::try_from(self.bios.len()).expect("fewer than 2^31 bios are in flight");
        self.bios.push(bio);
        slot
    }

    /// Drops a reference to a bio; returns its number if that was the last one.
    pub(super) fn put_bio(&mut self, slot: u32) -> Option<u32> {
        let bio = &mut self.bios[slot as usize];
        bio.references -= 1;
        if bio.references > 0 {
            return None;
        }
        let number = bio.number;
        self.free_bios.push(slot);
        Some(number)
    }

    pub(super) fn drop_bio_reference(&mut self, slot: u32, finished: &mut Vec<u32>) {
        finished.extend(self.put_bio(slot));
    }

    /// Sends a read straight to the members, chunk by chunk; returns whether that was possible
    /// (`chunk_aligned_read`).
    pub(super) fn bypass(&mut self, slot: u32, out: &mut Output) -> bool {
        let geometry = self.config.geometry;
        let bio = &self.bios[slot as usize];
        let (start, end, flags) = (bio.start, bio.end, bio.flags);
        let one_chunk = geometry.chunk_of(start) == geometry.chunk_of(end - 1);
        if !one_chunk && !self.config.policy.splits_reads {
            return false;
        }
        if self.is_degraded() && !self.is_readable(start, end) {
            return false;
        }
        let mut at = start;
        let mut parts = 0;
        while at < end {
            let to_border = geometry.chunk_sectors() - geometry.offset(at);
            let part_end = end.min(at + to_border);
            let located = geometry.locate(at);
            out.bios.push(MemberBio {
                member: located.member,
                operation: Operation::Read,
                start: Sectors::new(located.sector),
                length: Sectors::new(part_end - at),
                flags,
                tag: BYPASS_TAG | slot,
            });
            parts += 1;
            at = part_end;
        }
        self.bios[slot as usize].references = parts;
        true
    }

    /// Returns whether the member that holds these sectors of one chunk can be read there.
    fn is_readable(&self, start: u64, end: u64) -> bool {
        let located = self.config.geometry.locate(start);
        let last = located.sector + (end - 1 - start);
        self.members[located.member.index()].is_readable(last, self.rebuilt_to)
    }

    /// Returns how many times `raid5_make_request` looks for a stripe and adds a bio to it
    /// (`make_stripe_request`): once for each row of blocks that the bio touches, or once for each
    /// block.
    pub fn stripes_joined(&self, start: Sectors, length: Sectors) -> u64 {
        let first = start.get() / BLOCK_SECTORS;
        let end = (start + length).get().div_ceil(BLOCK_SECTORS);
        match self.config.policy.whole_stripes && end - first > 1 {
            true => self.config.geometry.stripes_of(first, end),
            false => end - first,
        }
    }

    /// Returns the data of a row of chunks.
    fn row_sectors(&self) -> u64 {
        let geometry = &self.config.geometry;
        geometry.chunk_sectors() * u64::from(geometry.data_members())
    }

    /// Prepares the next part of a bio (`raid5_set_limits`: `max_hw_sectors`, `chunk_sectors`).
    #[inline(always)]
    pub(super) fn open_window(&mut self, slot: u32) {
        let row = self.row_sectors();
        let policy = self.config.policy;
        let bio = &mut self.bios[slot as usize];
        if bio.window_end > bio.start {
            bio.window_start = bio.window_end;
        }
        let most = match policy.request_max {
            ParityRequestMax::Row => (row / BLOCK_SECTORS).clamp(WINDOW_BLOCKS, ROW_BLOCKS_MAX),
            ParityRequestMax::Any | ParityRequestMax::Blocks => WINDOW_BLOCKS,
        };
        bio.window_end = bio.end.min(bio.window_start + most * BLOCK_SECTORS);
        if policy.cut_at_rows {
            let border = (bio.window_start / row + 1) * row;
            bio.window_end = bio.window_end.min(border);
        }
        let mut blocks = (bio.window_end - bio.window_start).div_ceil(BLOCK_SECTORS);
        bio.missing_count = blocks;
        let words = bio.words();
        for word in &mut bio.missing[..words] {
            *word = if blocks >= 64 {
                u64::MAX
            } else {
                (1 << blocks) - 1
            };
            blocks = blocks.saturating_sub(64);
        }
        bio.at = 0;
        if self.config.policy.lowest_first {
            self.bios[slot as usize].at = self.lowest_block(slot);
        }
    }

    /// Returns the block to begin with: if the request reaches the next data member of the same
    /// row, its first block there, because that is the lowest position
    /// (`raid5_bio_lowest_chunk_sector`).
    fn lowest_block(&self, slot: u32) -> u32 {
        let geometry = &self.config.geometry;
        let bio = &self.bios[slot as usize];
        let chunk = geometry.chunk_sectors();
        let left = chunk - geometry.offset(bio.window_start);
        if left >= bio.window_end - bio.start.max(bio.window_start) {
            return 0;
        }
        let located = geometry.locate(bio.window_start);
        let row = geometry.row(located.sector);
        let next =
            (located.member.0 + 1..geometry.members()).find(|&member| !row.is_parity(member));
        if next.is_none() {
            return 0;
        }
        u32::try_from(left / BLOCK_SECTORS)
            .ok()
            .filter(|&block| u64::from(block) * BLOCK_SECTORS + bio.window_start < bio.window_end)
            .unwrap_or(0)
    }

    /// Adds the rest of a bio to its stripes; returns false if it has to wait
    /// (`raid5_make_request`).
    pub(super) fn make_request(&mut self, slot: u32) -> bool {
        loop {
            let bio = &mut self.bios[slot as usize];
            let Some(block) = bio.next_missing() else {
                let done = bio.window_end == bio.end;
                self.release_batch_last(slot);
                if done {
                    return true;
                }
                self.open_window(slot);
                continue;
            };
            bio.at = block;
            let sector = bio.window_start + u64::from(block) * BLOCK_SECTORS;
            if let Err(wait) = self.make_stripe_request(slot, sector) {
                self.release_batch_last(slot);
                self.bios[slot as usize].wait = wait;
                return false;
            }
        }
    }

    fn release_batch_last(&mut self, slot: u32) {
        let last = std::mem::replace(&mut self.bios[slot as usize].batch_last, NONE);
        if last != NONE {
            self.cache.release(last);
        }
    }

    /// Adds a bio to the stripe of the block at `sector` (`make_stripe_request`).
    fn make_stripe_request(&mut self, slot: u32, sector: u64) -> Result<(), Wait> {
        let located = self.config.geometry.locate(sector);
        let stripe = match self.cache.get_active(located.sector) {
            StripeLookup::Stripe(stripe) => stripe,
            StripeLookup::Exhausted(part) => {
                self.cache.blocked = true;
                return Err(Wait::Stripe(part));
            }
        };
        if !self.add_all(slot, stripe, sector) {
            self.cache.release(stripe);
            return Err(Wait::Overlap);
        }
        if self.can_batch(stripe) {
            let last = self.bios[slot as usize].batch_last;
            self.add_to_batch(stripe, last);
            self.release_batch_last(slot);
            self.cache.stripe_mut(stripe).users += 1;
            self.bios[slot as usize].batch_last = stripe;
        }
        let sync = self.bios[slot as usize].flags.sync;
        let entry = self.cache.stripe_mut(stripe);
        entry.state.set(StripeState::HANDLE);
        entry.state.clear(StripeState::DELAYED);
        let leads = entry.batch_head == NONE || entry.batch_head == stripe;
        let plugged = entry.state.any(StripeState::PLUGGED);
        entry.state.set(StripeState::PLUGGED);
        if sync && leads {
            self.cache.start_preread(stripe);
        }
        if plugged {
            self.cache.release(stripe);
        } else {
            self.plugged.push(stripe);
        }
        Ok(())
    }

    /// Returns which blocks of the stripe are added together with the one at `sector`.
    fn span(&self, slot: u32, stripe: u32, sector: u64) -> Span {
        let geometry = &self.config.geometry;
        let row = self.cache.stripe(stripe).row_start;
        let chunk = geometry.chunk_sectors();
        let narrow = |index: u64| u16::try_from(index).unwrap_or(u16::MAX);
        if !self.config.policy.whole_stripes {
            let first = narrow(geometry.chunk_of(sector - row));
            return Span {
                first,
                end: first + 1,
            };
        }
        let bio = &self.bios[slot as usize];
        let chunks = |end: u64| geometry.chunk_of(end.saturating_sub(row) + chunk - 1);
        Span {
            first: narrow(chunks(bio.window_start)),
            end: narrow(chunks(bio.window_end)).min(geometry.data_members()),
        }
    }

    /// Adds a bio to the blocks of a stripe, unless it overlaps another bio there
    /// (`add_all_stripe_bios`).
    fn add_all(&mut self, slot: u32, stripe: u32, sector: u64) -> bool {
        if self.cache.stripe(stripe).batch_head != NONE {
            return false;
        }
        let span = self.span(slot, stripe, sector);
        let geometry = self.config.geometry;
        let start = self.cache.stripe(stripe).row_start;
        let row = self.cache.stripe(stripe).row();
        let block = |index: u16| start + u64::from(index) * geometry.chunk_sectors();
        for index in span.first..span.end {
            let piece = self.bios[slot as usize].piece(slot, block(index));
            let member = geometry.data_member(row, index);
            if self.overlaps(stripe, member, piece) {
                return false;
            }
        }
        for index in span.first..span.end {
            let bio = &mut self.bios[slot as usize];
            bio.mark_added(block(index));
            bio.references += 1;
            let piece = bio.piece(slot, block(index));
            self.add_piece(stripe, geometry.data_member(row, index), piece);
        }
        true
    }

    fn chain(&self, stripe: u32, member: u16, operation: Operation) -> u32 {
        let block = self.cache.block(stripe, member);
        match operation {
            Operation::Write => block.to_write,
            _ => block.to_read,
        }
    }

    /// `stripe_bio_overlaps`.
    fn overlaps(&self, stripe: u32, member: u16, piece: Piece) -> bool {
        let operation = self.bios[piece.bio as usize].operation;
        let mut at = self.chain(stripe, member, operation);
        while at != NONE {
            let other = self.pieces.get(at);
            if other.first < piece.end && piece.first < other.end {
                return true;
            }
            at = other.next;
        }
        false
    }

    /// Adds a piece to a block, ordered by position (`__add_stripe_bio`).
    fn add_piece(&mut self, stripe: u32, member: u16, piece: Piece) {
        let operation = self.bios[piece.bio as usize].operation;
        let first = self.chain(stripe, member, operation);
        let mut before = NONE;
        let mut after = first;
        while after != NONE && self.pieces.get(after).first < piece.first {
            before = after;
            after = self.pieces.get(after).next;
        }
        let added = self.pieces.add(Piece {
            next: after,
            ..piece
        });
        if before != NONE {
            self.pieces.link(before, added);
        }
        if operation == Operation::Read {
            if before == NONE {
                self.cache.begin_to_read(stripe, member, added);
            }
            let state = &mut self.cache.stripe_mut(stripe).state;
            state.clear(StripeState::BATCH_READY);
            return;
        }
        if before == NONE {
            self.cache.begin_to_write(stripe, member, added);
        }
        let was_covered = self.cache.state(stripe, member).any(BlockState::OVERWRITE);
        if !was_covered && self.is_covered(stripe, member) {
            self.cache.set(stripe, member, BlockState::OVERWRITE);
            self.cache.stripe_mut(stripe).overwritten += 1;
        }
        if self.config.bitmap && first == NONE {
            let entry = self.cache.stripe_mut(stripe);
            entry.bitmap_sequence = self.bitmap_begun + 1;
            entry.state.set(StripeState::BITMAP);
        }
    }

    /// Returns whether the writes to a block cover all of it.
    fn is_covered(&self, stripe: u32, member: u16) -> bool {
        let mut covered = 0;
        let mut at = self.cache.block(stripe, member).to_write;
        while at != NONE {
            let piece = self.pieces.get(at);
            if piece.first > covered {
                return false;
            }
            covered = covered.max(piece.end);
            at = piece.next;
        }
        u64::from(covered) == BLOCK_SECTORS
    }

    /// Returns whether a stripe is new and all its data is overwritten (`stripe_can_batch`).
    fn can_batch(&self, stripe: u32) -> bool {
        let entry = self.cache.stripe(stripe);
        self.config.policy.batches
            && entry.state.any(StripeState::BATCH_READY)
            && entry.overwritten == self.config.geometry.data_members()
    }

    /// Joins a full stripe to the batch of the one before it in the chunk
    /// (`stripe_add_to_batch_list`): the thread handles a batch as one stripe, and writes its
    /// blocks member by member.
    fn add_to_batch(&mut self, stripe: u32, last: u32) {
        let sector = self.cache.stripe(stripe).sector;
        if self.config.geometry.offset(sector) == 0 {
            return;
        }
        let before = sector - BLOCK_SECTORS;
        let previous = if last != NONE && self.cache.stripe(last).sector == before {
            self.cache.stripe_mut(last).users += 1;
            last
        } else if let Some(found) = self.cache.find_and_use(before) {
            found
        } else {
            return;
        };
        let alone = self.cache.stripe(stripe).batch_head == NONE;
        if self.can_batch(previous) && alone && self.same_kind(previous, stripe) {
            self.link_batch(previous, stripe);
        }
        self.cache.release(previous);
    }

    fn link_batch(&mut self, previous: u32, stripe: u32) {
        let before = self.cache.stripe_mut(previous);
        if before.batch_head == NONE {
            before.batch_head = previous;
            before.batch_next = previous;
        }
        let (head, next) = (before.batch_head, before.batch_next);
        before.batch_next = stripe;
        let entry = self.cache.stripe_mut(stripe);
        entry.batch_head = head;
        entry.batch_next = next;
        entry.users += 1;
        let sequence = entry.bitmap_sequence;
        let waits = entry.state.take(StripeState::BITMAP);
        self.cache.stop_preread(stripe);
        if waits {
            let head = self.cache.stripe_mut(head);
            head.bitmap_sequence = head.bitmap_sequence.max(sequence);
            head.state.set(StripeState::BITMAP);
        }
    }

    /// Returns whether the first data blocks of two stripes are written with the same flags.
    fn same_kind(&self, one: u32, other: u32) -> bool {
        let entry = self.cache.stripe(one);
        let first = (0..self.config.geometry.members()).find(|&member| !entry.is_parity(member));
        let Some(member) = first else {
            return false;
        };
        let flags = |stripe: u32| {
            let piece = self.pieces.get(self.cache.block(stripe, member).to_write);
            self.bios[piece.bio as usize].flags
        };
        flags(one) == flags(other)
    }
}

#[cfg(test)]
mod tests {
    use stripewise_profiles::kernel::policy;
    use stripewise_study::stack::Level;
    use stripewise_units::kernel::KernelVersion;

    use super::super::geometry::{Geometry, ParityLayout};
    use super::super::{CACHE_STRIPES, CACHE_STRIPES_MAX, ParityConfig};
    use super::*;
    use stripewise_profiles::kernel::RmwLevel;

    /// Returns the ends of the parts in KiB of a write of 3 MiB at 32 KiB to a RAID 5 of four.
    fn parts(kernel: (u16, u16), chunk_kib: u64) -> Vec<u64> {
        let chunk = Sectors::new(chunk_kib * 2);
        let layout = ParityLayout::LeftSymmetric;
        let mut parity = Parity::new(ParityConfig {
            geometry: Geometry::new(Level::Raid5, layout, 4, chunk).unwrap(),
            policy: policy(KernelVersion::new(kernel.0, kernel.1, 0)).parity,
            cache_stripes: CACHE_STRIPES,
            cache_stripes_max: CACHE_STRIPES_MAX,
            rmw_level: RmwLevel::Enable,
            skip_copy: false,
            bitmap: false,
            synced: true,
        });
        let bio = Bio::new(0, Operation::Write, 64, 3 << 11, Flags::default());
        let slot = parity.add_bio(bio);
        let mut ends = Vec::new();
        while ends.last() != Some(&(3072 + 32)) {
            parity.open_window(slot);
            let bio = &parity.bios[slot as usize];
            assert!(bio.missing_count <= ROW_BLOCKS_MAX);
            ends.push(bio.window_end / 2);
        }
        ends
    }

    /// The failure: a write of whole rows was taken 1 MiB at a time on every kernel.
    #[test]
    fn a_long_write_is_cut_at_1_mib_since_7_0_at_a_row_and_since_7_1_at_its_border() {
        assert_eq!(parts((6, 12), 512), [1056, 2080, 3104]);
        assert_eq!(parts((7, 0), 512), [1568, 3104]);
        assert_eq!(parts((7, 1), 512), [1536, 3072, 3104]);
        // Rows of 192 KiB: 7.0 still takes 1 MiB.
        assert_eq!(parts((7, 0), 64), [1056, 2080, 3104]);
        assert_eq!(parts((7, 1), 64)[..3], [192, 384, 576]);
    }
}
