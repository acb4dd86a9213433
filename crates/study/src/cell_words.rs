//! Cells in words and in natural order: `randread, block size 4K, depth 8` before depth 16.

use stripewise_message::{Argument, Message};

use crate::cell::{Axis, Cell, varying_axes};

impl Axis {
    /// Returns the name of the axis in tables and names of cells: `block size`.
    pub fn message(self) -> Message {
        Message::new(format!("axis-{}", self.key()))
    }

    /// Returns a value along the axis, with the name of the axis where it needs one: `depth 8`.
    pub fn named(self, value: String) -> Argument {
        let value = Argument::Name(value);
        match self.is_self_evident() {
            true => value,
            false => Message::new("named-value")
                .with("axis", self.message())
                .with("value", value)
                .into(),
        }
    }

    /// Returns whether a value along the axis needs no axis name before it: names and patterns.
    pub const fn is_self_evident(self) -> bool {
        matches!(self, Axis::Stack | Axis::Workload | Axis::Pattern)
    }
}

impl Cell {
    /// Returns the number behind the cell's value along `axis`, in the unit of its
    /// [`Kind`](crate::keys::Kind); `None` if the axis has no numbers or the cell no single one.
    pub fn number(&self, axis: Axis) -> Option<u64> {
        self.at(axis)?.number
    }

    /// Returns the cell's value along `axis` with the name of the axis: `depth 8`, `randread`.
    /// `None` if the cell has no value.
    pub fn named_value(&self, axis: Axis) -> Option<Argument> {
        let value = self.value(axis);
        (value != "-").then(|| axis.named(value))
    }

    /// Returns the cell's values along `axes` in words: `randread, block size 4K, depth 8`; without
    /// axes, its pattern and block size.
    pub fn name(&self, axes: &[Axis]) -> Argument {
        let axes = match axes {
            [] => &[Axis::Pattern, Axis::BlockSize],
            axes => axes,
        };
        Argument::list(axes.iter().filter_map(|axis| self.named_value(*axis)))
    }
}

/// Returns the axes that name the cells: those along which they differ, without those that follow
/// from the name of a workload.
pub fn naming_axes(cells: &[&Cell]) -> Vec<Axis> {
    let distinguishing = distinguishing_axes(cells);
    let is_implied = |axis: &Axis| {
        let may_be = !matches!(axis, Axis::Stack | Axis::Workload);
        may_be
            && distinguishing.contains(&Axis::Workload)
            && follows(cells, *axis, &[Axis::Workload])
    };
    let named = distinguishing
        .iter()
        .copied()
        .filter(|axis| !is_implied(axis));
    named.collect()
}

/// Returns the axes along which the cells differ, without a mix or data that follow from the other
/// axes: only mixed patterns have a mix, and depth and block size determine how fio's buffers
/// compress.
pub fn distinguishing_axes(cells: &[&Cell]) -> Vec<Axis> {
    let mut axes = varying_axes(cells.iter().copied());
    for axis in [Axis::Mix, Axis::Data] {
        let others: Vec<Axis> = axes
            .iter()
            .copied()
            .filter(|other| *other != axis)
            .collect();
        if follows(cells, axis, &others) {
            axes = others;
        }
    }
    axes
}

/// Returns whether cells with the same values along all of `by` have the same value along `axis`.
fn follows(cells: &[&Cell], axis: Axis, by: &[Axis]) -> bool {
    let mut seen = std::collections::BTreeMap::new();
    cells.iter().all(|cell| {
        let key: Vec<String> = by.iter().map(|by| cell.value(*by)).collect();
        let value = cell.value(axis);
        *seen.entry(key).or_insert_with(|| value.clone()) == value
    })
}

/// Returns the indices of `cells` in natural order: by the first of `axes`, then the next. Numbers
/// ascend (1, 2, 16; 4K, 64K, 1M) after cells without one; names and patterns keep the order of
/// their first occurrence.
pub fn natural_order(cells: &[&Cell], axes: &[Axis]) -> Vec<usize> {
    let ranks: Vec<Vec<(u8, u64)>> = axes.iter().map(|axis| ranks(cells, *axis)).collect();
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_by_cached_key(|&index| -> Vec<(u8, u64)> {
        ranks.iter().map(|ranks| ranks[index]).collect()
    });
    order
}

/// Returns the rank of each cell along an axis.
fn ranks(cells: &[&Cell], axis: Axis) -> Vec<(u8, u64)> {
    let mut seen = std::collections::BTreeMap::new();
    let rank = |cell: &&Cell| {
        let value = cell.value(axis);
        match cell.number(axis) {
            Some(number) => (1, number),
            None if value == "-" => (0, 0),
            None => {
                let next = seen.len() as u64;
                (2, *seen.entry(value).or_insert(next))
            }
        }
    };
    cells.iter().map(rank).collect()
}
