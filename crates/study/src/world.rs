//! The trait between the runner and the worlds that run a study.
//!
//! The runner owns order, repetition, statistics and saving; a world owns how it measures. Neither
//! depends on the other. A world announces every change to a [`Journal`] *before* it makes it, so
//! that changes left by a crash can be undone.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::facts::Facts;
use crate::hosts::HostProgress;
use crate::sample::Sample;
use crate::warning::Warning;
use stripewise_units::{Bytes, Nanos};

/// A world by its name in commands and in stored runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorldName {
    /// This machine: files on an existing filesystem, or stacks on its devices.
    Metal,
    /// The simulation.
    Model,
    /// A guest with a real kernel.
    Lab,
}

impl WorldName {
    /// All of them, in the order in which help lists them.
    pub const ALL: [WorldName; 3] = [WorldName::Metal, WorldName::Model, WorldName::Lab];

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            WorldName::Metal => "metal",
            WorldName::Model => "model",
            WorldName::Lab => "lab",
        }
    }

    /// Returns the world of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|world| world.as_str() == name)
    }
}

impl fmt::Display for WorldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The parameters of one sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRequest {
    /// The random seed of this sample alone.
    pub seed: u64,
    /// How long the load runs.
    pub duration: Nanos,
    /// The I/Os to do, once each, instead of the pattern, sizes and duration of the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Arc<Replay>>,
}

/// The I/Os of a load one by one, so that two worlds can run exactly the same ones.
///
/// Engine, depth and all other settings of the load still apply. Neighbours cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Replay {
    /// The I/Os of each job of the load, in order.
    pub jobs: Vec<Vec<ReplayedIo>>,
    /// The members of the array that have failed before the first I/O, counted from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<u16>,
    /// Whether an I/O that is late does not delay those after it; otherwise the gaps between a job's
    /// I/Os are kept, as in fio.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_absolute: bool,
}

/// One I/O of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReplayedIo {
    /// What it does.
    pub action: ReplayedAction,
    /// Its offset in the job's file; without a filesystem, on the device under test, which all jobs
    /// share.
    pub offset_bytes: Bytes,
    /// Its length; 0 for a flush.
    pub length_bytes: Bytes,
    /// When it begins, from the beginning of the replay, and never before an earlier I/O of its job;
    /// `None` for as soon as the depth allows.
    ///
    /// As in fio, the gap to the job's previous I/O is kept unless times are absolute: an I/O that
    /// begins late delays those after it (`iolog_delay` in fio's `iolog.c` waits until the gap since `last_issue` is over).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ns: Option<Nanos>,
}

/// What an I/O of a replay does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplayedAction {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It writes, and the data is durable when it completes, as with `REQ_FUA`.
    #[serde(rename = "durable_write")]
    DurableWrite,
    /// It makes what was written durable, as `fsync` does.
    Flush,
}

impl ReplayedIo {
    /// The most I/Os of a replay: fio keeps them all in memory, about 100 bytes each.
    pub const COUNT_MAX: u64 = 1 << 20;

    /// Returns a read or a write, as soon as the depth allows.
    pub const fn new(action: ReplayedAction, offset_bytes: Bytes, length_bytes: Bytes) -> Self {
        Self {
            action,
            offset_bytes,
            length_bytes,
            at_ns: None,
        }
    }

    /// Returns a flush, as soon as the depth allows.
    pub const fn flush() -> Self {
        Self::new(ReplayedAction::Flush, Bytes::new(0), Bytes::new(0))
    }

    /// Returns the same I/O at a time.
    #[must_use]
    pub const fn at(self, at: Nanos) -> Self {
        Self {
            at_ns: Some(at),
            ..self
        }
    }

    /// Returns whether it writes.
    pub fn writes(&self) -> bool {
        self.action == ReplayedAction::Write || self.writes_durably()
    }

    /// Returns whether it writes, and what it writes is durable when it completes.
    pub fn writes_durably(&self) -> bool {
        self.action == ReplayedAction::DurableWrite
    }

    /// Returns whether it flushes.
    pub fn flushes(&self) -> bool {
        self.action == ReplayedAction::Flush
    }
}

impl Replay {
    /// Returns the number of I/Os.
    pub fn ios(&self) -> u64 {
        self.jobs.iter().map(|job| job.len() as u64).sum()
    }

    /// Returns the highest end of any I/O.
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
        self.jobs.iter().flatten().any(ReplayedIo::writes)
    }

    /// Returns whether any I/O is a durable write.
    pub fn writes_durably(&self) -> bool {
        self.jobs.iter().flatten().any(ReplayedIo::writes_durably)
    }

    /// Returns whether any I/O flushes.
    pub fn flushes(&self) -> bool {
        self.jobs.iter().flatten().any(ReplayedIo::flushes)
    }

    /// Returns whether any I/O has a time.
    pub fn is_timed(&self) -> bool {
        self.jobs.iter().flatten().any(|io| io.at_ns.is_some())
    }

    /// Returns when the last I/O begins, if none is late; 0 without times.
    pub fn last_at(&self) -> Nanos {
        let times = self.jobs.iter().flatten().filter_map(|io| io.at_ns);
        times.max().unwrap_or_default()
    }
}

/// A setting of the kernel that it resets when another one is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ResetSetting {
    /// The file.
    pub path: PathBuf,
    /// The value before the other setting was written.
    pub before: String,
    /// The value after that; missing until it is known, and if the kernel removed the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A change that a world makes to the machine and that must be undone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// A directory of our own, and the files that we made in it.
    ///
    /// Announced with its random name, then replaced by an entry with the inodes as soon as they
    /// are known. Only files that match both name and inode are ever removed.
    CreatedDirectory {
        /// Its path.
        path: PathBuf,
        /// The directory that contains it.
        parent: ParentDirectory,
        /// Its identity; missing until it is created.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inode: Option<Inode>,
        /// The files and symbolic links in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<CreatedFile>,
    },
    /// A block device that the study allows us to overwrite, with our marker on it.
    ClaimedDevice {
        /// The stable path by which the study names it.
        path: PathBuf,
        /// Its size, to detect another device under the same name.
        size_bytes: Bytes,
        /// Its serial number, or the backing file of a loop device, for the same purpose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        serial: Option<String>,
        /// The content of the marker, and the prefix of every UUID that we assign on the device.
        token: String,
    },
    /// A setting of the kernel, in a file of `/sys`.
    WroteSetting {
        /// The file.
        path: PathBuf,
        /// The value before.
        before: String,
        /// The written value.
        after: String,
        /// The serial number of its disk, or the backing file of a loop device, if it has one: a
        /// drive keeps some settings wherever it is plugged in next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        disk: Option<String>,
        /// Other settings, which the kernel resets when this one is written.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        resets: Vec<ResetSetting>,
    },
    /// An md array whose superblocks carry a UUID that we generated.
    BuiltArray {
        /// The array: `/dev/md100`.
        device: PathBuf,
        /// The UUID, in mdadm's form.
        uuid: String,
        /// The members, by the names in `may_destroy`.
        members: Vec<PathBuf>,
    },
    /// A container of firmware RAID with volumes whose names we generated. mdadm derives its UUID
    /// at creation, so we cannot choose it.
    BuiltContainer {
        /// The container: `/dev/md100`.
        device: PathBuf,
        /// The names of its volumes, in the superblocks.
        volumes: Vec<String>,
        /// The members, by the names in `may_destroy`.
        members: Vec<PathBuf>,
    },
    /// LVM physical volumes with UUIDs that we generated, a volume group of them, and its volumes.
    MadeVolumeGroup {
        /// The name of the group, which we generated.
        name: String,
        /// The physical volumes: device and UUID.
        physical: Vec<PhysicalVolume>,
    },
    /// A filesystem with a UUID or label that we generated.
    MadeFilesystem {
        /// The UUID or label.
        identity: String,
        /// The devices that it lies on.
        devices: Vec<PathBuf>,
    },
    /// A ZFS pool.
    MadePool {
        /// Its name, which we generated.
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
    /// Something on another host, below a folder of the program there, which has a journal of its own.
    OnHost {
        /// The host, as the study names it.
        host: String,
        /// Where `ssh` finds it.
        destination: String,
        /// The folder's name, which we drew.
        token: String,
    },
    /// Modes of files of a web site (`stripewise site permissions --apply`).
    SetModes {
        /// The directory of the site.
        root: PathBuf,
        /// The files.
        files: Vec<SetMode>,
    },
}

/// The mode of a file, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SetMode {
    /// Its path below the root.
    pub path: PathBuf,
    /// Its inode number.
    pub inode: u64,
    /// The mode before.
    pub before: u32,
    /// The mode that was set.
    pub after: u32,
    /// The group before, if it was changed, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_before: Option<u32>,
}

impl Change {
    /// Returns a directory that is about to be created, for tests; its parent does not exist.
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

/// The identity of a file or directory within its filesystem, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Inode {
    /// The inode number (`st_ino`). A filesystem reuses it once the file is deleted.
    pub number: u64,
    /// The creation time, in ns since 1970-01-01 UTC (`stx_btime` in statx(2)); missing if the
    /// filesystem does not record it. Distinguishes a file from a later one with the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born_unix_ns: Option<u64>,
}

/// A directory that existed before the run, and how to find it again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ParentDirectory {
    /// Its identity within its filesystem.
    pub inode: Inode,
    /// Its filesystem; missing if the mount table did not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<MountedFilesystem>,
}

/// A filesystem and the place of a directory in it, from `/proc/self/mountinfo`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MountedFilesystem {
    /// The type: `ext4`.
    pub kind: String,
    /// The device, dataset or share that was mounted; may be empty.
    pub source: String,
    /// The UUID, if udev has linked the device below `/dev/disk/by-uuid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// The device number in mountinfo, major and minor. It may change at a reboot.
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
    /// Its identity; missing until it is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inode: Option<Inode>,
}

/// A device that became an LVM physical volume.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PhysicalVolume {
    /// The device.
    pub device: PathBuf,
    /// The UUID, in LVM's form.
    pub uuid: String,
}

/// An error of a journal, with a message for people.
pub type JournalError = Box<dyn std::error::Error + Send + Sync>;

/// A durable list of changes that have not been undone.
pub trait Journal {
    /// Records durably that `change` is about to be made.
    ///
    /// # Errors
    /// If it could not be recorded durably; the change must then not be made.
    fn announce(&mut self, change: &Change) -> Result<(), JournalError>;

    /// Records that `change` has been undone, or was never made.
    ///
    /// # Errors
    /// If that could not be recorded; undoing twice does no damage.
    fn undone(&mut self, change: &Change) -> Result<(), JournalError>;

    /// Records durably that `after` replaces `before`, because more of the change is known.
    ///
    /// # Errors
    /// If that could not be recorded; then one of the two entries remains, or both.
    fn replaced(&mut self, before: &Change, after: &Change) -> Result<(), JournalError> {
        self.announce(after)?;
        self.undone(before)
    }
}

/// Records no changes: they vanish with what they were made in.
#[derive(Debug, Clone, Copy)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn announce(&mut self, _change: &Change) -> Result<(), JournalError> {
        Ok(())
    }

    fn undone(&mut self, _change: &Change) -> Result<(), JournalError> {
        Ok(())
    }
}

/// The default interval between two calls of a watch.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// Watches a sample while it is measured.
pub trait Watch {
    /// Returns the maximum time from `elapsed` to the next call of [`Watch::keep_going`].
    fn next_look(&self, _elapsed: Duration) -> Duration {
        LOOK_INTERVAL
    }

    /// Returns whether to continue. The world calls this several times a second with the time since
    /// the start of the load, which is virtual time in a simulation. If it returns `false`, the
    /// world ends the load and returns [`WorldError::Interrupted`].
    fn keep_going(&mut self, elapsed: Duration) -> bool;

    /// Called once when all is ready for the load of a sample, right before it begins. May wait, so
    /// that several hosts begin at once. If it returns `false`, the world does not begin the load and
    /// returns [`WorldError::Interrupted`].
    fn begin_load(&mut self) -> bool {
        true
    }

    /// Called several times a second by a world of several hosts, with what each of them does.
    fn hosts(&mut self, _hosts: &[HostProgress]) {}
}

/// Never cancels: every sample runs to its end.
#[derive(Debug, Clone, Copy)]
pub struct NeverCancel;

impl Watch for NeverCancel {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        true
    }
}

/// Why a world failed.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The watch cancelled; this sample is lost, earlier ones are kept.
    #[error("interrupted")]
    Interrupted,
    /// The world does not support this at all.
    #[error("world `{world}` cannot {what}")]
    Unsupported {
        /// The world.
        world: WorldName,
        /// The unsupported request.
        what: String,
        /// How to solve it, if known.
        hint: Option<String>,
    },
    /// The world supports it, but failed this time.
    #[error("{attempted}")]
    Failed {
        /// The attempt, with names and numbers.
        attempted: String,
        /// How to solve it, if known.
        hint: Option<String>,
        /// The cause.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl WorldError {
    /// Returns the error that `attempted` failed because of `source`, without a hint.
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

    /// Returns an error with only `message`: no cause and no hint.
    pub fn plain(message: impl Into<String>) -> Self {
        WorldError::Failed {
            attempted: message.into(),
            hint: None,
            source: None,
        }
    }

    /// Returns the error with the hint `advice`, unless it already has one.
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

    /// Returns the hint, if there is one.
    pub fn hint(&self) -> Option<&str> {
        match self {
            WorldError::Interrupted => None,
            WorldError::Unsupported { hint, .. } | WorldError::Failed { hint, .. } => {
                hint.as_deref()
            }
        }
    }
}

/// The result of preparing a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prepared {
    /// The world prepared the cell.
    Made,
    /// The cell was already prepared.
    AlreadyThere,
}

/// Takes repeatable samples, several at once.
pub trait Simulator: Sync {
    /// Takes one sample of a cell, as [`World::measure`] does.
    ///
    /// # Errors
    /// If no sample could be taken, or `watch` cancelled.
    fn simulate(
        &self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError>;
}

/// A place where cells can be measured.
pub trait World {
    /// Returns the world's name.
    fn name(&self) -> WorldName;

    /// Returns whether a sample is determined by its cell and its seed, bit for bit.
    ///
    /// Such samples need no warm-up, and a lost one can be taken again. So the runner skips the
    /// warm-up and saves many samples at once.
    fn is_repeatable(&self) -> bool {
        false
    }

    /// Returns whether the first sample of a cell is a warm-up, which does not count.
    fn warms_up(&self) -> bool {
        !self.is_repeatable()
    }

    /// Returns how long a warm-up of a cell takes whose samples take `sample`.
    fn warm_up(&self, sample: Nanos) -> Nanos {
        sample
    }

    /// Returns what takes its samples on several cores at once; `None` if samples would disturb one
    /// another. Only for a repeatable world whose cells need no preparation.
    fn simulator(&self) -> Option<&dyn Simulator> {
        None
    }

    /// Reads the present facts of the machine.
    ///
    /// # Errors
    /// If the machine or the target cannot be read at all; single unknown facts are no error.
    fn facts(&mut self) -> Result<Facts, WorldError>;

    /// Checks that every cell can be measured here, before anything is changed.
    ///
    /// # Errors
    /// The first obstacle: an unsupported layer or condition, too little space, a target that must
    /// not be written.
    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError>;

    /// Prepares `cell` for measurement. The runner calls this before every sample; a prepared cell
    /// stays as it is.
    ///
    /// # Errors
    /// If the cell cannot be prepared, or `watch` cancelled.
    fn prepare(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError>;

    /// Takes one sample of a prepared cell.
    ///
    /// # Errors
    /// If no sample could be taken, or `watch` cancelled. An invalid sample is no error: it carries
    /// a warning.
    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError>;

    /// Undoes everything that `prepare` changed. Does nothing if there is nothing to undo.
    ///
    /// # Errors
    /// If something could not be undone; it stays in the journal.
    fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replays_are_read_as_they_were_stored() {
        let stored = r#"{"jobs":[[
            {"action":"read","offset_bytes":0,"length_bytes":4096},
            {"action":"write","offset_bytes":4096,"length_bytes":512,"at_ns":7},
            {"action":"durable_write","offset_bytes":8192,"length_bytes":512},
            {"action":"flush","offset_bytes":0,"length_bytes":0}]]}"#;
        let replay: Replay = serde_json::from_str(stored).unwrap();
        let ios = &replay.jobs[0];
        let of = |is: fn(&ReplayedIo) -> bool| ios.iter().map(is).collect::<Vec<bool>>();
        assert_eq!(of(ReplayedIo::writes), [false, true, true, false]);
        assert_eq!(of(ReplayedIo::writes_durably), [false, false, true, false]);
        let text = serde_json::to_string(&replay).unwrap();
        assert_eq!(text, stored.split_whitespace().collect::<String>());
    }
}
