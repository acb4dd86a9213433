//! CSV of the traces from Tencent Cloud (block storage, 2018).
//!
//! SNIA IOTTA, trace 28064 (its README.txt): `Timestamp,Offset,Size,IOType,VolumeID`.
//! The timestamp is "a Unix time (seconds since 1/1/1970)"; offset and size are in sectors, "1 sector =
//! 512 bytes"; the type is "Read(0)" or "Write(1)". The files are archives of tar, to be unpacked first.
//! The clock has whole seconds, so all I/Os of a second begin at the same time.

use super::SECTOR_BYTES;
use super::columns::{Actions, Column, Columns};
use super::numbers::SECOND;

/// Returns the columns.
pub(crate) fn layout() -> Columns {
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
