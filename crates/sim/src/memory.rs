//! What was simulated before, so that nothing is simulated twice.
//!
//! The key of a simulation is the checksum of all of its inputs: stack, load, conditions, the profiles
//! of its devices and of the host, kernel, failed members, limits and seed. Names that studies give to
//! stacks and loads are no inputs. So what is remembered is what would be simulated, bit for bit.
//!
//! One limit is special: a simulation that was asked for a rate within 5 % often knows it within 1 %, as it
//! has to find the long run first. It then is the one that the narrower question would get, and is
//! remembered for that one, too ([`SameFor`]).

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
use stripewise_study::warning::Warning;
use stripewise_study::workload::Workload;

use crate::engine::{Limits, SameFor};
use crate::world::{Model, ModelError};

/// The most simulations in memory, and the most warnings; a simulation is some kilobytes, and the oldest
/// make room.
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
    /// The half widths for which it would have been the same.
    pub same_for: SameFor,
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
    /// By the inputs without the half width: for each of them few simulations.
    recent: Recent<Vec<Remembered>>,
    /// What it found about the points of profiles: a warning, or none.
    points: Recent<Option<Warning>>,
    shelf: Option<Arc<dyn Shelf>>,
}

/// The last values of keys; clones share them.
#[derive(Debug)]
struct Recent<T>(Arc<Mutex<Kept<T>>>);

#[derive(Debug)]
struct Kept<T> {
    by_key: BTreeMap<Key, T>,
    /// The keys, the oldest first.
    order: VecDeque<Key>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Kept {
            by_key: BTreeMap::new(),
            order: VecDeque::new(),
        })))
    }
}

impl<T> Clone for Recent<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Recent<T> {
    fn find(&self, key: Key) -> Option<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_key.get(&key).cloned()
    }

    fn note(&self, key: Key, value: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.by_key.insert(key, value).is_none() {
            kept.make_room(key);
        }
    }
}

impl<T> Kept<T> {
    /// Drops the oldest value if there are too many with that of `new`.
    fn make_room(&mut self, new: Key) {
        self.order.push_back(new);
        if self.order.len() > RECENT_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_key.remove(&oldest);
        }
    }
}

impl Recent<Vec<Remembered>> {
    fn find_for(&self, asked: &Asked) -> Option<Remembered> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = kept.by_key.get(&asked.of_any_width)?.iter();
        known
            .find(|one| one.same_for.holds(asked.half_width))
            .cloned()
    }

    fn add(&self, asked: &Asked, new: &Remembered) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = asked.of_any_width;
        match kept.by_key.get_mut(&key) {
            // Another thread may have simulated the same.
            Some(known) if known.iter().any(|one| one == new) => {}
            Some(known) => known.push(new.clone()),
            None => {
                kept.by_key.insert(key, vec![new.clone()]);
                kept.make_room(key);
            }
        }
    }
}

impl Memory {
    /// Returns an empty memory in front of a shelf.
    pub fn before(shelf: Arc<dyn Shelf>) -> Self {
        Self {
            shelf: Some(shelf),
            ..Self::default()
        }
    }

    /// Returns the simulation that is asked for, if it is remembered.
    pub(crate) fn find(&self, asked: &Asked) -> Option<Remembered> {
        if let Some(known) = self.recent.find_for(asked) {
            return Some(known);
        }
        let kept = self.shelf.as_ref()?.find(asked.key)?;
        self.recent.add(asked, &kept);
        Some(kept)
    }

    /// Remembers a simulation.
    pub(crate) fn keep(&self, asked: &Asked, simulated: &Remembered) {
        self.recent.add(asked, simulated);
        if let Some(shelf) = &self.shelf {
            shelf.keep(asked.key, simulated);
        }
    }

    /// Returns the warning about points of a profile, from memory or from `warning`: a pure function of
    /// what `asked` says.
    pub(crate) fn of_points(
        &self,
        asked: &impl Serialize,
        warning: impl FnOnce() -> Option<Warning>,
    ) -> Option<Warning> {
        let Some(text) = written(asked) else {
            return warning();
        };
        let key = Key(Sha256::digest(text).into());
        if let Some(known) = self.points.find(key) {
            return known;
        }
        // Not under the lock: other cells go on.
        let found = warning();
        self.points.note(key, found.clone());
        found
    }

    #[cfg(test)]
    pub(crate) fn points_known(&self) -> usize {
        let kept = self.points.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_key.len()
    }
}

/// Returns inputs as text, in which each number has its own.
fn written(inputs: &impl Serialize) -> Option<Vec<u8>> {
    serde_json::to_vec(inputs).ok()
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
        let inputs = Written {
            stack: &nameless.stack,
            workload: &nameless.workload,
            conditions: &nameless.conditions,
            devices: devices?,
            host: model.host_of(&cell.stack)?,
            kernel: model.kernel_of(cell).to_string(),
            failed: model.failed.iter().map(|member| member.index()).collect(),
            rebuilding: model.rebuilding,
        };
        Ok(written(&inputs).map(|text| Self(Sha256::new_with_prefix(text))))
    }

    /// Returns what one simulation is remembered by.
    pub(crate) fn asked(&self, seed: u64, limits: &Limits) -> Asked {
        let numbers = [
            seed,
            limits.duration.as_u64(),
            limits.ios_max,
            limits.window_ios_min,
        ];
        let mut hash = self.0.clone();
        for number in numbers {
            hash.update(number.to_le_bytes());
        }
        let of_any_width = Key(hash.clone().finalize().into());
        hash.update(limits.half_width.to_bits().to_le_bytes());
        Asked {
            key: Key(hash.finalize().into()),
            of_any_width,
            half_width: limits.half_width,
        }
    }
}

/// What one simulation is remembered by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// All inputs.
    key: Key,
    /// All but the half width.
    of_any_width: Key,
    half_width: f64,
}
