//! Disk events of Windows (ETW), as `xperf` prints them.
//!
//! The traces of Microsoft's production servers and of its TPC-E runs (SNIA IOTTA 158 and 149) are
//! such files. The README of 149 has the names of the columns, which also stand at the beginning of a
//! file, between `BeginHeader` and `EndHeader`, for each kind of event:
//!
//! ```text
//! DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, ...
//! DiskFlush, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ElapsedTime, DiskNum, ...
//! ```
//!
//! and those of `DiskWrite` like `DiskRead`. Newer versions of `xperf` have `CPU` before `IrpPtr`. Times
//! are in microseconds, `ByteOffset` and `IOSize` in bytes, as hexadecimal numbers. The kernel writes
//! the event when the I/O is done (its beginning is another event, `DiskReadInit`, without a place), and
//! `ElapsedTime` is "the time between I/O initiation and completion"
//! (learn.microsoft.com/windows/win32/etw/diskio-typegroup1, `HighResResponseTime`). All other events
//! begin and end no I/O of a disk. The device is `DiskNum`.

use super::numbers::{MICROSECOND, SECOND, number, number_u32};
use super::{Format, IoStep, LineDecoder, Parsed, Record, rwbs};
use crate::event::{Action, Marks, ProcessId};
use crate::name_table::NameTable;

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "etw",
    made_by: "`xperf -i FILE -o FILE -a dumper` on Windows, and the traces of Microsoft's production servers (SNIA IOTTA)",
    source: "the names of its columns, and Windows' `DiskIo_TypeGroup1`",
    resolution_ns: Some(1_000),
    header: "BeginHeader\n\
        \x20  DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri\n\
        \x20 DiskWrite,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri\n\
        EndHeader\n",
    line: Some(
        "{DiskRead/DiskWrite}, {ended:us}, p ( {pid}), 7, 0xfffffa8000000010, {offset:x}, {length:x}, {latency:us}, {device}, 0x000043, 9, 0",
    ),
    examples: &[
        "BeginHeader\n",
        "   DiskWrite,     901400,   sql server.exe (1964),       2180, 0xfffffa8000000010, 0x00027c6000, 0x00002000,         350,        2, 0x060a01,         340,       0,         , 0xfffffa8000000020, \"F:\\d\"\n",
    ],
    begins: |head| head.starts_with(b"BeginHeader"),
    looks_like: |line| Etw::default().record(line, &mut NameTable::new()).is_some(),
    decoder: || Some(LineDecoder::Etw(Etw::default())),
    ..Format::PLAIN
};

/// Where this clock begins: it counts from the beginning of the trace, and some I/Os began before.
const ORIGIN_NS: u64 = 86_400 * SECOND;
/// The most columns that are looked at.
const COLUMNS_MAX: usize = 16;

/// Where the columns of an event are.
#[derive(Debug, Clone, Copy)]
struct Columns {
    time: usize,
    process: usize,
    /// The place and the length, which a flush has not.
    place: Option<(usize, usize)>,
    elapsed: usize,
    disk: usize,
}

impl Columns {
    /// Reads the line that names them.
    fn of(names: &[&[u8]]) -> Option<Self> {
        let at = |name: &[u8]| names.iter().position(|other| *other == name);
        Some(Self {
            time: at(b"TimeStamp")?,
            process: at(b"Process Name ( PID)")?,
            place: at(b"ByteOffset").zip(at(b"IOSize")),
            elapsed: at(b"ElapsedTime")?,
            disk: at(b"DiskNum")?,
        })
    }
}

/// Decodes lines of disk events.
#[derive(Debug)]
pub(crate) struct Etw {
    transfer: Columns,
    flush: Columns,
}

impl Default for Etw {
    fn default() -> Self {
        let transfer = Columns {
            time: 1,
            process: 2,
            place: Some((5, 6)),
            elapsed: 7,
            disk: 8,
        };
        let flush = Columns {
            place: None,
            elapsed: 5,
            disk: 6,
            ..transfer
        };
        Self { transfer, flush }
    }
}

/// Returns the cells of a line, as many as are looked at.
#[inline]
fn cells(line: &[u8]) -> ([&[u8]; COLUMNS_MAX], usize) {
    let mut cells = [&b""[..]; COLUMNS_MAX];
    let mut count = 0;
    for (cell, place) in line.split(|byte| *byte == b',').zip(&mut cells) {
        *place = cell.trim_ascii();
        count += 1;
    }
    (cells, count)
}

/// Reads a whole number, as decimal or as hexadecimal digits.
#[inline]
fn whole(cell: &[u8]) -> Option<u64> {
    let Some(digits) = cell.strip_prefix(b"0x") else {
        return number(cell);
    };
    let is_right = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_right)?;
    u64::from_str_radix(text, 16).ok()
}

/// Returns whether a line is of the header, or of an event of another kind.
fn is_other(line: &[u8], name: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_/".contains(byte);
    let is_event = name.len() < line.trim_ascii().len()
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(is_name);
    let line = line.trim_ascii();
    let is_header = matches!(line, b"" | b"BeginHeader" | b"EndHeader");
    is_event || is_header || line.starts_with(b"OS Version")
}

impl Etw {
    /// Decodes a line.
    #[inline]
    pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
        if let Some(parsed) = self.record(line, names) {
            return parsed;
        }
        let (cells, count) = cells(line);
        let columns = match cells[0] {
            b"DiskRead" | b"DiskWrite" => &mut self.transfer,
            b"DiskFlush" => &mut self.flush,
            name if is_other(line, name) => return Parsed::Nothing,
            _ => return Parsed::Malformed("no event of ETW"),
        };
        match Columns::of(&cells[..count]) {
            Some(found) if found.place.is_some() == columns.place.is_some() => {
                *columns = found;
                Parsed::Nothing
            }
            _ => Parsed::Malformed("not an event of a disk"),
        }
    }

    /// Reads an I/O; `None` if it is none.
    #[inline]
    fn record(&self, line: &[u8], names: &mut NameTable) -> Option<Parsed> {
        let (cells, count) = cells(line);
        let (action, columns) = match cells[0] {
            b"DiskRead" => (Action::Read, &self.transfer),
            b"DiskWrite" => (Action::Write, &self.transfer),
            b"DiskFlush" => (Action::Flush, &self.flush),
            _ => return None,
        };
        let cell = |index: usize| cells[..count].get(index).copied();
        let time = |index| whole(cell(index)?)?.checked_mul(MICROSECOND);
        let latency_ns = time(columns.elapsed)?;
        let ended_ns = time(columns.time)?.checked_add(ORIGIN_NS)?;
        let (offset_bytes, length_bytes) = match columns.place {
            Some((offset, length)) => (whole(cell(offset)?)?, whole(cell(length)?)?),
            None => (0, 0),
        };
        let disk = cell(columns.disk).filter(|cell| number(cell).is_some())?;
        let process = process(cell(columns.process)?, names)?;
        let Some(device) = names.device(disk) else {
            return Some(Parsed::TooManyNames);
        };
        let io = rwbs::Io {
            action,
            marks: Marks::default(),
            is_flush_request: false,
            offset_bytes,
            length_bytes,
        };
        let step = IoStep::Whole {
            latency_ns: Some(latency_ns),
        };
        let clock = (ended_ns.checked_sub(latency_ns)?, 0);
        Some(Parsed::Record(Record::new(
            clock, step, io, device, process,
        )))
    }
}

/// Reads a process: `sqlservr.exe (1964)`, or `Unknown (  -1)`.
fn process(cell: &[u8], names: &mut NameTable) -> Option<ProcessId> {
    let open = cell.iter().rposition(|byte| *byte == b'(')?;
    let pid = cell[open + 1..].strip_suffix(b")")?.trim_ascii();
    let name = cell[..open].trim_ascii();
    Some(match number_u32(pid) {
        None if pid.starts_with(b"-") => ProcessId(0),
        None => return None,
        pid => names.process(name, pid),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(decoder: &mut Etw, line: &str, expected: (Action, u64, u64, u64, u64)) -> NameTable {
        let mut names = NameTable::new();
        let Parsed::Record(record) = decoder.decode(line.as_bytes(), &mut names) else {
            panic!("{line}");
        };
        let IoStep::Whole { latency_ns } = record.step else {
            panic!("{line}");
        };
        let began_us = record.clock_ns.wrapping_sub(ORIGIN_NS) / 1_000;
        let latency_us = latency_ns.unwrap_or_default() / 1_000;
        let place = (record.offset_bytes, record.length_bytes);
        let found = (record.action, began_us, latency_us, place.0, place.1);
        assert_eq!(found, expected, "{line}");
        names
    }

    #[test]
    fn it_began_before_its_event() {
        let mut decoder = Etw::default();
        let names = check(
            &mut decoder,
            FORMAT.examples[1],
            (Action::Write, 901_050, 350, 0x27c_6000, 8192),
        );
        let process = ("sql server.exe".to_owned(), Some(1964));
        assert_eq!(names.names.processes[1], process);
        assert_eq!(names.names.devices, ["2"]);
        check(
            &mut decoder,
            "DiskFlush, 500, System ( 4), 100, 0xfa10, 120, 2, 0x0, 118, 0",
            (Action::Flush, 380, 120, 0, 0),
        );
    }

    #[test]
    fn the_header_says_where_columns_are() {
        let mut decoder = Etw::default();
        let header = "DiskRead,  TimeStamp, Process Name ( PID), ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, IrpFlags";
        let mut names = NameTable::new();
        let found = decoder.decode(header.as_bytes(), &mut names);
        assert_eq!(found, Parsed::Nothing);
        check(
            &mut decoder,
            "DiskRead, 70, Unknown ( -1), 8, 1, 0xfa10, 0x1000, 0x200, 20, 0, 0x43",
            (Action::Read, 50, 20, 4096, 512),
        );
    }

    #[test]
    fn what_is_no_io_is_counted() {
        let mut decoder = Etw::default();
        let mut names = NameTable::new();
        let mut decode = |line: &str| decoder.decode(line.as_bytes(), &mut names);
        for line in [
            "BeginHeader",
            "EndHeader",
            "OS Version: 6.0.6001, Trace Size: 1KB",
            "  DiskReadInit, 7, a ( 1), 2, 0xfa10",
            "T-DCStart, 0, System ( 4), 8",
            "",
        ] {
            assert_eq!(decode(line), Parsed::Nothing, "{line}");
        }
        for line in [
            "DiskRead, 7, a ( 1), 2, 0xfa10, 0x1000, 0x200, 5",
            "DiskRead, 7, a ( 1), 2, 0xfa10, 0xg, 0x200, 5, 0",
            "DiskRead, 7, a ( x), 2, 0xfa10, 0x0, 0x200, 5, 0",
            "DiskRead, -7, a ( 1), 2, 0xfa10, 0x0, 0x200, 5, 0",
            "DiskRead, 7, a ( 1), 2, 0xfa10, 0x0, 0x200, 5, x",
            "8,0 1 1 0.5 9 Q R 8 + 8 [a]",
        ] {
            assert!(matches!(decode(line), Parsed::Malformed(_)), "{line}");
        }
    }
}
