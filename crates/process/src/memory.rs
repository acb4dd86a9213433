//! Files in memory: the input and output of programs.
//!
//! Such a file has no name, so no other process can replace it. It lies on no measured filesystem,
//! and is freed when the last process closes it.
//!
//! An output file has a fixed size and is sealed (fcntl(2), "File Sealing"): the kernel refuses
//! writes beyond it with `EPERM`, so endless output cannot fill the memory. Pages without data take
//! no memory. The position of the descriptor, which the program shares with us, is the number of
//! bytes written.
//!
//! A program that appends (GNU make sets `O_APPEND` on output that is a regular file) would write
//! nothing to such a file, because its end is the limit. Its file grows instead, and the caller
//! watches its size.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::process::{Resource, getpid, getrlimit};

/// How far an output file extends beyond its limit. The kernel refuses the part of a write that
/// crosses the size, and writes up to a huge page at a time, so the position may stop short of the
/// size.
const SPARE_BYTES: u64 = 4 << 20;

/// A file in memory. As [`Stdio`] it is a program's input.
#[derive(Debug)]
pub struct MemoryFile {
    file: File,
    /// The output limit.
    bytes_max: u64,
}

impl MemoryFile {
    /// Returns an empty file for at most `bytes_max` bytes of output.
    pub(crate) fn for_output(bytes_max: u64) -> io::Result<Self> {
        let file = create()?;
        // Beyond this limit the kernel would kill us.
        let size_max = getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX);
        file.set_len(bytes_max.saturating_add(SPARE_BYTES).min(size_max))?;
        fcntl_add_seals(&file, SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
        Ok(Self { file, bytes_max })
    }

    /// Returns a file that contains `text`, positioned at its start.
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

    /// Returns an empty file for the output of a program that appends.
    pub(crate) fn for_appended_output(bytes_max: u64) -> io::Result<Self> {
        create().map(|file| Self { file, bytes_max })
    }

    /// Returns a descriptor for a program's standard output, which shares our position.
    pub(crate) fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Returns a path under which a child can open the file while we live.
    pub fn path(&self) -> String {
        let process = getpid().as_raw_nonzero();
        format!("/proc/{process}/fd/{}", self.file.as_raw_fd())
    }

    /// Returns whether the output exceeds the limit.
    pub(crate) fn is_overfull(&self) -> io::Result<bool> {
        Ok(self.written_bytes()? > self.bytes_max)
    }

    /// Returns the first `bytes_max` bytes written.
    pub(crate) fn read(&self, bytes_max: u64) -> io::Result<Vec<u8>> {
        let length = usize::try_from(self.written_bytes()?.min(bytes_max));
        let mut bytes = vec![0; length.map_err(io::Error::other)?];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }

    /// Returns all bytes written.
    ///
    /// # Errors
    /// [`MemoryFile::flood_error`]: truncated output could pass for complete output.
    pub(crate) fn whole(&self) -> io::Result<Vec<u8>> {
        match self.is_overfull()? {
            true => Err(self.flood_error()),
            false => self.read(self.bytes_max),
        }
    }

    /// Returns the error of a program that exceeded the output limit.
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

/// Creates a file that cannot be executed, which some systems require; kernels before 6.3 do not
/// support the flag.
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
    fn a_program_cannot_write_beyond_the_limit() {
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
    fn the_position_is_the_number_of_bytes_written() {
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
    fn appended_output_is_read() {
        let file = MemoryFile::for_appended_output(1 << 20).unwrap();
        let handle = file.handle().unwrap();
        rustix::fs::fcntl_setfl(&handle, rustix::fs::OFlags::APPEND).unwrap();
        let mut print = Command::new("sh");
        print
            .args(["-c", "echo one; echo two"])
            .stdout(file.handle().unwrap());
        assert!(print.status().unwrap().success());
        assert_eq!(file.whole().unwrap(), b"one\ntwo\n");
    }

    #[test]
    fn children_can_read_a_text_by_path_repeatedly() {
        let file = MemoryFile::holding("a text").unwrap();
        for _ in 0..2 {
            let read = Command::new("cat").arg(file.path()).output().unwrap();
            assert_eq!(read.stdout, b"a text");
        }
    }
}
