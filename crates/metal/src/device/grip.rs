//! The hold on a device: no other program can open it exclusively while we have it.
//!
//! Three descriptors, all of the same node:
//!
//! - `pin`, open for as long as the claim lasts: the kernel gives the device's number and name to no
//!   other device meanwhile, wherever links in `/dev/disk` come to lead;
//! - `lock`, of the whole disk (flock(2), `LOCK_EX`): keeps other runs away, and udev from looking at
//!   the device while it is rebuilt (<https://systemd.io/BLOCK_DEVICE_LOCKING>);
//! - `alone`, opened with `O_EXCL`: the kernel lets no other program mount it, or open it so. It is given
//!   up only around a tool that needs it, and while something is built on the device.
//!
//! What is built on top is held likewise while it stands ([`HeldLayer`]).

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use stripewise_machine::Root;

use super::examined::Found;
use super::open::{open_again, open_alone};
use super::refusal::{Refusal, unreadable};

/// How long to wait for a lock: udev holds one while it looks at a device that has just appeared.
const LOCK_TIME_MAX: Duration = Duration::from_secs(5);

/// How long to wait for a device that was given up: a tool's child may be about to end.
const BUSY_TIME_MAX: Duration = Duration::from_secs(5);

/// What a stack ends in that was built of devices, ours alone for as long as this lives: it is not
/// stopped meanwhile, its number is given to nothing else, and nobody mounts it or makes a filesystem
/// on it.
#[derive(Debug)]
pub(crate) struct HeldLayer {
    /// The node itself, whatever links to it.
    pub(crate) path: PathBuf,
    #[expect(dead_code, reason = "held, not read")]
    alone: File,
}

impl HeldLayer {
    /// Takes a layer that has just been built; waits for a moment for those who look at it.
    ///
    /// # Errors
    /// If another program has it, or it is not there.
    pub(crate) fn take(root: &Root, named: &Path) -> Result<Self, Refusal> {
        let found = Found::find(root, named)?;
        let alone = patiently(|| found.open_exclusively(named, OFlags::RDONLY))?;
        Ok(Self {
            path: found.path,
            alone,
        })
    }
}

/// Retries while another program that is about to end still has the device.
pub(super) fn patiently<T>(mut take: impl FnMut() -> Result<T, Refusal>) -> Result<T, Refusal> {
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

/// The locks of one run, one a disk: two partitions of a disk share it.
#[derive(Debug, Default)]
pub(crate) struct Locks(Vec<(PathBuf, Arc<File>)>);

impl Locks {
    /// Locks the disk that `found` is, or is a partition of.
    pub(super) fn lock(
        &mut self,
        root: &Root,
        named: &Path,
        found: &Found,
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
            let whole = Found::find(root, &path)?;
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

/// See the module.
#[derive(Debug)]
pub(super) struct Grip {
    named: PathBuf,
    pin: File,
    #[expect(
        dead_code,
        reason = "held, not read: the lock ends when the file is closed"
    )]
    lock: Arc<File>,
    alone: Mutex<Alone>,
}

#[derive(Debug)]
struct Alone {
    file: Option<File>,
    /// Whether it was held all the time, so that no tool that asks to be alone can have made anything
    /// on the device; a program that just writes to it is not kept out.
    is_unbroken: bool,
}

impl Grip {
    /// Takes a device for us alone.
    pub(super) fn take(named: &Path, found: &Found, lock: Arc<File>) -> Result<Self, Refusal> {
        let alone = found.open_exclusively(named, OFlags::RDONLY)?;
        let pin = open_again(&alone, OFlags::RDONLY).map_err(|source| unreadable(named, source))?;
        Ok(Self {
            named: named.to_owned(),
            pin,
            lock,
            alone: Mutex::new(Alone {
                file: Some(alone),
                is_unbroken: true,
            }),
        })
    }

    fn alone(&self) -> MutexGuard<'_, Alone> {
        // Nothing that is done with it can be left half done.
        self.alone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets others have it: a tool, or what is built on it.
    pub(super) fn let_go(&self) {
        let mut alone = self.alone();
        if alone.file.take().is_some() {
            alone.is_unbroken = false;
        }
    }

    /// Takes it back, if it is not ours already and no other program has it.
    pub(super) fn take_back_now(&self) -> Result<(), Refusal> {
        let mut alone = self.alone();
        if alone.file.is_none() {
            alone.file = Some(open_alone(&self.pin, &self.named, OFlags::RDONLY)?);
        }
        Ok(())
    }

    /// Takes it back, if it is not ours already; waits for a moment for who is about to go.
    pub(super) fn take_back(&self) -> Result<(), Refusal> {
        patiently(|| self.take_back_now())
    }

    pub(super) fn is_unbroken(&self) -> bool {
        self.alone().is_unbroken
    }

    pub(super) fn pin(&self) -> &File {
        &self.pin
    }

    /// Takes it back and opens it for writing.
    pub(super) fn writable(&self) -> Result<File, Refusal> {
        self.take_back()?;
        open_again(&self.pin, OFlags::RDWR).map_err(|source| unreadable(&self.named, source))
    }
}
