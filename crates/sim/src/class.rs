//! How far a drive of a class may be from the class: what published drives of it show.
//!
//! A class profile describes no drive. Its points are rates of several products, each beside what the
//! model gives for the class under the same load. The logarithms of these ratios have a mean, which is
//! where the middle drive lies, and a standard deviation. One more drive lies within
//! `t * s * sqrt(1 + 1/n)` of the mean in 95 of 100 cases (a prediction interval for one more value of a
//! normal distribution; Student's t with `n - 1` degrees of freedom).
//!
//! Where none was published under just this load, the nearest loads count, and how much a drive's place
//! among the others changes from one load to another comes on top. Where no drive shows that either,
//! nothing is known.

use std::collections::BTreeMap;

use stripewise_profiles::Basis;
use stripewise_profiles::device::{DeviceProfile, MeasuredPoint, Model};
use stripewise_study::sample::as_f64;

use crate::uncertainty::{DeviceLoad, NORMAL_95};

/// With fewer drives, their spread says nothing.
const DRIVES_MIN: usize = 3;
/// A load that is this many doublings away is another load.
const NEAR: f64 = 1.0;

/// The place of drives of a class, in logarithms of the rate over that of the class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drives {
    /// How many they are.
    pub count: u32,
    /// The middle one.
    pub middle: f64,
    /// Half of the 95 % interval around the middle one that holds one more drive.
    pub half_width: f64,
}

/// A point of a drive, in doublings and logarithms.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// How many doublings it is from the load.
    distance: f64,
    /// The logarithm of its rate over that of the class.
    ratio: f64,
}

/// Returns whether a profile describes a class, not one device.
pub(crate) fn is_class(device: &DeviceProfile) -> bool {
    device.basis == Some(Basis::Class)
}

/// Returns where the drives of a class lie under `load`; `None` if their points do not say.
pub(crate) fn drives(device: &DeviceProfile, load: &DeviceLoad) -> Option<Drives> {
    let by_drive = places(device, load);
    let mut nearest: Vec<Place> = by_drive.values().filter_map(|of| nearest(of)).collect();
    nearest.sort_by(|left, right| left.distance.total_cmp(&right.distance));
    let least = nearest.get(DRIVES_MIN - 1)?.distance;
    nearest.retain(|place| place.distance <= least);
    let farther = match (moves(&by_drive), least > 0.0) {
        (_, false) => 0.0,
        (Some(moves), true) => moves,
        (None, true) if least <= NEAR => 0.0,
        (None, true) => return None,
    };
    let count = as_f64(nearest.len() as u64);
    let middle = nearest.iter().map(|place| place.ratio).sum::<f64>() / count;
    let squares = nearest.iter().map(|place| (place.ratio - middle).powi(2));
    let deviation = libm::sqrt(squares.sum::<f64>() / (count - 1.0));
    let one_more = student_95(count - 1.0) * deviation * libm::sqrt(1.0 + 1.0 / count);
    Some(Drives {
        count: u32::try_from(nearest.len()).ok()?,
        middle,
        half_width: libm::hypot(one_more, NORMAL_95 * farther),
    })
}

/// Returns the points of each drive of this kind of load.
///
/// A drive whose writes become slower has two answers: points of that state alone count.
fn places<'a>(device: &'a DeviceProfile, load: &DeviceLoad) -> BTreeMap<&'a str, Vec<Place>> {
    let slows = match &device.model {
        Model::Calibrated(calibrated) => calibrated.drain.is_some(),
        Model::Flash(_) => true,
        Model::Disk(_) => false,
    };
    let is_steady = slows && load.pattern.writes() && load.is_steady;
    let alike = device.points.iter().filter(|point| {
        point.pattern == load.pattern.as_str() && point.side.is_none() && point.steady == is_steady
    });
    let mut by_drive: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
    for point in alike {
        let (Some(drive), Some(ratio)) = (&point.drive, ratio(point)) else {
            continue;
        };
        let in_flight = point.jobs.saturating_mul(point.depth);
        let in_flight = f64::from(in_flight.min(device.queue_depth));
        let doublings = |one: f64, other: f64| libm::log2(one / other);
        let distance = libm::hypot(
            doublings(as_f64(point.block_size_bytes), load.size_bytes),
            doublings(in_flight, load.in_flight.min(f64::from(device.queue_depth))),
        );
        let place = Place { distance, ratio };
        by_drive.entry(drive).or_default().push(place);
    }
    by_drive
}

/// Returns the logarithm of a drive's rate over that of the class.
fn ratio(point: &MeasuredPoint) -> Option<f64> {
    let model = point.model_bandwidth_bytes_per_s?;
    Some(libm::log(point.bandwidth_bytes_per_s / model))
}

fn nearest(places: &[Place]) -> Option<Place> {
    let by_distance = |left: &&Place, right: &&Place| left.distance.total_cmp(&right.distance);
    places.iter().min_by(by_distance).copied()
}

/// Returns the standard deviation of how much a drive's ratio changes from one of its loads to another;
/// `None` if no drive has two.
fn moves(by_drive: &BTreeMap<&str, Vec<Place>>) -> Option<f64> {
    let mut squares = Vec::new();
    for places in by_drive.values() {
        let others = places.iter().enumerate();
        squares.extend(others.flat_map(|(index, one)| {
            let later = places[index + 1..].iter();
            later.map(|other| (one.ratio - other.ratio).powi(2))
        }));
    }
    let count = as_f64(squares.len() as u64);
    (count > 0.0).then(|| libm::sqrt(squares.iter().sum::<f64>() / count))
}

/// Returns the two-sided 95 % quantile of Student's t, within 3 % from two degrees of freedom on
/// (Abramowitz and Stegun (1964), 26.7.5).
fn student_95(freedom: f64) -> f64 {
    let z = NORMAL_95;
    let square = z * z;
    let first = z * (square + 1.0) / 4.0;
    let second = z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    let third = z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
    let fourth = z
        * ((((79.0 * square + 776.0) * square + 1482.0) * square - 1920.0) * square - 945.0)
        / 92_160.0;
    let terms = [first, second, third, fourth];
    let powers = terms.iter().zip(1..);
    z + powers
        .map(|(term, power)| term / freedom.powi(power))
        .sum::<f64>()
}

#[cfg(test)]
#[path = "class_tests.rs"]
mod tests;
