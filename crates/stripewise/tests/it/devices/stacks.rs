//! Stacks that are built on devices are removed again, whenever the tool dies.
//!
//! The failure: a run was killed between `mkfs` and `mount`. Nobody knew what it had made on which
//! disk. The next run refused the disks because of the filesystem on them, and a user wiped them by
//! hand, with one too many.
//!
//! Here we make real filesystems on loop devices, and kill the tool at entries of its journal and
//! around its tools: at every second one, from a seeded one on, or at every
//! `STRIPEWISE_TEST_KILL_EVERY`-th; `make soak` kills at each. This host may have neither md nor the
//! device mapper: a guest tests those (`lab/guest/`).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

use super::{set_up, set_up_many};
use crate::support::{Bench, at, say, seed, share};
use stripewise_fixtures::loops::{self, Loop};

/// Asserts that a device has no known signature and no marker of ours, and is not mounted.
fn assert_empty(device: &Loop, when: &str) {
    let known = loops::run("wipefs", &["--no-act", device.name()]);
    assert_eq!(known, "", "{when}");
    let head = device.read_at(0, 4096);
    let marker = b"stripewise marker";
    let is_there = head.windows(marker.len()).any(|bytes| bytes == marker);
    assert!(!is_there, "{when}: a marker is left on {}", device.name());
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let is_mounted = mounts.contains(&format!(" {} ", device.name()));
    assert!(!is_mounted, "{when}: {mounts}");
}

/// Returns a study of one cell on a stack over `loops`.
fn study(loops: &[Loop], stack: &str) -> String {
    let names: Vec<String> = loops
        .iter()
        .map(|device| format!("{:?}", device.name()))
        .collect();
    format!(
        r#"
[may_destroy]
"disk" = [{}]
[stack.it]
devices = {{ "disk" = {} }}
{stack}
[workload]
pattern = ["randread", "write"]
block_size = "64K"
size = "8M"
jobs = 2
[repeat]
sample = "100ms"
at_least = 2
at_most = 2
"#,
        names.join(", "),
        loops.len()
    )
}

/// What a test that was killed left, before this one ran anything.
static LEFT_BEFORE: LazyLock<Vec<PathBuf>> = LazyLock::new(run_directories);

/// Returns the command that runs a study on devices, confirmed.
fn run(bench: &Bench, loops: &[Loop], stack: &str) -> Command {
    LazyLock::force(&LEFT_BEFORE);
    let file = bench.write("study.toml", &study(loops, stack));
    let mut command = bench.command();
    command.arg("run").arg(file).arg("--json");
    command.arg("--store").arg(bench.store_path());
    command.env("XDG_RUNTIME_DIR", bench.target());
    for device in loops {
        command.arg("--yes-destroy").arg(&device.file);
    }
    command
}

/// Returns our directories for mounts and for fio's own files.
fn run_directories() -> Vec<PathBuf> {
    let entries = [Path::new("/run"), &std::env::temp_dir()].map(crate::support::entries);
    let mut ours: Vec<PathBuf> = entries.into_iter().flatten().collect();
    ours.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(".stripewise-")
    });
    ours
}

/// Asserts that nothing is left anywhere. Ignores directories of concurrent tests, which carry the
/// number of a living process.
fn assert_nothing_left(bench: &Bench, loops: &[Loop], when: &str) {
    bench.assert_clean();
    for device in loops {
        assert_empty(device, when);
    }
    let of_the_dead = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let process = name.split('-').nth(1).unwrap_or_default().to_owned();
        !Path::new("/proc").join(process).exists() && !LEFT_BEFORE.contains(path)
    };
    let left: Vec<PathBuf> = run_directories().into_iter().filter(of_the_dead).collect();
    assert_eq!(left, Vec::<PathBuf>::new(), "{when}");
}

fn kernel_name(device: &Loop) -> &str {
    device.name().strip_prefix("/dev/").unwrap()
}

/// A name, the number of devices, the keys of a study, and the program that makes it.
type Stack = (&'static str, usize, &'static str, &'static str);

const STACKS: [Stack; 4] = [
    ("a block device", 1, "filesystem = \"none\"", "blkid"),
    (
        "ext4",
        1,
        "filesystem = { type = \"ext4\", options = [\"noatime\"] }",
        "mkfs.ext4",
    ),
    ("xfs", 1, "filesystem = \"xfs\"", "mkfs.xfs"),
    (
        "btrfs",
        2,
        "filesystem = { type = \"btrfs\", mkfs = [\"-d\", \"raid1\"] }",
        "mkfs.btrfs",
    ),
];

/// Returns the drawn stacks.
fn drawn_stacks(what: &str) -> impl Iterator<Item = Stack> {
    let drawn = share(what, &STACKS.map(|(name, ..)| name), 2);
    let stacks = STACKS.into_iter();
    stacks.filter(move |(name, ..)| drawn.contains(name))
}

#[test]
fn filesystems_and_devices_are_measured_with_the_real_fio_and_given_back_empty() {
    for (name, count, stack, tool) in drawn_stacks("stacks measured with fio") {
        let Some((bench, loops)) = set_up_many(name, count, 400, &[tool, "fio"]) else {
            continue;
        };
        let mut command = run(&bench, &loops, stack);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let document = bench.json(command);
        let runs = bench.stored_run(1);
        for record in &runs.samples {
            let sample = &record.sample;
            assert!(
                sample.read.bytes.as_u64() + sample.write.bytes.as_u64() > 0,
                "{name}"
            );
            let devices: Vec<&str> = sample
                .devices
                .iter()
                .map(|delta| delta.device.as_str())
                .collect();
            let mut members: Vec<&str> = loops.iter().map(kernel_name).collect();
            members.sort_by_key(|member| (member.len(), *member));
            assert_eq!(devices, members, "{name}: one count a member");
            let written: u64 = sample
                .devices
                .iter()
                .map(|delta| delta.write_bytes.as_u64())
                .sum();
            let asked = sample.write.bytes.as_u64();
            assert!(
                written >= asked / 2,
                "{name}: {written} of {asked} bytes reached the members"
            );
        }
        assert_eq!(at(&document, "/run/world"), &Value::from("metal"));
        assert_nothing_left(&bench, &loops, name);
        assert_eq!(bench.store().outstanding_changes().unwrap(), []);
    }
}

/// Returns from which step on and how far apart the tool is killed.
fn kill_steps() -> (u64, usize) {
    let every = std::env::var("STRIPEWISE_TEST_KILL_EVERY").map_or(5, |text| text.parse().unwrap());
    let first = 1 + seed() % every;
    say(&format!("killed from step {first} on, every {every}"));
    (first, usize::try_from(every).unwrap())
}

#[test]
fn killed_at_an_entry_of_the_journal_restore_leaves_nothing() {
    let (first, every) = kill_steps();
    for (name, count, stack, tool) in drawn_stacks("stacks killed at an entry of the journal") {
        let Some((bench, loops)) = set_up_many(name, count, 400, &[tool]) else {
            continue;
        };
        let mut kills = 0;
        for entry in (first..).step_by(every) {
            let mut command = run(&bench, &loops, stack);
            command.env("STRIPEWISE_TEST_KILL_AT", format!("{entry}"));
            let done = bench.finish(command);
            if done.signal.is_none() {
                // The fake fio claims I/Os that the devices did not do, so no sample counts.
                let is_measured = done.stderr.contains("no sample counts");
                assert!(is_measured, "{name} at {entry}: {}", done.transcript());
                break;
            }
            kills += 1;
            let when = format!("{name}, killed at entry {entry}");
            let outstanding = bench.store().outstanding_changes().unwrap();
            let restored = bench.finish(bench.stored("restore"));
            assert_eq!(restored.code, Some(0), "{when}: {}", restored.transcript());
            assert!(!outstanding.is_empty(), "{when}: {}", restored.transcript());
            assert_nothing_left(&bench, &loops, &when);
            let again = bench.finish(bench.stored("restore"));
            assert!(
                again.stderr.contains("nothing was left behind"),
                "{when}: {}",
                again.transcript()
            );
        }
        // A directory and a device at least, announced and undone.
        assert!(kills * every >= 4, "{name}: killed {kills} times");
        assert_nothing_left(&bench, &loops, name);
        say(&format!("{name}: killed {kills} times, nothing left"));
    }
}

#[test]
fn killed_before_or_after_a_tool_restore_leaves_nothing() {
    let (first, every) = kill_steps();
    let (name, count, stack, tool) = STACKS[1];
    let Some((bench, loops)) = set_up_many(name, count, 400, &[tool]) else {
        return;
    };
    let mut restores = 0;
    // Two steps are of one tool: before it and after it.
    for step in (first..)
        .step_by(every)
        .flat_map(|tool| [2 * tool - 1, 2 * tool])
    {
        let mut command = run(&bench, &loops, stack);
        command.env("STRIPEWISE_TEST_KILL_AT_TOOL", format!("{step}"));
        if bench.finish(command).signal.is_none() {
            assert!(step > 20, "not killed at step {step}");
            break;
        }
        let when = format!("{name}, killed at step {step} of its tools");
        // While it checks the devices, nothing is recorded yet.
        if !bench.store_path().exists() {
            assert_nothing_left(&bench, &loops, &when);
            continue;
        }
        // Only every third step also kills `restore`, because each kill takes a second.
        if step % 3 == 0 {
            for step in 1.. {
                let mut restore = bench.stored("restore");
                restore.env("STRIPEWISE_TEST_KILL_AT_TOOL", format!("{step}"));
                let restored = bench.finish(restore);
                if restored.signal.is_none() {
                    assert_eq!(restored.code, Some(0), "{when}: {}", restored.transcript());
                    break;
                }
                restores += 1;
            }
        } else {
            let restored = bench.finish(bench.stored("restore"));
            assert_eq!(restored.code, Some(0), "{when}: {}", restored.transcript());
        }
        assert_nothing_left(&bench, &loops, &when);
    }
    assert!(restores * every > 20, "restore was killed {restores} times");
}

#[test]
fn another_users_filesystem_is_not_touched() {
    const WHAT: &str = "another user's filesystem";
    let Some((bench, loops)) = set_up::<1>(WHAT, 400, &["mkfs.ext4"]) else {
        return;
    };
    // Killed when the filesystem is announced but not made; the device is announced too.
    let mut command = run(&bench, &loops, "filesystem = \"ext4\"");
    command.env("STRIPEWISE_TEST_KILL_AT", "5");
    let status = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), None);
    let name = loops[0].name();
    loops::run("mkfs.ext4", &["-q", "-F", "-L", "precious", name]);
    let restored = bench.finish(bench.stored("restore"));
    assert_eq!(restored.code, Some(0), "{}", restored.transcript());
    assert!(
        restored.stderr.contains("not touched"),
        "{}",
        restored.transcript()
    );
    let arguments = ["--no-act", "--noheadings", "--output", "LABEL", name];
    assert_eq!(loops::run("wipefs", &arguments).trim(), "precious");
}
