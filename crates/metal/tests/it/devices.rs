//! Which block devices may be written, and how they are released.
//!
//! The failures:
//! - A study named `/dev/sdb`. After a new disk was plugged in, that was the backup.
//! - A study named a disk whose array was stopped for maintenance. Nothing had it mounted, so it
//!   was overwritten.
//! - A run crashed, and weeks later `restore` wiped data that was written to the disk since.
//!
//! These tests use real loop devices, mkfs, mount and swap.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use stripewise_machine::Root;
use stripewise_metal::device::{Announced, Claimed, Examined, Refusal, claim, examine};
use stripewise_metal::{Leftovers, Undone};
use stripewise_study::world::{Change, WorldError};
use stripewise_units::Bytes;

use crate::{retried, wait_until};
use stripewise_fixtures::loops::{Link, Loop, Mounted, attempt, has, has_loops, run};
use stripewise_fixtures::{Remembered, skip};

fn look(path: &Path) -> Result<Examined, Refusal> {
    examine(&Root::live(), path)
}

/// Asserts that a device is refused with this message and a hint.
fn assert_refused(path: &Path, words: &str) -> Refusal {
    let refusal = look(path).expect_err(words);
    let text = refusal.to_string();
    assert!(text.contains(words), "{words}: {text}");
    assert!(refusal.hint().len() > 10, "{text}");
    refusal
}

fn claim_all(paths: &[&Path]) -> Result<Vec<Claimed>, Refusal> {
    let wanted: Vec<(String, PathBuf)> = paths
        .iter()
        .map(|path| ("test-disk".to_owned(), path.to_path_buf()))
        .collect();
    claim(&Root::live(), &wanted)
}

/// Undoes the one change that a run left.
fn undo(change: &Change) -> Result<Undone, WorldError> {
    Leftovers::find(std::slice::from_ref(change), Announced::SinceStart)?.undo(change)
}

/// Retries while a device is busy. A process started by a concurrent test holds our descriptors
/// until it execs, and loop device numbers are reused.
fn retry_while_busy<T>(mut ask: impl FnMut() -> Result<T, Refusal>) -> T {
    let began = Instant::now();
    loop {
        match ask() {
            Err(Refusal::Busy { .. }) if began.elapsed() < Duration::from_secs(20) => {
                std::thread::sleep(Duration::from_millis(10));
            }
            answer => return answer.unwrap(),
        }
    }
}

fn seen(path: &Path) -> Examined {
    retry_while_busy(|| look(path))
}

fn claimed_all(paths: &[&Path]) -> Vec<Claimed> {
    retry_while_busy(|| claim_all(paths))
}

fn claim_one(device: &Loop) -> Claimed {
    claimed_all(&[&device.path]).remove(0)
}

#[test]
fn an_empty_device_is_described() {
    if !has_loops("an empty device") {
        return;
    }
    let device = Loop::new(64);
    let seen = seen(&device.path);
    assert_eq!(seen.size_bytes, Bytes::new(64 << 20));
    assert_eq!(Path::new("/dev").join(&seen.name), device.path);
    assert_eq!(seen.disk, seen.name);
    assert_eq!(seen.logical_block_bytes, Bytes::new(512));
    assert_eq!(seen.partition_start_bytes, None);
    assert_eq!(seen.marker, None);
    assert_eq!(
        seen.backing_file.as_deref(),
        Some(device.file.to_str().unwrap())
    );
    assert_eq!(seen.asked_name(), device.name());
}

#[test]
fn paths_that_are_no_block_device_below_dev_are_refused() {
    if !has_loops("other files") {
        return;
    }
    let device = Loop::new(64);
    let nowhere = Path::new("/dev/stripewise-nowhere");
    assert!(matches!(
        assert_refused(nowhere, "does not exist"),
        Refusal::Missing { .. }
    ));
    for path in ["/dev/null", "/dev", "/dev/loop-control"] {
        let refusal = assert_refused(Path::new(path), "is not a block device");
        assert!(matches!(refusal, Refusal::NotABlockDevice { .. }));
    }
    let not_below = |path: &Path| {
        let refusal = assert_refused(path, "not below `/dev`");
        assert!(matches!(refusal, Refusal::NotBelowDev { .. }));
    };
    not_below(&device.file);
    let file_as_device = Link::new("file", &device.file);
    not_below(&file_as_device.path);
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("disk");
    std::os::unix::fs::symlink(&device.path, &outside).unwrap();
    not_below(&outside);
    let link = Link::new("good", &device.path);
    assert_eq!(seen(&link.path).path, device.path);
}

/// A node below `/dev` without a device.
struct Orphan(PathBuf);

impl Drop for Orphan {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_node_without_a_device_is_refused() {
    if !has_loops("a node without a device") {
        return;
    }
    let node = Orphan(format!("/dev/stripewise-test-{}-orphan", std::process::id()).into());
    // 255 is for local use (Documentation/admin-guide/devices.txt): the kernel assigns it to no
    // device.
    run("mknod", &[node.0.to_str().unwrap(), "b", "255", "1048575"]);
    let refusal = assert_refused(&node.0, "is not among the kernel's block devices");
    assert!(matches!(refusal, Refusal::Unknown { .. }));
}

#[test]
fn a_device_that_cannot_be_read_is_refused() {
    if !has_loops("a device that cannot be read") {
        return;
    }
    let device = Loop::new(64);
    // Truncates the file under the loop device, which still reports 64 MiB.
    File::options()
        .write(true)
        .open(&device.file)
        .unwrap()
        .set_len(0)
        .unwrap();
    let refusal = assert_refused(&device.path, "failed to examine");
    assert!(matches!(refusal, Refusal::Unreadable { .. }), "{refusal}");
}

#[test]
fn a_mounted_device_is_refused() {
    if !has_loops("a mounted device") || !has("mkfs.ext4", "a mounted device") {
        return;
    }
    let device = Loop::new(64);
    run("mkfs.ext4", &["-q", device.name()]);
    let mounted = Mounted::new(device.name());
    let refusal = assert_refused(&device.path, "is mounted on");
    assert!(matches!(refusal, Refusal::Mounted { .. }));
    assert!(
        refusal
            .to_string()
            .contains(mounted.path().to_str().unwrap())
    );
}

#[test]
fn every_device_of_a_mounted_btrfs_is_refused() {
    if !has_loops("btrfs") || !has("mkfs.btrfs", "btrfs of two devices") {
        return;
    }
    let (first, second) = (Loop::new(128), Loop::new(128));
    run(
        "mkfs.btrfs",
        &[
            "-q",
            "-d",
            "raid1",
            "-m",
            "raid1",
            first.name(),
            second.name(),
        ],
    );
    run("btrfs", &["device", "scan", first.name(), second.name()]);
    let _mounted = Mounted::new(first.name());
    for device in [&first, &second] {
        let refusal = assert_refused(&device.path, "is mounted on");
        assert!(matches!(refusal, Refusal::Mounted { .. }));
    }
}

#[test]
fn swap_is_refused() {
    if !has_loops("swap") || !has("mkswap", "swap") {
        return;
    }
    let device = Loop::with(64, &[], |file| {
        // The kernel does not swap to a file with holes.
        file.write_all_at(&vec![0; 64 << 20], 0).unwrap();
    });
    run("mkswap", &[device.name()]);
    let on = attempt("swapon", &[device.name()]);
    if !on.status.success() {
        skip("swap", &String::from_utf8_lossy(&on.stderr));
        return;
    }
    let refusal = look(&device.path);
    run("swapoff", &[device.name()]);
    let refusal = refusal.unwrap_err();
    assert!(matches!(refusal, Refusal::Swap { .. }), "{refusal}");
    assert_refused(&device.path, "carries `swap`");
}

/// Writes a partition table with one partition that starts at sector `start`.
fn write_table(file: &File, start: u32, sectors: u32) {
    let mut table = [0; 512];
    table[446 + 4] = 0x83;
    table[446 + 8..446 + 12].copy_from_slice(&start.to_le_bytes());
    table[446 + 12..446 + 16].copy_from_slice(&sectors.to_le_bytes());
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    file.write_all_at(&table, 0).unwrap();
}

#[test]
fn a_disk_with_partitions_is_refused_and_one_of_its_partitions_is_not() {
    if !has_loops("partitions") {
        return;
    }
    let table = |file: &File| write_table(file, 2048, 96 << 11);
    let device = Loop::with(128, &[], table);
    let refusal = assert_refused(&device.path, "partition table (`dos`)");
    assert!(matches!(refusal, Refusal::PartitionTable { .. }));
    drop(device);
    let device = Loop::with(128, &["--partscan"], table);
    let part = PathBuf::from(format!("{}p1", device.name()));
    if !part.exists() {
        skip("partitions", "this kernel supports none on loop devices");
        return;
    }
    let refusal = assert_refused(&device.path, "has partitions: loop");
    assert!(matches!(refusal, Refusal::Partitioned { .. }));
    let seen = seen(&part);
    assert_eq!(seen.partition_start_bytes, Some(Bytes::MIB));
    assert_eq!(seen.size_bytes, Bytes::new(96 << 20));
    assert_eq!(Path::new("/dev").join(seen.disk), device.path);
    if has("mkfs.ext4", "a mounted partition") {
        run("mkfs.ext4", &["-q", part.to_str().unwrap()]);
        assert_refused(&part, "carries `ext4`");
        let _mounted = Mounted::new(part.to_str().unwrap());
        assert_refused(&part, "p1` is mounted on");
        assert_refused(&device.path, "p1` is mounted on");
    }
}

#[test]
fn signatures_that_util_linux_knows_are_refused() {
    if !has_loops("signatures") {
        return;
    }
    for (tool, arguments, kind) in [
        (
            "mkfs.ext4",
            &["-q", "-L", "home"][..],
            "`ext4` with the label `home`",
        ),
        ("mkfs.xfs", &["-q"], "`xfs`"),
        ("mkfs.btrfs", &["-q"], "`btrfs`"),
        ("mkswap", &[], "`swap`"),
        ("pvcreate", &["-q", "--yes"], "`LVM2_member`"),
    ] {
        if !has(tool, kind) {
            continue;
        }
        let device = Loop::new(512);
        let mut all = arguments.to_vec();
        all.push(device.name());
        run(tool, &all);
        let refusal = assert_refused(&device.path, kind);
        assert!(matches!(refusal, Refusal::Signature { .. }), "{refusal}");
    }
}

#[test]
fn read_only_and_tiny_devices_are_refused() {
    if !has_loops("read-only and tiny devices") {
        return;
    }
    let device = Loop::with(64, &["--read-only"], |_| ());
    let refusal = assert_refused(&device.path, "is read-only");
    assert!(matches!(refusal, Refusal::ReadOnly { .. }));
    let device = Loop::new(8);
    let refusal = assert_refused(&device.path, "it has 8M and needs at least 16M");
    assert!(matches!(refusal, Refusal::TooSmall { .. }));
}

#[test]
fn a_device_that_another_program_holds_exclusively_is_refused() {
    if !has_loops("a busy device") {
        return;
    }
    let device = Loop::new(64);
    let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
    let holder = rustix::fs::open(&device.path, flags, Mode::empty()).unwrap();
    let refusal = assert_refused(&device.path, "refuses to open it exclusively");
    assert!(matches!(refusal, Refusal::Busy { .. }));
    drop(holder);
    seen(&device.path);
}

#[test]
fn the_disk_of_the_running_system_is_refused() {
    let stat = rustix::fs::stat("/").unwrap();
    let number = format!(
        "{}:{}",
        rustix::fs::major(stat.st_dev),
        rustix::fs::minor(stat.st_dev)
    );
    let folder = std::fs::canonicalize(format!("/sys/dev/block/{number}"));
    let Some(name) = folder
        .ok()
        .and_then(|folder| Some(folder.file_name()?.to_str()?.to_owned()))
    else {
        skip(
            "the disk of the running system",
            "/sys shows no device for `/`",
        );
        return;
    };
    let path = Path::new("/dev").join(name);
    if !path.exists() {
        skip(
            "the disk of the running system",
            "it has no node below /dev",
        );
        return;
    }
    let refusal = assert_refused(&path, "holds the running system");
    assert!(matches!(refusal, Refusal::SystemDisk { .. }));
}

#[test]
fn one_device_under_two_names_is_refused() {
    if !has_loops("two names") {
        return;
    }
    let device = Loop::new(64);
    let link = Link::new("second", &device.path);
    let refusal = claim_all(&[&device.path, &link.path]).unwrap_err();
    assert!(matches!(refusal, Refusal::SameDevice { .. }), "{refusal}");
    let text = refusal.to_string();
    assert!(text.contains("are the same device"), "{text}");
    assert_eq!(claimed_all(&[&link.path]).len(), 1);
}

#[test]
fn a_device_is_claimed_once_until_the_last_copy_of_the_claim_is_dropped() {
    if !has_loops("a claim") {
        return;
    }
    let device = Loop::new(64);
    let claimed = claim_one(&device);
    let copy = claimed.clone();
    drop(claimed);
    let refusal = claim_all(&[&device.path]).unwrap_err();
    assert!(matches!(refusal, Refusal::Locked { .. }), "{refusal}");
    drop(copy);
    claim_one(&device);
}

#[test]
fn a_name_that_now_means_another_device_is_refused() {
    if !has_loops("a changed name") {
        return;
    }
    let (first, second) = (Loop::new(64), Loop::new(64));
    let link = Link::new("moving", &first.path);
    let claimed = claimed_all(&[&link.path]).remove(0);
    claimed.verify(&Root::live()).unwrap();
    link.point_to(&second.path);
    let mut notes = Remembered::default();
    let refusal = claimed.verify(&Root::live()).unwrap_err();
    assert!(matches!(refusal, Refusal::Changed { .. }), "{refusal}");
    assert!(claimed.mark(&Root::live(), &mut notes).is_err());
    assert_eq!(notes.0, []);
    claimed.wipe().unwrap();
    assert!(second.read_at(0, 1 << 16).iter().all(|byte| *byte == 0));
}

#[test]
fn a_claimed_loop_device_stays_until_the_claim_ends() {
    if !has_loops("a claim on a loop device") {
        return;
    }
    let device = Loop::new(64);
    let claimed = claim_one(&device);
    run("losetup", &["--detach", device.name()]);
    claimed.verify(&Root::live()).unwrap();
    drop(claimed);
    wait_until("the device is gone", || !device.is_there());
}

#[test]
fn a_device_is_marked_used_and_released_as_empty_as_before() {
    if !has_loops("mark and release") || !has("mkfs.ext4", "mark and release") {
        return;
    }
    let root = Root::live();
    let device = Loop::new(64);
    let claimed = claim_one(&device);
    let mut notes = Remembered::default();
    claimed.mark(&root, &mut notes).unwrap();
    let expected = Change::ClaimedDevice {
        path: device.path.clone(),
        size_bytes: Bytes::new(64 << 20),
        serial: Some(device.file.display().to_string()),
        token: claimed.token.to_string(),
    };
    assert_eq!(notes.0, [expected]);
    let refusal = look(&device.path).unwrap_err();
    assert!(matches!(refusal, Refusal::Busy { .. }), "{refusal}");
    assert!(device.read_at(2048, 10) == b"stripewise");
    claimed.verify(&root).unwrap();
    let make = |uuid: &str| retried("mkfs.ext4", &["-q", "-F", "-U", uuid, device.name()]);
    let busy = attempt("mkfs.ext4", &["-q", device.name()]);
    assert!(
        !busy.status.success(),
        "the device is held exclusively: {busy:?}"
    );
    claimed.drop_exclusive();
    make(&claimed.token.uuid().unwrap());
    assert!(claimed.verify(&root).is_err());
    claimed.wipe().unwrap();
    claimed.verify(&root).unwrap();
    claimed.drop_exclusive();
    make("11223344-5566-7788-99aa-bbccddeeff00");
    let before = device.read_at(0, 1 << 20);
    for _ in 0..2 {
        let error = claimed.wipe().unwrap_err();
        assert!(error.hint().unwrap().contains("so it was kept"), "{error}");
    }
    assert!(claimed.release(&mut notes).is_err());
    assert_eq!(notes.0.len(), 1);
    assert!(device.read_at(0, 1 << 20) == before, "a byte was changed");
    claimed.drop_exclusive();
    make(&claimed.token.uuid().unwrap());
    {
        let _mounted = Mounted::new(device.name());
        assert!(claimed.release(&mut notes).is_err(), "it is in use");
        assert_eq!(notes.0.len(), 1);
    }
    claimed.release(&mut notes).unwrap();
    assert_eq!(notes.0, []);
    drop(claimed);
    assert_eq!(seen(&device.path).marker, None);
}

/// Claims and marks a device, as a run that is then killed.
fn left_behind(device: &Loop) -> (Claimed, Change) {
    let claimed = claim_one(device);
    let mut notes = Remembered::default();
    claimed.mark(&Root::live(), &mut notes).unwrap();
    let change = notes.0.remove(0);
    (claimed, change)
}

fn make_volume(device: &Loop, uuid: &str) {
    let digits = uuid.replace('-', "");
    let at = [0..6, 6..10, 10..14, 14..18, 18..22, 22..26, 26..32];
    let uuid = at.map(|range| &digits[range]).join("-");
    run(
        "pvcreate",
        &[
            "-q",
            "--yes",
            "--norestorefile",
            "--uuid",
            &uuid,
            device.name(),
        ],
    );
}

#[test]
fn after_a_crash_only_signatures_of_the_run_are_removed() {
    if !has_loops("restore") || !has("pvcreate", "restore") {
        return;
    }
    let device = Loop::new(64);
    let (claimed, change) = left_behind(&device);
    let token = claimed.token;
    drop(claimed);
    assert_eq!(seen(&device.path).marker.unwrap().token, token);
    let ours = token.uuid().unwrap();
    make_volume(&device, &ours);
    let refusal = assert_refused(&device.path, "did not clean up");
    assert!(matches!(refusal, Refusal::LeftBehind { .. }));
    assert_eq!(undo(&change).unwrap(), Undone::Done);
    assert_eq!(seen(&device.path).marker, None);
    assert_eq!(
        undo(&change).unwrap(),
        Undone::Already,
        "undoing twice has no effect"
    );
}

fn assert_untouched(change: &Change, words: &str) {
    match undo(change).unwrap() {
        Undone::Untouched { why } => {
            assert!(format!("{why:?}").contains(words), "{words}: {why:?}");
        }
        other => panic!("{other:?}, although: {words}"),
    }
}

fn assert_kept(change: &Change, words: &str) {
    match undo(change).unwrap() {
        Undone::Kept { why } => {
            assert!(format!("{why:?}").contains(words), "{words}: {why:?}");
        }
        other => panic!("{other:?}, although: {words}"),
    }
}

#[test]
fn a_foreign_signature_made_after_a_crash_is_untouched() {
    if !has_loops("restore") || !has("pvcreate", "restore") {
        return;
    }
    let device = Loop::new(64);
    let (claimed, change) = left_behind(&device);
    drop(claimed);
    // LVM does not overwrite the marker: the marker proves nothing.
    make_volume(&device, "11223344-5566-7788-99aa-bbccddeeff00");
    let before = device.read_at(0, 1 << 20);
    assert!(before.windows(10).any(|bytes| bytes == b"stripewise"));
    assert_untouched(&change, "signature(kind: LVM2_member)");
    assert!(device.read_at(0, 1 << 20) == before, "a byte was changed");
}

#[test]
fn another_device_with_the_name_of_a_claimed_one_is_untouched() {
    if !has_loops("restore of another device") {
        return;
    }
    let (device, other) = (Loop::new(64), Loop::new(64));
    let link = Link::new("restored", &device.path);
    let claimed = claimed_all(&[&link.path]).remove(0);
    let mut notes = Remembered::default();
    claimed.mark(&Root::live(), &mut notes).unwrap();
    drop(claimed);
    let change = notes.0.remove(0);
    link.point_to(&other.path);
    assert_kept(&change, "restore-why-other-device");
    link.point_to(&device.path);
    assert_eq!(undo(&change).unwrap(), Undone::Done);
    assert!(device.read_at(0, 4096).iter().all(|byte| *byte == 0));
    let Change::ClaimedDevice { path, .. } = &change else {
        panic!("{change:?}");
    };
    let gone = Change::ClaimedDevice {
        path: path.with_file_name("stripewise-gone"),
        size_bytes: Bytes::MIB,
        serial: None,
        token: "3f9c52a1b07d".to_owned(),
    };
    assert_kept(&gone, "restore-why-absent");
}

/// Returns whether arrays can be created here; prints a skip message if not.
fn has_md(what: &str) -> bool {
    let is_there = Path::new("/proc/mdstat").exists();
    if !is_there {
        skip(what, "this kernel has no md: run the test in a guest");
    }
    is_there && has_loops(what) && has("mdadm", what)
}

/// An array that is stopped with the test.
struct Array<'a> {
    name: String,
    members: [&'a Loop; 2],
}

impl<'a> Array<'a> {
    fn new(number: u32, metadata: &str, uuid: &str, members: [&'a Loop; 2]) -> Self {
        let name = format!("/dev/md{number}");
        let [first, second] = members.map(Loop::name);
        let metadata = format!("--metadata={metadata}");
        let uuid = format!("--uuid={uuid}");
        run(
            "mdadm",
            &[
                "--create",
                &name,
                "--level=1",
                "--raid-devices=2",
                &metadata,
                &uuid,
                "--assume-clean",
                "--run",
                first,
                second,
            ],
        );
        Self { name, members }
    }
}

impl Drop for Array<'_> {
    fn drop(&mut self) {
        let _ = attempt("mdadm", &["--stop", &self.name]);
        for member in self.members {
            let _ = attempt("wipefs", &["--all", member.name()]);
        }
    }
}

#[test]
fn a_member_of_a_running_or_stopped_array_is_refused() {
    if !has_md("a member of an array") {
        return;
    }
    let (first, second) = (Loop::new(64), Loop::new(64));
    let uuid = "11223344:55667788:99aabbcc:ddeeff00";
    let array = Array::new(120, "1.2", uuid, [&first, &second]);
    for member in [&first, &second] {
        let refusal = assert_refused(&member.path, "is held by md array `md120` (raid1)");
        assert!(matches!(refusal, Refusal::Held { .. }));
    }
    run("mkfs.ext4", &["-q", &array.name]);
    let mounted = Mounted::new(&array.name);
    assert_refused(&first.path, "`md120` is mounted on");
    drop(mounted);
    run("mdadm", &["--stop", &array.name]);
    for member in [&first, &second] {
        let refusal = assert_refused(&member.path, "carries `linux_raid_member`");
        assert!(matches!(refusal, Refusal::Signature { .. }));
    }
}

#[test]
fn an_array_of_a_killed_run_is_recognised_by_its_uuid() {
    if !has_md("an array of a killed run") {
        return;
    }
    for (number, metadata) in [(121, "0.90"), (122, "1.0"), (123, "1.1"), (124, "1.2")] {
        let (first, second) = (Loop::new(64), Loop::new(64));
        let (claimed, change) = left_behind(&first);
        let ours = claimed.token.uuid().unwrap();
        drop(claimed);
        let array = Array::new(number, metadata, &ours, [&first, &second]);
        let error = undo(&change).unwrap_err();
        assert!(error.hint().is_some(), "the array is running");
        run("mdadm", &["--stop", &array.name]);
        assert_eq!(undo(&change).unwrap(), Undone::Done, "{metadata}");
        seen(&first.path);
        assert_refused(&second.path, "linux_raid_member");
    }
    let (first, second) = (Loop::new(64), Loop::new(64));
    let (claimed, change) = left_behind(&first);
    drop(claimed);
    let theirs = "11223344:55667788:99aabbcc:ddeeff00";
    let array = Array::new(125, "1.2", theirs, [&first, &second]);
    run("mdadm", &["--stop", &array.name]);
    assert_untouched(&change, "linux_raid_member");
    run("mdadm", &["--examine", first.name()]);
}

#[test]
fn a_physical_volume_with_an_active_volume_is_refused_by_its_name() {
    let what = "an active LVM volume";
    // The node alone proves nothing: it stays if the driver is gone or was never loaded.
    let drivers = std::fs::read_to_string("/proc/misc").unwrap_or_default();
    if !drivers.contains("device-mapper") || !has_loops(what) || !has("lvcreate", what) {
        skip(what, "no device mapper here: run the test in a guest");
        return;
    }
    let device = Loop::new(64);
    let group = format!("stripewise-test-{}", std::process::id());
    run("pvcreate", &["-q", "--yes", device.name()]);
    run("vgcreate", &["-An", &group, device.name()]);
    run(
        "lvcreate",
        &["-An", "--yes", "-Zn", "-l", "4", "-n", "thesis", &group],
    );
    let active = look(&device.path);
    run("vgchange", &["-An", "-an", &group]);
    let inactive = look(&device.path);
    run("wipefs", &["--all", device.name()]);
    let active = active.unwrap_err();
    assert!(matches!(active, Refusal::Held { .. }), "{active}");
    let text = active.to_string();
    assert!(
        text.contains("held by LVM volume `") && text.contains("-thesis`"),
        "{text}"
    );
    let inactive = inactive.unwrap_err();
    assert!(matches!(inactive, Refusal::Signature { .. }), "{inactive}");
    assert!(inactive.to_string().contains("LVM2_member"), "{inactive}");
}

#[test]
fn a_scheduler_is_restored_on_a_real_device() {
    if !has_loops("a scheduler") {
        return;
    }
    let device = Loop::new(64);
    let name = seen(&device.path).name;
    let path = PathBuf::from(format!("/sys/block/{name}/queue/scheduler"));
    let read = || std::fs::read_to_string(&path).unwrap();
    if !read().contains("mq-deadline") {
        skip(
            "a scheduler",
            "this kernel has no mq-deadline for loop devices",
        );
        return;
    }
    std::fs::write(&path, "mq-deadline").unwrap();
    let change = Change::WroteSetting {
        path: path.clone(),
        before: "none".to_owned(),
        after: "mq-deadline".to_owned(),
        disk: Some(device.file.display().to_string()),
        resets: Vec::new(),
    };
    assert_eq!(undo(&change).unwrap(), Undone::Done);
    assert!(read().contains("[none]"), "{}", read());
    assert_eq!(undo(&change).unwrap(), Undone::Already);
}
