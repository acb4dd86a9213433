//! CSV of our own: the first line names the columns, and their units.
//!
//! | column | one of |
//! |---|---|
//! | when it began | `time_s`, `time_ms`, `time_us`, `time_ns` |
//! | what it does | `action`: `read`, `write`, `flush`, `discard`, or the first letters |
//! | where it begins | `offset_bytes`, `offset_sectors` |
//! | how long it is | `length_bytes`, `length_sectors` |
//! | how long it took (optional) | `latency_s`, `latency_ms`, `latency_us`, `latency_ns` |
//! | the device (optional) | `device` |
//! | the process (optional) | `process`, `pid` |
//!
//! Columns of other names are not read. Cells have no quotes.

use super::columns::{Column, Columns};
use super::numbers::{MICROSECOND, MILLISECOND, SECOND, first_line};
use super::{Format, SECTOR_BYTES};

/// The most columns of a table.
const COLUMNS_MAX: usize = 256;

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "csv",
    made_by: "your own",
    source: "the first line names the columns, see below",
    header: "time_us,action,offset_bytes,length_bytes,latency_us,device,pid\n",
    line: Some("{began:us},{R/W/F/D},{offset},{length},{latency:us},{device},{pid}"),
    examples: &["time_s,action,offset_bytes,length_bytes\n"],
    begins: |head| columns(first_line(head)).is_some(),
    decoder: || layout().decoder(),
    ..Format::PLAIN
};

/// Returns the columns of a table whose first line is still to come.
fn layout() -> Columns {
    Columns {
        has_header: true,
        ..Columns::default()
    }
}

/// Returns the ns of a unit.
fn unit_ns(unit: &[u8]) -> Option<u64> {
    Some(match unit {
        b"s" => SECOND,
        b"ms" => MILLISECOND,
        b"us" => MICROSECOND,
        b"ns" => 1,
        _ => return None,
    })
}

/// Returns the bytes of a unit.
fn unit_bytes(unit: &[u8]) -> Option<u64> {
    Some(match unit {
        b"bytes" => 1,
        b"sectors" => SECTOR_BYTES,
        _ => return None,
    })
}

/// Reads a first line; `None` if it lacks a column that must be there.
pub(crate) fn columns(line: &[u8]) -> Option<Columns> {
    let mut layout = Columns::default();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    for name in line.split(|byte| *byte == b',') {
        if layout.columns.len() == COLUMNS_MAX {
            return None;
        }
        let name = name.trim_ascii();
        let column = if let Some(unit) = name.strip_prefix(b"time_") {
            layout.time_ns = unit_ns(unit)?;
            Column::Time
        } else if let Some(unit) = name.strip_prefix(b"latency_") {
            layout.latency_ns = unit_ns(unit)?;
            Column::Latency
        } else if let Some(unit) = name.strip_prefix(b"offset_") {
            layout.offset_bytes = unit_bytes(unit)?;
            Column::Offset
        } else if let Some(unit) = name.strip_prefix(b"length_") {
            layout.length_bytes = unit_bytes(unit)?;
            Column::Length
        } else {
            match name {
                b"action" => Column::Action,
                b"device" => Column::Device,
                b"process" => Column::Process,
                b"pid" => Column::Pid,
                _ => Column::Other,
            }
        };
        if column != Column::Other && layout.columns.contains(&column) {
            return None;
        }
        layout.columns.push(column);
    }
    let needed = [Column::Time, Column::Action, Column::Offset, Column::Length];
    let is_whole = needed.iter().all(|column| layout.columns.contains(column));
    is_whole.then_some(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Action;
    use crate::formats::{IoStep, Parsed};
    use crate::name_table::NameTable;

    #[test]
    fn the_first_line_decides() {
        let mut decoder = layout();
        let mut names = NameTable::new();
        let header = b"x,action,length_sectors,time_ms,offset_bytes,latency_us,pid";
        assert_eq!(decoder.decode(header, &mut names), Parsed::Nothing);
        let line = b"a,TRIM,8,1.5,4096,2.5,7,more";
        let Parsed::Record(record) = decoder.decode(line, &mut names) else {
            panic!("a record");
        };
        assert_eq!(record.clock_ns, 1_500_000);
        assert_eq!(record.action, Action::Discard);
        assert_eq!((record.offset_bytes, record.length_bytes), (4096, 4096));
        assert_eq!(
            record.step,
            IoStep::Whole {
                latency_ns: Some(2_500)
            }
        );
        assert_eq!(names.names.processes[1].1, Some(7));
        for bad in [
            &b"action,length_bytes,offset_bytes"[..],
            b"time_h,action,length_bytes,offset_bytes",
            b"time_s,time_ms,action,length_bytes,offset_bytes",
        ] {
            assert_eq!(columns(bad), None);
        }
    }
}
