//! Failures as part of a study: a member of the array fails while the load runs, and comes back.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::stack::{Bitmap, Level, Stack};
use stripewise_units::{Bytes, Nanos};

/// The word for a cell in which nothing fails.
pub const NONE: &str = "none";

/// The failure of a device during a sample, and its repair.
///
/// Times count from the beginning of the sample; a device that fails at 0 is missing from the
/// start.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// Its name in the study: `[failure.NAME]`.
    pub name: String,
    /// When the device fails.
    pub at_ns: Nanos,
    /// Which member of the array fails, counted from 0.
    pub device: u32,
    /// How the array is repaired; `None` leaves it degraded.
    pub repair: Option<Repair>,
    /// The guaranteed speed of a rebuild, per second and member (md's `sync_speed_min`); `None`
    /// keeps the system's.
    pub sync_speed_min_bytes_per_s: Option<Bytes>,
    /// The maximum speed of a rebuild (md's `sync_speed_max`); `None` keeps the system's.
    pub sync_speed_max_bytes_per_s: Option<Bytes>,
    /// Whether the sample continues until the rebuild is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub until_rebuilt: bool,
}

/// How a degraded array is repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Repair {
    /// When the device is added.
    pub at_ns: Nanos,
    /// Which device.
    pub with: Replacement,
}

/// The device that takes the failed one's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// A new, empty one: md rebuilds everything.
    New,
    /// The same one: with a bitmap, md rebuilds only the regions written meanwhile.
    Same,
}

/// Why a failure, as written, cannot happen on a stack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImpossibleFailure {
    /// There is no array.
    #[error("stack `{stack}` has no array, so no member of it can fail")]
    NoArray {
        /// The stack.
        stack: String,
    },
    /// The array loses data with its first failure.
    #[error("stack `{stack}`: {level} does not survive a failure")]
    NoRedundancy {
        /// The stack.
        stack: String,
        /// The level of its array.
        level: Level,
    },
    /// The device does not exist.
    #[error("stack `{stack}` has no device {device}: its {count} devices are numbered from 0")]
    NoDevice {
        /// The stack.
        stack: String,
        /// How many devices it has.
        count: u64,
        /// The requested one.
        device: u32,
    },
    /// The same device is re-added, but no bitmap records the writes it missed.
    #[error("stack `{stack}` has no bitmap that records the writes device {device} missed")]
    NoBitmap {
        /// The stack.
        stack: String,
        /// The device that comes back.
        device: u32,
    },
}

impl ImpossibleFailure {
    /// Returns what to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            ImpossibleFailure::NoArray { .. } | ImpossibleFailure::NoRedundancy { .. } => {
                "failures are for stacks with raid1, raid4, raid5, raid6 or raid10: put this one into a study of its own"
            }
            ImpossibleFailure::NoDevice { .. } => "name one of the stack's devices",
            ImpossibleFailure::NoBitmap { .. } => {
                "add `bitmap = \"internal\"` to the array, or `replace` the device"
            }
        }
    }
}

/// Why a stack cannot start without the members given as failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImpossibleDegradation {
    /// The member does not exist.
    #[error("no member {place}: the array has {members}, numbered from 0")]
    NoMember {
        /// The requested member, counted from 0.
        place: u16,
        /// How many members there are.
        members: u64,
    },
    /// The array loses data if this many fail.
    #[error("{what} does not survive the loss of {failed}")]
    TooMany {
        /// The level of the array, or `one device`.
        what: String,
        /// How many have failed.
        failed: u64,
        /// How many may fail.
        survives: u64,
        /// How many members there are.
        members: u64,
    },
    /// Nothing has failed, so nothing can be rebuilt.
    #[error("no member has failed, so there is nothing to rebuild")]
    NothingToRebuild,
}

impl ImpossibleDegradation {
    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match self {
            ImpossibleDegradation::NoMember { .. } => {
                "the numbers are those of `mdadm --detail`".to_owned()
            }
            ImpossibleDegradation::TooMany {
                survives, members, ..
            } => format!("with {members} members it survives the loss of {survives}"),
            ImpossibleDegradation::NothingToRebuild => {
                "name the member that has failed, too".to_owned()
            }
        }
    }
}

/// Returns the maximum number of `members` that may fail. A `level` of `None` is a single device.
///
/// Which members of a raid10 may fail together depends on the layout. Half of them is the maximum;
/// the simulator refuses combinations that hold all copies of a chunk.
pub const fn survived_failures(level: Option<Level>, members: u64) -> u64 {
    match level {
        None | Some(Level::Linear | Level::Raid0) => 0,
        Some(Level::Raid4 | Level::Raid5) => 1,
        Some(Level::Raid6) => 2,
        Some(Level::Raid1) => members.saturating_sub(1),
        Some(Level::Raid10) => members / 2,
    }
}

/// Checks that `stack` has the members `failed`, counted from 0, and survives without them. If
/// `is_rebuilding`, at least one must have failed.
///
/// # Errors
/// [`ImpossibleDegradation`] if not.
pub fn check_failed(
    stack: &Stack,
    failed: &[u16],
    is_rebuilding: bool,
) -> Result<(), ImpossibleDegradation> {
    if failed.is_empty() {
        return match is_rebuilding {
            true => Err(ImpossibleDegradation::NothingToRebuild),
            false => Ok(()),
        };
    }
    let members = stack.device_count();
    if let Some(place) = failed.iter().find(|place| u64::from(**place) >= members) {
        let place = *place;
        return Err(ImpossibleDegradation::NoMember { place, members });
    }
    let level = stack.array.as_ref().map(|array| array.level);
    let survives = survived_failures(level, members);
    let different: BTreeSet<&u16> = failed.iter().collect();
    let failed = u64::try_from(different.len()).unwrap_or(u64::MAX);
    if failed > survives {
        return Err(ImpossibleDegradation::TooMany {
            what: level.map_or_else(|| "one device".to_owned(), |level| level.to_string()),
            failed,
            survives,
            members,
        });
    }
    Ok(())
}

impl Failure {
    /// Checks that the failure can happen on `stack` without data loss.
    ///
    /// # Errors
    /// [`ImpossibleFailure`] if not.
    pub fn check(&self, stack: &Stack) -> Result<(), ImpossibleFailure> {
        let name = || stack.name.clone();
        let Some(array) = &stack.array else {
            return Err(ImpossibleFailure::NoArray { stack: name() });
        };
        let (count, device) = (stack.device_count(), self.device);
        if u64::from(device) >= count {
            let stack = name();
            return Err(ImpossibleFailure::NoDevice {
                stack,
                count,
                device,
            });
        }
        let survives = match array.level {
            Level::Linear | Level::Raid0 => false,
            Level::Raid10 => array.layout.as_deref().is_none_or(has_copies),
            Level::Raid1 | Level::Raid4 | Level::Raid5 | Level::Raid6 => count > 1,
        };
        if !survives {
            let level = array.level;
            return Err(ImpossibleFailure::NoRedundancy {
                stack: name(),
                level,
            });
        }
        let comes_back = self
            .repair
            .is_some_and(|repair| repair.with == Replacement::Same);
        if comes_back && array.bitmap == Bitmap::None {
            let stack = name();
            return Err(ImpossibleFailure::NoBitmap { stack, device });
        }
        Ok(())
    }

    /// Returns whether a rebuild is part of the sample.
    pub const fn is_repaired(&self) -> bool {
        self.repair.is_some()
    }
}

/// Returns whether a layout of raid10 keeps more than one copy: `n1` does not.
fn has_copies(layout: &str) -> bool {
    layout.get(1..).is_none_or(|copies| copies != "1")
}
