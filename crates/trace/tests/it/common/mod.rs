//! Writes a list of I/Os in each format, as its documentation lays it out.

use std::io::Write as _;

use stripewise_trace::{Action, FormatName};

/// An I/O to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// When it begins.
    pub began_ns: u64,
    /// When it is done.
    pub ended_ns: u64,
    /// What it does.
    pub action: Action,
    /// Where it begins.
    pub offset_bytes: u64,
    /// How long it is.
    pub length_bytes: u64,
    /// The minor number of its device, or the number of its volume or file.
    pub device: u32,
    /// The number of its process.
    pub pid: u32,
}

/// Which record of an I/O is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Half {
    /// Where it begins; in formats with one record for each I/O, that one.
    Begin,
    /// Where it is done; nothing in formats with one record for each I/O.
    End,
}

/// Returns the letters of an I/O.
fn rwbs(io: &Io, half: Half) -> &'static str {
    match (io.action, half) {
        (Action::Read, _) => "R",
        (Action::Write, _) | (Action::Flush, Half::End) => "WS",
        (Action::Flush, Half::Begin) => "FWS",
        (Action::Discard, _) => "D",
    }
}

/// Writes a record of `blktrace`.
fn blktrace(out: &mut Vec<u8>, io: &Io, half: Half) {
    let (act, category, time) = match half {
        Half::Begin => (1_u32, 1_u32 << 20, io.began_ns),
        Half::End => (8, 1 << 23, io.ended_ns),
    };
    let kind = match (io.action, half) {
        (Action::Read, _) => 1_u32 << 16,
        (Action::Write, _) | (Action::Flush, Half::End) => 1 << 17 | 1 << 19,
        (Action::Flush, Half::Begin) => 1 << 17 | 1 << 18 | 1 << 19,
        (Action::Discard, _) => 1 << 17 | 1 << 29,
    };
    let length = u32::try_from(io.length_bytes).expect("32 bits");
    out.extend_from_slice(&0x6561_7407_u32.to_le_bytes());
    out.extend_from_slice(&0_u32.to_le_bytes());
    out.extend_from_slice(&time.to_le_bytes());
    out.extend_from_slice(&(io.offset_bytes / 512).to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&(act | category | kind).to_le_bytes());
    out.extend_from_slice(&io.pid.to_le_bytes());
    out.extend_from_slice(&(8_u32 << 20 | io.device).to_le_bytes());
    out.extend_from_slice(&[0; 8]);
}

/// Writes a record of the block layer as text.
fn step(format: FormatName, out: &mut Vec<u8>, io: &Io, half: Half) {
    let time = match half {
        Half::Begin => io.began_ns,
        Half::End => io.ended_ns,
    };
    let (seconds, nanos) = (time / 1_000_000_000, time % 1_000_000_000);
    let letters = rwbs(io, half);
    let (sector, count) = (io.offset_bytes / 512, io.length_bytes / 512);
    let (device, pid) = (io.device, io.pid);
    let done = match (format, half) {
        (FormatName::Blkparse, Half::Begin) if count == 0 => {
            writeln!(
                out,
                "  8,{device:<3} 1 0 {seconds:5}.{nanos:09} {pid:5}  Q {letters:>3} [p {pid}]"
            )
        }
        (FormatName::Blkparse, Half::Begin) => writeln!(
            out,
            "  8,{device:<3} 1 0 {seconds:5}.{nanos:09} {pid:5}  Q {letters:>3} {sector} + {count} [p {pid}]"
        ),
        (FormatName::Blkparse, Half::End) if count == 0 => {
            writeln!(
                out,
                "  8,{device:<3} 1 0 {seconds:5}.{nanos:09}     0  C {letters:>3} {sector} [0]"
            )
        }
        (FormatName::Blkparse, Half::End) => writeln!(
            out,
            "  8,{device:<3} 1 0 {seconds:5}.{nanos:09}     0  C {letters:>3} {sector} + {count} [0]"
        ),
        (FormatName::PerfScript, Half::Begin) => writeln!(
            out,
            "   p {pid} {pid:5} [001] {seconds:5}.{:06}:    block:block_bio_queue: 8,{device} {letters} {sector} + {count} [p {pid}]",
            nanos / 1000
        ),
        (FormatName::PerfScript, Half::End) => writeln!(
            out,
            "   ksoftirqd/1    22 [001] {seconds:5}.{:06}:  block:block_rq_complete: 8,{device} {letters} () {sector} + {count} 0x0,0,0 [0]",
            nanos / 1000
        ),
        (_, Half::Begin) => writeln!(
            out,
            "           p {pid}-{pid:<6} [001] ..... {seconds:5}.{:06}: block_bio_queue: 8,{device} {letters} {sector} + {count} [p {pid}]",
            nanos / 1000
        ),
        (_, Half::End) => writeln!(
            out,
            "     ksoftirqd/1-22      [001] ..s.. {seconds:5}.{:06}: block_rq_complete: 8,{device} {letters} () {sector} + {count} none,0,0 [0]",
            nanos / 1000
        ),
    };
    done.expect("memory");
}

/// Writes a line of `perf trace`, which leaves out fields that are 0.
fn perf_trace(out: &mut Vec<u8>, io: &Io, half: Half) {
    let (time, event, process) = match half {
        Half::Begin => (io.began_ns, "bio_queue", format!("p {0}/{0}", io.pid)),
        Half::End => (io.ended_ns, "rq_complete", "ksoftirqd/1/22".to_owned()),
    };
    let (millis, micros) = (time / 1_000_000, time / 1_000 % 1_000);
    let field = |name: &str, value: u64| match value {
        0 => String::new(),
        _ => format!(", {name}: {value}"),
    };
    writeln!(
        out,
        "{millis:6}.{micros:03} {process} block:block_{event}(dev: {}{}{}, rwbs: \"{}\", comm: \"p, {}\")",
        8_u32 << 20 | io.device,
        field("sector", io.offset_bytes / 512),
        field("nr_sector", io.length_bytes / 512),
        rwbs(io, half),
        io.pid
    )
    .expect("memory");
}

/// Writes the line of an I/O, as the row of its format has it.
fn whole(line: &str, out: &mut Vec<u8>, io: &Io) {
    for (index, part) in line.split(['{', '}']).enumerate() {
        match index % 2 {
            0 => out.extend_from_slice(part.as_bytes()),
            _ => field(part, out, io),
        }
    }
    out.push(b'\n');
}

/// Writes what stands in braces.
fn field(field: &str, out: &mut Vec<u8>, io: &Io) {
    if field.contains('/') {
        let index = match io.action {
            Action::Read => 0,
            Action::Write => 1,
            Action::Flush => 2,
            Action::Discard => 3,
        };
        let word = field.split('/').nth(index).expect("a word for the action");
        return out.extend_from_slice(word.as_bytes());
    }
    let (name, unit) = field.split_once(':').unwrap_or((field, ""));
    let value = match name {
        "began" => io.began_ns,
        "ended" => io.ended_ns,
        "latency" => io.ended_ns - io.began_ns,
        "offset" => io.offset_bytes,
        "length" => io.length_bytes,
        "sector" => io.offset_bytes / 512,
        "sectors" => io.length_bytes / 512,
        "device" => io.device.into(),
        "pid" => io.pid.into(),
        _ => panic!("{field}"),
    };
    let (unit, digits) = unit.split_once('.').unwrap_or((unit, "0"));
    let scale: u64 = match unit {
        "" | "x" => 1,
        "100ns" => 100,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => panic!("{field}"),
    };
    let digits: u32 = digits.parse().expect("a number of digits");
    let fraction = value % scale * 10_u64.pow(digits) / scale;
    let value = value / scale;
    let done = match (unit, usize::try_from(digits).expect("64 bits")) {
        ("x", _) => write!(out, "0x{value:x}"),
        (_, 0) => write!(out, "{value}"),
        (_, digits) => write!(out, "{value}.{fraction:0digits$}"),
    };
    done.expect("memory");
}

/// Writes a record of an I/O.
pub fn record(format: FormatName, out: &mut Vec<u8>, io: &Io, half: Half) {
    match (format.row().line, format) {
        (Some(line), _) if half == Half::Begin => whole(line, out, io),
        (Some(_), _) => {}
        (None, FormatName::Blktrace) => blktrace(out, io, half),
        (None, FormatName::PerfTrace) => perf_trace(out, io, half),
        (None, _) => step(format, out, io, half),
    }
}
