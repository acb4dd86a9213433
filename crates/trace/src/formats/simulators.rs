//! Text that simulators of disks and SSDs read: five columns between spaces.
//!
//! `SSDsim` (README, notes 1 and 2), and `MQSim` after it (traces/README.md): "request arriving
//! time(int64), logical device number (int), logical sector number (int), request size (int), access
//! operator (int, 1 for read, 0 for write)"; the time is in nanoseconds, the size in sectors of 512
//! bytes. For example, from the README of MQSim: `4851300 1 524288 16 0`.
//!
//! `DiskSim` 4.0 (`iotrace_ascii_get_ioreq_event` in src/disksim_iotrace.c, `"%lf %d %d %d %x"`): the
//! same, with the time in milliseconds, and 1 for reads in the lowest bit of flags. A line with other
//! flags is counted as malformed.
//!
//! A whole number may be either unit. So a time with a point is taken for `DiskSim`'s, one of at least a
//! million for `SSDsim`'s, and for the rest `--format` has to say it.

use super::columns::{Actions, Column, Columns, are_cells};
use super::numbers::{Words, number};
use super::{Format, SECTOR_BYTES};

const MILLISECOND: u64 = 1_000_000;

/// The row of SSDsim and MQSim.
pub(crate) static SSDSIM: Format = Format {
    name: "ssdsim",
    made_by: "traces for SSDsim and MQSim",
    source: "the README of each",
    resolution_ns: Some(1),
    line: Some("{began} {device} {sector} {sectors} {1/0}"),
    examples: &["4851300 1 524288 16 0\n4864300 1 524304 16 0\n"],
    looks_like: |line| {
        let time = Words(line).next().and_then(number);
        are_cells(Words(line), "####d") && time.is_some_and(|time| time >= MILLISECOND)
    },
    decoder: || layout(1).decoder(),
    ..Format::PLAIN
};

/// The row of DiskSim.
pub(crate) static DISKSIM: Format = Format {
    name: "disksim",
    made_by: "traces for DiskSim, its default format",
    source: "its disksim_iotrace.c",
    resolution_ns: Some(1_000),
    line: Some("{began:ms.6} {device} {sector} {sectors} {1/0}"),
    examples: &["0.000000 0 303567 7 0\n8.141000 0 1023 8 1\n"],
    looks_like: |line| {
        let time = Words(line).next().unwrap_or_default();
        are_cells(Words(line), ".###d") && time.contains(&b'.')
    },
    decoder: || layout(MILLISECOND).decoder(),
    ..Format::PLAIN
};

/// Returns the columns, with times in units of `time_ns`.
fn layout(time_ns: u64) -> Columns {
    Columns {
        separator: b' ',
        columns: vec![
            Column::Time,
            Column::Device,
            Column::Offset,
            Column::Length,
            Column::Action,
        ],
        actions: Actions::OneIsRead,
        time_ns,
        offset_bytes: SECTOR_BYTES,
        length_bytes: SECTOR_BYTES,
        ..Columns::default()
    }
}
