//! Fits a host to rows on single devices with known profiles, such as the lab's disks.
//!
//! The time of such a row beyond the device's time is CPU time. The parameters: the time of an I/O
//! (`submit_ns`), of a page (`page_ns`), of a request (`completion_ns`), of a layer (`bio_ns`), and of
//! waking a task (`wake_ns`). What separates them:
//!
//! - requests from I/Os: I/Os larger than the device's largest request, or the next;
//! - layers from requests: rows with several I/Os in flight on arrays without parity, one layer more.
//!   They are fitted, too;
//! - an I/O scheduler (`scheduler_ns`), and the worker that sends its requests (`worker_ns`): reads and
//!   writes with several I/Os in flight on a disk with a scheduler, beside one without;
//! - waking from I/Os: rows with one I/O in flight, which wait, beside rows with several.
//!
//! Without such rows the time of a layer stays in proportion to that of a request, those of a scheduler
//! and its worker stay as they are, and the others in proportion to that of an I/O.
//!
//! Rows on arrays that show another CPU time then give that one alone: single writes to a parity
//! array the time of a stripe (`stripe_ns`), and, on a host with several cores, several jobs the
//! locks (`parity_lock_ns`, `mirror_lock_ns`). Other rows on arrays only check the result.

use std::collections::BTreeMap;

use stripewise_profiles::host::{CpuProfile, HostProfile};
use stripewise_profiles::kernel::policy;

use crate::calibrate::{Calibration, CalibrationStep, Input, Progress, named_host, report, rows};
use crate::host::FittedHost;
use crate::number::{mean, rounded};
use crate::points::Side;
use crate::prepare::{CalibrateError, SimulatedRow};
use crate::report::{HostParameter, UsedFor};
use crate::search::{BestPoint, Steps, pattern_search};
use stripewise_study::sample::as_f64;
use stripewise_study::stack::Level;

/// The number of parameters.
const COUNT: usize = 7;
/// Their keys.
const KEYS: [&str; COUNT] = [
    "cpu.submit_ns",
    "cpu.page_ns",
    "cpu.completion_ns",
    "cpu.bio_ns",
    "cpu.wake_ns",
    "cpu.scheduler_ns",
    "cpu.worker_ns",
];
/// A CPU time of arrays, and the rows that show it.
struct OfArrays {
    key: &'static str,
    value: fn(&mut CpuProfile) -> &mut u64,
    shows: fn(&SimulatedRow, u32) -> bool,
}

/// The CPU times of arrays, in the order in which they are fitted.
const OF_ARRAYS: [OfArrays; 3] = [
    OfArrays {
        key: "cpu.stripe_ns",
        value: |cpu| &mut cpu.stripe_ns,
        shows: |row, _| has_stripes(row) && row.point.in_flight() == 1 && writes(row),
    },
    OfArrays {
        key: "cpu.parity_lock_ns",
        value: |cpu| &mut cpu.parity_lock_ns,
        shows: |row, cores| has_stripes(row) && row.point.jobs.min(cores) > 1,
    },
    OfArrays {
        key: "cpu.mirror_lock_ns",
        value: |cpu| &mut cpu.mirror_lock_ns,
        shows: |row, cores| {
            let level = level(row);
            let is_mirror = matches!(level, Some(Level::Raid1 | Level::Raid10));
            is_mirror && row.point.jobs.min(cores) > 1
        },
    },
];
/// The start of a search for a time that the host does not have.
const START_NS: u64 = 200;

fn level(row: &SimulatedRow) -> Option<Level> {
    row.cell.stack.array.as_ref().map(|array| array.level)
}

fn writes(row: &SimulatedRow) -> bool {
    row.point.direction() == Some(Side::Write)
}

fn has_stripes(row: &SimulatedRow) -> bool {
    matches!(level(row), Some(Level::Raid4 | Level::Raid5 | Level::Raid6))
}

/// A parameter is identified if halving or doubling it raises the error by this share.
const IDENTIFIED: f64 = 0.02;
/// The steps of each search, in logarithms.
const STEPS: Steps = Steps {
    first: 0.8,
    last: 0.001,
    rounds_max: 300,
};
/// Mean squares below this are noise of the simulation.
const NOISE: f64 = 1e-8;

/// The first parameter that is listed only if it is free.
const FIRST_OPTIONAL: usize = 3;

/// The logarithms of the factors on the parameters.
type Logarithms = [f64; COUNT];

/// What the rows separate.
#[derive(Debug, Clone, Copy)]
struct Separate {
    requests: bool,
    layers: bool,
    waking: bool,
    scheduler: bool,
}

impl Separate {
    fn by(input: &Input, rows: &[&SimulatedRow]) -> Self {
        let layers = rows.iter().any(|row| has_layer(row));
        let alone = || rows.iter().filter(|row| row.single_device().is_some());
        let waits = |row: &&&SimulatedRow| row.point.in_flight() == 1;
        Self {
            requests: layers || alone().any(|row| is_split(input, row)),
            layers,
            waking: alone().any(|row| waits(&row)) && alone().any(|row| !waits(&row)),
            scheduler: {
                let deep = |has: bool, side: Side| {
                    alone().any(|row| {
                        !waits(&row)
                            && row.point.direction() == Some(side)
                            && has_scheduler(input, row) == has
                    })
                };
                deep(true, Side::Read) && deep(true, Side::Write) && deep(false, Side::Read)
            },
        }
    }

    /// Returns which parameters are free.
    fn free(self) -> [bool; COUNT] {
        let Self {
            requests,
            layers,
            waking,
            scheduler,
        } = self;
        [true, true, requests, layers, waking, scheduler, scheduler]
    }
}

/// Returns the host with which the model reproduces the points on single devices, all of which are
/// in `input.devices`; points on arrays check it.
///
/// # Errors
/// [`CalibrateError`] for the first row that cannot be used.
pub fn calibrate_host(
    input: &Input,
    progress: &mut dyn FnMut(Progress),
) -> Result<Calibration, CalibrateError> {
    let rows = rows(input.study, input.points)?;
    let cores = input.host.cpu.cores;
    let alone: Vec<&SimulatedRow> = rows.iter().filter(|row| is_used(row)).collect();
    let mut fit = Fit {
        input,
        separate: Separate::by(input, &alone),
        rows: alone,
        errors: BTreeMap::new(),
        tried: 0,
        progress,
    };
    let mut fitted = fit.fit()?;
    let count = fit.rows.len();
    for of_arrays in &OF_ARRAYS {
        let plain = rows.iter().filter(|row| row.point.is_plain());
        let shows: Vec<&SimulatedRow> = plain.filter(|row| (of_arrays.shows)(row, cores)).collect();
        if !shows.is_empty() {
            fit.fit_of_arrays(of_arrays, &shows, &mut fitted)?;
        }
    }
    let of_arrays = |row: &SimulatedRow| OF_ARRAYS.iter().any(|one| (one.shows)(row, cores));
    named_host(input, &mut fitted.profile);
    fitted.profile.description = match fit.separate.layers {
        true => format!("The host of {count} rows on single devices and arrays without parity."),
        false => format!("The host of {count} rows on single devices."),
    };
    let is_fitted = |key: &str| {
        fitted
            .parameters
            .iter()
            .any(|one| one.key == key && one.is_identified)
    };
    fitted.profile.assumed = assumed(input.host, fit.separate, is_fitted("cpu.stripe_ns"));
    let used_for = |row: &SimulatedRow| match is_used(row) || row.point.is_plain() && of_arrays(row)
    {
        true => UsedFor::Host,
        false => UsedFor::Check,
    };
    let devices = BTreeMap::new();
    let report = report(input, &rows, &[], &devices, &fitted, &used_for, progress)?;
    Ok(Calibration {
        devices,
        host: fitted.profile,
        is_bounded: false,
        report,
    })
}

fn is_used(row: &SimulatedRow) -> bool {
    row.point.is_plain() && (row.single_device().is_some() || has_layer(row))
}

/// Returns whether the disk of a row has an I/O scheduler: unless it has many queues, or the study says
/// so.
fn has_scheduler(input: &Input, row: &SimulatedRow) -> bool {
    if let Some(name) = &row.cell.conditions.scheduler {
        return name != "none";
    }
    let device = row.single_device().and_then(|name| input.devices.get(name));
    !device.is_some_and(|device| device.model.link().full_duplex)
}

/// Returns whether a row shows the time of a layer: md and no parity above I/Os that fill the core.
fn has_layer(row: &SimulatedRow) -> bool {
    let is_layer = level(row).is_some_and(|_| !has_stripes(row));
    is_layer && row.point.jobs == 1 && row.point.in_flight() > 1
}

/// Returns whether an I/O of a row becomes several requests.
fn is_split(input: &Input, row: &SimulatedRow) -> bool {
    let device = row.single_device().and_then(|name| input.devices.get(name));
    let kernel = u64::from(policy(row.kernel).member_request_max_kib) * 1024;
    let most = device.and_then(|device| device.request_bytes_max);
    row.point.block_size_bytes > most.unwrap_or(kernel)
}

fn assumed(base: &HostProfile, separate: Separate, has_stripe: bool) -> Vec<String> {
    let name = &base.name;
    let mut assumed = Vec::new();
    let mut in_proportion = |keys: &str, to: &str| {
        assumed.push(format!(
            "{keys}: in proportion to {to}, as host profile `{name}` has it"
        ));
    };
    if !separate.waking {
        in_proportion("cpu.wake_ns", "cpu.submit_ns");
    }
    match (separate.requests, separate.layers) {
        (_, true) => {}
        (true, false) => in_proportion("cpu.bio_ns", "cpu.completion_ns"),
        (false, false) => in_proportion("cpu.bio_ns, cpu.completion_ns", "cpu.submit_ns"),
    }
    let stripe = if has_stripe { ", cpu.stripe_ns" } else { "" };
    assumed.push(format!(
        "everything else but cpu.cores{stripe}: as host profile `{name}` has it"
    ));
    assumed
}

struct Fit<'m, 'a> {
    input: &'m Input<'m>,
    rows: Vec<&'m SimulatedRow<'a>>,
    separate: Separate,
    /// The mean square of ln(simulated / measured), by the parameters.
    errors: BTreeMap<[u64; COUNT], f64>,
    /// The hosts tried.
    tried: usize,
    progress: &'m mut dyn FnMut(Progress),
}

impl Fit<'_, '_> {
    fn fit(&mut self) -> Result<FittedHost, CalibrateError> {
        let at = [0.0; COUNT];
        let start = BestPoint {
            at,
            value: self.error(&at)?,
        };
        let free = self.separate.free();
        let best = pattern_search(start, free, STEPS, |at| self.error(at))?;
        let mut parameters = Vec::new();
        let values = self.values(&best.at);
        for (index, key) in KEYS.into_iter().enumerate() {
            if index >= FIRST_OPTIONAL && !free[index] {
                continue;
            }
            let mut growth = [0.0; 2];
            for (growth, factor) in growth.iter_mut().zip([0.5, 2.0]) {
                let mut at = best.at;
                at[index] += libm::log(factor);
                *growth = (self.error(&at)? - best.value) / best.value.max(NOISE);
            }
            parameters.push(HostParameter {
                key,
                value: Some(values[index]),
                is_identified: free[index] && growth.iter().any(|one| one.abs() >= IDENTIFIED),
                growth,
            });
        }
        Ok(FittedHost {
            profile: self.host(&best.at),
            parameters,
            left_out: Vec::new(),
        })
    }

    /// Fits one CPU time of arrays to the rows that show it, with all others as they are fitted.
    fn fit_of_arrays(
        &mut self,
        of_arrays: &OfArrays,
        rows: &[&SimulatedRow],
        fitted: &mut FittedHost,
    ) -> Result<(), CalibrateError> {
        let mut host = fitted.profile.clone();
        let start_ns = match *(of_arrays.value)(&mut host.cpu) {
            0 => START_NS,
            known => known,
        };
        let value_ns = |at: f64| rounded(as_f64(start_ns) * libm::exp(at)).max(1);
        let mut error_at = |at: f64| {
            *(of_arrays.value)(&mut host.cpu) = value_ns(at);
            let error = self.mean_square(rows, &host)?;
            self.tried += 1;
            self.show(error);
            Ok::<f64, CalibrateError>(error)
        };
        let start = BestPoint {
            at: [0.0],
            value: error_at(0.0)?,
        };
        let best = pattern_search(start, [true], STEPS, |at| error_at(at[0]))?;
        let mut growth = [0.0; 2];
        for (growth, factor) in growth.iter_mut().zip([0.5, 2.0]) {
            let value = error_at(best.at[0] + libm::log(factor))?;
            *growth = (value - best.value) / best.value.max(NOISE);
        }
        let is_identified = growth.iter().any(|one| one.abs() >= IDENTIFIED);
        let value = (of_arrays.value)(&mut fitted.profile.cpu);
        if is_identified {
            *value = value_ns(best.at[0]);
        }
        fitted.parameters.push(HostParameter {
            key: of_arrays.key,
            value: Some(*value),
            is_identified,
            growth,
        });
        Ok(())
    }

    /// Returns the values of the keys.
    fn values(&self, at: &Logarithms) -> [u64; COUNT] {
        let cpu = self.host(at).cpu;
        [
            cpu.submit_ns,
            cpu.page_ns,
            cpu.completion_ns,
            cpu.bio_ns,
            cpu.wake_ns,
            cpu.scheduler_ns,
            cpu.worker_ns,
        ]
    }

    fn host(&self, at: &Logarithms) -> HostProfile {
        let mut host = self.input.host.clone();
        let [io, page, request, layer, wake, scheduler, worker] = *at;
        let separate = self.separate;
        let request = if separate.requests { request } else { io };
        let layer = if separate.layers { layer } else { request };
        let wake = if separate.waking { wake } else { io };
        let scaled = |ns: u64, logarithm: f64| rounded(as_f64(ns) * libm::exp(logarithm)).max(1);
        let base = &self.input.host.cpu;
        // A host without these times gets them if rows show them.
        let of_scheduler = |ns: u64, logarithm: f64| match (separate.scheduler, ns) {
            (true, 0) => scaled(START_NS, logarithm),
            (true, ns) => scaled(ns, logarithm),
            (false, ns) => ns,
        };
        host.cpu = CpuProfile {
            scheduler_ns: of_scheduler(base.scheduler_ns, scheduler),
            worker_ns: of_scheduler(base.worker_ns, worker),
            submit_ns: scaled(base.submit_ns, io),
            wake_ns: scaled(base.wake_ns, wake),
            page_ns: scaled(base.page_ns, page),
            bio_ns: scaled(base.bio_ns, layer),
            completion_ns: scaled(base.completion_ns, request),
            ..base.clone()
        };
        host
    }

    /// Returns the mean square of ln(simulated / measured) over the rows. A request costs more
    /// alone than in a plug, and a mean of absolute errors would fit only one of the two.
    fn error(&mut self, at: &Logarithms) -> Result<f64, CalibrateError> {
        let key = self.values(at);
        if let Some(error) = self.errors.get(&key) {
            return Ok(*error);
        }
        let error = self.mean_square(&self.rows, &self.host(at))?;
        self.errors.insert(key, error);
        self.tried += 1;
        self.show(error);
        Ok(error)
    }

    fn mean_square(
        &self,
        rows: &[&SimulatedRow],
        host: &HostProfile,
    ) -> Result<f64, CalibrateError> {
        let mut errors = Vec::with_capacity(rows.len());
        for row in rows {
            let find = |name: &str| self.input.devices.get(name);
            let simulated = row.simulate(find, host, self.input.seed)?;
            let simulated = simulated.bandwidth_bytes_per_s(row.point);
            let error = libm::log(simulated / row.point.bandwidth_bytes_per_s);
            errors.push(error * error);
        }
        Ok(mean(errors).unwrap_or_default())
    }

    fn show(&mut self, error: f64) {
        (self.progress)(Progress {
            step: CalibrationStep::Host,
            evaluations: self.tried,
            total: None,
            error: Some(libm::sqrt(error)),
        });
    }
}
