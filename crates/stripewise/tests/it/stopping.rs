//! A signal ends every long command: it begins nothing new, and ends within its limit.
//!
//! The failure: an admin pressed Ctrl-C because `characterize` had taken a machine's last memory. The
//! loop that simulated never looked, and he waited for minutes, until he found the second Ctrl-C.
//!
//! Each command here takes long: it calculates for minutes, waits for its input, for a program or for
//! a lock. One SIGTERM comes at a random moment. The limits are those of `stripewise help run`: 2 s, or
//! 45 s where something must be undone. They are judged three times as long, as the machine is busy.
//!
//! `STRIPEWISE_TEST_STOPS=N` sets how often: 300 times in `make soak`. What needs a guest is in
//! `lab/stops.rs`.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rustix::process::Signal;
use stripewise_results::{RunState, Store};

use crate::support::{
    Bench, Done, FakeLog, LONG, Numbers, QUICK, entries, number, repository, say, seed, send, skip,
    until, where_mounting_is_allowed, with,
};

/// The default number of signals: each command gets one or two.
const STOPS: usize = 30;
/// How long a command may take where nothing must be undone.
const AT_ONCE: Duration = Duration::from_secs(2);
/// How long undoing may take.
const UNDONE: Duration = Duration::from_secs(45);
/// How many times its limit a command is waited for.
const PATIENCE: u32 = 3;
/// The latest moment of a signal. Most commands calculate until then.
const MOMENT_MS: u64 = 250;

/// A stack on which a large write is many I/Os.
const HEAVY: &str = "[stack.a]\ndevices = { sata-ssd = 200 }\n\
    array = { level = \"raid5\", chunk = \"4K\" }\n\
    [workload]\npattern = \"write\"\nblock_size = \"1G\"\nsize = \"4G\"\ndepth = 2\nengine = \"libaio\"\n";

/// How a command ends after the signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// By the signal.
    BySignal,
    /// By the signal, or with an error when it has cleaned up.
    CleanedUp,
    /// As after its work: a server.
    Done,
}

/// A command that takes long.
struct Case {
    words: &'static str,
    limit: Duration,
    ends: Ends,
    /// What it reads before its input stalls; `None` for a command without input.
    input: Option<&'static str>,
    /// It may end before the signal.
    is_short: bool,
}

const fn case(words: &'static str) -> Case {
    Case {
        words,
        limit: AT_ONCE,
        ends: Ends::BySignal,
        input: None,
        is_short: false,
    }
}

const fn reading(words: &'static str, input: &'static str) -> Case {
    Case {
        input: Some(input),
        ..case(words)
    }
}

const fn short(words: &'static str) -> Case {
    Case {
        is_short: true,
        ..case(words)
    }
}

const fn undoing(words: &'static str, limit: Duration) -> Case {
    Case {
        limit,
        ends: Ends::CleanedUp,
        ..case(words)
    }
}

const DUMP: &str = "INSERT INTO `wp_options` VALUES (1,'home','http://old.example'),\n";
/// The long commands. Words of the bench are files that [`Place::new`] makes.
const CASES: &[Case] = &[
    case("predict --device sata-ssd --workload write:1G --array raid5:200:4K --json"),
    case("why heavy.toml"),
    case("characterize --from huge.csv --array raid5:200:4K --study new.toml --json"),
    case("characterize --from longest.csv --json"),
    reading(
        "characterize --from - --summary new.json",
        "time_s,action,offset_bytes,length_bytes\n0,read,0,4096\n",
    ),
    case("calibrate --out out --points points.csv four-ssd.toml"),
    short("verify-model --golden golden.jsonl --json"),
    reading("study -", "[stack.a]\n"),
    reading("site scan --from http://old.example --json", DUMP),
    reading(
        "site rewrite --from http://old.example --to http://new.example",
        DUMP,
    ),
    reading(
        "site rewrite --from http://old.example --to http://new.example -o new.sql",
        DUMP,
    ),
    reading("site verify --from http://old.example --json", DUMP),
    reading(
        "site permissions --listing /dev/stdin --server-user www-data",
        "0644 root root f",
    ),
    reading("import fio /dev/stdin --store store/runs.db", "{"),
    reading("import export /dev/stdin --store store/runs.db", "{"),
    short("export 1 --format svg --figure latency --store store/runs.db -o new.svg"),
    // The store is locked.
    case("rename 1 name --store locked/runs.db"),
    case("delete 1 --store locked/runs.db --yes"),
    // A command that they run hangs.
    undoing("check --json", AT_ONCE),
    undoing("collect --out new", AT_ONCE),
    undoing(
        "run heavy.toml --world model --store new/runs.db --json",
        UNDONE,
    ),
    undoing("run long.toml --target target --store new/runs.db", UNDONE),
    undoing(
        "pull-plug heavy.toml --world model --store new/runs.db",
        UNDONE,
    ),
    undoing("lab prepare --cache cache", UNDONE),
    Case {
        ends: Ends::Done,
        ..case("serve --store store/runs.db")
    },
];

/// What is not done at the moment of a signal, and need not be undone: it ends with its process.
const ENDS_WITH_PROCESS: [&str; 2] = ["-wal", "-shm"];

/// The programs that `check` and `lab prepare` start here; each waits for a child of its own.
const HANGING: [&str; 10] = [
    "apt-cache",
    "apt-config",
    "apt-get",
    "dpkg-query",
    "lsblk",
    "mysql",
    "runuser",
    "smartctl",
    "systemctl",
    "zpool",
];

/// How the commands ended.
#[derive(Debug, Default)]
struct Tally {
    by_signal: usize,
    cleaned_up: usize,
    /// Before the signal.
    finished: usize,
    longest: Duration,
}

/// A bench with the inputs of all commands.
struct Place {
    bench: Bench,
    /// Holds the lock of a store.
    _locked: Connection,
}

/// Returns the number of signals.
fn stops() -> usize {
    std::env::var("STRIPEWISE_TEST_STOPS").map_or(STOPS, |text| text.parse().unwrap())
}

impl Place {
    fn new() -> Option<Self> {
        let bench = Bench::new()?;
        let copy = |from: &str, to: &str| {
            std::fs::copy(repository().join(from), bench.path(to)).unwrap();
        };
        copy("studies/four-ssd-random.toml", "four-ssd.toml");
        copy(
            "crates/calibrate/tests/data/four-ssd-random.csv",
            "points.csv",
        );
        copy("crates/verify/golden/linux-6.1.192.jsonl", "golden.jsonl");
        bench.write("heavy.toml", HEAVY);
        bench.write("long.toml", LONG);
        // Many I/Os on small chunks; and small places, of which some I/Os have a million.
        const LONGEST: u64 = (4 << 30) - 512;
        for (name, bytes, at_times) in [
            ("huge.csv", 8 << 20, 8 << 20),
            ("longest.csv", 4096, LONGEST),
        ] {
            let write = |number: u64| {
                let (s, ms) = (number / 1000, number % 1000);
                let bytes = if number.is_multiple_of(10) {
                    at_times
                } else {
                    bytes
                };
                format!("{s}.{ms:03},write,{},{bytes}\n", number << 23)
            };
            let writes: String = (0..20_000).map(write).collect();
            let trace = format!("time_s,action,offset_bytes,length_bytes\n{writes}");
            bench.write(name, &trace);
        }
        std::fs::create_dir(bench.path("hanging")).unwrap();
        for name in HANGING {
            let path = bench.write(&format!("hanging/{name}"), "#!/bin/sh\nsleep 60 &\nwait\n");
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        bench.measured(QUICK);
        std::fs::create_dir(bench.path("locked")).unwrap();
        std::fs::copy(bench.store_path(), bench.path("locked/runs.db")).unwrap();
        let locked = Connection::open(bench.path("locked/runs.db")).unwrap();
        locked.execute_batch("BEGIN IMMEDIATE").unwrap();
        Some(Self {
            bench,
            _locked: locked,
        })
    }

    fn command(&self, case: &Case) -> Command {
        let hanging = self.bench.path("hanging");
        let mut command = with(self.bench.command(), case.words.split(' '));
        if !case.words.contains("--target") {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let path = [hanging].into_iter().chain(std::env::split_paths(&path));
            command.env("PATH", std::env::join_paths(path).unwrap());
        }
        command.env("FAKE_FIO_LOG", self.bench.path("fio.log"));
        command.stdin(Stdio::piped());
        command
    }

    /// Returns all files of the bench.
    fn files(&self) -> BTreeSet<PathBuf> {
        let mut folders = vec![self.bench.path("")];
        let mut files = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for path in entries(&folder) {
                match path.is_dir() && !path.is_symlink() {
                    true => folders.push(path),
                    false => {
                        files.insert(path);
                    }
                }
            }
        }
        files
    }

    /// Lets a signal end a command at a random moment.
    fn stop(&self, case: &Case, numbers: &mut Numbers, tally: &mut Tally) {
        let before = self.files();
        let mut child = self.bench.start(self.command(case));
        let mut stdin = child.stdin.take().unwrap();
        let _may_have_ended = stdin.write_all(case.input.unwrap_or_default().as_bytes());
        std::thread::sleep(Duration::from_millis(numbers.below(MOMENT_MS)));
        let is_over = child.try_wait().unwrap().is_some();
        if !is_over {
            send(number(&child), Signal::TERM);
        }
        let begun = FakeLog::read(&self.bench.path("fio.log")).begun;
        let asked = Instant::now();
        while child.try_wait().unwrap().is_none() {
            let waited = asked.elapsed();
            if waited > PATIENCE * case.limit {
                let _gone = child.kill();
                panic!("`{}` runs {waited:?} after the signal", case.words);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        drop(stdin);
        let waited = asked.elapsed();
        let done = self.bench.wait(child);
        let said = format!("`{}`: {}", case.words, done.transcript());
        if is_over && case.is_short {
            assert_eq!(done.code, Some(0), "{said}");
            tally.finished += 1;
        } else {
            assert!(!is_over, "it did not take long: {said}");
            self.check_end(case, &done, &said);
            match done.signal {
                Some(_) => tally.by_signal += 1,
                None => tally.cleaned_up += 1,
            }
            tally.longest = tally.longest.max(waited);
        }
        let begun_after = FakeLog::read(&self.bench.path("fio.log")).begun;
        assert!(begun_after <= begun + 1, "it went on: {said}");
        self.check_left(&before, &said);
    }

    fn check_end(&self, case: &Case, done: &Done, said: &str) {
        let is_by_signal = done.signal == Some(Signal::TERM.as_raw());
        let has_cleaned_up = done.code == Some(2) && done.stderr.contains("interrupted");
        let is_ended = match case.ends {
            Ends::BySignal => is_by_signal,
            Ends::CleanedUp => is_by_signal || has_cleaned_up,
            Ends::Done => is_by_signal || done.code == Some(0),
        };
        assert!(is_ended, "{said}");
        self.bench.assert_clean();
    }

    /// Asserts that only whole files are left, and removes them.
    fn check_left(&self, before: &BTreeSet<PathBuf>, said: &str) {
        let store = self.bench.path("new/runs.db");
        if store.exists() && store.metadata().unwrap().len() > 0 {
            let store = Store::open_existing(&store).unwrap();
            store.check().unwrap();
            if let Some(latest) = store.latest_run().unwrap() {
                let state = store.run(latest).unwrap().summary.state;
                assert_ne!(state, RunState::Running, "{said}");
            }
        }
        let is_work = |path: &PathBuf| path.to_string_lossy().contains("/work-");
        let is_kept = |path: &PathBuf| {
            let name = path.to_string_lossy();
            let is_whole = ["new/", "cache/", "home/", "fio.log"]
                .iter()
                .any(|folder| path.starts_with(self.bench.path(folder.trim_end_matches('/'))));
            (is_whole || ENDS_WITH_PROCESS.iter().any(|end| name.ends_with(end))) && !is_work(path)
        };
        let files = self.files();
        let left: Vec<&PathBuf> = files
            .difference(before)
            .filter(|path| !is_kept(path))
            .collect();
        assert!(left.is_empty(), "{left:?} is left: {said}");
        let gone: Vec<&PathBuf> = before
            .difference(&files)
            .filter(|path| !is_kept(path))
            .collect();
        assert!(gone.is_empty(), "{gone:?} is gone: {said}");
        for made in ["new", "cache", "out", "fio.log"] {
            let path = self.bench.path(made);
            let _absent = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
        }
    }
}

#[test]
fn a_signal_at_any_moment_ends_every_long_command() {
    let Some(place) = Place::new() else { return };
    let seed = seed();
    let stops = stops();
    say(&format!("{stops} signals, STRIPEWISE_TEST_SEED={seed}"));
    let mut numbers = Numbers::of(seed);
    let mut tally = Tally::default();
    let first = numbers.below(CASES.len() as u64);
    for number in 0..stops {
        let index = (usize::try_from(first).unwrap() + number) % CASES.len();
        place.stop(&CASES[index], &mut numbers, &mut tally);
    }
    say(&format!(
        "{} ended by the signal, {} cleaned up, {} finished before; the longest took {:?}",
        tally.by_signal, tally.cleaned_up, tally.finished, tally.longest
    ));
}

/// Most filesystems let a file have no name until it is complete; without /proc, none does.
#[test]
fn a_signal_removes_a_temporary_name() {
    let Some(bench) = Bench::new() else { return };
    let script = "mount -t tmpfs none /proc; exec \"$1\" site rewrite \
        --from http://old.example --to http://new.example -o target/new.sql";
    let Some(mut command) = where_mounting_is_allowed(&bench, script) else {
        return skip("temporary names", "nothing can be mounted here");
    };
    command.stdin(Stdio::piped());
    let mut child = bench.start(command);
    // Its end would complete the file.
    let stdin = child.stdin.take();
    until("the temporary name", || {
        bench.left_in_target().pop().map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(name.starts_with(".stripewise-"), "{name}");
        })
    });
    send(number(&child), Signal::TERM);
    let done = bench.wait(child);
    drop(stdin);
    assert_eq!(
        done.signal,
        Some(Signal::TERM.as_raw()),
        "{}",
        done.transcript()
    );
    bench.assert_clean();
}
