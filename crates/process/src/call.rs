//! One use of a program: what it is given, how long it may take, and what it printed.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use stripewise_study::visible::visible_line;
use stripewise_study::world::{Watch, WorldError};

use crate::child::Child;
use crate::program::{Program, install_hint};

/// How long a program may take unless its call says otherwise. Disks that wake up take a minute.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);
/// How much a program may print to either stream unless its call says otherwise.
pub(crate) const OUTPUT_BYTES_MAX: u64 = 16 << 20;

/// How many of its last lines an error shows.
const LINES_SHOWN: usize = 6;
/// How long one of those lines may be.
const LINE_CHARS_SHOWN: usize = 200;
/// How long the command line may be that an error shows.
const COMMAND_CHARS_SHOWN: usize = 1000;

/// What a program printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Why a program did not do what it was called for.
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
    /// It could not be started or waited for, or printed more than it may.
    #[error("failed to start `{}`", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It did not end in time.
    #[error("`{command}` did not end within {} s and was ended{}", limit.as_secs(), quoted(printed))]
    TimedOut {
        /// Its name and arguments, fit to be shown.
        command: String,
        /// How long it was given.
        limit: Duration,
        /// What it printed until then.
        printed: Printed,
    },
    /// It failed.
    #[error("`{command}` failed with {status}{}", quoted(printed))]
    Failed {
        /// Its name and arguments, fit to be shown.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it printed.
        printed: Printed,
    },
}

impl CallError {
    /// Says what was attempted.
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

/// One use of a program.
#[derive(Debug)]
#[must_use = "a call does nothing until it is run or started"]
pub struct Call {
    /// The program, if it is not installed.
    pub(crate) missing: Option<Program>,
    pub(crate) command: Command,
    pub(crate) limit: Duration,
    /// How much it may print; nothing if its standard output is the caller's.
    pub(crate) stdout_bytes_max: Option<u64>,
    pub(crate) is_contained: bool,
}

impl Call {
    /// Begins a use of the program at `path`.
    pub fn new(path: &Path) -> Self {
        let mut command = Command::new(path);
        command.env("LC_ALL", "C").stdin(Stdio::null());
        Self {
            missing: None,
            command,
            limit: LIMIT,
            stdout_bytes_max: Some(OUTPUT_BYTES_MAX),
            is_contained: false,
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

    /// Adds variables of the environment.
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

    /// Gives it something to read.
    pub fn stdin(mut self, input: impl Into<Stdio>) -> Self {
        self.command.stdin(input);
        self
    }

    /// Hands on a descriptor for its standard output, which is not read here then.
    pub fn stdout(mut self, output: impl Into<Stdio>) -> Self {
        self.command.stdout(output);
        self.stdout_bytes_max = None;
        self
    }

    /// Sets how much it may print to its standard output; printing more ends it.
    pub fn stdout_bytes_max(self, bytes: u64) -> Self {
        Self {
            stdout_bytes_max: Some(bytes),
            ..self
        }
    }

    /// Sets how long it may take.
    pub fn limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Kills and reaps everything that it started when it ends, however it ends: its group, and
    /// descendants that left the group. Not for a tool whose daemon is to stay, such as mdadm's mdmon.
    pub fn contained(self) -> Self {
        Self {
            is_contained: true,
            ..self
        }
    }

    /// Returns the command that it starts.
    pub fn command(&self) -> &Command {
        &self.command
    }

    /// Returns the name of the program.
    pub fn name(&self) -> String {
        let path = Path::new(self.command.get_program());
        let name = path.file_name().unwrap_or(OsStr::new("?"));
        name.to_string_lossy().into_owned()
    }

    /// Returns the call as one line for people.
    pub(crate) fn shown(&self) -> String {
        let arguments = self.command.get_args().map(OsStr::to_string_lossy);
        let words: Vec<_> = std::iter::once(self.name().into())
            .chain(arguments)
            .collect();
        clean(&words.join(" "), COMMAND_CHARS_SHOWN)
    }

    /// Starts the program. It dies with us, and when the child is dropped.
    ///
    /// # Errors
    /// [`CallError::Missing`] and [`CallError::Start`].
    pub fn start(self) -> Result<Child, CallError> {
        Child::start(self)
    }

    /// Runs the program to its end, and returns what it printed.
    ///
    /// # Errors
    /// [`CallError`]: also if it fails, or prints more than it may to either stream.
    pub fn run(self, watch: &mut dyn Watch) -> Result<Printed, CallError> {
        self.start()?.finish(watch)
    }
}

/// Returns the last lines that a program printed as the end of a sentence.
fn quoted(printed: &Printed) -> String {
    let both = [printed.stdout.as_slice(), &printed.stderr].join(&b'\n');
    let both = String::from_utf8_lossy(&both);
    let lines = both.lines().map(|line| clean(line, LINE_CHARS_SHOWN));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    match &lines[lines.len().saturating_sub(LINES_SHOWN)..] {
        [] => String::new(),
        last => format!("; it said: {}", last.join(" | ")),
    }
}

/// Returns a line with its hidden characters visible, cut where nobody reads on.
fn clean(line: &str, chars_max: usize) -> String {
    let plain: String = visible_line(line).chars().take(chars_max).collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use stripewise_study::world::NeverCancel;

    use super::*;

    const SH: Program = Program::new("sh", "dash");

    /// Says stop when it is asked for the second time.
    struct Hurried(u32);

    impl Watch for Hurried {
        fn keep_going(&mut self, _elapsed: Duration) -> bool {
            self.0 += 1;
            self.0 < 2
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
            Some("install what brings it: `apt-get install no-such-package`")
        );
    }

    #[test]
    fn a_tool_that_fails_is_quoted_with_its_control_characters_visible() {
        let script =
            "for i in 1 2 3 4 5 6 7; do echo line $i; done; printf 'bad\\033[31m\\n' >&2; exit 3";
        let error = SH.call(["-c", script]).run(&mut NeverCancel).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("`sh -c for i in"), "{text}");
        assert!(
            text.ends_with(
                "exit status: 3; it said: line 3 | line 4 | line 5 | line 6 | line 7 | bad␛[31m"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_tool_reads_nothing_and_speaks_english() {
        let script = "read line || echo nothing to read; echo $LC_ALL $IMSM_NO_PLATFORM";
        let call = SH.call(["-c", script]).envs([("IMSM_NO_PLATFORM", "1")]);
        let printed = call.run(&mut NeverCancel).unwrap();
        assert_eq!(printed.stdout, b"nothing to read\nC 1\n");
    }

    #[test]
    fn a_tool_is_ended_when_the_watch_says_so_or_its_time_is_over() {
        let error = SH
            .call(["-c", "sleep 60"])
            .run(&mut Hurried(0))
            .unwrap_err();
        assert!(matches!(error.while_trying("x"), WorldError::Interrupted));
        // Long enough for a shell to begin to speak on a busy machine.
        let call = SH.call(["-c", "echo slow; sleep 60"]);
        let error = call.limit(Duration::from_secs(2)).run(&mut NeverCancel);
        assert_eq!(
            error.unwrap_err().to_string(),
            "`sh -c echo slow; sleep 60` did not end within 2 s and was ended; it said: slow"
        );
    }

    #[test]
    fn a_flood_of_output_neither_blocks_nor_fills_memory() {
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
    fn descriptors_are_handed_on_and_closed_here() {
        let (output, input) = io::pipe().unwrap();
        let writer = SH.call(["-c", "echo through a pipe"]).stdout(input);
        let mut writer = writer.start().unwrap();
        let reader = Program::new("cat", "coreutils").call::<[&str; 0]>([]);
        // It ends only if no one else holds the other end of the pipe.
        let read = reader.stdin(output).run(&mut NeverCancel).unwrap();
        assert_eq!(read.stdout, b"through a pipe\n");
        let ended = writer.wait(&mut NeverCancel).unwrap();
        assert!(matches!(ended, crate::Ended::Exited(status) if status.success()));
    }
}
