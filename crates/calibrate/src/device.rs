//! Fits a device profile to rows on one device alone.
//!
//! A row measures the device *and* the host. So each point of a curve starts at the measured time.
//! We simulate the cell and move the point by the difference of measured and simulated time. After
//! two to four rounds the remaining difference is below the noise of the simulation.

pub(crate) mod class;
pub(crate) mod shape;
mod under_load;

use std::collections::BTreeMap;

use stripewise_profiles::Basis;
use stripewise_profiles::device::calibrated::{
    CacheProfile, CalibratedProfile, DirectionProfile, LinkProfile,
};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::{
    DeviceProfile, MeasuredPoint, Model, PHYSICAL_BLOCK_BYTES_DEFAULT, Ratings, SCHEMA,
};
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::kernel::policy;
use stripewise_profiles::profile_file::CURVE_POINTS_MAX;
use stripewise_sim::device::curve::Curve;
use stripewise_study::workload::Pattern;
use stripewise_units::Bytes;

use crate::convex::smooth;
use crate::number::{mean, rounded};
use crate::points::{Point, Side};
use crate::prepare::{CalibrateError, Simulated, SimulatedRow};
use crate::report::{LeftOutOfCurve, MovedPoint};
use crate::search::golden_section;
use class::Class;
use shape::Shape;
use stripewise_study::sample::as_f64;

/// The curves of a profile, by pattern.
const CURVES: [Pattern; 4] = [
    Pattern::RandRead,
    Pattern::Read,
    Pattern::RandWrite,
    Pattern::Write,
];

/// The default ratio of the 99th percentile to the median: Samsung 850 EVO, 4 KiB random reads, 119
/// over 92 us.
const P99_OVER_P50: f64 = 1.29;

/// A point of a curve and the row it must reproduce.
#[derive(Debug)]
struct Target<'a> {
    row: SimulatedRow<'a>,
    /// Its curve.
    curve: Pattern,
    /// The target time of the row.
    time_ns: f64,
    /// The size of the point: the row's, or the largest request if the row's is larger.
    size_bytes: u64,
    /// The point's share of the row's time: 1 unless the row is larger than a request.
    share: f64,
}

/// A device profile during fitting.
#[derive(Debug)]
pub(crate) struct DeviceModel<'a> {
    profile: DeviceProfile,
    calibrated: CalibratedProfile,
    targets: Vec<Target<'a>>,
    /// Points of the curves that only have rows with several I/Os in flight.
    guessed: Vec<(Pattern, CurvePoint)>,
    /// Rows without `fsync` and with more than one I/O in flight.
    deep: Vec<SimulatedRow<'a>>,
    /// Rows alone, with `fsync`.
    synced: Vec<SimulatedRow<'a>>,
    /// The lines of the rows used for the profile.
    pub(crate) lines: Vec<u64>,
    /// The points that the convex curve moved.
    pub(crate) moved: Vec<MovedPoint>,
    class: Class,
    seed: u64,
}

impl<'a> DeviceModel<'a> {
    /// Returns the model of device `name` from `rows`, all on one stack with one such device;
    /// `None` if no row shows a direction of it.
    ///
    /// `needed_bytes` is the size of the study's files on one device.
    pub(crate) fn new(
        name: &str,
        rows: &[SimulatedRow<'a>],
        needed_bytes: u64,
        source: &str,
        seed: u64,
    ) -> Result<Option<Self>, CalibrateError> {
        let mut points: Vec<&Point> = rows.iter().map(|row| row.point).collect();
        points.retain(|point| point.shows_device());
        let Some(first) = rows.iter().find(|row| row.point.shows_device()) else {
            return Ok(None);
        };
        let kernel = policy(first.kernel);
        let request_max = u64::from(kernel.member_request_max_kib) * 1024;
        let mut model = Self {
            profile: empty_profile(name, &first.cell.stack.name, source),
            calibrated: empty_calibrated(),
            targets: Vec::new(),
            guessed: Vec::new(),
            deep: of_rows(rows, |point| {
                point.fsync_every.is_none() && !point.is_alone()
            }),
            synced: of_rows(rows, |point| {
                point.is_alone() && point.fsync_every.is_some() && !point.pattern.is_mixed()
            }),
            lines: Vec::new(),
            moved: Vec::new(),
            class: Class::of(&points),
            seed,
        };
        for pattern in CURVES {
            model.add_targets(pattern, rows, request_max)?;
        }
        for pattern in CURVES {
            model.guess_lone_times(pattern, request_max);
        }
        let synced = model.synced.iter().map(|row| row.point);
        model.lines = points
            .iter()
            .copied()
            .chain(synced)
            .map(|point| point.line)
            .collect();
        model.set_link(&points);
        model.set_spread(&points);
        model.set_assumed(needed_bytes);
        points.retain(|point| point.fsync_every.is_none());
        model.profile.points = measured_points(&points);
        Ok(Some(model))
    }

    /// Returns the current profile.
    pub(crate) fn profile(&self) -> DeviceProfile {
        let mut profile = self.profile.clone();
        profile.model = Model::Calibrated(self.calibrated.clone());
        profile
    }

    /// Returns the name of the profile.
    pub(crate) fn name(&self) -> &str {
        &self.profile.name
    }

    fn add_targets(
        &mut self,
        pattern: Pattern,
        rows: &[SimulatedRow<'a>],
        request_max: u64,
    ) -> Result<(), CalibrateError> {
        let alone =
            |row: &&SimulatedRow<'a>| row.point.shows_lone_request() && is_of(row.point, pattern);
        let mut alone: Vec<&SimulatedRow<'a>> = rows.iter().filter(alone).collect();
        if alone.iter().any(|row| row.point.is_plain()) {
            alone.retain(|row| row.point.is_plain());
        }
        alone.sort_by_key(|row| row.point.block_size_bytes);
        let mut sizes: Vec<u64> = alone.iter().map(|row| row.point.block_size_bytes).collect();
        sizes.dedup();
        // Larger I/Os reach the device in pieces; they are only needed if there are no smaller
        // ones.
        let kept = sizes
            .iter()
            .filter(|size| **size <= request_max)
            .count()
            .max(1);
        sizes.truncate(kept);
        if sizes.len() > CURVE_POINTS_MAX {
            return Err(CalibrateError::TooManySizes {
                stack: alone[0].point.stack.clone(),
                pattern: pattern.as_str(),
                sizes: sizes.len(),
                most: CURVE_POINTS_MAX,
            });
        }
        let measured: Vec<(u64, f64)> = sizes
            .iter()
            .map(|size| {
                let same = alone
                    .iter()
                    .filter(|row| row.point.block_size_bytes == *size);
                let time = mean(same.map(|row| row.point.time_ns()));
                (*size, time.expect("every size is of a row"))
            })
            .collect();
        let used: Vec<f64> = match pattern.writes() {
            true => smooth(&measured),
            false => measured.iter().map(|point| point.1).collect(),
        };
        for (&(size, measured_ns), used_ns) in measured.iter().zip(used) {
            let row = alone.iter().find(|row| row.point.block_size_bytes == size);
            let row = (*row.expect("every size is of a row")).clone();
            if (used_ns / measured_ns - 1.0).abs() > 1e-6 {
                self.moved.push(MovedPoint {
                    profile: self.profile.name.clone(),
                    pattern: pattern.as_str(),
                    block_size_bytes: size,
                    measured_ns,
                    used_ns,
                });
            }
            self.targets.push(Target {
                row,
                curve: pattern,
                time_ns: used_ns,
                size_bytes: size.min(request_max),
                share: as_f64(size.min(request_max)) / as_f64(size),
            });
        }
        Ok(())
    }

    /// Guesses the time of a lone request from the rows with the fewest I/Os in flight, where no row
    /// shows it. The guess only divides a measured time into that of one and the gain of several.
    fn guess_lone_times(&mut self, pattern: Pattern, request_max: u64) {
        if self.targets.iter().any(|target| target.curve == pattern) {
            return;
        }
        let is_usable =
            |point: &&Point| is_of(point, pattern) && point.block_size_bytes <= request_max;
        let points = || self.deep.iter().map(|row| row.point).filter(is_usable);
        let Some(fewest) = points().map(Point::in_flight).min() else {
            return;
        };
        let (reads, writes) = self.class.servers();
        let gain = fewest.min(if pattern.writes() { writes } else { reads });
        let mut guessed: BTreeMap<u64, f64> = BTreeMap::new();
        for point in points().filter(|point| point.in_flight() == fewest) {
            let rate_ns = match point.side {
                None => point.time_ns(),
                Some(_) => point.time_ns() / f64::from(fewest),
            };
            guessed.insert(point.block_size_bytes, rate_ns * f64::from(gain));
        }
        self.guessed
            .extend(guessed.into_iter().map(|(size_bytes, time)| {
                let time_ns = rounded(time).max(1);
                let point = CurvePoint {
                    size_bytes,
                    time_ns,
                };
                (pattern, point)
            }));
        let side = side_of(pattern).as_str();
        let order = if pattern.is_random() {
            "random"
        } else {
            "sequential"
        };
        self.assume(format!(
            "{side}.{order}: no row has one I/O in flight; {fewest} at once are taken to be {gain} times as fast as one, by class"
        ));
    }

    fn set_link(&mut self, points: &[&Point]) {
        let [read, write] = Side::ALL.map(|side| {
            let of_side = points.iter().copied();
            let of_side = of_side.filter(|point| point.direction() == Some(side));
            link_rate(&of_side.collect::<Vec<_>>())
        });
        let typical = self.class.link_bytes_per_s();
        for (rate, other, word) in [(&read, &write, "read"), (&write, &read, "write")] {
            if rate.is_none_or(|rate| !rate.is_known) {
                let seen = rate.or(*other).map_or(0.0, |rate| rate.bytes_per_s);
                let bytes_per_s = seen.max(typical);
                self.assume(format!(
                    "link.{word}_bytes_per_s: no row is large enough to show it; {:.0} MB/s is usual for {}",
                    bytes_per_s / 1e6,
                    self.class.words()
                ));
            }
        }
        let value = |rate: Option<LinkRate>, other: Option<LinkRate>| match rate {
            Some(rate) if rate.is_known => rounded(rate.bytes_per_s),
            rate => rounded(
                rate.or(other)
                    .map_or(0.0, |rate| rate.bytes_per_s)
                    .max(typical),
            ),
        };
        let link = &mut self.calibrated.link;
        link.read_bytes_per_s = value(read, write);
        link.write_bytes_per_s = value(write, read);
        link.full_duplex = self.class == Class::Nvme;
        self.assume(format!(
            "link.full_duplex: by class ({})",
            self.class.words()
        ));
    }

    fn set_spread(&mut self, points: &[&Point]) {
        for side in Side::ALL {
            let of_side = points.iter().copied();
            let of_side = of_side.filter(|point| point.direction() == Some(side));
            let measured = Shape::of_points(of_side.filter(|point| point.is_alone()));
            let direction = self.direction_mut(side);
            direction.p99_over_p50 = measured.map_or(P99_OVER_P50, |shape| shape.p99_over_p50);
            direction.p50_over_mean = measured.and_then(|shape| shape.p50_over_mean);
            if measured.is_none() {
                self.assume(format!(
                    "{}.p99_over_p50: no row has latencies; {P99_OVER_P50} as of a Samsung 850 EVO",
                    side.as_str()
                ));
            }
        }
    }

    /// Fills in defaults of the device's class for values that the rows do not show.
    fn set_assumed(&mut self, needed_bytes: u64) {
        let class = self.class;
        self.profile.capacity_bytes = class::capacity(needed_bytes);
        self.assume("capacity_bytes: the least usual capacity that the study fits".to_owned());
        self.profile.rotational = class == Class::Rotational;
        self.assume(format!(
            "rotational, queue_depth, cache.is_volatile: by class ({})",
            class.words()
        ));
        self.profile.queue_depth = class.queue_depth();
        let servers = class.servers();
        let calibrated = &mut self.calibrated;
        (calibrated.read.servers, calibrated.write.servers) = servers;
        for (side, servers) in [(Side::Read, servers.0), (Side::Write, servers.1)] {
            let is_of = |point: &Point| point.pattern.is_mixed() || point.direction() == Some(side);
            if !self.deep.iter().any(|row| is_of(row.point)) {
                self.assume(format!(
                    "{}.servers: no row has more than one I/O in flight; {servers} by class",
                    side.as_str()
                ));
            }
        }
        self.calibrated.cache.flush_ns = class.flush_ns();
        if self.synced.is_empty() {
            self.assume(format!(
                "cache.flush_ns: no row has `fsync`; {:.1} ms by class",
                as_f64(class.flush_ns()) / 1e6
            ));
        }
        for (side, other) in [(Side::Read, "writes"), (Side::Write, "reads")] {
            if !self.has_targets(side) {
                let side = side.as_str();
                self.assume(format!(
                    "{side}: no row alone shows it; the times of {other}"
                ));
            }
        }
    }

    fn has_targets(&self, side: Side) -> bool {
        let measured = self.targets.iter().map(|target| target.curve);
        let guessed = self.guessed.iter().map(|(curve, _)| *curve);
        measured.chain(guessed).any(|curve| side_of(curve) == side)
    }

    fn assume(&mut self, sentence: String) {
        self.profile.assumed.push(sentence);
    }

    /// Moves the points of the curves until the simulated rows take their target times, in `rounds`
    /// rounds, on `host` without its uplink limit.
    pub(crate) fn derive(&mut self, host: &HostProfile, rounds: u32) -> Result<(), CalibrateError> {
        let mut host = host.clone();
        host.uplink = None;
        let start = self
            .targets
            .iter()
            .map(|target| target.time_ns * target.share);
        let mut times: Vec<f64> = start.collect();
        for _ in 0..rounds {
            self.set_curves(&times);
            let profile = self.profile();
            for (target, time) in self.targets.iter().zip(&mut times) {
                let simulated = target.row.simulate(|_| Some(&profile), &host, self.seed)?;
                let simulated_ns = simulated.time_ns(target.row.point);
                *time = (*time + (target.time_ns - simulated_ns) * target.share).max(1.0);
            }
        }
        self.set_curves(&times);
        Ok(())
    }

    fn set_curves(&mut self, times: &[f64]) {
        for pattern in CURVES {
            let of_pattern = self.targets.iter().zip(times);
            let measured = of_pattern
                .filter(|(target, _)| target.curve == pattern)
                .map(|(target, time)| CurvePoint {
                    size_bytes: target.size_bytes,
                    time_ns: rounded(*time).max(1),
                });
            let mut points: Vec<CurvePoint> = measured.collect();
            let guessed = self.guessed.iter().filter(|(curve, _)| *curve == pattern);
            points.extend(guessed.map(|(_, point)| *point));
            *curve_mut(&mut self.calibrated, pattern) = points;
        }
        let CalibratedProfile { read, write, .. } = &mut self.calibrated;
        for direction in [&mut *read, &mut *write] {
            if direction.random.is_empty() {
                // Only times of sequential I/O are known.
                direction.random = std::mem::take(&mut direction.sequential);
            }
        }
        let (empty, other) = match (read.random.is_empty(), write.random.is_empty()) {
            (true, false) => (read, write),
            (false, true) => (write, read),
            (false, false) | (true, true) => return,
        };
        empty.random.clone_from(&other.random);
        empty.sequential.clone_from(&other.sequential);
    }

    fn simulate(
        &self,
        row: &SimulatedRow,
        host: &HostProfile,
    ) -> Result<Simulated, CalibrateError> {
        let profile = self.profile();
        row.simulate(|_| Some(&profile), host, self.seed)
    }

    /// Fits the time of a flush to the rows with `fsync`.
    pub(crate) fn fit_flush(&mut self, host: &HostProfile) -> Result<(), CalibrateError> {
        let synced = std::mem::take(&mut self.synced);
        let fitted = self.fit_flush_of(&synced, host);
        self.synced = synced;
        fitted
    }

    fn fit_flush_of(
        &mut self,
        synced: &[SimulatedRow],
        host: &HostProfile,
    ) -> Result<(), CalibrateError> {
        let between = synced.iter().map(|row| {
            let writes = row.point.fsync_every.map_or(1, std::num::NonZeroU32::get);
            row.point.time_ns() * f64::from(writes)
        });
        let Some(longest) = between.reduce(f64::max) else {
            return Ok(());
        };
        let longest = longest.min(1e12);
        let (flush_ns, _) = golden_section(0.0, longest, 32, |flush_ns| {
            self.calibrated.cache.flush_ns = rounded(flush_ns);
            self.mean_error(synced, host)
        })?;
        self.calibrated.cache.flush_ns = rounded(flush_ns);
        Ok(())
    }

    /// Returns the mean of |ln(simulated / measured)| over `rows`.
    fn mean_error(&self, rows: &[SimulatedRow], host: &HostProfile) -> Result<f64, CalibrateError> {
        let mut sum = 0.0;
        for row in rows {
            let simulated = self.simulate(row, host)?;
            let simulated = simulated.bandwidth_bytes_per_s(row.point);
            sum += libm::log(simulated / row.point.bandwidth_bytes_per_s).abs();
        }
        Ok(sum / as_f64(rows.len() as u64).max(1.0))
    }

    /// Returns the error of each point of a curve when predicted from the others.
    pub(crate) fn left_out(&self) -> Vec<LeftOutOfCurve> {
        let mut left_out = Vec::new();
        for pattern in CURVES {
            let mut calibrated = self.calibrated.clone();
            let shown = self.targets.iter().any(|target| target.curve == pattern);
            let points = std::mem::take(curve_mut(&mut calibrated, pattern));
            for (index, point) in points.iter().enumerate().filter(|_| shown) {
                let mut others = points.clone();
                others.remove(index);
                let Some(curve) = Curve::new(others) else {
                    continue;
                };
                let time = as_f64(curve.time(Bytes::new(point.size_bytes)).as_u64());
                left_out.push(LeftOutOfCurve {
                    profile: self.profile.name.clone(),
                    pattern: pattern.as_str(),
                    size_bytes: point.size_bytes,
                    error: time / as_f64(point.time_ns) - 1.0,
                    is_extrapolated: index == 0 || index + 1 == points.len(),
                });
            }
        }
        left_out
    }
}

fn of_rows<'a>(rows: &[SimulatedRow<'a>], keep: impl Fn(&Point) -> bool) -> Vec<SimulatedRow<'a>> {
    rows.iter().filter(|row| keep(row.point)).cloned().collect()
}

fn side_of(pattern: Pattern) -> Side {
    match pattern.writes() {
        true => Side::Write,
        false => Side::Read,
    }
}

/// Returns whether a point belongs to the curve of a pattern: its own, or one side of a mix.
fn is_of(point: &Point, curve: Pattern) -> bool {
    point.pattern.is_random() == curve.is_random() && point.direction() == Some(side_of(curve))
}

fn curve_mut(profile: &mut CalibratedProfile, pattern: Pattern) -> &mut Vec<CurvePoint> {
    let direction = match pattern.writes() {
        true => &mut profile.write,
        false => &mut profile.read,
    };
    match pattern.is_random() {
        true => &mut direction.random,
        false => &mut direction.sequential,
    }
}

pub(crate) fn measured_points(points: &[&Point]) -> Vec<MeasuredPoint> {
    let key = |point: &&&Point| {
        let Point {
            pattern,
            side,
            block_size_bytes,
            jobs,
            depth,
            ..
        } = point;
        (pattern.as_str(), *block_size_bytes, *jobs, *depth, *side)
    };
    let mut points: Vec<&&Point> = points.iter().collect();
    points.sort_by(|left, right| {
        let rates = [left, right].map(|point| point.bandwidth_bytes_per_s);
        let by_load = key(left).cmp(&key(right));
        by_load.then(rates[0].total_cmp(&rates[1]))
    });
    let measured = points.into_iter().map(|point| MeasuredPoint {
        drive: None,
        steady: false,
        pattern: point.pattern.as_str().to_owned(),
        side: point.side.map(|side| side.as_str().to_owned()),
        block_size_bytes: point.block_size_bytes,
        jobs: point.jobs,
        depth: point.depth,
        bandwidth_bytes_per_s: point.bandwidth_bytes_per_s,
        model_bandwidth_bytes_per_s: None,
    });
    measured.collect()
}

/// The link rate of one direction, from rows.
#[derive(Debug, Clone, Copy)]
struct LinkRate {
    bytes_per_s: f64,
    /// Whether a row is large enough to show the rate.
    is_known: bool,
}

/// Returns the slope of time over size between the two largest sizes of a pattern, where the device
/// streams, and the fixed cost of an I/O cancels out. Never less than any measured bandwidth;
/// `None` without rows.
fn link_rate(points: &[&Point]) -> Option<LinkRate> {
    /// I/Os of at least this size are mostly transfer.
    const STREAMS_BYTES: u64 = 256 << 10;
    /// A slope further above the best bandwidth than this is noise.
    const ABOVE_BEST: f64 = 1.25;
    let best = points.iter().map(|point| point.bandwidth_bytes_per_s);
    let best = best.reduce(f64::max)?;
    let mut rate = LinkRate {
        bytes_per_s: best,
        is_known: false,
    };
    for pattern in CURVES {
        let alone = points
            .iter()
            .filter(|point| point.pattern == pattern && point.is_alone());
        let mut alone: Vec<&Point> = alone.copied().collect();
        alone.sort_by_key(|point| point.block_size_bytes);
        alone.dedup_by_key(|point| point.block_size_bytes);
        let [.., smaller, larger] = alone.as_slice() else {
            continue;
        };
        if larger.block_size_bytes < STREAMS_BYTES {
            continue;
        }
        let bytes = as_f64(larger.block_size_bytes - smaller.block_size_bytes);
        let slope = bytes * 1e9 / (larger.time_ns() - smaller.time_ns()).max(1.0);
        rate.bytes_per_s = rate.bytes_per_s.max(slope.min(best * ABOVE_BEST));
        rate.is_known = true;
    }
    Some(rate)
}

fn empty_profile(name: &str, stack: &str, source: &str) -> DeviceProfile {
    DeviceProfile {
        schema: SCHEMA,
        name: name.to_owned(),
        description: format!("One device alone, as stack `{stack}` of a study shows it."),
        source: format!("stripewise calibrate, from {source}"),
        basis: Some(Basis::Measured),
        host: None,
        models: Vec::new(),
        capacity_bytes: 0,
        rotational: false,
        queue_depth: 1,
        request_bytes_max: None,
        optimal_io_bytes: None,
        physical_block_bytes: PHYSICAL_BLOCK_BYTES_DEFAULT,
        ratings: Ratings::default(),
        assumed: Vec::new(),
        model: Model::Calibrated(empty_calibrated()),
        perhaps_adapter: None,
        points: Vec::new(),
    }
}

fn empty_calibrated() -> CalibratedProfile {
    let direction = || DirectionProfile {
        servers: 1,
        p99_over_p50: 1.0,
        p50_over_mean: None,
        random: Vec::new(),
        sequential: Vec::new(),
        under_load: Vec::new(),
        under_mix: Vec::new(),
    };
    CalibratedProfile {
        link: LinkProfile {
            read_bytes_per_s: 1,
            write_bytes_per_s: 1,
            command_ns: 0,
            full_duplex: false,
        },
        read: direction(),
        write: direction(),
        cache: CacheProfile {
            is_volatile: true,
            flush_ns: 0,
        },
        drain: None,
    }
}
