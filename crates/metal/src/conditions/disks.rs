//! The disks that conditions are set on: those below what a cell measures.

use std::path::PathBuf;

use stripewise_study::facts::Facts;

/// Where a cell is measured, as far as conditions are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasuredDisks {
    /// The disks below it, by the kernel's names.
    pub(crate) disks: Vec<String>,
    /// Whether all data on these disks is ours to lose: whole disks that the study gave us.
    pub(crate) is_ours: bool,
    /// Whether the filesystem, if there is one, sends flushes at all.
    pub(crate) sends_flushes: bool,
    /// What is trimmed.
    pub(crate) trim: Trim,
}

/// What is trimmed before a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trim {
    /// The free space of the filesystem that is mounted here and lies on these devices.
    Filesystem {
        /// Where it is mounted.
        mount_point: PathBuf,
        /// The kernel's names of what it lies on.
        devices: Vec<String>,
    },
    /// All of these devices, which we have for us alone while they are trimmed.
    Devices(Vec<PathBuf>),
}

impl MeasuredDisks {
    /// Returns the place of a filesystem that was there before us.
    pub(crate) fn existing(facts: &Facts) -> Self {
        let target = facts.target.clone().unwrap_or_default();
        // A mount option that switches barriers off makes the kernel send none (ext4(5), xfs(5)).
        let is_off = |option: &String| matches!(option.as_str(), "nobarrier" | "barrier=0");
        Self {
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
