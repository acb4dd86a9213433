//! Linear: members one after the other.
//!
//! Source: `linear_conf`, `which_dev` and `linear_make_request` in `drivers/md/linear.c` (4.1 to
//! 6.1; 6.8 to 6.13 have no linear level).

use crate::io::{Member, Place};
use crate::units::Sectors;

/// The address mapping of one array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// Where each member ends in the array.
    ends: Vec<Sectors>,
}

impl Linear {
    /// Returns the mapping of members of these sizes (their data areas), in their order; members
    /// are cut to a multiple of `rounding` (mdadm's `--chunk`), if there is one.
    pub fn new(sizes: &[Sectors], rounding: Option<Sectors>) -> Self {
        let mut end = Sectors::default();
        let ends = sizes
            .iter()
            .map(|size| {
                let unit = rounding.map_or(1, |rounding| rounding.get().max(1));
                end += Sectors::new(size.get() / unit * unit);
                end
            })
            .collect();
        Self { ends }
    }

    /// Returns the size of the array.
    pub fn size(&self) -> Sectors {
        self.ends.last().copied().unwrap_or_default()
    }

    /// Returns the place of `sector`.
    ///
    /// # Panics
    /// If the sector is past the array's end.
    pub fn find(&self, sector: Sectors) -> Place {
        assert!(sector < self.size(), "{sector} is past the array's end");
        let index = self.ends.partition_point(|end| *end <= sector);
        Place {
            member: Member(u16::try_from(index).expect("md has fewer members")),
            sector: sector - self.start(index),
        }
    }

    /// Returns the array's sector at `place`; `None` if the array does not use it.
    pub fn find_virtual(&self, place: Place) -> Option<Sectors> {
        let end = *self.ends.get(place.member.index())?;
        let sector = self.start(place.member.index()) + place.sector;
        (sector < end).then_some(sector)
    }

    /// Returns how much of `length` from `start` lies on one member.
    pub fn first_length(&self, start: Sectors, length: Sectors) -> Sectors {
        let member = self.find(start).member;
        length.min(self.ends[member.index()] - start)
    }

    fn start(&self, index: usize) -> Sectors {
        index
            .checked_sub(1)
            .map_or_else(Sectors::default, |before| self.ends[before])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn members_are_cut_to_the_rounding() {
        let sizes = [100, 65, 200].map(Sectors::new);
        assert_eq!(Linear::new(&sizes, None).size(), Sectors::new(365));
        let rounded = Linear::new(&sizes, Some(Sectors::new(64)));
        assert_eq!(rounded.size(), Sectors::new(64 + 64 + 192));
        let place = |member, sector| Place {
            member: Member(member),
            sector: Sectors::new(sector),
        };
        assert_eq!(rounded.find(Sectors::new(130)), place(2, 2));
        assert_eq!(rounded.find_virtual(place(0, 64)), None);
        let first = rounded.first_length(Sectors::new(120), Sectors::new(100));
        assert_eq!(first, Sectors::new(8));
        assert_eq!(Linear::new(&[], None).size(), Sectors::default());
    }

    proptest! {
        #[test]
        fn sectors_and_places_map_one_to_one(
            sizes in proptest::collection::vec(1_u64..200, 1..6),
            rounding in proptest::option::of(1_u64..40),
        ) {
            let sectors: Vec<Sectors> = sizes.iter().copied().map(Sectors::new).collect();
            let array = Linear::new(&sectors, rounding.map(Sectors::new));
            let mut found = 0;
            for (member, size) in (0..).zip(&sizes) {
                for sector in 0..size + 3 {
                    let place = Place { member: Member(member), sector: Sectors::new(sector) };
                    if let Some(sector) = array.find_virtual(place) {
                        prop_assert_eq!(array.find(sector), place);
                        found += 1;
                    }
                }
            }
            prop_assert_eq!(Sectors::new(found), array.size());
        }
    }
}
