//! A trace as lines or blocks of bytes, through one buffer.

use std::io::ErrorKind;

use crate::inputs::Inputs;
use crate::reader::ReadError;

/// How much is read at once. A line, or a record of `blktrace` with its data, fits.
const BUFFER_BYTES: usize = 256 << 10;
/// The longest line that is read.
pub(crate) const LINE_BYTES_MAX: usize = 64 << 10;

/// Where the next line is, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// It takes so many bytes of [`Source::bytes`], and so many more with its end.
    Whole { length: usize, with_end: usize },
    /// It is longer than [`LINE_BYTES_MAX`], and was skipped.
    TooLong,
    /// The input ends within it.
    CutOff,
    /// There is none.
    End,
}

/// The buffer of an input.
pub(crate) struct Source {
    /// The number of the input.
    input: usize,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Up to here, no line ends.
    scanned: usize,
    /// How many bytes were consumed.
    position: u64,
    is_at_end: bool,
    is_cut_off: bool,
}

impl Source {
    /// Returns an empty buffer of the input of a number.
    pub(crate) fn new(input: usize) -> Self {
        Self {
            input,
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            scanned: 0,
            position: 0,
            is_at_end: false,
            is_cut_off: false,
        }
    }

    /// Returns the bytes in the buffer.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns how many bytes were consumed, after unpacking.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Returns whether a packed input ended too early.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// Consumes bytes of the buffer.
    #[inline]
    pub(crate) fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.scanned = self.scanned.max(self.start);
        self.position = self.position.saturating_add(count as u64);
    }

    /// Reads until `want` bytes are in the buffer, or until the input or the buffer ends.
    /// Returns how many there are.
    pub(crate) fn fill(
        &mut self,
        inputs: &mut dyn Inputs,
        want: usize,
    ) -> Result<usize, ReadError> {
        while self.end - self.start < want && self.read_more(inputs)? {}
        Ok(self.end - self.start)
    }

    /// Reads once; returns whether there is more.
    fn read_more(&mut self, inputs: &mut dyn Inputs) -> Result<bool, ReadError> {
        if self.is_at_end {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            return Ok(false);
        }
        loop {
            match inputs.read(self.input, &mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.is_at_end = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error)
                    if error.kind() == ErrorKind::UnexpectedEof && inputs.is_packed(self.input) =>
                {
                    self.is_at_end = true;
                    self.is_cut_off = true;
                    return Ok(false);
                }
                Err(error) if inputs.is_packed(self.input) && is_about_content(error.kind()) => {
                    return Err(ReadError::Unpack(error));
                }
                Err(error) => return Err(ReadError::Read(error)),
            }
        }
    }

    /// Finds the next line. The caller reads it in [`Source::bytes`] and consumes it.
    #[inline]
    pub(crate) fn line(&mut self, inputs: &mut dyn Inputs) -> Result<Line, ReadError> {
        loop {
            let unseen = &self.buffer[self.scanned..self.end];
            if let Some(at) = memchr::memchr(b'\n', unseen) {
                let length = self.scanned + at - self.start;
                let with_end = length + 1;
                if length > LINE_BYTES_MAX {
                    self.consume(with_end);
                    return Ok(Line::TooLong);
                }
                let is_dos = length > 0 && self.buffer[self.start + length - 1] == b'\r';
                let length = if is_dos { length - 1 } else { length };
                return Ok(Line::Whole { length, with_end });
            }
            self.scanned = self.end;
            if self.end - self.start > LINE_BYTES_MAX {
                return self.skip_line(inputs);
            }
            if !self.read_more(inputs)? {
                let rest = self.end - self.start;
                self.consume(rest);
                return Ok(if rest == 0 { Line::End } else { Line::CutOff });
            }
        }
    }

    /// Skips the rest of a line that is too long.
    fn skip_line(&mut self, inputs: &mut dyn Inputs) -> Result<Line, ReadError> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', self.bytes()) {
                self.consume(at + 1);
                return Ok(Line::TooLong);
            }
            self.consume(self.end - self.start);
            if !self.read_more(inputs)? {
                return Ok(Line::TooLong);
            }
        }
    }
}

/// Returns whether an error is about the content of a packed input, and not about reading it.
fn is_about_content(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other
    )
}
