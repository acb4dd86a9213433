//! A trace as a stream of events.

use std::io::{BufRead, BufReader, ErrorKind, Read};

use crate::event::{Event, Names};
use crate::formats::blktrace::{HEAD_BYTES, Order};
use crate::formats::text::{Iolog, Line, TextFormat};
use crate::pairing::Pairing;
use crate::skipped::{Skipped, Why};

/// How much is read at once.
const BUFFER_BYTES: usize = 256 << 10;
/// The longest line.
const LINE_BYTES_MAX: usize = 16 << 10;
/// How many lines are looked at to find the format.
const LINES_LOOKED_AT: usize = 200;

/// A trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file or stream cannot be read.
    #[error("cannot read the trace")]
    Read(#[from] std::io::Error),
    /// The trace is packed.
    #[error("the trace is packed with {program}")]
    Packed {
        /// The program that unpacks it.
        program: &'static str,
    },
    /// It is in no format that is known.
    #[error("the trace is in no format that is known: its first line is `{first}`")]
    UnknownFormat {
        /// The beginning of its first line.
        first: String,
    },
    /// It is empty.
    #[error("the trace is empty")]
    Empty,
}

impl ReadError {
    /// Returns how to solve it, if that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            ReadError::Packed { program } => Some(format!("unpack it: `{program} -dc FILE | stripewise characterize --from -`")),
            ReadError::UnknownFormat { .. } => Some(
                "known are blktrace and blkparse, block tracepoints of ftrace, trace-cmd and perf script, fio's iologs and MSR traces"
                    .to_owned(),
            ),
            ReadError::Read(_) | ReadError::Empty => None,
        }
    }
}

/// The format of a trace.
#[derive(Debug)]
enum Format {
    Blktrace(Order),
    Text(TextFormat),
}

/// A trace, read bit by bit.
#[derive(Debug)]
pub struct Reader<R> {
    input: BufReader<R>,
    format: Format,
    line: Vec<u8>,
    pairing: Pairing,
    names: Names,
    skipped: Skipped,
    /// Lines, or bytes of a binary trace.
    place: u64,
    bytes: u64,
    is_over: bool,
}

impl<R: Read> Reader<R> {
    /// Begins to read a trace, whose format is found from how it begins.
    ///
    /// # Errors
    /// [`ReadError`] if it cannot be read, is packed, or is in no known format.
    pub fn new(input: R) -> Result<Self, ReadError> {
        let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
        let head = fill(&mut input)?;
        let format = detected(head)?;
        Ok(Self {
            input,
            format,
            line: Vec::new(),
            pairing: Pairing::default(),
            names: Names::default(),
            skipped: Skipped::default(),
            place: 0,
            bytes: 0,
            is_over: false,
        })
    }

    /// Returns the next event; nothing at the end of the trace.
    ///
    /// # Errors
    /// [`ReadError`] if the input cannot be read.
    pub fn next_event(&mut self) -> Result<Option<Event>, ReadError> {
        loop {
            if let Some(event) = self.pairing.next() {
                return Ok(Some(event));
            }
            if self.is_over {
                return Ok(None);
            }
            let goes_on = match &self.format {
                Format::Blktrace(order) => self.read_record(*order)?,
                Format::Text(_) => self.read_line()?,
            };
            if !goes_on {
                self.is_over = true;
                self.pairing.finish(&mut self.skipped);
            }
        }
    }

    /// Reads a record of a binary trace; returns whether there was one.
    fn read_record(&mut self, order: Order) -> Result<bool, ReadError> {
        let mut head = [0; HEAD_BYTES];
        match self.read_whole(&mut head)? {
            0 => return Ok(false),
            HEAD_BYTES => {}
            _ => {
                self.skipped.add(Why::Truncated);
                return Ok(false);
            }
        }
        if !order.is_head(&head) {
            // Where the next record begins is not known any more.
            let place = self.place;
            self.skipped.add_malformed(place, || {
                "no record of blktrace begins here; the rest is left out".to_owned()
            });
            return Ok(false);
        }
        self.line.resize(order.behind(&head), 0);
        let mut behind = std::mem::take(&mut self.line);
        let got = self.read_whole(&mut behind)?;
        if got < behind.len() {
            self.skipped.add(Why::Truncated);
            return Ok(false);
        }
        if let Some(record) = order.record(&head, &behind, &mut self.names) {
            self.pairing.add(record, &mut self.skipped);
        }
        self.place += (HEAD_BYTES + got) as u64;
        self.line = behind;
        Ok(true)
    }

    /// Fills `bytes`, or as much of it as there is; returns how much.
    fn read_whole(&mut self, bytes: &mut [u8]) -> Result<usize, ReadError> {
        let mut got = 0;
        while got < bytes.len() {
            match self.input.read(&mut bytes[got..]) {
                Ok(0) => break,
                Ok(count) => got += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.bytes += got as u64;
        Ok(got)
    }

    /// Reads a line; returns whether there was one.
    fn read_line(&mut self) -> Result<bool, ReadError> {
        self.line.clear();
        let most = LINE_BYTES_MAX as u64;
        let count = (&mut self.input)
            .take(most)
            .read_until(b'\n', &mut self.line)?;
        if count == 0 {
            return Ok(false);
        }
        self.bytes += count as u64;
        self.place += 1;
        let place = self.place;
        if count == LINE_BYTES_MAX && !self.line.ends_with(b"\n") {
            self.bytes += self.input.skip_until(b'\n')? as u64;
            self.skipped
                .add_malformed(place, || "the line is too long".to_owned());
            return Ok(true);
        }
        let Format::Text(format) = &mut self.format else {
            return Ok(false);
        };
        match format.line(&self.line, &mut self.names) {
            Line::Record(record) => self.pairing.add(record, &mut self.skipped),
            Line::Other => {}
            Line::Lost(count) => self.skipped.add_many(Why::Lost, count),
            Line::Bad(_) if !self.line.ends_with(b"\n") => self.skipped.add(Why::Truncated),
            Line::Bad(problem) => self.skipped.add_malformed(place, || problem.to_owned()),
        }
        Ok(true)
    }

    /// Returns the names of processes and devices so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns what was left out so far.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// Returns how many bytes were read.
    pub fn bytes_read(&self) -> u64 {
        self.bytes
    }

    /// Returns the name of the format.
    pub fn format(&self) -> &'static str {
        match &self.format {
            Format::Blktrace(_) => "blktrace",
            Format::Text(TextFormat::Blkparse) => "blkparse",
            Format::Text(TextFormat::Tracepoints) => "block tracepoints",
            Format::Text(TextFormat::Msr) => "MSR",
            Format::Text(TextFormat::Iolog(_)) => "fio iolog",
        }
    }
}

/// Fills the buffer as far as the input gives, at least until it has a few lines.
fn fill<R: Read>(input: &mut BufReader<R>) -> Result<&[u8], ReadError> {
    loop {
        match input.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(input.buffer())
}

/// Returns the format of a trace that begins with `head`.
fn detected(head: &[u8]) -> Result<Format, ReadError> {
    if head.is_empty() {
        return Err(ReadError::Empty);
    }
    let packed = [
        (&b"\x1f\x8b"[..], "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\xfd7zXZ", "xz"),
        (b"BZh", "bzip2"),
    ];
    if let Some((_, program)) = packed.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(ReadError::Packed { program });
    }
    if let Some(order) = Order::of(head) {
        return Ok(Format::Blktrace(order));
    }
    if head.starts_with(b"fio version ") {
        return Ok(Format::Text(TextFormat::Iolog(Iolog::default())));
    }
    let lines = || head.split(|byte| *byte == b'\n').take(LINES_LOOKED_AT);
    for mut format in [
        TextFormat::Tracepoints,
        TextFormat::Blkparse,
        TextFormat::Msr,
    ] {
        let mut names = Names::default();
        if lines().any(|line| matches!(format.line(line, &mut names), Line::Record(_))) {
            return Ok(Format::Text(format));
        }
    }
    let first = lines().next().unwrap_or_default();
    let first = String::from_utf8_lossy(&first[..first.len().min(80)]).into_owned();
    Err(ReadError::UnknownFormat { first })
}
