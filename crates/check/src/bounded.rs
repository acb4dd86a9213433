//! Reads texts of a host or a tree, in all no more than fit into memory.

use std::cell::Cell;
use std::io;
use std::path::Path;

use stripewise_machine::Root;

/// The most bytes of all texts together: a host of 10,000 devices has about 30 MiB of them.
const BYTES_MAX: u64 = 256 << 20;

/// A root, and how much may still be read of it.
pub(crate) struct Bounded<'a> {
    pub(crate) root: &'a Root,
    left: Cell<u64>,
}

impl<'a> Bounded<'a> {
    pub(crate) fn new(root: &'a Root) -> Self {
        Self::up_to(root, BYTES_MAX)
    }

    pub(crate) fn up_to(root: &'a Root, bytes: u64) -> Self {
        let left = Cell::new(bytes);
        Self { root, left }
    }

    /// Returns the text of a regular file, without control characters.
    ///
    /// # Errors
    /// As [`Root::try_text`], and when all that was read before is too much.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> io::Result<String> {
        self.read(|| self.root.try_text(path), String::len)
    }

    /// Returns the bytes of a regular file.
    ///
    /// # Errors
    /// As [`Bounded::text`].
    pub(crate) fn bytes(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        self.read(|| self.root.try_bytes(path), Vec::len)
    }

    fn read<T>(
        &self,
        read: impl FnOnce() -> io::Result<T>,
        length: impl Fn(&T) -> usize,
    ) -> io::Result<T> {
        if self.left.get() == 0 {
            return Err(io::Error::other(format!(
                "the files before it hold more than {} MiB",
                BYTES_MAX >> 20
            )));
        }
        let read = read()?;
        let length = u64::try_from(length(&read)).unwrap_or(u64::MAX);
        self.left.set(self.left.get().saturating_sub(length));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_together_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        std::fs::write(folder.path().join("a"), "12345").unwrap();
        let bounded = Bounded::up_to(&root, 8);
        assert!(bounded.text("/absent").is_err());
        assert_eq!(bounded.text("/a").unwrap(), "12345");
        assert_eq!(bounded.bytes("/a").unwrap(), b"12345");
        let why = bounded.text("/a").unwrap_err().to_string();
        assert!(why.contains("more than 256 MiB"), "{why}");
    }
}
