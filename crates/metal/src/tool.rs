//! The tools of others that build stacks and look at devices: which package brings each, how it is
//! used and watched, and an error with the last lines of what it printed. [`stripewise_fio::tool`]
//! runs them.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use stripewise_fio::{Ended, find_tool, install_hint, run_tool};
use stripewise_study::visible::visible_line;
use stripewise_study::world::{Watch, WorldError};

use crate::stumble::at_tool;

/// How many of its last lines are shown.
const LINES_SHOWN: usize = 6;
/// How long one of those lines may be.
const LINE_CHARS_SHOWN: usize = 200;
/// How long the command line may be that is shown.
const COMMAND_CHARS_SHOWN: usize = 1000;
/// How long a tool may take that only changes a few blocks. Disks that wake up take a minute.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);
/// How long making a filesystem may take: it writes its tables, and may discard the whole device.
pub(crate) const LIMIT_LONG: Duration = Duration::from_secs(3600);

/// A program and the Debian package that brings it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
}

pub(crate) const MDADM: Tool = Tool::new("mdadm", "mdadm");
pub(crate) const LVM: Tool = Tool::new("lvm", "lvm2");
pub(crate) const DMSETUP: Tool = Tool::new("dmsetup", "dmsetup");
pub(crate) const MODPROBE: Tool = Tool::new("modprobe", "kmod");
pub(crate) const MOUNT: Tool = Tool::new("mount", "mount");
pub(crate) const UMOUNT: Tool = Tool::new("umount", "mount");
pub(crate) const BLKID: Tool = Tool::new("blkid", "util-linux");
pub(crate) const BLKDISCARD: Tool = Tool::new("blkdiscard", "util-linux");
pub(crate) const FSTRIM: Tool = Tool::new("fstrim", "util-linux");
pub(crate) const WIPEFS: Tool = Tool::new("wipefs", "util-linux");
pub(crate) const UDEVADM: Tool = Tool::new("udevadm", "udev");
pub(crate) const ZPOOL: Tool = Tool::new("zpool", "zfsutils-linux");

/// Why a tool did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("interrupted")]
    Interrupted,
    #[error("`{}` is not installed", tool.name)]
    Missing { tool: Tool },
    #[error("failed to start `{}`", path.display())]
    Start {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{command}` did not end within {} s and was ended{}", limit.as_secs(), told(messages))]
    TimedOut {
        command: String,
        limit: Duration,
        messages: String,
    },
    #[error("`{command}` failed with {status}{}", told(messages))]
    Failed {
        command: String,
        status: ExitStatus,
        messages: String,
    },
}

impl ToolError {
    /// Says what was attempted.
    pub(crate) fn while_trying(self, attempted: impl Into<String>) -> WorldError {
        let hint = match &self {
            ToolError::Interrupted => return WorldError::Interrupted,
            ToolError::Missing { tool } => Some(install_hint(&[tool.package])),
            _ => None,
        };
        let error = WorldError::failed(attempted, self);
        match hint {
            Some(hint) => error.or_hint(hint),
            None => error,
        }
    }
}

/// Returns what a tool told us as the end of a sentence.
fn told(messages: &str) -> String {
    match messages {
        "" => String::new(),
        messages => format!("; it said: {messages}"),
    }
}

/// What a tool printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) messages: String,
}

/// One use of a tool.
#[derive(Debug)]
pub(crate) struct Call {
    tool: Tool,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, &'static str)>,
    limit: Duration,
}

impl Tool {
    pub(crate) const fn new(name: &'static str, package: &'static str) -> Self {
        Self { name, package }
    }

    /// Returns where the tool is.
    ///
    /// # Errors
    /// [`ToolError::Missing`].
    pub(crate) fn find(self) -> Result<PathBuf, ToolError> {
        find_tool(self.name).ok_or(ToolError::Missing { tool: self })
    }

    /// Begins a use of the tool.
    pub(crate) fn call<I>(self, arguments: I) -> Call
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        Call {
            tool: self,
            arguments: Vec::new(),
            environment: Vec::new(),
            limit: LIMIT,
        }
        .with(arguments)
    }
}

impl Call {
    /// Adds arguments.
    #[must_use]
    pub(crate) fn with<I>(mut self, arguments: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        let arguments = arguments.into_iter();
        self.arguments
            .extend(arguments.map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Adds a variable of the environment.
    #[must_use]
    pub(crate) fn environment(mut self, variables: &[(&'static str, &'static str)]) -> Self {
        self.environment.extend(variables);
        self
    }

    #[must_use]
    pub(crate) fn limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Runs the tool to its end.
    ///
    /// # Errors
    /// [`ToolError`].
    pub(crate) fn run(self, watch: &mut dyn Watch) -> Result<Printed, ToolError> {
        let path = self.tool.find()?;
        let mut command = Command::new(&path);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().copied())
            .current_dir("/");
        at_tool();
        let ran = run_tool(command, self.limit, &mut |elapsed| {
            watch.keep_going(elapsed)
        });
        let ran = ran.map_err(|source| ToolError::Start { path, source })?;
        at_tool();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let printed = Printed {
            stdout: text(&ran.stdout),
            messages: text(&ran.stderr),
        };
        let last_lines = || last_lines(&format!("{}\n{}", printed.stdout, printed.messages));
        match ran.ended {
            Ended::Stopped => Err(ToolError::Interrupted),
            Ended::TimedOut => Err(ToolError::TimedOut {
                command: self.shown(),
                limit: self.limit,
                messages: last_lines(),
            }),
            Ended::Exited(status) if status.success() => Ok(printed),
            Ended::Exited(status) => Err(ToolError::Failed {
                command: self.shown(),
                status,
                messages: last_lines(),
            }),
        }
    }

    /// Runs the tool to its end, whoever asks to stop meanwhile: what undoes something is not left
    /// half done.
    ///
    /// # Errors
    /// [`ToolError`].
    pub(crate) fn run_to_the_end(self) -> Result<Printed, ToolError> {
        self.run(&mut Unhurried)
    }

    /// Returns the use as one line for people.
    fn shown(&self) -> String {
        let words = self.arguments.iter().map(|word| word.to_string_lossy());
        let words: Vec<_> = std::iter::once(self.tool.name.into())
            .chain(words)
            .collect();
        clean(&words.join(" "), COMMAND_CHARS_SHOWN)
    }
}

/// A watch that lets everything go on.
pub(crate) struct Unhurried;

impl Watch for Unhurried {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        true
    }
}

/// How often a state that cannot be waited for is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Waits until `is_reached`, for `limit` at most; returns whether it was.
///
/// # Errors
/// [`WorldError::Interrupted`] if the watch said stop.
pub(crate) fn wait_until(
    limit: Duration,
    watch: &mut dyn Watch,
    is_reached: &mut dyn FnMut() -> bool,
) -> Result<bool, WorldError> {
    let started = Instant::now();
    loop {
        if is_reached() {
            return Ok(true);
        }
        if started.elapsed() >= limit {
            return Ok(false);
        }
        if !watch.keep_going(started.elapsed()) {
            return Err(WorldError::Interrupted);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Returns the last lines as one, without what could confuse a terminal.
fn last_lines(text: &str) -> String {
    let lines = text.lines().map(|line| clean(line, LINE_CHARS_SHOWN));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join(" | ")
}

/// Returns a line with its hidden characters visible, cut where nobody reads on.
fn clean(line: &str, chars_max: usize) -> String {
    let plain: String = visible_line(line).chars().take(chars_max).collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SH: Tool = Tool::new("sh", "dash");

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
        let error = Tool::new("no-such-tool", "no-such-package")
            .call(["--help"])
            .run_to_the_end()
            .unwrap_err()
            .while_trying("failed to build `md100`");
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
        let error = SH.call(["-c", script]).run_to_the_end().unwrap_err();
        let text = error.to_string();
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
        let call = SH
            .call(["-c", script])
            .environment(&[("IMSM_NO_PLATFORM", "1")]);
        assert_eq!(
            call.run_to_the_end().unwrap().stdout,
            "nothing to read\nC 1\n"
        );
    }

    #[test]
    fn a_tool_is_ended_when_the_watch_says_so_or_its_time_is_over() {
        let error = SH
            .call(["-c", "sleep 60"])
            .run(&mut Hurried(0))
            .unwrap_err();
        assert!(matches!(error.while_trying("x"), WorldError::Interrupted));
        // Long enough for a shell to begin to speak on a busy machine.
        let limit = Duration::from_secs(2);
        let error = SH
            .call(["-c", "echo slow; sleep 60"])
            .limit(limit)
            .run_to_the_end();
        assert!(matches!(error, Err(ToolError::TimedOut { messages, .. }) if messages == "slow"));
    }

    #[test]
    fn waiting_ends_when_it_is_reached_or_over_or_stopped() {
        let mut left = 2;
        let mut reached = || {
            left -= 1;
            left == 0
        };
        assert!(wait_until(LIMIT, &mut Unhurried, &mut reached).unwrap());
        assert!(!wait_until(Duration::ZERO, &mut Unhurried, &mut || false).unwrap());
        let stopped = wait_until(LIMIT, &mut Hurried(0), &mut || false);
        assert!(matches!(stopped, Err(WorldError::Interrupted)));
    }
}
