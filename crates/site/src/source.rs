//! Bytes that can be looked at anywhere: in memory, or in a file if there are too many.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use tempfile::{SpooledData, SpooledTempFile};

/// How much more of a file is read than is asked for.
const AHEAD_BYTES: usize = 1 << 20;
/// How much of a file is read for a token.
const NEAR_BYTES: usize = 1 << 10;

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

/// A part of a file that is in memory.
#[derive(Debug, Default)]
struct Page {
    bytes: Vec<u8>,
    start: usize,
}

impl Page {
    fn end(&self) -> usize {
        self.start + self.bytes.len()
    }

    fn holds(&self, position: usize, want: usize) -> bool {
        self.start <= position && position < self.end() && position + want <= self.end()
    }

    fn load(&mut self, file: &File, position: usize, size: usize) -> io::Result<()> {
        self.bytes.resize(size, 0);
        self.start = position;
        file.read_exact_at(&mut self.bytes, position as u64)
    }
}

/// Bytes in a file, of which two pages are in memory: a search goes on in one, and tokens, each of
/// which may lie far behind the last one, are read in the other. Else each would push the other
/// out, and a megabyte be read for a few bytes.
#[derive(Debug)]
pub struct Paged {
    file: File,
    length: usize,
    wide: Page,
    near: Page,
    /// The bytes that were read.
    #[cfg(test)]
    read: u64,
}

impl Paged {
    /// Returns the first `length` bytes of a file.
    pub fn new(file: File, length: usize) -> Self {
        Self {
            file,
            length,
            wide: Page::default(),
            near: Page::default(),
            #[cfg(test)]
            read: 0,
        }
    }

    /// Loads the page that `want` bytes from `position` on belong to.
    fn load(&mut self, position: usize, want: usize) -> io::Result<&Page> {
        let rest = self.length - position;
        let (page, size) = if want > NEAR_BYTES {
            // Who searches on a little further finds the rest here.
            (&mut self.wide, want + AHEAD_BYTES)
        } else {
            // More, the longer one token follows the other.
            let near = &mut self.near;
            let goes_on = near.start <= position && position <= near.end();
            let more = (near.bytes.len() * 2).clamp(NEAR_BYTES, AHEAD_BYTES);
            (near, if goes_on { more } else { NEAR_BYTES })
        };
        let size = size.min(rest);
        page.load(&self.file, position, size)?;
        #[cfg(test)]
        {
            self.read += size as u64;
        }
        Ok(page)
    }
}

impl Source for Paged {
    fn length(&self) -> usize {
        self.length
    }

    fn at(&mut self, position: usize, want: usize) -> io::Result<&[u8]> {
        let position = position.min(self.length);
        let want = want.min(self.length - position);
        let page = if self.near.holds(position, want) {
            &self.near
        } else if self.wide.holds(position, want) {
            &self.wide
        } else {
            self.load(position, want)?
        };
        Ok(&page.bytes[position - page.start..])
    }
}

/// Decoded text: in memory, or in a file if it is long.
#[derive(Debug)]
pub(crate) enum DecodedText {
    Memory(Vec<u8>),
    File(Paged),
}

impl DecodedText {
    /// Returns the first `length` bytes of what was written.
    pub(crate) fn new(written: SpooledTempFile, length: usize) -> Self {
        match written.into_inner() {
            SpooledData::InMemory(bytes) => DecodedText::Memory(bytes.into_inner()),
            SpooledData::OnDisk(file) => DecodedText::File(Paged::new(file, length)),
        }
    }
}

impl Source for DecodedText {
    fn length(&self) -> usize {
        match self {
            DecodedText::Memory(bytes) => bytes.len(),
            DecodedText::File(file) => file.length(),
        }
    }

    fn at(&mut self, position: usize, want: usize) -> io::Result<&[u8]> {
        match self {
            DecodedText::Memory(bytes) => Ok(bytes.get(position..).unwrap_or_default()),
            DecodedText::File(file) => file.at(position, want),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// A length that lies sends the reader far away and back, once for each token.
    #[test]
    fn a_look_far_away_reads_little() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| at.to_le_bytes()[1]).collect();
        file.write_all(&bytes).unwrap();
        let mut paged = Paged::new(file, bytes.len());
        for start in (0..500_000).step_by(500) {
            for (position, want) in [(start, 256 << 10), (start + 1, 48), (start + 2_000_000, 2)] {
                let found = paged.at(position, want).unwrap();
                assert_eq!(found[..want], bytes[position..position + want]);
            }
        }
        // A thousand looks far away, and a few windows.
        assert!(paged.read < 1000 * 2048 + (4 << 20), "{}", paged.read);
        paged.read = 0;
        for position in (0..bytes.len()).step_by(20) {
            assert_eq!(paged.at(position, 48).unwrap()[0], bytes[position]);
        }
        assert!(paged.read < 4 * bytes.len() as u64, "{}", paged.read);
        assert!(paged.at(bytes.len(), 1).unwrap().is_empty());
    }
}
