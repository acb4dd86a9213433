//! A hard disk as described by its data sheet.

use serde::{Deserialize, Serialize};

use super::calibrated::LinkProfile;
use super::limits::{OutOfRange, in_range};

/// A hard disk as described by its data sheet and a sequential test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskProfile {
    /// Its size.
    pub capacity_bytes: u64,
    /// Revolutions per minute.
    pub rotation_rpm: u32,
    /// The number of surfaces in use; the arm moves on after that many tracks.
    pub heads_count: u32,
    /// The number of zones of tracks of one length; 1 if unknown.
    pub zones_count: u32,
    /// The sustained sequential rate of the outermost zone, track switches included.
    pub sustained_outer_bytes_per_s: u64,
    /// The same of the innermost zone.
    pub sustained_inner_bytes_per_s: u64,
    /// A seek to the next cylinder, settling included.
    pub seek_track_to_track_ns: u32,
    /// The mean seek over random pairs of cylinders, as data sheets state it.
    pub seek_average_ns: u32,
    /// A seek over all cylinders.
    pub seek_full_stroke_ns: u32,
    /// A seek to the next cylinder before a write, which settles longer; without it, as before a
    /// read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek_write_track_to_track_ns: Option<u32>,
    /// The mean seek before a write over random pairs of cylinders; without it, as before a read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek_write_average_ns: Option<u32>,
    /// The time between the end of a track and the beginning of the next.
    pub track_switch_ns: u32,
    /// The link; `command_ns` is the drive's overhead per command.
    pub link: LinkProfile,
    /// The buffer for reads.
    pub read_cache_bytes: u64,
    /// The number of its segments, and so of streams read ahead: one segment each.
    pub read_segments_count: u32,
    /// The bytes that may be acknowledged and not yet on the platter; 0 switches the write cache
    /// off.
    pub write_cache_bytes: u64,
    /// The number of separate runs of sectors that the write cache can hold.
    pub write_cache_runs_count: u32,
    /// A request that has waited longer goes before all others.
    pub queue_wait_max_ns: u64,
}

impl DiskProfile {
    /// Checks that a disk could have each number.
    ///
    /// # Errors
    /// [`OutOfRange`] names the first number that it could not have.
    pub fn check(&self) -> Result<(), OutOfRange> {
        const RATE_MAX: u64 = 100_000_000_000;
        const SEEK_MAX_NS: u64 = 1_000_000_000;
        in_range("capacity_bytes", self.capacity_bytes, 1 << 20, 1 << 50)?;
        in_range("rotation_rpm", self.rotation_rpm.into(), 300, 100_000)?;
        in_range("heads_count", self.heads_count.into(), 1, 64)?;
        in_range("zones_count", self.zones_count.into(), 1, 1024)?;
        let rates = [
            (
                "sustained_outer_bytes_per_s",
                self.sustained_outer_bytes_per_s,
            ),
            (
                "sustained_inner_bytes_per_s",
                self.sustained_inner_bytes_per_s,
            ),
            ("link.read_bytes_per_s", self.link.read_bytes_per_s),
            ("link.write_bytes_per_s", self.link.write_bytes_per_s),
        ];
        for (key, rate) in rates {
            in_range(key, rate, 1_000_000, RATE_MAX)?;
        }
        let times = [
            ("seek_track_to_track_ns", self.seek_track_to_track_ns.into()),
            ("seek_average_ns", self.seek_average_ns.into()),
            ("seek_full_stroke_ns", self.seek_full_stroke_ns.into()),
            (
                "seek_write_track_to_track_ns",
                self.seek_write_track_to_track_ns.unwrap_or(0).into(),
            ),
            (
                "seek_write_average_ns",
                self.seek_write_average_ns.unwrap_or(0).into(),
            ),
            ("track_switch_ns", self.track_switch_ns.into()),
            ("link.command_ns", self.link.command_ns),
        ];
        for (key, time) in times {
            in_range(key, time, 0, SEEK_MAX_NS)?;
        }
        in_range("read_cache_bytes", self.read_cache_bytes, 0, 1 << 40)?;
        in_range(
            "read_segments_count",
            self.read_segments_count.into(),
            0,
            4096,
        )?;
        in_range("write_cache_bytes", self.write_cache_bytes, 0, 1 << 40)?;
        let runs = self.write_cache_runs_count.into();
        in_range("write_cache_runs_count", runs, 0, 1 << 16)
    }
}
