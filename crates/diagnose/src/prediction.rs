//! A cell, simulated often enough for an interval.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_analysis::breakdown::mean_breakdown;
use stripewise_sim::engine::Limits;
use stripewise_sim::world::{Model, ModelError};
use stripewise_stats::{Estimate, Level, Series, median_interval};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Breakdown, Part, Sample};
use stripewise_study::units::Nanos;
use stripewise_study::warning::Warning;
use stripewise_study::world::{NeverCancel, Watch};

/// How often a cell is simulated, each time with another seed: the fewest that make a 95 % interval
/// of the median (`ANALYSIS.md`).
pub const SIMULATIONS: u64 = 6;

/// When one of them has said enough: what is asked is a few percent, at once. A disk that changes
/// as it is written (a fast area that fills) is asked about its first I/Os.
pub const LIMITS: Limits = Limits {
    duration: Nanos::from_millis(30_000),
    half_width: 0.01,
    bios_min: 1024,
    ios_max: 4096,
    // A few tenths of a second on one core: most cells need less than a hundredth of it.
    steps_max: 2_000_000,
};

/// What a cell gives, simulated.
#[derive(Debug, Clone, Serialize)]
pub struct Prediction {
    /// The estimates, by the key of the metric.
    pub estimates: BTreeMap<&'static str, Estimate>,
    /// What each device saw.
    pub members: Vec<MemberLoad>,
    /// How many I/Os of the workload this rests on.
    pub ios: u64,
    /// Whether a simulation reached the bound of its effort before its estimate was steady: the
    /// intervals then come from few I/Os, and a slow change over many is not seen.
    pub is_cut_short: bool,
    /// Where the time went.
    pub breakdown: Breakdown,
    /// The simulations, by seed.
    #[serde(skip)]
    pub samples: Vec<Sample>,
}

/// What one device saw, over all simulations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemberLoad {
    /// Its name in the model.
    pub device: String,
    /// Reads per second.
    pub reads_per_s: f64,
    /// Writes per second.
    pub writes_per_s: f64,
    /// Flushes per second.
    pub flushes_per_s: f64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Reads and writes that were merged into others.
    pub merges: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes per read or write, on average.
    pub request_bytes_mean: f64,
    /// The share of reads that went on where an earlier one ended; nothing without reads.
    pub sequential_read_share: Option<f64>,
    /// The same of writes.
    pub sequential_write_share: Option<f64>,
    /// The share of the time in which it had something to do.
    pub busy_share: f64,
}

/// Watches the simulations of a question: it may end them, and hears of each that is complete.
pub trait Observer: Watch {
    /// `done` of `all` simulations of one prediction, or of all changes to one, are complete.
    fn simulated(&mut self, done: u64, all: u64);
}

impl Observer for NeverCancel {
    fn simulated(&mut self, _done: u64, _all: u64) {}
}

impl Prediction {
    /// Simulates `cell`; the seeds are `seed` and those that follow it.
    ///
    /// # Errors
    /// [`ModelError`] if a profile is missing, the stack cannot be, one round of I/Os is too much, or
    /// `observer` said stop.
    pub fn new(
        model: &Model,
        cell: &Cell,
        seed: u64,
        observer: &mut dyn Observer,
    ) -> Result<Self, ModelError> {
        let mut samples = Vec::new();
        for offset in 0..SIMULATIONS {
            samples.push(model.simulate(cell, seed.wrapping_add(offset), observer)?);
            observer.simulated(offset + 1, SIMULATIONS);
        }
        Ok(Self::of(samples).expect("the model breaks every sample down"))
    }

    /// Returns what samples of one cell say together; nothing if none of them is broken down.
    pub fn of(samples: Vec<Sample>) -> Option<Self> {
        let estimates = Metric::ALL
            .into_iter()
            .filter_map(|metric| Some((metric.key(), estimate(metric, &samples)?)));
        let breakdowns = samples
            .iter()
            .filter_map(|sample| sample.breakdown.as_ref());
        let breakdown = mean_breakdown(breakdowns)?;
        Some(Self {
            estimates: estimates.collect(),
            members: members(&samples, &breakdown),
            ios: samples
                .iter()
                .map(|sample| sample.read.ios + sample.write.ios)
                .sum(),
            is_cut_short: samples.iter().any(|sample| {
                let mut warnings = sample.warnings.iter();
                warnings.any(|warning| matches!(warning, Warning::SimulationCutShort { .. }))
            }),
            breakdown,
            samples,
        })
    }

    /// Returns the estimate of `metric`, if the load has it.
    pub fn estimate(&self, metric: Metric) -> Option<&Estimate> {
        self.estimates.get(metric.key())
    }

    /// Returns the mean time of an I/O.
    pub fn mean_ns(&self) -> f64 {
        self.breakdown.mean.iter().map(|part| part.time_ns).sum()
    }

    /// Returns the share of `parts` in the mean I/O.
    pub fn share(&self, parts: &[Part]) -> f64 {
        let times = self.breakdown.mean.iter();
        let time: f64 = times
            .filter(|time| parts.contains(&time.part))
            .map(|time| time.time_ns)
            .sum();
        time / self.mean_ns().max(f64::MIN_POSITIVE)
    }

    /// Returns the largest busy share of the components whose name begins with `prefix`.
    pub fn busiest(&self, prefix: &str) -> f64 {
        let components = self.breakdown.utilisation.iter();
        components
            .filter(|one| one.component.starts_with(prefix))
            .map(|one| one.busy_share)
            .fold(0.0, f64::max)
    }
}

fn estimate(metric: Metric, samples: &[Sample]) -> Option<Estimate> {
    let values: Option<Vec<f64>> = samples.iter().map(|sample| metric.of(sample)).collect();
    let series = Series::new(values?).ok()?;
    Some(median_interval(&series, Level::P95))
}

fn members(samples: &[Sample], breakdown: &Breakdown) -> Vec<MemberLoad> {
    let seconds: f64 = samples
        .iter()
        .map(|sample| sample.elapsed_ns.as_secs_f64())
        .sum();
    let seconds = seconds.max(f64::MIN_POSITIVE);
    let Some(first) = samples.first() else {
        return Vec::new();
    };
    let load = |(index, device): (usize, &stripewise_study::sample::DeviceDelta)| {
        let deltas = || {
            samples
                .iter()
                .filter_map(|sample| sample.devices.get(index))
        };
        let reads: u64 = deltas().map(|delta| delta.reads).sum();
        let writes: u64 = deltas().map(|delta| delta.writes).sum();
        let flushes: u64 = deltas().filter_map(|delta| delta.flushes).sum();
        let bytes: u64 = deltas()
            .map(|delta| delta.read_bytes.as_u64() + delta.write_bytes.as_u64())
            .sum();
        let busy: f64 = deltas().map(|delta| delta.busy_ns.as_secs_f64()).sum();
        let order = breakdown.sequentiality.get(index);
        let share = |part: u64, all: u64| (all > 0).then(|| as_f64(part) / as_f64(all));
        MemberLoad {
            device: device.device.clone(),
            reads_per_s: as_f64(reads) / seconds,
            writes_per_s: as_f64(writes) / seconds,
            flushes_per_s: as_f64(flushes) / seconds,
            reads,
            writes,
            merges: deltas()
                .map(|delta| delta.read_merges + delta.write_merges)
                .sum(),
            flushes,
            request_bytes_mean: share(bytes, reads + writes).unwrap_or_default(),
            sequential_read_share: order.and_then(|order| share(order.sequential_reads, reads)),
            sequential_write_share: order.and_then(|order| share(order.sequential_writes, writes)),
            busy_share: (busy / seconds).min(1.0),
        }
    };
    first.devices.iter().enumerate().map(load).collect()
}

/// Returns a count as a float; above 2^53 the nearest one.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts above 2^53 may round: they only make shares"
)]
pub(crate) fn as_f64(count: u64) -> f64 {
    count as f64
}
