//! The fill levels of the memories in a stack (caches, fast areas, bitmaps) that affect its speed.

use stripewise_study::warning::Changing;

/// The fill of one memory, and the flow through it: its outflow is its inflow less the fill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FillLevel {
    /// Its fill.
    pub(crate) holds: u64,
    /// The inflow since the start, in the same unit.
    pub(crate) received: u64,
}

impl FillLevel {
    /// Returns how much the fill changed since `before`.
    pub(crate) const fn moved(&self, before: &FillLevel) -> u64 {
        self.holds.abs_diff(before.holds)
    }

    /// Returns the inflow since `before`.
    pub(crate) const fn flow(&self, before: &FillLevel) -> u64 {
        self.received - before.received
    }
}

/// The memories of a stack, those of its devices summed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FillLevels {
    /// Bytes of acknowledged writes in the devices that are not yet on the medium.
    pub(crate) write_cache: FillLevel,
    /// Fast areas of the devices.
    pub(crate) fast_area: FillLevel,
    /// Erased flash.
    pub(crate) flash_blocks: FillLevel,
    /// Dirty pages.
    pub(crate) page_cache: FillLevel,
    /// Bits of the bitmap.
    pub(crate) bitmap: FillLevel,
}

impl FillLevels {
    /// Returns the memory that takes the load's writes first: the page cache, else those of the devices.
    pub(crate) const fn first(&self) -> FillLevel {
        match self.page_cache.received {
            0 => self.write_cache,
            _ => self.page_cache,
        }
    }

    /// Returns every memory with its name, those nearer to the load first.
    pub(crate) const fn named(&self) -> [(Changing, FillLevel); 5] {
        [
            (Changing::PageCache, self.page_cache),
            (Changing::FastArea, self.fast_area),
            (Changing::Bitmap, self.bitmap),
            (Changing::WriteCache, self.write_cache),
            (Changing::FlashBlocks, self.flash_blocks),
        ]
    }
}

/// Adds the fill and inflow of a device's memory to the sum.
pub(crate) fn add(sum: &mut FillLevel, holds: u64, received: u64) {
    sum.holds += holds;
    sum.received += received;
}
