//! The steps from points to profiles and their report.

use std::collections::BTreeMap;

use stripewise_message::Message;
use stripewise_profiles::Basis;
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_study::plan::Study;

use crate::adapter::{FoundAdapter, adapters};
use crate::bound::bounded;
use crate::device::DeviceModel;
use crate::host::{self, FittedHost, HostFit};
use crate::number::mean;
use crate::points::{Point, Side};
use crate::prepare::{CalibrateError, KERNEL, SimulatedRow};
use crate::report::{CalibrationReport, Residual, UsedFor, groups};

/// The rounds that adjust the final curves to the host.
const DERIVE_ROUNDS: u32 = 4;

/// The input of a calibration.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The study with the points' stacks.
    pub study: &'a Study,
    /// The points.
    pub points: &'a [Point],
    /// The source named in the profiles: the name of the file of points.
    pub source: &'a str,
    /// Existing device profiles, by name; a device with its own rows gets a new one.
    pub devices: &'a BTreeMap<String, DeviceProfile>,
    /// The host profile for all values that points do not show.
    pub host: &'a HostProfile,
    /// The seed of all simulations.
    pub seed: u64,
}

/// The result of a calibration.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// A profile for each device measured alone, by name.
    pub devices: BTreeMap<String, DeviceProfile>,
    /// The host: fitted to the rows on arrays, or unchanged if there are none.
    pub host: HostProfile,
    /// Whether single disks were too fast for the given host, so that its times are shorter or its
    /// cores more.
    pub is_bounded: bool,
    /// Their errors and assumptions.
    pub report: CalibrationReport,
}

/// The current step of a calibration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalibrationStep<'a> {
    /// Fitting a device profile.
    Device(&'a str),
    /// Fitting the host's three parameters.
    Host,
    /// Simulating every row with the new profiles.
    Residuals,
}

/// The progress of a calibration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// The current step.
    pub step: CalibrationStep<'a>,
    /// How many hosts it has tried, or how many of `total` it has done.
    pub evaluations: usize,
    /// How many there are to do: loads of a device, each as often as it is adjusted, or rows; `None`
    /// for a search, whose length is not known in advance.
    pub total: Option<usize>,
    /// The mean |ln(simulated / measured)| of the last one.
    pub error: Option<f64>,
}

/// Returns profiles with which the model reproduces the points, and a report on them.
///
/// Rows on stacks of one device without an array determine device profiles, and the adapters that
/// several of them share; rows on other stacks determine the host's. Rows of arrays with a mix of
/// reads and writes or with `fsync` only check the result. The same input gives the same output on every machine. Cost: about a hundred
/// simulations of every row, about 400 us each.
///
/// # Errors
/// [`CalibrateError`] for the first row that cannot be used.
pub fn calibrate(
    input: &Input,
    progress: &mut dyn FnMut(Progress),
) -> Result<Calibration, CalibrateError> {
    let rows = rows(input.study, input.points)?;
    let adapters = adapters(&rows);
    let host = with_adapters(input, &adapters);
    let allowed = bounded(&host, &rows);
    let is_bounded = allowed.is_some();
    let host = match allowed {
        None => host,
        Some((mut allowed, remark)) => {
            named_host(input, &mut allowed);
            allowed.basis = input.host.basis;
            allowed.assumed.push(remark);
            allowed
        }
    };
    let input = &Input {
        host: &host,
        ..*input
    };
    let mut models = device_models(input, &rows, progress)?;
    let host_rows: Vec<SimulatedRow> = rows
        .iter()
        .filter(|row| row.single_device().is_none() && row.point.is_plain())
        .cloned()
        .collect();
    let fitted = match host_rows.is_empty() {
        true => unfitted(input.host),
        false => fit_host(input, &host_rows, &mut models, progress)?,
    };
    let mut devices = BTreeMap::new();
    for model in &mut models {
        model.derive(&fitted.profile, DERIVE_ROUNDS)?;
        let mut profile = model.profile();
        profile.host = Some(fitted.profile.name.clone());
        let uncertain = adapters.iter().filter(|one| !one.is_certain);
        let mut uncertain = uncertain.filter(|one| one.devices.contains(&profile.name));
        profile.perhaps_adapter = uncertain.next().map(|one| one.profile);
        devices.insert(model.name().to_owned(), profile);
    }
    let used_for = |row: &SimulatedRow| {
        let is_of = |model: &DeviceModel| model.lines.contains(&row.point.line);
        let of_device = models.iter().any(is_of);
        match (of_device, row.single_device().is_none()) {
            (true, _) => UsedFor::Device,
            (false, true) if row.point.is_plain() => UsedFor::Host,
            (false, _) => UsedFor::Check,
        }
    };
    let mut report = report(
        input, &rows, &models, &devices, &fitted, &used_for, progress,
    )?;
    report.adapters = adapters;
    for model in &models {
        if let Some(profile) = devices.get_mut(model.name()) {
            note_errors(profile, &model.lines, &report.residuals);
        }
    }
    Ok(Calibration {
        devices,
        host: fitted.profile,
        is_bounded,
        report,
    })
}

/// Adds the model's result to each point of a profile, so that predictions can report the profile's
/// error there. `lines` are those of its own points.
pub(crate) fn note_errors(profile: &mut DeviceProfile, lines: &[u64], residuals: &[Residual]) {
    for point in &mut profile.points {
        let same = |residual: &&Residual| {
            lines.contains(&residual.line)
                && residual.pattern == point.pattern
                && residual.side.map(Side::as_str) == point.side.as_deref()
                && residual.block_size_bytes == point.block_size_bytes
                && (residual.jobs, residual.depth) == (point.jobs, point.depth)
                && residual
                    .measured_bytes_per_s
                    .total_cmp(&point.bandwidth_bytes_per_s)
                    .is_eq()
        };
        let found = residuals.iter().find(same);
        // Whole bytes: more digits are not significant.
        point.model_bandwidth_bytes_per_s = found.map(|found| found.simulated_bytes_per_s.round());
    }
}

/// Returns the model's and the measured result for each point; all count as checks.
///
/// # Errors
/// [`CalibrateError`] for the first point that cannot be simulated.
pub fn residuals(
    study: &Study,
    points: &[Point],
    devices: &BTreeMap<String, DeviceProfile>,
    host: &HostProfile,
    seed: u64,
) -> Result<Vec<Residual>, CalibrateError> {
    let rows = rows(study, points)?;
    let residual = |row| residual(row, |name| devices.get(name), host, seed);
    rows.iter().map(residual).collect()
}

pub(crate) fn rows<'a>(
    study: &Study,
    points: &'a [Point],
) -> Result<Vec<SimulatedRow<'a>>, CalibrateError> {
    points
        .iter()
        .map(|point| SimulatedRow::new(study, point))
        .collect()
}

/// Fits a model of each device measured alone, on the given host.
fn device_models<'a>(
    input: &Input,
    rows: &[SimulatedRow<'a>],
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<DeviceModel<'a>>, CalibrateError> {
    // Use one stack per profile: two would have different layers above the same device.
    let mut stacks: BTreeMap<&str, &str> = BTreeMap::new();
    for row in rows {
        let shows_device = row.point.shows_device();
        if let Some(name) = row.single_device().filter(|_| shows_device) {
            stacks.entry(name).or_insert(&row.cell.stack.name);
        }
    }
    let mut models = Vec::new();
    for (name, stack) in stacks {
        let mut done = |evaluations, total| {
            progress(Progress {
                step: CalibrationStep::Device(name),
                evaluations,
                total: Some(total),
                error: None,
            });
        };
        let of_stack = rows.iter().filter(|row| row.cell.stack.name == stack);
        let of_stack: Vec<SimulatedRow> = of_stack.cloned().collect();
        let needed = needed_bytes(input.study, rows, name);
        let model = DeviceModel::new(name, &of_stack, needed, input.source, input.seed)?;
        let Some(mut model) = model else { continue };
        model.derive(input.host, DERIVE_ROUNDS)?;
        model.fit_load(input.host, &mut done)?;
        model.fit_flush(input.host)?;
        models.push(model);
    }
    Ok(models)
}

/// Returns the most bytes that the study or a row puts on devices `name`, as if there were only
/// one.
fn needed_bytes(study: &Study, rows: &[SimulatedRow], name: &str) -> u64 {
    let cells = study.cells.iter().chain(rows.iter().map(|row| &row.cell));
    let with_device = cells.filter(|cell| {
        let mut groups = cell.stack.devices.iter();
        groups.any(|group| group.profile == name)
    });
    let needed = with_device.map(|cell| {
        let files = cell.workload.loads();
        let files = files.map(|load| load.size_bytes.as_u64().saturating_mul(load.jobs.into()));
        files.fold(0, u64::saturating_add)
    });
    needed.max().unwrap_or_default()
}

/// Returns the host of the input with the adapters that were found.
fn with_adapters(input: &Input, found: &[FoundAdapter]) -> HostProfile {
    let mut host = input.host.clone();
    for one in found.iter().filter(|one| one.is_certain) {
        host.adapter.insert(one.name.clone(), one.profile);
        named_host(input, &mut host);
        // The CPU's times are as well known as before.
        host.basis = input.host.basis;
    }
    host
}

pub(crate) fn unfitted(base: &HostProfile) -> FittedHost {
    FittedHost {
        profile: base.clone(),
        parameters: Vec::new(),
        left_out: Vec::new(),
    }
}

fn fit_host<'a>(
    input: &Input,
    rows: &[SimulatedRow<'a>],
    models: &mut [DeviceModel<'a>],
    progress: &mut dyn FnMut(Progress),
) -> Result<FittedHost, CalibrateError> {
    let mut fit = HostFit {
        base: input.host,
        rows,
        models,
        known: input.devices,
        seed: input.seed,
        progress: |evaluations, error| {
            progress(Progress {
                step: CalibrationStep::Host,
                evaluations,
                total: None,
                error: Some(error),
            });
        },
        devices: BTreeMap::new(),
        errors: BTreeMap::new(),
    };
    let mut fitted = fit.fit()?;
    let host = &mut fitted.profile;
    named_host(input, host);
    host.description = format!("The host of {} rows on arrays.", rows.len());
    host.assumed = host::assumptions(&fitted.parameters, input.host);
    Ok(fitted)
}

/// Sets the name and source of a new host profile.
pub(crate) fn named_host(input: &Input, host: &mut HostProfile) {
    let named = input.study.host.clone();
    host.name = named.unwrap_or_else(|| "calibrated".to_owned());
    host.source = format!("stripewise calibrate, from {}", input.source);
    host.basis = Some(Basis::Measured);
}

fn residual<'p>(
    row: &SimulatedRow,
    device: impl Fn(&str) -> Option<&'p DeviceProfile>,
    host: &HostProfile,
    seed: u64,
) -> Result<Residual, CalibrateError> {
    let point = row.point;
    let simulated = row.simulate(device, host, seed)?;
    let latency_errors = simulated.quantile_errors(point);
    let simulated = simulated.bandwidth_bytes_per_s(point);
    Ok(Residual {
        line: point.line,
        stack: point.stack.clone(),
        pattern: point.pattern.as_str(),
        side: point.side,
        block_size_bytes: point.block_size_bytes,
        jobs: point.jobs,
        depth: point.depth,
        measured_bytes_per_s: point.bandwidth_bytes_per_s,
        simulated_bytes_per_s: simulated,
        error: simulated / point.bandwidth_bytes_per_s - 1.0,
        latency_errors,
        used_for: UsedFor::Check,
    })
}

pub(crate) fn report(
    input: &Input,
    rows: &[SimulatedRow],
    models: &[DeviceModel],
    devices: &BTreeMap<String, DeviceProfile>,
    fitted: &FittedHost,
    used_for: &dyn Fn(&SimulatedRow) -> UsedFor,
    progress: &mut dyn FnMut(Progress),
) -> Result<CalibrationReport, CalibrateError> {
    let mut residuals = Vec::with_capacity(rows.len());
    // Another seed, so that a fit to the random numbers of the search does not look good.
    let seed = input.seed.wrapping_add(1);
    for row in rows {
        let find = |name: &str| devices.get(name).or_else(|| input.devices.get(name));
        let mut residual = residual(row, find, &fitted.profile, seed)?;
        residual.used_for = used_for(row);
        residuals.push(residual);
        progress(Progress {
            step: CalibrationStep::Residuals,
            evaluations: residuals.len(),
            total: Some(rows.len()),
            error: None,
        });
    }
    Ok(CalibrationReport {
        devices: devices.keys().cloned().collect(),
        host: fitted.profile.name.clone(),
        groups: groups(&residuals),
        residuals,
        moved: models
            .iter()
            .flat_map(|model| model.moved.clone())
            .collect(),
        left_out_of_curves: models.iter().flat_map(DeviceModel::left_out).collect(),
        left_out_of_loads: models
            .iter()
            .flat_map(DeviceModel::left_out_of_loads)
            .collect(),
        left_out_of_host: fitted.left_out.clone(),
        host_parameters: fitted.parameters.clone(),
        assumptions: assumptions(input.study, devices, &fitted.profile),
        not_identified: host::not_identified(&fitted.parameters),
        adapters: Vec::new(),
        fits: Vec::new(),
    })
}

/// Returns what a calibration with these profiles assumes; a profile states its own assumptions.
pub fn assumptions(
    study: &Study,
    devices: &BTreeMap<String, DeviceProfile>,
    host: &HostProfile,
) -> Vec<Message> {
    let kernel = study
        .kernel
        .is_none()
        .then(|| Message::new("assumed-kernel").name("kernel", KERNEL));
    let stated = |id: &'static str, name: &str, all: &[String]| -> Vec<Message> {
        let one = |sentence| {
            Message::new(id)
                .name("name", name)
                .name("assumed", sentence)
        };
        all.iter().map(one).collect()
    };
    let of_devices = devices.values();
    let of_devices =
        of_devices.flat_map(|profile| stated("assumed-device", &profile.name, &profile.assumed));
    let of_host = stated("assumed-host", &host.name, &host.assumed);
    kernel
        .into_iter()
        .chain(of_devices)
        .chain(of_host)
        .collect()
}

impl CalibrationReport {
    /// Returns the mean absolute error of the rows used for `used_for`; `None` without such rows.
    pub fn mean_absolute_error(&self, used_for: UsedFor) -> Option<f64> {
        let rows = self.residuals.iter().filter(|row| row.used_for == used_for);
        mean(rows.map(|row| row.error.abs()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use stripewise_profiles::Profiles;
    use stripewise_profiles::device::MeasuredPoint;

    use super::*;

    #[test]
    fn a_point_gets_the_result_of_its_own_devices_model() {
        let residual = |line, stack: &str, simulated| Residual {
            line,
            stack: stack.to_owned(),
            pattern: "randread",
            side: None,
            block_size_bytes: 4096,
            jobs: 1,
            depth: 1,
            measured_bytes_per_s: 40e6,
            simulated_bytes_per_s: simulated,
            error: 0.0,
            latency_errors: [None; 2],
            used_for: UsedFor::Device,
        };
        let residuals = [residual(2, "old", 41e6), residual(3, "new", 39e6)];
        let point = MeasuredPoint {
            drive: None,
            steady: false,
            pattern: "randread".to_owned(),
            side: None,
            block_size_bytes: 4096,
            jobs: 1,
            depth: 1,
            bandwidth_bytes_per_s: 40e6,
            model_bandwidth_bytes_per_s: None,
        };
        let shipped = Profiles::shipped().devices;
        let mut profiles: BTreeMap<u64, DeviceProfile> = BTreeMap::new();
        for line in [2, 3] {
            let mut profile = shipped["sata-ssd"].clone();
            profile.points = vec![point.clone()];
            note_errors(&mut profile, &[line], &residuals);
            profiles.insert(line, profile);
        }
        let noted = |line: u64| profiles[&line].points[0].model_bandwidth_bytes_per_s;
        assert_eq!((noted(2), noted(3)), (Some(41e6), Some(39e6)));
    }
}
