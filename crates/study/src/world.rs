//! Where a study runs: the one trait between the runner and the worlds.
//!
//! The runner owns order, repetition, statistics and saving; a world owns how. Neither knows the
//! other. A world announces every change it makes to a [`Journal`] *before* it makes it, so that
//! what a crash leaves behind can be undone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::facts::Facts;
use crate::sample::Sample;
use crate::units::{Bytes, Nanos};
use crate::warning::Warning;

/// What a sample is asked for with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRequest {
    /// The random seed of this sample alone.
    pub seed: u64,
    /// How long the load is to run.
    pub duration: Nanos,
    /// The I/Os to do, once each, instead of the pattern, sizes and duration of the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Arc<Replay>>,
}

/// The I/Os of a load one by one, so that two worlds can be asked for the very same ones.
///
/// Engine, depth and everything else remain the load's. Neighbours cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Replay {
    /// Those of each job of the load, in their order.
    pub jobs: Vec<Vec<ReplayedIo>>,
    /// The members of the array that have failed before the first I/O, counted from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<u16>,
}

/// One I/O of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReplayedIo {
    /// Whether it writes; else it reads.
    pub write: bool,
    /// Where it begins, in the job's file; without a filesystem, on the device under test, which
    /// all jobs share.
    pub offset_bytes: Bytes,
    /// How long it is.
    pub length_bytes: Bytes,
}

impl Replay {
    /// Returns how many I/Os there are.
    pub fn ios(&self) -> u64 {
        self.jobs.iter().map(|job| job.len() as u64).sum()
    }

    /// Returns the end of the I/O that reaches farthest.
    pub fn end_bytes(&self) -> Bytes {
        let ios = self.jobs.iter().flatten();
        let end = |io: &ReplayedIo| {
            io.offset_bytes
                .as_u64()
                .saturating_add(io.length_bytes.as_u64())
        };
        Bytes::new(ios.map(end).max().unwrap_or_default())
    }

    /// Returns whether any I/O writes.
    pub fn writes(&self) -> bool {
        self.jobs.iter().flatten().any(|io| io.write)
    }
}

/// A change of the machine that a world made and that must be undone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// A directory of our own, and the files that we made in it.
    ///
    /// It is announced with its random name, and replaced by the same with each identity as soon as
    /// that is known. Only what has both the name and the identity is ever removed.
    CreatedDirectory {
        /// Its path.
        path: PathBuf,
        /// The directory that it was made in.
        parent: ParentDirectory,
        /// Its identity; missing until it is made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inode: Option<Inode>,
        /// The files and symbolic links in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<CreatedFile>,
    },
    /// A block device that the study gave us to overwrite, with a marker of ours on it.
    ClaimedDevice {
        /// The stable path by which the study names it.
        path: PathBuf,
        /// How large it is, to tell it from another that came to have its name.
        size_bytes: Bytes,
        /// Its serial number, or the file behind a loop device; the same purpose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        serial: Option<String>,
        /// What the marker holds, and how every UUID begins that we give to what we make on it.
        token: String,
    },
    /// A setting of the kernel, in a file of `/sys`.
    WroteSetting {
        /// The file.
        path: PathBuf,
        /// What was chosen before.
        before: String,
        /// What was written.
        after: String,
        /// The serial number of the disk that it is of, or the file behind a loop device, where it
        /// has one: a drive keeps some settings, wherever it is plugged in next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        disk: Option<String>,
    },
    /// An md array whose superblocks carry a UUID that we drew.
    BuiltArray {
        /// The array: `/dev/md100`.
        device: PathBuf,
        /// The UUID, in mdadm's form.
        uuid: String,
        /// The members, by the names under which they may be destroyed.
        members: Vec<PathBuf>,
    },
    /// A container of firmware RAID with volumes whose names we drew. Its UUID follows from its
    /// creation and cannot be drawn.
    BuiltContainer {
        /// The container: `/dev/md100`.
        device: PathBuf,
        /// The names of its volumes, in the superblocks.
        volumes: Vec<String>,
        /// The members, by the names under which they may be destroyed.
        members: Vec<PathBuf>,
    },
    /// LVM physical volumes with UUIDs that we drew, a volume group of them, and what is in it.
    MadeVolumeGroup {
        /// The name of the group, which we drew.
        name: String,
        /// The physical volumes: where and under which UUID.
        physical: Vec<PhysicalVolume>,
    },
    /// A filesystem with a UUID or label that we drew.
    MadeFilesystem {
        /// The UUID or label.
        identity: String,
        /// The devices that it lies on.
        devices: Vec<PathBuf>,
    },
    /// A ZFS pool.
    MadePool {
        /// Its name, which we drew.
        name: String,
        /// The devices that it lies on.
        devices: Vec<PathBuf>,
    },
    /// A mount on a directory of our own.
    Mounted {
        /// The directory.
        directory: PathBuf,
        /// The devices of the filesystem; the kernel names any one of them as its source.
        devices: Vec<PathBuf>,
    },
}

impl Change {
    /// Returns a directory that is about to be made, for tests: in a parent that is nowhere.
    pub fn directory(path: impl Into<PathBuf>) -> Self {
        Change::CreatedDirectory {
            path: path.into(),
            parent: ParentDirectory {
                inode: Inode {
                    number: 0,
                    born_unix_ns: None,
                },
                filesystem: None,
            },
            inode: None,
            files: Vec::new(),
        }
    }
}

/// What a file or directory is within its filesystem, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Inode {
    /// The inode number (`st_ino`). A filesystem gives it to another file once this one is deleted.
    pub number: u64,
    /// When it was made, in ns since 1970-01-01 UTC (`stx_btime` in statx(2)); missing where the
    /// filesystem does not keep it. Tells a file from a later one with the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born_unix_ns: Option<u64>,
}

/// A directory that was there before the run, and how to find it again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ParentDirectory {
    /// Its identity within its filesystem.
    pub inode: Inode,
    /// Its filesystem; missing if the mount table did not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<MountedFilesystem>,
}

/// A filesystem and where a directory is in it, from `/proc/self/mountinfo`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MountedFilesystem {
    /// The type: `ext4`.
    pub kind: String,
    /// The device, dataset or share that was mounted; may be empty.
    pub source: String,
    /// The UUID, where udev has linked the device below `/dev/disk/by-uuid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// The device number in mountinfo, major and minor. It may be another after a reboot.
    pub device: (u32, u32),
    /// Where it was mounted.
    pub mount_point: PathBuf,
    /// The directory's path from the root of the filesystem: `/data/test`.
    pub directory: PathBuf,
}

/// A file or symbolic link of ours, in a directory of ours.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CreatedFile {
    /// Its name in the directory.
    pub name: String,
    /// Its identity; missing until it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inode: Option<Inode>,
}

/// A device that was made an LVM physical volume.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PhysicalVolume {
    /// The device.
    pub device: PathBuf,
    /// The UUID, in LVM's form.
    pub uuid: String,
}

/// Something went wrong in a journal: what it says is for people.
pub type JournalError = Box<dyn std::error::Error + Send + Sync>;

/// A durable list of changes that are not undone yet.
pub trait Journal {
    /// Makes durable that `change` is about to be made.
    ///
    /// # Errors
    /// If it could not be made durable; the change must then not be made.
    fn announce(&mut self, change: &Change) -> Result<(), JournalError>;

    /// Records that `change` is undone, or was never made.
    ///
    /// # Errors
    /// If that could not be recorded; undoing twice is harmless.
    fn undone(&mut self, change: &Change) -> Result<(), JournalError>;

    /// Makes durable that more is known of a change: `after` takes the place of `before`.
    ///
    /// # Errors
    /// If that could not be recorded; then one of the two is noted, or both.
    fn replaced(&mut self, before: &Change, after: &Change) -> Result<(), JournalError> {
        self.announce(after)?;
        self.undone(before)
    }
}

/// How often a watch is asked that has nothing else in mind.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// Watches a sample while it is taken.
pub trait Watch {
    /// Returns how long it may take from `elapsed` on to the next call of [`Watch::keep_going`].
    fn next_look(&self, _elapsed: Duration) -> Duration {
        LOOK_INTERVAL
    }

    /// Is called several times a second with the time since the load was started, which is virtual
    /// where the load is simulated; returns whether to go on. A world that gets `false` ends the load
    /// and returns [`WorldError::Interrupted`].
    fn keep_going(&mut self, elapsed: Duration) -> bool;
}

/// Watches nothing: what it is given goes on to its end.
#[derive(Debug, Clone, Copy)]
pub struct NeverCancel;

impl Watch for NeverCancel {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        true
    }
}

/// Why a world could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The watch said stop; the sample is lost, the others are not.
    #[error("interrupted")]
    Interrupted,
    /// The world cannot do this at all.
    #[error("world `{world}` cannot {what}")]
    Unsupported {
        /// The world.
        world: &'static str,
        /// What it was asked for.
        what: String,
        /// What to do, where we know.
        hint: Option<String>,
    },
    /// It can, but not here and now.
    #[error("{attempted}")]
    Failed {
        /// What was attempted, with names and numbers.
        attempted: String,
        /// What to do, where we know.
        hint: Option<String>,
        /// Why it failed.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl WorldError {
    /// Returns the error of what was attempted and failed because of `source`, with nothing known to
    /// do about it.
    pub fn failed(
        attempted: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        WorldError::Failed {
            attempted: attempted.into(),
            hint: None,
            source: Some(source.into()),
        }
    }

    /// Returns the error that `message` says by itself: there is no cause below it, and nothing known
    /// to do about it.
    pub fn plain(message: impl Into<String>) -> Self {
        WorldError::Failed {
            attempted: message.into(),
            hint: None,
            source: None,
        }
    }

    /// Returns the error with `advice` on what to do, unless it has some already.
    #[must_use]
    pub fn or_hint(mut self, advice: impl Into<String>) -> Self {
        match &mut self {
            WorldError::Interrupted => {}
            WorldError::Unsupported { hint, .. } | WorldError::Failed { hint, .. } => {
                hint.get_or_insert_with(|| advice.into());
            }
        }
        self
    }

    /// Returns what to do about it, where we know.
    pub fn hint(&self) -> Option<&str> {
        match self {
            WorldError::Interrupted => None,
            WorldError::Unsupported { hint, .. } | WorldError::Failed { hint, .. } => {
                hint.as_deref()
            }
        }
    }
}

/// What a world did to make a cell ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prepared {
    /// The cell was made ready.
    Made,
    /// It was ready already.
    AlreadyThere,
}

/// A place where cells can be measured.
pub trait World {
    /// Returns the world's name in commands and in stored runs.
    fn name(&self) -> &'static str;

    /// Returns whether a sample is a function of its cell and its seed, bit for bit.
    ///
    /// Such a sample needs no warm-up before it, and none that was lost is missed: it can be taken
    /// again. So the runner leaves the warm-up out and saves many samples at once.
    fn is_repeatable(&self) -> bool {
        false
    }

    /// Returns whether a sample takes about the time that is asked for, on our clock, so that a world
    /// that takes much longer hangs.
    fn is_in_real_time(&self) -> bool {
        !self.is_repeatable()
    }

    /// Reads what the machine is now.
    ///
    /// # Errors
    /// If the machine or the target cannot be read at all; single unknown facts are no error.
    fn facts(&mut self) -> Result<Facts, WorldError>;

    /// Checks that every cell can be measured here, before anything is touched.
    ///
    /// # Errors
    /// The first thing that stands in the way: an unsupported layer or condition, too little
    /// space, a target that must not be written.
    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError>;

    /// Makes `cell` ready to be measured. Is called before every sample; what is ready stays.
    ///
    /// # Errors
    /// If the cell cannot be made ready, or `watch` said stop.
    fn prepare(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError>;

    /// Takes one sample of a cell that is ready.
    ///
    /// # Errors
    /// If no sample could be taken, or `watch` said stop. A sample that was taken but is worthless
    /// is no error: it carries a warning.
    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError>;

    /// Undoes everything that `prepare` changed. Harmless when there is nothing to undo.
    ///
    /// # Errors
    /// If something could not be undone; it stays in the journal.
    fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError>;
}
