//! Bytes that can be looked at anywhere: in memory, or in a file if there are too many.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use tempfile::{SpooledData, SpooledTempFile};

/// How much more of a file is read than is asked for.
const AHEAD_BYTES: usize = 1 << 20;

/// Bytes with random access.
pub trait Source {
    /// Returns their number.
    fn length(&self) -> usize;

    /// Returns the bytes from `position` on: at least `want` of them, or all to the end.
    ///
    /// # Errors
    /// If they cannot be read.
    fn at(&mut self, position: usize, want: usize) -> io::Result<&[u8]>;
}

/// Bytes in memory.
#[derive(Debug)]
pub struct Memory<'a>(pub &'a [u8]);

impl Source for Memory<'_> {
    #[inline]
    fn length(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn at(&mut self, position: usize, _want: usize) -> io::Result<&[u8]> {
        Ok(self.0.get(position..).unwrap_or_default())
    }
}

/// Bytes in a file, of which one page is in memory.
#[derive(Debug)]
pub struct Paged {
    file: File,
    length: usize,
    page: Vec<u8>,
    start: usize,
}

impl Paged {
    /// Returns the first `length` bytes of a file.
    pub fn new(file: File, length: usize) -> Self {
        Self {
            file,
            length,
            page: Vec::new(),
            start: 0,
        }
    }

    fn load(&mut self, position: usize, want: usize) -> io::Result<()> {
        // More than is wanted: who searches on a little further finds the rest here.
        let size = (want + AHEAD_BYTES).min(self.length - position);
        self.page.resize(size, 0);
        self.start = position;
        self.file.read_exact_at(&mut self.page, position as u64)
    }
}

impl Source for Paged {
    fn length(&self) -> usize {
        self.length
    }

    fn at(&mut self, position: usize, want: usize) -> io::Result<&[u8]> {
        let position = position.min(self.length);
        let want = want.min(self.length - position);
        let end = self.start + self.page.len();
        if position < self.start || position + want > end || position == end {
            self.load(position, want)?;
        }
        Ok(&self.page[position - self.start..])
    }
}

/// Decoded text: in memory, or in a file if it is long.
#[derive(Debug)]
pub(crate) enum Kept {
    Memory(Vec<u8>),
    File(Paged),
}

impl Kept {
    /// Returns the first `length` bytes of what was written.
    pub(crate) fn new(written: SpooledTempFile, length: usize) -> Self {
        match written.into_inner() {
            SpooledData::InMemory(bytes) => Kept::Memory(bytes.into_inner()),
            SpooledData::OnDisk(file) => Kept::File(Paged::new(file, length)),
        }
    }
}

impl Source for Kept {
    fn length(&self) -> usize {
        match self {
            Kept::Memory(bytes) => bytes.len(),
            Kept::File(file) => file.length(),
        }
    }

    fn at(&mut self, position: usize, want: usize) -> io::Result<&[u8]> {
        match self {
            Kept::Memory(bytes) => Ok(bytes.get(position..).unwrap_or_default()),
            Kept::File(file) => file.at(position, want),
        }
    }
}
