//! Block events as text: `perf script`, and ftrace's `trace`, `trace_pipe` and `trace-cmd report`.
//!
//! What comes behind the event's name is from the `TP_printk` of include/trace/events/block.h:
//!
//! | event | text |
//! |---|---|
//! | `block_bio_queue`, `block_getrq`, `block_bio_backmerge`, `block_bio_frontmerge` | `8,0 WS 7808 + 128 [fio]` |
//! | `block_bio_complete` | `8,0 WS 7808 + 128 [0]` |
//! | `block_io_start`, `block_rq_insert`, `block_rq_issue` | `8,0 WS 65536 () 7808 + 128 [fio]` |
//! | `block_rq_requeue`, `block_rq_complete` | `8,0 WS () 7808 + 128 [0]` |
//!
//! Newer kernels (from 6.11 on, commit aa6ff4eb7c10 "block: Add ioprio to block_rq tracepoint") print the priority before the bracket, as
//! `be,0,4`, and `perf script` as `0x2,0,4`; nothing behind the number of sectors is read. What comes
//! before the name is in Documentation/trace/ftrace.rst ("Output format") and perf-script(1):
//!
//! ```text
//!      fio-7701    [001] ..... 18207.665398: block_bio_queue: 7,0 WS 7808 + 128 [fio]
//!      fio-7701    (   7701) [001] d..1 18207.665398: block_rq_issue: ...
//!      fio-7701      1d..1. 18207.665398: block_rq_issue: ...
//!      fio  8256 [000] 18239.109606:    block:block_bio_queue: 7,0 WS 7808 + 128 [fio]
//! ```
//!
//! The third is `trace-cmd report -l`, with the CPU before its flags. Behind an event, `perf record -g`
//! and ftrace's option `stacktrace` have the functions that led to it; they are not read.
//!
//! The clock must be in seconds (ftrace's default, `local`, and `global`, `mono` and `boot`; not
//! `counter` or `x86-tsc`). A request that the block layer completes without data, for the bio that
//! asked for a flush, is a write of 0 sectors; the flush itself is complete at sector 2^64-1.

use memchr::memmem::Finder;

use super::blkparse::is_device;
use super::numbers::{
    SECOND, Words, in_brackets, number, number_u32, sectors, time, trim_end, trim_start,
};
use super::rwbs::{self, Meaning};
use super::{Format, IoStep, LineDecoder, Parsed, Record};
use crate::event::ProcessId;
use crate::name_table::NameTable;

/// Decodes lines of block events.
#[derive(Debug)]
pub(crate) struct Tracepoints {
    block: Finder<'static>,
}

/// The row of what `perf script` prints.
pub(crate) static PERF_SCRIPT: Format = Format {
    name: "perf-script",
    made_by: "`perf script` of block tracepoints, also with `-F`, as long as it has `time`, `event` and `trace`",
    source: "perf-script(1), `include/trace/events/block.h`, with and without the priority of newer kernels",
    device: "8,{device}",
    examples: &["fio  8256 [000] 1.109606: block:block_plug: [fio]\n"],
    looks_like: |line| Tracepoints::new().looks_like(line) == Some(true),
    decoder,
    ..Format::PLAIN
};

/// The row of what ftrace and `trace-cmd` print.
pub(crate) static FTRACE: Format = Format {
    name: "ftrace",
    made_by: "`trace`, `trace_pipe` and `trace-cmd report` (with or without `-l`) of block tracepoints",
    source: "Documentation/trace/ftrace.rst",
    resolution_ns: Some(1_000),
    device: "8,{device}",
    header: "# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n",
    examples: &[
        "garbage\n fio-7701 [001] ..... 1.665398: block_plug: [fio]\n",
        "# tracer: nop\n",
    ],
    begins: |head| head.starts_with(b"# tracer:"),
    looks_like: |line| Tracepoints::new().looks_like(line) == Some(false),
    decoder,
    ..Format::PLAIN
};

#[expect(clippy::unnecessary_wraps, reason = "a row may have none")]
fn decoder() -> Option<LineDecoder> {
    Some(LineDecoder::Tracepoints(Box::new(Tracepoints::new())))
}

/// Where an event is in its line.
struct EventInLine<'a> {
    /// What comes before the event's name.
    head: &'a [u8],
    /// The event's name, without `block_`.
    event: &'a [u8],
    /// What comes behind it.
    body: &'a [u8],
}

/// The first bytes of an event of the block layer.
const BLOCK: &[u8] = b"block_";

impl Tracepoints {
    /// Returns a decoder.
    fn new() -> Self {
        Self {
            block: Finder::new(BLOCK),
        }
    }

    /// Finds the event in a line. A process may have a name like one, so the time must come before.
    #[inline]
    fn find<'a>(&self, line: &'a [u8]) -> Option<EventInLine<'a>> {
        let mut from = 0;
        while let Some(at) = self.block.find(&line[from..]) {
            let at = from + at;
            from = at + BLOCK.len();
            let is_word = at > 0 && matches!(line[at - 1], b' ' | b':' | b'\t');
            let length = line[from..].iter().position(|byte| *byte == b':');
            if let Some(length) = length.filter(|_| is_word) {
                let head = line[..at].strip_suffix(b"block:").unwrap_or(&line[..at]);
                if let Some(head) = up_to_time(trim_end(head)) {
                    return Some(EventInLine {
                        head,
                        event: &line[from..from + length],
                        body: &line[from + length + 1..],
                    });
                }
            }
        }
        None
    }

    /// Returns whether a line has a block event behind a time, and whether it looks like `perf`'s.
    fn looks_like(&self, line: &[u8]) -> Option<bool> {
        let found = self.find(line)?;
        let head = Head::parse(found.head)?;
        Words(found.body).next()?;
        Some(head.is_perf)
    }

    /// Decodes a line.
    #[inline]
    pub(crate) fn decode(&mut self, line: &[u8], names: &mut NameTable) -> Parsed {
        let Some(found) = self.find(line) else {
            return other(line);
        };
        let Some(step) = step_of(found.event) else {
            return Parsed::Nothing;
        };
        record(&found, step, names).unwrap_or(Parsed::Malformed("not a block event"))
    }
}

/// Returns a head without the colon behind its time; `perf script -F period` has a number behind that.
#[inline]
fn up_to_time(head: &[u8]) -> Option<&[u8]> {
    if let Some(head) = head.strip_suffix(b":") {
        return Some(head);
    }
    let digits = head.iter().rposition(|byte| !byte.is_ascii_digit())?;
    trim_end(&head[..=digits]).strip_suffix(b":")
}

/// Returns the step of an event, whose name is without `block_`. `block_io_done` is none: where it is
/// written, a request has lost its place (`blk_update_request`).
#[inline]
pub(crate) fn step_of(event: &[u8]) -> Option<IoStep> {
    Some(match event {
        b"bio_queue" => IoStep::Queue,
        b"getrq" => IoStep::Enter,
        b"bio_backmerge" | b"bio_frontmerge" => IoStep::Merge,
        b"io_start" => IoStep::Account,
        b"rq_insert" => IoStep::Insert,
        b"rq_issue" => IoStep::Issue,
        b"rq_requeue" => IoStep::Requeue,
        b"rq_complete" | b"bio_complete" => IoStep::Complete,
        _ => return None,
    })
}

/// What comes before the event's name.
struct Head<'a> {
    clock_ns: u64,
    cpu: u32,
    /// The name of the process, which may be missing.
    name: &'a [u8],
    pid: Option<u32>,
    is_perf: bool,
}

impl<'a> Head<'a> {
    /// Reads `comm-pid [cpu] flags time` or `comm pid [cpu] time`; `perf script -F` may leave out all
    /// but the time.
    #[inline]
    fn parse(head: &'a [u8]) -> Option<Self> {
        let space = head.iter().rposition(|byte| *byte == b' ');
        let start = space.map_or(0, |space| space + 1);
        let clock_ns = time(&head[start..], SECOND)?;
        let rest = trim_end(&head[..start]);
        let (rest, cpu) = before_cpu(rest).unwrap_or((rest, None));
        let mut task = trim_end(rest);
        // The thread group, with the option `record-tgid`.
        if task.last() == Some(&b')') {
            let open = task.iter().rposition(|byte| *byte == b'(')?;
            task = trim_end(&task[..open]);
        }
        let digits = task.iter().rposition(|byte| !byte.is_ascii_digit());
        let (mut name, digits) = task.split_at(digits.map_or(0, |digits| digits + 1));
        let pid = match digits {
            [] if !name.is_empty() => return None,
            [] => None,
            digits => Some(number_u32(digits)?),
        };
        let is_perf = !name.ends_with(b"-");
        match name.split_last() {
            // Only `perf` leaves out the CPU.
            Some((b'-', before)) if cpu.is_some() => name = before,
            None | Some((b' ' | b'\t', _)) => {}
            // `perf script -F pid,tid`: the process, then the thread.
            Some((b'/', before)) => {
                let digits = before.iter().rposition(|byte| !byte.is_ascii_digit());
                name = &before[..digits.unwrap_or(0)];
            }
            _ => return None,
        }
        Some(Self {
            clock_ns,
            cpu: cpu.unwrap_or(0),
            name: trim_start(trim_end(name)),
            pid,
            is_perf,
        })
    }
}

/// Returns what comes before the CPU, and the CPU: `[001]`, with flags behind it in ftrace's text and
/// with `perf script -F +misc`, or `1d..1.` in that of `trace-cmd report -l`.
#[inline]
fn before_cpu(text: &[u8]) -> Option<(&[u8], Option<u32>)> {
    let start = text.iter().rposition(|byte| *byte == b' ')? + 1;
    let digits = text[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let digits = start + digits.count();
    if digits > start && text.get(digits).is_some_and(|byte| *byte != b'/') {
        return Some((&text[..start], number_u32(&text[start..digits])));
    }
    let close = text.iter().rposition(|byte| *byte == b']')?;
    let open = text[..close].iter().rposition(|byte| *byte == b'[')?;
    let cpu = number_u32(&text[open + 1..close])?;
    Some((&text[..open], Some(cpu)))
}

/// Reads a record.
#[inline]
fn record(found: &EventInLine<'_>, step: IoStep, names: &mut NameTable) -> Option<Parsed> {
    let head = Head::parse(found.head)?;
    let mut words = Words(found.body);
    let device = words.next()?;
    if !is_device(device) {
        return None;
    }
    let letters = rwbs::parse(words.next()?)?;
    let mut word = words.next()?;
    if !word.starts_with(b"(") {
        // The length in bytes of a request, before its command; or the sector of a bio.
        let rest = words.rest();
        if rest.first() == Some(&b'(') {
            number(word)?;
            word = words.next()?;
        }
    }
    if word.starts_with(b"(") {
        while !word.ends_with(b")") {
            word = words.next()?;
        }
        word = words.next()?;
    }
    let sector = number(word)?;
    if words.next()? != b"+" {
        return None;
    }
    let length_bytes = sectors(number(words.next()?)?)?;
    let rest = words.rest();
    let io = match letters.at(sector, length_bytes) {
        Meaning::Io(io) => io,
        Meaning::Nothing => return Some(Parsed::Nothing),
        Meaning::Beyond => return None,
    };
    let process = match step {
        IoStep::Complete => ProcessId(0),
        // The event has the name, too, without the number.
        _ if head.name.is_empty() => names.process(in_brackets(rest), head.pid),
        _ => names.process(head.name, head.pid),
    };
    let Some(device) = names.device(device) else {
        return Some(Parsed::TooManyNames);
    };
    let record = Record::new((head.clock_ns, head.cpu), step, io, device, process);
    Some(Parsed::Record(record))
}

/// Returns whether a line is a function of a call stack: `    7fffa5a2dc02 submit_bio (vmlinux)` of
/// `perf script`, ` => submit_bio` of ftrace.
fn is_of_stack(line: &[u8]) -> bool {
    let mut words = Words(line);
    let first = words.next().unwrap_or_default();
    let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
    let is_address = first.iter().all(u8::is_ascii_hexdigit);
    first == b"=>" || (is_indented && is_address && words.next().is_some() && line.ends_with(b")"))
}

/// Reads a line without a block event.
fn other(line: &[u8]) -> Parsed {
    let text = trim_start(line);
    if text.is_empty()
        || text[0] == b'#'
        || text.starts_with(b"cpus=")
        || text.starts_with(b"version =")
        || is_of_stack(line)
    {
        return Parsed::Nothing;
    }
    if text.starts_with(b"CPU") {
        // ftrace: `CPU:1 [LOST 123 EVENTS]`; trace-cmd: `CPU:1 [123 EVENTS DROPPED]`; both also say
        // `CPU 1 is empty` and `##### CPU 1 buffer started ####`.
        let mut words = Words(text);
        let lost = words.find_map(|word| number(word.strip_prefix(b"[").unwrap_or(word)));
        let is_loss = memchr::memmem::find(text, b"EVENTS").is_some();
        return match lost {
            Some(count) if is_loss => Parsed::Lost(count),
            _ => Parsed::Nothing,
        };
    }
    // An event of another subsystem has a time, too.
    if has_time(text) {
        Parsed::Nothing
    } else {
        Parsed::Malformed("not a block event")
    }
}

/// Returns whether a text has a time with its colon, as an event has before its name.
pub(crate) fn has_time(text: &[u8]) -> bool {
    let mut words = Words(text).filter_map(|word| word.strip_suffix(b":"));
    words.any(|word| time(word, 1).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Action;

    fn decoded(line: &str) -> (Parsed, NameTable) {
        let mut names = NameTable::new();
        let parsed = Tracepoints::new().decode(line.as_bytes(), &mut names);
        (parsed, names)
    }

    #[track_caller]
    fn io(line: &str) -> (Record, (String, Option<u32>)) {
        let (parsed, names) = decoded(line);
        let Parsed::Record(record) = parsed else {
            panic!("{parsed:?}");
        };
        let process = usize::try_from(record.process.0).unwrap();
        (record, names.names.processes[process].clone())
    }

    #[test]
    fn lines_of_several_kernels_and_programs() {
        let lines = [
            "   my [odd] block_x: a-b-12345  [001] ..... 18207.665398: block_rq_issue: 7,0 WS 65536 () 7808 + 128 be,0,4 [my [odd] block_x]",
            "   my [odd] block_x: a-b-12345  (  12345) [001] d..1 18207.665398: block_rq_issue: 7,0 WS 65536 () 7808 + 128 [my]",
            "   my [odd] block_x: a-b-12345  [001] 18207.665398: block_rq_issue:       7,0 WS 0 (2a 00 00) 7808 + 128 [my]",
            "   my [odd] block_x: a-b-12345   1dN.2. 18207.665398: block_rq_issue:       7,0 WS 65536 () 7808 + 128 0x2,0,4 [my]",
            "   my [odd] block_x: a-b 12345 [001] 18207.665398: block:block_rq_issue: 7,0 WS 65536 () 7808 + 128 0x2,0,4 [my]",
            "   my [odd] block_x: a-b 77/12345 [001] 18207.665398:   block:block_rq_issue: 7,0 WS 65536 () 7808 + 128 [my]",
            "   my [odd] block_x: a-b 77/12345 [001] 18207.665398:          1      block:block_rq_issue: 7,0 WS 65536 () 7808 + 128 [my]",
            "   my [odd] block_x: a-b 12345 18207.665398:   block:block_rq_issue: 7,0 WS 65536 () 7808 + 128 0x2,0,4 [my] ffffffff81af6cdd submit_bio_noacct",
            "   my [odd] block_x: a-b 77/12345 18207.665398:   block:block_rq_issue: 7,0 WS 65536 () 7808 + 128 [my]",
            "   my [odd] block_x: a-b 12345 [001] K     18207.665398:   block:block_rq_issue: 7,0 WS 65536 () 7808 + 128 [my]",
        ];
        for line in lines {
            let (record, process) = io(line);
            assert_eq!(record.clock_ns, 18_207_665_398_000, "{line}");
            assert_eq!((record.step, record.action), (IoStep::Issue, Action::Write));
            assert_eq!(record.offset_bytes, 7808 * 512);
            assert_eq!(record.length_bytes, 65_536);
            let name = "my [odd] block_x: a-b".to_owned();
            assert_eq!(process, (name, Some(12_345)), "{line}");
        }
    }

    #[test]
    fn perf_without_a_name_or_a_number() {
        for (head, pid) in [
            ("", None),
            ("21721 [001] ", Some(21_721)),
            ("7/21721 ", Some(21_721)),
        ] {
            let line =
                format!("{head}1.5:  block:block_rq_issue: 7,0 R 4096 () 8 + 8 0x2,0,4 [a [b]]");
            let (record, process) = io(&line);
            assert_eq!(record.clock_ns, 1_500_000_000, "{line}");
            assert_eq!(process, ("a [b]".to_owned(), pid), "{line}");
            assert_eq!(record.cpu, u32::from(head.contains('[')), "{line}");
        }
    }

    #[test]
    fn flushes_and_what_is_no_record() {
        let done = "  ksoftirqd/1-22  [001] ..s.. 1.5: block_rq_complete: 7,0 FF () 18446744073709551615 + 0 none,0,0 [0]";
        assert!(io(done).0.is_flush_request);
        let line = "  a-1 [001] ..... 1.5: block_plug: [a]";
        assert_eq!(decoded(line).0, Parsed::Nothing);
        assert_eq!(decoded("CPU:1 [LOST 123 EVENTS]").0, Parsed::Lost(123));
        assert_eq!(decoded("CPU:1 [77 EVENTS DROPPED]").0, Parsed::Lost(77));
        assert_eq!(
            decoded("##### CPU 1 buffer started ####").0,
            Parsed::Nothing
        );
        assert_eq!(
            decoded("  a-1 [001] 1.5: sched_switch: x").0,
            Parsed::Nothing
        );
        for of_stack in [
            "        ffffffff8144d9e2 submit_bio+0x12 ([kernel.kallsyms])",
            "                   db730 write (/lib/x86_64-linux-gnu/libc-2.24.so)",
            " => submit_bio_noacct",
            "=> submit_bio_noacct (ffffffff8144d9e2)",
        ] {
            assert_eq!(decoded(of_stack).0, Parsed::Nothing, "{of_stack}");
        }
        for bad in [
            "hello",
            "db730 write (libc)",
            "  db730 write",
            "  db730)",
            "  a-1 [001] ..... 1.5: block_rq_issue: 7,0 WS 7808 128",
            "  a-1 [001] ..... 1.5: block_rq_issue: 7 WS 4096 () 0 + 8 [a]",
            "  a-1 [001] ..... 15: block_rq_issue: 7,0 WS 4096 () 0 + 8 [a]",
            "  a-1 [001] ..... 1.5: block_bio_queue: 7,0 WS 18446744073709551615 + 8 [a]",
        ] {
            assert!(matches!(decoded(bad).0, Parsed::Malformed(_)), "{bad}");
        }
    }
}
