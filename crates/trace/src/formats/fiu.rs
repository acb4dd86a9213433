//! Text of the traces from Florida International University (SyLab).
//!
//! SNIA IOTTA, trace 411 (I/O deduplication), README: "[ts in ns] [pid] [process] [lba] [size in 512
//! Bytes blocks] [Write or Read] [major device number] [minor device number] [MD5 per 4096 Bytes]";
//! the last column is not read. The unit of `lba` is not stated; programs that read these traces take
//! sectors of 512 bytes, and so do we. For example:
//! `89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523`.

use super::columns::{Column, Columns, are_cells};
use super::numbers::Words;
use super::{Format, SECTOR_BYTES};

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "fiu",
    made_by: "Florida International University (SNIA IOTTA)",
    source: "its nine columns",
    resolution_ns: Some(1),
    device: "8,{device}",
    line: Some("{began} {pid} p {sector} {sectors} {R/W} 8 {device} 0123"),
    examples: &["89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523\n"],
    looks_like: |line| !line.contains(&b',') && are_cells(Words(line), "##*##w##+"),
    decoder: || layout().decoder(),
    ..Format::PLAIN
};

/// Returns the columns.
fn layout() -> Columns {
    Columns {
        separator: b' ',
        columns: vec![
            Column::Time,
            Column::Pid,
            Column::Process,
            Column::Offset,
            Column::Length,
            Column::Action,
            Column::Device,
            Column::Device,
        ],
        offset_bytes: SECTOR_BYTES,
        length_bytes: SECTOR_BYTES,
        ..Columns::default()
    }
}
