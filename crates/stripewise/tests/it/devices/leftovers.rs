//! `restore` on a machine that has changed since the run.
//!
//! The failure: one of two devices was unplugged when `restore` ran. It claimed that it had wiped
//! both, and dropped the record; with the device back, nobody knew where its filesystem came from.
//! Another time a mount was still in use, so `restore` kept it, and wiped the filesystem below it.
//! And a store that came by mail named the recipient's own pool.

use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stripewise_results::NewRun;
use stripewise_study::facts::Facts;
use stripewise_study::world::WorldName;
use stripewise_study::world::{Change, Journal, PhysicalVolume};
use stripewise_units::Bytes;

use super::set_up;
use crate::support::{Bench, Done, skip, where_mounting_is_allowed};
use stripewise_fixtures::loops::{self, Loop};

const EXT4: &str = "filesystem = \"ext4\"";
/// The journal entry after a filesystem is made and before it is mounted.
const BEFORE_MOUNT: &str = "9";

/// Kills a run of a stack on `devices` at an entry of its journal.
fn killed(bench: &Bench, devices: &[Loop], stack: &str, entry: &str) {
    let names: Vec<String> = devices
        .iter()
        .map(|device| format!("{:?}", device.name()))
        .collect();
    let study = format!(
        r#"
[may_destroy]
test-disk = [{}]
[stack.it]
devices = {{ test-disk = {} }}
{stack}
[workload]
pattern = "randread"
block_size = "4K"
size = "1M"
[repeat]
sample = "50ms"
at_least = 2
at_most = 2
"#,
        names.join(", "),
        devices.len()
    );
    let study = bench.write("study.toml", &study);
    let mut command = bench.command();
    command.arg("run").arg(study);
    command.arg("--store").arg(bench.store_path());
    for device in devices {
        command.arg("--yes-destroy").arg(&device.file);
    }
    command.env("STRIPEWISE_TEST_KILL_AT", entry);
    let done = bench.finish(command);
    assert!(done.signal.is_some(), "{}", done.transcript());
}

fn restore(bench: &Bench) -> Done {
    bench.finish(bench.stored("restore"))
}

fn assert_restored(bench: &Bench, devices: &[&Loop]) {
    let done = restore(bench);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    for device in devices {
        assert_empty(device);
    }
    let again = restore(bench);
    assert!(
        again.stderr.contains("nothing was left"),
        "{}",
        again.stderr
    );
}

fn assert_empty(device: &Loop) {
    assert_eq!(loops::run("wipefs", &["--no-act", device.name()]), "");
    assert!(
        device.read_at(2048, 10) != b"stripewise",
        "a marker is left"
    );
}

/// Returns the types of the signatures on a device.
fn kinds(device: &Loop) -> String {
    let arguments = [
        "--no-act",
        "--noheadings",
        "--output",
        "TYPE",
        device.name(),
    ];
    let kinds = loops::run("wipefs", &arguments);
    kinds.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the announced mount point of a filesystem.
fn mount_point(bench: &Bench) -> PathBuf {
    let changes = bench.store().outstanding_changes().unwrap();
    let mut directories = changes.into_iter().filter_map(|(_, change)| match change {
        Change::Mounted { directory, .. } => Some(directory),
        _ => None,
    });
    directories.next().unwrap()
}

#[test]
fn an_announced_change_that_was_never_made_is_not_reported_as_undone() {
    const WHAT: &str = "a mount that was announced";
    let Some((bench, devices)) = set_up::<1>(WHAT, 64, &["mkfs.ext4"]) else {
        return;
    };
    killed(&bench, &devices, EXT4, BEFORE_MOUNT);
    let directory = mount_point(&bench);
    let done = restore(&bench);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let reports = |words: &str| done.stderr.contains(words);
    let mount = format!("nothing to undo: mount `{}`", directory.display());
    assert!(reports(&mount), "{}", done.stderr);
    assert!(reports("wiped filesystem"), "{}", done.stderr);
    let removed = format!("removed `{}`", directory.display());
    assert!(reports(&removed), "{}", done.stderr);
    assert!(!reports("unmounted"), "{}", done.stderr);
    assert_empty(&devices[0]);
}

#[test]
fn foreign_signatures_beside_ours_are_not_touched() {
    const WHAT: &str = "a table beside a filesystem";
    let Some((bench, devices)) = set_up::<1>(WHAT, 64, &["mkfs.ext4"]) else {
        return;
    };
    killed(&bench, &devices, EXT4, BEFORE_MOUNT);
    assert_eq!(kinds(&devices[0]), "ext4");
    let mut table = [0; 512];
    table[446 + 4] = 0x83;
    table[446 + 8..446 + 12].copy_from_slice(&2048_u32.to_le_bytes());
    table[446 + 12..446 + 16].copy_from_slice(&2048_u32.to_le_bytes());
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    let device = OpenOptions::new().write(true).open(&devices[0].path);
    device.unwrap().write_all_at(&table, 0).unwrap();
    let before = devices[0].read_at(0, 1 << 20);
    let done = restore(&bench);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert!(done.stderr.contains("not touched"), "{}", done.stderr);
    assert!(done.stderr.contains("`dos`"), "{}", done.stderr);
    assert!(
        devices[0].read_at(0, 1 << 20) == before,
        "a byte was changed"
    );
}

/// Attaches the file of a loop device to its number again.
fn attach_again(device: &Loop) {
    let began = Instant::now();
    let file = device.file.to_str().unwrap();
    while !loops::attempt("losetup", &[device.name(), file])
        .status
        .success()
    {
        assert!(began.elapsed() < Duration::from_secs(20), "it is held");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn changes_on_a_missing_device_stay_recorded() {
    const WHAT: &str = "a device that is gone";
    let Some((bench, devices)) = set_up::<2>(WHAT, 400, &["mkfs.btrfs"]) else {
        return;
    };
    killed(&bench, &devices, "filesystem = \"btrfs\"", BEFORE_MOUNT);
    let [here, gone] = &devices;
    let detach = || loops::run("losetup", &["--detach", gone.name()]);
    detach();
    for _ in 0..2 {
        let done = restore(&bench);
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        let name = gone.name();
        assert!(done.stderr.contains("kept: marker"), "{}", done.stderr);
        assert!(
            done.stderr.contains(&format!("`{name}` is ")),
            "{}",
            done.stderr
        );
        assert!(done.stderr.contains("--forget 1"), "{}", done.stderr);
        assert!(!done.stderr.contains("wiped filesystem"));
    }
    assert_empty(here);
    attach_again(gone);
    assert_restored(&bench, &[here, gone]);

    killed(&bench, &devices, "filesystem = \"btrfs\"", BEFORE_MOUNT);
    detach();
    let left = bench.store().outstanding_changes().unwrap();
    let done = bench.finish(bench.stored("restore --forget 2"));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert!(
        done.stderr.contains("record dropped: filesystem"),
        "{}",
        done.stderr
    );
    assert_eq!(bench.store().outstanding_changes().unwrap(), []);
    attach_again(gone);
    assert_eq!(kinds(gone), "btrfs", "it was not touched");
    for (_, change) in left {
        if let Change::CreatedDirectory { path, .. } = change {
            // One was announced but not made.
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

#[test]
fn nothing_is_touched_below_a_mount_that_is_in_use() {
    const WHAT: &str = "a mount in use";
    let Some((bench, devices)) = set_up::<1>(WHAT, 64, &["mkfs.ext4"]) else {
        return;
    };
    killed(&bench, &devices, EXT4, BEFORE_MOUNT);
    let directory = mount_point(&bench);
    let directory = directory.to_str().unwrap();
    loops::run("mount", &[devices[0].name(), directory]);
    let mut user = Command::new("sleep")
        .arg("60")
        .current_dir(directory)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let left = bench.store().outstanding_changes().unwrap().len();
    let done = restore(&bench);
    let kinds_meanwhile = kinds(&devices[0]);
    user.kill().unwrap();
    user.wait().unwrap();
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(done.stderr.contains("failed to unmount"), "{}", done.stderr);
    assert_eq!(kinds_meanwhile, "ext4");
    let still_left = bench.store().outstanding_changes().unwrap().len();
    assert!(
        still_left + 1 >= left,
        "all but the directory of fio's files"
    );
    assert_restored(&bench, &[&devices[0]]);
}

#[test]
fn our_mount_is_recognised_by_its_filesystem_however_it_was_mounted() {
    const WHAT: &str = "a mount by way of another loop device";
    let Some((bench, devices)) = set_up::<1>(WHAT, 64, &["mkfs.ext4"]) else {
        return;
    };
    killed(&bench, &devices, EXT4, BEFORE_MOUNT);
    let directory = mount_point(&bench);
    let arguments = ["-o", "loop", devices[0].name(), directory.to_str().unwrap()];
    loops::run("mount", &arguments);
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(&format!(" {} ", devices[0].name())));
    // The other loop device disappears a moment after the unmount.
    let began = Instant::now();
    while restore(&bench).code != Some(0) {
        assert!(began.elapsed() < Duration::from_secs(20), "it is held");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_restored(&bench, &[&devices[0]]);
}

#[test]
fn a_run_of_another_machine_is_not_undone_here() {
    const WHAT: &str = "a run of another machine";
    let Some((bench, devices)) = set_up::<1>(WHAT, 64, &["mkfs.ext4"]) else {
        return;
    };
    killed(&bench, &devices, EXT4, BEFORE_MOUNT);
    let before = devices[0].read_at(0, 1 << 20);
    let script = format!(
        "for file in /etc/machine-id /proc/sys/kernel/random/boot_id /proc/sys/kernel/hostname; do \
           [ -e $file ] || continue; \
           echo 0123456789abcdef0123456789abcdef > id; mount --bind id $file; \
         done; exec \"$1\" restore --store '{}'",
        bench.store_path().display()
    );
    let Some(command) = where_mounting_is_allowed(&bench, &script) else {
        return skip(WHAT, "it needs mount namespaces");
    };
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let left = bench.store().outstanding_changes().unwrap();
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    let named = format!("on another machine, `{}`", host.trim());
    assert!(done.stderr.contains(&named), "{}", done.stderr);
    assert_eq!(bench.store().outstanding_changes().unwrap(), left);
    assert!(
        devices[0].read_at(0, 1 << 20) == before,
        "a byte was changed"
    );
    assert_restored(&bench, &[&devices[0]]);
}

/// Returns changes that none of our runs can have announced, on a device that one did announce.
fn forged(device: &Path) -> Vec<Change> {
    let here = vec![device.to_owned()];
    let ours = "3f9c52a1-b07d-8191-9122-334455667788".to_owned();
    let theirs = "11223344-5566-4788-99aa-bbccddeeff00".to_owned();
    vec![
        Change::MadePool {
            name: "tank".to_owned(),
            devices: here.clone(),
        },
        Change::MadeVolumeGroup {
            name: "vg0".to_owned(),
            physical: vec![PhysicalVolume {
                device: device.to_owned(),
                uuid: ours.clone(),
            }],
        },
        Change::MadeFilesystem {
            identity: theirs.clone(),
            devices: here.clone(),
        },
        Change::MadeFilesystem {
            identity: "home".to_owned(),
            devices: here.clone(),
        },
        Change::MadeFilesystem {
            identity: ours.clone(),
            devices: vec!["/dev/null".into()],
        },
        Change::Mounted {
            directory: "/home".into(),
            devices: here.clone(),
        },
        Change::BuiltArray {
            device: "/dev/md127".into(),
            uuid: theirs,
            members: here.clone(),
        },
        Change::BuiltArray {
            device: "/dev/sda".into(),
            uuid: ours,
            members: here.clone(),
        },
        Change::BuiltContainer {
            device: "/dev/md127".into(),
            volumes: vec!["Volume0".to_owned()],
            members: here,
        },
    ]
}

#[test]
fn a_store_from_elsewhere_destroys_nothing() {
    const WHAT: &str = "a forged journal";
    let Some((bench, [device])) = set_up::<1>(WHAT, 64, &["mkfs.ext4"]) else {
        return;
    };
    loops::run("mkfs.ext4", &["-q", "-F", device.name()]);
    let before = device.read_at(0, 1 << 20);
    let mut changes = forged(&device.path);
    changes.insert(
        0,
        Change::ClaimedDevice {
            path: device.path.clone(),
            size_bytes: Bytes::new(64 << 20),
            serial: Some(device.file.display().to_string()),
            token: "3f9c52a1b07d".to_owned(),
        },
    );
    std::fs::create_dir(bench.path("store")).unwrap();
    let mut store = stripewise_results::Store::open(&bench.store_path()).unwrap();
    let new = NewRun::of(WorldName::Metal.into(), "forged");
    let run = store.begin_run(&new, &[], &Facts::default()).unwrap();
    for change in &changes {
        store.journal(run).announce(change).unwrap();
    }
    drop(store);
    let tools = bench.path("tools");
    std::fs::create_dir(&tools).unwrap();
    let script = format!("#!/bin/sh\necho \"$0 $*\" >> '{}/used'\n", tools.display());
    for name in ["zpool", "lvm", "mdadm", "umount", "dmsetup"] {
        let tool = tools.join(name);
        std::fs::write(&tool, &script).unwrap();
        std::fs::set_permissions(&tool, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut command = bench.stored("restore");
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", tools.display()));
    let done = bench.finish(command);
    // Layers that are missing cannot be inspected, so the changes below them stay recorded.
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    let said = |words: &str| done.stderr.matches(words).count();
    assert_eq!(
        said(": not touched: ") + said(": kept: "),
        changes.len(),
        "{}",
        done.stderr
    );
    let used = std::fs::read_to_string(tools.join("used")).unwrap_or_default();
    assert_eq!(used, "", "a tool was run");
    assert!(device.read_at(0, 1 << 20) == before, "a byte was changed");
}
