//! What a run was measured in, with its parameters: one value, stored with the run.
//!
//! ```text
//! run.world      metal | model | lab         the name of the world
//!                fio-import | check | site   an origin that is no world
//! run.options    { "world": { "kind": "files", "target": "/srv" }, "budget_ns": null, ... }
//! ```
//!
//! Version 1 of the store, exports and `--json` documents have no key `world` in the options. There
//! the keys `target`, `hosts`, `model`, `lab` and `cuts` say what the world was, and their absence, too:
//! [`with_keys`] and [`take_world`] translate.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use stripewise_profiles::lookup::Texts;
use stripewise_study::cut::CutOptions;
use stripewise_study::guest_clock::Clock;
use stripewise_study::hosts::{Host, LostHosts};
use stripewise_study::program::ConfirmedFile;
use stripewise_study::world::WorldName;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::run::RunId;

/// The key of the world in the options of a run.
const WORLD: &str = "world";
/// The key that version 1 of the store writes into the options of every measured run.
const BUDGET: &str = "budget_ns";

/// What a run was measured in, and its parameters: enough to open it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WorldSpec {
    /// An existing filesystem of this machine.
    Files {
        /// A directory on it.
        target: PathBuf,
    },
    /// Existing filesystems of several hosts, at the same time.
    Hosts(HostsSpec),
    /// Stacks that are built on the devices under the study's `[may_destroy]`.
    Devices,
    /// The simulation.
    Model(ModelSpec),
    /// A guest with a real kernel on modelled disks.
    Lab(LabSpec),
    /// Stacks whose power is cut.
    Cuts(CutsSpec),
}

impl WorldSpec {
    /// Returns the name of the world.
    pub fn name(&self) -> WorldName {
        match self {
            WorldSpec::Files { .. } | WorldSpec::Hosts(_) | WorldSpec::Devices => WorldName::Metal,
            WorldSpec::Model(_) => WorldName::Model,
            WorldSpec::Lab(_) => WorldName::Lab,
            WorldSpec::Cuts(cuts) => match cuts.place {
                CutPlace::Guests(_) => WorldName::Lab,
                CutPlace::ThisMachine(_) => WorldName::Metal,
            },
        }
    }

    /// Returns the settings of the model that simulates; `None` in other worlds.
    pub fn model(&self) -> Option<&ModelSpec> {
        match self {
            WorldSpec::Model(model) => Some(model),
            _ => None,
        }
    }

    /// Returns the guest; `None` without one.
    pub fn guest(&self) -> Option<&LabSpec> {
        match self {
            WorldSpec::Lab(lab) => Some(lab),
            WorldSpec::Cuts(CutsSpec {
                place: CutPlace::Guests(lab),
                ..
            }) => Some(lab),
            _ => None,
        }
    }

    /// Returns the guest, to change it; `None` without one.
    pub fn guest_mut(&mut self) -> Option<&mut LabSpec> {
        match self {
            WorldSpec::Lab(lab) => Some(lab),
            WorldSpec::Cuts(CutsSpec {
                place: CutPlace::Guests(lab),
                ..
            }) => Some(lab),
            _ => None,
        }
    }

    /// Returns whether both are set up alike; the same profile may lie in another file.
    pub fn is_like(&self, other: &Self) -> bool {
        let without_files = |world: &Self| {
            let mut world = world.clone();
            let texts = match &mut world {
                WorldSpec::Model(model) => Some(&mut model.profiles),
                world => world.guest_mut().map(|lab| &mut lab.profiles),
            };
            if let Some(texts) = texts {
                let devices = texts.devices.values_mut();
                let all = devices.chain(texts.hosts.values_mut());
                all.for_each(|profile| profile.file.clear());
            }
            world
        };
        without_files(self) == without_files(other)
    }

    /// Returns the power cuts; `None` if there are none.
    pub fn cuts(&self) -> Option<&CutsSpec> {
        match self {
            WorldSpec::Cuts(cuts) => Some(cuts),
            _ => None,
        }
    }

    /// Returns its power cuts, if it has any, to change them.
    pub fn cuts_mut(&mut self) -> Option<&mut CutsSpec> {
        match self {
            WorldSpec::Cuts(cuts) => Some(cuts),
            _ => None,
        }
    }

    /// Returns the profiles of its disks; `None` for those of this machine.
    pub fn profiles(&self) -> Option<&Texts> {
        match self {
            WorldSpec::Files { .. } | WorldSpec::Hosts(_) | WorldSpec::Devices => None,
            WorldSpec::Model(model) => Some(&model.profiles),
            WorldSpec::Lab(lab) => Some(&lab.profiles),
            WorldSpec::Cuts(cuts) => Some(match &cuts.place {
                CutPlace::Guests(lab) => &lab.profiles,
                CutPlace::ThisMachine(disks) => &disks.profiles,
            }),
        }
    }
}

/// The hosts of a run: enough to connect to them again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostsSpec {
    /// The hosts.
    pub hosts: Vec<Host>,
    /// The directory that is measured on each.
    pub target: PathBuf,
    /// What becomes of the run when it loses one.
    pub lost: LostHosts,
}

/// The settings of the model: enough to repeat a run bit for bit, even without its profile files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// The kernel whose rules apply.
    #[serde(with = "stripewise_units::kernel::possible_text")]
    pub kernel: KernelVersion,
    /// The host profile.
    pub host: String,
    /// Its cores, if they are not those of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<NonZeroU32>,
    /// The profiles.
    pub profiles: Texts,
}

/// The settings of a guest: enough to start it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabSpec {
    /// The cache with its guest.
    pub cache: PathBuf,
    /// The name of the guest, which is its kernel release or begins with it; of the first, if there are
    /// several.
    pub kernel: String,
    /// The name of the guest for each kernel that the study names, if it names several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernels: BTreeMap<String, String>,
    /// Its clock source.
    pub clock: Clock,
    /// Its memory.
    pub memory_mib: u32,
    /// The size of its disks instead of their profiles'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_size_bytes: Option<Bytes>,
    /// The profiles of its disks.
    pub profiles: Texts,
}

/// The power cuts of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CutsSpec {
    /// Where the stacks are.
    pub place: CutPlace,
    /// How they are made.
    pub how: CutOptions,
    /// How many crash images each cell gets.
    pub count: u32,
    /// The files of the study's programs, as the user confirmed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program_files: Vec<ConfirmedFile>,
    /// The run of the model with the predictions and the throughput of the same cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_run: Option<RunId>,
}

/// Where the stacks are whose power is cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutPlace {
    /// In guests.
    Guests(LabSpec),
    /// On this machine's kernel, on disks that the program serves.
    ThisMachine(ServedDisks),
}

/// The disks of stacks on this machine: enough to serve them again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServedDisks {
    /// The size of each.
    pub disk_size_bytes: Bytes,
    /// Their profiles.
    pub profiles: Texts,
}

/// Where the samples or changes of a run come from, as the store, lists and exports name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RunOrigin {
    /// They were measured in a world.
    World(WorldName),
    /// Results of fio, imported.
    Fio,
    /// Settings that `check --fix` wrote; no samples.
    Check,
    /// Modes that `site permissions --apply` set; no samples.
    Site,
    /// A name that this version does not know.
    Other(String),
}

impl RunOrigin {
    /// Returns its name.
    pub fn as_str(&self) -> &str {
        match self {
            RunOrigin::World(world) => world.as_str(),
            RunOrigin::Fio => "fio-import",
            RunOrigin::Check => "check",
            RunOrigin::Site => "site",
            RunOrigin::Other(name) => name,
        }
    }

    /// Returns whether the samples were imported from another program's output.
    pub fn is_imported(&self) -> bool {
        *self == RunOrigin::Fio
    }

    /// Returns whether the samples were measured in a world of this name.
    pub fn is(&self, world: WorldName) -> bool {
        *self == RunOrigin::World(world)
    }
}

impl From<&str> for RunOrigin {
    fn from(name: &str) -> Self {
        let known = [RunOrigin::Fio, RunOrigin::Check, RunOrigin::Site];
        match WorldName::of_name(name) {
            Some(world) => RunOrigin::World(world),
            None => {
                let known = known.into_iter().find(|origin| origin.as_str() == name);
                known.unwrap_or_else(|| RunOrigin::Other(name.to_owned()))
            }
        }
    }
}

impl From<WorldName> for RunOrigin {
    fn from(world: WorldName) -> Self {
        RunOrigin::World(world)
    }
}

impl fmt::Display for RunOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for RunOrigin {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RunOrigin {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        Ok(Self::from(name.as_str()))
    }
}

/// The options of a run do not say what it was measured in.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableWorld {
    /// They are not settings of a world.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// They are those of another world than the run's.
    #[error("the run is from `{origin}`, but its options are those of {found}")]
    OtherWorld {
        /// The origin of the run.
        origin: String,
        /// What the options are of.
        found: &'static str,
    },
}

/// The keys that say in version 1 of the store what a run was measured in.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Keys {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hosts: Option<HostsSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<ModelSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lab: Option<LabSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cuts: Option<CutKeys>,
}

/// The key `cuts` in version 1 of the store.
#[derive(Debug, Serialize, Deserialize)]
struct CutKeys {
    how: CutOptions,
    count: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    program_files: Vec<ConfirmedFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model_run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    without_guests: Option<ServedDisks>,
}

impl Keys {
    const ALL: [&'static str; 5] = ["target", "hosts", "model", "lab", "cuts"];

    fn of(world: &WorldSpec) -> Self {
        let mut keys = Self::default();
        match world {
            WorldSpec::Files { target } => keys.target = Some(target.clone()),
            WorldSpec::Hosts(hosts) => keys.hosts = Some(hosts.clone()),
            WorldSpec::Devices => {}
            WorldSpec::Model(model) => keys.model = Some(model.clone()),
            WorldSpec::Lab(lab) => keys.lab = Some(lab.clone()),
            WorldSpec::Cuts(cuts) => {
                let without_guests = match &cuts.place {
                    CutPlace::Guests(lab) => {
                        keys.lab = Some(lab.clone());
                        None
                    }
                    CutPlace::ThisMachine(disks) => Some(disks.clone()),
                };
                keys.cuts = Some(CutKeys {
                    how: cuts.how,
                    count: cuts.count,
                    program_files: cuts.program_files.clone(),
                    model_run: cuts.model_run,
                    without_guests,
                });
            }
        }
        keys
    }

    /// Returns the world that the keys say; `None` if two of them contradict each other.
    fn world(self) -> Option<WorldSpec> {
        if let Some(hosts) = self.hosts {
            let others = (self.target, self.model, self.lab, self.cuts);
            return matches!(others, (None, None, None, None)).then_some(WorldSpec::Hosts(hosts));
        }
        Some(match (self.target, self.model, self.lab, self.cuts) {
            (None, None, None, None) => WorldSpec::Devices,
            (Some(target), None, None, None) => WorldSpec::Files { target },
            (None, Some(model), None, None) => WorldSpec::Model(model),
            (None, None, Some(lab), None) => WorldSpec::Lab(lab),
            (None, None, lab, Some(cuts)) => {
                let place = match (lab, cuts.without_guests) {
                    (Some(lab), None) => CutPlace::Guests(lab),
                    (None, Some(disks)) => CutPlace::ThisMachine(disks),
                    _ => return None,
                };
                WorldSpec::Cuts(CutsSpec {
                    place,
                    how: cuts.how,
                    count: cuts.count,
                    program_files: cuts.program_files,
                    model_run: cuts.model_run,
                })
            }
            _ => return None,
        })
    }
}

/// Takes the world out of the options of a run: the value of this version, or the keys of version 1.
///
/// `None` if the options name no world: those of an import, or of a run without options.
///
/// # Errors
/// If they name one that cannot be read, or another one than `origin`; then they are unchanged.
pub fn take_world(
    origin: &RunOrigin,
    options: &mut Value,
) -> Result<Option<WorldSpec>, UnreadableWorld> {
    let (RunOrigin::World(name), Value::Object(all)) = (origin, options) else {
        return Ok(None);
    };
    let other = |found| UnreadableWorld::OtherWorld {
        origin: origin.to_string(),
        found,
    };
    let (world, taken): (WorldSpec, &[&str]) = match all.get(WORLD) {
        Some(world) => (WorldSpec::deserialize(world)?, &[WORLD]),
        None => {
            let has_key = Keys::ALL.iter().any(|key| all.contains_key(*key));
            let is_on_devices = *name == WorldName::Metal && all.contains_key(BUDGET);
            if !(has_key || is_on_devices) {
                return Ok(None);
            }
            let keys = Keys::deserialize(&*all).map_err(UnreadableWorld::Json)?;
            let world = keys.world().ok_or_else(|| other("several worlds"))?;
            (world, &Keys::ALL)
        }
    };
    if world.name() != *name {
        return Err(other(world.name().as_str()));
    }
    for key in taken {
        all.remove(*key);
    }
    Ok(Some(world))
}

/// Returns the options of a run with its world as one value, for the store.
pub(crate) fn with_world(
    world: Option<&WorldSpec>,
    options: &Value,
) -> Result<Value, serde_json::Error> {
    let mut options = options.clone();
    if let (Some(world), Some(all)) = (world, object(&mut options)) {
        all.insert(WORLD.to_owned(), serde_json::to_value(world)?);
    }
    Ok(options)
}

/// Returns the options of a run with the keys of its world, as documents and exports have them.
pub fn with_keys(world: Option<&WorldSpec>, options: &Value) -> Value {
    let mut options = options.clone();
    if let (Some(world), Some(all)) = (world, object(&mut options)) {
        // Every value of a world was read from JSON, or is written as JSON into the store.
        if let Ok(Value::Object(keys)) = serde_json::to_value(Keys::of(world)) {
            all.extend(keys);
        }
    }
    options
}

/// Returns the options as an object, and makes one of no options.
fn object(options: &mut Value) -> Option<&mut Map<String, Value>> {
    if options.is_null() {
        *options = Value::Object(Map::new());
    }
    options.as_object_mut()
}

#[cfg(test)]
#[path = "world_tests.rs"]
mod tests;
