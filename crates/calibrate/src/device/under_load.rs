//! Fits how a device's rate depends on the requests in flight, to rows with several of them: in one
//! direction, and in a mix of both.

use std::collections::BTreeMap;

use stripewise_profiles::device::calibrated::{DirectionProfile, LoadPoint};
use stripewise_profiles::host::HostProfile;
use stripewise_sim::device::curve::Curve;
use stripewise_study::sample::as_f64;
use stripewise_units::Bytes;

use super::shape::Shape;
use super::{CURVES, DeviceModel, of_rows, side_of};
use crate::number::{mean, rounded};
use crate::points::{Point, Side};
use crate::prepare::{CalibrateError, Simulated, SimulatedRow};
use crate::report::LeftOutOfLoad;

/// The rounds that adjust the gains of a device to its rows.
const ROUNDS: usize = 4;
/// A simulation that is off by less than this share is not adjusted further: it varies by as much.
const CLOSE: f64 = 0.002;
/// The same of one side of a mix, which varies more.
const CLOSE_IN_MIX: f64 = 0.005;
/// The most I/Os in flight that a profile tells apart.
const IN_FLIGHT_MAX: u32 = 4096;
/// A device gains no more from each I/O in flight than this: the lone one may have been unlucky.
const GAIN_MAX: f64 = 4.0;
/// Something is always in flight in either direction of a mix.
const OTHERS: std::ops::RangeInclusive<f64> = 0.01..=0.99;

/// Rows with the same number of I/Os in flight.
#[derive(Debug)]
struct Load<'a> {
    in_flight: u32,
    /// The gain of reads and that of writes, as they are simulated; in one direction the other one is
    /// not used.
    gains: [f64; 2],
    /// The shapes of single times, as they are simulated: those of latencies are others.
    shapes: [Option<Shape>; 2],
    /// Whether the simulation was close to the rows.
    is_close: bool,
    rows: Vec<SimulatedRow<'a>>,
}

impl<'a> Load<'a> {
    /// Returns the rows by I/Os in flight, without those that the device's queue cannot hold at once.
    fn all(rows: Vec<SimulatedRow<'a>>, queue_depth: u32) -> Vec<Self> {
        let mut loads: BTreeMap<u32, Vec<SimulatedRow<'a>>> = BTreeMap::new();
        for row in rows {
            let in_flight = row.point.in_flight();
            if in_flight <= queue_depth.min(IN_FLIGHT_MAX) {
                loads.entry(in_flight).or_default().push(row);
            }
        }
        let load = |(in_flight, mut rows): (u32, Vec<SimulatedRow<'a>>)| {
            rows.sort_by_key(|row| (row.point.block_size_bytes, row.point.jobs, row.point.line));
            let shapes = Side::ALL.map(|side| Shape::measured(&rows, side));
            Load {
                in_flight,
                gains: [1.0; 2],
                shapes,
                is_close: false,
                rows,
            }
        };
        loads.into_iter().map(load).collect()
    }

    /// Returns the rows of the size that is simulated, the first one. Rows that come from other
    /// numbers of jobs are the same load for a device.
    fn of_size(&self) -> impl Iterator<Item = &'a Point> {
        let size = self.rows[0].point.block_size_bytes;
        let points = self.rows.iter().map(|row| row.point);
        points.filter(move |point| point.block_size_bytes == size)
    }

    /// Returns the mean time per I/O of one side of a mix; `None` if no row has its latency.
    fn time_ns(&self, side: Side) -> Option<f64> {
        let of_side = self.of_size().filter(|point| point.side == Some(side));
        let measured = of_side.filter(|point| point.latency.mean_ns.is_some());
        mean(measured.map(Point::time_ns))
    }

    /// Returns the share of the I/Os in flight that are of the other side, by Little's law from the
    /// latencies that were measured; else those of reads and writes alike.
    fn others(&self, side: Side) -> f64 {
        let read_share = f64::from(self.rows[0].point.read_percent.unwrap_or(50)) / 100.0;
        let [read, write] = Side::ALL.map(|side| self.time_ns(side).unwrap_or(1.0));
        let (reads, writes) = (read_share * read, (1.0 - read_share) * write);
        let others = match side {
            Side::Read => writes,
            Side::Write => reads,
        };
        // More digits mean nothing.
        let share = (others / (reads + writes) * 1e4).round() / 1e4;
        share.clamp(*OTHERS.start(), *OTHERS.end())
    }

    /// Moves the shape of single times so that latencies get the measured one; returns whether they
    /// have it.
    fn adjust_shape(&mut self, side: Side, simulated: &Simulated) -> bool {
        let measured = Shape::measured(&self.rows, side);
        let shape = &mut self.shapes[side as usize];
        let (Some(measured), Some(simulated), Some(shape)) =
            (measured, simulated.shape(side), shape)
        else {
            return true;
        };
        shape.adjust(&measured, &simulated)
    }

    /// Returns the point of one side, with the digits that mean something: more are noise of the
    /// simulation.
    fn point(&self, side: Side) -> LoadPoint {
        let rounded = |value: f64, one: f64| (value * one).round() / one;
        let shape = self.shapes[side as usize];
        let median = shape.and_then(|shape| shape.p50_over_mean);
        LoadPoint {
            in_flight: self.in_flight,
            gain: rounded(self.gains[side as usize], 1e4),
            p99_over_p50: shape.map(|shape| rounded(shape.p99_over_p50, 1e3)),
            p50_over_mean: median.map(|median| rounded(median, 1e3)),
        }
    }

    fn set_gain(&mut self, side: Side, gain: f64) {
        let most = f64::from(self.in_flight) * GAIN_MAX;
        self.gains[side as usize] = gain.clamp(0.01, most);
    }
}

impl<'a> DeviceModel<'a> {
    /// Fits the rates with several requests in flight; `done` gets how many of how many loads are
    /// adjusted.
    pub(crate) fn fit_load(
        &mut self,
        host: &HostProfile,
        done: &mut dyn FnMut(usize, usize),
    ) -> Result<(), CalibrateError> {
        let deep = std::mem::take(&mut self.deep);
        let mut sides = Side::ALL.map(|side| self.loads_of_side(&deep, side));
        let mut mixes = self.mixes(&deep);
        self.deep = deep;
        let count = sides.iter().map(Vec::len).sum::<usize>() + mixes.len();
        let (mut so_far, total) = (0, ROUNDS * count);
        let mut done = || {
            so_far += 1;
            done(so_far, total);
        };
        for (side, loads) in Side::ALL.into_iter().zip(&mut sides) {
            self.fit_side(loads, side, host, &mut done)?;
        }
        self.fit_mix(&mut mixes, host, &mut done)
    }

    /// Returns the loads of one direction, in its pattern with most rows.
    fn loads_of_side(&self, deep: &[SimulatedRow<'a>], side: Side) -> Vec<Load<'a>> {
        let of_side = CURVES.into_iter();
        let of_side = of_side.filter(|pattern| side_of(*pattern) == side);
        let of_pattern = |pattern| of_rows(deep, |point| point.pattern == pattern);
        let rows = of_side.map(of_pattern).max_by_key(Vec::len);
        let mut loads = Load::all(rows.unwrap_or_default(), self.profile.queue_depth);
        for load in &mut loads {
            let gains = load.rows.iter();
            let gains = gains.map(|row| self.alone_ns(row.point, side) / row.point.time_ns());
            load.set_gain(side, mean(gains).unwrap_or(1.0));
        }
        loads
    }

    fn fit_side(
        &mut self,
        loads: &mut [Load],
        side: Side,
        host: &HostProfile,
        done: &mut dyn FnMut(),
    ) -> Result<(), CalibrateError> {
        self.set_under_load(side, loads);
        for _ in 0..ROUNDS {
            for load in loads.iter_mut() {
                done();
                if load.is_close {
                    continue;
                }
                let simulated = self.simulate(&load.rows[0], host)?;
                let rate = simulated.bandwidth_bytes_per_s(load.rows[0].point);
                let measured = mean(load.of_size().map(|point| point.bandwidth_bytes_per_s));
                let ratio = measured.unwrap_or(rate) / rate;
                load.is_close = load.adjust_shape(side, &simulated) && (ratio - 1.0).abs() < CLOSE;
                load.set_gain(side, load.gains[side as usize] * ratio);
            }
            self.set_under_load(side, loads);
        }
        Ok(())
    }

    /// Returns the loads of the mix of reads and writes that has most rows.
    fn mixes(&self, deep: &[SimulatedRow<'a>]) -> Vec<Load<'a>> {
        let mut mixes: BTreeMap<(&str, u8), Vec<SimulatedRow<'a>>> = BTreeMap::new();
        for row in deep.iter().filter(|row| row.point.pattern.is_mixed()) {
            let mix = row.point.read_percent.unwrap_or(50);
            let same = mixes.entry((row.point.pattern.as_str(), mix));
            same.or_default().push(row.clone());
        }
        let rows = mixes.into_values().max_by_key(Vec::len).unwrap_or_default();
        let mut loads = Load::all(rows, self.profile.queue_depth);
        for load in &mut loads {
            for side in Side::ALL {
                let alone = self.alone_ns(load.rows[0].point, side);
                let gain = load.time_ns(side).map(|time| alone / time);
                load.set_gain(side, gain.unwrap_or(0.5) * f64::from(load.in_flight));
            }
        }
        loads
    }

    fn fit_mix(
        &mut self,
        loads: &mut [Load],
        host: &HostProfile,
        done: &mut dyn FnMut(),
    ) -> Result<(), CalibrateError> {
        self.set_under_mix(loads);
        for _ in 0..ROUNDS {
            for load in loads.iter_mut() {
                done();
                if load.is_close {
                    continue;
                }
                let simulated = self.simulate(&load.rows[0], host)?;
                load.is_close = true;
                for side in Side::ALL {
                    let has_rate = self.adjust(load, side, &simulated);
                    let has_shape = load.adjust_shape(side, &simulated);
                    load.is_close &= has_rate && has_shape;
                }
            }
            self.set_under_mix(loads);
        }
        Ok(())
    }

    /// Moves the time of one side in a mix by what the simulation lacks; without a measured latency
    /// both sides together by the measured rate. Returns whether it was close.
    fn adjust(&self, load: &mut Load, side: Side, simulated: &Simulated) -> bool {
        let point = load.rows[0].point;
        let gain = load.gains[side as usize];
        let simulated_ns = simulated.side_time_ns(side, point);
        if let (Some(measured), Some(simulated_ns)) = (load.time_ns(side), simulated_ns) {
            let alone = self.alone_ns(point, side) * f64::from(load.in_flight);
            let time = (alone / gain + measured - simulated_ns).max(1.0);
            load.set_gain(side, alone / time);
            (simulated_ns / measured - 1.0).abs() < CLOSE_IN_MIX
        } else {
            let ratio = point.bandwidth_bytes_per_s / simulated.bandwidth_bytes_per_s(point);
            load.set_gain(side, gain * ratio);
            (ratio - 1.0).abs() < CLOSE_IN_MIX
        }
    }

    /// Returns the time of a lone request of the size of `point`.
    fn alone_ns(&self, point: &Point, side: Side) -> f64 {
        let direction = self.direction(side);
        let points = match point.pattern.is_random() || direction.sequential.is_empty() {
            true => &direction.random,
            false => &direction.sequential,
        };
        let size = Bytes::new(point.block_size_bytes);
        let curve = Curve::new(points.clone());
        curve.map_or(point.time_ns(), |curve| as_f64(curve.time(size).as_u64()))
    }

    fn set_under_load(&mut self, side: Side, loads: &[Load]) {
        let points = loads.iter().map(|load| load.point(side));
        self.direction_mut(side).under_load = points.collect();
        self.set_servers(side);
    }

    fn set_under_mix(&mut self, loads: &[Load]) {
        for side in Side::ALL {
            let points = loads.iter();
            let points = points.map(|load| load.point(side).in_mix(load.others(side)));
            self.direction_mut(side).under_mix = points.collect();
            self.set_servers(side);
        }
    }

    /// Sets the number that stands for the gains where only one number is shown.
    fn set_servers(&mut self, side: Side) {
        let direction = self.direction_mut(side);
        if direction.depends_on_load() {
            let most = u32::try_from(rounded(direction.gain_max())).unwrap_or(1);
            direction.servers = most.clamp(1, 1024);
        }
    }

    /// Returns the error of each point over the requests in flight when predicted from the others, as
    /// the model does: the latency on a straight line between them, the gain unchanged beyond.
    pub(crate) fn left_out_of_loads(&self) -> Vec<LeftOutOfLoad> {
        let mut left_out = Vec::new();
        for side in Side::ALL {
            let direction = self.direction(side);
            let points = [
                (false, direction.under_load.clone()),
                (true, direction.mix_loads()),
            ];
            for (in_mix, points) in points {
                let errors = left_out_errors(&points).into_iter().zip(&points);
                left_out.extend(errors.map(|(error, point)| LeftOutOfLoad {
                    profile: self.profile.name.clone(),
                    side,
                    in_mix,
                    in_flight: point.in_flight,
                    error,
                    is_extrapolated: points.last() == Some(point),
                }));
            }
        }
        left_out
    }

    fn direction(&self, side: Side) -> &DirectionProfile {
        match side {
            Side::Read => &self.calibrated.read,
            Side::Write => &self.calibrated.write,
        }
    }

    pub(super) fn direction_mut(&mut self, side: Side) -> &mut DirectionProfile {
        match side {
            Side::Read => &mut self.calibrated.read,
            Side::Write => &mut self.calibrated.write,
        }
    }
}

/// Returns for each of `points` the gain from the others over its own, minus 1.
fn left_out_errors(points: &[LoadPoint]) -> Vec<f64> {
    let of_place = |place: usize| {
        let mut others = points.to_vec();
        let LoadPoint {
            in_flight, gain, ..
        } = others.remove(place);
        let gains = LoadPoint::gains(&others);
        gains[(in_flight as usize).min(gains.len() - 1)] / gain - 1.0
    };
    (0..points.len()).map(of_place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_predicted_from_its_neighbours() {
        // Times of 1, 1.5, 2 and 4 lone requests.
        let points = [(2, 2.0 / 1.5), (3, 3.0 / 2.0), (8, 2.0)];
        let points = points.map(|(in_flight, gain)| LoadPoint {
            in_flight,
            gain,
            p99_over_p50: None,
            p50_over_mean: None,
        });
        let errors = left_out_errors(&points);
        assert!(errors[0].abs() < 1e-12, "{errors:?}");
        let time = 1.5 + (4.0 - 1.5) / 6.0;
        assert!((errors[1] - (2.0 / time - 1.0)).abs() < 1e-12, "{errors:?}");
        assert!((errors[2] - (1.5 / 2.0 - 1.0)).abs() < 1e-12, "{errors:?}");
    }
}
