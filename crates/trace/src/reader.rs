//! A trace as a stream of events.

use std::io::BufRead;

use crate::event::{Event, Names};
use crate::skipped::Skipped;

/// A trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file or stream cannot be read.
    #[error("cannot read the trace")]
    Read(#[from] std::io::Error),
}

/// A trace, read bit by bit.
pub struct Reader<R> {
    input: R,
    names: Names,
    skipped: Skipped,
}

impl<R: BufRead> Reader<R> {
    /// Returns the next event; nothing at the end of the trace.
    ///
    /// # Errors
    /// [`ReadError`] if the input cannot be read.
    pub fn next_event(&mut self) -> Result<Option<Event>, ReadError> {
        let _ = &mut self.input;
        Ok(None)
    }

    /// Returns the names of processes and devices so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns what was left out so far.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }
}
