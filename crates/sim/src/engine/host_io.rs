//! The life of a host I/O: stages one after the other, each of which may send many requests at
//! once.

use stripewise_study::sample::Part;
use stripewise_units::Nanos;

use super::Simulation;
use super::layers::{LOGICAL_BLOCK, METADATA_TAG, Mapping, SubmittedIo};
use super::members::{NONE, Owner, Request};
use super::page_cache;
use crate::breakdown::Parts;
use crate::events::Event;
use crate::io::{Flags, Member, MemberBio, Operation};
use crate::units::{Instant, Sectors};

/// The most pages of direct I/O on a raw device that `blkdev_direct_IO` (block/fops.c) sends as one
/// bio, without a plug of its own (`BIO_MAX_VECS`); `__blkdev_direct_IO` sends more, with one.
const ONE_BIO_PAGES_MAX: u64 = 256;

/// What a job requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Sync,
    /// A window of read-ahead, which no job requested.
    ReadAhead,
}

/// The current stage of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The bitmap or the superblock is written on all members.
    Bitmap,
    /// The data moves.
    Data,
    /// The journal's descriptor and metadata blocks are written.
    Journal,
    /// What came before a commit is flushed, so that the commit cannot become durable before it.
    Preflush,
    /// The journal's commit block, or a log buffer, is written.
    Commit,
    /// The devices that hold a block of ZFS's intent log are flushed.
    LogFlush,
    /// The rest of a record is read, of which a write changes a part.
    Fill,
    /// Everything is flushed.
    Flush,
}

/// How a write becomes durable before it returns, or how an `fsync` does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durable {
    /// Nothing.
    No,
    /// Write-back, and no more: a `sync` without a filesystem.
    Written,
    /// The data itself goes with `REQ_FUA`.
    Fua,
    /// A flush.
    Flush,
    /// A commit of the filesystem's log.
    Commit,
}

/// One I/O of a job.
#[derive(Debug)]
pub(super) struct HostIo {
    pub(super) job: u32,
    pub(super) kind: Kind,
    pub(super) durable: Durable,
    pub(super) start: Sectors,
    pub(super) length: Sectors,
    pub(super) submitted: Instant,
    pub(super) parts: Parts,
    /// The page of its file that a buffered read has reached.
    pub(super) page: u64,
    /// Whether a task waits for its writes (`REQ_SYNC`).
    pub(super) is_sync: bool,
    pub(super) stage: Stage,
    stage_began: Instant,
    /// Requests of this stage in flight.
    remaining: u32,
    /// Requests of this stage.
    requests: u32,
    /// Times of the requests of this stage, summed over them.
    spent: Spent,
    last_done: Instant,
    completed: Instant,
    /// Whether the job's CPU was idle when a request completed.
    wakes: bool,
    /// The barrier that it passed, or [`NONE`].
    barrier: u32,
    /// Whether this stage counts as a write under way to the array.
    is_counted_write: bool,
    cpu: LayerCpu,
    /// When its task has submitted it, on a parity array.
    sent: Instant,
    pub(super) parity: ParityTimes,
    /// How much its commit writes.
    commit: Sectors,
    /// How much of it is marked in the bitmap.
    pub(super) marked: Sectors,
}

/// When the members worked for an I/O on a parity array.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParityTimes {
    pub(super) read_began: Instant,
    pub(super) read_ended: Instant,
    pub(super) write_began: Instant,
    pub(super) write_ended: Instant,
}

impl ParityTimes {
    const NONE: ParityTimes = ParityTimes {
        read_began: Instant::NEVER,
        read_ended: Instant::START,
        write_began: Instant::NEVER,
        write_ended: Instant::START,
    };
}

/// Times of requests below the plug.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    plugged: u64,
    block_queue: u64,
    device_queue: u64,
    service: u64,
    link: u64,
    uplink: u64,
    adapter: u64,
}

/// CPU time of one submission by layer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LayerCpu {
    pub(super) submit: Nanos,
    pub(super) volume: Nanos,
    pub(super) array: Nanos,
    pub(super) block: Nanos,
}

impl LayerCpu {
    fn sum(&self) -> u64 {
        self.submit.as_u64() + self.below_submit()
    }

    fn below_submit(&self) -> u64 {
        self.volume.as_u64() + self.array.as_u64() + self.block.as_u64()
    }
}

/// The place of the superblock: before the data, so a disk's arm moves to the disk's start.
const SUPERBLOCK: Sectors = Sectors::new(8);

/// How md writes its own data (`md_super_write`).
pub(super) const DURABLE: Flags = Flags {
    sync: true,
    preflush: true,
    fua: true,
};

impl HostIo {
    pub(super) fn new(job: u32, kind: Kind, durable: Durable, at: Instant) -> Self {
        Self {
            job,
            kind,
            durable,
            start: Sectors::default(),
            length: Sectors::default(),
            submitted: at,
            parts: Parts::default(),
            page: 0,
            is_sync: true,
            stage: Stage::Data,
            stage_began: at,
            remaining: 0,
            requests: 0,
            spent: Spent::default(),
            last_done: at,
            completed: at,
            wakes: false,
            barrier: NONE,
            is_counted_write: false,
            cpu: LayerCpu::default(),
            sent: at,
            parity: ParityTimes::NONE,
            commit: Sectors::default(),
            marked: Sectors::default(),
        }
    }

    /// Reuses the entry for a new I/O.
    #[inline(always)]
    pub(super) fn renew(&mut self, job: u32, kind: Kind, durable: Durable, at: Instant) {
        self.job = job;
        self.kind = kind;
        self.durable = durable;
        self.start = Sectors::default();
        self.length = Sectors::default();
        self.submitted = at;
        self.parts = Parts::default();
        self.is_sync = true;
        self.marked = Sectors::default();
    }

    pub(super) fn begin(&mut self, stage: Stage, at: Instant) {
        self.stage = stage;
        self.stage_began = at;
        self.remaining = 0;
        self.requests = 0;
        self.wakes = false;
        self.spent = Spent::default();
    }

    /// Returns whether all members are being flushed for it.
    pub(super) const fn is_flushing(&self) -> bool {
        matches!(self.stage, Stage::Preflush | Stage::Flush)
    }

    /// Returns when it woke, or wakes: `wake` after `at` if it slept.
    pub(super) fn woken(&self, at: Instant, wake: Nanos) -> Instant {
        match self.wakes {
            true => at + wake,
            false => at,
        }
    }

    /// Returns whether it is a write that has sent nothing yet.
    pub(super) fn is_new_write(&self) -> bool {
        self.kind == Kind::Write && self.requests == 0
    }

    /// Returns whether the journal's blocks are being written.
    pub(super) const fn is_writing_blocks(&self) -> bool {
        matches!(self.stage, Stage::Journal)
    }

    /// Sets how much its commit writes.
    pub(super) fn set_commit(&mut self, length: Sectors) {
        self.commit = length;
    }

    /// Returns how much its commit writes.
    pub(super) fn commit(&self) -> Sectors {
        self.commit
    }

    /// Ends a stage at `at`, or as it begins, for which it sent nothing.
    pub(super) fn ends_without_request(&mut self, at: Instant) {
        self.wakes = true;
        self.last_done = self.resume_at(at);
        self.completed = self.last_done;
    }

    /// Starts a wait at `at`.
    pub(super) fn wait_since(&mut self, at: Instant) {
        self.stage_began = at;
    }

    /// Counts its time in the program's queue.
    pub(super) fn waits_in_queue(&mut self, submitted: Instant, begins: Instant) {
        self.submitted = submitted;
        self.parts.add(Part::AioQueue, begins.since(submitted));
    }

    /// Returns when it can resume if its wait ends at `at`: the wait may begin only after that.
    pub(super) fn resume_at(&self, at: Instant) -> Instant {
        self.stage_began.max(at)
    }

    /// Returns how long it waited until `at`.
    pub(super) fn waited(&self, at: Instant) -> Nanos {
        at.since(self.stage_began)
    }

    /// Returns whether its completion found the job's CPU idle.
    pub(super) fn wakes(&self) -> bool {
        self.wakes
    }

    /// Adds the wait that ended at `at`.
    pub(super) fn add_wait(&mut self, part: Part, at: Instant) {
        self.parts.add(part, at.since(self.stage_began));
    }

    /// Adds the time that the array's thread took to send the requests of this stage: until `at`.
    pub(super) fn waited_for_thread(&mut self, part: Part, at: Instant) {
        let given = self.stage_began + Nanos::new(self.cpu.sum());
        let waited = at.since(given);
        self.parts.add(part, waited);
        self.stage_began += waited;
    }

    /// Returns whether this stage counts as a write under way to the array.
    pub(super) const fn is_counted_write(&self) -> bool {
        self.is_counted_write
    }

    /// Sets whether this stage counts as a write under way to the array.
    pub(super) fn count_write(&mut self, counts: bool) {
        self.is_counted_write = counts;
    }

    /// Records the barrier that it passed.
    pub(super) fn pass_barrier(&mut self, barrier: u32) {
        self.barrier = barrier;
    }

    /// Counts a request of this stage.
    #[inline]
    pub(super) fn add_request(&mut self) {
        self.remaining += 1;
        self.requests += 1;
    }

    /// Adds bios to wait for.
    pub(super) fn expect_more(&mut self, bios: u32) {
        self.remaining += bios;
    }

    /// Adds the times of one request to its stage.
    #[inline(always)]
    fn request_done(&mut self, request: &Request, now: Instant) {
        let spent = &mut self.spent;
        spent.plugged += request.dispatched.since(self.stage_began).as_u64();
        spent.block_queue += request.sent.since(request.dispatched).as_u64();
        spent.device_queue += request.service.queued.as_u64();
        spent.service += request.service.served.as_u64();
        spent.link += request.service.link.as_u64();
        let carried = now.min(request.at_adapter);
        spent.uplink += carried.since(request.service.done).as_u64();
        spent.adapter += now.since(carried).as_u64();
        self.last_done = now;
        self.remaining -= 1;
    }

    /// Adds the stage to the I/O's parts: the mean over its requests, and the excess of the last
    /// one.
    #[inline(always)]
    fn close_stage(&mut self) {
        let total = self.last_done.since(self.stage_began).as_u64();
        let completion = self.completed.since(self.last_done);
        self.parts.add(Part::Completion, completion);
        let whole = match self.stage {
            Stage::Bitmap => Some(Part::Bitmap),
            Stage::Journal | Stage::Commit => Some(Part::Journal),
            Stage::Preflush | Stage::Flush | Stage::LogFlush => Some(Part::Flush),
            Stage::Fill => Some(Part::ReadModifyWrite),
            Stage::Data => None,
        };
        if let Some(part) = whole {
            self.parts.add(part, Nanos::new(total));
            return;
        }
        if self.requests == 0 {
            self.close_parity_stage(total);
            return;
        }
        let count = u64::from(self.requests);
        // A division takes longer than all else here, and mirrors have two requests.
        let mean = |sum: u64| match count.is_power_of_two() {
            true => sum >> count.trailing_zeros(),
            false => sum / count,
        };
        let spent = self.spent;
        let plugged = mean(spent.plugged);
        self.add_cpu(plugged);
        let below = [
            (Part::BlockQueue, mean(spent.block_queue)),
            (Part::DeviceQueue, mean(spent.device_queue)),
            (Part::DeviceService, mean(spent.service)),
            (Part::Link, mean(spent.link)),
            (Part::Uplink, mean(spent.uplink)),
            (Part::Adapter, mean(spent.adapter)),
        ];
        let mut mean_total = plugged;
        for (part, span) in below {
            self.parts.add(part, Nanos::new(span));
            mean_total += span;
        }
        let waited = total.saturating_sub(mean_total);
        self.parts.add(Part::SlowestMember, Nanos::new(waited));
    }

    /// Divides the time before the plug among the layers that used the CPU; the rest was a wait for
    /// the CPU.
    #[inline(always)]
    fn add_cpu(&mut self, plugged: u64) {
        let cpu = self.cpu;
        let submit = plugged.min(cpu.submit.as_u64());
        let below = plugged - submit;
        let all = cpu.below_submit();
        // Most stacks have no volume, and many no array: a division takes longer than all else here.
        let share = |layer: Nanos| match (layer.as_u64(), all) {
            (0, _) | (_, 0) => 0,
            (layer, all) if below >= all => layer,
            (layer, all) => below * layer / all,
        };
        let (volume, array) = (share(cpu.volume), share(cpu.array));
        self.parts.add(Part::Submit, Nanos::new(submit));
        self.parts.add(Part::VolumeCpu, Nanos::new(volume));
        self.parts.add(Part::ArrayCpu, Nanos::new(array));
        self.parts
            .add(Part::BlockCpu, Nanos::new(below - volume - array));
    }

    /// Adds a stage whose requests were sent by the array's thread, not by this I/O.
    fn close_parity_stage(&mut self, total: u64) {
        let times = self.parity;
        let cpu = self.cpu.sum().min(total);
        self.add_cpu(cpu);
        let span = |from: Instant, to: Instant| match from {
            Instant::NEVER => 0,
            from => to.since(from).as_u64(),
        };
        let write = span(times.write_began, times.write_ended).min(total - cpu);
        let read = span(times.read_began, times.read_ended.min(times.write_began));
        let read = read.min(total - cpu - write);
        let is_write = self.kind == Kind::Write;
        let read_part = match is_write {
            true => Part::ReadModifyWrite,
            false => Part::DeviceService,
        };
        self.parts.add(read_part, Nanos::new(read));
        self.parts.add(Part::DeviceService, Nanos::new(write));
        let rest = total - cpu - write - read;
        self.parts.add(Part::ParityThread, Nanos::new(rest));
    }
}

impl Simulation {
    /// Begins the I/O `io` at `at`; the job's CPU is busy from then on.
    #[inline(always)]
    pub(super) fn begin_io(&mut self, io: u32, at: Instant) {
        let (kind, job) = (self.ios[io].kind, self.ios[io].job);
        let is_buffered = self.jobs[job as usize].is_buffered;
        match kind {
            Kind::Write if self.waits_for_journal(io, at) => {}
            Kind::Write => self.begin_write(io, at),
            Kind::Read | Kind::ReadAhead if is_buffered => self.begin_buffered_read(io, at),
            Kind::Read | Kind::ReadAhead => self.begin_data(io, at),
            Kind::Sync if self.page_cache.records.is_some() => self.sync_records(io, at),
            Kind::Sync if is_buffered => self.wait_for_write_back(io, at),
            Kind::Sync => self.make_durable(io, at),
        }
    }

    /// Begins a write whose file's time stamps are changed.
    #[inline(always)]
    pub(super) fn begin_write(&mut self, io: u32, at: Instant) {
        if self.jobs[self.ios[io].job as usize].is_buffered {
            self.begin_buffered_write(io, at);
            return;
        }
        match self.layers.bitmap.is_some() {
            true => self.begin_marked(io, at),
            false => self.begin_data(io, at),
        }
    }

    /// Makes durable what an I/O has written, or what an `fsync` covers.
    pub(super) fn make_durable(&mut self, io: u32, at: Instant) {
        match self.ios[io].durable {
            Durable::Written => self.events.add(at, Event::IoDone(io)),
            Durable::Commit => self.begin_sync(io, at),
            Durable::Flush | Durable::Fua | Durable::No => self.begin_flush(io, Stage::Flush, at),
        }
    }

    /// Continues an I/O whose data is written back: makes it durable.
    pub(super) fn after_write_back(&mut self, io: u32, at: Instant) {
        self.ios[io].add_wait(Part::PageCache, at);
        self.make_durable(io, at);
    }

    /// Begins the data stage of an I/O.
    #[inline(always)]
    pub(super) fn begin_data(&mut self, io: u32, at: Instant) {
        let host_io = &mut self.ios[io];
        host_io.begin(Stage::Data, at);
        let operation = match host_io.kind {
            Kind::Read | Kind::ReadAhead => Operation::Read,
            Kind::Write | Kind::Sync => Operation::Write,
        };
        let (start, length) = (host_io.start, host_io.length);
        self.submit_bios(io, operation, start, length, at);
    }

    /// Returns whether a job submits such an I/O under a plug.
    #[inline(always)]
    pub(super) fn is_plugged(&self, job: u32, operation: Operation, length: Sectors) -> bool {
        let is_plugged = self.jobs[job as usize].is_plugged;
        let pages = length.get().div_ceil(8);
        is_plugged[usize::from(operation == Operation::Write)] || pages > ONE_BIO_PAGES_MAX
    }

    /// Returns what an I/O submits to the layers.
    #[inline(always)]
    fn above(&self, io: u32, operation: Operation, start: Sectors, length: Sectors) -> SubmittedIo {
        let host_io = &self.ios[io];
        SubmittedIo {
            io,
            operation,
            start,
            length,
            // A read is never `REQ_SYNC`.
            is_sync: host_io.is_sync && operation == Operation::Write,
            bio_max: match host_io.kind {
                Kind::ReadAhead => page_cache::BIO_MAX,
                Kind::Read | Kind::Write | Kind::Sync => Sectors::new(u64::MAX),
            },
            job: host_io.job,
            is_metadata: host_io.durable != Durable::No && host_io.job == self.page_cache.flusher,
            is_awaited: host_io.stage == Stage::Fill
                || self.jobs[host_io.job as usize].generator.is_random(),
        }
    }

    /// Sends bios down the stack, and their requests out of the plug.
    pub(super) fn submit_bios(
        &mut self,
        io: u32,
        operation: Operation,
        start: Sectors,
        length: Sectors,
        at: Instant,
    ) {
        let is_write = operation == Operation::Write;
        if is_write && self.waits_for_superblocks(io, start, length, at) {
            return;
        }
        if self.barriers.is_some() && self.is_held_back(io, operation, start, length) {
            return;
        }
        self.bios.clear();
        let above = self.above(io, operation, start, length);
        let (host_io, bios) = (&self.ios[io], &mut self.bios);
        let (job, stage, whole) = (host_io.job, host_io.stage, host_io.length);
        let routed = match stage {
            Stage::Journal => self.layers.route_blocks(above, bios),
            Stage::Commit => self.layers.route_commit(above, bios),
            Stage::Data if host_io.durable == Durable::Fua => {
                self.layers.route_durable(above, bios)
            }
            _ => self.layers.route(above, bios),
        };
        let pages = length.get().div_ceil(8);
        let (begin, speed) = self.cores.begin(job, at);
        let bio = speed.stretch(self.costs.bio).as_u64();
        let submit = speed.stretch(self.submit_time(job, stage, pages));
        let passes = speed.stretch(routed.passes).as_u64();
        let ready = begin + submit;
        let wait = self
            .locks
            .wait([self.now, ready], operation, &self.layers, &routed);
        let cpu = LayerCpu {
            submit,
            volume: Nanos::new(routed.volume_bios * bio),
            array: Nanos::new(routed.array_bios * bio + wait.as_u64() + passes),
            block: Nanos::new(self.bios_in_limits() * bio),
        };
        let end = self.cores.run(job, begin, Nanos::new(cpu.sum()));
        let host_io = &mut self.ios[io];
        host_io.cpu = cpu;
        let is_cached = routed.cached_bios > 0;
        let owner = match is_cached {
            true => Owner::Parity,
            false => Owner::Io(io),
        };
        if is_cached {
            host_io.remaining += routed.cached_bios;
            host_io.parity = ParityTimes::NONE;
            host_io.sent = end;
            self.note_parity_bios(end);
            self.jobs[job as usize].is_blocked |= routed.waits;
        }
        // The stripe cache may have taken all of it.
        if !is_cached || !self.bios.is_empty() {
            let is_plugged = self.is_plugged(job, operation, whole);
            self.send_bios(io, (owner, job, is_plugged), operation, [ready, end]);
        }
        if let Mapping::Parity(array) = &mut self.layers.mapping {
            array.parity.unplug();
            self.wake_thread(end);
        }
    }

    /// Sends the bios of an I/O, which its task makes between two instants.
    #[inline(always)]
    fn send_bios(
        &mut self,
        io: u32,
        (owner, job, is_plugged): (Owner, u32, bool),
        operation: Operation,
        [begin, end]: [Instant; 2],
    ) {
        if is_plugged {
            let sleeps = self.jobs[job as usize].waits_plugged && operation == Operation::Write;
            let end = match sleeps && owner != Owner::Parity {
                true => self.kblockd_runs(job, end),
                false => end,
            };
            self.send_through_plug(owner, begin, end, operation);
        } else if self.layers.goes_to_thread(operation) {
            self.give_to_thread(io, end);
        } else if self.worker_dispatches && self.bios_meet_a_scheduler() {
            let end = self.kblockd_runs(job, end);
            self.send_without_plug(owner, end, end);
        } else {
            self.send_without_plug(owner, begin, end);
        }
    }

    /// Has a worker of the block layer send what a task has queued until `at`; returns when it does.
    /// That takes a switch to the worker, and one back to a task that does not wait for its I/O.
    #[inline(always)]
    fn kblockd_runs(&mut self, job: u32, at: Instant) -> Instant {
        let there = Nanos::new(self.costs.worker.as_u64() / 2);
        let span = match self.jobs[job as usize].is_synchronous {
            true => there,
            false => self.costs.worker,
        };
        self.cores.interrupt(job, at, span);
        at + there
    }

    /// Returns whether any of the bios is for a member with an I/O scheduler.
    fn bios_meet_a_scheduler(&self) -> bool {
        let mut bios = self.bios.iter();
        bios.any(|bio| self.members[bio.member.index()].has_scheduler())
    }

    /// Returns how many bios enter the members' queues: one that is longer than a request is split
    /// piece by piece (`__bio_split_to_limits`).
    #[inline(always)]
    fn bios_in_limits(&self) -> u64 {
        let mut pieces = 0;
        for bio in &self.bios {
            let limit = &self.members[bio.member.index()].limit;
            pieces += match limit.first_length(bio.start, bio.length) == bio.length {
                true => 1,
                false => limit.pieces(bio.start, bio.length),
            };
        }
        pieces
    }

    /// Prepares bios that write the superblock to every member.
    pub(super) fn fill_superblocks(&mut self) {
        self.bios.clear();
        let length = Sectors::from_bytes(LOGICAL_BLOCK);
        self.add_everywhere(Operation::Write, SUPERBLOCK, length, DURABLE);
    }

    /// Adds a bio for every working member.
    pub(super) fn add_everywhere(
        &mut self,
        operation: Operation,
        start: Sectors,
        length: Sectors,
        flags: Flags,
    ) {
        for member in 0..self.members.len() {
            if !self.layers.is_working(member) {
                continue;
            }
            self.layers.begin_metadata(member);
            self.bios.push(MemberBio {
                member: Member(u16::try_from(member).expect("members are few")),
                operation,
                start,
                length,
                flags,
                tag: METADATA_TAG,
            });
        }
    }

    /// Completes a request of an I/O on the job's CPU.
    #[inline(always)]
    pub(super) fn io_request_done(&mut self, io: u32, number: u32) {
        let now = self.now;
        let host_io = &mut self.ios[io];
        host_io.request_done(&self.requests[number], now);
        let is_last = host_io.remaining == 0;
        self.complete_on_job(io, now);
        if is_last {
            self.requests_done(io);
        }
    }

    /// Completes a request of `io` on the CPU of its job, or of the worker that sent it, from `at`
    /// on; returns when that is done.
    #[inline(always)]
    pub(super) fn complete_on_job(&mut self, io: u32, at: Instant) -> Instant {
        let host_io = &self.ios[io];
        let job = host_io.job;
        let task = match host_io.is_flushing() && self.is_flushed_by_worker(io) {
            true => self.layers.flush_worker(),
            false => job,
        };
        let span = self.costs.completion;
        let (completed, was_idle) = self.cores.interrupt(task, at, span);
        let host_io = &mut self.ios[io];
        // A task that slept when the first request was done still sleeps when the last one is.
        host_io.wakes |= was_idle;
        host_io.completed = completed;
        host_io.completed
    }

    /// Ends a bio of an I/O on a parity array. `completed` is when the job's CPU was done with its
    /// last request; `None` if the cache served the bio.
    pub(super) fn io_bio_done(&mut self, io: u32, at: Instant, completed: Option<Instant>) {
        let host_io = &mut self.ios[io];
        // The cache may serve a bio before its job, busy with others, has finished submitting it.
        let at = at.max(host_io.sent);
        host_io.remaining -= 1;
        host_io.last_done = at;
        if host_io.remaining == 0 {
            match completed {
                Some(completed) => host_io.completed = completed,
                None => {
                    self.complete_on_job(io, at);
                }
            }
            self.end_stage(io);
        }
    }

    /// Ends a stage of an I/O and begins its next one.
    #[inline(never)]
    pub(super) fn end_stage(&mut self, io: u32) {
        let host_io = &mut self.ios[io];
        host_io.close_stage();
        let (at, stage, durable) = (host_io.completed, host_io.stage, host_io.durable);
        let barrier = std::mem::replace(&mut host_io.barrier, NONE);
        let was_counted = std::mem::take(&mut host_io.is_counted_write);
        if barrier != NONE {
            self.leave_barrier(barrier);
        }
        if was_counted {
            self.array_write_ended(at);
        }
        if self.risk.is_some() && stage == Stage::Data {
            self.note_written(io);
        }
        match (stage, durable) {
            (Stage::Bitmap, _) => self.bitmap_is_written(io, at),
            (Stage::Data, Durable::No | Durable::Fua) => self.wake_job(io, at),
            (Stage::Data, _) => self.make_durable(io, at),
            (Stage::Journal, _) => self.journal_written(io, at),
            (Stage::Preflush, _) => {
                self.md_flush_ended(io);
                self.write_commit(io, at);
            }
            (Stage::Commit, _) => self.commit_ended(io, at),
            (Stage::LogFlush, _) => self.log_flushed(io, at),
            (Stage::Fill, _) => self.write_to_records(io, at),
            (Stage::Flush, _) => {
                self.md_flush_ended(io);
                self.wake_job(io, at);
            }
        }
    }

    /// Ends the I/O; its job continues as soon as it is awake.
    #[inline(always)]
    pub(super) fn wake_job(&mut self, io: u32, at: Instant) {
        let host_io = &mut self.ios[io];
        let mut end = at;
        // Read-ahead wakes the reads that wait for it, if there are any.
        if host_io.wakes && host_io.kind != Kind::ReadAhead {
            let wake = self.cores.stretched(host_io.job, self.costs.wake);
            end += wake;
            host_io.parts.add(Part::Completion, wake);
        }
        // On a parity array several I/Os may end together.
        if end < self.events.next_at() && !self.layers.is_parity() {
            self.now = end;
            self.io_done(io);
        } else {
            self.events.add(end, Event::IoDone(io));
        }
    }
}
