//! The class of a device, from its rows: it determines the assumed values.

use crate::points::{Point, Side};

/// The classes of devices with different defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A hard disk.
    Rotational,
    /// Flash behind a SATA or SAS link.
    Sata,
    /// Flash behind PCIe.
    Nvme,
}

/// Small I/Os: their transfer takes hardly any time.
const SMALL: std::ops::RangeInclusive<u64> = 4096..=16_384;
/// No flash takes as long for each of its small random reads.
const OF_DISKS_NS: f64 = 3e6;
/// No arm reaches as many small random reads, however deep the queue.
const OF_FLASH_NS: f64 = 0.5e6;

/// Returns the times of small random reads.
fn small_read_times_ns(points: &[&Point]) -> impl Iterator<Item = f64> {
    let is_small_read = |point: &&&Point| {
        point.pattern.is_random()
            && point.direction() == Some(Side::Read)
            && SMALL.contains(&point.block_size_bytes)
    };
    points
        .iter()
        .filter(is_small_read)
        .map(|point| point.time_ns())
}

/// Returns whether the points are those of a hard disk; `None` if no small random read shows it.
pub(crate) fn is_rotational(points: &[&Point]) -> Option<bool> {
    if small_read_times_ns(points).any(|time_ns| time_ns > OF_DISKS_NS) {
        return Some(true);
    }
    small_read_times_ns(points)
        .any(|time_ns| time_ns < OF_FLASH_NS)
        .then_some(false)
}

impl Class {
    /// Returns the class of a device with these rows, each in one direction: small random reads of
    /// hard disks take milliseconds; SATA is limited to 600 MB/s, so above 1 GB/s it is PCIe.
    pub(super) fn of(points: &[&Point]) -> Self {
        if is_rotational(points) == Some(true) {
            return Class::Rotational;
        }
        let best = points.iter().map(|point| point.bandwidth_bytes_per_s);
        match best.fold(0.0, f64::max) > 1e9 {
            true => Class::Nvme,
            false => Class::Sata,
        }
    }

    /// Returns the class in a few words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Class::Rotational => "a hard disk",
            Class::Sata => "a SATA SSD",
            Class::Nvme => "an NVMe SSD",
        }
    }

    /// Returns the usual bandwidth of its link: a platter's outer tracks, SATA 6 Gb/s less its
    /// protocol, four lanes of PCIe 3.0.
    pub(super) const fn link_bytes_per_s(self) -> f64 {
        match self {
            Class::Rotational => 2.5e8,
            Class::Sata => 5.5e8,
            Class::Nvme => 3.5e9,
        }
    }

    /// Returns how many reads and how many writes it serves at once.
    ///
    /// Flash: the rate at depth 32 over that at depth 1 on the data sheet of the Samsung 850 EVO,
    /// 98 over 10 and 88 over 40 thousand I/Os per second, rounded down.
    pub(super) const fn servers(self) -> (u32, u32) {
        match self {
            Class::Rotational => (1, 1),
            Class::Sata | Class::Nvme => (8, 2),
        }
    }

    /// Returns its queue depth: NCQ's 32, or the kernel's default for NVMe.
    pub(super) const fn queue_depth(self) -> u32 {
        match self {
            Class::Rotational | Class::Sata => 32,
            Class::Nvme => 1023,
        }
    }

    /// Returns how long a flush takes: a few turns of a platter; a Samsung 850 EVO's write and
    /// `fsync`, measured; a consumer's NVMe SSD.
    pub(super) const fn flush_ns(self) -> u64 {
        match self {
            Class::Rotational => 30_000_000,
            Class::Sata => 3_200_000,
            Class::Nvme => 500_000,
        }
    }
}

/// Returns the smallest usual capacity that holds `needed_bytes` and some spare space.
pub(super) fn capacity(needed_bytes: u64) -> u64 {
    const GB: u64 = 1_000_000_000;
    const USUAL_GB: [u64; 9] = [120, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000];
    let needed = needed_bytes.saturating_add(needed_bytes / 8);
    let usual = USUAL_GB
        .into_iter()
        .map(|gb| gb * GB)
        .find(|usual| *usual >= needed);
    usual.unwrap_or(needed.min(1 << 60))
}
