//! Where a sector is under the heads, and when.
//!
//! The whole disk is unrolled into one line of *media time*: the nanoseconds that a drive needs to
//! get there when it reads everything in order. A track takes one revolution and the switch to the
//! next; the next track begins later on the platter by just that switch (its skew), so the line has
//! no gaps. The model of a drive needs only two consequences:
//!
//! - the angle of a sector is its media time modulo the revolution;
//! - a transfer takes the difference of two media times.
//!
//! Tracks get shorter from the outside to the inside in zones; every zone has as many tracks.
//! Source: Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3),
//! 1994.

use stripewise_profiles::device::disk::DiskProfile;

use crate::narrow::index;
use crate::units::Sectors;

const NS_PER_MINUTE: u64 = 60_000_000_000;
const NS_PER_S: u128 = 1_000_000_000;

/// Adjacent tracks of one length.
#[derive(Debug, Clone, Copy)]
struct Zone {
    first_sector: u64,
    first_track: u64,
    track_sectors: u64,
}

/// The start of a sector: its track, counted through all heads of a cylinder, and its media time.
#[derive(Debug, Clone, Copy)]
pub(super) struct SectorStart {
    pub(super) track: u64,
    pub(super) media_ns: u64,
}

/// The location of every sector.
#[derive(Debug)]
pub(super) struct Geometry {
    revolution_ns: u64,
    track_ns: u64,
    heads: u64,
    tracks: u64,
    sectors: u64,
    zones: Vec<Zone>,
    /// The zone of the first sector in each part of the disk of 2^`part_bits` sectors.
    zone_of_part: Vec<u32>,
    part_bits: u32,
}

/// The least parts of a disk for which a zone is looked up: several in each zone.
const PARTS_MIN: u64 = 256;

impl Geometry {
    /// Returns the capacity of `profile`, laid out in zones.
    pub(super) fn new(profile: &DiskProfile) -> Self {
        let revolution_ns = NS_PER_MINUTE / u64::from(profile.rotation_rpm);
        let track_ns = revolution_ns + u64::from(profile.track_switch_ns);
        let sectors = (profile.capacity_bytes / Sectors::BYTES).max(1);
        let lengths: Vec<u64> = (0..profile.zones_count)
            .map(|zone| track_sectors(zone_rate(profile, zone), track_ns))
            .collect();
        let zone_tracks = sectors.div_ceil(lengths.iter().sum());
        let mut first_sector = 0;
        let mut first_track = 0;
        let mut zones = Vec::with_capacity(lengths.len());
        for track_sectors in lengths {
            zones.push(Zone {
                first_sector,
                first_track,
                track_sectors,
            });
            first_sector += zone_tracks * track_sectors;
            first_track += zone_tracks;
        }
        let part_bits = (first_sector / PARTS_MIN).checked_ilog2().unwrap_or(0);
        let parts = 0..=(first_sector >> part_bits);
        let zone_of_part = parts.map(|part| {
            let after = zones.partition_point(|zone| zone.first_sector <= part << part_bits);
            u32::try_from(after - 1).expect("zones are few")
        });
        Self {
            revolution_ns,
            track_ns,
            heads: u64::from(profile.heads_count),
            tracks: first_track,
            sectors,
            zone_of_part: zone_of_part.collect(),
            part_bits,
            zones,
        }
    }

    /// Returns the time of one revolution.
    pub(super) const fn revolution_ns(&self) -> u64 {
        self.revolution_ns
    }

    /// Returns the number of sectors.
    pub(super) const fn sectors(&self) -> u64 {
        self.sectors
    }

    /// Returns the number of arm positions.
    pub(super) const fn cylinders(&self) -> u64 {
        self.tracks.div_ceil(self.heads)
    }

    /// Returns the track of a sector, counted through all heads of a cylinder.
    pub(super) fn track(&self, sector: u64) -> u64 {
        let zone = self.zone_of(sector);
        zone.first_track + (sector - zone.first_sector) / zone.track_sectors
    }

    /// Returns the position of the arm over a track.
    pub(super) const fn cylinder(&self, track: u64) -> u64 {
        track / self.heads
    }

    /// Returns the media time at which a sector begins.
    pub(super) fn media_ns(&self, sector: u64) -> u64 {
        self.spot(sector).media_ns
    }

    /// Returns where a sector begins.
    pub(super) fn spot(&self, sector: u64) -> SectorStart {
        let zone = self.zone_of(sector);
        let offset = sector - zone.first_sector;
        let track = zone.first_track + offset / zone.track_sectors;
        let within = offset % zone.track_sectors;
        SectorStart {
            track,
            media_ns: track * self.track_ns + within * self.revolution_ns / zone.track_sectors,
        }
    }

    /// Returns the sector under the head at a media time: all before it have passed.
    pub(super) fn sector_at(&self, media_ns: u64) -> u64 {
        let track = media_ns / self.track_ns;
        let within_ns = media_ns % self.track_ns;
        let after = self.zones.partition_point(|zone| zone.first_track <= track);
        let zone = self.zones[after - 1];
        // The last sector whose (rounded down) beginning is not later than `within_ns`.
        let within = ((within_ns + 1) * zone.track_sectors - 1) / self.revolution_ns;
        let sector = zone.first_sector + (track - zone.first_track) * zone.track_sectors;
        (sector + within.min(zone.track_sectors)).min(self.sectors)
    }

    /// Returns the zone of a sector: that of the beginning of its part, or one soon after.
    #[inline]
    fn zone_of(&self, sector: u64) -> &Zone {
        let part = index(sector >> self.part_bits).min(self.zone_of_part.len() - 1);
        let mut zone = self.zone_of_part[part] as usize;
        while let Some(next) = self.zones.get(zone + 1)
            && next.first_sector <= sector
        {
            zone += 1;
        }
        &self.zones[zone]
    }
}

/// Returns the sustained rate of a zone: linear from the first to the last.
fn zone_rate(profile: &DiskProfile, zone: u32) -> u64 {
    let steps = u64::from(profile.zones_count.saturating_sub(1)).max(1);
    let zone = u64::from(zone);
    let outer = profile.sustained_outer_bytes_per_s;
    let inner = profile.sustained_inner_bytes_per_s;
    (outer * (steps - zone) + inner * zone) / steps
}

/// Returns the sectors of a track that, switch included, is read at `bytes_per_s`.
fn track_sectors(bytes_per_s: u64, track_ns: u64) -> u64 {
    let bytes = u128::from(bytes_per_s) * u128::from(track_ns) / NS_PER_S;
    u64::try_from(bytes)
        .map_or(u64::MAX, |bytes| bytes / Sectors::BYTES)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::deskstar;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn media_time_and_sector_are_inverse(sector in 0_u64..7_814_037_168) {
            let geometry = Geometry::new(&deskstar());
            let at = geometry.media_ns(sector);
            prop_assert_eq!(geometry.sector_at(at), sector);
            let before = geometry.sector_at(at.saturating_sub(1));
            prop_assert!(before <= sector && sector <= before + 1);
            prop_assert!(geometry.media_ns(sector + 1) > at);
        }
    }

    #[test]
    fn the_zones_hold_the_capacity_and_run_at_their_rates() {
        let profile = deskstar();
        let geometry = Geometry::new(&profile);
        let rate = |sector: u64| {
            let ns = geometry.media_ns(sector + 1_000_000) - geometry.media_ns(sector);
            512 * 1_000_000 * 1_000_000_000 / ns
        };
        let outer = profile.sustained_outer_bytes_per_s;
        let inner = profile.sustained_inner_bytes_per_s;
        assert!(rate(0).abs_diff(outer) < outer / 200);
        assert!(rate(geometry.sectors() - 1_000_001).abs_diff(inner) < inner / 200);
        let last = geometry.track(geometry.sectors() - 1);
        assert!(last < geometry.tracks && last > geometry.tracks - geometry.tracks / 1000);
    }
}
