//! Holds a device, so that no other program can open it exclusively.
//!
//! Three descriptors of the same node:
//!
//! - `pin`, open as long as the claim lasts: the kernel gives the device's number and name to no
//!   other device, wherever links in `/dev/disk` come to lead;
//! - `lock`, on the whole disk (flock(2), `LOCK_EX`): keeps out other runs, and keeps udev from
//!   probing the device while we rebuild it (<https://systemd.io/BLOCK_DEVICE_LOCKING>);
//! - `exclusive`, opened with `O_EXCL`: no other program can mount the device or open it with
//!   `O_EXCL`. We close it only for a tool that needs it, and while a stack is built on the device.
//!
//! [`HeldLayer`] holds the top of a stack in the same way.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use stripewise_machine::Root;

use super::examined::ResolvedDevice;
use super::open::{open_again, open_exclusive};
use super::refusal::{Refusal, unreadable};

/// How long to wait for a lock: udev holds one while it probes a device that has just appeared.
const LOCK_TIME_MAX: Duration = Duration::from_secs(5);

/// How long to wait for a device to become free: a child of a tool may be about to exit.
const BUSY_TIME_MAX: Duration = Duration::from_secs(5);

/// The top layer of a stack built of devices, opened with `O_EXCL`. Until this is dropped, no
/// program can stop, mount or format the layer, and its number is not reused.
#[derive(Debug)]
pub(crate) struct HeldLayer {
    /// The node itself, not a link to it.
    pub(crate) path: PathBuf,
    #[expect(dead_code, reason = "held, not read")]
    exclusive: File,
}

impl HeldLayer {
    /// Opens a layer that has just been built, and waits briefly for programs that probe it.
    ///
    /// # Errors
    /// If another program holds it, or it does not exist.
    pub(crate) fn take(root: &Root, named: &Path) -> Result<Self, Refusal> {
        let found = ResolvedDevice::find(root, named)?;
        let exclusive = retry_while_busy(|| found.open_exclusively(named, OFlags::RDONLY))?;
        Ok(Self {
            path: found.path,
            exclusive,
        })
    }
}

/// Retries while the device is busy, because its user may be about to exit.
pub(super) fn retry_while_busy<T>(
    mut take: impl FnMut() -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let began = Instant::now();
    loop {
        match take() {
            Err(Refusal::Busy { .. }) if began.elapsed() < BUSY_TIME_MAX => {
                std::thread::sleep(Duration::from_millis(50));
            }
            taken => return taken,
        }
    }
}

/// The locks of one run, one for each disk: two partitions of a disk share a lock.
#[derive(Debug, Default)]
pub(crate) struct Locks(Vec<(PathBuf, Arc<File>)>);

impl Locks {
    /// Locks the disk that `found` is, or is a partition of.
    pub(super) fn lock(
        &mut self,
        root: &Root,
        named: &Path,
        found: &ResolvedDevice,
    ) -> Result<Arc<File>, Refusal> {
        let unknown = || Refusal::Unknown(named.to_owned());
        let disk = found.node.disk(root).ok_or_else(unknown)?;
        if let Some((_, lock)) = self.0.iter().find(|(folder, _)| *folder == disk.folder) {
            return Ok(lock.clone());
        }
        let file = if disk == found.node {
            found.open(OFlags::RDONLY)
        } else {
            // In `/sys`, a `/` of the name is written as `!`.
            let path = Path::new("/dev").join(disk.name.replace('!', "/"));
            let whole = ResolvedDevice::find(root, &path)?;
            if whole.node != disk {
                return Err(unknown());
            }
            whole.open(OFlags::RDONLY)
        };
        let file = file.map_err(|source| unreadable(named, source))?;
        wait_for_lock(&file, named)?;
        let lock = Arc::new(file);
        self.0.push((disk.folder, lock.clone()));
        Ok(lock)
    }
}

fn wait_for_lock(file: &File, named: &Path) -> Result<(), Refusal> {
    let began = Instant::now();
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK) if began.elapsed() < LOCK_TIME_MAX => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(Errno::WOULDBLOCK) => {
                return Err(Refusal::Locked(named.to_owned()));
            }
            Err(error) => return Err(unreadable(named, error.into())),
        }
    }
}

/// A held device; see the module documentation.
#[derive(Debug)]
pub(super) struct DeviceHold {
    named: PathBuf,
    pin: File,
    #[expect(
        dead_code,
        reason = "held, not read: the lock ends when the file is closed"
    )]
    lock: Arc<File>,
    exclusive: Mutex<Exclusive>,
}

#[derive(Debug)]
struct Exclusive {
    file: Option<File>,
    /// Whether it was held without a break, so that no tool that opens with `O_EXCL` can have
    /// changed the device; plain writers are not kept out.
    is_unbroken: bool,
}

impl DeviceHold {
    /// Opens a device exclusively.
    pub(super) fn take(
        named: &Path,
        found: &ResolvedDevice,
        lock: Arc<File>,
    ) -> Result<Self, Refusal> {
        let exclusive = found.open_exclusively(named, OFlags::RDONLY)?;
        let pin =
            open_again(&exclusive, OFlags::RDONLY).map_err(|source| unreadable(named, source))?;
        Ok(Self {
            named: named.to_owned(),
            pin,
            lock,
            exclusive: Mutex::new(Exclusive {
                file: Some(exclusive),
                is_unbroken: true,
            }),
        })
    }

    fn exclusive(&self) -> MutexGuard<'_, Exclusive> {
        // No operation on it can be left half done.
        self.exclusive
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the exclusive descriptor, for a tool or for the stack on the device.
    pub(super) fn drop_exclusive(&self) {
        let mut exclusive = self.exclusive();
        if exclusive.file.take().is_some() {
            exclusive.is_unbroken = false;
        }
    }

    /// Opens the device exclusively again, unless it is open; fails if another program has it.
    pub(super) fn try_reopen_exclusive(&self) -> Result<(), Refusal> {
        let mut exclusive = self.exclusive();
        if exclusive.file.is_none() {
            exclusive.file = Some(open_exclusive(&self.pin, &self.named, OFlags::RDONLY)?);
        }
        Ok(())
    }

    /// Opens the device exclusively again, and waits briefly for a user that is about to exit.
    pub(super) fn reopen_exclusive(&self) -> Result<(), Refusal> {
        retry_while_busy(|| self.try_reopen_exclusive())
    }

    pub(super) fn is_unbroken(&self) -> bool {
        self.exclusive().is_unbroken
    }

    pub(super) fn pin(&self) -> &File {
        &self.pin
    }

    /// Opens it exclusively again, and for writing.
    pub(super) fn writable(&self) -> Result<File, Refusal> {
        self.reopen_exclusive()?;
        open_again(&self.pin, OFlags::RDWR).map_err(|source| unreadable(&self.named, source))
    }
}
