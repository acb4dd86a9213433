//! Turns a row of points into a cell for simulation: the study's stack and conditions, the row's
//! load.

use std::collections::BTreeSet;

use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_sim::engine::{Limits, Setup, SetupError};
use stripewise_study::cell::Cell;
use stripewise_study::plan::Study;
use stripewise_study::workload::{BlockSize, Engine};
use stripewise_study::world::NeverCancel;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::suggest;

use crate::device::shape::Shape;
use crate::points::{Point, Side, between_ns};
use stripewise_study::sample::{Latency, Sample, as_f64};

/// The kernel whose rules apply if the study names none.
pub(crate) const KERNEL: KernelVersion = KernelVersion::new(6, 12, 0);

/// A fit compares simulations with small differences, so it needs tighter limits than an answer. An
/// I/O that an array splits into hundreds of requests varies little, so few of them suffice.
pub(crate) const LIMITS: Limits = Limits {
    half_width: 0.005,
    window_ios_min: 16,
    ios_max: 4 * Limits::DEFAULT.ios_max,
    ..Limits::DEFAULT
};

/// Points cannot be turned into profiles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalibrateError {
    /// A row names a stack that the study does not have.
    #[error("line {line}: the study has no stack `{stack}`; {hint}")]
    UnknownStack {
        /// The line of the row.
        line: u64,
        /// The name in the row.
        stack: String,
        /// A suggestion.
        hint: String,
    },
    /// A row's stack has no devices.
    #[error("line {line}: stack `{stack}` names no devices (`devices = {{...}}`)")]
    NoDevices {
        /// The line of the row.
        line: u64,
        /// The stack.
        stack: String,
    },
    /// A row on a single device used the page cache.
    #[error(
        "line {line}: stack `{stack}` is measured through the page cache; set `direct = true` to measure the device"
    )]
    NotDirect {
        /// The line of the row.
        line: u64,
        /// The stack.
        stack: String,
    },
    /// A row's I/O is larger than the file.
    #[error(
        "line {line}: `block_size_bytes` is {block_size}, larger than the file `size` of {size}"
    )]
    LargerThanFile {
        /// The line of the row.
        line: u64,
        /// The size of each I/O.
        block_size: Bytes,
        /// The size of the file.
        size: Bytes,
    },
    /// A device has neither a profile nor rows.
    #[error(
        "stack `{stack}` uses device `{profile}`, which has neither a profile nor a row on one such device alone, without `fsync` and in one direction"
    )]
    UnknownDevice {
        /// The stack.
        stack: String,
        /// The device profile.
        profile: String,
    },
    /// A curve would have too many points.
    #[error(
        "`{pattern}` on `{stack}` has points at {sizes} block sizes; at most {most} are allowed"
    )]
    TooManySizes {
        /// The stack.
        stack: String,
        /// The pattern in fio's words.
        pattern: &'static str,
        /// The number of sizes.
        sizes: usize,
        /// The limit.
        most: usize,
    },
    /// The profile to start from has no simulated parts.
    #[error(
        "device profile `{profile}` is calibrated, not simulated: only the numbers of a `[disk]` or `[flash]` can be fitted"
    )]
    NotSimulated {
        /// The profile.
        profile: String,
    },
    /// The profile to start from is of another kind than the points.
    #[error(
        "the points of `{device}` are those of {measured}, but device profile `{profile}` simulates {simulates}"
    )]
    OtherKind {
        /// The measured device.
        device: String,
        /// The profile.
        profile: String,
        /// What the points show.
        measured: &'static str,
        /// What the profile simulates.
        simulates: &'static str,
    },
    /// A row cannot be simulated.
    #[error("line {line} cannot be simulated")]
    Setup {
        /// The line of the row.
        line: u64,
        /// Why.
        #[source]
        source: SetupError,
    },
}

/// The simulated results of a row, of reads and writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Simulated {
    bandwidth_bytes_per_s: [f64; 2],
    latency_ns_mean: [Option<f64>; 2],
    /// The median and the 99th percentile: of reads, of writes, of both.
    quantiles_ns: [[Option<f64>; 2]; 3],
}

impl Simulated {
    fn new(sample: &Sample) -> Self {
        let seconds = sample.elapsed_ns.as_secs_f64().max(1e-9);
        let sides = [&sample.read, &sample.write];
        let quantiles = |latency: &Latency| {
            [(50, 100), (99, 100)].map(|(numerator, denominator)| {
                let time = latency.quantile_in(numerator, denominator)?;
                Some(as_f64(time.as_u64()))
            })
        };
        let [read, write] = sides.map(|side| quantiles(&side.latency));
        let both = match (sample.read.ios, sample.write.ios) {
            (_, 0) => read,
            (0, _) => write,
            _ => {
                let mut both = sample.read.latency.clone();
                both.merge(&sample.write.latency);
                quantiles(&both)
            }
        };
        Self {
            quantiles_ns: [read, write, both],
            bandwidth_bytes_per_s: sides.map(|side| as_f64(side.bytes.as_u64()) / seconds),
            latency_ns_mean: sides.map(|side| side.latency.mean_ns),
        }
    }

    /// Returns the bandwidth of what the point measures; above 0.
    pub(crate) fn bandwidth_bytes_per_s(&self, point: &Point) -> f64 {
        let [read, write] = self.bandwidth_bytes_per_s;
        let bandwidth = match point.side {
            None => read + write,
            Some(Side::Read) => read,
            Some(Side::Write) => write,
        };
        bandwidth.max(1.0)
    }

    /// Returns the shape of the latencies of one side.
    pub(crate) fn shape(&self, side: Side) -> Option<Shape> {
        let [p50, p99] = self.quantiles_ns[side as usize];
        Some(Shape::new(p50?, p99?, self.latency_ns_mean[side as usize]))
    }

    /// Returns the median and the 99th percentile over those of the point, minus 1, where it has them.
    pub(crate) fn quantile_errors(&self, point: &Point) -> [Option<f64>; 2] {
        let place = point.side.map_or(2, |side| side as usize);
        let [p50, p99] = self.quantiles_ns[place];
        let error =
            |simulated: Option<f64>, measured: Option<f64>| Some(simulated? / measured? - 1.0);
        [
            error(p50, point.latency.p50_ns),
            error(p99, point.latency.p99_ns),
        ]
    }

    /// Returns the time per I/O as [`Point::time_ns`] has it.
    pub(crate) fn time_ns(&self, point: &Point) -> f64 {
        let of_side = point.side.filter(|_| point.latency.mean_ns.is_some());
        let size = as_f64(point.block_size_bytes);
        let of_rate = size * 1e9 / self.bandwidth_bytes_per_s(point);
        let of_side = of_side.and_then(|side| self.side_time_ns(side, point));
        of_side.unwrap_or(of_rate)
    }

    /// Returns the mean latency of one side of a mix and the time to the next submission.
    pub(crate) fn side_time_ns(&self, side: Side, point: &Point) -> Option<f64> {
        let size = as_f64(point.block_size_bytes);
        let iops = self.bandwidth_bytes_per_s.map(|bandwidth| bandwidth / size);
        let latencies = self.latency_ns_mean.map(Option::unwrap_or_default);
        let between_ns = between_ns(point.in_flight(), iops, latencies);
        Some(self.latency_ns_mean[side as usize]? + between_ns)
    }
}

/// A row that can be simulated.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedRow<'a> {
    pub(crate) point: &'a Point,
    pub(crate) cell: Cell,
    pub(crate) kernel: KernelVersion,
}

impl<'a> SimulatedRow<'a> {
    /// Returns the row of `point`: the nearest cell of the study, with the point's load.
    pub(crate) fn new(study: &Study, point: &'a Point) -> Result<Self, CalibrateError> {
        let line = point.line;
        let mut cell = nearest(study, point)?.clone();
        let stack = || point.stack.clone();
        if cell.stack.devices.is_empty() {
            return Err(CalibrateError::NoDevices {
                line,
                stack: stack(),
            });
        }
        let load = &mut cell.workload.load;
        load.pattern = point.pattern;
        load.read_percent = point.read_percent;
        load.block_size = BlockSize::Fixed(Bytes::new(point.block_size_bytes));
        load.jobs = point.jobs;
        load.depth = point.depth;
        load.fsync_every = point.fsync_every;
        load.size_bytes = point.file_size_bytes.map_or(load.size_bytes, Bytes::new);
        load.fdatasync_every = None;
        if point.depth > 1 && load.engine.is_synchronous() {
            load.engine = Engine::Libaio;
        }
        if point.block_size_bytes > load.size_bytes.as_u64() {
            return Err(CalibrateError::LargerThanFile {
                line,
                block_size: Bytes::new(point.block_size_bytes),
                size: load.size_bytes,
            });
        }
        let is_direct = load.direct;
        cell.workload.neighbours.clear();
        let row = Self {
            point,
            cell,
            kernel: study.kernel.unwrap_or(KERNEL),
        };
        match row.single_device().is_some() && !is_direct {
            true => Err(CalibrateError::NotDirect {
                line,
                stack: stack(),
            }),
            false => Ok(row),
        }
    }

    /// Returns the device profile of a stack with one device and no array.
    pub(crate) fn single_device(&self) -> Option<&str> {
        let stack = &self.cell.stack;
        match (stack.devices.as_slice(), &stack.array) {
            ([only], None) if only.count.get() == 1 => Some(&only.profile),
            _ => None,
        }
    }

    /// Returns the simulated results.
    pub(crate) fn simulate<'p>(
        &self,
        device: impl Fn(&str) -> Option<&'p DeviceProfile>,
        host: &HostProfile,
        seed: u64,
    ) -> Result<Simulated, CalibrateError> {
        self.simulate_within(device, host, seed, &LIMITS)
    }

    /// Returns the simulated results within other limits.
    ///
    /// All simulations of this crate run here.
    pub(crate) fn simulate_within<'p>(
        &self,
        device: impl Fn(&str) -> Option<&'p DeviceProfile>,
        host: &HostProfile,
        seed: u64,
        limits: &Limits,
    ) -> Result<Simulated, CalibrateError> {
        let mut devices = Vec::new();
        for group in &self.cell.stack.devices {
            let profile = device(&group.profile).ok_or_else(|| CalibrateError::UnknownDevice {
                stack: self.cell.stack.name.clone(),
                profile: group.profile.clone(),
            })?;
            devices.extend((0..group.count.get()).map(|_| profile));
        }
        let setup = Setup {
            stack: &self.cell.stack,
            workload: &self.cell.workload,
            conditions: &self.cell.conditions,
            devices,
            host,
            kernel: self.kernel,
            failed: Vec::new(),
            rebuilding: false,
            seed,
            replay: None,
        };
        let mut simulation = setup.build().map_err(|source| CalibrateError::Setup {
            line: self.point.line,
            source,
        })?;
        // A simulation that reaches a limit still has a result.
        let _ending = simulation.run(limits, &mut NeverCancel);
        Ok(Simulated::new(&simulation.sample()))
    }
}

/// Returns a cell of the point's stack, if possible the one with its pattern and size.
fn nearest<'s>(study: &'s Study, point: &Point) -> Result<&'s Cell, CalibrateError> {
    let of_stack = || {
        study
            .cells
            .iter()
            .filter(|cell| cell.stack.name == point.stack)
    };
    let size = Bytes::new(point.block_size_bytes);
    let same = |cell: &&Cell| {
        let load = &cell.workload.load;
        load.pattern == point.pattern && load.block_size == BlockSize::Fixed(size)
    };
    of_stack()
        .find(same)
        .or_else(|| of_stack().next())
        .ok_or_else(|| CalibrateError::UnknownStack {
            line: point.line,
            stack: point.stack.clone(),
            hint: suggestion(study, &point.stack),
        })
}

fn suggestion(study: &Study, stack: &str) -> String {
    let mut names: Vec<&str> = study
        .cells
        .iter()
        .map(|cell| cell.stack.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    match suggest::nearest(stack, names.iter().copied()) {
        Some(closest) => format!("did you mean `{closest}`?"),
        None => format!("it has `{}`", names.join("`, `")),
    }
}

/// Returns the devices that points measure alone, and those only in arrays.
pub fn measured_devices<'a>(
    study: &'a Study,
    points: &[Point],
) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
    let (mut alone, mut others) = (BTreeSet::new(), BTreeSet::new());
    for cell in &study.cells {
        let stack = &cell.stack;
        let mut of_stack = points
            .iter()
            .filter(|point| point.stack == stack.name)
            .peekable();
        if of_stack.peek().is_none() {
            continue;
        }
        let names = stack.devices.iter().map(|group| group.profile.as_str());
        let is_single = stack.device_count() == 1 && stack.array.is_none();
        match is_single && of_stack.any(Point::shows_device) {
            true => alone.extend(names),
            false => others.extend(names),
        }
    }
    others.retain(|name| !alone.contains(name));
    (alone, others)
}

/// Returns whether a plain point measures an array.
pub fn has_array_points(study: &Study, points: &[Point]) -> bool {
    let stacks = study.cells.iter().map(|cell| &cell.stack);
    let arrays = stacks.filter(|stack| stack.array.is_some() || stack.device_count() > 1);
    let names: BTreeSet<&str> = arrays.map(|stack| stack.name.as_str()).collect();
    let mut points = points.iter().filter(|point| point.is_plain());
    points.any(|point| names.contains(point.stack.as_str()))
}
