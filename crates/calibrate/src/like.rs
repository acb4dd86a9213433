//! Fits a few numbers of a simulated device, a hard disk or flash, to rows on one such device alone.
//!
//! ```text
//!  profile of a class --> a few numbers, each times e^x --> simulated rows
//!         ^                                                     |
//!         '-- pattern search <-- mean square of ln(measured / simulated time)
//! ```
//!
//! The rules of the simulation stay as they are. The search uses few I/Os. Where it ends, the slopes
//! of every row over every number, from more I/Os, give the numbers' standard errors. The number that
//! is determined worst returns to the class's value, until the rows determine all that are left. The
//! slopes also lead to the optimum, along valleys where one number makes up for another.

mod least_squares;
mod parameters;

use std::collections::{BTreeMap, BTreeSet};

use stripewise_profiles::Basis;
use stripewise_profiles::device::{DeviceProfile, Model, Ratings};
use stripewise_sim::engine::Limits;
use stripewise_sim::uncertainty::NORMAL_95;

use self::least_squares::{PerParameter, Slopes};
use self::parameters::{COUNT, Parameter, QUEUE_INDEX, parameters, scaled};
use crate::calibrate::{
    Calibration, CalibrationStep, Input, Progress, note_errors, report, rows, unfitted,
};
use crate::device::class::is_rotational;
use crate::device::measured_points;
use crate::number::mean;
use crate::points::Point;
use crate::prepare::{CalibrateError, LIMITS, SimulatedRow};
use crate::report::{FittedDevice, FittedParameter, FittedRow, UsedFor};
use crate::search::{BestPoint, Steps, pattern_search};

/// The limits of a simulation during the search.
const SEARCH: Limits = Limits {
    half_width: 0.02,
    ios_max: 40_000,
    ..LIMITS
};
/// The limits of those that give slopes.
const FINE: Limits = Limits {
    half_width: 0.01,
    ios_max: 200_000,
    ..LIMITS
};
/// The steps of the search, in logarithms.
const STEPS: Steps = Steps {
    first: 0.64,
    last: 0.1,
    rounds_max: 5,
};
/// The starts of the search: the class's values, and a queue of a quarter, as one that is short looks
/// much like one that is impatient.
const QUEUES: [f64; 2] = [0.0, -1.4];
/// The steps of the last search, among the numbers that the rows show.
const LAST_STEPS: Steps = Steps {
    first: 0.16,
    last: 0.05,
    rounds_max: 2,
};
/// The most steps along the slopes at a time, and one that is too short to matter.
const DESCENT_MAX: usize = 8;
const SHORT: f64 = 0.02;
/// How often all slopes are usually taken.
const SLOPES: usize = 3;
/// The step beside a place that gives the slopes there.
const BESIDE: f64 = 0.4;
/// During the search, a number leaves the class's value if the mean square falls by more than this
/// times the square of its logarithm.
const PULL: f64 = 3e-4;
/// The part of flash that is simulated until it is known which numbers the rows show: to fill it takes
/// most of the time.
const PART_OF_FLASH: u64 = 4;
const PART_BYTES_MIN: u64 = 64 << 20;
/// A number with a larger standard error, in logarithms, is not identified.
const UNCERTAIN: f64 = 0.35;

/// Returns a profile of each device measured alone: `like` with its few numbers fitted to the rows
/// of that device. Rows on arrays check the result.
///
/// The order of the rows does not matter. Cost: a few hundred simulations of every row.
///
/// # Errors
/// [`CalibrateError`] if `like` is not simulated or of another kind than the devices, and for the
/// first row that cannot be used.
pub fn calibrate_like(
    input: &Input,
    like: &DeviceProfile,
    progress: &mut dyn FnMut(Progress),
) -> Result<Calibration, CalibrateError> {
    let rows = rows(input.study, input.points)?;
    let shown = rows.iter().filter(|row| row.point.shows_device());
    let names: BTreeSet<&str> = shown.filter_map(SimulatedRow::single_device).collect();
    let (mut devices, mut fits) = (BTreeMap::new(), Vec::new());
    for name in &names {
        let of_device = rows.iter().filter(|row| row.single_device() == Some(name));
        let (mut profile, fit) = fit(input, like, name, of_device.collect(), progress)?;
        profile.host = Some(input.host.name.clone());
        devices.insert((*name).to_owned(), profile);
        fits.push(fit);
    }
    let used_for = |row: &SimulatedRow| match row.single_device() {
        Some(name) if names.contains(name) => UsedFor::Device,
        _ => UsedFor::Check,
    };
    let host = unfitted(input.host);
    let mut report = report(input, &rows, &[], &devices, &host, &used_for, progress)?;
    for fit in &fits {
        let lines: Vec<u64> = fit.rows.iter().map(|row| row.line).collect();
        if let Some(profile) = devices.get_mut(&fit.device) {
            note_errors(profile, &lines, &report.residuals);
        }
    }
    report.fits = fits;
    Ok(Calibration {
        devices,
        host: host.profile,
        is_bounded: false,
        report,
    })
}

/// Fits one device.
fn fit(
    input: &Input,
    like: &DeviceProfile,
    name: &str,
    mut rows: Vec<&SimulatedRow>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(DeviceProfile, FittedDevice), CalibrateError> {
    let points: Vec<&Point> = rows.iter().map(|row| row.point).collect();
    let parameters = parameters(&like.model).ok_or_else(|| CalibrateError::NotSimulated {
        profile: like.name.clone(),
    })?;
    let is_disk = matches!(like.model, Model::Disk(_));
    let plain: Vec<&Point> = points.into_iter().filter(|one| one.is_plain()).collect();
    if is_rotational(&plain).is_some_and(|rotational| rotational != is_disk) {
        let kinds = ["flash", "a hard disk"];
        return Err(CalibrateError::OtherKind {
            device: name.to_owned(),
            profile: like.name.clone(),
            simulates: kinds[usize::from(is_disk)],
            measured: kinds[usize::from(!is_disk)],
        });
    }
    // Sums of floating-point numbers depend on their order.
    rows.sort_by_cached_key(|row| order(row.point));
    let mut fit = Fit {
        input,
        like,
        name,
        parameters,
        rows,
        errors: BTreeMap::new(),
        is_whole: false,
        evaluations: 0,
        progress,
    };
    let optimum = fit.search()?;
    let fitted = fit.fitted(&optimum)?;
    let (mut profile, _) = scaled(like, &parameters, &optimum.slopes.at);
    profile.name = name.to_owned();
    profile.description = format!("One device alone, fitted from profile `{}`.", like.name);
    profile.source = format!("stripewise calibrate, from {}", input.source);
    profile.basis = Some(Basis::Measured);
    profile.ratings = Ratings::default();
    profile.assumed = vec![assumption(&fitted)];
    profile.points = measured_points(&plain);
    Ok((profile, fitted))
}

fn assumption(fit: &FittedDevice) -> String {
    let identified = fit.parameters.iter().filter(|one| one.interval.is_some());
    let keys: Vec<&str> = identified.map(|one| one.key).collect();
    let but = match keys.is_empty() {
        true => String::new(),
        false => format!(" but {}", keys.join(", ")),
    };
    format!("everything{but}: as device profile `{}` has it", fit.like)
}

/// Returns a key that orders points, whatever their order in the file.
fn order(point: &Point) -> impl Ord + use<> {
    let size = (point.file_size_bytes, point.block_size_bytes);
    let load = (point.pattern.as_str(), size, point.jobs, point.depth);
    let mix = (point.read_percent, point.side, point.fsync_every);
    let result = [point.bandwidth_bytes_per_s, point.time_ns()].map(f64::to_bits);
    (load, mix, point.stack.clone(), result)
}

/// Returns the mean square of errors.
fn square(errors: &[f64]) -> f64 {
    mean(errors.iter().map(|error| error * error)).unwrap_or_default()
}

/// Returns the place a step away.
fn moved(at: &PerParameter<f64>, step: &PerParameter<f64>) -> PerParameter<f64> {
    std::array::from_fn(|index| at[index] + step[index])
}

/// Where a search ended: the parameters that the rows identify are free.
struct Optimum {
    slopes: Slopes,
    free: PerParameter<bool>,
    variance: f64,
}

/// A search for the numbers of one device.
struct Fit<'m, 'a> {
    input: &'m Input<'m>,
    like: &'m DeviceProfile,
    name: &'m str,
    parameters: PerParameter<Parameter>,
    rows: Vec<&'m SimulatedRow<'a>>,
    /// ln(measured / simulated time) of a row, by its place, the values that it depends on, and
    /// whether it was simulated with more I/Os.
    errors: BTreeMap<(usize, PerParameter<u64>, bool), f64>,
    /// Whether all of flash is simulated.
    is_whole: bool,
    evaluations: usize,
    progress: &'m mut dyn FnMut(Progress),
}

impl Fit<'_, '_> {
    /// Returns the optimum, and which parameters the rows identify.
    fn search(&mut self) -> Result<Optimum, CalibrateError> {
        let mut free = [true; COUNT];
        let mut found: Option<BestPoint<COUNT>> = None;
        for queue in QUEUES {
            let mut at = [0.0; COUNT];
            at[QUEUE_INDEX] = queue;
            let value = self.value(&at)?;
            let best = pattern_search(BestPoint { at, value }, free, STEPS, |at| self.value(at))?;
            if found.as_ref().is_none_or(|found| best.value < found.value) {
                found = Some(best);
            }
        }
        let found = found.expect("there are several starts");
        let mut slopes = self.slopes(found.at, free)?;
        slopes = self.descend(slopes, free)?;
        // Where fewer numbers are free, errors are larger because of that.
        let variance = slopes.variance(free);
        self.is_whole = true;
        self.errors.clear();
        let mut identified = slopes.identified(free, variance, UNCERTAIN);
        loop {
            free = identified;
            let mut at = moved(&slopes.at, &slopes.step(free, None));
            if self.fine_errors(&at)?.is_none() {
                at = [0.0; COUNT];
            }
            slopes = self.slopes(at, free)?;
            slopes = self.descend(slopes, free)?;
            identified = slopes.identified(free, variance, UNCERTAIN);
            if identified == free {
                break;
            }
        }
        // Numbers of parts are whole, so that slopes do not lead all the way.
        let at = slopes.at;
        let value = Slopes::value(&at, &slopes.errors);
        let best = pattern_search(BestPoint { at, value }, free, LAST_STEPS, |at| {
            let errors = self.fine_errors(at)?;
            Ok(errors.map_or(f64::INFINITY, |errors| Slopes::value(at, &errors)))
        })?;
        Ok(Optimum {
            slopes: self.slopes(best.at, free)?,
            free,
            variance,
        })
    }

    /// Goes to the optimum of the `free` parameters.
    fn descend(
        &mut self,
        mut slopes: Slopes,
        free: PerParameter<bool>,
    ) -> Result<Slopes, CalibrateError> {
        let (mut is_new, mut part) = (true, 1.0);
        for _ in 0..DESCENT_MAX {
            let step = slopes.step(free, None).map(|step| step * part);
            if step.iter().all(|step| step.abs() < SHORT) {
                break;
            }
            let at = moved(&slopes.at, &step);
            let before = Slopes::value(&slopes.at, &slopes.errors);
            let found = self.fine_errors(&at)?;
            match found.filter(|errors| Slopes::value(&at, errors) < before) {
                Some(errors) => {
                    slopes.advance(&step, errors);
                    (is_new, part) = (false, 1.0);
                }
                None if is_new => part /= 3.0,
                None => {
                    slopes = self.slopes(slopes.at, free)?;
                    is_new = true;
                }
            }
        }
        Ok(slopes)
    }

    /// Returns the errors with more I/Os.
    fn fine_errors(&mut self, at: &PerParameter<f64>) -> Result<Option<Vec<f64>>, CalibrateError> {
        self.count(None);
        self.errors(at, true)
    }

    /// Returns the mean square of the rows' errors, and a little more far from the class's values,
    /// so that a number without effect stays there; infinity for an impossible device.
    fn value(&mut self, at: &PerParameter<f64>) -> Result<f64, CalibrateError> {
        let pull: f64 = at.iter().map(|one| one * one * PULL).sum();
        let square = self.errors(at, false)?.map(|errors| square(&errors));
        self.count(square.map(libm::sqrt));
        Ok(square.map_or(f64::INFINITY, |square| square + pull))
    }

    /// Counts an evaluation.
    fn count(&mut self, error: Option<f64>) {
        self.evaluations += 1;
        // Starts, both sides of each parameter in each round, and both for slopes.
        let rounds = usize::try_from(STEPS.rounds_max).unwrap_or_default();
        let most = (2 * COUNT * (QUEUES.len() * rounds + SLOPES)).max(self.evaluations);
        (self.progress)(Progress {
            step: CalibrationStep::Device(self.name),
            evaluations: self.evaluations,
            total: Some(most),
            error,
        });
    }

    /// Returns ln(measured / simulated time) of every row; `None` for an impossible device.
    fn errors(
        &mut self,
        at: &PerParameter<f64>,
        is_fine: bool,
    ) -> Result<Option<Vec<f64>>, CalibrateError> {
        let (mut profile, values) = scaled(self.like, &self.parameters, at);
        let is_possible = match &profile.model {
            Model::Calibrated(_) => true,
            Model::Disk(disk) => disk.check().is_ok(),
            Model::Flash(flash) => flash.check().is_ok(),
        };
        if !is_possible {
            return Ok(None);
        }
        if let (Model::Flash(flash), false) = (&mut profile.model, self.is_whole) {
            let part = (flash.simulated_bytes / PART_OF_FLASH).max(PART_BYTES_MIN);
            flash.simulated_bytes = flash.simulated_bytes.min(part);
        }
        let (host, seed) = (self.input.host, self.input.seed);
        let limits = if is_fine { &FINE } else { &SEARCH };
        let mut errors = Vec::with_capacity(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            let mut key = (place, values.map(f64::to_bits), is_fine);
            for (value, parameter) in key.1.iter_mut().zip(&self.parameters) {
                if parameter.of_writes && !row.point.pattern.writes() {
                    *value = 0;
                }
            }
            let error = match self.errors.get(&key) {
                Some(error) => *error,
                None => {
                    let simulated = row.simulate_within(|_| Some(&profile), host, seed, limits)?;
                    libm::log(row.point.time_ns() / simulated.time_ns(row.point))
                }
            };
            self.errors.insert(key, error);
            errors.push(error);
        }
        Ok(Some(errors))
    }

    /// Returns the slopes over the `free` parameters at the place of a possible device.
    fn slopes(
        &mut self,
        at: PerParameter<f64>,
        free: PerParameter<bool>,
    ) -> Result<Slopes, CalibrateError> {
        let errors = self.fine_errors(&at)?.unwrap_or_default();
        let mut slopes = vec![[0.0; COUNT]; errors.len()];
        for index in (0..COUNT).filter(|index| free[*index]) {
            let mut sides = [(0.0, errors.clone()), (0.0, errors.clone())];
            for (side, step) in sides.iter_mut().zip([BESIDE, -BESIDE]) {
                let mut beside = at;
                beside[index] += step;
                // On the side of an impossible device, the place itself has to do.
                if let Some(errors) = self.fine_errors(&beside)? {
                    *side = (step, errors);
                }
            }
            let [(above, errors_above), (below, errors_below)] = sides;
            let length = (above - below).max(f64::MIN_POSITIVE);
            for (place, slope) in slopes.iter_mut().enumerate() {
                slope[index] = (errors_above[place] - errors_below[place]) / length;
            }
        }
        Ok(Slopes::new(at, errors, slopes))
    }

    /// Returns the report on the optimum.
    fn fitted(&self, optimum: &Optimum) -> Result<FittedDevice, CalibrateError> {
        let Optimum {
            slopes,
            free,
            variance,
        } = optimum;
        let uncertain = slopes.standard_errors(*free, *variance);
        let values_at = |index: usize, errors: f64| {
            let mut at = slopes.at;
            at[index] += errors * uncertain[index];
            scaled(self.like, &self.parameters, &at).1[index]
        };
        let (_, before) = scaled(self.like, &self.parameters, &[0.0; COUNT]);
        let parameters = self.parameters.iter().enumerate();
        let parameters = parameters.map(|(index, parameter)| FittedParameter {
            key: parameter.key,
            before: before[index],
            after: values_at(index, 0.0),
            interval: free[index]
                .then(|| [-NORMAL_95, NORMAL_95].map(|errors| values_at(index, errors))),
        });
        let mut rows = Vec::with_capacity(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            // As the errors of the report: with another seed than the search.
            let seed = self.input.seed.wrapping_add(1);
            let simulated = row.simulate(|_| Some(self.like), self.input.host, seed)?;
            let left_out = slopes.left_out(place, *free);
            rows.push(FittedRow {
                line: row.point.line,
                before: simulated.bandwidth_bytes_per_s(row.point)
                    / row.point.bandwidth_bytes_per_s
                    - 1.0,
                left_out: left_out.map(|error| libm::exp(error) - 1.0),
            });
        }
        rows.sort_by_key(|row| row.line);
        Ok(FittedDevice {
            device: self.name.to_owned(),
            like: self.like.name.clone(),
            parameters: parameters.collect(),
            rows,
        })
    }
}
