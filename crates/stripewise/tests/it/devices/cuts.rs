//! Power cuts without a guest: `pull-plug --world metal`.
//!
//! The failures: a loop device reported its cache as "write through", so the kernel sent no flush,
//! and a table showed that a filesystem with flushes loses everything. And a killed run left loop
//! devices whose every read failed, which a later tool waited for.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use stripewise_powercut::disk::{Disk, Logged};
use stripewise_powercut::fuse::{DiskFile, serve};
use stripewise_powercut::store::Store;

use super::{LoneBench, set_up};
use crate::support::{Bench, processes_with, skip, until};
use stripewise_fixtures::loops::{has, has_loops};

/// Returns whether disks can be served here; prints a skip message if not.
fn has_fuse(what: &str) -> bool {
    let is_there = File::options()
        .read(true)
        .write(true)
        .open("/dev/fuse")
        .is_ok();
    if !is_there {
        skip(what, "this kernel or container has no FUSE");
    }
    is_there && has("unshare", what)
}

pub(super) fn set_up_cuts(what: &str) -> Option<LoneBench> {
    let (bench, []) = set_up(what, 0, &["losetup", "mkfs.ext4", "e2fsck"])?;
    has_fuse(what).then_some(bench)
}

/// Returns whether the file of a loop device belongs to a program that runs and is not the bench's:
/// someone may cut power on this machine while the tests run.
fn is_anothers(file: &str, bench: &Bench) -> bool {
    let Some((_, owner)) = file.split_once("/stripewise-disks-") else {
        return false;
    };
    let process = Path::new("/proc").join(owner.split('/').next().unwrap());
    let ours = processes_with(bench.target().parent().unwrap());
    process.exists() && !ours.contains(&process)
}

/// What is left of the bench's power cuts on this machine.
pub(super) fn leftovers(bench: &Bench) -> Vec<String> {
    let devices = fs::read_dir("/sys/block").unwrap();
    let files = devices.filter_map(|device| {
        let file = device.unwrap().path().join("loop/backing_file");
        fs::read_to_string(file).ok()
    });
    let mut left: Vec<String> = files
        .filter(|file| file.contains("/held") && !is_anothers(file, bench))
        .collect();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let ours = mounts.lines().filter(|line| line.contains("stripewise-"));
    left.extend(ours.map(str::to_owned));
    left
}

fn study(flush: &str, sample: &str) -> String {
    format!(
        r#"
[stack.ext4]
devices = {{ sata-ssd = 1 }}
filesystem = "ext4"
[workload]
pattern = "randwrite"
block_size = "16K"
size = "1M"
fdatasync = 1
[conditions]
flush = {flush}
[repeat]
sample = "{sample}"
"#
    )
}

fn pull_plug(bench: &Bench, study: &str) -> Command {
    let file = bench.write("study.toml", study);
    let mut command = bench.stored("pull-plug --world metal --disk-size 64M --seed 5 --json");
    command.args(["--survive", "dropped"]).arg(file);
    command
}

#[test]
fn flushes_save_everything_acknowledged_and_ignored_ones_nothing() {
    let Some(bench) = set_up_cuts("power cuts without a guest") else {
        return;
    };
    let study = study(r#"["honoured", "ignored"]"#, "200ms");
    let mut command = pull_plug(&bench, &study);
    command.args(["--cuts", "4", "--images", "2"]);
    let document = bench.json(command);
    for cell in document["cells"].as_array().unwrap() {
        let is_ignored = cell["conditions"]["flush"] == "ignored";
        let samples = cell["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 4);
        for sample in samples {
            let cut = &sample["cut"];
            let outcome = &cut["outcome"];
            assert_eq!(outcome["kind"], "came_back", "{cut}");
            assert_eq!(outcome["corrupt"], 0, "{cut}");
            let acknowledged = cut["acknowledged"].as_u64().unwrap();
            assert!(acknowledged > 0, "{cut}");
            let lost = if is_ignored { acknowledged } else { 0 };
            assert_eq!(outcome["records"], lost, "{cut}");
        }
    }
    assert_eq!(leftovers(&bench), Vec::<String>::new());
    bench.assert_clean();
}

/// A database that waits for its log, and one that never does.
const DATABASES: &str = r#"
[stack.ext4]
devices = { sata-ssd = 1 }
filesystem = "ext4"
[workload]
pattern = "write"
block_size = "1K"
size = "1M"
direct = false
[workload.durable]
fdatasync = 1
database = { program = "mariadb" }
[workload.never]
database = { program = "postgresql", settings = { fsync = "off" } }
[repeat]
sample = "300ms"
"#;

#[test]
fn a_durable_database_keeps_its_commits_and_one_without_fsync_none_that_a_drive_dropped() {
    let what = "power cuts of databases without a guest";
    let Some(bench) = set_up_cuts(what) else {
        return;
    };
    for kind in stripewise_database::Kind::ALL {
        if let Some(program) = kind.missing_programs().first() {
            skip(what, &format!("`{}` is not installed", program.name));
            return;
        }
    }
    let file = bench.write("study.toml", DATABASES);
    let mut command = bench.stored("pull-plug --world metal --disk-size 384M --seed 5 --json");
    command
        .args(["--survive", "dropped", "--cuts", "2", "--images", "2"])
        .arg(file);
    let document = bench.json(command);
    for cell in document["cells"].as_array().unwrap() {
        let is_durable = cell["workload"]["name"] == "durable";
        let samples = cell["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 2);
        for sample in samples {
            let (cut, outcome) = (&sample["cut"], &sample["cut"]["outcome"]);
            let acknowledged = cut["acknowledged"].as_u64().unwrap();
            assert!(acknowledged > 0, "{cut}");
            match outcome["kind"].as_str().unwrap() {
                "came_back" => {
                    let lost = if is_durable { 0 } else { acknowledged };
                    assert_eq!(outcome["records"], lost, "{cut}");
                    assert_eq!(outcome["corrupt"], 0, "{cut}");
                }
                // A server that flushed nothing at all may not start.
                other => assert!(!is_durable && other == "unusable", "{cut}"),
            }
        }
    }
    assert_eq!(leftovers(&bench), Vec::<String>::new());
    bench.assert_clean();
}

#[test]
fn nothing_is_left_of_a_killed_run() {
    let Some(bench) = set_up_cuts("killed power cuts") else {
        return;
    };
    let study = study(r#""honoured""#, "300ms");
    for after_ms in [150, 400, 700, 1000, 1300] {
        let mut command = pull_plug(&bench, &study);
        let mut child = command
            .args(["--cuts", "100"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(after_ms));
        child.kill().unwrap();
        child.wait().unwrap();
        let began = Instant::now();
        until("the kernel to let go of everything", || {
            leftovers(&bench).is_empty().then_some(())
        });
        bench.assert_clean();
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn arrays_and_unsuitable_options_are_refused_before_anything_is_mounted() {
    let Some(bench) = set_up_cuts("refused power cuts") else {
        return;
    };
    let array = study(r#""honoured""#, "1s").replace(
        "sata-ssd = 1 }",
        "sata-ssd = 2 }\narray = { level = \"raid1\" }",
    );
    let done = bench.finish(pull_plug(&bench, &array));
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("array would stay"), "{}", done.stderr);
    assert!(done.stderr.contains("--world lab"), "{}", done.stderr);

    let mut command = pull_plug(&bench, &study(r#""honoured""#, "1s"));
    command.args(["--without-member", "0"]);
    let done = bench.finish(command);
    assert!(
        done.stderr.contains("`--without-member`"),
        "{}",
        done.stderr
    );
    assert_eq!(leftovers(&bench), Vec::<String>::new());
}

/// Mounts what its standard output serves, and writes, flushes and clears through a loop device.
const SCRIPT: &str = r#"
PATH=$PATH:/usr/sbin:/sbin
mount -i -t fuse.stripewise -o fd=1,rootmode=40000,user_id=0,group_id=0 disks "$1" || exit 1
exec >/dev/null
echo mounted >&2
loop=$(losetup --find --show --direct-io=on "$1/flushed") || exit 2
cat "/sys/block/${loop#/dev/}/queue/write_cache" >&2
for place in 0 1 2 3 4; do
    dd if=/dev/urandom of=$loop bs=64K count=1 seek=$place oflag=direct conv=fsync 2>/dev/null
done
blkdiscard --offset 65536 --length 65536 $loop
blkdiscard --zeroout --offset 131072 --length 65536 $loop
losetup --detach $loop
"#;

#[test]
fn a_loop_device_sends_each_flush_and_whole_requests() {
    let what = "flushes of a loop device";
    if !has_loops(what) || !has_fuse(what) || !has("blkdiscard", what) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let fuse = File::options().read(true).write(true).open("/dev/fuse");
    let fuse = OwnedFd::from(fuse.unwrap());
    let mut disk = Disk::new(1 << 20);
    disk.begin(Store::default(), Instant::now());
    let disk = Arc::new(Mutex::new(disk));
    let mut child = Command::new("unshare")
        .args([
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            SCRIPT,
            "sh",
        ])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(fuse.try_clone().unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "mounted");
    let files = vec![DiskFile {
        name: "flushed".to_owned(),
        disk: Arc::clone(&disk),
    }];
    let server = std::thread::spawn(move || serve(fuse, files, false));
    let printed: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(child.wait().unwrap().success(), "{printed:?}");
    server.join().unwrap().unwrap();
    assert_eq!(printed, ["write back"]);

    let disk = disk.lock().unwrap();
    let log = disk.log().iter();
    let log: Vec<(&str, u64, usize)> = log
        .map(|entry| match &entry.what {
            Logged::Write { offset, data, .. } => ("write", offset >> 16, data.len() >> 16),
            Logged::Clear { offset, length, .. } => (
                "clear",
                offset >> 16,
                usize::try_from(length >> 16).unwrap(),
            ),
            Logged::Flush => ("flush", 0, 0),
        })
        .collect();
    // Turning direct I/O on flushes once.
    let first = log.iter().position(|(what, ..)| *what == "write");
    let log = &log[first.expect("the first write")..];
    let mut expected = Vec::new();
    for place in 0..5 {
        expected.extend([("write", place, 1), ("flush", 0, 0)]);
    }
    expected.extend([("clear", 1, 1), ("clear", 2, 1)]);
    assert_eq!(log[..expected.len()], expected, "{log:?}");
    let left = fs::read_dir(Path::new(folder.path())).unwrap().count();
    assert_eq!(left, 0);
}
