//! Members: the queue of each device, and the kernel's counters for it.

use stripewise_study::sample::SectorsSums;
use stripewise_units::Nanos;

use super::Simulation;
use super::bounds::Received;
use super::scheduler::{self, Scheduler, Waiting};
use super::throttling::ReadsWatched;
use crate::adapter::Completion;
use crate::device::any::Device;
use crate::device::calibrated::Service;
use crate::device::streams::Streams;
use crate::device::{Completed, DeviceRequest};
use crate::events::Event;
use crate::filesystem::zfs::queue::{Class, VdevQueue};
use crate::flush_queue::{FlushQueue, Sequence, WriteCache};
use crate::io::{BioLimit, Flags, Member, MemberBio, Operation};
use crate::units::{Instant, Sectors};

/// On flash that is simulated page by page, this many sectors cost as much to simulate as one I/O
/// elsewhere.
const FLASH_SECTORS_PER_IO: u64 = 128;

/// No request.
pub(super) const NONE: u32 = u32::MAX;

/// The owner of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A host I/O.
    Io(u32),
    /// The stripe cache of a parity array, which identifies its bios by tags.
    Parity,
    /// The thread of a mirror, which writes pages of the bitmap.
    Bitmap,
    /// The thread of an array, which writes the superblocks.
    Superblock,
    /// A rebuild.
    Rebuild,
    /// The flush machinery of the member's queue.
    FlushQueue,
}

/// One request at a member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) member: Member,
    pub(super) operation: Operation,
    pub(super) flags: Flags,
    /// What the flush machinery still has to do.
    pub(super) sequence: Sequence,
    pub(super) owner: Owner,
    pub(super) start: Sectors,
    pub(super) length: Sectors,
    /// How many bios it contains.
    pub(super) parts: u32,
    pub(super) first_tag: u32,
    pub(super) last_tag: u32,
    /// The next request of the same plug.
    pub(super) next: u32,
    /// A merged request of another I/O that completes with this one.
    pub(super) joined: u32,
    /// When it left the plug.
    pub(super) dispatched: Instant,
    /// When the device got it.
    pub(super) sent: Instant,
    pub(super) service: Service,
    /// When the adapter got its completion; [`Instant::NEVER`] without an adapter.
    pub(super) at_adapter: Instant,
}

impl Request {
    pub(super) const EMPTY: Self = Self {
        member: Member(0),
        operation: Operation::Flush,
        flags: Flags {
            sync: false,
            preflush: false,
            fua: false,
        },
        sequence: Sequence::NONE,
        owner: Owner::Rebuild,
        start: Sectors::new(0),
        length: Sectors::new(0),
        parts: 0,
        first_tag: NONE,
        last_tag: NONE,
        next: NONE,
        joined: NONE,
        dispatched: Instant::START,
        sent: Instant::START,
        service: Service::NONE,
        at_adapter: Instant::NEVER,
    };

    /// Reuses the entry for a bio.
    #[inline(always)]
    pub(super) fn renew(&mut self, owner: Owner, bio: &MemberBio) {
        self.member = bio.member;
        self.operation = bio.operation;
        self.flags = bio.flags;
        self.sequence = Sequence::NONE;
        self.owner = owner;
        self.start = bio.start;
        self.length = bio.length;
        self.parts = 1;
        self.first_tag = bio.tag;
        self.last_tag = bio.tag;
        self.next = NONE;
        self.joined = NONE;
        self.service.sequential = false;
        self.at_adapter = Instant::NEVER;
    }

    /// Returns its class in ZFS's queue.
    fn class(&self) -> Class {
        match (self.operation, self.flags.sync) {
            (Operation::Read, true) => Class::SyncRead,
            (Operation::Read, false) => Class::AsyncRead,
            (_, true) => Class::SyncWrite,
            (_, false) => Class::AsyncWrite,
        }
    }

    fn waiting(&self, number: u32, since: Instant) -> Waiting {
        Waiting {
            request: number,
            operation: self.operation,
            start: self.start,
            since,
        }
    }
}

/// The kernel's counters of a block device, and a few more.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    pub(super) reads: u64,
    pub(super) read_merges: u64,
    pub(super) read_sectors: u64,
    pub(super) sequential_reads: u64,
    pub(super) writes: u64,
    pub(super) write_merges: u64,
    pub(super) write_sectors: u64,
    pub(super) sequential_writes: u64,
    pub(super) flushes: u64,
    /// The sums of the numbers of all sectors read and written, for a replay.
    pub(super) sectors_sums: SectorsSums,
    /// The requests sent and completed since the last reset.
    pub(super) received: Received,
    /// The link's busy time for each direction; in the first entry only if they share the link.
    link_busy: [Nanos; 2],
    busy: Nanos,
}

impl Counters {
    #[inline]
    pub(super) fn count_merge(&mut self, operation: Operation) {
        match operation {
            Operation::Read => self.read_merges += 1,
            _ => self.write_merges += 1,
        }
    }

    #[inline(always)]
    fn count(&mut self, request: &Request, began: Instant, full_duplex: bool) {
        let sectors = request.length.get();
        let sequential = u64::from(request.service.sequential);
        let direction = usize::from(request.operation == Operation::Write);
        // Link time before the last reset does not count.
        let service = &request.service;
        let carried = service.transfer.min(service.link_end.since(began));
        let lane = &mut self.link_busy[direction * usize::from(full_duplex)];
        *lane = Nanos::new(lane.as_u64() + carried.as_u64());
        if request.sent >= began && request.operation != Operation::Flush {
            self.received.requests[direction] += 1;
            self.received.sectors[direction] += sectors;
            self.received.sequential[direction] += sequential;
        }
        match request.operation {
            Operation::Read => {
                self.reads += 1;
                self.read_sectors += sectors;
                self.sectors_sums.read =
                    self.sectors_sums.read.wrapping_add(sum_of_sectors(request));
                self.sequential_reads += sequential;
            }
            Operation::Write => {
                self.writes += 1;
                self.write_sectors += sectors;
                self.sectors_sums.write = self
                    .sectors_sums
                    .write
                    .wrapping_add(sum_of_sectors(request));
                self.sequential_writes += sequential;
            }
            Operation::Flush => self.flushes += 1,
        }
    }
}

/// Returns the sum of the numbers of a request's sectors, modulo 2^64.
#[inline(always)]
fn sum_of_sectors(request: &Request) -> u64 {
    let (first, count) = (request.start.get(), request.length.get());
    count
        .wrapping_mul(first)
        .wrapping_add(count * count.saturating_sub(1) / 2)
}

/// A device and its queue.
#[derive(Debug)]
pub(super) struct MemberState {
    pub(super) name: String,
    pub(super) device: Device,
    pub(super) limit: BioLimit,
    pub(super) write_cache: WriteCache,
    pub(super) flushes: FlushQueue,
    pub(super) counters: Counters,
    /// ZFS's queue before the kernel's.
    pub(super) vdev: Option<VdevQueue>,
    /// Whether its requests fail.
    pub(super) has_failed: bool,
    /// Its reads, if the kernel could throttle its writes because of them.
    pub(super) reads_watched: Option<Box<ReadsWatched>>,
    depth: u32,
    under_way: u32,
    /// Requests with steps ([`Sequence`]) that have a tag, and steps of theirs at the device. A
    /// scheduler gives out tags of its own, so it has none of these.
    in_sequence: u32,
    steps: u32,
    scheduler: Scheduler,
    busy_since: Instant,
    /// The streams of an event-driven device.
    streams: Streams,
    /// When the next event of such a device is scheduled.
    scheduled: Instant,
    /// When the counters were last reset.
    counted_since: Instant,
    full_duplex: bool,
}

impl MemberState {
    pub(super) fn new(
        name: String,
        device: Device,
        limit: BioLimit,
        write_cache: WriteCache,
        (depth, requests_max): (u32, u32),
        scheduler: scheduler::Kind,
        full_duplex: bool,
    ) -> Self {
        Self {
            name,
            device,
            limit,
            write_cache,
            flushes: FlushQueue::default(),
            counters: Counters::default(),
            vdev: None,
            has_failed: false,
            reads_watched: None,
            depth: depth.max(1),
            under_way: 0,
            in_sequence: 0,
            steps: 0,
            scheduler: Scheduler::new(scheduler, requests_max),
            busy_since: Instant::START,
            streams: Streams::default(),
            scheduled: Instant::NEVER,
            counted_since: Instant::START,
            full_duplex,
        }
    }

    /// Returns whether a request has to wait: the device has as many as it takes, or, without a
    /// scheduler, all its tags are in use. A request that needs flushes has one all the time, and its
    /// flush borrows it (`blk_kick_flush`).
    pub(super) const fn has_no_tag(&self) -> bool {
        self.under_way + self.in_sequence - self.steps >= self.depth
    }

    /// Returns whether it has a scheduler, which gives out tags of its own.
    pub(super) const fn scheduler_sorts(&self) -> bool {
        self.scheduler.sorts()
    }

    /// Makes a request wait for a tag.
    pub(super) fn queue_up(&mut self, request: &Request, number: u32, at: Instant) {
        let waiting = request.waiting(number, at);
        self.scheduler.add(waiting, self.under_way);
    }

    /// Gives a tag to a request with steps.
    pub(super) fn take_tag(&mut self) {
        self.in_sequence += u32::from(!self.scheduler.sorts());
    }

    /// Takes it back.
    pub(super) fn return_tag(&mut self) {
        self.in_sequence -= u32::from(!self.scheduler.sorts());
    }

    /// Returns how long the device was busy up to `now`.
    pub(super) fn busy(&self, now: Instant) -> Nanos {
        let open = match self.under_way {
            0 => 0,
            _ => now.since(self.busy_since).as_u64(),
        };
        Nanos::new(self.counters.busy.as_u64() + open)
    }

    /// Returns the link's busy time in its busier direction.
    pub(super) fn link_busy(&self) -> Nanos {
        self.counters.link_busy[0].max(self.counters.link_busy[1])
    }

    /// Returns whether the device has several hardware queues, as NVMe and virtio have: here those
    /// with a full-duplex link.
    pub(super) const fn has_many_queues(&self) -> bool {
        self.full_duplex
    }

    /// Returns whether an I/O scheduler chooses the order of requests.
    pub(super) fn has_scheduler(&self) -> bool {
        self.scheduler.sorts()
    }

    /// Returns whether no request is in flight to the device.
    pub(super) fn is_quiet(&self) -> bool {
        self.under_way == 0
    }

    /// Replaces a device without requests in flight.
    pub(super) fn replace_device(&mut self, device: Device) {
        self.device = device;
        self.streams = Streams::default();
        self.scheduled = Instant::NEVER;
    }

    pub(super) fn reset_counters(&mut self, now: Instant) {
        self.counters = Counters::default();
        self.counted_since = now;
        self.busy_since = now;
    }
}

impl Simulation {
    /// Returns a new request for a bio.
    #[inline(always)]
    pub(super) fn claim_request(&mut self, owner: Owner, bio: &MemberBio) -> u32 {
        let (number, request) = self.requests.claim(|| Request::EMPTY);
        request.renew(owner, bio);
        number
    }

    /// Takes a request that leaves the plug at `at`.
    #[inline(always)]
    pub(super) fn dispatch(&mut self, number: u32, at: Instant) {
        let request = &mut self.requests[number];
        request.dispatched = at;
        match request.flags.preflush || request.flags.fua {
            true => self.dispatch_flush(number, at),
            false => self.queue(number, at),
        }
    }

    /// Sends a request to the device, or makes it wait until the device takes it.
    #[inline(always)]
    pub(super) fn queue(&mut self, number: u32, at: Instant) {
        let member = &self.members[self.requests[number].member.index()];
        if member.vdev.is_some() {
            self.queue_in_class(number, at);
            return;
        }
        self.queue_at_device(number, at);
    }

    /// Queues a request in its class of ZFS's queue, and sends what its limits allow.
    fn queue_in_class(&mut self, number: u32, at: Instant) {
        let request = &self.requests[number];
        let place = request.member.index();
        if let Some(vdev) = &mut self.members[place].vdev {
            vdev.add(request.class(), number, request.start);
        }
        self.issue_from_classes(place, at);
    }

    /// Sends the requests that ZFS lets a device have.
    fn issue_from_classes(&mut self, place: usize, at: Instant) {
        let async_writes = self.async_writes();
        while let Some(next) = self.members[place]
            .vdev
            .as_mut()
            .and_then(|vdev| vdev.next(async_writes))
        {
            self.queue_at_device(next, at);
        }
    }

    #[inline(always)]
    fn queue_at_device(&mut self, number: u32, at: Instant) {
        let place = self.requests[number].member.index();
        if self.costs.scheduler > Nanos::default() && self.members[place].scheduler.sorts() {
            self.scheduler_works(number, at);
        }
        let request = &self.requests[number];
        let member = &mut self.members[place];
        if member.has_no_tag() {
            member.queue_up(request, number, at);
            return;
        }
        member.scheduler.pass(request.operation, request.start);
        self.send(number, at);
    }

    /// Counts the CPU time that the I/O scheduler takes for a request (`dd_insert_requests`,
    /// `dd_dispatch_request`, `dd_finish_request`).
    #[inline(never)]
    fn scheduler_works(&mut self, number: u32, at: Instant) {
        let task = match self.requests[number].owner {
            Owner::Io(io) => self.ios[io].job,
            Owner::Parity | Owner::Bitmap | Owner::Superblock => self.layers.thread,
            Owner::Rebuild | Owner::FlushQueue => return,
        };
        self.cores.interrupt(task, at, self.costs.scheduler);
    }

    /// The same for a step of a request with steps, which goes before all that wait. Without a
    /// scheduler the request has a tag already.
    pub(super) fn queue_first(&mut self, number: u32, at: Instant) {
        let request = &self.requests[number];
        let member = &mut self.members[request.member.index()];
        let has_tag = !member.scheduler.sorts();
        if !has_tag && member.under_way >= member.depth {
            member.scheduler.add_first(number);
            return;
        }
        member.steps += u32::from(has_tag);
        member.scheduler.pass(request.operation, request.start);
        self.send(number, at);
    }

    /// Sends a request to the device at `at`.
    #[inline(never)]
    fn send(&mut self, number: u32, at: Instant) {
        if self.risk.is_some() && self.requests[number].operation == Operation::Flush {
            self.note_flush_sent(self.requests[number].member);
        }
        let request = &mut self.requests[number];
        request.sent = at;
        let member = &mut self.members[request.member.index()];
        if member.under_way == 0 {
            member.busy_since = at;
        }
        member.under_way += 1;
        if let Some(adapter) = &mut self.adapter {
            adapter.sent();
        }
        if let Device::Calibrated(device) = &mut member.device {
            let service = device.submit(
                at,
                request.operation,
                request.start,
                request.length,
                request.flags.fua,
            );
            request.service = service;
            let bytes = request.length.bytes().as_u64();
            // The uplink transfers at the same time as the device's own link.
            let begin = Instant::from_nanos(service.done.as_nanos() - service.transfer.as_u64());
            let done = self
                .uplink
                .carry(request.operation, [self.now, begin], bytes)
                .max(service.done);
            self.events.add(done, Event::RequestDone(number));
            return;
        }
        self.send_to_event_driven(number, at);
    }

    /// Sends a request to an event-driven device.
    fn send_to_event_driven(&mut self, number: u32, at: Instant) {
        let request = &mut self.requests[number];
        let place = request.member;
        let member = &mut self.members[place.index()];
        if request.operation != Operation::Flush {
            request.service.sequential = member.streams.note(request.start, request.length);
        }
        let asked = DeviceRequest {
            id: number,
            operation: request.operation,
            start: request.start,
            length: request.length,
            fua: request.flags.fua,
        };
        member.device.submit(at, asked);
        if self.risk.is_some() {
            self.note_destaged(place);
        }
        self.schedule_device(place);
    }

    fn schedule_device(&mut self, place: Member) {
        let member = &mut self.members[place.index()];
        let next = member.device.next_event();
        if next < member.scheduled {
            member.scheduled = next;
            self.events.add(next, Event::DeviceReady(place.0));
        }
    }

    /// Advances an event-driven device.
    pub(super) fn device_ready(&mut self, place: u16) {
        let place = Member(place);
        let now = self.now;
        let member = &mut self.members[place.index()];
        if member.scheduled > now {
            return;
        }
        member.scheduled = Instant::NEVER;
        let mut completed: Vec<Completed> = std::mem::take(&mut self.completed);
        member.device.advance(now, &mut completed);
        if self.risk.is_some() {
            self.note_destaged(place);
        }
        for done in completed.drain(..) {
            let request = &mut self.requests[done.id];
            request.service = Service {
                done: done.at,
                queued: done.queued_ns,
                served: done.service_ns,
                link: Nanos::default(),
                transfer: Nanos::default(),
                link_end: done.at,
                sequential: request.service.sequential,
            };
            let bytes = request.length.bytes().as_u64();
            let at = self
                .uplink
                .carry(request.operation, [now, request.sent], bytes)
                .max(done.at)
                .max(now);
            self.events.add(at, Event::RequestDone(done.id));
        }
        self.completed = completed;
        self.schedule_device(place);
    }

    /// Takes a request that its device has completed.
    #[inline(always)]
    pub(super) fn request_completed(&mut self, number: u32) {
        let Some(adapter) = &mut self.adapter else {
            self.request_done(number);
            return;
        };
        self.requests[number].at_adapter = self.now;
        match adapter.completed(self.now, number) {
            Completion::Reported(at) if at == self.now => self.request_reported(number),
            Completion::Reported(at) => self.events.add(at, Event::Reported(number)),
            Completion::Begins(at) => self.events.add(at, Event::Interrupt),
            Completion::Joins => {}
        }
    }

    /// Reports the completions that the adapter held back.
    pub(super) fn interrupt(&mut self) {
        let mut reported = std::mem::take(&mut self.reported);
        if let Some(adapter) = &mut self.adapter {
            adapter.interrupt(self.now, &mut reported);
        }
        for (at, request) in reported.drain(..) {
            self.events.add(at, Event::Reported(request));
        }
        self.reported = reported;
    }

    /// Completes a request that the adapter has reported.
    pub(super) fn request_reported(&mut self, number: u32) {
        if let Some(adapter) = &mut self.adapter {
            adapter.seen();
        }
        self.request_done(number);
    }

    /// Completes a request at its device: sends the next one from the queue.
    #[inline(always)]
    pub(super) fn request_done(&mut self, number: u32) {
        let now = self.now;
        let request = &self.requests[number];
        let member = &mut self.members[request.member.index()];
        member.under_way -= 1;
        if member.under_way == 0 {
            let busy = now.since(member.busy_since).as_u64();
            member.counters.busy = Nanos::new(member.counters.busy.as_u64() + busy);
        }
        member
            .counters
            .count(request, member.counted_since, member.full_duplex);
        if let Some(reads) = &mut member.reads_watched {
            reads.note(request, now);
        }
        if member.device.simulated().is_some() {
            self.totals.flash_effort += request.length.get() / FLASH_SECTORS_PER_IO;
        }
        let is_step = request.sequence != Sequence::NONE || request.owner == Owner::FlushQueue;
        member.steps -= u32::from(is_step && !member.scheduler.sorts());
        let is_flush = request.operation == Operation::Flush;
        let has_classes = member.vdev.is_some();
        if let Some(vdev) = member.vdev.as_mut().filter(|_| !is_flush) {
            vdev.done(request.class());
        }
        let place = request.member;
        if !member.scheduler.is_empty() {
            self.send_waiting(place);
        }
        if has_classes {
            self.issue_from_classes(place.index(), now);
        }
        if is_flush && self.risk.is_some() {
            self.note_flush_ended(place);
        }
        match is_step {
            true => self.flush_step_done(number),
            false => self.finish_request(number),
        }
    }

    /// Sends the next request that waits for a device, if it may go.
    #[inline(always)]
    pub(super) fn send_waiting(&mut self, place: Member) {
        let now = self.now;
        let member = &mut self.members[place.index()];
        if member.scheduler.is_empty() || member.has_no_tag() {
            return;
        }
        if let Some(next) = member.scheduler.take(now, member.under_way) {
            match self.requests[next].sequence == Sequence::NONE || member.scheduler.sorts() {
                true => self.send(next, now),
                false => self.begin_waiting_sequence(next, now),
            }
        }
    }

    /// Completes a request for the layers above, and notifies its owner.
    #[inline(always)]
    pub(super) fn finish_request(&mut self, number: u32) {
        let request = &self.requests[number];
        let (owner, joined) = (request.owner, request.joined);
        self.totals.bios += u64::from(request.parts);
        self.layers.request_done(request);
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.note(request);
        }
        if self.members[request.member.index()].has_failed {
            let request = self.requests[number];
            self.request_failed(&request);
        }
        match owner {
            Owner::Io(io) => self.io_request_done(io, number),
            Owner::Parity => self.parity_request_done(number),
            Owner::Bitmap => self.bitmap_written(),
            Owner::Superblock => self.superblock_written(),
            Owner::FlushQueue => {}
            Owner::Rebuild => {
                let request = self.requests[number];
                self.rebuild_request_done(&request);
            }
        }
        if joined != NONE {
            self.joined_done(number, joined);
        }
        self.requests.remove(number);
    }

    /// Completes the requests of other I/Os that were merged into `number`.
    fn joined_done(&mut self, number: u32, first: u32) {
        let whole = self.requests[number];
        let mut at = first;
        while at != NONE {
            let request = &mut self.requests[at];
            let next = request.joined;
            request.dispatched = whole.dispatched;
            request.sent = whole.sent;
            request.service = whole.service;
            request.at_adapter = whole.at_adapter;
            if let Owner::Io(io) = request.owner {
                self.io_request_done(io, at);
            }
            self.requests.remove(at);
            at = next;
        }
    }
}
