//! fio's iolog.
//!
//! fio's HOWTO, "Trace file format v1", "v2" and "v3", and iolog.c. A first line names the version:
//!
//! - v3 (fio 3.31 and later): `timestamp filename action offset length`. The HOWTO gives no unit;
//!   iolog.c writes microseconds in every version that has the format (`utime_since_now` in `log_io_u`,
//!   since the commit that added it), and waits as many before it replays.
//! - v2: `filename action offset length`, without a time. The HOWTO says of `wait`: "Wait for `offset`
//!   microseconds. Everything below 100 is discarded. The time is relative to the previous `wait`
//!   statement", and so it is read here. (fio itself, in `read_iolog_get`, takes the number as
//!   milliseconds since its start.)
//! - v1, before 2008: `rw, offset, length` without a first line, with 0 for reads and 1 for writes; read
//!   only if asked for.
//!
//! fio writes a line when it has queued the I/O, and none when the I/O is done. Jobs that write to the
//! same file append to it, each with a first line and a clock of its own; here each continues where the
//! one before ended.

use super::numbers::{Words, first_line, number};
use super::{Format, IoStep, LineDecoder, Parsed, Record};
use crate::event::{Action, Marks, ProcessId};
use crate::name_table::NameTable;

/// The shortest wait of version 2, in microseconds.
const WAIT_US_MIN: u64 = 100;

/// Decodes lines of an iolog.
#[derive(Debug, Default)]
pub(crate) struct Iolog {
    version: Option<u8>,
    /// Where the clock of this part begins.
    base_ns: u64,
    /// The time of the last record.
    now_ns: u64,
}

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "fio-iolog",
    made_by: "fio's `--write_iolog`, versions 1 to 3",
    source: "fio's HOWTO and `iolog.c`",
    resolution_ns: Some(1_000),
    device: "/dev/d{device}",
    header: "fio version 3 iolog\n",
    line: Some("{began:us} /dev/d{device} {read/write/datasync/trim} {offset} {length}"),
    examples: &["fio version 3 iolog\n"],
    begins: |head| version(first_line(head)).is_some(),
    decoder: || Some(LineDecoder::Iolog(Iolog::default())),
    ..Format::PLAIN
};

/// Returns the version that a first line names.
pub(crate) fn version(line: &[u8]) -> Option<u8> {
    let rest = line.strip_prefix(b"fio version ")?;
    match rest.get(..7)? {
        b"2 iolog" => Some(2),
        b"3 iolog" => Some(3),
        _ => None,
    }
}

const NO_RECORD: Parsed = Parsed::Malformed("not a line of an iolog");

impl Iolog {
    /// Decodes a line.
    #[inline]
    pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
        if line.starts_with(b"fio version ") {
            let Some(version) = version(line) else {
                return Parsed::Malformed("an unknown version of an iolog");
            };
            self.version = Some(version);
            self.base_ns = self.now_ns;
            return Parsed::Nothing;
        }
        let mut words = Words(line);
        match self.version {
            None => v1(line, names).unwrap_or(NO_RECORD),
            Some(3) => {
                let Some(first) = words.next() else {
                    return Parsed::Nothing;
                };
                let clock_ns = number(first)
                    .and_then(|us| us.checked_mul(1_000))
                    .and_then(|ns| ns.checked_add(self.base_ns));
                let Some(clock_ns) = clock_ns else {
                    return NO_RECORD;
                };
                let parsed = action(words, clock_ns, names);
                if let Some(Parsed::Record(_) | Parsed::Nothing) = parsed {
                    self.now_ns = clock_ns;
                }
                parsed.unwrap_or(NO_RECORD)
            }
            Some(_) => self.v2(words, names).unwrap_or(NO_RECORD),
        }
    }

    fn v2(&mut self, words: Words<'_>, names: &mut NameTable) -> Option<Parsed> {
        let mut parts = words;
        if parts.next().is_none() {
            return Some(Parsed::Nothing);
        }
        if parts.next() == Some(b"wait") {
            let wait_us = number(parts.next()?)?;
            if wait_us >= WAIT_US_MIN {
                let wait_ns = wait_us.checked_mul(1_000)?;
                self.now_ns = self.now_ns.checked_add(wait_ns)?;
            }
            return Some(Parsed::Nothing);
        }
        action(words, self.now_ns, names)
    }
}

/// Reads `filename action offset length`.
#[inline]
fn action(mut words: Words<'_>, clock_ns: u64, names: &mut NameTable) -> Option<Parsed> {
    let file = words.next()?;
    let action = match words.next()? {
        b"read" => Action::Read,
        b"write" => Action::Write,
        b"sync" | b"datasync" => Action::Flush,
        b"trim" => Action::Discard,
        b"add" | b"open" | b"close" | b"unlink" | b"wait" => return Some(Parsed::Nothing),
        _ => return None,
    };
    let offset_bytes = number(words.next()?)?;
    let length_bytes = number(words.next()?)?;
    Some(record(
        file,
        action,
        clock_ns,
        (offset_bytes, length_bytes),
        names,
    ))
}

fn record(
    file: &[u8],
    action: Action,
    clock_ns: u64,
    (offset_bytes, length_bytes): (u64, u64),
    names: &mut NameTable,
) -> Parsed {
    let Some(device) = names.device(file) else {
        return Parsed::TooManyNames;
    };
    let is_flush = action == Action::Flush;
    Parsed::Record(Record {
        clock_ns,
        cpu: 0,
        step: IoStep::Whole { latency_ns: None },
        action,
        marks: Marks::default(),
        is_flush_request: false,
        offset_bytes: if is_flush { 0 } else { offset_bytes },
        length_bytes: if is_flush { 0 } else { length_bytes },
        device,
        process: ProcessId(0),
    })
}

/// Reads `rw, offset, length`.
fn v1(line: &[u8], names: &mut NameTable) -> Option<Parsed> {
    let mut parts = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let action = match parts.next()? {
        b"" => return Some(Parsed::Nothing),
        b"0" => Action::Read,
        b"1" => Action::Write,
        _ => return None,
    };
    let place = (number(parts.next()?)?, number(parts.next()?)?);
    Some(record(b"file", action, 0, place, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(text: &str) -> Vec<(u64, Action)> {
        let mut decoder = Iolog::default();
        let mut names = NameTable::new();
        let records =
            text.lines()
                .filter_map(|line| match decoder.decode(line.as_bytes(), &mut names) {
                    Parsed::Record(record) => Some((record.clock_ns, record.action)),
                    Parsed::Nothing => None,
                    other => panic!("{line}: {other:?}"),
                });
        records.collect()
    }

    #[test]
    fn version_2_waits_and_version_3_has_times() {
        let text = "fio version 2 iolog\n/f add\n/f open\n/f read 0 4096\n/f wait 1500 0\n\
                    /f write 4096 512\n/f wait 99 0\n/f sync 0 0\n/f close\n";
        let expected = [
            (0, Action::Read),
            (1_500_000, Action::Write),
            (1_500_000, Action::Flush),
        ];
        assert_eq!(clocks(text), expected);
        let text = "fio version 3 iolog\n5 /f add\n7 /f trim 0 4096\n90 /f close\n\
                    fio version 3 iolog\n2 /f datasync 0 4096\n";
        assert_eq!(
            clocks(text),
            [(7_000, Action::Discard), (92_000, Action::Flush)]
        );
        assert_eq!(
            clocks("0, 4096, 512\n1,0,1\n"),
            [(0, Action::Read), (0, Action::Write)]
        );
    }
}
