//! What the parts of a stack remember, as far as it decides how fast they are.

use stripewise_study::warning::Changing;

/// How full one memory is, and what flows through it: what left it is what came less what it holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Level {
    /// What it holds.
    pub(crate) holds: u64,
    /// What has come in since the beginning, in the same unit.
    pub(crate) came: u64,
}

impl Level {
    /// Returns how far it moved since `before`.
    pub(crate) const fn moved(&self, before: &Level) -> u64 {
        self.holds.abs_diff(before.holds)
    }

    /// Returns what came in since `before`.
    pub(crate) const fn flow(&self, before: &Level) -> u64 {
        self.came - before.came
    }
}

/// The memories of a stack, those of its devices summed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Levels {
    /// Acknowledged writes in the devices that are not yet on the medium.
    pub(crate) write_cache: Level,
    /// Fast areas of the devices.
    pub(crate) fast_area: Level,
    /// Erased flash.
    pub(crate) flash_blocks: Level,
    /// Dirty pages.
    pub(crate) page_cache: Level,
    /// Bits of the bitmap.
    pub(crate) bitmap: Level,
}

impl Levels {
    /// Returns every memory with its name, those first that are nearer to the load.
    pub(crate) const fn named(&self) -> [(Changing, Level); 5] {
        [
            (Changing::PageCache, self.page_cache),
            (Changing::FastArea, self.fast_area),
            (Changing::Bitmap, self.bitmap),
            (Changing::WriteCache, self.write_cache),
            (Changing::FlashBlocks, self.flash_blocks),
        ]
    }
}

/// Adds a device's memory to that of the others.
pub(crate) fn add(sum: &mut Level, holds: u64, came: u64) {
    sum.holds += holds;
    sum.came += came;
}
