//! Captures the block I/O of a device through the kernel's tracepoints.
//!
//! In a tracing instance of our own, `instances/stripewise-PID-NAMESPACE`, so that other tracing goes on
//! undisturbed. Only the events of one device are recorded: where a bio is queued, and where it is done.
//! The instance is removed at the end, on an error and on a signal; one whose program was killed is
//! removed by `restore` and by the next capture. The records stay in memory, because writing them to
//! a disk would be traced, too.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, OFlags, major, memfd_create, minor};
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use stripewise_machine::{Node, Root};
use stripewise_study::world::{Watch, WorldError};
use stripewise_units::Bytes;

/// Where the kernel's tracing is mounted, on most machines.
const TRACEFS: &str = "/sys/kernel/tracing";
/// What our instances are called, before the numbers of the process and of its namespace.
const PREFIX: &str = "stripewise-";
/// What to do where tracing cannot be used.
const ELSEWHERE: &str = "or trace elsewhere as docs/traces.md shows, and use `--from`";
/// The buffer of each CPU: records of half a second at 100,000 I/Os per second.
const BUFFER_KIB: &str = "8192";
/// The most bytes of a capture.
const BYTES_MAX: u64 = 1 << 30;
/// What failed if the records cannot be kept.
const READ: &str = "failed to read the records";
/// How long records gather before they are read.
const PAUSE: Duration = Duration::from_millis(50);

type Result<T> = std::result::Result<T, WorldError>;

/// A captured trace, in the format of ftrace.
#[derive(Debug)]
pub struct Captured {
    /// The records, in memory.
    pub file: File,
    /// The size of the device.
    pub device_bytes: Option<u64>,
    /// How long it took, if it ended early because it has as many bytes as a capture has at most.
    pub full_after: Option<Duration>,
}

/// Records the I/O of `device`, such as `sda` or `/dev/sda`, for `length`. `watch` is asked several
/// times a second.
///
/// # Errors
/// If it is no disk, the kernel's tracing cannot be used, or `watch` cancelled.
pub fn capture(device: &str, length: Duration, watch: &mut dyn Watch) -> Result<Captured> {
    let device = Device::find(device)?;
    let failed = |error: WorldError| {
        let hint = error.hint().map(str::to_owned);
        let failed = WorldError::failed(format!("failed to trace `{}`", device.name), error);
        match hint {
            Some(hint) => failed.or_hint(hint),
            None => failed,
        }
    };
    let tracing = Tracing::find().map_err(failed)?;
    let mut recording = Recording::begin(&tracing, &device).map_err(failed)?;
    let began = Instant::now();
    while began.elapsed() < length && recording.bytes < BYTES_MAX {
        if !watch.keep_going(began.elapsed()) {
            return Err(WorldError::Interrupted);
        }
        std::thread::sleep(PAUSE.min(length.saturating_sub(began.elapsed())));
        recording.read()?;
    }
    let is_full = recording.bytes >= BYTES_MAX;
    Ok(Captured {
        full_after: is_full.then(|| began.elapsed()),
        file: recording.end()?,
        device_bytes: device.bytes,
    })
}

/// A block device.
struct Device {
    name: String,
    /// Its number, as the filters of events take it.
    number: u64,
    bytes: Option<u64>,
    /// Whether it has requests; md, dm and loop devices of old kernels hand bios on.
    has_requests: bool,
}

impl Device {
    fn find(name: &str) -> Result<Self> {
        let path = match name.contains('/') {
            true => PathBuf::from(name),
            false => Path::new("/dev").join(name),
        };
        let failed = |why: String| WorldError::plain(format!("cannot trace `{name}`: {why}"));
        let metadata = fs::metadata(&path).map_err(|error| failed(error.to_string()))?;
        if !metadata.file_type().is_block_device() {
            return Err(failed("it is not a block device".to_owned())
                .or_hint("name a disk, such as `sda` or `/dev/nvme0n1`"));
        }
        let (root, number) = (Root::live(), metadata.rdev());
        let node = Node::of_number(&root, number);
        let node = node.ok_or_else(|| failed("it is not in /sys".to_owned()))?;
        if node.is_partition(&root) {
            let whole = node.disk(&root).map_or_else(String::new, |disk| disk.name);
            return Err(failed("it is a partition".to_owned()).or_hint(format!(
                "the kernel records the I/O of whole disks: `--device {whole}`"
            )));
        }
        Ok(Self {
            name: name.to_owned(),
            number: u64::from(major(number)) << 20 | u64::from(minor(number)),
            bytes: node.sectors(&root, "size").map(Bytes::as_u64),
            has_requests: root.exists(node.folder.join("mq")),
        })
    }
}

/// The kernel's tracing.
struct Tracing {
    path: PathBuf,
    /// A detached mount, which ends with us.
    _mount: Option<OwnedFd>,
}

impl Tracing {
    /// Finds it where it is mounted, or makes a detached mount of it: all mounts show the same instances
    /// (`trace_get_tree`, fs/tracefs/inode.c).
    fn find() -> Result<Self> {
        if Path::new(TRACEFS).join("instances").exists() {
            let path = PathBuf::from(TRACEFS);
            return Ok(Self { path, _mount: None });
        }
        let mounted = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC).and_then(|filesystem| {
            fsconfig_create(&filesystem)?;
            let attributes = MountAttrFlags::empty();
            fsmount(&filesystem, FsMountFlags::FSMOUNT_CLOEXEC, attributes)
        });
        let mount = mounted.map_err(unmountable)?;
        Ok(Self {
            path: PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd())),
            _mount: Some(mount),
        })
    }
}

/// Says why the kernel's tracing cannot be mounted.
fn unmountable(error: Errno) -> WorldError {
    let (why, what) = match error {
        Errno::PERM | Errno::ACCESS => ("permission denied".to_owned(), privilege()),
        Errno::NODEV => (
            "this kernel is built without tracing".to_owned(),
            "run a kernel of your distribution",
        ),
        // `fsopen` came with Linux 5.2.
        _ => (
            format!(
                "it is not mounted, and cannot be: {}",
                io::Error::from(error)
            ),
            "`mount -t tracefs tracefs /sys/kernel/tracing` as root",
        ),
    };
    WorldError::plain(format!("{TRACEFS}: {why}")).or_hint(format!("{what}, {ELSEWHERE}"))
}

/// Says what a user without permission to trace needs.
fn privilege() -> &'static str {
    match rustix::process::geteuid().is_root() {
        true => "root needs CAP_SYS_ADMIN here: run it outside of the container",
        false => "run it as root",
    }
}

/// A tracing instance, which is removed when this is dropped.
struct Instance {
    path: PathBuf,
    /// Where it is for others: our mount may be detached.
    shown: String,
}

impl Instance {
    fn create(tracing: &Tracing) -> Result<Self> {
        let instances = tracing.path.join("instances");
        let failed = |error: io::Error| {
            let failure = WorldError::plain(format!("{TRACEFS}/instances: {error}"));
            match error.kind() {
                ErrorKind::PermissionDenied => {
                    failure.or_hint(format!("{}, {ELSEWHERE}", privilege()))
                }
                _ => failure,
            }
        };
        let _left = remove_abandoned(&instances).map_err(failed)?;
        let name = format!("{PREFIX}{}-{}", std::process::id(), namespace());
        let path = instances.join(&name);
        fs::create_dir(&path).map_err(failed)?;
        let shown = format!("{TRACEFS}/instances/{name}");
        Ok(Self { path, shown })
    }

    fn set(&self, file: &str, text: &str) -> Result<()> {
        let written = OpenOptions::new()
            .write(true)
            .open(self.path.join(file))
            .and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| self.failed(file, &error))
    }

    fn failed(&self, file: &str, error: &io::Error) -> WorldError {
        WorldError::plain(format!("{}/{file}: {error}", self.shown))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _removed = fs::remove_dir(&self.path);
    }
}

/// Returns the number of our namespace of processes: in another container, a program may have our number.
fn namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |file| file.ino())
}

/// An instance that a capture left behind, or that of another container.
#[derive(Debug, PartialEq, Eq)]
pub struct LeftInstance {
    /// Its path, for others.
    pub shown: String,
    /// What became of it.
    pub fate: Fate,
}

/// What becomes of an instance that is not ours.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its program was killed: removed.
    Removed,
    /// Its program was killed, but it cannot be removed: why.
    Stays(String),
    /// It belongs to this process of another container. We cannot see whether it runs.
    OutOfSight(u32),
}

/// Removes the instances of killed captures wherever the kernel's tracing can be used; elsewhere there
/// are none that this user may touch.
pub fn restore_instances() -> Vec<LeftInstance> {
    let Ok(tracing) = Tracing::find() else {
        return Vec::new();
    };
    remove_abandoned(&tracing.path.join("instances")).unwrap_or_default()
}

/// Removes the instances of programs that were killed, and returns all that do not belong to a program
/// that runs here. Those of other containers are left to these: we cannot see who runs there.
fn remove_abandoned(instances: &Path) -> io::Result<Vec<LeftInstance>> {
    let mut left = Vec::new();
    for entry in fs::read_dir(instances)? {
        let entry = entry?;
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let owner = owner.and_then(|owner| owner.split_once('-'));
        let owner = owner.and_then(|(process, namespace)| {
            Some((process.parse::<u32>().ok()?, namespace.parse::<u64>().ok()?))
        });
        let Some((process, of)) = owner else {
            continue;
        };
        let fate = match (of == namespace(), is_running(process)) {
            (true, true) => continue,
            (true, false) => match fs::remove_dir(entry.path()) {
                Ok(()) => Fate::Removed,
                // Another one was faster.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => Fate::Stays(error.to_string()),
            },
            (false, _) => Fate::OutOfSight(process),
        };
        let shown = format!("{TRACEFS}/instances/{}", name.to_string_lossy());
        left.push(LeftInstance { shown, fate });
    }
    Ok(left)
}

/// Returns whether a process of this namespace runs that is not ours: our number may have been that of
/// a killed one.
fn is_running(process: u32) -> bool {
    process != std::process::id() && Path::new(&format!("/proc/{process}")).exists()
}

/// A capture under way.
struct Recording {
    /// Closed before the instance is removed, as the fields are dropped in this order.
    pipe: File,
    instance: Instance,
    file: File,
    bytes: u64,
    buffer: Vec<u8>,
}

impl Recording {
    fn begin(tracing: &Tracing, device: &Device) -> Result<Self> {
        let instance = Instance::create(tracing)?;
        instance.set("buffer_size_kb", BUFFER_KIB)?;
        // One clock for all CPUs.
        instance.set("trace_clock", "mono")?;
        let done = match device.has_requests {
            true => "block_rq_complete",
            false => "block_bio_complete",
        };
        for event in [done, "block_bio_queue"] {
            let filter = format!("dev == {}", device.number);
            instance.set(&format!("events/block/{event}/filter"), &filter)?;
            instance.set(&format!("events/block/{event}/enable"), "1")?;
        }
        let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
        let pipe = OpenOptions::new()
            .read(true)
            .custom_flags(nonblocking)
            .open(instance.path.join("trace_pipe"))
            .map_err(|error| instance.failed("trace_pipe", &error))?;
        let file = memfd_create("stripewise-trace", MemfdFlags::CLOEXEC)
            .map_err(|error| WorldError::plain(format!("no memory for the records: {error}")))?;
        Ok(Self {
            pipe,
            instance,
            file: File::from(file),
            bytes: 0,
            buffer: vec![0; 64 << 10],
        })
    }

    /// Reads what was recorded so far.
    fn read(&mut self) -> Result<()> {
        while self.bytes < BYTES_MAX {
            match self.pipe.read(&mut self.buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => {
                    let kept = self.file.write_all(&self.buffer[..count]);
                    kept.map_err(|error| WorldError::failed(READ, error))?;
                    self.bytes += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(WorldError::failed(READ, error)),
            }
        }
        Ok(())
    }

    /// Ends the capture, and returns its records.
    fn end(mut self) -> Result<File> {
        self.instance.set("tracing_on", "0")?;
        self.read()?;
        let back = self.file.rewind();
        back.map_err(|error| WorldError::failed(READ, error))?;
        Ok(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel's directory takes part in the command's `tests/it/capture.rs`, where it may be used.
    #[test]
    fn only_instances_of_dead_processes_of_this_namespace_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let here = namespace();
        // Process 1 always runs; no process has the largest number.
        let (dead, init) = (
            format!("{PREFIX}4294967295-{here}"),
            format!("{PREFIX}1-{here}"),
        );
        let elsewhere = format!("{PREFIX}4294967295-{}", here + 1);
        let used = format!("{PREFIX}4294967294-{here}");
        let foreign = [
            "trace-cmd",
            "stripewise-",
            "stripewise-1",
            "stripewise-self-1",
        ];
        for name in [&dead, &init, &elsewhere, &used]
            .map(String::as_str)
            .iter()
            .chain(&foreign)
        {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join(&used).join("open"), "").unwrap();
        let mut left = remove_abandoned(folder.path()).unwrap();
        left.sort_by(|a, b| a.shown.cmp(&b.shown));
        let fates = left.iter().map(|left| (&left.shown, &left.fate));
        let shown = fates.map(|(shown, fate)| {
            let name = shown.replace(&here.to_string(), "HERE");
            format!(
                "{}: {fate:?}\n",
                name.replace(&(here + 1).to_string(), "ELSEWHERE")
            )
        });
        expect_test::expect![[r#"
            /sys/kernel/tracing/instances/stripewise-4294967294-HERE: Stays("Directory not empty (os error 39)")
            /sys/kernel/tracing/instances/stripewise-4294967295-HERE: Removed
            /sys/kernel/tracing/instances/stripewise-4294967295-ELSEWHERE: OutOfSight(4294967295)
        "#]]
        .assert_eq(&shown.collect::<String>());
        assert!(!folder.path().join(&dead).exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 7);
    }
}
