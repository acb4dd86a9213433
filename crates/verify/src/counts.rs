//! What the kernel counts for each member, and where two of them differ.

use std::fmt;

use serde::{Deserialize, Serialize};
use stripewise_study::sample::Sample;

use crate::io_list::SECTOR_BYTES;

/// The counts of one member: the columns of `/sys/block/NAME/stat` that are not times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "[u64; 6]", into = "[u64; 6]")]
pub struct MemberCounts {
    /// Reads completed.
    pub reads: u64,
    /// Reads merged into others.
    pub read_merges: u64,
    /// Sectors read.
    pub read_sectors: u64,
    /// Writes completed.
    pub writes: u64,
    /// Writes merged into others.
    pub write_merges: u64,
    /// Sectors written.
    pub write_sectors: u64,
}

impl From<[u64; 6]> for MemberCounts {
    fn from(columns: [u64; 6]) -> Self {
        let [
            reads,
            read_merges,
            read_sectors,
            writes,
            write_merges,
            write_sectors,
        ] = columns;
        Self {
            reads,
            read_merges,
            read_sectors,
            writes,
            write_merges,
            write_sectors,
        }
    }
}

impl From<MemberCounts> for [u64; 6] {
    fn from(counts: MemberCounts) -> Self {
        [
            counts.reads,
            counts.read_merges,
            counts.read_sectors,
            counts.writes,
            counts.write_merges,
            counts.write_sectors,
        ]
    }
}

impl fmt::Display for MemberCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [
            reads,
            read_merges,
            read_sectors,
            writes,
            write_merges,
            write_sectors,
        ] = <[u64; 6]>::from(*self);
        write!(
            f,
            "{reads} {read_merges} {read_sectors}; {writes} {write_merges} {write_sectors}"
        )
    }
}

/// Returns the counts of each member of a sample, in its order.
pub fn counts_of(sample: &Sample) -> Vec<MemberCounts> {
    let devices = sample.devices.iter().map(|device| MemberCounts {
        reads: device.reads,
        read_merges: device.read_merges,
        read_sectors: device.read_bytes.as_u64() / SECTOR_BYTES,
        writes: device.writes,
        write_merges: device.write_merges,
        write_sectors: device.write_bytes.as_u64() / SECTOR_BYTES,
    });
    devices.collect()
}
