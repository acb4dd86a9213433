//! A hard disk from its data sheet: one arm, one platter that never stops, a buffer.
//!
//! ```text
//!  request -> link -> buffer hit? ------------------------------> done
//!                        | no                                      ^
//!                        v                                         |
//!                  queue (NCQ) -- shortest positioning time --> arm, platter
//!                  write cache -'        first
//! ```
//!
//! - The angle of the platter is virtual time modulo the revolution (`geometry`), so a write that
//!   is a little late waits a whole revolution, as on a real drive.
//! - When the arm becomes free, the request with the shortest positioning time (seek and rotation)
//!   goes first; one that has waited longer than the profile's bound goes before all others.
//! - A seek takes longer before a write than before a read (`seek`).
//! - After a read the drive reads ahead until its segment is full or other work arrives. A request
//!   a little further on is then served without a seek, as the platter turns.
//! - Cached writes are acknowledged at once, merged where they touch, and destaged when the drive
//!   has no other work, when the cache is full, or for a flush. The drive reads ahead first, so
//!   destaging does not disturb a sequential reader. It destages by ascending address, from the arm
//!   to the end and again from the beginning (C-LOOK), and not by rotation: one 2 TB disk was
//!   measured at 9.4 ms for each of the cached writes that it flushed, however many.
//! - A flush excludes other commands (`gate`): this is a SATA disk. A SAS disk would continue to
//!   serve them.
//!
//! Not modelled: reallocated sectors, thermal recalibration, reads that are repeated because of
//! vibration, and read-ahead for a stream while other requests wait. Seeks over one distance do not
//! differ: on one disk their standard deviation was 0.065 ms (`maxtor300g.seek`, published with
//! DiskSim). With that deviation, and with requests chosen by their expected time (US 6725327: the
//! time plus a revolution times the probability to be late), 32 queued random reads are 1.3 %
//! slower.
//!
//! Sources: Ruemmler and Wilkes 1994 (the structure); Jacobson and Wilkes, HPL-CSL-91-7, 1991, and
//! Seltzer, Chen and Ousterhout, USENIX Winter 1990 (shortest positioning time with ageing); Gill and
//! Modha, "WOW: Wise Ordering for Writes", FAST 2005 (destaging by address).

mod cache;
mod geometry;
mod runs;
mod seek;

use std::collections::VecDeque;

use stripewise_profiles::device::disk::DiskProfile;
use stripewise_units::Nanos;

use self::cache::{ReadCache, Run, WriteCache};
use self::geometry::Geometry;
use self::runs::RunPlace;
use self::seek::SeekCurve;
use super::agenda::Agenda;
use super::fill_level::{self, FillLevels};
use super::gate::Gate;
use super::wire::Wire;
use super::{Completed, DeviceRequest};
use crate::io::Operation;
use crate::random::{Component, Stream};
use crate::slab::Slab;
use crate::units::{Instant, Sectors};

/// The maximum that one pass of the heads writes of a cached run. The next pass continues without
/// losing a revolution, so this only bounds how long a read waits.
const DESTAGE_SECTORS_MAX: u64 = 1024;

/// The requests that a disk takes at once (NCQ has 32 tags); more only cost memory.
const QUEUE_DEPTH: usize = 32;

/// An event inside the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A command and its data have reached the drive.
    Arrived(u32),
    /// The heads have passed the last sector.
    MediaDone,
    /// The read-ahead has filled its segment.
    ReadAheadDone,
    /// A request returns to the host.
    Finished(u32),
}

/// A request in the drive.
#[derive(Debug, Clone, Copy)]
struct Active {
    id: u32,
    operation: Operation,
    fua: bool,
    run: Run,
    target: Target,
    submitted: Instant,
    arrived: Instant,
    service_ns: u64,
}

/// Where a run lies, and when it passes the heads: what every choice among queued requests asks.
#[derive(Debug, Clone, Copy, Default)]
struct Target {
    track: u64,
    cylinder: u64,
    /// The media time of its beginning, also as an angle, and that of its end.
    media_ns: u64,
    angle_ns: u64,
    end_ns: u64,
}

/// Where the arm and the platter are.
#[derive(Debug, Clone, Copy)]
struct Stance {
    now: Instant,
    track: u64,
    cylinder: u64,
    angle_ns: u64,
}

/// The current pass of the heads.
#[derive(Debug, Clone, Copy)]
struct Job {
    /// The request; none for a cached write.
    request: Option<u32>,
    run: Run,
    segment: Option<usize>,
    began: Instant,
}

/// A read that the drive continues beyond its request.
#[derive(Debug, Clone, Copy)]
struct ReadAhead {
    segment: usize,
    since: Instant,
    from_media_ns: u64,
    until_sector: u64,
    until: Instant,
}

/// The shortest way to a run: when its first unread sector arrives, and when its last has passed.
#[derive(Debug, Clone, Copy)]
struct Plan {
    position_ns: u64,
    done: Instant,
    segment: Option<usize>,
}

/// The times of the arm.
#[derive(Debug)]
struct Arm {
    seek: SeekCurve,
    track_switch_ns: u64,
}

impl Arm {
    fn new(profile: &DiskProfile, before_writes: bool, cylinders: u64) -> Self {
        let seek = SeekCurve::new(profile, before_writes, cylinders);
        // Another head settles on its track as after a seek to the next cylinder.
        let settles_ns = profile.seek_write_track_to_track_ns;
        let longer_ns = settles_ns.filter(|_| before_writes).map_or(0, |time| {
            time.saturating_sub(profile.seek_track_to_track_ns)
        });
        Self {
            seek,
            track_switch_ns: u64::from(profile.track_switch_ns) + u64::from(longer_ns),
        }
    }
}

/// A hard disk in virtual time.
#[derive(Debug)]
pub struct Disk {
    geometry: Geometry,
    /// The arm before reads and before writes.
    arms: [Arm; 2],
    queue_wait_max_ns: u64,
    phase_ns: u64,
    wire: Wire,
    gate: Gate,
    agenda: Agenda<Event>,
    active: Slab<Active>,
    /// Requests that need the arm, by arrival.
    queue: Vec<u32>,
    /// Writes that wait for space in the write cache.
    waiting: VecDeque<u32>,
    reads: ReadCache,
    writes: WriteCache,
    flush: Option<u32>,
    job: Option<Job>,
    head_sector: u64,
    read_ahead: Option<ReadAhead>,
    /// When the drive checks again whether it may destage; one such event at a time is enough.
    wake_at: Instant,
    done: Vec<Completed>,
    /// Whether to remember what is written back, and what was.
    is_watched: bool,
    destaged: Vec<[u64; 2]>,
}

impl Disk {
    /// Returns an idle disk; the seed sets the platter's angle, so that the disks of an array do
    /// not turn in step.
    ///
    /// # Panics
    /// If the profile does not pass [`DiskProfile::check`].
    pub fn new(profile: &DiskProfile, seed: u64) -> Self {
        assert_eq!(
            profile.check(),
            Ok(()),
            "profiles are checked when they are read"
        );
        let geometry = Geometry::new(profile);
        let arms = [false, true].map(|write| Arm::new(profile, write, geometry.cylinders()));
        let mut stream = Stream::child(seed, Component::Platter);
        let phase_ns = stream.below(geometry.revolution_ns());
        let segments = u64::from(profile.read_segments_count);
        let segment_bytes = profile.read_cache_bytes.checked_div(segments).unwrap_or(0);
        Self {
            geometry,
            arms,
            queue_wait_max_ns: profile.queue_wait_max_ns,
            phase_ns,
            wire: Wire::new(&profile.link),
            gate: Gate::new(true, QUEUE_DEPTH),
            agenda: Agenda::with_capacity(4 * QUEUE_DEPTH),
            active: Slab::default(),
            queue: Vec::with_capacity(QUEUE_DEPTH),
            waiting: VecDeque::with_capacity(QUEUE_DEPTH),
            reads: ReadCache::new(
                profile.read_segments_count as usize,
                segment_bytes / Sectors::BYTES,
            ),
            writes: WriteCache::new(
                profile.write_cache_runs_count as usize,
                profile.write_cache_bytes / Sectors::BYTES,
            ),
            flush: None,
            job: None,
            head_sector: 0,
            read_ahead: None,
            wake_at: Instant::START,
            done: Vec::with_capacity(QUEUE_DEPTH),
            is_watched: false,
            destaged: Vec::new(),
        }
    }

    /// Makes it remember what it writes back.
    pub(crate) fn watch_cache(&mut self) {
        self.is_watched = true;
    }

    /// Moves the runs that it has written back since the last call to `runs`.
    pub(crate) fn take_destaged(&mut self, runs: &mut Vec<[u64; 2]>) {
        runs.append(&mut self.destaged);
    }

    /// Adds the parts of a run that are in the write cache or on their way from it to the platter.
    pub(crate) fn add_cached(&self, [start, end]: [u64; 2], parts: &mut Vec<[u64; 2]>) {
        let job = self.job.filter(|job| job.request.is_none());
        let runs = self.writes.runs().copied();
        for run in runs.chain(job.map(|job| job.run)) {
            let (from, to) = (run.start.max(start), run.end.min(end));
            if from < to {
                parts.push([from, to]);
            }
        }
    }

    /// Takes a request at `now`, which is not before that of the last call.
    ///
    /// Sectors past the end of the disk count as its last ones.
    pub fn submit(&mut self, now: Instant, request: DeviceRequest) {
        self.run_until(now);
        let start = request.start.get().min(self.geometry.sectors() - 1);
        let end = (start + request.length.get()).min(self.geometry.sectors());
        let place = self.active.insert(Active {
            id: request.id,
            operation: request.operation,
            fua: request.fua,
            run: Run { start, end },
            target: Target::default(),
            submitted: now,
            arrived: now,
            service_ns: 0,
        });
        self.gate
            .arrive(place, request.operation == Operation::Flush);
        self.admit(now);
    }

    /// Returns when the next event is; [`Instant::NEVER`] if the drive is idle.
    pub fn next_event(&self) -> Instant {
        self.done
            .first()
            .map_or(self.agenda.next_at(), |done| done.at)
    }

    /// Advances to `now` and adds the requests completed by then, in the order of completion.
    pub fn advance(&mut self, now: Instant, completed: &mut Vec<Completed>) {
        self.run_until(now);
        completed.append(&mut self.done);
    }

    /// Returns whether acknowledged writes are lost with the power, until a flush.
    pub(crate) const fn has_volatile_cache(&self) -> bool {
        self.writes.is_on()
    }

    /// Adds the fill level of its write cache.
    pub(crate) fn add_levels(&self, levels: &mut FillLevels) {
        let (holds, received) = self.writes.level();
        let bytes = |sectors| Sectors::new(sectors).bytes().as_u64();
        fill_level::add(&mut levels.write_cache, bytes(holds), bytes(received));
    }

    /// Returns whether its write cache has been full, so that it is slower than at first.
    pub(crate) fn has_filled(&self) -> bool {
        self.writes.has_refused()
    }

    fn run_until(&mut self, now: Instant) {
        while let Some((at, event)) = self.agenda.take_until(now) {
            match event {
                Event::Arrived(place) => self.arrived(at, place),
                Event::MediaDone => self.media_done(at),
                Event::ReadAheadDone => self.start_job(at),
                Event::Finished(place) => self.finish(at, place),
            }
        }
    }

    /// Lets requests through the gate and onto the link.
    fn admit(&mut self, now: Instant) {
        while let Some(place) = self.gate.enter() {
            let request = &mut self.active[place];
            let bytes = match request.operation {
                Operation::Write => Sectors::new(request.run.length()).bytes().as_u64(),
                Operation::Read | Operation::Flush => 0,
            };
            let passage = self.wire.command(now, bytes);
            request.service_ns += passage.busy.as_u64();
            request.arrived = passage.end;
            self.agenda.add(passage.end, Event::Arrived(place));
        }
    }

    fn arrived(&mut self, now: Instant, place: u32) {
        let request = &self.active[place];
        let (run, fua) = (request.run, request.fua);
        match request.operation {
            Operation::Flush => {
                self.flush = Some(place);
                self.end_flush(now);
            }
            Operation::Read => {
                self.note_read_ahead(now);
                if self.writes.holds(run) || self.reads.holds(run) {
                    self.answer_from_buffer(now, place);
                } else {
                    self.queue_up(place);
                }
            }
            Operation::Write if fua || !self.writes.is_on() => self.queue_up(place),
            Operation::Write => {
                self.waiting.push_back(place);
                self.admit_writes(now);
            }
        }
        self.start_job(now);
    }

    /// Lets a request wait for the arm.
    fn queue_up(&mut self, place: u32) {
        let run = self.active[place].run;
        self.active[place].target = self.target(run.start, run.end);
        self.queue.push(place);
    }

    fn answer_from_buffer(&mut self, now: Instant, place: u32) {
        let request = &mut self.active[place];
        let bytes = Sectors::new(request.run.length()).bytes().as_u64();
        let passage = self.wire.data_out(now, bytes);
        request.service_ns += passage.busy.as_u64();
        self.agenda.add(passage.end, Event::Finished(place));
    }

    /// Acknowledges writes in the order of arrival while the write cache has room.
    fn admit_writes(&mut self, now: Instant) {
        while let Some(&place) = self.waiting.front() {
            if !self.writes.accept(self.active[place].run) {
                break;
            }
            self.waiting.pop_front();
            self.agenda.add(now, Event::Finished(place));
        }
    }

    fn media_done(&mut self, now: Instant) {
        let Some(job) = self.job.take() else { return };
        self.head_sector = job.run.end;
        match job.request {
            None => {
                self.writes.release(job.run);
                if self.is_watched {
                    self.writes.add_missing(job.run, &mut self.destaged);
                }
                self.admit_writes(now);
                self.end_flush(now);
            }
            Some(place) => {
                let request = &mut self.active[place];
                request.service_ns += now.since(job.began).as_u64();
                let mut end = now;
                if request.operation == Operation::Read {
                    let bytes = Sectors::new(request.run.length()).bytes().as_u64();
                    end = self.wire.data_streamed(now, bytes).end;
                    self.start_read_ahead(now, job);
                }
                self.agenda.add(end, Event::Finished(place));
            }
        }
        self.start_job(now);
    }

    /// Completes the running flush once the write cache is empty; the gate excludes other commands.
    fn end_flush(&mut self, now: Instant) {
        let in_flight = self.job.is_some_and(|job| job.request.is_none());
        if !self.writes.is_empty() || in_flight {
            return;
        }
        if let Some(place) = self.flush.take() {
            let request = &mut self.active[place];
            request.service_ns += now.since(request.arrived).as_u64();
            self.agenda.add(now, Event::Finished(place));
        }
    }

    fn finish(&mut self, now: Instant, place: u32) {
        let request = &self.active[place];
        let is_flush = request.operation == Operation::Flush;
        let total_ns = now.since(request.submitted).as_u64();
        let service_ns = request.service_ns.min(total_ns);
        self.done.push(Completed {
            id: request.id,
            at: now,
            queued_ns: Nanos::new(total_ns - service_ns),
            service_ns: Nanos::new(service_ns),
        });
        self.active.remove(place);
        self.gate.leave(is_flush);
        self.admit(now);
    }

    /// Caches the data of a read and reads ahead after it until the segment is full.
    fn start_read_ahead(&mut self, now: Instant, job: Job) {
        let segment = match job.segment {
            Some(segment) => {
                self.reads.extend(segment, job.run.end);
                Some(segment)
            }
            None => self.reads.begin(job.run),
        };
        let window = self.reads.segment_sectors();
        let until_sector = (job.run.end + window).min(self.geometry.sectors());
        let from_media_ns = self.geometry.media_ns(job.run.end);
        let length_ns = self.geometry.media_ns(until_sector) - from_media_ns;
        self.read_ahead = segment.map(|segment| ReadAhead {
            segment,
            since: now,
            from_media_ns,
            until_sector,
            until: now + Nanos::new(length_ns),
        });
    }

    /// Adds to the segment the sectors read ahead by `now`.
    fn note_read_ahead(&mut self, now: Instant) {
        let Some(ahead) = self.read_ahead else { return };
        let end = match now >= ahead.until {
            true => ahead.until_sector,
            false => {
                let passed_ns = now.since(ahead.since).as_u64();
                let sector = self.geometry.sector_at(ahead.from_media_ns + passed_ns);
                sector.min(ahead.until_sector)
            }
        };
        self.reads.extend(ahead.segment, end);
        self.head_sector = self.head_sector.max(end);
    }

    /// Starts the next job of the arm, if the arm is free and there is one.
    fn start_job(&mut self, now: Instant) {
        if self.job.is_some() {
            return;
        }
        self.note_read_ahead(now);
        let waited_too_long =
            |place: u32| now.since(self.active[place].arrived).as_u64() > self.queue_wait_max_ns;
        let first_is_late = self
            .queue
            .first()
            .is_some_and(|&place| waited_too_long(place));
        let write_is_late = self
            .waiting
            .front()
            .is_some_and(|&place| waited_too_long(place));
        let requests = match (first_is_late, write_is_late) {
            (true, _) => &self.queue[..1],
            (false, true) => &self.queue[..0],
            (false, false) => &self.queue[..],
        };
        let requested = self.nearest_request(now, requests);
        let cached = if first_is_late || !self.may_destage(now) {
            None
        } else {
            self.next_cached()
        };
        match (requested, cached) {
            (Some((_, plan)), Some((index, run)))
                if self.plan_from_here(now, run).position_ns < plan.position_ns =>
            {
                self.start_destage(now, index);
            }
            (Some((index, plan)), _) => {
                let place = self.queue.remove(index);
                let run = self.active[place].run;
                self.begin(now, Some(place), run, plan);
            }
            (None, Some((index, _))) => self.start_destage(now, index),
            (None, None) => {}
        }
    }

    /// Returns whether to destage cached writes: when there is no other work, or a write or flush
    /// waits for their space.
    fn may_destage(&mut self, now: Instant) -> bool {
        if self.writes.is_empty() {
            return false;
        }
        if self.flush.is_some() || !self.waiting.is_empty() {
            return true;
        }
        let Some(ahead) = self.read_ahead else {
            return self.queue.is_empty();
        };
        if self.queue.is_empty() && now < ahead.until {
            if self.wake_at != ahead.until {
                self.wake_at = ahead.until;
                self.agenda.add(ahead.until, Event::ReadAheadDone);
            }
            return false;
        }
        self.queue.is_empty()
    }

    fn nearest_request(&self, now: Instant, places: &[u32]) -> Option<(usize, Plan)> {
        if places.is_empty() {
            return None;
        }
        let here = self.stance(now);
        let mut nearest: Option<(usize, Plan)> = None;
        for (index, &place) in places.iter().enumerate() {
            let request = &self.active[place];
            // Among equals the first to arrive wins.
            let is_nearer = |position_ns: u64| {
                nearest.is_none_or(|(_, nearest)| position_ns < nearest.position_ns)
            };
            if !is_nearer(self.least_ns(here, request)) {
                continue;
            }
            let plan = self.plan(here, request.run, request.target, request.operation);
            if is_nearer(plan.position_ns) {
                nearest = Some((index, plan));
            }
        }
        nearest
    }

    /// Returns the time that a request takes at least to be under its head: as the platter turns,
    /// wherever the arm is.
    #[inline]
    fn least_ns(&self, here: Stance, request: &Active) -> u64 {
        match request.operation == Operation::Read && self.reads.may_reach(request.run.start) {
            true => 0,
            false => self.turn_ns(here.angle_ns, request.target.angle_ns),
        }
    }

    /// Returns the time in which the platter turns from one angle to another.
    #[inline]
    const fn turn_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        match to_ns >= from_ns {
            true => to_ns - from_ns,
            false => to_ns + self.geometry.revolution_ns() - from_ns,
        }
    }

    /// Returns the first cached run at or after the heads, or the first of all.
    fn next_cached(&self) -> Option<(RunPlace, Run)> {
        self.writes.next_from(self.head_sector)
    }

    /// Returns the way to a cached run.
    fn plan_from_here(&self, now: Instant, run: Run) -> Plan {
        let target = self.target(run.start, run.end);
        self.plan(self.stance(now), run, target, Operation::Write)
    }

    /// Returns where the part of a run from `from` to `end` lies.
    fn target(&self, from: u64, end: u64) -> Target {
        let spot = self.geometry.spot(from);
        Target {
            track: spot.track,
            cylinder: self.geometry.cylinder(spot.track),
            media_ns: spot.media_ns,
            angle_ns: spot.media_ns % self.geometry.revolution_ns(),
            end_ns: self.geometry.media_ns(end),
        }
    }

    /// Returns where the arm and the platter are.
    fn stance(&self, now: Instant) -> Stance {
        let track = self.geometry.track(self.head_sector);
        Stance {
            now,
            track,
            cylinder: self.geometry.cylinder(track),
            angle_ns: (now.as_nanos() + self.phase_ns) % self.geometry.revolution_ns(),
        }
    }

    fn start_destage(&mut self, now: Instant, place: RunPlace) {
        let run = self.writes.take(place, DESTAGE_SECTORS_MAX);
        let plan = self.plan_from_here(now, run);
        self.begin(now, None, run, plan);
    }

    fn begin(&mut self, now: Instant, request: Option<u32>, run: Run, plan: Plan) {
        self.read_ahead = None;
        self.job = Some(Job {
            request,
            run,
            segment: plan.segment,
            began: now,
        });
        self.agenda.add(plan.done, Event::MediaDone);
    }

    /// Returns the fastest way to pass over `run`, or over its part that was not read already;
    /// `target` is where all of it lies.
    fn plan(&self, here: Stance, run: Run, target: Target, operation: Operation) -> Plan {
        let segment = match operation {
            Operation::Read => self.reads.leading_into(run),
            Operation::Write | Operation::Flush => None,
        };
        let from = segment.map_or(run.start, |segment| self.reads.end(segment).min(run.end));
        let target = match from == run.start {
            true => target,
            false => self.target(from, run.end),
        };
        let now = here.now;
        let length = Nanos::new(target.end_ns - target.media_ns);
        let mut begin = now + Nanos::new(self.position_ns(here, target, operation));
        if let Some(passing) = self.passing(now, from, target.media_ns, operation) {
            begin = begin.min(passing);
        }
        Plan {
            position_ns: begin.since(now).as_u64(),
            done: now.max(begin + length),
            segment,
        }
    }

    /// Returns when `from` passes the heads if the drive reads ahead; `None` if it does not, or
    /// would stop before.
    fn passing(
        &self,
        now: Instant,
        from: u64,
        from_media_ns: u64,
        operation: Operation,
    ) -> Option<Instant> {
        let ahead = self.read_ahead?;
        let is_ahead = from >= self.reads.end(ahead.segment) && from <= ahead.until_sector;
        let reads_on = operation == Operation::Read && is_ahead && now <= ahead.until;
        reads_on.then(|| ahead.since + Nanos::new(from_media_ns - ahead.from_media_ns))
    }

    /// Returns the time until `target` is under its head.
    #[inline]
    fn position_ns(&self, here: Stance, target: Target, operation: Operation) -> u64 {
        let distance = here.cylinder.abs_diff(target.cylinder);
        let arm = &self.arms[usize::from(operation == Operation::Write)];
        let arm_ns = match (distance, here.track == target.track) {
            (0, true) => 0,
            (0, false) => arm.track_switch_ns,
            _ => arm.seek.time_ns(distance),
        };
        let angle = (here.angle_ns + arm_ns) % self.geometry.revolution_ns();
        arm_ns + self.turn_ns(angle, target.angle_ns)
    }
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
