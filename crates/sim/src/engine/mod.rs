//! The simulation: host I/Os go down the layers, requests come back up, in virtual time.
//!
//! ```text
//!  job --> stage of an I/O --> volume --> array --> plug --> member queue --> device
//!   ^                                                                          |
//!   +---- wake-up <---- completion on the job's core <--- array state <------+
//! ```
//!
//! All objects in flight live in slabs, and an event names an index in one. A job's submission is
//! one instant: md decides on the state of that instant, and the CPU time of the layers sets when
//! the requests leave the plug. Events of one instant happen in the order in which they were added.
//!
//! What each host I/O passes is `#[inline(always)]`: its cost is many small checks, and each call saves
//! and restores more than it does. `ci/instructions.sh` counts that.

mod aging;
mod barrier;
mod beside;
mod bounds;
mod btrfs_layer;
mod clock;
mod cpu;
mod failure;
mod fast_forward;
mod flush;
mod governor;
mod host_io;
mod intent;
mod job;
mod journal;
mod layers;
mod limits;
mod locks;
mod members;
mod memory;
mod mirror_thread;
mod open_file;
mod page_cache;
mod parity_thread;
mod plug;
mod pool;
mod read_ahead;
mod rebuild;
mod risk;
mod room;
mod safe_mode;
mod scheduler;
pub(crate) mod settings;
mod setup;
mod size;
mod stationarity;
mod throttling;
mod totals;
mod zfs_layer;
mod zfs_writes;

pub use bounds::Violation;
pub(crate) use bounds::{Received, floor};
pub(crate) use job::poisson_ios_per_s;
pub(crate) use setup::member_sizes;
pub use setup::{Setup, SetupError};

use std::time::Duration;

use stripewise_study::world::{NeverCancel, Watch};
use stripewise_units::Nanos;

use crate::adapter::Adapter;
use crate::array::barrier::Barriers;
use crate::breakdown::Waterfall;
use crate::device::Completed;
use crate::events::{Event, EventQueue};
use crate::host::{Costs, Uplink};
use crate::io::MemberBio;
use crate::record::{Done, Latencies};
use crate::slab::Slab;
use crate::steady::Batches;
use crate::units::{Instant, Sectors};
use barrier::HeldBack;
use bounds::Bounds;
use cpu::Cores;
use failure::Script;
use host_io::HostIo;
use intent::IntentWrites;
use job::Job;
use journal::FilesystemLog;
use layers::Layers;
use locks::Locks;
use members::{MemberState, Request};
use mirror_thread::MirrorThread;
use page_cache::PageCache;
use plug::Plug;
use rebuild::Rebuild;
use risk::AtRisk;
use safe_mode::SafeMode;
pub use stationarity::SameFor;
use stationarity::{MeasuredPhase, Stationarity};
use totals::Totals;

/// When a simulation ends: the same effort for every cell.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The length of a sample with a failure or a rebuild. Other samples last until the rate is
    /// known.
    pub duration: Nanos,
    /// The rate is known once half of the 95 % interval of the bandwidth is below this share of it.
    pub half_width: f64,
    /// The effort: the maximum simulated I/Os, counting those of the host and their bios at the
    /// members, and including the warm-up. A sample whose rate is not known by then ends with a
    /// warning. On flash that is simulated page by page, every 64 KiB count as one more I/O.
    pub ios_max: u64,
    /// The minimum I/Os of a window: the rate of a shorter one has no interval. At least 16.
    pub window_ios_min: u64,
}

impl Limits {
    /// The limits of every command.
    pub const DEFAULT: Self = Self {
        // md checks the pace of a rebuild every few seconds.
        duration: Nanos::from_millis(5_000),
        half_width: 0.01,
        ios_max: 1_000_000,
        window_ios_min: 64,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How a simulation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Ending {
    /// The estimate is steady, the duration is over, or the first phase has ended.
    Complete,
    /// `ios_max` came first. The sample holds at least one I/O for each queue slot, and a warning
    /// unless the rate was known by then.
    Bounded,
    /// Even one I/O for each queue slot takes far more than `ios_max`: there is no sample.
    TooLarge,
    /// The watch stopped it: there is no sample.
    Interrupted,
}

/// Steps between two checks of the watch: about a millisecond.
pub const WATCH_STEPS: u64 = 1 << 13;
/// A timed simulation may take this many times `ios_max`: a rebuild cannot be cut short, as md's
/// pace changes.
const TIMED: u64 = 8;
/// A simulation may take this many times `ios_max` until each queue slot had one I/O.
const TOO_LARGE: u64 = 2;

/// The writes of one `md_update_sb` to a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuperblockUpdate {
    /// The number of writes.
    pub writes: u64,
    /// Their sectors together.
    pub sectors: Sectors,
}

/// A stack under load.
#[derive(Debug)]
pub struct Simulation {
    now: Instant,
    /// Events handled plus bios sent.
    steps: u64,
    events: EventQueue,
    jobs: Vec<Job>,
    /// Whether a replay ends with its jobs without times.
    ends_with_untimed: bool,
    /// Whether they have ended.
    untimed_ended: bool,
    cores: Cores,
    ios: Slab<HostIo>,
    requests: Slab<Request>,
    members: Vec<MemberState>,
    layers: Layers,
    locks: Locks,
    /// Whether a worker sends the requests of a task without a plug to a device with a scheduler.
    worker_dispatches: bool,
    plug: Plug,
    costs: Costs,
    uplink: Uplink,
    adapter: Option<Adapter>,
    page_cache: PageCache,
    mirror_thread: MirrorThread,
    intent: IntentWrites,
    /// Nothing for a stack without redundancy, which has no clean state.
    safe_mode: Option<SafeMode>,
    log: FilesystemLog,
    rebuild: Option<Rebuild>,
    /// The barriers of a mirror under rebuild; `None` if it is never rebuilt.
    barriers: Option<Barriers>,
    /// The I/Os that are held back.
    held_back: Vec<HeldBack>,
    /// The failure and the repair of the array, if any.
    script: Option<Box<Script>>,
    /// Bios of the I/O that is being submitted.
    bios: Vec<MemberBio>,
    /// Requests that an event-driven device completed.
    completed: Vec<Completed>,
    /// I/Os that another one's flush served, and requests that a flush served.
    flushed: Vec<u32>,
    served: Vec<u32>,
    /// Completions that an interrupt reports.
    reported: Vec<(Instant, u32)>,
    /// Which acknowledged writes a power cut would lose; `None` unless the study asks.
    risk: Option<Box<AtRisk>>,
    totals: Totals,
    bounds: Bounds,
    stationarity: Stationarity,
}

impl Simulation {
    /// Runs until a limit is reached or `watch` stops it. Checking the watch changes no result.
    pub fn run(&mut self, limits: &Limits, watch: &mut dyn Watch) -> Ending {
        let limits = &match &mut self.script {
            Some(script) => {
                script.timeline.set_duration(limits.duration);
                script.limits(limits)
            }
            None if self.stationarity.phase == MeasuredPhase::Timed => Limits {
                ios_max: limits.ios_max.saturating_mul(TIMED),
                ..*limits
            },
            None => *limits,
        };
        self.totals.warm_up_effort = limits.ios_max / 3;
        let window_ios = &mut self.stationarity.window_ios;
        *window_ios = limits.window_ios_min.max(*window_ios);
        if !self.begin(watch) {
            return Ending::Interrupted;
        }
        self.begin_aging();
        if self.stationarity.phase == MeasuredPhase::Fresh {
            self.begin_recording();
        }
        let mut next_look = 0;
        while self.handle_events(next_look, self.stationarity.judges_each_event()) {
            if self.steps >= next_look {
                next_look = self.steps + WATCH_STEPS;
                if !watch.keep_going(Duration::from_nanos(self.now.as_nanos())) {
                    return Ending::Interrupted;
                }
                let sent = self.totals.host_ios + self.totals.bios_sent;
                if sent >= limits.ios_max.saturating_mul(TOO_LARGE) {
                    return Ending::TooLarge;
                }
                // Neighbours may be so busy that the load makes hardly any progress.
                self.totals.batch_is_full |= self.totals.ios() >= limits.ios_max;
            }
            if let Some(ending) = self.judge(limits) {
                return ending;
            }
        }
        Ending::Complete
    }

    /// Checks whether the requested time is over; returns how the simulation ends, if it does.
    #[inline]
    fn judge_timed(&mut self, limits: &Limits) -> Option<Ending> {
        if !self.totals.is_over(limits, self.now) {
            return None;
        }
        if self.totals.recording.is_none() {
            // A load slower than its warm-up is measured from here.
            self.begin_recording();
            return None;
        }
        match &self.script {
            _ if self.totals.is_bounded => Some(Ending::Bounded),
            Some(script) if script.extends_sample(self.totals.batches.ios()) => None,
            _ => Some(Ending::Complete),
        }
    }

    /// Runs exactly the first `ios` host I/Os to completion: without a warm-up, every I/O counts.
    ///
    /// An I/O that the model lost is missing in [`Simulation::host_ios`] afterwards.
    pub fn run_ios(&mut self, ios: u64) {
        self.totals.ios_left = ios;
        self.begin_recording();
        self.begin(&mut NeverCancel);
        while self.handle_events(u64::MAX, false) {
            self.totals.batch_is_full = false;
        }
    }

    /// Runs a replay of `ios` host I/Os until the last one completes: without a warm-up, every I/O
    /// counts. Returns whether it did; `watch` may stop it.
    ///
    /// If some jobs have times and others have none, it ends with the last I/O of the latter: timed jobs
    /// are load beside them, and do not extend the replay.
    ///
    /// An I/O that the model lost is missing in [`Simulation::host_ios`] afterwards.
    pub fn run_replay(&mut self, ios: u64, watch: &mut dyn Watch) -> bool {
        self.ends_with_untimed = self.jobs.iter().any(Job::is_timed) && self.has_untimed_left();
        self.begin_recording();
        if !self.begin(watch) {
            return false;
        }
        let mut next_look = 0;
        while self.totals.host_ios < ios && !self.untimed_ended {
            if self.steps >= next_look {
                next_look = self.steps + WATCH_STEPS;
                if !watch.keep_going(Duration::from_nanos(self.now.as_nanos())) {
                    return false;
                }
            }
            if !self.handle_events(next_look, true) {
                break;
            }
        }
        true
    }

    fn has_untimed_left(&self) -> bool {
        self.jobs.iter().any(Job::has_untimed_left)
    }

    /// A job is at the end of its list.
    #[cold]
    fn list_ended(&mut self) {
        self.untimed_ended = self.ends_with_untimed && !self.has_untimed_left();
    }

    /// Returns md's writes to each working member when the array turns from clean to dirty or back;
    /// `None` for an array without a dirty state.
    ///
    /// An array under load stays dirty, and turns clean only 200 ms after its last write. The model
    /// begins with a dirty array, so it omits the update that a measurement may begin with.
    pub fn superblock_update(&self) -> Option<SuperblockUpdate> {
        self.layers.superblock_update()
    }

    /// Prepares the devices and adds the first events; returns false if `watch` stopped it.
    fn begin(&mut self, watch: &mut dyn Watch) -> bool {
        let keeps_going = &mut || watch.keep_going(Duration::ZERO);
        let is_fresh = self.stationarity.phase == MeasuredPhase::Fresh;
        let spare = self.script.as_mut().and_then(|script| script.spare_mut());
        let members = self.members.iter_mut().map(|member| &mut member.device);
        if !members
            .chain(spare)
            .all(|device| device.prepare(is_fresh, keeps_going))
        {
            return false;
        }
        if self.stationarity.phase == MeasuredPhase::Steady && !self.wear_flash(keeps_going) {
            return false;
        }
        let mut at = self.now;
        for job in 0..self.page_cache.flusher {
            self.events.add(at, Event::JobReady(job));
            at += self.begins_after();
        }
        if self.rebuild.is_some() {
            self.events.add(self.now, Event::Rebuild);
        }
        true
    }

    /// Handles events until a batch of I/Os is full, there were `next_look` steps, or one by one; returns
    /// false if there are none left. One function for many events, as a call for each of them takes long.
    fn handle_events(&mut self, next_look: u64, one_by_one: bool) -> bool {
        while let Some((at, event)) = self.events.take() {
            if !self.handle(at, event) {
                return false;
            }
            if one_by_one || self.totals.batch_is_full || self.steps >= next_look {
                return true;
            }
        }
        false
    }

    /// Handles an event; returns false if it is one that only waits, and nothing else will happen.
    #[inline(always)]
    fn handle(&mut self, at: Instant, event: Event) -> bool {
        let before = std::mem::replace(&mut self.now, at);
        debug_assert!(before <= at, "{event:?} at {at:?} comes after {before:?}");
        self.steps += 1;
        match event {
            Event::RequestDone(request) => self.request_completed(request),
            Event::IoDone(io) => self.io_done(io),
            Event::JobReady(job) => self.job_ready(job),
            Event::Dispatch(chain) => self.dispatch_chain(chain),
            Event::DeviceReady(member) => self.device_ready(member),
            Event::ThreadRuns => self.thread_runs(),
            Event::Rebuild => self.rebuild(),
            Event::Script(step) => self.run_script_step(step),
            Event::Interrupt => self.interrupt(),
            Event::Reported(request) => self.request_reported(request),
            // The load has ended.
            Event::SafeMode if self.events.next_at() == Instant::NEVER => {
                self.now = before;
                return false;
            }
            Event::SafeMode => self.safe_mode_ends(),
            Event::StageEnds(io) => self.stage_ends(io),
            Event::NothingToFlush(request) => self.nothing_to_flush(request),
            Event::CoreFree => self.core_free(),
            Event::Resumes(io) => self.resumes(io),
            Event::WorkerRuns(task) => self.worker_runs(task),
            Event::JobReaps(job) => self.job_reaps(job),
            // The load has ended, and no task waits for what is dirty.
            Event::TxgTimeout if self.events.next_at() == Instant::NEVER => {
                self.now = before;
                return false;
            }
            Event::TxgTimeout => self.write_group(self.now),
            Event::LogTimeout(io) => self.log_timeout(io),
        }
        true
    }

    /// Returns the effort: the simulated I/Os of the host and their bios at the members, including
    /// the warm-up. On flash that is simulated page by page, every 64 KiB of a bio count as one
    /// more.
    pub fn ios(&self) -> u64 {
        self.totals.ios()
    }

    /// Returns the number of simulated host I/Os, including the warm-up and neighbours.
    pub fn host_ios(&self) -> u64 {
        self.totals.host_ios
    }
}

/// Returns zero totals for a simulation of `jobs`.
fn new_totals(jobs: &[Job], phase: MeasuredPhase, recorded_min: Nanos) -> Totals {
    let places = |jobs: &mut dyn Iterator<Item = &Job>| jobs.map(|job| u64::from(job.depth)).sum();
    let measured_places = places(&mut jobs.iter().filter(|job| job.is_measured));
    let places: u64 = places(&mut jobs.iter());
    Totals {
        host_ios: 0,
        ios_left: u64::MAX,
        in_flight: 0,
        warm_up_ios: match phase {
            MeasuredPhase::Timed => 2 * places + 8,
            MeasuredPhase::Steady | MeasuredPhase::Fresh => u64::MAX,
        },
        warm_up_effort: u64::MAX,
        places,
        measured_places,
        is_bounded: false,
        recording: None,
        bios_sent: 0,
        bios: 0,
        bios_before: 0,
        flash_effort: 0,
        transfers: 0,
        bytes: 0,
        read: Done::new(),
        write: Done::new(),
        sync: Latencies::new(),
        beside_bytes: 0,
        waterfall: Waterfall::new(),
        batches: Batches::new(0),
        batch_is_full: false,
        began_at: Instant::START,
        recorded_min,
    }
}
