//! Jobs: closed loops that keep their depth of I/Os in flight, within their rate limits.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use stripewise_profiles::kernel::Policy;
use stripewise_study::sample::{Part, as_f64};
use stripewise_study::workload::{Engine, Load, SyncMode};
use stripewise_units::Nanos;

use super::Simulation;
use super::beside::Beside;
use super::host_io::{Durable, HostIo, Kind};
use crate::events::Event;
use crate::io::Operation;
use crate::narrow::truncated;
use crate::random::Stream;
use crate::units::Instant;
use crate::workload::Generator;

/// How long one job takes to begin before the next one does. A guess: from 0.3 to 2 ms the results
/// of `studies/fsync.toml` are the same.
const BEGINS_AFTER: Nanos = Nanos::new(300_000);

/// One job of a load.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) generator: Generator,
    /// Whether it belongs to the measured load.
    pub(super) is_measured: bool,
    /// Whether it belongs to a neighbour of that load.
    pub(super) is_neighbour: bool,
    /// Whether its I/O goes through the page cache.
    pub(super) is_buffered: bool,
    /// Whether its reads and writes are submitted under a plug.
    pub(super) is_plugged: [bool; 2],
    /// Whether it sleeps until its I/O is done.
    pub(super) is_synchronous: bool,
    /// Whether the kernel counts its sleep as waiting for I/O (`in_iowait`).
    pub(super) waits_for_io: bool,
    /// Whether it sleeps in the plug of its writes. The scheduler of tasks then empties the plug
    /// (`io_schedule_prepare`), and lets a worker send the requests (`blk_mq_flush_plug_list` with
    /// `from_schedule`); with raid1 and raid10, the array's thread (`raid1_unplug`).
    pub(super) waits_plugged: bool,
    pub(super) depth: u32,
    /// Completed reads and writes.
    pub(super) done: u64,
    under_way: u32,
    /// Completed I/Os that it has not looked at yet, in order.
    completed: VecDeque<u32>,
    /// Whether it is on the event queue to look at the first of them.
    is_reaping: bool,
    /// Whether it sleeps in the kernel: in an `fsync`, or while it submits an I/O that waits for the
    /// stripe cache, a barrier, the superblock or the bitmap. It neither submits I/Os nor looks at
    /// completed ones.
    pub(super) is_blocked: bool,
    /// Whether it is on the event queue.
    is_scheduled: bool,
    think_time: Nanos,
    /// How many reads and writes are issued before it waits for all of them and pauses; 0: after each.
    think_blocks: u32,
    /// How many were issued since the last pause.
    since_pause: u32,
    /// How long I/Os are issued before it waits for all of them and pauses.
    think_iotime: Option<Nanos>,
    /// The end of the last pause.
    paused_until: Instant,
    not_before: Instant,
    pace: [Pace; 2],
    write_durable: Durable,
    /// The same of a replayed write with FUA, if the load does not ask for more.
    fua_durable: Durable,
    fsync_every: u32,
    /// What it has submitted, if a thread of glibc does that for it.
    queue: Option<AioQueue>,
    sync_durable: Durable,
    /// Whether it waits in an `fsync`. With the times of a replay it does not: fio then has a thread
    /// for each I/O in flight (`stripewise_fio::replay`).
    sync_blocks: bool,
    writes_since_sync: u32,
    /// The interval of a job that only syncs, beside the load.
    sync_interval: Option<Nanos>,
    /// Whether its syncs cover the changes of all files.
    pub(super) syncs_all: bool,
    /// How much of what it writes is random numbers, in percent.
    pub(super) random_percent: u64,
}

/// The queue of `posixaio`: a thread of glibc does the requests on a file one after the other, in the
/// order of their submission.
///
/// fio asks for a sync as long as no sync has completed since the latest write that one is due
/// after, so a full queue of syncs follows a full queue of writes (fio 3.33 under strace: depth 4 and
/// `fsync=1` give `pwrite64` four times, then `fsync` four times).
#[derive(Debug, Clone, Default)]
struct AioQueue {
    /// When each free place became free.
    free: VecDeque<Instant>,
    depth: u32,
    /// Syncs that are submitted and not yet begun.
    syncs_left: u32,
}

impl AioQueue {
    /// Returns the queue of a load, if its engine has one.
    fn new(load: &Load) -> Option<Self> {
        (load.engine == Engine::Posixaio).then(|| Self {
            depth: load.depth.max(1),
            ..Self::default()
        })
    }

    /// Returns after how many writes syncs follow, if one is due after each `every`.
    fn writes_between_syncs(&self, every: u32) -> u32 {
        every * self.depth.div_ceil(every.max(1))
    }

    /// Begins a sync; the first of a row brings the others.
    fn begin_sync(&mut self) {
        self.syncs_left = match self.syncs_left {
            0 => self.depth - 1,
            left => left - 1,
        };
    }

    /// Returns when the request that begins at `at` was submitted: when a place became free.
    fn submitted_at(&mut self, at: Instant) -> Instant {
        if self.free.is_empty() {
            let places = std::iter::repeat_n(at, self.depth as usize);
            self.free.extend(places);
        }
        self.free.pop_front().unwrap_or(at)
    }
}

/// How the filesystem makes the syncs of a load durable.
#[derive(Debug, Clone, Copy)]
pub(super) struct SyncCosts {
    /// For `fsync` and `O_SYNC`.
    pub(super) full: Durable,
    /// For `fdatasync` and `O_DSYNC`.
    pub(super) data: Durable,
    /// For a write that does not ask for it.
    pub(super) none: Durable,
}

/// A rate limit of one direction: fio's `rate` and `rate_iops`.
#[derive(Debug, Clone)]
struct Pace {
    bytes_per_s: u64,
    ios_per_s: u64,
    /// With `rate_process=poisson`: the mean distance of I/Os in microseconds, and the draws.
    poisson: Option<(u64, Stream)>,
    due: Instant,
}

impl Pace {
    const NONE: Self = Self {
        bytes_per_s: 0,
        ios_per_s: 0,
        poisson: None,
        due: Instant::START,
    };

    fn new(load: &Load, generator: &mut Generator) -> Self {
        let bytes_per_s = load.rate_bytes_per_s.map_or(0, |rate| rate.as_u64());
        let ios_per_s = load.rate_iops.map_or(0, |rate| u64::from(rate.get()));
        let is_poisson = !load.rate_process.is_linear();
        let poisson = is_poisson.then(|| (poisson_mean_us(load), generator.split()));
        Self {
            bytes_per_s,
            ios_per_s,
            poisson,
            due: Instant::START,
        }
    }

    fn is_limited(&self) -> bool {
        self.bytes_per_s > 0 || self.ios_per_s > 0
    }

    /// Returns when the next I/O may start after one of `bytes` at `at`.
    ///
    /// A job catches up on missed time, as in fio (`usec_for_io` counts from the start).
    fn after(&mut self, bytes: u64) -> Instant {
        let span = |amount: u64, per_s: u64| match per_s {
            0 => 0,
            per_s => {
                let ns = u128::from(amount) * 1_000_000_000 / u128::from(per_s);
                u64::try_from(ns).unwrap_or(u64::MAX)
            }
        };
        let ns = match &mut self.poisson {
            Some((mean_us, stream)) => poisson_us(*mean_us, stream).saturating_mul(1000),
            None => span(bytes, self.bytes_per_s).max(span(1, self.ios_per_s)),
        };
        self.due += Nanos::new(ns);
        self.due
    }
}

/// Returns the mean distance of the I/Os of a Poisson process, in whole microseconds as fio counts it.
fn poisson_mean_us(load: &Load) -> u64 {
    let smallest = load.block_size.sizes().into_iter().min();
    let smallest = smallest.unwrap_or_default().as_u64().max(1);
    let of_bytes = load
        .rate_bytes_per_s
        .map_or(0, |rate| rate.as_u64() / smallest);
    let of_ios = load.rate_iops.map_or(0, |rate| u64::from(rate.get()));
    1_000_000 / of_ios.max(of_bytes).max(1)
}

/// Returns the I/Os per second of a Poisson process that drops a part of a microsecond from each distance
/// ([`poisson_us`]): the mean of an exponential distribution, cut down to whole numbers.
pub(crate) fn poisson_ios_per_s(load: &Load) -> f64 {
    1e6 * libm::expm1(1.0 / as_f64(poisson_mean_us(load)))
}

/// Draws the microseconds between two I/Os of a Poisson process, cut down to whole ones as by
/// `usec_for_io` in fio's backend.c (3.33 to 3.41).
fn poisson_us(mean_us: u64, stream: &mut Stream) -> u64 {
    // Of 2^53 equal steps to 1; never 0, whose logarithm is infinite.
    let uniform = as_f64((stream.bits() >> 11) + 1) / as_f64(1 << 53);
    truncated(-libm::log(uniform) * as_f64(mean_us))
}

impl Job {
    pub(super) fn new(
        load: &Load,
        mut generator: Generator,
        is_measured: bool,
        syncs: SyncCosts,
    ) -> Self {
        let pace = [(); 2].map(|()| Pace::new(load, &mut generator));
        let fsync = load.fsync_every.map_or(0, |every| every.get());
        let fdatasync = load.fdatasync_every.map_or(0, |every| every.get());
        // Buffered libaio completes each I/O before `io_submit` returns (fio's HOWTO).
        let completes_at_once = load.engine == Engine::Libaio && !load.direct;
        let queue = AioQueue::new(load);
        let is_synchronous = load.engine.is_synchronous() || queue.is_some();
        let depth = match is_synchronous || completes_at_once {
            true => 1,
            false => load.depth.max(1),
        };
        let every = if fsync > 0 { fsync } else { fdatasync };
        let is_full_sync = fsync > 0 || generator.flushes();
        let sync_blocks = !generator.is_timed();
        let fua_durable = match generator.writes_durably() {
            true => syncs.data,
            false => Durable::No,
        };
        Self {
            generator,
            is_measured,
            is_neighbour: !is_measured,
            is_buffered: !load.direct,
            is_plugged: [true; 2],
            is_synchronous,
            waits_for_io: is_synchronous,
            waits_plugged: false,
            depth,
            done: 0,
            under_way: 0,
            completed: VecDeque::new(),
            is_reaping: false,
            is_blocked: false,
            is_scheduled: true,
            think_time: load.think_time_ns,
            think_blocks: match load.think_time_ns > Nanos::default() {
                true => load.think_blocks.map_or(0, NonZeroU32::get),
                false => 0,
            },
            since_pause: 0,
            think_iotime: load
                .think_iotime_ns
                .filter(|_| load.think_time_ns > Nanos::default()),
            paused_until: Instant::START,
            not_before: Instant::START,
            pace,
            write_durable: match load.sync {
                SyncMode::None => syncs.none,
                SyncMode::Sync => syncs.full,
                SyncMode::Dsync => syncs.data,
            },
            fua_durable,
            fsync_every: queue
                .as_ref()
                .map_or(every, |queue| queue.writes_between_syncs(every)),
            queue,
            random_percent: 0,
            sync_durable: if is_full_sync { syncs.full } else { syncs.data },
            sync_blocks,
            writes_since_sync: 0,
            sync_interval: None,
            syncs_all: false,
        }
    }

    /// Follows the rules for direct I/O on a device without a filesystem.
    pub(super) fn goes_to_device(&mut self, policy: &Policy) {
        self.is_plugged = policy.raw_plug.of_reads_and_writes(self.is_synchronous);
        self.waits_plugged = self.is_synchronous && self.is_plugged[1];
        if self.write_durable == Durable::Flush && policy.raw_dsync_is_fua && !self.is_synchronous {
            self.write_durable = Durable::Fua;
        }
        if self.fua_durable == Durable::Flush {
            self.fua_durable = Durable::Fua;
        }
    }

    /// Returns a job that only does calls beside the load; this one is the template.
    pub(super) fn beside(&self, call: &Beside) -> Self {
        Self {
            is_measured: false,
            is_neighbour: false,
            is_buffered: call.writes_back,
            is_synchronous: true,
            waits_for_io: true,
            waits_plugged: false,
            depth: 1,
            queue: None,
            think_time: Nanos::default(),
            think_blocks: 0,
            since_pause: 0,
            think_iotime: None,
            not_before: Instant::START + call.every,
            pace: [Pace::NONE; 2],
            write_durable: Durable::No,
            fua_durable: Durable::No,
            fsync_every: 1,
            sync_durable: call.durable,
            writes_since_sync: 1,
            sync_interval: Some(call.every),
            syncs_all: call.is_of_all,
            ..self.clone()
        }
    }

    /// Makes the job wait after an I/O that completes `now`: after each, or after the last of a burst
    /// (`handle_thinktime` in fio's `backend.c`).
    fn pause_after(&mut self, kind: Kind, now: Instant) {
        let in_bursts = self.think_blocks > 0 || self.think_iotime.is_some();
        if !in_bursts && kind != Kind::Sync {
            self.not_before = self.not_before.max(now + self.think_time);
        } else if self.is_burst_over(now) && self.under_way == 0 {
            self.since_pause = 0;
            self.not_before = self.not_before.max(now + self.think_time);
            self.paused_until = self.not_before;
        }
    }

    /// Returns whether a whole burst was issued. fio then waits for its I/Os (`io_u_quiesce`).
    fn is_burst_over(&self, now: Instant) -> bool {
        let by_count = self.think_blocks > 0 && self.since_pause >= self.think_blocks;
        let by_time = |time: Nanos| now >= self.paused_until + time;
        by_count || self.think_iotime.is_some_and(by_time)
    }

    /// Makes a job beside the load wait for the next multiple of its interval.
    fn wait_for_interval(&mut self, now: Instant) {
        if let Some(every) = self.sync_interval {
            let every = every.as_u64().max(1);
            let next = (now.as_nanos() / every + 1).saturating_mul(every);
            self.not_before = Instant::from_nanos(next);
            self.writes_since_sync = self.fsync_every;
        }
    }

    /// Returns whether it replays I/Os with times.
    pub(super) fn is_timed(&self) -> bool {
        self.generator.is_timed()
    }

    /// Returns whether it replays I/Os without times, and is not done.
    pub(super) fn has_untimed_left(&self) -> bool {
        let is_own = self.is_measured && !self.is_timed();
        is_own && (self.generator.has_left() || self.under_way > 0)
    }

    /// Returns whether any of its I/Os makes the filesystem commit.
    pub(super) fn commits(&self) -> bool {
        let syncs = self.fsync_every > 0 || self.generator.flushes();
        let writes = [self.write_durable, self.fua_durable];
        syncs && self.sync_durable == Durable::Commit || writes.contains(&Durable::Commit)
    }

    /// Returns whether any of its I/Os flushes the stack.
    pub(super) fn syncs(&self) -> bool {
        let writes = [self.write_durable, self.fua_durable];
        self.fsync_every > 0 || self.generator.flushes() || writes != [Durable::No; 2]
    }

    fn wants_sync(&self) -> bool {
        let is_in_a_row = self
            .queue
            .as_ref()
            .is_some_and(|queue| queue.syncs_left > 0);
        self.fsync_every > 0 && (is_in_a_row || self.writes_since_sync >= self.fsync_every)
    }
}

impl Simulation {
    /// Runs a job that was scheduled for now.
    #[inline(never)]
    pub(super) fn job_ready(&mut self, job: u32) {
        self.jobs[job as usize].is_scheduled = false;
        match job == self.log.thread {
            true => self.commit_runs(),
            false => self.issue(job),
        }
    }

    /// Returns how long after a job the next one begins. Which jobs meet in a flush or a commit would
    /// follow from a common beginning; fio starts them one after the other (`run_threads`).
    pub(super) fn begins_after(&self) -> Nanos {
        let jobs = &self.jobs[..self.page_cache.flusher as usize];
        match jobs.iter().any(Job::syncs) {
            true => BEGINS_AFTER,
            false => Nanos::default(),
        }
    }

    /// Returns an I/O to its job, which continues.
    #[inline(always)]
    pub(super) fn io_done(&mut self, io: u32) {
        let host_io = &self.ios[io];
        let (number, kind) = (host_io.job, host_io.kind);
        if kind == Kind::Write && number == self.page_cache.flusher {
            if self.page_cache.records.is_some() {
                self.group_write_done(io);
                return;
            }
            let length = self.ios[io].length;
            self.layers.write_ended(self.now, &self.ios[io]);
            self.ios.remove(io);
            self.write_back_done(length);
            return;
        }
        if kind == Kind::ReadAhead {
            self.read_ahead_done(io);
            return;
        }
        if !self.runs_or_waits(number, Event::IoDone(io)) {
            return;
        }
        if self.is_kernel_task(number) {
            self.commit_continues(io);
        } else if !self.is_reaped_later(io, number) {
            self.reap(io, number);
        }
    }

    /// Returns whether a job looks at an I/O only after other work. fio asks for one completed I/O
    /// at a time (`iodepth_batch_complete_max` is 1), and submits the next one before it asks again
    /// (`do_io`, `wait_for_completions` in backend.c). Its clock stops when it has got the I/O
    /// (`init_icd`).
    #[inline(always)]
    fn is_reaped_later(&mut self, io: u32, number: u32) -> bool {
        let free = self.cores.free(number);
        let job = &mut self.jobs[number as usize];
        let is_sync = self.ios[io].kind == Kind::Sync;
        job.is_blocked &= !(is_sync && job.sync_blocks);
        if free <= self.now && !job.is_blocked && (is_sync || job.completed.is_empty()) {
            return false;
        }
        match is_sync {
            true => job.completed.push_front(io),
            false => job.completed.push_back(io),
        }
        self.ios[io].wait_since(self.now);
        self.reap_next(number);
        true
    }

    /// Has a job look at its next completed I/O, if there is one, after its present work; it keeps
    /// its core until then. A job that sleeps in the kernel looks at none.
    #[inline(always)]
    fn reap_next(&mut self, number: u32) {
        let job = &mut self.jobs[number as usize];
        if job.is_reaping || job.is_blocked || job.completed.is_empty() {
            return;
        }
        job.is_reaping = true;
        let free = self.cores.hold(number, self.now);
        self.events.add(free, Event::JobReaps(number));
    }

    /// Lets a job go on that slept while it submitted an I/O.
    pub(super) fn unblock(&mut self, number: u32) {
        self.jobs[number as usize].is_blocked = false;
        if !self.is_kernel_task(number) {
            self.events.add(self.now, Event::JobReady(number));
            self.reap_next(number);
        }
    }

    /// Lets a job look at its next completed I/O, unless its core has other work.
    pub(super) fn job_reaps(&mut self, number: u32) {
        if !self.runs_or_waits(number, Event::JobReaps(number)) {
            return;
        }
        let job = &mut self.jobs[number as usize];
        job.is_reaping = false;
        if job.is_blocked {
            return;
        }
        if self.cores.free(number) > self.now {
            self.reap_next(number);
            return;
        }
        let Some(io) = self.jobs[number as usize].completed.pop_front() else {
            return;
        };
        self.ios[io].add_wait(Part::Completion, self.now);
        self.reap(io, number);
    }

    /// Gives a completed I/O to its job, which goes on.
    #[inline(never)]
    fn reap(&mut self, io: u32, number: u32) {
        let host_io = &self.ios[io];
        let kind = host_io.kind;
        let job = &mut self.jobs[number as usize];
        job.under_way -= 1;
        job.done += u64::from(kind != Kind::Sync);
        if let Some(queue) = &mut job.queue {
            queue.free.push_back(self.now);
        }
        if kind == Kind::Sync {
            job.wait_for_interval(self.now);
        }
        if job.think_time > Nanos::default() {
            job.pause_after(kind, self.now);
        }
        self.totals.host_ios += 1;
        self.totals.in_flight -= 1;
        self.bounds.done[usize::from(kind == Kind::Write)] += host_io.length.get();
        if kind == Kind::Write && !job.is_buffered {
            self.layers.write_ended(self.now, host_io);
        }
        if job.is_measured {
            self.totals.record(host_io, self.now);
            if self.risk.is_some() {
                self.note_return(io);
            }
            if self.script.is_some() {
                self.record_in_script(io);
            }
            if self.totals.recording.is_none() && self.totals.is_warm() {
                self.begin_recording();
            }
        } else if job.is_neighbour {
            self.totals.record_beside(host_io);
        }
        self.ios.remove(io);
        self.issue(number);
        self.reap_next(number);
    }

    /// Issues I/Os of a job until its depth is reached or it has to wait.
    #[inline(always)]
    fn issue(&mut self, number: u32) {
        loop {
            let job = &mut self.jobs[number as usize];
            if job.under_way >= job.depth || job.is_blocked || self.totals.ios_left == 0 {
                return;
            }
            if job.under_way > 0 && job.is_burst_over(self.now) {
                return;
            }
            job.not_before = job.not_before.max(job.generator.due());
            if job.not_before > self.now {
                if !job.is_scheduled {
                    job.is_scheduled = true;
                    self.events.add(job.not_before, Event::JobReady(number));
                }
                return;
            }
            if !self.runs_or_waits(number, Event::JobReady(number)) {
                return;
            }
            let at = self.cores.free(number).max(self.now);
            let due = self.jobs[number as usize].not_before;
            let next = match self.jobs[number as usize].wants_sync() {
                true => Some((self.next_sync(number, at), at)),
                false => self.next_io(number, at),
            };
            let Some((io, at)) = next else {
                return self.list_ended();
            };
            let job = &mut self.jobs[number as usize];
            job.under_way += 1;
            if job.queue.is_some() {
                self.wait_in_queue(io, due, at);
            }
            self.totals.in_flight += 1;
            self.totals.ios_left -= 1;
            let host_io = &self.ios[io];
            let (kind, length) = (host_io.kind, host_io.length);
            self.bounds.asked[usize::from(kind == Kind::Write)] += length.get();
            if self.risk.is_some() {
                self.note_issue(io);
            }
            self.begin_io(io, at);
        }
    }

    /// Returns the next I/O, and when it begins, which is after fio has made its data (`get_io_u`);
    /// `None` if the whole replay was issued.
    #[inline(always)]
    fn next_io(&mut self, number: u32, at: Instant) -> Option<(u32, Instant)> {
        let job = &mut self.jobs[number as usize];
        let request = job.generator.draw(self.now)?;
        if request.operation == Operation::Flush {
            return Some((self.next_sync(number, at), at));
        }
        let job = &mut self.jobs[number as usize];
        let (kind, durable) = match request.operation {
            Operation::Read => (Kind::Read, Durable::No),
            _ if request.is_durable && job.write_durable == Durable::No => {
                (Kind::Write, job.fua_durable)
            }
            _ => (Kind::Write, job.write_durable),
        };
        job.writes_since_sync += u32::from(kind == Kind::Write);
        job.since_pause += u32::from(job.think_blocks > 0);
        let pace = &mut job.pace[usize::from(kind == Kind::Write)];
        if pace.is_limited() {
            let due = pace.after(request.length.bytes().as_u64());
            job.not_before = job.not_before.max(due);
        }
        let fill = job.random_percent * self.costs.fill_page.as_u64() / 100;
        let at = match kind {
            Kind::Write if fill > 0 => {
                let pages = request.length.get().div_ceil(8);
                self.cores.work(number, at, Nanos::new(pages * fill))
            }
            _ => at,
        };
        let (io, host_io) = self.claim_io(number, kind, durable, at);
        host_io.start = request.start;
        host_io.length = request.length;
        Some((io, at))
    }

    /// Counts the time from an I/O's submission, not before it was `due`, to its beginning at `at`, if
    /// a thread of glibc does the job's requests one after the other.
    #[inline(always)]
    fn wait_in_queue(&mut self, io: u32, due: Instant, at: Instant) {
        let job = &mut self.jobs[self.ios[io].job as usize];
        if let Some(queue) = &mut job.queue {
            let submitted = queue.submitted_at(at).max(due).min(at);
            self.ios[io].waits_in_queue(submitted, at);
        }
    }

    /// Returns an `fsync`, which blocks the calling thread regardless of I/O in flight
    /// ([`Job::sync_blocks`]).
    fn next_sync(&mut self, number: u32, at: Instant) -> u32 {
        let job = &mut self.jobs[number as usize];
        job.writes_since_sync = 0;
        job.is_blocked |= job.sync_blocks;
        if let Some(queue) = &mut job.queue {
            queue.begin_sync();
        }
        let durable = job.sync_durable;
        self.claim_io(number, Kind::Sync, durable, at).0
    }

    /// Returns a new I/O of the write-back job.
    pub(super) fn claim_write_back(&mut self, flusher: u32, at: Instant) -> u32 {
        self.claim_io(flusher, Kind::Write, Durable::No, at).0
    }

    /// Returns a new I/O for a window of read-ahead.
    pub(super) fn claim_read_ahead(&mut self, job: u32, at: Instant) -> u32 {
        self.claim_io(job, Kind::ReadAhead, Durable::No, at).0
    }

    #[inline(always)]
    pub(super) fn claim_io(
        &mut self,
        job: u32,
        kind: Kind,
        durable: Durable,
        at: Instant,
    ) -> (u32, &mut HostIo) {
        let (io, host_io) = self.ios.claim(|| HostIo::new(job, kind, durable, at));
        host_io.renew(job, kind, durable, at);
        (io, host_io)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use stripewise_study::load::RateProcess;
    use stripewise_study::workload::Pattern;
    use stripewise_units::Bytes;

    use super::*;
    use crate::random::Component;
    use crate::units::Sectors;

    /// fio drops a part of a microsecond from each distance. With the engine `null`, fio 3.33 does
    /// 20,031 I/Os a second where 20,000 are asked for, 104,947 for 100,000, and 180,495 for 150,000.
    #[test]
    fn a_poisson_process_has_the_rate_of_fio() {
        for (rate, mean_us) in [
            (1000, 1000.0),
            (20_000, 50.0),
            (100_000, 10.0),
            (150_000, 6.0),
        ] {
            let mut load = Load::new(Pattern::RandRead, Bytes::new(4096), Bytes::new(1 << 30));
            load.rate_iops = NonZeroU32::new(rate);
            load.rate_process = RateProcess::Poisson;
            let stream = Stream::child(1, Component::Job(0));
            let mut generator = Generator::new(&load, Sectors::default(), stream);
            let mut pace = Pace::new(&load, &mut generator);
            let ends = (0..200_000).map(|_| pace.after(4096).as_nanos());
            let seconds = as_f64(ends.max().unwrap()) / 1e9;
            let (found, expected) = (2e5 / seconds, 1e6 * f64::exp_m1(1.0 / mean_us));
            assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        }
    }
}
