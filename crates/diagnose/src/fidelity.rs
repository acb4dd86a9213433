//! How much like a trace its fitted workload behaves, both simulated on the same stack.
//!
//! As many I/Os of each are done one after the other from a fresh device on, with as many under way as
//! the workload has. So what differs is what was fitted: where they go, how long they are, and what
//! they do. When they come is not compared.

use std::sync::Arc;

use serde::Serialize;
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::sample::{Latency, Sample, as_f64};
use stripewise_study::units::Nanos;
use stripewise_study::world::{Replay, Watch};

/// A trace and its workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fidelity {
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
}

impl Fidelity {
    /// Simulates both on the stack of `cell`, whose workload is the fitted one.
    ///
    /// # Errors
    /// [`ModelError`] if the stack is impossible or the I/Os of the trace do not fit on it, or `watch`
    /// cancelled.
    pub fn new(
        model: &Model,
        cell: &Cell,
        replay: Arc<Replay>,
        seed: u64,
        watch: &mut dyn Watch,
    ) -> Result<Self, ModelError> {
        let ios = replay.jobs.iter().map(Vec::len).sum();
        let trace = Behaviour::of(&model.replay(cell, seed, replay, watch)?.sample);
        let drawn = Arc::new(Model::drawn(cell, seed, ios));
        let workload = Behaviour::of(&model.replay(cell, seed, drawn, watch)?.sample);
        Ok(Self { trace, workload })
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
        let on_devices = devices
            .map(|device| as_f64(device.read_bytes.as_u64()) + as_f64(device.write_bytes.as_u64()));
        Self {
            ios_per_s: as_f64(read.ios + write.ios) / seconds,
            bytes_per_s: bytes / seconds,
            latency_ns_p50: latency.histogram.quantile(500),
            latency_ns_p99: latency.histogram.quantile(990),
            device_bytes_per_byte: on_devices.sum::<f64>() / bytes.max(1.0),
        }
    }
}
