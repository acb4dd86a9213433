//! What of a design is known only by simulating it beside its rate: how long commits take, how long its
//! devices last, and how long a rebuild takes.

use stripewise_analysis::lifetime::{CellLifetime, Counted, Rated, lifetime};
use stripewise_analysis::simulations::{Precision, median_of};
use stripewise_analysis::timeline::timeline;
use stripewise_sim::io::Member;
use stripewise_sim::question::{Observer, Question};
use stripewise_sim::race::Rate;
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::failure::{Failure, Repair, Replacement};
use stripewise_study::lifetime::Lifetime;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::stack::Stack;
use stripewise_study::workload::{Load, Pattern, SyncMode, Workload};
use stripewise_units::{Bytes, Nanos};

use crate::requirement::{Quantity, surely_survived, used};

/// The write that a commit makes durable if no load commits.
const COMMIT: Bytes = Bytes::new(4096);
/// The file of such commits.
const COMMIT_FILE: Bytes = Bytes::new(1 << 30);
/// When the failed device is replaced: after the array has noticed.
const REPLACED_AT: Nanos = Nanos::from_millis(50);
/// The simulations of a rebuild: it lasts for hours, and its pace varies little between seeds.
const REBUILDS: usize = 2;
/// How long a rebuild is watched, from which its pace follows; shorter beside a load of many I/Os.
const WATCHED: [Nanos; 2] = [Nanos::from_millis(500), Nanos::from_millis(5_000)];
/// The I/Os of the load after which it was watched long enough.
const WATCHED_IOS: f64 = 400_000.0;

/// What several designs are compared with beside the race: a few percent of the rate are enough.
const ROUGH: Precision = Precision {
    at_least: 2,
    at_most: 2,
    half_width: 0.02,
};

/// What happens if a device fails.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Risk {
    /// How long its rebuild takes, in nanoseconds; `None` without one, or if that is unknown.
    pub rebuild_ns: Option<f64>,
    /// The chance of losing data in five years.
    pub loss_chance: Option<f64>,
}

/// Measures designs in the model.
#[derive(Debug, Clone, Copy)]
pub struct Measures<'a> {
    /// The model.
    pub model: &'a Model,
    /// What is known about each device of a design.
    pub rated: &'a [Rated],
    /// How much the loads write in a day.
    pub writes_per_day: Option<Bytes>,
    /// The price of one device.
    pub price: Option<f64>,
    /// The seed of the first simulation.
    pub seed: u64,
}

impl Measures<'_> {
    /// Returns a quantity of a design with these cells, one for each load; `None` if it is unknown, or the
    /// design has no such thing.
    ///
    /// # Errors
    /// As [`Model::answer`].
    pub fn value(
        &self,
        cells: &[Cell],
        quantity: Quantity,
        observer: &mut dyn Observer,
    ) -> Result<Option<f64>, ModelError> {
        let stack = &cells[0].stack;
        match quantity {
            Quantity::Survived | Quantity::Usable => Ok(quantity.of_layout(stack, self.rated)),
            Quantity::Price => Ok(self.price.map(|price| price * as_f64(stack.device_count()))),
            Quantity::CommitP99 => self.commit_p99(cells, observer),
            Quantity::Years => self.years(cells, observer),
            Quantity::Rebuild => Ok(self.risk(cells, observer)?.rebuild_ns),
        }
    }

    /// Returns the time within which 99 % of the commits are durable: of the loads that commit, the
    /// slowest; else of one job that writes 4 KiB and makes it durable, again and again, and nothing else.
    fn commit_p99(
        &self,
        cells: &[Cell],
        observer: &mut dyn Observer,
    ) -> Result<Option<f64>, ModelError> {
        let mut most: Option<f64> = None;
        let alone = [commits_alone(&cells[0])];
        let committing: Vec<&Cell> = cells
            .iter()
            .filter(|cell| commits(&cell.workload))
            .collect();
        let asked = match committing.is_empty() {
            true => alone.iter().collect(),
            false => committing,
        };
        for cell in asked {
            let metric = match cell.workload.load.sync {
                SyncMode::None => Metric::SyncLatencyP99,
                _ => Metric::LatencyP99,
            };
            // Tails of short simulations are far off, and a table beside it shows the same.
            let samples = self.samples(cell, Precision::TABLE, observer)?;
            let values: Option<Vec<f64>> = samples.iter().map(|one| metric.of(one)).collect();
            let median = values.and_then(|values| median_of(&values));
            let Some(median) = median else {
                return Ok(None);
            };
            most = Some(most.map_or(median.value, |most| most.max(median.value)));
        }
        Ok(most)
    }

    /// Returns the years until the device that is written most has reached its rated writes: under the
    /// load that wears it most.
    fn years(
        &self,
        cells: &[Cell],
        observer: &mut dyn Observer,
    ) -> Result<Option<f64>, ModelError> {
        let mut least: Option<f64> = None;
        for cell in cells {
            let samples = self.samples(cell, Precision::COARSE, observer)?;
            let life = self.life(&[(cell, &samples)]);
            let years = life.and_then(|life| life.years_to_rating);
            least = least.into_iter().chain(years).reduce(f64::min);
        }
        Ok(least)
    }

    /// Returns how many commits a second one job makes that does nothing else.
    ///
    /// # Errors
    /// As [`Model::answer`].
    pub fn commits_per_s(
        &self,
        cells: &[Cell],
        observer: &mut dyn Observer,
    ) -> Result<Option<f64>, ModelError> {
        let cell = commits_alone(&cells[0]);
        let samples = self.samples(&cell, Precision::COARSE, observer)?;
        let rates: Option<Vec<f64>> = samples.iter().map(|one| Metric::Iops.of(one)).collect();
        Ok(rates
            .and_then(|rates| median_of(&rates))
            .map(|rate| rate.value))
    }

    /// Returns the rate of a design, roughly: the weighted geometric mean over its loads.
    ///
    /// # Errors
    /// As [`Model::answer`].
    pub fn rate(
        &self,
        cells: &[Cell],
        weights: &[f64],
        observer: &mut dyn Observer,
    ) -> Result<Option<Rate>, ModelError> {
        let mut rates = Vec::with_capacity(cells.len());
        for (cell, weight) in cells.iter().zip(weights) {
            let samples = self.samples(cell, ROUGH, observer)?;
            let Some(rate) = Rate::of(&samples) else {
                return Ok(None);
            };
            rates.push((rate, *weight));
        }
        Ok(Some(Rate::mean(&rates)))
    }

    /// Returns the same with one device missing; `None` if the design does not survive that.
    ///
    /// # Errors
    /// As [`Model::answer`].
    pub fn degraded_rate(
        &self,
        cells: &[Cell],
        weights: &[f64],
        observer: &mut dyn Observer,
    ) -> Result<Option<Rate>, ModelError> {
        if !is_rebuilt(&cells[0]) {
            return Ok(None);
        }
        let mut degraded = self.model.clone();
        degraded.failed = vec![Member(0)];
        let measures = Measures {
            model: &degraded,
            ..*self
        };
        measures.rate(cells, weights, observer)
    }

    /// Returns how long the rebuild of one device takes beside the loads, in nanoseconds, and the chance of
    /// losing data: of the load beside which it takes longest.
    ///
    /// # Errors
    /// As [`Model::answer`].
    pub fn risk(&self, cells: &[Cell], observer: &mut dyn Observer) -> Result<Risk, ModelError> {
        let mut worst = Risk::default();
        for cell in cells {
            let samples = self.samples(cell, Precision::simulations(1), observer)?;
            if !is_rebuilt(cell) {
                let life = self.life(&[(cell, &samples)]);
                worst.loss_chance = life.and_then(|life| life.loss_chance);
                continue;
            }
            let rebuilding = rebuilding(cell);
            let beside = self.rebuilt(&rebuilding, &samples, observer)?;
            let Some(rebuild_ns) = self.rebuild_ns(&cell.stack, &beside) else {
                return Ok(Risk::default());
            };
            if worst.rebuild_ns.is_none_or(|than| rebuild_ns > than) {
                let life = self.life(&[(cell, &samples), (&rebuilding, &beside)]);
                worst = Risk {
                    rebuild_ns: Some(rebuild_ns),
                    loss_chance: life.and_then(|life| life.loss_chance),
                };
            }
        }
        Ok(worst)
    }

    /// Returns the time of a rebuild of a whole device at the pace of simulations.
    fn rebuild_ns(&self, stack: &Stack, beside: &[Sample]) -> Option<f64> {
        let sizes = used(stack, self.rated).iter();
        let least = sizes.map(|device| device.capacity_bytes).min()?;
        let speed = timeline(beside.iter())?.rebuild?.speed_bytes_per_s?.value;
        (speed > 0.0).then(|| as_f64(least) / speed * 1e9)
    }

    /// Simulates a rebuild beside the load of `samples`.
    fn rebuilt(
        &self,
        cell: &Cell,
        samples: &[Sample],
        observer: &mut dyn Observer,
    ) -> Result<Vec<Sample>, ModelError> {
        let question = Question {
            precision: Precision::simulations(REBUILDS),
            duration: Some(watched(samples)),
            ..Question::new(cell, self.seed)
        };
        Ok(self.model.answer(&question, observer)?.samples)
    }

    fn samples(
        &self,
        cell: &Cell,
        precision: Precision,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Sample>, ModelError> {
        let question = Question {
            precision,
            ..Question::new(cell, self.seed)
        };
        Ok(self.model.answer(&question, observer)?.samples)
    }

    /// Returns the life of the first cell.
    fn life(&self, cells: &[(&Cell, &Vec<Sample>)]) -> Option<CellLifetime> {
        let asked = Lifetime {
            years: Lifetime::YEARS_DEFAULT,
            writes_per_day_bytes: self.writes_per_day,
            tbw_bytes: None,
            afr_percent: None,
            ure_bits: None,
        };
        let counted = cells.iter().map(|(cell, samples)| Counted {
            cell,
            samples: samples.iter().collect(),
        });
        let rated = used(&cells.first()?.0.stack, self.rated);
        lifetime(&asked, &counted.collect::<Vec<_>>(), 0, rated)
    }
}

/// Returns whether an array goes on without one of its devices, and is rebuilt.
fn is_rebuilt(cell: &Cell) -> bool {
    cell.stack.array.is_some() && surely_survived(&cell.stack) > 0
}

/// Returns how long a rebuild is watched beside a load.
fn watched(samples: &[Sample]) -> Nanos {
    let [least, most] = WATCHED;
    let rates = samples.iter().filter_map(|one| Metric::Iops.of(one));
    let iops = rates.fold(0.0, f64::max).max(1.0);
    let long_enough = std::time::Duration::try_from_secs_f64(WATCHED_IOS / iops);
    long_enough.map_or(most, |long| Nanos::from(long).clamp(least, most))
}

/// Returns whether a load makes its writes durable before it goes on.
pub fn commits(workload: &Workload) -> bool {
    let load = &workload.load;
    let is_synced = load.fsync_every.is_some() || load.fdatasync_every.is_some();
    load.pattern.writes() && (is_synced || load.sync != SyncMode::None)
}

/// Returns a cell that commits on the same stack, and does nothing else.
fn commits_alone(cell: &Cell) -> Cell {
    let mut load = Load::new(Pattern::Write, COMMIT, COMMIT_FILE);
    load.fdatasync_every = std::num::NonZeroU32::new(1);
    let mut cell = cell.clone();
    cell.workload.name = None;
    cell.workload.load = load;
    cell.workload.neighbours.clear();
    cell.workload.trace = None;
    cell
}

/// Returns a cell whose array is rebuilt onto a new device from the start.
fn rebuilding(cell: &Cell) -> Cell {
    let mut cell = cell.clone();
    cell.conditions.failure = Some(Failure {
        name: "rebuild".to_owned(),
        at_ns: Nanos::default(),
        device: 0,
        repair: Some(Repair {
            at_ns: REPLACED_AT,
            with: Replacement::New,
        }),
        sync_speed_min_bytes_per_s: None,
        sync_speed_max_bytes_per_s: None,
        until_rebuilt: false,
    });
    cell
}
