//! The operations on a stripe: copy, compute, and send bios to the members (`raid_run_ops`,
//! `ops_run_io`).
//!
//! Without an offload engine the kernel copies and computes in the thread, so each function here is
//! complete when it returns.

use super::geometry::BLOCK_SECTORS;
use super::stripe::{BlockState, Check, NO_MEMBER, NONE, Reconstruct, StripeState};
use super::view::View;
use super::{MemberState, Output, Parity};
use crate::io::{Flags, Member, MemberBio, Operation};
use crate::units::Sectors;

/// The bytes of a block.
const BLOCK_BYTES: u64 = BLOCK_SECTORS * Sectors::BYTES;

impl Parity {
    /// `raid_run_ops`, in its order.
    pub(super) fn run_operations(&mut self, stripe: u32, view: &View, out: &mut Output) {
        let operations = view.operations;
        if operations.fill {
            self.fill(stripe, out);
        }
        if operations.compute {
            self.compute(stripe, operations.targets);
        }
        if operations.write {
            self.drain(stripe, operations.from_old);
        }
        if operations.check {
            self.compare(stripe);
        }
        self.cache.stripe_mut(stripe).state.set(StripeState::HANDLE);
    }

    /// Serves reads from the cache (`ops_run_biofill`).
    fn fill(&mut self, stripe: u32, out: &mut Output) {
        for member in (0..self.config.geometry.members()).rev() {
            let block = self.cache.block_mut(stripe, member);
            if block.state.take(BlockState::WANT_FILL) {
                let pieces = block.take_to_read();
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
                let state = &mut self.cache.block_mut(stripe, member).state;
                state.set(BlockState::UP_TO_DATE);
                state.clear(BlockState::WANT_COMPUTE);
            }
        }
        let entry = self.cache.stripe_mut(stripe);
        if entry.check == Check::Compared {
            entry.check = Check::Computed;
        }
    }

    /// Copies the new data into the cache and computes parity, for all stripes of a batch
    /// (`ops_run_prexor5`, `ops_run_biodrain`, `ops_run_reconstruct5` and their like for RAID 6).
    fn drain(&mut self, head: u32, from_old: bool) {
        let members = self.config.geometry.members();
        let mut flags = BlockState::default();
        let mut drained = 0;
        for member in (0..members).rev() {
            let state = &mut self.cache.block_mut(head, member).state;
            if !state.take(BlockState::WANT_DRAIN) {
                continue;
            }
            drained += 1;
            let mut stripe = head;
            loop {
                flags.set(self.drain_block(stripe, member));
                stripe = self.next_in_batch(head, stripe);
                if stripe == head {
                    break;
                }
            }
        }
        self.complete_reconstruct(head, flags, from_old);
        self.overlap_gone = true;
        self.count_parity(head, drained, from_old);
    }

    /// Adds the cost of the parity of a batch: `drained` blocks of each stripe are new.
    fn count_parity(&mut self, head: u32, drained: u64, from_old: bool) {
        let data = u64::from(self.config.geometry.data_members());
        let mut stripes = 0;
        let mut stripe = head;
        loop {
            stripes += 1;
            stripe = self.next_in_batch(head, stripe);
            if stripe == head {
                break;
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
    fn drain_block(&mut self, stripe: u32, member: u16) -> BlockState {
        self.cache.stripe_mut(stripe).overwritten = 0;
        let block = self.cache.block_mut(stripe, member);
        let pieces = block.take_to_write();
        block.state.clear(BlockState::OVERWRITE);
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
                let state = &mut self.cache.block_mut(stripe, member).state;
                state.set(BlockState::SKIP_COPY);
            } else {
                self.work.copied_bytes += sectors * Sectors::BYTES;
            }
            at = piece.next;
        }
        flags
    }

    /// Marks data and parity as ready; FUA and sync of any bio go to every write
    /// (`ops_complete_reconstruct`).
    fn complete_reconstruct(&mut self, head: u32, flags: BlockState, from_old: bool) {
        let entry = self.cache.stripe_mut(head);
        entry.reconstruct = if from_old {
            Reconstruct::FromOld
        } else {
            Reconstruct::Whole
        };
        let row = entry.row();
        for (member, block) in (0_u16..).zip(self.cache.blocks_mut(head)) {
            if block.state.any(BlockState::WRITTEN) || row.is_parity(member) {
                if !block.state.any(BlockState::SKIP_COPY) {
                    block.state.set(BlockState::UP_TO_DATE);
                }
                block.state.set(flags);
            }
        }
    }

    /// Sends the bios of a stripe, or batch, to the members: from the last member to the first, and
    /// for each the stripes of the batch in order, so that neighbours can merge (`ops_run_io`).
    pub(super) fn issue(&mut self, head: u32, out: &mut Output) {
        for member in (0..self.config.geometry.members()).rev() {
            let state = &mut self.cache.block_mut(head, member).state;
            let operation = if state.take(BlockState::WANT_WRITE) {
                Operation::Write
            } else if state.take(BlockState::WANT_READ) {
                state.set(BlockState::READING);
                Operation::Read
            } else {
                continue;
            };
            let flags = Flags {
                sync: state.take(BlockState::SYNC),
                preflush: false,
                fua: state.take(BlockState::FUA),
            };
            let mut stripe = head;
            loop {
                self.issue_one(head, stripe, member, operation, flags, out);
                stripe = self.next_in_batch(head, stripe);
                if stripe == head {
                    break;
                }
            }
        }
    }

    fn issue_one(
        &mut self,
        head: u32,
        stripe: u32,
        member: u16,
        operation: Operation,
        flags: Flags,
        out: &mut Output,
    ) {
        if self.members[usize::from(member)] == MemberState::Missing {
            let state = &mut self.cache.block_mut(stripe, member).state;
            state.clear(BlockState::LOCKED.and(BlockState::READING));
            self.cache.stripe_mut(stripe).state.set(StripeState::HANDLE);
            return;
        }
        let tag = stripe * u32::from(self.config.geometry.members()) + u32::from(member);
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
