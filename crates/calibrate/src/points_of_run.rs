//! Turns the samples of a run into the input of a calibration: points, and a study whose stacks
//! name devices.
//!
//! A metal run measures an existing filesystem, so its stacks name no devices. The model treats
//! everything below the filesystem as one device.

use std::num::NonZeroU32;

use serde::Serialize;
use stripewise_analysis::cell::analyse;
use stripewise_analysis::counted::series;
use stripewise_message::Message;
use stripewise_profiles::device::DeviceProfile;
use stripewise_study::cell::Cell;
use stripewise_study::facts::{DeviceFacts, Facts};
use stripewise_study::metric::Metric;
use stripewise_study::plan::{SteadyState, Study};
use stripewise_study::sample::{Latency, SampleRecord};
use stripewise_study::stack::{DeviceGroup, Filesystem};
use stripewise_study::workload::{BlockSize, Distribution, SyncMode};
use stripewise_units::Nanos;

use crate::points::{Point, PointLatency};

/// The filesystems that the model supports by name (`Filesystem::Made`).
const FILESYSTEMS: [&str; 4] = ["ext2", "ext3", "ext4", "xfs"];

/// The uncertainty of a point from a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The line of the point: the number of the cell, from 1.
    pub line: u64,
    /// How many samples counted.
    pub samples: usize,
    /// Half of the 95 % interval over the value; `None` with too few samples.
    pub relative_half_width: Option<f64>,
}

/// The points of a run.
#[derive(Debug, Default)]
pub struct RunPoints {
    /// A point for each usable cell; its line is the number of the cell, from 1.
    pub points: Vec<Point>,
    /// The uncertainty of each point.
    pub spreads: Vec<Spread>,
    /// The unusable cells, with the reasons.
    pub left_out: Vec<Message>,
}

impl RunPoints {
    /// Derives the points from the counted samples of `cells`; `steady` is the study's steady-state
    /// rule.
    pub fn new(cells: &[Cell], samples: &[SampleRecord], steady: Option<SteadyState>) -> Self {
        let mut found = Self::default();
        for (index, cell) in cells.iter().enumerate() {
            let number = u64::try_from(index).unwrap_or(u64::MAX).saturating_add(1);
            let of_cell = samples.iter().filter(|record| record.cell == index);
            let analysis = analyse(of_cell, steady, Metric::Bandwidth);
            let point = match unusable(cell) {
                Some(why) => Err(why),
                None => point(number, cell, &analysis.counted.samples).ok_or("no-point-samples"),
            };
            match point {
                Ok(point) => {
                    let estimate = analysis.estimate(Metric::Bandwidth);
                    found.spreads.push(Spread {
                        line: number,
                        samples: analysis.counted.samples.len(),
                        relative_half_width: estimate
                            .and_then(|estimate| estimate.relative_half_width()),
                    });
                    found.points.push(point);
                }
                Err(why) => {
                    let load = &cell.workload.load;
                    let left_out = Message::new("no-point")
                        .digits("number", number)
                        .name("stack", &cell.stack.name)
                        .name("pattern", load.pattern)
                        .name("block", &load.block_size)
                        .with("why", Message::new(why));
                    found.left_out.push(left_out);
                }
            }
        }
        found
    }
}

/// Returns why a point cannot describe the load of a cell, as an entry of the catalogue.
fn unusable(cell: &Cell) -> Option<&'static str> {
    let load = &cell.workload.load;
    let reasons = [
        (!load.direct, "no-point-page-cache"),
        (cell.workload.trace.is_some(), "no-point-trace"),
        (!cell.workload.neighbours.is_empty(), "no-point-neighbours"),
        (
            matches!(load.block_size, BlockSize::Split(_)),
            "no-point-block-sizes",
        ),
        (load.sync != SyncMode::None, "no-point-sync"),
        (load.fdatasync_every.is_some(), "no-point-fdatasync"),
        (
            load.rate_bytes_per_s.is_some() || load.rate_iops.is_some(),
            "no-point-rate",
        ),
        (
            load.think_time_ns != Nanos::default(),
            "no-point-think-time",
        ),
        (
            load.distribution != Distribution::Uniform,
            "no-point-offsets",
        ),
    ];
    let reason = reasons.into_iter().find(|(applies, _)| *applies);
    reason.map(|(_, why)| why)
}

/// Returns the point of a cell's counted samples; `None` without samples with data.
fn point(number: u64, cell: &Cell, samples: &[&SampleRecord]) -> Option<Point> {
    let load = &cell.workload.load;
    let BlockSize::Fixed(block_size) = load.block_size else {
        return None;
    };
    let bandwidths = series(samples, Metric::Bandwidth)?;
    let sum: f64 = bandwidths.values().iter().sum();
    let count = u32::try_from(bandwidths.count()).ok()?;
    let bandwidth_bytes_per_s = sum / f64::from(count);
    let mut latencies = Latency::default();
    for record in samples {
        latencies.merge(&record.sample.read.latency);
        latencies.merge(&record.sample.write.latency);
    }
    let quantile = |per_mille| {
        let latency = latencies.histogram.quantile(per_mille)?;
        Some(latency.as_secs_f64() * 1e9).filter(|ns| *ns > 0.0)
    };
    (bandwidth_bytes_per_s > 0.0).then(|| Point {
        line: number,
        stack: cell.stack.name.clone(),
        pattern: load.pattern,
        block_size_bytes: block_size.as_u64(),
        jobs: load.jobs,
        depth: match load.engine.is_synchronous() {
            true => 1,
            false => load.depth,
        },
        bandwidth_bytes_per_s,
        latency: PointLatency {
            mean_ns: latencies.mean_ns,
            p50_ns: quantile(500),
            p99_ns: quantile(990),
        },
        read_percent: load.read_percent,
        side: None,
        between_ns: 0.0,
        fsync_every: load.fsync_every,
        file_size_bytes: Some(load.size_bytes.as_u64()),
    })
}

/// Sets one device `name` for each stack that names none; returns whether there was such a stack.
///
/// The filesystem is that of `facts`, if the model supports it.
pub fn name_devices(study: &mut Study, name: &str, facts: Option<&Facts>) -> bool {
    let filesystem = filesystem(facts);
    let mut is_named = false;
    for cell in &mut study.cells {
        let stack = &mut cell.stack;
        if !stack.devices.is_empty() {
            continue;
        }
        is_named = true;
        stack.devices = vec![DeviceGroup {
            profile: name.to_owned(),
            count: NonZeroU32::MIN,
        }];
        if stack.filesystem == Filesystem::Existing {
            stack.filesystem = filesystem.clone();
        }
    }
    is_named
}

fn filesystem(facts: Option<&Facts>) -> Filesystem {
    let target = facts.and_then(|facts| facts.target.as_ref());
    let kind = target.and_then(|target| target.filesystem.as_deref());
    let made = |kind: &str| Filesystem::Made {
        kind: kind.to_owned(),
        mkfs: Vec::new(),
        options: Vec::new(),
        group: None,
        log: None,
    };
    match kind {
        None => made("ext4"),
        Some(known) if FILESYSTEMS.contains(&known) => made(known),
        Some(_) => Filesystem::None,
    }
}

/// Returns whether the model supports the filesystem of the target; an unknown one counts as ext4.
pub fn knows_filesystem(facts: Option<&Facts>) -> bool {
    filesystem(facts) != Filesystem::None
}

/// Returns the disk under the target, if there is exactly one.
pub fn disk(facts: &Facts) -> Option<&DeviceFacts> {
    match facts.target.as_ref()?.disks.as_slice() {
        [only] => facts.device(only),
        _ => None,
    }
}

/// Replaces assumed values in a disk's profile with those of the kernel.
pub fn describe(profile: &mut DeviceProfile, disk: &DeviceFacts) {
    let model = disk.model.as_deref().map(str::trim).unwrap_or_default();
    profile.description = match model.is_empty() {
        true => format!("Disk `{}`, model unknown.", disk.name),
        false => model.to_owned(),
    };
    profile.models = Some(model.to_owned())
        .filter(|model| !model.is_empty())
        .into_iter()
        .collect();
    let mut known = Vec::new();
    if let Some(size) = disk.size_bytes.filter(|size| size.as_u64() > 0) {
        profile.capacity_bytes = size.as_u64();
        known.push("capacity_bytes");
    }
    if let Some(rotational) = disk.rotational {
        profile.rotational = rotational;
        known.push("rotational");
    }
    if let Some(depth) = disk.queue_depth.filter(|depth| *depth > 0) {
        profile.queue_depth = depth;
        known.push("queue_depth");
    }
    let assumed = std::mem::take(&mut profile.assumed);
    profile.assumed = assumed
        .into_iter()
        .filter_map(|sentence| without_keys(sentence, &known))
        .collect();
}

/// Removes keys from a sentence such as `rotational, queue_depth: by class`; `None` if no key is
/// left.
fn without_keys(sentence: String, known: &[&str]) -> Option<String> {
    let Some((keys, why)) = sentence.split_once(": ") else {
        return Some(sentence);
    };
    let all = keys.split(", ");
    let left: Vec<&str> = all.filter(|key| !known.contains(key)).collect();
    (!left.is_empty()).then(|| format!("{}: {why}", left.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_not_listed_as_assumed() {
        let known = ["capacity_bytes", "rotational"];
        let kept = |sentence: &str| without_keys(sentence.to_owned(), &known);
        assert_eq!(kept("capacity_bytes: the least usual one"), None);
        assert_eq!(
            kept("rotational, cache.is_volatile: by class").as_deref(),
            Some("cache.is_volatile: by class")
        );
        assert_eq!(kept("no colon").as_deref(), Some("no colon"));
    }
}
