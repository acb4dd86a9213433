//! Files in memory: what programs read from us and write for us.
//!
//! Such a file has no name, so nobody can put another one in its place, it is on no filesystem that
//! is measured, and it is gone with the last process that has it open.
//!
//! A file to write to has a fixed size from the beginning and is sealed (fcntl(2), "File Sealing"):
//! the kernel refuses writes beyond it with `EPERM`, so a program that prints without end cannot
//! fill the memory. Pages that nobody wrote take none. How much was written is the position of the
//! descriptor, which the program shares with us.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::process::{Resource, getpid, getrlimit};

/// How much more than its limit a file takes: the end of a write that crosses the limit is refused,
/// and the kernel writes up to a huge page at a time, so the position may stop short of the size.
const SPARE_BYTES: u64 = 4 << 20;

/// A file in memory. As [`Stdio`] it is what a program reads.
#[derive(Debug)]
pub struct MemoryFile {
    file: File,
    /// More than this was not to be written.
    bytes_max: u64,
}

impl MemoryFile {
    /// Returns an empty file for a program to write at most `bytes_max` bytes to.
    pub(crate) fn for_output(bytes_max: u64) -> io::Result<Self> {
        let file = create()?;
        // Beyond this the kernel would kill us.
        let size_max = getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX);
        file.set_len(bytes_max.saturating_add(SPARE_BYTES).min(size_max))?;
        fcntl_add_seals(&file, SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
        Ok(Self { file, bytes_max })
    }

    /// Returns a file that holds `text`, to be read from its beginning.
    ///
    /// # Errors
    /// If the kernel has no memory or descriptor for it.
    pub fn holding(text: &str) -> io::Result<Self> {
        let mut file = create()?;
        file.write_all(text.as_bytes())?;
        file.rewind()?;
        let bytes_max = text.len() as u64;
        Ok(Self { file, bytes_max })
    }

    /// Returns a descriptor for a program's standard output. It shares the position.
    pub(crate) fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Returns a path by which a child can open the file while we live.
    pub fn path(&self) -> String {
        let process = getpid().as_raw_nonzero();
        format!("/proc/{process}/fd/{}", self.file.as_raw_fd())
    }

    /// Returns whether more was written than the file is for.
    pub(crate) fn is_overfull(&self) -> io::Result<bool> {
        Ok(self.written_bytes()? > self.bytes_max)
    }

    /// Returns what was written, at most `bytes_max` bytes of it.
    pub(crate) fn read(&self, bytes_max: u64) -> io::Result<Vec<u8>> {
        let length = usize::try_from(self.written_bytes()?.min(bytes_max));
        let mut bytes = vec![0; length.map_err(io::Error::other)?];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }

    /// Returns all that was written.
    ///
    /// # Errors
    /// [`MemoryFile::flood_error`]: the beginning of a list would be taken for the whole.
    pub(crate) fn whole(&self) -> io::Result<Vec<u8>> {
        match self.is_overfull()? {
            true => Err(self.flood_error()),
            false => self.read(self.bytes_max),
        }
    }

    /// Returns the error of a program that wrote more than the file is for.
    pub(crate) fn flood_error(&self) -> io::Error {
        let message = format!("it printed more than {} bytes", self.bytes_max);
        io::Error::new(io::ErrorKind::FileTooLarge, message)
    }

    fn written_bytes(&self) -> io::Result<u64> {
        (&self.file).stream_position()
    }
}

impl From<MemoryFile> for Stdio {
    fn from(file: MemoryFile) -> Self {
        file.file.into()
    }
}

/// Creates a file that cannot be executed, as some systems demand; kernels before 6.3 do not know
/// how.
fn create() -> io::Result<File> {
    const NAME: &str = "stripewise";
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = memfd_create(NAME, flags | MemfdFlags::NOEXEC_SEAL)
        .or_else(|_| memfd_create(NAME, flags))?;
    Ok(File::from(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_program_cannot_write_more_than_the_file_is_for() {
        let file = MemoryFile::for_output(1 << 20).unwrap();
        let mut flood = Command::new("head");
        flood
            .args(["-c", "64M", "/dev/zero"])
            .stdout(file.handle().unwrap())
            .stderr(Stdio::null());
        assert!(!flood.status().unwrap().success());
        assert!(file.is_overfull().unwrap());
        assert_eq!(
            file.read(u64::MAX).unwrap().len() as u64,
            (1 << 20) + SPARE_BYTES
        );
        assert_eq!(file.read(100).unwrap().len(), 100);
    }

    #[test]
    fn the_position_says_how_much_was_written() {
        let file = MemoryFile::for_output(1 << 20).unwrap();
        for text in ["one ", "two"] {
            let mut print = Command::new("printf");
            print.arg(text).stdout(file.handle().unwrap());
            assert!(print.status().unwrap().success());
        }
        assert!(!file.is_overfull().unwrap());
        assert_eq!(file.read(u64::MAX).unwrap(), b"one two");
    }

    #[test]
    fn a_child_reads_a_text_by_its_path_as_often_as_it_likes() {
        let file = MemoryFile::holding("a text").unwrap();
        for _ in 0..2 {
            let read = Command::new("cat").arg(file.path()).output().unwrap();
            assert_eq!(read.stdout, b"a text");
        }
    }
}
