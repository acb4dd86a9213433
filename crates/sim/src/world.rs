//! The model world: it simulates cells, and reads and touches no device.

use std::sync::Arc;
use std::time::Duration;

use stripewise_profiles::device::{DeviceProfile, Model as DeviceModel};
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::kernel::policy;
use stripewise_profiles::{NoSuchProfile, Profiles, device_with_host};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::State;
use stripewise_study::facts::Facts;
use stripewise_study::sample::{Latency, Sample, SectorsSums};
use stripewise_study::stack::Stack;
use stripewise_study::warning::Warning;
use stripewise_study::world::{
    Journal, Prepared, Replay, SampleRequest, Simulator, Watch, World, WorldError, WorldName,
};
use stripewise_units::Bytes;
use stripewise_units::kernel::{KernelName, KernelVersion};

use crate::array::map::{ArrayMap, MapMember};
use crate::engine::{
    Ending, Limits, SameFor, Setup, SetupError, Simulation, SuperblockUpdate, Violation,
    member_sizes,
};
use crate::io::Member;
use crate::memory::{Memory, Remembered};
use crate::own_rate::own_rate;
use crate::points::points_missed;
use crate::question::{Question, Unobserved};
use crate::uncertainty::uncertainty;

/// The most devices of a stack.
const DEVICES_MAX: u64 = 4096;

/// The model world with its profiles.
#[derive(Debug, Clone)]
pub struct Model {
    /// The profiles that studies can name.
    pub profiles: Profiles,
    /// The host profile; the default one if none is named.
    pub host: Option<String>,
    /// The kernel version whose rules apply.
    pub kernel: KernelVersion,
    /// Members that have failed, by their place in the array.
    pub failed: Vec<Member>,
    /// Whether the first of them is being rebuilt on a new device.
    pub rebuilding: bool,
    /// When a simulation ends.
    pub limits: Limits,
    /// What it has simulated.
    pub memory: Memory,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The counts and times.
    pub sample: Sample,
    /// Which sectors of its data area each member read and wrote.
    pub sectors_sums: Vec<SectorsSums>,
    /// md's additional writes when the array turns dirty or clean, which the sample omits.
    pub superblock_update: Option<SuperblockUpdate>,
}

/// A cell cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A profile is missing.
    #[error(transparent)]
    Profile(#[from] NoSuchProfile),
    /// The stack cannot be built.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// One I/O for each queue slot takes more effort than the limits allow.
    #[error(
        "{in_flight} I/O(s) of up to {block} in flight on stack `{stack}` need more simulation steps than allowed"
    )]
    TooLarge {
        /// The stack.
        stack: String,
        /// How many I/Os the load keeps in flight.
        in_flight: u64,
        /// The size of its largest I/O.
        block: Bytes,
    },
    /// The simulation broke a physical limit.
    #[error("the simulation of stack `{stack}` broke a physical limit: {violation}")]
    Impossible {
        /// The stack.
        stack: String,
        /// The broken limit.
        violation: Violation,
    },
    /// The I/Os of a trace are not at hand: they are not stored with a run.
    #[error("the I/Os of trace `{file}` are not stored with the run")]
    NoIos {
        /// The file.
        file: String,
    },
    /// The watch cancelled the simulation.
    #[error("interrupted")]
    Interrupted,
}

impl ModelError {
    /// Returns a hint on how to fix it, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            ModelError::Profile(error) => Some(error.hint()),
            ModelError::Setup(error) => error.hint().map(str::to_owned),
            ModelError::TooLarge { .. } => Some(
                "lower `block_size`, `depth` or `jobs`, or use a larger chunk or fewer devices"
                    .to_owned(),
            ),
            ModelError::Impossible { .. } => Some(
                "this is a bug in stripewise: please report it together with the study or question"
                    .to_owned(),
            ),
            ModelError::NoIos { .. } => Some("use the study file".to_owned()),
            ModelError::Interrupted => None,
        }
    }
}

impl From<ModelError> for WorldError {
    fn from(error: ModelError) -> Self {
        let attempted = match &error {
            ModelError::Interrupted => return WorldError::Interrupted,
            ModelError::TooLarge { .. }
            | ModelError::Impossible { .. }
            | ModelError::NoIos { .. } => "failed to simulate the cell",
            ModelError::Profile(_) | ModelError::Setup(_) => "failed to build the model",
        };
        WorldError::Failed {
            attempted: attempted.to_owned(),
            hint: error.hint(),
            source: Some(Box::new(error)),
        }
    }
}

impl Model {
    /// Returns the model with no failed members, on the default host.
    pub fn new(profiles: Profiles, kernel: KernelVersion) -> Self {
        Self {
            profiles,
            host: None,
            kernel,
            failed: Vec::new(),
            rebuilding: false,
            limits: Limits::default(),
            memory: Memory::default(),
        }
    }

    /// Returns the kernel whose rules apply to `cell`.
    pub fn kernel_of(&self, cell: &Cell) -> KernelVersion {
        let named = cell.conditions.kernel.as_ref();
        named.map_or(self.kernel, KernelName::version)
    }

    /// Builds the stack of `cell`, idle.
    ///
    /// # Errors
    /// [`ModelError`] if a profile is missing or the stack cannot be built.
    pub fn build(&self, cell: &Cell, seed: u64) -> Result<Simulation, ModelError> {
        self.build_with(cell, seed, traced(cell)?)
    }

    fn build_with(
        &self,
        cell: &Cell,
        seed: u64,
        replay: Option<Arc<Replay>>,
    ) -> Result<Simulation, ModelError> {
        if cell.stack.devices.is_empty() {
            let problem = "names no devices, so there is nothing to model".to_owned();
            let stack = cell.stack.name.clone();
            return Err(SetupError::Stack { stack, problem }.into());
        }
        let failed_before = replay.iter().flat_map(|replay| &replay.failed);
        let failed = self.failed.iter().copied();
        let setup = Setup {
            stack: &cell.stack,
            workload: &cell.workload,
            conditions: &cell.conditions,
            devices: self.devices_of(&cell.stack)?,
            host: self.host_of(&cell.stack)?,
            kernel: self.kernel_of(cell),
            failed: failed.chain(failed_before.copied().map(Member)).collect(),
            rebuilding: self.rebuilding,
            seed,
            replay,
        };
        Ok(setup.build()?)
    }

    /// Returns which members of a stack's array hold and serve its first chunks; `None` for a
    /// stack without an array.
    ///
    /// # Errors
    /// [`ModelError`] if a profile is missing or md has no such array.
    pub fn array_map(&self, stack: &Stack) -> Result<Option<ArrayMap>, ModelError> {
        let Some(array) = &stack.array else {
            return Ok(None);
        };
        let devices = self.devices_of(stack)?;
        let sizes = member_sizes(stack, &devices);
        let members = sizes.iter().zip(&devices).map(|(size, profile)| MapMember {
            size: *size,
            is_rotational: profile.rotational,
        });
        let members: Vec<MapMember> = members.collect();
        let failed: Vec<usize> = self.failed.iter().map(|member| member.index()).collect();
        let map = ArrayMap::new(array, &members, &policy(self.kernel), &failed);
        let map = map.map_err(|error| SetupError::Stack {
            stack: stack.name.clone(),
            problem: error.to_string(),
        })?;
        Ok(Some(map))
    }

    /// Returns the named host, else the one with which the profiles of a stack's devices were fitted,
    /// else the default one.
    pub(crate) fn host_of(&self, stack: &Stack) -> Result<&HostProfile, ModelError> {
        if let Some(named) = &self.host {
            return Ok(self.profiles.host(Some(named))?);
        }
        let devices = self.devices_of(stack)?;
        let fitted = device_with_host(devices.iter().copied()).map_err(|error| {
            let problem = format!("needs a host to be named: {error}");
            let stack = stack.name.clone();
            SetupError::Stack { stack, problem }
        })?;
        let fitted = fitted.and_then(|device| device.host.as_deref());
        Ok(self.profiles.host(fitted)?)
    }

    /// Returns the profile of each of a stack's devices, unless there are too many.
    fn devices_of(&self, stack: &Stack) -> Result<Vec<&DeviceProfile>, ModelError> {
        let count = stack.device_count();
        if count > DEVICES_MAX {
            let problem = format!("has {count} devices; the maximum is {DEVICES_MAX}");
            let stack = stack.name.clone();
            return Err(SetupError::Stack { stack, problem }.into());
        }
        Ok(self.profiles.devices_of(stack)?)
    }

    /// Simulates the I/Os of `replay` on the stack of `cell`, from the first to the last.
    ///
    /// # Errors
    /// [`ModelError`] if a profile is missing, the stack cannot be built, or `watch` stopped it.
    pub fn replay(
        &self,
        cell: &Cell,
        seed: u64,
        replay: Arc<Replay>,
        watch: &mut dyn Watch,
    ) -> Result<Replayed, ModelError> {
        let ios = replay.ios();
        let mut simulation = self.build_with(cell, seed, Some(replay))?;
        if !simulation.run_replay(ios, watch) {
            return Err(ModelError::Interrupted);
        }
        Ok(Replayed {
            sample: possible(cell, &simulation)?,
            sectors_sums: simulation.sectors_sums(),
            superblock_update: simulation.superblock_update(),
        })
    }

    /// Simulates `cell` once, until its estimate is steady or a limit is reached.
    ///
    /// # Errors
    /// As [`Model::answer`].
    pub fn simulate(
        &self,
        cell: &Cell,
        seed: u64,
        watch: &mut dyn Watch,
    ) -> Result<Sample, ModelError> {
        let mut answer = self.answer(&Question::once(cell, seed), &mut Unobserved(watch))?;
        Ok(answer.samples.swap_remove(0))
    }

    /// Simulates what fresh devices give beside a simulation of steady ones, without latencies; `None` if
    /// they are no other state: nothing fills, or only what empties by itself.
    ///
    /// # Errors
    /// As [`Model::answer`].
    pub fn fresh_beside(
        &self,
        cell: &Cell,
        seed: u64,
        steady: &Sample,
        watch: &mut dyn Watch,
    ) -> Result<Option<Sample>, ModelError> {
        let conditions = &cell.conditions;
        let has_one_state = conditions.state == Some(State::Fresh) || conditions.failure.is_some();
        if has_one_state || cell.workload.trace.is_some() || !self.has_states(cell, steady)? {
            return Ok(None);
        }
        let mut fresh = cell.clone();
        fresh.conditions.state = Some(State::Fresh);
        let mut sample = self.simulate(&fresh, seed, watch)?;
        sample.read.latency = Latency::default();
        sample.write.latency = Latency::default();
        sample.sync = Latency::default();
        Ok(Some(sample))
    }

    /// Returns whether a load may find fresh devices in another state than that of its steady simulation.
    fn has_states(&self, cell: &Cell, steady: &Sample) -> Result<bool, ModelError> {
        let devices = self.devices_of(&cell.stack)?;
        let onset = steady.breakdown.as_ref().and_then(|one| one.onset);
        if onset.is_some_and(|onset| onset.is_of_caches) {
            return Ok(false);
        }
        // What the page cache takes at first says nothing of devices.
        let load = &cell.workload.load;
        let writes = load.direct && load.pattern.writes();
        let fills = onset.is_some() || writes || !cell.workload.neighbours.is_empty();
        let has_states = devices.iter().any(|device| device.has_states());
        Ok(has_states && fills || devices.iter().any(is_flash))
    }

    /// Returns a sample with how far the profiles may be off, and what of it is the load's or a cache's.
    fn with_uncertainty(&self, cell: &Cell, mut sample: Sample) -> Result<Sample, ModelError> {
        let host = self.host_of(&cell.stack)?;
        let devices = self.devices_of(&cell.stack)?;
        sample
            .warnings
            .extend(points_missed(self, cell, &devices, host));
        let off = uncertainty(cell, &devices, host, &sample);
        let own = own_rate(cell, &sample);
        if let Some(breakdown) = &mut sample.breakdown {
            breakdown.uncertainty = off;
            breakdown.own_rate = own;
            if devices.iter().any(is_flash) {
                // When flash has no free blocks left is not known beforehand.
                breakdown.room = None;
            }
            if let Some(onset) = &mut breakdown.onset {
                onset.is_of_caches |= !devices.iter().any(|device| device.has_states());
            }
        }
        Ok(sample)
    }

    pub(crate) fn simulate_within(
        &self,
        cell: &Cell,
        seed: u64,
        limits: &Limits,
        watch: &mut dyn Watch,
    ) -> Result<Remembered, ModelError> {
        if let Some(replay) = traced(cell)? {
            let ios = replay.ios();
            let sample = self.replay(cell, seed, replay, watch)?.sample;
            let sample = self.with_uncertainty(cell, sample)?;
            return Ok(Remembered {
                sample,
                ios,
                same_for: SameFor::default(),
            });
        }
        let mut simulation = self.build(cell, seed)?;
        match simulation.run(limits, watch) {
            Ending::Complete | Ending::Bounded => Ok(Remembered {
                sample: self.with_uncertainty(cell, possible(cell, &simulation)?)?,
                ios: simulation.ios(),
                same_for: simulation.same_for(),
            }),
            Ending::Interrupted => Err(ModelError::Interrupted),
            Ending::TooLarge => {
                let load = &cell.workload.load;
                Err(ModelError::TooLarge {
                    stack: cell.stack.name.clone(),
                    in_flight: load.in_flight(),
                    block: load.block_size.largest(),
                })
            }
        }
    }
}

/// Returns whether a device is simulated page by page.
fn is_flash(device: &&DeviceProfile) -> bool {
    matches!(device.model, DeviceModel::Flash(_))
}

/// Returns the I/Os of a cell's trace; `None` if it replays none.
fn traced(cell: &Cell) -> Result<Option<Arc<Replay>>, ModelError> {
    let Some(trace) = &cell.workload.trace else {
        return Ok(None);
    };
    let no_ios = || ModelError::NoIos {
        file: trace.query.file.clone(),
    };
    trace.ios.0.clone().ok_or_else(no_ios).map(Some)
}

/// Returns the sample of a simulation, if it breaks no physical limit.
fn possible(cell: &Cell, simulation: &Simulation) -> Result<Sample, ModelError> {
    let checked = simulation.check_bounds();
    checked.map_err(|violation| ModelError::Impossible {
        stack: cell.stack.name.clone(),
        violation,
    })?;
    Ok(simulation.sample())
}

impl Simulator for Model {
    fn simulate(
        &self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        if !watch.keep_going(Duration::ZERO) {
            return Err(WorldError::Interrupted);
        }
        if let Some(replay) = request.replay.filter(|_| cell.workload.trace.is_none()) {
            return Ok(self.replay(cell, request.seed, replay, watch)?.sample);
        }
        let question = Question {
            // A failure has a timeline; every other result is the same for any length of a sample.
            duration: cell.conditions.failure.as_ref().map(|_| request.duration),
            ..Question::once(cell, request.seed)
        };
        let mut answer = self.answer(&question, &mut Unobserved(watch))?;
        let mut sample = answer.samples.swap_remove(0);
        let fresh = self.fresh_beside(cell, request.seed, &sample, watch)?;
        if let Some(breakdown) = &mut sample.breakdown {
            breakdown.fresh = fresh.map(Box::new);
        }
        if sample.read.ios + sample.write.ios + sample.sync.count == 0 {
            return Err(WorldError::plain(format!(
                "failed to complete an I/O in {} of virtual time",
                request.duration
            ))
            .or_hint("raise `sample` in the study's `[repeat]`"));
        }
        Ok(sample)
    }
}

impl World for Model {
    fn name(&self) -> WorldName {
        WorldName::Model
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn simulator(&self) -> Option<&dyn Simulator> {
        Some(self)
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        let mut facts = Facts {
            kernel: Some(self.kernel.to_string()),
            ..Facts::default()
        };
        let host = self.profiles.host(self.host.as_deref());
        let host = host.map_err(ModelError::from)?;
        facts.cpu.model = Some(host.description.clone());
        facts.cpu.governor = Some(host.governor_default.clone());
        facts.memory_bytes = None;
        facts.tools.insert(
            WorldName::Model.to_string(),
            env!("CARGO_PKG_VERSION").to_owned(),
        );
        Ok(facts)
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        for cell in cells {
            self.build(cell, 0)?;
        }
        let verifies = cells.iter().any(|cell| cell.workload.load.verify);
        let noticed = verifies.then(|| Warning::NotVerified {
            world: WorldName::Model.to_string(),
        });
        Ok(noticed.into_iter().collect())
    }

    fn prepare(
        &mut self,
        _cell: &Cell,
        _journal: &mut dyn Journal,
        _watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        Ok(Prepared::AlreadyThere)
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        Simulator::simulate(self, cell, request, watch)
    }

    fn restore(&mut self, _journal: &mut dyn Journal) -> Result<(), WorldError> {
        Ok(())
    }
}
