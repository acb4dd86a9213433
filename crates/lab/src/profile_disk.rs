//! From a device profile to a modelled disk: the same numbers, the same draws.
//!
//! A disk of the lab completes requests when the simulator's calibrated device would, to the
//! nanosecond; a test runs both.

use stripewise_profiles::NoSuchProfile;
use stripewise_profiles::device::calibrated::{CacheSetting, DirectionProfile};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::spread::lognormal_factors;
use stripewise_profiles::device::{DeviceProfile, Model};

use crate::disk::{
    DiskDirection, DiskLink, DiskModel, DiskProblem, DiskStore, RATE_MAX, REQUEST_BYTES_MAX, Seed,
};

/// A disk that the lab cannot model.
#[derive(Debug, thiserror::Error)]
pub enum UnmodelledDisk {
    /// No profile describes it.
    #[error(transparent)]
    Unknown(#[from] NoSuchProfile),
    /// Its profile is made from a data sheet.
    #[error(
        "the lab cannot model a disk as profile `{name}` says: its kind is `{kind}`, from a data \
         sheet, and the lab's disks are known from measurements"
    )]
    DataSheet {
        /// The profile.
        name: String,
        /// Its kind.
        kind: &'static str,
    },
    /// The kernel module takes no such disk.
    #[error("the lab cannot model a disk as profile `{name}` says")]
    Refused {
        /// The profile.
        name: String,
        /// The number that it refuses.
        source: DiskProblem,
    },
    /// There are more disks than a guest can have.
    #[error("a guest cannot have more than {max} disks")]
    TooMany {
        /// How many it can have.
        max: usize,
    },
}

impl UnmodelledDisk {
    /// Returns what to do about it, where we know.
    pub fn hint(&self) -> Option<String> {
        match self {
            UnmodelledDisk::Unknown(error) => Some(error.hint()),
            UnmodelledDisk::DataSheet { .. } => Some(
                "make a profile from measurements of such a disk with `stripewise calibrate`, use \
                 one that has a `[calibrated]` table, or run the study with `--world model`"
                    .to_owned(),
            ),
            UnmodelledDisk::Refused { .. } | UnmodelledDisk::TooMany { .. } => None,
        }
    }
}

/// What a profile does not say about one disk of a stack.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// Its size, rounded down to a multiple of 4096 bytes.
    pub size_bytes: u64,
    /// How the host has set its cache.
    pub cache: CacheSetting,
    /// What becomes of its data.
    pub store: DiskStore,
    /// From where its random generator starts.
    pub seed: Seed,
}

/// Returns the disk that behaves as `profile` says.
///
/// # Errors
/// A profile made from a data sheet: the lab's disks are known from measurements only. A number
/// that the module does not take.
pub fn disk_model(profile: &DeviceProfile, placed: Placed) -> Result<DiskModel, UnmodelledDisk> {
    let data_sheet = |kind| UnmodelledDisk::DataSheet {
        name: profile.name.clone(),
        kind,
    };
    let calibrated = match &profile.model {
        Model::Calibrated(calibrated) => calibrated.clone().with_cache(placed.cache),
        Model::Disk(_) => return Err(data_sheet("disk")),
        Model::Flash(_) => return Err(data_sheet("flash")),
    };
    let link = &calibrated.link;
    let request_bytes_max = profile.request_bytes_max.unwrap_or(REQUEST_BYTES_MAX);
    let disk = DiskModel {
        size_bytes: placed.size_bytes / 4096 * 4096,
        logical_block_bytes: 512,
        physical_block_bytes: profile.physical_block_bytes,
        queue_depth: profile.queue_depth,
        request_bytes_max: request_bytes_max.min(REQUEST_BYTES_MAX) / 4096 * 4096,
        rotational: profile.rotational,
        store: placed.store,
        seed: placed.seed,
        link: DiskLink {
            read_bytes_per_s: rate(link.read_bytes_per_s),
            write_bytes_per_s: rate(link.write_bytes_per_s),
            command_ns: link.command_ns,
            full_duplex: link.full_duplex,
        },
        read: direction(&calibrated.read),
        write: direction(&calibrated.write),
        cache: calibrated.cache,
        drain: calibrated.drain,
    };
    match disk.check() {
        Ok(()) => Ok(disk),
        Err(source) => Err(UnmodelledDisk::Refused {
            name: profile.name.clone(),
            source,
        }),
    }
}

/// Returns a rate that the module takes; one beyond is no limit.
fn rate(bytes_per_s: u64) -> Option<u64> {
    (bytes_per_s <= RATE_MAX).then_some(bytes_per_s)
}

fn direction(profile: &DirectionProfile) -> DiskDirection {
    let points = |points: &[CurvePoint]| {
        let mut points = points.to_vec();
        points.sort_unstable_by_key(|point| point.size_bytes);
        points
    };
    DiskDirection {
        servers: profile.servers,
        random: points(&profile.random),
        sequential: points(&profile.sequential),
        spread: lognormal_factors(profile.p99_over_p50),
    }
}

#[cfg(test)]
#[path = "profile_disk_tests.rs"]
mod tests;
