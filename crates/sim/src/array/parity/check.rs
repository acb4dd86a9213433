//! Resync and rebuild of a stripe: read all of it, compare or compute, write the wrong or missing
//! blocks (`handle_parity_checks5`, `handle_parity_checks6`).
//!
//! The model has no data to compare: the caller that requests the resync states whether the parity
//! is wrong.

use super::geometry::BLOCK_SECTORS;
use super::stripe::{BlockState, Check, NO_MEMBER, StripeState};
use super::view::View;
use super::{Output, Parity};
use crate::units::Sectors;

impl Parity {
    /// Takes a stripe's resync one step further.
    pub(super) fn sync(&mut self, stripe: u32, view: &mut View, out: &mut Output) {
        let entry = self.cache.stripe(stripe);
        let quiet = !view.locked && !view.operations.compute;
        if entry.check != Check::Idle || (quiet && !entry.state.any(StripeState::IN_SYNC)) {
            self.check(stripe, view);
        }
        let quiet = !view.locked && !view.operations.compute;
        let state = &mut self.cache.stripe_mut(stripe).state;
        if quiet && state.any(StripeState::IN_SYNC) {
            state.clear(StripeState::SYNCING.and(StripeState::MISMATCH));
            out.synced += Sectors::new(BLOCK_SECTORS);
        }
    }

    fn check(&mut self, stripe: u32, view: &mut View) {
        let entry = self.cache.stripe_mut(stripe);
        entry.state.set(StripeState::HANDLE);
        let parities = self.config.geometry.parities();
        match std::mem::replace(&mut entry.check, Check::Idle) {
            Check::Idle if view.failed < parities => self.begin_check(stripe, view),
            Check::Idle | Check::Computed => self.write_repaired(stripe, view),
            Check::Compared => self.end_check(stripe, view),
        }
    }

    /// Begins to compare parity that was not used to compute a missing block. Comparing P alone
    /// invalidates the cached P.
    fn begin_check(&mut self, stripe: u32, view: &mut View) {
        let entry = *self.cache.stripe(stripe);
        view.operations.check = true;
        let q_readable = entry.syndrome != NO_MEMBER && !view.has_failed(entry.syndrome);
        if !q_readable {
            self.cache
                .clear(stripe, entry.parity, BlockState::UP_TO_DATE);
        }
    }

    /// Ends the comparison: nothing to do, recompute parity, or write a rebuilt member.
    fn end_check(&mut self, stripe: u32, view: &mut View) {
        let entry = self.cache.stripe_mut(stripe);
        if view.failed > 0 {
            entry.check = Check::Computed;
        } else if entry.state.any(StripeState::MISMATCH) {
            entry.check = Check::Compared;
            let (parity, syndrome) = (entry.parity, entry.syndrome);
            self.want_compute(stripe, view, parity, syndrome);
        } else {
            entry.state.set(StripeState::IN_SYNC);
        }
    }

    /// Writes the blocks of members that are being rebuilt, or recomputed parity.
    fn write_repaired(&mut self, stripe: u32, view: &mut View) {
        let entry = self.cache.stripe_mut(stripe);
        if entry.state.any(StripeState::IN_SYNC) {
            return;
        }
        entry.state.set(StripeState::IN_SYNC);
        let entry = *entry;
        let wrong = entry.state.any(StripeState::MISMATCH) && view.failed == 0;
        for member in 0..self.config.geometry.members() {
            if view.has_failed(member) || (wrong && entry.is_parity(member)) {
                let state = self.cache.state(stripe, member);
                debug_assert!(
                    state.any(BlockState::UP_TO_DATE),
                    "only known data is written"
                );
                let written = BlockState::LOCKED.and(BlockState::WANT_WRITE);
                self.cache.set(stripe, member, written);
                view.locked = true;
                view.sends = true;
            }
        }
    }
}
