//! A running server: waits for its recovery, reads and checks its records, ends it.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use stripewise_process::{Call, CallError, Child, MemoryFile};
use stripewise_study::world::{LOOK_INTERVAL, Watch};
use stripewise_units::visible::visible_line;
use tempfile::TempDir;

use crate::error::{ServerError, SessionError};
use crate::kind::Kind;
use crate::lines::{Lines, meaningful};
use crate::record::{Load, ReadRow};
use crate::session::Session;
use crate::{mariadb, postgresql};

/// How often to look for the line after which a server answers.
const READY_INTERVAL: Duration = Duration::from_millis(20);
/// How much of a log we read.
const LOG_BYTES_MAX: u64 = 4 << 20;
/// How long a statement may take to print its next line: a check prints one at the end.
const LINE_LIMIT: Duration = Duration::from_secs(1800);
/// How long a client may take to exit after its last line.
const EXIT_LIMIT: Duration = Duration::from_secs(30);
/// How many problems are kept: each damaged page may give several.
const PROBLEMS_MAX: usize = 100;

/// A running server. Dropping it kills it with SIGKILL.
#[derive(Debug)]
pub struct Server {
    // Before the directory, so that the server ends first.
    child: Child,
    run: TempDir,
    kind: Kind,
    load: Load,
}

/// What was read back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// The rows, by writer and sequence number. A damaged index may show one twice.
    pub rows: Vec<ReadRow>,
    /// Why rows could not be read, in the server's or client's words; empty if all were read.
    pub problems: Vec<String>,
}

impl Server {
    pub(crate) fn start(
        call: Call,
        kind: Kind,
        load: Load,
        run: TempDir,
        limit: Duration,
        watch: &mut dyn Watch,
    ) -> Result<Self, ServerError> {
        let began = Instant::now();
        // PostgreSQL's processes leave its process group.
        let child = call.contained().start()?;
        let mut server = Self {
            child,
            run,
            kind,
            load,
        };
        while !server.is_ready()? {
            if server.has_ended(READY_INTERVAL)?.is_some() {
                return Err(ServerError::NotStarted {
                    name: kind.name(),
                    why: server.problem_in_log(),
                });
            }
            if !watch.keep_going(began.elapsed()) {
                return Err(ServerError::Interrupted);
            }
            if began.elapsed() > limit {
                return Err(server.timed_out("start", limit));
            }
        }
        Ok(server)
    }

    /// Starts a client that commits the records of `writer`.
    ///
    /// # Errors
    /// If the client is missing or cannot be started; that it cannot connect shows at its first
    /// commit.
    pub fn session(&self, writer: u32) -> Result<Session, SessionError> {
        Session::start(self.client()?, self.load, writer)
    }

    /// Reads every record and compares each column with what was written.
    ///
    /// # Errors
    /// If the client cannot be started, or the watch cancels. What the server cannot read is a
    /// problem of the contents.
    pub fn read_all(&mut self, watch: &mut dyn Watch) -> Result<Contents, ServerError> {
        let load = self.load;
        let mut contents = Contents::default();
        let Contents { rows, problems } = &mut contents;
        let statement = match self.kind {
            Kind::MariaDb => mariadb::READ,
            Kind::PostgreSql => postgresql::READ,
        };
        let failed = self.query(statement, watch, &mut |line| match load.read(line) {
            Some(row) => rows.push(row),
            None => note(problems, &format!("a row without a key: {}", shown(line))),
        })?;
        problems.extend(failed);
        rows.sort_unstable();
        Ok(contents)
    }

    /// Runs the database's own check of tables and indexes, and returns the problems that it found.
    ///
    /// # Errors
    /// If the client cannot be started, or the watch cancels.
    pub fn check(&mut self, watch: &mut dyn Watch) -> Result<Vec<String>, ServerError> {
        let kind = self.kind;
        let mut problems = Vec::new();
        let statement = match kind {
            Kind::MariaDb => mariadb::CHECK,
            Kind::PostgreSql => postgresql::CHECK,
        };
        let failed = self.query(statement, watch, &mut |line| {
            let line = shown(line);
            if kind == Kind::PostgreSql || mariadb::is_problem(&line) {
                note(&mut problems, &line);
            }
        })?;
        problems.extend(failed);
        Ok(problems)
    }

    /// Returns the directory of its socket, where a PostgreSQL server also answers other clients, as
    /// user `stripewise` with every right.
    pub fn socket_directory(&self) -> &Path {
        self.run.path()
    }

    /// Shuts the server down cleanly.
    ///
    /// # Errors
    /// [`ServerError::TimedOut`] if that takes longer than `limit`; the server is then killed.
    /// [`ServerError::NotStopped`] if it ends with an error.
    pub fn stop(mut self, limit: Duration, watch: &mut dyn Watch) -> Result<(), ServerError> {
        match self.kind {
            Kind::MariaDb => self.child.terminate(),
            // The "fast" shutdown: SIGTERM would wait for clients.
            Kind::PostgreSql => self.child.interrupt(),
        }
        let began = Instant::now();
        loop {
            match self.has_ended(LOOK_INTERVAL)? {
                Some(true) => return Ok(()),
                Some(false) => {
                    return Err(ServerError::NotStopped {
                        name: self.kind.name(),
                        why: self.problem_in_log(),
                    });
                }
                None if !watch.keep_going(began.elapsed()) => return Err(ServerError::Interrupted),
                None if began.elapsed() > limit => return Err(self.timed_out("shut down", limit)),
                None => {}
            }
        }
    }

    /// Returns what the server has logged so far.
    pub fn log(&self) -> String {
        let log = self.child.read_stderr(LOG_BYTES_MAX);
        String::from_utf8_lossy(&log.unwrap_or_default()).into_owned()
    }

    /// Executes statements that must succeed.
    pub(crate) fn execute(
        &mut self,
        statements: &str,
        watch: &mut dyn Watch,
    ) -> Result<(), ServerError> {
        let input = MemoryFile::holding(statements);
        let input = input.map_err(ServerError::file("fill", self.run.path()))?;
        let ran = self.client()?.limit(LINE_LIMIT).stdin(input).run(watch);
        ran.map(drop).map_err(interrupted)
    }

    /// Executes statements, passes each printed line on, and returns why they failed.
    fn query(
        &mut self,
        statements: &str,
        watch: &mut dyn Watch,
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<Option<String>, ServerError> {
        let began = Instant::now();
        let pipes = MemoryFile::holding(statements).and_then(|input| Ok((input, std::io::pipe()?)));
        let (input, (output, theirs)) =
            pipes.map_err(ServerError::file("fill", self.run.path()))?;
        let mut client = self.client()?.stdin(input).stdout(theirs).start()?;
        let mut lines = Lines::of(output);
        let mut waiting_since = Instant::now();
        let broken = loop {
            match lines.next(LOOK_INTERVAL) {
                Ok(Some(line)) => {
                    found(&line);
                    waiting_since = Instant::now();
                }
                Ok(None) => break None,
                Err(error) if error.kind() != ErrorKind::TimedOut => break Some(error.to_string()),
                Err(_) if waiting_since.elapsed() > LINE_LIMIT => {
                    break Some(format!("no answer within {} s", LINE_LIMIT.as_secs()));
                }
                Err(_) => {}
            }
            if !watch.keep_going(began.elapsed()) {
                return Err(ServerError::Interrupted);
            }
        };
        if broken.is_some() {
            return Ok(broken);
        }
        let status = client.wait_at_most(EXIT_LIMIT);
        if matches!(status, Ok(Some(status)) if status.success()) {
            return Ok(None);
        }
        let errors = client.read_stderr(LOG_BYTES_MAX).unwrap_or_default();
        let why = meaningful(&errors);
        Ok(Some(match self.has_ended(Duration::ZERO)? {
            None => why,
            Some(_) => format!("{why}; the server ended: {}", self.problem_in_log()),
        }))
    }

    fn client(&self) -> Result<Call, CallError> {
        match self.kind {
            Kind::MariaDb => mariadb::client(self.run.path()),
            Kind::PostgreSql => postgresql::client(self.run.path()),
        }
    }

    fn is_ready(&self) -> Result<bool, ServerError> {
        let log = self.child.read_stderr(LOG_BYTES_MAX);
        let log = log.map_err(ServerError::file("read the log in", self.run.path()))?;
        let line = match self.kind {
            Kind::MariaDb => mariadb::IS_READY,
            Kind::PostgreSql => postgresql::IS_READY,
        };
        let mut windows = log.windows(line.len());
        Ok(windows.any(|window| window == line.as_bytes()))
    }

    /// Waits briefly, and returns whether the server ended without an error, if it ended.
    fn has_ended(&mut self, timeout: Duration) -> Result<Option<bool>, ServerError> {
        let status = self.child.wait_at_most(timeout);
        let status =
            status.map_err(ServerError::file("wait for the server of", self.run.path()))?;
        Ok(status.map(|status| status.success()))
    }

    fn problem_in_log(&self) -> String {
        meaningful(self.log().as_bytes())
    }

    fn timed_out(&self, attempted: &'static str, limit: Duration) -> ServerError {
        ServerError::TimedOut {
            name: self.kind.name(),
            attempted,
            limit,
            why: self.problem_in_log(),
        }
    }
}

/// Returns the error of a call that the watch may have cancelled.
pub(crate) fn interrupted(error: CallError) -> ServerError {
    match error {
        CallError::Interrupted => ServerError::Interrupted,
        error => error.into(),
    }
}

fn note(problems: &mut Vec<String>, problem: &str) {
    if problems.len() < PROBLEMS_MAX {
        problems.push(problem.to_owned());
    }
}

fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text: String = text.chars().take(300).collect();
    // Columns stay apart.
    let columns: Vec<_> = text.split('\t').map(visible_line).collect();
    columns.join("\t")
}
