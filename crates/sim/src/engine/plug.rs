//! The plug: bios of one task are held back briefly, and adjacent ones become one request.
//!
//! `blk_attempt_plug_merge` (6.1), `attempt_plug_merge` (4.1): a bio is merged into a plugged
//! request of the same queue if it is adjacent to it. The plug is flushed when the task has
//! finished its submission, or earlier when it holds too much.

use super::Simulation;
use super::members::{NONE, Owner, Request};
use crate::events::Event;
use crate::io::{BioLimit, Flags, MemberBio, Operation};
use crate::units::{Instant, Sectors};
use stripewise_profiles::kernel::{
    HardwareQueuesPlug, PlugFlushRequest, PlugMerge, PlugPolicy, Policy,
};
use stripewise_units::Nanos;

/// Requests that are held back.
#[derive(Debug)]
pub(super) struct Plug {
    policy: PlugPolicy,
    /// Which requests a bio may merge into. Bios of a member come in the order of their addresses,
    /// so of all requests of its queue only the newest is a candidate anyway.
    merge: PlugMerge,
    /// The rule for members with several hardware queues.
    hardware_queues: HardwareQueuesPlug,
    queues: Vec<PluggedQueue>,
    total: u32,
    /// Whether two requests that followed one another were for different members
    /// (`multiple_queues`); reset when the task has finished its submission.
    has_several_queues: bool,
    first: u32,
    last: u32,
}

/// What the plug holds for one member.
#[derive(Debug, Clone, Copy)]
struct PluggedQueue {
    /// The oldest request.
    oldest: u32,
    /// The latest request.
    open: u32,
    /// The one request of a member with several hardware queues, if the plug holds only one; it is not
    /// in the chain.
    single: u32,
    /// How many requests.
    count: u32,
}

impl PluggedQueue {
    const EMPTY: Self = Self {
        oldest: NONE,
        open: NONE,
        single: NONE,
        count: 0,
    };
}

impl Plug {
    pub(super) fn new(policy: &Policy, members: usize) -> Self {
        Self {
            policy: policy.plug(),
            merge: policy.plug_merge,
            hardware_queues: policy.plug_of_hardware_queues,
            queues: vec![PluggedQueue::EMPTY; members],
            total: 0,
            has_several_queues: false,
            first: NONE,
            last: NONE,
        }
    }
}

/// How a bio enters the plug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// As a request of the chain.
    Chain,
    /// As the only request of its member.
    Single,
    /// Not at all: it leaves at once.
    Passes,
}

/// Takes as much of a bio as one request of its member may have, and whether that is its last part: the
/// bio is done when that is.
#[inline(always)]
fn take_part(rest: &mut MemberBio, limit: BioLimit) -> (MemberBio, bool) {
    let mut part = *rest;
    part.length = limit.first_length(rest.start, rest.length);
    rest.start += part.length;
    rest.length = rest.length - part.length;
    (part, rest.length == Sectors::default())
}

impl Simulation {
    /// Sends `self.bios` through the plug; the CPU works on them evenly from `begin` to `end`.
    #[inline(always)]
    pub(super) fn send_through_plug(
        &mut self,
        owner: Owner,
        begin: Instant,
        end: Instant,
        operation: Operation,
    ) {
        let count = self.bios.len() as u64;
        self.steps += count;
        self.totals.bios_sent += count;
        if count == 1 {
            let bio = self.bios[0];
            let limit = self.members[bio.member.index()].limit;
            if limit.first_length(bio.start, bio.length) == bio.length {
                self.send_alone(owner, &bio, end);
                return;
            }
        }
        let span = end.since(begin).as_u64();
        let held = self.layers.bios_held_until_unplug(operation);
        let bios = std::mem::take(&mut self.bios);
        for (index, bio) in (0..).zip(&bios) {
            // Bios that wait for the unplug enter the same plug, only later.
            let done = held.map_or(index + 1, |most| {
                (index / most).saturating_add(1).saturating_mul(most)
            });
            let at = match done {
                done if done >= count => begin + Nanos::new(span),
                // A division takes longer than all else here, and most submissions are two bios.
                done if count == 2 => begin + Nanos::new(span * done / 2),
                done => begin + Nanos::new(span * done / count),
            };
            self.plug_bio(owner, bio, at);
        }
        self.bios = bios;
        self.end_plug(end);
    }

    /// Flushes the plug at the end of a submission.
    pub(super) fn end_plug(&mut self, at: Instant) {
        self.flush_plug(at);
        self.plug.has_several_queues = false;
    }

    /// Merges a bio into the plug or adds it, unless it may not wait there.
    #[inline(always)]
    pub(super) fn plug_bio(&mut self, owner: Owner, bio: &MemberBio, at: Instant) {
        let entry = self.entry(owner, bio);
        if entry == Entry::Passes {
            self.send_parts(owner, bio, at);
        } else if !self.merges(owner, bio) {
            self.add_to_plug(owner, bio, at, entry);
        }
    }

    /// Returns how a bio enters the plug.
    #[inline(always)]
    fn entry(&self, owner: Owner, bio: &MemberBio) -> Entry {
        let rule = self.plug.hardware_queues;
        if rule == HardwareQueuesPlug::Whole || !self.members[bio.member.index()].has_many_queues()
        {
            return Entry::Chain;
        }
        if rule == HardwareQueuesPlug::One {
            return Entry::Single;
        }
        let is_synchronous = match owner {
            Owner::Io(io) => self.ios[io].job != self.page_cache.flusher,
            _ => bio.flags != Flags::default(),
        };
        match is_synchronous || bio.operation != Operation::Write {
            true => Entry::Passes,
            false => Entry::Chain,
        }
    }

    /// Sends `self.bios` one by one, as a task without a plug does: none are merged.
    #[inline(always)]
    pub(super) fn send_without_plug(&mut self, owner: Owner, begin: Instant, end: Instant) {
        let (count, span) = (self.bios.len() as u64, end.since(begin).as_u64());
        self.steps += count;
        self.totals.bios_sent += count;
        if let [bio] = self.bios[..] {
            self.send_parts(owner, &bio, begin + Nanos::new(span));
            return;
        }
        let bios = std::mem::take(&mut self.bios);
        for (done, bio) in (1..).zip(&bios) {
            let at = match done {
                last if last == count => begin + Nanos::new(span),
                done => begin + Nanos::new(span * done / count),
            };
            self.send_parts(owner, bio, at);
        }
        self.bios = bios;
    }

    /// Sends a bio without the plug, as several requests if it is too long for one.
    #[inline(always)]
    fn send_parts(&mut self, owner: Owner, bio: &MemberBio, at: Instant) {
        let limit = self.members[bio.member.index()].limit;
        if limit.first_length(bio.start, bio.length) == bio.length {
            self.send_alone(owner, bio, at);
            return;
        }
        let mut rest = *bio;
        loop {
            let (part, is_last) = take_part(&mut rest, limit);
            let request = self.new_request(owner, &part, is_last);
            self.dispatch_at(request, at);
            if is_last {
                return;
            }
        }
    }

    /// Sends a single bio without the plug.
    #[inline(always)]
    fn send_alone(&mut self, owner: Owner, bio: &MemberBio, at: Instant) {
        let request = self.new_request(owner, bio, true);
        self.dispatch_at(request, at);
    }

    #[inline(always)]
    fn dispatch_at(&mut self, request: u32, at: Instant) {
        if at <= self.events.next_at() {
            self.dispatch(request, at);
        } else {
            self.requests[request].dispatched = at;
            self.events.add(at, Event::Dispatch(request));
        }
    }

    /// Adds a bio to the plug, as several requests if it is too long for one; flushes a full plug
    /// first.
    #[inline(always)]
    fn add_to_plug(&mut self, owner: Owner, bio: &MemberBio, at: Instant, entry: Entry) {
        let limit = self.members[bio.member.index()].limit;
        if limit.first_length(bio.start, bio.length) == bio.length {
            self.add_part_to_plug(owner, bio, true, at, entry);
            return;
        }
        let mut rest = *bio;
        loop {
            let (part, is_last) = take_part(&mut rest, limit);
            self.add_part_to_plug(owner, &part, is_last, at, entry);
            if is_last {
                return;
            }
        }
    }

    /// Adds what becomes one request to the plug.
    #[inline(always)]
    fn add_part_to_plug(
        &mut self,
        owner: Owner,
        part: &MemberBio,
        is_last: bool,
        at: Instant,
        entry: Entry,
    ) {
        if entry == Entry::Single {
            let request = self.new_request(owner, part, is_last);
            self.replace_single(part.member.index(), request, at);
            return;
        }
        if self.is_plug_full(part.member.index()) {
            self.flush_plug(at);
        }
        self.push_to_plug(owner, part, is_last);
    }

    /// Puts the only request of a member into the plug, and sends the one before it
    /// (`blk_mq_make_request`, 4.4).
    fn replace_single(&mut self, member: usize, request: u32, at: Instant) {
        let queue = &mut self.plug.queues[member];
        queue.open = request;
        queue.oldest = request;
        let before = std::mem::replace(&mut queue.single, request);
        if before != NONE {
            self.dispatch_at(before, at);
        }
    }

    /// Returns whether the plug is flushed before another request for `member` is added.
    #[inline(always)]
    fn is_plug_full(&self, member: usize) -> bool {
        let plug = &self.plug;
        if plug.last == NONE {
            return false;
        }
        let counted = match plug.policy.counts_per_queue {
            true => plug.queues[member].count,
            false => plug.total,
        };
        let measured = match plug.policy.flush_request {
            PlugFlushRequest::Newest => plug.last,
            PlugFlushRequest::Oldest => plug.first,
        };
        let bytes = self.requests[measured].length.bytes().as_u64();
        let requests_max = match plug.has_several_queues {
            true => plug.policy.requests_several_queues_max,
            false => plug.policy.requests_max,
        };
        counted >= requests_max || bytes >= plug.policy.flush_bytes
    }

    #[inline(always)]
    fn push_to_plug(&mut self, owner: Owner, bio: &MemberBio, is_last: bool) {
        let member = bio.member.index();
        let request = self.new_request(owner, bio, is_last);
        let plug = &mut self.plug;
        match plug.last {
            NONE => plug.first = request,
            last => {
                plug.has_several_queues |= self.requests[last].member != bio.member;
                self.requests[last].next = request;
            }
        }
        plug.last = request;
        plug.total += 1;
        let queue = &mut plug.queues[member];
        if queue.oldest == NONE {
            queue.oldest = request;
        }
        queue.open = request;
        queue.count += 1;
    }

    /// Returns the request of the plug that a bio for `member` may merge into; [`NONE`] if there is
    /// none.
    #[inline(always)]
    fn candidate(&self, member: usize) -> u32 {
        let plug = &self.plug;
        let queue = &plug.queues[member];
        let latest = queue.open;
        let is_newest_of_all = latest == plug.last || latest == queue.single;
        match plug.merge {
            PlugMerge::AnyOfQueue | PlugMerge::NewestOfQueue => latest,
            PlugMerge::OldestOfQueue => queue.oldest,
            _ if is_newest_of_all => latest,
            PlugMerge::NewestElseOldestOfQueue => queue.oldest,
            PlugMerge::Newest => NONE,
        }
    }

    /// Merges a bio into a request of the plug, if possible; returns whether it did.
    #[inline(always)]
    fn merges(&mut self, owner: Owner, bio: &MemberBio) -> bool {
        let candidate = self.candidate(bio.member.index());
        if candidate == NONE || bio.operation == Operation::Flush {
            return false;
        }
        let member = &mut self.members[bio.member.index()];
        let request = &mut self.requests[candidate];
        let is_front_merge = bio.start + bio.length == request.start;
        let touches = is_front_merge || request.start + request.length == bio.start;
        let is_mergeable = touches
            && request.operation == bio.operation
            && request.length + bio.length <= member.limit.max
            && !request.flags.preflush
            && !bio.flags.preflush
            && !request.flags.fua
            && !bio.flags.fua;
        if !is_mergeable {
            return false;
        }
        if is_front_merge {
            request.start = bio.start;
        }
        request.length += bio.length;
        request.parts += 1;
        member.counters.count_merge(bio.operation);
        let is_other = match owner {
            Owner::Parity => {
                let links = self.layers.link_tags(request.last_tag, bio.tag);
                request.last_tag = if links { bio.tag } else { request.last_tag };
                !links
            }
            _ => owner != request.owner,
        };
        if is_other {
            self.join(candidate, owner, bio);
        }
        true
    }

    /// Notes that a request also serves another I/O or bio, which completes with it.
    fn join(&mut self, request: u32, owner: Owner, bio: &MemberBio) {
        let joined = self.new_request(owner, bio, true);
        self.requests[joined].joined = self.requests[request].joined;
        self.requests[request].joined = joined;
    }

    #[inline(always)]
    fn new_request(&mut self, owner: Owner, bio: &MemberBio, is_last: bool) -> u32 {
        if let Owner::Io(io) = owner {
            self.ios[io].add_request();
        }
        let (number, request) = self.requests.claim(|| Request::EMPTY);
        request.renew(owner, bio);
        request.parts = u32::from(is_last);
        number
    }

    /// Flushes the plug at `at`.
    #[inline(always)]
    pub(super) fn flush_plug(&mut self, at: Instant) {
        if self.plug.hardware_queues == HardwareQueuesPlug::One {
            self.flush_singles(at);
        }
        let plug = &mut self.plug;
        let first = plug.first;
        if first == NONE {
            return;
        }
        (plug.first, plug.last, plug.total) = (NONE, NONE, 0);
        plug.queues.fill(PluggedQueue::EMPTY);
        if at <= self.events.next_at() {
            self.dispatch_all(first, at);
        } else {
            self.requests[first].dispatched = at;
            self.events.add(at, Event::Dispatch(first));
        }
    }

    /// Sends the requests that are the only ones of their members; there are none left then.
    fn flush_singles(&mut self, at: Instant) {
        for member in 0..self.plug.queues.len() {
            let queue = &mut self.plug.queues[member];
            let request = std::mem::replace(&mut queue.single, NONE);
            if request != NONE {
                queue.open = NONE;
                queue.oldest = NONE;
                self.dispatch_at(request, at);
            }
        }
    }

    /// Dispatches a chain of requests that leaves its plug now.
    pub(super) fn dispatch_chain(&mut self, first: u32) {
        self.dispatch_all(first, self.now);
    }

    #[inline(always)]
    fn dispatch_all(&mut self, first: u32, at: Instant) {
        let mut request = first;
        while request != NONE {
            let next = self.requests[request].next;
            self.dispatch(request, at);
            request = next;
        }
    }
}
