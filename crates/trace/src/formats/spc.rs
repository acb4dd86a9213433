//! CSV as the Storage Performance Council specified it.
//!
//! "SPC Trace File Format Specification", revision 1.0.1 (2002): `ASU,LBA,Size,Opcode,Timestamp`, and
//! more fields that are optional. The size is in bytes, the opcode `R` or `W` in either case, the
//! timestamp in seconds since the trace began. The LBA is in blocks of the application's storage unit,
//! whose length the specification leaves to the trace's description; the traces of the UMass
//! repository (Financial, WebSearch), as programs that read them take them, have blocks of 512 bytes.
//! For example, from WebSearch2.spc: `0,21741712,24576,R,0.000774`.

use super::columns::{Column, Columns, is_line_of};
use super::numbers::SECOND;
use super::{Format, SECTOR_BYTES};

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "spc",
    made_by: "Storage Performance Council, as of UMass",
    source: "its five columns",
    resolution_ns: Some(1_000),
    line: Some("{device},{sector},{length},{R/W},{began:s.6}"),
    examples: &["0,21741712,24576,R,0.000774\n"],
    looks_like: |line| is_line_of(line, "###w.+"),
    decoder: || layout().decoder(),
    ..Format::PLAIN
};

/// Returns the columns.
fn layout() -> Columns {
    Columns {
        columns: vec![
            Column::Device,
            Column::Offset,
            Column::Length,
            Column::Action,
            Column::Time,
        ],
        time_ns: SECOND,
        offset_bytes: SECTOR_BYTES,
        ..Columns::default()
    }
}
