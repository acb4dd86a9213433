//! The simulation: host I/Os go down the layers, requests come back up, in virtual time.
//!
//! ```text
//!  job --> stage of an I/O --> volume --> array --> plug --> member queue --> device
//!   ^                                                                          |
//!   +---- wake-up <---- completion on the job's CPU <---- array's books <------+
//! ```
//!
//! Everything that is under way lives in slabs; an event names a place in one. Submission is done at
//! the instant a job calls: md decides on the state of that instant, and the CPU time of the layers
//! decides when the requests leave the plug. Events of one instant happen in the order in which
//! they were made.

mod barrier;
mod books;
mod bounds;
mod cpu;
mod failure;
mod host_io;
mod job;
mod layers;
mod members;
mod page_cache;
mod plug;
mod proof;
mod rebuild;
mod scheduler;
mod setup;
mod size;
mod skip;

pub use bounds::Violation;
pub(crate) use setup::member_sizes;
pub use setup::{Setup, SetupError};

use std::time::Duration;

use stripewise_study::units::Nanos;
use stripewise_study::world::{NeverCancel, Watch};

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
use books::Books;
use bounds::Bounds;
use failure::Script;
use host_io::HostIo;
use job::Job;
use layers::Layers;
use members::{MemberState, Request};
use page_cache::PageCache;
use plug::Plug;
use proof::{Course, Proof};
use rebuild::Rebuild;

/// When a simulation ends: one effort for every question.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long a sample is in which something happens to the array: a failure, a rebuild. The others
    /// are as long as it takes to know the rate.
    pub duration: Nanos,
    /// Half of the 95 % interval of the bandwidth over the bandwidth at which it is known well enough.
    pub half_width: f64,
    /// The effort: the most simulated I/Os, those of the host and the bios that they become at the
    /// members, the warm-up among them. A sample that has not said enough by then ends, and says so.
    /// Flash that is simulated page by page has as much to do as for one more I/O with every 64 KiB.
    pub ios_max: u64,
}

impl Limits {
    /// What every command takes.
    pub const DEFAULT: Self = Self {
        // md looks at the pace of a rebuild every few seconds.
        duration: Nanos::from_millis(5_000),
        half_width: 0.01,
        ios_max: 1_000_000,
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
    /// `ios_max` came first. The sample holds at least one I/O for each place of the queues, and a
    /// warning unless the rate was known by then.
    Bounded,
    /// Even one I/O for each place of the queues takes far more than `ios_max`: there is no sample.
    TooLarge,
    /// The watch said stop: there is no sample.
    Interrupted,
}

/// How many steps pass between two looks at the watch: about a millisecond.
const WATCH_STEPS: u64 = 1 << 13;
/// How many times `ios_max` the time of a rebuild may take: it cannot be cut short, as md's pace changes.
const TIMED: u64 = 8;
/// How many times `ios_max` a simulation may take until each place of the queues had one I/O.
const TOO_LARGE: u64 = 2;

/// What one `md_update_sb` writes to a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuperblockUpdate {
    /// How many writes.
    pub writes: u64,
    /// Their sectors together.
    pub sectors: Sectors,
}

/// A stack under load.
#[derive(Debug)]
pub struct Simulation {
    now: Instant,
    /// Events that happened, and bios that were sent.
    steps: u64,
    events: EventQueue,
    jobs: Vec<Job>,
    ios: Slab<HostIo>,
    requests: Slab<Request>,
    members: Vec<MemberState>,
    layers: Layers,
    plug: Plug,
    costs: Costs,
    uplink: Uplink,
    page_cache: PageCache,
    rebuild: Option<Rebuild>,
    /// What a mirror holds back while it is rebuilt; nothing if it never is.
    barriers: Option<Barriers>,
    /// The I/Os that are held back.
    held_back: Vec<HeldBack>,
    /// What is to happen to the array.
    script: Option<Box<Script>>,
    /// Bios of the I/O that is being submitted.
    bios: Vec<MemberBio>,
    /// Requests that a device which keeps its own time completed.
    completed: Vec<Completed>,
    books: Books,
    bounds: Bounds,
    proof: Proof,
}

impl Simulation {
    /// Runs until `limits` say that it is enough, or `watch` says stop. Looking at the watch changes
    /// no result.
    pub fn run(&mut self, limits: &Limits, watch: &mut dyn Watch) -> Ending {
        let limits = &match &mut self.script {
            Some(script) => {
                script.timeline.set_duration(limits.duration);
                script.limits(limits)
            }
            None if self.proof.course == Course::Timed => Limits {
                ios_max: limits.ios_max.saturating_mul(TIMED),
                ..*limits
            },
            None => *limits,
        };
        self.books.warm_up_effort = limits.ios_max / 3;
        if !self.begin(watch) {
            return Ending::Interrupted;
        }
        if self.proof.course == Course::Fresh {
            self.begin_recording();
        }
        let mut next_look = 0;
        while self.step() {
            if self.steps >= next_look {
                next_look = self.steps + WATCH_STEPS;
                if !watch.keep_going(Duration::from_nanos(self.now.as_nanos())) {
                    return Ending::Interrupted;
                }
                let sent = self.books.host_ios + self.books.bios_sent;
                if sent >= limits.ios_max.saturating_mul(TOO_LARGE) {
                    return Ending::TooLarge;
                }
                // Neighbours may be so busy that the load hardly gets to do anything.
                self.books.batch_is_full |= self.books.ios() >= limits.ios_max;
            }
            if let Some(ending) = self.judge(limits) {
                return ending;
            }
        }
        Ending::Complete
    }

    /// Looks whether the time that was asked for is over; returns how the simulation ends, if it does.
    #[inline]
    fn judge_timed(&mut self, limits: &Limits) -> Option<Ending> {
        if !self.books.is_over(limits, self.now) {
            return None;
        }
        if self.books.recording.is_none() {
            // What is slower than its warm-up is measured from here.
            self.begin_recording();
            return None;
        }
        match &self.script {
            _ if self.books.is_bounded => Some(Ending::Bounded),
            Some(script) if script.goes_on(self.books.batches.ios()) => None,
            _ => Some(Ending::Complete),
        }
    }

    /// Runs the first `ios` host I/Os to their end, and nothing else: no warm-up, every I/O counts.
    ///
    /// An I/O that the model lost is missing in [`Simulation::host_ios`] afterwards.
    pub fn run_ios(&mut self, ios: u64) {
        self.books.ios_left = ios;
        self.begin_recording();
        self.begin(&mut NeverCancel);
        while self.step() {}
    }

    /// Runs a replay of `ios` host I/Os until the last one is complete: no warm-up, every I/O counts.
    ///
    /// An I/O that the model lost is missing in [`Simulation::host_ios`] afterwards.
    pub fn run_replay(&mut self, ios: u64) {
        self.begin_recording();
        self.begin(&mut NeverCancel);
        while self.books.host_ios < ios && self.step() {}
    }

    /// Returns what md writes to each working member whenever the array turns from clean to dirty or
    /// back; nothing for an array that keeps no account of that.
    ///
    /// The model leaves these writes out: an array under load stays dirty, and one turns clean 200 ms
    /// after its last write.
    pub fn superblock_update(&self) -> Option<SuperblockUpdate> {
        self.layers.superblock_update()
    }

    /// Prepares the devices and adds the first events; returns false if `watch` said stop.
    fn begin(&mut self, watch: &mut dyn Watch) -> bool {
        let keeps_going = &mut || watch.keep_going(Duration::ZERO);
        let is_fresh = self.proof.course == Course::Fresh;
        let spare = self.script.as_mut().and_then(|script| script.spare_mut());
        let members = self.members.iter_mut().map(|member| &mut member.device);
        if !members
            .chain(spare)
            .all(|device| device.prepare(is_fresh, keeps_going))
        {
            return false;
        }
        if self.proof.course == Course::Steady && !self.wear_flash(keeps_going) {
            return false;
        }
        for job in 0..self.page_cache.flusher {
            self.events.add(self.now, Event::JobReady(job));
        }
        if self.rebuild.is_some() {
            self.events.add(self.now, Event::Rebuild);
        }
        true
    }

    /// Lets the next event happen; returns false if there is none.
    #[inline]
    fn step(&mut self) -> bool {
        let Some((at, event)) = self.events.take() else {
            return false;
        };
        self.now = at;
        self.steps += 1;
        match event {
            Event::RequestDone(request) => self.request_done(request),
            Event::IoDone(io) => self.io_done(io),
            Event::JobReady(job) => self.job_ready(job),
            Event::Dispatch(chain) => self.dispatch_chain(chain),
            Event::DeviceReady(member) => self.device_ready(member),
            Event::ThreadRuns => self.thread_runs(),
            Event::Rebuild => self.rebuild(),
            Event::Script(step) => self.script_goes_on(step),
        }
        true
    }

    /// Returns the effort: how many I/Os were simulated, those of the host and the bios that they became at
    /// the members, the warm-up among them; on flash that is simulated page by page one more for every
    /// 64 KiB of a bio.
    pub fn ios(&self) -> u64 {
        self.books.ios()
    }

    /// Returns how many host I/Os were simulated, the warm-up and neighbours among them.
    pub fn host_ios(&self) -> u64 {
        self.books.host_ios
    }
}

/// Returns empty books for a simulation of `jobs`.
fn new_books(jobs: &[Job], course: Course) -> Books {
    let places = |jobs: &mut dyn Iterator<Item = &Job>| jobs.map(|job| u64::from(job.depth)).sum();
    let measured_places = places(&mut jobs.iter().filter(|job| job.is_measured));
    let places: u64 = places(&mut jobs.iter());
    Books {
        host_ios: 0,
        ios_left: u64::MAX,
        in_flight: 0,
        warm_up_ios: match course {
            Course::Timed => 2 * places + 8,
            Course::Steady | Course::Fresh => u64::MAX,
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
        waterfall: Waterfall::new(),
        batches: Batches::new(0),
        batch_is_full: false,
        began_at: Instant::START,
    }
}
