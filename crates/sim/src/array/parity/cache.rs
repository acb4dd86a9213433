//! The stripe cache: a slab of stripes, found by position, and the lists of unused ones.
//!
//! The kernel keeps the unused stripes in eight lists by stripe number (`NR_STRIPE_HASH_LOCKS`),
//! and a stripe never changes its list. A cache of 256 is eight parts of 32, each with its own
//! least-recently-used order; the cache is exhausted as soon as one part is.

use super::geometry::{BLOCK_SECTORS, Geometry};
use super::packed_states::{LANES, Lanes, PackedStates, place_of};
use super::stripe::{
    Block, BlockState, Check, LISTS, List, Lists, NO_MEMBER, NONE, PARTS, PIECES, Reconstruct,
    Stripe, StripeState,
};

#[derive(Debug, Clone, Copy)]
struct Ends {
    first: u32,
    last: u32,
}

/// The result of `get_active`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StripeLookup {
    /// The stripe, with one more user.
    Stripe(u32),
    /// No stripe: the part of the cache that the caller has to wait for.
    Exhausted(u8),
}

/// The states of a block that something works on.
const BUSY: BlockState = BlockState::LOCKED.and(PIECES);

/// The stripes.
#[derive(Debug)]
pub(super) struct Cache {
    geometry: Geometry,
    stripes: Vec<Stripe>,
    /// The states of each stripe's blocks: so many words.
    states: Vec<PackedStates>,
    words: usize,
    /// The last word of a stripe without data.
    empty_last: PackedStates,
    blocks: Vec<Block>,
    heads: Vec<u32>,
    lists: [Ends; LISTS],
    /// The lists that are not empty.
    used: Lists,
    /// Stripes not on an inactive list (`active_stripes`).
    active: u32,
    /// Stripes that wait for, or read, old data (`preread_active_stripes`).
    pub preread_active: u32,
    /// Stripes that were released outside of the thread, oldest first (`released_stripes`).
    pub released: Vec<u32>,
    /// The last bitmap flush that is complete (`seq_write`).
    pub bitmap_written: u64,
    /// A bio waits for a stripe (`R5_INACTIVE_BLOCKED`).
    pub blocked: bool,
    /// A bio found no free stripe (`R5_ALLOC_MORE`).
    pub wants_more: bool,
    /// The cache grew, and no stripe was released since (`R5_DID_ALLOC`).
    pub grew: bool,
}

impl Cache {
    /// Returns a cache of `count` unused stripes.
    pub(super) fn new(geometry: Geometry, count: u32) -> Self {
        let mut cache = Self {
            geometry,
            stripes: Vec::new(),
            states: Vec::new(),
            words: usize::from(geometry.members()).div_ceil(LANES),
            empty_last: PackedStates::empty_last(usize::from(geometry.members())),
            blocks: Vec::new(),
            heads: Vec::new(),
            lists: [Ends {
                first: NONE,
                last: NONE,
            }; LISTS],
            used: Lists::NONE,
            active: 0,
            preread_active: 0,
            released: Vec::new(),
            bitmap_written: 0,
            blocked: false,
            wants_more: false,
            grew: false,
        };
        for _ in 0..count {
            let stripe = cache.add_stripe();
            let part = cache.stripe(stripe).part;
            cache.push_last(List::inactive(part), stripe);
        }
        cache
    }

    /// Adds a stripe that is on no list; returns it (`grow_one_stripe`).
    fn add_stripe(&mut self) -> u32 {
        let stripe = self.count();
        let part = u8::try_from(stripe % u32::from(PARTS)).expect("a remainder of 8");
        self.stripes.push(Stripe::new(part));
        let members = usize::from(self.geometry.members());
        self.blocks
            .resize(self.stripes.len() * members, Block::EMPTY);
        self.states
            .resize(self.stripes.len() * self.words, PackedStates::EMPTY);
        self.clear_states(stripe);
        // Room for the queue now, so that releasing never allocates.
        self.released
            .reserve(self.stripes.len() - self.released.len());
        if self.heads.len() < 2 * self.stripes.len() {
            self.rehash();
        }
        stripe
    }

    /// Grows the cache by one stripe, which the thread releases into it.
    pub(super) fn grow(&mut self) {
        let stripe = self.add_stripe();
        self.active += 1;
        self.stripe_mut(stripe).users = 1;
        self.release(stripe);
        self.grew = true;
    }

    fn rehash(&mut self) {
        let size = (4 * self.stripes.len()).next_power_of_two();
        self.heads.clear();
        self.heads.resize(size, NONE);
        for stripe in 0..self.count() {
            if self.stripe(stripe).sector != Stripe::UNHASHED {
                self.hash(stripe);
            }
        }
    }

    /// Returns how many stripes there are (`max_nr_stripes`).
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.stripes.len()).expect("the cache is far smaller than 2^32 stripes")
    }

    pub(super) fn stripe(&self, stripe: u32) -> &Stripe {
        &self.stripes[stripe as usize]
    }

    pub(super) fn stripe_mut(&mut self, stripe: u32) -> &mut Stripe {
        &mut self.stripes[stripe as usize]
    }

    /// Returns the states of a stripe's blocks, four in a word.
    #[inline(always)]
    pub(super) fn states<const ONE: bool>(&self, stripe: u32) -> &[PackedStates] {
        let place = stripe as usize;
        match ONE {
            true => std::slice::from_ref(&self.states[place]),
            false => &self.states[place * self.words..(place + 1) * self.words],
        }
    }

    /// Returns a stripe and the states of its blocks; if they are `ONE` word, the compiler knows it.
    #[inline(always)]
    pub(super) fn with_states<const ONE: bool>(
        &mut self,
        stripe: u32,
    ) -> (&mut Stripe, &mut [PackedStates]) {
        let place = stripe as usize;
        let states = match ONE {
            true => std::slice::from_mut(&mut self.states[place]),
            false => &mut self.states[place * self.words..(place + 1) * self.words],
        };
        (&mut self.stripes[place], states)
    }

    /// Returns one word of the states of a stripe's blocks.
    #[inline(always)]
    pub(super) fn word_mut<const ONE: bool>(
        &mut self,
        stripe: u32,
        word: usize,
    ) -> &mut PackedStates {
        match ONE {
            true => &mut self.states[stripe as usize],
            false => &mut self.states[stripe as usize * self.words + word],
        }
    }

    /// Returns how many words the states of a stripe's blocks take.
    #[inline(always)]
    pub(super) const fn words<const ONE: bool>(&self) -> usize {
        if ONE { 1 } else { self.words }
    }

    /// Returns whether the states of a stripe's blocks are one word.
    #[inline]
    pub(super) const fn has_one_word(&self) -> bool {
        self.words == 1
    }

    fn clear_states(&mut self, stripe: u32) {
        let last = self.empty_last;
        let (_, states) = self.with_states::<false>(stripe);
        if let Some((end, others)) = states.split_last_mut() {
            others.fill(PackedStates::EMPTY);
            *end = last;
        }
    }

    /// Returns the word with the state of a block, and the block in it.
    #[inline]
    fn of_block(&mut self, stripe: u32, member: u16) -> (&mut PackedStates, Lanes) {
        let (word, lane) = place_of(member);
        let packed = &mut self.states[stripe as usize * self.words + word];
        (packed, Lanes::one(lane))
    }

    /// Marks a block as one that no member bio works on; one that was read is up to date if it
    /// `is_good`.
    #[inline(always)]
    pub(super) fn end_member_bio(&mut self, stripe: u32, member: u16, is_good: bool) {
        let (packed, lanes) = self.of_block(stripe, member);
        if is_good {
            let was_read = packed.with(BlockState::READING) & lanes;
            packed.set(was_read, BlockState::UP_TO_DATE);
        }
        packed.clear(lanes, BlockState::LOCKED.and(BlockState::READING));
    }

    /// Returns the state of a block.
    #[inline]
    pub(super) fn state(&self, stripe: u32, member: u16) -> BlockState {
        let (word, lane) = place_of(member);
        self.states[stripe as usize * self.words + word].get(lane)
    }

    /// Sets `states` of a block.
    #[inline]
    pub(super) fn set(&mut self, stripe: u32, member: u16, states: BlockState) {
        let (packed, lanes) = self.of_block(stripe, member);
        packed.set(lanes, states);
    }

    /// Clears `states` of a block.
    #[inline]
    pub(super) fn clear(&mut self, stripe: u32, member: u16, states: BlockState) {
        let (packed, lanes) = self.of_block(stripe, member);
        packed.clear(lanes, states);
    }

    /// Returns the pieces on a block.
    #[inline]
    pub(super) fn block(&self, stripe: u32, member: u16) -> &Block {
        let members = usize::from(self.geometry.members());
        &self.blocks[stripe as usize * members + usize::from(member)]
    }

    #[inline]
    fn block_mut(&mut self, stripe: u32, member: u16) -> &mut Block {
        let members = usize::from(self.geometry.members());
        &mut self.blocks[stripe as usize * members + usize::from(member)]
    }

    /// Adds a first piece that reads a block.
    pub(super) fn begin_to_read(&mut self, stripe: u32, member: u16, piece: u32) {
        self.block_mut(stripe, member).to_read = piece;
        self.set(stripe, member, BlockState::TO_READ);
    }

    /// Adds a first piece that writes a block.
    pub(super) fn begin_to_write(&mut self, stripe: u32, member: u16, piece: u32) {
        self.block_mut(stripe, member).to_write = piece;
        self.set(stripe, member, BlockState::TO_WRITE);
    }

    /// Takes the pieces that read a block.
    pub(super) fn take_to_read(&mut self, stripe: u32, member: u16) -> u32 {
        self.clear(stripe, member, BlockState::TO_READ);
        std::mem::replace(&mut self.block_mut(stripe, member).to_read, NONE)
    }

    /// Turns the pieces that write a block into those that are being written; returns them.
    pub(super) fn take_to_write(&mut self, stripe: u32, member: u16) -> u32 {
        let (packed, lanes) = self.of_block(stripe, member);
        packed.clear(lanes, BlockState::TO_WRITE.and(BlockState::OVERWRITE));
        packed.set(lanes, BlockState::WRITTEN);
        let block = self.block_mut(stripe, member);
        debug_assert_eq!(block.written, NONE, "one write at a time");
        block.written = std::mem::replace(&mut block.to_write, NONE);
        block.written
    }

    /// Takes the pieces that are being written to a block.
    pub(super) fn take_written(&mut self, stripe: u32, member: u16) -> u32 {
        self.clear(stripe, member, BlockState::WRITTEN);
        std::mem::replace(&mut self.block_mut(stripe, member).written, NONE)
    }

    pub(super) fn first(&self, list: List) -> Option<u32> {
        let first = self.lists[list.index()].first;
        (first != NONE).then_some(first)
    }

    pub(super) fn last(&self, list: List) -> Option<u32> {
        let last = self.lists[list.index()].last;
        (last != NONE).then_some(last)
    }

    pub(super) fn is_empty(&self, list: List) -> bool {
        !self.used.have(list)
    }

    /// Returns the lists that are not empty.
    pub(super) const fn used(&self) -> Lists {
        self.used
    }

    #[inline(always)]
    pub(super) fn push_last(&mut self, list: List, stripe: u32) {
        let last = self.lists[list.index()].last;
        let entry = self.stripe_mut(stripe);
        debug_assert_eq!(entry.list, List::NONE, "a stripe is on one list at most");
        entry.list = list;
        entry.previous = last;
        entry.next = NONE;
        if last == NONE {
            self.lists[list.index()].first = stripe;
        } else {
            self.stripe_mut(last).next = stripe;
        }
        self.lists[list.index()].last = stripe;
        self.used.add(list);
    }

    /// Takes a stripe off its list.
    #[inline(always)]
    pub(super) fn remove(&mut self, stripe: u32) {
        let entry = self.stripe_mut(stripe);
        let (previous, next) = (entry.previous, entry.next);
        let list = std::mem::replace(&mut entry.list, List::NONE);
        if previous == next {
            // Both are none.
            self.used.remove(list);
        }
        if previous == NONE {
            self.lists[list.index()].first = next;
        } else {
            self.stripe_mut(previous).next = next;
        }
        if next == NONE {
            self.lists[list.index()].last = previous;
        } else {
            self.stripe_mut(next).previous = previous;
        }
    }

    fn slot(&self, sector: u64) -> usize {
        let mask = self.heads.len() - 1;
        let number = sector / BLOCK_SECTORS;
        // Masked first, so that the result fits.
        usize::try_from(number & mask as u64).expect("a masked number fits")
    }

    fn hash(&mut self, stripe: u32) {
        let slot = self.slot(self.stripe(stripe).sector);
        self.stripe_mut(stripe).hash_next = self.heads[slot];
        self.heads[slot] = stripe;
    }

    fn unhash(&mut self, stripe: u32) {
        let sector = self.stripe(stripe).sector;
        if sector == Stripe::UNHASHED {
            return;
        }
        let slot = self.slot(sector);
        let next = self.stripe(stripe).hash_next;
        if self.heads[slot] == stripe {
            self.heads[slot] = next;
        } else {
            let mut at = self.heads[slot];
            while self.stripe(at).hash_next != stripe {
                at = self.stripe(at).hash_next;
            }
            self.stripe_mut(at).hash_next = next;
        }
        self.stripe_mut(stripe).sector = Stripe::UNHASHED;
    }

    #[inline(always)]
    fn find(&self, sector: u64) -> Option<u32> {
        let mut at = self.heads[self.slot(sector)];
        while at != NONE && self.stripe(at).sector != sector {
            at = self.stripe(at).hash_next;
        }
        (at != NONE).then_some(at)
    }

    /// Returns the stripe at `sector` with one more user, if it is cached (`find_get_stripe`).
    #[inline(always)]
    pub(super) fn find_and_use(&mut self, sector: u64) -> Option<u32> {
        let stripe = self.find(sector)?;
        let entry = self.stripe(stripe);
        if entry.users == 0 {
            if !entry.state.any(StripeState::HANDLE) {
                self.active += 1;
            }
            self.remove(stripe);
        }
        self.stripe_mut(stripe).users += 1;
        Some(stripe)
    }

    /// Returns the part of the cache for `sector`.
    fn part(sector: u64) -> u8 {
        u8::try_from((sector / BLOCK_SECTORS) % u64::from(PARTS)).expect("a remainder of 8")
    }

    /// Returns the stripe at `sector`, cached or made from the least recently used one
    /// (`raid5_get_active_stripe`).
    #[inline(always)]
    pub(super) fn get_active(&mut self, sector: u64) -> StripeLookup {
        if let Some(stripe) = self.find_and_use(sector) {
            return StripeLookup::Stripe(stripe);
        }
        let part = Self::part(sector);
        if !self.blocked {
            if let Some(stripe) = self.first(List::inactive(part)) {
                self.remove(stripe);
                self.unhash(stripe);
                self.active += 1;
                self.initialise(stripe, sector);
                return StripeLookup::Stripe(stripe);
            }
            if !self.grew {
                self.wants_more = true;
            }
        }
        StripeLookup::Exhausted(part)
    }

    /// Returns whether a bio that waits for `part` may retry (`is_inactive_blocked`): after
    /// exhaustion, a quarter of the cache has to be free.
    pub(super) fn may_retry(&self, part: u8) -> bool {
        !self.is_empty(List::inactive(part))
            && (!self.blocked || self.active < self.count() * 3 / 4)
    }

    /// `init_stripe`.
    #[inline(always)]
    fn initialise(&mut self, stripe: u32, sector: u64) {
        let row = self.geometry.row(sector);
        let row_start = self.geometry.row_start(sector);
        let entry = self.stripe_mut(stripe);
        let part = entry.part;
        *entry = Stripe {
            sector,
            row_start,
            users: 1,
            parity: row.parity,
            syndrome: row.syndrome.unwrap_or(NO_MEMBER),
            ..Stripe::new(part)
        };
        entry.state.set(StripeState::BATCH_READY);
        self.clear_states(stripe);
        self.hash(stripe);
    }

    /// Drops one use outside of the thread (`raid5_release_stripe`): the last one goes through the
    /// thread's queue.
    #[inline(always)]
    pub(super) fn release(&mut self, stripe: u32) {
        let entry = self.stripe_mut(stripe);
        if entry.users > 1 {
            entry.users -= 1;
        } else if entry.state.any(StripeState::RELEASED) {
            self.release_now(stripe);
        } else {
            entry.state.set(StripeState::RELEASED);
            self.released.push(stripe);
        }
    }

    /// Drops one use (`__release_stripe`).
    #[inline(always)]
    pub(super) fn release_now(&mut self, stripe: u32) {
        let entry = self.stripe_mut(stripe);
        entry.users -= 1;
        if entry.users == 0 {
            self.enlist(stripe);
        }
    }

    /// Puts a stripe without users on its list (`do_release_stripe`).
    #[inline(always)]
    fn enlist(&mut self, stripe: u32) {
        let written = self.bitmap_written;
        let entry = self.stripe_mut(stripe);
        if entry.state.any(StripeState::SYNC_REQUESTED) {
            entry.state.set(StripeState::HANDLE);
        }
        if !entry.state.any(StripeState::HANDLE) {
            self.stop_preread(stripe);
            self.active -= 1;
            self.push_last(List::LEAVING, stripe);
            return;
        }
        let delayed = entry.state.any(StripeState::DELAYED);
        let list = if delayed && !entry.state.any(StripeState::PREREAD) {
            List::DELAYED
        } else if entry.state.any(StripeState::BITMAP) && entry.bitmap_sequence > written {
            List::BITMAP
        } else {
            entry
                .state
                .clear(StripeState::DELAYED.and(StripeState::BITMAP));
            List::HANDLE
        };
        self.push_last(list, stripe);
    }

    /// Allows a stripe to read old data.
    pub(super) fn start_preread(&mut self, stripe: u32) {
        let entry = self.stripe_mut(stripe);
        if !entry.state.any(StripeState::PREREAD) {
            entry.state.set(StripeState::PREREAD);
            self.preread_active += 1;
        }
    }

    /// Ends the stripe's permission to read old data.
    pub(super) fn stop_preread(&mut self, stripe: u32) {
        if self.stripe_mut(stripe).state.take(StripeState::PREREAD) {
            self.preread_active -= 1;
        }
    }

    /// Makes the stripes that the thread has finished available; returns whether there were any
    /// (`release_inactive_stripe_list`).
    pub(super) fn retire(&mut self) -> bool {
        let mut any = false;
        while let Some(stripe) = self.first(List::LEAVING) {
            any = true;
            self.remove(stripe);
            let part = self.stripe(stripe).part;
            self.push_last(List::inactive(part), stripe);
        }
        any
    }

    /// Copies the block states of a batch's head to another stripe of it.
    pub(super) fn copy_states(&mut self, head: u32, stripe: u32) {
        for word in 0..self.words {
            let state = self.states[head as usize * self.words + word];
            self.states[stripe as usize * self.words + word].copy_states(state);
        }
    }

    /// Returns whether nothing is in flight: every stripe is on an inactive list, and none waits.
    pub(super) fn is_quiet(&self) -> bool {
        self.active == 0
            && self.preread_active == 0
            && self.released.is_empty()
            && self.stripes.iter().all(|stripe| {
                stripe.users == 0
                    && stripe.reconstruct == Reconstruct::Idle
                    && stripe.check == Check::Idle
                    && stripe.batch_head == NONE
            })
            && self.states.iter().all(|packed| !packed.any().any(BUSY))
            && self
                .blocks
                .iter()
                .all(|block| (block.to_read, block.to_write, block.written) == (NONE, NONE, NONE))
    }

    /// Returns the reserved capacity, for tests that a warm cache does not allocate.
    pub(super) fn capacity(&self) -> usize {
        self.stripes.capacity()
            + self.states.capacity()
            + self.blocks.capacity()
            + self.heads.capacity()
            + self.released.capacity()
    }
}
