//! Fits three parameters of the host to rows on arrays: the CPU time of a bio, that of a
//! completion, and the uplink's bandwidth. All other values of a host profile are known or assumed.
//!
//! The devices' curves must not contain host time, so we derive them again for every CPU time we
//! try: the host's time is part of the measurement of an array and of a single device.

use std::collections::BTreeMap;

use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::{HostProfile, UplinkProfile};

use crate::device::DeviceModel;
use crate::number::{mean, rounded};
use crate::prepare::{CalibrateError, Row};
use crate::report::{HostParameter, LeftOutOfHost};
use crate::search::{Best, Steps, pattern_search};
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
/// With more rows, no leave-one-out errors: the time would grow with the square of the rows.
const LEFT_OUT_ROWS_MAX: usize = 64;

/// The logarithms of the three parameters.
type Logarithms = [f64; 3];

/// A search for the host.
pub(crate) struct HostFit<'m, 'a, F> {
    pub(crate) base: &'m HostProfile,
    pub(crate) rows: &'m [Row<'a>],
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
        let steps = Steps {
            first: 0.4,
            last: 0.02,
            rounds_max: 60,
        };
        let mut best: Option<Best<3>> = None;
        for start in self.starts() {
            let value = self.error(&start, None)?;
            let start = Best { at: start, value };
            let found = pattern_search(start, [true; 3], steps, |at| self.error(at, None))?;
            // Of two results within the noise, keep the one from the earlier start.
            let is_better = |best: &Best<3>| found.value.max(NOISE) < best.value.max(NOISE);
            if best.as_ref().is_none_or(is_better) {
                best = Some(found);
            }
        }
        let best = best.expect("there are several starts");
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
        mut best: Best<3>,
    ) -> Result<(Vec<HostParameter>, [bool; 3], Best<3>), CalibrateError> {
        let mut parameters = Vec::new();
        let mut free = [true; 3];
        let defaults = self.defaults();
        for (index, key) in KEYS.into_iter().enumerate() {
            let mut growth = [0.0; 2];
            for (growth, factor) in growth.iter_mut().zip([0.5, 2.0]) {
                let mut at = best.at;
                at[index] += libm::log(factor);
                let difference = self.error(&at, None)? - best.value;
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
        best.value = self.error(&best.at, None)?;
        let steps = Steps {
            first: 0.2,
            last: 0.02,
            rounds_max: 40,
        };
        let best = pattern_search(best, free, steps, |at| self.error(at, None))?;
        Ok((parameters, free, best))
    }

    /// Leaves out one row after the other, moves from the optimum to the nearby optimum of the
    /// others, and compares the row with that prediction.
    fn left_out(
        &mut self,
        best: &Best<3>,
        free: [bool; 3],
    ) -> Result<Vec<LeftOutOfHost>, CalibrateError> {
        let steps = Steps {
            first: 0.1,
            last: 0.02,
            rounds_max: 2,
        };
        let rows = self.rows;
        if !(2..=LEFT_OUT_ROWS_MAX).contains(&rows.len()) {
            return Ok(Vec::new());
        }
        let mut left_out = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let value = self.error(&best.at, Some(index))?;
            let start = Best { at: best.at, value };
            let found = pattern_search(start, free, steps, |at| self.error(at, Some(index)))?;
            let error = self.errors_at(&found.at)?[index];
            left_out.push(LeftOutOfHost {
                line: row.point.line,
                error: libm::exp(error) - 1.0,
            });
        }
        Ok(left_out)
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

    /// Returns the mean of |ln(simulated / measured)| over all rows except the one at `left_out`.
    fn error(&mut self, at: &Logarithms, left_out: Option<usize>) -> Result<f64, CalibrateError> {
        let errors = self.errors_at(at)?;
        let counted = errors.iter().enumerate();
        let counted = counted.filter(|(index, _)| Some(*index) != left_out);
        Ok(mean(counted.map(|(_, error)| error.abs())).unwrap_or_default())
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
