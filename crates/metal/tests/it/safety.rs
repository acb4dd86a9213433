//! Ways to lose a user's data, each reproduced by a test.
//!
//! The failures:
//! - A device was refused at the last moment, because it carried a filesystem by then, and was
//!   wiped when the run cleaned up.
//! - A link in `/dev/disk` changed between two samples, and the next sample went to another disk.
//! - A device was confirmed but not used yet. Another program wrote to it, and the run emptied it
//!   at the end.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use rustix::fs::{Mode, OFlags};
use stripewise_fio::Fio;
use stripewise_machine::Root;
use stripewise_metal::device::{Announced, DataFound, Refusal, claim, examine};
use stripewise_metal::{Leftovers, StacksWorld, Undone};
use stripewise_study::cell::Cell;
use stripewise_study::world::{Change, NeverCancel, SampleRequest, World, WorldError};
use stripewise_units::Nanos;

use crate::retried;
use stripewise_fixtures::loops::{Link, Loop, attempt, has, has_loops, run};
use stripewise_fixtures::{Remembered, skip, skip_unless_all};

/// Returns a cell that writes to one device below `stack`, with further tables of the study.
fn cell(stack: &str, more: &str) -> Cell {
    let study = format!(
        r#"
[may_destroy]
"disk" = ["/dev/loop0", "/dev/loop1"]
[stack.it]
devices = {{ "disk" = 1 }}
{stack}
[workload]
pattern = "randwrite"
block_size = "4K"
size = "8M"
{more}
"#
    );
    stripewise_fixtures::cell(&study)
}

/// Returns a world on these devices, if this machine supports it.
fn world(what: &str, devices: &[&Path]) -> Option<StacksWorld> {
    if let Err(error) = Fio::find() {
        skip_unless_all(what, &error.to_string());
        return None;
    }
    let devices = devices.iter().map(|path| path.to_path_buf()).collect();
    Some(StacksWorld::on_devices(BTreeMap::from([("disk".to_owned(), devices)])).unwrap())
}

fn sample(world: &mut StacksWorld, cell: &Cell) -> Result<(), WorldError> {
    let request = SampleRequest {
        seed: 1,
        duration: Nanos::from_millis(100),
        replay: None,
    };
    world
        .measure(cell, request, &mut NeverCancel)
        .map(|_sample| ())
}

/// Returns an error with its causes.
fn in_full(error: &WorldError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text.push_str(&format!(": {next}"));
        cause = next.source();
    }
    text
}

/// Returns the first blocks of a new filesystem.
fn filesystem() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("image");
    File::create(&file).unwrap().set_len(16 << 20).unwrap();
    run(
        "mkfs.ext4",
        &["-q", "-F", "-L", "thesis", file.to_str().unwrap()],
    );
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(1 << 20);
    bytes
}

/// Writes to a device without an exclusive open, which no hold prevents.
fn write_without_lock(device: &Path, bytes: &[u8]) {
    let device = OpenOptions::new().write(true).open(device).unwrap();
    device.write_all_at(bytes, 0).unwrap();
    device.sync_all().unwrap();
}

#[test]
fn a_device_refused_at_the_last_moment_is_not_wiped_afterwards() {
    const WHAT: &str = "a device that is refused";
    if !has_loops(WHAT) || !has("mkfs.ext4", WHAT) {
        return;
    }
    let device = Loop::new(64);
    let cell = cell("", "[conditions]\nscheduler = \"none\"");
    let Some(mut world) = world(WHAT, &[&device.path]) else {
        return;
    };
    world.claim().unwrap();
    // Before the user confirms.
    write_without_lock(&device.path, &filesystem());
    let scheduler = format!("/sys/block/{}/queue/scheduler", &device.name()[5..]);
    let _ = std::fs::write(&scheduler, "mq-deadline");
    let chosen = std::fs::read_to_string(&scheduler).unwrap();
    let before = device.read_at(0, 64 << 20);
    let mut journal = Remembered::default();
    let error = world
        .prepare(&cell, &mut journal, &mut NeverCancel)
        .unwrap_err();
    let text = in_full(&error);
    assert!(text.contains("`ext4` with the label `thesis`"), "{text}");
    let hint = error.hint().unwrap();
    assert!(
        !hint.contains("wipefs --all"),
        "the data may be the user's: {hint}"
    );
    assert_eq!(journal.0, [], "no setting is written for a refused device");
    assert_eq!(std::fs::read_to_string(&scheduler).unwrap(), chosen);
    world.restore(&mut journal).unwrap();
    drop(world);
    assert!(device.read_at(0, 64 << 20) == before, "a byte was changed");
    assert_eq!(journal.0, []);
}

#[test]
fn a_link_that_changes_between_two_samples_stops_the_run() {
    const WHAT: &str = "a changed link";
    if !has_loops(WHAT) || !has("blkid", WHAT) {
        return;
    }
    let (device, other) = (Loop::new(64), Loop::new(64));
    let link = Link::new("turned", &device.path);
    let cell = cell("", "");
    let Some(mut world) = world(WHAT, &[&link.path]) else {
        return;
    };
    let mut journal = Remembered::default();
    world
        .prepare(&cell, &mut journal, &mut NeverCancel)
        .unwrap();
    sample(&mut world, &cell).unwrap();
    link.point_to(&other.path);
    let error = sample(&mut world, &cell).unwrap_err();
    assert!(
        in_full(&error).contains("and is now"),
        "{}",
        in_full(&error)
    );
    let error = world.prepare(&cell, &mut journal, &mut NeverCancel);
    assert!(in_full(&error.unwrap_err()).contains("and is now"));
    std::fs::remove_file(&link.path).unwrap();
    let error = sample(&mut world, &cell).unwrap_err();
    assert!(in_full(&error).contains("does not exist"));
    assert!(!link.path.exists(), "a file was created in its place");
    // The announced device is released, whatever device has its name now.
    std::os::unix::fs::symlink(&other.path, &link.path).unwrap();
    world.restore(&mut journal).unwrap();
    assert_eq!(journal.0, []);
    assert!(device.read_at(2048, 512).iter().all(|byte| *byte == 0));
    let untouched = other.read_at(0, 64 << 20);
    assert!(untouched.iter().all(|byte| *byte == 0), "the other disk");
}

#[test]
fn a_filesystem_is_built_on_the_device_that_was_examined() {
    const WHAT: &str = "a changed link below a filesystem";
    if !has_loops(WHAT) || !has("mkfs.ext4", WHAT) {
        return;
    }
    let (device, other) = (Loop::new(64), Loop::new(64));
    let link = Link::new("below", &device.path);
    let cell = cell("filesystem = \"ext4\"", "");
    let Some(mut world) = world(WHAT, &[&link.path]) else {
        return;
    };
    let mut journal = Remembered::default();
    world
        .prepare(&cell, &mut journal, &mut NeverCancel)
        .unwrap();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(mounts.contains(&format!(" {} ", device.name())), "{mounts}");
    link.point_to(&other.path);
    world.restore(&mut journal).unwrap();
    assert_eq!(journal.0, []);
    for device in [&device, &other] {
        assert_eq!(run("wipefs", &["--no-act", device.name()]), "");
    }
}

#[test]
fn a_filesystem_that_was_unmounted_is_not_measured() {
    const WHAT: &str = "an unmounted filesystem";
    if !has_loops(WHAT) || !has("mkfs.ext4", WHAT) {
        return;
    }
    let device = Loop::new(64);
    let cell = cell("filesystem = \"ext4\"", "");
    let Some(mut world) = world(WHAT, &[&device.path]) else {
        return;
    };
    let mut journal = Remembered::default();
    world
        .prepare(&cell, &mut journal, &mut NeverCancel)
        .unwrap();
    sample(&mut world, &cell).unwrap();
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let source = format!("{} ", device.name());
    let line = mounts.lines().find(|line| line.starts_with(&source));
    let directory = line.unwrap().split(' ').nth(1).unwrap().to_owned();
    run("umount", &[&directory]);
    let error = sample(&mut world, &cell).unwrap_err();
    assert!(in_full(&error).contains("was unmounted"), "{error}");
    let entries = std::fs::read_dir(&directory).unwrap();
    assert_eq!(entries.count(), 0, "a file was created in its place");
    world.restore(&mut journal).unwrap();
    assert_eq!(journal.0, []);
    assert_eq!(run("wipefs", &["--no-act", device.name()]), "");
}

#[test]
fn a_claimed_device_stays_held_before_its_first_use() {
    const WHAT: &str = "a device not used yet";
    if !has_loops(WHAT) || !has("mkfs.ext4", WHAT) {
        return;
    }
    let (first, second) = (Loop::new(64), Loop::new(64));
    let cell = cell("filesystem = \"ext4\"", "");
    let Some(mut world) = world(WHAT, &[&first.path, &second.path]) else {
        return;
    };
    let mut journal = Remembered::default();
    world
        .prepare(&cell, &mut journal, &mut NeverCancel)
        .unwrap();
    let taken = attempt("mkfs.ext4", &["-q", "-F", second.name()]);
    let text = String::from_utf8_lossy(&taken.stderr);
    assert!(!taken.status.success() && text.contains("in use"), "{text}");
    // A plain writer is not kept out. The device is not in the journal, so we do not write to it.
    write_without_lock(&second.path, &filesystem());
    let before = second.read_at(0, 64 << 20);
    world.restore(&mut journal).unwrap();
    drop(world);
    assert_eq!(journal.0, []);
    assert_eq!(run("wipefs", &["--no-act", first.name()]), "");
    assert!(second.read_at(0, 64 << 20) == before, "a byte was changed");
}

#[test]
fn a_second_claim_accepts_only_the_confirmed_devices() {
    const WHAT: &str = "a second claim";
    if !has_loops(WHAT) {
        return;
    }
    let device = Loop::new(64);
    let Some(mut world) = world(WHAT, &[&device.path]) else {
        return;
    };
    world.claim().unwrap();
    world.restore(&mut Remembered::default()).unwrap();
    let other = device.file.with_file_name("other");
    File::create(&other).unwrap().set_len(64 << 20).unwrap();
    let detach = || run("losetup", &["--detach", device.name()]);
    let attach = |file: &Path| retried("losetup", &[device.name(), file.to_str().unwrap()]);
    detach();
    attach(&other);
    let error = in_full(&world.claim().unwrap_err());
    detach();
    attach(&device.file);
    assert!(error.contains("when it was confirmed"), "{error}");
    assert!(error.contains(other.to_str().unwrap()), "{error}");
    world.claim().unwrap();
}

#[test]
fn zfs_on_a_whole_array_is_refused_with_a_hint() {
    const WHAT: &str = "ZFS";
    if !has_loops(WHAT) {
        return;
    }
    let device = Loop::new(64);
    let Some(mut world) = world(WHAT, &[&device.path]) else {
        return;
    };
    let stack = "array = { level = \"linear\" }\nfilesystem = \"zfs\"";
    let error = world.check(&[cell(stack, "")]).unwrap_err();
    let text = in_full(&error);
    assert!(text.contains("which ZFS would partition"), "{text}");
    assert!(error.hint().unwrap().contains("`volume`"));
}

fn claim_one(path: &Path) -> Result<Vec<stripewise_metal::device::Claimed>, Refusal> {
    claim(&Root::live(), &[("disk".to_owned(), path.to_owned())])
}

/// A process that has a file open until it is dropped; by default for writing.
struct Writer(Child);

impl Writer {
    fn new(path: &Path) -> Self {
        Self::with("exec 9<>\"$1\"", path)
    }

    /// Opens the file with this line of shell.
    fn with(opening: &str, path: &Path) -> Self {
        let script = &format!("{opening}; echo ready; exec sleep 60");
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).arg(path);
        let mut child = command
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        Self(child)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn nothing_below_an_untouched_layer_is_touched() {
    if !has_loops("restore below a layer") {
        return;
    }
    let device = Loop::new(64);
    let mut journal = Remembered::default();
    let claimed = claim_one(&device.path).unwrap().remove(0);
    claimed.mark(&Root::live(), &mut journal).unwrap();
    drop(claimed);
    let claim = journal.0.remove(0);
    // A layer on a device of the run, according to the journal, without a UUID of the run.
    let above = |devices: &[&Path]| Change::MadeFilesystem {
        identity: "11223344-5566-7788-99aa-bbccddeeff00".to_owned(),
        devices: devices.iter().map(|path| path.to_path_buf()).collect(),
    };
    let find = || Leftovers::find(std::slice::from_ref(&claim), Announced::SinceStart).unwrap();
    let before = device.read_at(0, 1 << 20);
    let mut leftovers = find();
    let undone = leftovers.undo(&above(&[Path::new("/dev/md4711")])).unwrap();
    assert!(matches!(undone, Undone::Untouched { .. }), "{undone:?}");
    let undone = leftovers.undo(&claim).unwrap();
    assert!(
        matches!(&undone, Undone::Kept { why } if why.id == "restore-why-layer-above"),
        "{undone:?}"
    );
    assert!(device.read_at(0, 1 << 20) == before, "a byte was changed");
    drop(leftovers);
    // A foreign signature on the device itself is found again when the device is released.
    let mut leftovers = find();
    let undone = leftovers.undo(&above(&[&device.path])).unwrap();
    assert!(matches!(undone, Undone::Untouched { .. }), "{undone:?}");
    assert_eq!(leftovers.undo(&claim).unwrap(), Undone::Done);
}

#[test]
fn a_device_that_another_process_can_write_to_is_refused() {
    if !has_loops("a device of a virtual machine") {
        return;
    }
    let device = Loop::new(64);
    let writer = Writer::new(&device.path);
    let refusal = claim_one(&device.path).unwrap_err();
    assert!(matches!(refusal, Refusal::Written { .. }), "{refusal}");
    let text = refusal.to_string();
    let process = format!("`sleep` (process {})", writer.0.id());
    assert!(text.contains(&process), "{text}");
    drop(writer);
    claim_one(&device.path).unwrap();
}

/// A loop device that is detached with the test, even if its file was renamed.
struct Attached(PathBuf);

impl Attached {
    fn new(file: &Path) -> Self {
        let arguments = ["--find", "--show", file.to_str().unwrap()];
        Self(run("losetup", &arguments).trim().into())
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let _ = attempt("losetup", &["--detach", self.0.to_str().unwrap()]);
    }
}

/// Asserts that a loop device is refused because a process uses its file.
fn assert_file_in_use(device: &Path, process: &Writer, how: &str) {
    let refusal = claim_one(device).unwrap_err();
    assert!(matches!(refusal, Refusal::BackingFile { .. }), "{refusal}");
    let text = refusal.to_string();
    let user = format!("`sleep` (process {}) has its backing file", process.0.id());
    assert!(text.contains(&user) && text.ends_with(how), "{text}");
    assert!(
        refusal.hint().contains("attach a copy"),
        "{}",
        refusal.hint()
    );
}

#[test]
fn a_loop_device_whose_file_another_process_has_open_is_refused() {
    if !has_loops("a file in use") {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let [file, renamed] = ["disk", "renamed"].map(|name| folder.path().join(name));
    File::create(&file).unwrap().set_len(64 << 20).unwrap();
    let attached = Attached::new(&file);
    let device = &attached.0;
    // A reader may be a backup, or a virtual machine whose disk is based on the file.
    let reader = Writer::with("exec 9<\"$1\"", &file);
    assert_file_in_use(device, &reader, "open for reading");
    drop(reader);
    let writer = Writer::new(&file);
    assert_file_in_use(device, &writer, "open for writing");
    // Renamed, then deleted.
    std::fs::rename(&file, &renamed).unwrap();
    assert_file_in_use(device, &writer, "open for writing");
    std::fs::remove_file(&renamed).unwrap();
    assert_file_in_use(device, &writer, "open for writing");
    drop(writer);
    claim_one(device).unwrap();
}

#[test]
fn two_loop_devices_on_a_file_are_refused_even_if_it_was_renamed() {
    if !has_loops("two names of a file") {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    File::create(&first).unwrap().set_len(64 << 20).unwrap();
    let device = Attached::new(&first);
    std::fs::hard_link(&first, &second).unwrap();
    std::fs::remove_file(&first).unwrap();
    let twin = Attached::new(&second);
    for path in [&device.0, &twin.0] {
        let refusal = claim_one(path).unwrap_err();
        assert!(matches!(refusal, Refusal::Held { .. }), "{refusal}");
    }
}

#[test]
fn a_loop_device_on_a_swap_file_is_refused() {
    if !has_loops("a swap file") || !has("mkswap", "a swap file") {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("swap file");
    // The kernel does not swap to a sparse file, nor to one that others may read.
    std::fs::write(&file, vec![0; 32 << 20]).unwrap();
    let name = file.to_str().unwrap();
    run("chmod", &["600", name]);
    run("mkswap", &[name]);
    let on = attempt("swapon", &[name]);
    if !on.status.success() {
        skip("a swap file", &String::from_utf8_lossy(&on.stderr));
        return;
    }
    let attached = attempt("losetup", &["--find", "--show", name]);
    let path = String::from_utf8(attached.stdout).unwrap();
    let refusal = claim_one(Path::new(path.trim()));
    run("losetup", &["--detach", path.trim()]);
    run("swapoff", &[name]);
    let refusal = refusal.unwrap_err();
    assert!(matches!(refusal, Refusal::Swap { .. }), "{refusal}");
    assert!(refusal.to_string().contains(name), "{refusal}");
}

#[test]
fn data_without_a_signature_is_reported() {
    if !has_loops("data without a signature") {
        return;
    }
    let found = |fill: &dyn Fn(&File)| -> DataFound {
        let device = Loop::with(64, &[], |file| fill(file));
        claim_one(&device.path).unwrap()[0].data_found().unwrap()
    };
    let empty = found(&|_| ());
    assert_eq!(empty.with_data, 0);
    assert!(empty.looked_at > 200, "{empty:?}");
    let full = found(&|file| file.write_all_at(&vec![0xa7; 64 << 20], 0).unwrap());
    assert_eq!(full.with_data, full.looked_at);
    let last = found(&|file| file.write_all_at(b"x", (64 << 20) - 1).unwrap());
    assert_eq!(last.with_data, 1);
    let erased = found(&|file| file.write_all_at(&vec![0xff; 64 << 20], 0).unwrap());
    assert_eq!(erased.with_data, 0);
}

#[test]
fn loop_devices_do_not_hide_their_backing() {
    if !has_loops("loop devices on one another") {
        return;
    }
    let device = Loop::new(64);
    let file = device.file.to_str().unwrap();
    let attach = |file: &str| PathBuf::from(run("losetup", &["--find", "--show", file]).trim());
    let detach = |path: &Path| run("losetup", &["--detach", path.to_str().unwrap()]);
    let twin = attach(file);
    let refusals = [claim_one(&device.path), claim_one(&twin)];
    detach(&twin);
    for refusal in refusals {
        let refusal = refusal.unwrap_err();
        assert!(matches!(refusal, Refusal::Held { .. }), "{refusal}");
    }
    let above = attach(device.name());
    let (below, refusal) = (claim_one(&device.path), claim_one(&above));
    detach(&above);
    let below = below.unwrap_err();
    assert!(matches!(below, Refusal::Held { .. }), "{below}");
    let refusal = refusal.unwrap_err();
    assert!(matches!(refusal, Refusal::LoopOnDevice { .. }), "{refusal}");
}

#[test]
fn a_refused_run_does_not_disturb_the_run_that_holds_the_device() {
    if !has_loops("two runs") {
        return;
    }
    let device = Loop::new(64);
    let ours = claim_one(&device.path).unwrap().remove(0);
    // Our tool has the device open. A run that examined the device before locking it would fail on
    // the tool's open or, a moment later, block the tool.
    ours.drop_exclusive();
    let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
    let tool = rustix::fs::open(&device.path, flags, Mode::empty()).unwrap();
    let refusal = claim_one(&device.path).unwrap_err();
    assert!(matches!(refusal, Refusal::Locked { .. }), "{refusal}");
    drop(tool);
    ours.verify(&Root::live()).unwrap();
}

#[test]
fn a_signature_with_an_identity_by_a_plain_writer_is_kept_on_a_held_device() {
    const WHAT: &str = "a plain writer";
    if !has_loops(WHAT) || !has("mkfs.ext4", WHAT) {
        return;
    }
    let root = Root::live();
    let device = Loop::new(64);
    let wanted = ("disk".to_owned(), device.path.clone());
    let claimed = claim(&root, &[wanted]).unwrap().remove(0);
    let mut notes = Remembered::default();
    claimed.mark(&root, &mut notes).unwrap();
    let image = tempfile::NamedTempFile::new().unwrap();
    image.as_file().set_len(32 << 20).unwrap();
    let path = image.path().to_str().unwrap();
    run("mkfs.ext4", &["-q", "-F", "-L", "precious", path]);
    let copy = |from: &str| {
        let (from, to) = (format!("if={from}"), format!("of={}", device.name()));
        run("dd", &[&from, &to, "bs=1M", "conv=notrunc,fsync"]);
    };
    copy(path);
    let before = device.read_at(0, 32 << 20);
    let error = claimed.release(&mut notes).unwrap_err();
    let hint = error.hint().unwrap_or_default();
    assert!(hint.contains("so it was kept"), "{error}: {hint}");
    assert_eq!(notes.0.len(), 1, "it stays in the journal");
    assert!(device.read_at(0, 32 << 20) == before, "a byte was changed");

    // fio may write data that looks like a signature without an identity: here a boot sector.
    let mut bytes = vec![0; 32 << 20];
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes[446 + 4] = 0x83;
    bytes[446 + 8] = 8;
    bytes[446 + 12] = 8;
    std::fs::write(path, &bytes).unwrap();
    copy(path);
    assert!(
        run("wipefs", &["--noheadings", device.name()]).contains("dos"),
        "wipefs must find the boot sector"
    );
    claimed.release(&mut notes).unwrap();
    assert_eq!(notes.0, []);
    assert_eq!(run("wipefs", &["--noheadings", device.name()]), "");
}

#[test]
fn a_partition_is_locked_with_its_disk() {
    const WHAT: &str = "the lock of a partition";
    if !has_loops(WHAT) {
        return;
    }
    let device = Loop::with(128, &["--partscan"], |file| {
        let mut table = [0; 512];
        for (entry, start) in [(446, 2048_u32), (462, 2048 + (40 << 11))] {
            table[entry + 4] = 0x83;
            table[entry + 8..entry + 12].copy_from_slice(&start.to_le_bytes());
            table[entry + 12..entry + 16].copy_from_slice(&(40_u32 << 11).to_le_bytes());
        }
        table[510..].copy_from_slice(&[0x55, 0xaa]);
        file.write_all_at(&table, 0).unwrap();
    });
    let parts = [1, 2].map(|part| PathBuf::from(format!("{}p{part}", device.name())));
    if !parts[0].exists() {
        skip(WHAT, "this kernel finds no partitions on loop devices");
        return;
    }
    let wanted = parts.map(|part| ("disk".to_owned(), part));
    let claimed = claim(&Root::live(), &wanted).unwrap();
    let disk = File::open(&device.path).unwrap();
    let lock = || rustix::fs::flock(&disk, rustix::fs::FlockOperation::NonBlockingLockShared);
    assert_eq!(lock(), Err(rustix::io::Errno::WOULDBLOCK));
    assert_eq!(claimed[1].partition_number, Some(2));
    drop(claimed);
    examine(&Root::live(), &wanted[0].1).unwrap();
}

/// Asserts that a device is refused because of this magic number.
fn assert_number_refused(device: &Loop, kind: &str, offset_bytes: u64) {
    let refusal = claim_one(&device.path).unwrap_err();
    assert!(matches!(refusal, Refusal::MagicNumber { .. }), "{refusal}");
    let text = refusal.to_string();
    let words = format!("the magic number of `{kind}`");
    let place = format!("at byte {offset_bytes}");
    assert!(text.contains(&words) && text.contains(&place), "{text}");
    let command = format!("of={} bs=1 seek={offset_bytes} ", device.name());
    assert!(refusal.hint().contains(&command), "{}", refusal.hint());
}

#[test]
fn a_damaged_superblock_that_no_tool_lists_is_refused() {
    if !has_loops("damaged superblocks") {
        return;
    }
    // Only the copy at the end: the start of the disk was overwritten.
    let end = (64 << 20) - 512;
    let gpt = Loop::with(64, &[], |file| {
        file.write_all_at(b"EFI PART", end).unwrap();
    });
    assert_number_refused(&gpt, "gpt", end);
    // An md 1.2 superblock with a wrong checksum and a wrong offset.
    let md = Loop::with(64, &[], |file| {
        file.write_all_at(b"\xfc\x4e\x2b\xa9\x01", 4096).unwrap();
        file.write_all_at(&[9; 8], 4096 + 144).unwrap();
    });
    assert_number_refused(&md, "linux_raid_member", 4096);
    if has("mkfs.xfs", "a damaged XFS") {
        let xfs = Loop::new(512);
        run("mkfs.xfs", &["-q", xfs.name()]);
        // Destroys the block size, without which libxfs and libblkid reject it.
        let device = File::options().write(true).open(&xfs.path).unwrap();
        device.write_all_at(&[0xff; 4], 4).unwrap();
        device.sync_all().unwrap();
        drop(device);
        assert_number_refused(&xfs, "xfs", 0);
    }
    if has("mkfs.btrfs", "a copy of a btrfs superblock") {
        let btrfs = Loop::new(128);
        run("mkfs.btrfs", &["-q", btrfs.name()]);
        run("wipefs", &["--quiet", "--all", btrfs.name()]);
        assert_number_refused(&btrfs, "btrfs", (64 << 20) + 64);
        // The command in the hint empties the device.
        let refusal = claim_one(&btrfs.path).unwrap_err().hint();
        let command = refusal.split('`').find(|part| part.starts_with("dd "));
        let words: Vec<&str> = command.unwrap().split(' ').skip(1).collect();
        run("dd", &words);
        claim_one(&btrfs.path).unwrap();
    }
}

#[test]
fn backup_superblocks_of_the_run_are_removed_too() {
    if !has_loops("copies of a superblock") || !has("mkfs.btrfs", "copies of a superblock") {
        return;
    }
    let device = Loop::new(128);
    let claimed = claim_one(&device.path).unwrap().remove(0);
    let mut notes = Remembered::default();
    claimed.mark(&Root::live(), &mut notes).unwrap();
    let copy = (64 << 20) + 64;
    claimed.drop_exclusive();
    let make = |uuid: &str| retried("mkfs.btrfs", &["-q", "-f", "-U", uuid, device.name()]);
    make(&claimed.token.uuid().unwrap());
    assert_eq!(device.read_at(copy, 8), b"_BHRfS_M");
    claimed.wipe().unwrap();
    assert_eq!(device.read_at(copy, 8), [0; 8]);
    // A foreign filesystem of which only the copy is left is kept.
    claimed.drop_exclusive();
    make("11223344-5566-7788-99aa-bbccddeeff00");
    run("wipefs", &["--quiet", "--all", device.name()]);
    assert!(claimed.wipe().is_err());
    assert_eq!(device.read_at(copy, 8), b"_BHRfS_M");
}
