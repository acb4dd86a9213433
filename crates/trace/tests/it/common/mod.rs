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

/// Returns whether a format has a record of the end of an I/O, or its latency.
pub fn has_ends(format: FormatName) -> bool {
    !matches!(
        format,
        FormatName::FioIolog
            | FormatName::Fiu
            | FormatName::Spc
            | FormatName::Alibaba
            | FormatName::Tencent
    )
}

/// Writes what comes before the first record.
pub fn header(format: FormatName, out: &mut Vec<u8>) {
    let text = match format {
        FormatName::FioIolog => "fio version 3 iolog\n",
        FormatName::Ftrace => {
            "# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
        }
        FormatName::Biosnoop => {
            "TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)\n"
        }
        FormatName::Iosnoop => {
            "Tracing block I/O. Ctrl-C to end.\nSTARTs         ENDs           COMM             PID    TYPE DEV      BLOCK        BYTES     LATms\n"
        }
        FormatName::Csv => "time_us,action,offset_bytes,length_bytes,latency_us,device,pid\n",
        _ => "",
    };
    out.extend_from_slice(text.as_bytes());
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

fn letter(action: Action) -> &'static str {
    match action {
        Action::Read => "R",
        Action::Write => "W",
        Action::Flush => "F",
        Action::Discard => "D",
    }
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Read => "read",
        Action::Write => "write",
        Action::Flush => "datasync",
        Action::Discard => "trim",
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

/// Writes the line of an I/O.
fn whole(format: FormatName, out: &mut Vec<u8>, io: &Io) {
    let Io {
        began_ns: began,
        offset_bytes: offset,
        length_bytes: length,
        device,
        pid,
        ..
    } = *io;
    let latency = io.ended_ns - began;
    let (seconds, nanos) = (began / 1_000_000_000, began % 1_000_000_000);
    let letter = letter(io.action);
    let (sector, count) = (offset / 512, length / 512);
    let done = match format {
        FormatName::FioIolog => writeln!(
            out,
            "{} /dev/d{device} {} {offset} {length}",
            began / 1_000,
            word(io.action)
        ),
        FormatName::Biosnoop => {
            let ended = io.ended_ns / 1_000;
            writeln!(
                out,
                "{}.{:06}    p {pid:<10} {pid:<7} {device:<7} {letter:<4} {sector:<10} {length:<7} {}.{:03}",
                ended / 1_000_000,
                ended % 1_000_000,
                latency / 1_000_000,
                latency / 1_000 % 1_000
            )
        }
        FormatName::Iosnoop => {
            let ended = io.ended_ns / 1_000;
            writeln!(
                out,
                "{seconds}.{:06} {}.{:06} p {pid:<10} {pid:<6} {letter:<4} 8,{device:<7} {sector:<12} {length:<6} {}.{:02}",
                nanos / 1_000,
                ended / 1_000_000,
                ended % 1_000_000,
                latency / 1_000_000,
                latency / 10_000 % 100
            )
        }
        FormatName::Msr => {
            let word = if io.action == Action::Read {
                "Read"
            } else {
                "Write"
            };
            let (time, latency) = (began / 100, latency / 100);
            writeln!(out, "{time},hm,{device},{word},{offset},{length},{latency}")
        }
        FormatName::Fiu => writeln!(
            out,
            "{began} {pid} p {sector} {count} {letter} 8 {device} 0123"
        ),
        FormatName::Systor => writeln!(
            out,
            "{seconds}.{nanos:09},{}.{:09},{letter},{device},{offset},{length}",
            latency / 1_000_000_000,
            latency % 1_000_000_000
        ),
        FormatName::Spc => writeln!(
            out,
            "{device},{sector},{length},{letter},{seconds}.{:06}",
            nanos / 1_000
        ),
        FormatName::Alibaba => {
            writeln!(out, "{device},{letter},{offset},{length},{}", began / 1_000)
        }
        FormatName::Tencent => {
            let digit = u8::from(io.action == Action::Write);
            writeln!(out, "{seconds},{sector},{count},{digit},{device}")
        }
        _ => writeln!(
            out,
            "{},{letter},{offset},{length},{},{device},{pid}",
            began / 1_000,
            latency / 1_000
        ),
    };
    done.expect("memory");
}

/// Writes a record of an I/O.
pub fn record(format: FormatName, out: &mut Vec<u8>, io: &Io, half: Half) {
    match format {
        FormatName::Blktrace => blktrace(out, io, half),
        FormatName::Blkparse | FormatName::PerfScript | FormatName::Ftrace => {
            step(format, out, io, half);
        }
        FormatName::PerfTrace => perf_trace(out, io, half),
        _ if half == Half::Begin => whole(format, out, io),
        _ => {}
    }
}
