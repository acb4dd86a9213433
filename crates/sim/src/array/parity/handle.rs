//! Handles a stripe (`handle_stripe`): inspects its blocks, then decides what to do.

use stripewise_profiles::kernel::RmwLevel;

use super::packed_states::{Lanes, PackedStates, member_at};
use super::stripe::{BlockState, Check, NO_MEMBER, NONE, Reconstruct, StripeState};
use super::view::View;
use super::{Output, Parity};

/// The number of blocks to read for each way of writing (`rmw` and `rcw` in
/// `handle_stripe_dirtying`).
#[derive(Debug, Clone, Copy)]
struct Costs {
    rmw: u32,
    rcw: u32,
}

/// The states of a block that is to be read from its member.
const READ: BlockState = BlockState::LOCKED.and(BlockState::WANT_READ);

/// Returns the blocks whose data is cached or is being computed.
const fn ready(packed: PackedStates) -> Lanes {
    packed
        .with(BlockState::UP_TO_DATE)
        .or(packed.with(BlockState::WANT_COMPUTE))
}

/// Returns the blocks that need not be read.
const fn settled(packed: PackedStates) -> Lanes {
    packed.with(BlockState::LOCKED).or(ready(packed))
}

impl Parity {
    /// Does the work that is possible on a stripe now (`handle_stripe`).
    #[inline(always)]
    pub(super) fn handle(&mut self, stripe: u32, out: &mut Output) {
        match self.cache.has_one_word() {
            true => self.handle_words::<true>(stripe, out),
            false => self.handle_many_words(stripe, out),
        }
    }

    #[inline(never)]
    fn handle_many_words(&mut self, stripe: u32, out: &mut Output) {
        self.handle_words::<false>(stripe, out);
    }

    /// The same for stripes whose states are `ONE` word, as those of four members are, or more.
    #[inline(always)]
    fn handle_words<const ONE: bool>(&mut self, stripe: u32, out: &mut Output) {
        if self.close_batch(stripe) {
            return;
        }
        self.work.stripes += 1;
        self.begin_sync(stripe);
        let mut view = View {
            failed_members: [NO_MEMBER; 2],
            ..View::default()
        };
        self.analyse::<ONE>(stripe, &mut view);
        let ends_preread = self.begin_writes::<ONE>(stripe, &mut view);
        if view.written && self.parity_settled(stripe, &view) {
            self.return_writes::<ONE>(stripe, out);
        }
        if view.to_read
            || view.partial
            || (view.to_write && view.failed > 0)
            || (view.syncing && !view.whole)
        {
            self.fetch(stripe, &mut view);
        }
        let entry = self.cache.stripe(stripe);
        if view.to_write && entry.reconstruct == Reconstruct::Idle && entry.check == Check::Idle {
            self.dirty::<ONE>(stripe, &mut view);
        }
        if view.syncing {
            self.sync(stripe, &mut view, out);
        }
        if view.operations.any() {
            self.run_operations::<ONE>(stripe, &view, out);
        }
        if view.sends {
            self.issue::<ONE>(stripe, out);
        }
        if ends_preread {
            self.cache.preread_active -= 1;
        }
    }

    /// Begins to handle a stripe, and closes a batch when its head is handled; returns true for its other stripes, which follow
    /// the head (`clear_batch_ready`).
    fn close_batch(&mut self, stripe: u32) -> bool {
        let entry = self.cache.stripe_mut(stripe);
        entry.state.clear(StripeState::HANDLE);
        let open = entry.state.take(StripeState::BATCH_READY);
        let head = entry.batch_head;
        if head == NONE {
            return false;
        }
        if head != stripe {
            return true;
        }
        if open {
            let mut at = entry.batch_next;
            while at != stripe {
                let member = self.cache.stripe_mut(at);
                member.state.clear(StripeState::BATCH_READY);
                at = member.batch_next;
            }
        }
        false
    }

    /// Begins a resync that was requested; a stripe that is handled waits no more for other writes.
    fn begin_sync(&mut self, stripe: u32) {
        let entry = self.cache.stripe_mut(stripe);
        if entry.batch_head == NONE && entry.state.take(StripeState::SYNC_REQUESTED) {
            entry.state.set(StripeState::SYNCING);
            entry.state.clear(StripeState::IN_SYNC);
        }
        entry.state.clear(StripeState::DELAYED);
    }

    /// Finds what the blocks of a stripe need (`analyse_stripe`).
    fn analyse<const ONE: bool>(&mut self, stripe: u32, view: &mut View) {
        view.syncing = self.cache.stripe(stripe).state.any(StripeState::SYNCING);
        if self.failed > 0 {
            self.find_failed(stripe, view);
        }
        let (mut all, mut whole) = (PackedStates::EMPTY, true);
        let (_, states) = self.cache.with_states::<ONE>(stripe);
        for packed in states {
            if self.failed == 0 {
                packed.set(Lanes::ALL, BlockState::IN_SYNC);
            }
            all = all | *packed;
            whole &= packed.with(BlockState::UP_TO_DATE).is_all();
            let written = packed.with(BlockState::TO_WRITE);
            view.partial |= written.without(packed.with(BlockState::OVERWRITE)).any();
        }
        let any = all.any();
        view.whole = whole;
        view.locked = any.any(BlockState::LOCKED);
        view.written = any.any(BlockState::WRITTEN);
        view.to_write = any.any(BlockState::TO_WRITE);
        if any.any(BlockState::TO_READ) {
            self.find_readable::<ONE>(stripe, view);
        }
    }

    /// Finds the members that cannot be read at a stripe.
    fn find_failed(&mut self, stripe: u32, view: &mut View) {
        let (sector, rebuilt_to) = (self.cache.stripe(stripe).sector, self.rebuilt_to);
        for member in (0..self.config.geometry.members()).rev() {
            let state = self.members[usize::from(member)];
            if state.is_readable(sector, rebuilt_to) {
                self.cache.set(stripe, member, BlockState::IN_SYNC);
                continue;
            }
            self.cache.clear(stripe, member, BlockState::IN_SYNC);
            if view.failed < 2 {
                view.failed_members[usize::from(view.failed)] = member;
            }
            view.failed += 1;
        }
    }

    /// Finds the blocks that reads can be served from, and whether they need others.
    fn find_readable<const ONE: bool>(&mut self, stripe: u32, view: &mut View) {
        let (_, states) = self.cache.with_states::<ONE>(stripe);
        for packed in states {
            let read = packed.with(BlockState::TO_READ);
            let cached = read & packed.with(BlockState::UP_TO_DATE);
            packed.set(cached, BlockState::WANT_FILL);
            view.operations.fill |= cached.any();
            view.to_read |= read.without(cached).any();
        }
    }

    /// Sends new data and parity to the members once both are ready; returns whether the stripe
    /// ends its preread state.
    fn begin_writes<const ONE: bool>(&mut self, stripe: u32, view: &mut View) -> bool {
        let (entry, states) = self.cache.with_states::<ONE>(stripe);
        let from_old = match std::mem::replace(&mut entry.reconstruct, Reconstruct::Idle) {
            Reconstruct::Idle => return false,
            Reconstruct::Whole => false,
            Reconstruct::FromOld => true,
        };
        let mut proven = false;
        view.sends = true;
        for (word, packed) in states.iter_mut().enumerate() {
            let parity = Lanes::parity(entry, word);
            let locked = packed.with(BlockState::LOCKED);
            let written = locked & (parity | packed.with(BlockState::WRITTEN));
            packed.set(written, BlockState::WANT_WRITE);
            let unreadable = written.without(packed.with(BlockState::IN_SYNC));
            proven |= unreadable.any() || (view.failed == 0 && (written & parity).any());
        }
        let state = &mut entry.state;
        if proven && !from_old && view.failed <= 1 {
            // Parity made from whole data is right: a resync of this stripe has nothing left to do.
            state.set(StripeState::IN_SYNC);
        }
        state.take(StripeState::PREREAD)
    }

    /// Returns whether the parity of the last write is on its members.
    #[inline(always)]
    fn parity_settled(&self, stripe: u32, view: &View) -> bool {
        let entry = self.cache.stripe(stripe);
        [entry.parity, entry.syndrome]
            .into_iter()
            .filter(|&member| member != NO_MEMBER && !view.has_failed(member))
            .all(|member| {
                let state = self.cache.state(stripe, member);
                !state.any(BlockState::LOCKED) && state.any(BlockState::UP_TO_DATE)
            })
    }

    /// Finishes the writes of blocks that are on their member or whose member is missing
    /// (`handle_stripe_clean_event`).
    fn return_writes<const ONE: bool>(&mut self, stripe: u32, out: &mut Output) {
        let mut any = false;
        let leads = self.leads_batch(stripe);
        for word in (0..self.cache.words::<ONE>()).rev() {
            let packed = self.cache.word_mut::<ONE>(stripe, word);
            let settled = packed.with(BlockState::UP_TO_DATE) | packed.with(BlockState::SKIP_COPY);
            let written = packed.with(BlockState::WRITTEN) & settled;
            let mut done = written.without(packed.with(BlockState::LOCKED));
            packed.clear(done, BlockState::SKIP_COPY);
            any |= done.any();
            while let Some(lane) = done.take_last() {
                let member = member_at(word, lane);
                let mut at = stripe;
                loop {
                    let written = self.cache.take_written(at, member);
                    self.finish_pieces(written, out);
                    if !leads {
                        break;
                    }
                    at = self.next_in_batch(at);
                    if at == stripe {
                        break;
                    }
                }
            }
        }
        if self
            .cache
            .stripe_mut(stripe)
            .state
            .take(StripeState::FULL_WRITE)
        {
            self.full_writes -= 1;
        }
        if any && leads {
            self.break_batch(stripe);
        }
    }

    /// Returns whether a stripe is the first of a batch.
    #[inline]
    pub(super) fn leads_batch(&self, stripe: u32) -> bool {
        self.cache.stripe(stripe).batch_head != NONE
    }

    /// Returns the stripe after `at` in its batch; the first one after the last.
    #[inline]
    pub(super) fn next_in_batch(&self, at: u32) -> u32 {
        self.cache.stripe(at).batch_next
    }

    /// Splits a batch into single stripes in the state of their head (`break_stripe_batch_list`).
    fn break_batch(&mut self, head: u32) {
        let kept = StripeState::SYNC_REQUESTED
            .and(StripeState::PREREAD)
            .and(StripeState::PLUGGED);
        let in_sync = self.cache.stripe(head).state.only(StripeState::IN_SYNC);
        let reconstruct = self.cache.stripe(head).reconstruct;
        let mut at = self.cache.stripe(head).batch_next;
        while at != head {
            let entry = self.cache.stripe_mut(at);
            let next = entry.batch_next;
            entry.batch_head = NONE;
            entry.batch_next = NONE;
            entry.reconstruct = reconstruct;
            entry.state = entry.state.only(kept).and(in_sync);
            if entry.state.any(StripeState::SYNC_REQUESTED) {
                entry.state.set(StripeState::HANDLE);
            }
            self.cache.copy_states(head, at);
            self.cache.release(at);
            at = next;
        }
        let entry = self.cache.stripe_mut(head);
        entry.batch_head = NONE;
        entry.batch_next = NONE;
        if entry.state.any(StripeState::SYNC_REQUESTED) {
            entry.state.set(StripeState::HANDLE);
        }
        self.overlap_gone = true;
    }

    /// Finishes a chain of pieces.
    pub(super) fn finish_pieces(&mut self, first: u32, out: &mut Output) {
        let mut at = first;
        while at != NONE {
            let piece = self.pieces.remove(at);
            self.drop_bio_reference(piece.bio, &mut out.finished);
            at = piece.next;
        }
    }

    /// Reads or computes the blocks that requests need (`handle_stripe_fill`, `fetch_block`).
    fn fetch(&mut self, stripe: u32, view: &mut View) {
        self.cache.stripe_mut(stripe).state.set(StripeState::HANDLE);
        let entry = self.cache.stripe(stripe);
        if entry.check != Check::Idle || entry.reconstruct != Reconstruct::Idle {
            return;
        }
        let (parity, syndrome) = (entry.parity, entry.syndrome);
        let members = self.config.geometry.members();
        let is_missing = |member: &u16| {
            !self
                .cache
                .state(stripe, *member)
                .any(BlockState::UP_TO_DATE)
        };
        let missing = (0..members).filter(is_missing).count();
        for member in (0..members).rev() {
            if !self.needs(stripe, view, member) {
                continue;
            }
            let computable = (syndrome != NO_MEMBER && member == parity) || view.has_failed(member);
            if missing == 1 && computable {
                self.want_compute(stripe, view, member, NO_MEMBER);
                return;
            }
            if missing == 2 && view.failed >= 2 {
                let is_other = |other: &u16| {
                    let state = self.cache.state(stripe, *other);
                    *other != member && !state.any(BlockState::UP_TO_DATE)
                };
                let other = (0..members).rev().find(is_other);
                self.want_compute(stripe, view, member, other.unwrap_or(NO_MEMBER));
                return;
            }
            if self.cache.state(stripe, member).any(BlockState::IN_SYNC) {
                self.cache.set(stripe, member, READ);
                view.locked = true;
                view.sends = true;
            }
        }
    }

    pub(super) fn want_compute(&mut self, stripe: u32, view: &mut View, one: u16, other: u16) {
        view.operations.compute = true;
        view.operations.targets = [one, other];
        for member in [one, other] {
            if member != NO_MEMBER {
                self.cache.set(stripe, member, BlockState::WANT_COMPUTE);
            }
        }
    }

    /// Returns whether a block must be brought into the cache (`need_this_block`).
    fn needs(&self, stripe: u32, view: &View, member: u16) -> bool {
        let state = self.cache.state(stripe, member);
        if state.any(BlockState::LOCKED.and(BlockState::UP_TO_DATE)) {
            return false;
        }
        let to_write = state.any(BlockState::TO_WRITE);
        let partial = to_write && !state.any(BlockState::OVERWRITE);
        let is_read = |state: BlockState| state.any(BlockState::TO_READ);
        let reads_failed = view
            .failures()
            .any(|failed| is_read(self.cache.state(stripe, failed)));
        if is_read(state) || partial || view.syncing || reads_failed {
            return true;
        }
        if view.failed == 0 || !view.to_write {
            return false;
        }
        let preread = self.cache.stripe(stripe).state.any(StripeState::PREREAD);
        if state.any(BlockState::IN_SYNC) && !preread {
            return false;
        }
        self.write_needs_all(stripe, view)
    }

    /// Returns whether a write to a stripe with missing members needs every remaining block.
    fn write_needs_all(&self, stripe: u32, view: &View) -> bool {
        let entry = self.cache.stripe(stripe);
        let missing = |member: u16, bits| {
            let state = self.cache.state(stripe, member);
            !state.any(BlockState::UP_TO_DATE.and(bits))
        };
        let is_written = |member: u16| self.cache.state(stripe, member).any(BlockState::TO_WRITE);
        let partly_written =
            |member: u16| is_written(member) && missing(member, BlockState::OVERWRITE);
        if view.failures().any(partly_written) {
            return true;
        }
        let reconstructs = view.failed >= 2
            && view.failures().any(|member| {
                let touched = is_written(member) || entry.is_parity(member);
                touched && missing(member, BlockState::default())
            });
        let forced = reconstructs
            || self.config.rmw_level == RmwLevel::Disable
            || entry.sector >= self.resynced_to;
        forced
            && view
                .failures()
                .any(|member| !entry.is_parity(member) && missing(member, BlockState::OVERWRITE))
    }

    /// Returns how many blocks each way of writing would read.
    fn costs<const ONE: bool>(&self, stripe: u32, view: &View) -> Costs {
        let entry = self.cache.stripe(stripe);
        let unsynced = entry.sector >= self.resynced_to && view.failed == 0;
        if self.config.rmw_level == RmwLevel::Disable || unsynced {
            return Costs { rmw: 2, rcw: 1 };
        }
        let unreadable = 2 * u32::from(self.config.geometry.members());
        let mut costs = Costs { rmw: 0, rcw: 0 };
        for (word, packed) in self.cache.states::<ONE>(stripe).iter().enumerate() {
            let open = Lanes::ALL.without(settled(*packed));
            let parity = Lanes::parity(entry, word);
            let readable = packed.with(BlockState::IN_SYNC);
            let cost = |lanes: Lanes| {
                (lanes & readable).count() + unreadable * lanes.without(readable).count()
            };
            costs.rmw += cost(open & (parity | packed.with(BlockState::TO_WRITE)));
            costs.rcw += cost(open.without(parity | packed.with(BlockState::OVERWRITE)));
        }
        costs
    }

    /// Chooses how to write, reads the blocks for it, and starts when none is missing
    /// (`handle_stripe_dirtying`).
    fn dirty<const ONE: bool>(&mut self, stripe: u32, view: &mut View) {
        let Costs { rmw, mut rcw } = self.costs::<ONE>(stripe, view);
        self.cache.stripe_mut(stripe).state.set(StripeState::HANDLE);
        let ties_to_rmw = self.config.rmw_level == self.config.policy.tie_takes_rmw;
        let takes_rmw = rmw < rcw || (rmw == rcw && ties_to_rmw);
        if takes_rmw && rmw > 0 {
            self.preread::<ONE>(stripe, view, true);
        }
        if !takes_rmw && rcw > 0 {
            rcw = self.preread::<ONE>(stripe, view, false);
        }
        let members = u32::from(self.config.geometry.members());
        let state = &mut self.cache.stripe_mut(stripe).state;
        if rcw > members && rmw > members && !state.any(StripeState::PREREAD) {
            state.set(StripeState::DELAYED);
        }
        if !view.locked && (rcw == 0 || rmw == 0) && !state.any(StripeState::BITMAP) {
            self.schedule::<ONE>(stripe, view, rcw == 0);
        }
    }

    /// Reads the blocks missing for one way of writing, or delays the stripe; returns how many are
    /// missing.
    #[inline(always)]
    fn preread<const ONE: bool>(&mut self, stripe: u32, view: &mut View, rmw: bool) -> u32 {
        let (entry, states) = self.cache.with_states::<ONE>(stripe);
        let allowed = entry.state.any(StripeState::PREREAD);
        let (mut missing, mut is_delayed) = (0, false);
        for (word, packed) in states.iter_mut().enumerate() {
            let parity = Lanes::parity(entry, word);
            let wanted = match rmw {
                true => parity | packed.with(BlockState::TO_WRITE),
                false => Lanes::ALL.without(parity | packed.with(BlockState::OVERWRITE)),
            };
            let wanted = wanted.without(settled(*packed));
            let readable = wanted & packed.with(BlockState::IN_SYNC);
            missing += wanted.count();
            if allowed {
                packed.set(readable, READ);
                view.locked |= readable.any();
                view.sends |= readable.any();
            }
            is_delayed |= (!allowed && readable.any()) || (!rmw && wanted.without(readable).any());
        }
        if is_delayed {
            entry.state.set(StripeState::DELAYED);
        }
        missing
    }

    /// Locks the blocks of a write and schedules the copy and the computation
    /// (`schedule_reconstruction`).
    fn schedule<const ONE: bool>(&mut self, stripe: u32, view: &mut View, whole: bool) {
        let data_members = u32::from(self.config.geometry.data_members());
        let (entry, states) = self.cache.with_states::<ONE>(stripe);
        let mut locked = 0;
        for packed in &mut *states {
            let mut drained = packed.with(BlockState::TO_WRITE);
            if !whole {
                drained = drained & ready(*packed);
            }
            packed.set(drained, BlockState::LOCKED.and(BlockState::WANT_DRAIN));
            packed.clear(drained, BlockState::UP_TO_DATE);
            locked += drained.count();
        }
        if locked == 0 {
            return;
        }
        view.locked = true;
        view.operations.write = true;
        for (word, packed) in states.iter_mut().enumerate() {
            let parity = Lanes::parity(entry, word);
            packed.set(parity, BlockState::LOCKED);
            packed.clear(parity, BlockState::UP_TO_DATE);
        }
        view.operations.from_old = !whole;
        if whole && locked == data_members && !entry.state.any(StripeState::FULL_WRITE) {
            entry.state.set(StripeState::FULL_WRITE);
            self.full_writes += 1;
        }
    }
}
