//! The operations on a stripe: copy, compute, and send bios to the members (`raid_run_ops`,
//! `ops_run_io`).
//!
//! Without an offload engine the kernel copies and computes in the thread, so each function here is
//! complete when it returns.

use super::geometry::BLOCK_SECTORS;
use super::packed_states::{Lanes, member_at};
use super::stripe::{BlockState, Check, NO_MEMBER, NONE, Reconstruct, StripeState};
use super::view::View;
use super::{MemberState, Output, Parity};
use crate::io::{Flags, Member, MemberBio, Operation};
use crate::units::Sectors;

/// The bytes of a block.
const BLOCK_BYTES: u64 = BLOCK_SECTORS * Sectors::BYTES;

impl Parity {
    /// `raid_run_ops`, in its order.
    pub(super) fn run_operations<const ONE: bool>(
        &mut self,
        stripe: u32,
        view: &View,
        out: &mut Output,
    ) {
        let operations = view.operations;
        if operations.fill {
            self.fill(stripe, out);
        }
        if operations.compute {
            self.compute(stripe, operations.targets);
        }
        if operations.write {
            self.drain::<ONE>(stripe, operations.from_old);
        }
        if operations.check {
            self.compare(stripe);
        }
        self.cache.stripe_mut(stripe).state.set(StripeState::HANDLE);
    }

    /// Serves reads from the cache (`ops_run_biofill`).
    fn fill(&mut self, stripe: u32, out: &mut Output) {
        for member in (0..self.config.geometry.members()).rev() {
            if self.cache.state(stripe, member).any(BlockState::WANT_FILL) {
                self.cache.clear(stripe, member, BlockState::WANT_FILL);
                let pieces = self.cache.take_to_read(stripe, member);
                self.count_copies(pieces);
                self.finish_pieces(pieces, out);
            }
        }
        self.overlap_gone = true;
    }

    fn count_copies(&mut self, first: u32) {
        let mut at = first;
        while at != NONE {
            let piece = self.pieces.get(at);
            self.work.copied_bytes += u64::from(piece.end - piece.first) * Sectors::BYTES;
            at = piece.next;
        }
    }

    /// Computes blocks from the others (`ops_run_compute5`, `ops_run_compute6_1`,
    /// `ops_run_compute6_2`).
    fn compute(&mut self, stripe: u32, targets: [u16; 2]) {
        let geometry = self.config.geometry;
        let syndrome = self.cache.stripe(stripe).syndrome;
        let data = u64::from(geometry.data_members());
        if targets[1] != NO_MEMBER || targets[0] == syndrome {
            self.work.syndrome_bytes += data * BLOCK_BYTES;
        } else {
            self.work.xored_bytes += data * BLOCK_BYTES;
        }
        for member in targets {
            if member != NO_MEMBER {
                self.cache.set(stripe, member, BlockState::UP_TO_DATE);
                self.cache.clear(stripe, member, BlockState::WANT_COMPUTE);
            }
        }
        let entry = self.cache.stripe_mut(stripe);
        if entry.check == Check::Compared {
            entry.check = Check::Computed;
        }
    }

    /// Copies the new data into the cache and computes parity, for all stripes of a batch
    /// (`ops_run_prexor5`, `ops_run_biodrain`, `ops_run_reconstruct5` and their like for RAID 6).
    fn drain<const ONE: bool>(&mut self, head: u32, from_old: bool) {
        let mut flags = BlockState::default();
        let mut drained = 0;
        let leads = self.leads_batch(head);
        for word in (0..self.cache.words::<ONE>()).rev() {
            let packed = self.cache.word_mut::<ONE>(head, word);
            let mut lanes = packed.with(BlockState::WANT_DRAIN);
            packed.clear(lanes, BlockState::WANT_DRAIN);
            drained += u64::from(lanes.count());
            while let Some(lane) = lanes.take_last() {
                let member = member_at(word, lane);
                let mut stripe = head;
                loop {
                    flags.set(self.drain_block(stripe, member));
                    if !leads {
                        break;
                    }
                    stripe = self.next_in_batch(stripe);
                    if stripe == head {
                        break;
                    }
                }
            }
        }
        self.complete_reconstruct::<ONE>(head, flags, from_old);
        self.overlap_gone = true;
        self.count_parity(head, drained, from_old);
    }

    /// Adds the cost of the parity of a batch: `drained` blocks of each stripe are new.
    fn count_parity(&mut self, head: u32, drained: u64, from_old: bool) {
        let data = u64::from(self.config.geometry.data_members());
        let mut stripes = 1;
        if self.leads_batch(head) {
            let mut stripe = self.next_in_batch(head);
            while stripe != head {
                stripes += 1;
                stripe = self.next_in_batch(stripe);
            }
        }
        // From old parity, every changed block is read twice: its old data and its new data.
        let sources = if from_old { 2 * drained } else { data };
        let bytes = stripes * sources * BLOCK_BYTES;
        if self.config.geometry.parities() == 2 {
            self.work.syndrome_bytes += bytes;
        } else {
            self.work.xored_bytes += bytes;
        }
        self.work.stripes += u32::try_from(stripes - 1).unwrap_or(u32::MAX);
    }

    /// Copies the new data of one block; returns the flags that its bios set on the write.
    #[inline(always)]
    fn drain_block(&mut self, stripe: u32, member: u16) -> BlockState {
        self.cache.stripe_mut(stripe).overwritten = 0;
        let pieces = self.cache.take_to_write(stripe, member);
        let mut flags = BlockState::default();
        let mut at = pieces;
        while at != NONE {
            let piece = self.pieces.get(at);
            let bio = self.bios[piece.bio as usize].flags;
            if bio.fua {
                flags.set(BlockState::FUA);
            }
            if bio.sync {
                flags.set(BlockState::SYNC);
            }
            let sectors = u64::from(piece.end - piece.first);
            if self.config.skip_copy && sectors == BLOCK_SECTORS {
                self.cache.set(stripe, member, BlockState::SKIP_COPY);
            } else {
                self.work.copied_bytes += sectors * Sectors::BYTES;
            }
            at = piece.next;
        }
        flags
    }

    /// Marks data and parity as ready; FUA and sync of any bio go to every write
    /// (`ops_complete_reconstruct`).
    fn complete_reconstruct<const ONE: bool>(
        &mut self,
        head: u32,
        flags: BlockState,
        from_old: bool,
    ) {
        let (entry, states) = self.cache.with_states::<ONE>(head);
        entry.reconstruct = if from_old {
            Reconstruct::FromOld
        } else {
            Reconstruct::Whole
        };
        for (word, packed) in states.iter_mut().enumerate() {
            let lanes = packed.with(BlockState::WRITTEN) | Lanes::parity(entry, word);
            let copied = lanes.without(packed.with(BlockState::SKIP_COPY));
            packed.set(copied, BlockState::UP_TO_DATE);
            packed.set(lanes, flags);
        }
    }

    /// Sends the bios of a stripe, or batch, to the members: from the last member to the first, and
    /// for each the stripes of the batch in order, so that neighbours can merge (`ops_run_io`).
    pub(super) fn issue<const ONE: bool>(&mut self, head: u32, out: &mut Output) {
        let leads = self.leads_batch(head);
        for word in (0..self.cache.words::<ONE>()).rev() {
            let packed = self.cache.word_mut::<ONE>(head, word);
            let writes = packed.with(BlockState::WANT_WRITE);
            let reads = packed.with(BlockState::WANT_READ).without(writes);
            let (sync, fua) = (packed.with(BlockState::SYNC), packed.with(BlockState::FUA));
            let mut lanes = writes | reads;
            packed.clear(writes, BlockState::WANT_WRITE);
            packed.clear(reads, BlockState::WANT_READ);
            packed.clear(lanes, BlockState::SYNC.and(BlockState::FUA));
            packed.set(reads, BlockState::READING);
            while let Some(lane) = lanes.take_last() {
                let operation = match writes.have(lane) {
                    true => Operation::Write,
                    false => Operation::Read,
                };
                let flags = Flags {
                    sync: sync.have(lane),
                    preflush: false,
                    fua: fua.have(lane),
                };
                let mut stripe = head;
                loop {
                    self.issue_one(head, stripe, member_at(word, lane), operation, flags, out);
                    if !leads {
                        break;
                    }
                    stripe = self.next_in_batch(stripe);
                    if stripe == head {
                        break;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn issue_one(
        &mut self,
        head: u32,
        stripe: u32,
        member: u16,
        operation: Operation,
        flags: Flags,
        out: &mut Output,
    ) {
        if self.failed > 0 && self.members[usize::from(member)] == MemberState::Missing {
            let gone = BlockState::LOCKED.and(BlockState::READING);
            self.cache.clear(stripe, member, gone);
            self.cache.stripe_mut(stripe).state.set(StripeState::HANDLE);
            return;
        }
        let tag = self.tag(stripe, member);
        let entry = self.cache.stripe_mut(stripe);
        entry.state.set(StripeState::STARTED);
        entry.users += 1;
        out.bios.push(MemberBio {
            member: Member(member),
            operation,
            start: Sectors::new(entry.sector),
            length: Sectors::new(BLOCK_SECTORS),
            flags,
            tag,
        });
        if stripe != head {
            self.cache.stripe_mut(head).users += 1;
        }
    }

    /// Adds the cost of comparing parity with data.
    fn compare(&mut self, stripe: u32) {
        let bytes = u64::from(self.config.geometry.data_members()) * BLOCK_BYTES;
        if self.config.geometry.parities() == 2 {
            self.work.syndrome_bytes += bytes;
        } else {
            self.work.xored_bytes += bytes;
        }
        self.cache.stripe_mut(stripe).check = Check::Compared;
    }
}
