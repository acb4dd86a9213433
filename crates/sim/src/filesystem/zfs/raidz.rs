//! Where the sectors of a block lie in a raidz: columns of one stripe of variable width.
//!
//! Sectors are those of the pool (`1 << ashift`). Source: `vdev_raidz_map_alloc` and
//! `vdev_raidz_psize_to_asize` in `vdev_raidz.c`.

/// The part of a block on one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    /// The device, counted within the raidz.
    pub(crate) child: u64,
    /// Its first sector there.
    pub(crate) start: u64,
    /// Its sectors of data or parity.
    pub(crate) length: u64,
    /// Padding behind it, which makes the block a multiple of `parity + 1` sectors.
    pub(crate) skip: u64,
    /// Whether it is parity, which is not read as long as the data is good.
    pub(crate) is_parity: bool,
}

/// The shape of a raidz.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raidz {
    /// How many devices.
    pub(crate) children: u64,
    /// How many parities: 1 to 3.
    pub(crate) parity: u64,
    /// Bytes of a sector as a power of two.
    pub(crate) ashift: u32,
}

impl Raidz {
    /// Returns how many sectors a block of `sectors` occupies with parity and padding.
    pub(crate) fn allocated(self, sectors: u64) -> u64 {
        let rows = sectors.div_ceil(self.children - self.parity);
        (sectors + self.parity * rows).next_multiple_of(self.parity + 1)
    }

    /// Adds the columns of a block of `sectors` at sector `at` of the raidz.
    pub(crate) fn map(self, at: u64, sectors: u64, columns: &mut Vec<Column>) {
        let data = self.children - self.parity;
        let (rows, rest) = (sectors / data, sectors % data);
        let big = if rest == 0 { 0 } else { rest + self.parity };
        let total = sectors + self.parity * sectors.div_ceil(data);
        let padding = total.next_multiple_of(self.parity + 1) - total;
        let used = if rows == 0 { big } else { self.children };
        let first = columns.len();
        for column in 0..used {
            let place = at % self.children + column;
            columns.push(Column {
                child: place % self.children,
                start: at / self.children + place / self.children,
                length: rows + u64::from(column < big),
                skip: 0,
                is_parity: column < self.parity,
            });
        }
        for pad in 0..padding {
            self.pad(at + total + pad, &mut columns[first..], used);
        }
        // "we therefore switch the parity every 1MB"
        let megabyte = 1 << (20 - self.ashift);
        if self.parity == 1 && at & megabyte != 0 {
            let (one, two) = (columns[first], columns[first + 1]);
            columns[first] = Column {
                is_parity: true,
                ..two
            };
            columns[first + 1] = Column {
                is_parity: false,
                ..one
            };
        }
    }

    /// Adds a sector of padding to the column that it follows. A block on fewer devices than there
    /// are has its padding on the others, where the engine does not write it: it is optional
    /// (`ZIO_FLAG_OPTIONAL`).
    fn pad(self, at: u64, columns: &mut [Column], used: u64) {
        if used < self.children {
            return;
        }
        let (child, row) = (at % self.children, at / self.children);
        let follows = |column: &&mut Column| {
            column.child == child && column.start + column.length + column.skip == row
        };
        if let Some(column) = columns.iter_mut().find(follows) {
            column.skip += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Places a block sector by sector: position `at + n` is on device `(at + n) % children`.
    fn oracle(raidz: Raidz, at: u64, sectors: u64) -> BTreeMap<(u64, u64), bool> {
        let total = sectors + raidz.parity * sectors.div_ceil(raidz.children - raidz.parity);
        let mut placed = BTreeMap::new();
        for n in 0..total {
            let place = at + n;
            let is_parity = n % raidz.children < raidz.parity;
            placed.insert((place % raidz.children, place / raidz.children), is_parity);
        }
        let swaps = raidz.parity == 1 && (at << raidz.ashift) & (1 << 20) != 0;
        if swaps {
            let is_column = |n: u64, (child, _): &(u64, u64)| *child == (at + n) % raidz.children;
            for (place, is_parity) in &mut placed {
                *is_parity = match () {
                    () if is_column(0, place) => false,
                    () if is_column(1, place) => true,
                    () => *is_parity,
                };
            }
        }
        placed
    }

    #[test]
    fn columns_hold_the_sectors_that_counting_them_out_gives() {
        for parity in 1..=3 {
            for children in parity + 1..=9 {
                for ashift in [9, 12] {
                    let raidz = Raidz {
                        children,
                        parity,
                        ashift,
                    };
                    for sectors in [1, 2, 3, 4, 5, 7, 8, 31, 32, 33] {
                        for at in [0, 1, 5, 255, 256, 259, 2048, 2051, 4095] {
                            check(raidz, at, sectors);
                        }
                    }
                }
            }
        }
    }

    fn check(raidz: Raidz, at: u64, sectors: u64) {
        let mut columns = Vec::new();
        raidz.map(at, sectors, &mut columns);
        let mut found = BTreeMap::new();
        let mut padding = 0;
        for column in &columns {
            for sector in 0..column.length {
                let place = (column.child, column.start + sector);
                assert_eq!(found.insert(place, column.is_parity), None, "{columns:?}");
            }
            padding += column.skip;
        }
        assert_eq!(
            found,
            oracle(raidz, at, sectors),
            "{raidz:?} {at} {sectors}"
        );
        let data = columns.iter().filter(|column| !column.is_parity);
        assert_eq!(data.map(|column| column.length).sum::<u64>(), sectors);
        if columns.len() as u64 == raidz.children {
            assert_eq!(found.len() as u64 + padding, raidz.allocated(sectors));
        }
    }

    #[test]
    fn small_blocks_are_padded_to_a_multiple_of_parity_plus_one() {
        let raidz = Raidz {
            children: 5,
            parity: 1,
            ashift: 12,
        };
        let allocated = [1, 2, 3, 4, 5, 8].map(|sectors| raidz.allocated(sectors));
        assert_eq!(allocated, [2, 4, 4, 6, 8, 10]);
    }
}
