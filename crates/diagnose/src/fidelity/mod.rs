//! How much like a trace its fitted workload behaves, both simulated on the same stack.
//!
//! As many I/Os of each are done from a fresh device on: flat out, with as many under way as the
//! workload has, or at their times. Flat out differs what was fitted of places, sizes and actions; at
//! their times also how even the I/Os come. A load that is flat out can have neighbours at their times.
//!
//! [`Heads`] keeps which I/Os of the trace those are while it is read, `generate` draws those of the
//! workload, and [`compare`] simulates both.

mod generate;
mod heads;

use std::sync::Arc;

use serde::Serialize;
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::plan::Study;
use stripewise_study::sample::{DeviceDelta, Latency, Sample, as_f64};
use stripewise_study::workload::{Engine, SyncMode};
use stripewise_study::world::{Replay, ReplayedIo, Watch};
use stripewise_trace::fit::Fitted;
use stripewise_trace::locality::Locality;
use stripewise_trace::survey::Plan;
use stripewise_units::{Bytes, Nanos};

pub use heads::Heads;

/// The most places that are followed to compare what a cache would serve.
const CACHE_PLACES_MAX: usize = 1 << 16;

/// A trace and its workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fidelity {
    /// When the I/Os began.
    pub pace: Pace,
    /// The trace's I/Os.
    pub trace: Behaviour,
    /// The workload.
    pub workload: Behaviour,
}

/// When I/Os begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// As soon as the depth allows.
    FlatOut,
    /// At their times.
    AtTimes,
    /// Those of the load as soon as the depth allows, those of its neighbours at their times. It ends
    /// with the load.
    Beside,
}

impl Pace {
    fn of(replay: &Replay) -> Self {
        let is_timed = |job: &Vec<ReplayedIo>| job.iter().any(|io| io.at_ns.is_some());
        let jobs = replay.jobs.iter().filter(|job| !job.is_empty());
        let (timed, flat_out): (Vec<_>, Vec<_>) = jobs.partition(|job| is_timed(job));
        match (timed.is_empty(), flat_out.is_empty()) {
            (true, _) => Pace::FlatOut,
            (false, true) => Pace::AtTimes,
            (false, false) => Pace::Beside,
        }
    }
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
    /// The median latency of flushes.
    pub flush_ns_p50: Option<Nanos>,
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

/// How many I/Os of a trace can be under way if they begin at their times.
const DEPTH_TIMED: u32 = 1024;

impl Fidelity {
    /// Simulates the I/Os of a trace and those of its workload on the stack of `cell`, whose workload
    /// is the fitted one. At their times, both last until `end`.
    ///
    /// # Errors
    /// [`ModelError`] if the stack is impossible or the I/Os do not fit on it, or `watch` cancelled.
    fn new(
        model: &Model,
        cell: &Cell,
        (trace, workload): (&Arc<Replay>, &Arc<Replay>),
        end: Nanos,
        seed: u64,
        watch: &mut dyn Watch,
    ) -> Result<Self, ModelError> {
        let pace = Pace::of(trace);
        let ends = [trace, workload].map(|replay| replay.end_bytes().as_u64());
        let size = Bytes::new(ends.into_iter().fold(1, u64::max).next_multiple_of(1 << 20));
        let least = match pace {
            Pace::AtTimes => end,
            Pace::FlatOut | Pace::Beside => Nanos::default(),
        };
        let mut behaviour = |replay: &Arc<Replay>, depth: u32| {
            let cell = paced(cell, pace, (replay.jobs.len(), depth), size);
            let replayed = model.replay(&cell, seed, Arc::clone(replay), watch)?;
            Ok::<_, ModelError>(Behaviour::of(&replayed.sample, least))
        };
        Ok(Self {
            pace,
            trace: behaviour(trace, DEPTH_TIMED)?,
            workload: behaviour(workload, 1)?,
        })
    }
}

/// Simulates a phase of a trace and its workload, which is one of `study`; `None` if they cannot be
/// compared: nothing says which I/Os belong together.
///
/// # Errors
/// [`ModelError`] if the stack is impossible or the I/Os do not fit on it, or `watch` cancelled.
pub fn compare(
    model: &Model,
    study: &Study,
    fitted: &Fitted,
    (heads, plan): (&Heads, &Plan),
    seed: u64,
    watch: &mut dyn Watch,
) -> Result<Option<Fidelity>, ModelError> {
    let name = &fitted.workload.name;
    let cell = study.cells.iter().find(|cell| cell.workload.name == *name);
    let phase = plan.phases.iter().position(|phase| *phase == fitted.phase);
    let replays = cell
        .zip(phase)
        .and_then(|(cell, phase)| heads.with_workload(phase, fitted, cell, seed));
    let Some((cell, end, [trace, workload])) = replays else {
        return Ok(None);
    };
    let mut fidelity = Fidelity::new(model, &cell, (&trace, &workload), end, seed, watch)?;
    let shares = cache_shares(&trace, &workload);
    (fidelity.trace.cache_share, fidelity.workload.cache_share) = shares;
    Ok(Some(fidelity))
}

/// Returns the shares of both that an LRU cache would serve that holds a quarter of the trace's
/// places.
fn cache_shares(trace: &Replay, workload: &Replay) -> (Option<f64>, Option<f64>) {
    let [trace, workload] = [trace, workload].map(|replay| {
        // Jobs begin and end together.
        let jobs = replay.jobs.iter().flat_map(|job| {
            let length = as_f64(job.len() as u64);
            let parts = (0_u64..).map(move |number| (as_f64(number) + 0.5) / length);
            parts.zip(job)
        });
        let mut ios: Vec<(f64, &ReplayedIo)> = jobs.collect();
        ios.sort_by(|(one, _), (two, _)| one.total_cmp(two));
        let mut uses = Locality::new(4096, CACHE_PLACES_MAX);
        for (_, io) in ios.iter().filter(|(_, io)| !io.flushes()) {
            uses.touch(io.offset_bytes.as_u64(), io.length_bytes.as_u64());
        }
        uses
    });
    let cache = trace.places() * trace.unit_bytes() / 4;
    let share = |uses: &Locality| Some(uses.hit_ratio(cache));
    (share(&trace), share(&workload))
}

/// Returns a cell whose jobs do the I/Os of so many lists, and nothing else.
fn paced(cell: &Cell, pace: Pace, (lists, depth): (usize, u32), size: Bytes) -> Cell {
    let mut cell = cell.clone();
    let load = &mut cell.workload.load;
    // The lists have the flushes.
    (load.fsync_every, load.fdatasync_every, load.sync) = (None, None, SyncMode::None);
    match pace {
        Pace::FlatOut => return cell,
        Pace::AtTimes if depth > 1 => (load.depth, load.engine) = (depth, Engine::Libaio),
        // A list stands for an I/O under way.
        Pace::AtTimes | Pace::Beside => (load.depth, load.engine) = (1, Engine::Psync),
    }
    cell.workload.neighbours.clear();
    load.jobs = u32::try_from(lists).unwrap_or(u32::MAX);
    (load.rate_iops, load.think_time_ns, load.think_blocks) = (None, Nanos::default(), None);
    load.size_bytes = size;
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
    /// Rates are over the time of the sample, which may end before `least` with a pause.
    fn of(sample: &Sample, least: Nanos) -> Self {
        let elapsed = sample.elapsed_ns.max(least).as_u64();
        let seconds = as_f64(elapsed.max(1)) / 1e9;
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
            flush_ns_p50: sample.sync.histogram.quantile(500),
            device_bytes_per_byte: on_devices.sum::<f64>() * seconds / bytes.max(1.0),
            devices,
            cache_share: None,
        }
    }
}
