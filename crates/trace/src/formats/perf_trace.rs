//! Block events as `perf trace -e 'block:*'` prints them.
//!
//! perf-trace(1) and `trace__fprintf_event` in tools/perf/builtin-trace.c: the time in milliseconds since
//! the first event, the process as name and thread, the event, and its fields, of which those that
//! are 0 are left out:
//!
//! ```text
//!      0.000 fio/22452 block:block_bio_queue(dev: 7340032, sector: 7808, nr_sector: 128, rwbs: "WS", comm: "fio")
//!    724.878 fio/19995 block:block_bio_queue(dev: 7340032, rwbs: "FWS", comm: "fio")
//! ```
//!
//! With system calls beside the events, their duration stands behind the time: `( 0.003 ms):`. `dev` is the
//! kernel's `dev_t`.

use memchr::memmem::find;

use super::numbers::{MILLISECOND, Words, number, number_u32, sectors, time, trim_end, trim_start};
use super::rwbs::{self, Meaning};
use super::tracepoints::step_of;
use super::{Format, IoStep, LineDecoder, Parsed, Record};
use crate::event::ProcessId;
use crate::name_table::NameTable;

/// What an event of the block layer begins with.
const BLOCK: &[u8] = b" block:block_";

/// Decodes lines of `perf trace`.
#[derive(Debug, Default)]
pub(crate) struct PerfTrace;

/// The fields of an event.
#[derive(Default)]
struct Fields<'a> {
    device: Option<u32>,
    sector: u64,
    sectors: u64,
    letters: Option<&'a [u8]>,
}

impl<'a> Fields<'a> {
    /// Reads `name: value, name: value`. No value that matters has a comma.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let mut fields = Self::default();
        for field in text.split(|byte| *byte == b',') {
            let field = field.trim_ascii();
            let Some(colon) = field.iter().position(|byte| *byte == b':') else {
                continue;
            };
            let value = field[colon + 1..].trim_ascii();
            match &field[..colon] {
                b"dev" => fields.device = Some(number_u32(value)?),
                b"sector" => fields.sector = number(value)?,
                b"nr_sector" => fields.sectors = number(value)?,
                b"rwbs" => fields.letters = Some(value.strip_prefix(b"\"")?.strip_suffix(b"\"")?),
                _ => {}
            }
        }
        Some(fields)
    }
}

/// Takes a line apart: what comes before the event, its name, and its fields.
fn parts(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let at = find(line, BLOCK)?;
    let rest = &line[at + BLOCK.len()..];
    let open = rest.iter().position(|byte| *byte == b'(')?;
    let fields = trim_end(&rest[open + 1..]).strip_suffix(b")")?;
    Some((&line[..at], &rest[..open], fields))
}

/// Returns the time, the name and the thread that come before an event.
fn head(text: &[u8]) -> Option<(u64, &[u8], u32)> {
    let text = trim_start(text);
    let space = text.iter().position(|byte| *byte == b' ')?;
    let clock_ns = time(&text[..space], MILLISECOND)?;
    let mut task = trim_start(&text[space..]);
    if task.first() == Some(&b'(') {
        task = trim_start(&task[find(task, b"):")? + 2..]);
    }
    let slash = task.iter().rposition(|byte| *byte == b'/')?;
    Some((clock_ns, &task[..slash], number_u32(&task[slash + 1..])?))
}

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "perf-trace",
    made_by: "`perf trace -e 'block:*'`",
    source: "perf-trace(1)",
    resolution_ns: Some(1_000),
    device: "8,{device}",
    examples: &["     0.072 fio/19939 block:block_plug(comm: \"fio\")\n"],
    looks_like,
    decoder: || Some(LineDecoder::PerfTrace(PerfTrace)),
    ..Format::PLAIN
};

/// Returns whether a line is of `perf trace`.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    parts(line).is_some_and(|(before, ..)| head(before).is_some())
}

impl PerfTrace {
    /// Decodes a line.
    pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
        let Some((before, event, fields)) = parts(line) else {
            return other(line);
        };
        match step_of(event) {
            Some(step) => record(before, step, fields, names)
                .unwrap_or(Parsed::Malformed("not a block event of perf trace")),
            None => Parsed::Nothing,
        }
    }
}

fn record(before: &[u8], step: IoStep, fields: &[u8], names: &mut NameTable) -> Option<Parsed> {
    let (clock_ns, name, thread) = head(before)?;
    let fields = Fields::parse(fields)?;
    let letters = rwbs::parse(fields.letters?)?;
    let io = match letters.at(fields.sector, sectors(fields.sectors)?) {
        Meaning::Io(io) => io,
        Meaning::Nothing => return Some(Parsed::Nothing),
        Meaning::Beyond => return None,
    };
    let process = match step {
        IoStep::Complete => ProcessId(0),
        _ => names.process(name, Some(thread)),
    };
    let Some(device) = names.numbered_device(fields.device?) else {
        return Some(Parsed::TooManyNames);
    };
    let record = Record::new((clock_ns, 0), step, io, device, process);
    Some(Parsed::Record(record))
}

/// Reads a line without a block event: a system call, another event, or nothing we know.
fn other(line: &[u8]) -> Parsed {
    let text = trim_start(line);
    if text.is_empty() {
        return Parsed::Nothing;
    }
    if let Some(count) = text.strip_prefix(b"LOST ") {
        let end = count.iter().position(|byte| *byte == b' ');
        let count = end.and_then(|end| number(&count[..end]));
        return Parsed::Lost(count.unwrap_or(1));
    }
    let space = text.iter().position(|byte| *byte == b' ');
    let first = &text[..space.unwrap_or(0)];
    // Where a system call's time is not known, there is a question mark.
    let is_time = first == b"?" || time(first, MILLISECOND).is_some();
    if is_time && Words(text).any(is_thread) {
        return Parsed::Nothing;
    }
    Parsed::Malformed("not a line of perf trace")
}

/// Returns whether a word ends with the number of a thread, as in `fio/19939`.
fn is_thread(word: &[u8]) -> bool {
    let slash = word.iter().rposition(|byte| *byte == b'/');
    slash.is_some_and(|slash| number_u32(&word[slash + 1..]).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Action;

    fn decoded(line: &str) -> (Parsed, NameTable) {
        let mut names = NameTable::new();
        let parsed = PerfTrace.decode(line.as_bytes(), &mut names);
        (parsed, names)
    }

    #[test]
    fn fields_that_are_0_are_left_out() {
        let line = "   724.878 my/fio x/19995 block:block_rq_issue(dev: 7340032, nr_sector: 8, bytes: 4096, ioprio: 16388, rwbs: \"RA\", comm: \"fio\", cmd: \"\")";
        let (Parsed::Record(record), names) = decoded(line) else {
            panic!("a record");
        };
        assert_eq!(record.clock_ns, 724_878_000);
        assert_eq!((record.step, record.action), (IoStep::Issue, Action::Read));
        assert_eq!((record.offset_bytes, record.length_bytes), (0, 4096));
        assert_eq!(
            names.names.processes[1],
            ("my/fio x".to_owned(), Some(19_995))
        );
        assert_eq!(names.names.devices, ["7,0"]);
        let flush = "   724.9 ( 0.003 ms): fio/1 block:block_bio_queue(dev: 1, rwbs: \"FWS\", comm: \"fio\")";
        let (Parsed::Record(flush), names) = decoded(flush) else {
            panic!("a flush");
        };
        assert_eq!(flush.action, Action::Flush);
        assert_eq!(names.names.processes[1], ("fio".to_owned(), Some(1)));
    }

    #[test]
    fn what_is_no_record() {
        for other in [
            "     0.072 fio/19939 block:block_plug(comm: \"fio\")",
            "     0.070 ( 0.003 ms): fio/19939 io_submit(ctx_id: 1) = 1",
            "         ? (         ): fio/19939  ... [continued]: read()) = 0",
            "",
        ] {
            assert_eq!(decoded(other).0, Parsed::Nothing, "{other}");
        }
        assert_eq!(decoded("LOST 12 events!").0, Parsed::Lost(12));
        for bad in [
            "hello",
            " 0.1 a/1 block:block_rq_issue(sector: 8, nr_sector: 8, rwbs: \"R\")",
            " 0.1 a/1 block:block_rq_issue(dev: 1, sector: x, rwbs: \"R\")",
            " 0.1 a block:block_rq_issue(dev: 1, sector: 8, nr_sector: 8, rwbs: \"R\")",
        ] {
            assert!(matches!(decoded(bad).0, Parsed::Malformed(_)), "{bad}");
        }
    }
}
