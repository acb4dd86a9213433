//! How much like a trace its fitted workload behaves, both simulated on the same stack.
//!
//! As many I/Os of each are done from a fresh device on: flat out, with as many under way as the
//! workload has, or at their times. Flat out differs what was fitted of places, sizes and actions; at
//! their times also how even the I/Os come.

use std::sync::Arc;

use serde::Serialize;
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::sample::{DeviceDelta, Latency, Sample, as_f64};
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::workload::SyncMode;
use stripewise_study::world::{Replay, Watch};

/// A trace and its workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fidelity {
    /// Whether the I/Os began at their times; otherwise as soon as the depth allowed.
    pub is_timed: bool,
    /// The trace's I/Os.
    pub trace: Behaviour,
    /// The workload.
    pub workload: Behaviour,
}

/// What one of them does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Behaviour {
    /// Reads and writes per second.
    pub ios_per_s: f64,
    /// Their bytes per second.
    pub bytes_per_s: f64,
    /// The median latency of reads and writes.
    pub latency_ns_p50: Option<Nanos>,
    /// The 99th percentile of it.
    pub latency_ns_p99: Option<Nanos>,
    /// The bytes that the devices read and write for each byte of the load.
    pub device_bytes_per_byte: f64,
    /// What each device moves each second, in the order of the stack.
    pub devices: Vec<Traffic>,
    /// The share of the I/O that a cache would serve, if it was counted.
    pub cache_share: Option<f64>,
}

/// What one device reads and writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Traffic {
    /// The device.
    pub name: String,
    /// The bytes that it reads each second.
    pub read_bytes_per_s: f64,
    /// The bytes that it writes each second.
    pub write_bytes_per_s: f64,
}

/// How many I/Os can be under way if they begin at their times.
const DEPTH_TIMED: u32 = 1024;

impl Fidelity {
    /// Simulates the I/Os of a trace and those of its workload on the stack of `cell`, whose workload
    /// is the fitted one.
    ///
    /// # Errors
    /// [`ModelError`] if the stack is impossible or the I/Os do not fit on it, or `watch` cancelled.
    pub fn new(
        model: &Model,
        cell: &Cell,
        (trace, workload): (&Arc<Replay>, &Arc<Replay>),
        seed: u64,
        watch: &mut dyn Watch,
    ) -> Result<Self, ModelError> {
        let both = [trace, workload];
        let is_timed = both
            .iter()
            .any(|replay| replay.jobs.iter().flatten().any(|io| io.at_ns.is_some()));
        let cell = match is_timed {
            true => timed(cell, both),
            false => cell.clone(),
        };
        let mut behaviour = |replay: &Arc<Replay>| {
            let replayed = model.replay(&cell, seed, Arc::clone(replay), watch)?;
            Ok::<_, ModelError>(Behaviour::of(&replayed.sample))
        };
        Ok(Self {
            is_timed,
            trace: behaviour(trace)?,
            workload: behaviour(workload)?,
        })
    }
}

/// Returns a cell in which one job does all I/Os at their times.
fn timed(cell: &Cell, replays: [&Arc<Replay>; 2]) -> Cell {
    let mut cell = cell.clone();
    cell.workload.neighbours.clear();
    let load = &mut cell.workload.load;
    (load.jobs, load.depth) = (1, DEPTH_TIMED);
    (load.rate_iops, load.think_time_ns) = (None, Nanos::default());
    (load.fsync_every, load.sync) = (None, SyncMode::None);
    let ios = replays
        .into_iter()
        .flat_map(|replay| replay.jobs.iter().flatten());
    let ends = ios.map(|io| io.offset_bytes.as_u64() + io.length_bytes.as_u64());
    let size = ends.max().unwrap_or(0).next_multiple_of(1 << 20);
    load.size_bytes = Bytes::new(size.max(1 << 20));
    cell
}

impl Traffic {
    fn of(device: &DeviceDelta, seconds: f64) -> Self {
        Self {
            name: device.device.clone(),
            read_bytes_per_s: as_f64(device.read_bytes.as_u64()) / seconds,
            write_bytes_per_s: as_f64(device.write_bytes.as_u64()) / seconds,
        }
    }
}

impl Behaviour {
    fn of(sample: &Sample) -> Self {
        let seconds = as_f64(sample.elapsed_ns.as_u64().max(1)) / 1e9;
        let (read, write) = (&sample.read, &sample.write);
        let bytes = as_f64(sample.bytes().as_u64());
        let mut latency: Latency = read.latency.clone();
        latency.merge(&write.latency);
        let devices = sample.devices.iter();
        let devices: Vec<Traffic> = devices.map(|one| Traffic::of(one, seconds)).collect();
        let on_devices = devices
            .iter()
            .map(|one| one.read_bytes_per_s + one.write_bytes_per_s);
        Self {
            ios_per_s: as_f64(read.ios + write.ios) / seconds,
            bytes_per_s: bytes / seconds,
            latency_ns_p50: latency.histogram.quantile(500),
            latency_ns_p99: latency.histogram.quantile(990),
            device_bytes_per_byte: on_devices.sum::<f64>() * seconds / bytes.max(1.0),
            devices,
            cache_share: None,
        }
    }
}
