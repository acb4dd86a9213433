//! RAID 4, 5 and 6: md's stripe cache as a state machine without a clock.
//!
//! A bio from above is cut into 4 KiB blocks that join the stripes of a cache ([`Parity::submit`]).
//! One thread (`raid5d`) takes the stripes in batches of eight and decides which blocks to read,
//! compute and write ([`Parity::run_thread`]). A write passes through the thread four times:
//!
//! ```text
//!   bio -> stripe -> plug -> handle list
//!     1. which is cheaper: old data + old parity (rmw) or the rest of the row (rcw)?  -> reads, or straight on
//!     2. reads done: new data copied in, parity computed
//!     3. data and parity written
//!     4. writes done: the bio is finished, the stripe stays cached
//! ```
//!
//! The engine owns time: it reports completed member bios ([`Parity::complete`]), runs the thread
//! while [`Parity::thread_has_work`], and charges its CPU time for the [`ThreadWork`] done. It also sends
//! flushes, the superblock and the bitmap's writes.
//!
//! Sources: raid5.c of Linux 3.10, 4.4, 4.9, 4.14 and 6.x; comments name the kernel functions.
//! Not modelled: journal and partial parity log, reshape, discard, bad blocks, read errors,
//! replacement members, `group_thread_cnt` above 0, and the cache's shrinking under memory
//! pressure.

mod cache;
mod check;
pub mod geometry;
mod handle;
mod operations;
mod owner;
mod packed_states;
mod request;
mod stripe;
mod view;

use std::collections::VecDeque;

use stripewise_profiles::kernel::{ParityPolicy, RmwLevel};

use crate::io::{Flags, Member, MemberBio, Operation};
use crate::narrow::low_u16;
use crate::units::Sectors;
use cache::Cache;
use geometry::{BLOCK_SECTORS, Geometry};
use request::{Bio, Wait};
use stripe::{List, NONE, Pieces, StripeState};

/// The stripes that the thread takes at once (`MAX_STRIPE_BATCH`).
const THREAD_BATCH: usize = 8;
/// How often full stripes may bypass those that read (`BYPASS_THRESHOLD`).
const BYPASS_THRESHOLD: u32 = 1;
/// How many stripes may read old data before others have to wait (`IO_THRESHOLD`).
const PREREAD_THRESHOLD: u32 = 1;
/// Marks the tags of reads that bypass the cache; the others are a stripe and a member, see
/// [`Parity::tag`].
const BYPASS_TAG: u32 = 1 << 31;
/// The stripes md starts with (`NR_STRIPES`, `stripe_cache_size`).
pub const CACHE_STRIPES: u32 = 256;
/// The most stripes sysfs allows; the kernel grows the cache while memory is available.
pub const CACHE_STRIPES_MAX: u32 = 32_768;

/// An array.
#[derive(Debug, Clone, Copy)]
pub struct ParityConfig {
    /// Where data and parity are.
    pub geometry: Geometry,
    /// The rules of the kernel version.
    pub policy: ParityPolicy,
    /// `stripe_cache_size`: [`CACHE_STRIPES`] by default.
    pub cache_stripes: u32,
    /// The size up to which an exhausted cache grows: by one stripe each time the thread goes to
    /// sleep.
    pub cache_stripes_max: u32,
    /// `rmw_level`.
    pub rmw_level: RmwLevel,
    /// `skip_copy`: full blocks are written from the bio's pages, and are not cached.
    pub skip_copy: bool,
    /// Whether there is a write-intent bitmap: writes wait for its flush.
    pub bitmap: bool,
    /// Whether parity is right everywhere. If not, writes reconstruct until
    /// [`Parity::set_resynced`].
    pub synced: bool,
}

/// A member cannot be removed: the array would lose data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("member {} cannot fail: the array survives {parities} failure(s)", member.0)]
pub struct TooManyFailedError {
    /// The member.
    pub member: Member,
    /// How many may fail.
    pub parities: u16,
}

/// The state of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberState {
    InSync,
    Missing,
    /// Written everywhere, and read below the point that the rebuild has reached.
    Rebuilding,
}

impl MemberState {
    /// Returns whether the member can be read at `sector`.
    const fn is_readable(self, sector: u64, rebuilt_to: u64) -> bool {
        match self {
            MemberState::InSync => true,
            MemberState::Missing => false,
            MemberState::Rebuilding => sector < rebuilt_to,
        }
    }
}

/// Whether a bio was accepted at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submission {
    /// The submitting task continues.
    Taken,
    /// The task sleeps, for a free stripe or because the bio overlaps another; [`Output::admitted`]
    /// names the bio when it is taken.
    Waits,
}

/// The results of a call. The engine owns the buffers; calls only append to them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// Bios for members, in the order md submits them.
    pub bios: Vec<MemberBio>,
    /// Bios from above that are done.
    pub finished: Vec<u32>,
    /// Bios from above whose submitting task may continue.
    pub admitted: Vec<u32>,
    /// Sectors of each member whose resync is done (`md_done_sync`).
    pub synced: Sectors,
}

/// The work of one pass of the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThreadWork {
    /// Stripes handled; each stripe of a batch counts.
    pub stripes: u32,
    /// Bytes copied between bios and the cache.
    pub copied_bytes: u64,
    /// Bytes read by exclusive-or.
    pub xored_bytes: u64,
    /// Bytes read by the computation of P and Q together (RAID 6).
    pub syndrome_bytes: u64,
    /// The thread goes to sleep: its plug is flushed. Until then its member bios may merge.
    pub sleeps: bool,
    /// The thread waits until the bitmap's dirty pages are on the members; then call
    /// [`Parity::bitmap_written`].
    pub writes_bitmap: bool,
    /// The thread lets another task run before it releases the stripes of this round; its plug is
    /// not flushed.
    pub yields: bool,
}

/// The end of a round of the thread that is still to be done.
#[derive(Debug, Clone, Copy)]
struct Round {
    stripes: [u32; THREAD_BATCH],
    count: usize,
    /// Whether stripes were released before it.
    released: bool,
    /// Whether stripes became available before it.
    retired: bool,
}

/// The state of an array.
#[derive(Debug)]
pub struct Parity {
    config: ParityConfig,
    /// Bits of a member in a tag.
    member_bits: u32,
    cache: Cache,
    pieces: Pieces,
    bios: Vec<Bio>,
    free_bios: Vec<u32>,
    waiting: VecDeque<u32>,
    plugged: Vec<u32>,
    members: Vec<MemberState>,
    failed: u16,
    rebuilt_to: u64,
    resynced_to: u64,
    /// Bitmap flushes begun (`seq_flush`).
    bitmap_begun: u64,
    bitmap_in_flight: bool,
    /// Full stripes in flight (`pending_full_writes`).
    full_writes: u32,
    bypass_count: u32,
    last_hold: u32,
    /// The thread has not gone to sleep since it last worked.
    running: bool,
    /// The round in which the thread let another task run.
    paused: Option<Round>,
    /// Whether the thread lets others run (`cond_resched`): see [`Parity::share_core`].
    yields: bool,
    /// An overlap has ended for which a bio may wait.
    overlap_gone: bool,
    work: ThreadWork,
}

impl Parity {
    /// Returns a running array with an empty cache.
    pub fn new(config: ParityConfig) -> Self {
        let members = usize::from(config.geometry.members());
        Self {
            config,
            member_bits: members.next_power_of_two().trailing_zeros(),
            cache: Cache::new(config.geometry, config.cache_stripes),
            pieces: Pieces::default(),
            bios: Vec::new(),
            free_bios: Vec::new(),
            waiting: VecDeque::new(),
            plugged: Vec::new(),
            members: vec![MemberState::InSync; members],
            failed: 0,
            rebuilt_to: 0,
            resynced_to: if config.synced { u64::MAX } else { 0 },
            bitmap_begun: 0,
            bitmap_in_flight: false,
            full_writes: 0,
            bypass_count: 0,
            last_hold: NONE,
            running: false,
            paused: None,
            yields: false,
            overlap_gone: false,
            work: ThreadWork::default(),
        }
    }

    /// Returns whether a member is missing or being rebuilt.
    pub const fn is_degraded(&self) -> bool {
        self.failed > 0
    }

    /// Returns whether reads go straight to the members where that is possible.
    pub const fn may_bypass(&self) -> bool {
        !self.is_degraded() || self.config.policy.degraded_reads_bypass
    }

    /// Returns whether every read goes straight to the members.
    pub const fn reads_bypass(&self) -> bool {
        self.config.policy.splits_reads && !self.is_degraded()
    }

    /// Returns the array's arithmetic.
    pub const fn geometry(&self) -> &Geometry {
        &self.config.geometry
    }

    /// Takes a bio from above (`raid5_make_request`). Reads of a healthy array go straight to the
    /// members.
    ///
    /// `bio` is the engine's number for it, unique among those in flight. The bio's stripes go to
    /// the plug of the submitting task; [`Parity::unplug`] hands them to the thread. A bio that
    /// waits flushes the plug by itself.
    ///
    /// # Panics
    /// If the bio is a flush or has no sectors: such bios never reach the stripes.
    #[inline(always)]
    pub fn submit(
        &mut self,
        bio: u32,
        operation: Operation,
        start: Sectors,
        length: Sectors,
        flags: Flags,
        out: &mut Output,
    ) -> Submission {
        assert!(
            operation != Operation::Flush && length.get() > 0,
            "a bio with data"
        );
        let slot = self.add_bio(Bio::new(bio, operation, start.get(), length.get(), flags));
        if operation == Operation::Read && self.may_bypass() && self.bypass(slot, out) {
            return Submission::Taken;
        }
        self.open_window(slot);
        if self.make_request(slot) {
            self.drop_bio_reference(slot, &mut out.finished);
            return Submission::Taken;
        }
        self.unplug();
        self.waiting.push_back(slot);
        Submission::Waits
    }

    /// Completes the member bio with `tag`; returns the bio from above that this finishes, if any.
    #[inline(always)]
    pub fn complete(&mut self, tag: u32) -> Option<u32> {
        self.end_member_bio(tag, true)
    }

    /// Completes the member bio with `tag`, a read, with an error: its block is not in the cache,
    /// and the stripe is handled again (`raid5_end_read_request`). For a read that bypassed the
    /// cache, call [`Parity::retry_read`] first.
    pub fn complete_failed(&mut self, tag: u32) -> Option<u32> {
        self.end_member_bio(tag, false)
    }

    #[inline(always)]
    fn end_member_bio(&mut self, tag: u32, is_good: bool) -> Option<u32> {
        if tag & BYPASS_TAG != 0 {
            return self.put_bio(tag & !BYPASS_TAG);
        }
        let (stripe, member) = self.of_tag(tag);
        self.cache.end_member_bio(stripe, member, is_good);
        let entry = self.cache.stripe_mut(stripe);
        entry.state.set(StripeState::HANDLE);
        let head = entry.batch_head;
        if head != NONE && head != stripe {
            self.cache.release(head);
        }
        self.cache.release(stripe);
        None
    }

    /// Returns the tag of a bio for a member's block of a stripe.
    const fn tag(&self, stripe: u32, member: u16) -> u32 {
        stripe << self.member_bits | member as u32
    }

    /// Returns the stripe and the member of a tag.
    #[inline]
    fn of_tag(&self, tag: u32) -> (u32, u16) {
        let member = tag & ((1 << self.member_bits) - 1);
        (tag >> self.member_bits, low_u16(member))
    }

    /// Returns whether `tag` belongs to a read that bypasses the cache.
    pub const fn is_bypass(tag: u32) -> bool {
        tag & BYPASS_TAG != 0
    }

    /// Repeats through the cache a read that bypassed it and failed (`retry_aligned_read`), for the
    /// bio `number`. Returns the number of new bios; each appears in [`Output::finished`] when it
    /// is done.
    pub fn retry_read(
        &mut self,
        number: u32,
        member: Member,
        start: Sectors,
        length: Sectors,
    ) -> u32 {
        let chunk = self.config.geometry.chunk_sectors();
        let (mut at, end) = (start.get(), start.get() + length.get());
        let mut bios = 0;
        while at < end {
            let part = (end - at).min(chunk - at % chunk);
            if let Some(sector) = self.config.geometry.array_sector(member, at) {
                let bio = Bio::new(number, Operation::Read, sector, part, Flags::default());
                let slot = self.add_bio(bio.retried());
                self.open_window(slot);
                bios += 1;
                if self.make_request(slot) {
                    let finished = self.put_bio(slot);
                    debug_assert!(finished.is_none(), "its blocks are not read yet");
                } else {
                    self.waiting.push_back(slot);
                }
            }
            at += part;
        }
        self.unplug();
        bios
    }

    /// Merges two parts of a read that bypasses the cache into one request: their common `tag` will
    /// be completed once for both.
    pub fn parts_joined(&mut self, tag: u32) {
        debug_assert!(tag & BYPASS_TAG != 0, "other tags belong to one bio only");
        self.put_bio(tag & !BYPASS_TAG);
    }

    /// Hands the stripes of the submitting task's plug to the thread (`raid5_unplug`).
    pub fn unplug(&mut self) {
        for index in 0..self.plugged.len() {
            let stripe = self.plugged[index];
            self.cache
                .stripe_mut(stripe)
                .state
                .clear(StripeState::PLUGGED);
            self.cache.release_now(stripe);
        }
        self.plugged.clear();
    }

    /// Returns whether the thread (`raid5d`) would run now.
    #[inline(always)]
    pub fn thread_has_work(&self) -> bool {
        !self.bitmap_in_flight
            && (self.running
                || !self.cache.released.is_empty()
                || (self.cache.used().have_work() && self.lists_have_work()))
    }

    /// Returns whether the thread would take a stripe from a list.
    fn lists_have_work(&self) -> bool {
        let used = self.cache.used();
        used.have(List::HANDLE)
            || used.have(List::BITMAP)
            || used.have(List::LEAVING)
            || (used.have(List::DELAYED) && self.cache.preread_active < PREREAD_THRESHOLD)
            || (used.have(List::HOLD) && self.may_take_held())
    }

    /// Does one round of the thread's loop: up to eight stripes (`raid5d`,
    /// `handle_active_stripes`).
    ///
    /// The thread runs again, without waiting, until [`ThreadWork::sleeps`]; its member bios stay in its
    /// plug until then.
    #[inline]
    pub fn run_thread(&mut self, out: &mut Output) -> &ThreadWork {
        // Every other round finds nothing to do.
        let finds_nothing = self.cache.released.is_empty()
            && !self.cache.used().have_work()
            && !self.bitmap_in_flight
            && !self.overlap_gone
            && !self.yields;
        match finds_nothing {
            true => self.fall_asleep(),
            false => self.run_round(out),
        }
        &self.work
    }

    /// Ends a round without stripes.
    #[inline]
    fn fall_asleep(&mut self) {
        self.running = false;
        self.work = ThreadWork {
            sleeps: true,
            ..ThreadWork::default()
        };
        if std::mem::take(&mut self.cache.wants_more) {
            self.grow_cache();
        }
    }

    #[inline(never)]
    fn run_round(&mut self, out: &mut Output) {
        self.work = ThreadWork::default();
        if let Some(round) = self.paused.take() {
            self.end_round(&round, out);
            return;
        }
        if self.bitmap_in_flight {
            return;
        }
        let released = self.drain_released();
        if !self.cache.is_empty(List::BITMAP) {
            self.bitmap_begun += 1;
            self.bitmap_in_flight = true;
            self.running = true;
            self.work.writes_bitmap = true;
            return;
        }
        let mut round = Round {
            stripes: [NONE; THREAD_BATCH],
            count: 0,
            released,
            retired: false,
        };
        if self.cache.used().have_work() {
            self.activate_delayed();
            while round.count < THREAD_BATCH {
                let Some(stripe) = self.take_priority() else {
                    break;
                };
                round.stripes[round.count] = stripe;
                round.count += 1;
            }
            round.retired = self.cache.retire();
            for &stripe in &round.stripes[..round.count] {
                self.handle(stripe, out);
            }
        }
        if self.yields && !out.finished.is_empty() {
            self.paused = Some(round);
            self.running = true;
            self.work.yields = true;
        } else {
            self.end_round(&round, out);
        }
    }

    /// Releases the stripes of a round, and lets bios that wait for stripes go on.
    #[inline(always)]
    fn end_round(&mut self, round: &Round, out: &mut Output) {
        for &stripe in &round.stripes[..round.count] {
            self.cache.release_now(stripe);
        }
        self.running = round.count > 0 || round.released;
        self.work.sleeps = !self.running;
        if self.work.sleeps && std::mem::take(&mut self.cache.wants_more) {
            self.grow_cache();
        }
        if (round.retired || self.overlap_gone) && !self.waiting.is_empty() {
            self.resume_waiting(out);
        }
        self.overlap_gone = false;
    }

    /// Makes the thread of older kernels let other tasks run whenever it has finished one of their
    /// bios, before it releases the stripes (`cond_resched` in `handle_active_stripes`): it shares
    /// its core with the tasks that it wakes. A stripe that such a task then uses again is queued
    /// only when the thread releases it, behind the others of the new bio.
    pub fn share_core(&mut self) {
        self.yields = self.config.policy.thread_yields;
    }

    /// Reports that the bitmap pages that were dirty when [`ThreadWork::writes_bitmap`] was returned are
    /// written.
    pub fn bitmap_written(&mut self) {
        self.bitmap_in_flight = false;
        self.cache.bitmap_written = self.bitmap_begun;
        // Requeues each stripe once; those that arrived after the flush began stay on the list.
        let Some(last) = self.cache.last(List::BITMAP) else {
            return;
        };
        while let Some(stripe) = self.cache.first(List::BITMAP) {
            self.cache.remove(stripe);
            self.cache.stripe_mut(stripe).users += 1;
            self.cache.release_now(stripe);
            if stripe == last {
                break;
            }
        }
    }

    /// Returns the ranges of the members that a write to the array touches, as start and length;
    /// its bitmap bits cover them. Chunk by chunk (`add_stripe_bio`: each stripe marks itself when
    /// a write joins it), or whole rows of chunks at once (`raid5_bitmap_sector`, 6.14).
    pub fn bitmap_ranges(
        &self,
        start: Sectors,
        length: Sectors,
    ) -> impl Iterator<Item = (Sectors, Sectors)> + use<> {
        let geometry = self.config.geometry;
        let marks_rows = self.config.policy.bitmap_marks_rows;
        let (chunk, data) = (geometry.chunk_sectors(), u64::from(geometry.data_members()));
        let (mut at, end) = (start.get(), start.get() + length.get());
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let (row, offset) = (at / (chunk * data), at % chunk);
            if marks_rows {
                at = end;
                let rows = end.div_ceil(chunk * data) - row;
                return Some((Sectors::new(row * chunk), Sectors::new(rows * chunk)));
            }
            let length = (chunk - offset).min(end - at);
            at += length;
            Some((Sectors::new(row * chunk + offset), Sectors::new(length)))
        })
    }

    /// Removes a member from the array; bios in flight to it still complete.
    ///
    /// # Errors
    /// [`TooManyFailedError`] if parity cannot replace it.
    pub fn fail_member(&mut self, member: Member) -> Result<(), TooManyFailedError> {
        let parities = self.config.geometry.parities();
        let state = &mut self.members[member.index()];
        if *state == MemberState::InSync {
            if self.failed == parities {
                return Err(TooManyFailedError { member, parities });
            }
            self.failed += 1;
        }
        *state = MemberState::Missing;
        Ok(())
    }

    /// Replaces a missing member with a new device: it is written from now on, and read below the
    /// point set with [`Parity::set_rebuilt`].
    pub fn replace_member(&mut self, member: Member) {
        if self.members[member.index()] == MemberState::Missing {
            self.members[member.index()] = MemberState::Rebuilding;
            self.rebuilt_to = 0;
        }
    }

    /// Sets how far the rebuild has come on the members (`recovery_offset`).
    pub fn set_rebuilt(&mut self, sector: Sectors) {
        self.rebuilt_to = sector.get();
    }

    /// Ends the rebuild: the replaced members are whole.
    pub fn finish_rebuild(&mut self) {
        for state in &mut self.members {
            if *state == MemberState::Rebuilding {
                *state = MemberState::InSync;
                self.failed -= 1;
            }
        }
    }

    /// Sets the member sector below which parity is right (`resync_offset`, before 6.17
    /// `recovery_cp`); `None`: right everywhere.
    pub fn set_resynced(&mut self, sector: Option<Sectors>) {
        self.resynced_to = sector.map_or(u64::MAX, Sectors::get);
    }

    /// Requests the resync or rebuild of the stripe at `sector` of the members
    /// (`raid5_sync_request`); with `mismatch`, the parity there is wrong and will be written.
    /// Returns whether a stripe was free; if not, try again later.
    pub fn sync_request(&mut self, sector: Sectors, mismatch: bool) -> bool {
        let cache::StripeLookup::Stripe(stripe) = self
            .cache
            .get_active(sector.get() / BLOCK_SECTORS * BLOCK_SECTORS)
        else {
            return false;
        };
        let state = &mut self.cache.stripe_mut(stripe).state;
        state.set(StripeState::SYNC_REQUESTED.and(StripeState::HANDLE));
        if mismatch {
            state.set(StripeState::MISMATCH);
        }
        self.cache.release(stripe);
        true
    }

    /// Returns whether nothing is in flight and no bio waits.
    pub fn is_quiet(&self) -> bool {
        self.waiting.is_empty() && self.plugged.is_empty() && self.cache.is_quiet()
    }

    /// Returns how many stripes the cache has now.
    pub fn cache_stripes(&self) -> u32 {
        self.cache.count()
    }

    /// Returns the reserved capacity in elements: it no longer grows once the load has warmed it
    /// up.
    pub fn capacity(&self) -> usize {
        self.cache.capacity()
            + self.pieces.capacity()
            + self.bios.capacity()
            + self.free_bios.capacity()
            + self.waiting.capacity()
            + self.plugged.capacity()
    }

    /// Puts stripes released outside of the thread on their lists; returns whether there were any
    /// (`release_stripe_list`).
    fn drain_released(&mut self) -> bool {
        if self.cache.released.is_empty() {
            return false;
        }
        for index in 0..self.cache.released.len() {
            let stripe = self.cache.released[index];
            self.cache
                .stripe_mut(stripe)
                .state
                .clear(StripeState::RELEASED);
            self.cache.release_now(stripe);
        }
        self.cache.released.clear();
        self.cache.grew = false;
        true
    }

    /// Lets all delayed stripes read old data when no other stripe does (`raid5_activate_delayed`).
    fn activate_delayed(&mut self) {
        if self.cache.preread_active >= PREREAD_THRESHOLD {
            return;
        }
        while let Some(stripe) = self.cache.first(List::DELAYED) {
            self.cache.remove(stripe);
            self.cache
                .stripe_mut(stripe)
                .state
                .clear(StripeState::DELAYED);
            self.cache.start_preread(stripe);
            self.cache.push_last(List::HOLD, stripe);
        }
    }

    fn may_take_held(&self) -> bool {
        self.bypass_count > BYPASS_THRESHOLD || self.full_writes == 0
    }

    /// Takes the next stripe: held ones only when full stripes no longer bypass them
    /// (`__get_priority_stripe`).
    fn take_priority(&mut self) -> Option<u32> {
        let held = self.cache.first(List::HOLD);
        let stripe = if let Some(stripe) = self.cache.first(List::HANDLE) {
            match held {
                None => self.bypass_count = 0,
                Some(_) if self.cache.stripe(stripe).state.any(StripeState::STARTED) => {}
                Some(held) if held == self.last_hold => self.bypass_count += 1,
                Some(held) => {
                    self.last_hold = held;
                    self.bypass_count = self.bypass_count.saturating_sub(BYPASS_THRESHOLD);
                }
            }
            stripe
        } else {
            let stripe = held.filter(|_| self.may_take_held())?;
            self.bypass_count = self.bypass_count.saturating_sub(BYPASS_THRESHOLD);
            stripe
        };
        self.cache.remove(stripe);
        self.cache.stripe_mut(stripe).users += 1;
        Some(stripe)
    }

    fn grow_cache(&mut self) {
        if self.cache.count() < self.config.cache_stripes_max {
            self.cache.grow();
        }
    }

    /// Retries the waiting bios in the order of their arrival.
    fn resume_waiting(&mut self, out: &mut Output) {
        for _ in 0..self.waiting.len() {
            let Some(slot) = self.waiting.pop_front() else {
                break;
            };
            let ready = match self.bios[slot as usize].wait {
                Wait::Stripe(part) if self.cache.may_retry(part) => {
                    self.cache.blocked = false;
                    true
                }
                Wait::Stripe(_) => false,
                Wait::Overlap => true,
            };
            if ready && self.make_request(slot) {
                let bio = &self.bios[slot as usize];
                out.admitted.extend((!bio.is_retry).then_some(bio.number));
                self.drop_bio_reference(slot, &mut out.finished);
            } else {
                self.waiting.push_back(slot);
            }
            self.unplug();
        }
    }
}

#[cfg(test)]
#[path = "parity_tests.rs"]
mod tests;
