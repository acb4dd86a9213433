//! A device as measurements of one such device describe it.

use serde::{Deserialize, Serialize};

use super::curve::CurvePoint;

/// The cable or bus between host and device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkProfile {
    /// What it carries from the device, at best.
    pub read_bytes_per_s: u64,
    /// What it carries to the device, at best.
    pub write_bytes_per_s: u64,
    /// How long each command keeps it busy beside its data.
    pub command_ns: u64,
    /// Whether both directions carry at once (PCIe does, SATA does not).
    pub full_duplex: bool,
}

/// What a device does in one direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionProfile {
    /// How many requests are worked on at once.
    pub servers: u32,
    /// The 99th percentile of single times over their median, at depth 1.
    pub p99_over_p50: f64,
    /// The time of one request alone that continues no stream, by size.
    pub random: Vec<CurvePoint>,
    /// The same for a request that continues a stream; as `random` if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequential: Vec<CurvePoint>,
}

/// The device's volatile write cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheProfile {
    /// Whether a power cut loses acknowledged writes that were not flushed.
    pub is_volatile: bool,
    /// How long a flush takes when something was written since the last one.
    pub flush_ns: u64,
}

/// What happens behind acknowledged writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrainProfile {
    /// How much the fast area (SLC) takes before the device slows down.
    pub fast_bytes: u64,
    /// How fast random writes drain when the fast area is full: what garbage collection leaves.
    pub random_bytes_per_s: u64,
    /// How fast sequential writes drain when the fast area is full.
    pub sequential_bytes_per_s: u64,
    /// How much may be acknowledged and not yet drained.
    pub buffer_bytes: u64,
}

/// A device as measurements describe it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedProfile {
    /// The link to the host.
    pub link: LinkProfile,
    /// Reads.
    pub read: DirectionProfile,
    /// Writes.
    pub write: DirectionProfile,
    /// The write cache.
    pub cache: CacheProfile,
    /// What drains behind acknowledged writes; without it the measured times hold for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<DrainProfile>,
}

/// How the host has set the write cache of its devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSetting {
    /// Whether writes may be acknowledged from a volatile cache.
    pub is_on: bool,
    /// Whether a flush does anything.
    pub flushes: bool,
}

impl CalibratedProfile {
    /// Returns the profile of the same device as the host has set its cache: without a write cache
    /// every write takes as long as one that is flushed.
    #[must_use]
    pub fn with_cache(mut self, setting: CacheSetting) -> Self {
        if !setting.flushes {
            self.cache.is_volatile = false;
        }
        if !setting.is_on && self.cache.is_volatile {
            let points = self.write.random.iter_mut();
            for point in points.chain(&mut self.write.sequential) {
                point.time_ns += self.cache.flush_ns;
            }
            self.cache.is_volatile = false;
        }
        self
    }
}
