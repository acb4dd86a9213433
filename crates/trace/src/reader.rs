//! A trace as a stream of events.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read};

use stripewise_packing::Unpacked;

use crate::event::{Event, IO_BYTES_MAX, Names};
use crate::formats::blktrace::{Blktrace, BufferStart, RECORD_BYTES_MAX};
use crate::formats::{FormatName, LineDecoder, Parsed, Record, detect};
use crate::inputs::Inputs;
use crate::name_table::NameTable;
use crate::order::{Next, Order};
use crate::pairing::{BeginCounts, Pairing};
use crate::skipped::{SkipReason, Skipped};
use crate::source::{Line, Source};

/// How much is looked at to find the format.
const HEAD_BYTES: usize = 64 << 10;

/// How to record what is needed of each I/O.
pub const RECORD_IOS: &str = "record each I/O: `perf record -a -e block:block_bio_queue -e \
    block:block_rq_issue -e block:block_rq_requeue -e block:block_rq_complete -- sleep 60`, then \
    `perf script`; or `blktrace -d DEV -w 60 -o -`";

/// A trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file or stream cannot be read.
    #[error("cannot read the trace")]
    Read(#[from] io::Error),
    /// The trace is packed, and damaged.
    #[error("cannot unpack the trace")]
    Unpack(#[source] io::Error),
    /// The trace is packed with a program that we cannot replace.
    #[error("the trace is packed with {packing}")]
    Packing {
        /// The packing.
        packing: &'static str,
        /// The command that unpacks it.
        program: &'static str,
    },
    /// The file is not a trace, but can be converted to one.
    #[error("this is {what}")]
    NotATrace {
        /// What the file is.
        what: &'static str,
        /// The command that converts it.
        command: &'static str,
    },
    /// The file says something about I/Os, but not what each of them was.
    #[error("{what}")]
    NoIos {
        /// What the file is, and what it lacks.
        what: &'static str,
        /// How to record or print I/Os.
        recipe: &'static str,
    },
    /// The trace is empty.
    #[error("the trace is empty")]
    Empty,
    /// The format is none that we know.
    #[error("cannot determine the format of the trace, whose first line is `{first}`")]
    UnknownFormat {
        /// The beginning of its first line.
        first: String,
    },
    /// Inputs that belong together have different formats.
    #[error("the files of one trace have different formats: {0} and {1}")]
    DifferentFormats(FormatName, FormatName),
}

impl ReadError {
    /// Returns how to solve it, if that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            ReadError::Packing { program, .. } => Some(format!("unpack it first: `{program}`")),
            ReadError::NotATrace { command, .. } => Some(format!("convert it first: `{command}`")),
            ReadError::NoIos { recipe, .. } => Some((*recipe).to_owned()),
            ReadError::UnknownFormat { .. } => {
                let known = FormatName::ALL.map(FormatName::as_str).join(", ");
                Some(format!("known formats: {known}; {RECORD_IOS}"))
            }
            ReadError::Read(_)
            | ReadError::Unpack(_)
            | ReadError::Empty
            | ReadError::DifferentFormats(..) => None,
        }
    }
}

/// How a trace is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The format; without one, it is detected.
    pub format: Option<FormatName>,
    /// The one device whose I/Os are read, by its name in the trace; without one, those of all.
    pub device: Option<String>,
    /// The size of the device; what lies beyond it is skipped.
    pub device_bytes: Option<u64>,
}

/// What a trace says and what it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Where I/Os began.
    pub begins: BeginCounts,
    /// Whether the trace says when I/Os are done.
    pub has_ends: bool,
    /// Whether the trace has times at all.
    pub has_times: bool,
    /// How many sections the trace has: one more for each time that its clock jumped.
    pub sections: u64,
    /// When the trace began, in seconds and nanoseconds since 1970, if it says so.
    pub time_of_day: Option<(u32, u32)>,
}

/// What is known of a trace that was read to its end.
#[derive(Debug, Clone)]
pub struct WholeTrace {
    /// The names of its processes and devices.
    pub names: Names,
    /// What was left out.
    pub skipped: Skipped,
    /// Its format.
    pub format: FormatName,
    /// What it says and what it does not.
    pub facts: Facts,
}

/// How the records of an input are decoded.
enum Decoder {
    Lines(Box<LineDecoder>),
    Binary(Box<Blktrace>),
}

/// What is known of one input.
struct Stream {
    source: Source,
    decoder: Decoder,
    lines: u64,
    is_done: bool,
}

/// A trace, read one record at a time.
pub struct Reader<R: Read> {
    inputs: Vec<Unpacked<R>>,
    format: FormatName,
    pipeline: Pipeline,
}

/// Everything between bytes and events.
struct Pipeline {
    streams: Vec<Stream>,
    /// The next record of each of several inputs.
    heads: Vec<Option<Record>>,
    /// The clocks of these records.
    earliest: BinaryHeap<Reverse<(u64, usize)>>,
    names: NameTable,
    skipped: Skipped,
    order: Order,
    pairing: Pairing,
    device: Option<String>,
    sections: u64,
    has_times: bool,
    is_decided: bool,
    is_at_end: bool,
    is_done: bool,
}

impl<R: Read> Reader<R> {
    /// Begins to read a trace. Packed ones (gzip, Zstandard) are unpacked.
    ///
    /// # Errors
    /// [`ReadError`] if the input cannot be read, is empty, or has no format that we know.
    pub fn new(input: R, options: Options) -> Result<Self, ReadError> {
        Self::merge(vec![input], options)
    }

    /// Begins to read a trace of several inputs, such as the files of each CPU that `blktrace` writes.
    /// Their records are merged by time.
    ///
    /// # Errors
    /// [`ReadError`] if an input cannot be read or has no format that we know, if their formats differ,
    /// or if all are empty.
    pub fn merge(inputs: Vec<R>, options: Options) -> Result<Self, ReadError> {
        let inputs: Result<Vec<_>, _> = inputs.into_iter().map(Unpacked::new).collect();
        let mut inputs = inputs?;
        let count = inputs.len();
        let (format, pipeline) = Pipeline::new(&mut inputs, count, options)?;
        Ok(Self {
            inputs,
            format,
            pipeline,
        })
    }

    /// Returns the next event; `None` at the end of the trace.
    ///
    /// # Errors
    /// [`ReadError`] if the input cannot be read, or a packed one is damaged.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event>, ReadError> {
        self.pipeline.next_event(&mut self.inputs)
    }

    /// Reads so many records, or all that are left, and hands out their events; returns whether there
    /// may be more. That takes less time than [`Reader::next_event`], which copies each event.
    ///
    /// # Errors
    /// As [`Reader::next_event`].
    pub fn read(
        &mut self,
        records: usize,
        each: &mut dyn FnMut(&Event, &Names),
    ) -> Result<bool, ReadError> {
        self.pipeline.read(&mut self.inputs, records, each)
    }

    /// Returns the names of processes and devices so far.
    pub fn names(&self) -> &Names {
        &self.pipeline.names.names
    }

    /// Returns what was left out so far.
    pub fn skipped(&self) -> &Skipped {
        &self.pipeline.skipped
    }

    /// Returns the format.
    pub fn format(&self) -> FormatName {
        self.format
    }

    /// Returns how many bytes were read, of the packed ones if the trace is packed.
    pub fn bytes_read(&self) -> u64 {
        let bytes = self.inputs.iter().map(Unpacked::bytes_read);
        bytes.fold(0, u64::saturating_add)
    }

    /// Returns what the trace says and what it does not, as far as it was read.
    pub fn facts(&self) -> Facts {
        self.pipeline.facts()
    }

    /// Returns what is known of the trace, and frees what reading it needed.
    pub fn finish(self) -> WholeTrace {
        let facts = self.facts();
        WholeTrace {
            names: self.pipeline.names.names,
            skipped: self.pipeline.skipped,
            format: self.format,
            facts,
        }
    }
}

impl Pipeline {
    /// Begins to read so many inputs; returns their format, too.
    fn new(
        inputs: &mut dyn Inputs,
        count: usize,
        options: Options,
    ) -> Result<(FormatName, Self), ReadError> {
        let mut format = options.format;
        let mut streams = Vec::with_capacity(count);
        for input in 0..count {
            let mut source = Source::new(input);
            let found = match options.format {
                Some(format) => format,
                None => {
                    source.fill(inputs, HEAD_BYTES)?;
                    match detect::detect(source.bytes()) {
                        // A CPU that did nothing has an empty file.
                        Err(ReadError::Empty) => continue,
                        found => found?,
                    }
                }
            };
            let first = *format.get_or_insert(found);
            if first != found {
                return Err(ReadError::DifferentFormats(first, found));
            }
            let decoder = match (found.row().decoder)() {
                Some(decoder) => Decoder::Lines(Box::new(decoder)),
                None => Decoder::Binary(Box::default()),
            };
            streams.push(Stream {
                source,
                decoder,
                lines: 0,
                is_done: false,
            });
        }
        let Some(format) = format.filter(|_| !streams.is_empty()) else {
            return Err(ReadError::Empty);
        };
        let mut pipeline = Self {
            heads: Vec::new(),
            earliest: BinaryHeap::new(),
            streams,
            names: NameTable::new(),
            skipped: Skipped::default(),
            order: Order::default(),
            pairing: Pairing::new(format, options.device_bytes),
            device: options.device,
            sections: 1,
            has_times: false,
            is_decided: false,
            is_at_end: false,
            is_done: false,
        };
        if pipeline.streams.len() > 1 {
            for index in 0..pipeline.streams.len() {
                pipeline.heads.push(None);
                pipeline.advance(inputs, index)?;
            }
        }
        Ok((format, pipeline))
    }

    fn next_event(&mut self, inputs: &mut dyn Inputs) -> Result<Option<Event>, ReadError> {
        loop {
            if let Some(event) = self.pairing.pop() {
                return Ok(Some(event));
            }
            if self.is_done {
                return Ok(None);
            }
            self.step(inputs)?;
        }
    }

    fn read(
        &mut self,
        inputs: &mut dyn Inputs,
        records: usize,
        each: &mut dyn FnMut(&Event, &Names),
    ) -> Result<bool, ReadError> {
        for _ in 0..records {
            self.pairing
                .hand_out_all(&mut |event| each(event, &self.names.names));
            if self.is_done {
                return Ok(false);
            }
            self.step(inputs)?;
        }
        Ok(true)
    }

    /// Hands one record on.
    #[inline]
    fn step(&mut self, inputs: &mut dyn Inputs) -> Result<(), ReadError> {
        if let Some(next) = self.order.pop(&mut self.skipped) {
            match next {
                Next::Record(record) => self.pair(record),
                Next::Section => {
                    self.sections += 1;
                    self.pairing.finish(&mut self.skipped);
                }
            }
            return Ok(());
        }
        if self.is_at_end {
            self.pairing.finish(&mut self.skipped);
            self.is_done = true;
            return Ok(());
        }
        match self.next_record(inputs)? {
            Some(record) => self.order.push(record, &mut self.skipped),
            None => {
                self.is_at_end = true;
                self.order.end(&mut self.skipped);
            }
        }
        if !self.is_decided && self.order.is_full() {
            self.is_decided = true;
            self.pairing.learn(self.order.held());
            self.order.open();
        }
        Ok(())
    }

    #[inline]
    fn pair(&mut self, record: Record) {
        self.has_times |= record.clock_ns > 0;
        if let Some(wanted) = &self.device {
            let index = usize::try_from(record.device.0).unwrap_or(usize::MAX);
            if self.names.names.devices.get(index) != Some(wanted) {
                return;
            }
        }
        self.pairing.push(&record, &mut self.skipped);
    }

    /// Returns the next record of all inputs.
    #[inline]
    fn next_record(&mut self, inputs: &mut dyn Inputs) -> Result<Option<Record>, ReadError> {
        if self.heads.is_empty() {
            return self.streams[0].next(inputs, &mut self.names, &mut self.skipped);
        }
        let Some(Reverse((_, index))) = self.earliest.pop() else {
            return Ok(None);
        };
        let record = self.heads[index].take();
        self.advance(inputs, index)?;
        Ok(record)
    }

    /// Reads the next record of one of several inputs.
    fn advance(&mut self, inputs: &mut dyn Inputs, index: usize) -> Result<(), ReadError> {
        let next = self.streams[index].next(inputs, &mut self.names, &mut self.skipped)?;
        if let Some(record) = &next {
            self.earliest.push(Reverse((record.clock_ns, index)));
        }
        self.heads[index] = next;
        Ok(())
    }

    fn facts(&self) -> Facts {
        let time_of_day = self
            .streams
            .iter()
            .find_map(|stream| match &stream.decoder {
                Decoder::Binary(decoder) => decoder.time_of_day,
                Decoder::Lines(_) => None,
            });
        Facts {
            begins: self.pairing.begins(),
            has_ends: self.pairing.has_ends(),
            has_times: self.has_times,
            sections: self.sections,
            time_of_day,
        }
    }
}

impl Stream {
    /// Returns the next record.
    #[inline]
    fn next(
        &mut self,
        inputs: &mut dyn Inputs,
        names: &mut NameTable,
        skipped: &mut Skipped,
    ) -> Result<Option<Record>, ReadError> {
        while !self.is_done {
            let place = match &self.decoder {
                Decoder::Lines(_) => self.lines + 1,
                Decoder::Binary(_) => self.source.position(),
            };
            let parsed = match &mut self.decoder {
                Decoder::Lines(_) => self.next_line(inputs, names, skipped)?,
                Decoder::Binary(_) => self.next_binary(inputs, names, skipped)?,
            };
            match parsed {
                Parsed::Record(record) if record.length_bytes > IO_BYTES_MAX => {
                    skipped.add_malformed(place, || {
                        format!(
                            "{} bytes are more than a kernel does in one I/O",
                            record.length_bytes
                        )
                    });
                }
                Parsed::Record(record) => return Ok(Some(record)),
                Parsed::Nothing => {}
                Parsed::Malformed(problem) => {
                    skipped.add_malformed(place, || problem.to_owned());
                }
                Parsed::Lost(count) => skipped.add_many(SkipReason::Lost, count),
                Parsed::TooManyNames => skipped.add(SkipReason::TooManyNames),
            }
        }
        Ok(None)
    }

    #[inline]
    fn next_line(
        &mut self,
        inputs: &mut dyn Inputs,
        names: &mut NameTable,
        skipped: &mut Skipped,
    ) -> Result<Parsed, ReadError> {
        let line = self.source.line(inputs)?;
        self.lines += 1;
        match line {
            Line::Whole { length, with_end } => {
                let Decoder::Lines(decoder) = &mut self.decoder else {
                    return Ok(Parsed::Nothing);
                };
                let parsed = decoder.decode(&self.source.bytes()[..length], names);
                self.source.consume(with_end);
                Ok(parsed)
            }
            Line::TooLong => Ok(Parsed::Malformed("the line is too long")),
            Line::CutOff | Line::End => {
                self.is_done = true;
                if line == Line::CutOff || self.source.is_cut_off() {
                    skipped.add(SkipReason::Truncated);
                }
                Ok(Parsed::Nothing)
            }
        }
    }

    #[inline]
    fn next_binary(
        &mut self,
        inputs: &mut dyn Inputs,
        names: &mut NameTable,
        skipped: &mut Skipped,
    ) -> Result<Parsed, ReadError> {
        let Decoder::Binary(decoder) = &mut self.decoder else {
            return Ok(Parsed::Nothing);
        };
        let mut found = decoder.decode(self.source.bytes(), names);
        if matches!(found, BufferStart::Needs(_)) {
            // A whole buffer, not only the record: one call of the system for many records.
            self.source.fill(inputs, RECORD_BYTES_MAX)?;
            found = decoder.decode(self.source.bytes(), names);
        }
        match found {
            BufferStart::Record(length, parsed) => {
                self.source.consume(length);
                Ok(parsed)
            }
            BufferStart::Damaged(length) => {
                self.source.consume(length);
                Ok(Parsed::Malformed("no record of blktrace"))
            }
            BufferStart::Needs(_) => {
                let is_rest = !self.source.bytes().is_empty();
                if is_rest || self.source.is_cut_off() {
                    skipped.add(SkipReason::Truncated);
                }
                self.is_done = true;
                Ok(Parsed::Nothing)
            }
        }
    }
}
