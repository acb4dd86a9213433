//! The kernel's counts of each member.

use std::fmt;

use serde::{Deserialize, Serialize};
use stripewise_study::sample::Sample;

use crate::io_list::SECTOR_BYTES;

/// Defines [`MemberCounts`] from a list of its columns, in the order of `/sys/block/NAME/stat`.
macro_rules! member_counts {
    ($($(#[$what:meta])* $column:ident,)*) => {
        /// The counts of one member: the columns of `/sys/block/NAME/stat` that are not times.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
        #[serde(from = "[u64; 6]", into = "[u64; 6]")]
        pub struct MemberCounts {
            $($(#[$what])* pub $column: u64,)*
        }

        impl From<[u64; 6]> for MemberCounts {
            fn from([$($column),*]: [u64; 6]) -> Self {
                Self { $($column),* }
            }
        }

        impl From<MemberCounts> for [u64; 6] {
            fn from(MemberCounts { $($column),* }: MemberCounts) -> Self {
                [$($column),*]
            }
        }
    };
}

member_counts! {
    /// Reads completed.
    reads,
    /// Reads merged into others.
    read_merges,
    /// Sectors read.
    read_sectors,
    /// Writes completed.
    writes,
    /// Writes merged into others.
    write_merges,
    /// Sectors written.
    write_sectors,
}

impl fmt::Display for MemberCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = <[u64; 6]>::from(*self).map(|count| count.to_string());
        let (reads, writes) = columns.split_at(3);
        write!(f, "{}; {}", reads.join(" "), writes.join(" "))
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
