//! Maps a member bio to the bio from above that it belongs to.

use super::packed_states::member_at;
use super::stripe::{BlockState, NONE};
use super::{BYPASS_TAG, Parity};

impl Parity {
    /// Returns whether two member bios are for the same stripe of the cache.
    #[inline]
    pub fn is_same_stripe(&self, tag: u32, other: u32) -> bool {
        tag & BYPASS_TAG == 0 && self.of_tag(tag).0 == self.of_tag(other).0
    }

    /// Returns a bio from above that waits for the member bio with `tag`: the first with a piece in
    /// its stripe. Nothing for a resync.
    #[inline(always)]
    pub fn bio_of(&self, tag: u32) -> Option<u32> {
        if tag & BYPASS_TAG != 0 {
            return Some(self.bios[(tag & !BYPASS_TAG) as usize].number);
        }
        let (stripe, _) = self.of_tag(tag);
        let member = (0..)
            .zip(self.cache.states::<false>(stripe))
            .find_map(|(word, packed)| {
                let lanes = packed.with(BlockState::TO_READ)
                    | packed.with(BlockState::TO_WRITE)
                    | packed.with(BlockState::WRITTEN);
                lanes.first().map(|lane| member_at(word, lane))
            });
        let block = self.cache.block(stripe, member?);
        let pieces = [block.to_write, block.written, block.to_read];
        let piece = pieces.into_iter().find(|&piece| piece != NONE)?;
        let bio = self.pieces.get(piece).bio;
        Some(self.bios[bio as usize].number)
    }
}
