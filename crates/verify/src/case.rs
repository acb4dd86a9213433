//! Cases: one array, its members, and its I/Os, in a compact form.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stripewise_profiles::device::calibrated::{
    CacheProfile, CalibratedProfile, DirectionProfile, LinkProfile,
};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::{DeviceProfile, Model, Ratings, SCHEMA};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::stack::{
    Array, ArraySettings, Bitmap, DeviceGroup, Filesystem, Level, Metadata, Stack,
};
use stripewise_study::workload::{Data, Engine, Load, Pattern, Workload};
use stripewise_study::world::{Replay, ReplayedIo};
use stripewise_units::Bytes;

use crate::io_list::{IoList, SECTOR_BYTES};

/// The size of every member. Small enough to keep in memory, large enough for two of raid1's 64 MiB
/// barrier units.
pub const MEMBER_BYTES: Bytes = Bytes::new(512 << 20);

/// The largest request of a member: larger than a bio without a plug can become.
pub const REQUEST_BYTES_MAX: u64 = 2560 << 10;

/// Returns the default physical block size, as of `null_blk`.
const fn sector() -> u64 {
    SECTOR_BYTES
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_sector(bytes: &u64) -> bool {
    *bytes == SECTOR_BYTES
}

/// A disk that completes every request after the same time, at any queue depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disk {
    /// Whether it reports itself as rotational, which md takes into account.
    pub rotational: bool,
    /// The time of a request; 0: it completes before its submission returns.
    pub latency_ns: u64,
    /// Its physical block size, at which the kernel splits oversized requests.
    #[serde(default = "sector", skip_serializing_if = "is_sector")]
    pub physical_block_bytes: u64,
    /// How many requests it serves at once; others wait.
    #[serde(default = "any_number", skip_serializing_if = "is_any_number")]
    pub servers: u32,
}

/// Returns the default number of servers: more than requests ever wait.
const fn any_number() -> u32 {
    1024
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_any_number(servers: &u32) -> bool {
    *servers == any_number()
}

impl Disk {
    /// Returns the name of its profile: `verify-hdd-100us-4096`.
    pub fn profile_name(self) -> String {
        let kind = if self.rotational { "hdd" } else { "ssd" };
        let (latency_us, block) = (self.latency_ns / 1000, self.physical_block_bytes);
        let servers = match self.servers {
            servers if is_any_number(&servers) => String::new(),
            servers => format!("-{servers}"),
        };
        format!("verify-{kind}-{latency_us}us-{block}{servers}")
    }

    /// Returns its profile.
    pub fn profile(self) -> DeviceProfile {
        let direction = DirectionProfile {
            servers: self.servers,
            p99_over_p50: 1.0,
            p50_over_mean: None,
            random: vec![CurvePoint {
                size_bytes: 4096,
                time_ns: self.latency_ns,
            }],
            sequential: Vec::new(),
            under_load: Vec::new(),
            under_mix: Vec::new(),
        };
        DeviceProfile {
            schema: SCHEMA,
            name: self.profile_name(),
            description: "answers every request after the same time".to_owned(),
            source: "made for `stripewise verify-model`".to_owned(),
            basis: None,
            host: None,
            models: Vec::new(),
            capacity_bytes: MEMBER_BYTES.as_u64(),
            rotational: self.rotational,
            queue_depth: 64,
            request_bytes_max: Some(REQUEST_BYTES_MAX),
            optimal_io_bytes: None,
            physical_block_bytes: self.physical_block_bytes,
            ratings: Ratings::default(),
            assumed: Vec::new(),
            model: Model::Calibrated(CalibratedProfile {
                link: LinkProfile {
                    read_bytes_per_s: 1 << 60,
                    write_bytes_per_s: 1 << 60,
                    command_ns: 0,
                    // One queue, so that both worlds use `mq-deadline`, like all golden counts.
                    full_duplex: false,
                },
                read: direction.clone(),
                write: direction,
                cache: CacheProfile {
                    is_volatile: false,
                    flush_ns: 0,
                },
                drain: None,
            }),
            perhaps_adapter: None,
            points: Vec::new(),
        }
    }
}

/// One configuration and its I/Os.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The RAID level.
    pub level: Level,
    /// Its layout, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// The number of members.
    pub members: NonZeroU32,
    /// The chunk size, if the level has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<Bytes>,
    /// The bitmap's chunk size, if there is a bitmap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bitmap_chunk_bytes: Option<Bytes>,
    /// The slots of failed members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<u16>,
    /// The members.
    pub disk: Disk,
    /// fio's I/O engine.
    pub engine: Engine,
    /// The queue depth of each job.
    pub depth: u32,
    /// The I/Os of each job.
    pub jobs: Vec<IoList>,
}

impl Case {
    /// Returns the level and its layout: `raid10 f2`.
    pub fn title(&self) -> String {
        match &self.layout {
            Some(layout) => format!("{} {layout}", self.level),
            None => self.level.to_string(),
        }
    }

    /// Returns the I/Os.
    pub fn replay(&self) -> Arc<Replay> {
        Arc::new(Replay {
            jobs: self.jobs.iter().map(|job| job.0.clone()).collect(),
            failed: self.failed.clone(),
            is_absolute: false,
        })
    }

    /// Returns the I/Os of all jobs.
    pub fn ios(&self) -> impl Iterator<Item = &ReplayedIo> {
        self.jobs.iter().flat_map(|job| &job.0)
    }

    /// Returns whether any I/O writes.
    pub fn writes(&self) -> bool {
        self.ios().any(|io| io.writes())
    }

    /// Returns whether any I/O reads.
    pub fn reads(&self) -> bool {
        self.ios().any(|io| !io.writes())
    }

    /// Returns the most I/Os in flight at once.
    pub fn in_flight_max(&self) -> u64 {
        let depth = match self.engine.is_synchronous() {
            true => 1,
            false => u64::from(self.depth),
        };
        depth.saturating_mul(self.jobs.len() as u64)
    }

    /// Returns the device profiles of its cell.
    pub fn device_profiles(&self) -> BTreeMap<String, DeviceProfile> {
        BTreeMap::from([(self.disk.profile_name(), self.disk.profile())])
    }

    /// Returns the cell, without its I/Os.
    pub fn cell(&self) -> Cell {
        Cell {
            stack: Stack {
                name: self.title(),
                devices: vec![DeviceGroup {
                    profile: self.disk.profile_name(),
                    count: self.members,
                }],
                adapter: None,
                array: Some(Array {
                    level: self.level,
                    layout: self.layout.clone(),
                    chunk_bytes: self.chunk_bytes,
                    bitmap: match self.bitmap_chunk_bytes {
                        None => Bitmap::None,
                        chunk_bytes => Bitmap::Internal { chunk_bytes },
                    },
                    metadata: Metadata::V1_2,
                    assume_clean: true,
                    size_bytes: None,
                    beside: Vec::new(),
                    settings: ArraySettings::default(),
                }),
                volume: None,
                filesystem: Filesystem::None,
            },
            workload: Workload::alone(self.load()),
            conditions: Conditions {
                scheduler: Some("none".to_owned()),
                // Earlier writes would leave bits set and stripes in the cache.
                fill: Some(false),
                ..Conditions::default()
            },
        }
    }

    fn load(&self) -> Load {
        let replay = self.replay();
        let sizes = replay.jobs.iter().flatten().map(|io| io.length_bytes);
        let pattern = match (self.reads(), self.writes()) {
            (_, false) => Pattern::RandRead,
            (false, true) => Pattern::RandWrite,
            (true, true) => Pattern::RandRw,
        };
        let largest = sizes.max().unwrap_or(Bytes::new(4096));
        Load {
            engine: self.engine,
            jobs: u32::try_from(self.jobs.len()).unwrap_or(u32::MAX),
            depth: self.depth,
            data: Data::Zeroes,
            ..Load::new(pattern, largest, replay.end_bytes())
        }
    }
}
