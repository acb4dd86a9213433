//! From a directory to its mount and its disks, and reasons to refuse a directory.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use stripewise_machine::{
    Root, arrays_on_target_disks, facts, is_network_filesystem, leaf_disks, target, target_problem,
    target_warnings,
};
use stripewise_study::warning::Warning;

use crate::fixture::{Block, Fixture};
use crate::machines;

fn disks(fixture: &Fixture, path: &str) -> Vec<String> {
    let facts = target(&fixture.root(), Path::new(path));
    facts.expect("a table of mounts").disks
}

#[test]
fn a_partition_leads_to_its_disk() {
    assert_eq!(disks(&machines::nvme(), "/home/user"), ["nvme0n1"]);
    assert_eq!(disks(&machines::desktop(), "/"), ["sda"]);
}

#[test]
fn a_volume_on_an_array_leads_to_the_members() {
    let desktop = machines::desktop();
    let expected = ["sda", "sdb", "sdc", "sdd"];
    assert_eq!(disks(&desktop, "/srv/my data"), expected);
    assert_eq!(
        leaf_disks(&desktop.root(), Path::new("/dev/mapper/vg0-data")).unwrap(),
        expected
    );
    assert_eq!(
        leaf_disks(&desktop.root(), Path::new("/dev/sdc2")).unwrap(),
        ["sdc"]
    );
    assert_eq!(
        leaf_disks(&desktop.root(), Path::new("/dev/none")).unwrap(),
        [""; 0]
    );
}

#[test]
fn a_btrfs_leads_to_all_its_devices() {
    let facts = target(&machines::btrfs().root(), Path::new("/data/x")).unwrap();
    assert_eq!(facts.disks, ["sda", "sdb"]);
    assert_eq!(facts.compression.as_deref(), Some("zstd:3"));
    assert_eq!(facts.mount_point.as_deref(), Some("/data"));
}

#[test]
fn loop_devices_lead_to_the_disk_that_holds_their_files() {
    let fixture = machines::nvme();
    for index in 0..2 {
        fixture.block(&Block {
            parent: "/sys/devices/virtual/block",
            name: &format!("loop{index}"),
            number: &format!("7:{index}"),
            sectors: 2048,
            files: &[("loop/backing_file", "/home/user/disk image")],
            members: &[],
        });
    }
    fixture.block(&Block {
        parent: "/sys/devices/virtual/block",
        name: "md0",
        number: "9:0",
        sectors: 2048,
        files: &[
            ("md/array_state", "clean"),
            ("md/level", "raid1"),
            ("md/sync_action", "resync"),
        ],
        members: &[
            "/sys/devices/virtual/block/loop0",
            "/sys/devices/virtual/block/loop1",
        ],
    });
    fixture.folder("/mnt").mounts(&[
        "1 0 259:3 / / rw - ext4 /dev/nvme0n1p2 rw",
        "2 1 9:0 / /mnt rw - ext4 /dev/md0 rw",
    ]);
    assert_eq!(disks(&fixture, "/mnt"), ["nvme0n1"]);
    let facts = facts(&fixture.root(), Some(Path::new("/mnt")));
    assert_eq!(arrays_on_target_disks(&facts), ["md0"]);
}

#[test]
fn the_log_of_an_xfs_counts_as_its_disk() {
    let fixture = machines::btrfs();
    fixture.mounts(&["1 0 8:1 / / rw - xfs /dev/sda1 rw,logdev=/dev/sdc1"]);
    assert_eq!(disks(&fixture, "/"), ["sda", "sdc"]);
}

#[test]
fn zfs_has_unknown_disks_and_may_compress() {
    let fixture = machines::nvme();
    fixture.folder("/tank").mounts(&[
        "1 0 259:3 / / rw - ext4 /dev/nvme0n1p2 rw",
        "2 1 0:40 / /tank rw - zfs tank/data rw,xattr",
    ]);
    let facts = target(&fixture.root(), Path::new("/tank")).unwrap();
    assert_eq!(facts.disks, [""; 0]);
    assert_eq!(
        facts.compression.as_deref(),
        Some("zfs: see `zfs get compression tank/data`")
    );
}

#[test]
fn symbolic_links_of_a_target_are_followed() {
    let fixture = machines::desktop();
    fixture.link("/home/work", "/srv/my data/test");
    let facts = target(&fixture.root(), Path::new("/home/work")).unwrap();
    assert_eq!(facts.path, "/home/work");
    assert_eq!(facts.mount_point.as_deref(), Some("/srv/my data"));
}

#[test]
fn a_missing_target_has_a_name_and_nothing_else() {
    let facts = target(&machines::desktop().root(), Path::new("/srv/none")).unwrap();
    assert_eq!(facts.path, "/srv/none");
    assert_eq!((facts.mount_point, facts.size_bytes), (None, None));
}

#[test]
fn arrays_that_share_a_disk_with_the_target_give_warnings() {
    let fixture = machines::firmware_raid();
    let warnings = |path: &str| target_warnings(&facts(&fixture.root(), Some(Path::new(path))));
    assert_eq!(
        warnings("/srv"),
        [
            Warning::ArrayBusy {
                array: "md126".to_owned(),
                action: "recover".to_owned()
            },
            Warning::ArrayDegraded {
                array: "md126".to_owned(),
                missing_count: 1
            },
        ]
    );
    assert_eq!(warnings("/"), [], "the system is on another disk");
    assert_eq!(target_warnings(&facts(&fixture.root(), None)), []);

    let desktop = machines::desktop();
    let array = "/sys/devices/virtual/block/md0/md/sync_action";
    for (action, count) in [("idle", 0), ("frozen", 0), ("check", 1), ("reshape", 1)] {
        desktop.file(array, action);
        // The array's members share the disk that holds the system.
        let facts = facts(&desktop.root(), Some(Path::new("/")));
        assert_eq!(target_warnings(&facts).len(), count, "{action}");
    }
}

#[test]
fn network_filesystems_are_recognised() {
    for (filesystem, expected) in [("nfs4", true), ("fuse.sshfs", true), ("ext4", false)] {
        assert_eq!(is_network_filesystem(filesystem), expected, "{filesystem}");
    }
}

/// Checks the problem of `path`, message and hint together; empty if it is suitable.
fn check_problem(root: &Root, path: &str, expected: &str) {
    let text = target_problem(root, Path::new(path)).map_or_else(String::new, |problem| {
        format!("{problem}\nhint: {}", problem.hint())
    });
    assert_eq!(text, expected);
}

/// Guards against a target whose filesystem is unknown and counts as one on a disk.
#[test]
fn a_target_without_a_table_of_mounts_is_refused() {
    let fixture = machines::desktop();
    fixture.folder("/good");
    std::fs::remove_file(fixture.real("/proc/self/mountinfo")).unwrap();
    check_problem(
        &fixture.root(),
        "/good",
        "the filesystem of `/good` is unknown: `/proc/self/mountinfo`: it does not exist\n\
         hint: mount /proc, and see that this user may read /proc/self/mountinfo",
    );
}

#[test]
fn an_unsuitable_target_is_refused_with_a_reason_and_a_hint() {
    let fixture = machines::desktop();
    fixture
        .folder("/ro")
        .folder("/run")
        .folder("/merged")
        .folder("/good");
    fixture.file("/srv/file", "");
    fixture.mounts(&[
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
        "2 1 8:2 / /ro rw - ext4 /dev/sda2 ro",
        "3 1 0:30 / /run rw - tmpfs tmpfs rw",
        "4 1 0:31 / /merged rw - overlay overlay rw,lowerdir=/a",
    ]);
    symlink("loop", fixture.real("/loop")).expect("a link");
    let root = fixture.root();
    check_problem(&root, "/good", "");
    check_problem(
        &root,
        "/none",
        "`/none` does not exist\n\
         hint: create the directory, or mount the filesystem it should be on",
    );
    check_problem(
        &root,
        "/srv/file",
        "`/srv/file` is not a directory\n\
         hint: name a directory: test files are created in it and removed afterwards",
    );
    check_problem(
        &root,
        "/loop",
        "`/loop` cannot be looked up: filesystem loop or indirection limit (e.g. symlink loop)\n\
         hint: check the permissions of its parent directories: this user must be able to search each of them",
    );
    check_problem(
        &root,
        "/ro",
        "`/ro` is on a read-only filesystem (`/ro`)\n\
         hint: remount it read-write, or check the kernel log: filesystems become read-only after errors",
    );
    check_problem(
        &root,
        "/run",
        "`/run` is on `tmpfs`, which is not stored on a disk\n\
         hint: name a directory on the disk to measure",
    );
    check_problem(
        &root,
        "/merged",
        "`/merged` is on an overlay filesystem, which does not show the disk below it\n\
         hint: in a container, bind-mount a directory of the host and name that",
    );
}

#[test]
fn a_device_node_is_refused() {
    check_problem(
        &Root::live(),
        "/dev/null",
        "`/dev/null` is a device node, not a directory\n\
         hint: name a directory on the filesystem to measure; this version measures files only",
    );
}

#[test]
fn a_directory_of_another_user_is_refused() {
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: root may write anywhere");
        return;
    }
    let fixture = machines::desktop();
    fixture.folder("/theirs");
    fs::set_permissions(fixture.real("/theirs"), fs::Permissions::from_mode(0o555))
        .expect("permissions");
    check_problem(
        &fixture.root(),
        "/theirs",
        "no permission to write to `/theirs`\n\
         hint: run as a user who may write there, or name one of your own directories",
    );
}
