//! CSV of the traces from Tencent Cloud (block storage, 2018).
//!
//! SNIA IOTTA, trace 28064 (its README.txt): `Timestamp,Offset,Size,IOType,VolumeID`.
//! The timestamp is "a Unix time (seconds since 1/1/1970)"; offset and size are in sectors, "1 sector =
//! 512 bytes"; the type is "Read(0)" or "Write(1)". The files are archives of tar, to be unpacked first.
//! The clock has whole seconds, so all I/Os of a second begin at the same time.

use super::columns::{Actions, Column, Columns, is_line_of};
use super::numbers::SECOND;
use super::{Format, SECTOR_BYTES};

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "tencent",
    made_by: "Tencent Cloud's block storage (SNIA IOTTA)",
    source: "its README",
    resolution_ns: Some(1_000_000_000),
    line: Some("{began:s},{sector},{sectors},{0/1},{device}"),
    examples: &["1538323200,12910952,8,1,1063\n"],
    looks_like: |line| is_line_of(line, "###d#"),
    decoder: || layout().decoder(),
    ..Format::PLAIN
};

/// Returns the columns.
fn layout() -> Columns {
    Columns {
        columns: vec![
            Column::Time,
            Column::Offset,
            Column::Length,
            Column::Action,
            Column::Device,
        ],
        actions: Actions::Digits,
        time_ns: SECOND,
        offset_bytes: SECTOR_BYTES,
        length_bytes: SECTOR_BYTES,
        ..Columns::default()
    }
}
