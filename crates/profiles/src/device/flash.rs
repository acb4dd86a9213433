//! A flash SSD as its data sheet describes it.

use serde::{Deserialize, Serialize};

use super::calibrated::LinkProfile;
use super::limits::{OutOfRange, in_range};
use super::number::rounded;

/// The unit of mapping.
pub const UNIT_BYTES: u32 = 4096;

/// Which block is collected next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GarbageCollection {
    /// The one with the fewest valid units; among equals the one closed first.
    Greedy,
    /// The one closed first.
    Fifo,
}

/// A flash SSD as its data sheet and the data sheet of its flash describe it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlashProfile {
    /// How much the host sees of the simulated drive; 1 to 4 GiB stand for any size.
    pub simulated_bytes: u64,
    /// How much more flash there is than the host sees, in percent of what it sees.
    pub over_provisioning_percent: f64,
    /// What one sensing reads, on one plane; the mapping is in units of 4 KiB.
    pub page_bytes: u32,
    /// How many pages a block has on one plane.
    pub block_pages_count: u32,
    /// How many planes of a die are programmed and erased together.
    pub planes_count: u32,
    /// How many dies work independently.
    pub dies_count: u32,
    /// How many channels the dies share, evenly.
    pub channels_count: u32,
    /// What a channel carries.
    pub channel_bytes_per_s: u64,
    /// Sensing a page.
    pub read_ns: u64,
    /// Programming a page on all planes.
    pub program_ns: u64,
    /// Erasing a block on all planes.
    pub erase_ns: u64,
    /// The link; `command_ns` bounds the rate of commands.
    pub link: LinkProfile,
    /// How much may be acknowledged and not yet programmed, at least two programs for every die. What
    /// is in the buffer is not on the flash and works as over-provisioning, as it does on a real
    /// drive; keep it a small part of the simulated size as well.
    pub write_buffer_bytes: u64,
    /// Whether a power cut loses the write buffer; if not, flushes and FUA have nothing to wait for.
    pub write_buffer_is_volatile: bool,
    /// What a flush costs beside emptying the write buffer.
    pub flush_ns: u64,
    /// Whether a flush is alone in the drive (SATA) or a command like any other (NVMe).
    pub flush_is_exclusive: bool,
    /// How the block to collect is chosen.
    pub gc: GarbageCollection,
    /// A die collects when it has fewer free blocks than this; at least 2.
    pub gc_low_water_blocks_count: u32,
}

impl FlashProfile {
    /// Checks that every number is one a drive could have.
    ///
    /// # Errors
    /// [`OutOfRange`] names the first that is not.
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
        // The blocks every die has beside its share of the size must not outgrow memory.
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
