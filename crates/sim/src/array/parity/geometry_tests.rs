//! Guards against data and parity on the wrong member, which would make every simulated count
//! wrong. The oracle lays an array out row by row and moves the parity one step at a time, without
//! any division.

use proptest::prelude::*;

use super::*;

const RAID5: [ParityLayout; 6] = [
    ParityLayout::LeftAsymmetric,
    ParityLayout::RightAsymmetric,
    ParityLayout::LeftSymmetric,
    ParityLayout::RightSymmetric,
    ParityLayout::ParityFirst,
    ParityLayout::ParityLast,
];

/// What a member holds in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Data(u64),
    P,
    Q,
}

/// How the oracle draws a layout.
struct Drawing {
    /// P in the first row, and how it moves.
    first: usize,
    step: isize,
    /// The number of members that P rotates over.
    ring: usize,
    /// Q relative to P, or on the last member.
    q: Option<isize>,
    /// Whether data begins after the parity.
    behind: bool,
}

fn drawing(level: Level, layout: ParityLayout, members: usize) -> Drawing {
    use ParityLayout::*;
    let raid6 = level == Level::Raid6;
    let last = members - 1;
    let (first, step) = match layout {
        LeftAsymmetric | LeftSymmetric | DdfNContinue => (last, -1),
        DdfNRestart => (last - 1, -1),
        RightAsymmetric | RightSymmetric | DdfZeroRestart => (0, 1),
        LeftAsymmetric6 | LeftSymmetric6 => (last - 1, -1),
        RightAsymmetric6 | RightSymmetric6 => (0, 1),
        ParityFirst | ParityFirst6 => (0, 0),
        ParityLast => (members - 1 - usize::from(raid6), 0),
    };
    let six = matches!(
        layout,
        LeftAsymmetric6 | LeftSymmetric6 | RightAsymmetric6 | RightSymmetric6 | ParityFirst6
    );
    Drawing {
        first,
        step,
        ring: if six { members - 1 } else { members },
        q: match layout {
            _ if six => None,
            DdfNContinue => Some(-1),
            _ => Some(1),
        },
        behind: matches!(
            layout,
            LeftSymmetric | RightSymmetric | DdfNContinue | LeftSymmetric6 | RightSymmetric6
        ),
    }
}

fn wrap(place: isize, ring: usize) -> usize {
    let ring = isize::try_from(ring).unwrap();
    usize::try_from((place + ring) % ring).unwrap()
}

/// Lays out `rows` rows of chunks.
fn lay_out(level: Level, layout: ParityLayout, members: usize, rows: usize) -> Vec<Vec<Cell>> {
    let drawing = drawing(level, layout, members);
    let mut parity = drawing.first;
    let mut next = 0;
    let mut table = Vec::new();
    for _ in 0..rows {
        let mut row = vec![None; members];
        row[parity] = Some(Cell::P);
        if level == Level::Raid6 {
            let q = match drawing.q {
                Some(step) => wrap(isize::try_from(parity).unwrap() + step, members),
                None => members - 1,
            };
            row[q] = Some(Cell::Q);
        }
        let begin = if drawing.behind { parity } else { 0 };
        for step in 0..members {
            let member = (begin + step) % drawing.ring.max(1);
            let member = if step >= drawing.ring {
                members - 1
            } else {
                member
            };
            if row[member].is_none() {
                row[member] = Some(Cell::Data(next));
                next += 1;
            }
        }
        table.push(row.into_iter().map(Option::unwrap).collect());
        parity = wrap(
            isize::try_from(parity).unwrap() + drawing.step,
            drawing.ring,
        );
    }
    table
}

fn check(level: Level, layout: ParityLayout, members: u16, chunk: u64) {
    let geometry = Geometry::new(level, layout, members, Sectors::new(chunk)).unwrap();
    let table = lay_out(
        level,
        layout,
        usize::from(members),
        3 * usize::from(members) + 1,
    );
    for (number, row) in (0_u64..).zip(&table) {
        for (member, cell) in (0_u16..).zip(row) {
            for offset in [0, 1, chunk - 1] {
                let sector = number * chunk + offset;
                let seen = geometry.array_sector(Member(member), sector);
                let parities = geometry.row(sector);
                match cell {
                    Cell::P => assert_eq!((seen, parities.parity), (None, member)),
                    Cell::Q => assert_eq!((seen, parities.syndrome), (None, Some(member))),
                    Cell::Data(data) => {
                        let array = data * chunk + offset;
                        assert_eq!(seen, Some(array), "{layout:?} {members} row {number}");
                        let located = geometry.locate(array);
                        assert_eq!(
                            (located.member, located.sector),
                            (Member(member), sector),
                            "{layout:?} {members} {array}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_layout_is_the_one_drawn_row_by_row() {
    for members in 2..=9 {
        check(Level::Raid4, ParityLayout::ParityLast, members, 64);
        for layout in RAID5 {
            check(Level::Raid5, layout, members, 8);
        }
    }
    for members in 4..=9 {
        for (_, layout) in NAMES {
            check(Level::Raid6, layout, members, 1024);
        }
    }
}

#[test]
fn the_first_rows_of_the_default_are_as_published() {
    // md(4) and the mdadm manual's picture of left-symmetric: 0 1 2 P / 4 5 P 3 / 8 P 6 7 / P 9 10
    // 11.
    use Cell::{Data, P};
    let table = lay_out(Level::Raid5, ParityLayout::LeftSymmetric, 4, 4);
    assert_eq!(table[0], [Data(0), Data(1), Data(2), P]);
    assert_eq!(table[1], [Data(4), Data(5), P, Data(3)]);
    assert_eq!(table[2], [Data(8), P, Data(6), Data(7)]);
    assert_eq!(table[3], [P, Data(9), Data(10), Data(11)]);
}

proptest! {
    #[test]
    fn sectors_and_places_map_one_to_one(
        members in 4_u16..40,
        layout in 0_usize..14,
        raid6: bool,
        chunk_shift in 3_u32..14,
        sector in 0_u64..1 << 45,
    ) {
        let (level, layout) = if raid6 {
            (Level::Raid6, NAMES[layout].1)
        } else {
            (Level::Raid5, RAID5[layout % 6])
        };
        let geometry = Geometry::new(level, layout, members, Sectors::new(1 << chunk_shift)).unwrap();
        let located = geometry.locate(sector);
        prop_assert!(!geometry.row(located.sector).is_parity(located.member.0));
        prop_assert_eq!(geometry.array_sector(located.member, located.sector), Some(sector));
    }
}

#[test]
fn names_are_mdadms() {
    for (name, layout) in NAMES {
        assert_eq!(ParityLayout::parse(name), Some(layout));
        assert_eq!(layout.name(), name);
    }
    assert_eq!(ParityLayout::parse("n2"), None);
}

#[test]
fn arrays_that_md_refuses_are_refused() {
    let make = |level, layout, members, chunk| {
        Geometry::new(level, layout, members, Sectors::new(chunk)).map(|_| ())
    };
    let left = ParityLayout::LeftSymmetric;
    assert!(make(Level::Raid5, left, 2, 8).is_ok());
    assert!(make(Level::Raid10, left, 4, 8).is_err());
    assert!(make(Level::Raid5, ParityLayout::DdfNContinue, 4, 8).is_err());
    assert!(make(Level::Raid6, left, 3, 8).is_err());
    assert!(make(Level::Raid5, left, 1, 8).is_err());
    assert!(make(Level::Raid5, left, 4, 4).is_err());
    assert!(make(Level::Raid5, left, 4, 24).is_err());
}

proptest! {
    #[test]
    fn stripes_are_counted_as_by_locating_each_block(
        first in 0_u64..400, blocks in 1_u64..300, members in 3_u16..9, chunk_log in 0_u32..5,
    ) {
        let chunk = Sectors::new(BLOCK_SECTORS << chunk_log);
        let geometry = Geometry::new(Level::Raid5, ParityLayout::LeftSymmetric, members, chunk).unwrap();
        let stripes: std::collections::BTreeSet<u64> = (first..first + blocks)
            .map(|block| geometry.locate(block * BLOCK_SECTORS).sector)
            .collect();
        prop_assert_eq!(geometry.stripes_of(first, first + blocks), stripes.len() as u64);
    }
}
