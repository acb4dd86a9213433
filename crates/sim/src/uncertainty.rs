//! How far a simulated rate or time may be from a measured one, because of the numbers behind it.
//!
//! In a closed loop of `N` I/Os the rate is `N` over the mean time of an I/O (Little's law), so an
//! error of a factor in one part of that time moves the rate by the part's share. The parts are those
//! of the breakdown; the errors come from the points that a profile was made from:
//!
//! - the model's result over the measured one at the points nearest to this load;
//! - how far the curve through the points may bend between them: each point against the line between
//!   its neighbours, for each doubling of the size or of the requests in flight. Beyond the points, and
//!   with too few of them, a rate grows between not at all and in proportion;
//! - how much measurements differ that ought to be equal: those of the profile with as many requests in
//!   flight, or else what published ones show, and more if several jobs ask and one job measured. It
//!   counts twice, as what a prediction is compared with is
//!   a measurement, too;
//! - if the profile is one of a class, how far published drives of the class lie from it (`class`);
//! - the CPU times of a host that stands for a class, which are wrong by up to a factor of two;
//! - the delay of an adapter, where measurements leave it open;
//! - the path that the disks of an array share, if the host is a class without one.
//!
//! Independent errors add by their squares. Whether md's rules are right is not in it.

use std::collections::BTreeMap;

use stripewise_profiles::Basis;
use stripewise_profiles::device::{DeviceProfile, MeasuredPoint};
use stripewise_profiles::host::HostProfile;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::State;
use stripewise_study::sample::{
    Breakdown, ClassSpread, NextMeasurement, Part, Sample, UncertainPart, Uncertainty,
    UncertaintySource, as_f64,
};
use stripewise_study::stack::Level;
use stripewise_study::workload::Pattern;

use crate::class::{Drives, drives, is_class};
use crate::narrow::truncated;

/// Half the width of a 95 % interval of a normal distribution, in standard deviations.
pub const NORMAL_95: f64 = 1.96;
/// The width of an even distribution, in standard deviations: the root of 12.
const EVEN: f64 = 3.464;
/// From so many points with neighbours on, their distances from the lines between those count.
const BENDS_MIN: usize = 2;
/// The standard deviation of the logarithm of rates measured by one fio after the other on one SSD,
/// with as many requests in flight but other numbers of jobs: the median of 22 published curves
/// (`cargo test -p stripewise-calibrate --test it coverage`).
const REPEATED: f64 = 0.058;
/// The same between one job and several with as many requests in flight, where a device is measured
/// with one: the root of the mean square over 22 published curves, not the median, as which kind a device
/// is of is not known (the same test).
const JOBS: f64 = 0.131;
/// The least path that the disks of a small server share, if nothing is known of it: four lanes of PCIe
/// 2.0, which is DMI 2.0, carry 2 GB/s before the headers of their packets (24 bytes for 128).
const UPLINK_LEAST_BYTES_PER_S: f64 = 1.68e9;
/// From so many measurements more than loads on, a profile's own spread counts if it is larger: one
/// table shows the spread of its own days.
const REPEATED_MIN: usize = 5;
/// The CPU time of a class of hosts: a factor of 2 either way at 95 %.
const CPU_OF_CLASS: f64 = std::f64::consts::LN_2 / NORMAL_95;
/// A measurement is worth to be named if it leaves at most this share of the width.
const NARROWER: f64 = 0.9;
/// The number of nearest points used, if none has exactly the load.
const NEAREST: usize = 2;

/// The parts of a device.
const DEVICE: [Part; 9] = [
    Part::BlockQueue,
    Part::DeviceQueue,
    Part::DeviceService,
    Part::SlowestMember,
    Part::ReadModifyWrite,
    Part::Bitmap,
    Part::Rebuild,
    Part::Flush,
    Part::Journal,
];
/// The load of one device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeviceLoad {
    /// Its direction and order: no mix.
    pub pattern: Pattern,
    /// The size of a request, in bytes.
    pub size_bytes: f64,
    /// The number of requests in flight.
    pub in_flight: f64,
    /// Whether it is the long run.
    pub is_steady: bool,
    /// The number of requests in flight on all devices together.
    pub in_array: f64,
    /// Whether several jobs send them.
    pub has_jobs: bool,
}

impl DeviceLoad {
    /// Returns the measurement of a device under this load; more than its queue holds is the same load.
    fn measurement(&self, device: &DeviceProfile) -> NextMeasurement {
        let in_flight = self.in_flight.min(f64::from(device.queue_depth));
        NextMeasurement {
            profile: device.name.clone(),
            pattern: self.pattern.as_str().to_owned(),
            block_size_bytes: truncated(self.size_bytes),
            depth: u32::try_from(truncated(in_flight.round())).unwrap_or(u32::MAX),
        }
    }
}

/// The standard deviations of the logarithm of a device's rate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct DeviceErrors {
    points: f64,
    between: f64,
    repeated: f64,
    /// The drives of a class, if the profile is one.
    drives: Option<Drives>,
}

impl DeviceErrors {
    fn total(&self) -> f64 {
        let drives = self
            .drives
            .map_or(0.0, |drives| drives.half_width / NORMAL_95);
        let own = libm::hypot(libm::hypot(self.points, self.between), self.repeated);
        libm::hypot(own, drives)
    }
}

/// A measured point, in doublings and logarithms.
#[derive(Debug, Clone, Copy)]
struct Place {
    size: f64,
    in_flight: f64,
    rate: f64,
    error: f64,
    has_jobs: bool,
}

impl Place {
    /// Returns a point's place; `None` if the model's result there is not known. The device holds no
    /// more requests than its queue.
    fn new(point: &MeasuredPoint, queue_depth: u32) -> Option<Self> {
        let measured = point.bandwidth_bytes_per_s;
        let error = libm::log(measured / point.model_bandwidth_bytes_per_s?);
        let in_flight = f64::from(point.jobs.saturating_mul(point.depth).min(queue_depth));
        error.is_finite().then(|| Self {
            size: libm::log2(as_f64(point.block_size_bytes)),
            in_flight: libm::log2(in_flight),
            rate: libm::log(measured),
            error,
            has_jobs: point.jobs > 1,
        })
    }
}

/// Returns how far the simulation of `cell` may be from a measurement; `None` if a device's profile
/// has no measured point of this kind of load, or the load syncs, whose time no point shows.
pub(crate) fn uncertainty(
    cell: &Cell,
    devices: &[&DeviceProfile],
    host: &HostProfile,
    sample: &Sample,
) -> Option<Uncertainty> {
    let breakdown = sample.breakdown.as_ref()?;
    let load = &cell.workload.load;
    if load.fsync_every.is_some() || load.fdatasync_every.is_some() {
        return None;
    }
    // The times of a trace decide its rate, and its mix of sizes is that of no measured point.
    if cell.workload.trace.is_some() {
        return None;
    }
    let loads = loads(cell);
    let moved = sample.read.bytes.as_u64() + sample.write.bytes.as_u64();
    let bytes_per_s = as_f64(moved) / sample.elapsed_ns.as_secs_f64();
    let (worst, worst_load) = worst(devices, &loads)?;
    let (sources, class) = sources(cell, host, breakdown, worst);
    let half_width = together(&sources, |_| true);
    let room = link_bytes_per_s(devices, &loads) / bytes_per_s;
    let mean_ns = breakdown.mean_ns().max(f64::MIN_POSITIVE);
    let by_adapter = by_adapter(cell, devices, host, mean_ns);
    let by_uplink = by_uplink(devices, host, bytes_per_s);
    // A point of this load leaves nothing between the points, and the fit follows it.
    let by_points = [
        UncertaintySource::Points,
        UncertaintySource::Between,
        UncertaintySource::Class,
    ];
    let narrowed = together(&sources, |source| !by_points.contains(&source));
    let next = worst_load
        .filter(|_| narrowed <= NARROWER * half_width)
        .map(|(device, load)| load.measurement(device));
    let middle = class.map_or(0.0, |class| class.middle);
    let faster = match class {
        None => half_width.min(libm::log(room).max(0.0)),
        // The link of a class is not that of a drive. Faster drives help an array by their share.
        Some(_) if devices.len() == 1 => half_width + middle,
        Some(_) => {
            (half_width + middle) * (breakdown.share(&DEVICE) + breakdown.share(&[Part::Link]))
        }
    };
    Some(Uncertainty {
        faster: faster.max(0.0),
        slower: ((half_width - middle).max(0.0) + by_adapter).max(by_uplink),
        by_adapter,
        by_uplink,
        sources,
        class,
        then_slower: next
            .is_some()
            .then_some((narrowed + by_adapter).max(by_uplink)),
        next,
    })
}

/// Returns the sources of uncertainty, the largest first, and where the drives of a class lie.
///
/// A drive's rate is that of the whole path, and a slow one becomes what limits: so it counts in full,
/// whatever share of the time is the device's.
fn sources(
    cell: &Cell,
    host: &HostProfile,
    breakdown: &Breakdown,
    worst: DeviceErrors,
) -> (Vec<UncertainPart>, Option<ClassSpread>) {
    let device = breakdown.share(&DEVICE);
    let cpu = match host.basis {
        Some(Basis::Measured) => 0.0,
        _ => CPU_OF_CLASS * (breakdown.share(&Part::CPU) + breakdown.share(&[Part::ParityThread])),
    };
    let known = host.adapter_of(cell.stack.adapter.as_deref());
    let range = known.and_then(|adapter| adapter.delay_ns_range);
    let open = range.map_or(0.0, |[least, most]| {
        libm::log(as_f64(most) / as_f64(least.max(1))) / EVEN
    });
    let adapter = open * breakdown.share(&[Part::Adapter]);
    let part = |source, deviation: f64| UncertainPart {
        source,
        half_width: NORMAL_95 * deviation,
    };
    let mut sources = vec![
        part(UncertaintySource::Points, device * worst.points),
        part(UncertaintySource::Between, device * worst.between),
        part(
            UncertaintySource::Repeat,
            libm::hypot(device, 1.0) * worst.repeated,
        ),
        part(UncertaintySource::Cpu, cpu),
        part(UncertaintySource::Adapter, adapter),
    ];
    let class = worst.drives.map(|drives| {
        sources.push(UncertainPart {
            source: UncertaintySource::Class,
            half_width: drives.half_width,
        });
        ClassSpread {
            drives: drives.count,
            middle: drives.middle,
        }
    });
    sources.sort_by(|left, right| right.half_width.total_cmp(&left.half_width));
    (sources, class)
}

/// Returns the errors of the device that is known worst under its load, and that load; `None` if nothing
/// is known of one.
fn worst<'a>(
    devices: &[&'a DeviceProfile],
    loads: &[DeviceLoad],
) -> Option<(DeviceErrors, Option<(&'a DeviceProfile, DeviceLoad)>)> {
    let mut worst = (DeviceErrors::default(), None);
    for (index, device) in devices.iter().enumerate() {
        if index > 0 && device.name == devices[index - 1].name {
            continue;
        }
        for load in loads {
            let errors = errors_of(device, *load)?;
            if errors.total() > worst.0.total() {
                worst = (errors, Some((*device, *load)));
            }
        }
    }
    Some(worst)
}

/// Returns the measurement of one device alone that would tell most about the arrays of `cells`, and how
/// many of these put that load on the device; `None` if all their loads were measured.
pub fn next_measurement<'a>(
    cells: &[Cell],
    device: impl Fn(&str) -> Option<&'a DeviceProfile>,
) -> Option<(NextMeasurement, usize)> {
    let mut open: BTreeMap<NextMeasurement, (f64, usize)> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.stack.array.is_some()) {
        let names = cell
            .stack
            .devices
            .iter()
            .map(|group| group.profile.as_str());
        for device in names.filter_map(&device) {
            for load in loads(cell) {
                // Without any point of such a load, nothing is known.
                let between = match errors_of(device, load) {
                    Some(errors) if errors.drives.is_none() => errors.between,
                    _ => 1.0,
                };
                if between >= REPEATED {
                    let (sum, count) = open.entry(load.measurement(device)).or_default();
                    *sum += between * between;
                    *count += 1;
                }
            }
        }
    }
    let most = open
        .into_iter()
        .max_by(|left, right| left.1.0.total_cmp(&right.1.0));
    most.map(|(measurement, (_, cells))| (measurement, cells))
}

/// Returns the half width of some sources together.
fn together(sources: &[UncertainPart], counts: impl Fn(UncertaintySource) -> bool) -> f64 {
    let counted = sources.iter().filter(|part| counts(part.source));
    counted.map(|part| part.half_width).fold(0.0, libm::hypot)
}

/// Returns the rate of as many links as requests can use at once, the fastest.
fn link_bytes_per_s(devices: &[&DeviceProfile], loads: &[DeviceLoad]) -> f64 {
    let fastest = devices.iter().map(|device| {
        let link = device.model.link();
        link.read_bytes_per_s.max(link.write_bytes_per_s)
    });
    let in_use = loads.iter().map(|load| load.in_array).fold(0.0, f64::max);
    let in_use = in_use.clamp(1.0, as_f64(devices.len() as u64));
    as_f64(fastest.max().unwrap_or_default()) * in_use
}

/// Returns by how much the logarithm of the rate is lower if a delay in the profiles is the adapter's,
/// which then counts the commands of all devices.
fn by_adapter(cell: &Cell, devices: &[&DeviceProfile], host: &HostProfile, mean_ns: f64) -> f64 {
    if devices.len() < 2 || host.adapter_of(cell.stack.adapter.as_deref()).is_some() {
        return 0.0;
    }
    let outstanding = as_f64(cell.workload.load.in_flight());
    let each = outstanding / as_f64(devices.len() as u64);
    let delays = devices.iter().filter_map(|device| device.perhaps_adapter);
    let delays = delays.filter(|adapter| {
        let needed = f64::from(adapter.outstanding_min);
        each < needed && needed <= outstanding
    });
    let slower = delays.map(|adapter| libm::log1p(as_f64(adapter.delay_ns) / mean_ns));
    slower.fold(0.0, f64::max)
}

/// Returns by how much the logarithm of the rate is lower if the disks share the least path of a small
/// server, which the host profile does not say; one disk has at least its own link.
fn by_uplink(devices: &[&DeviceProfile], host: &HostProfile, bytes_per_s: f64) -> f64 {
    if devices.len() < 2 || host.uplink.is_some() || host.basis == Some(Basis::Measured) {
        return 0.0;
    }
    let links = devices.iter().map(|device| device.model.link());
    let links = links.map(|link| as_f64(link.read_bytes_per_s.max(link.write_bytes_per_s)));
    let least = links.fold(UPLINK_LEAST_BYTES_PER_S, f64::max);
    libm::log(bytes_per_s / least).max(0.0)
}

/// Returns the part of a cell's load that reaches one device: an array distributes I/Os by chunk.
/// One load per direction.
fn loads(cell: &Cell) -> Vec<DeviceLoad> {
    let load = &cell.workload.load;
    let block = as_f64(load.block_size.largest().as_u64());
    let array = cell.stack.array.as_ref();
    let chunk = array.and_then(|array| array.chunk_bytes);
    let size_bytes = chunk.map_or(block, |chunk| block.min(as_f64(chunk.as_u64())));
    let requests = as_f64(load.in_flight()) * (block / size_bytes).ceil();
    let members = match array {
        Some(_) => as_f64(cell.stack.device_count().max(1)),
        None => 1.0,
    };
    let level = array.map(|array| array.level);
    let has_parity = matches!(level, Some(Level::Raid4 | Level::Raid5 | Level::Raid6));
    let of = |writes: bool| {
        // Every mirror receives every write.
        let is_copied = writes && level == Some(Level::Raid1);
        let shared = if is_copied { 1.0 } else { members };
        DeviceLoad {
            pattern: match (load.pattern.is_random(), writes) {
                (false, false) => Pattern::Read,
                (false, true) => Pattern::Write,
                (true, false) => Pattern::RandRead,
                (true, true) => Pattern::RandWrite,
            },
            size_bytes,
            in_flight: (requests / shared).max(1.0),
            in_array: requests,
            has_jobs: load.jobs > 1,
            is_steady: cell.conditions.state != Some(State::Fresh),
        }
    };
    let writes = load.pattern.writes();
    // Writes to parity read first.
    let reads = load.pattern.reads() || (writes && has_parity);
    let directions = [(reads, false), (writes, true)];
    let asked = directions.into_iter().filter(|(is_asked, _)| *is_asked);
    asked.map(|(_, writes)| of(writes)).collect()
}

/// Returns the errors of a device under `load`, from the points of the same direction and order, or
/// those of mixes of that order; `None` if there are none.
fn errors_of(device: &DeviceProfile, load: DeviceLoad) -> Option<DeviceErrors> {
    if is_class(device) {
        return Some(DeviceErrors {
            repeated: REPEATED,
            drives: Some(drives(device, &load)?),
            ..DeviceErrors::default()
        });
    }
    let mix = match load.pattern.is_random() {
        true => Pattern::RandRw,
        false => Pattern::Rw,
    };
    let (side, link) = match load.pattern.writes() {
        true => ("write", device.model.link().write_bytes_per_s),
        false => ("read", device.model.link().read_bytes_per_s),
    };
    let places = |pattern: Pattern| -> Vec<Place> {
        let is_side = |of: &String| of == side;
        let alike = device
            .points
            .iter()
            .filter(|point| point.pattern == pattern.as_str());
        let alike = alike.filter(|point| point.side.as_ref().is_none_or(is_side));
        alike
            .filter_map(|point| Place::new(point, device.queue_depth))
            .collect()
    };
    let mut places = Some(places(load.pattern))
        .filter(|places| !places.is_empty())
        .unwrap_or_else(|| places(mix));
    let in_flight = load.in_flight.min(f64::from(device.queue_depth));
    let at = (libm::log2(load.size_bytes), libm::log2(in_flight));
    let distance = |place: &Place| libm::hypot(place.size - at.0, place.in_flight - at.1);
    places.sort_by(|left, right| distance(left).total_cmp(&distance(right)));
    let nearest = *places.first()?;
    let exact = places.iter().take_while(|place| distance(place) <= 0.0);
    let used = match exact.count() {
        0 => NEAREST.min(places.len()),
        exact => exact,
    };
    let squares = places[..used].iter().map(|place| place.error * place.error);
    let room = (libm::log(as_f64(link)) - nearest.rate).max(0.0);
    let by_size = off_line(&places, at.0, room, |place| (place.size, place.in_flight));
    let by_in_flight = off_line(&places, at.1, room, |place| (place.in_flight, place.size));
    let has_jobs = places.iter().any(|place| place.has_jobs);
    let by_jobs = match load.has_jobs && !has_jobs {
        true => JOBS,
        false => 0.0,
    };
    Some(DeviceErrors {
        points: libm::sqrt(squares.sum::<f64>() / as_f64(used as u64)),
        between: libm::hypot(libm::hypot(by_size, by_in_flight), by_jobs),
        repeated: repeated(&places),
        drives: None,
    })
}

/// Returns how far the rate may lie from the nearest of `places`, the first, because of what comes first
/// in `axes`: the size, or the requests in flight.
///
/// Each point is compared with the line between its neighbours, and the differences say how far curves
/// bend for each doubling. The nearest point itself is somewhere between what was measured and that
/// line. Beyond the points, and if there are too few, the rate grows between not at all and in
/// proportion, but not beyond the link, `room` above the nearest point. Beyond the points the model may
/// stand at either end of that, so the interval holds all of it; above them a rate grows no more for each
/// doubling than between the last two, as curves of rates flatten.
fn off_line(places: &[Place], at: f64, room: f64, axes: impl Fn(&Place) -> (f64, f64)) -> f64 {
    let nearest = axes(&places[0]);
    let doublings = (nearest.0 - at).abs();
    let growth = (doublings * std::f64::consts::LN_2).min(room);
    let line = line(places, &axes);
    let missed: Vec<(f64, f64, f64)> = line.windows(3).filter_map(missed).collect();
    let own = missed
        .iter()
        .find(|one| one.0.total_cmp(&nearest.0).is_eq());
    let own = own.map_or(0.0, |one| one.1.abs() / EVEN);
    let along = || places.iter().map(|place| axes(place).0);
    let is_above = at > along().fold(at - 1.0, f64::max);
    let is_below = at < along().fold(at + 1.0, f64::min);
    if is_above || is_below {
        let growth = match is_above {
            true => (doublings * last_growth(&line, nearest.1)).min(room),
            false => growth,
        };
        // The model stands at one end of what is possible, or the other.
        return libm::hypot(own, growth / NORMAL_95);
    }
    let unknown = growth / EVEN;
    if missed.len() < BENDS_MIN {
        return libm::hypot(own, unknown);
    }
    let squares = missed.iter().map(|one| (one.1 / one.2) * (one.1 / one.2));
    let bend = libm::sqrt(squares.sum::<f64>() / as_f64(missed.len() as u64));
    libm::hypot(own, (bend * doublings).min(unknown))
}

/// Returns how much the logarithm of the rate grows for a doubling between the last two points whose
/// other axis is `other`; in proportion if there is one alone.
fn last_growth(line: &[(f64, f64, f64)], other: f64) -> f64 {
    let mut of_line = line
        .iter()
        .rev()
        .filter(|one| one.0.total_cmp(&other).is_eq());
    match (of_line.next(), of_line.next()) {
        (Some(last), Some(before)) => {
            ((last.2 - before.2) / (last.1 - before.1)).clamp(0.0, std::f64::consts::LN_2)
        }
        _ => std::f64::consts::LN_2,
    }
}

/// Returns the points in order, as (the other axis, the axis, rate), of those that ought to be equal
/// the one in the middle.
fn line(places: &[Place], axes: &impl Fn(&Place) -> (f64, f64)) -> Vec<(f64, f64, f64)> {
    let of_place = |place: &Place| (axes(place).1, axes(place).0, place.rate);
    let mut sorted: Vec<(f64, f64, f64)> = places.iter().map(of_place).collect();
    sorted.sort_by(|left, right| {
        let by_axes = left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1));
        by_axes.then(left.2.total_cmp(&right.2))
    });
    let same = |left: &(f64, f64, f64), right: &(f64, f64, f64)| {
        left.0.total_cmp(&right.0).is_eq() && left.1.total_cmp(&right.1).is_eq()
    };
    let middle = sorted.chunk_by(same).map(|equal| equal[equal.len() / 2]);
    middle.collect()
}

/// Returns where the point in the middle lies, how far from the line between its neighbours, and how many
/// doublings from the nearer one; `None` if they differ on the other axis.
fn missed(three: &[(f64, f64, f64)]) -> Option<(f64, f64, f64)> {
    let [left, own, right] = [three[0], three[1], three[2]];
    let is_one_line = left.0.total_cmp(&right.0).is_eq();
    let share = (own.1 - left.1) / (right.1 - left.1);
    let off = own.2 - (left.2 + share * (right.2 - left.2));
    is_one_line.then(|| (own.1, off, (own.1 - left.1).min(right.1 - own.1)))
}

/// Returns the standard deviation of the logarithms of rates that ought to be equal.
fn repeated(places: &[Place]) -> f64 {
    let mut sorted: Vec<&Place> = places.iter().collect();
    let order = |left: &&Place, right: &&Place| {
        let by_size = left.size.total_cmp(&right.size);
        by_size.then(left.in_flight.total_cmp(&right.in_flight))
    };
    sorted.sort_by(order);
    let (mut squares, mut more) = (0.0, 0);
    for equal in sorted.chunk_by(|left, right| order(left, right).is_eq()) {
        let count = as_f64(equal.len() as u64);
        let mean = equal.iter().map(|place| place.rate).sum::<f64>() / count;
        let off = equal.iter().map(|place| place.rate - mean);
        squares += off.map(|off| off * off).sum::<f64>();
        more += equal.len() - 1;
    }
    match more < REPEATED_MIN {
        true => REPEATED,
        false => libm::sqrt(squares / as_f64(more as u64)).max(REPEATED),
    }
}

#[cfg(test)]
#[path = "uncertainty_tests.rs"]
mod tests;
