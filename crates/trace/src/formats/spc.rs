//! CSV as the Storage Performance Council specified it.
//!
//! "SPC Trace File Format Specification", revision 1.0.1 (2002): `ASU,LBA,Size,Opcode,Timestamp`, and
//! more fields that are optional. The size is in bytes, the opcode `R` or `W` in either case, the
//! timestamp in seconds since the trace began. The LBA is in blocks of the application's storage unit,
//! whose length the specification leaves to the trace's description; the traces of the UMass
//! repository (Financial, WebSearch), as programs that read them take them, have blocks of 512 bytes.
//! For example, from WebSearch2.spc: `0,21741712,24576,R,0.000774`.

use super::SECTOR_BYTES;
use super::columns::{Column, Columns};
use super::numbers::SECOND;

/// Returns the columns.
pub(crate) fn layout() -> Columns {
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
