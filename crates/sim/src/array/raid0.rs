//! RAID 0: chunks over all devices, in zones when the devices differ in size.
//!
//! The first zone has all members and is as long as the smallest; the next has the larger members,
//! up to the end of the next smallest, and so on. A later zone's first chunk lies on the zone's
//! first member ([`Raid0Layout::Alternate`]), or on the one that follows from the array's chunk
//! number ([`Raid0Layout::Original`]). This changed by accident in 3.14.
//!
//! Source: `create_strip_zones`, `find_zone`, `map_sector` and `raid0_make_request` in
//! `drivers/md/raid0.c` (3.10, 4.1, 4.11, 4.14, 6.1, 6.6, 6.12).

use stripewise_profiles::kernel::{Raid0Layout, Raid0Split};
use stripewise_units::Bytes;

use crate::io::{BioLimit, Member, Place};
use crate::units::Sectors;

/// A part of an array over the same members.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Zone {
    /// Where it begins and ends in the array.
    array_start: u64,
    array_end: u64,
    /// Where it begins and ends on its members.
    member_start: u64,
    member_end: u64,
    members: Vec<Member>,
}

/// The address mapping of one array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raid0 {
    zones: Vec<Zone>,
    chunk_sectors: u64,
    layout: Raid0Layout,
}

/// A part of a bio that md sends as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its first sector in the array.
    pub start: Sectors,
    /// Its length.
    pub length: Sectors,
}

/// An array that md would refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Raid0Error {
    /// Chunks are whole pages.
    #[error("a chunk of {chunk} is not a multiple of 4K")]
    Chunk {
        /// The chunk.
        chunk: Bytes,
    },
    /// A member holds no chunk.
    #[error("a device of {device_size} is smaller than a chunk of {chunk}")]
    Device {
        /// The size of a device's data area.
        device_size: Sectors,
        /// The chunk.
        chunk: Bytes,
    },
    /// There is no member.
    #[error("the array has no members")]
    NoDevice,
}

impl Raid0 {
    /// Returns the mapping of members of these sizes (their data areas), in their order.
    ///
    /// # Errors
    /// [`Raid0Error`] if the kernel refuses such an array.
    pub fn new(sizes: &[Sectors], chunk: Bytes, layout: Raid0Layout) -> Result<Self, Raid0Error> {
        if chunk.as_u64() == 0 || !chunk.as_u64().is_multiple_of(4096) {
            return Err(Raid0Error::Chunk { chunk });
        }
        let chunk_sectors = Sectors::from_bytes(chunk).get();
        let mut rounded = Vec::with_capacity(sizes.len());
        for device_size in sizes.iter().copied() {
            let chunks = device_size.get() / chunk_sectors;
            if chunks == 0 {
                return Err(Raid0Error::Device { device_size, chunk });
            }
            rounded.push(chunks * chunk_sectors);
        }
        let zones = zones(&rounded);
        if zones.is_empty() {
            return Err(Raid0Error::NoDevice);
        }
        Ok(Self {
            zones,
            chunk_sectors,
            layout,
        })
    }

    /// Returns its chunk.
    pub const fn chunk(&self) -> Sectors {
        Sectors::new(self.chunk_sectors)
    }

    /// Returns the size of the array.
    pub fn size(&self) -> Sectors {
        Sectors::new(self.zones.last().map_or(0, |zone| zone.array_end))
    }

    /// Returns where each zone begins in the array, and how many members it has; the first begins
    /// at 0.
    pub fn zones(&self) -> impl Iterator<Item = (Sectors, usize)> {
        let zones = self.zones.iter();
        zones.map(|zone| (Sectors::new(zone.array_start), zone.members.len()))
    }

    /// Returns the place of `sector`.
    ///
    /// # Panics
    /// If the sector is past the array's end.
    pub fn find(&self, sector: Sectors) -> Place {
        let sector = sector.get();
        let zone = self
            .zones
            .iter()
            .find(|zone| sector < zone.array_end)
            .expect("the sector is inside the array");
        let devices = zone.members.len() as u64;
        let in_zone = sector - zone.array_start;
        let counted = match self.layout {
            Raid0Layout::Original => sector,
            Raid0Layout::Alternate => in_zone,
        };
        let row = in_zone / (self.chunk_sectors * devices);
        let column = usize::try_from(counted / self.chunk_sectors % devices);
        let within = sector % self.chunk_sectors;
        Place {
            member: zone.members[column.expect("columns are counted by a usize")],
            sector: Sectors::new(zone.member_start + row * self.chunk_sectors + within),
        }
    }

    /// Returns the array's sector at `place`; `None` if the array does not use it.
    pub fn find_virtual(&self, place: Place) -> Option<Sectors> {
        let sector = place.sector.get();
        let zone = self.zones.iter().find(|zone| sector < zone.member_end)?;
        let column = zone.members.binary_search(&place.member).ok()? as u64;
        let devices = zone.members.len() as u64;
        let first = match self.layout {
            Raid0Layout::Original => zone.array_start / self.chunk_sectors % devices,
            Raid0Layout::Alternate => 0,
        };
        let row = (sector - zone.member_start) / self.chunk_sectors;
        let chunk = row * devices + (column + devices - first) % devices;
        let within = sector % self.chunk_sectors;
        Some(Sectors::new(
            zone.array_start + chunk * self.chunk_sectors + within,
        ))
    }

    /// Splits a bio as md does and puts the pieces into `pieces`, in the order in which the members
    /// get them.
    ///
    /// The block layer first cuts a bio at `limit`: to about the length of a chunk, wherever it
    /// begins (the array's `max_hw_sectors` is its chunk), or at the chunk's border (since 6.17).
    /// md splits pieces that cross a chunk border once more. A piece that is resubmitted to md waits for the rest of the bio
    /// (`generic_make_request`, `submit_bio_noacct`: bios for the members go first, then the newest
    /// of those for the array).
    pub fn split(&self, rule: Raid0Split, limit: BioLimit, bio: Piece, pieces: &mut Vec<Piece>) {
        pieces.clear();
        let end = bio.start + bio.length;
        let mut start = bio.start;
        while start < end {
            let cut = start + limit.first_length(start, end - start);
            let left = self.chunk_sectors - start.get() % self.chunk_sectors;
            let border = cut.min(start + Sectors::new(left));
            let piece = |start, end| Piece {
                start,
                length: end - start,
            };
            let (front, rest) = (piece(start, border), piece(border, cut));
            let whole = rest.length == Sectors::default();
            match rule {
                _ if whole => pieces.push(front),
                Raid0Split::InOrder => pieces.extend([front, rest]),
                Raid0Split::RestFirst => pieces.extend([rest, front]),
                Raid0Split::RestLater => pieces.push(front),
            }
            start = cut;
        }
        if rule == Raid0Split::RestLater {
            self.add_rests(bio, pieces);
        }
    }

    /// Adds the rests between the front pieces of a bio, the last one first.
    fn add_rests(&self, bio: Piece, pieces: &mut Vec<Piece>) {
        let mut end = bio.start + bio.length;
        for index in (0..pieces.len()).rev() {
            let front = pieces[index];
            let front_end = front.start + front.length;
            if front_end < end {
                pieces.push(Piece {
                    start: front_end,
                    length: end - front_end,
                });
            }
            end = front.start;
        }
    }
}

/// Returns the zones of members of these sizes, which are whole chunks.
fn zones(sizes: &[u64]) -> Vec<Zone> {
    let mut zones = Vec::new();
    let mut array_start = 0;
    let mut member_start = 0;
    while let Some(member_end) = sizes
        .iter()
        .copied()
        .filter(|size| *size > member_start)
        .min()
    {
        let members: Vec<Member> = (0..)
            .zip(sizes)
            .filter(|(_, size)| **size > member_start)
            .map(|(index, _)| Member(index))
            .collect();
        let array_end = array_start + (member_end - member_start) * members.len() as u64;
        zones.push(Zone {
            array_start,
            array_end,
            member_start,
            member_end,
            members,
        });
        array_start = array_end;
        member_start = member_end;
    }
    zones
}

#[cfg(test)]
#[path = "raid0_tests.rs"]
mod tests;
