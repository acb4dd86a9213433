//! What a run's cells are called, in which order they are listed, and what all of them share.

use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::cell_words::{naming_axes, natural_order};

use crate::text::harmless;

/// What a reader wants to know of every cell, if it is not in the table: said once above it.
const COMMON: [Axis; 8] = [
    Axis::Pattern,
    Axis::Mix,
    Axis::BlockSize,
    Axis::Depth,
    Axis::Jobs,
    Axis::Engine,
    Axis::Direct,
    Axis::Size,
];

/// The cells of a run: names, order, and what they have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The axes that name the cells; those of a table.
    pub axes: Vec<Axis>,
    /// The indices of the cells in natural order.
    pub order: Vec<usize>,
    /// What all cells have in common, where it is not named.
    pub common: Vec<Axis>,
}

impl Names {
    /// Returns how the cells of a run in `world` are called and ordered.
    pub fn of(cells: &[&Cell], world: &str) -> Self {
        let varying = varying_axes(cells.iter().copied());
        let mut axes = naming_axes(cells);
        let mut common: Vec<Axis> = COMMON.to_vec();
        common.retain(|axis| !varying.contains(axis));
        if axes.is_empty() {
            axes = vec![Axis::Pattern, Axis::BlockSize];
            common.retain(|axis| !axes.contains(axis));
        }
        // The author of a study put names in order; those of imported files come as the shell listed them.
        let mut keys = varying;
        if is_imported(world) {
            keys.sort_by_key(|axis| matches!(axis, Axis::Stack | Axis::Workload));
        }
        Self {
            order: natural_order(cells, &keys),
            axes,
            common,
        }
    }

    /// Returns what a cell is called: `randread, block size 4K, depth 8`.
    pub fn name(&self, cell: &Cell) -> String {
        harmless(&cell.name(&self.axes))
    }

    /// Returns what all cells share with `cell`, one of them, in words: `depth 8`, `jobs 1`, ...
    pub fn shared(&self, cell: &Cell) -> Vec<String> {
        let values = self.common.iter();
        let values = values.filter_map(|axis| cell.named_value(*axis));
        values.map(|value| harmless(&value)).collect()
    }
}

/// Returns whether runs of a world were measured by something else and read from its files.
pub(crate) fn is_imported(world: &str) -> bool {
    world == "fio-import"
}
