//! Stacks on a real kernel's md, LVM and device mapper, in a guest: built, killed, refused.
//!
//! The failure: a run was killed while its array was being created, and the disks could neither be
//! used nor be released. Test machines may have neither md nor LVM, so that test never ran. A guest
//! has both: `guest/run.sh` runs there, on loop devices in memory, with this very program as
//! the tool.
//!
//! The complete test takes more than ten minutes, so each run draws a part of it: a kind of stack,
//! killed at one entry of its journal, some of the situations for `restore`, two of the refusals,
//! and an unexpected failure of a member. `make soak` draws two kinds of stack, more situations, every
//! refusal and every failure; `STRIPEWISE_TEST_LAB_GUEST=all` runs all, `STRIPEWISE_TEST_SEED=N`
//! repeats a part, and `STRIPEWISE_TEST_LAB_GUEST="fixes raid5"` runs the named cases.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{MEMORY, cache};
use crate::support::{Bench, Numbers, say, seed, skip, wants_all, with};

/// A guest with one unused disk.
const STUDY: &str = r#"
[stack.unused]
devices = { "samsung-850-evo-500" = 1 }
filesystem = "none"
[workload]
pattern = "randread"
block_size = "4K"
size = "16M"
[repeat]
sample = "50ms"
at_least = 6
at_most = 6
"#;

/// The stacks that are killed.
const KILLED: [&str; 5] = [
    "killed-raid10",
    "killed-ext4-on-raid1",
    "killed-imsm",
    "killed-lvm",
    "killed-btrfs",
];

/// The number of journal entries to draw from: about as many as there are.
const ENTRIES: u64 = 18;

/// How many cases a part draws, besides [`ALWAYS_RESTORED`].
struct Part {
    denied: u64,
    lost: u64,
    restored: u64,
    killed: u64,
    mended: u64,
}

const PART: Part = Part {
    denied: 2,
    lost: 1,
    restored: 1,
    killed: 1,
    mended: 0,
};

/// What `make soak` draws.
const LARGE_PART: Part = Part {
    denied: DENIED.len() as u64,
    lost: LOST.len() as u64,
    restored: 3,
    killed: 2,
    mended: MENDED.len() as u64,
};

/// Kills at every step of writing settings of the kernel: of a run, and of `check --fix` and what it
/// writes to disks and arrays. They take a minute and more than a hundred starts of the program.
const MENDED: [&str; 2] = ["killed-settings", "fixes"];

/// The refusals.
const DENIED: [&str; 8] = [
    "denied-md",
    "denied-imsm",
    "denied-lvm",
    "denied-dm",
    "denied-swap",
    "denied-filesystem",
    "denied-partitions",
    "denied-ours",
];

/// Leftovers that `restore` finds incomplete, or changed by another user.
const RESTORED: [&str; 9] = [
    "restore-table",
    "restore-member",
    "restore-lvm",
    "restore-spare",
    "restore-layers",
    "restore-volume",
    "restore-half",
    "restore-pulled",
    "remnant",
];

/// Failures of a member during a measurement, or during the sync before it.
const LOST: [&str; 2] = ["lost-member", "lost-in-sync"];

/// The case that every part includes: another user's filesystem on our array.
const ALWAYS_RESTORED: &str = "restore-over";

/// Draws some of these names, each at most once.
fn some_of(names: &[&'static str], count: u64, numbers: &mut Numbers) -> Vec<&'static str> {
    let mut names = names.to_vec();
    let draw = |_| {
        let index = numbers.below(names.len() as u64);
        names.swap_remove(usize::try_from(index).unwrap())
    };
    (0..count).map(draw).collect()
}

/// Returns the arguments of the script.
fn drawn(seed: u64, part: &Part) -> Vec<String> {
    let mut numbers = Numbers::of(seed);
    let mut names = some_of(&DENIED, part.denied, &mut numbers);
    names.extend(some_of(&LOST, part.lost, &mut numbers));
    names.extend(some_of(&RESTORED, part.restored, &mut numbers));
    names.extend(some_of(&MENDED, part.mended, &mut numbers));
    names.push(ALWAYS_RESTORED);
    let mut words: Vec<String> = names.into_iter().map(str::to_owned).collect();
    for name in some_of(&KILLED, part.killed, &mut numbers) {
        words.push(format!("{name}:{}", 1 + numbers.below(ENTRIES)));
    }
    words
}

/// Returns shell input that unpacks the script and the fake fio, and runs the script.
fn packed(words: &[String]) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut text = String::from("mkdir -p /tmp/test/fake && cd /tmp/test\nstty -echo\n");
    for (name, file) in [
        ("run.sh", tests.join("lab/guest/run.sh")),
        ("fake/fio", tests.join("support/fake/fio")),
    ] {
        let mut gzip = Command::new("gzip");
        let gzip = gzip.arg("--best").arg("--stdout").arg(file);
        let mut base64 = Command::new("base64");
        let mut gzip = gzip.stdout(Stdio::piped()).spawn().unwrap();
        let coded = base64.stdin(gzip.stdout.take().unwrap()).output().unwrap();
        assert!(gzip.wait().unwrap().success() && coded.status.success());
        let coded = String::from_utf8(coded.stdout).unwrap();
        text.push_str(&format!(
            "base64 -d <<'END' | gunzip > {name}\n{coded}END\nchmod +x {name}\n"
        ));
    }
    let words = words.join(" ");
    text.push_str(&format!(
        "STRIPEWISE=/agent/start sh ./run.sh {words}; echo lab_guest: exit $?\n"
    ));
    text
}

pub(super) fn stacks_are_killed_and_devices_refused_on_a_real_kernel() {
    let Some((bench, cache)) = cache().and_then(|cache| Some((Bench::new()?, cache))) else {
        return;
    };
    let seed = seed();
    let which = std::env::var("STRIPEWISE_TEST_LAB_GUEST");
    let words = match which.as_deref() {
        Ok("all") => Vec::new(),
        Ok(named) => named.split(' ').map(str::to_owned).collect(),
        Err(_) if wants_all() => drawn(seed, &LARGE_PART),
        Err(_) => drawn(seed, &PART),
    };
    if !words.is_empty() {
        let why = format!(
            "a part, STRIPEWISE_TEST_SEED={seed}: {}; STRIPEWISE_TEST_LAB_GUEST=all runs all",
            words.join(" ")
        );
        skip("most stacks in a guest", &why);
    }
    let began = Instant::now();
    let study = bench.write("study.toml", STUDY);
    let command = with(bench.command(), ["lab", "shell", "--clock", "wall"]);
    let mut command = with(with(command, MEMORY), ["--disk-size", "64M"]);
    command.arg(study).arg("--cache").arg(cache);
    let mut child = bench.start({
        command.stdin(Stdio::piped());
        command
    });
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(packed(&words).as_bytes()).unwrap();
    drop(pipe);
    let done = bench.wait(child);
    let lines: Vec<&str> = done
        .stdout
        .lines()
        // The shell's prompt may precede it.
        .filter_map(|line| Some(line.get(line.find("lab_guest: ")?..)?.trim()))
        .collect();
    say(&format!(
        "{}\nlab_guest: {:?}",
        lines.join("\n"),
        began.elapsed()
    ));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(
        lines.last().copied(),
        Some("lab_guest: exit 0"),
        "{}",
        done.transcript()
    );
    bench.assert_clean();
}
