//! The plug: bios of one task are held back briefly, and adjacent ones become one request.
//!
//! `blk_attempt_plug_merge` (6.1), `attempt_plug_merge` (4.1): a bio is merged into a plugged
//! request of the same queue if it is adjacent to it. The plug is flushed when the task has
//! finished its submission, or earlier when it holds too much.

use super::Simulation;
use super::members::{NONE, Owner};
use crate::events::Event;
use crate::io::{MemberBio, Operation};
use crate::units::{Instant, Sectors};
use stripewise_profiles::kernel::{PlugMerge, PlugPolicy};
use stripewise_study::units::Nanos;

/// Requests that are held back.
#[derive(Debug)]
pub(super) struct Plug {
    policy: PlugPolicy,
    /// Which requests a bio may merge into. Bios of a member come in the order of their addresses,
    /// so only the newest request of its queue is a candidate anyway.
    merge: PlugMerge,
    /// The latest request of each member, which bios may still merge into.
    open: Vec<u32>,
    /// How many requests each member has in the plug.
    count: Vec<u32>,
    total: u32,
    /// Whether two requests that followed one another were for different members
    /// (`multiple_queues`); reset when the task has finished its submission.
    has_several_queues: bool,
    first: u32,
    last: u32,
}

impl Plug {
    pub(super) fn new(policy: PlugPolicy, merge: PlugMerge, members: usize) -> Self {
        Self {
            policy,
            merge,
            open: vec![NONE; members],
            count: vec![0; members],
            total: 0,
            has_several_queues: false,
            first: NONE,
            last: NONE,
        }
    }
}

impl Simulation {
    /// Sends `self.bios` through the plug; the CPU works on them evenly from `begin` to `end`.
    #[inline]
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
        let waits_for_unplug = self.layers.waits_for_unplug(operation);
        for index in 0..self.bios.len() {
            let bio = self.bios[index];
            if self.merges(owner, &bio) {
                continue;
            }
            // Bios that wait for the unplug enter the same plug, only later.
            let at = match waits_for_unplug {
                true => end,
                false => begin + Nanos::new(span * (index as u64 + 1) / count),
            };
            self.add_to_plug(owner, &bio, at);
        }
        self.flush_plug(end);
        self.plug.has_several_queues = false;
    }

    /// Sends `self.bios` one by one, as a task without a plug does: none are merged.
    pub(super) fn send_without_plug(&mut self, owner: Owner, begin: Instant, end: Instant) {
        let (count, span) = (self.bios.len() as u64, end.since(begin).as_u64());
        self.steps += count;
        self.totals.bios_sent += count;
        for index in 0..self.bios.len() {
            let bio = self.bios[index];
            let at = begin + Nanos::new(span * (index as u64 + 1) / count);
            let limit = self.members[bio.member.index()].limit;
            let (mut start, mut left) = (bio.start, bio.length);
            loop {
                let length = limit.first_length(start, left);
                // The bio is done when its last part is.
                let parts = u32::from(length == left);
                let part = self.new_request(owner, &bio, start, length, parts);
                self.dispatch_at(part, at);
                if length == left {
                    break;
                }
                start += length;
                left = left - length;
            }
        }
    }

    /// Sends a single bio without the plug.
    #[inline]
    fn send_alone(&mut self, owner: Owner, bio: &MemberBio, at: Instant) {
        let request = self.new_request(owner, bio, bio.start, bio.length, 1);
        self.dispatch_at(request, at);
    }

    #[inline]
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
    fn add_to_plug(&mut self, owner: Owner, bio: &MemberBio, at: Instant) {
        let limit = self.members[bio.member.index()].limit;
        let (mut start, mut left) = (bio.start, bio.length);
        loop {
            let length = limit.first_length(start, left);
            if self.is_plug_full(bio.member.index()) {
                self.flush_plug(at);
            }
            // The bio is done when its last part is.
            let parts = u32::from(length == left);
            self.push_to_plug(owner, bio, start, length, parts);
            if length == left {
                return;
            }
            start += length;
            left = left - length;
        }
    }

    /// Returns whether the plug is flushed before another request for `member` is added.
    fn is_plug_full(&self, member: usize) -> bool {
        let plug = &self.plug;
        if plug.last == NONE {
            return false;
        }
        let counted = match plug.policy.counts_per_queue {
            true => plug.count[member],
            false => plug.total,
        };
        let newest = self.requests[plug.last].length.bytes().as_u64();
        let requests_max = match plug.has_several_queues {
            true => plug.policy.requests_several_queues_max,
            false => plug.policy.requests_max,
        };
        counted >= requests_max || newest >= plug.policy.flush_bytes
    }

    fn push_to_plug(
        &mut self,
        owner: Owner,
        bio: &MemberBio,
        start: Sectors,
        length: Sectors,
        parts: u32,
    ) {
        let member = bio.member.index();
        let request = self.new_request(owner, bio, start, length, parts);
        let plug = &mut self.plug;
        match plug.last {
            NONE => plug.first = request,
            last => {
                plug.has_several_queues |= self.requests[last].member != bio.member;
                self.requests[last].next = request;
            }
        }
        plug.last = request;
        plug.open[member] = request;
        plug.count[member] += 1;
        plug.total += 1;
    }

    /// Merges a bio into the latest request of its member, if possible; returns whether it did.
    #[inline]
    fn merges(&mut self, owner: Owner, bio: &MemberBio) -> bool {
        let member = &mut self.members[bio.member.index()];
        let latest = self.plug.open[bio.member.index()];
        if latest == NONE || bio.operation == Operation::Flush {
            return false;
        }
        if self.plug.merge == PlugMerge::Newest && latest != self.plug.last {
            return false;
        }
        let request = &mut self.requests[latest];
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
        if owner == Owner::Parity {
            self.layers.link_tags(request.last_tag, bio.tag);
            request.last_tag = bio.tag;
        }
        true
    }

    fn new_request(
        &mut self,
        owner: Owner,
        bio: &MemberBio,
        start: Sectors,
        length: Sectors,
        parts: u32,
    ) -> u32 {
        if let Owner::Io(io) = owner {
            self.ios[io].add_request();
        }
        let number = self.claim_request(owner, bio);
        let request = &mut self.requests[number];
        request.start = start;
        request.length = length;
        request.parts = parts;
        number
    }

    /// Flushes the plug at `at`.
    pub(super) fn flush_plug(&mut self, at: Instant) {
        let plug = &mut self.plug;
        let first = plug.first;
        if first == NONE {
            return;
        }
        (plug.first, plug.last, plug.total) = (NONE, NONE, 0);
        plug.open.fill(NONE);
        plug.count.fill(0);
        if at <= self.events.next_at() {
            self.dispatch_all(first, at);
        } else {
            self.requests[first].dispatched = at;
            self.events.add(at, Event::Dispatch(first));
        }
    }

    /// Dispatches a chain of requests that leaves its plug now.
    pub(super) fn dispatch_chain(&mut self, first: u32) {
        self.dispatch_all(first, self.now);
    }

    fn dispatch_all(&mut self, first: u32, at: Instant) {
        let mut request = first;
        while request != NONE {
            let next = self.requests[request].next;
            self.dispatch(request, at);
            request = next;
        }
    }
}
