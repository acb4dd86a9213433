//! CSV of the traces from MSR Cambridge.
//!
//! SNIA IOTTA, trace 387, README.txt, "I/O trace file format": `Timestamp,Hostname,DiskNumber,Type,
//! Offset,Size,ResponseTime`. "Timestamp is the time the I/O was issued in 'Windows filetime'", which
//! is 100 ns since 1601; offset and size are in bytes, and "ResponseTime is the time taken by the I/O
//! to complete, in Windows filetime units". The device is `HOSTNAME_DISKNUMBER`, as in the names of
//! the files. For example: `128166372003061629,hm,0,Write,7014912,4096,26`.

use super::columns::{Column, Columns, FILETIME};

/// Returns the columns.
pub(crate) fn layout() -> Columns {
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
