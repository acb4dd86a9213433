//! Between which rates a stack must lie, in closed form, without simulating it.
//!
//! - **Bottleneck**: each byte of the load costs every resource (the servers of the devices, their
//!   links, what drains their caches, the uplink) at least some time, and none is busy for longer than
//!   the time that passes. So the rate is at most the number of devices over the time that a byte takes.
//! - **Little**: the load keeps a number of I/Os in flight, and each takes at least as long as the
//!   shortest request that it needs on an idle device.
//!
//! What an I/O needs follows from the level's rules: each copy is written, a small write to a parity
//! array reads first, and a whole row does not. How fast a device can be comes from its profile alone,
//! as in the checks of physical limits. The mean of its spread is 1, so a bound is one of the long run.
//! The bounds leave out what they cannot know: the CPU, seeks beyond one track, locks. They hold for
//! any scheduling, and are loose for hard disks.

use std::collections::BTreeMap;

use stripewise_profiles::device::calibrated::{CalibratedProfile, DirectionProfile, LinkProfile};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::{DeviceProfile, Model as DeviceModel};
use stripewise_study::conditions::State;
use stripewise_study::sample::as_f64;
use stripewise_study::stack::{Array, Filesystem, Level, Stack};
use stripewise_study::workload::{BlockSize, Distribution, Load};
use stripewise_units::{Bytes, Nanos};

use crate::array::raid10::Layout;
use crate::device::calibrated::transfer_ns;
use crate::device::curve::Curve;
use crate::device::drain::Drain;
use crate::engine::{Received, floor};
use crate::world::{Model, ModelError};

/// The stripes of a parity array's cache (`NR_STRIPES`), which may hold what a write would read.
const CACHE_STRIPES: u64 = 256;
/// A stripe has a page of each member.
const PAGE: u64 = 4096;
/// The I/Os for which the time of simulated devices is computed.
const IOS: u64 = 1 << 20;
/// A run of writes that drains as a stream.
const RUN: u64 = 1 << 40;
/// The largest request that adjacent ones are merged to.
const MERGED_MAX: u64 = 1 << 22;

/// The filesystems in which a direct I/O is one of the stack below, and others come on top.
const PASSED: [&str; 2] = ["ext4", "xfs"];

/// Two rates, in bytes of the load per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateBounds {
    /// The rate is at least this; 0 where nothing is known.
    pub lower: f64,
    /// The rate is at most this; infinite where nothing is known.
    pub upper: f64,
}

impl RateBounds {
    /// Nothing is known.
    pub const NONE: Self = Self {
        lower: 0.0,
        upper: f64::INFINITY,
    };
}

/// The least that one device needs for a load, by direction: reads and writes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Needs {
    /// Nanoseconds of all of its servers together for each byte.
    served: [f64; 2],
    /// Nanoseconds of its link for each byte.
    sent: [f64; 2],
    /// Whether the link carries both directions at once.
    full_duplex: bool,
    /// Nanoseconds until a byte written leaves its cache.
    drained: f64,
    /// Nanoseconds of the shortest request, on an idle device.
    alone: [f64; 2],
}

/// The bytes that the members move for each byte of the load, at least.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moved {
    /// Read for each byte read, and for each byte written.
    read: [f64; 2],
    /// Written for each byte written.
    written: f64,
}

/// Bounds of one load on any stack of a model. Making it takes as long as some hundred bounds.
#[derive(Debug)]
pub struct Bounder<'a> {
    model: &'a Model,
    load: &'a Load,
    state: Option<State>,
    /// The size of each I/O; `None` if nothing is known of such a load.
    block: Option<u64>,
    /// The share of bytes read.
    reads: f64,
    needs: BTreeMap<&'a str, Needs>,
}

impl<'a> Bounder<'a> {
    /// Prepares the bounds of a load.
    pub fn new(model: &'a Model, load: &'a Load, state: Option<State>) -> Self {
        let reads = match (load.pattern.reads(), load.pattern.writes()) {
            (true, true) => f64::from(load.read_percent.unwrap_or(50)) / 100.0,
            (reads, _) => f64::from(u8::from(reads)),
        };
        let block = match &load.block_size {
            BlockSize::Fixed(size) if load.direct && load.distribution == Distribution::Uniform => {
                Some(size.as_u64())
            }
            _ => None,
        };
        let is_steady = state != Some(State::Fresh);
        let devices = model.profiles.devices.iter();
        let needs = devices.filter_map(|(name, device)| {
            Some((name.as_str(), Needs::new(device, load, block?, is_steady)?))
        });
        Self {
            model,
            load,
            state,
            block,
            reads,
            needs: needs.collect(),
        }
    }

    /// Returns whether its bounds are those of this load, too.
    pub fn is_of(&self, load: &Load, state: Option<State>) -> bool {
        self.load == load && self.state == state
    }

    /// Returns the bounds of the load on a stack.
    ///
    /// # Errors
    /// If a profile is missing.
    pub fn bounds(&self, stack: &Stack) -> Result<RateBounds, ModelError> {
        let is_passed = match &stack.filesystem {
            Filesystem::None | Filesystem::Existing => true,
            Filesystem::Made { kind, .. } => PASSED.contains(&kind.as_str()),
        };
        let is_whole = is_passed && self.model.failed.is_empty();
        let (Some(block), Some(needs), true) = (self.block, self.needs_of(stack), is_whole) else {
            return Ok(RateBounds::NONE);
        };
        let moved = match &stack.array {
            Some(array) => self.moved(array, stack.device_count(), block),
            None => Moved::PLAIN,
        };
        let host = self.model.host_of(stack)?;
        let uplink = host
            .uplink
            .as_ref()
            .map_or(0.0, |uplink| 1e9 / as_f64(uplink.bytes_per_s));
        let busy = self.busy_ns(&needs, &moved, as_f64(stack.device_count()), uplink);
        let waits = self.waits_ns(&needs, &moved) / as_f64(self.load.in_flight() * block);
        Ok(RateBounds {
            lower: 0.0,
            upper: 1e9 / busy.max(waits),
        })
    }

    /// Returns the least of all devices of a stack.
    fn needs_of(&self, stack: &Stack) -> Option<Needs> {
        let mut groups = stack.devices.iter();
        let of = |profile: &str| self.needs.get(profile).copied();
        let first = of(&groups.next()?.profile)?;
        groups.try_fold(first, |least, group| Some(least.and(of(&group.profile)?)))
    }

    /// Returns the nanoseconds in which the busiest resource serves a byte of the load.
    fn busy_ns(&self, needs: &Needs, moved: &Moved, devices: f64, uplink: f64) -> f64 {
        let writes = 1.0 - self.reads;
        let read = self.reads * moved.read[0] + writes * moved.read[1];
        let written = writes * moved.written;
        let link = match needs.full_duplex {
            true => (read * needs.sent[0]).max(written * needs.sent[1]),
            false => read * needs.sent[0] + written * needs.sent[1],
        };
        let servers = (read * needs.served[0]).max(written * needs.served[1]);
        let of_devices = link.max(servers).max(written * needs.drained) / devices;
        // The uplink carries both directions at once.
        of_devices.max(read.max(written) * uplink)
    }

    /// Returns the nanoseconds that an I/O takes on average if it waits for no other.
    fn waits_ns(&self, needs: &Needs, moved: &Moved) -> f64 {
        // A write that has to read first waits for that: where only some do, on average.
        let reads_first = moved.read[1].min(1.0);
        let write = needs.alone[1] + reads_first * needs.alone[0];
        self.reads * moved.read[0].min(1.0) * needs.alone[0] + (1.0 - self.reads) * write
    }

    fn moved(&self, array: &Array, devices: u64, block: u64) -> Moved {
        let copies = |written: u64| Moved {
            written: as_f64(written),
            ..Moved::PLAIN
        };
        match array.level {
            Level::Linear | Level::Raid0 => Moved::PLAIN,
            Level::Raid1 => copies(devices),
            Level::Raid10 => {
                let layout = array.layout.as_deref().map(Layout::parse);
                let copied = layout.and_then(Result::ok).map_or(1, Layout::copies);
                copies(copied.into())
            }
            Level::Raid4 | Level::Raid5 => self.moved_by_parity(array, devices, 1, block),
            Level::Raid6 => self.moved_by_parity(array, devices, 2, block),
        }
    }

    fn moved_by_parity(&self, array: &Array, devices: u64, parity: u64, block: u64) -> Moved {
        let data = devices.saturating_sub(parity).max(1);
        let load = self.load;
        if !load.pattern.is_random() {
            // Jobs that are in step find in the cache what the first of them read.
            let read = 1.0 / f64::from(load.jobs.max(1));
            return Moved {
                read: [read, 0.0],
                written: as_f64(data + parity) / as_f64(data),
            };
        }
        let stripes = array
            .settings
            .stripe_cache_size
            .map_or(CACHE_STRIPES, u64::from);
        let cached = as_f64(stripes.max(CACHE_STRIPES) * PAGE * data);
        let missed = (1.0 - cached / as_f64(load.size_bytes.as_u64().max(1))).max(0.0);
        let chunk = array.chunk_bytes.map_or(1, Bytes::as_u64).max(1);
        // The members that one I/O writes in a stripe, at most.
        let widest = match chunk % block {
            0 => 1,
            _ => (block.div_ceil(chunk) + 1).min(data),
        };
        // Read-modify-write reads what it replaces, reconstruct-write what it keeps.
        let first = |members: u64| {
            let read = (members + parity).min(data - members);
            as_f64(read) / as_f64(members)
        };
        let first = (1..=widest).map(first).fold(f64::INFINITY, f64::min);
        Moved {
            read: [missed, missed * first],
            written: 1.0 + missed * as_f64(parity) / as_f64(widest),
        }
    }
}

impl Moved {
    /// Each byte once.
    const PLAIN: Self = Self {
        read: [1.0, 0.0],
        written: 1.0,
    };
}

impl Needs {
    fn new(device: &DeviceProfile, load: &Load, block: u64, is_steady: bool) -> Option<Self> {
        let link = device.model.link();
        let rates = [link.read_bytes_per_s, link.write_bytes_per_s];
        let none = Self {
            sent: rates.map(|rate| 1e9 / as_f64(rate.max(1))),
            full_duplex: link.full_duplex,
            ..Self::default()
        };
        match &device.model {
            DeviceModel::Calibrated(profile) => none.calibrated(profile, load, block, is_steady),
            model => Some(none.simulated(model, load, block)),
        }
    }

    fn calibrated(
        self,
        profile: &CalibratedProfile,
        load: &Load,
        block: u64,
        is_steady: bool,
    ) -> Option<Self> {
        let link = &profile.link;
        let rates = [link.read_bytes_per_s, link.write_bytes_per_s];
        let read = Times::new(&profile.read, link, rates[0], load, block)?;
        let write = Times::new(&profile.write, link, rates[1], load, block)?;
        // The fast area drains while a load pauses, in order.
        let is_busy = load.burst().is_none() && load.think_time_ns == Nanos::default();
        let run = match load.pattern.is_random() && is_busy {
            true => block,
            false => RUN,
        };
        let drained = profile.drain.clone().filter(|_| is_steady).map(|drain| {
            let drain_ns = Drain::new(drain).drain_ns(Bytes::new(run), Bytes::new(0));
            as_f64(drain_ns) / as_f64(run)
        });
        Some(Self {
            served: [read.served, write.served],
            drained: drained.unwrap_or_default(),
            alone: [read.alone, write.alone],
            ..self
        })
    }

    /// Devices that are simulated by their parts: the time in which a million I/Os can be served.
    fn simulated(self, model: &DeviceModel, load: &Load, block: u64) -> Self {
        let received = |direction: usize| {
            let mut received = Received::default();
            received.requests[direction] = IOS;
            received.sectors[direction] = IOS * block.div_ceil(512);
            if !load.pattern.is_random() {
                received.sequential[direction] = IOS;
            }
            received
        };
        let is_even = load.pattern.is_random();
        let spread = is_even.then_some(load.size_bytes);
        let each =
            |direction| as_f64(floor(model, &received(direction), spread).1) / as_f64(IOS * block);
        Self {
            served: [each(0), each(1)],
            ..self
        }
    }

    /// Returns the smaller of each.
    fn and(self, other: Self) -> Self {
        let least = |one: [f64; 2], two: [f64; 2]| [one[0].min(two[0]), one[1].min(two[1])];
        Self {
            served: least(self.served, other.served),
            sent: least(self.sent, other.sent),
            full_duplex: self.full_duplex || other.full_duplex,
            drained: self.drained.min(other.drained),
            alone: least(self.alone, other.alone),
        }
    }
}

/// The times of one direction of a calibrated device.
struct Times {
    served: f64,
    alone: f64,
}

impl Times {
    fn new(
        profile: &DirectionProfile,
        link: &LinkProfile,
        rate: u64,
        load: &Load,
        block: u64,
    ) -> Option<Self> {
        let is_random = load.pattern.is_random();
        let mut curves = vec![Curve::new(profile.random.clone())?];
        // An I/O that is cut into pieces continues itself on a device, even a random one.
        let continues = !is_random || block > PAGE;
        if continues && !profile.sequential.is_empty() {
            curves.push(Curve::new(profile.sequential.clone())?);
        }
        // Pieces of an I/O are smaller than it; adjacent I/Os of a stream are merged.
        let largest = match is_random {
            true => block,
            false => MERGED_MAX.max(block),
        };
        let (mut served, mut alone) = (f64::INFINITY, f64::INFINITY);
        for curve in &curves {
            let points = curve
                .points()
                .iter()
                .map(|point: &CurvePoint| point.size_bytes);
            let sizes = points
                .filter(|size| *size < largest)
                .chain([512, block, largest]);
            for size in sizes {
                let time = as_f64(curve.time(Bytes::new(size)).as_u64());
                let on_link = match profile.depends_on_load() {
                    true => 0.0,
                    false => as_f64(link.command_ns + transfer_ns(Bytes::new(size), rate)),
                };
                let served_by_all = (time - on_link).max(0.0) / profile.gain_max();
                served = served.min(served_by_all / as_f64(size));
                alone = alone.min(time);
            }
        }
        Some(Self { served, alone })
    }
}
