//! The input, streamed: one window at a time. What was not replaced goes to the output as it is.

use std::io::{self, Read, Write};

/// How much is read at once.
const FIRST_BYTES: usize = 256 << 10;

/// A part of the input, in which positions are looked at; everything before it is written.
#[derive(Debug)]
pub(crate) struct Window<R> {
    reader: R,
    buffer: Vec<u8>,
    filled: usize,
    /// Everything before is written or replaced.
    written: usize,
    pub(crate) is_last: bool,
    pub(crate) bytes_read: u64,
}

/// An error of one of both sides.
#[derive(Debug)]
pub(crate) enum Side {
    Read(io::Error),
    Write(io::Error),
}

impl<R: Read> Window<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: vec![0; FIRST_BYTES],
            filled: 0,
            written: 0,
            is_last: false,
            bytes_read: 0,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Writes everything before `position`.
    pub(crate) fn write_to(&mut self, position: usize, out: &mut impl Write) -> Result<(), Side> {
        if position > self.written {
            let bytes = &self.buffer[self.written..position];
            out.write_all(bytes).map_err(Side::Write)?;
            self.written = position;
        }
        Ok(())
    }

    /// Leaves out everything before `position`, which was replaced.
    pub(crate) fn skip_to(&mut self, position: usize) {
        self.written = position;
    }

    /// Reads more; keeps what begins at `keep`, which moves to the beginning.
    pub(crate) fn more(&mut self, keep: usize, out: &mut impl Write) -> Result<(), Side> {
        self.write_to(keep, out)?;
        if keep > 0 {
            self.buffer.copy_within(keep..self.filled, 0);
            self.filled -= keep;
            self.written -= keep;
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        } else if self.filled < FIRST_BYTES / 2 && self.buffer.len() > 4 * FIRST_BYTES {
            self.buffer.truncate(FIRST_BYTES);
            self.buffer.shrink_to_fit();
        }
        loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    self.bytes_read += count as u64;
                    self.is_last = count == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Side::Read(error)),
            }
        }
    }
}
