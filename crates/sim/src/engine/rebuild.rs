//! A rebuild under load: failed members are replaced, and their contents are written again.
//!
//! Mirrors read 64 KiB from a good member and write them to the new one (`raid1_sync_request`,
//! `raid10_sync_request`); parity arrays go stripe by stripe through their cache. `md_do_sync`
//! holds the pace between `speed_limit_min` and `speed_limit_max` and yields to other I/O; see
//! [`crate::array::resync`]. On mirrors, rebuild requests and host I/O take turns; see
//! [`crate::array::barrier`]. After each sixteenth of the member it waits for its requests and
//! records a checkpoint (`curr_resync_completed`, `recovery_offset`): below it, reads may use the
//! new member.

use stripewise_profiles::kernel::ResyncPolicy;
use stripewise_study::stack::Level;
use stripewise_units::Nanos;

use super::Simulation;
use super::layers::{METADATA_TAG, Mapping};
use super::members::{Owner, Request};
use crate::array::raid10::COPIES_MAX;
use crate::array::resync::{
    ArrayActivity, Idleness, MemberActivity, Pace, Pacing, ResyncRequests, SpeedLimits,
};
use crate::events::Event;
use crate::io::{Member, MemberBio, Operation, Place};
use crate::units::{Instant, Sectors};

/// Stripes that a parity array rebuilds at once: the kernel continues until the cache has no free
/// stripe; so does the model, up to this bound.
const STRIPES_MAX: u32 = 128;

/// How long it waits before it retries after finding no free stripe or no source.
const RETRY: Nanos = Nanos::from_millis(1);

/// The number of checkpoints in a rebuild (`max_sectors >> 4`).
const CHECKPOINTS: u64 = 16;

/// A running rebuild.
#[derive(Debug)]
pub(super) struct Rebuild {
    target: Member,
    requests: ResyncRequests,
    pacing: Pacing,
    idleness: Idleness,
    activity: Vec<MemberActivity>,
    /// The next sector on the target.
    next: Sectors,
    size: Sectors,
    under_way: u32,
    is_scheduled: bool,
    /// Whether it waits until none of its requests is in flight.
    drains: bool,
    /// Whether there was no free stripe for the next request.
    had_no_room: bool,
    /// The last checkpoint in the superblocks (`curr_resync_completed`).
    completed: Sectors,
    done_sectors: u64,
    /// When that count began.
    counted_since: Instant,
    /// Whether only ranges marked in the bitmap are rebuilt.
    only_missed: bool,
}

/// The parameters of a rebuild.
#[derive(Debug, Clone, Copy)]
pub(super) struct RebuildOf {
    /// The level of the array.
    pub(super) level: Level,
    /// The requests that it sends.
    pub(super) requests: ResyncRequests,
    /// The kernel's rules.
    pub(super) policy: ResyncPolicy,
    /// How much of each member is used.
    pub(super) size: Sectors,
    /// How many members there are.
    pub(super) members: usize,
}

impl Rebuild {
    /// Returns the rebuild of `target` that begins `now`.
    pub(super) fn new(of: RebuildOf, speeds: SpeedLimits, target: Member, now: Instant) -> Self {
        Self {
            target,
            requests: of.requests,
            pacing: Pacing::new(of.level, of.policy, speeds, now),
            idleness: Idleness::new(of.policy, of.members),
            activity: vec![MemberActivity::default(); of.members],
            next: Sectors::default(),
            size: of.size,
            under_way: 0,
            is_scheduled: false,
            drains: false,
            had_no_room: false,
            completed: Sectors::default(),
            done_sectors: 0,
            counted_since: now,
            only_missed: false,
        }
    }

    /// Skips the ranges that are clean in the bitmap.
    pub(super) fn only_missed(mut self) -> Self {
        self.only_missed = true;
        self
    }

    /// Returns the next sector on the member.
    pub(super) fn reached(&self) -> Sectors {
        self.next
    }

    fn depth(&self) -> u32 {
        self.requests.depth.unwrap_or(STRIPES_MAX)
    }

    /// Returns whether it waits for its own requests, or has none left to send.
    fn waits(&mut self) -> bool {
        self.drains &= self.under_way > 0;
        self.drains || self.under_way >= self.depth() || self.next >= self.size
    }

    /// Returns whether a checkpoint is due.
    fn is_checkpoint_due(&self) -> bool {
        (self.next - self.completed).get() > self.size.get() / CHECKPOINTS
    }

    /// Counts a member's completed request.
    #[inline]
    pub(super) fn note(&mut self, request: &Request) {
        self.activity[request.member.index()].done_sectors += request.length.get();
    }

    /// Counts a bio that the thread of a parity array sends to a member for the rebuild
    /// (`md_sync_acct` in `ops_run_io`: only when the stripe is handled).
    pub(super) fn note_bio(&mut self, bio: &MemberBio) {
        self.activity[bio.member.index()].resync_sectors += bio.length.get();
    }

    /// Resets the count of rebuilt sectors.
    pub(super) fn reset_counters(&mut self, now: Instant) {
        self.done_sectors = 0;
        self.counted_since = now;
    }
}

impl Simulation {
    /// Continues the rebuild as far as its pace allows.
    pub(super) fn rebuild(&mut self) {
        let now = self.now;
        loop {
            self.skip_clean_ranges();
            let Some(rebuild) = &mut self.rebuild else {
                return;
            };
            rebuild.is_scheduled = false;
            if rebuild.waits() {
                return;
            }
            let in_flight = self.totals.in_flight;
            let idleness = &mut rebuild.idleness;
            let activity = &rebuild.activity;
            let array = ArrayActivity {
                done_sectors: self.bounds.done.iter().sum(),
                in_flight,
            };
            match rebuild
                .pacing
                .next(now, || idleness.is_idle(activity, array))
            {
                Pace::Go => {}
                Pace::Sleep(until) => {
                    rebuild.is_scheduled = true;
                    self.events.add(until, Event::Rebuild);
                    return;
                }
                Pace::Drain => {
                    rebuild.drains = true;
                    if rebuild.waits() {
                        return;
                    }
                }
            }
            // A checkpoint comes before the next request, and so after the pace check of the last
            // one.
            if rebuild.is_checkpoint_due() {
                rebuild.drains = true;
                if rebuild.waits() {
                    return;
                }
                rebuild.completed = rebuild.next;
                self.layers.recovered(rebuild.target, rebuild.next);
            }
            let at = rebuild.next;
            if !self.raise_barrier(at) || !self.rebuild_next() {
                return;
            }
        }
    }

    /// Skips ranges of the re-added member that are clean in the bitmap: no request is sent for
    /// them, so they do not count for the pace (`skipped` in `md_do_sync`).
    fn skip_clean_ranges(&mut self) {
        let Some(rebuild) = &mut self.rebuild else {
            return;
        };
        if !rebuild.only_missed {
            return;
        }
        while rebuild.next < rebuild.size {
            match self.layers.not_missed(rebuild.target, rebuild.next) {
                Some(length) => rebuild.next += length.min(rebuild.size - rebuild.next),
                None => break,
            }
        }
        self.end_rebuild_if_done();
    }

    /// Puts the rebuild to sleep until `until`.
    pub(super) fn sleep_rebuild(&mut self, until: Instant) {
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.is_scheduled = true;
            self.events.add(until, Event::Rebuild);
        }
    }

    fn sleep_a_tick(&mut self) {
        if let Some(rebuild) = &self.rebuild {
            self.sleep_rebuild(rebuild.pacing.after_tick(self.now));
        }
    }

    /// Puts the rebuild to sleep because I/O waits at the barrier.
    pub(super) fn sleep_for_barrier(&mut self) {
        if let Some(rebuild) = &self.rebuild {
            self.sleep_rebuild(rebuild.pacing.barrier_sleep_end(self.now));
        }
    }

    /// Continues the rebuild now, unless it sleeps.
    pub(super) fn wake_rebuild(&mut self) {
        if self
            .rebuild
            .as_ref()
            .is_some_and(|rebuild| !rebuild.is_scheduled)
        {
            self.sleep_rebuild(self.now);
        }
    }

    /// Retries later, because there was no source to read from.
    fn retry_rebuild(&mut self, at: Sectors) {
        self.lower_barrier(at);
        self.sleep_rebuild(self.now + RETRY);
    }

    /// Sends the next request; returns whether the one after it may follow at once.
    fn rebuild_next(&mut self) -> bool {
        let Some(rebuild) = &mut self.rebuild else {
            return false;
        };
        let (at, target) = (rebuild.next, rebuild.target);
        let mut sleeps = false;
        let mut length = rebuild.requests.length.min(rebuild.size - at);
        if rebuild.only_missed {
            length = self.layers.missed_length(target, at, length);
        }
        if let Mapping::Parity(array) = &mut self.layers.mapping {
            let is_room = array.parity.sync_request(at, false);
            let had_no_room = std::mem::replace(&mut rebuild.had_no_room, !is_room);
            if !is_room {
                self.sleep_rebuild(self.now + RETRY);
                return false;
            }
            // After a wait for a stripe it leaves some to others (`raid5_sync_request`).
            sleeps = had_no_room;
        } else {
            let Some((source, most)) = self.source_of(target, at) else {
                self.retry_rebuild(at);
                return false;
            };
            length = length.min(most);
            if let Some(barriers) = &self.barriers {
                length = barriers.in_unit(at, length);
            }
            self.send_rebuild(Operation::Read, source, length);
        }
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.next += length;
            rebuild.under_way += 1;
            rebuild.pacing.issued(length);
        }
        self.wake_thread(self.now);
        if sleeps {
            self.sleep_a_tick();
        }
        !sleeps
    }

    /// Returns another copy of a member's sector, and how many sectors it covers.
    fn source_of(&self, target: Member, at: Sectors) -> Option<(Place, Sectors)> {
        let place = Place {
            member: target,
            sector: at,
        };
        let is_good = |place: &Place| {
            place.member != target && self.layers.heads[place.member.index()].readable
        };
        match &self.layers.mapping {
            Mapping::Raid1(map, _) => {
                let sector = map.find_virtual(place)?;
                let source = map.find(sector).find(is_good)?;
                Some((source, Sectors::new(u64::MAX)))
            }
            Mapping::Raid10(map, _) => {
                let sector = map.find_virtual(place)?;
                let mut places = [Place::default(); COPIES_MAX];
                let copies = map.find(sector, &mut places);
                let source = places[..copies].iter().copied().find(is_good)?;
                Some((source, map.first_length(sector, Sectors::new(u64::MAX / 2))))
            }
            _ => None,
        }
    }

    fn send_rebuild(&mut self, operation: Operation, place: Place, length: Sectors) {
        self.layers.begin_metadata(place.member.index());
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.activity[place.member.index()].resync_sectors += length.get();
        }
        let bio = MemberBio {
            tag: METADATA_TAG,
            ..MemberBio::new(operation, place, length)
        };
        let request = self.claim_request(Owner::Rebuild, &bio);
        self.dispatch(request, self.now);
    }

    /// Ends a request of a mirror's rebuild: after a read it writes the data to the target.
    pub(super) fn rebuild_request_done(&mut self, request: &Request) {
        if request.operation == Operation::Read {
            let Some(rebuild) = &self.rebuild else {
                return;
            };
            // The place on the target from which the read was made.
            let place = self.target_place(rebuild.target, request);
            self.send_rebuild(Operation::Write, place, request.length);
            return;
        }
        self.lower_barrier(request.start);
        self.rebuilt(request.length);
    }

    /// Returns the place on the target of the data that was read.
    fn target_place(&self, target: Member, request: &Request) -> Place {
        let source = Place {
            member: request.member,
            sector: request.start,
        };
        let sector = match &self.layers.mapping {
            Mapping::Raid10(map, _) => map.find_virtual(source).map(|sector| {
                let mut places = [Place::default(); COPIES_MAX];
                let copies = map.find(sector, &mut places);
                let mine = places[..copies].iter().find(|place| place.member == target);
                mine.map_or(request.start, |place| place.sector)
            }),
            _ => Some(request.start),
        };
        Place {
            member: target,
            sector: sector.unwrap_or(request.start),
        }
    }

    /// Counts `length` of the new member as written.
    pub(super) fn rebuilt(&mut self, length: Sectors) {
        let Some(rebuild) = &mut self.rebuild else {
            return;
        };
        let pieces = match rebuild.requests.depth {
            Some(_) => 1,
            None => length.get() / rebuild.requests.length.get(),
        };
        rebuild.under_way -= u32::try_from(pieces).unwrap_or(rebuild.under_way);
        rebuild.pacing.done(length);
        rebuild.done_sectors += length.get();
        if !rebuild.is_scheduled {
            rebuild.is_scheduled = true;
            self.events.add(self.now, Event::Rebuild);
        }
        if let Some(script) = &mut self.script {
            script.rebuilt(self.now, length);
        }
        self.end_rebuild_if_done();
    }

    /// Ends the rebuild once all of the member is written.
    fn end_rebuild_if_done(&mut self) {
        let Some(rebuild) = &self.rebuild else {
            return;
        };
        if rebuild.next < rebuild.size || rebuild.under_way > 0 {
            return;
        }
        self.layers.end_rebuild(rebuild.target);
        self.rebuild = None;
        if let Some(script) = &mut self.script {
            script.rebuild_ended(self.now);
        }
    }

    /// Returns the speed of the rebuild in bytes per second.
    pub(super) fn rebuild_rate(&self) -> Option<f64> {
        let rebuild = self.rebuild.as_ref()?;
        let bytes = Sectors::new(rebuild.done_sectors).bytes();
        let elapsed = self.now.since(rebuild.counted_since);
        Some(stripewise_study::sample::as_f64(bytes.as_u64()) / elapsed.as_secs_f64().max(1e-9))
    }
}
