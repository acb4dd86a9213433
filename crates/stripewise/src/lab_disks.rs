//! From a device profile to a modelled disk of the lab: the same numbers, the same draws.
//!
//! The two worlds do not know each other, so what joins them is here. A disk of the lab completes
//! requests when the simulator's calibrated device would, to the nanosecond; a test runs both.

use stripewise_lab::disk::{
    DiskDirection, DiskLink, DiskModel, DiskStore, RATE_MAX, REQUEST_BYTES_MAX, Seed,
};
use stripewise_profiles::device::calibrated::{CacheSetting, DirectionProfile};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::{DeviceProfile, Model};
use stripewise_sim::device::spread::Spread;
use stripewise_sim::random::{Component, Stream};

use crate::failure::{Failure, Result};

/// What a profile does not say about one disk of a stack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    /// Its size; what is left over of 4096 bytes is cut off.
    pub(crate) size_bytes: u64,
    /// How the host has set its cache.
    pub(crate) cache: CacheSetting,
    /// What becomes of its data.
    pub(crate) store: DiskStore,
    /// From where its random generator starts.
    pub(crate) seed: Seed,
}

/// Returns the disk that behaves as `profile` says.
///
/// # Errors
/// A profile made from a data sheet: the lab's disks are known from measurements only. A number
/// that the module does not take.
pub(crate) fn disk_model(profile: &DeviceProfile, placed: Placed) -> Result<DiskModel> {
    let calibrated = match &profile.model {
        Model::Calibrated(calibrated) => calibrated.clone().with_cache(placed.cache),
        Model::Disk(_) => return Err(data_sheet(profile, "disk")),
        Model::Flash(_) => return Err(data_sheet(profile, "flash")),
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
    let name = &profile.name;
    disk.check().map_err(|problem| {
        Failure::new(problem).context(format!(
            "the lab cannot model a disk as profile `{name}` says"
        ))
    })?;
    Ok(disk)
}

/// Returns from where the generator of the disk at a place of a stack starts: where the simulator's
/// device starts there for the same sample.
pub(crate) fn seed(sample: u64, device: u32) -> Seed {
    Seed::new(Stream::child_state(sample, Component::Device(device)))
}

fn data_sheet(profile: &DeviceProfile, kind: &str) -> Failure {
    let name = &profile.name;
    Failure::new(format!(
        "the lab cannot model a disk as profile `{name}` says: its kind is `{kind}`, from a data \
         sheet, and the lab's disks are known from measurements"
    ))
    .hint(
        "make a profile from measurements of such a disk with `stripewise calibrate`, use one \
         that has a `[calibrated]` table, or run the study with `--world model`",
    )
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
        spread: Spread::lognormal(profile.p99_over_p50).factors().to_vec(),
    }
}

#[cfg(test)]
#[path = "lab_disks_tests.rs"]
mod tests;
