//! Disks that the host holds: served to QEMU over sockets in a private directory, each by a thread,
//! and recorded. Guests that come after one another see the same disks.

use std::ffi::OsString;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;
use stripewise_powercut::crash::{Drive, Survival, image};
use stripewise_powercut::disk::Disk;
use stripewise_powercut::nbd;
use stripewise_powercut::random::Random;
use stripewise_powercut::store::Store;
use tempfile::TempDir;

use crate::wire::HeldDisk;

/// What a guest sees of a held disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldShape {
    /// Its profile and serial number.
    pub name: HeldDisk,
    /// Its size.
    pub size_bytes: u64,
    /// Its logical and physical block.
    pub block_bytes: u32,
    /// What it promises.
    pub drive: Drive,
}

impl HeldShape {
    /// Returns QEMU's arguments for disk number `index`, whose socket is in QEMU's directory.
    pub(crate) fn arguments(&self, index: usize) -> [OsString; 4] {
        let node = format!("held{index}");
        let blockdev = format!(
            "driver=nbd,node-name={node},discard=unmap,server.type=unix,server.path={}",
            socket(index)
        );
        // The kernel flushes a disk whose cache is on (`VIRTIO_BLK_F_FLUSH`).
        let cache = if self.drive.is_volatile { "on" } else { "off" };
        let device = format!(
            "virtio-blk-pci,drive={node},serial={},write-cache={cache},logical_block_size={block},physical_block_size={block}",
            self.name.serial,
            block = self.block_bytes,
        );
        [
            "-blockdev".into(),
            blockdev.into(),
            "-device".into(),
            device.into(),
        ]
    }
}

/// Returns the name of a disk's socket: short, as a socket's path has 107 bytes.
fn socket(index: usize) -> String {
    format!("disk{index}")
}

/// Disks of guests, served until this is dropped.
#[derive(Debug)]
pub(crate) struct HeldDisks {
    shapes: Vec<HeldShape>,
    disks: Vec<Arc<Mutex<Disk>>>,
    directory: TempDir,
    is_closed: Arc<AtomicBool>,
    servers: Vec<JoinHandle<()>>,
}

/// The data of all disks at one moment.
pub(crate) type Contents = Vec<Store>;

impl HeldDisks {
    /// Makes disks of zeroes, and serves them.
    ///
    /// # Errors
    /// If a socket cannot be made.
    pub(crate) fn serve(shapes: Vec<HeldShape>) -> io::Result<Self> {
        let mut held = Self {
            directory: tempfile::Builder::new()
                .prefix("stripewise-disks-")
                .tempdir()?,
            disks: Vec::new(),
            shapes,
            is_closed: Arc::default(),
            servers: Vec::new(),
        };
        for (index, shape) in held.shapes.iter().enumerate() {
            let disk = Arc::new(Mutex::new(Disk::new(shape.size_bytes)));
            let listener = UnixListener::bind(held.directory.path().join(socket(index)))?;
            let (served, is_closed) = (Arc::clone(&disk), Arc::clone(&held.is_closed));
            held.servers.push(std::thread::spawn(move || {
                for connection in listener.incoming().flatten() {
                    if is_closed.load(Ordering::Relaxed) {
                        return;
                    }
                    // A killed guest breaks its connection; the next one makes another.
                    let _broken = nbd::serve(connection, &served);
                }
            }));
            held.disks.push(disk);
        }
        Ok(held)
    }

    /// Returns the directory with the sockets.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn shapes(&self) -> &[HeldShape] {
        &self.shapes
    }

    /// Gives all disks this content, and begins a recording; returns when.
    pub(crate) fn begin(&self, contents: &[Store]) -> Instant {
        let began = Instant::now();
        for (disk, content) in self.disks.iter().zip(contents) {
            locked(disk).begin(content.clone(), began);
        }
        began
    }

    /// Returns what the disks hold now.
    pub(crate) fn contents(&self) -> Contents {
        let contents = self.disks.iter().map(|disk| locked(disk).content().clone());
        contents.collect()
    }

    /// Returns the bytes that were written since the recording began.
    pub(crate) fn recorded_bytes(&self) -> u64 {
        let recorded = self.disks.iter().map(|disk| locked(disk).logged_bytes());
        recorded.sum()
    }

    /// Returns what the disks may hold after a cut `at` this time since the recording began, whose
    /// volatile writes survive by `survival`. All disks lose their power at the same time.
    pub(crate) fn crash(&self, survival: Survival, at: Duration, seed: u64) -> Contents {
        let disks = self.disks.iter().zip(&self.shapes).zip(0_u64..);
        let images = disks.map(|((disk, shape), number)| {
            let mut random = Random::new(seed, number);
            image(&locked(disk), shape.drive, survival, at, &mut random)
        });
        images.collect()
    }
}

impl Drop for HeldDisks {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Relaxed);
        for (index, server) in std::mem::take(&mut self.servers).into_iter().enumerate() {
            // A connection wakes a server that waits for one.
            let woken = UnixStream::connect(self.directory.path().join(socket(index)));
            if woken.is_ok() {
                // It only serves memory; there is nothing to report.
                let _joined = server.join();
            }
        }
    }
}

fn locked(disk: &Mutex<Disk>) -> MutexGuard<'_, Disk> {
    disk.lock().unwrap_or_else(PoisonError::into_inner)
}
