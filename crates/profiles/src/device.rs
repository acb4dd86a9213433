//! A device profile: the TOML file that describes how one disk behaves, and the source of its
//! numbers.

pub mod calibrated;
pub mod curve;
pub mod disk;
pub mod flash;
pub mod limits;
pub mod number;
pub mod spread;

use serde::{Deserialize, Serialize};

use crate::basis::Basis;
use crate::host::AdapterProfile;
use calibrated::{CalibratedProfile, LinkProfile};
use disk::DiskProfile;
use flash::FlashProfile;

/// The version of the format.
pub const SCHEMA: u32 = 1;

/// One row of a measurement a profile was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredPoint {
    /// The product that was measured; `None` for the device that the profile describes. Only a class
    /// has points of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<String>,
    /// The pattern in fio's words.
    pub pattern: String,
    /// The side of a mixed load that the bandwidth is of, `read` or `write`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// The size of each I/O.
    pub block_size_bytes: u64,
    /// The number of jobs.
    pub jobs: u32,
    /// The depth of each job.
    pub depth: u32,
    /// Whether it is the rate of the long run, of a device whose writes become slower.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steady: bool,
    /// The bandwidth.
    pub bandwidth_bytes_per_s: f64,
    /// The model's bandwidth with the finished profile; `None` if the model was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_bandwidth_bytes_per_s: Option<f64>,
}

/// The model of the device, chosen by the available data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "a program has a handful of profiles, and matches on them by reference"
)]
pub enum Model {
    /// From measurements of one device.
    Calibrated(CalibratedProfile),
    /// A hard disk from its data sheet.
    Disk(DiskProfile),
    /// Flash with a translation layer, from its data sheet.
    Flash(FlashProfile),
}

impl Model {
    /// Returns the link to the host.
    pub const fn link(&self) -> &LinkProfile {
        match self {
            Model::Calibrated(profile) => &profile.link,
            Model::Disk(profile) => &profile.link,
            Model::Flash(profile) => &profile.link,
        }
    }
}

/// A larger fast area is no memory: hard disks have up to 512 MiB of it.
const MEMORY_BYTES_MAX: u64 = 1 << 30;

impl DeviceProfile {
    /// Returns whether it may be fresh or steady: flash that has moved no data yet, or a fast area. The
    /// memory of a hard disk empties by itself within seconds, so it makes no such state.
    pub fn has_states(&self) -> bool {
        match &self.model {
            Model::Flash(_) => true,
            Model::Disk(_) => false,
            Model::Calibrated(profile) => {
                let fast_bytes = profile.drain.as_ref().map_or(0, |drain| drain.fast_bytes);
                !self.rotational || fast_bytes > MEMORY_BYTES_MAX
            }
        }
    }
}

/// The physical block of a device whose profile does not give it.
pub const PHYSICAL_BLOCK_BYTES_DEFAULT: u64 = 4096;

pub(crate) const fn physical_block_default() -> u64 {
    PHYSICAL_BLOCK_BYTES_DEFAULT
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_physical_block_default(bytes: &u64) -> bool {
    *bytes == PHYSICAL_BLOCK_BYTES_DEFAULT
}

/// What the vendor rates a device for. No simulation uses it; `None` if the data sheet does not say.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Ratings {
    /// The bytes that may be written to it in its life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tbw_bytes: Option<u64>,
    /// The share of such devices that fail in a year, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afr_percent: Option<f64>,
    /// The bits read for each sector that cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ure_bits: Option<u64>,
}

/// How one disk behaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceProfile {
    /// The version of the format.
    pub schema: u32,
    /// Its name in studies.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Where the numbers come from.
    pub source: String,
    /// The basis of the numbers; `None` if the file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The host profile with which its times were fitted: they are right beside that host's CPU times
    /// only. A question that names no host gets this one; `None` for the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The names by which such drives report themselves, as `smartctl` or `/sys/block/*/device/model`
    /// shows them; none of a class. `stripewise advise --here` finds the profile of a drive by them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Its size.
    pub capacity_bytes: u64,
    /// Whether the kernel calls it rotational (`queue/rotational`), which md uses.
    pub rotational: bool,
    /// The number of requests it accepts at once.
    pub queue_depth: u32,
    /// The largest request that the kernel sends it; the kernel's default if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_bytes_max: Option<u64>,
    /// The optimal I/O size that the device reports (`queue/optimal_io_size`), if it does: raid1
    /// moves a longer sequential read to an idle member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal_io_bytes: Option<u64>,
    /// The physical block size that the device reports (`queue/physical_block_size`): the kernel
    /// cuts requests that are too long at a multiple of it.
    #[serde(
        default = "physical_block_default",
        skip_serializing_if = "is_physical_block_default"
    )]
    pub physical_block_bytes: u64,
    /// What its vendor rates it for.
    #[serde(flatten)]
    pub ratings: Ratings,
    /// The values that are assumed, not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// Its model.
    #[serde(flatten)]
    pub model: Model,
    /// A delay in the measurements that may be the adapter's instead of the device's: one device alone
    /// cannot tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perhaps_adapter: Option<AdapterProfile>,
    /// The points that it was calibrated from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<MeasuredPoint>,
}
