//! The text that `blkparse` prints by default.
//!
//! blkparse(1), "OUTPUT DESCRIPTION AND FORMATTING": the default is
//! `%D %2c %8s %5T.%9t %5p %2a %3d ` (device as major,minor; CPU; sequence; seconds and nanoseconds;
//! PID; action; RWBS), then what the action has (`process_default` in blkparse_fmt.c): `%S + %n [%C]`
//! for `D`, `I` and `Q`, without `%S + %n` if there is no data; `%S + %n [error]` for `C`, and
//! `%S [error]` if there is no data. With `-t`, a time in parentheses stands before the bracket.
//! `G`, `M` and `F` print as `Q` does. `A` (remapped), `B`, `P`, `S`, `T`, `U`, `UT`, `X` and `m` (a
//! message) begin and end no I/O. Behind the last record, `blkparse` prints totals.

use super::numbers::{SECOND, Words, decimal, in_brackets, number, number_u32, sectors, time};
use super::rwbs::{self, Meaning};
use super::{Clock, Format, IoStep, LineDecoder, Parsed, Record};
use crate::event::ProcessId;
use crate::name_table::NameTable;

/// Decodes lines of `blkparse`.
#[derive(Debug, Default)]
pub(crate) struct Blkparse {
    /// The totals have begun.
    is_summary: bool,
}

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "blkparse",
    made_by: "`blkparse` in its default format",
    source: "blkparse(1)",
    resolution_ns: Some(1),
    device: "8,{device}",
    examples: &["  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]\n"],
    flushes_begin_without_place: true,
    looks_like,
    decoder: || Some(LineDecoder::Blkparse(Blkparse::default())),
    ..Format::PLAIN
};

/// Returns whether a line begins like a record of `blkparse`.
fn looks_like(line: &[u8]) -> bool {
    let mut words = Words(line);
    let device = words.next().is_some_and(is_device);
    let numbers = words.by_ref().take(2).filter(|word| number(word).is_some());
    let numbers = numbers.count() == 2;
    let has_time = words.next().is_some_and(|word| time(word, 1).is_some());
    let pid = words.next().is_some_and(|word| number(word).is_some());
    device && numbers && has_time && pid && words.next().is_some()
}

/// Returns whether a word is a device as major,minor.
#[inline]
pub(crate) fn is_device(word: &[u8]) -> bool {
    let Some(comma) = word.iter().position(|byte| *byte == b',') else {
        return false;
    };
    number_u32(&word[..comma]).is_some() && number_u32(&word[comma + 1..]).is_some()
}

/// Lines that begin like this are of the totals.
const SUMMARY: [&[u8]; 11] = [
    b"CPU",
    b"Total",
    b"Reads",
    b"Read",
    b"IO",
    b"Throughput",
    b"Events",
    b"Skips",
    b"Input",
    b"Allocation",
    b"PC",
];

impl Blkparse {
    /// Decodes a line.
    #[inline]
    pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
        let mut words = Words(line);
        let Some(device) = words.next() else {
            return Parsed::Nothing;
        };
        if !is_device(device) {
            return self.other(device, words);
        }
        let mut header = || -> Option<(Clock, &[u8], &[u8])> {
            let cpu = number_u32(words.next()?)?;
            number(words.next()?)?;
            let clock_ns = decimal(words.next()?, SECOND)?;
            Some(((clock_ns, cpu), words.next()?, words.next()?))
        };
        let Some((clock, pid, action)) = header() else {
            return Parsed::Malformed("not a record of blkparse");
        };
        let step = match action {
            b"Q" => IoStep::Queue,
            b"G" => IoStep::Enter,
            b"M" | b"F" => IoStep::Merge,
            b"I" => IoStep::Insert,
            b"D" => IoStep::Issue,
            b"R" => IoStep::Requeue,
            b"C" => IoStep::Complete,
            b"A" | b"B" | b"P" | b"S" | b"T" | b"U" | b"UT" | b"X" | b"m" => {
                return Parsed::Nothing;
            }
            _ => return Parsed::Malformed("an unknown action"),
        };
        record(clock, step, device, pid, words, names)
            .unwrap_or(Parsed::Malformed("not a record of blkparse"))
    }

    /// Reads a line that is no record: of the totals, or nothing we know.
    fn other(&mut self, first: &[u8], mut words: Words<'_>) -> Parsed {
        let begins = |begin: &&[u8]| first.starts_with(begin);
        if !SUMMARY.iter().any(begins) {
            return Parsed::Malformed("not a record of blkparse");
        }
        self.is_summary = true;
        if first == b"Skips:" {
            // `Skips: 3 forward (120 -   0.1%)`: 120 records were lost in 3 places.
            let lost = words
                .nth(2)
                .and_then(|word| number(word.strip_prefix(b"(")?));
            return Parsed::Lost(lost.unwrap_or_default());
        }
        Parsed::Nothing
    }
}

/// Reads what stands behind the action.
#[inline]
fn record(
    clock: Clock,
    step: IoStep,
    device: &[u8],
    pid: &[u8],
    mut words: Words<'_>,
    names: &mut NameTable,
) -> Option<Parsed> {
    let letters = rwbs::parse(words.next()?)?;
    let rest = words.rest();
    let mut tail = Words(rest);
    let first = tail.next();
    let (sector, count) = match first.and_then(number) {
        // The same where it is done, without its length.
        None if rest.starts_with(b"(") => return Some(Parsed::Nothing),
        None => (0, 0),
        Some(sector) => match (tail.next(), tail.next()) {
            (Some(b"+"), Some(count)) => (sector, number(count)?),
            // A command that is passed through: its length in bytes, then its bytes.
            (Some(word), _) if word.starts_with(b"(") => return Some(Parsed::Nothing),
            (Some(word), _) if word.starts_with(b"[") => (sector, 0),
            _ => return None,
        },
    };
    if first.is_some_and(|word| number(word).is_none() && !word.starts_with(b"[")) {
        return None;
    }
    let io = match letters.at(sector, sectors(count)?) {
        Meaning::Io(io) => io,
        Meaning::Nothing => return Some(Parsed::Nothing),
        Meaning::Beyond => return None,
    };
    let process = match step {
        IoStep::Complete => ProcessId(0),
        _ => process(pid, rest, names)?,
    };
    let Some(device) = names.device(device) else {
        return Some(Parsed::TooManyNames);
    };
    let record = Record::new(clock, step, io, device, process);
    Some(Parsed::Record(record))
}

/// Returns the process of a record. `blkparse` prints `(null)` if it has no name for a PID.
#[inline]
fn process(pid: &[u8], rest: &[u8], names: &mut NameTable) -> Option<ProcessId> {
    let pid = number_u32(pid)?;
    let name = in_brackets(rest);
    let name = if name == b"(null)" { b"" } else { name };
    Some(names.process(name, Some(pid)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Action, Marks};

    fn decoded(line: &str) -> Parsed {
        Blkparse::default().decode(line.as_bytes(), &mut NameTable::new())
    }

    #[test]
    fn a_record_of_each_kind() {
        let line = "  8,16   3        1     1.000000500   697  Q  WS 223490 + 8 [kjournald (x) y]";
        let Parsed::Record(record) = decoded(line) else {
            panic!("{line}");
        };
        assert_eq!(record.clock_ns, 1_000_000_500);
        assert_eq!((record.step, record.action), (IoStep::Queue, Action::Write));
        assert_eq!(record.offset_bytes, 223_490 * 512);
        assert_eq!(record.length_bytes, 4096);
        assert!(record.marks.is_sync);
        let Parsed::Record(flush) = decoded("  7,0    1        0     0.0 54  D  FN [(null)]")
        else {
            panic!("a flush");
        };
        assert!(flush.is_flush_request);
        let Parsed::Record(done) =
            decoded("  7,0    1        0     0.005315647    22  C  WS 0 [0]")
        else {
            panic!("a completion");
        };
        assert_eq!(done.action, Action::Flush);
        assert!(!done.is_flush_request);
        assert_eq!(
            done.marks,
            Marks {
                is_sync: true,
                ..Marks::default()
            }
        );
        assert_eq!(
            decoded("  8,0 1 1 0.0 5  A  WS 1 + 8 <- (8,1) 0"),
            Parsed::Nothing
        );
        assert_eq!(
            decoded("  8,0 1 1 0.0 5  m   N cfq23 insert"),
            Parsed::Nothing
        );
        assert_eq!(decoded("  8,0 1 1 0.0 5  U   N [x] 1"), Parsed::Nothing);
        for passed_through in [
            "  8,0 1 1 0.0 5  D   R 36 (00 01) [my proc]",
            "  8,0 1 1 0.0 0  C   R (00 ..) [0]",
        ] {
            assert_eq!(decoded(passed_through), Parsed::Nothing);
        }
        assert_eq!(
            decoded("Skips: 3 forward (120 -   0.1%)"),
            Parsed::Lost(120)
        );
        assert_eq!(decoded("CPU0 (t):"), Parsed::Nothing);
        assert_eq!(decoded(" Reads Queued:           3,"), Parsed::Nothing);
        for bad in [
            "8,0 1",
            "8,0 1 1 0.0 5 Q WS 1 + x [y]",
            "8,0 1 1 0.0 5 Q 7 1 + 8 [y]",
            "x",
        ] {
            assert!(matches!(decoded(bad), Parsed::Malformed(_)), "{bad}");
        }
    }
}
