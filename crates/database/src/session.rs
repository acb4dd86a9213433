//! A session: one client process, which commits transactions one after the other.

use std::io::{PipeWriter, Write};
use std::ops::Range;
use std::time::Duration;

use stripewise_process::{Call, Child};
use stripewise_units::visible::visible_line;

use crate::error::SessionError;
use crate::lines::{Lines, meaningful};
use crate::record::Load;

/// How long a transaction may take: disks under a cut array may wait for minutes.
const COMMIT_LIMIT: Duration = Duration::from_secs(300);
/// How long a client that printed an error may take to exit.
const EXIT_LIMIT: Duration = Duration::from_secs(5);
/// How much of a client's errors we read.
const ERROR_BYTES_MAX: u64 = 64 << 10;

/// A client process that commits the records of one writer. Dropping it kills the client.
///
/// Start it in a thread that lives as long as the session, as with a server; it may then be used
/// in another.
#[derive(Debug)]
pub struct Session {
    child: Child,
    input: PipeWriter,
    lines: Lines,
    load: Load,
    writer: u32,
}

impl Session {
    pub(crate) fn start(client: Call, load: Load, writer: u32) -> Result<Self, SessionError> {
        let (theirs, input) = std::io::pipe()?;
        let (output, theirs_too) = std::io::pipe()?;
        let child = client.stdin(theirs).stdout(theirs_too).start()?;
        Ok(Self {
            child,
            input,
            lines: Lines::of(output),
            load,
            writer,
        })
    }

    /// Returns its writer.
    pub fn writer(&self) -> u32 {
        self.writer
    }

    /// Commits the records with these sequence numbers in one transaction, which is one `INSERT`
    /// with automatic commit. Returns when the server has acknowledged it: only then does the
    /// client send the next statement, whose answer we wait for.
    ///
    /// # Errors
    /// [`SessionError`]. Whether the transaction was committed is then unknown, and the session is
    /// of no more use.
    pub fn commit(&mut self, sequences: Range<u64>) -> Result<(), SessionError> {
        if sequences.is_empty() {
            return Ok(());
        }
        let end = sequences.end;
        let records = sequences.map(|sequence| self.load.values(self.writer, sequence));
        let records: Vec<String> = records.collect();
        let statements = format!(
            "INSERT INTO records VALUES {}; SELECT 'committed', {end};\n",
            records.join(",")
        );
        if self.input.write_all(statements.as_bytes()).is_err() {
            return Err(self.ended());
        }
        let line = match self.lines.next(COMMIT_LIMIT) {
            Ok(Some(line)) => line,
            Ok(None) => return Err(self.ended()),
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                let limit = COMMIT_LIMIT;
                return Err(SessionError::TimedOut { limit });
            }
            Err(error) => return Err(error.into()),
        };
        match line == format!("committed\t{end}").as_bytes() {
            true => Ok(()),
            false => Err(self.garbage(&line)),
        }
    }

    /// Returns the error of a client that ended.
    fn ended(&mut self) -> SessionError {
        match self.child.wait_at_most(EXIT_LIMIT) {
            Err(error) => error.into(),
            Ok(_) => match self.child.read_stderr(ERROR_BYTES_MAX) {
                Err(error) => error.into(),
                Ok(errors) => SessionError::Ended {
                    why: meaningful(&errors),
                },
            },
        }
    }

    /// Returns the error of a client that printed another line: MariaDB's repeats a failed
    /// statement before it ends.
    fn garbage(&mut self, line: &[u8]) -> SessionError {
        match self.child.wait_at_most(EXIT_LIMIT) {
            Ok(Some(_)) => self.ended(),
            _ => SessionError::Garbage {
                line: visible_line(&String::from_utf8_lossy(line)).into_owned(),
            },
        }
    }
}
