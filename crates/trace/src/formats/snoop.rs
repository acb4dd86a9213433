//! The tables of `biosnoop` and `iosnoop`: a line for each I/O that is done.
//!
//! | program | first line of the table |
//! |---|---|
//! | `biosnoop` of bcc (tools/biosnoop.py) | `TIME(s) COMM PID DISK T SECTOR BYTES`, with `-P` `P`, with `-Q` `QUE(ms)`, then `LAT(ms)` |
//! | `biosnoop` of libbpf-tools (biosnoop.c) | the same, with all letters of RWBS below `T` |
//! | the same with `-t` (github.com/iovisor/bcc/pull/4646) | `TIMESTAMP`, the time of day when it printed, for `TIME(s)` |
//! | `iosnoop` of perf-tools | with `-s` `STARTs`, with `-t` `ENDs`, then `COMM PID TYPE DEV BLOCK BYTES LATms` |
//!
//! `TIME` and `ENDs` are when the I/O was done; `LAT` counts from its issue, and `QUE` is the time before
//! that, or -1. Latencies have two or three digits behind the point, so a beginning is exact to 10 µs
//! at best. A name may have spaces: what comes before it is counted from the left, what comes behind it
//! from the right. `biosnoop` of bcc shows all but writes as reads; one without data is no read.

use memchr::memmem::find;

use super::numbers::{MILLISECOND, SECOND, Words, decimal, number, number_u32, sectors};
use super::rwbs::{self, Meaning};
use super::{Format, IoStep, LineDecoder, Parsed, Record};
use crate::event::ProcessId;
use crate::name_table::NameTable;

/// The most columns of a table.
const COLUMNS_MAX: usize = 12;
/// Where these clocks begin: `biosnoop` counts from the end of the first I/O, which began before.
const ORIGIN_NS: u64 = 86_400 * SECOND;

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Start,
    End,
    Name,
    Pid,
    Device,
    Letters,
    Sector,
    Bytes,
    Queued,
    Latency,
    Other,
}

/// What a first line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// Of a table that is read.
    Table,
    /// Of a table of I/Os without times.
    NoTimes,
}

/// Decodes lines of a table.
#[derive(Debug, Default)]
pub(crate) struct Snoop {
    columns: Vec<Column>,
}

/// The row of `biosnoop`.
pub(crate) static BIOSNOOP: Format = Format {
    name: "biosnoop",
    made_by: "`biosnoop` of bcc and of libbpf-tools, with or without `-Q`, `-P` and `-t`",
    source: "tools/biosnoop.py, libbpf-tools/biosnoop.c",
    header: "TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)\n",
    line: Some(
        "{ended:s.6}    p {pid}      {pid}     {device}      {R/W}   {sector}   {length}  {latency:ms.3}",
    ),
    examples: &[
        "TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)\n",
        "TIMESTAMP    COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)\n",
    ],
    looks_like: |line| header(line) == Some(Header::Table) && is_biosnoop(line),
    decoder,
    ..Format::PLAIN
};

/// The row of `iosnoop`.
pub(crate) static IOSNOOP: Format = Format {
    name: "iosnoop",
    made_by: "`iosnoop -s`, `-t` or both, of perf-tools",
    source: "its source",
    device: "8,{device}",
    header: "Tracing block I/O. Ctrl-C to end.\nSTARTs         ENDs           COMM             PID    TYPE DEV      BLOCK        BYTES     LATms\n",
    line: Some(
        "{began:s.6} {ended:s.6} p {pid}     {pid}     {R/W}    8,{device}   {sector}   {length}  {latency:ms.2}",
    ),
    examples: &["Tracing block I/O. Ctrl-C to end.\nSTARTs COMM PID TYPE DEV BLOCK BYTES LATms\n"],
    looks_like: |line| header(line) == Some(Header::Table) && !is_biosnoop(line),
    decoder,
    ..Format::PLAIN
};

#[expect(clippy::unnecessary_wraps, reason = "a row may have none")]
fn decoder() -> Option<LineDecoder> {
    Some(LineDecoder::Snoop(Snoop::default()))
}

/// Returns whether a first line is of `biosnoop`.
fn is_biosnoop(line: &[u8]) -> bool {
    find(line, b"(s)").is_some() || find(line, b"TIMESTAMP").is_some()
}

/// Reads a first line.
fn columns(line: &[u8]) -> Option<Vec<Column>> {
    let mut columns = Vec::new();
    for word in Words(line) {
        columns.push(match word {
            b"STARTs" => Column::Start,
            b"TIME(s)" | b"TIMESTAMP" | b"ENDs" => Column::End,
            b"COMM" => Column::Name,
            b"PID" => Column::Pid,
            b"DISK" | b"DEV" => Column::Device,
            b"T" | b"TYPE" => Column::Letters,
            b"SECTOR" | b"BLOCK" => Column::Sector,
            b"BYTES" => Column::Bytes,
            b"QUE(ms)" => Column::Queued,
            b"LAT(ms)" | b"LATms" => Column::Latency,
            b"P" => Column::Other,
            _ => return None,
        });
    }
    let has = |column: &Column| columns.contains(column);
    let needed = [
        Column::Name,
        Column::Device,
        Column::Letters,
        Column::Sector,
        Column::Bytes,
        Column::Latency,
    ];
    (columns.len() <= COLUMNS_MAX && needed.iter().all(has)).then_some(columns)
}

/// Returns what a line is that begins a table of I/Os.
pub(crate) fn header(line: &[u8]) -> Option<Header> {
    let columns = columns(line)?;
    let is_time = |column: &Column| matches!(column, Column::Start | Column::End);
    Some(match columns.iter().any(is_time) {
        true => Header::Table,
        false => Header::NoTimes,
    })
}

/// The cells of a line.
#[derive(Default)]
struct Cells<'a> {
    start: Option<&'a [u8]>,
    end: Option<&'a [u8]>,
    name: &'a [u8],
    pid: &'a [u8],
    device: &'a [u8],
    letters: &'a [u8],
    sector: &'a [u8],
    bytes: &'a [u8],
    queued: Option<&'a [u8]>,
    latency: &'a [u8],
}

impl<'a> Cells<'a> {
    fn set(&mut self, column: Column, cell: &'a [u8]) {
        match column {
            Column::Start => self.start = Some(cell),
            Column::End => self.end = Some(cell),
            Column::Name => self.name = cell,
            Column::Pid => self.pid = cell,
            Column::Device => self.device = cell,
            Column::Letters => self.letters = cell,
            Column::Sector => self.sector = cell,
            Column::Bytes => self.bytes = cell,
            Column::Queued => self.queued = Some(cell),
            Column::Latency => self.latency = cell,
            Column::Other => {}
        }
    }

    /// Takes a line apart; `None` if it has too few words.
    fn of(line: &'a [u8], columns: &[Column]) -> Option<Self> {
        let name = columns.iter().position(|column| *column == Column::Name)?;
        let mut cells = Self::default();
        let mut rest = line.trim_ascii();
        for column in &columns[..name] {
            let end = rest.iter().position(u8::is_ascii_whitespace)?;
            cells.set(*column, &rest[..end]);
            rest = rest[end..].trim_ascii_start();
        }
        for column in columns[name + 1..].iter().rev() {
            let start = rest.iter().rposition(u8::is_ascii_whitespace)? + 1;
            cells.set(*column, &rest[start..]);
            rest = rest[..start].trim_ascii_end();
        }
        cells.name = rest;
        Some(cells)
    }

    /// Returns when the I/O began and how long it took.
    fn times(&self) -> Option<(u64, u64)> {
        let time = |cell: &[u8]| time_of_day(cell)?.checked_add(ORIGIN_NS);
        let issued_ns = decimal(self.latency, MILLISECOND)?;
        let queued_ns = match self.queued {
            Some(cell) if cell.starts_with(b"-") => 0,
            Some(cell) => decimal(cell, MILLISECOND)?,
            None => 0,
        };
        let latency_ns = issued_ns.checked_add(queued_ns)?;
        match (self.start, self.end) {
            (Some(start), Some(end)) => {
                let start = time(start)?;
                Some((start, time(end)?.checked_sub(start)?))
            }
            (Some(start), None) => Some((time(start)?, latency_ns)),
            (None, end) => Some((time(end?)?.checked_sub(latency_ns)?, latency_ns)),
        }
    }
}

/// Reads seconds, or a time of day: `17:58:57.814`.
fn time_of_day(cell: &[u8]) -> Option<u64> {
    let mut whole_ns = 0_u64;
    let mut rest = cell;
    for _ in 0..2 {
        let Some(colon) = rest.iter().position(|byte| *byte == b':') else {
            break;
        };
        let part = number(&rest[..colon])?.checked_mul(SECOND)?;
        whole_ns = whole_ns.checked_add(part)?.checked_mul(60)?;
        rest = &rest[colon + 1..];
    }
    whole_ns.checked_add(decimal(rest, SECOND)?)
}

impl Snoop {
    /// Decodes a line.
    pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
        if let Some(columns) = columns(line) {
            self.columns = columns;
            return Parsed::Nothing;
        }
        // `Tracing block I/O. Ctrl-C to end.`, and `Ending tracing...` of iosnoop.
        let is_notice = line.starts_with(b"Tracing ") || line.starts_with(b"Ending ");
        if line.trim_ascii().is_empty() || is_notice {
            return Parsed::Nothing;
        }
        let parsed = Cells::of(line, &self.columns).and_then(|cells| record(&cells, names));
        parsed.unwrap_or(Parsed::Malformed("not a line of the table"))
    }
}

fn record(cells: &Cells<'_>, names: &mut NameTable) -> Option<Parsed> {
    let (clock_ns, latency_ns) = cells.times()?;
    let letters = rwbs::parse(cells.letters)?;
    let sector = number(cells.sector)?;
    let io = match letters.at(sector, number(cells.bytes)?) {
        Meaning::Io(io) => io,
        Meaning::Nothing => return Some(Parsed::Nothing),
        Meaning::Beyond => return None,
    };
    sectors(sector)?;
    let pid = number_u32(cells.pid);
    let process = match (cells.name, pid) {
        (b"?", None | Some(0)) => ProcessId(0),
        (name, pid) => names.process(name, pid),
    };
    let Some(device) = names.device(cells.device) else {
        return Some(Parsed::TooManyNames);
    };
    let step = IoStep::Whole {
        latency_ns: Some(latency_ns),
    };
    let record = Record::new((clock_ns, 0), step, io, device, process);
    Some(Parsed::Record(record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Action;

    #[track_caller]
    fn check(header: &str, line: &str, began_ns: u64, latency_ns: u64) -> (Record, NameTable) {
        let mut names = NameTable::new();
        let mut decoder = Snoop::default();
        assert_eq!(super::header(header.as_bytes()), Some(Header::Table));
        assert_eq!(
            decoder.decode(header.as_bytes(), &mut names),
            Parsed::Nothing
        );
        let Parsed::Record(record) = decoder.decode(line.as_bytes(), &mut names) else {
            panic!("{line}");
        };
        assert_eq!(record.clock_ns, ORIGIN_NS.wrapping_add(began_ns), "{line}");
        let latency_ns = Some(latency_ns);
        assert_eq!(record.step, IoStep::Whole { latency_ns }, "{line}");
        (record, names)
    }

    #[test]
    fn names_with_spaces_and_a_queue() {
        let (record, names) = check(
            "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  QUE(ms) LAT(ms)",
            "1.022346    Web Content    1950    xvda1     W 13115272   4096      0.50    0.98",
            1_020_866_000,
            1_480_000,
        );
        assert_eq!(record.action, Action::Write);
        assert_eq!(record.offset_bytes, 13_115_272 * 512);
        assert_eq!(record.length_bytes, 4096);
        let process = ("Web Content".to_owned(), Some(1950));
        assert_eq!(names.names.processes[1], process);
        assert_eq!(names.names.devices, ["xvda1"]);
        check(
            "TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   QUE(ms) LAT(ms)",
            "0.000004    dmcrypt_write/ 456     dm-0    FWFS 62901512   8192     -1.000   0.230",
            0_u64.wrapping_sub(226_000),
            230_000,
        );
        check(
            "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  P LAT(ms)",
            "9.5         x              1       sda       R 8          512    S   0.10",
            9_499_900_000,
            100_000,
        );
    }

    #[test]
    fn a_time_of_day() {
        let header = "TIMESTAMP    COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)";
        let line = "mount          163467  sdq     WSM  41944043   524288    1.422";
        let midnight = 0_u64.wrapping_sub(922_000);
        for (time, began_ns) in [
            ("17:58:57.814", 64_737_812_578_000),
            ("00:00:00.0005", midnight),
        ] {
            check(header, &format!("{time} {line}"), began_ns, 1_422_000);
        }
        for bad in ["1:2:3:4.0", ":58:57.814", "18446744073:0:0.0"] {
            assert_eq!(time_of_day(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn starts_ends_or_both() {
        let line = "bash             4179   RM   202,1    12862264     4096       1.22";
        let (record, names) = check(
            "STARTs         COMM             PID    TYPE DEV      BLOCK        BYTES     LATms",
            &format!("5982800.302061 {line}"),
            5_982_800_302_061_000,
            1_220_000,
        );
        assert!(record.marks.is_metadata);
        assert_eq!(names.names.devices, ["202,1"]);
        let both = "STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms";
        check(
            both,
            &format!("10.5 10.501234 {line}"),
            10_500_000_000,
            1_234_000,
        );
        let ends = "ENDs COMM PID TYPE DEV BLOCK BYTES LATms";
        check(ends, &format!("10.5 {line}"), 10_498_780_000, 1_220_000);
        let none = b"COMM             PID    TYPE DEV      BLOCK        BYTES     LATms";
        assert_eq!(header(none), Some(Header::NoTimes));
        assert_eq!(
            header(b"TIME(ms)     DISK    COMM             PID    LAT(ms)"),
            None
        );
    }

    #[test]
    fn what_is_no_io_is_counted() {
        let mut decoder = Snoop::default();
        let mut names = NameTable::new();
        let mut decode = |line: &str| decoder.decode(line.as_bytes(), &mut names);
        assert!(matches!(
            decode("1.0 x 1 sda R 8 512 0.1"),
            Parsed::Malformed(_)
        ));
        decode("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)");
        assert_eq!(decode("Tracing block I/O. Ctrl-C to end."), Parsed::Nothing);
        assert_eq!(decode("1.0 x 1 sda R 8 0 0.1"), Parsed::Nothing);
        for bad in [
            "1.0 sda R 8 512 0.1",
            "x y 1 sda R 8 512 0.1",
            "1.0 x 1 sda R 8 512 -1",
        ] {
            assert!(matches!(decode(bad), Parsed::Malformed(_)), "{bad}");
        }
    }
}
