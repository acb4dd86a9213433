//! The axes of a cell as columns, each with the type and unit of its values.

use stripewise_study::cell::{Axis, Cell};
use stripewise_study::keys::Kind;
use stripewise_study::workload::BlockSize;

use crate::table::Table;

/// The column of block sizes that are a split; single sizes are in the column [`head`] of the axis.
const BLOCK_SIZE_SPLIT: &str = "block_size_split";

/// Returns the column name of an axis, with the unit of its values if they have one.
fn head(axis: Axis) -> String {
    format!("{}{}", axis.key(), axis.kind().suffix())
}

/// Adds a column for each axis; `cells` has one cell for each row.
///
/// A block size that is a split is text in the syntax of a study, in a column of its own.
pub(crate) fn columns(table: &mut Table, cells: &[&Cell]) {
    for axis in Axis::all() {
        let values = cells.iter().map(|cell| cell.at(axis));
        match axis.kind() {
            Kind::Count | Kind::Bytes | Kind::Rate | Kind::Time => {
                table.counts(head(axis), values.map(|value| value?.number));
            }
            Kind::Flag => {
                table.flags(head(axis), values.map(|value| value?.text.parse().ok()));
            }
            Kind::Words => table.texts(head(axis), values.map(|value| Some(value?.text))),
        }
        if axis == Axis::BlockSize {
            table.texts(BLOCK_SIZE_SPLIT, cells.iter().map(|cell| split(cell)));
        }
    }
}

/// Returns the values of a cell on all axes as text, with their column names, without missing
/// values.
pub(crate) fn labels(cell: &Cell) -> Vec<(String, String)> {
    let of = |axis: Axis| {
        let value = cell.at(axis)?;
        let text = match axis.kind() {
            Kind::Count | Kind::Bytes | Kind::Rate | Kind::Time => value.number?.to_string(),
            Kind::Flag | Kind::Words => value.text,
        };
        Some((head(axis), text))
    };
    let mut labels: Vec<_> = Axis::all().filter_map(of).collect();
    labels.extend(split(cell).map(|split| (BLOCK_SIZE_SPLIT.to_owned(), split)));
    labels
}

fn split(cell: &Cell) -> Option<String> {
    match &cell.workload.load.block_size {
        BlockSize::Fixed(_) => None,
        split @ BlockSize::Split(_) => Some(split.to_string()),
    }
}
