//! RAID 1: every member is a full copy, so a sector has the same number on each of them.
//!
//! Source: `raid1_size` and `align_to_barrier_unit_end` in `drivers/md/raid1.c` (4.11 and later;
//! older kernels do not split).

use stripewise_units::Bytes;

use crate::io::{Member, Place};
use crate::units::Sectors;

/// The address mapping of one array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raid1 {
    members: u16,
    size: Sectors,
    /// The unit of the resync barrier; no bio crosses its border.
    unit: Option<Sectors>,
}

impl Raid1 {
    /// Returns the mapping of `members` of at least `size` each; `unit` is the kernel's
    /// (`raid1_unit_bytes` of its policy).
    pub fn new(members: u16, size: Sectors, unit: Option<Bytes>) -> Self {
        let unit = unit.map(Sectors::from_bytes).filter(|unit| unit.get() > 0);
        Self {
            members,
            size,
            unit,
        }
    }

    /// Returns the size of the array.
    pub const fn size(&self) -> Sectors {
        self.size
    }

    /// Returns the places of all copies of `sector`.
    pub fn find(&self, sector: Sectors) -> impl Iterator<Item = Place> + use<> {
        (0..self.members).map(move |member| Place {
            member: Member(member),
            sector,
        })
    }

    /// Returns the array's sector of which `place` holds a copy; `None` if the array does not use
    /// it.
    pub fn find_virtual(&self, place: Place) -> Option<Sectors> {
        (place.member.0 < self.members && place.sector < self.size).then_some(place.sector)
    }

    /// Returns how much of `length` from `start` md handles as one piece.
    pub fn first_length(&self, start: Sectors, length: Sectors) -> Sectors {
        self.unit.map_or(length, |unit| {
            length.min(Sectors::new(unit.get() - start.get() % unit.get()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bios_end_at_the_barrier_unit_since_there_is_one() {
        let size = Sectors::new(1 << 20);
        let old = Raid1::new(2, size, None);
        let new = Raid1::new(2, size, Some(Bytes::new(64 << 20)));
        let (start, length) = (Sectors::new(131_070), Sectors::new(64));
        assert_eq!(old.first_length(start, length), length);
        assert_eq!(new.first_length(start, length), Sectors::new(2));
        assert_eq!(new.first_length(Sectors::new(131_072), length), length);
    }

    #[test]
    fn every_member_holds_every_sector() {
        let array = Raid1::new(3, Sectors::new(100), None);
        assert_eq!(array.size(), Sectors::new(100));
        let sector = Sectors::new(99);
        assert_eq!(array.find(sector).count(), 3);
        for (index, place) in (0..).zip(array.find(sector)) {
            assert_eq!(place.member, Member(index));
            assert_eq!(array.find_virtual(place), Some(sector));
        }
        let past = |member, sector| Place {
            member: Member(member),
            sector: Sectors::new(sector),
        };
        assert_eq!(array.find_virtual(past(0, 100)), None);
        assert_eq!(array.find_virtual(past(3, 0)), None);
    }
}
