//! A calibrated device whose rate depends on the requests in flight at it.
//!
//! ```text
//!  request --> in flight: all advance at once --> drain, where known --> done
//!                   ^
//!                   | with n in flight, gain(n) times the work of one alone, in equal shares;
//!                   | never more bytes than the link carries
//! ```
//!
//! This is a flow-equivalent server (Chandy, Herzog and Woo, IBM J. Res. Dev. 19, 1975): a queueing
//! network inside of a device is replaced by one station whose rate is the measured throughput with
//! so many requests inside. Under processor sharing, n requests in flight at all times are served at
//! exactly the measured rate, whatever the distribution of their single times, and their mean
//! latency follows (Little's law). A burst gets no more than the rate of what is in flight.
//!
//! Reads and writes in flight share the device by their number: each direction advances at its own
//! rate for everything in flight, times its share. Where a mix was measured, a request's time is on a
//! straight line between its time among requests of its own direction and its time in the mix, over
//! the share of the other direction.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use stripewise_profiles::device::calibrated::{
    CacheProfile, CalibratedProfile, DirectionProfile, LoadPoint,
};
use stripewise_study::sample::as_f64;
use stripewise_units::{Bytes, Nanos};

use super::agenda::Agenda;
use super::calibrated::{ProfileProblem, curves};
use super::curve::Curve;
use super::drain::Drain;
use super::gate::Gate;
use super::spread::{Spread, Strata};
use super::streams::Streams;
use super::{Completed, DeviceRequest};
use crate::io::Operation;
use crate::narrow::{low_u32, low_u64, truncated};
use crate::random::Stream;
use crate::slab::Slab;
use crate::units::{Instant, Sectors};

/// Room for this many requests without allocation; more cost one.
const ROOM: usize = 64;

/// A request in the device.
#[derive(Debug, Clone, Copy)]
struct Active {
    id: u32,
    operation: Operation,
    fua: bool,
    length: Sectors,
    sequential: bool,
    /// The bytes of its stream before it.
    before: Bytes,
    submitted: Instant,
    /// The time that it takes alone.
    alone_ns: u64,
    /// The bytes that it transfers while it advances by 1 ns.
    bytes_per_ns: f64,
    /// Before this instant the drive has no room to acknowledge it.
    not_before: Instant,
}

/// The requests of one direction.
#[derive(Debug)]
struct Direction {
    random: Curve,
    sequential: Curve,
    streams: Streams,
    /// The gain with so many requests in flight, all of this direction, and the share of it that each
    /// of them gets; beyond the last one, the gain stays.
    gains: Vec<f64>,
    shares: Vec<f64>,
    /// The gain in a mix; empty where none was measured.
    mixed: Vec<Mixed>,
    /// The spreads of times, and which of them applies with so many requests in flight; the last one
    /// beyond.
    spreads: Vec<Spread>,
    spread_of: Vec<usize>,
    strata: Strata,
    /// The latest size, with its times at random and in a stream: sizes repeat.
    latest: (Sectors, [u64; 2]),
    link_bytes_per_ns: f64,
    /// How far each request in flight has advanced since the start, in ns of a lone request.
    advanced: f64,
    /// Where they end, by [`end_key`].
    ends: BinaryHeap<Reverse<u128>>,
    /// The bytes that they transfer while they advance by 1 ns.
    bytes_per_ns: f64,
    /// How far they advance in 1 ns.
    speed: f64,
}

impl Direction {
    fn new(profile: &DirectionProfile, link_bytes_per_s: u64) -> Result<Self, ProfileProblem> {
        let [random, sequential] = curves(profile)?;
        if link_bytes_per_s == 0 {
            return Err(ProfileProblem {
                key: "link",
                problem: "must carry more than 0 bytes per second",
            });
        }
        let gains = gains(profile);
        let shares = (0_u64..).zip(&gains);
        let shares = shares.map(|(number, gain)| gain / as_f64(number.max(1)));
        let (spreads, spread_of) = spreads(profile);
        Ok(Self {
            random,
            sequential,
            streams: Streams::default(),
            shares: shares.collect(),
            gains,
            mixed: mixed(profile),
            spreads,
            spread_of,
            strata: Strata::default(),
            latest: (Sectors::new(u64::MAX), [0; 2]),
            link_bytes_per_ns: as_f64(link_bytes_per_s) / 1e9,
            advanced: 0.0,
            ends: BinaryHeap::with_capacity(ROOM),
            bytes_per_ns: 0.0,
            speed: 0.0,
        })
    }

    /// Returns the mean time of a lone request.
    #[inline]
    fn time_ns(&mut self, length: Sectors, sequential: bool) -> u64 {
        if self.latest.0 != length {
            let times = [&self.random, &self.sequential].map(|curve| curve.time(length.bytes()));
            self.latest = (length, times.map(Nanos::as_u64));
        }
        self.latest.1[usize::from(sequential)]
    }

    /// Returns how far each of `in_flight` requests advances in 1 ns, if the link is no limit.
    #[inline]
    fn share(&self, in_flight: usize) -> f64 {
        let own = self.ends.len();
        if own == 0 {
            return 0.0;
        }
        if own < in_flight && !self.mixed.is_empty() {
            return self.share_in_mix(own, in_flight);
        }
        match self.shares.get(in_flight) {
            Some(share) => *share,
            None => self.gains[self.gains.len() - 1] / as_f64(in_flight as u64),
        }
    }

    /// Returns the same where `own` of those in flight are of this direction.
    fn share_in_mix(&self, own: usize, in_flight: usize) -> f64 {
        let gain = self.gains[in_flight.min(self.gains.len() - 1)];
        let mixed = &self.mixed[in_flight.min(self.mixed.len() - 1)];
        let others = as_f64((in_flight - own) as u64) / as_f64(in_flight as u64);
        let weight = (others / mixed.others).min(1.0);
        let times = [1.0 / gain, 1.0 / mixed.gain];
        1.0 / (as_f64(in_flight as u64) * (times[0] + (times[1] - times[0]) * weight))
    }

    /// Draws the time of a request alone as it spreads with so many requests in flight.
    #[inline]
    fn draw(&mut self, stream: &mut Stream, mean_ns: u64, in_flight: usize) -> u64 {
        let place = in_flight.min(self.spread_of.len() - 1);
        let spread = &self.spreads[self.spread_of[place]];
        spread.draw(&mut self.strata, stream, mean_ns)
    }

    /// Returns when the next request ends, at the present speed.
    #[inline]
    fn next_end(&self, now: Instant) -> Instant {
        let Some(Reverse(next)) = self.ends.peek() else {
            return Instant::NEVER;
        };
        let (end, _) = of_end_key(*next);
        let left = (end - self.advanced).max(0.0);
        now + Nanos::new(rounded_up(left / self.speed))
    }
}

/// Packs where a request ends and its place into a number that orders as they do: the bits of a
/// positive float order as it does.
#[inline]
fn end_key(end: f64, place: u32) -> u128 {
    u128::from(end.to_bits()) << 32 | u128::from(place)
}

#[inline]
fn of_end_key(key: u128) -> (f64, u32) {
    (f64::from_bits(low_u64(key >> 32)), low_u32(low_u64(key)))
}

/// Rounds a positive number up; without a call, as the processor may have no instruction for it.
#[inline]
fn rounded_up(number: f64) -> u64 {
    let whole = truncated(number);
    whole.saturating_add(u64::from(as_f64(whole) < number))
}

/// The state of a device in a mix.
#[derive(Debug, Clone, Copy)]
struct Mixed {
    gain: f64,
    /// The share of the other direction at which this gain was measured.
    others: f64,
}

/// Returns the gain for every number of requests in flight, from 0, up to where it no longer
/// changes.
fn gains(profile: &DirectionProfile) -> Vec<f64> {
    match profile.depends_on_load() {
        true => LoadPoint::gains(&profile.loads()),
        false => {
            let servers = profile.servers.min(1024);
            let gains = (2..=servers).map(f64::from);
            [0.0, 1.0].into_iter().chain(gains).collect()
        }
    }
}

/// Returns the state in a mix for every number of requests in flight; empty where no mix was
/// measured. Each number has the share of the next measured one.
fn mixed(profile: &DirectionProfile) -> Vec<Mixed> {
    let points = &profile.under_mix;
    if points.is_empty() {
        return Vec::new();
    }
    let gains = LoadPoint::gains(&profile.mix_loads())
        .into_iter()
        .enumerate();
    let others = |number: usize| {
        let next = points.iter().find(|one| one.in_flight as usize >= number);
        next.or(points.last()).map_or(0.5, |point| point.others)
    };
    let mixed = gains.map(|(number, gain)| Mixed {
        gain,
        others: others(number),
    });
    mixed.collect()
}

/// Returns the spreads of single times, and which of them applies to every number of requests in
/// flight, as `gains`.
fn spreads(profile: &DirectionProfile) -> (Vec<Spread>, Vec<usize>) {
    let mut spreads = vec![Spread::new(profile.p99_over_p50, profile.p50_over_mean)];
    let mut spread_of = vec![0; 2];
    for point in profile.loads() {
        let place = match point.p99_over_p50 {
            None => 0,
            Some(ratio) => {
                spreads.push(Spread::new(ratio, point.p50_over_mean));
                spreads.len() - 1
            }
        };
        spread_of.resize(point.in_flight as usize + 1, place);
    }
    (spreads, spread_of)
}

/// A device whose rate depends on the requests in flight, in virtual time.
#[derive(Debug)]
pub struct LoadedDevice {
    directions: [Direction; 2],
    full_duplex: bool,
    stream: Stream,
    cache: CacheProfile,
    drain: Option<Drain>,
    dirty: bool,
    gate: Gate,
    active: Slab<Active>,
    /// Requests that are served and wait: for room in the drive, or for a flush.
    agenda: Agenda<u32>,
    in_flight: usize,
    now: Instant,
    /// When the next request of each direction ends, as seen from `now`.
    next_ends: [Instant; 2],
    done: Vec<Completed>,
}

impl LoadedDevice {
    /// Returns an idle device; it alone draws from `stream`.
    ///
    /// # Errors
    /// The first value of the profile that cannot be simulated.
    pub fn new(profile: &CalibratedProfile, stream: Stream) -> Result<Self, ProfileProblem> {
        let link = &profile.link;
        Ok(Self {
            directions: [
                Direction::new(&profile.read, link.read_bytes_per_s)?,
                Direction::new(&profile.write, link.write_bytes_per_s)?,
            ],
            full_duplex: link.full_duplex,
            stream,
            cache: profile.cache.clone(),
            drain: profile.drain.clone().map(Drain::new),
            dirty: false,
            // A device with a full-duplex link is no SATA disk.
            gate: Gate::new(!link.full_duplex, ROOM),
            active: Slab::default(),
            agenda: Agenda::with_capacity(ROOM),
            in_flight: 0,
            now: Instant::START,
            next_ends: [Instant::NEVER; 2],
            done: Vec::with_capacity(ROOM),
        })
    }

    /// Returns whether acknowledged writes are lost with the power, until a flush.
    pub(super) fn has_volatile_cache(&self) -> bool {
        self.cache.is_volatile
    }

    /// Returns the state of acknowledged writes, where the profile has one.
    pub(super) fn drain(&self) -> Option<&Drain> {
        self.drain.as_ref()
    }

    /// Returns the state of acknowledged writes, to change it.
    pub(super) fn drain_mut(&mut self) -> Option<&mut Drain> {
        self.drain.as_mut()
    }

    /// Takes a request at `now`, which is not before that of the last call.
    pub fn submit(&mut self, now: Instant, request: DeviceRequest) {
        self.run_events(now);
        self.pass_until(now);
        let direction = usize::from(request.operation == Operation::Write);
        let is_flush = request.operation == Operation::Flush;
        let streams = &mut self.directions[direction].streams;
        let sequential = !is_flush && streams.note(request.start, request.length);
        let before = match sequential {
            true => streams.before(request.start).bytes(),
            false => Bytes::new(0),
        };
        let place = self.active.insert(Active {
            id: request.id,
            operation: request.operation,
            fua: request.fua,
            length: request.length,
            sequential,
            before,
            submitted: now,
            alone_ns: 0,
            bytes_per_ns: 0.0,
            not_before: now,
        });
        if !is_flush && self.gate.pass() {
            self.start(now, place);
        } else {
            self.gate.arrive(place, is_flush);
            self.admit(now);
        }
        self.look_ahead();
    }

    /// Returns when the next event is; [`Instant::NEVER`] if the device is idle.
    pub fn next_event(&self) -> Instant {
        match self.done.first() {
            Some(done) => done.at,
            None => self.next_inside(),
        }
    }

    /// Advances to `now` and adds the requests completed by then, in the order of completion.
    pub fn advance(&mut self, now: Instant, completed: &mut Vec<Completed>) {
        self.run_events(now);
        if now > self.now {
            self.pass_until(now);
            self.look_ahead();
        }
        completed.append(&mut self.done);
    }

    fn next_inside(&self) -> Instant {
        let [read_end, write_end] = self.next_ends;
        read_end.min(write_end).min(self.agenda.next_at())
    }

    /// Computes when requests end, after something has changed.
    fn look_ahead(&mut self) {
        let now = self.now;
        self.next_ends = self.directions.each_ref().map(|one| one.next_end(now));
    }

    /// Handles what happens up to `now`.
    fn run_events(&mut self, now: Instant) {
        loop {
            let at = self.next_inside();
            if at > now {
                return;
            }
            self.pass_until(at);
            if self.agenda.next_at() == at {
                if let Some((at, place)) = self.agenda.take_until(at) {
                    self.finish(at, place);
                }
            } else {
                self.served(at, usize::from(self.next_ends[1] == at));
            }
            self.look_ahead();
        }
    }

    /// Lets everything in flight advance until `now`.
    #[inline]
    fn pass_until(&mut self, now: Instant) {
        let passed = as_f64(now.since(self.now).as_u64());
        for direction in &mut self.directions {
            direction.advanced += passed * direction.speed;
        }
        self.now = now;
    }

    /// Lets requests through the gate.
    fn admit(&mut self, now: Instant) {
        while let Some(place) = self.gate.enter() {
            if self.active[place].operation != Operation::Flush {
                self.start(now, place);
                continue;
            }
            let has_work = self.cache.is_volatile && std::mem::take(&mut self.dirty);
            let time = if has_work { self.cache.flush_ns } else { 0 };
            self.active[place].alone_ns = time;
            self.agenda.add(now + Nanos::new(time), place);
        }
    }

    /// Begins to serve a request.
    fn start(&mut self, now: Instant, place: u32) {
        self.in_flight += 1;
        let request = &mut self.active[place];
        let number = usize::from(request.operation == Operation::Write);
        let direction = &mut self.directions[number];
        let mean_ns = direction.time_ns(request.length, request.sequential);
        let alone_ns = direction.draw(&mut self.stream, mean_ns, self.in_flight);
        request.alone_ns = alone_ns.max(1);
        let bytes = request.length.bytes().as_u64();
        request.bytes_per_ns = as_f64(bytes) / as_f64(request.alone_ns);
        if request.operation == Operation::Write {
            self.dirty = true;
            if let Some(drain) = &mut self.drain {
                let bytes = request.length.bytes();
                request.not_before = drain.accept(now, bytes, request.before);
            }
        }
        let end = direction.advanced + as_f64(request.alone_ns);
        direction.ends.push(Reverse(end_key(end, place)));
        direction.bytes_per_ns += request.bytes_per_ns;
        self.set_speeds();
    }

    /// Ends the service of the next request of a direction.
    fn served(&mut self, now: Instant, number: usize) {
        let direction = &mut self.directions[number];
        let Some(Reverse(key)) = direction.ends.pop() else {
            return;
        };
        let (_, place) = of_end_key(key);
        let request = &self.active[place];
        direction.bytes_per_ns -= request.bytes_per_ns;
        if direction.ends.is_empty() {
            // Rounding does not add up.
            direction.bytes_per_ns = 0.0;
        }
        let mut at = request.not_before.max(now);
        if request.fua && self.cache.is_volatile {
            at += Nanos::new(self.cache.flush_ns);
        }
        self.in_flight -= 1;
        self.set_speeds();
        match at > now {
            true => self.agenda.add(at, place),
            false => self.finish(now, place),
        }
    }

    fn finish(&mut self, at: Instant, place: u32) {
        self.active.remove(place);
        let request = &self.active[place];
        self.gate.leave(request.operation == Operation::Flush);
        let latency_ns = at.since(request.submitted).as_u64();
        let service_ns = request.alone_ns.min(latency_ns);
        self.done.push(Completed {
            id: request.id,
            at,
            queued_ns: Nanos::new(latency_ns - service_ns),
            service_ns: Nanos::new(service_ns),
        });
        self.admit(at);
    }

    /// Sets how fast requests advance, which changes when one comes or goes.
    #[inline]
    fn set_speeds(&mut self) {
        let in_flight = self.in_flight;
        for direction in &mut self.directions {
            direction.speed = direction.share(in_flight);
        }
        let loads = self
            .directions
            .each_ref()
            .map(|one| (one.speed * one.bytes_per_ns, one.link_bytes_per_ns));
        let [read, write] = loads;
        if self.full_duplex || self.directions.iter().any(|one| one.speed == 0.0) {
            for (direction, (used, link)) in self.directions.iter_mut().zip(loads) {
                // A quotient is above 1 exactly if this is so, and a division is slow.
                if used > link {
                    direction.speed /= used / link;
                }
            }
            return;
        }
        let lane = read.0 / read.1 + write.0 / write.1;
        if lane > 1.0 {
            for direction in &mut self.directions {
                direction.speed /= lane;
            }
        }
    }
}

#[cfg(test)]
#[path = "loaded_tests.rs"]
mod tests;
