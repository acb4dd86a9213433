//! Failures as part of a study: a member of the array fails while the load runs, and comes back.

use serde::{Deserialize, Serialize};

use crate::stack::{Bitmap, Level, Stack};
use crate::units::{Bytes, Nanos};

/// The word for a cell in which nothing fails.
pub const NONE: &str = "none";

/// What fails during a sample, and what is done about it.
///
/// Times count from the beginning of the sample; a device that fails at 0 is missing from the start.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// Its name in the study: `[failure.NAME]`.
    pub name: String,
    /// When the device fails.
    pub at_ns: Nanos,
    /// Which member of the array fails, counted from 0.
    pub device: u32,
    /// How the array gets whole again; nothing: it stays degraded.
    pub repair: Option<Repair>,
    /// The speed that a rebuild takes in any case, per second and member (md's `sync_speed_min`);
    /// nothing: the system's.
    pub sync_speed_min_bytes_per_s: Option<Bytes>,
    /// The speed that a rebuild does not exceed (md's `sync_speed_max`); nothing: the system's.
    pub sync_speed_max_bytes_per_s: Option<Bytes>,
    /// Whether the sample goes on until the rebuild is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub until_rebuilt: bool,
}

/// How a degraded array gets whole again.
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
    /// A new, empty one: everything is rebuilt.
    New,
    /// The same one: with a bitmap only what was written meanwhile is rebuilt.
    Same,
}

/// A stack on which a failure cannot happen as it is written.
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
    /// The device is not there.
    #[error("stack `{stack}` has {count} devices, counted from 0, so no device {device}")]
    NoDevice {
        /// The stack.
        stack: String,
        /// How many devices it has.
        count: u64,
        /// The one that was asked for.
        device: u32,
    },
    /// The same device comes back, and nothing says what it missed.
    #[error("stack `{stack}` has no bitmap that knows what device {device} missed")]
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
            ImpossibleFailure::NoDevice { .. } => "name one that is there",
            ImpossibleFailure::NoBitmap { .. } => {
                "add `bitmap = \"internal\"` to the array, or `replace` the device"
            }
        }
    }
}

impl Failure {
    /// Checks that the failure can happen on `stack`, and leaves its data whole.
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
