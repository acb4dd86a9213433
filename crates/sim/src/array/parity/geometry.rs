//! Where RAID 4, 5 and 6 put data and parity.
//!
//! A row of chunks, one on each member at the same position, holds the data chunks and one or two
//! parity chunks. Layouts differ in which member holds parity in which row, and in where the data
//! begins:
//!
//! ```text
//!   left-symmetric      left-asymmetric     right-symmetric     right-asymmetric
//!   0  1  2  P          0  1  2  P          P  0  1  2          P  0  1  2
//!   4  5  P  3          3  4  P  5          5  P  3  4          3  P  4  5
//!   8  P  6  7          6  P  7  8          7  8  P  6          6  7  P  8
//! ```
//!
//! The rules are those of `raid5_compute_sector` and `raid5_compute_blocknr` (the same from Linux
//! 4.1 to 6.12).

use stripewise_study::stack::Level;

use crate::io::Member;
use crate::units::Sectors;

/// The layout of a parity array, in md's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParityLayout {
    /// Parity moves left, data fills the row from the left around it.
    LeftAsymmetric,
    /// Parity moves right, data fills the row from the left around it.
    RightAsymmetric,
    /// Parity moves left, data begins after it and wraps; mdadm's default.
    LeftSymmetric,
    /// Parity moves right, data begins after it and wraps.
    RightSymmetric,
    /// Parity always on the first member(s).
    ParityFirst,
    /// Parity always on the last member(s): RAID 4.
    ParityLast,
    /// RAID 6: as right-asymmetric, Q computed in DDF's order.
    DdfZeroRestart,
    /// RAID 6: as left-asymmetric, shifted by one row.
    DdfNRestart,
    /// RAID 6: as left-symmetric, with Q before P.
    DdfNContinue,
    /// RAID 6 made from RAID 5: left-asymmetric, with Q on the last member.
    LeftAsymmetric6,
    /// RAID 6 made from RAID 5: right-asymmetric, with Q on the last member.
    RightAsymmetric6,
    /// RAID 6 made from RAID 5: left-symmetric, with Q on the last member.
    LeftSymmetric6,
    /// RAID 6 made from RAID 5: right-symmetric, with Q on the last member.
    RightSymmetric6,
    /// RAID 6 made from RAID 5: parity first, with Q on the last member.
    ParityFirst6,
}

const NAMES: [(&str, ParityLayout); 14] = [
    ("left-asymmetric", ParityLayout::LeftAsymmetric),
    ("right-asymmetric", ParityLayout::RightAsymmetric),
    ("left-symmetric", ParityLayout::LeftSymmetric),
    ("right-symmetric", ParityLayout::RightSymmetric),
    ("parity-first", ParityLayout::ParityFirst),
    ("parity-last", ParityLayout::ParityLast),
    ("ddf-zero-restart", ParityLayout::DdfZeroRestart),
    ("ddf-N-restart", ParityLayout::DdfNRestart),
    ("ddf-N-continue", ParityLayout::DdfNContinue),
    ("left-asymmetric-6", ParityLayout::LeftAsymmetric6),
    ("right-asymmetric-6", ParityLayout::RightAsymmetric6),
    ("left-symmetric-6", ParityLayout::LeftSymmetric6),
    ("right-symmetric-6", ParityLayout::RightSymmetric6),
    ("parity-first-6", ParityLayout::ParityFirst6),
];

impl ParityLayout {
    /// Returns the layout that mdadm(8) calls `name`, if there is one.
    pub fn parse(name: &str) -> Option<Self> {
        let found = NAMES.iter().find(|(known, _)| *known == name)?;
        Some(found.1)
    }

    /// Returns the layout's name in mdadm(8).
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(_, layout)| *layout == self)
            .map_or("", |(name, _)| name)
    }

    /// Returns whether only RAID 6 has it.
    const fn needs_raid6(self) -> bool {
        !matches!(
            self,
            Self::LeftAsymmetric
                | Self::RightAsymmetric
                | Self::LeftSymmetric
                | Self::RightSymmetric
                | Self::ParityFirst
                | Self::ParityLast
        )
    }
}

/// An array that md would refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GeometryError {
    /// Not a parity level.
    #[error("{0} has no parity")]
    Level(Level),
    /// The level has no such layout.
    #[error("{level} has no layout `{layout}`")]
    Layout {
        /// The level.
        level: Level,
        /// mdadm's name of the layout.
        layout: &'static str,
    },
    /// Too few members.
    #[error("{level} needs at least {least} members, not {members}")]
    Members {
        /// The level.
        level: Level,
        /// How many were given.
        members: u16,
        /// How many are needed.
        least: u16,
    },
    /// md works on blocks of 4 KiB and requires chunks of a power of two.
    #[error("a chunk of {0} is not a power of two of at least 8 sectors")]
    Chunk(Sectors),
}

/// The sectors of a block, md's unit of parity work (`STRIPE_SECTORS`: 4 KiB).
pub const BLOCK_SECTORS: u64 = 8;

/// How data indices of a row are spread over its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// In order, from the member after the parity, wrapping after `ring` members.
    Behind { skip: u16, ring: u16 },
    /// In order from the first member, skipping the parity.
    Around,
    /// In order from member `first`.
    From(u16),
}

/// Which members hold the parity of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParityMembers {
    /// The member with P.
    pub parity: u16,
    /// The member with Q (RAID 6).
    pub syndrome: Option<u16>,
}

impl ParityMembers {
    /// Returns whether `member` holds parity here.
    pub fn is_parity(self, member: u16) -> bool {
        self.parity == member || self.syndrome == Some(member)
    }
}

/// Where a sector of the array lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// The member with the data.
    pub member: Member,
    /// The sector on each member's data area: also the position of its parity.
    pub sector: u64,
}

/// The arithmetic of one array.
#[derive(Debug, Clone, Copy)]
pub struct Geometry {
    layout: ParityLayout,
    members: u16,
    data_members: u16,
    chunk_shift: u32,
    spread: Spread,
}

impl Geometry {
    /// Returns the geometry of an array of `members` members; RAID 4 ignores `layout`.
    ///
    /// # Errors
    /// [`GeometryError`] if md has no such array.
    pub fn new(
        level: Level,
        layout: ParityLayout,
        members: u16,
        chunk: Sectors,
    ) -> Result<Self, GeometryError> {
        let (parities, least) = match level {
            Level::Raid4 | Level::Raid5 => (1, 2),
            Level::Raid6 => (2, 4),
            _ => return Err(GeometryError::Level(level)),
        };
        let layout = match level {
            Level::Raid4 => ParityLayout::ParityLast,
            Level::Raid5 if layout.needs_raid6() => {
                let layout = layout.name();
                return Err(GeometryError::Layout { level, layout });
            }
            _ => layout,
        };
        if members < least {
            return Err(GeometryError::Members {
                level,
                members,
                least,
            });
        }
        if !chunk.get().is_power_of_two() || chunk.get() < BLOCK_SECTORS {
            return Err(GeometryError::Chunk(chunk));
        }
        Ok(Self {
            layout,
            members,
            data_members: members - parities,
            chunk_shift: chunk.get().trailing_zeros(),
            spread: spread(layout, members, parities),
        })
    }

    /// Returns how many members there are.
    pub const fn members(&self) -> u16 {
        self.members
    }

    /// Returns how many members of each row hold data.
    pub const fn data_members(&self) -> u16 {
        self.data_members
    }

    /// Returns how many stripes the array's blocks from `first` to `end` (exclusive) occupy.
    pub fn stripes_of(&self, first: u64, end: u64) -> u64 {
        let chunk = self.chunk_sectors() / BLOCK_SECTORS;
        let row = chunk * u64::from(self.data_members());
        let in_row = |from: u64, to: u64| (to - from).min(chunk);
        let (first_row, last_row) = (first / row, end.saturating_sub(1) / row);
        match last_row - first_row {
            0 => in_row(first, end),
            rows => {
                in_row(first, (first_row + 1) * row)
                    + (rows - 1) * chunk
                    + in_row(last_row * row, end)
            }
        }
    }

    /// Returns how many members of each row hold parity (`max_degraded`).
    pub const fn parities(&self) -> u16 {
        self.members - self.data_members
    }

    /// Returns the sectors of a chunk.
    #[inline]
    pub const fn chunk_sectors(&self) -> u64 {
        1 << self.chunk_shift
    }

    /// Returns in which chunk a sector lies: a division by a number that the compiler does not know takes
    /// longer than all else around it.
    #[inline]
    pub const fn chunk_of(&self, sector: u64) -> u64 {
        sector >> self.chunk_shift
    }

    /// Returns where `sector` of the array lies (`raid5_compute_sector`).
    pub fn locate(&self, sector: u64) -> Located {
        let chunk = self.chunk_of(sector);
        let number = chunk / u64::from(self.data_members);
        let index = small(chunk - number * u64::from(self.data_members));
        Located {
            member: Member(self.data_member(self.row_numbered(number), index)),
            sector: (number << self.chunk_shift) + self.offset(sector),
        }
    }

    /// Returns the members that hold parity at `sector`.
    pub fn row(&self, sector: u64) -> ParityMembers {
        self.row_numbered(self.chunk_of(sector))
    }

    /// Returns the array's sector that data chunk 0 of the row holds at member sector `sector`. The
    /// next data chunk holds the one a chunk further.
    pub fn row_start(&self, sector: u64) -> u64 {
        let number = self.chunk_of(sector);
        ((number * u64::from(self.data_members)) << self.chunk_shift) + self.offset(sector)
    }

    /// Returns the array's sector at `sector` of `member`; `None` if that is parity
    /// (`raid5_compute_blocknr`).
    pub fn array_sector(&self, member: Member, sector: u64) -> Option<u64> {
        let index = self.data_index(self.row(sector), member.0)?;
        Some(self.row_start(sector) + (u64::from(index) << self.chunk_shift))
    }

    /// Returns the member that holds data chunk `index` of a row.
    pub fn data_member(&self, row: ParityMembers, index: u16) -> u16 {
        match self.spread {
            Spread::Behind { skip, ring } => (row.parity + skip + index) % ring,
            Spread::From(first) => first + index,
            Spread::Around => index + self.jump(row, index),
        }
    }

    /// Returns which data chunk of a row `member` holds; `None` if it holds parity.
    fn data_index(&self, row: ParityMembers, member: u16) -> Option<u16> {
        if row.is_parity(member) {
            return None;
        }
        Some(match self.spread {
            Spread::Behind { skip, ring } => (member + 2 * ring - row.parity - skip) % ring,
            Spread::From(first) => member - first,
            Spread::Around => {
                let before = |parity: u16| u16::from(parity < member);
                member - before(row.parity) - row.syndrome.map_or(0, before)
            }
        })
    }

    /// Returns how many members data chunk `index` moves to the right to make room for parity.
    fn jump(&self, row: ParityMembers, index: u16) -> u16 {
        match row.syndrome {
            Some(0) => 1,
            Some(q) if q == row.parity + 1 => 2 * u16::from(index >= row.parity),
            _ => u16::from(index >= row.parity),
        }
    }

    fn row_numbered(&self, number: u64) -> ParityMembers {
        let turn = |ring: u16, number: u64| small(number % u64::from(ring));
        let all = self.members;
        let last = all - 1;
        let raid6 = self.parities() == 2;
        let next = |parity: u16| raid6.then(|| if parity == last { 0 } else { parity + 1 });
        let row = |parity: u16| ParityMembers {
            parity,
            syndrome: next(parity),
        };
        let fixed = |parity: u16| ParityMembers {
            parity,
            syndrome: Some(last),
        };
        match self.layout {
            ParityLayout::LeftAsymmetric | ParityLayout::LeftSymmetric => {
                row(last - turn(all, number))
            }
            ParityLayout::RightAsymmetric
            | ParityLayout::RightSymmetric
            | ParityLayout::DdfZeroRestart => row(turn(all, number)),
            ParityLayout::ParityFirst => row(0),
            ParityLayout::ParityLast => row(self.data_members),
            ParityLayout::DdfNRestart => row(last - turn(all, number + 1)),
            ParityLayout::DdfNContinue => {
                let parity = last - turn(all, number);
                let before = if parity == 0 { last } else { parity - 1 };
                ParityMembers {
                    parity,
                    syndrome: Some(before),
                }
            }
            ParityLayout::LeftAsymmetric6 | ParityLayout::LeftSymmetric6 => {
                fixed(self.data_members - turn(last, number))
            }
            ParityLayout::RightAsymmetric6 | ParityLayout::RightSymmetric6 => {
                fixed(turn(last, number))
            }
            ParityLayout::ParityFirst6 => fixed(0),
        }
    }

    /// Returns where in its chunk a sector lies.
    #[inline]
    pub const fn offset(&self, sector: u64) -> u64 {
        sector & (self.chunk_sectors() - 1)
    }
}

/// Returns how `layout` spreads the data of a row.
fn spread(layout: ParityLayout, members: u16, parities: u16) -> Spread {
    match layout {
        ParityLayout::LeftSymmetric | ParityLayout::RightSymmetric => Spread::Behind {
            skip: parities,
            ring: members,
        },
        ParityLayout::DdfNContinue => Spread::Behind {
            skip: 1,
            ring: members,
        },
        ParityLayout::LeftSymmetric6 | ParityLayout::RightSymmetric6 => Spread::Behind {
            skip: 1,
            ring: members - 1,
        },
        ParityLayout::ParityFirst => Spread::From(parities),
        ParityLayout::ParityFirst6 => Spread::From(1),
        ParityLayout::ParityLast => Spread::From(0),
        ParityLayout::LeftAsymmetric
        | ParityLayout::RightAsymmetric
        | ParityLayout::DdfZeroRestart
        | ParityLayout::DdfNRestart
        | ParityLayout::LeftAsymmetric6
        | ParityLayout::RightAsymmetric6 => Spread::Around,
    }
}

/// Narrows a remainder of a division by a number of members.
fn small(remainder: u64) -> u16 {
    u16::try_from(remainder).expect("a remainder is below the number of members")
}

#[cfg(test)]
#[path = "geometry_tests.rs"]
mod tests;
