//! A cell, simulated often enough for an interval.

use std::collections::BTreeMap;
use stripewise_study::sample::as_f64;

use serde::Serialize;
use stripewise_analysis::breakdown::mean_breakdown;
use stripewise_analysis::simulations::{as_sure_as_its_samples, median_of, seed_of};
use stripewise_sim::question::{Observer, Question};
use stripewise_sim::world::{Model, ModelError};
use stripewise_stats::Estimate;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Breakdown, Sample};
use stripewise_study::warning::{Changing, Warning};
use stripewise_units::{Bytes, total};

/// The simulated results of a cell.
#[derive(Debug, Clone, Serialize)]
pub struct Prediction {
    /// The estimates, by the key of the metric.
    pub estimates: BTreeMap<&'static str, Estimate>,
    /// The I/O of each device.
    pub members: Vec<MemberLoad>,
    /// The number of I/Os of the workload behind this.
    pub ios: u64,
    /// Whether a simulation reached its effort limit before its estimate was steady: the intervals
    /// then come from few I/Os, and slow changes over many I/Os are missed.
    pub is_cut_short: bool,
    /// The state that still changed when a simulation reached its effort limit; the estimates then
    /// describe a transient, not the long run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changing: Option<Changing>,
    /// Where the time went, and the beginning of the load if its rate was different.
    pub breakdown: Breakdown,
    /// The simulations, by seed.
    #[serde(skip)]
    pub samples: Vec<Sample>,
}

/// The I/O of one device, over all simulations.
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
    /// The share of reads that continued where an earlier one ended; `None` without reads.
    pub sequential_read_share: Option<f64>,
    /// The same of writes.
    pub sequential_write_share: Option<f64>,
    /// The share of the time in which it was busy.
    pub busy_share: f64,
}

impl Prediction {
    /// Simulates `cell` often enough for an interval ([`stripewise_analysis::simulations`]); the
    /// seeds are `seed` and those that follow it.
    ///
    /// # Errors
    /// [`ModelError`] if a profile is missing, the stack is impossible, one round of I/Os is too
    /// expensive, or `observer` cancelled.
    pub fn new(
        model: &Model,
        cell: &Cell,
        seed: u64,
        observer: &mut dyn Observer,
    ) -> Result<Self, ModelError> {
        Self::of_question(model, &Question::new(cell, seed), observer)
    }

    /// Answers a question, as [`Model::answer`].
    ///
    /// # Errors
    /// As [`Model::answer`].
    pub fn of_question(
        model: &Model,
        question: &Question<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Self, ModelError> {
        let samples = model.answer(question, observer)?.samples;
        Ok(Self::of(samples).expect("every sample of the model has a breakdown"))
    }

    /// Simulates what fresh devices give beside each of these steady simulations of `cell`, as a run does;
    /// `None` if they are no other state ([`Model::fresh_beside`]). `seed` is that of the prediction.
    ///
    /// # Errors
    /// As [`Prediction::new`].
    pub fn fresh(
        &self,
        model: &Model,
        cell: &Cell,
        seed: u64,
        observer: &mut dyn Observer,
    ) -> Result<Option<Self>, ModelError> {
        let mut fresh = Vec::new();
        for (index, steady) in (0_u64..).zip(&self.samples) {
            fresh.extend(model.fresh_beside(cell, seed_of(seed, index), steady, observer)?);
            observer.simulated(index + 1, self.samples.len() as u64);
        }
        Ok(Self::of_fresh(fresh, self.samples.len()))
    }

    /// Combines simulations of fresh devices beside so many of steady ones; `None` if most have none.
    pub fn of_fresh(fresh: Vec<Sample>, steady: usize) -> Option<Self> {
        match 2 * fresh.len() < steady {
            true => None,
            false => Self::of(fresh),
        }
    }

    /// Combines samples of one cell into a prediction; `None` if none of them has a breakdown.
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
            ios: total(
                samples
                    .iter()
                    .flat_map(|sample| [sample.read.ios, sample.write.ios]),
            ),
            is_cut_short: samples.iter().any(Sample::is_cut_short),
            changing: samples.iter().find_map(changing),
            breakdown,
            samples,
        })
    }

    /// Returns the estimate of `metric`, if the load has it.
    pub fn estimate(&self, metric: Metric) -> Option<&Estimate> {
        self.estimates.get(metric.key())
    }

    /// Returns the mean busy share of the components whose name begins with `prefix`.
    pub fn mean_busy(&self, prefix: &str) -> f64 {
        let components = self.breakdown.utilisation.iter();
        let shares: Vec<f64> = components
            .filter(|one| one.component.starts_with(prefix))
            .map(|one| one.busy_share)
            .collect();
        shares.iter().sum::<f64>() / as_f64(shares.len().max(1) as u64)
    }

    /// Returns the busy share of the busiest disk or disk link.
    pub fn busiest_disk(&self) -> f64 {
        let members = self.members.iter().map(|member| member.busy_share);
        members.fold(self.busiest("link of"), f64::max)
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

fn changing(sample: &Sample) -> Option<Changing> {
    sample.warnings.iter().find_map(|warning| match warning {
        Warning::NotStationary { changing, .. } => Some(*changing),
        _ => None,
    })
}

fn estimate(metric: Metric, samples: &[Sample]) -> Option<Estimate> {
    let values: Option<Vec<f64>> = samples.iter().map(|sample| metric.of(sample)).collect();
    Some(as_sure_as_its_samples(
        metric,
        median_of(&values?)?,
        samples,
    ))
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
        let reads = total(deltas().map(|delta| delta.reads));
        let writes = total(deltas().map(|delta| delta.writes));
        let flushes = total(deltas().filter_map(|delta| delta.flushes));
        let bytes = deltas().flat_map(|delta| [delta.read_bytes, delta.write_bytes]);
        let bytes = total(bytes.map(Bytes::as_u64));
        let merges = deltas().flat_map(|delta| [delta.read_merges, delta.write_merges]);
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
            merges: total(merges),
            flushes,
            request_bytes_mean: share(bytes, reads.saturating_add(writes)).unwrap_or_default(),
            sequential_read_share: order.and_then(|order| share(order.sequential_reads, reads)),
            sequential_write_share: order.and_then(|order| share(order.sequential_writes, writes)),
            busy_share: (busy / seconds).min(1.0),
        }
    };
    first.devices.iter().enumerate().map(load).collect()
}
