//! Finds an adapter that holds completions back, from several disks alone behind it.
//!
//! The throughput of a closed network of stations that do not slow down under load is concave in the
//! number of requests inside (Shanthikumar and Yao, "Second-order properties of the throughput of a
//! closed queueing network", Math. Oper. Res. 13, 1988): each further request in flight adds at most
//! as much rate as the one before. A dip at a few requests in flight is therefore not the disk's
//! work. If unlike disks have the same dip, it belongs to what they share: an adapter that waits for
//! company before it raises an interrupt ([`AdapterProfile`]). With one disk nobody can tell.
//!
//! The disks leave a range of delays open. At its lower end the rates are as concave as they get; at
//! its upper end one disk's own latency no longer rises with the requests in flight, as it must. We
//! take the middle.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use stripewise_profiles::host::{ADAPTER_DEFAULT, AdapterProfile};
use stripewise_study::plan::Study;
use stripewise_study::sample::as_f64;

use crate::calibrate::rows;
use crate::number::{mean, rounded};
use crate::points::Point;
use crate::prepare::{CalibrateError, SimulatedRow};

/// A dip that is smaller than this share of the rate is noise.
const DIP_MIN: f64 = 0.03;
/// A delay has to remove at least this share of a disk's dip.
const REMOVED_MIN: f64 = 0.25;
/// The longest delay in question, and the steps in which delays are tried.
const DELAY_NS_MAX: u32 = 400_000;
const STEP_NS: u32 = 10_000;
/// Fewer points show no dip.
const POINTS_MIN: usize = 4;

/// What the rows of disks alone say about an adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundAdapter {
    /// Its name in stacks.
    pub name: String,
    /// The disks with the dip, by device profile.
    pub devices: Vec<String>,
    /// From so many I/Os in flight on, completions come late.
    pub in_flight: u32,
    /// The shortest and the longest delay that would explain it.
    pub delay_ns: [u64; 2],
    /// The adapter that explains it.
    pub profile: AdapterProfile,
    /// Whether several disks show it. The dip of the only disk that was measured may be its own.
    pub is_certain: bool,
}

/// The latencies of one disk under one kind of load.
#[derive(Debug)]
struct Curve<'a> {
    device: &'a str,
    /// I/Os in flight, rising, and the mean latency in ns.
    points: Vec<(u32, f64)>,
}

impl Curve<'_> {
    /// Returns by what share of its rate the points lie below a concave curve, in all, if the adapter
    /// delays completions.
    fn dip(&self, outstanding_min: u32, delay_ns: f64) -> f64 {
        let rate = |&(in_flight, latency): &(u32, f64)| {
            let held = match in_flight >= outstanding_min {
                true => held_ns(in_flight, latency, delay_ns),
                false => 0.0,
            };
            let number = f64::from(in_flight);
            (number, number / (latency - held))
        };
        let rates: Vec<(f64, f64)> = std::iter::once((0.0, 0.0))
            .chain(self.points.iter().map(rate))
            .collect();
        let below = |three: &[(f64, f64)]| {
            let [first, middle, last] = [three[0], three[1], three[2]];
            let slope = (last.1 - first.1) / (last.0 - first.0);
            let chord = first.1 + slope * (middle.0 - first.0);
            match last.1 > middle.1 {
                true => (chord / middle.1 - 1.0).max(0.0),
                false => 0.0,
            }
        };
        rates.windows(3).map(below).sum()
    }

    /// Returns the longest delay that leaves the latency no lower at `outstanding_min` or more I/Os
    /// in flight than at fewer.
    fn longest_delay_ns(&self, outstanding_min: u32) -> Option<f64> {
        let last_free = self
            .points
            .iter()
            .rfind(|point| point.0 < outstanding_min)?;
        let first_held = self
            .points
            .iter()
            .find(|point| point.0 >= outstanding_min)?;
        let (in_flight, latency) = *first_held;
        let fits = |delay_ns: &f64| held_ns(in_flight, latency, *delay_ns) <= latency - last_free.1;
        let delays = (0..=DELAY_NS_MAX).step_by(1000).map(f64::from);
        delays.take_while(fits).last().filter(|delay| *delay > 0.0)
    }
}

/// Returns the mean time that a completion waits for the interrupt, of `in_flight` commands that are
/// always outstanding with this mean latency.
///
/// The first completion starts the delay, and all that come until its end are reported with it: of
/// `together` the first waits for the whole delay, the others for half of it on average.
fn held_ns(in_flight: u32, latency_ns: f64, delay_ns: f64) -> f64 {
    let in_flight = f64::from(in_flight);
    let rate = in_flight / latency_ns;
    let mut held = delay_ns / 2.0;
    for _ in 0..20 {
        let cycle = delay_ns + (latency_ns - held).max(1.0) / in_flight;
        let together = (rate * cycle).clamp(1.0, in_flight);
        held = (held + delay_ns * (1.0 + 1.0 / together) / 2.0) / 2.0;
    }
    held.min(0.95 * latency_ns)
}

/// Returns the adapters that points of single disks show, by name.
///
/// # Errors
/// [`CalibrateError`] for the first point that does not fit the study.
pub fn of_points(study: &Study, points: &[Point]) -> Result<Vec<FoundAdapter>, CalibrateError> {
    Ok(adapters(&rows(study, points)?))
}

/// Returns the adapters that rows of single disks show, by name.
pub(crate) fn adapters(rows: &[SimulatedRow]) -> Vec<FoundAdapter> {
    let mut of_adapters: BTreeMap<&str, Vec<&SimulatedRow>> = BTreeMap::new();
    for row in rows {
        if row.single_device().is_some() && row.point.fsync_every.is_none() {
            let name = row.cell.stack.adapter.as_deref();
            let name = name.unwrap_or(ADAPTER_DEFAULT);
            of_adapters.entry(name).or_default().push(row);
        }
    }
    let found = of_adapters.into_iter();
    found
        .filter_map(|(name, rows)| adapter(name, &curves(&rows)))
        .collect()
}

fn adapter(name: &str, curves: &[Curve]) -> Option<FoundAdapter> {
    let devices: BTreeSet<&str> = curves.iter().map(|curve| curve.device).collect();
    let dip_of = |device: &str, outstanding_min, delay_ns| -> f64 {
        let of_device = curves.iter().filter(|curve| curve.device == device);
        of_device
            .map(|curve| curve.dip(outstanding_min, delay_ns))
            .sum()
    };
    let starts: BTreeSet<u32> = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|point| point.0 + 1))
        .collect();
    let candidates = starts.into_iter().flat_map(|start| {
        let delays = (STEP_NS..=DELAY_NS_MAX).step_by(STEP_NS as usize);
        delays.map(move |delay| (start, f64::from(delay)))
    });
    let dips = candidates.map(|(start, delay)| {
        let of_devices = devices.iter().map(|device| dip_of(device, start, delay));
        (of_devices.sum::<f64>(), start, delay)
    });
    let (_, start, delay) = dips.min_by(|one, other| one.0.total_cmp(&other.0))?;
    let shows = |device: &&&str| {
        let (before, after) = (dip_of(device, u32::MAX, 0.0), dip_of(device, start, delay));
        before - after > DIP_MIN.max(REMOVED_MIN * before)
    };
    let showing: Vec<&str> = devices.iter().filter(shows).copied().collect();
    let in_flight = curves.iter().flat_map(|curve| &curve.points);
    let in_flight = in_flight
        .map(|point| point.0)
        .filter(|number| *number >= start)
        .min()?;
    let longest = curves
        .iter()
        .filter(|curve| showing.contains(&curve.device))
        .filter_map(|curve| curve.longest_delay_ns(start))
        .reduce(f64::min)?;
    let delay_ns = [delay.min(longest), delay.max(longest)].map(rounded);
    // The dip of one disk among several is its own.
    if showing.is_empty() || showing.len() < devices.len().min(2) {
        return None;
    }
    Some(FoundAdapter {
        name: name.to_owned(),
        is_certain: showing.len() > 1,
        devices: showing.into_iter().map(str::to_owned).collect(),
        in_flight,
        delay_ns,
        profile: AdapterProfile {
            outstanding_min: start,
            delay_ns: delay_ns[0].midpoint(delay_ns[1]),
            delay_ns_range: Some(delay_ns),
            command_ns: 0,
        },
    })
}

/// Returns the latencies by disk, pattern, size and mix, of one job if one job has enough points,
/// else the mean over all numbers of jobs.
fn curves<'a>(rows: &[&'a SimulatedRow<'a>]) -> Vec<Curve<'a>> {
    type Series<'s> = (&'s str, &'static str, u64, Option<u8>);
    let mut rates: BTreeMap<Series, BTreeMap<(u32, u32), f64>> = BTreeMap::new();
    for row in rows {
        let point = row.point;
        let Some(device) = row.single_device() else {
            continue;
        };
        let pattern = point.pattern.as_str();
        let series = (device, pattern, point.block_size_bytes, point.read_percent);
        let load = rates.entry(series).or_default();
        // Both sides of a mix together.
        *load.entry((point.in_flight(), point.jobs)).or_default() += point.bandwidth_bytes_per_s;
    }
    let curve = |((device, _, size, _), loads): (Series<'a>, BTreeMap<(u32, u32), f64>)| {
        let has_one_job = loads.keys().filter(|load| load.1 == 1).count() >= POINTS_MIN;
        let used = || loads.iter().filter(|(load, _)| !has_one_job || load.1 == 1);
        let numbers: BTreeSet<u32> = used().map(|(load, _)| load.0).collect();
        let points = numbers.into_iter().filter_map(|number| {
            let same = used().filter(|(load, _)| load.0 == number);
            let rate = mean(same.map(|(_, rate)| *rate))?;
            Some((number, f64::from(number) * as_f64(size) * 1e9 / rate))
        });
        let points: Vec<(u32, f64)> = points.collect();
        (points.len() >= POINTS_MIN).then_some(Curve { device, points })
    };
    rates.into_iter().filter_map(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve<'a>(device: &'a str, latencies_us: &[f64]) -> Curve<'a> {
        let points = latencies_us.iter().enumerate();
        let points = points.map(|(place, us)| (1 << place, us * 1000.0));
        Curve {
            device,
            points: points.collect(),
        }
    }

    #[test]
    fn disks_without_a_dip_show_no_adapter() {
        let curves = [
            curve("one", &[106.0, 110.0, 117.0, 138.0, 227.0, 431.0]),
            curve("other", &[125.0, 129.0, 134.0, 162.0, 261.0, 505.0]),
        ];
        assert_eq!(adapter("hba", &curves), None);
    }

    #[test]
    fn the_same_dip_of_unlike_disks_is_the_adapters() {
        let curves = [
            curve("one", &[107.0, 110.0, 190.0, 200.0, 282.0, 547.0]),
            curve("other", &[70.0, 71.0, 151.0, 160.0, 229.0, 458.0]),
        ];
        let found = adapter("hba", &curves).expect("an adapter");
        assert_eq!((found.in_flight, found.devices.len()), (4, 2));
        assert!(found.is_certain, "two disks tell");
        assert_eq!(found.profile.outstanding_min, 3);
        let delay_ns = found.profile.delay_ns;
        assert!((90_000..150_000).contains(&delay_ns), "{found:?}");
    }

    #[test]
    fn one_disk_cannot_tell_and_one_of_several_has_a_dip_of_its_own() {
        let dip = || curve("one", &[107.0, 110.0, 190.0, 200.0, 282.0, 547.0]);
        let found = adapter("hba", &[dip()]).expect("a dip");
        assert_eq!((found.in_flight, found.is_certain), (4, false));
        let smooth = curve("other", &[125.0, 129.0, 134.0, 162.0, 261.0, 505.0]);
        assert_eq!(adapter("hba", &[dip(), smooth]), None);
    }
}
