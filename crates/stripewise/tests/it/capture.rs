//! Capturing the I/O of a device. The failures: a tracing instance that stays behind and records on,
//! and a capture that fails without a word about what is missing.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use expect_test::expect;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use rustix::process::Signal;

use crate::support::{
    Bench, number, send, skip_unless_all, until, where_mounting_is_allowed, with,
};

/// A capture removes what another one left behind, so one of these tests runs at a time; between
/// processes, .config/nextest.toml sees to it.
static TURN: Mutex<()> = Mutex::new(());

/// The kernel's tracing and a disk.
struct Traced {
    _turn: MutexGuard<'static, ()>,
    tracing: OwnedFd,
    /// The disk of the scratch directory.
    disk: PathBuf,
}

impl Traced {
    /// Returns `None` where tracing is not allowed or not built in.
    fn find(bench: &Bench) -> Option<Self> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let filesystem = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC).ok()?;
        fsconfig_create(&filesystem).ok()?;
        let attributes = MountAttrFlags::empty();
        let mount = fsmount(&filesystem, FsMountFlags::FSMOUNT_CLOEXEC, attributes);
        let traced = Self {
            _turn: turn,
            tracing: mount.ok()?,
            disk: disk(bench)?,
        };
        let event = traced.path("events/block/block_bio_queue");
        event.exists().then_some(traced)
    }

    fn path(&self, below: &str) -> PathBuf {
        Path::new(&format!("/proc/self/fd/{}", self.tracing.as_raw_fd())).join(below)
    }

    /// Returns the instance of a process.
    fn instance(&self, process: i32) -> PathBuf {
        let namespace = fs::metadata("/proc/self/ns/pid").unwrap().ino();
        self.path(&format!("instances/stripewise-{process}-{namespace}"))
    }
}

fn disk(bench: &Bench) -> Option<PathBuf> {
    let device = fs::metadata(bench.target()).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let entry = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    let whole = match entry.join("partition").exists() {
        true => entry.parent()?,
        false => &entry,
    };
    let disk = Path::new("/dev").join(whole.file_name()?);
    disk.exists().then_some(disk)
}

#[test]
fn the_writes_of_a_second_are_captured_and_the_instance_is_removed() {
    let Some(bench) = Bench::new() else { return };
    let Some(traced) = Traced::find(&bench) else {
        return skip_unless_all("a capture", "the kernel's tracing cannot be used here");
    };
    let words = [
        "characterize",
        "--for",
        "2s",
        "--json",
        "--kernel",
        "6.1",
        "--trace",
        "kept.trace",
        "--device",
    ];
    let mut command = with(bench.command(), words);
    command.arg(&traced.disk);
    let running = bench.start(command);
    let own = traced.instance(number(&running));
    until("the instance", || {
        own.join("trace_pipe").exists().then_some(())
    });
    std::thread::sleep(Duration::from_millis(300));
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(bench.path("written"))
        .unwrap();
    for _ in 0..20 {
        file.write_all(&[7; 8192]).unwrap();
        file.sync_data().unwrap();
    }
    let done = bench.wait(running);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let found: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(found["trace"]["format"], "ftrace");
    assert!(found["trace"]["ios"].as_u64() >= Some(20), "{found:#}");
    assert!(!own.exists(), "{} is left", own.display());
    // What was kept is described in the same way, and can be replayed.
    let words = [
        "characterize",
        "--json",
        "--kernel",
        "6.1",
        "--from",
        "kept.trace",
    ];
    let again = bench.finish(with(bench.command(), words));
    let kept: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(kept["trace"]["ios"], found["trace"]["ios"]);
    assert_eq!(kept["trace"]["phases"], found["trace"]["phases"]);
    let words = [
        "predict",
        "--device",
        "nvme-ssd",
        "--array",
        "raid1:2",
        "--trace",
        "kept.trace",
    ];
    let done = bench.finish(with(bench.command(), words));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
}

#[test]
fn a_signal_removes_the_instance_and_restore_or_the_next_capture_what_a_killed_one_left() {
    let Some(bench) = Bench::new() else { return };
    let Some(traced) = Traced::find(&bench) else {
        return skip_unless_all("a capture", "the kernel's tracing cannot be used here");
    };
    let start = || {
        let words = ["characterize", "--for", "60s", "--device"];
        let mut command = with(bench.command(), words);
        command.arg(&traced.disk);
        let running = bench.start(command);
        let own = traced.instance(number(&running));
        until("the instance", || {
            own.join("trace_pipe").exists().then_some(())
        });
        std::thread::sleep(Duration::from_millis(100));
        (running, own)
    };
    let killed = || {
        let (killed, left) = start();
        send(number(&killed), Signal::KILL);
        bench.wait(killed);
        assert!(left.exists(), "nothing ran to remove it");
        left
    };
    let left = killed();
    // Before the store, which is missing: no run was measured.
    let restored = bench.finish(bench.stored("restore"));
    assert!(!left.exists(), "{} is left", left.display());
    let name = left.file_name().unwrap().to_str().unwrap();
    let said = format!(
        "removed tracing instance `/sys/kernel/tracing/instances/{name}` of a killed capture\n"
    );
    assert!(restored.stderr.contains(&said), "{}", restored.transcript());
    let left = killed();
    let (ended, own) = start();
    assert!(!left.exists(), "{} is left", left.display());
    let restored = bench.finish(bench.stored("restore"));
    assert!(
        own.exists(),
        "a capture under way: {}",
        restored.transcript()
    );
    send(number(&ended), Signal::TERM);
    let done = bench.wait(ended);
    assert!(done.stderr.contains("interrupted"), "{}", done.transcript());
    assert!(!own.exists(), "{} is left", own.display());
}

#[test]
fn what_cannot_be_captured_is_refused_at_once() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "no device");
    let refused = |words: &str| {
        let words = ["characterize"].into_iter().chain(words.split(' '));
        bench.finish(with(bench.command(), words))
    };
    refused("--for 1s --device no-such-disk").refused(&expect![[r#"
        error: cannot trace `no-such-disk`: No such file or directory (os error 2)
    "#]]);
    refused("--for 1s --device ./file").refused(&expect![[r#"
        error: cannot trace `./file`: it is not a block device

        hint: name a disk, such as `sda` or `/dev/nvme0n1`
    "#]]);
    refused("--for 1s").refused(&expect![[r#"
        error: the following required arguments were not provided:
          --device <NAME>

        Usage: stripewise characterize --device <NAME> --for <TIME>

        For more information, try '--help'.
    "#]]);
    refused("--for 60s --device vda --trace no/such/folder/kept").refused(&expect![[r#"
        error: failed to write `no/such/folder/kept`: No such file or directory (os error 2)
    "#]]);
    refused("--for 60s --device vda --on no-such-disk").refused(&expect![[r#"
        error: there is no device profile `no-such-disk`

        hint: known profiles: `flash-sata`, `four-ssd-sata`, `hdd-5400`, `hdd-7200`, `hgst-7k4000`, `intel-p4500`, `micron-1100-m2`, `nvme-ssd`, `samsung-850-evo-500`, `sata-ssd`; `stripewise profiles` describes them, and `stripewise calibrate` makes one from measurements
    "#]]);
    refused("--from file --trace kept").refused(&expect![[r#"
        error: the following required arguments were not provided:
          --device <NAME>
          --for <TIME>

        Usage: stripewise characterize --device <NAME> --for <TIME> --from <FILE>... --trace <FILE>

        For more information, try '--help'.
    "#]]);
    refused("--for 0s --device vda").refused(&expect![[r#"
        error: invalid value '0s' for '--for <TIME>': it must be longer than 0 s

        For more information, try '--help'.
    "#]]);
    refused("--for 1s --device vda --from file").refused(&expect![[r#"
        error: the argument '--for <TIME>' cannot be used with '--from <FILE>...'

        Usage: stripewise characterize --for <TIME> --device <NAME>

        For more information, try '--help'.
    "#]]);
}

/// Such as in a container, where another one's program has the same number.
#[test]
fn tracing_that_is_not_mounted_is_used_and_without_permission_the_error_says_so() {
    let Some(bench) = Bench::new() else { return };
    let Some(traced) = Traced::find(&bench) else {
        return skip_unless_all("a capture", "the kernel's tracing cannot be used here");
    };
    let disk = &traced.disk;
    let script = r#"mount -t tmpfs none /sys/kernel/tracing
        dd if=/dev/zero of="$2/written" bs=4k count=100000 oflag=dsync status=none &
        trap "kill $!" EXIT
        captured() { unshare --pid --fork --mount-proc "$1" characterize --for 1s --device "$3" --json; }
        captured "$@" > "$2/first" &
        first=$!
        captured "$@" | grep -c '"format": "ftrace"'
        wait $first
        grep -c '"format": "ftrace"' "$2/first"
        setpriv --bounding-set -sys_admin "$1" characterize --for 1s --device "$3""#;
    let Some(command) = where_mounting_is_allowed(&bench, script) else {
        return;
    };
    let done = bench.finish(with(command, [disk]));
    let said = done
        .transcript()
        .replace(&disk.display().to_string(), "DISK");
    expect![[r#"
        exit 2
        --- stdout
        1
        1
        --- stderr
        error: failed to trace `DISK`: /sys/kernel/tracing: permission denied

        hint: root needs CAP_SYS_ADMIN here: run it outside of the container, or trace elsewhere as docs/traces.md shows, and use `--from`
    "#]]
    .assert_eq(&said);
}
