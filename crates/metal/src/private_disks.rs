//! Disks for power cuts without a guest: loop devices over the files of a FUSE filesystem, in a mount
//! namespace of this process.
//!
//! Nothing of it outlives the process: its mounts vanish with the namespace, and the kernel detaches
//! a loop device with `LO_FLAGS_AUTOCLEAR` when its last user closes it. The flag must be there from
//! the first moment on, or a kill at that moment leaves a device behind. `losetup` cannot set it, but
//! `mount -o loop` does. So we open a free device, let `mount` attach it and fail because of a
//! filesystem that does not exist, and keep the device open: `mount` detaches it, which waits for us.

use std::fs::{self, File};
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::mount::{MountFlags, mount};
use rustix::process::{getpid, getppid};
use stripewise_machine::Root;
use stripewise_process::{CallError, Program};
use stripewise_study::world::WorldError;

use crate::build::kernel_name;
use crate::tool::{MOUNT, ToolCall};

const LOSETUP: Program = Program::new("losetup", "mount");

/// The directory that the namespace has an empty one of: mount points and locks of ours are below it.
const RUN: &str = "/run";
/// A type of filesystem that no kernel has.
const NO_TYPE: &str = "stripewise-none";
/// How often another program may take the free loop device before us.
const TRIES: u32 = 20;
/// How long we wait before we look for another one.
const PAUSE: Duration = Duration::from_millis(20);

const PREPARE: &str = "failed to prepare a mount namespace for the disks";
const ATTACH: &str = "failed to attach a loop device";

/// Mounts an empty `/run` and the filesystem whose server has the other end of `fuse`, a descriptor
/// of `/dev/fuse`. Returns the directory with its files.
///
/// # Errors
/// If this process shares its mounts with the one that started it, or the kernel refuses a mount.
pub fn mount_disks(fuse: RawFd) -> Result<PathBuf, WorldError> {
    let failed = |error: std::io::Error| WorldError::failed(PREPARE, error);
    require_own_namespace()?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", RUN, "tmpfs", flags, c"mode=0755").map_err(|error| failed(error.into()))?;
    // The kernel names the file of a loop device by its path: no other process may have the same.
    let name = format!("stripewise-disks-{}", getpid().as_raw_nonzero());
    let directory = Path::new(RUN).join(name);
    fs::create_dir(&directory).map_err(failed)?;
    let options = format!("fd={fuse},rootmode=40000,user_id=0,group_id=0");
    let options = std::ffi::CString::new(options).map_err(|error| failed(error.into()))?;
    mount(
        "stripewise",
        &directory,
        "fuse.stripewise",
        flags,
        options.as_c_str(),
    )
    .map_err(|error| failed(error.into()))?;
    Ok(directory)
}

/// Refuses to mount anything where others would see it.
fn require_own_namespace() -> Result<(), WorldError> {
    let failed = |error: std::io::Error| WorldError::failed(PREPARE, error);
    let parent = getppid().map_or(1, |parent| parent.as_raw_nonzero().get());
    let own = fs::read_link("/proc/self/ns/mnt").map_err(failed)?;
    let of_parent = fs::read_link(format!("/proc/{parent}/ns/mnt")).map_err(failed)?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(failed)?;
    let is_shared = mounts.lines().any(|line| {
        let fields = line.split(" - ").next().unwrap_or_default();
        fields.split(' ').any(|field| field.starts_with("shared:"))
    });
    match own == of_parent || is_shared {
        true => Err(WorldError::failed(
            PREPARE,
            "this process shares its mounts with others",
        )),
        false => Ok(()),
    }
}

/// An attached loop device. The kernel detaches it when this and every other user is gone.
#[derive(Debug)]
pub struct LoopDisk {
    path: PathBuf,
    file: PathBuf,
    /// Its first user.
    _open: File,
}

impl LoopDisk {
    /// Attaches a loop device to `file`, which is below the directory of [`mount_disks`].
    ///
    /// # Errors
    /// If no loop device is free, or the kernel would not send flushes to the file.
    pub fn attach(file: &Path) -> Result<Self, WorldError> {
        for _ in 0..TRIES {
            let free = LOSETUP.call(["--find"]).run_to_the_end();
            let free = free.map_err(|error| error.while_trying(ATTACH))?;
            let path = PathBuf::from(free.trim());
            let open = File::open(&path).map_err(|error| WorldError::failed(ATTACH, error))?;
            let answer = mount_nothing(&path, file)?;
            let disk = Self {
                path,
                file: file.to_owned(),
                _open: open,
            };
            if disk.is_ours() {
                disk.set_up()?;
                return Ok(disk);
            }
            let is_taken = disk.setting("loop/backing_file").is_some();
            if !is_taken {
                return Err(WorldError::failed(ATTACH, answer));
            }
            thread::sleep(PAUSE);
        }
        Err(WorldError::failed(
            ATTACH,
            "other programs take every free loop device",
        ))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Lets requests go past the page cache of the file, and makes sure of flushes and of the end.
    fn set_up(&self) -> Result<(), WorldError> {
        // In whole requests. Without it, the kernel would hand each page over alone.
        let direct = LOSETUP.call(["--direct-io=on"]).arg(&self.path);
        let direct = direct.run_to_the_end();
        direct.map_err(|error| error.while_trying("failed to set a loop device up"))?;
        // An earlier user may have told the kernel to send no flushes.
        let write_cache = self.setting_path("queue/write_cache");
        if self.setting("queue/write_cache").as_deref() != Some("write back") {
            let set = fs::write(&write_cache, "write back");
            set.map_err(|error| WorldError::failed(ATTACH, error))?;
        }
        for (name, expected) in [
            ("queue/write_cache", "write back"),
            ("loop/autoclear", "1"),
            ("loop/dio", "1"),
        ] {
            let found = self.setting(name).unwrap_or_default();
            if found != expected {
                let path = self.setting_path(name);
                let why = format!("`{}` is `{found}`, not `{expected}`", path.display());
                return Err(WorldError::failed(ATTACH, why));
            }
        }
        Ok(())
    }

    fn is_ours(&self) -> bool {
        let backing = self.setting("loop/backing_file");
        backing.is_some_and(|backing| Path::new(&backing) == self.file)
    }

    fn setting_path(&self, name: &str) -> PathBuf {
        let device = kernel_name(&self.path).unwrap_or_default();
        Path::new("/sys/block").join(device).join(name)
    }

    fn setting(&self, name: &str) -> Option<String> {
        Root::live().word(self.setting_path(name))
    }
}

/// Attaches `file` to the loop device at `path` by a mount that must fail; returns how it failed.
fn mount_nothing(path: &Path, file: &Path) -> Result<String, WorldError> {
    let option = format!("loop={}", path.display());
    let call = MOUNT.call(["-t", NO_TYPE, "-o", &option]);
    match call.arg(file).arg(RUN).run_to_the_end() {
        Err(error @ CallError::Failed { .. }) => Ok(error.to_string()),
        Err(error) => Err(error.while_trying(ATTACH)),
        Ok(_) => Err(WorldError::failed(
            ATTACH,
            format!("the kernel has a filesystem `{NO_TYPE}`"),
        )),
    }
}

/// Returns whether a loop device is free.
///
/// # Errors
/// Why none is.
pub fn require_loop_device() -> Result<(), WorldError> {
    let free = LOSETUP.call(["--find"]).run_to_the_end();
    free.map(|_| ()).map_err(|error| {
        error
            .while_trying("failed to find a free loop device")
            .or_hint("load the kernel module with `modprobe loop`; a container must be given `/dev/loop-control` and loop devices")
    })
}
