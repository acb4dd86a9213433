//! Disks that the host holds: each is served to QEMU by a thread over a pair of sockets, so that there
//! is no path that another process could connect to, and recorded. Guests that come after one another
//! see the same disks.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use stripewise_powercut::crash::{Drive, image};
use stripewise_powercut::disk::Disk;
use stripewise_powercut::fuse::{self, DiskFile};
use stripewise_powercut::nbd;
use stripewise_powercut::random::Random;
use stripewise_powercut::store::Store;
use stripewise_study::cut::Survival;

use crate::wire::HeldDisk;

/// What a guest sees of a held disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldShape {
    /// Its profile and serial number.
    pub name: HeldDisk,
    /// Its size.
    pub size_bytes: u64,
    /// What it promises.
    pub drive: Drive,
}

impl HeldShape {
    /// Returns QEMU's arguments for disk number `index`, whose connection has this descriptor.
    fn arguments(&self, index: usize, descriptor: i32) -> [OsString; 4] {
        let node = format!("held{index}");
        let blockdev = format!(
            "driver=nbd,node-name={node},discard=unmap,server.type=fd,server.str={descriptor}"
        );
        // The kernel flushes a disk whose cache is on (`VIRTIO_BLK_F_FLUSH`).
        let cache = if self.drive.is_volatile { "on" } else { "off" };
        let device = format!(
            "virtio-blk-pci,drive={node},serial={},write-cache={cache},logical_block_size=512,physical_block_size={}",
            self.name.serial, self.drive.sector_bytes,
        );
        [
            "-blockdev".into(),
            blockdev.into(),
            "-device".into(),
            device.into(),
        ]
    }
}

/// Disks of guests that come after one another.
#[derive(Debug)]
pub struct HeldDisks {
    shapes: Vec<HeldShape>,
    disks: Vec<Arc<Mutex<Disk>>>,
}

impl PartialEq for HeldDisks {
    /// Returns whether guests see the same disks, whatever is on them.
    fn eq(&self, other: &Self) -> bool {
        self.shapes == other.shapes
    }
}

impl Eq for HeldDisks {}

/// Connections of one guest to its disks.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    pub(crate) arguments: Vec<OsString>,
    /// What QEMU keeps open.
    pub(crate) descriptors: Vec<OwnedFd>,
}

/// The data of all disks at one moment.
pub(crate) type Contents = Vec<Store>;

impl HeldDisks {
    /// Returns disks of zeroes.
    pub(crate) fn new(shapes: Vec<HeldShape>) -> Self {
        let disks = shapes.iter().map(|shape| Disk::new(shape.size_bytes));
        Self {
            disks: disks.map(|disk| Arc::new(Mutex::new(disk))).collect(),
            shapes,
        }
    }

    /// Connects a guest that is about to start: a thread serves each disk until the guest ends.
    ///
    /// # Errors
    /// If the system has no more sockets.
    pub(crate) fn connect(&self) -> io::Result<Connections> {
        let mut connections = Connections::default();
        for (index, (shape, disk)) in self.shapes.iter().zip(&self.disks).enumerate() {
            let (ours, theirs) = UnixStream::pair()?;
            let disk = Arc::clone(disk);
            thread::spawn(move || {
                // A killed guest breaks its connection in the middle of a message.
                let _broken = nbd::serve(ours, &disk);
            });
            let arguments = shape.arguments(index, theirs.as_raw_fd());
            connections.arguments.extend(arguments);
            connections.descriptors.push(theirs.into());
        }
        Ok(connections)
    }

    /// Serves the disks as files, named by their serial numbers, on `/dev/fuse` until it is
    /// unmounted.
    pub(crate) fn serve_files(
        &self,
        device: OwnedFd,
        ignores_flushes: bool,
    ) -> thread::JoinHandle<()> {
        let files = self.shapes.iter().zip(&self.disks);
        let files = files.map(|(shape, disk)| DiskFile {
            name: shape.name.serial.clone(),
            disk: Arc::clone(disk),
        });
        let files = files.collect();
        thread::spawn(move || {
            // The kernel ends the connection when the filesystem is gone.
            let _ended = fuse::serve(device, files, ignores_flushes);
        })
    }

    pub(crate) fn shapes(&self) -> &[HeldShape] {
        &self.shapes
    }

    /// Returns the content of disks that were never written to.
    pub(crate) fn blank(&self) -> Contents {
        vec![Store::default(); self.shapes.len()]
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

    /// Returns the number of the only disk that was written to since the recording began, its recording and
    /// what it promises; `None` if there are none or several.
    pub(crate) fn recorded(&self) -> Option<(usize, Disk, Drive)> {
        let disks = self.disks.iter().zip(&self.shapes).enumerate();
        let mut written = disks.filter(|(_, (disk, _))| !locked(disk).log().is_empty());
        let (number, (disk, shape)) = written.next()?;
        match written.next() {
            None => Some((number, locked(disk).clone(), shape.drive)),
            Some(_) => None,
        }
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

fn locked(disk: &Mutex<Disk>) -> MutexGuard<'_, Disk> {
    disk.lock().unwrap_or_else(PoisonError::into_inner)
}
