//! btrfs: which devices a chunk lies on, and where a block of it is.
//!
//! ```text
//!  file --> logical addresses, in chunks --> stripes of 64 KiB on devices
//!             |  a chunk takes the devices with the most free space
//!             new data gets the next free addresses: nothing is overwritten
//! ```
//!
//! Source: `fs/btrfs/volumes.c` of 6.1.192 and 6.12.117, which decide alike here:
//! `btrfs_raid_array`, `gather_device_info` and `btrfs_cmp_device_info`,
//! `decide_stripe_size_regular`, `init_alloc_chunk_ctl_policy_regular`, `btrfs_map_block` (in 6.12
//! `map_blocks_raid0` and its siblings), `find_live_mirror`; the size of a chunk is
//! `calc_chunk_size` in `fs/btrfs/space-info.c`.
//!
//! Devices with equal free space are sorted by the kernel's heap sort, whose order of equals is not
//! defined; here the first comes first.

use stripewise_study::pool::Profile;

use crate::io::{Member, Place};
use crate::narrow::index;
use crate::units::Sectors;

/// The most copies of a block.
pub(crate) const COPIES_MAX: usize = 4;
/// The length of a stripe on one device (`BTRFS_STRIPE_LEN`).
const STRIPE: u64 = 128;
/// The first sector of a device that a chunk may use (`BTRFS_DEVICE_RANGE_RESERVED`).
const RESERVED: u64 = 2048;
const GIB: u64 = 1 << 21;
/// A stripe is rounded up to this if the chunk would be too long.
const STRIPE_ROUND: u64 = 16 << 11;
/// The most chunks: more are never used, and a map has room for them.
const CHUNKS_MAX: usize = 1 << 16;

/// What a chunk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Files' data.
    Data,
    /// Trees.
    Metadata,
}

/// The devices' free space.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    sizes: Vec<u64>,
    used: Vec<u64>,
}

/// A range of logical addresses, and where it lies.
#[derive(Debug, Clone)]
struct Chunk {
    start: u64,
    length: u64,
    /// The first of its stripes, and how many there are.
    first: usize,
    stripes: usize,
}

/// The chunks of one profile, in the order of their addresses.
#[derive(Debug, Clone)]
pub(crate) struct ChunkMap {
    profile: Profile,
    chunks: Vec<Chunk>,
    stripes: Vec<Place>,
}

impl Space {
    /// Returns devices of these sizes, all free.
    pub(crate) fn new(sizes: &[Sectors]) -> Self {
        Self {
            sizes: sizes.iter().map(|size| size.get()).collect(),
            used: vec![RESERVED; sizes.len()],
        }
    }

    fn free(&self, device: usize) -> u64 {
        self.sizes[device].saturating_sub(self.used[device])
    }

    fn total(&self) -> u64 {
        self.sizes.iter().sum()
    }
}

/// Returns the stripes of a chunk on each device, and the fewest devices, the most, and what their
/// number is a multiple of (`dev_stripes`, `devs_min`, `devs_max`, `devs_increment`).
const fn shape(profile: Profile) -> (u64, usize, usize, usize) {
    match profile {
        Profile::Single => (1, 1, 1, 1),
        Profile::Dup => (2, 1, 1, 1),
        Profile::Raid0 => (1, 1, usize::MAX, 1),
        Profile::Raid1 => (1, 2, 2, 2),
        Profile::Raid1c3 => (1, 3, 3, 3),
        Profile::Raid1c4 => (1, 4, 4, 4),
        Profile::Raid10 => (1, 2, usize::MAX, 2),
    }
}

impl ChunkMap {
    /// Allocates chunks until they hold `needed` sectors or the devices are full.
    pub(crate) fn new(profile: Profile, holds: Holds, space: &mut Space, needed: Sectors) -> Self {
        let mut map = Self {
            profile,
            chunks: Vec::new(),
            stripes: Vec::new(),
        };
        while map.size() < needed && map.chunks.len() < CHUNKS_MAX && map.allocate(holds, space) {}
        map
    }

    /// Returns how much the chunks hold.
    pub(crate) fn size(&self) -> Sectors {
        let end = self.chunks.last().map(|chunk| chunk.start + chunk.length);
        Sectors::new(end.unwrap_or(0))
    }

    /// Returns how many copies there are.
    pub(crate) const fn copies(&self) -> u64 {
        self.profile.copies() as u64
    }

    /// Allocates the next chunk; returns whether there was room.
    fn allocate(&mut self, holds: Holds, space: &mut Space) -> bool {
        let (each, least, most, multiple) = shape(self.profile);
        let of_kind = match holds {
            Holds::Data => 10 * GIB,
            Holds::Metadata if space.total() > 50 * GIB => GIB,
            Holds::Metadata => GIB / 4,
        };
        let chunk_max = of_kind.min(space.total() / 10);
        let stripe_max = of_kind.min(GIB) * each;
        let mut devices: Vec<usize> = (0..space.sizes.len())
            .filter(|device| space.free(*device) >= STRIPE * each)
            .collect();
        let holes = |device: usize| (space.free(device).min(stripe_max), space.free(device));
        devices.sort_by_key(|device| std::cmp::Reverse(holes(*device)));
        let count = (devices.len() / multiple * multiple).min(most);
        if count < least {
            return false;
        }
        devices.truncate(count);
        let copies = u64::from(self.profile.copies());
        let data_stripes = devices.len() as u64 * each / copies;
        let smallest = devices.last().map_or(0, |device| holes(*device).0);
        let mut stripe = smallest / each;
        if stripe * data_stripes > chunk_max {
            stripe = stripe.min((chunk_max / data_stripes).next_multiple_of(STRIPE_ROUND));
        }
        let stripe = stripe.min(GIB) / STRIPE * STRIPE;
        if stripe == 0 {
            return false;
        }
        let first = self.stripes.len();
        for device in devices {
            for _ in 0..each {
                self.stripes.push(Place {
                    member: Member(u16::try_from(device).unwrap_or(u16::MAX)),
                    sector: Sectors::new(space.used[device]),
                });
                space.used[device] += stripe;
            }
        }
        self.chunks.push(Chunk {
            start: self.size().get(),
            length: stripe * data_stripes,
            first,
            stripes: self.stripes.len() - first,
        });
        true
    }

    /// Writes the places of all copies of an address into `places`; returns how many there are and
    /// how far they reach. Nothing for an address beyond the chunks.
    #[inline]
    pub(crate) fn find(
        &self,
        at: Sectors,
        places: &mut [Place; COPIES_MAX],
    ) -> Option<(usize, Sectors)> {
        let at = at.get();
        let next = self.chunks.partition_point(|chunk| chunk.start <= at);
        let chunk = self.chunks.get(next.checked_sub(1)?)?;
        let offset = at - chunk.start;
        let left = chunk.length.checked_sub(offset).filter(|left| *left > 0)?;
        let stripes = &self.stripes[chunk.first..chunk.first + chunk.stripes];
        let copies = self.profile.copies() as usize;
        let (row, within) = (offset / STRIPE, offset % STRIPE);
        let columns = stripes.len() / copies;
        let (first, sector, length) = match self.profile {
            Profile::Raid0 | Profile::Raid10 => {
                let column = index(row % columns as u64);
                let sector = row / columns as u64 * STRIPE + within;
                (column * copies, sector, STRIPE - within)
            }
            _ => (0, offset, left),
        };
        for (place, stripe) in places.iter_mut().zip(&stripes[first..first + copies]) {
            *place = Place {
                member: stripe.member,
                sector: stripe.sector + Sectors::new(sector),
            };
        }
        Some((copies, Sectors::new(length)))
    }

    /// Returns which copy the process `pid` reads: two copies on one device are read from the first.
    #[inline]
    pub(crate) const fn copy_read_by(&self, pid: u32) -> usize {
        match self.profile {
            Profile::Single | Profile::Dup | Profile::Raid0 => 0,
            _ => (pid % self.profile.copies()) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const ALL: [Profile; 7] = [
        Profile::Single,
        Profile::Dup,
        Profile::Raid0,
        Profile::Raid1,
        Profile::Raid1c3,
        Profile::Raid1c4,
        Profile::Raid10,
    ];

    /// Deals the stripes of a chunk out one by one, as a table of all its 64 KiB blocks.
    fn dealt(profile: Profile, stripes: &[Place], blocks: u64) -> Vec<Vec<Place>> {
        let copies = profile.copies() as usize;
        let mut fill = vec![0; stripes.len()];
        let mut column = 0;
        let is_striped = matches!(profile, Profile::Raid0 | Profile::Raid10);
        (0..blocks)
            .map(|_| {
                let own: Vec<usize> = (column..column + copies).collect();
                if is_striped {
                    column = (column + copies) % stripes.len();
                }
                let place = |stripe: &usize| {
                    let sector = stripes[*stripe].sector + Sectors::new(fill[*stripe] * STRIPE);
                    fill[*stripe] += 1;
                    Place {
                        member: stripes[*stripe].member,
                        sector,
                    }
                };
                own.iter().map(place).collect()
            })
            .collect()
    }

    #[test]
    fn every_block_lies_where_dealing_stripes_out_puts_it_and_nowhere_else() {
        let sizes = [9, 7, 7, 5, 6].map(|gib| Sectors::new(gib * GIB));
        for profile in ALL {
            let mut space = Space::new(&sizes);
            let map = ChunkMap::new(profile, Holds::Data, &mut space, Sectors::new(u64::MAX));
            let mut used = BTreeSet::new();
            for chunk in &map.chunks {
                let stripes = &map.stripes[chunk.first..chunk.first + chunk.stripes];
                let table = dealt(profile, stripes, chunk.length / STRIPE);
                for (row, expected) in (0_u64..).zip(table).step_by(61) {
                    let mut places = [Place::default(); COPIES_MAX];
                    let at = Sectors::new(chunk.start + row * STRIPE + 5);
                    let (copies, length) = map.find(at, &mut places).unwrap();
                    assert!(length >= Sectors::new(STRIPE - 5));
                    assert_eq!(copies, expected.len());
                    for (found, expected) in places.iter().zip(expected) {
                        assert_eq!(found.member, expected.member);
                        assert_eq!(found.sector, expected.sector + Sectors::new(5));
                        assert!(used.insert(*found), "{profile:?}: two blocks at {found:?}");
                        assert!(found.sector < sizes[found.member.index()]);
                    }
                    let members: BTreeSet<_> =
                        places[..copies].iter().map(|it| it.member).collect();
                    assert!(members.len() == copies || profile == Profile::Dup);
                }
            }
        }
    }

    #[test]
    fn mirrored_chunks_go_to_the_two_devices_with_the_most_room() {
        let sizes = [40, 30, 30].map(|gib| Sectors::new(gib * GIB + RESERVED));
        let mut space = Space::new(&sizes);
        let map = ChunkMap::new(
            Profile::Raid1,
            Holds::Data,
            &mut space,
            Sectors::new(u64::MAX),
        );
        assert_eq!(map.size(), Sectors::new(50 * GIB));
        let pairs = map.chunks.iter().take(3).map(|chunk| {
            let stripes = &map.stripes[chunk.first..chunk.first + 2];
            (stripes[0].member.0, stripes[1].member.0)
        });
        assert_eq!(pairs.collect::<Vec<_>>(), [(0, 1), (0, 2), (0, 1)]);
    }

    #[test]
    fn a_process_reads_one_copy() {
        let mut space = Space::new(&[Sectors::new(100 * GIB); 3]);
        let map = ChunkMap::new(Profile::Raid1c3, Holds::Data, &mut space, Sectors::new(GIB));
        assert_eq!([0, 1, 2, 3].map(|pid| map.copy_read_by(pid)), [0, 1, 2, 0]);
    }
}
