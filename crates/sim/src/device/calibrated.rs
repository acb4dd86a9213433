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
    CacheProfile, CalibratedProfile, DirectionProfile, DrainProfile, LinkProfile,
};
use stripewise_study::units::{Bytes, Nanos};

use super::curve::Curve;
use super::level::{self, Levels};
use super::spread::Spread;
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
    /// How long a server worked on it.
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
    streams: Streams,
    servers: Vec<Instant>,
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

impl Direction {
    fn new(
        profile: &DirectionProfile,
        link: &LinkProfile,
        bytes_per_s: u64,
    ) -> Result<Self, ProfileProblem> {
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
            spread: Spread::lognormal(profile.p99_over_p50),
            streams: Streams::default(),
            servers: vec![Instant::START; servers],
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

    #[inline]
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

    #[inline]
    fn first_free(&self) -> usize {
        let mut first = 0;
        for (index, free) in self.servers.iter().enumerate() {
            if *free < self.servers[first] {
                first = index;
            }
        }
        first
    }
}

/// Returns how long a link of `bytes_per_s` takes for `bytes`.
pub fn transfer_ns(bytes: Bytes, bytes_per_s: u64) -> u64 {
    let ns = u128::from(bytes.as_u64()) * 1_000_000_000 / u128::from(bytes_per_s.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// How long a drive must see no write before its fast area drains: an assumption. Drives move data
/// out of it when idle; the gaps between the writes of a busy host do not count as idle.
const IDLE_AFTER: Nanos = Nanos::from_millis(100);

/// The state of acknowledged writes inside the drive.
///
/// ```text
///  write -> fast area (SLC), until it is full --> acknowledged
///             |  idle: empties at the sequential rate
///           full -> buffer, until it is full --> acknowledged
///                     drains at the random or sequential rate
/// ```
#[derive(Debug, Clone)]
struct Drain {
    profile: DrainProfile,
    /// Used bytes of the fast area.
    fast_used_bytes: u64,
    /// When the last write arrived.
    written_at: Instant,
    /// When all data in the buffer is programmed.
    empty_at: Instant,
    /// The drain rate of the latest write that went there.
    buffer_bytes_per_s: u64,
    /// All bytes ever written, and those that went to the buffer.
    received_bytes: u64,
    buffered_bytes: u64,
}

impl Drain {
    fn new(profile: DrainProfile) -> Self {
        Self {
            profile,
            fast_used_bytes: 0,
            written_at: Instant::START,
            empty_at: Instant::START,
            buffer_bytes_per_s: 0,
            received_bytes: 0,
            buffered_bytes: 0,
        }
    }

    /// Takes a write and returns the earliest instant at which it can be acknowledged.
    fn accept(&mut self, now: Instant, bytes: Bytes, sequential: bool) -> Instant {
        self.recover(now);
        self.written_at = now;
        self.received_bytes += bytes.as_u64();
        let used_bytes = self.fast_used_bytes.saturating_add(bytes.as_u64());
        if used_bytes <= self.profile.fast_bytes {
            self.fast_used_bytes = used_bytes;
            return now;
        }
        let rate = match sequential {
            true => self.profile.sequential_bytes_per_s,
            false => self.profile.random_bytes_per_s,
        };
        self.buffer_bytes_per_s = rate;
        self.buffered_bytes += bytes.as_u64();
        self.empty_at = self.empty_at.max(now) + Nanos::new(transfer_ns(bytes, rate));
        let ahead = Nanos::new(transfer_ns(Bytes::new(self.profile.buffer_bytes), rate));
        Instant::from_nanos(self.empty_at.as_nanos().saturating_sub(ahead.as_u64())).max(now)
    }

    /// Drains the fast area for the idle time up to `now`, once the buffer is empty. The drive
    /// writes that data in order, hence the sequential rate.
    fn recover(&mut self, now: Instant) {
        let busy_until = self.written_at.max(self.empty_at);
        if self.fast_used_bytes == 0 || now <= busy_until + IDLE_AFTER {
            return;
        }
        let idle_ns = u128::from(now.since(busy_until + IDLE_AFTER).as_u64());
        let moved = idle_ns * u128::from(self.profile.sequential_bytes_per_s) / 1_000_000_000;
        let moved_bytes = u64::try_from(moved).unwrap_or(u64::MAX);
        self.fast_used_bytes = self.fast_used_bytes.saturating_sub(moved_bytes);
    }
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
        })
    }

    /// Adds its fill levels at `now`: the fast area, and the buffer behind it.
    pub(crate) fn add_levels(&self, now: Instant, levels: &mut Levels) {
        let Some(drain) = &self.drain else {
            return;
        };
        level::add(
            &mut levels.fast_area,
            drain.fast_used_bytes,
            drain.received_bytes,
        );
        let backlog_ns = drain.empty_at.max(now).since(now).as_u64();
        let backlog = u128::from(backlog_ns) * u128::from(drain.buffer_bytes_per_s) / 1_000_000_000;
        let backlog_bytes = u64::try_from(backlog).unwrap_or(u64::MAX);
        level::add(&mut levels.write_cache, backlog_bytes, drain.buffered_bytes);
    }

    /// Returns the used bytes and the capacity of the fast area; nothing without one.
    pub(crate) fn fast_area(&self) -> Option<(u64, u64)> {
        let drain = self.drain.as_ref()?;
        Some((drain.fast_used_bytes, drain.profile.fast_bytes))
    }

    /// Sets the used bytes of the fast area.
    pub(crate) fn set_fast_used(&mut self, bytes: u64) {
        if let Some(drain) = &mut self.drain {
            drain.fast_used_bytes = bytes.min(drain.profile.fast_bytes);
        }
    }

    /// Returns whether a write found no room in the fast area, so that the device is slower than at
    /// first.
    pub(crate) fn has_filled(&self) -> bool {
        let Some(drain) = &self.drain else {
            return false;
        };
        drain.profile.fast_bytes > 0 && drain.buffered_bytes > 0
    }

    /// Serves a request that arrives at `now`; arrivals are in time order.
    #[inline]
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
        let times = direction.times(length);
        let mean_ns = match sequential {
            true => times.sequential_ns,
            false => times.random_ns,
        };
        let served = Nanos::new(direction.spread.draw(&mut self.stream, mean_ns));
        let server = direction.first_free();
        let begin = direction.servers[server].max(now);
        let ready = begin + served;
        direction.servers[server] = ready;
        let sent = self.link_free[lane].max(ready) + Nanos::new(times.transfer_ns);
        self.link_free[lane] = sent;
        let mut done = sent;
        if operation == Operation::Write {
            self.dirty = true;
            if let Some(drain) = &mut self.drain {
                done = done.max(drain.accept(now, length.bytes(), sequential));
            }
            if fua && self.cache.is_volatile {
                done = self.flush(done).done;
            }
        }
        Service {
            done,
            queued: begin.since(now),
            served,
            link: done.since(ready),
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
        let busy = self.link_free[0].max(self.link_free[1]).max(now);
        let served = match self.dirty {
            true => Nanos::new(self.cache.flush_ns),
            false => Nanos::default(),
        };
        self.dirty = false;
        let done = busy + served;
        // The device serves nothing else during a flush.
        for server in self.read.servers.iter_mut().chain(&mut self.write.servers) {
            *server = (*server).max(done);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const KIB_4: Bytes = Bytes::new(4096);

    /// 40 writes of 4 KiB fit into the fast area, 10 into the buffer; 100 us for a random one.
    fn drain() -> Drain {
        Drain::new(DrainProfile {
            fast_bytes: 40 * 4096,
            random_bytes_per_s: 40_960_000,
            sequential_bytes_per_s: 409_600_000,
            buffer_bytes: 10 * 4096,
        })
    }

    /// Writes one after the other, each when the previous one is acknowledged.
    fn write(drain: &mut Drain, mut now: Instant, count: u32, sequential: bool) -> Instant {
        for _ in 0..count {
            now = drain.accept(now, KIB_4, sequential);
        }
        now
    }

    #[test]
    fn the_fast_area_then_the_buffer_then_the_steady_rate() {
        let mut drain = drain();
        let now = write(&mut drain, Instant::START, 50, false);
        assert_eq!(now, Instant::START, "40 + 10 writes are free");
        let now = write(&mut drain, now, 100, false);
        assert_eq!(now.as_nanos(), 100 * 100_000);
        let now = write(&mut drain, now, 100, true);
        // The buffered data now takes the time of ten sequential writes to drain, not of ten random
        // ones.
        assert_eq!(now.as_nanos(), 100 * 100_000 + 900_000 + 100 * 10_000);
    }

    #[test]
    fn the_fast_area_empties_when_nothing_is_written_for_long() {
        let mut drain = drain();
        write(&mut drain, Instant::START, 40, false);
        let just_before = Instant::START + IDLE_AFTER;
        drain.recover(just_before);
        assert_eq!(drain.fast_used_bytes, 40 * 4096, "not idle yet");
        // 16 writes leave it, one in 10 us.
        let now = just_before + Nanos::new(16 * 10_000);
        assert_eq!(
            write(&mut drain, now, 26, false),
            now,
            "16 + 10 writes are free"
        );
        assert_eq!(drain.fast_used_bytes, 40 * 4096);
        let later = now + Nanos::from_millis(60_000);
        assert_eq!(write(&mut drain, later, 50, false), later);
    }

    #[test]
    fn gaps_between_the_writes_of_a_busy_host_empty_nothing() {
        let mut drain = drain();
        let mut now = Instant::START;
        for _ in 0..40 {
            now = drain.accept(now, KIB_4, false) + Nanos::from_millis(99);
        }
        assert_eq!(drain.fast_used_bytes, 40 * 4096);
    }

    #[test]
    fn a_full_buffer_is_emptied_before_the_fast_area() {
        let mut drain = drain();
        let now = write(&mut drain, Instant::START, 50, false);
        let buffer_empty = now + Nanos::new(10 * 100_000);
        drain.recover(buffer_empty + IDLE_AFTER);
        assert_eq!(drain.fast_used_bytes, 40 * 4096);
        drain.recover(buffer_empty + IDLE_AFTER + Nanos::new(10_000));
        assert_eq!(drain.fast_used_bytes, 39 * 4096);
    }
}
