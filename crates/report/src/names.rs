//! The names and order of a run's cells, and the values that all of them share.

use std::collections::BTreeMap;

use stripewise_answer::{Cell as Value, Column};
use stripewise_catalogue::{Argument, Words};
use stripewise_results::world::RunOrigin;
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::cell_words::{naming_axes, natural_order};

use crate::text::strip_control;

/// Values that a reader needs for every cell: stated once above the table unless they are in it.
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
    /// The axes that name the cells; the columns of a table.
    pub axes: Vec<Axis>,
    /// The indices of the cells in natural order.
    pub order: Vec<usize>,
    /// Axes with one value for all cells, unless they name cells.
    pub common: Vec<Axis>,
    /// The options that all cells have with the same value: a table of options is long enough
    /// without them.
    common_options: BTreeMap<String, String>,
}

/// Returns a cell's value along `axis`; of the options of another program without these.
pub(crate) fn value_without(cell: &Cell, axis: Axis, common: &BTreeMap<String, String>) -> String {
    // The sizes of a replay are the trace's, whatever the largest of them is.
    if axis == Axis::BlockSize && cell.workload.trace.is_some() {
        return "-".to_owned();
    }
    if axis != Axis::Options || common.is_empty() {
        return cell.value(axis);
    }
    let mut cell = cell.clone();
    let options = &mut cell.workload.options;
    options.retain(|name, value| common.get(name) != Some(value));
    cell.value(axis)
}

impl Names {
    /// Returns the names and order of the cells of a run of `origin`.
    pub fn of(cells: &[&Cell], origin: &RunOrigin) -> Self {
        let varying = varying_axes(cells.iter().copied());
        let mut axes = naming_axes(cells);
        let mut common: Vec<Axis> = COMMON.to_vec();
        common.retain(|axis| !varying.contains(axis));
        if axes.is_empty() {
            let is_own =
                |cell: &&Cell| cell.workload.trace.is_some() || cell.workload.program.is_some();
            let is_replay = cells.iter().any(is_own);
            axes = match is_replay && cells.iter().all(|cell| cell.workload.name.is_some()) {
                true => vec![Axis::Workload],
                false => vec![Axis::Pattern, Axis::BlockSize],
            };
            common.retain(|axis| !axes.contains(axis));
        }
        // The author of a study ordered the names; imported files are in the shell's order.
        let mut keys = varying;
        if origin.is_imported() {
            keys.sort_by_key(|axis| matches!(axis, Axis::Stack | Axis::Workload));
        }
        Self {
            order: natural_order(cells, &keys),
            axes,
            common,
            common_options: common_options(cells),
        }
    }

    /// Returns a cell's value along `axis` as a table shows it: the options of another program
    /// without those that all cells share.
    pub fn value(&self, cell: &Cell, axis: Axis) -> String {
        value_without(cell, axis, &self.common_options)
    }

    /// Returns the same without an axis.
    #[must_use]
    pub(crate) fn without(&self, axis: Axis) -> Self {
        let mut names = self.clone();
        names.axes.retain(|other| *other != axis);
        names
    }

    /// Returns the columns of a table of cells: one for each axis.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let axes = self.axes.iter();
        axes.map(|axis| Column::group(axis.key(), axis.message()))
            .collect()
    }

    /// Returns the values of a cell in these columns.
    pub(crate) fn values(&self, cell: &Cell) -> Vec<Value> {
        let axes = self.axes.iter();
        axes.map(|axis| value_of(&self.value(cell, *axis)))
            .collect()
    }

    /// Returns the name of a cell as an argument, for other languages.
    pub fn argument(&self, cell: &Cell) -> Argument {
        let value = |axis: &Axis| {
            let value = self.value(cell, *axis);
            (value != "-").then(|| axis.named(value))
        };
        Argument::list(self.axes.iter().filter_map(value))
    }

    /// Returns the name of a cell in English: `randread, block size 4K, depth 8`.
    pub fn name(&self, cell: &Cell) -> String {
        strip_control(&self.argument(cell).in_english())
    }

    /// Returns the values that all cells share, read from `cell`: `depth 8`, `jobs 1`, ...
    pub fn shared(&self, cell: &Cell) -> Vec<Argument> {
        let values = self.common.iter();
        let values = values.filter(|axis| self.value(cell, **axis) != "-");
        values.filter_map(|axis| cell.named_value(*axis)).collect()
    }
}

/// Returns values along axes for a table.
pub(crate) fn values_of(axes: &[Axis], values: &BTreeMap<Axis, String>) -> Vec<Value> {
    let of = |axis| values.get(axis).map_or("-", String::as_str);
    axes.iter().map(|axis| value_of(of(axis))).collect()
}

/// Returns a value along an axis for a table.
pub(crate) fn value_of(value: &str) -> Value {
    let shown = Value::name(value);
    match value {
        "-" => shown.unknown(),
        _ => shown,
    }
}

/// Returns the options that all cells have with the same value.
pub(crate) fn common_options(cells: &[&Cell]) -> BTreeMap<String, String> {
    let mut options = cells.iter().map(|cell| &cell.workload.options);
    let mut common = options.next().cloned().unwrap_or_default();
    for options in options {
        common.retain(|name, value| options.get(name) == Some(value));
    }
    common
}

/// Returns whether some key comes with two values.
pub(crate) fn has_two_values<K: Ord>(mut pairs: impl Iterator<Item = (K, String)>) -> bool {
    let mut last = BTreeMap::new();
    pairs.any(|(key, value)| {
        let before = last.insert(key, value.clone());
        before.is_some_and(|before| before != value)
    })
}
