//! Formats of one record a line.

use crate::event::{Action, DeviceId, Marks, Names, ProcessId};
use crate::formats::{Record, Step};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// A record.
    Record(Record),
    /// A line that belongs to the format and says nothing about an I/O.
    Other,
    /// The tracer lost this many records.
    Lost(u64),
    /// Not a line of this format.
    Bad(&'static str),
}

/// A format with its state.
#[derive(Debug, Clone)]
pub(crate) enum TextFormat {
    /// What `blkparse` prints, in its default format (blkparse(1), "Output description").
    Blkparse,
    /// The tracepoints `block_bio_queue`, `block_rq_insert`, `block_rq_issue`, `block_rq_complete` and
    /// `block_bio_complete`, as ftrace, `trace-cmd report` and `perf script` print them
    /// (`include/trace/events/block.h`).
    Tracepoints,
    /// MSR Cambridge traces: timestamp in 100 ns, host, disk, type, offset, size, response time.
    Msr,
    /// fio's iolog of version 2 or 3 (fio's HOWTO, "Trace file format").
    Iolog(Iolog),
}

/// The state of an iolog.
#[derive(Debug, Clone, Default)]
pub(crate) struct Iolog {
    /// In version 2, the time of the last `wait`.
    waited_us: u64,
}

impl TextFormat {
    pub(crate) fn line(&mut self, line: &[u8], names: &mut Names) -> Line {
        match self {
            TextFormat::Blkparse => {
                blkparse(line, names).unwrap_or(Line::Bad("not a line of blkparse"))
            }
            TextFormat::Tracepoints => tracepoint(line, names),
            TextFormat::Msr => {
                msr(line, names).unwrap_or(Line::Bad("not seven fields of an MSR trace"))
            }
            TextFormat::Iolog(state) => state.line(line, names),
        }
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

/// Reads a whole number of decimal digits.
pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Reads seconds with up to nine decimals as nanoseconds.
fn seconds(text: &[u8]) -> Option<u64> {
    let dot = text
        .iter()
        .position(|byte| *byte == b'.')
        .unwrap_or(text.len());
    let whole = number(&text[..dot])?.checked_mul(1_000_000_000)?;
    let fraction = text.get(dot + 1..).unwrap_or_default();
    if fraction.is_empty() {
        return Some(whole);
    }
    let fraction = fraction.get(..9.min(fraction.len()))?;
    let missing = u32::try_from(9 - fraction.len()).ok()?;
    whole.checked_add(number(fraction)?.checked_mul(10_u64.pow(missing))?)
}

/// Reads the letters of an I/O (`blk_fill_rwbs` in the kernel's `blktrace.c`); nothing for one
/// without data that is no flush.
pub(crate) fn letters(rwbs: &[u8]) -> Option<(Action, Marks)> {
    let mut marks = Marks::default();
    let (operation, rest) = match rwbs {
        [b'F', operation @ (b'W' | b'D' | b'R' | b'F'), rest @ ..] => {
            marks.flushes_first = true;
            (*operation, rest)
        }
        [operation, rest @ ..] => (*operation, rest),
        [] => return None,
    };
    let action = match operation {
        b'R' => Action::Read,
        b'W' => Action::Write,
        b'F' => Action::Flush,
        b'D' => Action::Discard,
        _ => return None,
    };
    for letter in rest {
        match letter {
            b'F' => marks.is_fua = true,
            b'S' => marks.is_sync = true,
            b'M' => marks.is_metadata = true,
            b'A' => marks.is_read_ahead = true,
            _ => {}
        }
    }
    Some((action, marks))
}

fn record(
    clock_ns: u64,
    step: Step,
    (mut action, marks): (Action, Marks),
    (sector, sectors): (u64, u64),
    device: DeviceId,
    process: ProcessId,
) -> Option<Record> {
    if sectors == 0 && action == Action::Write && marks.flushes_first {
        action = Action::Flush;
    }
    Some(Record {
        clock_ns,
        step,
        action,
        marks,
        // A flush has no place; kernels write all ones or zero.
        offset_bytes: match action {
            Action::Flush => 0,
            _ => sector.checked_mul(512)?,
        },
        length_bytes: sectors.checked_mul(512)?,
        device,
        process,
    })
}

/// Reads `  8,0    3       11     0.009507758   697  D   W 223490 + 56 [kjournald]`.
fn blkparse(line: &[u8], names: &mut Names) -> Option<Line> {
    let mut parts = words(line);
    let Some(device) = parts.next() else {
        return Some(Line::Other);
    };
    let is_device = |word: &[u8]| {
        let mut numbers = word.splitn(2, |byte| *byte == b',');
        numbers.next().and_then(number).is_some() && numbers.next().and_then(number).is_some()
    };
    if !is_device(device) {
        // The summary at the end: `CPU0 (sda):`, `Reads Queued: ...`, `Total (sda):`.
        let is_summary = line
            .first()
            .is_some_and(|first| first.is_ascii_uppercase() || *first == b' ')
            && line.contains(&b':');
        return is_summary.then_some(Line::Other);
    }
    let (_cpu, _sequence) = (number(parts.next()?)?, number(parts.next()?)?);
    let clock_ns = seconds(parts.next()?)?;
    let pid = number(parts.next()?)?;
    let step = match parts.next()? {
        b"Q" => Step::Queue,
        b"I" => Step::Insert,
        b"D" => Step::Issue,
        b"C" => Step::Complete,
        // Merges, splits, remaps, plugs, messages: the I/O is told of by another line.
        _ => return Some(Line::Other),
    };
    let Some(kind) = letters(parts.next()?) else {
        return Some(Line::Other);
    };
    let (sector, sectors) = match (parts.next(), parts.next(), parts.next()) {
        (Some(sector), Some(b"+"), Some(sectors)) => (number(sector)?, number(sectors)?),
        // A flush has neither: `FN [kworker]`.
        (None, ..) => (0, 0),
        (Some(name), ..) if name.starts_with(b"[") => (0, 0),
        (Some(sector), ..) => (number(sector)?, 0),
    };
    let device = names.device(device)?;
    let process = names.process(bracketed(line), u32::try_from(pid).ok());
    record(clock_ns, step, kind, (sector, sectors), device, process).map(Line::Record)
}

/// Returns what is in the last pair of brackets.
fn bracketed(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| *byte == b']');
    let start = line.iter().rposition(|byte| *byte == b'[');
    match (start, end) {
        (Some(start), Some(end)) if start < end => &line[start + 1..end],
        _ => b"",
    }
}

/// Reads a line of a tracepoint.
fn tracepoint(line: &[u8], names: &mut Names) -> Line {
    let trimmed = line.trim_ascii();
    if trimmed.is_empty() || trimmed.starts_with(b"#") || trimmed.starts_with(b"cpus=") {
        return Line::Other;
    }
    if let Some(lost) = lost(trimmed) {
        return Line::Lost(lost);
    }
    let Some(at) = memchr::memmem::find(trimmed, b": block_")
        .or_else(|| memchr::memmem::find(trimmed, b": block:block_"))
    else {
        // Other tracepoints may be in the same trace.
        return match memchr::memmem::find(trimmed, b"[").is_some()
            && memchr::memmem::find(trimmed, b": ").is_some()
        {
            true => Line::Other,
            false => Line::Bad("not a line of a tracepoint"),
        };
    };
    parsed_tracepoint(&trimmed[..at], &trimmed[at + 2..], names)
        .unwrap_or(Line::Bad("a block tracepoint that cannot be read"))
}

/// Reads `CPU:3 [LOST 42 EVENTS]`.
fn lost(line: &[u8]) -> Option<u64> {
    let rest = &line[memchr::memmem::find(line, b"[LOST ")? + 6..];
    number(rest.split(|byte| *byte == b' ').next()?)
}

fn parsed_tracepoint(before: &[u8], after: &[u8], names: &mut Names) -> Option<Line> {
    let colon = after.windows(2).position(|pair| pair == b": ")?;
    let event = after[..colon]
        .strip_prefix(b"block:")
        .unwrap_or(&after[..colon]);
    let step = match event {
        b"block_bio_queue" => Step::Queue,
        b"block_rq_insert" => Step::Insert,
        b"block_rq_issue" => Step::Issue,
        b"block_rq_complete" | b"block_bio_complete" => Step::Complete,
        _ => return Some(Line::Other),
    };
    let text = &after[colon + 2..];
    let mut parts = words(text);
    let device = parts.next()?;
    let Some(kind) = letters(parts.next()?) else {
        return Some(Line::Other);
    };
    let plus = memchr::memmem::find(text, b" + ")?;
    let sector = words(&text[..plus]).last()?;
    let sectors = number(words(&text[plus + 3..]).next()?)?;
    // All ones for an I/O without a place.
    let sector = number(sector).unwrap_or(0);
    let clock_ns = seconds(words(before).last()?)?;
    let cpu = before.iter().rposition(|byte| *byte == b'[')?;
    let who = before[..cpu].trim_ascii();
    let (name, pid) = task(who);
    let device = names.device(device)?;
    let process = names.process(name, pid);
    record(clock_ns, step, kind, (sector, sectors), device, process).map(Line::Record)
}

/// Reads `fio-1234`, `fio-1234  (  1230)`, `fio  1234` or `fio  1230/1234`.
fn task(who: &[u8]) -> (&[u8], Option<u32>) {
    let group = who
        .iter()
        .rposition(|byte| *byte == b'(')
        .filter(|_| who.ends_with(b")"));
    let who = group.map_or(who, |at| who[..at].trim_ascii());
    let split = who
        .iter()
        .rposition(|byte| matches!(byte, b'-' | b' ' | b'/'));
    let Some(split) = split else {
        return (who, None);
    };
    let Some(pid) = number(&who[split + 1..]) else {
        return (who, None);
    };
    let mut name = who[..split].trim_ascii();
    if who[split] == b'/' {
        let before = name.iter().rposition(|byte| *byte == b' ').unwrap_or(0);
        name = name[..before].trim_ascii();
    }
    (name, u32::try_from(pid).ok())
}

/// Reads `128166372003061629,hm,1,Read,10485760,8192,1234`.
fn msr(line: &[u8], names: &mut Names) -> Option<Line> {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"Timestamp") {
        return Some(Line::Other);
    }
    let mut fields = [&b""[..]; 7];
    let mut parts = line.split(|byte| *byte == b',');
    for field in &mut fields {
        *field = parts.next()?;
    }
    if parts.next().is_some() {
        return None;
    }
    let [at, host, disk, kind, offset, size, took] = fields;
    let action = match kind {
        b"Read" => Action::Read,
        b"Write" => Action::Write,
        _ => return None,
    };
    number(disk)?;
    let name_end = line.iter().position(|byte| *byte == b',')? + 1 + host.len() + 1 + disk.len();
    let name = line.get(at.len() + 1..name_end)?;
    Some(Line::Record(Record {
        clock_ns: number(at)?.checked_mul(100)?,
        step: Step::Whole {
            latency_ns: Some(number(took)?.saturating_mul(100)),
        },
        action,
        marks: Marks::default(),
        offset_bytes: number(offset)?,
        length_bytes: number(size)?,
        device: names.device(name)?,
        process: ProcessId::default(),
    }))
}

impl Iolog {
    fn line(&mut self, line: &[u8], names: &mut Names) -> Line {
        if line.starts_with(b"fio version ") || line.trim_ascii().is_empty() {
            return Line::Other;
        }
        self.parsed(line, names)
            .unwrap_or(Line::Bad("not a line of an iolog"))
    }

    fn parsed(&mut self, line: &[u8], names: &mut Names) -> Option<Line> {
        let mut parts: [&[u8]; 5] = [b""; 5];
        let mut count = 0;
        for word in words(line) {
            *parts.get_mut(count)? = word;
            count += 1;
        }
        // Version 3 begins with the time, in microseconds (fio 3.33, from what it writes); a name of a file that is a number is not told apart.
        let is_third = number(parts[0]).is_some() && count >= 3;
        let parts = if is_third {
            &parts[..count]
        } else {
            &parts[..count.min(4)]
        };
        let (clock_ns, rest) = match is_third {
            true => (number(parts[0])?.checked_mul(1_000)?, &parts[1..]),
            false => (self.waited_us.checked_mul(1000)?, parts),
        };
        let (file, action) = (*rest.first()?, *rest.get(1)?);
        let action = match action {
            b"add" | b"open" | b"close" => return Some(Line::Other),
            b"wait" => {
                self.waited_us = self.waited_us.checked_add(number(rest.get(2)?)?)?;
                return Some(Line::Other);
            }
            b"read" => Action::Read,
            b"write" => Action::Write,
            b"sync" | b"datasync" => Action::Flush,
            b"trim" => Action::Discard,
            _ => return None,
        };
        let (offset, length) = match action {
            Action::Flush => (0, 0),
            _ => (number(rest.get(2)?)?, number(rest.get(3)?)?),
        };
        Some(Line::Record(Record {
            clock_ns,
            step: Step::Whole { latency_ns: None },
            action,
            marks: Marks::default(),
            offset_bytes: offset,
            length_bytes: length,
            device: names.device(file)?,
            process: ProcessId::default(),
        }))
    }
}
