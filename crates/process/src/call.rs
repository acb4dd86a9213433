//! One call of a program: its arguments, its time limit and its output.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use stripewise_study::world::{Watch, WorldError};
use stripewise_units::visible::visible_line;

use crate::child::Child;
use crate::inherit::keep_open;
use crate::program::{Program, install_hint};

/// How long a program may take by default. A disk needs up to a minute to spin up.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);
/// How much a program may print to each stream by default.
pub(crate) const OUTPUT_BYTES_MAX: u64 = 16 << 20;

/// How many of its last lines to show in an error.
const LINES_SHOWN: usize = 6;
/// How long each of those lines may be.
const LINE_CHARS_SHOWN: usize = 200;
/// How long the command line in an error may be.
const COMMAND_CHARS_SHOWN: usize = 1000;

/// The output of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Why a call of a program failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The watch cancelled it.
    #[error("interrupted")]
    Interrupted,
    /// It is not installed.
    #[error("`{}` is not installed", program.name)]
    Missing {
        /// The program.
        program: Program,
    },
    /// It could not be started or waited for, or exceeded its output limit.
    #[error("failed to start `{}`", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It exceeded its time limit.
    #[error("`{command}` did not end within {} s and was stopped{}", limit.as_secs(), quoted(printed))]
    TimedOut {
        /// Its name and arguments, without control characters.
        command: String,
        /// The time limit.
        limit: Duration,
        /// Its output so far.
        printed: Printed,
    },
    /// It exited with an error.
    #[error("`{command}` failed with {status}{}", quoted(printed))]
    Failed {
        /// Its name and arguments, without control characters.
        command: String,
        /// How it exited.
        status: ExitStatus,
        /// Its output.
        printed: Printed,
    },
}

impl CallError {
    /// Returns an error with the attempted operation and this cause.
    pub fn while_trying(self, attempted: impl Into<String>) -> WorldError {
        let hint = match &self {
            CallError::Interrupted => return WorldError::Interrupted,
            CallError::Missing { program } => Some(install_hint(&[program.package])),
            _ => None,
        };
        let error = WorldError::failed(attempted, self);
        match hint {
            Some(hint) => error.or_hint(hint),
            None => error,
        }
    }
}

impl From<CallError> for io::Error {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Start { source, .. } => source,
            error => io::Error::other(error),
        }
    }
}

/// One call of a program.
#[derive(Debug)]
#[must_use = "a call does nothing until it is run or started"]
pub struct Call {
    /// The program, if it is not installed.
    pub(crate) missing: Option<Program>,
    pub(crate) command: Command,
    pub(crate) limit: Duration,
    /// The output limit; `None` if the caller reads its standard output.
    pub(crate) stdout_bytes_max: Option<u64>,
    pub(crate) is_contained: bool,
    pub(crate) does_append: bool,
}

impl Call {
    /// Creates a call of the program at `path`.
    pub fn new(path: &Path) -> Self {
        let mut command = Command::new(path);
        command.env("LC_ALL", "C").stdin(Stdio::null());
        Self {
            missing: None,
            command,
            limit: LIMIT,
            stdout_bytes_max: Some(OUTPUT_BYTES_MAX),
            is_contained: false,
            does_append: false,
        }
    }

    pub(crate) fn of(program: Program) -> Self {
        match program.find() {
            Ok(path) => Self::new(&path),
            Err(_) => Self {
                missing: Some(program),
                ..Self::new(Path::new(program.name))
            },
        }
    }

    /// Adds an argument.
    pub fn arg(self, argument: impl AsRef<OsStr>) -> Self {
        self.args([argument])
    }

    /// Adds arguments.
    pub fn args<I>(mut self, arguments: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.command.args(arguments);
        self
    }

    /// Adds environment variables.
    pub fn envs<I, K, V>(mut self, variables: I) -> Self
    where
        I: IntoIterator<Item = (K, V)>,
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        self.command.envs(variables);
        self
    }

    /// Runs it in `directory` instead of ours.
    pub fn current_dir(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Sets its standard input.
    pub fn stdin(mut self, input: impl Into<Stdio>) -> Self {
        self.command.stdin(input);
        self
    }

    /// Sets its standard output to the caller's descriptor; then it is not read here.
    pub fn stdout(mut self, output: impl Into<Stdio>) -> Self {
        self.command.stdout(output);
        self.stdout_bytes_max = None;
        self
    }

    /// Lets the program keep these descriptors open, under the same numbers. They are closed here
    /// once it has started.
    pub fn keep_open(mut self, descriptors: Vec<OwnedFd>) -> Self {
        keep_open(&mut self.command, descriptors);
        self
    }

    /// Sets the limit of its standard output; a program that prints more is stopped.
    pub fn stdout_bytes_max(self, bytes: u64) -> Self {
        Self {
            stdout_bytes_max: Some(bytes),
            ..self
        }
    }

    /// Sets its time limit.
    pub fn limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// When the program ends, kills and reaps all processes that it started: its process group, and
    /// descendants that left the group. Not for a tool whose daemon must survive, such as mdadm's
    /// mdmon.
    pub fn contained(self) -> Self {
        Self {
            is_contained: true,
            ..self
        }
    }

    /// Says that the program sets `O_APPEND` on its output, as GNU make does. Without this, all
    /// that it and its children print would be lost.
    pub fn appending(self) -> Self {
        Self {
            does_append: true,
            ..self
        }
    }

    /// Returns the command to start.
    pub fn command(&self) -> &Command {
        &self.command
    }

    /// Returns the name of the program.
    pub fn name(&self) -> String {
        let path = Path::new(self.command.get_program());
        let name = path.file_name().unwrap_or(OsStr::new("?"));
        name.to_string_lossy().into_owned()
    }

    /// Returns the call as one line for messages.
    pub(crate) fn shown(&self) -> String {
        let arguments = self.command.get_args().map(OsStr::to_string_lossy);
        let words: Vec<_> = std::iter::once(self.name().into())
            .chain(arguments)
            .collect();
        clean(&words.join(" "), COMMAND_CHARS_SHOWN)
    }

    /// Starts the program. It is killed when we die, and when the child is dropped.
    ///
    /// # Errors
    /// [`CallError::Missing`] and [`CallError::Start`].
    pub fn start(self) -> Result<Child, CallError> {
        Child::start(self)
    }

    /// Runs the program to its end, and returns its output.
    ///
    /// # Errors
    /// [`CallError`], also if it fails, or exceeds an output limit. A call that `watch` cancels from
    /// the beginning starts nothing.
    pub fn run(self, watch: &mut dyn Watch) -> Result<Printed, CallError> {
        if !watch.keep_going(Duration::ZERO) {
            return Err(CallError::Interrupted);
        }
        self.start()?.finish(watch)
    }
}

/// Returns the last lines of a program's output, as the end of a sentence.
fn quoted(printed: &Printed) -> String {
    let both = [printed.stdout.as_slice(), &printed.stderr].join(&b'\n');
    let both = String::from_utf8_lossy(&both);
    let lines = both.lines().map(|line| clean(line, LINE_CHARS_SHOWN));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    match &lines[lines.len().saturating_sub(LINES_SHOWN)..] {
        [] => String::new(),
        last => format!("; it printed: {}", last.join(" | ")),
    }
}

/// Returns a line with its hidden characters visible, cut to a readable length.
fn clean(line: &str, chars_max: usize) -> String {
    let plain: String = visible_line(line).chars().take(chars_max).collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use stripewise_study::world::NeverCancel;

    use super::*;

    const SH: Program = Program::new("sh", "dash");

    /// Stops at the second check after the start.
    struct StopAtSecondCheck(u32);

    impl Watch for StopAtSecondCheck {
        fn keep_going(&mut self, _elapsed: Duration) -> bool {
            self.0 += 1;
            self.0 < 3
        }
    }

    #[test]
    fn a_missing_tool_is_named_with_its_package() {
        let error = Program::new("no-such-tool", "no-such-package")
            .call(["--help"])
            .run(&mut NeverCancel)
            .unwrap_err();
        assert_eq!(error.to_string(), "`no-such-tool` is not installed");
        let error = error.while_trying("failed to build `md100`");
        assert_eq!(error.to_string(), "failed to build `md100`");
        assert_eq!(
            error.hint(),
            Some("install it: `apt-get install no-such-package`")
        );
    }

    #[test]
    fn the_output_of_a_failed_tool_is_quoted_with_visible_control_characters() {
        let script =
            "for i in 1 2 3 4 5 6 7; do echo line $i; done; printf 'bad\\033[31m\\n' >&2; exit 3";
        let error = SH.call(["-c", script]).run(&mut NeverCancel).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("`sh -c for i in"), "{text}");
        assert!(
            text.ends_with(
                "exit status: 3; it printed: line 3 | line 4 | line 5 | line 6 | line 7 | bad␛[31m"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_tool_has_no_input_and_runs_in_the_c_locale() {
        let script = "read line || echo nothing to read; echo $LC_ALL $IMSM_NO_PLATFORM";
        let call = SH.call(["-c", script]).envs([("IMSM_NO_PLATFORM", "1")]);
        let printed = call.run(&mut NeverCancel).unwrap();
        assert_eq!(printed.stdout, b"nothing to read\nC 1\n");
    }

    #[test]
    fn a_tool_is_stopped_by_the_watch_or_its_time_limit() {
        let error = SH
            .call(["-c", "sleep 60"])
            .run(&mut StopAtSecondCheck(0))
            .unwrap_err();
        assert!(matches!(error.while_trying("x"), WorldError::Interrupted));
        // Long enough for a shell to print something on a busy machine.
        let call = SH.call(["-c", "echo slow; sleep 60"]);
        let error = call.limit(Duration::from_secs(2)).run(&mut NeverCancel);
        assert_eq!(
            error.unwrap_err().to_string(),
            "`sh -c echo slow; sleep 60` did not end within 2 s and was stopped; it printed: slow"
        );
    }

    #[test]
    fn endless_output_neither_blocks_nor_fills_memory() {
        for script in [
            "head -c 20000000 /dev/zero",
            "head -c 20000000 /dev/zero >&2",
            "while :; do cat /dev/zero 2>/dev/null; done",
        ] {
            let error = SH.call(["-c", script]).run(&mut NeverCancel).unwrap_err();
            let CallError::Start { source, .. } = error else {
                panic!("{script}: {error}");
            };
            assert_eq!(source.to_string(), "it printed more than 16777216 bytes");
        }
    }

    #[test]
    fn a_kept_descriptor_reaches_its_program_alone_under_its_number() {
        use std::io::{Read, Write};
        use std::os::fd::AsRawFd;
        use std::os::unix::net::UnixStream;

        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let number = theirs.as_raw_fd();
        let script = format!("read line <&{number}; echo got $line >&{number}");
        let kept = SH.call(["-c", &script]).keep_open(vec![theirs.into()]);
        let mut kept = kept.start().unwrap();
        let other = SH.call(["-c", &format!("test ! -e /proc/self/fd/{number}")]);
        other.run(&mut NeverCancel).unwrap();
        ours.write_all(b"this\n").unwrap();
        let mut answer = String::new();
        // Ends only if no other process holds the other end.
        ours.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "got this\n");
        kept.wait(&mut NeverCancel).unwrap();
    }

    #[test]
    fn descriptors_are_passed_on_and_closed_in_the_parent() {
        let (output, input) = io::pipe().unwrap();
        let writer = SH.call(["-c", "echo through a pipe"]).stdout(input);
        let mut writer = writer.start().unwrap();
        let reader = Program::new("cat", "coreutils").call::<[&str; 0]>([]);
        // Ends only if no other process holds the other end of the pipe.
        let read = reader.stdin(output).run(&mut NeverCancel).unwrap();
        assert_eq!(read.stdout, b"through a pipe\n");
        let ended = writer.wait(&mut NeverCancel).unwrap();
        assert!(matches!(ended, crate::Ended::Exited(status) if status.success()));
    }
}
