//! Data that a filesystem made smaller: how much of it the devices never moved.
//!
//! The devices' counters say it, whatever the tool: a cell with data that compresses is held against
//! the cell that differs from it in its data alone, which does not compress. Copies, parity and
//! metadata are in both, so that what the first moves less for each byte of its load is what
//! compression took away.

use stripewise_study::cell::Cell;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::workload::Data;

use crate::moved::DirectionBytes;

/// From this share on a difference is named: the counters of one cell differ by less.
const SHARE_MIN: f64 = 0.02;

/// A cell with the samples that count.
#[derive(Debug, Clone)]
pub struct Measured<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// Its samples.
    pub samples: Vec<&'a Sample>,
}

/// Returns a warning for each direction in which the devices of cell `index` moved less than those of
/// the same cell with incompressible data.
pub fn compression(cells: &[Measured<'_>], index: usize) -> Vec<Warning> {
    let Some(own) = cells.get(index) else {
        return Vec::new();
    };
    if !own.cell.workload.load.data.is_compressible() {
        return Vec::new();
    }
    let mut honest = own.cell.clone();
    honest.workload.load.data = Data::Incompressible;
    let Some(honest) = cells.iter().find(|other| *other.cell == honest) else {
        return Vec::new();
    };
    let directions = [Direction::Read, Direction::Write];
    let found = directions.into_iter().filter_map(|direction| {
        let (own, honest) = (
            DirectionBytes::of(&own.samples, direction),
            DirectionBytes::of(&honest.samples, direction),
        );
        let share = 1.0 - own.per_byte()? / honest.per_byte()?;
        let asked_bytes_per_s = as_f64(own.asked) * 1e9 / as_f64(own.ns.max(1));
        (share >= SHARE_MIN).then_some(Warning::DataShrunk {
            direction,
            share,
            asked_bytes_per_s,
            moved_bytes_per_s: asked_bytes_per_s * (1.0 - share),
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use stripewise_fixtures::{second, transfer, wrote};

    use super::*;

    fn sample(asked: u64, moved: u64) -> Sample {
        Sample {
            write: transfer(0, asked),
            devices: vec![wrote(moved)],
            ..second()
        }
    }

    #[test]
    fn the_share_is_what_the_honest_cell_moves_more() {
        let text = "[stack.one]\ndevices = { disk = 2 }\n\
            filesystem = { type = \"btrfs\", mkfs = [\"-d\", \"raid1\"] }\n\
            [workload]\npattern = \"write\"\nsize = \"1G\"\ndata = [\"incompressible\", 2.0]\n";
        let study = stripewise_fixtures::study(text);
        // Two copies, and a tenth of metadata; the second cell stores a half.
        let samples = [sample(1000, 2200), sample(4000, 4400)];
        let cells = study.cells.iter().zip(&samples);
        let cells: Vec<Measured> = cells
            .map(|(cell, sample)| Measured {
                cell,
                samples: vec![sample],
            })
            .collect();
        assert_eq!(compression(&cells, 0), []);
        let expected = Warning::DataShrunk {
            direction: Direction::Write,
            share: 0.5,
            asked_bytes_per_s: 4000.0,
            moved_bytes_per_s: 2000.0,
        };
        assert_eq!(compression(&cells, 1), [expected]);
        assert_eq!(
            compression(&cells[1..], 0),
            [],
            "nothing to hold it against"
        );
    }
}
