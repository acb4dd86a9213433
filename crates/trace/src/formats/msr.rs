//! CSV of the traces from MSR Cambridge.
//!
//! SNIA IOTTA, trace 387, README.txt, "I/O trace file format": `Timestamp,Hostname,DiskNumber,Type,
//! Offset,Size,ResponseTime`. "Timestamp is the time the I/O was issued in 'Windows filetime'", which
//! is 100 ns since 1601; offset and size are in bytes, and "ResponseTime is the time taken by the I/O
//! to complete, in Windows filetime units". The device is `HOSTNAME_DISKNUMBER`, as in the names of
//! the files. For example: `128166372003061629,hm,0,Write,7014912,4096,26`.

use super::Format;
use super::columns::{Column, Columns, FILETIME, is_line_of};

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "msr",
    made_by: "MSR Cambridge (SNIA IOTTA)",
    source: "its seven columns",
    resolution_ns: Some(100),
    device: "hm_{device}",
    line: Some("{began:100ns},hm,{device},{Read/Write},{offset},{length},{latency:100ns}"),
    examples: &["128166372003061629,hm,0,Write,7014912,4096,26\n"],
    looks_like: |line| is_line_of(line, "#*#w###+"),
    decoder: || layout().decoder(),
    ..Format::PLAIN
};

/// Returns the columns.
fn layout() -> Columns {
    Columns {
        columns: vec![
            Column::Time,
            Column::Device,
            Column::Device,
            Column::Action,
            Column::Offset,
            Column::Length,
            Column::Latency,
        ],
        time_ns: FILETIME,
        latency_ns: FILETIME,
        joint: b'_',
        ..Columns::default()
    }
}
