//! CSV of the traces of SYSTOR '17.
//!
//! SNIA IOTTA, trace 4928, README.txt: `Timestamp,Response,IOType,LUN,Offset,Size`. The timestamp is
//! "a Unix time (seconds since 1/1/1970) with a fractional part. Although the fractional part is nine
//! digits, it is accurate only to the microsecond level"; "Response is the time needed to complete the
//! I/O" (its unit is not stated; the values have the form of the timestamp, and are read as seconds);
//! the type is `R`, `W` or blank, where "the blank indicates that there was no response message" (such
//! a line is counted as malformed); offset and size are in bytes. For example:
//! `1456095145.133076000,0.000806000,R,0,899056122368,131072`.

use super::Format;
use super::columns::{Column, Columns, is_line_of};
use super::numbers::SECOND;

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "systor",
    made_by: "SYSTOR '17 (SNIA IOTTA)",
    source: "its six columns, with or without their names",
    resolution_ns: Some(1_000),
    line: Some("{began:s.9},{latency:s.9},{R/W},{device},{offset},{length}"),
    examples: &[
        "1456095145.133076000,0.000806000,R,0,899056122368,131072\n",
        "Timestamp,Response,IOType,LUN,Offset,Size\n1.5,0.1,W,2,0,512\n",
    ],
    looks_like: |line| is_line_of(line, "..w*##"),
    decoder: || layout().decoder(),
    ..Format::PLAIN
};

/// Returns the columns.
fn layout() -> Columns {
    Columns {
        columns: vec![
            Column::Time,
            Column::Latency,
            Column::Action,
            Column::Device,
            Column::Offset,
            Column::Length,
        ],
        time_ns: SECOND,
        latency_ns: SECOND,
        ..Columns::default()
    }
}
