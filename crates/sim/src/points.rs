//! Whether the model still gives the points that a device's profile was calibrated from.
//!
//! A profile holds the device's share of the measured times, so it is right beside the CPU times of the
//! host with which it was fitted and no others. With that host, the profile says what the model gives
//! at each point. With another one, a few points are simulated again.

use serde::Serialize;
use stripewise_profiles::device::{DeviceProfile, MeasuredPoint};
use stripewise_profiles::host::HostProfile;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::sample::as_f64;
use stripewise_study::stack::{Filesystem, Stack};
use stripewise_study::warning::{MissedPoints, Warning};
use stripewise_study::workload::{Engine, Load, Pattern, Workload};
use stripewise_study::world::NeverCancel;
use stripewise_units::Bytes;

use crate::class::is_class;
use crate::engine::{Ending, Limits, Setup};
use crate::world::Model;

/// A point that the model misses by more than this share of it deserves a warning.
const MISSED: f64 = 0.1;
/// The most points that are simulated again, evenly chosen.
const POINTS_MAX: usize = 8;
/// The file of a point, whose size a profile does not keep.
const SIZE: Bytes = Bytes::new(1 << 30);
/// The effort for each of them.
const LIMITS: Limits = Limits {
    half_width: 0.03,
    ios_max: 30_000,
    ..Limits::DEFAULT
};

/// What decides the warning about points that are simulated again: the samples of a run, and cells on the
/// same devices, simulate them once.
#[derive(Debug, Serialize)]
struct Asked<'a> {
    device: &'a DeviceProfile,
    host: &'a HostProfile,
    kernel: String,
    adapter: &'a Option<String>,
    conditions: &'a Conditions,
}

/// Returns a warning for each device profile with points that the model misses on this host.
pub(crate) fn points_missed(
    model: &Model,
    cell: &Cell,
    devices: &[&DeviceProfile],
    host: &HostProfile,
) -> Vec<Warning> {
    let mut checked: Vec<&str> = Vec::new();
    let mut warnings = Vec::new();
    for device in devices {
        // The points of a class are those of other devices.
        if is_class(device) || checked.contains(&device.name.as_str()) {
            continue;
        }
        checked.push(&device.name);
        let is_fitted = device.host.as_deref() == Some(host.name.as_str());
        warnings.extend(match is_fitted {
            true => {
                let points: Vec<_> = device.points.iter().filter_map(stored).collect();
                warning(device, host, &points)
            }
            false if device.points.is_empty() => None,
            false => {
                let asked = Asked {
                    device,
                    host,
                    kernel: model.kernel_of(cell).to_string(),
                    adapter: &cell.stack.adapter,
                    conditions: &cell.conditions,
                };
                let found = || warning(device, host, &again(model, cell, device, host));
                model.memory.of_points(&asked, found)
            }
        });
    }
    warnings
}

/// Returns a point with what the profile says of the model there, over the measured value.
fn stored(point: &MeasuredPoint) -> Option<(&MeasuredPoint, f64)> {
    let simulated = point.model_bandwidth_bytes_per_s?;
    Some((point, simulated / point.bandwidth_bytes_per_s))
}

/// Simulates points of a device alone again; leaves out those of one side of a mix.
fn again<'p>(
    model: &Model,
    cell: &Cell,
    device: &'p DeviceProfile,
    host: &HostProfile,
) -> Vec<(&'p MeasuredPoint, f64)> {
    let points = device.points.iter().filter(|point| point.side.is_none());
    let points: Vec<&MeasuredPoint> = points.collect();
    let step = points.len().div_ceil(POINTS_MAX).max(1);
    let chosen = points.into_iter().step_by(step);
    let ratio = |point: &'p MeasuredPoint| {
        let simulated = simulated(model, cell, device, host, point)?;
        Some((point, simulated / point.bandwidth_bytes_per_s))
    };
    chosen.filter_map(ratio).collect()
}

/// Returns the model's bytes for each second at a point; `None` where it cannot be simulated.
fn simulated(
    model: &Model,
    cell: &Cell,
    device: &DeviceProfile,
    host: &HostProfile,
    point: &MeasuredPoint,
) -> Option<f64> {
    let mut patterns = Pattern::ALL
        .into_iter()
        .filter(|pattern| !pattern.is_mixed());
    let pattern = patterns.find(|pattern| pattern.as_str() == point.pattern)?;
    let mut load = Load::new(pattern, Bytes::new(point.block_size_bytes), SIZE);
    (load.jobs, load.depth) = (point.jobs, point.depth);
    if point.depth > 1 {
        load.engine = Engine::Libaio;
    }
    let stack = Stack {
        name: device.name.clone(),
        devices: Vec::new(),
        adapter: cell.stack.adapter.clone(),
        array: None,
        volume: None,
        filesystem: Filesystem::None,
    };
    let setup = Setup {
        stack: &stack,
        workload: &Workload::alone(load),
        conditions: &cell.conditions,
        devices: vec![device],
        host,
        kernel: model.kernel_of(cell),
        failed: Vec::new(),
        rebuilding: false,
        seed: 1,
        replay: None,
    };
    let mut simulation = setup.build().ok()?;
    if let Ending::TooLarge = simulation.run(&LIMITS, &mut NeverCancel) {
        return None;
    }
    let sample = simulation.sample();
    let moved = sample.bytes().as_u64();
    (moved > 0).then(|| as_f64(moved) / sample.elapsed_ns.as_secs_f64())
}

/// Returns the warning about the points of a device; `None` if all are met.
fn warning(
    device: &DeviceProfile,
    host: &HostProfile,
    found: &[(&MeasuredPoint, f64)],
) -> Option<Warning> {
    let is_missed = |ratio: f64| (ratio - 1.0).abs() > MISSED;
    let missed = found.iter().filter(|(_, ratio)| is_missed(*ratio)).count();
    let off = |ratio: f64| ratio.max(1.0 / ratio);
    let worst = found
        .iter()
        .filter(|(_, ratio)| is_missed(*ratio))
        .max_by(|left, right| off(left.1).total_cmp(&off(right.1)))?;
    let (point, ratio) = worst;
    Some(Warning::PointsMissed(Box::new(MissedPoints {
        profile: device.name.clone(),
        host: host.name.clone(),
        fitted_host: device.host.clone(),
        missed: u32::try_from(missed).unwrap_or(u32::MAX),
        points: u32::try_from(found.len()).unwrap_or(u32::MAX),
        pattern: point.pattern.clone(),
        block_size_bytes: Bytes::new(point.block_size_bytes),
        in_flight: point.jobs.saturating_mul(point.depth),
        ratio: *ratio,
    })))
}

#[cfg(test)]
mod tests {
    use stripewise_profiles::Profiles;
    use stripewise_units::kernel::KernelVersion;

    use super::*;

    /// The failure: eight simulations beside each sample of each cell.
    #[test]
    fn points_are_simulated_again_once_for_all_samples() {
        let text = "[stack.a]\ndevices = { four-ssd-sata = 1 }\nfilesystem = \"none\"\n\
            [workload]\npattern = \"randread\"\nblock_size = [\"4K\", \"8K\"]\nsize = \"1G\"\n";
        let study = stripewise_format::parse("study.toml", text).unwrap();
        let model = Model {
            host: Some("default".to_owned()),
            ..Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0))
        };
        for cell in &study.cells {
            for seed in 0..2 {
                model.simulate(cell, seed, &mut NeverCancel).unwrap();
            }
        }
        assert_eq!(model.memory.points_known(), 1);
    }
}
