//! Reads lines from a pipe, each with a time limit, and finds the meaningful ones of a log.

use std::io::{self, PipeReader, Read};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use stripewise_units::visible::visible_line;

/// The longest line that we read; a record has at most 4 KiB, and a damaged one a few times that.
const LINE_BYTES_MAX: usize = 1 << 20;
/// How many lines of a log to show.
const LINES_SHOWN: usize = 6;
/// How long each of them may be.
const LINE_CHARS_SHOWN: usize = 300;

/// The lines of a program's output.
#[derive(Debug)]
pub struct Lines {
    pipe: PipeReader,
    bytes: Vec<u8>,
    /// How many of `bytes` belong to lines that were returned.
    done: usize,
}

impl Lines {
    /// Reads from a pipe.
    pub fn of(pipe: PipeReader) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
            done: 0,
        }
    }

    /// Returns the next line without its end; `None` at the end of the output. A last line without
    /// an end is dropped: the client died while it printed it.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if no whole line arrives within `limit`.
    pub fn next(&mut self, limit: Duration) -> io::Result<Option<Vec<u8>>> {
        let began = Instant::now();
        let mut searched = self.done;
        loop {
            let rest = self.bytes.get(searched..).unwrap_or_default();
            if let Some(found) = rest.iter().position(|byte| *byte == b'\n') {
                let end = searched + found;
                let line = self.bytes.get(self.done..end).unwrap_or_default().to_vec();
                self.done = end + 1;
                return Ok(Some(line));
            }
            self.bytes.drain(..self.done);
            self.done = 0;
            searched = self.bytes.len();
            if searched > LINE_BYTES_MAX {
                return Err(io::Error::other("it printed an endless line"));
            }
            self.wait(limit.saturating_sub(began.elapsed()))?;
            let mut chunk = [0; 1 << 16];
            match self.pipe.read(&mut chunk)? {
                0 => return Ok(None),
                read => self.bytes.extend(chunk.get(..read).unwrap_or_default()),
            }
        }
    }

    fn wait(&self, left: Duration) -> io::Result<()> {
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        let mut descriptors = [PollFd::new(&self.pipe, PollFlags::IN)];
        loop {
            match poll(&mut descriptors, Some(&timeout)) {
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

/// Returns the errors in a server's log, the first ones, because the others follow from them; or
/// its last lines, if it has none.
pub(crate) fn meaningful(log: &[u8]) -> String {
    const ERRORS: [&str; 5] = ["[ERROR]", "ERROR:", "ERROR ", "FATAL:", "PANIC:"];
    let log = String::from_utf8_lossy(log);
    let lines = log.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<&str> = lines.collect();
    let is_error = |line: &&&str| ERRORS.iter().any(|error| line.contains(error));
    let errors: Vec<&str> = lines.iter().filter(is_error).copied().collect();
    let shown = match errors.is_empty() {
        true => &lines[lines.len().saturating_sub(LINES_SHOWN)..],
        false => &errors[..errors.len().min(LINES_SHOWN)],
    };
    let clean = |line: &&str| -> String {
        let plain = visible_line(line);
        plain.trim().chars().take(LINE_CHARS_SHOWN).collect()
    };
    let shown: Vec<String> = shown.iter().map(clean).collect();
    match shown.is_empty() {
        true => "it printed nothing".to_owned(),
        false => shown.join(" | "),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_arrive_in_pieces_and_a_torn_last_one_is_dropped() {
        let (output, mut input) = io::pipe().unwrap();
        let mut lines = Lines::of(output);
        input.write_all(b"one\n\ntw").unwrap();
        let soon = Duration::from_millis(10);
        assert_eq!(lines.next(soon).unwrap().unwrap(), b"one");
        assert_eq!(lines.next(soon).unwrap().unwrap(), b"");
        let error = lines.next(soon).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        input.write_all(b"o\nthr").unwrap();
        assert_eq!(lines.next(soon).unwrap().unwrap(), b"two");
        drop(input);
        assert_eq!(lines.next(soon).unwrap(), None);
    }

    #[test]
    fn the_first_errors_of_a_log_are_its_reason() {
        let log = b"[Note] a\n[ERROR] page 3 is corrupt\n\n[Note] b\n[ERROR] Aborting\x1b\n";
        assert_eq!(
            meaningful(log),
            "[ERROR] page 3 is corrupt | [ERROR] Aborting\u{241b}"
        );
        assert_eq!(meaningful(b"a\nb\n"), "a | b");
        assert_eq!(meaningful(b""), "it printed nothing");
    }
}
