//! `restore` and `resume` after the target has changed.
//!
//! The failure: a run was killed, and the filesystem of its target was unmounted before `restore`
//! ran. The directory below the mount point had no workspace in it. So `restore` reported that
//! there was nothing to undo and dropped the record, and gigabytes of test files stayed on that
//! filesystem for ever.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};

use super::{LoneBench, set_up};
use crate::support::{QUICK, entries};
use stripewise_fixtures::loops::{Loop, attempt, run};

/// The journal entry that records every file of the first cell.
const FILES_NOTED: &str = "7";

/// A filesystem on a loop device, and a run on it that was killed.
struct Killed {
    bench: LoneBench,
    device: Loop,
    mount_point: PathBuf,
    target: PathBuf,
    /// The workspace, relative to the mount point.
    workspace: PathBuf,
}

impl Drop for Killed {
    fn drop(&mut self) {
        // Release the device however the test ends.
        for place in [&self.mount_point, &self.bench.path("elsewhere")] {
            while attempt("umount", &["-l", place.to_str().unwrap()])
                .status
                .success()
            {}
        }
    }
}

fn mount(device: &Loop, place: &Path) {
    fs::create_dir_all(place).unwrap();
    run("mount", &[device.name(), place.to_str().unwrap()]);
}

fn unmount(place: &Path, options: &[&str]) {
    let place = place.to_str().unwrap();
    let arguments: Vec<&str> = options.iter().copied().chain([place]).collect();
    run("umount", &arguments);
}

fn new_filesystem() -> Loop {
    let device = Loop::new(64);
    run("mkfs.ext4", &["-q", "-F", device.name()]);
    device
}

impl Killed {
    fn new(what: &str) -> Option<Self> {
        let (bench, [device]) = set_up::<1>(what, 64, &["mkfs.ext4"])?;
        run("mkfs.ext4", &["-q", "-F", device.name()]);
        let mount_point = bench.path("disk");
        mount(&device, &mount_point);
        let target = mount_point.join("data");
        fs::create_dir(&target).unwrap();
        let mut command = bench.run_on(QUICK, &target);
        command.env("STRIPEWISE_TEST_KILL_AT", FILES_NOTED);
        let done = bench.finish(command);
        assert!(done.signal.is_some(), "{}", done.transcript());
        let [workspace] = entries(&target).try_into().unwrap();
        assert_eq!(entries(&workspace).len(), 1, "a test file");
        let workspace = workspace.strip_prefix(&mount_point).unwrap().to_owned();
        Some(Self {
            bench,
            device,
            mount_point,
            target,
            workspace,
        })
    }

    /// Runs `restore` and compares its output, with varying numbers hidden.
    fn restore(&self, code: i32, expected: &Expect) {
        let done = self.bench.finish(self.bench.stored("restore"));
        let name = self.workspace.file_name().unwrap().to_str().unwrap();
        let said = done
            .transcript()
            .replace(name, "[WORKSPACE]")
            .replace(self.device.name(), "[DEVICE]");
        expected.assert_eq(&said);
        assert_eq!(done.code, Some(code));
    }

    /// Returns whether the workspace is on the filesystem, which is mounted at `place`.
    fn is_at(&self, place: &Path) -> bool {
        place.join(&self.workspace).exists()
    }
}

/// The output while the filesystem is not mounted anywhere.
fn not_mounted() -> Expect {
    expect![[r#"
        exit 2
        --- stderr
        run 1: kept: directory `[BENCH]/disk/data/[WORKSPACE]`: the ext4 filesystem of `[DEVICE]` is not mounted: mount it at `[BENCH]/disk`, then run `stripewise restore`
        error: run 1: not all changes could be undone: see above

        hint: run `stripewise restore --store [BENCH]/store/runs.db` again once the device or filesystem is back or the obstacle is removed; `stripewise restore --forget 1 --store [BENCH]/store/runs.db` drops the record of these changes
    "#]]
}

fn removed() -> Expect {
    expect![[r#"
        exit 0
        --- stderr
        run 1: removed `[BENCH]/disk/data/[WORKSPACE]`
    "#]]
}

#[test]
fn a_workspace_stays_recorded_until_its_filesystem_is_mounted_again() {
    let Some(killed) = Killed::new("an unmounted target") else {
        return;
    };
    unmount(&killed.mount_point, &[]);
    // The directory below the mount point is another one.
    fs::create_dir(&killed.target).unwrap();
    fs::write(killed.target.join("customers.dat"), "x").unwrap();
    for _ in 0..2 {
        killed.restore(2, &not_mounted());
    }
    let resumed = killed.bench.finish(killed.bench.stored("resume"));
    assert_eq!(resumed.code, Some(2), "{}", resumed.transcript());
    assert!(
        resumed.stderr.contains("is not mounted: mount it at"),
        "{}",
        resumed.stderr
    );
    mount(&killed.device, &killed.mount_point);
    assert!(killed.is_at(&killed.mount_point));
    killed.restore(0, &removed());
    assert_eq!(entries(&killed.target), Vec::<PathBuf>::new());
    unmount(&killed.mount_point, &[]);
    assert_eq!(entries(&killed.target).len(), 1, "a foreign file is gone");
}

#[test]
fn a_workspace_is_found_where_its_filesystem_is_mounted_now() {
    let Some(killed) = Killed::new("a target that is mounted elsewhere") else {
        return;
    };
    unmount(&killed.mount_point, &[]);
    let elsewhere = killed.bench.path("elsewhere");
    mount(&killed.device, &elsewhere);
    killed.restore(0, &removed());
    assert!(!killed.is_at(&elsewhere));
    assert_eq!(entries(&elsewhere.join("data")), Vec::<PathBuf>::new());
}

#[test]
fn another_filesystem_at_the_mount_point_is_not_mistaken_for_it() {
    let Some(killed) = Killed::new("a target that was replaced") else {
        return;
    };
    // An open file keeps the first filesystem alive after the lazy unmount.
    let _open = fs::File::open(&killed.target).unwrap();
    unmount(&killed.mount_point, &["-l"]);
    killed.restore(2, &not_mounted());
    let another = new_filesystem();
    mount(&another, &killed.mount_point);
    let theirs = killed.mount_point.join(&killed.workspace);
    fs::create_dir_all(&theirs).unwrap();
    for name in ["1M-incompressible-0.dat", "notes.json"] {
        fs::write(theirs.join(name), "x").unwrap();
    }
    killed.restore(2, &not_mounted());
    assert_eq!(entries(&theirs).len(), 2, "a foreign file is gone");
    unmount(&killed.mount_point, &[]);
    mount(&killed.device, &killed.mount_point);
    killed.restore(0, &removed());
}
