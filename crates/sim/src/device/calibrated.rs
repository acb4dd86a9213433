//! A device calibrated by measurements of one such device: a small queueing network.
//!
//! ```text
//!  request --> one of c parallel servers --> link (per command + bytes / rate) --> done
//!                     ^
//!                     | programs of acknowledged writes, where the drain is known
//! ```
//!
//! A single request takes exactly the measured time of its operation, size and stream; the server
//! takes the part that the link does not. With more in flight, requests queue at the servers and
//! the link, which limits the rate. The completion time is known when a request arrives, so a
//! request costs one event.
//!
//! `c` is about the saturation rate times the time of a single request (Little's law).

use stripewise_profiles::device::calibrated::{
    CacheProfile, CalibratedProfile, DirectionProfile, LinkProfile,
};
use stripewise_units::{Bytes, Nanos};

use super::curve::Curve;
use super::drain::Drain;
use super::spread::{Spread, Strata};
use super::streams::Streams;
use crate::io::Operation;
use crate::random::Stream;
use crate::units::{Instant, Sectors};

/// The service of one request; its parts add up to the time from arrival to completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Service {
    /// When it completes.
    pub done: Instant,
    /// How long it waited for a server.
    pub queued: Nanos,
    /// How long the drive worked on it: a server, and then until its memory took it in or it was durable.
    pub served: Nanos,
    /// How long it waited for the link and was on it.
    pub link: Nanos,
    /// How long it was on the link.
    pub transfer: Nanos,
    /// When it left the link.
    pub link_end: Instant,
    /// Whether it continued a stream.
    pub sequential: bool,
}

impl Service {
    /// No service yet.
    pub const NONE: Service = Service {
        done: Instant::START,
        queued: Nanos::new(0),
        served: Nanos::new(0),
        link: Nanos::new(0),
        transfer: Nanos::new(0),
        link_end: Instant::START,
        sequential: false,
    };
}

/// Cached times per direction: sizes repeat, and a look-up is cheaper than an interpolation.
const CACHED_TIMES: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Times {
    length: Sectors,
    random_ns: u64,
    sequential_ns: u64,
    transfer_ns: u64,
}

#[derive(Debug, Clone)]
struct Direction {
    random: Curve,
    sequential: Curve,
    spread: Spread,
    strata: Strata,
    streams: Streams,
    servers: Servers,
    bytes_per_s: u64,
    command_ns: u64,
    cached_times: [Times; CACHED_TIMES],
}

/// A profile cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {problem}")]
pub struct ProfileProblem {
    /// The key in the profile.
    pub key: &'static str,
    /// The problem with its value.
    pub problem: &'static str,
}

/// Returns the times of a lone request by size, at random and in a stream.
pub(super) fn curves(profile: &DirectionProfile) -> Result<[Curve; 2], ProfileProblem> {
    let problem = |key, problem| ProfileProblem { key, problem };
    let random = Curve::new(profile.random.clone()).ok_or(problem(
        "random",
        "needs at least one point, and each size only once",
    ))?;
    let sequential = match profile.sequential.is_empty() {
        true => random.clone(),
        false => Curve::new(profile.sequential.clone())
            .ok_or(problem("sequential", "lists a size twice"))?,
    };
    Ok([random, sequential])
}

impl Direction {
    fn new(
        profile: &DirectionProfile,
        link: &LinkProfile,
        bytes_per_s: u64,
    ) -> Result<Self, ProfileProblem> {
        let problem = |key, problem| ProfileProblem { key, problem };
        let [random, sequential] = curves(profile)?;
        let servers = usize::try_from(profile.servers).unwrap_or(usize::MAX);
        if servers == 0 || servers > 1024 {
            return Err(problem("servers", "must be 1 to 1024"));
        }
        if bytes_per_s == 0 {
            return Err(problem("link", "must carry more than 0 bytes per second"));
        }
        Ok(Self {
            random,
            sequential,
            spread: Spread::new(profile.p99_over_p50, profile.p50_over_mean),
            strata: Strata::default(),
            streams: Streams::default(),
            servers: Servers::new(servers),
            bytes_per_s,
            command_ns: link.command_ns,
            cached_times: [Times {
                length: Sectors::new(u64::MAX),
                random_ns: 0,
                sequential_ns: 0,
                transfer_ns: 0,
            }; CACHED_TIMES],
        })
    }

    #[inline(always)]
    fn times(&mut self, length: Sectors) -> Times {
        let slot = usize::try_from((length.get() ^ (length.get() >> 4)) % 16).expect("small");
        if self.cached_times[slot].length == length {
            return self.cached_times[slot];
        }
        let bytes = length.bytes();
        let transfer_ns = self.command_ns + transfer_ns(bytes, self.bytes_per_s);
        let alone = |curve: &Curve| curve.time(bytes).as_u64().saturating_sub(transfer_ns);
        let times = Times {
            length,
            random_ns: alone(&self.random),
            sequential_ns: alone(&self.sequential),
            transfer_ns,
        };
        self.cached_times[slot] = times;
        times
    }
}

/// When each of the servers becomes free: a ring in rising order.
#[derive(Debug, Clone)]
struct Servers {
    free: Vec<Instant>,
    /// The place of the earliest.
    first: usize,
}

impl Servers {
    fn new(count: usize) -> Self {
        Self {
            free: vec![Instant::START; count],
            first: 0,
        }
    }

    /// Returns when the first server becomes free.
    #[inline]
    fn earliest(&self) -> Instant {
        self.free[self.first]
    }

    /// Occupies that server until `until`.
    #[inline(always)]
    fn occupy(&mut self, until: Instant) {
        let mut place = self.first;
        let first = match place + 1 < self.free.len() {
            true => place + 1,
            false => 0,
        };
        self.first = first;
        while place != first {
            let before = match place {
                0 => self.free.len() - 1,
                _ => place - 1,
            };
            if self.free[before] <= until {
                break;
            }
            self.free[place] = self.free[before];
            place = before;
        }
        self.free[place] = until;
    }

    /// Keeps all servers busy until `until`.
    fn hold(&mut self, until: Instant) {
        for free in &mut self.free {
            *free = (*free).max(until);
        }
    }
}

/// Returns how long a link of `bytes_per_s` takes for `bytes`.
pub fn transfer_ns(bytes: Bytes, bytes_per_s: u64) -> u64 {
    let ns = u128::from(bytes.as_u64()) * 1_000_000_000 / u128::from(bytes_per_s.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// A calibrated device under load.
#[derive(Debug, Clone)]
pub struct CalibratedDevice {
    read: Direction,
    write: Direction,
    stream: Stream,
    link_free: [Instant; 2],
    full_duplex: bool,
    cache: CacheProfile,
    drain: Option<Drain>,
    dirty: bool,
    /// When the latest flush ends.
    flush_until: Instant,
}

impl CalibratedDevice {
    /// Returns an idle device; it alone draws from `stream`.
    ///
    /// # Errors
    /// The first value of the profile that cannot be simulated.
    pub fn new(profile: &CalibratedProfile, stream: Stream) -> Result<Self, ProfileProblem> {
        let link = &profile.link;
        Ok(Self {
            read: Direction::new(&profile.read, link, link.read_bytes_per_s)?,
            write: Direction::new(&profile.write, link, link.write_bytes_per_s)?,
            stream,
            link_free: [Instant::START; 2],
            full_duplex: link.full_duplex,
            cache: profile.cache.clone(),
            drain: profile.drain.clone().map(Drain::new),
            dirty: false,
            flush_until: Instant::START,
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

    /// Serves a request that arrives at `now`; arrivals are in time order.
    #[inline(always)]
    pub fn submit(
        &mut self,
        now: Instant,
        operation: Operation,
        start: Sectors,
        length: Sectors,
        fua: bool,
    ) -> Service {
        let (direction, lane) = match operation {
            Operation::Read => (&mut self.read, 0),
            Operation::Write => (&mut self.write, usize::from(self.full_duplex)),
            Operation::Flush => return self.flush(now),
        };
        let sequential = direction.streams.note(start, length);
        let before = direction.streams.before(start).bytes();
        let times = direction.times(length);
        let mean_ns = match sequential {
            true => times.sequential_ns,
            false => times.random_ns,
        };
        let served = Nanos::new(direction.spread.draw(
            &mut direction.strata,
            &mut self.stream,
            mean_ns,
        ));
        let begin = direction.servers.earliest().max(now);
        let ready = begin + served;
        direction.servers.occupy(ready);
        let sent = self.link_free[lane].max(ready) + Nanos::new(times.transfer_ns);
        self.link_free[lane] = sent;
        let mut done = sent;
        if operation == Operation::Write {
            self.dirty = true;
            if let Some(drain) = &mut self.drain {
                done = done.max(drain.accept(now, length.bytes(), before));
            }
            if fua && self.cache.is_volatile {
                done = self.flush(done).done;
            }
        }
        Service {
            done,
            queued: begin.since(now),
            served: Nanos::new(served.as_u64() + done.since(sent).as_u64()),
            link: sent.since(ready),
            transfer: Nanos::new(times.transfer_ns),
            link_end: sent,
            sequential,
        }
    }

    /// Makes all writes durable; a device without a volatile cache has nothing to do.
    fn flush(&mut self, now: Instant) -> Service {
        if !self.cache.is_volatile {
            return Service {
                done: now,
                ..Service::NONE
            };
        }
        let link_free = self.link_free[0].max(self.link_free[1]);
        let busy = link_free.max(self.flush_until).max(now);
        let served = match self.dirty {
            true => Nanos::new(self.cache.flush_ns),
            false => Nanos::default(),
        };
        self.dirty = false;
        let done = busy + served;
        self.flush_until = done;
        // The device serves nothing else during a flush.
        self.read.servers.hold(done);
        self.write.servers.hold(done);
        Service {
            done,
            queued: busy.since(now),
            served,
            link: Nanos::default(),
            transfer: Nanos::default(),
            link_end: busy,
            sequential: false,
        }
    }
}
