//! A place for commands with guests whose leftovers are found.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use stripewise_results::Run;

use super::{cache, until_in_guest};
use crate::support::{Bench, DEADLINE, entries};

/// A bench with directories of its own for all files, and a cache that shares a prepared guest.
pub(crate) struct Place {
    pub(crate) bench: Bench,
    before: Vec<PathBuf>,
}

impl Place {
    pub(crate) fn new() -> Option<Self> {
        let shared = cache()?;
        let bench = Bench::new()?;
        for name in ["tmp", "runtime", "cache/guests"] {
            fs::create_dir_all(bench.path(name)).unwrap();
        }
        let tag = "CACHEDIR.TAG";
        fs::copy(shared.join(tag), bench.path("cache").join(tag)).unwrap();
        for guest in entries(&shared.join("guests")) {
            let name = guest.file_name().unwrap();
            std::os::unix::fs::symlink(&guest, bench.path("cache/guests").join(name)).unwrap();
        }
        Some(Self {
            bench,
            before: elsewhere(),
        })
    }

    /// Returns a command with this place's directories for everything.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        self.apart(self.bench.stored(arguments))
    }

    /// Gives a command this place's directories.
    pub(crate) fn apart(&self, mut command: Command) -> Command {
        command
            .env("STRIPEWISE_LAB_CACHE", self.bench.path("cache"))
            .env("XDG_CACHE_HOME", self.bench.path("home/cache"))
            .env("XDG_RUNTIME_DIR", self.bench.path("runtime"))
            .env("TMPDIR", self.bench.path("tmp"));
        command
    }

    /// Waits until something is being made in this directory of the cache, or the session is over.
    pub(crate) fn wait_for_half(&self, directory: &str, child: &mut Child) {
        let directory = self.bench.path("cache").join(directory);
        let is_unfinished = |path: &PathBuf| path.to_string_lossy().contains("/work-");
        until_in_guest("an unfinished file", || {
            let is_over = child.try_wait().unwrap().is_some();
            let is_there = directory.exists() && entries(&directory).iter().any(is_unfinished);
            (is_over || is_there).then_some(())
        });
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.bench.target().parent().unwrap().to_owned()
    }

    /// Returns the latest run, if there is one.
    pub(crate) fn latest(&self) -> Option<Run> {
        let is_begun = fs::metadata(self.bench.store_path()).is_ok_and(|file| file.len() > 0);
        let store = is_begun.then(|| self.bench.store())?;
        Some(store.run(store.latest_run().unwrap()?).unwrap())
    }

    /// Returns a description of all leftovers, once they no longer change: other programs of this
    /// machine may use `/run`.
    pub(crate) fn strays(&self) -> Vec<String> {
        let began = Instant::now();
        loop {
            let strays = self.strays_now();
            if strays.is_empty() || began.elapsed() > DEADLINE {
                return strays;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn strays_now(&self) -> Vec<String> {
        let root = self.root();
        let mut strays = Vec::new();
        let mut pending = vec![root.clone()];
        while let Some(directory) = pending.pop() {
            for path in entries(&directory) {
                let name = path
                    .strip_prefix(&root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                match is_expected(&name) {
                    true if path.is_dir() && !path.is_symlink() => pending.push(path),
                    true => {}
                    false => strays.push(format!("file {name}")),
                }
            }
        }
        let text = root.to_str().unwrap();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let is_ours = |line: &&str| line.contains(text) || line.contains(".stripewise-");
        strays.extend(
            mounts
                .lines()
                .filter(is_ours)
                .map(|line| format!("mount {line}")),
        );
        for device in entries(Path::new("/sys/block")) {
            let file = fs::read_to_string(device.join("loop/backing_file")).unwrap_or_default();
            if file.starts_with(text) {
                let name = device.file_name().unwrap().to_string_lossy().into_owned();
                let on_it = entries(&device.join("holders")).len();
                strays.push(format!(
                    "loop device {name} of {file}, with {on_it} arrays on it"
                ));
            }
        }
        let there = elsewhere();
        let new = there.iter().filter(|path| !self.before.contains(path));
        strays.extend(new.map(|path| format!("new {}", path.display())));
        for name in ["cache/lock", "cache/lock-runs"] {
            let lock = File::open(self.bench.path(name));
            if lock.is_ok_and(|lock| lock.try_lock().is_err()) {
                strays.push(format!("lock {name}"));
            }
        }
        strays
    }
}

/// Returns whether a path in a place may be there when nothing runs.
fn is_expected(name: &str) -> bool {
    let is_made = |rest: &str, end: &str| {
        // The file, and its checksum.
        let sum = rest.strip_suffix(end).or(rest.strip_suffix(".sha256"));
        let sum = sum.unwrap_or_default();
        sum.len() == 64 && sum.chars().all(|c| c.is_ascii_hexdigit())
    };
    let known = [
        "study.toml",
        "store",
        "store/runs.db",
        "cache",
        "cache/lock",
        "cache/lock-runs",
        "cache/CACHEDIR.TAG",
        "cache/pace.json",
        "cache/guests",
        "cache/agents",
        "cache/states",
        "target",
        "home",
        "tmp",
        "runtime",
    ];
    known.contains(&name)
        || name
            .strip_prefix("cache/guests/")
            .is_some_and(|guest| !guest.contains('/'))
        || [("cache/agents/", ".img"), ("cache/states/", ".state")]
            .iter()
            .any(|(directory, end)| {
                let rest = name.strip_prefix(directory);
                rest.is_some_and(|rest| is_made(rest, end))
            })
}

/// Returns the files outside of a place that our programs could have made. Skips
/// directories of the metal world: in the lab it runs in the guest, and `stacks.rs` checks its own.
fn elsewhere() -> Vec<PathBuf> {
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        ["stripewise", "qemu", "fio"]
            .iter()
            .any(|word| name.contains(word))
            && !name.starts_with(".stripewise-")
    };
    let mut found = Vec::new();
    for directory in ["/tmp", "/var/tmp", "/run", "/dev/shm"] {
        found.extend(entries(Path::new(directory)).into_iter().filter(named));
    }
    found
}

/// Waits for a moment; returns whether the session was over before.
pub(crate) fn wait_for(moment: Duration, child: &mut Child) -> bool {
    let began = Instant::now();
    while began.elapsed() < moment {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.try_wait().unwrap().is_some()
}
