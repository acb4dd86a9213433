//! The minimum time in which a device can serve its requests, from its profile alone.
//!
//! This module ignores the simulated device: it assumes empty caches and buffers, full queues, and
//! mean service times. A device that was faster did impossible I/O.

use crate::device::calibrated::transfer_ns;
use crate::device::curve::Curve;
use crate::narrow::truncated;
use stripewise_profiles::device::Model;
use stripewise_profiles::device::calibrated::{
    CalibratedProfile, DirectionProfile, DrainProfile, LinkProfile,
};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::disk::DiskProfile;
use stripewise_profiles::device::flash::FlashProfile;
use stripewise_study::sample::as_f64;
use stripewise_units::Bytes;

/// The requests that one device took and completed within the measured time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Received {
    /// Reads and writes.
    pub(crate) requests: [u64; 2],
    /// Their sectors.
    pub(crate) sectors: [u64; 2],
    /// Those that continued a stream.
    pub(crate) sequential: [u64; 2],
}

impl Received {
    /// Returns the bytes of one direction.
    pub(super) fn bytes(&self, direction: usize) -> u64 {
        self.sectors[direction] * 512
    }

    fn random(&self, direction: usize) -> u64 {
        self.requests[direction] - self.sequential[direction].min(self.requests[direction])
    }
}

/// The limiting part of a device, and the minimum time in nanoseconds.
pub(crate) type Floor = (&'static str, u64);

/// Returns the minimum time for `received`, and the part that limits it. `spread` is the part of
/// the device over which requests are drawn evenly, if they are: then caches hold few of the next
/// ones.
pub(crate) fn floor(model: &Model, received: &Received, spread: Option<Bytes>) -> Floor {
    let link = ("link", link_ns(model, received));
    let media = match (model, spread) {
        (Model::Calibrated(profile), _) => calibrated(profile, received),
        (Model::Disk(profile), Some(spread)) => ("arm", arm_ns(profile, received, spread)),
        (Model::Flash(profile), Some(_)) => ("dies", dies_ns(profile, received)),
        _ => ("link", 0),
    };
    if media.1 > link.1 { media } else { link }
}

/// The time of commands and data on the link; a half-duplex link carries one direction at a time. A
/// hard disk takes commands while it sends read data: `command_ns` is its own work, not the link's.
fn link_ns(model: &Model, received: &Received) -> u64 {
    let link = model.link();
    let rates = [link.read_bytes_per_s, link.write_bytes_per_s];
    let lane = |direction: usize| {
        let data = transfer_ns(Bytes::new(received.bytes(direction)), rates[direction]);
        // Each transfer is rounded down by less than a nanosecond.
        data.saturating_sub(received.requests[direction])
    };
    let command = |direction: usize| received.requests[direction] * link.command_ns;
    let data = lane(0) + lane(1);
    let commands = command(0) + command(1);
    match (model, link.full_duplex) {
        (_, true) => lane(0).max(lane(1) + command(1)),
        (Model::Disk(_), false) => data.max(commands),
        (_, false) => data + commands,
    }
}

fn calibrated(profile: &CalibratedProfile, received: &Received) -> Floor {
    let servers = [(&profile.read, 0), (&profile.write, 1)]
        .map(|(direction, number)| servers_ns(direction, &profile.link, received, number));
    let servers = ("servers", servers[0].max(servers[1]));
    match &profile.drain {
        Some(drain) => {
            let drained = ("drain", drain_ns(drain, received.bytes(1)));
            if drained.1 > servers.1 {
                drained
            } else {
                servers
            }
        }
        None => servers,
    }
}

/// The time of one direction with all its servers busy.
fn servers_ns(
    profile: &DirectionProfile,
    link: &LinkProfile,
    received: &Received,
    direction: usize,
) -> u64 {
    let count = received.requests[direction];
    if count == 0 {
        return 0;
    }
    let rate = [link.read_bytes_per_s, link.write_bytes_per_s][direction];
    // The link's share of the time is not the server's.
    let alone = |point: &CurvePoint| {
        if profile.depends_on_load() {
            return point.time_ns;
        }
        let link_ns = link.command_ns + transfer_ns(Bytes::new(point.size_bytes), rate);
        point.time_ns.saturating_sub(link_ns)
    };
    let least = |points: &[CurvePoint]| {
        let Some(curve) = Curve::new(points.to_vec()) else {
            return 0;
        };
        // A curve bends only at its points, and where it reaches half of its first time.
        let ends = [512, 1 << 30].map(|size_bytes| CurvePoint {
            size_bytes,
            time_ns: curve.time(Bytes::new(size_bytes)).as_u64(),
        });
        let first = curve.points().first();
        let bend = first.filter(|first| ends[0].time_ns <= first.time_ns / 2);
        let bend = bend.map(|first| CurvePoint {
            time_ns: first.time_ns / 2,
            ..*first
        });
        let points = curve.points().iter().chain(&ends).chain(&bend);
        points.map(alone).min().unwrap_or(0)
    };
    let random = least(&profile.random);
    let sequential = match profile.sequential.is_empty() {
        true => random,
        false => least(&profile.sequential),
    };
    let sum = received.random(direction) * random
        + (count - received.random(direction)) * sequential.min(random);
    let busy = as_f64(sum) / profile.gain_max().max(1.0);
    let loads = profile.under_load.iter().copied();
    let loads = loads.chain(profile.mix_loads());
    let shapes = loads.map(|load| {
        let spread = load.p99_over_p50.unwrap_or(profile.p99_over_p50);
        (spread, load.p50_over_mean)
    });
    let shapes = shapes.chain([(profile.p99_over_p50, profile.p50_over_mean)]);
    let least = shapes.map(|(spread, median)| drawn_least(spread, median, count));
    rounded_down(busy * least.fold(1.0, f64::min))
}

/// Returns the lower bound of a sum of `count` draws over its mean: six standard errors below 1, and
/// no rare stalls.
fn drawn_least(p99_over_p50: f64, p50_over_mean: Option<f64>, count: u64) -> f64 {
    let is_spread = p99_over_p50 > 1.0 && p99_over_p50.is_finite();
    let sigma = match is_spread {
        true => libm::log(p99_over_p50) / 2.326,
        false => 0.0,
    };
    let without_stalls = p50_over_mean.map_or(1.0, |median| {
        (median * libm::exp(sigma * sigma / 2.0)).min(1.0)
    });
    let variation = libm::sqrt(libm::expm1(sigma * sigma));
    without_stalls * (1.0 - 6.0 * variation / libm::sqrt(as_f64(count))).max(0.0)
}

/// The time to drain the bytes beyond fast area and buffer, at the faster of the two rates.
fn drain_ns(drain: &DrainProfile, written: u64) -> u64 {
    let held = drain.fast_bytes.saturating_add(drain.buffer_bytes);
    let rate = drain.random_bytes_per_s.max(drain.sequential_bytes_per_s);
    transfer_ns(Bytes::new(written.saturating_sub(held)), rate)
}

/// The time of the arm: every uncached request at a new place moves it to another track.
fn arm_ns(disk: &DiskProfile, received: &Received, spread: Bytes) -> u64 {
    let turn_s = 60.0 / f64::from(disk.rotation_rpm);
    let track = as_f64(disk.sustained_outer_bytes_per_s) * turn_s;
    let tracks = as_f64(spread.as_u64()) / track;
    let missed =
        |cache_bytes: u64| (1.0 - as_f64(cache_bytes) / as_f64(spread.as_u64().max(1))).max(0.0);
    let alone = |queued: f64| (1.0 - queued / tracks).max(0.0);
    // The drive serves its queue, or all of its write cache, track by track.
    let reads = as_f64(received.random(0)) * missed(disk.read_cache_bytes) * alone(32.0);
    let runs = disk.write_cache_runs_count;
    let cached = match disk.write_cache_bytes {
        0 => 32.0,
        _ => f64::from(runs.max(32)),
    };
    let writes = (as_f64(received.random(1)) - cached).max(0.0)
        * missed(disk.write_cache_bytes)
        * alone(cached);
    let step = disk.seek_track_to_track_ns.min(disk.track_switch_ns);
    // A write to a track that was just read needs no arm movement.
    rounded_down(reads.max(writes) * f64::from(step))
}

/// The time to sense or program every unbuffered unit, with all dies busy.
fn dies_ns(flash: &FlashProfile, received: &Received) -> u64 {
    let dies = f64::from(flash.dies_count.max(1));
    let program_bytes = f64::from(flash.planes_count) * f64::from(flash.page_bytes);
    // The profile's buffer, or two programs for every die.
    let buffer = as_f64(flash.write_buffer_bytes).max(2.0 * program_bytes * dies);
    let simulated = as_f64(flash.simulated_bytes.max(1));
    let missed = (1.0 - buffer / simulated).max(0.0);
    let written = (as_f64(received.bytes(1)) - buffer).max(0.0) * missed;
    let writes = written / program_bytes * as_f64(flash.program_ns);
    let reads = as_f64(received.requests[0]) * missed * as_f64(flash.read_ns);
    let variation = drawn_least(2.0, None, received.requests[0].max(1));
    rounded_down((writes + reads * variation) / dies)
}

/// Returns a time as whole nanoseconds, less one in a thousand for rounding.
fn rounded_down(ns: f64) -> u64 {
    truncated(ns * 0.999)
}
