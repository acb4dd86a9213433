//! CSV of the traces from Alibaba Cloud.
//!
//! github.com/alibaba/block-traces, README.md, "io_traces.csv": `device_id,opcode,offset,length,
//! timestamp`. The opcode is "either of 'R' or 'W'", offset and length are "in bytes", the timestamp
//! is "in microseconds" (its example is 1577808000000626). Example of a line, from the values in the
//! README's table: `0,R,126703644672,4096,1577808000000626`.

use super::Format;
use super::columns::{Column, Columns, is_line_of};
use super::numbers::MICROSECOND;

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "alibaba",
    made_by: "Alibaba Cloud's block traces",
    source: "its README",
    resolution_ns: Some(1_000),
    line: Some("{device},{R/W},{offset},{length},{began:us}"),
    examples: &["0,R,126703644672,4096,1577808000000626\n"],
    looks_like: |line| is_line_of(line, "#w###"),
    decoder: || layout().decoder(),
    ..Format::PLAIN
};

/// Returns the columns.
fn layout() -> Columns {
    Columns {
        columns: vec![
            Column::Device,
            Column::Action,
            Column::Offset,
            Column::Length,
            Column::Time,
        ],
        time_ns: MICROSECOND,
        ..Columns::default()
    }
}
