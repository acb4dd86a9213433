//! Maps a member bio to the bio from above that it belongs to.

use super::stripe::{Block, NONE, PIECES};
use super::{BYPASS_TAG, Parity};

impl Parity {
    /// Returns a bio from above that waits for the member bio with `tag`: the first with a piece in
    /// its stripe. Nothing for a resync.
    pub fn bio_of(&self, tag: u32) -> Option<u32> {
        if tag & BYPASS_TAG != 0 {
            return Some(self.bios[(tag & !BYPASS_TAG) as usize].number);
        }
        let stripe = tag / u32::from(self.config.geometry.members());
        let pieces = |block: &Block| {
            let pieces = [block.to_write, block.written, block.to_read];
            pieces.into_iter().find(|&piece| piece != NONE)
        };
        let blocks = self.cache.blocks(stripe).iter();
        let piece = blocks
            .filter(|block| block.state.any(PIECES))
            .find_map(pieces)?;
        let bio = self.pieces.get(piece).bio;
        Some(self.bios[bio as usize].number)
    }
}
