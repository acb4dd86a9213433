//! Shared by the tests of the command line: a bench with a target and a store, a fake fio, and
//! helpers that wait for a state, find leftovers, and compare output.

pub(crate) mod hostile;
pub(crate) mod hostile_cases;
pub(crate) mod page;
pub(crate) mod terminal;

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use expect_test::Expect;
pub(crate) use stripewise_fixtures::{
    Numbers, repository, say, seed, share, skip, skip_unless_all, wants_all,
};
use stripewise_machine::{Root, target_problem};
use stripewise_results::{Run, RunId, Store};

/// The longest wait for a state, on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Names a directory on a disk for the tests, if they find none themselves.
const DIRECTORY: &str = "STRIPEWISE_TEST_DIR";

/// Marks the processes of a bench in their environment.
const MARKER: &str = "STRIPEWISE_TEST_BENCH";

/// A study of two cells that the fake fio measures in a third of a second.
pub(crate) const QUICK: &str = r#"
question = "Is it quick?"
[stack.here]
filesystem = "existing"
[workload]
pattern = ["randread", "write"]
block_size = "4K"
size = "1M"
direct = false
[repeat]
sample = "50ms"
at_least = 6
at_most = 8
"#;

/// A study of one cell that takes about 100 samples.
pub(crate) const LONG: &str = r#"
[stack.here]
filesystem = "existing"
[workload]
pattern = "randwrite"
block_size = "4K"
size = "1M"
direct = false
[repeat]
sample = "50ms"
at_least = 100
at_most = 100
"#;

/// Asks until there is an answer.
pub(crate) fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    until_shown(what, || ask().ok_or_else(String::new))
}

/// Asks until there is an answer; instead of one, `ask` returns what the failure is to show.
pub(crate) fn until_shown<T>(what: &str, mut ask: impl FnMut() -> Result<T, String>) -> T {
    let began = Instant::now();
    loop {
        match ask() {
            Ok(answer) => return answer,
            Err(shown) => {
                let is_in_time = began.elapsed() < DEADLINE;
                assert!(is_in_time, "waited in vain for {what}\n{shown}");
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns a directory on a disk that can be measured, if this machine has one.
fn disk() -> Option<&'static Path> {
    static DISK: OnceLock<Option<PathBuf>> = OnceLock::new();
    DISK.get_or_init(|| {
        let named = std::env::var_os(DIRECTORY).map(PathBuf::from);
        let usual = [
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
            PathBuf::from("/var/tmp"),
            std::env::temp_dir(),
        ];
        let found = named
            .into_iter()
            .chain(usual)
            .find(|path| target_problem(&Root::live(), path).is_none());
        if found.is_none() {
            let why = format!("no directory on a disk; name one with {DIRECTORY}");
            skip_unless_all("everything that measures", &why);
        }
        found
    })
    .as_deref()
}

/// A directory to measure, a store, and a separate environment.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// Makes one on a disk; `None`, and a remark, if this machine has none for us.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(disk()?)
            .unwrap();
        // Tests also run commands as other users.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).unwrap();
        let bench = Self { folder };
        for name in ["target", "home"] {
            std::fs::create_dir(bench.path(name)).unwrap();
        }
        Some(bench)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn target(&self) -> PathBuf {
        self.path("target")
    }

    pub(crate) fn store_path(&self) -> PathBuf {
        self.path("store/runs.db")
    }

    /// Writes a file of the bench and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Returns a command that runs `stripewise` with the fake fio, in an environment of its own.
    pub(crate) fn command(&self) -> Command {
        self.isolate(Command::new(env!("CARGO_BIN_EXE_stripewise")))
    }

    /// Gives a command the environment of the bench.
    pub(crate) fn isolate(&self, mut command: Command) -> Command {
        let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/fake");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([fake].into_iter().chain(std::env::split_paths(&path)));
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM"] {
            command.env_remove(name);
        }
        command.env_remove("STRIPEWISE_PLAIN");
        command.env_remove("XDG_CACHE_HOME");
        command
            .env("PATH", path.unwrap())
            .env("HOME", self.path("home"))
            .env("XDG_DATA_HOME", self.path("home/data"))
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .env(MARKER, self.folder.path())
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// Returns the command `run` of a study, with this target and store.
    pub(crate) fn run(&self, study: &str) -> Command {
        self.run_on(study, &self.target())
    }

    /// Returns the command `run` of a study on another target.
    pub(crate) fn run_on(&self, study: &str, target: &Path) -> Command {
        let study = self.write("study.toml", study);
        let mut command = self.command();
        command.arg("run").arg(study).arg("--target").arg(target);
        command.arg("--store").arg(self.store_path());
        command
    }

    /// Returns a command of `arguments` (words), with this store.
    pub(crate) fn stored(&self, arguments: &str) -> Command {
        let mut command = self.command();
        command.args(arguments.split_ascii_whitespace());
        command.arg("--store").arg(self.store_path());
        command
    }

    /// Runs a study that must succeed and returns its document.
    pub(crate) fn measured(&self, study: &str) -> serde_json::Value {
        let mut command = self.run(study);
        command.arg("--json");
        self.json(command)
    }

    /// Runs a command that must succeed and print one JSON document.
    pub(crate) fn json(&self, command: Command) -> serde_json::Value {
        let done = self.finish(command);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        serde_json::from_str(&done.stdout).unwrap()
    }

    /// Runs a command to its end.
    pub(crate) fn finish(&self, mut command: Command) -> Done {
        self.done(command.output().unwrap())
    }

    /// Starts a command whose output is read when it has ended.
    pub(crate) fn start(&self, mut command: Command) -> Child {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().unwrap()
    }

    /// Waits for a command that was started.
    pub(crate) fn wait(&self, child: Child) -> Done {
        self.done(child.wait_with_output().unwrap())
    }

    fn done(&self, output: Output) -> Done {
        Done {
            code: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            folder: self.folder.path().to_owned(),
        }
    }

    /// Opens the store, which must be whole.
    pub(crate) fn store(&self) -> Store {
        let store = Store::open_existing(&self.store_path()).unwrap();
        store.check().unwrap();
        store
    }

    /// Reads the run with this number from the store, which must be whole.
    pub(crate) fn stored_run(&self, number: i64) -> Run {
        self.store().run(RunId(number)).unwrap()
    }

    /// Returns the entries of the target.
    pub(crate) fn left_in_target(&self) -> Vec<PathBuf> {
        entries(&self.target())
    }

    /// Asserts that nothing was left behind: no file, no process.
    pub(crate) fn assert_clean(&self) {
        assert_eq!(self.left_in_target(), Vec::<PathBuf>::new());
        self.assert_no_process();
    }

    /// Asserts that no process of the bench is running. A signalled process may take a moment to
    /// end.
    pub(crate) fn assert_no_process(&self) {
        until("all processes of the bench to end", || {
            processes_with(self.folder.path()).is_empty().then_some(())
        });
    }
}

/// Returns the entries of a directory.
pub(crate) fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Returns the living processes that have the marker of a bench in their environment.
pub(crate) fn processes_with(folder: &Path) -> Vec<PathBuf> {
    let marker = format!("{MARKER}={}", folder.display());
    let is_ours = |process: &PathBuf| {
        // A zombie has no environment.
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == marker.as_bytes())
    };
    entries(Path::new("/proc"))
        .into_iter()
        .filter(is_ours)
        .collect()
}

/// How a command ended and what it printed.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    folder: PathBuf,
}

impl Done {
    /// Returns exit code, output and errors as one text, the directory of the bench as `[BENCH]`.
    pub(crate) fn transcript(&self) -> String {
        let mut text = match (self.code, self.signal) {
            (Some(code), _) => format!("exit {code}\n"),
            (None, signal) => format!("signal {signal:?}\n"),
        };
        for (name, content) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !content.is_empty() {
                text.push_str(&format!("--- {name}\n{content}"));
            }
        }
        text.replace(&self.folder.display().to_string(), "[BENCH]")
    }

    /// Returns the error of a command that is refused: it ends with 2 and prints no data.
    pub(crate) fn refusal(&self) -> String {
        let transcript = self.transcript();
        let said = transcript.strip_prefix("exit 2\n--- stderr\n");
        said.unwrap_or_else(|| panic!("it was not refused: {transcript}"))
            .to_owned()
    }

    /// Asserts that a command is refused in these words.
    pub(crate) fn refused(&self, expected: &Expect) {
        expected.assert_eq(&self.refusal());
    }

    /// Asserts that the transcript is as expected.
    pub(crate) fn expect(&self, expected: &Expect) {
        expected.assert_eq(&self.transcript());
    }
}

/// The log of the fake fio.
#[derive(Debug, Default)]
pub(crate) struct FakeLog {
    /// How many lines there are.
    pub(crate) lines: usize,
    /// How many measurements began.
    pub(crate) begun: usize,
    /// How many I/Os each of the measurements that ended claims to have done.
    pub(crate) ended: Vec<u64>,
    /// The processes that hang.
    pub(crate) hanging: Vec<i32>,
    /// The processes that still hang after a request to end.
    pub(crate) asked: Vec<i32>,
}

impl FakeLog {
    /// Reads a log; a missing one is empty. Skips an incomplete last line.
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut log = Self::default();
        for line in text.split_inclusive('\n').filter(|l| l.ends_with('\n')) {
            log.lines += 1;
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match words[..] {
                ["begin", _] => log.begun += 1,
                ["end", _, ios] => log.ended.push(ios.parse().unwrap()),
                ["hangs", process] => log.hanging.push(process.parse().unwrap()),
                ["asked", process] => log.asked.push(process.parse().unwrap()),
                _ => {}
            }
        }
        log
    }
}

/// Sends a signal to a process.
pub(crate) fn send(process: i32, signal: rustix::process::Signal) {
    let process = rustix::process::Pid::from_raw(process).unwrap();
    rustix::process::kill_process(process, signal).unwrap();
}

/// Returns the number of a child.
pub(crate) fn number(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap()
}

/// Returns whether we are root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns a command that runs `script` in a mount namespace of its own, where it may mount; `None`
/// if this machine does not allow it.
pub(crate) fn where_mounting_is_allowed(bench: &Bench, script: &str) -> Option<Command> {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.arg("--mount");
        if !is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        command
    };
    let probe = unshare()
        .args(["mount", "-t", "tmpfs", "none", "/mnt"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut command = bench.isolate(unshare());
    command
        .args(["sh", "-euc", script, "sh"])
        .arg(env!("CARGO_BIN_EXE_stripewise"))
        .arg(bench.target());
    Some(command)
}

/// Returns whether a program is installed.
pub(crate) fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(name).is_file())
}

/// Returns the value at a JSON pointer, which must be there.
pub(crate) fn at<'a>(value: &'a serde_json::Value, pointer: &str) -> &'a serde_json::Value {
    value
        .pointer(pointer)
        .unwrap_or_else(|| panic!("no `{pointer}` in {value:#}"))
}

/// Adds arguments to a command.
pub(crate) fn with<S: AsRef<OsStr>>(
    mut command: Command,
    arguments: impl IntoIterator<Item = S>,
) -> Command {
    command.args(arguments);
    command
}
