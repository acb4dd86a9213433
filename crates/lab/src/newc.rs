//! An initramfs: a cpio archive in the `newc` format, which the kernel unpacks at boot
//! (Documentation/driver-api/early-userspace/buffer-format.rst of the kernel).
//!
//! ```text
//! "070701" + 13 numbers of 8 hexadecimal digits | name, NUL, padding to 4 | data, padding to 4
//! ```
//!
//! The archive ends with an entry named `TRAILER!!!`. Times are zero and entries keep the order in
//! which they were added, so equal content gives equal bytes.

use std::io::{self, Write};

const MODE_DIRECTORY: u32 = 0o040_755;
const MODE_PROGRAM: u32 = 0o100_755;

/// Writes an archive.
#[derive(Debug)]
pub(crate) struct Archive<W> {
    out: W,
    entries: u32,
}

impl<W: Write> Archive<W> {
    /// Begins an archive.
    pub(crate) fn new(out: W) -> Self {
        Self { out, entries: 0 }
    }

    /// Adds a directory; its parents must exist.
    pub(crate) fn directory(&mut self, name: &str) -> io::Result<()> {
        self.entry(name, MODE_DIRECTORY, &[])
    }

    /// Adds an executable file.
    pub(crate) fn file(&mut self, name: &str, data: &[u8]) -> io::Result<()> {
        self.entry(name, MODE_PROGRAM, data)
    }

    /// Ends the archive and returns the writer.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.entry("TRAILER!!!", 0, &[])?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn entry(&mut self, name: &str, mode: u32, data: &[u8]) -> io::Result<()> {
        self.entries += 1;
        let length = u32::try_from(data.len()).map_err(io::Error::other)?;
        let name_length = u32::try_from(name.len() + 1).map_err(io::Error::other)?;
        // ino, mode, uid, gid, nlink, mtime, filesize, devmajor, devminor, rdevmajor, rdevminor,
        // namesize, check.
        let fields = [
            self.entries,
            mode,
            0,
            0,
            1,
            0,
            length,
            0,
            0,
            0,
            0,
            name_length,
            0,
        ];
        let mut head = b"070701".to_vec();
        for field in fields {
            head.extend(format!("{field:08X}").into_bytes());
        }
        head.extend(name.bytes());
        head.push(0);
        pad(&mut head);
        self.out.write_all(&head)?;
        self.out.write_all(data)?;
        let padding = data.len().next_multiple_of(4) - data.len();
        self.out.write_all(&[0; 3][..padding])
    }
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_laid_out_as_the_kernel_reads_it() {
        let mut archive = Archive::new(Vec::new());
        archive.directory("bin").unwrap();
        archive.file("init", b"hello").unwrap();
        let bytes = archive.finish().unwrap();
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8(bytes).unwrap().replace('\0', "·");
        expect_test::expect!["07070100000001000041ED0000000000000000000000010000000000000000000000000000000000000000000000000000000400000000bin···07070100000002000081ED0000000000000000000000010000000000000005000000000000000000000000000000000000000500000000init··hello···07070100000003000000000000000000000000000000010000000000000000000000000000000000000000000000000000000B00000000TRAILER!!!····"].assert_eq(&text);
    }
}
