//! The axes of a cell as columns, each with the type and unit of its values.

use std::num::NonZeroU32;

use stripewise_study::cell::{Axis, Cell};
use stripewise_study::workload::BlockSize;

use crate::table::Table;

/// The column of block sizes that are a split; single sizes are in the column [`head`] of the axis.
const BLOCK_SIZE_SPLIT: &str = "block_size_split";

/// The value of a cell on an axis. The variant depends only on the axis, and a missing value is
/// `None` in it.
enum Value {
    Count(Option<u64>),
    Flag(Option<bool>),
    Words(Option<String>),
}

/// Returns the column name of an axis, with the unit of its values if they have one.
const fn head(axis: Axis) -> &'static str {
    match axis {
        Axis::BlockSize => "block_size_bytes",
        Axis::Size => "size_bytes",
        Axis::Rate => "rate_bytes_per_s",
        Axis::ThinkTime => "think_time_ns",
        Axis::ReadAhead => "read_ahead_bytes",
        Axis::SyncEvery => "sync_every_ns",
        Axis::FlushEvery => "flush_every_ns",
        axis => axis.key(),
    }
}

/// Adds a column for each axis; `cells` has one cell for each row.
///
/// A block size that is a split is text in the syntax of a study, in a column of its own.
pub(crate) fn columns(table: &mut Table, cells: &[&Cell]) {
    for axis in Axis::ALL {
        let (mut counts, mut flags, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for cell in cells {
            match value(cell, axis) {
                Value::Count(value) => counts.push(value),
                Value::Flag(value) => flags.push(value),
                Value::Words(value) => words.push(value),
            }
        }
        if is_count(axis) {
            table.counts(head(axis), counts.into_iter());
        } else if is_flag(axis) {
            table.flags(head(axis), flags.into_iter());
        } else {
            table.texts(head(axis), words.into_iter());
        }
        if axis == Axis::BlockSize {
            table.texts(BLOCK_SIZE_SPLIT, cells.iter().map(|cell| split(cell)));
        }
    }
}

/// Returns the values of a cell on all axes as text, with their column names, without missing
/// values.
pub(crate) fn labels(cell: &Cell) -> Vec<(&'static str, String)> {
    let of = |axis| {
        let text = match value(cell, axis) {
            Value::Count(value) => value.map(|value| value.to_string()),
            Value::Flag(value) => value.map(|value| value.to_string()),
            Value::Words(value) => value,
        };
        Some((head(axis), text?))
    };
    let mut labels: Vec<_> = Axis::ALL.into_iter().filter_map(of).collect();
    labels.extend(split(cell).map(|split| (BLOCK_SIZE_SPLIT, split)));
    labels
}

/// Returns whether the values of an axis are counts.
const fn is_count(axis: Axis) -> bool {
    matches!(
        axis,
        Axis::BlockSize
            | Axis::Size
            | Axis::Jobs
            | Axis::Depth
            | Axis::Fsync
            | Axis::Fdatasync
            | Axis::Rate
            | Axis::RateIops
            | Axis::ThinkTime
            | Axis::ThinkBlocks
            | Axis::ReadAhead
            | Axis::NrRequests
            | Axis::MaxSectorsKb
            | Axis::WbtLatUsec
            | Axis::CpuDmaLatencyUs
            | Axis::SyncEvery
            | Axis::FlushEvery
    )
}

/// Returns whether the values of an axis are yes or no.
const fn is_flag(axis: Axis) -> bool {
    matches!(
        axis,
        Axis::Direct | Axis::Turbo | Axis::TrimBefore | Axis::DropCaches
    )
}

fn split(cell: &Cell) -> Option<String> {
    match &cell.workload.load.block_size {
        BlockSize::Fixed(_) => None,
        split @ BlockSize::Split(_) => Some(split.to_string()),
    }
}

fn value(cell: &Cell, axis: Axis) -> Value {
    let load = &cell.workload.load;
    let every = |value: Option<NonZeroU32>| Value::Count(value.map(|value| value.get().into()));
    match axis {
        Axis::BlockSize => Value::Count(match load.block_size {
            BlockSize::Fixed(size) => Some(size.as_u64()),
            BlockSize::Split(_) => None,
        }),
        Axis::Size => Value::Count(Some(load.size_bytes.as_u64())),
        Axis::Jobs => Value::Count(Some(load.jobs.into())),
        Axis::Depth => Value::Count(Some(load.depth.into())),
        Axis::Fsync => every(load.fsync_every),
        Axis::Fdatasync => every(load.fdatasync_every),
        Axis::Rate => Value::Count(load.rate_bytes_per_s.map(|rate| rate.as_u64())),
        Axis::RateIops => every(load.rate_iops),
        Axis::ThinkTime => Value::Count(Some(load.think_time_ns.as_u64())),
        Axis::ThinkBlocks => every(load.think_blocks),
        Axis::ReadAhead
        | Axis::NrRequests
        | Axis::MaxSectorsKb
        | Axis::WbtLatUsec
        | Axis::CpuDmaLatencyUs
        | Axis::SyncEvery
        | Axis::FlushEvery => Value::Count(cell.number(axis)),
        Axis::Turbo => Value::Flag(cell.conditions.turbo),
        Axis::Direct => Value::Flag(Some(load.direct)),
        Axis::TrimBefore => Value::Flag(cell.conditions.trim_before),
        Axis::DropCaches => Value::Flag(cell.conditions.drop_caches),
        // These may have any name, even `-`.
        Axis::Stack => Value::Words(Some(cell.stack.name.clone())),
        Axis::Workload => Value::Words(cell.workload.name.clone()),
        Axis::Failure => {
            let failure = cell.conditions.failure.as_ref();
            Value::Words(failure.map(|failure| failure.name.clone()))
        }
        axis => Value::Words(Some(cell.value(axis)).filter(|value| value != "-")),
    }
}
