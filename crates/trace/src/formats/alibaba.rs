//! CSV of the traces from Alibaba Cloud.
//!
//! github.com/alibaba/block-traces, README.md, "io_traces.csv": `device_id,opcode,offset,length,
//! timestamp`. The opcode is "either of 'R' or 'W'", offset and length are "in bytes", the timestamp
//! is "in microseconds" (its example is 1577808000000626). Example of a line, from the values in the
//! README's table: `0,R,126703644672,4096,1577808000000626`.

use super::columns::{Column, Columns};
use super::numbers::MICROSECOND;

/// Returns the columns.
pub(crate) fn layout() -> Columns {
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
