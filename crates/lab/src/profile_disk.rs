//! Turns a device profile into a modelled disk with the same parameters and random draws.
//!
//! A disk of the lab completes requests at the same nanosecond as the simulator's calibrated
//! device; a test compares both.

use stripewise_profiles::NoSuchProfile;
use stripewise_profiles::device::calibrated::{CacheSetting, DirectionProfile};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::spread::factors;
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
    /// Its profile comes from a data sheet.
    #[error(
        "the lab cannot model profile `{name}`: its kind `{kind}` comes from a data sheet, and \
         the lab needs a measured profile"
    )]
    DataSheet {
        /// The profile.
        name: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A parameter is outside the kernel module's limits.
    #[error("the lab cannot model profile `{name}`")]
    Refused {
        /// The profile.
        name: String,
        /// The parameter that the module refuses.
        source: DiskProblem,
    },
    /// There are more disks than a guest can have.
    #[error("a guest cannot have more than {max} disks")]
    TooMany {
        /// The limit.
        max: usize,
    },
}

impl UnmodelledDisk {
    /// Returns a remedy, if one is known.
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

/// The properties of one disk that its profile does not contain.
#[derive(Debug, Clone, Copy)]
pub struct DiskInstance {
    /// Its size, rounded down to a multiple of 4096 bytes.
    pub size_bytes: u64,
    /// The setting of its write cache.
    pub cache: CacheSetting,
    /// Which data it stores.
    pub store: DiskStore,
    /// The start of its random generator.
    pub seed: Seed,
}

/// Returns the modelled disk of `profile`.
///
/// # Errors
/// If the profile comes from a data sheet, or a parameter is outside the module's limits.
pub fn disk_model(
    profile: &DeviceProfile,
    placed: DiskInstance,
) -> Result<DiskModel, UnmodelledDisk> {
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

/// Returns a rate within the module's limit; `None`, unlimited, for a higher one.
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
        spread: factors(profile.p99_over_p50, profile.p50_over_mean),
    }
}

#[cfg(test)]
#[path = "profile_disk_tests.rs"]
mod tests;
