//! The host: what the CPU and the uplink cost.
//!
//! A host profile is TOML. At most three of its numbers are free when arrays are calibrated
//! (`bio_ns`, `completion_ns`, `uplink_bytes_per_s`); the others are known or assumed, and say so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::basis::Basis;

/// CPU times at the host's full clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuProfile {
    /// System call, filesystem look-up and set-up of one I/O.
    pub submit_ns: u64,
    /// One bio through one layer (volume, array, member queue).
    pub bio_ns: u64,
    /// Pinning and adding one 4 KiB page to a bio.
    pub page_ns: u64,
    /// Interrupt and completion of one request.
    pub completion_ns: u64,
    /// Waking the task that waits.
    pub wake_ns: u64,
    /// One pass of the parity thread over one 4 KiB stripe.
    pub stripe_ns: u64,
    /// How fast parity is computed.
    pub xor_bytes_per_s: u64,
    /// How fast the page cache is copied.
    pub copy_bytes_per_s: u64,
}

/// What a CPU frequency governor leaves of the full clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GovernorProfile {
    /// The clock under a load that mostly waits for disks, in percent of the full clock.
    pub clock_percent: u32,
    /// How much longer waking takes, because the CPU sleeps deeper.
    pub wake_extra_ns: u64,
}

/// The path that all disks share: controller, DMI, PCIe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UplinkProfile {
    /// What it carries.
    pub bytes_per_s: u64,
}

/// The memory that matters to buffered I/O.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryProfile {
    /// How much may be dirty before writers wait (`vm.dirty_ratio`).
    pub dirty_bytes_max: u64,
}

/// What the host is like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostProfile {
    /// The version of the format.
    pub schema: u32,
    /// Its name in studies.
    pub name: String,
    /// What it is, in words.
    pub description: String,
    /// Where the numbers come from.
    pub source: String,
    /// What the numbers rest on; nothing where the file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What is not known and was assumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// CPU times.
    pub cpu: CpuProfile,
    /// What all disks share; without it nothing limits them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uplink: Option<UplinkProfile>,
    /// The page cache.
    pub memory: MemoryProfile,
    /// The governor that conditions which name none stand for.
    pub governor_default: String,
    /// What each governor does.
    pub governor: BTreeMap<String, GovernorProfile>,
}
