//! Fits three parameters of the host to rows on arrays: the CPU time of a bio, that of a
//! completion, and the uplink's bandwidth. All other values of a host profile are known or assumed.
//!
//! The devices' curves must not contain host time, so we derive them again for every CPU time we
//! try: the host's time is part of the measurement of an array and of a single device.

use std::collections::BTreeMap;

use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::{HostProfile, UplinkProfile};

use crate::device::DeviceModel;
use crate::linear::Linear;
use crate::number::{mean, rounded};
use crate::prepare::{CalibrateError, SimulatedRow};
use crate::report::{HostParameter, LeftOutOfHost};
use crate::search::{BestPoint, Steps, pattern_search};
use stripewise_study::sample::as_f64;

/// The keys of the three parameters.
const KEYS: [&str; 3] = ["cpu.bio_ns", "cpu.completion_ns", "uplink.bytes_per_s"];
/// The rounds that adjust the curves to each host during the search.
const DERIVE_ROUNDS: u32 = 2;
/// An uplink of at least this bandwidth counts as none.
const UPLINK_MAX: f64 = 6.4e10;
/// The range of each parameter.
const RANGES: [(f64, f64); 3] = [(10.0, 1e5), (10.0, 2e5), (1e8, UPLINK_MAX)];
/// The starts of the search: two CPU times, and the uplink in units of the best array bandwidth.
const STARTS: [[f64; 3]; 3] = [
    [500.0, 2000.0, 2.0],
    [1000.0, 500.0, 1.8],
    [300.0, 4000.0, 3.0],
];
/// A parameter is identified if halving or doubling it raises the error by this share.
const IDENTIFIED: f64 = 0.02;
/// Errors below this are noise of the simulation.
const NOISE: f64 = 1e-3;
/// The step beside a place that gives the slopes there, in logarithms.
const BESIDE: f64 = 0.1;
/// The furthest step of the search, and the one at which it ends, in logarithms.
const REACH_MAX: f64 = 1.0;
const REACH_MIN: f64 = 0.02;
/// The most steps from one start.
const STEPS_MAX: u32 = 30;
/// A smaller gain is noise of the simulation.
const LEAST_GAIN: f64 = 1e-4;
/// The last steps, which need no linear model.
const LAST_STEPS: Steps = Steps {
    first: 0.04,
    last: 0.02,
    rounds_max: 10,
};

/// The logarithms of the three parameters.
type Logarithms = [f64; 3];

/// A search for the host.
pub(crate) struct HostFit<'m, 'a, F> {
    pub(crate) base: &'m HostProfile,
    pub(crate) rows: &'m [SimulatedRow<'a>],
    pub(crate) models: &'m mut [DeviceModel<'a>],
    pub(crate) known: &'m BTreeMap<String, DeviceProfile>,
    pub(crate) seed: u64,
    /// Called after each evaluation with the number of evaluations and the mean error.
    pub(crate) progress: F,
    /// Device profiles by the CPU times used to derive them.
    pub(crate) devices: BTreeMap<[u64; 2], Vec<DeviceProfile>>,
    /// ln(simulated / measured) of each row, by the three parameters.
    pub(crate) errors: BTreeMap<[u64; 3], Vec<f64>>,
}

/// The result of a search for the host.
pub(crate) struct FittedHost {
    pub(crate) profile: HostProfile,
    pub(crate) parameters: Vec<HostParameter>,
    pub(crate) left_out: Vec<LeftOutOfHost>,
}

impl<F: FnMut(usize, f64)> HostFit<'_, '_, F> {
    /// Returns the host with the least mean |ln(simulated / measured)| over the rows.
    pub(crate) fn fit(&mut self) -> Result<FittedHost, CalibrateError> {
        let mut best: Option<BestPoint<3>> = None;
        for start in self.starts() {
            let found = self.descend(start, [true; 3])?;
            // Of two results within the noise, keep the one from the earlier start.
            let is_better = |best: &BestPoint<3>| found.value.max(NOISE) < best.value.max(NOISE);
            if best.as_ref().is_none_or(is_better) {
                best = Some(found);
            }
        }
        let best = best.expect("there are several starts");
        let best = pattern_search(best, [true; 3], LAST_STEPS, |at| self.error(at))?;
        let (parameters, free, best) = self.identify(best)?;
        let profile = self.host(&best.at);
        let left_out = self.left_out(&best, free)?;
        let parameters = parameters.into_iter().zip(self.values(&best.at));
        Ok(FittedHost {
            profile,
            parameters: parameters
                .map(|(parameter, value)| HostParameter { value, ..parameter })
                .collect(),
            left_out,
        })
    }

    /// Returns the optimum near `start`: simulates where a linear model of the rows expects it, and
    /// corrects the model, until it expects no better place.
    fn descend(
        &mut self,
        start: Logarithms,
        free: [bool; 3],
    ) -> Result<BestPoint<3>, CalibrateError> {
        let value = self.error(&start)?;
        let mut best = BestPoint { at: start, value };
        let mut linear = self.linear(&best.at, free)?;
        let (mut reach, mut is_new) = (REACH_MAX, true);
        for _ in 0..STEPS_MAX {
            let expected = linear.minimum(&best.at, free, reach, |at| self.arguments(at), None);
            let found = match expected.value < best.value - LEAST_GAIN {
                true => self.error(&expected.at)?,
                false => f64::INFINITY,
            };
            let is_better = found < best.value - LEAST_GAIN;
            if found.is_finite() {
                let at = self.arguments(&expected.at);
                linear.correct(&at, &self.times_at(&expected.at)?);
            }
            if is_better {
                best = BestPoint {
                    at: expected.at,
                    value: found,
                };
                linear.at = self.arguments(&best.at);
                linear.times = self.times_at(&best.at)?;
                is_new = false;
                reach = (reach * 1.5).min(REACH_MAX);
            } else if !is_new {
                linear = self.linear(&best.at, free)?;
                is_new = true;
            } else {
                reach /= 3.0;
            }
            if reach < REACH_MIN {
                break;
            }
        }
        Ok(best)
    }

    /// Returns a linear model of the rows around `at`, from a step of each free parameter: more CPU
    /// time, and a slower uplink, as one that is no limit shows nothing when it gets faster.
    fn linear(&mut self, at: &Logarithms, free: [bool; 3]) -> Result<Linear<3>, CalibrateError> {
        let times = self.times_at(at)?;
        let mut slopes = vec![[0.0; 3]; times.len()];
        let arguments = self.arguments(at);
        for index in (0..3).filter(|index| free[*index]) {
            let mut beside = *at;
            beside[index] += if index == 2 { -BESIDE } else { BESIDE };
            let step = self.arguments(&beside)[index] - arguments[index];
            if step == 0.0 {
                continue;
            }
            for (row, time) in self.times_at(&beside)?.into_iter().enumerate() {
                slopes[row][index] = (time - times[row]) / step;
            }
        }
        Ok(Linear {
            at: arguments,
            times,
            slopes,
        })
    }

    /// Returns the arguments in which times are linear: two CPU times and a time for each byte, each
    /// about 1.
    fn arguments(&self, at: &Logarithms) -> Logarithms {
        let [bio, completion, uplink] = self.values(at).map(|value| value.map(as_f64));
        [
            bio.unwrap_or_default() / 1e3,
            completion.unwrap_or_default() / 1e3,
            uplink.map_or(0.0, |uplink| 1e9 / uplink),
        ]
    }

    /// Returns simulated over measured time of each row.
    fn times_at(&mut self, at: &Logarithms) -> Result<Vec<f64>, CalibrateError> {
        let errors = self.errors_at(at)?;
        Ok(errors.into_iter().map(|error| libm::exp(-error)).collect())
    }

    /// Returns the starts of the search: the defaults, which remain if rows show nothing, and
    /// values far from them.
    fn starts(&self) -> Vec<Logarithms> {
        let rates = self.rows.iter().map(|row| row.point.bandwidth_bytes_per_s);
        let best = rates.fold(1e8, f64::max);
        let far =
            STARTS.map(|[bio, completion, uplink]| [bio, completion, uplink * best].map(libm::log));
        [self.defaults()].into_iter().chain(far).collect()
    }

    /// Resets the parameters that the rows do not identify to their defaults, and fits the others
    /// again.
    fn identify(
        &mut self,
        mut best: BestPoint<3>,
    ) -> Result<(Vec<HostParameter>, [bool; 3], BestPoint<3>), CalibrateError> {
        let mut parameters = Vec::new();
        let mut free = [true; 3];
        let defaults = self.defaults();
        for (index, key) in KEYS.into_iter().enumerate() {
            let mut growth = [0.0; 2];
            for (growth, factor) in growth.iter_mut().zip([0.5, 2.0]) {
                let mut at = best.at;
                at[index] += libm::log(factor);
                let difference = self.error(&at)? - best.value;
                *growth = difference / best.value.max(NOISE);
            }
            // A faster uplink changes nothing if it is not a limit; a slower one may.
            let none_seen = index == 2 && growth[1] < IDENTIFIED;
            free[index] = !none_seen && growth.iter().any(|growth| growth.abs() >= IDENTIFIED);
            parameters.push(HostParameter {
                key,
                value: None,
                is_identified: free[index],
                growth,
            });
        }
        if free == [true; 3] {
            return Ok((parameters, free, best));
        }
        for (index, default) in defaults.into_iter().enumerate() {
            if !free[index] {
                best.at[index] = default;
            }
        }
        let best = self.descend(best.at, free)?;
        let best = pattern_search(best, free, LAST_STEPS, |at| self.error(at))?;
        Ok((parameters, free, best))
    }

    /// Leaves out one row after the other, and compares it with its prediction at the optimum of the
    /// others, both by the linear model around the optimum of all.
    fn left_out(
        &mut self,
        best: &BestPoint<3>,
        free: [bool; 3],
    ) -> Result<Vec<LeftOutOfHost>, CalibrateError> {
        if self.rows.len() < 2 {
            return Ok(Vec::new());
        }
        let linear = self.linear(&best.at, free)?;
        let arguments = |at: &Logarithms| self.arguments(at);
        let left_out = self.rows.iter().enumerate().map(|(index, row)| {
            let found = linear.minimum(&best.at, free, BESIDE, arguments, Some(index));
            let time = libm::exp(linear.error(index, &arguments(&found.at)));
            LeftOutOfHost {
                line: row.point.line,
                error: 1.0 / time - 1.0,
            }
        });
        Ok(left_out.collect())
    }

    fn defaults(&self) -> Logarithms {
        let uplink = self
            .base
            .uplink
            .map_or(UPLINK_MAX, |uplink| as_f64(uplink.bytes_per_s));
        let cpu = &self.base.cpu;
        [
            as_f64(cpu.bio_ns.max(1)),
            as_f64(cpu.completion_ns.max(1)),
            uplink,
        ]
        .map(libm::log)
    }

    /// Returns the three parameters for a profile; `None` for an uplink that is no limit.
    fn values(&self, at: &Logarithms) -> [Option<u64>; 3] {
        let whole = |index: usize| {
            let (least, most) = RANGES[index];
            libm::exp(at[index]).clamp(least, most)
        };
        // Differences of the uplink below 1 MB/s do not matter; rounding saves simulations.
        let uplink = Some(whole(2)).filter(|uplink| *uplink < UPLINK_MAX * 0.999);
        [
            Some(rounded(whole(0))),
            Some(rounded(whole(1))),
            uplink.map(|uplink| rounded(uplink / 1e6) * 1_000_000),
        ]
    }

    fn host(&self, at: &Logarithms) -> HostProfile {
        let [bio, completion, uplink] = self.values(at);
        let mut host = self.base.clone();
        host.cpu.bio_ns = bio.unwrap_or(host.cpu.bio_ns);
        host.cpu.completion_ns = completion.unwrap_or(host.cpu.completion_ns);
        host.uplink = uplink.map(|bytes_per_s| UplinkProfile { bytes_per_s });
        host
    }

    /// Returns the mean of |ln(simulated / measured)| over all rows.
    fn error(&mut self, at: &Logarithms) -> Result<f64, CalibrateError> {
        let errors = self.errors_at(at)?;
        Ok(mean(errors.iter().map(|error| error.abs())).unwrap_or_default())
    }

    fn errors_at(&mut self, at: &Logarithms) -> Result<Vec<f64>, CalibrateError> {
        let key = self.values(at).map(Option::unwrap_or_default);
        if let Some(errors) = self.errors.get(&key) {
            return Ok(errors.clone());
        }
        let host = self.host(at);
        self.derive(&host)?;
        let devices = &self.devices[&[host.cpu.bio_ns, host.cpu.completion_ns]];
        let find = |name: &str| {
            let made = devices.iter().find(|profile| profile.name == name);
            made.or_else(|| self.known.get(name))
        };
        let mut errors = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            let simulated = row.simulate(find, &host, self.seed)?;
            let simulated = simulated.bandwidth_bytes_per_s(row.point);
            errors.push(libm::log(simulated / row.point.bandwidth_bytes_per_s));
        }
        self.errors.insert(key, errors.clone());
        let error = mean(errors.iter().map(|error| error.abs())).unwrap_or_default();
        (self.progress)(self.errors.len(), error);
        Ok(errors)
    }

    /// Derives the devices' curves for the CPU times of `host`, unless they are cached.
    fn derive(&mut self, host: &HostProfile) -> Result<(), CalibrateError> {
        let key = [host.cpu.bio_ns, host.cpu.completion_ns];
        if self.devices.contains_key(&key) {
            return Ok(());
        }
        let mut profiles = Vec::with_capacity(self.models.len());
        for model in self.models.iter_mut() {
            model.derive(host, DERIVE_ROUNDS)?;
            profiles.push(model.profile());
        }
        self.devices.insert(key, profiles);
        Ok(())
    }
}

/// Returns the assumptions about a host: all but the identified parameters.
pub(crate) fn assumptions(parameters: &[HostParameter], base: &HostProfile) -> Vec<String> {
    let identified = parameters
        .iter()
        .filter(|parameter| parameter.is_identified);
    let identified: Vec<&str> = identified.map(|parameter| parameter.key).collect();
    let but = match identified.is_empty() {
        true => String::new(),
        false => format!(" but {}", identified.join(", ")),
    };
    vec![format!(
        "everything{but}: as host profile `{}` has it",
        base.name
    )]
}

/// Returns sentences about the parameters that the rows do not identify.
pub(crate) fn not_identified(parameters: &[HostParameter]) -> Vec<String> {
    let unknown = parameters
        .iter()
        .filter(|parameter| !parameter.is_identified);
    let sentence = |parameter: &HostParameter| match (parameter.key == KEYS[2], parameter.value) {
        (true, None) => format!(
            "{}: no limit is seen in these points; none is set",
            parameter.key
        ),
        (_, value) => {
            let value = value.map_or_else(|| "none".to_owned(), |value| value.to_string());
            format!(
                "{}: not identified by these points: kept at the default, {value}",
                parameter.key
            )
        }
    };
    unknown.map(sentence).collect()
}
