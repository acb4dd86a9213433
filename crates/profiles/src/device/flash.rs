//! A flash SSD as described by its data sheet.

use serde::{Deserialize, Serialize};

use super::calibrated::LinkProfile;
use super::limits::{OutOfRange, in_range};
use super::number::rounded;

/// The unit of mapping.
pub const UNIT_BYTES: u32 = 4096;

/// The choice of the next block to collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GarbageCollection {
    /// The block with the fewest valid units; among equals the one closed first.
    Greedy,
    /// The block closed first.
    Fifo,
}

/// A flash SSD as described by its data sheet and that of its flash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlashProfile {
    /// The size of the simulated drive for the host; 1 to 4 GiB stand for any size.
    pub simulated_bytes: u64,
    /// The flash beyond the host's size, in percent of that size.
    pub over_provisioning_percent: f64,
    /// The bytes that one sensing reads on one plane; the mapping is in units of 4 KiB.
    pub page_bytes: u32,
    /// The number of pages per block on one plane.
    pub block_pages_count: u32,
    /// The number of planes of a die that are programmed and erased together.
    pub planes_count: u32,
    /// The number of dies that work independently.
    pub dies_count: u32,
    /// The number of channels that the dies share evenly.
    pub channels_count: u32,
    /// The rate of a channel.
    pub channel_bytes_per_s: u64,
    /// Sensing a page.
    pub read_ns: u64,
    /// Programming a page on all planes.
    pub program_ns: u64,
    /// Erasing a block on all planes.
    pub erase_ns: u64,
    /// The link; `command_ns` bounds the rate of commands.
    pub link: LinkProfile,
    /// The bytes that may be acknowledged and not yet programmed, at least two programs for every
    /// die. Buffered data is not on the flash and acts as over-provisioning, as on a real drive;
    /// keep it a small part of the simulated size as well.
    pub write_buffer_bytes: u64,
    /// Whether a power cut loses the write buffer; if not, flushes and FUA do not wait.
    pub write_buffer_is_volatile: bool,
    /// The time of a flush beside emptying the write buffer.
    pub flush_ns: u64,
    /// Whether a flush runs alone in the drive (SATA) or like any other command (NVMe).
    pub flush_is_exclusive: bool,
    /// The choice of the block to collect.
    pub gc: GarbageCollection,
    /// A die collects when it has fewer free blocks than this; at least 2.
    pub gc_low_water_blocks_count: u32,
}

impl FlashProfile {
    /// Checks that a drive could have each number.
    ///
    /// # Errors
    /// [`OutOfRange`] names the first number that it could not have.
    pub fn check(&self) -> Result<(), OutOfRange> {
        const TIME_MAX_NS: u64 = 1_000_000_000;
        const RATE_MAX: u64 = 100_000_000_000;
        in_range("simulated_bytes", self.simulated_bytes, 1 << 20, 1 << 36)?;
        let percent = self.over_provisioning_percent;
        if !(0.0..=400.0).contains(&percent) {
            let value = rounded(percent);
            in_range("over_provisioning_percent", value.max(401), 0, 400)?;
        }
        let unit = u64::from(UNIT_BYTES);
        in_range("page_bytes", self.page_bytes.into(), unit, 1 << 20)?;
        let part = u64::from(self.page_bytes) % unit;
        in_range("page_bytes (beyond whole units of 4 KiB)", part, 0, 0)?;
        in_range(
            "block_pages_count",
            self.block_pages_count.into(),
            1,
            1 << 14,
        )?;
        in_range("planes_count", self.planes_count.into(), 1, 16)?;
        in_range("dies_count", self.dies_count.into(), 1, 1024)?;
        let dies = self.dies_count.into();
        in_range("channels_count", self.channels_count.into(), 1, dies)?;
        let times = [
            ("read_ns", self.read_ns),
            ("program_ns", self.program_ns),
            ("erase_ns", self.erase_ns),
            ("flush_ns", self.flush_ns),
            ("link.command_ns", self.link.command_ns),
        ];
        for (key, time) in times {
            in_range(key, time, 0, TIME_MAX_NS)?;
        }
        let rates = [
            ("channel_bytes_per_s", self.channel_bytes_per_s),
            ("link.read_bytes_per_s", self.link.read_bytes_per_s),
            ("link.write_bytes_per_s", self.link.write_bytes_per_s),
        ];
        for (key, rate) in rates {
            in_range(key, rate, 1_000_000, RATE_MAX)?;
        }
        in_range("write_buffer_bytes", self.write_buffer_bytes, 0, 1 << 36)?;
        let low = self.gc_low_water_blocks_count.into();
        in_range("gc_low_water_blocks_count", low, 2, 1024)?;
        // The blocks that every die has beside its share of the size must fit into memory.
        let block = u64::from(self.page_bytes)
            * u64::from(self.block_pages_count)
            * u64::from(self.planes_count);
        let largest = (1_u64 << 36) / (dies * (low + 4));
        in_range("block bytes (page x pages x planes)", block, unit, largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collection_is_named_in_lower_case_and_unknown_names_are_refused() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Table {
            gc: GarbageCollection,
        }
        let read = |text| toml_edit::de::from_str::<Table>(text).ok();
        let greedy = Table {
            gc: GarbageCollection::Greedy,
        };
        assert_eq!(read("gc = \"greedy\""), Some(greedy));
        assert_eq!(read("gc = \"lazy\""), None);
        assert!(toml_edit::de::from_str::<FlashProfile>("wear = 1").is_err());
    }
}
