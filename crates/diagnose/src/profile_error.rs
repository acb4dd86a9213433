//! The error of a prediction that follows from the error of its device profile at its own points.
//!
//! A profile made from measurements stores the model's result for each of them. If that is far off,
//! a prediction near the point is as far off, however precise the simulation's median.

use serde::Serialize;
use stripewise_profiles::device::{DeviceProfile, MeasuredPoint};
use stripewise_stats::Estimate;
use stripewise_study::cell::Cell;
use stripewise_study::sample::as_f64;
use stripewise_study::stack::Level;

/// Smaller errors are not reported.
const NOTABLE: f64 = 0.05;
/// The number of nearest points used, if none has exactly the load.
const NEAREST: usize = 2;

/// The error of a profile at the points nearest to a load, and its effect on an estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfileError {
    /// The profile.
    pub profile: String,
    /// The model's result over the measured one, less 1, at the point with the largest error.
    pub worst: f64,
    /// The lowest bandwidth within the profile's error and the simulation's interval.
    pub low_bytes_per_s: f64,
    /// The highest.
    pub high_bytes_per_s: f64,
}

/// The load of one device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceLoad {
    /// Whether it writes.
    pub writes: bool,
    /// Whether its offsets are random.
    pub is_random: bool,
    /// The size of a request, in bytes.
    pub size_bytes: f64,
    /// The number of requests in flight.
    pub in_flight: f64,
}

impl ProfileError {
    /// Returns the effect of the errors of `cell`'s profiles on `bandwidth`; `None` if no profile
    /// states its error, or none is large.
    pub fn new<'a>(
        cell: &Cell,
        profile: impl Fn(&str) -> Option<&'a DeviceProfile>,
        bandwidth: &Estimate,
    ) -> Option<Self> {
        let groups = cell.stack.devices.iter();
        let profiles = groups.filter_map(|group| profile(&group.profile));
        let missed = profiles.flat_map(|profile| {
            let points = &profile.points;
            let ratios = loads(cell).into_iter();
            let ratios = ratios.flat_map(move |load| nearest_ratios(points, load));
            ratios.map(|ratio| (profile.name.as_str(), ratio))
        });
        let missed: Vec<(&str, f64)> = missed.collect();
        let error = |ratio: f64| 1.0 / ratio - 1.0;
        let (name, ratio) = missed
            .iter()
            .copied()
            .max_by(|left, right| error(left.1).abs().total_cmp(&error(right.1).abs()))?;
        if error(ratio).abs() < NOTABLE {
            return None;
        }
        let interval = bandwidth.interval;
        let (low, high) = interval.map_or((bandwidth.value, bandwidth.value), |interval| {
            (interval.low, interval.high)
        });
        let ratios = || missed.iter().map(|(_, ratio)| bandwidth.value * ratio);
        Some(Self {
            profile: name.to_owned(),
            worst: error(ratio),
            low_bytes_per_s: ratios().fold(low, f64::min),
            high_bytes_per_s: ratios().fold(high, f64::max),
        })
    }
}

/// Returns the part of a cell's load that reaches one device: an array distributes I/Os by chunk.
/// One load per direction.
fn loads(cell: &Cell) -> Vec<DeviceLoad> {
    let load = &cell.workload.load;
    let depth = match load.engine.is_synchronous() {
        true => 1,
        false => load.depth,
    };
    let block = as_f64(load.block_size.largest().as_u64());
    let array = cell.stack.array.as_ref();
    let chunk = array.and_then(|array| array.chunk_bytes);
    let size_bytes = chunk.map_or(block, |chunk| block.min(as_f64(chunk.as_u64())));
    let requests = f64::from(load.jobs) * f64::from(depth) * (block / size_bytes).ceil();
    let members = match array {
        Some(_) => as_f64(cell.stack.device_count().max(1)),
        None => 1.0,
    };
    let of = |writes: bool| {
        // Every mirror receives every write.
        let is_copied = writes && array.is_some_and(|array| array.level == Level::Raid1);
        let shared = if is_copied { 1.0 } else { members };
        DeviceLoad {
            writes,
            is_random: load.pattern.is_random(),
            size_bytes,
            in_flight: (requests / shared).max(1.0),
        }
    };
    let directions = [(load.pattern.reads(), false), (load.pattern.writes(), true)];
    let asked = directions.into_iter().filter(|(is_asked, _)| *is_asked);
    asked.map(|(_, writes)| of(writes)).collect()
}

/// Returns the ratio of measured to modelled bandwidth, for the points of the same direction and
/// order nearest to `load` in the logarithms of size and requests in flight: those with exactly
/// that load, or the two nearest.
pub fn nearest_ratios(points: &[MeasuredPoint], load: DeviceLoad) -> Vec<f64> {
    let distance = |point: &MeasuredPoint| {
        let size = (as_f64(point.block_size_bytes) / load.size_bytes).log2();
        let in_flight = f64::from(point.jobs) * f64::from(point.depth);
        size.hypot((in_flight / load.in_flight).log2())
    };
    let is_alike = |point: &&MeasuredPoint| {
        let pattern = match (load.is_random, load.writes) {
            (false, false) => "read",
            (false, true) => "write",
            (true, false) => "randread",
            (true, true) => "randwrite",
        };
        point.pattern == pattern
    };
    let ratio = |point: &MeasuredPoint| {
        let model = point.model_bandwidth_bytes_per_s?;
        let ratio = point.bandwidth_bytes_per_s / model;
        (ratio.is_finite() && ratio > 0.0).then_some((distance(point), ratio))
    };
    let alike = points.iter().filter(is_alike);
    let mut found: Vec<(f64, f64)> = alike.filter_map(ratio).collect();
    found.sort_by(|left, right| left.0.total_cmp(&right.0));
    let exact = found.iter().take_while(|(distance, _)| *distance <= 0.0);
    let count = exact.count();
    found.truncate(if count > 0 { count } else { NEAREST });
    found.into_iter().map(|(_, ratio)| ratio).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(pattern: &str, kib: u64, depth: u32, model_over_measured: f64) -> MeasuredPoint {
        MeasuredPoint {
            pattern: pattern.to_owned(),
            block_size_bytes: kib << 10,
            jobs: 1,
            depth,
            bandwidth_bytes_per_s: 100e6,
            model_bandwidth_bytes_per_s: Some(100e6 * model_over_measured),
        }
    }

    fn load(kib: f64, in_flight: f64) -> DeviceLoad {
        DeviceLoad {
            writes: false,
            is_random: true,
            size_bytes: kib * 1024.0,
            in_flight,
        }
    }

    fn points() -> Vec<MeasuredPoint> {
        vec![
            point("randread", 4, 1, 1.0),
            point("randread", 4, 4, 2.0),
            point("randread", 4, 32, 0.5),
            point("randread", 64, 1, 0.8),
            point("read", 4, 4, 4.0),
            point("randwrite", 4, 4, 8.0),
        ]
    }

    #[test]
    fn a_measured_load_has_the_error_of_its_point() {
        assert_eq!(nearest_ratios(&points(), load(4.0, 4.0)), [0.5]);
        let writes = DeviceLoad {
            writes: true,
            ..load(4.0, 4.0)
        };
        assert_eq!(nearest_ratios(&points(), writes), [0.125]);
    }

    #[test]
    fn another_load_has_those_of_the_two_nearest_by_size_and_depth() {
        assert_eq!(nearest_ratios(&points(), load(4.0, 8.0)), [0.5, 2.0]);
        assert_eq!(nearest_ratios(&points(), load(40.0, 1.0)), [1.25, 1.0]);
    }

    #[test]
    fn points_without_a_model_result_give_no_error() {
        let mut points = points();
        for point in &mut points {
            point.model_bandwidth_bytes_per_s = None;
        }
        assert!(nearest_ratios(&points, load(4.0, 4.0)).is_empty());
    }
}
