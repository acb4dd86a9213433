//! Whether an advice is robust: the same designs under loads a little unlike those that were asked about.

use serde::Serialize;
use stripewise_sim::question::Observer;
use stripewise_sim::race::Rate;
use stripewise_sim::world::ModelError;
use stripewise_study::cell::Cell;
use stripewise_study::workload::{BlockSize, Load};
use stripewise_units::Bytes;

use crate::advise::TOLERANCE;
use crate::measures::Measures;

/// The smallest block that is tried: a page.
const BLOCK_MIN: u64 = 4096;
/// How many of 100 I/Os turn from writes to reads, or back.
const MIX: u8 = 20;

/// A change to the loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Variation {
    /// I/Os of half the size.
    HalfBlocks,
    /// I/Os of twice the size.
    DoubleBlocks,
    /// Half as many in flight.
    HalfDepth,
    /// Twice as many in flight.
    DoubleDepth,
    /// Of 100 I/Os, 20 more are reads.
    MoreReads,
    /// Of 100 I/Os, 20 more are writes.
    MoreWrites,
}

impl Variation {
    /// All variations.
    pub const ALL: [Self; 6] = [
        Self::HalfBlocks,
        Self::DoubleBlocks,
        Self::HalfDepth,
        Self::DoubleDepth,
        Self::MoreReads,
        Self::MoreWrites,
    ];

    /// Returns the load with it; `None` if it leaves the load as it is, or would make another one of it.
    fn of(self, load: &Load) -> Option<Load> {
        let mut load = load.clone();
        match self {
            Self::HalfBlocks | Self::DoubleBlocks => {
                let BlockSize::Fixed(block) = &mut load.block_size else {
                    return None;
                };
                let size = match self {
                    Self::HalfBlocks => block.as_u64() / 2,
                    _ => block.as_u64().checked_mul(2)?,
                };
                let is_possible = size >= BLOCK_MIN && size.is_multiple_of(BLOCK_MIN);
                *block = is_possible.then_some(Bytes::new(size))?;
            }
            Self::HalfDepth => load.depth = (load.depth > 1).then_some(load.depth / 2)?,
            // A depth of 1 is that of a program which waits for each I/O: two would be another program.
            Self::DoubleDepth => {
                load.depth = (load.depth > 1).then_some(load.depth)?.checked_mul(2)?
            }
            Self::MoreReads | Self::MoreWrites => {
                let reads = load.read_percent?;
                let reads = match self {
                    Self::MoreReads => reads.saturating_add(MIX),
                    _ => reads.checked_sub(MIX)?,
                };
                load.read_percent = (1..=99).contains(&reads).then_some(Some(reads))?;
            }
        }
        Some(load)
    }

    /// Returns the cells with the variation of their loads; `None` if it varies none of them.
    fn of_cells(self, cells: &[Cell]) -> Option<Vec<Cell>> {
        let mut is_varied = false;
        let cells = cells.iter().map(|cell| {
            let mut cell = cell.clone();
            let is_own = cell.workload.trace.is_none() && cell.workload.database.is_none();
            if let Some(load) = self.of(&cell.workload.load).filter(|_| is_own) {
                cell.workload.load = load;
                is_varied = true;
            }
            cell
        });
        let cells: Vec<Cell> = cells.collect();
        is_varied.then_some(cells)
    }
}

/// What a variation of the loads does to the order of designs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Varied {
    /// The variation.
    pub variation: Variation,
    /// The place of the fastest among the designs.
    pub fastest: usize,
    /// The rate of the first design over that of the fastest.
    pub share: f64,
}

impl Varied {
    /// Returns whether the first design is still one of the best.
    pub fn is_within(&self) -> bool {
        self.share >= 1.0 - TOLERANCE
    }
}

/// Returns what each possible variation does to designs that race for one place; the first one is the one
/// that was advised. Each design has a cell for each load.
///
/// # Errors
/// As [`stripewise_sim::world::Model::answer`].
pub fn varied(
    measures: &Measures<'_>,
    designs: &[&[Cell]],
    weights: &[f64],
    observer: &mut dyn Observer,
) -> Result<Vec<Varied>, ModelError> {
    let mut found = Vec::new();
    for variation in Variation::ALL {
        let mut rates: Vec<f64> = Vec::with_capacity(designs.len());
        for cells in designs {
            let Some(cells) = variation.of_cells(cells) else {
                break;
            };
            let rate = measures.rate(&cells, weights, observer)?;
            rates.push(rate.map_or(0.0, |rate: Rate| rate.median));
        }
        let most = rates.iter().copied().enumerate();
        let most = most.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let own = rates.first().copied().unwrap_or_default();
        if let Some((fastest, most)) = most.filter(|(_, most)| *most > 0.0) {
            found.push(Varied {
                variation,
                fastest,
                share: own / most,
            });
        }
    }
    Ok(found)
}
