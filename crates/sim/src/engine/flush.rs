//! Flushes on their way down: how md passes them on, and how a member's queue orders them.

use super::host_io::Stage;
use super::layers::METADATA_TAG;
use super::members::Owner;
use super::{Setup, Simulation};
use crate::array::flush::{FlushDecision, FlushWork};
use crate::device::any::Device;
use crate::events::Event;
use crate::flush_queue::{FlushStep, Sequence, WriteCache};
use crate::io::{Flags, Member, MemberBio, Operation};
use crate::units::{Instant, Sectors};
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::kernel::{FlushRule, Policy};
use stripewise_units::Nanos;

/// How a write that needs a flush before it (`REQ_PREFLUSH`) passes the layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preflush {
    /// As it is: the device's queue flushes.
    InBio,
    /// All members are flushed first: md before 6.12, and the device mapper
    /// (`__send_empty_flush` in dm.c).
    First,
    /// All members are flushed beside it: md since 6.12.
    Beside,
}

impl Setup<'_> {
    /// Returns how a write with a flush before it reaches the members.
    pub(super) fn preflush(&self, policy: &Policy) -> Preflush {
        if self.stack.pool().is_ok_and(|pool| pool.is_some()) {
            return Preflush::First;
        }
        match (&self.stack.volume, &self.stack.array) {
            (None, None) => Preflush::InBio,
            (None, Some(_)) if policy.md_flush == FlushRule::BesideData => Preflush::Beside,
            _ => Preflush::First,
        }
    }

    /// Returns the write cache of a device as the kernel sees it. NVMe and SAS have FUA; libata does
    /// not use it (`libata.fua`, off by default in 6.1 and 6.12).
    pub(super) fn write_cache(&self, profile: &DeviceProfile, device: &Device) -> WriteCache {
        match self.cache_setting().flushes && device.has_volatile_cache() {
            true => WriteCache::Volatile {
                has_fua: profile.model.link().full_duplex,
            },
            false => WriteCache::Durable,
        }
    }
}

impl Simulation {
    /// Flushes the stack for an I/O, as one of its stages.
    pub(super) fn begin_flush(&mut self, io: u32, stage: Stage, at: Instant) {
        self.ios[io].begin(stage, at);
        match self.layers.md_flush.as_mut().map(|flush| flush.ask(io, at)) {
            None | Some(FlushDecision::Sends) => self.send_flushes(io, at),
            Some(FlushDecision::Queues) => self.wake_worker(self.layers.flush_worker(), at),
            Some(FlushDecision::Waits) => {}
        }
    }

    /// Wakes a worker at `at`; one that still works needs no time to wake.
    pub(super) fn wake_worker(&mut self, task: u32, at: Instant) {
        let at = match self.cores.free(task) > at {
            true => at,
            false => at + self.wake_of(task),
        };
        let at = self.cores.wakes_at(task, at);
        self.events.add(at, Event::WorkerRuns(task));
    }

    /// Runs a worker as soon as it has a core.
    pub(super) fn worker_runs(&mut self, task: u32) {
        if !self.runs_or_waits(task, Event::WorkerRuns(task)) {
            return;
        }
        let free = self.cores.free(task);
        if free > self.now {
            self.events.add(free, Event::WorkerRuns(task));
            return;
        }
        match task == self.layers.flush_worker() {
            true => self.flush_worker_runs(),
            false => self.log_worker_runs(),
        }
    }

    /// Runs the worker of md (`md_wq`), which sends a flush to all members, or ends one.
    fn flush_worker_runs(&mut self) {
        let now = self.now;
        let flush = self.layers.md_flush.as_mut();
        match flush.and_then(|flush| flush.work(now)) {
            Some(FlushWork::Sends(io)) => {
                let at = self.ios[io].resume_at(now);
                let cpu = self.send_flush_bios(io, at);
                self.cores.work(self.layers.flush_worker(), now, cpu);
            }
            Some(FlushWork::Ends(io)) => {
                self.ios[io].ends_without_request(now);
                self.end_stage(io);
            }
            None => {}
        }
    }

    /// Ends a stage of an I/O whose requests are done; the worker of md ends its flushes.
    #[inline(always)]
    pub(super) fn requests_done(&mut self, io: u32) {
        match self.ios[io].is_flushing() && self.is_flushed_by_worker(io) {
            true => self.wake_worker(self.layers.flush_worker(), self.now),
            false => self.end_stage(io),
        }
    }

    /// Returns whether the worker of md sent the flush of an I/O.
    #[inline(always)]
    pub(super) fn is_flushed_by_worker(&self, io: u32) -> bool {
        let flush = self.layers.md_flush.as_ref();
        flush.is_some_and(|flush| flush.is_running(io))
    }

    /// Sends a flush to every member for the current stage of an I/O, on its job's CPU.
    pub(super) fn send_flushes(&mut self, io: u32, at: Instant) {
        let cpu = self.send_flush_bios(io, at);
        self.cores.work(self.ios[io].job, at, cpu);
    }

    /// Sends the bios of such a flush; returns how long that takes.
    fn send_flush_bios(&mut self, io: u32, at: Instant) -> Nanos {
        self.bios.clear();
        let flags = Flags {
            sync: true,
            preflush: true,
            fua: false,
        };
        let none = Sectors::default();
        self.add_everywhere(Operation::Flush, none, none, flags);
        let cpu = Nanos::new(self.bios.len() as u64 * self.costs.bio.as_u64());
        self.send_through_plug(Owner::Io(io), at, at + cpu, Operation::Flush);
        cpu
    }

    /// Ends a flush of an I/O at md: those wake that it served, and then the one whose flush is next.
    pub(super) fn md_flush_ended(&mut self, io: u32) {
        let Some(flush) = &mut self.layers.md_flush else {
            return;
        };
        let next = flush.ended(io, &mut self.flushed);
        for io in self.flushed.drain(..).chain(next) {
            self.events.add(self.now, Event::StageEnds(io));
        }
    }

    /// Ends the stage of an I/O for which another one's flush was enough, or wakes its task, which
    /// hands its own flush to the worker when it runs.
    pub(super) fn stage_ends(&mut self, io: u32) {
        if self.is_flushed_by_worker(io) {
            let woken = self.ios[io].resume_at(self.now) + self.wake_of(self.ios[io].job);
            self.events.add(woken, Event::Resumes(io));
            return;
        }
        self.ios[io].ends_without_request(self.now);
        self.end_stage(io);
    }

    /// Takes a request with flags that the flush machinery handles, when it leaves the plug.
    pub(super) fn dispatch_flush(&mut self, number: u32, at: Instant) {
        let request = &mut self.requests[number];
        let cache = self.members[request.member.index()].write_cache;
        let has_data = request.operation != Operation::Flush;
        request.sequence = Sequence::new(cache, request.flags, has_data);
        request.flags.fua &= cache.has_fua();
        if request.sequence != Sequence::NONE {
            request.sent = at;
            self.begin_sequence(number, at);
        } else if has_data {
            self.queue(number, at);
        } else {
            // Without a write cache there is nothing to flush: the bio ends when it is submitted.
            request.sent = at;
            self.events.add(at, Event::NothingToFlush(number));
        }
    }

    /// Begins the steps of a request, which has a tag of the device from now until it is done; without
    /// one it waits with the others (`blk_mq_get_tag`).
    fn begin_sequence(&mut self, number: u32, at: Instant) {
        let member = &mut self.members[self.requests[number].member.index()];
        if !member.scheduler_sorts() && member.has_no_tag() {
            member.queue_up(&self.requests[number], number, at);
            return;
        }
        member.take_tag();
        self.continue_sequence(number, at);
    }

    /// Gives a tag to a request with steps that has waited for one.
    pub(super) fn begin_waiting_sequence(&mut self, number: u32, at: Instant) {
        self.requests[number].sent = at;
        let member = &mut self.members[self.requests[number].member.index()];
        member.take_tag();
        self.continue_sequence(number, at);
    }

    /// Puts a request into the state of its next step, and begins a flush if one is due.
    fn continue_sequence(&mut self, number: u32, at: Instant) {
        let request = &self.requests[number];
        let place = request.member;
        let flushes = &mut self.members[place.index()].flushes;
        match request.sequence.next() {
            FlushStep::Flush => flushes.wait(number, at),
            FlushStep::Data => {
                flushes.data_begins();
                self.queue_first(number, at);
            }
            FlushStep::Done => self.sequence_done(number),
        }
        self.kick_flush(place, at);
    }

    /// Begins a flush of a member if one is due: after the I/Os that the one before has ended.
    fn kick_flush(&mut self, place: Member, at: Instant) {
        let at = at.max(self.now);
        if !self.members[place.index()].flushes.kick(at) {
            return;
        }
        let bio = MemberBio {
            member: place,
            operation: Operation::Flush,
            start: Sectors::default(),
            length: Sectors::default(),
            flags: Flags::default(),
            tag: METADATA_TAG,
        };
        let number = self.claim_request(Owner::FlushQueue, &bio);
        self.queue_first(number, at);
    }

    /// Ends a request of the machinery at its device: a flush, or the data of a sequence.
    pub(super) fn flush_step_done(&mut self, number: u32) {
        let (now, place) = (self.now, self.requests[number].member);
        if self.requests[number].owner != Owner::FlushQueue {
            self.members[place.index()].flushes.data_ended();
            self.requests[number].sequence.advance();
            self.continue_sequence(number, now);
            return;
        }
        self.requests.remove(number);
        let mut served = std::mem::take(&mut self.served);
        self.members[place.index()].flushes.flush_ended(&mut served);
        for number in served.drain(..) {
            self.requests[number].sequence.advance();
            self.continue_sequence(number, now);
        }
        self.served = served;
        self.kick_flush(place, now);
    }

    /// Ends a request whose steps are done. The kernel counts a flush without data as a write, too
    /// (`blk_account_io_done`: "Accounting the containing request is enough").
    fn sequence_done(&mut self, number: u32) {
        let request = &mut self.requests[number];
        request.sequence = Sequence::NONE;
        let counters = &mut self.members[request.member.index()].counters;
        counters.writes += u64::from(request.operation == Operation::Flush);
        let place = request.member;
        self.members[place.index()].return_tag();
        self.finish_request(number);
        self.send_waiting(place);
    }

    /// Ends a flush of a member without a volatile write cache.
    pub(super) fn nothing_to_flush(&mut self, number: u32) {
        self.finish_request(number);
    }
}
