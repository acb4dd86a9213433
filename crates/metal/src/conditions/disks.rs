//! The disks to set conditions on: those below the measured filesystem or device.

use std::path::PathBuf;

use stripewise_study::facts::Facts;

/// The place of a measurement, as far as conditions are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasuredDisks {
    /// The disks below it, by the kernel's names.
    pub(crate) disks: Vec<String>,
    /// Whether all data on these disks may be destroyed: whole disks that the study names.
    pub(crate) is_ours: bool,
    /// Whether the filesystem, if there is one, sends flushes.
    pub(crate) sends_flushes: bool,
    /// What to trim.
    pub(crate) trim: Trim,
    /// What the page cache reads ahead on.
    pub(crate) reads_ahead: ReadsAhead,
}

/// What the page cache reads ahead on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadsAhead {
    /// A stack that is not built yet.
    NotBuilt,
    /// These devices, by the kernel's names.
    Device(Vec<String>),
    /// A filesystem of this type, which has a window of its own (`super_setup_bdi`).
    Itself(String),
}

impl ReadsAhead {
    /// Returns what a filesystem of type `kind` on these devices reads ahead on.
    pub(crate) fn of_filesystem(kind: Option<&str>, devices: Vec<String>) -> Self {
        match kind {
            Some(
                kind @ ("btrfs" | "zfs" | "bcachefs" | "nfs" | "nfs4" | "fuseblk" | "overlay"),
            ) => Self::Itself(kind.to_owned()),
            _ => Self::Device(devices),
        }
    }
}

/// What to trim before a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trim {
    /// The free space of the filesystem mounted here, on these devices.
    Filesystem {
        /// Where it is mounted.
        mount_point: PathBuf,
        /// The kernel's names of the devices below it.
        devices: Vec<String>,
    },
    /// All of these devices, which we hold exclusively during the trim.
    Devices(Vec<PathBuf>),
}

impl MeasuredDisks {
    /// Returns the place of a filesystem that existed before the run.
    pub(crate) fn existing(facts: &Facts) -> Self {
        let target = facts.target.clone().unwrap_or_default();
        // These mount options stop the kernel from sending flushes (ext4(5), xfs(5)).
        let is_off = |option: &String| matches!(option.as_str(), "nobarrier" | "barrier=0");
        let kind = target.filesystem.as_deref();
        Self {
            reads_ahead: ReadsAhead::of_filesystem(kind, target.devices.clone()),
            disks: target.disks,
            is_ours: false,
            sends_flushes: !target.options.iter().any(is_off),
            trim: Trim::Filesystem {
                mount_point: target.mount_point.unwrap_or_default().into(),
                devices: target.devices,
            },
        }
    }
}
