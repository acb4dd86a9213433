//! From a study's cell to a simulation.

use std::sync::Arc;

use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::device::calibrated::CacheSetting;
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::kernel::{
    DeadlineNext, MirrorWrites, ParityPolicy, Policy, Raid0Layout, ResyncPolicy, policy,
};
use stripewise_study::conditions::{Conditions, Flush, State, WriteCache as WriteCacheWord};
use stripewise_study::failure::{Failure, ImpossibleFailure};
use stripewise_study::stack::{Array, Bitmap as BitmapWord, Filesystem, Level, Stack, Volume};
use stripewise_study::workload::{Engine, Workload};
use stripewise_study::world::Replay;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

use super::failure::Script;
use super::intent::IntentWrites;
use super::job::Job;
use super::journal::FilesystemLog;
use super::layers::{Journal, Layers, Mapping, VolumeLayer, bio_max};
use super::locks::Locks;
use super::members::MemberState;
use super::mirror_thread::MirrorThread;
use super::page_cache;
use super::parity_thread::ParityArray;
use super::plug::Plug;
use super::rebuild::{Rebuild, RebuildOf};
use super::scheduler;
use super::settings;
use super::stationarity::{MeasuredPhase, Stationarity};
use super::{Simulation, new_totals};
use crate::adapter::Adapter;
use crate::array::balance::Raid10Read;
use crate::array::barrier::{Barriers, Scope};
use crate::array::bitmap::{self, Bitmap, default_chunk};
use crate::array::flush::MdFlush;
use crate::array::linear::Linear;
use crate::array::parity::geometry::Geometry;
use crate::array::parity::{Parity, ParityConfig};
use crate::array::raid0::Raid0;
use crate::array::raid10::COPIES_MAX;
use crate::array::resync;
use crate::array::shape::Shape;
use crate::device::any::Device;
use crate::events::EventQueue;
use crate::host::{Costs, Uplink};
use crate::io::{BioLimit, Member, Place};
use crate::random::{Component, Stream};
use crate::slab::Slab;
use crate::units::{Instant, Sectors};
use crate::workload::{Generator, Replayed};

/// The journal of a filesystem that is not tiny (`mke2fs`: 128 MiB and more).
const JOURNAL: Sectors = Sectors::new(262_144);

/// The inputs of a simulation.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The stack of the cell.
    pub stack: &'a Stack,
    /// The load on it.
    pub workload: &'a Workload,
    /// The state of the host.
    pub conditions: &'a Conditions,
    /// The profile of each member, in order.
    pub devices: Vec<&'a DeviceProfile>,
    /// The host.
    pub host: &'a HostProfile,
    /// The kernel version whose rules apply.
    pub kernel: KernelVersion,
    /// Members that have failed.
    pub failed: Vec<Member>,
    /// Whether the first of them is being rebuilt on a new device.
    pub rebuilding: bool,
    /// The seed of the sample.
    pub seed: u64,
    /// The I/Os of the load, instead of generated ones.
    pub replay: Option<Arc<Replay>>,
}

/// A cell cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A number of a device profile is out of range.
    #[error("device profile `{profile}`: {problem}")]
    Device {
        /// The profile.
        profile: String,
        /// The problem.
        problem: String,
    },
    /// The host profile has no such governor.
    #[error("host profile `{host}` has no governor `{governor}`; it has {known}")]
    Governor {
        /// The host profile.
        host: String,
        /// The requested governor.
        governor: String,
        /// The governors that it has.
        known: String,
    },
    /// The driver of the clock has no such governor on this kernel.
    #[error("`{driver}` of Linux {kernel} has no governor `{governor}`; it has {known}")]
    NoSuchGovernor {
        /// The driver.
        driver: &'static str,
        /// The kernel.
        kernel: KernelVersion,
        /// The requested governor.
        governor: String,
        /// The governors that it has.
        known: String,
    },
    /// The failure cannot happen on this stack.
    #[error(transparent)]
    Failure(#[from] ImpossibleFailure),
    /// The stack cannot be built.
    #[error("stack `{stack}`: {problem}")]
    Stack {
        /// The stack.
        stack: String,
        /// The problem.
        problem: String,
    },
    /// The model does not support this.
    #[error("the model does not support {what}")]
    Unsupported {
        /// The unsupported condition.
        what: String,
    },
    /// A setting of md or of a queue is not simulated, or does not fit.
    #[error("{problem}")]
    Setting {
        /// The problem, with the setting's key.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
    /// The replay does not fit the load.
    #[error("the replay {problem}")]
    Replay {
        /// The problem.
        problem: String,
    },
    /// The files do not fit.
    #[error("the files need {needed}, but stack `{stack}` holds only {size}")]
    TooSmall {
        /// The stack.
        stack: String,
        /// The size of the jobs' files.
        needed: Bytes,
        /// The size of the stack.
        size: Bytes,
    },
}

impl SetupError {
    /// Returns a hint on how to fix it, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            SetupError::Governor { .. } => {
                Some("add a `[governor.NAME]` table to the host profile, or choose one that it has")
            }
            SetupError::NoSuchGovernor { .. } => Some(
                "leave it out of this kernel's study, or change `p_states` in the host profile",
            ),
            SetupError::TooSmall { .. } => {
                Some("lower `size` or `jobs`, or raise `capacity_bytes` in the device profile")
            }
            SetupError::Failure(error) => Some(error.hint()),
            SetupError::Setting { hint, .. } => Some(hint),
            SetupError::Unsupported { .. } => Some("`--world metal` measures it"),
            SetupError::Replay { .. } => {
                Some("use larger devices, or `wrap` in the study's `trace`")
            }
            SetupError::Device { .. } | SetupError::Stack { .. } => None,
        }
    }
}

impl Setup<'_> {
    /// Builds the stack, idle.
    ///
    /// # Errors
    /// [`SetupError`] with the first thing that cannot be simulated.
    pub fn build(&self) -> Result<Simulation, SetupError> {
        let policy = policy(self.kernel);
        self.check(&policy)?;
        let mut members = self.members(&policy)?;
        let mut layers = self.layers(&policy)?;
        let rebuild_of = self.rebuild_of(layers.used_of_member(self.member_size()), policy.resync);
        let mut jobs = self.jobs(layers.size, &policy)?;
        let mut page_cache = self.page_cache(&jobs, layers.size, &policy);
        self.add_beside(&mut jobs, &mut page_cache);
        let risk = self.risk(jobs.len())?;
        let totals = new_totals(&jobs, self.measured_phase(), self.recorded_min());
        let places = totals.measured_places.max(self.burst_ios());
        let stationarity = Stationarity::new(self.measured_phase(), places, members.len());
        let log = self.log(jobs.len(), layers.size);
        let log = FilesystemLog::new(log, page_cache.flusher + 1);
        let kernel_task = jobs.first().map(page_cache::flusher);
        jobs.extend(kernel_task.clone());
        jobs.extend(kernel_task);
        let mut cores = self.cores(&jobs, &log, &layers);
        let governor = self.governor(&policy, &mut cores)?;
        if let (Mapping::Parity(array), true) = (&mut layers.mapping, cores.are_shared()) {
            array.parity.share_core();
        }
        self.watch_reads(&policy, &layers.mapping, &mut members);
        let plug = Plug::new(&policy, members.len());
        let has_clean_state = layers.superblock_update().is_some();
        let adapter = self.host.adapter_of(self.stack.adapter.as_deref());
        Ok(Simulation {
            now: Instant::START,
            steps: 0,
            events: EventQueue::default(),
            jobs,
            ends_with_untimed: false,
            untimed_ended: false,
            cores,
            ios: Slab::default(),
            requests: Slab::default(),
            members,
            locks: Locks::new(
                &self.host.cpu,
                governor.clock_percent,
                &policy,
                &layers.mapping,
            ),
            worker_dispatches: policy.worker_dispatches,
            layers,
            plug,
            costs: Costs::new(&self.host.cpu, governor, &self.stack.filesystem),
            uplink: Uplink::new(self.host.uplink),
            adapter: adapter.map(Adapter::new),
            page_cache,
            mirror_thread: MirrorThread::default(),
            intent: IntentWrites::default(),
            safe_mode: self.safe_mode(&policy, has_clean_state),
            log,
            rebuild: self.rebuild(rebuild_of),
            barriers: self.barriers(),
            held_back: Vec::new(),
            script: self.script(rebuild_of)?,
            bios: Vec::new(),
            completed: Vec::new(),
            flushed: Vec::new(),
            served: Vec::new(),
            reported: Vec::new(),
            risk,
            totals,
            bounds: self.bounds(),
            stationarity,
        })
    }

    /// Refuses what is impossible or not simulated.
    fn check(&self, policy: &Policy) -> Result<(), SetupError> {
        self.check_conditions()?;
        self.check_settings(policy)?;
        self.check_size(policy)?;
        self.check_pace()?;
        self.check_failure()?;
        self.check_beside()
    }

    /// Refuses conditions that would change the result and are not simulated.
    fn check_conditions(&self) -> Result<(), SetupError> {
        if let Some(preference) = &self.conditions.energy_preference {
            let what = format!("the energy preference `{preference}`; set a governor instead");
            return Err(SetupError::Unsupported { what });
        }
        if let Some(what) = self.unknown_condition() {
            return Err(SetupError::Unsupported { what });
        }
        if let (Some(_), Some(Volume::Striped { stripes, .. })) =
            (&self.stack.array, &self.stack.volume)
            && stripes.get() > 1
        {
            return Err(SetupError::Stack {
                stack: self.stack.name.clone(),
                problem: format!("{stripes} stripes need {stripes} arrays, but the stack has one"),
            });
        }
        let Filesystem::Made { options, .. } = &self.stack.filesystem else {
            return Ok(());
        };
        let matters = |option: &&String| {
            let known = ["nobarrier", "barrier=0", "sync", "dax"];
            known.contains(&option.as_str()) || option.starts_with("data=")
        };
        match options.iter().find(matters) {
            Some(option) => Err(SetupError::Unsupported {
                what: format!("the mount option `{option}`; it does support `flush = \"ignored\"`"),
            }),
            None => Ok(()),
        }
    }

    /// Returns what the study says about write caches.
    pub(super) fn cache_setting(&self) -> CacheSetting {
        CacheSetting {
            is_on: self.conditions.write_cache != Some(WriteCacheWord::Off),
            flushes: self.conditions.flush != Some(Flush::Ignored),
        }
    }

    /// Returns a device of `profile` with its own random stream, by `number`.
    fn device(&self, profile: &DeviceProfile, number: u32) -> Result<Device, SetupError> {
        let cache = self.cache_setting();
        let stream = Stream::child(self.seed, Component::Device(number));
        Device::new(profile, cache, stream).map_err(|problem| {
            let profile = profile.name.clone();
            let problem = problem.to_string();
            SetupError::Device { profile, problem }
        })
    }

    fn members(&self, policy: &Policy) -> Result<Vec<MemberState>, SetupError> {
        let mut members = Vec::with_capacity(self.devices.len());
        for (index, profile) in (0_u32..).zip(&self.devices) {
            let mut device = self.device(profile, index)?;
            if self.workload.load.risk {
                device.watch_cache();
            }
            let name = format!("disk{index}");
            let write_cache = self.write_cache(profile, &device);
            let scheduler = self.scheduler(profile, policy.deadline_next)?;
            members.push(MemberState::new(
                name,
                device,
                self.aggregation_limit(self.of_member(policy, profile), profile),
                write_cache,
                self.requests_max(policy, profile, scheduler)?,
                scheduler,
                profile.model.link().full_duplex,
            ));
        }
        self.add_vdev_queues(&mut members);
        Ok(members)
    }

    /// Returns the requested scheduler, or the kernel's default: `none` for devices with many
    /// queues, which here are those with a full-duplex link, and `mq-deadline` for the rest
    /// (`elevator_get_default`, 5.0 and later; `deadline` and `cfq` before).
    fn scheduler(
        &self,
        profile: &DeviceProfile,
        next: DeadlineNext,
    ) -> Result<scheduler::Kind, SetupError> {
        let Some(name) = &self.conditions.scheduler else {
            return Ok(match profile.model.link().full_duplex {
                true => scheduler::Kind::InOrder,
                false => scheduler::Kind::Deadline(next),
            });
        };
        scheduler::Kind::named(name, next).ok_or_else(|| SetupError::Unsupported {
            what: format!(
                "the I/O scheduler `{name}`; it supports `none`, `noop`, `mq-deadline` and `deadline`"
            ),
        })
    }

    fn layers(&self, policy: &Policy) -> Result<Layers, SetupError> {
        let (mapping, size) = self.mapping(policy)?;
        self.check_failures(&mapping)?;
        let heads = self.heads(&mapping);
        let array = self.stack.array.as_ref();
        let chunk = array
            .and_then(|array| array.chunk_bytes)
            .map(Sectors::from_bytes);
        let unit = Sectors::from_bytes(self.log_unit(size)).get().max(8);
        let journal_start = size.get().saturating_sub(JOURNAL.get()) / unit * unit;
        let journal = Journal {
            start: Sectors::new(journal_start),
            length: JOURNAL.min(size),
            next: Sectors::new(journal_start),
        };
        Ok(Layers {
            bitmap: array
                .and_then(|array| self.bitmap(array, &mapping, size).transpose())
                .transpose()?,
            bitmap_pages: Vec::new(),
            array_limit: self.array_limit(policy, &mapping),
            mapping,
            volume: match &self.stack.volume {
                None => VolumeLayer::None,
                Some(Volume::Striped { .. }) if array.is_none() => VolumeLayer::Striped,
                Some(_) => VolumeLayer::Linear,
            },
            written: heads
                .iter()
                .zip(0..)
                .map(|(head, place)| head.readable || self.rebuilt_member() == Some(Member(place)))
                .collect(),
            heads,
            bio_max: bio_max(policy.bio_parts_max, policy.bio_parts_span_pages),
            bio_border: chunk.filter(|_| policy.bios_end_at_chunks),
            writes_wait_for_unplug: policy.mirror_writes == MirrorWrites::AtUnplug,
            // The tasks are the jobs, write-back, the journal's thread, the array's, and workers.
            thread: self.task_count(),
            thread_sends: !policy.bios_have_plugs,
            held_bios_max: policy.mirror_plug_bios_max,
            size,
            md_flush: array.map(|_| MdFlush::new(policy.md_flush)),
            preflush: self.preflush(policy),
            is_fua: false,
            journal,
            pieces: Vec::new(),
        })
    }

    /// Returns how many tasks the jobs are, with those beside the load, write-back and the journal's
    /// thread.
    fn task_count(&self) -> u32 {
        let jobs = self.workload.loads().map(|load| load.jobs).sum::<u32>();
        jobs + u32::try_from(self.beside().len()).expect("at most two") + 2
    }

    /// Refuses a stack that has lost data: some sectors are on no working member. Parity arrays
    /// check the number of failures.
    fn check_failures(&self, mapping: &Mapping) -> Result<(), SetupError> {
        let failed: Vec<Member> = self.ever_missing().collect();
        let has_failed = |place: &Place| failed.contains(&place.member);
        let is_lost = match mapping {
            Mapping::Single
            | Mapping::Linear(_)
            | Mapping::Striped(..)
            | Mapping::Btrfs(_)
            | Mapping::Zfs(_) => !failed.is_empty(),
            Mapping::Raid1(map, _) => map.find(Sectors::default()).all(|place| has_failed(&place)),
            Mapping::Raid10(map, _) => {
                let mut places = [Place::default(); COPIES_MAX];
                let mut at = Sectors::default();
                // The pattern repeats after as many chunks as there are members.
                self.devices.iter().any(|_| {
                    if at >= map.size() {
                        return false;
                    }
                    let copies = map.find(at, &mut places);
                    at += map.first_length(at, map.size() - at);
                    places[..copies].iter().all(has_failed)
                })
            }
            Mapping::Parity(array) => failed.len() > array.parity.geometry().parities().into(),
        };
        if !is_lost {
            return Ok(());
        }
        Err(SetupError::Stack {
            stack: self.stack.name.clone(),
            problem: "has lost data: the failed members held the only copy".to_owned(),
        })
    }

    /// Returns a bitmap for the array, if it has one.
    fn bitmap(
        &self,
        array: &Array,
        mapping: &Mapping,
        size: Sectors,
    ) -> Result<Option<Bitmap>, SetupError> {
        let BitmapWord::Internal { chunk_bytes } = array.bitmap else {
            return Ok(None);
        };
        // md counts resync space: the members' for parity, the array's for mirrors.
        let space = match mapping {
            Mapping::Parity(_) => self.member_size(),
            _ => size,
        };
        let chunk = chunk_bytes.unwrap_or_else(|| default_chunk(self.member_size(), space));
        let mut bitmap = Bitmap::new(space, chunk).map_err(|error| SetupError::Stack {
            stack: self.stack.name.clone(),
            problem: error.to_string(),
        })?;
        let rebuilt = self.rebuilt_member();
        bitmap.set_degraded(self.missing().any(|member| Some(member) != rebuilt));
        Ok(Some(bitmap))
    }

    /// Returns the data area of the smallest member.
    fn member_size(&self) -> Sectors {
        let sizes = self.member_sizes();
        sizes.into_iter().min().unwrap_or_default()
    }

    fn member_sizes(&self) -> Vec<Sectors> {
        member_sizes(self.stack, &self.devices)
    }

    /// Returns the mapping of the array or volume, and its size.
    fn mapping(&self, policy: &Policy) -> Result<(Mapping, Sectors), SetupError> {
        if let Some(mapped) = self.pool_mapping()? {
            return Ok(mapped);
        }
        let sizes = self.member_sizes();
        let problem = |problem: String| SetupError::Stack {
            stack: self.stack.name.clone(),
            problem,
        };
        let Some(array) = &self.stack.array else {
            return match (&self.stack.volume, sizes.as_slice()) {
                (_, []) => Err(problem("names no devices".to_owned())),
                (
                    Some(Volume::Striped {
                        stripes,
                        stripe_bytes,
                    }),
                    _,
                ) => {
                    let used = usize::try_from(stripes.get()).unwrap_or(usize::MAX);
                    if used > sizes.len() {
                        let have = sizes.len();
                        return Err(problem(format!(
                            "{used} stripes need {used} devices, but the stack has {have}"
                        )));
                    }
                    let map = Raid0::new(&sizes[..used], *stripe_bytes, Raid0Layout::Alternate)
                        .map_err(|error| problem(error.to_string()))?;
                    let size = map.size();
                    let split = stripewise_profiles::kernel::Raid0Split::InOrder;
                    // Device mapper cuts at the borders of stripes (`max_io_len` in `dm.c`).
                    let stripe = Sectors::from_bytes(*stripe_bytes);
                    let limit = BioLimit {
                        max: stripe,
                        block: stripe,
                        border: None,
                    };
                    Ok((Mapping::Striped(map, split, limit), size))
                }
                (_, [only]) => Ok((Mapping::Single, *only)),
                (Some(Volume::Linear), _) => {
                    let map = Linear::new(&sizes, None);
                    let size = map.size();
                    Ok((Mapping::Linear(map), size))
                }
                (None, _) => Err(problem(
                    "has several devices but no array or volume".to_owned(),
                )),
            };
        };
        self.array_mapping(array, policy, &sizes).map_err(problem)
    }

    fn array_mapping(
        &self,
        array: &Array,
        policy: &Policy,
        sizes: &[Sectors],
    ) -> Result<(Mapping, Sectors), String> {
        let shape = Shape::new(array, sizes, policy).map_err(|error| error.to_string())?;
        let size = shape.size();
        let mapping = match shape {
            Shape::Linear(map) => Mapping::Linear(map),
            Shape::Raid0(map) => {
                let limit = self.of_raid0(policy, map.chunk(), sizes.len() as u64);
                Mapping::Striped(map, policy.raid0_split, limit)
            }
            Shape::Raid1(map) => Mapping::Raid1(map, policy.raid1_read_balance),
            Shape::Raid10(map) => {
                let read = Raid10Read::new(policy.raid10_read_balance, map.layout());
                Mapping::Raid10(map, read)
            }
            Shape::Parity { geometry, .. } => self.parity(array, geometry, policy.parity)?,
        };
        Ok((mapping, size))
    }

    fn parity(
        &self,
        array: &Array,
        geometry: Geometry,
        policy: ParityPolicy,
    ) -> Result<Mapping, String> {
        let (cache_stripes, cache_stripes_max) = settings::cache_stripes(array, policy);
        let mut parity = Parity::new(ParityConfig {
            geometry,
            policy,
            cache_stripes,
            cache_stripes_max,
            rmw_level: settings::rmw_level(array, policy),
            skip_copy: false,
            bitmap: array.bitmap != BitmapWord::None,
            synced: true,
        });
        for member in self.missing() {
            parity
                .fail_member(member)
                .map_err(|error| error.to_string())?;
        }
        if let Some(member) = self.rebuilt_member() {
            parity.replace_member(member);
        }
        Ok(Mapping::Parity(Box::new(ParityArray::new(parity))))
    }

    /// Refuses a replay with other jobs, or with sectors beyond the end.
    fn check_replay(&self, replay: &Replay, size: Sectors) -> Result<(), SetupError> {
        let problem = |problem: String| Err(SetupError::Replay { problem });
        let (lists, jobs) = (replay.jobs.len(), self.workload.load.jobs);
        if u32::try_from(lists) != Ok(jobs) {
            return problem(format!("has {lists} lists of I/Os for {jobs} jobs"));
        }
        if !self.workload.neighbours.is_empty() {
            return problem("runs beside neighbours, which never end".to_owned());
        }
        let file = match self.stack.filesystem {
            Filesystem::None => size.bytes(),
            _ => self.workload.load.size_bytes,
        };
        let end = replay.end_bytes();
        if end > file {
            return problem(format!("reaches {end}, but the target has only {file}"));
        }
        let whole = |bytes: Bytes| bytes.as_u64().is_multiple_of(512);
        let mut ios = replay.jobs.iter().flatten();
        if !ios.all(|io| {
            let has_data = io.length_bytes > Bytes::new(0);
            whole(io.offset_bytes) && whole(io.length_bytes) && has_data != io.flushes()
        }) {
            return problem("has an I/O that is not a whole number of sectors".to_owned());
        }
        Ok(())
    }

    fn jobs(&self, size: Sectors, policy: &Policy) -> Result<Vec<Job>, SetupError> {
        let syncs = self.syncs()?;
        if let Some(replay) = &self.replay {
            self.check_replay(replay, size)?;
        }
        let shares_device = self.replay.is_some() && self.stack.filesystem == Filesystem::None;
        let mut jobs: Vec<Job> = Vec::new();
        let mut base = Sectors::default();
        for (place, load) in self.workload.loads().enumerate() {
            for _ in 0..load.jobs {
                let number = u32::try_from(jobs.len()).expect("jobs are few");
                let stream = Stream::child(self.seed, Component::Job(number));
                let replayed = self
                    .replay
                    .clone()
                    .map(|all| Replayed::new(all, jobs.len()));
                let generator = Generator::new(load, base, stream).with_replay(replayed);
                if !shares_device {
                    base += Sectors::from_bytes(load.size_bytes);
                }
                let mut job = Job::new(load, generator, place == 0, syncs);
                job.waits_for_io |=
                    load.engine == Engine::IoUring && policy.clock.ring_waits_for_io;
                job.random_percent = self.random_percent(load);
                self.pass_through_arc(&mut job, load);
                if self.stack.filesystem == Filesystem::None && load.direct {
                    job.goes_to_device(policy);
                }
                jobs.push(job);
            }
        }
        if base > size {
            return Err(SetupError::TooSmall {
                stack: self.stack.name.clone(),
                needed: base.bytes(),
                size: size.bytes(),
            });
        }
        Ok(jobs)
    }

    /// Returns the phase that the simulation measures.
    fn measured_phase(&self) -> MeasuredPhase {
        let is_timed = self.rebuilding || self.conditions.failure.is_some();
        match self.conditions.state {
            _ if is_timed || self.replay.is_some() => MeasuredPhase::Timed,
            Some(State::Fresh) => MeasuredPhase::Fresh,
            Some(State::Steady) | None => MeasuredPhase::Steady,
        }
    }

    /// Returns the member that is being rebuilt.
    fn rebuilt_member(&self) -> Option<Member> {
        self.failed.first().copied().filter(|_| self.rebuilding)
    }

    fn rebuild(&self, of: Option<RebuildOf>) -> Option<Rebuild> {
        let target = self.rebuilt_member()?;
        let speeds = self.speed_limits(None);
        Some(Rebuild::new(of?, speeds, target, Instant::START))
    }

    /// Returns the barriers of a mirror that is to be rebuilt.
    fn barriers(&self) -> Option<Barriers> {
        let failure = self.conditions.failure.as_ref();
        let is_rebuilt = self.rebuilding || failure.is_some_and(Failure::is_repaired);
        let scope = match self.stack.array.as_ref()?.level {
            Level::Raid1 => Scope::Units,
            Level::Raid10 => Scope::Array,
            _ => return None,
        };
        is_rebuilt.then(|| Barriers::new(scope))
    }

    /// Returns the parameters of a rebuild; `None` if the array has no redundancy.
    fn rebuild_of(&self, size: Sectors, policy: ResyncPolicy) -> Option<RebuildOf> {
        let level = self.stack.array.as_ref()?.level;
        Some(RebuildOf {
            level,
            requests: resync::requests(level)?,
            policy,
            size,
            members: self.devices.len(),
        })
    }

    /// Refuses a failure that cannot happen, or that comes on top of another.
    fn check_failure(&self) -> Result<(), SetupError> {
        let Some(failure) = &self.conditions.failure else {
            return Ok(());
        };
        failure.check(self.stack)?;
        if self.rebuilding || self.failed.contains(&failing(failure)) {
            return Err(SetupError::Stack {
                stack: self.stack.name.clone(),
                problem: format!(
                    "is rebuilding, or has lost the device already, before the failure `{}`",
                    failure.name
                ),
            });
        }
        Ok(())
    }

    /// Returns the script of the array's failure, if there is one.
    fn script(&self, of: Option<RebuildOf>) -> Result<Option<Box<Script>>, SetupError> {
        let (Some(failure), Some(of)) = (&self.conditions.failure, of) else {
            return Ok(None);
        };
        let member = failing(failure);
        let number = u32::try_from(self.devices.len()).expect("devices are few");
        let spare = self.device(self.devices[member.index()], number)?;
        let speeds = self.speed_limits(Some(failure));
        Ok(Some(Box::new(Script::new(
            failure, member, spare, of, speeds,
        ))))
    }

    /// Returns the members that are missing when the load begins.
    pub(super) fn missing(&self) -> impl Iterator<Item = Member> {
        let failure = self.conditions.failure.as_ref();
        let from_the_start = failure.filter(|failure| failure.at_ns == Nanos::default());
        self.failed
            .iter()
            .copied()
            .chain(from_the_start.map(failing))
    }

    /// Returns the members that are missing at any time.
    fn ever_missing(&self) -> impl Iterator<Item = Member> {
        let failure = self.conditions.failure.as_ref();
        self.failed.iter().copied().chain(failure.map(failing))
    }
}

/// Returns the member that fails; setup refuses one that is not there.
fn failing(failure: &Failure) -> Member {
    Member(u16::try_from(failure.device).unwrap_or(u16::MAX))
}

/// Returns the size that the stack can use of each device.
pub(crate) fn member_sizes(stack: &Stack, devices: &[&DeviceProfile]) -> Vec<Sectors> {
    let most = stack.array.as_ref().and_then(|array| array.size_bytes);
    let most = most.map_or(u64::MAX, |size| Sectors::from_bytes(size).get());
    let sizes = devices.iter().map(|profile| {
        let whole = Sectors::from_bytes(Bytes::new(profile.capacity_bytes));
        let Some(array) = &stack.array else {
            return whole;
        };
        let chunk = array
            .chunk_bytes
            .map_or(Sectors::default(), Sectors::from_bytes);
        let data = whole.get().saturating_sub(data_offset(whole, chunk).get());
        Sectors::new(data.min(most))
    });
    sizes.collect()
}

/// Returns the space before the data of a member: superblock, bitmap, and headroom for a reshape,
/// which mdadm sets to about a thousandth, at most 128 MiB (`validate_geometry1` in `super1.c`,
/// format 1.2).
fn data_offset(whole: Sectors, chunk: Sectors) -> Sectors {
    const MIB: u64 = 2048;
    let mut headroom = 128 * MIB;
    while headroom << 10 > whole.get() && (chunk.get() == 0 || headroom / 2 >= chunk.get() * 2) {
        headroom /= 2;
    }
    let offset = 24 + bitmap::room(whole).get() + headroom;
    Sectors::new(offset.next_multiple_of(MIB))
}
