//! What was simulated before, so that nothing is simulated twice.
//!
//! The key of a simulation is the checksum of all of its inputs: stack, load, conditions, the profiles
//! of its devices and of the host, kernel, failed members, limits and seed. Names that studies give to
//! stacks and loads are no inputs. So what is remembered is what would be simulated, bit for bit.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::sample::Sample;
use stripewise_study::stack::Stack;
use stripewise_study::workload::Workload;

use crate::engine::Limits;
use crate::world::{Model, ModelError};

/// The most simulations in memory; each is some kilobytes, and the oldest make room.
const RECENT_MAX: usize = 1024;

/// The checksum of all inputs of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 32]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// Its result.
    pub sample: Sample,
    /// Its effort, counted as [`Limits::ios_max`].
    pub ios: u64,
}

/// A memory that outlives the program. What it cannot find is simulated.
pub trait Shelf: fmt::Debug + Send + Sync {
    /// Returns the simulation of a key, exactly as it was kept.
    fn find(&self, key: Key) -> Option<Remembered>;

    /// Keeps a simulation, or does not.
    fn keep(&self, key: Key, simulated: &Remembered);
}

/// The memory of a model; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    recent: Arc<Mutex<Recent>>,
    shelf: Option<Arc<dyn Shelf>>,
}

#[derive(Debug, Default)]
struct Recent {
    by_key: BTreeMap<Key, Remembered>,
    /// The keys, the oldest first.
    order: VecDeque<Key>,
}

impl Memory {
    /// Returns an empty memory in front of a shelf.
    pub fn before(shelf: Arc<dyn Shelf>) -> Self {
        Self {
            shelf: Some(shelf),
            ..Self::default()
        }
    }

    /// Returns the simulation of a key, if it is remembered.
    pub(crate) fn find(&self, key: Key) -> Option<Remembered> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = recent.by_key.get(&key) {
            return Some(known.clone());
        }
        drop(recent);
        let kept = self.shelf.as_ref()?.find(key)?;
        self.note(key, &kept);
        Some(kept)
    }

    /// Remembers a simulation.
    pub(crate) fn keep(&self, key: Key, simulated: &Remembered) {
        self.note(key, simulated);
        if let Some(shelf) = &self.shelf {
            shelf.keep(key, simulated);
        }
    }

    fn note(&self, key: Key, simulated: &Remembered) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.by_key.insert(key, simulated.clone()).is_some() {
            return;
        }
        recent.order.push_back(key);
        if recent.order.len() > RECENT_MAX
            && let Some(oldest) = recent.order.pop_front()
        {
            recent.by_key.remove(&oldest);
        }
    }
}

/// All inputs of the simulations of a cell but limits and seed.
pub(crate) struct Inputs(Sha256);

#[derive(Serialize)]
struct Written<'a> {
    stack: &'a Stack,
    workload: &'a Workload,
    conditions: &'a Conditions,
    /// The profile of each group of devices.
    devices: Vec<&'a DeviceProfile>,
    host: &'a HostProfile,
    kernel: String,
    failed: Vec<usize>,
    rebuilding: bool,
}

impl Inputs {
    /// Returns the inputs of a cell; `None` if they are too many to write down: the I/Os of a trace.
    pub(crate) fn new(model: &Model, cell: &Cell) -> Result<Option<Self>, ModelError> {
        if cell.workload.trace.is_some() {
            return Ok(None);
        }
        let mut nameless = cell.clone();
        nameless.stack.name.clear();
        nameless.workload.name = None;
        let groups = cell.stack.devices.iter();
        let devices: Result<Vec<_>, _> = groups
            .map(|group| model.profiles.device(&group.profile))
            .collect();
        let written = Written {
            stack: &nameless.stack,
            workload: &nameless.workload,
            conditions: &nameless.conditions,
            devices: devices?,
            host: model.host_of(&cell.stack)?,
            kernel: model.kernel_of(cell).to_string(),
            failed: model.failed.iter().map(|member| member.index()).collect(),
            rebuilding: model.rebuilding,
        };
        // Numbers are written so that each has its own text.
        let text = serde_json::to_vec(&written).ok();
        Ok(text.map(|text| Self(Sha256::new_with_prefix(text))))
    }

    /// Returns the key of one simulation.
    pub(crate) fn key(&self, seed: u64, limits: &Limits) -> Key {
        let numbers = [
            seed,
            limits.duration.as_u64(),
            limits.half_width.to_bits(),
            limits.ios_max,
            limits.window_ios_min,
        ];
        let mut hash = self.0.clone();
        for number in numbers {
            hash.update(number.to_le_bytes());
        }
        Key(hash.finalize().into())
    }
}
