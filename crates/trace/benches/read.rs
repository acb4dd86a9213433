//! How fast traces are read and described: events per second of CPU, for each format, and the memory it
//! takes. "Described" is all that `characterize` does with a trace before it compares: reading it, and the
//! second look at its events.
//!
//! `cargo bench -p stripewise-trace`; `STRIPEWISE_EVENTS=N` draws another number than ten million, and
//! `STRIPEWISE_FORMAT=NAME` reads one format. Traces are drawn while they are read, and never on disk:
//! drawing them is measured alone and subtracted. `STRIPEWISE_TRACE=FILE` writes the trace of the one
//! format instead, for `stripewise characterize`; `STRIPEWISE_FROM=FILE` describes that trace.

#[path = "../tests/it/common/mod.rs"]
mod common;

use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write as _};

use common::{Half, Io};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::time::{ClockId, clock_gettime};
use stripewise_trace::event_log::EventLog;
use stripewise_trace::fit::fit;
use stripewise_trace::profile::Profile;
use stripewise_trace::survey::Survey;
use stripewise_trace::{Action, Event, FormatName, Names, Options, Reader};

/// How many I/Os are under way.
const DEPTH: u64 = 32;
/// The gap between two I/Os.
const GAP_NS: u64 = 10_000;

/// A trace that is drawn while it is read.
struct Drawn {
    format: FormatName,
    next: u64,
    ios: u64,
    part: Vec<u8>,
    given: usize,
}

/// Returns the I/O of a number: two thirds reads, at places without an order.
fn io(index: u64) -> Io {
    let drawn = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let began_ns = 1_000_000_000_000 + index * GAP_NS;
    Io {
        began_ns,
        ended_ns: began_ns + DEPTH * GAP_NS + GAP_NS / 2,
        action: if drawn.is_multiple_of(3) {
            Action::Write
        } else {
            Action::Read
        },
        offset_bytes: drawn * 65_536,
        length_bytes: 4096 << (drawn % 5),
        device: 0,
        pid: u32::from(drawn.is_multiple_of(7)) + 100,
    }
}

impl Drawn {
    fn new(format: FormatName, events: u64) -> Self {
        let halves = if format.row().has_ends() { 2 } else { 1 };
        let part = format.row().header.into();
        Self {
            format,
            next: 0,
            ios: events / halves,
            part,
            given: 0,
        }
    }
}

impl Read for Drawn {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.part.len() {
            self.part.clear();
            self.given = 0;
            while self.part.len() < 200_000 && self.next < self.ios + DEPTH {
                let index = self.next;
                self.next += 1;
                if index < self.ios {
                    common::record(self.format, &mut self.part, &io(index), Half::Begin);
                }
                if let Some(done) = index.checked_sub(DEPTH) {
                    common::record(self.format, &mut self.part, &io(done), Half::End);
                }
            }
        }
        let rest = &self.part[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

/// Returns the CPU time of this process in seconds.
fn cpu() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    std::time::Duration::try_from(now)
        .unwrap_or_default()
        .as_secs_f64()
}

/// Returns the most memory that this process had, in KiB.
fn peak_kib() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("?").trim().to_owned()
}

/// Reads a trace to its end; returns the number of its events.
fn read<R: Read>(
    input: R,
    mut each: impl FnMut(&Event, &Names),
) -> Result<(u32, Reader<R>), Box<dyn Error>> {
    let mut reader = Reader::new(input, Options::default())?;
    let mut count = 0;
    while let Some(event) = reader.next_event()? {
        count += 1;
        each(&event, reader.names());
    }
    Ok((count, reader))
}

/// Returns a file without a name, in memory that is not this process's.
fn unnamed() -> io::Result<File> {
    Ok(File::from(memfd_create("events", MemfdFlags::CLOEXEC)?))
}

/// Describes a trace as `characterize` does; returns the number of its events.
fn describe<R: Read>(input: R) -> Result<u32, Box<dyn Error>> {
    let (mut survey, mut log) = (Survey::default(), EventLog::new(unnamed));
    let mut reader = Reader::new(input, Options::default())?;
    let mut kept = Ok(());
    while reader.read(1 << 16, &mut |event, names| {
        survey.add(event, names);
        if kept.is_ok() {
            kept = log.push(event);
        }
    })? {}
    kept?;
    let trace = reader.finish();
    let devices = survey.devices(&trace.names);
    let device = devices.first().ok_or("a trace with I/Os")?.device;
    let mut profile = Profile::new(survey.plan(device).ok_or("a device with I/Os")?);
    let count = u32::try_from(log.events())?;
    log.again(&mut |event| {
        profile.add(event, &trace.names);
    })?;
    fit(&profile);
    Ok(count)
}

/// Returns the CPU time that something takes in seconds, and what it gives.
fn timed<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(f64, T), Box<dyn Error>> {
    let before = cpu();
    let done = work()?;
    Ok((cpu() - before, done))
}

fn main() -> Result<(), Box<dyn Error>> {
    let events: u64 = match std::env::var("STRIPEWISE_EVENTS") {
        Ok(text) => text.parse()?,
        Err(_) => 10_000_000,
    };
    let only = std::env::var("STRIPEWISE_FORMAT").ok();
    let mut out = io::stdout().lock();
    if let Some(path) = std::env::var_os("STRIPEWISE_FROM") {
        let (reading, _) = timed(|| read(File::open(&path)?, |_, _| {}))?;
        let (describing, events) = timed(|| describe(File::open(&path)?))?;
        let peak = peak_kib();
        writeln!(
            out,
            "{events} events: read in {reading:.2} s, described in {describing:.2} s of CPU; at most {peak}"
        )?;
        return Ok(());
    }
    for format in FormatName::ALL {
        if only.as_deref().is_some_and(|name| name != format.as_str()) {
            continue;
        }
        if let Some(path) = std::env::var_os("STRIPEWISE_TRACE") {
            io::copy(&mut Drawn::new(format, events), &mut File::create(path)?)?;
            return Ok(());
        }
        let (drawing, bytes) = timed(|| {
            let mut drawn = Drawn::new(format, events);
            Ok(io::copy(&mut drawn, &mut io::sink())?)
        })?;
        let (reading, (count, reader)) = timed(|| read(Drawn::new(format, events), |_, _| {}))?;
        let skipped: u64 = reader.skipped().iter().map(|(_, count)| count).sum();
        let (describing, described) = timed(|| describe(Drawn::new(format, events)))?;
        let rate = |count: u32, took: f64| f64::from(count) / took / 1e6;
        writeln!(
            out,
            "{:<12} {count} events, {} MB, {skipped} skipped: {:.2} million events, {:.0} MB per second of CPU; described: {:.2} million; at most {}",
            reader.format().as_str(),
            bytes / 1_000_000,
            rate(count, reading - drawing),
            f64::from(u32::try_from(bytes / 1_000_000)?) / (reading - drawing),
            rate(described, describing - drawing),
            peak_kib(),
        )?;
    }
    Ok(())
}
